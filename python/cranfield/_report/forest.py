"""Differences to the baseline, each with its interval: a forest plot."""

from __future__ import annotations

from cranfield._pages import marks, templating

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cranfield._pages.templating import Section
    from cranfield._report.results import Results


def section(results: Results) -> Section:
    """The section."""
    differences = list(results.differences.values())
    ends = [end for row in differences for end in (row.interval_low, row.interval_high)]
    scale = marks.symmetric([*ends, *(row.difference for row in differences)])
    rows = []
    for row in differences:
        gain = results.turned * row.difference
        kind = "" if not row.significant or results.better is None else "up" if gain > 0 else "down"
        mark = marks.effect(scale, row.difference, row.interval_low, row.interval_high, kind)
        rows.append({"row": row, "kind": kind, "mark": mark})
    return templating.section(
        "differences",
        "Differences",
        results=results,
        rows=rows,
        reference=results.scores.runs[results.reference],
        most=scale.high,
    )
