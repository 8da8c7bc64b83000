"""Joining several scores to one, which have to be made with the same judgments and options."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from cranfield import _core
from cranfield._base.errors import failure, label_failure
from cranfield._base.scores_like import ScoresKind, is_scores
from cranfield._core import Error


def common(fingerprints: Iterable[str | None]) -> str | None:
    """The fingerprint of scores that are joined; None if none is known.

    Raises ``Error`` (kind "option") for two that differ.
    """
    known = list(dict.fromkeys(text for text in fingerprints if text is not None))
    if len(known) > 1:
        raise _misfit(*known[:2])
    return known[0] if known else None


def differing(first: str, second: str) -> tuple[str, bool]:
    """In what two fingerprints differ, in words, and whether that is the judgments."""
    pairs = zip(first.split(" "), second.split(" "), strict=False)
    found = [(a, b) for a, b in pairs if a != b]
    if not found or found[0][0].startswith("qrels="):
        return "different judgments", True
    return f"different options: {' and '.join(' or '.join(pair) for pair in found)}", False


def _misfit(first: str, second: str) -> Error:
    """The error for scores that were made in two ways."""
    what, judgments = differing(first, second)
    advice = "qrels; several collections go into Collections" if judgments else "options"
    message = f"these scores were made with {what}; evaluate all runs with the same {advice}"
    return failure("option", message)


AXES = ("run", "topic", "measure")


def concat(scores: Iterable[ScoresKind], axis: str) -> tuple[_core.Scores, str | None]:
    """The scores joined along an axis, and their fingerprint; see ``Scores.concat``."""
    if axis not in AXES:
        known = ", ".join(f'"{name}"' for name in AXES)
        raise failure("option", f"expected one of {known} as axis, found {axis!r}")
    parts = _checked(scores)
    origin = common(part.fingerprint for part in parts)
    wanted: dict[str, tuple[str, ...]] = {}
    for name in AXES:
        each = [_labels(part, name) for part in parts]
        if name == axis:
            _check_distinct(each, name)
        else:
            wanted[name] = each[0]
            for labels in each[1:]:
                _check_same(each[0], labels, name)
    fitted = (
        part
        if all(_labels(part, name) == labels for name, labels in wanted.items())
        else part.sel(**wanted)
        for part in parts
    )
    core = _core.Scores.concat([part.core for part in fitted], axis)
    if axis == "topic":
        in_bytes = [topic.encode("utf-8", "surrogateescape") for topic in core.topics]
        places = sorted(range(len(in_bytes)), key=in_bytes.__getitem__)
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


def _check_distinct(each: Sequence[tuple[str, ...]], axis: str) -> None:
    """Raises if two parts have a label in common."""
    seen: set[str] = set()
    for label in chain.from_iterable(each):
        if label in seen:
            message = f"the {axis} {label!r} is in two of the scores; sel picks those to join"
            raise failure("duplicate", message)
        seen.add(label)


def _check_same(first: Sequence[str], other: Sequence[str], axis: str) -> None:
    """Raises if a label is not in both."""
    for labels, known in ((other, first), (first, other)):
        lacking = set(labels).difference(known)
        for label in labels:
            if label in lacking:
                raise label_failure(f"{axis} in all of the scores", label, known)
