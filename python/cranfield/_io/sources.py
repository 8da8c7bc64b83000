"""Where runs come from, what they are called and which are tables, before any is read.

Patterns and folders become files, files become names, and names that clash
are told apart, so that every later step sees a plain list of sources. Files and
streams are tables by their first bytes, or as was said.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from io import BytesIO

from cranfield._base.errors import failure, name_clash, optional
from cranfield._base.text import readable
from cranfield._core import Error, Qrels, Ranked, Run, SpanRun, Unpacked, is_packed, table_form
from cranfield._io.addresses import (
    WEB,
    is_address,
    local_path,
    parts_of,
    refused,
    shown,
    store_of,
    translated,
)
from cranfield._io.columns import as_columns
from cranfield._io.files import Parts, RemoteObject, Table, size_on_disk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, BinaryIO, TextIO, TypeAlias

    from cranfield._core import Limits

File: TypeAlias = "str | os.PathLike[str] | BinaryIO | TextIO"

STDIN = "-"
"""The path that stands for standard input."""

UNNAMED = "run"
"""What a run is called that has no name."""

FILES = (Table, Parts, RemoteObject)
"""What is more than a path: each has a label, a path and a size, and can be read many times."""

HELD = (Run, Ranked, SpanRun)
"""What is in memory, under its own name."""

COMPRESSED = (".gz", ".zst", ".bz2", ".xz")
"""The suffixes of compressed files."""

_RUN_SUFFIXES = (".run", ".txt", ".res")

_TABLE_SUFFIXES = (
    ".csv",
    ".tsv",
    ".json",
    ".jsonl",
    ".ndjson",
    ".parquet",
    ".arrow",
    ".arrows",
    ".feather",
    ".ipc",
)


class Source:
    """One run to be scored: its name, and an object, a dict, a path, a table or an open file."""

    __slots__ = ("data", "derived", "name")

    def __init__(self, name: str, data: Run | Ranked | str | Any, *, derived: bool = False) -> None:
        self.name = name if name.isascii() else readable(name)
        self.data = data
        self.derived = derived
        """Whether the name was taken from the path and may grow by its folder."""

    def named(self, name: str) -> Source:
        """The same run under a name that its user gave it."""
        if isinstance(self.data, HELD):
            return Source(name, self.data.rename(readable(name)))
        return Source(name, self.data)

    @property
    def path(self) -> str | None:
        """The file or folder that it is read from, if it is one."""
        if isinstance(self.data, str):
            return self.data
        return self.data.path if isinstance(self.data, FILES) else None

    def held(self) -> Source:
        """The same with a copy of what is a dict."""
        if isinstance(self.data, dict):
            return Source(self.name, Run(self.data, name=self.name))
        return self

    def rereadable(self) -> Source:
        """The same, in memory if it can be read only once."""
        if isinstance(self.data, (str, BufferedFile, *HELD, *FILES)):
            return self
        return Source(self.name, BufferedFile(self))

    def opened(self) -> tuple[str | BinaryIO, str | None]:
        """The path, or the open file as one of bytes and what errors call it."""
        if isinstance(self.data, str):
            return self.data, None
        if isinstance(self.data, RemoteObject):
            return self.data.buffered(), self.data.label
        if isinstance(self.data, BufferedFile):
            self.data.seek(0)
        return binary(self.data), stream_name(self.data)

    def for_core(self) -> Any:
        """As the core takes it."""
        if isinstance(self.data, HELD):
            return self.data
        if isinstance(self.data, FILES):
            return self.name, self.data, self.data.label
        if isinstance(self.data, dict):
            return self.name, self.data
        data, label = self.opened()
        return (self.name, data) if label is None else (self.name, data, label)

    def size(self) -> int:
        """Bytes on disk; 0 where that is unknown."""
        return self.data.size or 0 if isinstance(self.data, FILES) else size_on_disk(self.data)


class BufferedFile(BytesIO):
    """The content of an open file in memory, under its name, to be read more than once."""

    def __init__(self, source: Source) -> None:
        stream, name = source.opened()
        super().__init__(b"" if isinstance(stream, str) else stream.read())
        if name is not None:
            self.name = name


def run_name(path: str, *, of_table: bool = False) -> str:
    """A run's name: the file name less compression and run suffixes."""
    return readable(_without_suffixes(path, of_table=of_table))


def _without_suffixes(path: str, *, of_table: bool = False) -> str:
    name = os.path.basename(path)
    for suffixes in (COMPRESSED, _TABLE_SUFFIXES if of_table else (), _RUN_SUFFIXES):
        stem, suffix = os.path.splitext(name)
        if suffix.lower() in suffixes:
            name = stem
    return name or UNNAMED


def expanded(path: str) -> str:
    """A path whose ``~`` is spelled out, or of ``file://``; a file of that name comes first."""
    path = local_path(path)
    return path if os.path.lexists(path) else os.path.expanduser(path)


def is_pattern(text: str) -> bool:
    """Whether a path that does not exist is meant as a glob; an address is not."""
    return "://" not in text and any(c in text for c in "*?[") and not os.path.lexists(text)


def groups(path: str) -> list[str | RemoteObject | Folder]:
    """The files, and the folders that hold one run each, that a path stands for.

    A folder holds one run if its name is ``run=NAME`` or if its files are called
    ``part-*``, as Spark and Beam write them; a folder can hold several such folders.
    Those of a folder or a pattern are sorted; hidden files are left out.
    Raises as ``files`` does.
    """
    if is_address(path):
        return _groups_at(path)
    if is_pattern(path):
        from glob import glob

        found, none = sorted(glob(path, recursive=True)), "no file matches this pattern"
    elif not os.path.isdir(path):
        return [path]
    elif (folder := _one_run(path)) is not None:
        return [folder]
    else:
        found = [os.path.join(path, name) for name in _visible(path)]
        none = "no files in this folder"
    several = [_one_run(one) or (one if os.path.isfile(one) else None) for one in found]
    kept: list[str | RemoteObject | Folder] = [one for one in several if one is not None]
    if not kept:
        raise failure("missing", none, file=path)
    return kept


def files(path: str) -> list[str | RemoteObject]:
    """The files that a path, a folder, a pattern or an address stands for, all of each run.

    A plain path is passed on whether it exists or not. Raises ``Error`` (kind "missing") for a
    folder or a pattern without files.
    """
    found: list[str | RemoteObject] = []
    for one in groups(path):
        found += one.files if isinstance(one, Folder) else [one]
    return found


def _groups_at(address: str) -> list[str | RemoteObject | Folder]:
    """The same at an address: of one object, of a folder, or of a pattern."""
    base, key = parts_of(address)
    objects = [(path, remote) for path, remote in _objects_at(address) if not _is_hidden(path)]
    if len(objects) == 1 and objects[0][0] == key:
        return [objects[0][1]]
    folders: dict[str, list[RemoteObject]] = {}
    for path, remote in objects:
        folders.setdefault(path.rpartition("/")[0], []).append(remote)
    patterned = any(c in key for c in "*?[")
    wanted = translated(key.rstrip("/")) if patterned else None
    listed: list[tuple[str, RemoteObject | Folder]] = []
    for folder, remotes in folders.items():
        inside = folder.rpartition("/")[0] == key.rstrip("/") or folder == key.rstrip("/")
        names = [remote.key.rpartition("/")[2] for remote in remotes]
        path = shown(f"{base}/{folder}")
        one = _run_of_parts(path, folder.rpartition("/")[2], remotes, names)
        if one is not None and (wanted.fullmatch(folder) if wanted else inside):
            listed.append((folder, one))
            continue
        for remote in remotes:
            if wanted.fullmatch(remote.key) if wanted else folder == key.rstrip("/"):
                listed.append((remote.key, remote))
    if not listed:
        what = "no object matches this pattern" if patterned else "no files in this folder"
        raise failure("missing", what, file=shown(address))
    return [one for _, one in sorted(listed, key=lambda pair: pair[0])]


_BESIDE = ("_SUCCESS", "_metadata", "_common_metadata")
"""What Spark writes beside the files of a data set."""


def _is_hidden(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.startswith(".") or name in _BESIDE


def _run_of_parts(
    path: str, name: str, files: Sequence[str | RemoteObject], names: Iterable[str]
) -> Folder | None:
    """The run that the files of a folder, of these names, are the parts of, if they are."""
    if name.startswith(_PARTITION):
        from urllib.parse import unquote

        # Spark writes odd characters as in an address.
        return Folder(path, unquote(name.removeprefix(_PARTITION)), files)
    if files and all(file.startswith(_PART) for file in names):
        return Folder(path, name, files)
    return None


class Folder:
    """A folder whose files are the parts of one run."""

    __slots__ = ("files", "name", "path")

    def __init__(self, path: str, name: str, files: Sequence[str | RemoteObject]) -> None:
        self.path = path
        self.name = name
        self.files = list(files)


_PARTITION = "run="
_PART = "part-"


def _visible(folder: str) -> list[str]:
    return sorted(name for name in os.listdir(folder) if not _is_hidden(name))


def _one_run(path: str) -> Folder | None:
    """The run that a folder holds in parts, if it does."""
    if not os.path.isdir(path):
        return None
    base = os.path.basename(os.path.normpath(path))
    names = [name for name in _visible(path) if not name.startswith("_")]
    files = [p for p in (os.path.join(path, name) for name in names) if os.path.isfile(p)]
    if base.startswith(_PARTITION) and not files:
        raise failure("missing", "no files in this folder", file=path)
    return _run_of_parts(path, base, files, map(os.path.basename, files))


def one_file(path: str, what: str) -> str | RemoteObject:
    """The one file that a path, a glob or an address stands for.

    Raises ``Error`` (kind "missing", or "option" for several matches).
    """
    remote = is_address(path)
    if not remote and not is_pattern(path):
        return path
    several = groups(path)
    if len(several) > 1 or isinstance(several[0], Folder):
        message = f"expected one file for {what}, found {len(several)}"
        raise failure("option", message, file=shown(path) if remote else None)
    return several[0]


def file_source(file: str | RemoteObject, *, of_table: bool = False) -> Source:
    """A source that streams a file, or an object at an address."""
    path = file if isinstance(file, str) else file.label
    return Source(_without_suffixes(path, of_table=of_table), file, derived=True)


def runs_of(table: Table | None, other: Source) -> Iterator[Source]:
    """The runs of a table: one, or those of its column of runs; the other where there is none."""
    if table is None:
        yield other
        return
    runs = table.runs()
    yield from (Source(run.selected or "", run) for run in runs)
    if not runs:
        is_file = table.path is not None
        is_unnamed = not is_file and table.label.startswith("<")
        name = UNNAMED if is_unnamed else run_name(table.label, of_table=True)
        yield Source(name, table, derived=is_file)


def stream_source(stream: Any) -> Source:
    """A source that reads an open file, text or binary."""
    name = stream_name(stream)
    named = name is not None and not name.startswith("<")
    return Source(run_name(name) if name and named else UNNAMED, stream)


def stream_name(stream: Any) -> str | None:
    """The path of an open file, or a name such as ``<stdin>``, if it has one."""
    name = getattr(stream, "name", None)
    return readable(os.fsdecode(name)) if isinstance(name, (str, bytes)) else None


def stdin() -> BinaryIO:
    """Standard input; raises ``Error`` (kind "io") if it is closed."""
    if sys.stdin is None:
        raise failure("io", "expected an open file, found a closed file", file="<stdin>")
    return sys.stdin.buffer


def name_of(file: str | RemoteObject | BinaryIO) -> str:
    """What errors call a file."""
    if isinstance(file, RemoteObject):
        return file.label
    if not isinstance(file, str):
        return stream_name(file) or "<stream>"
    return "<stdin>" if file == STDIN else shown(file) if is_address(file) else file


def opened(file: str | RemoteObject | BinaryIO) -> str | BinaryIO:
    """A path, or what is to be read for one that stands for something else."""
    if file == STDIN:
        return stdin()
    if isinstance(file, str) and not is_address(file):
        return expanded(file)
    if isinstance(file, (str, RemoteObject)):
        remote = RemoteObject(file) if isinstance(file, str) else file
        return remote.buffered()
    return binary(file)


def binary(stream: Any) -> BinaryIO:
    """A file object as one of bytes; raises ``Error`` (kind "io") if it is closed."""
    label = stream_name(stream)
    if getattr(stream, "closed", False):
        raise failure("io", "expected an open file, found a closed file", file=label)
    try:
        is_text, used_up = isinstance(stream.read(0), str), _at_end(stream)
        data: BinaryIO = _encoded(stream) if is_text and not used_up else stream
    except Exception as error:
        message = f"cannot read: {type(error).__name__}: {error}"
        raise failure("io", message, file=label) from error
    if used_up:
        message = "expected a file to read, found one that was already read to its end"
        raise failure("empty", f"{message}: open it again, or call seek(0)", file=label)
    return data


def _at_end(stream: Any) -> bool:
    """Whether all of an open file was read before."""
    try:
        place = stream.tell() if stream.seekable() else 0
    except (AttributeError, OSError):
        # A text file of which lines were taken does not tell.
        return False
    if not place:
        return False
    rest = stream.read(1)
    stream.seek(place)
    return not rest


def _encoded(stream: Any) -> BinaryIO:
    """The bytes of a text file from where it stands.

    That is its buffer if that holds the same bytes: UTF-8, and nothing read
    from it yet. Others are read to the end and encoded.
    """
    buffer: BinaryIO | None = getattr(stream, "buffer", None)
    encoding = (getattr(stream, "encoding", None) or "").lower().replace("_", "-")
    if buffer is not None and encoding in ("utf-8", "utf8", "ascii", "us-ascii"):
        begun = stream.seekable() and stream.tell()
        if not begun:
            return buffer
    text: str = stream.read()
    return BytesIO(text.encode("utf-8", "surrogateescape"))


def read_ahead(sources: list[Source]) -> list[Source]:
    """The same; those at addresses are asked for some files before they are opened."""
    remotes = [source.data for source in sources if isinstance(source.data, RemoteObject)]
    if len(remotes) > 1:
        from cranfield._io.remote import Ahead

        Ahead(remotes)
    return sources


def distinct(sources: Sequence[Source]) -> list[Source]:
    """The same sources with names that differ.

    Names taken from files grow by their folder where they clash. Raises
    ``Error`` (kind "option") for names that clash even then, and for one open
    file as two runs.
    """
    if len(sources) < 2:
        return list(sources)
    _check_streams(sources)
    repeated = {source.name for pair in _clashes(sources) for source in pair}
    result = [
        Source(_with_folder(source), source.data)
        if source.derived and source.name in repeated
        else source
        for source in sources
    ]
    for first, second in _clashes(result):
        found = f"two runs are called {first.name!r}"
        one, other = first.path, second.path
        if one is None or other is None:
            raise name_clash(found)
        if os.path.abspath(one) == os.path.abspath(other):
            raise failure("option", f"{found}: {other} is given twice")
        raise name_clash(f"{found}: {one} and {other}")
    return result


def _check_streams(sources: Sequence[Source]) -> None:
    """Raises ``Error`` if an open file stands for two runs: it is read once."""
    seen: dict[int, str] = {}
    for source in sources:
        if isinstance(source.data, (dict, str, *HELD, *FILES)):
            continue
        earlier = seen.get(id(source.data))
        if earlier is not None:
            message = f"the same stream stands for runs `{earlier}` and `{source.name}`"
            raise failure("option", message)
        seen[id(source.data)] = source.name


def _clashes(sources: Sequence[Source]) -> Iterator[tuple[Source, Source]]:
    """Pairs of sources with one name."""
    seen: dict[str, Source] = {}
    for source in sources:
        earlier = seen.setdefault(source.name, source)
        if earlier is not source:
            yield earlier, source


def _with_folder(source: Source) -> str:
    path = os.path.abspath(str(source.path))
    folder = os.path.basename(os.path.dirname(path))
    return f"{folder}/{source.name}" if folder else source.name


def _objects_at(address: str) -> Iterator[tuple[str, RemoteObject]]:
    """The objects of a folder or a pattern, sorted, with their keys.

    An address of one object yields that. Raises ``Error``: kind "missing" if there are
    none, "option" for a pattern or a folder on a server that lists nothing.
    """
    base, key = parts_of(address)
    optional("obstore", f"reading {shown(address)}", "cloud")
    web = base.partition("://")[0] in WEB
    patterned = any(c in key for c in "*?[")
    if web:
        if patterned or not key or key.endswith("/"):
            message = "HTTP servers do not list files: name each one"
            raise failure("option", message, file=shown(address))
        yield key, RemoteObject(address)
        return
    if not patterned and key and not key.endswith("/"):
        remote = RemoteObject(address)
        try:
            remote.looked_up()
        except Exception as error:
            if getattr(error, "kind", None) != "missing":
                raise
        else:
            yield key, remote
            return
    import re

    literal = re.split(r"[*?\[]", key, maxsplit=1)[0]
    prefix = literal.rpartition("/")[0] if patterned else key.rstrip("/")
    empty = True
    for meta in _listed(base, prefix, address):
        empty = False
        path = meta["path"]
        yield path, RemoteObject(f"{base}/{path}", meta["size"], meta.get("e_tag"))
    if empty:
        message = "no object matches this pattern" if patterned else "there is no such object"
        raise failure("missing", message, file=shown(address))


def _listed(base: str, prefix: str, address: str) -> list[Any]:
    from cranfield._io.remote import answered, listed

    try:
        metas = answered(listed, store_of(base), prefix or None)
    except Exception as error:
        raise refused(error, shown(address), "list these objects") from None
    return sorted(metas, key=lambda meta: str(meta["path"]))


def one_given(source: object, function: str, what: str) -> Any:
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


FORMS = ("csv", "tsv", "json", "jsonl", "parquet", "arrow")
"""The forms, as ``run_layout`` calls them."""

_HEAD = 4096

_BEIR = [b"query-id", b"corpus-id", b"score"]
"""The header of BEIR's judgments, which the core reads."""


def table_of(
    source: Any, options: Mapping[str, Any] | None, *, judgments: bool = False
) -> Table | None:
    """The table that a path, an object at an address or an open file is, if it is one.

    Of the options of reading ``run_layout``, ``columns`` and ``limits`` are looked at. Nothing is
    read from an open file that is none. Raises ``Error`` (kind "option") for columns that are no
    {kind: column}.
    """
    options = options or {}
    layout, columns, limits = map(options.get, ("run_layout", "columns", "limits"))
    columns = {} if columns is None else as_columns(columns)
    form = layout if isinstance(layout, str) and layout in FORMS else None
    if layout is None:
        head = beginning(source, limits)
        form = table_form(head, columns)
        if judgments and head.partition(b"\n")[0].lower().split() == _BEIR:
            return None
    if form is None:
        return None
    label = source
    if isinstance(source, RemoteObject):
        label = source.label
    elif not isinstance(source, str):
        label = stream_name(source) or "<stream>"
        source = binary(source).read()
    return Table(source, form, label, columns, limits)


def tables_of(
    paths: Sequence[str | RemoteObject], options: Mapping[str, Any] | None
) -> list[Table | None]:
    """The same of several; servers are asked at the same time."""
    is_named = options is not None and options.get("run_layout") is not None
    remote = [path for path in paths if not is_named and isinstance(path, RemoteObject)]
    try:
        for one in remote:
            one.begin(_HEAD)
        return [table_of(path, options) for path in paths]
    finally:
        for one in remote:
            one.leave()


class _Stdin:
    """The table that standard input holds: it is read once, and commands look at it twice."""

    stream: Any = None
    table: Table | None = None


def table_of_stdin(stream: Any, options: Mapping[str, Any] | None) -> Table | None:
    """The same for standard input, also once it is read."""
    if _Stdin.stream is not stream or _Stdin.table is None:
        _Stdin.stream, _Stdin.table = stream, table_of(stream, options)
    return _Stdin.table


def beginning(source: Any, limits: Limits | None = None) -> bytes:
    """The first unpacked bytes; none where these cannot be read, of which reading says why."""
    if isinstance(source, str):
        head = beginning_of_file(source)
    elif isinstance(source, RemoteObject):
        head = source.beginning(_HEAD)
    else:
        return _beginning_of_stream(source, limits)
    if not is_packed(head):
        return head
    found = _unpacked(io.BytesIO(head), None)
    # What packs it may be long, and of several members the first may be short.
    is_enough = len(found) == _HEAD or len(head) < _HEAD
    return found if is_enough else _unpacked(source, limits)


def _beginning_of_stream(stream: Any, limits: Limits | None) -> bytes:
    """The first unpacked bytes of an open file, which is left where it stands.

    Of a pipe those that it shows before it is read; nothing if it shows none.
    """
    try:
        if not stream.seekable():
            head = _bytes(stream.peek(_HEAD))
            return _unpacked(io.BytesIO(head), None) if is_packed(head) else head
        place = stream.tell()
        try:
            head = _bytes(stream.read(_HEAD))
            if is_packed(head):
                # What packs it may be longer than this: as far as it takes.
                stream.seek(place)
                head = _unpacked(binary(stream), limits)
            return head
        finally:
            stream.seek(place)
    except (AttributeError, Error, OSError, TypeError, ValueError):
        # Reading it says what is wrong.
        return b""


def _bytes(head: str | bytes) -> bytes:
    return head.encode("utf-8", "surrogateescape") if isinstance(head, str) else bytes(head)


def _unpacked(source: Any, limits: Limits | None) -> bytes:
    """The first unpacked bytes; none where it cannot be unpacked."""
    try:
        opened: Any = source.open() if isinstance(source, RemoteObject) else source
        return Unpacked(opened, limits=limits).read(_HEAD)
    except Error:
        return b""


def beginning_of_file(path: str) -> bytes:
    """The first bytes of a regular file; none of any other, and of one that cannot be read."""
    try:
        # A pipe is not opened here: its writer would go on, and find nobody who reads.
        if not stat.S_ISREG(os.stat(path).st_mode):
            return b""
        opened = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return b""
    try:
        return os.read(opened, _HEAD) if stat.S_ISREG(os.fstat(opened).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(opened)
