"""``cranfield study``: a named study of measures, pools and runs, as a folder."""

from __future__ import annotations

import argparse
import math
import os
import shlex

from cranfield._base.errors import received_by
from cranfield._base.text import counted
from cranfield._cli import messages
from cranfield._cli.arguments import (
    Parser,
    add_evaluating,
    add_functions,
    add_reading,
    add_topic_groups,
    add_working,
    at_least,
    evaluating,
    read_grades,
)
from cranfield._cli.errors import UsageError
from cranfield._io.sources import STDIN
from cranfield._stats.registry import CORRECTIONS, TESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from cranfield._study.definition import Outcome

READING = ("order", "scores", "duplicates")
"""The options of evaluating that a study passes on."""


class Remembering(Parser):
    """A parser that keeps the words it was given, for the page."""

    def parsed(self, words: Sequence[str]) -> argparse.Namespace:
        """The arguments, with ``words``."""
        args = super().parsed(words)
        args.words = list(words)
        return args


def parser() -> Parser:
    """The arguments of the command."""
    from cranfield._study.definition import STUDIES

    studies = "\n".join(f"  {name:<15}{text}" for name, text in STUDIES.items())
    parser = Remembering(
        "cranfield study",
        "Carries out a named study and writes a folder: tables (CSV, LaTeX), figures (SVG, PDF), "
        "the data of the figures, and index.html that shows all of it. The same command again "
        "goes on where it was interrupted. Figures need matplotlib: pip install "
        "'cranfield[plot]'.",
        f"studies:\n{studies}\n\n"
        "examples:\n"
        "  cranfield study depth qrels.txt 'runs/*.gz' --output depth\n"
        "  cranfield study incompleteness qrels.txt runs/ --top 30 --by AP --output missing\n"
        "  cranfield study significance qrels.txt runs/ --measures 'AP nDCG@10' --drop-worst 0.25 "
        "--output pairs\n"
        "  cranfield study depth qrels.txt runs/ --topics 651-700 --output new-topics\n"
        "  cranfield study agreement qrels.txt --second other.txt --output judges\n"
        "  cranfield study significance collections.toml --output collections",
    )
    parser.add_argument("name", metavar="NAME", help="the study, see below")
    parser.add_argument(
        "qrels",
        metavar="QRELS",
        help="a file of judgments; or a .toml file that names several collections: the study of "
        "each, and its tables with a column for each collection",
    )
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs="*",
        help="a run file, a quoted pattern, or a folder; agreement needs none",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        type=os.path.expanduser,
        required=True,
        help="a new or empty folder, or that of the same study",
    )
    group = parser.add_argument_group("which runs, topics and grades")
    group.add_argument(
        "--top",
        type=at_least("--top", "number of runs", 2),
        metavar="N",
        help="only the best runs by --by; the highest, if neither end of it is better",
    )
    group.add_argument(
        "--drop-worst", type=_share, metavar="SHARE", help="without this share of the runs"
    )
    group.add_argument("--by", default="AP", metavar="MEASURE", help="default AP")
    group.add_argument("--topics", metavar="LIST", help="such as 651-700 or 401-425,430")
    add_topic_groups(group, "the study of each, and its tables with a column for each group")
    group.add_argument(
        "--rel",
        type=_number,
        metavar="GRADE",
        help="the lowest relevant grade of measures that do not name one (default 1); of all "
        "measures in the study of depth",
    )
    group = parser.add_argument_group("options of studies (one that does not apply is an error)")
    group.add_argument("--measures", type=str.split, metavar="LIST", help="measures to look at")
    group.add_argument("--rates", type=_shares, metavar="X,X,...", help="shares that stay")
    group.add_argument(
        "--sample-rates", type=_shares, metavar="X,X,...", help="shares of a random sample"
    )
    group.add_argument(
        "--samples",
        type=at_least("--samples", "number of samples", 1),
        metavar="N",
        help="how often judgments or documents are drawn",
    )
    group.add_argument(
        "--seed",
        type=at_least("--seed", "seed", 0),
        metavar="N",
        help="the seed of the random draws",
    )
    group.add_argument("--alpha", type=_alpha, metavar="X", help="level of significance")
    group.add_argument("--test", choices=TESTS, help="the test of pairs of runs")
    group.add_argument(
        "--correction",
        choices=[name for name in CORRECTIONS if name != "none"],
        help="for the number of pairs",
    )
    for flag, text in (("--pool-depths", "depths of pools"), ("--depths", "depths of evaluation")):
        group.add_argument(flag, type=_numbers(flag), metavar="N,N,...", help=text)
    group.add_argument(
        "--pool-depth",
        type=at_least("--pool-depth", "depth", 1),
        metavar="N",
        help="how deep lists were pooled",
    )
    group.add_argument(
        "--pool-runs",
        metavar="FILE",
        type=os.path.expanduser,
        help="the runs that pools are made of, if not all: a name or a tag on each line",
    )
    group.add_argument(
        "--graded",
        action="store_true",
        default=None,
        help="keep grades in the study of depth, which folds them to relevant or not",
    )
    group.add_argument("--groups", metavar="FILE", help="lines of a run and its group")
    group.add_argument("--topic", metavar="TOPIC", help="the topic of a curve")
    group.add_argument("--run", metavar="NAME", help="the run of a curve")
    group.add_argument(
        "--docs-in-collection",
        type=at_least("--docs-in-collection", "number of documents", 1),
        metavar="N",
        help="how many documents there are, for ROC curves",
    )
    group.add_argument(
        "--second",
        metavar="QRELS",
        action="append",
        help="the judgments of a second judge; again for a third, and so on",
    )
    add_evaluating(parser, READING)
    add_functions(parser)
    add_working(parser)
    add_reading(parser, layout_of="QRELS")
    return parser


OPTIONS = (
    *(
        "measures",
        "rates",
        "sample_rates",
        "samples",
        "seed",
        "alpha",
        "test",
        "correction",
        "pool_depths",
    ),
    *("depths", "pool_depth", "pool_runs", "graded", "groups", "topic", "run", "second"),
    "docs_in_collection",
)
"""The options that go to the study, where they are given."""


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"invalid number: {text!r}") from None
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"invalid number: {text!r}")
    return value


def _share(text: str) -> float:
    value = _number(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"expected a share from 0 to below 1, found {text}")
    return value


def _alpha(text: str) -> float:
    value = _number(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"expected a number above 0 and below 1, found {text}")
    return value


def _shares(text: str) -> list[float]:
    values = [_number(word) for word in text.replace(",", " ").split()]
    if not values or not all(0 < value <= 1 for value in values):
        raise argparse.ArgumentTypeError(f"expected shares above 0 and up to 1, found {text!r}")
    return sorted(set(values))


def _numbers(flag: str) -> Callable[[str], list[int]]:
    """The reader of the depths that a flag takes."""

    def read(text: str) -> list[int]:
        words = text.replace(",", " ").split()
        if not words:
            raise argparse.ArgumentTypeError("expected at least one number, found none")
        return sorted(set(map(at_least(flag, "depth", 1), words)))

    return read


def run(args: Namespace) -> int:
    """Carries the command out."""
    from cranfield._study.definition import known
    from cranfield.study import Choice

    study = known(args.name)
    if STDIN in (args.qrels, *args.runs):
        raise UsageError("a study reads files: standard input is read only once")
    collections_given = args.qrels.lower().endswith(".toml")
    if not args.runs and not collections_given and study.runs:
        raise UsageError("the following arguments are required: RUN")
    if collections_given and not args.runs and args.topic_groups is not None:
        raise UsageError("--topic-groups is about one collection: name QRELS and RUN")
    options = {name: getattr(args, name) for name in OPTIONS if getattr(args, name) is not None}
    taken = study.options
    for option in options:
        if option not in taken:
            flags = " ".join(f"--{name.replace('_', '-')}" for name in taken) or "none"
            flag = option.replace("_", "-")
            raise UsageError(f"the study {args.name} takes no --{flag}; it takes: {flags}")
    reading = evaluating(args, READING)
    threads, progress = reading.pop("threads"), reading.pop("progress")
    more: dict[str, Any] = {
        "choice": Choice(args.by, args.top, args.drop_worst, args.topics),
        "threads": threads,
        "progress": progress,
        "reading": reading,
        "rel": args.rel,
        "command": _command(args),
        **options,
    }
    say = (lambda line: None) if args.quiet else messages.say
    try:
        outcome = _done(args, more, say, collections_given=collections_given)
    except KeyboardInterrupt:
        if os.path.isdir(args.output):
            say(f"interrupted; the same command goes on with what is not yet in {args.output}")
        else:
            say("interrupted before anything was written")
        raise
    if not args.quiet:
        if outcome.kept:
            messages.say(f"{counted(len(outcome.kept), 'part')} finished before: kept")
        if not outcome.drawn:
            messages.say("no figures without matplotlib: pip install 'cranfield[plot]'")
        messages.say(f"wrote {outcome.page}")
    return 0


def _done(
    args: Namespace,
    more: Mapping[str, Any],
    say: Callable[[str], None],
    *,
    collections_given: bool,
) -> Outcome:
    """What the study found, of one collection or of each of several."""
    from cranfield._study import runner

    with received_by(lambda lines: list(map(say, lines))):
        if args.runs or not collections_given:
            runs = args.runs or None
            groups = args.topic_groups
            return runner.run(
                args.name, read_grades(args), runs, args.output, topic_groups=groups, **more
            )
        from cranfield._scoring.collections import Collections

        collections = Collections.read(args.qrels)
        return runner.run_collections(args.name, collections, args.output, **more)


def _command(args: Namespace) -> str:
    """The command line that makes the same folder."""
    return shlex.join(["cranfield", "study", *args.words])
