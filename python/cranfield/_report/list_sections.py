"""Sections of a report that need judgments and lists: effectiveness by depth, coverage."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from cranfield._pages import svg
from cranfield._pages.page import Section, section
from cranfield._report.results import DEPTHS, Results


def depth(results: Results) -> Section:
    """How effectiveness changes down the list: measures by cutoff, precision by recall."""
    places = [results.reference, *results.competitors]
    names = results.runs(places)
    return section(
        "depth",
        "Effectiveness by depth",
        results=results,
        names=names,
        charts=list(_charts(results, places)) if results.lists is not None else [],
    )


BELOW = "the table below has the numbers"


def _charts(results: Results, places: Sequence[int]) -> Iterator[dict[str, Any]]:
    """The charts, each with a table of the same numbers."""
    lists, runs = results.lists, f"{len(places)} runs"
    assert lists is not None
    x = svg.x_axis(DEPTHS[0], DEPTHS[-1], "cutoff k", at=(1, 10, 100, 1000), log=True)
    columns = [f"@{depth}" for depth in DEPTHS]
    for family, scores in lists.by_depth(places).items():
        rows = scores.mean().tolist()
        label = f"{family} of {runs} at cutoffs from 1 to 1000; {BELOW}"
        chart = _lines(rows, DEPTHS, x, label)
        yield {"title": f"{family} by cutoff", "chart": chart, "columns": columns, "rows": rows}
    curves = [lists.precision_recall(place) for place in places]
    levels = curves[0].recall.tolist()
    rows = [curve.interpolated.tolist() for curve in curves]
    x = svg.x_axis(0, 1, "recall", at=(0, 0.2, 0.4, 0.6, 0.8, 1))
    title = "Interpolated precision by recall"
    label = f"Precision of {runs} at eleven levels of recall; {BELOW}"
    chart = _lines(rows, levels, x, label)
    columns = [f"{level:g}" for level in levels]
    yield {"title": title, "chart": chart, "columns": columns, "rows": rows}


def _lines(rows: Sequence[Sequence[float]], at: Sequence[float], x: svg.Axis, label: str) -> Markup:
    """A line for each run; the first is the one that the others are compared with."""
    scale = svg.spanning(value for row in rows for value in row)
    y = svg.y_axis(scale.low, scale.high, "")
    drawn, above = [], []
    for place, row in reversed(list(enumerate(rows))):
        kind = f"series{place}{' reference' if place == 0 and len(rows) > 1 else ''}"
        points = list(zip(at, row, strict=True))
        drawn.append(svg.line(x, y, points, kind))
        above += [svg.spot(x, y, point, kind) for point in points]
    return svg.chart(x, y, drawn, above, label=label)


MATTER = 20
"""How many unjudged documents are shown."""

LISTED = 500
"""How many unjudged documents the download has."""

_WHOLE = svg.Scale(0, 1)


def coverage(results: Results, open_places: Sequence[Unjudged]) -> Section:
    """How much was judged, what the rest could change, and what to judge next.

    ``open_places`` is what ``unjudged`` found.
    """
    bounds = results.bounds
    return section(
        "coverage",
        "Judgment coverage",
        results=results,
        judged=[] if results.judged is None else results.judged.measures,
        bounded=[] if bounds is None else bounds.measures,
        rows=list(_rows(results)),
        unjudged=open_places[:MATTER],
        more=max(len(open_places) - MATTER, 0),
    )


def _rows(results: Results) -> Iterator[dict[str, Any]]:
    """The proportion of judged documents and the bounds of each run that is shown."""
    judged, bounds = results.judged, results.bounds
    shares = None if judged is None else judged.mean()
    ends = np.empty((len(results.order), 0, 3)) if bounds is None else bounds.summary()
    scales = [svg.spanning(ends[:, measure].ravel().tolist()) for measure in range(ends.shape[1])]
    for place in results.shown:
        own = [] if shares is None else shares[place].tolist()
        yield {
            "run": results.scores.runs[place],
            "judged": own,
            "marks": [
                "" if math.isnan(share) else svg.cell(svg.bar(_WHOLE, share)) for share in own
            ],
            "bounds": [
                _bounded(scale, *of_measure)
                for scale, of_measure in zip(scales, ends[place].tolist(), strict=True)
            ],
        }


def _bounded(scale: svg.Scale, value: float, low: float, high: float) -> dict[str, Any]:
    """The cell of a value with its bounds."""
    mark = ""
    if not math.isnan(value):
        mark = svg.cell(svg.whisker(scale, low, high, "bounds"), svg.dot(scale, value))
    return {"value": value, "low": low, "high": high, "mark": mark}


@dataclass
class Unjudged:
    """A document to judge."""

    topic: str
    document: str
    text: str | None
    matters: float
    """By how much its grade moves the differences of the compared pairs, summed over these."""
    lists: int
    """In how many of the compared lists it is."""
    rank: int
    """Its best rank there."""


def unjudged(results: Results) -> list[Unjudged]:
    """The unjudged documents that matter most to the differences from the reference."""
    found: dict[tuple[str, str], Unjudged] = {}
    for pair in results.pairs_of_lists:
        topics = sum(not math.isnan(topic.difference) for topic in pair.topics) or 1
        for topic in pair.topics:
            for one in topic.unjudged:
                if one.matters <= 0:
                    break
                key = topic.topic, one.document
                if key not in found:
                    here = one.rank_a is not None
                    found[key] = Unjudged(
                        *key, one.text, 0.0, int(here), one.rank_a or one.rank_b or 0
                    )
                own = found[key]
                own.matters += one.matters / topics
                own.lists += one.rank_b is not None
                own.rank = min(own.rank, one.rank_b or own.rank)
    return sorted(found.values(), key=lambda one: (-one.matters, one.rank, one.topic))[:LISTED]
