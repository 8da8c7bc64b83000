"""Reading judgments and runs from files."""

from __future__ import annotations

import math
import os

from cranfield._core import Limits, Qrels, Run
from cranfield.errors import failure
from cranfield.inputs import as_runs, open_qrels, unreadable
from cranfield.progress import Progress
from cranfield.sources import Source, expanded, is_pattern, path_source, stream_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from cranfield.inputs import File, RunsLike
    from cranfield.progress import ProgressLike


def read_qrels(
    source: File,
    *,
    lenient: bool = False,
    limits: Limits | None = None,
    docs_in_collection: int | None = None,
    layout: str | None = None,
) -> Qrels:
    """Reads a file of judgments.

    TREC's four columns, the five of a stratified sample (topic, iteration,
    document, stratum, grade) or of one with probabilities (topic, document,
    grade, method, inclusion), NTCIR's three (topic, document, level such as
    L2) and BEIR's TSV are told apart by the first line; gzip, zstd, bzip2 and
    xz by content.

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
        and ``ntcir``; if not given, the first line tells. Only
        ``intents`` has to be given always: the second of four columns is then
        the intent (subtopic) under which a document was judged, as in the web
        track's diversity task; the last one is a grade or a level such as L2.
        ``inclusion`` has to be given if documents are called by numbers and
        the first line has the probability 1, since it then looks like a stratum.

    Raises
    ------
    Error
        With file, line and column: a missing or damaged file, a line that
        is no judgment, two judgments that disagree; kind "option" for a
        layout that is none.

    """
    return open_qrels(
        _one_file(source, "read_qrels", "qrels"),
        lenient=lenient,
        limits=limits,
        docs_in_collection=docs_in_collection,
        layout=layout,
    )


def read_intents(source: File) -> tuple[dict[str, dict[str, float]], dict[str, list[str]]]:
    """Reads how likely the intents of topics are, as NTCIREVAL's files tell it.

    A line is topic, intent and probability, and whether the intent is
    navigational (``nav``) or informational (``inf``, or nothing).

    Parameters
    ----------
    source
        A path or an open file in text mode.

    Returns
    -------
    tuple
        What ``Qrels.with_weights`` and ``Qrels.with_navigational`` take.

    Raises
    ------
    Error
        With file and line: a line of another kind, a probability that is no
        number of at least 0, an intent that comes twice.

    """
    file = _one_file(source, "read_intents", "intents")
    if isinstance(file, str):
        try:
            with open(file, encoding="utf-8", errors="surrogateescape") as lines:
                return _intents(lines, file)
        except OSError as error:
            raise failure(
                "missing", f"cannot read this file: {error.strerror}", file=file
            ) from error
    return _intents(file, getattr(file, "name", "<stream>"))


def _intents(
    lines: Iterable[str], name: str
) -> tuple[dict[str, dict[str, float]], dict[str, list[str]]]:
    weights: dict[str, dict[str, float]] = {}
    navigational: dict[str, list[str]] = {}
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        if len(fields) not in (3, 4) or fields[3:] not in ([], ["nav"], ["inf"]):
            message = (
                "expected topic, intent, probability and perhaps nav or inf, "
                f"found {line.strip()[:60]!r}"
            )
            raise failure("fields", message, file=name, line=number)
        topic, intent, probability = fields[:3]
        weight = _weight(probability)
        if weight is None:
            message = f"expected a probability of at least 0, found {probability[:60]!r}"
            raise failure("number", message, file=name, line=number)
        if intent in weights.setdefault(topic, {}):
            message = f"expected an intent of a topic once, found {intent!r} of {topic!r} again"
            raise failure("duplicate", message, file=name, line=number)
        weights[topic][intent] = weight
        if fields[3:] == ["nav"]:
            navigational.setdefault(topic, []).append(intent)
    return weights, navigational


def _weight(text: str) -> float | None:
    """A finite number of at least 0, if the text is one."""
    try:
        weight = float(text)
    except ValueError:
        return None
    return weight if 0 <= weight < math.inf else None


def read_run(
    source: File,
    *,
    name: str | None = None,
    lenient: bool = False,
    limits: Limits | None = None,
) -> Run:
    """Reads a run file: TREC's six columns or MS MARCO's three.

    Parameters
    ----------
    source
        A path, ``"-"`` for standard input, or an open file, text or binary.
    name
        What to call the run; its file name less suffixes if not given.
    lenient, limits
        As for ``read_qrels``.

    Raises
    ------
    Error
        With file, line and column, as for ``read_qrels``.

    """
    file = _one_file(source, "read_run", "a run")
    found = path_source(file) if isinstance(file, str) else stream_source(file)
    return load(found if name is None else found.named(name), lenient, limits)


def read_runs(
    pattern: RunsLike,
    *,
    lenient: bool = False,
    limits: Limits | None = None,
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
    found = as_runs(pattern)
    if threads is not None and threads < 1:
        raise failure("option", f"expected at least 1 thread, found {threads}")
    workers = min(threads or os.cpu_count() or 1, len(found))
    with Progress(progress, found) as report:
        if workers <= 1:
            runs = []
            for source in found:
                runs.append(load(source, lenient, limits))
                report.finished(source)
            return runs
        from concurrent.futures import ThreadPoolExecutor

        pool = ThreadPoolExecutor(workers, thread_name_prefix="cranfield")
        try:
            futures = [pool.submit(load, s, lenient, limits) for s in found]
            runs = []
            for source, future in zip(found, futures, strict=True):
                runs.append(future.result())
                report.finished(source)
            return runs
        finally:
            pool.shutdown(cancel_futures=True)


def load(source: Source, lenient: bool, limits: Limits | None) -> Run:
    """The run of a source, read if it is not one yet."""
    if isinstance(source.data, Run):
        return source.data
    data, label = source.opened()
    return Run.read(data, name=source.name, label=label, lenient=lenient, limits=limits)


def _one_file(source: object, function: str, what: str) -> Any:
    """A path as text, or an open file; raises ``Error`` for all else."""
    if isinstance(source, (str, os.PathLike)):
        path = expanded(os.fsdecode(source))
        if is_pattern(path):
            message = f"this is a pattern, and {function} takes one file; read_runs takes patterns"
            raise failure("missing", message, file=path)
        return path
    if hasattr(source, "read") and not isinstance(source, (Qrels, Run)):
        return source
    raise unreadable(source, what)
