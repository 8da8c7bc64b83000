"""Whether measures order runs the same way on other topics or on fewer, and how reliably."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cranfield import _core, stats
from cranfield._analysis.meta_scores import Floats, require_complete, signs
from cranfield._base.errors import failure
from cranfield._base.options import checked, finder, number, one_of
from cranfield._scores.scores import Scores
from cranfield._table.data_table import SHARE, TEXT, DataTable, defined
from cranfield._table.result import Result


@dataclass(frozen=True, slots=True, eq=False)
class SwapRate(Result):
    """How often the order of two runs is reversed on other topics."""

    measures: tuple[str, ...]
    topics: int
    """Topics in each of the two sets."""
    edges: Floats
    """Bin edges of the differences: float64, shape (classes + 1,)."""
    swaps: Floats
    """Reversed comparisons in each bin: float64, shape (measures, classes)."""
    comparisons: Floats
    """All comparisons in each bin: float64, shape (measures, classes)."""

    @property
    def rate(self) -> Floats:
        """The swap rate over all bins: float64, shape (measures,)."""
        rate: Floats = self.swaps.sum(axis=1) / np.maximum(self.comparisons.sum(axis=1), 1)
        return rate

    @property
    def rates(self) -> Floats:
        """The swap rate in each bin; NaN in empty bins: float64, shape (measures, classes)."""
        with np.errstate(invalid="ignore"):
            return self.swaps / self.comparisons

    def required_difference(self, level: float = 0.05) -> Floats:
        """The smallest difference at or above which no swap rate exceeds the level: (measures,)."""
        is_rare = np.nan_to_num(self.rates, nan=0.0) <= number(level, "level")
        rare = np.flip(np.logical_and.accumulate(np.flip(is_rare, axis=1), axis=1), axis=1)
        first = np.argmax(rare, axis=1)
        return np.where(rare.any(axis=1), self.edges[first], float("nan"))


@checked
def swap_rate(
    scores: Scores,
    form: str = "disjoint",
    *,
    samples: int = 100,
    topics: int | None = None,
    classes: int = 21,
    width: float = 0.01,
    alpha: float = 0.05,
    seed: int = 0,
) -> SwapRate:
    """How often the order of two runs differs between two sets of topics.

    Parameters
    ----------
    scores
        At least two runs, without NaN.
    form
        "disjoint": two sets without a common topic (Voorhees and Buckley
        2002); "replacement": two sets drawn independently with replacement
        (Sakai 2006); "significant": disjoint sets, only comparisons that the
        t test calls significant on the first (Sanderson and Zobel 2005).
    samples
        The number of samples of topics.
    topics
        Topics in a set; half of them if not given.
    classes, width
        The number of bins for differences on the first set, and their width;
        the last bin holds all larger differences.
    alpha
        The significance level of "significant".
    seed
        Random seed.

    Raises
    ------
    Error
        Kind "option" for an unknown form, or sets that are too large.

    """
    one_of("form", form, ("disjoint", "replacement", "significant"))
    values = require_complete(scores, runs=2, topics=2)
    total = len(scores.topics)
    size = _set_size(topics, total, disjoint=form != "replacement")
    if not width > 0:
        raise failure("option", f"expected a width above 0, found {width}")
    rng = np.random.default_rng(seed)
    if form == "significant" and size < 2:
        # The test says how many topics it needs.
        stats.t_test(np.ascontiguousarray(values[:, :size, 0]))
    sets = []
    for _ in range(samples):
        if form == "replacement":
            first, second = rng.integers(total, size=(2, size)).tolist()
        else:
            order = rng.permutation(total).tolist()
            first, second = order[:size], order[size : 2 * size]
        sets.append((first, second))
    swaps, comparisons = _core.order_swaps(
        values,
        sets,
        classes=classes,
        width=width,
        alpha=alpha if form == "significant" else None,
    )
    edges = np.append(np.arange(classes) * width, np.inf)
    return SwapRate(scores.measures, size, edges, swaps, comparisons)


def _set_size(topics: int | None, total: int, *, disjoint: bool) -> int:
    """How many topics are in each of two sets: half of them if not given."""
    size = total // 2 if topics is None else topics
    if size < 1 or (disjoint and 2 * size > total):
        message = f"expected sets of 1 to {total // 2} of {total} topics, found {size}"
        raise failure("option", message)
    return size


@dataclass(frozen=True, slots=True, eq=False)
class Generalizability(Result):
    """Where the variance of scores comes from: systems, topics, their interaction."""

    measures: tuple[str, ...]
    systems: Floats
    """Variance between systems: float64, shape (measures,)."""
    topics: Floats
    """Variance between topics: float64, shape (measures,)."""
    interaction: Floats
    """Variance of the interaction and the error: float64, shape (measures,)."""
    count: int
    """The number of topics averaged over."""

    @checked
    def relative(self, topics: int | None = None) -> Floats:
        """E rho^2, for comparing systems on that many topics: float64, (measures,)."""
        error = self.interaction / (self.count if topics is None else topics)
        return _share(self.systems, error)

    @checked
    def absolute(self, topics: int | None = None) -> Floats:
        """Phi, for absolute scores on that many topics: float64, (measures,)."""
        error = (self.topics + self.interaction) / (self.count if topics is None else topics)
        return _share(self.systems, error)


def _share(part: Floats, other: Floats) -> Floats:
    total = part + other
    return np.where(total > 0, part / np.where(total > 0, total, 1.0), 0.0)


@checked
def g_study(scores: Scores) -> Generalizability:
    """The reliability of means over topics by generalizability theory.

    Variance components of the two-way layout systems x topics without
    replication, negative estimates taken as 0 (Bodoff and Li 2007; Brennan
    2001). Raises ``Error``: kind "option" for fewer than two runs or topics.
    """
    values = require_complete(scores, runs=2, topics=2)
    runs, topics = values.shape[:2]
    grand = values.mean(axis=(0, 1))
    by_run, by_topic = values.mean(axis=1), values.mean(axis=0)
    residual = values - by_run[:, None] - by_topic[None] + grand
    rest = (residual**2).sum(axis=(0, 1)) / ((runs - 1) * (topics - 1))
    of_runs = topics * ((by_run - grand) ** 2).sum(axis=0) / (runs - 1)
    of_topics = runs * ((by_topic - grand) ** 2).sum(axis=0) / (topics - 1)
    return Generalizability(
        scores.measures,
        np.maximum(of_runs - rest, 0.0) / topics,
        np.maximum(of_topics - rest, 0.0) / runs,
        rest,
        topics,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Curve(Result):
    """Values of measures as one thing is varied, with their spread."""

    measures: tuple[str, ...]
    x: Floats
    """What was varied: float64, shape (points,)."""
    samples: dict[str, Floats]
    """By name, float64, shape (points, samples, measures)."""

    @checked
    def mean(self, name: str) -> Floats:
        """The mean over samples: float64, shape (points, measures)."""
        means: Floats = self._of(name).mean(axis=1)
        return means

    @checked
    def band(self, name: str, level: float = 0.95) -> tuple[Floats, Floats]:
        """The quantiles that enclose part of the samples: two arrays, (points, measures)."""
        tails = (1 - level) / 2
        low, high = np.quantile(self._of(name), [tails, 1 - tails], axis=1)
        return low, high

    def _of(self, name: str) -> Floats:
        """The samples of a name; raises ``LabelError`` for one that is not there."""
        return self.samples[list(self.samples)[finder("curve", list(self.samples))(name)]]

    def table(self) -> DataTable:
        """A row for each name, point and measure: the mean over samples."""
        rows = [
            (name, measure, x, defined(mean))
            for name in self.samples
            for x, means in zip(self.x.tolist(), self.mean(name).tolist(), strict=True)
            for measure, mean in zip(self.measures, means, strict=True)
        ]
        kinds = {"name": TEXT, "measure": TEXT, "x": SHARE, "mean": SHARE}
        return DataTable(
            {n: (kind, [row[i] for row in rows]) for i, (n, kind) in enumerate(kinds.items())}
        )


@checked
def topic_set_size(
    scores: Scores,
    sizes: Iterable[int],
    *,
    samples: int = 20,
    alpha: float = 0.05,
    seed: int = 0,
) -> Curve:
    """Discriminative power, and Kendall's tau with all topics, of fewer topics.

    For each size, topics are sampled without replacement; "power" is the share
    of pairs that the t test finds different on them, "tau" Kendall's tau-b
    with the order of the runs on all topics. For more topics than there are, and for one
    difference, see ``stats.t_test_power`` and ``stats.topics_needed``. Raises ``Error``: kind
    "option" for sizes below 2 or above the number of topics.
    """
    values = require_complete(scores, runs=2, topics=2)
    sizes = list(sizes)
    total = len(scores.topics)
    if any(not 2 <= size <= total for size in sizes):
        raise failure("option", f"expected sizes from 2 to {total}, found {sizes}")
    rng = np.random.default_rng(seed)
    sets = [
        np.sort(rng.permutation(total)[:size]).tolist() for size in sizes for _ in range(samples)
    ]
    shape = len(sizes), samples, len(scores.measures)
    found = _core.of_fewer_topics(values, sets, alpha=alpha)
    power, taus = (numbers.reshape(shape) for numbers in found)
    x = np.array(sizes, dtype=np.float64)
    return Curve(scores.measures, x, {"power": power, "tau": taus})


@checked
def predictivity(
    scores: Scores, *, samples: int = 100, topics: int | None = None, seed: int = 0
) -> stats.CorrelationMatrix:
    """How well the order of runs on some topics predicts that on others.

    Kendall's tau-b between the runs in order of one measure on a random set
    of topics and in order of another (or the same) on a disjoint set of
    topics, each from best to worst; the mean over samples (Webber et
    al. 2008). On the diagonal, measures predict themselves. Raises ``Error`` as ``swap_rate`` does.
    """
    values = require_complete(scores, runs=2, topics=2) * signs(scores.better.values())
    total = len(scores.topics)
    size = _set_size(topics, total, disjoint=True)
    rng = np.random.default_rng(seed)
    orders = (rng.permutation(total).tolist() for _ in range(samples))
    sums = _core.cross_taus(values, [(own[:size], own[size : 2 * size]) for own in orders])
    return stats.CorrelationMatrix(scores.measures, (sums + sums.T) / (2 * samples), "predictivity")
