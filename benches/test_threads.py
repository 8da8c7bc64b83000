"""Two threads and one: the same bits, hardly more CPU time, and the wall time.

Both have the same runs in turn. The CPU time of two threads may be 8 % above that of
one. The wall time is always printed; it counts only if both processors were idle before
and had nothing else to do meanwhile, as /proc/stat shows.
"""

from __future__ import annotations

import os
import statistics
import time
from pathlib import Path

import cranfield as cf
import numpy as np
import pytest

ROUNDS = 7
RUNS = 40
MOST_CPU = 1.08
LEAST_WALL = 1.6
IDLE = 0.95
"""The share of time that processors have to be free to count as idle."""


def ticks() -> tuple[float, float]:
    """Seconds that processors were busy, and all seconds, since the start of the machine."""
    with open("/proc/stat", encoding="ascii") as stat:
        user, nice, system, idle, iowait, *rest = map(int, stat.readline().split()[1:9])
    busy = user + nice + system + sum(rest)
    unit = os.sysconf("SC_CLK_TCK")
    return busy / unit, (busy + idle + iowait) / unit


def free_before(seconds: float) -> bool:
    """Whether the processors have nothing to do for a while."""
    busy, total = ticks()
    time.sleep(seconds)
    busy_then, total_then = ticks()
    return busy_then - busy <= (1 - IDLE) * (total_then - total)


def written(folder: Path) -> tuple[Path, list[Path]]:
    """Judgments, and runs of 50 topics of 1,000 documents."""
    rng = np.random.default_rng(2)
    judged = {topic: rng.permutation(100_000) for topic in range(401, 451)}
    qrels = folder / "qrels.txt"
    with qrels.open("w", encoding="ascii") as out:
        for topic, order in judged.items():
            out.writelines(f"{topic} 0 FT911-{d:05} {d % 17 == 0:d}\n" for d in order[:1500])
    runs = []
    for run in range(RUNS):
        runs.append(folder / f"r{run:02}.run")
        with runs[-1].open("w", encoding="ascii") as out:
            for topic, order in judged.items():
                found = np.concatenate(
                    [rng.choice(order[:1500], 280, replace=False), order[1500:2220]]
                )
                scores = 30 - np.cumsum(rng.random(1000) * 0.02)
                ranked = enumerate(zip(rng.permutation(found), scores, strict=True), 1)
                out.writelines(f"{topic} Q0 FT911-{d:05} {i} {s:.6f} tag\n" for i, (d, s) in ranked)
    return qrels, runs


@pytest.mark.skipif(not os.path.exists("/proc/stat"), reason="idle time is read from /proc/stat")
@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="two threads need two processors")
def test_two_threads(tmp_path: Path) -> None:
    path, runs = written(tmp_path)
    qrels = cf.read_qrels(path)
    sides = [cf.Evaluator(qrels, "all_trec", threads=threads) for threads in (1, 2)]
    one, two = (side.evaluate(runs).values for side in sides)
    assert one.tobytes() == two.tobytes()
    cpu: tuple[list[float], list[float]] = ([], [])
    wall: tuple[list[float], list[float]] = ([], [])
    free = free_before(0.5)
    for _ in range(ROUNDS):
        for i, side in enumerate(sides):
            busy, start = ticks()[0], (time.process_time(), time.perf_counter())
            side.evaluate(runs)
            spent = time.process_time() - start[0]
            cpu[i].append(spent)
            wall[i].append(time.perf_counter() - start[1])
            # Its clock has a hundred ticks a second.
            free &= ticks()[0] - busy <= spent + 0.05
    more = statistics.median(cpu[1]) / statistics.median(cpu[0])
    faster = statistics.median(wall[0]) / statistics.median(wall[1])
    counted = "both processors were free" if free else "not counted: the processors were not free"
    print(f"\ntwo threads: {more:.3f} times the CPU time, {faster:.2f} times as fast ({counted})")
    assert more <= MOST_CPU
    assert not free or faster >= LEAST_WALL
