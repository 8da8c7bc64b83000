"""cranfield.compat.ranx: the same calls, numbers and reports as ranx."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield.compat import ranx as ours

from tests import effort, graded
from tests.against.peers.compiled_once import ranx as theirs

CASES = effort.seeds(500, 100)

METRICS = [
    *("hits", "hit_rate", "precision", "recall", "f1", "r-precision", "mrr", "map"),
    *("dcg", "dcg_burges", "ndcg", "ndcg_burges", "rbp.50", "rbp.95", "rbp@8"),
    *("hits@3", "hit_rate@2", "precision@5", "recall@3", "f1@4", "mrr@2", "map@3", "ndcg@3"),
    *("dcg@4", "dcg_burges@4", "ndcg_burges@5", "recall@50", "f1@50", "map@50"),
    *("hits@3-l2", "map-l2", "ndcg@5-l2", "ndcg_burges-l3", "recall@3-l2", "rbp.80-l2"),
    *("mrr-l2", "r-precision-l2", "f1-l2", "f1@3-l2", "dcg-l2"),
]


def collection(seed: int) -> tuple[graded.Judgments, graded.Scored]:
    """Topics of both, without ties, each with a document that is relevant."""
    rng = random.Random(seed)
    topics = [f"q{i}" for i in range(rng.randint(1, 4))]
    qrels, run = graded.random_collection(rng, topics, negative=False, missing=False)
    for judged in qrels.values():
        judged.setdefault("one", 1)
    return qrels, run


def collections(*, unjudged: bool = False) -> tuple[graded.Judgments, graded.Scored]:
    """The topics of all random collections: ranx needs long for a call and little for a topic."""
    qrels: graded.Judgments = {}
    run: graded.Scored = {}
    for seed in CASES:
        judged, lists = collection(seed)
        for topic, grades in judged.items():
            if unjudged:
                grades.setdefault("two", 0)
            qrels[f"{seed:04}-{topic}"] = grades
            run[f"{seed:04}-{topic}"] = lists[topic]
    return qrels, run


def test_random_collections() -> None:
    qrels, run = collections()
    expected = theirs.evaluate(theirs.Qrels(qrels), theirs.Run(run), METRICS, return_mean=False)
    found = ours.evaluate(ours.Qrels(qrels), ours.Run(run), METRICS, return_mean=False)
    assert list(found) == METRICS
    for metric in METRICS:
        np.testing.assert_allclose(
            found[metric], expected[metric], rtol=1e-9, atol=1e-12, err_msg=metric
        )
    assert sum(map(len, found.values())) > 60 * len(CASES)


def test_bpref() -> None:
    """DIFFERENCE: NaN there without a document judged not relevant, and then wrong for the rest."""
    qrels, run = collections(unjudged=True)
    expected = theirs.evaluate(theirs.Qrels(qrels), theirs.Run(run), "bpref", return_mean=False)
    found = ours.evaluate(qrels, run, "bpref", return_mean=False)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert len(found) > len(CASES)
    assert np.isnan(theirs.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "bpref"))
    assert ours.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "bpref") == 1.0


@pytest.mark.parametrize("name", graded.REAL)
def test_real_runs(data: Path, name: str) -> None:
    for _, qrels, run in graded.real(data / name, 1):
        # Its work grows with the length of a list times the number of judgments.
        judged = {t: g for t, g in list(qrels.items())[:20] if max(g.values()) > 0}
        lists = graded.untied({t: dict(list(run[t].items())[:100]) for t in judged})
        expected = theirs.evaluate(theirs.Qrels(judged), theirs.Run(lists), METRICS)
        found = ours.evaluate(judged, lists, METRICS)
        assert found == pytest.approx(expected, rel=1e-9)


def test_order_of_ties() -> None:
    """DIFFERENCE: by falling document id unless the rules of ranx are asked for."""
    qrels, run = {"1": {"a": 1}}, {"1": {"b": 1.0, "a": 1.0, "c": 1.0}}
    assert theirs.evaluate(theirs.Qrels(qrels), theirs.Run(run), "mrr") == 1 / 2
    assert ours.evaluate(qrels, run, "mrr", rules="ranx") == 1 / 2
    assert ours.evaluate(ours.Qrels(qrels), ours.Run(run), "mrr", rules="ranx") == 1 / 2
    assert ours.evaluate(qrels, run, "mrr") == 1 / 3
    qrels, run = collections()
    for topic, scored in run.items():
        for document in scored:
            scored[document] = float(random.Random(f"{topic}{document}").randint(0, 3))
    expected = theirs.evaluate(theirs.Qrels(qrels), theirs.Run(run), METRICS)
    found = ours.evaluate(qrels, run, METRICS, rules="ranx")
    assert found == pytest.approx(expected, rel=1e-9)


def test_negative_grades() -> None:
    qrels, run = {"1": {"a": 1, "b": 0, "c": -1}}, {"1": {"c": 2.0, "a": 1.0}}
    assert theirs.evaluate(theirs.Qrels(qrels), theirs.Run(run), "bpref") == 0.0
    assert ours.evaluate(qrels, run, "bpref", rules="ranx") == 0.0
    assert ours.evaluate(qrels, run, "bpref") == 1.0


def test_shapes_of_answers() -> None:
    qrels, run = collection(7)
    for metrics in ("ndcg@5", ["ndcg@5"], ["ndcg@5", "map"]):
        for std in (False, True):
            a, b = ((side.Qrels(qrels), side.Run(run), metrics) for side in (theirs, ours))
            expected = theirs.evaluate(*a, return_std=std)
            found = ours.evaluate(*b, return_std=std)
            assert type(found) is type(expected)
            if isinstance(expected, dict) and len(metrics) == 2 and std:
                for metric in metrics:
                    assert found[metric] == pytest.approx(expected[metric])
            else:
                assert found == pytest.approx(expected)
    values = ours.evaluate(qrels, run, "ndcg@5", return_mean=False, save_results_in_run=False)
    assert values.shape == (len(qrels),)
    assert values.dtype == np.float64


def test_results_are_saved_in_the_run() -> None:
    qrels, run = collection(3)
    a, b = theirs.Run(run), ours.Run(run)
    for save, table in ((True, b), (False, c := ours.Run(run))):
        ours.evaluate(
            ours.Qrels(qrels), table, ["map", "mrr"], return_std=True, save_results_in_run=save
        )
    theirs.evaluate(theirs.Qrels(qrels), a, ["map", "mrr"], return_std=True)
    assert b.mean_scores == pytest.approx(a.mean_scores)
    assert b.std_scores == pytest.approx(a.std_scores)
    assert {m: pytest.approx(v) for m, v in a.scores.items()} == b.scores
    assert not c.scores
    assert not c.mean_scores


def test_a_dict_of_topics_in_another_order() -> None:
    """DIFFERENCE: ranx pairs the topics of two dicts by their places."""
    qrels = {"2": {"a": 1, "b": 0}, "1": {"c": 1, "d": 0}}
    run = {"1": {"c": 2.0, "d": 1.0}, "2": {"b": 2.0, "a": 1.0}}
    assert list(ours.evaluate(qrels, run, "mrr", return_mean=False)) == [0.5, 1.0]
    assert theirs.evaluate(qrels, run, "mrr") == 0.0


def test_topics_of_one_side() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}, "3": {"c": 1.0}}
    with pytest.raises(AssertionError, match=r"the run lacks '2'.*make_comparable"):
        ours.evaluate(qrels, run, "map")
    for table in (run, ours.Run(run)):
        assert ours.evaluate(qrels, table, "map", make_comparable=True) == 0.5
    made = ours.Run(run).make_comparable(ours.Qrels(qrels))
    assert made.to_dict() == theirs.Run(run).make_comparable(theirs.Qrels(qrels)).to_dict()


@pytest.mark.parametrize(
    ("metric", "error"),
    [
        ("nonsuch", ValueError),
        ("rbp", ValueError),
        ("ndcg@ten", ValueError),
        (7, AssertionError),
        ("map-l0", ValueError),
    ],
)
def test_metrics_that_do_not_exist(metric: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="expected"):
        ours.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, [metric])


def test_a_run_nested_the_wrong_way() -> None:
    """Its topics are not those of the judgments, as ranx reports."""
    qrels, nested = {"1": {"a": 1}}, {"bm25": {"1": {"a": 1.0}}}
    for side in (theirs, ours):
        with pytest.raises(AssertionError, match="do not match"):
            side.evaluate(qrels, nested, "map")
        with pytest.raises(ValueError, match="'x'"):
            side.evaluate(qrels, {"1": {"a": "x"}}, "map")
        for wrong in ({"1": ["a"]}, {"1": None}):
            with pytest.raises(AttributeError):
                side.evaluate(wrong, {"1": {"a": 1.0}}, "map")
            with pytest.raises(AttributeError):
                side.evaluate(qrels, wrong, "map")
    with pytest.raises(TypeError, match="expected judgments, found a Run"):
        ours.evaluate(ours.Run({"1": {"a": 1}}), ours.Qrels(qrels), "map")


def test_runs_of_a_generator() -> None:
    qrels, runs = {"1": {"a": 1}, "2": {"b": 1}}, [{"1": {"a": 1.0}, "2": {"a": 1.0}}] * 2
    for side in (theirs, ours):
        report = side.compare(side.Qrels(qrels), (side.Run(run) for run in runs), "map")
        assert report.model_names == ["run_1", "run_2"]


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ({"1": {"a": {"b": 1}}}, {"1": {"a": 1.0}}),
        (7, {"1": {"a": 1.0}}),
        ({"1": {"a": 1}}, "run.txt"),
    ],
)
def test_what_is_not_a_run(qrels: Any, run: Any) -> None:
    with pytest.raises(TypeError, match="expected"):
        ours.evaluate(qrels, run, "map")


@pytest.mark.parametrize(
    ("run", "error"),
    [
        ("run.txt", AttributeError),
        (["a"], AttributeError),
        ({"1": ["a"]}, AttributeError),
        ({"1": "a"}, AttributeError),
        ({"1": {"a": "high"}}, ValueError),
        ({"bm25": {"1": {"a": 1.0}}}, TypeError),
        ({"1": {7: 1.0}}, TypeError),
    ],
)
def test_tables_of_another_shape(run: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        theirs.Run(run)
    with pytest.raises(error, match="expected"):
        ours.Run(run)


def test_comparing_what_is_no_run() -> None:
    qrels, run = ours.Qrels({"1": {"a": 1}}), ours.Run({"1": {"a": 1.0}})
    with pytest.raises(AttributeError, match="expected a list of Run, found str"):
        ours.compare(qrels, "run.txt", ["map"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected a metric or a list of them, found 7"):
        ours.compare(qrels, [run], 7)  # type: ignore[arg-type]


def test_arrays_of_numbers() -> None:
    qrels = [np.array([[1, 2], [2, 1], [3, 0]]), np.array([[5, 1]])]
    run = [np.array([[2, 0.9], [9, 0.8], [1, 0.7]]), np.array([[4, 0.9], [5, 0.1]])]
    from numba.typed import List

    metrics = ["ndcg@2", "map", "mrr"]
    typed = [List([array.astype(np.float64) for array in side]) for side in (qrels, run)]
    assert ours.evaluate(qrels, run, metrics) == pytest.approx(theirs.evaluate(*typed, metrics))
    assert ours.evaluate(typed[0], typed[1], metrics) == pytest.approx(
        theirs.evaluate(*typed, metrics)
    )


def test_tables_change() -> None:
    qrels, run = ours.Qrels(), ours.Run(name="mine")
    for table in (qrels, run):
        table.add_score("q2", "a", 1)
        table.add("q1", ["b", "c"], [1, 2])
        assert len(table) == table.size == 2
    assert list(run["q1"]) == ["c", "b"]
    assert run.get_query_ids() == ["q1", "q2"]
    assert ours.evaluate(qrels, run, "ndcg") == 1.0
    qrels.add_score("q2", "d", 1)
    assert ours.evaluate(qrels, run, "recall") == 0.75
    qrels.set_relevance_level(2)
    assert qrels["q1"] == {"c": 1, "b": 0}
    assert ours.evaluate(qrels, run, "recall") == 0.5
    qrels.add_score("q0", "a", 2)
    run.add_score("q0", "a", 2)
    assert list(ours.evaluate(qrels, run, "recall", return_mean=False)) == [1.0, 1.0, 0.0]
    assert "q0" in run
    assert "q9" not in run
    assert sorted(run) == ["q0", "q1", "q2"]
    with pytest.raises(IndexError, match="expected a value for each document"):
        run.add("q3", ["a", "b"], [1.0])
    with pytest.raises(TypeError, match="expected ids as str, found int 7"):
        run.add_score("q3", 7, 1.0)  # type: ignore[arg-type]


INTS: dict[str, dict[str, Any]] = {"q2": {"a": 5, "b": 7}, "q1": {"y": 2, "b": 1, "c": True}}


@pytest.mark.parametrize(
    "table",
    [
        INTS,
        {"q": {"a": np.float32(1.5), "b": np.int64(3)}},
        {"q": {"a": "1.5", "b": "2"}},
        {"q": {}, "p": {"a": 1}},
    ],
)
def test_scores_are_floats(table: Any) -> None:
    expected, found = theirs.Run(table), ours.Run(table)
    one, other = expected.to_dict(), found.to_dict()
    assert repr(dict(other)) == repr(dict(one))
    for topic in table:
        assert repr(found[topic]) == repr(expected[topic])
    assert found.to_dataframe().dtypes["score"] == expected.to_dataframe().dtypes["score"]
    assert repr({q: dict(d) for q, d in found.run.items()}) == repr(
        {q: dict(d) for q, d in expected.run.items()}
    )


def test_grades_are_ints_unless_they_are_fractions() -> None:
    table: dict[str, dict[str, Any]] = {"q": {"a": 2.0, "b": True, "c": np.int64(1)}}
    assert (
        repr(ours.Qrels(table)["q"]) == repr(theirs.Qrels(table)["q"]) == "{'a': 2, 'b': 1, 'c': 1}"
    )
    assert ours.Qrels({"q": {"a": Fraction(1, 2)}})["q"] == {"a": 0.5}  # type: ignore[dict-item]
    for grade, error in ((float("nan"), ValueError), (float("inf"), OverflowError)):
        for side in (theirs, ours):
            with pytest.raises(error):
                side.Qrels({"q": {"a": grade}})


def test_the_dict_inside_may_be_changed() -> None:
    for side in (theirs, ours):
        qrels, run = side.Qrels({"q1": {"b": 1}, "q2": {"a": 1}}), side.Run(INTS)
        assert list(run.run) == ["q1", "q2"]
        assert side.evaluate(qrels, run, "recall") == 1.0
        grades, scores = qrels.qrels, run.run
        grades["q1"]["z"] = 1
        assert side.evaluate(qrels, run, "recall") == 0.75
        grades["q2"]["z"] = 3
        assert side.evaluate(qrels, run, "recall") == 0.5
        scores["q1"]["b"] = 0.5
        assert run["q1"]["b"] == 0.5
        del scores["q2"]
        assert run.get_query_ids() == ["q1"]
    found = ours.Run()
    found.run = {"q": {"a": 1}}
    assert found["q"] == {"a": 1.0}


def test_what_is_not_here_is_that_of_ranx() -> None:
    qrels, run = collection(3)
    mine = [ours.Run(run, "a"), ours.Run({t: dict(reversed(x.items())) for t, x in run.items()})]
    others = [theirs.Run(dict(x.to_dict()), x.name) for x in mine]
    for first, second in ((mine[0], mine[1]), (mine[0], others[1]), (others[0], mine[1])):
        fused = ours.fuse(runs=[first, second], norm="min-max", method="sum")
        assert type(fused) is ours.Run
        assert dict(fused.to_dict()) == dict(theirs.fuse(others, method="sum").to_dict())
    normalized = ours.normalize(others[0], "max")
    assert type(normalized) is ours.Run
    assert ours.evaluate(ours.Qrels(qrels), fused, "map") == pytest.approx(
        theirs.evaluate(theirs.Qrels(qrels), theirs.fuse(others, method="sum"), "map")
    )
    assert set(theirs.__all__) <= {*ours.__all__, "fuse", "normalize", "optimize_fusion", "plot"}
    assert all(hasattr(ours, name) for name in theirs.__all__)
    assert not hasattr(ours, "nonsuch")
    with pytest.raises(NotImplementedError, match="found 'msmarco' of ranxhub"):
        ours.Run.from_ranxhub("msmarco")


def test_objects_of_both_in_one_call() -> None:
    qrels, run = collection(4)
    judged, scored = (ours.Qrels(qrels), theirs.Qrels(qrels)), (ours.Run(run), theirs.Run(run))
    found = [
        ours.evaluate(q, r, ["map", "ndcg@3"], return_std=True) for q in judged for r in scored
    ]
    assert all(answer == found[0] for answer in found)
    assert scored[0].scores == scored[1].scores != {}
    assert scored[0].mean_scores == scored[1].mean_scores
    assert scored[0].std_scores == scored[1].std_scores
    report = ours.compare(judged[1], [theirs.Run(run, "a"), ours.Run(run, "b")], ["map"])
    assert report.results["a"] == report.results["b"]


def test_the_name_of_ranx_is_taken() -> None:
    code = """
import cranfield as cf
with cf.install_as("ranx") as face:
    import ranx
    from ranx import Run, Qrels, evaluate, fuse
    from ranx.metrics import ndcg
    assert ranx is face and ndcg.__module__.startswith("ranx.")
    runs = [Run({"1": {"a": 2.0, "b": 1.0}}), Run({"1": {"b": 2.0, "c": 1.0}})]
    print(evaluate(Qrels({"1": {"b": 1}}), fuse(runs, method="sum"), "mrr"))
import ranx
assert ranx is not face and ranx.Run is not Run
print(face.evaluate(ranx.Qrels({"1": {"b": 1}}), ranx.Run({"1": {"b": 1.0}}), "mrr"))
"""
    # What ranx computes is nothing that its compiler has a part in, which needs ten seconds.
    assert in_a_process(code, NUMBA_DISABLE_JIT="1") == "1.0\n1.0\n"


def test_without_ranx_its_own_functions_are_not_there() -> None:
    code = """
from cranfield.compat.ranx import _tables
_tables.folders = lambda: []
from cranfield.compat import ranx
print(hasattr(ranx, "fuse"), hasattr(ranx, "evaluate"))
"""
    assert in_a_process(code) == "False True\n"


def in_a_process(code: str, **variables: str) -> str:
    import os
    import subprocess
    import sys

    environment = {**os.environ, **variables}
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment
    )
    return done.stdout


def test_the_rules_of_all_calls() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}
    assert ours.evaluate(qrels, run, "mrr") == 0.5
    ours.set_rules("ranx")
    try:
        assert ours.evaluate(qrels, run, "mrr") == 1
        assert ours.evaluate(qrels, run, "mrr", rules="trec_eval") == 0.5
    finally:
        ours.set_rules("trec_eval")
    with pytest.raises(ValueError, match="expected rules trec_eval or ranx, found 'x'"):
        ours.set_rules("x")
    code = f"from cranfield.compat import ranx; print(ranx.evaluate({qrels}, {run}, 'mrr'))"
    assert in_a_process(code, CRANFIELD_RANX_RULES="ranx") == "1.0\n"


@pytest.mark.parametrize("kind", ["json", "trec", "gz"])
def test_files_are_those_of_ranx(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written = []
    for side in (theirs, ours):
        side.Run(INTS, name="r").save("r", kind=kind)
        side.Qrels(INTS).save("q", kind=kind)
        side.Run(INTS).save()
        side.Qrels(INTS).save()
        names = ("r", "q", "run.json", "qrels.json")
        written.append([Path(name).read_bytes() for name in names])
    assert written[1] == written[0]


@pytest.mark.parametrize("kind", ["json", "trec", "txt", "parquet"])
def test_files(tmp_path: Path, kind: str) -> None:
    qrels, run = collection(11)
    path = str(tmp_path / f"run.{kind}")
    table = ours.Run(run, name="bm25")
    table.save(path)
    assert ours.Run.from_file(path).to_dict() == table.to_dict()
    reader = theirs.Run.from_file if kind != "parquet" else None
    if reader:
        assert reader(path).to_dict() == table.to_dict()
    path = str(tmp_path / f"qrels.{kind}")
    ours.Qrels(qrels).save(path)
    found = ours.Qrels.from_file(path)
    assert list(found.keys()) == sorted(qrels)
    assert ours.evaluate(found, table, "ndcg") == ours.evaluate(qrels, run, "ndcg")
    assert found.to_dict() == qrels
    if kind == "trec":
        assert ours.Run.from_file(str(tmp_path / "run.trec")).name == "bm25"
    with pytest.raises(AssertionError, match="expected a file of kind"):
        table.save(str(tmp_path / "run.csv"))


def test_frames() -> None:
    pd = pytest.importorskip("pandas")
    qrels, run = collection(13)
    frame = ours.Run(run).to_dataframe()
    assert list(frame.columns) == ["q_id", "doc_id", "score"]
    again = ours.Run.from_df(frame, name="again")
    assert again.to_dict() == ours.Run(run).to_dict()
    grades = ours.Qrels.from_df(ours.Qrels(qrels).to_dataframe())
    assert grades.to_dict() == qrels
    odd = pd.DataFrame({"q_id": [1], "doc_id": ["a"], "score": [1]})
    with pytest.raises(AssertionError, match="expected text in column q_id"):
        ours.Qrels.from_df(odd)
    odd = pd.DataFrame({"q_id": ["1"], "doc_id": ["a"], "score": [0.5]})
    with pytest.raises(AssertionError, match="expected numbers as grade in column score, whole"):
        ours.Qrels.from_df(odd)
    with pytest.raises(AssertionError, match="expected numbers as score"):
        ours.Run.from_df(odd.assign(score=["high"]))


# --- compare --------------------------------------------------------------------------


REPORTED = ["ndcg@10", "map-l2", "rbp.95", "f1@3"]


def compared() -> tuple[Any, dict[str, Any]]:
    """Judgments, and the runs that reports compare."""
    qrels, first = graded.random_collection(
        random.Random(1), [f"q{i}" for i in range(30)], negative=False, missing=False
    )
    runs = {"bm25": first}
    for place, name in enumerate(("dense_x", "rrf", "same")):
        shifted = graded.random_collection(
            random.Random(90 + place), list(qrels), negative=False, missing=False
        )[1]
        runs[name] = {t: shifted[t] | first[t] if place % 2 else shifted[t] for t in qrels}
    return qrels, runs


def reports(test: str, **options: Any) -> tuple[Any, Any]:
    qrels, runs = compared()
    return tuple(
        side.compare(
            side.Qrels(qrels),
            [side.Run(run, name) for name, run in runs.items()],
            REPORTED,
            stat_test=test,
            max_p=0.2,
            **options,
            **rules,
        )
        for side, rules in ((theirs, {}), (ours, {"rules": "ranx"}))
    )


@pytest.mark.parametrize("test", ["student", "tukey"])
@pytest.mark.parametrize("options", [{}, {"show_percentages": True, "rounding_digits": 4}])
def test_reports(test: str, options: dict[str, Any], tmp_path: Path) -> None:
    expected, found = reports(test, **options)
    assert str(found) == str(expected)
    assert found.to_latex() == expected.to_latex()
    one, other = expected.to_dict(), found.to_dict()
    assert other["metrics"] == one["metrics"]
    for model in one["model_names"]:
        assert other[model]["scores"] == pytest.approx(one[model]["scores"])
        assert other[model]["win_tie_loss"] == one[model]["win_tie_loss"]
        for competitor, pvalues in one[model]["comparisons"].items():
            assert other[model]["comparisons"][competitor] == pytest.approx(
                {metric: float(p) for metric, p in pvalues.items()}, rel=1e-6, abs=1e-9
            )
    assert found.to_dataframe().round(9).equals(expected.to_dataframe().round(9))
    found.save(str(tmp_path / "report.json"))
    assert json.loads((tmp_path / "report.json").read_text()) == found.to_dict()


def test_the_randomisation_test() -> None:
    """As many draws as have the difference observed or more, those that have just it included.

    ranx compares means that are rounded, and so loses some of these: its p-value is between the
    share of draws that are above and that of ours. The draws differ, so within five errors.
    """
    draws = 20_000
    expected, found = reports("fisher", n_permutations=draws)
    signs = np.random.default_rng(5).choice([-1.0, 1.0], (draws, 30))
    qrels, runs = compared()
    topics = {
        name: theirs.evaluate(
            theirs.Qrels(qrels), theirs.Run(run, name), REPORTED, return_mean=False
        )
        for name, run in runs.items()
    }
    tied = 0
    for pair, metrics in expected.comparisons.items():
        for metric, values in metrics.items():
            one, other = (topics[name][metric] for name in pair)
            means = np.abs((signs * (one - other)).mean(axis=1))
            observed = abs((one - other).mean())
            least, above = ((means > observed + slack).mean() for slack in (-1e-12, 1e-12))
            tied += least - above > 0.05
            error = 5 * np.sqrt(2 * max(least * (1 - least), 0.01) / draws)
            assert found.comparisons[pair][metric]["p_value"] == pytest.approx(least, abs=error)
            assert above - error <= values["p_value"] <= least + error
    assert tied


def test_equal_runs() -> None:
    qrels, run = collection(17)
    qrels |= {f"{t}x": judged for t, judged in qrels.items()}
    run |= {f"{t}x": scored for t, scored in run.items()}
    found = ours.compare(qrels, [ours.Run(run), ours.Run(run)], "map")
    assert np.isnan(found.comparisons["run_1", "run_2"]["map"]["p_value"])
    assert not found.comparisons["run_2", "run_1"]["map"]["significant"]
    with pytest.raises(NotImplementedError, match="expected student, fisher or tukey"):
        ours.compare(qrels, [ours.Run(run)], "map", stat_test="wilcoxon")
    with pytest.raises(ValueError, match="a name of its own"):
        ours.compare(qrels, [ours.Run(run, "a"), ours.Run(run, "a")], "map")


def test_more_runs_than_letters() -> None:
    """DIFFERENCE: after z comes aa; ranx ends with an error."""
    qrels, run = collection(19)
    qrels |= {"other": {"a": 1}}
    run |= {"other": {"a": 1.0}}
    found = ours.compare(qrels, [ours.Run(run) for _ in range(28)], "map")
    assert [line.split()[0] for line in str(found).splitlines()[2:]][-3:] == ["z", "aa", "ab"]


def test_the_compat_module_needs_cranfield_only() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from cranfield.compat import ranx; "
        "ranx.evaluate({'1': {'a': 1}}, {'1': {'a': 1.0}}, 'map'); "
        "assert not {'numba', 'pandas', 'scipy', 'ranx'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert cf.__version__


def test_what_is_not_there_raises_what_ranx_raises(tmp_path: Path) -> None:
    for module in (theirs, ours):
        for table in (module.Qrels, module.Run):
            for suffix in ("trec", "txt", "gz", "json"):
                with pytest.raises(FileNotFoundError, match="nonsuch"):
                    table.from_file(str(tmp_path / f"nonsuch.{suffix}"))
        qrels, run = module.Qrels({"q": {"a": 1}}), module.Run({"q": {"a": 1.0}})
        with pytest.raises(AssertionError, match="0"):
            module.evaluate(qrels, run, "map@-1")


def whole(table: dict[Any, dict[str, Any]], kind: Any, documents: Any = str) -> dict[Any, Any]:
    """The same with whole numbers as topics, and perhaps as documents."""
    return {
        kind(int(topic)): {documents(d): value for d, value in inner.items()}
        for topic, inner in table.items()
    }


GRADES = {"10": {"1": 2, "2": 0}, "9": {"1": 1, "3": 1}}
FIRST = {"10": {"2": 2.0, "1": 1.0}, "9": {"3": 1.0}}
SECOND = {"10": {"1": 2.0}, "9": {"2": 2.0, "1": 1.0}}


@pytest.mark.parametrize("kind", [int, np.int64, np.str_])
def test_topics_that_are_whole_numbers(kind: Any) -> None:
    names = ["ndcg@10", "map", "mrr-l2", "rbp.95"]
    qrels, first, second = (whole(table, kind) for table in (GRADES, FIRST, SECOND))
    saved = []
    for lib in (theirs, ours):
        runs = [lib.Run(first, name="first"), lib.Run(second, name="second")]
        judged = lib.Qrels(qrels)
        report = lib.compare(judged, runs, names).to_dict()
        found = [
            lib.evaluate(judged, runs[0], names),
            lib.evaluate(judged, runs[0], names, return_mean=False),
            lib.evaluate(qrels, second, names),
            lib.evaluate(qrels, second, names, return_mean=False),
            lib.evaluate(judged, lib.Run({kind(9): {"3": 1.0}}), names, make_comparable=True),
            {run: report[run]["scores"] for run in ("first", "second")},
            lib.Run({kind(9): {"3": 1.0}, kind(7): {"3": 1.0}}).make_comparable(judged).to_dict(),
        ]
        scores = {name: dict(values) for name, values in runs[0].scores.items()}
        saved.append((found, scores))
    for expected, value in zip(*saved, strict=True):
        np.testing.assert_equal(value, expected)
    np.testing.assert_equal(
        ours.evaluate(ours.Qrels(qrels), ours.Run(first), names, rules="ranx"), saved[0][0][0]
    )
    np.testing.assert_equal(
        ours.evaluate(theirs.Qrels(qrels), theirs.Run(first), names), saved[0][0][0]
    )


@pytest.mark.parametrize("kind", [int, np.int64])
def test_dicts_of_whole_numbers(kind: Any) -> None:
    qrels, run = whole(GRADES, kind, kind), whole(FIRST, kind, kind)
    expected = theirs.evaluate(qrels, run, ["map", "ndcg@10"], return_mean=False)
    found = ours.evaluate(qrels, run, ["map", "ndcg@10"], return_mean=False)
    np.testing.assert_equal(found, expected)
    # Documents of objects are text in ranx: a TypeError of both.
    for lib in (theirs, ours):
        with pytest.raises(TypeError):
            lib.Run(run)


def test_topics_of_two_types_do_not_match() -> None:
    qrels = whole(GRADES, int)
    with pytest.raises(AssertionError, match="do not match"):
        ours.evaluate(ours.Qrels(qrels), ours.Run(FIRST), "map")
    with pytest.raises(TypeError, match="topics of one type"):
        ours.evaluate(ours.Qrels(qrels), ours.Run(FIRST), "map", make_comparable=True)


def test_what_has_no_order_has_no_scores() -> None:
    run: Any = ours.Run()
    for topics, documents, scores in (
        (["q"], [{"a", "b"}], [[1.0, 2.0]]),
        (["q"], [["a", "b"]], [{1.0, 2.0}]),
        ({"q", "r"}, [["a"], ["b"]], [[1.0], [2.0]]),
    ):
        with pytest.raises(TypeError, match="which has no order"):
            run.add_multi(topics, documents, scores)
    with pytest.raises(TypeError, match="which has no order"):
        run.add("q", {"a", "b"}, [1.0, 2.0])
