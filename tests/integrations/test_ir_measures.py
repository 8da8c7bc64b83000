"""cranfield as a provider of ir_measures: no number changes, whatever the input."""

from __future__ import annotations

import gzip
import math
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import cranfield as cf
import numpy as np
import pytest

from tests import effort, graded

irm: Any = pytest.importorskip("ir_measures")
hook: Any = pytest.importorskip("cranfield.integrations.ir_measures")

CASES = effort.seeds(500, 100)


def claimed() -> list[Any]:
    """Every measure with every kind of parameter that the provider says it computes."""
    both = [{}, {"judged_only": True}]
    levels = [{}, {"rel": 2}]
    found = []
    for measure in (irm.P @ 5, irm.R @ 3, irm.RR, irm.Rprec, irm.AP, irm.AP @ 4, irm.SetP):
        found += [measure(**rel, **only) for rel in levels for only in both]
    for measure in (irm.Success @ 2, irm.SetAP, irm.SetF, irm.SetF(beta=4.0), irm.SetRelP):
        found += [measure(**rel, **only) for rel in levels for only in both]
    found += [
        measure(**only)
        for measure in (irm.nDCG, irm.nDCG @ 3, irm.nDCG(gains={1: 3, 2: 0, 0: 1}) @ 5)
        for only in both
    ]
    for measure in (irm.Bpref, irm.infAP, irm.SetR, irm.RR @ 3):
        found += [measure(**rel) for rel in levels]
    found += [irm.RBP(rel=rel, p=p) for rel in (1, 2) for p in (0.5, 0.8, 0.95)]
    found += [irm.ERR @ 3, irm.ERR @ 20, irm.nDCG(dcg="exp-log2") @ 4, irm.Judged, irm.Judged @ 3]
    found += [irm.NumQ, irm.NumRel, irm.NumRet, irm.NumRet(rel=1), irm.NumRet(rel=2)]
    return found


def cheap(measures: list[Any]) -> list[Any]:
    """Those that do not start Perl."""
    return [m for m in measures if m.NAME != "ERR" and "exp-log2" not in str(m)]


def random_input(seed: int) -> tuple[graded.Judgments, graded.Scored]:
    """Topics named by numbers; ties, scores next to each other, topics of one side only."""
    rng = random.Random(seed)
    topics = [str(i) for i in range(1, rng.randint(1, 4) + 1)]
    qrels, run = graded.random_collection(rng, topics, negative=True, missing=True)
    tied = rng.choice((1, 1, 0.5, 1e-9))
    for scored in run.values():
        for document in scored:
            scored[document] = 1.0 + tied * rng.randint(0, 5)
    if not qrels:
        qrels["9"] = {"d1": 1}
    return qrels, run


def rows_of(qrels: graded.Judgments) -> Iterator[Any]:
    return (irm.Qrel(t, d, g) for t, judged in qrels.items() for d, g in judged.items())


def lines_of(run: graded.Scored) -> Iterator[Any]:
    return (irm.ScoredDoc(t, d, s) for t, scored in run.items() for d, s in scored.items())


def apart(measures: list[Any]) -> list[list[Any]]:
    """Groups that ir_measures scores rightly in one call.

    DIFFERENCE: it hangs NumRet, NumQ and nDCG on whatever call of pytrec_eval comes
    first. Next to a measure with ``judged_only`` its NumRet counts judged documents only,
    and next to an nDCG with gains its plain nDCG has these gains; the order of a set
    decides. Here a measure does not depend on the others.
    """
    groups: dict[tuple[bool, bool], list[Any]] = {}
    for measure in measures:
        key = "gains" in measure.params, bool(measure.params.get("judged_only"))
        groups.setdefault(key, []).append(measure)
    return list(groups.values())


def host_values(measures: list[Any], qrels: Any, run: Any) -> tuple[dict[Any, float], Any]:
    """The values of ir_measures: aggregated, and by topic."""
    found = [irm.calc(group, qrels, run) for group in apart(measures)]
    aggregated = {m: value for part in found for m, value in part.aggregated.items()}
    return aggregated, by_topic(metric for part in found for metric in part.per_query)


def by_topic(metrics: Any) -> dict[tuple[str, str], float]:
    return {(m.query_id, str(m.measure)): float(m.value) for m in metrics}


def test_random_input_without_perl() -> None:
    measures = cheap(claimed())
    assert len(measures) > 60
    compared = 0
    for seed in CASES:
        qrels, run = random_input(seed)
        means, expected = host_values(measures, qrels, run)
        ours = hook.provider.calc(measures, qrels, run)
        assert by_topic(ours.per_query) == pytest.approx(expected, rel=1e-9, abs=1e-12), seed
        assert ours.aggregated == pytest.approx(means, rel=1e-9, abs=1e-12), seed
        compared += len(expected)
    assert compared > 120 * len(CASES)


def test_random_input_with_perl() -> None:
    if not irm.gdeval.is_available():
        pytest.skip("no Perl here")
    measures = [m for m in claimed() if m not in cheap(claimed())]
    for seed in range(40):
        qrels, run = random_input(seed)
        theirs = by_topic(irm.gdeval.iter_calc(measures, qrels, run))
        ours = by_topic(hook.provider.iter_calc(measures, qrels, run))
        assert ours == pytest.approx(theirs, abs=1e-12), seed


@pytest.mark.parametrize("name", graded.REAL)
def test_real_runs(data: Path, name: str) -> None:
    measures = cheap(claimed())
    for _, qrels, run in graded.real(data / name, 3):
        means, expected = host_values(measures, qrels, run)
        ours = hook.provider.calc(measures, qrels, run)
        assert by_topic(ours.per_query) == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert ours.aggregated == pytest.approx(means, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("form", ["dict", "tuples", "iterator", "pandas"])
def test_every_form_of_input(form: str) -> None:
    pd = pytest.importorskip("pandas")
    measures = [irm.nDCG @ 5, irm.RR @ 5, irm.RBP(rel=1), irm.NumQ]
    for seed in range(30):
        qrels, run = random_input(seed)
        given: tuple[Any, Any] = (qrels, run)
        if form == "tuples":
            given = list(rows_of(qrels)), list(lines_of(run))
        elif form == "iterator":
            given = rows_of(qrels), lines_of(run)
        elif form == "pandas":
            columns = [["query_id", "doc_id", "relevance"], ["query_id", "doc_id", "score"]]
            judged = [(r.query_id, r.doc_id, r.relevance) for r in rows_of(qrels)]
            given = (
                pd.DataFrame(judged, columns=columns[0]),
                pd.DataFrame(list(lines_of(run)), columns=columns[1]),
            )
        there = sum(map(len, qrels.values()))
        if form != "dict" and there == 0:
            continue
        # Without a row a topic is not there.
        kept = qrels if form == "dict" else {t: judged for t, judged in qrels.items() if judged}
        expected = irm.calc_aggregate(measures, kept, run)
        with hook.register():
            assert irm.calc_aggregate(measures, *given) == pytest.approx(expected, rel=1e-9)


class Swapped(NamedTuple):
    """Fields in another order, and one more."""

    score: Any
    rank: int
    doc_id: Any
    query_id: Any


class Computed(irm.ScoredDoc):  # type: ignore[misc]
    """A field that is not an item."""

    @property
    def score(self) -> float:
        return -float(self[2])


class Text(str):
    """A subclass of str."""


@pytest.mark.parametrize(
    "make",
    [
        irm.ScoredDoc,
        lambda t, d, s: Swapped(s, 7, d, t),
        Computed,
        lambda t, d, s: irm.ScoredDoc(Text(t), Text(d), s),
        lambda t, d, s: irm.ScoredDoc(t, d, np.float64(s)),
        lambda t, d, s: irm.ScoredDoc(t, d, int(s * 8)),
        lambda t, d, s: irm.ScoredDoc(t, d + "é", s),
        lambda t, d, s: irm.ScoredDoc(t, d, s) if d < "d5" else Swapped(s, 7, d, t),
    ],
)
@pytest.mark.parametrize("container", [list, tuple, iter])
def test_rows_of_every_kind(make: Any, container: Any) -> None:
    measures = [irm.nDCG @ 5, irm.AP, irm.RR @ 5, irm.NumRet]
    rng = random.Random(11)
    for seed in range(20):
        qrels, run = random_input(seed)
        # Topics in pieces; of two rows for a document the last counts.
        rows = [make(*row) for row in [*lines_of(run), *lines_of(run)]]
        rng.shuffle(rows)
        theirs = by_topic(irm.iter_calc(measures, qrels, container(rows)))
        ours = hook.provider.calc(measures, qrels, container(rows))
        found = by_topic(ours.per_query)
        assert {key: found[key] for key in theirs} == pytest.approx(theirs, rel=1e-9), seed


@pytest.mark.parametrize(
    ("row", "error"),
    [
        (("1", "a", "high"), TypeError),
        (("1", "a", math.nan), cf.Error),
        (("1", "a", math.inf), cf.Error),
        (("1", ["a"], 1.0), TypeError),
        (("1", "a"), (IndexError, TypeError, ValueError)),
    ],
)
def test_rows_that_are_wrong(row: tuple[Any, ...], error: Any) -> None:
    rows = [irm.ScoredDoc("1", "b", 2.0), tuple.__new__(irm.ScoredDoc, row)]
    with pytest.raises(error):
        hook.provider.calc_aggregate([irm.AP], {"1": {"a": 1}}, rows)


def test_files_are_read_as_their_rows(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "[run].gz"
    qrels.write_text("1 0 a 1\n1 0 b 0\n2 0 a 2\n2 0 a 0\n")
    run.write_bytes(gzip.compress(b"1 Q0 b 1 2.0 t\n1 Q0 a 2 1.0 t\n1 Q0 a 3 3.0 t\n"))
    measures = [irm.AP, irm.RR @ 10]

    def values() -> Any:
        return irm.calc_aggregate(
            measures, irm.read_trec_qrels(str(qrels)), irm.read_trec_run(str(run))
        )

    before = values()
    with hook.register():
        assert values() == pytest.approx(before, rel=1e-12)
        rows = irm.read_trec_run(str(run))
        assert next(rows) == irm.ScoredDoc("1", "b", 2.0)
        with pytest.raises(ValueError, match="nothing was read"):
            irm.calc_aggregate(measures, irm.read_trec_qrels(str(qrels)), rows)
        text = irm.read_trec_run("1 Q0 a 1 1 t\n")
        assert irm.calc_aggregate([irm.AP], {"1": {"a": 1}}, text) == {irm.AP: 1.0}
    assert before[irm.AP] == 1 / 2


def test_the_measure_given_comes_back() -> None:
    wanted = irm.AP(rel=2) @ 5
    with hook.register():
        (metric,) = irm.iter_calc([wanted], {"1": {"a": 2}}, {"1": {"a": 1.0}})
        found = irm.calc_aggregate([wanted], {"1": {"a": 2}}, {"1": {"a": 1.0}})
    assert metric.measure is wanted
    assert next(iter(found)) is wanted
    assert type(metric.value) is float
    assert type(found[wanted]) is float


def test_register_goes_first_and_restore_takes_it_back() -> None:
    before = list(irm.DefaultPipeline.providers)
    readers = irm.read_trec_run, irm.util.read_trec_qrels
    names = set(irm.measures.registry)
    patch = hook.register()
    assert irm.DefaultPipeline.providers[0] is hook.provider
    assert irm.providers.registry["cranfield"] is hook.provider
    inner = hook.register()
    with pytest.raises(RuntimeError, match="restored first"):
        patch.restore()
    inner.restore()
    patch.restore()
    patch.restore()
    assert irm.DefaultPipeline.providers == before
    assert (irm.read_trec_run, irm.util.read_trec_qrels) == readers
    assert set(irm.measures.registry) == names
    assert "cranfield" not in irm.providers.registry
    assert "_evaluator" not in vars(irm.DefaultPipeline)


def test_measures_of_other_providers_stay_with_them() -> None:
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"b": 2.0, "a": 1.0}}
    measures = [irm.AP, irm.Compat, irm.IPrec @ 0.1, irm.INST(max_rel=1)]
    before = irm.calc_aggregate(measures, qrels, run)
    with hook.register():
        assert irm.calc_aggregate(measures, qrels, run) == pytest.approx(before)
    mine = irm.define(lambda _qrels, _run: [("1", 7.0)], name="Mine")
    with hook.register():
        assert irm.calc_aggregate([mine, irm.AP], qrels, run) == {mine: 7.0, irm.AP: 0.5}


def test_names_that_ir_measures_lacks() -> None:
    qrels, run = {"1": {"a": 1, "b": 2}}, {"1": {"x": 2.0, "a": 1.0}}
    texts = ["Q(beta=2)@10", "aAP@5", "nRBP(p=0.5)", "num_prefs", "PrecAtRecall@0.5"]
    with hook.register():
        for text in texts:
            measure = irm.parse_measure(text)
            (ours,) = cf.evaluate(qrels, run, text).mean()[0]
            assert irm.calc_aggregate([measure], qrels, run) == {measure: ours}
            assert irm.parse_measure(repr(measure)) == measure
        condensed = irm.parse_measure("Q(judged_only=True)@10")
        same = hook.define("Q'@10")
        found = irm.calc_aggregate([condensed, same], qrels, run)
        assert found[condensed] == found[same] == cf.evaluate(qrels, run, "Q'@10").mean()[0, 0]
        with pytest.raises(cf.Error, match="beta"):
            irm.calc_aggregate([irm.parse_measure("Q(beta='much')")], qrels, run)
    with pytest.raises(NameError):
        irm.parse_measure("Q@10")
    assert hook.provider.calc_aggregate([same], qrels, run) == {same: found[same]}


@pytest.mark.parametrize(
    ("qrels", "run"),
    [({}, {}), ({"1": {}}, {"1": {"a": 1.0}}), ({"1": {"a": 1}}, {}), ({"1": {"a": 1}}, {"1": {}})],
)
def test_nothing_there(qrels: Any, run: Any) -> None:
    measures = [irm.AP, irm.NumRet, irm.NumQ, irm.nDCG @ 10, irm.RR @ 2]
    theirs = irm.calc_aggregate(measures, qrels, run)
    ours = hook.provider.calc_aggregate(measures, qrels, run)
    assert ours == pytest.approx(theirs, nan_ok=True)
    assert by_topic(hook.provider.iter_calc(measures, qrels, run)) == by_topic(
        irm.iter_calc(measures, qrels, run)
    )


def test_what_stops_the_host_is_an_error_here() -> None:
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 1.0}}
    with hook.register():
        with pytest.raises(ValueError, match="unknown run format"):
            irm.calc_aggregate([irm.AP], qrels, [1, 2])
        with pytest.raises(ValueError, match="unknown qrels format"):
            irm.calc_aggregate([irm.AP], 7, run)
        with pytest.raises(TypeError, match="rel of at least 1"):
            irm.calc_aggregate([irm.AP(rel=0)], qrels, run)
        with pytest.raises(cf.Error, match="cutoff"):
            irm.calc_aggregate([irm.P @ 0], qrels, run)
        with pytest.raises(AssertionError):
            irm.calc_aggregate([irm.P(nonsuch=1) @ 5], qrels, run)
        with pytest.raises(ValueError, match="Unsupported"):
            irm.calc_aggregate([irm.RBP], qrels, run)


def test_what_the_host_cannot_score() -> None:
    """Topics that are not numbers, grades that are all negative, and NumRel(rel=2)."""
    values = hook.provider.calc_aggregate(
        [irm.ERR @ 10, irm.AP, irm.NumRel(rel=2)],
        {"q-1": {"a": 4}, "q-2": {"b": -1}},
        {"q-1": {"a": 1.0}, "q-2": {"b": 1.0}},
    )
    assert list(values.values()) == [15 / 32, 0.5, 1.0]
    assert math.isclose(values[irm.AP], 0.5)


@pytest.mark.parametrize(
    ("run", "match"),
    [
        ({"bm25": {"1": {"a": 1.0}}}, "expected a score for document '1' of topic 'bm25'"),
        ({"1": ["a"]}, "for topic '1', found an object of type list"),
        ({"1": {"a": "high"}}, "type str"),
        ({"1": {"a": 1.0, "b": "high"}}, "found str `'high'` for document `b` of topic `1`"),
        ({"1": {"a": None}}, "found NoneType"),
    ],
)
def test_dicts_of_another_shape(run: Any, match: str) -> None:
    with pytest.raises(TypeError):
        irm.calc_aggregate([irm.AP], {"1": {"a": 1}}, run)
    with pytest.raises(TypeError, match=match):
        hook.provider.calc_aggregate([irm.AP], {"1": {"a": 1}}, run)


def test_pooled_and_geometric_summaries_are_those_of_cranfield() -> None:
    qrels = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1}, "3": {"a": 1}}
    run = {"1": {"a": 1.0, "b": 2.0, "x": 3.0}, "2": {"z": 1.0}}
    texts = ["micro_P", "micro_R@2", "micro_AP", "GMAP", "gm_bpref", "RBP_residual", "num_rel"]
    ours = dict(zip(texts, cf.evaluate(qrels, run, texts).summary()[0].tolist(), strict=True))
    measures = [hook.define(text) for text in texts]
    with hook.register():
        for found in (
            irm.calc_aggregate([*measures, irm.AP], qrels, run),
            irm.calc([irm.AP, *measures], qrels, run).aggregated,
        ):
            assert [found[m] for m in measures] == pytest.approx(list(ours.values()), abs=1e-15)
        assert irm.calc_aggregate([hook.define("GMAP"), irm.IPrec @ 0.1], qrels, run)[
            hook.define("GMAP")
        ] == pytest.approx(ours["GMAP"])
        # With another program's measure in the call ir_measures has only values by topic.
        mixed = [hook.define("micro_P"), irm.IPrec @ 0.1]
        with pytest.raises(cf.Error, match="a share of all topics together"):
            irm.calc_aggregate(mixed, qrels, run)
        assert by_topic(irm.iter_calc(mixed, qrels, run))["1", "micro_P"] == 1 / 3


def test_what_is_not_a_measure_cannot_be_defined() -> None:
    with pytest.raises(TypeError, match="its spelling, found int"):
        hook.define(5)


@pytest.mark.parametrize("score", [["high"], [1.0, "high"], [[1.0]]])
def test_frames_with_scores_that_are_not_numbers(score: list[Any]) -> None:
    pandas = pytest.importorskip("pandas")
    documents = [f"d{place}" for place in range(len(score))]
    frame = pandas.DataFrame({"query_id": "1", "doc_id": documents, "score": score})
    with pytest.raises(TypeError):
        irm.calc_aggregate([irm.AP], {"1": {"a": 1}}, frame)
    with pytest.raises(TypeError, match="expected"):
        hook.provider.calc_aggregate([irm.AP], {"1": {"a": 1}}, frame)


def test_repeated_rows(tmp_path: Path) -> None:
    """Some programs of ir_measures count each row of a document, others see the last only."""
    pandas = pytest.importorskip("pandas")
    measures = [*claimed(), irm.RR @ 10, irm.ERR @ 10, irm.nDCG(dcg="exp-log2") @ 10]
    measures = list(dict.fromkeys(measures))
    # In one call with a measure with judged_only, NumRet and plain nDCG are of judged documents.
    # Beside one with gains, plain nDCG depends on the order of a set, which is that of hashes.
    measures = [m for m in measures if not re.search("judged_only|gains", str(m))]
    for seed in range(6):
        rng = random.Random(seed)
        documents = [f"d{i}" for i in range(8)]
        qrels = [
            irm.Qrel(topic, document, rng.choice([0, 1, 2]))
            for topic in "123"
            for document in rng.sample(documents, 5)
        ]
        rows = [
            irm.ScoredDoc(topic, rng.choice(documents), rng.choice([0.5, 1.0, rng.random()]))
            for topic in "123"
            for _ in range(rng.randint(9, 12))
        ]
        path = tmp_path / f"{seed}.run"
        path.write_text("".join(f"{q} Q0 {d} 1 {score!r} t\n" for q, d, score in rows))
        frame = pandas.DataFrame(rows)
        expected = {m[:2]: m.value for m in irm.iter_calc(measures, qrels, rows)}
        means = irm.calc_aggregate(measures, qrels, rows)
        with hook.register():
            for make in (
                lambda rows=rows: list(rows),
                lambda rows=rows: iter(rows),
                lambda frame=frame: frame,
                lambda path=path: irm.read_trec_run(str(path)),
            ):
                found = irm.iter_calc(measures, qrels, make())
                assert {m[:2]: m.value for m in found} == pytest.approx(expected, abs=2e-16)
                found = irm.calc_aggregate(measures, qrels, make())
                assert found == pytest.approx(means, abs=2e-16)
                alone = irm.calc_aggregate([irm.ERR @ 3], qrels, make())
                assert alone == pytest.approx({irm.ERR @ 3: means[irm.ERR @ 3]}, abs=2e-16)
