"""What evaluating passed over, in sentences: notes on the command line, warnings in Python.

The sentences are short for any number of runs and topics. In Python they are one
``CranfieldWarning`` a call; the command line writes them itself.
"""

from __future__ import annotations

from cranfield import _core
from cranfield._base.errors import tell
from cranfield._base.text import counted
from cranfield._core import Measure, SpanQrels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Sized

    from cranfield._core import Notes, Qrels
    from cranfield._measures.custom import CustomMeasure

_LINES = 10
_TOPICS = 10

_MISSING = {
    "zero": "scored 0",
    "skip": "left out of its means",
    "error": "an error",
}

_UNDEFINED = {
    "zero": "count 0",
    "one": "count 1",
    "skip": "are left out of means",
    "error": "are errors",
}


def of_all(
    notes: Sequence[Notes],
    qrels: Qrels | SpanQrels,
    measures: Collection[Measure | CustomMeasure],
    *,
    missing: str,
    undefined: str,
    label: str,
    named: Collection[str] = (),
) -> list[str]:
    """The findings about judgments and runs, the gravest first.

    ``label`` is what the judgments are called, ``named`` the options whose
    findings the caller knows of, such as "missing".
    """
    if isinstance(qrels, SpanQrels):
        qrels = qrels.documents()
    of_judgments, beside_each_other = remarks(qrels, measures)
    topics = sorted({topic for note in notes for topic in note.topics_without_relevant})
    grades = {measure.rel for measure in measures if measure.rel is not None}
    lines = [] if "undefined" in named else list(_without_relevant(topics, undefined))
    lines += _below(sorted(grades), topics, qrels)
    lines += _sentences(notes)
    lines += _reading(qrels, named)
    if of_judgments is not None:
        lines.append(of_judgments)
    runs = of_runs(notes, qrels, missing, named)
    return [*_in_order(runs, lines, label), *beside_each_other]


def of_description(
    notes: Mapping[str, Notes],
    qrels: Qrels | SpanQrels,
    *,
    rel: float,
    without_relevant: Sequence[str],
    label: str,
) -> list[str]:
    """The findings where judgments and runs are described.

    ``without_relevant`` are the topics without a document of grade ``rel``.
    """
    if isinstance(qrels, SpanQrels):
        qrels = qrels.documents()
    runs = of_runs(notes.values(), qrels, "skip")
    judgments = list(_below([rel], without_relevant, qrels))
    judgments += _sentences(notes.values())
    judgments += _reading(qrels)
    return _in_order(runs, judgments, label)


def _in_order(runs: Sequence[str], judgments: Iterable[str], label: str) -> list[str]:
    """All lines; first that a run has no topic or document of the judgments: it explains others."""
    explain = [_NO_COMMON_TOPIC in line or _NO_DOCUMENT in line for line in runs]
    first = [line for line, explains in zip(runs, explain, strict=True) if explains]
    rest = [line for line, explains in zip(runs, explain, strict=True) if not explains]
    return [*first, *(f"{label}: {line}" for line in judgments), *rest]


def _without_relevant(topics: Sequence[str], undefined: str) -> Iterator[str]:
    """That topics have no relevant document, if some have none."""
    if topics:
        verb = "has" if len(topics) == 1 else "have"
        what = f"{counted(len(topics), 'topic')} {verb} no relevant document"
        yield f"{what} (undefined scores {_UNDEFINED[undefined]}): {_some(topics)}"


def remarks(
    qrels: Qrels, measures: Collection[Measure | CustomMeasure]
) -> tuple[str | None, list[str]]:
    """What has to be said of measures: under these judgments, and beside each other."""
    return _core.remarks(qrels, [one for one in measures if isinstance(one, Measure)])


def _sentences(notes: Iterable[Notes]) -> Iterable[str]:
    """What the core says of the judgments, each sentence once."""
    return dict.fromkeys(text for note in notes for text in note.judgments)


def _reading(read: Notes | Qrels, named: Collection[str] = ()) -> Iterator[str]:
    """What the reader of a file repaired or passed over."""
    if read.repaired and "lenient" not in named:
        yield f"repaired numbers: {read.repaired}"
    if read.comments and "comments" not in named:
        yield f"comment lines skipped: {read.comments}"


def _below(grades: Iterable[float], topics: Sequence[str], qrels: Qrels) -> Iterator[str]:
    """Of topics without a relevant document those that have grades above 0."""
    highest = {topic: max(qrels[topic].values(), default=0.0) for topic in topics}
    for rel in grades:
        below = [topic for topic in topics if 0 < highest[topic] < rel]
        if below:
            top = max(highest[topic] for topic in below)
            what = f"highest grade {top:.12g} is below rel={rel:.12g}"
            yield f"{what} in {counted(len(below), 'topic')}: {_some(below)}"


def of_runs(
    notes: Iterable[Notes], judged: Sized, missing: str, named: Collection[str] = ()
) -> list[str]:
    """One line for each finding; runs with the same finding share a line.

    ``judged`` are the topics of the judgments.
    """
    findings: dict[tuple[str, Sequence[str]], list[str]] = {}
    examples: dict[str, tuple[str, list[str]]] = {}
    for note in notes:
        for finding in _findings(note, len(judged), missing, named):
            findings.setdefault(finding, []).append(note.run)
        for kind, text in _examples(note):
            examples.setdefault(kind, (text, []))[1].append(note.run)
    found = [f"{_runs(runs)}: {text}" for text, runs in examples.values()]
    found += [f"{_runs(runs)}: {text}{_some(topics)}" for (text, topics), runs in findings.items()]
    if len(found) > _LINES:
        hidden = len(found) - _LINES
        found[_LINES:] = [f"... and {hidden} more such notes; --format json has all"]
    return found


def _examples(note: Notes) -> Iterator[tuple[str, str]]:
    """The findings that have examples, by kind; those of the first run are shown."""
    for kind in ("unmatched", "rising", "own_first", "tied", "of_text"):
        if text := getattr(note, kind):
            yield kind, text


_NO_DOCUMENT = "no document of the run is judged"
_NO_COMMON_TOPIC = "no topic in common with the qrels: are these the right qrels?"


def _findings(
    note: Notes, judged: int, missing: str, named: Collection[str]
) -> Iterator[tuple[str, Sequence[str]]]:
    """The findings, and their topics."""
    if len(note.topics_missing) == judged:
        if "missing" not in named:
            yield _NO_COMMON_TOPIC, ()
    else:
        yield from _topics(note, missing, named)
    if note.duplicates and "duplicates" not in named:
        what = "duplicate documents (counted once): "
        yield f"{what}{note.duplicates}", ()
    if note.own_documents and "duplicates" not in named:
        yield f"documents with the id of their topic, taken out: {note.own_documents}", ()
    for finding in _reading(note, named):
        yield finding, ()


def _topics(
    note: Notes, missing: str, named: Collection[str]
) -> Iterator[tuple[str, Sequence[str]]]:
    """The topics that only the judgments or only the run have."""
    topics = note.topics_missing
    if topics and "missing" not in named:
        verb = "is" if len(topics) == 1 else "are"
        what = f"{counted(len(topics), 'topic')} of the qrels {verb} missing"
        yield f"{what} ({_MISSING[missing]}): ", topics
    topics = note.topics_without_judgments
    if topics:
        verb = "has" if len(topics) == 1 else "have"
        hint = f"; {note.topics_hint}" if note.topics_hint else ""
        yield f"{counted(len(topics), 'topic')} {verb} no judgments (ignored{hint}): ", topics


def _runs(runs: Sequence[str]) -> str:
    if len(runs) == 1:
        return runs[0]
    others = "1 other" if len(runs) == 2 else f"{len(runs) - 1} others"
    return f"{runs[0]} and {others}"


def _some(topics: Sequence[str]) -> str:
    more = len(topics) - _TOPICS
    shown = " ".join(topics[:_TOPICS])
    return f"{shown} and {more} more" if more > 0 else shown


def notify(
    notes: Iterable[Notes],
    qrels: Qrels | SpanQrels,
    measures: Collection[Measure | CustomMeasure],
    *,
    missing: str | None,
    undefined: str | None,
) -> None:
    """Warns of findings, but not of those about options that the caller gave.

    A run of one topic under judgments of many is taken as intended.
    """
    judged = len(qrels)
    several = [
        note
        for note in notes
        if judged == 1 or judged - len(note.topics_missing) + len(note.topics_without_judgments) > 1
    ]
    named = {"duplicates", "lenient", "comments"}
    named |= {"missing"} if missing is not None else set()
    named |= {"undefined"} if undefined is not None else set()
    lines = of_all(
        several,
        qrels,
        measures,
        missing=missing or "zero",
        undefined=undefined or "zero",
        label="the judgments",
        named=named,
    )
    if lines:
        tell(lines)
