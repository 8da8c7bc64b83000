"""Which runs differ: all pairs, corrected for their number, with effect sizes.

The tests are those of ``cranfield.stats``; the effect sizes are the mean
difference over the deviation of the pair's differences, and over that of the
residuals of a two-way analysis of variance (Sakai 2014).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield import meta, stats
from cranfield._base.scores_like import best_first
from cranfield._base.text import listed
from cranfield._scores.scores import Scores
from cranfield._stats.registry import CORRECTED, TESTS, check_means
from cranfield._study.definition import Study
from cranfield._study.folder import slug
from cranfield._study.inputs import Task
from cranfield._study.results import Figure, Found, Line, Panel, Table, percent
from cranfield._table.data_table import finite

MOST = 40
"""The largest number of runs whose means are drawn."""


def _compare(task: Task) -> Found:
    alpha, correction = task.options["alpha"], task.options["correction"]
    joint = TESTS[task.options["test"]].joint
    scores = task.inputs.scores(task.options["measures"])
    check_means(scores.core.measures)
    found = Found()
    summary: list[dict[str, Any]] = []
    says: list[str] = []
    for done, measure in enumerate(scores.measures, 1):
        one = scores.sel(measure=measure)
        result = task.tested(one)
        raw = np.asarray(result.pvalue)
        # Tukey's test already adjusts for multiple comparisons.
        corrected = {name: raw if joint else stats.correct(raw, name) for name in CORRECTED}
        chosen = corrected[correction]
        named = {CORRECTED[name]: values for name, values in corrected.items()}
        curves = {"uncorrected": raw, **named}
        found.tables.append(_pairs(task, measure, result, chosen))
        drawn = {"uncorrected": raw} if joint else curves
        found.figures += [_means(task, measure, one), _curves(task, measure, drawn)]
        counts = {name: (values < alpha).sum() for name, values in curves.items()}
        summary.append({"measure": measure, "pairs": len(raw), **counts})
        says.append(f"{(chosen < alpha).sum()} in {measure}")
        task.report(done, len(scores.measures))
    more = " It already adjusts for multiple comparisons." if joint else ""
    after = "" if joint else f" after {CORRECTED[correction]} correction"
    found.says = (
        f"Of {summary[0]['pairs']} pairs of runs, {listed(says)} are significantly different at "
        f"{alpha:g}{after}."
    )
    found.tables.insert(0, task.table("significant", summary, more=more))
    return found


def _curves(task: Task, measure: str, pvalues: Mapping[str, NDArray[np.float64]]) -> Figure:
    """The p-values of all pairs in order, by correction."""
    lines = [
        Line(label, range(1, len(values) + 1), np.sort(values), kind="curve", color=color)
        for color, (label, values) in enumerate(pvalues.items())
    ]
    alpha = task.options["alpha"]
    mark: dict[str, Any] = {"level": alpha, "level_label": f"level {alpha:g}"}
    panel = Panel("pairs of runs", "p-value", lines, limits=[0.0, 1.0], **mark)
    return task.figure("p-values", [panel], f"p-values-{slug(measure)}", measure=measure)


def _pairs(task: Task, measure: str, result: Any, corrected: Any) -> Table:
    """All pairs of runs, the most significant differences first."""
    order = np.lexsort((-np.abs(result.difference), result.pvalue))
    one, two = result.pairs[order].T
    columns = {
        "run": [result.runs[place] for place in one],
        "other": [result.runs[place] for place in two],
        "difference": result.difference[order],
        "p": result.pvalue[order],
        f"p ({CORRECTED[task.options['correction']]})": corrected[order],
    }
    for kind in ("dz", "residual"):
        columns[f"effect ({kind})"] = list(map(finite, result.effect_size(kind)[order].tolist()))
    return task.table("pairs", columns, f"pairs-{slug(measure)}", measure=measure)


def _means(task: Task, measure: str, scores: Scores) -> Figure:
    """The means of the best runs (the highest if there is no direction) with intervals."""
    means = scores.mean()[:, 0]
    interval = stats.mean_interval(scores)
    of = scores.core.measures[0]
    order = best_first(means.tolist(), of)[:MOST]
    ends = interval.low[order], interval.high[order]
    line = Line("mean", means[order], range(len(order)), *ends, kind="points")
    panel = Panel(f"mean {measure}", "", [line], names=[scores.runs[i] for i in order])
    which = "highest" if of.better is None else "best"
    shown = f"The {which} {MOST} of {len(means)} runs." if len(means) > MOST else ""
    return task.figure("means", [panel], f"means-{slug(measure)}", measure=measure, which=shown)


def _power(task: Task) -> Found:
    """Which pairs the measures agree on; nothing for a single measure."""
    scores = task.inputs.scores(task.options["measures"])
    if len(scores.measures) < 2:
        return Found()
    shared = meta.overlap(task.power(scores))
    columns = {"measure": scores.measures, **dict(zip(scores.measures, shared.T, strict=True))}
    above = shared[np.triu_indices(len(shared), 1)]
    ends = list(dict.fromkeys(map(percent, (np.min(above), np.max(above)))))
    says = (
        f"Two measures agree on {' to '.join(ends)} of the pairs that either finds significantly "
        "different."
    )
    return Found([task.table("overlap", columns)], says="" if np.isnan(above).any() else says)


SIGNIFICANCE = Study("significance", {"pairs": _compare, "overlap": _power})
