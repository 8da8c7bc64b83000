"""Measures of intents against pyndeval, which wraps ndeval, on random collections.

Put right on its side: ndeval does not divide ERR-IA, alpha-DCG and their normalized forms by the
number of subtopics at rank 1 (D21), so cutoffs begin at 2; a topic without a relevant subtopic is
NaN in nNRBP (D22), which is 0 here; pyndeval puts equal scores in ascending order (D1).
"""

from __future__ import annotations

import math
import random
from typing import Any

import cranfield as cf
import pytest

pyndeval: Any = pytest.importorskip("pyndeval")

K = (2, 5, 10, 20)
COLLECTIONS = 500


def columns(alpha: float, beta: float) -> dict[str, str]:
    """pyndeval's measures and cranfield's."""
    ours = {
        "ERR-IA": f"ERR_IA(alpha={alpha})",
        "nERR-IA": f"nERR_IA(alpha={alpha})",
        "alpha-DCG": f"alpha_DCG(alpha={alpha})",
        "alpha-nDCG": f"alpha_nDCG(alpha={alpha})",
        "P-IA": "P_IA",
        "strec": "StRecall",
    }
    with_k = {f"{name}@{k}": f"{measure}@{k}" for name, measure in ours.items() for k in K}
    return with_k | {
        "NRBP": f"NRBP(alpha={alpha},beta={beta})",
        "nNRBP": f"nNRBP(alpha={alpha},beta={beta})",
        "MAP-IA": "AP_IA",
    }


def random_intents(chance: random.Random) -> dict[str, dict[str, int]]:
    """Grades of documents under each intent."""
    documents = [f"d{i}" for i in range(chance.randint(1, 40))]
    share = chance.random()
    return {
        str(intent): {d: int(chance.random() < share) for d in documents if chance.random() < 0.7}
        or {"d0": 1}
        for intent in range(chance.randint(1, 6))
    }


def random_run(chance: random.Random) -> dict[str, float]:
    """A list of some judged and some other documents, with few different scores."""
    documents = [f"d{i}" for i in range(60)]
    scores = (1, 5, 50)[chance.randint(0, 2)]
    size = chance.randint(1, 50)
    return {d: float(chance.randint(0, scores)) for d in chance.sample(documents, size)}


def test_random_collections() -> None:
    chance = random.Random(2009)
    compared = 0
    for _ in range(COLLECTIONS):
        alpha, beta = chance.choice([(0.5, 0.5), (0.9, 0.8), (0.1, 0.2), (0.3, 0.5)])
        names = columns(alpha, beta)
        topics = [str(topic) for topic in range(chance.randint(1, 3))]
        intents = {topic: random_intents(chance) for topic in topics}
        run = {topic: random_run(chance) for topic in topics}
        judged = [
            (topic, intent, document, grade)
            for topic, by_intent in intents.items()
            for intent, grades in by_intent.items()
            for document, grade in grades.items()
        ]
        lines = [(topic, d, score) for topic, scores in run.items() for d, score in scores.items()]
        theirs = pyndeval.ndeval(judged, lines, list(names), alpha=alpha, beta=beta)
        qrels = cf.Qrels.from_intents(intents)
        found = cf.evaluate(qrels, run, list(names.values()), order="docno_asc").to_dict()["run"]
        for topic in topics:
            for name, measure in names.items():
                value, other = found[topic][str(cf.Measure(measure))], theirs[topic][name]
                other = 0.0 if math.isnan(other) else other
                assert value == pytest.approx(other, abs=1e-9), (topic, name, intents, run)
                compared += 1
    assert compared > 20 * COLLECTIONS


def test_its_first_rank_is_not_divided() -> None:
    """D21: two subtopics, one of which the first document serves."""
    judged = [("1", "1", "a", 1), ("1", "2", "b", 1)]
    theirs = pyndeval.ndeval(judged, [("1", "a", 1.0)], ["ERR-IA@1"])
    qrels = cf.Qrels.from_intents({"1": {"1": {"a": 1}, "2": {"b": 1}}})
    assert theirs["1"]["ERR-IA@1"] == 1.0
    assert cf.evaluate(qrels, {"1": {"a": 1.0}}, "ERR_IA@1").values.item() == 0.5
