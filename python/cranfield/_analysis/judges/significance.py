"""Whether two judges lead to the same conclusions about pairs of runs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cranfield._analysis.judges.system_order import TIED, paired
from cranfield._base.errors import failure
from cranfield._base.options import checked
from cranfield._stats.registry import TESTS, check_means, checked_test
from cranfield._table.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cranfield._core import Measure
    from cranfield._scores.scores import Scores


@dataclass(frozen=True, slots=True)
class Fidelity(Result):
    """Pairs of runs by what a test concludes under gold and under the other judge."""

    measure: str
    """The measure."""
    both_same: int
    """Significant under both, with the same run ahead (AA)."""
    both_opposite: int
    """Significant under both, with the other run ahead: the conclusion is reversed (AD)."""
    gold_only: int
    """Significant under gold alone: missed."""
    other_only: int
    """Significant under the other judge alone: false alarms."""
    one_opposite: int
    """Of the pairs of the last two, those in which the other run is ahead (MD)."""
    neither_same: int
    """Significant under neither, with the same run ahead (PA)."""
    neither_opposite: int
    """Significant under neither, with the other run ahead (PD)."""
    precision: float
    """Of what is significant under the other judge, the share that gold confirms; NaN for none."""
    recall: float
    """Of what is significant under gold, the share that the other judge finds; NaN for none."""
    test: str
    """The test."""
    correction: str
    """The correction for the number of pairs."""
    alpha: float
    """The level of significance."""


@checked
def fidelity(
    gold: Scores,
    other: Scores,
    *,
    measure: str | Measure | None = None,
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    seed: int = 0,
) -> Fidelity:
    """What significance tests of all pairs of runs conclude under one judge and the other.

    Parameters
    ----------
    gold, other, measure
        As for ``order``.
    test, correction, alpha, seed
        As for ``cranfield.compare``, of all pairs of runs under each judge.

    Returns
    -------
    Fidelity
        How many pairs agree and disagree, and the precision and recall of what is significant.
        A difference of 0 agrees only with one of 0.

    Raises
    ------
    Error
        As ``order``, and as the test.

    """
    runs, label, a, b = paired(gold, other, measure)
    if len(runs) < 2:
        raise failure("undefined", "expected at least two runs to test, found one")
    check_means([gold.core.measures[gold.measures.index(label)]])
    corrected = checked_test(test, correction, alpha)
    found = []
    for values in (a, b):
        tested = TESTS[test](values, nan="omit", seed=seed)
        if corrected != "none":
            tested = tested.corrected(corrected)
        found.append((tested.difference, tested.significant(alpha)))
    return counted(*found[0], *found[1], label, (test, corrected, alpha))


def counted(
    first: NDArray[np.float64],
    significant_first: NDArray[np.bool_],
    second: NDArray[np.float64],
    significant_second: NDArray[np.bool_],
    measure: str,
    options: tuple[str, str, float],
) -> Fidelity:
    """The pairs by what both judges say: differences, and where they are significant."""
    same = _signs(first) == _signs(second)
    both = significant_first & significant_second
    only_gold = significant_first & ~significant_second
    only_other = significant_second & ~significant_first
    neither = ~significant_first & ~significant_second

    def number(where: NDArray[np.bool_]) -> int:
        return int(where.sum())

    agreed, flipped = number(both & same), number(both & ~same)
    missed, false = number(only_gold), number(only_other)
    return Fidelity(
        measure,
        agreed,
        flipped,
        missed,
        false,
        number((only_gold | only_other) & ~same),
        number(neither & same),
        number(neither & ~same),
        _share(agreed, agreed + false + flipped),
        _share(agreed, agreed + missed + flipped),
        *options,
    )


def _signs(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """The signs of differences, 0 for what is rounding."""
    import numpy as np

    found: NDArray[np.float64] = np.where(np.abs(differences) <= TIED, 0.0, np.sign(differences))
    return found


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
