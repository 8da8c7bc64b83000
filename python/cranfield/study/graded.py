"""What graded judgments add to binary ones.

De Beer and Moens (2006), Rpref: a generalization of bpref towards graded
relevance judgments, SIGIR, Figure 1: scores as grades are told apart by more
and more classes, here as means of runs over topics. The relative form leaves
the first judged document out, as the paper suggests.
"""

from __future__ import annotations

import numpy as np

from cranfield import meta, stats
from cranfield.study.content import Figure, Found, Line, Panel, Table, numbers
from cranfield.study.definition import Section, Study

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cranfield.study.content import Cell
    from cranfield.study.definition import Options, Report
    from cranfield.study.material import Material

CLASSES = (2, 4, 8, 16)
MOST = 8
"""The runs that are drawn."""

PAIRS = {"AP": "Q", "AP'": "Q'", "bpref_N": "rpref_N", "bpref_relative": "rpref_relative"}
"""Binary measures and their graded forms."""


def _classes(material: Material, options: Options, report: Report) -> Found:
    """Figure 1, for the best runs."""
    measures = [f"rpref_relative(partitions={count})" for count in CLASSES]
    measures.append("rpref_relative")
    scores = material.scores([*measures, "AP"])
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
    orders = Table("n-pref-orders", "Kendall's tau between orders of the runs", ["", *names], taus)
    return Found([table, orders], [figure])


def _pairs(material: Material, options: Options, report: Report) -> Found:
    """Binary measures beside their graded forms."""
    names = [name for pair in PAIRS.items() for name in pair]
    scores = material.scores(names)
    means = scores.mean()
    power = meta.discriminative_power(scores, "t", options["alpha"]).power
    rows: list[list[Cell]] = []
    panels = []
    for binary, graded in PAIRS.items():
        a, b = scores.measures.index(binary), scores.measures.index(graded)
        flat = np.ptp(means[:, a]) == 0 or np.ptp(means[:, b]) == 0
        tau = None if flat else meta.tau(means[:, a], means[:, b])
        rows.append([binary, graded, tau, float(power[a]), float(power[b])])
        points = Line("run", numbers(means[:, a]), numbers(means[:, b]), kind="points")
        text = "" if tau is None else f"tau = {tau:.3f}"
        panels.append(Panel(f"mean {binary}", f"mean {graded}", [points], diagonal=True, text=text))
    header = ["binary", "graded", "tau", "power of the binary", "power of the graded"]
    note = f"Discriminative power by the t test at {options['alpha']:g}."
    title = "Binary measures and their graded forms"
    grades = ", ".join(f"{grade:g}" for grade in material.grades)
    table = Table("graded", title, header, rows, f"{note} The judgments have the grades {grades}.")
    return Found([table], [Figure("graded", title, panels, columns=2)])


STUDY = Study(
    "What graded judgments add to binary ones",
    "De Beer and Moens (2006), Rpref: a generalization of bpref towards graded relevance "
    "judgments, SIGIR: Figure 1, on runs instead of three small examples.",
    (
        "Grades count as gains; with binary judgments every column is the same.",
        "A binary measure takes every grade from 1 as relevant; n-pref splits gains at the "
        "borders of equal intervals.",
    ),
    (Section("figure-1", _classes), Section("graded", _pairs, ("alpha",))),
    {"alpha": 0.05},
)
