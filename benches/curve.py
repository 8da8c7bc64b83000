"""What a line costs, from small runs to large ones: a table, a record and a figure.

    python benches/curve.py --lines 1e7 --topics 1e5 --record benches/record/curve.json

Runs of 1,000 lines a topic grow by tens to that many lines, and runs of ten lines a
topic to that many topics. Each is written to a temporary folder, scored by one thread in
a process of its own, and deleted. CPU time and the largest memory are of the process.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SCORE = """
import resource, sys, time
import cranfield as cf
qrels = cf.read_qrels(sys.argv[1])
evaluator = cf.Evaluator(qrels, "nDCG@10 AP RR num_ret", threads=1)
best = float("inf")
for _ in range(int(sys.argv[3])):
    start = time.process_time()
    scores = evaluator.evaluate(sys.argv[2])
    best = min(best, time.process_time() - start)
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(best, int(peak.split()[1]), int(scores.summary()[0][3]))
"""

Row = dict[str, float]


def written(folder: Path, topics: int, depth: int) -> tuple[Path, Path]:
    """Judgments of one document a topic, and a run."""
    qrels, run = folder / "curve.qrels", folder / "curve.run"
    lines = "".join(
        f"%s Q0 document-{i * 7919 % 1_000_003:07} {i} {2000 - i / 8:.6f} synthetic\n"
        for i in range(1, depth + 1)
    )
    with run.open("w", encoding="ascii") as out, qrels.open("w", encoding="ascii") as judgments:
        for topic in range(topics):
            out.write(lines.replace("%s", str(topic)))
            judged = (topic % depth + 1) * 7919 % 1_000_003
            judgments.write(f"{topic} 0 document-{judged:07} 1\n")
    return qrels, run


def measured(topics: int, depth: int, folder: Path) -> Row:
    qrels, run = written(folder, topics, depth)
    size, lines = run.stat().st_size, topics * depth
    rounds = 5 if lines <= 10**6 else 2
    command = [sys.executable, "-c", SCORE, str(qrels), str(run), str(rounds)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, peak, found = output.split()
    assert int(found) == lines
    qrels.unlink()
    run.unlink()
    return {
        "lines": lines,
        "topics": topics,
        "megabytes": round(size / 1e6, 1),
        "seconds": round(float(seconds), 4),
        "ns_a_line": round(float(seconds) / lines * 1e9, 1),
        "peak_mib": round(int(peak) / 1024, 1),
    }


def steps(most: int) -> list[int]:
    """Powers of ten from 10,000 to the largest, which comes last."""
    return [10**n for n in range(4, 12) if 10**n < most] + [most]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=float, default=1e6)
    parser.add_argument("--topics", type=float, default=1e4)
    parser.add_argument("--record", type=Path)
    parser.add_argument("--figure", type=Path)
    args = parser.parse_args()
    curves: dict[str, list[Row]] = {"1,000 lines a topic": [], "10 lines a topic": []}
    with tempfile.TemporaryDirectory() as folder:
        for lines in steps(int(args.lines)):
            curves["1,000 lines a topic"].append(measured(lines // 1000, 1000, Path(folder)))
        for lines in steps(int(args.topics) * 10):
            curves["10 lines a topic"].append(measured(lines // 10, 10, Path(folder)))
    for name, rows in curves.items():
        print(name)
        for row in rows:
            print("  ", "  ".join(f"{key} {value:g}" for key, value in row.items()))
    if args.record:
        machine = {"processors": os.cpu_count(), "python": sys.version.split()[0]}
        args.record.write_text(json.dumps({"machine": machine, "curves": curves}, indent=1) + "\n")
    if args.figure:
        draw(curves, args.figure)


def draw(curves: dict[str, list[Row]], path: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for name, rows in curves.items():
        x, y = [row["lines"] for row in rows], [row["seconds"] for row in rows]
        axes.loglog(x, y, marker="o", label=name)
    axes.set(xlabel="lines", ylabel="seconds of CPU, one thread")
    axes.legend(frameon=False)
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
