"""Small arrays of scores and small collections, for the tests of ``cf.meta``."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats as scipy_stats

Floats = NDArray[np.float64]
NDCG = 'nDCG(dcg="jk")'


def tau(x: Floats, y: Floats) -> float:
    """Kendall's tau-b of means; those that differ only by rounding are tied."""
    return float(scipy_stats.kendalltau(np.round(x, 12), np.round(y, 12)).statistic)


NAMES = ["AP", "nDCG", "P@5", "RR", "bpref"]


def with_values(values: Any) -> cf.Scores:
    """Any numbers, shape (runs, topics, measures), as scores."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    runs, topics, measures = array.shape
    qrels = {f"{topic:03}": {"a": 1} for topic in range(topics)}
    empty = {f"r{run}": cf.Run({topic: {"a": 1.0} for topic in qrels}) for run in range(runs)}
    scores = cf.evaluate(qrels, empty, NAMES[:measures])
    return cf.Scores(scores.core.with_values(array))


def drawn(runs: int, topics: int, measures: int = 2, *, seed: int = 0) -> Floats:
    """Runs that differ in skill and topics in difficulty, in steps of 1/64."""
    chance = np.random.default_rng([seed, runs, topics, measures])
    skill, hard = chance.normal(0, 0.1, (runs, 1, 1)), chance.beta(1, 2, (1, topics, 1))
    values = skill + hard + chance.normal(0, 0.15, (runs, topics, measures))
    return np.round(np.clip(values, 0, 1) * 64) / 64


def pairs_of(count: int) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(count), 2))


def refused(call: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(cf.Error) as caught:
        call()
    return caught.value.kind, caught.value.message


Judgments = dict[str, dict[str, float]]


def example(seed: int = 0) -> tuple[cf.Qrels, list[cf.Run]]:
    """Graded judgments of 6 topics and 5 runs."""
    chance = random.Random(seed)
    documents = [f"d{i}" for i in range(80)]
    judgments: Judgments = {}
    for topic in map(str, range(6)):
        judged = chance.sample(documents, 50)
        judgments[topic] = {d: chance.choice([0, 0, 0, 1, 2]) for d in judged}
    runs = []
    for skill in range(5):
        lists = {
            topic: {
                d: round(chance.random() + skill / 8 * docs.get(d, 0), 3)
                for d in chance.sample(documents, 40)
            }
            for topic, docs in judgments.items()
        }
        runs.append(cf.Run(lists).rename(f"r{skill}"))
    return cf.Qrels(judgments), runs
