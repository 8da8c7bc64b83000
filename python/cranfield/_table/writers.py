"""Printed tables in every format: as text, Markdown, LaTeX and HTML, and how HTML looks."""

from __future__ import annotations

import os
import re
from functools import cache

from cranfield._base.text import escaped, printable, wrapped
from cranfield._core import __version__
from cranfield._table import tables
from cranfield._table.tables import Heading, Setting, Signed, Texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from cranfield._table.tables import Cell, Part

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

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{c: "\\" + c for c in "&%$#_{}"},
}
"""What LaTeX has for its special characters."""

_POWER = re.compile(r"(-?\d+(?:\.\d+)?)e([+-]\d+)")
"""A number with an exponent."""

_MINUS = re.compile(r"(?<![\w.{}$)-])-(?=\d)")
"""A minus sign before a number."""

_PAD = re.compile(r"(?<=\[) (?=\d)|(?<=, ) (?=\d)")
"""A space within an interval, where other rows have a minus sign."""

_RANGE = re.compile(r"^(\d+)-(\d+)$")
"""Two integers, from and to."""

_AROUND = {tables.BEST: r"\textbf{", tables.SECOND: r"\underline{", tables.SLANTED: r"\textit{"}
"""What begins a value with a mark."""


def written(parts: Sequence[Part], form: str, setting: Setting | None = None) -> str:
    """Tables, and what is said of them, in one of the printed forms."""
    return WRITERS[form](parts, setting or Setting())


def in_bytes(parts: Sequence[Part], form: str, setting: Setting) -> bytes:
    """The same in UTF-8."""
    return encoded(written(parts, form, setting))


def as_text(parts: Sequence[Part], setting: Setting) -> str:
    """Aligned text, with an empty line between parts, and two above a heading."""
    blocks: list[str] = []
    for part in parts:
        paragraph = part.introduction if isinstance(part, Texts) else tables.lines_of(part)
        width = None if isinstance(part, Signed) else setting.width
        lines = [wrapped(printable(line), width) for line in paragraph]
        if isinstance(part, Texts):
            lines += tables.aligned(part, marked=setting.signed, width=setting.width)
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
        elif isinstance(part, Signed):
            blocks.append("".join(f"`{printable(line).replace('`', '%60')}`  \n" for line in part))
        else:
            mark = "## " if isinstance(part, Heading) else "" if isinstance(part, str) else "- "
            blocks.append(
                "".join(f"{mark}{markdown_cell(line)}\n" for line in tables.lines_of(part))
            )
    return "\n".join(blocks)


def as_html(parts: Sequence[Part], _: Setting) -> str:
    """HTML without a head; every text is escaped."""
    blocks = []
    for part in parts:
        paragraph = part.introduction if isinstance(part, Texts) else tables.lines_of(part)
        tag = "h2" if isinstance(part, Heading) else "p"
        if paragraph:
            blocks.append(f"<{tag}>{'<br>'.join(map(escaped, paragraph))}</{tag}>")
        if isinstance(part, Texts):
            blocks.append(html(part))
    return "\n".join(blocks)


def as_latex(parts: Sequence[Part], setting: Setting) -> str:
    """LaTeX for the package booktabs: tables float where anything is said of them.

    Lines stand between tables, sentences in their captions.
    """
    sections: list[list[Part]] = [[]]
    for part in parts:
        if isinstance(part, Heading):
            sections.append([])
        sections[-1].append(part)
    return "\n".join(block for section in sections for block in _latex_blocks(section, setting))


def _latex_blocks(section: Sequence[Part], setting: Setting) -> Iterator[str]:
    """The tables and lines below a heading, which their captions have."""
    sentences = [part for part in section if isinstance(part, str)]
    heading = [f"{part}." for part in sentences if isinstance(part, Heading)]
    for part in section:
        if isinstance(part, Signed):
            yield "".join(f"% {printable(line)}\n" for line in part)
        elif isinstance(part, list):
            yield _latex_lines(part)
        elif isinstance(part, Texts):
            caption = [*heading, *part.caption, *sentences[len(heading) :]]
            if setting.caption is not None:
                caption = [setting.caption]
            label = f"{setting.label}-{latex_slug(part.name)}" if part.name else setting.label
            yield _latex_lines(part.introduction) + _latex_table(part, caption, label)


def _latex_lines(texts: Sequence[str]) -> str:
    """Lines of text."""
    return "".join(f"{latex_cell(text)}\\\\\n" for text in texts)


def _latex_table(table: Texts, sentences: Sequence[str], label: str) -> str:
    """A booktabs table; the best value of each column is bold, the second best underlined.

    With sentences it floats, under these as its caption.
    """
    left, header = len(table.keys), table.header
    rows = table.visible()[0]
    # What stands above values has a column of its own, so that digits stay tables.aligned.
    split = [any(row[place].above for row in rows) for place in range(len(header))]
    alignment = "".join("l" if i < left else "r@{}l" if two else "r" for i, two in enumerate(split))
    heads = (
        rf"\multicolumn{{2}}{{c}}{{{latex_cell(text.strip())}}}"
        if two
        else latex_cell(text.strip())
        for text, two in zip(header, split, strict=True)
    )
    body = [
        [
            *(latex_cell(shown.text) for shown in row[:left]),
            *map(_latex_value, row[left:], split[left:]),
        ]
        for row in rows
    ]
    lines = booktabs(alignment, heads, body, table.starts)
    if sentences:
        head = [r"\begin{table}", r"\centering", rf"\caption{{{latex_cell(' '.join(sentences))}}}"]
        lines = [*head, rf"\label{{{label}}}", *lines, r"\end{table}"]
    return "\n".join(lines) + "\n"


def booktabs(
    alignment: str,
    header: Iterable[str],
    rows: Iterable[Iterable[str]],
    starts: Sequence[int] = (),
) -> list[str]:
    """The lines of a table of cells in LaTeX, with a rule above each part but the first."""
    head = " & ".join(header)
    lines = [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", rf"{head} \\", r"\midrule"]
    for number, row in enumerate(rows):
        if number in starts[1:]:
            lines.append(r"\midrule")
        lines.append(" & ".join(row) + r" \\")
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _latex_value(shown: Cell, split: bool) -> str:
    """A cell with its marks; ``split``: in two columns, of which the first has the value."""
    value, rest = latex_number(shown.value), latex_number(shown.rest)
    if not shown.mark and not split:
        return latex_number(shown.text)
    if shown.mark:
        value = f"{_AROUND[shown.mark]}{value}}}"
    above = shown.above.replace("-", "--")
    above = rf"\textsuperscript{{{above}}}" if above else ""
    return f"{value}{' & ' if split else ''}{above}{rest}"


def latex_cell(text: str) -> str:
    r"""A text as it stands in LaTeX, on one line.

    A star or a bracket at its beginning would be an argument of the ``\\`` before it.
    """
    return ("{}" if text.startswith(("[", "*")) else "") + _latex_escaped(text)


def _latex_escaped(text: str) -> str:
    line = " ".join(text.splitlines())
    line = line if line.isprintable() else printable(line)
    return "".join([_SPECIAL.get(c, c) for c in line])


def latex_number(text: str) -> str:
    """A number as LaTeX has it: with minus signs and powers of ten.

    A star at the end, or a space where others have one, takes the same room.
    """
    star = r"$^{*}$"
    stem, after = text, ""
    if text.endswith("*"):
        stem, after = text[:-1], star
    elif text.endswith(" "):
        stem, after = text[:-1], rf"\phantom{{{star}}}"
    stem = _latex_escaped(stem).replace("-inf", r"$-\infty$").replace(" inf", r" $\infty$")
    stem = _PAD.sub(r"\\phantom{$-$}", stem)
    stem = _POWER.sub(lambda m: rf"${m[1]} \times 10^{{{int(m[2])}}}$", stem)
    return _RANGE.sub(r"\1--\2", _MINUS.sub("$-$", stem)) + after


def latex_slug(text: str) -> str:
    """A text as part of a label."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", text.replace("'", "-prime")).strip("-")


WRITERS = {"table": as_text, "markdown": as_markdown, "latex": as_latex, "html": as_html}
"""What writes each of the printed formats."""

PEOPLE = tuple(WRITERS)
"""The printed formats."""

DOCUMENTS = tuple(form for form in PEOPLE if form != "table")
"""Those that go into a document."""


def _markdown(table: Texts) -> str:
    """A table."""
    left = len(table.keys)
    rule = ["---"] * left + ["---:"] * (len(table.header) - left)
    around = {tables.BEST: "**", tables.SECOND: "*", tables.SLANTED: "*", 0: ""}
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
    # The superscripts of a column take the same room, so that its digits stay tables.aligned.
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
    around = {
        tables.BEST: ("<b>", "</b>"),
        tables.SECOND: ("<u>", "</u>"),
        tables.SLANTED: ("<i>", "</i>"),
    }
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
