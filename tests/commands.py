"""Calls of the command line, in this process or in one of their own."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import warnings
from contextlib import chdir
from pathlib import Path

import pytest
from cranfield._cli import main

Done = subprocess.CompletedProcess[str]

_SILENT = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)
"""What Python does not show where nothing is set."""


class _Piped(io.BytesIO):
    """What goes into a pipe; whoever asks what is behind its number finds a pipe."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def fileno(self) -> int:
        return self._number


def unsigned(printed: str) -> str:
    """What is printed without the signatures below tables, which have tests of their own."""
    return re.sub(r"\n(?:.*\|qrels:[0-9a-f]{16}\|topics:.*\n)+", "", printed)


def called(*arguments: str, folder: Path | str = ".", **environment: str) -> Done:
    """What a call prints, without signatures, and returns; its output and error are pipes.

    A process takes 50 milliseconds longer. Standard input is that of the tests.
    """
    done = signed(*arguments, folder=folder, **environment)
    done.stdout = unsigned(done.stdout)
    return done


def signed(*arguments: str, folder: Path | str = ".", **environment: str) -> Done:
    """The same with signatures."""
    ends = os.pipe()
    try:
        out = io.TextIOWrapper(_Piped(ends[1]), "utf-8")
        err = io.TextIOWrapper(_Piped(ends[1]), "utf-8", "backslashreplace")
        with pytest.MonkeyPatch.context() as patch, chdir(folder):
            for name, value in environment.items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            with warnings.catch_warnings(record=True) as found:
                warnings.resetwarnings()
                for kind in _SILENT:
                    warnings.simplefilter("ignore", kind)
                code = main(arguments)
            for one in found:
                err.write(warnings.formatwarning(one.message, one.category, one.filename, 0))
        texts = []
        for stream in (out, err):
            stream.flush()
            texts.append(stream.buffer.getvalue().decode())
        return subprocess.CompletedProcess(arguments, code, *texts)
    finally:
        for end in ends:
            os.close(end)


def started(
    *arguments: str, folder: Path | str = ".", stdin: str | None = None, **environment: str
) -> Done:
    """What a process prints, without signatures, and ends with."""
    done = subprocess.run(
        [sys.executable, "-m", "cranfield", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    done.stdout = unsigned(done.stdout)
    return done
