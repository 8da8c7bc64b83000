"""Files of JSON Lines, one line after the other: an object a line, each with its place."""

from __future__ import annotations

import json

from cranfield._base.errors import failure, shown
from cranfield._base.options import is_iterable
from cranfield._base.options import path as as_path
from cranfield._io import json_text, sources, unpacking
from cranfield._io.addresses import is_address
from cranfield._io.sources import STDIN, Folder, name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, TypeAlias

    from cranfield._core import Error, Limits
    from cranfield._io.place import Place as Remote

    PathsLike: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


class Place:
    """A line of a file, for errors that name it and a key."""

    __slots__ = ("file", "line")

    def __init__(self, file: str, line: int) -> None:
        self.file = file
        self.line = line

    def error(self, kind: str, message: str, *, command_line: str | None = None) -> Error:
        """An error about the line."""
        return failure(kind, message, file=self.file, line=self.line, command_line=command_line)

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


def paths(path: PathsLike) -> list[str | Remote]:
    """The files that a path, a pattern, a folder, an address or several of these stand for.

    Raises ``Error``: kind "type" for what is no path, "missing" for none.
    """
    import os

    if isinstance(path, (str, os.PathLike)):
        several: list[Any] = [path]
    elif isinstance(path, (bytes, dict)) or hasattr(path, "read") or not is_iterable(path):
        raise failure("type", f"expected a path, found a {type(path).__name__}")
    else:
        several = list(path)
    found: list[str | Remote] = []
    for one in several:
        if not isinstance(one, (str, os.PathLike)):
            raise failure("type", f"expected a path, found a {type(one).__name__}")
        text = as_path(one, "path")
        if text == STDIN:
            found.append(STDIN)
        elif is_address(text):
            for group in sources.groups(text):
                found += group.files if isinstance(group, Folder) else [group]
        else:
            found += sources.files(sources.expanded(text))
    if not found:
        raise failure("missing", "expected a file, found none")
    return found


def lines(
    path: str | Remote,
    limits: Limits | None = None,
    *,
    can_be_set: bool = False,
    errors: str = "strict",
) -> Iterator[tuple[Place, str]]:
    """The lines of a file that hold something, one at a time; compressed files are read, too.

    ``can_be_set`` is as for ``unpacked``, ``errors`` as for ``bytes.decode``.

    Raises ``Error``: kind "missing", "directory", "io" for what cannot be read, "archive" for
    what cannot be decompressed, "binary" for what is no text, "limit" for a line that is too
    long or a file that grows too much when it is decompressed.
    """
    name = name_of(path)
    opened = sources.opened(path)
    with unpacking.unpacked(opened, name, limits, can_be_set=can_be_set) as stream:
        found = unpacking.lines(stream, name, limits, can_be_set=can_be_set)
        for number, line in enumerate(found, 1):
            if line.isspace():
                continue
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8", errors)
            except UnicodeDecodeError:
                message = "expected text in UTF-8, found other bytes"
                raise failure("binary", message, file=name, line=number) from None
            yield Place(name, number), text


def objects(path: str | Remote) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The objects of a file of JSON Lines, each with its place.

    Raises ``Error`` as ``lines``, and of kind "fields" for a line that is no object, "duplicate"
    for an object that has a key twice.
    """
    for place, line in lines(path):
        yield place, decoded(place, line)


def decoded(place: Place, line: str) -> dict[str, Any]:
    """The object of one line; raises as ``objects``."""
    json_text.check(line, place.file, place.line)
    try:
        record = _DECODE(line)
    except _TwiceError as error:
        raise place.error("duplicate", f"the key {shown(error.key)} is there twice") from None
    except (ValueError, RecursionError) as error:
        message = f"expected a JSON object, found {shown(line.strip()[:60])}: {error}"
        raise place.error("fields", message) from None
    if not isinstance(record, dict):
        message = f"expected a JSON object, found {shown(line.strip()[:60])}"
        raise place.error("fields", message)
    return record


class _TwiceError(Exception):
    """An object has a key twice."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _TwiceError(key)
            seen.add(key)
    return found


_DECODE: Callable[[str], Any] = json.JSONDecoder(object_pairs_hook=_object).decode
