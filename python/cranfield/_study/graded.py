"""What graded judgments add to binary ones.

De Beer and Moens (2006), Rpref: a generalization of bpref towards graded
relevance judgments, SIGIR, Figure 1: scores as grades are told apart by more
and more classes, here as means of runs over topics. The relative form leaves
the first judged document out, as the paper suggests.
"""

from __future__ import annotations

import numpy as np

from cranfield import collection, meta, stats
from cranfield._scores.scores import Scores
from cranfield._scoring.ranked import rescored
from cranfield._study.definition import Options, Report, Section, Study, test_title
from cranfield._study.inputs import Inputs
from cranfield._study.results import Cell, Figure, Found, Line, Panel, Table, numbers, scatter, tau

CLASSES = (2, 4, 8, 16)
MOST = 8
"""The runs that are drawn."""

PAIRS = {"AP": "Q", "AP'": "Q'", "bpref_N": "rpref_N", "bpref_relative": "rpref_relative"}
"""Binary measures and their graded forms."""


def _classes(inputs: Inputs, options: Options, report: Report) -> Found:
    """Figure 1, for the best runs."""
    measures = [f"rpref_relative(partitions={count})" for count in CLASSES]
    measures.append("rpref_relative")
    scores = inputs.scores([*measures, "AP"])
    means = scores.mean()
    order = np.argsort(-means[:, -1], kind="stable")
    x = [float(i) for i in range(len(measures))]
    names = [f"{count} classes" for count in CLASSES] + ["all grades"]
    lines = [
        Line(scores.runs[run], numbers(means[run, :-1]), x, colour=i)
        for i, run in enumerate(order[:MOST])
    ]
    title = "Figure 1: rpref as grades are told apart by more classes"
    note = f"The best {min(MOST, len(order))} runs by AP."
    figure = Figure(
        "figure-1", title, [Panel("mean rpref_relative", "", lines, names=names)], note=note
    )
    rows: list[list[Cell]] = [[scores.runs[run], *numbers(means[run, :-1])] for run in order]
    table = Table("n-pref", "Means of n-pref", ["run", *names], rows)
    matrix = stats.correlation_matrix(means[:, :-1], labels=names, tolerance=meta.TIED)
    taus: list[list[Cell]] = [[name, *numbers(matrix.values[i])] for i, name in enumerate(names)]
    title = "Kendall's tau between orders of the runs"
    orders = Table("n-pref-orders", title, ["classes", *names], taus)
    return Found([table, orders], [figure])


def _pairs(inputs: Inputs, options: Options, report: Report) -> Found:
    """Binary measures beside their graded forms."""
    scores = inputs.scores([name for pair in PAIRS.items() for name in pair])
    means, power = scores.mean(), _power(scores, inputs, options)
    rows: list[list[Cell]] = []
    panels = []
    for binary, graded in PAIRS.items():
        a, b = scores.measures.index(binary), scores.measures.index(graded)
        of_pair = tau(means[:, a], means[:, b])
        rows.append([binary, graded, of_pair, *(own[place] for own in power for place in (a, b))])
        x, y = f"mean {binary}", f"mean {graded}"
        panels.append(scatter(x, y, means[:, a], means[:, b], scores.runs, value=of_pair))
    header = ["binary", "graded", "tau"]
    header += ["power of the binary", "power of the graded"] * len(power)
    title = "Binary measures and their graded forms"
    grades = ", ".join(f"{grade:g}" for grade in inputs.grades)
    note = f"{_tested(options)} The judgments have the grades {grades}."
    if not power:
        note = f"One topic tells no pairs of runs apart. The judgments have the grades {grades}."
    table = Table("graded", title, header, rows, note)
    found = Found([table], [Figure("graded", title, panels, columns=4)], _says(rows, inputs))
    if options["measures"]:
        _with_and_without(found, inputs, options)
    return found


def _says(rows: list[list[Cell]], inputs: Inputs) -> str:
    """How much the order of the runs changes with grades."""
    positive = [grade for grade in inputs.grades.tolist() if grade > 0]
    if len(positive) < 2:
        return "The judgments have one grade of relevance: there are no grades to tell apart."
    known = [row for row in rows if row[2] is not None]
    if not known:
        return "The runs all have the same scores."
    least = min(known, key=lambda row: float(str(row[2])))
    most = max(known, key=lambda row: float(str(row[2])))
    return (
        f"With {len(positive)} grades of relevance the order of the runs changes most from "
        f"{least[0]} to {least[1]} (tau {least[2]:.3f}) and least from {most[0]} to {most[1]} "
        f"({most[2]:.3f})."
    )


def _with_and_without(found: Found, inputs: Inputs, options: Options) -> None:
    """Adds measures under the judgments, and under the same with one grade of relevance."""
    measures, lowest = options["measures"], inputs.lowest_relevant
    binary = collection.fold(inputs.qrels, lowest)
    graded = inputs.scores(measures)
    flat = rescored(binary, inputs.ranked, list(measures), threads=inputs.threads)
    one, two = _power(flat, inputs, options), _power(graded, inputs, options)
    rows: list[list[Cell]] = []
    panels = []
    for m, measure in enumerate(graded.measures):
        a, b = flat.summary()[:, m], graded.summary()[:, m]
        of_pair = tau(a, b)
        powers = (own[m] for own in (*one, *two))
        rows.append([measure, of_pair, float(a.mean()), float(b.mean()), *powers])
        x, y = f"mean {measure}, one grade", f"mean {measure}, all grades"
        panels.append(scatter(x, y, a, b, graded.runs, value=of_pair))
    header = ["measure", "tau", "mean, one grade", "mean, all grades"]
    header += ["power, one grade", "power, all grades"] * len(one)
    title = "Measures with grades and without"
    note = f"One grade: documents from grade {lowest:g} have grade 1."
    if one:
        note += f" {_tested(options)}"
    columns = min(4, len(panels))
    found.tables.append(Table("with-and-without", title, header, rows, note))
    found.figures.append(Figure("with-and-without", title, panels, columns=columns))


def _power(scores: Scores, inputs: Inputs, options: Options) -> list[list[float | None]]:
    """The discriminative power of each measure, as one list; none on one topic."""
    if len(scores.topics) < 2:
        return []
    return [numbers(inputs.discriminative_power(scores, options).power)]


def _tested(options: Options) -> str:
    return f"Discriminative power by the {test_title(options)} at {options['alpha']:g}."


GRADED = Study(
    "What graded judgments add to binary ones",
    "De Beer and Moens (2006), Rpref: a generalization of bpref towards graded relevance "
    "judgments, SIGIR: Figure 1, on runs instead of three small examples.",
    (
        "Equation 1 sums over all judged documents: a relevant one that was not retrieved stands "
        "below the list. As in Sakai (2007), equations 2 and 7, it adds nothing here; "
        'unretrieved="literal", as in rpref_relative(unretrieved="literal"), sums as equation 1.',
        "Grades count as gains; with binary judgments every column is the same.",
        "A binary measure takes every grade from 1 as relevant; n-pref splits gains at the "
        "borders of equal intervals.",
        "--measures compares other measures under the judgments and under the same with one grade.",
    ),
    (
        Section("figure-1", _classes),
        Section("graded", _pairs, ("measures", "test", "alpha", "seed")),
    ),
    {"measures": None, "test": "t", "alpha": 0.05, "seed": 0},
    taus=True,
)
