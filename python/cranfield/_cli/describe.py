"""``cranfield describe``: what judgments and runs are like."""

from __future__ import annotations

import argparse
import os

from cranfield._analysis import describe as description
from cranfield._base.text import in_topic_order
from cranfield._cli import messages, output
from cranfield._cli.arguments import (
    Parser,
    add_digits,
    add_evaluating,
    add_output,
    add_reading,
    add_topic_groups,
    add_working,
    at_least,
    evaluating,
    read_judgments,
)
from cranfield._cli.errors import UsageError
from cranfield._cli.runs import over_runs
from cranfield._core import __version__
from cranfield._io.sources import STDIN
from cranfield._scores.groups import ALL
from cranfield._scoring import notices
from cranfield._table import writers
from cranfield._table.data_table import stacked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from cranfield._analysis.describe import Description
    from cranfield._io.accepted import RunsLike
    from cranfield._table.data_table import DataTable

SUFFIXES = {
    suffix: form
    for suffix, form in writers.SUFFIXES.items()
    if form in ("table", "json", "csv", "tsv", "markdown", "latex")
} | {".html": "html"}
"""The formats that the name of an output file asks for."""

FORMATS = ("table", "json", "csv", "tsv", "markdown", "latex", "html")
"""Every format."""

OPTIONS = ("order", "scores", "duplicates", "negative")
"""The options of evaluating that change what is seen."""


def parser() -> Parser:
    """The arguments of the command."""
    parser = Parser(
        "cranfield describe",
        "Describes judgments and runs: how many documents are judged and relevant, "
        "how long lists are, how many scores are tied, how much of each run was judged.",
        "examples:\n"
        "  cranfield describe qrels.txt\n"
        "  cranfield describe qrels.txt 'runs/*.gz'\n"
        "  cranfield describe qrels.txt --per-topic --format csv",
    )
    parser.add_argument("qrels", metavar="QRELS", help="a file of judgments, or -")
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs="*",
        help="a run file, a quoted pattern, a folder, or -",
    )
    parser.add_argument(
        "--depths",
        type=_depths,
        metavar="N,N,...",
        default=description.DEPTHS,
        help="the depths of the share of judged documents "
        f"(default {','.join(map(str, description.DEPTHS))})",
    )
    parser.add_argument(
        "--rel",
        type=float,
        metavar="GRADE",
        default=1.0,
        help="the lowest grade that is relevant (default 1)",
    )
    parser.add_argument("--per-topic", action="store_true", help="the judgments of each topic, too")
    add_topic_groups(parser, "each group is described, then all topics")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="default: by the suffix of --output, else table; csv and tsv hold one table: the "
        "topics with --per-topic, else the runs, or the judgments if there are none",
    )
    add_digits(parser)
    add_output(parser)
    add_evaluating(parser, OPTIONS, duplicates="first")
    add_working(parser)
    add_reading(parser, layout_of="QRELS", beside=True, several=True)
    return parser


def _depths(text: str) -> list[int]:
    """The numbers in a text, separated by commas or spaces."""
    words = text.replace(",", " ").split()
    if not words:
        raise argparse.ArgumentTypeError("expected at least one number, found none")
    return list(map(at_least("--depths", "depth", 1), words))


def run(args: Namespace) -> int:
    """Carries the command out."""
    form = output.form(args.output, args.format, SUFFIXES, "table")
    if [args.qrels, *args.runs].count(STDIN) > 1:
        raise UsageError("standard input can be read only once")
    qrels = read_judgments(args)

    def described(runs: RunsLike) -> Description:
        return description.describe(
            qrels,
            runs,
            depths=args.depths,
            rel=args.rel,
            topic_groups=args.topic_groups,
            **evaluating(args, OPTIONS),
        )

    found, status = over_runs(args, described)
    if not args.quiet:
        for line in notices.of_description(
            found.notes,
            qrels,
            rel=found.rel,
            without_relevant=found.topics_without_relevant,
            label=args.qrels,
        ):
            messages.say(line)
    data = _data(found, form, args)
    if form == "html":
        output.page(args.output, os.path.basename(args.qrels), "Description", data)
    else:
        output.write(args.output, data)
    return status


def _data(found: Description, form: str, args: Namespace) -> bytes:
    """The description in a format."""
    per_topic = args.per_topic
    if form == "json":
        return writers.encoded(_json(found, per_topic=per_topic, digits=args.digits))
    if form in ("csv", "tsv"):
        table = _table(found, args)
        if found.groups:
            parts = {**found.groups, ALL: found}
            table = stacked("group", {name: _table(part, args) for name, part in parts.items()})
        return writers.tabular(table.shown(undefined="", digits=args.digits), form)
    if form == "html":
        return writers.encoded(found.html(per_topic=per_topic, digits=args.digits))
    if form == "table":
        text = found.text(per_topic=per_topic, digits=args.digits, width=output.width(args.output))
        return writers.encoded(f"{text}\n")
    written = found.to_markdown if form == "markdown" else found.to_latex
    return writers.encoded(written(per_topic=per_topic, digits=args.digits))


def _table(found: Description, args: Namespace) -> DataTable:
    """The one table that csv and tsv hold."""
    if args.per_topic:
        return found.topics.only(in_topic_order(found.topics.labels))
    return found.runs if args.runs else found.judgments


def _json(found: Description, *, per_topic: bool, digits: int | None) -> str:
    import json

    content: dict[str, Any] = {
        "schema_version": writers.SCHEMA_VERSION,
        "cranfield": __version__,
        "rel": found.rel,
    }
    if found.groups:
        content["groups"] = [
            {"group": group, **_content(part, per_topic=per_topic, digits=digits)}
            for group, part in found.groups.items()
        ]
    content |= _content(found, per_topic=per_topic, digits=digits)
    return json.dumps(content, ensure_ascii=False) + "\n"


def _content(found: Description, *, per_topic: bool, digits: int | None) -> dict[str, Any]:
    """What JSON has of all topics, or of a group."""
    content: dict[str, Any] = {
        "topics": found.topics.labels,
        "judgments": found.judgments.rounded(digits).to_dict(),
        "topics_r_above_n": found.topics_r_above_n,
        "topics_r_above_100": found.topics_r_above_100,
        "topics_without_relevant": found.topics_without_relevant,
    }
    if per_topic:
        content["per_topic"] = found.topics.to_dict()
    content["runs"] = []
    for run, row in found.runs.rounded(digits).to_dict().items():
        entry = {"run": run, **row}
        if run in found.notes:
            notes = found.notes[run]
            entry["topics_missing"] = notes.topics_missing
            entry["topics_without_judgments"] = notes.topics_without_judgments
        content["runs"].append(entry)
    return content
