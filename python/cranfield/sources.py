"""Where runs come from and what they are called, before any is read.

Patterns and folders become files, files become names, and names that clash
are told apart, so that every later step sees a plain list of sources.
"""

from __future__ import annotations

import os
import sys

from cranfield._core import Run
from cranfield.errors import failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, BinaryIO

STDIN = "-"
"""The path that stands for standard input."""

UNNAMED = "run"
"""What a run is called that has no name."""

_COMPRESSED = (".gz", ".zst", ".bz2", ".xz")
_RUN_SUFFIXES = (".run", ".txt", ".res")


class Source:
    """One run to be scored: its name, and an object, a path or a stream."""

    __slots__ = ("data", "derived", "name")

    def __init__(self, name: str, data: Run | str | BinaryIO, *, derived: bool = False) -> None:
        self.name = name
        self.data = data
        self.derived = derived
        """Whether the name was taken from the path and may grow by its folder."""

    def named(self, name: str) -> Source:
        """The same run under a name that its user gave it."""
        data = self.data.rename(name) if isinstance(self.data, Run) else self.data
        return Source(name, data)

    def for_core(self) -> Run | tuple[str, str | BinaryIO]:
        """As the core takes it."""
        return self.data if isinstance(self.data, Run) else (self.name, self.data)

    def size(self) -> int:
        """Bytes on disk; 0 where nobody can know."""
        if not isinstance(self.data, str):
            return 0
        try:
            return os.stat(self.data).st_size
        except OSError:
            return 0


def run_name(path: str) -> str:
    """A run's name: the file name less compression and run suffixes.

    Bytes that are no UTF-8 are replaced: a name is printed and written.
    """
    name = os.fsencode(os.path.basename(path)).decode("utf-8", "replace")
    for suffixes in (_COMPRESSED, _RUN_SUFFIXES):
        stem, suffix = os.path.splitext(name)
        if suffix.lower() in suffixes:
            name = stem
    return name or UNNAMED


def is_pattern(text: str) -> bool:
    """Whether a path that does not exist is meant as a glob."""
    return any(c in text for c in "*?[") and not os.path.lexists(text)


def matches(pattern: str) -> list[str]:
    """The files that a glob matches, sorted.

    Raises ``Error`` (kind "missing") if there are none.
    """
    from glob import glob

    found = sorted(filter(os.path.isfile, glob(pattern, recursive=True)))
    if not found:
        raise failure("missing", "no file matches this pattern", file=pattern)
    return found


def files(path: str) -> list[str]:
    """The files that a path, a folder or a glob stands for.

    Of a folder every regular file that is not hidden, sorted. Raises
    ``Error`` (kind "missing") for a folder without files and for a glob
    without matches; a plain path is passed on whether it exists or not.
    """
    if is_pattern(path):
        return matches(path)
    if not os.path.isdir(path):
        return [path]
    names = sorted(name for name in os.listdir(path) if not name.startswith("."))
    found = list(filter(os.path.isfile, (os.path.join(path, name) for name in names)))
    if not found:
        raise failure("missing", "no files in this folder", file=path)
    return found


def one_file(path: str, what: str) -> str:
    """The one file that a path or a glob stands for.

    Raises ``Error`` (kind "missing", or "option" for several matches).
    """
    if not is_pattern(path):
        return path
    found = matches(path)
    if len(found) > 1:
        raise failure("option", f"expected one file for {what}, found {len(found)}")
    return found[0]


def path_source(path: str) -> Source:
    """A source that streams a file, or standard input."""
    if path == STDIN:
        return Source(UNNAMED, sys.stdin.buffer)
    return Source(run_name(path), path, derived=True)


def stream_source(stream: Any) -> Source:
    """A source that reads an open file, text or binary."""
    name = stream_name(stream)
    return Source(UNNAMED if name is None else run_name(name), binary(stream))


def stream_name(stream: Any) -> str | None:
    """The path of an open file, if it has one."""
    name = getattr(stream, "name", None)
    return name if isinstance(name, str) and not name.startswith("<") else None


def binary(stream: Any) -> BinaryIO:
    """A file object as one of bytes."""
    data: BinaryIO = stream
    if isinstance(stream.read(0), str):
        data = _encoded(stream)
    return data


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
    from io import BytesIO

    text: str = stream.read()
    return BytesIO(text.encode("utf-8", "surrogateescape"))


def distinct(sources: Sequence[Source]) -> list[Source]:
    """The same sources with names that differ.

    Names taken from files grow by their folder where they clash. Raises
    ``Error`` (kind "option") for names that clash even then.
    """
    repeated = _repeated(sources)
    result = [
        Source(_with_folder(source), source.data)
        if source.derived and source.name in repeated
        else source
        for source in sources
    ]
    for name in sorted(_repeated(result)):
        raise failure(
            "option",
            f"two runs are called {name!r}; name them yourself: "
            f"{{{name + ' 1'!r}: run, {name + ' 2'!r}: other}}",
        )
    return result


def _repeated(sources: Sequence[Source]) -> set[str]:
    seen: set[str] = set()
    repeated: set[str] = set()
    for source in sources:
        (repeated if source.name in seen else seen).add(source.name)
    return repeated


def _with_folder(source: Source) -> str:
    path = os.path.abspath(str(source.data))
    folder = os.path.basename(os.path.dirname(path))
    return f"{folder}/{source.name}" if folder else source.name
