"""Small collections and the columns of their scores, for the tests of `cf.compare`."""

from __future__ import annotations

import random

import cranfield as cf

Judgments = dict[str, dict[str, int]]
Lists = dict[str, dict[str, float]]


def made(seed: int, topics: int = 12, runs: int = 4) -> tuple[Judgments, dict[str, Lists]]:
    """Judgments and runs that take their documents from one pool."""
    coin = random.Random(seed)
    pool = [f"d{i}" for i in range(30)]
    names = [f"t{i:02}" for i in range(topics)]
    qrels = {t: {d: coin.choice([0, 0, 1, 2]) for d in coin.sample(pool, 15)} for t in names}
    for judged in qrels.values():
        judged[min(judged)] = 1
    lists = {
        f"run{i}": {
            t: {d: coin.random() for d in coin.sample(pool, coin.randint(5, 20))} for t in names
        }
        for i in range(runs)
    }
    return qrels, lists


def column(scores: cf.Scores, run: str, measure: str) -> list[float]:
    return [float(value) for value in scores[run, measure]]
