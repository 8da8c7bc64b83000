"""Arrays that change after a run was made, ids that are not documents, and false lengths."""

from __future__ import annotations

import subprocess
import sys
from collections import UserDict
from collections.abc import Callable, Iterator
from typing import Any

import cranfield as cf
import numpy as np
import pytest

JUDGED = {"1": {"7": 1, "9": 1}, "2": {"7": 1}}
HUGE = 2**62

Change = Callable[[Any], None]


def documents() -> Any:
    return np.array([[7, 8, 9], [9, 8, 7]])


def scores() -> Any:
    return np.array([[3.0, 2.0, 1.0], [3.0, 2.0, 1.0]])


def reshaped(array: Any) -> None:
    array.shape = (3, 2)


def flat(array: Any) -> None:
    array.shape = (6,)


def larger(array: Any) -> None:
    array.resize((2, 1000), refcheck=False)


def smaller(array: Any) -> None:
    array.resize((1, 1), refcheck=False)


def empty(array: Any) -> None:
    array.resize((0, 3), refcheck=False)


def retyped(array: Any) -> None:
    array.dtype = np.dtype("i4")


def swapped(array: Any) -> None:
    array.dtype = array.dtype.newbyteorder()


def narrowed(array: Any) -> None:
    array.dtype = np.dtype("S8")


CHANGES: list[Change] = [reshaped, flat, larger, smaller, empty, retyped, swapped, narrowed]

USES: dict[str, Callable[[cf.Run], object]] = {
    "evaluate": lambda run: cf.evaluate(JUDGED, run, "AP RR"),
    "bounds": lambda run: cf.bounds(JUDGED, run, "AP"),
    "tie bounds": lambda run: cf.tie_bounds(JUDGED, run, "AP"),
    "compare": lambda run: cf.compare(JUDGED, {"a": run, "b": run}, "AP"),
    "rank": lambda run: cf.collection.rank(JUDGED, run),
    "pool": lambda run: cf.collection.pool(run),
    "curve": lambda run: cf.curves.precision_recall(JUDGED, run),
    "to_dict": lambda run: run.to_dict(),
    "topic": lambda run: run["1"],
    "lines": lambda run: run.lines,
    "repr": repr,
    "pickle": lambda run: run.__reduce__(),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("which", ["documents", "scores"])
@pytest.mark.parametrize("use", USES)
def test_an_array_that_was_changed_is_refused(change: Change, which: str, use: str) -> None:
    arrays = {"documents": documents(), "scores": scores()}
    run = cf.Run.from_topk(["1", "2"], **arrays)
    change(arrays[which])
    with pytest.raises(cf.Error, match=f"expected {which} of shape .2, 3. and type") as caught:
        USES[use](run)
    assert caught.value.kind == "type"


@pytest.mark.parametrize("which", ["documents", "scores"])
@pytest.mark.parametrize("size", [0, 1, 5, 7, 100_000])
@pytest.mark.parametrize("with_offsets", [False, True])
def test_columns_that_were_resized_are_refused(which: str, size: int, with_offsets: bool) -> None:
    columns: dict[str, Any] = {"documents": np.arange(6), "scores": np.arange(6.0)}
    topics, offsets = ["1"] * 4 + ["2"] * 2, None
    if with_offsets:
        topics, offsets = ["1", "2"], [0, 4, 6]
    run = cf.Run.from_arrays(topics, **columns, offsets=offsets)
    columns[which].resize(size, refcheck=False)
    with pytest.raises(cf.Error, match="make the run again"):
        cf.evaluate(JUDGED, run, "AP")
    columns[which].resize(6, refcheck=False)
    assert run.lines == 6


@pytest.mark.parametrize("kind", ["U", "O"])
def test_scores_beside_texts_are_looked_at_too(kind: str) -> None:
    values = scores()
    run = cf.Run.from_topk(["1", "2"], documents().astype("U2").astype(kind), values)
    assert cf.evaluate(JUDGED, run, "AP").to_dict()["run"]["2"]["AP"] == pytest.approx(1 / 3)
    values[1] = [1, 2, 3]
    assert cf.evaluate(JUDGED, run, "AP").to_dict()["run"]["2"]["AP"] == 1
    values.resize((1, 2), refcheck=False)
    with pytest.raises(cf.Error, match="expected scores of shape"):
        cf.evaluate(JUDGED, run, "AP")


def test_values_and_flags_may_change() -> None:
    """Arrays are read in place; their type and shape may not change, their contents may."""
    ids, values = documents(), scores()
    run = cf.Run.from_topk(["1", "2"], ids, values)
    ids.setflags(write=False)
    values[0] = [1, 2, 3]
    assert list(run["1"]) == ["9", "8", "7"]


def test_a_view_of_a_subclass_does_not_dangle() -> None:
    class Mine(np.ndarray[Any, Any]):
        pass

    ids = documents().view(Mine).copy()
    run = cf.Run.from_topk(["1", "2"], ids, scores())
    before = run.to_dict()
    ids.resize((2, 100_000), refcheck=False)
    assert run.to_dict() == before


def test_a_masked_array_of_a_subclass_is_refused() -> None:
    class Mine(np.ma.MaskedArray):
        pass

    masked = Mine(scores(), mask=scores() > 2)
    with pytest.raises(cf.Error, match="without a mask"):
        cf.Run.from_topk(["1", "2"], documents(), masked)


@pytest.mark.parametrize("minus", [-1, np.int64(-1), np.int32(-1)])
@pytest.mark.parametrize("form", ["integers", "objects", "list"])
def test_minus_one_is_padding_in_every_form(minus: Any, form: str) -> None:
    rows: Any = [[7, 8, minus], [9, minus, 7]]
    if form != "list":
        rows = np.array(rows, dtype=object if form == "objects" else None)
    run = cf.Run.from_topk(["1", "2"], rows, scores())
    assert {topic: list(run[topic]) for topic in run.topics} == {"1": ["7", "8"], "2": ["9", "7"]}
    assert run.lines == 4
    assert "-1" not in cf.collection.pool(run).to_dict()["1"]


@pytest.mark.parametrize(
    "rows",
    [
        np.array([["a", "b", -1], ["c", "d", "e"]], dtype=object),
        np.array([["a", "b", "c"], [-1, "d", "e"]], dtype=object),
        [["a", "b", -1], ["c", "d", "e"]],
        [["a", "b", "c"], ["d", "e", -1]],
    ],
)
def test_minus_one_beside_texts_is_refused(rows: Any) -> None:
    with pytest.raises(cf.Error, match="all text or all whole numbers, found both"):
        cf.Run.from_topk(["1", "2"], rows, scores())


@pytest.mark.parametrize("rows", [np.array([[2**70, -1]], dtype=object), [[2**70, -1]]])
def test_padding_beside_longer_numbers_is_refused(rows: Any) -> None:
    with pytest.raises(cf.Error, match="expected whole numbers of 64 bits as documents"):
        cf.Run.from_topk(["1"], rows, [[2.0, 1.0]])


def test_text_is_text() -> None:
    run = cf.Run.from_topk(["1"], np.array([["7", "-1"]]), [[2.0, 1.0]])
    assert list(run["1"]) == ["7", "-1"]


@pytest.mark.parametrize("wrong", [True, 1.5, None, b"a", ["a"], float("nan")])
def test_objects_that_are_not_documents_are_refused(wrong: Any) -> None:
    rows = np.empty((1, 2), dtype=object)
    rows[0, 0], rows[0, 1] = 7, wrong
    with pytest.raises(cf.Error, match="expected an id as str or int"):
        cf.Run.from_topk(["1"], rows, [[2.0, 1.0]])


@pytest.mark.parametrize(
    ("topics", "ids", "values"),
    [
        (["1", "2"], [[1, 2], [3]], [[1.0, 2.0], [3.0, 4.0]]),
        (["1", "2"], [[1, 2], [3, 4]], [[1.0, 2.0], [3.0]]),
        ([["1"], "2"], [[1, 2], [3, 4]], [[1.0, 2.0], [3.0, 4.0]]),
        ("12", [[1, 2], [3, 4]], [[1.0, 2.0], [3.0, 4.0]]),
        (["1", "2"], None, [[1.0, 2.0], [3.0, 4.0]]),
        (["1", "2"], [[1, 2], [3, 4]], "scores"),
        (["1", "2"], [[1, 2], [3, 4]], [[1.0, None], [3.0, 4.0]]),
        (["1", "2"], [[1, 2], [3, 4]], [[1.0, "x"], [3.0, 4.0]]),
        (["1", 2], [[1, 2], [3, 4]], [[1.0, 2.0], [3.0, 4.0]]),
    ],
)
def test_what_is_not_a_matrix_is_an_error(topics: Any, ids: Any, values: Any) -> None:
    with pytest.raises(cf.Error, match=r"topics|documents|scores|ids"):
        cf.Run.from_topk(topics, ids, values)


# Lengths


def lying(base: type, length: Any) -> type:
    """A class whose objects say that they are of this length, or raise."""

    def told(_: object) -> Any:
        if isinstance(length, Exception):
            raise length
        return length

    return type("Lying", (base,), {"__len__": told, "__length_hint__": told})


LENGTHS = [HUGE, 2**40, 0, 1, -1, "three", None, ValueError("no length")]


@pytest.mark.parametrize("length", LENGTHS, ids=repr)
@pytest.mark.parametrize("base", [dict, UserDict])
def test_a_dict_that_lies_about_its_length(base: type, length: Any) -> None:
    class_ = lying(base, length)
    judged = class_({topic: class_(of_topic) for topic, of_topic in JUDGED.items()})
    scored = class_({"1": class_({"7": 2.0, "8": 1.0}), "2": class_({"7": 1.0})})
    found = cf.evaluate(judged, scored, "AP num_ret")
    assert found.to_dict()["run"]["1"] == {"AP": 0.5, "num_ret": 2}
    assert cf.Qrels(judged).to_dict() == cf.Qrels(JUDGED).to_dict()
    assert cf.Run(scored).lines == 3
    assert cf.Run.from_rankings(class_({"1": ["7", "8"]})).lines == 2
    qrels = cf.Qrels(judged).with_column("cost", class_({"1": class_({"7": 2})}))
    assert qrels.column("cost", "1") == {"7": 2}


@pytest.mark.parametrize("length", LENGTHS, ids=repr)
@pytest.mark.parametrize("base", [list, tuple])
def test_a_column_that_lies_about_its_length(base: type, length: Any) -> None:
    class_ = lying(base, length)
    run = cf.Run.from_rows(class_(["1", "1"]), class_(["7", "8"]), class_([2.0, 1.0]))
    assert run.to_dict() == {"1": {"7": 2.0, "8": 1.0}}
    with pytest.raises(cf.Error, match=r"one length, found \[2, 1, 2\]"):
        cf.Run.from_rows(class_(["1", "1"]), class_(["7"]), class_([2.0, 1.0]))
    rankings = cf.Run.from_rankings({"1": class_(["7", "8"])})
    assert list(rankings["1"]) == ["7", "8"]


@pytest.mark.parametrize("length", LENGTHS, ids=repr)
def test_rows_that_lie_about_their_length(length: Any) -> None:
    class Rows:
        def __iter__(self) -> Iterator[tuple[str, str, float]]:
            return iter([("1", "7", 2.0), ("1", "8", 1.0)])

    told = lying(object, length)
    class_ = type("LyingRows", (told,), {"__iter__": Rows.__iter__})
    found = cf.evaluate(class_(), class_(), "num_ret num_rel")
    assert found.values.tolist() == [[[2, 2]]]


def test_nothing_aborts() -> None:
    """In another process, since the test is that it does not crash."""
    code = f"""
import cranfield as cf
class Lying(dict):
    def __len__(self): return {HUGE}
cf.Qrels(Lying({{"1": {{"a": 1}}}}))
print(cf.evaluate(Lying({{"1": {{"a": 1}}}}), Lying({{"1": Lying(a=1.0)}}), "AP").values.item())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "1.0\n"), done.stderr


# Arrow

pa = pytest.importorskip("pyarrow")


def buffers(*columns: list[int], kind: str = "i4") -> list[Any]:
    return [pa.py_buffer(np.array(column, dtype=kind).tobytes()) for column in columns]


@pytest.mark.parametrize("offsets", [[0, 2, 1, 3], [0, 1, -1, 3], [0, 900, 2, 3]])
@pytest.mark.parametrize("place", [0, 1])
def test_offsets_outside_of_their_text_are_refused(offsets: list[int], place: int) -> None:
    text = pa.py_buffer(b"789")
    broken = pa.Array.from_buffers(pa.string(), 3, [None, *buffers(offsets), text])
    columns = [pa.array(["1", "1", "1"]), pa.array(["7", "8", "9"]), pa.array([3.0, 2.0, 1.0])]
    columns[place] = broken
    table = pa.table(dict(zip(("topic", "doc", "score"), columns, strict=True)))
    with pytest.raises(cf.Error, match="expected sound Arrow data"):
        cf.evaluate(JUDGED, table, "AP")


@pytest.mark.parametrize("code", [3, -1, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize("place", [0, 1])
def test_codes_outside_of_their_dictionary_are_refused(code: int, place: int) -> None:
    words = pa.array(["7", "8", "9"])
    codes = pa.array([0, code, 2], pa.int32())
    broken = pa.DictionaryArray.from_arrays(codes, words, safe=False)
    columns = [pa.array(["1", "1", "1"]), words, pa.array([3.0, 2.0, 1.0])]
    columns[place] = broken
    table = pa.table(dict(zip(("topic", "doc", "score"), columns, strict=True)))
    with pytest.raises(cf.Error, match="expected sound Arrow data"):
        cf.Run.from_arrow(table)


def test_views_outside_of_their_text_are_refused() -> None:
    view = np.array([[20, 0, 0, 5], [1, 55, 0, 0]], dtype="i4").tobytes()
    broken = pa.Array.from_buffers(
        pa.string_view(), 2, [None, pa.py_buffer(view), pa.py_buffer(b"short")]
    )
    table = pa.table({"topic": ["1", "1"], "doc": broken, "score": [2.0, 1.0]})
    with pytest.raises(cf.Error, match="expected sound Arrow data"):
        cf.Run.from_arrow(table)


def test_a_stream_that_was_read_is_an_error() -> None:
    reader = pa.table({"topic": ["1"], "doc": ["7"], "score": [1.0]}).to_reader()
    assert cf.Run.from_arrow(reader).lines == 1
    with pytest.raises(cf.Error, match=r"."):
        print(cf.Run.from_arrow(reader.__arrow_c_stream__()))
