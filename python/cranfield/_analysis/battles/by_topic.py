"""Battles about the same topics, which are not independent: their covariance and resamples."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cranfield import _core
from cranfield._base.errors import failure, shown
from cranfield._base.options import is_iterable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

_TOPICS = 1 << 12
"""How many topics are summed up at a time."""


def apart(battles: Any) -> tuple[list[tuple[Any, ...]], list[str]]:
    """Battles (a, b, winner, topic) as (a, b, winner), and their topics.

    Raises ``Error`` (kind "type") for what has no four entries or no topic as text.
    """
    if isinstance(battles, (str, bytes, dict)) or not is_iterable(battles):
        kind = type(battles).__name__
        raise failure("type", f"expected battles (a, b, winner, topic), found a {kind}")
    found, topics = [], []
    for number, battle in enumerate(battles, 1):
        if not isinstance(battle, (tuple, list)) or len(battle) != 4:
            wanted = "(a, b, winner, topic) with by_topic"
            message = f"battle {number}: expected {wanted}, found {shown(battle)}"
            raise failure("type", message)
        topic = battle[3]
        if not isinstance(topic, str) or not topic:
            message = f"battle {number}: expected a topic as text, found {shown(topic)}"
            raise failure("type", message)
        found.append(tuple(battle[:3]))
        topics.append(topic)
    return found, topics


@dataclass(frozen=True)
class ByTopic:
    """What pairs of runs did on each topic; arrays have an entry for each pair on a topic."""

    topics: int
    """How many topics there are."""
    topic: NDArray[np.int64]
    """The topic, in ascending order."""
    pair: NDArray[np.int64]
    """The row of the pair in ``outcomes``."""
    done: NDArray[np.int64]
    """Wins of the first, of the second, and ties: shape (entries, 3)."""
    outcomes: NDArray[np.uint64]
    """The runs of each pair, its wins, losses and ties on all topics."""

    @classmethod
    def of(
        cls,
        battles: Sequence[Sequence[Any]],
        topics: Sequence[str],
        names: Sequence[str],
        outcomes: NDArray[np.uint64],
    ) -> ByTopic:
        """Counts battles, which have been checked; raises ``Error`` for a single topic."""
        import numpy as np

        numbers = {topic: place for place, topic in enumerate(sorted(set(topics)))}
        if len(numbers) < 2:
            message = "expected battles about at least two topics to count by topic, found one"
            raise failure("undefined", message)
        places: dict[Any, int] = {name: place for place, name in enumerate(names)}
        first, second, winner = (
            np.array([places.get(battle[k], -1) for battle in battles], dtype=np.int64)
            for k in range(3)
        )
        topic = np.array([numbers[own] for own in topics], dtype=np.int64)
        rows = np.full((len(names), len(names)), -1, dtype=np.int64)
        pairs = len(outcomes)
        rows[outcomes[:, 0].astype(np.int64), outcomes[:, 1].astype(np.int64)] = np.arange(pairs)
        turned = rows[first, second] < 0
        row = np.where(turned, rows[second, first], rows[first, second])
        done = np.where(winner < 0, 2, (winner == second) != turned)
        keys, times = np.unique((topic * pairs + row) * 3 + done, return_counts=True)
        cells, at = np.unique(keys // 3, return_inverse=True)
        counts = np.zeros((len(cells), 3), dtype=np.int64)
        counts[at, keys % 3] = times
        return cls(len(numbers), cells // pairs, cells % pairs, counts, outcomes)

    def covariance(
        self, strengths: NDArray[np.float64], ridge: float, steady: float
    ) -> NDArray[np.float64]:
        """The sandwich covariance of strengths in which each topic counts once.

        Liang and Zeger (1986), Longitudinal data analysis using generalized linear models,
        Biometrika 73: the gradients of a topic's battles are summed before they are squared.
        """
        import numpy as np

        size = len(strengths)
        first, second = (self.outcomes[:, k].astype(np.int64) for k in (0, 1))
        won = 1 / (1 + np.exp(strengths[second] - strengths[first]))
        battles = self.outcomes[:, 2:].sum(axis=1).astype(np.float64)
        weight = battles * won * (1 - won)
        bread = np.eye(size) * (ridge + steady * battles.sum())
        for rows, columns, sign in (
            (first, first, 1),
            (second, second, 1),
            (first, second, -1),
            (second, first, -1),
        ):
            np.add.at(bread, (rows, columns), sign * weight)
        p = won[self.pair]
        gradient = self.done[:, 0] * (1 - p) - self.done[:, 1] * p + self.done[:, 2] * (0.5 - p)
        meat = np.zeros((size, size))
        for start in range(0, self.topics, _TOPICS):
            low, high = np.searchsorted(self.topic, [start, start + _TOPICS])
            sums = np.zeros((min(_TOPICS, self.topics - start), size))
            at = self.topic[low:high] - start
            np.add.at(sums, (at, first[self.pair[low:high]]), gradient[low:high])
            np.add.at(sums, (at, second[self.pair[low:high]]), -gradient[low:high])
            # Not a product of matrices: its bits would depend on the number of threads.
            meat += np.einsum("ti,tj->ij", sums, sums)
        half = np.linalg.solve(bread, meat)
        found: NDArray[np.float64] = np.linalg.solve(bread, half.T)
        # Ratings have one mean, so rows and columns have the mean 0, apart from rounding.
        found = found - found.mean(axis=0) - found.mean(axis=1)[:, None] + found.mean()
        return (found + found.T) / 2

    def resampled(
        self, runs: int, *, ridge: float, resamples: int, seed: int
    ) -> NDArray[np.float64]:
        """Strengths under topics drawn with replacement, shape (resamples, runs).

        NaN where they have no finite maximum.
        """
        import numpy as np

        found = np.full((resamples, runs), math.nan)
        drawn = _core.drawn_topics(self.topics, resamples=resamples, seed=seed)
        outcomes = self.outcomes.copy()
        for place, topics in enumerate(drawn):
            times = np.bincount(topics, minlength=self.topics)[self.topic]
            for k in range(3):
                weights = times * self.done[:, k]
                outcomes[:, 2 + k] = np.bincount(self.pair, weights, minlength=len(outcomes))
            if ridge > 0 or len(_core.battle_parts(runs, outcomes)) == 1:
                found[place] = _core.battle_strengths(runs, outcomes, ridge=ridge)
        return found
