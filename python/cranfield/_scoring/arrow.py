"""Scores of the rows of an Arrow table, for the loops and queries of other libraries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cranfield._base.errors import failure, optional, short
from cranfield._core import Run, column_place
from cranfield._io.arrow_files import without_views
from cranfield._io.columns import sound_columns, table_of
from cranfield._scores.scores import Scores


def scored(batch: Any, names: Sequence[str], evaluate: Callable[[Any], Scores]) -> Any:
    """A table of scores from one of (run, topic, doc, score).

    ``names`` are those of the measures; ``evaluate`` leaves out the topics that a batch lacks.
    """
    pa = optional("pyarrow", "scoring an Arrow table", "arrow")
    given = batch
    if hasattr(batch, "iloc") and hasattr(batch, "columns"):
        try:
            batch = pa.Table.from_pandas(batch, preserve_index=False)
        except (pa.ArrowException, TypeError) as error:
            message = f"expected a frame that becomes Arrow, found none: {short(str(error))}"
            raise failure("type", message) from error
    elif not isinstance(batch, (pa.Table, pa.RecordBatch)):
        if not hasattr(batch, "__arrow_c_stream__"):
            message = f"expected an Arrow table or batch, found a {type(batch).__name__}"
            raise failure("type", message)
        batch = table_of(batch, pa)
    table = sound_columns(batch, lambda names: range(len(names)))
    schema = pa.schema(
        [("run", pa.string()), ("topic", pa.string()), *((name, pa.float64()) for name in names)]
    )
    found: list[Any] = [[] for _ in schema]
    for name, run in _runs(table, pa):
        scores = evaluate({name: run})
        present = [place for place, topic in enumerate(scores.topics) if topic in run]
        found[0] += [name] * len(present)
        found[1] += [scores.topics[place] for place in present]
        for place in range(len(names)):
            found[2 + place] += scores.values[0, present, place].tolist()
    columns = [pa.array(values, field.type) for values, field in zip(found, schema, strict=True)]
    if isinstance(given, pa.RecordBatch):
        return pa.RecordBatch.from_arrays(columns, schema=schema)
    return pa.Table.from_arrays(columns, schema=schema)


def _runs(table: Any, pa: Any) -> Iterator[tuple[str, Run]]:
    """The runs of a table by the name in its column, in the order of their first rows."""
    if not table.num_rows:
        return
    compute = optional("pyarrow.compute", "scoring an Arrow table", "arrow")
    place = column_place(table.schema.names, "run")
    if place is None:
        yield "run", Run.from_arrow(table)
        return
    runs = compute.cast(table.column(place), pa.string())
    rest = without_views(table.remove_column(place), pa)
    for value in compute.unique(runs).to_pylist():
        if value is None:
            raise failure("type", "expected names of runs in column run, found nulls")
        yield value, Run.from_arrow(rest.filter(compute.equal(runs, value)), name=value)
