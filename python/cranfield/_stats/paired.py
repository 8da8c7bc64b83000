"""Tests of whether the difference between two runs is more than chance.

Topics are the sample. All tests take the same first arguments:

``scores`` is a ``Scores``, from which ``measure`` selects the column (not needed
if there is only one), or numbers of shape (runs, topics), whose runs are then
called "0", "1" and so on. ``baseline``, a run by name or number, restricts
the test to the pairs of every other run with it, in which it comes second;
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

from cranfield import _core
from cranfield._base.errors import failure
from cranfield._base.options import checked
from cranfield._stats.results import BootstrapTest, PairedTest, TukeyTest
from cranfield._stats.score_matrix import ScoreMatrix, as_matrix, enough

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from cranfield._core import Measure
    from cranfield._stats.score_matrix import ScoresLike


@checked
def t_test(
    scores: ScoresLike,
    *,
    measure: str | Measure | None = None,
    baseline: str | int | None = None,
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
    tests, difference = _core.paired_t(table.values, pairs, alternative=alternative)
    statistic, pvalue, n = tests
    _each_enough(table, pairs, n, 2, "the t test")
    return PairedTest(
        "paired t test",
        pairs,
        difference,
        statistic,
        pvalue,
        n,
        alternative,
        _table=table,
        _parity=-1,
    )


@checked
def wilcoxon(
    scores: ScoresLike,
    *,
    measure: str | Measure | None = None,
    baseline: str | int | None = None,
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
    exact = {"auto": _whole(exact_up_to, "exact_up_to"), "exact": EXACT_RANKS, "normal": 0}.get(
        method
    )
    if exact is None:
        known = '"auto", "exact" or "normal"'
        raise failure("option", f"expected {known} as method, found {method!r}")
    table, pairs = _asked(scores, measure, baseline, nan)
    if method == "exact" and table.values.shape[1] > EXACT_RANKS:
        found = table.values.shape[1]
        message = f"the exact distribution is for at most {EXACT_RANKS} topics, found {found}"
        raise failure("limit", f'{message}; method="normal" approximates it')
    tests = _core.paired_wilcoxon(
        table.values,
        pairs,
        alternative=alternative,
        zeros=zeros,
        exact=min(exact, EXACT_RANKS),
        correction=correction,
    )
    name = "Wilcoxon signed-rank test"
    return _of_pairs(name, table, pairs, tests, alternative, int(alternative == "two-sided"))


EXACT_RANKS = 1000
"""The largest number of topics for Wilcoxon's exact distribution."""


@checked
def sign_test(
    scores: ScoresLike,
    *,
    measure: str | Measure | None = None,
    baseline: str | int | None = None,
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
    tests = _core.paired_sign(table.values, pairs, alternative=alternative)
    return _of_pairs("sign test", table, pairs, tests, alternative, 0)


@checked
def randomization_test(
    scores: ScoresLike,
    *,
    measure: str | Measure | None = None,
    baseline: str | int | None = None,
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
    exact = table.values.shape[1] <= _whole(exact_up_to, "exact_up_to")
    tests = _core.paired_randomization(
        table.values,
        pairs,
        alternative=alternative,
        resamples=None if exact else resamples,
        seed=seed,
        plus_one=plus_one,
        threads=threads,
    )
    return _of_pairs(
        "randomization test",
        table,
        pairs,
        tests,
        alternative,
        -1,
        resamples=None if exact else resamples,
        seed=seed,
        _threads=threads,
    )


@checked
def bootstrap_test(
    scores: ScoresLike,
    *,
    measure: str | Measure | None = None,
    baseline: str | int | None = None,
    resamples: int = 1000,
    seed: int = 0,
    threads: int | None = None,
    nan: str = "error",
) -> BootstrapTest:
    """Sakai's paired bootstrap test (SIGIR 2006), two-sided.

    Topics are sampled with replacement, ``resamples`` times, the same for all
    pairs. A pair's differences are shifted to mean 0; the p-value is the
    achieved significance level: the share of resamples whose absolute t is at least
    the observed one. A resample without spread has an infinite t, or 0 if its mean
    is 0. The statistic is the observed t, with its sign.

    With ``nan="omit"`` the topics are those that all runs have. ``seed`` and
    ``threads`` are as for ``randomization_test``; the other arguments and the
    errors are those of this module's tests. Needs two topics. The result also
    has ``required_difference``.
    """
    table, pairs = _asked(scores, measure, baseline, nan)
    table = table.complete(2, "the bootstrap test")
    tests = _core.paired_bootstrap(
        table.values, pairs, resamples=resamples, seed=seed, threads=threads
    )
    difference = _core.paired_moments(table.values, pairs)[1]
    return BootstrapTest(
        "paired bootstrap test",
        pairs,
        difference,
        *tests,
        "two-sided",
        resamples=resamples,
        seed=seed,
        _table=table,
        _threads=threads,
        _parity=-1,
    )


@checked
def tukey_hsd(
    scores: ScoresLike,
    *,
    measure: str | Measure | None = None,
    baseline: str | int | None = None,
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
    share in which the range of the means is at least the observed
    difference. The statistic is the mean difference. ``seed`` and ``threads``
    are as for ``randomization_test``.

    With ``nan="omit"`` the topics are those that all runs have. The other
    arguments and the errors are those of this module's tests.
    """
    if method not in ("parametric", "randomized"):
        message = f'expected "parametric" or "randomized" as method, found {method!r}'
        raise failure("option", message)
    table, pairs = _asked(scores, measure, baseline, nan)
    parametric = method == "parametric"
    table = table.complete(2 if parametric else 1, "Tukey's HSD")
    options: dict[str, Any] = {}
    if parametric:
        tests = _core.paired_tukey(table.values, pairs)
    else:
        options = {"resamples": resamples, "seed": seed}
        tests = _core.paired_randomized_tukey(table.values, pairs, threads=threads, **options)
    return TukeyTest(
        f"Tukey HSD ({method})",
        pairs,
        _core.paired_moments(table.values, pairs)[1],
        *tests,
        "two-sided",
        **options,
        method=method,
        _table=table,
        _threads=threads,
        _parity=1 if parametric else -1,
    )


def _asked(
    scores: ScoresLike, measure: str | Measure | None, baseline: object | None, nan: str
) -> tuple[ScoreMatrix, NDArray[np.int64]]:
    """The table and the pairs to test."""
    table = as_matrix(scores, measure, nan)
    return table, table.pairs(baseline)


def _each_enough(
    table: ScoreMatrix, pairs: NDArray[np.int64], n: NDArray[np.int64], least: int, test: str
) -> None:
    """Raises if a pair has too few topics in common."""
    few = int(n.argmin())
    first, second = (table.runs[run] for run in pairs[few])
    enough(int(n[few]), least, test, f" for the pair {first!r}, {second!r}")


def _of_pairs(
    name: str,
    table: ScoreMatrix,
    pairs: NDArray[np.int64],
    tests: tuple[Any, Any, Any],
    alternative: str,
    parity: int,
    **more: Any,
) -> PairedTest:
    topics, difference = _core.paired_moments(table.values, pairs)[:2]
    _each_enough(table, pairs, topics, 1, f"the {name}")
    return PairedTest(
        name, pairs, difference, *tests, alternative, _table=table, _parity=parity, **more
    )


def _whole(number: int, what: str) -> int:
    import operator

    try:
        value = operator.index(number)
    except TypeError:
        value = -1
    if value < 0:
        raise failure("option", f"expected a whole number from 0 on as {what}, found {number!r}")
    return value
