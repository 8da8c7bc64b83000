"""Bounds under missing judgments against brute force, worked examples, and TREC-8.

Brute force scores every way to judge what is not judged with ``cf.evaluate``. The core
has such tests of its own, of every measure; these go through the public interface.
"""

from __future__ import annotations

import gzip
import itertools
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest

Judgments = dict[str, float]
Ranking = list[str]

MEASURES = ("AP", "nDCG@3", "bpref", "P@5", "RR", "ERR(max_rel=2)", "RBP(p=0.8)")


# against brute force


def as_run(ranking: Ranking) -> dict[str, float]:
    """Scores that rank documents in this order."""
    return {document: float(-rank) for rank, document in enumerate(ranking)}


def open_documents(judgments: Judgments, ranking: Ranking, options: dict[str, Any]) -> Ranking:
    """The unjudged documents of a list."""
    reached = ranking[: options.get("depth")]
    if options.get("negative") == "nonrelevant":
        return [document for document in reached if document not in judgments]
    return [document for document in reached if judgments.get(document, -1) < 0]


def judgings(
    judgments: Judgments, documents: Ranking, grades: Sequence[float], unseen: int
) -> Iterator[Judgments]:
    """Every way to judge documents, and to have up to ``unseen`` relevant ones elsewhere."""
    positive = [grade for grade in grades if grade > 0]
    for given in itertools.product(grades, repeat=len(documents)):
        judged = {**judgments, **dict(zip(documents, given, strict=True))}
        for elsewhere in itertools.product([None, *positive], repeat=unseen):
            more = {f"elsewhere{i}": grade for i, grade in enumerate(elsewhere) if grade}
            yield {**judged, **more}


def brute_force(
    judgments: Judgments,
    ranking: Ranking | None,
    grades: Sequence[float],
    unseen: int,
    options: dict[str, Any],
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Value, lowest and highest of each measure: (measures, 3).

    A topic that judging alone makes defined is undefined all the same.
    """

    def scored(ways: list[Judgments]) -> np.ndarray[Any, np.dtype[np.float64]]:
        qrels = {str(way): judged for way, judged in enumerate(ways)}
        run = dict.fromkeys(qrels, as_run(ranking or []))
        if ranking is None and options.get("missing") == "skip":
            run = {}
        values: np.ndarray[Any, np.dtype[np.float64]] = cf.evaluate(
            qrels, run, MEASURES, **options
        ).values[0]
        return values

    (today,) = scored([judgments])
    documents = open_documents(judgments, ranking or [], options)
    values = scored(list(judgings(judgments, documents, grades, unseen)))
    defined = ~np.isnan(today)
    low = np.where(defined, values.min(axis=0), np.nan)
    high = np.where(defined, values.max(axis=0), np.nan)
    return np.stack([today, low, high], axis=-1)


def collection(
    rng: random.Random, palette: Sequence[float], most_open: int
) -> tuple[dict[str, Judgments], dict[str, dict[str, Ranking]]]:
    """Judgments of three topics and two runs, which lack a topic now and then."""
    qrels: dict[str, Judgments] = {}
    runs: dict[str, dict[str, Ranking]] = {"first": {}, "second": {}}
    for topic in ("1", "2", "3"):
        documents = [f"d{i}" for i in range(rng.randint(1, 6))]
        qrels[topic] = {document: rng.choice(palette) for document in documents}
        for run in runs.values():
            unknown = [f"u{i}" for i in range(rng.randint(0, most_open))]
            pooled = [document for document, grade in qrels[topic].items() if grade < 0]
            found = rng.sample(documents, rng.randint(0, len(documents)))
            spare = most_open - sum(document in pooled for document in found)
            ranking = found + unknown[: max(spare, 0)]
            rng.shuffle(ranking)
            if ranking and rng.random() < 0.9:
                run[topic] = ranking
    for run in runs.values():
        # A run without any topic is an error.
        if not run:
            run["1"] = []
    return qrels, runs


def check(
    seed: int,
    palette: Sequence[float],
    grades: Sequence[float],
    *,
    cases: int = 50,
    most_open: int = 4,
    question: dict[str, Any] | None = None,
    **options: Any,
) -> None:
    """Compares bounds of random collections with brute force."""
    rng = random.Random(seed)
    question = question or {}
    for _ in range(cases):
        qrels, runs = collection(rng, palette, most_open)
        if "max_grade" not in question:
            # The highest grade of the judgments is the highest there can be.
            qrels["1"]["top"] = max(grades)
        given = {
            name: {topic: as_run(ranking) for topic, ranking in run.items()}
            for name, run in runs.items()
        }
        found = cf.bounds(qrels, given, MEASURES, **question, **options)
        for run, lists in runs.items():
            for topic, judgments in qrels.items():
                expected = brute_force(
                    judgments, lists.get(topic), grades, question.get("unseen", 0), options
                )
                part = found.sel(run=run, topic=topic)
                values = np.stack([p.values[0, 0] for p in part.parts.values()], axis=-1)
                np.testing.assert_allclose(
                    values, expected, rtol=1e-12, atol=1e-12, err_msg=f"{judgments} {lists}"
                )


def test_binary_bounds_are_those_of_brute_force() -> None:
    check(1, (0, 1, 1), (0, 1), most_open=6)
    check(2, (-1, 0, 0, 1), (0, 1), most_open=5)


def test_graded_bounds_are_those_of_brute_force() -> None:
    check(3, (0, 0, 1, 2), (0, 1, 2))
    check(4, (-1, 0, 1, 2), (0, 1, 2))


def test_an_unused_grade_can_be_allowed() -> None:
    check(5, (0, 1), (0, 1, 2), question={"max_grade": 2})
    check(6, (0, 1, 2), (0, 1), question={"max_grade": 1})


def test_unseen_documents_can_be_relevant() -> None:
    check(7, (0, 1), (0, 1), question={"unseen": 2})
    check(8, (0, 1, 2), (0, 1, 2), cases=20, most_open=3, question={"unseen": 2})


@pytest.mark.parametrize("undefined", ["zero", "skip"])
@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_the_policies_are_those_of_evaluate(missing: str, undefined: str) -> None:
    # Few documents are relevant, so that topics without any are common.
    check(9, (0, 0, 0, 1), (0, 1), missing=missing, undefined=undefined)


def test_lists_are_cut_before_they_are_judged() -> None:
    check(10, (0, 1), (0, 1), depth=3)


def test_negative_grades_can_be_judgments() -> None:
    check(11, (-1, 0, 1), (0, 1), negative="nonrelevant")


def placings(
    judgments: Judgments, ranking: Ranking, size: int
) -> Iterator[tuple[Judgments, Ranking]]:
    """Every way to put the relevant documents that are not in a list behind it."""
    everything = ranking + [f"x{rank}" for rank in range(len(ranking), size)]
    free = range(len(ranking), size)
    missing = [d for d, grade in judgments.items() if grade and d not in ranking]
    for ranks in itertools.combinations(free, len(missing)):
        placed = list(everything)
        for rank, document in zip(ranks, missing, strict=True):
            placed[rank] = document
        yield judgments, placed


def test_bounds_with_a_fixed_number_of_relevant_documents_are_those_of_brute_force() -> None:
    rng = random.Random(12)
    measures = ["AP", "nDCG@3", "P@5", "RR", "RBP(p=0.8)", "IAP"]
    for _ in range(150):
        qrels, runs = collection(rng, (0, 1, 1), 2)
        judgments, ranking = qrels["1"], runs["first"].get("1", [])
        relevant = [d for d, grade in judgments.items() if grade]
        size = len(set(ranking) | set(judgments)) + rng.randint(0, 2)
        if rng.random() < 0.5:
            judgments = {d: grade for d, grade in judgments.items() if grade}
        ways = list(placings(judgments, ranking, size))
        scored = cf.evaluate(
            {str(way): judged for way, (judged, _) in enumerate(ways)},
            {str(way): as_run(placed) for way, (_, placed) in enumerate(ways)},
            measures,
        ).values[0]
        found = cf.bounds(
            cf.Qrels({"1": judgments}, docs_in_collection=size),
            {"1": as_run(ranking)},
            measures,
            mode="fixed_R",
        )
        message = f"{relevant} in {ranking} of {size}"
        low, high = found.low.values[0, 0], found.high.values[0, 0]
        np.testing.assert_allclose(low, scored.min(axis=0), rtol=1e-12, err_msg=message)
        np.testing.assert_allclose(high, scored.max(axis=0), rtol=1e-12, err_msg=message)


# by hand


def single(bounds: cf.Bounds) -> list[float]:
    """The one value, its lowest and its highest."""
    values: list[float] = bounds.mean().reshape(-1).tolist()
    assert len(values) == 3
    return values


def test_the_bounds_are_of_the_value_after_judging() -> None:
    """AP' is above its bounds: see the working."""
    # Today a b c are ranks 1 2 3: (1 + 2/3) / 2. With u it is (1 + 2/3 + 3/4) / 3
    # if that is relevant, and (1 + 2/4) / 2 if it is not.
    qrels, run = {"1": {"a": 1, "b": 0, "c": 1}}, {"1": as_run(["a", "b", "u", "c"])}
    found = single(cf.bounds(qrels, run, "AP'"))
    assert found == pytest.approx([5 / 6, 3 / 4, 29 / 36], rel=1e-12)
    assert found[0] > found[2]


def test_neither_end_need_be_extreme() -> None:
    # All of a to g relevant give .932, none 1/3. Highest: a b r are ranks 1 to 3. Lowest:
    # r and g, at ranks 3 and 9, give (1/3 + 2/9) / 2.
    run = {"1": as_run(["a", "b", "r", "c", "n", "d", "e", "f", "g"])}
    found = single(cf.bounds({"1": {"r": 1, "n": 0}}, run, "AP"))
    assert found == pytest.approx([1 / 3, 5 / 18, 1], rel=1e-12)


def test_exercise_8_9_of_iir() -> None:
    """Eight relevant documents, six of them at ranks 1 2 9 11 15 20 of 10,000.

    The other two are at best at ranks 21 and 22, at worst at 9,999 and 10,000.
    """
    ranks = [1, 2, 9, 11, 15, 20]
    ranking = [f"{'r' if rank in ranks else 'n'}{rank}" for rank in range(1, 21)]
    judgments = {document: float(document[0] == "r") for document in ranking}
    judgments |= {"missed1": 1.0, "missed2": 1.0}
    qrels = cf.Qrels({"1": judgments}, docs_in_collection=10_000)
    found = single(cf.bounds(qrels, {"1": as_run(ranking)}, "AP", mode="fixed_R"))
    today = sum(seen / rank for seen, rank in enumerate(ranks, 1)) / 8
    expected = [today, today + (7 / 9999 + 8 / 10000) / 8, today + (7 / 21 + 8 / 22) / 8]
    assert found == pytest.approx(expected, rel=1e-12)
    assert found[1:] == pytest.approx([20_821_687 / 49_995_000, 443 / 880], rel=1e-12)


def test_exercise_8_9_without_the_documents_that_are_not_relevant() -> None:
    """The eight relevant documents are the judgments: all others are not relevant.

    None of the fourteen unjudged documents of the list can be one of the two that are missing.
    """
    ranks = [1, 2, 9, 11, 15, 20]
    ranking = [f"{'r' if rank in ranks else 'n'}{rank}" for rank in range(1, 21)]
    relevant = {f"r{rank}": 1.0 for rank in ranks} | {"missed1": 1.0, "missed2": 1.0}
    some = relevant | {"n3": 0.0, "n4": -1.0, "elsewhere": 0.0}
    full = relevant | {document: 0.0 for document in ranking if document[0] == "n"}
    measures = "AP AP' nDCG nDCG@10 bpref bpref_N Q(gain=\"binary\")' R@30 P@21 SetF Pref rpref_N"
    found = [
        cf.bounds(
            cf.Qrels({"1": judgments}, docs_in_collection=10_000),
            {"1": as_run(ranking)},
            measures,
            mode="fixed_R",
        )
        for judgments in (relevant, some, full)
    ]
    assert found[0]["run", "AP"].tolist() == [pytest.approx([0.4165, 0.5034], abs=5e-5)]
    assert found[0]["run", "AP'"].tolist() == found[0]["run", "AP"].tolist()
    for other in found[1:]:
        assert other.low.values.tobytes() == found[0].low.values.tobytes()
        assert other.high.values.tobytes() == found[0].high.values.tobytes()
    # P@21 has six or seven, R@30 six or eight of eight, and bpref counts all others above.
    assert found[0]["run", "P@21"].tolist() == [pytest.approx([6 / 21, 7 / 21])]
    assert found[0]["run", "R@30"].tolist() == [[6 / 8, 1]]
    assert found[0]["run", "bpref"].tolist() == [pytest.approx([19 / 64, 19 / 64])]


def test_a_large_collection_is_refused_where_every_document_is_looked_at() -> None:
    qrels = cf.Qrels({"1": {"a": 1, "b": 1}}, docs_in_collection=2**32 - 1)
    run = {"1": as_run(["x", "a"])}
    found = cf.bounds(qrels, run, 'AP bpref Q(gain="binary")', mode="fixed_R")
    assert found["run", "AP"].tolist() == [pytest.approx([0.25, (1 / 2 + 2 / 3) / 2], rel=1e-6)]
    with pytest.raises(cf.Error, match="more than 10000000 are too many"):
        cf.bounds(qrels, run, "rpref_N", mode="fixed_R")


def test_a_difference_has_not_the_difference_of_the_bounds() -> None:
    """A run and its copy always differ by 0, however wide their bounds."""
    run = {"1": as_run(["u", "a"])}
    found = cf.bounds({"1": {"a": 1}}, {"one": run, "same": run}, "AP")
    assert found["one", "AP"].tolist() == found["same", "AP"].tolist() == [[0.5, 1.0]]


# real runs


def test_129_runs_of_trec_8(data: Path, tmp_path: Path) -> None:
    """AP of all topics and runs, from files, in one thread.

    No unjudged document being relevant is one of the ways, so AP lies between its bounds.
    """
    qrels = cf.read_qrels(data / "trec8-adhoc" / "trec8.qrels.gz")
    for packed in (data / "trec8-adhoc" / "runs").iterdir():
        (tmp_path / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    found = cf.bounds(qrels, tmp_path, "AP", threads=1)
    assert found.low.values.shape == (129, 50, 1)
    assert (found.low.values <= found.value.values).all()
    assert (found.value.values <= found.high.values).all()
    expected = cf.evaluate(qrels, tmp_path, "AP").values
    assert found.value.values.tobytes() == expected.tobytes()
