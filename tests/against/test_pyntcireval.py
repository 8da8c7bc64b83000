"""Random and real collections against pyNTCIREVAL.

Where it has another definition, a test shows both values on a small example;
``tests/against/README.md`` lists these under "Differences to other evaluators".
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest

from tests import effort, graded
from tests.against.peers_of_measures import REAL_RUNS, one
from tests.graded import Judgments, Scored

CASES = effort.seeds(2_500, 500)


@pytest.fixture(scope="module")
def ntcireval() -> Any:
    pytest.importorskip("pyNTCIREVAL.metrics")
    return pytest.importorskip("pyNTCIREVAL")


class Peer:
    """pyNTCIREVAL on one topic: labels first, then a metric on the labelled list."""

    def __init__(self, package: Any, judged: dict[str, int], gains: Sequence[float]) -> None:
        self.labeler = package.Labeler
        self.metrics = package.metrics
        # A document with a grade below 0 has no label.
        self.judged = {d: grade for d, grade in judged.items() if grade >= 0}
        self.gains = list(gains)
        numbers = package.Labeler(self.judged).compute_per_level_doc_num(len(gains) + 1)
        self.arguments = (numbers, self.gains)
        self.relevant = sum(numbers[1:])

    def values(
        self, ranking: list[str], parameters: tuple[Any, ...], *, condensed: bool
    ) -> dict[str, float]:
        """Value by our spelling; {} where it has none: nothing relevant, or an empty list."""
        beta, p, base, cutoffs, gain = parameters
        labelled = self.labeler(self.judged, is_condensed=condensed).label(ranking)
        if not labelled or not self.relevant:
            return {}
        m, arguments, prime = self.metrics, self.arguments, "'" if condensed else ""
        graded_ = f",{gain}" if gain else ""
        only = f"({gain})" if gain else ""
        ours = {
            f"AP{prime}": m.AP(*arguments),
            f"RR{prime}": m.RR(),
            f"Q(beta={beta}{graded_}){prime}": m.QMeasure(*arguments, beta),
            f'ERR(stop="ntcir"{graded_}){prime}': m.ERR(*arguments),
            f"O(beta={beta}{graded_}){prime}": m.OMeasure(*arguments, beta),
            f"PMeasure(beta={beta}{graded_}){prime}": m.PMeasure(*arguments, beta),
            f"PPlus(beta={beta}{graded_}){prime}": m.PPlusMeasure(*arguments, beta),
            f'NCU(x="P"{graded_}){prime}': m.NCUguP(*arguments, self.gains),
            f"NCU(beta={beta}{graded_}){prime}": m.NCUguBR(*arguments, self.gains, beta),
            f'NCU(stop="rb",x="P",gamma={p}{graded_}){prime}': m.NCUrbP(*arguments, p),
            f'NCU(stop="rb",gamma={p},beta={beta}{graded_}){prime}': m.NCUrbBR(*arguments, p, beta),
            f'nDCG(dcg="jk",base={base}{graded_}){prime}': m.nDCG(*arguments, base, None),
            f'nERR(stop="ntcir"{graded_}){prime}': m.nERR(*arguments, None),
        }
        if not gain:  # RBP's gain is the grade
            top = self.gains[-1]
            ours[f"RBP(p={p},max_rel={top}){prime}"] = m.RBP(*arguments, p)
        for k in cutoffs:
            ours |= {
                f"aAP{prime}@{k}": m.AP(*arguments, k),
                f"P{prime}@{k}": m.Precision(k),
                f"Success{prime}@{k}": m.Hit(k),
                f"Q(beta={beta}{graded_}){prime}@{k}": m.QMeasure(*arguments, beta, k),
                f'nDCG(dcg="jk",base={base}{graded_}){prime}@{k}': m.nDCG(*arguments, base, k),
                f"nDCG{only}{prime}@{k}": m.MSnDCG(*arguments, k),
                f'nERR(stop="ntcir"{graded_}){prime}@{k}': m.nERR(*arguments, k),
            }
        return {measure: metric.compute(labelled) for measure, metric in ours.items()}


def compare_with_pyntcireval(
    package: Any, qrels: Judgments, run: Scored, rng: random.Random, cutoffs: Sequence[int]
) -> int:
    """Our values on one collection and its; how many were compared."""
    top = max(1, *(grade for judged in qrels.values() for grade in judged.values()))
    # The highest gain is that of the highest grade in the collection, here as there.
    gains = rng.choice((range(1, top + 1), range(1, top + 1), [g * g + 1 for g in range(top)]))
    linear = list(gains) == list(range(1, top + 1))
    gain = "" if linear else f"gain={{{','.join(f'{g}:{v}' for g, v in enumerate(gains, 1))}}}"
    parameters = (
        rng.choice((0, 0.5, 1, 10)),
        rng.choice((0.5, 0.8, 0.95)),
        rng.choice((2, 3, 4.5, 10)),
        cutoffs,
        gain,
    )
    condensed = rng.random() < 0.4
    theirs = {
        topic: Peer(package, judged, gains).values(
            graded.ranking(run[topic]), parameters, condensed=condensed
        )
        for topic, judged in qrels.items()
    }
    measures = next((list(values) for values in theirs.values() if values), [])
    if not measures:
        measures = ["AP", "RR", "Q", 'nERR(stop="ntcir")', 'nDCG(dcg="jk")@5', "aAP'@5", "Q'@5"]
    scores = cf.evaluate(qrels, run, measures)
    assert list(scores.measures) == [str(cf.Measure(m)) for m in measures]
    compared = 0
    for topic, row in zip(scores.topics, scores.values[0], strict=True):
        expected = [theirs[topic].get(measure, 0.0) for measure in measures]
        np.testing.assert_allclose(
            row, expected, rtol=1e-12, atol=1e-14, err_msg=f"{measures} {qrels[topic]} {run[topic]}"
        )
        compared += len(expected)
    return compared


def test_pyntcireval_random(ntcireval: Any) -> None:
    compared = 0
    for case in CASES:
        rng = random.Random(case)
        topics = [str(i) for i in range(rng.randint(1, 3))]
        qrels, run = graded.random_collection(rng, topics, negative=True, missing=False)
        cutoffs = rng.sample((1, 2, 3, 5, 10, 30), 2)
        compared += compare_with_pyntcireval(ntcireval, qrels, run, rng, cutoffs)
    assert compared > 24 * len(CASES)


@pytest.mark.parametrize("name", graded.REAL)
def test_pyntcireval_real(ntcireval: Any, data: Path, name: str) -> None:
    compared = 0
    for run_name, qrels, run in graded.real(data / name, REAL_RUNS[name]):
        rng = random.Random(run_name)
        # Its work grows with the square of the length.
        short = {t: dict(sorted(s.items(), key=lambda i: -i[1])[:40]) for t, s in run.items()}
        compared += compare_with_pyntcireval(ntcireval, qrels, short, rng, (5, 20))
    assert compared > 10_000


def test_pyntcireval_average_precision_at_k(ntcireval: Any) -> None:
    """D6: its AP@k divides by min(k, R), cranfield's by R."""
    judged = {"a": 1, "b": 1, "c": 1}
    metrics, labeler = ntcireval.metrics, ntcireval.Labeler(judged)
    numbers = labeler.compute_per_level_doc_num(2)
    theirs = metrics.AP(numbers, [1], 2).compute(labeler.label(["a", "b"]))
    assert theirs == one(judged, "a b", "aAP@2") == 1.0
    assert one(judged, "a b", "AP@2") == pytest.approx(2 / 3)


def test_pyntcireval_names_of_ndcg(ntcireval: Any) -> None:
    """D8: its nDCG is Järvelin and Kekäläinen's; cranfield's is what it calls MSnDCG."""
    judged = {"a": 1, "b": 2}
    metrics, labeler = ntcireval.metrics, ntcireval.Labeler(judged)
    arguments = labeler.compute_per_level_doc_num(3), [1, 2]
    labelled = labeler.label(["x", "b"])
    theirs = metrics.nDCG(*arguments, 2, 2).compute(labelled)
    assert theirs == one(judged, "x b", 'nDCG(dcg="jk")@2') == pytest.approx(2 / 3)
    theirs = metrics.MSnDCG(*arguments, 2).compute(labelled)
    assert theirs == pytest.approx(one(judged, "x b", "nDCG@2"), rel=1e-12)
    assert theirs == pytest.approx(2 / (2 * math.log2(3) + 1))


def test_pyntcireval_err(ntcireval: Any) -> None:
    """D9: a document of gain g satisfies with g / (top + 1), not (2^g - 1) / 2^top."""
    judged = {"a": 1, "b": 2}
    metrics, labeler = ntcireval.metrics, ntcireval.Labeler(judged)
    theirs = metrics.ERR(labeler.compute_per_level_doc_num(3), [1, 2])
    value = theirs.compute(labeler.label(["a"]))
    assert value == one(judged, "a", 'ERR(stop="ntcir")') == pytest.approx(1 / 3)
    assert one(judged, "a", "ERR(max_rel=2)") == 1 / 4


def test_pyntcireval_rbp(ntcireval: Any) -> None:
    """D10, D19: its RBP is graded by the highest gain given, cranfield's binary by default."""
    judged = {"a": 1, "b": 2}
    metrics, labeler = ntcireval.metrics, ntcireval.Labeler(judged)
    labelled, p = labeler.label(["a"]), 0.75
    for gains, expected in (([1, 2], 1 / 8), ([1, 2, 3], 1 / 12)):
        numbers = labeler.compute_per_level_doc_num(len(gains) + 1)
        theirs = metrics.RBP(numbers, gains, p).compute(labelled)
        assert theirs == pytest.approx(expected)
        assert theirs == pytest.approx(one(judged, "a", f"RBP(p={p},max_rel={gains[-1]})"))
    assert one(judged, "a", f"RBP(p={p})") == 1 / 4


def test_pyntcireval_negative_grades(ntcireval: Any) -> None:
    """D14: it takes a grade of -1 as the highest one."""
    judged = {"a": -1, "b": 1}
    metrics, labeler = ntcireval.metrics, ntcireval.Labeler(judged)
    numbers = labeler.compute_per_level_doc_num(3)
    assert numbers == [0, 1, 1]
    assert metrics.AP(numbers, [1, 2]).compute(labeler.label(["b"])) == 1 / 2
    assert one(judged, "b", "AP") == 1.0


def test_pyntcireval_topics_without_relevant_documents(ntcireval: Any) -> None:
    """D17: an error, or NaN; with an empty list always an error. Here it is 0."""
    judged = {"a": 0}
    metrics, labeler = ntcireval.metrics, ntcireval.Labeler(judged)
    arguments = labeler.compute_per_level_doc_num(2), [1]
    with pytest.raises(ZeroDivisionError):
        metrics.nDCG(*arguments, 2, 1).compute(labeler.label(["a"]))
    with np.errstate(invalid="ignore"):
        assert math.isnan(metrics.nERR(*arguments, 1).compute(labeler.label(["a"])))
    with pytest.raises(ValueError, match="empty"):
        metrics.AP(*arguments).compute([])
    assert one(judged, "a", 'nDCG(dcg="jk")@1') == one(judged, "a", 'nERR(stop="ntcir")@1') == 0.0
    assert one({"a": 1}, "", "AP") == 0.0


def test_pyntcireval_truncation(ntcireval: Any) -> None:
    """D18: it condenses and then cuts, as `'@k` does; NTCIREVAL and `depth` cut first."""
    judged = {"a": 1, "b": 1}
    labelled = ntcireval.Labeler(judged, truncate=2, is_condensed=True).label(["x", "a", "b"])
    numbers = ntcireval.Labeler(judged).compute_per_level_doc_num(2)
    theirs = ntcireval.metrics.AP(numbers, [1]).compute(labelled)
    assert theirs == one(judged, "x a b", "AP'@2") == 1.0
    assert one(judged, "x a b", "AP'", depth=2) == 1 / 2
