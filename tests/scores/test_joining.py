"""Several scores joined to one, and the fingerprint that says whether they fit."""

import pickle

import cranfield as cf
import pytest

from tests.scores.small import QRELS, RECORDS, RUNS, equal


def test_joined_along_each_axis_they_are_the_whole() -> None:
    whole = cf.evaluate(QRELS, RUNS, "AP RR num_rel micro_P@2")
    for axis in ("run", "topic", "measure"):
        labels = getattr(whole, f"{axis}s")
        parts = [whole.sel(**{axis: label}) for label in reversed(labels)]
        joined = cf.Scores.concat(parts, axis=axis)
        expected = whole if axis == "topic" else whole.sel(**{axis: labels[::-1]})
        assert equal(joined.values, expected.values)
        assert equal(joined.summary(), expected.summary())
        assert (joined.runs, joined.topics) == (expected.runs, expected.topics)
        assert joined.measures == expected.measures
        assert joined.fingerprint == whole.fingerprint
        assert set(joined.notes) == set(whole.notes)


def test_other_axes_may_be_in_another_order() -> None:
    whole = cf.evaluate(QRELS, RUNS, "AP RR")
    turned = whole.sel(run="new", measure=["RR", "AP"])
    joined = cf.Scores.concat([whole.sel(run="old"), turned])
    assert equal(joined.values, whole.values)


def test_scores_that_do_not_fit() -> None:
    whole = cf.evaluate(QRELS, RUNS, "AP RR")
    other = cf.evaluate({**QRELS, "1": {"a": 2}}, {"x": RUNS["old"]}, "AP RR")
    with pytest.raises(cf.Error, match="different judgments") as caught:
        cf.Scores.concat([whole, other])
    assert caught.value.kind == "option"
    skipped = cf.evaluate(QRELS, {"x": RUNS["old"]}, "AP RR", undefined="skip")
    with pytest.raises(cf.Error, match="different options: undefined=zero or undefined=skip"):
        cf.Scores.concat([whole, skipped])
    with pytest.raises(cf.Error, match="different judgments"):
        cf.Scores.concat([whole, pickle.loads(pickle.dumps(other))])
    with pytest.raises(cf.Error, match="the run 'old' is in two of the scores"):
        cf.Scores.concat([whole, whole])
    with pytest.raises(cf.LabelError, match="no topic in all of the scores '1'"):
        cf.Scores.concat([whole.sel(run="old"), whole.sel(run="new", topic=["2", "10"])])
    with pytest.raises(cf.Error, match="as axis, found 'runs'"):
        cf.Scores.concat([whole], axis="runs")
    with pytest.raises(cf.Error, match="expected scores, found none"):
        cf.Scores.concat([])
    with pytest.raises(cf.Error, match="expected a list of Scores, found a Scores"):
        cf.Scores.concat(whole)  # type: ignore[arg-type]
    with pytest.raises(cf.Error, match="expected Scores, found a int"):
        cf.Scores.concat([1])  # type: ignore[list-item]


def test_scores_from_elsewhere_join_those_of_cranfield() -> None:
    own = cf.evaluate(QRELS, RUNS, "AP")
    records = [(run, topic, "cost", 1.0) for run in own.runs for topic in own.topics]
    joined = cf.Scores.concat(
        [own, cf.Scores.from_records(records, better="lower")], axis="measure"
    )
    assert joined.better == {"AP": "higher", "cost": "lower"}
    assert joined.fingerprint == own.fingerprint


def test_the_fingerprint_is_of_judgments_and_options_only() -> None:
    base = cf.evaluate(QRELS, RUNS, "AP").fingerprint
    turned = {topic: dict(reversed(docs.items())) for topic, docs in reversed(QRELS.items())}
    assert cf.evaluate(turned, {"x": RUNS["old"]}, "RR", threads=1).fingerprint == base
    assert cf.Evaluator(cf.Qrels(QRELS), "AP").evaluate(RUNS).fingerprint == base
    for options in (
        {"missing": "skip"},
        {"undefined": "skip"},
        {"order": "docno_asc"},
        {"scores": "f32"},
        {"duplicates": "first"},
        {"negative": "nonrelevant"},
        {"ties": "average"},
        {"depth": 5},
    ):
        assert cf.evaluate(QRELS, RUNS, "AP", **options).fingerprint != base
    assert cf.evaluate(cf.Qrels(QRELS, docs_in_collection=9), RUNS, "AP").fingerprint != base
    assert cf.Scores.from_records(RECORDS).fingerprint is None
