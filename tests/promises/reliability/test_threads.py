"""Threads score dicts, arrays and frames that another thread changes meanwhile.

Nothing crashes, and the values of a dict's list are those of one of the states that it was in
between two changes: each list is in one state, and all measures see the same. Under a build
without the lock of the interpreter all of these threads really run at once.
``CRANFIELD_EVALUATIONS`` says how many lists of dicts are scored.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import cranfield as cf
import numpy as np
import pytest

from tests import effort

EVALUATIONS = int(os.environ.get("CRANFIELD_EVALUATIONS", effort.cases(20_000, 8_000)))
THREADS = 8
DEPTH = 24
MEASURES = ["AP", "nDCG@10", "num_ret"]
JUDGED = {
    topic: {f"d{document}": (document + shift) % 3 for document in range(0, DEPTH + 4, 2)}
    for shift, topic in enumerate(("a", "b"))
}


class Key(str):
    """A key that is not exactly text."""


def listed() -> dict[str, Any]:
    return {f"d{document}": float(DEPTH - document) for document in range(DEPTH)}


CHANGES: list[Callable[[dict[str, Any]], object]] = [
    lambda scores: scores.update(d8=99.0),
    lambda scores: scores.pop("d2"),
    lambda scores: scores.update(d2=7),
    lambda scores: scores.update({"é": 98.0}),
    lambda scores: scores.pop("é"),
    lambda scores: scores.update({Key("d26"): 97.5}),
    lambda scores: scores.pop("d26"),
    lambda scores: scores.update(d8=16.0),
    lambda scores: scores.clear(),
    *[lambda scores, n=n: scores.update({f"d{n}": float(DEPTH - n)}) for n in range(DEPTH)],
]
"""One after the other they lead from `listed` back to it, but for the place of an item."""


def states(evaluator: cf.Evaluator) -> dict[str, set[tuple[float, ...]]]:
    """For each topic, the values of all its states."""
    found: dict[str, set[tuple[float, ...]]] = {topic: set() for topic in JUDGED}
    run = {topic: listed() for topic in JUDGED}
    for change in [lambda _: None, *CHANGES]:
        for scores in run.values():
            change(scores)
        values = evaluator.evaluate({topic: dict(run[topic]) for topic in run}).values
        for topic, row in zip(JUDGED, values[0], strict=True):
            found[topic].add(tuple(row.tolist()))
    assert all(len(values) > len(CHANGES) - 6 for values in found.values())
    return found


class Together:
    """Threads that work, and one that changes what they work on, until all work is done."""

    def __init__(self, work: Callable[[], None], change: Callable[[int], None]) -> None:
        self.failures: list[BaseException] = []
        self.changes = 0
        self.done = threading.Event()
        threads = [threading.Thread(target=self.caught, args=(work,)) for _ in range(THREADS)]
        changer = threading.Thread(target=self.changing, args=(change,))
        for thread in (changer, *threads):
            thread.start()
        for thread in threads:
            thread.join()
        self.done.set()
        changer.join()

    def caught(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as failure:
            self.failures.append(failure)

    def changing(self, change: Callable[[int], None]) -> None:
        while not self.done.is_set():
            change(self.changes)
            self.changes += 1
            if self.changes % 50 == 0:
                time.sleep(0)


@pytest.fixture(autouse=True)
def short_turns() -> Any:
    """With the lock of the interpreter, threads take turns after microseconds."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_each_list_of_a_dict_is_read_in_one_state() -> None:
    evaluator = cf.Evaluator(JUDGED, MEASURES, missing="zero")
    allowed = states(evaluator)
    run = {topic: listed() for topic in JUDGED}
    seen: set[tuple[float, ...]] = set()

    def work() -> None:
        for _ in range(EVALUATIONS // THREADS):
            values = evaluator.evaluate(run).values[0].tolist()
            for topic, row in zip(JUDGED, values, strict=True):
                values_of = tuple(row)
                assert values_of in allowed[topic], (topic, values_of)
                seen.add(values_of)

    def change(number: int) -> None:
        for scores in run.values():
            CHANGES[number % len(CHANGES)](scores)

    together = Together(work, change)
    assert together.failures == []
    assert together.changes > len(CHANGES)
    assert len(seen) > 2


def test_topics_that_come_and_go_are_there_or_not() -> None:
    evaluator = cf.Evaluator(JUDGED, MEASURES, missing="zero")
    run: dict[str, Any] = {topic: listed() for topic in JUDGED}
    whole = [tuple(row) for row in evaluator.evaluate(run).values[0].tolist()]
    nothing = tuple(evaluator.evaluate({"a": listed()}).values[0, 1].tolist())

    def work() -> None:
        for _ in range(EVALUATIONS // THREADS // 10):
            values = evaluator.evaluate(run).values[0].tolist()
            assert tuple(values[0]) == whole[0]
            assert tuple(values[1]) in (whole[1], nothing)

    def change(number: int) -> None:
        if number % 2:
            run["b"] = listed()
        else:
            run.pop("b", None)

    assert Together(work, change).failures == []


def test_arrays_that_are_written_are_read_as_some_numbers() -> None:
    evaluator = cf.Evaluator({str(q): {str(d): d % 2 for d in range(50)} for q in range(4)}, "AP")
    rng = np.random.default_rng(1)
    documents = np.stack([rng.permutation(50) for _ in range(4)])
    scores = -np.sort(-rng.random((4, 50)))
    run = cf.Run.from_topk(np.arange(4), documents, scores)

    def work() -> None:
        for _ in range(EVALUATIONS // THREADS // 10):
            # Documents that change places may be seen twice, which is an error.
            with suppress(cf.Error):
                values = evaluator.evaluate(run).values
                assert ((values >= 0) & (values <= 1)).all()

    def change(number: int) -> None:
        topic = number % 4
        scores[topic] = rng.random(50)
        documents[topic] = rng.permutation(50)

    assert Together(work, change).failures == []


def test_frames_that_change_are_read_as_some_numbers() -> None:
    pandas = pytest.importorskip("pandas")
    evaluator = cf.Evaluator(JUDGED, "AP")
    frame = pandas.DataFrame(
        {
            "qid": [topic for topic in JUDGED for _ in range(DEPTH)],
            "docno": [f"d{document}" for _ in JUDGED for document in range(DEPTH)],
            "score": [float(document) for _ in JUDGED for document in range(DEPTH)],
        }
    )
    rng = np.random.default_rng(2)

    def work() -> None:
        for _ in range(EVALUATIONS // THREADS // 100):
            values = evaluator.evaluate(frame).values
            assert ((values >= 0) & (values <= 1)).all()

    def change(number: int) -> None:
        if number % 2:
            frame["score"] = rng.random(len(frame))
        else:
            frame.loc[number % len(frame), "score"] = float(number)

    assert Together(work, change).failures == []
