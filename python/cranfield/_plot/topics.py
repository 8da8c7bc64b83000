"""The scores of a run by topic, and the differences of two runs."""

from __future__ import annotations

import math

from cranfield._base.errors import failure, label_failure
from cranfield._base.scores_like import TIE, turn
from cranfield._base.text import counted, number, printable
from cranfield._measures.labels import measure_values
from cranfield._plot.axes import axes_for, length, room
from cranfield._plot.labels import short, shortened, with_direction
from cranfield._plot.palette import PALETTE, RECEDES, STANDS_OUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from cranfield._base.scores_like import ScoresKind
    from cranfield._measures.parse import MeasureLike

    Floats = NDArray[np.float64]

_HEIGHT = 3.6
"""The height of new axes without the names below them, in inches."""
_IN_TEXT = 18
"""How many characters of a run's name a sentence has room for."""
_SUMMARIES = {"geometric": "geometric mean", "pooled": "weighted mean"}
"""What the summary of a measure is called where it is not the mean."""


def draw_topics(scores: ScoresKind, run: str, measure: MeasureLike | None, ax: Axes | None) -> Axes:
    """The bars of a run; see ``ScoresPlot.topics``."""
    import numpy as np

    runs, name, values = measure_values(scores, measure)
    place = _place(runs, run)
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


def draw_differences(
    scores: ScoresKind, a: str, b: str, measure: MeasureLike | None, ax: Axes | None
) -> Axes:
    """The bars of a difference; see ``ScoresPlot.differences``."""
    import numpy as np

    runs, name, values = measure_values(scores, measure)
    first, second = _place(runs, a), _place(runs, b)
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


def _place(runs: Sequence[str], run: str) -> int:
    if run not in runs:
        raise label_failure("run", run, runs)
    return runs.index(run)


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

    def bars(self, colours: Sequence[str] | NDArray[np.str_]) -> None:
        """A bar for each topic that has a value."""
        places = [i for i, value in enumerate(self._values) if not math.isnan(value)]
        shown = [colours[i] for i in places]
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
        import numpy as np

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
