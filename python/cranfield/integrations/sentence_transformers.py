"""The metrics of sentence-transformers' ``InformationRetrievalEvaluator`` by cranfield.

In use::

    from cranfield.integrations import sentence_transformers as hook
    with hook.patch():
        evaluator(model)

What stands before the metrics, embedding and search, is the host's and most of the time.
"""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

import cranfield as cf
from cranfield.integrations.patching import Patch, checked, types_as_hosts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSIONS = ("6.2.0",)
"""The versions of sentence-transformers that this module was checked with."""


def patch() -> Patch:
    """Puts cranfield into ``InformationRetrievalEvaluator.compute_metrics``.

    Lists whose ids are no text, or that hold a document twice or a score that is
    not finite, are scored by the host as before. Raises ``HostError`` for a
    version that was not checked.
    """
    checked("sentence-transformers", version("sentence-transformers"), VERSIONS)
    before = InformationRetrievalEvaluator.compute_metrics

    def compute_metrics(self: Any, queries_result_list: list[list[dict[str, Any]]]) -> Any:
        run = {
            topic: {hit["corpus_id"]: hit["score"] for hit in hits}
            for topic, hits in zip(self.queries_ids, queries_result_list, strict=False)
        }
        alike = len(run) == len(queries_result_list) and all(
            len(scored) == len(hits) and set(map(type, scored)) <= {str}
            for scored, hits in zip(run.values(), queries_result_list, strict=False)
        )
        if not run or not alike or not all(isinstance(topic, str) for topic in run):
            return before(self, queries_result_list)
        try:
            with types_as_hosts(lambda: run):
                return _metrics(self, run)
        except cf.Error as error:
            if error.kind != "number":
                raise
        return before(self, queries_result_list)

    hook = Patch()
    hook.replace(InformationRetrievalEvaluator, "compute_metrics", compute_metrics)
    return hook


def _metrics(host: Any, run: dict[str, dict[str, float]]) -> dict[str, dict[int, Any]]:
    """The six tables; equal scores by rising document id, AP divided by min(k, R)."""
    asked = {
        "accuracy@k": ("Success", host.accuracy_at_k),
        "precision@k": ("P", host.precision_recall_at_k),
        "recall@k": ("R", host.precision_recall_at_k),
        "ndcg@k": ("nDCG", host.ndcg_at_k),
        "mrr@k": ("RR", host.mrr_at_k),
        "map@k": ("aAP", host.map_at_k),
    }
    names = [f"{measure}@{k}" for measure, cutoffs in asked.values() for k in cutoffs]
    judged = {topic: dict.fromkeys(host.relevant_docs[topic], 1) for topic in run}
    evaluator = cf.Evaluator(judged, names, order="docno_asc")
    scores = evaluator.evaluate({"run": run})
    rows = {topic: place for place, topic in enumerate(scores.topics)}
    values = scores.values[0][[rows[topic] for topic in run]]
    column = {str(measure): place for place, measure in enumerate(evaluator.measures)}

    def mean(table: str, measure: str, k: int) -> Any:
        found = values[:, column[str(cf.Measure(f"{measure}@{k}"))]]
        if table in ("accuracy@k", "mrr@k"):
            return sum(found.tolist()) / len(host.queries)
        return np.mean(found)

    return {
        table: {k: mean(table, measure, k) for k in cutoffs}
        for table, (measure, cutoffs) in asked.items()
    }
