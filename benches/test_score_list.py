"""One list of five ids in three measures: cranfield beside the loop that people write by hand.

Values are compared before any time is. Times are processor time, the medians of rounds in which
the sides take turns.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import cranfield as cf
import pytest
from turns import medians

RETRIEVED = ["d4", "d1", "d9", "d2", "d7"]
RELEVANT = {"d1", "d2", "d3"}
MEASURES = "nDCG@5 RR R@5"

WANTED = 3e-6
"""Seconds of a call, on an idle machine."""


def by_hand(retrieved: Sequence[str], relevant: Collection[str], k: int = 5) -> dict[str, float]:
    """nDCG, reciprocal rank and recall, as in many a repository."""
    dcg = rr = 0.0
    found = 0
    for rank, one in enumerate(retrieved[:k], 1):
        if one in relevant:
            dcg += 1.0 / math.log2(rank + 1)
            rr = rr or 1.0 / rank
            found += 1
    ideal = sum(1.0 / math.log2(rank + 1) for rank in range(1, min(k, len(relevant)) + 1))
    return {"nDCG@5": dcg / ideal, "RR": rr, "R@5": found / len(relevant)}


def test_one_list() -> None:
    graded = dict.fromkeys(RELEVANT, 1)
    for relevant in (RELEVANT, list(RELEVANT), graded):
        found = cf.score_list(RETRIEVED, relevant, MEASURES)
        assert found == pytest.approx(by_hand(RETRIEVED, RELEVANT), abs=1e-15)
    us, from_dict, loop = medians(
        lambda: cf.score_list(RETRIEVED, RELEVANT, MEASURES),
        lambda: cf.score_list(RETRIEVED, graded, MEASURES),
        lambda: by_hand(RETRIEVED, RELEVANT),
    )
    print(
        f"\ncranfield {us * 1e6:.2f} us, of {{id: grade}} {from_dict * 1e6:.2f}, "
        f"a loop by hand {loop * 1e6:.2f}"
    )
    assert us < loop
    assert from_dict < WANTED
