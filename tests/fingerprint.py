"""A fingerprint of what cranfield computes, for changes that must not change a bit.

    CRANFIELD_DATA=DATA python -m tests.fingerprint > before.json
    ... the change ...
    CRANFIELD_DATA=DATA python -m tests.fingerprint --against before.json

Each entry is a hash of the bits of some results: every measure on real runs, random
collections through every form of input, trec_eval's output, bounds, ties, statistics,
and the tables of every study. ``--against`` prints the entries that differ and exits
with 1 if there are any.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import polars as pl
import pyarrow as pa
from cranfield import _core, study

from tests.graded import random_collection
from tests.measures.spelled import spelled

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "debtags"
STUDIES: dict[str, dict[str, Any]] = {
    "depth": {"pool_depths": [5, 20], "depths": [5, 20, 100]},
    "incompleteness": {"samples": 2, "rates": [0.5], "sample_rates": [0.5]},
    "imperfection": {"samples": 2, "rates": [0.5]},
    "significance": {},
    "leave-one-out": {},
    "curves": {"docs_in_collection": 21_629},
    "graded": {},
    "agreement": {"second": str(EXAMPLE / "qrels.txt")},
}
OPTIONS: list[dict[str, Any]] = [
    {},
    {"order": "docno_asc", "negative": "nonrelevant"},
    {"order": "input"},
    {"scores": "f32", "undefined": "skip"},
    {"missing": "skip", "depth": 7},
]


def measures() -> list[str]:
    """Every family that plain judgments are enough for, whole and cut, raw and condensed."""
    names = []
    for family in _core.families():
        if family["needs"] or "over" in family:
            continue
        for k in (5, 20):
            text = spelled(family, k)
            names += [text, f"{text}'" if "@" not in text else text.replace("@", "'@")]
    return [name for name in dict.fromkeys(names) if accepted(name)]


def accepted(name: str) -> bool:
    try:
        cf.Evaluator(cf.Qrels({"1": {"a": 1}}, docs_in_collection=10), [name])
    except cf.Error:
        return False
    return True


def bits(*arrays: Any) -> bytes:
    return b"".join(np.ascontiguousarray(array, dtype=np.float64).tobytes() for array in arrays)


def outcome(work: Callable[[], bytes]) -> bytes:
    """The result, or the kind of the error."""
    try:
        return work()
    except cf.Error as error:
        return f"{error.kind}".encode()


def forms(run: dict[str, dict[str, float]], folder: Path) -> Iterator[tuple[str, Any]]:
    """A run in every form."""
    lines = [
        f"{topic} Q0 {doc} {rank} {score!r} tag\n"
        for topic, docs in run.items()
        for rank, (doc, score) in enumerate(docs.items(), 1)
    ]
    path = folder / "run.txt"
    path.write_text("".join(lines))
    columns = {
        "qid": [topic for topic, docs in run.items() for _ in docs],
        "docno": [doc for docs in run.values() for doc in docs],
        "score": [score for docs in run.values() for score in docs.values()],
    }
    yield "path", str(path)
    yield "stream", io.BytesIO("".join(lines).encode())
    yield "dict", run
    yield "run", cf.Run(run)
    yield "mapping", types.MappingProxyType(run)
    yield "arrow", pa.table(columns)
    yield "polars", pl.DataFrame(columns)


def random_collections(count: int) -> Iterator[tuple[str, bytes]]:
    names = measures()
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(count):
            qrels, run = random_collection(rng, ["1", "2", "10"], negative=True, missing=True)
            if not set(qrels) & set(run):
                continue
            if rng.random() < 0.3:
                run = {t: {d: float(round(s)) for d, s in docs.items()} for t, docs in run.items()}
            options = rng.choice(OPTIONS)
            judged = cf.Qrels(qrels, docs_in_collection=100)
            evaluator = cf.Evaluator(judged, names, threads=1, **options)
            for form, source in forms(run, Path(folder)):

                def scored(source: Any = source, evaluator: cf.Evaluator = evaluator) -> bytes:
                    return bits(evaluator.evaluate(source).values)

                yield form, outcome(scored)


def collect(count: int) -> Iterator[tuple[str, bytes]]:
    """The name of each entry with a piece of it; pieces of one entry come several times."""
    for form, piece in random_collections(count):
        yield f"random {form}", piece
    names = measures()
    runs = sorted(map(str, (EXAMPLE / "runs").glob("*.gz")))
    qrels = cf.read_qrels(str(EXAMPLE / "qrels.txt"), docs_in_collection=21_629)
    for options in OPTIONS:
        scores = cf.evaluate(qrels, runs, names, **options)
        yield f"example {options}", bits(scores.values, scores.summary(), scores.mean())
    for name in names:

        def averaged(name: str = name) -> bytes:
            return bits(cf.evaluate(qrels, runs, [name], ties="average").values)

        yield "example ties", outcome(averaged)
    for name in ("P@10", "AP", "nDCG@10", "RBP", "bpref", "R@10", "RR"):
        found = cf.bounds(qrels, runs, [name])
        yield "example bounds", bits(found.low.values, found.high.values)
    with tempfile.TemporaryDirectory() as folder:
        for name, options in STUDIES.items():
            target = os.path.join(folder, name)
            source = str(EXAMPLE / "qrels.txt"), str(EXAMPLE / "runs")
            study.run(name, *source, target, command="study", **options)
            for path in sorted(Path(target).rglob("*.csv")):
                yield f"study {name}", path.name.encode() + path.read_bytes()
    data = os.environ.get("CRANFIELD_DATA")
    if data:
        yield from trec8(Path(data) / "trec8-adhoc", names)


def trec8(folder: Path, names: list[str]) -> Iterator[tuple[str, bytes]]:
    qrels = next(iter(sorted(folder.glob("*qrels*"))))
    runs = sorted(map(str, (folder / "runs").glob("*")))
    judged = cf.read_qrels(str(qrels), docs_in_collection=528_155)
    for options in OPTIONS[:1] + OPTIONS[3:]:
        scores = cf.evaluate(judged, runs, names, **options)
        yield f"trec8 {options}", bits(scores.values, scores.summary())
    compared = cf.compare(judged, runs[:12], ["AP", "nDCG@10"], all_pairs=True)
    yield "trec8 compare", json.dumps(compared.to_dict(), default=str).encode()
    for run in runs[:10]:
        command = [sys.executable, "-m", "cranfield", "trec_eval", "-q", "-m", "all_trec"]
        done = subprocess.run([*command, str(qrels), run], capture_output=True, check=False)
        yield "trec8 trec_eval", done.stdout + done.stderr


def fingerprint(count: int) -> dict[str, str]:
    hashes: dict[str, Any] = {}
    for name, piece in collect(count):
        hashes.setdefault(name, hashlib.sha256()).update(hashlib.sha256(piece).digest())
    return {name: value.hexdigest() for name, value in hashes.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--against", metavar="FILE", help="a fingerprint of before")
    parser.add_argument("--collections", type=int, default=20_000, help="random ones")
    args = parser.parse_args()
    found = fingerprint(args.collections)
    if args.against is None:
        print(json.dumps(found, indent=1))
        return 0
    before = json.loads(Path(args.against).read_text())
    differ = sorted(n for n in before.keys() | found.keys() if before.get(n) != found.get(n))
    print("\n".join(f"differs: {name}" for name in differ) or f"{len(found)} entries, all equal")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
