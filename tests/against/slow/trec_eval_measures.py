"""The measures of trec_eval over a dense vector of judgments, straight from their definitions."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from tests.against.slow.trec_eval_c import (
    atof,
    atol,
    discount,
    divide,
    log,
    log2,
    merge_sort,
)

UNPOOLED = -1
UNJUDGED = -2


class ParametersError(Exception):
    """Parameters that a measure refuses before the first topic."""


class MeasureError(Exception):
    """A measure that cannot be calculated for a topic; the text is its message."""


class Vector(NamedTuple):
    """A topic's ranking: at each rank the judgment, or UNPOOLED, or UNJUDGED."""

    v: list[int]
    counts: dict[int, int]  # judgments of each grade from 0, retrieved or not
    level: int
    unpooled: int
    unjudged: int
    num_ret: int
    num_rel: int
    num_rel_ret: int

    def hit(self, i: int) -> bool:
        return self.v[i] >= self.level

    def hits(self, cutoff: int) -> int:
        """Among the first ``cutoff`` ranks."""
        return sum(1 for v in self.v[: max(cutoff, 0)] if v >= self.level)


def vector(
    ranking: Sequence[bytes],
    judged: dict[bytes, int],
    level: int,
    *,
    judged_only: bool,
) -> Vector:
    dense = [
        UNPOOLED
        if document not in judged
        else judged[document]
        if judged[document] >= 0
        else UNJUDGED
        for document in ranking
    ]
    if judged_only:
        dense = [v for v in dense if v >= 0]
    counts: dict[int, int] = {}
    for grade in judged.values():
        if grade >= 0:
            counts[grade] = counts.get(grade, 0) + 1
    return Vector(
        dense,
        counts,
        level,
        unpooled=dense.count(UNPOOLED),
        unjudged=dense.count(UNJUDGED),
        num_ret=len(dense),
        num_rel=sum(n for grade, n in counts.items() if grade >= level),
        num_rel_ret=sum(1 for v in dense if v >= level and v >= 0),
    )


# Sets and ranks.


def precisions_at_hits(x: Vector, depth: int) -> tuple[float, int]:
    """The sum of the precision at each hit above ``depth``, and how many hits."""
    total, hits = 0.0, 0
    for i in range(min(depth, x.num_ret)):
        if x.hit(i):
            hits += 1
            total += hits / (i + 1)
    return total, hits


def average_precision(x: Vector) -> float:
    total, hits = precisions_at_hits(x, x.num_ret)
    return divide(total, x.num_rel) if hits else 0.0


def log_of_average_precision(x: Vector) -> float:
    return log(max(average_precision(x), 1e-5))


def average_precision_at(x: Vector, cutoff: int) -> float:
    num_rel = x.num_rel
    return precisions_at_hits(x, cutoff)[0] / num_rel if num_rel > 0 else 0.0


def r_precision(x: Vector) -> float:
    num_rel = x.num_rel
    k = min(x.num_ret, num_rel)
    return x.hits(k) / num_rel if k > 0 else 0.0


def r_precision_multiples(x: Vector, multiples: Sequence[float]) -> list[float]:
    num_rel, values = x.num_rel, []
    for multiple in multiples:
        cutoff = math.trunc(multiple * num_rel + 0.9)
        if cutoff > x.num_ret:
            values.append(x.num_rel_ret / cutoff)
        else:
            # Counted down from the end: the same as hits above it, unless unjudged documents hit.
            hits = x.num_rel_ret - (x.hits(x.num_ret) - x.hits(cutoff))
            values.append(hits / cutoff if hits > 0 and cutoff > 0 else 0.0)
    return values


def reciprocal_rank(x: Vector) -> float:
    for i in range(x.num_ret):
        if x.hit(i):
            return 1 / (i + 1)
    return 0.0


def precision_at(x: Vector, cutoff: int) -> float:
    return x.hits(cutoff) / cutoff


def recall_at(x: Vector, cutoff: int) -> float:
    num_rel = x.num_rel
    return x.hits(cutoff) / num_rel if num_rel > 0 else 0.0


def relative_precision_at(x: Vector, cutoff: int) -> float:
    num_rel = x.num_rel
    return x.hits(cutoff) / min(cutoff, num_rel) if num_rel > 0 else 0.0


def success_at(x: Vector, cutoff: int) -> float:
    return 1.0 if x.hits(cutoff) > 0 else 0.0


def unjudged_at(x: Vector, cutoff: int) -> float:
    return sum(1 for v in x.v[:cutoff] if v < 0) / cutoff


def set_precision(x: Vector) -> float:
    return x.num_rel_ret / x.num_ret if x.num_ret else 0.0


def set_relative_precision(x: Vector) -> float:
    smaller = min(x.num_ret, x.num_rel)
    return x.num_rel_ret / smaller if smaller > 0 else 0.0


def set_recall(x: Vector) -> float:
    num_rel = x.num_rel
    return x.num_rel_ret / num_rel if num_rel else 0.0


def set_average_precision(x: Vector) -> float:
    num_ret, num_rel, num_rel_ret = x.num_ret, x.num_rel, x.num_rel_ret
    return (num_rel_ret * num_rel_ret) / (num_ret * num_rel) if num_ret and num_rel else 0.0


def set_f(x: Vector, weight: float) -> float:
    if not x.num_rel_ret:
        return 0.0
    precision, recall = set_precision(x), set_recall(x)
    return divide((weight + 1) * precision * recall, weight * precision + recall)


def judged_nonrelevant_retrieved(x: Vector) -> int:
    return x.num_ret - x.unpooled - x.unjudged - x.num_rel_ret


def utility(x: Vector, coefficients: Sequence[float], documents: int) -> float:
    if len(coefficients) != 4:
        raise MeasureError(b"trec_eval.calc_utility: improper number of coefficients\n")
    a, num_ret, num_rel = x.num_rel_ret, x.num_ret, x.num_rel
    value = coefficients[0] * a
    value += coefficients[1] * (num_ret - a)
    value += coefficients[2] * (num_rel - a)
    value += coefficients[3] * (documents + a - num_ret - num_rel)
    return value


def relstring(x: Vector, length: float) -> bytes:
    marks = {UNPOOLED: b"-", UNJUDGED: b"."}
    shown = x.v[: max(0, min(math.trunc(length), x.num_ret))]
    return b"".join(marks.get(v) or (b"%d" % v if v <= 9 else b">") for v in shown)


def yaap(x: Vector) -> float:
    total, _ = precisions_at_hits(x, x.num_ret)
    return log(divide(1 + total, 1 + x.num_rel - total))


# Recall levels.


def half_away(value: float) -> int:
    """C's ``round``."""
    below = math.floor(abs(value))
    nearest = below + 1 if abs(value) - below >= 0.5 else below
    return nearest if value >= 0 else -nearest


def interpolated(x: Vector, points: Sequence[float], *, rounded: bool) -> tuple[list[float], int]:
    """The precision at each point of recall, and how many points are in reach."""
    num_rel, num_rel_ret = x.num_rel, x.num_rel_ret
    if rounded:
        need = [half_away(point * num_rel) for point in points]
    else:
        need = [math.trunc(point * num_rel + 0.9) for point in points]
    values = [0.0] * len(points)
    k = len(points) - 1
    while k >= 0 and need[k] > num_rel_ret:
        k -= 1
    reached = k + 1
    best = divide(num_rel_ret, x.num_ret)
    left = num_rel_ret
    i = x.num_ret - 1
    while i >= 0 and left > 0:
        best = max(best, left / (i + 1))
        if x.hit(i):
            while k >= 0 and need[k] == left:
                values[k] = best
                k -= 1
            left -= 1
        i -= 1
    while k >= 0:
        values[k] = best
        k -= 1
    return values, reached


def average_interpolated(x: Vector, points: Sequence[float], *, rounded: bool) -> float:
    values, reached = interpolated(x, points, rounded=rounded)
    total = 0.0
    for k in reversed(range(reached)):
        total += values[k]
    return total / len(points)


# Incomplete judgments.


def bpref(x: Vector) -> float:
    num_rel = x.num_rel
    nonrelevant = sum(n for grade, n in x.counts.items() if grade < x.level)
    total, above = 0.0, 0
    for v in x.v:
        if v < 0:
            continue
        if v < x.level:
            above += 1
        elif above == 0:
            total += 1.0
        else:
            total += 1.0 - min(above, num_rel) / min(nonrelevant, num_rel)
    return total / num_rel if num_rel > 0 else 0.0


def log_of_bpref(x: Vector) -> float:
    return log(max(bpref(x), 1e-5))


def inferred_average_precision(x: Vector) -> float:
    e = 1e-5
    total, unjudged, nonrelevant, relevant = 0.0, 0, 0, 0
    for j, v in enumerate(x.v):
        if v == UNPOOLED:
            continue
        if v == UNJUDGED:
            unjudged += 1
        elif v < x.level:
            nonrelevant += 1
        else:
            relevant += 1
            if j == 0:
                total += 1.0
            else:
                f, r = float(j), relevant - 1
                total += 1.0 / (f + 1.0) + (f / (f + 1.0)) * ((r + nonrelevant + unjudged) / f) * (
                    (r + e) / (r + nonrelevant + 2 * e)
                )
    num_rel = x.num_rel
    return total / num_rel if num_rel > 0 else 0.0


# Gains.


class Entry(NamedTuple):
    level: int
    gain: float
    times: int


class Pair(NamedTuple):
    name: bytes
    value: float


_LEVEL = re.compile(rb"[+-]?[0-9]+")


def gain_table(x: Vector, pairs: Sequence[Pair], *, any_name: bool) -> list[Entry]:
    table = [
        Entry(atol(name), gain, 0) for name, gain in pairs if any_name or _LEVEL.fullmatch(name)
    ]
    named: dict[int, int] = {}
    for at, entry in enumerate(table):
        named.setdefault(entry.level, at)
    for grade in range(max(x.counts, default=-1) + 1):
        if grade in named:
            table[named[grade]] = table[named[grade]]._replace(times=x.counts.get(grade, 0))
        else:
            table.append(Entry(grade, float(grade), x.counts.get(grade, 0)))
    if not named:
        return table
    return merge_sort(table, lambda a, b: math.trunc(a.gain - b.gain))


def gain_of(table: Sequence[Entry]) -> dict[int, float]:
    gains: dict[int, float] = {}
    for entry in table:
        gains.setdefault(entry.level, entry.gain)
    return gains


def ideal_vector(table: Sequence[Entry]) -> list[float]:
    """The gains of the best ranking, as far as they are read."""
    gains: list[float] = []
    if not table or table[-1].gain <= 0:
        return gains
    for entry in reversed(table):
        if entry.times and entry.gain <= 0:
            break
        gains += [entry.gain] * entry.times
    return gains


def gains_and_ideal(
    x: Vector, pairs: Sequence[Pair], *, any_name: bool
) -> tuple[list[float], list[float]]:
    table = gain_table(x, pairs, any_name=any_name)
    gains = gain_of(table)
    return [gains.get(v, 0.0) for v in x.v], ideal_vector(table)


def discounted(gains: Sequence[float]) -> float:
    total = 0.0
    for i, gain in enumerate(gains):
        if gain != 0:
            total += gain / discount(i)
    return total


def dcg(x: Vector, pairs: Sequence[Pair], *, any_name: bool) -> float:
    return discounted(gains_and_ideal(x, pairs, any_name=any_name)[0])


def ideal_dcg(x: Vector, pairs: Sequence[Pair], *, any_name: bool) -> float:
    return discounted(gains_and_ideal(x, pairs, any_name=any_name)[1])


def ndcg(x: Vector, pairs: Sequence[Pair], *, any_name: bool) -> float:
    gains, ideal = gains_and_ideal(x, pairs, any_name=any_name)
    best = discounted(ideal)
    return discounted(gains) / best if best > 0 else 0.0


def ndcg_rel(x: Vector, pairs: Sequence[Pair], *, any_name: bool) -> float:
    gains, ideal = gains_and_ideal(x, pairs, any_name=any_name)
    total, seen, so_far, best = 0.0, 0, 0.0, 0.0
    for i, gain in enumerate(gains):
        if i < len(ideal):
            best += ideal[i] / discount(i)
        if gain != 0:
            so_far += gain / discount(i)
        if gain > 0:
            total += divide(so_far, best)
            seen += 1
    for i in range(len(gains), len(ideal)):
        best += ideal[i] / discount(i)
    total += divide((len(ideal) - seen) * so_far, best)
    return divide(total, len(ideal)) if total > 0 else 0.0


def rndcg(x: Vector, pairs: Sequence[Pair], *, any_name: bool) -> float:
    if x.num_rel == 0:
        return 0.0
    table = gain_table(x, pairs, any_name=any_name)
    gains, ideal = gains_and_ideal(x, pairs, any_name=any_name)
    now = table[-1].gain if table else 0.0
    total, points, so_far, best, i = 0.0, 0, 0.0, 0.0, 0
    while now > 0:
        old, now = now, ideal[i] if i < len(ideal) else 0.0
        if now != old and best > 0:
            total += so_far / best
            points += 1
        if i < len(gains):
            so_far += gains[i] / discount(i)
        if now > 0:
            best += now / discount(i)
        i += 1
    if i < len(gains):
        for j in range(i, len(gains)):
            so_far += gains[j] / discount(j)
        if best > 0:
            total += so_far / best
            points += 1
    return divide(total, points)


def g_measure(x: Vector, pairs: Sequence[Pair], *, any_name: bool) -> float:
    gains, ideal = gains_and_ideal(x, pairs, any_name=any_name)
    total, found, cost = 0.0, 0.0, 0.0
    for i, gain in enumerate(gains):
        found += gain
        cost += max(ideal[i] if i < len(ideal) else 0.0, 1.0)
        if gain != 0:
            total += divide(gain, log2(2 + cost - found))
    best = 0.0
    for gain in ideal:
        best += gain
    return total / best if best > 0 else 0.0


def bin_g(x: Vector) -> float:
    total, above, hits = 0.0, 0, 0
    for i in range(x.num_ret):
        if x.hit(i):
            hits += 1
            total += 1.0 / log2(2 + above)
        else:
            above += 1
    return divide(total, x.num_rel) if hits else 0.0


def ndcg_cut(x: Vector, cutoffs: Sequence[int]) -> list[float]:
    ideal = [grade for grade in sorted(x.counts, reverse=True) for _ in range(x.counts[grade])]
    values = []
    for cutoff in cutoffs:
        best = discounted(ideal[:cutoff])
        found = discounted([max(v, 0) for v in x.v[:cutoff]])
        values.append(found / best if best > 0 else 0.0)
    return values


def persistence(pairs: Sequence[Pair]) -> float:
    """The last one named."""
    return {b"p": 0.9, **dict(pairs)}[b"p"]


def rbp(x: Vector, pairs: Sequence[Pair]) -> float:
    table = gain_table(x, pairs, any_name=False)
    low = high = 0.0
    for entry in table:
        low, high = min(low, entry.gain), max(high, entry.gain)
    if low < 0 or high > 1:
        table = [entry._replace(gain=(entry.gain - low) / (high - low)) for entry in table]
    gains = gain_of(table)
    p = persistence(pairs)
    total, weight = 0.0, 1.0
    for v in x.v:
        total += gains.get(v, 0.0) * weight
        weight *= p
    return (1 - p) * total


def rbp_residual(x: Vector, pairs: Sequence[Pair]) -> float:
    p = persistence(pairs)
    total, weight = 0.0, 1.0
    for v in x.v:
        if v < 0:
            total += weight
        weight *= p
    return weight + (1 - p) * total if any(v < 0 for v in x.v) else 0.0


# Parameters.


def pieces(text: bytes) -> list[bytes]:
    return text.split(b",")


def integer_cutoffs(text: bytes) -> list[int]:
    cutoffs = sorted(atol(piece) for piece in pieces(text))
    if cutoffs[0] <= 0:
        raise ParametersError(b"trec_eval: Negative cutoff detected\n")
    if len(set(cutoffs)) < len(cutoffs):
        raise ParametersError(b"trec_eval: duplicate cutoffs detected\n")
    return cutoffs


def real_cutoffs(text: bytes) -> list[float]:
    cutoffs = sorted(atof(piece) for piece in pieces(text))
    if len(set(cutoffs)) < len(cutoffs):
        raise ParametersError(b"trec_eval: duplicate cutoffs detected\n")
    return cutoffs


def real_list(text: bytes) -> list[float]:
    return [atof(piece) for piece in pieces(text)]


def pair_list(text: bytes) -> list[Pair]:
    found = []
    for piece in pieces(text):
        if piece.count(b"=") != 1:
            raise ParametersError(b"trec_eval: malformed pair parameters in '%b'\n" % text)
        name, _, value = piece.partition(b"=")
        found.append(Pair(name, atof(value)))
    return found
