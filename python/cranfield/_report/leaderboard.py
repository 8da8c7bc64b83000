"""The table of all runs and measures."""

from __future__ import annotations

import re

from cranfield._base.scores_like import best
from cranfield._pages import marks, templating
from cranfield._table.tables import counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cranfield._pages.templating import Section
    from cranfield._report.results import Results

FEW_LETTERS = 4
"""A run in more groups than this shows the first and the last of their letters."""


def section(results: Results) -> Section:
    """The section."""
    columns = [_column(results, place) for place in range(len(results.scores.measures))]
    rows: list[dict[str, Any]] = [
        {"run": run, "number": number, "tier": None, "cells": [c[place] for c in columns]}
        for number, (place, run) in enumerate(
            zip(results.order, results.runs(results.order), strict=True), 1
        )
    ]
    tiers = results.tiers
    if tiers is not None:
        letters = zip(tiers.runs, tiers.letters, tiers.rank_low, tiers.rank_high, strict=True)
        by_run = {run: _tier(*own) for run, *own in letters}
        for row in rows:
            row["tier"] = by_run[row["run"]]
    pinned = None
    if results.baseline is not None:
        pinned = rows.pop(results.order.index(results.baseline))
    return templating.section(
        "leaderboard",
        "Leaderboard",
        results=results,
        measures=list(results.scores.better.items()),
        pinned=pinned,
        rows=rows,
        tiers=tiers,
    )


def _column(results: Results, measure: int) -> list[dict[str, Any]]:
    """The cells of a measure, by run: text, every digit, whether it is the best, its drawing."""
    values = results.summary[:, measure].tolist()
    lows = results.interval.low[:, measure].tolist()
    highs = results.interval.high[:, measure].tolist()
    scale = marks.spanning([*values, *highs])
    first = best(values, results.scores.core.measures[measure]) if len(values) > 1 else None
    count = measure in counts(results.scores)
    return [
        {
            "text": templating.plain(value, count=count),
            "value": templating.exact(value),
            "best": value == first,
            "mark": marks.interval(scale, value, low, high),
        }
        for value, low, high in zip(values, lows, highs, strict=True)
    ]


def _tier(letters: str, low: int, high: int) -> dict[str, Any]:
    """The tier of a run, and where it ranks when topics are resampled."""
    ranks = f"{low}–{high}" if low < high else f"{low}"  # noqa: RUF001
    return {"letters": shortened(letters), "ranks": ranks, "low": int(low)}


def shortened(letters: str) -> str:
    """The letters of a run's groups; many are shown as a range."""
    each = re.findall(r"\.*[a-zA-Z]", letters)
    return letters if len(each) <= FEW_LETTERS else f"{each[0]}–{each[-1]}"  # noqa: RUF001
