"""``cranfield describe``: what judgments and runs are like.

Describes judgments and runs: how many documents are judged and relevant, how long the rankings are,
how many scores are tied, and how much of each run was judged.

examples:
  cranfield describe qrels.txt
  cranfield describe qrels.txt 'runs/*.gz'
  cranfield describe qrels.txt --per-topic --format csv
  cranfield describe gold.tsv --layout spans --chunks chunks.tsv
"""

from __future__ import annotations

import os
from argparse import Namespace
from functools import partial
from typing import Any

from cranfield._analysis import describe as description
from cranfield._analysis.describe import Description
from cranfield._analysis.spans import splitter
from cranfield._base.scores_like import ALL
from cranfield._base.text import in_topic_order
from cranfield._cli import options, output
from cranfield._cli.inputs import evaluating, named, over_runs, read_judgments
from cranfield._cli.parser import Parser
from cranfield._cli.streams import note
from cranfield._scoring import notices
from cranfield._table.data_table import DataTable


def parser() -> Parser:
    """The arguments of the command."""
    usual = ",".join(map(str, description.DEPTHS))
    return options.command(
        "describe",
        __doc__,
        "QRELS",
        options.changed("RUN", nargs="*"),
        options.changed("--depths", default=description.DEPTHS, values={"default": usual}),
        options.changed("--rel", default=1.0),
        "--per-topic --topic-groups --format",
        "--digits --output --keep-going working --order --scores",
        options.changed("--duplicates", default="first"),
        "--own-document --negative beside-spans files",
    )


def run(args: Namespace) -> int:
    """Carries the command out."""
    form = output.form(args.output, args.format, output.FORMATS)
    qrels = read_judgments(args, spans=True)
    split = None if args.chunks is None else splitter(qrels, args.chunks, rel=args.rel)
    asked = named(args, "depths", "rel", "topic_groups")
    described = partial(description.describe, qrels, **asked, **evaluating(args))
    found, status = over_runs(args, described)
    without = found.topics_without_relevant
    about: dict[str, Any] = {"rel": found.rel, "without_relevant": without, "label": args.qrels}
    note(*notices.of_description(found.notes, qrels, **about))
    tables = {group: _table(part, args) for group, part in {**found.groups, ALL: found}.items()}
    content = partial(_all, found, args)
    if split is not None:
        own = split.table() if args.per_topic else split.summary()
        content = partial(_with_chunks, found, own, args)
        tables = tables if args.runs else {ALL: own}
    how = {"per_topic": args.per_topic}
    data = output.of_result(found, form, args, content, tables=tables, **how)
    if split is not None and form in output.PEOPLE:
        data += "\n" + output.of_result(split, form, args, content, **how)
    output.write_tables(args.output, data, form, os.path.basename(args.qrels), "Description")
    return status


def _table(found: Description, args: Namespace) -> DataTable:
    """The one table that csv and tsv hold."""
    if args.per_topic:
        return found.topics.only(in_topic_order(found.topics.labels))
    return found.runs if args.runs else found.judgments


def _all(found: Description, args: Namespace) -> dict[str, Any]:
    """What JSON has."""
    groups = [{"group": group, **_content(part, args)} for group, part in found.groups.items()]
    head = {"rel": found.rel, **({"groups": groups} if groups else {})}
    return {**head, **_content(found, args)}


def _with_chunks(found: Description, chunks: DataTable, args: Namespace) -> dict[str, Any]:
    """The same, and what the chunks of an index could reach."""
    return {**_all(found, args), "chunks": chunks.rounded(args.digits).to_dict()}


def _content(found: Description, args: Namespace) -> dict[str, Any]:
    """What JSON has of all topics, or of a group."""
    content: dict[str, Any] = {
        "topics": found.topics.labels,
        "judgments": found.judgments.rounded(args.digits).to_dict(),
        "topics_r_above_n": found.topics_r_above_n,
        "topics_r_above_100": found.topics_r_above_100,
        "topics_without_relevant": found.topics_without_relevant,
    }
    if args.per_topic:
        content["per_topic"] = found.topics.to_dict()
    content["runs"] = []
    for run, row in found.runs.rounded(args.digits).to_dict().items():
        entry = {"run": run, **row}
        if run in found.notes:
            entry |= {name: getattr(found.notes[run], name) for name in _NOTED}
        content["runs"].append(entry)
    return content


_NOTED = ("topics_missing", "topics_without_judgments")
"""What JSON has of the notes of a run."""
