"""Notes and errors on standard error."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from cranfield.errors import for_command_line


def say(text: str) -> None:
    """Writes a line to standard error."""
    from cranfield.results.tables import printable

    _make_room()
    write(f"cranfield: {printable(text)}\n")


def fail(error: Exception) -> None:
    """Writes an error to standard error; those of measures have lines of their own."""
    from cranfield.results.tables import printable

    _make_room()
    text = for_command_line(error)
    if getattr(error, "kind", None) in ("measure", "parameter"):
        text = "\n".join(map(printable, text.split("\n")))
    else:
        text = printable(text)
    write(f"cranfield: error: {text}\n")


def write(text: str) -> None:
    """Writes to standard error; where that cannot be done, the work goes on without."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        # What it still holds would be tried again at exit.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _make_room() -> None:
    """Takes a progress bar away, if one was ever drawn; it comes back below."""
    if progress := sys.modules.get("cranfield.inputs.progress"):
        progress.clear()
