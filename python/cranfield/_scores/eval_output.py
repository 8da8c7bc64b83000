"""Reading the files of scores that ``cranfield eval`` writes.

JSON, JSON lines, CSV and TSV are recognized by their content, whatever the
suffix. The summary of each run is kept, and the scores of its topics where the
file has them.
"""

from __future__ import annotations

import io
import json
import math
from dataclasses import dataclass, field

from cranfield._base.errors import failure
from cranfield._base.text import numbered_lines
from cranfield._core import Error
from cranfield._io.json_text import parsed
from cranfield._io.sources import STDIN, whole
from cranfield._measures.parse import as_measure
from cranfield._scores.file_formats import rows_of
from cranfield._scores.records import GROUPED, Cells, is_grouped, label_of_topic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    Values: TypeAlias = dict[str, float]
    """The value of each measure; NaN where it is undefined."""

ALL = "all"
"""The topic of a row that sums up a run, in CSV and TSV."""


@dataclass
class ScoreFile:
    """The scores of a file; measures are in canonical spelling."""

    path: str
    measures: tuple[str, ...] = ()
    runs: dict[str, Values] = field(default_factory=dict)
    """The summary of each run."""
    by_topic: dict[str, dict[str, Values]] = field(default_factory=dict)
    """The scores of each run's topics; empty if the file has summaries only."""
    topics: frozenset[str] | None = None
    """The topics of the qrels; None if the file does not say."""
    unmatched: dict[str, str] = field(default_factory=dict)
    """What JSON says of runs of which no document is judged."""

    def among(self, topics: Sequence[str]) -> ScoreFile:
        """The scores of some of the topics, summed up anew."""
        found = ScoreFile(self.path, self.measures, topics=frozenset(topics))
        for run, by_topic in self.by_topic.items():
            found.by_topic[run] = {t: by_topic[t] for t in topics if t in by_topic}
            found.runs[run] = _summary(run, self.measures, found.by_topic[run])
        return found


def _summary(run: str, measures: Sequence[str], by_topic: Mapping[str, Values]) -> Values:
    """The scores of topics, each measure by its own aggregate."""
    records = [
        (run, label_of_topic(topic), m, values[m])
        for topic, values in by_topic.items()
        for m in measures
    ]
    if not records:
        return dict.fromkeys(measures, math.nan)
    core, _ = Cells(records).scores(None)
    return dict(zip(measures, core.summary()[0], strict=True))


def read(path: str) -> ScoreFile:
    """Reads a file of scores, or standard input for ``-``.

    Raises ``Error``: kind "missing" or "io" for what cannot be read, "empty"
    for a file without scores, "type" for one that ``cranfield eval`` did not
    write, "number" for a value that is not a number, "duplicate" for a run, a topic or
    a measure that comes twice.
    """
    name = "<stdin>" if path == STDIN else path
    text = _text(path, name)
    if not text.strip():
        raise failure("empty", "expected scores, found an empty file", file=name)
    found = ScoreFile(name)
    if text.lstrip().startswith("{"):
        _read_json(found, text)
    else:
        _read_table(found, text)
    topics = frozenset().union(*found.by_topic.values()) if found.topics is None else found.topics
    found.topics = topics or None
    if not found.runs:
        raise failure("empty", "expected the scores of a run, found none", file=name)
    return found


def _text(path: str, name: str) -> str:
    data = whole(path)
    if b"\0" in data:
        raise failure("binary", "expected text, found binary data", file=name)
    return data.decode("utf-8-sig", "surrogateescape")


# JSON


def _read_json(found: ScoreFile, text: str) -> None:
    """One object of all runs, or one object a line."""
    lines = numbered_lines(text)
    try:
        content = parsed(text, found.path)
    except json.JSONDecodeError as error:
        first = _object(found, *lines[0]) if len(lines) > 1 else None
        if first is None or "runs" in first:
            line = getattr(error, "lineno", None)
            raise failure("type", f"broken JSON: {error}", file=found.path, line=line) from None
        for number, line in lines:
            _add_object(found, number, _object(found, number, line))
    else:
        if "runs" in content:
            _add_document(found, content)
        else:
            _add_object(found, lines[0][0], content)


def _object(found: ScoreFile, number: int, line: str) -> dict[str, Any]:
    try:
        content = parsed(line, found.path, number)
    except json.JSONDecodeError as error:
        raise failure("type", f"broken JSON: {error}", file=found.path, line=number) from None
    if not isinstance(content, dict):
        raise _foreign(found, number)
    return content


def _add_document(found: ScoreFile, content: dict[str, Any]) -> None:
    """``--format json``."""
    try:
        entries = [(run["run"], run["summary"], run.get("topics")) for run in content["runs"]]
        topics = frozenset(map(str, content.get("topics", ())))
        noted = [(run["run"], run.get("notes", {}).get("unmatched")) for run in content["runs"]]
    except (KeyError, TypeError, AttributeError):
        raise _foreign(found) from None
    for run, summary, by_topic in entries:
        _add(found, run, None, _of_json(found, summary))
        for topic, values in (by_topic or {}).items():
            _add(found, run, topic, _of_json(found, values))
    found.topics = topics or None
    found.unmatched = {run: text for run, text in noted if text}


def _add_object(found: ScoreFile, number: int, content: dict[str, Any]) -> None:
    """A line of ``--format jsonl``; those of groups of topics are passed over."""
    if content.get("group", ALL) != ALL:
        return
    try:
        run, topic, values = content["run"], content["topic"], content["values"]
    except KeyError:
        raise _foreign(found, number) from None
    _add(found, run, topic, _of_json(found, values, number), number)


def _of_json(found: ScoreFile, values: object, line: int | None = None) -> Values:
    if not isinstance(values, dict):
        raise _foreign(found, line)
    result = {}
    for name, value in values.items():
        if isinstance(value, dict):
            # With --bounds a measure has the value and how far it could move.
            value = value.get("value")
        if value is None:
            value = math.nan
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            message = f"expected a number for {name}, found {value!r}"
            raise failure("number", message, file=found.path, line=line)
        result[_measure(found, name, line)] = float(value)
    return result


# CSV and TSV


def _read_table(found: ScoreFile, text: str) -> None:
    import csv

    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    header = next(rows_of(reader, found.path))
    grouped = is_grouped(header)
    if grouped:
        header = header[len(GROUPED) :]
    keys = 2 if header[1:2] == ["topic"] else 1
    if header[:1] != ["run"] or len(header) <= keys:
        raise _foreign(found, 1)
    columns = list(_columns(found, header, keys))
    for row in rows_of(reader, found.path):
        line = reader.line_num
        if not row:
            continue
        if grouped:
            group, row = row[0], row[len(GROUPED) :]
            if group != ALL:
                continue
        if len(row) != len(header):
            message = f"expected {len(header)} fields, found {len(row)}"
            raise failure("fields", message, file=found.path, line=line)
        values = {name: _number(found, name, row[place], line) for place, name in columns}
        topic = None if keys == 1 or row[1] == ALL else row[1]
        if topic is None and row[0] in found.runs and keys == 2:
            # A topic that is called so comes before the row that sums up.
            found.by_topic.setdefault(row[0], {})[ALL] = found.runs.pop(row[0])
        _add(found, row[0], topic, values, line)


def _columns(found: ScoreFile, header: Sequence[str], keys: int) -> Iterator[tuple[int, str]]:
    """The columns of measures; with --bounds those of the bounds stand between them."""
    seen: set[str] = set()
    for place, name in enumerate(header[keys:], keys):
        if name.rpartition(" ")[0] in seen:
            continue
        measure = _measure(found, name, 1)
        if name in seen:
            raise failure("duplicate", f"the measure {name} twice", file=found.path, line=1)
        seen.add(name)
        yield place, measure


def _number(found: ScoreFile, name: str, text: str, line: int) -> float:
    if not text:
        return math.nan
    try:
        return float(text)
    except ValueError:
        message = f"expected a number for {name}, found {text!r}"
        raise failure("number", message, file=found.path, line=line) from None


# both


def _add(
    found: ScoreFile, run: object, topic: object, values: Values, line: int | None = None
) -> None:
    if not isinstance(run, str) or not isinstance(topic, (str, type(None))):
        raise _foreign(found, line)
    rows = found.runs if topic is None else found.by_topic.setdefault(run, {})
    if (run if topic is None else topic) in rows:
        what = f"the run {run!r}" if topic is None else f"the topic {topic!r} of the run {run!r}"
        raise failure("duplicate", f"{what} is there twice", file=found.path, line=line)
    rows[run if topic is None else topic] = values
    if not found.measures:
        found.measures = tuple(values)
    elif found.measures != tuple(values):
        raise failure(
            "fields", "expected the same measures in all rows", file=found.path, line=line
        )


def _measure(found: ScoreFile, name: str, line: int | None) -> str:
    try:
        return str(as_measure(name))
    except Error:
        message = f"expected a measure, found {name!r}"
        raise failure("type", message, file=found.path, line=line) from None


def _foreign(found: ScoreFile, line: int | None = None) -> Error:
    message = "expected scores as `cranfield eval` writes them in json, jsonl, csv or tsv"
    return failure("type", message, file=found.path, line=line)
