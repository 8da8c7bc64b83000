"""Tables of scores as people read them: aligned text, and HTML for notebooks.

Numbers have four decimals here if no other number is asked for, counts none,
and what is undefined is a dash. Names come from files and are not trusted:
nothing that a terminal or a browser would act on gets through.

A table has one number a measure, or several: parts are scores with the same
labels, by name, and the first of them is called "value".
"""

from __future__ import annotations

import math

from cranfield._base import fitting
from cranfield._base.errors import failure
from cranfield._base.scores_like import turn
from cranfield._base.text import DIGITS, MOST_DIGITS, UNDEFINED, escaped, number, printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from typing import TypeAlias, TypeVar

    from cranfield._base.scores_like import ScoresKind
    from cranfield._core import Measure, OpaqueMeasure

    Parts: TypeAlias = Mapping[str, ScoresKind]
    T = TypeVar("T")

TEXT_LIMIT, HTML_LIMIT = 20, 60
"""How many rows an object shows of itself."""

BEST, SECOND = 1, 2
"""The marks of values."""

BEST_SIGN = "^"
"""What marks the best value in plain text."""

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


class Cell:
    """A cell as people see it: a text that begins with a value, and what marks that value."""

    __slots__ = ("above", "mark", "rest", "value")

    def __init__(self, text: str, mark: int = 0, above: str = "") -> None:
        stem = text.lstrip()
        value, space, rest = stem.partition(" ")
        self.value = text[: len(text) - len(stem)] + value
        self.rest = space + rest
        """What follows the value, such as its bounds."""
        self.mark = mark
        """BEST, SECOND or 0."""
        self.above = above
        """The runs that are beaten, by number."""

    @property
    def text(self) -> str:
        """The text without marks."""
        return self.value + self.rest


class Table:
    """Rows of labels and values under a header.

    A measure has a column for each part. People see those as one cell: a
    value and the interval in which it could be.
    """

    __slots__ = (
        "columns",
        "counts",
        "digits",
        "extra_cells",
        "extras",
        "keys",
        "labels",
        "limit",
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
        digits: int | None = None,
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
        self.labels = len(self.keys)
        """How many of the keys say what a row is about."""
        self.digits = digits
        """The decimals that were asked for; None: four in tables, all for machines."""
        self.limit: int | None = None
        """The most rows that people see: of more, those in the middle are left out."""
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

    @property
    def belongs(self) -> tuple[bool, ...]:
        """Of each column of the header, whether it is about the measure before it."""
        places = {self.place(measure) for measure in range(len(self.columns) // self.parts)}
        keys = len(self.keys)
        return tuple(
            i >= keys and i not in places for i in range(keys + len(places) + len(self.extras))
        )

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
        """The best and, of three or more, the second best values by row and place of the cell."""
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
        values = [self.rows[row][1][column] for row in rows]
        texts = [self.number(column, value) for value in values]
        found = marked(values, texts, measure.better)
        return {(rows[i], self.place(place)): mark for i, mark in found.items()}

    def visible(self, *, even: bool = False) -> tuple[list[list[Cell]], list[list[Cell]], int]:
        """The rows that people see, before and after the middle, and how many are left out there.

        ``even`` as for ``texts``.
        """
        texts, marks = list(self.texts(even=even)), self.marks()
        above = {
            (row, self.place(measure)): text
            for row, beaten in self.superscripts.items()
            for measure, text in enumerate(beaten)
        }
        size, shown = len(texts), len(texts) if self.limit is None else self.limit
        first, last = (size, size) if size <= shown else (shown // 2, size - (shown - 1) // 2)
        rows = [
            [
                Cell(text, marks.get((row, place), 0), above.get((row, place), ""))
                for place, text in enumerate(texts[row])
            ]
            for row in (*range(first), *range(last, size))
        ]
        return rows[:first], rows[first:], last - first

    def number(self, column: int, value: float) -> str:
        """A value as people read it."""
        digits = DIGITS if self.digits is None else self.digits
        return number(value, count=column in self.counts, digits=digits)

    def _numbers(self, row: int, values: Sequence[float]) -> list[str]:
        """The values of a row as people read them."""
        return [self.number(column, value) for column, value in enumerate(values)]

    def texts(self, *, even: bool = False) -> Iterator[tuple[str, ...]]:
        """The cells of each row for people.

        ``even``: the numbers within the cells of a column are as wide as the
        widest of them.
        """
        rows = [self._numbers(row, values) for row, (_, values) in enumerate(self.rows)]
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


def marked(values: Sequence[float], texts: Sequence[str], better: str | None) -> dict[int, int]:
    """The marks of values by place: of those that look like the best, and like the next.

    The next has a mark among three or more; none has where neither end is ``better``.
    """
    if better is None:
        return {}
    known = [i for i, value in enumerate(values) if not math.isnan(value)]
    known.sort(key=lambda i: -turn(better) * values[i])
    ordered = list(dict.fromkeys(texts[i] for i in known))
    shown = ordered[: SECOND if len(values) > 2 else BEST]
    return {i: shown.index(texts[i]) + 1 for i in known if texts[i] in shown}


class Texts(Table):
    """A table of texts."""

    __slots__ = ("cells", "marked")

    def __init__(self, keys: Sequence[str], columns: Sequence[str]) -> None:
        super().__init__(keys, columns, ())
        self.cells: list[tuple[str, ...]] = []
        self.marked: dict[tuple[int, int], int] = {}
        """What ``marks`` returns."""

    def marks(self) -> dict[tuple[int, int], int]:
        """The best and the second best values by row and place of the cell."""
        return self.marked

    def texts(self, *, even: bool = False) -> Iterator[tuple[str, ...]]:
        """The cells of each row."""
        return iter(self.cells)


def _cell(numbers: Sequence[str]) -> str:
    """A value, with the interval in which it could be if there is one."""
    value, *bounds = numbers
    if not bounds or value.strip() == UNDEFINED:
        return value.strip()
    return f"{value} [{', '.join(bounds)}]"


def blank(
    keys: Sequence[str],
    parts: Parts,
    extras: Sequence[ExtraColumns] = (),
    digits: int | None = None,
) -> Table:
    """A table of scores without rows."""
    scores, several = parts[VALUE], len(parts)
    names = columns(scores.measures, list(parts))
    counted_in = {i * several + part for i in counts(scores) for part in range(several)}
    return Table(
        keys,
        names,
        counted_in,
        parts=several,
        measures=scores.core.measures,
        extras=extras,
        digits=digits,
    )


def summaries(parts: Parts) -> list[tuple[list[float], ...]]:
    """Of each run, for each part, every measure by its own aggregate over topics."""
    return list(zip(*(scores.core.summary() for scores in parts.values()), strict=True))


def counts(scores: ScoresKind) -> set[int]:
    """The measures that are counts."""
    return {i for i, m in enumerate(scores.core.measures) if m.aggregate == "sum"}


def columns(measures: Sequence[str], parts: Sequence[str]) -> list[str]:
    """The names of the columns, the parts of a measure side by side."""
    return [m if part == VALUE else f"{m} {part}" for m in measures for part in parts]


def side_by_side(rows: Sequence[Sequence[float]]) -> list[float]:
    """The row of a table from one row of each part."""
    return [value for values in zip(*rows, strict=True) for value in values]


def aligned(table: Table, *, marked: bool = False, width: int | None = None) -> list[str]:
    """Lines with labels to the left and numbers to the right.

    ``marked``: after the best values stands a sign. ``width``: how many characters a line
    may have; the columns that do not fit go on below.
    """
    before, after, hidden = table.visible(even=True)
    header = [printable(text) for text in table.header]
    rows = [*before, *after]
    signed = [
        marked and any(row[place].mark == BEST for row in rows) for place in range(len(header))
    ]
    cells = [
        [f"{text} " if sign else text for text, sign in zip(header, signed, strict=True)],
        *([_signed(c, sign) for c, sign in zip(row, signed, strict=True)] for row in rows),
    ]
    lines: list[str] = []
    for part in fitting.parts(
        cells, len(table.keys), width, labels=table.labels, belongs=table.belongs
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
        return printable(cell.text)
    return printable(f"{cell.value}{BEST_SIGN if cell.mark == BEST else ' '}{cell.rest}")


def html(table: Table, *, marked: bool = False) -> str:
    """A plain HTML table; every text is escaped.

    ``marked``: the best values are bold, the second best underlined, and
    above each stand the runs that are beaten.
    """
    before, after, hidden = table.visible()
    width, left = len(table.header), len(table.keys)
    # The superscripts of a column take the same room, so that its digits stay aligned.
    room = [max((len(row[i].above) for row in (*before, *after)), default=0) for i in range(width)]

    def line(row: Sequence[Cell]) -> str:
        texts = [
            _marked_up(cell, room[place]) if marked else escaped(cell.text)
            for place, cell in enumerate(row)
        ]
        labels = "".join(f"<th>{text}</th>" for text in texts[:left])
        return f"<tr>{labels}{''.join(f'<td>{text}</td>' for text in texts[left:])}</tr>"

    def note(text: str) -> str:
        return f'<tr><td colspan="{width}">{text}</td></tr>'

    labels = "".join(f'<th class="label">{escaped(text)}</th>' for text in table.header[:left])
    header = "".join(f"<th>{escaped(text)}</th>" for text in table.header[left:])
    lines = [f"<table><thead><tr>{labels}{header}</tr></thead><tbody>", *map(line, before)]
    if hidden:
        lines.append(note(f"... {hidden} more ..."))
    lines += map(line, after)
    if table.more:
        lines.append(note(f"... and {table.more} more"))
    lines.append("</tbody></table>")
    return "\n".join(lines)


def _marked_up(cell: Cell, room: int) -> str:
    """A cell as HTML with its marks; ``room`` is how many characters can stand above a value."""
    around = {BEST: ("<b>", "</b>"), SECOND: ("<u>", "</u>")}
    start, end = around.get(cell.mark, ("", ""))
    above = f'<sup style="width: {room}ch">{escaped(cell.above)}</sup>' if room else ""
    return f"{start}{escaped(cell.value)}{end}{above}{escaped(cell.rest)}"


def check_digits(digits: int | None) -> None:
    """Raises ``Error`` (kind "option") for a number of decimals that no table has."""
    if digits is not None and not 0 <= digits <= MOST_DIGITS:
        message = f"expected from 0 to {MOST_DIGITS} digits, found {digits}"
        raise failure("option", message)
