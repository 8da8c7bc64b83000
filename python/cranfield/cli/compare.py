"""``cranfield compare``: differences between runs, and how sure they are."""

from __future__ import annotations

import math
import os

from cranfield import comparison, findings, inputs
from cranfield._core import Error, __version__
from cranfield.cli import formats, notes, output
from cranfield.cli.arguments import (
    UsageError,
    add_output,
    add_reading,
    add_working,
    at_least,
    limits,
    read_judgments,
)
from cranfield.cli.eval import POLICIES, MeasuresParser, advised
from cranfield.cli.runs import UnusableRunsError, over_runs
from cranfield.evaluator import Evaluator, as_measures
from cranfield.sources import STDIN, readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from typing import Any

    from cranfield._core import Qrels
    from cranfield.comparison import Comparison
    from cranfield.inputs import RunsLike

SUFFIXES = {
    suffix: form
    for suffix, form in formats.SUFFIXES.items()
    if form in ("table", "json", "csv", "tsv", "markdown", "latex")
} | {".html": "html"}
"""The formats that the name of an output file asks for."""

FORMATS = ("table", "json", "csv", "tsv", "markdown", "latex", "html")
"""Every format."""

CHOICES = {
    "test": (comparison.TESTS, "the test of each pair"),
    "correction": (
        comparison.CORRECTIONS,
        "of p-values for the number of comparisons in a measure; none for tukey",
    ),
    "alternative": (
        comparison.ALTERNATIVES,
        "how the run scores, against the other; two-sided for bootstrap and tukey",
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
        "Compares runs with a baseline, or all pairs of runs: differences of means, how sure "
        "they are, and whether the missing judgments could undo them.",
        "examples:\n"
        "  cranfield compare qrels.txt bm25.run dense.run\n"
        "  cranfield compare qrels.txt 'runs/*.gz' --baseline bm25 -m 'nDCG@10 AP'\n"
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
        help="one or several, separated by spaces; may be repeated "
        f"(default: {comparison.DEFAULT_MEASURES})",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="default: by the suffix of --output, else table",
    )
    add_output(parser)
    add_working(parser)
    _add_testing(parser)
    policies = parser.add_argument_group("evaluating", "the first value is the default")
    for name, (values, text) in POLICIES.items():
        policies.add_argument(f"--{name}", choices=values, default=values[0], help=text)
    policies.add_argument(
        "--depth",
        type=at_least("--depth", "depth", 1),
        metavar="N",
        help="only the first N documents count",
    )
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
        # So that a correction that is asked for differs from the one by default.
        default = None if name == "correction" else values[0]
        group.add_argument(f"--{name}", choices=values, default=default, help=text)
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
    draws = " and ".join(f"{name} ({often:,})" for name, often in comparison.RESAMPLES.items())
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
        help="what the draws begin with (default 0)",
    )
    group.add_argument(
        "--no-bounds",
        action="store_true",
        help="do not look how far the missing judgments could move the means",
    )


def run(args: Namespace) -> int:
    """Carries the command out."""
    form = output.form(args.output, args.format, SUFFIXES, "table")
    if [args.qrels, *args.runs].count(STDIN) > 1:
        raise UsageError("standard input can be read only once")
    try:
        found, status = _compared(args)
    except (Error, UnusableRunsError) as error:
        raise advised(error, args) from None
    output.write(args.output, _data(found, form, args.qrels))
    return status


def _compared(args: Namespace) -> tuple[Comparison, int]:
    """The comparison and the exit status; tells what was passed over."""
    if args.all_pairs and args.baseline is not None:
        raise UsageError("--all-pairs is only for a comparison without --baseline")
    runs = len(inputs.as_runs(args.runs))
    if args.baseline is None and runs > comparison.MOST and not args.all_pairs:
        raise UsageError(f"{comparison.too_many(runs)}: name one with --baseline, or --all-pairs")
    qrels = read_judgments(args, args.docs_in_collection)
    options: dict[str, Any] = {name: getattr(args, name) for name in POLICIES} | {
        "depth": args.depth,
        "threads": args.threads,
        "progress": False if args.quiet or args.no_progress else None,
        "lenient": args.lenient,
        "run_layout": args.run_layout,
        "limits": limits(args),
    }

    def compared(runs: RunsLike) -> Comparison:
        return comparison.compare(
            qrels,
            runs,
            args.measures,
            baseline=args.baseline,
            **{name: getattr(args, name) for name in CHOICES},
            alpha=args.alpha,
            level=args.level,
            resamples=args.resamples,
            seed=args.seed,
            bounds=not args.no_bounds,
            all_pairs=args.all_pairs,
            **options,
        )

    def scored(runs: RunsLike) -> object:
        measures = args.measures or comparison.DEFAULT_MEASURES
        return Evaluator(qrels, measures, **options).evaluate(runs)

    found, status = over_runs(args, compared, scored)
    if not args.quiet:
        _tell(found, qrels, args)
    return found, status


def _tell(found: Comparison, qrels: Qrels, args: Namespace) -> None:
    """Writes the notes to standard error."""
    for line in findings.of_all(
        list(found.notes.values()),
        qrels,
        as_measures(args.measures or comparison.DEFAULT_MEASURES),
        missing=args.missing,
        undefined=args.undefined,
        label=args.qrels,
    ):
        notes.say(line)


def _data(found: Comparison, form: str, qrels: str) -> bytes:
    """The comparison in a format."""
    if form == "json":
        return formats.encoded(_json(found))
    if form in ("csv", "tsv"):
        return formats.encoded(_separated(found, "," if form == "csv" else "\t"))
    if form == "html":
        title = os.path.basename(qrels)
        return formats.encoded(formats.page(title, found.html()))
    if form == "table":
        return formats.encoded(f"{found.text()}\n")
    cell = formats.markdown_cell if form == "markdown" else formats.latex_cell
    parts = [formats.tabular(table, form) for table in found.parts()]
    parts += [formats.encoded(f"{cell(sentence)}\n") for sentence in found.sentences()]
    return b"\n".join(parts)


def _json(found: Comparison) -> str:
    import json

    content = {
        "schema_version": formats.SCHEMA_VERSION,
        "cranfield": __version__,
        **found.options,
        "methods": found.methods,
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


def _separated(found: Comparison, delimiter: str) -> str:
    """Every digit; nothing for what is undefined."""
    import csv
    from io import StringIO

    text = StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    columns = found.to_dict()
    writer.writerow(columns)
    writer.writerows(map(_fields, zip(*columns.values(), strict=True)))
    return text.getvalue()


def _fields(values: Sequence[object]) -> list[str]:
    return ["" if value is None else _field(value) for value in values]


def _field(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return str(value)
