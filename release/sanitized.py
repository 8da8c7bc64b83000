"""Tests the boundary under AddressSanitizer, with overflow checks and debug assertions.

    python release/sanitized.py            CPython 3.11 and 3.13
    python release/sanitized.py 3.12

The stable compiler builds it (`RUSTC_BOOTSTRAP`); the runtime of the sanitizer is that of the C
compiler, which is loaded first. Python's own objects come from `malloc`, so that those are
watched as well. `CRANFIELD_TAMPERED` says how many tampered pickles are tried.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from build import ROOT
from pythons import NEEDED, environment, found, tests_for, tests_in

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target" / "sanitized"))
FLAGS = "-Zsanitizer=address -Cdebug-assertions=on -Coverflow-checks=on --cfg fuzzing"
MORE_TESTS = ["promises/reliability/test_tampered_pickles.py", "io/test_mutations.py"]


def runtime() -> str:
    """The library of the sanitizer."""
    asked = ["cc", "-print-file-name=libasan.so"]
    path = Path(subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip())
    if not path.is_absolute():
        sys.exit("the C compiler has no libasan.so; Debian's package is libgcc-12-dev or later")
    return str(path)


def built(program: str, out: Path) -> Path:
    """A wheel with the sanitizer; build scripts and macros are without it."""
    host = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    (target,) = (line.split()[1] for line in host.splitlines() if line.startswith("host: "))
    env = {
        **os.environ,
        "RUSTC_BOOTSTRAP": "1",
        "RUSTFLAGS": FLAGS,
        "CARGO_TARGET_DIR": str(TARGET),
    }
    command = [sys.executable, "-m", "maturin", "build", "--release", "--locked", "--quiet"]
    command += ["--target", target, "--compatibility", "linux", "--skip-auditwheel"]
    command += ["--interpreter", program, "--out", str(out)]
    subprocess.run(command, check=True, cwd=ROOT, env=env)
    (wheel,) = out.glob("*.whl")
    return wheel


def tested(program: str, version: str) -> bool:
    """Whether the tests of the boundary pass on a Python."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = built(program, folder / "wheel")
        python = environment(program, folder / "venv", wheel, NEEDED)
        tests = [*tests_for(python, version), *MORE_TESTS]
        command = ["env", f"LD_PRELOAD={runtime()}", "PYTHONMALLOC=malloc"]
        # Python frees little when it ends, so leaks say nothing; refusals are a MemoryError.
        # pytrec_eval, which is compared, frees by `free` what it made by `new`.
        options = "detect_leaks=0:alloc_dealloc_mismatch=0:allocator_may_return_null=1"
        command += [f"ASAN_OPTIONS={options}:abort_on_error=1"]
        print(f"Python {version}: {len(tests)} files of tests", flush=True)
        return tests_in([*command, str(python)], folder, folder, tests) == 0


def main() -> str | None:
    pythons = found()
    versions = sys.argv[1:] or ["3.11", "3.13"]
    if missing := [version for version in versions if version not in pythons]:
        return f"there is no CPython {', '.join(missing)}"
    failed = [version for version in versions if not tested(pythons[version], version)]
    return f"failed on Python {', '.join(failed)}" if failed else None


if __name__ == "__main__":
    sys.exit(main())
