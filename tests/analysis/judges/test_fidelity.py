"""What tests conclude under two judges: counted by hand, and from the tests themselves."""

from __future__ import annotations

import math

import cranfield as cf
import numpy as np
import pytest
from cranfield import judges, stats
from cranfield._analysis import judges as agreement


def test_counts_by_hand() -> None:
    yes, no = True, False
    # AA, MA (gold alone), MA (other alone), PA, PD, AD.
    first = np.array([0.3, 0.2, 0.1, 0.1, 0.1, 0.4])
    second = np.array([0.2, 0.1, 0.2, 0.1, -0.1, -0.4])
    found = agreement.counted(
        (first, np.array([yes, yes, no, no, no, yes])),
        (second, np.array([yes, no, yes, no, no, yes])),
        "AP",
        ("t", "holm", 0.05),
    )
    assert (found.both_same, found.both_opposite) == (1, 1)
    assert (found.gold_only, found.other_only, found.one_opposite) == (1, 1, 0)
    assert (found.neither_same, found.neither_opposite) == (1, 1)
    assert found.precision == pytest.approx(1 / 3)
    assert found.recall == pytest.approx(1 / 3)


def test_a_difference_of_0_agrees_only_with_one_of_0() -> None:
    none = np.array([False, False])
    found = agreement.counted(
        (np.array([0.0, 0.0]), none), (np.array([0.0, 0.1]), none), "AP", ("t", "holm", 0.05)
    )
    assert (found.neither_same, found.neither_opposite) == (1, 1)
    assert math.isnan(found.precision)
    assert math.isnan(found.recall)


@pytest.mark.parametrize("test", ["t", "randomization", "tukey"])
def test_the_tests_are_those_of_stats(test: str) -> None:
    chance = np.random.default_rng(3)
    base = chance.random(25)
    shift = np.array([0.0, 0.1, 0.3, 0.35])[:, None]
    values = base + shift + 0.15 * chance.random((4, 25))
    both = [
        cf.Scores.from_records(
            [
                (f"r{run}", str(topic), "AP", float(value))
                for run, row in enumerate(one)
                for topic, value in enumerate(row)
            ]
        )
        for one in (values, values + 0.1 * chance.random((4, 25)))
    ]
    found = judges.fidelity(*both, test=test)
    decided = []
    for one in both:
        tested = getattr(stats, {"t": "t_test", "tukey": "tukey_hsd"}.get(test, f"{test}_test"))(
            one
        )
        tested = tested if test == "tukey" else tested.corrected("holm")
        decided.append((tested.significant(), np.sign(tested.difference)))
    (a, sign_a), (b, sign_b) = decided
    assert found.both_same == (a & b & (sign_a == sign_b)).sum()
    assert found.gold_only == (a & ~b).sum()
    assert found.other_only == (b & ~a).sum()
    assert found.correction == ("none" if test == "tukey" else "holm")
    total = (
        found.both_same
        + found.both_opposite
        + found.gold_only
        + found.other_only
        + found.neither_same
        + found.neither_opposite
    )
    assert total == 6


def test_geometric_means_are_not_tested() -> None:
    scores = cf.Scores.from_records([("a", "1", "GMAP", 0.1), ("b", "1", "GMAP", 0.2)])
    with pytest.raises(cf.Error, match="geometric mean"):
        judges.fidelity(scores, scores)
