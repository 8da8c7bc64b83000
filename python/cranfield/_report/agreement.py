"""Which pairs of runs differ, and whether measures agree on the order of runs."""

from __future__ import annotations

import math

from cranfield import meta
from cranfield._core import Error
from cranfield._pages import templating
from cranfield._stats.registry import too_few_for_tau

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cranfield._pages.templating import Section
    from cranfield._report.results import Results

STEPS = ((0.001, "strong"), (0.01, "firm"), (0.05, "weak"))
"""Below which p-values cells are coloured, and how."""


def section(results: Results) -> Section:
    """The section."""
    return templating.section(
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
    return [
        {
            "run": results.scores.runs[place],
            "cells": [
                {"p": float(results.pvalues[place, other]), "kind": _kind(results, place, other)}
                for other in results.shown
            ],
        }
        for place in results.shown
    ]


def _kind(results: Results, place: int, other: int) -> str:
    """How a cell is coloured."""
    assert results.pvalues is not None
    value = float(results.pvalues[place, other])
    if math.isnan(value):
        return "same"
    return next((kind for limit, kind in STEPS if value < limit), "")


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
