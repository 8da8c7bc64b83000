"""Size, threads and order: what must not matter to the scores, and what is bounded."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import cranfield as cf
import numpy as np
import pytest

from tests.commands import unsigned

RUN_AND_MEASURE = """
import sys
from cranfield._cli import main
main(sys.argv[1:])
# Of this program alone; what getrusage says is also of the one that started it.
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")), file=sys.stderr)
"""

MEASURES = "nDCG@10 AP AP' bpref RBP_residual(p=0.9) infAP Judged@10"


def test_a_large_run_is_streamed(tmp_path: Path) -> None:
    """300 MB of run in less than 100 MB of memory, Python included."""
    path, size, topic = tmp_path / "large.run", 0, 0
    lines = "".join(f"%s Q0 document-number-{i:06} {i} {2000 - i} synthetic\n" for i in range(1000))
    with path.open("w", encoding="ascii") as out:
        while size < 300_000_000:
            size += out.write(lines.replace("%s", str(topic)))
            topic += 1
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"{t} 0 document-number-{t % 1000:06} 1\n" for t in range(topic)))
    command = ["eval", str(qrels), str(path), "-m", "RR num_ret", "--quiet"]
    done = subprocess.run(
        [sys.executable, "-c", RUN_AND_MEASURE, *command],
        capture_output=True,
        text=True,
        check=True,
    )
    mean = sum(1 / (t % 1000 + 1) for t in range(topic)) / topic
    assert unsigned(done.stdout).splitlines()[-1].split() == [
        "large",
        f"{mean:.4f}",
        str(topic * 1000),
    ]
    peak = int(done.stderr.split()[-2])
    assert peak < 100_000, f"{peak} kB"


MANY_TOPICS = """
import gc
import cranfield as cf

def memory():
    gc.collect()
    return int(open("/proc/self/statm").read().split()[1]) * 4096

judged = {str(i): {f"doc{10 * i}": 1} for i in range(100_000)}
before = memory()
evaluator = cf.Evaluator(judged, "nDCG@10 AP RR P@10 R@100 Rprec", threads=1)
print((memory() - before) // len(judged))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_an_evaluator_of_many_topics_takes_600_bytes_a_topic() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MANY_TOPICS], capture_output=True, text=True, check=True
    )
    assert 100 < int(done.stdout) <= 600


@pytest.fixture(scope="module")
def shuffled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    """Judgments, and one run three times: in order, its topics in pieces, and shuffled."""
    folder = tmp_path_factory.mktemp("shuffled")
    rng = random.Random(8)
    documents = [f"d{i}" for i in range(200)]
    judgments, lines = [], []
    for topic in range(30):
        for document in documents:
            if rng.random() < 0.3:
                judgments.append(f"{topic} 0 {document} {rng.choice((-1, 0, 0, 1, 2))}\n")
        for rank, document in enumerate(rng.sample(documents, 100)):
            lines.append(f"{topic} Q0 {document} {rank} {rng.randint(0, 40)} tag\n")
    qrels = folder / "qrels.txt"
    qrels.write_text("".join(judgments))
    pieces = sorted(lines, key=lambda line: int(line.split()[3]) % 3)
    mixed = rng.sample(lines, len(lines))
    paths = []
    for name, content in (("ordered", lines), ("pieces", pieces), ("mixed", mixed)):
        paths.append(folder / f"{name}.run")
        paths[-1].write_text("".join(content))
    return qrels, paths


def test_the_order_of_lines_does_not_matter(shuffled: tuple[Path, list[Path]]) -> None:
    qrels, paths = shuffled
    scores = cf.evaluate(qrels, paths, MEASURES)
    assert np.array_equal(scores.values[0], scores.values[1])
    assert np.array_equal(scores.values[0], scores.values[2])


def test_a_pipe_scores_as_its_file(shuffled: tuple[Path, list[Path]], tmp_path: Path) -> None:
    """A named pipe can be read once, whatever the order of its lines."""
    qrels, paths = shuffled
    expected = cf.evaluate(qrels, paths, MEASURES)
    for i, path in enumerate(paths):
        pipe = tmp_path / f"{path.stem}.pipe"
        os.mkfifo(pipe)
        with subprocess.Popen(["dd", f"if={path}", f"of={pipe}", "status=none"]):
            scores = cf.evaluate(qrels, pipe, MEASURES)
        assert scores.values[0].tobytes() == expected.values[i].tobytes()


def test_the_number_of_threads_does_not_matter(shuffled: tuple[Path, list[Path]]) -> None:
    qrels, paths = shuffled
    runs = {f"{path.stem}{i}": path for i in range(20) for path in paths}
    one = cf.evaluate(qrels, runs, MEASURES, threads=1)
    for threads in (2, 3, 8, 64):
        many = cf.evaluate(qrels, runs, MEASURES, threads=threads)
        assert many.runs == one.runs
        assert one.values.tobytes() == many.values.tobytes()


def test_a_run_in_memory_scores_as_its_file(shuffled: tuple[Path, list[Path]]) -> None:
    qrels, paths = shuffled
    held = cf.evaluate(qrels, cf.read_runs(paths), MEASURES)
    streamed = cf.evaluate(qrels, paths, MEASURES)
    as_dict = cf.evaluate(qrels, {p.stem: cf.read_run(p).to_dict() for p in paths}, MEASURES)
    assert held.values.tobytes() == streamed.values.tobytes() == as_dict.values.tobytes()
