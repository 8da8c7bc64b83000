"""Tests a wheel on CPython 3.14, and 3.15 where it is, in a folder that holds Debian forky.

    python release/forky.py [FOLDER]

The folder (/opt/forky unless named) is made by debootstrap if it is not there; both that and the
tests, which run in it by chroot, need root. Wheels are built here. What the tests need is Debian's,
or installed by the pip of this Python, so that nothing that runs in the folder needs a network.
Prints whether dicts are read in place, and how fast, beside pytrec_eval where that has a wheel.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from build import ROOT, portable, wheel
from pythons import FURTHER, TESTS, WHEELS, identity, tests_in

# numpy comes from there, since the index has no wheel of it for 3.15 yet.
PACKAGES = ["python3.14", "python3.15", "python3-numpy", "python3-hypothesis"]
PACKAGES += ["python3-jinja2", "python3-pytest", "python3-pytest-benchmark"]
# Older releases of debootstrap do not know forky; it is made as sid is.
SCRIPT = "/usr/share/debootstrap/scripts/sid"
MIRROR = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")
PLATFORMS = [f"manylinux_2_{minor}_x86_64" for minor in (39, 35, 34, 28, 27, 26, 24, 17, 12, 5)]
PLATFORMS += ["manylinux2014_x86_64", "any"]


def prepared(folder: Path) -> None:
    """Make the folder unless it is there."""
    if (folder / "usr" / "bin" / "python3.14").exists():
        return
    command = ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", "forky"]
    subprocess.run([*command, str(folder), MIRROR, SCRIPT], check=True)


def launcher(folder: Path, version: str, where: Path) -> str:
    """A program that runs a Python of the folder, for those that only ask it things."""
    program = where / f"python{version}"
    # The name given to Python is what it says of itself, and what is asked again.
    inside = f"""/bin/bash -c 'exec -a "$0" /usr/bin/python{version} "$@"' "$0" "$@"\n"""
    program.write_text(f"#!/bin/sh\nexec chroot {folder} {inside}", "utf-8")
    program.chmod(0o755)
    return str(program)


def installed(version: str, site: Path, packages: list[str]) -> bool:
    """Whether packages could be installed for a Python that is not this one."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    pip += ["--target", str(site), "--only-binary", ":all:", "--upgrade"]
    pip += ["--python-version", version, "--implementation", "cp"]
    for abi in (f"cp{version.replace('.', '')}", "abi3", "none"):
        pip += ["--abi", abi]
    for platform in PLATFORMS:
        pip += ["--platform", platform]
    return subprocess.run([*pip, *packages], capture_output=True).returncode == 0


def tried(folder: Path, version: str, temporary: Path) -> bool:
    """Whether the wheel for a Python of the folder passes there."""
    program = launcher(folder, version, temporary)
    if (name := identity(program)) is None:
        print(f"Python {version} is not in {folder}: nothing was tested with it.")
        return True
    # With zig, what `make release-check` built is used again.
    built = wheel(program, WHEELS / name, portably=bool(portable()))
    print(f"Python {version}: {built.name}, {built.stat().st_size / 1e6:.2f} MB", flush=True)
    work = Path(tempfile.mkdtemp(dir=folder / "tmp"))
    try:
        site = work / "site"
        # The wheel is for this system; the folder's is newer.
        shutil.unpack_archive(built, site, "zip")
        tests = list(TESTS)
        found: list[str] = []
        for packages, further in FURTHER.items():
            if installed(version, site, list(packages)):
                found += packages
                tests += further
            else:
                print(f"Python {version}: no wheels of {', '.join(packages)}: {further} not run")
        shutil.copy(ROOT / "release" / "smoke.py", work)
        inside = Path("/") / work.relative_to(folder)
        python = [
            "chroot",
            str(folder),
            "/usr/bin/env",
            "-C",
            str(inside),
            # Outside the folder.
            "--unset=CRANFIELD_DATA",
            f"PYTHONPATH={inside / 'site'}",
        ]
        python += ["LC_ALL=C.UTF-8", f"/usr/bin/python{version}"]
        if subprocess.run([*python, str(inside / "smoke.py")]).returncode != 0:
            return False
        against = ["--against", "pytrec_eval"] if "pytrec-eval-terrier" in found else []
        for measures in ("nDCG@10", "common"):
            bench = [*python, "-m", "cranfield", "bench", "--quiet", *against, "-m", measures]
            if subprocess.run(bench).returncode != 0:
                return False
        return tests_in(python, work, inside, tests) == 0
    finally:
        shutil.rmtree(work, ignore_errors=True)


def main() -> str | None:
    folder = Path(sys.argv[1] if sys.argv[1:] else "/opt/forky")
    if os.geteuid() != 0:
        return "making the folder and running its Python need root"
    prepared(folder)
    with tempfile.TemporaryDirectory() as temporary:
        failed = [v for v in ("3.14", "3.15") if not tried(folder, v, Path(temporary))]
    return f"failed on Python {', '.join(failed)}" if failed else None


if __name__ == "__main__":
    sys.exit(main())
