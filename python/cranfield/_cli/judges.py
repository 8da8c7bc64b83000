"""``cranfield judges``: two sets of judgments on the same runs.

Compares two sets of judgments on the same runs, such as a person's and a model's: agreement on
documents, on the ranking of runs, and on significant differences, and which runs the second judge
favors. If the second judge has more topics, means over all of them are estimated from both, which
requires the gold topics to be a random sample.

examples:
  cranfield judges gold.qrels model.qrels 'runs/*.gz'
  cranfield judges gold.qrels model.qrels 'runs/*.gz' -o judges.html
  cranfield judges gold.qrels model.qrels runs --groups families.txt -m 'nDCG@10 AP'
"""

from __future__ import annotations

import os
from argparse import Namespace
from functools import partial

from cranfield import judges
from cranfield._analysis.judges import check_groups
from cranfield._base.errors import received_by
from cranfield._cli import options, output
from cranfield._cli.inputs import evaluating, find_runs, named, over_runs, read_grades, scoring
from cranfield._cli.parser import Parser
from cranfield._cli.streams import UsageError, note
from cranfield._core import DEFAULT_COMPARED
from cranfield._io.sources import STDIN
from cranfield._scores.groups import read_run_groups

FORMATS = ("table", "html", "json")
"""Every format."""


def parser() -> Parser:
    """The arguments of the command."""
    return options.command(
        "judges",
        __doc__,
        options.option("gold GOLD"),
        options.option("other OTHER"),
        "RUN",
        options.changed("--measure", values={"default": DEFAULT_COMPARED}),
        "--measures-from --groups",
        options.changed("--top", type=options.at_least("--top", "number of runs", 2), default=10),
        options.choice("--marginals", ("separate", "pooled", "uniform"), default="separate"),
        "--per-topic",
        options.changed("--format", choices=FORMATS),
        "--title --digits --output --keep-going working pairs",
        options.changed("--resamples", group=options.TESTING, default=1000),
        "policies plain-files",
    )


def run(args: Namespace) -> int:
    """Carries the command out."""
    form = output.form(args.output, args.format, FORMATS)
    if STDIN in (args.gold, args.other, *args.runs):
        raise UsageError("runs are scored under both judges: standard input is read only once")
    groups = None if args.groups is None else read_run_groups(args.groups)
    if groups is not None:
        check_groups(groups, [source.name for source in find_runs(args)])
    options = evaluating(args)
    gold, other = (read_grades(args, path) for path in (args.gold, args.other))

    measures = args.measures or DEFAULT_COMPARED
    compared = partial(
        judges.compare,
        gold,
        other,
        measures=measures,
        groups=groups,
        **named(args, "top", "marginals"),
        **named(args, "test", "correction", "alpha", "level", "resamples", "seed"),
        **options,
    )
    lines: list[str] = []
    with received_by(lines.extend):
        found, status = over_runs(args, compared, scoring(gold, measures, options))
    note(*dict.fromkeys(lines))
    if form == "html":
        title = args.title or f"{os.path.basename(args.gold)} and {os.path.basename(args.other)}"
        data = found.html(title, command=output.command_line(args))
    else:
        data = output.of_result(found, form, args, found.to_dict, per_topic=args.per_topic)
    output.write_page(args.output, data)
    return status
