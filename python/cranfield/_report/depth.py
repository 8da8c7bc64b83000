"""How effectiveness changes down the list: measures by cutoff, precision by recall."""

from __future__ import annotations

from cranfield._pages import marks, planes, templating
from cranfield._report.lists import DEPTHS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from markupsafe import Markup

    from cranfield._pages.templating import Section
    from cranfield._report.results import Results


def section(results: Results) -> Section:
    """The section."""
    places = [results.reference, *results.competitors]
    names = results.runs(places)
    return templating.section(
        "depth",
        "Effectiveness by depth",
        results=results,
        names=names,
        charts=list(_charts(results, places)) if results.lists is not None else [],
    )


def _charts(results: Results, places: Sequence[int]) -> Iterator[dict[str, Any]]:
    """The charts, each with a table of the same numbers."""
    lists = results.lists
    assert lists is not None
    for family, scores in lists.by_depth(places).items():
        means = scores.mean().tolist()
        yield {
            "title": f"{family} by cutoff",
            "chart": _lines(
                means,
                DEPTHS,
                planes.across(DEPTHS[0], DEPTHS[-1], "cutoff k", at=(1, 10, 100, 1000), log=True),
                f"{family} of {len(places)} runs at cutoffs from 1 to 1000; the table "
                "below has the numbers",
            ),
            "columns": [f"@{depth}" for depth in DEPTHS],
            "rows": means,
        }
    curves = [lists.precision_recall(place) for place in places]
    levels = curves[0].recall.tolist()
    rows = [curve.interpolated.tolist() for curve in curves]
    yield {
        "title": "Interpolated precision by recall",
        "chart": _lines(
            rows,
            levels,
            planes.across(0, 1, "recall", at=(0, 0.2, 0.4, 0.6, 0.8, 1)),
            f"Precision of {len(places)} runs at eleven levels of recall; the table below "
            "has the numbers",
        ),
        "columns": [f"{level:g}" for level in levels],
        "rows": rows,
    }


def _lines(
    rows: Sequence[Sequence[float]], at: Sequence[float], x: planes.Axis, label: str
) -> Markup:
    """A line for each run; the first is the one that the others are compared with."""
    scale = marks.spanning(value for row in rows for value in row)
    y = planes.upward(scale.low, scale.high, "")
    drawn, above = [], []
    for place, row in reversed(list(enumerate(rows))):
        kind = f"series{place}{' reference' if place == 0 and len(rows) > 1 else ''}"
        points = list(zip(at, row, strict=True))
        drawn.append(planes.line(x, y, points, kind))
        above += [planes.dot(x, y, point, kind) for point in points]
    return planes.plane(x, y, drawn, above, label=label)
