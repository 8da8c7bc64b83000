"""Pools, reduced judgments and smaller collections.

The oracle is a dict and a loop: each operation again in a few lines of Python,
and evaluation of what it leaves, read afresh, against runs that were ranked once.
"""

from __future__ import annotations

import pickle
import random
from collections import defaultdict
from pathlib import Path

import cranfield as cf
import numpy as np
import pytest
from cranfield import collection

Judgments = dict[str, dict[str, float]]
Lists = dict[str, dict[str, float]]
MEASURES = "AP AP' nDCG nDCG@3 bpref infAP RBP_residual Judged@5 P@5 rpref_N num_rel subAP(p=0.5)"


def example(seed: int, topics: int = 6) -> tuple[Judgments, list[Lists]]:
    """Graded judgments, some only pooled, and four runs with ties."""
    chance = random.Random(seed)
    documents = [f"d{i}" for i in range(60)]
    judgments: Judgments = {}
    for topic in map(str, range(topics)):
        judged = chance.sample(documents, chance.randrange(8, 40))
        judgments[topic] = {d: chance.choice([-1, 0, 0, 0, 1, 2]) for d in judged}
    runs = []
    for _ in range(4):
        run: Lists = {}
        for topic in [*judgments, "unknown"]:
            if chance.random() < 0.9:
                found = chance.sample(documents, chance.randrange(1, 40))
                run[topic] = {d: float(chance.randrange(20)) for d in found}
        runs.append(run)
    return judgments, runs


def held(runs: list[Lists]) -> list[cf.Run]:
    return [cf.Run(run).rename(f"r{i}") for i, run in enumerate(runs)]


def ordered(documents: dict[str, float]) -> list[str]:
    """By score, then by document, both descending."""
    return sorted(documents, key=lambda d: (documents[d], d.encode()), reverse=True)


def same_scores(qrels: cf.Qrels, ranked: list[cf.Ranked], runs: list[cf.Run]) -> None:
    """Ranked runs under judgments made from others, and everything read afresh."""
    fast = cf.evaluate(qrels, ranked, MEASURES)
    # What a pickle holds is built anew, and knows the grades of the whole.
    slow = cf.evaluate(pickle.loads(pickle.dumps(qrels)), runs, MEASURES)
    assert fast.values.tobytes() == slow.values.tobytes()
    assert fast.runs == slow.runs
    assert {n: note.topics_missing for n, note in fast.notes.items()} == {
        n: note.topics_missing for n, note in slow.notes.items()
    }


@pytest.mark.parametrize("seed", range(20))
def test_a_pool_is_the_top_of_every_list(seed: int) -> None:
    _, runs = example(seed)
    for depth in (1, 5, None):
        expected: dict[str, set[str]] = defaultdict(set)
        for run in runs:
            for topic, documents in run.items():
                expected[topic].update(ordered(documents)[:depth])
        pool = collection.pool(held(runs), depth)
        assert {topic: set(docs) for topic, docs in pool.to_dict().items()} == expected
        assert all(g == -1 for docs in pool.to_dict().values() for g in docs.values())


@pytest.mark.parametrize("seed", range(20))
def test_judgments_are_restricted_to_a_pool(seed: int) -> None:
    judgments, runs = example(seed)
    qrels = cf.Qrels(judgments)
    ranked = collection.rank(qrels, held(runs), keep_unjudged=True)
    for depth in (1, 3, 10, 1000):
        pool = collection.pool(held(runs), depth)
        restricted = qrels.restrict_to_pool(pool)
        inside = {
            topic: {d: g for d, g in docs.items() if topic in pool and d in pool[topic]}
            for topic, docs in judgments.items()
        }
        assert restricted.to_dict() == inside
        assert collection.pool_to_depth(qrels, ranked, depth) == restricted
        same_scores(restricted, ranked, held(runs))


@pytest.mark.parametrize("seed", range(20))
def test_reduced_judgments_are_shares_and_nested(seed: int) -> None:
    judgments, runs = example(seed)
    qrels = cf.Qrels(judgments)
    ranked = collection.rank(qrels, held(runs), keep_unjudged=True)
    before = judgments
    for rate in (1, 0.9, 0.5, 0.3, 0.1):
        fewer = collection.reduce(qrels, rate, minimum=(1, 3), seed=seed)
        found = fewer.to_dict()
        for topic, docs in judgments.items():
            for wanted, least in ((True, 1), (False, 3)):
                members = [d for d, g in docs.items() if g >= 0 and (g >= 1) == wanted]
                left = [d for d in members if d in found[topic]]
                # Whole numbers, so that 30% of 10 is 3.
                share = len(members) * round(rate * 100) // 100
                assert len(left) == min(len(members), max(share, least))
            assert set(found[topic]) <= set(before[topic])
            assert all(docs[d] == g for d, g in found[topic].items())
        before = found
        same_scores(fewer, ranked, held(runs))
    assert collection.reduce(qrels, 0.5, seed=1) == collection.reduce(qrels, 0.5, seed=1)
    assert collection.reduce(qrels, 0.5, seed=1) != collection.reduce(qrels, 0.5, seed=2)


def test_random_samples_have_a_relevant_document_and_keep_the_pool() -> None:
    judgments, runs = example(3)
    judgments["5"] = {"a": 0, "b": 0, "c": -1}
    qrels = cf.Qrels(judgments)
    ranked = collection.rank(qrels, held(runs), keep_unjudged=True)
    for seed in range(30):
        sampled = collection.reduce(qrels, 0.05, "random", seed=seed)
        found = sampled.to_dict()
        for topic, docs in judgments.items():
            assert set(found[topic]) == set(docs)
            left = [d for d, g in found[topic].items() if g >= 0]
            assert len(left) <= max(1, len(docs) // 20)
            if any(g >= 1 for g in docs.values()):
                assert any(found[topic][d] >= 1 for d in left)
        same_scores(sampled, ranked, held(runs))
    dropped = collection.reduce(qrels, 0.05, "random", unsampled="drop").to_dict()
    assert all(
        g >= 0 or judgments[t][d] < 0 for t, docs in dropped.items() for d, g in docs.items()
    )


def test_each_judgment_is_drawn_as_often_as_the_rate_says() -> None:
    qrels = cf.Qrels({"1": {f"d{i}": i % 2 for i in range(40)}})
    counts: dict[str, int] = defaultdict(int)
    for seed in range(2000):
        for document in collection.reduce(qrels, 0.25, minimum=0, seed=seed)["1"]:
            counts[document] += 1
    # 500 expected, standard deviation below 20.
    assert all(400 < counts[f"d{i}"] < 600 for i in range(40))


@pytest.mark.parametrize("seed", range(10))
def test_a_sampled_collection_has_lost_documents_everywhere(seed: int) -> None:
    judgments, runs = example(seed)
    qrels = cf.Qrels(judgments)
    ranked = collection.rank(qrels, held(runs), keep_unjudged=True)
    # Which documents are kept shows in a run that has them all, one a topic.
    documents = [f"d{i}" for i in range(60)]
    every = cf.Qrels({d: {d: 1} for d in documents})
    probe = collection.rank(every, {d: {d: 1.0} for d in documents}, keep_unjudged=True)
    left = cf.evaluate(every, collection.sample_collection(probe, 0.5, seed), "num_ret")
    kept = {d for d, n in zip(left.topics, left.values[0, :, 0], strict=True) if n}
    assert 10 < len(kept) < 50
    smaller = [
        cf.Run({t: {d: s for d, s in docs.items() if d in kept} for t, docs in run.items()}).rename(
            f"r{i}"
        )
        for i, run in enumerate(runs)
    ]
    sampled = collection.sample_collection(ranked, 0.5, seed)
    fast = cf.evaluate(qrels, sampled, MEASURES)
    slow = cf.evaluate(qrels, smaller, MEASURES)
    assert fast.values.tobytes() == slow.values.tobytes()
    for threads in (1, 2, 3):
        again = collection.sample_collection(ranked, 0.5, seed, threads=threads)
        assert cf.evaluate(qrels, again, MEASURES).values.tobytes() == fast.values.tobytes()
    for rate, ranks in ((1.0, MEASURES), (0.0, "num_ret")):
        whole = cf.evaluate(qrels, collection.sample_collection(ranked, rate, seed), ranks)
        expected = cf.evaluate(qrels, held(runs), ranks).values if rate else whole.values * 0
        assert whole.values.tobytes() == expected.tobytes()


@pytest.mark.parametrize("seed", range(10))
def test_leaving_a_group_out_takes_what_it_alone_found(seed: int) -> None:
    judgments, runs = example(seed)
    qrels = cf.Qrels(judgments)
    ranked = collection.rank(qrels, held(runs), keep_unjudged=True)
    groups = ["x", "y", "x", "z"]
    for depth in (2, 20):
        left = collection.leave_out(qrels, ranked, groups, depth)
        by_name = dict(zip((run.name for run in ranked), groups, strict=True))
        assert left == collection.leave_out(qrels, ranked, by_name, depth)
        assert list(left) == ["x", "y", "z"]
        for group, without in left.items():
            expected: Judgments = {}
            for topic, docs in judgments.items():
                tops = [set(ordered(run[topic])[:depth]) if topic in run else set() for run in runs]
                own = set().union(*(t for t, g in zip(tops, groups, strict=True) if g == group))
                other = set().union(*(t for t, g in zip(tops, groups, strict=True) if g != group))
                expected[topic] = {d: g for d, g in docs.items() if d not in own - other}
            assert without.to_dict() == expected
            same_scores(without, ranked, held(runs))


def test_merging_fills_holes_and_remembers_the_source() -> None:
    people = {"1": {"a": 2, "b": -1, "c": 0}, "2": {"a": 1}}
    model = {"1": {"a": 0, "b": 3, "d": 0.5}, "3": {"z": 1}}
    merged = collection.merge(people, model)
    assert merged.to_dict() == {
        "1": {"a": 2, "b": 3, "c": 0, "d": 0.5},
        "2": {"a": 1},
        "3": {"z": 1},
    }
    assert merged.column("source", "1") == {"a": 0, "b": 1, "c": 0, "d": 1}


def test_agreement_is_over_what_both_judged() -> None:
    first = {"1": {"a": 2, "b": -1, "c": 0, "d": 1}, "2": {"a": 1}}
    second = {"1": {"a": 1, "b": 3, "c": 0, "e": 1}, "2": {"a": 1}}
    found = collection.agreement(first, second)
    assert found.topics.tolist() == ["1", "1", "2"]
    assert found.first.tolist() == [2, 0, 1]
    assert found.second.tolist() == [1, 0, 1]
    assert found.grades.tolist() == [0, 1, 2]
    assert found.table.tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert repr(found) == "<Agreement: 3 documents, 2 with the same grade>"
    assert len(collection.agreement(first, {})) == 0


def test_what_cannot_be_done_is_an_error(tmp_path: Path) -> None:
    judgments, runs = example(1)
    qrels = cf.Qrels(judgments)
    ranked = collection.rank(qrels, held(runs))
    other = cf.Qrels(judgments)

    def refused(call: object) -> tuple[str, str]:
        with pytest.raises(cf.Error) as caught:
            call()  # type: ignore[operator]
        return caught.value.kind, caught.value.message

    assert refused(lambda: cf.evaluate(other, ranked, "AP"))[0] == "option"
    assert refused(lambda: collection.pool_to_depth(other, ranked, 3))[0] == "option"
    assert "keep_unjudged=True" in refused(lambda: cf.evaluate(qrels, ranked, "subAP"))[1]
    assert refused(lambda: collection.sample_collection(ranked, 0.5))[0] == "needs"
    assert refused(lambda: collection.sample_collection(ranked, 0.5, threads=0))[0] == "option"
    assert refused(lambda: collection.pool(ranked, 3))[0] == "option"
    assert refused(lambda: collection.pool(held(runs), 0))[0] == "option"
    for rate in (0, -1, 1.5, float("nan")):
        assert "rate" in refused(lambda rate=rate: collection.reduce(qrels, rate))[1]
    assert "method" in refused(lambda: collection.reduce(qrels, 0.5, "best"))[1]
    assert "unsampled" in refused(lambda: collection.reduce(qrels, 0.5, unsampled="x"))[1]
    assert "minimum" in refused(lambda: collection.reduce(qrels, 0.5, minimum=-1))[1]
    assert refused(lambda: collection.leave_out(qrels, ranked, ["x"]))[0] == "label"
    assert refused(lambda: collection.leave_out(qrels, ranked, {"r0": "x"}))[0] == "label"
    twice = tmp_path / "twice.run"
    twice.write_text("1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n")
    kind, message = refused(lambda: collection.pool(twice, 3))
    assert kind == "duplicate"
    assert "line 1" in message


def test_threads_and_depth_change_what_they_say() -> None:
    judgments, runs = example(2)
    qrels = cf.Qrels(judgments)
    ranked = collection.rank(qrels, held(runs), threads=1)
    again = collection.rank(qrels, held(runs), threads=2)
    one = cf.evaluate(qrels, ranked, "AP nDCG", threads=2).values
    assert one.tobytes() == cf.evaluate(qrels, again, "AP nDCG", threads=1).values.tobytes()
    cut = cf.evaluate(qrels, ranked, "AP num_ret", depth=5).values
    assert cut.tobytes() == cf.evaluate(qrels, held(runs), "AP num_ret", depth=5).values.tobytes()
    assert np.array_equal(cf.evaluate(qrels, {"x": ranked[0]}, "AP").values[0], one[0, :, :1])
    assert cf.evaluate(qrels, {"x": ranked[0]}, "AP").runs == ("x",)
