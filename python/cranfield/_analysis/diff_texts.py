"""Texts of queries and documents by id, from files and datasets."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

from cranfield._base.errors import failure
from cranfield._base.options import path
from cranfield._base.text import readable
from cranfield._core import Limits
from cranfield._io import small_files
from cranfield._io.columns import DOCUMENT_ID, TOPIC_ID
from cranfield._io.inputs import dataset_name, load_dataset
from cranfield._io.small_files import OneValue
from cranfield._io.sources import COMPRESSED, expanded

TextsLike: TypeAlias = Mapping[Any, Any] | str | os.PathLike[str] | None

IDS = ("_id", "id", "docno", *DOCUMENT_ID, *TOPIC_ID, "topic")
"""The keys of JSON Lines, and fields of ir_datasets, that hold an id."""

TEXTS = ("title", "text", "query", "contents", "body", "abstract", "description")
"""The keys and fields that hold a text, in the order in which they are shown."""

JSON_LINES = (".jsonl", ".ndjson", ".json")


def as_texts(
    source: TextsLike, wanted: Collection[str], what: str, limits: Limits | None = None
) -> dict[str, str]:
    """The texts of the wanted ids; ids without a text are left out.

    Raises ``Error`` as reading a run does for a file that is missing or damaged and for a limit,
    kind "fields" for a line without an id and a text, "type" for an object that is not a source
    of texts.
    """
    if source is None:
        return {}
    if isinstance(source, Mapping):
        found = ((str(key), _single_line(text)) for key, text in source.items())
        return {key: text for key, text in found if key in wanted}
    if isinstance(source, (str, os.PathLike)):
        if (name := dataset_name(source)) is not None:
            return _of_dataset(name, wanted, what, str(source))
        return _of_file(expanded(path(source, what)), wanted, limits)
    kind = type(source).__name__
    message = f"expected a mapping, a file or ir_datasets:NAME as {what}, found {kind}"
    raise failure("type", message)


def _of_file(path: str, wanted: Collection[str], limits: Limits | None) -> dict[str, str]:
    """The texts of the wanted ids in a TSV or JSON Lines file; bytes that are not UTF-8 are kept.

    Without a suffix that says so, lines of objects are JSON.
    """
    texts = OneValue()
    stem, suffix = os.path.splitext(path)
    bare = stem if suffix.lower() in COMPRESSED else path
    suffix = os.path.splitext(bare)[1].lower()
    lines = small_files.lines(path, limits, can_be_set=True, errors="surrogateescape")
    for place, line in lines:
        text = line.rstrip("\r\n")
        is_json = suffix in JSON_LINES or (not suffix and text.startswith("{"))
        entry = _of_json(text, place) if is_json else _of_fields(text)
        if entry is None:
            expected = "an object with an id and a text" if is_json else "id, tab and text"
            raise place.error("fields", f"expected {expected}, found {readable(text[:60])!r}")
        if entry[0] in wanted:
            texts.add(*entry, place, f"text of {readable(entry[0])!r}")
    return texts.values()


def _of_fields(line: str) -> tuple[str, str] | None:
    key, tab, text = line.partition("\t")
    return (key.strip(), _single_line(text.replace("\t", " "))) if tab and key.strip() else None


def _of_json(line: str, place: small_files.Line) -> tuple[str, str] | None:
    import json

    try:
        entry = small_files.json_value(line, place.file, place.number)
    except json.JSONDecodeError:
        return None
    if not isinstance(entry, dict) or not any(name in entry for name in TEXTS):
        return None
    key, text = _id_and_text(entry)
    return None if key is None else (str(key), text)


def _id_and_text(entry: Mapping[str, Any]) -> tuple[Any, str]:
    """The id of an object, None without one, and all its texts on one line."""
    key = next((entry[name] for name in IDS if entry.get(name) is not None), None)
    texts = [str(entry[name]) for name in TEXTS if entry.get(name)]
    return key, _single_line(" ".join(texts))


def _of_dataset(name: str, wanted: Collection[str], what: str, source: str) -> dict[str, str]:
    """The texts of queries or documents of a dataset of ir_datasets."""
    dataset = load_dataset(name, source)
    is_queries = what == "queries"
    if not (dataset.has_queries() if is_queries else dataset.has_docs()):
        raise failure("missing", f"this dataset has no {what}", file=source)
    try:
        if is_queries:
            entries = (entry for entry in dataset.queries_iter() if entry.query_id in wanted)
        else:
            entries = dataset.docs_store().get_many(list(wanted)).values()
        found = (_id_and_text(entry._asdict()) for entry in entries)
        return {str(key): text for key, text in found}
    except (OSError, RuntimeError) as error:
        message = f"ir_datasets could not provide it: {str(error)[:200]}"
        raise failure("missing", message, file=source) from error


def _single_line(text: object) -> str:
    """A text on one line."""
    return " ".join(str(text).split())
