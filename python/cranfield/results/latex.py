"""Tables for LaTeX, such as a paper takes them: booktabs, a caption and a label."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from cranfield.results.tables import Table

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{c: "\\" + c for c in "&%$#_{}"},
}

_POWER = re.compile(r"(-?\d+(?:\.\d+)?)e([+-]\d+)")
"""A number with an exponent."""

_MINUS = re.compile(r"(?<![\w.{}$)-])-(?=\d)")
"""A minus sign before a number."""

_RANGE = re.compile(r"^(\d+)-(\d+)$")
"""Two whole numbers, from and to."""

_AROUND = {1: r"\textbf{", 2: r"\underline{"}
"""What begins the best value, and the second best."""


def table(table: Table, sentences: Sequence[str] = (), label: str = "") -> str:
    """A booktabs table; the best value of each column is bold, the second best underlined.

    With sentences it floats, under these as its caption.
    """
    left = len(table.keys)
    alignment = "l" * left + "r" * (len(table.header) - left)
    header = " & ".join(cell(text.strip()) for text in table.header)
    lines = [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", rf"{header} \\", r"\midrule"]
    marks = table.marks()
    for row, texts in enumerate(table.texts()):
        if row in table.starts[1:]:
            lines.append(r"\midrule")
        cells = [*map(cell, texts[:left]), *map(number, texts[left:])]
        for measure in range(len(table.measures)):
            place = table.place(measure)
            value, space, rest = cells[place].partition(" ")
            if (row, measure) in marks:
                value = f"{_AROUND[marks[row, measure]]}{value}}}"
            if row in table.superscripts and table.superscripts[row][measure]:
                above = table.superscripts[row][measure].replace("-", "--")
                value += rf"\textsuperscript{{{above}}}"
            cells[place] = f"{value}{space}{rest}"
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    if sentences:
        head = [r"\begin{table}", r"\centering", rf"\caption{{{cell(' '.join(sentences))}}}"]
        lines = [*head, rf"\label{{{label}}}", *lines, r"\end{table}"]
    return "\n".join(lines) + "\n"


def cell(text: str) -> str:
    """A text as it stands in LaTeX, on one line."""
    return "".join(_SPECIAL.get(c, c) for c in " ".join(text.splitlines()))


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
    stem = cell(stem).replace("-inf", r"$-\infty$").replace(" inf", r" $\infty$")
    stem = _POWER.sub(lambda m: rf"${m[1]} \times 10^{{{int(m[2])}}}$", stem)
    return _RANGE.sub(r"\1--\2", _MINUS.sub("$-$", stem)) + after


def slug(text: str) -> str:
    """A text as part of a label."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", text.replace("'", "-prime")).strip("-")
