"""Nuggets, citations, instructions and abstention.

The oracles are the records ``nuggets``, ``support_trec_rag`` and ``nauc`` of ``vectors.json``,
figures of nuggetizer's own tests, and arithmetic next to the data.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import abstention, answers, instructions

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


# --- instructions ---------------------------------------------------------------------


def test_p_mrr_by_hand() -> None:
    before = {"1": {"a": 4, "b": 3, "c": 2, "d": 1}, "2": {"a": 2, "b": 1}}
    after = {"1": {"b": 4, "c": 3, "d": 2, "a": 1}, "2": {"b": 2, "x": 1}}
    # a falls from 1 to 4, d rises from 4 to 3, in topic 2 a falls from 1 below the end, rank 3.
    found = instructions.p_mrr(before, after, {"1": ["a", "d"], "2": ["a"]})
    assert found == {"1": pytest.approx((3 / 4 - 1 / 4) / 2), "2": pytest.approx(2 / 3)}
    same = instructions.p_mrr(before, before, {"1": ["a", "b", "z"]})
    assert same == {"1": 0}


def test_p_mrr_turns_its_sign() -> None:
    rng = random.Random(3)
    for _ in range(200):
        documents = [f"d{i}" for i in range(rng.randint(1, 9))]
        lists = [{"1": {d: rng.random() for d in documents}} for _ in range(2)]
        chosen = rng.sample(documents, rng.randint(1, len(documents)))
        there = instructions.p_mrr(lists[0], lists[1], {"1": chosen})["1"]
        back = instructions.p_mrr(lists[1], lists[0], {"1": chosen})["1"]
        assert there == pytest.approx(-back, abs=1e-15)
        assert -1 < there < 1


@pytest.mark.parametrize(
    ("withdrawn", "sentence"),
    [
        ({"2": ["a"]}, "expected topic '2' in before, found none"),
        ({"1": []}, "expected documents for topic '1', found none"),
    ],
)
def test_p_mrr_without_its_topics(withdrawn: dict[str, list[str]], sentence: str) -> None:
    run = {"1": {"a": 1.0}}
    with pytest.raises(cf.Error, match=sentence) as error:
        instructions.p_mrr(run, run, withdrawn)
    assert error.value.kind == "topics"


def test_robustness_is_the_mean_of_the_worst() -> None:
    qrels = {"q1_a": {"x": 1}, "q1_b": {"y": 1}, "q2_a": {"x": 1}}
    runs = {"one": {key: {"x": 2.0, "y": 1.0} for key in qrels}, "two": {"q2_a": {"x": 1.0}}}
    scores = cf.evaluate(qrels, runs, "RR P@1")
    found = instructions.robustness(scores)
    assert found.tolist() == [[(0.5 + 1) / 2, (0 + 1) / 2], [0.5, 0.5]]
    own = instructions.robustness(scores, lambda topic: topic)
    assert np.allclose(own, scores.mean())


# --- abstention -----------------------------------------------------------------------


def test_nauc_of_the_worked_example() -> None:
    worked = record("nauc")
    values = [number(value) for value in worked["params"]["metric"]]
    for key, name in [
        ("same", "confidence_same_order"),
        ("reversed", "confidence_reversed"),
        ("mixed", "confidence_mixed"),
    ]:
        found = abstention.nauc(values, worked["params"][name])
        assert found == pytest.approx(number(worked["expected"][key]), abs=1e-12), key


def test_nauc_is_the_definition_in_plain_loops() -> None:
    rng = random.Random(5)
    for _ in range(2000):
        topics = range(rng.randint(2, 30))
        values = [rng.choice([0, 0.25, 0.5, 1]) for _ in topics]
        sure = [rng.choice([0.1, 0.2, 0.3, 0.9]) for _ in topics]

        def curve(order: list[int], values: list[float] = values) -> list[float]:
            heights = []
            for tenth in range(10):
                left = order[min(round(tenth / 10 * len(order)), len(order) - 1) :]
                heights.append(sum(values[i] for i in left) / len(left))
            return heights

        def area(heights: list[float]) -> float:
            return sum(0.1 * (a + b) / 2 for a, b in itertools.pairwise(heights))

        own = area(curve(sorted(topics, key=sure.__getitem__)))
        best = area(curve(sorted(topics, key=values.__getitem__)))
        flat = 0.9 * sum(values) / len(values)
        found = abstention.nauc(values, sure)
        if len(set(values)) == 1:
            assert math.isnan(found)
        elif abs(best - flat) > 1e-9:
            assert found == pytest.approx((own - flat) / (best - flat), abs=1e-9)


def test_confidence_by_hand() -> None:
    assert abstention.confidence([1.0, 3.0]) == (3.0, 1.0, 2.0)
    assert abstention.confidence([2.0]) == (2.0, 0.0, 0.0)
    with pytest.raises(cf.Error, match="expected the scores of a list, found none"):
        abstention.confidence([])


def test_nauc_wants_a_confidence_for_each_value() -> None:
    with pytest.raises(cf.Error, match=r"found shapes \(2,\) and \(3,\)") as error:
        abstention.nauc([1, 2], [1, 2, 3])
    assert error.value.kind == "option"


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
