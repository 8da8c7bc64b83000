"""Runs and judgments in Parquet and Arrow IPC from anybody, read under limits and validated.

pyarrow trusts what it reads. Offsets may point anywhere, a few bytes may stand for gigabytes,
and the description of a column can end the process. So this module alone opens such files. It
never asks for statistics, looks at what headers say before pyarrow obeys them, reads in pieces,
and validates each.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from cranfield._base.errors import failure, optional, short
from cranfield._core import (
    DamagedHeaderError,
    Expansion,
    Limits,
    arrow_blocks,
    arrow_next_batch,
    arrow_unpacked,
    check_interrupt,
    parquet_row_groups,
    parquet_rows,
    table_columns,
)
from cranfield._io.columns import is_view, sum_of, text_lengths, validate

Pieces = Sequence[Sequence[int]] | None
Read = Callable[[int, int], bytes]
"""The bytes of a file from a place on."""

ROWS = 1 << 17
"""How many rows of Parquet are read at a time."""

_FEW = 1 << 12
"""Row groups are not read by themselves if they have not more rows."""

_BUFFER = 1 << 20
"""How many bytes of a column are read from the file at a time."""


class ArrowFile:
    """A file of Parquet or Arrow IPC, read in pieces: row groups, or batches.

    ``source`` is a path or an open file that can be sought in, ``size`` what it takes on disk.
    Raises ``Error``: kind "archive" for a damaged file, "limit" for one that expands too much,
    "type" for columns that are neither text nor numbers.
    """

    def __init__(
        self, source: Any, form: str, name: str, limits: Limits | None = None, size: int = 0
    ) -> None:
        self._arrow = optional("pyarrow", f"reading {name}", "arrow")
        self._parquet: Any = None
        self._source, self._form, self.label = source, form.title(), name
        self._line_bytes = (limits or Limits()).line_bytes
        with self._reported(), _read(source) as (read, length):
            self._said, self._found = (
                Expansion(size or length, data=self._form, label=name, limits=limits)
                for _ in range(2)
            )
            if form == "parquet":
                self._parquet = optional("pyarrow.parquet", f"reading {name}", "arrow")
                self._groups = parquet_row_groups(read, length)
                self._file = self._parquet.ParquetFile(
                    source, pre_buffer=False, buffer_size=_BUFFER, memory_map=False
                )
                schema = self._file.schema_arrow
                if len(self._groups) != self._file.num_row_groups:
                    raise DamagedHeaderError
            else:
                self._file = self._ipc_file()
                schema = self._file.schema
            self.names: list[str] = list(schema.names)
            self.metadata: dict[bytes, bytes] | None = schema.metadata
        self._types = list(schema.types)

    def _ipc_file(self) -> Any:
        """A reader of Arrow IPC, of a file or of a stream."""
        pa, source = self._arrow, self._source
        file = pa.OSFile(source) if isinstance(source, str) else pa.PythonFile(source, mode="r")
        file.seek(0)
        magic = file.read(6)
        file.seek(0)
        return pa.ipc.open_file(file) if magic == b"ARROW1" else pa.ipc.open_stream(file)

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """What pyarrow raises about the content becomes an error with the file's name."""
        try:
            yield
        except DamagedHeaderError:
            raise self._unreadable("a header is damaged") from None
        except UnicodeDecodeError:
            raise self._unreadable("a name in it is not UTF-8") from None
        except (self._arrow.ArrowException, OSError) as error:
            if isinstance(error, MemoryError) or getattr(error, "kind", None) is not None:
                raise
            raise self._unreadable(short(str(error).partition("\n")[0])) from error

    def _unreadable(self, why: str) -> Exception:
        message = f"expected {self._form}, found a file that cannot be read: {why}"
        return failure("archive", message, file=self.label)

    @property
    def pieces(self) -> Pieces:
        """What can be read by itself: batches, or row groups, short ones together.

        None if all is to be read in its order.
        """
        if self._parquet is None:
            number = getattr(self._file, "num_record_batches", None)
            return None if number is None else [[place] for place in range(number)]
        groups = [[group] for group in range(len(self._groups))]
        return list(self._together(groups, _FEW))

    def _together(self, pieces: Sequence[Sequence[int]], most: int) -> Iterator[list[int]]:
        """Pieces of Parquet as fewer, each of so many rows if one alone has not more."""
        together: list[int] = []
        rows = 0
        for piece in pieces:
            more = sum(self._groups[group][0] for group in piece)
            if together and rows + more > most:
                yield together
                together, rows = [], 0
            together += piece
            rows += more
        if together:
            yield together

    def batches(self, columns: Sequence[int], pieces: Pieces = None) -> Iterator[Any]:
        """The batches of some columns, of all pieces or of some; none is without rows."""
        for place in columns:
            self._check_column(place)
        pieces = self.pieces if pieces is None else pieces
        with self._reported(), _read(self._source) as (read, length):
            if self._parquet is not None:
                found = self._of_parquet(read, columns, pieces or ())
            elif pieces is None:
                found = self._of_stream(read, columns)
            else:
                found = self._of_blocks(read, length, columns, pieces)
            for batch in found:
                check_interrupt()
                for array in batch.columns:
                    # The sizes of buffers are right then, and what they hold may still lie.
                    array.validate()
                    self._count(array)
                    validate(array)
                if batch.num_rows:
                    yield batch

    def table(self) -> Any:
        """All columns, as one table of pyarrow's."""
        schema = self._arrow.schema(
            list(zip(self.names, self._types, strict=True)), metadata=self.metadata
        )
        columns: list[list[Any]] = [[] for _ in self.names]
        for batch in self.batches(range(len(self.names))):
            for column, array in zip(columns, batch.columns, strict=True):
                column.append(array)
        arrays = [
            self._arrow.chunked_array(chunks, kind)
            for chunks, kind in zip(columns, self._types, strict=True)
        ]
        return self._arrow.Table.from_arrays(arrays, schema=schema)

    def _check_column(self, place: int) -> None:
        name, kind = self.names[place], self._types[place]
        if not _is_plain(self._arrow, kind):
            message = f"expected text or numbers in column {name}, found {short(str(kind))}"
            raise failure("type", message, file=self.label)
        if (number := self.names.count(name)) > 1:
            message = f"expected one column {name}, found {number}"
            raise failure("type", message, file=self.label)

    def _of_blocks(
        self, read: Read, length: int, columns: Sequence[int], pieces: Sequence[Sequence[int]]
    ) -> Iterator[Any]:
        dictionaries, batches = arrow_blocks(read, length)
        if len(batches) != self._file.num_record_batches:
            raise DamagedHeaderError
        self._say(sum(arrow_unpacked(read, *block) for block in dictionaries))
        for piece in pieces:
            for place in piece:
                self._say(arrow_unpacked(read, *batches[place]))
                yield self._some(self._file.get_batch(place), columns)

    def _of_stream(self, read: Read, columns: Sequence[int]) -> Iterator[Any]:
        end = 0
        while (said := arrow_next_batch(read, end)) is not None:
            self._say(said[0])
            end = said[1]
            try:
                batch = self._file.read_next_batch()
            except StopIteration:
                return
            yield self._some(batch, columns)

    def _some(self, batch: Any, columns: Sequence[int]) -> Any:
        arrays = [batch.column(place) for place in columns]
        return self._arrow.RecordBatch.from_arrays(arrays, [self.names[p] for p in columns])

    def _of_parquet(
        self, read: Read, columns: Sequence[int], pieces: Sequence[Sequence[int]]
    ) -> Iterator[Any]:
        names = [self.names[place] for place in columns]
        of_file = self._file.schema
        leaves = [at for at in range(len(of_file.names)) if of_file.column(at).path in names]
        for piece in self._together(pieces, ROWS):
            # The headers are looked at just before pyarrow reads what they stand before.
            rows = self._rows_at_once(read, piece, leaves)
            for batch in self._file.iter_batches(rows, row_groups=piece, columns=names):
                yield batch.select(names)

    def _rows_at_once(self, read: Read, piece: Sequence[int], leaves: list[int]) -> int:
        rows = ROWS
        for group in piece:
            of_group, chunks = self._groups[group]
            own = [chunks[leaf] for leaf in leaves if leaf < len(chunks)]
            rows = min(rows, parquet_rows(read, own, of_group, self._say, self._unpacked))
        return rows

    def _unpacked(self, codec: str, page: bytes, size: int) -> Any:
        return self._arrow.Codec(codec).decompress(page, size, asbytes=True)

    def _say(self, size: int) -> None:
        """Counts what is said to unpack, be it more than any number of bytes."""
        self._said.add(min(size, 1 << 62))

    def _count(self, array: Any) -> None:
        """Counts the bytes of a column, each text as often as it comes."""
        import pyarrow.compute as pc

        lengths = text_lengths(array)
        if lengths is None:
            self._found.add(max(array.nbytes, len(array)))
            return
        self._found.add(sum_of(lengths) + 4 * len(array))
        longest = pc.max(lengths).as_py() or 0
        if longest > self._line_bytes:
            message, flag = (
                f"expected texts of at most {self._line_bytes} bytes, the limit {limit}, "
                f"found one of {longest}"
                for limit in ("`line_bytes`", "`--max-line`")
            )
            raise failure("limit", message, file=self.label, command_line=flag)


class Columnar:
    """A file of Parquet or Arrow IPC: its wanted columns in batches.

    ``given`` are {kind: column} of those with other than the usual names, ``what`` is the value.
    """

    def __init__(self, file: ArrowFile, given: Mapping[str, str], what: str) -> None:
        self._file = file
        names = file.names
        self._places = table_columns(names, dict(given), what)
        self._found = {kind: names[place] for kind, place in self._places.items()}

    def names(self) -> dict[str, str]:
        """What the columns are called, by the keywords of ``from_arrow``."""
        words = {"doc": "document"}
        return {words.get(kind, kind): name for kind, name in self._found.items() if kind != "run"}

    def batches(self, run: str | None = None, pieces: Pieces = None) -> Iterator[Any]:
        """The batches, of all rows or of those of one run; the column of runs is left out.

        Columns are called as in the file, the first is that of topics. Of a run it may be
        known in which pieces it is.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        kept = [kind for kind in self._places if kind != "run"]
        kinds = kept if run is None else [*kept, "run"]
        for batch in self._file.batches([self._places[kind] for kind in kinds], pieces):
            columns = [_without_view(column) for column in batch.columns]
            names = [self._found[kind] for kind in kept]
            rows = pa.RecordBatch.from_arrays(columns[: len(kept)], names=names)
            if run is not None:
                runs = pc.cast(_plain(columns[-1]), "string")
                rows = rows.filter(pc.equal(runs, run))
            if rows.num_rows:
                yield rows

    def table(self, run: str | None = None, pieces: Pieces = None) -> Any:
        """The same as one table, or None if it would be without rows."""
        import pyarrow as pa

        batches = list(self.batches(run, pieces))
        return pa.Table.from_batches(batches) if batches else None

    def run_names(self) -> dict[str, Pieces]:
        """The values of the column of runs, in the order of their first rows, and where each is."""
        if "run" not in self._places:
            return {}
        import pyarrow.compute as pc

        pieces = self._file.pieces
        found: dict[str, list[Sequence[int]]] = {}
        for piece in (None,) if pieces is None else pieces:
            read = self._file.batches([self._places["run"]], None if piece is None else [piece])
            for batch in read:
                for value in pc.unique(_plain(batch.column(0))).to_pylist():
                    if value is None:
                        message = "expected names of runs, found nulls"
                        raise failure("type", message, file=self._file.label)
                    places = found.setdefault(str(value), [])
                    if piece is not None and piece not in places[-1:]:
                        places.append(piece)
        return {name: places or None for name, places in found.items()}


def _plain(column: Any) -> Any:
    """A column without a dictionary."""
    return column.dictionary_decode() if hasattr(column, "dictionary_decode") else column


def _without_view(column: Any) -> Any:
    """A column of text that Arrow's functions take: few of them take views, as Polars writes."""
    return column.cast("large_string") if is_view(column.type) else column


def without_views(table: Any, arrow: Any) -> Any:
    """A table without columns of views."""
    fields = [
        field.with_type(arrow.large_string()) if field.type == arrow.string_view() else field
        for field in table.schema
    ]
    return table.cast(arrow.schema(fields))


def whole_topics(batches: Iterator[Any]) -> Iterator[Any]:
    """Tables of whole topics, from batches in which the rows of a topic are contiguous."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    held: list[Any] = []
    last: Any = None
    for batch in batches:
        check_interrupt()
        topics = _plain(batch.column(0))
        differs = pc.not_equal(topics, topics[-1]).to_numpy(zero_copy_only=False)
        places = np.flatnonzero(differs)
        start = int(places[-1]) + 1 if len(places) else 0
        if start == 0 and held and last == topics[-1].as_py():
            held.append(batch)
            continue
        before = [*held, batch.slice(0, start)] if start else held
        if before:
            yield pa.Table.from_batches(before)
        held, last = [batch.slice(start)], topics[-1].as_py()
    if held:
        yield pa.Table.from_batches(held)


@contextmanager
def _read(source: Any) -> Iterator[tuple[Read, int]]:
    """What reads a part of a path, or of an open file, which is left where it stands; its size."""
    file = open(source, "rb", buffering=0) if isinstance(source, str) else source  # noqa: SIM115
    try:
        at = file.tell()
        size = file.seek(0, os.SEEK_END)
        file.seek(at)

        def read(place: int, length: int) -> bytes:
            if not 0 <= place < size:
                return b""
            before = file.tell()
            try:
                file.seek(place)
                return bytes(file.read(min(length, size - place)) or b"")
            finally:
                file.seek(before)

        yield read, size
    finally:
        if isinstance(source, str):
            file.close()


def _is_plain(arrow: Any, kind: Any) -> bool:
    """Whether a type is one of texts or numbers, perhaps in a dictionary."""
    types = arrow.types
    if types.is_dictionary(kind):
        return not types.is_dictionary(kind.value_type) and _is_plain(arrow, kind.value_type)
    if types.is_string(kind) or types.is_large_string(kind) or is_view(kind):
        return True
    known = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean)
    return any(is_one(kind) for is_one in known) or types.is_null(kind)
