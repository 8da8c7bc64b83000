"""Tests of pairs of runs: scipy, enumeration and numpy as oracles.

What has no oracle is worked out by hand beside the data.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import _core
from numpy.typing import NDArray
from scipy import stats as scipy_stats

Floats = NDArray[np.float64]
Test = Callable[..., cf.stats.PairedTest]

VECTORS = Path(__file__).parents[2] / "rust/core/tests/data/vectors.json"
ALTERNATIVES = ("two-sided", "less", "greater")
EVERY: dict[str, Test] = {
    "t": cf.stats.t_test,
    "wilcoxon": cf.stats.wilcoxon,
    "sign": cf.stats.sign_test,
    "randomization": cf.stats.randomization_test,
    "bootstrap": cf.stats.bootstrap_test,
    "tukey": cf.stats.tukey_hsd,
    "randomized tukey": lambda scores, **options: cf.stats.tukey_hsd(
        scores, method="randomized", **options
    ),
}


def table(runs: int, topics: int, *, seed: int, levels: int | None = None) -> Floats:
    """Scores of runs that differ; multiples of 1 / levels if given.

    Levels are powers of two, so that equal differences are equal in binary:
    scipy takes 0.3 - 0.2 and 0.2 - 0.1 as different.
    """
    rng = np.random.default_rng([seed, runs, topics])
    hard = rng.beta(1, 2, topics)
    skill = rng.normal(0, 0.1, (runs, 1))
    scores = np.clip(hard + skill + rng.normal(0, 0.2, (runs, topics)), 0, 1)
    return scores if levels is None else np.round(scores * levels) / levels


def sides(scores: Floats, found: cf.stats.PairedTest) -> tuple[Floats, Floats]:
    return scores[found.pairs[:, 0]], scores[found.pairs[:, 1]]


def record(name: str) -> dict[str, Any]:
    records = json.loads(VECTORS.read_text())
    return next(record for record in records if record["name"] == name)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("topics", [2, 3, 5, 20, 50, 60, 400])
def test_t_is_scipys(topics: int, alternative: str) -> None:
    scores = table(12, topics, seed=1)
    found = cf.stats.t_test(scores, alternative=alternative)
    theirs = scipy_stats.ttest_rel(*sides(scores, found), axis=1, alternative=alternative)
    np.testing.assert_allclose(found.statistic, theirs.statistic, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(found.pvalue, theirs.pvalue, rtol=1e-9)
    for level in (0.5, 0.95, 0.999):
        expected = theirs.confidence_interval(level)
        interval = found.confidence_interval(level)
        np.testing.assert_allclose(interval.low, expected.low, rtol=1e-9, atol=1e-13)
        np.testing.assert_allclose(interval.high, expected.high, rtol=1e-9, atol=1e-13)


def test_t_in_the_far_tail_is_scipys() -> None:
    rng = np.random.default_rng(2)
    scores = rng.normal(0, 1e-3, (8, 50)) + np.arange(8)[:, None] ** 2
    found = cf.stats.t_test(scores)
    theirs = scipy_stats.ttest_rel(*sides(scores, found), axis=1)
    assert found.pvalue.max() < 1e-100
    np.testing.assert_allclose(found.pvalue, theirs.pvalue, rtol=1e-9)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("topics", [1, 2, 5, 12, 49, 50, 60])
def test_exact_wilcoxon_is_scipys(topics: int, alternative: str) -> None:
    scores = table(7, topics, seed=3)
    scores = np.where(scores == 0, 1e-3 * np.arange(1, topics + 1), scores)
    scores += np.random.default_rng(4).normal(0, 0.01, scores.shape)
    found = cf.stats.wilcoxon(scores, alternative=alternative, method="exact")
    first, second = sides(scores, found)
    theirs = scipy_stats.wilcoxon(first, second, axis=1, method="exact", alternative=alternative)
    np.testing.assert_array_equal(found.statistic, theirs.statistic)
    # scipy's upper tail is a complement and loses what is beyond 1e-16
    np.testing.assert_allclose(found.pvalue, theirs.pvalue, rtol=1e-9, atol=1e-15)
    counts = [1]
    for rank in range(1, topics + 1):
        with_it = [0] * rank + counts
        counts = [a + b for a, b in itertools.zip_longest(counts, with_it, fillvalue=0)]
    for statistic, pvalue in zip(found.statistic, found.pvalue, strict=True):
        above = Fraction(sum(counts[int(statistic) :]), 2**topics)
        below = Fraction(sum(counts[: int(statistic) + 1]), 2**topics)
        tails = {"two-sided": min(Fraction(1), 2 * below), "less": below, "greater": above}
        assert pvalue == pytest.approx(float(tails[alternative]), rel=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("zeros", "theirs"), [("drop", "wilcox"), ("pratt", "pratt")])
@pytest.mark.parametrize("topics", [3, 7, 10])
def test_exact_wilcoxon_with_ties_is_every_sign(
    topics: int, zeros: str, theirs: str, alternative: str
) -> None:
    scores = table(6, topics, seed=5, levels=8)
    found = cf.stats.wilcoxon(scores, alternative=alternative, zeros=zeros)
    for pair, statistic, pvalue in zip(found.pairs, found.statistic, found.pvalue, strict=True):
        d = scores[pair[0]] - scores[pair[1]]
        ranks = scipy_stats.rankdata(np.abs(d) if zeros == "pratt" else np.abs(d[d != 0]))
        if zeros == "pratt":
            ranks = ranks[d != 0]
        plus = ranks[d[d != 0] > 0].sum()
        sums = [sum(chosen) for chosen in _subsets(ranks.tolist())]
        low, high = (np.mean([s <= plus for s in sums]), np.mean([s >= plus for s in sums]))
        expected = {"less": low, "greater": high, "two-sided": min(1, 2 * min(low, high))}
        assert pvalue == pytest.approx(expected[alternative], rel=1e-12)
        rest = ranks.sum() - plus
        assert statistic == (min(plus, rest) if alternative == "two-sided" else plus)
        if len(ranks):
            same = scipy_stats.wilcoxon(d, zero_method=theirs, alternative=alternative)
            assert statistic == same.statistic


def _subsets(ranks: list[float]) -> itertools.chain[tuple[float, ...]]:
    sizes = range(len(ranks) + 1)
    return itertools.chain.from_iterable(itertools.combinations(ranks, k) for k in sizes)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("correction", [False, True])
@pytest.mark.parametrize(("zeros", "theirs"), [("drop", "wilcox"), ("pratt", "pratt")])
@pytest.mark.parametrize("levels", [None, 16])
def test_normal_wilcoxon_is_scipys(
    levels: int | None, zeros: str, theirs: str, correction: bool, alternative: str
) -> None:
    scores = table(8, 60, seed=6, levels=levels)
    found = cf.stats.wilcoxon(
        scores, alternative=alternative, method="normal", zeros=zeros, correction=correction
    )
    expected = scipy_stats.wilcoxon(
        *sides(scores, found),
        axis=1,
        method="asymptotic",
        zero_method=theirs,
        correction=correction,
        alternative=alternative,
    )
    np.testing.assert_array_equal(found.statistic, expected.statistic)
    np.testing.assert_allclose(found.pvalue, expected.pvalue, rtol=1e-9)


def test_wilcoxon_ties_in_spite_of_rounding() -> None:
    # the differences are 0.1 three times and -0.2; in binary no two are equal
    first, second = [0.3, 0.2, 0.8, 0.1], [0.2, 0.1, 0.7, 0.3]
    found = cf.stats.wilcoxon([first, second])
    # ranks 2 2 2 4: the negative sum is 4; sums up to 4: {} 2 2 2 4 22 22 22 of 16
    assert found.statistic.tolist() == [4.0]
    assert found.pvalue.tolist() == [1.0]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("topics", [1, 2, 9, 50, 3000])
def test_the_sign_test_is_scipys(topics: int, alternative: str) -> None:
    scores = table(6, topics, seed=7, levels=8)
    found = cf.stats.sign_test(scores, alternative=alternative)
    for pair, better, n, pvalue in zip(
        found.pairs, found.statistic, found.n, found.pvalue, strict=True
    ):
        d = scores[pair[0]] - scores[pair[1]]
        assert (better, n) == ((d > 0).sum(), (d != 0).sum())
        if n:
            expected = scipy_stats.binomtest(int(better), int(n), alternative=alternative)
            assert pvalue == pytest.approx(expected.pvalue, rel=1e-9)
        else:
            assert pvalue == 1.0


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("topics", "levels"), [(1, 8), (4, None), (9, 8), (12, None)])
def test_the_exact_randomisation_test_is_every_sign(
    topics: int, levels: int | None, alternative: str
) -> None:
    scores = table(5, topics, seed=8, levels=levels)
    found = cf.stats.randomization_test(scores, alternative=alternative, resamples=3)
    assert found.resamples is None
    signs = np.array(list(itertools.product([1.0, -1.0], repeat=topics)))
    for pair, pvalue in zip(found.pairs, found.pvalue, strict=True):
        d = scores[pair[0]] - scores[pair[1]]
        means, mean = (signs * d).mean(axis=1), d.mean()
        tie = 1e-12
        count = {
            "two-sided": np.abs(means) >= abs(mean) - tie,
            "greater": means >= mean - tie,
            "less": means <= mean + tie,
        }[alternative]
        assert pvalue == count.mean()
        if len(signs) > 2:
            theirs = scipy_stats.permutation_test(
                (d,),
                lambda x, axis: np.mean(x, axis=axis),
                permutation_type="samples",
                n_resamples=np.inf,
                alternative=alternative,
                vectorized=True,
            )
            # scipy doubles the smaller tail
            if alternative != "two-sided":
                assert pvalue == pytest.approx(theirs.pvalue, rel=1e-9)


def test_random_signs_come_near_the_exact_test() -> None:
    scores = table(6, 16, seed=9)
    exact = cf.stats.randomization_test(scores)
    near = cf.stats.randomization_test(scores, exact_up_to=0, resamples=40_000, seed=1)
    assert near.resamples == 40_000
    # four standard deviations of a share of 40,000
    np.testing.assert_allclose(near.pvalue, exact.pvalue, atol=4 * 0.5 / 200)
    plain = cf.stats.randomization_test(
        scores, exact_up_to=0, resamples=40_000, seed=1, plus_one=False
    )
    np.testing.assert_allclose(near.pvalue * 40_001 - 1, plain.pvalue * 40_000)


def bootstrap_by_numpy(d: Floats, drawn: NDArray[np.uint32]) -> tuple[float, Floats, Floats]:
    """The ASL of one pair, every t and every mean; Sakai's words in numpy."""
    n = len(d)
    t = abs(d.mean() / (d.std(ddof=1) / math.sqrt(n)))
    samples = (d - d.mean())[drawn]
    means, deviations = samples.mean(axis=1), samples.std(axis=1, ddof=1)
    means[np.abs(means) < 1e-12] = 0
    deviations[deviations < 1e-12] = 0
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.nan_to_num(np.abs(means) / (deviations / math.sqrt(n)), posinf=np.inf)
    return float((ratios >= t * (1 - 1e-12)).mean()), ratios, np.abs(means)


@pytest.mark.parametrize(("topics", "levels"), [(2, None), (3, 8), (10, 16), (50, None)])
def test_the_bootstrap_is_sakais(topics: int, levels: int | None) -> None:
    scores = table(9, topics, seed=10, levels=levels)
    found = cf.stats.bootstrap_test(scores, resamples=500, seed=6)
    required = found.required_differences(0.05)
    drawn = _core.drawn_topics(topics, resamples=500, seed=6)
    for k, (first, second) in enumerate(found.pairs):
        d = scores[first] - scores[second]
        if d.std() == 0:
            assert found.pvalue[k] == float(d[0] == 0)
            continue
        asl, ratios, means = bootstrap_by_numpy(d, drawn)
        assert found.pvalue[k] == asl
        # the 25th of 500 from the largest
        last = np.sort(ratios)[-25]
        at = np.flatnonzero(np.isclose(ratios, last, rtol=1e-12, atol=0))[0]
        assert required[k] == pytest.approx(means[at], rel=1e-9, abs=1e-12)
    assert found.required_difference(0.05) == np.nanmax(required)
    t = cf.stats.t_test(scores)
    np.testing.assert_array_equal(found.statistic, t.statistic)
    np.testing.assert_array_equal(found.difference, t.difference)


def test_the_bootstrap_gives_the_same_for_all_pairs_and_for_one() -> None:
    # many pairs go through single precision first, a few do not
    scores = table(30, 25, seed=11, levels=4)
    scores[3] = scores[2]
    scores[5] = scores[4] + 0.125
    every = cf.stats.bootstrap_test(scores).matrix()
    for baseline in (0, 3, 5):
        alone = cf.stats.bootstrap_test(scores, baseline=baseline)
        np.testing.assert_array_equal(alone.pvalue, np.delete(every[baseline], baseline))
    assert (every[2, 3], every[4, 5]) == (1.0, 0.0)


@pytest.mark.parametrize(("runs", "topics"), [(2, 2), (3, 10), (5, 30), (8, 50)])
def test_parametric_tukey_is_scipys_range(runs: int, topics: int) -> None:
    scores = table(runs, topics, seed=12)
    found = cf.stats.tukey_hsd(scores)
    rest = scores - scores.mean(1)[:, None] - scores.mean(0) + scores.mean()
    freedom = (runs - 1) * (topics - 1)
    error = math.sqrt((rest**2).sum() / freedom / topics)
    means = scores.mean(axis=1)
    statistic = np.abs(means[found.pairs[:, 0]] - means[found.pairs[:, 1]]) / error
    np.testing.assert_allclose(found.statistic, statistic, rtol=1e-12, atol=1e-12)
    some = slice(0, 8)
    expected = scipy_stats.studentized_range.sf(found.statistic[some], runs, freedom)
    np.testing.assert_allclose(found.pvalue[some], expected, rtol=1e-9, atol=1e-11)
    critical = scipy_stats.studentized_range.isf(0.05, runs, freedom) * error
    assert found.required_difference(0.05) == pytest.approx(critical, rel=1e-7)
    interval = found.confidence_interval(0.95)
    assert interval.method == "tukey"
    np.testing.assert_allclose(interval.high - found.difference, critical, rtol=1e-7)


@pytest.mark.parametrize(
    ("q", "groups", "freedom"), [(2.0, 3, 10), (3.5, 20, 60), (4.0, 2, 5), (5.0, 40, 1911)]
)
def test_the_studentised_range_is_scipys(q: float, groups: int, freedom: int) -> None:
    # scipy is good to about 1e-11 of 1
    expected = scipy_stats.studentized_range.sf(q, groups, freedom)
    found = _core.range_sf(q, groups, freedom)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-11)
    assert _core.range_isf(found, groups, freedom) == pytest.approx(q, rel=1e-9)


@pytest.mark.parametrize(("q", "freedom"), [(9.0, 40), (14.0, 200), (25.0, 20), (7.0, 6272)])
@pytest.mark.parametrize("groups", [3, 129])
def test_the_far_tail_of_the_studentised_range(q: float, groups: int, freedom: int) -> None:
    """The double integral by the trapezoid rule with steps half as wide, in logarithms."""
    z = np.arange(-9, 45, 0.02)[:, None]
    deviation = 1 / math.sqrt(2 * freedom)
    low = -40 * deviation - 3
    u = np.arange(low, 12 * deviation, min(0.01, deviation / 8))
    weights = freedom * (u - np.expm1(2 * u) / 2)
    keep = weights > -600
    u, weights = u[keep], weights[keep]
    log_cdf = scipy_stats.norm.logcdf(z)
    inside = -np.expm1(scipy_stats.norm.logcdf(z - q * np.exp(u)) - log_cdf)
    with np.errstate(divide="ignore"):
        outside = -np.expm1((groups - 1) * np.log(inside))
    density = groups * scipy_stats.norm.pdf(z) * np.exp((groups - 1) * log_cdf)
    tails = (density * outside).sum(axis=0) * 0.02
    expected = (np.exp(weights) * tails).sum() / np.exp(weights).sum()
    assert _core.range_sf(q, groups, freedom) == pytest.approx(expected, rel=1e-9)


def test_randomised_tukey_is_every_permutation() -> None:
    scores = table(3, 4, seed=13, levels=8)
    ranges = []
    for columns in itertools.product(*(itertools.permutations(c) for c in scores.T.tolist())):
        means = np.mean(columns, axis=0)
        ranges.append(means.max() - means.min())
    found = cf.stats.tukey_hsd(scores, method="randomized", resamples=40_000, seed=2)
    for d, pvalue in zip(found.difference, found.pvalue, strict=True):
        assert pvalue == pytest.approx(np.mean(np.array(ranges) >= abs(d) - 1e-12), abs=0.01)
    significant = np.abs(found.difference[found.significant(0.9)])
    assert found.required_difference(0.9) == significant.min()
    assert found.required_difference(0.9, "largest") == significant.max()
    assert math.isnan(found.required_difference(1e-9))


def test_two_runs_under_tukey_are_the_randomisation_test() -> None:
    scores = table(2, 10, seed=14)
    exact = cf.stats.randomization_test(scores).pvalue
    found = cf.stats.tukey_hsd(scores, method="randomized", resamples=40_000).pvalue
    np.testing.assert_allclose(found, exact, atol=0.01)


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


@pytest.mark.parametrize("name", EVERY)
def test_identical_runs_are_never_significant(name: str) -> None:
    scores = np.tile(table(1, 25, seed=21), (3, 1))
    # equal but for rounding
    scores[1] = (scores[1] + 0.1) - 0.1
    found = EVERY[name](scores)
    assert found.pvalue.tolist() == [1.0] * 3
    assert not found.significant(0.999).any()
    if name not in ("sign", "t", "wilcoxon", "randomization"):
        return
    for alternative in ("less", "greater"):
        assert EVERY[name](scores, alternative=alternative).pvalue.tolist() == [1.0] * 3


def test_identical_runs_have_no_effect_and_no_required_difference() -> None:
    found = cf.stats.bootstrap_test(np.tile(table(1, 9, seed=22), (3, 1)))
    assert found.statistic.tolist() == [0.0] * 3
    assert math.isnan(found.required_difference())
    assert np.isnan(found.effect_size()).all()
    for method in ("t", "percentile", "bca"):
        interval = found.confidence_interval(method=method)
        assert (interval.low.tolist(), interval.high.tolist()) == ([0.0] * 3, [0.0] * 3)


def test_a_constant_difference_is_significant() -> None:
    row = np.array([0.1, 0.2, 0.3, 0.7])
    scores = [row + 0.1, row]
    t = cf.stats.t_test(scores)
    assert (t.statistic.tolist(), t.pvalue.tolist()) == ([math.inf], [0.0])
    assert cf.stats.t_test(scores, alternative="less").pvalue.tolist() == [1.0]
    assert cf.stats.bootstrap_test(scores).pvalue.tolist() == [0.0]
    assert t.effect_size().tolist() == [math.inf]
    interval = t.confidence_interval()
    assert interval.low == pytest.approx([0.1])
    assert interval.high == pytest.approx([0.1])
    tukey = cf.stats.tukey_hsd(scores)
    assert (tukey.statistic.tolist(), tukey.pvalue.tolist()) == ([math.inf], [0.0])
    # 2 / 2^4 for all tests that look at signs only
    for test in (cf.stats.wilcoxon, cf.stats.sign_test, cf.stats.randomization_test):
        assert test(scores).pvalue.tolist() == [0.125]


@pytest.mark.parametrize("name", EVERY)
def test_one_topic(name: str) -> None:
    scores = [[0.5], [0.25], [0.5]]
    if name in ("t", "bootstrap", "tukey"):
        with pytest.raises(cf.Error, match="needs at least 2 topics, found 1 topic") as caught:
            EVERY[name](scores)
        assert caught.value.kind == "undefined"
        return
    found = EVERY[name](scores, resamples=200) if "tukey" in name else EVERY[name](scores)
    assert found.pvalue.tolist() == [1.0] * 3
    with pytest.raises(cf.Error, match="at least 2 topics"):
        found.confidence_interval()
    with pytest.raises(cf.Error, match="at least 2 topics"):
        found.effect_size()


@pytest.mark.parametrize("name", EVERY)
def test_what_is_no_table_of_two_runs_is_refused(name: str) -> None:
    def kind(scores: Any, **options: Any) -> str:
        with pytest.raises(cf.Error) as caught:
            EVERY[name](scores, **options)
        return caught.value.kind

    good = table(3, 5, seed=23)
    assert kind(good[:1]) == "undefined"
    assert kind(good[:, :0]) == "undefined"
    assert kind([]) == "type"
    assert kind([0.1, 0.2]) == "type"
    assert kind([["a", "b"]]) == "type"
    assert kind(np.where(good == good.max(), np.inf, good)) == "number"
    assert kind(np.where(good == good.max(), np.nan, good)) == "undefined"
    assert kind(good, nan="skip") == "option"
    assert kind(good, measure="AP") == "option"
    assert kind(good, baseline="bm25") == "label"
    assert kind(good, baseline=3) == "label"
    assert kind(good, baseline=0.5) == "type"


def test_options_are_checked() -> None:
    good = table(3, 5, seed=24)
    wrong: list[Callable[[], object]] = [
        lambda: cf.stats.t_test(good, alternative="both"),
        lambda: cf.stats.wilcoxon(good, method="asymptotic"),
        lambda: cf.stats.wilcoxon(good, zeros="split"),
        lambda: cf.stats.wilcoxon(good, exact_up_to=-1),
        lambda: cf.stats.randomization_test(good, exact_up_to=0, resamples=0),
        lambda: cf.stats.randomization_test(good, threads=0),
        lambda: cf.stats.bootstrap_test(good, seed=-1),
        lambda: cf.stats.bootstrap_test(good, seed="a"),  # type: ignore[arg-type]
        lambda: cf.stats.bootstrap_test(good).required_difference(0),
        lambda: cf.stats.tukey_hsd(good, method="one-way"),
        lambda: cf.stats.tukey_hsd(good).required_difference(which="any"),
        lambda: cf.stats.tukey_hsd(good, method="randomized").confidence_interval(method="tukey"),
        lambda: cf.stats.t_test(good).confidence_interval(1.0),
        lambda: cf.stats.t_test(good).confidence_interval(method="normal"),
        lambda: cf.stats.t_test(good).effect_size("g"),
        lambda: cf.stats.t_test(good).matrix("n_topics"),
        lambda: cf.stats.t_test(good).corrected("sidak"),
        lambda: cf.stats.mean_interval(good, level=0),
    ]
    for call in wrong:
        with pytest.raises(cf.Error) as caught:
            call()
        assert caught.value.kind == "option", caught.value
    for pvalues in ([0.5, math.nan], [1.5], [-0.1]):
        with pytest.raises(cf.Error, match="from 0 to 1"):
            cf.stats.correct(pvalues)
    with pytest.raises(cf.Error, match="at most 1000 topics"):
        cf.stats.wilcoxon(np.zeros((2, 1001)), method="exact")
    with pytest.raises(cf.Error, match="more than 40 topics"):
        cf.stats.randomization_test(np.zeros((2, 41)), exact_up_to=50)


def test_topics_left_out() -> None:
    scores = table(3, 30, seed=25)
    scores[0, [1, 2]] = np.nan
    scores[2, 7] = np.nan
    with pytest.raises(cf.Error, match=r"3 topics left out \(NaN\), first in run '0'"):
        cf.stats.t_test(scores)
    with pytest.raises(cf.Error, match="1 topic left out"):
        cf.stats.mean_interval(scores[1:])
    found = cf.stats.t_test(scores, nan="omit")
    assert found.n.tolist() == [28, 27, 29]
    first, second = sides(scores, found)
    theirs = scipy_stats.ttest_rel(first, second, axis=1, nan_policy="omit")
    np.testing.assert_allclose(found.statistic, theirs.statistic, rtol=1e-12)
    np.testing.assert_allclose(found.pvalue, theirs.pvalue, rtol=1e-9)
    both = ~np.isnan(first) & ~np.isnan(second)
    glass = [d / s[k].std(ddof=1) for d, s, k in zip(found.difference, second, both, strict=True)]
    np.testing.assert_allclose(found.effect_size("glass"), glass)
    # all pairs share the draws, so all are tested on the topics that all runs have
    whole = scores[:, ~np.isnan(scores).any(axis=0)]
    for test in (cf.stats.bootstrap_test, cf.stats.randomization_test, cf.stats.tukey_hsd):
        few, same = test(scores, nan="omit"), test(whole)
        assert few.n.tolist() == [27] * 3
        np.testing.assert_array_equal(few.pvalue, same.pvalue)
    means = cf.stats.mean_interval(scores, nan="omit")
    alone = cf.stats.mean_interval(scores[:1, 3:])
    two = np.delete(scores[:1], [1, 2], axis=1)
    assert alone.low != means.low[0]
    assert cf.stats.mean_interval(two).low[0] == means.low[0]


def test_a_pair_without_common_topics_is_named() -> None:
    scores = [[0.5, 0.2, np.nan, 0.1], [np.nan, np.nan, 0.5, 0.2], [0.5, 0.2, 0.1, 0.3]]
    with pytest.raises(cf.Error, match="2 topics, found 1 topic for the pair '0', '1'"):
        cf.stats.t_test(scores, nan="omit")
    with pytest.raises(cf.Error, match="needs at least 2 topics, found 1 topic"):
        cf.stats.bootstrap_test(scores, nan="omit")


@pytest.mark.parametrize("name", ["randomization", "bootstrap", "randomized tukey"])
def test_threads_give_the_same_bits_and_seeds_others(name: str) -> None:
    scores = table(20, 30, seed=26)
    one = EVERY[name](scores, threads=1, seed=7)
    for threads in (2, 3, 8, None):
        many = EVERY[name](scores, threads=threads, seed=7)
        np.testing.assert_array_equal(one.pvalue, many.pvalue)
        for method in ("percentile", "bca"):
            few, more = (t.confidence_interval(method=method, resamples=200) for t in (one, many))
            np.testing.assert_array_equal(few.low, more.low)
    assert (EVERY[name](scores, seed=8).pvalue != one.pvalue).any()


@pytest.mark.parametrize("name", EVERY)
def test_a_baseline_picks_its_pairs(name: str) -> None:
    scores = table(5, 22, seed=27)
    every, some = EVERY[name](scores), EVERY[name](scores, baseline=2)
    assert some.pairs.tolist() == [[0, 2], [1, 2], [3, 2], [4, 2]]
    np.testing.assert_array_equal(some.pvalue, np.delete(every.matrix()[2], 2))
    np.testing.assert_allclose(
        some.difference, np.delete(every.matrix("difference")[:, 2], 2), rtol=1e-12
    )
    np.testing.assert_array_equal(EVERY[name](scores, baseline="2").pvalue, some.pvalue)
    np.testing.assert_array_equal(EVERY[name](scores, baseline=-3).pvalue, some.pvalue)


def test_all_pairs_come_in_order() -> None:
    found = cf.stats.t_test(table(4, 9, seed=28))
    assert found.pairs.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert found.pairs.dtype == np.int64
    assert found.runs == ("0", "1", "2", "3")
    assert len(found) == 6


def test_scores_have_names_and_measures() -> None:
    qrels = {str(t): {"a": 1, "b": 2} for t in range(6)}
    good = {str(t): {"b": 3.0, "a": 2.0, "c": 1.0} for t in range(6)}
    bad = {str(t): {"c": 3.0, "d": 2.0, ("a" if t % 2 else "b"): 1.0} for t in range(6)}
    scores = cf.evaluate(qrels, {"good": good, "bad": bad}, ["nDCG", "AP"])
    with pytest.raises(cf.Error, match="measure= has to say which of nDCG, AP is tested"):
        cf.stats.t_test(scores)
    found = cf.stats.sign_test(scores, measure="ndcg", baseline="bad")
    assert (found.runs, found.measure) == (("good", "bad"), "nDCG")
    # six of six: 2 / 2^6
    assert found.pvalue.tolist() == [1 / 32]
    one = cf.stats.wilcoxon(scores.sel(measure="AP"))
    assert one.measure == "AP"
    with pytest.raises(cf.LabelError):
        cf.stats.t_test(scores, measure="RR")
    with pytest.raises(cf.LabelError, match="did you mean good"):
        cf.stats.t_test(scores, measure="AP", baseline="god")


def test_results_are_tables() -> None:
    scores = np.array([[0.5, 0.25, 0.75], [0.25, 0.25, 0.25], [0.0, 1.0, 0.5]])
    found = cf.stats.sign_test(scores)
    rows = {
        "run": ["0", "0", "1"],
        "other": ["1", "2", "2"],
        "n": [2, 3, 3],
        "difference": [0.25, 0.0, -0.25],
        "statistic": [2.0, 2.0, 1.0],
        "pvalue": [0.5, 1.0, 1.0],
    }
    assert found.to_dict() == rows
    assert found.to_arrow().to_pydict() == rows
    assert found.to_polars().to_dict(as_series=False) == rows
    assert found.to_pandas().to_dict("list") == rows
    assert repr(found).splitlines() == [
        "<sign test: 3 pairs>",
        "run  other  n  difference  statistic  pvalue",
        "0    1      2      0.2500     2.0000  0.5000",
        "0    2      3      0.0000     2.0000  1.0000",
        "1    2      3     -0.2500     1.0000  1.0000",
    ]
    assert "<td>0.5000</td>" in found._repr_html_()
    assert np.isnan(found.matrix("statistic")[1, 0])
    assert found.discriminative_power(0.6) == 1 / 3


def test_small_p_values_show_how_small() -> None:
    scores = np.stack([np.arange(60) / 100 + 0.3, np.arange(60) / 100])
    scores[0, ::2] += 0.01
    found = cf.stats.sign_test(scores)
    assert repr(found).endswith("1.7e-18")


def test_results_are_frozen() -> None:
    scores = table(3, 9, seed=29)
    found = cf.stats.t_test(scores)
    before = found.confidence_interval().low
    scores[:] = 0
    np.testing.assert_array_equal(found.confidence_interval().low, before)
    with pytest.raises(AttributeError):
        found.alternative = "less"  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        found.pvalue[0] = 0.0


@pytest.mark.parametrize("order", ["C", "F"])
def test_any_layout_of_an_array_is_the_same(order: Any) -> None:
    scores = table(6, 21, seed=30)
    other = np.asarray(scores, order=order)
    for name, test in EVERY.items():
        np.testing.assert_array_equal(test(other).pvalue, test(scores).pvalue, name)
    with pytest.raises(cf.Error, match="C-contiguous"):
        _core.paired_t(np.asfortranarray(scores), np.array([[0, 1]]))
