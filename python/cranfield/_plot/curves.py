"""Curves over the unit square, several in the same axes."""

from __future__ import annotations

from cranfield._plot.axes import axes_for
from cranfield._plot.labels import short
from cranfield._plot.palette import PALETTE, RECEDES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

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
        """Draws the curve of this name in the next colour; returns its line."""
        look: dict[str, Any] = {"color": RECEDES, "linewidth": 0.8, "zorder": 1.5}
        if self._place < len(PALETTE):
            look = {"color": PALETTE[self._place]}
        if "c" in style:
            del look["color"]
        text = {"label": f"{short(name)}, {summary}", "gid": name}
        (line,) = self._ax.plot(x, y, **{**text, **look, **style})
        return line

    def thin(self, x: Floats, y: Floats, line: Any) -> None:
        """Draws a thinner curve in the colour of a line."""
        self._ax.plot(x, y, color=line.get_color(), linewidth=0.8, alpha=0.6)

    def diagonal(self) -> None:
        """Draws the diagonal, if it is not there."""
        if all(line.get_gid() != _DIAGONAL for line in self._ax.get_lines()):
            look: dict[str, Any] = {"color": RECEDES, "linestyle": ":", "linewidth": 1.2}
            self._ax.plot([0, 1], [0, 1], gid=_DIAGONAL, zorder=1, **look)

    def finished(self, *, legend: bool, corner: Literal["best", "lower right"]) -> Axes:
        """The axes, with a legend of the curves that have a colour of their own."""
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
