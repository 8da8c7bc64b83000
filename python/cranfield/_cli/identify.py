"""``cranfield identify``: which definition gives a printed number.

Finds the definitions that give a printed number: which measure, gain, cutoff, relevance level,
order of equal scores, averaging or tool. The simplest come first, or with a label those that differ
least from it, with what differs and how likely a coincidence is.

exit status:
  0  at least one definition gives each number
  1  none does, or it cannot be a mean at all
  2  bad input

examples:
  cranfield identify qrels.txt bm25.run P@10=0.3067
  cranfield identify qrels.txt bm25.run 0.2514 AP=16.48%
  cranfield identify qrels.txt a.run b.run a:AP=0.164 b:AP=0.237
  cranfield identify --over 50 P@10=0.3067
"""

from __future__ import annotations

import os
import re
from argparse import Namespace
from dataclasses import asdict
from functools import partial
from typing import Any

from cranfield._analysis.identify import Identification, identify
from cranfield._cli import options, output
from cranfield._cli.inputs import find_runs, read_grades
from cranfield._cli.parser import Parser
from cranfield._cli.streams import UsageError

NONE = 1
"""The exit status if no definition gives a number."""

NUMBER = re.compile(r"(.*=)?[-+]?(\d+\.?\d*|\.\d+)%?")
"""What an argument that is a number looks like."""


def parser() -> Parser:
    """The arguments of the command."""
    return options.command(
        "identify",
        __doc__,
        options.option("inputs QRELS RUN ... NUMBER", nargs="*"),
        options.option("--per-topic FILE", type=os.path.expanduser),
        options.integer("--over", "number of topics"),
        "--format --output --digits --no-progress --quiet plain-files",
    )


def run(args: Namespace) -> int:
    """Carries the command out."""
    form = output.form(args.output, args.format, output.FORMATS)
    numbers = [w for w in args.inputs if NUMBER.fullmatch(w) and not os.path.exists(w)]
    files = [word for word in args.inputs if word not in numbers]
    if not numbers and args.per_topic is None:
        raise UsageError("expected a number such as P@10=0.3067; see cranfield identify --help")
    if args.over is not None:
        if files:
            raise UsageError("--over is for numbers without judgments: leave out QRELS and RUN")
        found = identify(None, None, numbers, topics=args.over)
    else:
        if len(files) < 2:
            raise UsageError("expected QRELS, RUN and numbers, or --over N for numbers alone")
        qrels, *args.runs = files
        found = identify(
            read_grades(args, qrels),
            find_runs(args),
            numbers,
            per_topic=args.per_topic,
            progress=False if args.quiet or args.no_progress else None,
        )
    data = output.of_result(found, form, args, partial(_content, found), label="tab:identify")
    output.write_tables(args.output, data, form, "Identification", "Numbers")
    impossible = any("cannot" in line for line in found.granularity) and not found.matches
    return NONE if impossible or not all(found.matches.values()) else 0


def _content(found: Identification) -> dict[str, Any]:
    """What JSON has."""
    labels = [
        {
            "label": label,
            "value": found.labelled.get(label),
            "chance": found.chance[label],
            "deciding": found.deciding.get(label),
            "definitions": [asdict(one) for one in matches],
            "nearest": [asdict(one) for one in found.nearest.get(label, ())],
        }
        for label, matches in found.matches.items()
    ]
    return {
        "tried": found.tried,
        "distinct": found.distinct,
        "identified": found.identified,
        "granularity": list(found.granularity),
        "labels": labels,
    }
