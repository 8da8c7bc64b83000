"""What a batch does: its runs in shards, and what identifies each of them."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass

from cranfield._base.errors import failure
from cranfield._core import Error
from cranfield._io.parts import Parts
from cranfield._io.place import Place
from cranfield._io.tables import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from cranfield._io.sources import Source

    State: TypeAlias = list[list[Any]]
    """Of each file its path, size, and time of change or version."""

SHARD_BYTES = 64 << 20
"""A shard has no more bytes than this, unless one run alone has."""

SHARD_RUNS = 64
"""A shard has no more runs than this."""


@dataclass(frozen=True)
class Member:
    """One run of a shard."""

    name: str
    data: str | Table | Parts | Place
    """A path, or what reads it."""

    @property
    def places(self) -> list[str | Place]:
        """The files that it is read from."""
        members = self.data.members if isinstance(self.data, Parts) else [self.data]
        return [member.origin if isinstance(member, Table) else member for member in members]

    @property
    def files(self) -> list[str]:
        """What errors call them."""
        return [place if isinstance(place, str) else place.label for place in self.places]


@dataclass(frozen=True)
class Shard:
    """Runs that are scored together and written to one file."""

    number: int
    members: tuple[Member, ...]

    @property
    def name(self) -> str:
        """What its files are called."""
        return f"part-{self.number:05}"


def shards_of(sources: Sequence[Source], most_bytes: int) -> list[Shard]:
    """The runs in shards; which is a function of the runs and their sizes alone."""
    shards: list[Shard] = []
    held: list[Member] = []
    size = 0
    for source in sources:
        if not isinstance(source.data, (str, Table, Parts, Place)) or (
            isinstance(source.data, Table) and isinstance(source.data.origin, bytes)
        ):
            message = f"a batch reads files, and run {source.name!r} is none; evaluate takes it"
            raise failure("option", message)
        own = source.size()
        if held and (size + own > most_bytes or len(held) >= SHARD_RUNS):
            shards.append(Shard(len(shards), tuple(held)))
            held, size = [], 0
        held.append(Member(source.name, source.data))
        size += own
    if held:
        shards.append(Shard(len(shards), tuple(held)))
    return shards


def state_of(member: Member) -> State:
    """What can be seen of a run's files without reading them.

    A file that is not there has no size: reading it says what is wrong.
    """
    return [list(_state(place)) for place in member.places]


def _state(path: str | Place) -> tuple[str, int | None, int | str | None]:
    if isinstance(path, Place):
        # Its size and version are of when it was found.
        with suppress(Error):
            path.looked_up()
        return path.label, path.size, path.version
    try:
        found = os.stat(path)
    except OSError:
        return path, None, None
    return path, found.st_size, found.st_mtime_ns


def digest_of(member: Member) -> str | None:
    """The SHA-256 of a run's files; None if they cannot be read, or have versions instead."""
    found = hashlib.sha256()
    try:
        for path in member.places:
            if isinstance(path, Place):
                return None
            with open(path, "rb") as file:
                found.update(hashlib.file_digest(file, "sha256").digest())
    except OSError:
        return None
    return found.hexdigest()


def key_of(setting: Mapping[str, Any]) -> str:
    """The SHA-256 of what JSON can hold."""
    text = json.dumps(setting, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def in_order(shards: Sequence[Shard]) -> Iterator[Member]:
    """The runs of all shards."""
    for shard in shards:
        yield from shard.members
