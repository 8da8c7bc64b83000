"""Tables of scores as people read them: aligned text, and HTML for notebooks.

Numbers have four decimals here, counts none, and what is undefined is a
dash. Names come from files and are not trusted: nothing that a terminal or
a browser would act on gets through.

A table has one number a measure, or several: parts are scores with the same
labels, by name, and the first of them is called "value".
"""

from __future__ import annotations

import math

from cranfield.results.direction import best_first

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from typing import TypeAlias, TypeVar

    from cranfield._core import Measure, OpaqueMeasure
    from cranfield.results.scores import Scores

    Parts: TypeAlias = Mapping[str, Scores]
    T = TypeVar("T")

UNDEFINED = "-"

VALUE = "value"
"""The part that a measure's own name stands for."""


class ExtraColumns:
    """Columns after the values of a measure, in rows that sum up a run."""

    __slots__ = ("header", "measure", "names")

    def __init__(self, measure: int, header: str, names: tuple[str, ...]) -> None:
        self.measure = measure
        """Which measure."""
        self.header = header
        """The header of the one column that people see."""
        self.names = names
        """The machine-readable columns."""


class ExtraCells:
    """The cells of a row in the columns after a measure."""

    __slots__ = ("text", "values")

    def __init__(self, text: str, values: tuple[float | str, ...]) -> None:
        self.text = text
        """For people."""
        self.values = values
        """Machine-readable, one a column."""


class Table:
    """Rows of labels and values under a header.

    A measure has a column for each part. People see those as one cell: a
    value and the interval in which it could be.
    """

    __slots__ = (
        "columns",
        "counts",
        "extra_cells",
        "extras",
        "keys",
        "measures",
        "metadata",
        "more",
        "parts",
        "rows",
        "starts",
        "summaries",
        "superscripts",
    )

    def __init__(
        self,
        keys: Sequence[str],
        columns: Sequence[str],
        counts: Collection[int],
        *,
        parts: int = 1,
        measures: Sequence[Measure | OpaqueMeasure] = (),
        extras: Sequence[ExtraColumns] = (),
    ) -> None:
        self.keys = tuple(keys)
        self.columns = tuple(columns)
        self.counts = counts
        """The columns that hold counts."""
        self.parts = parts
        """How many columns a measure has."""
        self.measures = measures
        """The measures whose scores these are, if they are scores."""
        self.rows: list[tuple[tuple[str, ...], Sequence[float]]] = []
        self.summaries: list[int] = []
        """The rows that sum up a run."""
        self.more = 0
        """How many rows were left out at the end."""
        self.extras = tuple(extras)
        """The columns after measures."""
        self.extra_cells: dict[int, Sequence[ExtraCells]] = {}
        """The cells of rows there."""
        self.superscripts: dict[int, Sequence[str]] = {}
        """What stands above the values of rows, one for each measure: the runs that are beaten."""
        self.metadata: dict[str, str] = {}
        """The metadata of a Parquet file."""
        self.starts: list[int] = []
        """The rows with which a part begins whose runs are compared among themselves."""

    @property
    def header(self) -> tuple[str, ...]:
        """The header for people: the keys, the measures and the extra columns."""
        measures = enumerate(self.columns[:: self.parts])
        shown = (
            text
            for place, name in measures
            for text in (name, *(b.header for b in self.extras if b.measure == place))
        )
        return (*self.keys, *shown)

    def place(self, measure: int) -> int:
        """Where the value of a measure is among the cells that people see."""
        return len(self.keys) + measure + sum(b.measure < measure for b in self.extras)

    def machine_readable(self, row: int, values: Sequence[T], blank: T) -> list[T | float | str]:
        """The values of a row with the extra cells of each measure."""
        extra_cells = self.extra_cells.get(row, ())
        found: list[T | float | str] = []
        for measure in range(len(self.columns) // self.parts):
            found += values[measure * self.parts : (measure + 1) * self.parts]
            for place, columns in enumerate(self.extras):
                if columns.measure == measure:
                    found += (
                        extra_cells[place].values if extra_cells else [blank] * len(columns.names)
                    )
        return found

    def names(self) -> list[str]:
        """The machine-readable columns, after the keys."""
        found: list[str] = []
        for measure in range(len(self.columns) // self.parts):
            found += self.columns[measure * self.parts : (measure + 1) * self.parts]
            found += [name for b in self.extras if b.measure == measure for name in b.names]
        return found

    def add(
        self,
        labels: tuple[str, ...],
        values: Sequence[float],
        *,
        summary: bool = True,
        extra_cells: Sequence[ExtraCells] = (),
        superscripts: Sequence[str] = (),
    ) -> None:
        """Adds a row."""
        if summary:
            self.summaries.append(len(self.rows))
        if extra_cells:
            self.extra_cells[len(self.rows)] = extra_cells
        if superscripts:
            self.superscripts[len(self.rows)] = superscripts
        self.rows.append((labels, values))

    def marks(self) -> dict[tuple[int, int], int]:
        """The best (1) and, of three or more, the second best (2) values by row and measure."""
        found: dict[tuple[int, int], int] = {}
        for start, end in zip(self.starts or [0], [*self.starts[1:], len(self.rows)], strict=True):
            rows = [row for row in self.summaries if start <= row < end]
            if len(rows) > 1:
                for place, measure in enumerate(self.measures):
                    found |= self._marked(rows, place, measure)
        return found

    def _marked(
        self, rows: Sequence[int], place: int, measure: Measure | OpaqueMeasure
    ) -> dict[tuple[int, int], int]:
        """The marks of a measure: all values that look like the best, and like the next."""
        column = place * self.parts
        if measure.better is None:
            return {}
        values = {row: self.rows[row][1][column] for row in rows}
        texts = {row: self.number(column, v) for row, v in values.items() if not math.isnan(v)}
        ordered = best_first(list(values.values()), measure)
        known = list(dict.fromkeys(texts[rows[i]] for i in ordered if rows[i] in texts))
        shown = known[: 2 if len(rows) > 2 else 1]
        return {(row, place): shown.index(text) + 1 for row, text in texts.items() if text in shown}

    def number(self, column: int, value: float) -> str:
        """A value as people read it."""
        return number(value, count=column in self.counts)

    def texts(self, *, even: bool = False) -> Iterator[tuple[str, ...]]:
        """The cells of each row for people.

        ``even``: the numbers within the cells of a column are as wide as the
        widest of them.
        """
        rows = [[self.number(i, v) for i, v in enumerate(values)] for _, values in self.rows]
        widths = [0] * len(self.columns)
        if even and self.parts > 1:
            widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row, ((labels, _), numbers) in enumerate(zip(self.rows, rows, strict=True)):
            even_numbers = [n.rjust(width) for n, width in zip(numbers, widths, strict=False)]
            starts = range(0, len(numbers), self.parts)
            cells = [_cell(even_numbers[i : i + self.parts]) for i in starts]
            yield (*labels, *(self._with_extras(row, cells) if self.extras else cells))

    def _with_extras(self, row: int, cells: Sequence[str]) -> Iterator[str]:
        """The cells of a row with the extra cells."""
        extra_cells = self.extra_cells.get(row, ())
        for measure, cell in enumerate(cells):
            yield cell
            for place, columns in enumerate(self.extras):
                if columns.measure == measure:
                    yield extra_cells[place].text if extra_cells else ""


def number(value: float, *, count: bool = False, sign: str = "") -> str:
    """A value as people read it: four decimals, none for a count, a dash if undefined."""
    if math.isnan(value):
        return UNDEFINED
    return f"{value:{sign}.{0 if count and value.is_integer() else 4}f}"


class Texts(Table):
    """A table of texts."""

    __slots__ = ("cells",)

    def __init__(self, keys: Sequence[str], columns: Sequence[str]) -> None:
        super().__init__(keys, columns, ())
        self.cells: list[tuple[str, ...]] = []

    def texts(self, *, even: bool = False) -> Iterator[tuple[str, ...]]:
        """The cells of each row."""
        return iter(self.cells)


def _cell(numbers: Sequence[str]) -> str:
    """A value, with the interval in which it could be if there is one."""
    value, *bounds = numbers
    if not bounds or value.strip() == UNDEFINED:
        return value.strip()
    return f"{value} [{', '.join(bounds)}]"


def blank(keys: Sequence[str], parts: Parts, extras: Sequence[ExtraColumns] = ()) -> Table:
    """A table of scores without rows."""
    scores, several = parts[VALUE], len(parts)
    names = columns(scores.measures, list(parts))
    counted_in = {i * several + part for i in counts(scores) for part in range(several)}
    return Table(
        keys, names, counted_in, parts=several, measures=scores.core.measures, extras=extras
    )


def of_summaries(parts: Parts, *, limit: int) -> Table:
    """What each run has over all topics, as many rows as the limit allows."""
    rows = summaries(parts)
    shown = len(rows) if len(rows) <= limit else limit - 1
    table = blank(("run",), parts)
    for name, row in zip(parts[VALUE].runs[:shown], rows[:shown], strict=True):
        table.add((name,), side_by_side(row))
    table.more = len(rows) - shown
    return table


def summaries(parts: Parts) -> list[tuple[list[float], ...]]:
    """Of each run, for each part, every measure by its own aggregate over topics."""
    return list(zip(*(scores.core.summary() for scores in parts.values()), strict=True))


def counts(scores: Scores) -> set[int]:
    """The measures that are counts."""
    return {i for i, m in enumerate(scores.core.measures) if m.aggregate == "sum"}


def columns(measures: Sequence[str], parts: Sequence[str]) -> list[str]:
    """The names of the columns, the parts of a measure side by side."""
    return [m if part == VALUE else f"{m} {part}" for m in measures for part in parts]


def side_by_side(rows: Sequence[Sequence[float]]) -> list[float]:
    """The row of a table from one row of each part."""
    return [value for values in zip(*rows, strict=True) for value in values]


def aligned(table: Table) -> list[str]:
    """Lines with labels to the left and numbers to the right."""
    rows = [table.header, *table.texts(even=True)]
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    left = len(table.keys)
    lines = []
    for row in cells:
        texts = [
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(texts).rstrip())
    if table.more:
        lines.append(f"... and {table.more} more")
    return lines


def html(table: Table, *, marked: bool = False) -> str:
    """A plain HTML table; every text is escaped.

    ``marked``: the best values are bold, the second best underlined, and
    above each stand the runs that are beaten.
    """
    from html import escape

    header = "".join(f"<th>{escape(text)}</th>" for text in table.header)
    left = len(table.keys)
    lines = [f"<table><thead><tr>{header}</tr></thead><tbody>"]
    around = {1: ("<b>", "</b>"), 2: ("<u>", "</u>")}
    marks = table.marks() if marked else {}
    for number, row in enumerate(table.texts()):
        cells = [escape(text) for text in row]
        for measure in range(len(table.measures) if marked else 0):
            before, after = around.get(marks.get((number, measure), 0), ("", ""))
            above = table.superscripts[number][measure] if number in table.superscripts else ""
            above = f"<sup>{escape(above)}</sup>" if above else ""
            place = table.place(measure)
            value, space, rest = cells[place].partition(" ")
            cells[place] = f"{before}{value}{after}{above}{space}{rest}"
        labels = "".join(f"<th>{text}</th>" for text in cells[:left])
        values = "".join(f"<td>{text}</td>" for text in cells[left:])
        lines.append(f"<tr>{labels}{values}</tr>")
    if table.more:
        lines.append(f'<tr><td colspan="{len(table.header)}">... and {table.more} more</td></tr>')
    lines.append("</tbody></table>")
    return "\n".join(lines)


def printable(text: str) -> str:
    """A text without control characters: those are shown as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def counted(number: int, what: str) -> str:
    """A number of things: ``1 topic``, ``2 topics``."""
    return f"{number} {what}{'' if number == 1 else 's'}"
