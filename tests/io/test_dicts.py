"""Dicts are read in place: the same as their copies and as files."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import _core

Judgments = dict[Any, dict[Any, Any]]
Scored = dict[Any, dict[Any, Any]]
List = dict[str, Any]

MEASURES = "AP nDCG nDCG@10 P@5 RR bpref infAP num_ret Judged@10 nDCG'@5 RBP(p=0.8) R@20"
SHALLOW = (
    "nDCG@10",
    "P@1 R@3",
    "num_ret num_rel",
    "RR@2 Judged@5 ERR(max_rel=20)@4 Q@3 GAP@4 aAP@3 CG@2",
)

SCORES: tuple[Callable[[random.Random], Any], ...] = (
    lambda rng: rng.random(),
    lambda rng: rng.randrange(4) / 2,
    lambda rng: float(rng.randrange(100)),
    lambda rng: rng.randrange(-5, 5),
    lambda rng: rng.choice((True, 0, 0.0, -0.0, 1, 2**70, -(2**63), 1e300)),
    lambda rng: np.float64(rng.randrange(20)),
    lambda rng: np.float32(rng.random()),
    lambda rng: np.int64(rng.randrange(9)),
    lambda rng: rng.choice((1.0, 1.0 + 1e-9, 1.0 + 1e-6, 2.0)),
)


class Name(str):
    """Text of a class of its own."""


class Table(dict[Any, Any]):
    """A dict of a class of its own."""


IDS: tuple[Callable[[int], Any], ...] = (
    lambda i: f"d{i}",
    lambda i: f"FBIS3-{i:07}-and-more",
    lambda i: f"é{i}",
    lambda i: "".join((chr(0x1F600 + i % 7), str(i))) if i % 5 else f"x{i}",
    lambda i: Name(f"d{i}") if i % 3 else f"d{i}",
    lambda i: f"\udcff{i}" if i % 4 == 0 else f"d{i}",
    lambda i: i - 3,
    lambda i: np.int64(i),
)


def collection(rng: random.Random) -> tuple[Judgments, Scored]:
    """Judgments and a run of a few topics; some topics only in one of them."""
    name, score = rng.choice(IDS), rng.choice(SCORES)
    topic_name = rng.choice((str, int, lambda i: f"tö{i}", lambda i: Name(i)))
    size = rng.choice((0, 1, 5, 40, 300))
    documents = [name(i) for i in range(size)]
    qrels: Judgments = {}
    run: Scored = {}
    for number in range(rng.randint(1, 5)):
        topic = topic_name(number + 8)
        share = rng.choice((0.02, 0.3, 0.9))
        grades = rng.choice(((0, 1), (-1, 0, 1, 2), (0.5, 0, -2), range(-20, 20)))
        judged = {d: rng.choice(grades) for d in documents if rng.random() < share}
        judged[name(1000)] = 1
        retrieved = [d for d in documents if rng.random() < rng.choice((0.3, 1))]
        rng.shuffle(retrieved)
        scored = {d: score(rng) for d in retrieved}
        if rng.random() < 0.5:
            scored = dict(sorted(scored.items(), key=lambda item: -float(item[1])))
        if rng.random() < 0.9:
            qrels[topic] = judged
        if rng.random() < 0.9:
            run[topic] = Table(scored) if rng.random() < 0.2 else scored
    return qrels, run


def options(rng: random.Random) -> dict[str, Any]:
    return {
        "order": rng.choice(("docno_desc", "docno_desc", "docno_asc", "input")),
        "scores": rng.choice(("f64", "f32")),
        "depth": rng.choice((None, None, 1, 7, 100)),
        "missing": rng.choice(("zero", "skip")),
        "negative": rng.choice(("unjudged", "nonrelevant")),
        "threads": rng.choice((None, 1, 2)),
    }


def outcome(work: Callable[[], cf.Scores]) -> tuple[Any, ...]:
    """Bits and notes, or the error."""
    try:
        scores = work()
    except cf.Error as error:
        return type(error), error.message
    return (
        scores.values.tobytes(),
        scores.topics,
        {k: str(v) for k, v in scores.notes.items()},
        [
            (note.topics_missing, note.topics_without_judgments, note.topics_without_relevant)
            for note in scores.notes.values()
        ],
    )


def write(path: Path, run: Mapping[Any, Mapping[Any, Any]]) -> None:
    with path.open("wb") as out:
        for topic, scored in run.items():
            for document, score in scored.items():
                line = f"{topic!s} Q0 {document!s} 0 {float(score)!r} t\n"
                out.write(line.encode("utf-8", "surrogateescape"))


@pytest.mark.parametrize("seed", range(400))
def test_a_dict_is_its_copy_and_its_file(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    qrels, run = collection(rng)
    chosen = rng.choice((MEASURES, *SHALLOW, "subAP(p=0.5,seed=1)"))
    evaluator = cf.Evaluator(qrels, chosen, **options(rng))
    found = outcome(lambda: evaluator.evaluate(run))
    assert found == outcome(lambda: evaluator.evaluate(cf.Run(run)))
    if all(run.values()) and run:
        write(tmp_path / "run.txt", run)
        assert found == outcome(lambda: evaluator.evaluate(str(tmp_path / "run.txt")))


@pytest.mark.parametrize("seed", range(40))
def test_judgments_of_a_dict_are_those_of_a_file(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    qrels, run = collection(rng)
    write(tmp_path / "qrels", qrels)
    lines = (tmp_path / "qrels").read_bytes().splitlines()
    rows = [line.split() for line in lines]
    text = b"".join(b"%b 0 %b %b\n" % (topic, d, grade) for topic, _, d, _, grade, _ in rows)
    (tmp_path / "qrels").write_bytes(text)
    if not lines:
        return
    read = cf.read_qrels(str(tmp_path / "qrels"))
    assert cf.Qrels(qrels) == read
    assert outcome(lambda: cf.evaluate(qrels, run, MEASURES)) == outcome(
        lambda: cf.evaluate(read, run, MEASURES)
    )


def test_several_dicts_with_other_runs(tmp_path: Path) -> None:
    rng = random.Random(3)
    qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}
    runs = [{"1": {d: rng.random() for d in "abcxyz"}, "2": {"c": 1.0}} for _ in range(5)]
    write(tmp_path / "file.run", runs[0])
    named: dict[str, Any] = {f"r{i}": run for i, run in enumerate(runs)}
    named["file"] = str(tmp_path / "file.run")
    named["held"] = cf.Run(runs[1])
    scores = cf.evaluate(qrels, named, MEASURES, threads=2)
    assert scores.runs == ("r0", "r1", "r2", "r3", "r4", "file", "held")
    assert (scores.values[0] == scores.values[5]).all()
    assert (scores.values[1] == scores.values[6]).all()
    for i, run in enumerate(runs):
        assert (cf.evaluate(qrels, run, MEASURES).values[0] == scores.values[i]).all()


def test_other_mappings() -> None:
    qrels = {"1": {"a": 1, "b": 0}}
    run = {"1": {"b": 2.0, "a": 1.0}}
    expected = cf.evaluate(qrels, run, "AP").values
    proxies = MappingProxyType({"1": MappingProxyType(run["1"])})
    for same in (Table(run), Table({"1": Table(run["1"])}), proxies, {"1": proxies["1"]}):
        assert (cf.evaluate(qrels, same, "AP").values == expected).all()
        assert (cf.evaluate(same, run, "num_rel").values == 2).all()
    assert cf.evaluate(qrels, {"1": {}}, "num_ret").values.tolist() == [[[0.0]]]


QRELS = {"1": {"a": 1}, "2": {"b": 1}}
FAULTS: dict[str, tuple[Any, str]] = {
    "nan": ({"1": {"x": 1.0, "a": float("nan")}}, "found float nan for document a of topic 1"),
    "infinity": ({"9": {"a": float("inf")}}, "found float inf for document a of topic 9"),
    "huge": ({"1": {"a": 10**400}}, "expected a finite number as score, found int 1000"),
    "text": ({"1": {"a": "1"}}, "expected a finite number as score, found str '1'"),
    "none": ({"1": {"a": None}}, "found NoneType None for document a of topic 1"),
    "documents": ({"1": {"a": 1.0, 2: 1.0}}, "all text or all whole numbers, found both: int 2"),
    "later": ({"1": {"a": 1.0}, "2": {2: 1.0}}, "all text or all whole numbers, found both: int 2"),
    "earlier": ({"1": {2: 1.0}, "2": {"a": 1.0}}, "found both: str"),
    "topics": (
        {"1": {"a": 1.0}, 2: {"b": 1.0}},
        "all text or all whole numbers, found both: int 2",
    ),
    "bytes": ({"1": {b"a": 1.0}}, "expected an id as str or int, found bytes"),
    "tuple": ({"1": {("a",): 1.0}}, "expected an id as str or int, found tuple"),
    "surrogate": ({"1": {"\ud800": 1.0}}, "expected an id that is text, found str"),
    "list": ({"1": {"a": 1.0}, "2": [("b", 1.0)]}, "expected documents as str or int"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("measure", ["AP", "nDCG@1"])
def test_faults_are_reported_as_for_a_copy(fault: str, measure: str) -> None:
    run, sentence = FAULTS[fault]
    with pytest.raises(cf.Error) as raised:
        cf.evaluate(QRELS, run, measure)
    assert sentence in str(raised.value).replace("`", "")
    with pytest.raises(cf.Error) as copied:
        cf.Run(run)
    assert (str(copied.value), copied.value.kind) == (str(raised.value), raised.value.kind)


def test_a_fault_deep_in_a_long_list_is_found() -> None:
    run: Scored = {"1": {f"d{i}": 1000.0 - i for i in range(1000)}}
    for fault in ({7: 0.0}, {b"x": 0.0}, {"x": "high"}, {"x": math.nan}):
        with pytest.raises(cf.Error, match="expected"):
            cf.evaluate(QRELS, {"1": {**run["1"], **fault}}, "nDCG@10")


@pytest.mark.parametrize("gone", [range(1), range(3, 90, 2), range(399, 400), range(0, 400, 3)])
@pytest.mark.parametrize("added", [0, 1, 2])
def test_lists_with_gaps_are_ranked_as_they_are(gone: range, added: int) -> None:
    listed: dict[str, float] = {f"d{i}": 1000.0 - i for i in range(400)}
    for i in gone:
        del listed[f"d{i}"]
    listed.update({f"d{i}": 995.0 for i in gone[:added]})
    qrels = {"1": {f"d{i}": 1 for i in [*range(1, 9), *gone[:1]]}}
    for measures in ("nDCG@10 RR@5", "AP P@10"):
        expected = cf.evaluate(qrels, cf.Run({"1": listed}), measures)
        assert cf.evaluate(qrels, {"1": listed}, measures).to_dict() == expected.to_dict()


class Holder:
    """Its attributes share their keys with those of its like."""

    def __init__(self, scored: List) -> None:
        self.__dict__.update(scored)


def in_order_of_setting(scored: List) -> List:
    holder = Holder({})
    for document, score in scored.items():
        setattr(holder, document, score)
    return vars(holder)


def once_with_a_number(scored: List) -> List:
    held: dict[Any, Any] = {7: 1.0, **scored}
    del held[7]
    return held


def with_the_last_gone(scored: List) -> List:
    held = {**scored, "gone": 1.0}
    held.popitem()
    return held


def with_one_put_back(scored: List) -> List:
    held = dict(scored)
    first = next(iter(held))
    held[first] = held.pop(first)
    return held


def grown(scored: List) -> List:
    held: List = {}
    for document, score in scored.items():
        held[document] = score
    return held


@pytest.mark.parametrize("measures", [MEASURES, "nDCG@10"])
@pytest.mark.parametrize("count", [1, 5, 29, 300, 70_000])
@pytest.mark.parametrize(
    "held",
    [dict, grown, in_order_of_setting, once_with_a_number, with_the_last_gone, with_one_put_back],
)
def test_however_a_dict_is_laid_out(
    held: Callable[[List], List], count: int, measures: str
) -> None:
    scored = {f"d{i}": float(-(i * 7919 % 104_729)) for i in range(count)}
    judged = {f"d{i}": i % 3 for i in range(0, count, 4)}
    evaluator = cf.Evaluator({"1": held(judged)}, measures)
    plain = cf.Evaluator({"1": judged}, measures)
    found = evaluator.evaluate({"1": held(scored)}).to_dict()
    expected = plain.evaluate(cf.Run({"1": scored})).to_dict()
    assert found == expected


@pytest.mark.skipif(not _core.reads_dicts_in_place(), reason="each text is read then")
def test_the_text_of_a_document_that_is_not_needed_is_not_read() -> None:
    run: Scored = {"1": {f"d{i}": 1000.0 - i for i in range(1000)} | {"a": 500.5}}
    odd: Scored = {"1": {**run["1"], "\ud800": 0.0}}
    assert (
        cf.evaluate(QRELS, odd, "nDCG@10 AP").to_dict()
        == cf.evaluate(QRELS, run, "nDCG@10 AP").to_dict()
    )
    # It ties with the last document of the first ten.
    with pytest.raises(cf.Error, match="expected an id that is text"):
        cf.evaluate(QRELS, {"1": {**run["1"], "\ud800": 991.0}}, "nDCG@10")


def test_order_by_rank_needs_ranks() -> None:
    with pytest.raises(cf.Error, match="the run has none for topic `1`"):
        cf.evaluate(QRELS, {"1": {"a": 1.0}}, "AP", order="rank")


class Meddler:
    """A number that changes the run while it is read."""

    def __init__(self, run: Scored) -> None:
        self.run = run

    def __float__(self) -> float:
        for scored in list(self.run.values()):
            scored.clear()
            scored.update({f"new{i}": float(i) for i in range(100)})
        self.run["more"] = {"a": 1.0}
        return 2.0


def test_a_run_that_changes_while_it_is_read() -> None:
    for late in (False, True):
        run: Scored = {"0": {"z": 3.0}, "1": {"a": 1.0}, "2": {"b": 1.0}}
        run["1"] = {"m": Meddler(run), "a": 1.0} if not late else {"a": 1.0, "m": Meddler(run)}
        scores = cf.evaluate(QRELS, run, "AP num_ret")
        # The topic is read as it was before; what follows is what it became.
        assert scores.values[0].tolist() == [[0.5, 2.0], [0.0, 100.0]]
        run = {"1": {}}
        run["1"].update({"m": Meddler(run), "a": 1.0})
        assert len(cf.Run(run)["1"]) == 2
        qrels: Judgments = {"1": {}}
        qrels["1"].update({"m": Meddler(qrels), "a": 1})
        assert cf.Qrels(qrels)["1"] == {"m": 2.0, "a": 1.0}


class Same(str):
    """Texts that are all different, whatever they say."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


def test_two_keys_of_one_text() -> None:
    run = {"1": {Same("a"): 2.0, Same("a"): 1.0}}
    with pytest.raises(cf.Error, match="found `a` again for topic `1`: positions 1 and 2"):
        cf.evaluate(QRELS, run, "AP")
    scores = cf.evaluate(QRELS, run, "AP num_ret", duplicates="first")
    assert scores.values[0, 0].tolist() == [1.0, 1.0]
    with pytest.raises(cf.Error, match="expected one judgment per document"):
        cf.Qrels({"1": {Same("a"): 1, Same("a"): 0}})


def test_references_are_given_back() -> None:
    documents = [f"document {i}" for i in range(50)]
    run = {"1": {d: float(i) for i, d in enumerate(documents)}, "2": {"b": 0.25}}
    evaluator = cf.Evaluator(QRELS, MEASURES)
    evaluator.evaluate(run)

    def references() -> Iterator[int]:
        yield from map(sys.getrefcount, documents)
        yield from (sys.getrefcount(run["1"]), sys.getrefcount(run), sys.getrefcount(run["2"]["b"]))

    before = list(references())
    for _ in range(5):
        evaluator.evaluate(run)
        cf.Qrels(run)
        with pytest.raises(cf.Error):
            evaluator.evaluate({**run, "3": {"a": float("nan")}})
    assert list(references()) == before


def test_scores_as_dicts() -> None:
    rng = random.Random(1)
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": rng.random(), "c": 0.1}}
    scores = cf.evaluate(qrels, {"x": run, "y": {"2": {}}}, MEASURES)
    values = scores.to_dict()
    assert list(values) == ["x", "y"]
    for i, by_topic in enumerate(values.values()):
        assert tuple(by_topic) == scores.topics
        for j, by_measure in enumerate(by_topic.values()):
            assert tuple(by_measure) == scores.measures
            assert list(by_measure.values()) == scores.values[i, j].tolist()
    values["x"]["1"]["AP"] = 7.0
    assert scores.to_dict()["x"]["1"]["AP"] != 7.0
