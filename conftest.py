"""Where the data is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of test collections; tests that need it skip without it."""
    folder = os.environ.get("CRANFIELD_DATA")
    if not folder:
        pytest.skip("CRANFIELD_DATA does not name the folder of test collections")
    path = Path(folder)
    assert path.is_dir(), f"CRANFIELD_DATA names no folder: {folder}"
    return path
