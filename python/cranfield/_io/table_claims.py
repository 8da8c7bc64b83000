"""How many bytes the pages of Parquet and the buffers of Arrow IPC are said to unpack to.

pyarrow makes room for as much as a header says, and fills it. So the headers are looked at
before; nothing else of these formats is known here. They are read as pyarrow reads them, also
where they are wrong, so that nobody can show one size here and another there.
"""

from __future__ import annotations

import struct

from cranfield._core import longest_text, parquet_page, parquet_row_groups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Read = Callable[[int, int], bytes]
    """The bytes of a file from a place on."""


class Damaged(Exception):  # noqa: N818 - it does not leave the reader
    """Bytes that are no header."""


class RowGroups:
    """The row groups of a Parquet file; raises ``Damaged``."""

    def __init__(self, read: Read, size: int) -> None:
        length = int.from_bytes(read(max(0, size - 8), 4), "little")
        groups = parquet_row_groups(read(max(0, size - 8 - length), length))
        if groups is None:
            raise Damaged
        self._groups = groups

    def __len__(self) -> int:
        return len(self._groups)

    def rows(self, group: int) -> int:
        """How many rows one is said to have."""
        return max(0, self._groups[group][0])

    def chunks(self, read: Read, group: int, columns: list[int]) -> list[Chunk]:
        """Some of its columns, by their places among all that hold values."""
        found = self._groups[group][1]
        return [Chunk(read, *found[column]) for column in columns if column < len(found)]


_HEADER = 1 << 7
"""How many bytes of a header are read at first; statistics can make it longer."""
_LONGEST = 1 << 24
_TEXT = 6
_CODECS = {0: None, 1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "lz4_raw"}


class Chunk:
    """A column in a row group of Parquet: what its pages are said to unpack to, in bytes.

    Attributes
    ----------
    pages
        All of them.
    coded
        The dictionary: a text from it can come any number of times.
    chained
        The largest page of texts that begin as the one before: one can be as long.

    """

    __slots__ = ("_codec", "_dictionary", "_is_text", "_read", "chained", "coded", "pages")

    def __init__(
        self, read: Read, place: int, size: int, values: int, codec: int, kind: int
    ) -> None:
        self.pages = self.coded = self.chained = 0
        self._read, self._codec, self._is_text = read, codec, kind == _TEXT
        self._dictionary = (0, 0)
        end = place + size
        # Nothing is read behind the last value.
        while place < end and values > 0:
            header, unpacked, packed, more, is_dictionary, is_chained = _page(read, place)
            if unpacked < 0 or packed < 0:
                raise Damaged
            self.pages += unpacked
            if is_dictionary:
                self.coded, self._dictionary = unpacked, (place + header, packed)
            if is_chained:
                self.chained = max(self.chained, unpacked)
            values -= more
            place += header + packed

    def longest(self, arrow: Any) -> int:
        """The bytes of the longest text of its dictionary, which is unpacked for that."""
        if not self._is_text:
            return 0
        if self._codec not in _CODECS:
            return self.coded
        page, codec = self._read(*self._dictionary), _CODECS[self._codec]
        if codec is not None:
            page = arrow.Codec(codec).decompress(page, self.coded, asbytes=True)
        return longest_text(page)


def _page(read: Read, place: int) -> tuple[int, int, int, int, bool, bool]:
    size = _HEADER
    while True:
        data = read(place, size)
        found = parquet_page(data)
        if found is not None:
            return found
        if len(data) < size or size >= _LONGEST:
            raise Damaged
        size *= 16


def batches_of_stream(read: Read) -> Iterator[int]:
    """For each batch of a stream of Arrow's what it, and all since the one before, unpacks to.

    Raises ``Damaged``.
    """
    place = total = 0
    while (length := _prefix(read, place)) is not None:
        body = place + length
        kind, unpacked, size = _message(read, place, body)
        total, place = total + unpacked, body + size
        if kind == _BATCH:
            yield total
            total = 0


_DICTIONARY, _BATCH = 2, 3


class Blocks:
    """The blocks of a file of Arrow's, dictionaries and batches; raises ``Damaged``."""

    def __init__(self, read: Read, size: int) -> None:
        self._read = read
        (length,) = struct.unpack("<i", read(max(0, size - 10), 4) or bytes(4))
        footer = _Flat.root(read(max(0, size - 10 - length), max(0, length)))
        self._dictionaries = list(footer.structs(2, "<qi4xq"))
        self._batches = list(footer.structs(3, "<qi4xq"))

    def __len__(self) -> int:
        return len(self._batches)

    def dictionaries(self) -> int:
        """What the dictionaries are said to unpack to."""
        return sum(self._unpacked(block) for block in self._dictionaries)

    def batch(self, number: int) -> int:
        """What a batch is said to unpack to."""
        return self._unpacked(self._batches[number])

    def _unpacked(self, block: tuple[int, ...]) -> int:
        place, length = block[:2]
        return _message(self._read, place, place + length)[1]


def _prefix(read: Read, place: int) -> int | None:
    """The bytes before the body of a message, if there is one."""
    head = read(place, 8)
    continued = head[:4] == b"\xff\xff\xff\xff"
    length = head[4:8] if continued else head[:4]
    if len(length) < 4 or not any(length):
        return None
    return (8 if continued else 4) + max(0, int.from_bytes(length, "little", signed=True))


def _message(read: Read, place: int, body: int) -> tuple[int, int, int]:
    """The kind of a message, what its body unpacks to, and the size of the body."""
    head = _prefix(read, place)
    if head is None:
        raise Damaged
    first = 8 if read(place, 4) == b"\xff\xff\xff\xff" else 4
    metadata = read(place + first, head - first)
    message = _Flat.root(metadata)
    kind, content = message.number(1, "<B"), message.table(2)
    if kind == _DICTIONARY and content is not None:
        content = content.table(1)
    unpacked = 0
    # The compression of the oldest files is named elsewhere.
    of_rows = content if kind in (_DICTIONARY, _BATCH) else None
    if of_rows and (of_rows.table(3) or b"experimental_compression" in metadata):
        unpacked = _buffers(read, of_rows, body)
    return kind, unpacked, max(0, message.number(3, "<q"))


def _buffers(read: Read, batch: _Flat, body: int) -> int:
    """What the buffers of a batch are said to unpack to, each by its first bytes."""
    total = 0
    for offset, length in batch.structs(2, "<qq"):
        if length >= 8 and offset >= 0:
            claimed = int.from_bytes(read(body + offset, 8), "little", signed=True)
            total += claimed if claimed >= 0 else length
    return total


class _Flat:
    """A table of a flatbuffer."""

    def __init__(self, data: bytes, place: int) -> None:
        self._data = data
        self._place = place
        (back,) = self._unpacked("<i", place)
        self._fields = place - back
        (self._size,) = self._unpacked("<H", self._fields)

    @classmethod
    def root(cls, data: bytes) -> _Flat:
        """The table that a buffer holds."""
        if len(data) < 4:
            raise Damaged
        return cls(data, *struct.unpack_from("<I", data))

    def number(self, field: int, form: str) -> int:
        """A number, 0 if it is not there."""
        place = self._field(field)
        return 0 if place is None else int(self._unpacked(form, place)[0])

    def table(self, field: int) -> _Flat | None:
        """A table inside."""
        place = self._field(field)
        return None if place is None else _Flat(self._data, self._pointed(place))

    def structs(self, field: int, form: str) -> Iterator[tuple[Any, ...]]:
        """The structures of a vector."""
        place = self._field(field)
        if place is None:
            return iter(())
        start = self._pointed(place)
        (count,) = self._unpacked("<I", start)
        size = struct.calcsize(form)
        if start + 4 + count * size > len(self._data):
            raise Damaged
        return struct.iter_unpack(form, self._data[start + 4 : start + 4 + count * size])

    def _field(self, field: int) -> int | None:
        if 4 + 2 * field + 2 > self._size:
            return None
        (offset,) = self._unpacked("<H", self._fields + 4 + 2 * field)
        return self._place + offset if offset else None

    def _pointed(self, place: int) -> int:
        return int(place + self._unpacked("<I", place)[0])

    def _unpacked(self, form: str, place: int) -> tuple[Any, ...]:
        if place < 0 or place + struct.calcsize(form) > len(self._data):
            raise Damaged
        return struct.unpack_from(form, self._data, place)
