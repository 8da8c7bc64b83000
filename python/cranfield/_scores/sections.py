"""Tables of runs in sections, in each of which the runs are compared among themselves.

A section is a group of topics, or one measure on several collections.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

from cranfield._base.scores_like import VALUE
from cranfield._base.text import UNDEFINED, numbers
from cranfield._table.data_table import SHARE, TEXT, DataTable
from cranfield._table.tables import Texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from cranfield._table.data_table import Data
    from cranfield._table.tables import Column

ENDS = {"low": "lowest", "high": "highest"}
"""The columns of bounds in printed tables: one bracket is a confidence interval."""

NUMBER = "#"
"""The column of the numbers by which runs are called above values."""


class Beside:
    """A column beside that of values, in the rows that sum up a run."""

    __slots__ = ("columns", "header", "texts")

    def __init__(
        self,
        header: str,
        kinds: Mapping[str, str],
        rows: Sequence[int | None],
        values: Sequence[tuple[Any, ...] | None],
        text: Callable[..., str],
    ) -> None:
        """Takes the run of each row, and for each run a value for each column, if it has some."""
        own = [None if run is None else values[run] for run in rows]
        self.header = header
        """The printed header."""
        self.texts = [
            text(*found) if found is not None else "" if run is None else UNDEFINED
            for run, found in zip(rows, own, strict=True)
        ]
        """The printed texts."""
        self.columns: dict[str, Data] = {}
        """The machine-readable columns."""
        for end, (name, kind) in enumerate(kinds.items()):
            blank = None if kind == TEXT else math.nan
            self.columns[name] = kind, [blank if v is None else v[end] for v in own]


class Values(SimpleNamespace):
    """The numbers of a column in the rows of a section."""

    parts: Mapping[str, Sequence[float]]
    """A number for each row, or several: the value, and between what it lies."""
    better: str | None
    """Which of the values are marked."""
    is_count: bool = False
    """Whether it is printed without decimals."""
    kind: str = SHARE
    """The kind of the machine-readable columns."""
    beside: Sequence[Beside] = ()
    raised: Mapping[int, str] | None = None
    """The runs that a value beats, by number, for each row that beats any."""


class Section(SimpleNamespace):
    """Rows with their labels, and the columns of their values."""

    labels: Sequence[Mapping[str, str]]
    columns: Mapping[str, Values]
    summaries: Sequence[int]
    """The rows that sum up a run."""


def texts(sections: Sequence[Section], keys: Sequence[str], form: str, digits: int | None) -> Texts:
    """The printed table, in which the best summaries of each section are marked."""
    columns: list[Column] = []
    places = {}
    for name, last in sections[-1].columns.items():
        own = [section.columns[name] for section in sections]
        places[name] = len(keys) + len(columns)
        for part in last.parts:
            shown = [
                text
                for values in own
                for text in numbers(values.parts[part], count=values.is_count, digits=digits)
            ]
            columns.append((ENDS.get(part, name), shown, part in ENDS))
        for place, beside in enumerate(last.beside):
            shown = [text for values in own for text in values.beside[place].texts]
            columns.append((beside.header, shown, True))
    labels = [tuple(row[key] for key in keys) for section in sections for row in section.labels]
    found = Texts.of(keys, labels, columns)
    _mark(found, sections, places)
    return found


def _mark(found: Texts, sections: Sequence[Section], places: Mapping[str, int]) -> None:
    """Marks the best summaries of each section, and says above values which runs they beat."""
    start, starts = 0, []
    for section in sections:
        starts.append(start)
        rows = [start + row for row in section.summaries]
        for name, values in section.columns.items():
            if len(rows) > 1:
                first = next(iter(values.parts.values()))
                summaries = [first[row] for row in section.summaries]
                found.mark(places[name], rows, summaries, values.better)
            if NUMBER in found.keys:
                raised = (values.raised or {}).items()
                found.raised |= {(start + row, places[name]): text for row, text in raised}
        start += len(section.labels)
    found.starts = starts


def data(sections: Sequence[Section], keys: Sequence[str], digits: int | None) -> DataTable:
    """The same in machine-readable form: each number has a column."""
    columns: dict[str, Data] = {
        key: (TEXT, [row[key] for section in sections for row in section.labels]) for key in keys
    }
    for name, last in sections[-1].columns.items():
        own = [section.columns[name] for section in sections]
        for part in last.parts:
            columns[column_name(name, part)] = last.kind, [v for c in own for v in c.parts[part]]
        for place, beside in enumerate(last.beside):
            for label, (kind, _) in beside.columns.items():
                columns[label] = (
                    kind,
                    [value for c in own for value in c.beside[place].columns[label][1]],
                )
    return DataTable(columns).rounded(digits)


def column_name(measure: str, part: str) -> str:
    """What the column of a part of a measure is called."""
    return measure if part == VALUE else f"{measure} {part}"
