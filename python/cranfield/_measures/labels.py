"""Finding runs, topics and measures by their labels."""

from __future__ import annotations

from collections.abc import Iterable

from cranfield._base.errors import failure, label_failure, shown
from cranfield._base.options import finder, number_of, several
from cranfield._core import Error, Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from cranfield._base.scores_like import ScoresKind
    from cranfield._measures.parse import MeasureLike, MeasuresLike


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
    return several(labels, name, lambda label, _: label)
