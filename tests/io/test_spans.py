"""Judgments of spans and runs of chunks: from dicts, files, objects and quotes.

Expected values are worked by hand; those of measures are in rust/core/tests/spans.rs.
"""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield._cli import main

GOLD: dict[str, list[Any]] = {
    "q1": [("A", 10, 30, 1), ("A", 60, 70, 2), ("B", 0, 10)],
    "q2": [("C", 0, 5, 1, "x")],
}
LISTS: dict[str, list[Any]] = {
    "q1": [("A", 0, 20), ("A", 20, 80), ("B", 5, 25), ("A", 10, 30)],
    "q2": [("C", 0, 5)],
}
TEXT = "The cat sat.\nThe cat  ran."


def _written(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def _tsv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    return "\n".join("\t".join(map(str, row)) for row in [header, *rows]) + "\n"


def _fails(kind: str, part: str, call: Any, *args: Any, **options: Any) -> cf.Error:
    with pytest.raises(cf.Error) as caught:
        call(*args, **options)
    assert caught.value.kind == kind, caught.value
    assert part in str(caught.value), caught.value
    return caught.value


def test_every_form_scores_the_same(tmp_path: Path) -> None:
    measures = "char-R@2 char-IoU char-AP span-R@2 span-nDCG gP@2 AgP char-R@chars=50"
    gold, run = cf.SpanQrels(GOLD), cf.SpanRun(LISTS, name="chunks")
    expected = cf.evaluate(gold, run, measures).values
    rows = [(t, d, s, e, *m) for t, spans in GOLD.items() for d, s, e, *m in spans]
    full = [(*row, *(1, "")[len(row) - 4 :]) for row in reversed(rows)]
    header = ("Query ID", "ref_doc_id", "start-index", "end", "Grade", "group")
    tsv = _written(tmp_path, "gold.tsv", _tsv(header, full))
    assert cf.read_span_qrels(tsv) == gold
    assert cf.read_span_qrels(tsv).fingerprint == gold.fingerprint
    lines = [
        {
            "topic": t,
            "evidence": [
                dict(zip(("doc", "start", "end", "grade", "group"), s, strict=False)) for s in spans
            ],
        }
        for t, spans in GOLD.items()
    ]
    jsonl = _written(tmp_path, "gold.jsonl", "\n".join(map(json.dumps, lines)))
    assert cf.read_span_qrels(jsonl) == gold
    chunks = [
        (t, d, s, e - s, 9 - rank)
        for t, found in LISTS.items()
        for rank, (d, s, e) in enumerate(found)
    ]
    chunks_path = _written(
        tmp_path, "chunks.tsv", _tsv(("topic", "doc", "start", "length", "score"), chunks[::-1])
    )
    named = [
        {"query": t, "results": [{"source": d, "start_index": s, "end": e} for d, s, e in found]}
        for t, found in LISTS.items()
    ]
    named_path = _written(tmp_path, "chunks.json", json.dumps(named))
    for runs in (chunks_path, named_path, LISTS, {"chunks": LISTS}, {"chunks": run}, [run]):
        assert (
            cf.evaluate(jsonl if runs is None else gold, runs, measures).values == expected
        ).all(), runs
    assert (cf.evaluate(gold, run, measures, threads=2).values == expected).all()
    assert pickle.loads(pickle.dumps(gold)) == gold
    assert pickle.loads(pickle.dumps(run)) == run


SAME = (
    ("R@3", "char-R@3", "char-R@chars=21", "span-R@3"),
    ("P@3", "char-P@chars=21", "gP@3"),
    ("SetP@3", "char-SetP@3"),
    ("SetF", "char-SetF"),
    ("IoU@5", "char-IoU@5"),
    ("IPrec@0.3", "char-IPrec@0.3"),
    ("IAP", "char-IAP"),
    ("Rprec", "char-Rprec"),
    ("Success@2", "char-Success@2", "span-Success@2"),
    ("RR", "span-RR"),
    ("AP", "AgP"),
    ("nDCG", "char-nDCG(unit=7)", "span-nDCG"),
    ("nDCG@4", "char-nDCG(unit=7)@chars=28", "span-nDCG@4"),
)
"""Measures of documents, and what they are over documents as spans of seven characters."""


def _whole(
    qrels: Any, run: Any, same: Iterable[Sequence[str]], length: int = 7, rtol: float = 0.0
) -> None:
    """Compares plain measures, to the bit or nearly, with those over documents as spans."""
    judged, found = cf.Qrels(qrels).to_dict(), cf.Run(run).to_dict()
    gold = cf.SpanQrels(
        {t: [(d, 0, length, g) for d, g in docs.items()] for t, docs in judged.items()}
    )
    places = {doc: (doc, 0, length) for docs in found.values() for doc in docs}
    chunks = cf.SpanRun.from_run(run, places)
    for plain, *others in same:
        expected = cf.evaluate(qrels, run, plain, missing="skip").values
        for other in others:
            values = cf.evaluate(gold, chunks, other, missing="skip").values
            close = np.allclose(values, expected, rtol=rtol, atol=0, equal_nan=True)
            assert close, (plain, other)


def test_whole_documents_are_plain_measures() -> None:
    rng = np.random.default_rng(46)
    qrels = {
        str(t): {f"d{d}": int(rng.integers(0, 4)) for d in rng.choice(60, 25, replace=False)}
        for t in range(20)
    }
    run = {
        str(t): {f"d{d}": float(rng.integers(0, 30)) for d in rng.choice(60, 30, replace=False)}
        for t in range(20)
    }
    _whole(qrels, run, SAME)
    _whole(qrels, run, [("AP", "char-AP")], length=1)
    # Characters that stand together are added at once.
    utility = 'U(L=20,form="original")'
    _whole(qrels, run, [(utility, f"char-{utility}")], length=1, rtol=1e-14)


@pytest.mark.skipif("CRANFIELD_DATA" not in os.environ, reason="needs the collections")
def test_whole_documents_of_a_collection() -> None:
    folder = Path(os.environ["CRANFIELD_DATA"]) / "trec8-adhoc"
    qrels = cf.read_qrels(next(folder.glob("*.qrels.gz"))).to_dict()
    run = cf.read_run(sorted((folder / "runs").glob("*"))[0]).to_dict()
    few = sorted(qrels)[:10]
    _whole({t: qrels[t] for t in few}, {t: run[t] for t in few}, SAME)


def test_scores_are_ordinary(tmp_path: Path) -> None:
    gold = cf.SpanQrels(GOLD)
    runs = {"small": LISTS, "whole": {"q1": [("A", 0, 100), ("B", 0, 50)], "q2": [("C", 0, 50)]}}
    scores = cf.evaluate(gold, runs)
    assert scores.measures == (
        "span-R@5",
        "span-nDCG@10",
        "char-R@chars=4000",
        "char-SetP@5",
        "char-IoU@5",
    )
    assert "qrels=" + gold.fingerprint in str(scores.fingerprint)
    assert cf.SpanQrels({**GOLD, "q2": [("C", 0, 6, 1, "x")]}).fingerprint != gold.fingerprint
    assert cf.compare(gold, runs, "char-IoU@5").rows[0].topics == 2
    assert scores.compare(baseline="whole").rows
    again = pickle.loads(pickle.dumps(scores))
    assert (again.values == scores.values).all()
    evaluator = cf.Evaluator(gold, "char-R@2")
    assert (
        pickle.loads(pickle.dumps(evaluator)).evaluate(LISTS).mean()
        == evaluator.evaluate(LISTS).mean()
    )
    assert evaluator.topic("q1", LISTS["q1"]) == {"char-R@2": 0.75}


def test_what_has_no_meaning_is_refused() -> None:
    gold, run = cf.SpanQrels(GOLD), cf.SpanRun(LISTS)
    _fails("measure", "R@5 over passages: span-R@5 (evidence found)", cf.evaluate, gold, run, "R@5")
    _fails("measure", "documents: run.documents()", cf.evaluate, gold, run, "bpref")
    _fails(
        "needs",
        "needs judgments of spans",
        cf.evaluate,
        {"q": {"a": 1}},
        {"q": {"a": 1}},
        "char-R@5",
    )
    _fails("bounds", "run.documents()", cf.bounds, gold, run, "char-R@5")
    _fails("option", "run.documents()", cf.tie_bounds, gold, run, "char-R@5")
    _fails("option", "ties of chunks", cf.evaluate, gold, run, "char-R@5", ties="average")
    _fails(
        "option",
        "duplicates is about documents",
        cf.evaluate,
        gold,
        run,
        "char-R@5",
        duplicates="best",
    )
    _fails("type", "run.documents()", cf.evaluate, {"q1": {"A": 1}}, run, "AP")
    _fails("type", "gold.documents()", cf.judges.compare, gold, gold, LISTS, "AP")
    _fails(
        "needs", "the tokens of every chunk, and 5 of 5", cf.evaluate, gold, run, "char-R@tokens=9"
    )
    other = cf.SpanRun(LISTS, offsets="lines")
    _fails("needs", "count lines", cf.evaluate, gold, other, "char-R@5")
    _fails("topics", "no topic in common", cf.evaluate, gold, {"z": [("A", 0, 5)]}, "char-R@5")


@pytest.mark.parametrize(
    ("row", "kind", "part"),
    [
        (("q1", "A", 5, 5), "span", "holds no character; ends are exclusive"),
        (("q1", "A", -1, 5), "number", "add_start_index=True"),
        (("q1", "A", -2, 5), "number", "at least 0 as start, found `-2`"),
        (("q1", "A", 1.5, 5), "number", "whole number"),
        (("q1", "A", "", 5), "number", "found nothing"),
        (("q1", "A", 0, 2**32), "limit", "at most 4294967295"),
        (("q1", "A", 10, 30), "duplicate", "given twice"),
        (("q1", "", 1, 5), "fields", "expected a doc in each row"),
    ],
)
def test_wrong_rows_are_placed(tmp_path: Path, row: tuple[Any, ...], kind: str, part: str) -> None:
    header = ("topic", "doc", "start", "end")
    rows = [("q1", "A", 10, 30), row]
    path = _written(tmp_path, "gold.tsv", _tsv(header, rows))
    error = _fails(kind, part, cf.read_span_qrels, path)
    assert error.line == 3
    assert error.file == path


def test_wrong_files_and_objects(tmp_path: Path) -> None:
    path = _written(tmp_path, "gold.tsv", "topic\tdoc\tfrom\tend\nq1\tA\t1\t2\n")
    _fails("fields", "expected columns for start", cf.read_span_qrels, path)
    assert cf.read_span_qrels(path, columns={"start": "from"})["q1"] == [("A", 1, 2, 1.0)]
    _fails("empty", "empty file", cf.read_span_qrels, _written(tmp_path, "none", ""))
    _fails("fields", "tabs or commas", cf.read_span_qrels, _written(tmp_path, "x", "q1 A 1 2\n"))
    path = _written(tmp_path, "null.jsonl", '{"topic": "q", "doc": "A", "start": null, "end": 3}\n')
    _fails("number", "LlamaIndex", cf.read_span_qrels, path)
    _fails("number", "grade", cf.SpanQrels, {"q": [("A", 0, 5, float("nan"))]})
    _fails("span", "number 1", cf.SpanQrels, {"q": [("A", 5, 5)]})
    _fails("number", "None", cf.SpanRun, {"q": [("A", None, 5)]})
    _fails("type", "(doc, start, end", cf.SpanQrels, {"q": ["A"]})
    _fails("type", "no order", cf.SpanRun, {"q": {("A", 0, 5)}})


def test_offsets_of_other_units(tmp_path: Path) -> None:
    texts = {"A": "a\u00e9\U0001f600b"}
    path = _written(tmp_path, "gold.tsv", "topic\tdoc\tstart\tend\nq\tA\t3\t7\n")
    assert cf.read_span_qrels(path, offsets="utf8", texts=texts)["q"] == [("A", 2, 3, 1.0)]
    _fails(
        "span",
        "inside a character",
        cf.read_span_qrels,
        path,
        offsets="utf16",
        texts={"A": "ab\U0001f600cdef"},
    )
    _fails("needs", "texts", cf.read_span_qrels, path, offsets="utf8")
    _fails("span", "beyond the text", cf.read_span_qrels, path, texts=texts)
    _fails("label", "no text", cf.read_span_qrels, path, texts={"B": ""})


def test_quotes() -> None:
    quoted = cf.SpanQrels.from_quotes
    texts = {"A": TEXT, "N": "un cafe\u0301 noir \u201cchaud\u201d"}
    assert quoted({"q": [("A", "cat ran.")]}, texts)["q"] == [("A", 17, 26, 1.0)]
    error = _fails("ambiguous", "at 0, 13", quoted, {"q": [("A", "The cat")]}, texts)
    assert "give the start" in str(error)
    spans = quoted({"q": [("A", "The cat", 2)]}, texts, ambiguous="any")["q"]
    assert [span[1] for span in spans] == [0, 13]
    assert len({span[4] for span in spans}) == 1
    assert quoted({"q": [{"doc": "A", "quote": "The cat", "start": 12}]}, texts)["q"][0][1] == 13
    _fails("missing", "the nearest is", quoted, {"q": [("A", "the cow sat")]}, texts)
    _fails("missing", 'normalize="loose"', quoted, {"q": [("N", 'Caf\u00e9 noir "chaud"')]}, texts)
    found = quoted({"q": [("N", 'Caf\u00e9 noir "chaud"')]}, texts, normalize="loose")["q"]
    assert found == [("N", 3, len(texts["N"]), 1.0)]
    _fails("label", "no text", quoted, {"q": [("Z", "x")]}, texts)
    _fails("type", "(doc, quote", quoted, {"q": ["x"]}, texts)


def test_objects_of_hosts() -> None:
    node = SimpleNamespace(
        ref_doc_id="A", start_char_idx=0, end_char_idx=12, text=TEXT[:12], metadata={}
    )
    scored = SimpleNamespace(node=node, score=0.5)
    chain = SimpleNamespace(
        page_content="The cat  ran.", metadata={"source": "A", "start_index": 13}
    )
    stack = SimpleNamespace(
        content="cat sat", meta={"source_id": "A", "split_idx_start": 4}, score=0.2
    )
    run = cf.SpanRun.from_nodes({"q": [scored, (chain, 0.4), stack]}, name="nodes")
    assert [(c["doc"], c["start"], c["end"], c["score"]) for c in run.to_dict()["q"]] == [
        ("A", 0, 12, 0.5),
        ("A", 13, 26, 0.4),
        ("A", 4, 11, 0.2),
    ]
    lost = SimpleNamespace(
        page_content="The cat  ran.", metadata={"source": "A", "start_index": -1}
    )
    _fails("number", "add_start_index=True", cf.SpanRun.from_nodes, {"q": [lost]})
    texts = {"A": TEXT, "E": "\u00e9\u00e9 cat"}
    assert cf.SpanRun.from_nodes({"q": [lost]}, texts=texts).to_dict()["q"][0]["start"] == 13
    bytes_ = SimpleNamespace(page_content="cat", metadata={"source": "E", "start_index": 5})
    _fails("needs", "counts utf8", cf.SpanRun.from_nodes, {"q": [bytes_]}, texts=texts)
    _fails("type", "names its document", cf.SpanRun.from_nodes, {"q": [SimpleNamespace(text="x")]})


def test_chunks_by_name_and_documents(tmp_path: Path) -> None:
    places = {"c1": ("A", 0, 20), "c2": ("A", 20, 80), "c3": ("B", 5, 25), "c4": ("A", 10, 30)}
    ids = {"q1": {"c1": 4, "c2": 3, "c3": 2, "c4": 1}, "q2": {}}
    gold = cf.SpanQrels(GOLD)
    run = cf.SpanRun.from_run(ids, places)
    assert cf.evaluate(gold, run, "char-R@3").to_dict()["run"]["q1"]["char-R@3"] == 7 / 8
    table = _written(
        tmp_path,
        "c.csv",
        "chunk_id,doc,start,end\n"
        + "\n".join(f"{k},{d},{s},{e}" for k, (d, s, e) in places.items()),
    )
    assert cf.SpanRun.from_run(ids, table) == run
    _fails("label", "1 chunks of run", cf.SpanRun.from_run, {"q1": {"c9": 1}}, places)
    labels = gold.label(places, overlap=0.5)
    assert labels.to_dict()["q1"] == {"c1": 1.0, "c2": 2.0, "c3": 1.0, "c4": 1.0}
    assert labels.column("class", "q1")["c1"] == labels.column("class", "q1")["c4"]
    assert gold.documents().to_dict() == {"q1": {"A": 2.0, "B": 1.0}, "q2": {"C": 1.0}}
    scored = cf.SpanRun(
        {"q": [("A", 50, 90, 0.9), ("B", 0, 40, 0.8), ("B", 40, 80, 0.7), ("A", 0, 50, 0.5)]}
    )
    for method, a, b in [
        ("MaxP", 0.9, 0.8),
        ("FirstP", 0.5, 0.8),
        ("SumP", 1.4, 1.5),
        ("AvgP", 0.7, 0.75),
        ("KMaxAvgP(1)", 0.9, 0.8),
    ]:
        assert scored.documents(method).to_dict()["q"] == pytest.approx({"A": a, "B": b}), method
    _fails("option", "MaxP, FirstP", scored.documents, "Max")
    _fails("needs", "one of each chunk", cf.SpanRun(LISTS).documents)


def test_repeats_and_near_misses_are_told() -> None:
    gold = cf.SpanQrels({"q1": [("A", 0, 20)], "q2": [("A", 0, 5)]})
    lists = {"q1": [("A", 0, 10), ("A", 11, 30)], "q2": [("A", 0, 5), ("A", 0, 5)]}
    with pytest.warns(cf.CranfieldWarning) as warned:
        cf.evaluate(gold, lists, "span-R@5")
    said = str(warned[0].message)
    assert "1 chunk is already in the list" in said
    assert "1 of 2 spans miss full cover by at most 3 characters" in said


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = _written(
        tmp_path,
        "gold.tsv",
        _tsv(("topic", "doc", "start", "end"), [("q1", "A", 10, 30), ("q2", "A", 0, 5)]),
    )
    small = _written(
        tmp_path,
        "small.tsv",
        _tsv(("topic", "doc", "start", "end"), [("q1", "A", 0, 20), ("q2", "A", 0, 5)]),
    )
    large = _written(
        tmp_path,
        "large.tsv",
        _tsv(("topic", "doc", "start", "end"), [("q1", "A", 0, 90), ("q2", "A", 0, 90)]),
    )
    spans = ["--layout", "spans"]
    assert (
        main(["eval", gold, small, large, *spans, "-m", "char-R@1 char-IoU", "--format", "csv"])
        == 0
    )
    assert "small,0.75," in capsys.readouterr().out
    assert main(["compare", gold, small, large, *spans]) == 0
    assert main(["diff", gold, small, large, *spans, "-m", "AP"]) != 0
    assert "--layout spans is for eval, compare" in capsys.readouterr().err
    table = _written(
        tmp_path,
        "c.tsv",
        _tsv(("chunk", "doc", "start", "end"), [("c1", "A", 0, 20), ("c2", "A", 0, 5)]),
    )
    ids = _written(tmp_path, "ids.run", "q1 Q0 c1 1 2.5 t\nq2 Q0 c2 1 2.5 t\n")
    assert main(["eval", gold, ids, *spans, "--chunks", table, "-m", "char-R@1"]) == 0
    assert "0.7500" in capsys.readouterr().out


def test_quotes_in_files(tmp_path: Path) -> None:
    quotes = [
        {"topic": "q1", "evidence": [{"doc": "A", "quote": "cat ran.", "grade": 2}]},
        {"topic": "q2", "doc": "A", "text": "The cat", "start": 11},
        {"query_id": 3, "doc": "A", "references": [{"content": "sat."}]},
        {"topic": "q1", "doc": "A", "quote": "sat", "group": "g"},
    ]
    path = _written(tmp_path, "quotes.jsonl", "\n".join(map(json.dumps, quotes)))
    texts = _written(tmp_path, "texts.jsonl", json.dumps({"doc": "A", "text": TEXT}))
    gold = cf.SpanQrels.from_quotes(path, texts)
    assert gold.to_dict() == {
        "3": [("A", 8, 12, 1.0)],
        "q1": [("A", 8, 11, 1.0, "g"), ("A", 17, 26, 2.0)],
        "q2": [("A", 13, 20, 1.0)],
    }
    output = str(tmp_path / "gold.tsv")
    assert main(["convert", path, output, "--texts", texts]) == 0
    assert cf.read_span_qrels(output, texts=texts) == gold
    again = str(tmp_path / "again.tsv")
    assert main(["convert", output, again, "--layout", "spans"]) == 0
    assert Path(again).read_bytes() == Path(output).read_bytes()
    wrong = _written(tmp_path, "wrong.jsonl", '{"topic": "q", "evidence": 5}\n')
    error = _fails("fields", "topic", cf.SpanQrels.from_quotes, wrong, texts)
    assert (error.file, error.line) == (wrong, 1)
    lost = _written(tmp_path, "lost.jsonl", '{"topic": "q", "doc": "A", "quote": "dog"}\n')
    _fails("missing", "topic 'q': the quote 'dog'", cf.SpanQrels.from_quotes, lost, texts)
    assert main(["convert", lost, output, "--texts", texts]) == 2
    assert main(["convert", path, output, "--texts", texts, "--to", "beir"]) == 2


def test_what_a_table_cannot_hold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(__file__).parent / "span_files"
    for name, layout, part in (
        ("genomics.tsv", "genomics", "found bytes, which a table cannot say"),
        ("kilt.jsonl", "kilt", "found paragraphs"),
    ):
        assert main(["convert", str(folder / name), "-", "--layout", layout]) == 2
        assert part in capsys.readouterr().err
    assert main(["convert", str(folder / "inex.qrels"), "-", "--layout", "inex"]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[1] == "544\t9577\t3120\t3520\t1\t"
    assert "drops 1 topic without evidence" in said.err
    path = _written(tmp_path, "odd.jsonl", '{"topic": "a\\tb", "doc": "A", "start": 1, "end": 2}\n')
    assert main(["convert", path, "-", "--layout", "spans"]) == 2
    assert "cannot hold the name" in capsys.readouterr().err
    named = _written(tmp_path, "c.csv", 'question,references,corpus_id\n"is it ""so""?",[],c\n')
    assert main(["convert", named, "-", "--layout", "chroma"]) == 0


EVERY = (
    "char-R@3 char-R@chars=90 char-SetP@3 char-SetF char-IoU char-AP char-nDCG(unit=30)@chars=200 "
    "char-IAP char-Rprec span-R@3 span-RR span-nDCG span-AllRecall@9 gP@3 AgP"
)


def _drawn(topics: int, chunks: int) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Evidence with grades and groups, and lists without equal scores."""
    rng = np.random.default_rng(7)

    def spans(number: int) -> list[Any]:
        docs, starts = rng.integers(0, 9, number), rng.integers(0, 500, number)
        ends = starts + rng.integers(1, 60, number)
        return [(f"d{d}", int(s), int(e)) for d, s, e in zip(docs, starts, ends, strict=True)]

    gold, lists = {}, {}
    for topic in map(str, range(topics)):
        parts = list(dict.fromkeys(spans(6)))
        gold[topic] = [(*part, n % 3, f"g{n // 2}") for n, part in enumerate(parts)]
        lists[topic] = [(*part, float(-n)) for n, part in enumerate(spans(chunks))]
    return gold, lists


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_names_and_places_of_text_change_nothing() -> None:
    gold, lists = _drawn(20, 12)
    expected = cf.evaluate(cf.SpanQrels(gold), lists, EVERY).values

    def moved(spans: list[Any]) -> list[Any]:
        return [(f"z-{9 - int(d[1:])}", s + 1000, e + 1000, *more) for d, s, e, *more in spans]

    others = ({t: moved(spans) for t, spans in part.items()} for part in (gold, lists))
    assert (cf.evaluate(cf.SpanQrels(next(others)), next(others), EVERY).values == expected).all()


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_threads_and_forms_of_files_change_no_bit(tmp_path: Path) -> None:
    """More chunks than one thread scores alone."""
    gold, lists = _drawn(60, 300)
    qrels = cf.SpanQrels(gold)
    expected = cf.evaluate(qrels, lists, EVERY, threads=1).values
    rows = [(t, *chunk) for t, chunks in lists.items() for chunk in chunks]
    header = ("topic", "doc", "start", "end", "score")
    tsv = _written(tmp_path, "run.tsv", _tsv(header, rows[::-1]))
    keys = header[1:]
    records = [
        {"topic": t, "results": [dict(zip(keys, c, strict=True)) for c in chunks[::-1]]}
        for t, chunks in lists.items()
    ]
    jsonl = _written(tmp_path, "run.jsonl", "\n".join(map(json.dumps, records)))
    for run in (lists, tsv, jsonl, cf.SpanRun.read(tsv)):
        for threads in (1, 3):
            found = cf.evaluate(qrels, run, EVERY, threads=threads).values
            assert (found == expected).all()
    mixed = [(t, *span) for t, spans in gold.items() for span in spans]
    order = np.random.default_rng(1).permutation(len(mixed))
    path = _written(
        tmp_path,
        "gold.tsv",
        _tsv(("topic", "doc", "start", "end", "grade", "group"), [mixed[i] for i in order]),
    )
    assert (cf.evaluate(cf.read_span_qrels(path), tsv, EVERY).values == expected).all()


def test_several_collections(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = ("topic", "doc", "start", "end")
    for name in ("one", "two"):
        rows = [("q1", "A", 0, 10), ("q2", "B", 5, 9)]
        _written(tmp_path, f"{name}.tsv", _tsv(header, rows))
        end = 5 if name == "one" else 90
        (tmp_path / name).mkdir()
        _written(tmp_path / name, "small.tsv", _tsv(header, [("q1", "A", 0, end)]))
    tables = [f'[{n}]\nqrels = "{n}.tsv"\nruns = "{n}/small.tsv"\n' for n in ("one", "two")]
    path = _written(tmp_path, "c.toml", "".join(f'{table}layout = "spans"\n' for table in tables))
    found = cf.Collections.read(path).evaluate("char-R@1")
    assert found.mean().tolist() == [[(0.25 + 0.5) / 2]]
    assert found["one"].mean().tolist() == [[0.25]]
    assert main(["eval", path, "-m", "char-R@1", "--format", "csv"]) == 0
    assert "0.25" in capsys.readouterr().out
    wrong = _written(tmp_path, "w.toml", f'{tables[0]}layout = "kilt"\n')
    _fails("option", "expected spans or chroma as layout of [one]", cf.Collections.read, wrong)
