"""Scores from elsewhere as records and tables."""

import math
import pickle
from collections import namedtuple
from typing import Any

import cranfield as cf
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.scores.small import QRELS, RECORDS, RUNS, equal

# Records


def test_labels_topics_and_missing_cells() -> None:
    scores = cf.Scores.from_records(RECORDS)
    assert scores.runs == ("r1", "r2")
    assert scores.topics == ("1", "10", "2")  # byte order
    assert scores.measures == ("map", "cost")
    assert equal(scores["r1", "map"], np.array([0.5, 0.0, 0.25]))
    assert equal(scores["r2", "map"], np.array([1.0, 0.5, np.nan]))
    assert equal(scores["r2", "cost"], np.full(3, np.nan))
    assert scores.mean()[:, 0].tolist() == [0.25, 0.75]


def test_directions() -> None:
    assert cf.Scores.from_records(RECORDS).better == {"map": "higher", "cost": None}
    lower = cf.Scores.from_records(RECORDS, better="lower")
    assert lower.better == {"map": "higher", "cost": "lower"}
    one = cf.Scores.from_records(RECORDS, better={"cost": "lower"})
    assert one.better == {"map": "higher", "cost": "lower"}
    fallout = cf.Scores.from_records([("r", "1", "Fallout", 0.5)])
    assert fallout.better == {"Fallout": "lower"}


def test_a_label_is_found_as_written_and_in_our_spelling() -> None:
    scores = cf.Scores.from_records(RECORDS)
    assert equal(scores["r1", "map"], scores["r1", "AP"])
    assert equal(scores["r1", cf.AP], scores["r1", "map"])
    both = cf.Scores.from_records([("r", "1", "map", 0.1), ("r", "1", "AP", 0.2)])
    assert both["r", "map"] == [0.1]
    assert both["r", "AP"] == [0.2]
    with pytest.raises(cf.LabelError, match="no measure 'ndcg'"):
        scores["r1", "ndcg"]


def test_counts_are_summed_and_the_geometric_mean_is_one() -> None:
    records = [("r", t, m, v) for m in ("num_rel", "gm_map", "x") for t, v in (("1", 1), ("2", 4))]
    scores = cf.Scores.from_records(records)
    assert scores.summary().tolist() == [[5.0, pytest.approx(2.0), 2.5]]


def test_a_pooled_measure_has_no_summary_without_its_weights() -> None:
    scores = cf.Scores.from_records([("r", "1", "micro_P@5", 0.5), ("r", "2", "micro_P@5", 1.0)])
    assert math.isnan(scores.summary()[0, 0])
    own = cf.evaluate(QRELS, RUNS, "micro_P@1")
    joined = cf.Scores.concat([own, cf.evaluate(QRELS, RUNS, "AP")], axis="measure")
    assert equal(joined.summary()[:, :1], own.summary())


def test_the_topic_all_is_recomputed() -> None:
    records = [("r", "1", "m", 0.5), ("r", "2", "m", 0.7), ("r", "all", "m", 0.9)]
    scores = cf.Scores.from_records(records)
    assert scores.topics == ("1", "2")
    assert scores.mean()[0, 0] == pytest.approx(0.6)


Row = namedtuple("Row", "run_id query_id measure value")
EXPECTED = cf.Scores.from_records(RECORDS)


@pytest.mark.parametrize(
    "records",
    [
        pytest.param([list(row) for row in RECORDS], id="lists"),
        pytest.param(iter(RECORDS), id="iterator"),
        pytest.param([Row(*row) for row in RECORDS], id="named tuples"),
        pytest.param([Row(*row)._asdict() for row in RECORDS], id="dicts"),
        pytest.param(
            pd.DataFrame(RECORDS, columns=["run", "topic", "measure", "value"]), id="pandas"
        ),
        pytest.param(
            pd.DataFrame(RECORDS, columns=["run", "topic", "measure", "value"]).convert_dtypes(),
            id="pandas nullable",
        ),
        pytest.param(
            pd.DataFrame(RECORDS, columns=["run", "topic", "measure", "value"]).set_index(
                ["run", "topic"]
            ),
            id="pandas with an index",
        ),
        pytest.param(np.array(RECORDS, dtype=object), id="an array of objects"),
        pytest.param(
            pl.DataFrame(RECORDS, schema=["run", "qid", "metric", "score"], orient="row"),
            id="polars",
        ),
        pytest.param(
            pa.Table.from_pylist(
                [{"value": v, "run": r, "topic": t, "measure": m} for r, t, m, v in RECORDS]
            ),
            id="Arrow",
        ),
        pytest.param(
            pd.DataFrame(
                {
                    "run": ["r1", "r1", "r1", "r2", "r2"],
                    "topic": [1, 2, 10, 1, 10],
                    "map": [0.5, 0.25, 0, 1, 0.5],
                    "cost": [3.0, None, None, None, None],
                }
            ),
            id="wide",
        ),
    ],
)
def test_every_form_of_records(records: Any) -> None:
    scores = cf.Scores.from_records(records)
    assert (scores.runs, scores.topics, scores.measures) == (
        EXPECTED.runs,
        EXPECTED.topics,
        EXPECTED.measures,
    )
    assert equal(scores.values, EXPECTED.values)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("form", ["to_arrow", "to_pandas", "to_polars"])
def test_what_to_arrow_and_its_like_give_comes_back(form: str, wide: bool) -> None:
    scores = cf.evaluate(QRELS, RUNS, ["AP", "RBP_residual", "num_rel"])
    again = cf.Scores.from_records(getattr(scores, form)(wide=wide))
    assert equal(again.values, scores.values)
    assert again.better == scores.better
    assert again.core.measures == scores.core.measures
    if form == "to_arrow":
        assert again.fingerprint == scores.fingerprint


BAD = [
    (
        [("r", "1", "m")],
        "type",
        "record 1: expected .run, topic, measure, value., found a tuple of 3",
    ),
    ([("r", "1", "m", "x")], "number", "expected a number for run 'r', topic '1', m, found 'x'"),
    ([("r", "1", "m", float("inf"))], "number", "infinite"),
    ([("r", "1", "m", True)], "number", "found True"),
    ([("r", "1", "m", "1_0")], "number", "found '1_0'"),
    (
        [("r", "1", "m", 1), ("r", 1, "m", 1)],
        "duplicate",
        "record 2: run 'r', topic '1', measure 'm'",
    ),
    ([("r", 1.5, "m", 1)], "type", "expected a topic as text or a whole number, found 1.5"),
    ([("", "1", "m", 1)], "fields", "expected a run, found an empty one"),
    ([("r", "1", None, 1)], "type", "expected a measure, found None"),
    ([("r", "1", "", 1)], "fields", "expected a measure, found an empty one"),
    ([("r", "1", "m", 10**400)], "number", "expected a number"),
    ([(b"r", "1", "m", 1)], "type", "expected a run as text"),
    ([("r", "all", "m", 1)], "empty", "only summaries"),
    ([], "empty", "found none"),
    ("file.txt", "type", "read_scores reads files"),
    ({"r": 1}, "type", "found a dict"),
    (pd.DataFrame({"a": [1]}), "type", "expected columns run, topic, measure and value, found a"),
]


@pytest.mark.parametrize(("records", "kind", "text"), BAD)
def test_bad_records(records: Any, kind: str, text: str) -> None:
    with pytest.raises(cf.Error, match=text) as caught:
        cf.Scores.from_records(records)
    assert caught.value.kind == kind


def test_bad_directions() -> None:
    with pytest.raises(cf.Error, match="as better, found 'up'"):
        cf.Scores.from_records(RECORDS, better="up")
    with pytest.raises(cf.LabelError, match="no measure 'costs'; did you mean cost"):
        cf.Scores.from_records(RECORDS, better={"costs": "lower"})


# What can be done with them


def test_they_go_everywhere_that_scores_go() -> None:
    scores = cf.Scores.from_records(RECORDS, better="lower").sel(measure="map")
    again = pickle.loads(pickle.dumps(scores))
    assert again.better == scores.better
    assert equal(again.values, scores.values)
    assert scores.to_dict()["r2"]["1"] == {"map": 1.0}
    assert "map" in repr(scores)
    assert scores.sel(run="r2", measure="AP").measures == ("map",)
    assert cf.stats.t_test(scores, nan="omit").measure == "map"
    whole = scores.sel(topic=["1", "10"])
    assert cf.meta.correlation(cf.Scores.concat([whole, other(whole)], axis="measure"))


def other(scores: cf.Scores) -> cf.Scores:
    records = [
        (r, t, "cost", -v)
        for r in scores.runs
        for t, v in zip(scores.topics, scores[r, "map"], strict=True)
    ]
    return cf.Scores.from_records(records, better="lower")


def test_a_measure_that_is_better_low_orders_runs_the_other_way_round() -> None:
    scores = cf.Scores.from_records(
        [(run, t, "cost", v + t) for run, v in (("a", 3), ("b", 1), ("c", 2)) for t in (1, 2)],
        better="lower",
    )
    assert cf.meta.best(scores, 2, "cost").runs == ("b", "c")
    row = scores.compare(baseline="a")["b", "cost"]
    assert (row.wins, row.losses, row.difference) == (2, 0, -2.0)
    power = cf.meta.discriminative_power(scores, "t")
    assert power.better == ("lower",)


def test_compare_agrees_with_the_function() -> None:
    scores = cf.evaluate(QRELS, RUNS, "AP RR")
    whole = cf.compare(QRELS, RUNS, "AP RR", baseline="old", bounds=False)
    own = scores.compare(baseline="old")
    assert own.measures == whole.measures == ("AP", "RR")
    for mine, theirs in zip(own.rows, whole.rows, strict=True):
        for name in ("difference", "p", "interval_low", "interval_high", "wins", "ties", "losses"):
            assert getattr(mine, name) == getattr(theirs, name)
        assert (mine.judged, mine.judged_measure, mine.within_bounds) == (None, None, None)
    assert "Judged" not in repr(own)
    assert own.methods == whole.methods
    assert own.to_pandas()["judged_measure"].isna().all()
    assert own.to_arrow().num_rows == own.to_polars().height == 2


def test_compare_takes_what_is_a_mean_unless_something_else_is_named() -> None:
    scores = cf.evaluate(QRELS, RUNS, "AP num_rel GMAP")
    assert scores.compare().measures == ("AP",)
    assert scores.compare("num_rel").measures == ("num_rel",)
    with pytest.raises(cf.Error, match="GMAP is a geometric mean"):
        scores.compare("GMAP")
    with pytest.raises(cf.LabelError, match="no run 'x'"):
        scores.compare(baseline="x")
    with pytest.raises(cf.Error, match="at least two runs, found 1 run"):
        scores.sel(run="old").compare()


def test_a_count_that_a_run_lacks_has_no_sum() -> None:
    records = [("a", 1, "num_rel", 3), ("a", 2, "num_rel", 4), ("b", 1, "AP", 0.5)]
    summary = cf.Scores.from_records(records).summary()
    assert summary[0, 0] == 7
    assert np.isnan(summary[1, 0])
