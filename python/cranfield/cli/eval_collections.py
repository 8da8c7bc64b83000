"""``cranfield eval`` for several collections that a TOML file names."""

from __future__ import annotations

import math

from cranfield._core import DEFAULT_MEASURES
from cranfield.cli import output
from cranfield.cli.arguments import POLICIES, UsageError, evaluating
from cranfield.inputs.measures import as_measures
from cranfield.results import formats
from cranfield.results.direction import best_first
from cranfield.results.labels import measure_place
from cranfield.results.tables import ExtraCells, ExtraColumns, Table
from cranfield.results.uncertainty import interval_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from typing import Any

    from cranfield.results.collections import CollectionScores
    from cranfield.stats.intervals import Interval

FORMATS = ("table", "json", "csv", "tsv", "markdown", "latex", "html", "parquet")
"""The formats of these tables."""

ONE = ("bounds", "tiers", "per_topic", "topics", "topic_groups", "intents", "classes", "costs")
"""Options that are about one collection."""


def run(args: Namespace, form: str, ci: dict[str, Any] | None) -> int:
    """Scores the runs of each collection and writes a table with a column for each."""
    from cranfield.results.collections import Collections

    for name in ONE:
        if getattr(args, name):
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag} is about one collection: name QRELS and RUN")
    if args.ties == "bounds":
        raise UsageError("--ties bounds is about one collection: name QRELS and RUN")
    if args.ci_method not in (None, "percentile"):
        raise UsageError(
            "intervals over collections are the bootstrap's percentiles: leave out --ci-method"
        )
    if form not in FORMATS:
        raise UsageError(f"several collections are written as {', '.join(FORMATS)}; found {form}")
    found = Collections.read(args.qrels).evaluate(
        as_measures(args.measures or DEFAULT_MEASURES),
        **evaluating(args, (*POLICIES, "ties")),
    )
    interval = None
    if ci is not None:
        interval = found.interval(**{name: ci[name] for name in ("level", "seed") if name in ci})
    key = 0 if args.sort is None else measure_place(found.measures, args.sort)
    order = _order(found, key) if args.sort or form in PEOPLE else range(len(found.runs))
    if form == "json":
        data = formats.encoded(_json(found, order, interval))
    else:
        table = _table(found, order, interval)
        data = formats.tabular(table, form, _sentences(found, interval, form), "tab:collections")
        if form == "html":
            data = formats.whole_page(args.qrels, data, _sentences(found, interval, form))
    output.write(args.output, data)
    return 0


PEOPLE = ("table", "markdown", "latex", "html")
"""The formats for people, which have the best run first."""


def _order(found: CollectionScores, key: int) -> Sequence[int]:
    """The places of the runs, best first by the mean over collections."""
    measure = next(iter(found.values())).core.measures[key]
    return best_first(found.mean()[:, key].tolist(), measure)


def _table(found: CollectionScores, order: Sequence[int], interval: Interval | None) -> Table:
    """A row for each measure and run; columns for each collection, the mean and Borda's count."""
    table = found.table(order)
    table.columns = (*table.columns, "Borda")
    table.counts = {len(table.columns) - 1}
    if interval is not None:
        place = table.columns.index("mean")
        header = f"{100 * interval.level:.10g} % ci"
        table.extras = (ExtraColumns(place, header, ("mean ci low", "mean ci high")),)
    row = 0
    for column, measure in enumerate(found.measures):
        points = found.borda(measure)
        for run in order:
            labels, values = table.rows[row]
            table.rows[row] = labels, [*values, float(points[run])]
            if interval is not None:
                ends = float(interval.low[run, column]), float(interval.high[run, column])
                table.extra_cells[row] = [ExtraCells(interval_text(*ends), ends)]
            row += 1
    return table


def _sentences(found: CollectionScores, interval: Interval | None, form: str) -> list[str]:
    names = ", ".join(found)
    sentences = [f"Scores on {names}, and their mean."] if form == "latex" else []
    if interval is not None:
        sentences.append(
            f"ci: {100 * interval.level:.10g} % intervals of the mean over collections, from "
            "topics drawn within each."
        )
    return sentences


def _json(found: CollectionScores, order: Sequence[int], interval: Interval | None) -> str:
    import json

    from cranfield._core import __version__

    summary, means = found.summary(), found.mean()

    def known(value: float) -> float | None:
        return None if math.isnan(value) else float(value)

    measures = {}
    for column, measure in enumerate(found.measures):
        points = found.borda(measure)
        rows = []
        for run in order:
            entry: dict[str, Any] = {
                "run": found.runs[run],
                "collections": {
                    name: known(value)
                    for name, value in zip(found, summary[:, run, column], strict=True)
                },
                "mean": known(means[run, column]),
                "borda": float(points[run]),
            }
            if interval is not None:
                ends = interval.low[run, column], interval.high[run, column]
                entry["ci"] = dict(zip(("low", "high"), map(known, ends), strict=True))
            rows.append(entry)
        measures[measure] = rows
    content = {
        "schema_version": formats.SCHEMA_VERSION,
        "cranfield": __version__,
        "collections": list(found),
        "measures": measures,
    }
    return json.dumps(content, ensure_ascii=False) + "\n"
