"""How often runs were preferred."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cranfield import _core
from cranfield._base.errors import failure
from cranfield._base.options import finder, is_iterable, two
from cranfield._table.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    Battles: TypeAlias = Iterable[Sequence[str | None]]


@dataclass(frozen=True, eq=False, repr=False)
class PreferenceRates(Result):
    """How often each run was preferred; arrays have an entry per run, best first."""

    runs: tuple[str, ...]
    """The runs, the most preferred first."""
    rate: NDArray[np.float64]
    """(wins + ties / 2) / battles: float64, shape (runs,)."""
    wins: NDArray[np.int64]
    """Battles that the run won: int64, shape (runs,)."""
    ties: NDArray[np.int64]
    """Battles that nobody won."""
    losses: NDArray[np.int64]
    """Battles that the other run won."""
    pairs: NDArray[np.float64]
    """The rate of the run of a row against that of a column: float64, shape (runs, runs).

    NaN for two that did not meet.
    """
    battles: NDArray[np.int64]
    """How often two met: int64, shape (runs, runs)."""

    __iter__ = None

    def __getitem__(self, key: str | tuple[str, str]) -> float:
        """The rate of a run, or of the first run of a pair against the second.

        NaN for two that did not meet. Raises ``LabelError`` for a run that is not there.
        """
        find = finder("run", self.runs)
        if isinstance(key, tuple):
            first, second = map(find, two(key, "two runs"))
            return float(self.pairs[first, second])
        return float(self.rate[find(key)])


def preference_rates(battles: Battles) -> PreferenceRates:
    """How often runs were preferred, in all and against each other: (wins + ties / 2) / battles.

    Parameters
    ----------
    battles
        As for ``bradley_terry``. Equal battles all count.

    Returns
    -------
    PreferenceRates
        ``runs`` and ``rate``, best first; ``rates["x"]`` and ``rates["x", "y"]``.

    Raises
    ------
    Error
        As ``bradley_terry``, but for what is about its maximum.

    """
    import numpy as np

    names, outcomes = counted(battles)
    size = len(names)
    won, met = np.zeros((size, size)), np.zeros((size, size), dtype=np.int64)
    tied = np.zeros((size, size), dtype=np.int64)
    for first, second, wins, losses, ties in outcomes.tolist():
        won[first, second], won[second, first] = wins, losses
        tied[first, second] = tied[second, first] = ties
        met[first, second] = met[second, first] = wins + losses + ties
    pairs = np.where(met > 0, (won + 0.5 * tied) / np.maximum(met, 1), math.nan)
    wins_of, ties_of, met_of = won.sum(axis=1), tied.sum(axis=1), met.sum(axis=1)
    rate = (wins_of + 0.5 * ties_of) / met_of
    order = sorted(range(size), key=lambda place: (-rate[place], names[place]))
    return PreferenceRates(
        tuple(names[place] for place in order),
        rate[order],
        wins_of[order].astype(np.int64),
        ties_of[order],
        (met_of - wins_of - ties_of)[order].astype(np.int64),
        pairs[np.ix_(order, order)],
        met[np.ix_(order, order)],
    )


def counted(
    battles: Battles,
) -> tuple[list[str], NDArray[np.uint64]]:
    """The runs of battles, sorted, and what each pair did: shape (pairs, 5)."""
    if isinstance(battles, (str, bytes, dict)) or not is_iterable(battles):
        kind = type(battles).__name__
        advice = "; cf.battles.read reads files" if isinstance(battles, str) else ""
        raise failure("type", f"expected battles (a, b, winner), found a {kind}{advice}")
    names, outcomes = _core.count_battles(battles)
    if not names:
        raise failure("empty", "expected battles, found none")
    return names, outcomes
