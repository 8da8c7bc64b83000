"""Preferences between runs: by hand, by pref_eval, and by a slow twin."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import cranfield as cf
import pytest
from cranfield._analysis.preference import KINDS

THEIRS = {kind: kind.lower() for kind in KINDS}


def preference(kind: str, judged: dict[str, int], x: list[str], y: list[str]) -> float:
    runs = {
        name: {"1": {document: -rank for rank, document in enumerate(ranking)}}
        for name, ranking in (("x", x), ("y", y))
    }
    return float(cf.preferences({"1": judged}, runs, kind)["x", "y"][0])


def test_by_hand() -> None:
    """Relevant documents at 1, 4 and nowhere, and at 2, 3 and 5."""
    judged = {"a": 1, "b": 1, "c": 1}
    x, y = ["a", "p", "q", "b"], ["p", "a", "b", "q", "c"]
    expected = {
        "RPP": -1 / 3,
        "invRPP": (1 - 1 / 2 - 1 / 3) / (1 + 1 / 2 + 1 / 3),
        "dcgRPP": (1 - 1 / math.log2(3) - 1 / 2) / (1 + 1 / math.log2(3) + 1 / 2),
        "lexirecall": -1,
        "lexiprecision": 1,
        "rrLexiprecision": 1 / 1 - 1 / 2,
    }
    assert set(expected) == set(KINDS)
    for kind, value in expected.items():
        assert preference(kind, judged, x, y) == pytest.approx(value, rel=1e-15)
        assert preference(kind, judged, y, x) == pytest.approx(-value, rel=1e-15)
        assert preference(kind, judged, x, x) == 0
        assert preference(kind, {"a": 0}, x, y) == 0


def test_what_pref_eval_prints(data: Path) -> None:
    folder = data / "oracles"
    runs = [folder / "synthetic" / f"{run}.run" for run in ("alpha", "bravo", "charlie")]
    ours = {kind: cf.preferences(folder / "synthetic" / "full.qrels", runs, kind) for kind in KINDS}
    compared = 0
    for line in (folder / "pref_eval" / "alpha_bravo_charlie.jsonl").read_text().splitlines():
        printed = json.loads(line)
        if printed.get("type") != "preference" or printed["qid"] not in ours["RPP"].topics:
            continue
        pair = tuple(printed[side].removesuffix(".run") for side in ("runi", "runj"))
        for kind, found in ours.items():
            value = found[pair[0], pair[1]][found.topics.index(printed["qid"])]
            assert value == pytest.approx(printed[THEIRS[kind]], abs=1e-12), (printed, kind)
            compared += 1
    assert compared > 150


def twin(kind: str, judged: dict[str, int], x: list[str], y: list[str]) -> float:
    """The definition, one recall level after the other."""
    relevant = [document for document, grade in judged.items() if grade >= 1]

    def position(ranking: list[str], level: int) -> float:
        ranks = [rank for rank, document in enumerate(ranking, 1) if document in relevant]
        return ranks[level - 1] if level <= len(ranks) else math.inf

    levels = range(1, len(relevant) + 1)
    signs = {
        level: (position(y, level) > position(x, level)) - (position(y, level) < position(x, level))
        for level in levels
    }
    unlike = [level for level in levels if signs[level]]
    if not unlike:
        return 0
    if kind.endswith("RPP"):
        weights = {
            level: {"RPP": 1, "invRPP": 1 / level, "dcgRPP": 1 / math.log2(level + 1)}[kind]
            for level in levels
        }
        return sum(signs[i] * weights[i] for i in levels) / sum(weights.values())
    if kind == "rrLexiprecision":
        return 1 / position(x, unlike[0]) - 1 / position(y, unlike[0])
    return signs[unlike[-1] if kind == "lexirecall" else unlike[0]]


def test_random_lists() -> None:
    for case in range(2000):
        rng = random.Random(case)
        documents = [f"d{i}" for i in range(rng.randint(1, 12))]
        judged = {d: rng.choice((-1, 0, 1, 2)) for d in documents if rng.random() < 0.7}
        x, y = (rng.sample(documents, rng.randint(1, len(documents))) for _ in range(2))
        kind = rng.choice(KINDS)
        found = preference(kind, judged or {"d": 0}, x, y)
        assert found == pytest.approx(twin(kind, judged, x, y), abs=1e-15), (kind, judged, x, y)


def test_a_missing_topic_is_an_empty_list() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    runs = {"x": {"1": {"a": 1.0}}, "y": {"1": {"a": 1.0}, "2": {"a": 1.0}}}
    found = cf.preferences(qrels, runs)
    assert found["x", "y"].tolist() == [0, -1]
    assert found.mean().tolist() == [[0, -0.5], [0.5, 0]]
    assert repr(found).splitlines()[0] == "<Preferences: RPP, 2 runs, 2 topics>"


def test_what_is_wrong_is_reported() -> None:
    with pytest.raises(cf.Error, match=r"expected one of RPP, .*found 'tau'"):
        cf.preferences({"1": {"a": 1}}, {"1": {"a": 1.0}}, "tau")
    found = cf.preferences({"1": {"a": 1}}, {"1": {"a": 1.0}})
    with pytest.raises(cf.LabelError, match="nope"):
        found["run", "nope"]
