"""Random and real collections against pyNTCIREVAL, ir-measures and ranx.

Where an evaluator has another definition, a test shows both values on a small example;
``tests/README.md`` lists these under "Differences to other evaluators".
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest

from tests import graded
from tests.graded import Judgments, Scored

CASES = 2_500
BATCHES = 10

# How many of the real runs are compared: these evaluators are slow.
REAL_RUNS = {"cast2021": 5, "cranfield": 3}


def batch_of(number: int, *, negative: bool, missing: bool) -> tuple[Judgments, Scored]:
    """The collections of one batch in one, with numbers as topics."""
    rng = random.Random(number)
    qrels: Judgments = {}
    run: Scored = {}
    for case in range(CASES // BATCHES):
        topics = [str(10 * case + i) for i in range(1, rng.randint(1, 3) + 1)]
        more = graded.random_collection(rng, topics, negative=negative, missing=missing)
        qrels |= more[0]
        run |= more[1]
    return qrels, run


def evaluate(qrels: Judgments, run: Scored, measure: str, **options: Any) -> dict[str, float]:
    """Our values of one measure by topic."""
    found = cf.evaluate(qrels, run, measure, **options).to_dict()["run"]
    return {topic: next(iter(values.values())) for topic, values in found.items()}


def one(judged: dict[str, int], retrieved: str, measure: str, **options: Any) -> float:
    """Our value for a list of documents, best first."""
    run = cf.Run.from_rankings({"1": retrieved.split()})
    return float(cf.evaluate({"1": judged}, run, measure, **options).values.item())


# --- pyNTCIREVAL ----------------------------------------------------------------------


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
    for case in range(CASES):
        rng = random.Random(case)
        topics = [str(i) for i in range(rng.randint(1, 3))]
        qrels, run = graded.random_collection(rng, topics, negative=True, missing=False)
        cutoffs = rng.sample((1, 2, 3, 5, 10, 30), 2)
        compared += compare_with_pyntcireval(ntcireval, qrels, run, rng, cutoffs)
    assert compared > 60_000


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
    """D6: its AP@k divides by min(k, R), ours by R."""
    judged = {"a": 1, "b": 1, "c": 1}
    metrics, labeler = ntcireval.metrics, ntcireval.Labeler(judged)
    numbers = labeler.compute_per_level_doc_num(2)
    theirs = metrics.AP(numbers, [1], 2).compute(labeler.label(["a", "b"]))
    assert theirs == one(judged, "a b", "aAP@2") == 1.0
    assert one(judged, "a b", "AP@2") == pytest.approx(2 / 3)


def test_pyntcireval_names_of_ndcg(ntcireval: Any) -> None:
    """D8: its nDCG is Järvelin and Kekäläinen's; ours is what it calls MSnDCG."""
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
    """D10, D19: its RBP is graded by the highest gain given, ours binary unless asked."""
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
    """D17: an error, or NaN; with an empty list always an error. Ours is 0."""
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


# --- ir-measures ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def irm() -> Any:
    return pytest.importorskip("ir_measures")


def by_measure(found: Iterable[Any]) -> dict[Any, dict[str, float]]:
    """What it yields: by measure and topic."""
    values: dict[Any, dict[str, float]] = {}
    for topic, measure, value, *_ in found:
        values.setdefault(measure, {})[topic] = float(value)
    return values


def compare_with_ir_measures(
    pairs: Sequence[tuple[Any, str]], provider: Any, qrels: Judgments, run: Scored, **options: Any
) -> int:
    """Its values and ours, every topic of the judgments; how many were compared."""
    rtol, atol = options.pop("rtol", 1e-12), options.pop("atol", 1e-14)
    theirs = by_measure(provider.iter_calc([measure for measure, _ in pairs], qrels, run))
    scores = cf.evaluate(qrels, run, [measure for _, measure in pairs], **options)
    assert len(scores.measures) == len(pairs)
    for column, (measure, ours) in enumerate(pairs):
        expected = [theirs[measure][topic] for topic in scores.topics]
        np.testing.assert_allclose(
            scores.values[0, :, column], expected, rtol=rtol, atol=atol, err_msg=ours
        )
    return int(scores.values.size)


def same_spelling(irm: Any) -> list[tuple[Any, str]]:
    """Measures from pytrec_eval: its spelling is taken here."""
    measures = [
        *(
            irm.AP,
            irm.AP(rel=2),
            irm.AP @ 5,
            irm.AP(judged_only=True),
            irm.AP(judged_only=True) @ 5,
        ),
        *(irm.P @ 5, irm.P(rel=2) @ 3, irm.P(judged_only=True) @ 5),
        *(irm.R @ 5, irm.R(rel=2) @ 3, irm.R(judged_only=True) @ 5),
        *(irm.RR, irm.RR(rel=2), irm.RR(judged_only=True)),
        *(irm.Rprec, irm.Rprec(rel=2), irm.Rprec(judged_only=True)),
        *(irm.nDCG, irm.nDCG @ 5, irm.nDCG(judged_only=True), irm.nDCG(judged_only=True) @ 5),
        *(irm.Bpref, irm.Bpref(rel=2), irm.infAP, irm.infAP(rel=2)),
        *(irm.Success @ 1, irm.Success(rel=2) @ 5, irm.Success(judged_only=True) @ 5),
        *(irm.SetP, irm.SetP(rel=2), irm.SetP(judged_only=True), irm.SetR, irm.SetR(rel=2)),
        *(irm.SetF, irm.SetF(rel=2), irm.SetF(judged_only=True)),
        *(irm.SetAP, irm.SetAP(rel=2), irm.SetAP(judged_only=True), irm.NumRet),
    ]
    return [(measure, str(measure)) for measure in measures]


def other_spelling(irm: Any) -> list[tuple[Any, str]]:
    """Measures from pytrec_eval that are spelled in another way here."""
    return [
        (irm.NumRet(rel=1), "num_rel_ret"),
        (irm.NumRet(rel=2), "num_rel_ret(rel=2)"),
        (irm.SetF(beta=4.0), "SetF(beta=2)"),
        (irm.SetF(beta=0.25, rel=2), "SetF(beta=0.5,rel=2)"),
        (irm.nDCG(gains={1: 1, 2: 3, 3: 7, 4: 15}), "nDCG(gain={1:1,2:3,3:7,4:15})"),
        (irm.nDCG(gains={1: 0, 2: 5}) @ 5, "nDCG(gain={1:0,2:5})@5"),
    ]


def untied_only(irm: Any) -> list[tuple[Any, str]]:
    """Measures from other providers, which order ties in their own ways."""
    return [
        (irm.RR @ 3, "RR@3"),
        (irm.RR(rel=2) @ 5, "RR(rel=2)@5"),
        (irm.RBP(p=0.8, rel=1), "RBP(p=0.8)"),
        (irm.RBP(p=0.5, rel=2), "RBP(p=0.5,rel=2)"),
    ]


def judged_only(irm: Any) -> list[tuple[Any, str]]:
    return [(irm.Judged, "Judged"), (irm.Judged @ 5, "Judged@5")]


def from_gdeval(irm: Any) -> list[tuple[Any, str]]:
    return [
        *((irm.ERR @ k, f"ERR(max_rel=4)@{k}") for k in (3, 20)),
        *((irm.nDCG(dcg="exp-log2") @ k, f'nDCG(dcg="exp-log2")@{k}') for k in (3, 20)),
    ]


def require(provider: Any) -> Any:
    if not provider.is_available():
        pytest.skip(f"ir-measures has no {provider.NAME} here")
    return provider


@pytest.mark.parametrize("batch", range(BATCHES))
def test_ir_measures_random(irm: Any, batch: int) -> None:
    qrels, run = batch_of(batch, negative=True, missing=True)
    pairs = same_spelling(irm) + other_spelling(irm)
    compared = compare_with_ir_measures(pairs, irm.pytrec_eval, qrels, run)
    qrels, run = batch_of(batch, negative=False, missing=True)
    compared += compare_with_ir_measures(judged_only(irm), irm.judged, qrels, run)
    assert compared > 20_000


@pytest.mark.parametrize("batch", range(BATCHES))
def test_ir_measures_cwl_random(irm: Any, batch: int) -> None:
    require(irm.cwl_eval)
    qrels, run = batch_of(batch, negative=True, missing=True)
    assert compare_with_ir_measures(untied_only(irm), irm, qrels, run) > 1_500


@pytest.mark.parametrize("batch", range(BATCHES))
def test_ir_measures_gdeval_random(irm: Any, batch: int) -> None:
    """It prints five decimals."""
    require(irm.gdeval)
    qrels, run = batch_of(batch, negative=True, missing=True)
    pairs = from_gdeval(irm)
    assert compare_with_ir_measures(pairs, irm.gdeval, qrels, run, rtol=0, atol=5.001e-6) > 1_500


@pytest.mark.parametrize("name", graded.REAL)
def test_ir_measures_real(irm: Any, data: Path, name: str) -> None:
    compared = 0
    for _, qrels, run in graded.real(data / name):
        pairs = same_spelling(irm) + other_spelling(irm)
        compared += compare_with_ir_measures(pairs, irm.pytrec_eval, qrels, run, scores="f32")
    assert compared > 20_000


@pytest.mark.parametrize("name", graded.REAL)
def test_ir_measures_real_without_ties(irm: Any, data: Path, name: str) -> None:
    for provider in (irm.cwl_eval, irm.gdeval):
        require(provider)
    compared = 0
    for _, qrels, run in graded.real(data / name, REAL_RUNS[name]):
        # gdeval wants numbers as topics.
        number = {topic: str(i) for i, topic in enumerate(qrels, 1)}
        judged = {number[topic]: documents for topic, documents in qrels.items()}
        lists = {number[topic]: scored for topic, scored in graded.untied(run).items()}
        pairs = untied_only(irm) + judged_only(irm)
        compared += compare_with_ir_measures(pairs, irm, judged, lists)
        pairs = from_gdeval(irm)
        compared += compare_with_ir_measures(
            pairs, irm.gdeval, judged, lists, rtol=0, atol=5.001e-6
        )
    assert compared > 5_000


def ir_value(irm: Any, measure: Any, judged: dict[str, int], scored: dict[str, float]) -> float:
    found = by_measure(irm.iter_calc([measure], {"1": judged}, {"1": scored}))
    return found[measure]["1"]


def test_ir_measures_order_of_ties(irm: Any) -> None:
    """D1: pytrec_eval takes the last id first, its own measures the first, cwl_eval the input."""
    judged, scored = {"a": 1}, {"b": 1.0, "a": 1.0, "c": 1.0}
    assert ir_value(irm, irm.RR, judged, scored) == 1 / 3
    assert evaluate({"1": judged}, {"1": scored}, "RR")["1"] == 1 / 3
    assert ir_value(irm, irm.RR @ 10, judged, scored) == 1.0
    assert ir_value(irm, irm.Judged @ 1, judged, scored) == 1.0
    for measure in ("RR@10", "Judged@1"):
        assert evaluate({"1": judged}, {"1": scored}, measure, order="docno_asc")["1"] == 1.0
    if irm.cwl_eval.is_available():
        assert ir_value(irm, irm.RBP(p=0.5, rel=1), judged, scored) == pytest.approx(1 / 4)
        assert evaluate({"1": judged}, {"1": scored}, "RBP(p=0.5)", order="input")["1"] == 1 / 4


def test_ir_measures_precision_of_scores(irm: Any) -> None:
    """D2: pytrec_eval compares scores in single precision."""
    judged, scored = {"a": 1}, {"a": 1.0 + 1e-9, "b": 1.0}
    assert ir_value(irm, irm.RR, judged, scored) == 1 / 2
    assert evaluate({"1": judged}, {"1": scored}, "RR", scores="f32")["1"] == 1 / 2
    assert evaluate({"1": judged}, {"1": scored}, "RR")["1"] == 1.0


def test_ir_measures_interpolated_precision(irm: Any) -> None:
    """D7: trec_eval 9 asks for trunc(0.05 x 21 + 0.9) = 1 document; 1.05 documents are 2."""
    judged = {"a": 1, "b": 1} | {f"r{i}": 1 for i in range(19)}
    scored = {"a": 3.0, "x": 2.0, "b": 1.0}
    assert ir_value(irm, irm.IPrec @ 0.05, judged, scored) == 1.0
    assert one(judged, "a x b", "IPrec@0.05") == 2 / 3
    with pytest.raises(cf.Error, match="rounds"):
        cf.Measure("iprec_at_recall_0.05")


def test_ir_measures_err(irm: Any) -> None:
    """D9, D45: ERR@k is gdeval's: grades to 4, numbers as topics, five decimals."""
    gdeval = require(irm.gdeval)
    judged, scored = {"a": 1, "b": 0}, {"b": 2.0, "a": 1.0}
    assert ir_value(irm, irm.ERR @ 2, judged, scored) == 0.03125
    assert one(judged, "b a", "ERR(max_rel=4)@2") == 1 / 32
    assert one(judged, "b a", "ERR(max_rel=1)@2") == 1 / 4
    judged = {"a": 1, "b": 3}
    value = ir_value(irm, irm.nDCG(dcg="exp-log2") @ 2, judged, {"a": 2.0, "b": 1.0})
    ours = one(judged, "a b", 'nDCG(dcg="exp-log2")@2')
    assert value == round(ours, 5) != ours
    for topic, grade in (("q1", 1), ("1", 5)):
        with pytest.raises(Exception, match="perl"):
            list(gdeval.iter_calc([irm.ERR @ 1], {topic: {"a": grade}}, {topic: {"a": 1.0}}))
        ours = evaluate({topic: {"a": grade}}, {topic: {"a": 1.0}}, "ERR(max_rel=5)@1")[topic]
        assert ours == (2**grade - 1) / 32


def test_ir_measures_rbp(irm: Any) -> None:
    """D10: cwl_eval divides by the weight of 1,000 ranks and cuts the list there."""
    require(irm.cwl_eval)
    p = 0.999
    theirs = ir_value(irm, irm.RBP(p=p, rel=1), {"a": 1}, {"a": 1.0})
    assert theirs == pytest.approx((1 - p) / (1 - p**1000))
    assert one({"a": 1}, "a", f"RBP(p={p})") == pytest.approx(1 - p)
    long = {str(i): -float(i) for i in range(1000)} | {"a": -1000.0}
    assert ir_value(irm, irm.RBP(p=p, rel=1), {"a": 1}, long) == 0.0
    assert evaluate({"1": {"a": 1}}, {"1": long}, f"RBP(p={p})")["1"] > 0.0


def test_ir_measures_judged(irm: Any) -> None:
    """D14: a negative grade counts as judged."""
    judged, scored = {"a": 1, "b": -1}, {"a": 2.0, "b": 1.0}
    assert ir_value(irm, irm.Judged @ 2, judged, scored) == 1.0
    assert one(judged, "a b", "Judged@2") == 1 / 2
    assert one(judged, "a b", "Judged@2", negative="nonrelevant") == 1.0


def test_ir_measures_set_f(irm: Any) -> None:
    """D15: its beta is beta squared."""
    judged, scored = {"a": 1}, {"a": 2.0, "b": 1.0}
    assert ir_value(irm, irm.SetF(beta=2.0), judged, scored) == pytest.approx(3 / 4)
    assert one(judged, "a b", "SetF(beta=2)") == pytest.approx(5 / 6)


def test_ir_measures_missing_topics(irm: Any) -> None:
    """D16: 0 for a topic that the run lacks, also where relevant documents are counted."""
    qrels, run = {"1": {"a": 1}, "2": {"a": 1, "b": 1}}, {"1": {"a": 1.0}}
    assert by_measure(irm.iter_calc([irm.NumRel], qrels, run))[irm.NumRel] == {"1": 1, "2": 0}
    assert evaluate(qrels, run, "num_rel") == {"1": 1, "2": 2}


def test_ir_measures_average_precision_of_cwl(irm: Any) -> None:
    """D23: asked for by name, cwl_eval divides by the relevant documents retrieved."""
    cwl = require(irm.cwl_eval)
    judged, scored = {"a": 1, "b": 1}, {"x": 2.0, "a": 1.0}
    assert ir_value(cwl, irm.AP, judged, scored) == pytest.approx(1 / 2)
    assert ir_value(irm, irm.AP, judged, scored) == one(judged, "x a", "AP") == 1 / 4


def test_ir_measures_fractional_grades(irm: Any) -> None:
    """D35: pytrec_eval refuses them."""
    with pytest.raises(TypeError, match="integer"):
        irm.calc([irm.nDCG], {"1": {"a": 0.5}}, {"1": {"a": 1.0}})
    assert cf.evaluate({"1": {"a": 0.5}}, {"1": {"a": 1.0}}, "nDCG").mean().item() == 1.0


# --- ranx -----------------------------------------------------------------------------

RANX = {
    **{f"precision@{k}": f"P@{k}" for k in (1, 5, 20)},
    **{f"recall@{k}": f"R@{k}" for k in (1, 5, 20)},
    **{f"hit_rate@{k}": f"Success@{k}" for k in (1, 5, 20)},
    **{f"mrr@{k}": f"RR@{k}" for k in (1, 5, 20)},
    **{f"map@{k}": f"AP@{k}" for k in (1, 5, 20)},
    **{f"ndcg@{k}": f"nDCG@{k}" for k in (1, 5, 20)},
    **{f"ndcg_burges@{k}": f'nDCG(dcg="exp-log2")@{k}' for k in (1, 5, 20)},
    "precision": "SetP",
    "recall": "SetR",
    "mrr": "RR",
    "map": "AP",
    "ndcg": "nDCG",
    "ndcg_burges": 'nDCG(dcg="exp-log2")',
    "r-precision": "Rprec",
    "precision@5-l2": "P(rel=2)@5",
    "recall@5-l2": "R(rel=2)@5",
    "hit_rate@5-l2": "Success(rel=2)@5",
    "mrr-l2": "RR(rel=2)",
    "map-l2": "AP(rel=2)",
    "r-precision-l2": "Rprec(rel=2)",
    "ndcg@5-l2": "nDCG(gain={1:0})@5",
}


@pytest.fixture(scope="module")
def ranx() -> Any:
    return pytest.importorskip("ranx")


def from_ranx(ranx: Any, qrels: Judgments, run: Scored, metrics: Iterable[str]) -> dict[str, Any]:
    """Its values, one array a metric.

    As dicts: its own classes take half a minute more to compile. A dict's topics are
    matched by position, and one metric alone with a parameter is a KeyError.
    """
    lists = {topic: run[topic] for topic in qrels}
    wanted = [*dict.fromkeys((*metrics, "precision"))]
    found: dict[str, Any] = ranx.evaluate(qrels, lists, wanted, return_mean=False)
    return found


def compare_with_ranx(ranx: Any, qrels: Judgments, run: Scored) -> int:
    theirs = from_ranx(ranx, qrels, run, (*RANX, "rbp.5", "rbp.95"))
    top = 4
    ours = {**RANX, **{f"rbp.{p}": f"RBP(p=0.{p},max_rel={top})" for p in ("5", "95")}}
    scores = cf.evaluate(qrels, run, list(ours.values()))
    order = [list(qrels).index(topic) for topic in scores.topics]
    for column, (metric, measure) in enumerate(ours.items()):
        # The gain of its RBP is the grade itself.
        expected = theirs[metric][order] / (top if metric.startswith("rbp") else 1)
        np.testing.assert_allclose(
            scores.values[0, :, column], expected, rtol=1e-12, atol=1e-14, err_msg=measure
        )
    return int(scores.values.size) + compare_bpref_with_ranx(ranx, qrels, run)


def compare_bpref_with_ranx(ranx: Any, qrels: Judgments, run: Scored) -> int:
    """Topics with a relevant document and one below; negative grades are judged there."""
    compared = 0
    for metric, measure, level in (("bpref", "bpref", 1), ("bpref-l2", "bpref(rel=2)", 2)):
        some = {
            topic: judged
            for topic, judged in qrels.items()
            if max(judged.values()) >= level > min(judged.values())
        }
        theirs = from_ranx(ranx, some, run, [metric])[metric]
        ours = evaluate(some, {t: run[t] for t in some}, measure, negative="nonrelevant")
        expected = dict(zip(some, theirs, strict=True))
        np.testing.assert_allclose(
            [ours[topic] for topic in some],
            [expected[topic] for topic in some],
            rtol=1e-12,
            atol=1e-14,
        )
        compared += len(some)
    return compared


@pytest.mark.parametrize("batch", range(BATCHES))
def test_ranx_random(ranx: Any, batch: int) -> None:
    qrels, run = batch_of(batch, negative=True, missing=False)
    assert compare_with_ranx(ranx, qrels, run) > 10_000


@pytest.mark.parametrize("name", graded.REAL)
def test_ranx_real(ranx: Any, data: Path, name: str) -> None:
    compared = 0
    for _, qrels, run in graded.real(data / name, REAL_RUNS[name]):
        compared += compare_with_ranx(ranx, qrels, graded.untied(run))
    assert compared > 20_000


def ranx_value(ranx: Any, metric: str, judged: dict[str, int], scored: dict[str, float]) -> float:
    return float(from_ranx(ranx, {"1": judged}, {"1": scored}, [metric])[metric][0])


def test_ranx_order_of_ties(ranx: Any) -> None:
    """D1: by position, not by id: two runs that say the same have two values."""
    values = [
        ranx_value(ranx, "mrr", {"a": 1}, scored)
        for scored in ({"a": 1.0, "b": 1.0}, {"b": 1.0, "a": 1.0})
    ]
    assert sorted(values) == [1 / 2, 1.0]
    for scored in ({"a": 1.0, "b": 1.0}, {"b": 1.0, "a": 1.0}):
        assert evaluate({"1": {"a": 1}}, {"1": scored}, "RR")["1"] == 1 / 2


def test_ranx_rbp(ranx: Any) -> None:
    """D10: the gain is the grade, so a value can be above 1."""
    judged, scored = {"a": 3}, {"a": 1.0}
    assert ranx_value(ranx, "rbp.5", judged, scored) == 3 / 2
    assert one(judged, "a", "RBP(p=0.5)") == one(judged, "a", "RBP(p=0.5,max_rel=3)") == 1 / 2


def test_ranx_level_of_ndcg(ranx: Any) -> None:
    """D13: -l takes lower grades out of nDCG; trec_eval's -l leaves nDCG alone."""
    judged, scored = {"a": 1, "b": 2}, {"a": 2.0, "b": 1.0}
    assert ranx_value(ranx, "ndcg-l2", judged, scored) == pytest.approx(1 / math.log2(3))
    assert one(judged, "a b", "nDCG(gain={1:0})") == pytest.approx(1 / math.log2(3))
    assert one(judged, "a b", "nDCG") > 0.8


def test_ranx_negative_grades(ranx: Any) -> None:
    """D14: bpref counts them as judged not relevant."""
    judged, scored = {"a": 1, "b": -1, "c": 0}, {"b": 2.0, "a": 1.0}
    assert ranx_value(ranx, "bpref", judged, scored) == 0.0
    assert one(judged, "b a", "bpref") == 1.0
    assert one(judged, "b a", "bpref", negative="nonrelevant") == 0.0


def test_ranx_fractional_grades(ranx: Any) -> None:
    """D35: a grade below 1 gains nothing there."""
    judged: dict[str, Any] = {"a": 0.5, "b": 1}
    assert ranx_value(ranx, "ndcg", judged, {"a": 2.0, "b": 1.0}) == pytest.approx(1 / math.log2(3))
    assert one(judged, "a b", "nDCG") == pytest.approx(
        (0.5 + 1 / math.log2(3)) / (1 + 0.5 / math.log2(3))
    )


def test_ranx_missing_topics(ranx: Any) -> None:
    """D16: it refuses a run whose topics are not those of the judgments."""
    with pytest.raises(AssertionError, match="do not match"):
        ranx.evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}}, ["map", "mrr"])
    assert evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}}, "AP") == {"1": 1, "2": 0}


def test_ranx_bpref_without_judgments(ranx: Any) -> None:
    """D17: NaN without a document judged not relevant.

    Without a relevant one it stops in silence: topics that follow get 0 as well.
    """
    assert math.isnan(ranx_value(ranx, "bpref", {"a": 1, "b": 1}, {"a": 1.0}))
    assert one({"a": 1, "b": 1}, "a", "bpref") == 1 / 2
    qrels = {"1": {"a": 0}, "2": {"a": 1, "b": 0}}
    run = {"1": {"a": 1.0}, "2": {"a": 1.0}}
    assert from_ranx(ranx, qrels, run, ["bpref"])["bpref"].tolist() == [0.0, 0.0]
    assert evaluate(qrels, run, "bpref") == {"1": 0.0, "2": 1.0}


def test_ranx_f1_at_k(ranx: Any) -> None:
    """Its f1@k takes P@k, whose divisor is k; SetF@k is that of the documents there are."""
    judged, scored = {"a": 1}, {"a": 1.0}
    assert ranx_value(ranx, "f1@3", judged, scored) == 1 / 2
    assert one(judged, "a", "SetF@3") == 1.0
    assert ranx_value(ranx, "f1", judged, scored) == one(judged, "a", "SetF") == 1.0
