"""Sections of a report that need judgments and lists: effectiveness by depth, coverage."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2.filters import do_truncate
from markupsafe import Markup

from cranfield._analysis.diff import Diff
from cranfield._base.scores_like import ScoresKind
from cranfield._base.text import UNDEFINED, printable
from cranfield._pages import svg, table
from cranfield._pages.page import environment
from cranfield._pages.table import exact, number_text, percent, signed
from cranfield._report.results import Results
from cranfield._scores.bounds import Bounds
from cranfield._scoring.deciding import planned, spread


def depth(results: Results) -> dict[str, Any]:
    """How effectiveness changes down the list: measures by cutoff, precision by recall."""
    places = [results.reference, *results.competitors]
    names = results.runs(places)
    return {
        "names": names,
        "charts": list(_charts(results, places)) if results.lists is not None else [],
    }


def _charts(results: Results, places: Sequence[int]) -> Iterator[dict[str, Any]]:
    """The charts, each with a table of the same numbers."""
    lists, runs = results.lists, f"{len(places)} runs"
    assert lists is not None

    def chart(
        title: str, what: str, x: svg.Axis, at: Sequence[float], mark: str, rows: list[list[float]]
    ) -> dict[str, Any]:
        label = f"{what}; the table below has the numbers"
        heads = (f"{mark}{value:g}" for value in at)
        columns = [table.names("Run", results.runs(places), first="")]
        columns += [
            table.numbers(head, values, "")
            for head, values in zip(heads, zip(*rows, strict=True), strict=True)
        ]
        numbers = table.table(columns, Markup(' data-name="{}"').format(title))
        return {"title": title, "chart": _lines(rows, at, x, label), "table": numbers}

    for curve in lists.by_depth(places):
        first, last = curve.ends[0], curve.ends[-1]
        ticks = [10**power for power in range(6) if first <= 10**power <= last]
        x = svg.x_axis(first, last, curve.axis, at=ticks, log=True)
        what = f"{curve.name} of {runs} at cutoffs from {first} to {last}"
        title = f"{curve.name} by {curve.axis.removesuffix(' k')}"
        yield chart(title, what, x, curve.ends, curve.mark, curve.scores.mean().tolist())
    curves = [lists.precision_recall(place) for place in places]
    x = svg.x_axis(0, 1, "recall", at=(0, 0.2, 0.4, 0.6, 0.8, 1))
    what = f"Precision of {runs} at eleven levels of recall"
    rows = [curve.interpolated.tolist() for curve in curves]
    levels = curves[0].recall.tolist()
    yield chart("Interpolated precision by recall", what, x, levels, "", rows)


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
"""How many unjudged documents are listed, of as many topics."""

_WHOLE = svg.Scale(0, 1)


def coverage(results: Results, open_places: Sequence[Unjudged]) -> dict[str, Any]:
    """How much was judged, what the rest could change, and what to judge next.

    ``open_places`` is what ``unjudged`` found.
    """
    judged, bounds = results.judged, results.bounds
    return {
        "judged": "" if judged is None else _judged(results, judged),
        "bounded": [] if bounds is None else bounds.measures,
        "bounds": "" if bounds is None else _bounds(results, bounds),
        "pairs": _pairs(results) if results.pairs_of_lists else "",
        "unjudged": _to_judge(open_places) if open_places else "",
    }


def _judged(results: Results, judged: ScoresKind) -> Markup:
    """The proportion of judged documents of each run that is shown."""
    columns = [table.names("Run", results.runs(results.shown), "run")]
    shares = judged.mean()[results.shown].T.tolist()
    for name, values in zip(judged.measures, shares, strict=True):
        marks = ["" if math.isnan(v) else svg.cell(svg.bar(_WHOLE, v)) for v in values]
        columns.append(table.numbers(printable(name), values, text=percent, marks=marks))
    return table.sortable(columns, "coverage")


def _bounds(results: Results, bounds: Bounds) -> Markup:
    """The bounds of each run that is shown."""
    columns = [table.names("Run", results.runs(results.shown), "run")]
    for place, name in enumerate(bounds.measures):
        ends = bounds.summary()[:, place]
        scale = svg.spanning(ends.ravel().tolist())
        rows = ends[results.shown].tolist()
        columns.append(table.numbers(printable(name), [value for value, _, _ in rows]))
        cells = (_bounded(scale, *of_run) for of_run in rows)
        columns.append(table.column("lowest … highest", cells, "band"))
    return table.sortable(columns, "bounds")


def _pairs(results: Results) -> Markup:
    """The differences of the pairs of lists: how alike these are, and what judging could change."""
    pairs = results.pairs_of_lists
    assert results.lists is not None
    alike = [results.lists.alike.get(pair.runs[1]) for pair in pairs]

    def mean(name: str) -> list[float]:
        return [math.nan if one is None else float(one.alike[name].mean()) for one in alike]

    free = [math.nan if one is None else float(one.low[0, :, 0].mean()) for one in alike]
    columns = [
        table.names("Run", [pair.runs[1] for pair in pairs], "run"),
        table.numbers("Overlap@10", mean("overlap")),
        table.numbers("Same first", mean("same_first"), text=percent),
        table.numbers("Difference", [pair.difference for pair in pairs], text=signed),
        table.numbers("Lowest", [pair.low for pair in pairs], "up", text=signed),
        table.numbers("Highest", [pair.high for pair in pairs], text=signed),
        table.column("Bounds", [table.cell(pair.bounds or UNDEFINED) for pair in pairs]),
        table.numbers("Lowest, nothing judged", free, "up", text=signed),
    ]
    return table.sortable(columns, "pairs")


def _bounded(scale: svg.Scale, value: float, low: float, high: float) -> Markup:
    """The cell of the bounds of a value."""
    mark = ""
    if not math.isnan(value):
        mark = svg.cell(svg.whisker(scale, low, high, "bounds"), svg.dot(scale, value))
    first, last = number_text(low), number_text(high)
    sizes = Markup('data-low="{}" data-high="{}" title="{} to {}"')
    attributes = sizes.format(exact(low), exact(high), first, last)
    content = Markup("{}<small>{} … {}</small>").format(mark, first, last)
    return Markup('<td class="band" {}>{}</td>').format(attributes, content)


def _to_judge(found: Sequence[Unjudged]) -> Markup:
    """The unjudged documents that matter most."""
    columns = [
        table.column(
            "Topic", (table.cell(table.linked(one.topic, "topic")) for one in found), "", "up"
        ),
        table.column("Document", map(_document, found), "", "up"),
        table.numbers("Best rank", [one.rank for one in found], "up", text=str),
        table.numbers("Lists", [one.lists for one in found], text=str),
        table.numbers("Moves the differences by", [one.matters for one in found]),
    ]
    return table.sortable(columns, "to-judge")


def _document(one: Unjudged) -> Markup:
    """A document with the beginning of its text."""
    text = Markup(' <span class="text"><bdi>{}</bdi></span>')
    beside = text.format(do_truncate(environment(), printable(one.text), 80)) if one.text else ""
    return table.heading(table.named(one.document) + beside)


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
    worth: float = 0.0
    """How much judging it helps to tell which run is better, summed as ``matters``."""


def unjudged(results: Results) -> list[Unjudged]:
    """The unjudged documents that would tell most about who is better, the best of each topic.

    What a document tells is its worth in ``collection.decide``, for the reference and each of the
    compared runs.
    """
    found: dict[tuple[str, str], Unjudged] = {}
    for pair in results.pairs_of_lists:
        topics = sum(not math.isnan(topic.difference) for topic in pair.topics) or 1
        worth = _worth(pair, results)
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
                own.worth += worth.get(key, 0.0)
                own.lists += one.rank_b is not None
                own.rank = min(own.rank, one.rank_b or own.rank)
    ordered = sorted(found.values(), key=lambda one: (-one.matters, one.rank, one.topic))
    places = spread([one.topic for one in ordered], [one.worth for one in ordered], first=True)
    return [ordered[place] for place in places[:MATTER]]


def _worth(pair: Diff, results: Results) -> dict[tuple[str, str], float]:
    """How much judging each document helps to fix the sign of a pair's difference."""
    if results.lists is None:
        return {}
    rows = [
        (topic.topic, topic.low, topic.high, topic._lists, topic._unjudged)
        for topic in pair.topics
        if not math.isnan(topic.low)
    ]
    lists = results.lists
    plan = planned(
        *(pair.runs, pair.measure, rows, lists.qrels, lists.rel), count=10**9, simulations=0
    )
    return {(one.topic, one.document): one.worth for one in plan.documents}
