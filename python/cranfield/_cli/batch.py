"""``cranfield batch``: many runs to a data set of scores.

Scores any number of runs into a data set of Parquet files: scores per topic, means, and a manifest.
Run the same command again to resume after an interruption. Runs that cannot be used are listed and
do not stop the others; the exit status is then 2.

examples:
  cranfield batch qrels.txt 'runs/*.gz' -m 'nDCG@10 AP' --output scores
  cranfield batch qrels.txt s3://bucket/runs/ --output s3://bucket/scores --engine ray
"""

from __future__ import annotations

from argparse import Namespace

from cranfield import batch
from cranfield._base.text import counted
from cranfield._batch.shards import SHARD_BYTES
from cranfield._cli import options
from cranfield._cli.inputs import FAILED, evaluating, named, over_spans, read_judgments
from cranfield._cli.parser import Parser
from cranfield._cli.streams import UsageError, note, say
from cranfield._io.columns import SPANS
from cranfield._io.sources import STDIN

ENGINES = ("local", "ray")
"""Where shards can be scored."""


def parser() -> Parser:
    """The arguments of the command."""
    return options.command(
        "batch",
        __doc__,
        "QRELS RUN --measure --measures-from",
        options.changed("--output", metavar="FOLDER", type=str, required=True),
        options.choice("--engine", ENGINES, default="local"),
        options.option("--address ADDRESS"),
        options.integer("--workers", "number of workers"),
        options.flag("--strict"),
        options.flag("--rescore"),
        options.in_bytes("--shard-bytes", SHARD_BYTES),
        "working policies --ties --docs-in-collection files",
    )


def run(args: Namespace) -> int:
    """Carries the command out."""
    if STDIN in (args.qrels, *args.runs):
        raise UsageError("a batch reads files, which it can find again: standard input is none")
    if over_spans(args) and args.layout not in (SPANS, "chroma"):
        raise UsageError(f"a batch reads tables of chunks: --layout {args.layout} is for eval")
    qrels = read_judgments(args, spans=True)
    try:
        made = batch.evaluate(
            qrels,
            args.runs,
            args.measures,
            **named(args, "output", "engine", "address", "workers"),
            **named(args, "strict", "rescore", "shard_bytes"),
            **evaluating(args),
        )
    except KeyboardInterrupt:
        say(f"interrupted; {args.output} keeps what is scored: the same command scores the rest")
        raise
    for bad in made.bad:
        say(f"bad run {bad.run}: {bad.command_line}")
    kept = f", {counted(made.kept, 'shard')} kept" if made.kept else ""
    bad_runs = f", {counted(len(made.bad), 'bad run')}" if made.bad else ""
    runs = counted(len(made.runs), "run")
    note(f"{made.output}: {runs} in {counted(made.shards, 'shard')}{kept}{bad_runs}")
    return FAILED if made.bad else 0
