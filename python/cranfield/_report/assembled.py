"""The sections of a report in their order."""

from __future__ import annotations

from cranfield._base.text import counted
from cranfield._pages.page import page
from cranfield._report import (
    agreement,
    coverage,
    definitions,
    depth,
    distribution,
    forest,
    leaderboard,
    methods,
    topics,
    verdict,
)
from cranfield._report.data import data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cranfield._report.results import Results


def html(results: Results, title: str, command: str = "") -> str:
    """The whole file."""
    scores = results.scores
    open_places = coverage.unjudged(results)
    sections = [
        verdict.section(results),
        leaderboard.section(results),
        forest.section(results),
        topics.section(results),
        depth.section(results),
        distribution.section(results),
        coverage.section(results, open_places),
        agreement.section(results),
        definitions.section(results),
        methods.section(results, command),
    ]
    facts = [
        counted(len(scores.runs), "run"),
        counted(len(scores.topics), "topic"),
        counted(len(scores.measures), "measure"),
        *([] if results.baseline is None else [f"baseline {scores.runs[results.baseline]}"]),
    ]
    embedded = data(results, open_places)
    return page(title, facts, sections, scripts=["charts.js", "topics.js"], data=embedded)
