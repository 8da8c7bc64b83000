"""Means of runs, ties between them, and scores standardized over topics."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield import stats
from cranfield._base.errors import failure
from cranfield._base.options import checked, one_of
from cranfield._base.scores_like import turn
from cranfield._core import Measure
from cranfield._scores.scores import Scores

Floats: TypeAlias = NDArray[np.float64]

TIED = 1e-9
"""Mean scores closer than this, relatively, are tied: sums of the same numbers
in another order differ in their last bits."""


@checked
def best(scores: Scores, count: int, by: str | Measure) -> Scores:
    """The best runs by the summary of a measure, best first, undefined last.

    As in Sakai (2007), section 5: the top 30 runs by Mean AP. For a measure
    with no direction, these are the runs with the highest values.
    """
    return scores.sel(run=[scores.runs[i] for i in scores.best_first(by)[:count]])


@checked
def drop_worst(scores: Scores, share: float, by: str | Measure) -> Scores:
    """The runs without the worst share by the summary of a measure, in order.

    As in Voorhees and Buckley (2002): without the worst quarter, which holds
    defective runs. The worst are the last of ``best``; among ties, the run
    given first is dropped first.
    """
    if not 0 <= share < 1:
        raise failure("option", f"expected a share from 0 to below 1, found {share}")
    # In reverse, so that earlier runs sort last among ties.
    backward = scores.sel(run=scores.runs[::-1])
    worst = backward.best_first(by)[left_without_worst(len(scores.runs), share) :]
    dropped = {backward.runs[i] for i in worst}
    return scores.sel(run=[run for run in scores.runs if run not in dropped])


def left_without_worst(runs: int, share: float) -> int:
    """How many of so many runs are left by ``drop_worst``; for this package only."""
    return runs - int(runs * share + TIED)


def signs(better: Iterable[str | None]) -> Floats:
    """The factors that make higher values better: 1 or -1 for each direction, float64."""
    return np.array([turn(direction) for direction in better], dtype=np.float64)


@checked
def tau(x: Floats, y: Floats) -> float:
    """Kendall's tau-b of two rows of means; those closer than ``TIED`` are tied."""
    return float(stats.kendall(x, y, tolerance=TIED).statistic)


@checked
def means_of(values: Floats) -> Floats:
    """Means over topics, in their order: shape (runs, measures)."""
    if values.ndim < 2:
        message = f"expected values of runs, topics and measures, found shape {values.shape}"
        raise failure("option", message)
    means: Floats = np.add.reduce(values, axis=1) / values.shape[1]
    return means


def differences_or_zero(x: Floats, y: Floats) -> Floats:
    """Differences in means, 0 where they are tied."""
    tied = np.abs(x - y) <= TIED * np.maximum(np.abs(x), np.abs(y))
    return np.where(tied, 0.0, x - y)


def require_complete(scores: Scores, *, runs: int, topics: int) -> Floats:
    """Returns the values; raises if there are too few or any is missing."""
    for count, least, what in (
        (len(scores.runs), runs, "runs"),
        (len(scores.topics), topics, "topics"),
    ):
        if count < least:
            raise failure("option", f"expected at least {least} {what}, found {count}")
    if np.isnan(scores.values).any():
        message = (
            "the scores have topics that were left out (NaN), so runs would be compared on "
            'different topics; evaluate with missing="zero" and undefined="zero", or select '
            "topics that all runs have"
        )
        raise failure("undefined", message)
    return scores.values


@checked
def standardize(
    scores: Scores,
    reference: Scores | None = None,
    *,
    ddof: int = 1,
    method: str = "z",
    scale: float = 0.15,
    shift: float = 0.5,
) -> Scores:
    """Scores as distances from the typical score on a topic.

    z = (x - mean) / deviation, over the runs of ``reference`` for the same
    topic and measure; 0 where all of them are equal (Webber, Moffat and Zobel
    2008, and 2010, equation 8).

    Parameters
    ----------
    scores
        The scores to standardize.
    reference
        The scores whose means and deviations are used; ``scores`` themselves
        if not given. The topics and measures have to be the same.
    ddof
        1 for the deviation of a sample, 0 for that of a population.
    method
        "z" for the distance, "cdf" for its value under the normal distribution function,
        "AB" for ``scale * z + shift`` clipped to [0, 1] (Sakai 2016).
    scale, shift
        A and B of "AB".

    Raises
    ------
    Error
        Kind "option" for an unknown method, for other topics or
        measures, and for fewer reference runs than a deviation needs;
        "undefined" for a reference with NaN.

    """
    one_of("method", method, ("z", "cdf", "AB"))
    base = scores if reference is None else reference
    if (base.topics, base.measures) != (scores.topics, scores.measures):
        raise failure("option", "expected a reference with the same topics and measures")
    if len(base.runs) <= ddof:
        message = f"expected more than {ddof} reference runs, found {len(base.runs)}"
        raise failure("option", message)
    require_complete(base, runs=1, topics=1)
    mean = np.mean(base.values, axis=0)
    # Means of equal numbers differ from them in the last bit.
    equal = np.ptp(base.values, axis=0) == 0
    deviation = np.where(equal, 1.0, np.std(base.values, axis=0, ddof=ddof))
    z = np.where(equal, 0.0, (scores.values - mean) / np.where(deviation == 0, 1.0, deviation))
    if method == "AB":
        z = np.clip(scale * z + shift, 0.0, 1.0)
    elif method == "cdf":
        z = np.vectorize(math.erfc, otypes=[np.float64])(-z / math.sqrt(2)) / 2
    return Scores(scores.core.with_values(np.ascontiguousarray(z)))
