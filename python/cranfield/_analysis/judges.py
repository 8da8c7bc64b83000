"""Two judges: how far they agree on documents, the order of runs under each, which runs differ
significantly, and who is favored.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield import _core
from cranfield._base.errors import failure, label_failure
from cranfield._base.options import checked, one_of
from cranfield._base.scores_like import TIE, turn
from cranfield._core import Measure
from cranfield._io.inputs import QrelsLike, as_qrels
from cranfield._measures.parse import one_measure
from cranfield._scores.scores import Scores
from cranfield._stats.intervals import mean_interval
from cranfield._stats.registry import TESTS, check_means, checked_test
from cranfield._table.data_table import COUNT, SHARE, TEXT, Data, DataTable, defined
from cranfield._table.result import Result, with_kinds

RESAMPLES = 1000
"""How often topics are resampled for the interval of tau."""


Marginals: TypeAlias = Literal["separate", "pooled", "uniform"]


@dataclass(frozen=True, eq=False)
class DocumentAgreement(Result):
    """How far two judges agree on documents; what one of them did not judge has grade 0."""

    topics: DataTable = field(repr=False)
    """A row for each topic that both judged; the columns are those of ``all``."""
    all: dict[str, float]
    """The same over all documents of these topics: ``documents``; ``kappa >= g`` of relevant or
    not, for each grade g above 0; ``kappa`` of grades; ``linear kappa`` and ``quadratic kappa``,
    weighted by the distance of grades; ``alpha`` (Krippendorff's, ordinal); ``jaccard >= g``, of
    the documents that either calls relevant the proportion of those that both do; ``over`` and
    ``under``, the proportions that the second judge graded higher and lower; ``leniency``, its mean
    grade minus that of the first. NaN for what is undefined."""
    means: dict[str, float]
    """The means over topics, of those where a value is defined."""
    grades: tuple[float, ...]
    """The grades, ascending."""
    matrix: NDArray[np.int64]
    """How often each pair of grades was given: int64, shape (grades, grades); the first judge's in
    rows."""

    def table(self) -> DataTable:
        """A row for each topic that both judged."""
        return self.topics


def documents(
    gold: QrelsLike, other: QrelsLike, *, marginals: Marginals = "separate"
) -> DocumentAgreement:
    """How far two judges agree on documents, by topic and in all.

    Parameters
    ----------
    gold, other
        Judgments, as for ``cranfield.evaluate``. Of the topics that both have, all documents
        count that either judged: what the other did not judge, or only pooled, has grade 0 there.
    marginals
        What kappas take for chance, as for ``cranfield.stats.cohen_kappa``: "uniform" is one half
        for relevant or not, and one over the number of grades for grades.

    Returns
    -------
    DocumentAgreement
        ``topics``, ``all``, ``means`` and the ``matrix`` of grades.

    Raises
    ------
    Error
        Kind "label" for judgments without a topic in common.

    """
    one_of("marginals", marginals, ("separate", "pooled", "uniform"))
    first, second = as_qrels(gold), as_qrels(other)
    shared, grades, matrix, rows, every, means = _core.judged_twice(first, second, marginals)
    levels = [f"{grade:g}" for grade in grades if grade > 0]
    names = ["documents", *(f"kappa >= {level}" for level in levels), *_KAPPAS]
    names += [*(f"jaccard >= {level}" for level in levels), "over", "under", "leniency"]
    columns: dict[str, list[Any]] = dict(
        zip(names, map(list, zip(*rows, strict=True)), strict=True)
    )
    columns["documents"] = list(map(int, columns["documents"]))
    topics: Data = TEXT, [first.topics[place] for place in shared]
    return DocumentAgreement(
        DataTable({"topic": topics, **with_kinds(columns)}),
        dict(zip(names, every, strict=True)),
        dict(zip(names[1:], means[1:], strict=True)),
        tuple(grades),
        np.array(matrix, dtype=np.int64).reshape(len(grades), len(grades)),
    )


_KAPPAS = ("kappa", "linear kappa", "quadratic kappa", "alpha")
"""The coefficients of grades."""


@dataclass(frozen=True, slots=True)
class SystemOrder(Result):
    """How far two judges put runs in the same order; NaN for what is undefined."""

    measure: str
    """The measure that runs are ordered by."""
    runs: int
    """How many runs there are."""
    tau: float
    """Kendall's tau (tau-b) of the runs' summaries."""
    tau_low: float
    """The lower end of its interval, by resampling topics, the same ones for both judges; only of
    measures that are means over topics."""
    tau_high: float
    """The upper end."""
    tau_ap: float
    """tau_AP, with the order under gold as truth: more weight on the top."""
    tau_ap_b: float
    """tau_AP,b, for which neither order is the truth: 1 for equal orders, whatever ties they have;
    as auto-judge-evaluate computes it."""
    tau_gap: float
    """tau_GAP: swaps of runs that are far apart under gold cost more."""
    pearson: float
    """Pearson's correlation of the means."""
    spearman: float
    """Spearman's correlation of the ranks."""
    top: int
    """How many of the best runs under gold the following are about."""
    tau_top: float
    """Kendall's tau of these runs."""
    inverted_pairs: int
    """The pairs of these runs that the other judge puts in the opposite order."""
    largest_shift: int
    """The most ranks that the other judge moves one of these runs by, up (above 0) or down."""
    largest_shift_run: str
    """That run."""
    largest_drop: int
    """The most ranks that any run falls."""
    largest_drop_run: str
    """That run; empty if none falls."""
    level: float
    """The confidence of the interval."""


@checked
def order(
    gold: Scores,
    other: Scores,
    *,
    measure: str | Measure | None = None,
    top: int = 10,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> SystemOrder:
    """How far two judges put runs in the same order.

    Parameters
    ----------
    gold, other
        The scores of the same runs on the same topics under the judgments of each.
    measure
        Not needed if there is one.
    top
        How many of the best runs under gold to look at more closely.
    level, resamples, seed
        Of the interval of tau: percentiles over resampled topics.

    Returns
    -------
    SystemOrder
        Correlations, and what is inverted at the top. The best rank is 1; equal means share the
        best of their ranks, and the best runs of equal means are the first by name.

    Raises
    ------
    Error
        Kind "label" for scores of different runs, topics or measures; "undefined" for fewer than
        two runs.

    """
    both = _Both.of(gold, other, measure)
    runs, first, second = both.runs, *both.summaries
    if len(runs) < 2:
        raise failure("undefined", "an order is undefined: expected at least two runs, found one")
    correlations, of_top, inverted, (most, moved), (lowest, fell) = _core.ordered_twice(
        first, second, top, tolerance=TIE
    )
    tau, *others = correlations
    low = high = math.nan
    if both.aggregate == "mean":
        low, high = _interval(both.values, level, resamples, seed)
    found: list[Any] = [both.measure, len(runs), tau, low, high, *others]
    found += [min(top, len(runs)), of_top, inverted, moved, runs[most]]
    found += [*((-fell, runs[lowest]) if fell < 0 else (0, "")), level]
    return SystemOrder(*found)


@dataclass(frozen=True)
class _Both:
    """The scores of the same runs under both judges in one measure, with higher ones better."""

    measure: str
    aggregate: str
    sign: int
    """The factor with which they became that."""
    runs: list[str]
    """The runs by name."""
    values: tuple[NDArray[np.float64], NDArray[np.float64]]
    """Under gold and under the other judge: shape (runs, topics)."""
    summaries: tuple[NDArray[np.float64], NDArray[np.float64]]
    """The same over topics: shape (runs,)."""

    @classmethod
    def of(cls, gold: Scores, other: Scores, measure: str | Measure | None) -> _Both:
        """One measure of two scores; raises ``Error`` for scores of different labels."""
        place = one_measure(gold.measures, measure)
        label, known = gold.measures[place], gold.core.measures[place]
        for axis in ("runs", "topics"):
            if set(getattr(gold, axis)) != set(getattr(other, axis)):
                raise failure("label", f"expected the same {axis} under both judges")
        runs, sign = sorted(gold.runs), turn(gold.better[label])
        first, second = (
            one.sel(run=runs, topic=gold.topics, measure=label) for one in (gold, other)
        )
        return cls(
            label,
            known.aggregate,
            sign,
            runs,
            (sign * first.values[:, :, 0], sign * second.values[:, :, 0]),
            (sign * first.summary()[:, 0], sign * second.summary()[:, 0]),
        )


def _interval(
    values: tuple[NDArray[np.float64], NDArray[np.float64]], level: float, resamples: int, seed: int
) -> tuple[float, float]:
    """Percentiles of tau over resampled topics."""
    if values[0].shape[1] < 2:
        return math.nan, math.nan
    taus = _core.resampled_taus(*values, tolerance=TIE, resamples=resamples, seed=seed)
    known = taus[~np.isnan(taus)]
    if not len(known):
        return math.nan, math.nan
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high


Tested: TypeAlias = tuple[NDArray[np.float64], NDArray[np.bool_]]
"""The differences of pairs of runs, and where they are significant."""


@dataclass(frozen=True, slots=True)
class Fidelity(Result):
    """Pairs of runs by what a test concludes under gold and under the other judge."""

    measure: str
    """The measure."""
    both_same: int
    """Significant under both, with the same run ahead (AA)."""
    both_opposite: int
    """Significant under both, with the other run ahead: the conclusion is reversed (AD)."""
    gold_only: int
    """Significant under gold alone: missed."""
    other_only: int
    """Significant under the other judge alone: false alarms."""
    one_opposite: int
    """Of the pairs of the last two, those in which the other run is ahead (MD)."""
    neither_same: int
    """Significant under neither, with the same run ahead (PA)."""
    neither_opposite: int
    """Significant under neither, with the other run ahead (PD)."""
    precision: float
    """Of what is significant under the other judge, the share that gold confirms; NaN for none."""
    recall: float
    """Of what is significant under gold, the share that the other judge finds; NaN for none."""
    test: str
    """The test."""
    correction: str
    """The correction for the number of pairs."""
    alpha: float
    """The significance level."""


@checked
def fidelity(
    gold: Scores,
    other: Scores,
    *,
    measure: str | Measure | None = None,
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    seed: int = 0,
) -> Fidelity:
    """What significance tests of all pairs of runs conclude under one judge and the other.

    Parameters
    ----------
    gold, other, measure
        As for ``order``.
    test, correction, alpha, seed
        As for ``cranfield.compare``, of all pairs of runs under each judge.

    Returns
    -------
    Fidelity
        How many pairs agree and disagree, and the precision and recall of what is significant.
        A difference of 0 agrees only with one of 0.

    Raises
    ------
    Error
        As ``order``, and as the test.

    """
    both = _Both.of(gold, other, measure)
    if len(both.runs) < 2:
        raise failure("undefined", "expected at least two runs to test, found one")
    check_means([gold.core.measures[gold.measures.index(both.measure)]])
    corrected = checked_test(test, correction, alpha)

    def tested(values: NDArray[np.float64]) -> Tested:
        found = TESTS[test](values, nan="omit", seed=seed)
        found = found if corrected == "none" else found.corrected(corrected)
        return found.difference, found.significant(alpha)

    in_gold, in_other = map(tested, both.values)
    return counted(in_gold, in_other, both.measure, (test, corrected, alpha))


def counted(gold: Tested, other: Tested, measure: str, options: tuple[str, str, float]) -> Fidelity:
    """The pairs by what both judges say."""
    (first, in_gold), (second, in_other) = gold, other
    same = _signs(first) == _signs(second)

    def number(where: NDArray[np.bool_]) -> int:
        return int(where.sum())

    agreed, flipped = number(in_gold & in_other & same), number(in_gold & in_other & ~same)
    missed, false = number(in_gold & ~in_other), number(in_other & ~in_gold)
    neither = ~in_gold & ~in_other
    others = (in_gold ^ in_other) & ~same, neither & same, neither & ~same
    found: list[Any] = [agreed, flipped, missed, false, *map(number, others)]
    found += [_share(agreed, agreed + wrong + flipped) for wrong in (false, missed)]
    return Fidelity(*[measure, *found, *options])


def _signs(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """The signs of differences, 0 for what is rounding."""
    found: NDArray[np.float64] = np.where(np.abs(differences) <= TIE, 0.0, np.sign(differences))
    return found


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


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
        The proportion of unjudged documents of each run under gold, for a column of it.

    Returns
    -------
    DataTable
        A row for each run, the most favored first: ``gold`` and ``other``, its means under each;
        ``favour``, by how much its mean rises more than that of all runs together; ``rank gold``,
        ``rank other`` and ``shift``, by how many ranks it rises; ``unjudged``.

    Raises
    ------
    Error
        As ``order``.

    """
    both = _Both.of(gold, other, measure)
    runs, first, second = both.runs, *both.summaries
    gain = second - first
    favour = gain - gain.mean()
    before, after = (_core.tied_ranks(means, tolerance=TIE) for means in both.summaries)
    order = sorted(range(len(runs)), key=lambda run: (-round(favour[run], 12), runs[run]))
    columns = {
        "run": (TEXT, [runs[run] for run in order]),
        "gold": (SHARE, (both.sign * first[order]).tolist()),
        "other": (SHARE, (both.sign * second[order]).tolist()),
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
        columns["unjudged"] = (SHARE, [defined(unjudged[runs[run]]) for run in order])
    return DataTable(columns)


def check_groups(groups: Mapping[str, str], runs: Sequence[str]) -> list[str]:
    """The names of the groups of runs; raises ``Error`` where groups and runs do not fit."""
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
    return names


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
        A row for each group, the most favored first: ``runs``; ``favour``, the mean over topics
        of the mean gain of the group's runs minus that of all others; ``low`` and ``high``, its
        interval; ``shift``, the mean number of ranks that its runs rise.

    Raises
    ------
    Error
        Kind "label" for a run without a group; "option" for a single group; as ``order``.

    """
    both = _Both.of(gold, other, measure)
    runs, names = both.runs, check_groups(groups, both.runs)
    gain = np.nan_to_num(both.values[1] - both.values[0])
    before, after = (_core.tied_ranks(means, tolerance=TIE) for means in both.summaries)
    rows = []
    for name in names:
        own = np.array([groups[run] == name for run in runs])
        by_topic = gain[own].mean(axis=0) - gain[~own].mean(axis=0)
        ends = np.array([math.nan, math.nan])
        if len(by_topic) > 1:
            found = mean_interval(by_topic[None, :], level=level)
            ends = np.concatenate([found.low, found.high])
        numbers = float(by_topic.mean()), *ends.tolist(), float((before - after)[own].mean())
        rows.append((name, int(own.sum()), *numbers))
    rows.sort(key=lambda row: (-row[2], row[0]))
    names = ["group", "runs", "favour", "low", "high", "shift"]
    columns = map(list, zip(*rows, strict=True))
    return DataTable(with_kinds(dict(zip(names, columns, strict=True))))
