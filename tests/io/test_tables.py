"""Ids, rows and tables that are accepted as judgments and as runs."""

from __future__ import annotations

import decimal
import subprocess
import sys
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest

from tests.io.small import AP, QRELS, QRELS_ROWS, RUN, RUN_ROWS, ap

Qrel = namedtuple("Qrel", "query_id doc_id relevance iteration")
Scored = namedtuple("Scored", "query_id doc_id score")


# Ids and numbers in objects


def test_ints_become_text_and_mixtures_raise() -> None:
    qrels = {1: {10: 1}}
    scores = cf.evaluate(qrels, {1: {10: 1.0}}, "AP")
    assert scores.topics == ("1",)
    assert ap(qrels, {"1": {"10": 1.0}}) == [[1.0]]
    with pytest.raises(cf.Error) as caught:
        cf.Qrels({"1": {"a": 1}, 2: {"a": 1}})
    assert caught.value.kind == "type"


def test_nan_raises_with_topic_and_document() -> None:
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(QRELS, {"17": {"doc23": float("nan")}}, "AP")
    assert "17" in str(caught.value)
    assert "doc23" in str(caught.value)


@pytest.mark.parametrize("source", [7, None, b"bytes", cf.Run(RUN)])
def test_what_is_not_a_judgment_is_a_type_error(source: object) -> None:
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(source, RUN, "AP")  # type: ignore[arg-type]
    assert caught.value.kind == "type"


@pytest.mark.parametrize("source", [7, None, b"bytes", [7], cf.Qrels(QRELS)])
def test_what_is_not_a_run_is_a_type_error(source: object) -> None:
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(QRELS, source, "AP")  # type: ignore[arg-type]
    assert caught.value.kind == "type"


# Rows


def test_named_tuples_are_read_by_name() -> None:
    qrels = [Qrel(topic, doc, grade, "0") for topic, doc, grade in QRELS_ROWS]
    run = [Scored(*row) for row in RUN_ROWS]
    assert ap(qrels, run) == [AP]
    assert ap(iter(qrels), iter(run)) == [AP]


def test_plain_tuples_are_read_by_position() -> None:
    assert ap(QRELS_ROWS, iter(RUN_ROWS)) == [AP]


@pytest.mark.parametrize("rows", [[("1", "a")], [("1", "0", "a", 1)], ["abc"]])
def test_other_rows_are_type_errors(rows: list[object]) -> None:
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(rows, RUN, "AP")
    assert caught.value.kind == "type"
    found = f"tuple of {len(rows[0])}" if isinstance(rows[0], tuple) else "str"
    assert caught.value.message.endswith(f", found a {found}")


class Dataset:
    """A dataset of ir_datasets, as far as it is used."""

    def qrels_iter(self) -> Iterator[Qrel]:
        return (Qrel(topic, doc, grade, "0") for topic, doc, grade in QRELS_ROWS)

    def scoreddocs_iter(self) -> Iterator[Scored]:
        return (Scored(*row) for row in RUN_ROWS)


def test_datasets_are_iterated() -> None:
    assert ap(Dataset(), Dataset()) == [AP]


def test_an_id_of_ir_datasets_needs_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    # As on a machine that does not have it.
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(ImportError, match="pip install ir_datasets"):
        cf.evaluate("ir_datasets:vaswani", RUN)
    with pytest.raises(cf.Error) as caught:
        cf.evaluate("vaswani", RUN)
    assert caught.value.kind == "missing"


def test_an_id_of_ir_datasets_is_looked_up() -> None:
    pytest.importorskip("ir_datasets")
    for prefix in ("ir_datasets:", "irds:"):
        with pytest.raises(cf.Error, match="ir_datasets has no such dataset") as caught:
            cf.evaluate(f"{prefix}no-such-dataset", RUN)
        assert caught.value.kind == "missing"


NO_DATASETS = (
    *("qrels.txt", "a/b/run.gz", "/no/such", "../x", "{}/nothing", "vaswani", "antique/train"),
    *("msmarco-passage/trec-dl-2019/judged", "~/nothing", "no/\udcff"),
)


@pytest.mark.parametrize("path", NO_DATASETS)
def test_a_missing_file_is_missed_without_ir_datasets(path: str, tmp_path: Path) -> None:
    # A package of this name that says when it is imported.
    (tmp_path / "ir_datasets.py").write_text("raise SystemExit('imported')")
    code = (
        "import sys, cranfield as cf\n"
        "for words in ((sys.argv[1], {}), ({'1': {'a': 1}}, sys.argv[1])):\n"
        "    try: cf.evaluate(*words)\n"
        "    except cf.Error as error: print(error.kind, 'ir_datasets' in sys.modules)"
    )
    (tmp_path / "runs").mkdir()
    command = [sys.executable, "-c", code, path.format("runs")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.split() == ["missing", "False"] * 2


@pytest.mark.parametrize("path", ["vaswani", "antique/train"])
def test_a_missing_file_is_told_how_a_dataset_is_named(path: str) -> None:
    for words in ((path, RUN), ({"1": {"a": 1}}, path)):
        with pytest.raises(cf.Error) as caught:
            cf.evaluate(*words)
        assert str(caught.value).endswith(
            f"; if it is a dataset of ir_datasets, write ir_datasets:{path}"
        )
    with pytest.raises(cf.Error) as caught:
        cf.evaluate("antique/train.txt", RUN)
    assert "ir_datasets" not in str(caught.value)


def test_judgments_that_cannot_be_downloaded() -> None:
    datasets = pytest.importorskip("ir_datasets")
    from ir_datasets.formats import TrecQrels
    from ir_datasets.util import Download, RequestsDownload

    # Nothing listens on this port.
    nowhere = Download([RequestsDownload("http://127.0.0.1:9/qrels", tries=1)])
    datasets.registry.register("nowhere", datasets.Dataset(TrecQrels(nowhere, {0: "no"})))
    with pytest.raises(cf.Error, match="nowhere: ir_datasets could not provide it: ") as caught:
        cf.evaluate("ir_datasets:nowhere", RUN)
    assert caught.value.kind == "missing"


# Tables


COLUMNS = [
    (("topic", "doc", "grade"), ("topic", "doc", "score")),
    (("query_id", "doc_id", "relevance"), ("query_id", "doc_id", "score")),
    (("qid", "docno", "label"), ("qid", "docno", "score")),
    (("label", "docno", "qid"), ("sim", "docid", "q_id")),
    (("QID", "DocNo", "Rel"), ("Query", "Document", "Score")),
    (("x", "y", "z"), ("0", "1", "2")),
    (("docno", "x", "y"), ("x", "qid", "y")),
]


def columns_of(
    rows: Sequence[tuple[str, str, float]], names: tuple[str, ...]
) -> dict[str, list[Any]]:
    """Columns in the order of the names; unknown names in the standard order."""
    kinds = [
        ["topic", "query_id", "qid", "q_id", "query"],
        ["doc", "doc_id", "docno", "docid", "document"],
    ]
    kinds.append(["grade", "relevance", "label", "rel", "score", "sim"])
    place = {
        name: next((i for i, kind in enumerate(kinds) if name.lower() in kind), None)
        for name in names
    }
    free = [i for i in range(3) if i not in place.values()]
    for name in names:
        if place[name] is None:
            place[name] = free.pop(0)
    return {name: [row[place[name] or 0] for row in rows] for name in names}


def makers() -> list[Any]:
    def polars(data: dict[str, list[Any]]) -> Any:
        return pytest.importorskip("polars").DataFrame(data)

    def arrow(data: dict[str, list[Any]]) -> Any:
        return pytest.importorskip("pyarrow").table(data)

    def dictionary(data: dict[str, list[Any]]) -> Any:
        pa = pytest.importorskip("pyarrow")
        columns = {
            name: pa.array(values).dictionary_encode()
            if isinstance(values[0], str)
            else pa.array(values)
            for name, values in data.items()
        }
        return pa.table(columns)

    def reader(data: dict[str, list[Any]]) -> Any:
        return arrow(data).to_reader(max_chunksize=2)

    def pandas(data: dict[str, list[Any]]) -> Any:
        return pytest.importorskip("pandas").DataFrame(data)

    return [polars, arrow, dictionary, reader, pandas]


@pytest.mark.parametrize("make", makers(), ids=lambda make: make.__name__)
@pytest.mark.parametrize(("qrels", "run"), COLUMNS)
def test_tables_are_read_by_name_then_by_position(
    make: Callable[[Any], Any], qrels: tuple[str, ...], run: tuple[str, ...]
) -> None:
    found = ap(make(columns_of(QRELS_ROWS, qrels)), make(columns_of(RUN_ROWS, run)))
    assert found == [AP]


@pytest.mark.parametrize("make", makers(), ids=lambda make: make.__name__)
def test_more_columns_do_not_disturb(make: Callable[[Any], Any]) -> None:
    # PyTerrier's frame: docid is an internal number, query the text
    data = {
        "qid": [row[0] for row in RUN_ROWS],
        "docid": [7] * len(RUN_ROWS),
        "docno": [row[1] for row in RUN_ROWS],
        "rank": [0] * len(RUN_ROWS),
        "score": [row[2] for row in RUN_ROWS],
        "query": ["words"] * len(RUN_ROWS),
    }
    assert ap(QRELS, {"pt": make(data)}) == [AP]


@pytest.mark.parametrize("make", makers(), ids=lambda make: make.__name__)
def test_a_table_without_the_columns_is_a_type_error(
    make: Callable[[Any], Any],
) -> None:
    table = make({"qid": ["1"], "docno": ["a"], "x": [1], "y": [2]})
    with pytest.raises(cf.Error, match="qid, docno, x, y") as caught:
        cf.evaluate(table, RUN, "AP")
    assert caught.value.kind == "type"


WIDTHS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("coded", [False, True], ids=["plain", "coded"])
@pytest.mark.parametrize("kind", WIDTHS)
def test_ids_are_whole_numbers_of_any_width(kind: str, coded: bool) -> None:
    pa = pytest.importorskip("pyarrow")

    def ids(numbers: list[int]) -> Any:
        column = pa.array(numbers, getattr(pa, kind)())
        return column.dictionary_encode() if coded else column

    run = pa.table(
        {"qid": ids([1, 1, 2]), "docno": ids([7, 0, 9]), "score": pa.array([2.0, 1.0, 1.0])}
    )
    qrels = {"1": {"0": 1}, "2": {"9": 1}}
    assert cf.evaluate(qrels, run, "RR").to_dict()["run"] == {"1": {"RR": 0.5}, "2": {"RR": 1.0}}
    if not kind.startswith("u"):
        below = pa.table({"qid": ids([1, 1]), "docno": ids([-7, 7]), "score": pa.array([2.0, 1.0])})
        assert cf.evaluate({"1": {"-7": 1}}, below, "RR").to_dict()["run"]["1"]["RR"] == 1.0


@pytest.mark.parametrize(
    "kind",
    [
        *WIDTHS,
        "float16",
        "float32",
        "float64",
        "decimal32",
        "decimal64",
        "decimal128",
        "decimal256",
    ],
)
def test_scores_and_grades_are_numbers_of_any_type(kind: str) -> None:
    pa = pytest.importorskip("pyarrow")
    is_decimal = kind.startswith("decimal")
    if is_decimal and not hasattr(pa, kind):
        pytest.skip(f"this pyarrow has no {kind}")
    type_ = getattr(pa, kind)(*[5, 2] if is_decimal else [])
    number: Callable[[str], Any] = float
    if is_decimal:
        number = decimal.Decimal
    elif kind in WIDTHS:
        number = int
    scores = ["3", "1", "2"] if kind in WIDTHS else ["1.5", "1.25", "1.26"]
    run = pa.table(
        {
            "qid": ["1"] * 3,
            "docno": ["a", "b", "c"],
            "score": pa.array([number(score) for score in scores], type_),
        }
    )
    qrels = pa.table(
        {
            "qid": ["1"] * 2,
            "docno": ["b", "c"],
            "grade": pa.array([number("1"), number("2")], type_),
        }
    )
    expected = cf.evaluate(
        {"1": {"b": 1, "c": 2}}, {"1": {"a": 3.0, "b": 1.0, "c": 2.0}}, "nDCG RR"
    )
    assert cf.evaluate(qrels, run, "nDCG RR").to_dict() == expected.to_dict()
    nothing = run.set_column(2, "score", pa.array([None, *run["score"].to_pylist()[1:]], type_))
    with pytest.raises(cf.Error, match="expected a finite number as score, found NaN"):
        cf.evaluate(qrels, nothing, "AP")


def test_a_lazy_frame_has_to_be_collected() -> None:
    polars = pytest.importorskip("polars")
    with pytest.raises(cf.Error, match="collect"):
        cf.evaluate(QRELS, polars.LazyFrame({"qid": ["1"]}), "AP")


def test_pandas_is_read_without_pyarrow() -> None:
    pytest.importorskip("pandas")
    code = """
import sys
sys.modules["pyarrow"] = None
import pandas as pd, cranfield as cf
qrels = pd.DataFrame({"label": [1, 0], "qid": ["1", "1"], "docno": ["a", "b"]})
run = pd.DataFrame([[1, "b", 2.0], [1, "a", 1.0]])
print(cf.evaluate(qrels, run, "AP").to_dict())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout == "{'run': {'1': {'AP': 0.5}}}\n"


def test_numpy_numbers_are_numbers() -> None:
    run = {"1": {"a": np.float32(2.0), "b": np.int64(1)}}
    assert ap({"1": {"a": np.int32(1)}}, run) == [[1.0]]
