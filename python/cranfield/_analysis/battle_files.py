"""Reading battles from the files that judges write."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias, overload

from cranfield._analysis.answer_records import topic_of
from cranfield._base.errors import failure, tell
from cranfield._base.text import counted
from cranfield._io.files import RemoteObject
from cranfield._io.small_files import Line, PathsLike, decoded, lines, paths
from cranfield._io.sources import name_of

Battle: TypeAlias = tuple[str, str, str | None]
OfTopic: TypeAlias = tuple[str, str, str | None, str]

TIES = ("Tie", "Both Good", "Both Bad", "Tie (Both Bad)")
"""The verdicts of RAGDoll that are ties, in any of its versions."""

VERDICTS = ("A", "B", *TIES)
"""Every verdict of RAGDoll."""

WINNERS = {
    "model_a": 0,
    "model_b": 1,
    "a": 0,
    "b": 1,
    "tie": None,
    "tie (bothbad)": None,
    "tie (both bad)": None,
    "both_bad": None,
    "bothbad": None,
}
"""The words for winners in the arena's files, and which of the two is meant."""

COLUMNS = ("model_a", "model_b", "winner")
"""The columns of the arena's files."""

COMPLETED = "completed"
"""The status of a battle that counts."""


@overload
def read(path: PathsLike, *, by_topic: Literal[False] = False) -> list[Battle]: ...
@overload
def read(path: PathsLike, *, by_topic: Literal[True]) -> list[OfTopic]: ...
@overload
def read(path: PathsLike, *, by_topic: bool) -> list[Battle] | list[OfTopic]: ...
def read(path: PathsLike, *, by_topic: bool = False) -> list[Battle] | list[OfTopic]:
    """Reads battles from files.

    Parameters
    ----------
    path
        A file, a pattern, a folder, an address, ``-`` for standard input, or a list of these;
        compressed (.gz, .zst, .bz2, .xz) or not. JSON Lines as RAGDoll writes them: ``pair`` with
        two runs, ``preferred_run_id``, ``judge_verdict`` (``A``, ``B``, ``Tie``, ``Both Good``,
        ``Both Bad``, ``Tie (Both Bad)``) and ``status``; or as arenas write them: ``model_a``,
        ``model_b`` and ``winner`` (``model_a``, ``model_b``, ``tie``, ``both_bad``), in JSON
        Lines, CSV or TSV.
    by_topic
        Whether each battle has its topic as a fourth entry, for ``bradley_terry``. Files call it
        ``qid``, ``topic_id``, ``narrative_id``, ``query_id``, ``request_id`` or ``question_id``.

    Returns
    -------
    list
        A tuple (a, b, winner), or (a, b, winner, topic), for each battle; the winner of a tie is
        None. Battles whose status is not ``completed``, and those in which nobody was preferred
        and that are no tie, are left out with a ``CranfieldWarning``.

    Raises
    ------
    Error
        With file, line and key: kind "fields" for what is no such object, "option" for an
        unknown word, "duplicate" for a run against itself; "missing", "io" for what cannot be
        read; "empty" for files without battles.

    """
    battles: list[Any] = []
    left: dict[str, int] = {}
    files = paths(path)
    for file in files:
        for found in _of_file(file, by_topic):
            if isinstance(found, str):
                left[found] = left.get(found, 0) + 1
            else:
                battles.append(found)
    if left:
        number = sum(left.values())
        why = ", ".join(f"{count} {reason}" for reason, count in left.items())
        whole = counted(len(battles) + number, "battle")
        tell([f"{number} of {whole} left out: {why}"])
    elif not battles:
        raise failure("empty", "expected battles, found none", file=", ".join(map(name_of, files)))
    return battles


def _of_file(file: str | RemoteObject, by_topic: bool) -> Iterator[Battle | OfTopic | str]:
    """The battles of a file, or why one does not count."""
    found = lines(file)
    for place, line in found:
        if line.lstrip().startswith(("{", "[")):
            record = decoded(place, line)
            yield _with_topic(_of_object(record, place), record, place, by_topic)
        else:
            for own, row in _rows(place, line, found):
                yield _with_topic(_of_arena(row, own), row, own, by_topic)


def _rows(
    place: Line, line: str, rest: Iterator[tuple[Line, str]]
) -> Iterator[tuple[Line, dict[str, Any]]]:
    """The rows of CSV or TSV, each with the line that it ends in; a field may have several."""
    last = place

    def texts() -> Iterator[str]:
        nonlocal last
        yield line
        for own, text in rest:
            last = own
            yield text

    rows = csv.reader(texts(), delimiter="\t" if "\t" in line else ",")
    header: list[str] = []
    try:
        for fields in rows:
            row = [field.strip() for field in fields]
            if not header:
                header = row
                for column in COLUMNS:
                    if column not in header:
                        raise last.missing([column], dict.fromkeys(header))
            elif len(row) != len(header):
                message = f"expected {len(header)} fields, found {len(row)}"
                raise last.error("fields", message)
            else:
                yield last, dict(zip(header, row, strict=True))
    except csv.Error as error:
        raise last.error("fields", f"expected rows of fields: {error}") from None


def _with_topic(
    found: Battle | str, record: dict[str, Any], place: Line, by_topic: bool
) -> Battle | OfTopic | str:
    if not by_topic or isinstance(found, str):
        return found
    return *found, sys.intern(topic_of(record, place))


def _of_object(record: dict[str, Any], place: Line) -> Battle | str:
    if "pair" not in record and "model_a" in record:
        return _of_arena(record, place)
    if "pair" not in record:
        raise place.missing(["pair", "model_a"], record)
    status = record.get("status", COMPLETED)
    if status != COMPLETED:
        if not isinstance(status, str):
            raise place.wrong("status", "text", status)
        return "not completed"
    pair = record["pair"]
    if not isinstance(pair, list) or len(pair) != 2:
        raise place.wrong("pair", "two runs", pair)
    a, b = (_run(run, f"pair[{k}]", place) for k, run in enumerate(pair))
    verdict, preferred = record.get("judge_verdict"), record.get("preferred_run_id")
    if verdict is None and "judge_verdict" not in record and "preferred_run_id" not in record:
        raise place.missing(["judge_verdict", "preferred_run_id"], record)
    if verdict is not None and verdict not in VERDICTS:
        raise place.unknown("judge_verdict", VERDICTS, verdict)
    if preferred is not None:
        preferred = _run(preferred, "preferred_run_id", place)
    _apart(a, b, place)
    if verdict in TIES:
        if preferred in (a, b):
            message = f"judge_verdict is {verdict!r}, and preferred_run_id is {preferred!r}"
            raise place.error("fields", f"{message}: which of them holds?")
        return a, b, None
    return (a, b, preferred) if preferred in (a, b) else "without a preference"


def _of_arena(record: dict[str, Any], place: Line) -> Battle | str:
    for key in COLUMNS:
        if key not in record:
            raise place.missing([key], record)
    a, b = (_run(record[key], key, place) for key in COLUMNS[:2])
    _apart(a, b, place)
    winner = record["winner"]
    if not isinstance(winner, str) or winner.lower() not in WINNERS:
        raise place.unknown("winner", WINNERS, winner)
    side = WINNERS[winner.lower()]
    return a, b, None if side is None else (a, b)[side]


def _apart(a: str, b: str, place: Line) -> None:
    if a == b:
        raise place.error("duplicate", f"expected two runs, found {a!r} on both sides")


def _run(value: object, key: str, place: Line) -> str:
    if isinstance(value, str) and value:
        return sys.intern(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return sys.intern(str(value))
    raise place.wrong(key, "a run as text", value)
