"""Groups of runs that a paired test cannot tell apart, with letters: compact letter displays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield._base.options import an_array, finder
from cranfield._base.scores_like import ScoresKind
from cranfield._base.text import counted
from cranfield._core import letter_groups
from cranfield._measures.parse import MeasureLike
from cranfield._stats.intervals import RESAMPLES, correct, direction, ranks
from cranfield._stats.registry import TESTS, check_means, checked_test, of_zeros
from cranfield._stats.score_matrix import as_matrix
from cranfield._table.data_table import COUNT, SHARE, TEXT, DataTable
from cranfield._table.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class Tiers(Result):
    """Runs, best first, with the groups that a paired test cannot tell apart.

    Made by ``Scores.tiers``; immutable. Arrays and tuples have one entry per run.
    """

    measure: str
    """The measure."""
    runs: tuple[str, ...]
    """The runs, best first; ties in the order of the scores."""
    means: NDArray[np.float64]
    """Their means over topics: float64."""
    letters: tuple[str, ...]
    """The letters of each run's groups: runs that share none differ significantly."""
    groups: tuple[tuple[str, ...], ...]
    """The runs of each group; the group of the letter a first. A run can be in several."""
    rank_low: NDArray[np.int64]
    """The best rank of each run, in a share ``level`` of the resamples of topics."""
    rank_high: NDArray[np.int64]
    """The worst rank."""
    beaten: tuple[tuple[str, ...], ...]
    """The runs that each run is significantly better than, best first."""
    topics: int
    """The number of topics behind the ranks: those that all runs have."""
    better: str | None
    """Which scores are better, "higher" or "lower"; None where that is unknown.

    If None, higher scores come first, and no run beats another.
    """
    test: str
    """The test of each pair."""
    correction: str
    """How its p-values were corrected for the number of pairs."""
    alpha: float
    """The significance level of the corrected p-values."""
    level: float
    """The proportion of resamples in which a run's rank is in its interval."""
    resamples: int
    """The number of resamples of topics for the ranks."""
    seed: int
    """The random seed."""

    def __post_init__(self) -> None:
        for array in (self.means, self.rank_low, self.rank_high):
            an_array(array, "a column").flags.writeable = False

    def __len__(self) -> int:
        """How many runs."""
        return len(self.runs)

    __iter__ = None

    def __getitem__(self, run: str) -> str:
        """The letters of a run; raises ``LabelError`` for one that is not there."""
        return self.letters[finder("run", self.runs)(run)]

    @property
    def zeros(self) -> list[str]:
        """A sentence for each run that scores 0 on every topic, such as an empty run."""
        means = {run: [mean] for run, mean in zip(self.runs, self.means.tolist(), strict=True)}
        return of_zeros(means) if self.better == "higher" else []

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns run, mean, letters, rank_low, rank_high and beaten as lists."""
        return {
            "run": list(self.runs),
            "mean": self.means.tolist(),
            "letters": list(self.letters),
            "rank_low": self.rank_low.tolist(),
            "rank_high": self.rank_high.tolist(),
            "beaten": [list(runs) for runs in self.beaten],
        }

    def headline(self) -> str:
        """What was tested."""
        return f"<Tiers: {counted(len(self), 'run')}, {self.measure}, {self.test}>"

    def footnotes(self) -> list[str]:
        """The runs that have 0 in every topic."""
        return self.zeros

    def table(self) -> DataTable:
        """A row for each run, the best first."""
        return DataTable(
            {
                "run": (TEXT, self.runs),
                self.measure: (SHARE, self.means.tolist()),
                "tier": (TEXT, self.letters),
                "rank low": (COUNT, self.rank_low.tolist()),
                "rank high": (COUNT, self.rank_high.tolist()),
                "beaten": (TEXT, [" ".join(runs) for runs in self.beaten]),
            }
        )


def tiers(
    scores: ScoresKind, measure: MeasureLike | None, *, test: str, threads: int | None, **how: Any
) -> Tiers:
    """The tiers of the runs in a measure; see ``Scores.tiers``.

    ``how`` are correction, alpha, level, resamples and seed.
    """
    how["correction"] = checked_test(test, how["correction"], how["alpha"])
    table = as_matrix(scores, measure, "omit")
    name = str(table.measure)
    check_means(m for m in scores.core.measures if str(m) == name)
    drawn: dict[str, Any] = {"resamples": how["resamples"], "seed": how["seed"], "threads": threads}
    tested = TESTS[test](scores, measure=name, nan="omit", **drawn)
    complete = table.complete(1, "a rank interval")
    if how["resamples"] is None:
        how["resamples"] = drawn["resamples"] = RESAMPLES
    return of_tests(
        *(name, table.runs, np.nanmean(table.values, axis=1)),
        *(tested.pairs, tested.pvalue, tested.difference),
        ranks(complete, direction(scores, name), how["level"], **drawn),
        better=scores.better[name],
        test=test,
        topics=complete.values.shape[1],
        **how,
    )


def of_tests(
    measure: str,
    names: Sequence[str],
    means: NDArray[np.float64],
    pairs: NDArray[np.int64],
    pvalues: NDArray[np.float64],
    differences: NDArray[np.float64],
    rank_ends: tuple[NDArray[np.int64], NDArray[np.int64]],
    *,
    better: str | None,
    correction: str,
    alpha: float,
    **how: Any,
) -> Tiers:
    """The tiers that the tests of all pairs of runs lead to, from p-values not yet corrected.

    ``how`` are test, level, resamples, seed and topics, as ``Tiers`` has them.
    """
    places = len(names)
    corrected = pvalues if correction == "none" else correct(pvalues, correction)
    significant = np.zeros((places, places), dtype=bool)
    first, second = pairs.T
    significant[first, second] = significant[second, first] = corrected < alpha
    order = np.argsort(means if better == "lower" else -means, kind="stable")
    ordered = significant[np.ix_(order, order)]
    found, letters = letter_groups(ordered)
    runs = tuple(names[place] for place in order)
    # Of a pair the better one is decided by its own topics, as the test is.
    gain = np.zeros((places, places))
    gain[first, second] = -differences if better == "lower" else differences
    gain[second, first] = -gain[first, second]
    beats = ordered & (gain[np.ix_(order, order)] > 0) if better else np.zeros_like(ordered)
    return Tiers(
        measure,
        runs,
        means[order],
        tuple(letters),
        tuple(tuple(runs[place] for place in group) for group in found),
        rank_ends[0][order],
        rank_ends[1][order],
        tuple(tuple(runs[place] for place in np.flatnonzero(row)) for row in beats),
        better=better,
        correction=correction,
        alpha=float(alpha),
        **how,
    )
