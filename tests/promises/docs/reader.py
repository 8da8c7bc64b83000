"""Who reads a document and types what it shows, in a copy of the repository."""

from __future__ import annotations

import ast
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests import ROOT
from tests.commands import unsigned

SITE = ROOT / "docs"


def pages() -> Iterator[Path]:
    """The pages of the site, as they are written."""
    for path in sorted(SITE.rglob("*.md")):
        if "_build" not in path.parts:
            yield path


def _runs_elsewhere(path: Path) -> bool:
    """Pages that need other programs or data, and the measures, whose examples Rust tests."""
    hosts = path.parent.name == "hosts" and path.stem not in ("engines", "moving")
    return hosts or path.stem in ("reproduction", "measures")


DOCUMENTS = tuple(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "README.md", *pages())
    if not _runs_elsewhere(path)
)
"""What is read here from its first line to its last."""


class Block(NamedTuple):
    """A fenced block: its language, its text and the line of its first line."""

    language: str
    text: str
    line: int


def blocks(path: Path) -> Iterator[Block]:
    """The fenced blocks of a document, in order; indented ones lose their indent."""
    fence: tuple[str, str, int] | None = None
    lines: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        found = re.fullmatch(r"( *)```(\{?[\w-]*\}?).*", line)
        if fence is None and found:
            fence, lines = (found[1], found[2], number + 1), []
        elif fence is not None and line == f"{fence[0]}```":
            yield Block(fence[1], "".join(f"{text}\n" for text in lines), fence[2])
            fence = None
        elif fence is not None:
            lines.append(line.removeprefix(fence[0]))
    assert fence is None, f"{path}: the block at line {fence[2] - 1} has no end"


MADE = ("target", ".venv", ".git", "tour", "__pycache__", ".*_cache", "*.so", ".hypothesis")
"""What is not in a clone."""


class Reader:
    """Who types what a document shows, beginning in the clone."""

    def __init__(self, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        # No ``cranfield`` before the environment is activated.
        hidden = Path(sys.executable).parent
        kept = [path for path in os.environ["PATH"].split(os.pathsep) if Path(path) != hidden]
        self._go(clone)
        self._path(kept)

    def begins(self) -> None:
        """Types what every page begins with."""
        for number, line in enumerate(SETTING.splitlines()):
            self.types(Command(line, "", number), "the setting")

    def _go(self, folder: Path) -> None:
        self.folder = folder
        self._monkeypatch.chdir(folder)

    def _path(self, folders: list[str]) -> None:
        self._monkeypatch.setenv("PATH", os.pathsep.join(folders))

    def types(self, command: Command, document: str) -> None:
        """Runs a line; it has to end with 0 and print what is shown."""
        words = shlex.split(command.text)
        if words[0] == "cd":
            self._go(self.folder / words[1])
        elif words == [".", ".venv/bin/activate"]:
            self._path([str(Path(sys.executable).parent), os.environ["PATH"]])
        elif words == ["make", "demo"]:
            subprocess.run(["make", "--silent", "tour"], cwd=self.folder, check=True)
        elif words[0] == "make":
            assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.M), command.text
        else:
            assert words[0] in ("cranfield", "alias"), command.text
            run_console(command, document)


SETTING = "make demo\n. .venv/bin/activate\ncd examples/tour"
"""What is typed before any page."""


def pattern(expected: str) -> re.Pattern[str]:
    """What a shown output matches."""
    parts = [
        r"(?:.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + r"\n"
        for line in expected.splitlines()
    ]
    return re.compile("".join(parts))


def assert_shown(expected: str, found: str, where: str) -> None:
    """Compares a shown output with the real one."""
    if not pattern(expected).fullmatch(found):
        # A plain comparison, for pytest's picture of the difference.
        assert found == expected, where


def comments(code: str) -> dict[int, str]:
    """The values after ``# ->`` by line."""
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    found = (token for token in tokens if token.type == tokenize.COMMENT)
    return {
        token.start[0]: token.string.removeprefix("# -> ")
        for token in found
        if token.string.startswith("# -> ")
    }


def run_python(block: Block, names: dict[str, Any], document: str) -> int:
    """Runs a block and compares each value shown; returns how many there were."""
    where = f"{document}, line {block.line}"
    if ">>>" in block.text:
        test = doctest.DocTestParser().get_doctest(block.text, names, where, document, block.line)
        return run_doctest(test, clear=False)
    shown = comments(block.text)
    compared = 0
    for statement in ast.parse(block.text).body:
        line = block.line + statement.lineno - 1
        expected = shown.get(statement.end_lineno or statement.lineno)
        if isinstance(statement, ast.Expr):
            code = compile(ast.Expression(statement.value), f"{document}:{line}", "eval")
            value = eval(code, names)
            if expected is not None:
                assert repr(value) == expected, f"{document}, line {line}"
                compared += 1
        else:
            assert expected is None, f"{document}, line {line}: a statement has no value"
            exec(compile(ast.Module([statement], []), f"{document}:{line}", "exec"), names)
    return compared


class Checker(doctest.OutputChecker):
    """Compares outputs where one is shown, as in the other blocks."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        shown = got if "|qrels:" in want else unsigned(got)
        return not want or super().check_output(want, shown, optionflags)


def run_doctest(test: doctest.DocTest, *, clear: bool) -> int:
    """Runs the examples of a docstring; returns how many there were."""
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    runner = doctest.DocTestRunner(checker=Checker(), verbose=False, optionflags=flags)
    report = io.StringIO()
    result = runner.run(test, out=report.write, clear_globs=clear)
    assert result.failed == 0, report.getvalue()
    return result.attempted


class Command(NamedTuple):
    """A line of a console block with the output that is shown below it."""

    text: str
    output: str
    line: int


def commands(block: Block) -> Iterator[Command]:
    """The command lines of a console block."""
    lines = block.text.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith("$ ")]
    assert starts[:1] == [0], f"the block at line {block.line} does not begin with a command"
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        output = "".join(f"{line}\n" for line in lines[start + 1 : end])
        yield Command(lines[start].removeprefix("$ "), output, block.line + start)


def run_console(command: Command, document: str) -> None:
    """Runs a command line in a shell; it has to end with 0 and print what is shown."""
    where = f"{document}, line {command.line}: {command.text}"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command.text],
        # Named, since a library of pytest's exports COLUMNS without Python's knowledge.
        env=dict(os.environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{where}\n{done.stdout}"
    if command.output:
        found = done.stdout
        if "|qrels:" not in command.output:
            # Signatures, which are below every table, are compared where a page shows one.
            found = unsigned(found)
        assert_shown(command.output, found, where)
