"""Nuggets: the facts that a good answer holds, and how many of them an answer has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import mul
from typing import Any, TypeAlias, overload

from cranfield._analysis import answer_records as records
from cranfield._base.errors import failure
from cranfield._base.options import checked, one_of, several
from cranfield._io import small_files
from cranfield._io.small_files import Line, OneValue, PathsLike
from cranfield._scores.scores import Scores

Nuggets: TypeAlias = Iterable[tuple[str, str]]
Bank: TypeAlias = dict[str, dict[str, str]]
"""The importance of nuggets by topic and text."""

IMPORTANCE = {"vital": 1.0, "okay": 0.5, "failed": 0.0}
"""How much a nugget weighs in the weighted means."""

ASSIGNMENT = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0, "failed": 0.0}
"""How much of a nugget an answer holds."""

LOWEST = "not_support"
"""What an unknown assignment counts as, if it is not an error."""

KINDS = [(importance, held) for importance in IMPORTANCE for held in ASSIGNMENT]
"""What is known of a nugget in an answer; an answer is the places of its nuggets in this list."""

PLACES = {kind: place for place, kind in enumerate(KINDS)}
"""The places of what is known of a nugget."""


@dataclass(frozen=True, slots=True, repr=False)
class NuggetRecall(records.Values):
    """The proportions of an answer's nuggets that it holds, from 0 to 1."""

    strict_vital: float
    """Of the vital nuggets those with full support; 0 where there is none."""
    strict_all: float
    """Of all nuggets those with full support."""
    vital: float
    """As ``strict_vital``, where partial support counts one half."""
    all: float
    """As ``strict_all``, where partial support counts one half."""
    strict_weighted: float
    """As ``strict_all``, where an okay nugget weighs half as much as a vital one."""
    weighted: float
    """As ``all``, where an okay nugget weighs half as much as a vital one."""


@overload
def nugget_recall(
    nuggets: Nuggets, *, bank: None = None, missing: str = ..., unknown_labels: str = ...
) -> NuggetRecall: ...
@overload
def nugget_recall(
    nuggets: PathsLike | Mapping[str, Mapping[str, Nuggets]],
    *,
    bank: PathsLike | None = None,
    missing: str = ...,
    unknown_labels: str = ...,
) -> Scores: ...
@checked
def nugget_recall(
    nuggets: Any,
    *,
    bank: Any = None,
    missing: str = records.MISSING[0],
    unknown_labels: str = records.ERROR,
) -> Any:
    """How many of their nuggets answers hold.

    Parameters
    ----------
    nuggets
        Of one answer a pair for each nugget: ``"vital"`` or ``"okay"``, and ``"support"``,
        ``"partial_support"`` or ``"not_support"``; either may be ``"failed"``. Or files as
        ``read_nuggets`` reads them, or {run: {topic: pairs}}.
    bank
        A file of nuggets with their importance, for files of assignments that lack it: they are
        joined by topic and text.
    missing
        Of files, what a topic is that others have and a run has not: "skip" leaves it out of
        the run's means, as nuggetizer does, "zero" scores 0, "error" refuses it.
    unknown_labels
        What an assignment is that is none of these words, such as what a model wrote instead: an
        "error", or "not_support", as nuggetizer counts it. A ``CranfieldWarning`` then says how
        many there were.

    Returns
    -------
    NuggetRecall or Scores
        Of one answer its six values; of several scores with a measure for each.

    Raises
    ------
    Error
        Kind "option" for another word; of files as ``read_nuggets``.

    Notes
    -----
    The measures of TREC's RAG track of 2024 (Pradeep et al., 2025, The great
    nugget recall, SIGIR) and of its program nuggetizer, which calls them
    ``strict_vital_score`` and so on. The scores that the track published count unknown
    assignments as no support: ``unknown_labels="not_support"``. A mean over no nuggets is
    0. A failed assignment counts as no support. A nugget whose importance failed counts in
    ``all``, as in nuggetizer, and weighs nothing in the weighted means.

    """
    if bank is not None and not records.is_paths(nuggets):
        raise failure("option", "bank= goes with files of assignments")
    labels = records.Labels(ASSIGNMENT, LOWEST, unknown_labels)
    return records.scored(
        nuggets,
        "nuggets",
        NuggetRecall,
        of_files=lambda path: records.read(path, _reader(bank, labels)),
        of_one=lambda own: _given(own, labels),
        values=_values_in_any_order,
        missing=missing,
        labels=labels,
    )


def read_nuggets(
    path: PathsLike, *, bank: PathsLike | None = None, unknown_labels: str = records.ERROR
) -> dict[str, dict[str, list[tuple[str, str]]]]:
    """Reads the nuggets of answers from files of JSON lines, as nuggetizer writes them.

    A line is an object with a topic (``qid``, ``topic_id``, ``narrative_id``, ``query_id``),
    ``nuggets`` (each with ``importance`` and ``assignment``) and, if it names the run, ``run_id``.

    Parameters
    ----------
    path
        A file, a pattern, a folder, an address, ``-``, or a list of these; compressed (.gz, .zst,
        .bz2, .xz) or not.
    bank
        As for ``nugget_recall``.
    unknown_labels
        As for ``nugget_recall``.

    Returns
    -------
    dict
        Run (``"run"`` where a line names none) to topic to the pairs that
        ``nugget_recall`` takes.

    Raises
    ------
    Error
        With file, line and key: what is no such object (kind "fields"), another
        word ("option"), a second answer to a topic in a run ("duplicate"), an assignment that
        the bank lacks, or the other way round ("label"), no such file ("missing").

    """
    labels = records.Labels(ASSIGNMENT, LOWEST, unknown_labels)
    found = records.read(path, _reader(bank, labels), "run")
    return records.by_run(
        ((place, run, topic, [KINDS[kind] for kind in held]) for place, run, topic, held in found),
        labels,
    )


def _given(nuggets: Any, labels: records.Labels) -> list[int]:
    """The nuggets of one answer as places."""

    def place_of(nugget: Any, _: str) -> int:
        entries = tuple(nugget) if isinstance(nugget, (tuple, list)) else ()
        if len(entries) != 2:
            message = f"expected (importance, assignment) for a nugget, found {nugget!r}"
            raise failure("type", message)
        one_of("importance", entries[0], IMPORTANCE)
        return PLACES[entries[0], labels.of(entries[1], "assignment")]

    return several(nuggets, "nuggets", place_of)


def _reader(
    path: PathsLike | None, labels: records.Labels
) -> Callable[[dict[str, Any], str, Line], list[int]]:
    """What makes the nuggets of an object places; a bank has their importance if it is given."""
    bank = None if path is None else _bank(path)

    def of_record(record: dict[str, Any], topic: str, place: Line) -> list[int]:
        _, nuggets = records.listed(record, ("nuggets",), place)
        known = None if bank is None else _of_topic(bank, topic, nuggets, place)
        found = []
        for number, nugget in enumerate(nuggets):
            key = f"nuggets[{number}]"
            importance = _importance(nugget, key, place) if known is None else known[nugget["text"]]
            held = records.entry(nugget, "assignment", key, place)
            found.append(PLACES[importance, labels.of(held, f"{key}.assignment", place)])
        return found

    return of_record


def _importance(nugget: dict[str, Any], key: str, place: Line) -> str:
    """The importance of a nugget that has it; raises ``Error`` for none, and an unknown one."""
    if "importance" not in nugget:
        message = f"{key}: expected the key importance; without it name the bank of nuggets"
        raise place.error("fields", message)
    importance = nugget["importance"]
    if not isinstance(importance, str) or importance not in IMPORTANCE:
        raise place.unknown(f"{key}.importance", IMPORTANCE, importance)
    return importance


def _values_in_any_order(nuggets: Iterable[int]) -> tuple[float, ...]:
    """The six values of nuggets as places."""
    return _values(bytes(sorted(nuggets)))


@lru_cache(maxsize=1 << 16)
def _values(nuggets: bytes) -> tuple[float, ...]:
    """The six values; answers with the same nuggets are many."""
    kinds = [KINDS[place] for place in nuggets]
    held = [ASSIGNMENT[assignment] for _, assignment in kinds]
    full = [float(share == 1.0) for share in held]
    vital = [float(importance == "vital") for importance, _ in kinds]
    equal = [1.0] * len(kinds)
    weighted = [IMPORTANCE[importance] for importance, _ in kinds]
    return (
        _mean(full, vital),
        _mean(full, equal),
        _mean(held, vital),
        _mean(held, equal),
        _mean(full, weighted),
        _mean(held, weighted),
    )


def _mean(values: Sequence[float], weights: Sequence[float]) -> float:
    """The mean of values by their weights, which are quarters and their multiples, so exact."""
    return records.ratio(sum(map(mul, values, weights)), sum(weights))


def _bank(path: PathsLike) -> Bank:
    """What a file knows of nuggets, by topic and text."""
    bank: Bank = {}
    known = OneValue()
    for file in small_files.paths(path):
        for place, record in small_files.objects(file):
            topic = records.topic_of(record, place)
            own = bank.setdefault(topic, {})
            for number, nugget in enumerate(records.listed(record, ("nuggets",), place)[1]):
                key = f"nuggets[{number}]"
                text = _text(nugget, key, place)
                own[text] = _importance(nugget, key, place)
                what = f"importance of the nugget {text[:60]!r}"
                known.add((topic, text), own[text], place, what)
    return bank


def _of_topic(
    bank: Bank, topic: str, nuggets: Sequence[dict[str, Any]], place: Line
) -> dict[str, str]:
    """The nuggets of a topic in the bank: those that were assigned, and no others."""
    if topic not in bank:
        raise place.error("label", f"the bank has no nuggets of topic {topic!r}")
    known, texts = bank[topic], set()
    for number, nugget in enumerate(nuggets):
        key = f"nuggets[{number}]"
        text = _text(nugget, key, place)
        if text not in known:
            raise place.error("label", f"{key}.text is not in the bank: {text[:60]!r}")
        texts.add(text)
    lacking = [text for text in known if text not in texts]
    if lacking:
        message = f"no assignment of the nugget {lacking[0][:60]!r} of the bank"
        raise place.error("label", message)
    return known


def _text(nugget: dict[str, Any], key: str, place: Line) -> str:
    """The text of a nugget."""
    text = nugget.get("text")
    if not isinstance(text, str):
        raise place.wrong(f"{key}.text", "text", text)
    return text
