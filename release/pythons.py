"""Builds a wheel for each Python that is found and tests it there, outside the checkout.

    python release/pythons.py              each CPython from 3.11 on, but not that of this program
    python release/pythons.py --current    the Python of this program only
    python release/pythons.py 3.13 /opt/python3.14/bin/python3
    python release/pythons.py --only reliability/test_threads.py 3.14t

Each wheel is installed in a new environment. The tests are those that cross the boundary to Python:
dicts, arrays, Arrow, pickles, custom measures and the interface of pytrec_eval.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from build import ROOT, wheel

WHEELS = ROOT / "target" / "wheels"
# Tests of the boundary that need neither the sources nor a browser.
TESTS = [
    "scoring/test_evaluator.py",
    "promises/reliability/test_pickles.py",
    "measures/test_custom.py",
    "io/test_dicts.py",
    "promises/reliability/test_threads.py",
]
NEEDED = ["pytest", "pytest-benchmark", "hypothesis", "jinja2"]
# Tests that need other packages, each of which may have no wheel for this Python.
FURTHER = {
    ("pandas", "polars", "pyarrow"): [
        "io/test_array_changes.py",
        "io/test_columns.py",
        "io/test_tables.py",
        "io/test_tensors.py",
    ],
    ("pytrec-eval-terrier",): ["compat/test_pytrec_eval.py"],
}
LEAST, NEXT = 11, 15
IDENTITY = (
    "import platform, sys, sysconfig; "
    "print(platform.python_implementation(), sys.version_info[0], sys.version_info[1], "
    "'t' if sysconfig.get_config_var('Py_GIL_DISABLED') else '', sep='|')"
)


def identity(program: str) -> str | None:
    """A Python's version, such as 3.13 or 3.14t; `None` for what is no CPython that we support."""
    try:
        asked = subprocess.run([program, "-c", IDENTITY], capture_output=True, text=True)
    except OSError:
        return None
    if asked.returncode != 0:
        return None
    implementation, major, minor, suffix = asked.stdout.strip().split("|")
    supported = implementation == "CPython" and major == "3" and int(minor) >= LEAST
    return f"{major}.{minor}{suffix}" if supported else None


def found() -> dict[str, str]:
    """The Pythons of this machine: on the path, and where pyenv keeps them."""
    versions = [f"3.{minor}{suffix}" for minor in range(LEAST, NEXT + 1) for suffix in ("", "t")]
    programs = [shutil.which(f"python{version}") for version in versions]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    programs += [str(program) for program in sorted(pyenv.glob("3.*/bin/python"))]
    pythons: dict[str, str] = {}
    for program in programs:
        if program and (version := identity(program)):
            pythons.setdefault(version, program)
    return pythons


def environment(program: str, folder: Path, wheel: Path, packages: list[str]) -> Path:
    """A new environment with a wheel and some packages; its Python."""
    subprocess.run([program, "-m", "venv", str(folder)], check=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    subprocess.run([*pip, str(wheel), *packages], check=True)
    return python


def test(python: Path, folder: Path, tests: list[str]) -> int:
    """Run tests in a folder without the sources."""
    return tests_in([str(python)], folder, folder, tests)


def tests_in(python: list[str], folder: Path, inside: Path, tests: list[str]) -> int:
    """Run tests by a command of which `folder` is `inside`."""
    for name in ("tests", "examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "conftest.py", folder)
    options = ["-q", "-o", "addopts=", "-p", "no:cacheprovider", "--benchmark-disable"]
    options += ["-W", "ignore::cranfield.CranfieldWarning", "--rootdir", str(inside)]
    paths = [str(inside / "tests" / name) for name in tests]
    return subprocess.run([*python, "-m", "pytest", *options, *paths], cwd=folder).returncode


def tests_for(python: Path, version: str) -> list[str]:
    """The tests that an environment can run, after what they need was installed where it can be."""
    tests = list(TESTS)
    for packages, further in FURTHER.items():
        pip = [str(python), "-m", "pip", "--quiet", "install", "--only-binary", ":all:"]
        if subprocess.run([*pip, *packages], capture_output=True).returncode == 0:
            tests += further
        else:
            names = ", ".join(packages)
            print(f"Python {version}: no wheels of {names}, so these are not run: {further}")
    return tests


def tested(program: str, version: str, only: list[str] | None) -> bool:
    """Whether the wheel for a Python passes."""
    began = time.monotonic()
    built = wheel(program, WHEELS / version, portably=False)
    took = time.monotonic() - began
    size = built.stat().st_size / 1e6
    print(f"Python {version}: {built.name}, {size:.2f} MB, built in {took:.0f} s", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = environment(program, folder / "venv", built, NEEDED)
        smoke = subprocess.run([str(python), str(ROOT / "release" / "smoke.py")], cwd=folder)
        tests = only or tests_for(python, version)
        return smoke.returncode == 0 and test(python, folder, tests) == 0


def chosen(arguments: argparse.Namespace) -> dict[str, str]:
    """The Pythons that the arguments name."""
    current = identity(sys.executable)
    if arguments.current:
        if current is None:
            sys.exit(f"cranfield needs CPython 3.{LEAST} or later; this is {sys.version}")
        return {current: sys.executable}
    all_found = found()
    if not arguments.python:
        # Those tests run under this one anyway.
        return {version: path for version, path in all_found.items() if version != current}
    pythons = {}
    for asked in arguments.python:
        program = all_found.get(asked, asked)
        version = identity(program)
        if version is None:
            have = ", ".join(all_found) or "none"
            sys.exit(f"{asked} is no CPython from 3.{LEAST} on; found are {have}")
        pythons[version] = program
    return pythons


def main() -> str | None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("python", nargs="*", help="a version, such as 3.13, or a program")
    parser.add_argument("--current", action="store_true", help="the Python of this program")
    parser.add_argument("--only", action="append", metavar="TEST", help="this test, not the usual")
    arguments = parser.parse_args()
    pythons = chosen(arguments)
    if not pythons:
        print(f"No other CPython from 3.{LEAST} on was found: nothing was tested.")
    failed = [
        version
        for version, program in pythons.items()
        if not tested(program, version, arguments.only)
    ]
    return f"failed on Python {', '.join(failed)}" if failed else None


if __name__ == "__main__":
    sys.exit(main())
