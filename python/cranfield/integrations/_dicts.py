"""What the hosts with {topic: {document: value}} have in common.

Plain dicts are scored here. Whatever else a host is given goes through the host's
own code over cranfield's pytrec_eval, so that it has the host's result or raises
what the host raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import FunctionType, ModuleType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import cranfield as cf
from cranfield._base.option_types import Order
from cranfield._core import scores_of_dicts
from cranfield._scores.scores import Scores
from cranfield._scoring.evaluator import Evaluator, Hosted
from cranfield._scoring.ranked import in_given_order
from cranfield.compat import pytrec_eval

T = TypeVar("T")

LARGEST_CUTOFF = 2**31 - 1
"""The largest cutoff that pytrec_eval reads."""

EXPLAINED = (AttributeError, IndexError, KeyError, TypeError, ValueError, ZeroDivisionError)
"""What hosts raise for wrong use."""


def plain_scores(qrels: Any, results: Any, k_values: Any) -> NDArray[np.float64] | None:
    """The scores of a run, one list after the other, if all that a host is given is plain.

    That is: dicts of dicts of text with grades that are ``int`` and finite
    scores, and different integers from 1 as cutoffs. ``None`` otherwise.
    """
    if not (isinstance(qrels, dict) and isinstance(results, dict) and results):
        return None
    if not whole_cutoffs(k_values):
        return None
    if not all(isinstance(topic, str) for table in (qrels, results) for topic in table):
        return None
    if scores_of_dicts(qrels.values(), whole=True) is None:
        return None
    return scores_of_dicts(results.values())


def whole_cutoffs(k_values: Any) -> list[int] | None:
    """Cutoffs as ``int``, if they are different integers from 1; ``None`` otherwise.

    A list, a tuple, a range, an array or a column of a data frame: anything with a length,
    of Python's or numpy's integers.
    """
    try:
        given = list(k_values) if len(k_values) else []
    except TypeError:
        return None
    if not all(type(k) is int or isinstance(k, np.integer) for k in given):
        return None
    cutoffs = [int(k) for k in given]
    plain = all(1 <= k <= LARGEST_CUTOFF for k in cutoffs) and len(set(cutoffs)) == len(cutoffs)
    return cutoffs if plain else None


def over_face(function: Callable[..., T], module: ModuleType) -> Callable[..., T]:
    """A function of a host unchanged, except that its ``pytrec_eval`` is cranfield's."""
    found: Any = function
    names = {**vars(module), "pytrec_eval": pytrec_eval}
    return FunctionType(found.__code__, names, found.__name__, found.__defaults__)


def as_host(call: Callable[[], T], explain: Callable[[], str | None]) -> T:
    """The result of a host's own code; what it raises has a note of what was expected.

    ``explain`` gives the sentence for it, if it knows what is wrong. Programs read the
    arguments of an exception, such as the topic of a ``KeyError``: these stay.
    """
    try:
        return call()
    except EXPLAINED as error:
        sentence = None if "xpected" in str(error) else explain()
        if sentence is not None:
            error.add_note(sentence)
        raise


def what_is_wrong(qrels: Any, results: Any) -> str | None:
    """What was expected of judgments and a run and what was found, if it was not that."""
    try:
        nested_once(results, "score")
        nested_once(qrels, "grade")
        if not results:
            return "expected a run with topics, found none"
        judged = {topic: grades for topic, grades in qrels.items() if grades}
        Hosted(judged, ["AP"]).evaluate({"run": results})
    except (TypeError, cf.Error) as wrong:
        return str(wrong)
    for topic in results:
        if not any(grade > 0 for grade in qrels.get(topic, {}).values()):
            return f"expected a relevant document for every topic of the run, {topic!r} has none"
    return None


def as_pytrec_eval(
    qrels: dict[str, dict[str, int]], results: dict[str, dict[str, float]], names: Sequence[str]
) -> tuple[list[str], NDArray[np.float64]]:
    """The topics that pytrec_eval scores, and their values, shape (topics, names).

    Those of the run with judgments, in the order of the run; scores are
    compared in single precision.
    """
    judged = {topic: grades for topic, grades in qrels.items() if grades}
    evaluator = Hosted(judged, names, scores="f32")
    topics = [topic for topic in results if topic in judged]
    return topics, _values(evaluator, evaluator.evaluate({"run": results}), topics, names)


def in_double(
    qrels: dict[str, dict[str, int]],
    results: dict[str, dict[str, float]],
    names: Sequence[str],
    *,
    given_order: bool,
    order: Order = "docno_desc",
) -> NDArray[np.float64]:
    """Values of every topic of a run, in its order, by scores in double precision.

    Equal scores by document id, or in the order of the dict.
    """
    evaluator = Hosted(qrels, names, order=order)
    scores = evaluator.evaluate({"run": results})
    if given_order and _ties(scores):
        scores = evaluator.evaluate(in_given_order(results))
    return _values(evaluator, scores, results, names)


def in_both(
    qrels: dict[str, dict[str, int]],
    results: dict[str, dict[str, float]],
    scores: NDArray[np.float64],
    single: Sequence[str],
    double: Sequence[str],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values of every topic of a run by its scores in single and by those in double precision.

    Equal scores by descending document id.
    """
    judged = {topic: grades for topic, grades in qrels.items() if grades}
    evaluator = Hosted(judged, [*single, *double], scores="f32")
    found = evaluator.evaluate({"run": results})
    if _ties(found) and not np.array_equal(scores, scores.astype(np.float32)):
        by_double = in_double(judged, results, double, given_order=False)
    else:
        # Both precisions put the documents in one order.
        by_double = _values(evaluator, found, results, double)
    return _values(evaluator, found, results, single), by_double


def _values(
    evaluator: Evaluator, scores: Scores, topics: Iterable[str], names: Sequence[str]
) -> NDArray[np.float64]:
    """The values of topics, shape (topics, names), in the order of both."""
    rows = {topic: place for place, topic in enumerate(scores.topics)}
    places = {measure: place for place, measure in enumerate(evaluator.measures)}
    columns = [places[cf.Measure(name)] for name in names]
    values: NDArray[np.float64] = scores.values[0]
    return values[np.ix_([rows[topic] for topic in topics], columns)]


def _ties(scores: Scores) -> int:
    """How many documents of a run have the score of another."""
    return next(iter(scores.notes.values())).ties


def nested_once(table: Any, value: str) -> dict[str, dict[str, Any]]:
    """A dict as it came, if it is {topic: {document: value}}.

    Raises ``TypeError`` for anything else, such as a run under its name, which
    other parts of cranfield would take as several.
    """
    if not isinstance(table, dict):
        raise TypeError(f"expected {{topic: {{document: {value}}}}}, found {_kind(table)}")
    for topic, inner in table.items():
        if not isinstance(inner, dict):
            raise TypeError(
                f"expected {{document: {value}}} for topic {topic!r}, found {_kind(inner)}"
            )
        for document, found in inner.items():
            if isinstance(found, (dict, str)):
                raise TypeError(
                    f"expected a {value} for document {document!r} of topic {topic!r}, "
                    f"found {_kind(found)}"
                )
            break
    return table


def _kind(found: object) -> str:
    return f"an object of type {type(found).__name__}"
