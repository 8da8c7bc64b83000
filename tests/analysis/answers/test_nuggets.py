"""Nuggets of answers.

The oracles are the record ``nuggets`` of ``vectors.json``, nuggetizer (recorded), figures of its
own tests, and arithmetic next to the data.
"""

from __future__ import annotations

import gzip
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import answers

from tests import ROOT
from tests.against import answer_cases
from tests.against.recorded_answers import recorded

VECTORS = ROOT / "rust" / "core" / "tests" / "data" / "vectors.json"


def record(name: str) -> Any:
    return next(r for r in json.loads(VECTORS.read_text()) if r["name"] == name)


def number(text: str | float) -> float:
    return float(Fraction(text)) if isinstance(text, str) else text


def test_nugget_recall_of_the_worked_example() -> None:
    worked = record("nuggets")
    found = answers.nugget_recall([tuple(n) for n in worked["params"]["nuggets"]])
    ours = {
        "all_strict": found.strict_all,
        "all": found.all,
        "vital_strict": found.strict_vital,
        "vital": found.vital,
        "weighted(okay 0.5)": found.weighted,
        "weighted_strict": found.strict_weighted,
    }
    assert ours.keys() == worked["expected"].keys()
    for key, value in worked["expected"].items():
        assert ours[key] == pytest.approx(number(value), abs=1e-15), key


def test_no_nugget_and_no_vital_nugget_are_0() -> None:
    assert answers.nugget_recall([]) == answers.NuggetRecall(0, 0, 0, 0, 0, 0)
    assert answers.nugget_recall([("okay", "support")]) == answers.NuggetRecall(0, 1, 0, 1, 1, 1)


def test_failed_nuggets_by_hand() -> None:
    pairs = [("vital", "support"), ("vital", "failed"), ("okay", "support"), ("failed", "support")]
    # vital: 1 of 2; all: 3 of 4; weighted: (1 + 0 + 1/2 + 0) / (1 + 1 + 1/2 + 0).
    assert answers.nugget_recall(pairs) == answers.NuggetRecall(0.5, 0.75, 0.5, 0.75, 0.6, 0.6)


def test_nuggetizer_computes_the_same() -> None:
    for case, theirs in enumerate(recorded("nuggets")):
        found = answers.nugget_recall(answer_cases.nuggets(case))
        ours = [found.strict_vital, found.strict_all, found.vital, found.all]
        assert ours == pytest.approx(theirs, abs=1e-15), case


def test_files_are_scored_as_single_answers_are(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    cases = {
        (run, topic): answer_cases.nuggets(7 * topic + run)
        for run in (0, 1)
        for topic in (1, 2, 10)
    }
    with path.open("w") as file:
        for (run, topic), pairs in cases.items():
            nuggets = [{"importance": i, "assignment": a, "text": "x"} for i, a in pairs]
            record = {"qid": topic, "run_id": f"r{run}", "nuggets": nuggets}
            file.write(json.dumps(record) + "\n")
    scores = answers.nugget_recall(path)
    assert scores.runs == ("r0", "r1")
    assert scores.topics == ("1", "10", "2")
    for (run, topic), pairs in cases.items():
        single = answers.nugget_recall(pairs)
        for measure in scores.measures:
            place = scores.topics.index(str(topic))
            assert scores[f"r{run}", measure][place] == getattr(single, measure)
    mapped = {f"r{run}": {str(t): cases[run, t] for t in (1, 2, 10)} for run in (0, 1)}
    assert (answers.nugget_recall(mapped).values == scores.values).all()
    packed = tmp_path / "runs.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert (answers.nugget_recall([packed]).values == scores.values).all()


def test_a_topic_without_an_answer(tmp_path: Path) -> None:
    runs = {"a": {"1": [("vital", "support")], "2": [("vital", "not_support")]}, "b": {"1": []}}
    with pytest.warns(cf.CranfieldWarning, match="run 'b' did not answer 1 of 2 topics"):
        skipped = answers.nugget_recall(runs)
    assert np.isnan(skipped["b", "vital"][1])
    with pytest.warns(cf.CranfieldWarning, match="scored 0"):
        zero = answers.nugget_recall(runs, missing="zero")
    assert zero["b", "vital"].tolist() == [0, 0]
    with pytest.raises(cf.Error, match="did not answer") as error:
        answers.nugget_recall(runs, missing="error")
    assert error.value.kind == "topics"
    with pytest.raises(cf.Error, match="is reserved for summaries"):
        answers.nugget_recall({"a": {"all": []}})


def test_a_bank_gives_the_importance(tmp_path: Path) -> None:
    bank, path = tmp_path / "bank.jsonl", tmp_path / "given.jsonl"
    nuggets = [
        {"text": "x", "importance": "vital"},
        {"text": "y", "importance": "okay"},
    ]
    bank.write_text(json.dumps({"qid": "1", "nuggets": nuggets}))
    held = [{"text": "y", "assignment": "support"}, {"text": "x", "assignment": "not_support"}]
    path.write_text(json.dumps({"qid": "1", "run_id": "r", "nuggets": held}))
    scores = answers.nugget_recall(path, bank=bank)
    assert scores["r", "vital"].tolist() == [0.0]
    assert scores["r", "all"].tolist() == [0.5]
    assert answers.read_nuggets(path, bank=bank) == {
        "r": {"1": [("okay", "support"), ("vital", "not_support")]}
    }
    with pytest.raises(cf.Error, match="without it name the bank"):
        answers.nugget_recall(path)
    path.write_text(json.dumps({"qid": "1", "run_id": "r", "nuggets": held[:1]}))
    with pytest.raises(cf.Error, match="no assignment of the nugget 'x' of the bank"):
        answers.nugget_recall(path, bank=bank)


def test_nuggets_are_read_by_run_and_topic(tmp_path: Path) -> None:
    path = tmp_path / "assignments.jsonl"
    nuggets = [
        {"text": "a", "importance": "vital", "assignment": "support"},
        {"text": "b", "importance": "okay", "assignment": "partial_support"},
    ]
    lines = [{"qid": "q1", "nuggets": nuggets}, {"qid": 2, "run_id": "x", "nuggets": nuggets[:1]}]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    read = answers.read_nuggets(path)
    assert read == {
        "run": {"q1": [("vital", "support"), ("okay", "partial_support")]},
        "x": {"2": [("vital", "support")]},
    }
    # nuggetizer prints 1.0, 0.5, 1.0 and 0.75 for the first.
    found = answers.nugget_recall(read["run"]["q1"])
    assert (found.strict_vital, found.strict_all, found.vital, found.all) == (1.0, 0.5, 1.0, 0.75)


GOOD = '{"qid": "1", "nuggets": [{"importance": "vital", "assignment": "support"}]}\n'


@pytest.mark.parametrize(
    ("text", "kind", "sentence"),
    [
        (GOOD + "{", "fields", "n.jsonl:2: expected a JSON object"),
        (GOOD + "[]", "fields", "n.jsonl:2: expected a JSON object"),
        (
            '{"qid": "1", "nuggets": [{"importance": "vital"}]}',
            "fields",
            "n.jsonl:1: nuggets[0]: expected the key assignment",
        ),
        ('{"qid": "1"}', "fields", "n.jsonl:1: expected the key nuggets, found qid"),
        ('{"nuggets": []}', "fields", "n.jsonl:1: expected the key query_id or qid"),
        ('{"qid": "1", "nuggets": {}}', "fields", "nuggets: expected a list"),
        ('{"qid": "1", "nuggets": ["a"]}', "fields", "nuggets[0]: expected an object"),
        ('{"qid": true, "nuggets": []}', "fields", "qid: expected text or a whole number"),
        ('{"qid": "1", "topic_id": "2", "nuggets": []}', "conflict", "qid is '1', topic_id is '2'"),
        ('{"qid": "1", "qid": "2"}', "duplicate", "the key 'qid' is there twice"),
        ('{"qid": "\\ud800", "nuggets": []}', "fields", "n.jsonl:1: the topic: expected text that"),
        (GOOD + GOOD, "duplicate", "n.jsonl:2: expected one answer per run and topic"),
        (
            GOOD.replace("vital", "big"),
            "option",
            "n.jsonl:1: nuggets[0].importance: expected one of vital, okay, failed; found 'big'",
        ),
        (
            GOOD.replace("support", "yes"),
            "option",
            "nuggets[0].assignment: expected one of support, partial_support, not_support, failed",
        ),
        ("[" * 100_000, "limit", "n.jsonl:1: expected JSON with arrays and objects in at most 100"),
    ],
)
def test_a_file_of_nuggets_that_is_wrong(
    text: str, kind: str, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "n.jsonl"
    path.write_text(text)
    for read in (answers.read_nuggets, answers.nugget_recall):
        with pytest.raises(cf.Error) as error:
            read(path)
        assert error.value.kind == kind
        assert sentence in str(error.value)
        assert error.value.file == str(path)
        assert error.value.line == text.count("\n", 0, -1) + 1


def test_a_file_of_nuggets_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(cf.Error, match="there is no such file") as error:
        answers.read_nuggets(tmp_path / "none.jsonl")
    assert error.value.kind == "missing"


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_files_without_answers(text: str, tmp_path: Path) -> None:
    path = tmp_path / "n.jsonl"
    path.write_text(text)
    for read in (
        answers.nugget_recall,
        answers.read_nuggets,
        answers.rubric_score,
        answers.citation_support,
        answers.argue,
    ):
        with pytest.raises(cf.Error, match="found none") as error:
            read(path)
        assert (error.value.kind, error.value.file) == ("empty", str(path))


def test_unknown_labels_count_as_no_support_if_asked(tmp_path: Path) -> None:
    # nuggetizer compares with "support" and "partial_support", so any other label adds 0 and its
    # nugget still counts below the line: vital (1 + 0) / 2, all (1 + 0 + 1/2 + 0) / 4.
    labels = [("vital", "support"), ("vital", "Supported"), ("okay", "partial_support")]
    pairs: Any = [*labels, ("okay", None)]
    nuggets = [{"importance": i, "assignment": a, "text": f"{i} {a}"} for i, a in pairs]
    path = tmp_path / "n.jsonl"
    path.write_text(json.dumps({"qid": "1", "run_id": "r", "nuggets": nuggets}))
    bank, bare = tmp_path / "bank.jsonl", tmp_path / "bare.jsonl"
    bank.write_text(json.dumps({"qid": "1", "nuggets": nuggets}))
    for nugget in nuggets:
        nugget.pop("importance")
    bare.write_text(json.dumps({"qid": "1", "run_id": "r", "nuggets": nuggets}))
    for given, banked in ((path, None), ({"r": {"1": pairs}}, None), (bare, bank)):
        with pytest.warns(cf.CranfieldWarning) as told:
            scores = answers.nugget_recall(given, bank=banked, unknown_labels="not_support")
        assert [str(one.message) for one in told] == [
            "2 unknown labels counted as not_support: 'Supported' (1), None (1)"
        ]
        assert scores["r", "vital"].tolist() == [0.5]
        assert scores["r", "all"].tolist() == [0.375]
        with pytest.raises(cf.Error, match="found 'Supported'; unknown_labels=\"not_support\""):
            answers.nugget_recall(given, bank=banked)
    with pytest.warns(cf.CranfieldWarning, match="2 unknown labels"):
        single = answers.nugget_recall(pairs, unknown_labels="not_support")
    assert (single.vital, single.all) == (0.5, 0.375)
    with pytest.warns(cf.CranfieldWarning, match="2 unknown labels"):
        found = answers.read_nuggets(path, unknown_labels="not_support")
    assert [held for _, held in found["r"]["1"]] == [
        "support",
        "not_support",
        "partial_support",
        "not_support",
    ]
    with pytest.raises(cf.Error, match="one of error, not_support as unknown_labels, found 'skip'"):
        answers.nugget_recall(path, unknown_labels="skip")


@pytest.mark.parametrize("nugget", [{"importance": "vital"}, {"importance": "x", "assignment": ""}])
def test_what_unknown_labels_leaves_an_error(tmp_path: Path, nugget: dict[str, str]) -> None:
    path = tmp_path / "n.jsonl"
    path.write_text(json.dumps({"qid": "1", "run_id": "r", "nuggets": [nugget]}))
    with pytest.raises(cf.Error, match=r"key assignment|\.importance: expected one of vital"):
        answers.nugget_recall(path, unknown_labels="not_support")
