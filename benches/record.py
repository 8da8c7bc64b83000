"""The record of speed: how fast each input is scored, compared with every other evaluator.

``make record`` writes ``benches/record/speed.json``, from which ``make docs`` makes
the table and the chart of speed. Programs of trec_eval are named by TREC_EVAL (as its Makefile
builds it), TREC_EVAL_O3 and TREC_EVAL_11 (the rewrite in Rust, ``te-rust``); evaluators that are
not installed are left out and named. ``--only`` measures some rows again and keeps the others.

A row is a kind of input, a size and a set of measures; the values are compared before
any time is, and the sides take turns. ``BIAS.md`` lists the bias in our favour.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from cranfield._base.errors import MissingPackageError
from cranfield._bench import race, report, shapes
from cranfield._bench.engines import (
    ENGINES,
    Engine,
    Job,
    TrecEval,
    Work,
    chosen_measures,
    own_process,
    printed_by,
)

FOLDER = Path(__file__).resolve().parent / "record"
TREC_8 = "TREC-8"
"""The 129 runs of the ad hoc track, in the folder that CRANFIELD_DATA names."""

PYTHON = ("pytrec_eval", "ir_measures", "ranx")
PROGRAMS = ("trec_eval", "trec_eval -O3", "trec_eval 11", "cranfield before")


class Row(NamedTuple):
    """What is measured, against whom."""

    kind: str
    size: str
    sets: tuple[str, ...]
    engines: tuple[str, ...]
    runs: int = 1
    rounds: int = 7


SETS = ("nDCG@10", "common", "all")

USUAL = (
    Row("files", TREC_8, ("all",), PROGRAMS, rounds=5),
    Row("files", "6980x1000", ("all",), PROGRAMS, rounds=5),
    Row("files", "50x1000", SETS, PYTHON),
    Row("files", "250x1000", ("all",), ("pytrec_eval",), rounds=5),
    Row("gz", "50x1000", ("all",), PYTHON),
    Row("dicts", "50x1000", SETS, PYTHON),
    Row("dicts", "250x1000", ("all",), ("pytrec_eval",)),
    Row("dicts", "6980x1000", ("nDCG@10", "all"), ("pytrec_eval",), rounds=5),
    Row("dicts", "1x10x200", ("common",), ("pytrec_eval",)),
    Row("dicts", "50x10x200", ("common",), ("pytrec_eval",)),
    Row("dicts", "10000x10", ("common",), ("pytrec_eval",)),
    Row("dicts", "1000x100x200", ("common",), ("pytrec_eval",)),
    Row("arrays", "50x1000", ("nDCG@10", "common"), ("ranx", "ir_eval_numba")),
    Row("arrays", "6980x1000", ("nDCG@10", "common"), ("ranx", "ir_eval_numba"), rounds=5),
    Row("frames", "50x1000", ("common",), PYTHON),
)
"""In less than ten minutes on an idle machine."""

LARGE = (
    Row("gz", TREC_8, ("all",), PROGRAMS, rounds=5),
    Row("files", "50x1000", ("all",), PROGRAMS, runs=1000, rounds=5),
    Row("files", "6980x1000", ("all",), PYTHON, rounds=5),
    Row("files", "100000x100", ("all",), (*PROGRAMS, "pytrec_eval"), rounds=5),
    Row("dicts", "100000x100", ("all",), ("pytrec_eval",), rounds=5),
    Row("frames", "6980x1000", ("common",), PYTHON, rounds=5),
)
"""What --full measures in addition."""


class Before(Engine):
    """Another version of cranfield, as a process of the Python in which it is installed."""

    name, package = "cranfield before", "cranfield"
    kinds = ("files", "gz")
    process = True

    def __init__(self, python: str) -> None:
        self.python = python
        command = [python, "-c", "import cranfield; print(cranfield.__version__)"]
        self.version = printed_by(command).decode().strip()

    def job(self, work: Work) -> Job:
        """One process for all runs."""
        return own_process(work, self.scores, self.python)

    def known(self, measures: tuple[str, ...]) -> tuple[str, ...]:
        """All: what it lacks is an error."""
        return measures


def found(previous: str | None) -> dict[str, Engine]:
    """The evaluators that there are."""
    engines: dict[str, Engine] = {}
    for name, make in ENGINES.items():
        engine = make()
        try:
            engine.load()
        except MissingPackageError as error:
            print(f"left out: {error}", file=sys.stderr)
            continue
        engines[name] = engine
    programs = (
        ("TREC_EVAL", "trec_eval"),
        ("TREC_EVAL_O3", "trec_eval -O3"),
        ("TREC_EVAL_11", "trec_eval 11"),
    )
    for variable, name in programs:
        if os.environ.get(variable):
            engines[name] = TrecEval(os.environ[variable], name)
        else:
            print(f"left out: {name}, whose program {variable} would name", file=sys.stderr)
    if previous:
        engines["cranfield before"] = Before(previous)
    else:
        print("left out: an earlier version of ours, which --previous would name", file=sys.stderr)
    return engines


@contextmanager
def material(row: Row) -> Iterator[shapes.Material | None]:
    """What a row scores; None for collections that are not there."""
    if row.size != TREC_8:
        made = shapes.MadeUp(shapes.Shape.parse(row.size, row.runs))
        yield made
        made.close()
        return
    data = os.environ.get("CRANFIELD_DATA")
    if not data:
        print("left out: TREC-8, whose folder CRANFIELD_DATA would name", file=sys.stderr)
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        source = Path(data) / "trec8-adhoc"
        qrels = Path(folder) / "qrels.txt"
        qrels.write_bytes(gzip.decompress((source / "trec8.qrels.gz").read_bytes()))
        runs = []
        for packed in sorted((source / "runs").iterdir()):
            run = Path(folder) / f"{packed.stem.removeprefix('input.')}.run"
            run.write_bytes(gzip.decompress(packed.read_bytes()))
            runs.append(str(run))
        own = shapes.Own(str(qrels), runs)
        own.label = f"{TREC_8} ({len(runs)} runs)"
        yield own
        own.close()


def measured(rows: list[Row], engines: dict[str, Engine], only: str) -> Iterator[race.Result]:
    """The results of the rows whose title holds a text, printed as they come."""
    for row in rows:
        names = [name for name in row.engines if name in engines]
        wanted = [
            (asked, name)
            for asked in row.sets
            for name in names
            if only in f"{row.kind} {row.size}, {asked}, against {name}"
            and engines[name].known(chosen_measures([asked]))
        ]
        if not wanted:
            continue
        with material(row) as scored:
            for asked, name in wanted if scored else ():
                assert scored is not None
                began = time.monotonic()
                work = Work(scored, row.kind, chosen_measures([asked]))
                result = race.measure(work, engines[name], asked=asked, rounds=row.rounds)
                took = time.monotonic() - began
                print(f"{report.title(result)}: {result.ratio:.1f} times ({took:.0f} s)")
                sys.stdout.flush()
                yield result


def benchmarks(path: Path) -> list[dict[str, Any]]:
    """What an earlier record has."""
    if not path.exists():
        return []
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["benchmarks"]
    return found


def main() -> int:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--name", default="speed", help="of the file in benches/record")
    parser.add_argument("--full", action="store_true", help="the largest sizes, too")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose title has it")
    parser.add_argument("--rounds", type=int, metavar="N", help="in place of 5 or 7")
    parser.add_argument(
        "--previous", metavar="PYTHON", help="a Python that has an earlier version installed"
    )
    args = parser.parse_args()
    rows = [*USUAL, *(LARGE if args.full else ())]
    if args.rounds:
        rows = [row._replace(rounds=args.rounds) for row in rows]
    path = FOLDER / f"{args.name}.json"
    results: list[race.Result] = []
    before = benchmarks(path) if args.only else []
    for result in measured(rows, found(args.previous), args.only):
        # Written after each, since what follows may take long.
        results.append(result)
        content = report.document(results)
        new = {entry["group"] for entry in content["benchmarks"]}
        old = [entry for entry in before if entry["group"] not in new]
        content["benchmarks"] = old + content["benchmarks"]
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"measured {len(results)} rows of {path}")
    return 0 if results else 1


if __name__ == "__main__":
    sys.exit(main())
