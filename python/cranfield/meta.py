"""Measures as the object of study: which ones tell systems apart, which agree.

>>> import cranfield as cf
>>> qrels = {str(topic): {"a": 1, "b": topic % 2} for topic in range(8)}
>>> good = {topic: {"a": 2.0, "b": 1.0, "x": 0.0} for topic in qrels}
>>> poor = {topic: {"x": 2.0, "b": 1.0, "a": 0.0} for topic in qrels}
>>> scores = cf.evaluate(qrels, {"good": good, "poor": poor}, "AP P@3")
>>> cf.meta.discriminative_power(scores).power.tolist()
[1.0, 0.0]

Everything here is a function of ``Scores``, or of judgments and runs that are
read once and scored under many judgments. Random procedures take a seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from cranfield import collection, stats
from cranfield._core import Measure, Qrels, Ranked
from cranfield.errors import failure, label_failure
from cranfield.evaluator import evaluate
from cranfield.scores import Scores

if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Bools: TypeAlias = NDArray[np.bool_]

__all__ = [
    "Curve",
    "DiscriminativePower",
    "Generalizability",
    "MeasurePower",
    "SwapRate",
    "Sweep",
    "at_depth",
    "best",
    "correlation",
    "discriminative_power",
    "drop_worst",
    "g_study",
    "imperfection",
    "incompleteness",
    "means_of",
    "overlap",
    "predictivity",
    "rank_weights",
    "seed_of",
    "standardize",
    "swap_rate",
    "sweep",
    "tau",
    "topic_set_size",
]

TIED = 1e-9
"""Mean scores closer than this, relatively, are tied: sums of the same numbers
in another order differ in their last bits."""


# Choosing systems


def best(scores: Scores, count: int, by: str | Measure) -> Scores:
    """The runs with the highest means of a measure, best first.

    As in Sakai (2007), section 5: the top 30 runs by Mean AP.
    """
    if count < 1:
        raise failure("option", f"expected a count of at least 1, found {count}")
    means = np.nanmean(scores.values[:, :, _column(scores, by)], axis=1)
    order = np.argsort(-means, kind="stable")[:count]
    return scores.sel(run=[scores.runs[i] for i in order])


def drop_worst(scores: Scores, share: float, by: str | Measure) -> Scores:
    """The runs without the lowest share by the mean of a measure, in order.

    As in Voorhees and Buckley (2002): without the worst quarter, which holds
    defective runs.
    """
    if not 0 <= share < 1:
        raise failure("option", f"expected a share from 0 to below 1, found {share}")
    means = np.nanmean(scores.values[:, :, _column(scores, by)], axis=1)
    dropped = set(np.argsort(means, kind="stable")[: int(len(means) * share + TIED)].tolist())
    return scores.sel(run=[run for i, run in enumerate(scores.runs) if i not in dropped])


# Telling systems apart


@dataclass(frozen=True, slots=True, eq=False)
class MeasurePower:
    """Which pairs of runs one measure finds significantly different."""

    power: float
    """The share of all pairs that differ significantly."""
    power_of_different: float
    """The same share of the pairs that are not identical."""
    p_values: Floats
    """float64, shape (runs, runs), 1 on the diagonal."""
    significant: Bools
    """bool, shape (runs, runs)."""
    curve: Floats
    """The achieved significance levels from the highest: float64, (pairs,)."""
    required_difference: float
    """The least difference of means after which a pair is significant."""


@dataclass(frozen=True, slots=True, eq=False)
class DiscriminativePower:
    """Which pairs of runs each measure finds significantly different."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    test: str
    alpha: float
    pairs: NDArray[np.int64]
    """Positions of the two runs: int, shape (pairs, 2)."""
    pvalues: Floats
    """float64, shape (measures, pairs)."""
    differences: Floats
    """Of the means, first less second: float64, shape (measures, pairs)."""
    identical: Bools
    """Pairs whose scores do not differ in any topic: shape (measures, pairs)."""
    required: Floats
    """The difference that was enough for significance: float64, (measures,)."""

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
        """The same share of the pairs that are not identical: float64, (measures,).

        Some groups submit the same lists twice; such a pair cannot differ.
        """
        different = (~self.identical).sum(axis=1)
        return np.where(different, self.significant.sum(axis=1) / np.maximum(different, 1), 0.0)

    @property
    def required_difference(self) -> Floats:
        """The least difference of means after which a pair is significant.

        For "bootstrap" as Sakai (2006) estimates it; for the other tests the
        smallest difference that was found significant, and NaN without one:
        float64, shape (measures,).
        """
        return self.required

    def __getitem__(self, measure: str | Measure) -> MeasurePower:
        """What one measure found, in any accepted spelling.

        Raises ``LabelError`` for a measure that is not there.
        """
        place = self._place(measure)
        pvalues = self.p_values(measure)
        return MeasurePower(
            float(self.power[place]),
            float(self.power_of_different[place]),
            pvalues,
            pvalues < self.alpha,
            self.curve(measure),
            float(self.required[place]),
        )

    def p_values(self, measure: str | Measure) -> Floats:
        """The p-values of a measure: float64, shape (runs, runs), 1 on the diagonal."""
        square = np.ones((len(self.runs), len(self.runs)))
        one, two = self.pairs.T
        square[one, two] = square[two, one] = self.pvalues[self._place(measure)]
        return square

    def curve(self, measure: str | Measure) -> Floats:
        """The achieved significance levels from the highest: float64, (pairs,).

        Sakai's figures draw these, pairs sorted by ASL, for each measure.
        """
        return np.sort(self.pvalues[self._place(measure)])[::-1]

    def to_dict(self) -> dict[str, dict[str, float]]:
        """{measure: {"power": ..., "required_difference": ...}}."""
        rows = zip(self.measures, self.power, self.power_of_different, self.required, strict=True)
        return {
            measure: {
                "power": float(power),
                "power_of_different": float(different),
                "required_difference": float(required),
            }
            for measure, power, different, required in rows
        }

    def _place(self, measure: str | Measure) -> int:
        return _index(self.measures, measure)

    def __repr__(self) -> str:
        lines = [
            f"<DiscriminativePower: {len(self.runs)} runs, {len(self.pairs)} pairs, "
            f"{self.test} test, alpha {self.alpha}>"
        ]
        width = max(map(len, self.measures), default=0)
        lines += [
            f"  {m:<{width}}  {p:.4f}" for m, p in zip(self.measures, self.power, strict=True)
        ]
        return "\n".join(lines)


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
        At least two runs and two topics, nothing left out.
    test
        "t": the paired, two-sided t test (Webber, Moffat and Zobel 2010);
        "bootstrap": the paired bootstrap test (Sakai 2006), ASL < alpha;
        "randomization": random signs of the differences; "tukey": the
        randomised Tukey HSD, which corrects for the number of pairs.
    alpha
        The level of significance; no correction for many tests but by
        "tukey".
    resamples, seed, threads
        For the tests that draw: how often, from where, with how many threads.

    Raises
    ------
    Error
        Kind "option" for a test that is none or too few runs or topics,
        "undefined" for scores with NaN.

    """
    if not 0 < alpha < 1:
        raise failure("option", f"expected an alpha above 0 and below 1, found {alpha}")
    if test not in _TESTS:
        known = ", ".join(f'"{name}"' for name in _TESTS)
        raise failure("option", f"expected one of {known} as test, found {test!r}")
    values = _complete(scores, runs=2, topics=2)
    one, two = np.triu_indices(len(scores.runs), 1)
    pvalues, differences, identical, required = [], [], [], []
    for column in range(len(scores.measures)):
        matrix = np.ascontiguousarray(values[:, :, column])
        found = _TESTS[test](matrix, resamples, seed, threads)
        pvalues.append(np.asarray(found.pvalue))
        difference = np.asarray(found.difference)
        differences.append(difference)
        identical.append((matrix[one] == matrix[two]).all(axis=1))
        if test == "bootstrap":
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
    )


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


_TESTS: dict[str, Callable[[Floats, int | None, int, int | None], Any]] = {
    "t": lambda matrix, *_: stats.t_test(matrix),
    "bootstrap": lambda matrix, resamples, seed, threads: stats.bootstrap_test(
        matrix, seed=seed, **_given(resamples=resamples, threads=threads)
    ),
    "randomization": lambda matrix, resamples, seed, threads: stats.randomization_test(
        matrix, seed=seed, **_given(resamples=resamples, threads=threads)
    ),
    "tukey": lambda matrix, resamples, seed, threads: stats.tukey_hsd(
        matrix, method="randomized", seed=seed, **_given(resamples=resamples, threads=threads)
    ),
}


def overlap(found: DiscriminativePower) -> Floats:
    """How far measures agree on which pairs differ: float64, (measures, measures).

    The Jaccard index of the sets of significant pairs, those found in the
    same direction: in both divided by in either; 1 if both sets are empty.
    """
    signed = np.where(found.significant, np.sign(found.differences), 0)
    both = np.array([[((a == b) & (a != 0)).sum() for b in signed] for a in signed])
    sizes = (signed != 0).sum(axis=1)
    either = sizes[:, None] + sizes[None, :] - both
    return np.where(either, both / np.maximum(either, 1), 1.0)


# Putting topics on one scale


def standardize(
    scores: Scores,
    reference: Scores | None = None,
    *,
    ddof: int = 1,
    method: str = "z",
    scale: float = 0.15,
    shift: float = 0.5,
) -> Scores:
    """Scores as distances from what a topic usually gives.

    z = (x - mean) / deviation, over the runs of ``reference`` for the same
    topic and measure; 0 where all of them are equal (Webber, Moffat and Zobel
    2008, and 2010, equation 8).

    Parameters
    ----------
    scores
        The scores to standardise.
    reference
        The scores whose means and deviations are used; ``scores`` themselves
        if not given. The topics and measures have to be the same.
    ddof
        1 for the deviation of a sample, 0 for that of a population.
    method
        "z" for the distance, "cdf" for its place in the normal distribution,
        "AB" for ``scale * z + shift`` cut to [0, 1] (Sakai 2016).
    scale, shift
        A and B of "AB".

    Raises
    ------
    Error
        Kind "option" for a method that is none, for other topics or
        measures, and for fewer reference runs than a deviation needs;
        "undefined" for a reference with NaN.

    """
    usual = scores if reference is None else reference
    if (usual.topics, usual.measures) != (scores.topics, scores.measures):
        raise failure("option", "expected a reference with the same topics and measures")
    if len(usual.runs) <= ddof:
        message = f"expected more than {ddof} reference runs, found {len(usual.runs)}"
        raise failure("option", message)
    _complete(usual, runs=1, topics=1)
    mean = np.mean(usual.values, axis=0)
    # Means of equal numbers differ from them in the last bit.
    equal = np.ptp(usual.values, axis=0) == 0
    deviation = np.where(equal, 1.0, np.std(usual.values, axis=0, ddof=ddof))
    z = np.where(equal, 0.0, (scores.values - mean) / np.where(deviation == 0, 1.0, deviation))
    if method == "AB":
        z = np.clip(scale * z + shift, 0.0, 1.0)
    elif method == "cdf":
        z = np.vectorize(math.erfc, otypes=[np.float64])(-z / math.sqrt(2)) / 2
    elif method != "z":
        raise failure("option", f'expected "z", "cdf" or "AB" as method, found {method!r}')
    return Scores(scores.core.with_values(np.ascontiguousarray(z)))


# Do measures agree?


def correlation(
    scores: Scores | DiscriminativePower, method: str = "kendall"
) -> stats.CorrelationMatrix:
    """How far measures agree on the order of the runs, or of their differences.

    Parameters
    ----------
    scores
        ``Scores``: the runs in order of their means are compared; or a
        ``DiscriminativePower``: the pairs of runs in order of their p-values
        (Webber, Moffat and Zobel 2010, Table 3).
    method
        As for ``stats.correlation_matrix``: "kendall" (tau-b), "tau_ap",
        "spearman", "pearson", "rms_error", "max_drop". Means that differ by
        less than 1e-9, relatively, are tied.

    Raises
    ------
    Error
        Kind "option" for a method that is none or fewer than two runs,
        "undefined" for scores with NaN.

    """
    if isinstance(scores, DiscriminativePower):
        columns = scores.pvalues.T
    else:
        columns = means_of(_complete(scores, runs=2, topics=1))
    known = cast("Any", method)
    return stats.correlation_matrix(columns, method=known, labels=scores.measures, tolerance=TIED)


def tau(x: Floats, y: Floats) -> float:
    """Kendall's tau-b of two rows of means; those closer than ``TIED`` are tied."""
    return float(stats.kendall(x, y, tolerance=TIED).statistic)


# Is a measure stable?


@dataclass(frozen=True, slots=True, eq=False)
class SwapRate:
    """How often the order of two runs is reversed on other topics."""

    measures: tuple[str, ...]
    topics: int
    """Topics in each of the two sets."""
    edges: Floats
    """Borders of the classes of differences: float64, shape (classes + 1,)."""
    swaps: Floats
    """Reversed comparisons of each class: float64, shape (measures, classes)."""
    comparisons: Floats
    """All comparisons of each class: float64, shape (measures, classes)."""

    @property
    def rate(self) -> Floats:
        """Over all classes: float64, shape (measures,)."""
        rate: Floats = self.swaps.sum(axis=1) / np.maximum(self.comparisons.sum(axis=1), 1)
        return rate

    @property
    def rates(self) -> Floats:
        """By the size of the difference; NaN where there is none: (measures, classes)."""
        with np.errstate(invalid="ignore"):
            return self.swaps / self.comparisons

    def required_difference(self, level: float = 0.05) -> Floats:
        """The least difference from which on swaps are rarer than a level: (measures,)."""
        rates = np.nan_to_num(self.rates, nan=0.0)
        rare = np.flip(np.logical_and.accumulate(np.flip(rates <= level, axis=1), axis=1), axis=1)
        first = np.argmax(rare, axis=1)
        return np.where(rare.any(axis=1), self.edges[first], float("nan"))


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
        At least two runs, nothing left out.
    form
        "disjoint": two sets without a common topic (Voorhees and Buckley
        2002); "replacement": two sets drawn independently with replacement
        (Sakai 2006); "significant": disjoint sets, only comparisons that the
        t test calls significant on the first (Sanderson and Zobel 2005).
    samples
        How often topics are drawn.
    topics
        Topics in a set; half of them if not given.
    classes, width
        Differences on the first set are counted in so many classes of that
        width; the last holds all larger ones.
    alpha
        The level of "significant".
    seed
        Where chance starts.

    Raises
    ------
    Error
        Kind "option" for a form that is none, or sets that are too large.

    """
    values = _complete(scores, runs=2, topics=2)
    total = len(scores.topics)
    size = total // 2 if topics is None else topics
    if form not in ("disjoint", "replacement", "significant"):
        message = f'expected "disjoint", "replacement" or "significant" as form, found {form!r}'
        raise failure("option", message)
    if size < 1 or (form != "replacement" and 2 * size > total):
        message = f"expected sets of 1 to {total // 2} of {total} topics, found {size}"
        raise failure("option", message)
    chance = np.random.default_rng(seed)
    one, two = np.triu_indices(len(scores.runs), 1)
    swaps = np.zeros((len(scores.measures), classes))
    comparisons = np.zeros_like(swaps)
    for _ in range(samples):
        if form == "replacement":
            first, second = chance.integers(total, size=(2, size))
        else:
            order = chance.permutation(total)
            first, second = order[:size], order[size : 2 * size]
        for column in range(len(scores.measures)):
            matrix = values[:, :, column]
            means = means_of(matrix[:, first, None])[:, 0], means_of(matrix[:, second, None])[:, 0]
            d, e = (_apart(mean[one], mean[two]) for mean in means)
            counted = np.abs(d) > 0
            if form == "significant":
                part = np.ascontiguousarray(matrix[:, first])
                counted &= np.asarray(stats.t_test(part).pvalue) < alpha
            place = np.minimum((np.abs(d) / width + TIED).astype(int), classes - 1)
            np.add.at(comparisons[column], place[counted], 1)
            np.add.at(swaps[column], place[counted & (d * e < 0)], 1)
    edges = np.append(np.arange(classes) * width, np.inf)
    return SwapRate(scores.measures, size, edges, swaps, comparisons)


def predictivity(
    scores: Scores, *, samples: int = 100, topics: int | None = None, seed: int = 0
) -> stats.CorrelationMatrix:
    """How well the order of runs on some topics foretells that on others.

    Kendall's tau-b between the runs in order of one measure on a random set
    of topics and in order of another (or the same) on a set without common
    topics; the mean over samples (Webber et al. 2008). On the diagonal
    measures predict themselves. Raises ``Error`` as ``swap_rate`` does.
    """
    values = _complete(scores, runs=2, topics=2)
    total = len(scores.topics)
    size = total // 2 if topics is None else topics
    if not 1 <= size <= total // 2:
        message = f"expected sets of 1 to {total // 2} of {total} topics, found {size}"
        raise failure("option", message)
    chance = np.random.default_rng(seed)
    width = len(scores.measures)
    sums = np.zeros((width, width))
    for _ in range(samples):
        order = chance.permutation(total)
        first, second = (
            means_of(values[:, order[:size]]),
            means_of(values[:, order[size : 2 * size]]),
        )
        for i in range(width):
            for j in range(width):
                sums[i, j] += tau(first[:, i], second[:, j])
    return stats.CorrelationMatrix(scores.measures, (sums + sums.T) / (2 * samples), "predictivity")


@dataclass(frozen=True, slots=True, eq=False)
class Generalizability:
    """Where the variance of scores comes from: systems, topics, their interaction."""

    measures: tuple[str, ...]
    systems: Floats
    """Variance between systems: float64, shape (measures,)."""
    topics: Floats
    """Variance between topics: float64, shape (measures,)."""
    interaction: Floats
    """The rest, with the error: float64, shape (measures,)."""
    count: int
    """The topics that were averaged over."""

    def relative(self, topics: int | None = None) -> Floats:
        """E rho^2, for comparing systems on so many topics: float64, (measures,)."""
        error = self.interaction / (self.count if topics is None else topics)
        return _share(self.systems, error)

    def absolute(self, topics: int | None = None) -> Floats:
        """Phi, for scores as such on so many topics: float64, (measures,)."""
        error = (self.topics + self.interaction) / (self.count if topics is None else topics)
        return _share(self.systems, error)


def _share(part: Floats, other: Floats) -> Floats:
    total = part + other
    return np.where(total > 0, part / np.where(total > 0, total, 1.0), 0.0)


def g_study(scores: Scores) -> Generalizability:
    """The reliability of means over topics by generalizability theory.

    Variance components of the two-way layout systems x topics without
    replication, negative estimates taken as 0 (Bodoff and Li 2007; Brennan
    2001). Raises ``Error``: kind "option" for fewer than two runs or topics.
    """
    values = _complete(scores, runs=2, topics=2)
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
class Curve:
    """Values of measures along something that was varied, with their spread."""

    measures: tuple[str, ...]
    x: Floats
    """What was varied: float64, shape (points,)."""
    samples: dict[str, Floats]
    """By name, float64, shape (points, samples, measures)."""

    def mean(self, name: str) -> Floats:
        """The mean over samples: float64, shape (points, measures)."""
        means: Floats = self.samples[name].mean(axis=1)
        return means

    def band(self, name: str, level: float = 0.95) -> tuple[Floats, Floats]:
        """The quantiles that hold a share of the samples: two (points, measures)."""
        tails = (1 - level) / 2
        low, high = np.quantile(self.samples[name], [tails, 1 - tails], axis=1)
        return low, high

    def to_dict(self) -> dict[str, dict[str, list[float]]]:
        """{name: {measure: means along x}}."""
        return {
            name: {m: self.mean(name)[:, i].tolist() for i, m in enumerate(self.measures)}
            for name in self.samples
        }


def topic_set_size(
    scores: Scores,
    sizes: Iterable[int],
    *,
    samples: int = 20,
    alpha: float = 0.05,
    seed: int = 0,
) -> Curve:
    """What fewer topics would have told: discriminative power and tau.

    For each size topics are drawn without replacement; "power" is the share
    of pairs that the t test finds different on them, "tau" Kendall's tau-b
    with the order of the runs on all topics. Raises ``Error``: kind "option"
    for sizes below 2 or above the number of topics.
    """
    values = _complete(scores, runs=2, topics=2)
    sizes = list(sizes)
    total = len(scores.topics)
    if any(not 2 <= size <= total for size in sizes):
        raise failure("option", f"expected sizes from 2 to {total}, found {sizes}")
    chance = np.random.default_rng(seed)
    full = means_of(values)
    shape = len(sizes), samples, len(scores.measures)
    power, taus = np.empty(shape), np.empty(shape)
    for i, size in enumerate(sizes):
        for sample in range(samples):
            part = values[:, np.sort(chance.permutation(total)[:size])]
            means = means_of(part)
            for m in range(shape[2]):
                matrix = np.ascontiguousarray(part[:, :, m])
                power[i, sample, m] = (np.asarray(stats.t_test(matrix).pvalue) < alpha).mean()
                taus[i, sample, m] = tau(full[:, m], means[:, m])
    x = np.array(sizes, dtype=np.float64)
    return Curve(scores.measures, x, {"power": power, "tau": taus})


# Judgments and depth


def rank_weights(measure: str | Measure, k: int) -> Floats:
    """What a relevant document is worth at each rank: float64, shape (k,).

    The value of the measure for a list whose only relevant document stands
    at that rank. For measures that add up over ranks (P, CG, DCG, RBP) these
    are the weights of their sum (Webber, Moffat and Zobel 2010, Figure 1).
    """
    ranks = range(1, k + 1)
    documents = {f"{rank:09}": float(-rank) for rank in ranks}
    # One topic for each rank, whose only relevant document is the one there.
    qrels = Qrels({f"{rank:09}": {f"{rank:09}": 1} for rank in ranks})
    ranked = evaluate(qrels, dict.fromkeys(documents, documents), [measure])
    return ranked.values[0, :, 0].copy()


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """Scores of runs under every pool depth and evaluation depth."""

    pool_depths: tuple[int, ...]
    evaluation_depths: tuple[int, ...]
    measures: tuple[str, ...]
    scores: dict[int, Scores]
    """By pool depth: every measure at every evaluation depth."""

    def at(self, measure: str, pool: int, evaluation: int) -> Scores:
        """The scores of one measure at one depth of pool and of evaluation.

        Raises ``Error`` (kind "label") for a depth that was not swept.
        """
        if pool not in self.scores:
            message = f"expected one of the pool depths {self.pool_depths}, found {pool}"
            raise failure("label", message)
        return self.scores[pool].sel(measure=at_depth(measure, evaluation))

    def power(self, measure: str, *, standardized: bool = False, alpha: float = 0.05) -> Floats:
        """Discriminative power by the t test: float64, (pool depths, evaluation depths).

        Of the pairs that differ in some topic, as Webber, Moffat and Zobel
        count them.
        """
        table = np.empty((len(self.pool_depths), len(self.evaluation_depths)))
        for i, pool in enumerate(self.pool_depths):
            for j, depth in enumerate(self.evaluation_depths):
                scores = self.at(measure, pool, depth)
                if standardized:
                    scores = standardize(scores)
                found = discriminative_power(scores, "t", alpha)
                table[i, j] = found.power_of_different[0]
        return table


def at_depth(measure: str, depth: int) -> str:
    """A measure's spelling with a cutoff."""
    return str(Measure(measure) @ depth)


def sweep(
    runs: Any,
    qrels: Qrels,
    pool_depths: Sequence[int],
    evaluation_depths: Sequence[int],
    measures: Sequence[str],
    **options: Any,
) -> Sweep:
    """How deep to pool and how deep to evaluate.

    For each pool depth only the judgments of documents among the first of
    some run count; under these every measure is evaluated at every depth.
    The runs are read once.

    Parameters
    ----------
    runs
        As for ``cranfield.evaluate``, or what ``collection.rank`` returned
        for these judgments.
    qrels
        The judgments.
    pool_depths, evaluation_depths
        Depths from 1.
    measures
        Measures that take a cutoff, without it: "nDCG", "RBP(residual=0.1)".
    options
        As for ``collection.rank``.

    """
    if isinstance(runs, Qrels):
        raise failure("type", "expected runs, then judgments; found judgments first")
    ranked = _ranked(qrels, runs, options)
    wanted = [at_depth(measure, depth) for measure in measures for depth in evaluation_depths]
    threads = options.get("threads")
    scores = {
        depth: evaluate(
            collection.pool_to_depth(qrels, ranked, depth), ranked, wanted, threads=threads
        )
        for depth in pool_depths
    }
    return Sweep(tuple(pool_depths), tuple(evaluation_depths), tuple(measures), scores)


def incompleteness(
    qrels: Qrels,
    runs: Any,
    measures: str | Sequence[str | Measure],
    rates: Iterable[float],
    *,
    method: str = "stratified",
    samples: int = 10,
    seed: int = 0,
    truth: str | Measure | None = None,
    power: bool = True,
    alpha: float = 0.05,
    progress: Callable[[int, int], object] | None = None,
    **options: Any,
) -> Curve:
    """What happens to measures when judgments go missing.

    Judgments are reduced to each rate several times, and the runs, read
    once, are scored under what is left.

    Parameters
    ----------
    qrels, runs
        The judgments; and runs as for ``cranfield.evaluate``, or what
        ``collection.rank`` returned for these judgments.
    measures
        As for ``cranfield.evaluate``.
    rates
        Shares of the judgments that stay.
    method
        "stratified" (Buckley and Voorhees 2004; Sakai 2007) or "random"
        (Yilmaz and Aslam 2006), as for ``collection.reduce``.
    samples, seed
        How often judgments are drawn, and where chance starts.
    truth
        The measure under full judgments that all are compared with, as in
        Yilmaz and Aslam's figures; each measure with itself if not given, as
        in Sakai's.
    power, alpha
        Whether discriminative power by the t test is computed, at which
        level.
    progress
        Called with the samples done and all samples.
    options
        As for ``collection.rank``.

    Returns
    -------
    Curve
        "mean": the mean score over runs; "tau" (Kendall's tau-b), "rho"
        (Pearson's correlation) and "rms" (root mean square of the
        differences) of the runs' means against the truth; "power".

    """
    ranked = _ranked(qrels, runs, {"coins": True, **options})

    def reduced(rate: float, sample: int) -> tuple[Qrels, list[Ranked]]:
        return collection.reduce(qrels, rate, method, seed=seed_of(seed, sample)), ranked

    return _vary(
        qrels, ranked, measures, rates, reduced, samples, truth, power, alpha, progress, options
    )


def imperfection(
    qrels: Qrels,
    runs: Any,
    measures: str | Sequence[str | Measure],
    rates: Iterable[float],
    *,
    samples: int = 10,
    seed: int = 0,
    truth: str | Measure | None = None,
    power: bool = False,
    alpha: float = 0.05,
    progress: Callable[[int, int], object] | None = None,
    **options: Any,
) -> Curve:
    """What happens to measures when documents vanish from the collection.

    Runs lose all documents but a random share, the judgments stay: they are
    imperfect (Yilmaz and Aslam 2006, section 3). Parameters and result as for
    ``incompleteness``.
    """
    ranked = _ranked(qrels, runs, {"coins": True, **options})

    def sampled(rate: float, sample: int) -> tuple[Qrels, list[Ranked]]:
        return qrels, collection.sample_collection(ranked, rate, seed_of(seed, sample))

    return _vary(
        qrels, ranked, measures, rates, sampled, samples, truth, power, alpha, progress, options
    )


def _vary(
    qrels: Qrels,
    ranked: list[Ranked],
    measures: str | Sequence[str | Measure],
    rates: Iterable[float],
    change: Callable[[float, int], tuple[Qrels, list[Ranked]]],
    samples: int,
    truth: str | Measure | None,
    power: bool,
    alpha: float,
    progress: Callable[[int, int], object] | None,
    options: dict[str, Any],
) -> Curve:
    rates = list(rates)
    threads = options.get("threads")
    full = evaluate(qrels, ranked, measures, threads=threads)
    expected = means_of(_complete(full, runs=2, topics=1))
    if truth is not None:
        true = means_of(evaluate(qrels, ranked, [truth], threads=threads).values)
        expected = np.repeat(true, len(full.measures), axis=1)
    names = ["mean", "tau", "rho", "rms", *(["power"] if power else [])]
    shape = len(rates), samples, len(full.measures)
    found = {name: np.empty(shape) for name in names}
    for i, rate in enumerate(rates):
        for sample in range(samples):
            scores = evaluate(*change(rate, sample), measures, threads=threads)
            means = means_of(scores.values)
            at = i, sample
            found["mean"][at] = means.mean(axis=0)
            for m in range(shape[2]):
                x, y = means[:, m], expected[:, m]
                flat = np.ptp(x) == 0 or np.ptp(y) == 0
                found["tau"][(*at, m)] = np.nan if flat else tau(x, y)
                found["rho"][(*at, m)] = np.nan if flat else stats.pearson(x, y).statistic
                found["rms"][(*at, m)] = np.sqrt(np.mean((x - y) ** 2))
            if power:
                found["power"][at] = discriminative_power(scores, "t", alpha).power
            if progress is not None:
                progress(i * samples + sample + 1, len(rates) * samples)
    return Curve(full.measures, np.array(rates, dtype=np.float64), found)


def seed_of(seed: int, sample: int) -> int:
    """Samples of one study differ, and so do studies with other seeds."""
    return int(np.random.SeedSequence([seed, sample]).generate_state(1, np.uint64)[0] >> 11)


def _ranked(qrels: Qrels, runs: Any, options: dict[str, Any]) -> list[Ranked]:
    several = isinstance(runs, (list, tuple))
    if several and runs and all(isinstance(run, Ranked) for run in runs):
        given = sorted(set(options) - {"coins", "threads", "progress"})
        if given:
            message = f"{given[0]} was settled when the runs were ranked; give it to rank"
            raise failure("option", message)
        return list(runs)
    return collection.rank(qrels, runs, **options)


def means_of(values: Floats) -> Floats:
    """Means over topics, in their order: shape (runs, measures)."""
    means: Floats = np.add.reduce(values, axis=1) / values.shape[1]
    return means


def _apart(x: Floats, y: Floats) -> Floats:
    """Differences of means, 0 where they are tied."""
    tied = np.abs(x - y) <= TIED * np.maximum(np.abs(x), np.abs(y))
    return np.where(tied, 0.0, x - y)


def _column(scores: Scores, measure: str | Measure) -> int:
    return _index(scores.measures, measure)


def _index(measures: tuple[str, ...], measure: str | Measure) -> int:
    name = str(Measure(str(measure)))
    if name not in measures:
        raise label_failure("measure", name, measures)
    return measures.index(name)


def _complete(scores: Scores, *, runs: int, topics: int) -> Floats:
    """The values, if there are enough and none is missing."""
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
