"""Bounds under missing judgments: against brute force, in every form, on the command line.

Brute force scores every way to judge what is not judged with ``cf.evaluate``. The core
has such tests of its own, of every measure; these go through the public interface.
"""

from __future__ import annotations

import csv
import gzip
import inspect
import io
import itertools
import json
import math
import random
import subprocess
import sys
import time
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
    """The documents of a list that nobody judged."""
    reached = ranking[: options.get("depth")]
    if options.get("negative") == "nonrelevant":
        return [document for document in reached if document not in judgments]
    return [document for document in reached if judgments.get(document, -1) < 0]


def judgings(
    judgments: Judgments, documents: Ranking, grades: Sequence[float], unseen: int
) -> Iterator[Judgments]:
    """Every way to judge documents, and to have up to so many relevant ones elsewhere."""
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


def test_a_grade_that_nobody_gave_yet_can_be_allowed() -> None:
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


# the object

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
RUNS = {
    # u a b: AP is 1/2, and (1 + 2/2) / 2 with u; c: 1
    "bm25": {"1": {"u": 3.0, "a": 2.0, "b": 1.0}, "2": {"c": 1.0}},
    # a b u: 1, and (1 + 2/3) / 2 with u; the other topic is missing
    "dense": {"1": {"a": 3.0, "b": 2.0, "u": 1.0}},
}
LONG = [
    ("bm25", "1", "AP", 0.5, 0.5, 1.0),
    ("bm25", "1", "num_rel_ret", 1.0, 1.0, 2.0),
    ("bm25", "2", "AP", 1.0, 1.0, 1.0),
    ("bm25", "2", "num_rel_ret", 1.0, 1.0, 1.0),
    ("dense", "1", "AP", 1.0, 5 / 6, 1.0),
    ("dense", "1", "num_rel_ret", 1.0, 1.0, 2.0),
    ("dense", "2", "AP", 0.0, 0.0, 0.0),
    ("dense", "2", "num_rel_ret", 0.0, 0.0, 0.0),
]
NAMES = ["run", "topic", "measure", "value", "low", "high"]
WIDE = [(*one[:2], *one[3:], *other[3:]) for one, other in zip(LONG[::2], LONG[1::2], strict=True)]
WIDE_NAMES = ["run", "topic", "AP", "AP low", "AP high"]
WIDE_NAMES += ["num_rel_ret", "num_rel_ret low", "num_rel_ret high"]


@pytest.fixture(scope="module")
def found() -> cf.Bounds:
    return cf.bounds(QRELS, RUNS, ["map", "num_rel_ret"])


def test_values_and_bounds_have_the_same_labels(found: cf.Bounds) -> None:
    for scores in (found, found.value, found.low, found.high):
        assert scores.runs == ("bm25", "dense")
        assert scores.topics == ("1", "2")
        assert scores.measures == ("AP", "num_rel_ret")
    expected = cf.evaluate(QRELS, RUNS, ["AP", "num_rel_ret"])
    np.testing.assert_array_equal(found.value.values, expected.values)
    assert found.notes["dense"].topics_missing == ("2",)


def test_bounds_cannot_be_changed(found: cf.Bounds) -> None:
    for name in ("value", "low", "high", "runs", "other"):
        with pytest.raises(AttributeError):
            setattr(found, name, None)
    with pytest.raises(ValueError, match="read-only"):
        found.low.values[0, 0, 0] = 0.0


def test_a_run_and_a_measure_are_an_array_of_low_and_high(found: cf.Bounds) -> None:
    array = found["dense", "map"]
    assert array.dtype == np.float64
    np.testing.assert_allclose(array, [[5 / 6, 1.0], [0.0, 0.0]], rtol=1e-15)
    with pytest.raises(cf.LabelError, match="dense"):
        found["dens", "AP"]
    with pytest.raises(TypeError, match="sel"):
        found["dense"]  # type: ignore[index]


def test_the_mean_has_the_mean_of_the_bounds(found: cf.Bounds) -> None:
    mean = found.mean()
    assert mean.shape == (2, 2, 3)
    assert mean.dtype == np.float64
    np.testing.assert_allclose(mean[0], [[0.75, 0.75, 1.0], [1.0, 1.0, 1.5]], rtol=1e-15)
    np.testing.assert_allclose(mean[1, 0], [0.5, 5 / 12, 0.5], rtol=1e-15)
    # Counts are summed.
    np.testing.assert_allclose(found.summary()[0], [[0.75, 0.75, 1.0], [2.0, 2.0, 3.0]])


def test_sel_takes_labels_of_any_axis(found: cf.Bounds) -> None:
    part = found.sel(run=iter(["dense"]), topic=1, measure=cf.AP)
    assert (part.runs, part.topics, part.measures) == (("dense",), ("1",), ("AP",))
    assert part.mean().tolist() == [[pytest.approx([1.0, 5 / 6, 1.0])]]
    assert tuple(part.notes) == ("dense",)
    with pytest.raises(cf.LabelError, match="RR"):
        found.sel(measure="RR")


def test_to_dict_is_run_topic_measure_and_the_three(found: cf.Bounds) -> None:
    expected: dict[str, Any] = {}
    for run, topic, measure, value, low, high in LONG:
        three = {"value": value, "low": pytest.approx(low), "high": high}
        expected.setdefault(run, {}).setdefault(topic, {})[measure] = three
    assert found.to_dict() == expected


def assert_rows(rows: Sequence[Sequence[Any]], expected: Sequence[Sequence[Any]]) -> None:
    for row, wanted in zip(rows, expected, strict=True):
        assert list(row) == [pytest.approx(x) if isinstance(x, float) else x for x in wanted]


def test_arrow_is_long_or_wide(found: cf.Bounds) -> None:
    pa = pytest.importorskip("pyarrow")
    long = found.to_arrow()
    assert long.column_names == NAMES
    assert pa.types.is_dictionary(long.schema.field("run").type)
    assert long.schema.field("low").type == pa.float64()
    assert_rows([tuple(row.values()) for row in long.to_pylist()], LONG)
    stream = pa.RecordBatchReader.from_stream(found).read_all()
    assert stream.equals(long)
    wide = found.to_arrow(wide=True)
    assert wide.column_names == WIDE_NAMES
    assert_rows([tuple(row.values()) for row in wide.to_pylist()], WIDE)


def test_polars_is_long_or_wide(found: cf.Bounds) -> None:
    pytest.importorskip("polars")
    assert found.to_polars().columns == NAMES
    assert_rows(found.to_polars().rows(), LONG)
    assert found.to_polars(wide=True).columns == WIDE_NAMES
    assert_rows(found.to_polars(wide=True).rows(), WIDE)


def test_pandas_is_long_or_wide(found: cf.Bounds) -> None:
    pytest.importorskip("pandas")
    assert list(found.to_pandas().columns) == NAMES
    assert_rows(list(found.to_pandas().itertuples(index=False, name=None)), LONG)
    assert list(found.to_pandas(wide=True).columns) == WIDE_NAMES
    assert_rows(list(found.to_pandas(wide=True).itertuples(index=False, name=None)), WIDE)


def test_what_is_undefined_has_no_bounds() -> None:
    pytest.importorskip("polars")
    undefined = cf.bounds({"1": {"a": 0}}, {"1": {"a": 2.0, "u": 1.0}}, "AP", undefined="skip")
    assert np.isnan(undefined.mean()).all()
    assert undefined.to_polars().rows() == [("run", "1", "AP", None, None, None)]
    assert undefined.to_polars(wide=True).rows() == [("run", "1", None, None, None)]
    assert repr(undefined).endswith("\nrun   -")


def test_repr_is_a_table_of_summaries(found: cf.Bounds) -> None:
    assert repr(found).splitlines() == [
        "<Bounds: 2 runs x 2 topics x 2 measures; summary [lowest, highest]:>",
        "run                         AP  num_rel_ret",
        "bm25   0.7500 [0.7500, 1.0000]     2 [2, 3]",
        "dense  0.5000 [0.4167, 0.5000]     1 [1, 2]",
    ]


def test_html_is_a_table_of_summaries(found: cf.Bounds) -> None:
    html = found._repr_html_()
    assert html.count("<tr>") == 3
    assert "<th>run</th><th>AP</th><th>num_rel_ret</th>" in html
    assert "<th>dense</th><td>0.5000 [0.4167, 0.5000]</td>" in html


def test_long_tables_are_cut() -> None:
    many = cf.bounds(QRELS, {f"r{i}": RUNS["bm25"] for i in range(100)}, "AP")
    assert repr(many).splitlines()[-1] == "... and 81 more"
    assert '<td colspan="2">... and 41 more</td>' in many._repr_html_()


def test_no_runs_have_no_bounds() -> None:
    nothing = cf.bounds(QRELS, [], "AP")
    assert nothing.mean().shape == (0, 1, 3)
    assert nothing.to_dict() == {}


# the call


def test_the_measures_are_six_by_default() -> None:
    expected = "nDCG@10 AP RR P@10 R@100 bpref"
    assert cf.bounds(QRELS, RUNS).measures == tuple(expected.split())


def test_an_evaluator_has_the_same_bounds(found: cf.Bounds) -> None:
    evaluator = cf.Evaluator(QRELS, ["AP", "num_rel_ret"])
    again = evaluator.bounds(RUNS)
    for one, other in zip(found.parts.values(), again.parts.values(), strict=True):
        np.testing.assert_array_equal(one.values, other.values)
    wider = evaluator.bounds(RUNS, unseen=3)
    # Three more relevant documents elsewhere: 1/2 / 4 instead of 1/2.
    assert wider.low["bm25", "AP"][0] == 0.125


def test_every_option_of_evaluate_is_one_of_bounds() -> None:
    options = [inspect.signature(function).parameters for function in (cf.evaluate, cf.bounds)]
    # Bounds over the orders of ties are a call of their own.
    for name, parameter in options[0].items():
        assert name == "ties" or options[1][name] == parameter
    question = inspect.signature(cf.Evaluator.bounds).parameters
    more = set(options[1]) - set(options[0])
    assert more == {"mode", "unseen", "max_grade", "max_assignments"}
    assert all(options[1][name] == question[name] for name in more)


def test_files_threads_and_progress_change_nothing(tmp_path: Path) -> None:
    for name, run in RUNS.items():
        cf.Run(run).write(str(tmp_path / f"{name}.run"))
    expected = cf.bounds(QRELS, RUNS)
    calls: list[tuple[int, int]] = []
    for threads in (1, 3):
        again = cf.bounds(
            QRELS, tmp_path, threads=threads, progress=lambda *call: calls.append(call)
        )
        assert again.runs == expected.runs
        for one, other in zip(expected.parts.values(), again.parts.values(), strict=True):
            assert one.values.tobytes() == other.values.tobytes()
    assert calls[-1][0] == 2


REFUSED = "no exact bounds of {}: {}"


@pytest.mark.parametrize(
    ("measure", "question", "message"),
    [
        ("Judged@10", {}, REFUSED.format("Judged@10", "it measures how much is judged")),
        ("subAP(p=0.5)", {}, REFUSED.format("subAP(p=0.5)", "it is a random estimate")),
        (
            "Q",
            {},
            REFUSED.format("Q", "no exact method is known for more than one gain above 0"),
        ),
        (
            "nERR(max_rel=2)",
            {"max_assignments": 2},
            REFUSED.format(
                "nERR(max_rel=2)",
                "3 assignments would have to be tried for topic `1`, more than max_assignments=2",
            ),
        ),
    ],
)
def test_what_has_no_exact_bounds_is_refused(
    measure: str, question: dict[str, Any], message: str
) -> None:
    qrels, run = {"1": {"a": 1, "b": 2}}, {"1": {"u": 2.0, "a": 1.0}}
    with pytest.raises(cf.Error) as caught:
        cf.bounds(qrels, run, measure, **question)
    assert (caught.value.kind, str(caught.value)) == ("bounds", message)


def test_the_default_measures_of_an_evaluator_have_no_bounds() -> None:
    with pytest.raises(cf.Error, match="no exact bounds of Judged@10") as caught:
        cf.Evaluator(QRELS).bounds(RUNS)
    assert caught.value.kind == "bounds"


@pytest.mark.parametrize(
    ("question", "kind", "message"),
    [
        ({"mode": "free"}, "option", 'expected one of "free_R", "fixed_R" as mode'),
        ({"mode": "fixed_R"}, "needs", "give docs_in_collection with the judgments"),
        ({"mode": "fixed_R", "unseen": 1}, "option", "unseen is for mode"),
        ({"unseen": -1}, "option", "as unseen, found int `-1`"),
        ({"unseen": 0.5}, "option", "as unseen, found float `0.5`"),
        ({"max_grade": -1}, "option", "expected a max_grade of at least 0, found -1"),
        ({"max_grade": math.nan}, "option", "max_grade"),
        ({"max_grade": "3"}, "option", "expected a number as max_grade"),
        ({"max_assignments": 0}, "option", "expected a max_assignments of at least 1"),
        ({"missing": "error"}, "topics", "found 1 missing"),
        ({"depth": 0}, "option", "depth"),
    ],
)
def test_wrong_options_are_errors(question: dict[str, Any], kind: str, message: str) -> None:
    with pytest.raises(cf.Error) as caught:
        cf.bounds(QRELS, RUNS, "AP", **question)
    assert caught.value.kind == kind
    assert message in str(caught.value)


def test_an_undefined_topic_can_be_an_error() -> None:
    with pytest.raises(cf.Error) as caught:
        cf.bounds({"1": {"a": 0}}, {"1": {"u": 1.0}}, "AP", undefined="error")
    assert caught.value.kind == "undefined"


# the command line


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cf.Qrels(QRELS).write(str(tmp_path / "qrels.txt"))
    (tmp_path / "runs").mkdir()
    for name, run in RUNS.items():
        cf.Run(run).write(str(tmp_path / "runs" / f"{name}.run"))
    return tmp_path


def call(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cranfield", "eval", "qrels.txt", "runs", *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def bounded(folder: Path, *arguments: str) -> str:
    done = call(folder, "--bounds", "-m", "AP num_rel_ret", "--quiet", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_table_has_the_interval_beside_the_value(folder: Path) -> None:
    assert bounded(folder) == (
        "run                         AP  num_rel_ret\n"
        "bm25   0.7500 [0.7500, 1.0000]     2 [2, 3]\n"
        "dense  0.5000 [0.4167, 0.5000]     1 [1, 2]\n"
    )


def test_per_topic_rows_have_intervals_too(folder: Path) -> None:
    assert bounded(folder, "--per-topic") == (
        "run    topic                       AP  num_rel_ret\n"
        "bm25   1      0.5000 [0.5000, 1.0000]     1 [1, 2]\n"
        "bm25   2      1.0000 [1.0000, 1.0000]     1 [1, 1]\n"
        "bm25   all    0.7500 [0.7500, 1.0000]     2 [2, 3]\n"
        "dense  1      1.0000 [0.8333, 1.0000]     1 [1, 2]\n"
        "dense  2      0.0000 [0.0000, 0.0000]     0 [0, 0]\n"
        "dense  all    0.5000 [0.4167, 0.5000]     1 [1, 2]\n"
    )


def test_numbers_of_different_lengths_stand_below_each_other(folder: Path) -> None:
    many = {"1": {f"u{i}": float(i) for i in range(12)}}
    cf.Run(many).write(str(folder / "runs" / "many.run"))
    # All twelve relevant, of thirteen: 12/13 for one of two topics.
    assert bounded(folder, "-m", "num_rel_ret").splitlines()[1:] == [
        "bm25   0.7500 [0.7500, 1.0000]    2 [2,  3]",
        "dense  0.5000 [0.4167, 0.5000]    1 [1,  2]",
        "many   0.0000 [0.0000, 0.4615]    0 [0, 12]",
    ]


def test_runs_are_sorted_by_the_value(folder: Path) -> None:
    # Without the topic that dense lacks its AP is 1, but its counts stay lower.
    for measure, order in (("AP", ["dense", "bm25"]), ("num_rel_ret", ["bm25", "dense"])):
        for form in ("csv", "table"):
            options = ["--missing", "skip", "--sort", measure, "--format", form]
            lines = bounded(folder, *options).splitlines()[1:]
            assert [line.replace(",", " ").split()[0] for line in lines] == order


@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_programs_get_three_columns_a_measure(folder: Path, form: str, delimiter: str) -> None:
    text = bounded(folder, "--format", form, "--per-topic")
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    assert rows[0] == WIDE_NAMES
    assert rows[1] == ["bm25", "1", "0.5", "0.5", "1.0", "1", "1", "2"]
    assert rows[3] == ["bm25", "all", "0.75", "0.75", "1.0", "2", "2", "3"]
    exact = cf.bounds(QRELS, RUNS, "AP").mean()
    assert [float(cell) for cell in rows[6][2:5]] == exact[1, 0].tolist()


def test_json_has_an_object_a_measure(folder: Path) -> None:
    content = json.loads(bounded(folder, "--format", "json", "--per-topic"))
    assert content["measures"] == ["AP", "num_rel_ret"]
    bm25, dense = content["runs"]
    assert bm25["summary"] == {
        "AP": {"value": 0.75, "low": 0.75, "high": 1.0},
        "num_rel_ret": {"value": 2, "low": 2, "high": 3},
    }
    assert dense["topics"]["2"]["AP"] == {"value": 0.0, "low": 0.0, "high": 0.0}
    assert dense["notes"]["topics_missing"] == ["2"]


def test_jsonl_has_an_object_a_measure(folder: Path) -> None:
    lines = [json.loads(line) for line in bounded(folder, "--format", "jsonl").splitlines()]
    assert [line["topic"] for line in lines] == [None, None]
    assert lines[0]["values"]["AP"] == {"value": 0.75, "low": 0.75, "high": 1.0}


def test_markdown_and_latex_have_the_interval_beside_the_value(folder: Path) -> None:
    assert bounded(folder, "--format", "markdown") == (
        "| run | AP | num\\_rel\\_ret |\n"
        "| --- | ---: | ---: |\n"
        "| bm25 | **0.7500** \\[0.7500, 1.0000] | **2** \\[2, 3] |\n"
        "| dense | 0.5000 \\[0.4167, 0.5000] | 1 \\[1, 2] |\n"
    )
    assert bounded(folder, "--format", "latex") == (
        "\\begin{table}\n"
        "\\centering\n"
        "\\caption{Scores of 2 runs over 2 topics.}\n"
        "\\label{tab:scores}\n"
        "\\begin{tabular}{lrr}\n"
        "\\toprule\n"
        "run & AP & num\\_rel\\_ret \\\\\n"
        "\\midrule\n"
        "bm25 & \\textbf{0.7500} [0.7500, 1.0000] & \\textbf{2} [2, 3] \\\\\n"
        "dense & 0.5000 [0.4167, 0.5000] & 1 [1, 2] \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\end{table}\n"
    )


def test_a_file_is_written(folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert bounded(folder, "--output", "bounds.parquet") == ""
    table = parquet.read_table(folder / "bounds.parquet")
    assert table.column_names == ["run", *WIDE_NAMES[2:]]
    assert table["AP low"].to_pylist() == pytest.approx([0.75, 5 / 12])
    assert bounded(folder, "--output", "bounds.csv") == ""
    assert (folder / "bounds.csv").read_text().startswith("run,AP,AP low,AP high,num_rel_ret,")


def test_undefined_is_a_dash_null_or_nothing(folder: Path) -> None:
    cf.Qrels({**QRELS, "3": {"x": 0}}).write(str(folder / "qrels.txt"))
    options = ["-m", "AP", "--undefined", "skip", "--per-topic", "--format"]
    assert "\nbm25   3                            -            -\n" in bounded(
        folder, *options, "table"
    )
    assert "\nbm25,3,,,,,,\n" in bounded(folder, *options, "csv")
    line = json.loads(bounded(folder, *options, "jsonl").splitlines()[2])
    assert line["values"]["AP"] == {"value": None, "low": None, "high": None}


def test_the_default_list_has_bounds_and_notes_are_as_ever(folder: Path) -> None:
    done = call(folder, "--bounds", "--format", "csv")
    assert done.returncode == 0
    header = done.stdout.splitlines()[0].split(",")
    assert header[1::3] == list(cf.bounds(QRELS, RUNS).measures)
    assert done.stderr == "cranfield: dense: 1 topic of the qrels is missing (scored 0): 2\n"


def test_options_reach_the_core(folder: Path) -> None:
    low = cf.bounds(QRELS, RUNS, "AP", unseen=3).mean()[0, 0, 1]
    assert f"[{low:.4f}, 1.0000]" in bounded(folder, "--unseen", "3")
    assert bounded(folder, "--unseen", "0") == bounded(folder)
    graded = call(folder, "--bounds", "-m", "CG@1", "--max-grade", "4", "--quiet").stdout
    # u could get 4 at the top of a list; the other topic has c.
    assert graded.splitlines()[1] == "bm25   0.5000 [0.5000, 2.5000]"
    few = ["--bounds", "-m", "nERR(max_rel=1)", "--max-assignments", "1"]
    assert "2 assignments would have to be tried" in call(folder, *few).stderr
    fixed = ["--bounds-mode", "fixed_R", "--docs-in-collection", "100"]
    # c could be anywhere in the list that dense lacks for topic 2: (1 + 1/100) / 2. Topic 1
    # of both runs has all that is relevant.
    assert "\ndense  0.5000 [0.5050, 1.0000]" in bounded(folder, *fixed)
    assert "give --docs-in-collection" in call(folder, "--bounds", *fixed[:2]).stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--unseen", "3"], "--unseen is only for --bounds"),
        (["--unseen", "0"], "--unseen is only for --bounds"),
        (["--max-grade", "3"], "--max-grade is only for --bounds"),
        (["--bounds-mode", "fixed_R"], "--bounds-mode is only for --bounds"),
        (["--max-assignments", "3"], "--max-assignments is only for --bounds"),
        (
            ["--bounds", "--unseen", "-1"],
            "expected a number of unseen documents of at least 0, found -1 (--unseen); "
            "see cranfield eval --help",
        ),
        (
            ["--bounds", "-m", "Judged@10"],
            "no exact bounds of Judged@10: it measures how much is judged",
        ),
        (["--bounds", "--max-grade", "nan"], "expected a --max-grade of at least 0, found NaN"),
    ],
)
def test_wrong_usage_is_one_message(folder: Path, arguments: list[str], message: str) -> None:
    done = call(folder, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"cranfield: error: {message}\n"


def test_the_table_of_bounds_needs_no_numpy(folder: Path) -> None:
    code = (
        "import sys; from cranfield.cli import main; status = main(sys.argv[1:]);"
        "assert status == 0 and 'numpy' not in sys.modules"
    )
    arguments = ["eval", "qrels.txt", "runs", "--bounds"]
    subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, check=True, capture_output=True
    )


# real runs

LIMIT = 3.0
"""Seconds; on the machine where this was written it takes about 1."""


def test_129_runs_of_trec_8(data: Path, tmp_path: Path) -> None:
    """AP of all topics and runs, from files, in one thread.

    No unjudged document being relevant is one of the ways, so AP lies between its bounds.
    """
    qrels = cf.read_qrels(data / "trec8-adhoc" / "trec8.qrels.gz")
    for packed in (data / "trec8-adhoc" / "runs").iterdir():
        (tmp_path / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    best = math.inf
    for _ in range(3):
        start = time.process_time()
        found = cf.bounds(qrels, tmp_path, "AP", threads=1)
        best = min(best, time.process_time() - start)
    print(f"\nbounds of 129 runs: {best:.2f} s of CPU")
    assert found.low.values.shape == (129, 50, 1)
    assert (found.low.values <= found.value.values).all()
    assert (found.value.values <= found.high.values).all()
    expected = cf.evaluate(qrels, tmp_path, "AP").values
    assert found.value.values.tobytes() == expected.tobytes()
    assert best < LIMIT
