"""Times of several sides that take turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

ROUNDS = 9

LONG = 0.02
"""Seconds that the calls of a round take together."""

Work = Callable[[], object]


def medians(*sides: Work, rounds: int = ROUNDS, long: float = LONG) -> list[float]:
    """CPU seconds of a call of each side, the medians of the rounds.

    Calls that are shorter than a round are repeated within it, as for one run after
    another, so that all sides are equally warm. With ``long=0`` each is called once in
    turn, when the others have driven what it needs out of the caches.
    """
    calls = [1 + int(long / max(seconds(side), 1e-5)) for side in sides]
    times: list[list[float]] = [[] for _ in sides]
    for _ in range(rounds):
        for own, side, count in zip(times, sides, calls, strict=True):
            own.append(seconds(side, count) / count)
    return list(map(statistics.median, times))


def seconds(work: Work, count: int = 1) -> float:
    """CPU seconds of ``count`` calls."""
    start = time.process_time()
    for _ in range(count):
        work()
    return time.process_time() - start
