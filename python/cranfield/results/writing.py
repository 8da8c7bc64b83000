"""Files that are whole or not there."""

from __future__ import annotations

import os


def write_whole(target: str, data: bytes, temporary: str) -> None:
    """Writes a file under a temporary name in the same folder, and then renames it.

    A file that has the temporary name is an error, so that nothing is written
    through a link. Raises ``OSError``.
    """
    file = open(temporary, "xb")  # noqa: SIM115 - closed below, before it is renamed
    try:
        with file:
            file.write(data)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
