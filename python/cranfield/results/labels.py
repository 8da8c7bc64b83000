"""Finding runs, topics and measures by their labels."""

from __future__ import annotations

from collections.abc import Iterable

from cranfield._core import Error, Measure
from cranfield.errors import failure, label_failure, shown
from cranfield.options import number_of, several, wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from cranfield.inputs.measures import MeasureLike, MeasuresLike
    from cranfield.results.scores import Scores


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


def measure_values(scores: Scores, measure: MeasureLike | None) -> tuple[tuple[str, ...], str, Any]:
    """The runs, the name of a measure and its values; shape (runs, topics)."""
    one = scores.sel(measure=scores.measures[one_measure(scores.measures, measure)])
    return one.runs, one.measures[0], one.values[:, :, 0]


def finder(what: str, labels: Sequence[str]) -> Callable[[object], int]:
    """The function from a label of an axis to its place there."""
    places = {label: place for place, label in enumerate(labels)}

    def find(label: object) -> int:
        # What is neither text nor a whole number might print as one of them.
        name = label if isinstance(label, str) else None
        if name is None and (number := number_of(label)) is not None:
            name = shown(number)
        if name not in places:
            raise label_failure(what, label, labels)
        return places[name]

    return find


def selected(
    scores: Scores,
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


def two(key: object, what: str) -> tuple[object, object]:
    """The two labels of a key; raises ``Error`` (kind "option") for any other."""
    if isinstance(key, (tuple, list)) and len(key) == 2:
        return key[0], key[1]
    raise wrong("the key", what, key)


def labels_of(labels: Any, name: str) -> Iterable[Any]:
    """One label as a list of one."""
    is_single = isinstance(labels, (str, Measure)) or number_of(labels) is not None
    if is_single or not isinstance(labels, Iterable):
        return [labels]
    return several(labels, name, lambda label, _: label)
