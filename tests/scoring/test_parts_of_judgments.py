"""Judgments made from others: what measures know of the collection is that of the whole.

The oracle is rpref_N by hand: a document's judged competitors weigh with their share of the
highest gain of the collection.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import cranfield as cf
import pytest
from cranfield import collection
from cranfield._cli import main

JUDGED = {"1": {"a": 4, "b": 0, "c": 2}, "2": {"a": 1, "b": 0, "c": 2, "d": 1}}
RUN = {"r": {"1": {"a": 2.0, "b": 1.0}, "2": {"b": 4.0, "a": 3.0, "d": 2.0, "c": 1.0}}}


@pytest.fixture
def qrels() -> cf.Qrels:
    return cf.Qrels(JUDGED, docs_in_collection=50)


def whole() -> float:
    """rpref_N of topic 2 where the highest gain of the collection is 4."""
    return float(cf.evaluate(JUDGED, RUN, "rpref_N").sel(topic=["2"]).values[0, 0, 0])


def test_topics_keep_what_is_known_of_the_whole(qrels: cf.Qrels) -> None:
    costs = {t: dict.fromkeys(docs, 2.0) for t, docs in JUDGED.items()}
    some = qrels.with_column("cost", costs).restrict_to_topics(["2"])
    assert some.topics == ("2",)
    assert some.to_dict() == {"2": JUDGED["2"]}
    assert some.grades == (0, 1, 2, 4)
    assert some.docs_in_collection == 50
    assert some.column("cost", "2") == costs["2"]
    assert "2" in some
    assert "1" not in some
    own = {"r": {"2": RUN["r"]["2"]}}
    assert cf.evaluate(some, own, "rpref_N").values[0, 0, 0] == whole()
    assert whole() != cf.evaluate({"2": JUDGED["2"]}, own, "rpref_N").values[0, 0, 0]
    again = pickle.loads(pickle.dumps(some))
    assert again.grades == some.grades
    assert again.fingerprint == some.fingerprint
    assert cf.evaluate(again, own, "rpref_N").values[0, 0, 0] == whole()
    # Scores that differ are not of the same judgments.
    alone = cf.Qrels({"2": JUDGED["2"]}, docs_in_collection=50).with_column(
        "cost", {"2": costs["2"]}
    )
    assert some.fingerprint != alone.fingerprint
    for wrong in (["3"], "2"):
        with pytest.raises(cf.Error, match=r"no topic `3`|a list of topics"):
            qrels.restrict_to_topics(wrong)
    by_intent = cf.Qrels.from_intents({"1": {"i": {"a": 3}}, "2": {"i": {"a": 1}, "j": {"b": 1}}})
    assert by_intent.restrict_to_topics(["2"]).intents("2") == {"i": 1.0, "j": 1.0}


@pytest.mark.parametrize(
    "part",
    [
        lambda q, r: q.restrict_to_pool(cf.Qrels({"2": dict.fromkeys("abcd", -1)})),
        lambda q, r: collection.pool_to_depth(q, r[1:], 10),
        lambda q, r: collection.leave_out(q, r, ["x", "y"])["x"],
        lambda q, r: collection.merge(q.restrict_to_topics(["2"])),
        lambda q, r: collection.merge({"2": JUDGED["2"]}, {"2": {"a": 4}}),
        lambda q, r: pickle.loads(pickle.dumps(q.restrict_to_topics(["2"]))),
    ],
)
def test_every_part_knows_the_grades_of_the_whole(
    qrels: cf.Qrels, part: Callable[[cf.Qrels, list[cf.Ranked]], cf.Qrels]
) -> None:
    """All of them lose the document of grade 4 and have topic 2 as it was."""
    first = {"1": {"a": 1.0}}
    second = {"2": RUN["r"]["2"]}
    ranked = collection.rank(qrels, {"one": first, "two": second})
    found = part(qrels, ranked)
    assert found.to_dict()["2"] == JUDGED["2"]
    assert max(grade for docs in found.to_dict().values() for grade in docs.values()) == 2
    assert max(found.grades) == 4
    value = cf.evaluate(found, {"r": second}, "rpref_N").sel(topic=["2"]).values[0, 0, 0]
    assert value == whole()


def test_fewer_judgments_have_the_highest_grade_of_all(qrels: cf.Qrels) -> None:
    for method in ("stratified", "random"):
        for seed in range(30):
            fewer = collection.reduce(qrels, 0.4, method, minimum=1, seed=seed)
            assert max(fewer.grades) == 4
            assert fewer.docs_in_collection == 50


def test_bounds_of_a_part_leave_room_for_the_highest_grade_of_all(qrels: cf.Qrels) -> None:
    some = qrels.restrict_to_topics(["2"])
    run = {"r": {"2": {"x": 2.0, "a": 1.0}}}
    high = cf.bounds(some, run, "DCG@2").high.values
    assert high.tolist() == cf.bounds(some, run, "DCG@2", max_grade=4).high.values.tolist()


def test_merged_judgments_have_the_first_size_that_is_said() -> None:
    sized = cf.Qrels({"1": {"b": 1}}, docs_in_collection=9)
    assert collection.merge({"1": {"a": 1}}, sized).docs_in_collection == 9


def test_folded_judgments(qrels: cf.Qrels) -> None:
    folded = collection.fold(qrels, 2)
    assert folded.to_dict() == {
        "1": {"a": 1, "b": 0, "c": 1},
        "2": {"a": 0, "b": 0, "c": 1, "d": 0},
    }
    assert (folded.grades, folded.docs_in_collection) == ((0, 1), 50)
    kept = collection.fold({"1": {"a": 4, "b": 1, "c": -1}}, 2, graded=True)
    assert kept.to_dict() == {"1": {"a": 4, "b": 0, "c": -1}}
    # Runs that were ranked can be scored under it.
    ranked = collection.rank(qrels, RUN)
    scores = cf.evaluate(folded, ranked, "nDCG AP").values
    assert scores.tolist() == cf.evaluate(folded.to_dict(), RUN, "nDCG AP").values.tolist()


def test_intents_are_folded_too() -> None:
    by_intent = cf.Qrels.from_intents({"1": {"i": {"a": 3, "b": 1}}})
    lists = {"r": {"1": {"b": 2.0, "a": 1.0}}}
    expected = cf.Qrels.from_intents({"1": {"i": {"a": 1, "b": 0}}})
    found = cf.evaluate(collection.fold(by_intent, 2), lists, "D-nDCG@2").values
    assert found.tolist() == cf.evaluate(expected, lists, "D-nDCG@2").values.tolist()


# Topics that are left out


def test_the_size_of_the_collection_is_not_checked_against_topics_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Topic 3 shows more documents than there are; the others do not."""
    monkeypatch.chdir(tmp_path)
    many = {f"x{place}": 0 for place in range(40)}
    cf.Qrels({**JUDGED, "3": {"a": 1, **many}}).write("q.txt")
    for name, turn in (("r", 1), ("s", -1)):
        lists = {t: {d: turn * s for d, s in of.items()} for t, of in RUN["r"].items()}
        cf.Run({**lists, "3": {"a": 1.0}}).write(f"{name}.run")
    files = ["q.txt", "r.run", "s.run"]
    size = ["--docs-in-collection", "10"]
    for words in (
        ["eval", *files, "-m", "Accuracy", *size],
        ["eval", *files, "-m", "Accuracy", *size, "--bounds"],
        ["eval", *files, "-m", "Accuracy", *size, "--ties", "bounds"],
        ["compare", *files, "-m", "Accuracy", *size],
    ):
        assert main(words) == 2
        assert "because of topic `3`" in capsys.readouterr().err
        assert main([*words, "--topics", "1-2"]) == 0
        capsys.readouterr()
    # The curve of one topic is that of no other.
    curve = ["study", "curves", *files, *size, "--topic"]
    assert main([*curve, "3", "--output", "one"]) == 2
    assert main([*curve, "2", "--output", "two"]) == 0
    capsys.readouterr()
    sized = cf.read_qrels("q.txt", docs_in_collection=10)
    alone = cf.Qrels({"2": JUDGED["2"]}, docs_in_collection=10)
    assert cf.curves.roc(sized, "r.run", "2").auc == cf.curves.roc(alone, RUN["r"], "2").auc
    assert main(["eval", "q.txt", "r.run", "-m", "Accuracy", *size, "--topics", "1-2"]) == 0
    shown = capsys.readouterr().out
    both = cf.evaluate(cf.Qrels(JUDGED, docs_in_collection=10), RUN, "Accuracy").mean()[0, 0]
    assert f"{both:.4f}" in shown
