"""Standard output and standard error, and the errors that a command line ends with."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import contextmanager, suppress

from cranfield._base.errors import failure, for_command_line
from cranfield._core import escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import IO, Any

    from cranfield._core import Error


class UsageError(Exception):
    """Arguments that do not fit together."""


class UnusableRunsError(Exception):
    """Several runs were given, and some cannot be used; ``errors`` says why of each."""

    def __init__(self, errors: Sequence[Error], runs: int) -> None:
        super().__init__("\n".join(map(str, errors)))
        self.errors = errors
        self.runs = runs

    def report(self) -> None:
        """Writes one line for each run, and that the others were not written."""
        for error in self.errors:
            fail(error)
        what = f"{len(self.errors)} of {self.runs} runs cannot be used"
        others = "" if len(self.errors) == self.runs else "; --keep-going leaves them out"
        say(f"{what}, so nothing was written{others}")


def say(*lines: str) -> None:
    """Writes lines to standard error."""
    from cranfield._base.text import printable

    for line in lines:
        _make_room()
        write(f"cranfield: {printable(line)}\n")


_quiet = False
"""Whether notes are left out."""


def quieten(is_quiet: bool) -> None:
    """Leaves notes out from now on, or no longer."""
    global _quiet
    _quiet = is_quiet


def note(*lines: str) -> None:
    """As ``say`` unless notes are left out (``--quiet``)."""
    if not _quiet:
        say(*lines)


def fail(error: Exception) -> None:
    """Writes an error to standard error; those of measures have lines of their own."""
    from cranfield._base.text import printable

    _make_room()
    text = for_command_line(error)
    if getattr(error, "kind", None) in ("measure", "parameter"):
        text = "\n".join(map(printable, text.split("\n")))
    else:
        text = printable(text)
    write(f"cranfield: error: {text}\n")


def annotate(title: str, sentences: Iterable[str]) -> None:
    """Reports breaches to GitHub, if this is one of its jobs: it shows them beside the result."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    for text in sentences:
        line = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        write(f"::error title={title}::{line}\n", is_command=True)


def summarize(title: str, *paragraphs: str) -> None:
    """Appends Markdown to the summary of the job, if a service has one (GITHUB_STEP_SUMMARY).

    Where that cannot be done, standard error says so and the work goes on.
    """
    if not (path := os.environ.get("GITHUB_STEP_SUMMARY")):
        return
    text = "\n\n".join((f"### {title}", *(part.strip("\n") for part in paragraphs)))
    try:
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{text}\n\n")
    except OSError as error:
        say(f"cannot write the summary of the job to {path}: {error.strerror or error}")


def write(text: str, *, is_command: bool = False) -> None:
    """Writes to standard error; where that cannot be done, the work goes on without.

    ``is_command``: it is a command to the service that shows the log, and meant to be one.
    """
    if sys.stderr is None:
        return
    try:
        if not is_command:
            text = _harmless(text.encode("utf-8", "backslashreplace"), sys.stderr).decode()
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        # What it still holds would be tried again at exit.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _make_room() -> None:
    """Takes a progress bar away, if one was ever drawn; it comes back below."""
    if progress := sys.modules.get("cranfield._base.progress"):
        progress.clear()


def _harmless(data: bytes, stream: IO[Any]) -> bytes:
    """Whole lines as a standard stream may get them: nothing in them controls its reader."""
    try:
        is_file = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (AttributeError, OSError, ValueError):
        # Held in memory by this process.
        is_file = True
    return escaped(data, is_terminal=stream.isatty(), is_file=is_file)


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
        message = f"cannot write standard output: {error.strerror or error}"
        raise failure("io", message) from error


class _Lines:
    """Standard output by whole lines, which gets nothing that controls its reader."""

    def __init__(self) -> None:
        self._rest = b""

    def write(self, data: bytes) -> int:
        lines, ended, self._rest = (self._rest + data).rpartition(b"\n")
        sys.stdout.buffer.write(_harmless(lines + ended, sys.stdout))
        return len(data)

    def end(self) -> None:
        """Writes a last line that has no end."""
        sys.stdout.buffer.write(_harmless(self._rest, sys.stdout))


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
