"""Which runs differ: all pairs, corrected for their number, with effect sizes.

The tests are those of ``cranfield.stats``; the effect sizes are the mean
difference over the deviation of the pair's differences, and over that of the
residuals of a two-way analysis of variance (Sakai 2014).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield import meta, stats
from cranfield._base.scores_like import best_first
from cranfield._base.text import listed
from cranfield._scores.scores import Scores
from cranfield._stats.registry import CORRECTED, TESTS, check_means
from cranfield._study.definition import BESIDE_GAINS, Options, Report, Study, test_title
from cranfield._study.folder import slug
from cranfield._study.inputs import Inputs
from cranfield._study.results import Figure, Found, Line, Panel, Table, percent
from cranfield._table.data_table import finite

MOST = 40
"""The largest number of runs whose means are drawn."""


def _compare(inputs: Inputs, options: Options, report: Report) -> Found:
    alpha, correction = options["alpha"], options["correction"]
    joint = TESTS[options["test"]].joint
    scores = inputs.scores(options["measures"])
    check_means(scores.core.measures)
    found = Found()
    summary: list[dict[str, Any]] = []
    says: list[str] = []
    for done, measure in enumerate(scores.measures):
        one = scores.sel(measure=measure)
        result = inputs.tested(one, options)
        raw = np.asarray(result.pvalue)
        # Tukey's test already adjusts for multiple comparisons.
        corrected = {name: raw if joint else stats.correct(raw, name) for name in CORRECTED}
        chosen = corrected[correction]
        named = {CORRECTED[name]: values for name, values in corrected.items()}
        curves = {"uncorrected": raw, **named}
        found.tables.append(_pairs(measure, result, chosen, correction))
        drawn = {"uncorrected": raw} if joint else curves
        found.figures += [_means(measure, one), _curves(measure, drawn, alpha)]
        counts = {name: (values < alpha).sum() for name, values in curves.items()}
        summary.append({"measure": measure, "pairs": len(raw), **counts})
        says.append(f"{(chosen < alpha).sum()} in {measure}")
        report(done + 1, len(scores.measures))
    note = f"Pairs of runs that differ at {alpha:g} by the {test_title(options)}."
    if joint:
        note += " It already adjusts for multiple comparisons."
    title = "Significant differences by correction"
    after = "" if joint else f" after {CORRECTED[correction]} correction"
    found.says = (
        f"Of {summary[0]['pairs']} pairs of runs, {listed(says)} are significantly different at "
        f"{alpha:g}{after}."
    )
    found.tables.insert(0, Table.of_rows("significant", title, summary, note))
    return found


def _curves(measure: str, pvalues: Mapping[str, NDArray[np.float64]], alpha: float) -> Figure:
    """The p-values of all pairs in order, by correction."""
    lines = [
        Line(label, range(1, len(values) + 1), np.sort(values), kind="curve", color=color)
        for color, (label, values) in enumerate(pvalues.items())
    ]
    panel = Panel("pairs of runs", "p-value", lines, limits=[0.0, 1.0])
    panel = replace(panel, level=alpha, level_label=f"level {alpha:g}")
    title = f"{measure}: p-values of all pairs, in order"
    return Figure(f"p-values-{slug(measure)}", title, [panel])


def _pairs(measure: str, result: Any, corrected: Any, correction: str) -> Table:
    """All pairs of runs, the most significant differences first."""
    order = np.lexsort((-np.abs(result.difference), result.pvalue))
    one, two = result.pairs[order].T
    columns = {
        "run": [result.runs[place] for place in one],
        "other": [result.runs[place] for place in two],
        "difference": result.difference[order],
        "p": result.pvalue[order],
        f"p ({CORRECTED[correction]})": corrected[order],
    }
    for kind in ("dz", "residual"):
        columns[f"effect ({kind})"] = list(map(finite, result.effect_size(kind)[order].tolist()))
    return Table.of(f"pairs-{slug(measure)}", f"{measure}: all pairs of runs", columns)


def _means(measure: str, scores: Scores) -> Figure:
    """The means of the best runs (the highest if there is no direction) with intervals."""
    means = scores.mean()[:, 0]
    interval = stats.mean_interval(scores)
    of = scores.core.measures[0]
    order = best_first(means.tolist(), of)[:MOST]
    ends = interval.low[order], interval.high[order]
    line = Line("mean", means[order], range(len(order)), *ends, kind="points")
    panel = Panel(f"mean {measure}", "", [line], names=[scores.runs[i] for i in order])
    which = "highest" if of.better is None else "best"
    note = f"The {which} {MOST} of {len(means)} runs." if len(means) > MOST else ""
    title = f"{measure}: means with their 95% intervals"
    return Figure(f"means-{slug(measure)}", title, [panel], note=note)


def _power(inputs: Inputs, options: Options, report: Report) -> Found:
    """Which pairs the measures agree on; nothing for a single measure."""
    scores = inputs.scores(options["measures"])
    if len(scores.measures) < 2:
        return Found()
    shared = meta.overlap(inputs.discriminative_power(scores, options))
    columns = {"measure": scores.measures, **dict(zip(scores.measures, shared.T, strict=True))}
    note = (
        f"Pairs that both measures find significantly different, by the {test_title(options)}, "
        "uncorrected, of those that either does."
    )
    title = "Do measures agree on which pairs differ?"
    above = shared[np.triu_indices(len(shared), 1)]
    ends = list(dict.fromkeys(map(percent, (np.min(above), np.max(above)))))
    says = (
        f"Two measures agree on {' to '.join(ends)} of the pairs that either finds significantly "
        "different."
    )
    table = Table.of("overlap", title, columns, note)
    return Found([table], says="" if np.isnan(above).any() else says)


SIGNIFICANCE = Study(
    "Which runs differ",
    "All pairs of runs, with corrections for their number and effect sizes.",
    (
        BESIDE_GAINS,
        "dz is the mean difference over the standard deviation of the pair's differences; the "
        "other effect is over that of the residuals of runs and topics (Sakai 2014).",
        "Intervals are for each mean alone: overlapping intervals do not rule out a significant "
        "paired difference.",
    ),
    {"pairs": _compare, "overlap": _power},
    {
        "measures": ("AP", "nDCG@10"),
        "test": "t",
        "correction": "holm",
        "alpha": 0.05,
        "seed": 0,
    },
    topics=2,
)
