"""Whether measures put runs, or pairs of runs, in the same order."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from cranfield import stats
from cranfield._analysis.meta.means import TIED, means_of, require_complete, signs, tau
from cranfield._analysis.meta.power import DiscriminativePower
from cranfield._base.errors import failure
from cranfield._base.options import checked, wrong
from cranfield._scores.scores import Scores

if TYPE_CHECKING:
    from typing import Any


@checked
def correlation(
    scores: Scores | DiscriminativePower, method: str = "kendall"
) -> stats.CorrelationMatrix:
    """How well measures agree on the order of the runs, or of their differences.

    The order is from the best run to the worst, so a measure that is better
    when it is lower agrees with one that is better when it is higher. For
    "rms_error", which is about values, no sign is flipped.

    Parameters
    ----------
    scores
        ``Scores``: the runs in order of their summaries are compared; or a
        ``DiscriminativePower``: the pairs of runs in order of their p-values
        (Webber, Moffat and Zobel 2010, Table 3).
    method
        As for ``stats.correlation_matrix``: "kendall" (tau-b), "tau_ap",
        "spearman", "pearson", "rms_error", "max_drop". Summaries that differ
        by less than 1e-9, relatively, are tied.

    Raises
    ------
    Error
        Kind "option" for an unknown method or fewer than two runs,
        "undefined" for scores with NaN.

    """
    if isinstance(scores, DiscriminativePower):
        columns = scores.pvalues.T
    elif not isinstance(scores, Scores):
        raise wrong("scores", "Scores or what discriminative_power found", scores)
    else:
        require_complete(scores, runs=2, topics=1)
        columns = scores.summary()
        if method != "rms_error":
            columns = columns * signs(scores.better.values())
    known = cast("Any", method)
    return stats.correlation_matrix(columns, method=known, labels=scores.measures, tolerance=TIED)


@checked
def predictivity(
    scores: Scores, *, samples: int = 100, topics: int | None = None, seed: int = 0
) -> stats.CorrelationMatrix:
    """How well the order of runs on some topics predicts that on others.

    Kendall's tau-b between the runs in order of one measure on a random set
    of topics and in order of another (or the same) on a disjoint set of
    topics, each from best to worst; the mean over samples (Webber et
    al. 2008). On the diagonal, measures predict themselves. Raises ``Error`` as ``swap_rate`` does.
    """
    values = require_complete(scores, runs=2, topics=2) * signs(scores.better.values())
    total = len(scores.topics)
    size = total // 2 if topics is None else topics
    if not 1 <= size <= total // 2:
        message = f"expected sets of 1 to {total // 2} of {total} topics, found {size}"
        raise failure("option", message)
    rng = np.random.default_rng(seed)
    width = len(scores.measures)
    sums = np.zeros((width, width))
    for _ in range(samples):
        order = rng.permutation(total)
        first, second = (
            means_of(values[:, order[:size]]),
            means_of(values[:, order[size : 2 * size]]),
        )
        for i in range(width):
            for j in range(width):
                sums[i, j] += tau(first[:, i], second[:, j])
    return stats.CorrelationMatrix(scores.measures, (sums + sums.T) / (2 * samples), "predictivity")
