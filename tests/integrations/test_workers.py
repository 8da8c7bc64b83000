"""joblib, Ray and a DataLoader: their workers have pytrec_eval's face, and evaluators go to them.

Each is left out where it is not installed; ``make hosts`` installs them all.
"""

from __future__ import annotations

from typing import Any

import pytest
from cranfield.compat import pytrec_eval

EVALUATOR = pytrec_eval.RelevanceEvaluator({"1": {"a": 1}}, {"recip_rank"})
RUN = {"1": {"b": 1.0, "a": 0.5}}
EXPECTED = {"1": {"recip_rank": 0.5}}


def scored(evaluator: Any) -> Any:
    """What a worker does with an evaluator that was sent to it."""
    return evaluator.evaluate(RUN)


def test_joblib() -> None:
    joblib = pytest.importorskip("joblib")
    for backend in ("loky", "multiprocessing", "threading"):
        calls = (joblib.delayed(scored)(EVALUATOR) for _ in range(4))
        assert joblib.Parallel(n_jobs=2, backend=backend)(calls) == [EXPECTED] * 4, backend


def test_ray() -> None:
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        # A worker does not have the folder of this file in its path.
        remote = ray.remote(lambda evaluator, run: evaluator.evaluate(run))
        assert ray.get(remote.remote(EVALUATOR, RUN)) == EXPECTED
    finally:
        ray.shutdown()


def test_a_data_loader() -> None:
    data = pytest.importorskip("torch.utils.data")
    for context in ("fork", "spawn", "forkserver"):
        loader = data.DataLoader(
            Runs(), batch_size=None, num_workers=1, multiprocessing_context=context
        )
        assert list(loader) == [EXPECTED, EXPECTED], context


class Runs:
    """A data set that scores."""

    def __init__(self) -> None:
        self.evaluator = EVALUATOR

    def __len__(self) -> int:
        return 2

    def __getitem__(self, place: int) -> Any:
        return scored(self.evaluator)
