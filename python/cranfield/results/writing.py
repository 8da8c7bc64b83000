"""Files that are whole or not there."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress

from cranfield import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def write_whole(target: str, data: bytes, temporary: str | None = None) -> None:
    """Writes a file, forces it to the disk, and then gives it its name.

    Until then it has no name or, where the system has no such files, a
    temporary one in the same folder: that given, or a hidden one. A file that has the temporary
    name is an error, so that nothing is written through a link. Raises ``OSError``.
    """
    folder = os.path.dirname(target) or "."
    if temporary is not None and os.path.lexists(temporary):
        raise FileExistsError(f"there is a file {temporary}")
    unnamed = _unnamed(folder)
    named = unnamed is None
    if temporary is None:
        # As the core names its own, which any writer removes when nobody holds them.
        end = "tmp" if named else "new"
        temporary = os.path.join(folder, f".cranfield-{os.getpid()}-{time.time_ns()}.{end}")
    descriptor = os.open(temporary, _NEW, 0o666) if unnamed is None else unnamed
    try:
        with _held(descriptor):
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(descriptor)
                if not named:
                    _link(descriptor, temporary)
                    named = True
            os.replace(temporary, target)
    except BaseException:
        if named:
            # An interrupt may come when it has its last name already.
            with suppress(FileNotFoundError):
                os.unlink(temporary)
        raise
    _synchronize(folder)


@contextmanager
def _held(descriptor: int) -> Iterator[None]:
    """Locks a file from before it has a name, so that nobody takes it for a remnant."""
    held = None
    with suppress(ImportError, OSError):
        import fcntl

        held = os.dup(descriptor)
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        yield
    finally:
        if held is not None:
            os.close(held)


_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)


def _unnamed(folder: str) -> int | None:
    """A file in a folder that is gone when the process ends, however it ends."""
    flag = getattr(os, "O_TMPFILE", None)
    if flag is None or os.link not in os.supports_follow_symlinks:
        return None
    with suppress(OSError):
        descriptor = os.open(folder, flag | os.O_WRONLY | os.O_CLOEXEC, 0o666)
        if os.path.exists(f"/proc/self/fd/{descriptor}"):
            return descriptor
        os.close(descriptor)
    return None


def _link(descriptor: int, name: str) -> None:
    # A folder's descriptor makes Python call linkat, which follows the link of /proc.
    folder = os.open(os.path.dirname(name) or ".", os.O_RDONLY)
    try:
        os.link(
            f"/proc/self/fd/{descriptor}",
            os.path.basename(name),
            dst_dir_fd=folder,
            follow_symlinks=True,
        )
    finally:
        os.close(folder)


def _synchronize(folder: str) -> None:
    """Makes a new name survive a power cut, on file systems that can do that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_file(path: str, data: bytes) -> None:
    """Writes a file, all or nothing; links are followed.

    What killed calls left in the folder is removed. A device or a pipe, which must not be
    replaced, is written to directly. Raises ``OSError``.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            file.write(data)
        return
    target = os.path.realpath(path)
    write_whole(target, data)
    _core.remove_remnants(os.path.dirname(target))
