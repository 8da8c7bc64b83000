"""What the lower rooms know of scores: what can be read of them, and which values are better.

``Measure.better`` is the fact: "higher", "lower", or None for what does not say
how good a run is. Everything that orders or marks values uses this module.
"""

from __future__ import annotations

import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Protocol

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import TypeIs

    from cranfield import _core

    class Directed(Protocol):
        """A measure of any kind: the core's, one of another tool, or a Python function."""

        @property
        def better(self) -> str | None:
            """Which values are better: "higher", "lower", or None for neither."""

        @property
        def aggregate(self) -> str:
            """How values over topics become one."""


VALUE = "value"
"""The part of scores that a measure's own name stands for."""

ALL = "all"
"""What tables call all topics together: the topic of a row that sums up a run, and the group."""

TIE = 1e-9
"""Scores that differ by no more are equal."""


class ScoresKind:
    """The base of ``Scores``, and of nothing else: what can be read of it."""

    __slots__ = ()

    if TYPE_CHECKING:
        core: _core.Scores

        @property
        def runs(self) -> tuple[str, ...]: ...
        @property
        def topics(self) -> tuple[str, ...]: ...
        @property
        def measures(self) -> tuple[str, ...]: ...
        @property
        def values(self) -> NDArray[np.float64]: ...
        @property
        def notes(self) -> dict[str, _core.Notes]: ...
        @property
        def fingerprint(self) -> str | None: ...
        @property
        def signature(self) -> Any: ...
        @property
        def better(self) -> dict[str, str | None]: ...
        def mean(self) -> NDArray[np.float64]: ...
        def summary(self) -> NDArray[np.float64]: ...
        def order(self) -> list[int]: ...
        def sel(self, *, run: Any = None, topic: Any = None, measure: Any = None) -> ScoresKind: ...
        def compare(self, *args: Any, **options: Any) -> Any: ...
        def interval(self, *args: Any, **options: Any) -> Any: ...
        def tiers(self, *args: Any, **options: Any) -> Any: ...


def is_scores(value: object) -> TypeIs[ScoresKind]:
    """Whether something is ``Scores``."""
    return isinstance(value, ScoresKind)


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
