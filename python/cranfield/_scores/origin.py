"""What scores were made with, so that scores made differently are not joined."""

from __future__ import annotations

from cranfield._base.errors import failure
from cranfield._base.options import EVALUATING, in_effect
from cranfield._core import Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from cranfield._core import Qrels

OPTIONS = tuple(name for name, option in EVALUATING.items() if option["separates"])
"""The evaluating options that can change a score."""


class Origin:
    """The judgments and the options of an evaluator; hashed when first asked for."""

    __slots__ = ("_options", "_qrels", "_text")

    def __init__(self, qrels: Qrels, options: Mapping[str, Any]) -> None:
        self._qrels = qrels
        self._options = options
        self._text: str | None = None

    def __str__(self) -> str:
        if self._text is None:
            parts = [f"qrels={self._qrels.fingerprint}"]
            parts += [f"{name}={in_effect(name, self._options[name])}" for name in OPTIONS]
            self._text = " ".join(parts)
        return self._text


def common(fingerprints: Iterable[str | None]) -> str | None:
    """The fingerprint of scores that are joined; None if none is known.

    Raises ``Error`` (kind "option") for two that differ.
    """
    known = list(dict.fromkeys(text for text in fingerprints if text is not None))
    if len(known) > 1:
        raise _misfit(*known[:2])
    return known[0] if known else None


def _misfit(first: str, second: str) -> Error:
    """The error for scores that were made in two ways."""
    pairs = zip(first.split(" "), second.split(" "), strict=False)
    differing = [(a, b) for a, b in pairs if a != b]
    if not differing or differing[0][0].startswith("qrels="):
        message = "these scores were made with different judgments"
        advice = "evaluate all runs with the same qrels; several collections go into Collections"
    else:
        options = " and ".join(" or ".join(pair) for pair in differing)
        message = f"these scores were made with different options: {options}"
        advice = "evaluate all runs with the same options"
    return failure("option", f"{message}; {advice}")
