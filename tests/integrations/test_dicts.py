"""BEIR, MTEB and sentence-transformers with and without their hooks, on random collections.

BEIR's own dependencies are not needed here, so `make test` has it; the others need torch, and
``make hosts`` installs them.
"""

from __future__ import annotations

import copy
import math
import random
import struct
from collections import Counter, UserDict, defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from tests import effort

CASES = effort.seeds(500, 100)
KINDS = ("real", "single", "near", "int", "zeros")
CUTOFFS = [1, 3, 5, 10]

Table = dict[str, dict[str, Any]]


def drawn_score(rng: random.Random, kind: str) -> float:
    match kind:
        case "real":
            return rng.random()
        case "single":
            score: float = struct.unpack("f", struct.pack("f", round(rng.random(), 2)))[0]
            return score
        case "near":
            return 1 + rng.choice((0, 1e-12, 1e-9, 0.25, 0.5))
        case "int":
            return rng.randint(-3, 9)
        case _:
            return rng.choice((0.0, -0.0, 1e-50, -1e-50))


def drawn(rng: random.Random) -> tuple[Table, Table]:
    """Judgments with a relevant document in each topic, and a run of the same topics."""
    documents = [f"d{i}" for i in range(40)]
    kind = rng.choice(KINDS)
    length = rng.choice((None, 30))
    qrels: Table = {}
    run: Table = {}
    for number in range(rng.randint(2, 12)):
        judged = rng.sample(documents, rng.randint(1, 9))
        qrels[f"q{number}"] = {d: rng.choice((0, 1, 1, 2)) for d in judged} | {judged[0]: 1}
        found = rng.sample(documents, length or rng.choice((0, 1, 2, 7, 30)))
        run[f"q{number}"] = {d: drawn_score(rng, kind) for d in found}
    return qrels, run


def same(ours: Any, theirs: Any, where: str) -> None:
    """Raises ``AssertionError`` unless two results have one shape, order and values."""
    if isinstance(theirs, dict):
        assert list(ours) == list(theirs), where
        for key in theirs:
            same(ours[key], theirs[key], f"{where}/{key}")
    else:
        alike = math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)
        assert alike or (math.isnan(ours) and math.isnan(theirs)), f"{where}: {ours}, {theirs}"


def test_beir() -> None:
    evaluation = pytest.importorskip("beir.retrieval.evaluation")
    from cranfield.integrations import beir as hook

    def found() -> dict[Any, Any]:
        tables = host.evaluate(qrels, {t: dict(scored) for t, scored in run.items()}, CUTOFFS)
        custom = {
            metric: host.evaluate_custom(qrels, run, CUTOFFS, metric)
            for metric in ("mrr", "r_cap", "acc")
        }
        return dict(enumerate(tables)) | custom

    host = evaluation.EvaluateRetrieval
    for case in CASES:
        qrels, run = drawn(random.Random(case))
        theirs = found()
        with hook.patch():
            same(found(), theirs, f"case {case}")


def test_mteb() -> None:
    host = pytest.importorskip("mteb._evaluators.retrieval_metrics")
    from cranfield.integrations import mteb as hook

    for case in CASES:
        qrels, run = drawn(random.Random(case))
        theirs = host.calculate_retrieval_scores(run, qrels, CUTOFFS)._asdict()
        with hook.patch():
            ours = host.calculate_retrieval_scores(run, qrels, CUTOFFS)._asdict()
        same(ours, theirs, f"case {case}")


Q: Table = {"1": {"a": 1, "b": 0, "c": 2, "n": -1}, "2": {"b": 1, "z": 0}}
R: Table = {"1": {"a": 0.5, "b": 0.7, "x": 0.9, "c": 0.1}, "2": {"b": 1.0, "y": 2.0}}
ODD: list[tuple[str, Any, Any, Any]] = [
    ("judgments as a str", "qrels.txt", R, [1]),
    ("judgments as None", None, R, [1]),
    ("no judgments", {}, R, [1]),
    ("judgments that are all empty", {"1": {}, "2": {}}, R, [1]),
    ("a topic without judged documents", {"1": {}, "2": {"b": 1}}, R, [1]),
    ("a topic without judgments", {"1": {"a": 1}}, R, [1]),
    ("a topic without relevant documents", {"1": {"a": 0}, "2": {"b": 1}}, R, [1]),
    ("judgments as a proxy", MappingProxyType(Q), R, [1, 3]),
    ("judgments as a UserDict", UserDict(Q), R, [1, 3]),
    ("judgments with a default", defaultdict(dict, {"1": {"a": 1}}), R, [1]),
    ("grades as Counter and bool", {"1": Counter(a=2), "2": {"b": True}}, R, [1, 3]),
    ("a grade as a float", {"1": {"a": 1.0}, "2": {"b": 1}}, R, [1, 3]),
    ("a fraction as a grade", {"1": {"a": 0.5}, "2": {"b": 1.5}}, R, [1, 3]),
    ("a grade as a numpy int", {"1": {"a": np.int64(1)}, "2": {"b": 1}}, R, [1, 3]),
    ("a grade as a str", {"1": {"a": 1, "b": "high"}}, {"1": {"a": 1.0}}, [1]),
    ("a document as a number", {"1": {1: 1}, "2": {"b": 1}}, R, [1]),
    ("a topic of judgments as a number", {1: {"a": 1}}, {"1": {"a": 1.0}}, [1]),
    ("a wrong grade that no list asks for", {**Q, "9": {"a": "x"}}, R, [1]),
    ("judgments under a name", {"run": Q}, R, [1]),
    ("a run as a str", Q, "run.txt", [1]),
    ("a run as None", Q, None, [1]),
    ("an empty run", Q, {}, [1]),
    ("a run as a proxy", Q, MappingProxyType(R), [1]),
    ("empty lists", Q, {"1": {}, "2": {}}, [1]),
    ("a list as a list", Q, {"1": ["a"]}, [1]),
    ("a list of pairs", Q, {"1": [("a", 1.0)]}, [1]),
    ("a run under a name", Q, {"bm25": R}, [1]),
    ("a topic as a number", Q, {1: {"a": 1.0}}, [1]),
    ("a document of the run as bytes", Q, {"1": {b"a": 1.0}, "2": {"b": 1.0}}, [1]),
    ("a score as a str", Q, {"1": {"a": 1.0, "b": "high"}, "2": {"b": 1.0}}, [1]),
    ("no score", Q, {"1": {"a": None}, "2": {"b": 1.0}}, [1]),
    ("a score as a numpy single", Q, {"1": {"a": np.float32(1)}, "2": {"b": 1.0}}, [1]),
    ("a score as a numpy double", Q, {"1": {"a": np.float64(1)}, "2": {"b": 1.0}}, [1]),
    ("a score as a fraction", Q, {"1": {"a": Fraction(1, 2)}, "2": {"b": 1.0}}, [1]),
    ("scores without end", Q, {"1": {"a": math.inf, "b": 1.0}, "2": {"b": -math.inf}}, [1, 3]),
    ("a score that is no number", Q, {"1": {"a": math.nan, "b": 1.0}, "2": {"b": 1.0}}, [1, 3]),
    ("documents called like topics", Q, {"1": {"1": 5.0, "a": 1.0}, "2": {"b": 1.0}}, [1, 3]),
    ("no cutoffs", Q, R, []),
    ("cutoffs as None", Q, R, None),
    ("cutoffs as a range", Q, R, range(1, 4)),
    ("cutoffs as a tuple", Q, R, (10, 1)),
    ("cutoffs as an array", Q, R, np.array([1, 3])),
    ("cutoffs as an array of one", Q, R, np.array([1])),
    ("cutoffs as an empty array", Q, R, np.array([], dtype=int)),
    ("cutoffs as an array of small numbers", Q, R, np.array([1, 3], dtype=np.uint8)),
    ("cutoffs as an array of floats", Q, R, np.array([1.0, 3.0])),
    ("cutoffs as a matrix", Q, R, np.array([[1, 3]])),
    ("cutoffs as numpy's numbers", Q, R, [np.int64(1), np.int32(3)]),
    ("cutoffs as the keys of a dict", Q, R, dict.fromkeys([1, 3]).keys()),
    ("cutoffs as text", Q, R, ["1", "3"]),
    ("cutoffs as floats", Q, R, [1.0, 3.0]),
    ("a cutoff below 0", Q, R, [-1, 2]),
    ("a cutoff twice", Q, R, [1, 1, 3]),
    ("a cutoff beyond C", Q, R, [10**12]),
    ("a cutoff as bool", Q, R, [True]),
]
"""Judgments, a run and cutoffs, unusual or wrong in one way."""


def outcome(call: Callable[[], Any]) -> tuple[Any, BaseException | None]:
    """What a call returns, or what it raises."""
    try:
        return call(), None
    except Exception as error:
        return None, error


def said(error: BaseException | None) -> str:
    """The message of an exception with its notes."""
    return "\n".join([str(error), *getattr(error, "__notes__", [])])


def check_outcome(what: str, call: Callable[[], Any], hook: Any) -> None:
    """Raises unless a call gives the host's own result or its kind of error under the hook."""
    theirs, raised = outcome(call)
    with hook.patch():
        ours, mine = outcome(call)
    assert type(mine) is type(raised), (what, mine)
    if raised is None:
        same(ours, theirs, what)
    elif "cutoff" not in what:
        assert "xpected" in said(mine) or "matching score" in str(mine), mine
    if isinstance(raised, KeyError):
        assert mine is not None
        assert mine.args == raised.args


def check_beir(name: str, what: str, qrels: Any, run: Any, cutoffs: Any) -> None:
    host = pytest.importorskip("beir.retrieval.evaluation").EvaluateRetrieval
    from cranfield.integrations import beir as hook

    def call() -> Any:
        mine = copy.deepcopy(run) if type(run) is dict else run
        if name == "evaluate":
            return dict(enumerate(host.evaluate(qrels, mine, cutoffs)))
        return host.evaluate_custom(qrels, mine, cutoffs, name)

    check_outcome(what, call, hook)


def check_mteb(what: str, qrels: Any, run: Any, cutoffs: Any) -> None:
    host = pytest.importorskip("mteb._evaluators.retrieval_metrics")
    from cranfield.integrations import mteb as hook

    check_outcome(
        what, lambda: host.calculate_retrieval_scores(run, qrels, cutoffs)._asdict(), hook
    )


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("what", "qrels", "run", "cutoffs"), ODD)
@pytest.mark.parametrize("name", ["evaluate", "mrr", "r_cap", "acc", "hole"])
def test_what_is_odd_has_beirs_result_or_error(
    name: str, what: str, qrels: Any, run: Any, cutoffs: Any
) -> None:
    check_beir(name, what, qrels, run, cutoffs)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_odd_has_mtebs_result_or_error() -> None:
    for case in ODD:
        check_mteb(*case)


@pytest.mark.parametrize("host", ["beir", "mteb"])
def test_cutoffs_as_a_column_of_a_data_frame(host: str) -> None:
    pandas = pytest.importorskip("pandas")
    for cutoffs in ([1, 3], [10]):
        for column in (pandas.Series(cutoffs), pandas.Index(cutoffs), pandas.array(cutoffs)):
            if host == "mteb":
                check_mteb("cutoffs", Q, R, column)
            else:
                check_beir("evaluate", "cutoffs", Q, R, column)
                check_beir("mrr", "cutoffs", Q, R, column)


@pytest.mark.parametrize("name", ["beir", "mteb"])
def test_what_ends_the_host(name: str) -> None:
    if name == "beir":
        host = pytest.importorskip("beir.retrieval.evaluation").EvaluateRetrieval
        from cranfield.integrations import beir as hook

        with hook.patch(), pytest.raises(ValueError, match="expected a cutoff of at least 1"):
            host.evaluate(Q, R, [0, 1])
        with hook.patch():
            assert host.evaluate({"1": {"a": -1}}, R, [1])[0] == {"NDCG@1": 0.0}
    else:
        metrics = pytest.importorskip("mteb._evaluators.retrieval_metrics")
        from cranfield.integrations import mteb as hook  # type: ignore[no-redef]

        with hook.patch(), pytest.raises(ValueError, match="expected a cutoff of at least 1"):
            metrics.calculate_retrieval_scores(R, Q, [0, 1])


def test_sentence_transformers() -> None:
    evaluation = pytest.importorskip("sentence_transformers.sentence_transformer.evaluation")
    from cranfield.integrations import sentence_transformers as hook

    for case in CASES:
        qrels, run = drawn(random.Random(case))
        host = evaluation.InformationRetrievalEvaluator(
            {topic: topic for topic in qrels},
            {f"d{i}": "" for i in range(40)},
            {topic: {d for d, grade in grades.items() if grade} for topic, grades in qrels.items()},
            write_csv=False,
        )
        hits = [
            [{"corpus_id": d, "score": score} for d, score in run[topic].items()]
            for topic in host.queries_ids
        ]
        theirs = host.compute_metrics(hits)
        with hook.patch():
            same(host.compute_metrics(hits), theirs, f"case {case}")


def test_beirs_own_measures_of_topics_that_are_whole_numbers() -> None:
    host = pytest.importorskip("beir.retrieval.evaluation").EvaluateRetrieval
    from cranfield.integrations import beir as hook

    qrels, run = {1: {"a": 1}, 2: {"b": 1}}, {2: {"b": 1.0}, 1: {"c": 2.0, "a": 1.0}}
    theirs = host.evaluate_custom(qrels, run, [1, 2], "mrr")
    with hook.patch():
        assert host.evaluate_custom(qrels, run, [1, 2], "mrr") == theirs


def hits(*lists: dict[Any, Any]) -> list[list[dict[str, Any]]]:
    return [[{"corpus_id": d, "score": score} for d, score in scored.items()] for scored in lists]


FOUND = hits({"a": 0.5, "b": 0.7, "x": 0.9}, {"b": 1.0, "c": 2.0})
ODD_HITS: list[tuple[str, Any, dict[str, Any]]] = [
    ("no lists", [], {}),
    ("empty lists", [[], []], {}),
    ("a list for one query of two", FOUND[:1], {}),
    ("more lists than queries", [*FOUND, []], {}),
    ("lists as a str", "hits", {}),
    ("lists as None", None, {}),
    ("a list as None", [None, []], {}),
    ("hits as pairs", [[("a", 1.0)], []], {}),
    ("a list as a run", [{"a": 1.0}, {"b": 1.0}], {}),
    ("a hit without a score", [[{"corpus_id": "a"}], []], {}),
    ("a hit without an id", [[{"score": 1.0}], []], {}),
    ("a score as a str", hits({"a": "high", "b": 1.0}, {}), {}),
    ("no score", hits({"a": None, "b": 1.0}, {}), {}),
    ("a score without end", hits({"a": math.inf, "b": 1.0}, {}), {}),
    ("a score that is no number", hits({"a": math.nan, "b": 1.0}, {}), {}),
    ("a score as bool", hits({"a": True}, {}), {}),
    ("a score as a numpy single", hits({"a": np.float32(1)}, {}), {}),
    ("ids as numbers", hits({1: 1.0}, {}), {}),
    ("a document twice", [[*FOUND[0], *FOUND[0]], []], {}),
    ("a cutoff of 0", FOUND, {"ndcg_at_k": [0]}),
    ("a cutoff below 0", FOUND, {"accuracy_at_k": [-1]}),
    ("a cutoff twice", FOUND, {"mrr_at_k": [3, 3]}),
    ("a cutoff as a fraction", FOUND, {"mrr_at_k": [1.5]}),
    ("cutoffs as an array", FOUND, {"ndcg_at_k": np.array([1, 3]), "map_at_k": range(1, 3)}),
    ("relevant documents as a list", FOUND, {"relevant_docs": {"1": ["a", "a"], "2": ["b"]}}),
    ("relevant documents as a dict", FOUND, {"relevant_docs": {"1": {"a": 1}, "2": {"b": 1}}}),
    (
        "queries as numbers",
        FOUND,
        {"queries": {1: "", 2: ""}, "relevant_docs": {1: {"a"}, 2: {"b"}}},
    ),
]
"""Lists of hits and arguments of the evaluator, unusual or wrong in one way."""


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_hits_that_are_odd() -> None:
    evaluation = pytest.importorskip("sentence_transformers.sentence_transformer.evaluation")
    from cranfield.integrations import sentence_transformers as hook

    given: dict[str, Any] = {
        "queries": {"1": "", "2": ""},
        "corpus": dict.fromkeys("abcx", ""),
        "relevant_docs": {"1": {"a"}, "2": {"b", "c"}},
    }
    for what, found, arguments in ODD_HITS:
        host = evaluation.InformationRetrievalEvaluator(**given | arguments, write_csv=False)
        check_hits(what, partial(host.compute_metrics, found), hook)


def check_hits(what: str, call: Callable[[], Any], hook: Any) -> None:
    theirs, raised = outcome(call)
    with hook.patch():
        ours, mine = outcome(call)
    assert type(mine) is type(raised), (what, mine)
    if raised is None:
        same(ours, theirs, what)
    elif "cutoff" not in what and "more" not in what:
        assert "expected" in said(mine), mine
