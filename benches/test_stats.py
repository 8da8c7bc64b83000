"""Tests of all pairs of 129 runs on 50 topics, compared with scipy and numpy.

One thread on either side and in turns; the values are compared before any time
is. The other side is scipy where it has the test, in a loop over the pairs as
people write it, and otherwise the best numpy that we know, from the same random
numbers where that is possible. The ratio is of the best of several rounds.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import cranfield as cf
import numpy as np
import pytest
from cranfield import _core
from numpy.typing import NDArray
from pytest_benchmark.fixture import BenchmarkFixture
from scipy import stats as scipy_stats
from threadpoolctl import threadpool_limits

Floats = NDArray[np.float64]

RUNS, TOPICS = 129, 50
FIRST, SECOND = np.triu_indices(RUNS, 1)


def table() -> Floats:
    rng = np.random.default_rng(8)
    hard = rng.beta(1, 2, TOPICS)
    noise = rng.normal(0, 0.15, (RUNS, TOPICS))
    return np.clip(hard + rng.normal(0, 0.05, (RUNS, 1)) + noise, 0, 1)


def best(
    work: Callable[[], object], other: Callable[[], object], rounds: int
) -> tuple[float, float]:
    times = [float("inf"), float("inf")]
    for _ in range(rounds):
        for side, action in enumerate((work, other)):
            start = time.process_time()
            action()
            times[side] = min(times[side], time.process_time() - start)
    return times[0], times[1]


def compare(
    ours: Callable[[], object],
    theirs: Callable[[], object],
    *,
    least: float,
    rounds: int = 5,
    what: str,
) -> None:
    us, them = best(ours, theirs, rounds)
    sides = f"cranfield {us * 1e3:.2f} ms, {what} {them * 1e3:.1f} ms"
    print(f"\n{sides}: {them / us:.1f} times")
    assert them / us >= least


@pytest.fixture(autouse=True)
def _one_thread() -> object:
    with threadpool_limits(1):
        yield


def test_t(benchmark: BenchmarkFixture) -> None:
    scores = table()

    def loop() -> list[float]:
        pairs = zip(FIRST, SECOND, strict=True)
        return [scipy_stats.ttest_rel(scores[a], scores[b]).pvalue for a, b in pairs]

    np.testing.assert_allclose(cf.stats.t_test(scores).pvalue, loop(), rtol=1e-9)
    compare(lambda: cf.stats.t_test(scores), loop, least=600, rounds=2, what="scipy in a loop")
    benchmark(cf.stats.t_test, scores)


def test_randomisation(benchmark: BenchmarkFixture) -> None:
    scores, resamples = table(), 10_000
    rng = np.random.default_rng(1)

    def ours() -> cf.stats.PairedTest:
        return cf.stats.randomization_test(scores, resamples=resamples, threads=1)

    def numpy() -> Floats:
        """One sign matrix and one product for all; blocks that stay in the cache."""
        signs = rng.integers(0, 2, (TOPICS, resamples)).astype(np.float64) * 2 - 1
        sums = scores @ signs
        observed = scores.sum(axis=1)
        counts = []
        block = np.empty((RUNS, 1000))
        for i in range(RUNS - 1):
            limits = np.abs(observed[i] - observed[i + 1 :])[:, None] - 1e-9
            count = np.zeros(RUNS - 1 - i, dtype=np.int64)
            room = block[: RUNS - 1 - i]
            for start in range(0, resamples, 1000):
                part = sums[:, start : start + 1000]
                np.subtract(part[i + 1 :], part[i], out=room)
                np.abs(room, out=room)
                count += np.count_nonzero(room >= limits, axis=1)
            counts.append(count)
        return (np.concatenate(counts) + 1) / (resamples + 1)

    # two estimates of one share, each with a deviation of at most 0.005
    np.testing.assert_allclose(ours().pvalue, numpy(), atol=0.035)
    compare(ours, numpy, least=3, what="numpy")
    benchmark(ours)


def test_bootstrap(benchmark: BenchmarkFixture) -> None:
    scores, resamples = table(), 1000

    def ours() -> cf.stats.PairedTest:
        return cf.stats.bootstrap_test(scores, resamples=resamples, threads=1)

    drawn = _core.drawn_topics(TOPICS, resamples=resamples, seed=0)

    def numpy() -> Floats:
        """Draws as counts, and a product each for the sums and the sums of squares."""
        counts = np.zeros((TOPICS, resamples))
        np.add.at(counts, (drawn.T, np.arange(resamples)), 1)
        differences = scores[FIRST] - scores[SECOND]
        means = differences.mean(axis=1)
        variances = differences.var(axis=1, ddof=1)
        differences -= means[:, None]
        # n m*^2 / s*^2 >= t^2, without a division or a root
        ratios = means * means / variances * TOPICS / (TOPICS - 1)
        sums = differences @ counts
        np.multiply(differences, differences, out=differences)
        squares = differences @ counts
        np.multiply(sums, sums, out=sums)
        squares *= TOPICS
        squares -= sums
        squares *= (ratios * (1 - 1e-12))[:, None]
        asl: Floats = np.count_nonzero(sums >= squares, axis=1) / resamples
        return asl

    expected = numpy()
    np.testing.assert_array_equal(ours().pvalue, expected)
    compare(ours, numpy, least=3, rounds=15, what="numpy")
    benchmark(ours)


def test_randomised_tukey(benchmark: BenchmarkFixture) -> None:
    scores, resamples = table(), 10_000
    rng = np.random.default_rng(2)

    def ours() -> cf.stats.PairedTest:
        return cf.stats.tukey_hsd(scores, method="randomized", resamples=resamples, threads=1)

    def numpy() -> Floats:
        by_topic = np.ascontiguousarray(scores.T)
        room = np.empty_like(by_topic)
        ranges = np.empty(resamples)
        for b in range(resamples):
            sums = rng.permuted(by_topic, axis=1, out=room).sum(axis=0)
            ranges[b] = sums.max() - sums.min()
        ranges.sort()
        sums = scores.sum(axis=1)
        smaller = np.searchsorted(ranges, np.abs(sums[FIRST] - sums[SECOND]) - 1e-9)
        pvalues: Floats = (resamples - smaller) / resamples
        return pvalues

    np.testing.assert_allclose(ours().pvalue, numpy(), atol=0.035)
    compare(ours, numpy, least=4, rounds=3, what="numpy")
    benchmark(ours)
