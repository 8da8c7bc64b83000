"""Which judgments would decide: certain numbers by brute force, and an experiment on TREC-8."""

from __future__ import annotations

import itertools
import os
import random
from pathlib import Path

import cranfield as cf
import pytest

Lists = dict[str, dict[str, float]]


def lists(
    seed: int, topics: int = 2, size: int = 3
) -> tuple[dict[str, dict[str, int]], Lists, Lists]:
    chance = random.Random(seed)
    documents = [f"d{k}" for k in range(5)]
    runs: list[Lists] = []
    for _ in range(2):
        runs.append(
            {
                str(t): {d: -float(k) for k, d in enumerate(chance.sample(documents, size))}
                for t in range(topics)
            }
        )
    qrels = {
        str(t): {d: chance.randint(0, 1) for d in documents if chance.random() < 0.4} | {"x": 1}
        for t in range(topics)
    }
    return qrels, runs[0], runs[1]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("measure", ["P@3", "RBP(p=0.8)", "DCG@3"])
def test_certainty_is_over_all_judgings(seed: int, measure: str) -> None:
    qrels, a, b = lists(seed)
    plan = cf.collection.decide(qrels, a, b, measure)
    unjudged = [
        (topic, d)
        for topic in qrels
        for d in dict.fromkeys([*a[topic], *b[topic]])
        if d not in qrels[topic]
    ]
    found = []
    for grades in itertools.product((0, 1), repeat=len(unjudged)):
        judged = {topic: dict(known) for topic, known in qrels.items()}
        for (topic, d), grade in zip(unjudged, grades, strict=True):
            judged[topic][d] = grade
        means = cf.evaluate(judged, {"a": a, "b": b}, measure).mean()[:, 0]
        found.append(float(means[1] - means[0]))
    assert (plan.low, plan.high) == pytest.approx((min(found), max(found)), abs=1e-12)
    fixed = min(found) > 1e-12 or max(found) < -1e-12
    assert plan.is_certain == fixed
    weights = [abs(one.moves) for one in plan.documents]
    least = next(
        (
            k
            for k in range(len(weights) + 1)
            if plan.low + sum(sorted(weights)[::-1][:k]) > 1e-12
            or plan.high - sum(sorted(weights)[::-1][:k]) < -1e-12
        ),
        len(weights),
    )
    assert plan.at_least == least
    assert plan.at_most == (0 if fixed else len(weights))
    if not fixed:
        assert plan.at_least <= (plan.certain or 0) <= plan.at_most


def test_the_order_is_by_worth_and_seeded() -> None:
    qrels, a, b = lists(3, topics=6)
    plan = cf.collection.decide(qrels, a, b, "P@3", count=4)
    worth = [one.worth for one in plan.documents]
    assert worth == sorted(worth, reverse=True)
    assert len(plan) == 4
    again = cf.collection.decide(qrels, a, b, "P@3", count=4)
    assert (again.probable, again.certain) == (plan.probable, plan.certain)
    assert plan.columns()["topic"] == [one.topic for one in plan.documents]
    assert "judgments until the sign is certain" in repr(plan)


def test_other_measures_have_bounds_alone() -> None:
    qrels, a, b = lists(5)
    plan = cf.collection.decide(qrels, a, b, "AP")
    assert (plan.at_least, plan.certain) == (None, None)
    with pytest.raises(cf.Error, match="a built-in mean over topics"):
        cf.collection.decide(qrels, a, b, "GMAP")
    with pytest.raises(cf.Error, match="at least 1 as count"):
        cf.collection.decide(qrels, a, b, "P@3", count=0)


@pytest.mark.skipif("CRANFIELD_DATA" not in os.environ, reason="no CRANFIELD_DATA")
def test_trec8_is_decided_rightly() -> None:
    """Nothing judged at first; judged as in the qrels until the plan says stop."""
    source = Path(os.environ["CRANFIELD_DATA"]) / "trec8-adhoc"
    full = cf.read_qrels(source / "trec8.qrels.gz")
    known = full.to_dict()
    chance = random.Random(48)
    names = sorted((source / "runs").glob("*.gz"))
    for _ in range(2):
        runs = [cf.read_run(path) for path in chance.sample(names, 2)]
        means = cf.evaluate(full, runs, "P@10", progress=False).mean()[:, 0]
        judged = {topic: {next(iter(ds)): -1.0} for topic, ds in known.items()}
        while True:
            plan = cf.collection.decide(cf.Qrels(judged), runs[0], runs[1], "P@10", count=60)
            if plan.is_probable or not plan.documents:
                break
            for one in plan.documents:
                judged[one.topic][one.document] = max(known[one.topic].get(one.document, 0), 0)
        assert (plan.chance > 0.5) == (means[1] > means[0])
