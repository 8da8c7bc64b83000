"""Nuggets and citations of answers.

The oracles are the records ``nuggets`` and ``support_trec_rag`` of ``vectors.json``, figures
of nuggetizer's own tests, and arithmetic next to the data.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
from cranfield import answers

VECTORS = Path(__file__).parents[2] / "rust" / "core" / "tests" / "data" / "vectors.json"


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
        (GOOD + "{", "fields", "n.jsonl:2: expected an object with qid and nuggets"),
        (GOOD + "[]", "fields", "n.jsonl:2: expected an object"),
        ('{"qid": "1", "nuggets": [{"importance": "vital"}]}', "fields", "n.jsonl:1: expected"),
        (GOOD + GOOD, "duplicate", "n.jsonl:2: expected one answer of a run to a topic"),
        (GOOD.replace("vital", "big"), "option", "expected one of vital, okay as importance"),
        (GOOD.replace("support", "yes"), "option", "as assignment, found 'yes'"),
    ],
)
def test_a_file_of_nuggets_that_is_wrong(
    text: str, kind: str, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "n.jsonl"
    path.write_text(text)
    with pytest.raises(cf.Error) as error:
        answers.read_nuggets(path)
    assert error.value.kind == kind
    assert sentence in str(error.value)


def test_a_file_of_nuggets_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(cf.Error, match="cannot read this file") as error:
        answers.read_nuggets(tmp_path / "none.jsonl")
    assert error.value.kind == "missing"


def test_citation_support_of_the_worked_example() -> None:
    worked = record("support_trec_rag")
    sentences = worked["params"]["sentences_citation_support"]
    every = answers.citation_support(sentences)
    first = answers.citation_support(sentences, first_only=True)
    expected = worked["expected"]
    assert every.precision == number(expected["weighted_precision(all citations)"])
    assert every.recall == number(
        expected["weighted_recall(best citation per sentence, uncited 0)"]
    )
    assert first.precision == pytest.approx(number(expected["first_citation_precision"]), abs=1e-15)
    assert first.recall == number(expected["first_citation_recall"])
    assert answers.citation_support([]) == answers.CitationSupport(0, 0)
    with pytest.raises(cf.Error, match="expected one of full, partial, none as support"):
        answers.citation_support([["maybe"]])


def test_citations_are_read_by_run_and_topic(tmp_path: Path) -> None:
    path = tmp_path / "support.jsonl"
    answer = [
        {"text": "One.", "citations": ["full", {"docid": "d", "support": "Partial Support"}]},
        {"text": "Two.", "citations": ["no_support"]},
        {"text": "Three.", "citations": []},
    ]
    lines = [{"qid": "q1", "answer": answer}, {"qid": 2, "run_id": "x", "answer": answer[:1]}]
    path.write_text("\n".join(map(json.dumps, lines)))
    found = answers.read_citations(path)
    assert found == {
        "run": {"q1": [["full", "partial"], ["none"], []]},
        "x": {"2": [["full", "partial"]]},
    }
    support = answers.citation_support(found["run"]["q1"])
    assert support.precision == 0.5
    assert support.recall == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("line", "kind", "message"),
    [
        ("[]", "fields", "expected an object with qid and answer"),
        ('{"qid": 1, "answer": [{"text": "a"}]}', "fields", "sentences with citations"),
        ('{"qid": 1, "answer": [{"citations": ["half"]}]}', "option", "full, partial, none"),
        ('{"qid": 1, "answer": []}\n{"qid": 1, "answer": []}', "duplicate", "a second to '1'"),
    ],
)
def test_invalid_citations(tmp_path: Path, line: str, kind: str, message: str) -> None:
    path = tmp_path / "support.jsonl"
    path.write_text(line)
    with pytest.raises(cf.Error, match=message) as caught:
        answers.read_citations(path)
    assert caught.value.kind == kind
    assert "support.jsonl:" in str(caught.value)
