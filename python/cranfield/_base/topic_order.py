"""The order of topics in tables: 1, 2, 10, and not 1, 10, 2."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NUMBER = re.compile(r"([0-9]+)")


def ordered(topics: Iterable[str]) -> list[str]:
    """The topics in natural order: numbers in them are compared as numbers."""
    return sorted(topics, key=key)


def places(topics: Sequence[str]) -> list[int]:
    """The places of the topics in this order."""
    return sorted(range(len(topics)), key=lambda place: key(topics[place]))


def key(topic: str) -> tuple[list[object], str]:
    """What topics are sorted by."""
    # Texts stand at even places and numbers at odd ones, so that like is compared with like.
    parts = enumerate(_NUMBER.split(topic))
    return [_number(part) if place % 2 else part for place, part in parts], topic


def _number(digits: str) -> tuple[int, str]:
    """What orders like the number; Python makes no int of more than 4,300 digits."""
    stem = digits.lstrip("0")
    return len(stem), stem
