"""``cranfield pool``: the first documents of every list."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence

from cranfield import collection
from cranfield._base.text import counted, csv_line
from cranfield._cli import output
from cranfield._cli.inputs import evaluating, named, over_runs, read_grades
from cranfield._cli.options import LAYOUT, LIMITS, TABLES, WORKING, changed, command
from cranfield._cli.parser import MAIN, Parser, at_least, flag, option
from cranfield._cli.streams import UsageError, say
from cranfield._core import Qrels, check_ids
from cranfield._io.sources import Source
from cranfield._table import writers

Pool = Mapping[str, Sequence[str]]
"""The documents of each topic."""

FORMATS = ("trec", "json", "csv", "text")
"""Every format."""

_ORDERS = {
    "docno_desc": "equal scores by document, descending",
    "docno_asc": "equal scores by document, ascending",
    "input": "as in the file",
    "rank": "by the rank column",
}


def parser() -> Parser:
    """The arguments of the command."""
    return command(
        "pool",
        "Prints the pool of runs: every document among the top N of any run. Give it to assessors, "
        "or read it back as judgments in which nothing is judged yet.",
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
        "RUN",
        changed(
            "--depth",
            "documents of each ranking to pool, or `all`",
            group=MAIN,
            type=_depth,
            default=100,
            note=" (default %(default)s)",
        ),
        option("--qrels", "QRELS", "print only documents that these judgments have not judged"),
        flag(
            "--marked",
            "print these judgments plus the rest of the pool of their topics, marked as pooled but "
            "not judged: for measures that estimate from a sample, such as infAP",
            only_for=("--qrels",),
        ),
        changed(
            "--format",
            "default: by the suffix of --output (.json, .csv), else trec",
            choices=FORMATS,
        ),
        *("--output", "--keep-going"),
        *WORKING,
        *("--order", "--scores", "--duplicates", "--own-document"),
        *(changed(name, only_for=("--qrels",)) for name in LAYOUT),
        *(*TABLES, *LIMITS),
    )


def _depth(text: str) -> int | None:
    """A number of documents, or none for all."""
    return None if text == "all" else at_least("--depth", "depth", 1)(text)


def run(args: Namespace) -> int:
    """Carries the command out."""
    form = output.form(args.output, args.format, FORMATS, text=("trec",))
    if args.marked and form != "trec":
        raise UsageError(f"--marked prints judgments: expected the format trec, found {form}")
    qrels = None if args.qrels is None else read_grades(args, args.qrels)
    count = 0

    def pool(runs: list[Source]) -> Qrels:
        nonlocal count
        count = len(runs)
        return collection.pool(runs, **evaluating(args))

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
        say(f"{depth} of {counted(count, 'run')}: {_summary(_sorted(pooled))}")
        say(f"order: {_ORDERS[args.order]} ({args.order}), scores as {args.scores}")
        if qrels is not None:
            say(f"not judged in {args.qrels}: {_summary(shown)}")
    return status


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
    pairs = ((topic, document) for topic in pool for document in pool[topic])
    if form == "json":
        text = writers.in_json({**named(args, "depth", "order", "scores"), "topics": pool})
    elif form == "csv":
        text = "".join(map(csv_line, (("topic", "document"), *pairs)))
    else:
        qrels = Qrels({topic: dict.fromkeys(pool[topic], -1) for topic in pool})
        if form == "trec":
            output.write_content(args.output, qrels, form)
            return
        check_ids(qrels)
        text = "".join(f"{topic} {document}\n" for topic, document in pairs)
    output.write(args.output, text)
