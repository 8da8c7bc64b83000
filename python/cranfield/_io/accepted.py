"""Converts everything that is accepted as judgments or as runs to one form.

The decisions about types live here and nowhere else: after this module there
are a ``Qrels`` and a list of ``Source``.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping

from cranfield._base.errors import failure, optional, shown
from cranfield._base.options import is_iterable
from cranfield._base.options import path as as_path
from cranfield._core import Error, Limits, Qrels, Ranked, Run, Unpacked, in_order
from cranfield._io import columns, sources
from cranfield._io.addresses import is_address
from cranfield._io.place import Place
from cranfield._io.sources import STDIN, UNNAMED, Source
from cranfield._io.table_columns import PACKED, Reading, as_columns, form_of, form_of_path
from cranfield._io.tables import Parts, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, BinaryIO, Protocol, TextIO, TypeAlias

    class Arrow(Protocol):
        """A table that hands over an Arrow stream."""

        def __arrow_c_stream__(self, requested_schema: object = None, /) -> object: ...

    File: TypeAlias = str | os.PathLike[str] | BinaryIO | TextIO
    QrelsLike: TypeAlias = Qrels | File | Mapping[Any, Mapping[Any, float]] | Arrow | Iterable[Any]
    RunsLike: TypeAlias = Run | Ranked | File | Mapping[Any, Any] | Arrow | Iterable[Any]


def as_qrels(
    source: QrelsLike,
    *,
    lenient: bool = False,
    limits: Limits | None = None,
    docs_in_collection: int | None = None,
    layout: str | None = None,
    levels: Mapping[str, float] | None = None,
    columns_of_tables: Mapping[str, str] | None = None,
) -> Qrels:
    """Judgments from anything that is accepted as such; a file can have a layout and levels.

    Raises ``Error``: kind "type" for an object of another type,
    and whatever reading a file raises.
    """
    if isinstance(source, Qrels):
        return source
    if isinstance(source, Mapping):
        columns.check_nested(source)
        return Qrels(source, docs_in_collection=docs_in_collection)
    if (name := dataset_name(source)) is not None:
        rows = _rows_of(load_dataset(name, str(source)), "qrels_iter", name)
        return columns.qrels_from_rows(rows, docs_in_collection)
    if columns.is_table(source):
        return columns.qrels_from_table(source, docs_in_collection)
    is_path = isinstance(source, (str, os.PathLike))
    if is_path or (hasattr(source, "read") and not isinstance(source, Run)):
        file: Any = source
        return open_qrels(
            _text(file) if is_path else file,
            lenient=lenient,
            limits=limits,
            docs_in_collection=docs_in_collection,
            layout=layout,
            levels=levels,
            columns_of_tables=columns_of_tables,
        )
    if hasattr(source, "qrels_iter"):
        return columns.qrels_from_rows(source.qrels_iter(), docs_in_collection)
    if is_iterable(source) and not isinstance(source, (bytes, Run)):
        listed: Any = source
        return columns.qrels_from_rows(listed, docs_in_collection)
    raise unreadable(source, "qrels")


def open_qrels(
    source: Any,
    *,
    lenient: bool,
    limits: Limits | None,
    docs_in_collection: int | None,
    layout: str | None = None,
    levels: Mapping[str, float] | None = None,
    columns_of_tables: Mapping[str, str] | None = None,
) -> Qrels:
    """Reads judgments from one path, address, ``-`` or open file."""
    if source == STDIN:
        source = sources.stdin()
    elif isinstance(source, str):
        source = sources.one_file(source, "qrels")
    if layout is None and levels is None:
        reading = Reading({"columns": columns_of_tables, "limits": limits})
        table = judgments_of(source, reading)
        if table is not None:
            return table.qrels(docs_in_collection)
    data, name = Source("qrels", source).opened()
    return Qrels.read(
        data,
        name=name,
        lenient=lenient,
        limits=limits,
        docs_in_collection=docs_in_collection,
        layout=layout,
        levels=levels,
    )


def as_runs(runs: RunsLike, options: Mapping[str, Any] | None = None) -> list[Source]:
    """Runs from anything that is accepted as such, under distinct names.

    Files are found and named, and their beginnings looked at. ``options`` may have
    ``run_layout``, ``columns``, ``limits`` and ``lenient``. Raises ``Error``: kind "type"
    for an object that is not a run, "missing" for a pattern without matches,
    "option" for two runs of one name.
    """
    return sources.distinct([source.held() for source in _Expanding(options).sources(runs)])


def as_run(run: RunsLike, options: Mapping[str, Any] | None = None, what: str = "") -> Source:
    """The one run that is given; ``what`` says in errors what as."""
    found = as_runs(run, options)
    if len(found) != 1:
        raise failure("option", f"expected one run{what}, found {len(found)}")
    return found[0]


def as_scored(runs: RunsLike, options: Mapping[str, Any] | None = None) -> list[Source]:
    """The same for runs that are scored at once: dicts stay dicts."""
    if isinstance(runs, dict) and _is_one_run(runs):
        as_columns(options.get("columns") if options else None)
        return [Source(UNNAMED, runs)]
    return sources.distinct(list(_Expanding(options).sources(runs)))


class _Expanding:
    """What one argument stands for, under the options of reading files."""

    def __init__(self, options: Mapping[str, Any] | None) -> None:
        self._reading = Reading(options)
        self._in_lines = {
            name: value
            for name in ("lenient", "limits", "run_layout")
            if options and (value := options.get(name)) is not None
        }

    def sources(self, runs: Any, depth: int = 0) -> Iterator[Source]:
        """The sources that one argument stands for, in its order; it may be in other lists."""
        if isinstance(runs, Source):
            yield runs
        elif isinstance(runs, (Run, Ranked)):
            yield Source(runs.name, runs)
        elif isinstance(runs, sources.FILES):
            yield Source(UNNAMED, runs)
        elif isinstance(runs, (str, os.PathLike)):
            yield from self._from_path(runs)
        elif isinstance(runs, (dict, Mapping)):
            if _is_one_run(runs):
                yield Source(UNNAMED, runs if isinstance(runs, dict) else Run(runs))
            else:
                columns.check_nested(runs)
                for name, run in _items(runs):
                    yield self._single(run, str(name))
        elif columns.is_table(runs):
            yield Source(UNNAMED, columns.run_from_table(runs, UNNAMED))
        elif hasattr(runs, "read") and not isinstance(runs, Qrels):
            yield from self._from_stream(runs)
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
            table = table_of_stdin(stream, self._reading)
            yield from self._of_stream(stream, table)
            return
        groups = sources.groups(text)
        plain = [one for one in groups if not isinstance(one, sources.Folder)]
        tables = iter(tables_of(plain, self._reading))
        for one in groups:
            if isinstance(one, sources.Folder):
                found = zip(tables_of(one.files, self._reading), one.files, strict=True)
                members = [table or file for table, file in found]
                yield Source(one.name, Parts(one.path, members, self._in_lines), derived=True)
            elif (table := next(tables)) is not None:
                yield from sources.table_source(table)
            else:
                yield sources.file_source(one)

    def _from_stream(self, stream: Any) -> Iterator[Source]:
        yield from self._of_stream(stream, table_of_stream(stream, self._reading))

    def _of_stream(self, stream: Any, table: Table | None) -> Iterator[Source]:
        if table is None:
            yield sources.stream_source(stream)
        else:
            yield from sources.table_source(table)

    def _from_iterable(self, items: Iterable[Any], depth: int) -> Iterator[Source]:
        """The rows of one run if the first item can only be a row, else several runs."""
        if hasattr(items, "dtype") and getattr(items, "ndim", 1) > 1 and items.dtype.kind != "O":
            raise failure(
                "type",
                f"expected rows of (topic, doc, score), found an array of {items.dtype}; pass the "
                "columns to Run.from_arrays",
            )
        listed = in_order(items, "runs or the rows of a run")
        if listed and columns.is_row(listed[0]):
            rows = items if hasattr(items, "dtype") else listed
            yield Source(UNNAMED, columns.run_from_rows(rows, UNNAMED))
            return
        for item in listed:
            yield from self.sources(item, depth + 1)

    def _single(self, run: Any, name: str) -> Source:
        """The one run that the user gave a name."""
        if _is_ranking(run):
            raise failure("option", f"expected one run for {name!r}, found {len(run)}; {_WAYS}")
        if isinstance(run, (int, float)) or run is None:
            message = f"expected a run for {name!r}, found {shown(run)}"
            raise failure("type", f"{message}; rows are tuples or dicts in a list")
        found = list(self.sources(run))
        path = found[0].path if len(found) == 1 and isinstance(run, (list, tuple)) else None
        if path is not None and not is_address(path) and not os.path.lexists(path):
            message = f"expected a run for {name!r}, found no file {path!r}; {_WAYS}"
            raise failure("missing", message, file=path)
        if len(found) != 1:
            advice = "" if found else f"; {_WAYS}"
            raise failure("option", f"expected one run for {name!r}, found {len(found)}{advice}")
        return found[0].named(name)


_NESTED = 50
"""How deep lists may be within lists."""
_WAYS = "for {topic: [document, ...]} there is Run.from_rankings"
"""What reads lists where a run is expected."""


def _is_ranking(run: Any) -> bool:
    """Whether something is several ids, or paths, rather than a run."""
    if getattr(run, "ndim", 0) == 1 and not hasattr(run, "iloc") and hasattr(run, "tolist"):
        # Of numpy, whose rows have names where they are structures.
        return run.dtype.names is None and _is_ranking(run.tolist())
    several = isinstance(run, (list, tuple)) and len(run) > 1
    return several and all(isinstance(item, (str, int, float)) for item in run)


def _is_one_run(runs: Mapping[Any, Any]) -> bool:
    """Whether a dict is {topic: {doc: score}} rather than {name: run}."""
    for _, inner in _items(runs):
        if not isinstance(inner, (dict, Mapping)):
            return False
        for _, value in _items(inner):
            return isinstance(value, (float, int)) or not isinstance(value, Mapping)
    return True


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
    return sources.expanded(as_path(path, "path"))


def unreadable(source: object, what: str) -> Error:
    """The error (kind "type") for an object that is not what it should be."""
    message = f"an object of type {type(source).__name__} cannot be read as {what}"
    return failure("type", f"{message}{_hint(source)}")


def _hint(source: object) -> str:
    if hasattr(source, "collect"):
        return "; call its collect() first"
    if isinstance(source, Run):
        return ": it is a run"
    if isinstance(source, Qrels):
        return ": these are judgments"
    return ""


# which files and streams are tables, by their beginnings

_BEGINNING = 4096
_BEIR = [b"query-id", b"corpus-id", b"score"]
"""The header of BEIR's judgments, which the core reads."""


def table_of(path: str | Place, reading: Reading) -> Table | None:
    """The table that a file is, if it is one."""
    form = reading.form
    if reading.layout is None:
        if isinstance(path, Place):
            form = form_of(_beginning_at(path, reading.limits), reading.columns)
        else:
            form = form_of_path(path, reading.columns, reading.limits)
    if form is None:
        return None
    label = path.label if isinstance(path, Place) else path
    return Table(path, form, label, reading.columns, reading.limits)


def tables_of(paths: Sequence[str | Place], reading: Reading) -> list[Table | None]:
    """The same of several; servers are asked at the same time."""
    places = [path for path in paths if isinstance(path, Place)] if reading.layout is None else []
    try:
        for place in places:
            place.begin(_BEGINNING)
        return [table_of(path, reading) for path in paths]
    finally:
        for place in places:
            place.leave()


def judgments_of(source: Any, reading: Reading) -> Table | None:
    """The table that a path or an open file of judgments is, unless the core reads it."""
    if isinstance(source, (str, Place)):
        table = table_of(source, reading)
        if table is None or table.form != "tsv":
            return table
        try:
            opened: Any = source if isinstance(source, str) else source.open()
            head = Unpacked(opened, limits=reading.limits).read(_BEGINNING)
        except Error:
            return None
        return None if _is_beir(head) else table
    if _is_beir(_beginning(source, reading.limits)):
        return None
    return table_of_stream(source, reading)


def _is_beir(head: bytes) -> bool:
    return head.partition(b"\n")[0].lower().split() == _BEIR


def table_of_stream(stream: Any, reading: Reading) -> Table | None:
    """The table that an open file holds, if it is one; nothing is read from any other."""
    form = reading.form
    if reading.layout is None:
        form = form_of(_beginning(stream, reading.limits), reading.columns)
    if form is None:
        return None
    label = sources.stream_name(stream) or "<stream>"
    return Table(sources.binary(stream).read(), form, label, reading.columns, reading.limits)


class _Stdin:
    """The table that standard input holds: it is read once, and commands look at it twice."""

    stream: Any = None
    table: Table | None = None


def table_of_stdin(stream: Any, reading: Reading) -> Table | None:
    """The same for standard input, also once it is read."""
    if _Stdin.stream is not stream or _Stdin.table is None:
        _Stdin.stream, _Stdin.table = stream, table_of_stream(stream, reading)
    return _Stdin.table


def _beginning(stream: Any, limits: Limits | None) -> bytes:
    """The first unpacked bytes of an open file, which is left where it stands.

    Of a pipe those that it shows before it is read; nothing if it shows none.
    """
    try:
        if stream.seekable():
            place = stream.tell()
            try:
                head = _bytes(stream.read(_BEGINNING))
                if head.startswith(PACKED):
                    # What packs it may be longer than this: as far as it takes.
                    stream.seek(place)
                    head = Unpacked(sources.binary(stream), limits=limits).read(_BEGINNING)
                return head
            finally:
                stream.seek(place)
        return _unpacked(_bytes(stream.peek(_BEGINNING)))
    except (AttributeError, Error, OSError, TypeError, ValueError):
        # Reading it says what is wrong.
        return b""


def _beginning_at(place: Place, limits: Limits | None) -> bytes:
    """The first unpacked bytes of an object at an address."""
    head = place.beginning(_BEGINNING)
    if (unpacked := _unpacked(head)) or not head:
        return unpacked
    try:
        opened: Any = place.open()
        return Unpacked(opened, limits=limits).read(_BEGINNING)
    except Error:
        return b""


def _bytes(head: str | bytes) -> bytes:
    return head.encode("utf-8", "surrogateescape") if isinstance(head, str) else bytes(head)


def _unpacked(head: bytes) -> bytes:
    """The first unpacked bytes of a beginning."""
    if not head.startswith(PACKED):
        return head
    try:
        return Unpacked(io.BytesIO(head)).read(_BEGINNING // 8)
    except Error:
        return b""
