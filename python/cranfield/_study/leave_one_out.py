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
from cranfield._study.definition import Study
from cranfield._study.folder import slug
from cranfield._study.inputs import Task
from cranfield._study.results import Found, percent, scatter, tau


def _groups(path: str | None, names: list[str]) -> dict[str, str]:
    """The group of each run: itself, or what a file says."""
    if path is None:
        return {name: name for name in names}
    found = read_run_groups(path)
    missing = [name for name in names if name not in found]
    if missing:
        raise failure("label", f"expected a group for every run, found none for {missing[0]}")
    return found


def _left_out(task: Task) -> Found:
    inputs, options = task.inputs, task.options
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
        task.report(done, len(reduced))
    compared = {run.name for run in inputs.ranked}
    kept = [i for i, run in enumerate(ranked) if run.name in compared]
    names = [ranked[i].name for i in kept]
    rows: list[dict[str, Any]] = []
    summary, panels = [], []
    for m, measure in enumerate(full.measures):
        before, after = full.summary()[:, m], without[:, m]
        turned = sign(full.core.measures[m])
        places, left_out = (_ranks(turned * before, turned * of) for of in (before, after))
        of_measure = [
            {
                "measure": measure,
                "run": run,
                "group": groups[run],
                "unique relevant": unique[groups[run]],
                "whole": before[i],
                "left out": after[i],
                "change": after[i] - before[i],
                "place": places[i],
                "place left out": left_out[i],
            }
            for i, run in zip(kept, names, strict=True)
        ]
        rows += of_measure
        summary.append(_summary(measure, of_measure))
        labels = f"{measure}, whole pool", f"{measure}, own group left out"
        panels.append(scatter(labels, (before[kept], after[kept]), names))
    tables = [task.table("leave-one-out", summary), task.table("leave-one-out-runs", rows)]
    name = slug("-".join(full.measures[:3]))
    figure = task.figure("leave-one-out", panels, f"leave-one-out-{name}")
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


def _ranks(means: NDArray[np.float64], values: NDArray[np.float64]) -> list[int]:
    """The place of each run among the others if its score were a value; more is better."""
    above = means > values[:, None]
    np.fill_diagonal(above, val=False)
    ranks: list[int] = (1 + above.sum(axis=1)).tolist()
    return ranks


LEAVE_ONE_OUT = Study("leave-one-out", {"leave-one-out": _left_out})
