"""LlamaIndex's registry of metrics with measures of ours: values are those of ``score_list``.

The host itself runs where it is installed (``make hosts``); ``docs/howto/hosts/rag.md`` is run
there too.
"""

from __future__ import annotations

import sys
from typing import Any

import cranfield as cf
import pytest
from cranfield.integrations import HostError
from cranfield.integrations import llama_index as hook


@pytest.fixture
def registry() -> dict[str, Any]:
    """The host's registry."""
    found = pytest.importorskip("llama_index.core.evaluation.retrieval.metrics").METRIC_REGISTRY
    assert isinstance(found, dict)
    return found


def test_registered_measures_are_found_by_name_and_taken_out(registry: dict[str, Any]) -> None:
    before = dict(registry)
    patch = hook.register("ndcg@10 AP")
    assert set(registry) - set(before) == {"nDCG@10", "AP"}
    with hook.register("AP", undefined="skip"):
        assert registry["AP"]().compute(expected_ids=[], retrieved_ids=["a"]).score != 0.0
    assert registry["AP"]().compute(expected_ids=[], retrieved_ids=["a"]).score == 0.0
    patch.restore()
    assert registry == before


@pytest.mark.parametrize(
    ("found", "value"),
    # Precisions 1/2 and 2/3 at the relevant ids; one relevant id of two at rank 1, thrice; none.
    [("dabc", (1 / 2 + 2 / 3) / 2), ("aaa", 1 / 2), ("", 0.0)],
)
def test_values(registry: dict[str, Any], found: str, value: float) -> None:
    with hook.register("AP"):
        result = registry["AP"]().compute("query", ["a", "b"], list(found))
    assert result.score == cf.score_list(list(found), ["a", "b"], "AP")["AP"]
    assert result.score == pytest.approx(value, abs=1e-15)


def test_the_hosts_own_metrics_agree_without_repeated_ids(registry: dict[str, Any]) -> None:
    pairs = {"hit_rate": "Success@5", "mrr": "RR", "recall": "SetR", "precision": "SetP"}
    pairs |= {"ap": "AP", "ndcg": "nDCG"}
    with hook.register(list(pairs.values())):
        for theirs, ours in pairs.items():
            for found in (["d", "a", "b", "c"], ["a"], ["c", "d", "b"]):
                scores = [
                    registry[name]().compute(expected_ids=["a", "b"], retrieved_ids=found).score
                    for name in (theirs, ours)
                ]
                assert scores[0] == pytest.approx(scores[1], abs=1e-12), (theirs, found)


def test_lists_that_are_not_there_or_have_no_order(registry: dict[str, Any]) -> None:
    del registry
    metric = hook.metric("AP")()
    with pytest.raises(cf.Error, match="AP needs expected_ids and retrieved_ids, found no retr"):
        metric.compute("query", ["a"], None, ["a text"], ["a text"])
    with pytest.raises(cf.Error, match="found no expected_ids"):
        metric.compute("query", retrieved_ids=["a"])
    with pytest.raises(cf.Error, match="found set"):
        metric.compute("query", ["a"], {"a"})


@pytest.mark.parametrize(
    ("measure", "kind"), [("StRecall@5", "needs"), ("nope", "measure"), ("AP R@5", "option")]
)
def test_measures_that_no_list_can_have(measure: str, kind: str) -> None:
    with pytest.raises(cf.Error) as caught:
        hook.metric(measure)
    assert caught.value.kind == kind


def test_a_host_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("metrics", "metrics_base"):
        monkeypatch.setitem(sys.modules, f"llama_index.core.evaluation.retrieval.{module}", None)
    for call in (hook.register, hook.metric):
        with pytest.raises(HostError, match="pip install llama-index-core"):
            call("AP")
