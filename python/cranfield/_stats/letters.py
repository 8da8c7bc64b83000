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
    """Groups of items that do not differ, from a symmetric matrix of the pairs that do.

    Shape (items, items). Items in a group are ascending, and so are groups, by their items.
    """
    import numpy as np

    together = ~significant
    np.fill_diagonal(together, True)
    # The pairs that share no group yet, including each item with itself.
    open_pairs = together.copy()
    found = []
    while open_pairs.any():
        group = _grown(together, open_pairs)
        open_pairs[np.ix_(group, group)] = False
        found.append(sorted(group))
    return sorted(_needed(found, together))


def _grown(together: NDArray[np.bool_], open_pairs: NDArray[np.bool_]) -> list[int]:
    """A group that cannot grow, with the first open pair and as many others as possible."""
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
    """The groups without those whose pairs are all in others; the smallest are dropped first."""
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
    """The letter of a group by its number: a to z, A to Z, then with leading dots: .a, ..a."""
    dots, index = divmod(number, len(ascii_letters))
    return "." * dots + ascii_letters[index]


def letters(found: Sequence[Sequence[int]], items: int) -> list[str]:
    """The letters of each item."""
    texts = [""] * items
    for number, group in enumerate(found):
        for item in group:
            texts[item] += letter(number)
    return texts
