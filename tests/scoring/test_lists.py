"""One list at a time, and documents that come twice.

Slow twins: the same list as a run of one topic, and a list in which other documents that nobody
judged are in the places of repeated ones. Expected numbers are worked out by hand next to the data.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest

from tests.effort import SEED, cases

MEASURES = (
    "nDCG@10 nDCG(dcg='exp-log2') AP AP' aAP@5 P@5 R@3 RR Rprec bpref Judged@10 Unjudged@4 "
    "num_ret num_rel_ret SetP SetR SetF ERR(max_rel=3)@20 RBP(p=0.8) Success@1 infAP iDCG@5 INST"
)
PLACE: Any = {"duplicates": "place", "missing": "zero", "undefined": "zero"}


def without_repeats(ids: list[str]) -> list[str]:
    """The list with others in the places of documents that came before."""
    return [f"again{i}" if one in ids[:i] else one for i, one in enumerate(ids)]


def as_topic(ids: list[str], graded: dict[str, float]) -> dict[str, float]:
    """What ``evaluate`` says of the same list."""
    run = cf.Run.from_rankings({"t": ids})
    scores = cf.evaluate({"t": graded}, run, MEASURES, undefined="zero", missing="zero")
    return values(scores)


def values(scores: cf.Scores) -> dict[str, float]:
    """The values of the one topic."""
    return dict(zip(scores.measures, scores.values[0, 0].tolist(), strict=True))


def test_values_by_hand() -> None:
    # b, the only relevant document of two that is there, stands at rank 2.
    found = cf.score_list(["x", "b", "y"], {"a", "b"}, "P@3 R@3 RR AP")
    assert found == {"P@3": 1 / 3, "R@3": 1 / 2, "RR": 1 / 2, "AP": 1 / 4}
    # Gains 2 at rank 1 and 1 at rank 3: (2 + 1/2) / (2 + 1/log2(3)).
    graded = cf.score_list(["b", "x", "a"], {"a": 1, "b": 2}, "nDCG@10")
    assert graded == {"nDCG@10": pytest.approx(2.5 / (2 + 1 / np.log2(3)), abs=1e-15)}


def test_a_repeated_document_keeps_its_rank_and_gains_nothing() -> None:
    # a at 1, its repetition at 2, b at 3: AP = (1/1 + 2/3) / 2.
    found = cf.score_list(["a", "a", "b"], ["a", "b"], "AP P@3 SetP R@3 nDCG@3 num_ret Judged@3")
    assert found == {
        "AP": (1 / 1 + 2 / 3) / 2,
        "P@3": 2 / 3,
        "SetP": 2 / 3,
        "R@3": 1.0,
        "nDCG@3": pytest.approx(1.5 / (1 + 1 / np.log2(3)), abs=1e-15),
        "num_ret": 3.0,
        "Judged@3": 2 / 3,
    }
    # The judgments name a, so that no place of it is a hole; x is one twice.
    assert cf.score_list(["a", "a", "x", "x"], ["a"], "Hole@4") == {"Hole@4": 0.5}
    # Without the repetition b is at rank 2.
    assert cf.score_list(["a", "a", "b"], ["a", "b"], "AP", duplicates="first") == {"AP": 1.0}
    with pytest.raises(cf.Error, match="found `a` again: positions 1 and 2") as raised:
        cf.score_list(["a", "a", "b"], ["a", "b"], "AP", duplicates="error")
    assert raised.value.kind == "duplicate"


def test_no_list_rises_above_one_by_repetition() -> None:
    # LlamaIndex 0.14.25 has AP 2.0 and NDCG 1.63 for such a list.
    found = cf.score_list(["a"] * 4, ["a", "b"], "AP nDCG@4 R@4 P@4 RR Success@4")
    expected = [1 / 2, 1 / (1 + 1 / np.log2(3)), 1 / 2, 1 / 4, 1.0, 1.0]
    assert list(found.values()) == pytest.approx(expected, abs=1e-15)


def random_list(rng: random.Random) -> tuple[list[str], dict[str, float]]:
    """A list with repeated documents, and grades."""
    ids = [f"d{rng.randrange(12)}" for _ in range(rng.randrange(1, 30))]
    graded = {f"d{i}": float(rng.choice((-1, 0, 1, 2, 3))) for i in range(rng.randrange(1, 14))}
    return ids, graded


def test_one_list_has_the_values_of_a_topic() -> None:
    rng = random.Random(SEED + 5)
    for _ in range(cases(2000, 100)):
        ids, graded = random_list(rng)
        found = cf.score_list(ids, graded, MEASURES)
        assert found == as_topic(without_repeats(ids), graded)
        assert list(found) == [
            str(measure) for measure in cf.Evaluator({"t": {}}, MEASURES).measures
        ]
        once = list(dict.fromkeys(ids))
        assert cf.score_list(ids, graded, MEASURES, duplicates="first") == as_topic(once, graded)
        relevant = [one for one, grade in graded.items() if grade > 0]
        grades = dict.fromkeys(relevant, 1.0)
        assert cf.score_list(ids, relevant * 2, MEASURES) == as_topic(without_repeats(ids), grades)


def test_long_lists_have_the_same_values() -> None:
    rng = random.Random(6)
    ids = [f"d{rng.randrange(3000)}" for _ in range(2000)]
    graded = {f"d{rng.randrange(3000)}": float(rng.randrange(4)) for _ in range(500)}
    assert cf.score_list(ids, graded, MEASURES) == as_topic(without_repeats(ids), graded)


def test_places_are_kept_in_every_form_of_a_run(tmp_path: Path) -> None:
    rng = random.Random(SEED + 7)
    for _ in range(cases(500, 25)):
        ids, graded = random_list(rng)
        rows = [("t", one, float(len(ids) - i)) for i, one in enumerate(ids)]
        rng.shuffle(rows)
        path = tmp_path / "lists.run"
        path.write_text("".join(f"t Q0 {one} 0 {score} tag\n" for _, one, score in rows))
        columns: list[Any] = [[row[i] for row in rows] for i in range(3)]
        numbers = [int(one[1:]) for one in columns[1]]
        expected = as_topic(without_repeats(ids), graded)
        numbered = {one[1:]: grade for one, grade in graded.items()}
        for run, judged in (
            (path, graded),
            (cf.Run.from_rankings({"t": ids}), graded),
            (cf.Run.from_arrays(*columns), graded),
            (cf.Run.from_arrays(columns[0], np.array(numbers), columns[2]), numbered),
        ):
            scores = cf.evaluate({"t": judged}, run, MEASURES, **PLACE)
            assert values(scores) == expected
            assert scores.notes[scores.runs[0]].duplicates == len(ids) - len(set(ids))


def test_what_needs_one_document_a_place_is_refused_where_one_repeats() -> None:
    qrels, run = {"t": {"a": 1}}, cf.Run.from_arrays(["t"] * 3, ["a", "a", "x"], [2.0, 1.0, 1.0])
    options: Any = {"duplicates": "place"}
    with pytest.raises(cf.Error, match="no bounds are known") as raised:
        cf.bounds(qrels, run, "AP", **options)
    assert raised.value.kind == "bounds"
    for call in (
        lambda: cf.evaluate(qrels, run, "AP", ties="average", **options),
        lambda: cf.tie_bounds(qrels, run, "AP", **options),
    ):
        with pytest.raises(cf.Error, match=r"and a document comes twice for topic `t`") as raised:
            call()
        assert raised.value.kind == "option"
    once = cf.Run.from_arrays(["t"] * 3, ["a", "b", "x"], [2.0, 1.0, 1.0])
    plain = cf.bounds(qrels, once, "AP").high.mean()
    assert cf.bounds(qrels, once, "AP", **options).high.mean() == plain


def test_an_own_id_is_taken_out_before_ranks_are_counted() -> None:
    assert cf.score_list(["q7", "a"], ["a"], "RR P@1", own="q7") == {"RR": 1.0, "P@1": 1.0}
    assert cf.score_list(["q7", "a"], ["a"], "RR P@1") == {"RR": 0.5, "P@1": 0.0}
    assert cf.score_list([7, 8], [8], "RR", own="7") == {"RR": 1.0}


def test_nothing_relevant() -> None:
    assert cf.score_list(["a"], [], "AP nDCG@5") == {"AP": 0.0, "nDCG@5": 0.0}
    skipped = cf.score_list(["a"], set(), "AP nDCG@5", undefined="skip")
    assert list(map(np.isnan, skipped.values())) == [True, True]
    with pytest.raises(cf.Error, match=r"^AP is undefined: nothing is relevant$") as raised:
        cf.score_list(["a"], [], "AP", undefined="error")
    assert raised.value.kind == "undefined"
    assert cf.score_list([], ["a"], "AP RR") == {"AP": 0.0, "RR": 0.0}


def test_ids_and_measures_in_other_forms() -> None:
    expected = {"RR": 0.5, "P@2": 0.5}
    forms = ["x", "b"], ("x", "b"), np.array(["x", "b"]), {"x": 1, "b": 2}.keys()
    for ids in (*forms, iter(["x", "b"])):
        assert cf.score_list(ids, {"b"}, ("RR", cf.P @ 2)) == expected
    for relevant in (["b"], {"b"}, frozenset("b"), np.array(["b"]), ("b",), {"b": 1}):
        assert cf.score_list(["x", "b"], relevant, ["RR P@2"]) == expected
    assert cf.score_list(np.array([5, 9]), np.array([9]), cf.RR) == {"RR": 0.5}
    assert cf.score_list([5, 9], ["9"], "RR") == {"RR": 0.5}


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (({"a", "b"}, ["a"], "AP"), "type", "which has no order"),
        (
            ("abc", ["a"], "AP"),
            "type",
            "expected the retrieved ids as a list, best first, found str",
        ),
        ((["a"], "abc", "AP"), "type", "expected the relevant ids as a list or set"),
        (({"a": 1.0}, ["a"], "AP"), "type", "whose values would be passed over"),
        ((iter(()), ["a"], "AP"), "type", "used up before"),
        ((["a", 1], ["a"], "AP"), "type", "found both: int `1`"),
        (([1, "1"], ["1"], "AP"), "type", "found both: str `'1'`"),
        ((["1"], {1: 1, "1": 2}, "AP"), "type", "found both: str `'1'`"),
        (([1.0], ["1"], "AP"), "type", "expected an id as str or int, found float"),
        ((["a"], [["a"]], "AP"), "type", "expected an id as str or int, found list"),
        ((["a"], {"a": float("nan")}, "AP"), "number", "found float `nan` for document 'a'"),
        ((["a"], {"a": 0.5}, "AP"), "needs", r"such as AP\(rel=0.5\)"),
        ((["a"], ["a"], "APP"), "measure", "unknown measure"),
        (
            (["a"], ["a"], "EC-AP"),
            "needs",
            "the class of each document; one list has ids and grades only",
        ),
        ((["a"], ["a"], "AUC"), "needs", "one list has ids and grades only: call evaluate"),
        ((["a"], ["a"], "subAP"), "needs", "draws a sample"),
    ],
)
def test_what_is_no_list_is_refused(call: Any, kind: str, message: str) -> None:
    with pytest.raises(cf.Error, match=message) as raised:
        cf.score_list(*call)
    assert raised.value.kind == kind


def test_a_function_of_a_collection_is_refused() -> None:
    @cf.measure("mine", better="higher")
    def mine(topic: Any) -> float:
        return 1.0

    with pytest.raises(cf.Error, match="is a Python function of a collection: call evaluate"):
        cf.score_list(["a"], ["a"], mine)
