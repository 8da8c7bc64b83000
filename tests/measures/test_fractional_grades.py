"""Grades that are fractions, as language models give them, under every measure."""

from __future__ import annotations

import math
import random
from pathlib import Path

import cranfield as cf
import numpy as np
from cranfield._core import families

from tests.measures.spelled import spelled


def collection() -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Expected grades between 0 and 3, in steps of a hundredth."""
    chance = random.Random(2024)
    judged, lists = {}, {}
    for topic in "123":
        documents = [f"d{i}" for i in range(60)]
        judged[topic] = {
            d: chance.randint(0, 300) / 100 for d in documents if chance.random() < 0.7
        }
        lists[topic] = {d: chance.random() for d in ["unseen", *chance.sample(documents, 40)]}
        lists[topic]["unseen"] = 0.9
    # All relevant documents at the top: no measure is 0 everywhere.
    judged["4"] = {"d0": 2.6, "d1": 1.25, "d2": 0.4, "d3": 0.0}
    lists["4"] = {"d0": 0.8, "d1": 0.7, "unseen": 0.6, "d3": 0.5, "d2": 0.4}
    return judged, lists


def test_every_measure_takes_fractions(tmp_path: Path) -> None:
    judged, lists = collection()
    path = tmp_path / "qrels"
    lines = [f"{t} 0 {d} {grade}\n" for t, of in judged.items() for d, grade in of.items()]
    path.write_text("".join(lines))
    chance = random.Random(2025)
    strata = {t: {d: chance.randint(1, 3) for d in of} for t, of in judged.items()}
    intents = {
        t: {i: {d: g if chance.random() < 0.6 else 0 for d, g in of.items()} for i in "12"}
        for t, of in judged.items()
    }
    plain = cf.Qrels(judged, docs_in_collection=1000)
    needed = {
        "": plain,
        "stratum": plain.with_column("stratum", strata),
        "sample": plain.with_column("stratum", strata),
        "intents": cf.Qrels.from_intents(intents, docs_in_collection=1000),
    }
    read = cf.read_qrels(path, docs_in_collection=1000)
    seen = 0
    for family in families():
        measure = spelled(family, 10)
        values = cf.evaluate(needed[family["needs"]], lists, measure).values
        assert np.isfinite(values).all(), measure
        assert values.any(), f"{measure} is 0 on all of these lists: it needs one where it is not"
        if family["needs"] == "":
            assert np.array_equal(values, cf.evaluate(read, lists, measure).values), measure
        seen += 1
    assert seen > 100


def test_gains_are_the_fractions_themselves() -> None:
    judged, lists = collection()
    found = cf.evaluate(judged, lists, "DCG@10 RBP(p=0.8,max_rel=3) AP(rel=1.5)").to_dict()["run"]
    for topic, grades in judged.items():
        ranked = sorted(lists[topic], key=lambda d: -lists[topic][d])
        gains = [grades.get(d, 0) for d in ranked]
        dcg = sum(g / math.log2(i + 2) for i, g in enumerate(gains[:10]))
        rbp = 0.2 * sum(g / 3 * 0.8**i for i, g in enumerate(gains))
        relevant = [g >= 1.5 for g in gains]
        hits = [sum(relevant[: i + 1]) / (i + 1) for i, r in enumerate(relevant) if r]
        ap = sum(hits) / sum(g >= 1.5 for g in grades.values())
        values = list(found[topic].values())
        assert np.allclose(values, [dcg, rbp, ap], rtol=1e-12, atol=0)
