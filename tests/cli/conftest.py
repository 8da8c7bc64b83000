"""The folder that commands run in."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.cli.calls import BM25, DENSE, QRELS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bm25.run").write_text(BM25)
    (tmp_path / "runs" / "dense.res.gz").write_bytes(gzip.compress(DENSE.encode()))
    return tmp_path
