"""How the values of each run are spread over topics."""

from __future__ import annotations

import numpy as np

from cranfield._pages import marks, templating

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cranfield._pages.templating import Section
    from cranfield._report.results import Results


def section(results: Results) -> Section:
    """The section."""
    scale = marks.spanning(results.by_topic.ravel().tolist())
    rows = []
    for place in results.shown:
        values = results.by_topic[place]
        known = values[~np.isnan(values)]
        quartiles = np.quantile(known, (0.25, 0.5, 0.75)).tolist() if len(known) else [np.nan] * 3
        rows.append(
            {
                "run": results.scores.runs[place],
                "mark": marks.box(scale, values),
                "quartiles": quartiles,
                "zeros": int((known == 0).sum()),
                "best": _firsts(results, place),
            }
        )
    return templating.section(
        "distribution",
        "Distribution over topics",
        results=results,
        rows=rows,
        low=scale.low,
        high=scale.high,
    )


def _firsts(results: Results, run: int) -> int:
    """In how many topics no run has a better value."""
    turned = results.turned * results.by_topic
    known = np.where(np.isnan(turned), -np.inf, turned)
    found = np.isfinite(known[run]) & (known[run] >= known.max(axis=0))
    return int(found.sum())
