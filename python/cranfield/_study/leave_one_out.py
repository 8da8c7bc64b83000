"""Whether the pool is fair to a system that did not take part.

Zobel (1998), How reliable are the results of large-scale information retrieval
experiments?, SIGIR: each group's runs are scored without the documents that
only they brought to the pool.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranfield import collection
from cranfield._base.errors import failure
from cranfield._base.scores_like import sign
from cranfield._base.text import counted
from cranfield._core import Qrels
from cranfield._scores.groups import read_run_groups
from cranfield._study.definition import BESIDE_GAINS, Options, Report, Section, Study
from cranfield._study.folder import slug
from cranfield._study.inputs import Inputs
from cranfield._study.results import Cell, Figure, Found, Table, number, percent, scatter, tau


def _groups(path: str | None, names: list[str]) -> dict[str, str]:
    """The group of each run: itself, or what a file says."""
    if path is None:
        return {name: name for name in names}
    found = read_run_groups(path)
    missing = [name for name in names if name not in found]
    if missing:
        raise failure("label", f"expected a group for every run, found none for {missing[0]}")
    return found


def _left_out(inputs: Inputs, options: Options, report: Report) -> Found:
    groups = _groups(options["groups"], list(inputs.runs))
    ranked = inputs.all
    compared = {run.name for run in inputs.ranked}
    full = inputs.scored(inputs.qrels, ranked, options["measures"])
    means = full.summary()
    without: NDArray[np.float64] = np.full_like(means, np.nan)
    unique: dict[str, int] = {}
    relevant = _relevant(inputs.qrels, inputs.lowest_relevant)
    reduced = dict.fromkeys(groups.values(), inputs.qrels)
    # A group of which nothing was pooled brought nothing.
    reduced |= collection.leave_out(inputs.qrels, inputs.pooled, groups, options["pool_depth"])
    for done, (group, qrels) in enumerate(reduced.items()):
        own = [i for i, run in enumerate(ranked) if groups[run.name] == group]
        scores = inputs.scored(qrels, [ranked[i] for i in own], options["measures"])
        without[own] = scores.summary()
        unique[group] = relevant - _relevant(qrels, inputs.lowest_relevant)
        report(done + 1, len(reduced))
    rows: list[list[Cell]] = []
    summary: list[list[Cell]] = []
    panels = []
    for m, measure in enumerate(full.measures):
        before, after = means[:, m], without[:, m]
        turned = sign(full.core.measures[m])
        ranks = [_rank(turned * before, turned * before[i], i) for i in range(len(ranked))]
        moved = [_rank(turned * before, turned * after[i], i) for i in range(len(ranked))]
        kept = [i for i, run in enumerate(ranked) if run.name in compared]
        for i in kept:
            name = ranked[i].name
            rows.append(
                [
                    *(measure, name, groups[name], unique[groups[name]]),
                    *(float(before[i]), float(after[i]), float(after[i] - before[i])),
                    *(ranks[i], moved[i]),
                ]
            )
        change = after[kept] - before[kept]
        worst = kept[int(np.argmax(np.abs(change)))]
        share = np.abs(change) / np.where(before[kept] == 0, 1.0, before[kept])
        summary.append(
            [
                measure,
                float(np.abs(change).mean()),
                float(share.mean()),
                number(change[np.argmax(np.abs(change))]),
                ranked[worst].name,
                max(abs(moved[i] - ranks[i]) for i in kept),
                tau(before[kept], after[kept]),
            ]
        )
        x, y = f"{measure}, whole pool", f"{measure}, own group left out"
        panels.append(scatter(x, y, before[kept], after[kept], [ranked[i].name for i in kept]))
    header = ["measure", "mean change", "relative", "largest", "of run", "places moved", "tau"]
    note = (
        "How much the score of a run changes when documents that only its group brought to the "
        f"first {options['pool_depth']} count as not judged; places moved is the most by which a "
        "run alone would fall or rise."
    )
    tables = [
        Table("leave-one-out", "Is the pool fair to newcomers?", header, summary, note),
        Table(
            "leave-one-out-runs",
            "Each run with and without what its group brought",
            [
                "measure",
                "run",
                "group",
                "unique relevant",
                "whole",
                "left out",
                "change",
                "place",
                "place left out",
            ],
            rows,
        ),
    ]
    name = slug("-".join(full.measures[:3]))
    title = "Scores with and without what the own group brought to the pool"
    figure = Figure(f"leave-one-out-{name}", title, panels, columns=min(3, len(panels)))
    first, _, relative, largest, run, places, _ = summary[0]
    says = (
        f"Without what its own group brought to the pool, {first} of a run changes by "
        f"{percent(float(str(relative)), 1)} on average and at most by {largest:+.4f} "
        f"({run}); no run moves by more than {counted(int(str(places)), 'place')}."
    )
    return Found(tables, [figure], says)


def _relevant(qrels: Qrels, lowest: float) -> int:
    """How many documents are judged relevant."""
    return sum(grade >= lowest for docs in qrels.to_dict().values() for grade in docs.values())


def _rank(means: NDArray[np.float64], value: float, place: int) -> int:
    """The place of a run among the others if its score were a value; more is better."""
    others = np.delete(means, place)
    return 1 + int((others > value).sum())


LEAVE_ONE_OUT = Study(
    "Is the pool fair to newcomers?",
    "Zobel (1998), How reliable are the results of large-scale information retrieval "
    "experiments?, SIGIR: leave one group out.",
    (
        BESIDE_GAINS,
        "Without --groups each run is a group of its own, so what several runs of one team found "
        "together is not taken away: give the groups to be strict.",
        "Pools are made of all runs given, also where only some of them are compared, or of "
        "those that --pool-runs names; the others brought nothing to the pool.",
    ),
    (Section("leave-one-out", _left_out, ("measures", "pool_depth", "groups", "pool_runs")),),
    {"measures": ("AP", "nDCG@10", "P@10"), "pool_depth": 100, "groups": None, "pool_runs": None},
    taus=True,
)
