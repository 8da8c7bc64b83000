"""Sessions: sDCG.

The oracles are the evaluator's own DCG and arithmetic next to the data.
"""

from __future__ import annotations

import math

import cranfield as cf
import pytest
from cranfield import sessions


def test_sdcg_by_hand() -> None:
    # 3/(1 * 1) + 1/(log2(3) * 1) + 1/(1 * log4(5))
    expected = 3 + 1 / math.log2(3) + 1 / math.log(5, 4)
    assert sessions.sdcg([[2, 1], [1, -1, 0]]) == pytest.approx(expected, abs=1e-12)
    assert sessions.sdcg([[2, 1], [1]], k=1) == pytest.approx(3 + 1 / math.log(5, 4), abs=1e-12)
    assert sessions.sdcg([]) == 0


def test_sdcg_of_one_query_is_dcg() -> None:
    qrels = {"1": {"a": 3, "b": 1, "c": 2, "d": 0}}
    run = cf.Run.from_rankings({"1": ["c", "x", "a", "d", "b"]})
    grades = [2, 0, 3, 0, 1]
    for k in (1, 3, 10):
        dcg, ndcg = cf.evaluate(
            qrels, run, f'DCG(dcg="exp-log2")@{k} nDCG(dcg="exp-log2")@{k}'
        ).values.ravel()
        assert sessions.sdcg([grades], k=k) == pytest.approx(dcg, abs=1e-12)
        found = sessions.nsdcg([grades], list(qrels["1"].values()), k=k)
        assert found == pytest.approx(ndcg, abs=1e-12)


def test_the_ideal_session_is_1() -> None:
    assert sessions.nsdcg([[3, 1, 1], [3, 1, 1]], [1, 0, 3, -1, 1]) == pytest.approx(1)
    assert sessions.nsdcg([[0]], [0, 0]) == 0


@pytest.mark.parametrize("wrong", [{"base": 1}, {"query": 0.5}, {"k": 0}])
def test_what_sessions_refuse(wrong: dict[str, float]) -> None:
    with pytest.raises(cf.Error, match="expected a") as error:
        sessions.sdcg([[1]], **wrong)  # type: ignore[arg-type]
    assert error.value.kind == "option"
