"""The page of a study: all results in one self-contained file, in the design of reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, TypeAlias

from markupsafe import Markup, escape

from cranfield._base.text import counted, printable
from cranfield._core import Measure, __version__
from cranfield._pages import svg
from cranfield._pages.page import Section, html, packed, section
from cranfield._pages.svg import Axis
from cranfield._pages.table import columns_of, table
from cranfield._plot.style import cut
from cranfield._study.definition import Study
from cranfield._study.results import (
    OTHERS,
    Figure,
    Found,
    Line,
    Panel,
    Table,
    coinciding,
    floats,
    point_names,
    readable,
)

Files: TypeAlias = Mapping[str, str]
"""Texts by the name of the file."""

LONGEST = 200
"""How many rows of a table the page shows; the download has all."""


def page(
    study: Study,
    name: str,
    record: Mapping[str, Any],
    found: Mapping[str, Found],
    files: Files,
    *,
    drawn: bool,
    warning: str = "",
) -> str:
    """The page as HTML; ``files`` are the downloads by name."""
    says = [one.says for one in found.values() if one.says]
    if warning:
        says.append(f"Note: {warning}.")
    sections = [_conclusion(says, study.paper)]
    for one in found.values():
        sections += shown([*one.figures, *one.tables])
    methods = section(
        "study-methods",
        "Notes and methods",
        differs=study.differs,
        command=record["command"],
        options=[("cranfield", __version__), ("study", name), *_options(record)],
        drawn=drawn,
    )
    runs = record["runs_given"]
    facts = [*([counted(runs, "run")] if runs else []), counted(record["topics"], "topic")]
    facts += _chosen(record)
    return html(study.title, facts, [*sections, methods], **_embedded(files))


def page_of_all(
    title: str, kind: str, pages: Mapping[str, str], found: Found, says: Sequence[str], files: Files
) -> str:
    """The page of what a study found on several collections, or groups of topics.

    ``kind`` is what the parts are called, ``pages`` are the addresses of their pages by name,
    and ``says`` is what it found on each, in sentences.
    """
    folders = f"The study of each {kind} is in a folder beside this one:"
    sections = [_conclusion(says, folders, pages), *shown(found.tables), *shown(found.figures)]
    return html(title, [counted(len(pages), kind), *pages], sections, **_embedded(files))


def _embedded(files: Files) -> dict[str, Any]:
    """The scripts of a study's page, and what they work with: the downloads."""
    return {"scripts": ["charts.js", "study.js"], "data": packed(files)}


def shown(items: Iterable[Table | Figure]) -> Iterator[Section]:
    """The sections of tables and figures; a table may have the name of a figure."""
    items = list(items)
    figures = {item.name for item in items if isinstance(item, Figure)}
    for item in items:
        if isinstance(item, Figure):
            yield _figure(item)
        else:
            found = _table(item)
            yield found.named(f"{item.name}-table") if item.name in figures else found


def _conclusion(
    sentences: Sequence[str], paper: str, pages: Mapping[str, str] | None = None
) -> Section:
    found = section(
        "study-conclusion", "Conclusion", sentences=sentences, paper=paper, pages=pages or {}
    )
    return found.named("conclusion")


def _options(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The options of the study, as they were in effect."""
    for option, value in record["options"].items():
        text = value
        if isinstance(value, (list, tuple)):
            text = " ".join(f"{v:g}" if isinstance(v, (int, float)) else str(v) for v in value)
        if text not in (None, ""):
            yield option.replace("_", " "), f"{text}"


def _chosen(record: Mapping[str, Any]) -> Iterator[str]:
    """Which of the runs are compared, and what counts as relevant."""
    choice = record["choice"]
    if choice["drop_worst"] is not None:
        worst = "worst" if Measure(choice["by"]).better else "lowest"
        yield f"without the {worst} {choice['drop_worst']:g} of the runs by {choice['by']}"
    if choice["top"] is not None:
        if Measure(choice["by"]).better is None:
            yield f"only the {choice['top']} runs with the highest {choice['by']}"
        else:
            yield f"only the {choice['top']} best runs by {choice['by']}"
    rel, graded = record["rel"], record["options"].get("graded")
    if graded is not None:
        lowest = 1.0 if rel is None else rel
        what = "graded" if graded else "reduced to relevant or not"
        yield f"judgments {what}, relevant from grade {lowest:g}"
    elif rel is not None:
        yield f"relevant from grade {rel:g}"


def _table(found: Table) -> Section:
    texts = found.texts()
    del texts.cells[LONGEST:]
    return section(
        "study-table",
        found.title,
        title=found.title,
        note=found.note,
        rows=len(texts.cells),
        table=table(columns_of(texts), ' class="sortable study"'),
        more=max(len(found.data) - LONGEST, 0),
        files=[f"tables/{found.name}.csv", f"tables/{found.name}.tex"],
    ).named(found.name)


def _figure(figure: Figure) -> Section:
    panels = readable(figure)
    return section(
        "study-figure",
        figure.title,
        name=figure.name,
        note=figure.note,
        entries=legend(figure, panels),
        columns=panels.columns,
        charts=[
            {"title": panel.title, "text": ", ".join(panel.text.splitlines()), "drawn": drawn}
            for panel, drawn in zip(panels.panels, _charts(figure, panels), strict=True)
        ],
        captions=[*coinciding(figure), *_levels(figure)],
        files=[f"data/{figure.name}.csv"],
    ).named(figure.name)


def _levels(figure: Figure) -> list[str]:
    """What the dashed lines across panels are; their value, unless the label has it."""
    found = set()
    for panel in figure.panels:
        if panel.level is not None:
            value = f"{panel.level:.3g}"
            also = "" if value in panel.level_label.split() else f" ({value})"
            found.add(f"Dashed: {panel.level_label}{also}.")
    return sorted(found)


COLORS = 10
"""How many series the style sheet has."""

ROW = 1.15
"""The height of a row of a run, in the page's unit."""

SHORT = 11
"""Names of so many characters leave more room to the drawing."""

NAME = 25
"""How many characters of a run's name there is room for."""


def _charts(figure: Figure, shown: Figure) -> list[Markup]:
    """The panels of a figure as they are ``shown``; those that are alike share the second axis."""
    panels = shown.panels
    across = len(panels) if len(figure.panels) == 1 else shown.columns if shown.alike else 1
    return [
        _chart(panel, panels[place - place % across :][:across], alone=len(panels) == 1)
        for place, panel in enumerate(panels)
    ]


def _chart(panel: Panel, fellows: Sequence[Panel], *, alone: bool) -> Markup:
    """A panel; ``alone`` if it has the whole width.

    ``fellows`` share its second axis, itself among them.
    """
    if panel.names is not None:
        return _by_name(panel, panel.names)
    x, y = _axes(panel, fellows)
    ends = x.scale.low, x.scale.high
    under, above = [], []
    if panel.diagonal:
        under.append(svg.line(x, y, zip(ends, ends, strict=True), "diagonal"))
    if panel.level is not None:
        under.append(svg.line(x, y, [(end, panel.level) for end in ends], "mark-at"))
    for line in sorted(panel.lines, key=lambda line: line.color != -2):
        series = _css_class(line)
        points = _points(line.x, line.y)
        if line.low is not None and line.high is not None and line.color != -2:
            under.append(svg.band(x, y, _points(line.x, line.low, line.high), series))
        if line.kind == "curve" or (line.kind != "points" and line.color != -1):
            through = _stairs(points) if line.kind == "step" else points
            under.append(svg.line(x, y, through, series))
        if line.kind in ("line", "points"):
            own = f"{series} free" if line.kind == "points" else series
            for name, point in zip(point_names(panel, line), points, strict=False):
                above.append(svg.spot(x, y, point, own, _title(panel, line, name, point)))
    if panel.level is not None and alone:
        place = f'y="{y.percent(panel.level)}" dy="-.4em"'
        label = escape(printable(panel.level_label))
        above.append(f'<text x="100%" {place} class="end">{label}</text>')
    size = "square" if panel.diagonal else "single" if alone else ""
    return svg.chart(x, y, under, above, label=_says(panel), kind=size)


def _points(x: Sequence[float | None], *values: Sequence[float | None]) -> list[tuple[Any, ...]]:
    """The points of a line whose place on the first axis is known; what else is not is NaN."""
    points = zip(x, *map(floats, values), strict=True)
    return [point for point in points if point[0] is not None]


def _css_class(line: Line) -> str:
    """The class of a line in the style sheet."""
    if line.color < 0:
        return "stands" if line.color == -1 else "recedes"
    return f"series{(line.color + 1) % COLORS}{' dotted' if line.dotted else ''}"


def legend(figure: Figure, shown: Figure) -> list[dict[str, Any]]:
    """The series of a figure, each once; none if its panels or its axes name them."""
    found: dict[str, dict[str, Any]] = {}
    titled = {panel.title for panel in shown.panels} if shown is not figure else set()
    for panel in shown.panels:
        for line in panel.lines:
            spots = " spots" if line.kind == "points" or line.color == -1 else ""
            look = f"{_css_class(line)}{spots}"
            if not any(title.endswith(line.label) for title in titled):
                found.setdefault(line.label, {"label": line.label, "kind": look})
    if list(found) == [OTHERS]:
        return [{"label": "one measure with its band", "kind": "series1"}, *found.values()]
    return list(found.values()) if len(found) > 1 else []


def _known(lines: Iterable[Line], *names: str) -> list[float]:
    """The values of lines that are defined, such as all "x"."""
    several = (getattr(line, name) or () for line in lines for name in names)
    return [value for values in several for value in values if value is not None]


def _axes(panel: Panel, fellows: Sequence[Panel]) -> tuple[Axis, Axis]:
    """The axes of a panel, from what is drawn in it and, of the second axis, in its fellows."""
    lines = [line for fellow in fellows for line in fellow.lines]
    b = _known(lines, "y") + _known((line for line in lines if line.color != -2), "low", "high")
    b += [fellow.level for fellow in fellows if fellow.level is not None]
    a, b = _known(panel.lines, "x") or [0.0, 1.0], b or [0.0, 1.0]
    if panel.diagonal:
        both = svg.y_axis(min(*a, *b), max(*a, *b), panel.y)
        return svg.x_axis(both.scale.low, both.scale.high, panel.x), both
    x = svg.x_axis(min(a), max(a), panel.x, at=panel.ticks, log=panel.log, reverse=panel.reverse)
    low, high = panel.limits or (min(b), max(b))
    return x, svg.y_axis(low, high, panel.y, exact=panel.limits is not None)


def _by_name(panel: Panel, names: Sequence[str]) -> Markup:
    """Values with their intervals, a row for each name."""
    known = _known(panel.lines, "x", "low", "high") or [0.0, 1.0]
    edges = svg.y_axis(min(known), max(known), "").scale
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
        missing = [None] * len(line.x)
        ends = zip(line.low or missing, line.high or missing, strict=True)
        points = zip(line.x, line.y, ends, point_names(panel, line), strict=True)
        for value, at, (low, high), name in points:
            if value is None or at is None:
                continue
            if low is not None and high is not None:
                reach = f"M{x(low)} {y(at)}H{x(high)}"
                drawn.append(svg.path(f"line {_css_class(line)}", reach))
            title = _title(panel, line, name, (value, at))
            above.append(svg.spot(x, y, (value, at), _css_class(line), title))
    height = f"{svg.coordinate(ROW * len(names) + 4.5)}rem"
    size = "byname long" if max(map(len, names), default=0) > SHORT else "byname"
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
    series = list(dict.fromkeys(line.label for line in panel.lines if line.color != -2))
    what = f"{panel.y} by {panel.x}" if panel.y else panel.x
    of = f" of {len(series)} series" if len(series) > 1 else ""
    title = f"{panel.title}: " if panel.title else ""
    text = f"; {panel.text.replace(chr(10), ', ')}" if panel.text else ""
    return printable(f"{title}{what}{of}{text}")


def _stairs(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points joined by steps: a value holds from the point before."""
    steps = (((a[0], b[1]), b) for a, b in pairwise(points))
    return [*points[:1], *chain.from_iterable(steps)]
