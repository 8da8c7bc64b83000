"""Means from few human judgments and many of a model: prediction-powered inference."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from cranfield import _core
from cranfield._base.errors import failure, shown, tell
from cranfield._base.options import checked, hashable, number, numbers, several
from cranfield._table.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = "NDArray[np.float64]"
Strata = tuple[Iterable[Hashable], Iterable[Hashable]]

FEW = 30
"""Fewer gold topics than this bring a warning: the interval is normal."""


@dataclass(frozen=True, slots=True)
class PredictionPowered(Result):
    """A mean with an interval that uses gold values and a model's."""

    estimate: float
    """The estimate of the mean of gold values over all topics."""
    low: float
    """The lower end of its interval."""
    high: float
    """The upper end."""
    standard_error: float
    """The standard error of the estimate."""
    effective_n: float
    """How many gold topics would give as narrow an interval without the model; infinite for an
    interval of width 0 that gold alone does not have."""
    n: int
    """The number of gold topics."""
    others: int
    """The number of topics that only the model judged."""
    lam: float | tuple[float, ...]
    """How much the model counts, 0 to 1; one for each stratum, in order of first appearance."""
    level: float
    """The confidence of the interval."""
    gold: float
    """The mean of the gold values alone, weighted by stratum if there are any."""
    gold_low: float
    """The lower end of the classical interval from gold values alone."""
    gold_high: float
    """The upper end."""


@checked
def ppi_mean(
    y: ArrayLike,
    f: ArrayLike,
    u: ArrayLike,
    *,
    level: float = 0.95,
    lam: float | None = None,
    strata: Strata | None = None,
) -> PredictionPowered:
    """The mean over all topics, from gold values of some topics and a model's values of all.

    >>> y, f = [0.2, 0.5, 0.4, 0.9, 0.0, 0.6], [0.3, 0.5, 0.6, 0.8, 0.2, 0.6]
    >>> u = [0.4, 0.7, 0.1, 0.9, 0.5, 0.3, 0.6, 0.8, 0.2, 0.5, 0.7, 0.4]
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     round(ppi_mean(y, f, u).estimate, 6)
    0.439173

    The gold topics have to be a random draw of all topics, in each stratum if there are any. The
    values cannot show whether they are: on topics that were chosen for any other reason, such as
    those that were easy to judge, the interval is wrong.

    Parameters
    ----------
    y
        Scores under gold judgments: real, shape (n,).
    f
        Scores under the model's judgments on the same topics, in the same order: shape (n,).
    u
        Scores under the model's judgments on the other topics: shape (N,).
    level
        The confidence of the interval.
    lam
        The weight of the model: 0 for gold alone, 1 for the full difference from gold (the
        original form of the method). Default: the value that makes the interval narrowest, within
        0 and 1.
    strata
        The strata of gold and of other topics: two sequences of labels, of lengths n and N. Each
        stratum has an estimate, weighted by its proportion of the other topics.

    Returns
    -------
    PredictionPowered
        ``estimate``, ``low``, ``high``, ``effective_n``, and more.

    Raises
    ------
    Error
        Kind "undefined" for fewer than two gold or other topics (in a stratum); "type" for lists
        of different lengths or no numbers; "number" for what is not finite; "option" for a wrong
        option or stratum. Fewer than 30 gold topics bring a ``CranfieldWarning``.

    Notes
    -----
    Angelopoulos et al. (2023), Prediction-powered inference, Science 382; power-tuned:
    Angelopoulos, Duchi and Zrnic (2023), arXiv:2311.01453; stratified: Fisch et al. (2024),
    arXiv:2406.04291. The interval is normal.

    """
    values = [_values(one, name, 1) for one, name in ((y, "y"), (f, "f"), (u, "u"))]
    return _estimated(*values, level=level, lam=lam, strata=strata)


@checked
def ppi_difference(
    y: ArrayLike,
    f: ArrayLike,
    u: ArrayLike,
    *,
    level: float = 0.95,
    lam: float | None = None,
    strata: Strata | None = None,
) -> PredictionPowered:
    """The mean difference of two runs, as ``ppi_mean`` of their differences by topic.

    >>> import warnings
    >>> y = [[0.5, 0.7, 0.4], [0.4, 0.5, 0.4]]
    >>> f = [[0.6, 0.6, 0.4], [0.4, 0.5, 0.3]]
    >>> u = [[0.3, 0.8, 0.5], [0.2, 0.8, 0.4]]
    >>> with warnings.catch_warnings(action="ignore"):
    ...     round(ppi_difference(y, f, u, lam=1).estimate, 4)
    0.0333

    Parameters
    ----------
    y, f, u
        As for ``ppi_mean``, each with a row for each of the two runs: shape (2, n) and (2, N).
    level, lam, strata
        As for ``ppi_mean``.

    Returns
    -------
    PredictionPowered
        Of the first run less the second.

    Raises
    ------
    Error
        As ``ppi_mean``.

    """
    differences = []
    for one, name in ((y, "y"), (f, "f"), (u, "u")):
        table = _values(one, name, 2)
        if len(table) != 2:
            raise failure("type", f"expected two runs in {name}, found {len(table)}")
        differences.append(table[0] - table[1])
    return _estimated(*differences, level=level, lam=lam, strata=strata)


def _values(values: ArrayLike, name: str, dimensions: int) -> Floats:
    """Finite numbers."""
    import numpy as np

    found = numbers(values, name)
    if found.ndim != dimensions:
        wanted = "a list of numbers" if dimensions == 1 else "two lists of numbers"
        raise failure("type", f"expected {wanted} as {name}, found the shape {found.shape}")
    if not np.isfinite(found).all():
        message = f"expected finite numbers in {name}; leave such topics out of all lists"
        raise failure("number", message)
    return found


def _estimated(
    y: Floats, f: Floats, u: Floats, *, level: float, lam: float | None, strata: Strata | None
) -> PredictionPowered:
    """The estimate over all strata."""
    if lam is not None and not 0 <= number(lam, "lam") <= 1:
        raise failure("option", f"expected a number from 0 to 1 as lam, found {lam:g}")
    if len(y) != len(f):
        message = f"y and f are about the same topics: found {len(y)} and {len(f)} values"
        raise failure("type", message)
    parts = _parts(y, f, u, strata)
    estimate, variance, gold, gold_variance, weights = _core.predicted_mean(parts, lam)
    if len(y) < FEW:
        message = f"{len(y)} gold topics are few: the interval is normal, which needs some {FEW}"
        tell([message])
    error = math.sqrt(variance)
    low, high = _core.normal_interval(estimate, error, level)
    gold_low, gold_high = _core.normal_interval(gold, math.sqrt(gold_variance), level)
    without = math.inf if gold_variance > 0 else float(len(y))
    effective = len(y) * gold_variance / variance if variance > 0 else without
    lams = weights[0] if strata is None else tuple(weights)
    sizes = effective, len(y), len(u)
    return PredictionPowered(
        *(estimate, low, high, error, *sizes, lams, level, gold, gold_low, gold_high)
    )


def _parts(
    y: Floats, f: Floats, u: Floats, strata: Strata | None
) -> list[tuple[float, Floats, Floats, Floats]]:
    """For each stratum its share of the other topics and its values."""
    import numpy as np

    if strata is None:
        _enough(len(y), len(u), "")
        return [(1.0, y, f, u)]
    both = several(strata, "strata", lambda one, name: several(one, name, hashable))
    if len(both) != 2 or (len(both[0]), len(both[1])) != (len(y), len(u)):
        found = " and ".join(str(len(one)) for one in both)
        message = f"expected the strata of {len(y)} gold and {len(u)} other topics, found {found}"
        raise failure("option", message)
    parts = []
    for label in dict.fromkeys([*both[0], *both[1]]):
        of_gold, of_others = (
            np.array([one == label for one in labels], dtype=bool) for labels in both
        )
        _enough(int(of_gold.sum()), int(of_others.sum()), f" of stratum {shown(label)}")
        share = float(of_others.sum()) / len(u)
        parts.append((share, y[of_gold], f[of_gold], u[of_others]))
    return parts


def _enough(gold: int, others: int, where: str) -> None:
    for count, what in ((gold, "gold"), (others, "other")):
        if count < 2:
            message = f"expected at least two {what} topics{where}, found {count}"
            raise failure("undefined", message)
