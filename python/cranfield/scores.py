"""The scores of runs, topics and measures, with the labels of the axes."""

from __future__ import annotations

from collections.abc import Iterable

from cranfield import _core, frames, tables
from cranfield._core import Measure, Notes
from cranfield.errors import failure, label_failure, shown
from cranfield.options import checked, number_of, several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray


class Scores:
    """Values of every run, topic and measure; made by ``evaluate``.

    Immutable. Undefined scores, and topics that a run lacks, are NaN where
    the options ``undefined="skip"`` and ``missing="skip"`` asked for it.
    """

    __slots__ = ("_values", "core")

    def __init__(self, core: _core.Scores) -> None:
        if not isinstance(core, _core.Scores):
            raise failure("type", f"Scores are made by evaluate, not of {shown(core)}")
        self.core = core
        """The core's object; for this package only."""
        self._values: NDArray[np.float64] | None = None

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs: the labels of the first axis."""
        return self.core.runs

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics of the qrels, in byte order: the second axis."""
        return self.core.topics

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures in canonical spelling: the third axis."""
        return tuple(map(str, self.core.measures))

    @property
    def values(self) -> NDArray[np.float64]:
        """All scores: float64, read-only, shape (runs, topics, measures)."""
        if self._values is None:
            values = self.core.values()
            values.flags.writeable = False
            self._values = values
        return self._values

    def mean(self) -> NDArray[np.float64]:
        """Arithmetic means over topics: float64, shape (runs, measures).

        A NaN is left out of its mean; a mean of nothing is NaN.
        """
        return self._matrix(self.core.mean())

    def summary(self) -> NDArray[np.float64]:
        """Each measure by its own aggregate: float64, shape (runs, measures).

        Counts are summed, GMAP is geometric, micro_P and its like are the
        share of all topics together, all others are means.
        """
        return self._matrix(self.core.summary())

    @property
    def notes(self) -> dict[str, Notes]:
        """What evaluating passed over or had to decide, for each run's name."""
        return {note.run: note for note in self.core.notes}

    def __getitem__(self, key: tuple[str, str | Measure]) -> NDArray[np.float64]:
        """The scores of a run in a measure: float64, shape (topics,).

        Any accepted spelling of a measure finds its column. Raises
        ``LabelError`` for a run or a measure that is not there, ``TypeError``
        for any other kind of key.
        """
        if not isinstance(key, tuple) or len(key) != 2:
            raise TypeError(
                "[run, measure] takes a run and a measure; "
                "sel(run=, topic=, measure=) selects along any axis"
            )
        run, measure = key
        place = _finder("run", self.runs)(run)
        return self.values[place, :, self._measure(measure)]

    def sel(
        self,
        *,
        run: str | Iterable[str] | None = None,
        topic: str | int | Iterable[str | int] | None = None,
        measure: str | Measure | Iterable[str | Measure] | None = None,
    ) -> Scores:
        """The scores of some runs, topics or measures.

        Each axis takes a label or several, which come in the order given,
        repeats once; an axis that is not named stays whole. Raises
        ``LabelError`` for a label that is not there.
        """
        return Scores(self.core.select(*self._places(run, topic, measure)))

    def _places(
        self,
        run: str | Iterable[str] | None,
        topic: str | int | Iterable[str | int] | None,
        measure: str | Measure | Iterable[str | Measure] | None,
    ) -> tuple[list[int], list[int], list[int]]:
        """What ``sel`` takes, as places on each axis."""
        runs: Iterable[int] = range(len(self.runs))
        if run is not None:
            runs = map(_finder("run", self.runs), _several(run, "run"))
        topics: Iterable[int] = range(len(self.topics))
        if topic is not None:
            topics = map(_finder("topic", self.topics), _several(topic, "topic"))
        measures: Iterable[int] = range(len(self.measures))
        if measure is not None:
            measures = map(self._measure, _several(measure, "measure"))
        of_runs, of_topics, of_measures = (
            list(dict.fromkeys(axis)) for axis in (runs, topics, measures)
        )
        return of_runs, of_topics, of_measures

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """The scores as {run: {topic: {measure: value}}}."""
        return self.core.to_dict()

    @checked
    def to_arrow(self, *, wide: bool = False) -> pa.Table:
        """The scores as an Arrow table.

        Long: run, topic, measure (dictionary-encoded text), value (float64).
        ``wide``: run, topic and a column of float64 for each measure. What is
        undefined is null. Raises ``ImportError`` without pyarrow.
        """
        return frames.to_arrow({tables.VALUE: self}, wide=wide)

    @checked
    def to_polars(self, *, wide: bool = False) -> pl.DataFrame:
        """The same as a polars frame; raises ``ImportError`` without polars."""
        return frames.to_polars({tables.VALUE: self}, wide=wide)

    @checked
    def to_pandas(self, *, wide: bool = False) -> pd.DataFrame:
        """The same as a pandas frame, with NaN for what is undefined.

        Raises ``ImportError`` without pandas.
        """
        return frames.to_pandas({tables.VALUE: self}, wide=wide)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The long table as an Arrow stream."""
        return self.core.__arrow_c_stream__(requested_schema)

    def __reduce__(self) -> tuple[type[Scores], tuple[_core.Scores]]:
        return Scores, (self.core,)

    def __repr__(self) -> str:
        head = f"<Scores: {self._shape()}; summary:>"
        return "\n".join([head, *tables.aligned(self._summaries(limit=20))])

    def _repr_html_(self) -> str:
        return tables.html(self._summaries(limit=60))

    def _shape(self) -> str:
        """How many runs, topics and measures, in words."""
        axes = {"run": self.runs, "topic": self.topics, "measure": self.measures}
        return " x ".join(tables.counted(len(axis), what) for what, axis in axes.items())

    def _summaries(self, *, limit: int) -> tables.Table:
        return tables.of_summaries({tables.VALUE: self}, limit=limit)

    def _matrix(self, rows: list[list[float]]) -> NDArray[np.float64]:
        import numpy as np

        shape = len(self.runs), len(self.measures)
        return np.array(rows, dtype=np.float64).reshape(shape)

    def _measure(self, label: str | Measure) -> int:
        """The column of a measure, whatever its spelling."""
        try:
            return self.core.measures.index(Measure(label))
        except ValueError:
            found = str(label) if isinstance(label, (str, Measure)) else label
            raise label_failure("measure", found, self.measures) from None


def _finder(what: str, labels: Sequence[str]) -> Callable[[object], int]:
    """The function from a label of an axis to its place there."""
    places = {label: place for place, label in enumerate(labels)}

    def find(label: object) -> int:
        # What is neither text nor a whole number might print as one of them.
        name = label if isinstance(label, str) else None
        if name is None and (number := number_of(label)) is not None:
            name = shown(number)
        if name not in places:
            raise label_failure(what, label, labels)
        return places[name]

    return find


def _several(labels: Any, name: str) -> Iterable[Any]:
    """One label as a list of one."""
    is_single = isinstance(labels, (str, Measure)) or number_of(labels) is not None
    if is_single or not isinstance(labels, Iterable):
        return [labels]
    return several(labels, name, lambda label, _: label)
