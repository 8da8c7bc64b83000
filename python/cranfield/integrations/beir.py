"""BEIR's ``EvaluateRetrieval`` scored by cranfield.

In use::

    from cranfield.integrations import beir as hook
    with hook.patch():
        ndcg, _map, recall, precision = EvaluateRetrieval.evaluate(qrels, results, [1, 10])

The same four dicts with the same five decimals.
"""

from __future__ import annotations

from importlib.metadata import version

from beir.retrieval import evaluation as host

from cranfield.integrations.dicts import as_pytrec_eval, in_double
from cranfield.integrations.patching import Patch, checked, nested_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSIONS = ("2.2.0",)
"""The versions of BEIR that this module was checked with."""

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


def evaluate(
    qrels: dict[str, dict[str, int]],
    results: dict[str, dict[str, float]],
    k_values: list[int],
    ignore_identical_ids: bool = True,
) -> tuple[dict[str, float], dict[str, float], dict[str, float], dict[str, float]]:
    """``EvaluateRetrieval.evaluate``: NDCG, MAP, Recall and P at each cutoff.

    Means over the topics of both, rounded to five decimals. With
    ``ignore_identical_ids`` a document of the topic's own id is taken out of
    ``results``, as BEIR does.

    Raises ``ZeroDivisionError`` if no topic is in both, as BEIR does,
    ``AttributeError`` for what is no dict, ``TypeError`` for dicts of another
    shape and ``cranfield.Error`` for a cutoff below 1, at which BEIR ends the
    interpreter.
    """
    if ignore_identical_ids:
        host.logger.info(
            "For evaluation, we ignore identical query and document ids (default), please "
            "explicitly set ``ignore_identical_ids=False`` to ignore this."
        )
        for topic, scored in nested_once(results, "score", AttributeError).items():
            scored.pop(topic, None)
    names = [f"{measure}@{k}" for measure in TABLES.values() for k in k_values]
    topics, values = as_pytrec_eval(qrels, results, names)
    if not topics:
        raise ZeroDivisionError("expected a topic in both qrels and results, found none")
    means = iter([round(sum(column) / len(topics), 5) for column in values.T.tolist()])
    ndcg, map_, recall, precision = (
        {f"{table}@{k}": next(means) for k in k_values} for table in TABLES
    )
    for table in (ndcg, map_, recall, precision):
        host.logger.info("\n")
        for name, mean in table.items():
            host.logger.info(f"{name}: {mean:.4f}")
    return ndcg, map_, recall, precision


def patch() -> Patch:
    """Puts ``evaluate`` into BEIR, and MRR, R_cap and Accuracy into ``evaluate_custom``.

    Hole stays BEIR's own. Raises ``HostError`` for a version of BEIR that was not
    checked.
    """
    checked("beir", version("beir"), VERSIONS)
    owner = host.EvaluateRetrieval
    before = owner.evaluate_custom

    def evaluate_custom(
        qrels: dict[str, dict[str, int]],
        results: dict[str, dict[str, float]],
        k_values: list[int],
        metric: str,
    ) -> Any:
        if metric.lower() not in CUSTOM:
            return before(qrels, results, k_values, metric)
        name, measure = CUSTOM[metric.lower()]
        if name == "R_cap":
            _all_relevant(qrels, nested_once(results, "score", AttributeError, AttributeError))
        values = in_double(qrels, results, [f"{measure}@{k}" for k in k_values], given_order=True)
        means = [round(sum(column) / len(qrels), 5) for column in values.T.tolist()]
        return {f"{name}@{k}": mean for k, mean in zip(k_values, means, strict=True)}

    hook = Patch()
    hook.replace(owner, "evaluate", staticmethod(evaluate))
    hook.replace(owner, "evaluate_custom", staticmethod(evaluate_custom))
    return hook


def _all_relevant(qrels: dict[str, dict[str, int]], results: dict[str, dict[str, float]]) -> None:
    """Raises ``ZeroDivisionError``, as BEIR does, for a topic without a relevant document."""
    for topic in results:
        if topic in qrels and not any(grade > 0 for grade in qrels[topic].values()):
            raise ZeroDivisionError(
                f"R_cap divides by the relevant documents, and topic {topic!r} has none"
            )
