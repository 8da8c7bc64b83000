"""Scores as text: formats for people and formats for programs.

Those for people have four decimals; those for programs every digit, and
nothing (csv, tsv), null (json, jsonl) or NaN (parquet) for what is undefined.
"""

from __future__ import annotations

import math

from cranfield._core import Notes, __version__
from cranfield.errors import optional
from cranfield.tables import Table, aligned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from cranfield.scores import Scores

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
}
"""The formats that the name of an output file asks for."""

ALL = "all"
"""The topic of a row that sums up a run."""


def table(scores: Scores, order: Sequence[int], *, per_topic: bool) -> Table:
    """The rows of a table: runs in an order, each with its topics if asked."""
    core = scores.core
    keys = ("run", "topic") if per_topic else ("run",)
    result = Table(keys, scores.measures, _counts(scores))
    summary = core.summary()
    names, topics = scores.runs, scores.topics
    for run in order:
        if not per_topic:
            result.add((names[run],), summary[run])
            continue
        for topic, label in enumerate(topics):
            result.add((names[run], label), core.row(run, topic), summary=False)
        result.add((names[run], ALL), summary[run])
    return result


def _counts(scores: Scores) -> set[int]:
    """The columns that hold counts."""
    return {i for i, m in enumerate(scores.core.measures) if m.aggregate == "sum"}


def _exact(value: float, *, count: bool) -> float | None:
    """A value for programs: counts are whole, what is undefined is nothing."""
    if math.isnan(value):
        return None
    return int(value) if count and value.is_integer() else value


def tabular(table: Table, form: str) -> bytes:
    """A table in one of the formats of ``TABULAR``."""
    return TABULAR[form](table)


def document(scores: Scores, order: Sequence[int], form: str, *, per_topic: bool) -> bytes:
    """The scores as JSON: one object (json), or one a row (jsonl)."""
    if form == "jsonl":
        return _jsonl(scores, order, per_topic=per_topic)
    return _json(scores, order, per_topic=per_topic)


def _text(table: Table) -> bytes:
    return _encoded("\n".join(aligned(table)) + "\n")


def _markdown(table: Table) -> bytes:
    left = len(table.keys)
    rule = ["---"] * left + ["---:"] * len(table.measures)
    rows = [(*table.keys, *table.measures), rule, *table.texts()]
    lines = ("| " + " | ".join(map(_markdown_cell, row)) + " |" for row in rows)
    return _encoded("\n".join(lines) + "\n")


def _markdown_cell(text: str) -> str:
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
    best = _best(table)
    left = len(table.keys)
    columns = "l" * left + "r" * len(table.measures)
    header = " & ".join(map(_latex_cell, (*table.keys, *table.measures)))
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", rf"{header} \\"]
    lines.append(r"\midrule")
    summaries = set(table.summaries)
    for place, row in enumerate(table.texts()):
        cells = [_latex_cell(text) for text in row]
        if place in summaries:
            for column, text in best.items():
                if row[left + column] == text:
                    cells[left + column] = rf"\textbf{{{text}}}"
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    return _encoded("\n".join(lines) + "\n")


def _latex_cell(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in " ".join(text.splitlines()))


def _best(table: Table) -> dict[int, str]:
    """The best value of each column that is no count, among several runs."""
    best = {}
    if len(table.summaries) > 1:
        for column in range(len(table.measures)):
            values = [table.rows[row][1][column] for row in table.summaries]
            values = [value for value in values if not math.isnan(value)]
            if values and column not in table.counts:
                best[column] = table.number(column, max(values))
    return best


def _separated(delimiter: str) -> Callable[[Table], bytes]:
    def write(table: Table) -> bytes:
        import csv
        from io import StringIO

        text = StringIO()
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerow((*table.keys, *table.measures))
        for labels, values in table.rows:
            exact = (_exact(v, count=i in table.counts) for i, v in enumerate(values))
            numbers = ("" if value is None else repr(value) for value in exact)
            writer.writerow((*labels, *numbers))
        return _encoded(text.getvalue())

    return write


def _parquet(table: Table) -> bytes:
    pa = optional("pyarrow", "parquet", extra="arrow")
    parquet = optional("pyarrow.parquet", "parquet", extra="arrow")
    columns: dict[str, Any] = {
        key: pa.array([labels[i] for labels, _ in table.rows], pa.string())
        for i, key in enumerate(table.keys)
    }
    for i, name in enumerate(table.measures):
        columns[name] = pa.array([values[i] for _, values in table.rows], pa.float64())
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.table(columns), sink)
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

FORMATS = ("table", "json", "jsonl", "csv", "tsv", "markdown", "latex", "parquet")
"""Every format."""


def _json(scores: Scores, order: Sequence[int], *, per_topic: bool) -> bytes:
    import json

    names, topics, values = scores.runs, scores.topics, _naming(scores)
    summary, notes = scores.core.summary(), scores.core.notes
    runs = []
    for run in order:
        entry: dict[str, Any] = {
            "run": names[run],
            "tag": notes[run].tag,
            "summary": values(summary[run]),
        }
        if per_topic:
            entry["topics"] = {
                label: values(scores.core.row(run, topic)) for topic, label in enumerate(topics)
            }
        entry["notes"] = _notes(notes[run])
        runs.append(entry)
    content = {
        "schema_version": SCHEMA_VERSION,
        "cranfield": __version__,
        "measures": scores.measures,
        "topics": topics,
        "runs": runs,
    }
    return _encoded(json.dumps(content, ensure_ascii=False) + "\n")


def _jsonl(scores: Scores, order: Sequence[int], *, per_topic: bool) -> bytes:
    import json

    names, values = scores.runs, _naming(scores)
    summary = scores.core.summary()

    def line(run: int, topic: str | None, row: Sequence[float]) -> str:
        content = {
            "schema_version": SCHEMA_VERSION,
            "run": names[run],
            "topic": topic,
            "values": values(row),
        }
        return json.dumps(content, ensure_ascii=False) + "\n"

    lines = []
    for run in order:
        if per_topic:
            lines += [
                line(run, label, scores.core.row(run, topic))
                for topic, label in enumerate(scores.topics)
            ]
        lines.append(line(run, None, summary[run]))
    return _encoded("".join(lines))


def _naming(scores: Scores) -> Callable[[Sequence[float]], dict[str, float | None]]:
    """The function from a row of values to what JSON says of it."""
    counts = _counts(scores)
    columns = [(name, place in counts) for place, name in enumerate(scores.measures)]

    def named(values: Sequence[float]) -> dict[str, float | None]:
        pairs = zip(columns, values, strict=True)
        return {name: _exact(value, count=count) for (name, count), value in pairs}

    return named


def _notes(note: Notes) -> dict[str, Any]:
    return {
        "lines": note.lines,
        "topics_missing": note.topics_missing,
        "topics_without_judgments": note.topics_without_judgments,
        "topics_without_relevant": note.topics_without_relevant,
        "ties": note.ties,
        "duplicates": note.duplicates,
        "repaired": note.repaired,
    }


def _encoded(text: str) -> bytes:
    """UTF-8 whatever the locale; names of files keep their odd bytes."""
    return text.encode("utf-8", "surrogateescape")
