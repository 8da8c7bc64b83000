"""The options that several commands take, each declared once."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Iterator, Mapping

from cranfield._base.options import EVALUATING
from cranfield._base.text import DIGITS, MOST_DIGITS, printable, readable
from cranfield._cli.parser import (
    BOUNDS,
    EVALUATE,
    MAIN,
    READING,
    SURE,
    TESTING,
    Option,
    Parser,
    at_least,
    choice,
    depths,
    finite,
    flag,
    flag_of,
    in_group,
    integer,
    number_in,
    option,
    repeated,
)
from cranfield._core import QRELS_LAYOUTS, Error, Limits
from cranfield._io.columns import SPAN_LAYOUTS, as_columns
from cranfield._stats.registry import CORRECTIONS, TESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def command(
    name: str, doc: str | None, *options: str | Option, defaults: Mapping[str, Any] | None = None
) -> Parser:
    """The parser of a command; ``options`` are the names of shared ones, and others.

    ``doc`` is the docstring of its module: below the summary a paragraph on what it does, and
    then sections that are printed as they are. ``defaults`` are those that differ.
    """
    # Python removes docstrings if it is told to: then commands work without these texts.
    _, description, sections = f"{doc or ''}\n\n\n\n".split("\n\n", 2)
    named = (SHARED[own] if isinstance(own, str) else own for own in options)
    description = description.replace("\n", " ")
    parser = Parser(f"cranfield {name}", description, sections.strip("\n"), *named)
    parser.set_defaults(**(defaults or {}))
    return parser


def changed(
    key: str, about: str | None = None, *, group: str | None = None, **settings: Any
) -> Option:
    """A shared option with other settings."""
    shared = SHARED[key]
    own = settings if about is None else {"help": about, **settings}
    return Option(shared.names, group or shared.group, {**shared.settings, **own})


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
        yield from in_group(
            groups.get(about["stage"], EVALUATE),
            _evaluating_option(name, about),
        )


def _evaluating_option(name: str, described: Mapping[str, Any]) -> Option:
    """An evaluating option, as the core describes it."""
    takes, about, key, name = described["takes"], described["summary"], name, flag_of(name)
    if takes == "flag":
        return flag(name, about)
    if takes == "columns":
        return option(f"{name} KIND=COLUMN,...", about, type=_columns)
    if takes == "count":
        return integer(
            name, described["counted"], about, note=f" (default: {described['otherwise']})"
        )
    words = described["words"]
    default = None if key == "run_layout" else words[0]
    return choice(name, words, about, default=default, dest=key)


def _bytes(name: str, about: str, default: int) -> Option:
    """A number of bytes with the default that its help names."""
    text = f"{about} (default {size(default)})"
    return integer(name, "number of bytes", text, metavar="BYTES", default=default)


_DEFAULTS = Limits()
_TEXTS = "TSV ({}, text), JSON Lines, or ir_datasets:NAME"

_SHARED = (
    *_evaluating(),
    *in_group(
        MAIN,
        option("qrels QRELS", "a file of judgments, or -"),
        option("runs RUN", "a run file, a quoted pattern, a folder, or -", nargs="+"),
        option(
            "-m, --measure MEASURES",
            "one or several, separated by spaces; may be repeated",
            dest="measures",
            action="append",
            type=readable,
        ),
        repeated(
            "--measures-from FILE",
            "a Python file to run that defines measures with @cranfield.measure; name them like "
            "any other",
            type=os.path.expanduser,
        ),
        flag("--per-topic", "add a row for each topic"),
        option("--format", about="default: by the suffix of --output, else table"),
        option(
            "-o, --output FILE",
            "file to write; it appears only when complete",
            type=os.path.expanduser,
            default="-",
        ),
        option(
            "--sort MEASURE",
            "sort by this measure, best run first; highest first if neither direction is better "
            "(default in printed tables: the first measure)",
            type=readable,
        ),
        integer("--top", "number of runs"),
        option(
            "--digits N",
            "decimals of scores and differences "
            f"(default {DIGITS}; machine-readable formats print every digit)",
            type=_digits,
        ),
        option("--baseline RUN", "the run to compare all others with, by name or file"),
        option("--title TEXT", "the heading of the page", type=readable),
        option("--queries FILE", f"texts of topics: {_TEXTS.format('topic')}"),
        option("--documents FILE", f"titles or texts of documents: {_TEXTS.format('document')}"),
        option("--groups FILE", "a file of lines `run group`"),
        option("--depths N,N,...", type=depths("--depths")),
        option("--rel GRADE", "the lowest relevant grade", type=finite),
        option("--topics LIST", "only these, such as 651-700 or 401-425,430"),
        option(
            "--topic-groups FILE",
            "a file of lines `topic group`; a topic may be in several groups",
            type=os.path.expanduser,
        ),
        flag("--no-progress", "no progress bar"),
        flag("--quiet", "no progress bar and no notes on stderr"),
        flag(
            "--keep-going",
            "skip runs that cannot be used instead of stopping; they are listed, and the exit "
            "status is 2",
        ),
    ),
    *in_group(
        SURE,
        option(
            "--level P", "confidence level of intervals (default 0.95)", type=float, default=0.95
        ),
        integer("--seed", "seed", "random seed (default 0)", least=0),
        integer("--resamples", "number of resamples"),
    ),
    *in_group(
        TESTING,
        choice("--test", TESTS, "significance test for each pair of runs"),
        choice(
            "--correction",
            CORRECTIONS,
            "correction of p-values for multiple comparisons; none for the two Tukey tests",
        ),
        option("--alpha P", "significance level for corrected p-values (default 0.05)", type=float),
    ),
    *in_group(
        EVALUATE,
        integer(
            "--docs-in-collection",
            "number of documents",
            "number of documents in the collection; a few measures need it",
        ),
    ),
    *in_group(
        BOUNDS,
        flag("--bounds"),
        option(
            "--max-grade GRADE",
            "the highest grade that an unjudged document could get",
            type=float,
        ),
        integer(
            "--max-assignments",
            "number of assignments",
            "most assignments of judgments to try per topic, where no faster method is known",
        ),
    ),
    *in_group(
        READING,
        choice(
            "--layout",
            (*QRELS_LAYOUTS, *SPAN_LAYOUTS),
            "format of judgment files (default: detected from the first line); name intents "
            "explicitly: topic intent document grade; spans are a table with topic, doc, start, "
            "end and perhaps grade and group, and then the runs are of chunks; chroma, genomics, "
            "inex and kilt are other forms of spans",
        ),
        option(
            "--levels NAME=GRADE,...",
            "grades of levels not named L0, L1, ..., such as S=3,A=2,B=1 in older NTCIR judgments",
            type=_levels,
        ),
        option(
            "--intents FILE",
            "intent probabilities, with --layout intents: topic intent probability, plus nav for "
            "navigational intents",
        ),
        option(
            "--classes FILE",
            "equivalence classes of documents, for EC-: topic document [level] class",
        ),
        option(
            "--chunks FILE",
            "where the chunks are that runs name by ids, with --layout spans: a table with chunk, "
            "doc, start, end and perhaps tokens",
        ),
        option(
            "--texts FILE",
            "texts of documents, with --layout spans: JSON Lines with doc and text, or a folder of "
            "files; offsets are checked against them",
        ),
        option(
            "--costs FILE",
            "reading costs of documents, for user models and @cost=: topic document cost",
        ),
        option(
            "--lengths FILE",
            "lengths of documents, judged or not, for @tokens= or @chars=: document length",
        ),
        integer(
            "--max-ratio",
            "ratio",
            "largest allowed decompression ratio (default %(default)s)",
            default=_DEFAULTS.decompression_ratio,
        ),
        _bytes(
            "--max-unpacked",
            "largest allowed size of a decompressed file",
            _DEFAULTS.decompressed_bytes,
        ),
        _bytes(
            "--max-unpacked-call",
            "largest allowed size of all decompressed runs together",
            _DEFAULTS.decompressed_call_bytes,
        ),
        _bytes("--max-line", "longest allowed line", _DEFAULTS.line_bytes),
    ),
)

SHARED = {shared.key: shared for shared in _SHARED}
"""The options that several commands take, by name."""

POLICIES = tuple(
    flag_of(name)
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

BESIDE = ("--intents", "--classes", "--costs", "--lengths")
"""Files that say more of judgments."""

BESIDE_SPANS = ("--chunks", "--texts")
"""The same of judgments of spans."""

LIMITS = ("--lenient", "--max-ratio", "--max-unpacked", "--max-unpacked-call", "--max-line")
"""About what is read."""

FILES = (*TABLES, *LAYOUT, *BESIDE, *LIMITS)
"""About all files of judgments and runs."""


PLAIN_FILES = (*TABLES, *LAYOUT, *LIMITS)
"""The same without the files beside judgments."""
