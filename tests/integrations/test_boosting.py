"""LightGBM, XGBoost, CatBoost and scikit-learn: values as theirs, and functions that they call.

Oracles: what the hosts themselves print of models that they trained.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield.integrations import boosting

RNG = np.random.default_rng(3)
SIZES = RNG.integers(1, 25, 60)
ROWS = int(SIZES.sum())
QID = np.repeat(np.arange(len(SIZES)), SIZES)
LABELS = np.where(np.isin(QID, [5, 17, 40]), 0, RNG.integers(0, 4, ROWS) * RNG.integers(0, 2, ROWS))
FEATURES = np.stack([LABELS + RNG.normal(0, 2, ROWS), RNG.integers(0, 3, ROWS)], axis=1)
EXP = 'nDCG(dcg="exp-log2")@5'


def mean(scores: Any, measure: str, labels: Any = LABELS, **options: Any) -> float:
    """Our mean over the groups."""
    return float(cf.evaluate_groups(labels, scores, measure, group=SIZES, **options).mean()[0, 0])


def test_nothing_is_imported() -> None:
    code = "import sys; import cranfield.integrations.boosting; print(*sys.modules)"
    modules = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not {"lightgbm", "xgboost", "catboost"} & set(modules.stdout.split())


def test_what_lightgbm_prints() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    data = lightgbm.Dataset(FEATURES, LABELS, group=SIZES, free_raw_data=False)
    printed: dict[str, Any] = {}
    options = {"objective": "lambdarank", "metric": ["ndcg", "map"], "eval_at": [5], "verbose": -1}
    model = lightgbm.train(
        {**options, "num_leaves": 4, "min_data_in_leaf": 5},
        data,
        4,
        valid_sets=[data],
        valid_names=["own"],
        feval=boosting.feval([EXP, "aAP@5"], undefined="one"),
        callbacks=[lightgbm.record_evaluation(printed)],
    )
    own = printed["own"]
    np.testing.assert_allclose(own[EXP], own["ndcg@5"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(own["aAP@5"], own["map@5"], rtol=0, atol=1e-12)
    raw = model.predict(FEATURES, raw_score=True)
    assert mean(raw, EXP, undefined="one") == pytest.approx(own["ndcg@5"][-1], abs=1e-12)
    assert mean(raw, EXP) < own["ndcg@5"][-1]


def test_what_xgboost_prints() -> None:
    xgboost = pytest.importorskip("xgboost")
    graded, binary = LABELS, np.minimum(LABELS, 1)
    printed = {}
    for labels, names in ((graded, ["ndcg@5", "ndcg@5-"]), (binary, ["map@5", "map@5-", "pre@5"])):
        data = xgboost.DMatrix(FEATURES, labels, qid=QID)
        results: dict[str, Any] = {}
        options = {"objective": "rank:pairwise", "eval_metric": names, "max_depth": 2, "nthread": 1}
        model = xgboost.train(
            options,
            data,
            3,
            evals=[(data, "own")],
            evals_result=results,
            custom_metric=boosting.metric("AP"),
            verbose_eval=False,
        )
        raw = model.predict(data, output_margin=True)
        printed.update(results["own"])
        assert results["own"]["AP"][-1] == pytest.approx(mean(raw, "AP", labels), abs=1e-6)
        ours = {
            "ndcg@5": (EXP, "one"),
            "ndcg@5-": (EXP, "zero"),
            "map@5": ("aAP@5", "one"),
            "map@5-": ("aAP@5", "zero"),
            # Divided by the number of rows where a group has fewer than five.
            "pre@5": ("SetP@5", "zero"),
        }
        for name in names:
            measure, undefined = ours[name]
            found = mean(raw, measure, labels, undefined=undefined)
            assert found == pytest.approx(printed[name][-1], abs=1e-6), name


def test_what_catboost_prints() -> None:
    utils = pytest.importorskip("catboost.utils")
    scores = RNG.normal(size=ROWS) + LABELS
    binary = np.minimum(LABELS, 1)
    for name, measure, labels, undefined in (
        ("NDCG:top=5;type=Exp", EXP, LABELS, "one"),
        ("NDCG:top=5;type=Base", "nDCG@5", LABELS, "one"),
        ("MAP:top=5", "aAP@5", binary, "zero"),
        ("MRR:top=5", "RR@5", binary, "zero"),
    ):
        (printed,) = utils.eval_metric(labels, scores, name, group_id=QID)
        assert mean(scores, measure, labels, undefined=undefined) == pytest.approx(
            printed, abs=1e-6
        )


def test_what_scikit_learn_says() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    labels, scores = RNG.integers(0, 3, (30, 8)), RNG.integers(0, 4, (30, 8)) / 2
    labels[7] = 0
    for k in (1, 3, 8):
        ours = cf.evaluate_groups(labels, scores, f"nDCG@{k}", ties="average").mean().item()
        assert metrics.ndcg_score(labels, scores, k=k) == pytest.approx(ours, abs=1e-12)


def dataset(group: Any) -> Any:
    """What the hosts' objects say of themselves."""
    return SimpleNamespace(
        get_label=lambda: LABELS.astype(np.float32),
        get_group=lambda: group,
        get_uint_info=lambda name: np.array([] if group is None else [0, *np.cumsum(group)]),
    )


def test_functions_say_name_mean_and_direction() -> None:
    scores = RNG.normal(size=ROWS)
    found = pickle.loads(pickle.dumps(boosting.feval("nDCG@5 E", undefined="zero")))
    (ndcg, error) = found(scores, dataset(SIZES))
    assert ndcg == ("nDCG@5", mean(scores, "nDCG@5"), True)
    assert error == ("E", mean(scores, "E"), False)
    of_matrix = pickle.loads(pickle.dumps(boosting.metric("nDCG@5")))
    assert of_matrix(scores, dataset(SIZES)) == ndcg[:2]


def test_what_a_function_cannot_score_is_refused() -> None:
    with pytest.raises(cf.Error, match="the Dataset has no groups: make it with group="):
        boosting.feval("AP")(np.zeros(ROWS), dataset(None))
    with pytest.raises(cf.Error, match="the DMatrix has no groups"):
        boosting.metric("AP")(np.zeros(ROWS), dataset(None))
    with pytest.raises(cf.Error, match="expected one measure, found 2"):
        boosting.metric("AP RR")
    with pytest.raises(cf.Error, match="unknown measure"):
        boosting.feval("XP")
