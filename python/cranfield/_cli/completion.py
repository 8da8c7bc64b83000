"""``cranfield completion``: a script that completes command lines in a shell.

Prints a script that completes commands, options, their values, measures, and files in a shell. It
needs shtab: pip install 'cranfield[completion]'.

to install it:
  cranfield completion bash > ~/.local/share/bash-completion/completions/cranfield
  cranfield completion zsh > ~/.zfunc/_cranfield    # a folder of $fpath
  cranfield completion fish > ~/.config/fish/completions/cranfield.fish

for this shell only (bash):
  eval "$(cranfield completion bash)"
"""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from cranfield._base.errors import optional
from cranfield._cli import COMMANDS, module_of, options, output
from cranfield._cli.parser import Parser
from cranfield._core import families
from cranfield._study.definition import STUDIES

SHELLS = ("bash", "zsh", "fish")
"""Every shell."""

FILES = ("FILE", "QRELS", "RUN", "A", "B", "SCORES", "INPUT", "OUTPUT", "PATH")
"""What stands for a file in the usage of a command."""

FOLDER = "FOLDER"
"""What stands for a folder."""

MEASURES = ("MEASURE", "MEASURES", "KEY")
"""What stands for measures, or for one of a few other words."""


def parser() -> Parser:
    """The arguments of the command."""
    return options.command("completion", __doc__, options.choice("shell", SHELLS))


def run(args: Namespace) -> int:
    """Carries the command out."""
    shtab = optional("shtab", "completion", extra="completion")
    script: str = shtab.complete(_whole(shtab), shell=args.shell)
    if args.shell == "zsh":
        # shtab completes the first of several runs only: to zsh ``*:`` is any number of words.
        script = script.replace('  "(*)::', '  "*:').replace('  "(*):', '  "*:')
    output.write(output.STDOUT, f"{script.rstrip()}\n")
    return 0


def _whole(shtab: Any) -> argparse.ArgumentParser:
    """One parser with a subparser for each command, as shtab reads it; it parses nothing."""
    whole = argparse.ArgumentParser(prog="cranfield")
    whole.add_argument("--version", action="store_true", help="show the version and exit")
    commands = whole.add_subparsers()
    measures = sorted(family["name"] for family in families())
    names = {"measures": measures, "study": tuple(STUDIES)}
    for name, text in COMMANDS.items():
        if name == "trec_eval":
            own = commands.add_parser(name, help=text)
            own.add_argument("files", nargs="*", metavar="FILE")
        else:
            made: Parser = import_module(module_of(name)).parser()
            made.explain()
            own = commands.add_parser(name, help=text, parents=[made], add_help=False)
        for action in own._actions:
            _complete(action, shtab, measures, names.get(name))
    return whole


def _complete(
    action: Any, shtab: Any, measures: Sequence[str], names: Sequence[str] | None
) -> None:
    """Says what completes the value of an argument; ``names`` are those that a command takes."""
    if action.choices is not None or action.nargs == 0:
        return
    if action.metavar in MEASURES:
        action.choices = measures
    elif action.dest == "name":
        action.choices = names
    elif action.metavar == FOLDER:
        action.complete = shtab.DIRECTORY
    elif action.metavar in FILES:
        action.complete = shtab.FILE
