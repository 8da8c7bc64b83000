"""Which runs a judge favours, beside another one."""

from __future__ import annotations

import math

from cranfield._analysis.judges.system_order import paired, ranks, summaries
from cranfield._base.errors import failure, label_failure
from cranfield._base.options import checked, probability
from cranfield._stats.intervals import mean_interval
from cranfield._table.data_table import COUNT, SHARE, TEXT, DataTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cranfield._core import Measure
    from cranfield._scores.scores import Scores


@checked
def favours(
    gold: Scores,
    other: Scores,
    *,
    measure: str | Measure | None = None,
    unjudged: Mapping[str, float] | None = None,
) -> DataTable:
    """By how much each run gains under the other judge.

    Parameters
    ----------
    gold, other, measure
        As for ``order``.
    unjudged
        The share of unjudged documents of each run under gold, for a column of it.

    Returns
    -------
    DataTable
        A row for each run, the most favoured first: ``gold`` and ``other``, its means under each;
        ``favour``, by how much its mean rises more than that of all runs together; ``rank gold``,
        ``rank other`` and ``shift``, by how many ranks it rises; ``unjudged``.

    Raises
    ------
    Error
        As ``order``.

    """
    runs, label, _, _ = paired(gold, other, measure)
    first, second = summaries(gold, other, label)
    sign = -1.0 if gold.better[label] == "lower" else 1.0
    gain = second - first
    favour = gain - gain.mean()
    before, after = ranks(first), ranks(second)
    order = sorted(range(len(runs)), key=lambda run: (-round(favour[run], 12), runs[run]))
    columns = {
        "run": (TEXT, [runs[run] for run in order]),
        "gold": (SHARE, (sign * first[order]).tolist()),
        "other": (SHARE, (sign * second[order]).tolist()),
        "favour": (SHARE, favour[order].tolist()),
        "rank gold": (COUNT, before[order].tolist()),
        "rank other": (COUNT, after[order].tolist()),
        "shift": (COUNT, (before - after)[order].tolist()),
    }
    if unjudged is not None:
        for name in runs:
            if name not in unjudged:
                message = f"expected the share of unjudged documents of every run, none of {name!r}"
                raise failure("label", message)
        shares = [unjudged[runs[run]] for run in order]
        columns["unjudged"] = (SHARE, [None if math.isnan(one) else one for one in shares])
    return DataTable(columns)


@checked
def group_favours(
    gold: Scores,
    other: Scores,
    groups: Mapping[str, str],
    *,
    measure: str | Measure | None = None,
    level: float = 0.95,
) -> DataTable:
    """By how much the runs of each group gain more under the other judge than all other runs.

    A judge that prefers the runs of its own family, such as those made with the same model, shows
    it here.

    Parameters
    ----------
    gold, other, measure
        As for ``order``.
    groups
        {run: group}.
    level
        The confidence of the interval, over topics (Student's t).

    Returns
    -------
    DataTable
        A row for each group, the most favoured first: ``runs``; ``favour``, the mean over topics
        of the mean gain of the group's runs less that of all others; ``low`` and ``high``, its
        interval; ``shift``, the mean number of ranks that its runs rise.

    Raises
    ------
    Error
        Kind "label" for a run without a group; "option" for a single group; as ``order``.

    """
    import numpy as np

    probability("level", level)
    runs, label, a, b = paired(gold, other, measure)
    for run in runs:
        if run not in groups:
            message = f"expected a group for every run, found none for {run!r}"
            raise failure("label", message)
    for run in groups:
        if run not in runs:
            raise label_failure("run", run, runs)
    names = list(dict.fromkeys(groups[run] for run in runs))
    if len(names) < 2:
        raise failure("option", f"expected at least two groups of runs, found {len(names)}")
    gain = np.nan_to_num(b - a)
    first, second = summaries(gold, other, label)
    moved = ranks(first) - ranks(second)
    rows = []
    for name in names:
        own = np.array([groups[run] == name for run in runs])
        by_topic = gain[own].mean(axis=0) - gain[~own].mean(axis=0)
        low = high = math.nan
        if len(by_topic) > 1:
            ends = mean_interval(by_topic[None, :], level=level)
            low, high = float(ends.low[0]), float(ends.high[0])
        rows.append(
            (name, int(own.sum()), float(by_topic.mean()), low, high, float(moved[own].mean()))
        )
    rows.sort(key=lambda row: (-row[2], row[0]))
    columns: Sequence[tuple[str, str]] = (
        ("group", TEXT),
        ("runs", COUNT),
        ("favour", SHARE),
        ("low", SHARE),
        ("high", SHARE),
        ("shift", SHARE),
    )
    return DataTable(
        {name: (kind, [row[k] for row in rows]) for k, (name, kind) in enumerate(columns)}
    )
