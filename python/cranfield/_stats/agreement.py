"""How well judges agree beyond chance.

Labels are given judge by judge, as sequences in the same order of items. A
label is anything that can be a key of a dict: grades, texts. Undefined
values raise an ``Error`` of kind "undefined": if all labels are the same, the
expected agreement is 1 and the coefficient is undefined.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, TypeAlias

from cranfield import _core
from cranfield._base.errors import failure, label_failure, shown
from cranfield._base.options import checked, hashable, number, several, wrong
from cranfield._core import Error
from cranfield._stats.correlation import ConfidenceInterval, Statistic
from cranfield._stats.score_matrix import as_numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

Weights: TypeAlias = (
    "Literal['linear', 'quadratic'] | Callable[[Any, Any], float] | ArrayLike | None"
)


@dataclass(frozen=True, slots=True)
class Agreement(Statistic):
    """Kappa, its components, and its test."""

    observed: float
    """The observed agreement: P(A)."""
    expected: float
    """The agreement expected by chance: P(E)."""
    pvalue: float
    """The two-sided probability of a kappa at least as far from 0 by chance."""
    standard_error: float
    """The standard error of kappa; NaN for ``fleiss_kappa``."""

    @checked
    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """The normal interval from the standard error.

        Raises ``Error`` of kind "undefined" without a standard error, of
        kind "option" for a level that is not between 0 and 1.
        """
        ends = _core.normal_interval(self.statistic, self.standard_error, level)
        return ConfidenceInterval(*ends)


@dataclass(frozen=True, slots=True)
class PairwiseAgreement(Statistic):
    """The mean of kappa over all pairs of judges."""

    pairs: dict[tuple[Any, Any], Agreement]
    """Kappa of each pair, by the judges' indices or names."""


@dataclass(frozen=True, slots=True)
class Alpha(Statistic):
    """Krippendorff's alpha and its components."""

    observed: float
    """The mean squared distance between two labels of the same item."""
    expected: float
    """The mean squared distance between any two labels."""


@checked
def cohen_kappa(
    a: Iterable[Hashable] | ArrayLike,
    b: Iterable[Hashable] | None = None,
    *,
    marginals: Literal["separate", "pooled", "uniform"] = "separate",
    weights: Weights = None,
    labels: Iterable[Hashable] | None = None,
) -> Agreement:
    """Kappa of two judges: (P(A) - P(E)) / (1 - P(E)).

    ``a`` and ``b`` are the labels of the two judges, item by item; or ``a``
    alone is the table of counts, real, of shape (labels, labels), the first
    judge's labels in rows.

    ``marginals``: "separate" takes each judge's own frequencies for the
    agreement by chance (Cohen, Educational and Psychological Measurement
    20, 1960); "pooled" those of both together (Scott 1955; Siegel &
    Castellan 1988), which *Introduction to Information Retrieval* prefers
    (eq. 8.10), since it is lower when the judges' label frequencies differ;
    "uniform" treats every label as equally likely, so P(E) is 1 over
    their number: one half for two labels, the other choice of that book
    (Bennett, Alpert & Goldstein, Public Opinion Quarterly 18, 1954: S).
    Pass all possible ``labels``, including unused ones.

    ``weights`` says how much two labels disagree (Cohen, Psychological
    Bulletin 70, 1968): None: 1 for any two different labels; "linear" and
    "quadratic": by the distance of their positions in ``labels``; a function of two labels; or
    numbers of shape (labels, labels). A label does not disagree with
    itself, and only proportions matter. P(A) and P(E) are then 1 minus the
    disagreement as a proportion of the largest weight.

    ``labels`` are all labels in order; by default those that occur, sorted.
    Texts have no natural order of grades, so "linear" and "quadratic" need
    ``labels`` for them.

    The p-value and the standard error are those of Fleiss, Cohen & Everitt
    (Psychological Bulletin 72, 1969), by the delta method, which is also used
    for other marginals. If one judge used only one label, kappa with separate
    marginals is 0 and its p-value is 1.

    Raises ``Error`` of kind "undefined" if all labels are the same or there
    is no item, "type" for labels that cannot be compared, "number" for
    counts or weights below 0 or not finite, "label" for a label that is not
    in ``labels``, "option" for an invalid option.
    """
    if b is None:
        table = as_numbers(a, "labels x labels")
        if table.shape[0] != table.shape[1]:
            raise failure("type", f"the table of counts is not square: {table.shape}")
        known = list(range(len(table)))
        if labels is not None:
            known = several(labels, "labels", hashable, letters=True)
        if len(known) != len(table):
            raise failure("option", f"{len(known)} labels for a table of {len(table)}")
    else:
        (first, second), known = _coded([a, b], labels, weights)
        table = _confusion(first, second, len(known))
    found = _core.kappa(table, _weights(weights, known), marginals=marginals)
    return Agreement(*found)


@checked
def mean_kappa(
    judges: Sequence[Iterable[Hashable]] | Mapping[Any, Iterable[Hashable]],
    *,
    marginals: Literal["separate", "pooled", "uniform"] = "separate",
    weights: Weights = None,
    labels: Iterable[Hashable] | None = None,
) -> PairwiseAgreement:
    """The mean of kappa over all pairs of judges.

    *Introduction to Information Retrieval*, section 8.5, uses it for more
    than two judges. ``judges`` holds the labels of each judge, item by item, or is
    a dict from names to labels. Options and errors are as for ``cohen_kappa``;
    undefined for fewer than two judges, or if the kappa of any pair is.
    """
    rows = list(_rows(judges))
    if len(rows) < 2:
        raise failure("undefined", "kappa is undefined: at least two judges are needed")
    each, known = _coded(rows, labels, weights)
    matrix, pairs = _weights(weights, known), {}
    named = zip(judges if isinstance(judges, Mapping) else range(len(rows)), each, strict=True)
    for (one, first), (other, second) in combinations(named, 2):
        table = _confusion(first, second, len(known))
        pairs[one, other] = Agreement(*_core.kappa(table, matrix, marginals=marginals))
    mean = sum(pair.statistic for pair in pairs.values()) / len(pairs)
    return PairwiseAgreement(mean, pairs)


def label_counts(
    judges: Sequence[Iterable[Hashable]], *, labels: Iterable[Hashable] | None = None
) -> NDArray[np.float64]:
    """How many judges gave each label: float64, shape (items, labels).

    ``judges`` holds the labels of each judge, item by item; None means no
    label. ``labels`` are the columns, by default those that occur, sorted.
    """
    import numpy as np

    each, known = _coded(_rows(judges), labels, missing=True)
    counts = np.zeros((len(each[0]) if each else 0, len(known)))
    places = [(item, k) for judge in each for item, k in enumerate(judge) if k is not None]
    np.add.at(counts, tuple(np.array(places, dtype=int).reshape(-1, 2).T), 1)
    return counts


def fleiss_kappa(counts: ArrayLike) -> Agreement:
    """Kappa of any number of judges (Fleiss, Psychological Bulletin 76, 1971).

    ``counts`` says how many judges gave each label: integers of shape
    (items, labels), as ``label_counts`` makes them. All items need the same
    number of labels, but not from the same judges. With two judges it is
    ``cohen_kappa(marginals="pooled")``.

    The p-value is that of Fleiss, Nee & Landis (Psychological Bulletin 86,
    1979), which holds for kappa = 0 only; so there is no interval.

    Raises ``Error`` of kind "undefined" for fewer than two judges, no item,
    or if all labels are the same; "option" for items with different
    numbers of labels, "number" for what is not a count, "type" for what is not a table.
    """
    return Agreement(*_core.fleiss_kappa(as_numbers(counts, "items x labels")))


@checked
def krippendorff_alpha(
    judges: Sequence[Iterable[Hashable]] | ArrayLike,
    *,
    level: Literal["nominal", "ordinal", "interval", "ratio"] = "nominal",
    labels: Iterable[Hashable] | None = None,
) -> Alpha:
    """Krippendorff's alpha: 1 minus observed over expected disagreement.

    ``judges`` holds the labels of each judge, item by item: shape (judges,
    items). None and NaN are missing labels; items with fewer than
    two are left out. Any number of judges.

    ``level`` defines the distance of two labels, which is then squared (Krippendorff,
    Content Analysis, 2nd ed. 2004, chapter 11): "nominal" 1; "ordinal" how
    many labels are between them; "interval" their difference; "ratio" their
    difference over their sum, for numbers from 0 up. ``labels`` is the order
    for "ordinal"; numbers do not need it.

    Raises ``Error`` of kind "undefined" if no item has two labels or all
    are the same, "type" for labels that are not numbers where these are
    needed, "label" for a label that is not in ``labels``, "option" for an
    option's value.
    """
    import numpy as np

    weights = "linear" if level == "ordinal" else None
    each, known = _coded(_rows(judges), labels, weights, missing=True)
    values = np.arange(len(known), dtype=np.float64)
    if level in ("interval", "ratio"):
        values = as_numbers(known, "labels")
    items = [[label for label in item if label is not None] for item in zip(*each, strict=True)]
    return Alpha(*_core.krippendorff_alpha(items, values, level=level))


def _rows(judges: Any) -> Iterable[Any]:
    """The labels of each judge."""
    if isinstance(judges, Mapping):
        return judges.values()
    rows: Iterable[Any] = judges
    if hasattr(judges, "tolist") and not isinstance(judges, type):
        rows = judges.tolist()
    return several(rows, "judges", lambda row, _: row)


def _labels(judge: Any, *, missing: bool = False) -> list[Any]:
    """The labels of a judge as Python objects; None for missing ones."""
    if isinstance(judge, (str, bytes, Mapping, set, frozenset)):
        raise failure("type", f"this is not a sequence of labels: {shown(judge)}")
    try:
        labels = judge.tolist() if hasattr(judge, "tolist") else list(judge)
        for label in labels:
            hash(label)
    except Exception as error:
        raise failure("type", f"this is not a sequence of labels: {shown(judge)}") from error
    # Only NaN is not equal to itself.
    labels = [None if label != label else label for label in labels]
    if not missing and None in labels:
        item = labels.index(None) + 1
        raise failure("type", f"item {item} has no label from a judge: leave such items out")
    return labels


def _coded(
    judges: Iterable[Any],
    labels: Iterable[Hashable] | None,
    weights: object = None,
    *,
    missing: bool = False,
) -> tuple[list[list[Any]], list[Any]]:
    """The labels of each judge as places among all labels, None for missing ones; and all labels.

    Raises unless all judges have the same number of items, and for texts whose order matters
    and was not given.
    """
    each = [_labels(judge, missing=missing) for judge in judges]
    sizes = sorted({len(judge) for judge in each})
    if len(sizes) > 1:
        raise failure("type", f"judges need the same items: one has {sizes[0]}, one {sizes[-1]}")
    known = _known(each, labels)
    if labels is None and isinstance(weights, str) and any(isinstance(k, str) for k in known):
        raise failure("option", "the order of these texts is not known: give labels=, lowest first")
    places = {label: place for place, label in enumerate(known)}
    return [[places.get(label) for label in judge] for judge in each], known


def _known(judges: Iterable[Iterable[Any]], labels: Iterable[Hashable] | None) -> list[Any]:
    """All labels in order; raises for a label that is not among those given."""
    found = {label for judge in judges for label in judge if label is not None}
    if labels is None:
        try:
            return sorted(found)
        except TypeError:
            raise failure("type", "these labels cannot be sorted: give labels=") from None
    known = several(labels, "labels", hashable, letters=True)
    if len(set(known)) != len(known):
        raise failure("option", "labels= has a label twice")
    for label in sorted(found - set(known), key=repr):
        raise label_failure("label", label, [str(one) for one in known])
    return known


def _confusion(a: Sequence[int], b: Sequence[int], size: int) -> NDArray[np.float64]:
    """How often each pair of labels was given: float64, shape (labels, labels)."""
    import numpy as np

    table = np.zeros((size, size))
    np.add.at(table, (np.array(a, dtype=int), np.array(b, dtype=int)), 1)
    return table


def _weights(weights: Weights, known: Sequence[Any]) -> NDArray[np.float64]:
    """How much each two labels disagree: float64, shape (labels, labels)."""
    import numpy as np

    size = len(known)
    distance = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
    if weights is None:
        return np.minimum(distance, 1.0)
    if isinstance(weights, str):
        if weights in ("linear", "quadratic"):
            return distance if weights == "linear" else distance**2
        raise failure("option", f'weights={weights!r}: it is one of "linear", "quadratic"')
    if callable(weights):
        try:
            table = [[number(weights(a, b), "weights") for b in known] for a in known]
        except (TypeError, ValueError) as error:
            message = f"weights cannot be called with two labels: {error}"
            raise failure("option", message) from error
        return as_numbers(table, "labels x labels") if size else distance
    try:
        matrix = as_numbers(weights, "labels x labels")
    except Error as error:
        expected = '"linear", "quadratic", a function or a table of numbers'
        raise wrong("weights", expected, weights) from error
    if matrix.shape != (size, size):
        raise failure("option", f"weights of shape {matrix.shape} for {size} labels")
    return matrix
