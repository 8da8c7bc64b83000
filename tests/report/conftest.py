"""The pages to open in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.pages import MADE, hostile_pair, pair


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The reports, as files."""
    folder = tmp_path_factory.mktemp("reports")
    found = {}
    for name, make in MADE.items():
        found[name] = folder / f"{name}.html"
        make().write(found[name])
    found["pair"] = pair(folder)
    found["hostile pair"] = hostile_pair(folder)
    return found
