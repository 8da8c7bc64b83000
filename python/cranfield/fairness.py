"""Whose documents are seen: AWRF and expected exposure.

>>> import cranfield as cf
>>> groups = {"d1": "a", "d2": "b", "d3": "a", "d4": "b"}
>>> round(cf.fairness.awrf(["d1", "d3", "d2", "d4"], groups, {"a": 0.5, "b": 0.5}), 3)
0.99

A reader looks at rank r with the weight 1 / log2(max(r, 2)). A document gives its
weight to its group, and the groups' shares are compared with those that they should have.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from cranfield.errors import failure
from cranfield.options import checked, number, text, wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    Groups: TypeAlias = Mapping[str, str | Mapping[str, float]]
    """Document to its group, or to the share that each group has in it."""

__all__ = ["ExpectedExposure", "awrf", "expected_exposure"]


@dataclass(frozen=True, slots=True)
class ExpectedExposure:
    """The exposure of groups, averaged over rankings, against a target."""

    loss: float
    """EE-L, the squared distance from the target; 0 is the best."""
    disparity: float
    """EE-D, the squared length of the exposure."""
    relevance: float
    """EE-R, the product of exposure and target."""


@checked
def awrf(
    ranking: Sequence[str], groups: Groups, target: Mapping[str, float], *, base: float = math.e
) -> float:
    """Attention-weighted rank fairness of one ranking.

    One less the Jensen-Shannon divergence of the groups' shares of attention
    from their target shares.

    Parameters
    ----------
    ranking
        The documents, best first.
    groups
        The group of each document, or the share of each group in it.
    target
        The share that each group should have; they sum to 1.
    base
        Of the logarithm of the divergence. With e, as in TREC, the value is
        at least 1 - ln 2 = 0.307, with 2 at least 0.

    Raises
    ------
    Error
        For a document without a group (kind "needs"), an empty ranking
        ("empty"), shares that do not sum to 1 ("option").

    Notes
    -----
    Sapiezynski, Zeng, Robertson, Mislove and Wilson (2019), Quantifying the
    impact of user attention on fair group representation in ranked lists, WWW
    companion; the measure of TREC's fair ranking track of 2021 and 2022.

    """
    if not base > 1:
        raise failure("option", f"expected a number above 1 as base, found {base}")
    if not ranking:
        raise failure("empty", "expected a ranking with documents, found none")
    _check_shares(target, "target")
    seen = _exposure(ranking, groups)
    total = sum(seen.values())
    shares = {group: value / total for group, value in seen.items()}
    divergence = 0.0
    for group in {**shares, **target}:
        own, wanted = shares.get(group, 0.0), target.get(group, 0.0)
        middle = (own + wanted) / 2
        for share in (own, wanted):
            if share > 0:
                divergence += share * math.log(share / middle) / 2
    return 1 - divergence / math.log(base)


@checked
def expected_exposure(
    rankings: Iterable[Sequence[str]], groups: Groups, target: Mapping[str, float]
) -> ExpectedExposure:
    """The exposure of groups, averaged over several rankings for one query.

    Parameters
    ----------
    rankings
        The documents of each ranking, best first.
    groups, target
        As for ``awrf``. The target exposure of a group is its share of the
        attention that one ranking has, on average.

    Raises
    ------
    Error
        As ``awrf``.

    Notes
    -----
    Diaz, Mitra, Ekstrand, Biega and Carterette (2020), Evaluating stochastic
    rankings with expected exposure, CIKM, by groups as in TREC's fair ranking
    track of 2021.

    """
    _check_shares(target, "target")
    exposures = [_exposure(ranking, groups) for ranking in rankings]
    if not any(exposures):
        raise failure("empty", "expected rankings with documents, found none")
    names = dict.fromkeys(group for exposure in (*exposures, target) for group in exposure)
    mean = {
        group: sum(exposure.get(group, 0.0) for exposure in exposures) / len(exposures)
        for group in names
    }
    available = sum(mean.values())
    wanted = {group: target.get(group, 0.0) * available for group in names}
    return ExpectedExposure(
        loss=sum((mean[group] - wanted[group]) ** 2 for group in names),
        disparity=sum(mean[group] ** 2 for group in names),
        relevance=sum(mean[group] * wanted[group] for group in names),
    )


def _exposure(ranking: Sequence[str], groups: Groups) -> dict[str, float]:
    """The share of each group in the attention of one ranking."""
    if not isinstance(groups, Mapping):
        raise wrong("groups", "a dict", groups)
    seen: dict[str, float] = {}
    for rank, document in enumerate(ranking, 1):
        weight = 1 / math.log2(max(rank, 2))
        if document not in groups:
            raise failure(
                "needs", f"expected a group for each document, found none for {document!r}"
            )
        own = groups[document]
        if not isinstance(own, Mapping):
            own = {text(own, "groups"): 1.0}
        else:
            _check_shares(own, f"the groups of document {document!r}")
        for group, share in own.items():
            seen[group] = seen.get(group, 0.0) + weight * share
    return seen


def _check_shares(shares: Mapping[str, float], what: str) -> None:
    total = sum(number(share, what) for share in shares.values())
    if any(share < 0 for share in shares.values()) or abs(total - 1) > 1e-9:
        raise failure(
            "option", f"expected shares of at least 0 that sum to 1 as {what}, found {total:g}"
        )
