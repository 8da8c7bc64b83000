"""Whose documents are seen: AWRF and expected exposure.

>>> import cranfield as cf
>>> groups = {"d1": "a", "d2": "b", "d3": "a", "d4": "b"}
>>> round(cf.fairness.awrf(["d1", "d3", "d2", "d4"], groups, {"a": 0.5, "b": 0.5}), 3)
0.99

Rank r gets attention with the weight 1 / log2(max(r, 2)). A document gives its weight to its
group, and the groups' proportions of attention are compared with their targets. A document
without a known group keeps its rank and gives its weight to no group, as in the program of
TREC's fair ranking track:

>>> round(cf.fairness.awrf(["d1", "d9", "d2"], groups, {"a": 0.5, "b": 0.5}), 4)
0.9935
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from cranfield._base.errors import failure
from cranfield._base.options import checked, number, text, wrong

__all__ = ["ExpectedExposure", "awrf", "expected_exposure"]

Groups: TypeAlias = Mapping[str, str | Mapping[str, float] | None]
"""Document to its group, or to the share that each group has in it; None for no known one."""


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

    One minus the Jensen-Shannon divergence between the groups' proportions of attention
    and their target proportions.

    Parameters
    ----------
    ranking
        The documents, best first.
    groups
        The group of each document, or the proportion of each group in it. A document that is
        missing here, or whose group is None, NaN or empty, keeps its rank and adds to no group.
    target
        The proportion that each group should have; they sum to 1.
    base
        The base of the logarithm in the divergence. With e, as in TREC, the value is
        at least 1 - ln 2 = 0.307; with 2 it is at least 0.

    Raises
    ------
    Error
        If no document has a group (kind "needs"), for an empty ranking
        ("empty"), for proportions that do not sum to 1 ("option").

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
    seen, _ = _exposure(ranking, groups)
    total = sum(seen.values())
    if not total:
        raise _none_known([ranking])
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
        As for ``awrf``. The target exposure of a group is its proportion of the
        average total attention of a ranking, which includes documents without a group.

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
    given = list(rankings)
    attended = [_exposure(ranking, groups) for ranking in given]
    exposures = [seen for seen, _ in attended]
    if not any(map(len, given)):
        raise failure("empty", "expected rankings with documents, found none")
    if not any(exposures):
        raise _none_known(given)
    names = dict.fromkeys(group for exposure in (*exposures, target) for group in exposure)
    mean = {
        group: sum(exposure.get(group, 0.0) for exposure in exposures) / len(exposures)
        for group in names
    }
    available = sum(mean.values()) + sum(unknown for _, unknown in attended) / len(attended)
    wanted = {group: target.get(group, 0.0) * available for group in names}
    return ExpectedExposure(
        loss=sum((mean[group] - wanted[group]) ** 2 for group in names),
        disparity=sum(mean[group] ** 2 for group in names),
        relevance=sum(mean[group] * wanted[group] for group in names),
    )


def _exposure(ranking: Sequence[str], groups: Groups) -> tuple[dict[str, float], float]:
    """The attention of one ranking that each group has, and that of documents without one."""
    if not isinstance(groups, Mapping):
        raise wrong("groups", "a dict", groups)
    seen: dict[str, float] = {}
    unknown = 0.0
    for rank, document in enumerate(ranking, 1):
        weight = 1 / math.log2(max(rank, 2))
        shares = _shares(document, groups)
        unknown += 0.0 if shares else weight
        for group, share in shares.items():
            seen[group] = seen.get(group, 0.0) + weight * share
    return seen, unknown


def _shares(document: str, groups: Groups) -> Mapping[str, float]:
    """The proportion of each group in a document; empty if none is known."""
    own = groups.get(document)
    if isinstance(own, Mapping):
        if own:
            _check_shares(own, f"the groups of document {document!r}")
        return own
    # A frame has NaN or pandas' NA where a document has no group.
    if own is None or type(own).__name__ == "NAType" or own != own:
        return {}
    return {text(own, "groups"): 1.0}


def _none_known(rankings: Sequence[Sequence[str]]) -> Exception:
    """The error where no document has a group, which names the first ones."""
    documents = [repr(document) for ranking in rankings for document in ranking]
    more = ", ..." if len(documents) > 3 else ""
    which = f"{', '.join(documents[:3])}{more}"
    message = f"expected a group for at least one document, found none for {which}"
    return failure("needs", f"{message}; are these the right ids?")


def _check_shares(shares: Mapping[str, float], what: str) -> None:
    total = sum(number(share, what) for share in shares.values())
    if any(share < 0 for share in shares.values()) or abs(total - 1) > 1e-9:
        raise failure(
            "option", f"expected shares of at least 0 that sum to 1 as {what}, found {total:g}"
        )
