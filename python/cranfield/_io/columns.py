"""Judgments and runs from tables: Arrow, data frames, rows of tuples.

Every kind of table comes down to three columns, topic, document and value, and
for a run perhaps the rank. They are found by name; where the names of three columns
are unknown they are taken in order.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from cranfield._base.errors import failure, label_failure, short, shown
from cranfield._core import (
    COLUMN_NAMES,
    Error,
    Qrels,
    Run,
    check_interrupt,
    is_dataset,
    qrels_columns,
    row_columns,
    run_columns,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

TOPIC = COLUMN_NAMES["topic"]
"""The names of the column of topics, in every file that has columns."""

TOPIC_ID = tuple(name for name in TOPIC if name not in ("topic", "query"))
"""The names of what is an id of a topic wherever it is found, also in objects with its text."""

DOCUMENT = COLUMN_NAMES["doc"]
"""The names of the column of documents."""

DOCUMENT_ID = tuple(name for name in DOCUMENT if name not in ("doc", "document"))
"""The names of what is an id of a document wherever it is found, also beside its text."""


def _with_columns(source: Any, value: str) -> Any:
    """What has columns, of an object that is a table.

    Raises ``Error`` (kind "type") for a Series that has values only.
    """
    if is_dataset(source):
        # Its Arrow table has the rows that were filtered out, too.
        return source.with_format("arrow")[:]
    indexed = hasattr(source, "iloc") and not hasattr(source, "columns")
    if indexed and source.index.nlevels == 2:
        return source.rename(value).reset_index()
    of = str(getattr(source, "dtype", getattr(source, "type", "struct")))
    if indexed or not of.lower().startswith("struct"):
        found = f"expected columns for topic, doc and {value}, found a {type(source).__name__}"
        way = "pass the table that it is from"
        if indexed:
            way += ", or index it by topic and document"
        raise failure("type", f"{found}, which is one column: {way}")
    return source


def of_topic(given: Any, wanted: str) -> Any:
    """The documents of one topic in a column of another library, or {document: value}.

    A Series of pandas has its documents as its values, or as its index if these are numbers.
    Raises ``Error``: kind "type" for a table and where both can be ids, "duplicate" for an index
    that names a document twice.
    """
    kind = type(given).__name__
    if hasattr(given, "columns"):
        way = "pass one table with a column of topics"
        raise failure("type", f"expected {wanted}, found a {kind}: {way}")
    if not hasattr(given, "iloc"):
        return given.to_pylist()
    index, numbers = given.index, getattr(given.dtype, "kind", "O")
    counted = type(index).__name__ == "RangeIndex"
    if numbers not in "iuf" or (counted and numbers in "iu"):
        return given.tolist()
    if counted or (numbers in "iu" and getattr(index.dtype, "kind", "O") in "iu"):
        what = "whose index does not name documents" if counted else "of which both could be ids"
        way = "pass .tolist() of documents, or index values by document and pass .to_dict()"
        raise failure("type", f"expected {wanted}, found a {kind} of numbers, {what}: {way}")
    return _by_index(given)


def _by_index(series: Any) -> dict[Any, Any]:
    """{label: value} of a Series of pandas; raises ``Error`` for a label that comes twice."""
    if not series.index.is_unique:
        label = series.index[series.index.duplicated()][0]
        found = f"found {shown(label)} again in a {type(series).__name__}"
        raise failure("duplicate", f"expected each label of the index once, {found}")
    return dict(zip(series.index, series, strict=True))


def by_topic(given: Any) -> Any:
    """{topic: documents} of a Series of pandas that has lists; all else as it is."""
    if not hasattr(given, "iloc") or hasattr(given, "columns") or given.index.nlevels > 1:
        return given
    values = given.tolist()
    has_lists = all(isinstance(one, (list, tuple, set, frozenset, dict)) for one in values)
    return _by_index(given) if values and has_lists else given


def qrels_from_table(table: Any, docs_in_collection: int | None) -> Qrels:
    """Judgments from a table; raises ``Error`` (kind "type") for its columns."""
    table = _with_columns(table, "grade")
    try:
        return Qrels.from_arrow(table, docs_in_collection=docs_in_collection)
    except Error as error:
        # One with a cause is that the table did not become Arrow.
        if error.__cause__ is None or not hasattr(table, "iloc"):
            raise
        topics, documents, grades = _pandas_columns(table, qrels_columns)
        return Qrels.from_rows(topics, documents, grades, docs_in_collection=docs_in_collection)


def run_from_table(table: Any, name: str) -> Run:
    """A run from a table; raises ``Error`` (kind "type") for its columns."""
    table = _with_columns(table, "score")
    try:
        return Run.from_arrow(table, name=name)
    except Error as error:
        # One with a cause is that the table did not become Arrow.
        if error.__cause__ is None or not hasattr(table, "iloc"):
            raise
        return _run_of_columns(_pandas_columns(table, run_columns), name)


def qrels_from_rows(rows: Iterable[Any], docs_in_collection: int | None) -> Qrels:
    """Judgments from tuples, named or of three, or from dicts; raises as the tables do."""
    # Their order does not count.
    rows = list(rows) if isinstance(rows, (set, frozenset)) else rows
    topics, documents, grades = row_columns(rows, "grade")
    return Qrels.from_rows(topics, documents, grades, docs_in_collection=docs_in_collection)


def run_from_rows(rows: Iterable[Any], name: str) -> Run:
    """A run from tuples, named or of three, or from dicts; raises as the tables do."""
    return _run_of_columns(row_columns(rows, "score"), name)


def _run_of_columns(columns: list[Any], name: str) -> Run:
    """A run from columns as lists, in the order of ``run_columns``."""
    topics, documents, scores, *others = columns
    named = dict(zip(("ranks", "chars", "tokens", "cost", "call"), others, strict=True))
    return Run.from_rows(topics, documents, scores, **named, name=name)


def is_rank_eval(answer: Mapping[Any, Any]) -> bool:
    """Whether something is an answer of ``_rank_eval``."""
    return "metric_score" in answer and isinstance(answer.get("details"), Mapping)


def sound_arrow(
    given: Any, find: Callable[..., list[int | None]], named: Sequence[str | None]
) -> Any:
    """An object to be read as an Arrow stream: of pyarrow's the wanted columns, validated.

    ``find`` finds their places by ``named``, as ``run_columns`` does. Raises ``Error`` (kind
    "type") for columns that lie about their content; others raise what converting them raises.
    """
    pa = _pyarrow()
    if pa is None:
        return given
    # A reader is read here: Arrow's C interface makes text of what a Python generator raises.
    if type(given).__module__.partition(".")[0] == "pyarrow" and hasattr(given, "read_all"):
        given = given.read_all()
    elif isinstance(given, getattr(sys.modules.get("pandas"), "DataFrame", ())):
        given = pa.Table.from_pandas(given)
    return sound_columns(given, lambda names: find(names, *named))


def _pyarrow() -> Any:
    """Pyarrow if it is imported, as by anything that holds columns of its own."""
    found = sys.modules.get("pyarrow")
    return found if hasattr(found, "Table") else None


def sound_series(series: Any) -> Any:
    """A column of pandas, validated if it is kept in Arrow's form."""
    arrow = getattr(series.array, "__arrow_array__", None)
    if arrow is not None and _pyarrow() is not None:
        sound_columns(arrow(), lambda names: range(len(names)))
    return series


def sound_columns(table: Any, find: Callable[[list[str]], Iterable[int | None]]) -> Any:
    """The wanted columns of a table of pyarrow's, or an array, validated; all else as it is."""
    import pyarrow as pa

    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    try:
        if isinstance(table, pa.Table):
            table = table.select(sorted({p for p in find(table.schema.names) if p is not None}))
            for column in table.columns:
                validate(column)
        elif isinstance(table, (pa.Array, pa.ChunkedArray)):
            validate(table)
    except UnicodeDecodeError:
        raise failure("type", "expected names of columns in UTF-8, found others") from None
    except pa.ArrowException as error:
        if isinstance(error, MemoryError):
            raise
        text = short(str(error).partition("\n")[0])
        raise failure("type", f"expected sound Arrow data, found {text}") from None
    return table


_VALIDATED = 64 << 20
"""How many bytes of text are validated at a time, about."""


def validate(column: Any) -> None:
    """Raises pyarrow's error for an array, or a column of several, that lies about its content.

    Nothing may look at one before: offsets that point anywhere are looked up unseen.
    """
    for array in getattr(column, "chunks", (column,)):
        array.validate()
        # Views may all be of one long text. A dictionary would be validated with each part.
        size = sum_of(text_lengths(array)) if is_view(array.type) else array.nbytes
        if hasattr(array, "dictionary"):
            size = 0
        rows = max(1, len(array) * _VALIDATED // max(size, _VALIDATED))
        for start in range(0, max(1, len(array)), rows):
            check_interrupt()
            array.slice(start, rows).validate(full=True)


def is_view(kind: Any) -> bool:
    return str(kind) == "string_view"


def text_lengths(array: Any) -> Any:
    """The bytes of each text of an array, or nothing for one of other values.

    Nothing is looked up at an offset, so the array may lie about these.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if hasattr(array, "dictionary"):
        lengths = text_lengths(array.dictionary)
        return None if lengths is None else lengths.take(array.indices)
    if is_view(array.type):
        import numpy as np

        start = 16 * array.offset
        views = np.frombuffer(array.buffers()[1], "u1")[start : start + 16 * len(array)]
        return pa.array(views.view("<i4")[::4])
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        return pc.binary_length(array)
    return None


def sum_of(lengths: Any) -> int:
    import pyarrow.compute as pc

    return max(0, pc.sum(lengths).as_py() or 0)


def _pandas_columns(frame: Any, find: Callable[[Sequence[str]], list[int | None]]) -> list[Any]:
    """The columns of a pandas frame as lists, ``None`` for one that it lacks.

    Where pyarrow is missing, or finds no type for one of the frame's columns.
    """
    if not hasattr(frame, "iloc"):
        raise failure("type", f"a {type(frame).__name__} cannot be read as Arrow")
    places = find([str(name) for name in frame.columns])
    series = (None if place is None else frame.iloc[:, place] for place in places)
    return [None if one is None else sound_series(one).tolist() for one in series]


def table_of(stream: Any, pa: Any) -> Any:
    """The Arrow table of an object that hands over a stream; it may be of a column alone."""
    try:
        return pa.table(stream)
    except Exception as error:
        message = f"expected an Arrow table, found a {type(stream).__name__} that is none"
        raise failure("type", f"{message}: {str(error)[:200]}") from error


_KINDS = {name: kind for kind, names in reversed(COLUMN_NAMES.items()) for name in (*names, kind)}
"""What a column can be called in the option, and what it is then."""

SPANS = "spans"
"""What judgments of spans, and runs of chunks, are called as a layout."""

SPAN_LAYOUTS = (SPANS, "chroma", "genomics", "inex", "kilt")
"""The layouts of spans: a table, and what tracks and data sets write."""

_KINDS |= {
    kind: kind
    for kind in (
        *("start", "end", "length", "start_line", "end_line", "page", "group", "tokens", "cost"),
        *("call", "chunk"),
    )
}


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
            known = list(COLUMN_NAMES)
            raise failure("option", label_failure("kind of column", name, known).message)
        if kind in found:
            raise failure("option", f"expected one column for {kind}, found two")
        found[kind] = column
    return found


def _wrong(columns: object) -> Exception:
    message = f'expected {{"topic": "column", ...}} as columns, found {shown(columns)}'
    return failure("option", message)
