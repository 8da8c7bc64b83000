"""Which runs differ: all pairs, corrected for their number, with effect sizes.

The tests are those of ``cranfield.stats``; the effect sizes are the mean
difference over the deviation of the pair's differences, and over that of the
residuals of a two-way analysis of variance (Sakai 2014).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cranfield import meta, stats
from cranfield._base.scores_like import best_first
from cranfield._base.text import listed
from cranfield._scores.scores import Scores
from cranfield._stats.registry import CORRECTED, TESTS, check_means
from cranfield._study.definition import BESIDE_GAINS, Options, Report, Section, Study, test_title
from cranfield._study.folder import slug
from cranfield._study.inputs import Inputs
from cranfield._study.results import Cell, Figure, Found, Line, Panel, Table, numbers, percent
from cranfield._table.data_table import finite

MOST = 40
"""The largest number of runs whose means are drawn."""


def _compare(inputs: Inputs, options: Options, report: Report) -> Found:
    alpha, correction = options["alpha"], options["correction"]
    joint = TESTS[options["test"]].joint
    scores = inputs.scores(options["measures"])
    check_means(scores.core.measures)
    found = Found()
    summary: list[list[Cell]] = []
    says: list[str] = []
    for done, measure in enumerate(scores.measures):
        one = scores.sel(measure=measure)
        result = inputs.tested(one, options)
        raw = np.asarray(result.pvalue)
        # Tukey's test already adjusts for multiple comparisons.
        corrected = {name: raw if joint else stats.correct(raw, name) for name in CORRECTED}
        chosen = corrected[correction]
        found.tables.append(_pairs(measure, result, raw, chosen, correction))
        found.figures.append(_means(measure, one))
        x = [float(i + 1) for i in range(len(raw))]
        curves = {"uncorrected": raw}
        if not joint:
            curves |= {CORRECTED[name]: values for name, values in corrected.items()}
        lines = [
            Line(label, x, numbers(np.sort(values)), kind="curve", colour=i)
            for i, (label, values) in enumerate(curves.items())
        ]
        found.figures.append(
            Figure(
                f"p-values-{slug(measure)}",
                f"{measure}: p-values of all pairs, in order",
                [
                    Panel(
                        "pairs of runs",
                        "p-value",
                        lines,
                        limits=[0.0, 1.0],
                        level=alpha,
                        level_label=f"level {alpha:g}",
                    )
                ],
            )
        )
        counts = [int((p < alpha).sum()) for p in (raw, *corrected.values())]
        summary.append([measure, len(raw), *counts])
        says.append(f"{int((chosen < alpha).sum())} in {measure}")
        report(done + 1, len(scores.measures))
    columns = ["measure", "pairs", "uncorrected", *CORRECTED.values()]
    note = f"Pairs of runs that differ at {alpha:g} by the {test_title(options)}."
    if joint:
        note += " It already adjusts for multiple comparisons."
    title = "Significant differences by correction"
    after = "" if joint else f" after {CORRECTED[correction]} correction"
    found.says = (
        f"Of {summary[0][1]} pairs of runs, {listed(says)} are significantly different at "
        f"{alpha:g}{after}."
    )
    found.tables.insert(0, Table("significant", title, columns, summary, note))
    return found


def _pairs(measure: str, result: Any, raw: Any, corrected: Any, correction: str) -> Table:
    """All pairs of runs, the most significant differences first."""
    sizes = result.effect_size("dz"), result.effect_size("residual")
    rows: list[list[Cell]] = []
    for i in np.lexsort((-np.abs(result.difference), raw)):
        one, two = result.pairs[i]
        effects = [finite(float(size[i])) for size in sizes]
        rows.append(
            [
                result.runs[one],
                result.runs[two],
                float(result.difference[i]),
                float(raw[i]),
                float(corrected[i]),
                *effects,
            ]
        )
    columns = ["run", "other", "difference", "p", f"p ({CORRECTED[correction]})"]
    columns += ["effect (dz)", "effect (residual)"]
    return Table(f"pairs-{slug(measure)}", f"{measure}: all pairs of runs", columns, rows)


def _means(measure: str, scores: Scores) -> Figure:
    """The means of the best runs (the highest if there is no direction) with intervals."""
    means = scores.mean()[:, 0]
    interval = stats.mean_interval(scores)
    of = scores.core.measures[0]
    order = best_first(means.tolist(), of)[:MOST]
    line = Line(
        "mean",
        numbers(means[order]),
        [float(place) for place in range(len(order))],
        numbers(interval.low[order]),
        numbers(interval.high[order]),
        kind="points",
    )
    names = [scores.runs[i] for i in order]
    title = f"{measure}: means with their 95 % intervals"
    note = ""
    if len(means) > MOST:
        which = "highest" if of.better is None else "best"
        note = f"The {which} {MOST} of {len(means)} runs."
    panel = Panel(f"mean {measure}", "", [line], names=names)
    return Figure(f"means-{slug(measure)}", title, [panel], note=note)


def _power(inputs: Inputs, options: Options, report: Report) -> Found:
    """Which pairs the measures agree on; nothing for a single measure."""
    scores = inputs.scores(options["measures"])
    if len(scores.measures) < 2:
        return Found()
    found = inputs.discriminative_power(scores, options)
    shared = meta.overlap(found)
    rows: list[list[Cell]] = [
        [measure, *numbers(shared[i])] for i, measure in enumerate(found.measures)
    ]
    note = "Pairs that both measures find different, by the "
    note += f"{test_title(options)}, uncorrected, of those that either does."
    title = "Do measures agree on which pairs differ?"
    above = np.triu_indices(len(shared), 1)
    least, most = float(np.min(shared[above])), float(np.max(shared[above]))
    same = (
        percent(least)
        if round(least, 2) == round(most, 2)
        else f"{percent(least)} to {percent(most)}"
    )
    says = f"Two measures share {same} of the pairs that either finds different."
    table = Table("overlap", title, ["measure", *found.measures], rows, note)
    return Found([table], says="" if math.isnan(least) else says)


SIGNIFICANCE = Study(
    "Which runs differ",
    "All pairs of runs, with corrections for their number and effect sizes.",
    (
        BESIDE_GAINS,
        "dz is the mean difference over the standard deviation of the pair's differences; the "
        "other effect is over that of the residuals of runs and topics (Sakai 2014).",
        "Intervals are those of each mean alone: two that overlap can still differ, since runs "
        "are compared topic by topic.",
    ),
    (
        Section("pairs", _compare, ("measures", "test", "correction", "alpha", "seed")),
        Section("overlap", _power, ("measures", "test", "alpha", "seed")),
    ),
    {
        "measures": ("AP", "nDCG@10"),
        "test": "t",
        "correction": "holm",
        "alpha": 0.05,
        "seed": 0,
    },
    topics=2,
)
