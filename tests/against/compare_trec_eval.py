"""Runs the real trec_evals on random cases and prints where the slow one differs.

    TREC_EVAL_9=A TREC_EVAL_908=B TREC_EVAL_10=C \
        python -m tests.against.compare_trec_eval 1000 [first]

compares that many seeds. TREC_EVAL_9 keeps scores in single precision (9.0.4 to v9.0.8),
TREC_EVAL_908 is the tag of 2023. TREC_EVAL_10 is a 10.0 whose rbp starts its two extremes
at 0: stock 10.0 reads them before it sets them.
"""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.against.slow import trec_eval as slow_trec_eval
from tests.against.trec_eval.cases import Case, case


def real(case: Case, program: str) -> tuple[int, bytes, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        for name, data in case.files.items():
            (Path(folder) / name).write_bytes(data)
        done = subprocess.run(
            [program, *case.arguments],
            cwd=folder,
            input=case.files.get("-", b""),
            capture_output=True,
            timeout=60,
            check=False,
        )
    return done.returncode, done.stdout, done.stderr


def main() -> None:
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    variables = {"9": "TREC_EVAL_9", "9.0.8": "TREC_EVAL_908", "10": "TREC_EVAL_10"}
    programs = {version: os.environ[name] for version, name in variables.items()}
    tally: Counter[str] = Counter()
    for seed in range(first, first + count):
        made = case(seed)
        if made.spoilt:
            tally[f"not asked: {made.spoilt}"] += 1
            continue
        answer = slow_trec_eval.run(made.arguments, made.files, made.version)
        code, out, err = real(made, programs[made.version])
        code = 134 if code == -signal.SIGABRT else code
        fixed_text = answer.out == slow_trec_eval.HELP or answer.err == slow_trec_eval.USAGE
        if code == 134:
            # What it had not yet written when it aborted is lost.
            out = answer.out if answer.out.startswith(out) else out
        same = code == answer.code and (fixed_text or (out == answer.out and err == answer.err))
        tally[f"version {made.version}: {'same' if same else 'different'}, exit {answer.code}"] += 1
        if not same:
            print(f"seed {seed}, version {made.version}, {made.arguments}")
            print(f"  exit: program {code}, slow {answer.code}")
            print(f"  stderr: program {err[:300]!r}, slow {answer.err!r}")
            theirs, ours = out.split(b"\n"), answer.out.split(b"\n")
            pairs = itertools.zip_longest(theirs, ours)
            for a, b in itertools.islice((pair for pair in pairs if pair[0] != pair[1]), 4):
                print(f"  stdout: program {a!r}, slow {b!r}")
    for line, times in sorted(tally.items()):
        print(f"{times:7} {line}")


if __name__ == "__main__":
    main()
