"""Precision-recall and ROC curves: by hand, from their definitions, and against the measures.

``IPrec`` and ``AUC`` are tested in the core; the curves must have their values.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import curves

from tests import ROOT

EXAMPLE = ROOT / "examples" / "debtags"
COLLECTION = 21_629
"""The documents of the example collection, as its README says."""


def as_run(ranking: list[str]) -> dict[str, float]:
    """Scores that rank documents in this order."""
    return {document: float(-rank) for rank, document in enumerate(ranking)}


# by hand

# Exercise 8.9 of Manning, Raghavan and Schütze (2008): relevant documents at ranks
# 1 2 9 11 15 20 of 20, and eight of them in a collection of 10,000.
RANKS = [1, 2, 9, 11, 15, 20]
RANKING = [f"{'r' if rank in RANKS else 'n'}{rank}" for rank in range(1, 21)]
JUDGED = {document: float(document[0] == "r") for document in RANKING}
IIR = cf.Qrels({"1": {**JUDGED, "missed1": 1.0, "missed2": 1.0}}, docs_in_collection=10_000)
IIR_RUN = {"1": as_run(RANKING)}


def test_exercise_8_9_of_iir() -> None:
    curve = curves.precision_recall(IIR, IIR_RUN, "1")
    assert (curve.run, curve.topic) == ("run", "1")
    assert curve.precision is not None
    # c) the precisions at 25% recall are those of ranks 2 to 8
    at_quarter = curve.recall == 0.25
    assert curve.precision[at_quarter].tolist() == [2 / rank for rank in range(2, 9)]
    assert set(curve.interpolated[at_quarter]) == {1.0}
    # d) interpolated at 33% recall: the best of 3/9, 4/11, 5/15, 6/20
    assert curve.interpolated[8] == 4 / 11
    assert curve.interpolated[[14, 19]].tolist() == [5 / 15, 6 / 20]
    # b) precision and recall at 20 give F1 = 2 x .3 x .75 / 1.05 = 3/7
    assert (curve.precision[-1], curve.recall[-1]) == (0.3, 0.75)


def test_the_levels_of_a_run_are_those_of_iap() -> None:
    curve = curves.precision_recall(IIR, IIR_RUN)
    assert (curve.run, curve.topic, curve.precision) == ("run", None, None)
    np.testing.assert_array_equal(curve.recall, np.arange(11) / 10)
    # .1 needs 1 document, .2 needs 2, .3 needs 3, .4 needs 4, .5 needs 4, .6 needs 5,
    # .7 needs 6 and .8 needs 7, which are not in the list.
    expected = [1, 1, 1, 4 / 11, 4 / 11, 4 / 11, 5 / 15, 6 / 20, 0, 0, 0]
    np.testing.assert_array_equal(curve.interpolated, expected)
    (iap,) = cf.evaluate(IIR, IIR_RUN, "IAP").mean()[0]
    assert curve.interpolated.mean() == pytest.approx(iap, rel=1e-12)


def test_a_roc_curve_by_hand() -> None:
    # Relevant a c e; a x b c are retrieved, of 7 documents: 4 are not relevant, x and b
    # stand above c, and two of those beside e are left.
    qrels = cf.Qrels({"1": {"a": 1, "b": 0, "c": 1, "e": 1}}, docs_in_collection=7)
    run = {"1": as_run(["a", "x", "b", "c"])}
    curve = curves.roc(qrels, run, 1)
    assert curve.topic == "1"
    assert curve.false_positive_rate.tolist() == [0, 0, 1 / 4, 2 / 4, 2 / 4, 1]
    assert curve.true_positive_rate.tolist() == [0, 1 / 3, 1 / 3, 1 / 3, 2 / 3, 1]
    # Columns of 1/4: 1/3, 1/3, and then from 2/3 to 1.
    assert curve.auc == pytest.approx(1 / 12 + 1 / 12 + 1 / 2 * 5 / 6, rel=1e-12)
    # At 1/2 the upper end counts; at 3/4 the line has gone half its way.
    mean = curves.roc(qrels, run, points=5)
    assert mean.topic is None
    assert mean.false_positive_rate.tolist() == [0, 1 / 4, 1 / 2, 3 / 4, 1]
    np.testing.assert_allclose(mean.true_positive_rate, [1 / 3, 1 / 3, 2 / 3, 5 / 6, 1], rtol=1e-12)
    assert mean.auc == curve.auc


# against definitions and measures


def collections(seed: int, cases: int) -> Iterator[tuple[cf.Qrels, cf.Run]]:
    """Random judgments with their collection's size, and a run that ties and lacks topics."""
    rng = random.Random(seed)
    for _ in range(cases):
        qrels, run = {}, {}
        for topic in ("1", "2", "3", "4"):
            documents = [f"d{i}" for i in range(rng.randint(1, 12))]
            qrels[topic] = {d: rng.choice((-1, 0, 0, 1, 2)) for d in documents}
            found = rng.sample(documents, rng.randint(0, len(documents)))
            found += [f"u{i}" for i in range(rng.randint(0, 5))]
            if rng.random() < 0.8:
                run[topic] = {document: float(rng.randint(0, 4)) for document in found}
        size = rng.randint(20, 60)
        yield cf.Qrels(qrels, docs_in_collection=size), cf.Run(run)


def ranked(run: cf.Run, topic: str) -> list[str]:
    """A topic's list: by score, among equal scores by document, descending."""
    if topic not in run:
        return []
    return sorted(run[topic], key=lambda document: (run[topic][document], document), reverse=True)


@pytest.mark.parametrize(("rel", "condensed"), [(1, False), (2, False), (1, True)])
def test_curves_of_topics_are_as_defined(rel: int, condensed: bool) -> None:
    for qrels, run in collections(1, 60):
        size = qrels.docs_in_collection
        assert size is not None
        for topic in qrels.topics:
            grades = qrels[topic]
            total = sum(grade >= rel for grade in grades.values())
            ranking = ranked(run, topic)
            if condensed:
                ranking = [d for d in ranking if grades.get(d, -1) >= 0]
            hits = list(itertools.accumulate(grades.get(d, -1) >= rel for d in ranking))
            points = [Fraction(hit, rank) for rank, hit in enumerate(hits, 1)]
            recalls = [Fraction(hit, max(total, 1)) for hit in hits]
            best = [
                max(p for p, other in zip(points, recalls, strict=True) if other >= recall)
                for recall in recalls
            ]
            curve = curves.precision_recall(qrels, run, topic, rel=rel, condensed=condensed)
            assert curve.precision is not None
            assert curve.precision.tolist() == [float(p) for p in points]
            assert curve.recall.tolist() == [float(r) for r in recalls]
            assert curve.interpolated.tolist() == [float(p) for p in best]
            roc = curves.roc(qrels, run, topic, rel=rel, condensed=condensed)
            misses = [rank - hit for rank, hit in enumerate(hits, 1)]
            expected = [0, *misses, size - total]
            np.testing.assert_allclose(
                roc.false_positive_rate, np.array(expected) / (size - total), rtol=1e-15
            )
            np.testing.assert_allclose(
                roc.true_positive_rate, np.array([0, *hits, total]) / max(total, 1), rtol=1e-15
            )


POLICIES = [
    {"missing": missing, "undefined": undefined}
    for missing in ("zero", "skip")
    for undefined in ("zero", "skip")
]


@pytest.mark.parametrize("options", POLICIES)
@pytest.mark.parametrize("prime", ["", "'"])
def test_curves_of_runs_have_the_values_of_measures(options: Any, prime: str) -> None:
    points = 9
    measures = [f"IPrec{prime}@{level / (points - 1)}" for level in range(points)]
    condensed = bool(prime)
    for qrels, run in collections(2, 60):
        curve = curves.precision_recall(qrels, run, points=points, condensed=condensed, **options)
        expected = cf.evaluate(qrels, run, measures, **options).mean()[0]
        np.testing.assert_allclose(curve.interpolated, expected, rtol=1e-12, atol=1e-12)
        precisions = cf.evaluate(qrels, run, f"AP{prime}", **options)
        np.testing.assert_allclose(curve.ap, precisions.mean()[0, 0], rtol=1e-12, atol=1e-12)
        for topic, ap in zip(precisions.topics, precisions.values[0, :, 0], strict=True):
            of_one = curves.precision_recall(qrels, run, topic, condensed=condensed, **options)
            np.testing.assert_allclose(of_one.ap, ap, rtol=1e-12, atol=1e-12)
        roc = curves.roc(qrels, run, condensed=condensed, **options)
        areas = cf.evaluate(qrels, run, f"AUC{prime}", **options)
        np.testing.assert_allclose(roc.auc, areas.mean()[0, 0], rtol=1e-12, atol=1e-12)
        for topic, area in zip(areas.topics, areas.values[0, :, 0], strict=True):
            of_topic = curves.roc(qrels, run, topic, condensed=condensed, **options)
            np.testing.assert_allclose(of_topic.auc, area, rtol=1e-12, atol=1e-12)
            if not math.isnan(area):
                x, y = of_topic.false_positive_rate, of_topic.true_positive_rate
                trapezoids = float((np.diff(x) * (y[1:] + y[:-1])).sum() / 2)
                assert trapezoids == pytest.approx(area, rel=1e-12, abs=1e-12)


def test_the_mean_roc_curve_is_that_of_its_topics() -> None:
    """numpy's interpolation takes the upper end of a vertical part too."""
    for qrels, run in collections(3, 60):
        kept = []
        for topic in qrels.topics:
            curve = curves.roc(qrels, run, topic)
            # A grid on which no corner lies by rounding alone.
            grid = np.linspace(0, 1, 8) + 1e-13
            kept.append(np.interp(grid, curve.false_positive_rate, curve.true_positive_rate))
        mean = curves.roc(qrels, run, points=8)
        np.testing.assert_allclose(mean.true_positive_rate, np.mean(kept, axis=0), atol=1e-10)


@pytest.fixture(scope="module")
def debtags() -> tuple[cf.Qrels, Path]:
    qrels = cf.read_qrels(EXAMPLE / "qrels.txt", docs_in_collection=COLLECTION)
    return qrels, EXAMPLE / "runs" / "dense-minilm.run.gz"


@pytest.mark.parametrize("points", [2, 11, 21, 101])
def test_the_levels_of_recall_are_compared_exactly(
    debtags: tuple[cf.Qrels, Path], points: int
) -> None:
    qrels, run = debtags
    curve = curves.precision_recall(qrels, run, points=points)
    measures = [f"IPrec@{level / (points - 1)}" for level in range(points)]
    expected = cf.evaluate(qrels, run, [*measures, f"IAP(points={points})"]).mean()[0]
    np.testing.assert_allclose(curve.interpolated, expected[:-1], rtol=1e-12)
    assert curve.interpolated.mean() == pytest.approx(expected[-1], rel=1e-12)
    assert curve.run == "dense-minilm"


def test_the_area_is_auc_on_real_runs(debtags: tuple[cf.Qrels, Path]) -> None:
    qrels, run = debtags
    areas = cf.evaluate(qrels, run, "AUC")
    assert curves.roc(qrels, run).auc == pytest.approx(areas.mean()[0, 0], rel=1e-12)
    for topic, area in zip(areas.topics[:10], areas.values[0, :10, 0], strict=True):
        assert curves.roc(qrels, run, topic).auc == pytest.approx(area, rel=1e-12)


# policies

POOR = cf.Qrels({"1": {"a": 1}, "2": {"x": 0}, "3": {"y": 1}}, docs_in_collection=5)
POOR_RUN = {"1": {"b": 2.0, "a": 1.0}, "2": {"x": 1.0}}
"""Topic 2 has no relevant document; topic 3 is missing."""


def test_a_topic_without_relevant_documents_has_zeros_by_default() -> None:
    curve = curves.precision_recall(POOR, POOR_RUN, "2")
    assert curve.precision is not None
    for array in (curve.recall, curve.precision, curve.interpolated):
        assert array.tolist() == [0.0]
    roc = curves.roc(POOR, POOR_RUN, "2")
    assert roc.true_positive_rate.tolist() == [0.0, 0.0, 0.0]
    assert roc.false_positive_rate.tolist() == [0.0, 1 / 5, 1.0]
    assert roc.auc == 0.0
    # 1/2, 0 and 0
    assert curves.precision_recall(POOR, POOR_RUN, points=2).interpolated.tolist() == [1 / 6] * 2


def test_a_topic_can_be_left_out() -> None:
    options: Any
    for topic, options in (("2", {"undefined": "skip"}), ("3", {"missing": "skip"})):
        curve = curves.precision_recall(POOR, POOR_RUN, topic, **options)
        assert np.isnan(curve.recall).all()
        assert math.isnan(curves.roc(POOR, POOR_RUN, topic, **options).auc)
    # Only topic 1 is in this run. Topic 2 is missing and undefined, topic 3 is missing.
    alone = {"1": POOR_RUN["1"]}
    for options, mean in (({"undefined": "skip"}, 1 / 4), ({"missing": "skip"}, 1 / 2)):
        curve = curves.precision_recall(POOR, alone, points=2, **options)
        assert curve.interpolated.tolist() == [mean, mean]


def test_a_mean_of_nothing_is_nan() -> None:
    curve = curves.precision_recall({"1": {"a": 0}}, {"1": {"a": 1.0}}, undefined="skip")
    assert np.isnan(curve.interpolated).all()
    qrels = cf.Qrels({"1": {"a": 0}}, docs_in_collection=2)
    roc = curves.roc(qrels, {"1": {"a": 1.0}}, undefined="skip")
    assert np.isnan(roc.true_positive_rate).all()
    assert math.isnan(roc.auc)


def test_a_missing_topic_has_an_empty_list() -> None:
    curve = curves.precision_recall(POOR, POOR_RUN, "3")
    assert curve.recall.shape == curve.interpolated.shape == (0,)
    roc = curves.roc(POOR, POOR_RUN, "3")
    assert (roc.true_positive_rate.tolist(), roc.auc) == ([0.0, 1.0], 0.5)


# arguments and errors


def test_options_reach_the_ranking() -> None:
    tied = {"1": {"a": 1.0, "b": 1.0}}
    several: list[Any] = [{}, {"order": "docno_asc"}, {"depth": 1}]
    precision = [
        curves.precision_recall({"1": {"a": 1}}, tied, "1", **options).precision
        for options in several
    ]
    assert [p.tolist() for p in precision if p is not None] == [[0, 0.5], [1, 0.5], [0]]


def test_a_run_is_read_once_from_whatever_is_a_run(tmp_path: Path) -> None:
    path = tmp_path / "mine.run"
    cf.Run(IIR_RUN).write(str(path))
    expected = curves.precision_recall(IIR, IIR_RUN).interpolated
    with path.open("rb") as stream:
        found = [curves.precision_recall(IIR, run) for run in (path, {"mine": path}, stream)]
    for curve in found:
        assert curve.run == "mine"
        np.testing.assert_array_equal(curve.interpolated, expected)


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "message"),
    [
        ((POOR, POOR_RUN, "4"), {}, "label", "no topic '4'; there are: 1, 2, 3"),
        ((POOR, {"a": POOR_RUN, "b": POOR_RUN}), {}, "option", "expected one run, found 2"),
        ((POOR, []), {}, "option", "expected one run, found 0"),
        ((POOR, POOR_RUN), {"points": 1}, "option", "expected from 2 to 1000000 points, found 1"),
        ((POOR, POOR_RUN), {"points": 10**9}, "option", "2 to 1000000 points, found 1000000000"),
        (
            (POOR, POOR_RUN),
            {"points": 2.5},
            "option",
            "a whole number as points, found 2.5",
        ),
        ((POOR, POOR_RUN), {"rel": -1}, "parameter", "expected a number of at least 0 as rel"),
        ((POOR, POOR_RUN), {"order": "x"}, "option", "as order, found `x`"),
        ((POOR, POOR_RUN), {"missing": "error"}, "topics", "found 1 missing: `3`"),
        (
            (POOR, POOR_RUN),
            {"undefined": "error"},
            "undefined",
            "is undefined for topic `2`: it has no relevant document",
        ),
        ((POOR, 7), {}, "type", "an object of type int cannot be read as a run"),
    ],
)
@pytest.mark.parametrize("curve", [curves.precision_recall, curves.roc])
def test_what_is_wrong_is_an_error(
    curve: Any, arguments: tuple[Any, ...], options: dict[str, Any], kind: str, message: str
) -> None:
    with pytest.raises(cf.Error) as caught:
        curve(*arguments, **options)
    assert caught.value.kind == kind
    assert message in str(caught.value)


def test_roc_needs_the_size_of_the_collection() -> None:
    with pytest.raises(cf.Error, match="give docs_in_collection with the judgments") as caught:
        curves.roc({"1": {"a": 1}}, POOR_RUN)
    assert caught.value.kind == "needs"
    with pytest.raises(cf.Error, match="found 1, expected at least 2") as caught:
        curves.roc(cf.Qrels({"1": {"a": 1}}, docs_in_collection=1), POOR_RUN)
    assert caught.value.kind == "option"


def test_an_unknown_option_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="color"):
        curves.roc(POOR, POOR_RUN, color="red")  # type: ignore[call-arg]


# the objects


def test_curves_are_read_only() -> None:
    for curve in (
        curves.precision_recall(IIR, IIR_RUN),
        curves.precision_recall(IIR, IIR_RUN, "1"),
        curves.roc(IIR, IIR_RUN),
        curves.roc(IIR, IIR_RUN, "1"),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            curve.run = "other"  # type: ignore[misc]
        for field in dataclasses.fields(curve):
            array = getattr(curve, field.name)
            if isinstance(array, np.ndarray):
                assert array.dtype == np.float64
                with pytest.raises(ValueError, match="read-only"):
                    array[0] = 0.0


def test_curves_say_what_they_are() -> None:
    assert repr(curves.precision_recall(IIR, IIR_RUN)) == "<PrecisionRecall: run, 11 points>"
    topic = curves.precision_recall(IIR, {"a\x1b": IIR_RUN}, "1")
    assert repr(topic) == "<PrecisionRecall: a\\x1b, 1, 20 points>"
    assert repr(curves.roc(POOR, POOR_RUN, "3")) == "<ROC: run, 3, 2 points, AUC 0.5000>"


def test_curves_are_frames() -> None:
    pytest.importorskip("pandas")
    curve = curves.precision_recall(IIR, IIR_RUN, "1")
    frame = curve.to_pandas()
    assert list(frame.columns) == ["recall", "interpolated", "precision"]
    assert frame["recall"].tolist() == curve.recall.tolist()
    assert curves.precision_recall(IIR, IIR_RUN).to_pandas().shape == (11, 2)
    assert list(curves.roc(IIR, IIR_RUN).to_pandas().columns) == [
        "false_positive_rate",
        "true_positive_rate",
    ]


def in_legend(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_curves_are_drawn() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    ax = curves.precision_recall(IIR, IIR_RUN).plot()
    assert curves.precision_recall(IIR, IIR_RUN, "1").plot(ax, color="red", label="mine") is ax
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("recall", "precision")
    _, labels = ax.get_legend_handles_labels()
    (ap,) = cf.evaluate(IIR, IIR_RUN, "AP").mean()[0]
    assert labels == [f"run, AP {ap:.4f}", "mine"]
    assert in_legend(ax) == labels
    # Of a topic the interpolated curve, from recall 0 on, and the thin one.
    of_run, of_topic = (curves.precision_recall(IIR, IIR_RUN, topic) for topic in (None, "1"))
    expected: list[tuple[Any, Any]] = [
        (of_run.recall, of_run.interpolated),
        ([0, *of_topic.recall], [of_topic.interpolated[0], *of_topic.interpolated]),
        (of_topic.recall, of_topic.precision),
    ]
    for line, (x, y) in zip(ax.get_lines(), expected, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), x)
        np.testing.assert_array_equal(line.get_ydata(), y)
    assert {line.get_color() for line in ax.get_lines()[1:]} == {"red"}
    roc = curves.roc(IIR, IIR_RUN)
    ax = roc.plot()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("false positive rate", "true positive rate")
    (area,) = cf.evaluate(IIR, IIR_RUN, "AUC").mean()[0]
    assert in_legend(ax) == [f"run, AUC {area:.4f}"]
    curve, diagonal = ax.get_lines()
    np.testing.assert_array_equal(curve.get_xdata(), roc.false_positive_rate)
    np.testing.assert_array_equal(curve.get_ydata(), roc.true_positive_rate)
    assert np.array(diagonal.get_xydata()).tolist() == [[0, 0], [1, 1]]
    assert curves.roc(IIR, IIR_RUN, "1").plot(ax, legend=False) is ax
    assert [line.get_gid() for line in ax.get_lines()] == ["run", "diagonal", "run, 1"]
    assert len(in_legend(ax)) == 1
    pyplot.close("all")


def test_drawing_says_what_it_needs() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import cranfield as cf\n"
        "try:\n"
        "    cf.curves.precision_recall({'1': {'a': 1}}, {'1': {'a': 1}}).plot()\n"
        "except ImportError as error:\n"
        "    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "plot needs matplotlib: pip install 'cranfield[plot]'\n"


def test_curves_are_loaded_when_they_are_used() -> None:
    code = (
        "import sys, cranfield as cf\n"
        "assert not {'cranfield.curves', 'numpy'} & set(sys.modules)\n"
        "cf.curves.roc\n"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_curves_of_characters() -> None:
    """Worked by hand: 10 of 40 characters after 20, 30 after 80, 35 after 100, 35 after 120."""
    gold = cf.SpanQrels({"q1": [("A", 10, 30), ("A", 60, 70), ("B", 0, 10)], "q2": [("C", 0, 4)]})
    lists = {"q1": [("A", 0, 20), ("A", 20, 80), ("B", 5, 25), ("A", 10, 30)], "q2": [("C", 0, 8)]}
    run = cf.SpanRun(lists, name="chunks")
    curve = cf.curves.precision_recall(gold, run, "q1")
    assert curve.recall.tolist() == [1 / 4, 3 / 4, 7 / 8, 7 / 8]
    assert curve.precision is not None
    assert curve.precision.tolist() == [1 / 2, 3 / 8, 7 / 20, 7 / 24]
    # The last chunk repeats: at its recall the chunk above is more precise.
    assert curve.interpolated.tolist() == [1 / 2, 3 / 8, 7 / 20, 7 / 20]
    whole = cf.curves.precision_recall(gold, run, points=5)
    assert whole.recall.tolist() == [0, 0.25, 0.5, 0.75, 1]
    # In the second topic precision is 1/2 at every level.
    expected = [(1 / 2 + 1 / 2) / 2, 1 / 2, (3 / 8 + 1 / 2) / 2, (3 / 8 + 1 / 2) / 2, 1 / 4]
    assert whole.interpolated.tolist() == expected
    assert whole.ap == cf.evaluate(gold, run, "char-AP").mean()[0, 0]
    none = cf.curves.precision_recall(gold, {"q1": []}, "q2")
    assert none.recall.tolist() == []
    with pytest.raises(cf.Error, match="no topic 'q9'"):
        cf.curves.precision_recall(gold, run, "q9")
    with pytest.raises(cf.Error, match="condensed lists are of documents"):
        cf.curves.precision_recall(gold, run, condensed=True)
    with pytest.raises(cf.Error, match=r"run\.documents\(\)"):
        cf.curves.roc(gold, run)
