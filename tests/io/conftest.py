"""The folder that malformed input is read in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.io.malformed_cases import QRELS, RUN


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with good judgments and a good run."""
    (tmp_path / "qrels.txt").write_bytes(QRELS.encode())
    (tmp_path / "run.txt").write_bytes(RUN.encode())
    monkeypatch.chdir(tmp_path)
    return tmp_path
