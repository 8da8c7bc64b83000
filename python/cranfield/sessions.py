"""Sessions: several queries of one user for one information need.

>>> import cranfield as cf
>>> round(cf.sessions.sdcg([[0, 1], [1]], k=10), 4)
1.4923

What a later query finds counts less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from cranfield._base.errors import failure
from cranfield._base.options import checked

__all__ = ["nsdcg", "sdcg"]


@checked
def sdcg(
    session: Sequence[Sequence[float]], *, k: int | None = None, base: float = 2, query: float = 4
) -> float:
    """Session discounted cumulated gain.

    The sum over queries q and ranks r of (2^g - 1) / (d(r) d'(q)), where
    d(r) = log(r + base - 1) to the base ``base`` and d'(q) the same with
    ``query``.

    Parameters
    ----------
    session
        For each query, in order, the grades of its documents, best rank first; a
        grade below 0 gains nothing.
    k
        How many documents of each query count; all if not given.
    base, query
        The patience of the searcher with ranks and with queries: above 1.

    Raises
    ------
    Error
        For a base of 1 or less, or a k below 1 (kind "option").

    Notes
    -----
    Järvelin, Price, Delcambre and Nielsen (2008), Discounted cumulated gain
    based evaluation of multiple-query IR sessions, ECIR, in the form of
    Kanoulas, Carterette, Clough and Sanderson (2011), Evaluating multi-query
    sessions, SIGIR.

    """
    _check(base, query)
    return sum(
        (2 ** max(grade, 0.0) - 1) / (_discount(rank, base) * _discount(turn, query))
        for turn, grades in enumerate(session, 1)
        for rank, grade in enumerate(grades[:k], 1)
    )


@checked
def nsdcg(
    session: Sequence[Sequence[float]],
    judged: Sequence[float],
    *,
    k: int | None = None,
    base: float = 2,
    query: float = 4,
) -> float:
    """The same, divided by that of the ideal session.

    Parameters
    ----------
    session, k, base, query
        As for ``sdcg``.
    judged
        The grades of all judged documents. Each query of the ideal session
        finds them from the highest grade down.

    Returns
    -------
    float
        0 where nothing judged gains.

    Raises
    ------
    Error
        As ``sdcg``.

    """
    ideal = sorted(judged, reverse=True)
    best = sdcg([ideal] * len(session), k=k, base=base, query=query)
    return sdcg(session, k=k, base=base, query=query) / best if best else 0.0


def _discount(place: int, base: float) -> float:
    return math.log(place + base - 1) / math.log(base)


def _check(base: float, query: float) -> None:
    for name, value in (("base", base), ("query", query)):
        if not value > 1:
            raise failure("option", f"expected a number above 1 as {name}, found {value}")
