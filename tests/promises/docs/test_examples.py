"""What the documents say is run: Python blocks, console lines, tables.

A reader takes each document from its first line to its last, in a copy of the
repository that nothing was done to: what a block needs, a block above it made.
The README and the tutorial begin in the clone, and show what every page of the
site begins with. Only the building is left out: the package is the one under
test, and of ``make demo`` the target ``tour`` is made, which needs no package.
Where an output is shown it must be the real one; a line ``...`` stands for any
lines, and ``...`` inside a line for any text.
"""

from __future__ import annotations

import importlib
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.commands import unsigned
from tests.promises.docs.reader import (
    DOCUMENTS,
    SETTING,
    Reader,
    assert_shown,
    blocks,
    commands,
    comments,
    pattern,
    run_python,
)

REPRODUCTION = "docs/explanation/reproduction.md"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_blocks_run_as_a_reader_types_them(
    document: str, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [b for b in blocks(clone / document) if b.language in ("python", "console")]
    if any(block.language == "python" for block in found):
        for package in ("matplotlib", "pandas", "polars", "pyarrow"):
            pytest.importorskip(package)
    names: dict[str, Any] = {"__name__": "__main__"}
    reader = Reader(clone, monkeypatch)
    typed = [c.text for b in found if b.language == "console" for c in commands(b)]
    setting = SETTING.splitlines()
    if document in ("README.md", "docs/tutorial/index.md"):
        assert [text for text in typed if text in setting] == setting
    else:
        assert "make demo" not in typed
        reader.begins()
    for block in found:
        if block.language == "python":
            run_python(block, names, document)
            continue
        for command in commands(block):
            reader.types(command, document)


def test_the_values_of_the_pages_are_compared() -> None:
    """The comments ``# ->`` are found: a test that compares nothing passes always."""
    compared = 0
    for document in DOCUMENTS:
        text = "".join(b.text for b in blocks(ROOT / document) if b.language == "python")
        assert len(comments(text)) == text.count("# -> "), document
        compared += text.count("# -> ")
    assert compared > 100


def test_make_demo_makes_the_folder_of_the_examples() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^demo: \$\(BUILT\) tour ", makefile, re.M)
    recipe = makefile.partition("\ntour: ")[2].partition("\n\n")[0].splitlines()[1:]
    # Nothing of the package, so that it can be made without building one.
    assert {line.split()[0] for line in recipe} == {
        "@mkdir",
        "@cp",
        "@gzip",
        "@cut",
        "@head",
        "@printf",
    }


def test_printed_numbers_come_out_again(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Needs the collections of the papers."""
    monkeypatch.setenv("CRANFIELD_DATA", str(data))
    names: dict[str, Any] = {"__name__": "__main__"}
    compared = 0
    for block in blocks(ROOT / REPRODUCTION):
        assert block.language == "python"
        compared += run_python(block, names, REPRODUCTION)
    assert compared > 15


def test_every_block_has_a_language_that_is_known() -> None:
    for document in (*DOCUMENTS, REPRODUCTION, "CONTRIBUTING.md"):
        for block in blocks(ROOT / document):
            known = block.language in ("console", "python", "rust", "text", "yaml")
            assert known or block.language.startswith("{"), (document, block.line)


def test_shown_outputs_may_leave_out_lines_and_parts_of_lines() -> None:
    shown = pattern("a\n...\nz 0.1...\n")
    assert shown.fullmatch("a\nb\nc\nz 0.123\n")
    assert shown.fullmatch("a\nz 0.1\n")
    assert not shown.fullmatch("a\nz 0.2\n")
    assert not shown.fullmatch("b\na\nz 0.1\n")


def test_the_readmes_table_is_that_of_make_demo() -> None:
    expected = next(b.text for b in blocks(ROOT / "README.md") if b.language == "text")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "cranfield", "eval"),
            "examples/debtags/qrels.txt",
            "examples/debtags/runs/*.run.gz",
            *("-m", "nDCG@10 AP bpref Judged@10"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    table = unsigned(done.stdout)
    assert_shown(expected, table, "README.md")
    assert len(table.splitlines()) == 1 + 16
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert """'$(EXAMPLE)/runs/*.run.gz' -m "nDCG@10 AP bpref Judged@10"\n""" in makefile


def test_the_commands_of_the_workflow_are_understood() -> None:
    found = [block for block in blocks(ROOT / "docs/howto/ci.md") if block.language == "yaml"]
    words = [
        shlex.split(line)
        for block in found
        for line in re.findall(r"run: cranfield ([^>\n]*)", block.text)
    ]
    assert [command for command, *_ in words] == ["eval", "check", "bench"]
    for command, *arguments in words:
        parser = importlib.import_module(f"cranfield._cli.{command.replace('-', '_')}").parser()
        assert parser.parsed(arguments)
