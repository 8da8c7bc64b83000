"""The repository as a clone has it, and the folder that examples run in."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests import ROOT
from tests.promises.docs.reader import MADE, Reader


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository as a clone has it."""
    copy = tmp_path_factory.mktemp("clone") / "cranfield"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*MADE), symlinks=True)
    return copy


@pytest.fixture
def clone(copy: Path) -> Path:
    """The repository as a clone has it, without what the last reader made."""
    shutil.rmtree(copy / "examples" / "tour", ignore_errors=True)
    return copy


@pytest.fixture
def folder(clone: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the examples run in."""
    reader = Reader(clone, monkeypatch)
    reader.begins()
    return reader.folder
