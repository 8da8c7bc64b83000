"""Instructions a line with NEON and without, for 64-bit ARM, under emulation.

    python benches/arm64.py            # exit 1 if NEON takes more than .6 of the portable path

The program of instructions.py is compiled for 64-bit ARM and run by qemu one instruction at a
time, over two runs of which one is longer; so what the start takes cancels. Both paths have to
print the same sum of scores.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from instructions import ROOT, written

TARGET = "aarch64-unknown-linux-gnu"
PROGRAM = ROOT / "target" / TARGET / "release/examples/lines"
EMULATED = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", "-singlestep", "-d", "exec,nochain"]
MOST = 0.6


def counted(path: str, qrels: Path, run: Path) -> tuple[int, str]:
    """How many instructions a run takes on a path, and what was printed behind its name."""
    environment = {**os.environ, "CRANFIELD_SCAN": path}
    command = [*EMULATED, str(PROGRAM), str(qrels), str(run)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as emulated:
        assert emulated.stdout is not None
        assert emulated.stderr is not None
        count = sum(line.startswith(b"Trace") for line in emulated.stderr)
        name, value = emulated.stdout.read().decode().split()
    assert emulated.returncode == 0, emulated.returncode
    assert name == path, f"the path is {name}, expected {path}"
    return count, value


def main() -> int:
    build = ["cargo", "build", "--release", "--quiet", "--target", TARGET]
    subprocess.run([*build, "-p", "cranfield-core", "--example", "lines"], cwd=ROOT, check=True)
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        judged, runs = written(folder)
        few = folder / "few.qrels"
        few.write_text("".join(judged.read_text().splitlines(keepends=True)[::100]))
        lines = runs["usual"].read_text().splitlines(keepends=True)
        shorter, longer = folder / "shorter.run", folder / "longer.run"
        shorter.write_text("".join(lines[:1000]))
        longer.write_text("".join(lines[:4000]))
        for path in ("neon", "portable"):
            (less, _), (more, value) = (counted(path, few, run) for run in (shorter, longer))
            found[path] = ((more - less) / 3000, value)
    (neon, same), (portable, value) = found["neon"], found["portable"]
    assert same == value, f"{same} with NEON, {value} without"
    print(f"neon {neon:.1f}, portable {portable:.1f} instructions a line: {neon / portable:.2f}")
    return int(neon > MOST * portable)


if __name__ == "__main__":
    sys.exit(main())
