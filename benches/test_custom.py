"""What a measure that is a Python function costs, by the topic.

The topics are those of ``test_costs.py``: 1,000 documents in the list, 280 of
them judged. Each measure is precision at 10, so that its values are compared
with the built-in ones before it takes a time; the cost is the time that scoring
takes with it, less the time with ``num_ret`` alone.
"""

from __future__ import annotations

import time
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield._measures.custom import CustomMeasure, Topic, Topics
from test_costs import ROUNDS, TOPICS, collection


@cf.measure("bench_P", better="higher")
def of_one_topic(topic: Topic) -> Any:
    """Precision of a topic."""
    return (topic.grades >= topic.rel).sum() / topic.cutoff


@cf.measure("bench_P_batch", better="higher", batch=True)
def of_all_topics(topics: Topics) -> Any:
    """Precision of all topics."""
    hits = np.concatenate([[0], np.cumsum(topics.grades >= topics.rel)])
    return (hits[topics.offsets[1:]] - hits[topics.offsets[:-1]]) / topics.cutoff


LIMITS = [(of_one_topic @ 10, 40.0), (of_all_topics @ 10, 20.0)]
"""Measures, and microseconds a topic; what the function itself takes is among them."""


@pytest.mark.parametrize(("measure", "limit"), LIMITS, ids=[str(own) for own, _ in LIMITS])
def test_cost_by_the_topic(measure: CustomMeasure, limit: float) -> None:
    qrels, run = collection()
    scores = cf.evaluate(qrels, run, [measure, "P@10"])
    assert scores.values[:, :, 0].tobytes() == scores.values[:, :, 1].tobytes()
    sides = [cf.Evaluator(qrels, one, threads=1) for one in (measure, "num_ret")]
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for side, evaluator in enumerate(sides):
            start = time.process_time()
            evaluator.evaluate(run)
            best[side] = min(best[side], time.process_time() - start)
    cost = (best[0] - best[1]) / TOPICS * 1e6
    print(f"{measure}: {cost:.1f} microseconds a topic")
    assert cost < limit, f"{measure} costs {cost:.1f} microseconds a topic"


def test_differences_of_two_runs(data: Any) -> None:
    folder = data / "trec8-adhoc"
    first, second = sorted(map(str, (folder / "runs").glob("*.gz")))[:2]
    for measure in ("AP", "nDCG@10", "P@10", "bpref"):
        start = time.process_time()
        found = cf.diff(folder / "trec8.qrels.gz", first, second, measure)
        shown = repr(found)
        took = time.process_time() - start
        print(f"{measure}: {took:.2f} s")
        assert shown.startswith("<Diff")
        assert took < 1, f"{measure} took {took:.2f} s"
