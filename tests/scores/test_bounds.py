"""The object of bounds, its frames and texts, and what bounds refuse."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest

# the object

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
RUNS = {
    # u a b: AP is 1/2, and (1 + 2/2) / 2 with u; c: 1
    "bm25": {"1": {"u": 3.0, "a": 2.0, "b": 1.0}, "2": {"c": 1.0}},
    # a b u: 1, and (1 + 2/3) / 2 with u; the other topic is missing
    "dense": {"1": {"a": 3.0, "b": 2.0, "u": 1.0}},
}
LONG = [
    ("bm25", "1", "AP", 0.5, 0.5, 1.0),
    ("bm25", "1", "num_rel_ret", 1.0, 1.0, 2.0),
    ("bm25", "2", "AP", 1.0, 1.0, 1.0),
    ("bm25", "2", "num_rel_ret", 1.0, 1.0, 1.0),
    ("dense", "1", "AP", 1.0, 5 / 6, 1.0),
    ("dense", "1", "num_rel_ret", 1.0, 1.0, 2.0),
    ("dense", "2", "AP", 0.0, 0.0, 0.0),
    ("dense", "2", "num_rel_ret", 0.0, 0.0, 0.0),
]
NAMES = ["run", "topic", "measure", "value", "low", "high"]
WIDE = [(*one[:2], *one[3:], *other[3:]) for one, other in zip(LONG[::2], LONG[1::2], strict=True)]
WIDE_NAMES = ["run", "topic", "AP", "AP low", "AP high"]
WIDE_NAMES += ["num_rel_ret", "num_rel_ret low", "num_rel_ret high"]


@pytest.fixture(scope="module")
def found() -> cf.Bounds:
    return cf.bounds(QRELS, RUNS, ["map", "num_rel_ret"])


def test_values_and_bounds_have_the_same_labels(found: cf.Bounds) -> None:
    for scores in (found, found.value, found.low, found.high):
        assert scores.runs == ("bm25", "dense")
        assert scores.topics == ("1", "2")
        assert scores.measures == ("AP", "num_rel_ret")
    expected = cf.evaluate(QRELS, RUNS, ["AP", "num_rel_ret"])
    np.testing.assert_array_equal(found.value.values, expected.values)
    assert found.notes["dense"].topics_missing == ("2",)


def test_bounds_cannot_be_changed(found: cf.Bounds) -> None:
    for name in ("value", "low", "high", "runs", "other"):
        with pytest.raises(AttributeError):
            setattr(found, name, None)
    with pytest.raises(ValueError, match="read-only"):
        found.low.values[0, 0, 0] = 0.0


def test_a_run_and_a_measure_are_an_array_of_low_and_high(found: cf.Bounds) -> None:
    array = found["dense", "map"]
    assert array.dtype == np.float64
    np.testing.assert_allclose(array, [[5 / 6, 1.0], [0.0, 0.0]], rtol=1e-15)
    with pytest.raises(cf.LabelError, match="dense"):
        found["dens", "AP"]
    with pytest.raises(TypeError, match="sel"):
        found[0]  # type: ignore[call-overload]


def test_a_run_alone_has_its_own_bounds(found: cf.Bounds) -> None:
    alone = found["dense"]
    assert alone.runs == ("dense",)
    assert alone["dense", "AP"].tolist() == found["dense", "AP"].tolist()


def test_the_mean_has_the_mean_of_the_bounds(found: cf.Bounds) -> None:
    mean = found.mean()
    assert mean.shape == (2, 2, 3)
    assert mean.dtype == np.float64
    np.testing.assert_allclose(mean[0], [[0.75, 0.75, 1.0], [1.0, 1.0, 1.5]], rtol=1e-15)
    np.testing.assert_allclose(mean[1, 0], [0.5, 5 / 12, 0.5], rtol=1e-15)
    # Counts are summed.
    np.testing.assert_allclose(found.summary()[0], [[0.75, 0.75, 1.0], [2.0, 2.0, 3.0]])


def test_sel_takes_labels_of_any_axis(found: cf.Bounds) -> None:
    part = found.sel(run=iter(["dense"]), topic=1, measure=cf.AP)
    assert (part.runs, part.topics, part.measures) == (("dense",), ("1",), ("AP",))
    assert part.mean().tolist() == [[pytest.approx([1.0, 5 / 6, 1.0])]]
    assert tuple(part.notes) == ("dense",)
    with pytest.raises(cf.LabelError, match="RR"):
        found.sel(measure="RR")


def test_to_dict_is_run_topic_measure_and_the_three(found: cf.Bounds) -> None:
    expected: dict[str, Any] = {}
    for run, topic, measure, value, low, high in LONG:
        three = {"value": value, "low": pytest.approx(low), "high": high}
        expected.setdefault(run, {}).setdefault(topic, {})[measure] = three
    assert found.to_dict() == expected


def assert_rows(rows: Sequence[Sequence[Any]], expected: Sequence[Sequence[Any]]) -> None:
    for row, wanted in zip(rows, expected, strict=True):
        assert list(row) == [pytest.approx(x) if isinstance(x, float) else x for x in wanted]


def test_arrow_is_long_or_wide(found: cf.Bounds) -> None:
    pa = pytest.importorskip("pyarrow")
    long = found.to_arrow()
    assert long.column_names == NAMES
    assert pa.types.is_dictionary(long.schema.field("run").type)
    assert long.schema.field("low").type == pa.float64()
    assert_rows([tuple(row.values()) for row in long.to_pylist()], LONG)
    stream = pa.RecordBatchReader.from_stream(found).read_all()
    assert stream.equals(long)
    wide = found.to_arrow(wide=True)
    assert wide.column_names == WIDE_NAMES
    assert_rows([tuple(row.values()) for row in wide.to_pylist()], WIDE)


def test_polars_is_long_or_wide(found: cf.Bounds) -> None:
    pytest.importorskip("polars")
    assert found.to_polars().columns == NAMES
    assert_rows(found.to_polars().rows(), LONG)
    assert found.to_polars(wide=True).columns == WIDE_NAMES
    assert_rows(found.to_polars(wide=True).rows(), WIDE)


def test_pandas_is_long_or_wide(found: cf.Bounds) -> None:
    pytest.importorskip("pandas")
    assert list(found.to_pandas().columns) == NAMES
    assert_rows(list(found.to_pandas().itertuples(index=False, name=None)), LONG)
    assert list(found.to_pandas(wide=True).columns) == WIDE_NAMES
    assert_rows(list(found.to_pandas(wide=True).itertuples(index=False, name=None)), WIDE)


def test_what_is_undefined_has_no_bounds() -> None:
    pytest.importorskip("polars")
    undefined = cf.bounds({"1": {"a": 0}}, {"1": {"a": 2.0, "u": 1.0}}, "AP", undefined="skip")
    assert np.isnan(undefined.mean()).all()
    assert undefined.to_polars().rows() == [("run", "1", "AP", None, None, None)]
    assert undefined.to_polars(wide=True).rows() == [("run", "1", None, None, None)]
    assert repr(undefined).endswith("\nrun   -       -        -")


def test_repr_is_a_table_of_summaries(found: cf.Bounds) -> None:
    assert repr(found).splitlines() == [
        "<Bounds: 2 runs x 2 topics x 2 measures; summary, ^ best:>",
        "run        AP   lowest  highest  num_rel_ret   lowest  highest",
        "bm25   0.7500^  0.7500   1.0000            2^       2        3",
        "dense  0.5000   0.4167   0.5000            1        1        2",
    ]


def test_html_is_a_table_of_summaries(found: cf.Bounds) -> None:
    html = found._repr_html_()
    assert html.count("<tr>") == 3
    assert (
        '<th class="label">run</th><th>AP</th><th>lowest</th><th>highest</th><th>num_rel_ret</th>'
        in html
    )
    assert "<th>dense</th><td>0.5000</td><td>0.4167</td><td>0.5000</td>" in html


def test_long_tables_are_cut() -> None:
    many = cf.bounds(QRELS, {f"r{i}": RUNS["bm25"] for i in range(100)}, "AP")
    # Ten rows, nine rows, and in place of the others one.
    assert repr(many).splitlines()[2 + 10] == "... 81 more ..."
    assert '<td colspan="4">... 41 more ...</td>' in many._repr_html_()


def test_no_runs_have_no_bounds() -> None:
    nothing = cf.bounds(QRELS, [], "AP")
    assert nothing.mean().shape == (0, 1, 3)
    assert nothing.to_dict() == {}


# the call


def test_the_measures_are_six_by_default() -> None:
    expected = "nDCG@10 AP RR P@10 R@100 bpref"
    assert cf.bounds(QRELS, RUNS).measures == tuple(expected.split())


def test_an_evaluator_has_the_same_bounds(found: cf.Bounds) -> None:
    evaluator = cf.Evaluator(QRELS, ["AP", "num_rel_ret"])
    again = evaluator.bounds(RUNS)
    for one, other in zip(found.parts.values(), again.parts.values(), strict=True):
        np.testing.assert_array_equal(one.values, other.values)
    wider = evaluator.bounds(RUNS, unseen=3)
    # Three more relevant documents elsewhere: 1/2 / 4 instead of 1/2.
    assert wider.low["bm25", "AP"][0] == 0.125


def test_files_threads_and_progress_change_nothing(tmp_path: Path) -> None:
    for name, run in RUNS.items():
        cf.Run(run).write(str(tmp_path / f"{name}.run"))
    expected = cf.bounds(QRELS, RUNS)
    calls: list[tuple[int, int]] = []
    for threads in (1, 3):
        again = cf.bounds(
            QRELS, tmp_path, threads=threads, progress=lambda *call: calls.append(call)
        )
        assert again.runs == expected.runs
        for one, other in zip(expected.parts.values(), again.parts.values(), strict=True):
            assert one.values.tobytes() == other.values.tobytes()
    assert calls[-1][0] == 2


REFUSED = "no exact bounds of {}: {}"


@pytest.mark.parametrize(
    ("measure", "question", "message"),
    [
        ("Judged@10", {}, REFUSED.format("Judged@10", "it measures how much is judged")),
        ("subAP(p=0.5)", {}, REFUSED.format("subAP(p=0.5)", "it is a random estimate")),
        (
            "Q",
            {},
            REFUSED.format("Q", "no exact method is known for more than one gain above 0"),
        ),
        (
            "nERR(max_rel=2)",
            {"max_assignments": 2},
            REFUSED.format(
                "nERR(max_rel=2)",
                "3 assignments would have to be tried for topic `1`, more than max_assignments=2",
            ),
        ),
    ],
)
def test_what_has_no_exact_bounds_is_refused(
    measure: str, question: dict[str, Any], message: str
) -> None:
    qrels, run = {"1": {"a": 1, "b": 2}}, {"1": {"u": 2.0, "a": 1.0}}
    with pytest.raises(cf.Error) as caught:
        cf.bounds(qrels, run, measure, **question)
    assert (caught.value.kind, str(caught.value)) == ("bounds", message)


def test_the_default_measures_of_an_evaluator_have_no_bounds() -> None:
    with pytest.raises(cf.Error, match="no exact bounds of Judged@10") as caught:
        cf.Evaluator(QRELS).bounds(RUNS)
    assert caught.value.kind == "bounds"


@pytest.mark.parametrize(
    ("question", "kind", "message"),
    [
        ({"mode": "free"}, "option", 'expected one of "free_R", "fixed_R" as mode'),
        ({"mode": "fixed_R"}, "needs", "give docs_in_collection with the judgments"),
        ({"mode": "fixed_R", "unseen": 1}, "option", "unseen is for mode"),
        ({"unseen": -1}, "option", "as unseen, found int `-1`"),
        ({"unseen": 0.5}, "option", "as unseen, found float `0.5`"),
        ({"max_grade": -1}, "option", "expected a max_grade of at least 0, found -1"),
        ({"max_grade": math.nan}, "option", "max_grade"),
        ({"max_grade": "3"}, "option", "expected a number as max_grade"),
        ({"max_assignments": 0}, "option", "expected a max_assignments of at least 1"),
        ({"missing": "error"}, "topics", "found 1 missing"),
        ({"depth": 0}, "option", "depth"),
    ],
)
def test_wrong_options_are_errors(question: dict[str, Any], kind: str, message: str) -> None:
    with pytest.raises(cf.Error) as caught:
        cf.bounds(QRELS, RUNS, "AP", **question)
    assert caught.value.kind == kind
    assert message in str(caught.value)


def test_an_undefined_topic_can_be_an_error() -> None:
    with pytest.raises(cf.Error) as caught:
        cf.bounds({"1": {"a": 0}}, {"1": {"u": 1.0}}, "AP", undefined="error")
    assert caught.value.kind == "undefined"
