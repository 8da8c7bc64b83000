"""Runs in parts of whole topics: tables, which are read outside of the core, and several files."""

from __future__ import annotations

import io
import os

from cranfield._base.errors import failure, moved
from cranfield._core import Error, Qrels, Run, joined_runs
from cranfield._io.place import Place
from cranfield._io.table_columns import FORMS, PACKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, BinaryIO

    from cranfield._core import Limits
    from cranfield._io.table_columnar import Columnar
    from cranfield._io.table_guarded import Pieces
    from cranfield._io.table_rows import Rows

_COLUMNAR = ("parquet", "arrow")


class Table:
    """A run, or judgments, in a file of one of the forms of tables.

    Nothing is read before it is asked for, and everything can be asked for again.

    Parameters
    ----------
    origin
        A path, the content, or a ``Place``.
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
        assert form in FORMS
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
        if isinstance(self.origin, Place):
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
        """Runs of whole topics, one after another, if the rows of each topic stand together."""
        empty = True
        with self._named():
            for part in self._run_parts():
                empty = False
                yield part
        if empty:
            raise failure("empty", "expected rows of a run, found none", file=self.label)

    def _run_parts(self) -> Iterator[Run]:
        # The readers of tables are imported when there is one.
        if self.form in _COLUMNAR:
            from cranfield._io import table_columnar as columnar

            found = self._columnar("score")
            for table in columnar.whole_topics(self._batches(found), found._arrow):
                yield Run.from_arrow(table, **found.names(), name="run")
            return
        from cranfield._io import table_rows as rows

        for part in rows.whole_topics(self._rows("score")):
            yield self._run_of_rows(part)

    def run(self) -> Run:
        """The run, of which a topic may come in pieces; raises ``Error`` for what is wrong."""
        with self._named():
            if self.form in _COLUMNAR:
                columnar = self._columnar("score")
                batches = list(self._batches(columnar))
                if batches:
                    joined = _joined(columnar, batches)
                    return Run.from_arrow(joined, **columnar.names(), name="run")
            else:
                found = self._joined_rows("score")
                if len(found):
                    return self._run_of_rows(found)
        raise failure("empty", "expected rows of a run, found none", file=self.label)

    def qrels(self, docs_in_collection: int | None = None) -> Qrels:
        """The judgments; raises ``Error`` for what is wrong."""
        with self._named():
            if self.form in _COLUMNAR:
                columnar = self._columnar("grade")
                batches = list(columnar.batches())
                if batches:
                    return Qrels.from_arrow(
                        _joined(columnar, batches),
                        **columnar.names(),
                        docs_in_collection=docs_in_collection,
                    )
            else:
                found = self._joined_rows("grade")
                if len(found):
                    return Qrels.from_rows(
                        found.topic, found.doc, found.grade, docs_in_collection=docs_in_collection
                    )
        raise failure("empty", "expected judgments, found none", file=self.label)

    def runs(self) -> list[Table]:
        """The runs in the column of runs, in the order of the rows; none without it."""
        if self.selected is not None:
            return []
        with self._named():
            if self.form in _COLUMNAR:
                names = self._columnar("score").run_names()
                return [self.of_run(run, pieces) for run, pieces in names.items()]
            found: dict[str, None] = {}
            for part in self._rows("score"):
                if not part.run and not found:
                    # A file without the column is not read to its end for its sake.
                    return []
                if len(part.run) != len(part):
                    message = "expected a run in every row or in none, found both"
                    raise failure("fields", message, file=self.label)
                found.update(dict.fromkeys(map(str, part.run)))
            return [self.of_run(run) for run in found]

    def _named(self) -> _Named:
        return _Named(self.label)

    def _batches(self, columnar: Columnar) -> Iterator[Any]:
        return columnar.batches(self.selected, self._pieces)

    def _columnar(self, what: str) -> Columnar:
        source = self.origin
        if isinstance(source, str):
            with open(source, "rb") as file:
                packed = file.read(6).startswith(PACKED)
            if packed:
                source = io.BytesIO(self._content())
        elif isinstance(source, bytes):
            packed = source.startswith(PACKED)
            source = io.BytesIO(self._content() if packed else source)
        else:
            head = source.beginning(6)
            packed = head.startswith(PACKED)
            # pyarrow expects as many bytes as it asks for.
            source = io.BytesIO(self._content()) if packed else source.buffered()
        from cranfield._io.table_columnar import Columnar

        return Columnar(
            source,
            self.form,
            self.label,
            self._columns,
            what=what,
            limits=self._limits,
            size=self.size,
        )

    def _joined_rows(self, what: str) -> Rows:
        from cranfield._io.table_rows import Rows

        found = Rows()
        for part in self._rows(what):
            found.add(part)
        return found

    def _rows(self, what: str) -> Iterator[Rows]:
        for found in self._all_rows(what):
            yield found if self.selected is None else found.of_run(self.selected)

    def _all_rows(self, what: str) -> Iterator[Rows]:
        from cranfield._io import table_rows as rows

        if self.form == "json":
            return rows.of_document(self._content(), self.label, self._columns, what=what)
        stream = self._stream()
        if self.form == "jsonl":
            return rows.of_lines(stream, self.label, self._columns, what=what, limits=self._limits)
        separator = "," if self.form == "csv" else "\t"
        return rows.of_text(
            stream, self.label, separator, self._columns, what=what, limits=self._limits
        )

    def _stream(self) -> BinaryIO:
        """The unpacked bytes from the beginning."""
        origin = self.origin
        if isinstance(origin, bytes):
            origin = io.BytesIO(origin)
        elif not isinstance(origin, str):
            origin = origin.open()
        from cranfield._io.unpacking import unpacked

        return unpacked(origin, self.label, self._limits)

    def _content(self) -> bytes:
        return self._stream().read()

    def _run_of_rows(self, found: Rows) -> Run:
        number = len(found)
        ranks = found.rank if len(found.rank) == number else None
        scores = found.score if len(found.score) == number else None
        if scores is None and ranks is None:
            message = "expected a score in every row, or a rank in every row; found some without"
            raise failure("fields", message, file=self.label)
        return Run.from_rows(found.topic, found.doc, scores, ranks=ranks, name="run")


class Parts:
    """The parts of one run, read one after another.

    Parameters
    ----------
    label
        What errors about the whole call it, such as its folder.
    members
        A path, a ``Place`` or a ``Table`` for each part.
    options
        Those of reading files in lines: ``lenient``, ``limits``, ``run_layout``.

    """

    __slots__ = ("_members", "_options", "label")

    def __init__(
        self, label: str, members: Sequence[str | Table | Place], options: dict[str, Any]
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
    def members(self) -> list[str | Table | Place]:
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
            elif isinstance(member, Place):
                yield Run.read(member.buffered(), name="run", label=member.label, **self._options)
            else:
                yield Run.read(member, name="run", **self._options)

    def run(self) -> Run:
        """The whole run; raises ``Error`` (kind "topics") for a topic in two parts."""
        return joined_runs(list(self.parts()), self.label)


def _size_of(file: str | Table | Place) -> int:
    """Bytes on disk of what is a path or has a size; 0 where that is unknown."""
    return file.size or 0 if isinstance(file, (Table, Place)) else size_on_disk(file)


def size_on_disk(path: object) -> int:
    """The bytes of a file; 0 for one that is not there, and for what is no path."""
    try:
        return os.stat(path).st_size if isinstance(path, str) else 0
    except OSError:
        return 0


class _Named:
    """Errors without a file are about the one of this name."""

    def __init__(self, label: str) -> None:
        self._label = label

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Error) and error.file is None:
            raise moved(error, file=self._label, line=error.line) from error
        if isinstance(error, FileNotFoundError):
            raise failure("missing", "there is no such file", file=self._label) from error
        if isinstance(error, OSError):
            message = f"cannot read this file: {error.strerror or error}"
            raise failure("io", message, file=self._label) from error


def _joined(columnar: Columnar, batches: list[Any]) -> Any:
    return columnar._arrow.Table.from_batches(batches)
