"""Tensors of other libraries: the scores are those of the numpy array with the same numbers."""

from __future__ import annotations

from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import stats
from cranfield._base.arrays import as_array

QRELS = {"0": {"3": 1, "5": 2}, "1": {"1": 1}}
DOCS = np.array([[3, 4, 5], [7, 1, 2]])
SCORES = np.array([[0.5, 0.9, 0.1], [0.5, 0.25, 0.75]], dtype=np.float32)


class Tensor:
    """What hands over an array by DLPack and in no other way, as cupy does."""

    def __init__(self, array: Any, device: tuple[int, int] = (1, 0)) -> None:
        self._array = array
        self._device = device

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("implicit conversion to a numpy array is not allowed")


class OnGpu(Tensor):
    """The same in memory that has to be copied first."""

    def __init__(self, array: Any) -> None:
        super().__init__(array, (2, 0))

    def get(self) -> Any:
        return self._array


def libraries() -> dict[str, Any]:
    """What makes a tensor in each library that is there."""
    found: dict[str, Any] = {"dlpack": Tensor, "gpu": OnGpu}
    try:
        import torch
    except ImportError:
        pass
    else:
        found["torch"] = torch.tensor
    try:
        import jax.numpy
    except ImportError:
        pass
    else:
        found["jax"] = jax.numpy.asarray
    return found


@pytest.mark.parametrize("library", libraries())
def test_runs_of_tensors(library: str) -> None:
    make = libraries()[library]
    docs, scores = make(DOCS.astype(np.int32)), make(SCORES)
    topics = make(np.array([0, 1], dtype=np.int32))
    expected = cf.evaluate(QRELS, cf.Run.from_topk([0, 1], DOCS, SCORES), "AP RR nDCG")
    for run in (cf.Run.from_topk(["0", "1"], docs, scores), cf.Run.from_topk(topics, docs, scores)):
        assert cf.evaluate(QRELS, run, "AP RR nDCG").values.tobytes() == expected.values.tobytes()
    flat = cf.Run.from_arrays(
        make(np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)),
        make(DOCS.astype(np.int32).ravel()),
        make(SCORES.ravel()),
    )
    assert cf.evaluate(QRELS, flat, "AP RR nDCG").values.tobytes() == expected.values.tobytes()


@pytest.mark.parametrize("library", libraries())
def test_statistics_of_tensors(library: str) -> None:
    make = libraries()[library]
    values = np.array([[0.5, 0.25, 1.0, 0.0], [0.75, 0.5, 1.0, 0.5]], dtype=np.float32)
    assert stats.t_test(make(values)).pvalue == stats.t_test(values).pvalue
    assert stats.kendall(make(values[0]), make(values[1])) == stats.kendall(values[0], values[1])


def test_memory_of_the_processor_is_read_in_place() -> None:
    array = np.arange(4.0)
    found = as_array(Tensor(array))
    assert np.shares_memory(found, array)
    assert as_array(array) is array
    assert as_array([1, 2]) == [1, 2]
