"""Lists of documents as judgments and as runs, from Python and other libraries.

The oracle is the same data as files of TREC: judgments of grade 1, a file of classes, and a run
whose scores fall from line to line. What is worked by hand shows its arithmetic.
"""

from __future__ import annotations

import io
import json
import math
import random
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

import cranfield
import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# Much here is what no type allows.
cf: Any = cranfield

Lists = dict[str, list[str]]

MEASURES = "AP nDCG@5 RR R@10 bpref Judged@3"
COLLECTIONS: dict[str, Callable[[list[str]], Any]] = {
    "list": list,
    "tuple": tuple,
    "deque": deque,
    "keys": lambda ids: dict.fromkeys(ids).keys(),
    "array": np.array,
    "array of objects": lambda ids: np.array(ids, dtype=object),
    "iterator": iter,
    "generator": lambda ids: (document for document in ids),
    "pandas": lambda ids: pytest.importorskip("pandas").Series(ids),
    "pandas by document": lambda ids: pytest.importorskip("pandas").Series(
        range(len(ids), 0, -1), index=ids, dtype=float
    ),
    "pandas categories": lambda ids: pytest.importorskip("pandas").Series(ids, dtype="category"),
    "polars": lambda ids: pytest.importorskip("polars").Series(ids),
    "pyarrow": lambda ids: pytest.importorskip("pyarrow").array(ids),
    "pyarrow in chunks": lambda ids: pytest.importorskip("pyarrow").chunked_array([ids]),
}
GRADED = ("pandas by document",)


def lists(seed: int, most: int) -> Lists:
    """Random documents of some topics, of which one has none."""
    draw = random.Random(seed)
    found = {f"q{topic}": draw.sample(range(20), draw.randint(1, most)) for topic in range(5)}
    return {**{topic: [f"d{n}" for n in ids] for topic, ids in found.items()}, "q5": []}


GOLD, FOUND = lists(1, 6), lists(2, 15)


def files(folder: Path, gold: Lists, found: Lists) -> tuple[Path, Path]:
    qrels, run = folder / "qrels.txt", folder / "run.txt"
    qrels.write_text("".join(f"{q} 0 {d} 1\n" for q, ids in gold.items() for d in ids))
    lines = [
        f"{q} Q0 {d} {rank} {-rank} t\n"
        for q, ids in found.items()
        for rank, d in enumerate(ids, 1)
    ]
    run.write_text("".join(lines))
    return qrels, run


def refused(call: Callable[[], object]) -> cranfield.Error:
    with pytest.raises(cranfield.Error) as caught:
        call()
    return caught.value


@pytest.mark.parametrize("name", COLLECTIONS)
def test_lists_are_what_files_are(name: str, tmp_path: Path) -> None:
    gold = {topic: ids for topic, ids in GOLD.items() if ids}
    qrels, run = files(tmp_path, gold, FOUND)
    expected = cf.evaluate(qrels, run, MEASURES, missing="zero").values
    make = COLLECTIONS[name]

    def made(data: Lists) -> dict[str, Any]:
        return {topic: make(ids) for topic, ids in data.items() if ids or name != "iterator"}

    assert (cf.evaluate(qrels, made(FOUND), MEASURES).values == expected).all()
    assert (cf.evaluate(qrels, {"x": made(FOUND)}, MEASURES).values == expected).all()
    assert (cf.evaluate(qrels, cf.Run(made(FOUND)), MEASURES).values == expected).all()
    assert (cf.Evaluator(qrels, MEASURES).evaluate(made(FOUND)).values == expected).all()
    if name not in GRADED:
        assert (cf.evaluate(made(gold), run, MEASURES).values == expected).all()
        assert cf.Qrels(made(gold)).fingerprint == cf.read_qrels(qrels).fingerprint


@pytest.mark.parametrize("make", [set, frozenset])
def test_sets_are_judgments(make: Callable[[list[str]], Any], tmp_path: Path) -> None:
    gold = {topic: ids for topic, ids in GOLD.items() if ids}
    qrels, _ = files(tmp_path, gold, FOUND)
    judged = cf.Qrels({topic: make(ids) for topic, ids in gold.items()})
    assert judged.fingerprint == cf.read_qrels(qrels).fingerprint
    # In the same order, whatever the seed of hashes is.
    assert list(judged["q0"]) == sorted(gold["q0"])


def test_every_function_takes_lists(tmp_path: Path) -> None:
    gold = {topic: ids for topic, ids in GOLD.items() if ids}
    qrels, _ = files(tmp_path, gold, FOUND)
    other = {topic: ids[::-1] for topic, ids in FOUND.items()}
    of_other = cf.Run.from_rankings(other)
    calls: list[Callable[[Any, Any, Any], Any]] = [
        lambda q, a, b: cf.compare(q, {"a": a, "b": b}, "AP").to_csv(),
        lambda q, a, b: cf.diff(q, {"a": a}, {"b": b}, "AP").to_json(),
        lambda q, a, b: cf.bounds(q, {"a": a}, "AP").to_dict(),
        lambda q, a, b: cf.describe(q, {"a": a, "b": b}).to_json(),
        lambda q, a, b: cf.preferences(q, {"a": a, "b": b}).to_csv(),
        lambda q, a, b: cf.collection.pool({"a": a, "b": b}, depth=3).to_dict(),
        lambda q, a, b: cf.collection.merge(q, {"q9": {"x": 1}}).to_dict(),
        lambda q, a, b: [one.to_dict() for one in cf.read_runs({"a": a, "b": b})],
    ]
    judged = cf.read_qrels(qrels)
    for call in calls:
        assert call(gold, FOUND, other) == call(judged, cf.Run.from_rankings(FOUND), of_other)


def test_classes_within_lists(tmp_path: Path) -> None:
    draw = random.Random(3)
    gold, lines = {}, []
    for topic, ids in GOLD.items():
        cut = draw.randint(0, len(ids))
        gold[topic] = [ids[:cut], ids[cut:]]
        lines += [f"{topic} {d} {1 if d in ids[:cut] else 2}\n" for d in ids]
    qrels, run = files(tmp_path, GOLD, FOUND)
    classes = tmp_path / "classes.txt"
    classes.write_text("".join(lines))
    measures = "EC-nDCG@10 EC-AP EC-Q nDCG@10"
    judged = cf.read_qrels(qrels).with_column("class", cf.read_classes(classes))
    expected = cf.evaluate(judged, run, measures).values[0]
    for make in (list, set, np.array):
        nested = {q: [make(one) for one in found if one] for q, found in gold.items() if q != "q5"}
        assert (cf.evaluate(nested, FOUND, measures).values[0] == expected).all()


def test_classes_by_hand() -> None:
    # b gains nothing behind a: (1/log2(2) + 1/log2(4)) / (1/log2(2) + 1/log2(3)).
    found = cf.evaluate({"1": [["a", "b"], ["c"]]}, {"1": ["a", "b", "c"]}, "EC-nDCG@10 EC-AP")
    assert found.values.ravel().tolist() == pytest.approx([1.5 / (1 + 1 / math.log2(3)), 5 / 6])
    judged = cf.Qrels({"1": [["a", "b"], "c"], "2": ["d"]})
    assert judged.column("class", "1") == {"a": 1.0, "b": 1.0}
    assert judged.column("class", "2") == {}
    assert cf.Qrels({"1": [[1, 2], [3]]}).column("class", "1") == {"1": 1.0, "2": 1.0, "3": 2.0}


@pytest.mark.parametrize(
    ("gold", "count"), [({"1": ["a", "b", "a", "a"]}, 2), ({"1": [["a", "a"]]}, 1)]
)
def test_a_repeated_gold_document_counts_once(gold: Any, count: int) -> None:
    with pytest.warns(cf.CranfieldWarning) as caught:
        judged = cf.Qrels(gold)
    (warning,) = caught
    assert str(warning.message) == (
        f"documents listed twice in the judgments of a topic, one kept: {count} "
        "(first `a` of topic `1`)"
    )
    assert warning.filename == __file__
    assert set(judged["1"].values()) == {1.0}


def test_a_series_of_lists_is_by_topic() -> None:
    pandas = pytest.importorskip("pandas")
    rows = [(topic, d) for topic, ids in GOLD.items() for d in ids]
    grouped = pandas.DataFrame(rows, columns=["qid", "docno"]).groupby("qid")["docno"].apply(list)
    gold = {topic: ids for topic, ids in GOLD.items() if ids}
    assert cf.evaluate(grouped, grouped, "AP").values.tolist() == [[[1.0]] * 5]
    for run in (grouped, {"x": grouped}):
        expected = cf.evaluate(GOLD, gold, MEASURES).values
        assert (cf.evaluate(GOLD, run, MEASURES).values == expected).all()
    error = refused(lambda: cf.evaluate(pandas.Series([["a"], ["b"]], index=["1", "1"]), GOLD))
    assert (error.kind, error.message) == (
        "duplicate",
        "expected each label of the index once, found '1' again in a Series",
    )


def test_the_answer_of_rank_eval_is_a_run() -> None:
    hits = [{"hit": {"_index": "i", "_id": d, "_score": s}} for d, s in (("b", 2.0), ("a", 1.0))]
    answer = {"metric_score": 0.5, "details": {"1": {"hits": hits}}, "failures": {}}
    expected = cf.evaluate({"1": {"a": 1}}, cf.Run.from_hits(answer), "RR").values
    assert (cf.evaluate({"1": ["a"]}, answer, "RR").values == expected).all()
    assert expected.ravel().tolist() == [0.5]


def test_lists_in_files_of_json(tmp_path: Path) -> None:
    gold = {topic: ids for topic, ids in GOLD.items() if ids}
    qrels, run = files(tmp_path, gold, FOUND)
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    (tmp_path / "found.json").write_text(json.dumps(FOUND))
    expected = cf.evaluate(qrels, run, MEASURES).values
    found = cf.evaluate(tmp_path / "gold.json", tmp_path / "found.json", MEASURES)
    assert (found.values == expected).all()
    twice = io.StringIO('{"q1": ["a", "a"]}')
    assert refused(lambda: cf.read_qrels(twice)).kind == "duplicate"


def test_orders_and_empty_lists() -> None:
    for order in ("input", "rank", "docno_asc"):
        found = cf.evaluate({"1": ["a"]}, {"1": ["z", "a", "b"]}, "RR", order=order)
        assert found.values.ravel().tolist() == [0.5]
    assert cf.evaluate({"1": ["a"], "2": ["b"]}, {"1": [], "2": []}, "RR").values.any() == 0
    mixed = cf.evaluate({"1": ["a"], "2": {"b": 2}}, {"1": ["a"], "2": {"b": 0.5}}, "nDCG")
    assert mixed.values.ravel().tolist() == [1.0, 1.0]


def test_lists_of_paths_are_still_paths(tmp_path: Path) -> None:
    _, run = files(tmp_path, GOLD, FOUND)
    found = cf.evaluate(GOLD, {"x": [str(run)]}, "AP")
    assert found.runs == ("x",)
    assert (found.values == cf.evaluate(GOLD, run, "AP").values).all()


WITH_SCORES = (
    "; scores are given as {document: score}, and hits of a search engine to Run.from_hits"
)
WITH_GRADES = "; grades are given as {document: grade}, classes of equivalent documents as lists"
LISTS = "for lists of documents by topic there is dict(zip(topics, lists))"

RUNS: dict[str, tuple[Callable[[], Any], str, str]] = {
    "two texts of one id": (lambda: {"1": [1, "1"]}, "type", "all text or all whole numbers"),
    "two topics of one id": (lambda: {1: ["a"], "1": ["b"]}, "type", "found both: str `'1'`"),
    "pairs": (lambda: {"1": [("a", 0.5)]}, "type", f"found tuple `('a', 0.5)`{WITH_SCORES}"),
    "hits": (lambda: {"1": [{"_id": "a", "_score": 1.0}]}, "type", WITH_SCORES),
    "scores": (lambda: {"1": [0.5]}, "type", f"found float `0.5`{WITH_SCORES}"),
    "nothing": (lambda: {"1": [None]}, "type", "of topic `1`, found NoneType `None`"),
    "a document twice": (lambda: {"1": ["a", "a"]}, "duplicate", "positions 1 and 2"),
    "lists without topics": (lambda: [["a", "b"], ["c"]], "type", LISTS),
    "a set": (lambda: {"1": {"a", "b"}}, "type", "which has no order: pass a list"),
    "a frame for a topic": (
        lambda: {"1": pytest.importorskip("pandas").DataFrame({"d": ["a"], "score": [1.0]})},
        "type",
        "expected columns for topic, doc and score, found d, score",
    ),
    "a Series of scores": (
        lambda: {"1": pytest.importorskip("pandas").Series([0.5])},
        "type",
        "found a Series of numbers, whose index does not name documents",
    ),
    "a Series of either": (
        lambda: {"1": pytest.importorskip("pandas").Series([2, 1], index=[7, 8])},
        "type",
        "found a Series of numbers, of which both could be ids: pass .tolist()",
    ),
    "scores of polars": (
        lambda: {"1": pytest.importorskip("polars").Series([0.5])},
        "type",
        f"found float `0.5`{WITH_SCORES}",
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_what_is_no_ranking(name: str) -> None:
    make, kind, message = RUNS[name]
    error = refused(lambda: cf.evaluate({"1": ["a"]}, make(), "AP"))
    assert error.kind == kind
    assert message in error.message


JUDGED: dict[str, tuple[Any, str, str]] = {
    "two texts of one id": ({"1": [1], "2": ["1"]}, "type", "all text or all whole numbers"),
    "text": ({"1": "a"}, "type", 'found text; one document is ["a"]'),
    "pairs": ({"1": [("a", 2)]}, "type", f"found tuple `('a', 2)`{WITH_GRADES}"),
    "pairs as lists": ({"1": [["a", 2]]}, "type", f"found list `['a', 2]`{WITH_GRADES}"),
    "pairs of numbers": ({"1": [[12, 1], [15, 0]]}, "type", "found pairs of numbers only"),
    "two classes": ({"1": [["a", "b"], ["a"]]}, "conflict", "found `a` in two of topic `1`"),
    "classes of classes": (
        {"1": [["a", ["b"]]]},
        "type",
        "found list `['a', ['b']]`",
    ),
    "numbers": ({"1": np.array([1.0])}, "type", f"found float64 `np.float64(1.0)`{WITH_GRADES}"),
    "an array of no dimension": ({"1": np.array("a")}, "type", "or [document, ...], found ndarray"),
    "lists without topics": ([["a", "b"], ["c"]], "type", LISTS),
    "columns": ({"query_id": ["1"], "doc_id": ["a"]}, "type", "pass pandas.DataFrame(...)"),
}


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
@pytest.mark.parametrize("name", JUDGED)
def test_what_is_no_list_of_judgments(name: str) -> None:
    gold, kind, message = JUDGED[name]
    error = refused(lambda: cf.evaluate(gold, {"1": ["a"]}, "AP"))
    assert error.kind == kind
    assert message in error.message


def test_iterators_of_a_topic_that_were_used_up() -> None:
    for call in (
        lambda used: cf.evaluate({"1": ["a"]}, {"1": used}),
        lambda used: cf.evaluate({"1": used}, {"1": ["a"]}),
        lambda used: cf.Qrels({"1": used}),
        lambda used: cf.Run({"1": used}),
    ):
        used = iter("ab")
        assert list(used)
        error = refused(partial(call, used))
        assert "which has nothing in it or was used up before: pass a list" in error.message
