"""Files that can be read many times: tables, runs in several files, objects at addresses."""

from __future__ import annotations

import io
import os
from contextlib import contextmanager

from cranfield._base.errors import failure, moved
from cranfield._base.text import readable
from cranfield._core import Error, Qrels, Run, TextTable, Unpacked, is_packed, joined_runs
from cranfield._io.addresses import RemoteAddress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from cranfield._core import Limits
    from cranfield._io.arrow_files import Columnar, Pieces
    from cranfield._io.remote import RemoteFile

_COLUMNAR = ("parquet", "arrow")


class Table:
    """A run, or judgments, in a file of one of the forms of tables.

    Nothing is read before it is asked for, and everything can be asked for again.

    Parameters
    ----------
    origin
        A path, the content, or a ``RemoteObject``.
    form
        One of ``FORMS``.
    label
        What errors call the file.
    columns
        {kind: column} of those with other than the usual names.
    limits
        Limits on decompression.
    run
        Of which run in the column of runs; all rows are one run if not given.
    pieces
        In which pieces of the file it is, if that is known.

    """

    __slots__ = ("_columns", "_limits", "_pieces", "form", "label", "origin", "selected")

    def __init__(
        self,
        origin: Any,
        form: str,
        label: str,
        columns: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        run: str | None = None,
        pieces: Pieces = None,
    ) -> None:
        self.origin = origin
        self.form = form
        self.label = label
        self._columns = dict(columns or {})
        self._limits = limits
        self.selected = run
        self._pieces = pieces

    def __repr__(self) -> str:
        return f"<Table {self.form}: {self.label}>"

    @property
    def path(self) -> str | None:
        """Where it is, if it is a file."""
        if isinstance(self.origin, RemoteObject):
            return self.label
        return self.origin if isinstance(self.origin, str) else None

    def of_run(self, run: str, pieces: Pieces = None) -> Table:
        """The same, of one run of the column of runs, and of the pieces where it is."""
        known = (self.origin, self.form, self.label, self._columns, self._limits)
        return Table(*known, run, pieces)

    @property
    def size(self) -> int:
        """Bytes on disk; 0 where that is unknown."""
        if isinstance(self.origin, bytes):
            return len(self.origin)
        return _size_of(self.origin)

    def parts(self) -> Iterator[Run]:
        """Runs of whole topics, one after another, if the rows of each topic are contiguous."""
        empty = True
        with _named(self.label):
            for part in self._run_parts():
                empty = False
                yield part
        if empty:
            raise failure("empty", "expected rows of a run, found none", file=self.label)

    def _run_parts(self) -> Iterator[Run]:
        if self.form not in _COLUMNAR:
            yield from self._text("score")
            return
        from cranfield._io.arrow_files import whole_topics

        found = self._columnar("score")
        for table in whole_topics(found.batches(self.selected, self._pieces)):
            yield Run.from_arrow(table, **found.names(), name="run")

    def run(self) -> Run:
        """The run, of which a topic may come in pieces; raises ``Error`` for what is wrong."""
        found: Run | None = self._read("score", "run", name="run")
        if found is None:
            raise failure("empty", "expected rows of a run, found none", file=self.label)
        return found

    def qrels(self, docs_in_collection: int | None = None) -> Qrels:
        """The judgments; raises ``Error`` for what is wrong."""
        found: Qrels | None = self._read("grade", "qrels", docs_in_collection=docs_in_collection)
        if found is None:
            raise failure("empty", "expected judgments, found none", file=self.label)
        return found

    def _read(self, value: str, what: str, **options: Any) -> Any:
        """All rows as a run or as judgments; None without a row."""
        with _named(self.label):
            if self.form not in _COLUMNAR:
                text = self._text(value)
                return text.run() if what == "run" else text.qrels(**options)
            columnar = self._columnar(value)
            table = columnar.table(self.selected, self._pieces)
            made: Any = Run.from_arrow if what == "run" else Qrels.from_arrow
            return table and made(table, **columnar.names(), **options)

    def runs(self) -> list[Table]:
        """The runs in the column of runs, in the order of the rows; none without it."""
        if self.selected is not None:
            return []
        with _named(self.label):
            if self.form in _COLUMNAR:
                names = self._columnar("score").run_names()
                return [self.of_run(run, pieces) for run, pieces in names.items()]
            return [self.of_run(run) for run in self._text("score").run_names()]

    def _opened(self) -> Any:
        """What reads it from the beginning: a path, or an open file."""
        if isinstance(self.origin, bytes):
            return io.BytesIO(self.origin)
        return self.origin if isinstance(self.origin, str) else self.origin.open()

    def _text(self, what: str) -> TextTable:
        """What reads a table of text from the beginning."""
        return TextTable(
            self._opened(),
            self.form,
            label=self.label,
            columns=self._columns,
            value=what,
            limits=self._limits,
            run=self.selected,
        )

    def _columnar(self, what: str) -> Columnar:
        from cranfield._io.arrow_files import ArrowFile, Columnar

        source = self.origin if isinstance(self.origin, RemoteObject) else self._opened()
        if isinstance(source, str):
            with open(source, "rb") as file:
                head = file.read(16)
        else:
            is_remote = isinstance(source, RemoteObject)
            head = source.beginning(16) if is_remote else self.origin[:16]
        if is_packed(head):
            label = readable(self.label)
            packed = Unpacked(self._opened(), label=label, limits=self._limits)
            source = io.BytesIO(packed.read())
        elif isinstance(source, RemoteObject):
            # pyarrow expects as many bytes as it asks for.
            source = source.buffered()
        opened = ArrowFile(source, self.form, self.label, self._limits, self.size)
        return Columnar(opened, self._columns, what)


class Parts:
    """The parts of one run, read one after another.

    Parameters
    ----------
    label
        What errors about the whole call it, such as its folder.
    members
        A path, a ``RemoteObject`` or a ``Table`` for each part.
    options
        Those of reading files in lines: ``lenient``, ``limits``, ``run_layout``.

    """

    __slots__ = ("_members", "_options", "label")

    def __init__(
        self, label: str, members: Sequence[str | Table | RemoteObject], options: dict[str, Any]
    ) -> None:
        self.label = label
        self._members = list(members)
        self._options = options

    @property
    def path(self) -> str:
        """The folder."""
        return self.label

    @property
    def files(self) -> list[str]:
        """The files of the parts."""
        return [member if isinstance(member, str) else member.label for member in self._members]

    @property
    def members(self) -> list[str | Table | RemoteObject]:
        """What reads each part."""
        return self._members

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(map(_size_of, self._members))

    def parts(self) -> Iterator[Run]:
        """Runs of whole topics, one after another; raises as reading them does."""
        for member in self._members:
            if isinstance(member, Table):
                yield from member.parts()
            elif isinstance(member, RemoteObject):
                yield Run.read(member.buffered(), name="run", label=member.label, **self._options)
            else:
                yield Run.read(member, name="run", **self._options)

    def run(self) -> Run:
        """The whole run; raises ``Error`` (kind "topics") for a topic in two parts."""
        return joined_runs(list(self.parts()), self.label)


class RemoteObject(RemoteAddress):
    """An object at an address, which can be read any number of times."""

    __slots__ = ()

    def looked_up(self) -> RemoteObject:
        """The same, with its size and version; raises ``Error`` (kinds "missing", "io")."""
        if self.size is None:
            from cranfield._io.remote import answered, look_up

            answered(look_up, self)
        return self

    def open(self) -> RemoteFile:
        """A binary file of it, from the beginning."""
        from cranfield._io.remote import RemoteFile

        return RemoteFile(self)

    def buffered(self) -> io.BufferedReader:
        """The same, of which many bytes are read at a time."""
        return io.BufferedReader(self.open(), 1 << 16)

    @property
    def path(self) -> str:
        """What it is called."""
        return self.label

    def begin(self, size: int) -> None:
        """Asks for its first bytes, before these are needed."""
        from cranfield._io.remote import beginning, begun

        self._begun = begun(beginning, self, size)

    def leave(self) -> None:
        """Takes back what was asked for and not needed."""
        if self._begun is not None:
            self._begun.cancel()
            self._begun = None

    def beginning(self, size: int) -> bytes:
        """Its first bytes; none if it cannot be read, of which reading it says why."""
        from cranfield._io.remote import awaited

        if self._begun is None:
            self.begin(size)
        future, self._begun = self._begun, None
        assert future is not None
        try:
            return awaited(future)
        except Exception:
            try:
                with self.open() as file:
                    return file.read(size) or b""
            except Exception:
                return b""


def _size_of(file: str | Table | RemoteObject) -> int:
    """Bytes on disk of what is a path or has a size; 0 where that is unknown."""
    return file.size or 0 if isinstance(file, (Table, RemoteObject)) else size_on_disk(file)


def size_on_disk(path: object) -> int:
    """The bytes of a file; 0 for one that is not there, and for what is no path."""
    try:
        return os.stat(path).st_size if isinstance(path, str) else 0
    except OSError:
        return 0


@contextmanager
def _named(label: str) -> Iterator[None]:
    """Errors without a file are about the one of this name."""
    try:
        yield
    except Error as error:
        if error.file is not None:
            raise
        raise moved(error, file=label, line=error.line) from error
    except FileNotFoundError as error:
        raise failure("missing", "there is no such file", file=label) from error
    except OSError as error:
        message = f"cannot read this file: {error.strerror or error}"
        raise failure("io", message, file=label) from error
