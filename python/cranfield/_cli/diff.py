"""``cranfield diff``: where two runs differ, and because of which documents."""

from __future__ import annotations

import json
import math

from cranfield._analysis import diff as difference
from cranfield._analysis import diff_result as shown
from cranfield._base.text import csv_line, readable, rounded
from cranfield._cli import messages, output
from cranfield._cli.arguments import (
    POLICIES,
    Parser,
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
)
from cranfield._cli.errors import UsageError
from cranfield._core import __version__
from cranfield._io.sources import STDIN
from cranfield._measures.parse import as_measures
from cranfield._scores.groups import ALL
from cranfield._scores.records import GROUPED
from cranfield._scoring import notices
from cranfield._table import writers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from cranfield._analysis.diff import Diff
    from cranfield._core import Qrels

FORMATS = ("table", "json", "csv", "tsv", "html")
"""Every format."""

SUFFIXES = {
    suffix: form
    for suffix, form in writers.SUFFIXES.items()
    if form in ("table", "json", "csv", "tsv")
} | {".html": "html"}
"""The formats that the name of an output file asks for."""


def parser() -> Parser:
    """The arguments of the command."""
    parser = Parser(
        "cranfield diff",
        "Shows what changes from run A to run B in one measure: by topic, by document, and what "
        "the missing judgments could do to the difference. A difference is B's value less A's.",
        "examples:\n"
        "  cranfield diff qrels.txt bm25.run dense.run -m nDCG@10\n"
        "  cranfield diff qrels.txt bm25.run dense.run -m AP --topics '401 402' --length 20\n"
        "  cranfield diff qrels.txt bm25.run dense.run -m AP --documents docs.tsv -o diff.html",
    )
    parser.add_argument("qrels", metavar="QRELS", help="a file of judgments, or -")
    parser.add_argument("a", metavar="A", help="the first run: a file, or -")
    parser.add_argument("b", metavar="B", help="the second run")
    parser.add_argument(
        "-m",
        "--measure",
        dest="measures",
        required=True,
        type=readable,
        metavar="MEASURE",
        help="one measure",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="default: by the suffix of --output, else table; csv and tsv have a row for each "
        "topic and document",
    )
    parser.add_argument(
        "--details",
        type=at_least("--details", "number of topics", 0),
        metavar="N",
        help=f"how many topics to show down to documents, those of the largest difference first "
        f"(default {shown.DETAILS} in a table, all in html)",
    )
    parser.add_argument(
        "--topics",
        action="append",
        type=readable,
        metavar="TOPICS",
        help="which topics to show down to documents; separated by spaces, may be repeated",
    )
    add_topic_groups(parser, "a table of the groups, too")
    parser.add_argument(
        "--length",
        type=at_least("--length", "number of documents", 1),
        metavar="N",
        default=shown.LENGTH,
        help="how many documents of each list to show (default %(default)s)",
    )
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
    add_digits(parser)
    add_output(parser)
    add_working(parser)
    policies = add_evaluating(parser, POLICIES)
    policies.add_argument(
        "--max-grade",
        type=float,
        metavar="GRADE",
        help="the highest grade that an unjudged document can get (default: the highest of the "
        "judgments, at least 1)",
    )
    policies.add_argument(
        "--max-assignments",
        type=at_least("--max-assignments", "number of assignments", 1),
        metavar="N",
        default=difference.MAX_ASSIGNMENTS,
        help="how many ways to judge a topic are tried where bounds have no shorter way (default "
        "%(default)s)",
    )
    policies.add_argument(
        "--docs-in-collection",
        type=at_least("--docs-in-collection", "docs_in_collection", 1),
        metavar="N",
        help="size of the collection; a few measures need it",
    )
    add_reading(parser, layout_of="QRELS", beside=True)
    return parser


def run(args: Namespace) -> int:
    """Carries the command out."""
    form = output.form(args.output, args.format, SUFFIXES, "table")
    if [args.qrels, args.a, args.b].count(STDIN) > 1:
        raise UsageError("standard input can be read only once")
    qrels = read_judgments(args, args.docs_in_collection)
    found = _found(args, qrels)
    if not args.quiet:
        _notify(found, qrels, args)
    output.write(args.output, writers.encoded(_data(found, form, args)))
    return 0


def _found(args: Namespace, qrels: Qrels) -> Diff:
    """The difference."""
    return difference.diff(
        qrels,
        args.a,
        args.b,
        args.measures,
        queries=args.queries,
        documents=args.documents,
        max_grade=args.max_grade,
        max_assignments=args.max_assignments,
        topic_groups=args.topic_groups,
        **evaluating(args, POLICIES),
    )


def _notify(found: Diff, qrels: Qrels, args: Namespace) -> None:
    """Writes the notes to standard error."""
    for line in notices.of_all(
        list(found.notes.values()),
        qrels,
        as_measures(args.measures),
        missing=args.missing,
        undefined=args.undefined,
        label=args.qrels,
    ):
        messages.say(line)


def _data(found: Diff, form: str, args: Namespace) -> str:
    """The difference in a format."""
    topics = " ".join(args.topics or []).split()
    for topic in topics:
        # Raises for one that is not there, in every format.
        _ = found[topic]
    if form == "json":
        content = {"schema_version": writers.SCHEMA_VERSION, "cranfield": __version__}
        content |= _short(found.to_dict(), args.digits)
        return json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"
    if form in ("csv", "tsv"):
        return _separated(found, "," if form == "csv" else "\t", topics, args.digits)
    how: dict[str, Any] = {"topics": topics, "length": args.length, "digits": args.digits}
    if form == "html":
        from cranfield._analysis import diff_page as pair

        details = -1 if args.details is None else args.details
        if args.digits is not None:
            raise UsageError("--digits is for table, json, csv and tsv: a page has four decimals")
        return _in_flags(pair.html(found, details=details, topics=topics, length=args.length))
    details = shown.DETAILS if args.details is None else args.details
    return _in_flags(
        f"{shown.text(found, details=details, width=output.width(args.output), **how)}\n"
    )


def _in_flags(text: str) -> str:
    """A text that names the flag where the core names the option."""
    return text.replace("more than max_assignments=", "more than --max-assignments ")


def _short(content: Any, digits: int | None) -> Any:
    """What JSON has with fewer decimals, or as it is."""
    if isinstance(content, dict):
        return {name: _short(value, digits) for name, value in content.items()}
    if isinstance(content, list):
        return [_short(value, digits) for value in content]
    return rounded([content], digits)[0] if isinstance(content, float) else content


def _separated(found: Diff, delimiter: str, topics: list[str], digits: int | None) -> str:
    """A row for each topic and document; every digit, nothing for what is not there.

    With groups of topics a row for each of them before, and last those of all topics.
    """
    parts = {**found.groups, ALL: found}
    head = GROUPED if found.groups else []
    lines = [csv_line([*head, *found.columns()], delimiter)]
    for group, part in parts.items():
        labels = [group, str(len(part.topics))] if found.groups else []
        for row in zip(*part.columns().values(), strict=True):
            if not topics or row[0] in topics:
                cells = map(_field, _short(list(row), digits))
                lines.append(csv_line([*labels, *cells], delimiter))
    return "".join(lines)


def _field(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return "" if value is None else str(value)
