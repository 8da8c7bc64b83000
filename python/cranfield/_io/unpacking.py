"""Files as streams of their decompressed bytes, as lines and as JSON, each under limits."""

from __future__ import annotations

import io

from cranfield._base.errors import failure, moved
from cranfield._base.text import readable
from cranfield._core import Error, Limits, Unpacked, check_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, BinaryIO

_SKIPPABLE = tuple(bytes([byte]) + b"*M\x18" for byte in range(0x50, 0x60))
"""How a frame of Zstandard begins that holds no data."""

PACKED = (b"\x1f\x8b", b"(\xb5/\xfd", *_SKIPPABLE, b"BZh", b"\xfd7zXZ\x00")
"""How compressed files begin."""

_BUFFER = 1 << 20
_WHOLE = 1 << 22


def unpacked(
    source: Any, label: str, limits: Limits | None = None, *, can_be_set: bool = True
) -> BinaryIO:
    """The decompressed bytes of a path or an open file, which errors call ``label``.

    What reads from it raises as reading a run does: for a file that is missing or damaged, and
    for a limit. ``can_be_set`` says whether who reads can set limits, so that errors name them.
    """
    found = Unpacked(source, label=readable(label), limits=limits, can_be_set=can_be_set)
    return io.BufferedReader(_Raw(found), _BUFFER)


class _Raw(io.RawIOBase):
    """Decompressed bytes as a raw stream."""

    def __init__(self, bytes_of: Unpacked) -> None:
        super().__init__()
        self._bytes_of = bytes_of

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._bytes_of.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        # The usual one asks for a few kilobytes at a time.
        return b"".join(iter(lambda: self._bytes_of.read(_WHOLE), b""))


def lines(
    stream: BinaryIO, name: str, limits: Limits | None = None, *, can_be_set: bool = True
) -> Iterator[bytes]:
    """The lines of a stream; raises ``Error`` (kind "limit") for one that is too long."""
    longest = (limits or Limits()).line_bytes
    number = 0
    while line := stream.readline(longest + 1):
        number += 1
        if len(line) > longest and not line.endswith(b"\n"):
            raise too_long(name, number, longest, can_be_set=can_be_set)
        yield line


def too_long(name: str, number: int, longest: int, *, can_be_set: bool) -> Exception:
    """The error for a line that is too long."""
    if not can_be_set:
        message = f"the line is longer than {longest} bytes"
        return failure("limit", message, file=name, line=number)
    message, flag = (
        f"the line is longer than the limit `{option}` of {longest}; "
        "raise it if the line is meant to be that long"
        for option in ("line_bytes", "--max-line")
    )
    return failure("limit", message, file=name, line=number, command_line=flag)


class RepeatedKeyError(Exception):
    """An object of JSON has a key twice."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def parsed(
    text: str, name: str | None, line: int | None = None, *, unique_keys: bool = False
) -> Any:
    """What JSON stands for; ``line`` is that of a text that is one.

    Raises ``json.JSONDecodeError`` for what is no JSON, ``Error`` (kind "limit") for values
    that are nested too deeply and for numbers that are too long, and ``RepeatedKeyError`` for
    an object that has a key twice, where that is asked for.
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
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise RepeatedKeyError(key)
            seen.add(key)
    return found
