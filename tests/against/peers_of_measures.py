"""What the comparisons with other evaluators share."""

from __future__ import annotations

import random
from typing import Any

import cranfield as cf

from tests import effort, graded
from tests.graded import Judgments, Scored

BATCHES = effort.seeds(10, 3)
CASES = 250

# How many of the real runs are compared: these evaluators are slow.
REAL_RUNS = {"cast2021": 5, "cranfield": 3}


def batch_of(number: int, *, negative: bool, missing: bool) -> tuple[Judgments, Scored]:
    """The collections of one batch in one, with numbers as topics."""
    rng = random.Random(number)
    qrels: Judgments = {}
    run: Scored = {}
    for case in range(CASES):
        topics = [str(10 * case + i) for i in range(1, rng.randint(1, 3) + 1)]
        more = graded.random_collection(rng, topics, negative=negative, missing=missing)
        qrels |= more[0]
        run |= more[1]
    return qrels, run


def evaluate(qrels: Judgments, run: Scored, measure: str, **options: Any) -> dict[str, float]:
    """Our values of one measure by topic."""
    found = cf.evaluate(qrels, run, measure, **options).to_dict()["run"]
    return {topic: next(iter(values.values())) for topic, values in found.items()}


def one(judged: dict[str, int], retrieved: str, measure: str, **options: Any) -> float:
    """Our value for a list of documents, best first."""
    run = cf.Run.from_rankings({"1": retrieved.split()})
    return float(cf.evaluate({"1": judged}, run, measure, **options).values.item())
