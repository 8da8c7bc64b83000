"""Compact letter displays: groups within which no pair differs significantly.

Two runs share a letter exactly if no significant difference was found between
them (Piepho 2004). Every group is as large as it can be, and no group is there
whose pairs all share another letter; so there may be fewer groups than
Piepho's steps alone would leave.
"""

from __future__ import annotations

from string import ascii_letters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


def groups(significant: NDArray[np.bool_]) -> list[list[int]]:
    """The groups of items, of which a symmetric matrix says which pairs differ.

    Shape (items, items). Items in a group, and groups by their items, ascend.
    """
    import numpy as np

    together = ~significant
    np.fill_diagonal(together, True)
    # The pairs that share no group yet, each item with itself among them.
    open_pairs = together.copy()
    found = []
    while open_pairs.any():
        group = _grown(together, open_pairs)
        open_pairs[np.ix_(group, group)] = False
        found.append(sorted(group))
    return sorted(_needed(found, together))


def _grown(together: NDArray[np.bool_], open_pairs: NDArray[np.bool_]) -> list[int]:
    """A group that cannot grow, with the first open pair and as many others as may be."""
    import numpy as np

    first = int(np.argmax(open_pairs.any(axis=1)))
    group = [first]
    candidates = together[first].copy()
    candidates[first] = False
    gain = open_pairs[first].astype(np.int64)
    while candidates.any():
        chosen = int(np.argmax(np.where(candidates, gain, -1)))
        group.append(chosen)
        candidates &= together[chosen]
        candidates[chosen] = False
        gain += open_pairs[chosen]
    return group


def _needed(found: list[list[int]], together: NDArray[np.bool_]) -> list[list[int]]:
    """The groups without those whose pairs are all in others; the smallest go first."""
    import numpy as np

    shared = np.zeros(together.shape, dtype=np.int64)
    for group in found:
        shared[np.ix_(group, group)] += 1
    kept = []
    for group in sorted(found, key=len):
        pairs = np.ix_(group, group)
        if (shared[pairs] > 1).all():
            shared[pairs] -= 1
        else:
            kept.append(group)
    return kept


def letter(number: int) -> str:
    """The letter of a group by its number: a to z, A to Z, then with points before: .a, ..a."""
    points, place = divmod(number, len(ascii_letters))
    return "." * points + ascii_letters[place]


def letters(found: Sequence[Sequence[int]], items: int) -> list[str]:
    """The letters of each item."""
    texts = [""] * items
    for number, group in enumerate(found):
        for item in group:
            texts[item] += letter(number)
    return texts
