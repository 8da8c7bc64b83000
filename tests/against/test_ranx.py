"""Random and real collections against ranx.

Where it has another definition, a test shows both values on a small example;
``tests/against/README.md`` lists these under "Differences to other evaluators".
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield._core import families

from tests import graded
from tests.against.peers_of_measures import BATCHES, REAL_RUNS, batch_of, evaluate, one
from tests.graded import Judgments, Scored

_OURS = {
    peer["spelling"]: peer["here"] or family["name"]
    for family in families()
    for peer in family["peers"]
    if peer["tool"] == "ranx"
}

_CUT = ("precision", "recall", "hit_rate", "mrr", "map", "ndcg", "ndcg_burges")

RANX = {
    **{
        f"{name}@{k}": _OURS[f"{name}@10"].removesuffix("@10") + f"@{k}"
        for name in _CUT
        for k in (1, 5, 20)
    },
    **{name: _OURS[name] for name in ("precision", "recall", "mrr", "map", "r-precision")},
    "ndcg": "nDCG",
    "ndcg_burges": 'nDCG(dcg="exp-log2")',
    "precision@5-l2": "P(rel=2)@5",
    "recall@5-l2": "R(rel=2)@5",
    "hit_rate@5-l2": "Success(rel=2)@5",
    "mrr-l2": "RR(rel=2)",
    "map-l2": "AP(rel=2)",
    "r-precision-l2": "Rprec(rel=2)",
    "ndcg@5-l2": "nDCG(gain={1:0})@5",
}
"""Its names, and what the registry says that they are; at a level, with the argument of ours."""


@pytest.fixture(scope="module")
def ranx() -> Any:
    from tests.against.peers.compiled_once import ranx

    return ranx


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


@pytest.mark.parametrize("batch", BATCHES)
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
