"""How small a difference topics can show, and how many topics it takes: the paired t test's power.

Exact, by the noncentral t distribution. The effect is the true mean difference in standard
deviations of the topics' differences. It is what one wants to see, never the difference that was
observed: power at that only repeats the p-value (Hoenig and Heisey 2001).
"""

from __future__ import annotations

import math

from cranfield import _core
from cranfield._base.errors import failure
from cranfield._base.options import checked, one_of, probability

SIDES = ("two-sided", "one-sided")
POWER = 0.8
"""The usual chance to see a difference."""


def _two_sided(alternative: str, alpha: float, *, n: int = 2, power: float | None = None) -> bool:
    """Whether the test is two-sided, after checks of its options."""
    one_of("alternative", alternative, SIDES)
    probability(alpha, "alpha")
    if n < 2:
        raise failure("option", f"expected at least 2 topics, found {n}")
    if power is not None and probability(power, "power") <= alpha:
        message = f"expected a power above alpha, found {power} and {alpha}"
        raise failure("option", f"{message}: so much there is without any difference")
    return alternative == SIDES[0]


@checked
def t_test_power(
    n: int, effect: float, *, alpha: float = 0.05, alternative: str = SIDES[0]
) -> float:
    """The chance that the paired t test over n topics is significant.

    >>> round(t_test_power(50, 0.4), 3)
    0.792

    Parameters
    ----------
    n
        The number of topics, at least 2.
    effect
        The true mean difference in standard deviations of the differences.
    alpha
        The level of the test.
    alternative
        "two-sided", or "one-sided" in the direction of positive effects.

    Raises
    ------
    Error
        Kind "option" for fewer topics, an effect that is not finite, and other options that
        are not valid.

    """
    two_sided = _two_sided(alternative, alpha, n=n)
    if not math.isfinite(effect):
        raise failure("option", f"expected a finite effect, found {effect}")
    return _core.t_power(n, effect, alpha=alpha, two_sided=two_sided)


@checked
def mde(
    n: int,
    deviation: float = 1.0,
    *,
    power: float = POWER,
    alpha: float = 0.05,
    alternative: str = SIDES[0],
) -> float:
    """The minimum detectable effect: the smallest mean difference that n topics show.

    >>> round(mde(88, 0.1331), 4)
    0.0402

    Parameters
    ----------
    n
        The number of topics, at least 2.
    deviation
        The standard deviation of the topics' differences, at least 0; the result has its unit.
    power
        The chance to find such a difference significant, above alpha.
    alpha, alternative
        As for ``t_test_power``.

    Raises
    ------
    Error
        Kind "option" for what is not valid.

    """
    two_sided = _two_sided(alternative, alpha, n=n, power=power)
    if not 0 <= deviation < math.inf:
        message = f"expected a standard deviation of at least 0, found {deviation}"
        raise failure("option", message)
    return deviation * _core.t_detectable(n, power, alpha=alpha, two_sided=two_sided)


@checked
def topics_needed(
    effect: float, *, power: float = POWER, alpha: float = 0.05, alternative: str = SIDES[0]
) -> int:
    """The smallest number of topics over which the paired t test shows an effect.

    >>> [topics_needed(effect) for effect in (0.2, 0.3, 0.5, 0.8)]
    [199, 90, 34, 15]

    To pass a margin where nothing changed, the effect is the margin over the standard deviation
    of the differences and the test is one-sided. Exact up to a million topics, beyond that by the
    approximation of Sakai (2016).

    Parameters
    ----------
    effect
        As for ``t_test_power``, other than 0.
    power
        The chance to find it significant, above alpha.
    alpha, alternative
        As for ``t_test_power``.

    Raises
    ------
    Error
        Kind "option" for what is not valid, and for an effect so small that more than 2^53 topics
        were needed.

    """
    two_sided = _two_sided(alternative, alpha, power=power)
    if not 0 < abs(effect) < math.inf:
        raise failure("option", f"expected a finite effect other than 0, found {effect}")
    found = _core.t_topics(abs(effect), power, alpha=alpha, two_sided=two_sided)
    if not found < 2**53:
        raise failure("option", f"no number of topics is enough for an effect of {effect}")
    return int(found)
