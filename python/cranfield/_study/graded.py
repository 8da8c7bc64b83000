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
from cranfield._study.definition import Options, Report, Study, test_title
from cranfield._study.inputs import Inputs
from cranfield._study.results import Figure, Found, Line, Panel, Table, scatter, tau

CLASSES = (2, 4, 8, 16)
MOST = 8
"""The runs that are drawn."""

PAIRS = {"AP": "Q", "AP'": "Q'", "bpref_N": "rpref_N", "bpref_relative": "rpref_relative"}
"""Binary measures and their graded forms."""


def _classes(inputs: Inputs, options: Options, report: Report) -> Found:
    """Figure 1, for the best runs."""
    measures = [f"rpref_relative(partitions={count})" for count in CLASSES]
    scores = inputs.scores([*measures, "rpref_relative", "AP"])
    means = scores.mean()
    order = np.argsort(-means[:, -1], kind="stable")
    means = means[:, :-1]
    names = [f"{count} classes" for count in CLASSES] + ["all grades"]
    lines = [
        Line(scores.runs[run], means[run], range(len(names)), color=i)
        for i, run in enumerate(order[:MOST])
    ]
    title = "Figure 1: rpref with more classes of grades"
    panel = Panel("mean rpref_relative", "", lines, names=names)
    figure = Figure("figure-1", title, [panel], note=f"The best {len(lines)} runs by AP.")
    rows = [[scores.runs[run], *means[run]] for run in order]
    table = Table.of_lists("n-pref", "Means of n-pref", ["run", *names], rows)
    matrix = stats.correlation_matrix(means, labels=names, tolerance=meta.TIED)
    taus = [[name, *of_name] for name, of_name in zip(names, matrix.values, strict=True)]
    title = "Kendall's tau between orders of the runs"
    orders = Table.of_lists("n-pref-orders", title, ["classes", *names], taus)
    return Found([table, orders], [figure])


def _pairs(inputs: Inputs, options: Options, report: Report) -> Found:
    """Binary measures beside their graded forms."""
    scores = inputs.scores([name for pair in PAIRS.items() for name in pair])
    means = dict(zip(scores.measures, scores.mean().T, strict=True))
    power = _power(scores, inputs, options)
    rows, panels = [], []
    for binary, graded in PAIRS.items():
        pair = means[binary], means[graded]
        of_pair = tau(*pair)
        row = {"binary": binary, "graded": graded, "tau": of_pair}
        if power:
            row["power of the binary"] = power[binary]
            row["power of the graded"] = power[graded]
        rows.append(row)
        labels = f"mean {binary}", f"mean {graded}"
        panels.append(scatter(labels, pair, scores.runs, of_pair))
    title = "Binary measures and their graded forms"
    grades = ", ".join(f"{grade:g}" for grade in inputs.grades)
    tested = _tested(options) if power else "One topic cannot distinguish any pairs of runs."
    table = Table.of_rows(
        "graded", title, rows, f"{tested} The judgments have the grades {grades}."
    )
    found = Found([table], [Figure("graded", title, panels, columns=4)], _says(rows, inputs))
    if options["measures"]:
        _with_and_without(found, inputs, options)
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


def _with_and_without(found: Found, inputs: Inputs, options: Options) -> None:
    """Adds measures under the judgments, and under the same with one grade of relevance."""
    measures, lowest = options["measures"], inputs.lowest_relevant
    binary = collection.fold(inputs.qrels, lowest)
    graded = inputs.scores(measures)
    flat = rescored(binary, inputs.ranked, list(measures), threads=inputs.threads)
    several = {"one grade": flat, "all grades": graded}
    powers = {name: _power(scores, inputs, options) for name, scores in several.items()}
    rows, panels = [], []
    for m, measure in enumerate(graded.measures):
        means = {name: scores.summary()[:, m] for name, scores in several.items()}
        of_pair = tau(*means.values())
        row = {"measure": measure, "tau": of_pair}
        row |= {f"mean, {name}": of.mean() for name, of in means.items()}
        row |= {f"power, {name}": of[measure] for name, of in powers.items() if of}
        rows.append(row)
        labels = (f"mean {measure}, {name}" for name in means)
        panels.append(scatter(labels, means.values(), graded.runs, of_pair))
    title = "Measures with grades and without"
    note = f"One grade: documents from grade {lowest:g} have grade 1."
    if all(powers.values()):
        note += f" {_tested(options)}"
    columns = min(4, len(panels))
    found.tables.append(Table.of_rows("with-and-without", title, rows, note))
    found.figures.append(Figure("with-and-without", title, panels, columns=columns))


def _power(scores: Scores, inputs: Inputs, options: Options) -> dict[str, float]:
    """The discriminative power of each measure; none on one topic."""
    if len(scores.topics) < 2:
        return {}
    power = inputs.discriminative_power(scores, options).power
    return dict(zip(scores.measures, power.tolist(), strict=True))


def _tested(options: Options) -> str:
    return f"Discriminative power by the {test_title(options)} at {options['alpha']:g}."


GRADED = Study(
    "What graded judgments add to binary ones",
    "De Beer and Moens (2006), Rpref: a generalization of bpref towards graded relevance "
    "judgments, SIGIR: Figure 1, on runs instead of three small examples.",
    (
        "Equation 1 sums over all judged documents: a relevant document that was not retrieved "
        "counts as ranked below the run. As in Sakai (2007), equations 2 and 7, it adds nothing "
        "here; "
        'unretrieved="literal", as in rpref_relative(unretrieved="literal"), sums as equation 1.',
        "Grades count as gains; with binary judgments every column is the same.",
        "A binary measure counts every grade from 1 as relevant; n-pref splits gains into equal "
        "intervals.",
        "--measures compares other measures under the judgments and under the same judgments "
        "with one grade.",
    ),
    {"figure-1": _classes, "graded": _pairs},
    {"measures": None, "test": "t", "alpha": 0.05, "seed": 0},
    taus=True,
)
