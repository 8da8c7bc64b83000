"""Reading judgments and runs from files."""

from __future__ import annotations

import math
import os
from contextlib import contextmanager

from cranfield._base.errors import failure
from cranfield._base.options import checked
from cranfield._base.progress import Progress
from cranfield._base.text import printable
from cranfield._core import Error, Limits, Qrels, Run, Stop
from cranfield._io.accepted import as_runs, open_qrels, unreadable
from cranfield._io.addresses import is_address
from cranfield._io.parts import Parts
from cranfield._io.place import Place
from cranfield._io.sources import Source, binary, expanded, is_pattern, stream_name, whole
from cranfield._io.tables import Table
from cranfield._io.unpacking import unpacked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from cranfield._base.progress import ProgressLike
    from cranfield._io.accepted import File, RunsLike


@checked
def read_qrels(
    source: File,
    *,
    lenient: bool = False,
    limits: Limits | None = None,
    docs_in_collection: int | None = None,
    layout: str | None = None,
    levels: Mapping[str, float] | None = None,
    columns: Mapping[str, str] | None = None,
) -> Qrels:
    """Reads a file of judgments.

    TREC's four columns, the five of a stratified sample (topic, iteration,
    document, stratum, grade) or of one with probabilities (topic, document,
    grade, method, inclusion), NTCIR's three (topic, document, level such as
    L2) and BEIR's TSV are recognized by the first line; gzip, zstd, bzip2 and
    xz by content, and so are tables: CSV and TSV with a header, JSON, JSON
    Lines, Parquet, Arrow IPC.

    Parameters
    ----------
    source
        A path, ``"-"`` for standard input, or an open file, text or binary.
    lenient
        Read numbers as C's ``atof`` does instead of raising.
    limits
        Limits on decompression and on the length of lines.
    docs_in_collection
        How many documents the collection holds; a few measures need it.
    layout
        One of ``trec``, ``stratified``, ``inclusion``, ``intents``, ``beir``
        and ``ntcir``; if not given, the first line decides. Only
        ``intents`` has to be given always: the second of four columns is then
        the intent (subtopic) under which a document was judged, as in the web
        track's diversity task; the last one is a grade or a level such as L2.
        ``inclusion`` has to be given if documents are called by numbers and
        the first line has the probability 1, since it then looks like a stratum.
    levels
        What levels of other names than L0, L1 ... stand for, such as
        ``{"S": 3, "A": 2, "B": 1}`` for NTCIR's older judgments.
    columns
        The columns of a table that have other than the usual names, as for
        ``evaluate``.

    Raises
    ------
    Error
        With file, line and column: a missing or damaged file, a line that
        is not a judgment, two judgments that disagree; kind "option" for an
        unknown layout and for invalid levels.

    """
    return open_qrels(
        _one_file(source, "read_qrels", "qrels"),
        lenient=lenient,
        limits=limits,
        docs_in_collection=docs_in_collection,
        layout=layout,
        levels=levels,
        columns_of_tables=columns,
    )


def read_intents(source: File) -> tuple[dict[str, dict[str, float]], dict[str, list[str]]]:
    """Reads the probabilities of the intents of topics, as NTCIREVAL's files have it.

    A line is topic, intent and probability, and whether the intent is
    navigational (``nav``) or informational (``inf``, or nothing).

    Parameters
    ----------
    source
        A path or an open file, text or binary.

    Returns
    -------
    tuple
        What ``Qrels.with_weights`` and ``Qrels.with_navigational`` take.

    Raises
    ------
    Error
        With file and line: a line of another kind, a probability that is not
        a number of at least 0, an intent that comes twice.

    """
    weights: dict[str, dict[str, float]] = {}
    navigational: dict[str, list[str]] = {}
    name, lines = _lines(source, "read_intents", "intents")
    for number, line in lines:
        fields = _fields(line)
        if len(fields) not in (3, 4) or fields[3:] not in ([], [b"nav"], [b"inf"]):
            message = (
                f"expected topic, intent, probability and perhaps nav or inf, found {_shown(line)}"
            )
            raise failure("fields", message, file=name, line=number)
        probability = _finite(fields[2])
        if probability is None or probability < 0:
            message = f"expected a probability of at least 0, found {_shown(fields[2])}"
            raise failure("number", message, file=name, line=number)
        topic, intent = _enter(weights, fields, probability, name, number, "an intent")
        if fields[3:] == [b"nav"]:
            navigational.setdefault(topic, []).append(intent)
    _check_any(weights, "intents (topic intent probability)", name)
    return weights, navigational


def read_classes(source: File) -> dict[str, dict[str, float]]:
    """Reads the classes of equivalent documents, as NTCIREVAL's files have it.

    A line is topic, document, level (such as L2) and class, or topic, document
    and class. Fields are separated by spaces or tabs, or, if the first line
    has four of them, by semicolons. A class is a number; documents of one number
    are of one class. Levels are read and not used: the judgments have grades.

    Parameters
    ----------
    source
        A path or an open file, text or binary.

    Returns
    -------
    dict
        What ``Qrels.with_column("class", ...)`` takes.

    Raises
    ------
    Error
        With file and line: a line of another kind, a class below 0 or
        not finite, a document that comes twice.

    """
    name, lines = _lines(source, "read_classes", "classes")
    by_semicolon = False
    classes: dict[str, dict[str, float]] = {}
    for number, line in lines:
        if not classes and line.count(b";") == 3:
            by_semicolon = True
        split = line.split(b";") if by_semicolon else _fields(line)
        fields = [field.strip(_SPACES) for field in split]
        # NTCIREVAL's files of one topic have no topic: document, level, class.
        level = 2 if len(fields) == 4 else 1
        fits = len(fields) in (3, 4) and all(fields)
        if not fits or _is_level(fields[level]) != (len(fields) == 4):
            message = (
                "expected topic, document, perhaps a level such as L2, and class, "
                f"found {_shown(line)}"
            )
            raise failure("fields", message, file=name, line=number)
        value = _finite(fields[-1])
        if value is None or value < 0:
            message = f"expected a number of at least 0 as class, found {_shown(fields[-1])}"
            raise failure("number", message, file=name, line=number)
        _enter(classes, fields, value, name, number)
    _check_any(classes, "classes (topic document level class)", name)
    return classes


def read_costs(source: File) -> dict[str, dict[str, float]]:
    """Reads what documents cost to read: their lengths, or times.

    A line is topic, document and cost, separated by spaces or tabs.

    Parameters
    ----------
    source
        A path or an open file, text or binary.

    Returns
    -------
    dict
        What ``Qrels.with_column("cost", ...)`` takes.

    Raises
    ------
    Error
        With file and line: a line of another kind, a cost that is not above 0
        or not finite, a document that comes twice.

    """
    name, lines = _lines(source, "read_costs", "costs")
    costs: dict[str, dict[str, float]] = {}
    for number, line in lines:
        fields = _fields(line)
        if len(fields) != 3:
            message = f"expected topic, document and cost, found {_shown(line)}"
            raise failure("fields", message, file=name, line=number)
        value = _finite(fields[-1])
        if value is None or value <= 0:
            message = f"expected a number above 0 as cost, found {_shown(fields[-1])}"
            raise failure("number", message, file=name, line=number)
        _enter(costs, fields, value, name, number)
    _check_any(costs, "costs (topic document cost)", name)
    return costs


def _lines(source: File, function: str, what: str) -> tuple[str, Iterator[tuple[int, bytes]]]:
    """The name of a file in errors, and its lines of data with their numbers."""
    file = _one_file(source, function, what)
    if isinstance(file, str):
        name = file
        data = whole(file)
    else:
        name = stream_name(file) or "<stream>"
        with unpacked(binary(file), name, can_be_set=False) as stream:
            data = stream.read()
    lines = enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1)
    stripped = ((number, line.strip(_SPACES)) for number, line in lines)
    return name, ((number, line) for number, line in stripped if line and not _is_comment(line))


_SPACES = b" \t\r"
"""What separates fields, as in the core."""
_BLANKS = bytes(ord(" ") if byte in _SPACES else byte for byte in range(256))


def _fields(line: bytes) -> list[bytes]:
    return [field for field in line.translate(_BLANKS).split(b" ") if field]


def _is_comment(line: bytes) -> bool:
    """Whether a line is a comment, by the core's rule: a topic may begin with ``#``."""
    first, *rest = _fields(line)
    is_entry = line.count(b";") == 3 or (
        len(rest) in (2, 3) and any(_finite(field) is not None for field in rest[1:])
    )
    return first == b"#" or (first[:1] == b"#" and not is_entry)


def _check_any(values: Mapping[str, object], what: str, name: str) -> None:
    """Raises ``Error`` for a file without a line of data, as for judgments."""
    if not values:
        raise failure("empty", f"expected {what}, found no line of data", file=name)


def _is_level(field: bytes) -> bool:
    return field[:1] == b"L" and field[1:].isdigit()


def _finite(field: bytes) -> float | None:
    """A number as files write it; Python's own spellings are none."""
    try:
        value = math.nan if b"_" in field else float(field)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _enter(
    values: dict[str, dict[str, float]],
    fields: Sequence[bytes],
    value: float,
    name: str,
    number: int,
    what: str = "a document",
) -> tuple[str, str]:
    """Adds the number of a topic's document or intent, which has none yet. Returns both ids."""
    topic, key = (field.decode("utf-8", "surrogateescape") for field in fields[:2])
    of_topic = values.setdefault(topic, {})
    if key in of_topic:
        message = (
            f"expected {what} of a topic once, "
            f"found {_shown(fields[1])} of {_shown(fields[0])} again"
        )
        raise failure("duplicate", message, file=name, line=number)
    of_topic[key] = value
    return topic, key


def _shown(field: bytes) -> str:
    """A field for a message: as the core shows one."""
    more = "..." if len(field) > 60 else ""
    return f"`{printable(field[:60].decode('utf-8', 'replace'))}{more}`"


@checked
def read_run(
    source: File,
    *,
    name: str | None = None,
    lenient: bool = False,
    limits: Limits | None = None,
    layout: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Run:
    """Reads a run file: TREC's six columns, three with ranks or scores, or a table.

    Parameters
    ----------
    source
        A path, ``"-"`` for standard input, or an open file, text or binary.
    name
        What to call the run; its file name less suffixes if not given.
    lenient, limits
        As for ``read_qrels``.
    layout
        As ``run_layout`` of ``evaluate``: "trec", "msmarco", "scores", "csv",
        "tsv", "json", "jsonl", "parquet" or "arrow".
    columns
        As for ``evaluate``.

    Raises
    ------
    Error
        With file, line and column, as for ``read_qrels``.

    """
    file = _one_file(source, "read_run", "a run")
    options = {"lenient": lenient, "limits": limits, "run_layout": layout, "columns": columns}
    with _called_layout():
        found = as_runs(file, options)
        if len(found) != 1:
            message = f"expected one run, found {len(found)}; read_runs reads all of them"
            path = file if isinstance(file, str) else None
            if path and os.path.isdir(path):
                raise failure("directory", "this is a folder; expected a file", file=path)
            raise failure("option", message, file=path)
        (run,) = found
        return load(run if name is None else run.named(name), lenient, limits, layout)


@checked
def read_runs(
    pattern: RunsLike,
    *,
    lenient: bool = False,
    limits: Limits | None = None,
    layout: str | None = None,
    columns: Mapping[str, str] | None = None,
    threads: int | None = None,
    progress: ProgressLike = None,
) -> list[Run]:
    """Reads many runs in parallel.

    Parameters
    ----------
    pattern
        A glob, a folder, a path, or a list of these; also whatever
        ``evaluate`` takes as runs.
    lenient, limits
        As for ``read_qrels``.
    layout, columns
        As for ``read_run``.
    threads
        How many files to read at a time; as many as there are processors if
        not given.
    progress
        As for ``evaluate``.

    Returns
    -------
    list of Run
        In the order given, sorted within a glob or a folder.

    Raises
    ------
    Error
        For the first run in that order that cannot be read; kind "missing"
        for a glob without matches, "option" for two runs of one name.

    """
    reading = {"lenient": lenient, "limits": limits, "run_layout": layout, "columns": columns}
    with _called_layout():
        found = as_runs(pattern, reading)
    if threads is not None and threads < 1:
        message = f"expected a number of threads of at least 1, found {threads}"
        raise failure("option", message)
    workers = min(threads or os.cpu_count() or 1, len(found))
    with _called_layout(), Progress(progress, found) as report:
        if workers <= 1:
            runs = []
            for source in found:
                runs.append(load(source, lenient, limits, layout))
                report.finished(source)
            return runs
        import threading
        from concurrent.futures import ThreadPoolExecutor

        ended = threading.Event()

        def one(source: Source) -> Run:
            if not isinstance(source.data, Place):
                return load(source, lenient, limits, layout)
            from cranfield._io.remote import until

            with until(ended):
                return load(source, lenient, limits, layout)

        pool = ThreadPoolExecutor(workers, thread_name_prefix="cranfield")
        stop = Stop()
        try:
            futures = [pool.submit(stop.during, one, source) for source in found]
            runs = []
            for source, future in zip(found, futures, strict=True):
                runs.append(future.result())
                report.finished(source)
            return runs
        finally:
            # Of an interrupt, or of a run that cannot be read, the other threads hear nothing.
            stop.set()
            ended.set()
            pool.shutdown(cancel_futures=True)


@contextmanager
def _called_layout() -> Iterator[None]:
    """Errors name the option ``layout``, as these functions do, not ``run_layout``."""
    try:
        yield
    except Error as error:
        error.message = error.message.replace("run_layout=", "layout=")
        error.args = (str(error).replace("run_layout", "layout"),)
        raise


def load(
    source: Source, lenient: bool, limits: Limits | None, run_layout: str | None = None
) -> Run:
    """The run of a source, read if it is not one yet."""
    if isinstance(source.data, Run):
        return source.data
    if isinstance(source.data, (Table, Parts)):
        return source.data.run().rename(source.name)
    data, label = source.opened()
    return Run.read(
        data,
        name=source.name,
        label=label,
        lenient=lenient,
        limits=limits,
        run_layout=run_layout,
    )


def _one_file(source: object, function: str, what: str) -> Any:
    """A path as text, or an open file; raises ``Error`` for all else."""
    if isinstance(source, (str, os.PathLike)):
        path = expanded(os.fsdecode(source))
        if is_address(path):
            return path
        if is_pattern(path):
            message = f"this is a pattern, and {function} takes one file; read_runs takes patterns"
            raise failure("missing", message, file=path)
        return path
    if hasattr(source, "read") and not isinstance(source, (Qrels, Run)):
        return source
    raise unreadable(source, what)
