"""``cranfield study``: a named study of measures, pools and runs, as a folder.

Runs a named study and writes a folder: tables (CSV, LaTeX), figures (SVG), the data of the figures,
and an index.html that shows everything. Run the same command again to resume after an interruption.
Figures need matplotlib: pip install 'cranfield[plot]'.

studies:
{studies}

examples:
  cranfield study depth qrels.txt 'runs/*.gz' --output depth
  cranfield study incompleteness qrels.txt runs/ --top 30 --by AP --output missing
  cranfield study significance qrels.txt runs/ --measures 'AP nDCG@10' --drop-worst 0.25 \
--output pairs
  cranfield study depth qrels.txt runs/ --topics 651-700 --output new-topics
  cranfield study agreement qrels.txt --second other.txt --output judges
  cranfield study significance collections.toml --output collections
"""

from __future__ import annotations

import argparse
import os
from argparse import Namespace
from collections.abc import Callable, Mapping
from typing import Any

from cranfield._base.text import counted
from cranfield._cli import options, output
from cranfield._cli.inputs import evaluating, findings_said, given, read_grades
from cranfield._cli.parser import Option, Parser
from cranfield._cli.streams import UsageError, note
from cranfield._io.sources import STDIN
from cranfield._stats.registry import CORRECTIONS
from cranfield._study.definition import Outcome

WHICH = "which runs, topics and grades"
OF_STUDIES = "options of studies (one that does not apply is an error)"


def parser() -> Parser:
    """The arguments of the command."""
    from cranfield._study.definition import STUDIES

    studies = "\n".join(f"  {name:<16}{text}" for name, text in STUDIES.items())
    return options.command(
        "study",
        (__doc__ or "").replace("{studies}", studies),
        options.option("name NAME"),
        "QRELS",
        options.changed("RUN", nargs="*"),
        options.changed("--output", metavar="FOLDER", required=True),
        "--measures-from",
        options.option("--figures", choices=("svg", "pdf"), default="svg"),
        "working",
        *options.in_group(
            WHICH,
            options.changed("--top", type=options.at_least("--top", "number of runs", 2)),
            options.option("--drop-worst SHARE", type=_share),
            options.option("--by MEASURE", default="AP"),
            options.changed("--topics"),
            options.changed("--topic-groups"),
            options.changed("--rel"),
        ),
        *_of_studies(),
        "--order --scores --duplicates plain-files",
    )


def _of_studies() -> list[Option]:
    """The options that go to the study, where they are given."""
    shares: dict[str, Any] = {"type": _shares, "metavar": "X,X,..."}
    corrections = [name for name in CORRECTIONS if name not in ("max-t", "none")]
    found: list[str | Option] = [
        options.option("--measures LIST", type=str.split),
        options.option("--rates", **shares),
        options.option("--sample-rates", **shares),
        options.integer("--samples", "number of samples"),
        "--seed",
        options.changed("--alpha", type=_alpha, metavar="X"),
        "--test",
        options.changed("--correction", choices=corrections),
        options.option("--pool-depths N,N,...", type=_numbers("--pool-depths")),
        options.changed("--depths", type=_numbers("--depths")),
        options.integer("--pool-depth", "depth"),
        options.option("--pool-runs FILE", type=os.path.expanduser),
        options.option("--graded", action="store_true", default=None),
        "--groups",
        options.option("--topic TOPIC"),
        options.option("--run NAME"),
        "--docs-in-collection",
        options.repeated("--second QRELS", default=None),
    ]
    return options.in_group(OF_STUDIES, *found)


_share = options.number_where("a share from 0 to below 1", lambda value: 0 <= value < 1)
_alpha = options.number_where("a number above 0 and below 1", lambda value: 0 < value < 1)


def _shares(text: str) -> list[float]:
    values = [options.finite(word) for word in text.replace(",", " ").split()]
    if not values or not all(0 < value <= 1 for value in values):
        raise argparse.ArgumentTypeError(f"expected shares above 0 and up to 1, found {text!r}")
    return sorted(set(values))


def _numbers(flag: str) -> Callable[[str], list[int]]:
    """The reader of the depths that a flag takes, in order."""
    read = options.depths(flag)
    return lambda text: sorted(set(read(text)))


def run(args: Namespace) -> int:
    """Carries the command out."""
    from cranfield._study.definition import known, resolve_options

    study = known(args.name)
    if STDIN in (args.qrels, *args.runs):
        raise UsageError("a study reads files: standard input is read only once")
    collections_given = args.qrels.lower().endswith(".toml") and not args.runs
    if not args.runs and not collections_given and study.runs:
        raise UsageError("the following arguments are required: RUN")
    if collections_given and args.topic_groups is not None:
        raise UsageError("--topic-groups is about one collection: name QRELS and RUN")
    options = given(args, *(own.key[2:].replace("-", "_") for own in _of_studies()))
    resolve_options(args.name, options)
    try:
        with findings_said():
            outcome = _outcome(args, options, collections_given=collections_given)
    except KeyboardInterrupt:
        goes_on = f"; the same command goes on with what is not yet in {args.output}"
        written = os.path.isdir(args.output)
        note(f"interrupted{goes_on if written else ' before anything was written'}")
        raise
    if outcome.kept:
        note(f"{counted(len(outcome.kept), 'part')} finished before: kept")
    if not outcome.drawn:
        note("no figures without matplotlib: pip install 'cranfield[plot]'")
    note(f"wrote {outcome.page}")
    return 0


def _outcome(args: Namespace, options: Mapping[str, Any], *, collections_given: bool) -> Outcome:
    """What the study found, of one collection or of each of several."""
    from cranfield._scoring.collections import Collections
    from cranfield._study import runner
    from cranfield.study import Choice

    reading = evaluating(args)
    more: dict[str, Any] = {
        "choice": Choice(args.by, args.top, args.drop_worst, args.topics),
        "threads": reading.pop("threads"),
        "progress": reading.pop("progress"),
        "reading": reading,
        "rel": args.rel,
        "figures": args.figures,
        "command": output.command_line(args),
        **options,
    }
    if collections_given:
        collections = Collections.read(args.qrels)
        return runner.run_collections(args.name, collections, args.output, **more)
    qrels, runs, groups = read_grades(args, args.qrels), args.runs or None, args.topic_groups
    return runner.run(args.name, qrels, runs, args.output, topic_groups=groups, **more)
