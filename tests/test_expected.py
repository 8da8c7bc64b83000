"""Expected average precision: every judgment of small lists, and the evaluator's AP."""

from __future__ import annotations

import math
import random

import cranfield as cf
import pytest
from cranfield import expected


def test_by_hand() -> None:
    # Pairs a-a 1, b-b 1/2, a-b 1/2, b's probability is a half: 1 + 1/4 + 1/4, by 2.3.
    probabilities = {"a": 1.0, "b": 0.5, "c": 0.0, "d": 0.8}
    found = expected.average_precision(["a", "b", "c"], probabilities)
    assert found.value == pytest.approx(1.5 / 2.3)
    # The sum is 1 or 2, each with one half.
    assert found.variance == pytest.approx(0.25 / 2.3**2)


def test_it_is_ap_where_everything_is_judged() -> None:
    rng = random.Random(1)
    qrels = {}
    rankings = {}
    for number in range(300):
        topic = f"{number:03}"
        documents = [f"d{i}" for i in range(rng.randint(1, 30))]
        judged = {document: int(rng.random() < 0.3) for document in documents}
        judged["d0"] = 1
        qrels[topic] = judged
        rankings[topic] = rng.sample([*documents, "x", "y"], rng.randint(1, len(documents)))
    scores = cf.evaluate(qrels, cf.Run.from_rankings(rankings), "AP").values[0, :, 0]
    for topic, value in zip(sorted(qrels), scores, strict=True):
        found = expected.average_precision(rankings[topic], qrels[topic])
        assert found.value == pytest.approx(value, abs=1e-12)
        assert found.variance == 0


def test_the_sign_of_a_difference() -> None:
    probabilities = {"a": 0.9, "b": 0.2, "c": 0.5}
    one = expected.difference("abc", "bca", probabilities)
    other = expected.difference("bca", "abc", probabilities)
    assert one.value == pytest.approx(-other.value)
    assert one.variance == pytest.approx(other.variance)
    assert one.confidence == pytest.approx(1 - other.confidence)
    assert 0.5 < one.confidence < 1
    apart = [expected.average_precision(of, probabilities).value for of in ("abc", "bca")]
    assert one.value == pytest.approx(apart[0] - apart[1])


def test_what_is_sure_and_what_is_open() -> None:
    assert expected.difference("ab", "ba", {"a": 1}) == expected.Difference(0.5, 0, 1)
    assert expected.difference("ba", "ab", {"a": 1}) == expected.Difference(-0.5, 0, 0)
    assert expected.difference("ab", "ab", {"a": 0.5}) == expected.Difference(0, 0, 0.5)
    assert math.isnan(expected.average_precision("ab", {"a": 0}).value)
    nothing = expected.difference("ab", "ba", {})
    assert math.isnan(nothing.value)
    assert nothing.confidence == 0.5


@pytest.mark.parametrize("probability", [-0.1, 1.5, math.nan])
def test_what_is_not_a_probability(probability: float) -> None:
    with pytest.raises(cf.Error, match="expected a probability from 0 to 1 for 'a'") as error:
        expected.average_precision("ab", {"a": probability})
    assert error.value.kind == "option"


def test_a_document_twice() -> None:
    with pytest.raises(cf.Error, match="each document once, found 'a' at 1 and 3") as error:
        expected.average_precision("aba", {"b": 0.5})
    assert error.value.kind == "duplicate"
