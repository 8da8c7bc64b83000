"""``cranfield judges`` as a command: what it writes, says and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import cranfield as cf
import pytest

from tests.cli.calls import BM25, DENSE, QRELS, call, failed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "gold.txt").write_text(QRELS)
    changed = [line.rsplit(" ", 1) for line in QRELS.splitlines()]
    other = [f"{head} {int(grade == '0')}" for head, grade in changed[:2]]
    other += [f"{head} {grade}" for head, grade in changed[2:]]
    (tmp_path / "other.txt").write_text("\n".join(other) + "\nextra 0 d 1\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bm25.run").write_text(BM25)
    (tmp_path / "runs" / "dense.run").write_text(DENSE)
    return tmp_path


WORDS = ("judges", "gold.txt", "other.txt", "runs", "-m", "AP")


def test_it_is_what_the_function_computes(folder: Path) -> None:
    done = call(folder, *WORDS, "--format", "json", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    content = json.loads(done.stdout)
    made = cf.judges.compare(
        str(folder / "gold.txt"), str(folder / "other.txt"), str(folder / "runs"), "AP"
    )
    expected = json.loads(json.dumps(made.to_dict()))
    assert {name: content[name] for name in expected} == expected
    assert content["schema_version"] == 1


def test_a_table_and_a_note(folder: Path) -> None:
    done = call(folder, *WORDS)
    assert done.returncode == 0
    first, second = done.stderr.splitlines()
    assert first == "cranfield: not compared: 1 topic that only the second judge judged"
    assert second.startswith("cranfield: tau is over 2 runs, which are too few")
    for heading in ("Documents", "Grades", "Order of runs", "Conclusions", "Favored runs"):
        assert f"\n{heading}\n" in f"\n{done.stdout}"
    assert "\nTopics\n" not in done.stdout
    assert "\nTopics\n" in call(folder, *WORDS, "--per-topic").stdout


def test_a_page(folder: Path) -> None:
    done = call(folder, *WORDS, "-o", "judges.html", "--title", "Two <judges>")
    assert done.stderr.splitlines()[-1] == "cranfield: wrote judges.html"
    page = (folder / "judges.html").read_text(encoding="utf-8")
    assert "<bdi>Two &lt;judges&gt;</bdi>" in page
    assert "cranfield judges gold.txt other.txt runs -m AP" in page


def test_groups_of_runs(folder: Path) -> None:
    (folder / "groups").write_text("# family\nbm25 words\ndense vectors\n")
    content = json.loads(call(folder, *WORDS, "--groups", "groups", "--format", "json").stdout)
    assert set(content["groups"]) == {"words", "vectors"}
    for text, message in (
        ("bm25 words dense\n", "groups:1: expected a run and its group, found 3 fields"),
        (
            "bm25 a\nbm25 b\n",
            "groups:2: expected one group of the run 'bm25', found 'b', and 'a' on",
        ),
        ("bm25 a\n", "found none for 'dense'"),
    ):
        (folder / "groups").write_text(text)
        assert message in failed(folder, *WORDS, "--groups", "groups")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gold.txt", "none.txt", "runs"], "none.txt"),
        (["gold.txt", "-", "runs"], "standard input is read only once"),
        (["gold.txt", "other.txt", "runs/none.run"], "none.run"),
        (["gold.txt", "other.txt", "runs/bm25.run"], "at least two runs"),
        (["gold.txt", "other.txt", "runs", "-m", "nDCGG"], "unknown measure"),
        (["gold.txt", "other.txt", "runs", "-o", "x.csv"], "expected one of the suffixes"),
        (["gold.txt", "other.txt", "runs", "--top", "1"], "at least 2"),
        (["gold.txt", "other.txt", "runs", "--level", "2"], "level between 0 and 1"),
    ],
)
def test_what_is_refused(folder: Path, words: list[str], message: str) -> None:
    assert message in failed(folder, "judges", *words)
