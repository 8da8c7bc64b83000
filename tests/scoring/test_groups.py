"""Rows of labels and scores by group.

Slow twins: the same rows as judgments and a run in files of TREC's form, whose documents are
called so that equal scores stand in the order of the rows; and nDCG as it is defined, in a loop.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pandas as pd
import polars as pl
import pytest

from tests.effort import SEED, cases

MEASURES = "nDCG@5 nDCG(dcg='exp-log2')@3 AP aAP@5 P@2 RR R@3 bpref num_ret Judged@10 iDCG@2"
TRUE = np.array([0, 2, 1, 0, 0, 1], dtype=float)
SCORE = np.array([3, 2, 1, 1, 0, 5], dtype=float)


def random_groups(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Labels, scores with ties, and sizes of groups, of which some have nothing relevant."""
    sizes = rng.integers(0, 9, rng.integers(1, 13)).tolist()
    rows = sum(sizes)
    return rng.integers(0, 3, rows) * rng.integers(0, 2, rows), rng.integers(0, 5, rows) / 4, sizes


def as_files(folder: Path, labels: Any, scores: Any, sizes: list[int]) -> cf.Scores:
    """The scores of files with the same rows."""
    qrels, run = folder / "qrels.txt", folder / "run.run"
    judged, listed = [], []
    topic = row = 0
    for topic, size in enumerate(sizes):
        for i in range(size):
            judged.append(f"{topic:03} 0 {i:03} {labels[row]:g}\n")
            listed.append(f"{topic:03} Q0 {i:03} 0 {scores[row]!r} run\n")
            row += 1
    qrels.write_text("".join(judged))
    run.write_text("".join(listed))
    return cf.evaluate(qrels, run, MEASURES, order="docno_asc", undefined="zero", missing="zero")


def test_values_by_hand() -> None:
    # Group 0 is ranked 0 2 1: (2/log2(3) + 1/2) / (2 + 1/log2(3)). In group 1 the one relevant row
    # comes first.
    found = cf.evaluate_groups(TRUE, SCORE, "nDCG@10 RR P@1", group=[3, 3])
    ndcg = (2 / math.log2(3) + 1 / 2) / (2 + 1 / math.log2(3))
    np.testing.assert_allclose(found.values[0], [[ndcg, 0.5, 0.0], [1.0, 1.0, 1.0]], atol=1e-15)
    assert found.runs == ("run",)
    assert found.topics == ("0", "1")


def test_groups_have_the_values_of_files(tmp_path: Path) -> None:
    rng = np.random.default_rng(SEED + 1)
    for _ in range(cases(300, 20)):
        labels, scores, sizes = random_groups(rng)
        if not all(sizes):
            # A file cannot hold a topic without judgments.
            sizes = [size for size in sizes if size] or [0]
        if not len(labels):
            continue
        expected = as_files(tmp_path, labels, scores.tolist(), sizes)
        ends = [0, *np.cumsum(sizes).tolist()]
        qid = np.repeat(np.arange(len(sizes)) + 100, sizes)
        for groups in ({"group": sizes}, {"offsets": np.array(ends)}, {"qid": qid}):
            for kind in (np.float64, np.float32):
                found = cf.evaluate_groups(
                    labels.astype(kind), scores.astype(kind), MEASURES, **groups
                )
                np.testing.assert_array_equal(found.values, expected.values)


def test_every_form_of_rows_and_groups() -> None:
    expected = cf.evaluate_groups(TRUE, SCORE, MEASURES, group=[3, 3]).values
    wide = np.stack([TRUE, SCORE], axis=1)
    forms: list[tuple[Any, Any]] = [
        (TRUE.tolist(), SCORE.tolist()),
        (TRUE.astype(int), SCORE.astype("float16")),
        (pd.Series(TRUE, index=range(9, 3, -1)), pd.Series(SCORE)),
        (pl.Series(TRUE.astype(int)), pl.Series(SCORE)),
        (wide[:, 0], wide[:, 1]),
    ]
    for labels, scores in forms:
        found = cf.evaluate_groups(labels, scores, MEASURES, group=pd.Series([3, 3]))
        np.testing.assert_array_equal(found.values, expected)
    for qid in (list("bbbaaa"), np.array([2, 2, 2, 1, 1, 1]), pd.Series(list("bbbaaa"))):
        found = cf.evaluate_groups(TRUE, SCORE, MEASURES, qid=qid)
        assert found.topics in {("a", "b"), ("1", "2")}
        np.testing.assert_array_equal(found.values, expected[:, ::-1])
    matrix = cf.evaluate_groups(TRUE.reshape(2, 3), SCORE.reshape(2, 3), MEASURES)
    np.testing.assert_array_equal(matrix.values, expected)


def test_positions_of_groups_are_in_order() -> None:
    found = cf.evaluate_groups(np.ones(12), np.ones(12), "AP", group=[1] * 12)
    assert found.topics == tuple(f"{i:02}" for i in range(12))


def test_equal_scores_stay_in_order_or_are_averaged() -> None:
    labels, scores = [0.0, 1.0, 0.0], [1.0, 1.0, 1.0]
    assert cf.evaluate_groups(labels, scores, "RR", group=[3]).mean().item() == 1 / 2
    # The relevant row is first, second or third: (1 + 1/2 + 1/3) / 3.
    found = cf.evaluate_groups(labels, scores, "RR", group=[3], ties="average").mean().item()
    assert found == pytest.approx(11 / 18, abs=1e-15)


def test_a_group_without_a_relevant_row() -> None:
    labels, scores, sizes = [1.0, 0.0], [2.0, 1.0], [1, 1, 0]
    expected = {"zero": [1, 0, 0], "one": [1, 1, 1], "skip": [1, math.nan, math.nan]}
    for undefined, values in expected.items():
        options: Any = {"undefined": undefined}
        found = cf.evaluate_groups(labels, scores, "nDCG@5", group=sizes, **options)
        np.testing.assert_array_equal(found.values[0, :, 0], values)
    # 0 of 1 is no 0/0.
    found = cf.evaluate_groups(labels, scores, "P@1", group=sizes, undefined="one")
    assert found.values[0, 1, 0] == 0
    with pytest.raises(cf.Error, match="it has no relevant document"):
        cf.evaluate_groups(labels, scores, "AP", group=sizes, undefined="error")


@pytest.mark.parametrize(
    ("measure", "why"),
    [
        ("DCG@5", "in [0, inf)"),
        ("num_ret", "does not say how good a run is"),
        ("E", "less is better"),
        ("Judged@5", "does not say how good a run is"),
    ],
)
def test_one_is_refused_where_it_is_not_the_best_value(measure: str, why: str) -> None:
    with pytest.raises(cf.Error) as raised:
        cf.evaluate({"t": {}}, {"t": {"a": 1.0}}, measure, undefined="one")
    assert raised.value.kind == "option"
    assert str(raised.value).startswith('undefined="one" is for measures whose best value is 1')
    assert why in str(raised.value)


def test_one_in_evaluate_bounds_and_differences() -> None:
    qrels: Any = {"a": {"d": 1}, "b": {"d": 0}}
    run = {"a": {"x": 2.0, "d": 1.0}, "b": {"d": 1.0}}
    scores = cf.evaluate(qrels, run, "AP RR", undefined="one")
    # Where nothing is relevant AP is 0/0, and RR is 0.
    assert scores.values[0].tolist() == [[0.5, 0.5], [1.0, 0.0]]
    assert cf.score_list(["d"], [], "AP", undefined="one") == {"AP": 1.0}
    with pytest.raises(cf.Error, match="where nothing is relevant it is 1") as raised:
        cf.bounds(qrels, run, "RR", undefined="one")
    assert raised.value.kind == "bounds"
    cf.diff(qrels, run, run, "RR", undefined="one")


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({}, r"expected one of group, qid and offsets, found none of them; .* group=\[6\]"),
        ({"group": [6], "qid": [1] * 6}, "found group and qid"),
        ({"group": [3, 2]}, "group adds up to 5, and there are 6 rows"),
        ({"group": [7, -1]}, "expected whole numbers of at least 0 as group"),
        ({"group": [3.0, 3.0]}, "expected whole numbers of at least 0 as group"),
        ({"group": []}, "group adds up to 0"),
        ({"offsets": [0, 3]}, "offsets ends with 3, and there are 6 rows"),
        ({"offsets": [1, 6]}, "begin with 0 and do not fall"),
        ({"offsets": [0, 4, 3, 6]}, "begin with 0 and do not fall"),
        ({"qid": [1, 1, 2, 2, 1, 1]}, "the rows of qid 1 do not stand together: it is in row 4"),
        ({"qid": [1, 1, 1]}, "qid has 3 values, and there are 6 rows"),
        ({"qid": [1, 1, 1, "1", "1", "1"]}, "expected all text or all whole numbers as qid"),
        ({"qid": [0.5] * 6}, "expected all text or all whole numbers as qid"),
        ({"qid": {1, 2}}, "expected an array as qid"),
        ({"qid": [[1] * 6]}, "expected qid of one dimension"),
    ],
)
def test_groups_that_do_not_fit_are_refused(groups: Any, message: str) -> None:
    with pytest.raises(cf.Error, match=message):
        cf.evaluate_groups(TRUE, SCORE, "AP", **groups)


@pytest.mark.parametrize(
    ("labels", "scores", "message"),
    [
        ([1, -1, 0], [1, 2, 3], "at least 0 as y_true, found -1 in row 1"),
        ([1, math.nan, 0], [1, 2, 3], "as y_true, found NaN in row 1"),
        ([1, 1, 0], [1, math.nan, 3], "expected finite numbers as y_score, found NaN in row 1"),
        ([1, 1, 0], [1, math.inf, 3], "found inf in row 1"),
        ([1, 1], [1, 2, 3], "expected a score for each label"),
        (["a", "b", "c"], [1, 2, 3], "expected numbers as y_true"),
        ("abc", [1, 2, 3], "expected an array of numbers as y_true"),
        ([0.5, 0.2, 0.0], [1, 2, 3], "nothing is relevant to AP"),
        ([[[1]]], [[[1]]], "of shape"),
    ],
)
def test_rows_that_cannot_be_scored_are_refused(labels: Any, scores: Any, message: str) -> None:
    with pytest.raises(cf.Error, match=message):
        cf.evaluate_groups(labels, scores, "AP", group=[3])


def test_a_matrix_has_its_groups() -> None:
    with pytest.raises(cf.Error, match="leave group out"):
        cf.evaluate_groups(np.ones((2, 3)), np.ones((2, 3)), "AP", group=[3, 3])


def test_scores_of_groups_are_scores_like_others() -> None:
    found = cf.evaluate_groups(TRUE, SCORE, "AP nDCG@5", group=[2, 2, 2])
    # 0 2 | 1 0 | 1 0 in the order of scores.
    assert found.to_dict()["run"]["0"]["AP"] == 0.5
    assert found.notes["run"].lines == 6
    assert found.fingerprint is not None
