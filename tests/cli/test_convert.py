"""``cranfield convert``."""

from __future__ import annotations

from pathlib import Path

import cranfield as cf
import pytest

from tests.cli.calls import BM25, QRELS, call, failed


def test_judgments_become_beir_and_come_back(folder: Path) -> None:
    done = call(folder, "convert", "qrels.txt", "qrels.tsv", "--to", "beir")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "cranfield: qrels.txt: qrels of 3 topics, written as beir\n"
    lines = (folder / "qrels.tsv").read_text().splitlines()
    assert lines[0] == "query-id\tcorpus-id\tscore"
    assert lines[1] == "1\ta\t1"
    assert cf.read_qrels(folder / "qrels.tsv") == cf.read_qrels(folder / "qrels.txt")
    back = call(folder, "convert", "qrels.tsv", "-", "--quiet")
    assert (back.returncode, back.stdout, back.stderr) == (0, QRELS, "")


def test_a_run_becomes_ms_marco_and_comes_back(folder: Path) -> None:
    done = call(folder, "convert", "-", "-", "--to", "msmarco", stdin=BM25)
    assert done.stderr == "cranfield: -: run of 3 topics, written as msmarco\n"
    assert done.stdout.splitlines()[:2] == ["1\ta\t1", "1\tb\t2"]
    back = call(folder, "convert", "-", "back.run", stdin=done.stdout)
    assert back.returncode == 0
    found = cf.read_run(folder / "back.run")
    assert {topic: list(found[topic]) for topic in found.topics} == {
        "1": ["a", "b", "c"],
        "2": ["z", "a"],
        "9": ["a"],
    }


def test_convert_says_what_was_written_after_it_was(folder: Path) -> None:
    (folder / "one.txt").write_text("1 0 a 1\n")
    done = call(folder, "convert", "one.txt", "two.txt")
    assert done.stderr == "cranfield: one.txt: qrels of 1 topic, written as trec\n"
    failed(folder, "convert", "qrels.txt", "one.txt/out.txt")  # and nothing before it


def test_convert_leaves_nothing_behind(folder: Path) -> None:
    before = sorted(path.name for path in folder.iterdir())
    failed(folder, "convert", "none.txt", "out.txt")
    failed(folder, "convert", "qrels.txt", "nowhere/out.txt")
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["qrels.txt", "-", "--to", "msmarco"], "msmarco"),
        (["runs/bm25.run", "-", "--to", "beir"], "beir"),
        (["qrels.txt", "-", "--kind", "run"], "fields"),
        (["runs/bm25.run", "-", "--kind", "qrels"], "fields"),
        (["qrels.txt", "-", "--kind", "qrels", "--to", "msmarco"], "stratified"),
        (["qrels.txt", "-", "--to", "nonsuch"], "--to"),
        (["runs", "-"], "runs"),
    ],
)
def test_what_cannot_be_converted_is_refused(
    folder: Path, arguments: list[str], message: str
) -> None:
    assert message in failed(folder, "convert", *arguments)


def test_the_error_is_that_of_the_kind_that_was_read_further(folder: Path) -> None:
    (folder / "broken.txt").write_text("1 0 a 1\n1 0 b\n")
    assert "broken.txt:2:" in failed(folder, "convert", "broken.txt", "-")
