"""Whether a system follows instructions: p-MRR and robustness.

>>> import cranfield as cf
>>> before = {"1": {"a": 3, "b": 2, "c": 1}}
>>> after = {"1": {"b": 3, "c": 2, "a": 1}}
>>> cf.instructions.p_mrr(before, after, {"1": ["a"]})
{'1': 0.6666666666666667}

Both are those of MTEB.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from cranfield._base.errors import failure
from cranfield._base.options import checked, hashable
from cranfield._base.scores_like import sign
from cranfield._io.inputs import RunsLike, as_run, load
from cranfield._scores.scores import Scores

__all__ = ["p_mrr", "robustness"]


@checked
def p_mrr(
    before: RunsLike, after: RunsLike, withdrawn: Mapping[str, Iterable[str]]
) -> dict[str, float]:
    """How far documents fell whose relevance an instruction took away.

    A document at rank r that goes to rank s counts 1 - r/s if it falls and
    s/r - 1 if it rises: 1 is the best, 0 says that nothing changed. A document
    that a list lacks stands below its end. Its topic has the mean over its
    documents; the mean over topics is what is reported.

    Parameters
    ----------
    before, after
        One run each, in any form that ``evaluate`` takes: without and with the
        instruction, under the same topics.
    withdrawn
        For each topic the documents that stop being relevant; at least one.

    Returns
    -------
    dict
        Topic to p-MRR, from -1 to 1, in the order of ``withdrawn``.

    Raises
    ------
    Error
        For a topic without documents, or that a run lacks (kind "topics"), and
        whatever reading a run raises.

    Notes
    -----
    Weller et al. (2025), FollowIR: evaluating and teaching information
    retrieval models to follow instructions, NAACL.

    """
    ranks = [_ranks(run, name) for run, name in ((before, "before"), (after, "after"))]
    found = {}
    for topic, documents in withdrawn.items():
        moves = []
        for document in documents:
            for name, lists in zip(("before", "after"), ranks, strict=True):
                if topic not in lists:
                    raise failure("topics", f"expected topic {topic!r} in {name}, found none")
            old, new = (lists[topic].get(document, len(lists[topic]) + 1) for lists in ranks)
            moves.append(new / old - 1 if new <= old else 1 - old / new)
        if not moves:
            raise failure("topics", f"expected documents for topic {topic!r}, found none")
        found[topic] = sum(moves) / len(moves)
    return found


@checked
def robustness(
    scores: Scores, query: Callable[[str], str] = lambda topic: topic.split("_")[0]
) -> NDArray[np.float64]:
    """The mean over queries of the worst value under any of its instructions.

    The worst is the highest where lower is better, else the lowest.

    Parameters
    ----------
    scores
        Where each topic is a query with an instruction.
    query
        The query of a topic: what stands before the first underscore, if not
        given.

    Returns
    -------
    NDArray
        float64, shape (runs, measures); of ``nDCG@10`` it is MTEB's
        robustness@10.

    Notes
    -----
    Oh et al. (2024), INSTRUCTIR: a benchmark for instruction following of
    information retrieval models, arXiv 2402.14334. Topics that a value leaves
    out as undefined are left out here too.

    """
    queries: dict[str, list[int]] = {}
    for place, topic in enumerate(scores.topics):
        queries.setdefault(hashable(query(topic), "query"), []).append(place)
    turned = np.array([sign(measure) for measure in scores.core.measures], dtype=np.float64)
    better = scores.values * turned
    worst = np.array([np.fmin.reduce(better[:, own], axis=1) for own in queries.values()])
    values: NDArray[np.float64] = np.nanmean(worst, axis=0) * turned
    return values


def _ranks(source: RunsLike, name: str) -> dict[str, dict[str, int]]:
    """Topic to document to rank in a run, scores descending, then ids descending."""
    lists = load(as_run(source, what=f" as {name}"), {}).to_dict()
    return {
        topic: {
            document: rank
            for rank, (document, _) in enumerate(
                sorted(
                    scored.items(),
                    key=lambda item: (item[1], item[0].encode("utf-8", "surrogateescape")),
                    reverse=True,
                ),
                1,
            )
        }
        for topic, scored in lists.items()
    }
