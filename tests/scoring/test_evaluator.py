"""The public interface: evaluate, Evaluator, Scores, measures as values.

Expected numbers are worked out by hand next to the data.
"""

from __future__ import annotations

import math
import os
import random
import signal
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest

QRELS = {
    "1": {"a": 1, "b": 0, "c": 2},
    "2": {"a": 1},
    "3": {"x": 0},
}
BM25 = {
    # a b c: relevant at ranks 1 and 3, AP = (1/1 + 2/3) / 2 = 5/6
    "1": {"a": 3.0, "b": 2.0, "c": 1.0},
    # z a: relevant at rank 2, AP = 1/2
    "2": {"z": 2.0, "a": 1.0},
    # no such topic in the qrels
    "9": {"a": 1.0},
}
DENSE = {
    # c a, both relevant: AP = 1
    "1": {"c": 3.0, "a": 2.0},
    "2": {"a": 2.0},
}
RUNS = {"bm25": BM25, "dense": DENSE}
AP = np.array([[5 / 6, 1 / 2, 0.0], [1.0, 1.0, 0.0]])


@pytest.fixture(scope="module")
def scores() -> cf.Scores:
    return cf.evaluate(QRELS, RUNS, ["AP", "P@1", "num_ret"])


def test_labels_are_tuples_of_text_in_the_order_promised(scores: cf.Scores) -> None:
    assert scores.runs == ("bm25", "dense")
    assert scores.topics == ("1", "2", "3")
    assert scores.measures == ("AP", "P@1", "num_ret")


def test_topics_come_in_byte_order() -> None:
    qrels = {topic: {"d": 1} for topic in ("b", "10", "9", "é", "B")}
    scores = cf.evaluate(qrels, {"9": {"d": 1.0}}, "AP")
    assert scores.topics == ("10", "9", "B", "b", "é")


def test_runs_come_in_the_order_given() -> None:
    assert cf.evaluate(QRELS, {"z": BM25, "a": DENSE}, "AP").runs == ("z", "a")


def test_values_are_read_only_float64(scores: cf.Scores) -> None:
    assert scores.values.shape == (2, 3, 3)
    assert scores.values.dtype == np.float64
    assert scores.values is scores.values
    np.testing.assert_allclose(scores.values[:, :, 0], AP, rtol=1e-15)
    with pytest.raises(ValueError, match="read-only"):
        scores.values[0, 0, 0] = 1.0


def test_mean_is_arithmetic_and_summary_is_each_measures_own(scores: cf.Scores) -> None:
    assert scores.mean().shape == scores.summary().shape == (2, 3)
    assert scores.mean().dtype == scores.summary().dtype == np.float64
    # bm25 retrieves 3 + 2 documents for the three topics of the qrels
    np.testing.assert_allclose(scores.mean()[0], [AP[0].mean(), 1 / 3, 5 / 3])
    np.testing.assert_allclose(scores.summary()[0], [AP[0].mean(), 1 / 3, 5.0])


@pytest.mark.parametrize("spelling", ["AP", "ap", "map", cf.Measure("AP")])
def test_any_spelling_of_a_measure_finds_its_column(
    scores: cf.Scores, spelling: str | cf.Measure
) -> None:
    np.testing.assert_array_equal(scores["bm25", spelling], scores.values[0, :, 0])
    assert scores["bm25", spelling].shape == (3,)


def test_trec_evals_spelling_finds_a_cutoff(scores: cf.Scores) -> None:
    np.testing.assert_array_equal(scores["dense", "P_1"], [1.0, 1.0, 0.0])


@pytest.mark.parametrize("key", [0, ("bm25",), ("bm25", "AP", "1")])
def test_other_keys_are_type_errors(scores: cf.Scores, key: object) -> None:
    with pytest.raises(TypeError, match="sel"):
        scores[key]  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("key", "near"),
    [
        (("bm52", "AP"), "bm25"),
        (("bm25", "num_rel"), "num_ret"),
        (("bm25", "nonsense!"), "AP"),
        (("bm25", "P@2"), "P@1"),
    ],
)
def test_an_unknown_label_names_what_there_is(
    scores: cf.Scores, key: tuple[str, str], near: str
) -> None:
    with pytest.raises(cf.LabelError) as caught:
        scores[key]
    assert caught.value.kind == "label"
    assert near in str(caught.value)
    assert isinstance(caught.value, cf.Error)
    assert isinstance(caught.value, KeyError)
    assert not str(caught.value).startswith(("'", '"'))


def test_sel_takes_labels_of_any_axis(scores: cf.Scores) -> None:
    part = scores.sel(run="dense", topic=["3", 1], measure=["P_1", cf.Measure("AP")])
    assert part.runs == ("dense",)
    assert part.topics == ("3", "1")
    assert part.measures == ("P@1", "AP")
    np.testing.assert_array_equal(part.values, [[[0.0, 0.0], [1.0, 1.0]]])
    assert tuple(part.notes) == ("dense",)
    assert scores.sel().values.shape == scores.values.shape


def test_sel_deduplicates_labels_and_an_empty_list_selects_nothing(scores: cf.Scores) -> None:
    assert scores.sel(run=["dense", "bm25", "dense"]).runs == ("dense", "bm25")
    empty = scores.sel(topic=[])
    assert empty.topics == ()
    assert empty.values.shape == (2, 0, 3)
    assert empty.summary().shape == (2, 3)


@pytest.mark.parametrize("axis", ["run", "topic", "measure"])
def test_sel_refuses_labels_that_are_not_there(scores: cf.Scores, axis: str) -> None:
    with pytest.raises(cf.LabelError) as caught:
        scores.sel(**{axis: ["nothing"]})
    assert axis in str(caught.value)


def test_notes_say_what_was_ignored(scores: cf.Scores) -> None:
    notes = scores.notes
    assert tuple(notes) == ("bm25", "dense")
    assert notes["bm25"].topics_missing == ("3",)
    assert notes["bm25"].topics_without_judgments == ("9",)
    assert notes["bm25"].topics_without_relevant == ("3",)
    assert notes["dense"].topics_without_judgments == ()
    assert notes["bm25"].duplicates == notes["bm25"].repaired == 0
    assert notes["bm25"].lines == 6


@pytest.mark.parametrize(
    "measures",
    [
        "AP P@1 AP",
        ["AP", "P@1"],
        ["AP P@1"],
        ("AP", cf.P @ 1, "map"),
        iter([cf.AP, "P_1"]),
    ],
)
def test_measures_are_text_values_or_a_mixture_deduplicated(measures: object) -> None:
    scores = cf.evaluate(QRELS, RUNS, measures)  # type: ignore[arg-type]
    assert scores.measures == ("AP", "P@1")


def test_without_measures_there_are_seven() -> None:
    expected = "nDCG@10 AP RR P@10 R@100 bpref Judged@10"
    assert cf.evaluate(QRELS, RUNS).measures == tuple(expected.split())


@pytest.mark.parametrize(
    ("measures", "kind"),
    [
        ("nonsuch", "measure"),
        ([], "measure"),
        ("", "measure"),
        (7, "type"),
        ([7], "type"),
    ],
)
def test_what_is_not_a_measure_is_an_error(measures: object, kind: str) -> None:
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(QRELS, RUNS, measures)  # type: ignore[arg-type]
    assert caught.value.kind == kind


def test_measures_are_attributes_and_values() -> None:
    assert str(cf.nDCG @ 10) == "nDCG@10"
    assert cf.nDCG @ 10 == cf.Measure("ndcg_cut_10")
    assert cf.Q(beta=1).prime == cf.Measure("Q'")
    assert str(cf.AP(rel=2)) == "AP(rel=2)"
    assert len({cf.AP, cf.Measure("AP"), cf.Measure("map")}) == 1
    assert {"nDCG", "AP", "RBP"} <= set(dir(cf.measures)) - set(dir(cf))
    # Other accepted names are attributes, too.
    assert (cf.AP @ 10, cf.RR, cf.nDCG) == (cf.MAP @ 10, cf.MRR, cf.NDCG)


@pytest.mark.parametrize("name", ["nonsuch", "official", "_AP", "__wrapped__"])
def test_other_names_are_not_attributes(name: str) -> None:
    assert not hasattr(cf, name)


def test_missing_topics_are_zero_left_out_or_an_error() -> None:
    assert cf.evaluate(QRELS, BM25, "AP").mean()[0, 0] == pytest.approx(4 / 9)
    skipped = cf.evaluate(QRELS, BM25, "AP", missing="skip")
    assert math.isnan(skipped.values[0, 2, 0])
    assert skipped.mean()[0, 0] == pytest.approx(2 / 3)
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(QRELS, BM25, "AP", missing="error")
    assert caught.value.kind == "topics"
    assert "3" in str(caught.value)


def test_undefined_scores_are_zero_left_out_or_an_error() -> None:
    run = {"1": {"a": 2.0, "c": 1.0}, "2": {"a": 1.0}, "3": {"x": 1.0}}
    assert cf.evaluate(QRELS, run, "AP").mean()[0, 0] == pytest.approx(2 / 3)
    skipped = cf.evaluate(QRELS, run, "AP", undefined="skip")
    assert math.isnan(skipped.values[0, 2, 0])
    assert skipped.mean()[0, 0] == pytest.approx(1.0)
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(QRELS, run, "AP", undefined="error")
    assert caught.value.kind == "undefined"


def test_scores_are_compared_in_the_precision_asked_for() -> None:
    # 1 + 2^-30 is 1 in 32 bits: then the documents tie, and b comes first
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 1 + 2**-30, "b": 1.0}}
    assert cf.evaluate(qrels, run, "RR").values[0, 0, 0] == 1.0
    assert cf.evaluate(qrels, run, "RR", scores="f32").values[0, 0, 0] == 0.5


def test_depth_cuts_lists() -> None:
    assert cf.evaluate(QRELS, BM25, "AP", depth=1)["run", "AP"][0] == 0.5


def test_negative_grades_are_unjudged_or_nonrelevant() -> None:
    qrels, run = {"1": {"a": 1, "b": -1}}, {"1": {"b": 2.0, "a": 1.0}}
    assert cf.evaluate(qrels, run, "Judged@2").values[0, 0, 0] == 0.5
    judged = cf.evaluate(qrels, run, "Judged@2", negative="nonrelevant")
    assert judged.values[0, 0, 0] == 1.0


@pytest.mark.parametrize(
    "option",
    [
        {"missing": "never"},
        {"undefined": "nan"},
        {"order": "score"},
        {"scores": "f16"},
        {"duplicates": "last"},
        {"negative": "zero"},
        {"depth": 0},
    ],
)
def test_an_option_refuses_other_values(option: dict[str, Any]) -> None:
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(QRELS, RUNS, "AP", **option)
    assert caught.value.kind == "option"
    assert next(iter(option)) in str(caught.value)


def test_an_evaluator_is_reused_and_agrees_with_evaluate() -> None:
    evaluator = cf.Evaluator(QRELS, ["AP", cf.P @ 1], undefined="skip")
    assert evaluator.measures == (cf.AP, cf.P @ 1)
    assert evaluator.qrels == cf.Qrels(QRELS)
    expected = cf.evaluate(QRELS, RUNS, ["AP", "P@1"], undefined="skip")
    for run in ("bm25", "dense"):
        alone = evaluator.evaluate({run: RUNS[run]})
        assert alone.runs == (run,)
        wanted = expected.sel(run=run).values
        np.testing.assert_array_equal(alone.values, wanted)
    with pytest.raises(AttributeError):
        evaluator.measures = ()  # type: ignore[misc]


def _many_lists(rng: random.Random) -> tuple[dict[str, Any], dict[Any, Any]]:
    """Judgments and a run of more topics than are scored at once, some of them odd."""
    qrels: dict[str, Any] = {}
    run: dict[Any, Any] = {}
    for topic in range(rng.choice([1, 3, 64, 65, 150])):
        documents = [f"d{i}" for i in rng.sample(range(60), rng.randrange(1, 40))]
        qrels[f"t{topic}"] = {d: rng.randrange(-1, 3) for d in documents[::2]}
        run[f"t{topic}"] = {d: float(rng.randrange(9)) for d in documents}
    first = run["t0"]
    odd = rng.randrange(6)
    if odd == 0:
        first["café"] = 3.0
    elif odd == 1:
        first["d5"] = 2**70
    elif odd == 2:
        run["other"] = {"d1": 1.0}
    elif odd == 3:
        run[f"t{len(qrels) - 1}"] = {}
    elif odd == 4 and len(run) > 1:
        del run["t0"]
    return qrels, run


def test_a_dict_has_the_scores_and_the_notes_of_the_same_run_in_memory() -> None:
    rng = random.Random(5)
    for _ in range(60):
        qrels, run = _many_lists(rng)
        options: dict[str, Any] = rng.choice(
            [{}, {"missing": "skip"}, {"undefined": "skip"}, {"depth": 3}, {"order": "input"}]
        )
        measures = rng.choice(["AP P@5", "nDCG@10 bpref RR", "micro_P AP"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            evaluator = cf.Evaluator(cf.Qrels(qrels), measures, **options)
            # Of several runs rankings are kept, of one run topics are scored at once.
            found = [
                evaluator.evaluate(run),
                evaluator.evaluate({"run": run}),
                evaluator.evaluate([cf.Run(run, name="run")]),
                evaluator.evaluate({"run": run, "again": run}).sel(run=["run"]),
            ]
        for other in found[1:]:
            assert other.values.tobytes() == found[0].values.tobytes()
            for name in ("topics_missing", "topics_without_judgments", "ties", "lines"):
                assert getattr(other.notes["run"], name) == getattr(found[0].notes["run"], name)
        assert found[0].runs == ("run",)


@pytest.mark.parametrize(
    "odd", [{"t1": {"d1": "x"}}, {"t1": 3}, {"t1": {"d1": float("nan")}}, {"t9": {"d1": 1.0}}]
)
def test_a_dict_has_the_errors_of_the_same_run_by_name(odd: dict[str, Any]) -> None:
    evaluator = cf.Evaluator({"t0": {"d1": 1}, "t1": {"d1": 0}}, "AP", undefined="error")
    messages = []
    for runs in ({"t0": {"d1": 2.0}} | odd, {"run": {"t0": {"d1": 2.0}} | odd, "a": {}}):
        with pytest.raises(cf.Error) as raised:
            evaluator.evaluate(runs)
        messages.append((raised.value.kind, str(raised.value)))
    assert messages[0] == messages[1]


def test_an_evaluator_is_safe_from_threads() -> None:
    evaluator = cf.Evaluator(QRELS, ["AP", "nDCG@10", "bpref"])
    expected = evaluator.evaluate(RUNS).values
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: evaluator.evaluate(RUNS).values, range(64)))
    for values in found:
        np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_no_bit(threads: int) -> None:
    runs = {f"r{i}": {"1": {"a": i % 3, "b": 1.0, "c": i % 2}} for i in range(20)}
    expected = cf.evaluate(QRELS, runs, threads=1).values
    found = cf.evaluate(QRELS, runs, threads=threads).values
    assert found.tobytes() == expected.tobytes()


def test_no_argument_is_changed() -> None:
    qrels = {topic: dict(docs) for topic, docs in QRELS.items()}
    runs = {name: {t: dict(d) for t, d in run.items()} for name, run in RUNS.items()}
    measures = ["AP", "P@1"]
    cf.evaluate(qrels, runs, measures)
    assert (qrels, runs, measures) == (QRELS, RUNS, ["AP", "P@1"])


def test_run_objects_keep_their_names_and_read_only_once() -> None:
    run = cf.Run(BM25, name="mine")
    assert run.name == "mine"
    assert cf.evaluate(QRELS, run, "AP").runs == ("mine",)
    renamed = cf.evaluate(QRELS, {"yours": run}, "AP")
    assert renamed.runs == ("yours",)
    assert run.name == "mine"
    np.testing.assert_allclose(renamed["yours", "AP"], AP[0])


def test_rankings_need_no_scores() -> None:
    run = cf.Run.from_rankings({"1": ["a", "b", "c"], "2": ["z", "a"]})
    assert cf.evaluate(QRELS, run, "AP").runs == ("run",)
    np.testing.assert_allclose(cf.evaluate(QRELS, run, "AP")["run", "AP"], AP[0])


def test_no_runs_are_no_scores() -> None:
    scores = cf.evaluate(QRELS, [], "AP")
    assert scores.runs == ()
    assert scores.values.shape == (0, 3, 1)
    assert scores.mean().shape == (0, 1)


def test_an_empty_dict_is_one_run_without_topics() -> None:
    with pytest.raises(cf.Error, match="the run has none"):
        cf.evaluate(QRELS, {}, "AP")
    scores = cf.evaluate(QRELS, {}, "AP", missing="skip")
    assert scores.runs == ("run",)
    assert scores.notes["run"].topics_missing == ("1", "2", "3")
    np.testing.assert_array_equal(scores["run", "AP"], [np.nan, np.nan, np.nan])


def test_progress_takes_a_function() -> None:
    calls: list[tuple[int, int]] = []
    cf.evaluate(QRELS, RUNS, "AP", progress=lambda *call: calls.append(call))
    assert calls == sorted(calls)
    assert calls[-1] == (2, 0)


@pytest.fixture(scope="module")
def long_work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs that take longer to score than anybody waits for a sign."""
    folder = tmp_path_factory.mktemp("long")
    first = folder / "0.run"
    ranks = range(20_000)
    first.write_text("".join(f"1 Q0 doc{rank:05} {rank} {-rank} tag\n" for rank in ranks))
    for number in range(1, 1000):
        os.link(first, folder / f"{number}.run")
    return folder


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_may_stop_the_work(long_work: Path, threads: int) -> None:
    calls: list[tuple[int, int]] = []

    def stop(runs: int, bytes_read: int) -> None:
        calls.append((runs, bytes_read))
        if 0 < runs < 1000:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        cf.evaluate(QRELS, long_work, "AP", threads=threads, progress=stop)
    assert calls == sorted(calls)
    assert 0 < calls[-1][0] < 1000
    assert calls[-1][1] > 0


@pytest.mark.parametrize("threads", [1, 2])
def test_a_signal_stops_the_work(long_work: Path, threads: int) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            cf.evaluate(QRELS, long_work, "AP", threads=threads)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_measures_of_the_collection_need_its_size() -> None:
    judged = {"1": {"a": 1, "b": 0, "c": 1}}
    run = {"1": {"a": 3.0, "x": 2.0, "b": 1.0}}
    qrels = cf.Qrels(judged, docs_in_collection=10)
    found = cf.evaluate(qrels, run, "Accuracy Specificity Fallout AUC").mean()[0]
    # a is right, x and b are not, c is missed: 6 of the 8 others are left out.
    # Below a are all 8 others; c ties with 6 of them.
    assert found.tolist() == [0.7, 0.75, 0.25, (8 + 3) / 16]
    with pytest.raises(
        cf.Error, match="found 3, expected at least 4 because of topic `1`"
    ) as caught:
        cf.evaluate(cf.Qrels(judged, docs_in_collection=3), run, "AUC")
    assert caught.value.kind == "option"


def test_the_samples_of_subap_do_not_depend_on_the_run() -> None:
    documents = [f"d{i}" for i in range(200)]
    qrels = cf.Qrels({"1": {"d199": 1, "d198": 0}})
    measure = "subAP(p=0.5,seed=3)"
    kept = {
        document: cf.evaluate(qrels, {"1": {document: 2.0, "d199": 1.0}}, measure).mean()[0, 0]
        for document in documents[:198]
    }
    # A document that is kept above the only relevant one halves its precision.
    assert set(kept.values()) == {0.5, 1.0}
    heads = sum(value == 0.5 for value in kept.values())
    assert 70 < heads < 128
    for order in (documents, documents[:198][::-1] + documents[198:]):
        run = {"1": {document: 200.0 - i for i, document in enumerate(order)}}
        precision = cf.evaluate(qrels, run, measure).mean()[0, 0]
        below = order.index("d198") < order.index("d199")
        assert precision == pytest.approx(1 / (1 + heads + below), rel=1e-12)


@pytest.mark.parametrize("name", ["x", "", "é", "a b"])
def test_one_named_run_is_scored_as_one_without_a_name(name: str) -> None:
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {}}
    evaluator = cf.Evaluator({"1": {"b": 1}, "2": {"a": 1}}, "AP RR")
    named = evaluator.evaluate({name: run})
    assert named.runs == (name,)
    assert np.array_equal(named.values, evaluator.evaluate(run).values)


ONE = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"d": 1}, "30": {"e": 3}}


@pytest.mark.parametrize(
    "documents",
    [
        {"b": 3.0, "a": 2.0, "x": 1.0},
        ["b", "a", "x"],
        ("b", "a", "x"),
        np.array(["b", "a", "x"]),
        iter(["b", "a", "x"]),
    ],
)
def test_one_topic_is_scored_as_within_a_run(documents: Any) -> None:
    measures = ["AP", "nDCG@10", "P@1", "ERR(max_rel=3)", "GMAP", "num_ret"]
    evaluator = cf.Evaluator(ONE, measures)
    row = evaluator.topic("1", documents)
    whole = evaluator.evaluate({"1": {"b": 3.0, "a": 2.0, "x": 1.0}, "2": {"d": 1.0}})
    assert list(row) == list(whole.measures)
    assert list(row.values()) == whole.values[0, 0].tolist()
    # a, of grade 2, at rank 2 of two relevant documents: (1/2) / 2.
    assert row["AP"] == 0.25


def test_a_topic_may_be_a_number_or_have_found_nothing() -> None:
    evaluator = cf.Evaluator(ONE, "AP RR")
    assert evaluator.topic(30, ["e"]) == {"AP": 1.0, "RR": 1.0}
    assert evaluator.topic("30", {}) == evaluator.topic("30", []) == {"AP": 0.0, "RR": 0.0}


def test_measures_of_ones_own_and_options_hold_for_one_topic() -> None:
    @cf.measure("found_of_topic", better="higher")
    def found_of_topic(topic: Any) -> float:
        return float(len(topic.ranks))

    evaluator = cf.Evaluator(ONE, [found_of_topic, cf.P @ 1], depth=2, undefined="skip")
    assert evaluator.topic("1", ["a", "b", "c"]) == {"found_of_topic": 2.0, "P@1": 1.0}


def test_one_topic_does_not_warn_of_the_others() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cf.Evaluator(ONE, "AP").topic("2", ["d"])


@pytest.mark.parametrize(
    ("topic", "documents", "said"),
    [
        ("3", ["e"], "no topic '3'; did you mean 30"),
        (None, ["e"], "no topic None"),
        ("1", "a", r"expected a topic's list as \{document: score\}"),
        ("1", {"a", "b"}, "found set"),
        ("1", {"1": {"a": 1.0}}, "expected a finite number as score, found dict"),
        ("1", cf.Run({"1": {"a": 1.0}}), r"pass run\.to_dict\(\)\[topic\]"),
        ("1", ["a", "a"], "found `a` again"),
        ("1", None, "found NoneType"),
    ],
)
def test_what_is_not_one_list_is_refused(topic: Any, documents: Any, said: str) -> None:
    with pytest.raises(cf.Error, match=said):
        cf.Evaluator(ONE, "AP").topic(topic, documents)
