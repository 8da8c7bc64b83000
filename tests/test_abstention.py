"""Abstention: nAUC and confidence.

The oracles are the record ``nauc`` of ``vectors.json``, plain loops, and arithmetic next to
the data.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from fractions import Fraction
from typing import Any

import cranfield as cf
import pytest
from cranfield import abstention

from tests import ROOT

VECTORS = ROOT / "rust" / "core" / "tests" / "data" / "vectors.json"


def record(name: str) -> Any:
    return next(r for r in json.loads(VECTORS.read_text()) if r["name"] == name)


def number(text: str | float) -> float:
    return float(Fraction(text)) if isinstance(text, str) else text


def test_nauc_of_the_worked_example() -> None:
    worked = record("nauc")
    values = [number(value) for value in worked["params"]["metric"]]
    for key, name in [
        ("same", "confidence_same_order"),
        ("reversed", "confidence_reversed"),
        ("mixed", "confidence_mixed"),
    ]:
        found = abstention.nauc(values, worked["params"][name])
        assert found == pytest.approx(number(worked["expected"][key]), abs=1e-12), key


def test_nauc_is_the_definition_in_plain_loops() -> None:
    rng = random.Random(5)
    for _ in range(2000):
        topics = range(rng.randint(2, 30))
        values = [rng.choice([0, 0.25, 0.5, 1]) for _ in topics]
        sure = [rng.choice([0.1, 0.2, 0.3, 0.9]) for _ in topics]

        def curve(order: list[int], values: list[float] = values) -> list[float]:
            heights = []
            for tenth in range(10):
                left = order[min(round(tenth / 10 * len(order)), len(order) - 1) :]
                heights.append(sum(values[i] for i in left) / len(left))
            return heights

        def area(heights: list[float]) -> float:
            return sum(0.1 * (a + b) / 2 for a, b in itertools.pairwise(heights))

        own = area(curve(sorted(topics, key=sure.__getitem__)))
        best = area(curve(sorted(topics, key=values.__getitem__)))
        flat = 0.9 * sum(values) / len(values)
        found = abstention.nauc(values, sure)
        if len(set(values)) == 1:
            assert math.isnan(found)
        elif abs(best - flat) > 1e-9:
            assert found == pytest.approx((own - flat) / (best - flat), abs=1e-9)


def test_confidence_by_hand() -> None:
    assert abstention.confidence([1.0, 3.0]) == (3.0, 1.0, 2.0)
    assert abstention.confidence([2.0]) == (2.0, 0.0, 0.0)
    with pytest.raises(cf.Error, match="expected the scores of a list, found none"):
        abstention.confidence([])


def test_nauc_wants_a_confidence_for_each_value() -> None:
    with pytest.raises(cf.Error, match=r"found shapes \(2,\) and \(3,\)") as error:
        abstention.nauc([1, 2], [1, 2, 3])
    assert error.value.kind == "option"
