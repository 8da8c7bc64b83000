"""Several curves in one picture: colors, legend, diagonal. Their numbers: tests/test_curves.py."""

from __future__ import annotations

from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield._plot.style import PALETTE, RECEDES
from matplotlib import pyplot

from tests.plot.seen import assert_readable, contains, drawn_boxes

QRELS = cf.Qrels({"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 1}}, docs_in_collection=9)
RUN = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"b": 2.0, "a": 1.0}}


def curve(kind: str, name: str = "run", topic: str | None = None) -> Any:
    function = {"roc": cf.curves.roc, "pr": cf.curves.precision_recall}[kind]
    return function(QRELS, {name: RUN}, topic)


def labels(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize("kind", ["roc", "pr"])
def test_129_curves_have_a_legend_of_ten(kind: str) -> None:
    ax = None
    for place in range(129):
        ax = curve(kind, f"run{place}").plot(ax)
    assert ax is not None
    lines = [line for line in ax.get_lines() if line.get_gid() != "diagonal"]
    assert [line.get_gid() for line in lines] == [f"run{place}" for place in range(129)]
    assert [line.get_color() for line in lines] == [*PALETTE, *[RECEDES] * 119]
    assert len(ax.get_lines()) - len(lines) == (kind == "roc")
    *first, last = labels(ax)
    assert [text.partition(",")[0] for text in first] == [f"run{place}" for place in range(10)]
    assert last == "... and 119 more"
    ax.figure.canvas.draw()
    assert contains(ax.bbox, ax.get_legend().get_window_extent())


@pytest.mark.parametrize("kind", ["roc", "pr"])
@pytest.mark.parametrize("topic", ["1", "2", None])
def test_no_curve_is_cut_off(kind: str, topic: str | None) -> None:
    ax = curve(kind, topic=topic).plot()
    ax.figure.canvas.draw()
    # A line is as wide as it is; half of it lies beyond its points.
    half = ax.get_lines()[0].get_linewidth() / 2 * ax.figure.dpi / 72
    assert all(contains(ax.bbox, box.padded(half)) for box in drawn_boxes(ax))
    _, own = pyplot.subplots(layout="constrained")
    curve(kind, topic=topic).plot(own, legend=False)
    assert_readable(own)


def test_a_list_of_one_document_is_a_visible_line() -> None:
    ax = cf.curves.precision_recall({"1": {"a": 1}}, {"1": {"a": 1.0}}, "1").plot()
    assert np.array(ax.get_lines()[0].get_xydata()).tolist() == [[0, 1], [1, 1]]
    # Of an empty list there is none.
    ax = cf.curves.precision_recall(QRELS, {"1": {"a": 1.0}}, "2").plot()
    assert [np.array(line.get_xydata()).size for line in ax.get_lines()] == [0, 0]


def test_what_is_undefined_has_a_dash() -> None:
    found = cf.curves.precision_recall({"1": {"a": 0}}, {"1": {"a": 1.0}}, undefined="skip")
    assert labels(found.plot()) == ["run, AP -"]


def test_style_goes_to_the_line() -> None:
    ax = curve("pr").plot(c="red", linewidth=3, label="mine", gid="own", linestyle=":")
    (line,) = ax.get_lines()
    found = line.get_color(), line.get_linewidth(), line.get_gid(), line.get_linestyle()
    assert found == ("red", 3, "own", ":")
    assert labels(ax) == ["mine"]
    assert curve("pr").plot(legend=False).get_legend() is None


def test_what_are_not_axes_is_an_error() -> None:
    with pytest.raises(cf.Error, match="expected axes of matplotlib as ax, found 'new'"):
        curve("roc").plot("new")
