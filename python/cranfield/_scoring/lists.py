"""One list at a time, without a collection of topics."""

from __future__ import annotations

from functools import lru_cache

from cranfield._base.errors import failure
from cranfield._core import ListScorer
from cranfield._measures.parse import as_measures, divided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Literal, TypeAlias

    from cranfield._measures.parse import MeasuresLike

    Id: TypeAlias = str | int


def score_list(
    retrieved: Iterable[Id],
    relevant: Iterable[Id] | Mapping[Any, float],
    measures: MeasuresLike = None,
    *,
    undefined: Literal["zero", "skip", "error"] = "zero",
    duplicates: Literal["error", "first", "best", "place"] = "place",
    own: Id | None = None,
) -> dict[str, float]:
    """Scores one ranked list against what is relevant.

    Parameters
    ----------
    retrieved
        The ids that were retrieved, the best first: a list, a tuple, an array of one
        dimension. Ids are text, or whole numbers, which are read as their decimal text.
    relevant
        The ids that are relevant, as a list, a set or an array, each of grade 1 (an id
        counts once, however often it is there); or {id: grade}.
    measures
        As for ``evaluate``. Text is the fastest: it is parsed once.
    undefined
        As for ``evaluate``: what a score of 0/0 becomes, for instance where nothing is relevant.
    duplicates
        An id twice in ``retrieved``: "place", it keeps its rank and gains nothing, so that no
        measure rises above its range; "first", it is taken out ("best" is the same here); or
        an "error".
    own
        An id that is taken out of ``retrieved`` before ranks are counted: that of the query
        itself, where queries are documents.

    Returns
    -------
    dict
        The value of each measure under its name, as ``Scores`` writes it: "nDCG@10" for "ndcg@10".

    Raises
    ------
    Error
        For a set, text or what was used up as ``retrieved``, for ids that are neither text
        nor whole numbers or both (kind "type"), for a grade that is not a finite number
        ("number"), a measure that does not exist ("measure") or needs more than ids and
        grades ("needs"), an id twice under ``duplicates="error"`` ("duplicate").

    Examples
    --------
    >>> cf.score_list(["d4", "d1", "d9"], {"d1", "d2"}, "P@3 R@3 RR")
    {'P@3': 0.3333333333333333, 'R@3': 0.5, 'RR': 0.5}

    """
    wanted: Any = measures
    try:
        scorer = _scorer(wanted, undefined, duplicates)
    except TypeError:
        # What has no hash: a list of measures, or no option.
        scorer = _scorer.__wrapped__(wanted, undefined, duplicates)
    return scorer.score(retrieved, relevant, own)


@lru_cache(maxsize=64)
def _scorer(measures: Any, undefined: Any, duplicates: Any) -> ListScorer:
    """The compiled measures; those that were asked for last are kept."""
    built_in, own = divided(as_measures(measures))
    if own:
        message = f"{own[0]} is a Python function of a collection: call evaluate"
        raise failure("needs", message)
    return ListScorer(built_in, undefined=undefined, duplicates=duplicates)
