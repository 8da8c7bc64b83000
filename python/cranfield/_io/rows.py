"""Rows that have the gold documents of a query and what was found, as logs of RAG: both sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, overload

from cranfield._base.errors import failure, moved, shown, tell
from cranfield._base.options import checked
from cranfield._base.text import readable
from cranfield._core import Error, Limits, Qrels, Run, in_order, is_table, paired_rows
from cranfield._io import sources
from cranfield._io.small_files import FileLike, Line, decoded, lines, parsed
from cranfield._io.sources import STDIN, UNNAMED, File, beginning, name_of, run_name


@overload
def read_rows(
    source: File | Iterable[Any],
    *,
    gold: str | None = None,
    found: str | None = None,
    topic: str | None = None,
    limits: Limits | None = None,
) -> tuple[Qrels, Run]: ...
@overload
def read_rows(
    source: File | Iterable[Any],
    *,
    gold: str | None = None,
    found: list[str],
    topic: str | None = None,
    limits: Limits | None = None,
) -> tuple[Qrels, list[Run]]: ...


@checked
def read_rows(
    source: File | Iterable[Any],
    *,
    gold: str | None = None,
    found: str | list[str] | None = None,
    topic: str | None = None,
    limits: Limits | None = None,
) -> tuple[Qrels, Run | list[Run]]:
    """Judgments and a run from rows with the gold documents of a query and what was found.

    Parameters
    ----------
    source
        A path, an address, ``"-"`` or an open file of JSON Lines, or of one JSON list of
        objects; or the rows themselves: dicts in a list, a data frame, a ``datasets.Dataset``.
    gold, found
        The keys of the gold documents and of those that were found, best first. Default:
        the one key that has a usual name. Dots lead into objects: ``"outputs.ids"``. A list of
        keys as ``found`` is a list of runs, each called by its key.
    topic
        The key of the topic. Default: the first usual name of an id that the first row has;
        without one, topics are the numbers of the lines, or of the rows.
    limits
        Limits on decompression and on the length of lines.

    Returns
    -------
    tuple of Qrels and Run
        With a list of runs if ``found`` is a list. A row without gold documents (no key, or
        null) has no judgments, one without found documents is not in the run; an empty list is
        a topic without relevant documents, or one for which nothing was found.

    Raises
    ------
    Error
        With file and line: kind "fields" for rows without these keys and for values of another
        kind, "duplicate" for a row with two keys of gold documents and for a topic that comes
        twice; and as reading other files does.

    """
    named = [found] if isinstance(found, str) else found
    if named is not None:
        if not isinstance(named, (list, tuple)) or not all(isinstance(key, str) for key in named):
            raise failure("type", f"expected a key, or a list of keys, as found: {shown(found)}")
        named = [readable(key) for key in named]
    name, placed = _rows(source, limits)
    rows = ((not isinstance(line, _Row), line.number or 0, row) for line, row in placed)
    judged, read, texts = paired_rows(rows, name, gold=gold, found=named, topic=topic)
    if texts:
        keys = ", ".join(texts)
        tell([f"documents are compared by their text ({keys}): equal texts are one document"])
    try:
        qrels = Qrels(judged)
        runs = [Run(run, name=readable(key)) for key, run in read]
    except Error as error:
        raise moved(error, file=name) from error
    if isinstance(found, list):
        return qrels, runs
    if name is None:
        return qrels, runs[0]
    named_after = UNNAMED if name.startswith("<") else run_name(name, of_table=True)
    return qrels, runs[0].rename(named_after)


def are_rows(path: str) -> bool:
    """Whether a file, or standard input, begins like rows, or is called as they are."""
    if path.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson", ".json")):
        return True
    head = beginning(sources.stdin() if path == STDIN else path)
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")


class _Row(Line):
    """A row that is no line of its own, for errors that name it."""

    def __init__(self, file: str | None, number: int) -> None:
        super().__init__(file or "", number)

    def error(self, kind: str, message: str, *, command_line: str | None = None) -> Error:
        """An error about the row."""
        message, flags = (
            f"row {self.number}: {text}" for text in (message, command_line or message)
        )
        return failure(kind, message, file=self.file or None, command_line=flags)


def _rows(source: Any, limits: Limits | None) -> tuple[str | None, Iterator[tuple[Line, Any]]]:
    """What errors call the rows, and each with its place."""
    if isinstance(source, (Mapping, Qrels, Run)):
        raise _no_rows(source)
    if is_table(source):
        source = _records(source)
    if isinstance(source, (list, tuple)) or not _is_file(source):
        listed = in_order(source, "rows")
        return None, ((_Row(None, number), row) for number, row in enumerate(listed, 1))
    file = sources.one_given(source, "read_rows", "rows")
    return readable(name_of(file)), _of_file(file, limits)


def _is_file(source: object) -> bool:
    return (
        isinstance(source, (str, bytes)) or hasattr(source, "__fspath__") or hasattr(source, "read")
    )


def _records(table: Any) -> Iterable[Any]:
    """The rows of a table of another library as dicts."""
    if hasattr(table, "iloc") and hasattr(table, "columns"):
        return list(table.to_dict("records"))
    for method in ("to_pylist", "to_dicts"):
        if hasattr(table, method):
            return list(getattr(table, method)())
    if not hasattr(table, "column_names"):
        raise _no_rows(table)
    return list(table)


def _no_rows(found: object) -> Error:
    kind = type(found).__name__
    return failure("type", f"expected rows: a path, or dicts in a list, found a {kind}")


def _of_file(file: FileLike, limits: Limits | None) -> Iterator[tuple[Line, Any]]:
    """The objects of JSON Lines, or of one list."""
    found = lines(file, limits, can_be_set=True)
    for line, text in found:
        start = text.lstrip()[:1]
        if start == "[":
            whole = text + "".join(rest for _, rest in found)
            listed = parsed(whole, line, "expected one JSON list of objects", is_line=False)
            yield from ((_Row(line.file, at), row) for at, row in enumerate(listed, 1))
            return
        if start != "{":
            message = f"expected rows as JSON Lines or as one JSON list, found {shown(text[:60])}"
            raise line.error("fields", message)
        yield line, decoded(line, text)
