"""A process that draws figures while the study goes on.

It is a program of its own, since ``multiprocessing`` would import the caller's main module
again, and it draws them one after another, in the order in which they come.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module

from cranfield._study import drawing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import Future

    from cranfield._study.content import Figure

_PROGRAM = """
import sys
sys.path[:] = {path!r}
from cranfield._study.drawing_process import serve
serve()
"""


class GoneError(Exception):
    """The process has ended, because drawing failed or from outside."""


class DrawingProcess:
    """The process, and a thread that talks to it; raises ``OSError`` if there can be none."""

    def __init__(self) -> None:
        if getattr(sys, "frozen", False):
            raise OSError("the executable is a program and no interpreter")
        program = _PROGRAM.format(path=[path for path in sys.path if isinstance(path, str)])
        # In a session of its own it does not hear Ctrl-C: it ends with this process.
        self._process = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._thread = ThreadPoolExecutor(1)

    def __enter__(self) -> DrawingProcess:
        return self

    def __exit__(self, *_: object) -> None:
        # What is not drawn now is no longer wanted.
        self._process.kill()
        self._thread.shutdown(cancel_futures=True)
        # What was not sent cannot be any more.
        with suppress(OSError), self._process:
            pass

    def draw(self, figure: Figure) -> Future[dict[str, bytes]]:
        """What ``drawing.draw`` returns, once it is there.

        Its ``result`` raises ``GoneError`` if the process has ended.
        """
        return self._thread.submit(self._asked, figure)

    def _asked(self, figure: Figure) -> dict[str, bytes]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            pickle.dump(figure, self._process.stdin)
            self._process.stdin.flush()
            drawn: dict[str, bytes] = pickle.load(self._process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            raise GoneError from error
        return drawn


def serve() -> None:
    """Draws what comes in, until there is no more."""
    answers = os.fdopen(os.dup(1), "wb")
    # What else is printed must not stand between the answers.
    os.dup2(2, 1)
    # While nothing is asked for. What is missing is an error then.
    for module in ("figure", "backends.backend_svg", "backends.backend_pdf"):
        with suppress(ImportError):
            import_module(f"matplotlib.{module}")
    # Whoever asks draws what fails here, and meets the same error.
    with suppress(Exception):
        while True:
            pickle.dump(drawing.draw(pickle.load(sys.stdin.buffer)), answers)
            answers.flush()
