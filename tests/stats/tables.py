"""Random tables of scores, and the paired tests by name."""

from __future__ import annotations

from collections.abc import Callable

import cranfield as cf
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Test = Callable[..., cf.stats.PairedTest]
ALTERNATIVES = ("two-sided", "less", "greater")
EVERY: dict[str, Test] = {
    "t": cf.stats.t_test,
    "wilcoxon": cf.stats.wilcoxon,
    "sign": cf.stats.sign_test,
    "randomization": cf.stats.randomization_test,
    "bootstrap": cf.stats.bootstrap_test,
    "tukey": cf.stats.tukey_hsd,
    "randomized tukey": lambda scores, **options: cf.stats.tukey_hsd(
        scores, method="randomized", **options
    ),
}


def table(runs: int, topics: int, *, seed: int, levels: int | None = None) -> Floats:
    """Scores of runs that differ; multiples of 1 / levels if given.

    Levels are powers of two, so that equal differences are equal in binary:
    scipy takes 0.3 - 0.2 and 0.2 - 0.1 as different.
    """
    rng = np.random.default_rng([seed, runs, topics])
    hard = rng.beta(1, 2, topics)
    skill = rng.normal(0, 0.1, (runs, 1))
    scores = np.clip(hard + skill + rng.normal(0, 0.2, (runs, topics)), 0, 1)
    return scores if levels is None else np.round(scores * levels) / levels


def sides(scores: Floats, found: cf.stats.PairedTest) -> tuple[Floats, Floats]:
    return scores[found.pairs[:, 0]], scores[found.pairs[:, 1]]
