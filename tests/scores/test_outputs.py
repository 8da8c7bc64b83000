"""Scores as dicts, frames, Arrow, text and HTML."""

from __future__ import annotations

import io
import math

import cranfield as cf
import numpy as np
import pytest
from cranfield._base.progress import Bar

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
RUNS = {
    "bm25": {"1": {"a": 2.0, "b": 1.0}, "2": {"d": 2.0, "c": 1.0}},
    "dense": {"1": {"b": 2.0, "a": 1.0}, "2": {"c": 2.0}},
}
# relevant at rank 1 and 2 (bm25), 2 and 1 (dense)
LONG = [
    ("bm25", "1", "AP", 1.0),
    ("bm25", "1", "num_ret", 2.0),
    ("bm25", "2", "AP", 0.5),
    ("bm25", "2", "num_ret", 2.0),
    ("dense", "1", "AP", 0.5),
    ("dense", "1", "num_ret", 2.0),
    ("dense", "2", "AP", 1.0),
    ("dense", "2", "num_ret", 1.0),
]
WIDE = [
    ("bm25", "1", 1.0, 2.0),
    ("bm25", "2", 0.5, 2.0),
    ("dense", "1", 0.5, 2.0),
    ("dense", "2", 1.0, 1.0),
]
EVIL = "<script>alert('x')</script>&\"\x1b[2J"


@pytest.fixture(scope="module")
def scores() -> cf.Scores:
    return cf.evaluate(QRELS, RUNS, ["AP", "num_ret"])


def test_to_dict_is_run_topic_measure(scores: cf.Scores) -> None:
    expected: dict[str, dict[str, dict[str, float]]] = {}
    for run, topic, measure, value in LONG:
        expected.setdefault(run, {}).setdefault(topic, {})[measure] = value
    assert scores.to_dict() == expected


def test_arrow_is_long_or_wide(scores: cf.Scores) -> None:
    pa = pytest.importorskip("pyarrow")
    long = scores.to_arrow()
    assert long.column_names == ["run", "topic", "measure", "value"]
    assert [tuple(row.values()) for row in long.to_pylist()] == LONG
    for name in ("run", "topic", "measure"):
        assert pa.types.is_dictionary(long.schema.field(name).type)
    assert long.schema.field("value").type == pa.float64()
    wide = scores.to_arrow(wide=True)
    assert wide.column_names == ["run", "topic", "AP", "num_ret"]
    assert [tuple(row.values()) for row in wide.to_pylist()] == WIDE


def test_the_capsule_is_the_long_table(scores: cf.Scores) -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.RecordBatchReader.from_stream(scores).read_all()
    assert [tuple(row.values()) for row in table.to_pylist()] == LONG


def test_polars_is_long_or_wide(scores: cf.Scores) -> None:
    pytest.importorskip("polars")
    long = scores.to_polars()
    assert long.columns == ["run", "topic", "measure", "value"]
    assert long.rows() == LONG
    wide = scores.to_polars(wide=True)
    assert wide.columns == ["run", "topic", "AP", "num_ret"]
    assert wide.rows() == WIDE


def test_pandas_is_long_or_wide(scores: cf.Scores) -> None:
    pytest.importorskip("pandas")
    long = scores.to_pandas()
    assert list(long.columns) == ["run", "topic", "measure", "value"]
    assert list(long.itertuples(index=False, name=None)) == LONG
    wide = scores.to_pandas(wide=True)
    assert list(wide.columns) == ["run", "topic", "AP", "num_ret"]
    assert list(wide.itertuples(index=False, name=None)) == WIDE
    means = long.groupby(["run", "measure"], observed=True)["value"].mean()
    assert means["bm25", "AP"] == scores.mean()[0, 0]


def test_frames_of_nothing_are_empty(scores: cf.Scores) -> None:
    pytest.importorskip("pandas")
    nothing = scores.sel(run=[])
    assert nothing.to_pandas().shape == (0, 4)
    assert nothing.to_pandas(wide=True).shape == (0, 4)
    assert nothing.to_dict() == {}


@pytest.fixture(scope="module")
def undefined() -> cf.Scores:
    return cf.evaluate({"1": {"a": 0}}, {"1": {"a": 1.0}}, "AP", undefined="skip")


def test_undefined_scores_are_nan(undefined: cf.Scores) -> None:
    assert math.isnan(undefined.values[0, 0, 0])
    assert math.isnan(undefined.mean()[0, 0])
    assert math.isnan(undefined.to_dict()["run"]["1"]["AP"])
    assert repr(undefined).endswith("\nrun   -")


def test_undefined_scores_are_nan_in_pandas(undefined: cf.Scores) -> None:
    pytest.importorskip("pandas")
    assert math.isnan(undefined.to_pandas()["value"][0])
    assert math.isnan(undefined.to_pandas(wide=True)["AP"][0])


def test_undefined_scores_are_null_in_polars(undefined: cf.Scores) -> None:
    pytest.importorskip("polars")
    assert undefined.to_polars()["value"].to_list() == [None]
    assert undefined.to_polars(wide=True)["AP"].to_list() == [None]


def test_undefined_scores_are_null_in_arrow(undefined: cf.Scores) -> None:
    pytest.importorskip("pyarrow")
    assert undefined.to_arrow()["value"].to_pylist() == [None]
    assert undefined.to_arrow(wide=True)["AP"].to_pylist() == [None]


def test_repr_is_a_table_of_summaries(scores: cf.Scores) -> None:
    assert repr(scores).splitlines()[1:] == [
        "run        AP   num_ret",
        "bm25   0.7500^        4",
        "dense  0.7500^        3",
    ]
    assert "2 runs x 2 topics x 2 measures" in repr(scores)


def test_one_of_a_kind_is_singular() -> None:
    one = cf.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "AP")
    assert repr(one).startswith("<Scores: 1 run x 1 topic x 1 measure; ")
    assert repr(cf.Evaluator({"1": {"a": 1}}, "AP")) == "<Evaluator: 1 topic, AP>"
    stream = io.StringIO()
    Bar(stream, 1, 0, delay=0.0)(0, 0)
    assert stream.getvalue().startswith("\r0/1 run [")


def test_html_is_a_table_of_summaries(scores: cf.Scores) -> None:
    html = scores._repr_html_()
    assert html.count("<tr>") == 3
    assert "<th>bm25</th><td><b>0.7500</b></td><td>4</td>" in html


def test_long_tables_are_cut() -> None:
    many = cf.evaluate(QRELS, {f"r{i}": RUNS["bm25"] for i in range(100)}, "AP")
    html = many._repr_html_()
    assert html.count("<tr>") == 1 + 60
    assert "... 41 more ..." in html
    lines = repr(many).splitlines()
    assert len(lines) == 2 + 20
    assert lines[2 + 10] == "... 81 more ..."
    assert [lines[2].split()[0], lines[11].split()[0]] == ["r0", "r9"]
    assert [lines[13].split()[0], lines[21].split()[0]] == ["r91", "r99"]


def test_names_from_outside_are_harmless() -> None:
    scores = cf.evaluate(QRELS, {EVIL: RUNS["bm25"]}, "AP")
    html = scores._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "\x1b" not in repr(scores)
    assert scores.runs == (EVIL,)


def test_values_do_not_hang_on_the_object() -> None:
    values = cf.evaluate(QRELS, RUNS, "AP").values
    np.testing.assert_array_equal(values[:, :, 0], [[1.0, 0.5], [0.5, 1.0]])
