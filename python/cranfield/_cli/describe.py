"""``cranfield describe``: what judgments and runs are like."""

from __future__ import annotations

import os
from argparse import Namespace
from functools import partial
from typing import Any

from cranfield._analysis import describe as description
from cranfield._analysis.describe import Description
from cranfield._base.scores_like import ALL
from cranfield._base.text import in_topic_order
from cranfield._cli import output
from cranfield._cli.inputs import evaluating, named, over_runs, read_judgments
from cranfield._cli.options import FILES, WORKING, changed, command
from cranfield._cli.parser import Parser
from cranfield._cli.streams import say
from cranfield._scoring import notices
from cranfield._table import writers
from cranfield._table.data_table import DataTable
from cranfield._table.result import for_people
from cranfield._table.tables import Setting


def parser() -> Parser:
    """The arguments of the command."""
    usual = ",".join(map(str, description.DEPTHS))
    return command(
        "describe",
        "Describes judgments and runs: how many documents are judged and relevant, how long the "
        "rankings are, how many scores are tied, and how much of each run was judged.",
        "examples:\n"
        "  cranfield describe qrels.txt\n"
        "  cranfield describe qrels.txt 'runs/*.gz'\n"
        "  cranfield describe qrels.txt --per-topic --format csv",
        "QRELS",
        changed("RUN", nargs="*"),
        changed(
            "--depths",
            f"depths at which to report the proportion of judged documents (default {usual})",
            default=description.DEPTHS,
        ),
        changed("--rel", default=1.0, note=" (default 1)"),
        changed("--per-topic", "add the judgments of each topic"),
        changed("--topic-groups", note="; describes each group, then all topics"),
        changed(
            "--format",
            choices=output.FORMATS,
            note="; csv and tsv contain one table: topics with --per-topic, else runs, or "
            "judgments if there are no runs",
        ),
        *("--digits", "--output", "--keep-going"),
        *WORKING,
        *("--order", "--scores"),
        changed("--duplicates", default="first", note=" (default first)"),
        *("--own-document", "--negative"),
        *FILES,
    )


def run(args: Namespace) -> int:
    """Carries the command out."""
    form = output.form(args.output, args.format, output.FORMATS)
    qrels = read_judgments(args)

    asked = named(args, "depths", "rel", "topic_groups")
    described = partial(description.describe, qrels, **asked, **evaluating(args))
    found, status = over_runs(args, described)
    if not args.quiet:
        say(
            *notices.of_description(
                found.notes,
                qrels,
                rel=found.rel,
                without_relevant=found.topics_without_relevant,
                label=args.qrels,
            )
        )
    data = _data(found, form, args)
    output.write_tables(args.output, data, form, os.path.basename(args.qrels), "Description")
    return status


def _data(found: Description, form: str, args: Namespace) -> bytes | str:
    """The description in a format."""
    per_topic = args.per_topic
    if form == "json":
        return _json(found, per_topic=per_topic, digits=args.digits)
    if form in writers.DELIMITERS:
        parts = {**found.groups, ALL: found}
        tables = {group: _table(part, args).rounded(args.digits) for group, part in parts.items()}
        return output.separated(tables, form)
    setting = Setting(output.width(args.output))
    return for_people(found, form, args.digits, setting, per_topic=per_topic)


def _table(found: Description, args: Namespace) -> DataTable:
    """The one table that csv and tsv hold."""
    if args.per_topic:
        return found.topics.only(in_topic_order(found.topics.labels))
    return found.runs if args.runs else found.judgments


def _json(found: Description, *, per_topic: bool, digits: int | None) -> str:
    content: dict[str, Any] = {"rel": found.rel}
    if found.groups:
        content["groups"] = [
            {"group": group, **_content(part, per_topic=per_topic, digits=digits)}
            for group, part in found.groups.items()
        ]
    content |= _content(found, per_topic=per_topic, digits=digits)
    return writers.in_json(content)


def _content(found: Description, *, per_topic: bool, digits: int | None) -> dict[str, Any]:
    """What JSON has of all topics, or of a group."""
    content: dict[str, Any] = {
        "topics": found.topics.labels,
        "judgments": found.judgments.rounded(digits).to_dict(),
        "topics_r_above_n": found.topics_r_above_n,
        "topics_r_above_100": found.topics_r_above_100,
        "topics_without_relevant": found.topics_without_relevant,
    }
    if per_topic:
        content["per_topic"] = found.topics.to_dict()
    content["runs"] = []
    for run, row in found.runs.rounded(digits).to_dict().items():
        entry = {"run": run, **row}
        if run in found.notes:
            notes = found.notes[run]
            entry["topics_missing"] = notes.topics_missing
            entry["topics_without_judgments"] = notes.topics_without_judgments
        content["runs"].append(entry)
    return content
