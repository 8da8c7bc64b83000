"""LlamaIndex's registry of metrics with measures of ours: values are those of ``score_list``.

The whole file is skipped where the host is not installed; ``make hosts`` runs it, and
``docs/howto/hosts/rag.md``.
"""

from __future__ import annotations

import cranfield as cf
import pytest
from cranfield.integrations import llama_index as hook

METRICS = pytest.importorskip("llama_index.core.evaluation.retrieval.metrics")
REGISTRY: dict[str, type] = METRICS.METRIC_REGISTRY


def test_registered_measures_are_found_by_name_and_taken_out() -> None:
    before = dict(REGISTRY)
    patch = hook.register("ndcg@10 AP")
    assert set(REGISTRY) - set(before) == {"nDCG@10", "AP"}
    with hook.register("AP", undefined="skip"):
        assert REGISTRY["AP"]().compute(expected_ids=[], retrieved_ids=["a"]).score != 0.0
    assert REGISTRY["AP"]().compute(expected_ids=[], retrieved_ids=["a"]).score == 0.0
    patch.restore()
    assert before == REGISTRY


@pytest.mark.parametrize(
    ("found", "value"),
    # Precisions 1/2 and 2/3 at the relevant ids; one relevant id of two at rank 1, thrice; none.
    [("dabc", (1 / 2 + 2 / 3) / 2), ("aaa", 1 / 2), ("", 0.0)],
)
def test_values(found: str, value: float) -> None:
    with hook.register("AP"):
        result = REGISTRY["AP"]().compute("query", ["a", "b"], list(found))
    assert result.score == cf.score_list(list(found), ["a", "b"], "AP")["AP"]
    assert result.score == pytest.approx(value, abs=1e-15)


def test_the_hosts_own_metrics_agree_without_repeated_ids() -> None:
    pairs = {"hit_rate": "Success@5", "mrr": "RR", "recall": "SetR", "precision": "SetP"}
    pairs |= {"ap": "AP", "ndcg": "nDCG"}
    with hook.register(list(pairs.values())):
        for theirs, ours in pairs.items():
            for found in (["d", "a", "b", "c"], ["a"], ["c", "d", "b"]):
                scores = [
                    REGISTRY[name]().compute(expected_ids=["a", "b"], retrieved_ids=found).score
                    for name in (theirs, ours)
                ]
                assert scores[0] == pytest.approx(scores[1], abs=1e-12), (theirs, found)


def test_lists_that_are_not_there_or_have_no_order() -> None:
    metric = hook.metric("AP")()
    with pytest.raises(cf.Error, match="AP needs expected_ids and retrieved_ids, found no retr"):
        metric.compute("query", ["a"], None, ["a text"], ["a text"])
    with pytest.raises(cf.Error, match="found no expected_ids"):
        metric.compute("query", retrieved_ids=["a"])
    with pytest.raises(cf.Error, match="found set"):
        metric.compute("query", ["a"], {"a"})
