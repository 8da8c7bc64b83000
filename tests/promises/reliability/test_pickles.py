"""What goes through a pickle comes out with the same values, order, columns and notes."""

from __future__ import annotations

import copy
import os
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

INTENTS = {"1": {"x": {"a": 1, "b": 1}, "y": {"b": 2, "c": 0}}, "2": {"z": {"d": 3}}}
MEASURES = "AP nDCG@10 RR bpref ERR(max_rel=4) num_ret micro_P GMAP P'@2"


def again(thing: Any, protocol: int = pickle.DEFAULT_PROTOCOL) -> Any:
    return pickle.loads(pickle.dumps(thing, protocol))


def assert_same_scores(found: cf.Scores, expected: cf.Scores) -> None:
    assert found.runs == expected.runs
    assert found.topics == expected.topics
    assert found.measures == expected.measures
    assert found.values.tobytes() == expected.values.tobytes()
    assert found.summary().tobytes() == expected.summary().tobytes()
    assert list(map(repr, found.notes.values())) == list(map(repr, expected.notes.values()))


def judgments() -> cf.Qrels:
    grades: dict[str, dict[str, float]] = {
        "2": {"d": 3.5, "a": -1, "e": 0},
        "1": {"b": 1, "a": 0, "c": 2},
        "3": {"é": 0},
    }
    qrels = cf.Qrels(grades, docs_in_collection=900)
    qrels = qrels.with_column("class", {"1": {"b": 4, "c": 4}, "2": {"d": 1}})
    return qrels.with_column("cost", {"1": {"a": 0.5, "c": 7}, "2": {"e": 1e9}})


def runs() -> list[cf.Run]:
    return [
        cf.Run({"1": {"a": 3.0, "b": 2.0, "z": 2.0}, "2": {"e": 1.0}}, name="mine"),
        cf.Run.from_rankings({"2": ["x", "d"], "1": ["c", "b", "a"]}, name="other"),
    ]


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_judgments(protocol: int) -> None:
    qrels = judgments()
    found = again(qrels, protocol)
    assert found == qrels
    assert list(found.to_dict()["1"]) == list(qrels.to_dict()["1"])
    assert (found.topics, found.grades, found.columns) == (
        qrels.topics,
        qrels.grades,
        qrels.columns,
    )
    for name in qrels.columns:
        for topic in qrels.topics:
            assert found.column(name, topic) == qrels.column(name, topic)
    measures = f'{MEASURES} EC-nDCG TBG U(L=200,form="original") SetF'
    assert_same_scores(
        cf.evaluate(found, again(runs(), protocol), measures),
        cf.evaluate(qrels, runs(), measures),
    )


def test_judgments_by_intent() -> None:
    qrels = cf.Qrels.from_intents(
        INTENTS, weights={"1": {"x": 3, "y": 1}, "2": {"z": 1}}, navigational={"1": ["y"]}
    )
    found = again(qrels)
    assert [found.intents(topic) for topic in "12"] == [{"x": 3, "y": 1}, {"z": 1}]
    run = cf.Run.from_rankings({"1": ["a", "c", "b"], "2": ["d"]})
    measures = "D#-nDCG@3 IA-RR P+Q@3 DIN-nDCG alpha_nDCG@2 StRecall@1 NRBP AP"
    assert_same_scores(cf.evaluate(found, run, measures), cf.evaluate(qrels, run, measures))


def test_judgments_made_from_others_keep_their_highest_grade() -> None:
    qrels = cf.Qrels({"1": {"a": 1, "b": 4, "c": 0}, "2": {"d": 1}})
    pool = cf.Qrels({"1": {"a": -1, "c": -1}, "2": {"d": -1}})
    small = qrels.restrict_to_pool(pool)
    found = again(small)
    assert found == small
    assert found.grades == small.grades
    run = cf.Run.from_rankings({"1": ["b", "a", "c"], "2": ["d"]})
    measures = "ERR(max_rel=4) nDCG Unjudged@3 num_nonrel_judged_ret"
    assert_same_scores(cf.evaluate(found, run, measures), cf.evaluate(small, run, measures))


def test_judgments_of_samples_from_files(tmp_path: Path) -> None:
    path = tmp_path / "prels"
    path.write_bytes(b"1 d\xff 1 1 0.25\n1 b 0 1 0.5\n1 c 1 0 1\n")
    qrels = cf.read_qrels(path)
    run = cf.Run.from_rankings({"1": ["b", "c"]})
    found = again(qrels)
    assert found == qrels
    measures = "statAP varAP statP@2"
    assert_same_scores(cf.evaluate(found, run, measures), cf.evaluate(qrels, run, measures))


def test_runs_from_files(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_bytes(
        b"# made\n2 Q0 a 2 0.50 my-tag\n2 Q0 b\xff 1 -1e-3 my-tag\n1 Q0 c 7 0.5 my-tag\n"
    )
    run = cf.read_run(path)
    found = again(run)
    assert (found.name, found.tag, found.topics, found.lines) == ("run", "my-tag", ("2", "1"), 3)
    assert found.to_dict() == run.to_dict()
    qrels = {"1": {"c": 1}, "2": {"a": 1, "b\udcff": 0}}
    for order in ("docno_desc", "docno_asc", "input", "rank"):
        assert_same_scores(
            cf.evaluate(qrels, found, MEASURES, order=order),
            cf.evaluate(qrels, run, MEASURES, order=order),
        )


def test_a_line_that_comes_twice_still_does(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 a 3 1 t\n")
    found = again(cf.read_run(path))
    with pytest.raises(cf.Error, match="again"):
        cf.evaluate({"1": {"a": 1}}, found, "AP")
    assert cf.evaluate({"1": {"b": 1}}, found, "RR", duplicates="first").values.item() == 0.5


def test_runs_over_arrays() -> None:
    documents = np.array([[7, 3, 9], [4, 7, -1]])
    scores = np.array([[0.9, 0.8, 0.1], [0.7, 0.6, 0.0]], dtype=np.float32)
    run = cf.Run.from_topk(["q1", "q2"], documents, scores, name="dense")
    found = again(run)
    scores[:] = 0
    assert (found.name, found.lines, len(found)) == ("dense", 5, 2)
    assert list(found.to_dict()["q1"]) == ["7", "3", "9"]
    assert found.to_dict()["q1"]["7"] == float(np.float32(0.9))


def test_scores_and_notes() -> None:
    scores = cf.evaluate(judgments(), runs(), MEASURES, missing="skip", undefined="skip")
    for found in (again(scores), copy.copy(scores), copy.deepcopy(scores)):
        assert_same_scores(found, scores)
    assert not again(scores).values.flags.writeable
    assert_same_scores(again(scores.sel(run="other")), scores.sel(run="other"))
    note = scores.notes["mine"]
    assert repr(again(note)) == repr(note)
    assert again(note).topics_missing == ("3",)


def test_evaluators_and_bounds() -> None:
    limits = cf.Limits(decompression_ratio=7, line_bytes=99)
    evaluator = cf.Evaluator(
        judgments(), MEASURES, undefined="skip", depth=2, negative="nonrelevant", limits=limits
    )
    found = again(evaluator)
    assert found.measures == evaluator.measures
    assert_same_scores(found.evaluate(runs()), evaluator.evaluate(runs()))
    bounds = cf.bounds(judgments(), runs(), "AP P@2")
    assert again(bounds).high.values.tobytes() == bounds.high.values.tobytes()
    assert repr(again(limits)) == repr(limits)


def scored(job: tuple[cf.Evaluator, cf.Run]) -> cf.Scores:
    evaluator, run = job
    return evaluator.evaluate(run)


def test_through_processes() -> None:
    evaluator = cf.Evaluator(judgments(), MEASURES, threads=1)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(scored, [(evaluator, run) for run in runs()]))
    for one, run in zip(found, runs(), strict=True):
        assert_same_scores(one, evaluator.evaluate(run))


@given(
    st.dictionaries(
        st.text("ab€", min_size=1, max_size=3),
        st.dictionaries(
            st.text("xyz", min_size=1, max_size=3),
            st.tuples(st.floats(-3, 9), st.floats(-1e9, 1e9)),
            min_size=1,
        ),
        min_size=1,
        max_size=5,
    )
)
def test_anything(topics: dict[str, dict[str, tuple[float, float]]]) -> None:
    qrels = cf.Qrels({t: {d: grade for d, (grade, _) in of.items()} for t, of in topics.items()})
    run = cf.Run({t: {d: score for d, (_, score) in of.items()} for t, of in topics.items()})
    assert again(qrels) == qrels
    assert again(run).to_dict() == run.to_dict()
    measures = "nDCG P(rel=1)@2 bpref(rel=1) RBP(rel=1)"
    assert_same_scores(
        cf.evaluate(again(qrels), again(run), measures), cf.evaluate(qrels, run, measures)
    )


def test_what_cannot_be_pickled_says_so() -> None:
    ranked = cf.collection.rank(judgments(), runs())
    with pytest.raises(TypeError, match="Ranked"):
        pickle.dumps(ranked)


@pytest.mark.parametrize("thing", [judgments(), *runs(), cf.evaluate(judgments(), runs(), "AP")])
def test_damaged_pickles_are_errors(thing: Any) -> None:
    """Bytes that do not fit each other are refused, never a crash."""
    whole: Any = thing.core if isinstance(thing, cf.Scores) else thing
    reduced: Any = whole.__reduce__()
    restore, state = reduced

    def outcome(variant: Any) -> str:
        try:
            restore(*variant)
        except cf.Error as error:
            return str(error)
        return ""

    def shorter(value: Any) -> list[Any]:
        """Each variant of a value in which one column lost its last byte."""
        if isinstance(value, bytes):
            return [value[:-1]] if value else []
        if not isinstance(value, (tuple, list)):
            return []
        variants = []
        for place, part in enumerate(value):
            for variant in shorter(part):
                variants.append(type(value)([*value[:place], variant, *value[place + 1 :]]))
        return variants

    variants = shorter(state)
    assert len(variants) >= 3
    refused = [message for message in map(outcome, variants) if message]
    assert all("found a damaged one" in message for message in refused)
    # Only a byte less of a name alone can be another name.
    assert len(refused) >= len(variants) * 2 // 3


@pytest.mark.skipif("CRANFIELD_DATA" not in os.environ, reason="CRANFIELD_DATA names the data")
def test_real_runs() -> None:
    folder = Path(os.environ["CRANFIELD_DATA"], "trec8-adhoc")
    qrels = cf.read_qrels(folder / "trec8.qrels.gz")
    paths = sorted((folder / "runs").iterdir())[:3]
    found = again(cf.read_runs(list(map(str, paths))))
    expected = cf.evaluate(qrels, list(map(str, paths)), MEASURES)
    assert cf.evaluate(again(qrels), found, MEASURES).values.tobytes() == expected.values.tobytes()


@pytest.mark.parametrize("ranks", ["1 2 3", "7 7 12345678", "1 - 3", "x 2 3"])
def test_ranks_of_a_file(ranks: str, tmp_path: Path) -> None:
    """Kept if each line of a topic has one, and otherwise none of them."""
    path = tmp_path / "some.run"
    lines = zip("abc", ranks.split(), strict=True)
    text = "".join(f"2 Q0 {document} {rank} 1.5 tag\n" for document, rank in lines)
    path.write_text(text + "1 Q0 b 2 9 tag\n1 Q0 a 1 1 tag\n")
    run = cf.read_run(path)
    judged = {"1": {"a": 1}, "2": {"b": 2}}
    assert_same_scores(
        cf.evaluate(judged, again(run), "RR AP", order="docno_asc"),
        cf.evaluate(judged, run, "RR AP", order="docno_asc"),
    )
    if ranks.replace(" ", "").isdigit():
        scores = cf.evaluate(judged, again(run), "RR", order="rank")
        assert scores.to_dict()["some"]["1"]["RR"] == 1.0
        return
    for kept in (run, again(run)):
        with pytest.raises(cf.Error, match="the run has none for topic `2`"):
            cf.evaluate(judged, kept, "RR", order="rank")
