"""The plane of a chart: two axes, and what is drawn between them.

The drawing is stretched to the width that there is; lines keep their width, and texts and dots
their size, so that the same chart is read on a phone and across a screen. Margins are in the
style sheet, since the page's policy allows no style in attributes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from markupsafe import Markup, escape

from cranfield._pages.marks import Scale, number, path, ticks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SIZE = 1000
"""The width and the height of the plane, in its own units."""

CLOSE = 65
"""Labels of ticks nearer than this are left out, in the plane's units."""


@dataclass(frozen=True)
class Axis:
    """One axis of a plane: where values are, which are labelled, and what it shows."""

    scale: Scale
    marked: Sequence[tuple[float, str]]
    label: str

    def __call__(self, value: float) -> str:
        """The place of a value in the plane."""
        return number(self.scale(value))

    def percent(self, value: float) -> str:
        """The same as a share of the plane."""
        return f"{number(self.scale(value) / SIZE * 100, 2)}%"


def across(
    low: float,
    high: float,
    label: str,
    *,
    at: Sequence[float] | None = None,
    log: bool = False,
    reverse: bool = False,
) -> Axis:
    """The first axis; ``at`` are the values that are labelled, where there is room."""
    start, end = (SIZE, 0) if reverse else (0, SIZE)
    scale = Scale(low, high, start, end, log=log)
    chosen = at if at is not None else (steps(low, high) if log else ticks(low, scale.high))
    shown: list[tuple[float, str]] = []
    for value in chosen:
        text = f"{value:.6g}"
        # Longer labels need more room.
        near = CLOSE * max(1.0, len(text) / 2.5)
        if all(abs(scale(value) - scale(other)) >= near for other, _ in shown):
            shown.append((value, text))
    return Axis(scale, shown, label)


def upward(low: float, high: float, label: str, *, exact: bool = False) -> Axis:
    """The second axis; it ends at labelled values unless its ends are ``exact``."""
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


def steps(low: float, high: float) -> list[float]:
    """1, 2 and 5 of each power of ten between two values."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    values = (factor * 10.0**power for power in range(first, last + 1) for factor in (1, 2, 5))
    return [value for value in values if low * 0.999 <= value <= high * 1.001]


def plane(
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


def spread(x: Axis, y: Axis, points: Iterable[tuple[float, float, float]], kind: str) -> str:
    """The band between two lines."""
    known = [(a, low, high) for a, low, high in points if math.isfinite(low + high)]
    if not known:
        return ""
    there = [f"{x(a)} {y(high)}" for a, _, high in known]
    back = [f"{x(a)} {y(low)}" for a, low, _ in reversed(known)]
    return path(f"spread {kind}", "M", "L".join([*there, *back]), "z")


def dot(x: Axis, y: Axis, at: tuple[float, float], kind: str, title: str = "") -> str:
    """A dot of fixed size; its title is shown where one points at it."""
    if not math.isfinite(at[1]):
        return ""
    named = f"<title>{escape(title)}</title>" if title else ""
    place = f'cx="{x.percent(at[0])}" cy="{y.percent(at[1])}"'
    return f'<circle class="spot {kind}" {place} r="3">{named}</circle>'
