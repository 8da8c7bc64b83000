"""Measures of intents: what ndeval prints, ir_measures' pyndeval example, and by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest

K = (5, 10, 20)
RUNS = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot")


def columns(parameters: str = "", beta: str = "") -> dict[str, str]:
    """ndeval's columns and our measures."""
    alpha = f"({parameters})" if parameters else ""
    both = ",".join(filter(None, (parameters, beta)))
    ours = {
        "ERR-IA": f"ERR_IA{alpha}",
        "nERR-IA": f"nERR_IA{alpha}",
        "alpha-DCG": f"alpha_DCG{alpha}",
        "alpha-nDCG": f"alpha_nDCG{alpha}",
        "P-IA": "P_IA",
        "strec": "StRecall",
    }
    with_k = {f"{name}@{k}": f"{measure}@{k}" for name, measure in ours.items() for k in K}
    with_beta = f"({both})" if both else ""
    return with_k | {
        "NRBP": f"NRBP{with_beta}",
        "nNRBP": f"nNRBP{with_beta}",
        "MAP-IA": "AP_IA",
    }


@pytest.mark.parametrize("run", [*RUNS, "bravo.a0.9b0.8"])
def test_what_ndeval_prints(data: Path, run: str) -> None:
    folder = data / "oracles"
    name, _, given = run.partition(".")
    ours = columns("alpha=0.9", "beta=0.8") if given else columns()
    qrels = cf.read_qrels(folder / "ndeval" / "diversity.qrels", layout="intents")
    scores = cf.evaluate(qrels, folder / "synthetic" / f"{name}.run", list(ours.values()))
    values = scores.to_dict()[name]
    lines = (folder / "ndeval" / f"{run}.csv").read_text().splitlines()
    header = lines[0].split(",")
    compared = 0
    for line in lines[1:]:
        printed = dict(zip(header, line.split(","), strict=True))
        topic = printed["topic"]
        if topic == "amean" or topic not in values:
            continue
        for column, measure in ours.items():
            value = values[topic][str(cf.Measure(measure))]
            text = printed[column]
            if text in ("-nan", "nan"):
                assert value == 0  # D22: a topic without a relevant document
                continue
            assert abs(value - float(text)) <= 0.5e-6 + 1e-12, (topic, column, value, text)
            compared += 1
    assert compared > 200


def worked(data: Path, name: str) -> dict[str, Any]:
    records = json.loads((data / "vectors.json").read_text())
    found: dict[str, Any] = next(record for record in records if record["name"] == name)
    return found


def test_the_example_of_pyndeval(data: Path) -> None:
    record = worked(data, "pyndeval_readme")
    intents: dict[str, dict[str, int]] = {}
    for document, grades in record["judgments"].items():
        for intent, grade in grades.items():
            intents.setdefault(intent, {})[document] = grade
    qrels = cf.Qrels.from_intents({"1": intents})
    run = cf.Run.from_rankings({"1": record["ranking"]})
    ours = columns()
    values = cf.evaluate(qrels, run, list(ours.values())).to_dict()["run"]["1"]
    assert set(record["expected"]) <= set(ours)
    for name, expected in record["expected"].items():
        assert values[str(cf.Measure(ours[name]))] == pytest.approx(expected, rel=1e-12), name


def test_one_list_for_all_intents(data: Path) -> None:
    """Sakai and Song's global gain: 3/4 for x, 1/2 for y, 1 for z, which is not retrieved."""
    record = worked(data, "d_sharp_ndcg")["expected"]
    qrels = cf.Qrels.from_intents(
        {"1": {"1": {"x": 1, "z": 1}, "2": {"y": 2, "z": 1}}},
        weights={"1": {"1": 0.75, "2": 0.25}},
    )
    run = cf.Run.from_rankings({"1": ["y", "x", "w"]})
    ours = {
        "I-rec@3": "I-rec@3",
        "D-nDCG_log2p1@3": "D-nDCG@3",
        "D#-nDCG@3": "D#-nDCG@3",
        "D-Q@3": "D-Q@3",
    }
    values = cf.evaluate(qrels, run, list(ours.values())).to_dict()["run"]["1"]
    for name, measure in ours.items():
        expected = record[name]
        if isinstance(expected, str):
            over, under = expected.split("/")
            expected = int(over) / int(under)
        assert values[str(cf.Measure(measure))] == pytest.approx(expected, rel=1e-12), name


def test_rank_1_is_divided_as_all_others() -> None:
    """D21: ndeval prints 1.0 for a first document that serves one of two intents."""
    qrels = cf.Qrels.from_intents({"1": {"x": {"a": 1}, "y": {"b": 1}}})
    run = cf.Run.from_rankings({"1": ["a", "b"]})
    values = cf.evaluate(qrels, run, "ERR_IA@1 alpha_DCG@1 StRecall@1").values.ravel()
    assert values.tolist() == [0.5, 0.5, 0.5]


def test_two_alphas_in_one_call() -> None:
    """D28: each has its own greedy list."""
    qrels = cf.Qrels.from_intents({"1": {"x": {"a": 1, "b": 1}, "y": {"c": 1}}})
    run = cf.Run.from_rankings({"1": ["a", "b", "c"]})
    found = cf.evaluate(qrels, run, "alpha_nDCG@3 alpha_nDCG(alpha=1)@3").values.ravel()
    log3 = math.log2(3)
    assert found[0] == pytest.approx((1 + 0.5 / log3 + 0.5) / (1 + 1 / log3 + 0.25), rel=1e-15)
    assert found[1] == pytest.approx((1 + 0.5) / (1 + 1 / log3), rel=1e-15)


def test_what_judgments_by_intent_say() -> None:
    qrels = cf.Qrels.from_intents({"1": {"x": {"a": 1, "b": 0}, "y": {"a": 2}}})
    assert qrels["1"] == {"a": 2, "b": 0}
    assert qrels.intents("1") == {"x": 1, "y": 1}
    assert qrels.with_weights({"1": {"x": 0.75, "y": 0.25}}).intents("1") == {"x": 0.75, "y": 0.25}
    assert cf.Qrels({"1": {"a": 1}}).intents("1") == {}


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"1": {"x": 1}}, "none for intent .?y.? of topic"),
        ({"1": {"x": 1, "y": -1}}, "weight of at least 0, found int `-1`"),
    ],
)
def test_weights_are_checked(weights: dict[str, dict[str, float]], message: str) -> None:
    qrels = cf.Qrels.from_intents({"1": {"x": {"a": 1}, "y": {"a": 2}}})
    with pytest.raises(cf.Error, match=message):
        qrels.with_weights(weights)


def test_plain_judgments_are_refused() -> None:
    with pytest.raises(cf.Error, match="needs grades under each intent") as raised:
        cf.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "alpha_nDCG@10")
    assert raised.value.kind == "needs"
