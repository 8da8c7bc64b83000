"""What graded judgments add to binary ones.

De Beer and Moens (2006), Rpref: a generalization of bpref towards graded
relevance judgments, SIGIR, Figure 1: scores as grades are told apart by more
and more classes, here as means of runs over topics. The relative form leaves
the first judged document out, as the paper suggests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from cranfield import collection, meta, stats
from cranfield._scores.scores import Scores
from cranfield._scoring.ranked import rescored
from cranfield._study.definition import Study
from cranfield._study.inputs import Inputs, Task
from cranfield._study.results import Found, Line, Panel, by_name, scatter, tau

CLASSES = (2, 4, 8, 16)
MOST = 8
"""The runs that are drawn."""

PAIRS = {"AP": "Q", "AP'": "Q'", "bpref_N": "rpref_N", "bpref_relative": "rpref_relative"}
"""Binary measures and their graded forms."""


def _classes(task: Task) -> Found:
    """Figure 1, for the best runs."""
    measures = [f"rpref_relative(partitions={count})" for count in CLASSES]
    scores = task.inputs.scores([*measures, "rpref_relative", "AP"])
    means = scores.mean()
    order = np.argsort(-means[:, -1], kind="stable")
    means = means[:, :-1]
    names = [f"{count} classes" for count in CLASSES] + ["all grades"]
    lines = [
        Line(scores.runs[run], means[run], range(len(names)), color=i)
        for i, run in enumerate(order[:MOST])
    ]
    panel = Panel("mean rpref_relative", "", lines, names=names)
    figure = task.figure("figure-1", [panel], shown=len(lines))
    rows = [[scores.runs[run], *means[run]] for run in order]
    matrix = stats.correlation_matrix(means, labels=names, tolerance=meta.TIED)
    taus = [[name, *of_name] for name, of_name in zip(names, matrix.values, strict=True)]
    tables = [
        task.table("n-pref", by_name(["run", *names], rows)),
        task.table("n-pref-orders", by_name(["classes", *names], taus)),
    ]
    return Found(tables, [figure])


def _pairs(task: Task) -> Found:
    """Binary measures beside their graded forms."""
    inputs, asked = task.inputs, task.options["measures"]
    scores = inputs.scores([name for pair in PAIRS.items() for name in pair])
    means = dict(zip(scores.measures, scores.mean().T, strict=True))
    power = _power(task, scores)
    rows, panels = [], []
    for binary, graded in PAIRS.items():
        pair = means[binary], means[graded]
        row: dict[str, Any] = {"binary": binary, "graded": graded, "tau": tau(*pair)}
        if power:
            row["power of the binary"] = power[binary]
            row["power of the graded"] = power[graded]
        rows.append(row)
        labels = f"mean {binary}", f"mean {graded}"
        panels.append(scatter(labels, pair, scores.runs, row["tau"]))
    grades = ", ".join(f"{grade:g}" for grade in inputs.grades)
    tested = _tested(task) if power else "One topic cannot distinguish any pairs of runs."
    table = task.table("graded", rows, tested=tested, grades=grades)
    found = Found([table], [task.figure("graded", panels)], _says(rows, inputs))
    if asked:
        _with_and_without(found, task, asked)
    return found


def _says(rows: Sequence[Mapping[str, Any]], inputs: Inputs) -> str:
    """How much the order of the runs changes with grades."""
    positive = [grade for grade in inputs.grades.tolist() if grade > 0]
    if len(positive) < 2:
        return "The judgments have only one relevance grade: there is nothing to compare."
    known = [row for row in rows if row["tau"] is not None]
    if not known:
        return "The runs all have the same scores."
    least, most = min(known, key=itemgetter("tau")), max(known, key=itemgetter("tau"))
    return (
        f"With {len(positive)} grades of relevance the order of the runs changes most from "
        f"{least['binary']} to {least['graded']} (tau {least['tau']:.3f}) and least from "
        f"{most['binary']} to {most['graded']} ({most['tau']:.3f})."
    )


def _with_and_without(found: Found, task: Task, measures: Sequence[str]) -> None:
    """Adds measures under the judgments, and under the same with one grade of relevance."""
    inputs, lowest = task.inputs, task.inputs.lowest_relevant
    binary = collection.fold(inputs.qrels, lowest)
    graded = inputs.scores(measures)
    flat = rescored(binary, inputs.ranked, list(measures), threads=inputs.threads)
    several = {"one grade": flat, "all grades": graded}
    powers = {name: _power(task, scores) for name, scores in several.items()}
    rows, panels = [], []
    for m, measure in enumerate(graded.measures):
        means = {name: scores.summary()[:, m] for name, scores in several.items()}
        row: dict[str, Any] = {"measure": measure, "tau": tau(*means.values())}
        row |= {f"mean, {name}": of.mean() for name, of in means.items()}
        row |= {f"power, {name}": of[measure] for name, of in powers.items() if of}
        rows.append(row)
        labels = (f"mean {measure}, {name}" for name in means)
        panels.append(scatter(labels, means.values(), graded.runs, row["tau"]))
    tested = f" {_tested(task)}" if all(powers.values()) else ""
    found.tables.append(task.table("with-and-without", rows, lowest=lowest, tested=tested))
    found.figures.append(task.figure("with-and-without", panels))


def _power(task: Task, scores: Scores) -> dict[str, float]:
    """The discriminative power of each measure; none on one topic."""
    if len(scores.topics) < 2:
        return {}
    return dict(zip(scores.measures, task.power(scores).power.tolist(), strict=True))


def _tested(task: Task) -> str:
    return f"Discriminative power by the {task.tested_by} at {task.options['alpha']:g}."


GRADED = Study("graded", {"figure-1": _classes, "graded": _pairs})
