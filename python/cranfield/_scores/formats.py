"""Scores as text: formats for people and machine-readable ones.

Those for people have four decimals and machine-readable ones every digit, if
no number of decimals is asked for. What is undefined is nothing in csv and tsv,
null in json and jsonl, NaN in parquet.
"""

from __future__ import annotations

from operator import add

from cranfield._base.errors import failure
from cranfield._base.text import counted, rounded, topic_places
from cranfield._core import Notes, __version__, number_texts
from cranfield._table.tables import (
    VALUE,
    Table,
    blank,
    counts,
    side_by_side,
    summaries,
)
from cranfield._table.writers import SCHEMA_VERSION, TABULAR, encoded, tabular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeAlias

    from cranfield._base.scores_like import ScoresKind
    from cranfield._scores.uncertainty import Uncertainty
    from cranfield._table.tables import Parts

    Rows: TypeAlias = Sequence[Sequence[float]]
    """For each part a number for each measure."""

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
    def scores(self) -> ScoresKind:
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
            for topic in topic_places(topics):
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
        from cranfield._scores import frames

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


def document(
    blocks: Sequence[Block], form: str, *, per_topic: bool, digits: int | None = None
) -> bytes:
    """The scores as JSON, one object (json) or one a row (jsonl), or for TIRA (prototext)."""
    if form == "prototext":
        return _prototext(blocks[-1], digits)
    if form == "jsonl":
        return _jsonl(blocks, per_topic=per_topic, digits=digits)
    return _json(blocks, per_topic=per_topic, digits=digits)


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
