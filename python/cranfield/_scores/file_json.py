"""JSON and JSON Lines: what cranfield writes, and dicts of pytrec_eval and ranx."""

from __future__ import annotations

import json

from cranfield._base.errors import failure
from cranfield._io.json_text import parsed
from cranfield._scores.file_labels import are_integers, are_measures, named, reject_run
from cranfield._scores.records import (
    ALL,
    MEASURE,
    REQUEST,
    RUN,
    VALUE,
    TableMetadata,
    label_of_topic,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from cranfield._core import Error
    from cranfield._scores.file_labels import Found, Lines

LINES = ("jsonl", "nuggetizer")
"""The formats that are JSON Lines."""

DICTS = ("pytrec_eval", "ranx")
"""The formats that are dicts in dicts."""

JSON = (*LINES, "json", *DICTS)
"""Every format that is JSON."""


def of_json(
    text: str, lines: Lines, name: str, form: str | None, run: str | None
) -> tuple[TableMetadata, Found]:
    """The metadata and the records of JSON, or of JSON Lines if it is not one value."""
    if form not in LINES:
        try:
            content = parsed(text, name)
        except json.JSONDecodeError as error:
            if form is not None or len(lines) == 1:
                line = getattr(error, "lineno", None)
                raise failure("type", f"broken JSON: {error}", file=name, line=line) from None
        else:
            return _of_content(content, lines[0][0], name, form, run)
    return TableMetadata(), _of_jsonl(lines, name, run)


def _of_content(
    content: Any, line: int, name: str, form: str | None, run: str | None
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
        except TypeError:
            raise _foreign(name, line) from None
        return about, _of_document(content, name)
    if form is None and not all(isinstance(value, dict) for value in content.values()):
        return TableMetadata(), _of_object(content, line, name, run)
    return TableMetadata(), _of_dicts(content, line, name, form, run)


def _of_document(content: dict[str, Any], name: str) -> Found:
    """What ``cranfield eval --format json`` writes."""
    for entry in content["runs"]:
        if not isinstance(entry, dict) or not isinstance(entry.get("run"), str):
            raise _foreign(name, 1)
        topics = entry.get("topics")
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

    system, topic, measure, value = map(found, (RUN, REQUEST, MEASURE, VALUE))
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
