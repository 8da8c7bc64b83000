"""Judgments of single citations, joined to the answers that have these."""

from __future__ import annotations

from cranfield._analysis.answers.records import RUN, TOPIC, label, listed, second
from cranfield._analysis.answers.support import UNJUDGED, number_of
from cranfield._base.errors import shown
from cranfield._io import json_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from cranfield._analysis.answers.records import Answer
    from cranfield._io.json_lines import PathsLike, Place

COMPLETED = "completed"
"""The status of a judgment that counts."""

LABELS = ("FS", "PS", "NS")
"""The labels of judgments: full, partial and no support."""


def joined(
    found: Iterable[Answer], judgments: PathsLike, keys: Sequence[str]
) -> Iterator[tuple[Place, str, str, list[list[int]]]]:
    """The support of the citations of answers; ``keys`` are those of their sentences.

    The answers are in memory, a number for each citation; the judgments are read one by one.
    """
    held: dict[tuple[str, str], tuple[Place, list[list[int]]]] = {}
    for place, run, topic, record in found:
        if (run, topic) in held:
            raise second(run, topic, place)
        held[run, topic] = place, _sentences(record, keys, place)
    seen: set[tuple[str, str, int, int]] = set()
    for file in json_lines.paths(judgments):
        for place, record in json_lines.objects(file):
            _judge(held, seen, record, place)
    for (run, topic), (place, sentences) in held.items():
        yield place, run, topic, sentences


def _sentences(record: dict[str, Any], keys: Sequence[str], place: Place) -> list[list[int]]:
    """For each sentence of an answer an unjudged citation for each that it has."""
    name, sentences = listed(record, keys, place)
    references = record.get("references")
    if references is not None and not isinstance(references, list):
        raise place.wrong("references", "a list", references)
    found = []
    for number, sentence in enumerate(sentences):
        cited = sentence.get("citations", [])
        key = f"{name}[{number}].citations"
        if not isinstance(cited, (list, dict)):
            raise place.wrong(key, "a list", cited)
        for k, citation in enumerate(cited):
            is_place = isinstance(citation, int) and not isinstance(citation, bool)
            if is_place and not 0 <= citation < len(references or ()):
                message = f"{key}[{k}]: there are {len(references or ())} references"
                raise place.error("label", f"{message}, found the place {citation}")
            if not is_place and not isinstance(citation, (str, dict)):
                raise place.wrong(
                    f"{key}[{k}]", "a place in the references or a document", citation
                )
        found.append([UNJUDGED] * len(cited))
    return found


def _judge(
    held: dict[tuple[str, str], tuple[Place, list[list[int]]]],
    seen: set[tuple[str, str, int, int]],
    record: dict[str, Any],
    place: Place,
) -> None:
    """Enters a judgment."""
    run, topic = label(record, RUN, place), label(record, TOPIC, place)
    if run is None:
        raise place.missing([f"metadata.{key}" for key in RUN], record)
    if topic is None:
        raise place.missing([f"metadata.{key}" for key in TOPIC], record)
    if (run, topic) not in held:
        message = f"a judgment of run {shown(run)} on topic {shown(topic)}"
        raise place.error("label", f"{message}, of which there is no answer")
    at = []
    part: Any = held[run, topic][1]
    metadata = record.get("metadata") or {}
    for key in ("sentence_index", "citation_index"):
        number = metadata.get(key) if isinstance(metadata, dict) else None
        if not isinstance(number, int) or isinstance(number, bool):
            raise place.wrong(f"metadata.{key}", "a whole number", number)
        if not 0 <= number < len(part):
            what = "sentences" if key == "sentence_index" else "citations"
            message = f"metadata.{key}: there are {len(part)} {what}, found the place {number}"
            raise place.error("label", message)
        at.append(number)
        part = part[number]
    cell = (run, topic, at[0], at[1])
    if cell in seen:
        message = f"a second judgment of citation {at[1]} of sentence {at[0]}"
        raise place.error("duplicate", f"{message} of run {shown(run)} on topic {shown(topic)}")
    seen.add(cell)
    support = record.get("support_label")
    if record.get("status", COMPLETED) != COMPLETED or support is None:
        return
    if support not in LABELS:
        raise place.unknown("support_label", LABELS, support)
    held[run, topic][1][at[0]][at[1]] = number_of(support, "support_label", place)
