"""``parse_run`` and ``parse_qrel`` of pytrec_eval: lines to dicts of dicts."""

from __future__ import annotations

import io
from collections import defaultdict
from itertools import islice

from cranfield._core import parse_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

_LINES = 4096
"""How many lines are taken at a time from what is neither a file nor a list."""

_CHARACTERS = 1 << 16
"""How many characters are taken at a time from a file: few enough to stay in the caches."""


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read a run from its lines.

    Parameters
    ----------
    f_run
        Lines of six columns: topic, ``Q0``, document, rank, score, tag.

    Returns
    -------
    The scores: ``{topic: {document: score}}``, a ``defaultdict``.

    Raises
    ------
    AssertionError
        A topic has a document twice.
    ValueError
        A line has another number of columns, or a score is not a number.

    """
    return _parsed(f_run, judgments=False)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Read judgments from their lines.

    Parameters
    ----------
    f_qrel
        Lines of four columns: topic, ``0``, document, grade.

    Returns
    -------
    The grades: ``{topic: {document: grade}}``, a ``defaultdict``.

    Raises
    ------
    AssertionError
        A topic has a document twice.
    ValueError
        A line has another number of columns, or a grade is not a whole number.

    """
    return _parsed(f_qrel, judgments=True)


def _parsed(lines: Iterable[str], *, judgments: bool) -> defaultdict[str, dict[str, Any]]:
    """The table of all lines: in the core, or in Python from a line on that is not plain."""
    in_python = _judgment_lines if judgments else _run_lines
    table: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    first = 1
    for part in _parts(lines):
        count, whole = parse_lines(part, table, judgments)
        first += count
        if not whole:
            # A file opened with newline="" has lines that end in a carriage return, too.
            ends = "" if getattr(lines, "newlines", None) else "\n"
            rest = part if isinstance(part, list) else list(io.StringIO(part, newline=ends))
            in_python(rest[count:], table, first)
            first += len(rest) - count
    return table


def _parts(lines: Iterable[str]) -> Iterator[str | list[str]]:
    """The lines in lists, or several in a text."""
    if type(lines) in (io.TextIOWrapper, io.StringIO):
        while text := lines.read(_CHARACTERS):  # type: ignore[attr-defined]
            yield text if text.endswith("\n") else text + lines.readline()  # type: ignore[attr-defined]
    elif type(lines) is list:
        yield lines
    else:
        source = iter(lines)
        while part := list(islice(source, _LINES)):
            yield part


def _run_lines(lines: Iterable[str], run: defaultdict[str, dict[str, Any]], first: int) -> None:
    for number, line in enumerate(lines, first):
        fields = line.split()
        if len(fields) != 6:
            raise _wrong_line(number, "six columns: topic Q0 document rank score tag", line)
        topic, _, document, _, score, _ = fields
        scores = run[topic]
        if document in scores:
            raise _second(number, topic, document)
        try:
            scores[document] = float(score)
        except ValueError:
            raise _wrong_line(number, f"a score in column 5, found {score!r}", line) from None


def _judgment_lines(
    lines: Iterable[str], qrel: defaultdict[str, dict[str, Any]], first: int
) -> None:
    for number, line in enumerate(lines, first):
        fields = line.split()
        if len(fields) != 4:
            raise _wrong_line(number, "four columns: topic 0 document grade", line)
        topic, _, document, grade = fields
        grades = qrel[topic]
        if document in grades:
            raise _second(number, topic, document)
        try:
            grades[document] = int(grade)
        except ValueError:
            raise _wrong_line(
                number, f"a whole number in column 4, found {grade!r}", line
            ) from None


def _wrong_line(number: int, expected: str, line: str) -> ValueError:
    return ValueError(f"line {number}: expected {expected}, in {line.rstrip()!r}")


def _second(number: int, topic: str, document: str) -> AssertionError:
    return AssertionError(
        f"line {number}: expected each document once, found {document!r} of topic {topic!r} again"
    )
