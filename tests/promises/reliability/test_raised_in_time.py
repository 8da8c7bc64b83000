"""Ctrl-C during a real call or command: an interrupt soon, and nothing left behind."""

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

SOON = 1.0
"""Seconds from the signal to the end of the process, on a machine that does other work too."""

CRANFIELD = [sys.executable, "-m", "cranfield"]
PYTHON = [sys.executable, "-c"]
IMPORTS = "import pickle, sys, cranfield as cf, numpy as np\nfrom cranfield import curves\n"

COMMANDS = {
    "judgments from a pipe": "eval {pipe} {run}",
    "a run from a pipe": "eval {qrels} {pipe}",
    "a run to convert from a pipe": "convert {pipe} {out}.run",
    "judgments to describe from a pipe": "describe {pipe} {run}",
    "a run to describe from a pipe": "describe {qrels} {pipe}",
    "a pool from a pipe": "pool {pipe} --depth 3",
    "comments without end": "eval {qrels} /dev/stdin",
    "comments without end to convert": "convert /dev/stdin {out}.run",
    "judgments without end": "eval /dev/stdin {run}",
    "xz": "convert {large} {out}.run.xz",
    "output that nobody reads": "convert {large} -",
}

MADE = """
rng = np.random.default_rng(1)
scores = cf.Scores.from_records(
    (f"r{run}", str(topic), "m", value)
    for run, row in enumerate(rng.random((200, 50))) for topic, value in enumerate(row)
)
"""
LARGE = "large = cf.read_run(sys.argv[3])\n"
CALLS = {
    "read_run": ("", "cf.read_run(sys.argv[3])"),
    "read_run of a pipe": ("", "cf.read_run(sys.argv[1])"),
    "read_qrels of a pipe": ("", "cf.read_qrels(sys.argv[1])"),
    "evaluate": ("", "cf.evaluate(sys.argv[2], [sys.argv[3]], 'AP')"),
    "evaluate with threads": (
        "",
        "cf.evaluate(sys.argv[2], dict.fromkeys('ab', sys.argv[3]), 'AP', threads=2)",
    ),
    "precision_recall": ("", "curves.precision_recall(sys.argv[2], sys.argv[3])"),
    "to_dict": (LARGE, "large.to_dict()"),
    "write": (LARGE, "large.write(sys.argv[4])"),
    "pickle": (LARGE, "pickle.loads(pickle.dumps(large))"),
    "kendall": ("x, y = np.random.default_rng(1).random((2, 10**6))", "cf.stats.kendall(x, y)"),
    "tukey_hsd": (MADE, "cf.stats.tukey_hsd(scores, measure='m')"),
    "bootstrap_test": (MADE, "cf.stats.bootstrap_test(scores, measure='m')"),
    "randomization_test": (MADE, "cf.stats.randomization_test(scores, measure='m')"),
    "tiers": (MADE, "scores.tiers('m')"),
    "rows": (
        LARGE + "rows = [(t, d, s) for t, l in large.to_dict().items() for d, s in l.items()]\n"
        "columns = list(zip(*rows))",
        "cf.Run.from_rows(*columns)",
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipe without a writer, judgments, a small run and one of 600,000 lines."""
    folder = tmp_path_factory.mktemp("signals")
    os.mkfifo(folder / "pipe")
    (folder / "qrels").write_text("0 0 d1 1\n0 0 d2 0\n")
    (folder / "run").write_text("0 Q0 d1 1 2.0 x\n")
    with (folder / "large").open("w") as out:
        for topic in range(60):
            lines = (f"{topic} Q0 d{k * 7919 % 100003} {k} {-k} x\n" for k in range(10_000))
            out.writelines(lines)
    (folder / "out").mkdir()
    return folder


@pytest.fixture
def endless() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["yes", "# a comment"], stdout=subprocess.PIPE) as writer:
        yield writer
        writer.kill()


def interrupted(started: subprocess.Popen[bytes], after: float) -> tuple[float, bytes]:
    """Seconds until the process ends after a signal, and what it wrote to its standard error."""
    time.sleep(after)
    assert started.poll() is None, started.communicate()[1].decode()
    sent = time.monotonic()
    started.send_signal(signal.SIGINT)
    assert started.stderr is not None
    errors = started.stderr.read()
    started.wait(10)
    return time.monotonic() - sent, errors


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_ends_with_130_and_leaves_nothing(
    name: str, folder: Path, endless: subprocess.Popen[bytes]
) -> None:
    names = {path.name: path for path in folder.iterdir()}
    target = folder / "out" / "made"
    command = [part.format(**{**names, "out": target}) for part in COMMANDS[name].split()]
    with subprocess.Popen(
        [*CRANFIELD, *command],
        stdin=endless.stdout if "/dev/stdin" in command else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as started:
        took, errors = interrupted(started, after=0.8)
    assert started.returncode == 130, errors
    assert took < SOON
    assert b"Traceback" not in errors
    assert not list((folder / "out").iterdir())


@pytest.mark.parametrize("name", CALLS)
def test_a_call_raises_keyboard_interrupt(name: str, folder: Path) -> None:
    before, call = CALLS[name]
    text = f"{IMPORTS}{before}\nprint('ready', flush=True)\nwhile True:\n    {call}\n"
    paths = [str(folder / part) for part in ("pipe", "qrels", "large", "out/made.xz")]
    with subprocess.Popen(
        [*PYTHON, text, *paths], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as started:
        assert started.stdout is not None
        ready = started.stdout.readline()
        assert ready == b"ready\n", started.communicate()[1].decode()
        took, errors = interrupted(started, after=random.Random(name).uniform(0.1, 0.5))
    assert errors.decode().rstrip().endswith("KeyboardInterrupt"), errors.decode()
    assert took < SOON
    for made in (folder / "out").iterdir():
        assert made.name == "made.xz", made
        made.unlink()
