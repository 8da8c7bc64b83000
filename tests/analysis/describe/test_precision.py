"""How many topics single precision orders otherwise, as ``describe`` counts them.

The oracle ranks each list twice with Python's sort, by scores as doubles and as numpy's single
precision, and compares the ranks of the judged documents.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import collection

Lists = dict[str, dict[str, float]]
COLUMN = "f32 differs"


def differs(qrels: Lists, run: Lists, *, ascending: bool = False, least: float = 0) -> int:
    """The topics in which a judged document has two ranks."""

    def ranks(documents: dict[str, float], kind: type) -> dict[str, int]:
        ordered = sorted(documents, key=str.encode, reverse=not ascending)
        ordered.sort(key=lambda d: float(kind(documents[d])), reverse=True)
        return {d: rank for rank, d in enumerate(ordered)}

    count = 0
    for topic, grades in qrels.items():
        one, two = (ranks(run.get(topic, {}), kind) for kind in (np.float64, np.float32))
        count += any(one.get(d) != two.get(d) for d, grade in grades.items() if grade >= least)
    return count


def example(seed: int) -> tuple[Lists, Lists]:
    """Scores that are often the same number in single precision only."""
    chance = random.Random(seed)
    qrels: Lists = {
        f"t{t}": {f"d{i}": chance.choice([-1, 0, 1]) for i in chance.sample(range(40), 6)}
        for t in range(12)
    }
    run = {}
    for t in range(1, 14):
        documents = chance.sample([f"d{i}" for i in range(40)], chance.randrange(1, 30))
        base = [16777217.0, 0.1, 29.5][t % 3]
        width = chance.choice([2e-9, 1e-7, 1e-3])
        run[f"t{t}"] = {d: base * (1 + width * chance.randrange(30)) for d in documents}
    return qrels, run


@pytest.mark.parametrize("seed", range(25))
def test_the_count_is_that_of_two_sorts(seed: int, tmp_path: Path) -> None:
    qrels, run = example(seed)
    expected = differs(qrels, run)
    lines = [f"{t} Q0 {d} 1 {s!r} x\n" for t, docs in run.items() for d, s in docs.items()]
    file, packed, mixed = (tmp_path / name for name in ("run.txt", "run.gz", "mixed.txt"))
    file.write_text("".join(lines))
    packed.write_bytes(gzip.compress(file.read_bytes()))
    random.Random(seed).shuffle(lines)
    mixed.write_text("".join(lines))
    topics, documents, scores = zip(
        *((t, d, s) for t, docs in run.items() for d, s in docs.items()), strict=True
    )
    numbers = [int(d[1:]) for d in documents]
    forms: dict[str, Any] = {
        "dict": run,
        "run": cf.Run(run),
        "path": file,
        "packed": packed,
        "mixed": mixed,
        "stream": io.BytesIO(mixed.read_bytes()),
        "arrays": cf.Run.from_arrays(list(topics), list(documents), list(scores)),
        "read": cf.read_run(file),
    }
    for name, form in forms.items():
        for threads in (1, 2):
            if name == "stream" and threads == 2:
                continue
            found = cf.describe(qrels, form, threads=threads).runs.to_dict()
            assert [row[COLUMN] for row in found.values()] == [expected], name
    integers = cf.Run.from_arrays(list(topics), numbers, list(scores))
    plain = {t: {d[1:]: g for d, g in docs.items()} for t, docs in qrels.items()}
    by_text = {t: {d[1:]: s for d, s in docs.items()} for t, docs in run.items()}
    (row,) = cf.describe(plain, integers).runs.to_dict().values()
    assert row[COLUMN] == differs(plain, by_text)


def count(qrels: Any, run: Any, **options: Any) -> int | None:
    (row,) = cf.describe(qrels, run, **options).runs.to_dict().values()
    found: int | None = row[COLUMN]
    return found


def test_options_that_change_the_order() -> None:
    total = 0
    for seed in range(25, 40):
        qrels, run = example(seed)
        expected = differs(qrels, run)
        assert count(qrels, run, scores="f32") == expected
        assert count(qrels, run, order="docno_asc") == differs(qrels, run, ascending=True)
        assert count(qrels, run, negative="nonrelevant") == differs(qrels, run, least=-1)
        assert count(qrels, run, order="input") == 0
        total += expected
    assert total > 30


def test_unjudged_documents_do_not_count() -> None:
    near = {"d1": 1.0, "d2": 1.0 + 1e-12}
    assert count({"1": {"d1": 1}}, {"1": near}) == 0
    assert count({"1": {"d2": 1}}, {"1": {"d1": 1.0 + 1e-12, "d2": 1.0}}) == 1
    assert count({"1": {"x": 1}}, {"1": {"d1": 1.0 + 1e-12, "d2": 1.0}}) == 0
    assert count({"1": {"d1": -1}}, {"1": {"d1": 1.0 + 1e-12, "d2": 1.0}}) == 0
    # Equal doubles are tied either way, and an unjudged topic has no score.
    assert count({"1": {"d1": 1}}, {"1": {"d1": 1.0, "d2": 1.0}}) == 0
    assert count({"1": {"d1": 1}}, {"2": {"d1": 1.0 + 1e-12, "d2": 1.0}}) == 0
    # What is too large for single precision is infinite there.
    assert count({"1": {"d1": 1}}, {"1": {"d1": 1e300, "d2": 1e200}}) == 1


def test_arrays_in_single_precision_do_not_differ() -> None:
    documents = np.array([[1, 2, 3]])
    scores = np.array([[0.1, 0.2, 0.3]], dtype=np.float32)
    assert count({"q": {"1": 1}}, cf.Run.from_topk(["q"], documents, scores)) == 0


def test_a_run_whose_scores_are_gone_has_no_count() -> None:
    qrels, run = example(3)
    judged = cf.Qrels(qrels)
    described = cf.describe(judged, collection.rank(judged, run))
    assert described.runs["run", COLUMN] is None
    assert described.runs.to_pandas()[COLUMN].isna().all()


def test_every_output_has_the_count(tmp_path: Path) -> None:
    qrels, run = example(1)
    expected = differs(qrels, run)
    assert expected > 1
    judgments = (f"{t} 0 {d} {g}\n" for t, docs in qrels.items() for d, g in docs.items())
    (tmp_path / "qrels.txt").write_text("".join(judgments))
    lines = (f"{t} Q0 {d} 1 {s!r} x\n" for t, docs in run.items() for d, s in docs.items())
    (tmp_path / "one.txt").write_text("".join(lines))

    def told(*words: str) -> str:
        command = [sys.executable, "-m", "cranfield", "describe", "qrels.txt", "one.txt", *words]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=True, encoding="utf-8"
        )
        return done.stdout

    assert json.loads(told("--format", "json"))["runs"][0][COLUMN] == expected
    for form, delimiter in (("csv", ","), ("tsv", "\t")):
        (row,) = csv.DictReader(io.StringIO(told("--format", form)), delimiter=delimiter)
        assert row[COLUMN] == str(expected)
    text = told()
    assert "f32 differs: the topics" in text
    for form in ("table", "markdown", "latex", "html"):
        assert COLUMN in told("--format", form)
    described = cf.describe(tmp_path / "qrels.txt", tmp_path / "one.txt")
    assert described.runs.to_polars()[COLUMN].to_list() == [expected]
    assert described.runs.to_arrow()[COLUMN].to_pylist() == [expected]
    assert described.runs.to_pandas()[COLUMN].tolist() == [expected]
    assert COLUMN in repr(described)
    assert COLUMN in described._repr_html_()


def test_scores_differ_only_where_topics_are_counted() -> None:
    changed = 0
    for seed in range(60):
        qrels, run = example(seed)
        one, two = (cf.evaluate(qrels, run, "AP", scores=kind).values for kind in ("f64", "f32"))
        topics = int((one != two).any(axis=(0, 2)).sum())
        assert topics <= (count(qrels, run) or 0)
        changed += topics
    assert changed > 50
