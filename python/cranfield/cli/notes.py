"""Notes on what evaluating passed over, short enough for any number of runs, and errors."""

from __future__ import annotations

import re
import sys

from cranfield.tables import counted, printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from cranfield._core import Notes, Qrels

_LINES = 10
_TOPICS = 10

_MISSING = {
    "zero": "scored 0",
    "skip": "left out of its means",
    "error": "an error",
}

_UNDEFINED = {
    "zero": "count 0",
    "skip": "are left out of means",
    "error": "are errors",
}


def say(text: str) -> None:
    """Writes a line to standard error."""
    print(f"cranfield: {printable(text)}", file=sys.stderr)


def fail(error: Exception) -> None:
    """Writes an error to standard error; those of measures have lines of their own."""
    text = str(error)
    if getattr(error, "kind", None) in ("measure", "parameter"):
        text = "\n".join(map(printable, text.split("\n")))
    else:
        text = printable(in_flags(text))
    print(f"cranfield: error: {text}", file=sys.stderr)


def in_flags(text: str) -> str:
    """An error with its advice in flags: ``duplicates="first"`` is ``--duplicates first``.

    What stands in backquotes is from a file and stays as it is.
    """
    parts = text.split("`")
    parts[::2] = [_KEYWORD.sub(_flag, part) for part in parts[::2]]
    return "`".join(parts)


# The parameters of a measure stand behind a bracket or a comma.
_KEYWORD = re.compile(r'(?<![(,\w])([a-z]+(?:_[a-z]+)*)=(?:"(\w+)"|True\b)')


def _flag(keyword: re.Match[str]) -> str:
    name, value = keyword[1].replace("_", "-"), keyword[2]
    return f"--{name}" if value is None else f"--{name} {value}"


def of_qrels(notes: Iterable[Notes], qrels: Qrels, undefined: str) -> Iterator[str]:
    """One line for each finding about the judgments."""
    topics = sorted({topic for note in notes for topic in note.topics_without_relevant})
    if topics:
        verb = "has" if len(topics) == 1 else "have"
        what = f"{counted(len(topics), 'topic')} {verb} no relevant document"
        yield f"{what} (undefined scores {_UNDEFINED[undefined]}): {_some(topics)}"
    if qrels.repaired:
        yield f"numbers that were repaired: {qrels.repaired}"


def of_runs(notes: Iterable[Notes], qrels: Qrels, missing: str) -> list[str]:
    """One line for each finding; runs with the same finding share a line."""
    findings: dict[tuple[str, Sequence[str]], list[str]] = {}
    for note in notes:
        for finding in _findings(note, len(qrels), missing):
            findings.setdefault(finding, []).append(note.run)
    found = [f"{_runs(runs)}: {text}{_some(topics)}" for (text, topics), runs in findings.items()]
    if len(found) > _LINES:
        hidden = len(found) - _LINES
        found[_LINES:] = [f"... and {hidden} more such notes; --format json has all"]
    return found


def _findings(note: Notes, judged: int, missing: str) -> Iterator[tuple[str, Sequence[str]]]:
    """What there is to say, and of which topics."""
    if len(note.topics_missing) == judged:
        yield "no topic in common with the qrels: are these the right qrels?", ()
    else:
        yield from _topics(note, missing)
    if note.duplicates:
        what = "documents that stand twice in a list, one line kept: "
        yield f"{what}{note.duplicates}", ()
    if note.repaired:
        yield f"numbers that were repaired: {note.repaired}", ()


def _topics(note: Notes, missing: str) -> Iterator[tuple[str, Sequence[str]]]:
    """The topics that only the judgments or only the run have."""
    topics = note.topics_missing
    if topics:
        verb = "is" if len(topics) == 1 else "are"
        what = f"{counted(len(topics), 'topic')} of the qrels {verb} missing"
        yield f"{what} ({_MISSING[missing]}): ", topics
    topics = note.topics_without_judgments
    if topics:
        verb = "has" if len(topics) == 1 else "have"
        yield f"{counted(len(topics), 'topic')} {verb} no judgments (ignored): ", topics


def _runs(runs: Sequence[str]) -> str:
    if len(runs) == 1:
        return runs[0]
    others = "1 other" if len(runs) == 2 else f"{len(runs) - 1} others"
    return f"{runs[0]} and {others}"


def _some(topics: Sequence[str]) -> str:
    more = len(topics) - _TOPICS
    shown = " ".join(topics[:_TOPICS])
    return f"{shown} and {more} more" if more > 0 else shown
