"""``cranfield diff``: where two runs differ, and because of which documents.

Shows what changes from run A to run B in one measure: by topic, by document, and how far missing
judgments could move the difference. A difference is B's score minus A's. With two runs alone, how
alike they are, and how far the measures can differ however documents are judged; with --exact, the
recall of one run against an exact search.

examples:
  cranfield diff qrels.txt bm25.run dense.run -m nDCG@10
  cranfield diff qrels.txt bm25.run dense.run -m AP --topics '401 402' --length 20
  cranfield diff qrels.txt bm25.run dense.run -m AP --documents docs.tsv -o diff.html
  cranfield diff float32.run int8.run -m 'nDCG@10 P@10'
  cranfield diff --exact exact.run int8.run -k 10 -k 100
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from functools import partial
from typing import Any

from cranfield._analysis import diff as difference
from cranfield._analysis import diff_result as shown
from cranfield._analysis import exact
from cranfield._analysis.diff_lists import LEAST, ListDiff
from cranfield._analysis.diff_result import Diff
from cranfield._base.errors import optional
from cranfield._base.scores_like import ALL
from cranfield._base.text import counted, printable, readable, rounded
from cranfield._cli import inputs, options, output
from cranfield._cli.parser import Parser
from cranfield._cli.streams import UsageError
from cranfield._core import Error
from cranfield._io.inputs import as_run, loaded
from cranfield._measures.parse import as_measures
from cranfield._table.data_table import COUNT, DataTable, after

EXACT = "recall against an exact search"
"""The heading of the options of ``--exact``."""

OF_EXACT = ("rule", "epsilon", "relative_epsilon", "distances", "own_scores")
"""The options that go with it."""

FORMATS = ("table", "json", "csv", "tsv", "html")
"""Every format."""


def parser() -> Parser:
    """The arguments of the command."""
    return options.command(
        "diff",
        __doc__,
        options.option("qrels QRELS"),
        options.option("a A", nargs="?"),
        options.option("b B", nargs="?"),
        options.changed("--measure", action="store", metavar="MEASURE"),
        "--measures-from",
        options.changed("--format", choices=FORMATS),
        options.integer(
            "--details", "number of topics", least=0, values={"default": shown.DETAILS}
        ),
        options.changed("--topics", action="append", type=readable, metavar="TOPICS"),
        "--topic-groups",
        options.integer("--length", "number of documents", default=shown.LENGTH),
        "--queries --documents --digits --output",
        options.flag("--no-qrels"),
        options.integer("-k", "rank", action="append"),
        options.integer("--least-relevant", "number of documents", action="append"),
        *options.in_group(
            EXACT,
            options.option("--exact RUN"),
            options.choice("--rule", exact.RULES),
            options.option("--epsilon X", type=options.finite),
            options.option("--relative-epsilon X", type=options.finite),
            options.flag("--distances"),
            options.flag("--own-scores"),
        ),
        "working policies --docs-in-collection --max-grade",
        options.changed("--max-assignments", default=difference.MAX_ASSIGNMENTS),
        "files",
    )


def run(args: Namespace) -> int:
    """Carries the command out."""
    form = output.form(args.output, args.format, FORMATS)
    files = [file for file in (args.qrels, args.a, args.b) if file is not None]
    if args.exact is not None:
        _write(_of_exact(args, files), form, args)
        return 0
    inputs.refuse(args, OF_EXACT, "{} goes with --exact")
    if args.measures is None:
        raise UsageError("expected a measure: give -m")
    if len(files) < 3 or args.no_qrels:
        _write(_of_lists(args, files), form, args)
        return 0
    inputs.refuse(args, ("k", "least_relevant"), "{} is for two runs without judgments")
    qrels = inputs.read_judgments(args)
    found = difference.diff(
        qrels,
        args.a,
        args.b,
        args.measures,
        **inputs.named(
            args, "queries", "documents", "max_grade", "max_assignments", "topic_groups"
        ),
        **inputs.evaluating(args),
    )
    inputs.say_notices(args, list(found.notes.values()), qrels, as_measures(args.measures))
    output.write(args.output, _data(found, form, args))
    return 0


FORMS = (
    "cranfield diff QRELS A B -m MEASURE, or without judgments cranfield diff A B -m MEASURE "
    "--no-qrels"
)
"""The two ways to call the command."""

GRADES = 20
"""Judgments have no more grades than this; the scores of a run have."""


def _of_lists(args: Namespace, files: Sequence[str]) -> ListDiff:
    """Two runs without judgments."""
    if len(files) != 2:
        raise UsageError(f"expected two runs, found {counted(len(files), 'file')}: {FORMS}")
    if not args.no_qrels and _may_be_judgments(args, files[0]):
        raise UsageError(f"{printable(files[0])} is or may be judgments: {FORMS}")
    inputs.refuse(args, ("documents", "topic_groups"), f"{{}} needs judgments: {FORMS}")
    first, second = files
    return difference.diff(
        None,
        first,
        second,
        args.measures,
        k=args.k,
        least_relevant=args.least_relevant or LEAST,
        **inputs.named(args, "queries", "max_grade"),
        **inputs.evaluating(args),
    )


def _may_be_judgments(args: Namespace, path: str) -> bool:
    """Whether a file can be read as judgments; the scores of a run can, but are too many."""
    if path == "-":
        return False
    try:
        qrels = inputs.read_grades(args, path)
    except (Error, OSError):
        return False
    return len({g for topic in qrels.to_dict().values() for g in topic.values()}) <= GRADES


def _of_exact(args: Namespace, files: Sequence[str]) -> exact.ExactRecall:
    """The recall of a run against that of an exact search."""
    if len(files) != 1:
        raise UsageError(f"expected one run beside --exact, found {len(files)}")
    if args.duplicates not in (None, "error", "first"):
        raise UsageError("with --exact, --duplicates is error or first")
    options = inputs.reading_options(args)
    runs: list[Any] = [loaded(as_run(file, options), options) for file in (args.exact, *files)]
    return exact.of_runs(
        *(run.to_dict() for run in runs),
        k=args.k or [10],
        distances=args.distances,
        own_scores=args.own_scores,
        in_order=args.order == "input",
        skips=args.missing == "skip",
        duplicates=args.duplicates or "error",
        **inputs.given(args, "rule", "epsilon", "relative_epsilon"),
    )


def _write(found: ListDiff | exact.ExactRecall, form: str, args: Namespace) -> None:
    """Writes a result without judgments in a format."""
    how: dict[str, Any] = {}
    if isinstance(found, ListDiff):
        how = {"topics": " ".join(args.topics or []).split(), **inputs.given(args, "details")}
    text = output.of_result(found, form, args, partial(_content, found, args), **how)
    output.write_tables(args.output, text, form, found.headline().strip("<>"), "Difference")


def _data(found: Diff, form: str, args: Namespace) -> str:
    """The difference in a format."""
    topics = " ".join(args.topics or []).split()
    for topic in topics:
        # Raises for one that is not there, in every format.
        _ = found[topic]
    how: dict[str, Any] = {"topics": topics, "length": args.length}
    if form == "html":
        if args.digits is not None:
            raise UsageError("--digits is for table, json, csv and tsv: a page has four decimals")
        optional("jinja2", "a page of two runs", extra="report")
        from cranfield._analysis import diff_page

        text = diff_page.page(found, details=-1 if args.details is None else args.details, **how)
    else:
        how["details"] = shown.DETAILS if args.details is None else args.details
        parts = {**found.groups, ALL: found}
        tables = {name: _table(part, topics, len(parts) > 1) for name, part in parts.items()}
        content = partial(_content, found, args)
        text = output.of_result(found, form, args, content, tables=tables, **how)
    # The flag, where the core names the option.
    return text.replace("more than max_assignments=", "more than --max-assignments ")


def _content(found: Diff | ListDiff | exact.ExactRecall, args: Namespace) -> Any:
    """What JSON has."""
    return _short(found.to_dict(), args.digits)


def _short(content: Any, digits: int | None) -> Any:
    """What JSON has with fewer decimals, or as it is."""
    if isinstance(content, dict):
        return {name: _short(value, digits) for name, value in content.items()}
    if isinstance(content, list):
        return [_short(value, digits) for value in content]
    return rounded([content], digits)[0] if isinstance(content, float) else content


def _table(found: Diff, topics: Sequence[str], is_group: bool) -> DataTable:
    """A row for each document of the topics, or of those that are named."""
    table, wanted = found.table(), set(topics)
    # A topic for which neither run has a document has no row.
    known = set(table.labels).intersection(wanted) if wanted else set(table.labels)
    table = table.only([own.topic for own in found.topics if own.topic in known])
    return after("topics", COUNT, len(found.topics), table) if is_group else table
