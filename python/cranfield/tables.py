"""Tables of scores as people read them: aligned text, and HTML for notebooks.

Numbers have four decimals here, counts none, and what is undefined is a
dash. Names come from files and are not trusted: nothing that a terminal or
a browser would act on gets through.

A table has one number a measure, or several: parts are scores with the same
labels, by name, and the first of them is called "value".
"""

from __future__ import annotations

import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from cranfield._core import Measure
    from cranfield.scores import Scores

    Parts: TypeAlias = Mapping[str, Scores]

UNDEFINED = "-"

VALUE = "value"
"""The part that a measure's own name stands for."""


class Table:
    """Rows of labels and values under a header.

    A measure has a column for each part. People see those as one cell: a
    value and the interval in which it could be.
    """

    __slots__ = ("columns", "counts", "keys", "measures", "more", "parts", "rows", "summaries")

    def __init__(
        self,
        keys: Sequence[str],
        columns: Sequence[str],
        counts: Collection[int],
        *,
        parts: int = 1,
        measures: Sequence[Measure] = (),
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

    @property
    def header(self) -> tuple[str, ...]:
        """The header for people: the keys and the measures."""
        return (*self.keys, *self.columns[:: self.parts])

    def add(
        self, labels: tuple[str, ...], values: Sequence[float], *, summary: bool = True
    ) -> None:
        """Adds a row."""
        if summary:
            self.summaries.append(len(self.rows))
        self.rows.append((labels, values))

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
        for (labels, _), numbers in zip(self.rows, rows, strict=True):
            even_numbers = [n.rjust(width) for n, width in zip(numbers, widths, strict=False)]
            starts = range(0, len(numbers), self.parts)
            cells = (_cell(even_numbers[i : i + self.parts]) for i in starts)
            yield (*labels, *cells)


def number(value: float, *, count: bool = False, sign: str = "") -> str:
    """A value as people read it: four decimals, none for a count, a dash if undefined."""
    if math.isnan(value):
        return UNDEFINED
    return f"{value:{sign}.{0 if count and value.is_integer() else 4}f}"


def _cell(numbers: Sequence[str]) -> str:
    """A value, with the interval in which it could be if there is one."""
    value, *bounds = numbers
    if not bounds or value.strip() == UNDEFINED:
        return value.strip()
    return f"{value} [{', '.join(bounds)}]"


def blank(keys: Sequence[str], parts: Parts) -> Table:
    """A table of scores without rows."""
    scores, several = parts[VALUE], len(parts)
    names = columns(scores.measures, list(parts))
    counted_in = {i * several + part for i in counts(scores) for part in range(several)}
    return Table(keys, names, counted_in, parts=several, measures=scores.core.measures)


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


def html(table: Table) -> str:
    """A plain HTML table; every text is escaped."""
    from html import escape

    header = "".join(f"<th>{escape(text)}</th>" for text in table.header)
    left = len(table.keys)
    lines = [f"<table><thead><tr>{header}</tr></thead><tbody>"]
    for row in table.texts():
        labels = "".join(f"<th>{escape(text)}</th>" for text in row[:left])
        values = "".join(f"<td>{escape(text)}</td>" for text in row[left:])
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
