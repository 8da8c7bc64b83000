"""The HTML of tables: in notebooks, files and pages, and how it looks there."""

from __future__ import annotations

import os
from functools import cache

from cranfield._base.text import escaped
from cranfield._table.tables import BEST, SECOND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cranfield._table.tables import Cell, Texts


def table_of(header: str, rows: Sequence[str], attributes: str = "", pinned: int = 0) -> str:
    """The table of cells in HTML: every table in a notebook, a file or a page is made here.

    ``header`` is the cells of the header, and each of ``rows`` what ``row_of`` returns; the
    first ``pinned`` are a body of their own.
    """
    lines = [f"<table{attributes}>", f"<thead>{row_of([header])}</thead>"]
    if pinned:
        lines += ['<tbody class="pinned">', *rows[:pinned], "</tbody>"]
    return "\n".join([*lines, "<tbody>", *rows[pinned:], "</tbody>", "</table>"])


def row_of(cells: Iterable[str], attributes: str = "") -> str:
    """A row of cells in HTML."""
    return f"<tr{attributes}>{''.join(cells)}</tr>"


def html(table: Texts) -> str:
    """A plain HTML table; every text is escaped.

    The best values are bold, the second best underlined, and above each stand the runs
    that are beaten.
    """
    before, after, hidden = table.visible()
    width, left = len(table.header), len(table.keys)
    # The superscripts of a column take the same room, so that its digits stay aligned.
    room = [max((len(row[i].above) for row in (*before, *after)), default=0) for i in range(width)]

    def line(row: Sequence[Cell]) -> str:
        tags = ["th"] * left + ["td"] * (width - left)
        cells = zip(tags, row, room, strict=True)
        return row_of(f"<{tag}>{_marked_up(cell, above)}</{tag}>" for tag, cell, above in cells)

    def note(text: str) -> str:
        return row_of([f'<td colspan="{width}">{text}</td>'])

    kinds = [' class="label"'] * left + [""] * (width - left)
    heads = zip(kinds, table.header, strict=True)
    header = "".join(f"<th{kind}>{escaped(text)}</th>" for kind, text in heads)
    middle = [note(f"... {hidden} more ...")] if hidden else []
    end = [note(f"... and {table.more} more")] if table.more else []
    return table_of(header, [*map(line, before), *middle, *map(line, after), *end])


def _marked_up(cell: Cell, room: int) -> str:
    """A cell as HTML with its marks; ``room`` is how many characters can stand above a value."""
    around = {BEST: ("<b>", "</b>"), SECOND: ("<u>", "</u>")}
    start, end = around.get(cell.mark, ("", ""))
    above = f'<sup style="width: {room}ch">{escaped(cell.above)}</sup>' if room else ""
    return f"{start}{escaped(cell.value)}{end}{above}{escaped(cell.rest)}"


@cache
def static(name: str) -> str:
    """A style sheet or script of the folder ``static``, for pages and notebooks."""
    with open(os.path.join(os.path.dirname(__file__), "static", name), encoding="utf-8") as file:
        return file.read()


def notebook(body: str) -> str:
    """HTML as a notebook shows it beside its own.

    Tables look as on a page. Their properties come from the color around them, since a
    notebook may be dark where the system is light.
    """
    # Wide tables scroll by themselves, not the notebook with them.
    style = f"<style>\n{static('notebook.css')}{static('scores.css')}</style>"
    return f'<div class="cranfield" style="overflow-x: auto">\n{style}\n{body}\n</div>'
