"""What files of scores say of runs and measures, in whatever format."""

from __future__ import annotations

import os
from collections import Counter

from cranfield._base.errors import failure
from cranfield._base.text import readable
from cranfield._base.warnings import tell
from cranfield._core import Error, Measure
from cranfield._io.sources import run_name
from cranfield._scores.records import ALL, label_of_topic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from cranfield._scores.records import Record

    Found: TypeAlias = Iterator[tuple[int, Record]]
    """Records, each with the number of its line."""
    Lines: TypeAlias = Sequence[tuple[int, str]]
    """Lines that are not empty, each with its number."""

SUFFIXES = (".json", ".jsonl", ".eval", ".tsv", ".csv")
"""What the names of files of scores end in: no part of the name of a run."""

TEXTS = ("runid", "relstring")
"""What trec_eval prints that is text."""


def named(run: str | None, name: str) -> str:
    """The run of a file that names none."""
    if run is not None:
        return readable(run)
    stem, suffix = os.path.splitext(run_name(name))
    return stem if stem and suffix.lower() in SUFFIXES else run_name(name)


def reject_run(run: str | None, name: str) -> None:
    """Raises if a run is named for a file that names its runs."""
    if run is not None:
        raise failure("option", "run= is for files that name no run, and this one does", file=name)


def are_measures(column: Sequence[str]) -> bool:
    """Whether all labels name measures."""
    try:
        for label in set(column) - set(TEXTS):
            Measure(label)
    except Error:
        return False
    return True


def are_integers(column: Sequence[str]) -> bool:
    """Whether all labels are whole numbers."""
    return all(label.isdigit() for label in column)


def texts_among(cells: Iterable[tuple[str, str]], name: str) -> set[str]:
    """The measures of which no value is a number: they are texts, and left out."""
    numeric: dict[str, bool] = {}
    for measure, value in cells:
        numeric[measure] = numeric.get(measure, False) or _is_number(value)
    texts = {measure for measure, known in numeric.items() if not known}
    unusual = [readable(label) for label in numeric if label in texts and label not in TEXTS]
    if unusual:
        message = f"{name}: left out, no value is a number: {' '.join(unusual[:10])}"
        more = f" and {len(unusual) - 10} more" if len(unusual) > 10 else ""
        tell([message + more])
    return texts


def with_topic_all(records: Sequence[tuple[int, Record]]) -> Found:
    """Records of a file, in which a topic may be called as its summaries are: it comes first."""
    sums = Counter(record[:3] for _, record in records if record[1] == ALL)
    for number, (run, topic, measure, value) in records:
        if topic == ALL and sums[run, topic, measure] == 2:
            sums[run, topic, measure] = 1
            topic = label_of_topic(topic)
        yield number, (run, topic, measure, value)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
