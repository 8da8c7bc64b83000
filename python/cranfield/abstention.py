"""Whether confidence predicts failure: nAUC.

>>> import cranfield as cf
>>> cf.abstention.nauc([0, 0.5, 1, 1], [1, 2, 3, 4])
1.0
>>> cf.abstention.confidence([0.9, 0.4, 0.2])
Confidence(max=0.9, std=0.294, diff1=0.5)

A system that abstains on the topics of least confidence should be better on the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from cranfield._base.errors import failure, shown
from cranfield._base.options import checked, numbers
from cranfield._core import abstention_areas

__all__ = ["RATES", "Confidence", "confidence", "nauc"]

RATES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""The proportions of topics on which MTEB lets a system abstain."""


class Confidence(NamedTuple):
    """The confidence in a list, from its scores, in three ways."""

    max: float
    """The highest score."""
    std: float
    """The standard deviation of the scores, divisor n."""
    diff1: float
    """How far the highest score is above the next; 0 for a list of one."""

    def __repr__(self) -> str:
        return f"Confidence(max={self.max:.3g}, std={self.std:.3g}, diff1={self.diff1:.3g})"


@checked
def confidence(scores: Iterable[float]) -> Confidence:
    """The confidence in one list, from its scores.

    Raises ``Error`` (kind "empty") for a list without documents.
    """
    values = np.sort(np.fromiter(scores, dtype=np.float64))[::-1]
    if not len(values):
        raise failure("empty", "expected the scores of a list, found none")
    diff1 = values[0] - values[1] if len(values) > 1 else 0.0
    return Confidence(float(values[0]), float(values.std()), float(diff1))


@checked
def nauc(values: ArrayLike, sure: ArrayLike, rates: Sequence[float] = RATES) -> float:
    """The normalized area under the curve of a measure against the rate of abstention.

    At each rate the topics of the least confidence are left out; the mean of
    the rest is a curve. It is 0 for one that stays flat, and 1 for one that
    leaves out the topics with the lowest values.

    Parameters
    ----------
    values
        The measure on each topic: float64, shape (topics,).
    sure
        The confidence on each topic, in the same shape. Of equal topics the
        first are left out first.
    rates
        The proportions of topics to leave out, ascending from 0.

    Returns
    -------
    float
        At most 1; below 0 where confidence misleads; NaN where all topics have
        the same value.

    Raises
    ------
    Error
        For arrays of other shapes, or no topics (kind "option").

    Notes
    -----
    Gisserot-Boukhlef et al. (2024), Towards trustworthy reranking: a simple yet
    effective abstention mechanism, arXiv 2402.12997; MTEB's ``nAUC``, which
    rounds the number of topics to leave out, halves to even.

    """
    found, order = numbers(values, "values"), numbers(sure, "sure")
    if found.ndim != 1 or found.shape != order.shape or not len(found):
        raise failure(
            "option",
            "expected a value and a confidence for each topic, "
            f"found shapes {found.shape} and {order.shape}",
        )
    steps = np.asarray(rates, dtype=np.float64)
    if not len(steps) or not 0 <= steps.min() <= steps.max() <= 1:
        raise failure("option", f"expected rates from 0 to 1, found {shown(rates)}")

    if found.min() == found.max():
        return float("nan")
    return float(abstention_areas(found[None], order[None], steps, False)[0, 0])
