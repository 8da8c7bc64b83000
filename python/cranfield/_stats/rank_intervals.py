"""The range of a run's rank under other samples of topics."""

from __future__ import annotations

from dataclasses import dataclass

from cranfield import _core
from cranfield._base.errors import failure, shown
from cranfield._base.options import checked
from cranfield._base.scores_like import is_scores
from cranfield._stats.intervals import probability
from cranfield._stats.score_matrix import ScoreMatrix, as_matrix
from cranfield._table.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cranfield._core import Measure
    from cranfield._stats.score_matrix import ScoresLike

RESAMPLES = 10_000
"""The default number of resamples."""


@dataclass(frozen=True, eq=False)
class RankInterval(Result):
    """The range of each run's rank over resampled topics; arrays have one entry per run."""

    low: NDArray[np.int64]
    """The better end: 1 is the best rank."""
    high: NDArray[np.int64]
    """The worse end."""
    level: float
    """The share of resamples in which the rank is between the two."""
    resamples: int
    """The number of resamples."""
    seed: int
    """The random seed."""


@checked
def rank_interval(
    scores: ScoresLike,
    *,
    measure: str | Measure | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    better: str | None = None,
    threads: int | None = None,
    nan: str = "error",
) -> RankInterval:
    """Bootstrap intervals of the ranks of runs, with topics as the sample.

    Topics are sampled with replacement, and the runs ranked by their means: a
    run's rank is one more than the number of runs that are better. The
    interval is between two percentiles of its ranks, each of them a rank that
    occurred.

    Parameters
    ----------
    scores, measure, nan
        As for ``t_test``; with ``nan="omit"`` the topics are those that all
        runs have.
    level
        The confidence, between 0 and 1.
    resamples
        The number of resamples; all runs share them.
    seed, threads
        As for ``randomization_test``.
    better
        Which scores are better, "higher" or "lower". If not given, the
        direction of the measure, and "higher" for an array.

    Returns
    -------
    RankInterval
        ``low`` and ``high``: int64, shape (runs,).

    Raises
    ------
    Error
        As ``t_test`` does, but not for a single run or topic.

    """
    table = as_matrix(scores, measure, nan).complete(1, "a rank interval")
    if better is None:
        better = direction(scores, table.measure)
    return ranks(table, better, level=level, resamples=resamples, seed=seed, threads=threads)


def direction(scores: ScoresLike, measure: str | None) -> str:
    """Which scores are better: the higher ones unless the measure says the lower."""
    known = scores.better[measure] if is_scores(scores) and measure else None
    return known or "higher"


def ranks(
    table: ScoreMatrix, better: str, *, level: float, resamples: int, seed: int, threads: int | None
) -> RankInterval:
    """The intervals for complete scores."""
    import numpy as np

    if better not in ("higher", "lower"):
        raise failure("option", f'expected "higher" or "lower" as better, found {shown(better)}')
    probability(level, "level")
    values = table.values if better == "higher" else np.ascontiguousarray(-table.values)
    low, high = _core.rank_intervals(
        values, level=level, resamples=resamples, seed=seed, threads=threads
    )
    return RankInterval(low, high, level, resamples, seed)
