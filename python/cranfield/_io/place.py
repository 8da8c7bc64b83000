"""Objects at addresses, found and named, which can be read any number of times."""

from __future__ import annotations

import io

from cranfield._base.errors import failure, optional
from cranfield._io.addresses import WEB, parts_of, refused, shown, store_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future
    from typing import Any

    from cranfield._io.remote import Ahead, RemoteFile


class Place:
    """An object at an address, which can be read any number of times."""

    __slots__ = ("_base", "_begun", "_key", "ahead", "label", "size", "version")

    def __init__(self, address: str, size: int | None = None, version: str | None = None) -> None:
        self._base, self._key = parts_of(address)
        self.label = shown(address)
        self.size = size
        self.version = version
        """What tells one content from another, if the store says."""
        self.ahead: Ahead | None = None
        self._begun: Future[bytes] | None = None

    def __getstate__(self) -> tuple[Any, ...]:
        return self._base, self._key, self.label, self.size, self.version

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._base, self._key, self.label, self.size, self.version = state
        self.ahead = self._begun = None

    def __repr__(self) -> str:
        return f"<Place {self.label}>"

    @property
    def store(self) -> Any:
        """The store that it is in."""
        return store_of(self._base)

    @property
    def is_web(self) -> bool:
        """Whether it is on a server of http."""
        return self._base.partition("://")[0] in WEB

    @property
    def key(self) -> str:
        """Its key there."""
        return self._key

    def looked_up(self) -> Place:
        """The same, with its size and version; raises ``Error`` (kinds "missing", "io")."""
        if self.size is None:
            from cranfield._io.remote import answered, look_up

            answered(look_up, self)
        return self

    def open(self) -> RemoteFile:
        """A binary file of it, from the beginning."""
        from cranfield._io.remote import RemoteFile

        return RemoteFile(self)

    def buffered(self) -> io.BufferedReader:
        """The same, of which many bytes are read at a time."""
        return io.BufferedReader(self.open(), 1 << 16)

    @property
    def path(self) -> str:
        """What it is called."""
        return self.label

    def begin(self, size: int) -> None:
        """Asks for its first bytes, before these are needed."""
        from cranfield._io.remote import beginning, begun

        self._begun = begun(beginning, self, size)

    def leave(self) -> None:
        """Takes back what was asked for and not needed."""
        if self._begun is not None:
            self._begun.cancel()
            self._begun = None

    def beginning(self, size: int) -> bytes:
        """Its first bytes; none if it cannot be read, of which reading it says why."""
        from cranfield._io.remote import awaited

        if self._begun is None:
            self.begin(size)
        future, self._begun = self._begun, None
        assert future is not None
        try:
            return awaited(future)
        except Exception:
            try:
                with self.open() as file:
                    return file.read(size) or b""
            except Exception:
                return b""


def found(address: str) -> Iterator[tuple[str, Place]]:
    """The objects of a folder or a pattern, sorted, with their keys.

    An address of one object yields that. Raises ``Error``: kind "missing" if there are
    none, "option" for a pattern or a folder on a server that lists nothing.
    """
    base, key = parts_of(address)
    optional("obstore", f"reading {shown(address)}", "cloud")
    web = base.partition("://")[0] in WEB
    patterned = any(c in key for c in "*?[")
    if web:
        if patterned or not key or key.endswith("/"):
            message = "servers of http list no files: name each one"
            raise failure("option", message, file=shown(address))
        yield key, Place(address)
        return
    if not patterned and key and not key.endswith("/"):
        place = Place(address)
        try:
            place.looked_up()
        except Exception as error:
            if getattr(error, "kind", None) != "missing":
                raise
        else:
            yield key, place
            return
    import re

    literal = re.split(r"[*?\[]", key, maxsplit=1)[0]
    prefix = literal.rpartition("/")[0] if patterned else key.rstrip("/")
    empty = True
    for meta in _listed(base, prefix, address):
        empty = False
        path = meta["path"]
        yield path, Place(f"{base}/{path}", meta["size"], meta.get("e_tag"))
    if empty:
        message = "no object matches this pattern" if patterned else "there is no such object"
        raise failure("missing", message, file=shown(address))


def _listed(base: str, prefix: str, address: str) -> list[Any]:
    from cranfield._io.remote import answered, listed

    try:
        metas = answered(listed, store_of(base), prefix or None)
    except Exception as error:
        raise refused(error, shown(address), "list these objects") from None
    return sorted(metas, key=lambda meta: str(meta["path"]))
