"""MTEB's scores of retrieval, mrr and nAUC with them, computed by cranfield.

In use::

    from cranfield.integrations import mteb as hook
    with hook.patch():
        mteb.evaluate(model, tasks)

``calculate_retrieval_scores`` is replaced as a whole: only a fifth of its time is
pytrec_eval. Unusual input, such as a score that is not finite, is scored by MTEB's
own code over cranfield's pytrec_eval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield._core import abstention_areas, list_confidence, scores_of_dicts
from cranfield.integrations import Patch, _fingerprints
from cranfield.integrations._dicts import (
    as_host,
    as_pytrec_eval,
    in_both,
    in_double,
    over_face,
    plain_scores,
    what_is_wrong,
)

Values = NDArray[np.float64]

GIVEN = "given order"
"""MRR and cv_recall leave equal scores in the order of the dict; otherwise by falling id."""

FILLED = "filled lists"
"""An empty list is an error."""

CV_RECALL = "cv_recall"
"""There is this in the place of hit rate."""

SKIPS = "skips"
"""``skip_first_result`` holds for all measures."""

SHARED = "shared"
"""Topics of equal confidence share their mean; otherwise they count as they come."""

FAMILIES = {"P": "P", "recall": "R", "ndcg_cut": "nDCG", "map_cut": "AP", "success": "Success"}
"""pytrec_eval's families in the order in which it gives them, and what they are here."""

TABLES = {"NDCG": "ndcg_cut", "MAP": "map_cut", "Recall": "recall", "P": "P"}
"""The tables that have an nAUC, in MTEB's order."""

RATES: Values = np.linspace(0, 1, 11)[:-1]
"""The proportions of topics that are abstained from."""


@cache
def _variant() -> frozenset[str] | None:
    """In what ways MTEB's function differs."""
    return _fingerprints.variant("mteb")


def _metrics() -> ModuleType:
    return import_module("mteb._evaluators.retrieval_metrics")


@cache
def _as_mteb() -> Callable[..., Any]:
    """MTEB's own function over cranfield's pytrec_eval."""
    return over_face(_metrics().calculate_retrieval_scores, _metrics())


def calculate_retrieval_scores(
    results: dict[str, dict[str, float]],
    qrels: dict[str, dict[str, int]],
    k_values: Sequence[int],
    skip_first_result: bool = False,
) -> Any:
    """``mteb``'s function: a ``RetrievalEvaluationResult`` with all of its tables.

    Raises what MTEB raises: ``KeyError`` for a topic of the results that has no
    judgments, ``IndexError`` for one whose judgments are empty,
    ``ZeroDivisionError`` if all are, ``TypeError`` for grades that are not ``int``,
    ``ValueError`` for a cutoff below 1.
    """
    variant = _variant()
    scores = plain_scores(qrels, results, k_values)
    plain = variant is not None and scores is not None and all(map(qrels.get, results))
    plain = plain and _plain_in(variant or frozenset(), results, qrels, skip_first_result)
    if not plain or scores is None or variant is None:
        return as_host(
            lambda: _as_mteb()(results, qrels, k_values, skip_first_result),
            lambda: what_is_wrong(qrels, results),
        )
    if skip_first_result:
        results = {
            topic: dict(sorted(scored.items(), key=lambda item: item[1], reverse=True)[1:])
            for topic, scored in results.items()
        }
        scores = np.asarray(scores_of_dicts(results.values()))
    rising = sorted(k_values)
    capped = CV_RECALL in variant
    families = {family: m for family, m in FAMILIES.items() if not capped or m != "Success"}
    keys = [f"{family}_{k}" for family in families for k in rising]
    names = [f"{measure}@{k}" for measure in families.values() for k in rising]
    doubles = [f"RR@{k}" for k in k_values]
    if capped:
        doubles += [f"Success@{k}" for k in k_values]
    if GIVEN in variant:
        values = as_pytrec_eval(qrels, results, names)[1]
        ranks = in_double(qrels, results, doubles, given_order=True)
    else:
        values, ranks = in_both(qrels, results, scores, names, doubles)
    by_key = dict(zip(keys, np.ascontiguousarray(values.T), strict=True))

    def mean(column: Values) -> float:
        found: float = round(sum(column.tolist()) / len(results), 5)
        return found

    def means(family: str, label: str) -> dict[str, float]:
        return {f"{label}@{k}": mean(by_key[f"{family}_{k}"]) for k in k_values}

    mrr = {f"MRR@{k}": column for k, column in zip(k_values, ranks.T, strict=False)}
    graded_by = {
        f"{label}@{k}": by_key[f"{family}_{k}"]
        for label, family in TABLES.items()
        for k in k_values
    }
    if capped:
        found = ranks.T[len(k_values) :]
        last = {f"CV_Recall@{k}": mean(column) for k, column in zip(k_values, found, strict=True)}
    else:
        last = means("success", "HitRate")
    sureness = list_confidence(scores, list(map(len, results.values())))
    confidence = dict(zip(("max", "std", "diff1"), sureness, strict=True))
    shared = SHARED in variant
    return _metrics().RetrievalEvaluationResult(
        all_scores={
            topic: dict(zip(keys, row, strict=True))
            for topic, row in zip(results, values.tolist(), strict=True)
        },
        ndcg=means("ndcg_cut", "NDCG"),
        map=means("map_cut", "MAP"),
        recall=means("recall", "Recall"),
        precision=means("P", "P"),
        naucs=_naucs(confidence, graded_by, shared=shared),
        mrr={name: sum(column.tolist()) / len(column) for name, column in mrr.items()},
        naucs_mrr=_naucs(confidence, mrr, shared=shared),
        **{"cv_recall" if capped else "hit_rate": last},
    )


def _plain_in(
    variant: frozenset[str],
    results: dict[str, dict[str, float]],
    qrels: dict[str, dict[str, int]],
    skip_first_result: bool,
) -> bool:
    """Whether what is given is plain to this variant of the function."""
    if skip_first_result and SKIPS not in variant:
        return False
    if FILLED in variant and not all(results.values()):
        return False
    # To cv_recall any grade but 0 is relevant.
    graded = (grade for topic in results for grade in qrels[topic].values())
    return CV_RECALL not in variant or min(graded) >= 0


def _naucs(
    confidence: dict[str, Values], metrics: dict[str, Values], *, shared: bool
) -> dict[str, float]:
    """The area under each abstention curve, between that of chance, 0, and of an oracle, 1.

    Gisserot-Boukhlef et al. (2024), Towards trustworthy reranking, equation 4.
    """
    sureness, table = (np.array(list(rows.values())) for rows in (confidence, metrics))
    areas = abstention_areas(table, sureness, RATES, shared)
    # Where an oracle could do no better than chance, MTEB has the NaN of Python.
    return {
        f"nAUC_{name}_{way}": np.nan if np.isnan(areas[row, column]) else areas[row, column]
        for column, name in enumerate(metrics)
        for row, way in enumerate(confidence)
    }


def patch() -> Patch:
    """Puts the function into MTEB, wherever it is called.

    A form of it that was not checked stays as it is, and a ``CranfieldWarning`` says so.
    Raises ``HostError`` if MTEB is not installed, has no such function, or has another's in
    its place.
    """
    hook = Patch()
    if _fingerprints.variant("mteb") is None:
        return hook
    metrics = _metrics()
    name = "calculate_retrieval_scores"
    _fingerprints.untouched(vars(metrics)[name], name)
    _as_mteb()
    for owner in (metrics, import_module("mteb._evaluators.retrieval_evaluator")):
        hook.replace(owner, name, calculate_retrieval_scores)
    return hook
