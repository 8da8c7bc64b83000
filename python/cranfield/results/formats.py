"""Scores as text: formats for people and machine-readable ones.

Those for people have four decimals and machine-readable ones every digit, if
no number of decimals is asked for. What is undefined is nothing in csv and tsv,
null in json and jsonl, NaN in parquet.
"""

from __future__ import annotations

import math
from operator import add

from cranfield._core import Notes, __version__, number_texts
from cranfield.errors import failure, optional
from cranfield.results import fitting, separated, topic_order
from cranfield.results.tables import (
    BEST,
    SECOND,
    VALUE,
    Table,
    aligned,
    blank,
    counted,
    counts,
    escaped,
    html,
    printable,
    rounded,
    side_by_side,
    summaries,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeAlias

    from cranfield.results.scores import Scores
    from cranfield.results.tables import Parts
    from cranfield.results.uncertainty import Uncertainty

    Rows: TypeAlias = Sequence[Sequence[float]]
    """For each part a number for each measure."""

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
}
"""The formats that the name of an output file asks for."""

ALL = "all"
"""The topic of a row that sums up a run."""


class Block:
    """The scores of all topics, or of a group of them, with the order of the runs."""

    __slots__ = ("group", "order", "parts", "uncertainty")

    def __init__(
        self,
        parts: Parts,
        order: Sequence[int],
        *,
        uncertainty: Uncertainty | None = None,
        group: str = ALL,
    ) -> None:
        self.parts = parts
        self.order = order
        self.uncertainty = uncertainty
        """Intervals and tiers, if they were asked for."""
        self.group = group

    @property
    def scores(self) -> Scores:
        """The values."""
        return self.parts[VALUE]


def table(
    blocks: Sequence[Block],
    *,
    per_topic: bool = False,
    form: str = "table",
    digits: int | None = None,
) -> Table:
    """The rows of a table: runs in an order, each with its topics if asked.

    Several blocks are groups of topics, each with all runs.
    """
    grouped = any(block.group != ALL for block in blocks)
    uncertainty = _explaining(blocks)
    numbered = form in NUMBERED and uncertainty is not None and bool(uncertainty.tiers)
    keys = ("group", "topics") if grouped else ()
    keys += (*(("#",) if numbered else ()), "run", *(("topic",) if per_topic else ()))
    extras = () if uncertainty is None else uncertainty.columns()
    result = blank(keys, blocks[-1].parts, extras, digits)
    for block in blocks:
        result.starts.append(len(result.rows))
        head = (block.group, str(len(block.scores.topics))) if grouped else ()
        _add_block(result, block, head, per_topic=per_topic, numbered=numbered)
    return result


def _add_block(
    result: Table, block: Block, head: tuple[str, ...], *, per_topic: bool, numbered: bool
) -> None:
    """Adds the rows of a block."""
    rows = summaries(block.parts)
    runs, topics = block.scores.runs, block.scores.topics
    for number, run in enumerate(block.order, 1):
        labels = (*head, *((str(number),) if numbered else ()), runs[run])
        if per_topic:
            blank_labels = (*head, *(("",) if numbered else ()), runs[run])
            for topic in topic_order.places(topics):
                values = side_by_side(_row(block.parts, run, topic))
                result.add((*blank_labels, topics[topic]), values, summary=False)
            labels = (*labels, ALL)
        extra_cells = (
            () if block.uncertainty is None else block.uncertainty.extra_cells(run, result.digits)
        )
        superscripts = (
            block.uncertainty.superscripts(run, block.order)
            if numbered and block.uncertainty is not None
            else ()
        )
        result.add(
            labels, side_by_side(rows[run]), extra_cells=extra_cells, superscripts=superscripts
        )


NUMBERED = ("markdown", "latex", "html")
"""The formats that say above a value which runs it beats, by their numbers."""


def _row(parts: Parts, run: int, topic: int) -> Rows:
    """The values of a run and a topic."""
    return [scores.core.row(run, topic) for scores in parts.values()]


def rendered(
    blocks: Sequence[Block],
    form: str,
    *,
    per_topic: bool = False,
    digits: int | None = None,
    caption: str | None = None,
    label: str = "tab:scores",
    width: int | None = None,
) -> bytes:
    """Scores in any format.

    HTML is without a head. ``caption`` and ``label`` are those of a table in LaTeX; a
    caption that is not given says what there is. ``width`` is that of the terminal that
    shows a table.
    """
    if form not in TABULAR and form not in ("table", "latex"):
        return document(blocks, form, per_topic=per_topic, digits=digits)
    found = table(blocks, per_topic=per_topic, form=form, digits=digits)
    scores, uncertainty = blocks[-1].scores, _explaining(blocks)
    if form == "parquet":
        from cranfield.results import frames

        found.metadata = frames.metadata(scores)
    numbered = form in NUMBERED
    sentences = [] if uncertainty is None else uncertainty.sentences(superscripts=numbered)
    if form == "latex":
        sentences = [caption] if caption is not None else [_caption(blocks), *sentences]
    return tabular(found, form, sentences, label, width)


def _explaining(blocks: Sequence[Block]) -> Uncertainty | None:
    """The intervals and tiers that explain a table: some groups are too small for tiers."""
    known = [block.uncertainty for block in blocks if block.uncertainty is not None]
    return next((found for found in reversed(known) if found.tiers), known[-1] if known else None)


def _caption(blocks: Sequence[Block]) -> str:
    """What the scores are, for the caption of a table in LaTeX."""
    scores = blocks[-1].scores
    runs, topics = counted(len(scores.runs), "run"), counted(len(scores.topics), "topic")
    over = f"over {topics}" if blocks[-1].group == ALL else "by groups of topics"
    marked = " The best is bold, the second best underlined." if len(scores.runs) > 2 else ""
    return f"Scores of {runs} {over}.{marked}"


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
        from cranfield.results import latex

        return encoded(latex.table(table, sentences, label))
    data = TABULAR[form](table)
    if form == "html":
        return data + encoded("".join(f"\n<p>{escaped(sentence)}</p>" for sentence in sentences))
    if form != "markdown" or not sentences:
        return data
    return data + encoded("".join(f"\n{markdown_cell(sentence)}\n" for sentence in sentences))


def document(
    blocks: Sequence[Block], form: str, *, per_topic: bool, digits: int | None = None
) -> bytes:
    """The scores as JSON, one object (json) or one a row (jsonl), or for TIRA (prototext)."""
    if form == "prototext":
        return _prototext(blocks[-1], digits)
    if form == "jsonl":
        return _jsonl(blocks, per_topic=per_topic, digits=digits)
    return _json(blocks, per_topic=per_topic, digits=digits)


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
        lines = [separated.line((*table.keys, *table.names()), delimiter)]
        for row, (labels, values) in enumerate(table.rows):
            texts: list[Any] = number_texts(rounded(values, table.digits), table.counts, "")
            if table.extras:
                texts = list(map(_field, table.machine_readable(row, texts, "")))
            lines.append(separated.line((*labels, *texts), delimiter))
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

FORMATS = (
    *("table", "json", "jsonl", "csv", "tsv", "markdown", "latex", "html"),
    *("parquet", "prototext"),
)
"""Every format."""


def _json(blocks: Sequence[Block], *, per_topic: bool, digits: int | None) -> bytes:
    whole = blocks[-1]
    scores = whole.scores
    content = {
        "schema_version": str(SCHEMA_VERSION),
        "cranfield": _quoted(__version__),
        "measures": _quoted(scores.measures),
        "topics": _quoted(scores.topics),
        "fingerprint": _quoted(scores.fingerprint),
    }
    if whole.uncertainty is not None:
        for name, how in whole.uncertainty.methods().items():
            content[name] = _object(_keys(how), map(_quoted, how.values()))
    groups = [
        _object(_keys(("group", "topics", "runs")), (_quoted(block.group), topics, runs))
        for block in blocks[:-1]
        for topics in [_quoted(block.scores.topics)]
        for runs in [_runs(block, per_topic=False, noted=False, digits=digits)]
    ]
    if groups:
        content["groups"] = f"[{', '.join(groups)}]"
    content["runs"] = _runs(whole, per_topic=per_topic, noted=True, digits=digits)
    return encoded(_object(_keys(content), content.values()) + "\n")


def _runs(block: Block, *, per_topic: bool, noted: bool, digits: int | None) -> str:
    """The runs of a block as JSON."""
    parts, rows, values = block.parts, summaries(block.parts), _values(block.parts, digits)
    scores = block.scores
    names, notes = scores.runs, scores.core.notes
    keys = _keys(scores.topics)
    runs = []
    for run in block.order:
        entry = {"run": _quoted(names[run])}
        if noted:
            entry["tag"] = _quoted(notes[run].tag)
        entry["summary"] = _summary(block, run, rows[run], values, digits)
        if per_topic:
            by_topic = (values(_row(parts, run, topic)) for topic in range(len(keys)))
            entry["topics"] = _object(keys, by_topic)
        if noted:
            entry["notes"] = _quoted(passed_over(notes[run]))
        runs.append(_object(_keys(entry), entry.values()))
    return "[" + ", ".join(runs) + "]"


def _summary(
    block: Block, run: int, rows: Rows, values: Callable[[Rows], str], digits: int | None
) -> str:
    """The summary of a run: numbers, or objects with intervals and tiers as well."""
    if block.uncertainty is None:
        return values(rows)
    counted_in = counts(block.scores)
    texts = [number_texts(rounded(row, digits), counted_in, "null") for row in rows]
    measures = []
    for measure in range(len(block.scores.measures)):
        beside = block.uncertainty.of(run, measure, digits)
        keys = _keys((*block.parts, *beside))
        measures.append(
            _object(keys, [*(t[measure] for t in texts), *map(_quoted, beside.values())])
        )
    return _object(_keys(block.scores.measures), measures)


def _jsonl(blocks: Sequence[Block], *, per_topic: bool, digits: int | None) -> bytes:
    lines = []
    for block in blocks:
        values, rows = _values(block.parts, digits), summaries(block.parts)
        names, topics = block.scores.runs, block.scores.topics
        head = {"schema_version": str(SCHEMA_VERSION)}
        if len(blocks) > 1:
            head["group"] = _quoted(block.group)
        keys = _keys((*head, "run", "topic", "values"))

        def line(run: int, topic: str | None, content: str) -> str:
            cells = (*head.values(), _quoted(names[run]), _quoted(topic), content)  # noqa: B023
            return _object(keys, cells) + "\n"  # noqa: B023

        for run in block.order:
            if per_topic and block is blocks[-1]:
                lines += [
                    line(run, label, values(_row(block.parts, run, topic)))
                    for topic, label in enumerate(topics)
                ]
            lines.append(line(run, None, _summary(block, run, rows[run], values, digits)))
    return encoded("".join(lines))


def _prototext(block: Block, digits: int | None) -> bytes:
    """TIRA's ``evaluation.prototext``: a measure block for each measure of the one run.

    Raises ``Error`` (kind "option") for several runs: a block does not name its run.
    """
    parts, order, scores = block.parts, block.order, block.scores
    if len(order) != 1:
        raise failure("option", f"expected one run for prototext, found {len(order)}")
    texts = [
        number_texts(rounded(row, digits), counts(scores), "NaN")
        for row in summaries(parts)[order[0]]
    ]
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
    """A JSON object of texts that are JSON already.

    The core writes the numbers of topics and measures, in a tenth of the time.
    """
    return "{" + ", ".join(map(add, keys, values)) + "}"


def _values(parts: Parts, digits: int | None) -> Callable[[Rows], str]:
    """The function from the rows of the parts to their JSON.

    A measure has a number, or one for each part if there are several.
    """
    counted_in, names = counts(parts[VALUE]), _keys(parts[VALUE].measures)
    kinds = _keys(parts)

    def values(rows: Rows) -> str:
        texts = [number_texts(rounded(row, digits), counted_in, "null") for row in rows]
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
        "unmatched": note.unmatched,
        "tied": note.tied,
        "rising": note.rising,
        "comments": note.comments,
    }


def encoded(text: str) -> bytes:
    """UTF-8 whatever the locale; names of files keep their odd bytes."""
    return text.encode("utf-8", "surrogateescape")
