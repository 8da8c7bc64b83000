"""What ``scores.plot`` and ``comparison.plot`` are, and what they draw: scores of a run by topic,
differences of two runs, all runs on all topics, differences with their intervals, and curves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield._base.errors import failure, optional, shown
from cranfield._base.options import checked, finder
from cranfield._base.scores_like import TIE, ScoresKind, turn
from cranfield._base.text import counted, number, printable
from cranfield._core import Measure
from cranfield._measures.parse import MeasureLike, measure_values, one_measure
from cranfield._plot.style import (
    PALETTE,
    RECEDES,
    STANDS_OUT,
    short,
    shortened,
    with_direction,
)
from cranfield._stats.differences import Compared, Difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

Floats: TypeAlias = NDArray[np.float64]

MANY = 30
"""More names than this are written small."""
_SMALL = 7.0
"""The size of a small font, in points."""
_LONGEST = 24.0
"""The longest side of new axes, in inches: room for 180 names."""


def length(names: int, least: float) -> float:
    """How long an axis with so many names should be, in inches."""
    return min(max(least, names * (0.13 if names > MANY else 0.25)), _LONGEST)


def room(names: Sequence[str]) -> float:
    """How much the longest of the labels needs, in inches."""
    return (0.06 if len(names) > MANY else 0.085) * max(map(len, shortened(names)))


def axes_for(
    ax: Axes | None,
    width: float,
    height: float,
    *,
    x: Sequence[str] | None = None,
    y: Sequence[str] | None = None,
) -> Axes:
    """The axes to draw into: those given, or new ones of this size in inches.

    ``x`` and ``y`` are names to write at the places 0, 1, ... of an axis, as many
    as there is room for. Raises ``MissingPackageError`` without matplotlib,
    and ``Error`` (kind "option") for what are not axes, and for axes that
    have other names already, or share an axis with some that do.
    """
    pyplot: Any = optional("matplotlib.pyplot", "plot", extra="plot")
    if ax is None:
        _, ax = pyplot.subplots(figsize=(width, height), layout="constrained")
    elif not isinstance(ax, pyplot.Axes):
        raise failure("option", f"expected axes of matplotlib as ax, found {shown(ax)}")
    named = [(axis, names) for axis, names in ((ax.xaxis, x), (ax.yaxis, y)) if names is not None]
    for axis, names in named:
        _check_free(axis, names)
    for axis, names in named:
        _write_names(axis, names)
    return ax


def _check_free(axis: Axis, names: Sequence[str]) -> None:
    """Raises ``Error`` (kind "option") if other names stand along an axis."""
    from cranfield._plot.ticks import Names

    formatter = axis.get_major_formatter()
    if isinstance(formatter, Names) and formatter.names != tuple(names):
        raise failure(
            "option",
            "the axes given as ax have other names along an axis, or share it with axes that do: "
            "give axes of their own",
        )


def _write_names(axis: Axis, names: Sequence[str]) -> None:
    from matplotlib.axis import XAxis
    from matplotlib.ticker import NullLocator

    from cranfield._plot.ticks import Names, Places

    axis.set_major_locator(Places(axis, len(names)))
    axis.set_major_formatter(Names(names))
    axis.set_minor_locator(NullLocator())
    sizes: dict[str, Any] = {"labelsize": _SMALL} if len(names) > MANY else {}
    if isinstance(axis, XAxis):
        sizes["labelrotation"] = 90
    axis.set_tick_params(length=2, **sizes)


_HEIGHT = 3.6
"""The height of new axes without the names below them, in inches."""
_IN_TEXT = 18
"""How many characters of a run's name a sentence has room for."""
_SUMMARIES = {"geometric": "geometric mean", "pooled": "weighted mean"}
"""What the summary of a measure is called where it is not the mean."""


class _Chart:
    """Bars of topics with a legend in the corner where the bars are short."""

    def __init__(
        self,
        ax: Axes | None,
        topics: Sequence[str],
        values: Floats,
        measure: str,
        better: str | None,
    ) -> None:
        width, height = length(len(topics), 5.4) + 1, _HEIGHT + room(topics)
        self.ax = axes_for(ax, width, height, x=topics)
        self._topics, self._values = topics, values
        self._measure, self._better = measure, better
        self._drawn = [values]
        """All values that are drawn at the topics."""
        self._handles: list[Any] = []

    def bars(self, colors: Sequence[str] | NDArray[np.str_]) -> None:
        """A bar for each topic that has a value."""
        places = [i for i, value in enumerate(self._values) if not math.isnan(value)]
        shown = [colors[i] for i in places]
        for place, bar in zip(
            places, self.ax.bar(places, self._values[places], color=shown), strict=True
        ):
            bar.set_gid(printable(self._topics[place]))

    def marks(self, values: Floats, label: str) -> None:
        """A mark for each topic."""
        self._drawn.append(values)
        self._handles += self.ax.plot(
            range(len(values)),
            values,
            linestyle="none",
            marker="D",
            markersize=3,
            color="black",
            markeredgecolor="white",
            markeredgewidth=0.5,
            label=label,
        )

    def line(self, value: float, label: str) -> None:
        """A line across all topics."""
        self._handles.append(
            self.ax.axhline(value, color=STANDS_OUT, linestyle="--", linewidth=1.2, label=label)
        )

    def entry(self, label: str, **look: Any) -> None:
        """An entry of the legend."""
        from matplotlib.patches import Patch

        self._handles.append(Patch(label=label, **look))

    def counts(self, label: str, where: NDArray[np.bool_], **look: Any) -> None:
        """An entry of the legend with the number of topics, if there are any."""
        if where.any():
            self.entry(f"{label}: {counted(int(where.sum()), 'topic')}", **look)

    def finish(self, label: str = "") -> None:
        """The labels, the ends of the axes and the legend."""
        ax, count = self.ax, len(self._topics)
        missing = np.isnan(self._values)
        hatched: dict[str, Any] = {
            "facecolor": "none",
            "edgecolor": RECEDES,
            "hatch": "////",
            "linewidth": 0,
        }
        if missing.any():
            ax.axvspan(count - missing.sum() - 0.5, count - 0.5, gid="no value", **hatched)
        self.counts("no value", missing, **hatched)
        ax.axhline(0, color=RECEDES, linewidth=0.8, zorder=0.5)
        ax.set_xlabel(f"topics, {'highest' if self._better is None else 'best'} first")
        ax.set_ylabel(f"{label}{with_direction(self._measure, self._better)}")
        ax.set_xlim(-0.7, count - 0.3)
        drawn = np.nan_to_num(np.stack(self._drawn))
        # Bars begin at 0.
        low, highest = min(0.0, float(drawn.min())), np.maximum(drawn.max(axis=0), 0)
        high = float(highest.max())
        # A mark at 0 is not cut off either.
        pad = 0.03 * ((high - low) or 1.0)
        bottom = low - pad
        # The legend lies over three fifths of the topics, and over this share of the height.
        falls = turn(self._better) > 0
        beside = highest[count * 2 // 5 :] if falls else highest[: count - count * 2 // 5]
        share = min(0.03 + 15 * len(self._handles) / self._points_high(), 0.6)
        free = (float(beside.max()) - share * bottom) / (1 - share)
        ax.set_ylim(bottom, max(high + pad, free))
        ax.legend(
            handles=self._handles,
            loc="upper right" if falls else "upper left",
            fontsize="small",
            framealpha=0.8,
            edgecolor="none",
        )

    def _points_high(self) -> float:
        """About how high the axes will be in points, with names below them."""
        box, figure = self.ax.get_window_extent(), self.ax.figure
        return max(72 * box.height / figure.dpi * 0.7, 1)


_COLORS = {1: "viridis", -1: "viridis_r"}
"""The scale of colors that ends light at the best values, for each direction."""


def _ends(rows: Sequence[Difference]) -> tuple[float, float]:
    """The ends of what is drawn, 0 and all finite ends of intervals among it."""
    values = [0.0]
    for row in rows:
        values += [row.difference, row.interval_low, row.interval_high]
    finite = [value for value in values if math.isfinite(value)]
    return min(finite), max(finite)


_EDGE = 0.02
"""What new axes show beyond 0 and 1, so that no line is cut."""
_DIAGONAL = "diagonal"


class CurveAxes:
    """The axes that a curve is drawn into, beside those that are already there."""

    def __init__(self, ax: Axes | None, x: str, y: str) -> None:
        self._ax = axes_for(ax, 5.2, 4.8)
        if ax is None:
            ends = -_EDGE, 1 + _EDGE
            self._ax.set(xlim=ends, ylim=ends, aspect="equal")
        self._ax.set(xlabel=x, ylabel=y)
        self._place = len(self._ax.get_legend_handles_labels()[0])

    def curve(self, x: Floats, y: Floats, name: str, summary: str, style: Mapping[str, Any]) -> Any:
        """Draws the curve of this name in the next color; returns its line."""
        look: dict[str, Any] = {"color": RECEDES, "linewidth": 0.8, "zorder": 1.5}
        if self._place < len(PALETTE):
            look = {"color": PALETTE[self._place]}
        if "c" in style:
            del look["color"]
        text = {"label": f"{short(name)}, {summary}", "gid": name}
        (line,) = self._ax.plot(x, y, **{**text, **look, **style})
        return line

    def thin(self, x: Floats, y: Floats, line: Any) -> None:
        """Draws a thinner curve in the color of a line."""
        self._ax.plot(x, y, color=line.get_color(), linewidth=0.8, alpha=0.6)

    def diagonal(self) -> None:
        """Draws the diagonal, if it is not there."""
        if all(line.get_gid() != _DIAGONAL for line in self._ax.get_lines()):
            look: dict[str, Any] = {"color": RECEDES, "linestyle": ":", "linewidth": 1.2}
            self._ax.plot([0, 1], [0, 1], gid=_DIAGONAL, zorder=1, **look)

    def finished(self, *, legend: bool, corner: Literal["best", "lower right"]) -> Axes:
        """The axes, with a legend of the curves that have a color of their own."""
        if legend:
            from matplotlib.lines import Line2D

            handles, labels = self._ax.get_legend_handles_labels()
            most = len(PALETTE)
            if len(handles) > most:
                more = f"... and {len(handles) - most} more"
                handles = [*handles[:most], Line2D([], [], linestyle="none")]
                labels = [*labels[:most], more]
            self._ax.legend(handles, labels, loc=corner, fontsize="small")
        return self._ax


class ScoresPlot:
    """Plots of scores; ``scores.plot``.

    Every method takes the axes of matplotlib to draw into, and makes new ones
    of a size that fits if none are given. It returns the axes, so that all
    else about the plot can be changed, or saved with ``ax.figure.savefig``.

    Names are shortened in labels only, and left out where they would overlap.
    ``ax.xaxis.get_major_formatter().names`` has all of them in full, in the
    order drawn. Each bar and each interval has its topic or run as ``gid``, which is
    its ``id`` in an SVG file.
    """

    __slots__ = ("_scores",)

    def __init__(self, scores: ScoresKind) -> None:
        self._scores = scores

    @checked
    def topics(
        self, run: str, *, measure: MeasureLike | None = None, ax: Axes | None = None
    ) -> Axes:
        """The scores of a run as bars, the best topic first.

        With the run's mean, and of three or more runs their median on each
        topic. Topics without a value are hatched at the end.

        Parameters
        ----------
        run
            The name of the run.
        measure
            Not needed if there is one.
        ax
            The axes to draw into; not given: new ones.

        Returns
        -------
        Axes

        Raises
        ------
        Error
            Kind "label" for a run or measure that is not there, "option" for
            several measures if none is named and for what are not axes,
            "undefined" if there is no value to draw.
        ImportError
            Without matplotlib.

        """
        scores = self._scores
        runs, name, values = measure_values(scores, measure)
        place = finder("run", runs)(run)
        own, better = values[place], scores.better[name]
        if np.isnan(own).all():
            raise failure("undefined", f"run {run!r} has no value of {name} to draw")
        order = np.argsort(-turn(better) * own, kind="stable")
        chart = _Chart(ax, [scores.topics[i] for i in order], own[order], name, better)
        chart.bars(np.full(len(own), PALETTE[0]))
        chart.entry(short(run), color=PALETTE[0])
        if len(runs) > 2:
            median = np.full(len(own), np.nan)
            known = ~np.isnan(values).all(axis=0)
            median[known] = np.nanmedian(values[:, known], axis=0)
            chart.marks(median[order], f"median of {counted(len(runs), 'run')}")
        column = scores.measures.index(name)
        kind = _SUMMARIES.get(scores.core.measures[column].aggregate)
        summary = scores.summary() if kind else scores.mean()
        mean = float(summary[place, column])
        chart.line(mean, f"{kind or 'mean'} {number(mean)}")
        chart.finish()
        return chart.ax

    @checked
    def differences(
        self, a: str, b: str, *, measure: MeasureLike | None = None, ax: Axes | None = None
    ) -> Axes:
        """The second run's scores less the first's as bars, best for the second first.

        With their mean, and the number of topics on which each run is better
        (by more than 1e-9). Topics on which one of them has no value are
        hatched at the end.

        Parameters
        ----------
        a, b
            The names of the runs.
        measure, ax
            As for ``topics``.

        Returns
        -------
        Axes

        Raises
        ------
        Error
            As ``topics``; kind "option" also for the same run twice.
        ImportError
            Without matplotlib.

        """
        scores = self._scores
        runs, name, values = measure_values(scores, measure)
        first, second = map(finder("run", runs), (a, b))
        if first == second:
            raise failure("option", f"expected two runs, found {a!r} twice")
        each, better = values[second] - values[first], scores.better[name]
        if np.isnan(each).all():
            raise failure("undefined", f"no topic has a value of {name} for both {a!r} and {b!r}")
        order = np.argsort(-turn(better) * each, kind="stable")
        each = each[order]
        chart = _Chart(ax, [scores.topics[i] for i in order], each, name, better)
        gain = turn(better) * each
        chart.bars(np.where(gain > 0, PALETTE[0], STANDS_OUT))
        word = "higher" if better is None else "better"
        old, new = shortened((a, b), _IN_TEXT)
        chart.counts(f"{new} {word}", gain > TIE, color=PALETTE[0])
        chart.counts(f"{old} {word}", gain < -TIE, color=STANDS_OUT)
        chart.counts("equal", np.abs(gain) <= TIE, color="none")
        mean = float(np.nanmean(each))
        chart.line(mean, f"mean {number(mean, sign='+')}")
        chart.finish(f"{new} less {old}\n")
        return chart.ax

    @checked
    def heatmap(self, *, measure: MeasureLike | None = None, ax: Axes | None = None) -> Axes:
        """The scores of all runs (rows, best first) on all topics (columns, easiest first).

        Runs are ordered by the summary of the measure, topics by the mean over
        runs. Better scores are lighter. Cells without a value are hatched.

        Parameters
        ----------
        measure, ax
            As for ``topics``.

        Returns
        -------
        Axes
            ``ax.images[0]`` is the picture; its ``get_array()`` has the values
            as drawn: masked, shape (runs, topics).

        Raises
        ------
        Error
            As ``topics``.
        ImportError
            Without matplotlib.

        """
        scores = self._scores
        runs, name, values = measure_values(scores, measure)
        known, better = ~np.isnan(values), scores.better[name]
        if not known.any():
            raise failure("undefined", f"no run has a value of {name} to draw")
        summary = scores.summary()[:, scores.measures.index(name)]
        counts = known.sum(axis=0)
        means = np.where(counts, np.nansum(values, axis=0) / np.maximum(counts, 1), np.nan)
        of_runs, of_topics = (
            np.argsort(-turn(better) * one, kind="stable") for one in (summary, means)
        )
        cells = np.ma.masked_invalid(values[np.ix_(of_runs, of_topics)])
        names, topics = [runs[i] for i in of_runs], [scores.topics[i] for i in of_topics]
        width = 1.1 * length(len(topics), 4.5) + room(names) + 1
        height = length(len(names), 2.0) + room(topics) + 0.4
        ax = axes_for(ax, width, height, x=topics, y=names)
        image = ax.imshow(cells, aspect="auto", interpolation="nearest", cmap=_COLORS[turn(better)])
        # What is masked is transparent, and shows the hatch of the background.
        ax.patch.set(facecolor="white", edgecolor=RECEDES, hatch="////")
        missing = "" if known.all() else "; hatched: no value"
        ax.set_xlabel(f"topics, {'highest' if better is None else 'easiest'} first{missing}")
        high = ax.get_window_extent().height / ax.figure.dpi
        bar = ax.figure.colorbar(image, ax=ax, pad=0.01, aspect=max(20, 5 * high), fraction=0.05)
        bar.set_label(with_direction(name, better))
        return ax

    @checked
    def forest(
        self,
        baseline: str | None = None,
        *,
        measure: MeasureLike | None = None,
        test: str = "t",
        correction: str | None = None,
        alpha: float = 0.05,
        level: float = 0.95,
        resamples: int | None = None,
        seed: int | None = None,
        all_pairs: bool = False,
        threads: int | None = None,
        sort: str | Measure | None = "difference",
        ax: Axes | None = None,
    ) -> Axes:
        """The paired differences of the runs with their confidence intervals.

        Parameters
        ----------
        baseline
            The run that all others are compared with; not given: all pairs.
        measure, ax
            As for ``topics``.
        test, correction, alpha, level, resamples, seed, all_pairs, threads
            As for ``Scores.compare``.
        sort
            As for ``ComparisonPlot.forest``.

        Returns
        -------
        Axes
            As ``ComparisonPlot.forest`` of ``scores.compare(measure, ...)``.

        Raises
        ------
        Error
            As ``Scores.compare`` and ``topics``.
        ImportError
            Without matplotlib.

        """
        scores = self._scores
        name = scores.measures[one_measure(scores.measures, measure)]
        found = scores.compare(
            name,
            baseline=baseline,
            test=test,
            correction=correction,
            alpha=alpha,
            level=level,
            resamples=resamples,
            seed=seed,
            all_pairs=all_pairs,
            threads=threads,
        )
        drawn: Axes = found.plot.forest(sort=sort, ax=ax)
        return drawn

    def __repr__(self) -> str:
        return "<plots of scores: topics, differences, heatmap, forest>"


class ComparisonPlot:
    """Plots of a comparison; ``comparison.plot``."""

    __slots__ = ("_comparison",)

    def __init__(self, comparison: Compared) -> None:
        self._comparison = comparison

    @checked
    def forest(
        self,
        *,
        measure: MeasureLike | None = None,
        sort: str | Measure | None = "difference",
        ax: Axes | None = None,
    ) -> Axes:
        """The differences with their confidence intervals, a row for each pair.

        A mark is filled where the difference is significant. An interval that
        has no end leads to the edge, with an arrow.

        Parameters
        ----------
        measure
            Not needed if one was compared.
        sort
            As for ``Comparison.sort``; None for the order of the rows.
        ax
            The axes to draw into; not given: new ones.

        Returns
        -------
        Axes
            The line of a pair has three points: the lower end, the difference
            and the upper end. Its ``gid`` is the run, or "run - other" without
            a baseline.

        Raises
        ------
        Error
            Kind "label" for a measure that was not compared, "option" for
            several measures if none is named and for what are not axes.
        ImportError
            Without matplotlib.

        """
        comparison = self._comparison
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
            color = PALETTE[0] if gain > 0 else STANDS_OUT if gain < 0 else RECEDES
            ends = max(row.interval_low, low - pad), min(row.interval_high, high + pad)
            ax.plot(
                [ends[0], row.difference, ends[1]],
                [place] * 3,
                color=color,
                linewidth=1.2,
                marker="o",
                markevery=[1],
                markersize=4.5,
                markerfacecolor=color if row.significant else ax.get_facecolor(),
                gid=printable(label),
            )
            for end, given, mark in zip(
                ends, (row.interval_low, row.interval_high), "<>", strict=True
            ):
                if math.isinf(given):
                    ax.plot(end, place, color=color, marker=mark, markersize=4, gid="no end")
        # Room for the marks of the first and the last row, in small axes too.
        beyond = max(0.7, 0.015 * len(rows))
        ax.set(xlim=(low - 2 * pad, high + 2 * pad), ylim=(len(rows) - 1 + beyond, -beyond))
        ax.grid(axis="x", alpha=0.4)
        if len(rows) > MANY:
            ax.tick_params(axis="x", top=True, labeltop=True)
        against = "difference" if baseline is None else f"difference from {short(baseline)}"
        level = f"{100 * comparison.options['level']:.10g}% intervals"
        correction = comparison.options["correction"]
        p = "p" if correction == "none" else f"p({correction})"
        ax.set_xlabel(
            f"{against}\nin {with_direction(name, better)}\n"
            f"{level}; filled: {p} below {comparison.options['alpha']:g}"
        )
        return ax

    def __repr__(self) -> str:
        return "<plots of a comparison: forest>"
