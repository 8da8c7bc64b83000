"""Runs from the answers of Elasticsearch, OpenSearch and Vespa."""

from __future__ import annotations

from typing import Any

import cranfield as cf
import pytest

ELASTIC: dict[str, Any] = {
    "took": 3,
    "timed_out": False,
    "_shards": {"total": 5, "successful": 5, "skipped": 0, "failed": 0},
    "hits": {
        "total": {"value": 2, "relation": "eq"},
        "max_score": 1.5,
        "hits": [
            {"_index": "docs", "_id": "d1", "_score": 1.5, "_source": {"title": "one"}},
            {"_index": "docs", "_id": "d2", "_score": 0.5},
        ],
    },
}

VESPA: dict[str, Any] = {
    "root": {
        "id": "toplevel",
        "relevance": 1.0,
        "fields": {"totalCount": 2},
        "children": [
            {"id": "id:space:doc::d1", "relevance": 0.75, "source": "content"},
            {
                "id": "index:content/0/c4ca42388ce70a10b392b401",
                "relevance": 0.5,
                "fields": {"documentid": "id:space:doc:n=7:d::2", "title": "two"},
            },
        ],
    }
}

RANK_EVAL: dict[str, Any] = {
    "metric_score": 0.4,
    "details": {
        "q1": {
            "metric_score": 0.6,
            "unrated_docs": [{"_index": "docs", "_id": "d2"}],
            "hits": [
                {"hit": {"_index": "docs", "_id": "d1", "_score": 1.5}, "rating": 1},
                {"hit": {"_index": "docs", "_id": "d2", "_score": 0.5}, "rating": None},
            ],
            "metric_details": {"precision": {"relevant_docs_retrieved": 1, "docs_retrieved": 2}},
        },
        "q2": {"metric_score": 0.0, "unrated_docs": [], "hits": [], "metric_details": {}},
    },
    "failures": {},
}


def test_elasticsearch_and_opensearch() -> None:
    run = cf.Run.from_hits({"q1": ELASTIC, "q2": ELASTIC["hits"]["hits"]}, name="bm25")
    assert run.name == "bm25"
    assert run.to_dict() == {q: {"d1": 1.5, "d2": 0.5} for q in ("q1", "q2")}


def test_vespa() -> None:
    assert cf.Run.from_hits({"q1": VESPA}).to_dict() == {"q1": {"d1": 0.75, "2": 0.5}}


def test_rank_eval() -> None:
    run = cf.Run.from_hits(RANK_EVAL)
    assert run.to_dict() == {"q1": {"d1": 1.5, "d2": 0.5}}
    assert cf.evaluate({"q1": {"d1": 1}, "q2": {"d1": 1}}, run, "P@2").mean()[0, 0] == 0.25


def test_an_answer_that_is_not_a_dict() -> None:
    class Answer:
        body = ELASTIC

    assert cf.Run.from_hits({"q1": Answer()}).to_dict()["q1"] == {"d1": 1.5, "d2": 0.5}


def test_objects_of_clients() -> None:
    class Response:
        json = VESPA

    assert cf.Run.from_hits({"q1": Response()}).to_dict() == {"q1": {"d1": 0.75, "2": 0.5}}
    assert cf.Run.from_hits({"q1": ELASTIC["hits"]}).to_dict() == {"q1": {"d1": 1.5, "d2": 0.5}}


def test_what_vespa_did_not_look_at() -> None:
    def covered(coverage: dict[str, Any]) -> cf.Run:
        return cf.Run.from_hits({"q1": {"root": {**VESPA["root"], "coverage": coverage}}})

    by_choice = {"coverage": 40, "full": False, "degraded": {"match-phase": True, "timeout": False}}
    for coverage in ({"coverage": 100, "full": True}, by_choice):
        assert len(covered(coverage)["q1"]) == 2
    with pytest.raises(cf.Error, match=r"not complete: it covered 50% \(timeout\)"):
        covered({"coverage": 50, "full": False, "degraded": {"timeout": True}})
    with pytest.raises(cf.Error, match=r"not complete: it covered 99%$"):
        covered({"coverage": 99, "full": False})


def test_hits_without_scores_keep_their_order() -> None:
    hits = [{"_id": "d2", "_score": None}, {"_id": "d1", "_score": None}]
    run = cf.Run.from_hits({"q1": hits})
    assert cf.evaluate({"q1": {"d2": 1}}, run, "RR").mean()[0, 0] == 1.0


def test_ids_as_the_caller_says() -> None:
    run = cf.Run.from_hits({"q1": ELASTIC}, document=lambda hit: hit["_index"] + "/" + hit["_id"])
    assert list(run["q1"]) == ["docs/d1", "docs/d2"]


FAILED = {**ELASTIC, "_shards": {"failed": 2}}


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (ELASTIC, "found an answer without its topic"),
        ([ELASTIC], r"found an object of type list; of several .* dict\(zip\(topics, answers"),
        ({"responses": [ELASTIC]}, r"without its topic; of several .* dict\(zip\(topics, answers"),
        ({"q1": FAILED}, "the search for topic 'q1' is not complete: 2 shards failed"),
        ({"q1": {**ELASTIC, "timed_out": True}}, "it timed out"),
        ({"q1": {"error": {"type": "parsing_exception"}, "status": 400}}, "parsing_exception"),
        ({"q1": {"root": {"errors": [{"code": 12}]}}}, "failed"),
        ({"metric_score": 0, "details": {}, "failures": {"q9": "no index"}}, "'q9' failed"),
        ({"q1": "d1 d2"}, "expected an answer with hits or a list of hits for topic 'q1'"),
        ({"q1": ["d1"]}, "expected hit 1 of topic 'q1' as a dict"),
        ({"q1": [{"_id": "a", "_score": 1}, {"_id": "b"}]}, "a score for hit 2"),
        ({"q1": [{"_id": "a", "_score": "high"}]}, "expected a number as _score of hit 1"),
        ({"q1": [{"id": "index:content/0/c4ca", "relevance": 1.0}]}, "pass document="),
    ],
)
def test_what_is_not_an_answer(answers: Any, message: str) -> None:
    with pytest.raises(cf.Error, match=message) as caught:
        cf.Run.from_hits(answers)
    assert caught.value.kind == "type"


def test_documents_are_called_by_a_function() -> None:
    with pytest.raises(cf.Error, match=r"expected document= as a function .*, found '_id'"):
        cf.Run.from_hits({"q1": ELASTIC}, document="_id")  # type: ignore[arg-type]


def test_a_document_twice_is_an_error() -> None:
    run = cf.Run.from_hits({"q1": [{"_id": "a", "_score": 2}, {"_id": "a", "_score": 1}]})
    with pytest.raises(cf.Error, match="once"):
        cf.evaluate({"q1": {"a": 1}}, run, "AP")
