"""What the scores of runs say about measures.

Means of runs and ties between them, scores standardized over topics; then whether measures tell
runs apart, and agree on that and on the order of runs.
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
from cranfield._base.options import checked, one_of, probability, wrong
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
    """The best runs by the summary of a measure, best first; undefined summaries come last.

    As in Sakai (2007), section 5: the top 30 runs by Mean AP. For a measure
    with no direction, these are the runs with the highest values.
    """
    return scores.sel(run=[scores.runs[i] for i in scores.best_first(by)[:count]])


@checked
def drop_worst(scores: Scores, share: float, by: str | Measure) -> Scores:
    """The runs without a proportion of the worst by the summary of a measure, in the given order.

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
    one_of("method", method, ("z", "cdf", "AB"))
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
    return Scores(scores.core.with_values(np.ascontiguousarray(z)))


@dataclass(frozen=True, slots=True, eq=False)
class MeasurePower(Result):
    """Which pairs of runs one measure finds significantly different."""

    power: float
    """The proportion of all pairs that differ significantly."""
    power_of_different: float
    """The same, as a proportion of the non-identical pairs."""
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
        """The proportion of all pairs that differ significantly: float64, (measures,)."""
        shares: Floats = self.significant.mean(axis=1)
        return shares

    @property
    def power_of_different(self) -> Floats:
        """The same, as a proportion of the non-identical pairs: float64, (measures,).

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
    """The proportion of pairs of runs whose difference is significant, by measure.

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
    probability(alpha, "alpha")
    run = test_of(test)
    if test == "tukey":
        tell([TUKEY])
    values = require_complete(scores, runs=2, topics=2)
    one, two = np.triu_indices(len(scores.runs), 1)
    columns = []
    for column in range(len(scores.measures)):
        matrix = np.ascontiguousarray(values[:, :, column])
        found = run(matrix, resamples=resamples, seed=seed, threads=threads)
        pvalue, difference = np.asarray(found.pvalue), np.asarray(found.difference)
        # Lists of the same values have no difference in the mean; few others have none.
        same = difference == 0
        same[same] = (matrix[one[same]] == matrix[two[same]]).all(axis=1)
        if isinstance(found, BootstrapTest):
            required = float(found.required_difference(alpha))
        else:
            required = float(np.abs(difference[pvalue < alpha]).min(initial=np.inf))
            required = required if math.isfinite(required) else math.nan
        columns.append((pvalue, difference, same, required))
    pairs = np.stack([one, two], axis=1).astype(np.int64)
    cells: list[Any] = [scores.runs, scores.measures, test, alpha, pairs]
    cells += [*map(np.array, zip(*columns, strict=True)), tuple(scores.better.values())]
    return DiscriminativePower(*cells)


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
