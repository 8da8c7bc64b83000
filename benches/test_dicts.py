"""Dicts in, scores out, compared with pytrec_eval-terrier in the same process.

Both sides are given the same dicts and the same judgments. Times are CPU time of the
process; the sides take turns, and the median of the rounds counts. The values are
compared before any time is. What is compared is the call that scores a run: cranfield's
returns ``Scores``, the other a dict; the time with ``to_dict()`` is printed as well, and
that of one call after one of the other tool, which leaves nothing of cranfield in the caches.
pytest-benchmark records our side.
"""

from __future__ import annotations

import random

import cranfield as cf
import pytest
import pytrec_eval
from pytest_benchmark.fixture import BenchmarkFixture
from turns import ROUNDS, medians

from tests.against import pytrec_eval_names as oracle

Judgments = dict[str, dict[str, int]]
Scored = dict[str, dict[str, float]]

EVERYTHING = tuple(name for name in oracle.SPELLINGS if name not in oracle.GEOMETRIC)
PASSAGES = ("ndcg_cut_10", "recip_rank", "map", "recall_100", "recall_1000")
FAMILIES = {
    ("ndcg_cut_10",): {"ndcg_cut.10"},
    PASSAGES: {"ndcg_cut.10", "recip_rank", "map", "recall.100,1000"},
    EVERYTHING: oracle.FAMILIES,
}

LEAST = {
    "50 x 1000, everything": 18,
    "50 x 1000, nDCG@10": 35,
    "6980 x 1000": 15,
    "evaluator of 50 x 1500": 6,
    # BIAS.md has what was wanted.
    "evaluator of 6980 x 1": 0.7,
}
"""How many times as long pytrec_eval has to take at least."""


def pooled() -> tuple[Judgments, Scored]:
    """50 topics of 1,000 retrieved and 1,500 judged documents, as in a TREC track."""
    rng = random.Random(50)
    documents = [f"FBIS3-{i:07}" for i in range(100_000)]
    qrels: Judgments = {}
    run: Scored = {}
    for topic in range(401, 451):
        judged = rng.sample(documents, 1500)
        qrels[str(topic)] = {d: int(rng.random() < 0.06) for d in judged}
        retrieved = rng.sample(judged, 280) + rng.sample(documents, 720)
        run[str(topic)] = {d: 30 - rank / 37 for rank, d in enumerate(dict.fromkeys(retrieved))}
    return qrels, run


def passages(judged: int) -> tuple[Judgments, Scored]:
    """6,980 topics of 1,000 retrieved documents and a number of judged ones, as in MS MARCO."""
    rng = random.Random(judged)
    documents = [str(i) for i in range(0, 8_841_823, 9)]
    qrels: Judgments = {}
    run: Scored = {}
    for number in range(6980):
        topic = str(1_000_000 + 7 * number)
        retrieved = rng.sample(documents, 1000)
        known = rng.sample(retrieved, (judged + 1) // 2) + rng.sample(documents, judged // 2)
        qrels[topic] = dict.fromkeys(known, 1)
        run[topic] = {d: 30 - rank / 37 for rank, d in enumerate(retrieved)}
    return qrels, run


def touch(run: Scored) -> None:
    """Look at every key and every value once, in loops of the interpreter's own C."""
    for scored in run.values():
        "".join(scored)
        sum(scored.values())


def race(
    what: str, qrels: Judgments, run: Scored, names: tuple[str, ...], rounds: int = ROUNDS
) -> tuple[float, cf.Evaluator]:
    """How many times as long pytrec_eval takes; the values are compared first."""
    measures = [oracle.spelling(name) for name in names]
    ours = cf.Evaluator(qrels, measures, scores="f32", threads=1)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, FAMILIES[names])
    expected = theirs.evaluate(run)
    scores = ours.evaluate(run)
    found = scores.to_dict()["run"]
    assert len(found) == len(expected)
    for topic, values in found.items():
        for name, measure in zip(names, measures, strict=True):
            assert abs(values[measure] - expected[topic][name]) <= 1e-12, (topic, name)

    def mine() -> None:
        ours.evaluate(run)

    def as_dict() -> None:
        ours.evaluate(run).to_dict()

    def competitor() -> None:
        theirs.evaluate(run)

    us, made, them = medians(mine, as_dict, competitor, rounds=rounds)
    cold, floor = (
        medians(side, competitor, rounds=rounds, long=0)[0] for side in (mine, lambda: touch(run))
    )
    print(
        f"\n{what}, {len(names)} measures: cranfield {us * 1e3:.2f} ms ({made * 1e3:.2f} ms as a "
        f"dict), pytrec_eval {them * 1e3:.2f} ms: {them / us:.1f} times ({them / made:.1f}); "
        f"one call after pytrec_eval's {cold * 1e3:.2f} ms: {them / cold:.1f} times, where join of "
        f"the keys and sum of the values take {floor * 1e3:.2f} ms"
    )
    return them / us, ours


@pytest.mark.parametrize(
    ("what", "names"),
    [("50 x 1000, nDCG@10", ("ndcg_cut_10",)), ("50 x 1000, everything", EVERYTHING)],
)
def test_pooled(what: str, names: tuple[str, ...], benchmark: BenchmarkFixture) -> None:
    qrels, run = pooled()
    ratio, ours = race(what, qrels, run, names)
    shuffled = {topic: dict(sorted(scored.items())) for topic, scored in run.items()}
    race(f"{what}, not in order", qrels, shuffled, names)
    benchmark(ours.evaluate, run)
    assert ratio >= LEAST[what]


def test_passages() -> None:
    ratios = {}
    for judged in (1, 100):
        qrels, run = passages(judged)
        ratios[judged], _ = race(f"6980 x 1000, {judged} judged", qrels, run, PASSAGES, rounds=5)
    assert ratios[1] >= LEAST["6980 x 1000"]


@pytest.mark.parametrize("what", ["evaluator of 50 x 1500", "evaluator of 6980 x 1"])
def test_evaluators(what: str) -> None:
    qrels = pooled()[0] if "50 x" in what else {}
    rng = random.Random(6980)
    for number in range(0 if qrels else 6980):
        qrels[str(1_000_000 + 7 * number)] = {str(rng.randrange(8_841_823)): 1}
    held = cf.Evaluator(qrels, "nDCG@10").qrels
    assert held.to_dict() == qrels
    us, them = medians(
        lambda: cf.Evaluator(qrels, "nDCG@10"),
        lambda: pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"}),
    )
    times = f"cranfield {us * 1e3:.2f} ms, pytrec_eval {them * 1e3:.2f} ms"
    print(f"\n{what}: {times}: {them / us:.1f} times")
    assert them / us >= LEAST[what]
