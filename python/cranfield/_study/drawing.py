"""How the figures of studies look: their sizes and fonts; the colors are those of all plots."""

from __future__ import annotations

import math
import os
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
_STYLE = os.path.join(os.path.dirname(__file__), "figures.mplstyle")


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
    own = matplotlib.rc_params_from_file(_STYLE, use_default_template=False)
    # The style must not depend on the user's matplotlibrc.
    style = {**matplotlib.rcParamsDefault, **own, "svg.hashsalt": figure.name}
    style.pop("backend", None)
    with matplotlib.rc_context(style):
        canvas = _drawn(readable(figure))
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
    canvas = library.Figure()
    grid = canvas.subplots(rows, columns, squeeze=False, sharey="row" if figure.alike else False)
    axes = list(grid.flat)
    size = width / columns, height
    lines = [
        _panel(panel, ax, size, lead=not figure.alike or ax in grid[:, 0])
        for panel, ax in zip(figure.panels, axes, strict=False)
    ]
    for ax in axes[len(figure.panels) :]:
        ax.set_visible(False)
    if legend_rows:
        canvas.legend(
            list(entries.values()),
            shortened(list(entries)),
            loc="lower center",
            ncols=min(per_row, len(entries)),
            columnspacing=1.4,
            handlelength=2.2,
        )
    beside, below, above = map(max, zip(*lines, strict=True))
    left = max(map(_ticks, figure.panels)) + LINE * beside
    _place(canvas, (rows, columns), size, legend_rows, (left, below, above), alike=figure.alike)
    return canvas


def _place(
    canvas: Any,
    grid: tuple[int, int],
    size: tuple[float, float],
    legend_rows: int,
    texts: tuple[float, int, int],
    *,
    alike: bool,
) -> None:
    """Makes room for the texts around panels: inches to the left, lines below and above them.

    A layout of matplotlib's measures every text several times, which takes as long as drawing.
    """
    (rows, columns), (width, height), (left, below, above) = grid, size, texts
    bottom, top, right = TICKS + LINE * below, MARGIN + LINE * above, 2 * MARGIN
    legend = LINE + 0.2 * legend_rows if legend_rows else 0.0
    height += LINE * (below + above - 2)
    wide, high = width * columns, height * rows + legend
    between = 4 * MARGIN if alike else left + right
    across = (wide - left - right - between * (columns - 1)) / columns
    canvas.set_size_inches(wide, high)
    canvas.subplots_adjust(
        left=left / wide,
        right=1 - right / wide,
        bottom=(bottom + legend) / high,
        top=1 - top / high,
        wspace=between / across,
        hspace=(bottom + top) / (height - bottom - top),
    )


MARGIN = 0.06
"""The room around everything, in inches."""

TICKS = 0.25
"""The height of tick labels with their ticks, in inches."""


def _ticks(panel: Panel) -> float:
    """The width of the tick labels of the second axis, in inches."""
    names = max(map(len, shortened(panel.names or ())), default=0)
    return max(0.58, 0.15 + 0.075 * names)


LINE = 0.15
"""The height of a line of text, in inches."""


def _fitted(text: str, points: float, inches: float) -> str:
    """A text in as few lines as fit into the room, broken at spaces and within brackets.

    The layout makes room for the height of texts alone, so that what is longer would be cut off,
    or stand in the next panel. Statistics have two spaces between them, and are not torn.
    """
    paths: Any = optional("matplotlib.textpath", "a figure", extra="plot")
    fonts: Any = optional("matplotlib.font_manager", "a figure", extra="plot")
    font = fonts.FontProperties(family="DejaVu Sans", size=points)

    def fits(line: str) -> bool:
        width, *_ = paths.text_to_path.get_text_width_height_descent(line, font, ismath=False)
        return bool(width <= 72 * inches)

    lines = [""]
    for word in re.split(r"(?<=  )" if "  " in text else r"(?<=[ ,(])", text):
        if lines[-1] and not fits(f"{lines[-1]}{word}".rstrip()):
            lines.append(word)
        else:
            lines[-1] += word
    return "\n".join(line.rstrip() for line in lines)


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


def _panel(panel: Panel, ax: Any, size: tuple[float, float], *, lead: bool) -> tuple[int, ...]:
    """Draws a panel of a size in inches; returns the lines of text beside, below and above it."""
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
    beside = _fitted(plain(panel.y), 8.5, size[1] - 0.7) if lead or panel.names is not None else ""
    width = size[0] - _ticks(panel) - LINE * _lines(beside) - 3 * MARGIN
    if panel.level is not None:
        ax.axhline(panel.level, color=RECEDES, linewidth=0.9, linestyle="--", zorder=1)
        ax.annotate(
            _fitted(plain(panel.level_label), 7.5, width),
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
    below = _fitted(plain(panel.x), 8.5, width)
    ax.set_xlabel(below)
    ax.set_ylabel(beside)
    # Statistics stand above the axes, where no point is.
    texts = short(panel.title, 60), plain("  ".join(panel.text.splitlines()))
    above = "\n".join(_fitted(text, 9, width) for text in texts if text)
    ax.set_title(above, loc="left")
    return _lines(beside), _lines(below), _lines(above)


def _lines(text: str) -> int:
    """How many lines a text has."""
    return len(text.splitlines())
