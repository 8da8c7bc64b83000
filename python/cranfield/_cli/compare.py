"""``cranfield compare``: differences between runs, with tests."""

from __future__ import annotations

import math
import os
from dataclasses import fields

from cranfield._analysis import compare as comparison
from cranfield._analysis.compare import HowToTest
from cranfield._base import fitting
from cranfield._base.text import counted, csv_line, escaped, listed, printable, readable
from cranfield._cli import messages, output
from cranfield._cli.arguments import (
    POLICIES,
    add_digits,
    add_evaluating,
    add_functions,
    add_output,
    add_reading,
    add_topic_groups,
    add_working,
    at_least,
    evaluating,
    read_judgments,
    reading_options,
)
from cranfield._cli.errors import UnusableRunsError, UsageError
from cranfield._cli.eval import MeasuresParser, advised
from cranfield._cli.runs import over_runs
from cranfield._core import DEFAULT_COMPARED, Error, __version__
from cranfield._io import accepted
from cranfield._io.sources import STDIN
from cranfield._measures.parse import as_measures
from cranfield._scores import formats
from cranfield._scores.comparison import as_html, as_latex, as_markdown, as_text
from cranfield._scores.groups import members_beside_all, topics_of
from cranfield._scoring import notices
from cranfield._scoring.evaluator import Evaluator
from cranfield._table import latex, writers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Collection, Sequence
    from typing import TypeAlias

    from cranfield._analysis.compare import Comparison, Evaluated
    from cranfield._core import Qrels
    from cranfield._io.accepted import RunsLike

    Blocks: TypeAlias = list[tuple[str, Comparison]]
    """The comparison for each group of topics, and last for all topics."""

SUFFIXES = {
    suffix: form
    for suffix, form in writers.SUFFIXES.items()
    if form in ("table", "json", "csv", "tsv", "markdown", "latex")
} | {".html": "html"}
"""The formats that the name of an output file asks for."""

FORMATS = ("table", "json", "csv", "tsv", "markdown", "latex", "html")
"""Every format."""

CHOICES: dict[str, tuple[Collection[str], str]] = {
    "test": (comparison.TESTS, "the test of each pair"),
    "correction": (
        comparison.CORRECTIONS,
        "of p-values for the number of comparisons in a measure; none for the two tukey tests",
    ),
    "alternative": (
        comparison.ALTERNATIVES,
        "how the run scores, against the other; two-sided for bootstrap and the two tukey tests",
    ),
    "effect": (
        comparison.EFFECTS,
        "effect size: the difference over the standard deviation of differences, of residuals, "
        "of both runs, of the other run",
    ),
}
"""Options of testing: their values, the default first, and what they are."""


def parser() -> MeasuresParser:
    """The arguments of the command."""
    parser = MeasuresParser(
        "cranfield compare",
        "Compares runs with a baseline, or all pairs of runs: differences of means, "
        "their tests, and whether the missing judgments could undo them.",
        "examples:\n"
        "  cranfield compare qrels.txt bm25.run dense.run\n"
        "  cranfield compare qrels.txt 'runs/*.gz' --baseline bm25 -m 'nDCG@10 AP'\n"
        "  cranfield compare qrels.txt 'runs/*.gz' --baseline bm25 --sort difference --top 5\n"
        "  cranfield compare qrels.txt 'runs/*.gz' --test tukey --output pairs.csv",
    )
    parser.add_argument("qrels", metavar="QRELS", help="a file of judgments, or -")
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs="+",
        help="a run file, a quoted pattern, a folder, or -",
    )
    parser.add_argument(
        "--baseline",
        metavar="RUN",
        help="the run that all others are compared with, by name or file (default: all pairs)",
    )
    parser.add_argument(
        "--all-pairs",
        action="store_true",
        help=f"compare all pairs of more than {comparison.MOST} runs",
    )
    parser.add_argument(
        "-m",
        "--measure",
        dest="measures",
        action="append",
        type=readable,
        metavar="MEASURES",
        help=f"one or several, separated by spaces; may be repeated (default: {DEFAULT_COMPARED})",
    )
    parser.add_argument(
        "--sort",
        metavar="KEY",
        type=readable,
        help="mean: the best run first; difference, effect, p: within each measure; or a "
        "measure: the best run in it first (default: mean; in json, csv and tsv as the runs are "
        "given)",
    )
    parser.add_argument(
        "--top",
        type=at_least("--top", "number of runs", 1),
        metavar="N",
        help="show only the best runs, by the measure of --sort or else the first; tests and "
        "corrections stay those of all runs",
    )
    parser.add_argument("--topics", metavar="LIST", help="only these, as 651-700 or 401-425,430")
    add_topic_groups(parser, "the comparison for each group, then for all topics")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="default: by the suffix of --output, else table",
    )
    add_functions(parser)
    add_digits(parser)
    add_output(parser)
    add_working(parser)
    _add_testing(parser)
    policies = add_evaluating(parser, POLICIES)
    policies.add_argument(
        "--docs-in-collection",
        type=at_least("--docs-in-collection", "number of documents", 1),
        metavar="N",
        help="size of the collection; a few measures need it",
    )
    add_reading(parser, layout_of="QRELS", beside=True, several=True)
    return parser


def _add_testing(parser: MeasuresParser) -> None:
    """Adds the options about tests."""
    group = parser.add_argument_group("testing", "the first value is the default")
    for name, (values, text) in CHOICES.items():
        group.add_argument(f"--{name}", choices=values, default=getattr(HowToTest, name), help=text)
    group.add_argument(
        "--alpha",
        type=float,
        metavar="P",
        default=HowToTest.alpha,
        help="below it a corrected p-value is significant (default %(default)s)",
    )
    group.add_argument(
        "--level",
        type=float,
        metavar="P",
        default=HowToTest.level,
        help="the confidence of intervals (default %(default)s)",
    )
    tests = comparison.TESTS.values()
    draws = listed([f"{test.name} ({test.resamples:,})" for test in tests if test.resamples])
    group.add_argument(
        "--resamples",
        type=at_least("--resamples", "number of resamples", 1),
        metavar="N",
        help=f"how often to draw: {draws}",
    )
    group.add_argument(
        "--seed",
        type=at_least("--seed", "seed", 0),
        metavar="N",
        help="the seed of the draws (default 0)",
    )
    group.add_argument(
        "--bounds",
        action="store_true",
        help="say of each difference whether the missing judgments could undo it, also where "
        "that may be so of all",
    )
    group.add_argument(
        "--no-bounds",
        action="store_true",
        help="do not compute how far the missing judgments could move the means",
    )


def run(args: Namespace) -> int:
    """Carries the command out."""
    form = output.form(args.output, args.format, SUFFIXES, "table")
    if [args.qrels, *args.runs].count(STDIN) > 1:
        raise UsageError("standard input can be read only once")
    if args.bounds and args.no_bounds:
        raise UsageError("--bounds and --no-bounds are opposites: leave one out")
    try:
        blocks, status = _compared(args)
    except (Error, UnusableRunsError) as error:
        raise advised(error, args) from None
    data = _data(blocks, form, args)
    if form == "html":
        output.page(args.output, os.path.basename(args.qrels), "Comparison", data)
    else:
        output.write(args.output, data)
    return status


def _compared(args: Namespace) -> tuple[Blocks, int]:
    """The comparisons and the exit status; reports what was passed over."""
    if args.all_pairs and args.baseline is not None:
        raise UsageError("--all-pairs is only for a comparison without --baseline")
    runs = len(accepted.as_runs(args.runs, reading_options(args)))
    few = args.baseline is None and args.top is not None and args.top <= comparison.MOST
    if args.baseline is None and runs > comparison.MOST and not (args.all_pairs or few):
        raise UsageError(f"{comparison.too_many(runs)}: name one with --baseline, or --all-pairs")
    qrels = read_judgments(args, args.docs_in_collection)
    options = evaluating(args, POLICIES)
    how = HowToTest(**{field.name: getattr(args, field.name) for field in fields(HowToTest)})

    sized = None
    if args.topics is not None and args.docs_in_collection is not None:
        # A topic that is left out may show more documents than that.
        sized = topics_of(args.topics, qrels.topics)

    def evaluated(runs: RunsLike) -> Evaluated:
        return comparison.evaluated(
            qrels,
            runs,
            args.measures,
            how,
            baseline=args.baseline,
            bounds=not args.no_bounds,
            all_pairs=args.all_pairs or few,
            options=options,
            topics=sized,
        )

    def scored(runs: RunsLike) -> object:
        measures = args.measures or DEFAULT_COMPARED
        evaluator = Evaluator(qrels, measures, **options)
        if sized is not None:
            evaluator._only(sized)
        return evaluator.evaluate(runs)

    found, status = over_runs(args, evaluated, scored)
    every: Sequence[str] = found.scores.topics
    topics = every if args.topics is None else topics_of(args.topics, every)
    groups = members_beside_all(args.topic_groups, every, topics)
    blocks = [(group, _arranged(found.compared(own), args)) for group, own in groups.items()]
    blocks.append((formats.ALL, _arranged(found.compared(topics), args)))
    if not args.quiet:
        _notify(blocks[-1][1], qrels, args)
    return blocks, status


def _arranged(found: Comparison, args: Namespace) -> Comparison:
    """The comparison with the rows and in the order that the options ask for."""
    by = None if args.sort in ORDERS else args.sort
    if args.top is not None:
        found = found.top(args.top, by)
    return found if args.sort is None else found.sort(args.sort)


ORDERS = ("mean", "difference", "effect", "p")
"""What rows are sorted by, beside measures."""


def _notify(found: Comparison, qrels: Qrels, args: Namespace) -> None:
    """Writes the notes to standard error."""
    for line in notices.of_all(
        list(found.notes.values()),
        qrels,
        as_measures(args.measures or DEFAULT_COMPARED),
        missing=args.missing,
        undefined=args.undefined,
        label=args.qrels,
    ):
        messages.say(line)


def _data(blocks: Blocks, form: str, args: Namespace) -> bytes:
    """The comparisons in a format."""
    if form in ("json", "csv", "tsv"):
        if args.digits is not None:
            blocks = [(group, found.rounded(args.digits)) for group, found in blocks]
        delimiter = "," if form == "csv" else "\t"
        return writers.encoded(_json(blocks) if form == "json" else _separated(blocks, delimiter))
    how = {"bounds": args.bounds, "digits": args.digits}
    texts = []
    for group, found in blocks:
        heading = _heading(group, found) if len(blocks) > 1 else ""
        if form == "html":
            above = f"<h2>{escaped(heading)}</h2>\n" if heading else ""
            texts.append(above + as_html(found, **how))
        elif form == "table":
            width = output.width(args.output)
            above = f"{fitting.sentence(printable(heading), width)}\n\n" if heading else ""
            texts.append(f"{above}{as_text(found, width=width, **how)}\n")
        elif form == "markdown":
            texts.append(as_markdown(found, heading=heading, **how))
        else:
            label = f"tab:compare-{latex.slug(group)}" if heading else "tab:compare"
            texts.append(as_latex(found, heading=heading, label=label, **how))
    body = "\n".join(texts)
    return writers.encoded(body)


def _heading(group: str, found: Comparison) -> str:
    """What a group's comparison stands under."""
    topics = {row.topics for row in found.rows}
    number = f" ({counted(max(topics), 'topic')})" if topics else ""
    return f"All topics{number}" if group == formats.ALL else f"Group {group}{number}"


def _json(blocks: Blocks) -> str:
    import json

    found = blocks[-1][1]
    groups = [
        {
            "group": group,
            "methods": own.methods,
            "comparisons": [comparison.as_columns(row) for row in own.rows],
        }
        for group, own in blocks[:-1]
    ]
    content = {
        "schema_version": writers.SCHEMA_VERSION,
        "cranfield": __version__,
        **found.options,
        "methods": found.methods,
        **({"groups": groups} if groups else {}),
        "comparisons": [comparison.as_columns(row) for row in found.rows],
        "runs": [
            {
                "run": run,
                "tag": found.notes[run].tag,
                "notes": formats.passed_over(found.notes[run]),
            }
            for run in found.runs
        ],
    }
    return json.dumps(content, ensure_ascii=False) + "\n"


def _separated(blocks: Blocks, delimiter: str) -> str:
    """Every digit; nothing for what is undefined."""
    lines = []
    headed = len(blocks) > 1
    for group, found in blocks:
        columns = found.to_dict()
        if group == blocks[0][0]:
            names = [*(["group"] if headed else []), *columns]
            lines.append(csv_line(names, delimiter))
        for row in zip(*columns.values(), strict=True):
            cells = [*([group] if headed else []), *_fields(row)]
            lines.append(csv_line(cells, delimiter))
    return "".join(lines)


def _fields(values: Sequence[object]) -> list[str]:
    return ["" if value is None else _field(value) for value in values]


def _field(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return str(value)
