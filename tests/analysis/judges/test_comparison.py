"""Two judges on the same runs: the parts are what the functions compute, and favours by hand."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import TypeAlias

import cranfield as cf
import numpy as np
import pytest
from cranfield import judges

from tests import ROOT

Runs: TypeAlias = dict[str, dict[str, dict[str, float]]]

ROOT = ROOT / "examples" / "debtags"


@pytest.fixture(scope="module")
def material() -> tuple[cf.Qrels, cf.Qrels, list[str]]:
    """Judgments, those of a judge who errs and knows more topics, and some runs."""
    every = cf.read_qrels(ROOT / "qrels.txt").to_dict()
    chance = np.random.default_rng(8)
    topics = list(every)
    gold = {topic: every[topic] for topic in topics[:40]}
    other = {
        topic: {doc: int(grade > 0) ^ int(chance.random() < 0.08) for doc, grade in docs.items()}
        for topic, docs in every.items()
    }
    runs = [str(path) for path in sorted((ROOT / "runs").glob("*.gz"))[::3]]
    return cf.Qrels(gold), cf.Qrels(other), runs


def test_everything_in_one(material: tuple[cf.Qrels, cf.Qrels, list[str]]) -> None:
    gold, other, runs = material
    with pytest.warns(cf.CranfieldWarning, match="that only the second judge judged"):
        found = judges.compare(gold, other, runs, "AP P@10", top=4, resamples=100)
    assert len(found.gold.topics) == 40
    with warnings.catch_warnings(action="ignore"):
        same = [
            cf.evaluate(one, runs, "AP P@10").sel(topic=found.gold.topics) for one in (gold, other)
        ]
    assert (found.gold.values == same[0].values).all()
    assert (found.other.values == same[1].values).all()
    order = judges.order(*same, measure="AP", top=4, resamples=100)
    assert found.orders["AP", "tau"] == order.tau
    assert found.orders["AP", "inverted pairs"] == order.inverted_pairs
    fidelity = judges.fidelity(*same, measure="P@10")
    assert found.conclusions["P@10", "both same"] == fidelity.both_same
    documents = judges.documents(gold, other)
    assert found.agreement["alpha", "all documents"] == documents.all["alpha"]
    assert found.documents.topics.to_dict() == documents.topics.to_dict()
    assert found.predicted is not None
    run = found.gold.runs[0]
    with warnings.catch_warnings(action="ignore"):
        every = cf.evaluate(other, runs, "AP")
    rest = [topic for topic in every.topics if topic not in found.gold.topics]
    direct = cf.stats.ppi_mean(
        found.gold[run, "AP"], found.other[run, "AP"], every.sel(topic=rest)[run, "AP"]
    )
    assert found.predicted[run, "mean"] == direct.estimate
    assert found.predicted[run, "effective topics"] == direct.effective_n
    json.dumps(found.to_dict())
    assert "Favored runs" in repr(found)
    assert "<table" in found._repr_html_()


def tiny() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]], Runs]:
    gold = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}, "3": {"a": 1, "b": 0}}
    other = {"1": {"a": 1, "b": 1}, "2": {"a": 0, "b": 1}, "3": {"a": 0, "b": 1}}
    runs = {
        "x": {topic: {"a": 2.0, "b": 1.0} for topic in gold},
        "y": {topic: {"b": 2.0, "a": 1.0} for topic in gold},
        "z": {topic: {"c": 2.0, "a": 1.0} for topic in gold},
    }
    return gold, other, runs


def test_favours_by_hand() -> None:
    gold, other, runs = tiny()
    found = judges.compare(gold, other, runs, "P@1", groups={"x": "p", "y": "q", "z": "p"})
    # P@1 under gold: x 2/3, y 1/3, z 0; under the other: x 1/3, y 1, z 0.
    assert found.favours.labels == ("y", "z", "x")
    gains = {"x": -1 / 3, "y": 2 / 3, "z": 0.0}
    mean = sum(gains.values()) / 3
    for run, gain in gains.items():
        assert found.favours[run, "favour"] == pytest.approx(gain - mean)
    assert [found.favours[run, "shift"] for run in "xyz"] == [-1, 1, 0]
    assert found.favours["z", "unjudged"] == pytest.approx(0.5)
    assert found.groups is not None
    assert found.groups.labels == ("q", "p")
    assert found.groups["q", "favour"] == pytest.approx(2 / 3 + 1 / 6)
    assert found.groups["p", "runs"] == 2
    assert found.predicted is None
    shares = [found.favours[run, "unjudged"] for run in "xyz"]
    favours = [found.favours[run, "favour"] for run in "xyz"]
    assert found.unjudged_correlation == pytest.approx(np.corrcoef(favours, shares)[0, 1])


def test_the_interval_of_a_group_is_students() -> None:
    gold, other, runs = tiny()
    found = judges.compare(gold, other, runs, "P@1", groups={"x": "p", "y": "q", "z": "p"})
    assert found.groups is not None
    # By topic the gain of y less the mean gain of x and z: 1 - 0, 0 - 0, 1 + 1/2.
    by_topic = [1.0, 0.0, 1.5]
    direct = cf.stats.mean_interval([by_topic])
    assert found.groups["q", "low"] == pytest.approx(direct.low[0])
    assert found.groups["q", "high"] == pytest.approx(direct.high[0])


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"groups": {"x": "p"}}, "label", "expected a group for every run, found none for 'y'"),
        ({"groups": dict.fromkeys("xyz", "p")}, "option", "at least two groups"),
        ({"groups": {**dict.fromkeys("xyz", "p"), "q": "r"}}, "label", "no run 'q'"),
        ({"top": 1}, "option", "at least 2"),
        ({"level": 2.0}, "option", "level between 0 and 1"),
        ({"test": "u"}, "option", "as test"),
        ({"alpha": 0.0}, "option", "alpha between 0 and 1"),
        ({"resamples": 0}, "option", "resamples"),
    ],
)
def test_wrong_options(options: dict[str, object], kind: str, message: str) -> None:
    gold, other, runs = tiny()
    with pytest.raises(cf.Error, match=message) as caught:
        judges.compare(gold, other, runs, "P@1", **options)  # type: ignore[arg-type]
    assert caught.value.kind == kind


def test_judgments_and_runs_that_do_not_fit() -> None:
    gold, _, runs = tiny()
    with pytest.raises(cf.Error, match="no topic in common"):
        judges.compare(gold, {"9": {"a": 1}}, runs)
    with pytest.raises(cf.Error, match="at least two runs"):
        judges.compare(gold, gold, {"x": runs["x"]})
    with pytest.raises(TypeError, match="unexpected keyword"):
        judges.compare(gold, gold, runs, ties="average")  # type: ignore[call-arg]


def test_a_judge_beside_itself() -> None:
    gold, _, runs = tiny()
    found = judges.compare(gold, gold, runs, "P@1 GMAP")
    assert found.orders["P@1", "tau"] == 1
    assert found.orders["P@1", "inverted pairs"] == 0
    assert found.agreement["kappa", "all documents"] == 1
    assert {found.favours[run, "favour"] for run in "xyz"} == {0.0}
    assert math.isnan(found.unjudged_correlation)
    assert found.conclusions.labels == ("P@1",)


def test_runs_from_an_iterator(tmp_path: Path) -> None:
    gold, other, runs = tiny()
    several = [cf.Run(run, name=name) for name, run in runs.items()]
    found = judges.compare(gold, other, iter(several), "P@1")
    assert found.gold.runs == ("x", "y", "z")
    page = tmp_path / "page.html"
    found.write(page, "Two judges")
    assert "<h1>" in page.read_text()
