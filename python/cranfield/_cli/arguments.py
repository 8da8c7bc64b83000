"""Arguments that commands share, and a parser that fails with one line."""

from __future__ import annotations

import argparse
import math
import os
import re

from cranfield._base import fitting
from cranfield._base.errors import moved, nearest
from cranfield._base.options import EVALUATING
from cranfield._base.text import DIGITS, MOST_DIGITS, counted, printable
from cranfield._cli import messages
from cranfield._cli.errors import UsageError
from cranfield._core import QRELS_LAYOUTS, Error, Limits, Qrels
from cranfield._io import accepted
from cranfield._io.reading import as_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, NoReturn


POLICIES = tuple(
    name
    for name, option in EVALUATING.items()
    if option["stage"] in ("scoring", "ranking") and name != "ties"
)
"""The evaluating options that decide how lists are ranked and scored."""

LARGEST = 2**63 - 1
"""The largest number that an option takes."""


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal.

    argparse makes one for every argument; left to itself it would import
    ``shutil`` to ask for the width.
    """

    def __init__(self, prog: str) -> None:
        try:
            columns = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
        except (OSError, ValueError):
            columns = 80
        super().__init__(prog, width=columns - 2)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are raised as ``UsageError``."""

    def __init__(self, program: str, description: str, epilog: str) -> None:
        super().__init__(
            prog=program,
            description=description,
            epilog=epilog,
            formatter_class=Formatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        """Raises instead of printing the usage and leaving; long words are cut."""
        message = re.sub(r"(\S{100})\S{100,}", r"\1...", message)
        raise UsageError(f"{message}; see {self.prog} --help")

    def parsed(self, words: Sequence[str]) -> argparse.Namespace:
        """The arguments, with the ``words`` typed; raises ``UsageError`` for unknown ones."""
        args, rest = self.parse_known_args(words)
        if rest:
            advice = self.advice(args, rest) or self._meant(rest)
            self.error(f"unrecognized arguments: {' '.join(rest)}{advice}")
        args.words = [*self.prog.split(), *words]
        return args

    def advice(self, args: argparse.Namespace, words: Sequence[str]) -> str:
        """What to say about words that were not understood."""
        return ""

    def _meant(self, words: Sequence[str]) -> str:
        """The option that is nearest to the first unknown one."""
        asked = next((word.partition("=")[0] for word in words if word.startswith("--")), "")
        asked = _SYNONYMS.get(asked, asked)
        known = [flag for flag in self._option_string_actions if flag.startswith("--")]
        for flag in nearest(asked, known, 1):
            return f": did you mean {flag}?"
        return ""

    def format_help(self) -> str:
        """The usage in one line, examples first, and then the options by group."""
        formatter = self._get_formatter()
        arguments = [action for action in self._actions if not action.option_strings]
        formatter.add_usage(f"%(prog)s [options] {_shape(self, arguments)}".rstrip(), [], [])
        formatter.add_text(fitting.sentence(self.description or "", formatter._width))
        formatter.add_text(self.epilog)
        for group in self._action_groups:
            formatter.start_section(group.title)
            formatter.add_text(group.description)
            formatter.add_arguments(group._group_actions)
            formatter.end_section()
        return formatter.format_help()


_SYNONYMS = {"--metric": "--measure", "--metrics": "--measure", "--cutoff": "--depth"}
"""Options by the names that other programs have for them."""


def _shape(parser: argparse.ArgumentParser, arguments: Sequence[argparse.Action]) -> str:
    """The arguments as a usage has them."""
    formatter = parser._get_formatter()
    return " ".join(
        formatter._format_args(action, formatter._get_default_metavar_for_positional(action))
        for action in arguments
    )


_NO_RUN = "\0"
"""Stands for the runs where none are given; no file has this name."""


def with_collections(
    parsed: Callable[[Sequence[str]], argparse.Namespace], words: Sequence[str]
) -> argparse.Namespace:
    """The arguments, without runs where the judgments are a TOML file of collections."""
    try:
        return parsed(words)
    except UsageError:
        try:
            args = parsed([*words, _NO_RUN])
        except UsageError:
            args = None
        if args is None or args.runs != [_NO_RUN] or not args.qrels.lower().endswith(".toml"):
            raise
        args.runs = []
        return args


def at_least(flag: str, what: str, least: int) -> Callable[[str], int]:
    """The reader of the number that a flag takes."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"invalid int value: {text!r}") from None
        if not least <= value <= LARGEST:
            bound = f"least {least}" if value < least else f"most {LARGEST}"
            message = f"expected a {what} of at {bound}, found {value} ({flag})"
            raise argparse.ArgumentError(None, message)
        return value

    return read


def add_output(parser: Parser) -> None:
    """Adds the option that names a file to write."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=os.path.expanduser,
        default="-",
        help="a file to write; it appears once complete",
    )


def add_digits(parser: argparse._ActionsContainer, machine: str = "csv, json and the like") -> None:
    """Adds the option for the number of decimals; ``machine`` are the formats with all of them."""
    every = f", in {machine} all" if machine else ""
    parser.add_argument(
        "--digits",
        type=_digits,
        metavar="N",
        help=f"how many decimals scores and their differences have (default {DIGITS}{every})",
    )


def _digits(text: str) -> int:
    value = at_least("--digits", "number of decimals", 0)(text)
    if value > MOST_DIGITS:
        message = f"expected at most {MOST_DIGITS} decimals, found {value} (--digits)"
        raise argparse.ArgumentError(None, message)
    return value


def add_topic_groups(parser: argparse._ActionsContainer, what: str) -> None:
    """Adds the option that names groups of topics; ``what`` is made of each group."""
    parser.add_argument(
        "--topic-groups",
        metavar="FILE",
        type=os.path.expanduser,
        help=f"lines of a topic and its group: {what}; a topic may be in several groups",
    )


def add_functions(parser: Parser) -> None:
    """Adds the option that names files with measures that are Python functions."""
    parser.add_argument(
        "--measures-from",
        metavar="FILE",
        action="append",
        type=os.path.expanduser,
        default=[],
        help="a Python file that makes measures with @cranfield.measure, which is run; they can "
        "then be named as any other; may be repeated",
    )


def add_evaluating(
    parser: Parser, names: Iterable[str], **defaults: str
) -> argparse._ArgumentGroup:
    """Adds a group with these evaluating options; returns it.

    ``defaults`` are those that differ from the option's own.
    """
    group = parser.add_argument_group("evaluating", "the first value is the default")
    for name in names:
        _add_option(group, name, defaults.get(name))
    return group


def _add_option(group: argparse._ActionsContainer, name: str, default: str | None = None) -> None:
    """Adds the flag of an evaluating option, as the core describes it."""
    option = EVALUATING[name]
    flag = f"--{name.replace('_', '-')}"
    text = option["summary"]
    if option["takes"] == "flag":
        group.add_argument(flag, action="store_true", help=text)
    elif option["takes"] == "columns":
        group.add_argument(flag, metavar="KIND=COLUMN,...", type=_columns, help=text)
    elif option["takes"] == "count":
        text = f"{text} (default: {option['otherwise']})"
        count = at_least(flag, option["counted"], 1)
        group.add_argument(flag, type=count, metavar="N", help=text)
    else:
        words = option["words"]
        if default is not None:
            text = f"{text} (default {default})"
        elif name != "run_layout":
            default = words[0]
        group.add_argument(flag, choices=words, default=default, help=text)


def evaluating(args: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """The evaluating options that were given among these, with limits and progress."""
    return {
        **{
            name: getattr(args, name)
            for name in (*names, "threads", "lenient", "run_layout", "columns")
        },
        "progress": False if args.quiet or args.no_progress else None,
        "limits": limits(args),
    }


def add_working(parser: Parser) -> None:
    """Adds the options about threads, progress and notes."""
    _add_option(parser, "threads")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    parser.add_argument(
        "--quiet", action="store_true", help="no progress bar and no notes on stderr"
    )


def add_reading(
    parser: Parser, *, layout_of: str = "", beside: bool = False, several: bool = False
) -> None:
    """Adds the options about how files are read.

    ``layout_of`` names what holds judgments, if anything does; ``beside`` adds
    the files that say more of them; ``several`` adds what to do if one of
    several runs cannot be read.
    """
    group = add_tables(parser)
    if layout_of:
        group.add_argument(
            "--layout",
            choices=QRELS_LAYOUTS,
            help=f"the columns of {layout_of} (default: as the first line shows them); intents "
            "have to be named: topic intent document grade",
        )
        group.add_argument(
            "--levels",
            metavar="NAME=GRADE,...",
            type=_levels,
            help="what levels of other names than L0, L1 ... stand for, such as S=3,A=2,B=1 in "
            "NTCIR's older judgments",
        )
    if beside:
        group.add_argument(
            "--intents",
            metavar="FILE",
            help="how likely intents are, with --layout intents: topic intent probability, and "
            "nav for navigational ones",
        )
        group.add_argument(
            "--classes",
            metavar="FILE",
            help="which documents say the same, for EC-: topic document class, with a level "
            "before the class or without",
        )
        group.add_argument(
            "--costs",
            metavar="FILE",
            help="what documents cost to read, for user models: topic document cost",
        )
    if several:
        group.add_argument(
            "--keep-going",
            action="store_true",
            help="go on with the runs that can be used if others cannot; these are listed, and "
            "the exit status is 2",
        )
    _add_option(group, "lenient")
    defaults = Limits()
    group.add_argument(
        "--max-ratio",
        type=at_least("--max-ratio", "ratio", 1),
        metavar="N",
        default=defaults.decompression_ratio,
        help="largest ratio of decompression (default %(default)s)",
    )
    group.add_argument(
        "--max-unpacked",
        type=at_least("--max-unpacked", "number of bytes", 1),
        metavar="BYTES",
        default=defaults.decompressed_bytes,
        help=f"largest size of one unpacked file (default {size(defaults.decompressed_bytes)})",
    )
    group.add_argument(
        "--max-unpacked-call",
        type=at_least("--max-unpacked-call", "number of bytes", 1),
        metavar="BYTES",
        default=defaults.decompressed_call_bytes,
        help="largest size of all unpacked runs "
        f"(default {size(defaults.decompressed_call_bytes)})",
    )
    group.add_argument(
        "--max-line",
        type=at_least("--max-line", "number of bytes", 1),
        metavar="BYTES",
        default=defaults.line_bytes,
        help=f"longest line (default {size(defaults.line_bytes)})",
    )


def size(count: int) -> str:
    """A number of bytes as people read it."""
    power = min((count.bit_length() - 1) // 10, 4)
    return f"{count >> (10 * power)} {('bytes', 'KiB', 'MiB', 'GiB', 'TiB')[power]}"


def add_tables(parser: Parser) -> argparse._ArgumentGroup:
    """Adds a group with the options about the form of files; returns it."""
    group = parser.add_argument_group("reading")
    _add_option(group, "run_layout")
    _add_option(group, "columns")
    return group


def reading_options(args: argparse.Namespace) -> dict[str, Any]:
    """The options about how files of runs are read."""
    return {
        **{name: getattr(args, name) for name in ("lenient", "run_layout", "columns")},
        "limits": limits(args),
    }


def _columns(text: str) -> dict[str, str]:
    """The columns of tables by kind."""
    found: dict[str, str] = {}
    for pair in text.split(","):
        kind, _, column = pair.partition("=")
        if not kind.strip() or not column or kind in found:
            message = f"expected KIND=COLUMN,... such as topic=query, found {printable(text)}"
            raise argparse.ArgumentTypeError(message)
        found[kind.strip()] = column
    try:
        return as_columns(found)
    except Error as error:
        raise argparse.ArgumentTypeError(error.message) from error


def _levels(text: str) -> dict[str, float]:
    """The grades of levels by name."""
    found: dict[str, float] = {}
    for pair in text.split(","):
        name, _, grade = pair.rpartition("=")
        try:
            value = float(grade)
        except ValueError:
            value = math.nan
        if not name or name in found or not math.isfinite(value):
            message = f"expected NAME=GRADE,... such as S=3,A=2,B=1, found {printable(text)}"
            raise argparse.ArgumentTypeError(message)
        found[name] = value
    return found


def read_judgments(args: argparse.Namespace, docs_in_collection: int | None = None) -> Qrels:
    """The judgments that the options ask for."""
    if args.intents is not None and args.layout != "intents":
        raise UsageError("--intents goes with --layout intents")
    qrels = read_grades(args, docs_in_collection)
    if args.intents is args.classes is args.costs is None:
        return qrels
    from cranfield._io import files

    if args.intents is not None:
        weights, navigational = files.read_intents(args.intents)
        try:
            qrels = qrels.with_weights(weights).with_navigational(navigational)
        except Error as error:
            raise moved(error, file=args.intents) from error
    if args.classes is not None:
        qrels = _with_column(args, qrels, "class", args.classes, files.read_classes(args.classes))
    if args.costs is not None:
        qrels = _with_column(args, qrels, "cost", args.costs, files.read_costs(args.costs))
    return qrels


def read_grades(args: argparse.Namespace, docs_in_collection: int | None = None) -> Qrels:
    """The judgments, in the layout that is asked for, without files beside them."""
    return accepted.as_qrels(
        args.qrels,
        lenient=args.lenient,
        limits=limits(args),
        docs_in_collection=docs_in_collection,
        layout=args.layout,
        levels=args.levels,
        columns_of_tables=args.columns,
    )


def _with_column(
    args: argparse.Namespace,
    qrels: Qrels,
    name: str,
    file: str,
    values: Mapping[str, Mapping[str, float]],
) -> Qrels:
    """The judgments with a column; reports documents that they lack."""
    given = sum(map(len, values.values()))
    qrels = qrels.with_column(name, values)
    known = sum(len(qrels.column(name, topic)) for topic in values if topic in qrels)
    if known < given and not args.quiet:
        left = f"{given - known} of {counted(given, 'document')}"
        messages.say(f"{file}: not in {args.qrels}, so not used: {left}")
    return qrels


def limits(args: argparse.Namespace) -> Limits:
    """The limits that the options ask for."""
    return Limits(
        decompression_ratio=args.max_ratio,
        decompressed_bytes=args.max_unpacked,
        decompressed_call_bytes=args.max_unpacked_call,
        line_bytes=args.max_line,
    )
