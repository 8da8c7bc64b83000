"""Measures for LightGBM and XGBoost, called after each round of training.

In use::

    from cranfield.integrations import boosting
    lightgbm.train(parameters, train, valid_sets=[valid], feval=boosting.feval("nDCG@5 AP"))
    xgboost.train(parameters, train, custom_metric=boosting.metric("nDCG@5"), evals=evals)

Neither host is imported. CatBoost has no groups in a metric of one's own: call
``cranfield.evaluate_groups`` after the fit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from cranfield._base.errors import failure
from cranfield._base.option_types import Undefined
from cranfield._measures.parse import MeasureLike, MeasuresLike, as_measures, as_single_measure
from cranfield._scoring.lists import evaluate_groups

__all__ = ["feval", "metric"]


def feval(
    measures: MeasuresLike, *, undefined: Undefined = "zero"
) -> Callable[[Any, Any], list[tuple[str, float, bool]]]:
    """A function for ``feval`` of LightGBM, which can be pickled.

    It takes predictions and a ``Dataset`` with groups, and returns name, mean over groups and
    whether more is better, for each measure. ``undefined="one"`` is LightGBM's own rule for
    groups without a relevant row. Raises ``Error`` for measures as ``evaluate`` does,
    and for a ``Dataset`` without groups (kind "needs").
    """
    return partial(_of_dataset, as_measures(measures), undefined)


def metric(
    measure: MeasureLike, *, undefined: Undefined = "zero"
) -> Callable[[Any, Any], tuple[str, float]]:
    """A function for ``custom_metric`` of XGBoost's ``train``, which can be pickled.

    It takes predictions and a ``DMatrix`` with groups, and returns name and mean over groups.
    Early stopping needs ``maximize=True`` there. ``XGBRanker`` calls a metric for each
    group and weighs it by documents: use ``train``. Raises ``Error`` for a measure as
    ``evaluate`` does, and for a ``DMatrix`` without groups (kind "needs").
    """
    return partial(_of_matrix, as_single_measure(measure), undefined)


def _of_dataset(
    measures: Any, undefined: Undefined, predictions: Any, data: Any
) -> list[tuple[str, float, bool]]:
    sizes = data.get_group()
    if sizes is None:
        raise failure("needs", "the Dataset has no groups: make it with group=")
    scores = evaluate_groups(
        data.get_label(), predictions, measures, group=sizes, undefined=undefined
    )
    means = zip(measures, scores.mean()[0].tolist(), strict=True)
    return [(str(measure), mean, measure.better == "higher") for measure, mean in means]


def _of_matrix(
    measure: Any, undefined: Undefined, predictions: Any, data: Any
) -> tuple[str, float]:
    offsets = data.get_uint_info("group_ptr")
    if len(offsets) < 2:
        raise failure("needs", "the DMatrix has no groups: make it with group= or qid=")
    scores = evaluate_groups(
        data.get_label(), predictions, measure, offsets=offsets, undefined=undefined
    )
    return str(measure), float(scores.mean()[0, 0])
