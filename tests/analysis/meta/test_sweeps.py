"""Judgments that change: pool depths, judgments that are left out or wrong."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import collection, meta
from numpy.typing import NDArray
from scipy import stats as scipy_stats

from tests.analysis.meta.small import example, tau

Floats = NDArray[np.float64]


def test_weights_of_ranks() -> None:
    ranks = np.arange(1, 13)
    expected = {
        "P@10": (ranks <= 10) / 10,
        "RBP(p=0.7)": 0.3 * 0.7 ** (ranks - 1),
        "RR": 1 / ranks,
        "AP": 1 / ranks,
        "nDCG@8": (ranks <= 8) / np.log2(ranks + 1),
        'DCG(dcg="jk")': 1 / np.log2(np.maximum(ranks, 2)),
    }
    for measure, weights in expected.items():
        np.testing.assert_allclose(meta.rank_weights(measure, 12), weights, rtol=1e-12)
    np.testing.assert_array_equal(meta.rank_weights(cf.RR, 3), [1, 1 / 2, 1 / 3])


def test_a_sweep_is_evaluation_under_each_restricted_judgments() -> None:
    qrels, runs = example()
    # A pair that cannot differ leaves the denominator of power.
    runs.append(runs[0].rename("same"))
    measures = ["AP", "nDCG", "RBP(residual=0.1)"]
    pools, depths = [2, 5, 80], [3, 10]
    for given in (runs, collection.rank(qrels, runs)):
        swept = meta.sweep(given, qrels, pools, depths, measures, threads=1)
        assert (swept.pool_depths, swept.evaluation_depths) == ((2, 5, 80), (3, 10))
        for pool in pools:
            kept = qrels.restrict_to_pool(collection.pool(runs, pool))
            fresh = cf.Qrels(kept.to_dict())
            for measure, depth in itertools.product(measures, depths):
                at = meta.at_depth(measure, depth)
                expected = cf.evaluate(fresh, runs, at)
                assert swept.at(measure, pool, depth).values.tobytes() == expected.values.tobytes()
    for standardized in (False, True):
        table = swept.power("nDCG", standardized=standardized, alpha=0.3)
        assert table.shape == (3, 2)
        scores = cf.evaluate(cf.Qrels(kept.to_dict()), runs, "nDCG@10")
        scores = meta.standardize(scores) if standardized else scores
        found = meta.discriminative_power(scores, alpha=0.3)
        assert table[2, 1] == found.power_of_different[0] != found.power[0]


def test_measures_at_a_depth() -> None:
    assert meta.at_depth("nDCG", 10) == "nDCG@10"
    assert meta.at_depth("RBP(residual=0.1)", 5) == str(cf.Measure("RBP(residual=0.1)@5"))
    assert meta.at_depth("AP'", 5) == "AP'@5"


def compared(found: meta.Curve, place: tuple[int, int], after: Floats, truth: Floats) -> None:
    """One sample of a curve against means of fresh scores."""
    np.testing.assert_allclose(found.samples["mean"][place], after.mean(axis=0), rtol=1e-12)
    for m in range(after.shape[1]):
        x, y = after[:, m], truth[:, m]
        at = (*place, m)
        assert found.samples["tau"][at] == pytest.approx(tau(x, y), abs=1e-12)
        rho = scipy_stats.pearsonr(x, y).statistic
        assert found.samples["rho"][at] == pytest.approx(rho, abs=1e-12)
        rms = math.sqrt(((x - y) ** 2).mean())
        assert found.samples["rms"][at] == pytest.approx(rms, abs=1e-12)


@pytest.mark.parametrize("method", ["stratified", "random"])
@pytest.mark.parametrize("truth", [None, "AP"])
def test_incomplete_judgments(method: str, truth: str | None) -> None:
    qrels, runs = example(1)
    measures = ["AP", "bpref", "AP'", "infAP", "subAP"]
    options: dict[str, Any] = {"method": method, "samples": 3, "truth": truth, "alpha": 0.3}
    found = meta.incompleteness(qrels, runs, measures, [0.3, 0.6, 1], seed=4, **options)
    assert found.measures == tuple(measures)
    assert found.x.tolist() == [0.3, 0.6, 1]
    full = cf.evaluate(qrels, runs, [truth] if truth else measures).mean()
    full = np.repeat(full, 5, axis=1) if truth else full
    for (i, rate), sample in itertools.product(enumerate((0.3, 0.6, 1)), range(3)):
        seed = meta.seed_of(4, sample)
        fewer = collection.reduce(qrels, rate, method, seed=seed, unsampled="pooled")
        scores = cf.evaluate(cf.Qrels(fewer.to_dict()), runs, measures)
        compared(found, (i, sample), scores.mean(), full)
        power = meta.discriminative_power(scores, alpha=0.3).power
        assert found.samples["power"][i, sample].tolist() == power.tolist()
    if truth is None:
        np.testing.assert_array_equal(found.samples["tau"][2], 1)
        np.testing.assert_array_equal(found.samples["rms"][2], 0)
    samples = found.samples["mean"][0]
    assert len({row.tobytes() for row in samples}) == 3


def test_imperfect_judgments() -> None:
    qrels, runs = example(2)
    ranked = collection.rank(qrels, runs, keep_unjudged=True)
    measures = ["AP", "bpref"]
    for given in (runs, ranked):
        found = meta.imperfection(
            qrels, given, measures, [0.4, 1], samples=2, seed=7, truth="nDCG@5"
        )
        full = np.repeat(cf.evaluate(qrels, runs, "nDCG@5").mean(), 2, axis=1)
        for (i, rate), sample in itertools.product(enumerate((0.4, 1)), range(2)):
            smaller = collection.sample_collection(ranked, rate, meta.seed_of(7, sample))
            compared(found, (i, sample), cf.evaluate(qrels, smaller, measures).mean(), full)
    own = meta.imperfection(qrels, runs, measures, [1], samples=1, power=True)
    assert own.samples["tau"].tolist() == [[[1, 1]]]
    assert own.samples["rms"].tolist() == [[[0, 0]]]
    expected = meta.discriminative_power(cf.evaluate(qrels, runs, measures)).power
    assert own.samples["power"][0, 0].tolist() == expected.tolist()
    assert "power" not in found.samples


def test_a_study_follows_from_its_seed() -> None:
    qrels, runs = example(3)
    for study in (meta.incompleteness, meta.imperfection):
        calls: list[tuple[int, int]] = []

        def run(
            seed: int,
            study: Callable[..., meta.Curve] = study,
            calls: list[tuple[int, int]] = calls,
            **options: Any,
        ) -> Floats:
            def note(done: int, whole: int) -> None:
                calls.append((done, whole))

            made = study(
                *(qrels, runs, "AP nDCG", [0.5, 0.7]),
                **{"samples": 2, "seed": seed, "progress": note, **options},
            )
            return made.samples["mean"]

        first = run(1, threads=1)
        assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]
        assert run(1, threads=2).tobytes() == first.tobytes()
        assert run(2).tobytes() != first.tobytes()


def test_orders_of_equal_means_have_no_correlation() -> None:
    """RR is 1 for both runs; with a single order there is nothing to correlate."""
    qrels = cf.Qrels({"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}})
    runs = [cf.Run({t: {"a": 2.0, d: 1.0} for t in "12"}).rename(d) for d in "bc"]
    found = meta.incompleteness(qrels, runs, "RR", [1], samples=1)
    assert np.isnan(found.samples["tau"]).all()
    assert np.isnan(found.samples["rho"]).all()
    assert found.samples["rms"].tolist() == [[[0]]]
