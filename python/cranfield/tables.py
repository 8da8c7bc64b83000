"""Tables of scores as people read them: aligned text, and HTML for notebooks.

Numbers have four decimals here, counts none, and what is undefined is a
dash. Names come from files and are not trusted: nothing that a terminal or
a browser would act on gets through.
"""

from __future__ import annotations

import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

UNDEFINED = "-"


class Table:
    """Rows of labels and values under a header."""

    __slots__ = ("counts", "keys", "measures", "more", "rows", "summaries")

    def __init__(
        self, keys: Sequence[str], measures: Sequence[str], counts: Collection[int]
    ) -> None:
        self.keys = tuple(keys)
        self.measures = tuple(measures)
        self.counts = counts
        """The columns that hold counts."""
        self.rows: list[tuple[tuple[str, ...], Sequence[float]]] = []
        self.summaries: list[int] = []
        """The rows that sum up a run."""
        self.more = 0
        """How many rows were left out at the end."""

    def add(
        self, labels: tuple[str, ...], values: Sequence[float], *, summary: bool = True
    ) -> None:
        """Adds a row."""
        if summary:
            self.summaries.append(len(self.rows))
        self.rows.append((labels, values))

    def number(self, column: int, value: float) -> str:
        """A value as people read it."""
        if math.isnan(value):
            return UNDEFINED
        if column in self.counts and value.is_integer():
            return f"{value:.0f}"
        return f"{value:.4f}"

    def texts(self) -> Iterator[tuple[str, ...]]:
        """The cells of each row."""
        for labels, values in self.rows:
            numbers = (self.number(i, value) for i, value in enumerate(values))
            yield (*labels, *numbers)


def aligned(table: Table) -> list[str]:
    """Lines with labels to the left and numbers to the right."""
    rows = [(*table.keys, *table.measures), *table.texts()]
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

    header = "".join(f"<th>{escape(t)}</th>" for t in (*table.keys, *table.measures))
    left = len(table.keys)
    lines = [f"<table><thead><tr>{header}</tr></thead><tbody>"]
    for row in table.texts():
        labels = "".join(f"<th>{escape(text)}</th>" for text in row[:left])
        values = "".join(f"<td>{escape(text)}</td>" for text in row[left:])
        lines.append(f"<tr>{labels}{values}</tr>")
    if table.more:
        span = len(table.keys) + len(table.measures)
        lines.append(f'<tr><td colspan="{span}">... and {table.more} more</td></tr>')
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
