"""Two runs without judgments, and partly judged ones: bounds against every way of judging.

The values of a judging are those of ``cf.evaluate`` on judgments that name it; agreement of lists
is recomputed by sets and with ``cf.stats``. The figures on Debtags are those of a slow reference
program.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import random
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
from cranfield import _cli as cli

from tests import ROOT

EXAMPLE = ROOT / "examples" / "debtags"

EXACT = (
    *("P@3", "DCG@4", "CG@3", "RBP(p=0.8)", "nDCG@3", "nDCG", 'nDCG(dcg="exp-log2")@4', "enDCG@2"),
    *('nDCG(dcg="jk")@3', "nRBP(p=0.7)@4", "R@2", "Rcap@2", "Rprec", "RR", "RR@2", "Success@2"),
)
NEAR = ("AP", "AP@3", "aAP@2")


def ranked(documents: list[str]) -> dict[str, float]:
    return {document: float(-rank) for rank, document in enumerate(documents)}


def by_brute_force(
    lists: list[list[str]], measures: tuple[str, ...], least: int, top: int
) -> dict[str, tuple[float, float]]:
    """The lowest and highest difference over all judgings, with ``least`` documents elsewhere."""
    elsewhere = [f"elsewhere{i}" for i in range(least)]
    documents = sorted({*lists[0], *lists[1], *elsewhere})
    runs = {name: {"1": ranked(one)} for name, one in zip("ab", lists, strict=True)}
    found: dict[str, list[float]] = {measure: [] for measure in measures}
    for grades in itertools.product(range(top + 1), repeat=len(documents)):
        if sum(grade > 0 for grade in grades) < least:
            continue
        # So that the scale has its highest grade.
        judged = {"1": dict(zip(documents, grades, strict=True)), "2": {"z": top}}
        scores = cf.evaluate(judged, runs, list(measures), missing="zero").values[:, 0]
        for measure, difference in zip(measures, (scores[1] - scores[0]).tolist(), strict=True):
            found[measure].append(difference)
    return {measure: (min(values), max(values)) for measure, values in found.items()}


@pytest.mark.parametrize(("least", "top"), [(1, 1), (3, 1), (2, 2)])
@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_bounds_are_those_of_every_judging(least: int, top: int) -> None:
    drawn = random.Random(100 * least + top)
    for _ in range(4 if top == 1 else 2):
        pool = list("abcdefg")[: 6 if top == 1 else 4]
        lists = [drawn.sample(pool, drawn.randint(1, len(pool))) for _ in range(2)]
        if not set(lists[0]) & set(lists[1]):
            lists[1].append(lists[0][0])
        expected = by_brute_force(lists, EXACT + NEAR, least, top)
        runs = [{"1": ranked(one)} for one in lists]
        # Both as the judgments of brute force: grades up to the top.
        found = cf.diff(None, runs[0], runs[1], EXACT + NEAR, least_relevant=least, max_grade=top)
        for i, measure in enumerate(EXACT + NEAR):
            low, high = expected[measure]
            if measure in EXACT:
                assert found.bounds(measure) == "exact"
            assert found.low[i, 0, 0] <= low + 1e-12, (measure, lists)
            assert found.high[i, 0, 0] >= high - 1e-12, (measure, lists)
            assert found.low_reached[i, 0, 0] == pytest.approx(low, abs=1e-9), (measure, lists)
            assert found.high_reached[i, 0, 0] == pytest.approx(high, abs=1e-9), (measure, lists)


def test_an_example_by_hand() -> None:
    # w: a +.3691, b -.3691, c 0, d +.4307, x -.4307; d alone .4307 / 1, both .7997 / 1.6309.
    first, second = {"1": ranked(list("abcd"))}, {"1": ranked(list("bacx"))}
    found = cf.diff(None, second, first, "nDCG@10 P@10 RR RBP(p=0.8)", least_relevant=1)
    assert found.high[:, 0, 0].round(4).tolist() == [0.4904, 0.1, 0.5, 0.1424]
    assert cf.diff(None, first, second, "nDCG@10").relevant("nDCG@10", 1) == ("a", "d")
    # Partly judged, c = 2 and x = 1: exact.
    partly = cf.diff({"1": {"c": 2, "x": 1}}, second, first, "nDCG@10")
    assert (round(partly.low, 4), round(partly.high, 4)) == (-0.3107, 0.2491)
    assert partly.bounds == "exact"


@pytest.mark.parametrize(
    ("first", "second", "ndcg", "ap"),
    [
        ("bm25-k1.2-b.75", "dense-minilm", (-0.3277, 0.4021), (-0.3664, 0.5433)),
        ("bm25-k1.2-b.75", "bm25-k1.2-b.75-stem", (-0.1779, 0.1933), (-0.1711, 0.2520)),
        ("rrf-bm25-dense", "dense-minilm", (-0.2336, 0.2114), (-0.3039, 0.2956)),
    ],
)
def test_the_figures_of_debtags(
    first: str, second: str, ndcg: tuple[float, float], ap: tuple[float, float]
) -> None:
    qrels = cf.read_qrels(str(EXAMPLE / "qrels.txt"))
    runs = [str(EXAMPLE / "runs" / f"{name}.run.gz") for name in (first, second)]
    found = cf.diff(qrels, runs[0], runs[1], "nDCG@10")
    assert found.bounds == "exact"
    assert (round(found.low, 4), round(found.high, 4)) == ndcg
    near = cf.diff(qrels, runs[0], runs[1], "AP")
    assert (near.low, near.high) == pytest.approx(ap, abs=1e-3)


def test_how_alike_lists_are() -> None:
    drawn = random.Random(3)
    pool = [f"d{i}" for i in range(30)]
    lists = [{str(t): drawn.sample(pool, drawn.randint(1, 25)) for t in range(12)} for _ in "ab"]
    lists[1]["3"] = list(lists[0]["3"])
    runs: list[dict[str, dict[str, float]]] = [
        {topic: ranked(one) for topic, one in run.items()} for run in lists
    ]
    found = cf.diff(None, runs[0], runs[1], "P@5", k=[5, 10])
    assert found.k == (5, 10)
    for row, topic in enumerate(found.topics):
        for place, k in enumerate(found.k):
            first, second = (run[topic][:k] for run in lists)
            both = [d for d in second if d in first]
            value = {name: values[row, place] for name, values in found.alike.items()}
            assert value["overlap"] == len(both) / max(len(first), len(second))
            assert value["jaccard"] == len(both) / len({*first, *second})
            assert value["shared"] == len(both)
            assert value["came"] == len(second) - len(both)
            assert value["went"] == len(first) - len(both)
            assert value["same_first"] == (first[0] == second[0])
            assert value["same_set"] == (set(first) == set(second))
            assert value["same_order"] == (first == second)
            moves = [abs(first.index(d) - second.index(d)) for d in both]
            if moves:
                assert value["moved"] == pytest.approx(sum(moves) / len(moves))
                assert value["moved_most"] == max(moves)
            rbo = cf.stats.rbo(lists[0][topic], lists[1][topic], p=0.9).ext
            assert value["rbo"] == pytest.approx(rbo, abs=1e-12)
            if len(both) > 1:
                ranks = ([-side.index(d) for d in both] for side in (second, first))
                assert value["tau_ap"] == pytest.approx(float(cf.stats.tau_ap(*ranks)), abs=1e-12)


A = {"1": ranked(list("abcd")), "2": ranked(list("efgh"))}
B = {"1": ranked(list("bacd")), "2": ranked(list("efgz"))}


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        ("bpref", "judge the first document of one relevant"),
        ("AP'", "condensed"),
        ("ERR(max_rel=3)", "known are those of P"),
        ("GMAP", "not a mean"),
    ],
)
def test_measures_without_useful_bounds_are_refused(measure: str, words: str) -> None:
    with pytest.raises(cf.Error, match=words):
        cf.diff(None, A, B, measure)


def test_bad_input() -> None:
    with pytest.raises(cf.Error, match="topic `3` is in b only"):
        cf.diff(None, A, B | {"3": B["1"]}, "P@2")
    skipped = cf.diff(None, A, B | {"3": B["1"]}, "P@2", missing="skip")
    assert (skipped.topics, skipped.skipped) == (("1", "2"), ("3",))
    other = {topic: {f"x{d}": s for d, s in scored.items()} for topic, scored in B.items()}
    with pytest.raises(cf.Error, match=r"no document in common.*`a`, the second `xb`"):
        cf.diff(None, A, other, "P@2")
    wrong: list[dict[str, Any]] = [{"k": 0}, {"least_relevant": 0}, {"documents": {}}]
    for how in [*wrong, {"topic_groups": {}}]:
        with pytest.raises(cf.Error):
            cf.diff(None, A, B, "P@2", **how)
    with pytest.raises(cf.Error, match="without judgments"):
        cf.diff({"1": {"a": 1}}, A, B, "P@2", k=3)  # type: ignore[call-overload]


def test_equal_runs_cannot_differ() -> None:
    found = cf.diff(None, A, dict(A), "nDCG@3 AP R@2 RR")
    assert not found.low.any()
    assert not found.high.any()
    assert found.alike["overlap"].min() == found.alike["same_order"].min() == 1


def written(folder: Path, run: dict[str, dict[str, float]], name: str) -> str:
    lines = [f"{t} Q0 {d} 0 {s} {name}" for t, scored in run.items() for d, s in scored.items()]
    path = folder / f"{name}.run"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [written(tmp_path, A, "a"), written(tmp_path, B, "b")]
    assert cli.main(["diff", *files, "-m", "nDCG@3 AP"]) == 0
    text = capsys.readouterr().out
    assert "2 topics, no judgments: overlap@3 1.0000" in text
    assert "R >= 10" in text
    assert cli.main(["diff", *files, "-m", "P@2 RR", "--format", "json", "-k", "2"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["bounds"] == {"P@2": "exact", "RR": "exact"}
    found = cf.diff(None, A, B, "P@2 RR", k=2)
    first = content["topics"][0]
    assert first["measures"]["RR"]["low"] == found.low[1, 0, 0] == -0.5
    assert first["measures"]["RR"]["relevant"] == ["a"]
    assert [row["least_relevant"] for row in first["measures"]["RR"]["curve"]] == [1, 3, 10]
    assert cli.main(["diff", *files, "-m", "RR", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 2 * 3
    assert rows[0]["low"] == "-0.5"
    page = tmp_path / "lists.html"
    pytest.importorskip("jinja2")
    assert cli.main(["diff", *files, "-m", "RR", "-o", str(page)]) == 0
    assert "R &gt;= 10" in page.read_text()


def test_a_file_that_may_be_judgments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n2 0 e 0\n")
    run = written(tmp_path, B, "b")
    assert cli.main(["diff", str(tmp_path / "qrels.txt"), run, "-m", "RR"]) == 2
    message = capsys.readouterr().err
    assert "is or may be judgments" in message
    assert "--no-qrels" in message
    assert "cranfield diff QRELS A B" in message
    # A run in JSON with few scores could be judgments.
    scores = tmp_path / "a.json"
    scores.write_text(json.dumps(A))
    assert cli.main(["diff", str(scores), run, "-m", "RR"]) == 2
    assert "--no-qrels" in capsys.readouterr().err
    assert cli.main(["diff", str(scores), run, "-m", "RR", "--no-qrels"]) == 0
    assert "no judgments" in capsys.readouterr().out
    assert cli.main(["diff", run, "-m", "RR"]) == 2
    assert "expected two runs, found 1 file" in capsys.readouterr().err
