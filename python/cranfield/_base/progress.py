"""Progress: a bar on standard error for work that takes over a second.

Nothing is drawn for short work, nor where standard error is no terminal
unless asked for.
"""

from __future__ import annotations

import math
import os
import sys
import time
from contextlib import suppress

from cranfield._base.options import flag, wrong
from cranfield._base.text import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol, TextIO, TypeAlias

    class Sized(Protocol):
        """What is read, with a size."""

        def size(self) -> int:
            """How many bytes it has."""


ProgressLike: TypeAlias = "bool | Callable[[int, int], object] | None"

DELAY = 1.0
"""Seconds before a bar appears if none was asked for."""

_INTERVAL = 0.1
_WIDTH = 30
_NARROW = 8
"""The bar of a narrow terminal."""

_SURE = 1.0
"""Seconds of work after which the time left is estimated."""

_shown: Line | None = None
"""The line that stands on the terminal, if any does."""


class Line:
    """One line with a progress bar, redrawn at most ten times a second.

    It never goes back, is never longer than the terminal is wide, and leaves nothing behind.
    """

    def __init__(self, stream: TextIO, *, delay: float, colored: bool = True) -> None:
        self._stream = stream
        self._begun = time.monotonic()
        self._next = self._begun + delay
        self._drawn = 0
        self._share = 0.0
        self._terminal = stream.isatty()
        plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
        self._colored = colored and self._terminal and not plain

    def draw(self, before: str, share: float, after: str) -> None:
        """Redraws the line unless it was redrawn just before."""
        global _shown
        self._share = share = max(self._share, min(share, 1.0))
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _INTERVAL
        passed = now - self._begun
        if passed >= _SURE and 0.01 < share < 1:
            after += f", {time_left(passed * (1 - share) / share)} left"
        # In the last column a terminal may begin another line.
        import shutil

        room = shutil.get_terminal_size().columns - 1
        width = min(_WIDTH, max(_NARROW, room - len(before) - len(after) - 8))
        filled = round(share * width)
        full, rest = "#" * filled, "." * (width - filled)
        text = f"{before} [{full}{rest}] {share:4.0%}{after}"[: max(room, 1)]
        blank = " " * (self._drawn - len(text))
        self._drawn = len(text)
        if self._colored and full:
            text = text.replace(full, f"\x1b[32m{full}\x1b[0m", 1)
        self._write(f"\r{text}{blank}")
        _shown = self

    def _write(self, text: str) -> None:
        # Where it cannot be shown, the work goes on without.
        with suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()

    def close(self) -> None:
        """Clears the line if there is one."""
        global _shown
        if self._drawn:
            # An interrupt may have left two characters behind the line.
            wipe = "\r\x1b[K" if self._terminal else f"\r{' ' * self._drawn}\r"
            self._write(wipe)
            self._drawn = 0
        if _shown is self:
            _shown = None


def clear() -> None:
    """Clears the line that stands on the terminal, for something else to be written there."""
    if _shown is not None:
        _shown.close()


def time_left(seconds: float) -> str:
    """A time as people estimate it."""
    if seconds < 60:
        return f"{math.ceil(seconds)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def delay_of(progress: bool | None) -> float | None:
    """The seconds before a bar appears; None if there is to be no bar."""
    if not isinstance(progress, bool | None):
        progress = flag(progress, "progress")
    if progress or (progress is None and sys.stderr and sys.stderr.isatty()):
        return 0.0 if progress else DELAY
    return None


class Bar(Line):
    """Runs finished, share of the bytes, megabytes."""

    def __init__(self, stream: TextIO, runs: int, total: int, *, delay: float) -> None:
        super().__init__(stream, delay=delay)
        self._runs = runs
        self._total = total

    def __call__(self, done: int, bytes_read: int) -> None:
        """Shows how many runs are finished and how many bytes are read."""
        share = bytes_read / self._total if self._total else done / max(self._runs, 1)
        read = f" {bytes_read / 1e6:.0f} MB" if bytes_read else ""
        self.draw(f"{done}/{counted(self._runs, 'run')}", min(share, 1.0), read)


class Progress:
    """Reports progress to a bar or to the caller's function; a context manager.

    Where it is left, all sources are read.

    ``None`` draws a bar on a terminal after a second, ``True`` draws it at
    once and anywhere, ``False`` never; a function is called with the number
    of runs finished and of bytes read, at the end with all of them.
    """

    def __init__(self, progress: ProgressLike, sources: Sequence[Sized]) -> None:
        self._sources = sources
        self._bar: Bar | None = None
        self._call: Callable[[int, int], object] | None = None
        self._done = 0
        self._bytes = 0
        self._undecided_since: float | None = None
        if progress is None:
            # Asking whether there is a terminal takes longer than a short call.
            self._undecided_since = time.monotonic()
        elif callable(progress):
            self._call = progress
        elif not isinstance(progress, bool):
            raise wrong("progress", "True, False, None or a function", progress)
        elif progress:
            self._draw_after(0.0)

    def _draw_after(self, seconds: float) -> None:
        self._bar = Bar(sys.stderr, len(self._sources), self._total(), delay=seconds)
        self._call = self._bar

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None and not self._done and self._call is not None:
                self._call(len(self._sources), self._total())
        finally:
            if self._bar is not None:
                self._bar.close()

    def _total(self) -> int:
        """How many bytes all sources have."""
        return sum(source.size() for source in self._sources)

    @property
    def call(self) -> Callable[[int, int], None] | None:
        """The function to be called with runs and bytes, or None if progress is not reported."""
        return self.report if self._call or self._undecided_since is not None else None

    def report(self, done: int, bytes_read: int) -> None:
        """Reports how many runs are finished and how many bytes are read."""
        if self._undecided_since is not None:
            # Draws a bar from now on if there is a terminal and the work is not short.
            passed = time.monotonic() - self._undecided_since
            self._undecided_since = None
            if (delay := delay_of(None)) is not None:
                self._draw_after(delay - passed)
        if self._call is not None:
            self._call(done, bytes_read)

    def finished(self, source: Sized) -> None:
        """Reports that one more source is read."""
        if self.call is not None:
            self._done += 1
            self._bytes += source.size()
            self.report(self._done, self._bytes)
