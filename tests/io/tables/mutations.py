"""Mutated tables, read in a process of their own: ``python -m tests.io.tables.mutations N``.

Each input is a file of ``hostile.sound_files`` with some bytes changed, read in several ways, or
a table in memory whose buffers lie. What is allowed is a result, ``cf.Error`` and
``MemoryError``; anything else is told, with the number that makes the input again. A process that
ends by a signal is followed by another, which goes on behind that input.
"""

from __future__ import annotations

import io
import os
import random
import resource
import signal
import sys
from collections import Counter
from typing import Any

import cranfield as cf
import pyarrow as pa
import pyarrow.ipc

from tests.io.tables import hostile

SOUND = hostile.sound_files()
COLUMNS = {"grade": "score"}
EVALUATOR = cf.Evaluator({"1": {"document-1": 1}, "2": {"abc": 1}}, "AP", threads=1)
SECONDS = 20


def run_of(data: bytes) -> object:
    """A run from an open file, of which all is looked at."""
    return cf.read_run(io.BytesIO(data)).to_dict()


def scores_of(data: bytes) -> object:
    """Scores of the runs in it."""
    return EVALUATOR.evaluate(io.BytesIO(data)).values.sum()


def judgments_of(data: bytes) -> object:
    """Judgments."""
    return cf.read_qrels(io.BytesIO(data), columns=COLUMNS).to_dict()


def table_of(data: bytes) -> object:
    """What pyarrow read from it, given as a table."""
    opened = pyarrow.ipc.open_file if data.startswith(b"ARROW1") else pyarrow.ipc.open_stream
    try:
        table = opened(pa.BufferReader(data)).read_all()
    except (pa.ArrowException, OSError, ValueError):
        return None
    return in_memory(table)


def in_memory(table: Any) -> object:
    """A run, judgments and scores of one table."""
    return [
        _tried(lambda: cf.Run.from_arrow(table).to_dict()),
        _tried(lambda: cf.Qrels.from_arrow(table, grade="score").to_dict()),
        _tried(lambda: EVALUATOR.evaluate(table).values.sum()),
        _tried(lambda: EVALUATOR.arrow(table).num_rows),
    ]


def _tried(call: Any) -> object:
    try:
        return call()
    except (cf.Error, MemoryError) as error:
        return _seen(error)


def _seen(error: Exception) -> str:
    assert getattr(error, "kind", None) != "bug", error
    return type(error).__name__


def told(number: int) -> str:
    """What came of an input."""
    chance = random.Random(number)
    name = chance.choice([*SOUND, *["arrays"] * 4])
    try:
        if name == "arrays":
            try:
                table = hostile.arrays(chance)
            except (pa.ArrowException, ValueError):
                return "refused by pyarrow"
            in_memory(table)
            return "arrays"
        data = hostile.mutated(SOUND[name], chance)
        ways = [run_of, scores_of, judgments_of]
        chance.choice(ways if "parquet" in name or name == "numbers" else [*ways, table_of])(data)
    except (cf.Error, MemoryError) as error:
        return _seen(error)
    return "read"


def child(first: int, last: int, writer: int) -> None:
    """Takes the inputs one after another and writes what came of each."""
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in range(first, last):
        signal.alarm(SECONDS)
        try:
            said = told(number)
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"[:300].replace("\n", " ")
            said = f"RAISED {number} {said}"
        os.write(writer, f"{said}\n".encode())


def main(inputs: int, first: int = 0) -> tuple[Counter[str], list[str]]:
    """What came of so many inputs, and what should not."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    number, last = first, first + inputs
    while number < last:
        reader, writer = os.pipe()
        process = os.fork()
        if process == 0:
            os.close(reader)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            child(number, last, writer)
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, errors="replace") as lines:
            for line in lines:
                number += 1
                if line.startswith("RAISED"):
                    wrong.append(line.strip())
                else:
                    counts[line.strip()] += 1
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        if code != 0:
            wrong.append(f"ENDED {number} with {code}")
            number += 1
    return counts, wrong


if __name__ == "__main__":
    found, bad = main(*map(int, sys.argv[1:]))
    print(dict(found))
    print(len(bad), "wrong", *bad[:20], sep="\n")
    sys.exit(bool(bad))
