"""The pages to open in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.pages import MADE, hostile_pair, pair


class Made(dict[str, Path]):
    """The pages as files, each made when a test of this process asks for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __missing__(self, name: str) -> Path:
        if name in MADE:
            self[name] = self.folder / f"{name}.html"
            MADE[name]().write(self[name])
        else:
            self[name] = {"pair": pair, "hostile pair": hostile_pair}[name](self.folder)
        return self[name]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages by name."""
    return Made(tmp_path_factory.mktemp("reports"))
