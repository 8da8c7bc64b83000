"""Sections of a report about runs: verdict, leaderboard, differences, distribution, agreement."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from cranfield import meta
from cranfield._base.scores_like import best
from cranfield._base.text import counted
from cranfield._core import Error
from cranfield._pages import svg
from cranfield._pages.page import Section, exact, number_text, percent, section
from cranfield._report.results import UNITS, Results
from cranfield._scoring import notices
from cranfield._stats.registry import of_zeros, too_few_for_tau

LOW = 0.8
"""A run of which less than this share of the first ten documents is judged is warned of."""


def verdict(results: Results) -> Section:
    """What a reader has to know first: warnings, who is best, and how sure that is."""
    runs = results.scores.runs
    best = results.best
    differences = list(results.differences.values())
    tiers = results.tiers
    found = results.differences.get(
        runs[best if results.baseline is not None else _second(results)]
    )
    return section(
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
        found = f"less than {percent(LOW)} of the first ten documents are judged: {percent(share)}"
    else:
        runs, verb = counted(len(low), "run"), "has" if len(low) == 1 else "have"
        found = (
            f"{runs} {verb} less than {percent(LOW)} of the first ten documents judged; the "
            f"lowest is {results.scores.runs[place]} with {percent(share)}"
        )
    yield f"{found}. Scores may be too low: see Judgment coverage"


def _judged(results: Results) -> tuple[float, float] | None:
    """The lowest and the highest share of judged documents among the first ten."""
    known = [share for share in results.judged_at_ten if not math.isnan(share)]
    return (min(known), max(known)) if known else None


FEW_LETTERS = 4
"""A run in more groups than this shows the first and the last of their letters."""


def leaderboard(results: Results) -> Section:
    """The table of all runs and measures."""
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
    return section(
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
    scale = svg.spanning([*values, *highs])
    first = best(values, results.scores.core.measures[measure]) if len(values) > 1 else None
    count = results.scores.core.measures[measure].aggregate == "sum"
    return [
        {
            "text": number_text(value, count=count),
            "value": exact(value),
            "best": value == first,
            "mark": svg.interval(scale, value, low, high),
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


def differences(results: Results) -> Section:
    """Differences to the baseline, each with its interval: a forest plot."""
    differences = list(results.differences.values())
    ends = [end for row in differences for end in (row.interval_low, row.interval_high)]
    scale = svg.symmetric([*ends, *(row.difference for row in differences)])
    rows = []
    for row in differences:
        gain = results.turned * row.difference
        kind = "" if not row.significant or results.better is None else "up" if gain > 0 else "down"
        mark = svg.effect(scale, row.difference, row.interval_low, row.interval_high, kind)
        rows.append({"row": row, "kind": kind, "mark": mark})
    return section(
        "differences",
        "Differences",
        results=results,
        rows=rows,
        reference=results.scores.runs[results.reference],
        most=scale.high,
    )


def distribution(results: Results) -> Section:
    """How the values of each run are spread over topics."""
    scale = svg.spanning(results.by_topic.ravel().tolist())
    rows = []
    for place in results.shown:
        values = results.by_topic[place]
        known = values[~np.isnan(values)]
        quartiles = np.quantile(known, (0.25, 0.5, 0.75)).tolist() if len(known) else [np.nan] * 3
        rows.append(
            {
                "run": results.scores.runs[place],
                "mark": svg.box(scale, values),
                "quartiles": quartiles,
                "zeros": int((known == 0).sum()),
                "best": _firsts(results, place),
            }
        )
    return section(
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


PVALUE_STEPS = ((0.001, "strong"), (0.01, "firm"), (0.05, "weak"))
"""Below which p-values cells are colored, and how."""


def agreement(results: Results) -> Section:
    """Which pairs of runs differ, and whether measures agree on the order of runs."""
    return section(
        "agreement",
        "Pairs of runs, agreement of measures",
        results=results,
        matrix=_matrix(results),
        taus=_taus(results),
        few=too_few_for_tau(len(results.scores.runs)),
    )


def _matrix(results: Results) -> list[dict[str, Any]]:
    """The corrected p-values of the runs that are shown."""
    if results.pvalues is None:
        return []
    shown, runs = results.shown, results.runs(results.shown)
    rows = results.pvalues[np.ix_(shown, shown)].tolist()
    return [
        {"run": run, "cells": [{"p": value, "kind": _kind(value)} for value in row]}
        for run, row in zip(runs, rows, strict=True)
    ]


def _kind(pvalue: float) -> str:
    """How a cell is colored."""
    if math.isnan(pvalue):
        return "same"
    return next((kind for limit, kind in PVALUE_STEPS if pvalue < limit), "")


def _taus(results: Results) -> list[dict[str, Any]]:
    """Kendall's tau of all pairs of measures that say how good a run is."""
    directed = [name for name, better in results.scores.better.items() if better is not None]
    if len(directed) < 2 or len(results.scores.runs) < 3:
        return []
    try:
        found = meta.correlation(results.scores.sel(measure=directed))
    except Error:
        # Undefined scores, or runs that all have the same mean.
        return []
    values = found.values.tolist()
    return [
        {"measure": name, "values": row} for name, row in zip(found.labels, values, strict=True)
    ]
