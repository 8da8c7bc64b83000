"""A table in every format: as text, CSV, TSV, Markdown, LaTeX, HTML and Parquet.

Formats for people have four decimals and machine-readable ones every digit, if no number of
decimals is asked for.
"""

from __future__ import annotations

import math

from cranfield._base import fitting
from cranfield._base.errors import optional
from cranfield._base.text import csv_line, escaped, printable, rounded
from cranfield._core import number_texts
from cranfield._table.tables import BEST, SECOND, Table, aligned, html

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
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


def tabular(
    table: Table,
    form: str,
    sentences: Sequence[str] = (),
    label: str = "",
    width: int | None = None,
) -> bytes:
    """A table in one of the formats of ``TABULAR``, or as text or in LaTeX.

    Formats for people have sentences that explain it; LaTeX has a label, text the width
    of a terminal.
    """
    if form == "table":
        explained = (f"\n{fitting.sentence(printable(text), width)}\n" for text in sentences)
        return encoded("\n".join(aligned(table, width=width)) + "\n" + "".join(explained))
    if form == "latex":
        from cranfield._table import latex

        return encoded(latex.table(table, sentences, label))
    data = TABULAR[form](table)
    if form == "html":
        return data + encoded("".join(f"\n<p>{escaped(sentence)}</p>" for sentence in sentences))
    if form != "markdown" or not sentences:
        return data
    return data + encoded("".join(f"\n{markdown_cell(sentence)}\n" for sentence in sentences))


def _markdown(table: Table) -> bytes:
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
    return encoded("".join(f"| {' | '.join(row)} |\n" for row in rows))


def markdown_cell(text: str) -> str:
    """A text as it stands in Markdown, on one line."""
    text = printable(" ".join(text.splitlines()))
    for special in ("\\", "|", "*", "_", "`", "<", "["):
        text = text.replace(special, "\\" + special)
    return text


def _separated(delimiter: str) -> Callable[[Table], bytes]:
    def write(table: Table) -> bytes:
        lines = [csv_line((*table.keys, *table.names()), delimiter)]
        for row, (labels, values) in enumerate(table.rows):
            texts: list[Any] = number_texts(rounded(values, table.digits), table.counts, "")
            if table.extras:
                texts = list(map(_field, table.machine_readable(row, texts, "")))
            lines.append(csv_line((*labels, *texts), delimiter))
        return encoded("".join(lines))

    return write


def _field(value: str | float) -> str:
    """A machine-readable cell: every digit, nothing for what is undefined."""
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return str(value)


def _parquet(table: Table) -> bytes:
    pa = optional("pyarrow", "parquet", extra="arrow")
    parquet = optional("pyarrow.parquet", "parquet", extra="arrow")
    content: dict[str, Any] = {
        key: pa.array([labels[i] for labels, _ in table.rows], pa.string())
        for i, key in enumerate(table.keys)
    }
    rows = [
        table.machine_readable(row, rounded(values, table.digits), math.nan)
        for row, (_, values) in enumerate(table.rows)
    ]
    for i, name in enumerate(table.names()):
        column = [row[i] for row in rows]
        if any(isinstance(value, str) and value for value in column):
            texts = [value if isinstance(value, str) else None for value in column]
            content[name] = pa.array(texts, pa.string())
        else:
            numbers = [math.nan if isinstance(value, str) else value for value in column]
            content[name] = pa.array(numbers, pa.float64())
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.table(content, metadata=table.metadata or None), sink)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _html(table: Table) -> bytes:
    return encoded(html(table, marked=True))


TABULAR: dict[str, Callable[[Table], bytes]] = {
    "csv": _separated(","),
    "tsv": _separated("\t"),
    "markdown": _markdown,
    "parquet": _parquet,
    "html": _html,
}
"""The formats that are tables, apart from text and LaTeX (``results/latex.py``)."""


def encoded(text: str) -> bytes:
    """UTF-8 whatever the locale; names of files keep their odd bytes."""
    return text.encode("utf-8", "surrogateescape")
