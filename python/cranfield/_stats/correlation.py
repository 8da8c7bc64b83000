"""How far two orders of the same items, or two rankings, agree; and a matrix of all pairs.

Scores are given as two sequences of numbers in the same order of items, or
as two dicts with the same keys. Higher is better wherever ranks matter.
Every function of two returns a small object with ``.statistic``, which is also its
``float``. What is undefined is an ``Error`` of kind "undefined": one item,
or items that are all tied, have no correlation.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from cranfield import _core
from cranfield._base.errors import failure, optional, shown
from cranfield._base.options import checked, finder, two
from cranfield._base.scores_like import ScoresKind, is_scores, sign
from cranfield._base.text import counted
from cranfield._stats.score_matrix import as_numbers
from cranfield._table.data_table import SHARE, TEXT, DataTable, defined
from cranfield._table.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

Values: TypeAlias = "ArrayLike | Mapping[Any, float]"
Ranking: TypeAlias = Iterable[Any] | Mapping[Any, float]


@dataclass(frozen=True, slots=True)
class Statistic(Result):
    """A number for how far two things agree or differ."""

    statistic: float

    def __float__(self) -> float:
        return self.statistic


class ConfidenceInterval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Correlation(Statistic):
    """A correlation and its test."""

    pvalue: float
    """The two-sided probability of a coefficient as far from 0 by chance."""
    items: int
    """How many items were compared."""


@dataclass(frozen=True, slots=True)
class PearsonCorrelation(Correlation):
    """Pearson's correlation, its test and its interval."""

    @checked
    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """Fisher's interval (Metron 1, 1921).

        From -1 to 1 for three items or fewer. Raises ``Error`` of kind
        "option" for a level that is not between 0 and 1.
        """
        return ConfidenceInterval(*_core.fisher_interval(self.statistic, self.items, level))


@dataclass(frozen=True, slots=True)
class MaxDrop(Statistic):
    """The largest fall of an item; ``statistic`` is the number of ranks."""

    item: Any
    """The item's index in the sequences, or its key in the dicts."""
    before: int
    """Its rank before, from 1."""
    after: int
    """Its rank after."""


@dataclass(frozen=True, slots=True)
class Overlap(Statistic):
    """Rank-biased overlap; ``statistic`` is the extrapolated value."""

    min: float
    """The overlap if nothing beyond the lists agrees."""
    max: float
    """The overlap if everything beyond the lists agrees as far as it can."""

    @property
    def ext(self) -> float:
        """The value extrapolated beyond the lists at the observed agreement."""
        return self.statistic

    @property
    def res(self) -> float:
        """The residual: ``max - min``."""
        return self.max - self.min


@checked
def kendall(
    x: Values,
    y: Values,
    *,
    variant: Literal["b", "a"] = "b",
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    tolerance: float = 0.0,
    top: int | None = None,
) -> Correlation:
    """Kendall's tau between two arrays of scores.

    ``x`` and ``y`` are real, of shape (items,). With C concordant and D
    discordant pairs, tau-a is (C - D) / (n(n-1)/2) (Kendall, Biometrika 30,
    1938); tau-b divides by the geometric mean of the numbers of untied pairs
    in each (Kendall, Biometrika 33, 1945). Without ties they are the same.

    The p-value tests C - D, so it does not depend on the variant. "exact"
    counts permutations, which is possible without ties for up to 1,000
    items; "asymptotic" is normal, with the variance corrected for ties;
    "auto" is exact without ties for up to 33 items, or if at most one pair
    is out of order or in order. ``scipy.stats.kendalltau`` does the same.

    Values are tied if they are equal, or if they differ by no more than
    ``tolerance`` times the larger magnitude. Means of the same numbers can
    differ in their last bits: for mean scores use 1e-12. A chain of values
    each close to the next is one tie.

    ``top``: use only this many items, those with the highest values in ``x``; of
    equal values the first. "kendall@10" of auto-judge-evaluate is ``top=10``, with
    the truth as ``x``.

    If all items of ``x`` or of ``y`` are tied, tau-b is undefined and tau-a is 0 with
    the p-value 1. Raises ``Error`` of kind "undefined" in that case and for fewer
    than two items, "number" for NaN and infinities, "type" for anything but two sequences
    of numbers of the same length, "label" for dicts with different keys, "option" for an
    invalid option.
    """
    a, b, _ = _pair(x, y)
    if top is not None and len(a) == len(b):
        best = (-a).argsort(kind="stable")[:top]
        a, b = a[best], b[best]
    statistic, pvalue = _core.kendall(a, b, variant=variant, method=method, tolerance=tolerance)
    return Correlation(statistic, pvalue, len(a))


@checked
def tau_ap(
    estimate: Values,
    truth: Values,
    *,
    ties: Literal["average", "a", "b"] = "average",
    tolerance: float = 0.0,
) -> Statistic:
    """AP correlation: Kendall's tau with more weight on the top.

    For each item but the first, in the order of ``estimate``, take the proportion of
    the items above it that ``truth`` also ranks above it. The value is the mean of these
    proportions times 2, minus 1 (Yilmaz, Aslam & Robertson, SIGIR 2008). It is not
    symmetric. Both are real, of shape (items,).

    Ties: "average" is the mean over all orders of the items tied in either
    ranking, in closed form, and 0 if all items of a ranking are tied. "a" is
    tau_AP,a of Urbano & Marrero (ICTIR 2017) for the accuracy of an
    estimate: the same value, but undefined if the truth has ties. "b" is
    their tau_AP,b for the agreement of two rankings, where neither is the
    truth: it is symmetric, 1 for a ranking with itself, and undefined if all
    items of a ranking are tied. Only "b" is 1 for a ranking with ties and itself.

    ``tolerance`` and errors are as for ``kendall``.
    """
    a, b, _ = _pair(estimate, truth)
    return Statistic(_core.tau_ap(a, b, ties=ties, tolerance=tolerance))


def tau_gap(truth: Values, estimate: Values) -> Statistic:
    """The gap-sensitive correlation tau_GAP: swaps across large gaps of the truth cost more.

    Going down the order of ``estimate``, the mean over items of the proportion of the gaps to the
    items above (the absolute differences in ``truth``) of those that ``truth`` puts above too,
    times 2, minus 1 (Gao & Oard, SIGIR 2015). It is not symmetric. Both are real, of shape
    (items,); items with equal estimates are in the order given, and an item without a gap to
    those above is left out.

    Errors are as for ``kendall``; undefined for fewer than two items, and if the truth has no
    gap.
    """
    a, b, _ = _pair(truth, estimate)
    return Statistic(_core.tau_gap(a, b))


@checked
def spearman(x: Values, y: Values, *, tolerance: float = 0.0) -> Correlation:
    """Spearman's rank correlation: Pearson's correlation of the ranks.

    Tied items get the mean of their ranks. ``x`` and ``y`` are real, of
    shape (items,). The p-value is from Student's t with n - 2 degrees of
    freedom, as in ``scipy.stats.spearmanr``, and 1 for two items.

    ``tolerance`` and errors are as for ``kendall``; undefined if all items
    of ``x`` or of ``y`` are tied.
    """
    a, b, _ = _pair(x, y)
    return Correlation(*_core.spearman(a, b, tolerance=tolerance), len(a))


def pearson(x: Values, y: Values) -> PearsonCorrelation:
    """Pearson's linear correlation, which IR papers call rho.

    ``x`` and ``y`` are real, of shape (items,). The p-value is from Student's
    t with n - 2 degrees of freedom, and 1 for two items;
    ``.confidence_interval()`` is Fisher's.

    Errors are as for ``kendall``; undefined if all numbers in ``x`` or in ``y`` are
    equal, or differ only by rounding (1e-13 of their size).
    """
    a, b, _ = _pair(x, y)
    return PearsonCorrelation(*_core.pearson(a, b), len(a))


def rms_error(estimate: Values, truth: Values) -> Statistic:
    """The root of the mean squared difference of two lists of scores.

    As Yilmaz & Aslam (CIKM 2006, section 2.2) compare estimated with actual
    scores. Both are real, of shape (items,). Errors are as for ``kendall``;
    undefined without an item.
    """
    a, b, _ = _pair(estimate, truth)
    return Statistic(_core.rms_error(a, b))


@checked
def max_drop(before: Values, after: Values, *, tolerance: float = 0.0) -> MaxDrop:
    """The largest fall of an item's rank from one order to another.

    An item's rank is one more than the number of items with higher scores,
    so tied items share the best of their ranks. Among items that fall equally
    far, the first is reported. The fall is never below 0, since the first item cannot
    rise. Both are real, of shape (items,).

    ``tolerance`` and errors are as for ``kendall``; undefined without an
    item.
    """
    a, b, keys = _pair(before, after)
    drop, item, rank_before, rank_after = _core.max_drop(a, b, tolerance=tolerance)
    return MaxDrop(drop, item if keys is None else keys[item], rank_before, rank_after)


@checked
def rbo(
    ranking_a: Ranking, ranking_b: Ranking, *, p: float = 0.9, ties: Literal["w", "a", "b"] = "w"
) -> Overlap:
    """Rank-biased overlap of two rankings, which may contain different items.

    The mean over all depths of the agreement of the prefixes, where depth d has
    the weight (1-p) p^(d-1) (Webber, Moffat & Zobel, TOIS 28(4), 2010).
    Below the end of the rankings nothing is known: ``.ext`` is extrapolated at the
    observed agreement (their eq. 32), ``.min`` and ``.max`` are the bounds,
    and ``.res`` is ``.max`` minus ``.min``. Rankings may have different lengths.

    A ranking is a sequence of ids, best first, in which a list, tuple or
    set contains tied items; or a dict from id to score, where equal scores
    are ties. ``p`` is at least 0 and below 1.

    Ties, as Corsi & Urbano (SIGIR 2024) define them: "w": tied items have
    the same rank, and a prefix that cuts a group contains all of it (the rule
    of Webber et al.); "a": the order of tied items is not known, and the
    value is the mean over their orders; "b": "a" corrected for the
    information lost to ties, so that a ranking with itself has 1.

    Raises ``Error`` of kind "undefined" for an empty ranking, "duplicate"
    for an item that occurs twice, "number" for a score that is not finite,
    "type" for what is not a ranking, "option" for a wrong ``p`` or ``ties``.
    """
    item_numbers: dict[Hashable, int] = {}
    a = _groups("first", ranking_a, item_numbers)
    b = _groups("second", ranking_b, item_numbers)
    return Overlap(*_core.rbo(a, b, p=p, ties=ties))


@dataclass(frozen=True, eq=False, repr=False)
class CorrelationMatrix(Result):
    """A coefficient for all pairs of measures; made by ``correlation_matrix``."""

    labels: tuple[str, ...]
    """The names of the rows, which are those of the columns."""
    values: NDArray[np.float64]
    """The coefficients: float64, read-only, shape (labels, labels)."""
    method: str
    """Which coefficient."""

    __iter__ = None

    def __getitem__(self, key: tuple[str, str]) -> float:
        """The coefficient of a row and a column, by their labels.

        Raises ``LabelError`` for a label that is not there.
        """
        row, column = map(finder("measure", self.labels), two(key, "two labels"))
        return float(self.values[row, column])

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The matrix as {row: {column: coefficient}}."""
        rows = zip(self.labels, self.values.tolist(), strict=True)
        return {label: dict(zip(self.labels, row, strict=True)) for label, row in rows}

    def to_pandas(self) -> pd.DataFrame:
        """A pandas frame whose index and columns are the labels."""
        pandas = optional("pandas", "to_pandas")
        frame: pd.DataFrame = pandas.DataFrame(
            self.values.copy(), index=list(self.labels), columns=list(self.labels)
        )
        return frame

    def table(self) -> DataTable:
        """A row and a column for each label."""
        columns = zip(self.labels, self.values.T.tolist(), strict=True)
        values = {label: (SHARE, list(map(defined, column))) for label, column in columns}
        return DataTable({"measure": (TEXT, self.labels), **values})

    def headline(self) -> str:
        """The coefficient, and of how many measures."""
        return f"<CorrelationMatrix: {self.method}; {counted(len(self.labels), 'measure')}>"


@checked
def correlation_matrix(
    scores: ScoresKind | ArrayLike,
    *,
    method: Literal[
        "kendall", "tau_ap", "spearman", "pearson", "rms_error", "max_drop"
    ] = "kendall",
    labels: Iterable[str] | None = None,
    variant: Literal["b", "a"] = "b",
    ties: Literal["average", "a", "b"] = "average",
    tolerance: float = 1e-12,
) -> CorrelationMatrix:
    """How similarly measures rank the same systems: a coefficient for each pair.

    For ``Scores`` it uses the runs' summaries (means; sums of counts; the
    geometric mean of GMAP), and the measures are the labels. Otherwise it
    uses real numbers of shape (items, measures): an array, or a data frame
    whose columns are the labels. ``labels`` renames them. Runs of ``Scores``
    are ranked from the best to the worst, so a measure that is better when it
    is lower agrees with one that is better when it is higher; numbers are taken
    as better when they are higher. For "rms_error", which is about values,
    no sign is flipped.

    ``method`` is one of the functions of ``cranfield.stats``; ``variant`` is
    that of "kendall", ``ties`` that of "tau_ap". For "tau_ap" the row is the
    estimate and the column the truth, for "max_drop" the row is before and
    the column after. ``tolerance`` is as for ``kendall``, but 1e-12 by
    default, since means that should be equal differ in their last bits.

    A coefficient that is undefined is NaN: a measure that gives all runs the
    same score correlates with nothing, itself included.

    Raises ``Error`` of kind "undefined" for fewer than two items, "number"
    for NaN and infinities, "type" for what is not a table of numbers, "label"
    for labels that are too few, too many or not distinct, "option" for an
    invalid option.
    """
    if is_scores(scores):
        columns = scores.summary()
        names = scores.measures
        _all_defined(scores, columns)
        if method != "rms_error":
            columns = columns * [sign(measure) for measure in scores.core.measures]
    else:
        columns = as_numbers(scores, "items x measures")
        frame_names: Any = getattr(scores, "columns", range(columns.shape[1]))
        names = tuple(map(str, frame_names))
    if labels is not None:
        names = tuple(map(str, labels))
    if len(names) != columns.shape[1] or len(set(names)) != len(names):
        message = f"{columns.shape[1]} distinct labels are needed, one for each column"
        raise failure("label", message)
    values = _core.correlation_matrix(
        columns, method=method, variant=variant, ties=ties, tolerance=tolerance
    )
    values.flags.writeable = False
    return CorrelationMatrix(names, values, method)


def _all_defined(scores: ScoresKind, columns: NDArray[np.float64]) -> None:
    """Raises for a run without a value in a measure."""
    import numpy as np

    missing = np.argwhere(np.isnan(columns))
    if len(missing):
        run, measure = missing[0]
        message = f"{scores.runs[run]} has no {scores.measures[measure]} on any topic"
        raise failure("number", message)


def _groups(which: str, ranking: Ranking, item_numbers: dict[Hashable, int]) -> list[list[int]]:
    """A ranking as groups of item numbers, which both rankings share."""
    groups: list[list[int]] = []
    seen: set[int] = set()
    for group in _tied(which, ranking):
        numbers = []
        for item in group:
            try:
                number = item_numbers.setdefault(item, len(item_numbers))
            except Exception as error:
                message = f"an id of the {which} ranking cannot be one: {shown(item)}"
                raise failure("type", message) from error
            if number in seen:
                raise failure("duplicate", f"the {which} ranking has {item!r} twice")
            seen.add(number)
            numbers.append(number)
        groups.append(numbers)
    return groups


def _tied(which: str, ranking: Ranking) -> Iterable[Iterable[Any]]:
    """The groups of tied items of a ranking, best first."""
    if isinstance(ranking, Mapping):
        scores = as_numbers(list(ranking.values()), "items")
        by_score: dict[float, list[Any]] = {}
        for item, score in zip(ranking, scores.tolist(), strict=True):
            if not -float("inf") < score < float("inf"):
                raise failure("number", f"the score of {item!r} is {score}, which is not finite")
            by_score.setdefault(score, []).append(item)
        return [by_score[score] for score in sorted(by_score, reverse=True)]
    if isinstance(ranking, (str, bytes, set, frozenset)):
        kind = type(ranking).__name__
        raise failure("type", f"the {which} ranking is a {kind}, which is not a sequence of ids")
    try:
        entries = list(ranking)
    except Exception:
        kind = type(ranking).__name__
        raise failure("type", f"the {which} ranking is a {kind}, which is not a ranking") from None
    groups = (
        list(entry) if isinstance(entry, (list, tuple, set, frozenset)) else [entry]
        for entry in entries
    )
    return [group for group in groups if group]


def _pair(
    x: Values, y: Values
) -> tuple[NDArray[np.float64], NDArray[np.float64], Sequence[Any] | None]:
    """Two lists of numbers for the same items, and the items' keys if they have any."""
    keys = None
    if isinstance(x, Mapping) and isinstance(y, Mapping):
        different = x.keys() ^ y.keys()
        if different:
            example = min(different, key=repr)
            raise failure("label", f"both dicts need the same keys: {example!r} is in one only")
        keys = list(x)
        x, y = list(x.values()), [y[key] for key in keys]
    elif isinstance(x, Mapping) or isinstance(y, Mapping):
        raise failure("type", "one is a dict and the other is not: which items belong together?")
    return as_numbers(x, "items"), as_numbers(y, "items"), keys
