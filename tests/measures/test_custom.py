"""Measures that are Python functions: values, spelling, errors, and wherever measures go."""

from __future__ import annotations

import copy
import io
import math
import pickle
import random
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import _cli as cli
from cranfield._measures.custom import CustomMeasure, Topic, Topics

from tests import ROOT
from tests.commands import unsigned

EXAMPLE = ROOT / "examples" / "debtags"
QRELS = str(EXAMPLE / "qrels.txt")
A = str(EXAMPLE / "runs" / "bm25-title-stem.run.gz")
B = str(EXAMPLE / "runs" / "dense-minilm.run.gz")


@cf.measure("own_P", better="higher", properties="unit swaps monotone cutoff")
def own_p(topic: Topic) -> Any:
    """Precision, from its definition."""
    return (topic.grades >= topic.rel).sum() / topic.cutoff


@cf.measure("own_AP", better="higher", properties="unit swaps monotone cutoff")
def own_ap(topic: Topic) -> float:
    """Average precision, from its definition: summed in order of rank, as the built-in one."""
    total = 0.0
    for seen, rank in enumerate(topic.ranks[topic.grades >= topic.rel].tolist(), 1):
        total += seen / rank
    return total / topic.num_rel if topic.num_rel else math.nan


@cf.measure("own_nDCG", better="higher", properties=["unit"])
def own_ndcg(topic: Topic, *, base: float = 2.0) -> Any:
    """nDCG with the logarithm to a base."""
    ideal = topic.ideal[: topic.cutoff]
    best = (ideal / (np.log(np.arange(len(ideal)) + 2) / np.log(base))).sum()
    return (topic.grades.clip(0) / (np.log(topic.ranks + 1) / np.log(base))).sum() / best


@cf.measure("own_P_batch", better="higher", batch=True)
def own_p_batch(topics: Topics) -> Any:
    """Precision of all topics at once."""
    hits = np.concatenate([[0], np.cumsum(topics.grades >= topics.rel)])
    return (hits[topics.offsets[1:]] - hits[topics.offsets[:-1]]) / topics.cutoff


@cf.measure("own_missed", better="lower", aggregate="sum")
def own_missed(topic: Topic) -> Any:
    """Relevant documents that are not in the list: a count."""
    return topic.num_rel - (topic.grades >= topic.rel).sum()


PAIRS = [
    (own_p @ 10, "P@10"),
    (own_p @ 3, "P@3"),
    ((own_p @ 10).prime, "P'@10"),
    (own_ap, "AP"),
    (own_ap.prime, "AP'"),
    (own_ap @ 30, "AP@30"),
    (own_ap(rel=2), "AP(rel=2)"),
    (own_p_batch @ 10, "P@10"),
    (own_p_batch.prime @ 7, "P'@7"),
]


@pytest.mark.parametrize(("own", "built_in"), PAIRS, ids=[str(own) for own, _ in PAIRS])
def test_trec8_to_the_last_bit(own: CustomMeasure, built_in: str, data: Path) -> None:
    folder = data / "trec8-adhoc"
    runs = sorted(map(str, (folder / "runs").glob("*.gz")))[:6]
    scores = cf.evaluate(folder / "trec8.qrels.gz", runs, [own, built_in])
    assert scores.measures == (str(own), str(cf.Measure(built_in)))
    assert scores.values[:, :, 0].tobytes() == scores.values[:, :, 1].tobytes()
    assert scores.summary()[:, 0].tobytes() == scores.summary()[:, 1].tobytes()


@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("undefined", ["zero", "skip"])
@pytest.mark.parametrize("negative", ["unjudged", "nonrelevant"])
def test_random_collections(missing: str, undefined: str, negative: str) -> None:
    chance = random.Random(5)
    for _ in range(40):
        qrels = {
            str(t): {
                f"d{i}": chance.choice([-1, 0, 0, 1, 2, 0.5]) for i in range(chance.randint(1, 9))
            }
            for t in range(4)
        }
        run = {
            str(t): {f"d{i}": chance.random() for i in range(12) if chance.random() < 0.6}
            for t in chance.sample(range(4), 3)
        }
        run = {t: docs for t, docs in run.items() if docs}
        options: dict[str, Any] = {"missing": missing, "undefined": undefined, "negative": negative}
        own = [own_p @ 3, own_ap, own_ap.prime, own_ap @ 2, own_p_batch @ 3, own_ap(rel=2)]
        built_in = ["P@3", "AP", "AP'", "AP@2", "P@3", "AP(rel=2)"]
        found = cf.evaluate(qrels, run, own, **options).values
        for place, name in enumerate(built_in):
            expected = cf.evaluate(qrels, run, name, **options).values[:, :, 0]
            np.testing.assert_array_equal(found[:, :, place], expected, err_msg=name)


def test_parameters_and_ideal() -> None:
    scores = cf.evaluate(
        QRELS, [A, B], [own_ndcg @ 10, own_ndcg(base=7) @ 10, cf.nDCG @ 10, own_ndcg]
    )
    assert scores.measures == ("own_nDCG@10", "own_nDCG(base=7)@10", "nDCG@10", "own_nDCG")
    np.testing.assert_allclose(scores.values[:, :, 0], scores.values[:, :, 2], atol=1e-12)
    np.testing.assert_allclose(scores.values[:, :, 1], scores.values[:, :, 2], atol=1e-12)


def test_what_a_function_sees() -> None:
    seen: list[Topic] = []

    @cf.measure("see", better=None)
    def see(topic: Topic) -> float:
        seen.append(topic)
        return 1

    qrels = {"1": {"a": 2, "b": 0, "c": -1, "d": 1, "e": 3}, "2": {"a": 1}}
    run = {"1": {"x": 5, "a": 4, "c": 3, "b": 2, "d": 1}}
    cf.evaluate(qrels, run, [see, see.prime @ 2, see @ 2])
    whole, empty, condensed, _, cut, _ = seen
    assert (whole.ranks.tolist(), whole.grades.tolist()) == ([2, 4, 5], [2, 0, 1])
    assert (whole.retrieved, whole.num_rel, whole.num_nonrel) == (5, 3, 1)
    assert (whole.ideal.tolist(), whole.cutoff, whole.rel) == ([3, 2, 1], None, 1)
    assert (empty.topic, empty.retrieved, len(empty.ranks)) == ("2", 0, 0)
    assert (condensed.ranks.tolist(), condensed.retrieved, condensed.cutoff) == ([1, 2], 3, 2)
    assert (cut.ranks.tolist(), cut.retrieved) == ([2], 5)
    assert whole.ranks.dtype == np.int64
    assert whole.grades.dtype == whole.ideal.dtype == np.float64
    for array in (whole.ranks, whole.grades, whole.ideal, cut.ranks):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            array.flags.writeable = True


def test_batches_see_all_topics() -> None:
    seen: list[Topics] = []

    @cf.measure("see_all", better=None, batch=True)
    def see_all(topics: Topics) -> Any:
        seen.append(topics)
        return [0] * len(topics)

    qrels = {"1": {"a": 2, "b": 0}, "2": {"a": 1}, "3": {"c": 4, "d": 1}}
    run = {"1": {"b": 2, "a": 1}, "3": {"d": 1}}
    cf.evaluate(qrels, run, see_all)
    scores = cf.evaluate(qrels, run, see_all, missing="skip")
    assert np.isnan(scores.values[0, :, 0]).tolist() == [False, True, False]
    whole, part = seen
    assert whole.topics == ("1", "2", "3")
    assert part.topics == ("1", "3")
    assert whole.offsets.tolist() == [0, 2, 2, 3]
    assert part.offsets.tolist() == [0, 2, 3]
    assert (part.ranks.tolist(), part.grades.tolist()) == ([1, 2, 1], [0, 2, 1])
    assert part.retrieved.tolist() == [2, 1]
    assert part.num_rel.tolist() == [1, 2]
    assert part.ideal.tolist() == [2, 4, 1]
    assert part.ideal_offsets.tolist() == [0, 1, 3]
    with pytest.raises(ValueError, match="read-only"):
        part.retrieved[0] = 1


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("own_P@10", "own_P@10"),
        ("own_P'@10 AP own_AP", "own_P'@10 AP own_AP"),
        ("own_nDCG(base=3.5)@5", "own_nDCG(base=3.5)@5"),
        ("own_nDCG(base=3.5,rel=2)'@5", "own_nDCG(rel=2,base=3.5)'@5"),
        ("own_nDCG(base=2)", "own_nDCG"),
        ("AP, own_AP,own_nDCG(base=3,rel=2)", "AP own_AP own_nDCG(rel=2,base=3)"),
        ('nDCG(gain="binary")@3 own_AP', 'nDCG(gain="binary")@3 own_AP'),
    ],
)
def test_text_names_them(text: str, spelled: str) -> None:
    found = cf.Evaluator({"1": {"a": 1}}, text).measures
    assert " ".join(map(str, found)) == spelled
    again = cf.Evaluator({"1": {"a": 1}}, spelled).measures
    assert again == found
    assert set(again) == set(found)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: own_ndcg(basis=3), "own_nDCG has no parameter 'basis'; it takes rel, base"),
        (lambda: own_ndcg(rel="x"), "expected a number as rel"),
        (lambda: own_p @ 0, "own_P@ takes a rank of at least 1, found 0"),
        (lambda: own_p @ 2.5, "found 2.5"),
        (lambda: own_p @ True, "found True"),
        (lambda: cf.Evaluator({"1": {"a": 1}}, "own_nDCG(base)"), "expected own_nDCG"),
        (lambda: cf.Evaluator({"1": {"a": 1}}, "own_nDCG@x"), "found 'own_nDCG@x'"),
        (lambda: cf.measure("AP", better="higher"), "built-in measure AP"),
        (lambda: cf.measure("map", better="higher"), "built-in measure map"),
        (lambda: cf.measure("P", better="higher"), "built-in measure P"),
        (lambda: cf.measure("run", better="higher"), "column called run"),
        (lambda: cf.measure("a b", better="higher"), "found 'a b'"),
        (lambda: cf.measure("x@3", better="higher"), "found 'x@3'"),
        (lambda: cf.measure("x", better="up"), "as better, found 'up'"),
        (lambda: cf.measure("x", better=None, aggregate="max"), "as aggregate, found 'max'"),
        (lambda: cf.measure("x", better=None, properties="good"), "found 'good'"),
        (
            lambda: cf.measure("x", better=None)(3),  # type: ignore[arg-type]
            "expected a function, found an int",
        ),
        (
            lambda: cf.measure("x", better=None)(lambda t, k: k),
            "'k' of its function has no default",
        ),
        (lambda: cf.measure("x", better=None)(lambda t, rel=2: 1), "is every measure's"),
        (lambda: cf.measure("x", better=None)(lambda: 1), "expected a function of a topic"),
    ],
)
def test_what_is_refused(make: Any, message: str) -> None:
    with pytest.raises(cf.Error) as caught:
        make()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def broken(value: Any, **options: Any) -> CustomMeasure:
    """A measure that returns something else than a number, or raises."""

    def function(topic: Any) -> Any:
        if isinstance(value, Exception):
            raise value
        return value

    return cf.measure("broken", better="higher", **options)(function)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "broken returned None for topic '1' of run 'run'; a measure returns one number"),
        (math.nan, "broken returned nan for topic '1' of run 'run'"),
        (math.inf, "broken returned inf for topic '1'"),
        (np.ones(3), "broken returned an array of shape (3,) for topic '1'"),
        (np.ones(1), "broken returned an array of shape (1,)"),
        ("1", "broken returned a str"),
        (1j, "broken returned a complex"),
        (ZeroDivisionError("division\nby zero"), "ZeroDivisionError: division by zero"),
        (KeyError("x"), "broken failed for topic '1' of run 'run': KeyError: 'x'"),
    ],
)
def test_what_a_function_must_not_return(value: Any, message: str) -> None:
    with pytest.raises(cf.Error) as caught:
        cf.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, broken(value))
    assert message in str(caught.value)
    assert caught.value.kind == "measure"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "returned None for run 'run'; a measure with batch=True returns a number for each"),
        ([1], "returned a list of shape (1,)"),
        (np.ones((2, 1)), "of shape (2, 1)"),
        ([1, math.nan], "returned nan for topic '2'"),
        ([1, "x"], "returned a list for run"),
        (ValueError("no"), "failed for run 'run': ValueError: no"),
    ],
)
def test_what_a_batch_must_not_return(value: Any, message: str) -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(qrels, {"1": {"a": 1.0}}, broken(value, batch=True))
    assert message in str(caught.value)


def test_undefined_topics() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"a": 0}}, {"1": {"a": 1.0}, "2": {"a": 1.0}}
    assert cf.evaluate(qrels, run, own_ap).values[0, :, 0].tolist() == [1, 0]
    with pytest.raises(cf.Error, match="own_AP is undefined for topic '2'"):
        cf.evaluate(qrels, run, own_ap, undefined="error")


def test_ties_and_bounds_are_refused_by_name() -> None:
    with pytest.raises(cf.Error, match="own_AP is a function of one order"):
        cf.evaluate(QRELS, A, own_ap, ties="average")
    with pytest.raises(cf.Error, match="own_AP is a function of one order"):
        cf.tie_bounds(QRELS, A, own_ap)
    with pytest.raises(cf.Error, match="no exact bounds of own_AP") as caught:
        cf.bounds(QRELS, A, ["AP", own_ap])
    assert caught.value.kind == "bounds"


@pytest.mark.parametrize("kind", ["path", "run", "dict", "stream", "ranked", "arrays"])
def test_runs_of_every_kind(kind: str) -> None:
    qrels = cf.read_qrels(QRELS)
    expected = cf.evaluate(qrels, A, "P@10 AP")
    run: Any = A
    if kind in ("run", "dict"):
        run = cf.read_run(A)
        run = run if kind == "run" else run.to_dict()
    elif kind == "stream":
        import gzip

        run = io.BytesIO(gzip.decompress(Path(A).read_bytes()))
    elif kind == "ranked":
        (run,) = cf.collection.rank(qrels, A)
    elif kind == "arrays":
        rows = [(t, d, s) for t, ds in cf.read_run(A).to_dict().items() for d, s in ds.items()]
        topics, documents, values = map(list, zip(*rows, strict=True))
        run = cf.Run.from_arrays(topics, documents, values)
    found = cf.evaluate(
        qrels, run, ["P@10", own_p @ 10, own_ap] if kind != "ranked" else [own_p @ 10, own_ap]
    )
    np.testing.assert_array_equal(found.values[0, :, -2:], expected.values[0])
    (note,), (other,) = found.notes.values(), expected.notes.values()
    assert note.topics_missing == other.topics_missing
    assert (note.lines, note.ties) == (other.lines, other.ties)


def test_scores_know_them() -> None:
    scores = cf.evaluate(QRELS, [A, B], ["AP", own_ap, own_missed])
    assert scores.better == {"AP": "higher", "own_AP": "higher", "own_missed": "lower"}
    first = scores.runs[0]
    assert (scores[first, own_ap] == scores[first, "own_AP"]).all()
    assert scores.sel(measure=str(own_ap)).measures == ("own_AP",)
    assert scores.sel(measure=[own_missed, "AP"]).measures == ("own_missed", "AP")
    assert scores.summary()[0, 2] == scores.values[0, :, 2].sum()
    again = pickle.loads(pickle.dumps(scores))
    assert again.measures == scores.measures
    assert scores.fingerprint == cf.evaluate(QRELS, A, "AP").fingerprint


def test_they_pickle_if_their_function_does() -> None:
    for one in (own_ap, own_ndcg(base=3).prime @ 10):
        assert pickle.loads(pickle.dumps(one)) == copy.copy(one) == copy.deepcopy(one) == one
    evaluator = pickle.loads(pickle.dumps(cf.Evaluator(QRELS, [own_p @ 10, "AP"])))
    assert evaluator.evaluate(A).measures == ("own_P@10", "AP")
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(broken(1))


def test_comparisons_tiers_and_intervals() -> None:
    own = cf.compare(QRELS, [A, B], own_ap)
    built_in = cf.compare(QRELS, [A, B], "AP")
    assert own.rows[0].p == built_in.rows[0].p
    assert own.rows[0].difference == built_in.rows[0].difference
    assert own.rows[0].within_bounds is None
    runs = sorted(map(str, (EXAMPLE / "runs").glob("*.gz")))
    scores = cf.evaluate(QRELS, runs, [own_ap, "AP"])
    assert scores.tiers(own_ap).letters == scores.tiers("AP").letters
    interval = scores.interval()
    assert (interval.low[:, 0] == interval.low[:, 1]).all()
    tested = cf.stats.t_test(scores, measure=str(own_ap))
    assert tested.pvalue.tolist() == cf.stats.t_test(scores, measure="AP").pvalue.tolist()


@pytest.mark.parametrize("measure", [own_p @ 5, own_p_batch @ 5, own_ap, own_ap.prime])
def test_diff(measure: CustomMeasure) -> None:
    found = cf.diff(QRELS, A, B, measure)
    scores = cf.evaluate(QRELS, [A, B], measure)
    assert not found.sums
    assert found.bounds is None
    for place, topic in enumerate(scores.topics):
        assert (found[topic].a, found[topic].b) == tuple(scores.values[:, place, 0])
    topic = scores.topics[5]
    ranked = [d.document for d in found[topic].lists[0]]
    for document in found[topic].lists[0][:12]:
        rest = {topic: {d: -i for i, d in enumerate(ranked) if d != document.document}}
        value = cf.evaluate(QRELS, rest, measure).values[0, 5, 0]
        assert document.brings_a == pytest.approx(found[topic].a - value, abs=1e-12)


# cf.testing


@pytest.mark.parametrize("own", [own_p @ 4, own_ap, own_ap.prime, own_ndcg, own_p_batch @ 3])
def test_good_measures_pass(own: CustomMeasure) -> None:
    cf.testing.check_measure(own, cases=60)


@pytest.mark.parametrize(
    ("text", "properties"),
    [("nDCG@5", "unit swaps monotone cutoff"), ("ERR(max_rel=3)", "unit"), ("bpref", "unit")],
)
def test_built_in_measures_pass(text: str, properties: str) -> None:
    cf.testing.check_measure(text, properties=properties, cases=60)


@pytest.mark.parametrize(
    ("function", "better", "properties", "message"),
    [
        (lambda t: len(t.ranks) + 1.5, "higher", "unit", "outside of [0, 1]"),
        (lambda t: float(t.ranks[t.grades >= 1].sum()), "higher", "swaps", "and worse"),
        (lambda t: float((t.grades >= 1).sum()), "lower", "monotone", "and worse"),
        (lambda t: float(t.retrieved and t.ranks[-1:].sum()), None, "cutoff", ""),
        (lambda t: random.random(), None, "", "and then"),
    ],
)
def test_bad_measures_are_found(function: Any, better: Any, properties: str, message: str) -> None:
    bad = cf.measure("bad", better=better, properties=properties)(function)
    if not message:
        cf.testing.check_measure(bad)
        return
    with pytest.raises(AssertionError) as caught:
        cf.testing.check_measure(bad)
    assert message in str(caught.value)
    assert "judgments: " in str(caught.value)


def test_checks_that_make_no_sense() -> None:
    aimless = cf.measure("aimless", better=None, properties="swaps")(lambda t: 0)
    with pytest.raises(cf.Error, match="does not say which values are better"):
        cf.testing.check_measure(aimless)
    with pytest.raises(cf.Error, match="found 'nice'"):
        cf.testing.check_measure("AP", properties="nice")
    with pytest.raises(cf.Error, match="expected one measure, found 2"):
        cf.testing.check_measure("AP RR")


# the command line

FILE = """
import cranfield as cf


@cf.measure("file_P", better="higher")
def file_p(topic):
    return (topic.grades >= topic.rel).sum() / topic.cutoff


@cf.measure("file_bad", better="lower")
def file_bad(topic, *, value="none"):
    if value == "raise":
        return 1 / 0
    return {"none": None, "nan": float("nan"), "array": topic.ranks}[value]
"""


@pytest.fixture
def functions(tmp_path: Path) -> str:
    """A file with measures."""
    path = tmp_path / "functions.py"
    path.write_text(FILE)
    return str(path)


def test_the_commands_take_files_of_measures(functions: str, tmp_path: Path, capsys: Any) -> None:
    words = ["--measures-from", functions, "--quiet"]
    assert (
        cli.main(["eval", QRELS, A, B, "-m", "file_P@10 P@10", "--sort", "file_P@10", *words]) == 0
    )
    header, *rows = unsigned(capsys.readouterr().out).splitlines()
    assert header.split() == ["run", "file_P@10", "P@10"]
    assert all(row.split()[1] == row.split()[2] for row in rows)
    for name, run in (("a.json", A), ("b.json", B)):
        target = ["-o", str(tmp_path / name), "--per-topic"]
        assert cli.main(["eval", QRELS, run, "-m", "file_P@10", *words, *target]) == 0
    scores = [str(tmp_path / "b.json"), "--baseline", str(tmp_path / "a.json")]
    assert cli.main(["check", *scores, "--max-drop", "file_P@10=1", *words]) == 0
    assert cli.main(["check", *scores, "--max-drop", "file_P@10=0", *words]) in (0, 1)
    assert "file_P@10" in capsys.readouterr().out
    assert cli.main(["compare", QRELS, A, B, "-m", "file_P@10", *words]) == 0
    assert "file_P@10" in capsys.readouterr().out
    assert cli.main(["diff", QRELS, A, B, "-m", "file_P@10", *words]) == 0
    assert "No bounds of the difference" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("none", "file_bad returned None for topic"),
        ("nan", 'file_bad(value="nan") returned nan'),
        ("array", "returned an array of shape"),
        ("raise", "ZeroDivisionError: division by zero"),
    ],
)
def test_bad_measures_are_bad_input(value: str, message: str, functions: str, capsys: Any) -> None:
    for command in ("eval", "diff", "compare"):
        measure = f'file_bad(value="{value}")'
        words = [command, QRELS, A, B, "-m", measure, "--measures-from", functions]
        assert cli.main([*words, "--quiet"]) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "expected a Python file"),
        ("x = 1\n", "none"),
        ("1 / 0\n", "ZeroDivisionError"),
        ("import cranfield as cf\ncf.measure('AP', better='higher')", "built-in measure AP"),
        ("def (:\n", "SyntaxError"),
    ],
)
def test_files_without_measures(
    content: str | None, message: str, tmp_path: Path, capsys: Any
) -> None:
    path = tmp_path / "broken_functions.py"
    if content is not None:
        path.write_text(content)
    assert cli.main(["eval", QRELS, A, "-m", "AP", "--measures-from", str(path)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_studies_take_them(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    runs = sorted(map(str, (EXAMPLE / "runs").glob("*.gz")))[:6]
    cf.study.run("significance", QRELS, runs, str(folder), measures=[own_ap, "AP"])
    text = "".join(path.read_text() for path in folder.rglob("*.csv"))
    assert "own_AP" in text
