"""Judgments and runs from tables: Arrow, data frames, rows of tuples.

Every kind of table comes down to three columns, topic, document and value.
They are found by name, and where names say nothing by position.
"""

from __future__ import annotations

from collections.abc import Iterable

from cranfield._core import Error, Qrels, Run
from cranfield.errors import failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

TOPIC = ("topic", "query_id", "qid", "query", "q_id", "topic_id")
DOCUMENT = ("doc", "doc_id", "docno", "docid", "did", "document")
SCORE = ("score", "sim")
GRADE = ("grade", "relevance", "rel", "label")


def is_table(source: object) -> bool:
    """Whether an object is an Arrow table or a data frame."""
    if hasattr(source, "__arrow_c_stream__"):
        return True
    return hasattr(source, "iloc") and hasattr(source, "columns")


def qrels_from_table(table: Any, docs_in_collection: int | None) -> Qrels:
    """Judgments from a table; raises ``Error`` (kind "type") for its columns."""
    names = _names(table)
    places = _places(names, GRADE, "grade") if names is not None else None
    try:
        if names is None or places is None:
            return Qrels.from_arrow(table, docs_in_collection=docs_in_collection)
        topic, document, grade = (names[place] for place in places)
        return Qrels.from_arrow(
            table,
            topic=topic,
            document=document,
            grade=grade,
            docs_in_collection=docs_in_collection,
        )
    except Error as error:
        # One with a cause is that the table did not become Arrow.
        if error.__cause__ is None or not hasattr(table, "iloc"):
            raise
        columns = _pandas_columns(table, places)
        return Qrels.from_rows(*columns, docs_in_collection=docs_in_collection)


def run_from_table(table: Any, name: str) -> Run:
    """A run from a table; raises ``Error`` (kind "type") for its columns."""
    names = _names(table)
    places = _places(names, SCORE, "score") if names is not None else None
    try:
        if names is None or places is None:
            return Run.from_arrow(table, name=name)
        topic, document, score = (names[place] for place in places)
        return Run.from_arrow(table, topic=topic, document=document, score=score, name=name)
    except Error as error:
        # One with a cause is that the table did not become Arrow.
        if error.__cause__ is None or not hasattr(table, "iloc"):
            raise
        return Run.from_rows(*_pandas_columns(table, places), name=name)


def qrels_from_rows(rows: Iterable[Any], docs_in_collection: int | None) -> Qrels:
    """Judgments from tuples, named or of three; raises as the tables do."""
    columns = _row_columns(_listed(rows), GRADE, "grade")
    return Qrels.from_rows(*columns, docs_in_collection=docs_in_collection)


def run_from_rows(rows: Iterable[Any], name: str) -> Run:
    """A run from tuples, named or of three; raises as the tables do."""
    return Run.from_rows(*_row_columns(_listed(rows), SCORE, "score"), name=name)


def _listed(rows: Iterable[Any]) -> list[Any]:
    """The rows, without room for as many as they say that they are."""
    return rows.copy() if type(rows) is list else [row for row in rows]  # noqa: C416


def _names(table: Any) -> list[str] | None:
    """The column names of a table, if it tells them.

    pyarrow says ``column_names``, pandas, polars and duckdb ``columns``, a
    reader of record batches ``schema.names``.
    """
    names = getattr(table, "column_names", None)
    if names is None:
        names = getattr(table, "columns", None)
    if names is None:
        names = getattr(getattr(table, "schema", None), "names", None)
    if names is None or isinstance(names, str) or not isinstance(names, Iterable):
        return None
    return [str(name) for name in names]


def _places(names: Sequence[str], values: tuple[str, ...], what: str) -> tuple[int, int, int]:
    """The positions of topic, document and value among the columns.

    Of several names for one column the earliest of its list counts: PyTerrier
    has a ``docid`` of its own beside ``docno``. In a table of three columns
    those without a known name are taken in order.
    """
    lower = [name.lower() for name in names]
    found: list[int | None] = [
        next((lower.index(name) for name in known if name in lower), None)
        for known in (TOPIC, DOCUMENT, values)
    ]
    if len(names) == 3:
        free = [place for place in range(3) if place not in found]
        found = [free.pop(0) if place is None else place for place in found]
    topic, document, value = found
    if topic is None or document is None or value is None:
        raise failure(
            "type",
            f"expected columns for topic, doc and {what}, found {', '.join(names) or 'none'}",
        )
    return topic, document, value


def _pandas_columns(
    frame: Any, places: tuple[int, int, int] | None
) -> tuple[list[Any], list[Any], list[Any]]:
    """The three columns of a pandas frame as lists.

    Where pyarrow is missing, or finds no type for one of the frame's columns.
    """
    if places is None or not hasattr(frame, "iloc"):
        raise failure("type", f"a {type(frame).__name__} cannot be read as Arrow")
    topic, document, value = (frame.iloc[:, place].tolist() for place in places)
    return topic, document, value


def _row_columns(
    rows: list[Any], values: tuple[str, ...], what: str
) -> tuple[list[Any], list[Any], list[Any]]:
    if not rows:
        return [], [], []
    first = rows[0]
    fields = getattr(first, "_fields", None)
    if fields is not None:
        topic, document, value = _places(fields, values, what)
    elif isinstance(first, (tuple, list)) and len(first) == 3:
        topic, document, value = 0, 1, 2
    else:
        raise failure(
            "type",
            f"expected rows of (topic, doc, {what}) or named tuples, "
            f"found a {type(first).__name__}{_length(first)}",
        )
    try:
        return (
            [row[topic] for row in rows],
            [row[document] for row in rows],
            [row[value] for row in rows],
        )
    except (IndexError, KeyError, TypeError) as error:
        raise failure("type", f"expected rows that are all like the first: {error}") from error


def _length(row: object) -> str:
    return f" of {len(row)}" if isinstance(row, (tuple, list)) else ""
