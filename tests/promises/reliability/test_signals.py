"""Ctrl-C at random times in public functions and commands.

``CRANFIELD_SIGNALS`` says how many signals each function gets; without it every ninth function
gets one, so that ``make test`` tries each kind. What is measured from the
signal to ``KeyboardInterrupt`` is the smaller of the time that passed and the processor time
that the process used, so that other work on the machine does not count.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.promises.reliability import entries

SIGNALS = int(os.environ.get("CRANFIELD_SIGNALS", "0"))
TRIED = list(entries.CALLS)[:: 1 if SIGNALS else 9]
ALL_WITHIN, MOST_WITHIN = 1.0, 0.2
TICK = os.sysconf("SC_CLK_TCK")

LOOP = """
import warnings
warnings.simplefilter("ignore")
import signal
for line in sys.stdin:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    call = compile(line, "call", "exec")
    try:
        print("ready", flush=True)
        while True:
            exec(call)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    except BaseException as error:
        # The signal may still come.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("failed", type(error).__name__, str(error)[:300].replace("\\n", " "), flush=True)
"""


def state(process: int) -> tuple[str, float]:
    """The letter of a process's state, and seconds of processor time that it used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return fields[0], (int(fields[11]) + int(fields[12])) / TICK


def used(process: int) -> float:
    """Seconds of processor time of a process."""
    return state(process)[1]


def wait_until_it_waits(process: int) -> None:
    """Returns when a process sleeps and has used no time for a while, or after two seconds."""
    deadline = time.monotonic() + 2
    before = ("", 0.0)
    while time.monotonic() < deadline:
        time.sleep(0.3)
        now = state(process)
        if now == before and now[0] == "S" and now[1] > 0:
            return
        before = now


class Child:
    """A process that calls what it is told until it is interrupted."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", entries.PREPARED + LOOP, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def interrupted(self, call: str, after: float) -> float:
        """Seconds from the signal to the interrupt."""
        assert self.process.stdin is not None
        self.process.stdin.write(call + "\n")
        self.process.stdin.flush()
        assert self.said() == "ready"
        time.sleep(after)
        before, sent = used(self.process.pid), time.monotonic()
        self.process.send_signal(signal.SIGINT)
        answer = self.said()
        took = time.monotonic() - sent
        assert answer == "interrupted", f"{call}: {answer}"
        return min(took, used(self.process.pid) - before + 1 / TICK)

    def said(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()


@pytest.fixture(scope="module")
def child(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Child]:
    child = Child(tmp_path_factory.mktemp("interrupted"))
    yield child
    child.process.kill()
    child.process.wait()


def test_every_public_name_has_an_entry() -> None:
    assert not entries.without_entry()


def test_no_entry_is_without_a_name() -> None:
    written = {name for name in entries.CALLS if " " not in name}
    assert not written - entries.names()


took: dict[str, list[float]] = {}


@pytest.mark.parametrize("name", TRIED)
def test_a_call_is_interrupted(name: str, child: Child) -> None:
    times = random.Random(name)
    for _ in range(SIGNALS or 1):
        seconds = child.interrupted(entries.CALLS[name], times.uniform(0.02, 0.3))
        took.setdefault(name, []).append(seconds)
        assert seconds < ALL_WITHIN


def test_most_calls_are_interrupted_at_once() -> None:
    """After the calls above: 99 of 100 within a fifth of a second, of a few at most one is not."""
    late = {n: s for n, times in took.items() for s in times if s > MOST_WITHIN}
    count = sum(map(len, took.values()))
    print(f"{count} interrupts, {len(late)} later than {MOST_WITHIN} s: {late}")
    assert len(late) <= max(1, count // 100), late


def hear() -> None:
    """Shells let background jobs ignore the signal, and what these start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("name", entries.COMMAND_CALLS)
def test_a_command_ends_with_130_and_leaves_nothing(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "run").write_text("0 Q0 d1 1 2.0 x\n")
    (tmp_path / "run2").write_text("0 Q0 d2 1 2.0 y\n")
    (tmp_path / "out").mkdir()
    places = {path.name: path for path in tmp_path.iterdir()}
    places["out"] = tmp_path / "out" / "made"
    command = [part.format(**places) for part in entries.COMMAND_CALLS[name].split()]
    with subprocess.Popen(
        [sys.executable, "-m", "cranfield", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        preexec_fn=hear,
    ) as started:
        wait_until_it_waits(started.pid)
        assert started.poll() is None, started.communicate()[1].decode()
        before, sent = used(started.pid), time.monotonic()
        started.send_signal(signal.SIGINT)
        assert started.stderr is not None
        errors = started.stderr.read()
        passed = time.monotonic() - sent
        started.wait(10)
    # trec_eval ends by the signal itself, as the program does; shells call that 130.
    assert started.returncode in (130, -signal.SIGINT), errors
    assert (started.returncode == 130) != (name == "trec_eval")
    assert b"Traceback" not in errors
    assert passed < 5 * ALL_WITHIN
    assert before >= 0
    assert not list((tmp_path / "out").iterdir())
