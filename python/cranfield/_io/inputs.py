"""Judgments and runs from everything that is taken as such: files, tables, dicts, rows, objects.

The decisions about types live here and nowhere else: after this module there
are a ``Qrels`` and a list of ``Source``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set, ValuesView
from contextlib import contextmanager

from cranfield import _core
from cranfield._base.errors import failure, optional, shown
from cranfield._base.options import checked, is_iterable
from cranfield._base.options import path as as_path
from cranfield._base.progress import Progress
from cranfield._core import Error, Limits, Qrels, Ranked, Run, SpanQrels, SpanRun, Stop, is_table
from cranfield._io import columns, sources
from cranfield._io.addresses import is_address
from cranfield._io.columns import SPAN_LAYOUTS, SPANS, as_columns
from cranfield._io.files import Parts, Table
from cranfield._io.sources import STDIN, UNNAMED, Source, unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol, TypeAlias

    from cranfield._base.progress import ProgressLike
    from cranfield._io.sources import File

    class Arrow(Protocol):
        """A table that hands over an Arrow stream."""

        def __arrow_c_stream__(self, requested_schema: object = None, /) -> object: ...


QrelsLike: TypeAlias = "Qrels | SpanQrels | File | Mapping[Any, Any] | Arrow | Iterable[Any]"
RankingLike: TypeAlias = "Mapping[Any, float] | Iterable[Any]"
RunsLike: TypeAlias = "Run | Ranked | SpanRun | File | Mapping[Any, Any] | Arrow | Iterable[Any]"


def as_qrels(
    source: QrelsLike,
    *,
    columns_of_tables: Mapping[str, str] | None = None,
    lengths: Mapping[Any, float] | None = None,
    **options: Any,
) -> Qrels:
    """Judgments from anything that is accepted as such.

    ``options`` are those of ``read_qrels``; all but ``docs_in_collection`` are for files.
    Raises ``Error``: kind "type" for an object of another type, and whatever reading a file
    raises.
    """
    if lengths is not None:
        read = as_qrels(source, columns_of_tables=columns_of_tables, **options)
        return read.with_lengths(lengths)
    docs_in_collection = options.get("docs_in_collection")
    if isinstance(source, Qrels):
        return source
    if isinstance(source, SpanQrels):
        message = "judgments of spans have no place here; gold.documents() are those of documents"
        raise failure("type", message)
    if isinstance(source, str) and (name := dataset_name(source)) is not None:
        rows = _rows_of(load_dataset(name, source), "qrels_iter", name)
        return columns.qrels_from_rows(rows, docs_in_collection)
    if isinstance(source, (str, os.PathLike)):
        return _opened_qrels(_text(source), columns_of_tables, options)
    source = columns.by_topic(source)
    if isinstance(source, Mapping):
        if _of_engine(source):
            way = "Qrels.from_ratings reads the ratings of search engines"
            raise failure("type", f"expected {{topic: {{document: grade}}}}, found others; {way}")
        _core.check_nested(source)
        return Qrels(source, docs_in_collection=docs_in_collection)
    if is_table(source):
        return columns.qrels_from_table(source, docs_in_collection)
    if hasattr(source, "read") and not isinstance(source, Run):
        return _opened_qrels(source, columns_of_tables, options)
    if hasattr(source, "qrels_iter"):
        return columns.qrels_from_rows(source.qrels_iter(), docs_in_collection)
    if is_iterable(source) and not isinstance(source, (bytes, Run)):
        listed: Any = source
        return columns.qrels_from_rows(listed, docs_in_collection)
    raise unreadable(source, "qrels")


def _of_engine(source: Mapping[Any, Any]) -> bool:
    """Whether a dict is what search engines call ratings, or an answer to them."""
    keys = ("requests", "judgmentRatings", "topics", "query_groups")
    lists = [one for one in map(source.get, keys) if isinstance(one, list) and one]
    return columns.is_rank_eval(source) or any(isinstance(one[0], Mapping) for one in lists)


def _opened_qrels(
    source: Any, columns_of_tables: Mapping[str, str] | None, options: dict[str, Any]
) -> Qrels:
    """Judgments read from one path, address, ``-`` or open file, by the options of the core."""
    name = None
    if source == STDIN:
        source = sources.stdin()
    elif isinstance(source, str) and not _is_plain_file(source):
        source = sources.one_file(source, "qrels")
    if options.get("layout") is None and options.get("levels") is None:
        reading = {"columns": columns_of_tables, "limits": options.get("limits")}
        table = sources.table_of(source, reading, judgments=True)
        if table is not None:
            return table.qrels(options.get("docs_in_collection"))
    if not isinstance(source, str):
        source, name = Source("qrels", source).opened()
    return Qrels.read(source, name=name, **options)


def as_runs(runs: RunsLike, options: Mapping[str, Any] | None = None) -> list[Source]:
    """Runs from anything that is accepted as such, under distinct names.

    Files are found and named, and their beginnings looked at. ``options`` may have
    ``run_layout``, ``columns``, ``limits`` and ``lenient``. Raises ``Error``: kind "type"
    for an object that is not a run, "missing" for a pattern without matches,
    "option" for two runs of one name.
    """
    if options is not None and _is_spans(options.get("run_layout")):
        return _of_chunks(runs, options)
    return sources.distinct([source.held() for source in _sources_of(runs, options)])


def _is_spans(layout: Any) -> bool:
    return isinstance(layout, str) and layout in SPAN_LAYOUTS


def as_judgments(source: QrelsLike, **options: Any) -> Qrels | SpanQrels:
    """Judgments of documents or of spans: as ``as_qrels``, where spans have a meaning."""
    if _is_spans(options.get("layout")):
        from cranfield._io.spans import read_span_qrels

        given: Any = source
        columns = options.get("columns_of_tables")
        beside: Any = {name: options.get(name) for name in ("limits", "layout", "texts")}
        return read_span_qrels(given, columns=columns, **beside)
    if not isinstance(source, SpanQrels):
        return as_qrels(source, **options)
    if options.get("lengths") is not None:
        raise failure("option", "lengths are of documents: chunks bring their tokens and offsets")
    return source


def reading_of(judgments: Qrels | SpanQrels, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """The options of reading runs that go with judgments."""
    return {**options, "run_layout": SPANS} if isinstance(judgments, SpanQrels) else options


def _of_chunks(runs: RunsLike, options: Mapping[str, Any]) -> list[Source]:
    from cranfield._io.spans import sources_of

    return sources_of(runs, options, _sources_of, load)


def found_runs(runs: RunsLike, judgments: Qrels | SpanQrels, options: Any) -> list[Source]:
    """Runs as ``as_runs`` finds them; of those of chunks nothing is read yet."""
    if isinstance(judgments, SpanQrels):
        return sources.distinct(_sources_of(runs, reading_of(judgments, options)))
    return as_runs(runs, options)


def run_of_chunks(run: RunsLike, chunks: Any, name: str | None) -> SpanRun:
    """A run of the names of chunks as one of chunks; see ``SpanRun.from_run``."""
    source = as_run(run)
    named = source.name if name is None else name
    return _core.run_of_chunks(load(source, {}), chunks, named)


def as_run(run: RunsLike, options: Mapping[str, Any] | None = None, what: str = "") -> Source:
    """The one run that is given; ``what`` says in errors what as."""
    found = as_runs(run, options)
    if len(found) != 1:
        raise failure("option", f"expected one run{what}, found {len(found)}")
    return found[0]


def as_scored(runs: RunsLike, options: Mapping[str, Any] | None = None) -> list[Source]:
    """The same for runs that are scored at once: dicts stay dicts."""
    if options is not None and _is_spans(options.get("run_layout")):
        return _of_chunks(runs, options)
    if isinstance(runs, dict) and _is_one_run(runs):
        as_columns(options.get("columns") if options else None)
        return [Source(UNNAMED, runs)]
    return sources.distinct(_sources_of(runs, options))


def _sources_of(runs: Any, options: Mapping[str, Any] | None) -> list[Source]:
    """What an argument stands for; sources stand for themselves."""
    if isinstance(runs, list) and runs and all(isinstance(run, Source) for run in runs):
        return runs
    return list(_Expanding(options).sources(runs))


class _Expanding:
    """What one argument stands for, under the options of reading files."""

    def __init__(self, options: Mapping[str, Any] | None) -> None:
        self._of_chunks = options is not None and _is_spans(options.get("run_layout"))
        self._options = options
        if options and (given := options.get("columns")) is not None:
            as_columns(given)
        self._in_lines = {
            name: value
            for name in ("lenient", "limits", "run_layout")
            if options and (value := options.get(name)) is not None
        }

    def sources(self, runs: Any, depth: int = 0) -> Iterator[Source]:
        """The sources that one argument stands for, in its order; it may be in other lists."""
        if isinstance(runs, Source):
            yield runs
        elif isinstance(runs, sources.HELD):
            if isinstance(runs, SpanRun) and not self._of_chunks:
                message = "a run of chunks is scored under SpanQrels; run.documents() is one of"
                raise failure("type", f"{message} documents")
            yield Source(runs.name, runs)
        elif isinstance(runs, sources.FILES):
            yield Source(UNNAMED, runs)
        elif isinstance(runs, (str, os.PathLike)):
            yield from self._from_path(runs)
        elif isinstance(runs, list) and all(isinstance(run, (str, os.PathLike)) for run in runs):
            for path in runs:
                yield from self._from_path(path)
        elif isinstance(runs := columns.by_topic(runs), Mapping):
            if columns.is_rank_eval(runs):
                yield Source(UNNAMED, Run.from_hits(runs))
                return
            runs = _without_iterators(runs)
            if _is_one_run(runs):
                yield Source(UNNAMED, runs if isinstance(runs, dict) else Run(runs))
            else:
                _core.check_nested(runs)
                for name, run in _items(runs):
                    yield self._single(run, str(name))
        elif is_table(runs):
            yield Source(UNNAMED, columns.run_from_table(runs, UNNAMED))
        elif hasattr(runs, "read") and not isinstance(runs, Qrels):
            table = sources.table_of(runs, self._options)
            yield from sources.runs_of(table, sources.stream_source(runs))
        elif hasattr(runs, "scoreddocs_iter"):
            rows = runs.scoreddocs_iter()
            yield Source(UNNAMED, columns.run_from_rows(rows, UNNAMED))
        elif depth < _NESTED and is_iterable(runs) and not isinstance(runs, (bytes, Qrels)):
            yield from self._from_iterable(runs, depth)
        else:
            raise unreadable(runs, "a run")

    def _from_path(self, path: str | os.PathLike[str]) -> Iterator[Source]:
        if (name := dataset_name(path)) is not None:
            rows = _rows_of(load_dataset(name, str(path)), "scoreddocs_iter", name)
            yield Source(name, columns.run_from_rows(rows, name))
            return
        text = _text(path)
        if text == STDIN:
            stream = sources.stdin()
            table = sources.table_of_stdin(stream, self._options)
            yield from sources.runs_of(table, sources.stream_source(stream))
            return
        if self._of_chunks and not sources.is_pattern(text) and not os.path.isdir(text):
            yield sources.file_source(sources.one_file(text, "a run"), of_table=True)
            return
        if _is_plain_file(text):
            table = sources.table_of(text, self._options)
            yield from sources.runs_of(table, sources.file_source(text))
            return
        groups = sources.groups(text)
        plain = [one for one in groups if not isinstance(one, sources.Folder)]
        tables = iter(() if self._of_chunks else sources.tables_of(plain, self._options))
        for one in groups:
            if self._of_chunks and not isinstance(one, sources.Folder):
                yield sources.file_source(one, of_table=True)
            elif isinstance(one, sources.Folder):
                found = zip(sources.tables_of(one.files, self._options), one.files, strict=True)
                members = [table or file for table, file in found]
                yield Source(one.name, Parts(one.path, members, self._in_lines), derived=True)
            else:
                yield from sources.runs_of(next(tables), sources.file_source(one))

    def _from_iterable(self, items: Iterable[Any], depth: int) -> Iterator[Source]:
        """The rows of one run if the first item can only be a row, else several runs."""
        if hasattr(items, "dtype") and getattr(items, "ndim", 1) > 1 and items.dtype.kind != "O":
            raise failure(
                "type",
                f"expected rows of (topic, doc, score), found an array of {items.dtype}; pass the "
                "columns to Run.from_arrays",
            )
        listed = _core.in_order(items, "runs or the rows of a run")
        if listed and _core.is_row(listed[0]):
            rows = items if hasattr(items, "dtype") else listed
            yield Source(UNNAMED, columns.run_from_rows(rows, UNNAMED))
            return
        if listed and _is_ranking(listed[0]) and not _are_found(listed[0]):
            first = listed[0]
            way = f"; {_core.WAY_FOR_LISTS}" if isinstance(first, list) else ""
            found = f"found a list of {type(first).__name__}s{way}"
            raise failure("type", f"expected runs or the rows of a run, {found}")
        for item in listed:
            yield from self.sources(item, depth + 1)

    def _single(self, run: Any, name: str) -> Source:
        """The one run that the user gave a name."""
        if isinstance(run, (int, float)) or run is None:
            message = f"expected a run for {name!r}, found {shown(run)}"
            raise failure("type", f"{message}; rows are tuples or dicts in a list")
        found = list(self.sources(run))
        if len(found) != 1:
            raise failure("option", f"expected one run for {name!r}, found {len(found)}")
        return found[0].named(name)


_NESTED = 50
"""How deep lists may be within lists."""


def _is_ranking(found: Any) -> bool:
    """Whether something is the documents of a topic rather than a run, by the first of them.

    A set is one too, and so are pairs and hits: reading them says what is wrong.
    """
    if hasattr(found, "collect") or hasattr(found, "columns"):
        return False
    if hasattr(found, "iloc"):
        # With two indexes it is a run by topic and document, with lists one by topic.
        return bool(found.index.nlevels == 1 and columns.by_topic(found) is found)
    if hasattr(found, "__arrow_c_stream__") or hasattr(found, "to_pylist"):
        of = str(getattr(found, "dtype", getattr(found, "type", "struct")))
        return not of.lower().startswith("struct")
    if getattr(found, "ndim", 0) == 1 and hasattr(found, "dtype"):
        return found.dtype.names is None and _is_ranking(found[:1].tolist())
    if not isinstance(found, _LISTS) or isinstance(found, (str, bytes)):
        return False
    first = next(iter(found), None)
    if isinstance(first, str) or (isinstance(first, tuple) and len(first) == 2):
        return True
    of_runs = isinstance(first, _RUNS) or any(hasattr(first, name) for name in _OF_RUNS)
    return not of_runs or _core.is_hit(first)


_LISTS = (Sequence, Set, ValuesView)
_RUNS = (Run, Ranked, Mapping, os.PathLike, list, tuple)
_OF_RUNS = ("read", "__next__", "scoreddocs_iter", "dtype", "__arrow_c_stream__", "iloc")
"""What a list may hold that is read as a run, or as rows of one."""


def _are_paths(lists: Sequence[Any]) -> bool:
    """Whether lists of one text each are rather the paths of runs."""
    single = [one for one in lists if isinstance(one, (list, tuple)) and len(one) == 1]
    return bool(single) and len(single) == len(lists) and all(map(_are_found, single))


def _are_found(paths: Iterable[Any]) -> bool:
    """Whether each of these is a file, a pattern or an address."""
    return all(
        isinstance(path, str)
        and (is_address(path) or sources.is_pattern(path) or os.path.lexists(path))
        for path in paths
    )


def _without_iterators(runs: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The same with lists in place of iterators, but for files and tables."""
    if not isinstance(runs, dict):
        return runs
    return {
        name: _core.in_order(run, f"a run or documents for {name!r}")
        if hasattr(run, "__next__") and not hasattr(run, "read") and not is_table(run)
        else run
        for name, run in _items(runs)
    }


def _is_one_run(runs: Mapping[Any, Any]) -> bool:
    """Whether a dict is {topic: {doc: score}} or {topic: [doc, ...]} rather than {name: run}."""
    lists = []
    for _, inner in _items(runs):
        if isinstance(inner, (dict, Mapping)):
            for _, value in _items(inner):
                if isinstance(value, (float, int)):
                    return True
                is_list = _is_ranking(value) or hasattr(value, "__next__")
                return not isinstance(value, Mapping) and not is_list
        elif _is_ranking(inner):
            lists.append(inner)
        else:
            return False
    if lists:
        _core.check_nested(runs)
    return not _are_paths(lists)


def _items(mapping: Mapping[Any, Any]) -> Iterable[tuple[Any, Any]]:
    """The items; those of a dict are of one moment, since another thread may change it.

    Other mappings may read a value only when it is asked for.
    """
    return list(mapping.items()) if isinstance(mapping, dict) else mapping.items()


_OF_DATASETS = ("ir_datasets:", "irds:")
"""What stands before the id of a dataset of ir_datasets; the second as PyTerrier writes it."""


def dataset_name(source: object) -> str | None:
    """The id of the dataset that is asked for by its prefix; a file of that name comes first.

    Without it no dataset is looked up, since reading one may ask a server for it.
    """
    if not isinstance(source, str):
        return None
    prefix = next((prefix for prefix in _OF_DATASETS if source.startswith(prefix)), None)
    return None if prefix is None or os.path.lexists(source) else source.removeprefix(prefix)


def load_dataset(name: str, source: str) -> Any:
    """A dataset of ir_datasets by its id; raises ``Error`` (kind "missing") if there is none."""
    datasets = optional("ir_datasets", f"reading {source}")
    try:
        return datasets.load(name)
    except KeyError as error:
        message = "ir_datasets has no such dataset"
        raise failure("missing", message, file=source) from error


def _rows_of(dataset: Any, method: str, name: str) -> Iterator[Any]:
    rows = getattr(dataset, method, None)
    if rows is None:
        what = method.removesuffix("_iter")
        raise failure("missing", f"this dataset has no {what}", file=name)
    try:
        yield from rows()
    except (OSError, RuntimeError) as error:
        # Raised where nothing could be downloaded.
        message = f"ir_datasets could not provide it: {str(error)[:200]}"
        raise failure("missing", message, file=name) from error


def _text(path: str | os.PathLike[str]) -> str:
    if isinstance(path, str) and _is_plain_file(path):
        return path
    return sources.expanded(as_path(path, "path"))


def _is_plain_file(path: str) -> bool:
    """Whether a path is that of a file as it stands; most are, and nothing else is meant then."""
    return path != STDIN and "://" not in path and os.path.isfile(path)


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
    options = {
        "lenient": lenient,
        "limits": limits,
        "docs_in_collection": docs_in_collection,
        "layout": layout,
        "levels": levels,
    }
    return _opened_qrels(sources.one_given(source, "read_qrels", "qrels"), columns, options)


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
    file = sources.one_given(source, "read_run", "a run")
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
        return load(run if name is None else run.named(name), options)


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
    workers = min(threads or os.cpu_count() or 1, len(found))
    with _called_layout(), Progress(progress, found) as report:
        if workers <= 1:
            runs = []
            for source in found:
                runs.append(load(source, reading))
                report.finished(source)
            return runs
        from concurrent.futures import ThreadPoolExecutor

        pool = ThreadPoolExecutor(workers, thread_name_prefix="cranfield")
        stop = Stop()
        try:
            futures = [pool.submit(stop.during, load, source, reading) for source in found]
            runs = []
            for source, future in zip(found, futures, strict=True):
                runs.append(future.result())
                report.finished(source)
            return runs
        finally:
            # Of an interrupt, or of a run that cannot be read, the other threads hear nothing.
            stop.set()
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
    return source.data if isinstance(source.data, Ranked) else load(source, options)


def load(source: Source, options: Mapping[str, Any]) -> Run:
    """The run of a source, read if it is not one yet; see ``loaded``."""
    if isinstance(source.data, Run):
        return source.data
    if isinstance(source.data, (Table, Parts)):
        return source.data.run().rename(source.name)
    data, label = source.opened()
    own: Any = {name: options.get(name) for name in ("limits", "run_layout")}
    own["lenient"] = options.get("lenient") or False
    return Run.read(data, name=source.name, label=label, **own)
