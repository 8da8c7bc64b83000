"""Reading battles from the files that judges write."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias, overload

from cranfield._base.errors import failure, tell
from cranfield._base.text import counted
from cranfield._core import battle_of
from cranfield._io.files import RemoteObject
from cranfield._io.small_files import Line, PathsLike, decoded, lines, paths
from cranfield._io.sources import name_of

Battle: TypeAlias = tuple[str, str, str | None]
OfTopic: TypeAlias = tuple[str, str, str | None, str]

COLUMNS = ("model_a", "model_b", "winner")
"""The columns of the arena's files."""


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


def _of_file(file: str | RemoteObject, by_topic: bool) -> Iterator[tuple[Any, ...] | str]:
    """The battles of a file, or why one does not count."""
    found = lines(file)
    for place, line in found:
        if line.lstrip().startswith(("{", "[")):
            record = decoded(place, line)
            yield battle_of(record, place, arena=False, by_topic=by_topic)
        else:
            for own, row in _rows(place, line, found):
                yield battle_of(row, own, arena=True, by_topic=by_topic)


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
