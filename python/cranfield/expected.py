"""Expected average precision where relevance is a probability.

>>> import cranfield as cf
>>> probabilities = {"a": 1.0, "b": 0.5, "c": 0.0, "d": 0.8}
>>> cf.expected.average_precision(["a", "b", "c"], probabilities).value
0.6521739130434783

A judged document has the probability 1 or 0, any other what a model or a prior says. This is
what Minimal Test Collections are made with: what is the mean, and is one list better than another,
as long as not everything is judged?
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import SupportsFloat

import numpy as np
from numpy.typing import NDArray

from cranfield._base.errors import failure
from cranfield._base.options import checked, hashable, several
from cranfield._core import in_order

__all__ = ["Difference", "Expected", "average_precision", "difference"]


@dataclass(frozen=True, slots=True)
class Expected:
    """The expectation of a number, and its variance."""

    value: float
    """The expected sum of precisions by the expected number of relevant documents."""
    variance: float
    """The variance of the sum of precisions by the square of that number."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The expectation of a difference, and its variance."""

    value: float
    """As of ``Expected``."""
    variance: float
    """As of ``Expected``."""
    confidence: float
    """How likely the difference is above 0, by the normal distribution."""


@checked
def average_precision(
    ranking: Sequence[Hashable], probabilities: Mapping[str, SupportsFloat]
) -> Expected:
    """The expected average precision of a list, and its variance.

    Parameters
    ----------
    ranking
        The documents, best first.
    probabilities
        How likely each document is relevant, independently of the others;
        0 for what is not there. Documents that the list lacks count, too.

    Returns
    -------
    Expected
        NaN where no document can be relevant. It is AP where all
        probabilities are 0 or 1.

    Raises
    ------
    Error
        For a probability that is not between 0 and 1 ("option"), and a
        document that stands twice in the list ("duplicate").

    Notes
    -----
    Carterette, Allan and Sitaraman (2006), Minimal test collections for
    retrieval evaluation, SIGIR. The sum of precisions is a sum over pairs of
    relevant documents of 1 / the lower of their two ranks, whose mean and
    variance are exact; dividing by the expected number of relevant documents,
    and not by the number, is the approximation of the paper. Time and memory
    rise with the square of the number of documents that can be relevant.

    """
    known = _probable(probabilities)
    value, variance = _moments(_pairs(ranking, list(known)), list(known.values()))
    return Expected(value, variance)


@checked
def difference(
    one: Sequence[Hashable], other: Sequence[Hashable], probabilities: Mapping[str, SupportsFloat]
) -> Difference:
    """The expected difference in average precision of two lists, and the confidence in its sign.

    Parameters
    ----------
    one, other
        The documents of the lists, best first.
    probabilities
        As for ``average_precision``.

    Returns
    -------
    Difference
        ``one`` less ``other``. The confidence is that ``one`` is better; it is
        one half where neither is favored.

    Raises
    ------
    Error
        As ``average_precision`` does.

    """
    known = _probable(probabilities)
    documents = list(known)
    pairs = _pairs(one, documents) - _pairs(other, documents)
    value, variance = _moments(pairs, list(known.values()))
    if variance > 0:
        confidence = (1 + math.erf(value / math.sqrt(2 * variance))) / 2
    else:
        confidence = 0.5 if math.isnan(value) or value == 0 else float(value > 0)
    return Difference(value, variance, confidence)


def _probable(probabilities: Mapping[str, SupportsFloat]) -> dict[str, float]:
    """The documents that can be relevant."""
    found = {}
    for document, probability in probabilities.items():
        try:
            known = float(probability)
        except Exception:
            known = math.nan
        if not 0 <= known <= 1:
            message = f"expected a probability from 0 to 1 for {document!r}, found {probability!r}"
            raise failure("option", message)
        if known > 0:
            found[document] = known
    return found


def _pairs(ranking: Sequence[Hashable], documents: list[str]) -> NDArray[np.float64]:
    """The term of each pair of documents in the sum of precisions where both are relevant."""
    places: dict[str, int] = {}
    listed = ranking if isinstance(ranking, str) else in_order(ranking, "a ranking as a list")
    for rank, document in enumerate(several(listed, "ranking", hashable, letters=True), 1):
        if places.setdefault(document, rank) != rank:
            message = f"expected each document once, found {document!r} at {places[document]}"
            raise failure("duplicate", f"{message} and {rank}")
    ranks = np.array([places.get(document, math.inf) for document in documents])
    return np.asarray(1 / np.maximum.outer(ranks, ranks))


def _moments(pairs: NDArray[np.float64], probabilities: list[float]) -> tuple[float, float]:
    """Mean and variance of the sum, by the expected number of relevant documents."""
    p = np.array(probabilities)
    relevant = math.fsum(probabilities)
    if relevant == 0:
        return math.nan, math.nan
    alone = np.diag(pairs)
    both = pairs - np.diag(alone)
    # What a document adds on average beside the others; then what pairs add beyond that.
    effect = alone + both @ p
    spread = p * (1 - p)
    mean = alone @ p + p @ both @ p / 2
    variance = effect**2 @ spread + spread @ both**2 @ spread / 2
    return float(mean) / relevant, float(variance) / relevant**2
