"""The parser of a command: its help, and what it says of wrong arguments."""

from __future__ import annotations

import argparse
import os
import re
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence

from cranfield._base.errors import nearest
from cranfield._base.text import catalogue, listed, readable, wrapped
from cranfield._cli.streams import UsageError
from cranfield._core import Error, parse_measures
from cranfield._io.sources import STDIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

MAIN = "options"
"""The group of options that stand in none."""

RARE = "reading"
"""The group of options that only ``--help-all`` shows."""


class Option(namedtuple("Option", ("names", "group", "settings"))):
    """A flag or an argument: its names, its group, and what argparse is told of it."""

    names: tuple[str, ...]
    group: str
    settings: dict[str, Any]

    @property
    def key(self) -> str:
        """The name by which commands take it: the long flag, or what stands for an argument."""
        name = self.names[-1]
        return name if name.startswith("-") else str(self.settings.get("metavar", name))


def flag_of(name: str) -> str:
    """The flag of an option by its name in Python."""
    return {"own": "--own-document", "k": "-k"}.get(name, f"--{name.replace('_', '-')}")


_FILES = ("FILE", "QRELS")
"""What stands for files that are read, which all arguments are, too."""

_WRITTEN = ("output", "json", "report")
"""The options whose files are written."""

_SYNONYMS = {"--metric": "--measure", "--metrics": "--measure", "--cutoff": "--depth"}
"""Options by the names that other programs have for them."""


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal, in which no word is broken.

    argparse makes one for every argument; left to itself it would import
    ``shutil`` to ask for the width.
    """

    def __init__(self, prog: str) -> None:
        try:
            columns = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
        except (OSError, ValueError):
            columns = 80
        super().__init__(prog, width=columns - 2)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrapped(" ".join(text.split()), width).split("\n")

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Sentences, and lists whose second column stays one; what one types is not broken."""
        return "\n".join(f"{indent}{self._line(line)}" for line in text.split("\n"))

    def _line(self, line: str) -> str:
        entry = re.match(r" +\S+  +", line)
        if entry is None and line.startswith(" "):
            return line
        return wrapped(line, self._width, " " * entry.end() if entry else "")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are raised as ``UsageError``."""

    def __init__(self, program: str, description: str, epilog: str, *options: Option) -> None:
        super().__init__(
            prog=program,
            description=description,
            epilog=epilog,
            formatter_class=_Formatter,
            allow_abbrev=False,
            add_help=False,
        )
        self._groups: dict[str, argparse._ArgumentGroup] = {}
        self._optionals.title = MAIN
        self._only_for: dict[str, tuple[str, ...]] = {}
        self._values: dict[str, dict[str, object]] = {}
        self._everything = False
        for own in options:
            self._add(own)
        arguments = [action for action in self._actions if not action.option_strings]
        self.usage = f"%(prog)s [options] {_shape(self, arguments)}".rstrip()

    def _add(self, added: Option) -> None:
        """Adds an option to its group."""
        settings = dict(added.settings)
        needed, values = settings.pop("only_for", ()), settings.pop("values", {})
        if settings.get("metavar", "") is None:
            del settings["metavar"]
        group: argparse._ActionsContainer = self
        if added.group != MAIN:
            if added.group not in self._groups:
                self._groups[added.group] = self.add_argument_group(added.group)
            group = self._groups[added.group]
        dest = group.add_argument(*added.names, **settings).dest
        self._only_for[dest], self._values[dest] = needed, values

    def explain(self) -> None:
        """Gives options the texts that only help, completion and the reference show."""
        texts = catalogue(__file__, "help.toml")
        own = texts.get(self.prog.rpartition(" ")[2], {})
        for group in self._action_groups:
            group.description = texts["groups"].get(group.title)
        for action in self._actions:
            name = [str(action.metavar or action.dest), *action.option_strings][-1]
            values = self._values.get(action.dest, {})
            usual = str(values.get("usual", texts["shared"].get(name, "")))
            text = own.get(name, usual)
            if text.startswith("..."):
                text = f"{usual}{text[3:]}"
            action.help = (text.format(**values) if values else text) or None

    def error(self, message: str) -> NoReturn:
        """Raises instead of printing the usage and leaving; long words are cut."""
        message = re.sub(r"(\S{100})\S{100,}", r"\1...", message)
        raise UsageError(f"{message}; see {self.prog} --help")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """As argparse, with the nearest of the words that are known."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            if near := nearest(str(value), [str(word) for word in action.choices or ()], 1):
                error.message += f"; did you mean {near[0]}?"
            raise

    def parsed(
        self, words: Sequence[str], others: Callable[[str], Sequence[str]] = lambda _: ()
    ) -> argparse.Namespace:
        """The arguments, with the ``words`` typed.

        ``others`` says which other commands take a flag. Raises ``UsageError`` for what is
        unknown, and where standard input would be read twice.
        """
        self._everything = "--help-all" in words
        args, rest = self.parse_known_intermixed_args(["--help"] if self._everything else words)
        if rest:
            measures = getattr(args, "measures", None)
            advice = quoting(measures, rest) or self._meant(rest, others)
            self.error(f"unrecognized arguments: {' '.join(rest)}{advice}")
        if list(self._read(args)).count(STDIN) > 1:
            raise UsageError("standard input can be read only once")
        self._check_beside(args)
        args.words = [*self.prog.split(), *words]
        return args

    def _check_beside(self, args: argparse.Namespace) -> None:
        """Raises ``UsageError`` for an option without the ones that it is for."""
        for dest, needed in self._only_for.items():
            if not needed or getattr(args, dest) == self.get_default(dest):
                continue
            actions = (self._option_string_actions[flag] for flag in needed)
            if not any(getattr(args, action.dest) for action in actions):
                raise UsageError(f"{flag_of(dest)} is only for {' and '.join(needed)}")

    def _read(self, args: argparse.Namespace) -> Iterator[str]:
        """The files that are read."""
        for action in self._actions:
            if action.dest in _WRITTEN or (action.option_strings and action.metavar not in _FILES):
                continue
            found = getattr(args, action.dest, None)
            yield from found if isinstance(found, list) else (found or "",)

    def _meant(self, words: Sequence[str], others: Callable[[str], Sequence[str]]) -> str:
        """The option that is nearest to the first unknown one, and who takes that one."""
        asked = next((word.partition("=")[0] for word in words if word.startswith("--")), "")
        known = [flag for flag in self._option_string_actions if flag.startswith("--")]
        commands = [f"`{command}`" for command in others(asked)] if asked else []
        near = nearest(_SYNONYMS.get(asked, asked), known, 1)
        if near and (not commands or asked.startswith(near[0])):
            return f": did you mean {near[0]}?"
        if commands:
            takes = listed(commands if len(commands) < 5 else [*commands[:3], "others"])
            return f": {asked} is an option of {takes}"
        return ""

    def format_help(self) -> str:
        """The usage in one line, examples first, and then the options by group."""
        self.explain()
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, [], [])
        formatter.add_text(self.description)
        formatter.add_text(self.epilog)
        for group in self._action_groups:
            if group.title == RARE and not self._everything:
                continue
            formatter.start_section(group.title)
            formatter.add_text(group.description)
            formatter.add_arguments(group._group_actions)
            formatter.end_section()
        if RARE in self._groups and not self._everything:
            formatter.add_text(f"`{self.prog} --help-all` shows the options of {RARE}, too.")
        return formatter.format_help()


def _shape(parser: argparse.ArgumentParser, arguments: Sequence[argparse.Action]) -> str:
    """The arguments as a usage has them."""
    formatter = parser._get_formatter()
    return " ".join(
        formatter._format_args(action, formatter._get_default_metavar_for_positional(action))
        for action in arguments
    )


def quoting(measures: Sequence[str] | str | None, words: Sequence[str]) -> str:
    """How to write measures if some of them stand among other words."""
    stray = [word for word in words if _is_measure(word) and not os.path.lexists(word)]
    if not measures or isinstance(measures, str) or not stray:
        return ""
    return f'; -m takes one argument: -m "{" ".join([*measures, *stray])}"'


def _is_measure(text: str) -> bool:
    try:
        return bool(parse_measures(readable(text)))
    except Error:
        return False
