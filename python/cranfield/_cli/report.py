"""``cranfield report``: one HTML file about runs."""

from __future__ import annotations

import shlex
import sys

from cranfield import _report as reporting
from cranfield._analysis import compare as comparison
from cranfield._base.text import readable
from cranfield._cli import messages, output
from cranfield._cli.arguments import (
    POLICIES,
    Parser,
    add_evaluating,
    add_functions,
    add_output,
    add_reading,
    add_topic_groups,
    add_working,
    at_least,
    evaluating,
    read_judgments,
)
from cranfield._cli.errors import UnusableRunsError, UsageError
from cranfield._cli.eval import MeasuresParser, advised
from cranfield._cli.runs import over_runs
from cranfield._core import DEFAULT_MEASURES, Error
from cranfield._io.sources import STDIN
from cranfield._measures.parse import as_measures
from cranfield._scores.comparing import HowToTest
from cranfield._scoring import notices
from cranfield._scoring.evaluator import Evaluator
from cranfield._table import writers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from argparse import _ArgumentGroup as ArgumentGroup

    from cranfield._core import Qrels
    from cranfield._io.accepted import RunsLike
    from cranfield._report.results import Results

SUFFIXES = {".html": "html", ".htm": "html"}
"""The suffixes that a file may have."""


def parser() -> MeasuresParser:
    """The arguments of the command."""
    parser = MeasuresParser(
        "cranfield report",
        "Writes one HTML file about runs: who is best and how sure that is, differences to the "
        "baseline, topics down to both lists, effectiveness by depth, how much is judged and what "
        "to judge next, with definitions and methods. It needs no network.",
        "examples:\n"
        "  cranfield report qrels.txt 'runs/*.gz' -o report.html\n"
        "  cranfield report qrels.txt 'runs/*.gz' --baseline bm25 -m 'nDCG@10 AP' -o report.html\n"
        "  cranfield report qrels.txt runs --queries topics.tsv --documents docs.tsv -o a.html",
    )
    parser.add_argument("qrels", metavar="QRELS", help="a file of judgments, or -")
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs="+",
        help="a run file, a quoted pattern, a folder, or -",
    )
    parser.add_argument("--title", metavar="TEXT", type=readable, help="the heading of the report")
    parser.add_argument(
        "--baseline",
        metavar="RUN",
        help="the run that all others are compared with, by name or file (default: the best run)",
    )
    parser.add_argument(
        "-m",
        "--measure",
        dest="measures",
        action="append",
        type=readable,
        metavar="MEASURES",
        help="one or several, separated by spaces; may be repeated; runs are ordered and compared "
        f"by the first (default: {DEFAULT_MEASURES})",
    )
    add_topic_groups(parser, "the differences in each group, too")
    parser.add_argument(
        "--queries",
        metavar="FILE",
        help="what topics ask: TSV (topic, text), JSON Lines, or ir_datasets:NAME",
    )
    parser.add_argument(
        "--documents",
        metavar="FILE",
        help="titles or texts of documents: TSV (document, text), JSON Lines, or ir_datasets:NAME",
    )
    add_functions(parser)
    add_output(parser)
    add_working(parser)
    add_testing(parser)
    policies = add_evaluating(parser, POLICIES)
    policies.add_argument(
        "--docs-in-collection",
        type=at_least("--docs-in-collection", "number of documents", 1),
        metavar="N",
        help="size of the collection; a few measures need it",
    )
    add_reading(parser, layout_of="QRELS", beside=True, several=True)
    return parser


def add_testing(parser: Parser) -> ArgumentGroup:
    """Adds a group with the options about tests of all pairs of runs; returns it."""
    group = parser.add_argument_group("testing", "the first value is the default")
    group.add_argument(
        "--test", choices=comparison.TESTS, default="t", help="the test of each pair of runs"
    )
    group.add_argument(
        "--correction",
        choices=comparison.CORRECTIONS,
        help="of p-values for the number of comparisons; none for the two tukey tests",
    )
    group.add_argument(
        "--alpha",
        type=float,
        metavar="P",
        default=0.05,
        help="below it a corrected p-value is significant (default %(default)s)",
    )
    group.add_argument(
        "--level",
        type=float,
        metavar="P",
        default=0.95,
        help="the confidence of intervals (default %(default)s)",
    )
    group.add_argument(
        "--seed",
        type=at_least("--seed", "seed", 0),
        metavar="N",
        default=0,
        help="the seed of whatever draws (default 0)",
    )
    return group


def run(args: Namespace) -> int:
    """Carries the command out."""
    output.form(args.output, None, SUFFIXES, "html", option="for a report")
    if args.output == output.STDOUT and sys.stdout is not None and sys.stdout.isatty():
        raise UsageError("a report is a page for a browser: name its file, as -o report.html")
    if [args.qrels, *args.runs].count(STDIN) > 1:
        raise UsageError("standard input can be read only once")
    qrels = read_judgments(args, args.docs_in_collection)
    try:
        results, status = _results(args, qrels)
    except (Error, UnusableRunsError) as error:
        raise advised(error, args) from None
    report = reporting.report_of(results, args.title, shlex.join(map(readable, args.words)))
    output.write(args.output, writers.encoded(report.html))
    if not args.quiet:
        _notify(results, qrels, args)
        if args.output != output.STDOUT:
            messages.say(f"wrote {args.output}")
    return status


def _results(args: Namespace, qrels: Qrels) -> tuple[Results, int]:
    """What the report is made of, and the exit status."""
    options = evaluating(args, POLICIES)

    def results_of(runs: RunsLike) -> Results:
        return reporting.results_of(
            qrels,
            runs,
            args.measures,
            baseline=args.baseline,
            topic_groups=args.topic_groups,
            queries=args.queries,
            documents=args.documents,
            testing=HowToTest(args.test, args.correction, args.alpha, level=args.level),
            seed=args.seed,
            options={name: value for name, value in options.items() if value is not None},
        )

    def scored(runs: RunsLike) -> object:
        return Evaluator(qrels, args.measures, **options).evaluate(runs)

    return over_runs(args, results_of, scored)


def _notify(results: Results, qrels: Qrels, args: Namespace) -> None:
    """Writes the notes to standard error."""
    for line in notices.of_all(
        results.scores.core.notes,
        qrels,
        as_measures(args.measures),
        missing=args.missing,
        undefined=args.undefined,
        label=args.qrels,
    ):
        messages.say(line)
