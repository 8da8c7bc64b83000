"""Which files and streams are tables, and in which form: by their first bytes, or as was said."""

from __future__ import annotations

import io
import os
import stat

from cranfield._core import Error, Unpacked, is_packed, table_form
from cranfield._io import sources
from cranfield._io.columns import as_columns
from cranfield._io.files import RemoteObject, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from cranfield._core import Limits

FORMS = ("csv", "tsv", "json", "jsonl", "parquet", "arrow")
"""The forms, as ``run_layout`` calls them."""

_HEAD = 4096

_BEIR = [b"query-id", b"corpus-id", b"score"]
"""The header of BEIR's judgments, which the core reads."""


def table_of(
    source: Any, options: Mapping[str, Any] | None, *, judgments: bool = False
) -> Table | None:
    """The table that a path, an object at an address or an open file is, if it is one.

    Of the options of reading ``run_layout``, ``columns`` and ``limits`` are looked at. Nothing is
    read from an open file that is none. Raises ``Error`` (kind "option") for columns that are no
    {kind: column}.
    """
    options = options or {}
    layout, columns, limits = map(options.get, ("run_layout", "columns", "limits"))
    columns = {} if columns is None else as_columns(columns)
    form = layout if isinstance(layout, str) and layout in FORMS else None
    if layout is None:
        head = beginning(source, limits)
        form = table_form(head, columns)
        if judgments and head.partition(b"\n")[0].lower().split() == _BEIR:
            return None
    if form is None:
        return None
    label = source
    if isinstance(source, RemoteObject):
        label = source.label
    elif not isinstance(source, str):
        label = sources.stream_name(source) or "<stream>"
        source = sources.binary(source).read()
    return Table(source, form, label, columns, limits)


def tables_of(
    paths: Sequence[str | RemoteObject], options: Mapping[str, Any] | None
) -> list[Table | None]:
    """The same of several; servers are asked at the same time."""
    is_named = options is not None and options.get("run_layout") is not None
    remote = [path for path in paths if not is_named and isinstance(path, RemoteObject)]
    try:
        for one in remote:
            one.begin(_HEAD)
        return [table_of(path, options) for path in paths]
    finally:
        for one in remote:
            one.leave()


class _Stdin:
    """The table that standard input holds: it is read once, and commands look at it twice."""

    stream: Any = None
    table: Table | None = None


def table_of_stdin(stream: Any, options: Mapping[str, Any] | None) -> Table | None:
    """The same for standard input, also once it is read."""
    if _Stdin.stream is not stream or _Stdin.table is None:
        _Stdin.stream, _Stdin.table = stream, table_of(stream, options)
    return _Stdin.table


def beginning(source: Any, limits: Limits | None = None) -> bytes:
    """The first unpacked bytes; none where these cannot be read, of which reading says why."""
    if isinstance(source, str):
        head = beginning_of_file(source)
    elif isinstance(source, RemoteObject):
        head = source.beginning(_HEAD)
    else:
        return _beginning_of_stream(source, limits)
    if not is_packed(head):
        return head
    found = _unpacked(io.BytesIO(head), None)
    # What packs it may be long, and of several members the first may be short.
    is_enough = len(found) == _HEAD or len(head) < _HEAD
    return found if is_enough else _unpacked(source, limits)


def _beginning_of_stream(stream: Any, limits: Limits | None) -> bytes:
    """The first unpacked bytes of an open file, which is left where it stands.

    Of a pipe those that it shows before it is read; nothing if it shows none.
    """
    try:
        if not stream.seekable():
            head = _bytes(stream.peek(_HEAD))
            return _unpacked(io.BytesIO(head), None) if is_packed(head) else head
        place = stream.tell()
        try:
            head = _bytes(stream.read(_HEAD))
            if is_packed(head):
                # What packs it may be longer than this: as far as it takes.
                stream.seek(place)
                head = _unpacked(sources.binary(stream), limits)
            return head
        finally:
            stream.seek(place)
    except (AttributeError, Error, OSError, TypeError, ValueError):
        # Reading it says what is wrong.
        return b""


def _bytes(head: str | bytes) -> bytes:
    return head.encode("utf-8", "surrogateescape") if isinstance(head, str) else bytes(head)


def _unpacked(source: Any, limits: Limits | None) -> bytes:
    """The first unpacked bytes; none where it cannot be unpacked."""
    try:
        opened: Any = source.open() if isinstance(source, RemoteObject) else source
        return Unpacked(opened, limits=limits).read(_HEAD)
    except Error:
        return b""


def beginning_of_file(path: str) -> bytes:
    """The first bytes of a regular file; none of any other, and of one that cannot be read."""
    try:
        # A pipe is not opened here: its writer would go on, and find nobody who reads.
        if not stat.S_ISREG(os.stat(path).st_mode):
            return b""
        opened = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return b""
    try:
        return os.read(opened, _HEAD) if stat.S_ISREG(os.fstat(opened).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(opened)
