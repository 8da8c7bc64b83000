"""Ranks that contradict the scores beside them, and ranks that are none.

The lists are so short that the order of their scores can be seen.
"""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest

from tests.io.test_matching import call, judgments, warned

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
# Rank 1 has the lowest number: a distance.
DISTANCES = [("1", "a", 1, 0.1), ("1", "b", 2, 0.3), ("2", "a", 1, 0.2), ("2", "b", 2, 0.5)]
SAID = (
    "scores rise with the ranks in the first lines of topic `1`, the only ones looked at: if they "
    "are distances, rank by the ranks (order `rank`)"
)


def trec(rows: list[tuple[str, str, int, float]]) -> str:
    return "".join(f"{topic} Q0 {doc} {rank} {score} t\n" for topic, doc, rank, score in rows)


def forms(folder: Path) -> dict[str, Any]:
    """The distances in every form that has ranks beside scores."""
    names = ("qid", "docno", "rank", "score")
    (folder / "trec.run").write_text(trec(DISTANCES))
    (folder / "packed.run.gz").write_bytes(gzip.compress(trec(DISTANCES).encode()))
    rows = [dict(zip(names, row, strict=True)) for row in DISTANCES]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    table = "\n".join(",".join(map(str, row)) for row in [names, *DISTANCES])
    (folder / "table.csv").write_text(table + "\n")
    return {
        "trec": folder / "trec.run",
        "packed": folder / "packed.run.gz",
        "jsonl": folder / "rows.jsonl",
        "csv": folder / "table.csv",
        "stream": io.BytesIO(trec(DISTANCES).encode()),
        "read": cf.read_run(folder / "trec.run"),
    }


@pytest.mark.parametrize("form", ["trec", "packed", "jsonl", "csv", "stream", "read"])
def test_scores_that_rise_with_the_ranks_are_noted(form: str, tmp_path: Path) -> None:
    run = forms(tmp_path)[form]
    (warning,) = warned(lambda: cf.evaluate(QRELS, run, "AP"))
    assert str(warning.message).partition(": ")[2] == SAID
    # AP is 1/2 in both topics where the higher number is the better, 1 by the ranks.
    again = forms(tmp_path)[form]
    if form != "read":
        assert warned(lambda: cf.evaluate(QRELS, again, "AP", order="rank")) == []
    scores = cf.evaluate(QRELS, forms(tmp_path)[form], "AP", order="rank")
    assert scores.mean().item() == 1.0
    assert warned(lambda: cf.evaluate(QRELS, forms(tmp_path)[form], "AP", order="input")) == []


def test_the_command_line_notes_it(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text(judgments(QRELS))
    for name in ("a", "b"):
        (tmp_path / f"{name}.run").write_text(trec(DISTANCES))
    done = call(tmp_path, "eval", "qrels.txt", "a.run", "b.run", "-m", "AP")
    assert done.stderr == f"cranfield: a and 1 other: {SAID}\n"
    done = call(tmp_path, "eval", "qrels.txt", "a.run", "b.run", "-m", "AP", "--quiet")
    assert done.stderr == ""


def test_rows_of_a_vector_search_are_in_order() -> None:
    topics, ids = np.array(["1", "2"]), np.array([["a", "b"], ["a", "b"]])
    rising, falling = np.array([[0.1, 0.3], [0.2, 0.5]]), np.array([[0.3, 0.1], [0.5, 0.2]])
    run = cf.Run.from_topk(topics, ids, rising)
    (warning,) = warned(lambda: cf.evaluate(QRELS, run, "AP"))
    assert str(warning.message) == (
        "run: scores rise along the row of topic `1`, the only one looked at: if they are "
        "distances, negate them, or keep the order of the rows (order `input`)"
    )
    assert cf.evaluate(QRELS, run, "AP", order="input").mean().item() == 1.0
    assert warned(lambda: cf.evaluate(QRELS, cf.Run.from_topk(topics, ids, falling), "AP")) == []
    # Padding has no place.
    numbers = np.array([[5, -1, -1], [5, 6, -1]])
    scores = np.array([[0.1, 9.0, 9.0], [0.1, 0.2, 9.0]])
    qrels = {"1": {"5": 1}, "2": {"5": 1}}
    padded = cf.Run.from_topk(topics, numbers, scores)
    (warning,) = warned(lambda: cf.evaluate(qrels, padded, "AP"))
    # A row of one document has no order.
    assert "the row of topic `2`" in str(warning.message)


@pytest.mark.parametrize(
    "rows",
    [
        [("1", "a", 1, 0.3), ("1", "b", 2, 0.1)],
        # Ranks that say nothing, or that are no numbers of a list.
        [("1", "a", 1, 0.1), ("1", "b", 1, 0.3)],
        [("1", "a", 1, 0.1), ("1", "b", 2, 0.1)],
        [("1", "a", 1, 0.2), ("1", "b", 2, 0.1), ("1", "c", 3, 0.3)],
        # One document has no order; the next list is looked at.
        [("1", "a", 1, 0.1), ("2", "a", 1, 0.3), ("2", "b", 2, 0.1)],
    ],
)
def test_other_ranks_are_not(rows: list[tuple[str, str, int, float]], tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(trec(rows))
    assert warned(lambda: cf.evaluate(QRELS, path, "Judged", missing="zero")) == []


def test_odd_ranks_that_are_ignored_are_no_error(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("1 Q0 a - 2 t\n1 Q0 b nan 1 t\n2 Q0 a x 1 t\n")
    assert warned(lambda: cf.evaluate(QRELS, path, "AP")) == []
    assert warned(lambda: cf.evaluate(QRELS, path, "AP", lenient=True)) == []


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("form", ["path", "stream", "run", "csv"])
def test_ranks_that_are_all_the_same_are_no_order(rank: int, form: str, tmp_path: Path) -> None:
    rows = [(topic, doc, rank, score) for topic, doc, _, score in DISTANCES]
    path, table = tmp_path / "run.run", tmp_path / "run.csv"
    path.write_text(trec(rows))
    text = "\n".join(",".join(map(str, row)) for row in [("qid", "docno", "rank", "score"), *rows])
    table.write_text(text + "\n")
    run: Any = {
        "path": path,
        "stream": io.BytesIO(path.read_bytes()),
        "run": cf.read_run(path),
        "csv": table,
    }[form]
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(QRELS, run, "AP", order="rank")
    assert caught.value.kind == "option"
    assert caught.value.message == (
        'order="rank" needs ranks, and in run `run` all documents of a topic have the same rank'
    )


def test_the_command_line_speaks_of_its_flag(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text(judgments(QRELS))
    (tmp_path / "a.run").write_text(trec([(t, d, 0, s) for t, d, _, s in DISTANCES]))
    done = call(tmp_path, "eval", "qrels.txt", "a.run", "--order", "rank")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--order rank needs ranks, and in run `a` all documents" in done.stderr


def test_some_ranks_are_enough(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("1 Q0 a 1 1 t\n1 Q0 b 1 1 t\n2 Q0 a 2 1 t\n2 Q0 b 1 1 t\n")
    # Of equal ranks the higher id is first: a is second in both lists.
    scores = cf.evaluate(QRELS, path, "AP", order="rank")
    assert scores["run" if "run" in scores.runs else "a", "AP"].tolist() == [0.5, 0.5]
    path.write_text("1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n")
    assert cf.evaluate(QRELS, path, "AP", order="rank").mean().item() == 1.0
