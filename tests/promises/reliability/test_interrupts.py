"""An interrupt that is raised in a method of the caller's object passes through every function."""

from __future__ import annotations

import asyncio
import io
from collections import UserDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield.compat import pytrec_eval

INTERRUPTS = [KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError]

JUDGED = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
SCORED = {"1": {"a": 3.0, "b": 2.0}, "2": {"a": 1.0}}
MANY = {f"d{i}": float(-i) for i in range(200)}


def raising(*methods: str, base: type = object) -> Callable[[type[BaseException]], Any]:
    """What makes an object whose methods raise."""

    def make(interrupt: type[BaseException], *args: Any) -> Any:
        def method(*_: Any, **__: Any) -> Any:
            raise interrupt

        found: Any = type("Odd", (base,), dict.fromkeys(methods, method))
        return found(*args)

    return make


number = raising("__float__")
whole = raising("__index__")
unprintable = raising("__repr__", "__str__")
text = raising("__repr__", "__str__", base=str)
unlisted = raising("__iter__")


def key(interrupt: type[BaseException], name: str = "a") -> Any:
    """A str of the same hash as its text that raises when it is compared."""

    def equal(_: object, __: object) -> bool:
        raise interrupt

    return type("Key", (str,), {"__eq__": equal, "__hash__": str.__hash__})(name)


class Attribute:
    """An object whose attributes raise."""

    def __init__(self, interrupt: type[BaseException], *names: str) -> None:
        self.interrupt, self.names = interrupt, names

    def __getattr__(self, name: str) -> Any:
        if name in self.names:
            raise self.interrupt
        raise AttributeError(name)


class Items(Mapping[str, Any]):
    """A mapping that raises in the method that is named."""

    def __init__(self, interrupt: type[BaseException], where: str) -> None:
        self.interrupt, self.where = interrupt, where

    def __getitem__(self, key: str) -> Any:
        raise self.interrupt

    def __len__(self) -> int:
        if self.where == "len":
            raise self.interrupt
        return 1

    def __iter__(self) -> Iterator[str]:
        yield "1"
        raise self.interrupt

    def items(self) -> Any:
        if self.where == "items":
            raise self.interrupt
        return iter(self.pairs())

    def pairs(self) -> Iterator[Any]:
        yield ("1", SCORED["1"])
        raise self.interrupt


class Stream(io.RawIOBase):
    """A binary file that raises when it is read."""

    def __init__(self, interrupt: type[BaseException]) -> None:
        self.interrupt = interrupt

    def read(self, size: int = -1) -> bytes:
        if size == 0:
            return b""
        raise self.interrupt


class Array:
    """What numpy asks for its array."""

    def __init__(self, interrupt: type[BaseException]) -> None:
        self.interrupt = interrupt

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise self.interrupt


class Arrow(Array):
    """An object that gives a stream."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        raise self.interrupt


class Path(Array):
    """An object that gives a path."""

    def __fspath__(self) -> str:
        raise self.interrupt


def classless(interrupt: type[BaseException]) -> Any:
    def asked(_: object) -> Any:
        raise interrupt

    return type("Classless", (), {"__class__": property(asked)})()


def call(interrupt: type[BaseException]) -> Callable[..., Any]:
    def called(*_: Any, **__: Any) -> Any:
        raise interrupt

    return called


def rows(interrupt: type[BaseException]) -> Iterable[Any]:
    yield ("1", "a", 1.0)
    raise interrupt


def reader(interrupt: type[BaseException]) -> Any:
    """A reader of record batches that raises after the first."""
    pa = pytest.importorskip("pyarrow")
    batch = pa.record_batch({"topic": ["1"], "doc": ["a"], "score": [1.0]})

    def batches() -> Iterator[Any]:
        yield batch
        raise interrupt

    return pa.RecordBatchReader.from_batches(batch.schema, batches())


def large(interrupt: type[BaseException]) -> dict[str, Any]:
    """A list that is so long that the judged documents are looked up in it."""
    return {**MANY, key(interrupt): 1.0}


Asked = Callable[[type[BaseException]], object]


def untyped(thing: object) -> Any:
    """What is wrong for its place, as far as types go."""
    return thing


QRELS = cf.Qrels(JUDGED)
RUN = cf.Run(SCORED)
SCORES = cf.evaluate(JUDGED, {"x": SCORED, "y": SCORED}, "AP")
EVALUATOR = cf.Evaluator(JUDGED, "AP")
RANKED = cf.collection.rank(JUDGED, SCORED, keep_unjudged=True)

PLACES: dict[str, Asked] = {
    "grade": lambda e: cf.Qrels({"1": {"a": number(e)}}),
    "grade printed": lambda e: cf.Qrels({"1": {"a": unprintable(e)}}),
    "grade by intent": lambda e: cf.Qrels.from_intents({"1": {"x": {"a": number(e)}}}),
    "weight": lambda e: cf.Qrels.from_intents(
        {"1": {"x": {"a": 1}}}, weights={"1": {"x": number(e)}}
    ),
    "weight printed": lambda e: cf.Qrels.from_intents(
        {"1": {"x": {"a": 1}}}, weights={"1": {"x": unprintable(e)}}
    ),
    "navigational": lambda e: cf.Qrels.from_intents(
        {"1": {"x": {"a": 1}}}, navigational={"1": unlisted(e)}
    ),
    "column": lambda e: QRELS.with_column("cost", {"1": {"a": number(e)}}),
    "qrels mapping items": lambda e: cf.Qrels(Items(e, "items")),
    "qrels mapping pairs": lambda e: cf.Qrels(Items(e, "pairs")),
    "evaluate mapping": lambda e: cf.evaluate(Items(e, "items"), SCORED, "AP"),
    "run mapping": lambda e: cf.evaluate(JUDGED, Items(e, "items"), "AP"),
    "run mapping inside": lambda e: cf.evaluate(JUDGED, {"1": Items(e, "items")}, "AP"),
    "score": lambda e: cf.Run({"1": {"a": number(e)}}),
    "score evaluated": lambda e: cf.evaluate(JUDGED, {"1": {"a": number(e), "b": 1.0}}, "AP"),
    "score whole": lambda e: cf.evaluate(JUDGED, {"1": {"a": whole(e)}}, "AP"),
    "score printed": lambda e: cf.evaluate(JUDGED, {"1": {"a": unprintable(e)}}, "AP"),
    "document whole": lambda e: cf.Run({"1": {whole(e): 1.0}}),
    "document printed": lambda e: cf.Run({"1": {unprintable(e): 1.0}}),
    "document compared": lambda e: cf.evaluate(JUDGED, {"1": large(e)}, "AP"),
    "topic whole": lambda e: cf.Run({whole(e): {"a": 1.0}}),
    "topic printed": lambda e: cf.Qrels({unprintable(e): {"a": 1}}),
    "class": lambda e: cf.Qrels({"1": classless(e)}),
    "class of a run": lambda e: cf.Run(classless(e)),
    "contains": lambda e: whole(e) in QRELS,
    "contains printed": lambda e: unprintable(e) in QRELS,
    "contains in a run": lambda e: whole(e) in RUN,
    "item": lambda e: QRELS[whole(e)],
    "item of a run": lambda e: RUN[unprintable(e)],
    "rankings": lambda e: cf.Run.from_rankings({"1": unlisted(e)}),
    "rankings printed": lambda e: cf.Run.from_rankings({"1": unprintable(e)}),
    "rankings inside": lambda e: cf.Run.from_rankings({"1": untyped(d for _, d, _ in rows(e))}),
    "rows": lambda e: cf.Run.from_rows(unlisted(e), ["a"], [1.0]),
    "rows score": lambda e: cf.Run.from_rows(["1"], ["a"], [number(e)]),
    "rows printed": lambda e: cf.Run.from_rows(["1"], [unprintable(e)], [1.0]),
    "rows grade": lambda e: cf.Qrels.from_rows(["1"], ["a"], [number(e)]),
    "tuples": lambda e: cf.evaluate(JUDGED, rows(e), "AP"),
    "tuples as qrels": lambda e: cf.evaluate(rows(e), SCORED, "AP"),
    "tuples score": lambda e: cf.evaluate(JUDGED, [("1", "a", number(e))], "AP"),
    "hits": lambda e: cf.Run.from_hits({"1": [{"_id": "a", "_score": unprintable(e)}]}),
    "array": lambda e: cf.Run.from_topk(["1"], Array(e), [[1.0]]),
    "array of scores": lambda e: cf.Run.from_arrays(["1"], ["a"], Array(e)),
    "array of topics": lambda e: cf.Qrels.from_arrays(Array(e), ["a"], [1.0]),
    "object array": lambda e: cf.Run.from_topk(
        ["1"], np.array([[whole(e)]], dtype=object), [[1.0]]
    ),
    "object array printed": lambda e: cf.Run.from_arrays(
        ["1"], np.array([unprintable(e)], dtype=object), [1.0]
    ),
    "arrow": lambda e: cf.Run.from_arrow(Arrow(e)),
    "arrow evaluated": lambda e: cf.evaluate(JUDGED, Arrow(e), "AP"),
    "arrow as qrels": lambda e: cf.evaluate(Arrow(e), SCORED, "AP"),
    "arrow reader": lambda e: cf.evaluate(JUDGED, reader(e), "AP"),
    "arrow reader as qrels": lambda e: cf.Qrels.from_arrow(reader(e)),
    "path": lambda e: RUN.write(untyped(Path(e))),
    "path of qrels": lambda e: QRELS.write(untyped(Path(e))),
    "stream": lambda e: cf.read_run(untyped(Stream(e))),
    "stream of qrels": lambda e: cf.read_qrels(untyped(Stream(e))),
    "stream evaluated": lambda e: cf.evaluate(JUDGED, Stream(e), "AP"),
    "stream of intents": lambda e: cf.read_intents(untyped(Stream(e))),
    "attribute read": lambda e: cf.evaluate(Attribute(e, "read"), SCORED, "AP"),
    "attribute qrels_iter": lambda e: cf.evaluate(Attribute(e, "qrels_iter"), SCORED, "AP"),
    "attribute arrow": lambda e: cf.evaluate(JUDGED, Attribute(e, "__arrow_c_stream__"), "AP"),
    "attribute name": lambda e: cf.read_run(Attribute(e, "name", "read")),
    "iterable": lambda e: cf.evaluate(JUDGED, unlisted(e), "AP"),
    "measures": lambda e: cf.evaluate(JUDGED, SCORED, unlisted(e)),
    "parameter": lambda e: cf.nDCG(dcg=unprintable(e)),
    "parameter number": lambda e: cf.RBP(p=number(e)),
    "parameter map": lambda e: cf.nDCG(gains={1: number(e)}),
    "cutoff": lambda e: cf.nDCG @ number(e),
    "cutoff printed": lambda e: cf.nDCG @ unprintable(e),
    "depth": lambda e: cf.evaluate(JUDGED, SCORED, "AP", depth=whole(e)),
    "depth printed": lambda e: cf.evaluate(JUDGED, SCORED, "AP", depth=unprintable(e)),
    "threads": lambda e: cf.Evaluator(JUDGED, "AP", threads=whole(e)),
    "order printed": lambda e: cf.Evaluator(JUDGED, "AP", order=unprintable(e)),
    "limits": lambda e: cf.Limits(line_bytes=whole(e)),
    "unseen": lambda e: cf.bounds(JUDGED, SCORED, "AP", unseen=whole(e)),
    "unseen printed": lambda e: cf.bounds(JUDGED, SCORED, "AP", unseen=unprintable(e)),
    "max_grade": lambda e: cf.bounds(JUDGED, SCORED, "AP", max_grade=number(e)),
    "progress": lambda e: cf.evaluate(JUDGED, SCORED, "AP", progress=call(e)),
    "progress of reading": lambda e: cf.read_runs([RUN], progress=call(e)),
    "seed": lambda e: cf.stats.bootstrap_test(SCORES, seed=whole(e)),
    "alpha": lambda e: cf.stats.t_test(SCORES).significant(number(e)),
    "baseline": lambda e: cf.stats.t_test(SCORES, baseline=whole(e)),
    "baseline printed": lambda e: cf.stats.t_test(SCORES, baseline=unprintable(e)),
    "baseline of a comparison": lambda e: cf.compare(
        JUDGED, {"x": SCORED, "y": SCORED}, "AP", baseline=whole(e)
    ),
    "scores as numbers": lambda e: cf.stats.t_test(Array(e)),
    "items of a ranking": lambda e: cf.stats.rbo(unlisted(e), ["a"]),
    "item of a ranking": lambda e: cf.stats.rbo([raising("__hash__")(e)], ["a"]),
    "values": lambda e: cf.stats.kendall([number(e), 1.0], [1.0, 2.0]),
    "labels": lambda e: cf.stats.cohen_kappa([raising("__hash__")(e)], ["a"]),
    "label": lambda e: SCORES.sel(run=unprintable(e)),
    "label of a topic": lambda e: SCORES.sel(topic=whole(e)),
    "depths": lambda e: cf.describe(JUDGED, SCORED, depths=[whole(e)]),
    "depths listed": lambda e: cf.describe(JUDGED, SCORED, depths=unlisted(e)),
    "rate": lambda e: cf.collection.reduce(JUDGED, number(e)),
    "rate of a collection": lambda e: cf.collection.sample_collection(RANKED, number(e)),
    "points": lambda e: cf.curves.precision_recall(JUDGED, SCORED, points=whole(e)),
    "face judgments": lambda e: pytrec_eval.RelevanceEvaluator(
        {"1": {"a": unprintable(e)}}, {"map"}
    ),
    "face topic": lambda e: pytrec_eval.RelevanceEvaluator({text(e): {"a": untyped(1.5)}}, {"map"}),
    "face run": lambda e: pytrec_eval.RelevanceEvaluator(JUDGED, {"map"}).evaluate(
        {"1": {"a": unprintable(e)}}
    ),
    "face document": lambda e: pytrec_eval.RelevanceEvaluator(JUDGED, {"map"}).evaluate(
        {"1": {text(e): untyped("x")}}
    ),
    "face compared": lambda e: pytrec_eval.RelevanceEvaluator(JUDGED, {"map"}).evaluate(
        {"1": large(e)}
    ),
    "face measures": lambda e: pytrec_eval.RelevanceEvaluator(JUDGED, unlisted(e)),
}


@pytest.mark.parametrize("interrupt", INTERRUPTS)
@pytest.mark.parametrize("place", PLACES)
def test_it_passes(place: str, interrupt: type[BaseException]) -> None:
    outcome: object
    try:
        outcome = PLACES[place](interrupt)
    except interrupt:
        return
    except cf.Error as error:
        outcome = error
    pytest.fail(f"swallowed: {outcome!r}")


def test_what_an_exception_of_a_method_was_is_the_cause() -> None:
    class Mine(UserDict[str, Any]):
        def items(self) -> Any:
            raise RuntimeError("the disk is gone")

    with pytest.raises(cf.Error, match="RuntimeError: the disk is gone") as caught:
        cf.Qrels(Mine())
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_a_key_that_claims_to_be_another_changes_no_score() -> None:
    """A dict of few judged documents is asked for them; such a key would answer for one."""
    claims = type("Claims", (str,), {"__eq__": lambda *_: True, "__hash__": lambda _: hash("a")})
    listed = {**MANY, claims("z"): 5.0}
    assert cf.evaluate({"1": {"a": 1}}, {"1": listed}, "AP").values.item() == 0


def test_an_exception_of_a_comparison_does_not_matter() -> None:
    listed = {**MANY, key(ValueError): 1.0}
    assert cf.evaluate({"1": {"a": 1}}, {"1": listed}, "AP").values.item() == 1
