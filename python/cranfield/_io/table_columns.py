"""Which form of table a file is in, by its first bytes or by what the caller says."""

from __future__ import annotations

import os
import stat

from cranfield._base.errors import failure, label_failure, shown
from cranfield._core import Error, Unpacked
from cranfield._io import columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from cranfield._core import Limits

FORMS = ("csv", "tsv", "json", "jsonl", "parquet", "arrow")
"""The forms, as ``run_layout`` calls them."""

COLUMNS = {
    "topic": columns.TOPIC,
    "doc": columns.DOCUMENT,
    "score": columns.SCORE,
    "rank": columns.RANK,
    "grade": columns.GRADE,
    "run": ("run",),
}
"""What can be a column, with the usual names of each."""

RESULTS = ("results", "hits", "docs", "documents", "ranking")
"""What the list of a topic's documents is called in JSON."""

_HEAD = 4096
_SKIPPABLE = tuple(bytes([byte]) + b"*M\x18" for byte in range(0x50, 0x60))
"""How a frame of Zstandard begins that holds no data."""
PACKED = (b"\x1f\x8b", b"(\xb5/\xfd", *_SKIPPABLE, b"BZh", b"\xfd7zXZ\x00")
"""How compressed files begin."""
_CONTINUED = b"\xff\xff\xff\xff"
"""How a stream of Arrow's begins."""


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
        unpacked = _beginning_of_gzip(head)
        return form_of(unpacked, columns) if unpacked else _form_of_packed(path, columns, limits)
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


def _form_of_packed(source: Any, columns: Mapping[str, str], limits: Limits | None) -> str | None:
    try:
        return form_of(Unpacked(source, limits=limits).read(_HEAD), columns)
    except Error:
        # Reading it says what is wrong.
        return None


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


def place_of(names: list[str], kind: str, given: Mapping[str, str]) -> int | None:
    """The place of a column of this kind among the names, or None.

    Raises ``Error`` (kind "duplicate") if it is one of several with the same name.
    """
    named = given.get(kind)
    return None if named and named not in names else columns.place(names, named, COLUMNS[kind])


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


_KINDS = {name: kind for kind, names in reversed(COLUMNS.items()) for name in (*names, kind)}
"""What a column can be called in the option, and what it is then."""


def as_columns(columns: Any) -> dict[str, str]:
    """The option ``columns`` as {kind: column}; raises ``Error`` (kind "option")."""
    if columns is None:
        return {}
    try:
        pairs = dict(columns)
    except Exception as error:
        raise _wrong(columns) from error
    found: dict[str, str] = {}
    for name, column in pairs.items():
        if not isinstance(name, str) or not isinstance(column, str) or not column:
            raise _wrong(columns)
        kind = _KINDS.get(name.lower())
        if kind is None:
            raise failure("option", label_failure("kind of column", name, list(COLUMNS)).message)
        if kind in found:
            raise failure("option", f"expected one column for {kind}, found two")
        found[kind] = column
    return found


def _wrong(columns: object) -> Exception:
    message = f'expected {{"topic": "column", ...}} as columns, found {shown(columns)}'
    return failure("option", message)
