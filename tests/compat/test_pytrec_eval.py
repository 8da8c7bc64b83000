"""cranfield.compat.pytrec_eval beside pytrec_eval itself, to the last bit."""

from __future__ import annotations

import copy
import gzip
import pickle
import random
import struct
import sys
from collections import Counter, OrderedDict, UserDict, defaultdict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
import pytrec_eval as host
import pytrec_eval_ext
from cranfield.compat import pytrec_eval as ours

from tests import effort

Judgments = dict[str, dict[str, int]]
Lists = dict[str, dict[str, float]]
CASES = effort.seeds(10_000, 2_000)

PLAIN = sorted(ours.supported_measures)
#: Measures that take cutoffs, and those that take points of the unit interval.
CUT = ("P", "recall", "ndcg_cut", "map_cut", "relative_P", "success")
POINTS = ("iprec_at_recall", "Rprec_mult")
#: Those whose numbers make one value.
ONE_VALUE = ("set_F", "11pt_avg", "utility", "relstring", "map", "num_q", "runid", "bpref")
CUTOFFS = ("1", "2", "3", "5", "7", "10", "20.5", "100", "0007", "1000", "2000000000")
#: trec_eval puts these and smaller ones in a wrong order, and passes over those that come late.
BEYOND = ("3000000000", "5000000000", "9" * 25)


def bits(value: float) -> bytes:
    """What distinguishes two values; all NaN are one value."""
    assert type(value) is float
    return b"nan" if value != value else struct.pack("<d", value)


def comparable(result: dict[str, dict[str, float]]) -> list[tuple[str, list[tuple[str, bytes]]]]:
    """A result with the order of its keys and the bits of its values."""
    return [(t, [(m, bits(v)) for m, v in values.items()]) for t, values in result.items()]


def drawn_measures(rng: random.Random) -> list[str]:
    """Names as callers write them."""
    if rng.random() < 0.2:
        return [rng.choice(("all_trec", "official", "set"))]
    chosen = rng.sample(PLAIN, rng.randint(0, 6))
    for name in rng.sample(CUT, rng.randint(0, 3)):
        numbers = sorted({int(float(n)): n for n in rng.sample(CUTOFFS, 3)}.values())
        if rng.random() < 0.1:
            numbers = [rng.choice(BEYOND)]
        chosen.append(f"{name}{rng.choice('._')}{','.join(numbers)}")
    for name in rng.sample(POINTS, rng.randint(0, 1)):
        points = {round(rng.random() * 2, rng.choice((1, 2, 3))) for _ in range(3)}
        chosen.append(f"{name}{rng.choice('._')}{','.join(map(str, points))}")
    for name in rng.sample(ONE_VALUE, rng.randint(0, 2)):
        numbers = [str(round(rng.random(), 2)) for _ in range(4)]
        chosen.append(f"{name}.{','.join(numbers)}{rng.choice(('', 'x', ','))}")
    if chosen and all(name.startswith("runid") for name in chosen):
        # Alone, its value is read from behind the end of an array.
        chosen.append("num_q")
    rng.shuffle(chosen)
    return chosen


def drawn_score(rng: random.Random, kind: str) -> float:
    match kind:
        case "few":
            return rng.randrange(3)
        case "near":
            return 1 + rng.randrange(4) * 2.0**-26
        case "huge":
            return rng.choice((1e39, 1e300, -1e300, float("inf"), float("-inf"), 1e-46, -0.0, 0.0))
        case "int":
            return rng.randrange(-(10**18), 10**18)
        case "bool":
            return rng.random() < 0.5
        case _:
            return rng.uniform(-5, 5)


def drawn(rng: random.Random) -> tuple[Judgments, Lists]:
    style = rng.choice(("d{}", "D-{:05}", "é{}", "{}", "文書{}"))
    documents = [style.format(i) for i in range(rng.choice((3, 12, 60)))]
    topics = rng.sample(["1", "2", "10", "q é", "", "03"], rng.randint(1, 5))
    judgments: Judgments = {}
    lists: Lists = {}
    for topic in topics:
        judged = rng.sample(documents, rng.randint(1, len(documents)))
        grades = rng.choice(((0, 1), (0, 1, 2, 3), (-1, 0, 1), (0,), (-2, -1, 0, 4), (1,), (0, 90)))
        judgments[topic] = {document: rng.choice(grades) for document in judged}
        if max(judgments[topic].values()) < 0:
            # pytrec_eval crashes on a topic of which everything is negative.
            judgments[topic][judged[0]] = rng.choice((0, 1))
        kind = rng.choice(("few", "near", "huge", "int", "bool", "real"))
        retrieved = rng.sample(documents, rng.randint(0, len(documents)))
        lists[topic] = {document: drawn_score(rng, kind) for document in retrieved}
        if rng.random() < 0.3:
            lists[topic] = dict(sorted(lists[topic].items(), key=lambda item: -item[1]))
        fate = rng.random()
        if fate < 0.05:
            judgments[topic] = {}
        elif fate < 0.1:
            del judgments[topic]
        elif fate < 0.15:
            del lists[topic]
    shuffled = list(lists)
    rng.shuffle(shuffled)
    return judgments, {topic: lists[topic] for topic in shuffled}


def compare(
    judgments: Judgments, lists: Lists, measures: Any, level: int = 1, judged: bool = False
) -> int:
    """Compares every value and the order of all keys; returns how many values there were."""
    arguments: dict[str, Any] = {"relevance_level": level, "judged_docs_only_flag": judged}
    theirs = host.RelevanceEvaluator(judgments, measures, **arguments).evaluate(lists)
    found = ours.RelevanceEvaluator(judgments, measures, **arguments).evaluate(lists)
    assert comparable(found) == comparable(theirs)
    return sum(map(len, found.values()))


@pytest.mark.filterwarnings("ignore:utility takes four")
@pytest.mark.parametrize("part", range(10))
def test_random_collections(part: int) -> None:
    compared = 0
    for seed in CASES[part::10]:
        rng = random.Random(seed)
        judgments, lists = drawn(rng)
        measures = drawn_measures(rng)
        level, judged = rng.choice((1, 1, 1, 2, 3)), rng.random() < 0.25
        compared += compare(judgments, lists, measures, level, judged)
    assert compared > 30 * len(CASES) / 10


class Equal(str):
    """Text that a dict finds by its own ``hash`` and ``==``."""

    def __hash__(self) -> int:
        return hash(str(self))

    def __eq__(self, other: object) -> bool:
        return str(self) == other


def long(rng: random.Random) -> tuple[Judgments, Lists]:
    """Few judgments, a list so long that they are looked up in it, and everything unusual."""
    documents = [f"d{i:03}" for i in range(rng.choice((130, 250)))]
    rng.shuffle(documents)
    judged = [*rng.sample(documents, 2), rng.choice(("other", "d\xe9", "\u20ac"))]
    judgments = {"1": {d: rng.choice((-1, 0, 1, 2)) for d in judged} | {judged[0]: 1}}
    kind = rng.choice(("real", "tied", "int", "mixed"))
    scores: dict[str, Callable[[], float]] = {
        "real": rng.random,
        "tied": lambda: float(rng.randint(0, 3)),
        "int": lambda: rng.randint(-5, 5),
        "mixed": lambda: rng.choice((1, 1.0, 1 + 1e-12, -0.0, 0.0, 1e-50)),
    }
    listed = {d: scores[kind]() for d in documents}
    match rng.choice(("plain", "plain", "deleted", "odd", "equal")):
        case "deleted":
            for document in rng.sample(documents, 20):
                del listed[document]
        case "odd":
            listed["d\xe9"] = listed["\u20ac"] = scores[kind]()
        case "equal":
            listed = {Equal(d): score for d, score in listed.items()}
    return judgments, {"1": listed}


def test_long_lists_of_which_few_documents_are_judged() -> None:
    for seed in effort.seeds(500, 100):
        judgments, lists = long(random.Random(seed))
        compare(judgments, lists, {"all_trec"}, judged=seed % 4 == 0)


@pytest.mark.parametrize("run", ["input.AntHoc1.gz", "input.1.gz"])
@pytest.mark.parametrize("judged", [False, True])
def test_real_runs(data: Path, run: str, judged: bool) -> None:
    folder = data / "trec8-adhoc"
    with gzip.open(folder / "trec8.qrels.gz", "rt", encoding="utf-8") as lines:
        judgments = ours.parse_qrel(lines)
    with gzip.open(folder / "runs" / run, "rt", encoding="utf-8") as lines:
        lists = ours.parse_run(lines)
    assert compare(judgments, lists, {"all_trec"}, judged=judged) == 95 * 50
    assert compare(judgments, lists, ["ndcg_cut.10", "P_10"], level=1, judged=judged) == 100


QRELS: Judgments = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 0, "d": 1}}
RUN: Lists = {"2": {"d": 0.5, "e": 1}, "1": {"a": 1.0, "b": 2.5, "c": 0.25}, "9": {"a": 1.0}}


@pytest.mark.parametrize("scores", list(permutations((0.0, -0.0, 1e-50, -1e-50))))
def test_zeros_tie_whatever_their_sign(scores: tuple[float, ...]) -> None:
    """In single precision the two small ones are zeros too."""
    judgments = {"1": {"a": 0, "b": 1, "c": 0, "d": 0}}
    run = {"1": dict(zip("abcd", scores, strict=True))}
    compare(judgments, run, {"all_trec"})
    found = ours.RelevanceEvaluator(judgments, {"recip_rank"}).evaluate(run)
    assert found == {"1": {"recip_rank": 1 / 3}}


def test_a_changed_row_changes_no_other_result() -> None:
    evaluator = ours.RelevanceEvaluator(QRELS, {"all_trec"})
    before = evaluator.evaluate(RUN)
    changed = evaluator.evaluate(RUN)
    for row in changed.values():
        row.clear()
        row["map"] = 7.0
    assert (
        evaluator.evaluate(RUN)
        == before
        == host.RelevanceEvaluator(QRELS, {"all_trec"}).evaluate(RUN)
    )


def test_an_evaluator_serves_many_runs_and_threads() -> None:
    rng = random.Random(7)
    judgments, _ = drawn(rng)
    runs = [{topic: dict(scores) for topic, scores in drawn(rng)[1].items()} for _ in range(60)]
    evaluator = ours.RelevanceEvaluator(judgments, {"all_trec"})
    alone = [comparable(evaluator.evaluate(run)) for run in runs]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(evaluator.evaluate, runs * 5))
    assert [comparable(result) for result in together] == alone * 5


def test_keys_are_plain_text_and_shared() -> None:
    found = ours.RelevanceEvaluator(QRELS, {"map"}).evaluate({Text("1"): RUN["1"]})
    assert [type(topic) for topic in found] == [str]
    assert list(ours.RelevanceEvaluator(QRELS, {"map"}).evaluate(RUN)) == ["2", "1"]


#: What crashes pytrec_eval or is not reported by it, and what happens here.
RESULTS: list[tuple[str, Judgments, Lists, list[str], dict[str, float]]] = [
    (
        "only negative grades",
        {"1": {"a": -1}},
        {"1": {"a": 1.0}},
        ["map", "bpref"],
        {"map": 0.0, "bpref": 0.0},
    ),
    ("half a surrogate pair", {"1": {"\ud800": 1}}, {"1": {"\ud800": 1.0}}, ["map"], {"map": 1.0}),
    ("one cutoff in two spellings", QRELS, {"1": RUN["1"]}, ["P_5", "P_05"], {"P_5": 0.4}),
    ("NUL in an id", {"1": {"a\0b": 1}}, {"1": {"a\0c": 1.0}}, ["map"], {"map": 0.0}),
    (
        "a huge grade",
        {"1": {"a": 2**40, "b": 0}},
        {"1": {"b": 2.0, "a": 1.0}},
        ["ndcg"],
        {"ndcg": 1 / 1.584962500721156},
    ),
    (
        "no number as score",
        {"1": {"a": 1}},
        {"1": {"a": float("nan"), "b": float("-inf")}},
        ["recip_rank"],
        {"recip_rank": 0.5},
    ),
]


@pytest.mark.parametrize(("what", "judgments", "lists", "measures", "expected"), RESULTS)
def test_what_crashes_the_host_has_a_result(
    what: str, judgments: Judgments, lists: Lists, measures: list[str], expected: dict[str, float]
) -> None:
    assert ours.RelevanceEvaluator(judgments, measures).evaluate(lists) == {"1": expected}, what


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("P_0", "P_0: expected a cutoff of at least 1"),
        ("ndcg.5", "ndcg_5: expected ndcg without a number; with a cutoff it is called ndcg_cut"),
        ("G_3", "G_3: expected G without a number"),
    ],
)
def test_what_aborts_the_host_is_a_clear_error(measure: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^unsupported measure {message}$"):
        ours.RelevanceEvaluator(QRELS, {measure})


def test_points_that_print_alike_have_one_key() -> None:
    compare(QRELS, RUN, {"iprec_at_recall_0.111,0.112,0.5"})


def test_utility_without_four_coefficients_is_zero_and_says_so() -> None:
    with pytest.warns(UserWarning, match="four different coefficients, found 1, 2"):
        evaluator = ours.RelevanceEvaluator(QRELS, {"utility.1,2"})
    assert evaluator.evaluate({"1": {"a": 1.0}}) == {"1": {"utility": 0.0}}


WRONG: list[tuple[str, tuple[Any, ...], Any]] = [
    ("measures as one str", (QRELS, "map"), RUN),
    ("measures as a number", (QRELS, 5), RUN),
    ("a measure that is no str", (QRELS, [1]), RUN),
    ("a measure as bytes", (QRELS, [b"map"]), RUN),
    ("a measure as a list", (QRELS, [["map"]]), RUN),
    ("measures as None", (QRELS, None), RUN),
    ("a measure as a dict", (QRELS, [{}]), RUN),
    ("a measure as a tuple", (QRELS, [("map",)]), RUN),
    ("no such measure", (QRELS, {"nope"}), RUN),
    ("an empty name", (QRELS, {""}), RUN),
    ("preferences", (QRELS, {"prefs"}), RUN),
    ("judgments as a number", (5, {"map"}), RUN),
    ("judgments as a list", ([], {"map"}), RUN),
    ("a topic as a number", ({1: {"a": 1}}, {"map"}), RUN),
    ("a topic's grades as a number", ({"1": 5}, {"map"}), RUN),
    ("a topic's grades as a list", ({"1": ["a"]}, {"map"}), RUN),
    ("a document as a number", ({"1": {1: 1}}, {"map"}), RUN),
    ("a grade as a float", ({"1": {"a": 1.0}}, {"map"}), RUN),
    ("a grade as a str", ({"1": {"a": "1"}}, {"map"}), RUN),
    ("a grade as a numpy int", ({"1": {"a": np.int64(1)}}, {"map"}), RUN),
    ("a grade as a numpy bool", ({"1": {"a": np.bool_(1)}}, {"map"}), RUN),
    ("no grade", ({"1": {"a": None}}, {"map"}), RUN),
    ("a topic as bytes", ({b"1": {"a": 1}}, {"map"}), RUN),
    ("a document as bytes", ({"1": {b"a": 1}}, {"map"}), RUN),
    ("a topic as a tuple", ({("1",): {"a": 1}}, {"map"}), RUN),
    ("a topic's grades as a proxy", ({"1": MappingProxyType({"a": 1})}, {"map"}), RUN),
    ("a topic's grades as a UserDict", ({"1": UserDict(a=1)}, {"map"}), RUN),
    ("judgments nested the wrong way", ({"a": {"1": {"x": 1}}}, {"map"}), RUN),
    ("a level of 0", (QRELS, {"map"}, 0), RUN),
    ("a level as a float", (QRELS, {"map"}, 1.5), RUN),
    ("a level as a str", (QRELS, {"map"}, "1"), RUN),
    ("a level beyond C", (QRELS, {"map"}, 2**40), RUN),
    ("a level as a numpy float", (QRELS, {"map"}, np.float64(1)), RUN),
    ("a level as bytes", (QRELS, {"map"}, b"1"), RUN),
    ("False as level", (QRELS, {"map"}, False), RUN),
    ("a flag as a float", (QRELS, {"map"}, 1, 1.0), RUN),
    ("a flag as a list", (QRELS, {"map"}, 1, []), RUN),
    ("a flag beyond C", (QRELS, {"map"}, 1, 2**31), RUN),
    ("a flag as a str", (QRELS, {"map"}, 1, "x"), RUN),
    ("a flag as None", (QRELS, {"map"}, 1, None), RUN),
    ("no measures", (QRELS,), RUN),
    ("too many arguments", (QRELS, {"map"}, 1, 0, 0), RUN),
    ("a run as a list", (QRELS, {"map"}), [1]),
    ("a run as a str", (QRELS, {"map"}), "x"),
    ("a run as a number", (QRELS, {"map"}), 5),
    ("a topic of the run as a number", (QRELS, {"map"}), {1: {"a": 1.0}}),
    ("a list as a list", (QRELS, {"map"}), {"1": ["a"]}),
    ("a document of the run as a number", (QRELS, {"map"}), {"1": {1: 1.0}}),
    ("a score as a str", (QRELS, {"map"}), {"1": {"a": "1"}}),
    ("no score", (QRELS, {"map"}), {"1": {"a": None}}),
    ("a score of a topic that nobody judged", (QRELS, {"map"}), {"9": {"a": "1"}}),
    ("a score as a numpy single", (QRELS, {"map"}), {"1": {"a": np.float32(1)}}),
    ("a score as a numpy int", (QRELS, {"map"}), {"1": {"a": np.int64(1)}}),
    ("a score as a fraction", (QRELS, {"map"}), {"1": {"a": Fraction(1)}}),
    ("a topic of the run as bytes", (QRELS, {"map"}), {b"1": {"a": 1.0}}),
    ("a run as a proxy", (QRELS, {"map"}), MappingProxyType(RUN)),
    ("a run as a UserDict", (QRELS, {"map"}), UserDict(RUN)),
    ("a list as a proxy", (QRELS, {"map"}), {"1": MappingProxyType({"a": 1.0})}),
    ("a run as an array", (QRELS, {"map"}), np.array([1.0, 2.0])),
    ("a run nested the wrong way", (QRELS, {"map"}), {"run": {"1": {"a": 1.0}}}),
]


@pytest.mark.skipif(
    sys.version_info >= (3, 14), reason="used wrongly, pytrec_eval 0.5.11 ends the process there"
)
@pytest.mark.parametrize(("what", "arguments", "run"), WRONG)
def test_wrong_use_raises_what_the_host_raises(
    what: str, arguments: tuple[Any, ...], run: Any
) -> None:
    raised = []
    for module in (host, ours):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            module.RelevanceEvaluator(*arguments).evaluate(run)
        raised.append(caught)
    theirs, mine = raised
    assert mine.type is theirs.type, what
    # Code that looks for the host's sentence finds it, followed by what was wrong.
    if "Expected" in str(theirs.value) or "Argument" in str(theirs.value):
        assert str(mine.value).startswith(str(theirs.value))
        assert "found" in str(mine.value)


class Text(str):
    """A ``str`` and more."""

    __slots__ = ()


class Index:
    """What is an ``int`` where one is asked for."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number


INFINITE = float("inf")
NAMES = ["map", "P_5", "recip_rank", "num_rel", "ndcg"]
#: Judgments, measures, further arguments and a run, each unusual in one way.
ODD: list[tuple[str, tuple[Any, ...], Any]] = [
    ("measures as a tuple", (QRELS, tuple(NAMES)), RUN),
    ("measures as a frozenset", (QRELS, frozenset(NAMES)), RUN),
    ("measures as a dict", (QRELS, dict.fromkeys(NAMES)), RUN),
    ("measures as an array", (QRELS, np.array(NAMES)), RUN),
    ("measures as a deque", (QRELS, deque(NAMES)), RUN),
    ("a measure twice and in a nickname", (QRELS, ["map", "map", "official"]), RUN),
    ("measures that are more than str", (QRELS, [Text("map"), np.str_("P_5")]), RUN),
    ("no measures", (QRELS, ()), RUN),
    ("no measures as str", (QRELS, ""), RUN),
    *((f"a level of {level!r}", (QRELS, NAMES, level), RUN) for level in (2, 3, 100, True)),
    ("a level as a numpy int", (QRELS, NAMES, np.int32(2)), RUN),
    ("a level as an index", (QRELS, NAMES, Index(2)), RUN),
    *((f"a flag of {flag!r}", (QRELS, NAMES, 1, flag), RUN) for flag in (2, -1, 0, -(2**31))),
    ("a flag as a numpy int", (QRELS, NAMES, 1, np.int64(1)), RUN),
    ("a flag as an index", (QRELS, NAMES, 1, Index(3)), RUN),
    ("no judgments", ({}, NAMES), RUN),
    ("no judged document", ({"1": {}, "2": [], "9": ()}, NAMES), RUN),
    ("judgments as a proxy", (MappingProxyType(QRELS), NAMES), RUN),
    ("judgments as a UserDict", (UserDict(QRELS), NAMES), RUN),
    ("judgments as a defaultdict", (defaultdict(dict, QRELS), NAMES), RUN),
    ("grades as other dicts", ({"1": OrderedDict(a=1), "2": Counter(a=2)}, NAMES), RUN),
    ("grades as bool", ({"1": {"a": True, "b": False}}, NAMES), RUN),
    ("grades of 0", ({"1": {"a": 0}}, NAMES), RUN),
    ("judged ids that are more than str", ({Text("1"): {np.str_("a"): 1}}, NAMES), RUN),
    ("ids without letters", ({"": {"": 1}}, NAMES), {"": {"": 1.0}}),
    ("a run as an OrderedDict", (QRELS, NAMES), OrderedDict(RUN)),
    ("lists as other dicts", (QRELS, NAMES), {"1": defaultdict(float, a=1), "2": Counter(d=2)}),
    ("scores as int and bool", (QRELS, NAMES), {"1": {"a": 3, "b": 10**300, "c": True}}),
    ("scores as numpy doubles", (QRELS, NAMES), {"1": {"a": np.float64(1), "b": np.float64(2)}}),
    ("scores without end", (QRELS, NAMES), {"1": {"a": INFINITE, "b": -INFINITE, "c": INFINITE}}),
    ("listed ids that are more than str", (QRELS, NAMES), {np.str_("1"): {Text("a"): 1.0}}),
]


@pytest.mark.parametrize(("what", "arguments", "run"), ODD)
def test_what_the_host_takes_is_taken(what: str, arguments: tuple[Any, ...], run: Any) -> None:
    theirs, mine = (m.RelevanceEvaluator(*arguments).evaluate(run) for m in (host, ours))
    assert comparable(mine) == comparable(theirs), what


def test_measures_are_asked_for_once() -> None:
    theirs, mine = (
        m.RelevanceEvaluator(QRELS, (name for name in NAMES)).evaluate(RUN) for m in (host, ours)
    )
    assert comparable(mine) == comparable(theirs)


@pytest.mark.parametrize("level", [-1, -(2**31), Index(-3)])
def test_below_a_level_of_0_nothing_is_relevant(level: Any) -> None:
    # bpref ends the host, and what runid is alone changes.
    measures = ours.supported_measures - {"bpref", "gm_bpref"}
    theirs = host.RelevanceEvaluator(QRELS, measures, level).evaluate(RUN)
    with pytest.warns(UserWarning, match="relevance_level of at least 1, found -"):
        evaluator = ours.RelevanceEvaluator(QRELS, measures, level)
    assert comparable(evaluator.evaluate(RUN)) == comparable(theirs)
    with pytest.warns(UserWarning, match="nothing is relevant"):
        evaluator = ours.RelevanceEvaluator(QRELS, {"bpref"}, level)
    assert evaluator.evaluate({"1": RUN["1"]}) == {"1": {"bpref": 0.0}}


@pytest.mark.parametrize("name", sorted(set().union(*host.supported_nicknames.values())))
def test_a_name_is_supported_where_the_host_supports_it(name: str) -> None:
    if name in host.supported_measures:
        return
    with pytest.raises(ValueError, match=f"^unsupported measure {name}$"):
        host.RelevanceEvaluator(QRELS, [name])
    with pytest.raises(ValueError, match=f"^unsupported measure {name}: .* -m {name} does$"):
        ours.RelevanceEvaluator(QRELS, [name])


@pytest.mark.parametrize(
    ("measures", "first"),
    [
        (["all_prefs"], "prefs_avgjg"),
        (["qrels_jg"], "P_avgjg"),
        ({"zzz", "nope", "map", "xxx"}, "nope"),
        (["zzz", "nope"], "zzz"),
    ],
)
def test_of_several_wrong_names_it_is_the_first(measures: Any, first: str) -> None:
    with pytest.raises(ValueError, match=f"^unsupported measure {first}(:|$)"):
        ours.RelevanceEvaluator(QRELS, measures)


@pytest.mark.parametrize("grade", [2**63, -(2**70)])
def test_what_does_not_fit_is_an_overflow(grade: int) -> None:
    with pytest.raises(
        OverflowError, match=r"expected a grade of at most 64 bits, found int .*of topic '1'"
    ):
        ours.RelevanceEvaluator({"1": {"a": grade}}, {"map"})
    with pytest.raises(OverflowError, match="expected a score within the range of a float"):
        ours.RelevanceEvaluator(QRELS, {"map"}).evaluate({"1": {"a": 10**400}})


def test_the_constants_are_the_hosts() -> None:
    assert ours.supported_measures == host.supported_measures
    assert ours.supported_nicknames == host.supported_nicknames
    assert ours.__version__ == host.__version__
    assert set(host.__all__) <= set(ours.__all__)


@pytest.mark.parametrize("empty", [{}, [], None, 0])
def test_an_empty_run_has_no_result(empty: Any) -> None:
    for module in (host, ours):
        assert module.RelevanceEvaluator(QRELS, {"map"}).evaluate(empty) == {}


@pytest.mark.parametrize("judged_only", [False, True])
def test_an_evaluator_can_be_pickled(judged_only: bool) -> None:
    for case in range(200):
        rng = random.Random(case)
        qrels = {
            f"q{t}\udc80" if t == 3 else f"q{t}": {
                f"d{d}": rng.choice((-2, 0, 1, 2**40, 2**63 - 1)) for d in range(rng.randint(0, 9))
            }
            for t in range(rng.randint(1, 5))
        }
        run = {topic: {f"d{d}": rng.random() for d in range(12)} for topic in qrels}
        measures = [*rng.sample(PLAIN, 3), "P.5,2", "ndcg_cut_7"]
        evaluator = ours.RelevanceEvaluator(qrels, measures, 2, judged_only)
        expected = comparable(evaluator.evaluate(run))
        for copied in (pickle.loads(pickle.dumps(evaluator)), copy.deepcopy(evaluator)):
            assert type(copied) is ours.RelevanceEvaluator
            assert comparable(copied.evaluate(run)) == expected


def test_a_class_of_a_users_own_can_be_pickled() -> None:
    evaluator = Named({"1": {"a": 1}}, {"map"}, "mine")
    copied = pickle.loads(pickle.dumps(evaluator))
    assert (copied.name, copied.evaluate({"1": {"a": 1.0}})) == ("mine", {"1": {"map": 1.0}})


class Named(ours.RelevanceEvaluator):
    def __init__(self, qrels: Judgments, measures: set[str], name: str) -> None:
        super().__init__(qrels, measures)
        self.name = name


def test_the_names_below_the_class_are_the_hosts() -> None:
    for case in range(300):
        measures = drawn_measures(random.Random(case))
        theirs, mine = (m.RelevanceEvaluator({"1": {"a": 1}}, {"map"}) for m in (host, ours))
        expanded = theirs._expand_nicknames(measures)
        assert mine._expand_nicknames(measures) == expanded
        assert mine._combine_measures(expanded) == theirs._combine_measures(expanded)
        assert mine._combine_measures(measures) == theirs._combine_measures(measures)
    with pytest.raises(ValueError, match=r"^unsupported measure x"):
        mine._combine_measures(["x"])
    extension = host.pytrec_eval_ext if hasattr(host, "pytrec_eval_ext") else pytrec_eval_ext
    assert ours.pytrec_eval_ext.supported_measures == extension.supported_measures
    assert isinstance(mine, ours.pytrec_eval_ext.RelevanceEvaluator)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("measure", ["map", "num_ret", "gm_map", "P_10"])
@pytest.mark.parametrize("count", [0, 1, 7, 1000])
def test_aggregates_are_the_hosts(measure: str, count: int) -> None:
    rng = random.Random(count)
    values = [rng.uniform(-12, 1) for _ in range(count)]
    found, expected = (m.compute_aggregated_measure(measure, values) for m in (ours, host))
    assert bits(found) == bits(expected)
