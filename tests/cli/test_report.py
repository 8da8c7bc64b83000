"""``cranfield report`` as a command: what it writes, says and refuses."""

from __future__ import annotations

import html
import re
from pathlib import Path

import cranfield as cf
import pytest

from tests.cli.calls import BM25, DENSE, QRELS, call, failed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bm25.run").write_text(BM25)
    (tmp_path / "runs" / "dense.run").write_text(DENSE)
    return tmp_path


def text(page: str) -> str:
    """What a page says, less its style, script and tags."""
    bare = re.sub(r"<style>.*?</style>|<script.*?</script>", "", page, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", bare)).split())


def test_it_writes_a_file_and_says_so(folder: Path) -> None:
    words = ["qrels.txt", "runs", "-m", "AP", "--baseline", "bm25", "-o", "report.html"]
    done = call(folder, "report", *words)
    assert done.returncode == 0
    assert done.stdout == ""
    notes = done.stderr.splitlines()
    assert notes[-1] == "cranfield: wrote report.html"
    assert any(
        "bm25 and 1 other: 1 topic of the qrels is missing (scored 0): 3" in n for n in notes
    )
    page = (folder / "report.html").read_text(encoding="utf-8")
    said = text(page)
    # The means of tests/cli/calls.py: 2/3 and 4/9.
    assert "dense has the best AP: 0.6667 , mean of 3 topics" in said
    assert "baseline bm25 (0.4444) that is +0.2222" in said
    assert "bm25 and 1 other: 1 topic of the qrels is missing (scored 0): 3." in said
    assert f"cranfield report {' '.join(words)}" in said
    found = cf.read_qrels(folder / "qrels.txt")
    assert found.fingerprint in said


def test_it_is_the_report_of_the_function(folder: Path) -> None:
    words = ["qrels.txt", "runs", "-m", "AP", "--quiet", "--title", "A title"]
    done = call(folder, "report", *words)
    assert (done.returncode, done.stderr) == (0, "")
    made = cf.report(
        str(folder / "qrels.txt"), str(folder / "runs"), "AP", title="A title", missing="zero"
    )
    section = re.compile(r'<section id="differences">.*?</section>', re.S)
    ours, theirs = section.search(done.stdout), section.search(made.html)
    assert ours is not None
    assert theirs is not None
    assert ours[0] == theirs[0]
    assert "<title>A title</title>" in done.stdout


REFUSED = {
    "a baseline that is not there": (
        ["qrels.txt", "runs", "--baseline", "nil", "-o", "a.html"],
        "no run 'nil'",
    ),
    "a suffix of another format": (
        ["qrels.txt", "runs", "-o", "a.pdf"],
        "expected one of the suffixes .html",
    ),
    "a group of an unknown topic": (
        ["qrels.txt", "runs", "--topic-groups", "groups.txt", "-o", "a.html"],
        "(group '",
    ),
    "a file of queries that is not there": (
        ["qrels.txt", "runs", "--queries", "none.tsv", "-o", "a.html"],
        "none.tsv",
    ),
    "an alpha beyond 1": (["qrels.txt", "runs", "--alpha", "2", "-o", "a.html"], "--alpha"),
    "a correction of Tukey's test": (
        ["qrels.txt", "runs", "--test", "tukey", "--correction", "holm", "-o", "a.html"],
        "--correction",
    ),
    "a folder that is not there": (["qrels.txt", "runs", "-o", "no/a.html"], "no folder"),
    "standard input twice": (["-", "-", "-o", "a.html"], "only once"),
    "an unknown measure": (["qrels.txt", "runs", "-m", "nDGC", "-o", "a.html"], "nDGC"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_it_refuses(folder: Path, case: str) -> None:
    (folder / "groups.txt").write_text("77 some\n")
    words, message = REFUSED[case]
    assert message in failed(folder, "report", *words)
    assert not (folder / "a.html").exists()


def test_runs_that_cannot_be_used_are_listed_or_left_out(folder: Path) -> None:
    (folder / "runs" / "broken.run").write_text("1 Q0 a 1 x t\n")
    words = ["qrels.txt", "runs", "-o", "a.html"]
    assert "broken" in failed(folder, "report", *words)
    done = call(folder, "report", *words, "--keep-going")
    assert done.returncode == 2
    assert "left out: 1 of 3 runs" in done.stderr
    assert "Evaluation of 2 runs" in (folder / "a.html").read_text(encoding="utf-8")


def test_runs_from_standard_input_are_read_twice(folder: Path) -> None:
    done = call(folder, "report", "qrels.txt", "-", "-m", "AP", "-o", "a.html", stdin=BM25)
    assert done.returncode == 0
    assert "run has AP 0.4444" in text((folder / "a.html").read_text(encoding="utf-8"))
