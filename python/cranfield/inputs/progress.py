"""Progress: a bar on standard error for work that takes over a second.

Nothing is drawn for short work, nor where standard error is no terminal
unless asked for.
"""

from __future__ import annotations

import os
import sys
import time

from cranfield.options import wrong
from cranfield.results.tables import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType
    from typing import TextIO, TypeAlias

    from cranfield.inputs.sources import Source

    ProgressLike: TypeAlias = bool | Callable[[int, int], object] | None

PATIENCE = 1.0
"""Seconds before a bar that nobody asked for appears."""

_INTERVAL = 0.1
_WIDTH = 30


class Bar:
    """One line that is redrawn: runs finished, share of the bytes, megabytes."""

    def __init__(self, stream: TextIO, runs: int, total: int, *, patience: float) -> None:
        self._stream = stream
        self._runs = runs
        self._total = total
        self._next = time.monotonic() + patience
        self._drawn = 0
        plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
        self._colour = stream.isatty() and not plain

    def __call__(self, done: int, bytes_read: int) -> None:
        """Redraws the line if the last time is long enough ago."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _INTERVAL
        share = bytes_read / self._total if self._total else done / max(self._runs, 1)
        share = min(share, 1.0)
        filled = round(share * _WIDTH)
        full, rest = "#" * filled, "." * (_WIDTH - filled)
        text = f"{done}/{counted(self._runs, 'run')} [{full}{rest}] {share:4.0%}"
        if bytes_read:
            text += f" {bytes_read / 1e6:.0f} MB"
        blank = " " * (self._drawn - len(text))
        self._drawn = len(text)
        if self._colour:
            text = text.replace(full, f"\x1b[32m{full}\x1b[0m", 1) if full else text
        self._stream.write(f"\r{text}{blank}")
        self._stream.flush()

    def close(self) -> None:
        """Wipes the line if there is one."""
        if self._drawn:
            self._stream.write(f"\r{' ' * self._drawn}\r")
            self._stream.flush()


class Progress:
    """What is to be told about progress, and to whom; a context manager.

    ``None`` draws a bar on a terminal after a second, ``True`` draws it at
    once and anywhere, ``False`` never; a function is called with the number
    of runs finished and of bytes read, at the end with all of them.
    """

    def __init__(self, progress: ProgressLike, sources: Sequence[Source]) -> None:
        self._sources = sources
        self._bar: Bar | None = None
        self._call: Callable[[int, int], object] | None = None
        self._done = 0
        self._bytes = 0
        if callable(progress):
            self._call = progress
        elif progress is not None and not isinstance(progress, bool):
            raise wrong("progress", "True, False, None or a function", progress)
        elif progress or (progress is None and sys.stderr and sys.stderr.isatty()):
            total = sum(source.size() for source in sources)
            patience = 0.0 if progress else PATIENCE
            self._bar = Bar(sys.stderr, len(sources), total, patience=patience)
            self._call = self._bar

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    @property
    def call(self) -> Callable[[int, int], None] | None:
        """The function to be called with runs and bytes, if anybody listens."""
        return None if self._call is None else self.report

    def report(self, done: int, bytes_read: int) -> None:
        """Tells how many runs are finished and how many bytes are read."""
        if self._call is not None:
            self._call(done, bytes_read)

    def finished(self, source: Source) -> None:
        """Tells that one more source is read."""
        if self._call is not None:
            self._done += 1
            self._bytes += source.size()
            self._call(self._done, self._bytes)

    def complete(self) -> None:
        """Tells that all sources are read."""
        if self._call is not None:
            total = sum(source.size() for source in self._sources)
            self._call(len(self._sources), total)
