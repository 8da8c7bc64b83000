"""The tables of a description: documents of each kind, and what lists are like."""

from __future__ import annotations

import math

from cranfield._table.data_table import COUNT, MEAN, SHARE, TEXT, DataTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from cranfield._core import Notes, Qrels
    from cranfield._scores.scores import Scores
    from cranfield._table.data_table import Column

_COLUMN_VALUES = 20
"""A column of the qrels with more different values than this is not counted."""


def of_topics(qrels: Qrels, rel: float, *, everything: bool) -> DataTable:
    """How many documents of each kind the topics have.

    ``everything``: a grade below zero is judged, too.
    """
    grades: dict[float, list[int]] = {grade: [0] * len(qrels) for grade in qrels.grades}
    further: dict[str, dict[float, list[int]]] = {name: {} for name in qrels.columns}
    known: dict[str, dict[float, list[int]]] = {name: {} for name in qrels.columns}
    for place, topic in enumerate(qrels.topics):
        documents = qrels[topic]
        for grade in documents.values():
            grades[grade][place] += 1
        for name in qrels.columns:
            for document, value in qrels.column(name, topic).items():
                counts = further[name].setdefault(value, [0] * len(qrels))
                counts[place] += 1
                counts = known[name].setdefault(value, [0] * len(qrels))
                counts[place] += everything or documents[document] >= 0
    is_judged = {grade: everything or grade >= 0 for grade in grades}
    is_relevant = {grade: grade >= max(rel, 0) for grade in grades}

    def sums(kind: Callable[[float], bool]) -> list[int]:
        chosen = [counts for grade, counts in grades.items() if kind(grade)]
        return [sum(counts) for counts in zip([0] * len(qrels), *chosen, strict=True)]

    columns: dict[str, Column] = {
        "topic": (TEXT, qrels.topics),
        "judged": (COUNT, sums(lambda grade: is_judged[grade])),
        "R": (COUNT, sums(lambda grade: is_relevant[grade])),
        "N": (COUNT, sums(lambda grade: is_judged[grade] and not is_relevant[grade])),
        "pooled only": (COUNT, sums(lambda grade: not is_judged[grade])),
    }
    for grade, numbers in sorted(grades.items()):
        if any(numbers):
            columns[f"grade {plain(grade)}"] = COUNT, numbers
    for name, by_value in further.items():
        if len(by_value) <= _COLUMN_VALUES:
            for value, numbers in sorted(by_value.items()):
                columns[f"{name} {plain(value)}"] = COUNT, numbers
                columns[f"{name} {plain(value)} judged"] = COUNT, known[name][value]
    return DataTable(columns)


def summed(topics: DataTable) -> DataTable:
    """For each number of the topics its total, and what it is like over topics."""
    names = topics.columns[1:]
    rows = list(topics.to_dict().values())
    numbers = [[row[name] for row in rows] for name in names]
    return DataTable(
        {
            "judgments": (TEXT, names),
            "total": (COUNT, [sum(n) for n in numbers]),
            "min": (COUNT, [min(n, default=None) for n in numbers]),
            "median": (MEAN, [median(n) for n in numbers]),
            "mean": (MEAN, [sum(n) / len(n) if n else None for n in numbers]),
            "max": (COUNT, [max(n, default=None) for n in numbers]),
        }
    )


def of_runs(scores: Scores, judged: Sequence[str], topics: DataTable) -> DataTable:
    """What each run is like; the first two measures are num_ret and num_rel_ret."""
    core, notes, places = scores.core, scores.core.notes, len(scores.topics)
    missing = [len(note.topics_missing) for note in notes]
    extra = [len(note.topics_without_judgments) for note in notes]
    lengths, found = _of_lists(scores), _of_judged(scores, judged, topics)
    return DataTable(
        {
            "run": (TEXT, scores.runs),
            "tag": (TEXT, [note.tag for note in notes]),
            "topics": (COUNT, [places - m + e for m, e in zip(missing, extra, strict=True)]),
            "missing": (COUNT, missing),
            "extra": (COUNT, extra),
            "lines": (COUNT, [note.lines for note in notes]),
            **lengths,
            "ties": (COUNT, [note.ties for note in notes]),
            "f32 differs": (COUNT, core.f32_differs),
            "duplicates": (COUNT, [note.duplicates for note in notes]),
            **found,
        }
    )


def of_runs_in_group(
    scores: Scores, notes: Mapping[str, Notes], judged: Sequence[str], topics: DataTable
) -> DataTable:
    """What each run is like in a group of topics.

    Extra topics, lines, ties and duplicates are known of the whole run only.
    """
    missing = [len({*notes[run].topics_missing} & {*scores.topics}) for run in scores.runs]
    return DataTable(
        {
            "run": (TEXT, scores.runs),
            "topics": (COUNT, [len(scores.topics) - number for number in missing]),
            "missing": (COUNT, missing),
            **_of_lists(scores),
            **_of_judged(scores, judged, topics),
        }
    )


def _of_lists(scores: Scores) -> dict[str, Column]:
    """How long the lists of each run are."""
    places, rows = range(len(scores.topics)), range(len(scores.runs))
    lengths = [
        [int(n) for n in (scores.core.row(run, place)[0] for place in places) if not math.isnan(n)]
        for run in rows
    ]
    return {
        "shortest": (COUNT, [min(n, default=None) for n in lengths]),
        "median": (MEAN, [median(n) for n in lengths]),
        "longest": (COUNT, [max(n, default=None) for n in lengths]),
    }


def _of_judged(scores: Scores, judged: Sequence[str], topics: DataTable) -> dict[str, Column]:
    """How much of each run is relevant, and how much of it was judged."""
    relevant = sum(row["R"] for row in topics.to_dict().values())
    # A sum of nothing is NaN: a run without a topic in common has found nothing.
    sums = [row[1] for row in scores.core.summary()]
    found = [0 if math.isnan(value) else int(value) for value in sums]
    means = scores.core.mean()
    return {
        "found": (COUNT, found),
        "found/R": (SHARE, [n / relevant if relevant else None for n in found]),
        **{
            name: (SHARE, [None if math.isnan(row[i]) else row[i] for row in means])
            for i, name in enumerate(judged, start=2)
        },
    }


def median(numbers: Sequence[int]) -> float | None:
    """The middle number, or the mean of the two in the middle."""
    if not numbers:
        return None
    ordered = sorted(numbers)
    half = len(ordered) // 2
    return (ordered[half] + ordered[~half]) / 2


def plain(grade: float) -> str:
    """A grade as files have it: 1, 0.5."""
    return f"{grade:.0f}" if float(grade).is_integer() else repr(float(grade))
