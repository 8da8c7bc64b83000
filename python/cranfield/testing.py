"""Tests of your own measures: whether they have the properties they declare.

>>> import cranfield as cf
>>> @cf.measure("hits", better="higher", properties="swaps monotone")
... def hits(topic):
...     return (topic.grades >= topic.rel).sum()
>>> cf.testing.check_measure(hits)
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cranfield._base.errors import failure
from cranfield._base.options import checked, several, text
from cranfield._core import Measure
from cranfield._measures.custom import PROPERTIES, CustomMeasure
from cranfield._measures.parse import as_single_measure
from cranfield._scoring.evaluator import evaluate

__all__ = ["PROPERTIES", "check_measure"]

_SLACK = 1e-9
"""The tolerance for rounding."""

_CUTOFF = 5
"""The cutoff that is tried where a property is about one."""

_Judgments = dict[str, float]
_List = list[str]
_Topic = tuple[_Judgments, _List]
"""The judgments of a topic, and a list for it."""


@checked
def check_measure(
    measure: str | Measure | CustomMeasure,
    *,
    properties: str | Iterable[str] | None = None,
    cases: int = 200,
    seed: int = 0,
) -> None:
    """Holds a measure to the properties that it declares, on random small topics.

    Whatever it declares, the same list has the same value each time, alone and
    among other topics, and lists may be empty or without a judged document.

    Parameters
    ----------
    measure
        One measure, usually your own; for one with a cutoff give it with that.
    properties
        Some of "unit", "swaps", "monotone" and "cutoff" (see
        ``cranfield.measure``), separated by spaces or as a list. Default:
        those that the measure declares.
    cases
        How many random topics to try.
    seed
        The seed of the random topics.

    Raises
    ------
    AssertionError
        For a property that does not hold, with the lists that show it.
    Error
        Kind "option" for properties that there are not, or that need a
        direction where the measure has none; "measure" for what the function
        raises or returns.

    """
    one = as_single_measure(measure)
    names = _names(one, properties)
    if {"swaps", "monotone"} & set(names) and one.better is None:
        message = f"{one} does not say which values are better, so none can be worse"
        raise failure("option", message)
    chance = random.Random(seed)
    topics = [_topic(chance) for _ in range(cases)]
    values = _values(one, topics)
    _check_repeats(one, topics, values)
    if "unit" in names:
        for topic, value in zip(topics, values, strict=True):
            holds = math.isnan(value) or -_SLACK <= value <= 1 + _SLACK
            _hold(holds, one, f"is {value!r}, outside of [0, 1]", topic)
    sign = -1 if one.better == "lower" else 1
    for name, changed in (("swaps", _swapped), ("monotone", _found)):
        if name in names:
            _check_no_worse(one, changed, chance, topics, values, sign)
    if "cutoff" in names:
        _check_cutoff(one, chance, topics)


def _names(measure: Any, properties: str | Iterable[str] | None) -> list[str]:
    """The properties to check."""
    if properties is None:
        return list(getattr(measure, "properties", ()))
    words = properties.split() if isinstance(properties, str) else properties
    names = several(words, "properties", text)
    for name in names:
        if name not in PROPERTIES:
            listed = ", ".join(PROPERTIES)
            raise failure("option", f"expected properties among {listed}, found {name!r}")
    return names


def _topic(chance: random.Random) -> _Topic:
    """Judgments with a relevant document, and a list that may hold anything."""
    judged = {
        f"d{i}": float(chance.choice((0, 0, 1, 1, 2, 3))) for i in range(chance.randint(1, 9))
    }
    judged["r"] = 1.0
    documents = [*judged, *(f"u{i}" for i in range(chance.randint(0, 5)))]
    chance.shuffle(documents)
    return judged, documents[: chance.randint(0, len(documents))]


def _values(measure: Any, topics: Sequence[_Topic]) -> list[float]:
    """The value of each topic."""
    if not topics:
        return []
    named = {f"{number:09}": topic for number, topic in enumerate(topics)}
    qrels = {name: judged for name, (judged, _) in named.items()}
    run = {
        name: {document: -float(rank) for rank, document in enumerate(ranking)}
        for name, (_, ranking) in named.items()
    }
    scores = evaluate(qrels, {"list": run}, measure)
    values: list[float] = scores.values[0, :, 0].tolist()
    return values


def _check_repeats(measure: Any, topics: Sequence[_Topic], values: Sequence[float]) -> None:
    """The value does not change with the order of topics, or alone."""
    again = _values(measure, topics[::-1])[::-1]
    alone = [_values(measure, [topic])[0] for topic in topics[:20]]
    for others in (again, alone):
        for topic, value, other in zip(topics, values, others, strict=False):
            _hold(_same(value, other), measure, f"is {value!r} and then {other!r}", topic)


def _same(a: float, b: float) -> bool:
    """Whether two values are equal, or neither is defined."""
    return a == b or (math.isnan(a) and math.isnan(b))


def _check_no_worse(
    measure: Any,
    changed: Any,
    chance: random.Random,
    topics: Sequence[_Topic],
    values: Sequence[float],
    sign: int,
) -> None:
    """A list that is changed for the better has no worse value."""
    least = getattr(measure, "arguments", {}).get("rel", 1.0)
    cases = [
        (topic, value, better)
        for topic, value in zip(topics, values, strict=True)
        for better in changed(*topic, least, chance)
    ]
    after = _values(measure, [(judged, better) for (judged, _), _, better in cases])
    for (topic, value, better), other in zip(cases, after, strict=True):
        holds = math.isnan(value) or math.isnan(other) or sign * (other - value) >= -_SLACK
        what = f"is {value!r}, and worse ({other!r}) for {' '.join(better)}"
        _hold(holds, measure, what, topic)


def _swapped(
    judged: _Judgments, ranking: _List, least: float, chance: random.Random
) -> Iterator[_List]:
    """A relevant document moves up past one that is not relevant."""
    places = [
        place
        for place in range(1, len(ranking))
        if judged.get(ranking[place], 0) >= least > judged.get(ranking[place - 1], 0)
    ]
    for place in places:
        better = list(ranking)
        better[place - 1 : place + 1] = ranking[place], ranking[place - 1]
        yield better


def _found(
    judged: _Judgments, ranking: _List, least: float, chance: random.Random
) -> Iterator[_List]:
    """A relevant document that was missed takes the place of one that is not relevant."""
    missed = [d for d, grade in judged.items() if grade >= least and d not in ranking]
    places = [p for p, document in enumerate(ranking) if judged.get(document, 0) < least]
    if missed and places:
        better = list(ranking)
        better[chance.choice(places)] = chance.choice(missed)
        yield better


def _check_cutoff(measure: Any, chance: random.Random, topics: Sequence[_Topic]) -> None:
    """Documents below the cutoff do not count."""
    cut = measure if "@" in str(measure) else measure @ _CUTOFF
    depth = int(str(cut).rpartition("@")[2])
    if "'" in str(cut):
        # On a condensed list a judged document may move up past others.
        topics = [(judged, [d for d in ranking if d in judged]) for judged, ranking in topics]
    kept = [(judged, ranking) for judged, ranking in topics if len(ranking) > depth]
    changed = []
    for judged, ranking in kept:
        below = ranking[depth:]
        chance.shuffle(below)
        changed.append((judged, [*ranking[:depth], *below]))
    before, after = _values(cut, kept), _values(cut, changed)
    for topic, (_, other), a, b in zip(kept, changed, before, after, strict=True):
        _hold(_same(a, b), cut, f"is {a!r}, and {b!r} for {' '.join(other)}", topic)


def _hold(holds: bool, measure: Any, what: str, topic: _Topic) -> None:
    """Raises for what does not hold, with the list that shows it."""
    if not holds:
        judged, ranking = topic
        grades = " ".join(f"{document}={grade:g}" for document, grade in judged.items())
        shown = " ".join(ranking) or "an empty list"
        raise AssertionError(f"{measure} {what}; list: {shown}; judgments: {grades}")
