"""Rank aggregation across tasks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield import _core
from cranfield._base.errors import failure
from cranfield._base.options import checked, one_of
from cranfield._stats.score_matrix import as_numbers


@checked
def borda(values: ArrayLike, *, better: str = "higher") -> NDArray[np.float64]:
    """Borda's count: how many competitors each one beats, summed over tasks.

    Parameters
    ----------
    values
        Numbers of shape (competitors, tasks). A competitor without a value on
        a task (NaN) is beaten there by all that have one, and beats none.
    better
        Which values are better, "higher" or "lower".

    Returns
    -------
    numpy.ndarray
        Points: float64, shape (competitors,). On each task they are the
        number of competitors minus the rank; ties share the mean of their ranks.

    Raises
    ------
    Error
        Kind "type" for another shape, "number" for an infinite value, "option"
        for another direction.

    """
    return _core.borda(_signed(values, better))


@checked
def copeland(values: ArrayLike, *, better: str = "higher") -> NDArray[np.float64]:
    """Copeland's count: how many competitors each one beats in a vote of tasks.

    >>> copeland([[0.60, 0.50, 0.70], [0.58, 0.55, 0.70], [0.62, 0.40, 0.65]]).tolist()
    [1.5, 1.5, 0.0]

    Parameters
    ----------
    values, better
        As for ``borda``. Only tasks on which both have a value count between two.

    Returns
    -------
    numpy.ndarray
        float64, shape (competitors,): 1 for each competitor that it beats on more tasks than it
        loses to, 1/2 for each with as many, and for each without a task in common.

    Raises
    ------
    Error
        As ``borda``.

    """
    return _core.copeland(_signed(values, better))


@checked
def condorcet_winner(values: ArrayLike, *, better: str = "higher") -> int | None:
    """The competitor that beats every other one in a vote of tasks.

    >>> condorcet_winner([[3, 3, 1], [2, 2, 2], [1, 1, 3]])
    0

    Parameters
    ----------
    values, better
        As for ``copeland``.

    Returns
    -------
    int or None
        Its index among the competitors; None if there is no such competitor, as in a cycle.

    Raises
    ------
    Error
        As ``borda``.

    """
    return _core.condorcet_winner(_signed(values, better))


def _signed(values: ArrayLike, better: str) -> NDArray[np.float64]:
    """The values, higher ones better; raises ``Error`` as ``borda``."""
    one_of("better", better, ("higher", "lower"))
    given = as_numbers(values, "competitors x tasks")
    if np.isinf(given).any():
        raise failure("number", "the values have to be finite, found an infinite one")
    return given if better == "higher" else -given
