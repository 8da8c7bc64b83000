"""Whole processes from files to summaries, beside trec_eval in the same run.

``TREC_EVAL`` names trec_eval's program (10.0, built as its Makefile builds it).
Both sides read plain files from the page cache, score the measures of all_trec
that both define alike, and print the summary. Times are user plus system time of
the processes, Python's start included; the least of several rounds counts, the
sides take turns. The values are compared before any time is.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import oracle
import pytest

ROUNDS = 5
PRINTED = 5.1e-5
"""trec_eval prints four decimals."""

Summaries = dict[str, dict[str, float]]

NAMES = [name for name in oracle.SPELLINGS if name not in oracle.GEOMETRIC]
MEASURES = " ".join(oracle.spelling(name) for name in NAMES)


@pytest.fixture(scope="module")
def trec_eval() -> str:
    program = os.environ.get("TREC_EVAL")
    if not program:
        pytest.skip("TREC_EVAL does not name trec_eval's program")
    return program


def cpu(command: list[str]) -> tuple[float, bytes]:
    """CPU seconds of a process and what it printed."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    assert process.returncode == 0, command
    return usage.ru_utime + usage.ru_stime, output


def ours(qrels: Path, runs: list[Path]) -> tuple[float, Summaries]:
    """One process for all runs."""
    command = [sys.executable, "-m", "cranfield", "eval", str(qrels), *map(str, runs)]
    options = ["-m", MEASURES, "--format", "jsonl", "--threads", "1", "--quiet"]
    seconds, output = cpu([*command, *options])
    rows = [json.loads(line) for line in output.splitlines()]
    return seconds, {row["run"]: row.get("values", row) for row in rows}


def theirs(program: str, qrels: Path, runs: list[Path]) -> tuple[float, Summaries]:
    """One process a run."""
    total, summaries = 0.0, {}
    for run in runs:
        seconds, output = cpu([program, "-c", "-m", "all_trec", str(qrels), str(run)])
        total += seconds
        rows = (line.split("\t") for line in output.decode().splitlines())
        summaries[run.stem] = {
            name.strip(): float(value) for name, _, value in rows if name.strip() in NAMES
        }
    return total, summaries


def compare(found: Summaries, expected: Summaries) -> None:
    assert found.keys() == expected.keys()
    for run, values in expected.items():
        for name in NAMES:
            assert found[run][oracle.spelling(name)] == pytest.approx(values[name], abs=PRINTED)


def race(
    us: Callable[[], tuple[float, Summaries]], them: Callable[[], tuple[float, Summaries]]
) -> float:
    """How many times as long the rival takes: the best round of each side."""
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        (our_seconds, found), (their_seconds, expected) = us(), them()
        compare(found, expected)
        best = [min(best[0], our_seconds), min(best[1], their_seconds)]
    ratio = best[1] / best[0]
    print(f"\ncranfield {best[0]:.3f} s, trec_eval {best[1]:.3f} s of CPU: {ratio:.1f} times")
    return ratio


def test_129_runs(data: Path, trec_eval: str, tmp_path: Path) -> None:
    folder = data / "trec8-adhoc"
    qrels = tmp_path / "qrels.txt"
    qrels.write_bytes(gzip.decompress((folder / "trec8.qrels.gz").read_bytes()))
    runs = []
    for packed in sorted((folder / "runs").iterdir()):
        run = tmp_path / f"{packed.stem.removeprefix('input.')}.run"
        run.write_bytes(gzip.decompress(packed.read_bytes()))
        runs.append(run)
    ratio = race(lambda: ours(qrels, runs), lambda: theirs(trec_eval, qrels, runs))
    assert ratio >= 20


def passages(path: Path, topics: int, depth: int) -> Path:
    """A run in the shape of MS MARCO's development set, and its qrels beside it."""
    rng = random.Random(1)
    judged = {}
    with path.open("w", encoding="ascii") as out:
        for topic in range(topics):
            name, score, lines = str(1_000_000 + 7 * topic), 30.0, []
            documents = rng.sample(range(8_841_823), depth)
            judged[name] = documents[rng.randrange(depth)] if topic % 3 else 9_000_000
            for rank, document in enumerate(documents, 1):
                score -= rng.random() * 0.02
                lines.append(f"{name} Q0 {document} {rank} {score:.6f} synthetic\n")
            out.writelines(lines)
    qrels = path.with_suffix(".qrels")
    qrels.write_text("".join(f"{topic} 0 {doc} 1\n" for topic, doc in judged.items()))
    return qrels


def test_one_large_run(trec_eval: str, tmp_path: Path) -> None:
    run = tmp_path / "large.run"
    qrels = passages(run, topics=6980, depth=1000)
    ratio = race(lambda: ours(qrels, [run]), lambda: theirs(trec_eval, qrels, [run]))
    assert ratio >= 12
