"""Means over collections: topics are the sample within each, collections are fixed.

A sample has a row for each topic of a collection and a column for each mean
that is asked for. NaN is left out of its mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield import _core
from cranfield._base.options import seed_of

Floats: TypeAlias = NDArray[np.float64]
Ends: TypeAlias = tuple[Floats, Floats]

TIED = 1e-12
"""Means that differ by no more than this share of the largest are equal."""


def moments(samples: Sequence[Floats]) -> tuple[Floats, Floats, Floats]:
    """Of each column the mean over collections, its variance and degrees of freedom.

    The variance is that of independent means, and the degrees of freedom are
    Satterthwaite's (1946). NaN where a collection has fewer than two topics.
    """
    share = 1 / len(samples)
    means, parts, freedoms = [], [], []
    for sample in samples:
        number = (~np.isnan(sample)).sum(axis=0)
        enough = np.where(number < 2, np.nan, number)
        mean = np.nansum(sample, axis=0) / enough
        squares = np.nansum((sample - mean) ** 2, axis=0)
        means.append(mean)
        parts.append(share**2 * squares / (enough - 1) / enough)
        freedoms.append(enough - 1)
    variance = np.sum(parts, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        pooled = variance**2 / np.sum(np.square(parts) / freedoms, axis=0)
    # Without any variance the degrees of freedom do not matter.
    freedom = np.where(variance == 0, np.sum(freedoms, axis=0), pooled)
    return share * np.sum(means, axis=0), variance, freedom


def t_ends(samples: Sequence[Floats], level: float) -> Ends:
    """The ends of t intervals of the means over collections."""
    mean, variance, freedom = moments(samples)
    reach = np.sqrt(variance) * [
        np.nan if np.isnan(f) else _core.t_isf((1 - level) / 2, float(f)) for f in freedom
    ]
    return mean - reach, mean + reach


def t_pvalues(samples: Sequence[Floats]) -> Floats:
    """Two-sided p-values of means of 0; those of columns without variance are 0 or 1."""
    found = []
    for mean, variance, freedom in zip(*moments(samples), strict=True):
        if np.isnan(freedom):
            found.append(np.nan)
        elif variance == 0:
            found.append(float(mean == 0))
        else:
            found.append(2 * _core.t_sf(abs(mean) / np.sqrt(variance), float(freedom)))
    return np.array(found)


def draws(sizes: Sequence[int], resamples: int, seed: int) -> list[Floats]:
    """How often each replicate draws each topic of each collection.

    float64, shape (resamples, topics). What is drawn from one collection does
    not depend on the others.
    """
    found = []
    for place, topics in enumerate(sizes):
        drawn = _core.drawn_topics(topics, resamples=resamples, seed=seed_of(seed, place))
        counts = np.zeros((resamples, topics))
        np.add.at(counts, (np.arange(resamples)[:, None], drawn), 1)
        found.append(counts)
    return found


def replicates(counts: Sequence[Floats], samples: Sequence[Floats]) -> Floats:
    """The means over collections of each replicate: float64, shape (resamples, columns).

    NaN where a collection has fewer than two topics.
    """
    sums = np.zeros((len(counts[0]), samples[0].shape[1]))
    for drawn, sample in zip(counts, samples, strict=True):
        there = ~np.isnan(sample)
        # Not a product of matrices, whose last bits may depend on the number of threads.
        total = np.einsum("rt,tm->rm", drawn, np.where(there, sample, 0.0))
        number = np.einsum("rt,tm->rm", drawn, there.astype(np.float64))
        with np.errstate(divide="ignore", invalid="ignore"):
            sums += np.where(there.sum(axis=0) < 2, np.nan, total / number)
    return sums / len(samples)


def bootstrap_ends(
    counts: Sequence[Floats], samples: Sequence[Floats], level: float, method: str
) -> Ends:
    """The ends of "percentile" or "bca" intervals of the means over collections."""
    tail = (1 - level) / 2
    means = replicates(counts, samples)
    columns = means.shape[1]
    shares = np.tile([[tail], [1 - tail]], columns)
    if method == "bca":
        observed, variance, _ = moments(samples)
        skews = _acceleration(samples)
        for column in np.flatnonzero(variance > 0):
            shares[:, column] = _corrected(
                shares[:, column], means[:, column], float(observed[column]), float(skews[column])
            )
    low, high = (
        np.array([np.quantile(means[:, i], end[i]) for i in range(columns)]) for end in shares
    )
    return low, high


def _corrected(shares: Floats, means: Floats, observed: float, skew: float) -> list[float]:
    """The proportions of the replicates below the ends of a BCa interval (Efron 1987)."""
    normal = NormalDist()
    known = means[~np.isnan(means)]
    below = float(((known < observed).sum() + (known <= observed).sum()) / (2 * max(len(known), 1)))
    if not 0 < below < 1:
        return [float(share) for share in shares]
    bias = normal.inv_cdf(below)
    found = []
    for share in shares:
        moved = bias + normal.inv_cdf(float(share))
        found.append(normal.cdf(bias + moved / (1 - skew * moved)))
    return found


def _acceleration(samples: Sequence[Floats]) -> Floats:
    """How fast the spread changes: of several samples, from leaving out each topic once.

    As of Efron and Tibshirani (1993), equation 14.15, summed over samples.
    """
    cubes, squares = [], []
    for sample in samples:
        number = np.maximum((~np.isnan(sample)).sum(axis=0), 1)
        # What a mean loses by leaving a topic out, times one less than the topics.
        lost = (sample - np.nansum(sample, axis=0) / number) / len(samples)
        cubes.append(np.nansum(lost**3, axis=0) / number**3)
        squares.append(np.nansum(lost**2, axis=0) / number**2)
    spread = np.sum(squares, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.sum(cubes, axis=0) / (6 * spread**1.5)
    return np.nan_to_num(found)


def rank_ends(
    counts: Sequence[Floats], samples: Sequence[Floats], level: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The lowest and the highest rank of each column in a proportion of the replicates.

    The highest mean has rank 1; equal ones share the better rank.
    """
    means = replicates(counts, samples)
    slack = TIED * np.abs(means).max(axis=1)
    ranks = np.empty(means.shape, dtype=np.int64)
    for column in range(means.shape[1]):
        better = means > (means[:, column] + slack)[:, None]
        ranks[:, column] = 1 + better.sum(axis=1)
    ranks.sort(axis=0)
    tail = (1 - level) / 2
    # The tolerance keeps rounding from moving it.
    places = [
        max(int(np.ceil(share * len(ranks) * (1 - TIED))) - 1, 0) for share in (tail, 1 - tail)
    ]
    return ranks[places[0]], ranks[places[1]]
