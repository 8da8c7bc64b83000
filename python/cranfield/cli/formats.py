"""Scores as text: formats for people and formats for programs.

Those for people have four decimals; those for programs every digit, and
nothing (csv, tsv), null (json, jsonl) or NaN (parquet) for what is undefined.
"""

from __future__ import annotations

from operator import add

from cranfield._core import Notes, __version__, number_texts
from cranfield.better import best
from cranfield.errors import failure, optional
from cranfield.tables import VALUE, Table, aligned, blank, counts, side_by_side, summaries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeAlias

    from cranfield.tables import Parts

    Rows: TypeAlias = Sequence[Sequence[float]]
    """For each part a number for each measure."""

SCHEMA_VERSION = 1
"""Changes when a reader of JSON has to."""

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
}
"""The formats that the name of an output file asks for."""

ALL = "all"
"""The topic of a row that sums up a run."""


def table(parts: Parts, order: Sequence[int], *, per_topic: bool) -> Table:
    """The rows of a table: runs in an order, each with its topics if asked."""
    result = blank(("run", "topic") if per_topic else ("run",), parts)
    rows = summaries(parts)
    runs, topics = parts[VALUE].runs, parts[VALUE].topics
    for run in order:
        summary = side_by_side(rows[run])
        if not per_topic:
            result.add((runs[run],), summary)
            continue
        for topic, label in enumerate(topics):
            result.add((runs[run], label), side_by_side(_row(parts, run, topic)), summary=False)
        result.add((runs[run], ALL), summary)
    return result


def _row(parts: Parts, run: int, topic: int) -> Rows:
    """The values of a run and a topic."""
    return [scores.core.row(run, topic) for scores in parts.values()]


def tabular(table: Table, form: str) -> bytes:
    """A table in one of the formats of ``TABULAR``."""
    return TABULAR[form](table)


def document(parts: Parts, order: Sequence[int], form: str, *, per_topic: bool) -> bytes:
    """The scores as JSON, one object (json) or one a row (jsonl), or for TIRA (prototext)."""
    if form == "prototext":
        return _prototext(parts, order)
    if form == "jsonl":
        return _jsonl(parts, order, per_topic=per_topic)
    return _json(parts, order, per_topic=per_topic)


def _text(table: Table) -> bytes:
    return encoded("\n".join(aligned(table)) + "\n")


def _markdown(table: Table) -> bytes:
    left = len(table.keys)
    rule = ["---"] * left + ["---:"] * (len(table.header) - left)
    rows = [table.header, rule, *table.texts()]
    lines = ("| " + " | ".join(map(markdown_cell, row)) + " |" for row in rows)
    return encoded("\n".join(lines) + "\n")


def markdown_cell(text: str) -> str:
    """A text as it stands in Markdown, on one line."""
    for special in ("\\", "|", "*", "_", "`", "<", "["):
        text = text.replace(special, "\\" + special)
    return " ".join(text.splitlines())


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{c: "\\" + c for c in "&%$#_{}"},
}


def _latex(table: Table) -> bytes:
    """A booktabs table; the best value of each column is bold."""
    marked = _best(table)
    left = len(table.keys)
    alignment = "l" * left + "r" * (len(table.header) - left)
    header = " & ".join(map(latex_cell, table.header))
    lines = [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", rf"{header} \\"]
    lines.append(r"\midrule")
    summaries = set(table.summaries)
    for place, row in enumerate(table.texts()):
        cells = [latex_cell(text) for text in row]
        if place in summaries:
            for measure, text in marked.items():
                value, space, interval = row[left + measure].partition(" ")
                if value == text:
                    cells[left + measure] = rf"\textbf{{{value}}}{space}{interval}"
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    return encoded("\n".join(lines) + "\n")


def latex_cell(text: str) -> str:
    """A text as it stands in LaTeX, on one line."""
    return "".join(_LATEX.get(c, c) for c in " ".join(text.splitlines()))


def _best(table: Table) -> dict[int, str]:
    """The best value of each measure that has a direction, among several runs."""
    found = {}
    if len(table.summaries) > 1:
        for place, measure in enumerate(table.measures):
            column = place * table.parts
            value = best((table.rows[row][1][column] for row in table.summaries), measure)
            if value is not None:
                found[place] = table.number(column, value)
    return found


def _separated(delimiter: str) -> Callable[[Table], bytes]:
    def write(table: Table) -> bytes:
        import csv
        from io import StringIO

        text = StringIO()
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerow((*table.keys, *table.columns))
        for labels, values in table.rows:
            writer.writerow((*labels, *number_texts(values, table.counts, "")))
        return encoded(text.getvalue())

    return write


def _parquet(table: Table) -> bytes:
    pa = optional("pyarrow", "parquet", extra="arrow")
    parquet = optional("pyarrow.parquet", "parquet", extra="arrow")
    content: dict[str, Any] = {
        key: pa.array([labels[i] for labels, _ in table.rows], pa.string())
        for i, key in enumerate(table.keys)
    }
    for i, name in enumerate(table.columns):
        content[name] = pa.array([values[i] for _, values in table.rows], pa.float64())
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.table(content), sink)
    data: bytes = sink.getvalue().to_pybytes()
    return data


TABULAR: dict[str, Callable[[Table], bytes]] = {
    "table": _text,
    "csv": _separated(","),
    "tsv": _separated("\t"),
    "markdown": _markdown,
    "latex": _latex,
    "parquet": _parquet,
}
"""The formats that are tables."""

FORMATS = ("table", "json", "jsonl", "csv", "tsv", "markdown", "latex", "parquet", "prototext")
"""Every format."""


def _json(parts: Parts, order: Sequence[int], *, per_topic: bool) -> bytes:
    scores, rows, values = parts[VALUE], summaries(parts), _values(parts)
    names, topics, notes = scores.runs, scores.topics, scores.core.notes
    keys = _keys(topics)
    runs = []
    for run in order:
        entry = {
            "run": _quoted(names[run]),
            "tag": _quoted(notes[run].tag),
            "summary": values(rows[run]),
        }
        if per_topic:
            by_topic = (values(_row(parts, run, topic)) for topic in range(len(topics)))
            entry["topics"] = _object(keys, by_topic)
        entry["notes"] = _quoted(passed_over(notes[run]))
        runs.append(_object(_keys(entry), entry.values()))
    content = {
        "schema_version": str(SCHEMA_VERSION),
        "cranfield": _quoted(__version__),
        "measures": _quoted(scores.measures),
        "topics": _quoted(topics),
        "runs": "[" + ", ".join(runs) + "]",
    }
    return encoded(_object(_keys(content), content.values()) + "\n")


def _jsonl(parts: Parts, order: Sequence[int], *, per_topic: bool) -> bytes:
    scores, of_runs, values = parts[VALUE], summaries(parts), _values(parts)
    names, topics = scores.runs, scores.topics
    keys, schema_version = _keys(("schema_version", "run", "topic", "values")), str(SCHEMA_VERSION)

    def line(run: int, topic: str | None, rows: Rows) -> str:
        content = (schema_version, _quoted(names[run]), _quoted(topic), values(rows))
        return _object(keys, content) + "\n"

    lines = []
    for run in order:
        if per_topic:
            lines += [
                line(run, label, _row(parts, run, topic)) for topic, label in enumerate(topics)
            ]
        lines.append(line(run, None, of_runs[run]))
    return encoded("".join(lines))


def _prototext(parts: Parts, order: Sequence[int]) -> bytes:
    """TIRA's ``evaluation.prototext``: a measure block for each measure of the one run.

    Raises ``Error`` (kind "option") for several runs: a block does not name its run.
    """
    if len(order) != 1:
        raise failure("option", f"expected one run for prototext, found {len(order)}")
    scores = parts[VALUE]
    texts = [number_texts(row, counts(scores), "NaN") for row in summaries(parts)[order[0]]]
    blocks = []
    for name, *numbers in zip(scores.measures, *texts, strict=True):
        for part, number in zip(parts, numbers, strict=True):
            key = name if part == VALUE else f"{name} {part}"
            blocks.append(f"measure {{\n  key: {_quoted(key)}\n  value: {_quoted(number)}\n}}\n")
    return encoded("".join(blocks))


def _quoted(content: object) -> str:
    """Something as JSON.

    What needs no escapes is written here: importing json takes 1.6 ms, which a short
    command would do for nothing else.
    """
    if content is None:
        return "null"
    if isinstance(content, (list, tuple)):
        return f"[{', '.join(map(_quoted, content))}]"
    if (
        isinstance(content, str)
        and content.isascii()
        and content.isprintable()
        and not ('"' in content or "\\" in content)
    ):
        return f'"{content}"'
    import json

    return json.dumps(content, ensure_ascii=False)


def _keys(names: Iterable[str]) -> list[str]:
    """Names as they stand in a JSON object before their values."""
    return [f"{_quoted(name)}: " for name in names]


def _object(keys: Iterable[str], values: Iterable[str]) -> str:
    """A JSON object of what is JSON already: a number of each topic and measure is
    written in the core, which takes a tenth of the time.
    """
    return "{" + ", ".join(map(add, keys, values)) + "}"


def _values(parts: Parts) -> Callable[[Rows], str]:
    """The function from the rows of the parts to what JSON says of them.

    A measure has a number, or one for each part if there are several.
    """
    counted_in, names = counts(parts[VALUE]), _keys(parts[VALUE].measures)
    kinds = _keys(parts)

    def values(rows: Rows) -> str:
        texts = [number_texts(row, counted_in, "null") for row in rows]
        if len(texts) == 1:
            return _object(names, texts[0])
        return _object(names, (_object(kinds, several) for several in zip(*texts, strict=True)))

    return values


def passed_over(note: Notes) -> dict[str, Any]:
    """The notes on a run as JSON has them."""
    return {
        "lines": note.lines,
        "topics_missing": note.topics_missing,
        "topics_without_judgments": note.topics_without_judgments,
        "topics_without_relevant": note.topics_without_relevant,
        "ties": note.ties,
        "duplicates": note.duplicates,
        "repaired": note.repaired,
    }


def encoded(text: str) -> bytes:
    """UTF-8 whatever the locale; names of files keep their odd bytes."""
    return text.encode("utf-8", "surrogateescape")


_STYLE = """\
:root { color-scheme: light dark; }
body { font: 15px/1.4 system-ui, sans-serif; margin: 2em; }
table { border-collapse: collapse; margin: 1em 0; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: normal; }
thead th { border-bottom: 1px solid; font-weight: bold; }
thead th + th, td { text-align: right; }
th, td { padding: .15em .7em; }
"""


def page(title: str, body: str) -> str:
    """A whole page of HTML; the title is escaped here."""
    from html import escape

    shown = escape(title)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{shown}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{shown}</h1>\n{body}\n</body>\n</html>\n"
    )
