"""Standardizes scores across topics."""

from __future__ import annotations

import math

import numpy as np

from cranfield._analysis.meta.means import require_complete
from cranfield._base.errors import failure
from cranfield._base.options import checked
from cranfield._scores.scores import Scores


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
    elif method != "z":
        raise failure("option", f'expected "z", "cdf" or "AB" as method, found {method!r}')
    return Scores(scores.core.with_values(np.ascontiguousarray(z)))
