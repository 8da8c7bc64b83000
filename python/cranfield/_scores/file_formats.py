"""The formats of files of scores: lines of fields, CSV and TSV, JSON and JSON Lines."""

from __future__ import annotations

import io
import json
import math
import os
from collections import Counter
from dataclasses import replace

from cranfield._base.errors import failure, tell
from cranfield._base.scores_like import ALL
from cranfield._base.text import numbered_lines, readable
from cranfield._core import Error, Measure
from cranfield._io.columns import TOPIC
from cranfield._io.sources import run_name
from cranfield._io.unpacking import parsed
from cranfield._scores.records import (
    GROUPED,
    INDEX,
    MEASURE,
    RUN,
    VALUE,
    TableMetadata,
    is_grouped,
    label_of_topic,
    places,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _csv import Reader
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, TypeAlias

    from cranfield._scores.records import Record

    Found: TypeAlias = Iterator[tuple[int, Record]]
    """Records, each with the number of its line."""
    Lines: TypeAlias = Sequence[tuple[int, str]]
    """Lines that are not empty, each with its number."""

SUFFIXES = (".json", ".jsonl", ".eval", ".tsv", ".csv")
"""What the names of files of scores end in: no part of the name of a run."""

TEXTS = ("runid", "relstring")
"""What trec_eval prints that is text."""


def named(run: str | None, name: str) -> str:
    """The run of a file that names none."""
    if run is not None:
        return readable(run)
    stem, suffix = os.path.splitext(run_name(name))
    return stem if stem and suffix.lower() in SUFFIXES else run_name(name)


def reject_run(run: str | None, name: str) -> None:
    """Raises if a run is named for a file that names its runs."""
    if run is not None:
        raise failure("option", "run= is for files that name no run, and this one does", file=name)


def are_measures(column: Sequence[str]) -> bool:
    """Whether all labels name measures."""
    try:
        for label in set(column) - set(TEXTS):
            Measure(label)
    except Error:
        return False
    return True


def are_integers(column: Sequence[str]) -> bool:
    """Whether all labels are integers."""
    return all(label.isdigit() for label in column)


def texts_among(cells: Iterable[tuple[str, str]], name: str) -> set[str]:
    """The measures of which no value is a number: they are texts, and left out."""
    numeric: dict[str, bool] = {}
    for measure, value in cells:
        numeric[measure] = numeric.get(measure, False) or _is_number(value)
    texts = {measure for measure, known in numeric.items() if not known}
    unusual = [readable(label) for label in numeric if label in texts and label not in TEXTS]
    if unusual:
        message = f"{name}: left out, no value is a number: {' '.join(unusual[:10])}"
        more = f" and {len(unusual) - 10} more" if len(unusual) > 10 else ""
        tell([message + more])
    return texts


def with_topic_all(records: Sequence[tuple[int, Record]]) -> Found:
    """Records of a file, in which a topic may be called as its summaries are: it comes first."""
    sums = Counter(record[:3] for _, record in records if record[1] == ALL)
    for number, (run, topic, measure, value) in records:
        if topic == ALL and sums[run, topic, measure] == 2:
            sums[run, topic, measure] = 1
            topic = label_of_topic(topic)
        yield number, (run, topic, measure, value)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


LINES = {
    "trec_eval": ("measure", "topic", "value"),
    "ir_measures_cli": ("topic", "measure", "value"),
    "ir_measures": ("run", "topic", "measure", "value"),
    "tot": ("run", "measure", "topic", "value"),
    "ranking": ("topic", "Q0", "run", "rank", "value", "measure"),
}
"""The formats that are lines of fields, with what these are."""


def of_lines(lines: Lines, name: str, form: str | None, run: str | None) -> Found:
    """The records of lines in a format of ``LINES``, which is detected by default."""
    rows = _fields(lines)
    if form is None:
        form = _form(rows, name)
    columns = LINES[form]
    for number, fields in rows:
        if len(fields) != len(columns):
            message = f"expected {len(columns)} fields ({' '.join(columns)}), found {len(fields)}"
            raise failure("fields", message, file=name, line=number)
    place = {column: columns.index(column) for column in columns}
    if "run" in place:
        reject_run(run, name)
        owners = [fields[place["run"]] for _, fields in rows]
    elif form == "trec_eval":
        owners = _owners(rows, name, run)
    else:
        owners = [named(run, name)] * len(rows)
    topic, measure, value = (place[column] for column in ("topic", "measure", "value"))
    texts = texts_among(((fields[measure], fields[value]) for _, fields in rows), name)
    records = [
        (number, (own, fields[topic], readable(fields[measure]), fields[value]))
        for own, (number, fields) in zip(owners, rows, strict=True)
        if fields[measure] not in texts
    ]
    # Of several outputs of one run, each has its summaries.
    outputs = sum(fields[measure] == "runid" for _, fields in rows)
    yield from with_topic_all(records) if outputs == 1 else records


def _owners(rows: Sequence[tuple[int, list[str]]], name: str, run: str | None) -> list[str]:
    """The run of each line of trec_eval's output, of which a file may have several.

    Each of them ends with its summaries, among which is the ``runid``.
    """
    tags = list(dict.fromkeys(fields[2] for _, fields in rows if fields[0] == "runid"))
    if len(tags) < 2:
        own = readable(tags[0]) if tags and run is None else named(run, name)
        return [own] * len(rows)
    reject_run(run, name)
    owners: list[str] = []
    for place, (number, fields) in enumerate(rows):
        follows = rows[place + 1][1][1] if place + 1 < len(rows) else None
        if follows is None or (fields[1] == ALL and follows != ALL):
            output = rows[len(owners) : place + 1]
            own_tags = [tag for _, (measure, _, tag) in output if measure == "runid"]
            if len(own_tags) != 1:
                message = "expected the summaries of a run with its runid at the end of its topics"
                raise failure("fields", message, file=name, line=number)
            owners += [readable(own_tags[0])] * len(output)
    return owners


def _fields(lines: Lines) -> list[tuple[int, list[str]]]:
    """The fields of lines: between tabs if all lines have as many of them, else between spaces."""
    tabs = {line.count("\t") for _, line in lines}
    split: Callable[[str], list[str]] = str.split
    if len(tabs) == 1 and tabs != {0}:

        def split(line: str) -> list[str]:
            return [field.strip() for field in line.split("\t")]

    return [(number, split(line)) for number, line in lines]


def _form(rows: Sequence[tuple[int, list[str]]], name: str) -> str:
    """Which format lines are of: how many fields they have, and what is in them."""
    width = len(rows[0][1])
    forms = [form for form, columns in LINES.items() if len(columns) == width]
    if not forms:
        if width == 2:
            message = "expected the scores of topics, found lines of a measure and a value"
            raise failure("empty", f"{message}: a summary only", file=name)
        raise failure(
            "fields",
            f"expected lines of 3, 4 or 6 fields, found {width}",
            file=name,
            line=rows[0][0],
        )
    if forms == ["ranking"] and not are_measures([fields[-1] for _, fields in rows]):
        message = 'these lines look like a run, which read_run reads; say format="ranking" if not'
        raise failure("option", message, file=name)
    if len(forms) == 1:
        return forms[0]
    if width == 4 and {fields[1] for _, fields in rows if len(fields) > 1} <= {"0", "Q0"}:
        message = "these lines look like judgments, which read_qrels reads"
        raise failure("option", f'{message}; say format="ir_measures" if not', file=name)
    usual = [fields for _, fields in rows if len(fields) == width]
    for matches in (_has_all, are_measures, are_integers):
        places = [
            LINES[form].index("topic" if matches is not are_measures else "measure")
            for form in forms
        ]
        found = [matches([fields[place] for fields in usual]) for place in places]
        if found.count(True) == 1:
            return forms[found.index(True)]
    known = " or ".join(f'format="{form}"' for form in forms)
    message = "cannot tell which column holds topics and which measures"
    raise failure("option", f"{message}; say {known}", file=name)


def _has_all(column: Sequence[str]) -> bool:
    return ALL in column


def is_header(line: str) -> bool:
    """Whether a line names the columns of a table of scores."""
    delimiter = "\t" if "\t" in line else ","
    names = [field.strip().strip('"') for field in line.split(delimiter)]
    names = names[len(GROUPED) :] if is_grouped(names) else names
    fields = [name.lower() for name in names]
    if not set(fields) & set(RUN) or len(fields) == 1:
        return False
    # Without topics it is the header of summaries, unless the first line is ``runid all name``.
    return (
        delimiter == ","
        or bool(set(fields) & set(TOPIC))
        or are_measures([name for name in names[1:] if not _is_beside(name, names)])
    )


def of_table(text: str, name: str, run: str | None, summaries: bool) -> Found:
    """Rows under a header: long, or with a column for each measure.

    ``summaries``: without topics the rows sum up runs.
    """
    import csv

    reject_run(run, name)
    delimiter = "\t" if "\t" in numbered_lines(text)[0][1] else ","
    # With their ends, since a label may hold one.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    header = [field.strip() for field in next(row for row in rows_of(reader, name) if any(row))]
    grouped = is_grouped(header)
    if grouped:
        header = header[len(GROUPED) :]
    is_summary = summaries and not {field.lower() for field in header} & set(TOPIC)
    if is_summary:
        header.append("topic")
    try:
        of_run, topic, measure, value = places(header)
    except Error as error:
        raise failure("fields", error.message, file=name, line=reader.line_num) from None
    wide = [
        (place, label)
        for place, label in enumerate(header)
        if place not in (of_run, topic) and label not in INDEX and not _is_beside(label, header)
    ]
    rows = []
    for row in rows_of(reader, name):
        number = reader.line_num
        if not row:
            continue
        if grouped:
            group, row = row[0], row[len(GROUPED) :]
            if group != ALL:
                continue
        row = [*row, ALL] if is_summary else row
        if len(row) != len(header):
            message = f"expected {len(header) - is_summary} fields, found {len(row) - is_summary}"
            raise failure("fields", message, file=name, line=number)
        if measure is not None and value is not None:
            rows.append((number, row[of_run], row[topic], row[measure], row[value]))
        else:
            rows += [(number, row[of_run], row[topic], label, row[place]) for place, label in wide]
    texts = texts_among(((label, value) for _, _, _, label, value in rows if value), name)
    records = [
        (number, (system, where, readable(label), value or math.nan))
        for number, system, where, label, value in rows
        if label not in texts
    ]
    yield from records if is_summary else with_topic_all(records)


def rows_of(reader: Reader, name: str) -> Iterator[list[str]]:
    """The rows of a table; raises ``Error`` (kind "fields") for what is none."""
    import csv

    try:
        yield from reader
    except csv.Error as error:
        message = f"expected rows of fields: {error}"
        raise failure("fields", message, file=name, line=reader.line_num) from None


def _is_beside(label: str, header: Sequence[str]) -> bool:
    """Whether a column belongs to that of a measure: its bounds, interval or tier."""
    words = label.split(" ")
    return any(" ".join(words[:end]) in header for end in range(1, len(words)))


JSON_LINES = ("jsonl", "nuggetizer")
"""The formats that are JSON Lines."""

DICTS = ("pytrec_eval", "ranx")
"""The formats that are dicts in dicts."""

JSON = (*JSON_LINES, "json", *DICTS)
"""Every format that is JSON."""


def of_json(
    text: str, lines: Lines, name: str, form: str | None, run: str | None, summaries: bool
) -> tuple[TableMetadata, Found]:
    """The metadata and the records of JSON, or of JSON Lines if it is not one value."""
    if form not in JSON_LINES:
        try:
            content = parsed(text, name)
        except json.JSONDecodeError as error:
            if form is not None or len(lines) == 1:
                line = getattr(error, "lineno", None)
                raise failure("type", f"broken JSON: {error}", file=name, line=line) from None
        else:
            return _of_content(content, lines[0][0], name, form, run, summaries)
    return TableMetadata(), _of_jsonl(lines, name, run)


def _of_content(
    content: Any, line: int, name: str, form: str | None, run: str | None, summaries: bool
) -> tuple[TableMetadata, Found]:
    """One object: that of cranfield, or dicts in dicts; or the one line of JSON Lines."""
    if isinstance(content, list) and form not in DICTS:
        return TableMetadata(), _of_list(content, name, run)
    if not isinstance(content, dict):
        raise _foreign(name, line)
    if isinstance(content.get("runs"), list) and form not in DICTS:
        reject_run(run, name)
        try:
            about = TableMetadata.of(content.get("fingerprint"), content.get("better"))
            topics = [str(topic) for topic in content.get("topics") or ()]
        except TypeError:
            raise _foreign(name, line) from None
        about = replace(about, topics=topics, unmatched=dict(_unmatched(content)))
        return about, _of_document(content, name, summaries)
    if form is None and not all(isinstance(value, dict) for value in content.values()):
        return TableMetadata(), _of_object(content, line, name, run)
    return TableMetadata(), _of_dicts(content, line, name, form, run)


def _unmatched(content: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What is said of runs of which no document is judged."""
    for entry in content["runs"]:
        notes = entry.get("notes") if isinstance(entry, dict) else None
        if isinstance(notes, dict) and notes.get("unmatched"):
            yield str(entry.get("run")), str(notes["unmatched"])


def _of_document(content: dict[str, Any], name: str, summaries: bool) -> Found:
    """What ``cranfield eval --format json`` writes."""
    for entry in content["runs"]:
        if not isinstance(entry, dict) or not isinstance(entry.get("run"), str):
            raise _foreign(name, 1)
        topics = entry.get("topics")
        if summaries:
            yield from _of_values(entry["run"], ALL, entry.get("summary"), 1, name)
            topics = {} if topics is None else topics
        if not isinstance(topics, dict):
            message = f"expected the scores of topics of the run {entry['run']!r}, found summaries"
            raise failure("empty", f"{message}; cranfield eval --per-topic writes them", file=name)
        for topic, values in topics.items():
            yield from _of_values(entry["run"], label_of_topic(topic), values, 1, name)


def _of_values(run: str, topic: object, values: object, line: int, name: str) -> Found:
    """The values of measures, each a number, or an object in which it is the ``value``."""
    if not isinstance(values, dict):
        raise _foreign(name, line)
    for measure, value in values.items():
        number = value.get("value") if isinstance(value, dict) else value
        yield line, (run, topic, measure, number)


def _of_dicts(
    content: dict[str, Any], line: int, name: str, form: str | None, run: str | None
) -> Found:
    """{topic: {measure: value}}, the same under runs, or ranx's {measure: {topic: value}}."""
    inner = [value for value in content.values() if isinstance(value, dict)]
    if len(inner) < len(content) or not content:
        raise _foreign(name, line)
    deep = any(isinstance(value, dict) for values in inner for value in values.values())
    if form == "ranx" and deep:
        raise _foreign(name, line)
    if form not in DICTS and not deep:
        labels = list({label for values in inner for label in values})
        for matches in (are_measures, are_integers):
            outer, within = matches(list(content)), matches(labels)
            if outer != within:
                form = "ranx" if outer == (matches is are_measures) else None
                break
    if form == "ranx":
        own = named(run, name)
        for measure, values in content.items():
            for topic, value in values.items():
                yield line, (own, topic, measure, value)
    elif deep:
        reject_run(run, name)
        for own, topics in content.items():
            for topic, values in topics.items():
                yield from _of_values(own, topic, values, line, name)
    else:
        own = named(run, name)
        for topic, values in content.items():
            yield from _of_values(own, topic, values, line, name)


def _of_list(content: list[Any], name: str, run: str | None) -> Found:
    """A list of what JSON Lines has in its lines."""
    for entry in content:
        if not isinstance(entry, dict):
            raise _foreign(name, 1)
        yield from _of_object(entry, 1, name, run)


def _of_jsonl(lines: Lines, name: str, run: str | None) -> Found:
    for number, line in lines:
        try:
            content = parsed(line, name, number)
        except json.JSONDecodeError as error:
            raise failure("type", f"broken JSON: {error}", file=name, line=number) from None
        if not isinstance(content, dict):
            raise _foreign(name, number)
        yield from _of_object(content, number, name, run)


def _of_object(content: dict[str, Any], line: int, name: str, run: str | None) -> Found:
    """A line of JSON Lines: one value, or those of several measures."""

    def found(known: Sequence[str]) -> str | None:
        return next((key for key in known if key in content), None)

    if content.get("group", ALL) != ALL and "schema_version" in content:
        # Of a group of topics.
        return
    system, topic, measure, value = map(found, (RUN, TOPIC, MEASURE, VALUE))
    if topic is None:
        raise _foreign(name, line)
    if system is not None:
        reject_run(run, name)
    own = named(run, name) if system is None else content[system]
    of_topic = ALL if content[topic] is None else content[topic]
    if "schema_version" in content and content[topic] is not None:
        # Written by ``cranfield eval``, whose summaries have no topic.
        of_topic = label_of_topic(of_topic)
    if isinstance(content.get("values"), dict):
        yield from _of_values(own, of_topic, content["values"], line, name)
    elif measure is not None and value is not None:
        yield line, (own, of_topic, content[measure], content[value])
    elif measure is None and value is None:
        for key, number in content.items():
            is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
            if is_number and key not in (system, topic):
                yield line, (own, of_topic, key, number)
    else:
        raise _foreign(name, line)


def _foreign(name: str, line: int) -> Error:
    message = "expected scores: {topic: {measure: value}}, or a run, a topic, a measure and a value"
    return failure("type", message, file=name, line=line)
