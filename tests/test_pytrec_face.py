"""cranfield.compat.pytrec_eval beside pytrec_eval itself, to the last bit."""

from __future__ import annotations

import random
import struct
from typing import Any

import pytest
import pytrec_eval as host
from cranfield.compat import pytrec_eval as ours

Judgments = dict[str, dict[str, int]]
Lists = dict[str, dict[str, float]]
CASES = 10_000

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
    """What tells two values apart; of values that are no number there is one."""
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
    for seed in range(part * CASES // 10, (part + 1) * CASES // 10):
        rng = random.Random(seed)
        judgments, lists = drawn(rng)
        measures = drawn_measures(rng)
        level, judged = rng.choice((1, 1, 1, 2, 3)), rng.random() < 0.25
        compared += compare(judgments, lists, measures, level, judged)
    assert compared > 30 * CASES / 10
