"""Files of groups are read, and their names looked up, before any run is scored."""

from __future__ import annotations

from pathlib import Path

import pytest
from cranfield._cli import main

from tests.cli.calls import QRELS

FIRST = ("qrels.txt", "runs", "-m", "AP")
COMMANDS: dict[str, tuple[str, ...]] = {
    "eval": ("eval", *FIRST),
    "eval of collections": ("eval", "collections.toml", "-m", "AP"),
    "compare": ("compare", *FIRST),
    "diff": ("diff", "qrels.txt", "runs/bm25.run", "runs/dense.res.gz", "-m", "AP"),
    "describe": ("describe", "qrels.txt", "runs"),
    "report": ("report", *FIRST, "-o", "report.html"),
    "study": ("study", "significance", "qrels.txt", "runs", "--output", "study"),
}
BAD = {
    "1 few\n77 few\n": "no topic '77' (group 'few')",
    "1 few\n2\n": "groups.txt:2: expected a topic and a group",
    "": "groups.txt: expected lines of a topic and a group, found no line of data",
}


@pytest.fixture
def unscored(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of runs of which each is an error once it is read."""
    (folder / "collections.toml").write_text(
        '[one]\nqrels = "qrels.txt"\nruns = "runs"\n[two]\nqrels = "qrels.txt"\nruns = "runs"\n'
    )
    (folder / "other.txt").write_text(QRELS)
    monkeypatch.chdir(folder)
    for run in (folder / "runs").iterdir():
        run.write_bytes(b"1 Q0 a 1 x t\n")


@pytest.mark.usefixtures("unscored")
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("content", BAD)
def test_a_wrong_file_of_groups_of_topics_is_found_first(
    command: str, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("groups.txt").write_text(content)
    assert main([*COMMANDS[command], "--topic-groups", "groups.txt"]) == 2
    assert BAD[content] in capsys.readouterr().err


@pytest.mark.usefixtures("unscored")
def test_so_is_a_missing_file_for_answers(capsys: pytest.CaptureFixture[str]) -> None:
    Path("answers.jsonl").write_text("no answers\n")
    words = ["answers", "answers.jsonl", "--kind", "nuggets", "--topic-groups", "groups.txt"]
    assert main(words) == 2
    assert "groups.txt" in capsys.readouterr().err


@pytest.mark.usefixtures("unscored")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("bm25 a\n", "expected a group for every run, found none for 'dense'"),
        ("bm25 a\ndense b\nbm26 b\n", "no run 'bm26'; did you mean bm25?"),
        ("bm25 a\ndense a\n", "expected at least two groups of runs, found 1"),
    ],
)
def test_a_wrong_file_of_groups_of_runs_is_found_first(
    content: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("groups.txt").write_text(content)
    assert main(["judges", "qrels.txt", "other.txt", "runs", "--groups", "groups.txt"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("unscored")
@pytest.mark.parametrize("flag", ["--groups", "--pool-runs"])
def test_files_that_a_study_takes_are_read_first(
    flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["study", "leave-one-out", "qrels.txt", "runs", "--output", "study"]
    assert main([*words, flag, "groups.txt"]) == 2
    assert "groups.txt" in capsys.readouterr().err
    if flag == "--groups":
        Path("groups.txt").write_text("bm25 a\n")
        assert main([*words, flag, "groups.txt"]) == 2
        assert "found none for dense" in capsys.readouterr().err
