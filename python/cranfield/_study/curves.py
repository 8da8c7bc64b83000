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
from cranfield._study.definition import Study
from cranfield._study.inputs import Task
from cranfield._study.results import Found, Line, Panel, plain

MOST = 20
"""The runs whose mean curves are drawn."""


def _chosen(task: Task) -> tuple[Ranked, str]:
    """The run and the topic: those asked for, or the best run and its median topic."""
    scores = task.inputs.scores(task.options["measures"][:1])
    names, run, topic = scores.runs, task.options["run"], task.options["topic"]
    if run is None:
        run = names[best_first(scores.summary()[:, 0].tolist(), scores.core.measures[0])[0]]
    if run not in names:
        raise label_failure("run", run, names)
    place = names.index(run)
    if topic is None:
        order = np.argsort(scores.values[place, :, 0], kind="stable")
        topic = scores.topics[int(order[len(order) // 2])]
    return task.inputs.ranked[place], topic


def _topic(task: Task) -> Found:
    """Figure 8.2."""
    run, topic = _chosen(task)
    inputs = task.inputs
    curve = curves.precision_recall(inputs.qrels, run, topic, rel=inputs.lowest_relevant)
    lines = [
        Line("precision at every rank", curve.recall, curve.precision, kind="curve"),
        Line("interpolated", curve.recall, curve.interpolated, kind="step", color=1),
    ]
    panel = Panel("recall", "precision", lines, limits=[0.0, 1.03])
    return Found(figures=[task.figure("figure-8.2", [panel], run=run.name, topic=topic)])


def _mean(task: Task) -> Found:
    """Figure 8.3."""
    inputs, options, (run, _) = task.inputs, task.options, _chosen(task)
    scores = inputs.scores(options["measures"])
    means = scores.summary()
    order = best_first(means[:, 0].tolist(), scores.core.measures[0])
    names = ["MAP" if name == "AP" else name for name in scores.measures]
    pvalues = _tested(task, scores, run.name)
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
        task.report(done, len(order))
    lines.sort(key=lambda line: line.label == run.name)
    panel = Panel("recall", "precision", lines, limits=[0.0, 1.03])
    figure = task.figure("figure-8.3", [panel], run=run.name, measure=scores.measures[0])
    below = f"p: the {task.tested_by} against {run.name}, uncorrected." if pvalues else ""
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
    return Found([task.table("interpolated", rows, below=below)], [figure], says)


LEVELS = [f"{level / 10:g}" for level in range(11)]
"""The levels of recall."""


def _tested(task: Task, scores: Scores, run: str) -> list[list[float | None]]:
    """The p-values of each measure between the run and each other; none if not asked for."""
    if task.options["test"] is None or len(scores.runs) < 2:
        return []
    check_means(scores.core.measures)
    own = scores.runs.index(run)
    tests = (task.tested(scores.sel(measure=measure)) for measure in scores.measures)
    return [plain(test.matrix()[own]) for test in tests]


def _roc(task: Task) -> Found:
    """Figure 8.4, if the size of the collection is known."""
    if task.options["docs_in_collection"] is None:
        return Found()
    run, topic = _chosen(task)
    curve = curves.roc(task.inputs.qrels, run, topic, rel=task.inputs.lowest_relevant)
    line = Line(run.name, curve.false_positive_rate, curve.true_positive_rate, kind="curve")
    text = f"AUC = {curve.auc:.4f}"
    panel = Panel("1 - specificity", "sensitivity (recall)", [line], diagonal=True, text=text)
    says = f"On topic {topic} the area under its ROC curve is {curve.auc:.4f}."
    figure = task.figure("figure-8.4", [panel], run=run.name, topic=topic)
    return Found(figures=[figure], says=says)


CURVES = Study("curves", {"figure-8.2": _topic, "figure-8.3": _mean, "figure-8.4": _roc})
