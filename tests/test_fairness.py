"""Fairness of rankings.

The oracles are the record ``expected_exposure`` of ``vectors.json``, scipy's Jensen-Shannon
distance, plain loops, and arithmetic next to the data.
"""

from __future__ import annotations

import json
import math
import random
from typing import Any

import cranfield as cf
import numpy as np
import pandas as pd
import pytest
from cranfield import fairness

from tests import ROOT

VECTORS = ROOT / "rust" / "core" / "tests" / "data" / "vectors.json"


def test_expected_exposure_of_the_worked_example() -> None:
    worked = next(r for r in json.loads(VECTORS.read_text()) if r["name"] == "expected_exposure")
    rankings: list[list[str]] = []
    groups: dict[str, str] = {}
    for number, letters in enumerate(worked["params"]["rankings_groups"]):
        rankings.append([f"{number}-{place}" for place in range(len(letters))])
        groups |= dict(zip(rankings[-1], letters, strict=True))
    target = dict(zip("ab", worked["params"]["target_share"], strict=True))
    found = fairness.expected_exposure(rankings, groups, target)
    expected = worked["expected"]
    assert found.loss == pytest.approx(expected["EE-L"], abs=1e-12)
    assert found.disparity == pytest.approx(expected["EE-D"], abs=1e-12)
    assert found.relevance == pytest.approx(expected["EE-R"], abs=1e-12)


def test_awrf_ends() -> None:
    groups = {"x": "a", "y": "b"}
    assert fairness.awrf(["x"], groups, {"b": 1.0}) == pytest.approx(1 - math.log(2), abs=1e-15)
    assert fairness.awrf(["x"], groups, {"b": 1.0}, base=2) == pytest.approx(0, abs=1e-15)
    assert fairness.awrf(["x", "y"], groups, {"a": 0.5, "b": 0.5}) == 1


def test_awrf_is_scipys_divergence() -> None:
    distance = pytest.importorskip("scipy.spatial.distance")
    rng = random.Random(11)
    for _ in range(2000):
        names = ["a", "b", "c", "d"][: rng.randint(2, 4)]
        known = rng.choice((0.5, 1.0))
        raw = [rng.random() for _ in names]
        target = {name: value / sum(raw) for name, value in zip(names, raw, strict=True)}
        ranking = [f"d{i}" for i in range(rng.randint(1, 20))]
        groups: dict[str, str | dict[str, float]] = {}
        seen = dict.fromkeys(names, 0.0)
        for rank, document in enumerate(ranking, 1):
            weight = 1 / math.log2(max(rank, 2))
            if rank > 1 and rng.random() >= known:
                continue
            if rng.random() < 0.3:
                part = rng.random()
                first, second = rng.sample(names, 2)
                groups[document] = {first: part, second: 1 - part}
                seen[first] += weight * part
                seen[second] += weight * (1 - part)
            else:
                own = rng.choice(names)
                groups[document] = own
                seen[own] += weight
        wanted = 1 - distance.jensenshannon(list(seen.values()), list(target.values())) ** 2
        assert fairness.awrf(ranking, groups, target) == pytest.approx(wanted, abs=1e-9)


UNKNOWN: list[dict[str, Any]] = [
    {"x": "a", "z": "b"},
    {"x": "a", "y": None, "z": "b"},
    {"x": "a", "y": math.nan, "z": "b"},
    {"x": "a", "y": pd.NA, "z": "b"},
    {"x": "a", "y": {}, "z": "b"},
    {"x": {"a": 1.0}, "y": np.float64("nan"), "z": {"b": 1.0}},
]
"""Groups in which y has none, as a dict has it that was written by hand or made of a frame."""


@pytest.mark.parametrize("groups", UNKNOWN)
def test_a_document_without_a_group_keeps_its_rank(groups: dict[str, Any]) -> None:
    # x has the weight 1 at rank 1, z 1/log2(3) = .6309 at rank 3: shares .6131 and .3869. With
    # middles .5566 and .4434, 1 - (.6131 ln(.6131/.5566) + .3869 ln(.3869/.4434)
    # + .5 ln(.5/.5566) + .5 ln(.5/.4434)) / 2 = .9935, as the track's program prints it.
    target = {"a": 0.5, "b": 0.5}
    assert round(fairness.awrf(["x", "y", "z"], groups, target), 4) == 0.9935
    found = fairness.expected_exposure([["x", "y", "z"]], groups, target)
    # The attention is 1 + 1 + .6309 with or without a group, and half of it is each target.
    third = 1 / math.log2(3)
    half = (2 + third) / 2
    assert found.loss == pytest.approx((1 - half) ** 2 + (third - half) ** 2, abs=1e-15)
    assert found.disparity == pytest.approx(1 + third**2, abs=1e-15)
    assert found.relevance == pytest.approx((1 + third) * half, abs=1e-15)
    mean = fairness.expected_exposure([["x"], ["y"]], groups, target)
    # Exposures (1, 0) and (0, 0), on average (1/2, 0); the target of each group is 1/2.
    assert (mean.loss, mean.disparity, mean.relevance) == (0.25, 0.25, 0.25)


@pytest.mark.parametrize(
    ("ranking", "target", "kind", "sentence"),
    [
        (
            ["z", "y"],
            {"a": 1.0},
            "needs",
            "group for at least one document, found none for 'z', 'y'; are",
        ),
        ([], {"a": 1.0}, "empty", "found none"),
        (["x"], {"a": 0.5}, "option", "sum to 1 as target, found 0.5"),
        (["x"], {"a": 2.0, "b": -1.0}, "option", "sum to 1 as target"),
        (["half"], {"a": 1.0}, "option", "sum to 1 as the groups of document 'half', found 0.5"),
    ],
)
def test_what_fairness_refuses(
    ranking: list[str], target: dict[str, float], kind: str, sentence: str
) -> None:
    groups: dict[str, str | dict[str, float]] = {"x": "a", "half": {"a": 0.5}}
    for call in (
        lambda: fairness.awrf(ranking, groups, target),
        lambda: fairness.expected_exposure([ranking], groups, target),
    ):
        with pytest.raises(cf.Error, match=sentence) as error:
            call()
        assert error.value.kind == kind
