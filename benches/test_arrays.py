"""Arrays in, scores out, compared with numpy.sum, ranx and ir-eval-numba in the same run.

All sides have their objects ready, and those that compile are warm. Times are CPU
times of the process; the medians of the rounds count, in which the sides take turns.
The values are compared before any time is.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from numpy.typing import NDArray
from turns import medians

MOST_OF_SUM = {"f4": 3.7, "f8": 3.0}
"""How many times as long as one pass of numpy.sum over the same bytes we may take."""

LEAST_OF_RANX = {"sorted": 60.0, "shuffled": 20.0}
"""How many times as long as we ranx has to take at least, on lists that it has sorted
before. 100 is what we want; the more is judged and measured, the more it is."""

NDCG = {"ndcg@10": "nDCG@10"}
COMMON = {
    **NDCG,
    "map": "AP",
    "mrr": "RR",
    "precision@10": "P@10",
    "recall@100": "R@100",
    "recall": "SetR",
    "hit_rate@10": "Success@10",
    "r-precision": "Rprec",
}
"""Measures of ranx, and those of cranfield that are the same."""

Matrices = tuple[NDArray[np.int64], NDArray[np.float32]]
Judgments = dict[str, dict[str, int]]


def ranked(topics: int, depth: int, seed: int, *, shuffled: bool = False) -> Matrices:
    """Ids of different documents and scores that do not tie."""
    generator = np.random.default_rng(seed)
    ids = np.cumsum(generator.integers(1, 8_000, (topics, depth)), axis=1)
    generator.permuted(ids, axis=1, out=ids)
    scores = np.tile(np.linspace(30, 1, depth, dtype=np.float32), (topics, 1))
    if shuffled:
        generator.permuted(scores, axis=1, out=scores)
    return ids, scores


def judged(ids: NDArray[np.int64], count: int, seed: int) -> Judgments:
    """A number of judged documents a topic, a third of them retrieved, half relevant."""
    generator = np.random.default_rng(seed)
    qrels: Judgments = {}
    for topic, row in enumerate(ids):
        retrieved = generator.choice(row, max(1, count // 3), replace=False)
        others = 10_000_000 + generator.choice(1_000_000, count - len(retrieved), replace=False)
        grades = {str(d): int(generator.random() < 0.5) for d in (*retrieved, *others)}
        qrels[str(topic)] = {**grades, str(retrieved[0]): 1}
    return qrels


def report(what: str, ours: float, competitor: str, theirs: float) -> None:
    ratio = f"{theirs / ours:.2f} times" if theirs > ours else f"1/{ours / theirs:.2f}"
    print(f"\n{what}: cranfield {ours * 1e3:.3f} ms, {competitor} {theirs * 1e3:.3f} ms: {ratio}")


@pytest.mark.parametrize("measures", ["nDCG@10", " ".join(COMMON.values())])
@pytest.mark.parametrize("score", ["f4", "f8"])
def test_one_pass(measures: str, score: str) -> None:
    ids, scores = ranked(6_980, 1_000, 1)
    scores = scores.astype(score)
    generator = np.random.default_rng(2)
    places = generator.integers(0, 1_500, len(ids))
    qrels = {
        str(topic): {str(ids[topic, place] if place < 1_000 else -7): 1}
        for topic, place in enumerate(places.tolist())
    }
    run = cf.Run.from_topk(np.arange(len(ids)), ids, scores)
    evaluator = cf.Evaluator(qrels, measures, threads=1)
    found = evaluator.evaluate(run)
    order = [int(topic) for topic in found.topics]
    expected = np.where(places < 10, 1 / np.log2(places + 2), 0)[order]
    np.testing.assert_allclose(found["run", "nDCG@10"], expected, rtol=1e-12)
    ours, theirs = medians(lambda: evaluator.evaluate(run), lambda: (np.sum(ids), np.sum(scores)))
    report(f"6,980 x 1,000, {len(found.measures)} measures, {score}", ours, "numpy.sum", theirs)
    assert ours / theirs < MOST_OF_SUM[score]


SIZES = {"50 x 1,000, 100 judged": (50, 100), "50 x 1,000, 900 judged": (50, 900)}


@pytest.mark.parametrize("names", [NDCG, COMMON], ids=["nDCG@10", "common"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shuffled", [False, True], ids=["sorted", "shuffled"])
def test_ranx(names: dict[str, str], size: str, shuffled: bool) -> None:
    ranx = pytest.importorskip("ranx")
    topics, count = SIZES[size]
    ids, scores = ranked(topics, 1_000, 3, shuffled=shuffled)
    qrels = judged(ids, count, 4)
    order = "shuffled" if shuffled else "sorted"
    ratio = ratio_to_ranx(ranx, f"{size}, {order}", names, qrels, ids, scores)
    assert ratio > LEAST_OF_RANX[order]


@pytest.mark.parametrize("names", [NDCG, COMMON], ids=["nDCG@10", "common"])
def test_ranx_of_many_topics(names: dict[str, str]) -> None:
    ranx = pytest.importorskip("ranx")
    ids, scores = ranked(2_000, 1_000, 5)
    what = "2,000 x 1,000, 3 judged, sorted"
    ratio = ratio_to_ranx(ranx, what, names, judged(ids, 3, 6), ids, scores)
    assert ratio > LEAST_OF_RANX["sorted"]


def ratio_to_ranx(
    ranx: Any,
    what: str,
    names: dict[str, str],
    qrels: Judgments,
    ids: NDArray[np.int64],
    scores: NDArray[np.float32],
) -> float:
    """How many times as long as we ranx takes; the values are compared first."""
    lists = {
        str(topic): dict(zip(map(str, row), line, strict=True))
        for topic, (row, line) in enumerate(zip(ids.tolist(), scores.tolist(), strict=True))
    }
    its_qrels, its_run = ranx.Qrels(qrels), ranx.Run(lists)
    metrics = list(names)
    options = {"return_mean": False, "threads": 1}
    expected = ranx.evaluate(its_qrels, its_run, metrics, **options)
    if len(metrics) == 1:
        expected = {metrics[0]: expected}
    run = cf.Run.from_topk(np.arange(len(ids)), ids, scores)
    evaluator = cf.Evaluator(qrels, list(names.values()), threads=1)
    found = evaluator.evaluate(run)
    # It puts its topics in order when it evaluates.
    theirs_in_order = list(its_run.keys())
    order = [theirs_in_order.index(topic) for topic in found.topics]
    for metric, measure in names.items():
        np.testing.assert_allclose(
            found["run", measure], expected[metric][order], rtol=1e-12, atol=1e-14
        )
    ours, theirs = medians(
        lambda: evaluator.evaluate(run),
        lambda: ranx.evaluate(its_qrels, its_run, metrics, **options),
    )
    report(f"{what}, {len(names)} measures", ours, "ranx", theirs)
    return theirs / ours


LEAST_OF_NUMBA = 1.5
"""How many times as long as we ir-eval-numba has to take at least, on rows that are promised
to be sorted and unique."""


def numba_measures(metrics: Any, relevant: Any, row: Any) -> dict[str, float]:
    """Its measures of one topic."""
    whole = len(row)
    return {
        "nDCG@10": metrics.ndcg(relevant, row, 10),
        # It divides by the relevant documents that were found.
        "AP": metrics.average_precision(relevant, row, whole)
        * metrics.recall(relevant, row, whole),
        "RR": metrics.reciprocal_rank(relevant, row, whole),
        "P@10": metrics.precision(relevant, row, 10),
        "R@100": metrics.recall(relevant, row, 100),
        "SetR": metrics.recall(relevant, row, whole),
        "Success@10": float(metrics.reciprocal_rank(relevant, row, 10) > 0),
        "Rprec": metrics.precision(relevant, row, len(relevant)),
    }


@pytest.mark.parametrize(("topics", "count"), [(50, 60), (50, 3), (6_980, 3)])
def test_ir_eval_numba_promised(topics: int, count: int) -> None:
    """nDCG@10 and eight measures, on rows that are known to be sorted and unique."""
    metrics = pytest.importorskip("ir_eval_numba.metrics")
    ids, scores = ranked(topics, 1_000, 7)
    qrels = {
        topic: {d: 1 for d, g in grades.items() if g}
        for topic, grades in judged(ids, count, 8).items()
    }
    relevant = [np.array(list(map(int, grades))) for grades in qrels.values()]
    run = cf.Run.from_topk(np.arange(topics), ids, scores, assume="sorted unique")

    def one() -> list[float]:
        return [metrics.ndcg(d, row, 10) for d, row in zip(relevant, ids, strict=True)]

    def eight() -> list[dict[str, float]]:
        return [numba_measures(metrics, d, row) for d, row in zip(relevant, ids, strict=True)]

    for names, theirs in (("nDCG@10", one), (" ".join(COMMON.values()), eight)):
        evaluator = cf.Evaluator(qrels, names, threads=1)
        found = evaluator.evaluate(run)
        order = [int(topic) for topic in found.topics]
        printed = theirs()
        for measure in found.measures:
            values = [row if isinstance(row, float) else row[measure] for row in printed]
            np.testing.assert_allclose(
                found["run", measure], [values[topic] for topic in order], rtol=1e-12
            )
        us, them = medians(partial(evaluator.evaluate, run), theirs)
        what = f"{topics:,} x 1,000, {count} judged, {len(found.measures)} measures, promised"
        report(what, us, "ir-eval-numba", them)
        assert them / us > LEAST_OF_NUMBA


def test_ir_eval_numba() -> None:
    """Against a program that reads the first ten documents only; no floor."""
    metrics = pytest.importorskip("ir_eval_numba.metrics")
    ids, scores = ranked(50, 1_000, 7)
    qrels = {
        topic: {d: 1 for d, g in grades.items() if g}
        for topic, grades in judged(ids, 60, 8).items()
    }
    relevant = [np.array(list(map(int, grades))) for grades in qrels.values()]

    def theirs() -> list[float]:
        return [metrics.ndcg(d, row, 10) for d, row in zip(relevant, ids, strict=True)]

    run = cf.Run.from_topk(np.arange(len(ids)), ids, scores)
    evaluator = cf.Evaluator(qrels, "nDCG@10", threads=1)
    found = evaluator.evaluate(run)
    expected = dict(zip(qrels, theirs(), strict=True))
    np.testing.assert_allclose(
        found["run", "nDCG@10"], [expected[t] for t in found.topics], rtol=1e-12
    )
    us, them = medians(lambda: evaluator.evaluate(run), theirs)
    report("50 x 1,000, nDCG@10", us, "ir-eval-numba", them)
