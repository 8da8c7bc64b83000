"""Random collections against pytrec_eval-terrier, which holds trec_eval 9.0.8."""

from __future__ import annotations

import random

import cranfield as cf
import pytest
import pytrec_eval

from tests import effort
from tests.against import pytrec_eval_names as oracle

BATCHES = effort.seeds(20, 4)
CASES = 500

# Scores that tie, that tie in single precision only, and that do not.
SCORES = (0.0, -0.0, 1.0, 1.0 + 1e-9, 1.0 + 1e-6, 2.0, -3.5, 1e30, 0.1, 0.1 + 1e-10)


def collection(rng: random.Random) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgments and a run of a few topics; some topics only in one of them."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for topic in rng.sample(["1", "10", "2", "ä", "T"], rng.randint(1, 3)):
        documents = [f"d{i}" for i in range(rng.randint(1, 30))]
        grades = rng.choice(((0, 1), (-1, 0, 0, 1, 2), (-2, 0, 1, 2, 3)))
        judged = {d: rng.choice(grades) for d in documents if rng.random() < rng.choice((0.3, 0.8))}
        scored = {
            d: rng.choice(SCORES) + rng.randint(0, 3) for d in documents if rng.random() < 0.8
        }
        if max(judged.values(), default=-1) < 0:
            # trec_eval fails on topics without a judgment of 0 or more.
            judged["judged"] = 0
        if rng.random() < 0.95:
            qrels[topic] = judged
        if scored and rng.random() < 0.95:
            items = list(scored.items())
            rng.shuffle(items)
            run[topic] = dict(items)
    return qrels, run


@pytest.mark.parametrize("batch", BATCHES)
def test_random_collections(batch: int) -> None:
    rng = random.Random(batch)
    compared = 0
    for _ in range(CASES):
        qrels, run = collection(rng)
        level, condensed = rng.choice((1, 1, 2)), rng.random() < 0.2
        names = [n for n in oracle.SPELLINGS if not (condensed and n == "infAP")]
        theirs = pytrec_eval.RelevanceEvaluator(
            qrels, oracle.FAMILIES, relevance_level=level, judged_docs_only_flag=condensed
        ).evaluate(run)
        measures = [oracle.spelling(n, level, condensed=condensed) for n in names]
        together = qrels.keys() & run.keys()
        scores = cf.evaluate(qrels, run, measures, scores="f32") if together else None
        for topic, values in theirs.items():
            assert scores is not None
            ours = scores.to_dict()["run"][topic]
            for name, measure in zip(names, measures, strict=True):
                expected = oracle.expected(name, values[name])
                found = max(ours[measure], 1e-5) if name in oracle.GEOMETRIC else ours[measure]
                assert found == pytest.approx(expected, rel=1e-12, abs=1e-12), (
                    f"{measure} on topic {topic}: {qrels} {run}"
                )
                compared += 1
    assert compared > 10_000
