"""Exact bounds: how far the missing judgments could move a score."""

from __future__ import annotations

from collections.abc import Iterable

from cranfield import frames, tables
from cranfield._core import DEFAULT_BOUNDED, Measure, Notes, checksum
from cranfield.errors import failure
from cranfield.evaluator import Evaluator
from cranfield.options import SCORING, accepted, checked
from cranfield.scores import Scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack

    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray

    from cranfield.evaluator import MeasuresLike
    from cranfield.inputs import QrelsLike, RunsLike
    from cranfield.option_types import ScoringOptions


class Bounds:
    """Values of every run, topic and measure, and how low and high each could be.

    Made by ``bounds``. Immutable. Where a value is NaN, so are its bounds.

    The bounds are of the value after full judging, not of today's estimate.
    AP and other measures that take unjudged documents for not relevant lie
    between theirs (in mode "free_R"), since that is one of the ways to judge
    them. AP', bpref and infAP pass over such documents and may lie outside.

    The mean over topics has the mean of the bounds. The difference of two
    runs does not have the difference of their bounds: what becomes of a
    document that both retrieved moves both.
    """

    __slots__ = ("_high", "_low", "_value")

    def __init__(self, value: Scores, low: Scores, high: Scores) -> None:
        parts = value, low, high
        if not all(isinstance(part, Scores) for part in parts) or any(
            (part.runs, part.topics, part.measures) != (value.runs, value.topics, value.measures)
            for part in parts
        ):
            raise failure("type", "expected value, low and high as Scores with the same labels")
        self._value = value
        self._low = low
        self._high = high

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _unpickled, (*self.parts.values(), _sums(self))

    @property
    def value(self) -> Scores:
        """The values as the judgments are: what ``evaluate`` gives."""
        return self._value

    @property
    def low(self) -> Scores:
        """The lowest values after judging, with the same labels."""
        return self._low

    @property
    def high(self) -> Scores:
        """The highest values after judging, with the same labels."""
        return self._high

    @property
    def parts(self) -> dict[str, Scores]:
        """All three under their names: "value", "low", "high"."""
        return {tables.VALUE: self.value, "low": self.low, "high": self.high}

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return self.value.runs

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics of the qrels, in byte order."""
        return self.value.topics

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures in canonical spelling."""
        return self.value.measures

    @property
    def notes(self) -> dict[str, Notes]:
        """What evaluating passed over or had to decide, for each run's name."""
        return self.value.notes

    def mean(self) -> NDArray[np.float64]:
        """Means over topics: float64, shape (runs, measures, 3).

        On the last axis value, lowest, highest. The means of the bounds are
        the bounds of the mean: topics are judged apart. A NaN is left out of
        its mean; a mean of nothing is NaN.
        """
        import numpy as np

        return np.stack([part.mean() for part in self.parts.values()], axis=-1)

    def summary(self) -> NDArray[np.float64]:
        """As ``mean``, each measure by its own aggregate: counts are summed."""
        import numpy as np

        return np.stack([part.summary() for part in self.parts.values()], axis=-1)

    def __getitem__(self, key: tuple[str, str | Measure]) -> NDArray[np.float64]:
        """The lowest and highest scores of a run in a measure: float64, (topics, 2).

        Raises as ``Scores`` does.
        """
        import numpy as np

        return np.stack([self.low[key], self.high[key]], axis=-1)

    def sel(
        self,
        *,
        run: str | Iterable[str] | None = None,
        topic: str | int | Iterable[str | int] | None = None,
        measure: str | Measure | Iterable[str | Measure] | None = None,
    ) -> Bounds:
        """The bounds of some runs, topics or measures, as for ``Scores``."""
        places = self.value._places(run, topic, measure)
        return Bounds(*(Scores(part.core.select(*places)) for part in self.parts.values()))

    def to_dict(self) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
        """{run: {topic: {measure: {"value": ..., "low": ..., "high": ...}}}}."""
        parts = {name: part.to_dict() for name, part in self.parts.items()}
        return {
            run: {
                topic: {
                    measure: {name: part[run][topic][measure] for name, part in parts.items()}
                    for measure in self.measures
                }
                for topic in self.topics
            }
            for run in self.runs
        }

    @checked
    def to_arrow(self, *, wide: bool = False) -> pa.Table:
        """The bounds as an Arrow table.

        Long: run, topic, measure (dictionary-encoded text), value, low, high
        (float64). ``wide``: run, topic and three columns of float64 for each
        measure: "AP", "AP low", "AP high". What is undefined is null. Raises
        ``ImportError`` without pyarrow.
        """
        return frames.to_arrow(self.parts, wide=wide)

    @checked
    def to_polars(self, *, wide: bool = False) -> pl.DataFrame:
        """The same as a polars frame; raises ``ImportError`` without polars."""
        return frames.to_polars(self.parts, wide=wide)

    @checked
    def to_pandas(self, *, wide: bool = False) -> pd.DataFrame:
        """The same as a pandas frame, with NaN for what is undefined.

        Raises ``ImportError`` without pandas.
        """
        return frames.to_pandas(self.parts, wide=wide)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The long table as an Arrow stream; raises ``ImportError`` without pyarrow."""
        stream: object = self.to_arrow().__arrow_c_stream__(requested_schema)
        return stream

    def __repr__(self) -> str:
        head = f"<Bounds: {self.value._shape()}; summary [lowest, highest]:>"
        return "\n".join([head, *tables.aligned(self._summaries(limit=20))])

    def _repr_html_(self) -> str:
        return tables.html(self._summaries(limit=60))

    def _summaries(self, *, limit: int) -> tables.Table:
        return tables.of_summaries(self.parts, limit=limit)


def _sums(bounds: Bounds) -> int:
    """A checksum of all parts in their order."""
    return checksum([part.core.__reduce__()[1][1] for part in bounds.parts.values()])


def _unpickled(*parts: Any) -> Bounds:
    """The bounds of a pickle; raises ``Error`` for one that is damaged."""
    *scores, found = parts or (None,)
    if len(scores) == 3:
        bounds = Bounds(*scores)
        if _sums(bounds) == found:
            return bounds
    raise failure("type", "expected a pickle of this version, found a damaged one")


def bounds(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = None,
    *,
    mode: str = "free_R",
    unseen: int = 0,
    max_grade: float | None = None,
    max_assignments: int = 200_000,
    **options: Unpack[ScoringOptions],
) -> Bounds:
    """How low and how high scores could be if everything retrieved were judged.

    The bounds are exact, over all ways to judge the documents of a list that
    nobody judged; what cannot be had exactly is refused. They are of the
    value after that judging, and AP', bpref or infAP of today may lie outside
    of them. The difference of two runs does not have the difference of their
    bounds; see ``Bounds``.

    >>> qrels = {"1": {"a": 1, "b": 0, "c": 1}}
    >>> bounds(qrels, {"1": {"a": 4, "b": 3, "u": 2, "c": 1}}, "AP'")
    <Bounds: 1 run x 1 topic x 1 measure; summary [lowest, highest]:>
    run                      AP'
    run  0.8333 [0.7500, 0.8056]

    With u judged relevant AP' is (1 + 2/3 + 3/4) / 3, without (1 + 2/4) / 2.

    Parameters
    ----------
    qrels, runs
        As for ``evaluate``.
    measures
        As for ``evaluate``. Not given: nDCG@10 AP RR P@10 R@100 bpref.
    mode
        What is unknown. "free_R": which unjudged documents of the list are
        relevant; the number of relevant documents R grows with them.
        "fixed_R": where in the collection the relevant documents are that
        the list does not have. The judgments name every relevant document,
        so all others are not relevant, whether they were judged or not, and
        those that the list lacks could be anywhere behind it (Manning,
        Raghavan and Schütze, 2008, exercise 8.9). The list is then one of
        the whole collection, all of it judged. It needs docs_in_collection
        with the judgments.
    unseen
        Up to how many documents may be relevant that are neither judged nor
        in the list; for "free_R" only.
    max_grade
        The highest grade that a document can still get. Not given: the
        highest of the judgments, at least 1. Lower ones are 0, those of the
        judgments, the whole numbers and what a gain map names.
    max_assignments
        How many assignments are tried for one topic where no shorter way is
        known.
    options
        Those of ``evaluate``, but for ``ties``. A topic without a relevant
        document is undefined as there, also if judging could bring one.
        ``depth`` cuts lists before they are judged; without it every line of a
        run is open.

    Returns
    -------
    Bounds
        Value, lowest and highest of every run, topic of the qrels and
        measure.

    Raises
    ------
    Error
        Kind "bounds" for a measure that has no exact bounds, or none with
        these grades or within ``max_assignments``; "needs" for
        mode="fixed_R" without docs_in_collection; "option" for a wrong
        option; all else as for ``evaluate``.

    """
    given = accepted("bounds", options, SCORING)
    evaluator = Evaluator(qrels, DEFAULT_BOUNDED if measures is None else measures, **given)
    return evaluator.bounds(
        runs,
        mode=mode,
        unseen=unseen,
        max_grade=max_grade,
        max_assignments=max_assignments,
    )
