"""Rubrics: the example worked by hand, the definition in fractions, files with faults."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import cranfield as cf
import pytest
from cranfield import answers

HELD = {
    "satisfied": Fraction(1),
    "partially_satisfied": Fraction(1, 2),
    "not_satisfied": Fraction(0),
    "failed": Fraction(0),
}


def test_the_worked_example() -> None:
    verdicts = ["satisfied", "partially_satisfied", "not_satisfied", "satisfied", "not_satisfied"]
    found = answers.rubric_score(list(zip([4, 2, 3, -3, -1], verdicts, strict=True)))
    # (4 + 1 - 3) / (4 + 2 + 3), and (4 - 3) / 9.
    assert found.score == pytest.approx(2 / 9, abs=1e-15)
    assert found.binary == pytest.approx(1 / 9, abs=1e-15)


def test_twins_in_fractions() -> None:
    chance = Random(2)
    for _ in range(300):
        criteria = [
            (chance.randint(-5, 5), chance.choice(list(HELD)), chance.choice(("mandatory", "")))
            for _ in range(chance.randint(0, 8))
        ]
        whole = sum(max(weight, 0) for weight, _, _ in criteria)
        total = sum((weight * HELD[held] for weight, held, _ in criteria), Fraction(0))
        strict = sum(weight for weight, held, _ in criteria if held == "satisfied")
        found = answers.rubric_score(criteria)
        if whole:
            assert found.score == pytest.approx(float(total / whole), abs=1e-14)
            assert found.binary == pytest.approx(strict / whole, abs=1e-14)
        else:
            assert math.isnan(found.score)
            assert math.isnan(found.binary)
        failed = sum(tier == "mandatory" and held != "satisfied" for _, held, tier in criteria)
        assert found.n_mandatory_fail == failed


def test_files_are_scored(tmp_path: Path) -> None:
    path = tmp_path / "graded.jsonl"
    criteria = [
        {"criterion": "x", "weight": 2, "verdict": "partially_satisfied", "tier": "mandatory"},
        {"criterion": "y", "weight": -1.5, "verdict": "not_satisfied", "axis": "style"},
    ]
    lines = [
        {"qid": "1", "run_id": "r", "criteria": criteria},
        {"qid": "2", "run_id": "r", "rubrics": criteria[1:]},
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    scores = answers.rubric_score(path)
    assert scores["r", "score"].tolist() == pytest.approx([0.5, math.nan], nan_ok=True)
    assert scores["r", "n_mandatory_fail"].tolist() == [1.0, 0.0]
    assert scores.better["n_mandatory_fail"] == "lower"
    assert answers.read_rubrics(path) == {
        "r": {
            "1": [(2.0, "partially_satisfied", "mandatory"), (-1.5, "not_satisfied", "")],
            "2": [(-1.5, "not_satisfied", "")],
        }
    }
    mapped = answers.rubric_score(answers.read_rubrics(path))
    assert mapped["r", "score"].tolist() == pytest.approx([0.5, math.nan], nan_ok=True)


@pytest.mark.parametrize(
    ("criterion", "kind", "message"),
    [
        ({"weight": 1}, "fields", r"criteria\[0\]: expected the key verdict"),
        ({"verdict": "satisfied"}, "fields", r"criteria\[0\]: expected the key weight"),
        ({"weight": "1", "verdict": "satisfied"}, "number", "expected a finite number"),
        ({"weight": math.inf, "verdict": "satisfied"}, "number", "found inf"),
        ({"weight": True, "verdict": "satisfied"}, "number", "found True"),
        ({"weight": 1, "verdict": "yes"}, "option", "expected one of satisfied, partially_satis"),
        ({"weight": 1, "verdict": "satisfied", "tier": 3}, "fields", "tier: expected text"),
    ],
)
def test_a_file_that_is_wrong(
    tmp_path: Path, criterion: dict[str, object], kind: str, message: str
) -> None:
    path = tmp_path / "graded.jsonl"
    path.write_text(json.dumps({"qid": "1", "criteria": [criterion]}))
    with pytest.raises(cf.Error, match=message) as caught:
        answers.rubric_score(path)
    assert (caught.value.kind, caught.value.file, caught.value.line) == (kind, str(path), 1)


def test_criteria_that_are_wrong() -> None:
    for criteria in ([(1,)], [3], [(1, "satisfied", "mandatory", 2)]):
        with pytest.raises(cf.Error, match="for a criterion"):
            answers.rubric_score(criteria)  # type: ignore[arg-type]
    with pytest.raises(cf.Error, match="finite"):
        answers.rubric_score([(math.nan, "satisfied")])


def test_unknown_verdicts_count_as_not_satisfied_if_asked(tmp_path: Path) -> None:
    # RAGDoll looks a verdict up and takes 0 for one that it has not: (1 * 1 + 3 * 0) / 4.
    criteria = [{"weight": 1, "verdict": "satisfied"}, {"weight": 3, "verdict": "unclear"}]
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps({"qid": "1", "run_id": "r", "criteria": criteria}))
    pairs: Any = [(1, "satisfied"), (3, "unclear", "mandatory")]
    for given in (path, {"r": {"1": pairs}}):
        with pytest.warns(cf.CranfieldWarning, match="1 unknown label counted as not_satisfied"):
            scores = answers.rubric_score(given, unknown_labels="not_satisfied")
        assert scores["r", "score"].tolist() == [0.25]
        with pytest.raises(cf.Error, match='unknown_labels="not_satisfied" counts such labels'):
            answers.rubric_score(given)
    with pytest.warns(cf.CranfieldWarning, match="'unclear'"):
        single = answers.rubric_score(pairs, unknown_labels="not_satisfied")
    assert (single.score, single.n_mandatory_fail) == (0.25, 1)
    with pytest.warns(cf.CranfieldWarning, match="'unclear'"):
        found = answers.read_rubrics(path, unknown_labels="not_satisfied")
    assert found["r"]["1"][1] == (3.0, "not_satisfied", "")
