"""The metrics of sentence-transformers' ``InformationRetrievalEvaluator`` by cranfield.

In use::

    from cranfield.integrations import sentence_transformers as hook
    with hook.patch():
        evaluator(model)

Embedding and search come before the metrics; they stay the host's own, and take most of the time.
"""

from __future__ import annotations

from importlib import import_module
from numbers import Real
from typing import Any

import numpy as np

from cranfield._core import scores_of_dicts
from cranfield.integrations import Patch, _fingerprints
from cranfield.integrations._dicts import as_host, in_double, whole_cutoffs

GIVEN = "given order"
"""Before 6.0 equal scores stay in the order of the hits."""


def patch() -> Patch:
    """Puts cranfield into ``InformationRetrievalEvaluator.compute_metrics``.

    Unusual input, such as lists with ids that are not text, a document twice
    or a score that is not finite, is scored by the host as before. So is everything by a
    host that was not checked, and a ``CranfieldWarning`` says so. Raises ``HostError`` if
    the host is not installed, has no such method, or has another's in its place.
    """
    hook = Patch()
    variant = _fingerprints.variant("sentence_transformers")
    if variant is None:
        return hook
    owner = _owner()
    before = owner.compute_metrics
    _fingerprints.untouched(before, "InformationRetrievalEvaluator.compute_metrics")

    def compute_metrics(self: Any, queries_result_list: list[list[dict[str, Any]]]) -> Any:
        run = _plain_run(self, queries_result_list)
        if run is None:
            return as_host(
                lambda: before(self, queries_result_list),
                lambda: _what_is_wrong(queries_result_list),
            )
        return _metrics(self, run, given=GIVEN in variant)

    hook.replace(owner, "compute_metrics", compute_metrics)
    return hook


def _owner() -> Any:
    """The host's class, which has moved."""
    try:
        host = import_module("sentence_transformers.sentence_transformer.evaluation")
    except ModuleNotFoundError:
        host = import_module("sentence_transformers.evaluation")
    return host.InformationRetrievalEvaluator


def _plain_run(host: Any, lists: Any) -> dict[str, dict[str, float]] | None:
    """The lists of hits as a run, if all that the host is given is plain."""
    try:
        found = [{hit["corpus_id"]: hit["score"] for hit in hits} for hits in lists]
        once = sum(map(len, found)) == sum(map(len, lists))
    except (KeyError, TypeError):
        return None
    run = dict(zip(host.queries_ids, found, strict=False))
    relevant = [host.relevant_docs.get(topic) for topic in run]
    plain = (
        once
        and bool(run)
        and len(run) == len(found)
        and all(isinstance(topic, str) for topic in run)
        and all(isinstance(documents, set) and documents for documents in relevant)
        and all(isinstance(document, str) for documents in relevant for document in documents)
        and all(whole_cutoffs(given) is not None for given in _cutoffs(host).values())
        and scores_of_dicts(found) is not None
    )
    return run if plain else None


def _what_is_wrong(lists: Any) -> str | None:
    """What was expected of lists of hits and what was found, if it was not that."""
    expected = "expected {'corpus_id': ..., 'score': ...} as hit"
    if not isinstance(lists, list) or not all(isinstance(hits, list) for hits in lists):
        return "expected a list of hits for each query"
    for query, hits in enumerate(lists):
        for hit in hits:
            if not isinstance(hit, dict) or not {"corpus_id", "score"} <= hit.keys():
                return f"{expected} of query {query}, found {hit!r}"
            if not isinstance(hit["score"], Real):
                return f"expected a number as score of query {query}, found {hit['score']!r}"
    return None


def _cutoffs(host: Any) -> dict[tuple[str, str], Any]:
    """The tables, the measure in each, and their cutoffs."""
    return {
        ("accuracy@k", "Success"): host.accuracy_at_k,
        ("precision@k", "P"): host.precision_recall_at_k,
        ("recall@k", "R"): host.precision_recall_at_k,
        ("ndcg@k", "nDCG"): host.ndcg_at_k,
        ("mrr@k", "RR"): host.mrr_at_k,
        ("map@k", "aAP"): host.map_at_k,
    }


def _metrics(
    host: Any, run: dict[str, dict[str, float]], *, given: bool
) -> dict[str, dict[int, Any]]:
    """The six tables; AP divided by min(k, R).

    Equal scores by ascending document id, or in the given order.
    """
    asked = _cutoffs(host)
    names = [f"{measure}@{k}" for (_, measure), cutoffs in asked.items() for k in cutoffs]
    judged = {topic: dict.fromkeys(host.relevant_docs[topic], 1) for topic in run}
    values = in_double(judged, run, names, given_order=given, order="docno_asc")

    def mean(table: str, measure: str, k: int) -> Any:
        found = values[:, names.index(f"{measure}@{k}")]
        if table in ("accuracy@k", "mrr@k"):
            return sum(found.tolist()) / len(host.queries)
        return np.mean(found)

    return {
        table: {k: mean(table, measure, k) for k in cutoffs}
        for (table, measure), cutoffs in asked.items()
    }
