"""What a reader has to know first: warnings, who is best, and how sure that is."""

from __future__ import annotations

import math

from cranfield._base.text import counted
from cranfield._pages import templating
from cranfield._report.results import UNITS
from cranfield._scoring import notices
from cranfield._stats.registry import of_zeros

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from cranfield._pages.templating import Section
    from cranfield._report.results import Results

LOW = 0.8
"""A run of which less than this share of the first ten documents is judged is warned of."""


def section(results: Results) -> Section:
    """The section."""
    runs = results.scores.runs
    best = results.best
    differences = list(results.differences.values())
    tiers = results.tiers
    found = results.differences.get(
        runs[best if results.baseline is not None else _second(results)]
    )
    return templating.section(
        "verdict",
        "Verdict",
        warnings=[*_notes(results), *_zeros(results), *_unjudged(results)],
        results=results,
        runs=runs,
        best=best,
        value=float(results.summary[best, 0]),
        low=float(results.interval.low[best, 0]),
        high=float(results.interval.high[best, 0]),
        unit=UNITS[results.scores.core.measures[0].aggregate],
        word={"higher": "best", "lower": "best", None: "highest"}[results.better],
        lower=results.better == "lower",
        against=found,
        tied=0 if tiers is None else len(_tied(results)),
        above=sum(row.significant and results.turned * row.difference > 0 for row in differences),
        below=sum(row.significant and results.turned * row.difference < 0 for row in differences),
        judged=_judged(results),
        left_out=results.lists is None,
    )


def _second(results: Results) -> int:
    """The second best run, or the only one."""
    return results.order[min(1, len(results.order) - 1)]


def _tied(results: Results) -> list[str]:
    """The runs that the test cannot tell from the best one."""
    best = results.best
    if results.pvalues is None:
        return []
    return [
        results.scores.runs[place]
        for place in results.order
        if place != best and not results.pvalues[place, best] < results.testing.alpha
    ]


def _notes(results: Results) -> list[str]:
    """What evaluating passed over."""
    notes = results.scores.core.notes
    if results.lists is None:
        return notices.of_runs(notes, results.scores.topics, "zero")
    lists = results.lists
    return notices.of_all(
        notes,
        lists.qrels,
        lists.measures,
        missing=lists.options.get("missing") or "zero",
        undefined=lists.options.get("undefined") or "zero",
        label="The judgments",
    )


def _zeros(results: Results) -> list[str]:
    """Runs without a relevant document, whose p-values say nothing else."""
    measures = results.scores.core.measures
    rising = [
        place
        for place, measure in enumerate(measures)
        if measure.better == "higher" and measure.aggregate == "mean" and measure.family != "Judged"
    ]
    means = zip(results.scores.runs, results.scores.mean()[:, rising].tolist(), strict=True)
    return of_zeros(dict(means), results.scores.notes) if rising else []


def _unjudged(results: Results) -> Iterator[str]:
    """Runs of which much was not judged."""
    shares = results.judged_at_ten
    low = [
        (share, place)
        for place, share in enumerate(shares)
        if share < LOW and not math.isnan(share)
    ]
    if not low:
        return
    share, place = min(low)
    if len(shares) == 1:
        yield (
            f"less than {templating.percent(LOW)} of the first ten documents are judged: "
            f"{templating.percent(share)}. Scores may be too low: see Judgment coverage"
        )
        return
    runs = counted(len(low), "run")
    verb = "has" if len(low) == 1 else "have"
    yield (
        f"{runs} {verb} less than {templating.percent(LOW)} of the first ten documents judged; the "
        f"lowest is {results.scores.runs[place]} with {templating.percent(share)}. Scores may be "
        "too low: see Judgment coverage"
    )


def _judged(results: Results) -> tuple[float, float] | None:
    """The lowest and the highest share of judged documents among the first ten."""
    known = [share for share in results.judged_at_ten if not math.isnan(share)]
    return (min(known), max(known)) if known else None
