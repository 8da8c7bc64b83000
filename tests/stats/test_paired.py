"""Tests of pairs of runs: scipy, enumeration and numpy as oracles.

What has no oracle is worked out by hand next to the data.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import cranfield as cf
import numpy as np
import pytest
from cranfield import _core
from numpy.typing import NDArray
from scipy import stats as scipy_stats

from tests.stats.tables import ALTERNATIVES, sides, table

Floats = NDArray[np.float64]


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
            # Only its statistic is compared; with ties its exact p-value takes a second.
            options = {"zero_method": theirs, "alternative": alternative}
            same = scipy_stats.wilcoxon(d, **options, method="asymptotic")
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
