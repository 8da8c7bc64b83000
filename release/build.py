"""How wheels are built for others: for old systems, and the same bytes on every machine.

The paths of the machine are taken out of the binary (`--remap-path-prefix`); the flags of the C
parts are in .cargo/config.toml, for every build.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "target" / "manylinux"
PROGRAM = ROOT / "rust" / "trec_eval" / "Cargo.toml"
COMPRESSION = ["--compression-level", "9"]
ARGUMENTS = ["--release", "--locked", "--quiet", *COMPRESSION]
"""Arguments of maturin for every wheel."""


def portable() -> list[str]:
    """Arguments of maturin for systems older than this one; none where ziglang is not installed."""
    if sys.platform != "linux" or not importlib.util.find_spec("ziglang"):
        return []
    return ["--zig", "--compatibility", "manylinux2014"]


def variables(target: Path = TARGET, *, vendored: Path | None = None) -> dict[str, str]:
    """The environment of a build that does not depend on where it happens."""
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    # Crates of any registry, and those beside an unpacked source distribution.
    crates = sorted((home / "registry" / "src").glob("*")) + ([vendored] if vendored else [])
    names = {**dict.fromkeys(crates, "crates"), target.parent: "target", ROOT: "."}
    flags = [f"--remap-path-prefix={path}={name}" for path, name in names.items()]
    # maturin looks for zig, or a Python that has it, along the path.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    building = {"RUSTFLAGS": " ".join(flags), "CARGO_TARGET_DIR": str(target), "PATH": path}
    return {**os.environ, **building}


def wheel(program: str | None, out: Path, *, portably: bool) -> Path:
    """A wheel of the checkout for a Python, or that of the program which needs none.

    Without `portably` it is for this system, and built with what `make` built before.
    """
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, "-m", "maturin", "build", *ARGUMENTS]
    command += ["--interpreter", program] if program else ["--manifest-path", str(PROGRAM)]
    if portably:
        command += portable()
    env = variables() if portably else None
    subprocess.run([*command, "--out", str(out)], check=True, cwd=ROOT, env=env)
    (built,) = out.glob("*.whl")
    return built
