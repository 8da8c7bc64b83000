"""The preference measures of trec_eval, straight from their definitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tests.against.slow.trec_eval_c import divide
from tests.against.slow.trec_eval_measures import MeasureError


class AbortedError(Exception):
    """Preferences that contradict each other: the program aborts."""


class Judgment(NamedTuple):
    group: bytes
    subgroup: bytes
    document: bytes
    level: float


class Group(NamedTuple):
    """A judgment group. Documents are ids; ids below ``retrieved`` are ranks."""

    preferred: list[tuple[int, int]]
    retrieved: int
    relevant: list[int]
    nonrelevant: list[int]
    classes: list[list[int]] | None  # of a group with one sub-group, best first
    level: dict[int, float]

    def counts(self) -> Counts:
        k = self.retrieved
        ful_ret = ful_imp = unful_ret = unful_imp = notoccur = 0
        for x, y in self.preferred:
            if x >= k and y >= k:
                notoccur += 1
            elif x < y:
                ful_ret += y < k
                ful_imp += y >= k
            else:
                unful_ret += x < k
                unful_imp += x >= k
        return Counts(ful_ret, ful_imp, unful_ret, unful_imp, notoccur)


class Counts(NamedTuple):
    ful_ret: int
    ful_imp: int
    unful_ret: int
    unful_imp: int
    notoccur: int

    @property
    def ful(self) -> int:
        return self.ful_ret + self.ful_imp

    @property
    def poss_ret(self) -> int:
        return self.ful_ret + self.unful_ret

    @property
    def poss_ret_imp(self) -> int:
        return self.poss_ret + self.ful_imp + self.unful_imp

    @property
    def poss(self) -> int:
        return self.poss_ret_imp + self.notoccur


class Preferences(NamedTuple):
    groups: list[Group]
    counts: list[Counts]
    retrieved: int
    documents: int
    pairs: list[tuple[int, int, int, int]]
    """Ids x < y, in how many groups x is over y, and y over x: all with a retrieved y first."""


def preferences(ranking: Sequence[bytes], judgments: Sequence[Judgment]) -> Preferences:
    judged = {judgment.document for judgment in judgments}
    found = [document for document in ranking if document in judged]
    names = found + sorted(judged - set(found))
    number = {document: i for i, document in enumerate(names)}
    groups = []
    for name in sorted({judgment.group for judgment in judgments}):
        lines = [judgment for judgment in judgments if judgment.group == name]
        form = simple if len({line.subgroup for line in lines}) == 1 else partial
        groups.append(form(lines, number, names, len(found)))
    k = len(found)
    times: dict[tuple[int, int], int] = {}
    for group in groups:
        for pair in group.preferred:
            times[pair] = times.get(pair, 0) + 1
    compared = sorted({(x, y) if x < y else (y, x) for x, y in times})
    compared = [pair for pair in compared if pair[1] < k] + [p for p in compared if p[1] >= k]
    pairs = [(x, y, times.get((x, y), 0), times.get((y, x), 0)) for x, y in compared]
    counts = [group.counts() for group in groups]
    return Preferences(groups, counts, k, len(names), pairs)


def classes_of(
    lines: Sequence[Judgment], number: dict[bytes, int]
) -> list[tuple[float, list[int]]]:
    levels = sorted({line.level for line in lines}, reverse=True)
    return [
        (level, sorted(number[line.document] for line in lines if line.level == level))
        for level in levels
    ]


def each_over(classes: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Each member of a class over each member of a lower one."""
    return [
        (x, y)
        for higher in range(len(classes))
        for lower in range(higher + 1, len(classes))
        for x in classes[higher]
        for y in classes[lower]
    ]


def simple(
    lines: Sequence[Judgment], number: dict[bytes, int], names: Sequence[bytes], retrieved: int
) -> Group:
    ranked = classes_of(lines, number)
    level: dict[int, float] = {}
    for value, members in ranked:
        for member in members:
            if level.setdefault(member, value) != value:
                raise MeasureError(
                    f"trec_eval.form_prefs_counts: Internal docid {member} "
                    "occurs with different rel_level in same jsg\n".encode()
                )
    return Group(
        each_over([members for _, members in ranked]),
        retrieved,
        relevant=[m for value, members in ranked if value > 0 for m in members],
        nonrelevant=[m for value, members in ranked if value <= 0 for m in members],
        classes=[members for _, members in ranked],
        level=level,
    )


def partial(
    lines: Sequence[Judgment], number: dict[bytes, int], names: Sequence[bytes], retrieved: int
) -> Group:
    preferred: set[tuple[int, int]] = set()
    level: dict[int, float] = {}
    for name in sorted({line.subgroup for line in lines}):
        ranked = classes_of([line for line in lines if line.subgroup == name], number)
        preferred |= set(each_over([members for _, members in ranked]))
        for value, members in ranked:
            for member in members:
                before = level.get(member, value)
                if (before == 0 and value > 0) or (before > 0 and value == 0):
                    raise MeasureError(
                        b"trec_eval.form_prefs_counts: doc '%b' has both 0 and non-0 "
                        b"rel_level assigned\n" % names[member]
                    )
                level[member] = value
    for middle in range(len(names)):
        worse = [y for x, y in preferred if x == middle]
        preferred |= {(x, y) for x, z in preferred if z == middle for y in worse}
    # A document that one sub-group has at two grades is not preferred over itself.
    preferred = {(x, y) for x, y in preferred if x != y}
    for x, y in sorted(preferred):
        if (y, x) in preferred:
            raise AbortedError(
                b"trec_eval.form_prefs_counts: Pref inconsistency found\n"
                b"      internal rank %d and internal rank %d are conflicted\n" % (x, y)
            )
    return Group(
        sorted(preferred),
        retrieved,
        relevant=sorted(m for m, value in level.items() if value > 0),
        nonrelevant=sorted(m for m, value in level.items() if value == 0),
        classes=None,
        level=level,
    )


# Measures.


def share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def num_prefs_poss(p: Preferences) -> int:
    return sum(c.poss for c in p.counts)


def num_prefs_ful(p: Preferences) -> int:
    return sum(c.ful for c in p.counts)


def num_prefs_ful_ret(p: Preferences) -> int:
    return sum(c.ful_ret for c in p.counts)


def simp(p: Preferences) -> float:
    return share(sum(c.ful for c in p.counts), sum(c.poss for c in p.counts))


def simp_ret(p: Preferences) -> float:
    return share(sum(c.ful_ret for c in p.counts), sum(c.poss_ret for c in p.counts))


def simp_imp(p: Preferences) -> float:
    return share(sum(c.ful for c in p.counts), sum(c.poss_ret_imp for c in p.counts))


def mean_over_groups(p: Preferences, values: Sequence[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total / len(p.groups)


def avgjg(p: Preferences) -> float:
    return mean_over_groups(p, [share(c.ful, c.poss) for c in p.counts])


def avgjg_ret(p: Preferences) -> float:
    return mean_over_groups(p, [share(c.ful_ret, c.poss_ret) for c in p.counts])


def avgjg_imp(p: Preferences) -> float:
    return mean_over_groups(p, [share(c.ful, c.poss_ret_imp) for c in p.counts])


def mean_over_pairs(p: Preferences, *, rows: int, columns: int) -> float:
    """The mean share of x over y among ids x < y, x below ``rows``, y below ``columns``."""
    total, compared = 0.0, 0
    for x, y, forth, back in p.pairs:
        if x < rows and y < columns:
            compared += 1
            if x < p.retrieved:
                total += forth / (forth + back)
    return share(total, compared)


def pair(p: Preferences) -> float:
    return mean_over_pairs(p, rows=p.documents, columns=p.documents)


def pair_ret(p: Preferences) -> float:
    return mean_over_pairs(p, rows=p.retrieved, columns=p.retrieved)


def pair_imp(p: Preferences) -> float:
    return mean_over_pairs(p, rows=p.retrieved, columns=p.documents)


def against_nonrelevant(
    group: Group, allowed: int, level_zero_allowed: int, wanted: Callable[[int], bool]
) -> float:
    """The share of fulfilled preferences if only some nonrelevant documents are kept."""
    k = group.retrieved
    if group.classes is not None:
        classes = [[m for m in members if wanted(m)] for members in group.classes]
        kept = classes[-1][:allowed]
        compared = each_over(classes[:-1])
        compared += [(x, y) for members in classes for x in members for y in kept]
    else:
        zeros = sorted(m for m, value in group.level.items() if value == 0)
        dropped = set(zeros[level_zero_allowed:])
        compared = [
            (x, y)
            for x, y in group.preferred
            if x not in dropped and y not in dropped and wanted(x) and wanted(y)
        ]
    fulfilled = sum(1 for x, y in compared if x < k and x < y)
    return divide(fulfilled, len(compared))


def avgjg_rnonrel(p: Preferences) -> float:
    values = []
    for group, c in zip(p.groups, p.counts, strict=True):
        r, m = len(group.relevant), len(group.nonrelevant)
        if r >= m:
            found = sum(1 for x in group.relevant if x < p.retrieved)
            values.append(divide(c.ful + found * (r - m), c.poss + r * (r - m)))
        else:
            values.append(against_nonrelevant(group, r, r, lambda _: True))
    total = 0.0
    for value in values:
        total += value
    return total / len(p.groups) if total > 0 else 0.0


def avgjg_rnonrel_ret(p: Preferences) -> float:
    values = []
    for group, c in zip(p.groups, p.counts, strict=True):
        r = sum(1 for x in group.relevant if x < p.retrieved)
        m = sum(1 for x in group.nonrelevant if x < p.retrieved)
        if r >= m:
            all_relevant = len(group.relevant)
            values.append(divide(c.ful_ret + r * (r - m), c.poss_ret + all_relevant * (r - m)))
        else:
            values.append(
                against_nonrelevant(group, r, len(group.relevant), lambda x: x < p.retrieved)
            )
    total = 0.0
    for value in values:
        total += value
    return total / len(p.groups) if total > 0 else 0.0
