"""The folder of a study: files are written atomically, and no other file is touched.

Files are written whole. The study's record names each
file before it is written, and only what it names is ever replaced or
removed. A part's record, which is all that a later call needs to show the part
again, is written last.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unicodedata import normalize

from cranfield._base.errors import failure
from cranfield._core import write_file
from cranfield._io.small_files import json_value
from cranfield._study import drawing
from cranfield._study.results import Found

RECORD = "study.json"
PAGE = "index.html"
UNFINISHED = re.compile(r"(.*/)?\.cranfield-\d+-\d+\.(new|tmp)")
"""The name of a file that a killed call did not finish."""

FOLDERS = ("tables", "figures", "data", "parts")
"""The folders in it; they hold files only."""

SHOWN = 3
"""How many of the foreign files an error names."""


class Folder:
    """The folder that a study writes to."""

    def __init__(self, path: str, study: str, figures: str = "svg") -> None:
        """Takes a new or empty folder, or one of the same study; changes nothing.

        ``figures`` is a key of ``drawing.FORMS``.

        Raises ``Error``: kind "directory" for a file, for the folder of another
        study and for one with anything in it that is not from a study; "io" if the
        system refuses.
        """
        if not path:
            raise failure("missing", "the folder's name is empty")
        self.path = Path(path)
        self._forms = drawing.FORMS[figures]
        self._record: dict[str, Any] = {}
        self._named: set[str] = set()
        """The files that the record names."""
        self._left: list[str] = []
        """Files that an earlier call did not finish."""
        self._own: set[str] = set()
        """The files of this call."""
        self.texts: dict[str, str] = {}
        """The tables and the data of figures by the name of the file."""
        with _written(path):
            self._check(study)

    def _check(self, study: str) -> None:
        path = str(self.path)
        if os.path.lexists(path) and not self.path.is_dir():
            raise failure("directory", "expected a folder to write to, found a file", file=path)
        if not self.path.is_dir():
            return
        record = self._json(RECORD)
        if isinstance(found := record.get("study"), str) and found != study:
            message = f"the folder contains the study {found!r}; give {study!r} another one"
            raise failure("directory", message, file=path)
        if found is not None:
            self._named = _names(record.get("files"))
        foreign = []
        for name, is_file in _content(self.path):
            own = {RECORD, *self._named} if is_file and found is not None else set()
            if own and UNFINISHED.fullmatch(name):
                self._left.append(name)
            elif name not in own:
                foreign.append(name)
        if foreign:
            more = f" and {len(foreign) - SHOWN} more" if len(foreign) > SHOWN else ""
            shown = ", ".join(map(repr, foreign[:SHOWN]))
            message = (
                f"the folder contains files that are not from a study: {shown}{more}; "
                "move them away, or name another folder, new or empty. Nothing was changed"
            )
            raise failure("directory", message, file=path)

    def _json(self, name: str) -> dict[str, Any]:
        """The object in a file; empty if there is none, or if it is not an object."""
        try:
            data = (self.path / name).read_bytes()
            content = json_value(data.decode("utf-8", "surrogateescape"), name)
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}

    def part(self, name: str, key: str, digests: Mapping[str, str]) -> Found | None:
        """The results of a part, if it is finished and its options have the same digests."""
        file = f"parts/{name}.json"
        content = self._json(file)
        try:
            same = content["options"].items() <= digests.items()
            found = Found.from_dict(content["found"]) if same and content["key"] == key else None
        except (AttributeError, KeyError, TypeError):
            return None
        if found is not None:
            self._own.add(file)
        return found

    def keep(self, name: str, made_of: dict[str, Any], found: Found) -> None:
        """Writes the results of a part, and what they depend on."""
        self.write(f"parts/{name}.json", _text({**made_of, "found": found.to_dict()}))

    def write_results(self, found: Found, *, fresh: bool) -> None:
        """Writes tables, data of figures and, with matplotlib, figures.

        Figures are drawn if they are ``fresh``, or if their files are not there.
        """
        texts = {}
        for table in found.tables:
            texts[f"tables/{table.name}.csv"] = table.data.to_csv()
            texts[f"tables/{table.name}.tex"] = table.to_latex()
        for figure in found.figures:
            texts[f"data/{figure.name}.csv"] = figure.to_csv()
        for name, text in texts.items():
            self.write(name, text)
        self.texts |= texts
        for figure in found.figures if drawing.available() else ():
            names = {form: f"figures/{figure.name}.{form}" for form in self._forms}
            self._own.update(names.values())
            if fresh or not all((self.path / name).is_file() for name in names.values()):
                for form, data in drawing.draw(figure, self._forms).items():
                    self.write(names[form], data)

    def begin(self, record: dict[str, Any]) -> None:
        """Writes the study's record, and removes unfinished files."""
        self._record = record
        self._note()
        for name in self._left:
            self._unlink(name)

    @property
    def page(self) -> str:
        """The path of the page."""
        return str(self.path / PAGE)

    def finish(self, page: str) -> None:
        """Writes the page, removes what only an earlier call wrote, and completes the record."""
        self.write(PAGE, page)
        for name in sorted(self._named - self._own):
            self._unlink(name)
        self._named = self._own
        self._record = {**self._record, "complete": True}
        self._note()

    def record(self) -> str:
        """The record without the names of files, as text."""
        return _text({**self._record, "complete": True})

    def _note(self) -> None:
        """Writes the record with the names of all files."""
        text = _text({**self._record, "files": sorted(self._named)})
        self._replace(RECORD, text.encode("utf-8", "surrogateescape"))

    def write(self, name: str, content: str | bytes) -> None:
        """Writes a file atomically; one with the same content is left as it is."""
        self._own.add(name)
        if name not in self._named:
            if os.path.lexists(self.path / name):
                message = (
                    "a file that does not belong to the study appeared while it ran: move it away"
                )
                raise failure("directory", message, file=str(self.path / name))
            self._named.add(name)
            self._note()
        data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
        self._replace(name, data)

    def _replace(self, name: str, data: bytes) -> None:
        path = self.path / name
        with _written(path):
            if path.is_file() and path.read_bytes() == data:
                return
            # Not earlier: a study that fails on its input leaves nothing behind.
            path.parent.mkdir(parents=True, exist_ok=True)
        write_file(str(path), data)

    def remove(self, name: str) -> None:
        """Removes a file of the study, if it is there."""
        if name in self._named:
            self._unlink(name)

    def _unlink(self, name: str) -> None:
        with _written(self.path / name):
            (self.path / name).unlink(missing_ok=True)


@contextmanager
def _written(path: str | Path) -> Iterator[None]:
    """Raises ``Error`` (kind "io") where the system refuses what is done to a file."""
    try:
        yield
    except OSError as error:
        raise failure("io", f"cannot write {path}: {error.strerror or error}") from error


def _names(files: object) -> set[str]:
    """The files that a record names; names that no study writes are ignored."""
    names = {name for name in files if isinstance(name, str)} if isinstance(files, list) else set()
    return {name for name in names if name == PAGE or _is_in_a_folder(name)}


def _is_in_a_folder(name: str) -> bool:
    folder, _, file = name.partition("/")
    return folder in FOLDERS and file not in ("", ".", "..") and os.path.basename(file) == file


def _content(path: Path, within: str = "") -> Iterator[tuple[str, bool]]:
    """The entries of a folder and its known subfolders, and whether each is a regular file."""
    for entry in sorted(os.scandir(path), key=lambda entry: entry.name):
        if not within and entry.name in FOLDERS and entry.is_dir(follow_symlinks=False):
            yield from _content(path / entry.name, f"{entry.name}/")
        else:
            yield within + entry.name, entry.is_file(follow_symlinks=False)


def _text(content: Any) -> str:
    """An object as JSON text."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


_LONGEST = 80
"""The most bytes of a label in a name; file systems take 255 in all."""


def slug(label: str) -> str:
    """A label as part of a file's or a folder's name, in letters of any script.

    One that is too long is cut; what tells it from others is then a digest.
    """
    letters = normalize("NFC", label.replace("'", "-prime"))
    plain = re.sub(r"(?:[^\w.]|_)+", "-", letters).strip("-.")
    cut = plain.encode()[:_LONGEST].decode(errors="ignore")
    return cut if cut == plain and cut else f"{cut}-{digest(label)[:8]}".lstrip("-")


def distinct_slugs(labels: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """The name of each label, which no other one has, nor what is taken; in any case of letters."""
    names: dict[str, str] = {}
    seen = {name.casefold() for name in taken}
    for label in labels:
        name = slug(label)
        if name.casefold() in seen:
            name = f"{name}-{digest(label)[:8]}"
        seen.add(name.casefold())
        names[label] = name
    return names


def digest(content: Any) -> str:
    """A short text that differs for different contents."""
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:20]


def file_digest(path: str) -> str:
    """A digest of the content of a file.

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
