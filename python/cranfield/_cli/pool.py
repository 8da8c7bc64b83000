"""``cranfield pool``: the first documents of every list."""

from __future__ import annotations

import os

from cranfield import collection
from cranfield._base.text import counted, csv_line
from cranfield._cli import messages, output
from cranfield._cli.arguments import (
    Parser,
    add_evaluating,
    add_output,
    add_reading,
    add_working,
    at_least,
    evaluating,
    read_grades,
    reading_options,
)
from cranfield._cli.errors import UsageError
from cranfield._cli.runs import over_runs
from cranfield._core import Qrels, __version__, check_ids
from cranfield._io import accepted
from cranfield._io.sources import COMPRESSED, STDIN
from cranfield._table import writers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    from cranfield._io.accepted import RunsLike

    Pool: TypeAlias = Mapping[str, Sequence[str]]
    """The documents of each topic."""

FORMATS = ("trec", "json", "csv", "text")
"""Every format."""

SUFFIXES = {".json": "json", ".csv": "csv"}
"""The formats that the name of an output file asks for; others are for trec."""

OPTIONS = ("order", "scores", "duplicates")
"""The evaluating options that decide which documents are the first."""

_ORDERS = {
    "docno_desc": "equal scores by document, descending",
    "docno_asc": "equal scores by document, ascending",
    "input": "as in the file",
    "rank": "by the rank column",
}


def parser() -> Parser:
    """The arguments of the command."""
    parser = Parser(
        "cranfield pool",
        "Prints the pool of runs: every document among the first of any list. It can be given "
        "to judges, and read back as judgments in which nothing is judged yet.",
        "formats:\n"
        "  trec  topic 0 document -1: pooled, not judged\n"
        "  json  one object with the documents of each topic\n"
        "  csv   topic,document under a header\n"
        "  text  topic document\n\n"
        "examples:\n"
        "  cranfield pool 'runs/*.gz' --depth 100 --output pool.txt\n"
        "  cranfield pool 'runs/*.gz' --depth 100 --scores f32\n"
        "  cranfield pool new.run --depth 20 --qrels qrels.txt --format csv\n"
        "  cranfield pool 'runs/*.gz' --qrels sampled.txt --marked --output marked.txt",
    )
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs="+",
        help="a run file, a quoted pattern, a folder, or -",
    )
    parser.add_argument(
        "--depth",
        type=_depth,
        metavar="N",
        default=100,
        help="how many documents of each list, or all (default %(default)s)",
    )
    parser.add_argument(
        "--qrels",
        metavar="QRELS",
        help="print only what these judgments have not judged yet",
    )
    parser.add_argument(
        "--marked",
        action="store_true",
        help="print these judgments and, of their topics, what else is in the pool, as pooled and "
        "not judged: for measures that estimate from a sample, such as infAP",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="default: by the suffix of --output (.json, .csv), else trec",
    )
    add_output(parser)
    add_evaluating(parser, OPTIONS)
    add_working(parser)
    add_reading(parser, layout_of="--qrels", several=True)
    return parser


def _depth(text: str) -> int | None:
    """A number of documents, or none for all."""
    return None if text == "all" else at_least("--depth", "depth", 1)(text)


def run(args: Namespace) -> int:
    """Carries the command out."""
    form = _format(args)
    for option in ("layout", "levels", "marked"):
        if getattr(args, option) and args.qrels is None:
            raise UsageError(f"--{option} goes with --qrels")
    if args.marked and form != "trec":
        raise UsageError(f"--marked prints judgments: expected the format trec, found {form}")
    if [args.qrels, *args.runs].count(STDIN) > 1:
        raise UsageError("standard input can be read only once")
    qrels = None
    if args.qrels is not None:
        qrels = read_grades(args)
    count = 0

    def pool(runs: RunsLike) -> Qrels:
        nonlocal count
        count = len(accepted.as_runs(runs, reading_options(args)))
        return collection.pool(
            runs,
            args.depth,
            **evaluating(args, OPTIONS),
        )

    pooled, status = over_runs(args, pool)
    shown = _sorted(pooled if qrels is None else collection.unjudged(pooled, qrels))
    if qrels is not None and args.marked:
        output.write_content(args.output, collection.mark_pool(qrels, pooled), form)
        shown = {topic: documents for topic, documents in shown.items() if topic in qrels}
    else:
        _write(shown, form, args)
    if not args.quiet:
        depth = (
            "all documents"
            if args.depth is None
            else f"the first {counted(args.depth, 'document')}"
        )
        messages.say(f"{depth} of {counted(count, 'run')}: {_summary(_sorted(pooled))}")
        messages.say(f"order: {_ORDERS[args.order]} ({args.order}), scores as {args.scores}")
        if qrels is not None:
            messages.say(f"not judged in {args.qrels}: {_summary(shown)}")
    return status


def _format(args: Namespace) -> str:
    """The format asked for; raises at once what would fail later."""
    return output.form(args.output, args.format, SUFFIXES, "trec", text=("trec",))


def _sorted(pool: Qrels) -> Pool:
    """The documents of a pool in byte order; its topics are."""
    return {
        topic: sorted(documents, key=writers.encoded) for topic, documents in pool.to_dict().items()
    }


def _summary(pool: Pool) -> str:
    """How many documents a pool has, and how many for each topic."""
    sizes = [len(documents) for documents in pool.values()]
    if not sizes:
        return "none"
    mean = f"{sum(sizes) / len(sizes):.1f}"
    return (
        f"{counted(sum(sizes), 'document')} in {counted(len(sizes), 'topic')} "
        f"(min {min(sizes)}, mean {mean}, max {max(sizes)})"
    )


def _write(pool: Pool, form: str, args: Namespace) -> None:
    if form in ("trec", "text"):
        judgments = {topic: dict.fromkeys(documents, -1) for topic, documents in pool.items()}
        qrels = Qrels(judgments)
        if os.path.splitext(args.output)[1].lower() in COMPRESSED:
            qrels.write(args.output)
            return
        check_ids(qrels)
    if form == "json":
        text = _json(pool, args)
    elif form == "csv":
        text = _csv(pool)
    else:
        before, after = (" 0 ", " -1\n") if form == "trec" else (" ", "\n")
        pairs = ((topic, document) for topic in pool for document in pool[topic])
        text = "".join(f"{topic}{before}{document}{after}" for topic, document in pairs)
    output.write(args.output, writers.encoded(text))


def _json(pool: Pool, args: Namespace) -> str:
    import json

    content = {
        "schema_version": writers.SCHEMA_VERSION,
        "cranfield": __version__,
        "depth": args.depth,
        "order": args.order,
        "scores": args.scores,
        "topics": pool,
    }
    return json.dumps(content, ensure_ascii=False) + "\n"


def _csv(pool: Pool) -> str:
    pairs = ((topic, document) for topic in pool for document in pool[topic])
    return "".join(map(csv_line, (("topic", "document"), *pairs)))
