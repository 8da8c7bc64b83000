"""``cranfield judges``: two sets of judgments on the same runs."""

from __future__ import annotations

import os
import shlex

from cranfield import judges
from cranfield._base.errors import received_by
from cranfield._base.text import readable
from cranfield._cli import messages, output
from cranfield._cli.arguments import (
    POLICIES,
    Parser,
    add_digits,
    add_evaluating,
    add_functions,
    add_output,
    add_reading,
    add_working,
    at_least,
    evaluating,
    limits,
)
from cranfield._cli.errors import UnusableRunsError, UsageError
from cranfield._cli.report import add_testing
from cranfield._cli.runs import over_runs
from cranfield._core import DEFAULT_COMPARED, Error, __version__
from cranfield._io import accepted
from cranfield._io.sources import STDIN
from cranfield._scores.groups import read_run_groups
from cranfield._scoring.evaluator import Evaluator
from cranfield._table import writers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from cranfield._core import Qrels
    from cranfield._io.accepted import RunsLike

SUFFIXES = {".html": "html", ".htm": "html", ".json": "json", ".txt": "table"}
"""The formats that the name of an output file asks for."""

FORMATS = ("table", "html", "json")
"""Every format."""


def parser() -> Parser:
    """The arguments of the command."""
    parser = Parser(
        "cranfield judges",
        "Compares two sets of judgments on the same runs, such as those of a person and of a "
        "model: agreement on documents, on the order of runs and on what differs significantly, "
        "and which runs the second judge favours. If that has more topics, means over all of them "
        "are estimated from both, which needs gold topics that are a random draw.",
        "examples:\n"
        "  cranfield judges gold.qrels model.qrels 'runs/*.gz'\n"
        "  cranfield judges gold.qrels model.qrels 'runs/*.gz' -o judges.html\n"
        "  cranfield judges gold.qrels model.qrels runs --groups families.txt -m 'nDCG@10 AP'",
    )
    parser.add_argument("gold", metavar="GOLD", help="the judgments that are trusted")
    parser.add_argument("other", metavar="OTHER", help="the judgments that are asked about")
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", help="a run file, a quoted pattern, or a folder"
    )
    parser.add_argument(
        "-m",
        "--measure",
        dest="measures",
        action="append",
        type=readable,
        metavar="MEASURES",
        help="one or several, separated by spaces; may be repeated; favours are in the first "
        f"(default: {DEFAULT_COMPARED})",
    )
    parser.add_argument(
        "--groups",
        metavar="FILE",
        help="lines of a run and its group, such as the model that it was made with: does the "
        "second judge favour a group?",
    )
    parser.add_argument(
        "--top",
        type=at_least("--top", "number of runs", 2),
        metavar="N",
        default=10,
        help="how many of the best runs under gold to look at more closely (default %(default)s)",
    )
    parser.add_argument(
        "--marginals",
        choices=("separate", "pooled", "uniform"),
        default="separate",
        help="what kappas take for chance: the grades of each judge, of both together, or all "
        "grades as equally likely, one half of relevant or not (default %(default)s)",
    )
    parser.add_argument("--per-topic", action="store_true", help="the agreement on each topic, too")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="default: by the suffix of --output, else table; html is a page that needs no network",
    )
    parser.add_argument("--title", metavar="TEXT", type=readable, help="the heading of the page")
    add_functions(parser)
    add_digits(parser)
    add_output(parser)
    add_working(parser)
    parser.add_argument("--version", action="version", version=f"cranfield {__version__}")
    group = add_testing(parser)
    group.add_argument(
        "--resamples",
        type=at_least("--resamples", "number of resamples", 1),
        metavar="N",
        default=1000,
        help="how often topics are resampled for the interval of tau (default %(default)s)",
    )
    add_evaluating(parser, POLICIES)
    add_reading(parser, layout_of="GOLD and OTHER", several=True)
    return parser


def run(args: Namespace) -> int:
    """Carries the command out."""
    form = output.form(args.output, args.format, SUFFIXES, "table")
    if STDIN in (args.gold, args.other, *args.runs):
        raise UsageError("runs are scored under both judges: standard input is read only once")
    groups = None if args.groups is None else read_run_groups(args.groups)
    options = evaluating(args, POLICIES)
    gold, other = (_judgments(path, args) for path in (args.gold, args.other))

    def compared(runs: RunsLike) -> judges.Judges:
        return judges.compare(
            gold,
            other,
            runs,
            args.measures,
            groups=groups,
            top=args.top,
            marginals=args.marginals,
            test=args.test,
            correction=args.correction,
            alpha=args.alpha,
            level=args.level,
            resamples=args.resamples,
            seed=args.seed,
            **options,
        )

    def scored(runs: RunsLike) -> object:
        return Evaluator(gold, args.measures or DEFAULT_COMPARED, **options).evaluate(runs)

    lines: list[str] = []
    try:
        with received_by(lines.extend):
            found, status = over_runs(args, compared, scored)
    except (Error, UnusableRunsError) as error:
        from cranfield._cli.eval import quoting

        advice = quoting(args.measures, args.runs)
        missing = isinstance(error, Error) and error.kind == "missing"
        raise (UsageError(f"{error}{advice}") if missing and advice else error) from None
    output.write(args.output, _data(found, form, args))
    if not args.quiet:
        for line in dict.fromkeys(lines):
            messages.say(line)
        if args.output != output.STDOUT:
            messages.say(f"wrote {args.output}")
    return status


def _judgments(path: str, args: Namespace) -> Qrels:
    """Judgments, as the options say."""
    return accepted.as_qrels(
        path, layout=args.layout, levels=args.levels, lenient=args.lenient, limits=limits(args)
    )


def _data(found: judges.Judges, form: str, args: Namespace) -> bytes:
    """The comparison in a format."""
    if form == "html":
        title = args.title or f"{os.path.basename(args.gold)} and {os.path.basename(args.other)}"
        command = shlex.join(map(readable, args.words))
        return writers.encoded(found.html(title, command=command))
    if form == "json":
        import json

        content = {
            "schema_version": writers.SCHEMA_VERSION,
            "cranfield": __version__,
            **found.to_dict(),
        }
        return writers.encoded(json.dumps(content, ensure_ascii=False) + "\n")
    text = found.text(digits=args.digits, per_topic=args.per_topic, width=output.width(args.output))
    return writers.encoded(f"{text}\n")
