"""What help says of options: ``help.toml`` has a text for each, and none for others."""

from __future__ import annotations

from importlib import import_module

import pytest
from cranfield import _cli
from cranfield._base.text import catalogue
from cranfield._cli.parser import Parser

TEXTS = catalogue(_cli.__file__, "help.toml")
PARSERS: dict[str, Parser] = {
    name: import_module(_cli.module_of(name)).parser()
    for name in _cli.COMMANDS
    if name != "trec_eval"
}


def keys(parser: Parser) -> dict[str, str]:
    """The name of each option in the file, with the words that it takes."""
    return {
        [str(action.metavar or action.dest), *action.option_strings][-1]: str(action.choices or "")
        for action in parser._actions
    }


@pytest.mark.parametrize("command", PARSERS)
def test_each_option_has_a_text_and_each_text_an_option(command: str) -> None:
    parser, known = PARSERS[command], keys(PARSERS[command])
    assert TEXTS.get(command, {}).keys() <= known.keys()
    parser.explain()
    for action in parser._actions:
        assert action.help or action.choices or action.metavar == "N,N,...", action.dest
    once = [action.help for action in parser._actions]
    parser.explain()
    assert [action.help for action in parser._actions] == once


def test_shared_texts_are_of_options_that_commands_take() -> None:
    taken = set().union(*(keys(parser) for parser in PARSERS.values()))
    assert TEXTS["shared"].keys() <= taken
    assert TEXTS.keys() <= {*PARSERS, "groups", "shared", "cranfield"}


def test_texts_are_read_only_for_help() -> None:
    parser = import_module(_cli.module_of("eval")).parser()
    assert {action.dest for action in parser._actions if action.help is not None} == {"version"}
