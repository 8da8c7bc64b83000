"""Corrections, intervals of means and effect sizes, against scipy and numpy."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import _core
from numpy.typing import NDArray
from scipy import stats as scipy_stats

from tests import ROOT
from tests.stats.tables import sides, table

Floats = NDArray[np.float64]

VECTORS = ROOT / "rust/core/tests/data/vectors.json"


def record(name: str) -> dict[str, Any]:
    records = json.loads(VECTORS.read_text())
    return next(record for record in records if record["name"] == name)


def test_holm_is_the_worked_record() -> None:
    holm = record("holm")
    pvalues = [float(Fraction(p)) for p in holm["params"]["p"]]
    expected = [float(Fraction(holm["expected"][f"adj_{k}"])) for k in range(len(pvalues))]
    np.testing.assert_allclose(cf.stats.correct(pvalues, "holm"), expected, rtol=1e-15)


@pytest.mark.parametrize("ties", [False, True])
def test_corrections(ties: bool) -> None:
    pvalues = np.random.default_rng(15).beta(0.3, 1, 200)
    if ties:
        pvalues = np.round(pvalues, 2)
    theirs = scipy_stats.false_discovery_control(pvalues)
    np.testing.assert_allclose(cf.stats.correct(pvalues, "bh"), theirs, rtol=1e-12)
    np.testing.assert_array_equal(
        cf.stats.correct(pvalues, "bonferroni"), np.minimum(1, pvalues * 200)
    )
    # Holm's procedure itself: the smallest first, until one is not rejected
    holm = cf.stats.correct(pvalues)
    for alpha in (0.01, 0.05, 0.5):
        rejected = np.zeros(200, dtype=bool)
        for step, at in enumerate(np.argsort(pvalues, kind="stable")):
            if pvalues[at] * (200 - step) >= alpha:
                break
            rejected[at] = True
        np.testing.assert_array_equal(holm < alpha, rejected)
    shaped = cf.stats.correct(pvalues.reshape(20, 10))
    np.testing.assert_array_equal(shaped.reshape(-1), holm)
    assert cf.stats.correct([], "bh").shape == (0,)


def test_a_correction_is_applied_once() -> None:
    found = cf.stats.t_test(table(5, 20, seed=16))
    holm = found.corrected("holm")
    assert type(holm) is type(found)
    np.testing.assert_array_equal(holm.pvalue, cf.stats.correct(found.pvalue))
    assert (holm.correction, found.correction) == ("holm", None)
    with pytest.raises(cf.Error, match="corrected already: holm") as caught:
        holm.corrected("bh")
    assert caught.value.kind == "option"


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("topics", [5, 50])
def test_bootstrap_intervals_are_scipys(topics: int, method: str) -> None:
    scores = table(4, topics, seed=17)
    found = cf.stats.t_test(scores)
    interval = found.confidence_interval(0.9, method, resamples=999, seed=8)
    means = cf.stats.mean_interval(scores, level=0.9, method=method, resamples=999, seed=8)
    drawn = _core.drawn_topics(topics, resamples=999, seed=8)
    samples = [scores[a] - scores[b] for a, b in found.pairs]
    lows = [*interval.low, *means.low]
    highs = [*interval.high, *means.high]
    for sample, low, high in zip([*samples, *scores], lows, highs, strict=True):
        expected = scipy_stats.bootstrap(
            (sample,),
            np.mean,
            n_resamples=0,
            confidence_level=0.9,
            method=method,
            bootstrap_result=Draws(settled(sample[drawn].mean(axis=1), sample.mean())),
        ).confidence_interval
        assert (low, high) == pytest.approx((expected.low, expected.high), rel=1e-9, abs=1e-12)


def settled(means: Floats, mean: float) -> Floats:
    """Means that equal the observed one, but for rounding, made equal to it."""
    return np.where(np.abs(means - mean) < 1e-12, mean, means)


class Draws:
    """What scipy takes as the result of an earlier bootstrap."""

    def __init__(self, means: Floats) -> None:
        self.bootstrap_distribution = means


def test_t_intervals_of_means_are_scipys() -> None:
    scores = table(4, 30, seed=18)
    found = cf.stats.mean_interval(scores, level=0.9)
    for row, low, high in zip(scores, found.low, found.high, strict=True):
        expected = scipy_stats.ttest_1samp(row, 0).confidence_interval(0.9)
        assert (low, high) == pytest.approx((expected.low, expected.high), rel=1e-12)


def test_one_sided_intervals_are_one_sided() -> None:
    scores = table(3, 30, seed=19)
    both = cf.stats.t_test(scores)
    for alternative in ("less", "greater"):
        found = cf.stats.t_test(scores, alternative=alternative)
        for method in ("t", "percentile", "bca"):
            wide = both.confidence_interval(0.9, method)
            interval = found.confidence_interval(0.95, method)
            if alternative == "less":
                assert (interval.low == -np.inf).all()
                np.testing.assert_allclose(interval.high, wide.high, rtol=1e-12)
            else:
                assert (interval.high == np.inf).all()
                np.testing.assert_allclose(interval.low, wide.low, rtol=1e-12)


def test_effect_sizes_by_numpy() -> None:
    scores = table(4, 25, seed=20)
    found = cf.stats.t_test(scores)
    first, second = sides(scores, found)
    d = first - second
    mean = d.mean(axis=1)
    rest = scores - scores.mean(1)[:, None] - scores.mean(0) + scores.mean()
    expected = {
        "dz": mean / d.std(axis=1, ddof=1),
        "residual": mean / math.sqrt((rest**2).sum() / (3 * 24)),
        "glass": mean / second.std(axis=1, ddof=1),
        "pooled": mean / np.sqrt((first.var(axis=1, ddof=1) + second.var(axis=1, ddof=1)) / 2),
    }
    for kind, values in expected.items():
        np.testing.assert_allclose(found.effect_size(kind), values, rtol=1e-10)
