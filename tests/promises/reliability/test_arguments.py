"""Wrong arguments in every public place: an ``Error``, whatever is given.

What is tried is found by walking the public modules: every function, constructor and method,
and each of its parameters by the signature. Each needs a call that works, in ``CALLS`` here or
in ``test_options.py``; without one the walk fails. What may happen instead of an ``Error`` is
in ``ALLOWED``, each with its reason. ``make test`` tries every second value on each parameter,
and the others on the next; ``make test-full`` tries all.
"""

from __future__ import annotations

import inspect
import os
import signal
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import cranfield as cf
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cranfield import (
    abstention,
    answers,
    batch,
    battles,
    collection,
    curves,
    expected,
    fairness,
    instructions,
    integrations,
    judges,
    meta,
    oneclick,
    stats,
    study,
    testing,
    trec_eval,
)
from cranfield._base import option_types
from cranfield._base.errors import MissingPackageError, shown

from tests import effort
from tests.base import test_options as made
from tests.base.test_options import (
    BOUNDS,
    COMPARED,
    DESCRIBED,
    EVALUATOR,
    QRELS,
    RANKED,
    RUN,
    SCORED,
    SCORES,
    SWEEP,
    Call,
    call,
)


class OwnError(Exception):
    """What a user's own object raises; it may pass."""


def _fails(*_: object, **__: object) -> NoReturn:
    raise OwnError


Broken = type(
    "Broken",
    (),
    {
        f"__{name}__": _fails
        for name in (
            *("repr", "str", "hash", "eq", "lt", "bool", "len", "iter", "next", "getitem"),
            *("contains", "float", "int", "index", "array", "fspath", "call", "getattr"),
            *("enter", "exit", "add", "radd", "mul", "rmul", "sub", "rsub", "neg", "reversed"),
        )
    },
)
"""A class whose objects raise, whatever is asked of them."""


class Endless:
    """Says that it has more items than there is memory for."""

    def __len__(self) -> int:
        return 2**62

    def __getitem__(self, place: object) -> NoReturn:
        raise IndexError(place)


def _circle() -> list[Any]:
    circle: list[Any] = []
    circle.append(circle)
    return circle


def _generator() -> Iterator[object]:
    yield 1
    raise OwnError


VALUES: dict[str, Callable[[], Any]] = {
    **{
        f"options: {name}": partial(lambda value: value, value)
        for name, value in made.WRONG.items()
    },
    "zero": lambda: 0,
    "minus one": lambda: -1,
    "2**31": lambda: 2**31,
    "2**62": lambda: 2**62,
    "-2**63": lambda: -(2**63),
    "2**64": lambda: 2**64,
    "1e308": lambda: 1e308,
    "-0.0": lambda: -0.0,
    "-inf": lambda: float("-inf"),
    "surrogates": lambda: "a\udcff\ud800b",
    "nul": lambda: "a\0b",
    "nul bytes": lambda: b"a\0b",
    "a path": lambda: Path("no/such/file"),
    "path of surrogates": lambda: Path("no/\udcff"),
    "missing file": lambda: "no/such/file",
    "long text": lambda: "x" * 100_000,
    "brackets": lambda: "[" * 5000,
    "format": lambda: "{0} %s %d %",
    "empty list": list,
    "empty dict": dict,
    "empty tuple": tuple,
    "empty set": set,
    "empty bytes": bytes,
    "empty array": lambda: np.array([]),
    "0-d array": lambda: np.array(1.0),
    "0 x 0": lambda: np.zeros((0, 0)),
    "1 x 0": lambda: np.zeros((1, 0)),
    "2 x 2": lambda: np.ones((2, 2)),
    "2 x 2 x 2": lambda: np.ones((2, 2, 2)),
    "nans": lambda: np.full(3, np.nan),
    "infs": lambda: np.full((2, 3), np.inf),
    "objects": lambda: np.array([None, "a", 1], dtype=object),
    "object matrix": lambda: np.array([[None, {}], [b"", 1]], dtype=object),
    "texts": lambda: np.array(["a", "b"]),
    "dates": lambda: np.array(["2020-01-01"], dtype="M8[D]"),
    "structured": lambda: np.zeros(3, dtype=[("a", "i4"), ("b", "f8")]),
    "complex array": lambda: np.array([1j, 2]),
    "nones": lambda: [None, None],
    "pairs": lambda: [(1, 2), (3, 4)],
    "list of broken": lambda: [Broken(), Broken()],
    "list of huge": lambda: [10**400, -(10**400)],
    "list of lists": lambda: [["a"], ["b"]],
    "lists of nan": lambda: [[float("nan")], [float("inf")]],
    "list of surrogates": lambda: ["\udcff", "\ud800"],
    "list of dicts": lambda: [{}, {"a": {}}],
    "circle": _circle,
    "dict of none": lambda: {None: None},
    "dict of dicts": lambda: {"a": {"b": {"c": {}}}},
    "dict of text": lambda: {"a": "b", 1: 2},
    "dict of huge": lambda: {"a": 10**400},
    "dict of nan": lambda: {"a": float("nan")},
    "dict of lists": lambda: {"a": [1, "x", None]},
    "dict of surrogates": lambda: {"\udcff": "\udcff"},
    "nested huge": lambda: {"1": {"a": 10**400}},
    "nested broken": lambda: {"1": {"a": Broken()}},
    "dict of broken": lambda: {"a": Broken()},
    "broken": Broken,
    "endless": Endless,
    "generator": _generator,
    "failing function": lambda: _fails,
    "error": lambda: ValueError("x"),
    "memory": lambda: memoryview(b"abc"),
    "range": lambda: range(3),
    "set": lambda: {"a", 1},
    "slice": lambda: slice(None),
    "module": lambda: os,
    "pandas": lambda: pd.DataFrame({"a": [1, 2]}),
    "polars": lambda: pl.DataFrame({"a": [None, 2]}),
    "arrow": lambda: pa.table({"a": [[1], None]}),
    "series": lambda: pd.Series(["a", None]),
    "polars series": lambda: pl.Series(["a", None]),
    "arrow array": lambda: pa.array([1, None]),
    "chunked array": lambda: pa.chunked_array([["a"], [None]]),
    "qrels": lambda: QRELS,
    "run": lambda: RUN,
    "ranked": lambda: RANKED,
    "scores": lambda: SCORES,
    "bounds": lambda: BOUNDS,
    "measure": lambda: cf.AP,
    "own measure": lambda: OWN,
    "ellipsis": lambda: ...,
}
"""None of these is right everywhere; where one is, it is taken."""


@cf.measure("argued", better="higher")
def _half(topic: Any) -> float:
    return 0.5


OWN: cf.CustomMeasure = _half


POWER = meta.discriminative_power(SCORES)
SPANS = cf.SpanQrels({"1": [("a", 0, 5)]})
CHUNKS = cf.SpanRun({"1": [("a", 0, 5, 0.5)]})
CURVES = curves.precision_recall(QRELS, RUN)
ROC = curves.roc(QRELS, RUN)
STANDING = meta.topic_set_size(SCORES, [2], samples=2)
SWAPS = meta.swap_rate(SCORES, samples=2)
RATED = battles.bradley_terry([("a", "b", None)] * 9)
JUDGES = judges.compare(QRELS, QRELS, SCORED, "AP", resamples=3)
DIFF = cf.diff(QRELS, SCORED["x"], SCORED["y"], "AP")
LISTS = cf.diff(None, SCORED["x"], SCORED["y"], "AP")
RECALL = cf.exact_recall([[1, 3]], [[1, 2, 3]], [[0.9, 0.8, 0.8]], k=2)
REPORT = cf.report(QRELS, SCORED, "AP")
SEVERAL = cf.Collections({"one": (QRELS, SCORED)})
TIERS = SCORES.tiers("AP")
PREFERENCES = cf.preferences(QRELS, SCORED)
MATRIX = meta.correlation(cf.evaluate(QRELS, SCORED, "AP P@2"))
GROUPS = SCORES.by_group({"1": "a", "2": "b"})

PLAIN = cf.evaluate(QRELS, SCORED, "AP P@2")
OF_COLLECTIONS = SEVERAL.evaluate("AP")
WITH_INTENTS = cf.Qrels.from_intents({"1": {"x": {"a": 1}}})

CALLS: list[Call] = [
    *made.CALLS,
    call(EVALUATOR.arrow, {"topic": ["1"], "doc": ["a"], "score": [1.0]}),
    call(EVALUATOR.evaluate, SCORED),
    call(EVALUATOR.topic, next(iter(EVALUATOR.qrels)), {"a": 1.0}),
    call(EVALUATOR.tie_bounds, SCORED),
    call(cf.evaluate_groups, [1.0, 0.0], [2.0, 1.0], "AP", group=[2]),
    call(cf.score_list, ["a", "b"], ["b"], "AP", own="a"),
    call(cf.audit, {"plain": 0.5}, "AP"),
    call(cf.identify, QRELS, SCORED, "AP=0.5000"),
    call(cf.Signature, ["AP"], {"qrels": "a"}),
    call(cf.Signature.parse, "AP|qrels:a"),
    call(cf.Signature(["AP"], {"qrels": "a"}).only, "AP"),
    call(cf.Signature(["AP"], {"qrels": "a"}).differences, SCORES),
    call(cf.Collections, {"one": (QRELS, SCORED)}),
    call(SEVERAL.__getitem__, "one"),
    call(SEVERAL.evaluate, "AP"),
    call(cf.Collections.read, "collections.toml"),
    call(OF_COLLECTIONS.__getitem__, "one"),
    call(OF_COLLECTIONS.borda, "AP"),
    call(OF_COLLECTIONS.by_group, {"1": "a"}),
    call(OF_COLLECTIONS.condorcet_winner, "AP"),
    call(OF_COLLECTIONS.copeland, "AP"),
    call(OF_COLLECTIONS.each, lambda scores: scores),
    call(OF_COLLECTIONS.interval),
    call(OF_COLLECTIONS.tiers, "AP", resamples=9),
    call(OF_COLLECTIONS.to_latex),
    call(OF_COLLECTIONS.to_markdown),
    call(GROUPS.__getitem__, "a"),
    call(GROUPS.interval, level=0.9),
    call(GROUPS.to_latex),
    call(GROUPS.to_markdown),
    call(COMPARED.__getitem__, ("x", "y", "AP")),
    call(COMPARED.rounded, 2),
    call(COMPARED.sort, "AP"),
    call(COMPARED.top, 2, "AP"),
    call(cf.Measure, "AP"),
    call(cf.RBP.__call__, p=0.5),
    call(cf.P.__matmul__, 10),
    call(cf.P.__rmatmul__, 10),  # type: ignore[attr-defined]
    call(cf.AP.over, "IA"),
    call(OWN.__call__, OWN),
    call(OWN.__matmul__, 10),
    call(DESCRIBED.to_html),
    call(DESCRIBED.topics.__getitem__, ("1", "R")),
    call(DESCRIBED.topics.only, ["1"]),
    call(DESCRIBED.topics.rounded, 2),
    call(DESCRIBED.topics.shown),
    call(DESCRIBED.topics.to_html),
    call(DESCRIBED.topics.to_latex),
    call(DESCRIBED.topics.to_markdown),
    call(TIERS.to_html),
    call(TIERS.to_latex),
    call(TIERS.to_markdown),
    call(SCORES.to_csv),
    call(SCORES.to_html),
    call(SCORES.to_json),
    call(collection.fold, QRELS),
    call(collection.mark_pool, QRELS, SCORED),
    call(QRELS.restrict_to_topics, ["1"]),
    call(DIFF.__getitem__, "1"),
    call(DIFF.interval),
    call(DIFF.share, "judged"),
    call(LISTS.bounds, "AP"),
    call(LISTS.relevant, "AP", "1"),
    call(cf.exact_recall, [[1, 3]], [[1, 2, 3]], [[0.9, 0.8, 0.8]], k=2),
    call(RECALL.lowest, 2),
    call(RECALL.percentile, 5.0),
    call(PREFERENCES.__getitem__, ("x", "y")),
    call(QRELS.__contains__, "1"),
    call(QRELS.__getitem__, "1"),
    call(QRELS.column, "stratum", "1"),
    call(QRELS.intents, "1"),
    call(QRELS.restrict_to_pool, {"1": ["a"]}),
    call(QRELS.with_column, "stratum", {"1": {"a": 1}}),
    call(WITH_INTENTS.with_navigational, {"1": ["x"]}),
    call(WITH_INTENTS.with_weights, {"1": {"x": 1.0}}),
    call(QRELS.with_lengths, {"a": 10.0}),
    call(cf.Measure("R").at, tokens=5),
    call(cf.stats.mde, 50, 0.1),
    call(cf.stats.t_test_power, 50, 0.4),
    call(cf.stats.topics_needed, 0.5),
    call(cf.stats.verdict, [0.5, 0.6, 0.7], [0.5, 0.5, 0.7], 0.01),
    call(QRELS.to_ratings, "srw"),
    call(QRELS.write, "written"),
    call(cf.Qrels.from_ratings, {"requests": []}),
    call(cf.Qrels.from_arrow, {"topic": ["1"], "doc": ["a"], "grade": [1]}),
    call(cf.Qrels.read, "qrels.txt"),
    call(RUN.__contains__, "1"),
    call(RUN.__getitem__, "1"),
    call(RUN.rename, "x"),
    call(RUN.write, "written"),
    call(cf.Run.from_arrow, {"topic": ["1"], "doc": ["a"], "score": [1.0]}),
    call(cf.Run.from_named_tuples, [], topic="q", document="d", score="s"),
    call(cf.Run.read, "run.txt", name="x"),
    call(REPORT.write, "page.html"),
    call(BOUNDS.__getitem__, ("x", "AP")),
    call(BOUNDS.sort),
    call(BOUNDS.to_csv),
    call(BOUNDS.to_html),
    call(BOUNDS.to_json),
    call(BOUNDS.to_arrow),
    call(BOUNDS.to_pandas),
    call(BOUNDS.to_polars),
    call(SCORES.__getitem__, ("x", "AP")),
    call(SCORES.at, [0], [0], [0], arranged=False),
    call(SCORES.best_first),
    call(SCORES.by_group, {"1": "a"}),
    call(SCORES.by_topic),
    call(SCORES.compare),
    call(cf.Scores.concat, [SCORES]),
    call(cf.Scores.from_records, [("x", "1", "m", 0.5)]),
    call(SCORES.interval, resamples=9),
    call(SCORES.of_runs, [0]),
    call(SCORES.sort),
    call(SCORES.tiers, "AP", resamples=9),
    call(cf.read_classes, "classes.txt"),
    call(cf.read_costs, "classes.txt"),
    call(cf.read_lengths, "classes.txt"),
    call(cf.read_intents, "classes.txt"),
    call(cf.read_qrels, "qrels.txt"),
    call(cf.read_rows, "lines.jsonl"),
    call(cf.read_span_qrels, "spans.tsv"),
    call(cf.SpanQrels, {"1": [("a", 0, 5)]}),
    call(cf.SpanQrels.read, "spans.tsv"),
    call(cf.SpanQrels.from_quotes, {"1": [("a", "b")]}, {"a": "abc"}),
    call(cf.splitter, SPANS, {"c": ("a", 0, 5)}),
    call(SPANS.label, {"c": ("a", 0, 5)}),
    call(SPANS.__contains__, "1"),
    call(SPANS.__getitem__, "1"),
    call(cf.SpanRun, {"1": [("a", 0, 5)]}),
    call(cf.SpanRun.read, "spans.tsv"),
    call(cf.SpanRun.read_chunks, "spans.tsv"),
    call(cf.SpanRun.from_run, {"1": {"c": 1.0}}, {"c": ("a", 0, 5)}),
    call(cf.SpanRun.from_nodes, {"1": []}),
    call(CHUNKS.documents, "MaxP"),
    call(CHUNKS.rename, "x"),
    call(cf.read_run, "run.txt"),
    call(cf.read_scores, "scores.csv"),
    call(cf.install_as, "no_such_package"),
    call(abstention.confidence, [0.5, 0.2]),
    call(answers.read_citations, "lines.jsonl"),
    call(answers.read_nuggets, "lines.jsonl"),
    call(answers.read_rubrics, "lines.jsonl"),
    call(batch.evaluate, QRELS, "run.txt", "AP", output="batch"),
    call(RATED.difference, "a", "b"),
    call(battles.preference_rates, [("a", "b", None)] * 9),
    call(battles.preference_rates([("a", "b", None)] * 9).__getitem__, "a"),
    call(battles.read, "lines.jsonl"),
    call(collection.agreement, QRELS, QRELS),
    call(collection.merge, QRELS),
    call(collection.unjudged, QRELS, QRELS),
    call(ROC.plot),
    call(CURVES.plot),
    call(expected.average_precision, ["a"], {"a": 0.5}),
    call(expected.difference, ["a"], ["b"], {"a": 0.5}),
    call(fairness.expected_exposure, [["a"]], {"a": "g"}, {"g": 1.0}),
    call(instructions.p_mrr, SCORED["x"], SCORED["y"], {"1": ["a"]}),
    call(instructions.robustness, SCORES),
    call(integrations.Patch().on_restore, print),
    call(integrations.Patch().replace, cf, "no_such_name", 1),
    call(JUDGES.html),
    call(JUDGES.write, "page.html"),
    call(judges.documents, QRELS, QRELS),
    call(STANDING.band, "tau"),
    call(STANDING.mean, "tau"),
    call(POWER.__getitem__, "AP"),
    call(POWER.curve, "AP"),
    call(POWER.p_values, "AP"),
    call(SWAPS.required_difference),
    call(SWEEP.at, "P", 1, 1),
    call(meta.at_depth, "P", 5),
    call(meta.best, SCORES, 1, "AP"),
    call(meta.drop_worst, SCORES, 0.5, "AP"),
    call(meta.g_study, SCORES),
    call(meta.means_of, SCORES.values),
    call(meta.overlap, POWER),
    call(meta.rank_weights, "P@3", 3),
    call(meta.seed_of, 1, 2),
    call(meta.sweep, SCORED, QRELS, [1], [1], ["P"]),
    call(meta.tau, np.array([1.0, 2]), np.array([2.0, 1])),
    call(oneclick.read_nuggets, "nuggets.txt"),
    call(oneclick.read_outputs, "outputs.txt"),
    call(MATRIX.__getitem__, ("AP", "P@2")),
    call(TIERS.__getitem__, "x"),
    call(stats.fleiss_kappa, [[1, 2], [2, 1]]),
    call(stats.pearson, [1, 2, 3], [1, 3, 2]),
    call(stats.rms_error, [1, 2, 3], [1, 3, 2]),
    call(stats.tau_gap, [1, 2, 3], [1, 3, 2]),
    call(study.Choice),
    call(study.run, "graded", QRELS, SCORED, "study"),
    call(testing.check_measure, OWN, cases=3),
    call(trec_eval.run, ["-h"]),
]

ALLOWED: dict[str, tuple[type[Exception], ...]] = {
    # What a name is and whether it is free, as of an import.
    "install_as": (ValueError, RuntimeError),
    # A column that is not there, as of a dict.
    "column": (KeyError,),
    # Of any object that a host's code has.
    "replace": (TypeError, AttributeError),
    # Another kind of key, and a topic that is not there, as of a dict.
    "__getitem__": (TypeError, KeyError),
    "intents": (KeyError,),
    # Says which property does not hold.
    "check_measure": (AssertionError,),
}
"""What a function may raise beside ``Error``, as its documentation says."""

CALLING = ("each", "on_restore", "robustness")
"""Functions that call what they are given."""

ANYWHERE = (cf.Error, MissingPackageError, MemoryError, OwnError)

OF_OTHERS = {
    # Exceptions are made like Python's own.
    *("CranfieldWarning", "Error", "LabelError", "MissingPackageError", "HostError"),
    # Not called with arguments.
    "Notes",
    # Takes what the core made of lists.
    "CustomMeasure.values",
    # For internal use only.
    "DataTable.in_order",
}


class TooLong(BaseException):
    """Stops a call that does what was asked of it for too long."""

    happened = False


def _too_long(_signal: int, frame: FrameType | None) -> None:
    while frame:
        if "importlib" in frame.f_code.co_filename:
            # A module that is cut short while it is read may fail in each later test. The timer
            # repeats.
            return
        frame = frame.f_back
    TooLong.happened = True
    raise TooLong


def place_of(thing: Any) -> tuple[str, str]:
    """Where a function, a method or a class was defined."""
    thing = inspect.unwrap(getattr(thing, "__func__", thing))
    return getattr(thing, "__module__", None) or "builtins", thing.__qualname__


SPECIAL = ("__getitem__", "__call__", "__matmul__", "__rmatmul__", "__contains__")
MORE = [type(OF_COLLECTIONS), type(GROUPS), type(DESCRIBED.topics), type(SCORES.plot)]
MORE += [type(COMPARED.plot)]
"""Classes of results that no public module names."""


def walked() -> Iterator[Any]:
    """Everything public that takes arguments."""
    modules = [cf, trec_eval, *(import_module(f"cranfield.{name}") for name in cf._MODULES)]
    things = [getattr(module, name) for module in modules for name in _names(module)]
    for thing in (*things, *MORE):
        if not inspect.isclass(thing):
            if callable(thing) and not isinstance(thing, cf.Measure):
                yield thing
            continue
        yield thing
        for name in dir(thing):
            owner = next(kind for kind in thing.__mro__ if name in vars(kind))
            found = getattr(thing, name)
            own = owner.__module__.startswith("cranfield") and not inspect.isclass(found)
            if own and callable(found) and (name in SPECIAL or not name.startswith("_")):
                yield found


def _names(module: Any) -> Iterator[str]:
    if module is trec_eval:
        yield "run"
    elif module.__name__ != "cranfield.measures":
        yield from getattr(module, "__all__", ())


def parameters(function: Any) -> list[inspect.Parameter]:
    return [p for p in inspect.signature(function).parameters.values() if p.name != "self"]


TRIED = {place_of(function): (function, given, options) for function, given, options in CALLS}


def is_record(kind: Any) -> bool:
    """Whether a class is made by functions, to be read."""
    return inspect.isclass(kind) and place_of(kind) not in TRIED


RECORDS = {
    kind.__qualname__: kind
    for kind in walked()
    if is_record(kind) and kind.__name__ not in OF_OTHERS
}


def test_everything_public_is_tried() -> None:
    missing = {
        place_of(thing)
        for thing in walked()
        if not inspect.isclass(thing)
        and parameters(thing)
        and place_of(thing) not in TRIED
        and thing.__qualname__ not in OF_OTHERS
    }
    assert not missing


def trials(
    function: Callable[..., Any], given: tuple[Any, ...], options: dict[str, Any]
) -> Iterator[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    """Calls with one argument left open, which is ``OPEN``."""
    for number, _ in enumerate(given):
        yield f"argument {number}", (*given[:number], OPEN, *given[number + 1 :]), options
    names: list[str] = []
    for parameter in parameters(function):
        if parameter.kind is parameter.VAR_KEYWORD:
            kind = str(parameter.annotation).removeprefix("Unpack[").removesuffix("]")
            names += getattr(getattr(option_types, kind, None), "__annotations__", options)
        elif parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            names.append(parameter.name)
    for name in names[len(given) :]:
        yield name, given, {**options, name: OPEN}


OPEN = object()
LIMIT = 0.2
"""Seconds after which a call is stopped."""


def outcome(function: Callable[..., Any], given: Any, options: Any, value: Any) -> str | None:
    """What is wrong with how a call ends."""
    filled = [value() if one is OPEN else one for one in given]
    named = {name: value() if one is OPEN else one for name, one in options.items()}
    functions = [named.get(name) for name in made.CALLED]
    if getattr(function, "__name__", "") in CALLING:
        functions += filled
    if any(map(callable, functions)):
        # What a user's function raises is the user's.
        return None
    allowed = ANYWHERE + ALLOWED.get(getattr(function, "__name__", ""), ())
    signal.signal(signal.SIGALRM, _too_long)
    # Again and again: what is raised in a callback of the collector of garbage is lost.
    signal.setitimer(signal.ITIMER_REAL, LIMIT, LIMIT)
    wrong = None
    TooLong.happened = False
    try:
        try:
            found = function(*filled, **named)
            if inspect.isgenerator(found):
                list(found)
        except BaseException as error:
            if isinstance(error, (*allowed, TooLong)):
                return None
            wrong = f"{type(error).__name__}: {shown(error)}"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            plt.close("all")
    except TooLong:
        signal.setitimer(signal.ITIMER_REAL, 0)
    # Libraries in C make something else of it.
    return None if TooLong.happened else wrong


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the files that are read, as the working directory."""
    folder = tmp_path_factory.mktemp("files")
    before = Path.cwd()
    os.chdir(folder)
    QRELS.write("qrels.txt")
    RUN.write("run.txt")
    Path("classes.txt").write_text("1 x a 1\n", encoding="utf-8")
    Path("spans.tsv").write_text("topic\tdoc\tstart\tend\n1\ta\t0\t5\n", encoding="utf-8")
    Path("scores.csv").write_text("run,topic,AP\nx,1,0.5\n", encoding="utf-8")
    Path("nuggets.txt").write_text("1 N1 3 10\n", encoding="utf-8")
    Path("outputs.txt").write_text("1 syslen= 500\n1 N1 100\n", encoding="utf-8")
    Path("collections.toml").write_text('[one]\nqrels = "qrels.txt"\nruns = "run.txt"\n')
    yield folder
    os.chdir(before)


def every_second(number: int) -> list[tuple[str, Callable[[], Any]]]:
    """Half of the values, or all of them."""
    values = list(VALUES.items())
    return values if effort.FULL else values[number % 2 :: 2]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("place", [pytest.param(p, id=".".join(p)) for p in TRIED])
def test_a_wrong_argument_is_an_error(place: tuple[str, str]) -> None:
    function, given, options = TRIED[place]
    first = list(TRIED).index(place)
    trouble = [
        f"{what} = {name}: {wrong}"
        for number, (what, filled, named) in enumerate(trials(function, given, options), first)
        for name, value in every_second(number)
        if (wrong := outcome(function, filled, named, value)) is not None
    ]
    assert not trouble, "\n".join(trouble)


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_of_anything_is_made_or_an_error(name: str) -> None:
    kind = RECORDS[name]
    count = len(parameters(kind))
    names = [p.name for p in parameters(kind) if p.kind is p.KEYWORD_ONLY]
    options = dict.fromkeys(names, OPEN)
    given = [OPEN] * (count - len(names))
    trouble = [
        f"{what}: {wrong}"
        for what, value in VALUES.items()
        if (wrong := outcome(kind, given, options, value)) is not None
    ]
    assert not trouble, "\n".join(trouble)
