"""``cranfield diff``: where two runs differ, and because of which documents."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from cranfield._analysis import diff as difference
from cranfield._analysis import diff_result as shown
from cranfield._analysis.diff_result import Diff
from cranfield._base.errors import optional
from cranfield._base.scores_like import ALL
from cranfield._base.text import readable, rounded
from cranfield._cli import output
from cranfield._cli.inputs import evaluating, named, read_judgments, say_notices
from cranfield._cli.options import FILES, POLICIES, WORKING, changed, command
from cranfield._cli.parser import Parser, integer, option
from cranfield._cli.streams import UsageError
from cranfield._measures.parse import as_measures
from cranfield._table import writers
from cranfield._table.data_table import COUNT, DataTable, after
from cranfield._table.result import for_people
from cranfield._table.tables import Setting

FORMATS = ("table", "json", "csv", "tsv", "html")
"""Every format."""


def parser() -> Parser:
    """The arguments of the command."""
    return command(
        "diff",
        "Shows what changes from run A to run B in one measure: by topic, by document, and how far "
        "missing judgments could move the difference. A difference is B's score minus A's.",
        "examples:\n"
        "  cranfield diff qrels.txt bm25.run dense.run -m nDCG@10\n"
        "  cranfield diff qrels.txt bm25.run dense.run -m AP --topics '401 402' --length 20\n"
        "  cranfield diff qrels.txt bm25.run dense.run -m AP --documents docs.tsv -o diff.html",
        "QRELS",
        option("a", "A", "the first run: a file, or -"),
        option("b", "B", "the second run"),
        changed("--measure", "one measure", action="store", required=True, metavar="MEASURE"),
        "--measures-from",
        changed(
            "--format", choices=FORMATS, note="; csv and tsv have a row for each topic and document"
        ),
        integer(
            "--details",
            "number of topics",
            "number of topics to show with their documents, largest differences first "
            f"(default {shown.DETAILS} in a table, all in html)",
            least=0,
        ),
        changed(
            "--topics",
            "topics to show with their documents; separated by spaces, may be repeated",
            action="append",
            type=readable,
            metavar="TOPICS",
        ),
        changed("--topic-groups", note="; adds a table of the groups"),
        integer(
            "--length",
            "number of documents",
            "documents of each run to show (default %(default)s)",
            default=shown.LENGTH,
        ),
        *("--queries", "--documents", "--digits", "--output"),
        *WORKING,
        *POLICIES,
        "--docs-in-collection",
        changed("--max-grade", note=" (default: the highest of the judgments, at least 1)"),
        changed(
            "--max-assignments", default=difference.MAX_ASSIGNMENTS, note=" (default %(default)s)"
        ),
        *FILES,
    )


def run(args: Namespace) -> int:
    """Carries the command out."""
    form = output.form(args.output, args.format, FORMATS)
    qrels = read_judgments(args)
    found = difference.diff(
        qrels,
        args.a,
        args.b,
        args.measures,
        **named(args, "queries", "documents", "max_grade", "max_assignments", "topic_groups"),
        **evaluating(args),
    )
    say_notices(args, list(found.notes.values()), qrels, as_measures(args.measures))
    output.write(args.output, _data(found, form, args))
    return 0


def _data(found: Diff, form: str, args: Namespace) -> str:
    """The difference in a format."""
    topics = " ".join(args.topics or []).split()
    for topic in topics:
        # Raises for one that is not there, in every format.
        _ = found[topic]
    if form == "json":
        return writers.in_json(_short(found.to_dict(), args.digits))
    if form in writers.DELIMITERS:
        parts = {**found.groups, ALL: found}
        tables = {name: _table(part, topics, len(parts) > 1) for name, part in parts.items()}
        return output.separated({n: t.rounded(args.digits) for n, t in tables.items()}, form)
    how: dict[str, Any] = {"topics": topics, "length": args.length}
    if form == "html":
        if args.digits is not None:
            raise UsageError("--digits is for table, json, csv and tsv: a page has four decimals")
        optional("jinja2", "a page of two runs", extra="report")
        from cranfield._analysis import diff_page

        text = diff_page.page(found, details=-1 if args.details is None else args.details, **how)
    else:
        how["details"] = shown.DETAILS if args.details is None else args.details
        text = for_people(found, form, args.digits, Setting(output.width(args.output)), **how)
    # The flag, where the core names the option.
    return text.replace("more than max_assignments=", "more than --max-assignments ")


def _short(content: Any, digits: int | None) -> Any:
    """What JSON has with fewer decimals, or as it is."""
    if isinstance(content, dict):
        return {name: _short(value, digits) for name, value in content.items()}
    if isinstance(content, list):
        return [_short(value, digits) for value in content]
    return rounded([content], digits)[0] if isinstance(content, float) else content


def _table(found: Diff, topics: Sequence[str], is_group: bool) -> DataTable:
    """A row for each document of the topics, or of those that are named."""
    names = [own.topic for own in found.topics if not topics or own.topic in topics]
    table = found.table().only(names)
    return after("topics", COUNT, len(found.topics), table) if is_group else table
