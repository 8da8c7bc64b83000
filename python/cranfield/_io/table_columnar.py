"""Runs and judgments in Parquet and Arrow IPC as record batches of whole topics."""

from __future__ import annotations

from cranfield._base.errors import failure, optional
from cranfield._core import check_interrupt
from cranfield._io.table_columns import place_of
from cranfield._io.table_guarded import Guarded
from cranfield._io.table_rows import check_columns, wanted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from cranfield._core import Limits
    from cranfield._io.table_guarded import Pieces


class Columnar:
    """A file of Parquet or Arrow IPC: its wanted columns in batches.

    ``source``, ``form``, ``name``, ``limits`` and ``size`` are those of ``Guarded``.
    """

    def __init__(
        self,
        source: Any,
        form: str,
        name: str,
        given: Mapping[str, str],
        *,
        what: str,
        limits: Limits | None = None,
        size: int = 0,
    ) -> None:
        self._arrow = optional("pyarrow", f"reading {name}", "arrow")
        self._name = name
        self._file = Guarded(source, form, name, limits, size)
        names = self._file.names
        self._places: dict[str, int] = {}
        for kind in wanted(what):
            place = place_of(names, kind, given)
            if place is not None:
                self._places[kind] = place
        self._found = {kind: names[place] for kind, place in self._places.items()}
        check_columns(self._found, names, given, what, name)

    def names(self) -> dict[str, str]:
        """What the columns are called, by the keywords of ``from_arrow``."""
        words = {"doc": "document"}
        return {words.get(kind, kind): name for kind, name in self._found.items() if kind != "run"}

    def batches(self, run: str | None = None, pieces: Pieces = None) -> Iterator[Any]:
        """The batches, of all rows or of those of one run; the column of runs is left out.

        Columns are called as in the file, the first is that of topics. Of a run it may be
        known in which pieces it is.
        """
        pa = self._arrow
        pc = optional("pyarrow.compute", f"reading {self._name}", "arrow")
        kept = [kind for kind in self._places if kind != "run"]
        kinds = kept if run is None else [*kept, "run"]
        for batch in self._file.batches([self._places[kind] for kind in kinds], pieces):
            columns = [_plain_text(pa, column) for column in batch.columns]
            names = [self._found[kind] for kind in kept]
            rows = pa.RecordBatch.from_arrays(columns[: len(kept)], names=names)
            if run is not None:
                runs = pc.cast(_plain(columns[-1]), "string")
                rows = rows.filter(pc.equal(runs, run))
            if rows.num_rows:
                yield rows

    def run_names(self) -> dict[str, Pieces]:
        """The values of the column of runs, in the order of their first rows, and where each is."""
        if "run" not in self._places:
            return {}
        pc = optional("pyarrow.compute", f"reading {self._name}", "arrow")
        pieces = self._file.pieces
        found: dict[str, list[Sequence[int]]] = {}
        for piece in (None,) if pieces is None else pieces:
            read = self._file.batches([self._places["run"]], None if piece is None else [piece])
            for batch in read:
                for value in pc.unique(_plain(batch.column(0))).to_pylist():
                    if value is None:
                        message = "expected names of runs, found nulls"
                        raise failure("type", message, file=self._name)
                    places = found.setdefault(str(value), [])
                    if piece is not None and piece not in places[-1:]:
                        places.append(piece)
        return {name: places or None for name, places in found.items()}


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
            yield arrow.Table.from_batches(before)
        held, last = [batch.slice(start)], topics[-1].as_py()
    if held:
        yield arrow.Table.from_batches(held)
