"""Joining several scores to one."""

from __future__ import annotations

from cranfield import _core
from cranfield._base.errors import failure, label_failure
from cranfield._base.kinds import is_scores
from cranfield._scores.origin import common

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cranfield._base.kinds import ScoresKind

AXES = ("run", "topic", "measure")


def concat(scores: Iterable[ScoresKind], axis: str) -> tuple[_core.Scores, str | None]:
    """The scores joined along an axis, and their fingerprint; see ``Scores.concat``."""
    if axis not in AXES:
        known = ", ".join(f'"{name}"' for name in AXES)
        raise failure("option", f"expected one of {known} as axis, found {axis!r}")
    parts = _checked(scores)
    origin = common(part.fingerprint for part in parts)
    first = parts[0]
    for name in AXES:
        if name == axis:
            _distinct(parts, name)
        else:
            for part in parts[1:]:
                _same(_labels(first, name), _labels(part, name), name)
    fitted = [first, *(_like(first, part, axis) for part in parts[1:])]
    core = _core.Scores.concat([part.core for part in fitted], axis)
    if axis == "topic":
        places = sorted(range(len(core.topics)), key=lambda place: _bytes(core.topics[place]))
        core = core.select(range(len(core.runs)), places, range(len(core.measures)))
    return core, origin


def _checked(scores: Iterable[ScoresKind]) -> list[ScoresKind]:
    if is_scores(scores) or not hasattr(scores, "__iter__"):
        kind = type(scores).__name__
        raise failure("type", f"expected a list of Scores, found a {kind}")
    parts = list(scores)
    for part in parts:
        if not is_scores(part):
            raise failure("type", f"expected Scores, found a {type(part).__name__}")
    if not parts:
        raise failure("empty", "expected scores, found none")
    return parts


def _labels(scores: ScoresKind, axis: str) -> tuple[str, ...]:
    labels: tuple[str, ...] = getattr(scores, f"{axis}s")
    return labels


def _distinct(parts: Sequence[ScoresKind], axis: str) -> None:
    """Raises if two parts have a label in common."""
    seen: set[str] = set()
    for part in parts:
        for label in _labels(part, axis):
            if label in seen:
                message = f"the {axis} {label!r} is in two of the scores; sel picks those to join"
                raise failure("duplicate", message)
        seen.update(_labels(part, axis))


def _same(first: Sequence[str], other: Sequence[str], axis: str) -> None:
    """Raises if a label is not in both."""
    for lacking, known in ((set(other) - set(first), first), (set(first) - set(other), other)):
        for label in (*first, *other):
            if label in lacking:
                raise label_failure(f"{axis} in all of the scores", label, known)


def _like(first: ScoresKind, part: ScoresKind, axis: str) -> ScoresKind:
    """A part whose other axes are in the order of the first."""
    wanted = {name: _labels(first, name) for name in AXES if name != axis}
    if wanted == {name: _labels(part, name) for name in AXES if name != axis}:
        return part
    return part.sel(**wanted)


def _bytes(topic: str) -> bytes:
    return topic.encode("utf-8", "surrogateescape")
