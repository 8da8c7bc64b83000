"""Times of several sides that take turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

ROUNDS = 9

LONG = 0.02
"""Seconds that the calls of a round take together."""

Work = Callable[[], object]


def medians(
    *sides: Work,
    rounds: int = ROUNDS,
    long: float = LONG,
    clock: Callable[[], float] = time.process_time,
) -> list[float]:
    """Seconds of a call of each side, of CPU if by no other clock, the medians of the rounds.

    Calls that are shorter than a round are repeated within it, as for one run after
    another, so that all sides are equally warm. With ``long=0`` each is called once in
    turn, when the others have driven what it needs out of the caches.
    """
    calls = [1 + int(long / max(seconds(side, clock=clock), 1e-5)) for side in sides]
    times: list[list[float]] = [[] for _ in sides]
    for _ in range(rounds):
        for own, side, count in zip(times, sides, calls, strict=True):
            own.append(seconds(side, count, clock) / count)
    return list(map(statistics.median, times))


def seconds(work: Work, count: int = 1, clock: Callable[[], float] = time.process_time) -> float:
    """Seconds of ``count`` calls, of CPU if by no other clock."""
    start = clock()
    for _ in range(count):
        work()
    return clock() - start
