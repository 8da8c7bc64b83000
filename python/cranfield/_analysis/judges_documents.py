"""How far two judges agree on documents: coefficients by topic and in all, and pairs of grades."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, SupportsFloat, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield._base.errors import failure
from cranfield._base.options import one_of
from cranfield._core import Error
from cranfield._io.inputs import QrelsLike, as_qrels
from cranfield._stats.agreement import cohen_kappa, krippendorff_alpha
from cranfield._table.data_table import TEXT, DataTable
from cranfield._table.result import Result, with_kinds

Pairs: TypeAlias = list[tuple[float, float]]
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
    by_topic = pairs_by_topic(as_qrels(gold).to_dict(), as_qrels(other).to_dict())
    every = [pair for pairs in by_topic.values() for pair in pairs]
    grades = sorted({0.0, *(grade for pair in every for grade in pair)})
    rows = [_agreement(pairs, grades, marginals) for pairs in by_topic.values()]
    columns: dict[str, list[Any]] = {n: [row[n] for row in rows] for n in rows[0]}
    means = {name: _mean(values) for name, values in columns.items() if name != "documents"}
    columns["documents"] = list(map(int, columns["documents"]))
    table = DataTable({"topic": (TEXT, list(by_topic)), **with_kinds(columns)})
    matrix = _matrix(every, grades).astype(np.int64)
    total = _agreement(every, grades, marginals)
    return DocumentAgreement(table, total, means, tuple(grades), matrix)


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
    places = {grade: place for place, grade in enumerate(grades)}
    matrix = np.zeros((len(grades), len(grades)))
    for a, b in pairs:
        matrix[places[a], places[b]] += 1
    return matrix


def _agreement(pairs: Pairs, grades: Sequence[float], marginals: Marginals) -> dict[str, float]:
    """Every coefficient of the pairs."""
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
    lenient = matrix * (values[None, :] - values[:, None])
    amounts = np.triu(matrix, 1), np.tril(matrix, -1), lenient
    for name, amount in zip(("over", "under", "leniency"), amounts, strict=True):
        found[name] = float(amount.sum()) / total if total else math.nan
    return found


def _halves(matrix: NDArray[np.float64], relevant: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The matrix of two grades: not relevant, and relevant."""
    return np.array(
        [[matrix[np.ix_(a, b)].sum() for b in (~relevant, relevant)] for a in (~relevant, relevant)]
    )


def _kappa(
    matrix: NDArray[np.float64], marginals: Marginals, weights: NDArray[np.float64] | None = None
) -> float:
    """Kappa by its marginals; NaN where it is undefined."""
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
