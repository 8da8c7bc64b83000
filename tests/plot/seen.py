"""Scores to draw, and what a reader sees of a plot: names apart, nothing cut off or hidden."""

from __future__ import annotations

import math
import random
from itertools import pairwise
from typing import Any

import cranfield as cf
import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

Table = dict[str, list[float | None]]


def scores(table: Table, measure: str = "AP") -> cf.Scores:
    """The scores of runs on topics 1, 2, ...; None where a run has no value."""
    records = [
        (run, topic, measure, value)
        for run, values in table.items()
        for topic, value in enumerate(values, 1)
    ]
    return cf.Scores.from_records(records)


def many(runs: int = 129, topics: int = 50, seed: int = 1) -> cf.Scores:
    """As many runs as TREC-8 has, with names of all lengths."""
    chance = random.Random(seed)
    return scores(
        {
            f"{'system' * (run % 4)}{run}{'-variant' * (run % 7)}": [
                round(chance.random() * (run + 1) / runs, 4) for _ in range(topics)
            ]
            for run in range(runs)
        }
    )


def names(axis: Any) -> list[str]:
    """All names along an axis, in the order drawn."""
    return list(axis.get_major_formatter().names)


def written(axis: Any) -> list[str]:
    """The labels that stand along an axis."""
    axis.axes.figure.canvas.draw()
    return [label.get_text() for label in shown(axis)]


def shown(axis: Any) -> list[Any]:
    """The labels of the ticks between the ends of an axis."""
    low, high = sorted(axis.get_view_interval())
    ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    return [tick.label1 for tick in ticks if tick.label1.get_text()]


def assert_readable(ax: Axes) -> None:
    """Labels do not overlap, the figure contains them, and the axes contain what is drawn."""
    figure: Any = ax.figure
    figure.canvas.draw()
    for axis in (ax.xaxis, ax.yaxis):
        boxes = [label.get_window_extent() for label in shown(axis)]
        side = 0 if axis is ax.xaxis else 1
        boxes.sort(key=lambda box: float(box.min[side]))
        assert boxes
        for one, other in pairwise(boxes):
            assert one.max[side] <= other.min[side]
        texts = [*boxes, axis.label.get_window_extent()] if axis.label.get_text() else boxes
        for box in texts:
            assert contains(figure.bbox, box), axis.label.get_text()
    legend = ax.get_legend()
    for box in drawn_boxes(ax):
        assert contains(ax.bbox, box)
        if legend is not None:
            assert not overlap(box, legend.get_window_extent())
    if legend is not None:
        assert contains(ax.bbox, legend.get_window_extent())


def drawn_boxes(ax: Axes) -> list[Bbox]:
    """Where bars, points and intervals are, in pixels; not the lines across all of the axes."""
    boxes = [patch.get_window_extent() for patch in ax.patches if patch.get_gid() != "no value"]
    for line in ax.get_lines():
        if line.get_transform() != ax.transData:
            continue
        spread = (
            line.get_markersize() / 2 * ax.figure.dpi / 72 if line.get_marker() != "None" else 0
        )
        for x, y in np.array(line.get_xydata()).tolist():
            if not math.isnan(x) and not math.isnan(y):
                x, y = ax.transData.transform((x, y))
                boxes.append(Bbox([[x - spread, y - spread], [x + spread, y + spread]]))
    return boxes


def contains(outer: Any, inner: Any) -> bool:
    """Whether a box is within another, to a thousandth of a pixel."""
    return bool(np.all(inner.min >= outer.min - 1e-3) and np.all(inner.max <= outer.max + 1e-3))


def overlap(one: Any, other: Any) -> bool:
    return bool(np.all(one.max > other.min) and np.all(other.max > one.min))
