"""BEIR's ``EvaluateRetrieval`` scored by cranfield.

In use::

    from cranfield.integrations import beir as hook
    with hook.patch():
        ndcg, _map, recall, precision = EvaluateRetrieval.evaluate(qrels, results, [1, 10])

The same four dicts with the same five decimals. Unusual input, such as a score
that is not finite, is scored by BEIR's own code over cranfield's pytrec_eval.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from cranfield.integrations import Patch, _fingerprints
from cranfield.integrations._dicts import (
    as_host,
    as_pytrec_eval,
    in_double,
    over_face,
    plain_scores,
    what_is_wrong,
)

Tables = tuple[dict[str, float], dict[str, float], dict[str, float], dict[str, float]]

TABLES = {"NDCG": "nDCG", "MAP": "AP", "Recall": "R", "P": "P"}
"""The four tables of ``evaluate`` and the measures in them."""

CUSTOM = {
    **dict.fromkeys(("mrr", "mrr@k", "mrr_cut"), ("MRR", "RR")),
    **dict.fromkeys(("recall_cap", "r_cap", "r_cap@k"), ("R_cap", "Rcap")),
    **dict.fromkeys(
        ("acc", "top_k_acc", "accuracy", "accuracy@k", "top_k_accuracy"), ("Accuracy", "Success")
    ),
}
"""What ``evaluate_custom`` is asked for, and the name and the measure of it."""


def _host() -> ModuleType:
    return import_module("beir.retrieval.evaluation")


@cache
def _as_beir() -> Callable[..., Tables]:
    """BEIR's own method over cranfield's pytrec_eval."""
    return over_face(_host().EvaluateRetrieval.evaluate, _host())


def evaluate(
    qrels: dict[str, dict[str, int]],
    results: dict[str, dict[str, float]],
    k_values: list[int],
    ignore_identical_ids: bool = True,
) -> Tables:
    """``EvaluateRetrieval.evaluate``: NDCG, MAP, Recall and P at each cutoff.

    Means over the topics of both, rounded to five decimals. With
    ``ignore_identical_ids`` a document of the topic's own id is taken out of
    ``results``, as BEIR does.

    Raises what BEIR raises: ``ZeroDivisionError`` if no topic is in both,
    ``AttributeError`` for what is not a dict, ``TypeError`` for dicts of another
    shape and for grades that are not ``int``, ``ValueError`` for a cutoff below 1.
    """
    plain = plain_scores(qrels, results, k_values) is not None
    if not plain or not any(map(qrels.get, results)):
        return as_host(
            lambda: _as_beir()(qrels, results, k_values, ignore_identical_ids),
            lambda: what_is_wrong(qrels, results),
        )
    if ignore_identical_ids:
        _host().logger.info(
            "For evaluation, we ignore identical query and document ids (default), please "
            "explicitly set ``ignore_identical_ids=False`` to ignore this."
        )
        for topic, scored in results.items():
            scored.pop(topic, None)
    names = [f"{measure}@{k}" for measure in TABLES.values() for k in k_values]
    topics, values = as_pytrec_eval(qrels, results, names)
    means = iter([round(sum(column) / len(topics), 5) for column in values.T.tolist()])
    ndcg, map_, recall, precision = (
        {f"{table}@{k}": next(means) for k in k_values} for table in TABLES
    )
    for table in (ndcg, map_, recall, precision):
        _host().logger.info("\n")
        for name, mean in table.items():
            _host().logger.info(f"{name}: {mean:.4f}")
    return ndcg, map_, recall, precision


def patch() -> Patch:
    """Puts ``evaluate`` into BEIR, and MRR, R_cap and Accuracy into ``evaluate_custom``.

    Hole stays BEIR's own, as do all methods of a BEIR that was not checked, of which a
    ``CranfieldWarning`` tells. Raises ``HostError`` if BEIR is not installed, has no such
    methods, or has others' in their place.
    """
    hook = Patch()
    if _fingerprints.variant("beir") is None:
        return hook
    owner = _host().EvaluateRetrieval
    before = owner.evaluate_custom
    _fingerprints.untouched(owner.evaluate, "EvaluateRetrieval.evaluate")
    _fingerprints.untouched(before, "EvaluateRetrieval.evaluate_custom")
    _as_beir()

    def evaluate_custom(
        qrels: dict[str, dict[str, int]],
        results: dict[str, dict[str, float]],
        k_values: list[int],
        metric: str,
    ) -> Any:
        name, measure = CUSTOM.get(metric.lower(), ("", ""))
        plain = name and plain_scores(qrels, results, k_values) is not None
        if not plain or not all(_relevant(qrels, topic, name) for topic in results):
            return as_host(
                lambda: before(qrels, results, k_values, metric),
                lambda: what_is_wrong(qrels, results),
            )
        values = in_double(qrels, results, [f"{measure}@{k}" for k in k_values], given_order=True)
        means = [round(sum(column) / len(qrels), 5) for column in values.T.tolist()]
        return {f"{name}@{k}": mean for k, mean in zip(k_values, means, strict=True)}

    hook.replace(owner, "evaluate", staticmethod(evaluate))
    hook.replace(owner, "evaluate_custom", staticmethod(evaluate_custom))
    return hook


def _relevant(qrels: dict[str, dict[str, int]], topic: str, name: str) -> bool:
    """Whether a topic has judgments, and for R_cap a relevant document, by which it divides."""
    grades = qrels.get(topic, {})
    return bool(grades) and (name != "R_cap" or max(grades.values()) > 0)
