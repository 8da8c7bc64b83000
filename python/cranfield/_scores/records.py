"""Scores from records: a run, a topic, a measure and a value each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cranfield import _core
from cranfield._base.errors import failure, label_failure, optional, shown
from cranfield._base.options import is_iterable
from cranfield._base.scores_like import ALL
from cranfield._core import Error, Measure, OpaqueMeasure, ScoreCells
from cranfield._io.columns import TOPIC, is_table, sound_columns, sound_series, table_of
from cranfield._io.unpacking import parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Better: TypeAlias = str | Mapping[str, str | None] | None
    Record: TypeAlias = tuple[Any, Any, Any, Any]
    Found: TypeAlias = tuple[_core.Scores, str | None]
    Where: TypeAlias = tuple[str, int]
    """The file and the line of a record."""


class _TopicLabel(str):
    """The label of a topic, whatever it is called."""

    __slots__ = ()


def label_of_topic(label: Any) -> Any:
    """A label that is known to be that of a topic, even if summaries are called so."""
    return _TopicLabel(label) if label == ALL else label


RUN = ("run", "run_id", "runid", "system", "name", "tag")
MEASURE = ("measure", "metric", "measure_id")
VALUE = ("value", "score")
"""Names of columns; those of topics are in ``columns.TOPIC``."""

DIRECTIONS = ("higher", "lower", None)


def from_records(records: Any, *, better: Better = None) -> Found:
    """The scores of records, and their fingerprint; see ``Scores.from_records``."""
    if is_table(records):
        about, rows = _of_table(records)
        return Records(rows).scores(better, about)
    if isinstance(records, (str, bytes, Mapping)) or not is_iterable(records):
        kind = type(records).__name__
        message = f"expected records (run, topic, measure, value) or a table, found a {kind}"
        advice = "; read_scores reads files" if isinstance(records, (str, bytes)) else ""
        raise failure("type", message + advice)
    return Records(_of_rows(records)).scores(better)


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


class Records:
    """The values of records, and those of records that sum up a run if these are asked for."""

    def __init__(
        self,
        records: Iterable[Record],
        places: Iterable[Where] | None = None,
        *,
        summaries: bool = False,
    ) -> None:
        """Takes records, each with the file and line that it stands in if it has one."""
        self.cells = ScoreCells()
        self.summaries: dict[str, dict[str, float]] = {}
        """For each run the value of each measure."""
        self._summed = self.cells.add_records(
            records,
            places,
            self.summaries if summaries else None,
            lambda topic: not isinstance(topic, _TopicLabel),
        )

    def scores(self, better: Better, about: TableMetadata = TableMetadata()) -> Found:
        """The scores, NaN where there is no record, and their fingerprint.

        Raises ``Error``: kind "empty" if there are none, "label" for the
        direction of a measure that is not there, "option" for an unknown one.
        """
        check(better)
        if not self.cells:
            found = f'only summaries (topic "{ALL}")' if self._summed else "none"
            raise failure("empty", f"expected the scores of topics, found {found}")
        given = (
            {str(label): d for label, d in better.items()} if isinstance(better, Mapping) else {}
        )
        labels = self.cells.measures
        for label in given:
            if label not in labels:
                raise label_failure("measure", label, labels)
        usual = None if isinstance(better, Mapping) else better
        measures = [column(label, {**about.better, **given}, usual) for label in labels]
        return self.cells.scores(measures, math.nan), about.fingerprint


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


def _of_rows(rows: Iterable[Any]) -> Iterator[Record]:
    """Records from tuples, named tuples or dicts."""
    for number, row in enumerate(rows, 1):
        if type(row).__module__ == "numpy":
            row = row.tolist()
        fields = row.keys() if isinstance(row, Mapping) else getattr(row, "_fields", None)
        if fields is not None:
            names = list(fields)
            run, topic, measure, value = places(names)
            if measure is None or value is None:
                found = ", ".join(map(str, names))
                message = f"expected run, topic, measure and value, found {found}"
                raise failure("type", f"record {number}: {message}")
            keys = [names[place] for place in (run, topic, measure, value)]
            if isinstance(row, Mapping):
                yield tuple(row[key] for key in keys)
            else:
                yield tuple(getattr(row, key) for key in keys)
            continue
        if not isinstance(row, (tuple, list)) or len(row) != 4:
            length = f" of {len(row)}" if isinstance(row, (tuple, list)) else ""
            found = f"a {type(row).__name__}{length}"
            message = f"expected (run, topic, measure, value), found {found}"
            raise failure("type", f"record {number}: {message}")
        yield tuple(row)


def places(names: Sequence[str]) -> tuple[int, int, int | None, int | None]:
    """Where run, topic, measure and value are among columns.

    Measure and value are None where each measure has a column of its own.
    Raises ``Error`` (kind "type") without run or topic.
    """
    lower = [str(name).lower() for name in names]

    def place(known: Sequence[str]) -> int | None:
        return next((lower.index(name) for name in known if name in lower), None)

    run, topic, measure, value = map(place, (RUN, TOPIC, MEASURE, VALUE))
    if run is None or topic is None or (measure is None) != (value is None):
        found = ", ".join(map(str, names)) or "none"
        message = f"expected columns run, topic, measure and value, found {found}"
        if run is not None and topic is None:
            message += "; cranfield eval --per-topic writes a row for each topic"
        raise failure("type", message)
    return run, topic, measure, value


INDEX = ("", "Unnamed: 0", "__index_level_0__", "index")
"""What the numbers of rows are called that pandas writes beside a frame, and reads again."""

GROUPED = ["group", "topics"]
"""The first columns of what ``cranfield eval --topic-groups`` writes."""


def is_grouped(names: Sequence[str]) -> bool:
    """Whether a table has the scores of each group of topics, and of all topics."""
    return [str(name).lower() for name in names[:2]] == GROUPED


METADATA = b"cranfield"
"""The key of the metadata in an Arrow schema: JSON."""


def metadata_of(metadata: Mapping[bytes, bytes] | None) -> TableMetadata:
    """The metadata in the schema of a table."""
    import json

    content = (metadata or {}).get(METADATA)
    if not content:
        return TableMetadata()
    try:
        found = parsed(content.decode("utf-8"), None)
        return TableMetadata.of(**found)
    except (UnicodeDecodeError, json.JSONDecodeError, TypeError):
        message = "expected the metadata that cranfield writes, found something else"
        raise failure("type", message) from None


def _of_table(table: Any) -> tuple[TableMetadata, Iterator[Record]]:
    """The metadata of a table, and its records."""
    if hasattr(table, "iloc") and not hasattr(table, "columns"):
        message = f"expected a table of scores, found a {type(table).__name__}, which is one column"
        raise failure("type", message)
    if hasattr(table, "iloc"):
        if any(name is not None for name in table.index.names):
            table = table.reset_index()
        names = list(table.columns)
        return TableMetadata(), _of_columns(
            names, lambda place: sound_series(table.iloc[:, place]).tolist()
        )
    if hasattr(table, "get_column"):
        names = list(table.columns)
        return TableMetadata(), _of_columns(
            names, lambda place: table.get_column(names[place]).to_list()
        )
    table = table_of(table, optional("pyarrow", "reading an Arrow table", extra="arrow"))
    table = sound_columns(table, lambda names: range(len(names)))
    about = metadata_of(table.schema.metadata)
    return about, records_of(table, about)


def records_of(table: Any, about: TableMetadata) -> Iterator[Record]:
    """The records of an Arrow table."""
    names = list(table.column_names)
    if is_grouped(names):
        groups = [group == ALL for group in table.column(0).to_pylist()]
        table, names = table.filter(groups).drop_columns(names[:2]), names[2:]
    return _of_columns(names, lambda place: table.column(place).to_pylist(), about.measures)


def _of_columns(
    names: Sequence[Any], column: Callable[[int], list[Any]], measures: Sequence[str] | None = None
) -> Iterator[Record]:
    """The records of a long table, or of one with a column for each measure."""
    run, topic, measure, value = places(names)
    runs, topics = column(run), column(topic)
    if measure is not None and value is not None:
        yield from zip(runs, topics, column(measure), column(value), strict=True)
        return
    for place, name in enumerate(names):
        is_asked_for = name in measures if measures is not None else name not in INDEX
        if place not in (run, topic) and is_asked_for:
            yield from zip(runs, topics, [name] * len(runs), column(place), strict=True)
