"""Where tests stand: the folders and modules of the package have theirs under the same names."""

from __future__ import annotations

from tests import ROOT

PACKAGE, TESTS = ROOT / "python" / "cranfield", ROOT / "tests"
BESIDES = {"against", "promises"}
"""Other programs, and what is promised: neither is about one room."""
OF_ROOMS = {"collection", "import"}
"""Modules whose functions stand in several rooms, and the package itself."""


def test_folders_of_tests_are_rooms() -> None:
    rooms = {path.name.strip("_") for path in PACKAGE.iterdir() if path.is_dir()} - {"pycache"}
    folders = {path.name for path in TESTS.iterdir() if any(path.glob("**/test_*.py"))}
    assert folders - BESIDES <= rooms


def test_files_of_tests_are_public_modules() -> None:
    modules = {path.stem for path in PACKAGE.glob("*.py")}
    tested = {path.stem.removeprefix("test_") for path in TESTS.glob("test_*.py")}
    assert tested - OF_ROOMS <= modules
