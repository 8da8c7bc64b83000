"""Names along an axis: all of them, or as many as there is room for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.axis import Axis, XAxis

from cranfield._plot.style import shortened

_LINE = 1.25
"""The height of a line of text in font sizes."""


class Names(ticker.Formatter):
    """What stands at the places 0, 1, ... of an axis."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        """All names in the order drawn, in full."""
        self._labels = shortened(names)

    def __call__(self, x: float, pos: int | None = None) -> str:
        """The label of a tick: the name, shortened if it is long."""
        place = self._place(x)
        return "" if place is None else self._labels[place]

    def format_data(self, value: float) -> str:
        """The full name, for an interactive window."""
        place = self._place(value)
        return "" if place is None else self.names[place]

    format_data_short = format_data

    def _place(self, x: float) -> int | None:
        place = round(x)
        return place if 0 <= place < len(self.names) else None


class Places(ticker.Locator):
    """Ticks at the names: at each, or where labels would overlap at every second, third, ...

    It is asked again whenever the axes are drawn, so that more names appear
    in larger axes and in a part that is zoomed in.
    """

    def __init__(self, axis: Axis, count: int) -> None:
        self._along = axis
        self._count = count

    def __call__(self) -> Sequence[float]:
        """The places of the ticks."""
        return self.tick_values(*self._along.get_view_interval())

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        """The places of the ticks between two ends."""
        low, high = sorted((vmin, vmax))
        step = max(1, math.ceil(self._line() * (high - low)))
        first, last = max(0, math.ceil(low)), min(self._count - 1, math.floor(high))
        return range(-(-first // step) * step, last + 1, step)

    def _line(self) -> float:
        """The height of a line of text as a proportion of the axis."""
        # Asking for a number of ticks does not ask this locator for their places.
        text = self._along.get_major_ticks(1)[0].label1
        box = self._along.axes.get_window_extent()
        length = box.width if isinstance(self._along, XAxis) else box.height
        return _LINE * points(text.get_fontsize(), self._along.axes) / max(length, 1)


def points(number: Any, ax: Axes) -> float:
    """So many points in pixels of the axes' figure."""
    return float(number) * ax.figure.dpi / 72
