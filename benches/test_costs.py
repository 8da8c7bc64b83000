"""What each measure costs in addition to reading and ranking, by the topic.

A topic has 1,000 documents in the list, 280 of them judged. A measure's cost is
the time that scoring takes with it, less the time with ``num_ret`` alone, which
ranks and joins the same lists.
"""

from __future__ import annotations

import random
import time

import cranfield as cf
import pytest
from cranfield._core import families

from tests.measures.spelled import spelled

TOPICS = 200
RETRIEVED = 1000
JUDGED = 280
ROUNDS = 25
ALL_TREC_LIMIT = 7.0
"""Microseconds a topic for all measures that trec_eval has, together."""
OTHER_LIMIT = 20.0
"""Microseconds a topic for any other measure."""

FORMS = {
    "class": ["EC-nDCG", "EC-Q", "EC-AP"],
    "intents": [
        *(f"{prefix}{sharp}-nDCG" for prefix in ("D", "DIN", "IA") for sharp in ("", "#")),
        "P+Q#",
    ],
}
"""Measures over something else than documents, by what they need."""


def collection() -> tuple[cf.Qrels, cf.Run]:
    """Graded judgments, a fifth of them relevant, and a run in memory."""
    chance = random.Random(2026)
    judgments: dict[str, dict[str, int]] = {}
    lists: dict[str, dict[str, float]] = {}
    for topic in map(str, range(TOPICS)):
        documents = [f"doc-{chance.randrange(10**9):09}" for _ in range(RETRIEVED)]
        judged = chance.sample(documents, JUDGED)
        grades = chance.choices((0, 1, 2, 3), weights=(80, 12, 5, 3), k=JUDGED)
        judgments[topic] = dict(zip(judged, grades, strict=True))
        missed = chance.choices((0, 1, 2, 3), weights=(80, 12, 5, 3), k=JUDGED)
        judgments[topic].update({f"missed-{i}": grade for i, grade in enumerate(missed)})
        lists[topic] = {document: float(-rank) for rank, document in enumerate(documents)}
    return cf.Qrels(judgments, docs_in_collection=10**6), cf.Run(lists)


def with_columns(qrels: cf.Qrels) -> dict[str, cf.Qrels]:
    """The same judgments as each family needs them.

    Three strata, a hundred classes, and four intents a topic, of which one wants one document.
    """
    chance = random.Random(2027)
    strata: dict[str, dict[str, int]] = {}
    classes: dict[str, dict[str, int]] = {}
    intents: dict[str, dict[str, dict[str, float]]] = {}
    for topic, judged in qrels.to_dict().items():
        strata[topic] = {document: chance.randint(1, 3) for document in judged}
        classes[topic] = {document: chance.randrange(100) for document in judged}
        intents[topic] = {
            intent: {d: grade if chance.random() < 0.5 else 0 for d, grade in judged.items()}
            for intent in "1234"
        }
    stratified = qrels.with_column("stratum", strata)
    by_intent = cf.Qrels.from_intents(intents, docs_in_collection=10**6)
    return {
        "": qrels,
        "stratum": stratified,
        "sample": stratified,
        "class": qrels.with_column("class", classes),
        "intents": by_intent.with_navigational({topic: ["4"] for topic in intents}),
    }


def cost(qrels: cf.Qrels, run: cf.Run, measures: str) -> float:
    """Microseconds a topic beyond those of ``num_ret``, measured in turns."""
    best = [float("inf"), float("inf")]
    sides = [cf.Evaluator(qrels, text, threads=1) for text in (f"num_ret {measures}", "num_ret")]
    for _ in range(ROUNDS):
        for side, evaluator in enumerate(sides):
            start = time.process_time()
            evaluator.evaluate(run)
            best[side] = min(best[side], time.process_time() - start)
    return (best[0] - best[1]) / TOPICS * 1e6


def test_costs_of_measures() -> None:
    qrels, run = collection()
    found = cf.evaluate(qrels, run, "num_ret num_rel num_rel_ret Judged@1000").summary()[0]
    assert found[0] == TOPICS * RETRIEVED
    assert found[1] > found[2] > 0
    assert found[3] == pytest.approx(JUDGED / RETRIEVED, rel=1e-12)
    trec = cost(qrels, run, "all_trec")
    count = len(cf.Evaluator(qrels, "all_trec").measures)
    print(f"\nthe {count} measures of all_trec together: {trec:.2f} us a topic; each alone:")
    costs = {}
    needed = with_columns(qrels)
    for family in families():
        costs[family["name"]] = cost(needed[family["needs"]], run, spelled(family, 100))
    for column, measures in FORMS.items():
        costs |= {measure: cost(needed[column], run, measure) for measure in measures}
    for name, value in sorted(costs.items(), key=lambda item: -item[1]):
        print(f"  {name:<16} {value:6.2f} us")
    assert trec <= ALL_TREC_LIMIT
    assert max(costs.values()) <= OTHER_LIMIT
