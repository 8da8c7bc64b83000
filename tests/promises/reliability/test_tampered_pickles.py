"""A pickle that was tampered with is an error, or exactly what it says."""

from __future__ import annotations

import os
import pickle
from typing import Any

import cranfield as cf
import pytest
from cranfield import _core

from tests import effort
from tests.promises.reliability import tampered_pickles

CASES = int(os.environ.get("CRANFIELD_TAMPERED", effort.cases(20_000, 5_000)))


def test_tampered_pickles() -> None:
    """As many as ``CRANFIELD_TAMPERED`` says."""
    counts = tampered_pickles.campaign(CASES, seed=20 + effort.SEED)
    assert counts["refused"] > CASES // 2
    assert counts["loaded"] > CASES // 20


def restored(thing: Any, change: Any) -> Any:
    """A thing of a pickle whose state was changed, with the checksum of that."""
    restore, (state, _) = thing.__reduce__()
    state = change(*state)
    return restore(state, _core.checksum(state))


def topic_of(*topics: Any) -> Any:
    return lambda *state: (*state[:-1], list(topics))


QRELS = cf.Qrels({"1": {"a": 1, "b": 0}, "2": {"c": 2}}).with_column(
    "cost", {"1": {"a": 3, "b": 4}, "2": {"c": 5}}
)


def test_topics_of_another_order_are_refused() -> None:
    """Columns belong to topics by their position."""
    with pytest.raises(cf.Error, match="found a damaged one"):
        restored(QRELS, lambda *state: (*state[:-2], state[-2][::-1], state[-1]))


@pytest.mark.parametrize("grade", ["nan", "inf", "-inf"])
def test_a_grade_that_is_not_finite_is_refused(grade: str) -> None:
    import struct

    with pytest.raises(cf.Error, match="found a damaged one"):
        restored(QRELS, lambda *s: (*s[:2], struct.pack("<3d", 0, 1, float(grade)), *s[3:]))


def test_columns_of_other_lengths_are_refused() -> None:
    run = cf.Run({"1": {"a": 1.0, "b": 0.5}})
    state: Any = run.__reduce__()[1][0]
    (topic, (ids, lengths), scores, ranks, costs) = state[-1][0]
    changed = [
        (topic, (ids, lengths), scores[:8], ranks, costs),
        (topic, (ids, lengths[:4]), scores, ranks, costs),
        (topic, (ids[:1], lengths), scores, ranks, costs),
        (topic, (ids, lengths), scores, scores[:8], costs),
        (topic, (ids, lengths), scores[:-1], ranks, costs),
        (topic, (ids, b"\xff" * 8), scores, ranks, costs),
        (topic, (ids, lengths), scores, ranks, [scores + scores, *costs[1:]]),
    ]
    for of_topic in changed:
        with pytest.raises(cf.Error, match="found a damaged one"):
            restored(run, topic_of(of_topic))


def test_labels_that_come_twice_are_refused() -> None:
    scores = cf.evaluate({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}}, "AP RR").core

    def measures(*state: Any) -> Any:
        return (*state[:2], ["AP", "AP"], *state[3:])

    with pytest.raises(cf.Error, match="found a damaged one"):
        restored(scores, measures)


def test_a_changed_byte_of_a_value_is_noticed() -> None:
    """It would be another valid value, so only a checksum can find it."""
    for thing in (QRELS, cf.Run({"1": {"a": 1.0}}), cf.RBP(p=0.8), cf.Limits(line_bytes=9)):
        whole = pickle.dumps(thing, protocol=4)
        refused = 0
        for place in range(len(whole)):
            changed = bytearray(whole)
            changed[place] ^= 1
            try:
                found = pickle.loads(bytes(changed))
            except Exception:
                refused += 1
            else:
                assert repr(found) == repr(thing)
        assert refused > len(whole) // 2


def test_a_state_of_other_types_is_refused() -> None:
    class Lying(list[Any]):
        def __len__(self) -> int:
            return 2**62

    deep: Any = []
    deep.append(deep)
    for state in (Lying([1]), (Lying(),), deep, (deep,), object(), (1.5,), (-1,), (2**64,)):
        with pytest.raises(cf.Error, match="found a damaged one"):
            _core.checksum(state)
        with pytest.raises(cf.Error, match="found a damaged one"):
            _core.unpickled_run(state, 0)
    for arguments in ((), (1,), (1, 2, 3), ((), "x"), ((), True)):
        for restore in (
            _core.unpickled_qrels,
            _core.unpickled_run,
            _core.unpickled_notes,
            _core.unpickled_scores,
            _core.unpickled_limits,
            _core.unpickled_measure,
        ):
            with pytest.raises(cf.Error, match="found a damaged one"):
                restore(*arguments)


def test_evaluators_and_bounds() -> None:
    evaluator = cf.Evaluator(QRELS, "AP nDCG@2", depth=3)
    reduced: Any = evaluator.__reduce__()
    restore, (qrels, (measures, options, limits), checksum, progress, functions) = reduced
    wrong = [
        (qrels, (measures, options, limits), checksum + 1, progress, functions),
        (qrels, ("AP", options, limits), checksum, progress, functions),
        (5, (measures, options, limits), checksum, progress, functions),
        (qrels,),
        (),
    ]
    for state in [
        ("no measure", options, limits),
        (measures, options[1:], limits),
        (measures, (*options, ("color", "red")), limits),
        (measures, (("missing", "never"), *options[1:]), limits),
        (measures, options, (0, 0, 0)),
        (measures, 5, limits),
        (measures, options),
    ]:
        wrong.append((qrels, state, _core.checksum(state), progress, functions))
    for arguments in wrong:
        with pytest.raises(cf.Error):
            restore(*arguments)
    bounds = cf.bounds(QRELS, {"x": {"1": {"z": 1.0}}, "y": {"2": {"c": 1.0}}}, "AP")
    reduced = bounds.__reduce__()
    restore, parts = reduced
    value, low, high, checksum = parts
    assert restore(*parts).low.values.tolist() == low.values.tolist()
    for arguments in [
        (value, high, low, checksum),
        (value, low, checksum),
        (value, low, high, 0),
        (value, low, 5, checksum),
        (value, low.sel(run="x"), high, checksum),
        (),
    ]:
        with pytest.raises(cf.Error):
            restore(*arguments)
    with pytest.raises(cf.Error):
        cf.Scores(5)  # type: ignore[arg-type]
