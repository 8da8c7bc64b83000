"""Random and real collections against ir-measures with its providers.

Where it has another definition, a test shows both values on a small example;
``tests/against/README.md`` lists these under "Differences to other evaluators".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest

from tests import graded
from tests.against.peers_of_measures import BATCHES, REAL_RUNS, batch_of, evaluate, one
from tests.graded import Judgments, Scored


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
    """Compares its values with cranfield's, every topic of the judgments; how many there were."""
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


@pytest.mark.parametrize("batch", BATCHES)
def test_ir_measures_random(irm: Any, batch: int) -> None:
    qrels, run = batch_of(batch, negative=True, missing=True)
    pairs = same_spelling(irm) + other_spelling(irm)
    compared = compare_with_ir_measures(pairs, irm.pytrec_eval, qrels, run)
    qrels, run = batch_of(batch, negative=False, missing=True)
    compared += compare_with_ir_measures(judged_only(irm), irm.judged, qrels, run)
    assert compared > 20_000


@pytest.mark.parametrize("batch", BATCHES)
def test_ir_measures_cwl_random(irm: Any, batch: int) -> None:
    require(irm.cwl_eval)
    qrels, run = batch_of(batch, negative=True, missing=True)
    assert compare_with_ir_measures(untied_only(irm), irm, qrels, run) > 1_500


@pytest.mark.parametrize("batch", BATCHES)
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
    """D23: when it is named, cwl_eval divides by the relevant documents retrieved."""
    cwl = require(irm.cwl_eval)
    judged, scored = {"a": 1, "b": 1}, {"x": 2.0, "a": 1.0}
    assert ir_value(cwl, irm.AP, judged, scored) == pytest.approx(1 / 2)
    assert ir_value(irm, irm.AP, judged, scored) == one(judged, "x a", "AP") == 1 / 4


def test_ir_measures_fractional_grades(irm: Any) -> None:
    """D35: pytrec_eval refuses them."""
    with pytest.raises(TypeError, match="integer"):
        irm.calc([irm.nDCG], {"1": {"a": 0.5}}, {"1": {"a": 1.0}})
    assert cf.evaluate({"1": {"a": 0.5}}, {"1": {"a": 1.0}}, "nDCG").mean().item() == 1.0
