"""A small collection, as text and as objects, with the AP of its topics."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import cranfield as cf

QRELS_TEXT = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n"
RUN_TEXT = (
    "1 Q0 a 1 3.5 tagged\n1 Q0 b 2 2.5 tagged\n1 Q0 c 3 1.5 tagged\n"
    "2 Q0 z 1 2 tagged\n2 Q0 a 2 1 tagged\n"
)
QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1}}
RUN = {"1": {"a": 3.5, "b": 2.5, "c": 1.5}, "2": {"z": 2.0, "a": 1.0}}
QRELS_ROWS = [("1", "a", 1), ("1", "b", 0), ("1", "c", 2), ("2", "a", 1)]
RUN_ROWS = [(t, d, s) for t, docs in RUN.items() for d, s in docs.items()]
# a b c: (1/1 + 2/3) / 2; z a: 1/2
AP = [0.833333333333, 0.5]

Qrel = namedtuple("Qrel", "query_id doc_id relevance iteration")
Scored = namedtuple("Scored", "query_id doc_id score")


def ap(qrels: Any, runs: Any) -> list[list[float]]:
    """AP of each run and topic, to twelve places."""
    return rounded(cf.evaluate(qrels, runs, "AP"))


def rounded(scores: cf.Scores) -> list[list[float]]:
    rows: list[list[float]] = scores.values[:, :, 0].round(12).tolist()
    return rows
