"""What commands write: in which format, to standard output or a file that appears complete."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Container, Mapping, Sequence

from cranfield._base.errors import failure, optional
from cranfield._base.scores_like import ALL
from cranfield._base.text import readable
from cranfield._cli.streams import UsageError, flush, note, stdout
from cranfield._core import OTHER_SUFFIXES, Qrels, Run, write_file
from cranfield._io.sources import COMPRESSED
from cranfield._table import data_table, writers
from cranfield._table.data_table import DataTable
from cranfield._table.result import Result, for_people
from cranfield._table.tables import Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

STDOUT = "-"
"""The path that stands for standard output."""

PEOPLE = writers.PEOPLE
"""The printed formats, which have the best run first."""

FORMATS = ("table", "json", "csv", "tsv", *writers.DOCUMENTS)
"""The formats of most tables."""


def check(path: str) -> None:
    """Raises ``Error`` early if a file cannot be written there.

    Kind "directory" for a folder, "missing" for an empty name and for a folder
    that is not there.
    """
    if path == STDOUT:
        return
    if not path:
        raise failure("missing", "the file's name is empty")
    if os.path.isdir(path):
        message = "expected a file to write, found a folder"
        raise failure("directory", message, file=path)
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise failure("missing", f"there is no folder {folder}", file=path)


def form(
    path: str,
    asked: str | None,
    formats: Sequence[str],
    *,
    text: Container[str] = (),
    option: str = "or --format",
) -> str:
    """The format asked for, or else that of the file's suffix; the first one is the default.

    A default among the formats of ``text`` also stands for suffixes that name no
    format at all, and these formats may be compressed.

    Raises ``UsageError`` for a suffix that names another format or none, and for that of a
    compressed file, and as ``check`` does.
    """
    check(path)
    suffixes = {s: name for s, name in writers.SUFFIXES.items() if name in formats}
    default, (stem, suffix) = formats[0], os.path.splitext(path)
    packed = suffix.lower() in COMPRESSED
    if packed:
        suffix = os.path.splitext(stem)[1]
    found = asked or (suffixes.get(suffix.lower()) if suffix else default)
    if found is None and default in text and suffix.lower()[1:] not in OTHER_SUFFIXES:
        found = default
    if packed and found not in text:
        what = found or default
        advice = f"write {stem} and compress that"
        raise UsageError(f"{path}: {what} is written without compression; {advice}")
    if found is None:
        known = " ".join(suffixes)
        expected = f"expected one of the suffixes {known}, {option}"
        raise UsageError(f"{path}: {expected}; found {suffix}")
    return found


def check_several(*paths: str | None) -> None:
    """As ``check`` for each; raises ``UsageError`` for one file that is to be written twice."""
    found: set[str] = set()
    for path in paths:
        if path is None:
            continue
        check(path)
        place = path if path == STDOUT else os.path.realpath(path)
        if place in found:
            raise UsageError(f"{path} is named for two outputs, one of which would be lost")
        if place == STDOUT or not os.path.lexists(path) or os.path.isfile(path):
            found.add(place)


def write(path: str, data: bytes | str) -> None:
    """Writes bytes or text to a file, all or nothing, or to standard output.

    Raises ``Error`` (kind "io") if the system refuses.
    """
    if isinstance(data, str):
        data = writers.encoded(data)
    if path == STDOUT:
        with stdout() as stream:
            stream.write(data)
        return
    # The file may be the one to which standard output goes.
    flush()
    write_file(path, data)


def width(path: str = STDOUT) -> int | None:
    """How many columns a printed table may take; None: as many as it needs.

    That is how many COLUMNS says or else the terminal has, and nothing for files and pipes:
    programs that use readline set COLUMNS for all that they start.
    """
    if path != STDOUT or sys.stdout is None or not sys.stdout.isatty():
        return None
    try:
        columns = int(
            os.environ.get("COLUMNS") or os.get_terminal_size(sys.stdout.fileno()).columns
        )
    except (OSError, ValueError):
        return None
    return columns if columns > 0 else None


def separated(parts: Mapping[str, DataTable], form: str) -> str:
    """The rows of each group of topics and of all topics, in a format of lines of fields.

    The name of the group is before them if there are several.
    """
    table = data_table.stacked("group", parts) if len(parts) > 1 else next(iter(parts.values()))
    return data_table.separated(table, writers.DELIMITERS[form])


def of_result(
    found: Result,
    form: str,
    args: Namespace,
    content: Callable[[], Mapping[str, Any]],
    *,
    tables: Mapping[str, DataTable] | None = None,
    label: str = "",
    **how: Any,
) -> str:
    """A result in a format, with as many digits as the options say.

    ``content`` returns what JSON has. ``tables`` are those of groups of topics, if it is not the
    one of the result. ``how`` goes to what is printed.
    """
    if form == "json":
        return writers.in_json(content())
    if form in writers.DELIMITERS:
        parts = tables or {ALL: found.table()}
        return separated({name: part.rounded(args.digits) for name, part in parts.items()}, form)
    return for_people(found, form, args.digits, Setting(width(args.output), label=label), **how)


def write_tables(path: str, data: bytes | str, form: str, title: str, heading: str) -> None:
    """Writes tables in a format; those of HTML as a page, which needs Jinja2."""
    if form == "html":
        optional("jinja2", "a page of HTML", extra="report")
        from cranfield._pages.page import of_tables

        body = data if isinstance(data, str) else data.decode("utf-8", "surrogateescape")
        data = of_tables(title, heading, body)
    write(path, data)


def write_page(path: str, page: str) -> None:
    """Writes a page, or another whole result, and says so if it is a file."""
    write(path, page)
    if path != STDOUT:
        note(f"wrote {path}")


def write_content(path: str, content: Qrels | Run, form: str) -> None:
    """Writes judgments or a run; by way of a file to the terminal or a pipe."""
    from shutil import copyfileobj
    from tempfile import TemporaryDirectory

    if path != STDOUT:
        content.write(path, format=form)
        return
    # So that Python sees it if the reader leaves.
    with TemporaryDirectory(prefix="cranfield-") as folder:
        own = os.path.join(folder, "output")
        content.write(own, format=form)
        with open(own, "rb") as file, stdout() as stream:
            copyfileobj(file, stream)


def command_line(args: Namespace) -> str:
    """The command line, as a shell takes it."""
    import shlex

    return shlex.join(map(readable, args.words))
