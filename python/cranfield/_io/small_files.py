"""Small files, line by line: fields, JSON objects, each with the line that it is from.

One rule for all of them. Blank lines are passed over, and so are comments: lines whose first
field is ``#``. A key may come again with the same value; another value is an error. Compressed
files, addresses and standard input are read like any other.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, BinaryIO, TypeAlias

from cranfield._base.errors import failure, moved, shown
from cranfield._base.options import is_iterable
from cranfield._base.options import path as as_path
from cranfield._base.text import readable
from cranfield._core import (
    Error,
    Limits,
    Qrels,
    Unpacked,
    check_json,
    document_values,
    field_rows,
    intent_values,
    rated,
)
from cranfield._io import sources
from cranfield._io.addresses import is_address
from cranfield._io.files import RemoteObject
from cranfield._io.sources import STDIN, File, name_of

PathsLike: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
FileLike: TypeAlias = str | RemoteObject | BinaryIO


class Line:
    """A line of a file, for errors that name it and a key."""

    __slots__ = ("file", "number")

    def __init__(self, file: str, number: int | None) -> None:
        self.file = file
        self.number = number

    def error(self, kind: str, message: str, *, command_line: str | None = None) -> Error:
        """An error about the line."""
        return failure(kind, message, file=self.file, line=self.number, command_line=command_line)

    def wrong(self, key: str, expected: str, found: object) -> Error:
        """The error (kind "fields") for a key that does not hold what it should."""
        return self.error("fields", f"{key}: expected {expected}, found {shown(found)}")

    def missing(self, keys: Sequence[str], record: object) -> Error:
        """The error (kind "fields") for an object that lacks a key."""
        there = ", ".join(map(str, record)) if isinstance(record, dict) else shown(record)
        return self.error(
            "fields", f"expected the key {' or '.join(keys)}, found {there[:200] or 'no key'}"
        )

    def unknown(self, key: str, known: Iterable[str], found: object) -> Error:
        """The error (kind "option") for a word that is not known."""
        return self.error(
            "option", f"{key}: expected one of {', '.join(known)}; found {shown(found)}"
        )


class OneValue:
    """The value of each key, which may come again only with the same value."""

    def __init__(self) -> None:
        self._first: dict[Any, tuple[Any, Line]] = {}

    def add(self, key: Any, value: Any, line: Line, what: str) -> None:
        """Adds a value; raises ``Error`` (kind "conflict") for another value of the key."""
        first, earlier = self._first.setdefault(key, (value, line))
        if first != value and not (first != first and value != value):
            same = earlier.file == line.file
            where = f"line {earlier.number}" if same else f"{earlier.file}:{earlier.number}"
            message = f"expected one {what}, found {shown(value)}, and {shown(first)} on {where}"
            raise line.error("conflict", message)

    def values(self) -> dict[Any, Any]:
        """The value of each key, in the order in which keys came first."""
        return {key: value for key, (value, _) in self._first.items()}


def paths(path: PathsLike) -> list[str | RemoteObject]:
    """The files that a path, a pattern, a folder, an address or several of these stand for.

    Raises ``Error``: kind "type" for what is no path, "missing" for none.
    """
    if isinstance(path, (str, os.PathLike)):
        several: list[Any] = [path]
    elif isinstance(path, (bytes, dict)) or hasattr(path, "read") or not is_iterable(path):
        raise failure("type", f"expected a path, found a {type(path).__name__}")
    else:
        several = list(path)
    found: list[str | RemoteObject] = []
    for one in several:
        if not isinstance(one, (str, os.PathLike)):
            raise failure("type", f"expected a path, found a {type(one).__name__}")
        text = as_path(one, "path")
        if text == STDIN:
            found.append(STDIN)
        else:
            found += sources.files(text if is_address(text) else sources.expanded(text))
    if not found:
        raise failure("missing", "expected a file, found none")
    return found


def content(file: FileLike) -> bytes:
    """What a file holds, decompressed; raises ``Error`` as reading a run does."""
    return _unpacked(file, None, can_be_set=False).read()


def _unpacked(file: FileLike, limits: Limits | None, *, can_be_set: bool) -> Unpacked:
    label = readable(name_of(file))
    return Unpacked(sources.opened(file), label=label, limits=limits, can_be_set=can_be_set)


def lines(
    file: FileLike,
    limits: Limits | None = None,
    *,
    can_be_set: bool = False,
    errors: str = "strict",
) -> Iterator[tuple[Line, str]]:
    """The lines of a file that are neither blank nor comments, one at a time.

    ``can_be_set`` is as for ``Unpacked``, ``errors`` as for ``bytes.decode``.

    Raises ``Error``: kind "missing", "directory", "io" for what cannot be read, "archive" for
    what cannot be decompressed, "binary" for what is no text, "limit" for a line that is too
    long or a file that grows too much when it is decompressed.
    """
    name, opened = name_of(file), _unpacked(file, limits, can_be_set=can_be_set)
    for number, text in opened.lines(readable(name), errors):
        yield Line(name, number), text


def rows(
    file: FileLike,
    expected: str,
    counts: Sequence[int] = (2,),
    header: Sequence[Collection[str]] = (),
    *,
    separator: str | None = None,
) -> Iterator[tuple[Line, list[str]]]:
    """The fields of each line; bytes that are not UTF-8 become lone surrogates.

    Fields stand between tabs if these make as many as there should be, else between blanks; in
    all lines between separators if these make as many in the first one. A first line that names
    the columns is passed over: ``header`` has the names of each.

    Raises ``Error`` as ``lines``, and of kind "fields" for another number of fields, "empty"
    for a file without a line of data; both say what was ``expected`` of a line.
    """
    name = readable(name_of(file))
    columns = [list(known) for known in header]
    found = field_rows(content(file), name, expected, (counts[0], counts[-1]), columns, separator)
    for number, fields in found:
        yield Line(name, number), fields


def objects(file: FileLike) -> Iterator[tuple[Line, dict[str, Any]]]:
    """The objects of a file of JSON Lines, each with its line.

    Raises ``Error`` as ``lines``, and of kind "fields" for a line that is no object, "duplicate"
    for an object that has a key twice.
    """
    for line, text in lines(file):
        yield line, decoded(line, text)


def decoded(line: Line, text: str) -> dict[str, Any]:
    """The object of one line; raises as ``objects``."""
    found = f"expected a JSON object, found {shown(text.strip()[:60])}"
    record = parsed(text, line, found)
    if not isinstance(record, dict):
        raise line.error("fields", found)
    return record


def parsed(text: str, place: Line, expected: str, *, is_line: bool = True) -> Any:
    """What JSON stands for, in which an object has a key once.

    Raises ``Error``: kind "fields" for what is no JSON, ``expected`` being the message, and
    "duplicate"; kind "limit" as ``json_value``, in a line of the text if it has several.
    """
    try:
        number = place.number if is_line else None
        return json_value(text, place.file, number, unique_keys=True)
    except Error as error:
        if error.kind == "duplicate":
            raise place.error("duplicate", error.message) from None
        raise
    except (ValueError, RecursionError) as error:
        raise place.error("fields", f"{expected}: {error}") from None


def json_value(
    text: str, name: str | None, line: int | None = None, *, unique_keys: bool = False
) -> Any:
    """What JSON stands for; ``line`` is that of a text that is one.

    Raises ``json.JSONDecodeError`` for what is no JSON, ``Error`` for values that are nested too
    deeply and for numbers that are too long (kind "limit"), and for an object that has a key
    twice (kind "duplicate"), where that is asked for.
    """
    import json

    try:
        check_json(text)
    except Error as error:
        at = error.line if line is None else line
        raise moved(error, file=name, line=at) from None
    return json.loads(text, object_pairs_hook=_object if unique_keys else None)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        left = set(found)
        for key, _ in pairs:
            if key not in left:
                raise failure("duplicate", f"the key {shown(key)} is there twice")
            left.remove(key)
    return found


def read_intents(source: File) -> tuple[dict[str, dict[str, float]], dict[str, list[str]]]:
    """Reads the probabilities of the intents of topics, as NTCIREVAL's files have it.

    A line is topic, intent and probability, and whether the intent is
    navigational (``nav``) or informational (``inf``, or nothing).

    Parameters
    ----------
    source
        A path or an open file, text or binary.

    Returns
    -------
    tuple
        What ``Qrels.with_weights`` and ``Qrels.with_navigational`` take.

    Raises
    ------
    Error
        With file and line: a line of another kind, a probability that is not
        a number of at least 0, two probabilities of an intent.

    """
    file = sources.one_given(source, "read_intents", "intents")
    return intent_values(content(file), readable(name_of(file)))


def read_classes(source: File) -> dict[str, dict[str, float]]:
    """Reads the classes of equivalent documents, as NTCIREVAL's files have it.

    A line is topic, document, level (such as L2) and class, or topic, document
    and class. Fields are separated by spaces or tabs, or, if the first line
    has four of them, by semicolons. A class is a number; documents of one number
    are of one class. Levels are read and not used: the judgments have grades.

    Parameters
    ----------
    source
        A path or an open file, text or binary.

    Returns
    -------
    dict
        What ``Qrels.with_column("class", ...)`` takes.

    Raises
    ------
    Error
        With file and line: a line of another kind, a class below 0 or
        not finite, two classes of a document.

    """
    file = sources.one_given(source, "read_classes", "classes")
    return document_values(content(file), readable(name_of(file)), "class")


def read_costs(source: File) -> dict[str, dict[str, float]]:
    """Reads what documents cost to read: their lengths, or times.

    A line is topic, document and cost, separated by spaces or tabs.

    Parameters
    ----------
    source
        A path or an open file, text or binary.

    Returns
    -------
    dict
        What ``Qrels.with_column("cost", ...)`` takes.

    Raises
    ------
    Error
        With file and line: a line of another kind, a cost that is not above 0
        or not finite, two costs of a document.

    """
    file = sources.one_given(source, "read_costs", "costs")
    return document_values(content(file), readable(name_of(file)), "cost")


def read_lengths(source: File) -> dict[str, float]:
    """Reads the lengths of documents, in characters or tokens.

    A line is document and length, separated by spaces or tabs. Returns what
    ``Qrels.with_lengths`` takes. Raises ``Error`` with file and line: a line of another kind, a
    length below 0 or not finite, two lengths of a document.
    """
    file = sources.one_given(source, "read_lengths", "lengths")
    return document_values(content(file), readable(name_of(file)), "length")


def qrels_from_ratings(given: Any) -> Qrels:
    """The judgments that ratings are; see ``Qrels.from_ratings``."""
    name = None
    if isinstance(given, str) and ("\n" in given or given.lstrip()[:1] in ("{", "[")):
        given = _decoded(given, "<text>")
    elif isinstance(given, str) or hasattr(given, "__fspath__") or hasattr(given, "read"):
        file = sources.one_given(given, "Qrels.from_ratings", "ratings")
        name = name_of(file)
        try:
            given = _decoded(content(file).decode("utf-8-sig"), name)
        except UnicodeDecodeError:
            message = "expected text in UTF-8, found other bytes"
            raise failure("binary", message, file=name) from None
    try:
        return Qrels(rated(given))
    except Error as error:
        if error.file is not None or name is None:
            raise
        raise moved(error, file=name) from error


def _decoded(text: str, name: str) -> Any:
    """What a text holds: JSON, or the rows of CSV as they are."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    return parsed(text, Line(name, None), "expected JSON or CSV", is_line=False)
