"""The tables that a terminal gets, read from a pseudo-terminal of some width."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests import ROOT
from tests.cli.calls import call

DEBTAGS = ROOT / "examples" / "debtags"
QRELS = str(DEBTAGS / "qrels.txt")
RUNS = sorted(str(path) for path in (DEBTAGS / "runs").iterdir())[:4]
MEASURES = ("-m", "nDCG@10 AP bpref RBP P@10 Judged@10")
COMMANDS = {
    "eval": ("eval", QRELS, *RUNS, *MEASURES, "--ci", "--tiers"),
    "bounds": ("eval", QRELS, *RUNS, "-m", "nDCG@10 AP P@10", "--bounds", "--per-topic"),
    "pairs": ("compare", QRELS, *RUNS, "-m", "nDCG@10", "--bounds"),
    "baseline": ("compare", QRELS, *RUNS, "-m", "nDCG@10 AP", "--baseline", "bm25-k.9-b.4-stem"),
    "describe": ("describe", QRELS, *RUNS),
    "diff": ("diff", QRELS, *RUNS[:2], "-m", "nDCG@10"),
    "judges": ("judges", QRELS, QRELS, *RUNS),
    "measures": ("measures",),
}


def on_terminal(width: int, *arguments: str, **environment: str) -> str:
    """What a terminal of this width gets of a command."""
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    with subprocess.Popen(
        [sys.executable, "-m", "cranfield", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": "", **environment},
    ) as started:
        os.close(writer)
        data = b""
        while True:
            try:
                part = os.read(reader, 1 << 16)
            except OSError:
                break
            if not part:
                break
            data += part
    os.close(reader)
    assert started.returncode == 0
    return data.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_no_line_of_a_table_is_longer_than_the_terminal_is_wide(name: str, tmp_path: Path) -> None:
    piped = call(tmp_path, *COMMANDS[name]).stdout
    for width in (60, 100):
        shown = on_terminal(width, *COMMANDS[name])
        assert max(map(len, shown.splitlines())) <= width
        # Each number stands whole somewhere.
        assert set(piped.split()) - set(shown.split()) <= {
            word for word in piped.split() if len(word) > 14 or not word[-1].isdigit()
        }
    assert on_terminal(400, *COMMANDS[name]) == piped


def test_columns_names_the_width_of_a_terminal_and_of_nothing_else(tmp_path: Path) -> None:
    whole = call(tmp_path, *COMMANDS["pairs"]).stdout
    assert max(map(len, whole.splitlines())) > 120
    # Readline sets COLUMNS for every program that its own starts.
    assert call(tmp_path, *COMMANDS["pairs"], COLUMNS="60").stdout == whole
    shown = on_terminal(100, *COMMANDS["pairs"], COLUMNS="60")
    assert max(map(len, shown.splitlines())) <= 60
    assert on_terminal(400, *COMMANDS["pairs"], COLUMNS="wide") == whole
