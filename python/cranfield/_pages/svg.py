"""Charts as inline SVG: marks in the cells of tables, and charts with two axes.

Colors, widths and fonts come from the style sheet, by class; so charts follow the color
scheme, high contrast and print. Drawings are stretched to the width that there is: lines keep
their width, and texts and dots their size, so that the same chart is read on a phone and across
a screen. Margins are in the style sheet, since the page's policy allows no style in attributes.
Nothing here holds a text that was not escaped.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

WIDTH = 100
"""The width of a cell's drawing, in its own units."""

LEVELS = 8
"""How many colors cells have."""

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


def spanning(values: Iterable[float]) -> Scale:
    """The scale of a cell from the lowest to the highest value, with 0."""
    known = [0.0, *(value for value in values if math.isfinite(value))]
    return Scale(min(known), max(known))


def symmetric(values: Iterable[float]) -> Scale:
    """The scale of differences, with 0 in the middle."""
    most = max((abs(value) for value in values if math.isfinite(value)), default=0.0) or 1.0
    return Scale(-most, most)


def coordinate(value: float, digits: int = 1) -> str:
    """A coordinate without zeros at its end: a tenth of a unit is less than a pixel."""
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def path(kind: str, *steps: str) -> str:
    """A path of a class."""
    return f'<path class="{kind}" d="{"".join(steps)}"/>'


def bar(scale: Scale, value: float, kind: str = "bar") -> str:
    """A bar from 0."""
    start = max(min(0.0, scale.high), scale.low)
    return path(kind, f"M{coordinate(scale(start))} 5H{coordinate(scale(value))}")


def whisker(scale: Scale, low: float, high: float, kind: str = "whisker") -> str:
    """A line from one value to another."""
    return path(kind, f"M{coordinate(scale(low))} 5H{coordinate(scale(high))}")


def dot(scale: Scale, value: float, kind: str = "dot") -> str:
    """A dot."""
    return path(kind, f"M{coordinate(scale(value))} 5h0")


def rule(scale: Scale, value: float, kind: str = "axis") -> str:
    """A line from the top of the cell to its bottom."""
    return path(kind, f"M{coordinate(scale(value))} 0V10")


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


def difference(scale: Scale, value: float | None, better: float, band: str = "") -> Markup:
    """A difference as a bar from the line of no difference; nothing for what is undefined.

    It is colored as ``better`` above or below 0; ``band`` is drawn under it.
    """
    if value is None or math.isnan(value):
        return Markup("")
    kind = "bar up" if better > 0 else "bar down"
    return cell(band, rule(scale, 0.0), bar(scale, value, kind))


def box(scale: Scale, values: NDArray[np.float64]) -> Markup:
    """Where values are: each of them, the middle half, the median and the mean."""
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return Markup("")
    first, median, third = np.quantile(known, (0.25, 0.5, 0.75))
    places = dict.fromkeys(coordinate(scale(float(value))) for value in known)
    ticks = "".join(f"M{place} 1.5v7" for place in places)
    return cell(
        path("tick", ticks),
        path("box", f"M{coordinate(scale(float(first)))} 5H{coordinate(scale(float(third)))}"),
        rule(scale, float(median), "median"),
        dot(scale, float(known.mean())),
    )


def column_chart(values: Sequence[float]) -> Markup:
    """Values as columns side by side, above and below 0, in the order given."""
    scale = symmetric(values)
    parts: dict[str, list[str]] = {"up": [], "down": []}
    for place, value in enumerate(values):
        height = -50 * value / scale.high if math.isfinite(value) else 0.0
        if height:
            kind = "up" if value > 0 else "down"
            parts[kind].append(f"M{coordinate(place + 0.1)} 50h.8v{coordinate(height)}h-.8z")
    drawn = "".join(path(kind, *steps) for kind, steps in parts.items())
    size = max(len(values), 1)
    return Markup(
        f'<svg class="columns" viewBox="0 0 {size} 100" preserveAspectRatio="none" '
        f'aria-hidden="true">{drawn}{path("axis", f"M0 50H{size}")}</svg>'
    )


def heatmap(rows: Sequence[Sequence[int]]) -> Markup:
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
    size = coordinate(ROW * height, 2)
    return Markup(
        f'<svg class="cells" viewBox="0 0 {width} {height}" height="{size}rem" '
        f'preserveAspectRatio="none" shape-rendering="crispEdges" aria-hidden="true">{drawn}</svg>'
    )


def levels(values: NDArray[np.float64], low: float, high: float) -> list[list[int]]:
    """The levels of values on a scale from ``low`` to ``high``."""
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


SIZE = 1000
"""The width and the height of the plane, in its own units."""

CLOSE = 65
"""Labels of ticks nearer than this are left out, in the plane's units."""


@dataclass(frozen=True)
class Axis:
    """One axis of a plane: where values are, which are labeled, and what it shows."""

    scale: Scale
    marked: Sequence[tuple[float, str]]
    label: str

    def __call__(self, value: float) -> str:
        """The place of a value in the plane."""
        return coordinate(self.scale(value))

    def percent(self, value: float) -> str:
        """The same as a proportion of the plane."""
        return f"{coordinate(self.scale(value) / SIZE * 100, 2)}%"


def x_axis(
    low: float,
    high: float,
    label: str,
    *,
    at: Sequence[float] | None = None,
    log: bool = False,
    reverse: bool = False,
) -> Axis:
    """The first axis; ``at`` are the values that are labeled, where there is room."""
    start, end = (SIZE, 0) if reverse else (0, SIZE)
    scale = Scale(low, high, start, end, log=log)
    chosen = at if at is not None else (log_ticks(low, high) if log else ticks(low, scale.high))
    shown: list[tuple[float, str]] = []
    for value in chosen:
        text = f"{value:.6g}"
        # Longer labels need more room.
        near = CLOSE * max(1.0, len(text) / 2.5)
        if all(abs(scale(value) - scale(other)) >= near for other, _ in shown):
            shown.append((value, text))
    return Axis(scale, shown, label)


def y_axis(low: float, high: float, label: str, *, exact: bool = False) -> Axis:
    """The second axis; it ends at labeled values unless its ends are ``exact``."""
    high = high if high > low else low + 1
    marked = ticks(low, high)
    if not exact and len(marked) > 1:
        step = marked[1] - marked[0]
        while marked[-1] < high - 1e-9 * step:
            marked.append(round(marked[-1] + step, 12))
        while marked[0] > low + 1e-9 * step:
            marked.insert(0, round(marked[0] - step, 12))
        low, high = marked[0], marked[-1]
    return Axis(Scale(low, high, SIZE, 0), [(value, f"{value:.4g}") for value in marked], label)


def log_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 of each power of ten between two values."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    values = (factor * 10.0**power for power in range(first, last + 1) for factor in (1, 2, 5))
    return [value for value in values if low * 0.999 <= value <= high * 1.001]


def chart(
    x: Axis,
    y: Axis,
    drawn: Iterable[str],
    above: Iterable[str] = (),
    *,
    label: str,
    kind: str = "",
    height: str = "",
) -> Markup:
    """The chart: ``drawn`` is stretched, ``above`` keeps its size and is placed in percent."""
    grid = [path("grid", f"M0 {y(value)}H{SIZE}") for value, _ in y.marked]
    grid += [path("grid", f"M{x(value)} 0V{SIZE}") for value, _ in x.marked]
    texts = [
        f'<text x="-7" y="{y.percent(value)}" dy=".33em" class="end">{escape(text)}</text>'
        for value, text in y.marked
    ]
    texts += [
        f'<text x="{x.percent(value)}" y="100%" dy="1.35em" class="middle">{escape(text)}</text>'
        for value, text in x.marked
    ]
    texts.append(f'<text x="50%" y="100%" dy="2.75em" class="middle">{escape(x.label)}</text>')
    if y.label:
        texts.append(f'<text x="-40" y="0" dy="-.75em">{escape(y.label)}</text>')
    size = f' height="{height}"' if height else ""
    return Markup(
        f'<div class="around{" " if kind else ""}{kind}"><svg class="chart"{size} role="img" '
        f'aria-label="{escape(label)}"><svg viewBox="0 0 {SIZE} {SIZE}" '
        f'preserveAspectRatio="none">{"".join((*grid, *drawn))}</svg>'
        f"{''.join((*texts, *above))}</svg></div>"
    )


def line(x: Axis, y: Axis, points: Iterable[tuple[float, float]], kind: str) -> str:
    """A line through the points that are defined; nothing without any."""
    places = [f"{x(a)} {y(b)}" for a, b in points if math.isfinite(b)]
    return path(f"line {kind}", "M", "L".join(places)) if places else ""


def band(x: Axis, y: Axis, points: Iterable[tuple[float, float, float]], kind: str) -> str:
    """The band between two lines."""
    known = [(a, low, high) for a, low, high in points if math.isfinite(low + high)]
    if not known:
        return ""
    there = [f"{x(a)} {y(high)}" for a, _, high in known]
    back = [f"{x(a)} {y(low)}" for a, low, _ in reversed(known)]
    return path(f"spread {kind}", "M", "L".join([*there, *back]), "z")


def spot(x: Axis, y: Axis, at: tuple[float, float], kind: str, title: str = "") -> str:
    """A dot of fixed size; its title is shown where one points at it."""
    if not math.isfinite(at[1]):
        return ""
    named = f"<title>{escape(title)}</title>" if title else ""
    place = f'cx="{x.percent(at[0])}" cy="{y.percent(at[1])}"'
    return f'<circle class="spot {kind}" {place} r="3">{named}</circle>'
