"""What a study wrote, read back."""

from __future__ import annotations

import base64
import csv
import json
import zlib
from html.parser import HTMLParser
from pathlib import Path

from tests import ROOT

EXAMPLE = ROOT / "examples" / "debtags"
QRELS = str(EXAMPLE / "qrels.txt")
RUNS = str(EXAMPLE / "runs")


def table(folder: Path, name: str) -> list[dict[str, str]]:
    """The rows of a table."""
    with (folder / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def points(folder: Path, name: str) -> list[dict[str, str]]:
    """The points of a figure."""
    with (folder / "data" / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def files(folder: Path) -> dict[str, bytes]:
    """Every file with its content."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


class Page(HTMLParser):
    """What of a page matters here: links, figures, embedded files, text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.figures: list[str] = []
        self.text = ""
        self._data = False
        self.files: dict[str, str] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "a":
            self.links.append(found["href"] or "")
        if "data-figure" in found:
            self.figures.append(found["data-figure"] or "")
        self._data = found.get("id") == "data"

    def handle_data(self, data: str) -> None:
        if self._data and not self.files:
            self.files = json.loads(zlib.decompress(base64.b64decode(data)))
        self.text += data
