"""The kinds of options, and the options that several commands take, each declared once."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from cranfield._base.options import EVALUATING
from cranfield._base.text import DIGITS, MOST_DIGITS, printable, readable
from cranfield._cli import output
from cranfield._cli.parser import MAIN, RARE, Option, Parser, flag_of
from cranfield._core import QRELS_LAYOUTS, Error, Limits, __version__
from cranfield._io.columns import SPAN_LAYOUTS, as_columns
from cranfield._stats.registry import CORRECTIONS, TESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

READING = RARE
"""The group of options about what is read."""

SURE, TESTING, BOUNDS, EVALUATE = "uncertainty", "testing", "bounds", "evaluating"
"""Further groups of options; in help they come in the order in which a command names them."""

LARGEST = 2**63 - 1
"""The largest number that an option takes."""


def option(usage: str, *, group: str = MAIN, **settings: Any) -> Option:
    """An option with a value such as ``-o, --output FILE``, or an argument such as ``runs RUN``.

    What help says of it is in ``help.toml``. The other settings are argparse's, but for two.
    ``values``: what stands for names in that text. ``only_for``: the flags of which one has to be
    given beside it.
    """
    *short, usage = usage.split(", ")
    name, _, metavar = usage.partition(" ")
    return Option((*short, name), group, {"metavar": metavar or None, **settings})


def repeated(usage: str, **settings: Any) -> Option:
    """An option that may be given several times; its values are a list."""
    return option(usage, **{"action": "append", "default": [], **settings})


def flag(name: str, **settings: Any) -> Option:
    """An option without a value."""
    return option(name, action="store_true", **settings)


def choice(name: str, words: Iterable[str], **settings: Any) -> Option:
    """An option whose value is one of some words."""
    return option(name, choices=words, **settings)


def integer(name: str, what: str, *, least: int = 1, **settings: Any) -> Option:
    """An option whose value is an integer; ``what`` it is a number of."""
    return option(name, **{"metavar": "N", "type": at_least(name, what, least), **settings})


HELP = option("-h, --help", action="help")
VERSION = option("--version", action="version", version=f"cranfield {__version__}")


def command(
    name: str, doc: str | None, *options: str | Option, defaults: Mapping[str, Any] | None = None
) -> Parser:
    """The parser of a command; ``options`` are names of shared ones and of sets, and others.

    ``doc`` is the docstring of its module: below the summary a paragraph on what it does, and
    then sections that are printed as they are. ``defaults`` are those that differ.
    """
    # Python removes docstrings if it is told to: then commands work without these texts.
    _, description, sections = f"{doc or ''}\n\n\n\n".split("\n\n", 2)
    description = description.replace("\n", " ")
    own = sorted(_named(*options), key=lambda own: own.group == RARE)
    more = [option("--help-all", action="help")] if own and own[-1].group == RARE else []
    parser = Parser(
        f"cranfield {name}".strip(), description, sections.strip("\n"), *own, HELP, *more, VERSION
    )
    parser.set_defaults(**(defaults or {}))
    return parser


def _named(*options: str | Option) -> Iterator[Option]:
    """Options, of which some are named: several in a text, and sets of them by their name."""
    for own in options:
        if isinstance(own, Option):
            yield own
            continue
        for name in own.split():
            yield from (SHARED[name],) if name in SHARED else _named(*SETS[name])


def in_group(group: str, *options: str | Option, **settings: Any) -> list[Option]:
    """Options in a group of the help, with the settings that all have."""
    named = _named(*options)
    return [Option(own.names, group, {**own.settings, **settings}) for own in named]


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


def number_where(expected: str, holds: Callable[[float], bool]) -> Callable[[str], float]:
    """The reader of a number of which something holds, as ``expected`` says."""

    def read(text: str) -> float:
        value = number_in(text)
        if not (math.isfinite(value) and holds(value)):
            raise argparse.ArgumentTypeError(f"expected {expected}, found {text!r}")
        return value

    return read


def _digits(text: str) -> int:
    value = at_least("--digits", "number of decimals", 0)(text)
    if value > MOST_DIGITS:
        message = f"expected at most {MOST_DIGITS} decimals, found {value} (--digits)"
        raise argparse.ArgumentError(None, message)
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
    """A number of bytes as printed."""
    power = min((count.bit_length() - 1) // 10, 4)
    return f"{count >> (10 * power)} {('bytes', 'KiB', 'MiB', 'GiB', 'TiB')[power]}"


def _evaluating() -> Iterator[Option]:
    """The evaluating options, as the core describes them."""
    groups = {"work": MAIN, "reading": READING}
    for name, about in EVALUATING.items():
        default = f" (default: {about['otherwise']})" if about["takes"] == "count" else ""
        values = {"usual": f"{about['summary']}{default}"}
        group = groups.get(about["stage"], EVALUATE)
        yield from in_group(group, _evaluating_option(name, about), values=values)


def _evaluating_option(name: str, described: Mapping[str, Any]) -> Option:
    """An evaluating option, as the core describes it."""
    takes, words, own = described["takes"], described["words"], flag_of(name)
    if takes == "flag":
        return flag(own)
    if takes == "columns":
        return option(f"{own} KIND=COLUMN,...", type=_columns)
    if takes == "count":
        return integer(own, described["counted"])
    return choice(own, words, default=None if name == "run_layout" else words[0], dest=name)


def in_bytes(name: str, default: int) -> Option:
    """An option whose value is a number of bytes."""
    values = {"size": size(default)}
    return integer(name, "number of bytes", metavar="BYTES", default=default, values=values)


_DEFAULTS = Limits()

_SHARED = (
    *_evaluating(),
    *in_group(
        MAIN,
        option("qrels QRELS"),
        option("runs RUN", nargs="+"),
        option("-m, --measure MEASURES", dest="measures", action="append", type=readable),
        repeated("--measures-from FILE", type=os.path.expanduser),
        flag("--per-topic"),
        choice("--format", output.FORMATS),
        option("-o, --output FILE", type=os.path.expanduser, default="-"),
        option("--sort MEASURE", type=readable),
        integer("--top", "number of runs"),
        option("--digits N", type=_digits, values={"digits": DIGITS}),
        option("--baseline RUN"),
        option("--title TEXT", type=readable),
        option("--queries FILE"),
        option("--documents FILE"),
        option("--groups FILE"),
        option("--depths N,N,...", type=depths("--depths")),
        option("--rel GRADE", type=finite),
        option("--topics LIST"),
        option("--topic-groups FILE", type=os.path.expanduser),
        flag("--no-progress"),
        flag("--quiet"),
        flag("--keep-going"),
    ),
    *in_group(
        SURE,
        option("--level P", type=float, default=0.95),
        integer("--seed", "seed", least=0),
        integer("--resamples", "number of resamples"),
    ),
    *in_group(
        TESTING,
        choice("--test", TESTS),
        choice("--correction", CORRECTIONS),
        option("--alpha P", type=float),
    ),
    *in_group(EVALUATE, integer("--docs-in-collection", "number of documents")),
    *in_group(
        BOUNDS,
        flag("--bounds"),
        option("--max-grade GRADE", type=float),
        integer("--max-assignments", "number of assignments"),
    ),
    *in_group(
        READING,
        choice("--layout", (*QRELS_LAYOUTS, *SPAN_LAYOUTS)),
        option("--levels NAME=GRADE,...", type=_levels),
        option("--intents FILE"),
        option("--classes FILE"),
        option("--chunks FILE"),
        option("--texts FILE"),
        option("--costs FILE"),
        option("--lengths FILE"),
        integer("--max-ratio", "ratio", default=_DEFAULTS.decompression_ratio),
        in_bytes("--max-unpacked", _DEFAULTS.decompressed_bytes),
        in_bytes("--max-unpacked-call", _DEFAULTS.decompressed_call_bytes),
        in_bytes("--max-line", _DEFAULTS.line_bytes),
    ),
)

SHARED = {shared.key: shared for shared in _SHARED}
"""The options that several commands take, by name."""

_POLICIES = (
    flag_of(name)
    for name, about in EVALUATING.items()
    if about["stage"] in ("scoring", "ranking") and name != "ties"
)

SETS: dict[str, Sequence[str | Option]] = {
    "policies": tuple(_POLICIES),
    "pairs": (
        changed("--test", default="t"),
        "--correction",
        changed("--alpha", default=0.05),
        *in_group(TESTING, "--level", changed("--seed", default=0)),
    ),
    "working": ("--threads --no-progress --quiet",),
    "tables": ("--run-layout --columns",),
    "layout": ("--layout --levels",),
    "beside": ("--intents --classes --costs --lengths",),
    "beside-spans": ("--chunks --texts",),
    "limits": ("--lenient --max-ratio --max-unpacked --max-unpacked-call --max-line",),
    "files": ("tables layout beside limits",),
    "plain-files": ("tables layout limits",),
}
"""Options that commands take together, by what they are about.

policies: how lists are ranked and scored. pairs: tests of pairs of runs. tables, layout: the form
of files and of judgments. beside, beside-spans: files that say more of judgments, and of those of
spans. limits: what is read. plain-files: without the files beside judgments.
"""
