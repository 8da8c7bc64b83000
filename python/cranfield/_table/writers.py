"""Tables for people in every format: as text, Markdown, LaTeX and HTML, and how HTML looks."""

from __future__ import annotations

import os
from functools import cache

from cranfield._base.text import escaped, printable, wrapped
from cranfield._core import __version__
from cranfield._table.tables import BEST, SECOND, Texts, aligned, html

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

SCHEMA_VERSION = 1
"""Changes when readers of the JSON have to change."""

SUFFIXES = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".md": "markdown",
    ".tex": "latex",
    ".txt": "table",
    ".parquet": "parquet",
    ".prototext": "prototext",
    ".html": "html",
    ".htm": "html",
}
"""The formats that the name of an output file asks for."""

DELIMITERS = {"csv": ",", "tsv": "\t"}
"""The formats of lines of fields, with what is between these."""

PEOPLE = ("table", "markdown", "latex", "html")
"""The formats for people."""


def rendered(
    table: Texts,
    form: str,
    sentences: Sequence[str] = (),
    label: str = "",
    width: int | None = None,
) -> str:
    """A table in one of the formats for people, with sentences that explain it.

    LaTeX has a label, text the width of a terminal.
    """
    if form == "table":
        explained = (f"\n{wrapped(printable(text), width)}\n" for text in sentences)
        return "\n".join(aligned(table, width=width)) + "\n" + "".join(explained)
    if form == "latex":
        from cranfield._table import latex

        return latex.table(table, sentences, label)
    if form == "html":
        below = "".join(f"\n<p>{escaped(sentence)}</p>" for sentence in sentences)
        return html(table, marked=True) + below
    if form != "markdown":
        raise ValueError(form)
    return _markdown(table) + "".join(f"\n{markdown_cell(text)}\n" for text in sentences)


def _markdown(table: Texts) -> str:
    """A table; the best value of each column is bold, the second best in italics."""
    left = len(table.keys)
    rule = ["---"] * left + ["---:"] * (len(table.header) - left)
    around = {BEST: "**", SECOND: "*", 0: ""}
    rows = [list(map(markdown_cell, table.header)), rule]
    for row in table.visible()[0]:
        cells = []
        for cell in row:
            mark = around[cell.mark]
            above = f"<sup>{cell.above}</sup>" if cell.above else ""
            value, rest = markdown_cell(cell.value), markdown_cell(cell.rest)
            cells.append(f"{mark}{value}{mark}{above}{rest}")
        rows.append(cells)
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def markdown_cell(text: str) -> str:
    """A text as it stands in Markdown, on one line."""
    text = printable(" ".join(text.splitlines()))
    for special in ("\\", "|", "*", "_", "`", "<", "["):
        text = text.replace(special, "\\" + special)
    return text


def in_json(content: Mapping[str, Any]) -> str:
    """A JSON object that says what wrote it, on one line."""
    import json

    head = {"schema_version": SCHEMA_VERSION, "cranfield": __version__}
    return json.dumps({**head, **content}, ensure_ascii=False) + "\n"


def encoded(text: str) -> bytes:
    """UTF-8 whatever the locale; names of files keep their odd bytes."""
    return text.encode("utf-8", "surrogateescape")


@cache
def static(name: str) -> str:
    """A style sheet or script of the folder ``static``, for pages and notebooks."""
    with open(os.path.join(os.path.dirname(__file__), "static", name), encoding="utf-8") as file:
        return file.read()


def notebook(body: str) -> str:
    """HTML as a notebook shows it beside its own.

    Tables look as on a page. Their properties come from the colour around them, since a
    notebook may be dark where the system is light.
    """
    # Wide tables scroll by themselves, not the notebook with them.
    style = f"<style>\n{static('notebook.css')}{static('scores.css')}</style>"
    return f'<div class="cranfield" style="overflow-x: auto">\n{style}\n{body}\n</div>'
