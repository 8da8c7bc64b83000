"""Versions agree, workflows name the same Pythons, and a build without Rust says what to do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests import ROOT

RELEASE = ROOT / "release"


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(RELEASE))


def named_pythons() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found = [re.fullmatch(r".* :: Python :: (3\.\d+)", line) for line in project["classifiers"]]
    return {match[1] for match in found if match}


@pytest.mark.usefixtures("scripts")
def test_versions_agree() -> None:
    import version

    assert version.problems(f"v{version.version()}") == []


@pytest.mark.usefixtures("scripts")
def test_disagreements_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import version

    for name in ("Cargo.toml", "CITATION.cff", "CHANGELOG.md"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    monkeypatch.setattr(version, "ROOT", tmp_path)
    (tag,) = version.problems("v99.0.0")
    assert "v99.0.0" in tag
    text = (tmp_path / "CITATION.cff").read_text("utf-8")
    (tmp_path / "CITATION.cff").write_text(text.replace("version: ", "version: 9"), "utf-8")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n", "utf-8")
    cited, changed = version.problems(f"v{version.version()}")
    assert "CITATION.cff" in cited
    assert "which scores change" in changed


@pytest.mark.parametrize("name", ["ci", "release"])
def test_workflows_have_each_python(name: str) -> None:
    text = (ROOT / ".github" / "workflows" / f"{name}.yml").read_text("utf-8")
    for line in re.findall(r"^ *(?:python: \[|INTERPRETERS: )(.*)$", text, re.M):
        found = {version.rstrip("t") for version in re.findall(r"3\.\d+t?", line)}
        # Alpine's images come later than an interpreter.
        assert found == named_pythons() or found == named_pythons() - {"3.15"}, line


@pytest.mark.usefixtures("scripts")
def test_pythons_are_recognised(tmp_path: Path) -> None:
    import pythons

    assert pythons.identity(sys.executable) == f"3.{sys.version_info.minor}"
    assert pythons.identity(str(tmp_path / "none")) is None
    pypy = tmp_path / "python3.11"
    pypy.write_text("#!/bin/sh\necho 'PyPy|3|11|'\n", "ascii")
    pypy.chmod(0o755)
    assert pythons.identity(str(pypy)) is None


def test_a_build_without_rust_says_what_to_do(tmp_path: Path) -> None:
    code = "import backend; backend.get_requires_for_build_wheel()"
    env = {**os.environ, "PATH": str(tmp_path), "PYTHONPATH": str(RELEASE)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "https://rustup.rs" in done.stderr


def test_other_interpreters_are_refused_in_one_sentence() -> None:
    code = "import sys; sys.implementation.name = 'pypy'; import backend; "
    code += "backend.get_requires_for_build_wheel()"
    env = {**os.environ, "PYTHONPATH": str(RELEASE)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "needs CPython" in done.stderr


@pytest.mark.usefixtures("scripts")
def test_paths_of_this_machine_are_taken_out_of_wheels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import build

    (tmp_path / "registry" / "src" / "index").mkdir(parents=True)
    monkeypatch.setenv("CARGO_HOME", str(tmp_path))
    variables = build.variables(tmp_path / "target" / "wheels", vendored=tmp_path / "vendor")
    replaced = dict(
        flag.removeprefix("--remap-path-prefix=").split("=")
        for flag in variables["RUSTFLAGS"].split()
    )
    assert replaced == {
        str(tmp_path / "registry" / "src" / "index"): "crates",
        str(tmp_path / "vendor"): "crates",
        str(tmp_path / "target"): "target",
        str(ROOT): ".",
    }


def test_the_smoke_test_passes_here() -> None:
    done = subprocess.run([sys.executable, RELEASE / "smoke.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "works" in done.stdout
