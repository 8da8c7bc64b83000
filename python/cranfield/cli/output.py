"""Where output goes: standard output, or a file that appears when complete."""

from __future__ import annotations

import os
import sys

from cranfield.errors import failure

STDOUT = "-"
"""The path that stands for standard output."""


def check(path: str) -> None:
    """Raises ``Error`` early if a file cannot be written there.

    Kind "directory" for a folder, "missing" for a folder that is not there.
    """
    if path == STDOUT:
        return
    if os.path.isdir(path):
        message = "expected a file to write, found a folder"
        raise failure("directory", message, file=path)
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise failure("missing", f"there is no folder {folder}", file=path)


def write(path: str, data: bytes) -> None:
    """Writes bytes to a file, all or nothing, or to standard output.

    Links are followed. What is no regular file, such as a device or a pipe,
    is written to directly: it must not be replaced. Raises ``Error`` (kind
    "io") if the system refuses.
    """
    if path == STDOUT:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(path, "wb") as file:
            file.write(data)
        return
    folder, name = os.path.split(target)
    beside = os.path.join(folder, f".{os.getpid()}.{name}")
    try:
        with open(beside, "wb") as file:
            file.write(data)
        os.replace(beside, target)
    except OSError as error:
        raise failure("io", error.strerror or str(error), file=path) from error
    finally:
        if os.path.exists(beside):
            os.unlink(beside)
