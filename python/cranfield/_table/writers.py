"""Tables for people in every format: as text, Markdown, LaTeX and HTML, and how HTML looks."""

from __future__ import annotations

import os
from functools import cache

from cranfield._base.text import escaped, printable, wrapped
from cranfield._core import __version__
from cranfield._table.tables import (
    BEST,
    SECOND,
    Heading,
    Setting,
    Texts,
    aligned,
    html,
    lines_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from cranfield._table.tables import Part

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


def written(parts: Sequence[Part], form: str, setting: Setting | None = None) -> str:
    """Tables, and what is said of them, in one of the forms for people."""
    return WRITERS[form](parts, setting or Setting())


def as_text(parts: Sequence[Part], setting: Setting) -> str:
    """Aligned text, with an empty line between parts, and two above a heading."""
    blocks: list[str] = []
    for part in parts:
        paragraph = part.introduction if isinstance(part, Texts) else lines_of(part)
        lines = [wrapped(printable(line), setting.width) for line in paragraph]
        if isinstance(part, Texts):
            lines += aligned(part, marked=setting.signed, width=setting.width)
        above = "\n" if isinstance(part, Heading) and blocks else ""
        blocks.append(above + "\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def as_markdown(parts: Sequence[Part], _: Setting) -> str:
    """Markdown; the best value of each column is bold, the second best in italics."""
    blocks = []
    for part in parts:
        if isinstance(part, Texts):
            blocks += [f"{markdown_cell(line)}\n" for line in part.introduction]
            blocks.append(_markdown(part))
        else:
            mark = "## " if isinstance(part, Heading) else "" if isinstance(part, str) else "- "
            blocks.append("".join(f"{mark}{markdown_cell(line)}\n" for line in lines_of(part)))
    return "\n".join(blocks)


def as_latex(parts: Sequence[Part], setting: Setting) -> str:
    """LaTeX for the package booktabs; tables of which anything is said float."""
    from cranfield._table import latex

    return latex.written(parts, setting)


def as_html(parts: Sequence[Part], _: Setting) -> str:
    """HTML without a head; every text is escaped."""
    blocks = []
    for part in parts:
        paragraph = part.introduction if isinstance(part, Texts) else lines_of(part)
        tag = "h2" if isinstance(part, Heading) else "p"
        if paragraph:
            blocks.append(f"<{tag}>{'<br>'.join(map(escaped, paragraph))}</{tag}>")
        if isinstance(part, Texts):
            blocks.append(html(part))
    return "\n".join(blocks)


WRITERS = {"table": as_text, "markdown": as_markdown, "latex": as_latex, "html": as_html}
"""What writes each of the formats for people."""

PEOPLE = tuple(WRITERS)
"""The formats for people."""


def _markdown(table: Texts) -> str:
    """A table."""
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
