"""Where the data is, a real browser, and cases that may take as long as they take."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# How long a case takes says nothing on a machine with other work.
settings.register_profile("cranfield", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("cranfield")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of test collections; tests that need it skip without it."""
    folder = os.environ.get("CRANFIELD_DATA")
    if not folder:
        pytest.skip("CRANFIELD_DATA does not name the folder of test collections")
    path = Path(folder)
    assert path.is_dir(), f"CRANFIELD_DATA names no folder: {folder}"
    return path


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium; tests skip where there is none, and the variable CHROMIUM may name one."""
    playwright = pytest.importorskip("playwright.sync_api")
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if program is None:
        pytest.skip("no chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()
