"""Instructions of the core, held against those on record.

    python benches/instructions.py            # exit 1 if a path takes 2% more or less
    python benches/instructions.py --update   # write the record anew

Counts do not depend on the machine's load, and hardly on the machine: the toolchain is
pinned, the hashes of ids have a fixed seed, the files come from a generator with a
seed, and the code path (which vectors the processor has) is on record too. What the
program does without a run is counted apart and taken off. Most kinds are per line of a
file; ``calls`` is per topic of ten documents in memory, evaluated one by one, ``lists``
per topic of fifty in one call, ``bounds`` per line, ``bootstrap`` per pair of systems.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
RECORD = ROOT / "benches" / "record" / "instructions.json"
PROGRAM = ROOT / "target" / "release" / "examples" / "lines"
TOLERANCE = 0.02
TOPICS = 20
DEPTH = 1000
SHALLOW = 10
JUDGED = 1500

Counts = dict[str, float]


def written(folder: Path) -> tuple[Path, dict[str, Path]]:
    """Judgments, and one run in several ways to write it."""
    rng = random.Random(7)
    qrels = folder / "qrels.txt"
    paths = {
        name: folder / f"{name}.run"
        for name in ("usual", "unsorted", "ties", "exponents", "digits")
    }
    files = {name: path.open("w", encoding="ascii") for name, path in paths.items()}
    with qrels.open("w", encoding="ascii") as judgments:
        for topic in range(401, 401 + TOPICS):
            documents = [f"FR9404{i % 30:02}-0-{i:05}" for i in rng.sample(range(10**5), 2220)]
            for document in documents[:JUDGED]:
                judgments.write(f"{topic} 0 {document} {rng.random() < 0.06:d}\n")
            found = rng.sample(documents[:280] + documents[JUDGED:], DEPTH)
            scores = sorted((rng.uniform(1, 30) for _ in found), reverse=True)
            pairs = list(zip(found, scores, strict=True))
            shuffled = rng.sample(pairs, DEPTH)
            for name, form, lines in (
                ("usual", "%.6f", pairs),
                ("unsorted", "%.6f", shuffled),
                ("ties", "%.1f", pairs),
                ("exponents", "%.6e", pairs),
                ("digits", "%.16g", pairs),
            ):
                files[name].writelines(
                    f"{topic} Q0 {document} {rank} {form % score} tag\n"
                    for rank, (document, score) in enumerate(lines, 1)
                )
    for file in files.values():
        file.close()
    packed = folder / "packed.run.gz"
    packed.write_bytes(gzip.compress(paths["usual"].read_bytes(), mtime=0))
    return qrels, {**paths, "gzip": packed}


def shallow(folder: Path) -> tuple[Path, Path]:
    """Judgments of one document a topic, and a run of short lists: what a topic costs."""
    rng = random.Random(8)
    qrels, run = folder / "shallow.qrels", folder / "shallow.run"
    with qrels.open("w", encoding="ascii") as judgments, run.open("w", encoding="ascii") as lists:
        for topic in range(10**4, 10**4 + TOPICS * DEPTH // SHALLOW):
            found = rng.sample(range(10**7), SHALLOW)
            judgments.write(f"{topic} 0 {rng.choice(found)} 1\n")
            lists.writelines(
                f"{topic} Q0 {document} {rank} {30 - rank - rng.random():.6f} tag\n"
                for rank, document in enumerate(found, 1)
            )
    return qrels, run


def counted(*arguments: str) -> tuple[int, str]:
    """Instructions of the program, and its code path."""
    with tempfile.NamedTemporaryFile() as profile:
        out = f"--callgrind-out-file={profile.name}"
        command = ["valgrind", "--tool=callgrind", out, str(PROGRAM), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found, done.stderr
    return int(found[1]), done.stdout.split()[0]


def short_calls(folder: Path) -> Counts:
    """Instructions a topic of lists in memory, in calls with one and with fifty of them."""
    found = {}
    for name, topics in (("calls", 1), ("lists", 50)):
        rng = random.Random(9)
        qrels, run = folder / f"{name}.qrels", folder / f"{name}.run"
        with qrels.open("w", encoding="ascii") as judgments, run.open("w") as lists:
            for topic in range(100, 100 + topics):
                listed = rng.sample(range(10**7), 2 * SHALLOW)
                for rank, document in enumerate(listed, 1):
                    judgments.write(f"{topic} 0 {document} {rng.randrange(3)}\n")
                    if rank <= SHALLOW:
                        lists.write(f"{topic} Q0 {document} {rank} {30 - rank} tag\n")
        few, more = (counted("--lists", str(qrels), str(run), times)[0] for times in ("100", "300"))
        found[name] = (more - few) / (200 * topics)
    return found


def counts(folder: Path) -> tuple[Counts, str]:
    """Instructions of each kind of work, and the code path."""
    qrels, runs = written(folder)
    bare, path = counted(str(qrels))
    lines = TOPICS * DEPTH
    found = {name: (counted(str(qrels), str(run))[0] - bare) / lines for name, run in runs.items()}
    judged, run = map(str, shallow(folder))
    found["shallow"] = (counted(judged, run)[0] - counted(judged)[0]) / lines
    found |= short_calls(folder)
    bounded = counted("--bounds", str(qrels), str(runs["usual"]))[0]
    found["bounds"] = (bounded - bare) / lines
    few, more = (counted("--bootstrap", str(systems))[0] for systems in (10, 20))
    found["bootstrap"] = (more - few) / (20 * 19 / 2 - 10 * 9 / 2)
    one = folder / "one.qrels"
    one.write_text("1 0 d 1\n")
    least, _ = counted("--judgments", str(one))
    judgments, _ = counted("--judgments", str(qrels))
    found["judgments"] = (judgments - least) / (TOPICS * JUDGED)
    return {name: round(value, 1) for name, value in found.items()}, path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write the record anew")
    update: bool = parser.parse_args().update
    if shutil.which("valgrind") is None:
        print("instructions are not counted: valgrind is not installed")
        return 0
    build = ["cargo", "build", "--release", "--quiet", "-p", "cranfield-core", "--example", "lines"]
    subprocess.run(build, cwd=ROOT, check=True)
    rustc = subprocess.run(
        ["rustc", "--version"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    with tempfile.TemporaryDirectory() as folder:
        found, path = counts(Path(folder))
    setting = {"rustc": " ".join(rustc.stdout.split()[:2]), "path": path}
    if update:
        RECORD.parent.mkdir(exist_ok=True)
        RECORD.write_text(json.dumps({**setting, "instructions a line": found}, indent=1) + "\n")
        print(RECORD.read_text())
        return 0
    record = json.loads(RECORD.read_text())
    if any(record[key] != value for key, value in setting.items()):
        print(f"instructions are not compared: on record {record}, found {setting}")
        return 0
    breaches = 0
    for name, value in found.items():
        before = record["instructions a line"].get(name)
        if before is None:
            print(f"{name:<10} {value:9.1f}, not on record: --update writes it")
            continue
        change = value / before - 1
        breach = abs(change) > TOLERANCE
        breaches += breach
        print(
            f"{name:<10} {value:9.1f}, on record {before:9.1f}: {change:+.1%}"
            f"{' !' if breach else ''}"
        )
    if breaches:
        print(f"beyond {TOLERANCE:.0%}: mend it, or write the record anew with --update")
    return int(breaches > 0)


if __name__ == "__main__":
    sys.exit(main())
