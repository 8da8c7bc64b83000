"""How far two judges agree: on documents, on the order of runs, on which differ significantly.

And by how much each run, and each group of runs, gains under the second judge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from cranfield import _core
from cranfield._base.errors import failure, label_failure
from cranfield._base.options import checked, one_of, probability, whole
from cranfield._base.scores_like import TIE, turn
from cranfield._core import Error, Measure
from cranfield._io.inputs import as_qrels
from cranfield._measures.parse import one_measure
from cranfield._stats.agreement import cohen_kappa, krippendorff_alpha
from cranfield._stats.correlation import kendall, pearson, spearman, tau_ap, tau_gap
from cranfield._stats.intervals import mean_interval
from cranfield._stats.registry import TESTS, check_means, checked_test
from cranfield._table.data_table import COUNT, SHARE, TEXT, DataTable, defined
from cranfield._table.result import Result, with_kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Literal, SupportsFloat, TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    from cranfield._io.inputs import QrelsLike
    from cranfield._scores.scores import Scores

    Pairs = list[tuple[float, float]]
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
    the documents that either calls relevant the share of those that both do; ``over`` and
    ``under``, the shares that the second judge graded higher and lower; ``leniency``, its mean
    grade less that of the first. NaN for what is undefined."""
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
    import numpy as np

    by_topic = pairs_by_topic(as_qrels(gold).to_dict(), as_qrels(other).to_dict())
    every = [pair for pairs in by_topic.values() for pair in pairs]
    grades = sorted({0.0, *(grade for pair in every for grade in pair)})
    names = list(_agreement([], grades, marginals))
    rows = [_agreement(pairs, grades, marginals) for pairs in by_topic.values()]
    counts = {"documents": [int(row["documents"]) for row in rows]}
    table = DataTable(
        {
            "topic": (TEXT, list(by_topic)),
            **with_kinds({name: [row[name] for row in rows] for name in names} | counts),
        }
    )
    means = {name: _mean([row[name] for row in rows]) for name in names if name != "documents"}
    matrix = _matrix(every, grades).astype(np.int64)
    return DocumentAgreement(
        table, _agreement(every, grades, marginals), means, tuple(grades), matrix
    )


def pairs_by_topic(
    gold: Mapping[str, Mapping[str, float]], other: Mapping[str, Mapping[str, float]]
) -> dict[str, Pairs]:
    """Both grades of each document that either judged, of the topics that both have."""
    found: dict[str, Pairs] = {}
    for topic, first in gold.items():
        second = other.get(topic)
        if second is None:
            continue
        ids = {**dict.fromkeys(first), **dict.fromkeys(second)}
        pairs = [(first.get(doc, -1.0), second.get(doc, -1.0)) for doc in ids]
        found[topic] = [
            (max(float(a), 0.0), max(float(b), 0.0)) for a, b in pairs if a >= 0 or b >= 0
        ]
    if not found:
        raise failure("label", "the two sets of judgments have no topic in common")
    return found


def _matrix(pairs: Pairs, grades: Sequence[float]) -> NDArray[np.float64]:
    import numpy as np

    places = {grade: place for place, grade in enumerate(grades)}
    matrix = np.zeros((len(grades), len(grades)))
    for a, b in pairs:
        matrix[places[a], places[b]] += 1
    return matrix


def _agreement(pairs: Pairs, grades: Sequence[float], marginals: Marginals) -> dict[str, float]:
    """Every coefficient of the pairs."""
    import numpy as np

    matrix = _matrix(pairs, grades)
    total = float(matrix.sum())
    found: dict[str, float] = {"documents": total}
    levels = [grade for grade in grades if grade > 0]
    values = np.array(grades)
    for level in levels:
        found[f"kappa >= {level:g}"] = _kappa(_halves(matrix, values >= level), marginals)
    found["kappa"] = _kappa(matrix, marginals)
    distance = np.abs(values[:, None] - values[None, :])
    found["linear kappa"] = _kappa(matrix, marginals, distance)
    found["quadratic kappa"] = _kappa(matrix, marginals, distance**2)
    columns = list(zip(*pairs, strict=True))
    found["alpha"] = or_nan(lambda: krippendorff_alpha(columns, level="ordinal"))
    for level in levels:
        (_, only_other), (only_gold, both) = _halves(matrix, values >= level)
        either = both + only_gold + only_other
        found[f"jaccard >= {level:g}"] = float(both / either) if either else math.nan
    above = float(np.triu(matrix, 1).sum())
    below = float(np.tril(matrix, -1).sum())
    lenient = float((matrix * (values[None, :] - values[:, None])).sum())
    for name, amount in (("over", above), ("under", below), ("leniency", lenient)):
        found[name] = amount / total if total else math.nan
    return found


def _halves(matrix: NDArray[np.float64], relevant: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The matrix of two grades: not relevant, and relevant."""
    import numpy as np

    return np.array(
        [[matrix[np.ix_(a, b)].sum() for b in (~relevant, relevant)] for a in (~relevant, relevant)]
    )


def _kappa(
    matrix: NDArray[np.float64], marginals: Marginals, weights: NDArray[np.float64] | None = None
) -> float:
    """Kappa by its marginals; NaN where it is undefined."""
    import numpy as np

    used = (matrix.sum(axis=0) + matrix.sum(axis=1)) > 0
    if marginals == "uniform" and used.any():
        # Chance knows of all grades, whether anybody gave them here or not.
        used = np.full(len(matrix), fill_value=True)
    if used.sum() < 2:
        return math.nan
    chosen = np.ix_(used, used)
    own = None if weights is None else weights[chosen]
    return or_nan(lambda: cohen_kappa(matrix[chosen], marginals=marginals, weights=own))


def or_nan(coefficient: Callable[[], SupportsFloat]) -> float:
    """A coefficient; NaN where it is undefined, as for a run without a mean."""
    try:
        return float(coefficient())
    except Error as error:
        if error.kind not in ("undefined", "number"):
            raise
        return math.nan


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


RESAMPLES = 1000
"""How often topics are resampled for the interval of tau."""


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
    import numpy as np

    probability("level", level)
    whole(top, "top", least=2)
    runs, label, a, b = paired(gold, other, measure)
    if len(runs) < 2:
        raise failure("undefined", "an order is undefined: expected at least two runs, found one")
    first, second = summaries(gold, other, label)
    best = np.argsort(-first, kind="stable")[:top]
    inverted = sum(
        _sign(first[i], first[j]) * _sign(second[i], second[j]) < 0
        for place, i in enumerate(best)
        for j in best[:place]
    )
    moved = ranks(first) - ranks(second)
    # The first by name of those that move furthest.
    most = min(best.tolist(), key=lambda run: (-abs(int(moved[run])), runs[run]))
    fell = int(np.argmin(moved))
    low = high = math.nan
    if gold.core.measures[gold.measures.index(label)].aggregate == "mean":
        low, high = _interval(a, b, level, resamples, seed)
    return SystemOrder(
        label,
        len(runs),
        tau(first, second),
        low,
        high,
        or_nan(lambda: tau_ap(second, first, tolerance=TIE)),
        or_nan(lambda: tau_ap(second, first, ties="b", tolerance=TIE)),
        or_nan(lambda: tau_gap(first, second)),
        or_nan(lambda: pearson(first, second)),
        or_nan(lambda: spearman(first, second, tolerance=TIE)),
        len(best),
        tau(first[best], second[best]),
        int(inverted),
        int(moved[most]),
        runs[most],
        max(-int(moved[fell]), 0),
        runs[fell] if moved[fell] < 0 else "",
        level,
    )


def paired(
    gold: Scores, other: Scores, measure: str | Measure | None
) -> tuple[list[str], str, NDArray[np.float64], NDArray[np.float64]]:
    """The runs by name, the measure, and the values of each judge with higher ones better.

    Shape (runs, topics). Raises ``Error`` for scores of different labels.
    """
    label = gold.measures[one_measure(gold.measures, measure)]
    for axis in ("runs", "topics"):
        if set(getattr(gold, axis)) != set(getattr(other, axis)):
            raise failure("label", f"expected the same {axis} under both judges")
    runs = sorted(gold.runs)
    own = [one.sel(run=runs, topic=gold.topics, measure=label) for one in (gold, other)]
    better = turn(gold.better[label])
    return runs, label, better * own[0].values[:, :, 0], better * own[1].values[:, :, 0]


def summaries(
    gold: Scores, other: Scores, label: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The summary of each run, by name, under each judge, with higher ones better."""
    better, runs = turn(gold.better[label]), sorted(gold.runs)
    first, second = (
        better * one.sel(run=runs, topic=gold.topics, measure=label).summary()[:, 0]
        for one in (gold, other)
    )
    return first, second


def ranks(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Ranks of means, from 1; tied ones share the best: int64, shape (runs,)."""
    import numpy as np

    size = np.maximum(np.abs(values[:, None]), np.abs(values[None, :]))
    above = values[None, :] - values[:, None] > TIE * size
    found: NDArray[np.int64] = 1 + above.sum(axis=1)
    return found


def tau(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Kendall's tau-b of two lists of means; NaN where it is undefined."""
    return or_nan(lambda: kendall(first, second, method="asymptotic", tolerance=TIE))


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means over topics of what is defined; NaN for a run without."""
    import numpy as np

    known = ~np.isnan(values)
    number = known.sum(axis=1)
    total = np.where(known, values, 0.0).sum(axis=1)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def _sign(a: float, b: float) -> int:
    """Which of two means is higher; 0 for equal ones."""
    if math.isnan(a) or math.isnan(b) or abs(a - b) <= TIE * max(abs(a), abs(b)):
        return 0
    return 1 if a > b else -1


def _interval(
    a: NDArray[np.float64], b: NDArray[np.float64], level: float, resamples: int, seed: int
) -> tuple[float, float]:
    """Percentiles of tau over resampled topics."""
    import numpy as np

    if a.shape[1] < 2:
        return math.nan, math.nan
    drawn = _core.drawn_topics(a.shape[1], resamples=resamples, seed=seed)
    taus = np.array([tau(_means(a[:, topics]), _means(b[:, topics])) for topics in drawn])
    known = taus[~np.isnan(taus)]
    if not len(known):
        return math.nan, math.nan
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high


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
    """The level of significance."""


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
    runs, label, a, b = paired(gold, other, measure)
    if len(runs) < 2:
        raise failure("undefined", "expected at least two runs to test, found one")
    check_means([gold.core.measures[gold.measures.index(label)]])
    corrected = checked_test(test, correction, alpha)
    found = []
    for values in (a, b):
        tested = TESTS[test](values, nan="omit", seed=seed)
        if corrected != "none":
            tested = tested.corrected(corrected)
        found.append((tested.difference, tested.significant(alpha)))
    return counted(*found[0], *found[1], label, (test, corrected, alpha))


def counted(
    first: NDArray[np.float64],
    significant_first: NDArray[np.bool_],
    second: NDArray[np.float64],
    significant_second: NDArray[np.bool_],
    measure: str,
    options: tuple[str, str, float],
) -> Fidelity:
    """The pairs by what both judges say: differences, and where they are significant."""
    same = _signs(first) == _signs(second)
    both = significant_first & significant_second
    only_gold = significant_first & ~significant_second
    only_other = significant_second & ~significant_first
    neither = ~significant_first & ~significant_second

    def number(where: NDArray[np.bool_]) -> int:
        return int(where.sum())

    agreed, flipped = number(both & same), number(both & ~same)
    missed, false = number(only_gold), number(only_other)
    return Fidelity(
        measure,
        agreed,
        flipped,
        missed,
        false,
        number((only_gold | only_other) & ~same),
        number(neither & same),
        number(neither & ~same),
        _share(agreed, agreed + false + flipped),
        _share(agreed, agreed + missed + flipped),
        *options,
    )


def _signs(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """The signs of differences, 0 for what is rounding."""
    import numpy as np

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
        The share of unjudged documents of each run under gold, for a column of it.

    Returns
    -------
    DataTable
        A row for each run, the most favoured first: ``gold`` and ``other``, its means under each;
        ``favour``, by how much its mean rises more than that of all runs together; ``rank gold``,
        ``rank other`` and ``shift``, by how many ranks it rises; ``unjudged``.

    Raises
    ------
    Error
        As ``order``.

    """
    runs, label, _, _ = paired(gold, other, measure)
    first, second = summaries(gold, other, label)
    sign = -1.0 if gold.better[label] == "lower" else 1.0
    gain = second - first
    favour = gain - gain.mean()
    before, after = ranks(first), ranks(second)
    order = sorted(range(len(runs)), key=lambda run: (-round(favour[run], 12), runs[run]))
    columns = {
        "run": (TEXT, [runs[run] for run in order]),
        "gold": (SHARE, (sign * first[order]).tolist()),
        "other": (SHARE, (sign * second[order]).tolist()),
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
        shares = [unjudged[runs[run]] for run in order]
        columns["unjudged"] = (SHARE, list(map(defined, shares)))
    return DataTable(columns)


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
        A row for each group, the most favoured first: ``runs``; ``favour``, the mean over topics
        of the mean gain of the group's runs less that of all others; ``low`` and ``high``, its
        interval; ``shift``, the mean number of ranks that its runs rise.

    Raises
    ------
    Error
        Kind "label" for a run without a group; "option" for a single group; as ``order``.

    """
    import numpy as np

    probability("level", level)
    runs, label, a, b = paired(gold, other, measure)
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
    gain = np.nan_to_num(b - a)
    first, second = summaries(gold, other, label)
    moved = ranks(first) - ranks(second)
    rows = []
    for name in names:
        own = np.array([groups[run] == name for run in runs])
        by_topic = gain[own].mean(axis=0) - gain[~own].mean(axis=0)
        low = high = math.nan
        if len(by_topic) > 1:
            ends = mean_interval(by_topic[None, :], level=level)
            low, high = float(ends.low[0]), float(ends.high[0])
        rows.append(
            (name, int(own.sum()), float(by_topic.mean()), low, high, float(moved[own].mean()))
        )
    rows.sort(key=lambda row: (-row[2], row[0]))
    names = ["group", "runs", "favour", "low", "high", "shift"]
    columns = map(list, zip(*rows, strict=True))
    return DataTable(with_kinds(dict(zip(names, columns, strict=True))))
