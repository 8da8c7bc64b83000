"""Holes: documents that no topic's judgments name, as BEIR and MTEB count them."""

from __future__ import annotations

import random
from pathlib import Path

import cranfield as cf
import numpy as np
import pytest


def beir(
    judged: dict[str, dict[str, int]], lists: dict[str, dict[str, float]], k: int
) -> list[float]:
    """Of each list the share of the first k that is named nowhere."""
    named = {document for grades in judged.values() for document in grades}
    first = [sorted(scores, key=lambda d: -scores[d])[:k] for scores in lists.values()]
    return [sum(d not in named for d in documents) / k for documents in first]


def test_holes_and_documents_unjudged_for_the_topic(tmp_path: Path) -> None:
    chance = random.Random(29)
    for _ in range(50):
        documents = [f"d{i}" for i in range(80)]
        judged = {
            t: {d: chance.choice((-1, 0, 1)) for d in chance.sample(documents, 15)} for t in "123"
        }
        lists = {t: {d: chance.random() for d in chance.sample(documents, 30)} for t in "123"}
        path = tmp_path / "run"
        lines = [f"{t} Q0 {d} 1 {s!r} tag\n" for t, of in lists.items() for d, s in of.items()]
        path.write_text("".join(lines))
        for k in (5, 40):
            expected = beir(judged, lists, k)
            for run in (lists, cf.Run(lists), path):
                found = cf.evaluate(judged, run, f"Hole@{k} Unjudged@{k}").values[0]
                assert np.allclose(found[:, 0], expected, rtol=0, atol=1e-15)
                assert np.all(found[:, 0] <= found[:, 1])


def test_spellings_and_refusals() -> None:
    assert cf.Measure("Hole_at_10") == cf.Measure("Hole@10") == cf.Measure("hole@10")
    with pytest.raises(cf.Error, match="needs a cutoff"):
        cf.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "Hole")


def test_capped_recall() -> None:
    """As BEIR's R_cap: divided by k where more documents are relevant."""
    judged = {"1": {"a": 1, "b": 1, "c": 2, "d": 0}}
    lists = {"1": {"a": 4.0, "d": 3.0, "c": 2.0, "x": 1.0}}
    found = cf.evaluate(judged, lists, "R_cap@2 R_cap_at_4 relative_P_2 R@2").values[0, 0]
    assert found == pytest.approx([1 / 2, 2 / 3, 1 / 3], rel=1e-15)
