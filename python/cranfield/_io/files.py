"""Reading judgments and runs from files."""

from __future__ import annotations

import math
import os
from contextlib import contextmanager

from cranfield._base.errors import failure
from cranfield._base.options import checked
from cranfield._base.progress import Progress
from cranfield._core import Error, Limits, Qrels, Ranked, Run, Stop
from cranfield._io.accepted import as_runs, open_qrels, unreadable
from cranfield._io.addresses import is_address
from cranfield._io.columns import DOCUMENT, TOPIC
from cranfield._io.place import Place
from cranfield._io.small_files import OneValue, rows, shown_text
from cranfield._io.sources import Source, expanded, is_pattern
from cranfield._io.tables import Parts, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from cranfield._base.progress import ProgressLike
    from cranfield._io.accepted import File, RunsLike
    from cranfield._io.small_files import Line


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
        a number of at least 0, two probabilities of an intent.

    """
    file = _one_file(source, "read_intents", "intents")
    expected = "topic, intent, probability and perhaps nav or inf"
    probabilities = OneValue()
    navigational: dict[str, dict[str, None]] = {}
    for line, (topic, intent, text, *more) in rows(file, expected, (3, 4)):
        if more not in ([], ["nav"], ["inf"]):
            message = f"expected {expected}, found {shown_text(more[0])} as the last field"
            raise line.error("fields", message)
        probability = _number(text, line, "a probability of at least 0", least=0.0)
        if more == ["nav"]:
            navigational.setdefault(topic, {})[intent] = None
        what = f"probability of intent {shown_text(intent)} of topic {shown_text(topic)}"
        probabilities.add((topic, intent), probability, line, what)
    weights = _by_topic(probabilities)
    return weights, {topic: list(intents) for topic, intents in navigational.items()}


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
        not finite, two classes of a document.

    """
    file = _one_file(source, "read_classes", "classes")
    expected = "topic, document, perhaps a level such as L2, and class"
    classes = OneValue()
    for line, found in rows(file, expected, (3, 4), separator=";"):
        # NTCIREVAL's files of one topic have no topic: document, level, class.
        level = found[2 if len(found) == 4 else 1]
        if _is_level(level) != (len(found) == 4):
            message = f"expected {expected}, found {shown_text(level)} where a level stands"
            raise line.error("fields", message)
        value = _number(found[-1], line, "a number of at least 0 as class", least=0.0)
        classes.add((found[0], found[1]), value, line, _of_document("class", found))
    return _by_topic(classes)


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
        or not finite, two costs of a document.

    """
    file = _one_file(source, "read_costs", "costs")
    costs = OneValue()
    header = (TOPIC, DOCUMENT, ("cost",))
    for line, found in rows(file, "topic, document and cost", (3,), header):
        value = _number(found[2], line, "a number above 0 as cost", above=0.0)
        costs.add((found[0], found[1]), value, line, _of_document("cost", found))
    return _by_topic(costs)


def _by_topic(found: OneValue) -> dict[str, dict[str, float]]:
    """The values of topics and documents, or intents."""
    by_topic: dict[str, dict[str, float]] = {}
    for (topic, key), value in found.values().items():
        by_topic.setdefault(topic, {})[key] = value
    return by_topic


def _of_document(what: str, found: Sequence[str]) -> str:
    return f"{what} of document {shown_text(found[1])} of topic {shown_text(found[0])}"


def _is_level(field: str) -> bool:
    return field[:1] == "L" and field.isascii() and field[1:].isdigit()


def _number(
    text: str, line: Line, expected: str, least: float = -math.inf, above: float = -math.inf
) -> float:
    """A finite number as files write it; Python's own spellings are none."""
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= least and value > above):
        raise line.error("number", f"expected {expected}, found {shown_text(text)}")
    return value


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


def loaded(source: Source, options: Mapping[str, Any]) -> Run | Ranked:
    """The run of a source, ranked or read, by the options of reading."""
    if isinstance(source.data, Ranked):
        return source.data
    reading = options.get("lenient", False), options.get("limits"), options.get("run_layout")
    return load(source, *reading)


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
