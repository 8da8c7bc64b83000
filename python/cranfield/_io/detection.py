"""Which files and streams are tables, and in which form: by their first bytes, or as was said."""

from __future__ import annotations

import io
import os
import stat

from cranfield._core import Error, Unpacked
from cranfield._io import columns, sources
from cranfield._io.columns import COLUMNS, RESULTS, as_columns
from cranfield._io.files import RemoteObject, Table
from cranfield._io.unpacking import PACKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from cranfield._core import Limits

FORMS = ("csv", "tsv", "json", "jsonl", "parquet", "arrow")
"""The forms, as ``run_layout`` calls them."""

_HEAD = 4096

_CONTINUED = b"\xff\xff\xff\xff"
"""How a stream of Arrow's begins."""

_BEIR = [b"query-id", b"corpus-id", b"score"]
"""The header of BEIR's judgments, which the core reads."""


class Reading:
    """What is known beforehand of the files to be read.

    Parameters
    ----------
    options
        Those of a call; ``run_layout``, ``columns`` and ``limits`` are looked at.

    Raises
    ------
    Error
        Kind "option" for columns that are no {kind: column}.

    """

    __slots__ = ("columns", "form", "layout", "limits")

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        options = options or {}
        self.layout: str | None = options.get("run_layout")
        self.columns = as_columns(options.get("columns"))
        self.limits: Limits | None = options.get("limits")
        named = isinstance(self.layout, str) and self.layout in FORMS
        self.form = self.layout if named else None
        """The form of table that was named."""


def table_of(path: str | RemoteObject, reading: Reading) -> Table | None:
    """The table that a file is, if it is one."""
    form = reading.form
    if reading.layout is None:
        if isinstance(path, RemoteObject):
            form = form_of(_beginning_at(path, reading.limits), reading.columns)
        else:
            form = form_of_path(path, reading.columns, reading.limits)
    if form is None:
        return None
    label = path.label if isinstance(path, RemoteObject) else path
    return Table(path, form, label, reading.columns, reading.limits)


def tables_of(paths: Sequence[str | RemoteObject], reading: Reading) -> list[Table | None]:
    """The same of several; servers are asked at the same time."""
    remote = [path for path in paths if reading.layout is None and isinstance(path, RemoteObject)]
    try:
        for one in remote:
            one.begin(_HEAD)
        return [table_of(path, reading) for path in paths]
    finally:
        for one in remote:
            one.leave()


def judgments_of(source: Any, reading: Reading) -> Table | None:
    """The table that a path or an open file of judgments is, unless the core reads it."""
    if isinstance(source, (str, RemoteObject)):
        table = table_of(source, reading)
        if table is None or table.form != "tsv":
            return table
        return None if _is_beir(_unpacked(source, reading.limits)) else table
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
        return _of_beginning(_bytes(stream.peek(_HEAD)))
    except (AttributeError, Error, OSError, TypeError, ValueError):
        # Reading it says what is wrong.
        return b""


def _beginning_at(remote: RemoteObject, limits: Limits | None) -> bytes:
    """The first unpacked bytes of an object at an address."""
    head = remote.beginning(_HEAD)
    return head and (_of_beginning(head) or _unpacked(remote, limits))


def _bytes(head: str | bytes) -> bytes:
    return head.encode("utf-8", "surrogateescape") if isinstance(head, str) else bytes(head)


def _of_beginning(head: bytes) -> bytes:
    """The first unpacked bytes of a beginning."""
    return _unpacked(io.BytesIO(head), None, _HEAD // 8) if head.startswith(PACKED) else head


def _unpacked(source: Any, limits: Limits | None, size: int = _HEAD) -> bytes:
    """The first unpacked bytes; none where it cannot be unpacked, of which reading says why."""
    try:
        opened: Any = source.open() if isinstance(source, RemoteObject) else source
        return Unpacked(opened, limits=limits).read(size)
    except Error:
        return b""


def form_of_path(path: str, columns: Mapping[str, str], limits: Limits | None) -> str | None:
    """The form of a regular file; None if it is no table or cannot be read."""
    try:
        # A pipe is not opened here: its writer would go on, and find nobody who reads.
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        opened = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            return None
        head = os.read(opened, _HEAD)
    except OSError:
        return None
    finally:
        os.close(opened)
    if head.startswith(PACKED):
        head = _beginning_of_gzip(head) or _unpacked(path, limits)
    return form_of(head, columns)


def _beginning_of_gzip(head: bytes) -> bytes:
    """What the first bytes of a gzip file hold, or nothing; the core would unpack all of it."""
    import zlib

    decoder = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        unpacked = decoder.decompress(head, _HEAD)
    except zlib.error:
        return b""
    # Of several members the first may be short, and so may what a few bytes unpack to.
    whole = decoder.eof and not decoder.unused_data
    return unpacked if whole or len(unpacked) == _HEAD else b""


def form_of(head: bytes, columns: Mapping[str, str]) -> str | None:
    """The form of what begins with these bytes; None if it is no table.

    CSV and TSV are recognised by a header with columns for topics and documents.
    """
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"ARROW1", _CONTINUED)):
        return "arrow"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] in (b"{", b"["):
        return _json_form(text)
    line = text.partition(b"\n")[0]
    for form, separator in (("tsv", b"\t"), ("csv", b",")):
        if separator in line and _is_header(line.split(separator), columns):
            return form
    return None


def _is_header(fields: list[bytes], given: Mapping[str, str]) -> bool:
    """Whether fields are names of columns, of which some are known and none is a number."""
    names = [field.decode("utf-8", "replace").strip().strip('"') for field in fields]
    if any(column in names for column in given.values()):
        return True
    plain = list(map(columns.plain_name, names))
    known = sum(any(name in plain for name in COLUMNS[kind]) for kind in ("topic", "doc"))
    return known == 2 or (known == 1 and len(names) > 2 and not any(map(_is_number, names)))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


_FIRST_KEY = rb'\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*(.)'


def _json_form(text: bytes) -> str | None:
    """Lines of objects, or one document of JSON; None for what only begins like JSON."""
    if text[:1] == b"[":
        return "json" if text[1:].lstrip()[:1] in (b"{", b"[", b"]") else None
    import re

    first = re.match(_FIRST_KEY, text, re.DOTALL)
    if first is None:
        return "json" if text[1:].lstrip()[:1] == b"}" else None
    key, value = first.group(1).decode("utf-8", "replace"), first.group(2)
    if value == b"{" or (value == b"[" and key not in RESULTS):
        return "json"
    line, ended, _ = text.partition(b"\n")
    return "json" if ended and not line.rstrip().endswith(b"}") else "jsonl"
