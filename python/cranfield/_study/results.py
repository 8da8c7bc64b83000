"""The results of studies: tables and figures as plain data, without styling."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield import meta
from cranfield._base.text import listed
from cranfield._stats.correlation import CorrelationMatrix
from cranfield._table.data_table import NUMBER, PVALUE, TEXT, DataTable
from cranfield._table.tables import BEST, SLANTED, Texts
from cranfield._table.writers import written


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of numbers and texts, and how they are shown; undefined values are ``None``."""

    name: str
    title: str
    data: DataTable
    note: str = ""
    decimals: int = 4
    bold: list[list[int]] = field(default_factory=list)
    """The cells that the paper prints bold, as row and column."""
    italic: list[list[int]] = field(default_factory=list)
    """The cells that it prints in italics."""

    @classmethod
    def of(
        cls,
        name: str,
        title: str,
        columns: Mapping[str, Any] | Iterable[Mapping[str, Any]],
        note: str = "",
        **more: Any,
    ) -> Table:
        """The table of columns by name, whose numbers become those of Python; or of rows by name.

        Columns are lists or arrays; all rows have the same columns.
        """
        if not isinstance(columns, Mapping):
            rows = list(columns)
            columns = {column: [row[column] for row in rows] for column in rows[0]}
        held = {column: plain(list(values)) for column, values in columns.items()}
        data = DataTable({column: (_kind(column, own), own) for column, own in held.items()})
        return cls(name, title, data, note, **more)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.data.columns)

    @property
    def rows(self) -> list[list[Any]]:
        """The cells of each row."""
        return [list(row) for row in zip(*self.data.to_columns().values(), strict=True)]

    def texts(self) -> Texts:
        """The table as printed, in the order of its columns."""
        found = self.data.in_order(self.decimals)
        found.marked = dict.fromkeys(map(tuple, self.bold), BEST)  # type: ignore[arg-type]
        found.marked |= dict.fromkeys(map(tuple, self.italic), SLANTED)  # type: ignore[arg-type]
        return found

    def to_latex(self) -> str:
        """The table for the package booktabs, below its title."""
        return f"% {' '.join(self.title.split())}\n{written([self.texts()], 'latex')}"

    def to_dict(self) -> dict[str, Any]:
        """What ``of`` takes, for JSON."""
        own = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "data"}
        return {**own, "columns": self.data.to_columns()}


def _kind(name: str, values: Sequence[Any]) -> str:
    """The kind of a column."""
    if any(isinstance(value, str) for value in values):
        return TEXT
    return PVALUE if name == "p" or name.startswith("p (") else NUMBER


@dataclass(frozen=True, slots=True)
class Line:
    """A series of a panel: a curve, or points."""

    label: str
    x: Any
    """Numbers in a list or an array, here and below; kept as floats, None for NaN."""
    y: Any
    low: Any = None
    high: Any = None
    kind: str = "line"
    """"line" with a mark at each point, "curve" without, "step" or "points"."""
    color: int = 0
    """The index into the palette, from 0; -1 highlights the series, -2 mutes it."""
    names: Sequence[str] | None = None
    """What each point is, such as a run."""
    dotted: bool = False

    def __post_init__(self) -> None:
        for name in ("x", "y", "low", "high"):
            if (values := getattr(self, name)) is not None:
                floats = [None if value is None else float(value) for value in values]
                object.__setattr__(self, name, plain(floats))


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes."""

    x: str
    y: str
    lines: list[Line]
    title: str = ""
    log: bool = False
    """Whether the first axis is logarithmic."""
    ticks: list[float] | None = None
    """The tick positions of the first axis."""
    names: list[str] | None = None
    """The tick labels at 0, 1, ... of the second axis."""
    diagonal: bool = False
    """Whether the line y = x is drawn, with the same limits on both axes."""
    reverse: bool = False
    """Whether the first axis is descending."""
    limits: list[float] | None = None
    """The limits of the second axis."""
    text: str = ""
    """Statistics of the panel, such as a coefficient; one a line."""
    level: float | None = None
    """A value of the second axis that is marked by a line."""
    level_label: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """Panels in a grid with ``columns`` columns, with one legend."""

    name: str
    title: str
    panels: list[Panel]
    columns: int = 1
    note: str = ""
    alike: bool = False
    """Whether the panels of a row share their second axis."""

    def to_csv(self) -> str:
        """Every point, so that the figure can be drawn with another program."""
        rows: list[tuple[Any, ...]] = []
        for number, panel in enumerate(self.panels, start=1):
            for line in panel.lines:
                none = [None] * len(line.x)
                own = point_names(panel, line), line.x, line.y, line.low or none, line.high or none
                about = panel.title or f"{number}: {panel.y}", line.label
                rows += ((*about, *point) for point in zip(*own, strict=True))
        return Table.of("", "", by_name(POINTS, rows)).data.to_csv()


POINTS = ("panel", "series", "name", "x", "y", "low", "high")
"""What is said of each point of a figure."""


def by_name(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Rows of cells as columns."""
    return dict(zip(names, list(zip(*rows, strict=True)) or [()] * len(names), strict=True))


def point_names(panel: Panel, line: Line) -> list[str]:
    """What each point of a line is; empty where it is nothing by itself."""
    if line.names is not None:
        return list(line.names)
    if panel.names is not None:
        return [panel.names[int(y)] if y is not None else "" for y in line.y]
    return [""] * len(line.x)


def triangle(matrix: CorrelationMatrix, labels: Sequence[str]) -> dict[str, Any]:
    """What is above the diagonal of a matrix of measures, as the columns of a table."""
    values = matrix.values.tolist()
    rows = [[label, *([None] * i), *values[i][i + 1 :]] for i, label in enumerate(labels[:-1])]
    return by_name(["measure", *labels[1:]], rows)


def tau(a: NDArray[np.float64], b: NDArray[np.float64]) -> float | None:
    """Kendall's tau; nothing if either gives all runs the same value."""
    return None if np.ptp(a) == 0 or np.ptp(b) == 0 else meta.tau(a, b)


def scatter(
    labels: Iterable[str],
    values: Iterable[NDArray[np.float64]],
    runs: Iterable[str],
    value: float | None = None,
) -> Panel:
    """The runs as points by two values of each, beside the diagonal; ``value`` is their tau."""
    (x, y), (a, b) = labels, values
    points = Line("run", a, b, kind="points", names=list(runs))
    text = "" if value is None else f"tau = {value:.3f}"
    return Panel(x, y, [points], diagonal=True, text=text)


CROWD = 6
"""More lines with bands than this are drawn in a panel each."""

ALIKE = 1e-9
"""Lines that are nowhere further apart coincide."""


def readable(figure: Figure) -> Figure:
    """The figure with a panel for each line where too many have bands to be told apart.

    The other lines are muted there.
    """
    if all(len(_banded(panel)) <= CROWD for panel in figure.panels):
        return figure
    panels = []
    for panel in figure.panels:
        banded = _banded(panel)
        for line in banded if len(banded) > CROWD else []:
            others = [
                replace(other, label=OTHERS, low=None, high=None, kind="curve", color=-2)
                for other in panel.lines
                if other is not line
            ]
            title = f"{panel.title}: {line.label}" if panel.title else line.label
            panels.append(replace(panel, lines=[*others, replace(line, color=0)], title=title))
        if len(banded) <= CROWD:
            panels.append(panel)
    columns = next((n for n in (5, 4, 3) if len(panels) % n == 0), 4)
    return replace(figure, panels=panels, columns=columns, alike=len(figure.panels) == 1)


OTHERS = "the others"
"""The label of muted lines."""


def _banded(panel: Panel) -> list[Line]:
    if panel.names is not None:
        return []
    return [line for line in panel.lines if line.low is not None]


def coinciding(figure: Figure) -> list[str]:
    """A sentence for each group of lines of a panel that hide each other."""
    found: dict[str, list[str]] = {}
    for panel in figure.panels:
        groups: list[list[Line]] = []
        for line in panel.lines:
            if line.kind == "points" or line.color < 0:
                continue
            group = next((group for group in groups if _coincide(group[0], line)), None)
            groups.append([line]) if group is None else group.append(line)
        for group in groups:
            names = list(dict.fromkeys(line.label for line in group))
            if len(names) > 1:
                found.setdefault(listed(names), []).append(panel.title)
    one = len(figure.panels) == 1
    return [
        f"{names} coincide{'' if one or not all(of) else ' in ' + '; '.join(of)}."
        for names, of in found.items()
    ]


def _coincide(one: Line, other: Line) -> bool:
    """Whether two lines have the same points."""
    if one.x != other.x:
        return False
    values = floats(one.y), floats(other.y)
    return bool(np.allclose(*values, rtol=0, atol=ALIKE, equal_nan=True))


def plain(values: Any) -> Any:
    """Numbers, lists and arrays as JSON has them; NaN becomes ``None``."""
    if isinstance(values, (np.ndarray, np.generic)):
        values = values.tolist()
    if isinstance(values, (list, tuple)):
        return [plain(value) for value in values]
    return None if isinstance(values, float) and math.isnan(values) else values


def floats(values: Iterable[float | None]) -> list[float]:
    """Numbers to draw; ``None`` becomes NaN."""
    return [math.nan if value is None else value for value in values]


def percent(share: float, decimals: int = 0) -> str:
    """A share, as sentences have it."""
    return f"{100 * share:.{decimals}f}%"


@dataclass(slots=True)
class Found:
    """What a part of a study found."""

    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    says: str = ""
    """What follows from the numbers, in a sentence; the page begins with it."""

    def to_dict(self) -> dict[str, Any]:
        """The same for JSON."""
        tables, figures = [one.to_dict() for one in self.tables], list(map(asdict, self.figures))
        return {"tables": tables, "figures": figures, "says": self.says}

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Found:
        """The inverse of ``to_dict``; raises for anything else."""
        figures = []
        for figure in content["figures"]:
            panels = [
                Panel(**{**panel, "lines": [Line(**line) for line in panel["lines"]]})
                for panel in figure["panels"]
            ]
            figures.append(Figure(**{**figure, "panels": panels}))
        tables = [Table.of(**table) for table in content["tables"]]
        return cls(tables, figures, content["says"])
