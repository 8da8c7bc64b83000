"""CSV, TSV, JSON and JSON Lines as columns of rows."""

from __future__ import annotations

import io
import json
import math

from cranfield._base.errors import failure, moved, short
from cranfield._core import Error, Limits
from cranfield._io import unpacking
from cranfield._io.columns import COLUMNS, RESULTS, place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, BinaryIO, NoReturn

ROWS = 1 << 16
"""How many rows are read at a time."""

KINDS = ("topic", "doc", "score", "rank", "grade", "run")


class Rows:
    """Rows as columns: of each kind a list, empty for a kind that the file lacks."""

    __slots__ = (*KINDS, "lines")

    def __init__(self) -> None:
        self.topic: list[Any] = []
        self.doc: list[Any] = []
        self.score: list[Any] = []
        self.rank: list[Any] = []
        self.grade: list[Any] = []
        self.run: list[Any] = []
        self.lines: list[int] = []

    def __len__(self) -> int:
        return len(self.topic)

    def cut(self, start: int, end: int | None = None) -> Rows:
        """Some of the rows."""
        found = Rows()
        for kind in (*KINDS, "lines"):
            setattr(found, kind, getattr(self, kind)[start:end])
        return found

    def add(self, more: Rows) -> None:
        """Adds rows at the end."""
        for kind in (*KINDS, "lines"):
            getattr(self, kind).extend(getattr(more, kind))

    def of_run(self, name: str) -> Rows:
        """The rows of one run."""
        found = Rows()
        chosen = [place for place, run in enumerate(self.run) if str(run) == name]
        for kind in (*KINDS, "lines"):
            values = getattr(self, kind)
            setattr(found, kind, [values[place] for place in chosen] if values else [])
        return found


def whole_topics(parts: Iterable[Rows]) -> Iterator[Rows]:
    """Rows of whole topics, if the rows of each topic stand together."""
    held = Rows()
    for part in parts:
        if not len(part):
            continue
        last = str(part.topic[-1])
        start = len(part)
        while start and str(part.topic[start - 1]) == last:
            start -= 1
        if start:
            held.add(part.cut(0, start))
        if start or (len(held) and str(held.topic[-1]) != last):
            if len(held):
                yield held
            held = Rows()
        held.add(part.cut(start))
    if len(held):
        yield held


def of_text(
    stream: BinaryIO,
    name: str,
    separator: str,
    given: Mapping[str, str],
    *,
    what: str,
    limits: Limits | None = None,
) -> Iterator[Rows]:
    """The rows of CSV or TSV with a header; ``what`` is "score" or "grade".

    Spaces around a field are no part of it.
    """
    import csv

    text = io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="")
    lines = _Lines(text, name, limits)
    reader = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=True)
    try:
        header = [field.strip() for field in next(reader, [])]
        places = wanted_places(header, given, what, name)
        width = len(header)
        rows = Rows()
        for fields in reader:
            if not fields:
                continue
            if len(fields) != width:
                message = f"expected {width} fields as in the header, found {len(fields)}"
                raise failure("fields", message, file=name, line=reader.line_num)
            for kind, place in places.items():
                getattr(rows, kind).append(fields[place])
            if not (rows.topic[-1] and rows.doc[-1]):
                message = "expected a topic and a document in each row, found an empty field"
                raise failure("fields", message, file=name, line=reader.line_num)
            rows.lines.append(reader.line_num)
            if len(rows) == ROWS:
                yield _numbered(_stripped(rows, name, quoted=lines.quoted), name)
                rows = Rows()
        yield _numbered(_stripped(rows, name, quoted=lines.quoted), name)
    except csv.Error as error:
        raise failure(
            "fields", f"expected CSV: {error}", file=name, line=reader.line_num
        ) from error


class _Lines:
    """The lines of a text, each with its end, and whether any had a quotation mark.

    Raises ``Error`` for one that is too long.
    """

    def __init__(self, text: io.TextIOWrapper, name: str, limits: Limits | None) -> None:
        self._text, self._name = text, name
        self._longest = (limits or Limits()).line_bytes
        self.quoted = False

    def __iter__(self) -> Iterator[str]:
        number = 0
        while line := self._text.readline(self._longest + 2):
            number += 1
            if len(line) > self._longest and line[-1] not in "\r\n":
                raise unpacking.too_long(self._name, number, self._longest, can_be_set=True)
            self.quoted = self.quoted or '"' in line
            yield line


_SPACES = " \t"


def _stripped(rows: Rows, name: str, *, quoted: bool) -> Rows:
    """The rows without spaces around labels.

    What was within quotation marks cannot be told from what was not, so spaces there are
    refused.
    """
    for kind in ("topic", "doc", "run"):
        column: list[str] = getattr(rows, kind)
        plain = [text.strip(_SPACES) for text in column]
        if plain == column:
            continue
        place = next(i for i, text in enumerate(column) if text != plain[i])
        if quoted or not plain[place]:
            message = (
                f"expected a {kind} without spaces around it, found {short(repr(column[place]))}"
            )
            raise failure("fields", message, file=name, line=rows.lines[place])
        setattr(rows, kind, plain)
    return rows


def wanted_places(
    names: list[str], given: Mapping[str, str], what: str, name: str
) -> dict[str, int]:
    """The places of the columns that are wanted; raises as ``check_columns``."""
    places = {}
    for kind in wanted(what):
        if (place := place_of(names, kind, given)) is not None:
            places[kind] = place
    check_columns(places, names, given, what, name)
    return places


def wanted(what: str) -> tuple[str, ...]:
    """The kinds of columns that judgments ("grade") or runs ("score") have."""
    return (
        ("topic", "doc", "grade") if what == "grade" else ("topic", "doc", "score", "rank", "run")
    )


def check_columns(
    found: Mapping[str, object],
    names: Iterable[str],
    given: Mapping[str, str],
    what: str,
    file: str,
) -> None:
    """Raises ``Error`` (kind "fields") for a column that is not there.

    A column that was named need not be in judgments: the option is about the runs too.
    """
    names = list(names)
    for kind, column in given.items():
        if column not in names and kind in wanted(what) and what != "grade":
            shown = ", ".join(map(short, names[:20])) or "none"
            raise failure("fields", f"expected a column {column}, found {shown}", file=file)
    value = what in found or (what == "score" and "rank" in found)
    if "topic" in found and "doc" in found and value:
        return
    missing = [kind for kind in ("topic", "doc") if kind not in found]
    if not value:
        missing.append("score or rank" if what == "score" else what)
    shown = ", ".join(map(short, names[:20])) or "none"
    known = [kind for kind in (*missing, "score") if kind in COLUMNS and kind not in found]
    advice = "name it with columns={...}; known names are " + "; ".join(
        f"{kind}: {' '.join(COLUMNS[kind])}" for kind in dict.fromkeys(known)
    )
    message = f"expected columns for {', '.join(missing)}, found {shown}; "
    raise failure(
        "fields",
        message + advice,
        file=file,
        command_line=message + advice.replace("columns={...}", "--columns"),
    )


def _numbered(rows: Rows, name: str) -> Rows:
    """The rows with numbers for the text of numbers."""
    for kind in ("score", "rank", "grade"):
        texts = getattr(rows, kind)
        try:
            values = list(map(float, texts))
            if any("_" in text for text in texts):
                raise ValueError
        except ValueError:
            _refuse(texts, kind, rows.lines, name)
        setattr(rows, kind, values)
    return rows


def _refuse(texts: list[str], kind: str, lines: list[int], name: str) -> NoReturn:
    for text, line in zip(texts, lines, strict=True):
        try:
            if "_" in text:
                raise ValueError
            float(text)
        except ValueError:
            message = f"expected a number as {kind}, found {short(repr(text))}"
            raise failure("number", message, file=name, line=line) from None
    raise AssertionError(texts)


def of_lines(
    stream: BinaryIO,
    name: str,
    given: Mapping[str, str],
    *,
    what: str,
    limits: Limits | None = None,
) -> Iterator[Rows]:
    """The rows of JSON Lines: an object a line, of a document or of a topic."""
    objects = _Objects(given, what, name)
    for number, line in enumerate(unpacking.lines(stream, name, limits), 1):
        if not line.strip():
            continue
        record = _value(line, name, number)
        if not isinstance(record, dict):
            message = f"expected an object on each line, found {short(repr(record))}"
            raise failure("fields", message, file=name, line=number)
        objects.line = number
        objects.add(record)
        if len(objects.rows) >= ROWS:
            yield objects.rows
            objects.rows = Rows()
    yield objects.rows


def of_document(data: bytes, name: str, given: Mapping[str, str], *, what: str) -> Iterator[Rows]:
    """The rows of one document of JSON.

    {topic: {doc: score}}, {run: {topic: {doc: score}}}, a list of objects, {topic: [hit,
    ...]}, or one object with the results of a topic.
    """
    content = _value(data, name, None)
    objects = _Objects(given, what, name)
    if isinstance(content, list):
        for record in content:
            if not isinstance(record, dict):
                message = f"expected a list of objects, found {short(repr(record))}"
                raise failure("fields", message, file=name)
            objects.add(record)
    elif isinstance(content, dict):
        if _is_record(content, given):
            objects.add(content)
        elif what == "score" and _is_deep(content):
            for run, topics in content.items():
                objects.add_topics(topics, run)
        else:
            objects.add_topics(content, None)
    else:
        message = f"expected an object or a list, found {short(repr(content))}"
        raise failure("fields", message, file=name)
    yield objects.rows


def _is_deep(content: Mapping[str, Any]) -> bool:
    """Whether a dict is {run: {topic: {doc: score}}}."""
    for topics in content.values():
        if not isinstance(topics, dict):
            return False
        for hits in topics.values():
            return isinstance(hits, (dict, list))
    return False


def _is_record(record: Mapping[str, Any], given: Mapping[str, str]) -> bool:
    names = list(record)
    topic = place_of(names, "topic", given)
    return topic is not None and not isinstance(record[names[topic]], (dict, list))


class _Objects:
    """The rows of objects of JSON, those of a line or of a whole document.

    Parameters
    ----------
    given
        {kind: column} of those with other than the usual names.
    what
        The value of a document, "score" or "grade".
    name
        What errors call the file.

    """

    def __init__(self, given: Mapping[str, str], what: str, name: str) -> None:
        self.rows = Rows()
        self.line: int | None = None
        """The line of the object that is added, if an object is a line."""
        self._given = given
        self._what = what
        self._name = name

    def _wrong(self, message: str) -> Error:
        return failure("fields", message, file=self._name, line=self.line)

    def add_topics(self, topics: Any, run: str | None) -> None:
        """Adds {topic: {doc: value}} or {topic: [hit, ...]}."""
        if not isinstance(topics, dict):
            found = short(repr(topics))
            raise self._wrong(f"expected {{topic: ...}} for run {short(repr(run))}, found {found}")
        for topic, hits in topics.items():
            if isinstance(hits, dict):
                for doc, value in hits.items():
                    self._append(topic, doc, self._what, value, run)
            elif isinstance(hits, list):
                self._add_hits(topic, hits, run)
            else:
                raise self._wrong(
                    f"expected {{document: {self._what}}} or a list of hits for topic "
                    f"{short(repr(topic))}, found {short(repr(hits))}"
                )

    def add(self, record: Mapping[str, Any]) -> None:
        """Adds an object: a document of a topic, or a topic with its results."""
        names = list(record)
        results = next((key for key in RESULTS if isinstance(record.get(key), (list, dict))), None)
        topic = place_of(names, "topic", self._given)
        if results is None:
            self._add_hit(None, record, None)
            return
        if topic is None:
            there = ", ".join(map(short, names[:20]))
            raise self._wrong(f"expected a topic beside {results}, found {there}")
        place = place_of(names, "run", self._given)
        run = None if place is None else record[names[place]]
        found = record[results]
        if isinstance(found, dict):
            for doc, value in found.items():
                self._append(record[names[topic]], doc, self._what, value, run)
        else:
            self._add_hits(record[names[topic]], found, run)

    def _add_hits(self, topic: Any, hits: list[Any], run: Any) -> None:
        """Adds the hits of a topic: objects, pairs, or documents in the order of their ranks."""
        what = self._what
        for position, hit in enumerate(hits, 1):
            if isinstance(hit, dict):
                self._add_hit(topic, hit, run)
            elif isinstance(hit, list) and len(hit) == 2:
                self._append(topic, hit[0], what, hit[1], run)
            elif isinstance(hit, (str, int)) and not isinstance(hit, bool) and what == "score":
                self._append(topic, hit, "rank", position, run)
            else:
                raise self._wrong(
                    f"expected hits as objects, as [document, {what}] or as documents for topic "
                    f"{short(repr(topic))}, found {short(repr(hit))}"
                )

    def _add_hit(self, topic: Any, hit: Mapping[str, Any], run: Any) -> None:
        names = list(hit)
        what = self._what
        found: dict[str, Any] = {"topic": topic} if topic is not None else {}
        for kind in wanted(what):
            place = place_of(names, kind, self._given) if kind not in found else None
            if place is not None:
                found[kind] = hit[names[place]]
        if topic is not None and "doc" not in found and isinstance(hit.get("id"), (str, int)):
            found["doc"] = hit["id"]
        if not {"topic", "doc"} <= found.keys() or not (
            what in found or (what == "score" and "rank" in found)
        ):
            try:
                check_columns(found, names, {}, what, self._name)
            except Error as error:
                raise moved(error, file=error.file, line=self.line) from None
        run = found.get("run", run)
        if "score" in found or what == "grade":
            self._append(found["topic"], found["doc"], what, found[what], run)
            if "rank" in found:
                self.rows.rank.append(found["rank"])
        else:
            self._append(found["topic"], found["doc"], "rank", found["rank"], run)

    def _append(self, topic: Any, doc: Any, kind: str, value: Any, run: Any) -> None:
        rows, line = self.rows, self.line
        if value is None or isinstance(value, bool):
            # JSON's null and booleans; a number in text is read as in CSV.
            written = {None: "null", True: "true", False: "false"}[value]
            raise _no_number("a number", kind, written, topic, doc, line)
        if isinstance(value, float) and not math.isfinite(value):
            written = "NaN" if math.isnan(value) else "-Infinity" if value < 0 else "Infinity"
            raise _no_number("a finite number", kind, written, topic, doc, line)
        for label, found in (("topic", topic), ("document", doc)):
            if found == "":
                message = "expected a topic and a document for each score, found an empty text"
                raise failure("fields", message, line=line)
            if not isinstance(found, (str, int)) or isinstance(found, bool):
                written = short(json.dumps(found))
                message = f"expected text or a whole number as {label}, found {written}"
                raise failure("type", message, line=line)
        rows.topic.append(topic)
        rows.doc.append(doc)
        getattr(rows, kind).append(value)
        if run is not None:
            rows.run.append(run)
        rows.lines.append(line or 0)


def _no_number(
    expected: str, kind: str, found: str, topic: Any, doc: Any, line: int | None
) -> Error:
    """The error for what JSON has where a number is expected."""
    message = f"expected {expected} as {kind}, found {found}"
    where = f"document {short(repr(doc))} of topic {short(repr(topic))}"
    return failure("number", f"{message} for {where}", line=line)


def _value(data: bytes, name: str, line: int | None) -> Any:
    """What JSON stands for; a key twice in one object is an error."""
    try:
        return unpacking.parsed(data.decode("utf-8-sig"), name, line, unique_keys=True)
    except unpacking.RepeatedKeyError as error:
        message = f"expected a key once in an object, found {short(repr(error.key))} again"
        raise failure("duplicate", message, file=name, line=line) from None
    except json.JSONDecodeError as error:
        number = error.lineno if line is None else line
        message = f"expected JSON, found an error in column {error.colno}: {error.msg}"
        raise failure("fields", message, file=name, line=number) from error
    except UnicodeDecodeError as error:
        raise failure("binary", "expected JSON in UTF-8", file=name, line=line) from error
