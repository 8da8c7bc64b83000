"""Measures whose summary takes all topics together."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest

MICRO = ["micro_P", "micro_R", "micro_AP", "micro_bpref"]


def collection(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    rng = random.Random(seed)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for topic in range(1, rng.randint(2, 8)):
        documents = [f"d{i}" for i in range(rng.randint(1, 20))]
        judged = {d: rng.choice([-1, 0, 0, 1, 2]) for d in documents if rng.random() < 0.7}
        if judged:
            qrels[str(topic)] = judged
        if rng.random() < 0.8:
            run[str(topic)] = {d: rng.random() for d in documents if rng.random() < 0.7}
    return qrels, run


def plain(qrels: Any, run: Any) -> dict[str, float]:
    """Sums over topics, divided."""
    found = relevant = retrieved = correct = possible = 0
    precisions = 0.0
    for topic, judged in qrels.items():
        scores = run.get(topic, {})
        ranking = sorted(scores, key=lambda d: (scores[d], d), reverse=True)
        good = {d for d, grade in judged.items() if grade >= 1}
        bad = {d for d, grade in judged.items() if grade == 0}
        relevant += len(good)
        retrieved += len(ranking)
        possible += len(good) * min(len(good), len(bad))
        hits = above = 0
        for rank, document in enumerate(ranking, 1):
            if document in good:
                hits += 1
                precisions += hits / rank
                if above:
                    correct += min(len(good), len(bad)) - min(above, len(good))
            above += document in bad
        found += hits
    return {
        "micro_P": found / retrieved if retrieved else 0,
        "micro_R": found / relevant if relevant else 0,
        "micro_AP": precisions / relevant if relevant else 0,
        "micro_bpref": correct / possible if possible else 0,
    }


def test_the_summary_is_the_ratio_of_sums() -> None:
    for seed in range(300):
        qrels, run = collection(seed)
        if not qrels or not run:
            continue
        scores = cf.evaluate(qrels, run, MICRO)
        found = dict(zip(scores.measures, scores.summary()[0], strict=True))
        for name, expected in plain(qrels, run).items():
            assert found[name] == pytest.approx(expected, rel=1e-12, abs=1e-12), (seed, name)


def test_a_part_of_the_table_keeps_its_weights(tmp_path: Path) -> None:
    """Topics that are chosen, and runs from files, have the summary of those topics."""
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1}, "3": {"z": 1}}
    run = {"1": {"a": 2.0, "b": 1.0, "c": 0.5}, "2": {"a": 1.0}}
    scores = cf.evaluate(qrels, run, ["AP", "micro_P"])
    assert scores.summary()[0, 1] == pytest.approx(2 / 4)
    assert scores.mean()[0, 1] == pytest.approx((1 / 3 + 1) / 3)
    part = scores.sel(topic=["1", "3"], measure="micro_P")
    assert part.summary().item() == pytest.approx(1 / 3)
    path = tmp_path / "x.run"
    path.write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n1 Q0 c 3 0.5 x\n2 Q0 a 1 1 x\n")
    assert cf.evaluate(qrels, path, "micro_P").summary().item() == pytest.approx(2 / 4)


def test_topics_that_are_left_out_weigh_nothing() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1, "b": 1}, "3": {"a": 0}}
    run = {"1": {"a": 1.0}, "3": {"a": 1.0}}
    of = {
        missing: cf.evaluate(qrels, run, ["micro_P", "micro_R"], missing=missing).summary()[0]
        for missing in ("zero", "skip")
    }
    assert of["zero"].tolist() == pytest.approx([1 / 2, 1 / 3])
    assert of["skip"].tolist() == pytest.approx([1 / 2, 1])
    skipped = cf.evaluate(qrels, run, "micro_P", undefined="skip", missing="skip")
    assert skipped.summary().item() == 1
    nothing = cf.evaluate({"1": {"a": 1}}, {"2": {"a": 1.0}}, "micro_R", missing="skip")
    assert math.isnan(nothing.summary().item())


def test_what_is_refused() -> None:
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 1.0}}
    with pytest.raises(cf.Error, match="weighs topics by their documents"):
        cf.evaluate(qrels, run, "EC-micro_P")
    with pytest.raises(cf.Error, match="weighted mean"):
        cf.compare(qrels, {"x": run, "y": run}, "micro_P")
