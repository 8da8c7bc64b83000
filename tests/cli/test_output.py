"""The tables that a terminal gets, read from a pseudo-terminal of some width."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests import ROOT
from tests.cli.calls import call
from tests.commands import unsigned

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
        env={**os.environ, "COLUMNS": "", "NO_COLOR": "1", "TERM": "xterm", **environment},
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
    # A signature stays one line, so that it can be copied.
    return unsigned(data.decode().replace("\r\n", "\n"))


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
    wide = on_terminal(400, *COMMANDS[name])
    below = "\n\nOver 88 topics." if COMMANDS[name][0] == "eval" else ""
    assert below in wide
    assert wide.replace(below, "", 1) == piped


def test_the_best_values_are_bold_on_a_terminal(tmp_path: Path) -> None:
    command = ("eval", QRELS, *RUNS, "-m", "nDCG@10 AP")
    plain = on_terminal(90, *command)
    bold = on_terminal(90, *command, NO_COLOR="")
    best = [max(column) for column in list(zip(*map(str.split, rows(plain)), strict=True))[1:]]
    assert re.findall(r"\x1b\[1m(.*?)\x1b\[22m", bold) == sorted(best, key=bold.index)
    assert re.sub(r"\x1b\[(1|22)m", "", bold) == plain
    assert "\x1b" not in plain
    assert "\x1b" not in on_terminal(90, *command, NO_COLOR="", TERM="dumb")
    assert "\x1b" not in call(tmp_path, *command).stdout
    assert "\x1b" not in on_terminal(90, *command, "--format", "csv", NO_COLOR="")


def rows(table: str) -> list[str]:
    """The rows of a table below its header."""
    return table.partition("\n\n")[0].splitlines()[1:]


def test_a_label_is_not_bold_for_what_it_contains(tmp_path: Path) -> None:
    # What stands for bold text within this program, and the escape itself.
    (tmp_path / "scores.csv").write_text("run,AP\n\x1b[1m\U000f0041,0.5\nother,0.25\n")
    words = ("check", f"{tmp_path}/scores.csv", "--baseline", f"{tmp_path}/scores.csv")
    shown = on_terminal(200, *words, "--max-drop", "AP=0.1", NO_COLOR="")
    assert "\\x1b[1m\\U000f0041" in shown
    assert "\x1b" not in shown


def test_columns_names_the_width_of_a_terminal_and_of_nothing_else(tmp_path: Path) -> None:
    whole = call(tmp_path, *COMMANDS["pairs"]).stdout
    assert max(map(len, whole.splitlines())) > 120
    # Readline sets COLUMNS for every program that its own starts.
    assert call(tmp_path, *COMMANDS["pairs"], COLUMNS="60").stdout == whole
    shown = on_terminal(100, *COMMANDS["pairs"], COLUMNS="60")
    assert max(map(len, shown.splitlines())) <= 60
    assert on_terminal(400, *COMMANDS["pairs"], COLUMNS="wide") == whole
