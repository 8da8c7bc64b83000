"""Rank-biased overlap of rankings with ties and of different lengths.

Printed numbers of Corsi & Urbano's own program and of the package ``rbo``, and the sums of the
definitions.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import stats


def kind_of(call: Callable[[], object]) -> str:
    """The kind of the error that a call raises."""
    with pytest.raises(cf.Error) as caught:
        call()
    return caught.value.kind


# What the program of Corsi & Urbano (rbo.py of sigir2024-rbo, commit 0338fd9) printed: ext, min,
# max. Parentheses hold tied items.
CORSI_URBANO = [
    (
        "k (c g) (a n)",
        "(c j k) (b g m) l i",
        0.8,
        "w",
        (0.5834436987012988, 0.5056646161437569, 0.6691791611197692),
    ),
    (
        "k (c g) (a n)",
        "(c j k) (b g m) l i",
        0.8,
        "a",
        (0.5250622984126984, 0.44855043432557506, 0.6120649793015874),
    ),
    (
        "k (c g) (a n)",
        "(c j k) (b g m) l i",
        0.8,
        "b",
        (0.6245982631807859, 0.5439507281006802, 0.7074652730766927),
    ),
    (
        "h (f l m n) e i (d g)",
        "c b h e i (a f j)",
        0.9,
        "w",
        (0.33955717310924366, 0.24206457399641995, 0.5164883467249108),
    ),
    (
        "h (f l m n) e i (d g)",
        "c b h e i (a f j)",
        0.9,
        "a",
        (0.34829633571428575, 0.2493969810132267, 0.5238207537417175),
    ),
    (
        "h (f l m n) e i (d g)",
        "c b h e i (a f j)",
        0.9,
        "b",
        (0.36074831517230227, 0.26106465976134147, 0.5354884324898324),
    ),
    (
        "f (g j k) (b d i)",
        "(b g i n) (a e f k)",
        0.9,
        "w",
        (0.5183040375, 0.35482176912367624, 0.6410669084999999),
    ),
    (
        "f (g j k) (b d i)",
        "(b g i n) (a e f k)",
        0.9,
        "a",
        (0.4719951991071429, 0.3099364334093905, 0.5961815727857142),
    ),
    (
        "f (g j k) (b d i)",
        "(b g i n) (a e f k)",
        0.9,
        "b",
        (0.49589878982107477, 0.33159926840090037, 0.6178444077772242),
    ),
    (
        "g (d n) h (e k)",
        "h (e g) (a f m n)",
        0.98,
        "w",
        (0.629752851106909, 0.1745850938884512, 0.9242910622049431),
    ),
    (
        "g (d n) h (e k)",
        "h (e g) (a f m n)",
        0.98,
        "a",
        (0.6295472204746666, 0.173162646798978, 0.9228686151154698),
    ),
    (
        "g (d n) h (e k)",
        "h (e g) (a f m n)",
        0.98,
        "b",
        (0.640555885928452, 0.17871033381263068, 0.9284163021291224),
    ),
    (
        "j h (i k) n",
        "(e f j l) i (a h) c",
        0.5,
        "w",
        (0.3592240441849817, 0.3559239134747077, 0.3645229987026862),
    ),
    (
        "j h (i k) n",
        "(e f j l) i (a h) c",
        0.5,
        "a",
        (0.26263950892857146, 0.25938945834650257, 0.2681888640873016),
    ),
    (
        "j h (i k) n",
        "(e f j l) i (a h) c",
        0.5,
        "b",
        (0.4221363479457718, 0.41884576851602856, 0.42776097096446863),
    ),
    (
        "a (c d g k) (b i) (f j)",
        "l (f g n) c m e",
        0.8,
        "w",
        (0.2374576657099763, 0.21163187026897815, 0.31387588089394786),
    ),
    (
        "a (c d g k) (b i) (f j)",
        "l (f g n) c m e",
        0.8,
        "a",
        (0.1907384685714286, 0.16494938797636882, 0.26750180330722084),
    ),
    (
        "a (c d g k) (b i) (f j)",
        "l (f g n) c m e",
        0.8,
        "b",
        (0.20347511547919092, 0.1776410021464308, 0.2803653606575932),
    ),
    (
        "(d k) l c a",
        "(e f k l) (c h) (j m)",
        0.5,
        "w",
        (0.38774604301948046, 0.38331735336814754, 0.39196794958513703),
    ),
    (
        "(d k) l c a",
        "(e f k l) (c h) (j m)",
        0.5,
        "a",
        (0.25212518601190476, 0.24819154167983593, 0.25699094742063494),
    ),
    (
        "(d k) l c a",
        "(e f k l) (c h) (j m)",
        0.5,
        "b",
        (0.4031640953776529, 0.39899695630633936, 0.4078806233045615),
    ),
]

# What rbo 0.1.3 of PyPI has for lists without ties; it demands an old numpy.
PYPI_RBO = [
    ("abcd", "bacd", 0.9, 0.9),
    ("abcde", "edcba", 0.5, 0.15104166666666666),
    ("abcdefg", "cgna", 0.9, 0.46742014285714287),
    ("nhmacfl", "cgna", 0.9, 0.49038364285714287),
]


def parsed(text: str) -> list[tuple[str, ...]]:
    """``a (b c)`` as [("a",), ("b", "c")]."""
    groups: list[tuple[str, ...]] = []
    inside = False
    for word in text.split():
        item = word.strip("()")
        groups = [*groups[:-1], (*groups[-1], item)] if inside else [*groups, (item,)]
        inside = (inside or word.startswith("(")) and not word.endswith(")")
    return groups


@pytest.mark.parametrize(("a", "b", "p", "ties", "expected"), CORSI_URBANO)
def test_overlap_is_corsi_and_urbanos(
    a: str, b: str, p: float, ties: Any, expected: tuple[float, float, float]
) -> None:
    found = stats.rbo(parsed(a), parsed(b), p=p, ties=ties)
    assert (found.ext, found.min, found.max) == pytest.approx(expected, abs=1e-14)
    assert found.res == found.max - found.min
    assert float(found) == found.statistic == found.ext


@pytest.mark.parametrize(("a", "b", "p", "expected"), PYPI_RBO)
def test_overlap_is_that_of_the_package_rbo(a: str, b: str, p: float, expected: float) -> None:
    assert stats.rbo(list(a), list(b), p=p).ext == pytest.approx(expected, abs=1e-14)


Groups = Sequence[Sequence[Any]]


def shares(groups: Groups, depth: int, ties: str) -> dict[Any, float]:
    """How much of each item is among the first ranks."""
    found: dict[Any, float] = {}
    start = 0
    for group in groups:
        above = min(max(depth - start, 0), len(group))
        for item in group:
            found[item] = float(above > 0) if ties == "w" else above / len(group)
        start += len(group)
    return found


def agreed(a: dict[Any, float], b: dict[Any, float], depth: int, ties: str) -> tuple[float, float]:
    """The common part of two prefixes, and what it would be if they agreed."""
    common = sum(a[item] * b[item] for item in a.keys() & b.keys())
    if ties == "w":
        return common, (sum(a.values()) + sum(b.values())) / 2
    if ties == "a":
        return common, depth
    squares = [sum(share**2 for share in side.values()) for side in (a, b)]
    return common, math.sqrt(squares[0] * squares[1])


def overlap_by_definition(a: Groups, b: Groups, p: float, ties: str) -> list[float]:
    """The extrapolated overlap and its bounds, as sums down to a depth that weighs nothing.

    The bounds are overlaps of rankings that go on with items that are the worst or the best.
    """
    deepest = 110
    short, long = sorted((list(a), list(b)), key=lambda groups: sum(map(len, groups)))
    flat = [[item for group in groups for item in group] for groups in (short, long)]
    only = [[i for i in flat[0] if i not in flat[1]], [i for i in flat[1] if i not in flat[0]]]
    s, n = map(len, flat)
    common = [(number,) for number in range(deepest)]
    fresh = [[((side, number),) for number in range(deepest)] for side in "sl"]
    worst = ([*short, *fresh[0]], [*long, *fresh[1]])
    best = (
        [*short, *((i,) for i in only[1]), *common],
        [*long, *((i,) for i in only[0]), *common],
    )
    totals = [0.0, 0.0, 0.0]
    at_short = 0.0
    for depth in range(1, deepest):
        weight = (1 - p) * p ** (depth - 1)
        for place, rankings in ((1, worst), (2, best)):
            x, y = (shares(ranking, depth, ties) for ranking in rankings)
            part, whole = agreed(x, y, depth, ties)
            totals[place] += weight * part / whole
            if place == 1 and depth == s:
                at_short = part / whole
        seen = shares(short, min(depth, n), ties), shares(long, min(depth, n), ties)
        x, y = (shares(ranking, depth, ties) for ranking in worst)
        _, whole = agreed(x, y, depth, ties)
        part = sum(seen[0][item] * seen[1][item] for item in seen[0].keys() & seen[1].keys())
        if depth > s:
            above = [seen[1][item] for item in only[1] if seen[1][item] > 0]
            mean = sum(above) / len(above) if above else 0.0
            part += (min(depth, n) - s) * at_short * mean
        totals[0] += weight * part / (n if depth > n else whole)
    return totals


@pytest.mark.parametrize("ties", ["w", "a", "b"])
def test_overlap_is_the_sum_of_its_definition(ties: Any) -> None:
    rng = random.Random(11)
    for _ in range(60):
        rankings = []
        for _ in range(2):
            items = rng.sample("abcdefghij", rng.randint(1, 8))
            groups: list[list[str]] = []
            for item in items:
                if groups and rng.random() < 0.4:
                    groups[-1].append(item)
                else:
                    groups.append([item])
            rankings.append(groups)
        p = rng.choice([0.1, 0.5, 0.7])
        found = stats.rbo(rankings[0], rankings[1], p=p, ties=ties)
        expected = overlap_by_definition(rankings[0], rankings[1], p, ties)
        assert [found.ext, found.min, found.max] == pytest.approx(expected, abs=1e-12)
        assert found == stats.rbo(rankings[1], rankings[0], p=p, ties=ties)


def test_overlap_by_uncertain_ties_is_the_mean_over_their_orders() -> None:
    a, b = ["x", ("y", "z"), "v"], [("z", "x", "w"), "y"]
    values = [
        stats.rbo(["x", *first, "v"], [*second, "y"], p=0.8)
        for first in itertools.permutations("yz")
        for second in itertools.permutations("zxw")
    ]
    found = stats.rbo(a, b, p=0.8, ties="a")
    for part in ("ext", "min", "max"):
        mean = np.mean([getattr(value, part) for value in values])
        assert getattr(found, part) == pytest.approx(mean, abs=1e-14)


def test_the_sum_of_overlap_is_right_for_patient_users() -> None:
    # With p near 1 the rest of the sum is most of it: all items in common, then none.
    a = list(range(10))
    found = stats.rbo(a, a, p=0.999999)
    expected = 1e-6 * sum(0.999999**d for d in range(10))
    expected += (
        1e-6 * 10 / 0.999999 * (math.log(1e6) - math.fsum(0.999999**d / d for d in range(1, 11)))
    )
    assert found.min == pytest.approx(expected, rel=1e-12)
    assert found.ext == found.max == pytest.approx(1.0, abs=1e-15)


def test_scores_make_ties() -> None:
    a, b = {"x": 3.0, "y": 1.0, "z": 1.0}, {"z": 2, "x": 2}
    treatments: list[Any] = ["w", "a", "b"]
    for ties in treatments:
        found = stats.rbo(a, b, ties=ties)
        assert found == stats.rbo(["x", {"y", "z"}], [["z", "x"]], ties=ties)


def test_a_ranking_overlaps_with_itself() -> None:
    tied = ["a", ("b", "c"), "d"]
    assert stats.rbo(tied, tied).ext == pytest.approx(1, abs=1e-15)
    assert stats.rbo(tied, tied, ties="b").ext == pytest.approx(1, abs=1e-15)
    assert stats.rbo(tied, tied, ties="a").ext < 1
    assert stats.rbo(["a"], ["b"]).ext == 0
    assert stats.rbo(range(1000), range(1000), p=0.5).ext <= 1


@pytest.mark.parametrize(
    ("ranking", "kind"),
    [
        ([], "undefined"),
        ({}, "undefined"),
        (["a", "b", "a"], "duplicate"),
        (["a", ("b", "a")], "duplicate"),
        ("abc", "type"),
        ({"a", "b"}, "type"),
        (3, "type"),
        ([{"a": 1}], "type"),
        ({"a": math.nan}, "number"),
        ({"a": "high"}, "type"),
    ],
)
def test_what_is_not_a_ranking_is_an_error(ranking: Any, kind: str) -> None:
    assert kind_of(lambda: stats.rbo(ranking, ["a"])) == kind
    assert kind_of(lambda: stats.rbo(["a"], ranking)) == kind


def test_a_persistence_of_0_sees_the_first_rank_only() -> None:
    # (1-0) 0^0 = 1 at depth 1, 0 below: the agreement of the first rank (Webber et al., section 4).
    for b, expected in ((["a", "x", "y"], 1.0), (["b", "a"], 0.0)):
        found = stats.rbo(["a", "b"], b, p=0)
        assert (found.ext, found.min, found.max) == (expected, expected, expected)
    # Of two tied items half of each is at rank 1: agreement 2 (1/2) (1/2) / 1.
    assert stats.rbo([["a", "b"]], [["a", "b"]], p=0, ties="a").ext == 0.5


@pytest.mark.parametrize("p", [1, -0.5, math.nan])
def test_p_is_from_0_to_below_1(p: float) -> None:
    assert kind_of(lambda: stats.rbo(["a"], ["a"], p=p)) == "option"
