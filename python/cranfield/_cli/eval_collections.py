"""``cranfield eval`` for several collections that a TOML file names."""

from __future__ import annotations

import math

from cranfield._base.errors import received_by
from cranfield._base.text import rounded
from cranfield._cli import output
from cranfield._cli.inputs import evaluating
from cranfield._cli.streams import UsageError, say
from cranfield._core import DEFAULT_MEASURES
from cranfield._measures.labels import measure_place
from cranfield._measures.parse import as_measures
from cranfield._scores import collection_scores
from cranfield._scores.groups import ALL, all_is_no_group
from cranfield._scoring.collections import Collections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from typing import Any

    from cranfield._scores.collection_scores import Block, CollectionScores

FORMATS = (*output.FORMATS, "parquet")
"""The formats of these tables."""

ONE = (
    *("bounds", "per_topic", "topics", "intents", "classes", "costs", "layout"),
    *("levels", "docs_in_collection", "keep_going"),
)
"""Options that are about one collection."""


def run(args: Namespace, form: str, ci: dict[str, Any] | None, tiers: dict[str, Any] | None) -> int:
    """Scores the runs of each collection and writes a table with a column for each."""
    for name in ONE:
        if getattr(args, name):
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag} is about one collection: name QRELS and RUN")
    if args.ties == "bounds":
        raise UsageError("--ties bounds is about one collection: name QRELS and RUN")
    if form not in FORMATS:
        raise UsageError(f"several collections are written as {', '.join(FORMATS)}; found {form}")
    with received_by(lambda lines: None if args.quiet else say(*lines)):
        found = Collections.read(args.qrels).evaluate(
            as_measures(args.measures or DEFAULT_MEASURES), **evaluating(args)
        )
    if (ci or tiers) and all(m.aggregate != "mean" for m in found.measure_objects):
        flag, names = "--ci" if ci else "--tiers", " ".join(found.measures)
        raise UsageError(f"{flag} is about means over topics, and none of the measures is: {names}")
    if ci is not None:
        ci = {**_given(ci), "method": args.ci_method or "percentile"}
    key = 0 if args.sort is None else measure_place(found.measures, args.sort)
    blocks = [
        collection_scores.block_of(
            part,
            key if args.sort or form in output.PEOPLE else None,
            ci,
            None if tiers is None else _given(tiers),
            group,
        )
        for group, part in _groups(found, args.topic_groups).items()
    ]
    if form == "json":
        output.write(args.output, _json(blocks, args.digits))
        return 0
    width = output.width(args.output)
    data = collection_scores.written(blocks, form, digits=args.digits, width=width)
    output.write_tables(args.output, data, form, args.qrels, "Scores on several collections")
    return 0


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """The level and the seed, where they were given."""
    return {name: options[name] for name in ("level", "seed") if name in options}


def _groups(found: CollectionScores, topic_groups: str | None) -> dict[str, CollectionScores]:
    """The scores of each group of topics, and last of all topics."""
    if topic_groups is None:
        return {ALL: found}
    groups = found.by_group(topic_groups)
    if ALL in groups:
        raise all_is_no_group(topic_groups)
    return {**groups, ALL: found}


def _json(blocks: Sequence[Block], digits: int | None) -> str:
    whole = blocks[-1].found
    groups = [
        {
            "group": block.group,
            "topics": {name: list(scores.topics) for name, scores in block.found.items()},
            "measures": _measures(block, digits),
        }
        for block in blocks[:-1]
    ]
    content = {
        "collections": list(whole),
        **({"groups": groups} if groups else {}),
        "measures": _measures(blocks[-1], digits),
    }
    return output.in_json(content)


def _measures(block: Block, digits: int | None) -> dict[str, list[dict[str, Any]]]:
    """The runs in each measure."""
    found, uncertainty = block.found, block.uncertainty
    summary, means = found.summary(), found.mean()

    def known(value: float) -> float | None:
        return None if math.isnan(value) else rounded([float(value)], digits)[0]

    measures = {}
    for column, measure in enumerate(found.measures):
        points = found.borda(measure)
        rows = []
        for run in block.order:
            entry: dict[str, Any] = {
                "run": found.runs[run],
                "collections": {
                    name: known(value)
                    for name, value in zip(found, summary[:, run, column], strict=True)
                },
                "mean": known(means[run, column]),
                "borda": float(points[run]),
            }
            rows.append(entry | uncertainty.of(run, column, digits))
        measures[measure] = rows
    return measures
