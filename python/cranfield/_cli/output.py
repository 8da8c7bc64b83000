"""Where output goes: standard output, or a file that appears when complete."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

from cranfield._base.errors import failure, optional
from cranfield._cli import messages
from cranfield._cli.errors import UsageError
from cranfield._core import OTHER_SUFFIXES, write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from cranfield._core import Error, Qrels, Run

STDOUT = "-"
"""The path that stands for standard output."""


def check(path: str) -> None:
    """Raises ``Error`` early if a file cannot be written there.

    Kind "directory" for a folder, "missing" for an empty name and for a folder
    that is not there.
    """
    if path == STDOUT:
        return
    if not path:
        raise failure("missing", "the file's name is empty")
    if os.path.isdir(path):
        message = "expected a file to write, found a folder"
        raise failure("directory", message, file=path)
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise failure("missing", f"there is no folder {folder}", file=path)


def form(
    path: str,
    asked: str | None,
    suffixes: Mapping[str, str],
    default: str,
    *,
    text: Container[str] = (),
    option: str = "or --format",
) -> str:
    """The format asked for, or else that of the file's suffix.

    A default among the formats of ``text`` also stands for suffixes that name no
    format at all, and these formats may be compressed.

    Raises ``UsageError`` for a suffix that names another format or none, and for that of a
    compressed file, and as ``check`` does.
    """
    check(path)
    stem, suffix = os.path.splitext(path)
    from cranfield._io.sources import COMPRESSED

    packed = suffix.lower() in COMPRESSED
    if packed:
        suffix = os.path.splitext(stem)[1]
    found = asked or (suffixes.get(suffix.lower()) if suffix else default)
    if found is None and default in text and suffix.lower()[1:] not in OTHER_SUFFIXES:
        found = default
    if packed and found not in text:
        what = found or default
        advice = f"write {stem} and compress that"
        raise UsageError(f"{path}: {what} is written without compression; {advice}")
    if found is None:
        known = " ".join(suffixes)
        expected = f"expected one of the suffixes {known}, {option}"
        raise UsageError(f"{path}: {expected}; found {suffix}")
    return found


def check_several(*paths: str | None) -> None:
    """As ``check`` for each; raises ``UsageError`` for one file that is to be written twice."""
    found: set[str] = set()
    for path in paths:
        if path is None:
            continue
        check(path)
        place = path if path == STDOUT else os.path.realpath(path)
        if place in found:
            raise UsageError(f"{path} is named for two outputs, of which one would be lost")
        if place == STDOUT or not os.path.lexists(path) or os.path.isfile(path):
            found.add(place)


def write(path: str, data: bytes) -> None:
    """Writes bytes to a file, all or nothing, or to standard output.

    Raises ``Error`` (kind "io") if the system refuses.
    """
    if path == STDOUT:
        with stdout() as stream:
            stream.write(data)
        return
    # The file may be the one to which standard output goes.
    flush()
    write_file(path, data)


def width(path: str) -> int | None:
    """How many columns a table for people may take; None: as many as it needs.

    That is how many COLUMNS says or else the terminal has, and nothing for files and pipes:
    programs that use readline set COLUMNS for all that they start.
    """
    if path != STDOUT or sys.stdout is None or not sys.stdout.isatty():
        return None
    try:
        columns = int(
            os.environ.get("COLUMNS") or os.get_terminal_size(sys.stdout.fileno()).columns
        )
    except (OSError, ValueError):
        return None
    return columns if columns > 0 else None


def page(path: str, title: str, heading: str, body: bytes) -> None:
    """Writes a page with tables of HTML.

    Raises ``ImportError`` without Jinja2, and as ``write``.
    """
    optional("jinja2", "a page of HTML", extra="report")
    from cranfield._pages.page import of_tables

    text = of_tables(title, heading, body.decode("utf-8", "surrogateescape"))
    write(path, text.encode("utf-8", "surrogateescape"))


@contextmanager
def stdout() -> Iterator[_Lines]:
    """Standard output for bytes, written out when the block ends.

    A terminal shows control characters as escapes, a log what would be a command; a file or a
    pipe gets the bytes.

    Raises ``Error`` (kind "io") if the system refuses or if it is closed. A
    reader that leaves is a ``BrokenPipeError``.
    """
    if sys.stdout is None:
        raise failure("io", "cannot write standard output: it is closed")
    try:
        # What a user's file printed comes before.
        sys.stdout.flush()
        lines = _Lines()
        yield lines
        lines.end()
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        discard()
        raise _refused("standard output", error) from error


class _Lines:
    """Standard output by whole lines, which gets nothing that controls its reader."""

    def __init__(self) -> None:
        self._rest = b""

    def write(self, data: bytes) -> int:
        lines, ended, self._rest = (self._rest + data).rpartition(b"\n")
        sys.stdout.buffer.write(messages.harmless(lines + ended, sys.stdout))
        return len(data)

    def end(self) -> None:
        """Writes a last line that has no end."""
        sys.stdout.buffer.write(messages.harmless(self._rest, sys.stdout))


def write_content(path: str, content: Qrels | Run, form: str) -> None:
    """Writes judgments or a run; by way of a file to the terminal or a pipe."""
    from shutil import copyfileobj
    from tempfile import TemporaryDirectory

    if path != STDOUT:
        content.write(path, format=form)
        return
    # So that Python sees it if the reader leaves.
    with TemporaryDirectory(prefix="cranfield-") as folder:
        own = os.path.join(folder, "output")
        content.write(own, format=form)
        with open(own, "rb") as file, stdout() as stream:
            copyfileobj(file, stream)


def flush() -> None:
    """Writes out what standard output still holds; raises as ``stdout``."""
    if sys.stdout is not None:
        with stdout():
            pass


def discard() -> None:
    """Discards what standard output still holds.

    Python would complain about it at exit, when it flushes.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refused(what: str, error: OSError) -> Error:
    return failure("io", f"cannot write {what}: {error.strerror or error}")
