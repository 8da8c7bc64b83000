"""Scores with the interval in which each could be: the table of exact bounds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, overload

from cranfield._base.errors import failure
from cranfield._base.options import checked, whole
from cranfield._base.scores_like import VALUE
from cranfield._core import Measure, Notes, checksum
from cranfield._measures.parse import selected
from cranfield._scores.score_result import ScoreResult
from cranfield._scores.scores import Scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Bounds(ScoreResult):
    """Values of every run, topic and measure, and how low and high each could be.

    Made by ``bounds``. Immutable. Where a value is NaN, so are its bounds.

    The bounds are of the value after full judging, not of today's estimate.
    AP and other measures that take unjudged documents for not relevant lie
    between theirs (in mode "free_R"), since that is one of the ways to judge
    them. AP', bpref and infAP pass over such documents and may lie outside.

    The mean over topics has the mean of the bounds. The difference of two
    runs does not have the difference of their bounds: judging a
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
        return {VALUE: self.value, "low": self.low, "high": self.high}

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
        """What evaluation skipped or decided, by name of the run."""
        return self.value.notes

    def mean(self) -> NDArray[np.float64]:
        """Means over topics: float64, shape (runs, measures, 3).

        The last axis holds value, lowest and highest. The means of the bounds are
        the bounds of the mean, since topics are judged independently. NaN values are
        left out; the mean of no values is NaN.
        """
        import numpy as np

        return np.stack([part.mean() for part in self.parts.values()], axis=-1)

    def summary(self) -> NDArray[np.float64]:
        """As ``mean``, with each measure in its usual aggregate: counts are summed."""
        import numpy as np

        return np.stack([part.summary() for part in self.parts.values()], axis=-1)

    __iter__ = None

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: str) -> Bounds: ...
        @overload
        def __getitem__(self, key: tuple[str, str | Measure]) -> NDArray[np.float64]: ...

    def __getitem__(self, key: Any) -> Any:
        """The lowest and highest scores of a run in a measure: float64, (topics, 2).

        [run] has the bounds of that run alone. Raises as ``Scores`` does.
        """
        import numpy as np

        if isinstance(key, str):
            return self.sel(run=key)
        return np.stack([self.low[key], self.high[key]], axis=-1)

    def sel(
        self,
        *,
        run: str | Iterable[str] | None = None,
        topic: str | int | Iterable[str | int] | None = None,
        measure: str | Measure | Iterable[str | Measure] | None = None,
    ) -> Bounds:
        """The bounds of some runs, topics or measures, as for ``Scores``."""
        places = selected(self.value, run, topic, measure)
        parts = self.parts.values()
        return Bounds(*(part.at(*places, arranged=run is not None) for part in parts))

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

    def sort(self, by: str | Measure | None = None) -> Bounds:
        """The same with the best run first, by its value; as for ``Scores``."""
        return self._of_runs(self.value.best_first(by))

    @checked
    def top(self, runs: int, by: str | Measure | None = None) -> Bounds:
        """The best runs, as ``sort`` orders them; all if there are fewer.

        Raises as ``Scores.top``.
        """
        return self._of_runs(self.value.best_first(by)[: whole(runs, "runs", least=1)])

    def _of_runs(self, places: list[int]) -> Bounds:
        """Some of the runs, in an order that was asked for."""
        return Bounds(*(part.of_runs(places) for part in self.parts.values()))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The long table as an Arrow stream; raises ``ImportError`` without pyarrow."""
        stream: object = self.to_arrow().__arrow_c_stream__(requested_schema)
        return stream

    _cells = "summary"

    def _parts(self) -> dict[str, Scores]:
        return self.parts


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
