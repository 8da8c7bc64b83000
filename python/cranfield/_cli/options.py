"""The options of commands, each declared once, and the parser of those that a command names."""

from __future__ import annotations

import argparse
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from cranfield._base.errors import nearest
from cranfield._base.options import EVALUATING
from cranfield._base.text import DIGITS, MOST_DIGITS, listed, printable, readable, wrapped
from cranfield._cli.streams import UsageError
from cranfield._core import QRELS_LAYOUTS, Error, Limits, __version__, parse_measures
from cranfield._io.columns import as_columns
from cranfield._io.sources import STDIN
from cranfield._stats.registry import CORRECTIONS, TESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

MAIN, SURE, TESTING, BOUNDS, READING = "options", "how sure", "testing", "bounds", "reading"
EVALUATE = "evaluating"

GROUPS = {
    SURE: "",
    TESTING: "the first value is the default",
    EVALUATE: "the first value is the default",
    BOUNDS: "how far the unjudged documents of a list could move its scores",
    READING: "",
}
"""What is said of groups of options; others have nothing, and come as commands name them."""

RARE = READING
"""The group of options that only ``--help-all`` shows."""

LARGEST = 2**63 - 1
"""The largest number that an option takes."""


class Option:
    """A flag or an argument: its names, its group, and what argparse is told of it."""

    def __init__(self, names: tuple[str, ...], group: str, settings: Mapping[str, Any]) -> None:
        self.names = names
        self.group = group
        self.settings = settings

    @property
    def key(self) -> str:
        """The name by which commands take it: the long flag, or what stands for an argument."""
        name = self.names[-1]
        return name if name.startswith("-") else str(self.settings.get("metavar", name))


def option(*names: str, group: str = MAIN, **settings: Any) -> Option:
    """An option with what argparse takes, and three settings more.

    ``number``: what it is a number of, and the least one. ``note``: what follows its help.
    ``only_for``: the flags of which one has to be given beside it.
    """
    return Option(names, group, settings)


def changed(key: str, *, group: str | None = None, **settings: Any) -> Option:
    """A shared option with other settings."""
    shared = SHARED[key]
    return Option(shared.names, group or shared.group, {**shared.settings, **settings})


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


def depths(flag: str) -> Callable[[str], list[int]]:
    """The reader of the numbers that a flag takes, separated by commas or spaces."""

    def read(text: str) -> list[int]:
        words = text.replace(",", " ").split()
        if not words:
            raise argparse.ArgumentTypeError("expected at least one number, found none")
        return list(map(at_least(flag, "depth", 1), words))

    return read


def _digits(text: str) -> int:
    value = at_least("--digits", "number of decimals", 0)(text)
    if value > MOST_DIGITS:
        message = f"expected at most {MOST_DIGITS} decimals, found {value} (--digits)"
        raise argparse.ArgumentError(None, message)
    return value


def number_in(text: str) -> float:
    """The number that a text is, NaN for any other text."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def finite(text: str) -> float:
    """The number in a text."""
    value = number_in(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"invalid number: {text!r}")
    return value


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
        value = number_in(grade)
        if not name or name in found or not math.isfinite(value):
            message = f"expected NAME=GRADE,... such as S=3,A=2,B=1, found {printable(text)}"
            raise argparse.ArgumentTypeError(message)
        found[name] = value
    return found


def size(count: int) -> str:
    """A number of bytes as people read it."""
    power = min((count.bit_length() - 1) // 10, 4)
    return f"{count >> (10 * power)} {('bytes', 'KiB', 'MiB', 'GiB', 'TiB')[power]}"


def _evaluating() -> Iterator[Option]:
    """The evaluating options, as the core describes them."""
    groups = {"work": MAIN, "reading": READING}
    for name, about in EVALUATING.items():
        settings: dict[str, Any] = {"help": about["summary"]}
        if about["takes"] == "flag":
            settings["action"] = "store_true"
        elif about["takes"] == "columns":
            settings.update(metavar="KIND=COLUMN,...", type=_columns)
        elif about["takes"] == "count":
            note = f" (default: {about['otherwise']})"
            settings.update(number=(about["counted"], 1), note=note)
        else:
            words = about["words"]
            settings.update(choices=words, default=None if name == "run_layout" else words[0])
        flag = f"--{name.replace('_', '-')}"
        yield option(flag, group=groups.get(about["stage"], EVALUATE), **settings)


_DEFAULTS = Limits()
_TEXTS = "TSV ({}, text), JSON Lines, or ir_datasets:NAME"

SHARED = {
    shared.key: shared
    for shared in (
        option("qrels", metavar="QRELS", help="a file of judgments, or -"),
        option(
            *("runs",),
            metavar="RUN",
            nargs="+",
            help="a run file, a quoted pattern, a folder, or -",
        ),
        option(
            *("-m", "--measure"),
            dest="measures",
            action="append",
            type=readable,
            metavar="MEASURES",
            help="one or several, separated by spaces; may be repeated",
        ),
        option(
            "--measures-from",
            metavar="FILE",
            action="append",
            type=os.path.expanduser,
            default=[],
            help="a Python file that makes measures with @cranfield.measure, which is run; they "
            "can then be named as any other; may be repeated",
        ),
        option("--per-topic", action="store_true", help="a row for each topic, too"),
        option("--format", help="default: by the suffix of --output, else table"),
        option(
            *("-o", "--output"),
            metavar="FILE",
            type=os.path.expanduser,
            default="-",
            help="a file to write; it appears once complete",
        ),
        option(
            "--sort",
            metavar="MEASURE",
            type=readable,
            help="best run first by this measure, or the highest first if neither end is better "
            "(tables for people: by the first)",
        ),
        option("--top", number=("number of runs", 1)),
        option(
            "--digits",
            type=_digits,
            metavar="N",
            help="how many decimals scores and their differences have "
            f"(default {DIGITS}; in csv, json and the like all)",
        ),
        option(
            "--baseline",
            metavar="RUN",
            help="the run that all others are compared with, by name or file",
        ),
        option("--title", metavar="TEXT", type=readable, help="the heading of the page"),
        option("--queries", metavar="FILE", help=f"what topics ask: {_TEXTS.format('topic')}"),
        option(
            "--documents",
            metavar="FILE",
            help=f"titles or texts of documents: {_TEXTS.format('document')}",
        ),
        option("--groups", metavar="FILE", help="lines of a run and its group"),
        option("--depths", type=depths("--depths"), metavar="N,N,..."),
        option("--rel", type=finite, metavar="GRADE", help="the lowest grade that is relevant"),
        option("--no-progress", action="store_true", help="no progress bar"),
        option("--quiet", action="store_true", help="no progress bar and no notes on stderr"),
        option(
            "--keep-going",
            action="store_true",
            help="go on with the runs that can be used if others cannot; these are listed, and "
            "the exit status is 2",
        ),
        # How sure, and for which topics.
        option(
            "--level",
            group=SURE,
            type=float,
            metavar="P",
            default=0.95,
            help="the confidence of intervals (default 0.95)",
        ),
        option(
            "--seed",
            group=SURE,
            number=("seed", 0),
            help="the seed of whatever is drawn (default 0)",
        ),
        option("--resamples", group=SURE, number=("number of resamples", 1)),
        option(
            "--topics",
            group=SURE,
            metavar="LIST",
            help="only these, such as 651-700 or 401-425,430",
        ),
        option(
            "--topic-groups",
            group=SURE,
            metavar="FILE",
            type=os.path.expanduser,
            help="lines of a topic and its group; a topic may be in several groups",
        ),
        # Testing.
        option("--test", group=TESTING, choices=TESTS, help="the test of each pair of runs"),
        option(
            "--correction",
            group=TESTING,
            choices=CORRECTIONS,
            help="of p-values for the number of comparisons; none for the two tukey tests",
        ),
        option(
            "--alpha",
            group=TESTING,
            type=float,
            metavar="P",
            help="below it a corrected p-value is significant (default 0.05)",
        ),
        # Evaluating, and how far scores could move.
        *_evaluating(),
        option(
            "--docs-in-collection",
            group=EVALUATE,
            number=("number of documents", 1),
            help="size of the collection; a few measures need it",
        ),
        option("--bounds", group=BOUNDS, action="store_true"),
        option(
            "--max-grade",
            group=BOUNDS,
            type=float,
            metavar="GRADE",
            help="the highest grade that a document can still get",
        ),
        option(
            "--max-assignments",
            group=BOUNDS,
            number=("number of assignments", 1),
            help="how many ways to judge a topic are tried where no shorter way is known",
        ),
        # Reading.
        option(
            "--layout",
            group=READING,
            choices=QRELS_LAYOUTS,
            help="the columns of judgments (default: as the first line shows them); intents have "
            "to be named: topic intent document grade",
        ),
        option(
            "--levels",
            group=READING,
            metavar="NAME=GRADE,...",
            type=_levels,
            help="what levels of other names than L0, L1 ... stand for, such as S=3,A=2,B=1 in "
            "NTCIR's older judgments",
        ),
        option(
            "--intents",
            group=READING,
            metavar="FILE",
            help="how likely intents are, with --layout intents: topic intent probability, and "
            "nav for navigational ones",
        ),
        option(
            "--classes",
            group=READING,
            metavar="FILE",
            help="which documents say the same, for EC-: topic document class, with a level "
            "before the class or without",
        ),
        option(
            "--costs",
            group=READING,
            metavar="FILE",
            help="what documents cost to read, for user models: topic document cost",
        ),
        option(
            "--max-ratio",
            group=READING,
            number=("ratio", 1),
            default=_DEFAULTS.decompression_ratio,
            help="largest ratio of decompression (default %(default)s)",
        ),
        *(
            option(
                flag,
                group=READING,
                number=("number of bytes", 1),
                metavar="BYTES",
                default=default,
                help=f"{text} (default {size(default)})",
            )
            for flag, default, text in (
                (
                    "--max-unpacked",
                    _DEFAULTS.decompressed_bytes,
                    "largest size of an unpacked file",
                ),
                (
                    *("--max-unpacked-call", _DEFAULTS.decompressed_call_bytes),
                    "largest size of all unpacked runs",
                ),
                ("--max-line", _DEFAULTS.line_bytes, "longest line"),
            )
        ),
    )
}
"""The options that several commands take, by name."""

POLICIES = tuple(
    f"--{name}"
    for name, about in EVALUATING.items()
    if about["stage"] in ("scoring", "ranking") and name != "ties"
)
"""The evaluating options that decide how lists are ranked and scored."""

OF_PAIRS = (
    changed("--test", default="t"),
    "--correction",
    changed("--alpha", default=0.05),
    changed("--level", group=TESTING),
    changed("--seed", group=TESTING, default=0),
)
"""About tests of pairs of runs."""

WORKING = ("--threads", "--no-progress", "--quiet")
"""About threads, progress and notes."""

TABLES = ("--run-layout", "--columns")
"""About the form of files."""

LAYOUT = ("--layout", "--levels")
"""About the form of judgments."""

BESIDE = ("--intents", "--classes", "--costs")
"""Files that say more of judgments."""

LIMITS = ("--lenient", "--max-ratio", "--max-unpacked", "--max-unpacked-call", "--max-line")
"""About what is read."""

FILES = (*TABLES, *LAYOUT, *BESIDE, *LIMITS)
"""About all files of judgments and runs."""

PLAIN_FILES = (*TABLES, *LAYOUT, *LIMITS)
"""The same without the files beside judgments."""

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
    """A parser whose errors are raised as ``UsageError``.

    ``options`` are the names of shared ones, and others; ``defaults`` those that differ.
    """

    def __init__(
        self,
        program: str,
        description: str,
        epilog: str,
        *options: str | Option,
        defaults: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            prog=program,
            description=description,
            epilog=epilog,
            formatter_class=_Formatter,
            allow_abbrev=False,
            add_help=False,
        )
        taken = [SHARED[name] if isinstance(name, str) else name for name in options]
        self._groups: dict[str, argparse._ArgumentGroup] = {}
        self._optionals.title = MAIN
        self._only_for: dict[str, tuple[str, ...]] = {}
        self._everything = False
        for found in sorted(taken, key=lambda found: found.group == RARE):
            self._add(found)
        self._add(option("-h", "--help", action="help", help="show this help and exit"))
        if RARE in self._groups:
            text = f"show all options, those of {RARE} too, and exit"
            self._add(option("--help-all", action="help", help=text))
        self._add(
            option(
                "--version",
                action="version",
                version=f"cranfield {__version__}",
                help="show the version and exit",
            )
        )
        self.set_defaults(**(defaults or {}))
        arguments = [action for action in self._actions if not action.option_strings]
        self.usage = f"%(prog)s [options] {_shape(self, arguments)}".rstrip()

    def _add(self, added: Option) -> None:
        """Adds an option to its group."""
        settings = dict(added.settings)
        if number := settings.pop("number", None):
            settings = {"type": at_least(added.key, *number), "metavar": "N", **settings}
        if note := settings.pop("note", ""):
            settings["help"] = f"{settings.get('help', '')}{note}"
        needed = settings.pop("only_for", ())
        group: argparse._ActionsContainer = self
        if added.group != MAIN:
            if added.group not in self._groups:
                about = GROUPS.get(added.group)
                self._groups[added.group] = self.add_argument_group(added.group, about or None)
            group = self._groups[added.group]
        self._only_for[group.add_argument(*added.names, **settings).dest] = needed

    def error(self, message: str) -> NoReturn:
        """Raises instead of printing the usage and leaving; long words are cut."""
        message = re.sub(r"(\S{100})\S{100,}", r"\1...", message)
        raise UsageError(f"{message}; see {self.prog} --help")

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
                flag = f"--{dest.replace('_', '-')}"
                raise UsageError(f"{flag} is only for {' and '.join(needed)}")

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
