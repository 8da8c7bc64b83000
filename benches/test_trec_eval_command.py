"""trec_eval's command and trec_eval: the same bytes, less CPU time.

    TREC_EVAL_9=... TREC_EVAL_O3=... make bench

TREC_EVAL_9 is the tag v9.0.8 of 2020 as its Makefile builds it, TREC_EVAL and TREC_EVAL_O3 are
version 10 built by its Makefile and with -O3. Whole processes, judgments read by each.
"""

from __future__ import annotations

import gzip
import os
import random
import resource
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "target" / "release" / "cranfield-trec_eval"
"""trec_eval without Python."""

OURS = [sys.executable, "-m", "cranfield.trec_eval", "--threads", "1"]


def program(variable: str) -> str:
    found = os.environ.get(variable)
    if not found:
        pytest.skip(f"{variable} does not name a program")
    return found


def cpu(command: Sequence[str | Path]) -> tuple[float, bytes]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, check=True, capture_output=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, out


def test_one_run_is_no_slower_than_an_optimised_program(tmp_path: Path) -> None:
    competitor = program("TREC_EVAL_O3")
    rng = random.Random(1)
    qrels, run = tmp_path / "q", tmp_path / "r"
    with qrels.open("w") as judgments, run.open("w") as lines:
        for topic in range(50):
            documents = rng.sample(range(500_000), 1900)
            for document in documents[:100] + documents[1000:]:
                grade = int(rng.random() < 0.1)
                judgments.write(f"{topic} 0 FT{document:08} {grade}\n")
            for rank, document in enumerate(documents[:1000]):
                lines.write(f"{topic} Q0 FT{document:08} {rank} {30 - rank / 40:.6f} tag\n")
    rounds = []
    for _ in range(9):
        ours, out = cpu([*OURS, "--compat", "10", qrels, run])
        theirs, expected = cpu([competitor, qrels, run])
        assert out == expected
        rounds.append((ours, theirs))
    ours, theirs = (statistics.median(side) for side in zip(*rounds, strict=True))
    print(f"\none run: {ours * 1000:.0f} ms, -O3 {theirs * 1000:.0f} ms: {theirs / ours:.2f} times")
    assert theirs >= ours


def without_rbp(out: bytes) -> list[bytes]:
    """Version 10 computes it from variables that it never sets, so that the compiler decides."""
    return [line for line in out.splitlines() if not line.startswith(b"rbp")]


@pytest.mark.parametrize(("variable", "least"), [("TREC_EVAL", 7.0), ("TREC_EVAL_O3", 5.0)])
def test_processes_without_python(data: Path, tmp_path: Path, variable: str, least: float) -> None:
    """One run each, as a loop in a shell does it: every fourth run of TREC-8."""
    competitor = program(variable)
    build = ["cargo", "build", "--release", "--locked", "--quiet", "-p", "cranfield-trec_eval"]
    subprocess.run(build, check=True, cwd=ROOT)
    folder = data / "trec8-adhoc"
    qrels, run = tmp_path / "q", tmp_path / "r"
    qrels.write_bytes(gzip.decompress((folder / "trec8.qrels.gz").read_bytes()))
    rounds = []
    for packed in sorted((folder / "runs").iterdir())[::4]:
        run.write_bytes(gzip.decompress(packed.read_bytes()))
        arguments: list[str | Path] = ["-q", "-m", "all_trec", qrels, run]
        ours, out = cpu([PROGRAM, "--compat", "10", *arguments])
        theirs, expected = cpu([competitor, *arguments])
        assert without_rbp(out) == without_rbp(expected)
        rounds.append((ours, theirs))
    ours, theirs = map(sum, zip(*rounds, strict=True))
    each = f"{1000 * ours / len(rounds):.1f} ms, theirs {1000 * theirs / len(rounds):.1f}"
    print(f"\na run in a process: {each}: {theirs / ours:.1f} times")
    assert theirs >= least * ours


def test_129_runs_at_once(data: Path, tmp_path: Path) -> None:
    competitor = program("TREC_EVAL_9")
    folder = data / "trec8-adhoc"
    qrels = tmp_path / "q"
    qrels.write_bytes(gzip.decompress((folder / "trec8.qrels.gz").read_bytes()))
    runs = []
    for packed in sorted((folder / "runs").iterdir()):
        runs.append(tmp_path / packed.stem)
        runs[-1].write_bytes(gzip.decompress(packed.read_bytes()))
    ours = [cpu([*OURS, qrels, *runs]) for _ in range(5)]
    theirs = [cpu([competitor, qrels, run]) for run in runs]
    pieces = (
        b"==> %s <==\n" % bytes(run) + out for run, (_, out) in zip(runs, theirs, strict=True)
    )
    assert ours[0][1] == b"".join(pieces)
    seconds = statistics.median(seconds for seconds, _ in ours)
    total = sum(seconds for seconds, _ in theirs)
    print(f"\n129 runs: {seconds:.3f} s, trec_eval 9 {total:.3f} s: {total / seconds:.1f} times")
    assert total >= 20 * seconds
