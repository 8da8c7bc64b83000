"""How modules that ``Scores`` is built on recognize one without importing it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from cranfield.results.scores import Scores


class ScoresKind:
    """The base of ``Scores``, and of nothing else."""

    __slots__ = ()


def is_scores(value: object) -> TypeIs[Scores]:
    """Whether something is ``Scores``."""
    return isinstance(value, ScoresKind)
