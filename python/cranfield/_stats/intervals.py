"""Confidence intervals of means and of ranks, and corrections for the number of tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cranfield import _core
from cranfield._base.errors import failure
from cranfield._base.options import checked, numbers, one_of, probability
from cranfield._base.scores_like import ScoresKind, is_scores
from cranfield._core import Measure
from cranfield._stats.score_matrix import ScoreMatrix, ScoresLike, as_matrix, enough
from cranfield._table.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

RESAMPLES = 10_000
"""The default number of resamples of topics, for an interval of means or of ranks."""

METHODS = ("t", "percentile", "bca")
"""How intervals of means are made, the default first."""

EFFECTS = ("dz", "residual", "pooled", "glass")
"""The effect sizes: by which standard deviation a difference is divided."""


@dataclass(frozen=True, eq=False)
class Interval:
    """Confidence intervals, one for each pair or run."""

    low: NDArray[np.float64]
    """Lower ends; minus infinity for a one-sided interval that has none."""
    high: NDArray[np.float64]
    """Upper ends."""
    level: float
    """The confidence of each interval (of all at once for ``method="tukey"``)."""
    method: str
    """How they were made."""


@checked
def correct(pvalues: ArrayLike, method: str = "holm") -> NDArray[np.float64]:
    """Corrects p-values for the number of tests; keeps the shape.

    Parameters
    ----------
    pvalues
        Numbers from 0 to 1, of any shape.
    method
        "holm" (Holm 1979, step-down) and "bonferroni" bound the probability of any
        false rejection; "bh" (Benjamini and Hochberg 1995) bounds the expected
        proportion of false rejections.

    Raises
    ------
    Error
        For another method (kind "option"); for a p-value that is NaN or not
        from 0 to 1 (kind "number").

    """
    given = numbers(pvalues, "pvalues")
    if not ((given >= 0) & (given <= 1)).all():
        raise failure("number", "a p-value is a number from 0 to 1")
    return _core.correct_pvalues(given.reshape(-1), method).reshape(given.shape)


@checked
def mean_interval(
    scores: ScoresLike,
    *,
    measure: str | Measure | None = None,
    level: float = 0.95,
    method: str = "t",
    resamples: int = RESAMPLES,
    seed: int = 0,
    threads: int | None = None,
    nan: str = "error",
) -> Interval:
    """Confidence intervals of the mean scores of runs, with topics as the sample.

    Parameters
    ----------
    scores, measure, nan
        As for ``t_test``; with ``nan="omit"`` each run's own topics count.
    level
        The confidence, between 0 and 1.
    method
        "t" (Student), "percentile" or "bca" (Efron 1987).
    resamples
        The number of resamples for the last two; all runs share them.
    seed, threads
        As for ``randomization_test``.

    Returns
    -------
    Interval
        With ``low`` and ``high`` of shape (runs,). A run with the same score
        on all topics has an interval of width 0.

    Raises
    ------
    Error
        For fewer than two topics (kind "undefined"), and as ``t_test`` does.

    """
    import numpy as np

    table = as_matrix(scores, measure, nan)
    for run, row in zip(table.runs, table.values, strict=True):
        enough(int((~np.isnan(row)).sum()), 2, "an interval", f" for run {run!r}")
    drawn = {"resamples": resamples, "seed": seed, "threads": threads}
    return _of_means(table.values, level=level, method=method, **drawn)


def of_scores(scores: ScoresKind, *, level: float, method: str, **draws: Any) -> Interval:
    """Intervals of the means of all measures; see ``Scores.interval``.

    ``draws`` are resamples, seed and threads.
    """
    import numpy as np

    shape = len(scores.runs), len(scores.measures)
    low, high = np.full(shape, np.nan), np.full(shape, np.nan)
    values = np.moveaxis(scores.values, 1, 2)
    means = np.array([measure.aggregate == "mean" for measure in scores.core.measures], dtype=bool)
    chosen = means & ((~np.isnan(values)).sum(axis=2) >= 2)
    # All at once, so that options are checked even where nothing has an interval.
    rows = np.ascontiguousarray(values[chosen])
    found = _of_means(rows, level=level, method=method, **draws)
    low[chosen], high[chosen] = found.low, found.high
    return Interval(low, high, level, method)


def _of_means(values: NDArray[np.float64], **how: Any) -> Interval:
    """Intervals of the means of rows, shape (rows, topics); ``how`` as for ``interval``."""
    import numpy as np

    # A mean is the mean difference to a run that scores 0 everywhere.
    against = np.vstack([values, np.zeros((1, values.shape[1]))])
    rows = np.arange(len(values), dtype=np.int64)
    pairs = np.stack([rows, np.full_like(rows, len(rows))], axis=1)
    return interval(against, pairs, **how)


def interval(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    *,
    level: float,
    method: str,
    alternative: str = "two-sided",
    **draws: Any,
) -> Interval:
    """Intervals of the mean differences of pairs of rows, one-sided if the alternative is.

    ``draws`` are resamples, seed and threads.
    """
    import numpy as np

    one_of("method", method, METHODS)
    if method == "t":
        low, high = _core.t_intervals(values, pairs, level=level, alternative=alternative)
        return Interval(low, high, level, method)
    inner = level if alternative == "two-sided" else 2 * level - 1
    probability(inner, "level of a one-sided bootstrap interval, doubled less 1,")
    low, high = _core.bootstrap_intervals(values, pairs, method=method, level=inner, **draws)
    if alternative == "less":
        low = np.full_like(low, -np.inf)
    elif alternative == "greater":
        high = np.full_like(high, np.inf)
    return Interval(low, high, level, method)


@dataclass(frozen=True, eq=False)
class RankInterval(Result):
    """The range of each run's rank over resampled topics; arrays have one entry per run."""

    low: NDArray[np.int64]
    """The better end: 1 is the best rank."""
    high: NDArray[np.int64]
    """The worse end."""
    level: float
    """The proportion of resamples in which the rank is between the two."""
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
    low, high = ranks(table, better, level, resamples=resamples, seed=seed, threads=threads)
    return RankInterval(low, high, level, resamples, seed)


def direction(scores: ScoresLike, measure: str | None) -> str:
    """Which scores are better: the higher ones unless the measure says the lower."""
    known = scores.better[measure] if is_scores(scores) and measure else None
    return known or "higher"


def ranks(
    table: ScoreMatrix, better: str, level: float, **draws: Any
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The best and the worst ranks for complete scores; ``draws`` as for ``interval``."""
    import numpy as np

    one_of("better", better, ("higher", "lower"))
    values = table.values if better == "higher" else np.ascontiguousarray(-table.values)
    return _core.rank_intervals(values, level=level, **draws)
