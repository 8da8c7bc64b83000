"""Tests of whether the difference between two runs is more than chance.

Topics are the sample. All tests take the same first arguments:

``scores`` is a ``Scores``, from which ``measure`` selects the column (not needed
if there is only one), or numbers of shape (runs, topics), whose runs are then
called "0", "1" and so on. ``baseline``, a run by name or number or several of these, restricts
the test to the pairs of every other run with each, in which it comes second;
else all pairs are tested, the first run before the second. ``alternative``
is the direction of the alternative hypothesis, for the first run's scores:
"two-sided" (different), "greater" or "less". ``nan="omit"`` leaves out topics
where a score is NaN, instead of raising.

All raise ``Error``: for fewer than two runs, for NaN, and for fewer topics
than the test needs (kind "undefined"); for an option with a value that it
does not take ("option"); for what is not a table of numbers ("type"), or not
finite ("number"); for a run or a measure that is not there ("label").

Differences that are equal up to rounding (1e-12 of the larger run's largest
score) count as equal. So identical runs are never significant: their p-value
is 1 in every test and under every alternative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield import _core
from cranfield._base.errors import failure
from cranfield._base.options import an_array, checked, one_of
from cranfield._base.text import counted
from cranfield._core import Measure
from cranfield._stats.intervals import EFFECTS, RESAMPLES, Interval, correct, interval
from cranfield._stats.score_matrix import ScoreMatrix, ScoresLike, as_matrix, enough
from cranfield._table.data_table import COUNT, PVALUE, SHARE, TEXT, DataTable
from cranfield._table.result import Result

Floats: TypeAlias = NDArray[np.float64]

RANDOMIZATION = "randomization test"


@dataclass(frozen=True, eq=False, repr=False)
class PairedTest(Result):
    """A test of pairs of runs; immutable. Arrays have one entry per pair."""

    test: str
    """The test's name."""
    pairs: NDArray[np.int64]
    """Indices into ``runs``: int64, shape (pairs, 2)."""
    difference: Floats
    """Mean score of the first run minus that of the second: float64, shape (pairs,)."""
    statistic: Floats
    """The test statistic: float64, shape (pairs,)."""
    pvalue: Floats
    """P-values, corrected if ``correction`` says so: float64, shape (pairs,)."""
    n: NDArray[np.int64]
    """The number of topics used: int64, shape (pairs,)."""
    alternative: str
    """"two-sided", "less" or "greater"."""
    correction: str | None = None
    """How the p-values were corrected for the number of pairs."""
    resamples: int | None = None
    """The number of replicates behind the p-values; None if they are not from replicates."""
    seed: int = 0
    """The seed of the replicates."""
    _table: ScoreMatrix = field(kw_only=True)
    _threads: int | None = field(kw_only=True, default=None)
    _parity: int = field(kw_only=True, default=0)
    """What the statistic becomes when a pair is reversed: itself (1), its
    negative (-1), something else (0)."""

    def __post_init__(self) -> None:
        for array in (self.pairs, self.difference, self.statistic, self.pvalue, self.n):
            an_array(array, "a column").flags.writeable = False

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs, which ``pairs`` indexes."""
        return self._table.runs

    @property
    def measure(self) -> str | None:
        """The measure; None if the scores were given as an array."""
        return self._table.measure

    @checked
    def corrected(self, method: str = "holm") -> Self:
        """The same with p-values corrected for the number of pairs.

        ``method`` as for ``correct``; or for the randomization test "max-t": the step-down
        maximum of t (Westfall and Young 1993) under the test's own patterns of signs, a topic's
        differences of all pairs flipped together. Raises ``Error`` (kind "option") if they
        are corrected already, and for "max-t" of another test.
        """
        if self.correction is not None:
            raise failure("option", f"the p-values are corrected already: {self.correction}")
        if method != "max-t":
            return replace(self, pvalue=correct(self.pvalue, method), correction=method)
        if self.test != RANDOMIZATION:
            raise failure("option", f"max-t is for the {RANDOMIZATION}, found the {self.test}")
        jointly = _core.paired_max_t(
            self._table.values,
            self.pairs,
            alternative=self.alternative,
            resamples=self.resamples,
            seed=self.seed,
            threads=self._threads,
        )
        return replace(self, pvalue=jointly, correction=method)

    @checked
    def significant(self, alpha: float = 0.05) -> NDArray[np.bool_]:
        """Where the p-value is below alpha: bool, shape (pairs,)."""
        return self.pvalue < alpha

    @checked
    def discriminative_power(self, alpha: float = 0.05) -> float:
        """The proportion of pairs whose p-value is below alpha."""
        return float(self.significant(alpha).mean())

    @checked
    def confidence_interval(
        self,
        level: float = 0.95,
        method: str = "t",
        *,
        resamples: int = RESAMPLES,
        seed: int | None = None,
    ) -> Interval:
        """Intervals of the mean differences, each at the level by itself.

        ``method`` is "t" (Student), or "percentile" or "bca" (Efron 1987) from
        ``resamples`` samples of topics, the same for all pairs; ``seed`` is the
        test's unless given. The interval of a one-sided test is one-sided.
        Raises ``Error`` for another method or a level that is not between 0
        and 1 (kind "option"), and for a pair with one topic ("undefined").
        """
        if (self._topics() < 2).any():
            raise failure("undefined", "an interval needs at least 2 topics")
        return interval(
            self._table.values,
            self.pairs,
            level=level,
            method=method,
            resamples=resamples,
            seed=self.seed if seed is None else seed,
            threads=self._threads,
            alternative=self.alternative,
        )

    @checked
    def effect_size(self, kind: str = "dz") -> Floats:
        """The mean differences in units of a standard deviation: float64, (pairs,).

        ``kind`` says which one: "dz" that of the pair's differences; "residual"
        that of the residuals of a two-way analysis of variance of all runs
        (Sakai 2014), over topics that all runs have; "pooled" the root mean
        square of the two runs' (Cohen's d); "glass" the second run's, as the
        baseline is. 0/0 is NaN and any other x/0 infinite. Raises ``Error``
        for another kind (kind "option"), and where there are fewer than two
        topics ("undefined").
        """
        deviation: Any
        topics, _, deviation, identical = _core.paired_moments(self._table.values, self.pairs)
        if (topics < 2).any():
            raise failure("undefined", "an effect size needs at least 2 topics")
        one_of("kind", kind, EFFECTS)
        if kind == "residual":
            whole = self._table.complete(2, "an analysis of variance").values
            deviation = np.sqrt(_core.residual_variance(whole))
        elif kind != "dz":
            first, second = (self._deviations(side) for side in (0, 1))
            deviation = second if kind == "glass" else np.sqrt((first**2 + second**2) / 2)
        difference = np.where(identical, 0.0, self.difference)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(difference / deviation, dtype=np.float64)

    @checked
    def matrix(self, field: str = "pvalue") -> Floats:
        """A field as float64, shape (runs, runs), NaN where there is no pair.

        Fields are "pvalue", "statistic", "difference" and "n". The cell (i, j)
        is for run i against run j. If it cannot be derived from the reversed pair,
        as with a one-sided p-value, it is NaN.
        """
        parities = {
            "pvalue": int(self.alternative == "two-sided"),
            "statistic": self._parity,
            "difference": -1,
            "n": 1,
        }
        one_of("field", field, parities)
        cells = np.full((len(self.runs),) * 2, np.nan)
        first, second = self.pairs.T
        values = getattr(self, field)
        cells[first, second] = values
        if parities[field]:
            cells[second, first] = parities[field] * values
        return cells

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns run, other, n, difference, statistic and pvalue as lists."""
        return self.columns()

    def table(self) -> DataTable:
        """A row for each pair."""
        first, second = ([self.runs[place] for place in side] for side in self.pairs.T)
        return DataTable(
            {
                "run": (TEXT, first),
                "other": (TEXT, second),
                "n": (COUNT, self.n.tolist()),
                "difference": (SHARE, self.difference.tolist()),
                "statistic": (SHARE, self.statistic.tolist()),
                "pvalue": (PVALUE, self.pvalue.tolist()),
            }
        )

    def _topics(self) -> NDArray[np.int64]:
        """The number of topics that both runs of a pair have, whatever the test uses."""
        return _core.paired_moments(self._table.values, self.pairs)[0]

    def _deviations(self, side: int) -> Floats:
        """The deviation of one run of each pair over the topics of the pair."""
        first, second = (self._table.values[self.pairs[:, k]] for k in (side, 1 - side))
        both = np.where(np.isnan(second), np.nan, first)
        deviation: Floats = np.nanstd(both, axis=1, ddof=1)
        # Rounding errors alone are not a deviation.
        size = np.nanmax(np.abs(both), axis=1)
        spread = np.nanmax(both, axis=1) - np.nanmin(both, axis=1)
        return np.where(spread <= 1e-12 * size, 0.0, deviation)

    def __len__(self) -> int:
        """How many pairs."""
        return len(self.pairs)

    def headline(self) -> str:
        """The test, and how it was done."""
        parts = [f"{self.test}: {counted(len(self), 'pair')}"]
        if self.measure is not None:
            parts.append(self.measure)
        if self.alternative != "two-sided":
            parts.append(f'alternative "{self.alternative}"')
        if self.resamples is not None:
            parts.append(f"{self.resamples} resamples, seed {self.seed}")
        if self.correction is not None:
            parts.append(f"p-values corrected ({self.correction})")
        return f"<{', '.join(parts)}>"


@dataclass(frozen=True, eq=False, repr=False)
class BootstrapTest(PairedTest):
    """Sakai's paired bootstrap test: the p-values are achieved significance levels."""

    @checked
    def required_differences(self, alpha: float = 0.05) -> Floats:
        """Each pair's mean difference at the threshold of significance: (pairs,).

        The absolute mean of the replicate whose absolute t is at rank
        alpha * resamples from the largest. NaN for identical runs.
        """
        if not 0 < alpha <= 1:
            raise failure("option", f"expected an alpha from 0 to 1, found {alpha!r}")
        return _core.required_differences(
            self._table.values,
            self.pairs,
            level=alpha,
            resamples=self.resamples or 1,
            seed=self.seed,
            threads=self._threads,
        )

    @checked
    def required_difference(self, alpha: float = 0.05) -> float:
        """Sakai's estimate of the difference needed for significance.

        The largest of ``required_differences`` over all pairs (Sakai 2006);
        NaN if all runs are identical.
        """
        each = self.required_differences(alpha)
        return float(np.fmax.reduce(each, initial=np.nan))


@dataclass(frozen=True, eq=False, repr=False)
class TukeyTest(PairedTest):
    """Tukey's HSD; its p-values hold for all pairs of all runs at once."""

    method: str = "parametric"
    """"parametric" or "randomized"."""

    @checked
    def required_difference(self, alpha: float = 0.05, which: str = "smallest") -> float:
        """The difference in means needed for significance.

        Parametric: the critical one, q * sqrt(V_E / n). Randomized: the
        ``which`` ("smallest" or "largest") of the observed differences that
        are significant; NaN if none is.
        """
        one_of("which", which, ("smallest", "largest"))
        if self.method == "parametric":
            return self._critical(alpha)
        found = np.abs(self.difference[self.significant(alpha)])
        reduce = np.fmin.reduce if which == "smallest" else np.fmax.reduce
        return float(reduce(found, initial=np.nan))

    @checked
    def confidence_interval(
        self,
        level: float = 0.95,
        method: str | None = None,
        *,
        resamples: int = RESAMPLES,
        seed: int | None = None,
    ) -> Interval:
        """Intervals of the mean differences.

        ``method="tukey"``, the default of the parametric test and only valid for it,
        gives simultaneous intervals, which all hold at once with the confidence
        ``level``. Otherwise as for any other test.
        """
        if method is None:
            method = "tukey" if self.method == "parametric" else "t"
        if method != "tukey":
            return super().confidence_interval(level, method, resamples=resamples, seed=seed)
        if self.method != "parametric":
            raise failure("option", 'method="tukey" is for the parametric test')
        reach = self._critical(1 - level)
        return Interval(self.difference - reach, self.difference + reach, level, method)

    def _critical(self, alpha: float) -> float:
        systems, topics = self._table.values.shape
        freedom = (systems - 1) * (topics - 1)
        error: float = (_core.residual_variance(self._table.values) / topics) ** 0.5
        return _core.range_isf(alpha, systems, freedom) * error


@checked
def t_test(
    scores: ScoresLike,
    *,
    measure: str | Measure | None = None,
    baseline: str | int | Sequence[str | int] | None = None,
    alternative: str = "two-sided",
    nan: str = "error",
) -> PairedTest:
    """Student's paired t test, with n - 1 degrees of freedom.

    The statistic is the mean difference over its standard error. Identical
    runs have the statistic 0 and the p-value 1; a difference that is the same
    on all topics has an infinite statistic. With ``nan="omit"`` each pair is
    tested on the topics that both runs have. Needs two topics.

    Arguments, result and errors are those of this module's tests.
    """
    table, pairs = _asked(scores, measure, baseline, nan)
    _each_enough(table, pairs, 2, "the t test")
    tests = _core.paired_t(table.values, pairs, alternative=alternative)[0]
    return _result(PairedTest, "paired t test", table, pairs, tests, alternative, _parity=-1)


@checked
def wilcoxon(
    scores: ScoresLike,
    *,
    measure: str | Measure | None = None,
    baseline: str | int | Sequence[str | int] | None = None,
    alternative: str = "two-sided",
    method: str = "auto",
    zeros: str = "drop",
    correction: bool = False,
    exact_up_to: int = 50,
    nan: str = "error",
) -> PairedTest:
    """Wilcoxon's signed-rank test. Equal differences share their mean rank.

    The statistic is the sum of the ranks of the positive differences;
    for a two-sided test, the smaller of that and the sum of the others. ``n`` is the
    number of differences that are not 0.

    ``method`` is "exact" (the full distribution given the ranks, ties
    included), "normal" (the approximation, ``correction`` for continuity)
    or "auto": exact for up to ``exact_up_to`` differences. ``zeros`` are left
    out before ranking ("drop", Wilcoxon 1945) or after it ("pratt", Pratt
    1959). The other arguments and the errors are those of this module's
    tests; "exact" for more than 1,000 topics is an error (kind "limit").
    """
    exact = {"auto": exact_up_to, "exact": EXACT_RANKS, "normal": 0}
    one_of("method", method, exact)
    table, pairs = _asked(scores, measure, baseline, nan)
    if method == "exact" and table.values.shape[1] > EXACT_RANKS:
        found = table.values.shape[1]
        message = f"the exact distribution is for at most {EXACT_RANKS} topics, found {found}"
        raise failure("limit", f'{message}; method="normal" approximates it')
    name = "Wilcoxon signed-rank test"
    _each_enough(table, pairs, 1, f"the {name}")
    tests = _core.paired_wilcoxon(
        table.values,
        pairs,
        alternative=alternative,
        zeros=zeros,
        exact=min(exact[method], EXACT_RANKS),
        correction=correction,
    )
    parity = int(alternative == "two-sided")
    return _result(PairedTest, name, table, pairs, tests, alternative, _parity=parity)


EXACT_RANKS = 1000
"""The largest number of topics for Wilcoxon's exact distribution."""


@checked
def sign_test(
    scores: ScoresLike,
    *,
    measure: str | Measure | None = None,
    baseline: str | int | Sequence[str | int] | None = None,
    alternative: str = "two-sided",
    nan: str = "error",
) -> PairedTest:
    """The sign test: how often the first run scores higher, ties left out.

    The statistic is the number of topics on which the first run scores higher;
    ``n`` is the number of topics on which the two differ. The p-value is that
    of the binomial distribution. Arguments and errors are those of this
    module's tests.
    """
    table, pairs = _asked(scores, measure, baseline, nan)
    _each_enough(table, pairs, 1, "the sign test")
    tests = _core.paired_sign(table.values, pairs, alternative=alternative)
    return _result(PairedTest, "sign test", table, pairs, tests, alternative, _parity=0)


@checked
def randomization_test(
    scores: ScoresLike,
    *,
    measure: str | Measure | None = None,
    baseline: str | int | Sequence[str | int] | None = None,
    alternative: str = "two-sided",
    resamples: int = 10_000,
    exact_up_to: int = 20,
    plus_one: bool = True,
    seed: int = 0,
    threads: int | None = None,
    nan: str = "error",
) -> PairedTest:
    """Fisher's randomization test, which flips the signs of topics' differences at random.

    The statistic is the mean difference. Up to ``exact_up_to`` topics the
    p-value is exact, from all 2^n patterns of signs (at most 40 topics; each
    additional one doubles the time). Otherwise it is from ``resamples`` random
    patterns, the same for all pairs: (1 + c) / (resamples + 1), where c is the
    number that are at least as extreme as the observed one, or c / resamples without ``plus_one``.

    With ``nan="omit"`` the topics are those that all runs have. ``seed``
    (0 to 2^64 - 1) determines the patterns; the result is the same, to the bit,
    for any number of ``threads`` (all processors if None). The other
    arguments and the errors are those of this module's tests.
    """
    table, pairs = _asked(scores, measure, baseline, nan)
    table = table.complete(1, "the randomization test")
    exact = table.values.shape[1] <= exact_up_to
    drawn: dict[str, Any] = {"resamples": None if exact else resamples, "seed": seed}
    tests = _core.paired_randomization(
        table.values, pairs, alternative=alternative, plus_one=plus_one, threads=threads, **drawn
    )
    drawn.update(_threads=threads, _parity=-1)
    return _result(PairedTest, RANDOMIZATION, table, pairs, tests, alternative, **drawn)


@checked
def bootstrap_test(
    scores: ScoresLike,
    *,
    measure: str | Measure | None = None,
    baseline: str | int | Sequence[str | int] | None = None,
    resamples: int = 1000,
    seed: int = 0,
    threads: int | None = None,
    nan: str = "error",
) -> BootstrapTest:
    """Sakai's paired bootstrap test (SIGIR 2006), two-sided.

    Topics are sampled with replacement, ``resamples`` times, the same for all
    pairs. A pair's differences are shifted to mean 0; the p-value is the
    achieved significance level: the proportion of resamples whose absolute t is at least
    the observed one. A resample without spread has an infinite t, or 0 if its mean
    is 0. The statistic is the observed t, with its sign.

    With ``nan="omit"`` the topics are those that all runs have. ``seed`` and
    ``threads`` are as for ``randomization_test``; the other arguments and the
    errors are those of this module's tests. Needs two topics. The result also
    has ``required_difference``.
    """
    table, pairs = _asked(scores, measure, baseline, nan)
    table = table.complete(2, "the bootstrap test")
    drawn: dict[str, Any] = {"resamples": resamples, "seed": seed}
    tests = _core.paired_bootstrap(table.values, pairs, threads=threads, **drawn)
    drawn.update(_threads=threads, _parity=-1)
    return _result(BootstrapTest, "paired bootstrap test", table, pairs, tests, **drawn)


@checked
def tukey_hsd(
    scores: ScoresLike,
    *,
    measure: str | Measure | None = None,
    baseline: str | int | Sequence[str | int] | None = None,
    method: str = "parametric",
    resamples: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
    nan: str = "error",
) -> TukeyTest:
    """Tukey's honestly significant differences, for all runs at once.

    The p-values hold for all pairs together and need no correction. They
    depend on all runs, including those in no pair with ``baseline``.

    ``method="parametric"``: two-way analysis of variance without replication,
    with runs and topics as factors. The statistic is
    the absolute difference over sqrt(V_E / n), V_E the residual mean square; its
    distribution is the studentized range of m runs with (m - 1)(n - 1)
    degrees of freedom. Without residual variance, runs that differ at all have
    an infinite statistic. Needs two topics.

    ``method="randomized"`` (Carterette 2012; Sakai 2014): ``resamples`` times
    the scores of each topic are permuted among all runs; the p-value is the
    proportion in which the range of the means is at least the observed
    difference. The statistic is the mean difference. ``seed`` and ``threads``
    are as for ``randomization_test``.

    With ``nan="omit"`` only topics that all runs have are used. The other
    arguments and the errors are those of this module's tests.
    """
    one_of("method", method, ("parametric", "randomized"))
    table, pairs = _asked(scores, measure, baseline, nan)
    parametric = method == "parametric"
    table = table.complete(2 if parametric else 1, "Tukey's HSD")
    drawn: dict[str, Any] = {}
    if parametric:
        tests = _core.paired_tukey(table.values, pairs)
    else:
        drawn = {"resamples": resamples, "seed": seed}
        tests = _core.paired_randomized_tukey(table.values, pairs, threads=threads, **drawn)
    drawn.update(method=method, _threads=threads, _parity=1 if parametric else -1)
    return _result(TukeyTest, f"Tukey HSD ({method})", table, pairs, tests, **drawn)


def _asked(
    scores: ScoresLike, measure: str | Measure | None, baseline: object | None, nan: str
) -> tuple[ScoreMatrix, NDArray[np.int64]]:
    """The table and the pairs to test."""
    table = as_matrix(scores, measure, nan)
    return table, table.pairs(baseline)


def _each_enough(table: ScoreMatrix, pairs: NDArray[np.int64], least: int, test: str) -> None:
    """Raises if a pair has too few topics in common."""
    topics = _core.paired_moments(table.values, pairs)[0]
    few = int(topics.argmin())
    first, second = (table.runs[run] for run in pairs[few])
    enough(int(topics[few]), least, test, f" for the pair {first!r}, {second!r}")


Kind = TypeVar("Kind", bound=PairedTest)


def _result(
    kind: type[Kind],
    name: str,
    table: ScoreMatrix,
    pairs: NDArray[np.int64],
    tests: tuple[Floats, Floats, NDArray[np.int64]],
    alternative: str = "two-sided",
    **more: Any,
) -> Kind:
    """What a test returns, from statistics, p-values and numbers of topics."""
    difference = _core.paired_moments(table.values, pairs)[1]
    return kind(name, pairs, difference, *tests, alternative, _table=table, **more)
