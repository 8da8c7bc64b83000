"""``cranfield pool``: the first documents of every list.

Prints the pool of runs: every document among the top N of any run. Give it to assessors, or read it
back as judgments in which nothing is judged yet.

formats:
  trec  topic 0 document -1: pooled, not judged
  json  one object with the documents of each topic
  csv   topic,document under a header
  text  topic document

examples:
  cranfield pool 'runs/*.gz' --depth 100 --output pool.txt
  cranfield pool 'runs/*.gz' --depth 100 --scores f32
  cranfield pool new.run --depth 20 --qrels qrels.txt --format csv
  cranfield pool 'runs/*.gz' --qrels sampled.txt --marked --output marked.txt
  cranfield pool --decide old.run new.run --qrels qrels.txt -m P@10 -n 20
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from cranfield import collection
from cranfield._base.text import counted, csv_line
from cranfield._cli import options, output
from cranfield._cli.inputs import evaluating, find_runs, named, over_runs, read_grades
from cranfield._cli.parser import MAIN, Parser
from cranfield._cli.streams import UsageError, note
from cranfield._core import Qrels, check_ids
from cranfield._io.sources import Source
from cranfield._measures.parse import as_measures
from cranfield._scoring.deciding import MODEL
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
    return options.command(
        "pool",
        __doc__,
        "RUN",
        options.changed("--depth", group=MAIN, type=_depth, default=100),
        options.option("--qrels QRELS"),
        options.flag("--marked", only_for=("--qrels",)),
        options.flag("--decide"),
        options.changed("--measure", only_for=("--decide",)),
        options.integer("-n, --count", "number of documents", default=20, only_for=("--decide",)),
        options.changed("--seed", group=MAIN, default=0, only_for=("--decide",)),
        options.changed("--format", choices=FORMATS),
        "--output --keep-going working --order --scores --duplicates --own-document",
        *options.in_group(options.READING, "layout", only_for=("--qrels",)),
        "tables limits",
    )


def _depth(text: str) -> int | None:
    """A number of documents, or none for all."""
    return None if text == "all" else options.at_least("--depth", "depth", 1)(text)


def run(args: Namespace) -> int:
    """Carries the command out."""
    form = output.form(args.output, args.format, FORMATS, text=("trec",))
    if args.marked and form != "trec":
        raise UsageError(f"--marked prints judgments: expected the format trec, found {form}")
    qrels = None if args.qrels is None else read_grades(args, args.qrels)
    if args.decide:
        return _decide(args, qrels, form)
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
        about = {**named(args, "depth", "order", "scores"), "topics": shown}
        _write([(topic, d) for topic, own in shown.items() for d in own], about, form, args)
    first = "" if args.depth is None else f"the first {counted(args.depth, 'document')}"
    note(f"{first or 'all documents'} of {counted(count, 'run')}: {_summary(_sorted(pooled))}")
    note(f"order: {_ORDERS[args.order]} ({args.order}), scores as {args.scores}")
    if qrels is not None:
        note(f"not judged in {args.qrels}: {_summary(shown)}")
    return status


def _decide(args: Namespace, qrels: Qrels | None, form: str) -> int:
    """Prints what to judge to settle which of two runs scores higher."""
    runs = find_runs(args)
    if len(runs) != 2 or args.marked:
        raise UsageError(f"--decide is about two runs, without --marked: found {len(runs)}")
    if not args.measures:
        raise UsageError("--decide needs a measure, such as -m P@10")
    options = {name: value for name, value in evaluating(args).items() if name != "depth"}
    held: list[Any] = [source.rereadable() for source in runs]
    if qrels is None:
        # Topics of which nothing is judged.
        qrels = collection.pool(held, 1, **options)
    measures = as_measures(args.measures)
    if len(measures) != 1:
        raise UsageError(f"--decide takes one measure, found {len(measures)}")
    plan = collection.decide(
        qrels, held[0], held[1], measures[0], count=args.count, seed=args.seed, **options
    )
    about = asdict(plan)
    about = {**about, "model": MODEL, "documents": about.pop("documents")}
    _write([(one.topic, one.document) for one in plan.documents], about, form, args)
    note(*plan.sentences())
    return 0


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


def _write(
    pairs: Sequence[tuple[str, str]], about: Mapping[str, Any], form: str, args: Namespace
) -> None:
    """Writes topics and documents in a format, of which JSON has what is ``about`` them."""
    if form == "json":
        text = writers.in_json(about)
    elif form == "csv":
        text = "".join(map(csv_line, (("topic", "document"), *pairs)))
    else:
        grades: dict[str, dict[str, int]] = {}
        for topic, document in pairs:
            grades.setdefault(topic, {})[document] = -1
        if form == "trec" and not args.decide:
            output.write_content(args.output, Qrels(grades), form)
            return
        # One line each, in which ids must not have a space.
        check_ids(Qrels(grades))
        line = "{} 0 {} -1\n" if form == "trec" else "{} {}\n"
        text = "".join(line.format(*pair) for pair in pairs)
    output.write(args.output, text)
