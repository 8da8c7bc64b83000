"""Spans as Chroma, TREC Genomics, INEX and KILT write them: small files, and what is refused.

The files in ``span_files`` are made up in the forms that these use. Values are worked by hand;
``against/test_passages.py`` compares with programs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cranfield as cf
import pytest

from tests.commands import called

FILES = Path(__file__).parent / "span_files"


def _gold(name: str, layout: str, **options: Any) -> cf.SpanQrels:
    return cf.read_span_qrels(FILES / name, layout=layout, **options)


def _run(name: str, layout: str, **options: Any) -> cf.SpanRun:
    return cf.SpanRun.read(str(FILES / name), layout=layout, **options)


def test_questions_of_chroma() -> None:
    long = "How long does a run take, and what is measured?"
    gold = _gold("chroma.csv", "chroma")
    assert gold.to_dict() == {
        long: [("handbook", 120, 145, 1.0), ("handbook", 300, 311, 1.0)],
        "Which files are read?": [("formats", 12, 38, 1.0)],
    }
    by_row = _gold("chroma.csv", "chroma", columns={"topic": "row"})
    assert by_row.topics == ("1", "2")
    texts = {"handbook": "x" * 400, "formats": "x" * 40}
    assert _gold("chroma.csv", "chroma", texts=texts) == gold


def test_passages_of_genomics() -> None:
    gold = _gold("genomics.tsv", "genomics")
    assert gold.offsets == "bytes"
    assert gold["200"] == [
        ("10652291", 18204, 18617, 1.0, "protein levels"),
        ("10652291", 18204, 18617, 1.0, "serum"),
        ("10652291", 20011, 20131, 1.0, "serum"),
        ("11566113", 902, 979, 1.0),
    ]
    # A line that comes twice counts once.
    assert gold["201"] == [("9756501", 4410, 4666, 1.0, "mutation")]
    run = _run("genomics.run", "genomics")
    assert [chunk["start"] for chunk in run.to_dict()["201"]] == [4410, 4600]
    scores = cf.evaluate(gold, run, "span-R@1 char-R@5")
    # Two aspects of three pieces are read whole; 413 characters of 413 + 120 + 77.
    assert scores["run", "span-R@1"][0] == 2 / 3
    assert scores["run", "char-R@5"].tolist() == [413 / 610, 166 / 256]


def test_passages_of_inex() -> None:
    gold = _gold("inex.qrels", "inex")
    assert gold.to_dict() == {
        "544": [("9577", 3120, 3520, 1.0), ("9577", 9001, 9013, 1.0)],
        "545": [],
    }
    run = _run("inex.run", "inex", columns={"length": "8"})
    assert [(c["start"], c["end"]) for c in run.to_dict()["544"]] == [(3000, 3320), (9001, 9021)]
    # One program writes where a passage ends in place of its length.
    with pytest.raises(cf.Error, match="holds no character"):
        _run("inex.run", "inex", columns={"end": "8"})
    with pytest.raises(cf.Error, match="length=8 or end=8") as caught:
        _run("inex.run", "inex")
    assert caught.value.kind == "needs"
    scores = cf.evaluate(gold, run, "char-R@5", undefined="skip")
    assert scores["run", "char-R@5"][0] == 212 / 412


def test_provenance_of_kilt() -> None:
    gold = _gold("kilt.jsonl", "kilt")
    assert gold.offsets == "paragraphs"
    # Outputs of one passage are alternatives, and an output of two needs both.
    assert gold["dev-1"] == [
        ("16120", 1, 2, 1.0, "provenance"),
        ("16120", 3, 5, 1.0, "provenance"),
    ]
    assert gold["dev-2"] == [("55", 2, 3, 1.0), ("77", 1, 2, 1.0)]
    assert gold["dev-3"] == []
    scores = cf.evaluate(gold, _run("kilt-run.jsonl", "kilt"), "span-R@2", undefined="skip")
    assert scores["run", "span-R@2"][:2].tolist() == [1.0, 0.5]


def test_the_command_line() -> None:
    for layout, gold, run, more in (
        ("genomics", "genomics.tsv", "genomics.run", []),
        ("inex", "inex.qrels", "inex.run", ["--columns", "length=8"]),
        ("kilt", "kilt.jsonl", "kilt-run.jsonl", []),
    ):
        files = [str(FILES / gold), str(FILES / run)]
        found = called("eval", *files, "--layout", layout, "-m", "char-R@5", *more)
        assert found.returncode == 0, found.stderr
        assert "char-R@5" in found.stdout
    found = called("describe", str(FILES / "chroma.csv"), "--layout", "chroma")
    assert found.stdout.splitlines()[3].split() == ["spans", "3", "1", "1.5", "1.5", "2"]


@pytest.mark.parametrize(
    ("layout", "text", "kind", "part", "line"),
    [
        ("genomics", "200\t1\t5\n", "fields", "topic document offset length", 1),
        ("genomics", "200 1 5 7 a\n", "fields", "between tabs", 1),
        ("genomics", "200\t1\t5\t0\ta\n", "span", "holds no character", 1),
        ("genomics", "200\t1\t5\tx\ta\n", "number", "as length, found `x`", 1),
        ("inex", "1 Q0 f 5 9\n", "fields", "offset:length", 1),
        ("inex", "1 Q0 f 0 9\n1 Q0 g 5 9 0 3-4\n", "fields", "offset:length", 2),
        ("inex", "1 Q0 f -1 9\n", "number", "as length, found `-1`", 1),
        ("kilt", "[1]\n", "type", "an object with id and output", 1),
        ("kilt", '\n{"id": "1", "output": {}}\n', "fields", "a list as output of `1`", 2),
        ("kilt", '{"output": []}\n', "fields", "id and output", 1),
        ("kilt", '{"id": 1, "output": [{"provenance": [{"wikipedia_id": 5}]}]}\n', *
            ("fields", "pages without paragraphs are documents", 1)),
        ("chroma", "question,refs,corpus_id\n", "fields", "references and corpus_id", 1),
        ("chroma", "question,references,corpus_id\nq,[1],c\n", "fields", "start_index", 2),
        ("chroma", "question,references,corpus_id\nq,[],c\nq,[],d\n", "duplicate", "as topic", 3),
        ("chroma", "question,references,corpus_id\nq,{,c\n", "fields", "JSON", 2),
        ("chroma", "question,references,corpus_id\nq,[]\n", "fields", "3 fields", 2),
        ("chroma", '[{"question": "q"}]', "fields", "corpus_id", 1),
        *((layout, " \n", "empty", "empty file", None) for layout in
            ("chroma", "genomics", "inex", "kilt")),
    ],
)  # fmt: skip
def test_what_is_wrong_is_placed(
    tmp_path: Path, layout: str, text: str, kind: str, part: str, line: int | None
) -> None:
    path = tmp_path / "gold"
    path.write_text(text)
    with pytest.raises(cf.Error) as caught:
        cf.read_span_qrels(path, layout=layout)
    assert (caught.value.kind, caught.value.file) == (kind, str(path)), caught.value
    assert part in str(caught.value)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("layout", "text", "kind", "part"),
    [
        ("genomics", "1 d 1 0 5 tag more\n", "fields", "name the layout spans"),
        ("genomics", "1 d 1 0\n", "fields", "topic document rank offset length"),
        ("genomics", "1 d x 0 5\n", "number", "as rank"),
        ("inex", "1 Q0 f 1 0.5 run 3\n", "fields", "two numbers"),
        ("inex", "1 Q0 f 1 high run 3 4\n", "number", "as score"),
        ("kilt", '{"id": "1", "output": [' + ", ".join(
            2 * ['{"provenance": [{"wikipedia_id": 1, "start_paragraph_id": 1, '
                 '"end_paragraph_id": 1}]}']) + "]}\n", "fields", "found several"),
    ],
)  # fmt: skip
def test_wrong_runs(tmp_path: Path, layout: str, text: str, kind: str, part: str) -> None:
    path = tmp_path / "run"
    path.write_text(text)
    with pytest.raises(cf.Error) as caught:
        cf.SpanRun.read(str(path), layout=layout, columns={"length": "8"})
    assert (caught.value.kind, caught.value.line) == (kind, 1), caught.value
    assert part in str(caught.value)


def test_units_are_told_apart() -> None:
    gold = _gold("genomics.tsv", "genomics")
    run = cf.SpanRun({"200": [("10652291", 0, 5)]})
    with pytest.raises(cf.Error, match="count codepoints, those of the judgments bytes"):
        cf.evaluate(gold, run, "char-R@5")
    with pytest.raises(cf.Error, match="as layout, found `trec`"):
        _gold("genomics.tsv", "trec")
