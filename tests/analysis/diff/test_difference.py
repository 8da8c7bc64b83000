"""``cf.diff`` and ``cranfield diff``: terms that sum, lists side by side, bounds, formats."""

from __future__ import annotations

import csv
import gzip
import html
import io
import itertools
import json
import math
import re
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import _cli as cli

from tests import ROOT
from tests.commands import unsigned

EXAMPLE = ROOT / "examples" / "debtags"
QRELS = str(EXAMPLE / "qrels.txt")
A = str(EXAMPLE / "runs" / "bm25-title-stem.run.gz")
B = str(EXAMPLE / "runs" / "dense-minilm.run.gz")

SUMS = [
    "P@10",
    "R@100",
    "CG@20",
    "AP",
    "AP'",
    "AP@30",
    "DCG",
    "nDCG@10",
    "nDCG",
    "nDCG'",
    "RBP(p=0.9)",
]
EFFECTS = ["RR", "bpref", "Rprec", "nERR(max_rel=1)@20", "infAP", "num_rel_ret", "Judged@10", "IAP"]

JUDGED = {"1": {"x": 1, "y": 0, "z": 1}, "2": {"p": 2, "q": 0}}
FIRST = {"1": {"y": 2.0, "x": 1.0}, "2": {"p": 3.0, "u": 1.0}}
SECOND = {"1": {"x": 3.0, "u": 2.0, "z": 1.0}, "2": {"v": 3.0, "p": 1.0}}


@pytest.mark.parametrize("measure", SUMS)
def test_terms_sum_to_the_difference(measure: str) -> None:
    found = cf.diff(QRELS, A, B, measure)
    assert found.sums
    scores = cf.evaluate(QRELS, [A, B], measure)
    for place, topic in enumerate(scores.topics):
        a, b = scores.values[:, place, 0]
        one = found[topic]
        assert (one.a, one.b) == (a, b)
        assert math.fsum(d.effect for d in one.documents) == pytest.approx(b - a, abs=1e-12)
        for values, brought in ((a, "brings_a"), (b, "brings_b")):
            total = math.fsum(getattr(d, brought) for d in one.documents)
            assert total == pytest.approx(values, abs=1e-12)
    assert found.difference == pytest.approx(float(np.diff(scores.mean()[:, 0])[0]), abs=1e-12)
    assert math.fsum(t.share or 0 for t in found.topics) == pytest.approx(1)
    assert found.gain + found.loss == pytest.approx(found.difference, abs=1e-12)


@pytest.mark.parametrize("measure", EFFECTS)
def test_effects_are_those_of_taking_documents_out(measure: str) -> None:
    qrels = cf.read_qrels(QRELS)
    first, second = runs = [cf.read_run(path) for path in (A, B)]
    topic = qrels.topics[3]
    found = cf.diff(qrels, first, second, measure)
    assert not found.sums
    for run, documents in zip(runs, found[topic].lists, strict=True):
        ranked = list(run[topic])[:60]
        cut = {topic: {d: -rank for rank, d in enumerate(ranked)}}
        short = cf.diff(qrels, {"x": cut}, {"y": cut}, measure)[topic]
        whole = cf.evaluate(qrels, cut, measure)
        value = whole.values[0, whole.topics.index(topic), 0]
        assert [d.document for d in documents][:60] == ranked
        for document in short.lists[0][::7]:
            rest = {topic: {d: s for d, s in cut[topic].items() if d != document.document}}
            scores = cf.evaluate(qrels, rest, measure)
            without = scores.values[0, scores.topics.index(topic), 0]
            assert document.brings_a == pytest.approx(value - without, abs=1e-12)


def test_a_difference_by_hand() -> None:
    found = cf.diff(JUDGED, FIRST, SECOND, "AP")
    assert found.runs == ("a", "b")
    # 1: (1/2) / 2 and (1 + 2/3) / 2; 2: 1 and 1/2.
    one, two = found["1"], found[2]
    assert one.a == 0.25
    assert one.b == pytest.approx(5 / 6)
    assert (two.a, two.b, two.difference) == (1, 0.5, -0.5)
    assert [t.topic for t in found] == ["1", "2"]
    assert one.share == pytest.approx((7 / 12) / (1 / 12))
    documents = {d.document: d for d in one.documents}
    assert {d: documents[d].change for d in documents} == {
        "x": "rose",
        "y": "went",
        "u": "came",
        "z": "came",
    }
    assert documents["x"].effect == 0.25
    assert documents["z"].brings_b == pytest.approx(1 / 3)
    assert documents["u"].grade is None
    assert documents["y"].grade == 0
    assert [d.document for d in one.lists[1]] == ["x", "u", "z"]
    assert len(found.higher) == len(found.lower) == 1
    # u relevant: (1/2) / 3 and 1.
    (open_place,) = one.unjudged
    assert open_place.document == "u"
    assert (open_place.rank_a, open_place.rank_b) == (None, 2)
    assert open_place.if_best == pytest.approx(1 - 1 / 6)
    assert open_place.if_worst == pytest.approx(7 / 12)
    assert found.bounds == "exact"


def every_judging(grades: list[int]) -> Any:
    """Values of both runs under every way to judge u and v."""
    for u1, u2, v2 in itertools.product(grades, repeat=3):
        yield {"1": JUDGED["1"] | {"u": u1}, "2": JUDGED["2"] | {"u": u2, "v": v2}}


@pytest.mark.parametrize(
    ("measure", "bounds"),
    [
        ("P@2", "exact"),
        ("DCG@3", "exact"),
        ("RBP(p=0.7)", "exact"),
        ("AP", "exact"),
        ("nDCG@3", "exact"),
        ("R@2", "exact"),
        ("RR", "exact"),
        ("bpref", "outer"),
    ],
)
def test_bounds_against_every_judging(measure: str, bounds: str) -> None:
    found = cf.diff(JUDGED, FIRST, SECOND, measure)
    assert found.bounds == bounds
    differences = []
    for judged in every_judging([0, 1, 2]):
        scores = cf.evaluate(judged, {"a": FIRST, "b": SECOND}, measure)
        differences.append(scores.mean()[1, 0] - scores.mean()[0, 0])
    if bounds == "exact":
        assert found.low == pytest.approx(min(differences), abs=1e-9)
        assert found.high == pytest.approx(max(differences), abs=1e-9)
    assert found.low <= min(differences) + 1e-12
    assert found.high >= max(differences) - 1e-12


def test_measures_without_bounds_say_why() -> None:
    found = cf.diff(QRELS, A, B, "infAP")
    assert found.bounds is None
    assert found.bounds_reason
    assert math.isnan(found.low)
    assert found.topics[0].unjudged == ()
    assert "No bounds" in repr(found)


def test_runs_of_one_list_do_not_differ() -> None:
    found = cf.diff(JUDGED, FIRST, dict(FIRST), "AP")
    assert (found.difference, found.low, found.high) == (0, 0, 0)
    assert found.topics[0].share is None
    assert all(d.change == "stayed" for d in found["1"].documents)


@pytest.mark.parametrize("kind", ["path", "run", "dict", "stream", "frame"])
def test_runs_of_every_kind(kind: str) -> None:
    expected = cf.diff(QRELS, A, B, "nDCG@10").to_dict()

    def made(path: str) -> Any:
        run = cf.read_run(path)
        if kind == "run":
            return run
        if kind == "dict":
            return run.to_dict()
        if kind == "stream":
            return io.BytesIO(gzip.decompress(Path(path).read_bytes()))
        if kind == "frame":
            pandas = pytest.importorskip("pandas")
            rows = [(t, d, s) for t, docs in run.to_dict().items() for d, s in docs.items()]
            return pandas.DataFrame(rows, columns=["topic", "document", "score"])
        return path

    found = cf.diff(QRELS, made(A), made(B), "nDCG@10").to_dict()
    assert found["topics"] == expected["topics"]


def test_options_are_those_of_evaluate() -> None:
    for options in (
        {"depth": 5},
        {"order": "docno_asc"},
        {"scores": "f32"},
        {"negative": "nonrelevant"},
        {"order": "input"},
    ):
        found = cf.diff(QRELS, A, B, "AP", **options)
        scores = cf.evaluate(QRELS, [A, B], "AP", **options)
        for topic, values in zip(scores.topics, scores.values[:, :, 0].T, strict=True):
            assert (found[topic].a, found[topic].b) == tuple(values)
        if "depth" in options:
            assert max(len(one) for t in found for one in t.lists) == 5


def test_topics_that_a_run_lacks_or_that_are_undefined() -> None:
    judged = {"1": {"x": 1}, "2": {"x": 0}, "3": {"x": 1}}
    a = {"1": {"x": 1.0}, "2": {"x": 1.0}}
    b = {"1": {"y": 1.0}, "2": {"x": 1.0}, "3": {"x": 1.0}}
    found = cf.diff(judged, a, b, "AP")
    assert found["3"].difference == 1
    assert found["3"].lists[0] == ()
    skipped = cf.diff(judged, a, b, "AP", missing="skip", undefined="skip")
    assert [t.topic for t in skipped.topics] == ["1", "2", "3"]
    assert math.isnan(skipped["2"].difference)
    assert math.isnan(skipped["3"].difference)
    assert (skipped.a, skipped.b, skipped.difference) == (1, 0, -1)
    json.dumps(skipped.to_dict(), allow_nan=False)


def test_pooled_documents_are_unjudged() -> None:
    judged = {"1": {"x": 1, "u": -1}}
    found = cf.diff(judged, {"1": {"u": 1.0}}, {"1": {"x": 1.0}}, "P@1")
    assert found["1"].lists[0][0].grade is None
    assert [d.document for d in found["1"].unjudged] == ["u"]
    spam = cf.diff(judged, {"1": {"u": 1.0}}, {"1": {"x": 1.0}}, "P@1", negative="nonrelevant")
    assert spam["1"].lists[0][0].grade == -1
    assert spam["1"].unjudged == ()


@pytest.mark.parametrize("kind", ["tsv", "jsonl", "gz", "mapping"])
def test_texts(kind: str, tmp_path: Path) -> None:
    if kind == "mapping":
        source: Any = {"x": "a  <b>title</b>", "other": "no"}
    else:
        lines = "x\ta\t<b>title</b>\nother\tno\n"
        if kind == "jsonl":
            lines = json.dumps({"docno": "x", "title": "a", "text": "<b>title</b>"}) + "\n"
        source = tmp_path / ("texts.tsv.gz" if kind == "gz" else f"texts.{kind}")
        data = lines.encode()
        source.write_bytes(gzip.compress(data) if kind == "gz" else data)
    found = cf.diff(JUDGED, FIRST, SECOND, "AP", documents=source, queries={1: "what?"})
    texts = {d.document: d.text for d in found["1"].documents}
    assert texts == {"x": "a <b>title</b>", "y": None, "u": None, "z": None}
    assert found["1"].query == "what?"
    assert found["2"].query is None
    assert "<b>" not in found._repr_html_()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", "x a title\n", "a.tsv:1: expected id, tab and text, found 'x a title'"),
        ("a.jsonl", '{"docno": "x"}\n', "expected an object with an id and a text"),
        ("a.jsonl", "[1]\n", "expected an object"),
        ("a.tsv.gz", "plain\n", "a.tsv.gz:1: expected id, tab and text"),
    ],
)
def test_invalid_texts(name: str, content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(cf.Error, match=re.escape(message)):
        cf.diff(JUDGED, FIRST, SECOND, "AP", documents=path)
    with pytest.raises(cf.Error, match="there is no such file"):
        cf.diff(JUDGED, FIRST, SECOND, "AP", documents=tmp_path / "none.tsv")
    with pytest.raises(cf.Error, match="found int"):
        cf.diff(JUDGED, FIRST, SECOND, "AP", documents=3)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("AP RR", "expected one measure, found 2"),
        ("GMAP", "geometric mean"),
        ("micro_P@5", "weighted mean"),
    ],
)
def test_measures_that_are_refused(measure: str, message: str) -> None:
    with pytest.raises(cf.Error, match=message):
        cf.diff(JUDGED, FIRST, SECOND, measure)


def test_runs_that_are_refused() -> None:
    with pytest.raises(cf.Error, match="expected one run as b, found 2"):
        cf.diff(QRELS, A, [A, B], "AP")
    ranked = cf.collection.rank(QRELS, A)[0]
    with pytest.raises(cf.Error, match="give the run itself"):
        cf.diff(QRELS, ranked, B, "AP")
    with pytest.raises(cf.Error, match="max_grade"):
        cf.diff(QRELS, A, B, "AP", max_grade=-1)
    with pytest.raises(cf.LabelError, match="no topic 'none'"):
        cf.diff(QRELS, A, B, "AP")["none"]


def test_the_same_bits_for_any_number_of_threads() -> None:
    one, two = (cf.diff(QRELS, A, B, "bpref", threads=n).to_dict() for n in (1, 2))
    assert one == two


def test_frames() -> None:
    found = cf.diff(JUDGED, FIRST, SECOND, "AP")
    rows = sum(len(t.documents) for t in found)
    for name in ("pyarrow", "polars", "pandas"):
        pytest.importorskip(name)
    assert found.to_arrow().num_rows == rows
    assert found.to_polars()["if_best"].null_count() < rows
    assert found.to_pandas()["rank_a"].isna().any()


# the command


def run(capsys: Any, *words: str) -> str:
    assert cli.main(["diff", QRELS, A, B, "--quiet", *words]) == 0
    return unsigned(capsys.readouterr().out)


def test_the_command_prints_lists_side_by_side(capsys: Any) -> None:
    text = run(capsys, "-m", "nDCG@10", "--details", "1", "--length", "4")
    assert text.startswith("nDCG@10, mean over 88 topics: bm25-title-stem 0.")
    assert "came" in text
    assert "moves" in text
    assert text.count("Topic ") == 1
    chosen = run(capsys, "-m", "AP", "--topics", "protocol::dns use::login")
    assert "Topic protocol::dns" in chosen
    assert "Topic use::login" in chosen


def test_the_command_writes_json_and_csv(capsys: Any, tmp_path: Path) -> None:
    found = json.loads(run(capsys, "-m", "AP", "--format", "json"))
    expected = cf.diff(QRELS, A, B, "AP")
    assert found["difference"] == expected.difference
    assert found["topics"] == json.loads(json.dumps(expected.to_dict()["topics"]))
    path = tmp_path / "rows.csv"
    run(capsys, "-m", "AP", "-o", str(path), "--topics", "protocol::dns")
    rows = list(csv.DictReader(path.open()))
    assert {row["topic"] for row in rows} == {"protocol::dns"}
    effects = math.fsum(float(row["effect"]) for row in rows)
    assert effects == pytest.approx(expected["protocol::dns"].difference, abs=1e-12)


def test_the_page_escapes_what_it_shows(tmp_path: Path, capsys: Any) -> None:
    evil = "<script>alert(1)</script>&\"'"
    files = {
        "qrels.txt": f"1 0 {evil} 1\n",
        "a.run": f"1 Q0 {evil} 1 2.0 {evil}\n",
        "b<i>.run": "1 Q0 other 1 2.0 tag\n",
        "docs.tsv": f"{evil}\t{evil}\nother\t\x1b[31m{evil}\n",
        "queries.tsv": f"1\t{evil}\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    page = tmp_path / "page.html"
    qrels, a, b, docs, queries = (str(tmp_path / name) for name in files)
    words = [qrels, a, b, "-m", "AP", "--documents", docs, "--queries", queries, "-o", str(page)]
    assert cli.main(["diff", *words, "--quiet"]) == 0
    text = page.read_text()
    assert "<script>alert" not in text
    assert "<i>" not in text
    assert evil not in text
    shown = html.unescape(re.sub(r"<style>.*?</style>|<script>.*?</script>", "", text, flags=re.S))
    assert shown.count(evil) >= 5
    assert not re.search(r'(?:src|href)="(?![#]|data:,")', text)
    assert cli.main(["diff", *words[:-2], "--quiet"]) == 0
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m", "AP", "--topics", "none"], "no topic 'none'"),
        (["-m", "AP RR"], "expected one measure"),
        (["-m", "AP", "--max-grade", "-2"], "--max-grade"),
        (["-m", "AP", "-o", "x.png"], "expected one of the suffixes"),
        (["-m", "AP", "--documents", "none.tsv"], "none.tsv: there is no such file"),
        ([], "-m"),
    ],
)
def test_the_command_refuses(words: list[str], message: str, capsys: Any) -> None:
    assert cli.main(["diff", QRELS, A, B, *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
