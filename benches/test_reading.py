"""What a line of TREC-8 costs, compared with counting the line feeds of the same bytes.

The 129 runs of the ad hoc track lie in the page cache as plain files. One side reads
them and counts line feeds, as ``wc -l`` does; the other reads, checks, ranks and scores
them by everything that all_trec has, with one thread. Both are in this process, take
turns, and medians of the CPU's time count. How many lines there are is compared first.
"""

from __future__ import annotations

import gzip
from functools import partial
from pathlib import Path

import cranfield as cf
from turns import medians

CHUNK = 1 << 18
MOST = 3.0
"""How many times as long as counting it may take at most."""


def counted(runs: list[Path]) -> int:
    """The line feeds of files."""
    count = 0
    for run in runs:
        with run.open("rb") as file:
            while chunk := file.read(CHUNK):
                count += chunk.count(b"\n")
    return count


def test_a_line_beside_its_line_feed(data: Path, tmp_path: Path) -> None:
    folder = data / "trec8-adhoc"
    runs = []
    for packed in sorted((folder / "runs").iterdir()):
        run = tmp_path / f"{packed.stem.removeprefix('input.')}.run"
        run.write_bytes(gzip.decompress(packed.read_bytes()))
        runs.append(run)
    qrels = cf.read_qrels(folder / "trec8.qrels.gz")
    lines = counted(runs)
    found = cf.evaluate(qrels, runs, "num_ret", threads=1)
    # The lists of unjudged topics are read, and not scored.
    assert 0.99 * lines < found.values.sum() <= lines
    works = {"counting": partial(counted, runs)} | {
        names: partial(cf.evaluate, qrels, runs, names, threads=1)
        for names in ("all_trec", "nDCG@10 AP")
    }
    each = {
        name: taken / lines * 1e9
        for name, taken in zip(works, medians(*works.values()), strict=True)
    }
    print(f"\n{lines} lines: " + ", ".join(f"{name} {ns:.1f} ns" for name, ns in each.items()))
    assert each["all_trec"] < MOST * each["counting"]
