"""Figures that are drawn in a process of their own."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

import pytest
from cranfield import study
from cranfield._study import drawing, runner
from cranfield._study.content import Figure, Line, Panel
from cranfield._study.drawing_process import DrawingProcess, GoneError

from tests.study.written import QRELS, RUNS, files

pytest.importorskip("matplotlib")

FIGURE = Figure("one", "One", [Panel("x", "y", [Line("a", [1.0, 2.0], [None, 4.0])])])


def drawn(out: Path, monkeypatch: pytest.MonkeyPatch, threads: int) -> dict[str, bytes]:
    """The files of a study whose figures are drawn elsewhere if there are two threads."""
    monkeypatch.setattr(runner, "BESIDE", 0)
    study.run("graded", QRELS, RUNS, str(out), threads=threads)
    return files(out)


def test_they_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = drawn(tmp_path / "here", monkeypatch, 1)
    # Those that wait at the end are few enough here to be left to the process.
    with monkeypatch.context() as patch:
        patch.setattr(drawing, "draw", lambda figure: pytest.fail("drawn here"))
        assert drawn(tmp_path / "elsewhere", patch, 2) == here


def test_an_answer_is_what_drawing_returns() -> None:
    with DrawingProcess() as process:
        waiting = [process.draw(FIGURE) for _ in range(3)]
        assert all(one.result() == drawing.draw(FIGURE) for one in waiting)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_what_a_lost_process_leaves_is_drawn_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = drawn(tmp_path / "here", monkeypatch, 1)
    ordinary = DrawingProcess.__init__

    def lost(self: DrawingProcess) -> None:
        ordinary(self)
        os.kill(self._process.pid, signal.SIGKILL)

    monkeypatch.setattr(DrawingProcess, "__init__", lost)
    assert drawn(tmp_path / "lost", monkeypatch, 2) == here
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nowhere"))
    monkeypatch.setattr(DrawingProcess, "__init__", ordinary)
    assert drawn(tmp_path / "none", monkeypatch, 2) == here
    # The executable of a frozen program is that program, which must not be started again.
    monkeypatch.setattr(sys, "executable", "/bin/false")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr("subprocess.Popen", None)
    assert drawn(tmp_path / "frozen", monkeypatch, 2) == here


def test_a_figure_that_fails_ends_the_process_without_a_word(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with DrawingProcess() as process, pytest.raises(GoneError):
        process.draw(Figure("none", "No panels", [])).result()
    assert capfd.readouterr() == ("", "")


def test_a_call_that_stops_waits_for_nothing_and_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes: list[DrawingProcess] = []

    def asked(self: DrawingProcess, figure: Figure) -> None:
        processes.append(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(DrawingProcess, "draw", asked)
    threads = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        drawn(tmp_path / "out", monkeypatch, 2)
    assert processes[0]._process.returncode is not None
    assert threading.active_count() == threads
