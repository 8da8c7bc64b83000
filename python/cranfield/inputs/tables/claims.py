"""How many bytes the pages of Parquet and the buffers of Arrow IPC are said to unpack to.

pyarrow makes room for as much as a header says, and fills it. So the headers are looked at
before; nothing else of these formats is known here. They are read as pyarrow reads them, also
where they are wrong, so that nobody can show one size here and another there.
"""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Read = Callable[[int, int], bytes]
    """The bytes of a file from a place on."""

    Fields = dict[tuple[int, int], Any]

_DEEP = 32
_HEADER = 1 << 7
"""How many bytes of a header are read at first; statistics can make it longer."""
_LONGEST = 1 << 24
_DICTIONARY_PAGE = 2
_CHAINED = 7
"""The encoding in which a text begins as the one before."""


class Damaged(Exception):  # noqa: N818 - it does not leave the reader
    """Bytes that are no header."""


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

    __slots__ = ("chained", "coded", "pages")

    def __init__(self) -> None:
        self.pages = self.coded = self.chained = 0


class RowGroups:
    """The row groups of a Parquet file; raises ``Damaged``."""

    def __init__(self, read: Read, size: int) -> None:
        self.read = read
        (length,) = struct.unpack("<I", read(max(0, size - 8), 4) or bytes(4))
        footer = _Compact(read(max(0, size - 8 - length), length)).struct(0)
        self._groups: list[Fields] = _list(footer, 4)

    def __len__(self) -> int:
        return len(self._groups)

    def rows(self, group: int) -> int:
        """How many rows one is said to have."""
        return _number(self._groups[group], 3)

    def chunks(self, group: int, columns: list[int]) -> list[Chunk]:
        """Some of its columns, by their places among all that hold values."""
        found = _list(self._groups[group], 1)
        return [_chunk(self.read, found[column]) for column in columns if column < len(found)]


def _chunk(read: Read, column: Fields) -> Chunk:
    meta = _struct(column, 3)
    place, first = _number(meta, 9), _number(meta, 11)
    if 0 < first < place:
        place = first
    end, values = place + _number(meta, 7), _number(meta, 5)
    chunk = Chunk()
    # Nothing is read behind the last value.
    while place < end and values > 0:
        header, length = _page_header(read, place)
        unpacked, packed = _number(header, 2, _I32), _number(header, 3, _I32)
        if unpacked < 0 or packed < 0:
            raise Damaged
        chunk.pages += unpacked
        one, two = _struct(header, 5), _struct(header, 8)
        if _number(header, 1, _I32) == _DICTIONARY_PAGE:
            chunk.coded = max(chunk.coded, unpacked)
        if _CHAINED in (_number(one, 2, _I32), _number(two, 4, _I32)):
            chunk.chained = max(chunk.chained, unpacked)
        values -= _number(one, 1, _I32) or _number(two, 1, _I32)
        place += length + packed
    return chunk


def _page_header(read: Read, place: int) -> tuple[Fields, int]:
    """A header and its length."""
    size = _HEADER
    while True:
        data = read(place, size)
        reader = _Compact(data)
        try:
            return reader.struct(0), reader.place
        except Damaged:
            if len(data) < size or size >= _LONGEST:
                raise
            size *= 16


_BOOLEAN, _I32, _I64, _LIST, _STRUCT = 1, 5, 6, 9, 12


def _number(fields: Fields, number: int, kind: int = _I64) -> int:
    found: int = fields.get((number, kind), 0)
    return found


def _struct(fields: Fields, number: int) -> Fields:
    found: Fields = fields.get((number, _STRUCT), {})
    return found


def _list(fields: Fields, number: int) -> list[Fields]:
    return [item for item in fields.get((number, _LIST), ()) if isinstance(item, dict)]


class _Compact:
    """Thrift's compact protocol: structures as {(number, kind) of a field: value}."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.place = 0

    def struct(self, depth: int) -> Fields:
        """A structure. Of a field that comes twice the last counts; one of another kind does not."""
        if depth > _DEEP:
            raise Damaged
        fields: Fields = {}
        number = 0
        while (head := self._byte()) & 15:
            number = number + (head >> 4) if head >> 4 else self._integer(32)
            number = (number + 0x8000 & 0xFFFF) - 0x8000
            kind = head & 15
            same = {2: _BOOLEAN, 10: _LIST}.get(kind, kind)
            fields[number, same] = self._value(kind, depth + 1)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._integer(32 if kind == 5 else 64)
        if kind == 7:
            return self._bytes(8)
        if kind == 8:
            return self._bytes(self._unsigned())
        if kind in (9, 10):
            head = self._byte()
            count = head >> 4 if head >> 4 < 15 else self._unsigned()
            return [self._item(head & 15, depth) for _ in range(count)]
        if kind == 11:
            count = self._unsigned()
            kinds = self._byte() if count else 0
            pair = (kinds >> 4, kinds & 15)
            return [self._item(kind, depth) for _ in range(count) for kind in pair]
        if kind == 12:
            return self.struct(depth)
        raise Damaged

    def _item(self, kind: int, depth: int) -> Any:
        """An item of a list, where a boolean has a byte of its own."""
        return self._byte() if kind in (1, 2) else self._value(kind, depth)

    def _byte(self) -> int:
        if self.place >= len(self._data):
            raise Damaged
        self.place += 1
        return self._data[self.place - 1]

    def _bytes(self, length: int) -> bytes:
        start, self.place = self.place, self.place + length
        if self.place > len(self._data):
            raise Damaged
        return self._data[start : self.place]

    def _unsigned(self) -> int:
        found = shift = 0
        while (byte := self._byte()) & 128:
            found |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise Damaged
        return found | byte << shift

    def _integer(self, bits: int) -> int:
        found = self._unsigned() & ((1 << bits) - 1)
        return (found >> 1) ^ -(found & 1)


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
    if kind in (_DICTIONARY, _BATCH) and content is not None:
        if content.table(3) is not None or b"experimental_compression" in metadata:
            unpacked = _buffers(read, content, body)
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
