"""Rows that have the gold documents of a query and what was found, as logs of RAG: both sides."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from cranfield._base.errors import failure, moved, shown, tell
from cranfield._base.options import checked
from cranfield._base.text import readable
from cranfield._core import COLUMN_NAMES, Error, Qrels, Run, in_order
from cranfield._io import sources, unpacking
from cranfield._io.columns import DOCUMENT_ID, TOPIC_ID, is_table, plain_name, way_for_lists
from cranfield._io.detection import beginning
from cranfield._io.small_files import Line, decoded, lines
from cranfield._io.sources import STDIN, UNNAMED, name_of, run_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, overload

    from cranfield._core import Limits
    from cranfield._io.small_files import FileLike
    from cranfield._io.sources import File

GOLD = (
    *("relevant", "relevant_ids", "relevant_docs", "expected", "expected_ids", "gold", "gold_ids"),
    *("ground_truth", "ground_truth_ids", "retrieval_gt", "reference_ids"),
    *("reference_context_ids", "reference_contexts", "positives"),
)
"""What rows call the documents that should be found."""

FOUND = (
    *("retrieved", "retrieved_ids", "retrieved_context_ids", "retrieved_contexts"),
    *("retrieval_context", "contexts", "context_ids", "predictions"),
    *("results", "hits", "docs", "documents", "ranking"),
)
"""What rows call the documents that were found."""

TOPIC = (*TOPIC_ID, "topic", "id", "_id")
"""What rows call the id of a query; its text is none."""

_IDS = (*DOCUMENT_ID, "id", "_id")
_TEXTS = ("page_content", "content", "text")
"""What an object with a document calls it: its id, or else its text."""

_LONGEST_ID = 200

if TYPE_CHECKING:

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
    name, placed = _rows(source, limits)
    table = _Rows(gold, named, topic)
    for place, record in placed:
        table.add(place, record)
    qrels, runs = table.finish(name)
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
        before = f"row {self.number}: " if self.number else ""
        message, flags = (before + text for text in (message, command_line or message))
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
    return name_of(file), _of_file(file, limits)


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
            yield from ((_Row(line.file, at), row) for at, row in enumerate(_list(line, whole), 1))
            return
        if start != "{":
            message = f"expected rows as JSON Lines or as one JSON list, found {shown(text[:60])}"
            raise line.error("fields", message)
        yield line, decoded(line, text)


def _list(line: Line, text: str) -> list[Any]:
    """The rows of one document of JSON."""
    try:
        found: list[Any] = unpacking.parsed(text, line.file, unique_keys=True)
    except unpacking.RepeatedKeyError as error:
        raise line.error("duplicate", f"the key {shown(error.key)} is there twice") from None
    except ValueError as error:
        if isinstance(error, Error):
            raise
        raise line.error("fields", f"expected one JSON list of objects: {error}") from None
    return found


class _Rows:
    """Rows that are read so far, by topic."""

    def __init__(self, gold: str | None, found: Sequence[str] | None, topic: str | None) -> None:
        self._named = {"gold": None if gold is None else [gold], "found": found}
        self._topic = topic
        self._is_numbered: bool | None = None
        self._keys: dict[str, tuple[str, Line]] = {}
        self._places: dict[Any, Line] = {}
        self._gold: dict[Any, Any] = {}
        self._runs: dict[str, dict[Any, Any]] = {}
        self._texts: dict[str, None] = {}
        self._kinds: dict[str, tuple[bool, Line]] = {}
        self._known: dict[tuple[str, ...], list[str]] = {}
        self._first: list[str] = []

    def add(self, place: Line, record: Any) -> None:
        """Adds a row."""
        if not isinstance(record, Mapping):
            way = way_for_lists(record)
            raise place.error("fields", f"expected an object, found {shown(record)}{way}")
        self._first = self._first or list(_all_keys(record))
        topic = self._topic_of(place, record)
        earlier = self._places.setdefault(topic, place)
        if earlier is not place:
            message = f"expected each topic in one row, found {shown(topic)} again"
            raise place.error("duplicate", f"{message}; it is that of {_where(earlier)}")
        for key in self._keys_of("gold", GOLD, place, record):
            if (value := _value(record, key)) is not None:
                self._gold[topic] = self._documents(place, "gold", key, value)
        for key in self._keys_of("found", FOUND, place, record):
            run = self._runs.setdefault(key, {})
            if (value := _value(record, key)) is not None:
                run[topic] = self._documents(place, "found", key, value)

    def _topic_of(self, place: Line, record: Mapping[str, Any]) -> Any:
        """The topic of a row; its number if rows do not name any."""
        if self._topic is None and self._is_numbered is None:
            there = {plain_name(str(key)): key for key in record}
            names = (there[name] for name in TOPIC if name in there)
            self._topic = next((key for key in names if record[key] is not None), None)
            self._is_numbered = self._topic is None
        if self._topic is None:
            return str(place.number)
        topic = _value(record, self._topic)
        if topic is None or topic == "":
            message = f"expected a topic under {self._topic}, found {shown(topic)}"
            raise place.error("fields", message)
        return topic

    def _keys_of(
        self, what: str, known: Sequence[str], place: Line, record: Mapping[str, Any]
    ) -> Sequence[str]:
        """The keys that are named, or the one that has a usual name."""
        if (named := self._named[what]) is not None:
            return named
        keys = (what, *record)
        if keys not in self._known:
            self._known[keys] = [key for key in record if plain_name(str(key)) in known]
        there = [key for key in self._known[keys] if _value(record, key) is not None]
        if len(there) > 1:
            # An answer may be called as its documents are.
            there = [key for key in there if not _is_text(record[key])] or there
        if len(there) > 1:
            found = f"found {' and '.join(there)}"
            raise _with_way(
                place, "duplicate", f"expected one key of {what} documents, {found}: name one", what
            )
        for key in there:
            first, line = self._keys.setdefault(what, (key, place))
            if first != key:
                message = f"expected {what} documents under {first} as in {_where(line)}"
                raise place.error("fields", f"{message}, found {key}")
        return there

    def _documents(self, place: Line, what: str, key: str, value: Any) -> Any:
        """The documents under a key: a list of ids, or {id: number}."""
        if not isinstance(value, list) and isinstance(value, Mapping):
            ids = self._ids(place, what, key, list(value))
            return dict(zip(ids, value.values(), strict=True))
        if _is_text(value):
            message = f"expected a list of documents as {key}, found the text {shown(value)}"
            raise _with_way(place, "fields", f"{message}: name the key of the documents", what)
        if isinstance(value, (str, int)):
            return self._ids(place, what, key, [value])
        if not isinstance(value, Iterable):
            raise place.wrong(key, "a list of documents", value)
        items = list(value)
        if what == "gold" and not all(isinstance(item, (str, int)) for item in items):
            grades = [_grade(item) for item in items]
            if any(grade is not None for grade in grades):
                return self._graded(place, key, items, grades)
            if any(isinstance(item, (list, tuple)) for item in items):
                lists = [item if isinstance(item, (list, tuple)) else [item] for item in items]
                return [self._ids(place, what, key, list(one)) for one in lists]
        return self._ids(place, what, key, items)

    def _graded(self, place: Line, key: str, items: list[Any], grades: list[Any]) -> Any:
        found: dict[Any, Any] = {}
        for item, grade in zip(items, grades, strict=True):
            (document,) = self._ids(place, "gold", key, [item])
            if grade is None or document in found:
                why = "no grade, which others have" if grade is None else "two grades"
                raise place.error("fields", f"{key}: {shown(document)} has {why}")
            found[document] = grade
        return found

    def _ids(self, place: Line, what: str, key: str, items: list[Any]) -> list[Any]:
        """The ids of documents; an error where some are text and some are numbers."""
        texts = set(map(type, items)) <= {str}
        if texts and _are_plain("".join(items), items):
            mixed = items[:1]
        else:
            mixed = items = [self._id(place, key, item) for item in items]
        for item in mixed:
            is_text = isinstance(item, str)
            known, earlier = self._kinds.setdefault(what, (is_text, place))
            if known != is_text and isinstance(item, (str, int)):
                others = f"{'text' if known else 'numbers'} in {_where(earlier)}"
                expected = "ids that are all text or all whole numbers"
                message = f"{key}: expected {expected}, found {shown(item)}, and {others}"
                raise place.error("type", message)
        return items

    def _id(self, place: Line, key: str, item: Any) -> Any:
        """The id of a document, also of one that is an object or a text."""
        if isinstance(item, Mapping):
            there = {plain_name(str(name)): value for name, value in item.items()}
            names = [name for name in (*_IDS, *_TEXTS) if there.get(name) is not None]
            if not names:
                raise place.wrong(key, f"an object with one of {', '.join(_IDS)}", item)
            item = there[names[0]]
        if item is None or item == "" or isinstance(item, (list, tuple)):
            raise place.wrong(key, "documents", item)
        if not isinstance(item, str) or not (_is_text(item) or len(item) > _LONGEST_ID):
            return item
        self._texts[key] = None
        import hashlib

        data = item.encode("utf-8", "surrogatepass")
        return f"text-{hashlib.blake2b(data, digest_size=12).hexdigest()}"

    def finish(self, name: str | None) -> tuple[Qrels, list[Run]]:
        """Judgments and runs; raises ``Error`` if there are none."""
        if not self._places:
            raise failure("empty", "expected rows, found none", file=name)
        self._check("gold", GOLD, bool(self._gold), name)
        empty = next((key for key, run in self._runs.items() if not run), None)
        self._check("found", FOUND, bool(self._runs) and empty is None, name, empty)
        if self._texts:
            keys = ", ".join(self._texts)
            tell([f"documents are compared by their text ({keys}): equal texts are one document"])
        try:
            qrels = Qrels(self._gold)
            return qrels, [Run(run, name=readable(key)) for key, run in self._runs.items()]
        except Error as error:
            raise moved(error, file=name) from error

    def _check(
        self,
        what: str,
        known: Sequence[str],
        is_there: bool,
        name: str | None,
        key: str | None = None,
    ) -> None:
        """Raises ``Error`` (kind "fields") if no row has documents of a kind."""
        if is_there:
            return
        under = ", ".join([key] if key else self._named[what] or known)
        there = ", ".join(self._first)
        message = f"expected rows with {what} documents under {under}, found {there}: name the key"
        raise _with_way(_Row(name, 0), "fields", message, what)


def _with_way(place: Line, kind: str, message: str, what: str) -> Error:
    """An error that ends in the option that names a key."""
    in_python, flags = (f"{message} with {way}" for way in (f"{what}=", f"--{what}"))
    return place.error(kind, in_python, command_line=flags)


def _where(place: Line) -> str:
    return f"{'row' if isinstance(place, _Row) else 'line'} {place.number}"


def _all_keys(record: Mapping[str, Any]) -> Iterator[str]:
    """The keys of a row, with those of objects in it as they can be named."""
    for key, value in record.items():
        if isinstance(value, Mapping):
            yield from (f"{key}.{inner}" for inner in value)
        else:
            yield str(key)


def _value(record: Mapping[str, Any], key: str) -> Any:
    """What a row has under a key, or under a path of keys between dots; None for nothing."""
    value: Any = record
    for part in (key,) if key in record else key.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    # A frame has NaN where a row has nothing.
    return None if isinstance(value, float) and math.isnan(value) else value


def _is_text(value: object) -> bool:
    """Whether something is a text, which is no id: it has white space."""
    return isinstance(value, str) and value.split(None, 1) != [value] and value != ""


def _are_plain(joined: str, items: list[str]) -> bool:
    """Whether all of these can be ids as they are."""
    return (
        not _is_text(joined) and all(items) and len(max(items, key=len, default="")) <= _LONGEST_ID
    )


def _grade(item: object) -> Any:
    """The grade that an object has."""
    if not isinstance(item, dict):
        return None
    there = {plain_name(str(name)): value for name, value in item.items()}
    names = COLUMN_NAMES["grade"]
    return next((there[name] for name in names if there.get(name) is not None), None)
