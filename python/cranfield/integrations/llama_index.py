"""Measures under LlamaIndex's names of metrics, for its ``RetrieverEvaluator``.

In use::

    from cranfield.integrations import llama_index as hook
    hook.register("nDCG@10 R@10")
    evaluator = RetrieverEvaluator.from_metric_names(["nDCG@10", "R@10"], retriever=retriever)

The host's own metrics stay as they are. ``register(...).restore()`` takes ours out.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from cranfield._base.errors import failure
from cranfield._base.option_types import Undefined
from cranfield._measures.parse import MeasureLike, MeasuresLike, as_measures, as_single_measure
from cranfield._scoring.lists import score_list
from cranfield.integrations import HostError, Patch

__all__ = ["metric", "register"]


def register(measures: MeasuresLike = None, *, undefined: Undefined = "zero") -> Patch:
    """Puts measures into LlamaIndex's ``METRIC_REGISTRY``, each under its name.

    The name is the one that ``str(measure)`` gives: "nDCG@10", also for "ndcg@10". Raises
    as ``metric`` does.
    """
    registry = _host("metrics").METRIC_REGISTRY
    metrics = [metric(measure, undefined=undefined) for measure in as_measures(measures)]
    patch = Patch()
    for made in metrics:
        name = made.metric_name
        if name in registry:
            patch.on_restore(partial(registry.__setitem__, name, registry[name]))
        else:
            patch.on_restore(partial(registry.pop, name, None))
        registry[name] = made
    return patch


def metric(measure: MeasureLike, *, undefined: Undefined = "zero") -> type[Any]:
    """A class of metrics for LlamaIndex, made without arguments: ``metric("nDCG@10")()``.

    ``compute`` scores ids as ``cranfield.score_list`` does: nothing retrieved is 0, an id that
    comes again gains nothing, and ``undefined`` is for scores of 0/0. Without either list
    of ids it raises ``Error`` (kind "needs").

    Raises ``HostError`` if LlamaIndex is not installed, and ``Error`` for a measure that does
    not exist (kind "measure") or needs more than ids and grades ("needs").
    """
    known = as_single_measure(measure)
    name = str(known)
    score_list([], ["any"], known)  # A measure that no list can have is refused here.
    base = _host("metrics_base")

    class Metric(base.BaseRetrievalMetric):  # type: ignore[name-defined]
        metric_name = name

        def compute(
            self,
            query: str | None = None,
            expected_ids: list[str] | None = None,
            retrieved_ids: list[str] | None = None,
            expected_texts: list[str] | None = None,
            retrieved_texts: list[str] | None = None,
            **_: object,
        ) -> Any:
            """The score of the retrieved ids; of queries and texts it knows nothing."""
            if expected_ids is None or retrieved_ids is None:
                absent = "expected_ids" if expected_ids is None else "retrieved_ids"
                message = f"{name} needs expected_ids and retrieved_ids, found no {absent}"
                raise failure("needs", message)
            scores = score_list(retrieved_ids, expected_ids, known, undefined=undefined)
            return base.RetrievalMetricResult(score=scores[name])

    return Metric


def _host(module: str) -> Any:
    """A module of LlamaIndex's retrieval evaluation."""
    try:
        return import_module(f"llama_index.core.evaluation.retrieval.{module}")
    except ModuleNotFoundError as error:
        raise HostError(
            f"expected LlamaIndex to be installed, found no {error.name}: "
            "pip install llama-index-core"
        ) from error
