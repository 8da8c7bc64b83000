"""The n-pref of rpref: finer partitions of the gains misplace no fewer pairs."""

from __future__ import annotations

import itertools
import math
import random

import cranfield as cf
import numpy as np
import pytest

Judgments = dict[str, dict[str, float]]


def misplaced(qrels: Judgments, run: dict[str, dict[str, float]], partitions: int) -> int:
    """Pairs of judged documents, the first above the second and of a lower class."""
    pairs = 0
    for topic, documents in run.items():
        order = sorted(documents, key=lambda d: (documents[d], d.encode()), reverse=True)
        grades = [qrels[topic][d] for d in order if d in qrels[topic]]
        classes = [min(math.floor(grade * partitions), partitions - 1) for grade in grades]
        pairs += sum(a < b for a, b in itertools.combinations(classes, 2))
    return pairs


@pytest.mark.parametrize("seed", range(10))
def test_finer_partitions_misplace_no_fewer_pairs(seed: int) -> None:
    """Each interval of one partition lies in one of the partition before.

    The same classes, as grades, make rpref what it is with ``partitions``.
    """
    chance = random.Random(seed)
    documents = [f"d{i}" for i in range(30)]
    qrels: Judgments = {
        str(topic): {d: chance.randrange(101) / 100 for d in chance.sample(documents, 20)}
        for topic in range(3)
    }
    run = {topic: {d: chance.random() for d in chance.sample(documents, 25)} for topic in qrels}
    counts = [misplaced(qrels, run, n) for n in (2, 4, 8, 16)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    for n in (2, 4, 8, 16):
        classes = {
            topic: {d: min(math.floor(g * n), n - 1) / (n - 1) for d, g in docs.items()}
            for topic, docs in qrels.items()
        }
        for measure in ("rpref_N", "rpref_relative2"):
            grouped = cf.evaluate(qrels, run, f"{measure}(top_gain=1,partitions={n})")
            plain = cf.evaluate(classes, run, f"{measure}(top_gain=1)")
            np.testing.assert_allclose(grouped.values, plain.values, rtol=1e-12)
