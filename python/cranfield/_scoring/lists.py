"""One list at a time without a collection of topics, and rows of labels and scores by group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from cranfield._base.arrays import as_array
from cranfield._base.errors import failure
from cranfield._base.options import EVALUATING, numbers, one_of, wrong
from cranfield._core import ListScorer, grouped
from cranfield._measures.parse import MeasuresLike, as_measures, divided
from cranfield._scores.scores import Scores
from cranfield._scores.signature import Origin
from cranfield._scoring.ranked import compiled_with, evaluated

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

Id: TypeAlias = str | int


def score_list(
    retrieved: Iterable[Id],
    relevant: Iterable[Id] | Mapping[Any, float],
    measures: MeasuresLike = None,
    *,
    undefined: Literal["zero", "skip", "error", "one"] = "zero",
    duplicates: Literal["error", "first", "best", "place"] = "place",
    own: Id | None = None,
    lengths: Mapping[Any, float] | None = None,
) -> dict[str, float]:
    """Scores one ranking against the relevant documents.

    Parameters
    ----------
    retrieved
        The retrieved ids, best first: a list, a tuple or a one-dimensional array.
        Ids are text, or integers, which are read as their decimal text.
    relevant
        The relevant ids, as a list, a set or an array, each with grade 1 (an id
        counts once, however often it occurs); or {id: grade}.
    measures
        As for ``evaluate``. Text is the fastest: it is parsed once.
    undefined
        As for ``evaluate``: the value of 0/0, for instance if nothing is relevant.
    duplicates
        What to do with a repeated id in ``retrieved``: "place", it keeps its rank and gains
        nothing, so no measure exceeds its range; "first", it is removed ("best" is the same
        here); or "error".
    own
        An id to remove from ``retrieved`` before ranks are counted: that of the query
        itself, if queries are documents.
    lengths
        {id: number} for measures such as "R@tokens=4000": what each retrieved document costs, in
        the unit of the measures.

    Returns
    -------
    dict
        The value of each measure under its name, as ``Scores`` writes it: "nDCG@10" for "ndcg@10".

    Raises
    ------
    Error
        For a set, text or what was used up as ``retrieved``, for ids that are neither text
        nor integers or both (kind "type"), for a grade that is not a finite number
        ("number"), a measure that does not exist ("measure") or needs more than ids and
        grades ("needs"), an id twice under ``duplicates="error"`` ("duplicate").

    Examples
    --------
    >>> import cranfield as cf
    >>> cf.score_list(["d4", "d1", "d9"], {"d1", "d2"}, "P@3 R@3 RR")
    {'P@3': 0.3333333333333333, 'R@3': 0.5, 'RR': 0.5}

    """
    wanted: Any = measures
    try:
        scorer = _scorer(wanted, undefined, duplicates)
    except TypeError:
        # What has no hash: a list of measures, or no option.
        scorer = _scorer.__wrapped__(wanted, undefined, duplicates)
    return scorer.score(retrieved, relevant, own, lengths)


@lru_cache(maxsize=64)
def _scorer(measures: Any, undefined: Any, duplicates: Any) -> ListScorer:
    """The compiled measures; those that were asked for last are kept."""
    built_in, own = divided(as_measures(measures))
    if own:
        message = f"{own[0]} is a Python function of a collection: call evaluate"
        raise failure("needs", message)
    return ListScorer(built_in, undefined=undefined, duplicates=duplicates)


def evaluate_groups(
    y_true: ArrayLike,
    y_score: ArrayLike,
    measures: MeasuresLike = None,
    *,
    group: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    undefined: Literal["zero", "skip", "error", "one"] = "zero",
    ties: Literal["order", "average"] = "order",
) -> Scores:
    """Scores labels by group, as in learning to rank.

    Parameters
    ----------
    y_true
        The labels, which are used as grades: finite numbers of at least 0, shape (rows,), or
        (groups, documents) with one group per row.
    y_score
        The scores, of the same shape. Both are numpy arrays, tensors, or series of pandas or
        polars; contiguous arrays of float32 and float64 are read in place.
    measures
        As for ``evaluate``.
    group
        The number of rows of each group, in order, as in LightGBM.
    qid
        The group of each row, text or integers, as in XGBoost and CatBoost; the rows
        of a group must be contiguous.
    offsets
        Where each group begins, and where the last one ends: 0, ..., the number of rows, as
        ``group_ptr`` of XGBoost.
    undefined
        The value of 0/0 if a group has no relevant row, as for ``evaluate``.
        LightGBM, XGBoost and CatBoost's NDCG use "one".
    ties
        Equal scores stay in the "order" of the rows, as in LightGBM and XGBoost, or every order of
        them is equally likely and the value is the "average", as in scikit-learn.

    Returns
    -------
    Scores
        One run called "run". Its topics are the values of ``qid``, in byte order, or the
        indices of the groups from 0, padded with zeros so that they sort in order.

    Raises
    ------
    Error
        Kind "type" for what is no such array; "option" for none or several of ``group``,
        ``qid`` and ``offsets``, for groups that do not add up, and for a group whose rows
        are not contiguous; "number" for a label below 0 and for numbers that are not finite;
        everything else as ``evaluate``.

    """
    one_of("ties", ties, ("order", "average"))
    labels, scores = _column(y_true, "y_true"), _column(y_score, "y_score")
    if labels.shape != scores.shape:
        shapes = f"y_true of shape {labels.shape} and y_score of shape {scores.shape}"
        raise failure("type", f"expected a score for each label, found {shapes}")
    groups = _groups(labels.shape, {"group": group, "qid": qid, "offsets": offsets})
    qrels, run = grouped(labels.ravel(), scores.ravel(), *groups, ties == "average")
    given: dict[str, Any] = {"undefined": undefined, "ties": ties}
    compiled = as_measures(measures)
    core = compiled_with(qrels, compiled, given, hosted=False)
    origin = Origin(qrels, {**dict.fromkeys(EVALUATING), **given, "order": "input"})
    return Scores(evaluated(core, compiled, [run], given), origin)


def _column(values: Any, name: str) -> NDArray[np.floating]:
    """Numbers that the core reads in place: contiguous float32 or float64."""
    import numpy as np

    found = _array(values, name, "an array of numbers")
    if found.dtype not in (np.float32, np.float64):
        found = numbers(found, name)
    if found.ndim not in (1, 2):
        message = f"expected {name} of shape (rows,) or (groups, documents), found {found.shape}"
        raise failure("type", message)
    return np.require(found, requirements=("C", "A"))


def _array(values: Any, name: str, expected: str, dtype: Any = None) -> NDArray[Any]:
    """What numpy makes an array of in order."""
    import numpy as np

    try:
        if isinstance(values, (str, bytes, set, frozenset, dict)):
            raise TypeError(type(values).__name__)
        return np.asarray(as_array(values), dtype)
    except Exception as error:
        raise wrong(name, expected, values) from error


def _groups(shape: tuple[int, ...], given: dict[str, Any]) -> tuple[str, list[Any], object]:
    """How the groups are given, as what, and as errors show it."""
    named = [name for name, values in given.items() if values is not None]
    rows = shape[0]
    if len(shape) == 2:
        if named:
            raise failure("option", f"a matrix has a group in each row: leave {named[0]} out")
        return "group", [shape[1]] * rows, None
    if len(named) != 1:
        what = " and ".join(named) or "none of them"
        message = f"expected one of group, qid and offsets, found {what}"
        raise failure("option", f"{message}; one group of all rows is group=[{rows}]")
    name = named[0]
    return name, _listed(given[name], name), given[name]


def _listed(values: Any, name: str) -> list[Any]:
    """A column of ids or numbers as Python's own."""
    import numpy as np

    # A list of text and numbers would become text.
    array = _array(values, name, "an array", dtype=None if hasattr(values, "dtype") else object)
    if array.ndim != 1:
        raise failure("type", f"expected {name} of one dimension, found shape {array.shape}")
    return [value.item() if isinstance(value, np.generic) else value for value in array.tolist()]
