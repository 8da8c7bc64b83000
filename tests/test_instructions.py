"""Instructions: p-MRR and robustness.

The oracle is arithmetic next to the data.
"""

from __future__ import annotations

import random

import cranfield as cf
import numpy as np
import pytest
from cranfield import instructions


def test_p_mrr_by_hand() -> None:
    before = {"1": {"a": 4, "b": 3, "c": 2, "d": 1}, "2": {"a": 2, "b": 1}}
    after = {"1": {"b": 4, "c": 3, "d": 2, "a": 1}, "2": {"b": 2, "x": 1}}
    # a falls from 1 to 4, d rises from 4 to 3, in topic 2 a falls from 1 below the end, rank 3.
    found = instructions.p_mrr(before, after, {"1": ["a", "d"], "2": ["a"]})
    assert found == {"1": pytest.approx((3 / 4 - 1 / 4) / 2), "2": pytest.approx(2 / 3)}
    same = instructions.p_mrr(before, before, {"1": ["a", "b", "z"]})
    assert same == {"1": 0}


def test_p_mrr_turns_its_sign() -> None:
    rng = random.Random(3)
    for _ in range(200):
        documents = [f"d{i}" for i in range(rng.randint(1, 9))]
        lists = [{"1": {d: rng.random() for d in documents}} for _ in range(2)]
        chosen = rng.sample(documents, rng.randint(1, len(documents)))
        there = instructions.p_mrr(lists[0], lists[1], {"1": chosen})["1"]
        back = instructions.p_mrr(lists[1], lists[0], {"1": chosen})["1"]
        assert there == pytest.approx(-back, abs=1e-15)
        assert -1 < there < 1


@pytest.mark.parametrize(
    ("withdrawn", "sentence"),
    [
        ({"2": ["a"]}, "expected topic '2' in before, found none"),
        ({"1": []}, "expected documents for topic '1', found none"),
    ],
)
def test_p_mrr_without_its_topics(withdrawn: dict[str, list[str]], sentence: str) -> None:
    run = {"1": {"a": 1.0}}
    with pytest.raises(cf.Error, match=sentence) as error:
        instructions.p_mrr(run, run, withdrawn)
    assert error.value.kind == "topics"


def test_robustness_is_the_mean_of_the_worst() -> None:
    qrels = {"q1_a": {"x": 1}, "q1_b": {"y": 1}, "q2_a": {"x": 1}}
    runs = {"one": {key: {"x": 2.0, "y": 1.0} for key in qrels}, "two": {"q2_a": {"x": 1.0}}}
    scores = cf.evaluate(qrels, runs, "RR P@1")
    found = instructions.robustness(scores)
    assert found.tolist() == [[(0.5 + 1) / 2, (0 + 1) / 2], [0.5, 0.5]]
    own = instructions.robustness(scores, lambda topic: topic)
    assert np.allclose(own, scores.mean())
