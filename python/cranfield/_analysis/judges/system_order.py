"""How far two judges put runs in the same order."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cranfield import _core
from cranfield._base.errors import failure
from cranfield._base.options import checked, probability, whole
from cranfield._base.scores_like import turn
from cranfield._core import Error
from cranfield._measures.labels import one_measure
from cranfield._stats.correlation import kendall, pearson, spearman, tau_ap, tau_gap
from cranfield._table.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from cranfield._core import Measure
    from cranfield._scores.scores import Scores

TIED = 1e-9
"""Means that differ by no more than this share are tied: sums differ in their last bits."""

RESAMPLES = 1000
"""How often topics are resampled for the interval of tau."""


@dataclass(frozen=True, slots=True)
class SystemOrder(Result):
    """How far two judges put runs in the same order; NaN for what is undefined."""

    measure: str
    """The measure that runs are ordered by."""
    runs: int
    """How many runs there are."""
    tau: float
    """Kendall's tau (tau-b) of the runs' summaries."""
    tau_low: float
    """The lower end of its interval, by resampling topics, the same ones for both judges; only of
    measures that are means over topics."""
    tau_high: float
    """The upper end."""
    tau_ap: float
    """tau_AP, with the order under gold as truth: more weight on the top."""
    tau_ap_b: float
    """tau_AP,b, for which neither order is the truth: 1 for equal orders, whatever ties they have;
    as auto-judge-evaluate computes it."""
    tau_gap: float
    """tau_GAP: swaps of runs that are far apart under gold cost more."""
    pearson: float
    """Pearson's correlation of the means."""
    spearman: float
    """Spearman's correlation of the ranks."""
    top: int
    """How many of the best runs under gold the following are about."""
    tau_top: float
    """Kendall's tau of these runs."""
    inverted_pairs: int
    """The pairs of these runs that the other judge puts in the opposite order."""
    largest_shift: int
    """The most ranks that the other judge moves one of these runs by, up (above 0) or down."""
    largest_shift_run: str
    """That run."""
    largest_drop: int
    """The most ranks that any run falls."""
    largest_drop_run: str
    """That run; empty if none falls."""
    level: float
    """The confidence of the interval."""


@checked
def order(
    gold: Scores,
    other: Scores,
    *,
    measure: str | Measure | None = None,
    top: int = 10,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> SystemOrder:
    """How far two judges put runs in the same order.

    Parameters
    ----------
    gold, other
        The scores of the same runs on the same topics under the judgments of each.
    measure
        Not needed if there is one.
    top
        How many of the best runs under gold to look at more closely.
    level, resamples, seed
        Of the interval of tau: percentiles over resampled topics.

    Returns
    -------
    SystemOrder
        Correlations, and what is inverted at the top. The best rank is 1; equal means share the
        best of their ranks, and the best runs of equal means are the first by name.

    Raises
    ------
    Error
        Kind "label" for scores of different runs, topics or measures; "undefined" for fewer than
        two runs.

    """
    import numpy as np

    probability("level", level)
    whole(top, "top", least=2)
    runs, label, a, b = paired(gold, other, measure)
    if len(runs) < 2:
        raise failure("undefined", "an order is undefined: expected at least two runs, found one")
    first, second = summaries(gold, other, label)
    best = np.argsort(-first, kind="stable")[:top]
    inverted = sum(
        _sign(first[i], first[j]) * _sign(second[i], second[j]) < 0
        for place, i in enumerate(best)
        for j in best[:place]
    )
    moved = ranks(first) - ranks(second)
    # The first by name of those that move furthest.
    most = min(best.tolist(), key=lambda run: (-abs(int(moved[run])), runs[run]))
    fell = int(np.argmin(moved))
    low = high = math.nan
    if gold.core.measures[gold.measures.index(label)].aggregate == "mean":
        low, high = _interval(a, b, level, resamples, seed)
    return SystemOrder(
        label,
        len(runs),
        tau(first, second),
        low,
        high,
        _defined(lambda: tau_ap(second, first, tolerance=TIED)),
        _defined(lambda: tau_ap(second, first, ties="b", tolerance=TIED)),
        _defined(lambda: tau_gap(first, second)),
        _defined(lambda: pearson(first, second)),
        _defined(lambda: spearman(first, second, tolerance=TIED)),
        len(best),
        tau(first[best], second[best]),
        int(inverted),
        int(moved[most]),
        runs[most],
        max(-int(moved[fell]), 0),
        runs[fell] if moved[fell] < 0 else "",
        level,
    )


def paired(
    gold: Scores, other: Scores, measure: str | Measure | None
) -> tuple[list[str], str, NDArray[np.float64], NDArray[np.float64]]:
    """The runs by name, the measure, and the values of each judge with higher ones better.

    Shape (runs, topics). Raises ``Error`` for scores of different labels.
    """
    label = gold.measures[one_measure(gold.measures, measure)]
    for axis in ("runs", "topics"):
        if set(getattr(gold, axis)) != set(getattr(other, axis)):
            raise failure("label", f"expected the same {axis} under both judges")
    runs = sorted(gold.runs)
    own = [one.sel(run=runs, topic=gold.topics, measure=label) for one in (gold, other)]
    better = turn(gold.better[label])
    return runs, label, better * own[0].values[:, :, 0], better * own[1].values[:, :, 0]


def summaries(
    gold: Scores, other: Scores, label: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The summary of each run, by name, under each judge, with higher ones better."""
    better, runs = turn(gold.better[label]), sorted(gold.runs)
    first, second = (
        better * one.sel(run=runs, topic=gold.topics, measure=label).summary()[:, 0]
        for one in (gold, other)
    )
    return first, second


def ranks(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Ranks of means, from 1; tied ones share the best: int64, shape (runs,)."""
    import numpy as np

    size = np.maximum(np.abs(values[:, None]), np.abs(values[None, :]))
    above = values[None, :] - values[:, None] > TIED * size
    found: NDArray[np.int64] = 1 + above.sum(axis=1)
    return found


def tau(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Kendall's tau-b of two lists of means; NaN where it is undefined."""
    return _defined(lambda: kendall(first, second, method="asymptotic", tolerance=TIED))


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means over topics of what is defined; NaN for a run without."""
    import numpy as np

    known = ~np.isnan(values)
    number = known.sum(axis=1)
    total = np.where(known, values, 0.0).sum(axis=1)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def _sign(a: float, b: float) -> int:
    """Which of two means is higher; 0 for equal ones."""
    if math.isnan(a) or math.isnan(b) or abs(a - b) <= TIED * max(abs(a), abs(b)):
        return 0
    return 1 if a > b else -1


def _defined(value: Callable[[], object]) -> float:
    """A coefficient; NaN where it is undefined, as for a run without a mean."""
    try:
        return float(value())  # type: ignore[arg-type]
    except Error as error:
        if error.kind not in ("undefined", "number"):
            raise
        return math.nan


def _interval(
    a: NDArray[np.float64], b: NDArray[np.float64], level: float, resamples: int, seed: int
) -> tuple[float, float]:
    """Percentiles of tau over resampled topics."""
    import numpy as np

    if a.shape[1] < 2:
        return math.nan, math.nan
    drawn = _core.drawn_topics(a.shape[1], resamples=resamples, seed=seed)
    taus = np.array([tau(_means(a[:, topics]), _means(b[:, topics])) for topics in drawn])
    known = taus[~np.isnan(taus)]
    if not len(known):
        return math.nan, math.nan
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high
