"""The progress bar."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cranfield._base import progress
from cranfield._base.progress import Bar, Line, time_left

from tests import ROOT

EXAMPLE = ROOT / "examples" / "debtags"


def test_the_bar_shows_runs_share_and_size() -> None:
    stream = io.StringIO()
    bar = Bar(stream, 10, 4_000_000, delay=0.0)
    bar(4, 1_000_000)
    assert stream.getvalue() == f"\r4/10 runs [{'#' * 8}{'.' * 22}]  25% 1 MB"
    bar.close()
    assert stream.getvalue().endswith("\r")


def test_the_bar_is_patient_and_leaves_no_trace() -> None:
    stream = io.StringIO()
    bar = Bar(stream, 10, 100, delay=60.0)
    bar(1, 10)
    bar.close()
    assert stream.getvalue() == ""


def test_the_bar_counts_runs_where_sizes_are_unknown() -> None:
    stream = io.StringIO()
    Bar(stream, 2, 0, delay=0.0)(1, 0)
    assert " 50%" in stream.getvalue()


def test_the_line_estimates_and_never_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("cranfield._base.progress.time.monotonic", lambda: now[0])
    stream = io.StringIO()
    line = Line(stream, delay=0.0)
    for share in (0.2, 0.5, 0.1):
        now[0] += 5
        line.draw("work", share, "")
    found = re.findall(r"(\d+)%(, \d+ s left)?", stream.getvalue())
    # 5 s for a fifth: 20 s more; 10 s for a half: 10 s more; then the half again after 15 s.
    assert found == [("20", ", 20 s left"), ("50", ", 10 s left"), ("50", ", 15 s left")]
    line.close()


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "1 s"), (59, "59 s"), (200, "3 min"), (7_500, "2 h 5 min")]
)
def test_times_left_are_round(seconds: float, text: str) -> None:
    assert time_left(seconds) == text


def test_a_line_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in (20, 40, 60, 100):
        monkeypatch.setenv("COLUMNS", str(columns))
        stream = io.StringIO()
        Line(stream, delay=0.0).draw("12/129 runs", 0.5, " a long word about what is done")
        progress.clear()
        assert max(map(len, stream.getvalue().split("\r"))) < columns


def screen(said: str) -> list[str]:
    """What stands on a terminal after it was written to."""
    lines: list[list[str]] = [[]]
    column = 0
    for token in re.findall(r"\x1b\[\d*[A-Za-z]|.|\n", said, re.DOTALL):
        if token == "\r":
            column = 0
        elif token == "\n":
            lines.append([])
        elif token == "\x1b[K":
            del lines[-1][column:]
        elif len(token) == 1:
            lines[-1] += " " * (column - len(lines[-1]))
            lines[-1][column : column + 1] = token
            column += 1
    return ["".join(line).rstrip() for line in lines]


def test_a_study_leaves_nothing_on_the_terminal(tmp_path: Path) -> None:
    """A real terminal, of which all is read; nested work is in the same line."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    code = (
        "import sys\nfrom cranfield import study\nfrom cranfield._base import progress\n"
        # What is drawn does not depend on how fast the machine is.
        "progress._INTERVAL = progress._SURE = 0.0\n"
        "study.run('agreement', *sys.argv[1:4], second=sys.argv[1], progress=True)"
    )
    words = [str(EXAMPLE / "qrels.txt"), str(EXAMPLE / "runs"), str(tmp_path / "out")]
    done = subprocess.Popen([sys.executable, "-c", code, *words], stderr=theirs)
    os.close(theirs)
    said = b""
    while True:
        try:
            more = os.read(ours, 65_536)
        except OSError:
            break
        if not more:
            break
        said += more
    os.close(ours)
    assert done.wait() == 0
    text = said.decode()
    assert re.search(r"\d/\d parts .*\d+ runs? read", text)
    assert re.search(r"\d s left", text)
    assert "min left" not in text
    assert "\n" not in text
    assert screen(text) == [""]
    shares = [int(share) for share in re.findall(r"(\d+)%", text)]
    assert shares == sorted(shares)
