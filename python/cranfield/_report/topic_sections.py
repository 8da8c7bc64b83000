"""The section of a report about topics: where runs differ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from cranfield._base.scores_like import best_first
from cranfield._core import Error
from cranfield._pages import svg
from cranfield._pages.page import Section, section
from cranfield._report.results import FEW, Results

TOPICS = 500
"""How many topics the table has, those of the largest differences."""

ACROSS, DOWN = 300, 150
"""How many topics and runs the map has."""

NAMED = 40
"""Up to so many runs the map names each row."""


def topics(results: Results) -> Section:
    """Where runs differ: topics by difference, all runs by topic, groups of topics."""
    several = bool(results.competitors)
    competitor = results.competitors[0] if several else results.best
    difference = results.signed(competitor)
    places = _largest(
        difference.tolist() if several else results.by_topic[competitor].tolist(), TOPICS
    )
    drawn = sorted((value for value in difference.tolist() if math.isfinite(value)), reverse=True)
    return section(
        "topics",
        "Topics",
        results=results,
        several=several,
        competitor=results.scores.runs[competitor],
        reference=results.scores.runs[results.reference],
        columns=svg.column_chart(drawn) if several else "",
        most=max(map(abs, drawn), default=0.0),
        higher=sum(value > 1e-9 for value in drawn),
        lower=sum(value < -1e-9 for value in drawn),
        rows=list(_rows(results, competitor, places)),
        map=_map(results),
        hardest=_hardest(results),
        groups=list(_groups(results, competitor)) if several else [],
    )


def _largest(values: list[float], number: int) -> list[int]:
    """The places of the largest values by size, in the order of all; undefined ones go first."""
    order = sorted(
        range(len(values)), key=lambda i: -abs(values[i]) if values[i] == values[i] else 0
    )
    return sorted(order[:number])


def _rows(results: Results, competitor: int, places: list[int]) -> Iterator[dict[str, Any]]:
    """The rows of the table of topics."""
    difference = results.signed(competitor)
    values = results.by_topic
    scale = svg.symmetric(difference.tolist())
    measure = results.scores.core.measures[0]
    for place in places:
        column = values[:, place].tolist()
        best = best_first(column, measure)[0]
        change = float(difference[place])
        yield {
            "topic": results.scores.topics[place],
            "query": results.queries.get(results.scores.topics[place]),
            "mean": float(results.hardness[place]),
            "reference": column[results.reference],
            "competitor": column[competitor],
            "difference": change,
            "mark": svg.difference(scale, change, change * results.turned),
            "best": results.scores.runs[best],
            "best_value": column[best],
        }


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


def _groups(results: Results, competitor: int) -> Iterator[dict[str, Any]]:
    """The difference in each group of topics."""
    if results.groups is None:
        return
    rows = []
    pair = results.runs([results.reference, competitor])
    for group, scores in results.groups.items():
        means = scores.summary()[:, 0].tolist()
        best = best_first(means, results.scores.core.measures[0])[0]
        try:
            pairs = scores.sel(run=pair).compare(
                results.main, baseline=0, level=results.testing.level
            )
            ends = pairs.rows[0].interval_low, pairs.rows[0].interval_high
        except Error:
            # One topic, or a measure that is not a mean: no interval.
            ends = math.nan, math.nan
        rows.append(
            {
                "group": group,
                "topics": len(scores.topics),
                "reference": means[results.reference],
                "competitor": means[competitor],
                "difference": means[competitor] - means[results.reference],
                "low": ends[0],
                "high": ends[1],
                "best": results.scores.runs[best],
            }
        )
    scale = svg.symmetric(v for row in rows for v in (row["difference"], row["low"], row["high"]))
    for row in rows:
        change, low, high = row["difference"], row["low"], row["high"]
        row["mark"] = "" if math.isnan(change) else svg.effect(scale, change, low, high, "")
        yield row
