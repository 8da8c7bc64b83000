"""Scores from records: a run, a topic, a measure and a value each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from cranfield import _core
from cranfield._base.errors import failure, label_failure, optional, shown
from cranfield._base.options import is_iterable
from cranfield._base.scores_like import ALL
from cranfield._core import ScoreCells, is_table
from cranfield._io.columns import sound_columns, sound_series, table_of
from cranfield._io.small_files import json_value
from cranfield._scores.joining import common

Better: TypeAlias = str | Mapping[str, str | None] | None


DIRECTIONS = ("higher", "lower", None)


def from_records(records: Any, *, better: Better = None) -> tuple[_core.Scores, str | None]:
    """The scores of records, and their fingerprint; see ``Scores.from_records``."""
    cells = ScoreCells()
    if is_table(records):
        _add_table(cells, records)
    elif isinstance(records, (str, bytes, Mapping)) or not is_iterable(records):
        kind = type(records).__name__
        message = f"expected records (run, topic, measure, value) or a table, found a {kind}"
        advice = "; read_scores reads files" if isinstance(records, (str, bytes)) else ""
        raise failure("type", message + advice)
    else:
        cells.add_records(records)
    return scores_of(cells, better)


def check(better: Better) -> None:
    """Raises ``Error`` (kind "option") for what is not a direction."""
    for direction in better.values() if isinstance(better, Mapping) else [better]:
        if not isinstance(direction, str | None) or direction not in DIRECTIONS:
            known = '"higher", "lower" or None'
            raise failure("option", f"expected {known} as better, found {shown(direction)}")


def scores_of(cells: ScoreCells, better: Better) -> tuple[_core.Scores, str | None]:
    """The scores of records, NaN where there is none, and their fingerprint.

    Raises ``Error``: kind "empty" if all records sum up a run, "label" for the direction of a
    measure that is not there, "option" for an unknown one.
    """
    check(better)
    of_measures = better if isinstance(better, Mapping) and cells else {}
    given = {str(label): direction for label, direction in of_measures.items()}
    for label in given:
        if label not in cells.measures:
            raise label_failure("measure", label, cells.measures)
    usual = None if isinstance(better, Mapping) else better
    return cells.labelled(given, usual), common(cells.fingerprints)


METADATA = b"cranfield"
"""The key of the metadata in an Arrow schema: JSON."""


def _measures_of(cells: ScoreCells, metadata: Mapping[bytes, bytes] | None) -> list[str] | None:
    """The columns that are measures, as the schema of a table says, which describes the scores."""
    from json import JSONDecodeError

    content = (metadata or {}).get(METADATA)
    try:
        return cells.describe(**json_value(content.decode("utf-8"), None)) if content else None
    except (UnicodeError, JSONDecodeError, TypeError):
        message = "expected the metadata that cranfield writes, found something else"
        raise failure("type", message) from None


def _add_table(cells: ScoreCells, table: Any) -> None:
    """Adds the records of a table."""
    if hasattr(table, "iloc") and not hasattr(table, "columns"):
        message = f"expected a table of scores, found a {type(table).__name__}, which is one column"
        raise failure("type", message)
    if hasattr(table, "iloc"):
        if any(name is not None for name in table.index.names):
            table = table.reset_index()
        of_pandas = lambda place: sound_series(table.iloc[:, place]).tolist()  # noqa: E731
        cells.add_columns(list(table.columns), of_pandas, None)
    elif hasattr(table, "get_column"):
        of_polars = lambda place: table.to_series(place).to_list()  # noqa: E731
        cells.add_columns(list(table.columns), of_polars, None)
    else:
        table = table_of(table, optional("pyarrow", "reading an Arrow table", extra="arrow"))
        add_arrow(cells, sound_columns(table, lambda names: range(len(names))))


def add_arrow(
    cells: ScoreCells,
    table: Any,
    file: str | None = None,
    summaries: dict[str, dict[str, float]] | None = None,
) -> None:
    """Adds those of an Arrow table, also of one in a file; see ``ScoreCells.add_columns``."""
    measures, names = _measures_of(cells, table.schema.metadata), list(table.column_names)
    if [name.lower() for name in names[:2]] == ["group", "topics"]:
        # What ``cranfield eval --topic-groups`` wrote has all topics, too.
        groups = [group == ALL for group in table.column(0).to_pylist()]
        table, names = table.filter(groups).drop_columns(names[:2]), names[2:]
    cells.add_columns(
        *(names, lambda place: table.column(place).to_pylist(), measures),
        file=file,
        summaries=summaries,
    )
