"""Arrays and frames give what files of the same lines give, to the last bit."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.typing import NDArray

MEASURES = "nDCG@10 AP RR P@5 R@20 bpref Judged@10 infAP num_ret Q RBP(p=0.8)"

Lists = dict[Any, tuple[list[Any], list[float]]]
Judgments = dict[str, dict[str, int]]


def written(lists: Lists, path: Path) -> Path:
    """The run as a file; scores with all their digits."""
    lines = (
        f"{topic} Q0 {document} 1 {float(score)!r} tag\n"
        for topic, (documents, scores) in lists.items()
        for document, score in zip(documents, scores, strict=True)
    )
    path.write_text("".join(lines))
    return path


def outcome(qrels: Any, run: Any, measures: str = MEASURES, **options: Any) -> tuple[Any, ...]:
    """Values and notes."""
    scores = cf.evaluate(qrels, run, measures, **options)
    (notes,) = scores.notes.values()
    return (
        scores.values.tobytes(),
        notes.lines,
        notes.topics_missing,
        notes.topics_without_judgments,
        notes.topics_without_relevant,
        notes.ties,
        notes.duplicates,
    )


def flat(lists: Lists) -> tuple[list[Any], list[int], list[Any], list[float]]:
    """Topics, offsets, documents and scores of all."""
    offsets, documents, scores = [0], [], []
    for ids, values in lists.values():
        documents += ids
        scores += values
        offsets.append(len(documents))
    return list(lists), offsets, documents, scores


def collection(
    rng: random.Random, draw: Callable[[random.Random], int]
) -> tuple[Judgments, dict[int, tuple[list[int], list[float]]]]:
    """Judgments of a few or of many documents, lists in order or not, with ties."""
    qrels: Judgments = {}
    run: dict[int, tuple[list[int], list[float]]] = {}
    for topic in rng.sample(range(-2, 6), 4):
        pool = list({draw(rng) for _ in range(rng.choice((3, 40, 200)))})
        judged = rng.sample(pool, min(len(pool), rng.choice((1, 3, 5, 60))))
        listed = rng.sample(pool, rng.randint(0, len(pool)))
        levels = rng.choice(((0.5,), (1.0, 2.0, -3.5), tuple(range(1000))))
        scores = [float(rng.choice(levels)) for _ in listed]
        if rng.random() < 0.5:
            scores.sort(reverse=True)
        if rng.random() < 0.9:
            grades = rng.choice(((0, 1), (-1, 0, 1, 2)))
            qrels[str(topic)] = {str(d): rng.choice(grades) for d in judged}
            # Names that look like integers and are not.
            qrels[str(topic)] |= {"07": 1, "-0": 1, "x": 0}
        if listed and rng.random() < 0.9:
            run[topic] = (listed, scores)
    qrels["last"] = {"a": 1}
    return qrels, run


def small(rng: random.Random) -> int:
    return rng.randint(-50, 400)


def positive(rng: random.Random) -> int:
    return rng.randint(0, 400)


def large(rng: random.Random) -> int:
    return rng.choice((0, 7, 2**31, 2**63 - 1, 2**63, 2**64 - 1)) ^ rng.randint(0, 40)


DTYPES: list[tuple[Any, Callable[[random.Random], int]]] = [
    ("i1", lambda rng: rng.randint(-128, 127)),
    ("i2", small),
    ("<i4", small),
    (">i4", small),
    ("<i8", small),
    (">i8", small),
    ("u1", lambda rng: rng.randint(0, 255)),
    ("u2", positive),
    ("u4", positive),
    (">u8", positive),
    ("u8", large),
    ("U", small),
    ("S", small),
    ("O", large),
]
ORDERS = ("docno_desc", "docno_asc", "input")


@pytest.mark.parametrize(("dtype", "draw"), DTYPES, ids=[name for name, _ in DTYPES])
def test_arrays_are_files(dtype: str, draw: Callable[[random.Random], int], tmp_path: Path) -> None:
    rng = random.Random(dtype)
    for _ in range(60):
        qrels, run = collection(rng, draw)
        if not run:
            continue
        path = written(run, tmp_path / "a.run")
        topics, offsets, documents, scores = flat(run)
        ids = np.array([str(d) for d in documents] if dtype in "US" else documents, dtype)
        levels = np.array(scores, rng.choice(("f8", "f4", ">f8", ">f4", "f2")))
        if rng.random() < 0.2:
            ids.flags.writeable = levels.flags.writeable = False
        if rng.random() < 0.3:
            ids, levels = (np.repeat(a, 2)[::2] for a in (ids, levels))
        options = {
            "order": rng.choice(ORDERS),
            "scores": rng.choice(("f64", "f32")),
            "depth": rng.choice((None, 5)),
            "duplicates": rng.choice(("error", "first", "best")),
            "missing": rng.choice(("zero", "skip")),
        }
        measures = rng.choice((MEASURES, "nDCG@10", "P@3 RR"))
        expected = outcome(qrels, path, measures, **options)
        beside = np.repeat(np.array(topics, "i8"), np.diff(offsets))
        for made in (
            cf.Run.from_arrays(topics, ids, levels, offsets=offsets),
            cf.Run.from_arrays(topics, ids, levels, offsets=np.array(offsets), check="full"),
            cf.Run.from_arrays(beside, ids, levels),
        ):
            assert outcome(qrels, made, measures, **options) == expected
            assert made.lines == len(documents)


def test_lists_may_be_empty() -> None:
    qrels = {"1": {"7": 1}, "2": {"7": 1}}
    none = np.array([], "i8")
    for run in (
        cf.Run.from_arrays([1, 2], none, none, offsets=[0, 0, 0]),
        cf.Run.from_topk([1, 2], none.reshape(2, 0), none.reshape(2, 0)),
    ):
        assert outcome(qrels, run) == outcome(qrels, cf.Run({"1": {}, "2": {}}))
    made = cf.Run.from_arrays(none, none, none)
    assert outcome(qrels, made, missing="skip") == outcome(qrels, cf.Run({}), missing="skip")


@pytest.mark.parametrize("dtype", ["i4", "i8", "u4", ">i8", "i2", "U", "O"])
@pytest.mark.parametrize("layout", ["C", "F", "strided", "reversed", "cut"])
def test_matrices_are_files(dtype: str, layout: str, tmp_path: Path) -> None:
    rng = random.Random(dtype + layout)
    generator = np.random.default_rng(len(dtype + layout))
    for _ in range(8):
        topics, depth = rng.randint(1, 9), rng.randint(1, 40)
        ids = np.array([rng.sample(range(100), depth) for _ in range(topics)])
        levels = generator.integers(0, rng.choice((3, 1000)), (topics, depth)).astype("f4")
        if rng.random() < 0.5:
            levels = -np.sort(-levels, axis=1)
        qrels = {
            str(t): {str(d): rng.randint(0, 2) for d in rng.sample(range(100), rng.choice((2, 30)))}
            for t in range(topics)
        }
        lists = {t: (ids[t].tolist(), levels[t].tolist()) for t in range(topics)}
        expected = outcome(qrels, written(lists, tmp_path / "a.run"))
        made = ids.astype(dtype)
        if dtype == "O":
            made = np.array([[str(d) for d in row] for row in ids], dtype="O")
        matrices = [laid(made, layout), laid(levels, layout)]
        before = [matrix.tobytes() for matrix in matrices]
        run = cf.Run.from_topk(np.arange(topics), *matrices, check=rng.choice(("judged", "full")))
        assert outcome(qrels, run) == expected
        assert [matrix.tobytes() for matrix in matrices] == before


def laid(matrix: NDArray[Any], layout: str) -> NDArray[Any]:
    """The same values, laid out otherwise."""
    columns = matrix.shape[1]
    if layout == "F":
        return np.asfortranarray(matrix)
    if layout == "strided":
        return np.repeat(np.repeat(matrix, 2, axis=0), 3, axis=1)[::2, ::3]
    if layout == "reversed":
        return matrix[::-1, ::-1].copy()[::-1, ::-1]
    if layout == "cut":
        wide = np.concatenate([matrix, matrix], axis=1)
        return wide[:, :columns]
    return matrix


def test_a_vector_search_pads_with_minus_one(tmp_path: Path) -> None:
    ids = np.array([[5, 3, -1, -1], [-1, -1, -1, -1], [-1, 9, -1, 5], [1, 2, 3, 4]])
    lowest = np.finfo("f4").min
    scores = np.array(
        [[2, 1, lowest, np.nan], [np.inf] * 4, [np.nan, 1, -np.inf, 2], [4, 3, 2, 1]], "f4"
    )
    qrels = {"a": {"3": 1}, "b": {"-1": 1, "5": 1}, "c": {"5": 1, "9": 2}, "d": {"4": 1, "-1": 1}}
    run = cf.Run.from_topk(["a", "b", "c", "d"], ids, scores, name="dense")
    lists: Lists = {"a": ([5, 3], [2, 1]), "c": ([9, 5], [1, 2]), "d": ([1, 2, 3, 4], [4, 3, 2, 1])}
    expected = cf.evaluate(qrels, written(lists, tmp_path / "a.run"), MEASURES)
    found = cf.evaluate(qrels, run, MEASURES)
    assert found.values.tobytes() == expected.values.tobytes()
    assert (run.lines, found.notes["dense"].lines) == (8, 8)
    assert run.to_dict() == {
        "a": {"5": 2, "3": 1},
        "b": {},
        "c": {"5": 2, "9": 1},
        "d": {"1": 4, "2": 3, "3": 2, "4": 1},
    }
    # Of arrays -1 is a document like others, and of unsigned integers there is none.
    plain = cf.Run.from_arrays(["a"], [-1, 3], [2.0, 1.0], offsets=[0, 2])
    assert plain["a"] == {"-1": 2.0, "3": 1.0}
    most = np.array([[2**64 - 1]], "u8")
    assert cf.Run.from_topk(["a"], most, [[1.0]])["a"] == {str(2**64 - 1): 1.0}


def test_rows_of_topics_in_pieces_are_put_together(tmp_path: Path) -> None:
    topics = np.array(["b", "a", "b", "b", "c", "a"])
    documents, scores = np.arange(6), np.array([3.0, 1, 4, 1, 5, 9])
    qrels = {"a": {"5": 1}, "b": {"2": 1, "3": 0}}
    lists: Lists = {"b": ([0, 2, 3], [3, 4, 1]), "a": ([1, 5], [1, 9]), "c": ([4], [5])}
    run = cf.Run.from_arrays(topics, documents, scores)
    assert run.topics == ("b", "a", "c")
    assert outcome(qrels, run) == outcome(qrels, written(lists, tmp_path / "a.run"))


@pytest.mark.parametrize("measures", ["RR@3 nDCG@10", "AP RR nDCG@10 P@10 Judged@5 num_ret"])
def test_a_promise_that_holds_changes_no_value(measures: str) -> None:
    generator = np.random.default_rng(7)
    topics, depth = 30, 60
    ids = np.argsort(generator.random((topics, 200)), axis=1)[:, :depth]
    scores = -np.sort(-generator.integers(0, 40, (topics, depth)).astype("f4"), axis=1)
    for row, line in zip(ids, scores, strict=True):
        # Equal scores: descending order of the ids as text, as trec_eval has it.
        ranked = sorted(zip(line, map(str, row), strict=True), reverse=True)
        row[:] = [int(document) for _, document in ranked]
    ids[3, 40:], ids[4] = -1, -1
    qrels = {
        str(topic): {str(d): int(generator.integers(0, 3)) for d in generator.choice(200, 25)}
        for topic in range(topics)
    }
    evaluator = cf.Evaluator(qrels, measures)
    plain = evaluator.evaluate(cf.Run.from_topk(np.arange(topics), ids, scores))
    for promised in ("sorted", "unique", "unique sorted", ""):
        for check in ("judged", "full"):
            run = cf.Run.from_topk(np.arange(topics), ids, scores, check=check, assume=promised)
            assert evaluator.evaluate(run).values.tobytes() == plain.values.tobytes()
    assert run.to_dict() == cf.Run.from_topk(np.arange(topics), ids, scores).to_dict()


@pytest.mark.parametrize(
    ("ids", "scores", "kind", "what"),
    [
        ([[1, 2, 3]], [[3.0, 1.0, 2.0]], "conflict", "document `3` with score 2 out of place"),
        ([[2, 1, 3]], [[2.0, 2.0, 2.0]], "conflict", "document `3` with score 2 out of place"),
        ([[1, -1, 3]], [[3.0, 2.0, 1.0]], "conflict", "document `-1` with score 2 out of place"),
        ([[1, 2, 3]], [[3.0, np.nan, 1.0]], "number", "found NaN for document `2`"),
        ([[1, 2, 1]], [[3.0, 2.0, 1.0]], "duplicate", "found `1` again"),
    ],
)
def test_a_promise_that_does_not_hold_is_found_on_request(
    ids: list[list[int]], scores: list[list[float]], kind: str, what: str
) -> None:
    promised = {"assume": "sorted unique"}
    run = cf.Run.from_topk(["t"], np.array(ids), scores, check="full", **promised)
    with pytest.raises(cf.Error, match=what) as caught:
        cf.evaluate({"t": {"1": 1}}, run, "RR")
    assert caught.value.kind == kind
    # It is believed otherwise: the first document is the first of its row.
    run = cf.Run.from_topk(["t"], np.array(ids), scores, **promised)
    assert cf.evaluate({"t": {str(ids[0][0]): 1}}, run, "RR").values.tolist() == [[[1.0]]]
    with pytest.raises(cf.Error, match=r"expected .*sorted.*unique.* found .?sort"):
        cf.Run.from_topk(["t"], np.array(ids), scores, assume="sort")
    with pytest.raises(cf.Error, match="expected text as assume, found int `3`"):
        cf.Run.from_topk(["t"], np.array(ids), scores, assume=3)  # type: ignore[arg-type]


def test_arrays_are_looked_at_when_they_are_evaluated() -> None:
    ids, scores = np.array([[1, 2]]), np.array([[2.0, 1.0]])
    run = cf.Run.from_topk(["t"], ids, scores)
    evaluator = cf.Evaluator({"t": {"2": 1}}, "RR")
    assert evaluator.evaluate(run).values.tolist() == [[[0.5]]]
    ids[0] = [2, 1]
    assert evaluator.evaluate(run).values.tolist() == [[[1.0]]]
    assert evaluator.evaluate({"x": run, "y": run}).runs == ("x", "y")
    assert run.rename("z").name == "z"


def test_batches_have_the_values_of_each(tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    topics = np.arange(20)
    qrels = cf.Qrels.from_arrays(np.repeat(topics, 5), np.tile(np.arange(5), 20), np.ones(100))
    ids = np.argsort(generator.random((8, 20, 50)), axis=2)
    runs = {
        f"r{i}": cf.Run.from_topk(topics, ids[i], -np.arange(1000.0).reshape(20, 50))
        for i in range(8)
    }
    evaluator = cf.Evaluator(qrels, MEASURES)
    together = evaluator.evaluate(runs).values
    for threads in (1, 3):
        again = cf.Evaluator(qrels, MEASURES, threads=threads).evaluate(runs).values
        assert again.tobytes() == together.tobytes()
    for i, run in enumerate(runs.values()):
        assert evaluator.evaluate(run).values.tobytes() == together[i].tobytes()


def test_what_else_takes_a_run_takes_arrays(tmp_path: Path) -> None:
    run = cf.Run.from_arrays([7, 7, 8], [1, 2, 1], [1.0, 2.0, 3.0], name="mine")
    assert repr(run) == "<Run mine: 2 topics, 3 lines>"
    assert (len(run), 7 in run, "9" in run, run.tag) == (2, True, False, None)
    assert run["7"] == {"2": 2.0, "1": 1.0}
    with pytest.raises(KeyError, match="no topic `9`"):
        run["9"]
    run.write(str(tmp_path / "out.run"))
    assert cf.read_run(tmp_path / "out.run").to_dict() == run.to_dict()
    bounds = cf.bounds({"7": {"1": 1}, "8": {"2": 0}}, run, "P@2")
    assert bounds.value.values[0, :, 0].tolist() == [0.5, 0.0]


# What is wrong


QRELS = {"t": {"1": 1, "4": 0}, "u": {"1": 1}}


def error(run: cf.Run, **options: Any) -> tuple[str, str]:
    with pytest.raises(cf.Error) as raised:
        cf.evaluate(QRELS, run, "AP", **options)
    return raised.value.kind, str(raised.value)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(("value", "shown"), [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "-inf")])
@pytest.mark.parametrize("topic", ["u", "elsewhere"])
def test_scores_that_are_not_finite(dtype: str, value: float, shown: str, topic: str) -> None:
    scores = np.array([[2, 1], [2, value]], dtype)
    found = error(cf.Run.from_topk(["t", topic], [[1, 2], [3, 4]], scores))
    message = (
        f"expected a finite number as score, found {shown} for document `4` of topic `{topic}`:"
        " position 2"
    )
    assert found == ("number", message)
    # Padding in front moves nothing.
    scores = np.array([[2, 1, 1], [np.nan, 2, value]], dtype)
    run = cf.Run.from_topk(["t", topic], [[1, 2, 3], [-1, 3, 4]], scores)
    assert error(run) == ("number", message.replace("position 2", "position 3"))


def test_documents_twice() -> None:
    scores = [4.0, 3.0, 2.0, 1.0]
    judged = cf.Run.from_arrays(["t"], [1, 2, 3, 1], scores, offsets=[0, 4])
    message = (
        "expected each document once per topic, found `1` again for topic `t`: positions 1 and 4"
        '; duplicates="first" or duplicates="best" keeps one of them, '
        'duplicates="place" also the place of the other'
    )
    assert error(judged) == ("duplicate", message)
    others = [
        cf.Run.from_arrays(["t"], [2, 1, 2, 5], scores, offsets=[0, 4], check=c)
        for c in ("judged", "full")
    ]
    assert cf.evaluate(QRELS, others[0], "num_ret").values[0, 0, 0] == 4
    message = message.replace("`1`", "`2`").replace("positions 1 and 4", "positions 1 and 3")
    assert error(others[1]) == ("duplicate", message)
    padded = cf.Run.from_topk(["t"], [[-1, 1, -1, 1]], [scores])
    assert "positions 2 and 4" in error(padded)[1]
    text = cf.Run.from_arrays(["t"], ["2", "1", "2", "5"], scores, offsets=[0, 4])
    assert error(text) == ("duplicate", message)
    for duplicates in ("first", "best"):
        for ids in ([1, 2, 3, 1], [2, 1, 2, 5]):
            for values in (scores, scores[::-1]):
                run = cf.Run.from_arrays(["t"] * 4, ids, values)
                rows = cf.Run.from_rows(["t"] * 4, ids, values)
                found = outcome(QRELS, run, duplicates=duplicates)
                assert found == outcome(QRELS, rows, duplicates=duplicates)
                assert found[-1] == 1


def test_arrays_have_no_ranks() -> None:
    run = cf.Run.from_arrays(["t"], [1], [1.0])
    message = 'order="rank" needs ranks, and the run has none for topic `t`'
    assert error(run, order="rank") == ("option", message)


OFFSETS: list[tuple[list[Any], str]] = [
    ([0, 2], "expected 3 offsets, one more than there are topics, found 2"),
    ([1, 2, 3], "expected offsets that begin with 0, found 1"),
    ([0, 3, 2], "expected offsets that do not decrease, found 2 after 3 at position 3"),
    ([0, 1, 2], "expected 3, the number of documents, as the last offset, found 2"),
    ([0, 1, 2**70], "expected whole numbers as offsets, found object"),
    ([0, 1.5, 3], "expected whole numbers as offsets, found float64"),
]


@pytest.mark.parametrize(("offsets", "message"), OFFSETS)
def test_offsets_that_are_wrong(offsets: list[Any], message: str) -> None:
    for make in (cf.Run.from_arrays, cf.Qrels.from_arrays):
        with pytest.raises(cf.Error) as raised:
            make(["a", "b"], [1, 2, 3], [1.0, 2.0, 3.0], offsets=offsets)
        assert str(raised.value) == message


def refused(*arguments: Any, topk: bool = False, **options: Any) -> str:
    with pytest.raises(cf.Error) as raised:
        (cf.Run.from_topk if topk else cf.Run.from_arrays)(*arguments, **options)
    return str(raised.value)


def test_arrays_that_are_something_else() -> None:
    floats = np.ones((2, 3))
    whole = np.arange(6).reshape(2, 3)
    swapped = refused(["a", "b"], floats, whole, topk=True)
    assert swapped == "expected text or whole numbers as documents, found float64"
    shapes = refused(["a"], whole, floats, topk=True)
    assert shapes == (
        "expected documents and scores of shape (topics, k) for 1 topic, found (2, 3) and (2, 3)"
    )
    assert "found (2, 3) and (2, 2)" in refused(["a", "b"], whole, floats[:, :2], topk=True)
    assert (
        refused(["a"], [1], [1.0], topk=True) == "expected documents as a matrix, found shape (1,)"
    )
    assert refused(whole, [1], [1.0]) == (
        "expected topics as an array of one dimension, found shape (2, 3)"
    )
    assert refused([1], [1, 2], [1.0]) == "expected columns of one length, found [1, 2, 1]"
    assert "expected each topic once, found `1` again" in refused(
        ["1", "1"], [1], [1.0], offsets=[0, 1, 1]
    )
    assert "found both" in refused(["a"] * 2, np.array(["1", 1], "O"), [1.0, 2.0])
    assert refused(["a"], ["1"], ["x"]) == "expected numbers as scores, found <U1"
    assert (
        refused(["a"], [True], [1.0]) == "expected text or whole numbers as documents, found bool"
    )
    masked = np.ma.MaskedArray([1], [True])
    assert "without a mask" in refused(["a"], masked, [1.0])
    assert 'expected one of "judged", "full" as check' in refused(["a"], [1], [1.0], check="all")


# Judgments


@pytest.mark.parametrize("dtype", ["i4", "u8", ">i8", "U", "S", "O"])
def test_qrels_from_arrays(dtype: str) -> None:
    documents = np.array(["3", "1", "3", "2"]).astype("i8").astype(dtype)
    expected = {"x": {"3": 1.0, "1": 0.0}, "y": {"3": -1.0, "2": 2.5}}
    grades = np.array([1, 0, -1, 2.5], "f4")
    beside = cf.Qrels.from_arrays(["x", "x", "y", "y"], documents, grades, docs_in_collection=9)
    assert (beside.to_dict(), beside.docs_in_collection) == (expected, 9)
    assert (
        cf.Qrels.from_arrays(["x", "y"], documents, grades, offsets=[0, 2, 4]).to_dict() == expected
    )
    with pytest.raises(cf.Error, match="again for topic `x`") as raised:
        cf.Qrels.from_arrays(["x", "x"], documents[[0, 0]], [1, 1])
    assert raised.value.kind == "duplicate"
    with pytest.raises(cf.Error, match="found NaN for document `3` of topic `x`"):
        cf.Qrels.from_arrays(["x"], documents[:1], [np.nan])


# Frames


def frames(lists: Lists, chunks: int) -> dict[str, Any]:
    """The run as tables of every kind of column, in a number of pieces."""
    names, offsets, documents, scores = flat(lists)
    topics = [str(t) for t, n in zip(names, np.diff(offsets), strict=True) for _ in range(n)]
    text = [str(d) for d in documents]
    kinds: dict[str, list[Any]] = {
        "utf8": [pa.array(text, pa.string())],
        "large_utf8": [pa.array(text, pa.large_string())],
        "view": [pa.array(text, pa.string_view())],
        "dictionary": [pa.array(text).dictionary_encode()],
        "large_dictionary": [
            pa.array(text, pa.large_string())
            .dictionary_encode()
            .cast(pa.dictionary(pa.int8(), pa.large_string()))
        ]
        if len(set(text)) < 100
        else [],
    }
    for kind in (pa.int16(), pa.int32(), pa.int64()):
        kinds[str(kind)] = [pa.array(documents, kind)]
    if min(documents, default=0) >= 0:
        kinds |= {
            str(kind): [pa.array(documents, kind)]
            for kind in (pa.uint16(), pa.uint32(), pa.uint64())
        }
    tables: dict[str, Any] = {}
    for kind, found in kinds.items():
        for column in found:
            table = pa.table({"topic": topics, "doc": column, "score": scores})
            bounds = np.linspace(0, len(table), chunks + 1).astype(int)
            parts = [table.slice(a, b - a) for a, b in pairwise(bounds)]
            tables[kind] = pa.concat_tables(parts) if "dictionary" not in kind else table
    single = {
        "topic": pa.array(topics).dictionary_encode(),
        "doc": text,
        "score": pa.array(scores, pa.float32()),
    }
    tables["coded topics"] = pa.table(single)
    tables["pandas"] = pd.DataFrame({"qid": topics, "docno": text, "score": scores})
    tables["pandas categories"] = tables["pandas"].astype({"docno": "category", "qid": "category"})
    tables["polars"] = pl.DataFrame({"topic": topics, "doc": documents, "score": scores})
    return tables


def test_frames_are_files(tmp_path: Path) -> None:
    rng = random.Random(6)
    for case in range(25):
        qrels, run = collection(rng, positive if case % 2 else small)
        run = {t: lists for t, lists in run.items() if lists[0]}
        if not run:
            continue
        options = {"order": rng.choice(ORDERS), "duplicates": rng.choice(("error", "best"))}
        expected = outcome(qrels, written(run, tmp_path / "a.run"), **options)
        for kind, table in frames(run, rng.choice((1, 2, 5))).items():
            assert outcome(qrels, table, **options) == expected, kind


def test_frames_are_checked_in_full() -> None:
    table = pa.table({"topic": ["t"] * 3, "doc": [5, 6, 5], "score": [3.0, 2.0, 1.0]})
    with pytest.raises(cf.Error, match="found `5` again for topic `t`: positions 1 and 3"):
        cf.evaluate(QRELS, table, "AP")
    for bad in (None, float("nan"), float("inf")):
        table = pa.table({"topic": ["t"], "doc": ["5"], "score": pa.array([bad], pa.float64())})
        with pytest.raises(cf.Error, match="for document `5` of topic `t`"):
            cf.evaluate(QRELS, table, "AP")
    hidden = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["5", None]))
    with pytest.raises(cf.Error, match="expected ids in column doc, found nulls"):
        cf.evaluate(QRELS, pa.table({"topic": ["t"] * 2, "doc": hidden, "score": [1.0, 2]}), "AP")


def test_judgments_of_every_kind_of_column() -> None:
    for kind, table in frames({"t": ([1, 4], [1.0, 0.0]), "u": ([1], [1.0])}, 2).items():
        if not kind.startswith("p"):
            table = table.rename_columns(["topic", "doc", "grade"])
        elif kind == "polars":
            table = table.rename({"score": "grade"})
        else:
            table = table.rename(columns={"score": "grade"})
        assert cf.evaluate(table, {"t": {"1": 1.0}}, "AP").values.tolist() == [[[1.0], [0.0]]], kind


def test_another_column_may_have_no_arrow_type() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"qid": ["t", "t"], "docno": ["1", "2"], "score": [2.0, 1.0]})
    expected = cf.evaluate(QRELS, frame, "AP").values.tolist()
    frame["note"] = ["text", {1, 2}]
    assert cf.evaluate(QRELS, frame, "AP").values.tolist() == expected
    frame["score"] = [2.0, "high"]
    with pytest.raises(cf.Error, match="found str `'high'` for document `2` of topic `t`"):
        cf.evaluate(QRELS, frame, "AP")
