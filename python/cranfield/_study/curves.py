"""Precision-recall and ROC curves.

Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval,
Figures 8.2 to 8.4: a topic of a run, the mean of the run at 11 levels of
recall beside that of the others, and the ROC curve of the topic.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cranfield import curves
from cranfield._base.errors import label_failure
from cranfield._base.scores_like import best_first
from cranfield._core import Ranked
from cranfield._scores.scores import Scores
from cranfield._stats.registry import check_means
from cranfield._study.definition import BESIDE_GAINS, Options, Report, Study, test_title
from cranfield._study.inputs import Inputs
from cranfield._study.results import Figure, Found, Line, Panel, Table

MOST = 20
"""The runs whose mean curves are drawn."""


def _chosen(inputs: Inputs, options: Options) -> tuple[Ranked, str]:
    """The run and the topic: those asked for, or the best run and its median topic."""
    scores = inputs.scores(options["measures"][:1])
    names = scores.runs
    run = options["run"]
    if run is None:
        run = names[best_first(scores.summary()[:, 0].tolist(), scores.core.measures[0])[0]]
    if run not in names:
        raise label_failure("run", run, names)
    place = names.index(run)
    topic = options["topic"]
    if topic is None:
        order = np.argsort(scores.values[place, :, 0], kind="stable")
        topic = scores.topics[int(order[len(order) // 2])]
    return inputs.ranked[place], topic


def _topic(inputs: Inputs, options: Options, report: Report) -> Found:
    """Figure 8.2."""
    run, topic = _chosen(inputs, options)
    curve = curves.precision_recall(inputs.qrels, run, topic, rel=inputs.lowest_relevant)
    lines = [
        Line("precision at every rank", curve.recall, curve.precision, kind="curve"),
        Line("interpolated", curve.recall, curve.interpolated, kind="step", color=1),
    ]
    title = f"Figure 8.2: precision and recall of {run.name}, topic {topic}"
    panel = Panel("recall", "precision", lines, limits=[0.0, 1.03])
    return Found(figures=[Figure("figure-8.2", title, [panel])])


def _mean(inputs: Inputs, options: Options, report: Report) -> Found:
    """Figure 8.3."""
    run, _ = _chosen(inputs, options)
    scores = inputs.scores(options["measures"])
    means = scores.summary()
    order = best_first(means[:, 0].tolist(), scores.core.measures[0])
    names = ["MAP" if name == "AP" else name for name in scores.measures]
    pvalues = _tested(scores, run.name, options, inputs)
    rows: list[dict[str, Any]] = []
    lines: list[Line] = []
    for done, place in enumerate(order, 1):
        one = inputs.ranked[place]
        curve = curves.precision_recall(inputs.qrels, one, rel=inputs.lowest_relevant)
        row = {"run": one.name, **dict(zip(names, means[place], strict=True))}
        row |= {f"p ({name})": of[place] for name, of in zip(names, pvalues, strict=False)}
        rows.append(row | dict(zip(LEVELS, curve.interpolated, strict=True)))
        if one.name == run.name:
            lines.append(Line(one.name, curve.recall, curve.interpolated))
        elif len(lines) < MOST:
            y = curve.interpolated
            lines.append(Line("other runs", curve.recall, y, kind="curve", color=-2))
        report(done, len(order))
    lines.sort(key=lambda line: line.label == run.name)
    title = f"Figure 8.3: mean interpolated precision of {run.name} at 11 levels of recall"
    note = f"Means over topics. The others are the best runs by {scores.measures[0]}."
    panel = Panel("recall", "precision", lines, limits=[0.0, 1.03])
    figure = Figure("figure-8.3", title, [panel], note=note)
    below = f"p: the {test_title(options)} against {run.name}, uncorrected." if pvalues else ""
    title = "Interpolated precision at levels of recall"
    table = Table.of_rows("interpolated", title, rows, below)
    place = [row["run"] for row in rows].index(run.name)
    value, first, half = (rows[place][name] for name in (names[0], "0", "0.5"))
    says = (
        f"{run.name} has {names[0]} {value:.4f}, place {place + 1} of {len(rows)}; its mean "
        f"interpolated precision is {first:.2f} at the beginning and {half:.2f} at half of the "
        "recall."
    )
    if pvalues:
        different = sum(p is not None and p < options["alpha"] for p in pvalues[0])
        says += (
            f" In {names[0]} it differs significantly from {different} of {len(rows) - 1} other "
            f"runs at {options['alpha']:g}."
        )
    return Found([table], [figure], says)


LEVELS = [f"{level / 10:g}" for level in range(11)]
"""The levels of recall."""


def _tested(scores: Scores, run: str, options: Options, inputs: Inputs) -> list[list[float | None]]:
    """The p-values of each measure between the run and each other; none if not asked for."""
    if options["test"] is None or len(scores.runs) < 2:
        return []
    check_means(scores.core.measures)
    own, found = scores.runs.index(run), []
    for measure in scores.measures:
        result = inputs.tested(scores.sel(measure=measure), options)
        pvalues: list[float | None] = [None] * len(scores.runs)
        for (one, two), p in zip(result.pairs, np.asarray(result.pvalue).tolist(), strict=True):
            if own in (one, two):
                pvalues[two if one == own else one] = p
        found.append(pvalues)
    return found


def _roc(inputs: Inputs, options: Options, report: Report) -> Found:
    """Figure 8.4, if the size of the collection is known."""
    if options["docs_in_collection"] is None:
        return Found()
    run, topic = _chosen(inputs, options)
    curve = curves.roc(inputs.qrels, run, topic, rel=inputs.lowest_relevant)
    line = Line(run.name, curve.false_positive_rate, curve.true_positive_rate, kind="curve")
    title = f"Figure 8.4: ROC curve of {run.name}, topic {topic}"
    text = f"AUC = {curve.auc:.4f}"
    panel = Panel("1 - specificity", "sensitivity (recall)", [line], diagonal=True, text=text)
    says = f"On topic {topic} the area under its ROC curve is {curve.auc:.4f}."
    return Found(figures=[Figure("figure-8.4", title, [panel])], says=says)


CURVES = Study(
    "Precision-recall and ROC curves",
    "Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, Figures 8.2 "
    "to 8.4.",
    (
        BESIDE_GAINS,
        "Without --run it is the best run by AP, or by the first of --measures, without --topic "
        "the topic of its median. --test compares the others with it.",
        "The ROC curve needs to know how many documents there are: --docs-in-collection.",
    ),
    {"figure-8.2": _topic, "figure-8.3": _mean, "figure-8.4": _roc},
    {
        "run": None,
        "topic": None,
        "measures": ("AP",),
        "test": None,
        "alpha": 0.05,
        "seed": 0,
        "docs_in_collection": None,
    },
    runs=1,
)
