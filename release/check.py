"""Rehearses a release: builds the wheels and the source distribution, and tries them.

    python release/check.py

For each CPython that is found: a wheel for manylinux 2.17 (with zig, where it is installed), its
tags, size and contents checked, installed in new environments with the oldest and with the newest
numpy; there the smoke test, with the newest also the README's examples and the tests of the
boundary, outside the checkout. The source distribution is built again without a network, its
crates vendored beside it, elsewhere and from nothing: the wheel must be that of the checkout.
Prints what it measured; ends with 1 if a check fails.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import build
from build import ROOT
from pythons import NEEDED, environment, found, identity, test, tests_for
from version import problems, version

DIST = ROOT / "dist"
LARGEST_WHEEL = 5_300_000
README_TEST = "docs/test_examples.py::test_the_readmes_table_is_that_of_make_demo"
# The oldest numpy that has a wheel for a Python and that cranfield allows.
OLDEST_NUMPY = {"3.11": "1.26.0", "3.12": "1.26.0", "3.13": "2.1.0", "3.14": "2.3.2"}
RUNS = 7
# What pip calls, but for the metadata, whose call takes no arguments.
BACKEND = """
import sys, backend
backend.get_requires_for_build_wheel()
backend.build_wheel(sys.argv[1])
"""


def run(*command: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    """What a command prints; ends the program if it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def contents(wheel: Path) -> None:
    """Print what a wheel holds, and check its size, its licenses and that nothing else is there."""
    size = wheel.stat().st_size
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        largest = sorted(archive.infolist(), key=lambda info: -info.compress_size)[:3]
        texts = {name: archive.read(name) for name in names}
    print(f"{wheel.name}: {size / 1e6:.2f} MB, {len(names)} files", flush=True)
    for info in largest:
        print(
            f"    {info.compress_size / 1e6:.2f} of {info.file_size / 1e6:.2f} MB {info.filename}"
        )
    foreign = [name for name in names if not name.startswith(("cranfield", "pytest_cranfield"))]
    wanted = [f"licenses/{name}" for name in ("LICENSE-MIT", "LICENSE-APACHE")]
    wanted += ["licenses/THIRD-PARTY-NOTICES.txt", "sboms/cranfield.cyclonedx.json"]
    missing = [name for name in wanted if not any(path.endswith(name) for path in names)]
    if foreign or missing or size > LARGEST_WHEEL:
        sys.exit(f"foreign files {foreign}, missing {missing}, {size} of {LARGEST_WHEEL} bytes")
    places = {str(ROOT), str(Path.home()), os.environ.get("CARGO_HOME", str(Path.home()))}
    if telling := [n for n in names if any(place.encode() in texts[n] for place in places)]:
        sys.exit(f"paths of this machine are in {', '.join(telling)}")


def tried(name: str, program: str, wheel: Path) -> None:
    """Install a wheel with the oldest and the newest numpy, and try it outside the checkout."""
    oldest = OLDEST_NUMPY.get(name)
    for numpy in [f"numpy=={oldest}", "numpy"] if oldest else ["numpy"]:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            needed = NEEDED if numpy == "numpy" else []
            python = environment(program, folder / "venv", wheel, [numpy, *needed])
            smoke = run(python, ROOT / "release" / "smoke.py", cwd=folder).strip()
            print(f"    {numpy}: {smoke}", flush=True)
            if numpy == "numpy":
                timed("import", python, "-c", "import cranfield")
                timed("cranfield --version", python.parent / "cranfield", "--version")
                readme(python, folder)
                if test(python, folder, [*tests_for(python, name), README_TEST]) != 0:
                    sys.exit(f"the tests fail with {wheel.name}")


def readme(python: Path, folder: Path) -> None:
    """Run the README's Python examples in a folder, and put there what its other test needs."""
    text = (ROOT / "README.md").read_text("utf-8")
    examples = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S))
    if examples.count(">>> ") < 5:
        sys.exit("the README's Python examples were not found")
    (folder / "examples.txt").write_text(examples, "utf-8")
    run(python, "-m", "doctest", folder / "examples.txt", cwd=folder)
    for name in ("README.md", "Makefile"):
        shutil.copy(ROOT / name, folder)


def timed(what: str, *command: str | Path) -> None:
    """Print how long a command takes, the start of Python included."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run(*command)
        times.append(time.perf_counter() - start)
    print(f"    {what}: {1000 * statistics.median(times):.0f} ms (median of {RUNS})")


def source_distribution(wheel: Path) -> None:
    """Build the source distribution, and from it the same wheel without a network."""
    run(sys.executable, "-m", "maturin", "sdist", "--out", DIST)
    (archive,) = DIST.glob("*.tar.gz")
    print(f"{archive.name}: {archive.stat().st_size / 1e6:.2f} MB", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.unpack_archive(archive, folder)
        (unpacked,) = folder.iterdir()
        vendored = folder / "vendor"
        vendor: list[str | Path] = ["cargo", "vendor", "--locked", "--versioned-dirs", vendored]
        settings = run(*vendor, cwd=unpacked)
        with (unpacked / ".cargo" / "config.toml").open("a", encoding="utf-8") as file:
            file.write(settings)
        # A new network namespace has no network, where the system lets us make one.
        alone = ["unshare", "--net"] if os.geteuid() == 0 and shutil.which("unshare") else []
        env = build.variables(folder / "target" / "manylinux", vendored=vendored)
        env["CARGO_NET_OFFLINE"] = "true"
        env["MATURIN_PEP517_ARGS"] = " ".join([*build.COMPRESSION, *build.portable()])
        env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        env["PYTHONPATH"] = str(unpacked / "release")
        run(*alone, sys.executable, "-c", BACKEND, folder, cwd=unpacked, env=env)
        print(f"    built again {'without a network' if alone else 'with cargo off line'}")
        (again,) = folder.glob("*.whl")
        if hashes(again) != hashes(wheel):
            differ = dict(set(hashes(again).items()) ^ set(hashes(wheel).items()))
            sys.exit(f"the wheel built elsewhere differs in {', '.join(sorted(differ))}")
        same = (
            "all" if again.read_bytes() == wheel.read_bytes() else "the files in it have the same"
        )
        print(f"    its bytes are those of {wheel.name}: {same}")


def without_python(current: str) -> None:
    """The wheel of the program without Python prints what the command prints."""
    wheel = build.wheel(None, DIST / "program", portably=True)
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB")
    example = ROOT / "examples" / "debtags"
    words: list[str | Path] = [
        "-q",
        example / "qrels.txt",
        example / "runs" / "coordination.run.gz",
    ]
    with tempfile.TemporaryDirectory() as name:
        python = environment(current, Path(name) / "venv", wheel, [])
        found = run(python.parent / "cranfield-trec_eval", *words)
    if found != run(sys.executable, "-m", "cranfield", "trec_eval", *words):
        sys.exit(f"{wheel.name} prints other numbers than the command")


def hashes(wheel: Path) -> dict[str, str]:
    """The files of a wheel by their content."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in names}


def main() -> str | None:
    if disagreements := problems(f"v{version()}"):
        return "\n".join(disagreements)
    if not build.portable():
        print("ziglang is not installed, so the wheels are for systems as new as this one")
    shutil.rmtree(DIST, ignore_errors=True)
    pythons = found()
    current = identity(sys.executable)
    if current is None:
        return f"cranfield needs CPython, and this is {sys.version}"
    pythons[current] = sys.executable
    wheels = {}
    for name, program in pythons.items():
        began = time.monotonic()
        wheels[name] = wheel = build.wheel(program, DIST / name, portably=True)
        print(f"Python {name}, built in {time.monotonic() - began:.0f} s")
        contents(wheel)
        if sys.platform == "linux":
            print("   ", run("auditwheel", "show", wheel).split("following")[-1].split("\n\n")[0])
        tried(name, program, wheel)
    source_distribution(wheels[current])
    without_python(sys.executable)
    run("twine", "check", "--strict", *DIST.rglob("cranfield*.*"))
    print("twine check --strict: passed")
    return None


if __name__ == "__main__":
    sys.exit(main())
