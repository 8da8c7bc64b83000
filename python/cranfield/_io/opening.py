"""Which files and streams are tables, found by looking at their beginnings."""

from __future__ import annotations

import io

from cranfield._core import Error, Unpacked
from cranfield._io import sources
from cranfield._io.place import Place
from cranfield._io.table_columns import PACKED, form_of, form_of_path
from cranfield._io.tables import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from cranfield._core import Limits
    from cranfield._io.reading import Reading

_HEAD = 4096
_BEIR = [b"query-id", b"corpus-id", b"score"]
"""The header of BEIR's judgments, which the core reads."""


def table_of(path: str | Place, reading: Reading) -> Table | None:
    """The table that a file is, if it is one."""
    form = reading.form
    if reading.layout is None:
        if isinstance(path, Place):
            form = form_of(_beginning_at(path, reading.limits), reading.columns)
        else:
            form = form_of_path(path, reading.columns, reading.limits)
    if form is None:
        return None
    label = path.label if isinstance(path, Place) else path
    return Table(path, form, label, reading.columns, reading.limits)


def tables_of(paths: Sequence[str | Place], reading: Reading) -> list[Table | None]:
    """The same of several; servers are asked at the same time."""
    places = [path for path in paths if isinstance(path, Place)] if reading.layout is None else []
    try:
        for place in places:
            place.begin(_HEAD)
        return [table_of(path, reading) for path in paths]
    finally:
        for place in places:
            place.leave()


def judgments_of(source: Any, reading: Reading) -> Table | None:
    """The table that a path or an open file of judgments is, unless the core reads it."""
    if isinstance(source, (str, Place)):
        table = table_of(source, reading)
        if table is None or table.form != "tsv":
            return table
        try:
            opened: Any = source if isinstance(source, str) else source.open()
            head = Unpacked(opened, limits=reading.limits).read(_HEAD)
        except Error:
            return None
        return None if _is_beir(head) else table
    if _is_beir(_beginning(source, reading.limits)):
        return None
    return table_of_stream(source, reading)


def _is_beir(head: bytes) -> bool:
    return head.partition(b"\n")[0].lower().split() == _BEIR


def table_of_stream(stream: Any, reading: Reading) -> Table | None:
    """The table that an open file holds, if it is one; nothing is read from any other."""
    form = reading.form
    if reading.layout is None:
        form = form_of(_beginning(stream, reading.limits), reading.columns)
    if form is None:
        return None
    label = sources.stream_name(stream) or "<stream>"
    return Table(sources.binary(stream).read(), form, label, reading.columns, reading.limits)


class _Stdin:
    """The table that standard input holds: it is read once, and commands look at it twice."""

    stream: Any = None
    table: Table | None = None


def table_of_stdin(stream: Any, reading: Reading) -> Table | None:
    """The same for standard input, also once it is read."""
    if _Stdin.stream is not stream or _Stdin.table is None:
        _Stdin.stream, _Stdin.table = stream, table_of_stream(stream, reading)
    return _Stdin.table


def _beginning(stream: Any, limits: Limits | None) -> bytes:
    """The first unpacked bytes of an open file, which is left where it stands.

    Of a pipe those that it shows before it is read; nothing if it shows none.
    """
    try:
        if stream.seekable():
            place = stream.tell()
            try:
                head = _bytes(stream.read(_HEAD))
                if head.startswith(PACKED):
                    # What packs it may be longer than this: as far as it takes.
                    stream.seek(place)
                    head = Unpacked(sources.binary(stream), limits=limits).read(_HEAD)
                return head
            finally:
                stream.seek(place)
        return _unpacked(_bytes(stream.peek(_HEAD)))
    except (AttributeError, Error, OSError, TypeError, ValueError):
        # Reading it says what is wrong.
        return b""


def _beginning_at(place: Place, limits: Limits | None) -> bytes:
    """The first unpacked bytes of an object at an address."""
    head = place.beginning(_HEAD)
    if (unpacked := _unpacked(head)) or not head:
        return unpacked
    try:
        opened: Any = place.open()
        return Unpacked(opened, limits=limits).read(_HEAD)
    except Error:
        return b""


def _bytes(head: str | bytes) -> bytes:
    return head.encode("utf-8", "surrogateescape") if isinstance(head, str) else bytes(head)


def _unpacked(head: bytes) -> bytes:
    """The first unpacked bytes of a beginning."""
    if not head.startswith(PACKED):
        return head
    try:
        return Unpacked(io.BytesIO(head)).read(_HEAD // 8)
    except Error:
        return b""
