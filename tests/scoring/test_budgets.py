"""Cutoffs by what a list costs, and lists of several calls.

Slow twin: the documents that a budget affords are counted in fractions, and each measure is
written from its definition over them. The worked examples are counted out next to the data.
"""

from __future__ import annotations

import json
import pickle
import random
from fractions import Fraction
from math import log2
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest

from tests.cli.calls import output
from tests.effort import SEED, cases

MEASURES = [
    *("R", "AP", "RR", "Success", "AllRecall", "SetP", "SetR", "SetF", "CG", "DCG", "enDCG"),
    *("RBP(p=0.5)", "ERR(max_rel=3)", "Judged", "Unjudged", "EC-R", "EC-AllRecall"),
    *("num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"),
]
"""What takes a budget, as far as the twin has it."""

WITHOUT_RANK = ("num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret")
"""Those of them that take no rank as cutoff."""

Listed = list[tuple[str, float]]
"""Documents in order, each with what it costs."""


def affordable(listed: Listed, budget: float) -> list[str]:
    """The documents before the first that would exceed the budget."""
    left, found = Fraction(budget), []
    for document, cost in listed:
        left -= Fraction(cost)
        if left < 0:
            break
        found.append(document)
    return found


def valued(name: str, found: list[str], grades: dict[str, int], classes: dict[str, int]) -> float:
    """A measure of the documents that were read, from its definition; 0 for 0/0."""
    if name.startswith("EC-"):
        seen: set[int] = set()
        first = []
        for document in found:
            relevant = grades.get(document, 0) > 0
            if relevant and classes[document] not in seen:
                first.append(classes[document])
                seen.add(classes[document])
        every = {classes[document] for document, grade in grades.items() if grade > 0}
        if name == "EC-R":
            return len(first) / len(every) if every else 0.0
        return float(bool(every) and len(first) == len(every))
    gains = [grades.get(document, 0) for document in found]
    ranks = [rank for rank, gain in enumerate(gains, 1) if gain > 0]
    num_rel = sum(grade > 0 for grade in grades.values())
    judged = sum(document in grades for document in found)
    recall = len(ranks) / num_rel if num_rel else 0.0
    precision = len(ranks) / len(found) if found else 0.0
    discounted = sum(gain / max(1.0, log2(rank)) for rank, gain in enumerate(gains, 1))
    ideal = sorted((grade for grade in grades.values()), reverse=True)
    best = sum(gain / max(1.0, log2(rank)) for rank, gain in enumerate(ideal, 1))
    satisfied, expected = 1.0, 0.0
    for rank, gain in enumerate(gains, 1):
        stops = (2**gain - 1) / 8
        expected += satisfied * stops / rank
        satisfied *= 1 - stops
    return {
        "R": recall,
        "SetR": recall,
        "AP": sum(n / rank for n, rank in enumerate(ranks, 1)) / num_rel if num_rel else 0.0,
        "RR": 1 / ranks[0] if ranks else 0.0,
        "Success": float(bool(ranks)),
        "SetP": precision,
        "SetF": 2 * precision * recall / (precision + recall) if ranks else 0.0,
        "AllRecall": float(num_rel > 0 and len(ranks) == num_rel),
        "CG": float(sum(gains)),
        "DCG": sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1)),
        "enDCG": discounted / best if best else 0.0,
        "Judged": judged / len(found) if found else 0.0,
        "Unjudged": 1 - judged / len(found) if found else 0.0,
        "num_ret": float(len(found)),
        "num_rel": float(num_rel),
        "num_rel_ret": float(len(ranks)),
        "num_nonrel_judged_ret": float(judged - len(ranks)),
        "RBP(p=0.5)": sum(0.5 * 0.5 ** (rank - 1) for rank in ranks),
        "ERR(max_rel=3)": expected,
    }[name]


def test_the_worked_examples() -> None:
    judged = {"q": {"b": 1, "c": 1}}
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    tokens = {"a": 300, "b": 500, "c": 400}
    scores = cf.evaluate(judged, run, "R@tokens=799 R@tokens=800 R@tokens=1200", lengths=tokens)
    assert scores.values[0, 0].tolist() == [0.0, 0.5, 1.0]
    # a x b c, and what is wanted is x, b and c.
    scores = cf.evaluate({"q": {"x": 1, "b": 1, "c": 1}}, {"q": list("axbc")}, "AllRecall@3,4")
    assert scores.values[0, 0].tolist() == [0.0, 1.0]
    # (a or b) and c.
    either = cf.Qrels({"q": {"a": 1, "b": 1, "c": 1}}).with_column(
        "class", {"q": {"a": 1, "b": 1, "c": 2}}
    )
    assert cf.evaluate(either, {"q": list("xbc")}, "EC-AllRecall@3").values.item() == 1.0
    # x a | a b: a is found at rank 2 and b at rank 4, since a again takes rank 3.
    rows = [
        {"topic": "q", "doc": document, "score": score, "call": number}
        for document, score, number in [("x", 2, 1), ("a", 1, 1), ("a", 9, 2), ("b", 8, 2)]
    ]
    scores = cf.evaluate({"q": {"a": 1, "b": 1}}, rows, "R@calls=1 R@calls=2 R@calls=9 AP num_ret")
    assert scores.values[0, 0].tolist() == [0.5, 1.0, 1.0, (1 / 2 + 2 / 4) / 2, 4.0]


def some(chance: random.Random) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Grades, classes and scores of some topics; many scores are equal."""
    judged, classes, found = {}, {}, {}
    for topic in map(str, range(chance.randint(1, 4))):
        names = [f"d{i}" for i in range(chance.randint(1, 12))]
        known = chance.sample(names, chance.randint(1, len(names)))
        judged[topic] = {document: chance.randint(0, 3) for document in known}
        classes[topic] = {document: chance.randint(1, 3) for document in known}
        listed = chance.sample(names, chance.randint(1, len(names)))
        found[topic] = {document: float(chance.randint(1, 4)) for document in listed}
    return judged, classes, found


def in_order(scored: dict[str, float]) -> list[str]:
    """By score, and by id where that is equal; both from the highest."""
    return sorted(scored, key=lambda document: (scored[document], document), reverse=True)


def test_values_are_those_of_the_documents_that_a_budget_affords() -> None:
    chance = random.Random(SEED)
    for _ in range(cases(400, 60)):
        judged, classes, found = some(chance)
        unit = chance.choice(("tokens", "chars", "cost"))
        every = {document for scored in found.values() for document in scored}
        fractional = unit == "cost"
        price = {d: chance.randint(0, 40) / (8 if fractional else 1) for d in sorted(every)}
        depth = chance.choice((None, None, 3))
        budget = chance.randint(1, 300) / (8 if fractional else 1)
        qrels = cf.Qrels(judged).with_column("class", classes)
        names = [f"{name}@{unit}={budget}" for name in MEASURES]
        if unit == "cost":
            priced = qrels.with_column(
                "cost",
                dict.fromkeys(found, price)
                if not fractional
                else {topic: {d: c or 0.125 for d, c in price.items()} for topic in found},
            )
            price = {document: cost or 0.125 for document, cost in price.items()}
            scores = cf.evaluate(priced, found, names, undefined="zero", depth=depth)
        else:
            scores = cf.evaluate(qrels, found, names, undefined="zero", depth=depth, lengths=price)
        for place, topic in enumerate(scores.topics):
            documents = in_order(found[topic])[:depth]
            read = affordable([(document, price[document]) for document in documents], budget)
            expected = [valued(n, read, judged[topic], classes[topic]) for n in MEASURES]
            np.testing.assert_allclose(scores.values[0, place], expected, rtol=1e-12, atol=1e-12)


def test_where_every_document_costs_one_a_budget_is_a_rank() -> None:
    """To the bit, which is law 9."""
    chance = random.Random(SEED + 1)
    names = [name for name in MEASURES if name not in WITHOUT_RANK]
    for _ in range(cases(200, 30)):
        judged, classes, found = some(chance)
        qrels = cf.Qrels(judged).with_column("class", classes)
        ones = {document: 1 for scored in found.values() for document in scored}
        k = chance.randint(1, 14)
        budgets = [f"{name}@tokens={k}" for name in names]
        ranks = [f"{name}@{k}" for name in names]
        by_budget = cf.evaluate(qrels, found, budgets, undefined="zero", lengths=ones)
        by_rank = cf.evaluate(qrels, found, ranks, undefined="zero")
        assert by_budget.values.tobytes() == by_rank.values.tobytes()


def test_where_every_document_costs_one_a_budget_is_a_rank_on_trec_8(data: Path) -> None:
    folder = data / "trec8-adhoc"
    qrels = cf.read_qrels(folder / "trec8.qrels.gz")
    paths = sorted((folder / "runs").iterdir())[:2]
    every = {d for path in paths for scored in cf.read_run(path).to_dict().values() for d in scored}
    priced = qrels.with_lengths(dict.fromkeys(every, 1))
    names = [n for n in MEASURES if n not in WITHOUT_RANK and not n.startswith(("EC", "ERR"))]
    budgets = [f"{name}@chars={k}" for name in names for k in (1, 10, 1000)]
    ranks = [f"{name}@{k}" for name in names for k in (1, 10, 1000)]
    by_rank = cf.evaluate(qrels, paths, ranks)
    for threads in (1, 3):
        by_budget = cf.evaluate(priced, paths, budgets, threads=threads)
        assert by_budget.values.tobytes() == by_rank.values.tobytes()


ROWS = [
    ("1", "a", 3.0, 300.0, 1),
    ("1", "b", 2.0, 500.0, 1),
    ("1", "c", 1.0, 400.0, 2),
    ("2", "c", 5.0, 10.0, 1),
    ("2", "a", 5.0, 20.0, 2),
]
JUDGED = {"1": {"b": 1, "c": 1}, "2": {"a": 1, "c": 1}}
ASKED = "R@tokens=800 SetP@tokens=799 R@tokens=15 R@calls=1 R@cost=30"
EXPECTED = [[1 / 2, 0.0, 0.0, 1 / 2, 0.0], [1.0, 1.0, 1 / 2, 1 / 2, 1.0]]
NAMES = ("topic", "doc", "score", "n_tokens", "hop", "cost")


def forms(folder: Path) -> dict[str, Any]:
    """The run in each form that has columns."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [(*row, row[3]) for row in ROWS]
    named = [dict(zip(NAMES, row, strict=True)) for row in rows]
    table = pa.Table.from_pylist(named)
    for suffix, separator in (("csv", ","), ("tsv", "\t")):
        lines = [separator.join(map(str, row)) for row in (NAMES, *rows)]
        (folder / f"run.{suffix}").write_text("\n".join(lines) + "\n")
    (folder / "run.jsonl").write_text("\n".join(map(json.dumps, named)))
    results = [
        {"qid": topic, "results": [row for row in named if row["topic"] == topic]} for topic in "12"
    ]
    (folder / "results.jsonl").write_text("\n".join(map(json.dumps, results)))
    (folder / "run.json").write_text(json.dumps(named))
    pq.write_table(table, folder / "run.parquet")
    with pa.ipc.new_file(folder / "run.arrow", table.schema) as file:
        file.write_table(table)
    files = {path.name: path for path in sorted(folder.iterdir())}
    return {
        **files,
        **{f"read {name}": cf.read_run(path) for name, path in files.items()},
        "rows": named,
        "pandas": pd.DataFrame(named),
        "polars": pl.DataFrame(named),
        "pyarrow": table,
        "pickled": pickle.loads(pickle.dumps(cf.read_run(folder / "run.csv"))),
    }


def test_every_form_with_columns_says_what_documents_cost(tmp_path: Path) -> None:
    for name, run in forms(tmp_path).items():
        scores = cf.evaluate(JUDGED, run, ASKED)
        assert scores.values[0].tolist() == EXPECTED, name
        twice = {"one": run, "two": run}
        for threads in (1, 2):
            several = cf.evaluate(JUDGED, twice, ASKED, threads=threads)
            assert several.values.tolist() == [EXPECTED, EXPECTED], name


def test_a_column_goes_before_lengths_and_can_have_any_name(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("topic,doc,score,size\n1,b,2,5\n1,c,1,\n")
    lengths = {"b": 100, "c": 100}
    columns = {"tokens": "size"}
    measures = "R@tokens=5 R@tokens=105"
    scores = cf.evaluate({"1": JUDGED["1"]}, path, measures, lengths=lengths, columns=columns)
    assert scores.values[0, 0].tolist() == [0.5, 1.0]


def test_an_evaluator_and_its_pickle_keep_lengths() -> None:
    run = {"1": {"b": 2.0, "c": 1.0}}
    evaluator = cf.Evaluator(JUDGED, "R@tokens=5 R@5", lengths={"b": 5, "c": 1})
    for one in (evaluator, pickle.loads(pickle.dumps(evaluator))):
        assert one.evaluate(run).values[0, 0].tolist() == [0.5, 1.0]
        assert one.topic("1", run["1"]) == {"R@tokens=5": 0.5, "R@5": 1.0}
    array = cf.Run.from_topk(["1"], np.array([["b", "c"]]), np.array([[2.0, 1.0]]))
    assert evaluator.evaluate(array).values[0, 0].tolist() == [0.5, 1.0]
    numbers = cf.Evaluator({"1": {7: 1, 9: 1}}, "R@chars=5", lengths={7: 5, 9: 1})
    found = cf.Run.from_topk(np.array([1]), np.array([[7, 9]]), np.array([[2.0, 1.0]]))
    assert numbers.evaluate(found).values.item() == 0.5


def test_a_topic_without_documents_affords_none() -> None:
    scores = cf.evaluate(JUDGED, {"1": {"b": 1.0}}, "R@tokens=5 num_ret@tokens=5", lengths={"b": 6})
    assert scores.values[0].tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_repeated_documents_cost_again() -> None:
    scores = cf.evaluate(
        {"q": {"b": 1}},
        {"q": ["a", "a", "b"]},
        "R@tokens=20 R@tokens=30 num_ret@tokens=20",
        duplicates="place",
        lengths={"a": 10, "b": 10},
    )
    assert scores.values[0, 0].tolist() == [0.0, 1.0, 2.0]
    rows = [("q", "a", 3), ("q", "a", 2), ("q", "b", 1)]
    scores = cf.evaluate(
        {"q": {"b": 1}}, rows, "R@tokens=20", duplicates="best", lengths={"a": 10, "b": 10}
    )
    assert scores.values.item() == 1.0


def test_one_list_has_lengths_too() -> None:
    lengths = {"a": 300, "b": 500, "c": 400}
    assert cf.score_list(list("abc"), ["b", "c"], "R@tokens=799 R@tokens=800", lengths=lengths) == {
        "R@tokens=799": 0.0,
        "R@tokens=800": 0.5,
    }
    assert cf.score_list(list("aab"), ["b"], "R@chars=2", lengths={"a": 1, "b": 1}) == {
        "R@chars=2": 0.0
    }
    once = cf.score_list(
        list("aab"), ["b"], "R@chars=2", duplicates="first", lengths={"a": 1, "b": 1}
    )
    assert once == {"R@chars=2": 1.0}
    for measures, given, message in [
        ("R@tokens=5", None, "needs the tokens of each document"),
        ("R@tokens=5 R@chars=5", lengths, "budgets of chars and tokens"),
        ("R@calls=5", lengths, "the call that each document came from"),
        ("R@tokens=5", {"a": 1}, "2 of 3 have none"),
        ("R@tokens=5", {"a": -1}, "of at least 0 as length, found int `-1`"),
    ]:
        with pytest.raises(cf.Error, match=message):
            cf.score_list(list("abc"), ["b"], measures, lengths=given)


def calls_of(*rows: tuple[str, float, Any]) -> list[dict[str, Any]]:
    return [{"topic": "q", "doc": d, "score": s, "call": n} for d, s, n in rows]


def test_calls_follow_each_other_whatever_their_order_and_numbers() -> None:
    chance = random.Random(SEED + 2)
    for _ in range(cases(200, 30)):
        calls = [
            [(f"d{i}", float(chance.randint(1, 3))) for i in chance.sample(range(6), 4)]
            for _ in range(chance.randint(1, 4))
        ]
        grades = {f"d{i}": chance.randint(0, 1) for i in range(6)}
        grades["d0"] = 1
        numbers = sorted(chance.sample(range(9), len(calls)))
        rows = calls_of(*((d, s, n) for n, c in zip(numbers, calls, strict=True) for d, s in c))
        chance.shuffle(rows)
        wanted = chance.randint(1, 4)
        scores = cf.evaluate({"q": grades}, rows, f"AP@calls={wanted} num_ret@calls={wanted} RR")
        places = [d for c in calls for d in in_order(dict(c))]
        first = [d if d not in places[:i] else None for i, d in enumerate(places)]
        ranks = [rank for rank, d in enumerate(first, 1) if d and grades[d] > 0]
        end = 4 * min(wanted, len(calls))
        within = [rank for rank in ranks if rank <= end]
        num_rel = sum(grades.values())
        average = sum(n / rank for n, rank in enumerate(within, 1)) / num_rel
        expected = [average, end, 1 / ranks[0] if ranks else 0.0]
        np.testing.assert_allclose(scores.values[0, 0], expected, rtol=1e-12)


def test_what_calls_may_not_be() -> None:
    judged = {"q": {"a": 1}}
    twice = calls_of(("a", 2, 1), ("a", 1, 1))
    with pytest.raises(cf.Error, match="each document once per topic, found `a` again") as caught:
        cf.evaluate(judged, twice, "R@5")
    assert caught.value.kind == "duplicate"
    for number, found in [(None, "none"), (1.5, "1.5"), (-1, "-1")]:
        rows = calls_of(("a", 2, 1), ("b", 1, number))
        with pytest.raises(cf.Error, match=f"whole number as call in every row, found {found}"):
            cf.evaluate(judged, rows, "R@5")
    with pytest.raises(cf.Error, match="needs the call that each document came from") as caught:
        cf.evaluate(judged, {"q": ["a"]}, "R@calls=1")
    assert caught.value.kind == "needs"


def test_documents_without_a_cost_are_counted(tmp_path: Path) -> None:
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    message = "needs the tokens of every retrieved document, judged or not: 2 of 3 have none for"
    with pytest.raises(cf.Error, match=message) as caught:
        cf.evaluate(JUDGED, run, "R@tokens=5", lengths={"a": 1})
    assert caught.value.kind == "needs"
    with pytest.raises(cf.Error, match="3 of 3 have none"):
        cf.evaluate(JUDGED, run, "R@tokens=5")
    partial = cf.Qrels(JUDGED).with_column("cost", {"1": {"b": 1, "c": 1}})
    with pytest.raises(cf.Error, match="1 of 3 have none for topic `1`, the first is `a`"):
        cf.evaluate(partial, run, "R@cost=5")
    whole = cf.Qrels(JUDGED).with_column("cost", {"1": {"a": 1, "b": 1, "c": 1}})
    assert cf.evaluate(whole, run, "R@cost=2").values[0, 0].tolist() == [0.5]
    path = tmp_path / "run.csv"
    for cost, found in [("-1", "-1"), ("inf", "inf"), ("-inf", "-inf")]:
        path.write_text(f"topic,doc,score,tokens\n1,a,2,{cost}\n1,b,1,3\n")
        with pytest.raises(cf.Error, match=f"at least 0 as tokens of each document, found {found}"):
            cf.evaluate(JUDGED, path, "R@tokens=5")
        assert cf.evaluate(JUDGED, path, "R@5").values[0, 0].tolist() == [0.5]
    for cost in ("nan", "", "many"):
        path.write_text(f"topic,doc,score,tokens\n1,a,2,{cost}\n1,b,1,3\n")
        with pytest.raises(cf.Error, match="1 of 2 have none for topic `1`, the first is `a`"):
            cf.evaluate(JUDGED, path, "R@tokens=5")


@pytest.mark.parametrize("length", [-1, float("nan"), float("inf"), None, "5"])
def test_lengths_are_finite_numbers_of_at_least_0(length: Any) -> None:
    with pytest.raises(cf.Error, match="finite number of at least 0 as lengths, found") as caught:
        cf.Qrels(JUDGED).with_lengths({"a": length})
    assert caught.value.kind == "number"


def test_lengths_are_in_one_unit() -> None:
    with pytest.raises(cf.Error, match="either characters or tokens") as caught:
        cf.evaluate(JUDGED, {"1": ["a"]}, "R@tokens=5 R@chars=5", lengths={"a": 1})
    assert caught.value.kind == "needs"


def test_what_depends_on_the_order_of_ties_or_on_judgments_is_refused() -> None:
    run = {"1": {"a": 1.0, "b": 1.0}}
    lengths = {"a": 1, "b": 2}
    qrels = cf.Qrels(JUDGED).with_lengths(lengths)
    for ties in ("average", "bounds"):
        with pytest.raises(cf.Error, match="affords other documents"):
            cf.Evaluator(qrels, "R@tokens=2", ties=ties)
    with pytest.raises(cf.Error, match="affords other documents"):
        cf.tie_bounds(qrels, run, "R@tokens=2")
    with pytest.raises(cf.Error, match="no exact method is known for a budget"):
        cf.bounds(qrels, run, "R@tokens=2")
    with pytest.raises(cf.Error, match="no contributions of documents are known"):
        cf.diff(qrels, run, {"1": {"b": 1.0}}, "R@tokens=2")


def test_fractions_are_within_a_budget_up_to_their_rounding() -> None:
    qrels = cf.Qrels(JUDGED).with_column("cost", {"1": {"b": 0.1, "c": 0.2}})
    assert cf.evaluate(qrels, {"1": list("bc")}, "R@cost=0.3 R@cost=.29").values[0, 0].tolist() == [
        1.0,
        0.5,
    ]


def test_judgments_with_other_lengths_are_others() -> None:
    plain = cf.Qrels(JUDGED)
    one, two = plain.with_lengths({"a": 1}), plain.with_lengths({"a": 2})
    assert len({plain.fingerprint, one.fingerprint, two.fingerprint}) == 3
    assert pickle.loads(pickle.dumps(one)).fingerprint == one.fingerprint
    assert one.restrict_to_topics(["1"]).fingerprint == (
        plain.restrict_to_topics(["1"]).with_lengths({"a": 1}).fingerprint
    )


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text("1 0 b 1\n1 0 c 1\n2 0 a 1\n2 0 c 1\n")
    (tmp_path / "one.run").write_text(
        "".join(f"{t} Q0 {d} {i} {s} one\n" for i, (t, d, s, *_) in enumerate(ROWS, 1))
    )
    (tmp_path / "two.run").write_text("1 Q0 c 1 9 two\n2 Q0 c 1 9 two\n")
    (tmp_path / "lengths").write_text("a 300\nb 500\nc 400\n")
    return tmp_path


def test_commands_read_lengths(files: Path) -> None:
    given = ("qrels", "one.run", "two.run", "-m", "R@tokens=800", "--lengths", "lengths")
    assert output(files, "eval", *given, "--format", "csv").splitlines()[1].startswith("one,0.75")
    assert "R@tokens=800" in output(files, "compare", *given)
    output(files, "report", *given, "-o", "report.html")
    assert "R@tokens=800" in (files / "report.html").read_text()
    output(files, "batch", *given, "-o", "batch")


def test_lengths_in_a_file_are_checked(files: Path) -> None:
    path = files / "lengths"
    path.write_text("doc tokens\na 3\n")
    assert cf.read_lengths(path) == {"a": 3.0}
    for text, kind in [("a -1\n", "number"), ("a 1\na 2\n", "conflict"), ("a\n", "fields")]:
        path.write_text(text)
        with pytest.raises(cf.Error) as caught:
            cf.read_lengths(path)
        assert caught.value.kind == kind, text
