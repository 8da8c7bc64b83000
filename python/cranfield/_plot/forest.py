"""Differences of runs with their intervals."""

from __future__ import annotations

import math

from cranfield._base.scores_like import turn
from cranfield._base.text import printable
from cranfield._measures.labels import one_measure
from cranfield._plot.axes import MANY, axes_for, length, room
from cranfield._plot.labels import short, with_direction
from cranfield._plot.palette import PALETTE, RECEDES, STANDS_OUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from cranfield._core import Measure
    from cranfield._measures.parse import MeasureLike
    from cranfield._stats.differences import Compared, Difference


def draw_forest(
    comparison: Compared,
    measure: MeasureLike | None,
    sort: str | Measure | None,
    ax: Axes | None,
) -> Axes:
    """The rows; see ``ComparisonPlot.forest``."""
    name = comparison.measures[one_measure(comparison.measures, measure)]
    ordered = comparison if sort is None else comparison.sort(sort)
    rows = [row for row in ordered.rows if row.measure == name]
    baseline = comparison.baseline
    names = [row.run if baseline is not None else f"{row.run} - {row.other}" for row in rows]
    ax = axes_for(ax, 4.8 + room(names), length(len(rows), 1.0) + 1, y=names)
    low, high = _ends(rows)
    pad = 0.05 * ((high - low) or 1.0)
    ax.axvline(0, color=RECEDES, linewidth=0.8, zorder=0.5)
    better = comparison.better[name]
    for place, (row, label) in enumerate(zip(rows, names, strict=True)):
        gain = turn(better) * row.difference
        colour = PALETTE[0] if gain > 0 else STANDS_OUT if gain < 0 else RECEDES
        ends = max(row.interval_low, low - pad), min(row.interval_high, high + pad)
        ax.plot(
            [ends[0], row.difference, ends[1]],
            [place] * 3,
            color=colour,
            linewidth=1.2,
            marker="o",
            markevery=[1],
            markersize=4.5,
            markerfacecolor=colour if row.significant else ax.get_facecolor(),
            gid=printable(label),
        )
        for end, given, mark in zip(ends, (row.interval_low, row.interval_high), "<>", strict=True):
            if math.isinf(given):
                ax.plot(end, place, color=colour, marker=mark, markersize=4, gid="no end")
    # Room for the marks of the first and the last row, in small axes too.
    beyond = max(0.7, 0.015 * len(rows))
    ax.set(xlim=(low - 2 * pad, high + 2 * pad), ylim=(len(rows) - 1 + beyond, -beyond))
    ax.grid(axis="x", alpha=0.4)
    if len(rows) > MANY:
        ax.tick_params(axis="x", top=True, labeltop=True)
    against = "difference" if baseline is None else f"difference from {short(baseline)}"
    level = f"{100 * comparison.options['level']:.10g} % intervals"
    correction = comparison.options["correction"]
    p = "p" if correction == "none" else f"p({correction})"
    ax.set_xlabel(
        f"{against}\nin {with_direction(name, better)}\n"
        f"{level}; filled: {p} below {comparison.options['alpha']:g}"
    )
    return ax


def _ends(rows: Sequence[Difference]) -> tuple[float, float]:
    """The ends of what is drawn, 0 and all finite ends of intervals among it."""
    values = [0.0]
    for row in rows:
        values += [row.difference, row.interval_low, row.interval_high]
    finite = [value for value in values if math.isfinite(value)]
    return min(finite), max(finite)
