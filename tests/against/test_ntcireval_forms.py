"""NTCIREVAL on intents and on classes: EC-, D-, DIN-, IA-, P+Q and the recall of intents."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest

from tests.against.recorders import ntcireval as record_ntcireval
from tests.against.recorders import ntcireval_forms as record
from tests.against.recorders.ntcireval_forms import SETTING, Classed, Diverse
from tests.against.test_ntcireval import half_a_digit, spelling

TOP_DECIDES = {"RBP", "ERR", "nERR", "EBR", "iRBU", "rpref_N"}
"""Measures of its own that look at the highest gain, which it takes from each topic."""


def ours(name: str, top: float) -> str:
    """Our measure for a form and what it calls a measure: ``D-MSnDCG@3`` is ``D-nDCG@3``."""
    form, _, plain = name.partition("-")
    if form in ("I", "P+Q"):
        return name
    if name.startswith("P+Q"):
        return name
    condensed = form.endswith("'")
    # Its option -gap takes gains where lists have gains, and grades in `compute`.
    mode = "raw" if form == "EC" else "topic"
    measure = spelling(plain, SETTING, mode, top)  # type: ignore[arg-type]
    assert measure is not None
    measure = f"{form.rstrip(chr(39))}-{measure}"
    if mode == "topic" and not condensed:
        measure = measure.replace("'", "")
    return measure


def compare_diverse(
    topics: Sequence[Diverse], rows: Sequence[Mapping[str, float]], decimals: int
) -> int:
    """Compares its values, and the sharp ones with the sums of its scripts."""
    compared = 0
    tolerance = half_a_digit(decimals)
    for topic, row in zip(topics, rows, strict=True):
        intents = {str(n): grades for n, grades in enumerate(topic.judged, 1)}
        qrels = cf.Qrels.from_intents(
            {"1": intents},
            weights={"1": dict(zip(intents, topic.probabilities, strict=True))},
            navigational={
                "1": [n for n, nav in zip(intents, topic.navigational, strict=True) if nav]
            },
        )
        run = cf.Run.from_rankings({"1": topic.ranking})
        top = max(record.global_gains(topic).values())
        served = [grades for grades in topic.judged if any(grades.values())]
        same_top = {max(grades.values()) for grades in served} == {3}
        names = {}
        for name in row:
            bare = name.partition("-")[2].partition("@")[0]
            over_intents = name.startswith("IA-")
            if over_intents and bare in TOP_DECIDES and not same_top:
                continue  # D19: each intent has a highest gain of its own there
            if name != "I-rec":
                names[name] = ours(name, 3 if over_intents else top)
        sharp = {
            measure.replace(f"{form}-", f"{form}#-", 1): (name, name.partition("@")[2])
            for name, measure in names.items()
            for form in ("D", "DIN")
            if name.startswith((f"{form}-Q@", f"{form}-MSnDCG@"))
        }
        sharp |= {f"P+Q#@{k}": (f"P+Q@{k}", str(k)) for k in SETTING.cutoffs}
        found = cf.evaluate(qrels, run, [*names.values(), *sharp]).to_dict()["run"]["1"]
        for name, measure in names.items():
            value = found[str(cf.Measure(measure))]
            assert abs(value - row[name]) <= tolerance, (measure, value, name, row[name], topic)
            compared += 1
        for measure, (name, cutoff) in sharp.items():
            value = found[str(cf.Measure(measure))]
            expected = 0.5 * row[f"I-rec@{cutoff}"] + 0.5 * row[name]
            assert abs(value - expected) <= tolerance, (measure, value, expected, topic)
            compared += 1
    return compared


def compare_classed(
    topics: Sequence[Classed], rows: Sequence[Mapping[str, float]], decimals: int
) -> int:
    """Compares its values of measures over classes."""
    compared = 0
    tolerance = half_a_digit(decimals)
    judged = {str(i): topic.judged for i, topic in enumerate(topics)}
    # The highest grade is that of all topics.
    assert max(max(grades.values()) for grades in judged.values()) == 3
    classes = {str(i): topic.classes for i, topic in enumerate(topics)}
    qrels = cf.Qrels(judged).with_column("class", classes)
    run = cf.Run.from_rankings({str(i): topic.ranking for i, topic in enumerate(topics)})
    names = {name: ours(name, 3) for name in rows[0]}
    found = cf.evaluate(qrels, run, list(names.values())).to_dict()["run"]
    for i, row in enumerate(rows):
        for name, measure in names.items():
            value = found[str(i)][str(cf.Measure(measure))]
            assert abs(value - row[name]) <= tolerance, (measure, value, name, row[name], topics[i])
            compared += 1
    return compared


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(record.RECORDED.read_text())
    return content


def test_recorded_intents(recorded: dict[str, Any]) -> None:
    topics = [Diverse(*topic) for topic, _ in recorded["diverse"]]
    rows = [values for _, values in recorded["diverse"]]
    assert compare_diverse(topics, rows, record_ntcireval.DECIMALS) > 4000


def test_recorded_classes(recorded: dict[str, Any]) -> None:
    topics = [Classed(*topic) for topic, _ in recorded["classed"]]
    rows = [values for _, values in recorded["classed"]]
    assert compare_classed(topics, rows, record_ntcireval.DECIMALS) > 1000


@pytest.fixture(scope="module")
def program() -> Path:
    folder = os.environ.get("NTCIREVAL")
    if not folder:
        pytest.skip("NTCIREVAL does not name the folder of the built program")
    return record_ntcireval.program(Path(folder))


def test_live_intents(program: Path) -> None:
    topics = record.diverse(7, 300)
    rows = record.printed_diverse(program, topics)
    assert compare_diverse(topics, rows, record_ntcireval.decimals(program)) > 40_000


def test_live_classes(program: Path) -> None:
    topics = record.classed(8, 700)
    rows = record.printed_classed(program, topics)
    assert compare_classed(topics, rows, record_ntcireval.decimals(program)) > 25_000


def test_a_document_without_a_class_is_one_of_its_own() -> None:
    qrels = cf.Qrels({"1": {"a": 1, "b": 1, "c": 2, "d": 0}})
    qrels = qrels.with_column("class", {"1": {"a": 7, "c": 7}})
    assert qrels.column("class", "1") == {"a": 7, "c": 7}
    run = cf.Run.from_rankings({"1": ["a", "c", "b"]})
    found = cf.evaluate(qrels, run, "EC-num_rel EC-AP EC-CG").values.ravel().tolist()
    assert found == [2, (1 + 2 / 3) / 2, 2]


def test_a_class_is_used_up_by_what_is_relevant_to_the_measure() -> None:
    """Under rel=2 the first document of the class is nothing, and the second counts."""
    qrels = cf.Qrels({"1": {"a": 1, "b": 2}}).with_column("class", {"1": {"a": 1, "b": 1}})
    run = cf.Run.from_rankings({"1": ["a", "b"]})
    assert cf.evaluate(qrels, run, "EC-RR(rel=2) EC-RR").values.ravel().tolist() == [0.5, 1]


def test_forms_of_measures_as_values() -> None:
    assert str(cf.nDCG.over("D#") @ 10) == "D#-nDCG@10"
    assert cf.Q.over("EC") == cf.Measure("EC-Q")
    assert str(cf.P_Q @ 10) == "P+Q@10"
    for measure, prefix, message in [
        (cf.nDCG, "X", "expected one of char, span, EC, D, D#"),
        (cf.nDCG.over("D"), "D", "not over documents"),
        (cf.infNDCG, "D", "reads more than grades"),
    ]:
        with pytest.raises(cf.Error, match=message) as raised:
            measure.over(prefix)
        assert raised.value.kind == "parameter"


def test_an_unknown_navigational_intent_is_refused() -> None:
    qrels = cf.Qrels.from_intents({"1": {"x": {"a": 1}}})
    with pytest.raises(cf.Error, match=r"expected an intent of topic .?1.?, found .?y"):
        qrels.with_navigational({"1": ["y"]})


def test_bounds_are_refused() -> None:
    qrels = cf.Qrels.from_intents({"1": {"x": {"a": 1}}})
    with pytest.raises(cf.Error, match="D-nDCG@10"):
        cf.bounds(qrels, {"1": {"a": 1.0}}, "D-nDCG@10")
