"""Notes and errors on standard error."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress

from cranfield._base.errors import for_command_line
from cranfield._core import escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any


def say(text: str) -> None:
    """Writes a line to standard error."""
    from cranfield._base.text import printable

    _make_room()
    write(f"cranfield: {printable(text)}\n")


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


def harmless(data: bytes, stream: IO[Any]) -> bytes:
    """Whole lines as a standard stream may get them: nothing in them controls its reader."""
    try:
        is_file = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (AttributeError, OSError, ValueError):
        # Held in memory by this process.
        is_file = True
    return escaped(data, is_terminal=stream.isatty(), is_file=is_file)


def write(text: str, *, is_command: bool = False) -> None:
    """Writes to standard error; where that cannot be done, the work goes on without.

    ``is_command``: it is a command to the service that shows the log, and meant to be one.
    """
    if sys.stderr is None:
        return
    try:
        if not is_command:
            text = harmless(text.encode("utf-8", "backslashreplace"), sys.stderr).decode()
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
