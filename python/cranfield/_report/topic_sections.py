"""The section of a report about topics: where runs differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from cranfield._base.scores_like import ScoresKind, best_first
from cranfield._base.text import printable
from cranfield._core import Error
from cranfield._pages import svg, table
from cranfield._pages.table import signed
from cranfield._report.results import FEW, Results

TOPICS = 500
"""How many topics the table has, those of the largest differences."""

ACROSS, DOWN = 300, 150
"""How many topics and runs the map has."""

NAMED = 40
"""Up to so many runs the map names each row."""


def topics(results: Results) -> dict[str, Any]:
    """Where runs differ: topics by difference, all runs by topic, groups of topics."""
    several = bool(results.competitors)
    competitor = results.competitors[0] if several else results.best
    difference = results.signed(competitor)
    places = _largest(
        difference.tolist() if several else results.by_topic[competitor].tolist(), TOPICS
    )
    drawn = sorted((value for value in difference.tolist() if math.isfinite(value)), reverse=True)
    return {
        "several": several,
        "competitor": results.scores.runs[competitor],
        "columns": svg.column_chart(drawn) if several else "",
        "most": max(map(abs, drawn), default=0.0),
        "higher": sum(value > 1e-9 for value in drawn),
        "lower": sum(value < -1e-9 for value in drawn),
        "rows": len(places),
        "table": _table(results, competitor, places),
        "map": _map(results),
        "hardest": _hardest(results),
        "groups": _groups(results, competitor) if several else "",
    }


def _largest(values: list[float], number: int) -> list[int]:
    """The places of the largest values by size, in the order of all; undefined ones go first."""
    order = sorted(
        range(len(values)), key=lambda i: -abs(values[i]) if values[i] == values[i] else 0
    )
    return sorted(order[:number])


def _table(results: Results, competitor: int, places: list[int]) -> Markup:
    """The table of topics."""
    topics = [results.scores.topics[place] for place in places]
    values = results.by_topic[:, places]
    columns = [table.names("Topic", topics, "topic")]
    if results.queries:
        columns.append(table.queries(results.queries.get(topic) for topic in topics))
    columns.append(table.numbers("Mean of all", results.hardness[places].tolist(), "up"))
    if results.competitors:
        changes = results.signed(competitor)
        scale = svg.symmetric(changes.tolist())
        changes = changes[places].tolist()
        marks = [svg.difference(scale, change, change * results.turned) for change in changes]
        measure = results.scores.core.measures[0]
        firsts = [best_first(column, measure)[0] for column in values.T.tolist()]
        firsts_values = [values[run, place] for place, run in enumerate(firsts)]
        runs = map(table.cell, map(table.named, results.runs(firsts)))
        columns += [
            *_pair(results, competitor, values[[results.reference, competitor]].tolist()),
            table.numbers("Difference", changes, text=signed),
            table.drawn(Markup('<span class="unseen">Difference, drawn</span>'), marks),
            table.column("Best run", runs, "", "up"),
            table.numbers("Its value", firsts_values),
        ]
    rows = [Markup(' id="topic={}"').format(printable(topic)) for topic in topics]
    return table.table(columns, ' id="topic-table" class="sortable" data-name="topics"', rows=rows)


def _pair(
    results: Results, competitor: int, values: Sequence[Sequence[float]]
) -> Iterator[table.Column]:
    """The values of the reference and of its competitor."""
    for run, own in zip(results.runs([results.reference, competitor]), values, strict=True):
        yield table.numbers(table.named(run), own)


def _hardest(results: Results) -> list[dict[str, Any]]:
    """The topics in which runs do worst on average."""
    means = results.turned * results.hardness
    order = sorted((place for place, mean in enumerate(means) if mean == mean), key=means.item)
    return [
        {"topic": results.scores.topics[place], "mean": float(results.hardness[place])}
        for place in order[:FEW]
    ]


def _map(results: Results) -> dict[str, Any]:
    """Runs by topics as colored cells: best runs on top, hardest topics to the left."""
    hardness = np.nan_to_num(results.turned * results.hardness, nan=np.inf)
    topics = np.argsort(hardness, kind="stable")
    if len(topics) > ACROSS:
        known = np.nan_to_num(results.by_topic, nan=0.0)
        spread = known.max(axis=0) - known.min(axis=0)
        kept = set(np.argsort(-spread, kind="stable")[:ACROSS].tolist())
        topics = np.array([place for place in topics.tolist() if place in kept])
    runs = results.order[:DOWN]
    if results.reference not in runs:
        runs = [*runs[:-1], results.reference]
    values = results.by_topic[runs][:, topics]
    known = values[~np.isnan(values)]
    low = min(0.0, float(known.min())) if len(known) else 0.0
    high = float(known.max()) if len(known) else 1.0
    return {
        "cells": svg.heatmap(svg.levels(values, low, high)),
        "runs": results.runs(runs),
        "named": len(runs) <= NAMED,
        "topics": topics.tolist(),
        "places": runs,
        "low": low,
        "high": high,
        "levels": range(svg.LEVELS),
    }


def _groups(results: Results, competitor: int) -> str:
    """The difference in each group of topics."""
    if results.groups is None:
        return ""
    pair = results.runs([results.reference, competitor])
    means, ends, firsts = [], [], []
    for scores in results.groups.values():
        of_runs = scores.summary()[:, 0].tolist()
        firsts.append(best_first(of_runs, results.scores.core.measures[0])[0])
        means.append((of_runs[results.reference], of_runs[competitor]))
        ends.append(_interval(scores.sel(run=pair), results))
    changes = [second - first for first, second in means]
    scale = svg.symmetric(
        v for change, of in zip(changes, ends, strict=True) for v in (change, *of)
    )
    marks = [
        "" if math.isnan(change) else svg.effect(scale, change, *of, "")
        for change, of in zip(changes, ends, strict=True)
    ]
    sizes = [len(scores.topics) for scores in results.groups.values()]
    columns = [
        table.names("Group", results.groups),
        table.numbers("Topics", sizes, text=str),
        *_pair(results, competitor, list(zip(*means, strict=True))),
        table.drawn("Difference", marks),
        table.numbers("Difference", changes, text=signed),
        table.column(
            "Best run", (table.cell(table.linked(run, "run")) for run in results.runs(firsts))
        ),
    ]
    return table.sortable(columns, "groups")


def _interval(pair: ScoresKind, results: Results) -> tuple[float, float]:
    """The interval of the difference of two runs."""
    try:
        compared = pair.compare(results.main, baseline=0, level=results.testing.level)
    except Error:
        # One topic, or a measure that is not a mean: no interval.
        return math.nan, math.nan
    return compared.rows[0].interval_low, compared.rows[0].interval_high
