"""BEIR, MTEB and sentence-transformers with and without their hooks, on random collections.

Each is left out where it is not installed; ``make hosts`` installs them all.
"""

from __future__ import annotations

import math
import random
import struct
from typing import Any

import pytest

CASES = 500
KINDS = ("real", "single", "near", "int", "zeros")
CUTOFFS = [1, 3, 5, 10]

Table = dict[str, dict[str, Any]]


def drawn_score(rng: random.Random, kind: str) -> float:
    match kind:
        case "real":
            return rng.random()
        case "single":
            score: float = struct.unpack("f", struct.pack("f", round(rng.random(), 2)))[0]
            return score
        case "near":
            return 1 + rng.choice((0, 1e-12, 1e-9, 0.25, 0.5))
        case "int":
            return rng.randint(-3, 9)
        case _:
            return rng.choice((0.0, -0.0, 1e-50, -1e-50))


def drawn(rng: random.Random) -> tuple[Table, Table]:
    """Judgments with a relevant document in each topic, and a run of the same topics."""
    documents = [f"d{i}" for i in range(40)]
    kind = rng.choice(KINDS)
    length = rng.choice((None, 30))
    qrels: Table = {}
    run: Table = {}
    for number in range(rng.randint(2, 12)):
        judged = rng.sample(documents, rng.randint(1, 9))
        qrels[f"q{number}"] = {d: rng.choice((0, 1, 1, 2)) for d in judged} | {judged[0]: 1}
        found = rng.sample(documents, length or rng.choice((0, 1, 2, 7, 30)))
        run[f"q{number}"] = {d: drawn_score(rng, kind) for d in found}
    return qrels, run


def same(ours: Any, theirs: Any, where: str) -> None:
    """Raises ``AssertionError`` unless two results have one shape, order and values."""
    if isinstance(theirs, dict):
        assert list(ours) == list(theirs), where
        for key in theirs:
            same(ours[key], theirs[key], f"{where}/{key}")
    else:
        alike = math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)
        assert alike or (math.isnan(ours) and math.isnan(theirs)), f"{where}: {ours}, {theirs}"


def test_beir() -> None:
    evaluation = pytest.importorskip("beir.retrieval.evaluation")
    from cranfield.integrations import beir as hook

    def found() -> dict[Any, Any]:
        tables = host.evaluate(qrels, {t: dict(scored) for t, scored in run.items()}, CUTOFFS)
        custom = {
            metric: host.evaluate_custom(qrels, run, CUTOFFS, metric)
            for metric in ("mrr", "r_cap", "acc")
        }
        return dict(enumerate(tables)) | custom

    host = evaluation.EvaluateRetrieval
    for case in range(CASES):
        qrels, run = drawn(random.Random(case))
        theirs = found()
        with hook.patch():
            same(found(), theirs, f"case {case}")


def test_mteb() -> None:
    host = pytest.importorskip("mteb._evaluators.retrieval_metrics")
    from cranfield.integrations import mteb as hook

    for case in range(CASES):
        qrels, run = drawn(random.Random(case))
        theirs = host.calculate_retrieval_scores(run, qrels, CUTOFFS)._asdict()
        with hook.patch():
            ours = host.calculate_retrieval_scores(run, qrels, CUTOFFS)._asdict()
        same(ours, theirs, f"case {case}")


WRONG: list[tuple[Any, Any]] = [
    ("qrels.txt", {"1": {"a": 1.0}}),
    ({"1": {"a": 1, "b": "high"}}, {"1": {"a": 1.0}}),
    ({"1": {"a": 1}}, "run.txt"),
    ({"1": {"a": 1}}, {"1": ["a"]}),
    ({"1": {"a": 1}}, {"1": {"a": 1.0, "b": "high"}}),
    ({"1": {"a": 1}}, {"1": {"a": None}}),
    ({"1": {"a": 1}}, {"bm25": {"1": {"a": 1.0}}}),
    ({"1": {"a": 1}}, {1: {"a": 1.0}}),
    ({1: {"a": 1}}, {"1": {"a": 1.0}}),
]
"""Judgments and runs of which one is none."""


@pytest.mark.parametrize(("qrels", "run"), WRONG)
@pytest.mark.parametrize("name", ["beir", "mteb"])
def test_wrong_use_raises_what_the_host_raises(name: str, qrels: Any, run: Any) -> None:
    if name == "beir":
        host = pytest.importorskip("beir.retrieval.evaluation").EvaluateRetrieval
        from cranfield.integrations import beir as hook

        def call() -> Any:
            return host.evaluate(qrels, run, [1])
    else:
        metrics = pytest.importorskip("mteb._evaluators.retrieval_metrics")
        from cranfield.integrations import mteb as hook  # type: ignore[no-redef]

        def call() -> Any:
            return metrics.calculate_retrieval_scores(run, qrels, [1])

    with pytest.raises((TypeError, AttributeError)) as theirs:
        call()
    with hook.patch(), pytest.raises(theirs.type, match="expected"):
        call()


def test_sentence_transformers() -> None:
    evaluation = pytest.importorskip("sentence_transformers.sentence_transformer.evaluation")
    from cranfield.integrations import sentence_transformers as hook

    for case in range(CASES):
        qrels, run = drawn(random.Random(case))
        host = evaluation.InformationRetrievalEvaluator(
            {topic: topic for topic in qrels},
            {f"d{i}": "" for i in range(40)},
            {topic: {d for d, grade in grades.items() if grade} for topic, grades in qrels.items()},
            write_csv=False,
        )
        hits = [
            [{"corpus_id": d, "score": score} for d, score in run[topic].items()]
            for topic in host.queries_ids
        ]
        theirs = host.compute_metrics(hits)
        with hook.patch():
            same(host.compute_metrics(hits), theirs, f"case {case}")


@pytest.mark.parametrize("metric", ["mrr", "r_cap", "acc"])
@pytest.mark.parametrize("run", ["run.txt", None, {"1": 1.0}, {"1": ["a"]}])
def test_wrong_use_of_beirs_own_measures(metric: str, run: Any) -> None:
    host = pytest.importorskip("beir.retrieval.evaluation").EvaluateRetrieval
    from cranfield.integrations import beir as hook

    with pytest.raises(AttributeError):
        host.evaluate_custom({"1": {"a": 1}}, run, [1], metric)
    with hook.patch(), pytest.raises(AttributeError, match="expected"):
        host.evaluate_custom({"1": {"a": 1}}, run, [1], metric)


def test_beirs_own_measures_of_topics_that_are_whole_numbers() -> None:
    host = pytest.importorskip("beir.retrieval.evaluation").EvaluateRetrieval
    from cranfield.integrations import beir as hook

    qrels, run = {1: {"a": 1}, 2: {"b": 1}}, {2: {"b": 1.0}, 1: {"c": 2.0, "a": 1.0}}
    theirs = host.evaluate_custom(qrels, run, [1, 2], "mrr")
    with hook.patch():
        assert host.evaluate_custom(qrels, run, [1, 2], "mrr") == theirs


def test_scores_that_sentence_transformers_cannot_use() -> None:
    evaluation = pytest.importorskip("sentence_transformers.sentence_transformer.evaluation")
    from cranfield.integrations import sentence_transformers as hook

    host = evaluation.InformationRetrievalEvaluator(
        {"q": ""}, {"a": "", "b": ""}, {"q": {"a"}}, write_csv=False
    )
    for score in ("high", None):
        hits = [[{"corpus_id": "a", "score": 1.0}, {"corpus_id": "b", "score": score}]]
        with pytest.raises(TypeError):
            host.compute_metrics(hits)
        with hook.patch(), pytest.raises(TypeError, match="expected a finite number"):
            host.compute_metrics(hits)
    hits = [[{"corpus_id": "a", "score": 1.0}, {"corpus_id": "b", "score": math.inf}]]
    theirs = host.compute_metrics(hits)
    with hook.patch():
        assert host.compute_metrics(hits) == theirs
