"""A run in several files, each of which has whole topics."""

from __future__ import annotations

import io
import os
from contextlib import suppress

from cranfield._core import Run, joined_runs
from cranfield._io.place import Place
from cranfield._io.tables import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any


class Parts:
    """The parts of one run, read one after another.

    Parameters
    ----------
    label
        What errors about the whole call it, such as its folder.
    members
        A path, a ``Place`` or a ``Table`` for each part.
    options
        Those of reading files in lines: ``lenient``, ``limits``, ``run_layout``.

    """

    __slots__ = ("_members", "_options", "label")

    def __init__(
        self, label: str, members: Sequence[str | Table | Place], options: dict[str, Any]
    ) -> None:
        self.label = label
        self._members = list(members)
        self._options = options

    @property
    def path(self) -> str:
        """The folder."""
        return self.label

    @property
    def files(self) -> list[str]:
        """The files of the parts."""
        return [member if isinstance(member, str) else member.label for member in self._members]

    @property
    def members(self) -> list[str | Table | Place]:
        """What reads each part."""
        return self._members

    def size(self) -> int:
        """Bytes on disk."""
        total = 0
        for member in self._members:
            if isinstance(member, Table):
                total += member.size()
            elif isinstance(member, Place):
                total += member.size or 0
            else:
                with suppress(OSError):
                    total += os.stat(member).st_size
        return total

    def parts(self) -> Iterator[Run]:
        """Runs of whole topics, one after another; raises as reading them does."""
        for member in self._members:
            if isinstance(member, Table):
                yield from member.parts()
            elif isinstance(member, Place):
                stream = io.BufferedReader(member.open(), 1 << 16)
                yield Run.read(stream, name="run", label=member.label, **self._options)
            else:
                yield Run.read(member, name="run", **self._options)

    def run(self) -> Run:
        """The whole run; raises ``Error`` (kind "topics") for a topic in two parts."""
        return joined_runs(list(self.parts()), self.label)
