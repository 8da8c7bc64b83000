"""Tables as printed: rows of texts under a header, and as aligned text.

Numbers have four decimals here if no other number is asked for, counts none,
and what is undefined is a dash. Names come from files and are not trusted:
nothing that a terminal or a browser would act on gets through.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from cranfield._base.errors import failure
from cranfield._base.text import MOST_DIGITS, bold, printable
from cranfield._core import table_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

Column: TypeAlias = "tuple[str, Sequence[str], bool]"
"""A name, the texts, and whether it is about the column before it and stays beside it."""
Part: TypeAlias = "Texts | str | list[str]"
"""A table, a sentence about tables, or lines of text between them."""

TEXT_LIMIT, HTML_LIMIT = 20, 60
"""How many rows an object shows of itself."""

PLAIN = ("table", "repr")
"""The forms in which a text is all that there is: nothing can stand above a value."""

BEST, SECOND, SLANTED = 1, 2, 3
"""The marks of values: the best, the second best, and those that a paper has in italics."""

BEST_SIGN = "^"
"""What marks the best value in plain text."""


class Cell:
    """A cell as printed: a text that begins with a value, and what marks that value."""

    __slots__ = ("above", "mark", "rest", "text", "value")

    def __init__(self, text: str, mark: int = 0, above: str = "") -> None:
        self.text = text
        """The text without marks."""
        stem = text.lstrip()
        value, space, rest = stem.partition(" ")
        self.value = text[: len(text) - len(stem)] + value
        self.rest = space + rest
        """What follows the value, such as its bounds."""
        self.mark = mark
        """BEST, SECOND, SLANTED or 0."""
        self.above = above
        """The runs that are beaten, by number."""


class Texts:
    """Rows of labels and texts under a header."""

    def __init__(self, keys: Sequence[str], columns: Sequence[str]) -> None:
        self.keys = tuple(keys)
        self.columns = tuple(columns)
        self.cells: list[tuple[str, ...]] = []
        """The texts of each row, those of the keys first."""
        self.values: dict[int, Sequence[Any]] = {}
        """The values of columns of numbers by place, row by row."""
        self.labels = len(self.keys)
        """How many of the keys say what a row is about."""
        self.belongs: tuple[bool, ...] = ()
        """Of each column of the header, whether it is about the one before it."""
        self.marked: dict[tuple[int, int], int] = {}
        """The best and the second best values by row and place of the cell."""
        self.raised: dict[tuple[int, int], str] = {}
        """What stands above values by row and place of the cell: the runs that are beaten."""
        self.starts: Sequence[int] = ()
        """The rows with which a part begins whose runs are compared among themselves."""
        self.limit: int | None = None
        """The most rows that are printed: of more, those in the middle are left out."""
        self.more = 0
        """How many rows were left out at the end."""
        self.introduction: list[str] = []
        """Lines right above the table."""
        self.caption: Sequence[str] = ()
        """What only a caption says, before the sentences about all tables."""
        self.name = ""
        """What its label ends with, where there are several tables."""

    @classmethod
    def of(
        cls, keys: Sequence[str], labels: Sequence[tuple[str, ...]], columns: Sequence[Column]
    ) -> Texts:
        """The table of some columns, with the labels of each row."""
        found = cls(keys, [name for name, _, _ in columns])
        found.belongs = (*[False] * len(keys), *[belongs for _, _, belongs in columns])
        for row, own in enumerate(labels):
            found.cells.append((*own, *[texts[row] for _, texts, _ in columns]))
        return found

    @property
    def header(self) -> tuple[str, ...]:
        """The keys and the columns."""
        return (*self.keys, *self.columns)

    def mark(
        self, place: int, rows: Sequence[int], values: Sequence[float], better: str | None
    ) -> None:
        """Marks the best values of some rows, by the texts in the cells at a place."""
        found = marked(values, [Cell(self.cells[row][place]).value for row in rows], better)
        self.marked |= {(rows[i], place): mark for i, mark in found.items()}

    def visible(self) -> tuple[list[list[Cell]], list[list[Cell]], int]:
        """The printed rows, before and after the middle, and how many are left out."""
        size = len(self.cells)
        shown = size if self.limit is None else self.limit
        first, last = (size, size) if size <= shown else (shown // 2, size - (shown - 1) // 2)
        rows = [
            [
                Cell(text, self.marked.get((row, place), 0), self.raised.get((row, place), ""))
                for place, text in enumerate(self.cells[row])
            ]
            for row in (*range(first), *range(last, size))
        ]
        return rows[:first], rows[first:], last - first


class Heading(str):
    """A heading above the tables that follow it."""

    __slots__ = ()


class Signed(list[str]):
    """Lines below tables that say how to repeat them: each stays one line, a comment in LaTeX."""

    __slots__ = ()


class Setting:
    """What else a printed form depends on."""

    __slots__ = ("caption", "label", "signed", "width")

    def __init__(
        self,
        width: int | None = None,
        *,
        signed: bool = False,
        caption: str | None = None,
        label: str = "",
    ) -> None:
        self.width = width
        """How many characters a line of text may have."""
        self.signed = signed
        """Whether a sign stands after the best values in text."""
        self.caption = caption
        """The caption of each table in LaTeX; not given, the sentences about it."""
        self.label = label
        """The label of a table in LaTeX, or what the labels of several begin with."""


def lines_of(part: str | list[str]) -> list[str]:
    """The lines of a paragraph."""
    return [part] if isinstance(part, str) else part


def marked(values: Sequence[float], texts: Sequence[str], better: str | None) -> dict[int, int]:
    """The marks of values by place: of those that look like the best, and like the next.

    The next has a mark among three or more; none has where neither end is ``better``.
    """
    if better is None:
        return {}
    known = [i for i, value in enumerate(values) if not math.isnan(value)]
    known.sort(key=values.__getitem__, reverse=better != "lower")
    ordered = list(dict.fromkeys(texts[i] for i in known))
    shown = ordered[: SECOND if len(values) > 2 else BEST]
    return {i: shown.index(texts[i]) + 1 for i in known if texts[i] in shown}


def aligned(table: Texts, *, marked: bool = False, width: int | None = None) -> list[str]:
    """Lines with labels to the left and numbers to the right.

    ``marked``: after the best values stands a sign. ``width``: how many characters a line
    of a terminal may have; the columns that do not fit go on below, and the best values are bold.
    """
    before, after, hidden = table.visible()
    rows = [*before, *after]
    signed = [
        marked and any(row[place].mark == BEST for row in rows)
        for place in range(len(table.header))
    ]
    cells = [
        [f"{text} " if sign else text for text, sign in zip(table.header, signed, strict=True)],
        *([_signed(c, sign) for c, sign in zip(row, signed, strict=True)] for row in rows),
    ]
    shown = cells
    if not all(text.isprintable() for row in cells for text in row):
        shown = [[printable(text) for text in row] for row in cells]
    if width is not None:
        for texts, row in zip(shown[1:], rows, strict=True):
            for place, cell in enumerate(row):
                if cell.mark == BEST:
                    size = len(cell.value)
                    texts[place] = bold(texts[place][:size]) + texts[place][size:]
    lines: list[str] = []
    for part in table_parts(
        shown, len(table.keys), width, labels=table.labels, belongs=table.belongs
    ):
        if hidden:
            part.insert(1 + len(before), f"... {hidden} more ...")
        lines += ["", *part] if lines else part
    if table.more:
        lines.append(f"... and {table.more} more")
    return lines


def _signed(cell: Cell, sign: bool) -> str:
    """A cell of a column of which the best values have a sign, or of one without."""
    if not sign:
        return cell.text
    return f"{cell.value}{BEST_SIGN if cell.mark == BEST else ' '}{cell.rest}"


def check_digits(digits: int | None) -> None:
    """Raises ``Error`` (kind "option") for a number of decimals that no table has."""
    if digits is not None and not 0 <= digits <= MOST_DIGITS:
        message = f"expected from 0 to {MOST_DIGITS} digits, found {digits}"
        raise failure("option", message)
