"""Which values of a measure are better, and how runs are ordered by it.

``Measure.better`` is the fact: "higher", "lower", or None for what does not say
how good a run is. Everything that orders or marks values uses this module.
"""

from __future__ import annotations

import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cranfield._base.kinds import Directed


TIE = 1e-9
"""Scores that differ by no more are equal."""


def sign(measure: Directed) -> int:
    """The factor that makes higher values better: 1, or -1 where lower ones are."""
    return turn(measure.better)


def turn(better: str | None) -> int:
    """The factor for a direction."""
    return -1 if better == "lower" else 1


def best_first(values: Sequence[float], measure: Directed) -> list[int]:
    """The places of values, the best first, undefined last, equal ones as given.

    Of a measure without a direction the highest comes first.
    """
    turned = sign(measure)
    return sorted(range(len(values)), key=lambda i: (math.isnan(values[i]), -turned * values[i]))


def best(values: Iterable[float], measure: Directed) -> float | None:
    """The best of the values; None if all are undefined or the measure has no direction."""
    if measure.better is None:
        return None
    turned = sign(measure)
    known = [value for value in values if not math.isnan(value)]
    return max(known, key=lambda value: turned * value, default=None)
