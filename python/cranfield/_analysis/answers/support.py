"""The words and numbers for support: what the files of the tracks call it."""

from __future__ import annotations

from cranfield._base.errors import failure, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cranfield._io.json_lines import Place

UNJUDGED = -1
"""The number of a citation that was not judged."""

WORDS = {2: "full", 1: "partial", 0: "none", UNJUDGED: "unjudged"}
"""The words for support by its number."""

NUMBERS: dict[Any, int] = {
    **{number: number for number in WORDS},
    **{str(number): number for number in WORDS},
    **{word: number for number, word in WORDS.items()},
    "FS": 2,
    "PS": 1,
    "NS": 0,
    "no": 0,
    None: UNJUDGED,
}
"""The numbers of support by what is written for it."""


def number_of(support: object, key: str, place: Place | None = None) -> int:
    """The number of what is written for support; raises ``Error`` (kind "option")."""
    known: object = support
    if isinstance(support, str) and support not in NUMBERS:
        known = support.strip().lower().replace("_", " ").removesuffix(" support")
    try:
        if not isinstance(support, bool):
            return NUMBERS[known]
    except (KeyError, TypeError):
        pass
    words = ", ".join([*WORDS.values(), *map(str, WORDS)])
    message = f"{key}: expected one of {words}; found {shown(support)}"
    if place is not None:
        raise place.error("option", message)
    raise failure("option", message)
