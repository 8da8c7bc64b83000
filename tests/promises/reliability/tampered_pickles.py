"""Pickles that were tampered with: an error, or exactly what they say.

Each case changes the state of a pickle in one to three places: bits and numbers of columns,
lengths, order, types. Under the checksum that it had, it has to be refused. Under a checksum
of its own it may be an object that exists: then this has to be the one that the state describes,
which is checked by its own state and by scores of judgments or runs that are built afresh.

``python -m tests.promises.reliability.tampered_pickles CASES [SEED]`` tries as many as one likes.
"""

from __future__ import annotations

import random
import struct
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cranfield as cf
import numpy as np
from cranfield import _core
from numpy.typing import NDArray

MEASURES = "AP nDCG@3 RR bpref num_ret num_rel P@2"

NUMBERS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e308, float("nan"), float("inf"), float("-inf"), 5e-324]
COUNTS = [0, 1, 2, 3, 7, 255, 2**16, 2**31, 2**32 - 1]
WHOLES = [0, 1, 2, 5, 2**31, 2**32, 2**63, 2**64 - 1, 2**64, -1]
OTHERS: list[Any] = [None, True, False, 0, 1, -1, "", "x", "AP", b"", b"\0", b"abc", (), [], 1.5]


@dataclass
class Subject:
    """What is pickled, and what makes the same of what was loaded."""

    name: str
    thing: Any
    rebuilt: Callable[[Any], object]

    def __post_init__(self) -> None:
        self.restore, self.state, self.more = taken(self.thing)
        self.sum = _core.checksum(self.state)


def taken(thing: Any) -> tuple[Callable[..., Any], Any, Callable[[Any, int], tuple[Any, ...]]]:
    """What restores a pickle, its state, and the arguments from a state and a checksum."""
    restore, arguments = thing.__reduce__()
    if isinstance(thing, cf.Evaluator):
        qrels, state, _, *more = arguments
        return restore, state, lambda state, sum_: (qrels, state, sum_, *more)
    return restore, arguments[0], lambda state, sum_: (state, sum_)


def same(found: Any, expected: Any) -> None:
    assert found.tobytes() == expected.tobytes(), (found, expected)


RUN = cf.Run({"1": {"a": 3.0, "b": 2.0, "z": 2.0}, "2": {"e": 1.0, "d": 0.5}}, name="fixed")
JUDGED = cf.Qrels({"1": {"a": 1, "b": 0, "c": 2}, "2": {"d": 1, "e": 3}})


def scored(qrels: cf.Qrels, run: Any, **options: Any) -> NDArray[np.float64]:
    """The scores; none where judgments and run no longer go together."""
    try:
        found: cf.Scores = cf.evaluate(qrels, run, MEASURES, **options)
    except cf.Error as error:
        if error.kind not in ("topics", "needs"):
            raise
        return np.empty(0)
    return found.values


def of_qrels(qrels: cf.Qrels) -> None:
    again = cf.Qrels(qrels.to_dict(), docs_in_collection=qrels.docs_in_collection)
    assert again == qrels
    same(scored(qrels, RUN), scored(again, RUN))
    for name in qrels.columns:
        for topic in qrels.topics:
            qrels.column(name, topic)
    for topic in qrels.topics:
        qrels.intents(topic)


def of_run(run: cf.Run) -> None:
    state: Any = run.__reduce__()[1][0]
    if any(any(costs) for *_, costs in state[-1]):
        return  # A dict has no calls.
    try:
        again = cf.Run(run.to_dict(), name=run.name)
    except cf.Error as error:
        if error.kind != "duplicate":
            raise
        return
    same(scored(JUDGED, run), scored(JUDGED, again))
    scored(JUDGED, run, order="input")


def of_scores(core: _core.Scores) -> None:
    scores = cf.Scores(core)
    scores.mean()
    scores.summary()
    scores.to_dict()
    repr(scores)


def of_evaluator(evaluator: cf.Evaluator) -> None:
    try:
        found = evaluator.evaluate(RUN)
    except cf.Error:
        return
    again = cf.Evaluator(JUDGED, evaluator.measures, **{**evaluator._options, "threads": 1})
    same(found.values, again.evaluate(RUN).values)


def subjects() -> list[Subject]:
    qrels = cf.Qrels(
        {"2": {"d": 3.5, "a": -1, "e": 0}, "1": {"b": 1, "a": 0, "c": 2}, "3": {"é": 0}},
        docs_in_collection=900,
    )
    qrels = qrels.with_column("class", {"1": {"b": 4, "c": 4}, "2": {"d": 1}})
    qrels = qrels.with_column("cost", {"1": {"a": 0.5, "c": 7}, "2": {"e": 1e9}})
    intents = cf.Qrels.from_intents(
        {"1": {"x": {"a": 1, "b": 1}, "y": {"b": 2, "c": 0}}, "2": {"z": {"d": 3}}},
        weights={"1": {"x": 3, "y": 1}, "2": {"z": 1}},
        navigational={"1": ["y"]},
    )
    ranked = cf.Run.from_rankings({"2": ["x", "d"], "1": ["c", "b", "a"]}, name="ranked")
    scores = cf.evaluate(qrels, [RUN, ranked], "AP nDCG@10 micro_P", undefined="skip")
    evaluator = cf.Evaluator(JUDGED, MEASURES, depth=2, limits=cf.Limits(line_bytes=99))
    return [
        Subject("qrels", qrels, of_qrels),
        Subject("intents", intents, of_qrels),
        Subject("run", RUN, of_run),
        Subject("rankings", ranked, of_run),
        Subject("scores", scores.core, of_scores),
        Subject("notes", scores.notes["fixed"], repr),
        Subject("limits", cf.Limits(line_bytes=99), repr),
        Subject("measure", cf.RBP(p=0.8), str),
        Subject("evaluator", evaluator, of_evaluator),
    ]


# Tampering


def places(state: Any, path: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """The paths to all parts of a state."""
    found = [path]
    if isinstance(state, (tuple, list)):
        for place, part in enumerate(state):
            found += places(part, (*path, place))
    return found


def at(state: Any, path: tuple[int, ...]) -> Any:
    for place in path:
        state = state[place]
    return state


def put(state: Any, path: tuple[int, ...], value: Any) -> Any:
    if not path:
        return value
    parts = list(state)
    parts[path[0]] = put(parts[path[0]], path[1:], value)
    return type(state)(parts)


def other_bytes(column: bytes, draw: random.Random) -> bytes:
    size, found = draw.choice((1, 4, 8)), bytearray(column)
    words = len(found) // size
    kind = draw.randrange(8)
    if kind == 0 and found:
        found[draw.randrange(len(found))] ^= 1 << draw.randrange(8)
    elif kind == 1 and found:
        del found[draw.randrange(len(found)) :]
    elif kind == 2:
        found += draw.randbytes(draw.choice((1, 4, 8)))
    elif kind == 3 and words > 1:
        one, two = (draw.randrange(words) * size for _ in range(2))
        first, second = found[one : one + size], found[two : two + size]
        found[one : one + size], found[two : two + size] = second, first
    elif kind == 4 and words:
        place = draw.randrange(words) * size
        value = {
            1: draw.randbytes(1),
            4: struct.pack("<I", draw.choice(COUNTS)),
            8: struct.pack("<d", draw.choice(NUMBERS)),
        }
        found[place : place + size] = value[size]
    elif kind == 5 and words > 1:
        place = draw.randrange(words) * size
        del found[place : place + size]
    elif kind == 6 and words:
        place = draw.randrange(words) * size
        found[place:place] = found[place : place + size]
    else:
        found.reverse()
    return bytes(found)


def other(value: Any, draw: random.Random) -> Any:
    """Something else in the place of a part."""
    if draw.random() < 0.05:
        return draw.choice(OTHERS)
    if isinstance(value, bytes):
        return other_bytes(value, draw)
    if isinstance(value, bool) or value is None:
        return draw.choice(OTHERS)
    if isinstance(value, int):
        return draw.choice([*WHOLES, value + 1, value - 1])
    if isinstance(value, str):
        place = draw.randrange(len(value) + 1)
        letter = draw.choice("AP@1 (=)x\0é\udc80")
        return draw.choice([value[:place] + letter + value[place + 1 :], value[:place], letter])
    if isinstance(value, (tuple, list)) and value:
        parts = list(value)
        kind, place = draw.randrange(5), draw.randrange(len(parts))
        if kind == 0:
            del parts[place]
        elif kind == 1:
            parts.insert(place, parts[place])
        elif kind == 2:
            draw.shuffle(parts)
        elif kind == 3:
            parts[place], parts[-1] = parts[-1], parts[place]
        else:
            parts[place] = parts[draw.randrange(len(parts))]
        return type(value)(parts) if draw.random() < 0.9 else tuple(parts)
    return draw.choice(OTHERS)


def tampered(state: Any, draw: random.Random) -> Any:
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        path = draw.choice(places(state))
        if draw.random() < 0.1:
            # The part of another place.
            state = put(state, path, at(state, draw.choice(places(state))))
        else:
            state = put(state, path, other(at(state, path), draw))
    return state


def plain(state: Any) -> Any:
    """A state as text, in which lists and tuples are alike, what is empty, and ``True`` and 1."""
    if isinstance(state, (tuple, list, bytes)) and not state:
        return ()
    if isinstance(state, (tuple, list)):
        return tuple(map(plain, state))
    return repr(int(state) if isinstance(state, bool) else state)


def attempt(subject: Subject, draw: random.Random) -> str:
    """Tries one case: "refused", "loaded", or an exception for what is wrong."""
    state = tampered(subject.state, draw)
    own, sum_ = draw.random() < 0.75, subject.sum
    if own:
        try:
            sum_ = _core.checksum(state)
        except cf.Error:
            return "refused"
    try:
        found = subject.restore(*subject.more(state, sum_))
    except cf.Error:
        return "refused"
    if not own:
        assert plain(state) == plain(subject.state)
        return "loaded"
    assert plain(taken(found)[1]) == plain(state), (taken(found)[1], state)
    subject.rebuilt(found)
    return "loaded"


def campaign(cases: int, seed: int) -> dict[str, int]:
    """Tries cases and counts their outcomes; the first that is wrong is raised."""
    every, counts = subjects(), {"refused": 0, "loaded": 0}
    for case in range(cases):
        draw = random.Random(f"{seed}/{case}")
        subject = every[case % len(every)]
        try:
            counts[attempt(subject, draw)] += 1
        except BaseException as error:
            error.add_note(f"case {case} of seed {seed}: {subject.name}")
            raise
        if case % 100_000 == 99_999:
            print(f"{time.strftime('%H:%M:%S')} {case + 1} {counts}", flush=True)
    return counts


if __name__ == "__main__":
    print(campaign(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
