"""Notes and errors on standard error."""

from __future__ import annotations

import sys

from cranfield.errors import for_command_line


def say(text: str) -> None:
    """Writes a line to standard error."""
    from cranfield.results.tables import printable

    _make_room()
    print(f"cranfield: {printable(text)}", file=sys.stderr)


def fail(error: Exception) -> None:
    """Writes an error to standard error; those of measures have lines of their own."""
    from cranfield.results.tables import printable

    _make_room()
    text = for_command_line(error)
    if getattr(error, "kind", None) in ("measure", "parameter"):
        text = "\n".join(map(printable, text.split("\n")))
    else:
        text = printable(text)
    print(f"cranfield: error: {text}", file=sys.stderr)


def _make_room() -> None:
    """Takes a progress bar away, if one was ever drawn; it comes back below."""
    if progress := sys.modules.get("cranfield.inputs.progress"):
        progress.clear()
