"""Citations of answers.

The oracles are the record ``support_trec_rag`` of ``vectors.json``, the example of Thakur et al.
(2025, section 3.4), examples worked by hand, and the definitions in fractions.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import cranfield as cf
import pytest
from cranfield import answers

from tests import ROOT

VECTORS = ROOT / "rust" / "core" / "tests" / "data" / "vectors.json"
NAMES = (
    "weighted_precision_first",
    "weighted_recall_first",
    "hard_precision",
    "hard_recall",
    "weighted_precision_all",
    "weighted_recall_all",
    "pooled_precision",
    "best_recall",
)


def record(name: str) -> Any:
    return next(r for r in json.loads(VECTORS.read_text()) if r["name"] == name)


def number(text: str | float) -> float:
    return float(Fraction(text)) if isinstance(text, str) else text


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        # Thakur et al. (2025), section 3.4: partial, full and no citation.
        ([[1], [2], []], (".75", ".5", ".5", "1/3", ".75", ".5")),
        ([[2], [1], [0, 2], [-1], []], (".5", ".375", "1/3", ".25", "2/3", ".5")),
        (
            [[2, 0], [1], [-1, 2], [], [0, 1, 2], [-1]],
            (".5", ".375", "1/3", ".25", ".625", ".5", "4/7", ".7"),
        ),
    ],
)
def test_worked_examples(sentences: list[list[int]], expected: tuple[str, ...]) -> None:
    found = answers.citation_support(sentences)
    for name, value in zip(NAMES, expected, strict=False):
        assert getattr(found, name) == pytest.approx(float(Fraction(value)), abs=1e-15), name
    words = {2: "full", 1: "partial", 0: "none", -1: "unjudged"}
    spelled = [[words[support] for support in cited] for cited in sentences]
    assert answers.citation_support(spelled) == found


def test_twins_in_fractions() -> None:
    worth = {2: Fraction(1), 1: Fraction(1, 2), 0: Fraction(0)}

    def share(part: Fraction | int, whole: int) -> Fraction:
        return Fraction(part) / whole if whole else Fraction(0)

    chance = Random(1)
    for _ in range(300):
        sentences = [
            [chance.choice((2, 1, 0, -1)) for _ in range(chance.randint(0, 3))]
            for _ in range(chance.randint(0, 8))
        ]
        cited = [own for own in sentences if own]
        first = [own[0] for own in cited if own[0] >= 0]
        n_first = len(sentences) - sum(own[0] < 0 for own in cited)
        judged = [[worth[s] for s in own if s >= 0] for own in cited]
        lost = sum(not own for own in judged)
        judged = [own for own in judged if own]
        n_all = len(sentences) - lost
        weights = sum((worth[s] for s in first), Fraction(0))
        means = sum((sum(own, Fraction(0)) / len(own) for own in judged), Fraction(0))
        pooled = [value for own in judged for value in own]
        twins = (
            share(weights, len(first)),
            share(weights, n_first),
            share(first.count(2), len(first)),
            share(first.count(2), n_first),
            share(means, len(judged)),
            share(means, n_all),
            share(sum(pooled, Fraction(0)), len(pooled)),
            share(sum((max(own) for own in judged), Fraction(0)), n_all),
        )
        found = answers.citation_support(sentences)
        for name, twin in zip(NAMES, twins, strict=True):
            assert getattr(found, name) == pytest.approx(float(twin), abs=1e-14), (name, sentences)


def test_citation_support_of_the_worked_example() -> None:
    worked = record("support_trec_rag")
    sentences = worked["params"]["sentences_citation_support"]
    found = answers.citation_support(sentences)
    expected = worked["expected"]
    assert found.pooled_precision == number(expected["weighted_precision(all citations)"])
    assert found.best_recall == number(
        expected["weighted_recall(best citation per sentence, uncited 0)"]
    )
    first = number(expected["first_citation_precision"])
    assert found.weighted_precision_first == pytest.approx(first, abs=1e-15)
    assert found.weighted_recall_first == number(expected["first_citation_recall"])
    assert answers.citation_support([]) == answers.CitationSupport(*[0] * 8)
    with pytest.raises(cf.Error, match="expected one of full, partial, none, unjudged"):
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
    assert support.pooled_precision == 0.5
    assert support.best_recall == pytest.approx(1 / 3)


def test_the_files_of_the_track(tmp_path: Path) -> None:
    path = tmp_path / "support.jsonl"
    sentences = [
        {"text": "a", "citations": [{"citationID": 1, "reference": "d", "support": "2"}]},
        {"text": "b", "citations": [{"support": -1}, {"support": "PS"}, {"support": None}]},
    ]
    keys = (("topic_id", "run_id"), ("narrative_id", "runtag"), ("qid", "run"), ("query_id", "run"))
    lines = [
        {topic: f"t{n}", run: "mine", "sentences": sentences} for n, (topic, run) in enumerate(keys)
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    scores = answers.citation_support(str(path))
    assert scores.runs == ("mine",)
    assert scores.topics == ("t0", "t1", "t2", "t3")
    assert scores["mine", "weighted_precision_first"].tolist() == [1.0] * 4
    assert scores["mine", "weighted_recall_first"].tolist() == [1.0] * 4
    assert scores["mine", "weighted_precision_all"].tolist() == [0.75] * 4


@pytest.mark.parametrize(
    ("line", "kind", "message"),
    [
        ("[]", "fields", "expected a JSON object"),
        ('{"qid": 1}', "fields", "expected the key sentences or answer or responses"),
        ('{"qid": 1, "sentences": ["One."]}', "fields", r"sentences\[0\]: expected an object"),
        ('{"qid": 1, "answer": [{"text": "a"}]}', "fields", r"answer\[0\]: expected the key cita"),
        ('{"qid": 1, "answer": [{"citations": 3}]}', "fields", r"citations: expected a list"),
        (
            '{"qid": 1, "answer": [{"citations": ["half"]}]}',
            "option",
            r"answer\[0\].citations\[0\].support: expected one of full, partial, none, unjudged",
        ),
        ('{"qid": 1, "answer": [{"citations": [true]}]}', "option", "found True"),
        ('{"qid": 1, "answer": [{"citations": [3]}]}', "option", "found 3"),
        ('{"qid": 1, "answer": [{"citations": [{}]}]}', "fields", "expected the key support"),
        ('{"qid": 1, "answer": []}\n{"qid": 1, "answer": []}', "duplicate", "a second of"),
    ],
)
def test_invalid_citations(tmp_path: Path, line: str, kind: str, message: str) -> None:
    path = tmp_path / "support.jsonl"
    path.write_text(line)
    with pytest.raises(cf.Error, match=message) as caught:
        answers.read_citations(path)
    assert caught.value.kind == kind
    assert caught.value.file == str(path)
    assert caught.value.line == line.count("\n") + 1


ANSWER = {
    "metadata": {"run_id": "r", "narrative_id": 7},
    "references": ["d1", "d2"],
    "answer": [
        {"text": "a", "citations": [0, 1]},
        {"text": "b", "citations": ["d2"]},
        {"text": "c"},
    ],
}


def judgment(sentence: int, citation: int, label: str | None, **more: Any) -> dict[str, Any]:
    metadata = {"run_id": "r", "topic_id": "7"}
    metadata |= {"sentence_index": sentence, "citation_index": citation}  # type: ignore[dict-item]
    return {"status": "completed", "support_label": label, "metadata": metadata, **more}


def test_judgments_are_joined_to_answers(tmp_path: Path) -> None:
    path, judged = tmp_path / "answers.jsonl", tmp_path / "judgments.jsonl"
    path.write_text(json.dumps(ANSWER))
    lines = [judgment(0, 0, "FS"), judgment(1, 0, "PS", status="failed")]
    judged.write_text("\n".join(map(json.dumps, lines)))
    assert answers.read_citations(path, judgments=judged) == {
        "r": {"7": [["full", "unjudged"], ["unjudged"], []]}
    }
    scores = answers.citation_support(path, judgments=judged)
    assert scores["r", "weighted_recall_first"].tolist() == [0.5]


@pytest.mark.parametrize(
    ("lines", "kind", "message"),
    [
        ([judgment(0, 0, "FS"), judgment(0, 0, "PS")], "duplicate", "2: a second judgment of"),
        (
            [judgment(0, 2, "FS")],
            "label",
            "there are 2 citations, found the place 2",
        ),
        ([judgment(3, 0, "FS")], "label", "sentence_index: there are 3 sentences"),
        ([judgment(0, 0, "XX")], "option", "support_label: expected one of FS, PS, NS"),
        ([{"metadata": {"run_id": "q", "topic_id": "7"}}], "label", "of which there is no answer"),
        ([{"metadata": {"topic_id": "7"}}], "fields", "metadata.run_id"),
    ],
)
def test_invalid_judgments(tmp_path: Path, lines: list[Any], kind: str, message: str) -> None:
    path, judged = tmp_path / "answers.jsonl", tmp_path / "judgments.jsonl"
    path.write_text(json.dumps(ANSWER))
    judged.write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(cf.Error, match=message) as caught:
        answers.citation_support(path, judgments=judged)
    assert caught.value.kind == kind
    assert caught.value.file == str(judged)
