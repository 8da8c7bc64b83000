"""Scores in every format: printed, machine-readable, and as tables of other libraries.

Printed ones have four decimals and machine-readable ones every digit, if
no number of decimals is asked for. What is undefined is nothing in csv and tsv,
null in json, jsonl, Arrow and polars, NaN in parquet and pandas.

A measure has one number, or several: parts are scores with the same labels, by name, and
the first of them is called "value".
"""

from __future__ import annotations

import math

from cranfield._base.errors import failure
from cranfield._base.scores_like import ALL, VALUE
from cranfield._base.text import counted, rounded, topic_places
from cranfield._base.text import number as as_printed
from cranfield._core import Notes, number_texts
from cranfield._scores import sections
from cranfield._scores.sections import NUMBER, Section, Values, column_name
from cranfield._table import data_table, writers
from cranfield._table.data_table import LABEL, SHARE, SUM, TEXT, DataTable, defined, finite
from cranfield._table.tables import PLAIN, Setting, Signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    import pyarrow as pa

    from cranfield._base.scores_like import ScoresKind
    from cranfield._scores.uncertainty import Uncertainty
    from cranfield._table.tables import Part

Parts: TypeAlias = "Mapping[str, ScoresKind]"
Rows: TypeAlias = "Sequence[Sequence[float]]"
"""For each part a number for each measure."""

FORMATS = (*("table", "json", "jsonl", "csv", "tsv", *writers.DOCUMENTS), *("parquet", "prototext"))
"""Every format."""


class Block:
    """The scores of all topics, or of a group of them, with the order of the runs."""

    def __init__(
        self,
        parts: Parts,
        order: Sequence[int],
        uncertainty: Uncertainty | None = None,
        group: str = ALL,
    ) -> None:
        self.parts = parts
        self.order = order
        self.uncertainty = uncertainty
        """Intervals and tiers, if they were asked for."""
        self.group = group
        core = parts[VALUE].core
        self.runs, self.topics, self.measures = core.runs, core.topics, core.measures
        self.names = tuple(map(str, self.measures))
        self.counts = {i for i, m in enumerate(self.measures) if m.aggregate == "sum"}
        """The places of the measures that are counts."""

    def summaries(self) -> list[Rows]:
        """The summary of each measure over topics, for each run and part."""
        return list(zip(*(part.core.summary() for part in self.parts.values()), strict=True))

    def row(self, run: int, topic: int) -> Rows:
        """The values of a run and a topic."""
        return [part.core.row(run, topic) for part in self.parts.values()]


def block_of(
    parts: Parts,
    order: Sequence[int] | None = None,
    *,
    ci: Mapping[str, Any] | None = None,
    tiers: Mapping[str, Any] | None = None,
    group: str = ALL,
) -> Block:
    """The scores in an order, by default that of their tables, with intervals and tiers.

    ``ci`` and ``tiers`` are options, None where they are not asked for. A group may have too
    few topics for tiers.
    """
    scores, uncertainty = parts[VALUE], None
    if ci is not None or tiers is not None:
        from cranfield._scores.uncertainty import Uncertainty

        uncertainty = Uncertainty(scores, scores.core.measures, ci, tiers, part=group != ALL)
    return Block(parts, scores.order() if order is None else order, uncertainty, group)


def _section(block: Block, *, per_topic: bool, digits: int | None) -> Section:
    """The runs of a block in their order, each with its topics if asked."""
    topics = topic_places(block.topics) if per_topic else []
    head = {"group": block.group, "topics": str(len(block.topics))}
    labels, rows, summaries = [], [], block.summaries()
    runs: list[int | None] = []
    for number, run in enumerate(block.order, 1):
        own = {**head, "run": block.runs[run]}
        labels += [{**own, NUMBER: "", "topic": block.topics[topic]} for topic in topics]
        labels.append({**own, NUMBER: str(number), "topic": ALL})
        rows += [*(block.row(run, topic) for topic in topics), summaries[run]]
        runs += [*[None] * len(topics), run]
    columns, found = {}, block.uncertainty
    for place, (name, measure) in enumerate(zip(block.names, block.measures, strict=True)):
        is_count = place in block.counts
        columns[name] = Values(
            parts={part: [row[i][place] for row in rows] for i, part in enumerate(block.parts)},
            better=measure.better,
            is_count=is_count,
            kind=SUM if is_count else SHARE,
            beside=found.beside(place, runs, digits) if found else (),
            raised=found.raised(place, runs, block.order) if found else None,
        )
    summed = [row for row, run in enumerate(runs) if run is not None]
    return Section(labels=labels, columns=columns, summaries=summed)


def _keys(blocks: Sequence[Block], *, per_topic: bool) -> list[str]:
    """What the columns of labels are called."""
    grouped = any(block.group != ALL for block in blocks)
    return [*(("group", "topics") if grouped else ()), "run", *(("topic",) if per_topic else ())]


def shown(
    blocks: Sequence[Block],
    form: str,
    *,
    per_topic: bool = False,
    digits: int | None = None,
    sentences: Sequence[str] = (),
    short: bool = False,
) -> list[Part]:
    """The printed table, and sentences that explain it: those given and those about intervals.

    Last comes the signature, ``short`` or whole. Several blocks are groups of topics, each with
    all runs.
    """
    return printed(
        [_section(block, per_topic=per_topic, digits=digits) for block in blocks],
        _keys(blocks, per_topic=per_topic),
        form,
        digits,
        caption=_caption(blocks),
        uncertainty=_explaining(blocks),
        sentences=sentences,
        signed=lambda: _signed(blocks, digits, short=short),
    )


def printed(
    found: Sequence[Section],
    keys: Sequence[str],
    form: str,
    digits: int | None,
    *,
    caption: str,
    uncertainty: Uncertainty | None = None,
    sentences: Sequence[str] = (),
    signed: Callable[[], list[str]],
) -> list[Part]:
    """The printed table, what explains it, and the lines that say how to repeat it.

    Where tiers say above values which runs they beat, rows have numbers. ``signed`` makes the
    lines: they take a hash of all judgments, which the repr of an object does without.
    """
    plain = form in PLAIN
    if not plain and uncertainty is not None and uncertainty.tiers:
        place = keys.index("run")
        keys = [*keys[:place], NUMBER, *keys[place:]]
    table = sections.texts(found, keys, form, digits)
    table.caption = [caption]
    explained = uncertainty.sentences(superscripts=not plain) if uncertainty else []
    lines = signed() if form != "repr" else []
    return [table, *sentences, *explained, *([Signed(lines)] if lines else [])]


def _signed(blocks: Sequence[Block], digits: int | None, *, short: bool) -> list[str]:
    """The signature of each block, with the number of a table that has one."""
    several = {
        block.group if block.group != ALL else "": block.parts[VALUE].signature for block in blocks
    }
    if not any(several.values()):
        return []
    from cranfield._scores.signature import lines_of

    whole, value = blocks[-1], None
    if len(blocks) == len(whole.runs) == len(whole.names) == len(whole.parts) == 1:
        number = float(whole.summaries()[0][0][0])
        if not math.isnan(number):
            value = as_printed(number, count=bool(whole.counts), digits=digits)
    return lines_of(several, value=value, short=short)


def written(
    blocks: Sequence[Block],
    form: str,
    *,
    per_topic: bool = False,
    digits: int | None = None,
    width: int | None = None,
    sentences: Sequence[str] = (),
    short: bool = False,
) -> bytes:
    """Scores in any format; ``width`` is that of the terminal that shows a table.

    ``sentences`` explain a printed table, whose signature is ``short`` or whole.
    """
    if form == "prototext":
        return _prototext(blocks[-1], digits)
    if form == "jsonl":
        return _jsonl(blocks, per_topic=per_topic, digits=digits)
    if form == "json":
        return _json(blocks, per_topic=per_topic, digits=digits)

    if form in writers.PEOPLE:
        how: dict[str, Any] = {"per_topic": per_topic, "digits": digits}
        parts = shown(blocks, form, **how, sentences=sentences, short=short)
        return writers.in_bytes(parts, form, Setting(width, label="tab:scores"))
    found = [_section(block, per_topic=per_topic, digits=None) for block in blocks]
    columns = sections.data(found, _keys(blocks, per_topic=per_topic), digits)
    about = metadata(blocks[-1].parts[VALUE]) if form == "parquet" else None
    return data_table.in_bytes(columns, form, about)


def _explaining(blocks: Sequence[Block]) -> Uncertainty | None:
    """The intervals and tiers that explain a table: some groups are too small for tiers."""
    known = [block.uncertainty for block in blocks if block.uncertainty is not None]
    return next((found for found in reversed(known) if found.tiers), known[-1] if known else None)


def _caption(blocks: Sequence[Block]) -> str:
    """What the scores are, for the caption of a table in LaTeX."""
    whole = blocks[-1]
    runs, topics = counted(len(whole.runs), "run"), counted(len(whole.topics), "topic")
    over = f"over {topics}" if whole.group == ALL else "by groups of topics"
    marked = " The best is bold, the second best underlined." if len(whole.runs) > 2 else ""
    return f"Scores of {runs} {over}.{marked}"


def shape(scores: ScoresKind) -> str:
    """How many labels the axes have."""
    axes = {"run": scores.runs, "topic": scores.topics, "measure": scores.measures}
    return " x ".join(counted(len(axis), name) for name, axis in axes.items())


def frame(parts: Parts, *, wide: bool, summary: bool) -> dict[str, tuple[str, Any]]:
    """The columns of a table of another library: long, or with one for each measure."""
    import numpy as np

    scores = parts[VALUE]
    axes = {"run": scores.runs}
    if not summary:
        axes["topic"] = scores.topics
    if not wide:
        axes["measure"] = scores.measures
    places = np.indices([len(names) for names in axes.values()], dtype=np.int32)
    columns: dict[str, tuple[str, Any]] = {
        name: (LABEL, (places[i].reshape(-1), axes[name])) for i, name in enumerate(axes)
    }
    found = {part: own.summary() if summary else own.values for part, own in parts.items()}
    if not wide:
        return columns | {part: (SHARE, values.reshape(-1)) for part, values in found.items()}
    for place, measure in enumerate(scores.measures):
        for part, values in found.items():
            column = values.reshape(-1, len(scores.measures))[:, place].copy()
            columns[column_name(measure, part)] = SHARE, column
    return columns


def arrow_table(parts: Parts, *, wide: bool, summary: bool) -> pa.Table:
    """The same as an Arrow table, which says what the scores were made with."""
    found = data_table.arrow_table(frame(parts, wide=wide, summary=summary))
    return found.replace_schema_metadata(metadata(parts[VALUE]))


def metadata(scores: ScoresKind) -> dict[str, str]:
    """The metadata of an Arrow schema: what scores were made with, and directions."""
    import json

    content = {
        "fingerprint": scores.fingerprint,
        "better": scores.better,
        "measures": list(scores.measures),
    }
    return {"cranfield": json.dumps(content, ensure_ascii=False)}


def summaries(scores: ScoresKind) -> dict[str, dict[str, float]]:
    """The summary of each measure over topics, by run."""
    rows = zip(scores.runs, scores.core.summary(), strict=True)
    return {run: dict(zip(scores.measures, row, strict=True)) for run, row in rows}


def summary_table(parts: Parts) -> DataTable:
    """The summaries: a row for each run, a column for each measure and part."""
    runs, names = parts[VALUE].runs, list(parts)
    rows = Block(parts, range(len(runs))).summaries()
    columns: dict[str, Any] = {"run": (TEXT, runs)}
    for place, measure in enumerate(parts[VALUE].measures):
        for part, name in enumerate(names):
            values = [defined(row[part][place]) for row in rows]
            columns[column_name(measure, name)] = SHARE, values
    return DataTable(columns)


def _json(blocks: Sequence[Block], *, per_topic: bool, digits: int | None) -> bytes:
    whole = blocks[-1]
    scores = whole.parts[VALUE]
    content: dict[str, Any] = {
        "measures": scores.measures,
        "topics": scores.topics,
        "fingerprint": scores.fingerprint,
    }
    if signature := scores.signature:
        content["signature"] = {name: str(signature.only(name)) for name in scores.measures}
    if whole.uncertainty is not None:
        content |= whole.uncertainty.methods()
    groups = [
        {"group": block.group, "topics": block.topics, "runs": list(_runs(block, digits=digits))}
        for block in blocks[:-1]
    ]
    if groups:
        content["groups"] = groups
    notes = {note.run: note for note in scores.core.notes}
    content["runs"] = runs = []
    for entry in _runs(whole, per_topic=per_topic, digits=digits):
        note = notes[entry["run"]]
        run, noted = {"run": entry.pop("run"), "tag": note.tag}, {"notes": passed_over(note)}
        runs.append({**run, **entry, **noted})
    return writers.encoded(writers.in_json(content))


def _runs(block: Block, *, per_topic: bool = False, digits: int | None) -> Iterator[dict[str, Any]]:
    """The runs of a block as JSON has them."""
    rows = block.summaries()
    for run in block.order:
        entry = {"run": block.runs[run], "summary": _summary(block, run, rows[run], digits)}
        if per_topic:
            entry["topics"] = {
                topic: _values(block, block.row(run, place), digits)
                for place, topic in enumerate(block.topics)
            }
        yield entry


def _summary(block: Block, run: int, rows: Rows, digits: int | None) -> dict[str, Any]:
    """The summary of a run: numbers, or objects with intervals and tiers as well."""
    values = _values(block, rows, digits)
    if block.uncertainty is None:
        return values
    return {
        name: {
            **(value if isinstance(value, dict) else {VALUE: value}),
            **block.uncertainty.of(run, measure, digits),
        }
        for measure, (name, value) in enumerate(values.items())
    }


def _jsonl(blocks: Sequence[Block], *, per_topic: bool, digits: int | None) -> bytes:
    import json

    lines: list[dict[str, Any]] = []
    for block in blocks:
        head: dict[str, Any] = {"schema_version": writers.SCHEMA_VERSION}
        if len(blocks) > 1:
            head["group"] = block.group
        of_topics = per_topic and block is blocks[-1]
        for entry in _runs(block, per_topic=of_topics, digits=digits):
            values = [*entry.get("topics", {}).items(), (None, entry["summary"])]
            lines += [{**head, "run": entry["run"], "topic": t, "values": v} for t, v in values]
    return writers.encoded("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def _values(block: Block, rows: Rows, digits: int | None) -> dict[str, Any]:
    """A number for each measure, or one for each part if there are several; None for NaN."""
    found = []
    for row in rows:
        values: list[Any] = list(rounded(row, digits))
        if not all(map(math.isfinite, values)):
            values = list(map(finite, values))
        for place in block.counts:
            if values[place] is not None and values[place].is_integer():
                values[place] = int(values[place])
        found.append(values)
    if len(found) == 1:
        return dict(zip(block.names, found[0], strict=True))
    several = (dict(zip(block.parts, own, strict=True)) for own in zip(*found, strict=True))
    return dict(zip(block.names, several, strict=True))


def _prototext(block: Block, digits: int | None) -> bytes:
    """TIRA's ``evaluation.prototext``: a measure block for each measure of the one run.

    Raises ``Error`` (kind "option") for several runs: a block does not name its run.
    """
    import json

    parts, order = block.parts, block.order
    if len(order) != 1:
        raise failure("option", f"expected one run for prototext, found {len(order)}")
    texts = [
        number_texts(rounded(row, digits), block.counts, "NaN")
        for row in block.summaries()[order[0]]
    ]
    blocks = []
    for name, *found in zip(block.names, *texts, strict=True):
        for part, number in zip(parts, found, strict=True):
            key = json.dumps(column_name(name, part), ensure_ascii=False)
            blocks.append(f'measure {{\n  key: {key}\n  value: "{number}"\n}}\n')
    return writers.encoded("".join(blocks))


def passed_over(note: Notes) -> dict[str, Any]:
    """The notes on a run as JSON has them."""
    return {name: getattr(note, name) for name in _NOTED}


_NOTED = (
    *("lines", "topics_missing", "topics_without_judgments", "topics_without_relevant", "ties"),
    *("duplicates", "repaired", "unmatched", "tied", "rising", "comments"),
)
"""What JSON has of the notes on a run."""
