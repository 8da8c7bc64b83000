"""Precision-recall and ROC curves.

Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval,
Figures 8.2 to 8.4: a topic of a run, the mean of the run at 11 levels of
recall beside that of the others, and the ROC curve of the topic.
"""

from __future__ import annotations

import numpy as np

from cranfield import curves
from cranfield._base.errors import label_failure
from cranfield._base.scores_like import best_first
from cranfield._core import Ranked
from cranfield._scores.scores import Scores
from cranfield._stats.registry import check_means
from cranfield._study.definition import BESIDE_GAINS, Options, Report, Section, Study, test_title
from cranfield._study.inputs import Inputs
from cranfield._study.results import Cell, Figure, Found, Line, Panel, Table, numbers

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
    assert curve.precision is not None
    recall = curve.recall.tolist()
    lines = [
        Line("precision at every rank", recall, numbers(curve.precision), kind="curve"),
        Line("interpolated", recall, numbers(curve.interpolated), kind="step", colour=1),
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
    rows: list[list[Cell]] = []
    lines: list[Line] = []
    for done, place in enumerate(order):
        one = inputs.ranked[place]
        curve = curves.precision_recall(inputs.qrels, one, rel=inputs.lowest_relevant)
        tests = [of_measure[place] for of_measure in pvalues or ()]
        rows.append([one.name, *numbers(means[place]), *tests, *numbers(curve.interpolated)])
        if one.name == run.name or len(lines) < MOST:
            label, colour = (one.name, 0) if one.name == run.name else ("other runs", -2)
            kind = "line" if one.name == run.name else "curve"
            recall = curve.recall.tolist()
            lines.append(Line(label, recall, numbers(curve.interpolated), kind=kind, colour=colour))
        report(done + 1, len(order))
    lines.sort(key=lambda line: line.label == run.name)
    title = f"Figure 8.3: mean interpolated precision of {run.name} at 11 levels of recall"
    note = f"Means over topics. The others are the best runs by {scores.measures[0]}."
    panel = Panel("recall", "precision", lines, limits=[0.0, 1.03])
    tested_in = [] if pvalues is None else [f"p ({name})" for name in names]
    header = ["run", *names, *tested_in, *(f"{level / 10:g}" for level in range(11))]
    below = (
        "" if pvalues is None else f"p: the {test_title(options)} against {run.name}, uncorrected."
    )
    title_of_table = "Interpolated precision at levels of recall"
    table = Table("interpolated", title_of_table, header, rows, below)
    place = [row[0] for row in rows].index(run.name)
    own = rows[place]
    precision = own[-11:]
    says = (
        f"{run.name} has {names[0]} {own[1]:.4f}, place {place + 1} of {len(rows)}; its mean "
        f"interpolated precision is {precision[0]:.2f} at the beginning and {precision[5]:.2f} at "
        "half of the recall."
    )
    if pvalues is not None:
        different = sum(p is not None and p < options["alpha"] for p in pvalues[0])
        says += (
            f" In {names[0]} it differs significantly from {different} of {len(rows) - 1} other "
            f"runs at {options['alpha']:g}."
        )
    return Found([table], [Figure("figure-8.3", title, [panel], note=note)], says)


def _tested(
    scores: Scores, run: str, options: Options, inputs: Inputs
) -> list[list[float | None]] | None:
    """The p-values of each measure between the run and each other; None if not asked for."""
    if options["test"] is None or len(scores.runs) < 2:
        return None
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
    x = curve.false_positive_rate.tolist()
    line = Line(run.name, x, numbers(curve.true_positive_rate), kind="curve")
    title = f"Figure 8.4: ROC curve of {run.name}, topic {topic}"
    panel = Panel(
        "1 - specificity",
        "sensitivity (recall)",
        [line],
        diagonal=True,
        text=f"AUC = {curve.auc:.4f}",
    )
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
    (
        Section("figure-8.2", _topic, ("run", "topic", "measures")),
        Section("figure-8.3", _mean, ("run", "measures", "test", "alpha", "seed")),
        Section("figure-8.4", _roc, ("run", "topic", "measures", "docs_in_collection")),
    ),
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
