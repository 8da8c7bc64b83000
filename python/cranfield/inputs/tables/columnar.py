"""Parquet and Arrow IPC as record batches, through pyarrow."""

from __future__ import annotations

from contextlib import contextmanager

from cranfield.errors import failure, optional, short
from cranfield.inputs.tables.recognised import place_of
from cranfield.inputs.tables.rows import check_columns, wanted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

ROWS = 1 << 17
"""How many rows of Parquet are read at a time."""

_BUFFER = 1 << 20
"""How many bytes of a column are read at a time."""


class Columnar:
    """A file of Parquet or Arrow IPC: its wanted columns in batches.

    ``source`` is a path or an open file that can be sought in.
    """

    def __init__(
        self, source: Any, form: str, name: str, given: Mapping[str, str], *, what: str
    ) -> None:
        self._arrow = optional("pyarrow", f"reading {name}", "arrow")
        self._name = name
        self._parquet: Any = None
        self._close = None
        with self._reported(form):
            if form == "parquet":
                parquet = optional("pyarrow.parquet", f"reading {name}", "arrow")
                self._parquet = parquet.ParquetFile(
                    source, pre_buffer=False, buffer_size=_BUFFER, memory_map=False
                )
                names = self._parquet.schema_arrow.names
            else:
                self._ipc = self._opened(source)
                names = self._ipc.schema.names
        self._form = form
        self._found = {}
        for kind in wanted(what):
            place = place_of(names, kind, given)
            if place is not None:
                self._found[kind] = names[place]
        check_columns(self._found, names, given, what, name)

    def _opened(self, source: Any) -> Any:
        """A reader of Arrow IPC, of a file or of a stream."""
        pa = self._arrow
        file = pa.OSFile(source) if isinstance(source, str) else pa.PythonFile(source, mode="r")
        magic = file.read(6)
        file.seek(0)
        return pa.ipc.open_file(file) if magic == b"ARROW1" else pa.ipc.open_stream(file)

    @contextmanager
    def _reported(self, form: str) -> Iterator[None]:
        """What pyarrow raises about the content becomes an error with the file's name."""
        try:
            yield
        except (self._arrow.ArrowException, OSError) as error:
            if getattr(error, "kind", None) is not None:
                raise
            text = short(str(error).partition("\n")[0])
            message = f"expected {form.title()}, found a file that cannot be read: {text}"
            raise failure("archive", message, file=self._name) from error

    def names(self) -> dict[str, str]:
        """What the columns are called, by the keywords of ``from_arrow``."""
        words = {"doc": "document"}
        return {words.get(kind, kind): name for kind, name in self._found.items() if kind != "run"}

    def batches(self, run: str | None = None) -> Iterator[Any]:
        """The batches, of all rows or of those of one run; the column of runs is left out.

        Columns are called as in the file, the first is that of topics.
        """
        pa = self._arrow
        kept = [kind for kind in self._found if kind != "run"]
        with self._reported(self._form):
            for batch in self._raw(run):
                columns = [_plain_text(pa, batch.column(self._place(batch, k))) for k in kept]
                rows = pa.RecordBatch.from_arrays(columns, names=[self._found[k] for k in kept])
                if run is not None:
                    runs = _plain(batch.column(self._place(batch, "run")))
                    rows = rows.filter(pa.compute.equal(pa.compute.cast(runs, "string"), run))
                if rows.num_rows:
                    yield rows

    def run_names(self) -> list[str]:
        """The values of the column of runs, in the order of their first rows."""
        if "run" not in self._found:
            return []
        pc = optional("pyarrow.compute", f"reading {self._name}", "arrow")
        found: dict[str, None] = {}
        with self._reported(self._form):
            for batch in self._raw(None, ["run"]):
                column = batch.column(self._place(batch, "run"))
                for value in pc.unique(_plain(column)).to_pylist():
                    if value is None:
                        raise failure(
                            "type", "expected names of runs, found nulls", file=self._name
                        )
                    found[str(value)] = None
        return list(found)

    def _place(self, batch: Any, kind: str) -> int:
        return int(batch.schema.get_field_index(self._found[kind]))

    def _raw(self, run: str | None, kinds: list[str] | None = None) -> Iterator[Any]:
        names = [self._found[kind] for kind in kinds or self._found]
        if self._parquet is None:
            for place in range(self._ipc.num_record_batches) if self._seekable() else ():
                yield self._ipc.get_batch(place)
            if not self._seekable():
                yield from self._ipc
            return
        groups = [
            group
            for group in range(self._parquet.num_row_groups)
            if run is None or self._may_hold(group, run)
        ]
        # Without row groups a batch would be of all of them.
        if groups:
            yield from self._parquet.iter_batches(ROWS, row_groups=groups, columns=names)

    def _seekable(self) -> bool:
        return hasattr(self._ipc, "num_record_batches")

    def _may_hold(self, group: int, run: str) -> bool:
        """Whether the statistics of a row group leave it open that it has rows of a run."""
        described = self._parquet.metadata.row_group(group)
        for place in range(described.num_columns):
            column = described.column(place)
            if column.path_in_schema == self._found["run"]:
                statistics = column.statistics
                if statistics is None or not statistics.has_min_max:
                    return True
                low, high = statistics.min, statistics.max
                return not isinstance(low, str) or low <= run <= high
        return True


def _plain(column: Any) -> Any:
    """A column without a dictionary."""
    return column.dictionary_decode() if hasattr(column, "dictionary_decode") else column


def _plain_text(arrow: Any, column: Any) -> Any:
    """A column of text that Arrow's functions take: few of them take views, as Polars writes."""
    if column.type == arrow.string_view():
        return column.cast(arrow.large_string())
    return column


def without_views(table: Any, arrow: Any) -> Any:
    """A table without columns of views."""
    fields = [
        field.with_type(arrow.large_string()) if field.type == arrow.string_view() else field
        for field in table.schema
    ]
    return table.cast(arrow.schema(fields))


def whole_topics(batches: Iterator[Any], arrow: Any) -> Iterator[Any]:
    """Tables of whole topics, from batches in which the rows of a topic stand together."""
    import numpy as np

    pc = optional("pyarrow.compute", "reading Arrow", "arrow")
    held: list[Any] = []
    last: Any = None
    for batch in batches:
        topics = _plain(batch.column(0))
        differs = pc.not_equal(topics, topics[-1]).to_numpy(zero_copy_only=False)
        places = np.flatnonzero(differs)
        start = int(places[-1]) + 1 if len(places) else 0
        if start == 0 and held and last == topics[-1].as_py():
            held.append(batch)
            continue
        before = [*held, batch.slice(0, start)] if start else held
        if before:
            yield arrow.Table.from_batches(before).unify_dictionaries()
        held, last = [batch.slice(start)], topics[-1].as_py()
    if held:
        yield arrow.Table.from_batches(held).unify_dictionaries()
