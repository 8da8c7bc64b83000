"""Scores in the form that the tests need: a row for each run, a column for each topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from cranfield._base.arrays import as_array
from cranfield._base.errors import failure, shown
from cranfield._base.options import checked, one_of
from cranfield._base.scores_like import ScoresKind, is_scores
from cranfield._base.text import counted
from cranfield._measures.parse import MeasureLike, measure_values, run_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

ScoresLike: TypeAlias = "ScoresKind | ArrayLike"


@dataclass(frozen=True, eq=False, repr=False)
class ScoreMatrix:
    """One measure's scores with their labels."""

    values: NDArray[np.float64]
    """Shape (runs, topics), C-contiguous; NaN only where ``nan="omit"`` allows it."""
    runs: tuple[str, ...]
    measure: str | None

    def pairs(self, baseline: object | None) -> NDArray[np.int64]:
        """All pairs of rows, the first before the second; or each with every baseline."""
        import numpy as np

        several = len(self.runs)
        if several < 2:
            raise failure("undefined", f"a pair takes two runs, found {counted(several, 'run')}")
        if baseline is None:
            first, second = np.nonzero(np.tri(several, k=-1, dtype=bool).T)
            return np.stack([first, second], axis=1).astype(np.int64, copy=False)
        named = baseline if isinstance(baseline, (list, tuple)) else [baseline]
        fixed = list(dict.fromkeys(run_place(self.runs, one) for one in named))
        others = [run for run in range(several) if run not in fixed]
        if not others or not fixed:
            raise failure("option", "expected a baseline, and a run that is none")
        return np.array([(run, one) for run in others for one in fixed], dtype=np.int64)

    def complete(self, least: int, test: str) -> ScoreMatrix:
        """Only the topics that all runs have; raises if fewer than ``least``."""
        import numpy as np

        incomplete = np.isnan(self.values).any(axis=0)
        values = self.values
        if incomplete.any():
            values = np.ascontiguousarray(self.values[:, ~incomplete])
        enough(values.shape[1], least, test)
        return ScoreMatrix(values, self.runs, self.measure)


def enough(topics: int, least: int, test: str, which: str = "") -> None:
    """Raises if a test is undefined for so few topics."""
    if topics < least:
        needed, found = counted(least, "topic"), counted(topics, "topic")
        raise failure("undefined", f"{test} needs at least {needed}, found {found}{which}")


@checked
def as_matrix(scores: ScoresLike, measure: MeasureLike | None, nan: str) -> ScoreMatrix:
    """Scores of any form, checked."""
    import numpy as np

    one_of("nan", nan, ("error", "omit"))
    if is_scores(scores):
        runs, name, values = measure_values(scores, measure)
    else:
        runs, name, values = (), None, as_numbers(scores, "systems x topics")
        if values.shape[1] == 0:
            raise failure("undefined", "there are no topics")
        runs = tuple(map(str, range(len(values))))
        if measure is not None:
            raise failure("option", "measure= picks a column of Scores; an array has none")
    if np.isinf(values).any():
        raise failure("number", "the scores have to be finite, found an infinite one")
    missing = np.isnan(values)
    if nan == "error" and missing.any():
        run = runs[int(np.argmax(missing.any(axis=1)))]
        raise failure(
            "undefined",
            f"{counted(int(missing.any(axis=0).sum()), 'topic')} left out (NaN), first in run "
            f'{run!r}; nan="omit" tests on the topics that both runs of a pair have, '
            'or evaluate with missing="zero" and undefined="zero"',
        )
    return ScoreMatrix(np.ascontiguousarray(values), runs, name)


def as_numbers(values: Any, axes: str) -> NDArray[np.float64]:
    """A copy as float64 with these axes, such as "systems x topics"; text is not parsed.

    Raises ``Error`` (kind "type") for anything else.
    """
    import numpy as np

    try:
        array = np.asarray(as_array(values))
        text = array.dtype.kind == "O" and any(isinstance(one, str) for one in array.flat)
        if text or array.dtype.kind in "USTMmcV":
            raise TypeError(array.dtype)
        array = array.astype(np.float64)
    except Exception as error:
        message = f"expected numbers, {axes}; found {shown(values)}"
        raise failure("type", message) from error
    wanted = axes.count(" x ") + 1
    if array.ndim != wanted:
        shape = " x ".join(map(str, array.shape)) or "a single number"
        expected = "one axis" if wanted == 1 else "two axes"
        raise failure("type", f"expected {expected}, {axes}; found {shape}")
    return array
