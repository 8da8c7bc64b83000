"""``cranfield batch``: many runs to a data set of scores."""

from __future__ import annotations

from cranfield import batch
from cranfield._base.text import counted, readable
from cranfield._batch.plan import SHARD_BYTES
from cranfield._cli import messages
from cranfield._cli.arguments import (
    POLICIES,
    Parser,
    add_evaluating,
    add_functions,
    add_reading,
    add_working,
    at_least,
    evaluating,
    read_judgments,
)
from cranfield._cli.errors import UsageError
from cranfield._cli.runs import FAILED
from cranfield._io.sources import STDIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

ENGINES = ("local", "ray")
"""Where shards can be scored."""


def parser() -> Parser:
    """The arguments of the command."""
    parser = Parser(
        "cranfield batch",
        "Scores any number of runs into a data set of Parquet files: scores by topic, means, and "
        "a manifest. After a kill the same command scores what is missing. Runs that cannot be "
        "used are listed and do not stop the others; the exit status is then 2.",
        "examples:\n"
        "  cranfield batch qrels.txt 'runs/*.gz' -m 'nDCG@10 AP' --output scores\n"
        "  cranfield batch qrels.txt s3://bucket/runs/ --output s3://bucket/scores --engine ray",
    )
    parser.add_argument("qrels", metavar="QRELS", help="a file of judgments")
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", help="a run file, a quoted pattern, a folder"
    )
    parser.add_argument(
        "-m",
        "--measure",
        dest="measures",
        action="append",
        type=readable,
        metavar="MEASURES",
        help="one or several, separated by spaces; may be repeated",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        required=True,
        help="the folder or the address of the data set",
    )
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        default="local",
        help="where runs are scored: in this process, or on Ray (default %(default)s)",
    )
    parser.add_argument("--address", metavar="ADDRESS", help="of the Ray cluster")
    parser.add_argument(
        "--workers",
        type=at_least("--workers", "number of workers", 1),
        metavar="N",
        help="how many shards Ray scores at a time (default: as many as processors)",
    )
    parser.add_argument(
        "--strict", action="store_true", help="stop at the first run that cannot be used"
    )
    parser.add_argument(
        "--rescore",
        action="store_true",
        help="score again what was scored from other files, judgments, measures or options; "
        "otherwise that is an error",
    )
    parser.add_argument(
        "--shard-bytes",
        type=at_least("--shard-bytes", "number of bytes", 1),
        metavar="BYTES",
        default=SHARD_BYTES,
        help="how large a shard is, which is scored and written as one (default %(default)s)",
    )
    parser.add_argument(
        "--docs-in-collection",
        type=at_least("--docs-in-collection", "number of documents", 1),
        metavar="N",
        help="how many documents the collection holds, which a few measures need",
    )
    add_functions(parser)
    add_evaluating(parser, (*POLICIES, "ties"))
    add_working(parser)
    add_reading(parser, layout_of="QRELS", beside=True)
    return parser


def run(args: Namespace) -> int:
    """Carries the command out."""
    if STDIN in (args.qrels, *args.runs):
        raise UsageError("a batch reads files, which it can find again: standard input is none")
    qrels = read_judgments(args, args.docs_in_collection)
    made = batch.evaluate(
        qrels,
        args.runs,
        args.measures,
        output=args.output,
        engine=args.engine,
        address=args.address,
        workers=args.workers,
        strict=args.strict,
        rescore=args.rescore,
        shard_bytes=args.shard_bytes,
        **evaluating(args, (*POLICIES, "ties")),
    )
    for bad in made.bad:
        messages.say(f"bad run {bad.run}: {bad.command_line}")
    if not args.quiet:
        kept = f", {counted(made.kept, 'shard')} kept" if made.kept else ""
        bad_runs = f", {counted(len(made.bad), 'bad run')}" if made.bad else ""
        runs = counted(len(made.runs), "run")
        messages.say(f"{made.output}: {runs} in {counted(made.shards, 'shard')}{kept}{bad_runs}")
    return FAILED if made.bad else 0
