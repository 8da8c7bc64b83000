"""Reading battles: the forms of RAGDoll and of arenas, and files with faults."""

from __future__ import annotations

import bz2
import gzip
import json
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
from cranfield import battles

from tests.io.malformed_cases import raw, zstd


def line(verdict: str | None, preferred: str | None, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"status": "completed", "pair": ["x", "y"], "judge_verdict": verdict}
    return {**found, "preferred_run_id": preferred, **more}


def test_lines_of_ragdoll(tmp_path: Path) -> None:
    path = tmp_path / "battles.jsonl"
    lines = [
        line("A", "x"),
        # The order that the judge saw may be turned: the preferred run says who won.
        line("A", "y"),
        line("Tie", None),
        line("Both Good", None),
        line("Both Bad", None),
        # A later version of it has one verdict for the two.
        line("Tie (Both Bad)", None),
        line("B", "y", status="failed"),
        line("B", None),
        line("B", "q"),
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    message = "3 of 9 battles left out: 1 not completed, 2 without a preference"
    with pytest.warns(cf.CranfieldWarning, match=message):
        found = battles.read(path)
    assert found == [
        ("x", "y", "x"),
        ("x", "y", "y"),
        *[("x", "y", None)] * 4,
    ]


ROWS = [("x", "y", "model_a"), ("x", "y", "model_b"), ("x", "z", "tie"), ("x", "z", "both_bad")]
FOUND = [("x", "y", "x"), ("x", "y", "y"), ("x", "z", None), ("x", "z", None)]


def test_lines_of_arenas(tmp_path: Path) -> None:
    keys = ("model_a", "model_b", "winner")
    lines = [json.dumps(dict(zip(keys, row, strict=True))) for row in ROWS]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    (tmp_path / "b.jsonl.bz2").write_bytes(bz2.compress("\n".join(lines).encode()))
    for suffix, delimiter in ((".csv", ","), (".tsv", "\t")):
        rows = [delimiter.join(row) for row in (("n", *keys), *(("1", *row) for row in ROWS))]
        (tmp_path / f"c{suffix}").write_text("\n".join(rows))
    for name in ("a.jsonl", "b.jsonl.bz2", "c.csv", "c.tsv"):
        assert battles.read(tmp_path / name) == FOUND, name
    assert battles.read(str(tmp_path / "*.?sv")) == FOUND * 2
    assert battles.read(tmp_path) == FOUND * 4


def test_fields_of_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "arena.csv"
    rows = ["model_a,text,model_b,winner", 'x,"a ""b"",\n\n{c}\nd",y,model_a', "x,,y,tie", ""]
    path.write_text("\n".join(rows))
    assert battles.read(path) == [("x", "y", "x"), ("x", "y", None)]
    path.write_text("\n".join([*rows[:2], "x,y"]))
    with pytest.raises(cf.Error, match="expected 4 fields, found 2") as caught:
        battles.read(path)
    assert caught.value.line == 6


def test_topics(tmp_path: Path) -> None:
    path = tmp_path / "battles.jsonl"
    lines = [line("A", "x", qid="1"), line("Tie", None, topic_id=2), line("A", None, qid="3")]
    path.write_text("\n".join(map(json.dumps, lines)))
    with pytest.warns(cf.CranfieldWarning, match="1 of 3 battles left out"):
        found = battles.read(path, by_topic=True)
    assert found == [("x", "y", "x", "1"), ("x", "y", None, "2")]
    (tmp_path / "b.csv").write_text("question_id,model_a,model_b,winner\nq,x,y,model_b\n")
    assert battles.read(tmp_path / "b.csv", by_topic=True) == [("x", "y", "y", "q")]
    path.write_text(json.dumps(line("A", "x")))
    with pytest.raises(cf.Error, match=r"battles.jsonl:1: expected the key query_id or ") as caught:
        battles.read(path, by_topic=True)
    assert caught.value.kind == "fields"


def test_zstandard_and_bombs(tmp_path: Path) -> None:
    text = "\n".join(["model_a,model_b,winner", *map(",".join, ROWS)])
    packed = tmp_path / "packed.csv.zst"
    packed.write_bytes(zstd(raw(text.encode())))
    assert battles.read(packed) == FOUND
    bomb = tmp_path / "bomb.csv.gz"
    bomb.write_bytes(gzip.compress(b"model_a,model_b,winner\n" + b"\n" * (40 << 20)))
    with pytest.raises(cf.Error) as caught:
        battles.read(bomb)
    assert caught.value.kind == "limit"


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("{", "fields", "1: expected a JSON object"),
        ('{"x": 1}', "fields", "1: expected the key pair or model_a, found x"),
        ('{"pair": ["x"], "judge_verdict": "A"}', "fields", "pair: expected two runs"),
        ('{"pair": ["x", null], "judge_verdict": "A"}', "fields", r"pair\[1\]: expected a run"),
        ('{"pair": ["x", "y"]}', "fields", "expected the key judge_verdict or preferred_run_id"),
        ('{"pair": ["x", "y"], "judge_verdict": "C"}', "option", "judge_verdict: expected one of"),
        ('{"pair": ["x", "x"], "judge_verdict": "Tie"}', "duplicate", "found 'x' on both sides"),
        (json.dumps(line("Tie", "x")), "fields", "which of them holds"),
        (json.dumps(line("A", "x", status=3)), "fields", "status: expected text"),
        ('{"model_a": "x", "model_b": "y"}', "fields", "expected the key winner"),
        ('{"model_a": "x", "model_b": "y", "winner": "z"}', "option", "winner: expected one of"),
        ("a,b,c\n", "fields", "1: expected the key model_a, found a, b, c"),
        ("model_a,model_b,winner\nx,y\n", "fields", "2: expected 3 fields, found 2"),
        ("model_a,model_b,winner\nx,y,x\n", "option", "2: winner"),
        ("model_a,model_b,winner\n", "empty", "expected battles, found none"),
        ("", "empty", "expected battles, found none"),
        ("\ufffe".encode("utf-16").decode("latin-1"), "binary", "UTF-8"),
    ],
)
def test_files_with_faults(tmp_path: Path, text: str, kind: str, message: str) -> None:
    path = tmp_path / "battles.txt"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(cf.Error, match=message) as caught:
        battles.read(path)
    assert caught.value.kind == kind
    assert caught.value.file == str(path)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(cf.Error, match="there is no such file") as caught:
        battles.read(tmp_path / "none")
    assert caught.value.kind == "missing"
    damaged = tmp_path / "damaged.gz"
    damaged.write_bytes(b"\x1f\x8b\x08\0\0\0\0\0\0\3abcdefgh")
    with pytest.raises(cf.Error):
        battles.read(damaged)
    long = tmp_path / "long"
    long.write_bytes(b"{" + b" " * (cf.Limits().line_bytes + 1))
    with pytest.raises(cf.Error, match="longer than") as caught:
        battles.read(long)
    assert caught.value.kind == "limit"
    with pytest.raises(cf.Error, match="expected a path") as caught:
        battles.read(3)  # type: ignore[call-overload]
    assert caught.value.kind == "type"
