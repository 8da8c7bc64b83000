"""Swap rates, predictivity, variance components and smaller sets of topics.

The oracles are plain loops and ``statsmodels``.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from cranfield import meta
from scipy import stats as scipy_stats

from tests.analysis.meta.small import NAMES, drawn, pairs_of, tau, with_values


@pytest.mark.parametrize("form", ["disjoint", "replacement", "significant"])
@pytest.mark.parametrize("topics", [None, 4])
def test_swap_rate_counts_reversed_pairs(form: str, topics: int | None) -> None:
    values = drawn(5, 13, 2, seed=9)
    options: dict[str, Any] = {"samples": 30, "classes": 6, "width": 0.05, "seed": 3}
    found = meta.swap_rate(with_values(values), form, topics=topics, alpha=0.2, **options)
    size = topics or 6
    assert found.topics == size
    chance = np.random.default_rng(3)
    swaps, comparisons = np.zeros((2, 6)), np.zeros((2, 6))
    for _ in range(30):
        if form == "replacement":
            first, second = chance.integers(13, size=(2, size))
        else:
            order = chance.permutation(13)
            first, second = order[:size], order[size : 2 * size]
        for m, (i, j) in itertools.product(range(2), pairs_of(5)):
            x, y = values[i, :, m], values[j, :, m]
            # Sums of 64ths are exact.
            d, e = (sum(float(x[t] - y[t]) for t in part) / size for part in (first, second))
            if d == 0:
                continue
            if form == "significant" and not scipy_stats.ttest_rel(x[first], y[first]).pvalue < 0.2:
                continue
            place = min(int(abs(d) / 0.05), 5)
            comparisons[m, place] += 1
            swaps[m, place] += d * e < 0
    assert found.comparisons.tolist() == comparisons.tolist()
    assert found.swaps.tolist() == swaps.tolist()
    assert found.rate.tolist() == (swaps.sum(axis=1) / comparisons.sum(axis=1)).tolist()
    np.testing.assert_allclose(found.edges, [0, 0.05, 0.1, 0.15, 0.2, 0.25, np.inf], rtol=1e-15)
    again = meta.swap_rate(with_values(values), form, topics=topics, alpha=0.2, **options)
    assert again.swaps.tobytes() == found.swaps.tobytes()
    options["seed"] = 4
    other = meta.swap_rate(with_values(values), form, topics=topics, alpha=0.2, **options)
    assert other.comparisons.tobytes() != found.comparisons.tobytes()


def test_the_difference_from_which_on_swaps_are_rare() -> None:
    edges = np.array([0, 0.1, 0.2, 0.3, np.inf])
    swaps = np.array([[5, 0, 1, 0], [5, 1, 0, 0], [0, 0, 0, 0], [5, 5, 5, 5]], dtype=float)
    comparisons = np.array([[10, 10, 10, 0], [10, 100, 10, 0], [1, 1, 1, 1], [9, 9, 9, 9]], float)
    found = meta.SwapRate(tuple(NAMES[:4]), 5, edges, swaps, comparisons)
    # An empty class has no rate and breaks no row of rare ones.
    np.testing.assert_array_equal(found.rates[0], [0.5, 0, 0.1, np.nan])
    np.testing.assert_array_equal(found.required_difference(), [0.3, 0.1, 0, np.nan])
    np.testing.assert_array_equal(found.required_difference(0.1), [0.1, 0.1, 0, np.nan])


@pytest.mark.parametrize("topics", [None, 3])
def test_predictivity_is_the_mean_tau_between_halves(topics: int | None) -> None:
    values = drawn(8, 11, 3, seed=10)
    found = meta.predictivity(with_values(values), samples=12, topics=topics, seed=2)
    size = topics or 5
    chance = np.random.default_rng(2)
    sums = np.zeros((3, 3))
    for _ in range(12):
        order = chance.permutation(11)
        first = values[:, order[:size]].mean(axis=1)
        second = values[:, order[size : 2 * size]].mean(axis=1)
        for i, j in itertools.product(range(3), repeat=2):
            sums[i, j] += (tau(first[:, i], second[:, j]) + tau(first[:, j], second[:, i])) / 2
    np.testing.assert_allclose(found.values, sums / 12, rtol=1e-12)
    assert (found.values == found.values.T).all()
    assert found.labels == tuple(NAMES[:3])


def test_variance_components_by_hand() -> None:
    """Runs 1 3 and 5 11: mean 5; by run 2 8, by topic 3 7.

    Sums of squares: runs 2 (9 + 9) = 36, topics 2 (4 + 4) = 16, all 16 + 4 + 0 + 36 = 56,
    so the rest is 4; each has one degree of freedom.
    """
    found = meta.g_study(with_values([[[1], [3]], [[5], [11]]]))
    assert found.systems.tolist() == [(36 - 4) / 2]
    assert found.topics.tolist() == [(16 - 4) / 2]
    assert found.interaction.tolist() == [4]
    assert found.count == 2
    assert found.relative().tolist() == [16 / (16 + 4 / 2)]
    assert found.absolute().tolist() == [16 / (16 + (6 + 4) / 2)]
    assert found.relative(8).tolist() == [16 / (16 + 4 / 8)]
    assert found.absolute(1).tolist() == [16 / (16 + 10)]


def test_negative_components_are_0_and_so_is_a_share_of_nothing() -> None:
    found = meta.g_study(with_values([[[1, 7], [0, 7]], [[0, 7], [1, 7]]]))
    assert found.systems.tolist() == found.topics.tolist() == [0, 0]
    assert found.interaction.tolist() == [1, 0]
    assert found.relative().tolist() == found.absolute().tolist() == [0, 0]


def test_variance_components_are_those_of_an_analysis_of_variance() -> None:
    formula = pytest.importorskip("statsmodels.formula.api")
    anova = pytest.importorskip("statsmodels.stats.anova")
    pandas = pytest.importorskip("pandas")
    values = drawn(6, 9, 2, seed=11)
    found = meta.g_study(with_values(values))
    for m in range(2):
        cells = [
            {"run": f"r{i}", "topic": f"t{j}", "value": values[i, j, m]}
            for i, j in itertools.product(range(6), range(9))
        ]
        table = anova.anova_lm(
            formula.ols("value ~ C(run) + C(topic)", pandas.DataFrame(cells)).fit()
        )
        runs, topics, rest = table["sum_sq"] / table["df"]
        assert found.interaction[m] == pytest.approx(rest, rel=1e-9)
        assert found.systems[m] == pytest.approx(max(runs - rest, 0) / 9, rel=1e-9)
        assert found.topics[m] == pytest.approx(max(topics - rest, 0) / 6, rel=1e-9)


def test_fewer_topics() -> None:
    values = drawn(6, 10, 2, seed=12)
    found = meta.topic_set_size(with_values(values), [3, 7, 10], samples=4, alpha=0.1, seed=8)
    chance = np.random.default_rng(8)
    for i, size in enumerate((3, 7, 10)):
        for sample in range(4):
            part = values[:, chance.permutation(10)[:size]]
            for m in range(2):
                with np.errstate(invalid="ignore", divide="ignore"):
                    tests = [
                        scipy_stats.ttest_rel(part[a, :, m], part[b, :, m]).pvalue < 0.1
                        for a, b in pairs_of(6)
                    ]
                full = values[:, :, m].mean(axis=1)
                assert found.samples["power"][i, sample, m] == pytest.approx(np.mean(tests))
                expected = tau(full, part[:, :, m].mean(axis=1))
                assert found.samples["tau"][i, sample, m] == pytest.approx(expected)
    assert found.x.tolist() == [3, 7, 10]
    assert (found.samples["tau"][2] == 1).all()
    low, high = found.band("tau", 0.5)
    quarters = np.quantile(found.samples["tau"], [0.25, 0.75], axis=1)
    assert np.allclose(low, quarters[0])
    assert np.allclose(high, quarters[1])
    rows = zip(*found.columns().values(), strict=True)
    means = [mean for name, measure, _, mean in rows if (name, measure) == ("tau", "AP")]
    assert means == found.samples["tau"][:, :, 0].mean(axis=1).tolist()
