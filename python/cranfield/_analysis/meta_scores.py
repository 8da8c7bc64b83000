"""Measures as the object of study, by the scores of runs.

Means of runs and ties between them, scores standardized over topics; then whether measures tell
runs apart, agree with one another, and do so on other or fewer topics.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from cranfield import stats
from cranfield._base.errors import failure, tell
from cranfield._base.options import checked, finder, number, wrong
from cranfield._base.scores_like import turn
from cranfield._base.text import counted
from cranfield._core import Measure
from cranfield._measures.parse import measure_place
from cranfield._scores.scores import Scores
from cranfield._stats.paired import BootstrapTest
from cranfield._stats.registry import TUKEY, test_of
from cranfield._table.data_table import SHARE, TEXT, DataTable, defined
from cranfield._table.result import Result

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]

TIED = 1e-9
"""Mean scores closer than this, relatively, are tied: sums of the same numbers
in another order differ in their last bits."""


@checked
def best(scores: Scores, count: int, by: str | Measure) -> Scores:
    """The best runs by the summary of a measure, best first, undefined last.

    As in Sakai (2007), section 5: the top 30 runs by Mean AP. For a measure
    with no direction, these are the runs with the highest values.
    """
    return scores.sel(run=[scores.runs[i] for i in scores.best_first(by)[:count]])


@checked
def drop_worst(scores: Scores, share: float, by: str | Measure) -> Scores:
    """The runs without the worst share by the summary of a measure, in order.

    As in Voorhees and Buckley (2002): without the worst quarter, which holds
    defective runs. The worst are the last of ``best``; among ties, the run
    given first is dropped first.
    """
    if not 0 <= share < 1:
        raise failure("option", f"expected a share from 0 to below 1, found {share}")
    # In reverse, so that earlier runs sort last among ties.
    backward = scores.sel(run=scores.runs[::-1])
    worst = backward.best_first(by)[left_without_worst(len(scores.runs), share) :]
    dropped = {backward.runs[i] for i in worst}
    return scores.sel(run=[run for run in scores.runs if run not in dropped])


def left_without_worst(runs: int, share: float) -> int:
    """How many of so many runs are left by ``drop_worst``; for this package only."""
    return runs - int(runs * share + TIED)


def signs(better: Iterable[str | None]) -> Floats:
    """The factors that make higher values better: 1 or -1 for each direction, float64."""
    return np.array([turn(direction) for direction in better], dtype=np.float64)


@checked
def tau(x: Floats, y: Floats) -> float:
    """Kendall's tau-b of two rows of means; those closer than ``TIED`` are tied."""
    return float(stats.kendall(x, y, tolerance=TIED).statistic)


@checked
def means_of(values: Floats) -> Floats:
    """Means over topics, in their order: shape (runs, measures)."""
    if values.ndim < 2:
        message = f"expected values of runs, topics and measures, found shape {values.shape}"
        raise failure("option", message)
    means: Floats = np.add.reduce(values, axis=1) / values.shape[1]
    return means


def differences_or_zero(x: Floats, y: Floats) -> Floats:
    """Differences in means, 0 where they are tied."""
    tied = np.abs(x - y) <= TIED * np.maximum(np.abs(x), np.abs(y))
    return np.where(tied, 0.0, x - y)


def require_complete(scores: Scores, *, runs: int, topics: int) -> Floats:
    """Returns the values; raises if there are too few or any is missing."""
    for count, least, what in (
        (len(scores.runs), runs, "runs"),
        (len(scores.topics), topics, "topics"),
    ):
        if count < least:
            raise failure("option", f"expected at least {least} {what}, found {count}")
    if np.isnan(scores.values).any():
        message = (
            "the scores have topics that were left out (NaN), so runs would be compared on "
            'different topics; evaluate with missing="zero" and undefined="zero", or select '
            "topics that all runs have"
        )
        raise failure("undefined", message)
    return scores.values


@checked
def standardize(
    scores: Scores,
    reference: Scores | None = None,
    *,
    ddof: int = 1,
    method: str = "z",
    scale: float = 0.15,
    shift: float = 0.5,
) -> Scores:
    """Scores as distances from the typical score on a topic.

    z = (x - mean) / deviation, over the runs of ``reference`` for the same
    topic and measure; 0 where all of them are equal (Webber, Moffat and Zobel
    2008, and 2010, equation 8).

    Parameters
    ----------
    scores
        The scores to standardize.
    reference
        The scores whose means and deviations are used; ``scores`` themselves
        if not given. The topics and measures have to be the same.
    ddof
        1 for the deviation of a sample, 0 for that of a population.
    method
        "z" for the distance, "cdf" for its value under the normal distribution function,
        "AB" for ``scale * z + shift`` clipped to [0, 1] (Sakai 2016).
    scale, shift
        A and B of "AB".

    Raises
    ------
    Error
        Kind "option" for an unknown method, for other topics or
        measures, and for fewer reference runs than a deviation needs;
        "undefined" for a reference with NaN.

    """
    base = scores if reference is None else reference
    if (base.topics, base.measures) != (scores.topics, scores.measures):
        raise failure("option", "expected a reference with the same topics and measures")
    if len(base.runs) <= ddof:
        message = f"expected more than {ddof} reference runs, found {len(base.runs)}"
        raise failure("option", message)
    require_complete(base, runs=1, topics=1)
    mean = np.mean(base.values, axis=0)
    # Means of equal numbers differ from them in the last bit.
    equal = np.ptp(base.values, axis=0) == 0
    deviation = np.where(equal, 1.0, np.std(base.values, axis=0, ddof=ddof))
    z = np.where(equal, 0.0, (scores.values - mean) / np.where(deviation == 0, 1.0, deviation))
    if method == "AB":
        z = np.clip(scale * z + shift, 0.0, 1.0)
    elif method == "cdf":
        z = np.vectorize(math.erfc, otypes=[np.float64])(-z / math.sqrt(2)) / 2
    elif method != "z":
        raise failure("option", f'expected "z", "cdf" or "AB" as method, found {method!r}')
    return Scores(scores.core.with_values(np.ascontiguousarray(z)))


@dataclass(frozen=True, slots=True, eq=False)
class MeasurePower(Result):
    """Which pairs of runs one measure finds significantly different."""

    power: float
    """The share of all pairs that differ significantly."""
    power_of_different: float
    """The same, as a share of the non-identical pairs."""
    p_values: Floats
    """float64, shape (runs, runs), 1 on the diagonal."""
    significant: Bools
    """bool, shape (runs, runs)."""
    curve: Floats
    """The achieved significance levels, highest first: float64, (pairs,)."""
    required_difference: float
    """The smallest difference in means that is significant."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DiscriminativePower(Result):
    """Which pairs of runs each measure finds significantly different."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    test: str
    alpha: float
    pairs: NDArray[np.int64]
    """Indices of the two runs: int64, shape (pairs, 2)."""
    pvalues: Floats
    """float64, shape (measures, pairs)."""
    differences: Floats
    """Differences in means, first minus second: float64, shape (measures, pairs)."""
    identical: Bools
    """Pairs whose scores do not differ in any topic: shape (measures, pairs)."""
    required: Floats
    """The smallest difference in means that is significant: float64, (measures,)."""
    better: tuple[str | None, ...]
    """Which values of each measure are better, "higher" or "lower"; None if it has no direction."""

    @property
    def significant(self) -> Bools:
        """Whether a pair differs significantly: bool, shape (measures, pairs)."""
        return self.pvalues < self.alpha

    @property
    def power(self) -> Floats:
        """The share of all pairs that differ significantly: float64, (measures,)."""
        shares: Floats = self.significant.mean(axis=1)
        return shares

    @property
    def power_of_different(self) -> Floats:
        """The same, as a share of the non-identical pairs: float64, (measures,).

        Some groups submit the same lists twice; such a pair cannot differ.
        """
        different = (~self.identical).sum(axis=1)
        return np.where(different, self.significant.sum(axis=1) / np.maximum(different, 1), 0.0)

    @property
    def required_difference(self) -> Floats:
        """The smallest difference in means that is significant.

        For "bootstrap", the estimate of Sakai (2006); for the other tests, the
        smallest difference found significant, or NaN if there is none:
        float64, shape (measures,).
        """
        return self.required

    __iter__ = None

    def __getitem__(self, measure: str | Measure) -> MeasurePower:
        """The results of one measure, given in any accepted spelling.

        Raises ``LabelError`` for a measure that is not there.
        """
        index = self._index(measure)
        pvalues = self.p_values(measure)
        return MeasurePower(
            float(self.power[index]),
            float(self.power_of_different[index]),
            pvalues,
            pvalues < self.alpha,
            self.curve(measure),
            float(self.required[index]),
        )

    @checked
    def p_values(self, measure: str | Measure) -> Floats:
        """The p-values of a measure: float64, shape (runs, runs), 1 on the diagonal."""
        matrix = np.ones((len(self.runs), len(self.runs)))
        row, column = self.pairs.T
        matrix[row, column] = matrix[column, row] = self.pvalues[self._index(measure)]
        return matrix

    @checked
    def curve(self, measure: str | Measure) -> Floats:
        """The achieved significance levels, highest first: float64, (pairs,).

        Sakai's figures plot these for each measure, with the pairs sorted by ASL.
        """
        return np.sort(self.pvalues[self._index(measure)])[::-1]

    def _index(self, measure: str | Measure) -> int:
        return measure_place(self.measures, measure)

    def headline(self) -> str:
        """How many runs, and which test."""
        runs, pairs = counted(len(self.runs), "run"), counted(len(self.pairs), "pair")
        return f"<DiscriminativePower: {runs}, {pairs}, {self.test} test, alpha {self.alpha:g}>"

    def table(self) -> DataTable:
        """A row for each measure."""
        return DataTable(
            {
                "measure": (TEXT, self.measures),
                "power": (SHARE, self.power.tolist()),
                "power of different": (SHARE, self.power_of_different.tolist()),
                "required difference": (SHARE, list(map(defined, self.required.tolist()))),
            }
        )


@checked
def discriminative_power(
    scores: Scores,
    test: str = "t",
    alpha: float = 0.05,
    *,
    resamples: int | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> DiscriminativePower:
    """The share of pairs of runs whose difference is significant, by measure.

    Parameters
    ----------
    scores
        At least two runs and two topics, without NaN.
    test
        As for ``cranfield.compare``, two-sided: "t" (Webber, Moffat and Zobel
        2010), "bootstrap" (Sakai 2006: ASL < alpha), "randomization", "wilcoxon",
        "sign"; "tukey" and "tukey_randomized" correct for the number of pairs.
    alpha
        The significance level; no multiple-comparison correction but that
        of the last two tests.
    resamples, seed, threads
        For resampling tests: number of resamples, seed, number of threads.

    Raises
    ------
    Error
        Kind "option" for an unknown test or too few runs or topics,
        "undefined" for scores with NaN.

    """
    if not 0 < alpha < 1:
        raise failure("option", f"expected an alpha above 0 and below 1, found {alpha}")
    run = test_of(test)
    if test == "tukey":
        tell([TUKEY])
    values = require_complete(scores, runs=2, topics=2)
    one, two = np.triu_indices(len(scores.runs), 1)
    pvalues, differences, identical, required = [], [], [], []
    for column in range(len(scores.measures)):
        matrix = np.ascontiguousarray(values[:, :, column])
        found = run(matrix, resamples=resamples, seed=seed, threads=threads)
        pvalues.append(np.asarray(found.pvalue))
        difference = np.asarray(found.difference)
        differences.append(difference)
        # Lists of the same values have no difference in the mean; few others have none.
        same = difference == 0
        same[same] = (matrix[one[same]] == matrix[two[same]]).all(axis=1)
        identical.append(same)
        if isinstance(found, BootstrapTest):
            required.append(float(found.required_difference(alpha)))
        else:
            enough = np.abs(difference[pvalues[-1] < alpha])
            required.append(float(enough.min()) if len(enough) else float("nan"))
    return DiscriminativePower(
        scores.runs,
        scores.measures,
        test,
        alpha,
        np.stack([one, two], axis=1).astype(np.int64),
        np.array(pvalues),
        np.array(differences),
        np.array(identical),
        np.array(required),
        tuple(scores.better.values()),
    )


@checked
def overlap(found: DiscriminativePower) -> Floats:
    """How well measures agree on which pairs differ: float64, (measures, measures).

    The Jaccard index of the sets of significant pairs, where
    the same run is the better one: intersection over union; 1 if both are empty.
    """
    better = np.sign(found.differences) * signs(found.better)[:, None]
    signed = np.where(found.significant, better, 0)
    both = np.array([[((a == b) & (a != 0)).sum() for b in signed] for a in signed])
    sizes = (signed != 0).sum(axis=1)
    either = sizes[:, None] + sizes[None, :] - both
    return np.where(either, both / np.maximum(either, 1), 1.0)


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
    """How often two runs change their order from one set of topics to another.

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
    values = require_complete(scores, runs=2, topics=2)
    total = len(scores.topics)
    if form not in ("disjoint", "replacement", "significant"):
        message = f'expected "disjoint", "replacement" or "significant" as form, found {form!r}'
        raise failure("option", message)
    size = _set_size(topics, total, disjoint=form != "replacement")
    if not width > 0:
        raise failure("option", f"expected a width above 0, found {width}")
    rng = np.random.default_rng(seed)
    one, two = np.triu_indices(len(scores.runs), 1)
    swaps = np.zeros((len(scores.measures), classes))
    comparisons = np.zeros_like(swaps)
    for _ in range(samples):
        if form == "replacement":
            first, second = rng.integers(total, size=(2, size))
        else:
            order = rng.permutation(total)
            first, second = order[:size], order[size : 2 * size]
        for column in range(len(scores.measures)):
            matrix = values[:, :, column]
            means = means_of(matrix[:, first, None])[:, 0], means_of(matrix[:, second, None])[:, 0]
            d, e = (differences_or_zero(mean[one], mean[two]) for mean in means)
            is_counted = np.abs(d) > 0
            if form == "significant":
                part = np.ascontiguousarray(matrix[:, first])
                is_counted &= np.asarray(stats.t_test(part).pvalue) < alpha
            index = np.minimum((np.abs(d) / width + TIED).astype(int), classes - 1)
            np.add.at(comparisons[column], index[is_counted], 1)
            np.add.at(swaps[column], index[is_counted & (d * e < 0)], 1)
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
        """The quantiles that enclose a share of the samples: two arrays, (points, measures)."""
        tails = (1 - level) / 2
        low, high = np.quantile(self._of(name), [tails, 1 - tails], axis=1)
        return low, high

    def _of(self, name: str) -> Floats:
        """The samples of a name; raises ``LabelError`` for one that is not there."""
        return self.samples[list(self.samples)[finder("curve", list(self.samples))(name)]]

    def table(self) -> DataTable:
        """A row for each name, point and measure: the mean over samples."""
        places = [
            (name, point, place)
            for name in self.samples
            for point in range(len(self.x))
            for place in range(len(self.measures))
        ]
        means = {name: self.mean(name) for name in self.samples}
        values = [float(means[name][point, place]) for name, point, place in places]
        return DataTable(
            {
                "name": (TEXT, [name for name, _, _ in places]),
                "measure": (TEXT, [self.measures[place] for _, _, place in places]),
                "x": (SHARE, [float(self.x[point]) for _, point, _ in places]),
                "mean": (SHARE, list(map(defined, values))),
            }
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
    """What fewer topics would have shown: discriminative power and Kendall's tau.

    For each size, topics are sampled without replacement; "power" is the share
    of pairs that the t test finds different on them, "tau" Kendall's tau-b
    with the order of the runs on all topics. Raises ``Error``: kind "option"
    for sizes below 2 or above the number of topics.
    """
    values = require_complete(scores, runs=2, topics=2)
    sizes = list(sizes)
    total = len(scores.topics)
    if any(not 2 <= size <= total for size in sizes):
        raise failure("option", f"expected sizes from 2 to {total}, found {sizes}")
    rng = np.random.default_rng(seed)
    full = means_of(values)
    shape = len(sizes), samples, len(scores.measures)
    power, taus = np.empty(shape), np.empty(shape)
    for i, size in enumerate(sizes):
        for sample in range(samples):
            part = values[:, np.sort(rng.permutation(total)[:size])]
            means = means_of(part)
            for m in range(shape[2]):
                matrix = np.ascontiguousarray(part[:, :, m])
                power[i, sample, m] = (np.asarray(stats.t_test(matrix).pvalue) < alpha).mean()
                taus[i, sample, m] = tau(full[:, m], means[:, m])
    x = np.array(sizes, dtype=np.float64)
    return Curve(scores.measures, x, {"power": power, "tau": taus})


@checked
def correlation(
    scores: Scores | DiscriminativePower, method: str = "kendall"
) -> stats.CorrelationMatrix:
    """How well measures agree on the order of the runs, or of their differences.

    The order is from the best run to the worst, so a measure that is better
    when it is lower agrees with one that is better when it is higher. For
    "rms_error", which is about values, no sign is flipped.

    Parameters
    ----------
    scores
        ``Scores``: the runs in order of their summaries are compared; or a
        ``DiscriminativePower``: the pairs of runs in order of their p-values
        (Webber, Moffat and Zobel 2010, Table 3).
    method
        As for ``stats.correlation_matrix``: "kendall" (tau-b), "tau_ap",
        "spearman", "pearson", "rms_error", "max_drop". Summaries that differ
        by less than 1e-9, relatively, are tied.

    Raises
    ------
    Error
        Kind "option" for an unknown method or fewer than two runs,
        "undefined" for scores with NaN.

    """
    if isinstance(scores, DiscriminativePower):
        columns = scores.pvalues.T
    elif not isinstance(scores, Scores):
        raise wrong("scores", "Scores or what discriminative_power found", scores)
    else:
        require_complete(scores, runs=2, topics=1)
        columns = scores.summary()
        if method != "rms_error":
            columns = columns * signs(scores.better.values())
    known = cast("Any", method)
    return stats.correlation_matrix(columns, method=known, labels=scores.measures, tolerance=TIED)


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
    width = len(scores.measures)
    sums = np.zeros((width, width))
    for _ in range(samples):
        order = rng.permutation(total)
        first, second = (
            means_of(values[:, order[:size]]),
            means_of(values[:, order[size : 2 * size]]),
        )
        for i in range(width):
            for j in range(width):
                sums[i, j] += tau(first[:, i], second[:, j])
    return stats.CorrelationMatrix(scores.measures, (sums + sums.T) / (2 * samples), "predictivity")
