"""Notes on standard error."""

from __future__ import annotations

import sys

from cranfield.tables import printable


def say(text: str) -> None:
    """Writes a line to standard error."""
    print(f"cranfield: {printable(text)}", file=sys.stderr)
