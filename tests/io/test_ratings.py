"""Ratings of search engines and of tools beside them as judgments, and back.

The oracle is the same data as a file of TREC. The forms are those of the products' documentation
and source: RRE's of its example and of its ``Engine.java``, Quepid's of its export controller.
"""

from __future__ import annotations

import copy
import gzip
import io
import json
import random
from functools import partial
from typing import TYPE_CHECKING, Any

import cranfield
import pytest

if TYPE_CHECKING:
    from pathlib import Path

# Much here is what no type allows.
cf: Any = cranfield

RANK_EVAL: dict[str, Any] = {
    "requests": [
        {
            "id": "q1",
            "request": {"query": {"match": {"title": "star wars"}}},
            "ratings": [
                {"_index": "films", "_id": "a", "rating": 2},
                {"_index": "films", "_id": "b", "rating": 0},
            ],
        },
        {"id": "q2", "request": {}, "ratings": []},
    ],
    "metric": {"dcg": {"k": 10}},
}
WORKBENCH: dict[str, Any] = {
    "name": "Imported",
    "type": "IMPORT_JUDGMENT",
    "judgmentRatings": [
        {
            "query": "q1",
            "ratings": [{"docId": "a", "rating": "2.000"}, {"docId": "b", "rating": 0}],
        },
        {"query": "q2", "ratings": []},
    ],
}
QUEPID = "query,docid,rating\nq1,a,2\nq1,b,0\nq1,unrated,\nq2\n"
RRE: dict[str, Any] = {
    "index": "core1",
    "id_field": "id",
    "topics": [
        {
            "description": "Fender basses",
            "query_groups": [
                {
                    "name": "Brand search",
                    "queries": [
                        {"template": "only_q.json", "placeholders": {"$query": "q1"}},
                        {"template": "by_language.json", "placeholders": {"$query": "q1"}},
                    ],
                    "relevant_documents": {"a": {"gain": 2}, "b": {"gain": 0}},
                },
                {
                    "name": "No result",
                    "queries": [{"template": "only_q.json", "placeholders": {"$query": "q2"}}],
                    "relevant_documents": {},
                },
            ],
        }
    ],
}
EXPECTED = {"q1": {"a": 2.0, "b": 0.0}, "q2": {}}


def refused(given: Any) -> cranfield.Error:
    with pytest.raises(cranfield.Error) as caught:
        cf.Qrels.from_ratings(given)
    return caught.value


FORMS = {
    "rank_eval": RANK_EVAL,
    "a list of requests": RANK_EVAL["requests"],
    "the workbench": WORKBENCH,
    "a list of the workbench": WORKBENCH["judgmentRatings"],
    "what the workbench finds": {"hits": {"hits": [{"_id": "1", "_source": WORKBENCH}]}},
    "what the workbench looks up": {"_source": WORKBENCH},
    "RRE": RRE,
    "RRE by gain": {
        "query_groups": [
            {
                "name": "x",
                "queries": [{"placeholders": {"$query": "q1"}}],
                "relevant_documents": {"2": ["a"], "0": ["b"]},
            },
            {"name": "y", "queries": [{"placeholders": {"$query": "q2"}}]},
        ]
    },
}


@pytest.mark.parametrize("name", FORMS)
def test_each_form(name: str, tmp_path: Path) -> None:
    given = FORMS[name]
    text = json.dumps(given, indent=1)
    (tmp_path / "x.json").write_text(text)
    (tmp_path / "x.json.gz").write_bytes(gzip.compress(text.encode()))
    for form in (given, text, io.StringIO(text), tmp_path / "x.json", str(tmp_path / "x.json.gz")):
        assert cf.Qrels.from_ratings(form).to_dict() == EXPECTED


def test_quepid(tmp_path: Path) -> None:
    (tmp_path / "case.csv").write_text(QUEPID)
    for form in (QUEPID, io.StringIO(QUEPID), tmp_path / "case.csv"):
        assert cf.Qrels.from_ratings(form).to_dict() == EXPECTED
    text = 'query,docid,rating\n\'-foo,\'=x,1\n +bar,,\n"a, ""b""",c,2\nit\'s,\'d,1'
    assert cf.Qrels.from_ratings(text).to_dict() == {
        "-foo": {"=x": 1.0},
        "+bar": {},
        'a, "b"': {"c": 2.0},
        "it's": {"'d": 1.0},
    }


def test_documents_of_two_indices() -> None:
    request = copy.deepcopy(RANK_EVAL)
    request["requests"][0]["ratings"][1]["_index"] = "books"
    judged = cf.Qrels.from_ratings(request)
    assert judged.to_dict() == {"q1": {"films/a": 2.0, "books/b": 0.0}, "q2": {}}
    back = judged.to_ratings("rank_eval", index=lambda document: document.split("/", 1))
    assert cf.Qrels.from_ratings(back) == judged
    assert back["requests"][0] == {
        "id": "q1",
        "ratings": [
            {"_index": "films", "_id": "a", "rating": 2},
            {"_index": "books", "_id": "b", "rating": 0},
        ],
    }


def test_there_and_back_is_what_a_file_is(tmp_path: Path) -> None:
    draw = random.Random(1)
    lines = [
        f"{topic} 0 {document} {draw.randint(0, 4)}\n"
        for topic in ("-q", "q 1".replace(" ", "_"), "'q", "=q", "@")
        for document in draw.sample(["a", "-b", "c,d", 'e"f', "'g", "h/i"], 4)
    ]
    path = tmp_path / "qrels.txt"
    path.write_text("".join(lines))
    judged = cf.read_qrels(path)
    run = cf.Run({topic: {d: draw.random() for d in ("a", "-b", "'g", "x")} for topic in judged})
    expected = cf.evaluate(judged, run, "AP nDCG@3 ERR(max_rel=4)@5 bpref").values
    for form, options in (("rank_eval", {"index": "i"}), ("srw", {}), ("quepid", {})):
        ratings = judged.to_ratings(form, **options)
        if form != "quepid":
            ratings = json.loads(json.dumps(ratings))
        again = cf.Qrels.from_ratings(ratings)
        assert again.fingerprint == judged.fingerprint
        found = cf.evaluate(again, run, "AP nDCG@3 ERR(max_rel=4)@5 bpref").values
        assert (found == expected).all()


def test_fractions_keep_their_bits() -> None:
    judged = cf.Qrels({"q": {"a": 0.1, "b": 1 / 3, "c": -1.0, "d": 2}})
    ratings = judged.to_ratings("srw")["judgmentRatings"][0]["ratings"]
    assert [one["rating"] for one in ratings] == ["0.100", "0.3333333333333333", "-1.000", "2.000"]
    for form in ("srw", "quepid"):
        assert cf.Qrels.from_ratings(judged.to_ratings(form)) == judged


def test_a_column_may_be_called_rating() -> None:
    text = "query,docid,rating\nq1,a,2\n"
    assert cf.read_qrels(io.StringIO(text)).to_dict() == {"q1": {"a": 2.0}}
    # As before, where there is another name.
    text = "query,docid,rating,score\nq1,a,2,1\n"
    assert cf.read_qrels(io.StringIO(text)).to_dict() == {"q1": {"a": 1.0}}


def changed(given: dict[str, Any], *path: Any, value: Any) -> dict[str, Any]:
    given = copy.deepcopy(given)
    inner: Any = given
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return given


FIRST = ("requests", 0, "ratings", 0)
GROUP = ("topics", 0, "query_groups", 1)
REFUSED: dict[str, tuple[Any, str, str]] = {
    "an answer": ({"metric_score": 0.5, "details": {}}, "type", "pass its request"),
    "a dict of grades": ({"q1": {"a": 1}}, "fields", "RRE (topics or query_groups), found q1"),
    "nothing": (None, "type", "or the path of a file, found a NoneType"),
    "lists": ([["a"]], "type", "found a list"),
    "no id": (changed(RANK_EVAL, "requests", 0, value={"ratings": []}), "fields", "the key id"),
    "an id twice": (
        changed(RANK_EVAL, "requests", 1, "id", value="q1"),
        "duplicate",
        "request 2: expected each topic once, found 'q1', as in request 1",
    ),
    "no list": (
        changed(RANK_EVAL, "requests", 0, "ratings", value={}),
        "fields",
        "request 1: expected a list as ratings, found {}",
    ),
    "no index": (changed(RANK_EVAL, *FIRST, value={"_id": "a"}), "fields", "the key _index"),
    "no rating": (
        changed(RANK_EVAL, *FIRST, "rating", value=None),
        "number",
        "rating 1 of request 1: expected a number as rating, found None",
    ),
    "a rating in words": (changed(RANK_EVAL, *FIRST, "rating", value="good"), "number", "'good'"),
    "NaN": (changed(RANK_EVAL, *FIRST, "rating", value="nan"), "number", "finite number"),
    "a document twice": (
        changed(RANK_EVAL, *FIRST, "_id", value="b"),
        "duplicate",
        "rating 2 of request 1: expected one rating of a document, found 'b' again",
    ),
    "two lists of the workbench": (
        {"hits": {"hits": [{"_source": {"name": "x"}}, {"_source": {"name": "y"}}]}},
        "fields",
        "expected one list of judgments, found 2: 'x', 'y'; pass one of the hits",
    ),
    "no list of the workbench": ({"hits": {"hits": []}}, "fields", "found none"),
    "a query with other documents": (
        changed(RRE, *GROUP, "queries", 0, "placeholders", "$query", value="q1"),
        "conflict",
        "query group 'No result': expected one list of documents for query 'q1', found two",
    ),
    "another placeholder": (changed(RRE, "query_placeholder", value="$q"), "fields", "expected $q"),
    "lines of TREC": (io.StringIO("1 0 a 1\n"), "fields", "query,docid,rating, found 1 0 a 1"),
    "several judges": ("query,docid,Ann,Bob\nx,a,1,2\n", "fields", "query, docid, ann, bob"),
    "a row too long": ("query,docid,rating\nx,a,1,2\n", "fields", "line 2: expected a query, a"),
    "a row of words": ("query,docid,rating\nx,a,good\n", "number", "line 2: expected a number"),
    "a row twice": ("query,docid,rating\nx,a,1\nx,a,1\n", "duplicate", "line 3: expected one"),
    "a rating of nothing": ("query,docid,rating\nx,,1\n", "fields", "line 2: expected a query"),
    "JSON that ends": ('{"requests": [', "fields", "expected JSON or CSV"),
    "a key twice": ('{"requests": [], "requests": []}', "duplicate", "'requests' is there twice"),
    "other bytes": (io.BytesIO(b"query,docid,rating\n\xff"), "binary", "expected text in UTF-8"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    given, kind, message = REFUSED[name]
    error = refused(given)
    assert error.kind == kind
    assert message in error.message


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "ratings.json"
    path.write_text(json.dumps(REFUSED["no index"][0]))
    assert refused(path).file == str(path)
    assert refused(tmp_path / "none.json").kind == "missing"


@pytest.mark.parametrize("name", ["rank_eval", "the workbench", "RRE", "RRE by gain"])
def test_ratings_as_judgments_are_pointed_there(name: str) -> None:
    with pytest.raises(cranfield.Error, match=r"Qrels\.from_ratings reads"):
        cf.evaluate(FORMS[name], {"q1": ["a"]}, "AP")
    assert cf.evaluate({"requests": {"a": 1}, "topics": ["b"]}, {"topics": ["b"]}).values.any()


def test_what_cannot_be_written() -> None:
    judged = cf.Qrels({"q": {"a": 0.5}})
    for call, kind, message in (
        (partial(judged.to_ratings, "rank_eval"), "option", "expected the index of the documents"),
        (partial(judged.to_ratings, "rre"), "option", "expected one of rank_eval, srw, quepid"),
        (partial(judged.to_ratings, "srw", index="i"), "option", 'index= is for "rank_eval"'),
        (partial(judged.to_ratings, "rank_eval", index="i"), "needs", "found 0.5 for 'a'"),
    ):
        with pytest.raises(cranfield.Error) as caught:
            call()
        assert (caught.value.kind, message in caught.value.message) == (kind, True)
