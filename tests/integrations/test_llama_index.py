"""Measures for LlamaIndex: what is refused. Values are compared in ``test_llama_index_host.py``."""

from __future__ import annotations

import sys

import cranfield as cf
import pytest
from cranfield.integrations import HostError
from cranfield.integrations import llama_index as hook


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
