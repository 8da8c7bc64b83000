"""``cranfield pool``: order, formats, what is still to be judged, and TREC-8."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import cranfield as cf
import pytest
from cranfield import collection

from tests.cli.calls import call, failed, output

ONE = "1 Q0 b 1 1 t\n1 Q0 a 2 1 t\n1 Q0 c 3 0.5 t\n2 Q0 z 1 1 t\n"
TWO = "1 Q0 a 1 1 t\n10 Q0 Z 1 2 t\n10 Q0 é 2 1 t\n"


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "one.run").write_text(ONE)
    (tmp_path / "runs" / "two.run").write_text(TWO, encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b -1\n2 0 z 0\n7 0 z 0\n")
    return tmp_path


def test_a_pool_is_in_byte_order_and_reads_back(lists: Path) -> None:
    whole = "1 0 a -1\n1 0 b -1\n1 0 c -1\n10 0 Z -1\n10 0 é -1\n2 0 z -1\n"
    assert output(lists, "pool", "runs", "--depth", "all") == whole
    assert output(lists, "pool", "runs") == whole
    # Of one.run b, the greater of the tied; of two.run a.
    assert output(lists, "pool", "runs", "--depth", "1") == (
        "1 0 a -1\n1 0 b -1\n10 0 Z -1\n2 0 z -1\n"
    )
    up = output(lists, "pool", "runs/one.run", "--depth", "1", "--order", "docno_asc")
    assert up == "1 0 a -1\n2 0 z -1\n"
    (lists / "pool.txt").write_text(whole, encoding="utf-8")
    assert cf.read_qrels(lists / "pool.txt") == collection.pool(lists / "runs")


def test_the_summary_names_the_order(lists: Path) -> None:
    done = call(lists, "pool", "runs", "--depth", "1", "--scores", "f32", "--qrels", "qrels.txt")
    assert done.stdout == "1 0 b -1\n10 0 Z -1\n"
    assert done.stderr == (
        "cranfield: the first 1 document of 2 runs: "
        "4 documents in 3 topics (min 1, mean 1.3, max 2)\n"
        "cranfield: order: equal scores by document, descending (docno_desc), scores as f32\n"
        "cranfield: not judged in qrels.txt: 2 documents in 2 topics (min 1, mean 1.0, max 1)\n"
    )
    (lists / "all.txt").write_text("1 0 a 1\n1 0 b 0\n1 0 c 0\n2 0 z 0\n")
    done = call(lists, "pool", "runs/one.run", "--depth", "all", "--qrels", "all.txt")
    assert done.stdout == ""
    assert done.stderr.startswith("cranfield: all documents of 1 run: 4 documents in 2 topics (")
    assert done.stderr.endswith("cranfield: not judged in all.txt: none\n")


def test_a_pool_has_several_formats(lists: Path) -> None:
    arguments = ["pool", "runs", "--depth", "1", "--format"]
    assert output(lists, *arguments, "text") == "1 a\n1 b\n10 Z\n2 z\n"
    assert output(lists, *arguments, "csv") == "topic,document\n1,a\n1,b\n10,Z\n2,z\n"
    content = json.loads(output(lists, *arguments, "json"))
    assert content == {
        "schema_version": 1,
        "cranfield": cf.__version__,
        "depth": 1,
        "order": "docno_desc",
        "scores": "f64",
        "topics": {"1": ["a", "b"], "10": ["Z"], "2": ["z"]},
    }


@pytest.mark.parametrize(
    ("file", "start"),
    [
        ("x.json", '{"schema_version"'),
        ("x.csv", "topic,document\n"),
        ("x.txt", "1 0 a -1\n"),
        ("x.qrels", "1 0 a -1\n"),
    ],
)
def test_a_pool_is_written_as_the_suffix_says(lists: Path, file: str, start: str) -> None:
    assert output(lists, "pool", "runs", "--output", file) == ""
    assert (lists / file).read_text("utf-8").startswith(start)


def test_a_pool_may_be_packed(lists: Path) -> None:
    assert output(lists, "pool", "runs", "--output", "x.txt.gz") == ""
    packed = gzip.decompress((lists / "x.txt.gz").read_bytes()).decode()
    assert packed == output(lists, "pool", "runs")
    message = failed(lists, "pool", "runs", "--output", "x.csv.gz", "--format", "csv")
    assert (
        message == "x.csv.gz: csv is written without compression; write x.csv and compress that\n"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="bytes are text elsewhere")
def test_odd_bytes_of_ids_stay(lists: Path) -> None:
    (lists / "odd.run").write_bytes(b"1 Q0 \xff 1 2 t\n1 Q0 \xc3\xa9 2 1 t\n")
    for form, expected in {
        "trec": b"1 0 \xc3\xa9 -1\n1 0 \xff -1\n",
        "csv": b"topic,document\n1,\xc3\xa9\n1,\xff\n",
    }.items():
        assert output(lists, "pool", "odd.run", "--format", form, "--output", "x") == ""
        assert (lists / "x").read_bytes() == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "RUN"),
        (["none.run"], "none.run"),
        (["runs", "--depth", "0"], "expected a depth of at least 1, found 0 (--depth)"),
        (["runs", "--depth", "some"], "--depth"),
        (["runs", "--format", "beir"], "--format"),
        (["runs", "--qrels", "none.txt"], "none.txt"),
        (["-", "--qrels", "-"], "only once"),
        (["runs", "--output", "nowhere/x"], "nowhere"),
        (["runs/one.run", "runs/one.run"], "given twice"),
        (["twice.run"], "line 1"),
    ],
)
def test_a_pool_that_cannot_be_is_one_message(
    lists: Path, arguments: list[str], message: str
) -> None:
    (lists / "twice.run").write_text("1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n")
    assert message in failed(lists, "pool", *arguments)


def test_a_run_from_standard_input_is_pooled(lists: Path) -> None:
    assert output(lists, "pool", "-", "--depth", "1", stdin=ONE) == "1 0 b -1\n2 0 z -1\n"


def pooled_names(data: Path) -> list[str]:
    names = (data / "trec8-adhoc" / "pooled-71.txt").read_text().split()
    assert len(names) == 71
    return names


def test_the_pool_of_trec8_is_what_was_judged(data: Path, tmp_path: Path) -> None:
    """In trec_eval's order with single precision, and only in that one."""
    folder = data / "trec8-adhoc"
    runs = folder / "runs"
    paths = [str(runs / f"input.{n.removeprefix('input.')}.gz") for n in pooled_names(data)]
    with gzip.open(folder / "trec8.qrels.gz", "rt", encoding="utf-8") as file:
        judged = sorted(f"{row[0]} 0 {row[2]} -1\n" for row in map(str.split, file))
    assert len(judged) == 86_830
    qrels = str(folder / "trec8.qrels.gz")
    done = call(tmp_path, "pool", *paths, "--scores", "f32")
    assert done.stdout == "".join(judged)
    assert done.stderr == (
        "cranfield: the first 100 documents of 71 runs: "
        "86830 documents in 50 topics (min 1046, mean 1736.6, max 2992)\n"
        "cranfield: order: equal scores by document, descending (docno_desc), scores as f32\n"
    )
    assert output(tmp_path, "pool", *paths, "--scores", "f32", "--qrels", qrels) == ""
    for order in ("docno_asc", "input", "rank"):
        other = output(tmp_path, "pool", *paths, "--scores", "f32", "--order", order)
        assert other != done.stdout


@pytest.mark.parametrize("form", ["trec", "text"])
@pytest.mark.parametrize("document", ["New York", "a\tb", "a\vb", "a\u000ab"])
def test_a_pool_whose_lines_would_read_back_otherwise_is_refused(
    lists: Path, form: str, document: str
) -> None:
    (lists / "lists.json").write_text(json.dumps({"1": {document: 1.0, "a": 2.0}}))
    for more in ([], ["--output", "out.txt"], ["--output", "out.gz"][: 2 * (form == "trec")]):
        told = failed(lists, "pool", "lists.json", "--format", form, *more)
        assert "expected ids that a file can hold" in told
        assert not (lists / "out.txt").exists()
    pooled = json.loads(output(lists, "pool", "lists.json", "--format", "json"))
    assert sorted(pooled["topics"]["1"]) == sorted([document, "a"])
