"""The figures of studies on the page: panels as charts of the report's marks."""

from __future__ import annotations

from markupsafe import escape

from cranfield._base.text import printable
from cranfield._pages import svg
from cranfield._plot.style import cut
from cranfield._study.results import OTHERS, point_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from markupsafe import Markup

    from cranfield._pages.svg import Axis
    from cranfield._study.results import Figure, Line, Panel

COLOURS = 10
"""How many series the style sheet has."""

ROW = 1.15
"""The height of a row of a run, in the page's unit."""

SHORT = 11
"""Names of so many characters leave more room to the drawing."""

NAME = 25
"""How many characters of a run's name there is room for."""


def drawn(figure: Figure, shown: Figure) -> list[Markup]:
    """The panels of a figure as they are ``shown``; those that are alike share the second axis."""
    panels = shown.panels
    across = len(panels) if len(figure.panels) == 1 else shown.columns if shown.alike else 1
    return [
        chart(panel, panels[place - place % across :][:across], alone=len(panels) == 1)
        for place, panel in enumerate(panels)
    ]


def chart(panel: Panel, fellows: Sequence[Panel], *, alone: bool) -> Markup:
    """A panel; ``alone`` if it has the whole width.

    ``fellows`` share its second axis, itself among them.
    """
    if panel.names is not None:
        return _by_name(panel, panel.names)
    x, y = _axes(panel, fellows)
    under, above = [], []
    if panel.diagonal:
        ends = x.scale.low, x.scale.high
        under.append(svg.line(x, y, zip(ends, ends, strict=True), "diagonal"))
    if panel.level is not None:
        ends = x.scale.low, x.scale.high
        under.append(svg.line(x, y, [(end, panel.level) for end in ends], "mark-at"))
    for line in sorted(panel.lines, key=lambda line: line.colour != -2):
        points = [(a, _float(b)) for a, b in zip(line.x, line.y, strict=True) if a is not None]
        if line.low is not None and line.high is not None and line.colour != -2:
            ends_of = zip(line.x, map(_float, line.low), map(_float, line.high), strict=True)
            known = [(a, low, high) for a, low, high in ends_of if a is not None]
            under.append(svg.band(x, y, known, kind(line)))
        if line.kind == "curve" or (line.kind != "points" and line.colour != -1):
            through = _stairs(points) if line.kind == "step" else points
            under.append(svg.line(x, y, through, kind(line)))
        if line.kind in ("line", "points"):
            own = f"{kind(line)}{' free' if line.kind == 'points' else ''}"
            names = point_names(panel, line)
            for name, point in zip(names, points, strict=False):
                above.append(svg.spot(x, y, point, own, _title(panel, line, name, point)))
    if panel.level is not None and alone:
        place = f'y="{y.percent(panel.level)}" dy="-.4em"'
        label = escape(printable(panel.level_label))
        above.append(f'<text x="100%" {place} class="end">{label}</text>')
    size = "square" if panel.diagonal else "single" if alone else ""
    return svg.chart(x, y, under, above, label=_says(panel), kind=size)


def kind(line: Line) -> str:
    """The class of a line in the style sheet."""
    if line.colour < 0:
        return "stands" if line.colour == -1 else "recedes"
    return f"series{(line.colour + 1) % COLOURS}{' dotted' if line.dotted else ''}"


def legend(figure: Figure, shown: Figure) -> list[dict[str, Any]]:
    """The series of a figure, each once; none if its panels or its axes name them."""
    found: dict[str, dict[str, Any]] = {}
    titled = {panel.title for panel in shown.panels} if shown is not figure else set()
    for panel in shown.panels:
        for line in panel.lines:
            look = f"{kind(line)}{' spots' if line.kind == 'points' or line.colour == -1 else ''}"
            if not any(title.endswith(line.label) for title in titled):
                found.setdefault(line.label, {"label": line.label, "kind": look})
    if list(found) == [OTHERS]:
        return [{"label": "one measure with its band", "kind": "series1"}, *found.values()]
    return list(found.values()) if len(found) > 1 else []


def _axes(panel: Panel, fellows: Sequence[Panel]) -> tuple[Axis, Axis]:
    """The axes of a panel, from what is drawn in it and, of the second axis, in its fellows."""
    a = [value for line in panel.lines for value in line.x if value is not None]
    b = [
        value
        for fellow in fellows
        for line in fellow.lines
        for ends in (line.y, *((line.low, line.high) if line.colour != -2 else ()))
        for value in ends or ()
        if value is not None
    ]
    b += [fellow.level for fellow in fellows if fellow.level is not None]
    a, b = a or [0.0, 1.0], b or [0.0, 1.0]
    if panel.diagonal:
        both = svg.y_axis(min(*a, *b), max(*a, *b), panel.y)
        x = svg.x_axis(both.scale.low, both.scale.high, panel.x)
        return x, both
    x = svg.x_axis(min(a), max(a), panel.x, at=panel.ticks, log=panel.log, reverse=panel.reverse)
    if panel.limits is None:
        return x, svg.y_axis(min(b), max(b), panel.y)
    low, high = panel.limits
    return x, svg.y_axis(low, high, panel.y, exact=True)


def _by_name(panel: Panel, names: Sequence[str]) -> Markup:
    """Values with their intervals, a row for each name."""
    known = [
        value
        for line in panel.lines
        for ends in (line.x, line.low, line.high)
        for value in ends or ()
        if value is not None
    ]
    lowest, highest = (min(known), max(known)) if known else (0.0, 1.0)
    edges = svg.y_axis(lowest, highest, "").scale
    x = svg.x_axis(edges.low, edges.high, panel.x)
    y = svg.Axis(svg.Scale(-0.5, len(names) - 0.5, 0, svg.SIZE), [], "")
    drawn = [svg.path("grid", f"M0 {y(place)}H{svg.SIZE}") for place in range(len(names))]
    above = [
        f'<text x="-10" y="{y.percent(place)}" dy=".33em" class="end row">'
        f"<title>{escape(printable(name))}</title>"
        f"{escape(cut(name, NAME))}</text>"
        for place, name in enumerate(names)
    ]
    for line in panel.lines:
        for place, (value, at) in enumerate(zip(line.x, line.y, strict=True)):
            if value is None or at is None:
                continue
            low, high = (ends[place] if ends else None for ends in (line.low, line.high))
            if low is not None and high is not None:
                reach = f"M{x(low)} {y(at)}H{x(high)}"
                drawn.append(svg.path(f"line {kind(line)}", reach))
            title = _title(panel, line, point_names(panel, line)[place], (value, at))
            above.append(svg.spot(x, y, (value, at), kind(line), title))
    height = f"{svg.coordinate(ROW * len(names) + 4.5)}rem"
    long = max(map(len, names), default=0) > SHORT
    size = "byname long" if long else "byname"
    return svg.chart(x, y, drawn, above, label=_says(panel), kind=size, height=height)


def _title(panel: Panel, line: Line, name: str, point: tuple[float, float]) -> str:
    """What a point is, for whoever points at it."""
    a, b = (f"{value:.4f}" if isinstance(value, float) else f"{value}" for value in point)
    if panel.names is not None:
        who = name if line.label in ("mean", name) else f"{name}, {line.label}"
        return printable(f"{who}: {panel.x} {a}")
    what = name or line.label
    x = f"{point[0]:.6g}" if line.kind == "line" else a
    return printable(f"{what}: {panel.x} {x}, {panel.y} {b}")


def _says(panel: Panel) -> str:
    """The chart in words; its numbers are in the download."""
    series = list(dict.fromkeys(line.label for line in panel.lines if line.colour != -2))
    what = f"{panel.y} by {panel.x}" if panel.y else panel.x
    of = f" of {len(series)} series" if len(series) > 1 else ""
    title = f"{panel.title}: " if panel.title else ""
    text = f"; {panel.text.replace(chr(10), ', ')}" if panel.text else ""
    return printable(f"{title}{what}{of}{text}")


def _stairs(points: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Points joined by steps: a value holds from the point before."""
    before = None
    for a, b in points:
        if before is not None:
            yield before, b
        yield a, b
        before = a


def _float(value: float | None) -> float:
    return float("nan") if value is None else value
