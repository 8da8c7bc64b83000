"""The order of runs under two judges: auto-judge-evaluate (recorded), arithmetic, plain loops."""

from __future__ import annotations

import math
from fractions import Fraction

import cranfield as cf
import numpy as np
import pytest
from cranfield import judges, stats

from tests.against import answer_cases
from tests.against.recorded_answers import recorded


def scores(values: list[list[float]], measure: str = "AP") -> cf.Scores:
    """Scores of runs a, b, c ... on topics 1, 2 ..."""
    return cf.Scores.from_records(
        [
            (chr(97 + run), str(topic), measure, value)
            for run, row in enumerate(values)
            for topic, value in enumerate(row, 1)
        ]
    )


def test_auto_judge_evaluate_computes_the_same() -> None:
    for case, (gap, ap) in enumerate(recorded("orders")):
        gold, other = answer_cases.orders(case)
        if gap is not None:
            assert stats.tau_gap(gold, other).statistic == pytest.approx(gap, abs=1e-12), case
        if ap is not None:
            ours = stats.tau_ap(other, gold, ties="b").statistic
            assert ours == pytest.approx(ap, abs=1e-12), case


def test_tau_gap_in_fractions() -> None:
    gold = [Fraction(9, 10), Fraction(8, 10), Fraction(7, 10), Fraction(4, 10)]
    # In the order b, a, c, d: 0 of 1/10; 3/10 of 3/10; 12/10 of 12/10.
    found = stats.tau_gap([float(g) for g in gold], [0.6, 0.8, 0.5, 0.1])
    assert found.statistic == pytest.approx(2 * (0 + 1 + 1) / 3 - 1, abs=1e-12)
    for truth, estimate, kind in (
        ([1, 1], [1, 2], "undefined"),
        ([1], [1], "undefined"),
        ([1, math.nan], [1, 2], "number"),
        ([1, 2], [1], "type"),
        ("ab", [1, 2], "type"),
    ):
        with pytest.raises(cf.Error) as caught:
            stats.tau_gap(truth, estimate)
        assert caught.value.kind == kind


def test_tau_of_the_best() -> None:
    gold, other = [0.9, 0.8, 0.7, 0.4], [0.6, 0.8, 0.5, 0.1]
    assert stats.kendall(gold, other).statistic == pytest.approx(2 / 3)
    assert stats.kendall(gold, other, top=2).statistic == -1
    assert stats.kendall(gold, other, top=9).statistic == pytest.approx(2 / 3)
    with pytest.raises(cf.Error, match="at least 2"):
        stats.kendall(gold, other, top=1)


def test_equal_orders_with_ties() -> None:
    means = scores([[0.3, 0.3], [0.2, 0.2], [0.2, 0.2], [0.0, 0.0], [0.0, 0.0]])
    found = judges.order(means, means, resamples=10)
    assert (found.tau, found.tau_ap_b, found.tau_gap) == (1, 1, 1)
    # The mean over the orders of what is tied, which a tie with itself lowers.
    assert found.tau_ap == stats.tau_ap([5, 4, 4, 2, 2], [5, 4, 4, 2, 2]).statistic < 1


def test_what_happens_at_the_top() -> None:
    gold = scores([[0.9, 0.9], [0.8, 0.8], [0.7, 0.7], [0.4, 0.4]])
    other = scores([[0.6, 0.6], [0.8, 0.8], [0.5, 0.5], [0.7, 0.7]])
    found = judges.order(gold, other, top=3, resamples=50)
    # Under the other judge b, d, a, c: a falls from 1 to 3, d rises from 4 to 2.
    assert (found.runs, found.top) == (4, 3)
    assert found.inverted_pairs == 1
    assert (found.largest_shift_run, found.largest_shift) == ("a", -2)
    assert (found.largest_drop_run, found.largest_drop) == ("a", 2)
    assert found.tau == pytest.approx(0)
    assert found.tau_top == pytest.approx(1 / 3)
    assert found.tau_gap == pytest.approx(
        stats.tau_gap([0.9, 0.8, 0.7, 0.4], [0.6, 0.8, 0.5, 0.7]).statistic
    )
    # All topics are alike, so resampling changes nothing.
    assert (found.tau_low, found.tau_high) == (found.tau, found.tau)


def test_the_interval_of_tau_by_a_plain_loop() -> None:
    chance = np.random.default_rng(1)
    values = chance.random((5, 12))
    gold, other = (scores(one.tolist()) for one in (values, values + 0.3 * chance.random((5, 12))))
    found = judges.order(gold, other, resamples=200, seed=4, level=0.9)
    drawn = cf._core.drawn_topics(12, resamples=200, seed=4)
    a, b = (one.sel(topic=gold.topics).values[:, :, 0] for one in (gold, other))
    taus = [
        stats.kendall(a[:, topics].mean(axis=1), b[:, topics].mean(axis=1)).statistic
        for topics in drawn
    ]
    assert (found.tau_low, found.tau_high) == pytest.approx(tuple(np.quantile(taus, [0.05, 0.95])))
    assert found == judges.order(gold, other, resamples=200, seed=4, level=0.9)


def test_a_measure_of_which_less_is_better() -> None:
    gold, other = (
        scores([[0.1], [0.2], [0.4]], "E"),
        scores([[0.1], [0.2], [0.4]], "E"),
    )
    found = judges.order(gold, other, top=2, resamples=20)
    assert found.tau == 1
    turned = judges.order(scores([[0.9], [0.2], [0.4]], "E"), other, top=2, resamples=20)
    # Under gold b, c, a, under the other a, b, c: b and c fall by 1, b is the first of them.
    assert (turned.largest_drop_run, turned.largest_drop) == ("b", 1)


def test_a_geometric_mean_is_ordered_by_itself() -> None:
    gold = scores([[0.5, 0.5], [1.0, 0.01]], "GMAP")
    found = judges.order(gold, gold, resamples=20)
    assert found.tau == 1
    assert math.isnan(found.tau_low)


def test_scores_that_do_not_fit() -> None:
    one = scores([[0.1], [0.2]])
    for other, what in ((scores([[0.1]]), "runs"), (scores([[0.1, 1], [0.2, 1]]), "topics")):
        with pytest.raises(cf.Error, match=f"the same {what} under both judges"):
            judges.order(one, other)
    with pytest.raises(cf.Error, match="at least two runs"):
        judges.order(scores([[0.1]]), scores([[0.1]]))
    with pytest.raises(cf.Error, match="at least 2"):
        judges.order(one, one, top=1)


def test_all_runs_alike() -> None:
    flat = scores([[0.5, 0.5], [0.5, 0.5]])
    found = judges.order(flat, flat, resamples=20)
    assert math.isnan(found.tau)
    assert found.inverted_pairs == 0
