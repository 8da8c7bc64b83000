"""What all answers share: runs, topics and words in objects with their places, and values."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeAlias, TypeVar

from cranfield._base.errors import failure, shown, tell
from cranfield._base.options import one_of
from cranfield._base.scores_like import ALL
from cranfield._base.text import counted, readable
from cranfield._core import AnswerLabels, OpaqueMeasure, ScoreCells, answered
from cranfield._io import small_files
from cranfield._io.files import RemoteObject
from cranfield._io.small_files import Line, PathsLike
from cranfield._io.sources import STDIN, UNNAMED, name_of, run_name
from cranfield._scores.scores import Scores

Answer: TypeAlias = tuple[Line, str, str, dict[str, Any]]
"""The place of an object, its run, its topic and the object."""

T = TypeVar("T")
"""What is known of one answer."""


SUFFIXES = (".jsonl", ".json", ".tsv")
"""What the names of files of answers end in: no part of the name of a run."""


ERROR = "error"
"""The choice that refuses unknown labels, which is the default."""

_SHOWN = 5
"""How many unknown labels are named."""


def is_paths(given: object) -> bool:
    """Whether files are meant: a path, or a list of paths."""
    if isinstance(given, (str, os.PathLike)):
        return True
    first = given[0] if isinstance(given, (list, tuple)) and given else None
    return isinstance(first, (str, os.PathLike))


def answers(path: PathsLike, unnamed: str | None = None) -> Iterator[Answer]:
    """The objects of files, each with its run and its topic.

    Objects that name no run are of the run ``unnamed``, or of that which the file is named
    after. Raises ``Error`` (kind "empty") for files without any.
    """
    files = small_files.paths(path)
    empty = True
    for file in files:
        of_file = unnamed or file_run(file)
        for place, record in small_files.objects(file):
            run, topic = answered(record, place)
            empty = False
            yield place, of_file if run is None else readable(run), topic, record
    if empty:
        names = ", ".join(map(name_of, files))
        raise failure("empty", "expected answers, found none", file=names)


def read(
    path: PathsLike, of_record: Callable[[dict[str, Any], str, Line], T], unnamed: str | None = None
) -> Iterator[tuple[Line, str, str, T]]:
    """The place, the run and the topic of each object of files, and what is known of its answer."""
    for place, run, topic, record in answers(path, unnamed):
        yield place, run, topic, of_record(record, topic, place)


def file_run(file: str | RemoteObject) -> str:
    """The run that a file is named after."""
    if file == STDIN:
        return UNNAMED
    name = run_name(name_of(file))
    stem, suffix = os.path.splitext(name)
    return stem if stem and suffix.lower() in SUFFIXES else name


class Labels:
    """Labels that judges give, and what a label that is none of them counts as."""

    def __init__(
        self, known: Iterable[str], lowest: str, unknown: str, *, spaced: bool = False
    ) -> None:
        one_of("unknown_labels", unknown, (ERROR, lowest))
        self.core = AnswerLabels(list(known), lowest, refused=unknown == ERROR, spaced=spaced)
        self._lowest = lowest

    def lines(self) -> list[str]:
        """How many labels were unknown, and which, in a sentence if there were any."""
        found = self.core.unknown
        if not found:
            return []
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        which = ", ".join(f"{name} ({number})" for name, number in found[:_SHOWN])
        what = counted(sum(number for _, number in found), "unknown label")
        return [f"{what} counted as {self._lowest}: {which}{more}"]

    def tell(self) -> None:
        """Tells of them."""
        if lines := self.lines():
            tell(lines)


def by_run(
    answers: Iterable[tuple[Line | None, str, str, T]], labels: Labels | None = None
) -> dict[str, dict[str, T]]:
    """Answers by run and topic; raises ``Error`` for a second answer of a run to a topic.

    Tells of unknown labels.
    """
    found: dict[str, dict[str, T]] = {}
    for place, run, topic, answer in answers:
        topics = found.setdefault(run, {})
        if topic in topics:
            raise second(run, topic, place)
        topics[topic] = answer
    if labels is not None:
        labels.tell()
    return found


def second(run: str, topic: str, place: Line | None) -> Exception:
    """The error for a second answer of a run to a topic."""
    message = f"expected one answer per run and topic, found a second of {run!r} to {topic!r}"
    return (failure if place is None else place.error)("duplicate", message)


def of_mapping(
    runs: object, name: str, answer_of: Callable[[Any], T]
) -> Iterator[tuple[None, str, str, T]]:
    """No place, run, topic and answer of {run: {topic: what an answer is made of}}."""
    if not isinstance(runs, Mapping):
        kind = type(runs).__name__
        raise failure("type", f"expected {name}, files or {{run: {{topic: {name}}}}}; found {kind}")
    for run, topics in runs.items():
        if not isinstance(topics, Mapping):
            raise failure("type", f"expected {{topic: {name}}} for run {shown(run)}")
        for topic, given in topics.items():
            yield None, str(run), str(topic), answer_of(given)


class Values:
    """The values of one answer, a field for each measure; prints its numbers with three digits."""

    __slots__ = ()

    @classmethod
    def measures(cls) -> list[OpaqueMeasure]:
        """The columns of scores, the headline first; lower is better where ``LOWER`` says so."""
        own = fields(cls)  # type: ignore[arg-type]
        return [OpaqueMeasure(f.name, f.metadata.get("better", "higher"), "mean") for f in own]

    def __repr__(self) -> str:
        numbers = ((f.name, getattr(self, f.name)) for f in fields(self))  # type: ignore[arg-type]
        shown = ", ".join(f"{name}={value:.3g}" for name, value in numbers)
        return f"{type(self).__name__}({shown})"


LOWER = {"better": "lower"}
"""The metadata of a field of which lower values are better."""


def ratio(part: float, whole: float) -> float:
    """A proportion, 0 of nothing."""
    return part / whole if whole else 0.0


MISSING = ("skip", "zero", "error")
"""How to score topics that a run did not answer, the default first."""


def scored(
    given: Any,
    name: str,
    kind: type[Values],
    *,
    of_files: Callable[[Any], Iterable[tuple[Line, str, str, T]]],
    of_one: Callable[[Any], T],
    values: Callable[[T], Sequence[float]],
    missing: str,
    labels: Labels | None = None,
) -> Any:
    """The values of one answer; scores of files and of {run: {topic: answer}}.

    ``name`` says what an answer is made of, which ``of_one`` and ``of_files`` turn into what
    ``values`` takes.
    """
    found: Iterable[tuple[Line | None, str, str, T]]
    if is_paths(given):
        found = of_files(given)
    elif hasattr(given, "items"):
        found = of_mapping(given, name, of_one)
    else:
        row = values(of_one(given))
        if labels is not None:
            labels.tell()
        return kind(*row)
    return scores_of(found, values, kind.measures(), missing, labels)


def scores_of(
    found: Iterable[tuple[Line | None, str, str, T]],
    values: Callable[[T], Sequence[float]],
    measures: Sequence[OpaqueMeasure],
    missing: str,
    labels: Labels | None = None,
) -> Scores:
    """The scores of answers by run and topic, from the values of each.

    Topics that a run did not answer are NaN, 0, or an error, as ``missing`` says. Raises
    ``Error`` for a second answer, and where there are none.
    """
    cells = ScoreCells(len(measures))
    for place, run, topic, answer in found:
        row = values(answer)
        if topic == ALL:
            message = f'the topic is "{ALL}", which is reserved for summaries'
            raise (failure if place is None else place.error)("option", message)
        if not cells.add(run, topic, str(measures[0]), row):
            raise second(run, topic, place)
    one_of("missing", missing, MISSING)
    if not cells:
        raise failure("empty", "expected answers, found none")
    lines = [*(labels.lines() if labels else ()), *_without_answers(cells, missing)]
    if lines:
        tell(lines)
    return Scores(cells.scores(measures, 0.0 if missing == "zero" else math.nan))


def _without_answers(cells: ScoreCells, missing: str) -> list[str]:
    """Which runs did not answer some topics, in a sentence."""
    topics = cells.topic_count
    lacking = [(run, topics - n) for run, n in cells.topics_of_runs().items() if n < topics]
    if not lacking:
        return []
    run, number = lacking[0]
    more = f", and {counted(len(lacking) - 1, 'other run')}" if len(lacking) > 1 else ""
    message = f"run {run!r} did not answer {number} of {counted(topics, 'topic')}{more}"
    if missing == "error":
        raise failure("topics", message)
    what = "left out of its means" if missing == "skip" else "scored 0"
    return [f"{message}: {what}"]
