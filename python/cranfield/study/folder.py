"""The folder of a study: every file is whole or not there.

Files are written beside their place and renamed. A part's record, which is
all that a later call needs to show the part again, is written last.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
from io import StringIO
from pathlib import Path

from cranfield.errors import failure
from cranfield.study.content import Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from cranfield.study.content import Item, Table

RECORD = "study.json"
PAGE = "index.html"
SUFFIX = ".unfinished"
"""The end of the name of a file that is being written."""

FOLDERS = ("tables", "figures", "data", "parts")


class Folder:
    """Where a study writes."""

    def __init__(self, path: str, study: str) -> None:
        """Takes a new or empty folder, or one of the same study.

        Raises ``Error``: kind "directory" for a file, for the folder of another
        study and for one with anything else in it; "io" if the system refuses.
        """
        if not path:
            raise failure("missing", "the folder's name is empty")
        self.path = Path(path)
        try:
            self._check(study)
            for unfinished in self.path.rglob(f"*{SUFFIX}"):
                unfinished.unlink()
        except OSError as error:
            raise self._refused(path, error) from error

    def _check(self, study: str) -> None:
        path = str(self.path)
        if self.path.exists() and not self.path.is_dir():
            raise failure("directory", "expected a folder to write to, found a file", file=path)
        if not self.path.is_dir() or not any(self.path.iterdir()):
            return
        found = self._json(RECORD).get("study")
        if found is None:
            advice = "a study writes to a new or empty folder, or to its own"
            raise failure("directory", f"the folder holds other things; {advice}", file=path)
        if found != study:
            message = f"the folder holds the study {found!r}; give {study!r} another one"
            raise failure("directory", message, file=path)

    def _json(self, name: str) -> dict[str, Any]:
        """The object in a file; nothing if there is none or it is no such thing."""
        try:
            content = json.loads((self.path / name).read_bytes())
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}

    def part(self, name: str, key: str) -> Found | None:
        """What a part found, if it is finished and was asked the same."""
        content = self._json(f"parts/{name}.json")
        if content.get("key") != key:
            return None
        try:
            return Found.from_dict(content["found"])
        except (KeyError, TypeError):
            return None

    def keep(self, name: str, key: str, found: Found) -> None:
        """Writes down what a part found."""
        self.write_json(f"parts/{name}.json", {"key": key, "found": found.to_dict()})

    def write_json(self, name: str, content: Any) -> None:
        """Writes an object."""
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1)
        self.write(name, text + "\n")

    def write_csv(self, name: str, item: Item) -> None:
        """Writes a table, or the points of a figure, with every digit."""
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        header, rows = item.lines()
        writer.writerow(header)
        for row in rows:
            exact = (repr(cell) if isinstance(cell, float) else cell for cell in row)
            writer.writerow("" if cell is None else cell for cell in exact)
        self.write(name, text.getvalue())

    def write_latex(self, name: str, table: Table) -> None:
        """Writes a table for the package booktabs."""
        from cranfield.cli.formats import latex_cell

        first = table.rows[0] if table.rows else []
        alignment = "".join("l" if isinstance(cell, str) else "r" for cell in first)
        alignment = alignment or "l" * len(table.columns)
        header, *rows = (
            " & ".join(map(latex_cell, row)) + r" \\" for row in (table.columns, *table.shown())
        )
        lines = [
            f"% {' '.join(table.title.split())}",
            *(rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", header, r"\midrule"),
            *rows,
            *(r"\bottomrule", r"\end{tabular}"),
        ]
        self.write(name, "\n".join(lines) + "\n")

    def write(self, name: str, content: str | bytes) -> None:
        """Writes a file, all or nothing; one with the same content stays."""
        data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
        path = self.path / name
        beside = path.with_name(f"{path.name}{SUFFIX}")
        try:
            if path.is_file() and path.read_bytes() == data:
                return
            # Not before: a study that fails over its input leaves nothing behind.
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                beside.write_bytes(data)
                os.replace(beside, path)
            finally:
                beside.unlink(missing_ok=True)
        except OSError as error:
            raise self._refused(str(path), error) from error

    def remove(self, name: str) -> None:
        """Takes a file away, if it is there."""
        (self.path / name).unlink(missing_ok=True)

    def keep_only(self, names: Iterable[str]) -> None:
        """Takes away what an earlier call wrote and this one did not."""
        known = {self.path / name for name in names}
        for folder in FOLDERS:
            for path in (self.path / folder).glob("*"):
                if path not in known and path.is_file():
                    path.unlink()

    @staticmethod
    def _refused(what: str, error: OSError) -> Exception:
        return failure("io", f"cannot write {what}: {error.strerror or error}")


def digest(content: Any) -> str:
    """A short text that differs for different contents."""
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:20]


def file_digest(path: str) -> str:
    """A text that tells the content of a file.

    Raises ``Error`` (kind "missing") for one that cannot be read.
    """
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise failure("missing", "there is no such file", file=path) from error
    except OSError as error:
        message = f"cannot read this file: {error.strerror}"
        raise failure("missing", message, file=path) from error
