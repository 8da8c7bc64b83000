"""Objects of Python whose order or content is not what a list's would be: read, or refused.

The oracle of what is read is the same data as a dict, of what is refused the object itself.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections import OrderedDict, deque
from functools import partial
from typing import TYPE_CHECKING, Any

import cranfield
import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

# Much here is what no type allows.
cf: Any = cranfield

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}
RUN = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 1.0}}
ROWS = [("q1", "b", 2.0), ("q1", "a", 1.0), ("q2", "c", 1.0)]
JUDGED = [("q1", "a", 1), ("q1", "b", 0), ("q2", "c", 1)]
NAMES = ("query_id", "doc_id", "score")
AS_DICTS = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
JUDGED_AS_DICTS = [dict(zip((*NAMES[:2], "relevance"), row, strict=True)) for row in JUDGED]
TREC = "q1 Q0 b 1 2.0 t\nq1 Q0 a 2 1.0 t\nq2 Q0 c 1 1.0 t\n"

# a is at rank 2 of q1, c at rank 1 of q2.
RECIPROCAL = [0.5, 1.0]


def reciprocal(run: Any, qrels: Any = QRELS) -> list[float]:
    values: list[float] = cf.evaluate(qrels, run, "RR").values[0, :, 0].tolist()
    return values


def refused(call: Callable[[], object]) -> cranfield.Error:
    with pytest.raises(cranfield.Error) as caught:
        call()
    return caught.value


def used(items: Iterable[Any]) -> Iterator[Any]:
    iterator = iter(items)
    assert list(iterator)
    return iterator


NO_ORDER = "which has no order: pass a list in the order that is meant"

UNORDERED: dict[str, Callable[[], object]] = {
    "a ranking": lambda: cf.Run.from_rankings({"q1": {"a", "b"}}),
    "a frozen ranking": lambda: cf.Run.from_rankings({"q1": frozenset("ab")}),
    "what two rankings share": lambda: cf.Run.from_rankings({"q1": {"a": 1}.keys() & {"a"}}),
    "topics of rows": lambda: cf.Run.from_rows({"q1", "q2"}, ["a", "b"], [1, 2]),
    "ranks of rows": lambda: cf.Run.from_rows(["q1", "q1"], ["a", "b"], None, ranks={1, 2}),
    "judged documents of rows": lambda: cf.Qrels.from_rows(["q1", "q1"], {"a", "b"}, [1, 0]),
    "documents of arrays": lambda: cf.Run.from_arrays(["q1", "q1"], {"a", "b"}, [1, 2]),
    "scores of arrays": lambda: cf.Run.from_arrays(["q1", "q1"], ["a", "b"], {1, 2}),
    "rows": lambda: reciprocal(set(ROWS)),
    "named rows": lambda: reciprocal({"x": frozenset(ROWS)}),
    "runs": lambda: cf.evaluate(QRELS, {cf.Run(RUN, name="x"), cf.Run(RUN, name="y")}),
    "paths": lambda: cf.read_runs({"a.run", "b.run"}),
    "a run of sets": lambda: reciprocal({"q1": {"a", "b"}}),
    "AWRF": lambda: cf.fairness.awrf({"a", "b"}, {"a": "x", "b": "y"}, {"x": 1.0}),
    "expected exposure": lambda: cf.fairness.expected_exposure(
        [{"a", "b"}],
        {"a": "x", "b": "y"},
        {"x": 1.0},
    ),
    "a session": lambda: cf.sessions.sdcg([{0.0, 1.0}]),
    "queries of a session": lambda: cf.sessions.sdcg({(0.0, 1.0), (1.0,)}),
    "expected precision": lambda: cf.expected.average_precision({"a", "b"}, {"a": 1.0}),
    "expected difference": lambda: cf.expected.difference(["a"], {"a", "b"}, {"a": 1.0}),
    "compared runs": lambda: cf.compare(QRELS, {cf.Run(RUN, name="x"), cf.Run(RUN, name="y")}),
    "preferred runs": lambda: cf.preferences(QRELS, {cf.Run(RUN, name="x")}),
}


@pytest.mark.parametrize("call", list(UNORDERED.values()), ids=list(UNORDERED))
def test_what_has_no_order_is_refused(call: Callable[[], object]) -> None:
    error = refused(call)
    assert error.kind in ("type", "option")
    assert NO_ORDER in error.message


def test_what_has_an_order_is_read() -> None:
    expected = {"q1": {"b": -1.0, "a": -2.0}}
    documents = ["b", "a"]
    for ranking in (
        documents,
        tuple(documents),
        deque(documents),
        np.array(documents),
        dict.fromkeys(documents).keys(),
        OrderedDict.fromkeys(documents).keys(),
        {1: "b", 2: "a"}.values(),
        iter(documents),
        (document for document in documents),
        map(str, documents),
    ):
        assert cf.Run.from_rankings({"q1": ranking}).to_dict() == expected


def test_scores_in_the_place_of_a_ranking_are_not_passed_over() -> None:
    error = refused(lambda: cf.Run.from_rankings({"q1": {"a": 1.0, "b": 2.0}}))
    assert "whose values would be passed over" in error.message


def test_judgments_need_no_order() -> None:
    assert reciprocal(RUN, set(JUDGED)) == RECIPROCAL


def test_measures_of_a_set_come_in_one_order() -> None:
    program = (
        "import cranfield as cf; "
        "measures = {'RR', 'AP', 'P@5', 'R@5'}; "
        "print(*cf.evaluate({'q': {'a': 1}}, {'q': {'a': 1.0}}, measures).measures)"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": str(seed)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in range(4)
    }
    assert printed == {"AP P@5 R@5 RR\n"}


USED_UP: dict[str, Callable[[], object]] = {
    "rows": lambda: reciprocal(used(ROWS)),
    "generated rows": lambda: reciprocal(used(row for row in ROWS)),
    "named rows": lambda: reciprocal({"x": used(ROWS)}),
    "rows in a list": lambda: reciprocal([used(ROWS)]),
    "dicts": lambda: reciprocal(used(AS_DICTS)),
    "runs": lambda: cf.evaluate(QRELS, used([RUN])),
    "paths": lambda: cf.read_runs(used(["x.run"])),
    "judgments": lambda: reciprocal(RUN, used(JUDGED)),
    "a ranking": lambda: cf.Run.from_rankings({"q1": used("ab")}),
    "a generated ranking": lambda: cf.Run.from_rankings({"q1": used(x for x in "ab")}),
    "columns": lambda: cf.Run.from_rows(used(["q1"]), used(["a"]), used([1.0])),
    "judged columns": lambda: cf.Qrels.from_rows(used(["q1"]), used(["a"]), used([1])),
}


@pytest.mark.parametrize("call", list(USED_UP.values()), ids=list(USED_UP))
def test_iterators_that_were_used_up(call: Callable[[], object]) -> None:
    error = refused(call)
    assert error.kind == "type"
    assert "which has nothing in it or was used up before: pass a list" in error.message


def test_a_generator_that_has_no_documents_is_an_empty_ranking() -> None:
    assert cf.Run.from_rankings({"q1": (x for x in "")}).to_dict() == {"q1": {}}


READERS: list[Callable[[Any], object]] = [
    lambda stream: cf.evaluate(QRELS, stream, "RR"),
    lambda stream: cf.evaluate(QRELS, {"x": stream}, "RR"),
    lambda stream: cf.evaluate(stream, RUN, "RR"),
    lambda stream: cf.compare(QRELS, {"x": stream, "y": RUN}),
    lambda stream: cf.read_run(stream),
    lambda stream: cf.read_qrels(stream),
    lambda stream: cf.read_costs(stream),
    lambda stream: cf.read_lengths(stream),
]


@pytest.mark.parametrize("text", [TREC, "qid,docno,score\nq1,a,2\n", json.dumps(RUN)])
def test_open_files_that_were_read_before(text: str, tmp_path: Path) -> None:
    path = tmp_path / "some.file"
    path.write_text(text)
    for stream in (io.StringIO(text), io.BytesIO(text.encode()), path.open(), path.open("rb")):
        with stream:
            first = cf.evaluate(QRELS, stream, "RR").values
            assert first[0, 0, 0] > 0
            for call in READERS:
                stream.seek(0, io.SEEK_END)
                error = refused(partial(call, stream))
                assert error.kind == "empty"
                assert "found one that was already read to its end" in error.message
            stream.seek(0)
            assert (cf.evaluate(QRELS, stream, "RR").values == first).all()


def frames() -> dict[str, tuple[Any, Any]]:
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    indexed = pandas.DataFrame(AS_DICTS).set_index(list(NAMES[:2]))["score"]
    judged = pandas.DataFrame(JUDGED_AS_DICTS).set_index(list(NAMES[:2]))["relevance"]
    fields = [("query_id", "U2"), ("doc_id", "U1")]
    return {
        "a Series by topic and document": (indexed, judged),
        "a Series without names": (
            indexed.rename(None).rename_axis([None, None]),
            judged.rename(None).rename_axis([None, None]),
        ),
        "a Series of structs": (
            polars.DataFrame(AS_DICTS).to_struct("x"),
            polars.DataFrame(JUDGED_AS_DICTS).to_struct("x"),
        ),
        "an array of rows": (np.array(ROWS, dtype=object), np.array(JUDGED, dtype=object)),
        "a structured array": (
            np.array(ROWS, dtype=[*fields, ("score", "f8")]),
            np.array(JUDGED, dtype=[*fields, ("grade", "i8")]),
        ),
        "dicts": (AS_DICTS, JUDGED_AS_DICTS),
        "generated dicts": ((row for row in AS_DICTS), (row for row in JUDGED_AS_DICTS)),
        "lists": ([list(row) for row in ROWS], [list(row) for row in JUDGED]),
    }


@pytest.mark.parametrize("name", list(frames()))
def test_what_can_be_read_in_one_way_only_is_read(name: str) -> None:
    run, qrels = frames()[name]
    assert reciprocal(run, qrels) == RECIPROCAL
    if not name.startswith("generated"):
        assert reciprocal({"x": run}) == RECIPROCAL
        assert reciprocal([run]) == RECIPROCAL
        (read,) = cf.read_runs(run)
        assert read.to_dict() == RUN


def test_rows_of_dicts_have_the_columns_of_tables() -> None:
    ranked = [{"qid": "q1", "docno": d, "rank": rank} for rank, d in enumerate("ba")]
    assert reciprocal(ranked, {"q1": {"a": 1}}) == [0.5]
    error = refused(lambda: reciprocal([{"query_id": "q1", "doc_id": "a", "x": 1.0}]))
    assert "found query_id, doc_id, x" in error.message
    error = refused(lambda: reciprocal([{"text": "a", "x": 1.0}]))
    assert "expected columns for topic, doc and score, found text, x" in error.message
    error = refused(lambda: reciprocal([*AS_DICTS, {"query_id": "q3"}]))
    assert "expected rows that are all like the first" in error.message


NAMED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a Series": (lambda p: p.Series([1.0, 2.0]), "found a Series, which is one column: pass"),
    "a dict of columns": (
        lambda p: p.DataFrame(AS_DICTS).to_dict("list"),
        "found one of the columns query_id, doc_id, score: pass pandas.DataFrame(...)",
    ),
    "a dict of one row": (lambda p: AS_DICTS[0], "found one of the columns query_id"),
    "a matrix of text": (lambda p: np.array(ROWS), "pass the columns to Run.from_arrays"),
    "a matrix of numbers": (lambda p: np.ones((2, 3)), "pass the columns to Run.from_arrays"),
    "whole numbers": (lambda p: [[1, 2, 3], [4, 5, 6]], "which could be a ranking"),
}


@pytest.mark.parametrize("name", list(NAMED))
def test_what_cannot_be_read_is_named_with_the_way(name: str) -> None:
    make, message = NAMED[name]
    assert message in refused(lambda: reciprocal(make(pytest.importorskip("pandas")))).message


def test_columns_of_other_libraries_are_named() -> None:
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    for column in (polars.Series("x", [1.0]), pyarrow.chunked_array([[1.0]])):
        for call in (reciprocal, as_qrels):
            error = refused(partial(call, column))
            assert f"found a {type(column).__name__}, which is one column" in error.message


class Dataset:
    """What a ``datasets.Dataset`` has, of which some rows were filtered out."""

    column_names = NAMES

    def __init__(self, rows: list[dict[str, Any]], arrow: bool = False) -> None:
        self.rows, self.arrow = rows, arrow

    def __len__(self) -> int:
        return len(self.rows)

    def with_format(self, form: str) -> Dataset:
        return Dataset(self.rows, arrow=form == "arrow")

    def __getitem__(self, key: slice) -> Any:
        assert self.arrow
        return pytest.importorskip("pyarrow").Table.from_pylist(self.rows[key])


def test_a_dataset_is_a_table() -> None:
    assert reciprocal(Dataset(AS_DICTS), Dataset(JUDGED_AS_DICTS)) == RECIPROCAL
    assert reciprocal({"x": Dataset(AS_DICTS)}) == RECIPROCAL


def test_a_dataset_of_datasets() -> None:
    datasets = pytest.importorskip("datasets")
    more = [*AS_DICTS, {"query_id": "q1", "doc_id": "x", "score": 9.0}]
    run = datasets.Dataset.from_list(more).filter(lambda row: row["doc_id"] != "x")
    qrels = datasets.Dataset.from_list(JUDGED_AS_DICTS).select([2, 1, 0])
    assert reciprocal(run, qrels) == RECIPROCAL
    assert reciprocal(datasets.DatasetDict({"x": run, "y": run})) == RECIPROCAL
    assert reciprocal(run.to_iterable_dataset(), qrels.to_iterable_dataset()) == RECIPROCAL


def as_qrels(table: Any) -> object:
    return reciprocal(RUN, table)


@pytest.mark.parametrize("second", ["score", "Score"])
def test_two_columns_of_one_name(second: str, tmp_path: Path) -> None:
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    row, names = ("q1", "a", 1.0, 2.0), ["qid", "docno", "score", second]
    arrow = pyarrow.Table.from_arrays([pyarrow.array([value]) for value in row], names=names)
    parquet.write_table(arrow, tmp_path / "x.parquet")
    objects = json.dumps([dict(zip(names, row, strict=True))])
    csv = f"{','.join(names)}\nq1,a,1,2\n"
    calls: list[tuple[Callable[[Any], object], Any]] = [
        (reciprocal, pandas.DataFrame([row], columns=names)),
        (reciprocal, arrow),
        (cf.Run.from_arrow, arrow),
        (reciprocal, str(tmp_path / "x.parquet")),
        (reciprocal, io.StringIO(csv)),
        (reciprocal, io.StringIO(csv.replace(",", "\t"))),
        (as_qrels, io.StringIO(csv)),
        (as_qrels, arrow),
    ]
    if second != "score":
        calls += [(reciprocal, io.StringIO(objects)), (as_qrels, io.StringIO(objects))]
    for call, table in calls:
        error = refused(partial(call, table))
        assert error.kind == "duplicate"
        assert f"expected one column score, found 2: score, {second}" in error.message
    named = pandas.DataFrame([row], columns=[*names[:3], "bm25"])
    assert reciprocal(named) == [1.0, 0.0]


@pytest.mark.parametrize("name", ["rank", "position"])
def test_ranks_from_0(name: str, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    rows = [("q1", "a", 1), ("q1", "b", 0), ("q2", "c", 0)]
    frame = pandas.DataFrame(rows, columns=["qid", "docno", name])
    objects = [{"qid": q, "docno": d, name: rank} for q, d, rank in rows]
    frame.to_parquet(tmp_path / "x.parquet")
    for run in (
        frame,
        objects,
        str(tmp_path / "x.parquet"),
        io.StringIO(frame.to_csv(index=False)),
        io.StringIO(json.dumps(objects)),
        io.StringIO("".join(f"{json.dumps(one)}\n" for one in objects)),
        cf.Run.from_rows(*zip(*(row[:2] for row in rows), strict=True), None, ranks=[1, 0, 0]),
    ):
        assert reciprocal(run) == RECIPROCAL
    lines = tmp_path / "x.run"
    lines.write_text("".join(f"{q} {d} {rank}\n" for q, d, rank in rows))
    assert (
        cf.evaluate(QRELS, lines, "RR", run_layout="msmarco").values.ravel().tolist() == RECIPROCAL
    )


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_in_json_that_are_not_finite(number: str) -> None:
    shown = "Infinity" if number == "1e999" else number
    hit = f'{{"qid": "q1", "docno": "a", "score": {number}}}'
    documents = [
        (f'{{"q1": {{"a": {number}}}}}', 1),
        (f'{{"some":\n {{"q1": {{"a": {number}}}}}}}', 2),
        (f"[\n\n{hit}]", 3),
        (f'{{"qid": "q2", "docno": "c", "score": 1}}\n{hit}\n', 2),
        (f'{{"qid": "q1", "results": [["a", {number}]]}}\n', 1),
    ]
    for text, line in documents:
        for judged in (False, True):
            if judged and "some" in text:
                continue
            what, read = ("grade", cf.read_qrels) if judged else ("score", cf.read_run)
            error = refused(partial(read, io.StringIO(text)))
            found = f"found {shown} for document `a` of topic `q1`"
            assert (error.kind, error.line) == ("number", line)
            assert error.message == f"expected a finite number as {what}, {found}"


def test_ids_that_are_floats_are_named_as_the_table_names_them(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frames = [
        ("qid", pandas.DataFrame([(12.0, "a", 1)], columns=["qid", "docno", "score"])),
        ("Doc ID", pandas.DataFrame([("q1", 12.0, 1)], columns=["qid", "Doc ID", "score"])),
    ]
    for column, frame in frames:
        frame.to_parquet(tmp_path / "x.parquet")
        frame.to_feather(tmp_path / "x.feather")
        for table in (frame, str(tmp_path / "x.parquet"), str(tmp_path / "x.feather")):
            for call in (reciprocal, as_qrels):
                error = refused(partial(call, table))
                assert error.kind == "type"
                expected = f"expected text or whole numbers in column {column}, found Float64"
                assert expected in error.message
                assert "make them text or whole numbers again" in error.message
    frame = pandas.DataFrame([("q1", "a", 1.0)], columns=["qid", "docno", "bm25"])
    frame.assign(bm25="x").to_parquet(tmp_path / "x.parquet")
    error = refused(
        lambda: cf.evaluate(QRELS, str(tmp_path / "x.parquet"), columns={"score": "bm25"})
    )
    assert "expected numbers in column bm25" in error.message
    error = refused(lambda: cf.read_run(io.StringIO('[{"qid": 12.0, "docno": "a", "score": 1}]')))
    assert "expected text or a whole number as topic, found `12.0`" in error.message
