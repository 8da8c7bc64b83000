"""The mean over all orders of 50 topics with one score for 1,000 documents each.

Values are first compared with the expectation of each term at each rank: the mean of what is above
a document is linear in the number of places above it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

import cranfield as cf
import numpy as np
import pytest
from turns import medians

TOPICS, DOCUMENTS = 50, 1000

Gains = list[int]


def average_precision(gains: Gains) -> float:
    relevant = sum(gain > 0 for gain in gains)
    above = np.linspace(0, relevant - 1, len(gains))
    ranks = np.arange(1, len(gains) + 1)
    return float(np.mean((1 + above) / ranks))


def q_measure(gains: Gains) -> float:
    relevant, gained = sum(gain > 0 for gain in gains), sum(gains)
    ranks = np.arange(1, len(gains) + 1)
    ideal = np.cumsum(sorted(gains, reverse=True))
    share = np.linspace(0, 1, len(gains))
    terms = [
        gain + share * (gained - gain) + 1 + share * (relevant - 1) for gain in gains if gain > 0
    ]
    return float(np.mean(np.mean(terms, axis=0) / (ideal + ranks)))


def graded_average_precision(gains: Gains) -> float:
    sums = np.array([gain * (gain + 1) for gain in gains])
    ranks = np.arange(1, len(gains) + 1)
    share = np.linspace(0, 1, len(gains))
    terms = [s + share * (np.minimum(sums, s).sum() - s) for s in sums]
    return float((np.mean(terms, axis=0) / ranks).sum() / sums.sum())


EXPECTED: dict[str, Callable[[Gains], float]] = {
    "AP": average_precision,
    "Q": q_measure,
    "GAP": graded_average_precision,
}


@pytest.mark.parametrize("palette", [(0, 0, 0, 1), (0, 1, 2, 3, 4, 5)], ids=["binary", "six"])
def test_one_score(palette: tuple[int, ...]) -> None:
    chance = random.Random(7)
    documents = [f"d{i}" for i in range(DOCUMENTS)]
    grades = [[chance.choice(palette) for _ in documents] for _ in range(TOPICS)]
    qrels = cf.Qrels(
        {f"t{i}": dict(zip(documents, topic, strict=True)) for i, topic in enumerate(grades)}
    )
    run = cf.Run({f"t{i}": dict.fromkeys(documents, 1.0) for i in range(TOPICS)})
    for measure, expected in EXPECTED.items():
        evaluator = cf.Evaluator(qrels, measure, ties="average", threads=1)
        scores = evaluator.evaluate(run)
        values = dict(zip(scores.topics, scores.values[0, :, 0], strict=True))
        for i, topic in enumerate(grades):
            assert values[f"t{i}"] == pytest.approx(expected(topic), rel=1e-9)
        [ours] = medians(partial(evaluator.evaluate, run), rounds=5)
        print(f"{measure}: {ours * 1e3:.1f} ms")
        assert ours < 0.2
