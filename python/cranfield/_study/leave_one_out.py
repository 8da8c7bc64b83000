"""Whether the pool is fair to a system that did not take part.

Zobel (1998), How reliable are the results of large-scale information retrieval
experiments?, SIGIR: each group's runs are scored without the documents that
only they brought to the pool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield import collection
from cranfield._base.errors import failure
from cranfield._base.scores_like import sign
from cranfield._base.text import counted
from cranfield._core import Qrels
from cranfield._scores.groups import read_run_groups
from cranfield._study.definition import BESIDE_GAINS, Options, Report, Study
from cranfield._study.folder import slug
from cranfield._study.inputs import Inputs
from cranfield._study.results import Figure, Found, Table, percent, scatter, tau


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
    full = inputs.scored(inputs.qrels, ranked, options["measures"])
    without: NDArray[np.float64] = np.full_like(full.summary(), np.nan)
    unique: dict[str, int] = {}
    relevant = _relevant(inputs.qrels, inputs.lowest_relevant)
    reduced = dict.fromkeys(groups.values(), inputs.qrels)
    # A group of which nothing was pooled brought nothing.
    reduced |= collection.leave_out(inputs.qrels, inputs.pooled, groups, options["pool_depth"])
    for done, (group, qrels) in enumerate(reduced.items(), 1):
        own = [i for i, run in enumerate(ranked) if groups[run.name] == group]
        scores = inputs.scored(qrels, [ranked[i] for i in own], options["measures"])
        without[own] = scores.summary()
        unique[group] = relevant - _relevant(qrels, inputs.lowest_relevant)
        report(done, len(reduced))
    compared = {run.name for run in inputs.ranked}
    kept = [i for i, run in enumerate(ranked) if run.name in compared]
    rows: list[dict[str, Any]] = []
    summary, panels = [], []
    for m, measure in enumerate(full.measures):
        before, after = full.summary()[:, m], without[:, m]
        turned = sign(full.core.measures[m])
        of_measure = []
        for i in kept:
            place = _rank(turned * before, turned * before[i], i)
            left_out = _rank(turned * before, turned * after[i], i)
            group = groups[ranked[i].name]
            row: dict[str, Any] = {"measure": measure, "run": ranked[i].name, "group": group}
            row |= {"unique relevant": unique[group], "whole": before[i], "left out": after[i]}
            row |= {"change": after[i] - before[i], "place": place, "place left out": left_out}
            of_measure.append(row)
        rows += of_measure
        summary.append(_summary(measure, of_measure))
        labels = f"{measure}, whole pool", f"{measure}, own group left out"
        names = [ranked[i].name for i in kept]
        panels.append(scatter(labels, (before[kept], after[kept]), names))
    note = (
        "How much the score of a run changes when documents that only its group contributed to the "
        f"first {options['pool_depth']} count as not judged; places moved is the most by which a "
        "run alone would fall or rise."
    )
    title = "Is the pool fair to newcomers?"
    tables = [Table.of_rows("leave-one-out", title, summary, note)]
    title = "Each run with and without its group's contribution"
    tables.append(Table.of_rows("leave-one-out-runs", title, rows))
    name = slug("-".join(full.measures[:3]))
    title = "Scores with and without the own group's contribution to the pool"
    figure = Figure(f"leave-one-out-{name}", title, panels, columns=min(3, len(panels)))
    first = summary[0]
    says = (
        f"Without the documents that only its own group contributed to the pool, "
        f"{first['measure']} of a run changes by "
        f"{percent(first['relative'], 1)} on average and at most by {first['largest']:+.4f} "
        f"({first['of run']}); no run moves by more than {counted(first['places moved'], 'place')}."
    )
    return Found(tables, [figure], says)


def _summary(measure: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How much the runs change and move in a measure."""
    before, after = (np.array([row[name] for row in rows]) for name in ("whole", "left out"))
    change = after - before
    largest = int(np.argmax(np.abs(change)))
    return {
        "measure": measure,
        "mean change": np.abs(change).mean(),
        "relative": (np.abs(change) / np.where(before == 0, 1.0, before)).mean(),
        "largest": change[largest],
        "of run": rows[largest]["run"],
        "places moved": max(abs(row["place left out"] - row["place"]) for row in rows),
        "tau": tau(before, after),
    }


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
        "Without --groups each run is a group of its own, so documents found by several runs of "
        "one team are not removed: name the groups for a strict test.",
        "Pools are made from all given runs, even if only some of them are compared, or from those "
        "that --pool-runs names; the others contributed nothing to the pool.",
    ),
    {"leave-one-out": _left_out},
    {"measures": ("AP", "nDCG@10", "P@10"), "pool_depth": 100, "groups": None, "pool_runs": None},
    taus=True,
)
