"""Tables of pages: columns of cells, which are escaped here, and how their numbers look."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import quote

from markupsafe import Markup, escape

from cranfield._base.text import UNDEFINED, number, printable
from cranfield._table.tables import BEST, SECOND, SLANTED, Texts
from cranfield._table.writers import row_of, table_of


class Column(NamedTuple):
    """A column of a table: the cell of its header, and those below it."""

    header: Markup
    cells: list[Markup]


def column(title: str, cells: Iterable[Markup], kind: str = "", first: str = "") -> Column:
    """A column of any cells.

    ``kind`` is the class of its header, ``first`` in which direction a click sorts it, "up" or
    "down".
    """
    how = Markup(' data-first="{}"').format(first) if first else ""
    return Column(Markup('<th scope="col"{}{}>{}</th>').format(_class(kind), how, title), [*cells])


def numbers(
    title: str,
    values: Sequence[float | None],
    first: str = "down",
    *,
    text: Callable[[Any], str] = number,
    kind: str = "value",
    marks: Sequence[str] = (),
) -> Column:
    """A column of numbers, each with its drawing if there are ``marks``."""
    shown = (minus(text(value)) for value in values)
    beside = marks or [""] * len(values)
    cells = (
        cell(escape(own) + mark, kind, exact(value))
        for own, mark, value in zip(shown, beside, values, strict=True)
    )
    return column(title, cells, "value", first)


def names(title: str, texts: Iterable[str], at: str = "", first: str = "up") -> Column:
    """A column of names that say what rows are about, linked to what is ``at`` them if anything."""
    return column(
        title, [heading(linked(text, at) if at else named(text)) for text in texts], "", first
    )


def queries(texts: Iterable[str | None]) -> Column:
    """A column of what topics ask."""
    query = Markup("<bdi>{}</bdi>").format
    return column(
        "Query", (cell(query(printable(text or "")), "query") for text in texts), "", "up"
    )


def drawn(title: str, marks: Iterable[str]) -> Column:
    """A column of drawings."""
    return column(title, [cell(mark, "wide") for mark in marks], "wide")


def ends(low: str, high: str, middle: str | None = None) -> Markup:
    """The title of drawings: what is at both ends of their scale, and in its middle."""
    span = Markup("<span>{}</span>").format
    inner = Markup().join(span(text) for text in (low, middle, high) if text is not None)
    return Markup('<span class="ends">{}</span>').format(inner)


def cell(content: str, kind: str = "", value: str | None = None) -> Markup:
    """A cell; ``value`` is what it is sorted by."""
    sorted_by = "" if value is None else Markup(' data-v="{}"').format(value)
    return Markup("<td{}{}>{}</td>").format(_class(kind), sorted_by, content)


def heading(content: str, kind: str = "") -> Markup:
    """A cell that says what its row is about."""
    return Markup('<th{} scope="row">{}</th>').format(_class(kind), content)


def _class(kind: str) -> Markup:
    return Markup(' class="{}"').format(kind) if kind else Markup()


def named(text: str) -> Markup:
    """A name from data.

    It is cut by the style sheet, whole in its title, and apart from the direction of the text
    around it.
    """
    shown = printable(text)
    return Markup('<bdi class="name" title="{}">{}</bdi>').format(shown, shown)


def linked(text: str, at: str) -> Markup:
    """A name that leads to what the page has at it: "run" or "topic"."""
    shown = printable(text)
    link = Markup('<a class="name" href="#{}={}" title="{}"><bdi>{}</bdi></a>')
    return link.format(at, quote(shown), shown, shown)


def table(
    columns: Sequence[Column],
    attributes: str = "",
    *,
    rows: Sequence[str] = (),
    pinned: int = 0,
) -> Markup:
    """A table of a page.

    ``attributes`` are those of the table and ``rows`` those of each row, as HTML. The first
    ``pinned`` rows stay above when the others are sorted.
    """
    header = "".join(column.header for column in columns)
    cells = zip(*(column.cells for column in columns), strict=True)
    own = rows or [""] * len(columns[0].cells)
    return Markup(table_of(header, list(map(row_of, cells, own)), attributes, pinned))


def sortable(columns: Sequence[Column], name: str, **how: Any) -> Markup:
    """A table whose columns a click sorts; ``name`` is what its download is called."""
    return table(columns, f' class="sortable" data-name="{escape(name)}"', **how)


_MARKS = {0: "", BEST: "best", SECOND: "slanted", SLANTED: "slanted"}
"""The classes of marked cells."""


def columns_of(
    texts: Texts, drawn: Mapping[int, Sequence[str]] = MappingProxyType({})
) -> list[Column]:
    """A printed table as columns; what is ``drawn`` is by the place of the column."""
    shown = list(zip(*texts.visible()[0], strict=True)) or [()] * len(texts.header)
    found = []
    for place, (title, cells) in enumerate(zip(texts.header, shown, strict=True)):
        kinds = [_MARKS[own.mark] for own in cells]
        if place not in texts.values:
            make = cell if place else heading
            content = (make(named(own.text), kind) for own, kind in zip(cells, kinds, strict=True))
            found.append(column(printable(title), content, "", "up"))
            continue
        marks = drawn.get(place) or [""] * len(cells)
        each = zip(cells, kinds, texts.values[place], marks, strict=False)
        content = (
            cell(escape(minus(printable(own.text))) + mark, f"value {kind}".strip(), exact(value))
            for own, kind, value, mark in each
        )
        found.append(column(printable(title), content, "value", "down"))
    return found


def number_text(value: float, *, count: bool = False) -> str:
    """A value as printed."""
    return minus(number(value, count=count))


def signed(value: float) -> str:
    """A difference: with its sign, unless it looks like 0."""
    return minus(number(value, sign="+"))


def minus(text: str) -> str:
    """A number with a minus sign in place of a hyphen."""
    return text if text == UNDEFINED else text.replace("-", "−")  # noqa: RUF001


def percent(value: float | None) -> str:
    """A share."""
    return UNDEFINED if value is None or math.isnan(value) else f"{100 * value:.0f}%"


def tau(value: float) -> str:
    """A coefficient to two decimals."""
    return UNDEFINED if math.isnan(value) else minus(f"{value:.2f}")


def exact(value: float | None) -> str:
    """Every digit, for sorting and machine-readable output; nothing for what is undefined."""
    if isinstance(value, int):
        return str(value)
    return "" if value is None or math.isnan(value) else repr(float(value))
