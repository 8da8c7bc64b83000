"""``cranfield answers`` and ``cranfield battles`` as commands: what they write and refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calls import call, failed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [
        {
            "qid": str(topic),
            "run_id": run,
            "nuggets": [
                {"importance": "vital", "assignment": held},
                {"importance": "okay", "assignment": "partial_support"},
            ],
        }
        for run, answers in (("a", ("support", "not_support", "support")), ("b", ("support",) * 3))
        for topic, held in enumerate(answers, 1)
    ]
    (tmp_path / "n.jsonl").write_text("\n".join(map(json.dumps, lines)))
    cited = {"qid": "1", "run": "r", "sentences": [{"citations": [{"support": "2"}]}]}
    (tmp_path / "c.jsonl").write_text(json.dumps(cited))
    graded = {"qid": "1", "run_id": "r", "criteria": [{"weight": 2, "verdict": "satisfied"}]}
    (tmp_path / "r.jsonl").write_text(json.dumps(graded))
    (tmp_path / "argue.tsv").write_text(
        "run_id\trequest_id\tmetric\tvalue\nr\t1\tf1\t0.5\nr\t1\tnuggets\t4\n"
        "r\t1\tcorrect_nuggets\t1\nr\tall\tf1_macro\t0.5\n"
    )
    (tmp_path / "battles.csv").write_text(
        "model_a,model_b,winner\n" + "x,y,model_a\n" * 10 + "x,y,model_b\n"
    )
    return tmp_path


def test_a_table_best_run_first(folder: Path) -> None:
    done = call(folder, "answers", "n.jsonl", "--kind", "nuggets", "-m", "vital all")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split() for line in done.stdout.splitlines()] == [
        ["run", "vital", "all"],
        ["b", "1.0000", "0.7500"],
        ["a", "0.6667", "0.5833"],
    ]


def test_the_options_of_eval(folder: Path) -> None:
    words = ["answers", "n.jsonl", "--kind", "nuggets"]
    done = call(folder, *words, "--ci", "--tiers", "--format", "json", "--per-topic")
    content = json.loads(done.stdout)
    assert content["runs"][0]["summary"]["all"]["ci"]["low"] < 0.5834
    assert content["runs"][1]["topics"]["2"]["vital"] == 1.0
    done = call(folder, *words, "--topics", "1,3", "--format", "csv", "--sort", "all")
    assert done.stdout.splitlines()[1].startswith("a,1.0,")
    (folder / "groups").write_text("1 p\n2 q\n3 p\n")
    done = call(folder, *words, "--topic-groups", "groups", "--format", "tsv", "-m", "vital")
    assert done.stdout.splitlines()[:3] == [
        "group\ttopics\trun\tvital",
        "p\t2\ta\t1.0",
        "p\t2\tb\t1.0",
    ]
    done = call(folder, *words, "-o", "scores.jsonl", "--report", "report.html")
    assert done.stderr == "cranfield: wrote report.html\n"
    assert "Leaderboard" in (folder / "report.html").read_text()


def test_every_kind(folder: Path) -> None:
    for kind, name, measure in (
        ("citations", "c.jsonl", "weighted_precision_first"),
        ("rubrics", "r.jsonl", "score"),
        ("argue", "argue.tsv", "f1"),
    ):
        done = call(folder, "answers", name, "--kind", kind, "--format", "csv")
        assert (done.returncode, done.stderr) == (0, "")
        header, row = (line.split(",") for line in done.stdout.splitlines())
        assert row[header.index(measure)] == ("0.5" if kind == "argue" else "1.0")
    done = call(folder, "answers", "argue.tsv", "--kind", "argue", "--format", "argue")
    assert done.stdout.splitlines()[1:] == [
        "r\t1\tnugget_coverage\t0.25",
        "r\t1\tf1\t0.5",
        "r\t1\tnuggets\t4",
        "r\t1\tcorrect_nuggets\t1",
        "r\tall\tnuggets\t4",
        "r\tall\tcorrect_nuggets\t1",
        "r\tall\tnugget_coverage_macro\t0.25",
        "r\tall\tnugget_coverage_micro\t0.25",
        "r\tall\tf1_macro\t0.5",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["n.jsonl"], "required: --kind"),
        (["none.jsonl", "--kind", "nuggets"], "none.jsonl: there is no such file"),
        (["c.jsonl", "--kind", "nuggets"], "c.jsonl:1: expected the key nuggets"),
        (["n.jsonl", "--kind", "nuggets", "-m", "vitla"], "did you mean vital?"),
        (["n.jsonl", "--kind", "nuggets", "--bank", "x", "--judgments", "y"], "--judgments is for"),
        (["n.jsonl", "--kind", "nuggets", "--format", "argue"], "--format argue is for"),
        (["c.jsonl", "--kind", "citations", "--tiers"], "--tiers compares runs"),
        (["-", "-", "--kind", "nuggets"], "standard input can be read only once"),
        (["n.jsonl", "--kind", "nuggets", "-o", "x.gz"], "without compression"),
    ],
)
def test_answers_that_are_refused(folder: Path, words: list[str], message: str) -> None:
    assert message in failed(folder, "answers", *words)


def test_missing_answers_are_told_of(folder: Path) -> None:
    with (folder / "n.jsonl").open("a") as file:
        file.write('\n{"qid": "4", "run_id": "a", "nuggets": []}')
    words = ["answers", "n.jsonl", "--kind", "nuggets", "-m", "vital"]
    done = call(folder, *words)
    assert done.stderr == (
        "cranfield: run 'b' did not answer 1 of 4 topics: left out of its means\n"
    )
    assert call(folder, *words, "--quiet").stderr == ""
    zero = call(folder, *words, "--missing", "zero", "--format", "csv").stdout
    assert "b,0.75" in zero
    assert "did not answer" in failed(folder, *words, "--missing", "error")


def test_battles(folder: Path) -> None:
    done = call(folder, "battles", "battles.csv")
    assert done.stdout.splitlines()[1].split()[:2] == ["x", "1200.0"]
    content = json.loads(call(folder, "battles", "battles.csv", "--format", "json").stdout)
    assert content["battles"] == 11
    assert content["runs"][0]["rank_low"] == 1
    assert content["pairs"]["y"]["x"] == pytest.approx(1 / 11)
    for form in ("csv", "tsv", "markdown", "latex", "html"):
        assert "1200" in call(folder, "battles", "battles.csv", "--format", form).stdout
    (folder / "won.csv").write_text("model_a,model_b,winner\nx,y,model_a\n")
    assert "--ridge" in failed(folder, "battles", "won.csv")
    assert call(folder, "battles", "won.csv", "--ridge", "1").returncode == 0
    assert "level" in failed(folder, "battles", "battles.csv", "--level", "2")
    assert "expected a ridge" in failed(folder, "battles", "battles.csv", "--ridge", "-1")


def test_unknown_labels(folder: Path) -> None:
    lines = (folder / "n.jsonl").read_text().replace('"not_support"', '"no idea"')
    (folder / "n.jsonl").write_text(lines)
    words = ["answers", "n.jsonl", "--kind", "nuggets", "-m", "vital all"]
    assert "'no idea'; --unknown-labels not_support counts" in failed(folder, *words)
    done = call(folder, *words, "--unknown-labels", "not_support", "--format", "csv")
    # As in the table above, where the label is not_support.
    assert done.stdout.splitlines()[1] == "a,0.6666666666666666,0.5833333333333334"
    assert done.stderr == "cranfield: 1 unknown label counted as not_support: 'no idea' (1)\n"
    assert "'no idea'" in failed(folder, *words, "--unknown-labels", "error")
    other = ["--unknown-labels", "not_satisfied"]
    assert "--unknown-labels not_satisfied is for --kind rubrics" in failed(folder, *words, *other)
    done = call(folder, "answers", "r.jsonl", "--kind", "rubrics", *other)
    assert (done.returncode, done.stderr) == (0, "")
    cited = ["answers", "c.jsonl", "--kind", "citations", "--unknown-labels", "not_support"]
    assert "--unknown-labels not_support is for --kind nuggets" in failed(folder, *cited)
