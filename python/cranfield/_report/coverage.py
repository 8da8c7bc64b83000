"""How much was judged, what the rest could change, and what to judge next."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cranfield._pages import marks, templating

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from cranfield._pages.templating import Section
    from cranfield._report.results import Results

MATTER = 20
"""How many unjudged documents are shown."""

LISTED = 500
"""How many unjudged documents the download has."""

_WHOLE = marks.Scale(0, 1)


def section(results: Results, open_places: Sequence[Unjudged]) -> Section:
    """The section; ``open_places`` is what ``unjudged`` found."""
    bounds = results.bounds
    return templating.section(
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
    """The share of judged documents and the bounds of each run that is shown."""
    judged, bounds = results.judged, results.bounds
    shares = None if judged is None else judged.mean()
    ends = None if bounds is None else bounds.summary()
    scales = (
        []
        if ends is None
        else [marks.spanning(ends[:, place].ravel().tolist()) for place in range(ends.shape[1])]
    )
    for place in results.shown:
        cells = []
        for scale, (value, low, high) in zip(
            scales, [] if ends is None else ends[place].tolist(), strict=True
        ):
            mark = (
                ""
                if math.isnan(value)
                else marks.cell(marks.whisker(scale, low, high, "bounds"), marks.dot(scale, value))
            )
            cells.append({"value": value, "low": low, "high": high, "mark": mark})
        own = [] if shares is None else shares[place].tolist()
        yield {
            "run": results.scores.runs[place],
            "judged": own,
            "marks": [
                "" if math.isnan(share) else marks.cell(marks.bar(_WHOLE, share)) for share in own
            ],
            "bounds": cells,
        }


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
