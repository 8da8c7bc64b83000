"""What the hosts with {topic: {document: value}} have in common."""

from __future__ import annotations

from itertools import chain
from operator import methodcaller

import numpy as np

import cranfield as cf
from cranfield._core import scores_of_dicts
from cranfield.integrations.patching import nested_once, types_as_hosts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from cranfield.evaluator import Evaluator
    from cranfield.scores import Scores


def as_pytrec_eval(
    qrels: dict[str, dict[str, int]], results: dict[str, dict[str, float]], names: Sequence[str]
) -> tuple[list[str], NDArray[np.float64]]:
    """The topics that pytrec_eval scores, and their values, shape (topics, names).

    Those of the run with judgments, in the order of the run; scores are
    compared in single precision.
    """
    _text_topics(nested_once(results, "score"))
    graded = _text_topics(nested_once(qrels, "grade", AttributeError))
    judged = {topic: grades for topic, grades in graded.items() if grades}
    evaluator = _compiled(judged, names, scores="f32")
    topics = [topic for topic in results if topic in judged]
    return topics, _values(evaluator, _scored(evaluator, results), topics, names)


def in_double(
    qrels: dict[str, dict[str, int]],
    results: dict[str, dict[str, float]],
    names: Sequence[str],
    *,
    given_order: bool,
) -> NDArray[np.float64]:
    """Values of every topic of a run, in its order, by scores in double precision.

    Equal scores by falling document id, or in the order of the dict. Raises
    ``KeyError`` for a topic without judgments and ``AttributeError`` for results
    that are no dict of dicts, as the hosts do.
    """
    nested_once(results, "score", AttributeError, AttributeError)
    _all_known(results, nested_once(qrels, "grade"))
    evaluator = _compiled(qrels, names, scores="f64")
    scores = _scored(evaluator, results)
    if given_order and _ties(scores):
        scores = evaluator.evaluate(in_given_order(results))
    return _values(evaluator, scores, results, names)


def in_both(
    qrels: dict[str, dict[str, int]],
    results: dict[str, dict[str, float]],
    single: Sequence[str],
    double: Sequence[str],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values of every topic of a run by scores in single and by those in double precision.

    Equal scores by falling document id. Raises ``KeyError`` for a topic that the
    judgments lack and ``IndexError`` for one of which they are empty.
    """
    _text_topics(nested_once(results, "score"))
    _all_known(results, _text_topics(nested_once(qrels, "grade", AttributeError)))
    lacking = next((topic for topic in results if not qrels[topic]), None)
    if lacking is not None:
        raise IndexError(f"expected judgments for every topic of the results, {lacking!r} has none")
    judged = {topic: grades for topic, grades in qrels.items() if grades}
    evaluator = _compiled(judged, [*single, *double], scores="f32")
    scores = _scored(evaluator, results)
    if _ties(scores) and not _are_single(results):
        by_double = in_double(judged, results, double, given_order=False)
    else:
        # Both precisions put the documents in one order.
        by_double = _values(evaluator, scores, results, double)
    return _values(evaluator, scores, results, single), by_double


def _compiled(qrels: dict[str, dict[str, int]], names: Sequence[str], *, scores: str) -> Evaluator:
    """An evaluator; raises ``TypeError`` for grades and ids of a wrong type."""
    with types_as_hosts(lambda: qrels):
        return cf.Evaluator(qrels, names, scores=scores)


def _scored(evaluator: Evaluator, results: dict[str, dict[str, float]]) -> Scores:
    """The scores of a run; raises ``TypeError`` for scores and ids of a wrong type."""
    with types_as_hosts(lambda: results):
        return evaluator.evaluate({"run": results})


def score_array(lists: Collection[Mapping[str, float]]) -> NDArray[np.float64]:
    """The scores of lists, one list behind the other."""
    plain = scores_of_dicts(lists)
    if plain is not None:
        return plain
    scores = chain.from_iterable(map(methodcaller("values"), lists))
    return np.fromiter(scores, np.float64, sum(map(len, lists)))


def in_given_order(run: Mapping[str, Mapping[str, float]]) -> cf.Run:
    """A run as rankings in which equal scores stay in the order in which they come."""
    return cf.Run.from_rankings(
        {
            topic: sorted(scores, key=scores.__getitem__, reverse=True)
            for topic, scores in run.items()
        }
    )


def _values(
    evaluator: Evaluator, scores: Scores, topics: Iterable[str], names: Sequence[str]
) -> NDArray[np.float64]:
    """The values of topics, shape (topics, names), in the order of both."""
    rows = {topic: place for place, topic in enumerate(scores.topics)}
    places = {measure: place for place, measure in enumerate(evaluator.measures)}
    columns = [places[cf.Measure(name)] for name in names]
    values: NDArray[np.float64] = scores.values[0]
    # Whole numbers as topics are text in the scores.
    return values[np.ix_([rows[str(topic)] for topic in topics], columns)]


def _ties(scores: Scores) -> int:
    """How many documents of a run have the score of another."""
    return next(iter(scores.notes.values())).ties


def _are_single(results: Mapping[str, Mapping[str, float]]) -> bool:
    """Whether every score is the same in single precision."""
    scores = score_array(results.values())
    return np.array_equal(scores, scores.astype(np.float32))


def _all_known(results: Iterable[str], qrels: Mapping[str, object]) -> None:
    for topic in results:
        if topic not in qrels:
            raise KeyError(topic)


def _text_topics(table: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """A table as it came; raises ``TypeError`` for a topic that is no text, as pytrec_eval does."""
    for topic in table:
        if not isinstance(topic, str):
            raise TypeError(f"expected topics as str, found {type(topic).__name__} {topic!r}")
    return table
