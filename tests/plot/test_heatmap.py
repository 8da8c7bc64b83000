"""The picture of all scores; the cells are those of the scores, sorted by plain loops."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from matplotlib import pyplot

from tests.plot.seen import Table, assert_readable, many, names, scores, written

SMALL: Table = {
    "a": [0.2, 0.5, None],
    "b": [0.3, 0.1, 0.6],
    "c": [None, None, None],
    "d": [0.9, 0.8, 0.2],
}


def cells(ax: Any) -> list[list[float | None]]:
    (image,) = ax.images
    found: list[list[float | None]] = image.get_array().tolist()
    return found


def light(ax: Any, value: float) -> float:
    """How light the color of a value is."""
    (image,) = ax.images
    return float(sum(image.cmap(image.norm(value))[:3]))


def scale(ax: Any) -> str:
    """What stands beside the scale of colors."""
    text: str = ax.images[0].colorbar.ax.get_ylabel()
    return text


def test_cells_by_hand() -> None:
    ax = scores(SMALL).plot.heatmap()
    # Means: d .6333, a .35, b .3333; topics 1: 1.4/3, 2: 1.4/3, 3: .4.
    assert names(ax.yaxis) == written(ax.yaxis) == ["d", "a", "b", "c"]
    assert names(ax.xaxis) == ["1", "2", "3"]
    assert cells(ax) == [[0.9, 0.8, 0.2], [0.2, 0.5, None], [0.3, 0.1, 0.6], [None] * 3]
    assert ax.get_xlabel() == "topics, easiest first; hatched: no value"
    assert ax.patch.get_hatch()
    # Missing cells let the hatch of the background through.
    assert np.asarray(ax.images[0].cmap.get_bad())[3] == 0
    assert_readable(ax)


def test_where_lower_is_better_the_lowest_come_first_and_are_light() -> None:
    ax = scores(SMALL, "E").plot.heatmap()
    assert names(ax.yaxis) == ["b", "a", "d", "c"]
    assert names(ax.xaxis) == ["3", "1", "2"]
    assert light(ax, 0.1) > light(ax, 0.9)
    assert scale(ax) == "E (lower is better)"
    ax = scores(SMALL).plot.heatmap()
    assert light(ax, 0.1) < light(ax, 0.9)
    assert scale(ax) == "AP (higher is better)"


def assert_whole(ax: Any, found: cf.Scores, measure: str) -> None:
    """Every cell is the score of its run and topic, and both axes are sorted."""
    values = found.to_dict()
    runs, topics = names(ax.yaxis), names(ax.xaxis)
    assert (set(runs), set(topics)) == (set(found.runs), set(found.topics))
    assert cells(ax) == [[values[run][topic][measure] for topic in topics] for run in runs]
    means = [mean(row[measure] for row in values[run].values()) for run in runs]
    assert means == pytest.approx(sorted(means, reverse=True), abs=1e-12)
    easy = [mean(values[run][topic][measure] for run in runs) for topic in topics]
    assert easy == pytest.approx(sorted(easy, reverse=True), abs=1e-12)


def test_129_runs_are_readable() -> None:
    found = many()
    ax = found.plot.heatmap()
    assert_whole(ax, found, "AP")
    assert_readable(ax)
    assert len(written(ax.yaxis)) == 129
    assert len(written(ax.xaxis)) == 50
    assert "hatched" not in ax.get_xlabel()
    # In small axes names are left out, and come back in a part.
    _, small = pyplot.subplots(layout="constrained")
    assert found.plot.heatmap(ax=small) is small
    assert_readable(small)
    assert len(written(small.yaxis)) < 50
    assert names(small.yaxis) == names(ax.yaxis)
    small.set_ylim(40.5, 19.5)
    assert len(written(small.yaxis)) == 21


def test_trec8_is_readable(data: Path) -> None:
    folder = data / "trec8-adhoc"
    found = cf.evaluate(folder / "trec8.qrels.gz", str(folder / "runs" / "*.gz"), "AP P@10")
    ax = found.plot.heatmap(measure="AP")
    assert_whole(ax, found.sel(measure="AP"), "AP")
    assert_readable(ax)
    assert len(written(ax.yaxis)) == 129
    ax = found.plot.forest(found.runs[0], measure="P@10")
    assert_readable(ax)
    assert len(written(ax.yaxis)) == 128
    assert_readable(found.plot.topics(found.runs[1], measure="P@10"))
    assert_readable(found.plot.differences(*found.runs[1:3], measure="AP"))


@pytest.mark.parametrize(
    "table",
    [{"a": [0.5]}, {"a": [1.0, 1.0], "b": [1.0, 1.0]}, {"a": [None, 0.5], "b": [0.25, None]}],
)
@pytest.mark.filterwarnings("error")
def test_odd_tables_are_drawn(table: Table) -> None:
    ax = scores(table).plot.heatmap()
    assert cells(ax) == [table[run] for run in names(ax.yaxis)] or len(table) == 2
    assert_readable(ax)


@pytest.mark.parametrize(
    ("table", "options", "kind", "message"),
    [
        ({"a": [None], "b": [None]}, {}, "undefined", "no run has a value of AP to draw"),
        (SMALL, {"measure": "RR"}, "label", "no measure 'RR'; there are: AP"),
        (SMALL, {"ax": 3}, "option", "expected axes of matplotlib as ax, found 3"),
    ],
)
def test_mistakes_are_named(table: Table, options: Any, kind: str, message: str) -> None:
    with pytest.raises(cf.Error) as caught:
        scores(table).plot.heatmap(**options)
    assert (caught.value.kind, str(caught.value)) == (kind, message)
    assert not pyplot.get_fignums()


def test_several_axes_are_not_taken_for_one() -> None:
    _, several = pyplot.subplots(1, 2)
    with pytest.raises(cf.Error, match=r"expected axes of matplotlib as ax, found array\("):
        scores(SMALL).plot.heatmap(ax=several)


def test_one_of_several_measures_has_to_be_named() -> None:
    both = cf.Scores.concat([scores(SMALL), scores(SMALL, "E")], axis="measure")
    with pytest.raises(cf.Error, match="measure= has to say which of AP, E is meant"):
        both.plot.heatmap()
    assert names(both.plot.heatmap(measure="E").yaxis) == ["b", "a", "d", "c"]
