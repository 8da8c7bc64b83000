"""The marks that charts are made of, as inline SVG.

Colours, widths and fonts come from the style sheet, by class; so charts follow the colour
scheme, high contrast and print. Marks in cells of tables are stretched to the cell: their
lines keep their width. Nothing here holds a text that was not escaped.
"""

from __future__ import annotations

import math

from markupsafe import Markup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

WIDTH = 100
"""The width of a cell's drawing, in its own units."""

LEVELS = 8
"""How many colours cells have."""

ROW = 1.15
"""The height of a row of cells whose run is named beside it, in the page's unit."""


class Scale:
    """Where values are drawn: linear, or by logarithm."""

    __slots__ = ("_from", "_log", "_to", "high", "low")

    def __init__(
        self, low: float, high: float, start: float = 0, end: float = WIDTH, *, log: bool = False
    ) -> None:
        self.low, self.high = low, high if high > low else low + 1
        self._from, self._to, self._log = start, end, log

    def __call__(self, value: float) -> float:
        """The place of a value; one outside is drawn at the edge."""
        low, high, value = self.low, self.high, min(max(value, self.low), self.high)
        if self._log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return self._from + (self._to - self._from) * (value - low) / (high - low)


def spanning(values: Iterable[float], *, zero: bool = True) -> Scale:
    """The scale of a cell from the lowest to the highest value, with 0 unless told otherwise."""
    known = [value for value in values if math.isfinite(value)]
    if zero or not known:
        known.append(0.0)
    return Scale(min(known), max(known))


def symmetric(values: Iterable[float]) -> Scale:
    """The scale of differences, with 0 in the middle."""
    most = max((abs(value) for value in values if math.isfinite(value)), default=0.0) or 1.0
    return Scale(-most, most)


def number(value: float, digits: int = 1) -> str:
    """A coordinate without zeros at its end: a tenth of a unit is less than a pixel."""
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def path(kind: str, *steps: str) -> str:
    """A path of a class."""
    return f'<path class="{kind}" d="{"".join(steps)}"/>'


def bar(scale: Scale, value: float, kind: str = "bar") -> str:
    """A bar from 0."""
    start = max(min(0.0, scale.high), scale.low)
    return path(kind, f"M{number(scale(start))} 5H{number(scale(value))}")


def whisker(scale: Scale, low: float, high: float, kind: str = "whisker") -> str:
    """A line from one value to another."""
    return path(kind, f"M{number(scale(low))} 5H{number(scale(high))}")


def dot(scale: Scale, value: float, kind: str = "dot") -> str:
    """A dot."""
    return path(kind, f"M{number(scale(value))} 5h0")


def rule(scale: Scale, value: float, kind: str = "axis") -> str:
    """A line from the top of the cell to its bottom."""
    return path(kind, f"M{number(scale(value))} 0V10")


def cell(*marks: str) -> Markup:
    """The drawing of a table's cell; the cell says the same in numbers."""
    return Markup(
        f'<svg class="mark" viewBox="0 0 {WIDTH} 10" preserveAspectRatio="none" '
        f'aria-hidden="true">{"".join(marks)}</svg>'
    )


def interval(scale: Scale, value: float, low: float, high: float) -> Markup:
    """A value as a bar with its interval, if it has one."""
    if math.isnan(value):
        return Markup("")
    ends = "" if math.isnan(low) else whisker(scale, low, high)
    return cell(bar(scale, value), ends)


def effect(scale: Scale, value: float, low: float, high: float, kind: str) -> Markup:
    """A difference as a dot with its interval, beside the line of no difference."""
    ends = "" if math.isnan(low) else whisker(scale, low, high, f"whisker {kind}")
    return cell(rule(scale, 0.0), ends, dot(scale, value, f"dot {kind}"))


def box(scale: Scale, values: NDArray[np.float64]) -> Markup:
    """Where values are: each of them, the middle half, the median and the mean."""
    import numpy as np

    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return Markup("")
    first, median, third = np.quantile(known, (0.25, 0.5, 0.75))
    places = dict.fromkeys(number(scale(float(value))) for value in known)
    ticks = "".join(f"M{place} 1.5v7" for place in places)
    return cell(
        path("tick", ticks),
        path("box", f"M{number(scale(float(first)))} 5H{number(scale(float(third)))}"),
        rule(scale, float(median), "median"),
        dot(scale, float(known.mean())),
    )


def columns(values: Sequence[float]) -> Markup:
    """Values as columns side by side, above and below 0, in the order given."""
    scale = symmetric(values)
    parts: dict[str, list[str]] = {"up": [], "down": []}
    for place, value in enumerate(values):
        height = -50 * value / scale.high if math.isfinite(value) else 0.0
        if height:
            kind = "up" if value > 0 else "down"
            parts[kind].append(f"M{number(place + 0.1)} 50h.8v{number(height)}h-.8z")
    drawn = "".join(path(kind, *steps) for kind, steps in parts.items())
    size = max(len(values), 1)
    return Markup(
        f'<svg class="columns" viewBox="0 0 {size} 100" preserveAspectRatio="none" '
        f'aria-hidden="true">{drawn}{path("axis", f"M0 50H{size}")}</svg>'
    )


def cells(rows: Sequence[Sequence[int]]) -> Markup:
    """Coloured cells: each a level from 0 to LEVELS - 1, or -1 for what is undefined."""
    steps: dict[int, list[str]] = {}
    for y, row in enumerate(rows):
        x = 0
        while x < len(row):
            end = x + 1
            while end < len(row) and row[end] == row[x]:
                end += 1
            steps.setdefault(row[x], []).append(f"M{x} {y}h{end - x}v1h-{end - x}z")
            x = end
    drawn = "".join(path(f"level{level}", *steps[level]) for level in sorted(steps))
    width = max(map(len, rows), default=1) or 1
    height = max(len(rows), 1)
    return Markup(
        f'<svg class="cells" viewBox="0 0 {width} {height}" height="{number(ROW * height, 2)}rem" '
        f'preserveAspectRatio="none" shape-rendering="crispEdges" aria-hidden="true">{drawn}</svg>'
    )


def levels(values: NDArray[np.float64], low: float, high: float) -> list[list[int]]:
    """The levels of values on a scale from ``low`` to ``high``."""
    import numpy as np

    width = high - low if high > low else 1.0
    found = np.clip(np.floor((values - low) / width * LEVELS), 0, LEVELS - 1)
    rows: list[list[int]] = np.where(np.isnan(values), -1, found).astype(int).tolist()
    return rows


def ticks(low: float, high: float, number: int = 5) -> list[float]:
    """Round values from the lowest to the highest."""
    raw = (high - low) / number
    power = 10 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(place * step, 12) for place in range(first, last + 1)]
