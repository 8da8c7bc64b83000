"""Tables for LaTeX, such as a paper takes them: booktabs, a caption and a label."""

from __future__ import annotations

import re

from cranfield._base.text import printable
from cranfield._table.tables import BEST, SECOND, Heading, Texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from cranfield._table.tables import Cell, Part, Setting

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{c: "\\" + c for c in "&%$#_{}"},
}

_POWER = re.compile(r"(-?\d+(?:\.\d+)?)e([+-]\d+)")
"""A number with an exponent."""

_MINUS = re.compile(r"(?<![\w.{}$)-])-(?=\d)")
"""A minus sign before a number."""

_PAD = re.compile(r"(?<=\[) (?=\d)|(?<=, ) (?=\d)")
"""A space within an interval, where other rows have a minus sign."""

_RANGE = re.compile(r"^(\d+)-(\d+)$")
"""Two whole numbers, from and to."""

_AROUND = {BEST: r"\textbf{", SECOND: r"\underline{"}
"""What begins the best value, and the second best."""


def written(parts: Sequence[Part], setting: Setting) -> str:
    """Tables as a paper takes them, and the lines between them; sentences are in captions."""
    sections: list[list[Part]] = [[]]
    for part in parts:
        if isinstance(part, Heading):
            sections.append([])
        sections[-1].append(part)
    return "\n".join(block for section in sections for block in _blocks(section, setting))


def _blocks(section: Sequence[Part], setting: Setting) -> Iterator[str]:
    """The tables and lines below a heading, which their captions have."""
    sentences = [part for part in section if isinstance(part, str)]
    heading = [f"{part}." for part in sentences if isinstance(part, Heading)]
    for part in section:
        if isinstance(part, list):
            yield _lines(part)
        elif isinstance(part, Texts):
            caption = [*heading, *part.caption, *sentences[len(heading) :]]
            if setting.caption is not None:
                caption = [setting.caption]
            label = f"{setting.label}-{slug(part.name)}" if part.name else setting.label
            yield _lines(part.introduction) + table(part, caption, label)


def _lines(texts: Sequence[str]) -> str:
    """Lines of text."""
    return "".join(f"{cell(text)}\\\\\n" for text in texts)


def table(table: Texts, sentences: Sequence[str] = (), label: str = "") -> str:
    """A booktabs table; the best value of each column is bold, the second best underlined.

    With sentences it floats, under these as its caption.
    """
    left, header = len(table.keys), table.header
    rows = table.visible()[0]
    # What stands above values has a column of its own, so that digits stay aligned.
    split = [any(row[place].above for row in rows) for place in range(len(header))]
    alignment = "".join("l" if i < left else "r@{}l" if two else "r" for i, two in enumerate(split))
    heads = (
        rf"\multicolumn{{2}}{{c}}{{{cell(text.strip())}}}" if two else cell(text.strip())
        for text, two in zip(header, split, strict=True)
    )
    body = [
        [*(cell(shown.text) for shown in row[:left]), *map(_value, row[left:], split[left:])]
        for row in rows
    ]
    lines = booktabs(alignment, heads, body, table.starts)
    if sentences:
        head = [r"\begin{table}", r"\centering", rf"\caption{{{cell(' '.join(sentences))}}}"]
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


def _value(shown: Cell, split: bool) -> str:
    """A cell with its marks; ``split``: in two columns, of which the first has the value."""
    value, rest = number(shown.value), number(shown.rest)
    if not shown.mark and not split:
        return number(shown.text)
    if shown.mark:
        value = f"{_AROUND[shown.mark]}{value}}}"
    above = shown.above.replace("-", "--")
    above = rf"\textsuperscript{{{above}}}" if above else ""
    return f"{value}{' & ' if split else ''}{above}{rest}"


def cell(text: str) -> str:
    r"""A text as it stands in LaTeX, on one line.

    A star or a bracket at its beginning would be an argument of the ``\\`` before it.
    """
    return ("{}" if text.startswith(("[", "*")) else "") + _escaped(text)


def _escaped(text: str) -> str:
    line = " ".join(text.splitlines())
    line = line if line.isprintable() else printable(line)
    return "".join([_SPECIAL.get(c, c) for c in line])


def number(text: str) -> str:
    """A number as LaTeX has it: with minus signs and powers of ten.

    A star at the end, or a space where others have one, takes the same room.
    """
    star = r"$^{*}$"
    stem, after = text, ""
    if text.endswith("*"):
        stem, after = text[:-1], star
    elif text.endswith(" "):
        stem, after = text[:-1], rf"\phantom{{{star}}}"
    stem = _escaped(stem).replace("-inf", r"$-\infty$").replace(" inf", r" $\infty$")
    stem = _PAD.sub(r"\\phantom{$-$}", stem)
    stem = _POWER.sub(lambda m: rf"${m[1]} \times 10^{{{int(m[2])}}}$", stem)
    return _RANGE.sub(r"\1--\2", _MINUS.sub("$-$", stem)) + after


def slug(text: str) -> str:
    """A text as part of a label."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", text.replace("'", "-prime")).strip("-")
