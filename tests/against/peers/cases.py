"""What hosts are called with: random judgments and runs, some of them wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

CALLS = 50

Call = Callable[[], Any]
Calls = Iterator[tuple[Call, Call]]
"""The same call with and without cranfield."""


def wrong(rng: random.Random, qrels: Any, run: Any, kinds: int = 5) -> tuple[Any, Any]:
    """Judgments and a run, one in five of them wrong in one of some ways."""
    kind = rng.randrange(5 * kinds)
    if kind >= kinds:
        return qrels, run
    topic = next(iter(qrels))
    if kind == 0:
        qrels = {**qrels, topic: {}}
    elif kind == 1:
        qrels = {t: grades for t, grades in qrels.items() if t != topic}
    elif kind == 2:
        run = {**run, topic: {"a": "high"}}
    elif kind == 3:
        run = {}
    elif kind == 4:
        qrels = {**qrels, topic: {"a": 0.5}}
    return qrels, run


def untied(run: Any) -> Any:
    """A run of lists of up to fifteen documents without ties."""
    return {
        t: {d: 1 / (n + 1) for n, d in enumerate(sorted(x)[:15] or ["x"])} for t, x in run.items()
    }
