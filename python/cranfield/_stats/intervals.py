"""Confidence intervals and multiple-comparison corrections."""

from __future__ import annotations

from dataclasses import dataclass

from cranfield import _core
from cranfield._base.errors import failure, shown
from cranfield._base.options import checked, numbers
from cranfield._stats.score_matrix import ScoreMatrix, as_matrix, enough

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from cranfield._base.scores_like import ScoresKind
    from cranfield._core import Measure
    from cranfield._stats.score_matrix import ScoresLike

RESAMPLES = 10_000
"""The default number of resamples of topics for an interval."""

METHODS = ("t", "percentile", "bca")
"""How intervals of means are made, the default first."""


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
        "holm" (Holm 1979, step-down) and "bonferroni" bound the chance of any
        false rejection; "bh" (Benjamini and Hochberg 1995) bounds the expected
        share of false rejections.

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
    return _of_means(
        table.values, level=level, method=method, resamples=resamples, seed=seed, threads=threads
    )


def of_scores(
    scores: ScoresKind, *, level: float, method: str, resamples: int, seed: int, threads: int | None
) -> Interval:
    """Intervals of the means of all measures; see ``Scores.interval``."""
    import numpy as np

    shape = len(scores.runs), len(scores.measures)
    low, high = np.full(shape, np.nan), np.full(shape, np.nan)
    values = np.moveaxis(scores.values, 1, 2)
    means = np.array([measure.aggregate == "mean" for measure in scores.core.measures], dtype=bool)
    chosen = means & ((~np.isnan(values)).sum(axis=2) >= 2)
    # All at once, so that options are checked even where nothing has an interval.
    found = _of_means(
        np.ascontiguousarray(values[chosen]),
        level=level,
        method=method,
        resamples=resamples,
        seed=seed,
        threads=threads,
    )
    low[chosen], high[chosen] = found.low, found.high
    return Interval(low, high, level, method)


def _of_means(
    values: NDArray[np.float64],
    *,
    level: float,
    method: str,
    resamples: int,
    seed: int,
    threads: int | None,
) -> Interval:
    """Intervals of the means of rows: shape (rows, topics)."""
    import numpy as np

    # A mean is the mean difference to a run that scores 0 everywhere.
    against = np.vstack([values, np.zeros((1, values.shape[1]))])
    rows = np.arange(len(values), dtype=np.int64)
    pairs = np.stack([rows, np.full_like(rows, len(rows))], axis=1)
    names = tuple(map(str, range(len(against))))
    return interval(
        ScoreMatrix(against, names, None),
        pairs,
        level=level,
        method=method,
        resamples=resamples,
        seed=seed,
        threads=threads,
    )


def interval(
    table: ScoreMatrix,
    pairs: NDArray[np.int64],
    *,
    level: float,
    method: str,
    resamples: int,
    seed: int,
    threads: int | None,
    alternative: str = "two-sided",
) -> Interval:
    """Intervals of the mean differences of pairs, one-sided if the alternative is."""
    import numpy as np

    probability(level, "level")
    if method not in METHODS:
        message = f'expected "t", "percentile" or "bca" as method, found {method!r}'
        raise failure("option", message)
    if method == "t":
        low, high = _core.t_intervals(table.values, pairs, level=level, alternative=alternative)
        return Interval(low, high, level, method)
    inner = level if alternative == "two-sided" else 2 * level - 1
    probability(inner, "level of a one-sided bootstrap interval, doubled less 1,")
    low, high = _core.bootstrap_intervals(
        table.values,
        pairs,
        method=method,
        level=inner,
        resamples=resamples,
        seed=seed,
        threads=threads,
    )
    if alternative == "less":
        low = np.full_like(low, -np.inf)
    elif alternative == "greater":
        high = np.full_like(high, np.inf)
    return Interval(low, high, level, method)


def probability(value: float, what: str) -> None:
    """Raises ``Error`` (kind "option") for what is not a number between 0 and 1."""
    from numbers import Real

    if not isinstance(value, Real) or not 0 < value < 1:
        raise failure("option", f"expected a {what} between 0 and 1, found {shown(value)}")
