"""Printed tables in every format: as text, Markdown, LaTeX and HTML."""

from __future__ import annotations

import re

from cranfield._base.text import escaped, printable, wrapped
from cranfield._core import __version__
from cranfield._table.html import html
from cranfield._table.tables import (
    BEST,
    SECOND,
    Heading,
    Setting,
    Signed,
    Texts,
    aligned,
    lines_of,
)

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

_AROUND = {BEST: r"\textbf{", SECOND: r"\underline{"}
"""What begins the best value, and the second best."""


def written(parts: Sequence[Part], form: str, setting: Setting | None = None) -> str:
    """Tables, and what is said of them, in one of the printed forms."""
    return WRITERS[form](parts, setting or Setting())


def as_text(parts: Sequence[Part], setting: Setting) -> str:
    """Aligned text, with an empty line between parts, and two above a heading."""
    blocks: list[str] = []
    for part in parts:
        paragraph = part.introduction if isinstance(part, Texts) else lines_of(part)
        width = None if isinstance(part, Signed) else setting.width
        lines = [wrapped(printable(line), width) for line in paragraph]
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
        elif isinstance(part, Signed):
            blocks.append("".join(f"`{printable(line).replace('`', '%60')}`  \n" for line in part))
        else:
            mark = "## " if isinstance(part, Heading) else "" if isinstance(part, str) else "- "
            blocks.append("".join(f"{mark}{markdown_cell(line)}\n" for line in lines_of(part)))
    return "\n".join(blocks)


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
    # What stands above values has a column of its own, so that digits stay aligned.
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
