"""The progress of a study: one line, part after part."""

from __future__ import annotations

import sys

from cranfield._base.progress import Line, delay_of
from cranfield._base.text import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

READING = 0.1
"""The share of a part that reading the runs is taken to be; more than that is not known."""


class Steps:
    """A progress line on standard error: the current part, how far it is, and the time left."""

    def __init__(self, progress: bool | None, parts: int) -> None:
        delay = delay_of(progress)
        self._line: Line | None = None
        if delay is not None and sys.stderr is not None:
            self._line = Line(sys.stderr, delay=delay)
        self._parts = parts
        self._done = -1
        self._part = ""
        self._share = 0.0
        self.runs = 0
        """How many runs there are to read."""

    def __enter__(self) -> Steps:
        return self

    def __exit__(self, *_: object) -> None:
        if self._line is not None:
            self._line.close()

    @property
    def nested(self) -> bool | Callable[[int, int], None]:
        """What reading reports to: this line, not another one."""
        return False if self._line is None else self._reading

    def _reading(self, runs: int, _: int) -> None:
        read = READING * min(runs / max(self.runs, 1), 1.0)
        self._share = (max(self._done, 0) + read) / self._parts
        self._draw(f", {counted(runs, 'run')} read")

    def begin(self, part: str) -> None:
        """Reports the part that begins."""
        self._done += 1
        self._part = part
        self.within(0, 1)

    def within(self, done: int, total: int) -> None:
        """Reports how far the part is."""
        self._share = (max(self._done, 0) + done / max(total, 1)) / self._parts
        self._draw("")

    def _draw(self, more: str) -> None:
        if self._line is not None:
            parts = f"{max(self._done, 0)}/{self._parts} parts"
            self._line.draw(parts, self._share, f" {self._part}{more}")
