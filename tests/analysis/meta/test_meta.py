"""Measures as the object of study: means, standard scores, correlations, and what is refused."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import collection, meta
from scipy import stats as scipy_stats

from tests.analysis.meta.small import drawn, example, refused, with_values


def test_best_and_worst_runs() -> None:
    values = drawn(9, 7)
    scores = with_values(values)
    means = values.mean(axis=1)[:, 1]
    order = sorted(range(9), key=lambda i: (-means[i], i))
    assert meta.best(scores, 4, "nDCG").runs == tuple(f"r{i}" for i in order[:4])
    assert meta.best(scores, 99, cf.nDCG).runs == tuple(f"r{i}" for i in order)
    # A quarter of 9 is 2; of 4 exactly 1.
    left = set(order[:-2])
    assert meta.drop_worst(scores, 0.25, "nDCG").runs == tuple(f"r{i}" for i in sorted(left))
    four = with_values(drawn(4, 7))
    assert len(meta.drop_worst(four, 0.25, "AP").runs) == 3
    assert meta.drop_worst(four, 0, "AP").runs == four.runs
    # .29 times 100 is a little less than 29 in binary.
    assert len(meta.drop_worst(with_values(drawn(100, 3)), 0.29, "AP").runs) == 71


@pytest.mark.parametrize("ddof", [0, 1])
def test_standardised_scores(ddof: int) -> None:
    values, other = drawn(5, 6, seed=5), drawn(7, 6, seed=6)
    values[:, 2, 0] = 0.3
    other[:, 4, 1] = 0.1
    for reference in (None, other):
        usual = values if reference is None else reference
        scores, by = with_values(values), None if reference is None else with_values(reference)
        found = {
            method: meta.standardize(scores, by, ddof=ddof, method=method).values
            for method in ("z", "cdf", "AB")
        }
        found["A"] = meta.standardize(scores, by, ddof=ddof, method="AB", scale=1, shift=0).values
        for topic, m in itertools.product(range(6), range(2)):
            column = [float(x) for x in usual[:, topic, m]]
            mean = math.fsum(column) / len(column)
            squares = math.fsum((x - mean) ** 2 for x in column) / (len(column) - ddof)
            for run in range(5):
                equal = len(set(column)) == 1
                z = 0.0 if equal else (values[run, topic, m] - mean) / math.sqrt(squares)
                at = run, topic, m
                assert found["z"][at] == pytest.approx(z, abs=1e-12)
                assert found["cdf"][at] == pytest.approx(scipy_stats.norm.cdf(z), abs=1e-12)
                assert found["AB"][at] == pytest.approx(min(max(0.15 * z + 0.5, 0), 1), abs=1e-12)
                assert found["A"][at] == pytest.approx(min(max(z, 0), 1), abs=1e-12)
    standard = meta.standardize(with_values(values))
    assert (standard.runs, standard.topics, standard.measures) == (
        scores.runs,
        scores.topics,
        scores.measures,
    )


def test_scores_standardised_by_themselves_have_mean_0_and_deviation_1() -> None:
    values = meta.standardize(with_values(drawn(9, 5, seed=7))).values
    np.testing.assert_allclose(values.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(values.std(axis=0, ddof=1), 1, rtol=1e-12)


def test_correlation_of_measures_is_that_of_their_means() -> None:
    values = drawn(12, 5, 3, seed=8)
    scores = with_values(values)
    means = values.mean(axis=1)
    of_scipy: dict[str, Callable[..., Any]] = {
        "kendall": scipy_stats.kendalltau,
        "spearman": scipy_stats.spearmanr,
        "pearson": scipy_stats.pearsonr,
    }
    for method, function in of_scipy.items():
        found = meta.correlation(scores, method)
        assert found.labels == scores.measures
        for i, j in itertools.product(range(3), repeat=2):
            expected = function(means[:, i], means[:, j]).statistic
            assert found.values[i, j] == pytest.approx(expected, rel=1e-12)
    rms = meta.correlation(scores, "rms_error")["AP", "nDCG"]
    assert rms == pytest.approx(math.sqrt(((means[:, 0] - means[:, 1]) ** 2).mean()), rel=1e-12)
    power = meta.discriminative_power(scores)
    by_pvalue = meta.correlation(power)["AP", "nDCG"]
    expected = scipy_stats.kendalltau(power.pvalues[0], power.pvalues[1]).statistic
    assert by_pvalue == pytest.approx(expected, rel=1e-12)


TIES = np.array([[0.1, 0.2, 0.3] * 2, [0.3, 0.2, 0.1] * 2, [0.9] * 6])[:, :, None]
"""Two runs with the same scores in another order: their sums differ in the last bit."""


def test_means_that_differ_by_rounding_are_tied() -> None:
    assert np.add.reduce(TIES[0, :3, 0]) != np.add.reduce(TIES[1, :3, 0])
    values = np.concatenate(
        [TIES[:, :3], np.array([[1, 1, 1], [2, 2, 2], [3, 3, 3]])[:, :, None]], 2
    )
    # Concordant 2 of 3 pairs, one tied in the first: 2 / sqrt(2 * 3).
    found = meta.correlation(with_values(values))["AP", "nDCG"]
    assert found == pytest.approx(2 / math.sqrt(6), rel=1e-15)
    swaps = meta.swap_rate(with_values(TIES[:2]), samples=200, topics=3)
    # Different sets of topics with means apart are at least 1/30 apart.
    assert swaps.comparisons[0, :3].sum() == 0
    assert swaps.comparisons.sum() > 0


# Errors


def test_what_cannot_be_done_is_an_error() -> None:
    scores = with_values(drawn(4, 6))
    one_run, one_topic = with_values(drawn(1, 6)), with_values(drawn(4, 1))
    holes = drawn(4, 6)
    holes[1, 2, 0] = np.nan
    with_holes = with_values(holes)
    studies: list[Callable[[cf.Scores], object]] = [
        meta.discriminative_power,
        meta.swap_rate,
        meta.predictivity,
        meta.g_study,
        lambda s: meta.topic_set_size(s, [2]),
    ]
    for study in (*studies, meta.correlation):
        kind, message = refused(partial(study, with_holes))
        assert kind == "undefined"
        assert 'missing="zero"' in message
        few = "expected at least 2 runs, found 1"
        assert refused(partial(study, one_run)) == ("option", few)
    for study in studies:
        few = "expected at least 2 topics, found 1"
        assert refused(partial(study, one_topic)) == ("option", few)
    for alpha in (0, 1, float("nan")):
        assert refused(partial(meta.discriminative_power, scores, alpha=alpha))[0] == "option"
    kind, message = refused(lambda: meta.discriminative_power(scores, "z"))
    assert (kind, "tukey_randomized" in message, "'z'" in message) == ("option", True, True)
    for share in (-0.1, 1):
        assert refused(partial(meta.drop_worst, scores, share, "AP"))[0] == "option"
    other = with_values(drawn(4, 5))
    assert refused(lambda: meta.standardize(scores, other))[0] == "option"
    assert refused(lambda: meta.standardize(one_run))[0] == "option"
    assert meta.standardize(one_run, ddof=0).values.tolist() == np.zeros((1, 6, 2)).tolist()
    assert refused(lambda: meta.standardize(scores, method="B"))[0] == "option"
    assert refused(lambda: meta.correlation(scores, "tau"))[0] == "option"
    assert refused(lambda: meta.swap_rate(scores, "other"))[0] == "option"
    assert "sets of 1 to 3 of 6" in refused(lambda: meta.swap_rate(scores, topics=4))[1]
    assert refused(lambda: meta.swap_rate(scores, "replacement", topics=0))[0] == "option"
    assert meta.swap_rate(scores, "replacement", topics=9, samples=2).topics == 9
    assert "sets of 1 to 3 of 6" in refused(lambda: meta.predictivity(scores, topics=4))[1]
    for size in (1, 7):
        message = f"expected sizes from 2 to 6, found [2, {size}]"
        assert refused(partial(meta.topic_set_size, scores, [2, size])) == ("option", message)


def test_measures_and_depths_that_are_not_there() -> None:
    scores = with_values(drawn(3, 4))
    found = meta.discriminative_power(scores)
    for call in (
        lambda: meta.best(scores, 2, "P@7"),
        lambda: meta.drop_worst(scores, 0.5, "P@7"),
        lambda: found.p_values("P@7"),
        lambda: found.curve("P@7"),
    ):
        assert refused(call) == ("label", "no measure 'P@7'; there are: AP, nDCG")
    # The spelling does not matter.
    assert found.curve("map").tolist() == found.curve(cf.AP).tolist()
    qrels, runs = example()
    assert refused(lambda: meta.sweep(runs, qrels, [5], [5], ["bpref"]))[0] == "parameter"
    assert refused(lambda: meta.sweep(runs, qrels, [5], [0], ["P"]))[0] == "parameter"
    ranked = collection.rank(qrels, runs)
    assert refused(lambda: meta.imperfection(qrels, ranked, "AP", [0.5]))[0] == "needs"
    assert refused(lambda: meta.incompleteness(qrels, runs, "AP", [0]))[0] == "option"
    other = cf.Qrels(qrels.to_dict())
    assert refused(lambda: meta.sweep(ranked, other, [5], [5], ["P"]))[0] == "option"


def test_a_measure_is_looked_up_with_all_that_it_found() -> None:
    good = {str(t): {"a": 2.0, "b": 1.0} for t in range(6)}
    poor = {str(t): {"b": 2.0, "a": 1.0} for t in range(6)}
    qrels = {str(t): {"a": 1, "b": 0} for t in range(6)}
    scores = cf.evaluate(qrels, {"good": good, "same": good, "poor": poor}, "AP P@2")
    found = meta.discriminative_power(scores)
    one = found["map"]
    assert (one.power, one.power_of_different) == (2 / 3, 1.0)
    assert one.significant.tolist() == [
        [False, False, True],
        [False, False, True],
        [True, True, False],
    ]
    assert one.p_values.tolist() == found.p_values("AP").tolist()
    assert one.curve.tolist() == [1.0, 0.0, 0.0]
    assert one.required_difference == 0.5
    assert found["P@2"].power == found["P@2"].power_of_different == 0
    with pytest.raises(cf.LabelError):
        found["RR"]
    with pytest.raises(cf.Error, match="judgments first"):
        meta.sweep(cf.Qrels(qrels), good, [1], [1], ["P"])
