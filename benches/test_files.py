"""Whole processes from files to summaries, compared with trec_eval in the same run.

``TREC_EVAL`` names trec_eval's program (10.0) as its Makefile builds it,
``TREC_EVAL_O3`` the same source built with -O3, and ``TREC_EVAL_F32`` the tag v9.0.8
of 2020, which compares scores in single precision; sides that are not named are left
out. Both read plain files from the page cache, score the measures of all_trec that
both define alike, and print the summary. Times are user plus system time of the
processes, Python's start included; the median of the rounds counts, and the sides
take turns. The values are compared before any time is.

trec_eval has a process for each run. Of a thousand runs it scores forty, spread over
them, and the time of all is worked out from those; its values for them are compared.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest

from tests.against import pytrec_eval_names as oracle

ROUNDS = 5
SAMPLE = 40
PRINTED = 5.1e-5
"""trec_eval prints four decimals."""

Summaries = dict[str, dict[str, float]]

NAMES = [name for name in oracle.SPELLINGS if name not in oracle.GEOMETRIC]
MEASURES = " ".join(oracle.spelling(name) for name in NAMES)

COMPETITORS = {"TREC_EVAL": "f64", "TREC_EVAL_O3": "f64", "TREC_EVAL_F32": "f32"}
"""The variable that names a program, and the precision that it compares scores in."""


LEAST = {
    "129 runs": {"TREC_EVAL": 35, "TREC_EVAL_O3": 24, "TREC_EVAL_F32": 35},
    "large run": {"TREC_EVAL": 40, "TREC_EVAL_O3": 32, "TREC_EVAL_F32": 40},
    "thousand runs": {"TREC_EVAL": 42, "TREC_EVAL_O3": 28, "TREC_EVAL_F32": 42},
}
"""How many times as long a program has to take at least."""


@pytest.fixture(scope="module")
def competitors() -> dict[str, str]:
    """The programs that there are, by their variables."""
    programs = {name: os.environ[name] for name in COMPETITORS if os.environ.get(name)}
    if not programs:
        pytest.skip(f"none of {', '.join(COMPETITORS)} names a program of trec_eval")
    return programs


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


def ours(qrels: Path, runs: list[Path], scores: str) -> tuple[float, Summaries]:
    """One process for all runs."""
    command = [sys.executable, "-m", "cranfield", "eval", str(qrels), *map(str, runs)]
    options = ["-m", MEASURES, "--format", "jsonl", "--threads", "1", "--quiet"]
    seconds, output = cpu([*command, *options, "--scores", scores])
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
    for run, values in expected.items():
        for name in NAMES:
            assert found[run][oracle.spelling(name)] == pytest.approx(values[name], abs=PRINTED)


def race(
    competitors: dict[str, str], qrels: Path, runs: list[Path], rounds: int = ROUNDS
) -> dict[str, float]:
    """How many times as long each program takes: medians of rounds in which sides take turns."""
    sample = runs if len(runs) < 200 else runs[:: len(runs) // SAMPLE]
    own: dict[str, list[float]] = {"f64": [], "f32": []}
    other: dict[str, list[float]] = {name: [] for name in competitors}
    for _ in range(rounds):
        for name, program in competitors.items():
            seconds, found = ours(qrels, runs, COMPETITORS[name])
            assert len(found) == len(runs)
            own[COMPETITORS[name]].append(seconds)
            seconds, expected = theirs(program, qrels, sample)
            compare(found, expected)
            other[name].append(seconds / len(sample) * len(runs))
    ratios = {}
    for name, times in other.items():
        mine, his = statistics.median(own[COMPETITORS[name]]), statistics.median(times)
        ratios[name] = his / mine
        line = f"{mine:.3f} s, {name} {his:.3f} s of CPU: {ratios[name]:.1f} times"
        print(f"\n{COMPETITORS[name]} {line}")
    return ratios


def check(ratios: Mapping[str, float], least: Mapping[str, float]) -> None:
    slow = {name: ratio for name, ratio in ratios.items() if ratio < least[name]}
    assert not slow, f"below {least}"


def test_129_runs(data: Path, competitors: dict[str, str], tmp_path: Path) -> None:
    folder = data / "trec8-adhoc"
    qrels = tmp_path / "qrels.txt"
    qrels.write_bytes(gzip.decompress((folder / "trec8.qrels.gz").read_bytes()))
    runs = []
    for packed in sorted((folder / "runs").iterdir()):
        run = tmp_path / f"{packed.stem.removeprefix('input.')}.run"
        run.write_bytes(gzip.decompress(packed.read_bytes()))
        runs.append(run)
    check(race(competitors, qrels, runs), LEAST["129 runs"])


def passages(path: Path, topics: int, depth: int) -> Path:
    """A run in the shape of MS MARCO's development set, and its qrels."""
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


def test_one_large_run(competitors: dict[str, str], tmp_path: Path) -> None:
    run = tmp_path / "large.run"
    qrels = passages(run, topics=6980, depth=1000)
    check(race(competitors, qrels, [run]), LEAST["large run"])


def documents() -> list[str]:
    """Names in the shape of newswire."""
    sources = ["FBIS3-{}", "FBIS4-{}", "FT911-{}", "FR940104-0-{:05}", "LA010189-{:04}"]
    return [sources[i % 5].format(i // 5) for i in range(100_000)]


def pooled(folder: Path, runs: int, ties: float, unsorted: float) -> Iterator[Path]:
    """Different runs of 50 topics of 1,000 documents; first their qrels.

    1,500 documents of a topic are judged, and 28% of what is retrieved is. So many
    scores are those of the line above, and the lines of so many topics are shuffled.
    """
    rng = np.random.default_rng(8)
    names = np.array(documents())
    topics = range(401, 451)
    judged = {topic: rng.permutation(len(names)) for topic in topics}
    qrels = folder / "qrels.txt"
    with qrels.open("w", encoding="ascii") as out:
        for topic, order in judged.items():
            grades = rng.random(1500) < 0.06
            out.writelines(
                f"{topic} 0 {d} {g:d}\n" for d, g in zip(names[order[:1500]], grades, strict=True)
            )
    yield qrels
    for run in range(runs):
        path = folder / f"r{run:04}.run"
        with path.open("w", encoding="ascii") as out:
            for topic, order in judged.items():
                found = np.concatenate(
                    [
                        rng.choice(1500, 280, replace=False),
                        1500 + rng.choice(len(names) - 1500, 720, replace=False),
                    ]
                )
                falls = rng.random(1000) * 0.02 * (rng.random(1000) >= ties)
                scores = 30 - np.cumsum(falls)
                ids = names[order[rng.permutation(found)]]
                lines = [
                    f"{topic} Q0 {d} {i} {s:.6f} synthetic{run}\n"
                    for i, (d, s) in enumerate(zip(ids.tolist(), scores.tolist(), strict=True))
                ]
                if rng.random() < unsorted:
                    rng.shuffle(lines)
                out.writelines(lines)
        yield path


@pytest.mark.parametrize("ties", [0.02, 0.1])
def test_a_thousand_runs(competitors: dict[str, str], tmp_path: Path, ties: float) -> None:
    qrels, *runs = pooled(tmp_path, 1000, ties, unsorted=0.05)
    check(race(competitors, qrels, runs), LEAST["thousand runs"])
