"""How much is tried: a part of the random cases, always the same, or all of them with a new seed.

``make test`` takes a part, so that it ends in minutes. ``make test-full`` takes all and sets
``CRANFIELD_SEED`` to a number that it draws and prints: so each time it tries other cases, and
the number brings them back.
"""

from __future__ import annotations

import os

FULL = "CRANFIELD_SEED" in os.environ

SEED = int(os.environ.get("CRANFIELD_SEED", "0"))
"""Where seeds begin."""


def cases(every: int, part: int) -> int:
    """How many of the cases are tried."""
    return every if FULL else part


def seeds(every: int, part: int) -> range:
    """The seeds of the cases that are tried."""
    return range(SEED, SEED + cases(every, part))
