"""Where a data set of scores is: a folder, whose files are whole or not there."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Protocol

from cranfield._base.errors import failure
from cranfield._core import Error, write_file
from cranfield._io.addresses import is_address, local_path, parts_of, refused, shown
from cranfield._io.addresses import store_of as remote_store


class Store(Protocol):
    """A place for files by name, such as ``topics/part-00000.parquet``."""

    label: str

    def prepare(self) -> None:
        """Makes the place ready to be written to."""

    def read(self, name: str) -> bytes | None:
        """What a file holds, or None."""

    def write(self, name: str, data: bytes) -> None:
        """Writes a file, all or nothing."""

    def remove(self, name: str) -> None:
        """Removes a file if it is there."""

    def names(self) -> list[str]:
        """The files that are there, sorted."""


FOLDERS = ("topics", "means", "done")
"""The folders of a data set."""


class Folder:
    """A folder of this machine, or of all machines of a cluster."""

    def __init__(self, path: str) -> None:
        self.label = path
        self._path = os.path.abspath(path)

    def prepare(self) -> None:
        """Makes the folders.

        Raises ``Error`` (kind "directory") for a file in the folder's place and (kind
        "io") if the system refuses.
        """
        if os.path.lexists(self._path) and not os.path.isdir(self._path):
            raise failure(
                "directory", "expected a folder to write to, found a file", file=self.label
            )
        try:
            for folder in ("", *FOLDERS):
                os.makedirs(os.path.join(self._path, folder), exist_ok=True)
        except OSError as error:
            message = f"cannot write to this folder: {error.strerror}"
            raise failure("io", message, file=self.label) from error

    def read(self, name: str) -> bytes | None:
        """What a file holds, or None; raises ``Error`` (kind "io")."""
        try:
            with open(os.path.join(self._path, name), "rb") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            path = os.path.join(self.label, name)
            raise failure("io", f"cannot read this file: {error.strerror}", file=path) from error

    def write(self, name: str, data: bytes) -> None:
        """Writes a file, all or nothing; raises ``Error`` (kind "io")."""
        write_file(os.path.join(self._path, name), data)

    def remove(self, name: str) -> None:
        """Removes a file if it is there."""
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(self._path, name))

    def names(self) -> list[str]:
        """The files that are there, sorted, without those that are hidden."""
        found = []
        for folder, _, names in os.walk(self._path):
            inside = os.path.relpath(folder, self._path)
            for name in names:
                if not name.startswith("."):
                    found.append(os.path.normpath(os.path.join(inside, name)).replace(os.sep, "/"))
        return sorted(found)


class Bucket:
    """A prefix in an object store, where an object is whole or not there."""

    def __init__(self, address: str) -> None:
        self._base, key = parts_of(address)
        self._prefix = key.rstrip("/")
        self.label = shown(address).rstrip("/")
        # Without obstore this says so before anything is read.
        remote_store(self._base)

    def _key(self, name: str) -> str:
        return f"{self._prefix}/{name}" if self._prefix else name

    def _refused(self, error: Exception, name: str, what: str) -> Error:
        return refused(error, f"{self.label}/{name}", what)

    def prepare(self) -> None:
        """Nothing: a store has no folders, and no object is half there."""

    def read(self, name: str) -> bytes | None:
        """What an object holds, or None; raises ``Error`` (kind "io")."""
        import obstore

        from cranfield._io.remote import answered

        async def read() -> bytes:
            result = await obstore.get_async(remote_store(self._base), self._key(name))
            return bytes(await result.bytes_async())

        try:
            return answered(read)
        except FileNotFoundError:
            return None
        except Exception as error:
            raise self._refused(error, name, "read this object") from None

    def write(self, name: str, data: bytes) -> None:
        """Writes an object, all or nothing; raises ``Error`` (kind "io")."""
        import obstore

        from cranfield._io.remote import answered

        async def write() -> None:
            await obstore.put_async(remote_store(self._base), self._key(name), data)

        try:
            answered(write)
        except Exception as error:
            raise self._refused(error, name, "write this object") from None

    def remove(self, name: str) -> None:
        """Removes an object if it is there."""
        import obstore

        from cranfield._io.remote import answered

        async def remove() -> None:
            await obstore.delete_async(remote_store(self._base), self._key(name))

        with suppress(FileNotFoundError):
            answered(remove)

    def names(self) -> list[str]:
        """The objects that are there, sorted; raises ``Error`` (kind "io")."""
        from cranfield._io.remote import answered, listed

        prefix = f"{self._prefix}/" if self._prefix else ""
        try:
            found = answered(listed, remote_store(self._base), self._prefix or None)
        except Exception as error:
            raise self._refused(error, "", "list these objects") from None
        return sorted(str(meta["path"]).removeprefix(prefix) for meta in found)


def store_of(output: str) -> Store:
    """The place that a path or an address names."""
    if is_address(output):
        return Bucket(output)
    return Folder(os.path.expanduser(local_path(output)))
