"""What the lower rooms know of objects that are made above them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
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
        def better(self) -> dict[str, str | None]: ...
        def mean(self) -> NDArray[np.float64]: ...
        def summary(self) -> NDArray[np.float64]: ...
        def order(self) -> list[int]: ...
        def best_first(self, by: Any = None) -> list[int]: ...
        def sel(self, *, run: Any = None, topic: Any = None, measure: Any = None) -> ScoresKind: ...
        def compare(self, *args: Any, **options: Any) -> Any: ...
        def interval(self, *args: Any, **options: Any) -> Any: ...
        def tiers(self, *args: Any, **options: Any) -> Any: ...


def is_scores(value: object) -> TypeIs[ScoresKind]:
    """Whether something is ``Scores``."""
    return isinstance(value, ScoresKind)
