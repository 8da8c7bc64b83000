"""Intervals, tiers and ranks of means over collections, against scipy and plain loops."""

from __future__ import annotations

import math

import cranfield as cf
import numpy as np
import pytest
from cranfield import _core
from cranfield._base.options import seed_of
from cranfield._scores.collection_scores import CollectionScores
from cranfield._stats import stratified
from numpy.typing import NDArray
from scipy import stats as scipy_stats

Floats = NDArray[np.float64]

SIZES = (7, 12, 20)


def scores(values: Floats, *, better: str = "higher") -> cf.Scores:
    """Scores of runs a, b, ... in a measure m; shape (runs, topics)."""
    return cf.Scores.from_records(
        [
            ("abcdefgh"[run], topic, "m", None if math.isnan(value) else value)
            for run, row in enumerate(values.tolist())
            for topic, value in enumerate(row)
        ],
        better=better,
    )


def several(runs: int = 3, *, seed: int = 0, better: str = "higher") -> CollectionScores:
    """Three collections of different sizes, the later runs a little higher."""
    chance = np.random.default_rng(seed)
    parts = {}
    for place, size in enumerate(SIZES):
        base = chance.beta(2, 4, size)
        noise = chance.normal(0, 0.1, (runs, size))
        parts[f"c{place}"] = scores(
            base + noise + 0.08 * np.arange(runs)[:, None] + 0.01 * place, better=better
        )
    return CollectionScores(parts)


def matrices(found: CollectionScores) -> list[Floats]:
    """The values of each collection: shape (runs, topics)."""
    return [part.values[:, :, 0] for part in found.values()]


def test_of_two_collections_the_t_test_is_welchs() -> None:
    chance = np.random.default_rng(1)
    for sizes in ((5, 9), (2, 30), (14, 14)):
        one, two = (chance.normal(0.05, 0.1 * (place + 1), n) for place, n in enumerate(sizes))
        expected = scipy_stats.ttest_ind(one, -two, equal_var=False)
        found = stratified.t_pvalues([one[:, None], two[:, None]])
        assert math.isclose(found[0], expected.pvalue, rel_tol=1e-10)
        low, high = stratified.t_ends([one[:, None], two[:, None]], 0.9)
        # Welch's interval is that of the sum, which is twice the mean.
        ends = expected.confidence_interval(0.9)
        assert math.isclose(2 * low[0], ends.low, rel_tol=1e-9)
        assert math.isclose(2 * high[0], ends.high, rel_tol=1e-9)


def test_of_one_collection_it_is_students() -> None:
    part = several()["c1"]
    alone = CollectionScores({"c": part})
    interval, expected = alone.interval(method="t", level=0.8), part.interval(level=0.8)
    assert np.allclose(interval.low, expected.low, rtol=1e-12)
    assert np.allclose(interval.high, expected.high, rtol=1e-12)
    values = part.values[:, :, 0]
    pvalue = scipy_stats.ttest_rel(values[0], values[1]).pvalue
    found = stratified.t_pvalues([(values[0] - values[1])[:, None]])
    assert math.isclose(found[0], pvalue, rel_tol=1e-10)
    assert alone.tiers().letters == part.tiers().letters


def test_differences_without_variance() -> None:
    same, other = np.zeros((4, 1)), np.full((3, 1), 0.5)
    assert stratified.t_pvalues([same, same]).tolist() == [1.0]
    assert stratified.t_pvalues([same, other]).tolist() == [0.0]
    assert np.isnan(stratified.t_pvalues([same, other[:1]])).all()


def test_bca_is_that_of_scipy() -> None:
    chance = np.random.default_rng(3)
    samples = [chance.gamma(1.5, 0.1, (n, 1)) for n in SIZES]
    counts = stratified.draws(SIZES, 40_000, 5)
    expected = scipy_stats.bootstrap(
        [sample[:, 0] for sample in samples],
        lambda *parts, axis=-1: sum(np.mean(part, axis=axis) for part in parts) / len(parts),
        n_resamples=40_000,
        confidence_level=0.9,
        method="BCa",
        random_state=0,
    ).confidence_interval
    low, high = stratified.bootstrap_ends(counts, samples, 0.9, "bca")
    plain = stratified.bootstrap_ends(counts, samples, 0.9, "percentile")
    spread = high[0] - low[0]
    assert abs(low[0] - expected.low) < 0.02 * spread
    assert abs(high[0] - expected.high) < 0.02 * spread
    # Of a skewed sample it is not the same as the percentiles.
    assert high[0] - plain[1][0] > 0.02 * spread


def test_ranks_are_those_of_a_plain_loop() -> None:
    found, resamples = several(5, seed=2), 400
    tiers = found.tiers(resamples=resamples, seed=7, level=0.9)
    ranks = np.empty((resamples, 5), dtype=int)
    draws = [
        _core.drawn_topics(size, resamples=resamples, seed=seed_of(7, place))
        for place, size in enumerate(SIZES)
    ]
    for replicate in range(resamples):
        means = [
            sum(
                part[run, drawn[replicate]].mean()
                for part, drawn in zip(matrices(found), draws, strict=True)
            )
            / 3
            for run in range(5)
        ]
        ranks[replicate] = [1 + sum(other > mean + 1e-12 for other in means) for mean in means]
    low, high = np.quantile(ranks, [0.05, 0.95], axis=0, method="inverted_cdf")
    order = [found.runs.index(run) for run in tiers.runs]
    assert tiers.rank_low.tolist() == low[order].tolist()
    assert tiers.rank_high.tolist() == high[order].tolist()


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_tiers_are_those_of_a_plain_loop(better: str) -> None:
    found = several(4, seed=4, better=better)
    tiers = found.tiers(correction="bonferroni", resamples=50)
    sign = -1 if better == "lower" else 1
    means = [sum(part[run].mean() for part in matrices(found)) / 3 for run in range(4)]
    assert list(tiers.runs) == [found.runs[run] for run in np.argsort(-sign * np.array(means))]
    for one, letters in zip(tiers.runs, tiers.letters, strict=True):
        for two in tiers.runs:
            if one == two:
                continue
            a, b = found.runs.index(one), found.runs.index(two)
            differences = [part[a] - part[b] for part in matrices(found)]
            variances = [d.var(ddof=1) / len(d) / 9 for d in differences]
            freedom = sum(variances) ** 2 / sum(
                v**2 / (len(d) - 1) for v, d in zip(variances, differences, strict=True)
            )
            t = (means[a] - means[b]) / math.sqrt(sum(variances))
            differs = 6 * 2 * scipy_stats.t.sf(abs(t), freedom) < 0.05
            assert differs == (not set(letters) & set(tiers[two]))
            beaten = tiers.beaten[tiers.runs.index(one)]
            assert (two in beaten) == (differs and sign * t > 0)
    assert (tiers.test, tiers.correction, tiers.topics) == ("stratified t", "bonferroni", 39)
    assert 1 < len(tiers.groups) < 5


def test_a_run_that_a_collection_lacks_is_in_no_tier() -> None:
    parts = dict(several(3))
    parts["c2"] = parts["c2"].sel(run=["a", "c"])
    found = CollectionScores(parts)
    assert sorted(found.tiers(resamples=20).runs) == ["a", "c"]
    for method in ("t", "percentile", "bca"):
        interval = found.interval(method=method, resamples=50)
        assert np.isnan(interval.low[:, 0]).tolist() == [False, True, False]
        assert interval.method == method


def test_topics_without_a_value_are_left_out() -> None:
    values = np.array([[0.1, 0.5, math.nan, 0.3, 0.9], [0.2, 0.7, 0.4, 0.3, math.nan]])
    found = CollectionScores({"one": scores(values), "two": several(2)["c0"]})
    low, high = (getattr(found.interval(method="t"), end)[:, 0] for end in ("low", "high"))
    for run in range(2):
        parts = [values[run][~np.isnan(values[run])], found["two"].values[run, :, 0]]
        mean = sum(part.mean() for part in parts) / 2
        assert math.isclose((low[run] + high[run]) / 2, mean, rel_tol=1e-12)
    assert found.tiers(resamples=10).topics == 3 + 7
    few = CollectionScores({"one": scores(values[:, :1]), "two": found["two"]})
    for method in ("t", "percentile", "bca"):
        assert np.isnan(few.interval(method=method, resamples=10).low).all()
    with pytest.raises(cf.Error, match="2 topics of each collection, found 1 topic of 'one'"):
        few.tiers()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "x"}, "expected one of t, percentile, bca as method"),
        ({"level": 1}, "expected level between 0 and 1"),
        ({"resamples": 0}, "resamples"),
        ({"seed": -1}, "seed"),
    ],
)
def test_wrong_options_of_intervals(options: dict[str, object], message: str) -> None:
    with pytest.raises(cf.Error, match=message) as caught:
        several().interval(**options)  # type: ignore[arg-type]
    assert caught.value.kind == "option"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "x"}, "no measure 'x'"),
        ({"correction": "x"}, "as correction, found 'x'"),
        ({"alpha": 0}, "expected alpha between 0 and 1"),
        ({"level": 0}, "expected level between 0 and 1"),
    ],
)
def test_wrong_options_of_tiers(options: dict[str, object], message: str) -> None:
    with pytest.raises(cf.Error, match=message):
        several().tiers(**options)  # type: ignore[arg-type]


def test_tiers_are_of_means() -> None:
    counts = cf.Scores.from_records([(run, t, "num_ret", t) for run in "ab" for t in range(3)])
    with pytest.raises(cf.Error, match="num_ret is a sum over topics"):
        CollectionScores({"one": counts}).tiers()
    with pytest.raises(cf.Error, match="two runs of all collections, found 1 run"):
        CollectionScores({"one": several(1)["c0"]}).tiers()
