"""The reference of the commands, from their parsers.

A page asks for a command by a block whose language is ``{command}`` and its name. The
block is replaced by its usage, arguments and options before the page is parsed.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from cranfield._cli import COMMANDS
from cranfield._cli.parser import Parser

if TYPE_CHECKING:
    from sphinx.application import Sphinx

BLOCK = re.compile(r"^```\{command\} ([\w-]+)\n```$", re.MULTILINE)


def parser(name: str) -> argparse.ArgumentParser:
    """The parser of a command."""
    found = import_module(f"cranfield._cli.{name.replace('-', '_')}").parser()
    assert isinstance(found, Parser)
    found.explain()
    return found


def plain(text: str) -> str:
    """Text in which no character is markup."""
    return re.sub(r"([*`|_\\<>\[\]])", r"\\\1", text)


def invocation(action: argparse.Action) -> str:
    """How an option or an argument is written."""
    name = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if not action.option_strings:
        return name
    if action.nargs == 0:
        return ", ".join(action.option_strings)
    value = "VALUE" if action.metavar is None and action.choices else name
    return ", ".join(f"{flag} {value}" for flag in action.option_strings)


def helped(found: argparse.ArgumentParser, action: argparse.Action) -> str:
    """What is said of an option, with the values that it takes."""
    formatter = found._get_formatter()
    text = plain(formatter._expand_help(action).strip()) if action.help else ""
    if action.choices and action.nargs != 0:
        values = " ".join(f"``{choice}``" for choice in action.choices)
        text = f"{text}\n\nValues: {values}" if text else f"Values: {values}"
    return text


def options(name: str) -> Iterator[str]:
    """The lines that describe a command."""
    found = parser(name)
    yield from (plain(found.description or ""), "", f".. program:: cranfield {name}", "")
    usage = found.format_usage().removeprefix("usage: ")
    yield from (".. code-block:: text", "", textwrap.indent(usage, "   "), "")
    for group in found._action_groups:
        actions = [action for action in group._group_actions if action.dest != "help"]
        if actions:
            yield from (f".. rubric:: {(group.title or '').capitalize()}", "")
        for action in actions:
            yield f".. option:: {invocation(action)}"
            yield ""
            yield textwrap.indent(helped(found, action), "   ")
            yield ""
    for part in (found.epilog or "").split("\n\n"):
        title, _, text = part.partition("\n")
        if text:
            yield from (f".. rubric:: {plain(title.strip(':').capitalize())}", "")
            yield from (".. code-block:: text", "", textwrap.indent(text, "   "), "")


def native(name: str) -> Iterator[str]:
    """What a command without a parser prints about itself."""
    done = subprocess.run(
        [sys.executable, "-m", "cranfield", name, "-h"], capture_output=True, text=True, check=False
    )
    yield from (f"{plain(COMMANDS[name])}.", "", ".. code-block:: text", "")
    yield textwrap.indent(done.stdout or done.stderr, "   ")


def replaced(source: str) -> str:
    """A page with its blocks as directives."""

    def lines(block: re.Match[str]) -> str:
        described = native if block[1] == "trec_eval" else options
        return "\n".join(["```{eval-rst}", *described(block[1]), "```"])

    return BLOCK.sub(lines, source)


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""

    def read(_: Sphinx, __: str, source: list[str]) -> None:
        source[0] = replaced(source[0])

    os.environ["COLUMNS"] = "90"  # the width of usages
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
