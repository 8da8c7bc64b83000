"""Calls of the command line on small files."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.commands import called, started

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n3 0 x 0\n"
# topic 1: a b c, AP = (1/1 + 2/3) / 2 = 5/6; topic 2: z a, AP = 1/2; 3 is missing
BM25 = "1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 c 3 1 t\n2 Q0 z 1 2 t\n2 Q0 a 2 1 t\n9 Q0 a 1 1 t\n"
# topic 1: c a, AP = 1; topic 2: a, AP = 1; 3 is missing
DENSE = "1 Q0 c 1 3 u\n1 Q0 a 2 2 u\n2 Q0 a 1 2 u\n"
TABLE = "run        AP  num_ret\ndense  0.6667        3\nbm25   0.4444        5\n"


def call(
    folder: Path, *arguments: str, stdin: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """What a call prints and ends with; one that reads standard input has a process of its own."""
    if stdin is not None:
        return started(*arguments, folder=folder, stdin=stdin, **environment)
    return called(*arguments, folder=folder, **environment)


def output(folder: Path, *arguments: str, stdin: str | None = None, **environment: str) -> str:
    """What a call prints, which has no notes."""
    done = call(folder, *arguments, "--quiet", stdin=stdin, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def evaluated(folder: Path, *arguments: str) -> str:
    return output(folder, "eval", "qrels.txt", "runs", *arguments)


def failed(folder: Path, *arguments: str, stdin: str | None = None) -> str:
    """The message of a call that fails, which is all that it prints."""
    done = call(folder, *arguments, stdin=stdin)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    head, _, message = done.stderr.partition("cranfield: error: ")
    assert head == ""
    return message
