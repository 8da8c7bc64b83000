"""What the hosts with {topic: {document: value}} have in common."""

from __future__ import annotations

import cranfield as cf
from cranfield.integrations.patching import nested_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from cranfield.evaluator import Evaluator


def as_pytrec_eval(
    qrels: dict[str, dict[str, int]], results: dict[str, dict[str, float]], names: Sequence[str]
) -> tuple[list[str], NDArray[np.float64]]:
    """The topics that pytrec_eval scores, and their values, shape (topics, names).

    Those of the run with judgments, in the order of the run; scores are
    compared in single precision.
    """
    nested_once(results, "score")
    judged = {topic: grades for topic, grades in nested_once(qrels, "grade").items() if grades}
    evaluator = cf.Evaluator(judged, names, scores="f32")
    return _values(evaluator, {"run": results}, filter(judged.__contains__, results), names)


def in_double(
    qrels: dict[str, dict[str, int]],
    results: dict[str, dict[str, float]],
    names: Sequence[str],
    *,
    given_order: bool,
) -> NDArray[np.float64]:
    """Values of every topic of a run, in its order, by scores in double precision.

    Equal scores by falling document id, or in the order of the dict. Raises
    ``KeyError`` for a topic without judgments, as the hosts do.
    """
    for topic in nested_once(results, "score"):
        if topic not in qrels:
            raise KeyError(topic)
    evaluator = cf.Evaluator(nested_once(qrels, "grade"), names)
    run: Any = {"run": results}
    if given_order and next(iter(evaluator.evaluate(run).notes.values())).ties:
        run = in_given_order(results)
    return _values(evaluator, run, results, names)[1]


def in_given_order(run: Mapping[str, Mapping[str, float]]) -> cf.Run:
    """A run as rankings in which equal scores stay in the order in which they come."""
    return cf.Run.from_rankings(
        {
            topic: sorted(scores, key=scores.__getitem__, reverse=True)
            for topic, scores in run.items()
        }
    )


def _values(
    evaluator: Evaluator, run: Any, topics: Iterable[str], names: Sequence[str]
) -> tuple[list[str], NDArray[np.float64]]:
    scores = evaluator.evaluate(run)
    rows = {topic: place for place, topic in enumerate(scores.topics)}
    columns = [evaluator.measures.index(cf.Measure(name)) for name in names]
    wanted = list(topics)
    values: NDArray[np.float64] = scores.values[0][:, columns]
    return wanted, values[[rows[topic] for topic in wanted]]
