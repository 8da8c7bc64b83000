"""Measures from texts and values, the user's own functions among them, and labels of scores."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from cranfield._base.errors import failure, label_failure, shown
from cranfield._base.options import finder, number_of, several
from cranfield._core import DEFAULT_MEASURES, Error, Measure, parse_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any, TypeAlias

    from cranfield._base.scores_like import ScoresKind
    from cranfield._measures.custom import CustomMeasure

MeasureLike: TypeAlias = "str | Measure | CustomMeasure"
MeasuresLike: TypeAlias = "MeasureLike | Iterable[MeasureLike] | None"


def as_single_measure(measure: MeasureLike) -> Measure | CustomMeasure:
    """The one measure that is given."""
    found = as_measures(measure)
    if len(found) != 1:
        raise failure("option", f"expected one measure, found {len(found)}")
    return found[0]


def as_measures(measures: MeasuresLike) -> list[Measure | CustomMeasure]:
    """Measures from texts and values, those of ir_measures among them, without duplicates.

    Raises ``Error``: kind "measure" for a text that names none or for an
    empty list, "type" for an object that is neither text nor measure.
    """
    custom = _custom()
    values: Any = (Measure,) if custom is None else (Measure, custom.CustomMeasure)
    parsed: Any = parse_measures if custom is None else custom.parsed
    if measures is None:
        measures = DEFAULT_MEASURES
    items: Any = [measures]
    if isinstance(measures, (set, frozenset)):
        # The order of a set differs from one process to the next.
        items = sorted(measures, key=str)
    elif not isinstance(measures, (str, *values)) and isinstance(measures, Iterable):
        items = several(measures, "measures")
    found: dict[Measure | CustomMeasure, None] = {}
    for item in items:
        if isinstance(item, str):
            found.update(dict.fromkeys(parsed(item)))
        else:
            own: Any = item
            found[own if isinstance(own, values) else Measure(own)] = None
    if not found:
        raise failure("measure", "expected at least one measure, found none")
    labels: set[str] = set()
    for measure in found:
        if str(measure) in labels:
            message = f"two measures are called {measure}: give one another name"
            raise failure("measure", message)
        labels.add(str(measure))
    return list(found)


def divided(
    measures: Iterable[Measure | CustomMeasure],
) -> tuple[list[Measure], list[CustomMeasure]]:
    """The measures of the core, and those that are Python functions."""
    built_in: list[Measure] = []
    own: list[CustomMeasure] = []
    for measure in measures:
        if isinstance(measure, Measure):
            built_in.append(measure)
        else:
            own.append(measure)
    return built_in, own


def as_measure(text: str) -> Measure | CustomMeasure:
    """The one measure that a text names; raises ``Error`` as ``Measure`` does."""
    custom = _custom()
    if custom is not None and custom.is_own(text):
        (found,) = as_measures(text)
        return found
    return Measure(text)


def _custom() -> ModuleType | None:
    """The package of measures that are Python functions, if it is in use."""
    return sys.modules.get("cranfield._measures.custom")


def has_budget(measure: object) -> bool:
    """Whether its cutoff is a budget, such as ``@tokens=4000``."""
    return "=" in str(measure).rpartition(")")[2]


def with_rel(family: str, rel: float) -> Measure:
    """A measure with the lowest relevant grade; the default counts as not given."""
    measure = Measure(family)
    return measure if rel == measure.rel else measure(rel=rel)


def measure_place(labels: Sequence[str], label: object) -> int:
    """The place of a measure among labels: as it is written, or else in any spelling.

    Raises ``LabelError`` for one that is not there, or that two labels spell.
    """
    try:
        text = str(label)
    except Exception:
        raise label_failure("measure", label, labels) from None
    if text in labels:
        return labels.index(text)
    wanted = _parsed(text)
    found = (
        [] if wanted is None else [i for i, name in enumerate(labels) if _parsed(name) == wanted]
    )
    if len(found) != 1:
        raise label_failure("measure", text, labels)
    return found[0]


def _parsed(label: str) -> Measure | None:
    """The measure that a label names, if it names one."""
    try:
        return Measure(label)
    except Error:
        return None


def run_place(runs: Sequence[str], run: object) -> int:
    """The place of a run by its name or its number."""
    if isinstance(run, str):
        return finder("run", runs)(run)
    place = number_of(run)
    if place is None:
        message = f"expected the name or the number of a run as baseline, found {shown(run)}"
        raise failure("type", message)
    if isinstance(run, bool) or not -len(runs) <= place < len(runs):
        raise label_failure("run", run, runs)
    return place % len(runs)


def one_measure(labels: Sequence[str], measure: object | None) -> int:
    """The place of a measure, which need not be named if there is only one.

    Raises ``Error`` (kind "option") for several if none is named, and as
    ``measure_place``.
    """
    if measure is not None:
        return measure_place(labels, measure)
    if len(labels) != 1:
        known = ", ".join(labels[:5]) + (", ..." if len(labels) > 5 else "")
        raise failure("option", f"measure= has to say which of {known} is meant")
    return 0


def measure_values(
    scores: ScoresKind, measure: MeasureLike | None
) -> tuple[tuple[str, ...], str, Any]:
    """The runs, the name of a measure and its values; shape (runs, topics)."""
    one = scores.sel(measure=scores.measures[one_measure(scores.measures, measure)])
    return one.runs, one.measures[0], one.values[:, :, 0]


def selected(
    scores: ScoresKind,
    run: str | Iterable[str] | None,
    topic: str | int | Iterable[str | int] | None,
    measure: MeasuresLike,
) -> tuple[list[int], list[int], list[int]]:
    """What ``Scores.sel`` takes, as places on each axis."""
    runs: Iterable[int] = range(len(scores.runs))
    if run is not None:
        runs = map(finder("run", scores.runs), labels_of(run, "run"))
    topics: Iterable[int] = range(len(scores.topics))
    if topic is not None:
        topics = map(finder("topic", scores.topics), labels_of(topic, "topic"))
    measures: Iterable[int] = range(len(scores.measures))
    if measure is not None:
        labels = labels_of(measure, "measure")
        measures = (measure_place(scores.measures, label) for label in labels)
    of_runs, of_topics, of_measures = (
        list(dict.fromkeys(axis)) for axis in (runs, topics, measures)
    )
    return of_runs, of_topics, of_measures


def labels_of(labels: Any, name: str) -> Iterable[Any]:
    """One label as a list of one."""
    is_single = isinstance(labels, (str, Measure)) or number_of(labels) is not None
    if is_single or not isinstance(labels, Iterable):
        return [labels]
    return several(labels, name)
