"""Means over all topics of a judge, with gold on some of them."""

from __future__ import annotations

import math

from cranfield._stats.predictions import ppi_mean
from cranfield._table.data_table import COUNT, MEAN, SHARE, TEXT, DataTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from cranfield._scores.scores import Scores


def predicted(
    scored: Sequence[Scores], shared: Sequence[str], measure: str, level: float
) -> DataTable | None:
    """The mean of each run over all topics of the second judge, from both."""
    gold, other = scored
    inside = set(shared)
    rest = [topic for topic in other.topics if topic not in inside]
    if len(rest) < 2 or len(shared) < 2:
        return None
    rows = []
    for run in gold.sel(measure=measure).best_first():
        name = gold.runs[run]
        y, f, u = (
            one.sel(run=name, topic=topics, measure=measure).values[0, :, 0]
            for one, topics in ((gold, shared), (other, shared), (other, rest))
        )
        # Undefined values cannot be paired.
        known = ~(_nan(y) | _nan(f))
        y, f, u = y[known], f[known], u[~_nan(u)]
        if len(y) > 1 and len(u) > 1:
            rows.append((name, ppi_mean(y, f, u, level=level)))
    return DataTable(
        {
            "run": (TEXT, [name for name, _ in rows]),
            "mean": (SHARE, [one.estimate for _, one in rows]),
            "low": (SHARE, [one.low for _, one in rows]),
            "high": (SHARE, [one.high for _, one in rows]),
            "gold low": (SHARE, [one.gold_low for _, one in rows]),
            "gold high": (SHARE, [one.gold_high for _, one in rows]),
            "lam": (SHARE, [lam for lam in (one.lam for _, one in rows) if isinstance(lam, float)]),
            "gold topics": (COUNT, [one.n for _, one in rows]),
            "effective topics": (
                MEAN,
                [one.effective_n if math.isfinite(one.effective_n) else None for _, one in rows],
            ),
        }
    )


def _nan(values: Any) -> Any:
    import numpy as np

    return np.isnan(values)
