"""Scores from records: a run, a topic, a measure and a value each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from cranfield import _core
from cranfield._base.errors import failure, label_failure, optional, shown
from cranfield._base.options import is_iterable
from cranfield._base.scores_like import ALL
from cranfield._core import Error, Measure, OpaqueMeasure, ScoreCells, is_table
from cranfield._io.columns import sound_columns, sound_series, table_of
from cranfield._io.small_files import json_value

Better: TypeAlias = str | Mapping[str, str | None] | None
Found: TypeAlias = tuple[_core.Scores, str | None]


DIRECTIONS = ("higher", "lower", None)


def from_records(records: Any, *, better: Better = None) -> Found:
    """The scores of records, and their fingerprint; see ``Scores.from_records``."""
    cells = ScoreCells()
    if is_table(records):
        summed, about = _of_table(cells, records)
        return scores_of(cells, summed, better, about)
    if isinstance(records, (str, bytes, Mapping)) or not is_iterable(records):
        kind = type(records).__name__
        message = f"expected records (run, topic, measure, value) or a table, found a {kind}"
        advice = "; read_scores reads files" if isinstance(records, (str, bytes)) else ""
        raise failure("type", message + advice)
    return scores_of(cells, cells.add_records(records), better)


def check(better: Better) -> None:
    """Raises ``Error`` (kind "option") for what is not a direction."""
    for direction in better.values() if isinstance(better, Mapping) else [better]:
        if not isinstance(direction, str | None) or direction not in DIRECTIONS:
            known = '"higher", "lower" or None'
            raise failure("option", f"expected {known} as better, found {shown(direction)}")


@dataclass(frozen=True)
class TableMetadata:
    """What the metadata of a table says of its scores."""

    fingerprint: str | None = None
    better: Mapping[str, str | None] = field(default_factory=dict)
    """The directions of measures."""
    measures: Sequence[str] | None = None
    """The columns that are measures, where each has one."""
    topics: Sequence[str] = ()
    """The topics of the judgments."""
    unmatched: Mapping[str, str] = field(default_factory=dict)
    """What is said of runs of which no document is judged."""

    @classmethod
    def of(
        cls, fingerprint: object = None, better: object = None, measures: object = None
    ) -> TableMetadata:
        """That of a file; raises ``TypeError`` for something else."""
        directions = better or {}
        if (
            not isinstance(fingerprint, (str, type(None)))
            or not isinstance(directions, dict)
            or not all(isinstance(found, (str, type(None))) for found in directions.values())
            or not isinstance(measures, (list, type(None)))
            or not all(isinstance(label, str) for label in measures or ())
        ):
            raise TypeError
        return cls(fingerprint, directions, measures)


def scores_of(
    cells: ScoreCells, summed: int, better: Better, about: TableMetadata = TableMetadata()
) -> Found:
    """The scores of records, NaN where there is none, and their fingerprint.

    ``summed`` of them summed up a run. Raises ``Error``: kind "empty" if there are no others,
    "label" for the direction of a measure that is not there, "option" for an unknown one.
    """
    check(better)
    if not cells:
        found = f'only summaries (topic "{ALL}")' if summed else "none"
        raise failure("empty", f"expected the scores of topics, found {found}")
    given = {str(label): d for label, d in better.items()} if isinstance(better, Mapping) else {}
    labels = cells.measures
    for label in given:
        if label not in labels:
            raise label_failure("measure", label, labels)
    usual = None if isinstance(better, Mapping) else better
    measures = [column(label, {**about.better, **given}, usual) for label in labels]
    return cells.scores(measures, math.nan), about.fingerprint


def column(
    label: str, directions: Mapping[str, str | None], better: str | None
) -> Measure | OpaqueMeasure:
    """The measure that a label stands for.

    Our own spelling is our measure. Any other label stays as it is, and takes
    direction and aggregate of the measure that it names, if it names one.
    """
    try:
        known = Measure(label)
    except Error:
        return OpaqueMeasure(label, directions.get(label, better))
    direction = directions.get(label, known.better)
    if str(known) == label and direction == known.better:
        return known
    return OpaqueMeasure(label, direction, known.aggregate)


METADATA = b"cranfield"
"""The key of the metadata in an Arrow schema: JSON."""


def metadata_of(metadata: Mapping[bytes, bytes] | None) -> TableMetadata:
    """The metadata in the schema of a table."""
    import json

    content = (metadata or {}).get(METADATA)
    if not content:
        return TableMetadata()
    try:
        found = json_value(content.decode("utf-8"), None)
        return TableMetadata.of(**found)
    except (UnicodeDecodeError, json.JSONDecodeError, TypeError):
        message = "expected the metadata that cranfield writes, found something else"
        raise failure("type", message) from None


def _of_table(cells: ScoreCells, table: Any) -> tuple[int, TableMetadata]:
    """Adds the records of a table; returns how many sum up a run, and the metadata."""
    if hasattr(table, "iloc") and not hasattr(table, "columns"):
        message = f"expected a table of scores, found a {type(table).__name__}, which is one column"
        raise failure("type", message)
    if hasattr(table, "iloc"):
        if any(name is not None for name in table.index.names):
            table = table.reset_index()
        of_pandas = lambda place: sound_series(table.iloc[:, place]).tolist()  # noqa: E731
        return cells.add_columns(list(table.columns), of_pandas, None), TableMetadata()
    if hasattr(table, "get_column"):
        of_polars = lambda place: table.to_series(place).to_list()  # noqa: E731
        return cells.add_columns(list(table.columns), of_polars, None), TableMetadata()
    table = table_of(table, optional("pyarrow", "reading an Arrow table", extra="arrow"))
    return of_arrow(cells, sound_columns(table, lambda names: range(len(names))))


def of_arrow(
    cells: ScoreCells,
    table: Any,
    file: str | None = None,
    summaries: dict[str, dict[str, float]] | None = None,
) -> tuple[int, TableMetadata]:
    """The same of an Arrow table, also of one in a file; see ``ScoreCells.add_columns``."""
    about, names = metadata_of(table.schema.metadata), list(table.column_names)
    if [name.lower() for name in names[:2]] == ["group", "topics"]:
        # What ``cranfield eval --topic-groups`` wrote has all topics, too.
        groups = [group == ALL for group in table.column(0).to_pylist()]
        table, names = table.filter(groups).drop_columns(names[:2]), names[2:]
    summed = cells.add_columns(
        *(names, lambda place: table.column(place).to_pylist(), about.measures),
        file=file,
        summaries=summaries,
    )
    return summed, about
