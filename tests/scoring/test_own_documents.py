"""Documents whose id is that of the topic.

Slow twin: the same lists without them. Expected numbers are worked out by hand next to the data.
"""

from __future__ import annotations

import pickle
import random
import warnings
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest

from tests.cli.calls import call
from tests.effort import SEED, cases

MEASURES = "nDCG@10 AP AP' P@2 R@3 RR bpref num_ret Judged@4 Hole@3 SetP infAP"
JUDGED = {"q1": {"d1": 1}, "q2": {"d2": 1, "q2": 1}, "q3": {"d1": 1}}
FOUND = {
    # Rank 1 without q1.
    "q1": {"q1": 9.0, "d1": 8.0},
    # Rank 2 without q2.
    "q2": {"q2": 9.0, "d1": 8.0, "d2": 7.0},
    "q3": {"d1": 1.0},
}


def test_an_own_document_is_taken_out_before_ranks_are_counted() -> None:
    kept = cf.evaluate(JUDGED, FOUND, "RR P@1", own="keep")
    assert kept.values[0].tolist() == [[0.5, 0.0], [1.0, 1.0], [1.0, 1.0]]
    dropped = cf.evaluate(JUDGED, FOUND, "RR P@1", own="drop")
    assert dropped.values[0].tolist() == [[1.0, 1.0], [0.5, 0.0], [1.0, 1.0]]
    assert dropped.notes["run"].own_documents == 2
    assert kept.notes["run"].own_documents == 0
    assert pickle.loads(pickle.dumps(dropped)).notes["run"].own_documents == 2
    assert kept.fingerprint != dropped.fingerprint


def random_case(rng: random.Random) -> tuple[Any, Any]:
    """Judgments and a run in whose lists there may be the topic, with and without ties."""
    ids = [str(i) for i in range(14)]
    qrels = {
        topic: {one: rng.choice((-1, 0, 1, 2)) for one in rng.sample(ids, rng.randrange(1, 9))}
        for topic in ids[:4]
    }
    run = {
        topic: {one: rng.randrange(9) / 2 for one in rng.sample(ids, rng.randrange(1, 14))}
        for topic in ids[:5]
    }
    return qrels, run


def test_values_are_those_of_lists_without_them(tmp_path: Path) -> None:
    rng = random.Random(SEED + 3)
    path = tmp_path / "own.run"
    for _ in range(cases(500, 40)):
        qrels, run = random_case(rng)
        # A topic of which nothing is left is an empty list either way.
        without = {
            topic: {one: score for one, score in scored.items() if one != topic}
            for topic, scored in run.items()
        }
        expected = cf.evaluate(qrels, without, MEASURES, missing="zero", undefined="zero").values
        rows = [(t, d, s) for t, scored in run.items() for d, s in scored.items()]
        path.write_text("".join(f"{t} Q0 {d} 0 {s} tag\n" for t, d, s in rows))
        topics, docs, scores = (list(column) for column in zip(*rows, strict=True))
        for form in (
            run,
            path,
            cf.Run(run),
            cf.Run.from_arrays(topics, docs, scores),
            cf.Run.from_arrays(topics, np.array(docs, dtype=int), np.array(scores)),
        ):
            found = cf.evaluate(qrels, form, MEASURES, own="drop", missing="zero", undefined="zero")
            np.testing.assert_array_equal(found.values, expected)
            count = sum(topic in run[topic] for topic in qrels)
            assert found.notes[found.runs[0]].own_documents == count


def test_shallow_measures_and_long_lists_drop_it_too() -> None:
    documents = {f"d{i}": float(-i) for i in range(2000)}
    run = {"q1": {"q1": 5.0, **documents}, "q2": {**documents, "q2": 1.0}}
    qrels = {"q1": {"d0": 1}, "q2": {"d1": 1}}
    assert cf.evaluate(qrels, run, "RR@3", own="drop").values[0, :, 0].tolist() == [1.0, 0.5]
    assert cf.evaluate(qrels, run, "RR@3", own="keep").values[0, :, 0].tolist() == [0.5, 1 / 3]


def test_many_first_ones_are_named() -> None:
    with pytest.warns(cf.CranfieldWarning, match=r"in 2 of 3 topics; own=\"drop\""):
        cf.evaluate(JUDGED, FOUND, "RR")
    described = cf.describe(JUDGED, cf.Run(FOUND, name="mine"))
    said = described.notes["mine"].own_first or ""
    assert said.startswith("the first document has the id of its topic in 2 of 3 topics")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cf.evaluate(JUDGED, FOUND, "RR", own="drop")
        # One of six is no fifth.
        few = {f"q{i}": {"d1": 2.0, f"q{i}": 3.0 if i == 1 else 1.0} for i in range(1, 7)}
        cf.evaluate({topic: {"d1": 1} for topic in few}, few, "RR")


def test_the_flag(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "run").write_text("q1 Q0 q1 1 2 t\nq1 Q0 d1 2 1 t\n")
    given = ("eval", "qrels", "run", "-m", "RR")
    done = call(tmp_path, *given, "--own-document", "drop")
    assert "1.0000" in done.stdout
    assert "documents with the id of their topic, taken out: 1" in done.stderr
    kept = call(tmp_path, *given)
    assert "0.5000" in kept.stdout
    assert "(--own-document drop)" in kept.stderr
