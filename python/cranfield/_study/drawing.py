"""How the figures of studies look: their sizes and fonts; the colors are those of all plots."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from io import BytesIO
from typing import Any

from cranfield._base.errors import optional
from cranfield._plot.style import MARKS, PALETTE, RECEDES, STANDS_OUT, plain, short, shortened
from cranfield._study.results import Figure, Line, Panel, floats, readable

_WIDTH = 3.3
_HEIGHT = 2.7
_STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "xtick.minor.size": 0,
    "legend.frameon": False,
    "lines.linewidth": 1.3,
    "lines.markersize": 4,
    "pdf.fonttype": 42,
}


def available() -> bool:
    """Whether matplotlib is installed; it is imported by what draws."""
    # One that is not to be imported has no specification.
    with suppress(ValueError):
        return find_spec("matplotlib") is not None
    return False


FORMS = {"svg": ("svg",), "pdf": ("svg", "pdf")}
"""The forms that are drawn, by the one that was asked for: pages need SVG."""


def draw(figure: Figure, forms: Sequence[str]) -> dict[str, bytes]:
    """The figure in each of the forms; the same figure gives the same bytes.

    Raises ``MissingPackageError`` without matplotlib.
    """
    matplotlib: Any = optional("matplotlib", "a figure", extra="plot")
    # The style must not depend on the user's matplotlibrc.
    style = {**matplotlib.rcParamsDefault, **_STYLE, "svg.hashsalt": figure.name}
    style.pop("backend", None)
    with matplotlib.rc_context(style):
        canvas = _drawn(readable(figure))
        # Once for all forms; each would draw the figure twice only to place it.
        canvas.get_layout_engine().execute(canvas)
        if _fitted(canvas):
            canvas.get_layout_engine().execute(canvas)
        canvas.set_layout_engine(None)
        result = {}
        for form in forms:
            data = BytesIO()
            no_dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
            canvas.savefig(data, format=form, metadata=no_dates, dpi=150)
            result[form] = data.getvalue()
    return result


def _drawn(figure: Figure) -> Any:
    library: Any = optional("matplotlib.figure", "a figure", extra="plot")
    columns = min(figure.columns, len(figure.panels))
    rows = math.ceil(len(figure.panels) / columns)
    entries = _entries(figure)
    names = max((len(panel.names or ()) for panel in figure.panels), default=0)
    height = max(_HEIGHT, 0.6 + 0.17 * names)
    square = all(panel.diagonal for panel in figure.panels)
    width = (_HEIGHT if square else _WIDTH) * columns if columns > 1 else 1.6 * _WIDTH
    longest = max(map(len, shortened(list(entries))), default=0)
    per_row = max(1, int(width / (0.068 * longest + 0.42)))
    legend_rows = math.ceil(len(entries) / per_row) if len(entries) > 1 else 0
    canvas = library.Figure(
        figsize=(width, height * rows + 0.2 * legend_rows), layout="constrained"
    )
    grid = canvas.subplots(rows, columns, squeeze=False, sharey="row" if figure.alike else False)
    axes = list(grid.flat)
    for panel, ax in zip(figure.panels, axes, strict=False):
        _panel(panel, ax, lead=not figure.alike or ax in grid[:, 0])
    for ax in axes[len(figure.panels) :]:
        ax.set_visible(False)
    if legend_rows:
        canvas.legend(
            list(entries.values()),
            shortened(list(entries)),
            loc="outside lower center",
            ncols=min(per_row, len(entries)),
            columnspacing=1.4,
            handlelength=2.2,
        )
    return canvas


def _fitted(canvas: Any) -> bool:
    """Breaks titles and labels into lines where they are longer than the place of their panel.

    The layout makes room for their height alone, so what is longer would be cut off, or stand in
    the next panel. The figure grows with the lines. Whether any was broken.
    """
    renderer = canvas._get_renderer()
    more: dict[int, int] = {}
    wider = False
    for ax in canvas.axes:
        if not ax.get_visible():
            continue
        ax.apply_aspect()
        box, place = ax.get_window_extent(), ax.get_subplotspec()
        right, low, high = _ends(place, canvas)
        level = (box.y0 + box.y1) / 2
        beside = _break(ax.yaxis.label, 2 * min(level - low, high - level), renderer, up=True)
        # More lines beside the panel move it.
        room = right - box.x0 - beside * LINE * canvas.dpi
        added = _break(ax._left_title, room, renderer) + _break(ax.xaxis.label, box.width, renderer)
        for label in ax.texts:
            _break(label, box.width, renderer)
        wider = wider or beside > 0
        row = place.rowspan.start
        more[row] = max(more.get(row, 0), added)
    grown = sum(more.values())
    if grown:
        width, height = canvas.get_size_inches()
        canvas.set_size_inches(width, height + LINE * grown)
    return grown > 0 or wider


LINE = 0.15
"""The height of a line of text, in inches."""


def _ends(place: Any, canvas: Any) -> tuple[float, float, float]:
    """The right, lower and upper end of the part of a figure that a panel has."""
    rows, columns, *_ = place.get_geometry()
    width, height = canvas.bbox.width / columns, canvas.bbox.height / rows
    column, row = place.colspan.start, place.rowspan.start
    return (column + 1) * width, (rows - 1 - row) * height, (rows - row) * height


def _break(text: Any, room: float, renderer: Any, *, up: bool = False) -> int:
    """Breaks a text into lines that fit into the room; by how many lines it grew."""
    lines = text.get_text().split("\n")
    fitting = [part for line in lines for part in _lines(line, text, room, renderer, up=up)]
    text.set_text("\n".join(fitting))
    return len(fitting) - len(lines)


def _lines(line: str, text: Any, room: float, renderer: Any, *, up: bool = False) -> list[str]:
    """A line in as few as fit into the room, broken at spaces and within brackets.

    Statistics have two spaces between them, and are not torn.
    """
    whole = text.get_text()
    found = [""]
    for word in re.split(r"(?<=  )" if "  " in line else r"(?<=[ ,(])", line):
        text.set_text(f"{found[-1]}{word}".rstrip())
        if not found[-1] or _length(text, renderer, up) <= room:
            found[-1] += word
        else:
            found.append(word)
    text.set_text(whole)
    return [part.rstrip() for part in found]


def _length(text: Any, renderer: Any, upright: bool) -> float:
    box = text.get_window_extent(renderer)
    return float(box.height if upright else box.width)


def _entries(figure: Figure) -> dict[str, Any]:
    """The legend: each label once, with its style."""
    lines: Any = optional("matplotlib.lines", "a figure", extra="plot")
    found: dict[str, Any] = {}
    for panel in figure.panels:
        for line in panel.lines:
            # A panel's title names its line.
            if line.label not in found and not panel.title.endswith(line.label):
                found[line.label] = lines.Line2D([], [], **_look(line))
    return found


def _look(line: Line) -> dict[str, Any]:
    if line.color < 0:
        color, mark = (STANDS_OUT, "x") if line.color == -1 else (RECEDES, ".")
    else:
        color, mark = PALETTE[line.color % len(PALETTE)], MARKS[line.color % len(MARKS)]
    look: dict[str, Any] = {"color": color, "linewidth": 0.8 if line.color == -2 else 1.3}
    if line.dotted:
        look["linestyle"] = ":"
    if line.kind == "points":
        return look | {"linestyle": "none", "marker": mark, "markersize": 3, "alpha": 0.75}
    if line.kind == "step":
        return look | {"drawstyle": "steps-pre"}
    size = {"markersize": 6} if line.color == -1 else {}
    return look if line.kind == "curve" else look | {"marker": mark} | size


def _panel(panel: Panel, ax: Any, *, lead: bool) -> None:
    ticker: Any = optional("matplotlib.ticker", "a figure", extra="plot")
    for line in panel.lines:
        x, y = floats(line.x), floats(line.y)
        look = _look(line)
        # Dots at the edge are whole.
        ax.plot(x, y, clip_on=line.kind not in ("points", "line"), **look)
        if line.low is None or line.high is None:
            continue
        low, high = floats(line.low), floats(line.high)
        if panel.names is not None:
            ax.hlines(y, low, high, color=look["color"], linewidth=1)
        else:
            ax.fill_between(x, low, high, color=look["color"], alpha=0.13, linewidth=0)
    if panel.log:
        ax.set_xscale("log")
        ax.xaxis.set_minor_locator(ticker.NullLocator())
    if panel.ticks is not None:
        ax.set_xticks(panel.ticks, [f"{tick:g}" for tick in panel.ticks])
    if panel.names is not None:
        ax.set_yticks(range(len(panel.names)), shortened(panel.names))
        ax.set_ylim(len(panel.names) - 0.5, -0.5)
        ax.grid(visible=False, axis="y")
    if panel.limits is not None:
        ax.set_ylim(*panel.limits)
    if panel.diagonal:
        ends = [*ax.get_xlim(), *ax.get_ylim()]
        low, high = min(ends), max(ends)
        ax.plot([low, high], [low, high], color=RECEDES, linewidth=0.9, zorder=1)
        ax.set(xlim=(low, high), ylim=(low, high), aspect="equal")
    if panel.level is not None:
        ax.axhline(panel.level, color=RECEDES, linewidth=0.9, linestyle="--", zorder=1)
        ax.annotate(
            plain(panel.level_label),
            (0.99, panel.level),
            xycoords=("axes fraction", "data"),
            xytext=(0, 2),
            textcoords="offset points",
            ha="right",
            fontsize=7.5,
        )
    low, high = ax.get_xlim()
    if panel.reverse and (0 if ax.get_xscale() == "log" else low - 1) < low < high:
        # One point alone has no two ends.
        ax.invert_xaxis()
    ax.set_xlabel(plain(panel.x))
    if lead or panel.names is not None:
        ax.set_ylabel(plain(panel.y))
    # Statistics stand above the axes, where no point is.
    stated = "  ".join(panel.text.splitlines())
    heading = "\n".join(text for text in (short(panel.title, 60), plain(stated)) if text)
    if heading:
        ax.set_title(heading, loc="left")
