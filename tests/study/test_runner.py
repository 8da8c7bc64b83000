"""Running a study: what is kept and resumed, choices of runs and topics, what is refused.

The oracle of a resumed study is one that was never interrupted.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
from cranfield import meta, study
from cranfield._cli import main
from cranfield._study import drawing
from cranfield._study.results import Figure

from tests.study.written import EXAMPLE, QRELS, RUNS, Page, files, points, table

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def qrels() -> cf.Qrels:
    return cf.read_qrels(QRELS)


# Resuming


def test_a_finished_study_is_kept(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    first = study.run("graded", QRELS, RUNS, out)
    before = files(tmp_path)
    again = study.run("graded", QRELS, RUNS, out)
    assert (again.computed, again.kept) == ((), first.computed)
    assert files(tmp_path) == before


def test_only_what_changed_is_computed(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    few = study.Choice(top=5)
    study.run("significance", QRELS, RUNS, out, choice=few, measures=["AP"])
    options: dict[str, Any] = {"measures": ["AP"], "correction": "bh"}
    other = study.run("significance", QRELS, RUNS, out, choice=few, **options)
    assert (other.computed, other.kept) == (("pairs",), ("overlap",))
    assert "p (Benjamini-Hochberg)" in table(tmp_path / "out", "pairs-AP")[0]
    study.run("significance", QRELS, RUNS, out, choice=few, **options | {"measures": ["P@5"]})
    assert sorted(path.name for path in (tmp_path / "out" / "data").iterdir()) == [
        "means-P-5.csv",
        "p-values-P-5.csv",
    ]
    fewer = study.run("significance", QRELS, RUNS, out, choice=study.Choice(top=4), **options)
    assert fewer.kept == ()


def test_other_content_of_the_same_files_is_noticed(tmp_path: Path) -> None:
    judgments = tmp_path / "qrels.txt"
    judgments.write_text(Path(QRELS).read_text())
    out = str(tmp_path / "out")
    study.run("graded", str(judgments), RUNS, out)
    assert study.run("graded", str(judgments), RUNS, out).computed == ()
    judgments.write_text(Path(QRELS).read_text().rsplit("\n", 2)[0] + "\n")
    assert study.run("graded", str(judgments), RUNS, out).kept == ()


class StopError(Exception):
    """An interruption."""


def test_an_interrupted_study_leaves_whole_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, out = tmp_path / "whole", tmp_path / "out"
    study.run("graded", QRELS, RUNS, str(whole))
    ordinary = drawing.draw

    def stop(figure: Figure, forms: tuple[str, ...]) -> dict[str, bytes]:
        if figure.name == "graded":
            raise StopError
        return ordinary(figure, forms)

    with monkeypatch.context() as patch:
        patch.setattr(drawing, "draw", stop)
        with pytest.raises(StopError):
            study.run("graded", QRELS, RUNS, str(out), threads=1)
    left = files(out)
    assert "index.html" not in left
    assert not json.loads(left["study.json"])["complete"]
    assert not any(".cranfield-" in name for name in left)
    assert "parts/figure-1.json" in left
    assert "parts/graded.json" not in left
    finished = files(whole)
    assert all(finished[name] == content for name, content in left.items() if name != "study.json")
    resumed = study.run("graded", QRELS, RUNS, str(out))
    assert (resumed.kept, resumed.computed) == (("figure-1",), ("graded",))
    assert files(out) == finished


def test_a_file_that_cannot_be_finished_is_not_there(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        with pytest.raises(cf.Error, match=r"cannot write .*: File too large") as caught:
            study.run("graded", QRELS, RUNS, str(tmp_path / "out"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert caught.value.kind == "io"
    assert files(tmp_path) == {}


def test_a_broken_record_of_a_part_is_computed_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    study.run("graded", QRELS, RUNS, str(out))
    before = files(out)
    (out / "parts" / "graded.json").write_text('{"key": ')
    (out / "tables" / ".cranfield-1-0.new").write_text("half")
    again = study.run("graded", QRELS, RUNS, str(out))
    assert again.computed == ("graded",)
    assert files(out) == before


# Without matplotlib


def test_without_matplotlib_there_are_tables_and_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    words = ["study", "graded", QRELS, RUNS, "--output", str(out)]
    with monkeypatch.context() as patch:
        for name in [name for name in sys.modules if name.startswith("matplotlib")]:
            patch.delitem(sys.modules, name)
        patch.setitem(sys.modules, "matplotlib", None)
        assert main(words) == 0
    told = capsys.readouterr().err
    assert "no figures without matplotlib: pip install 'cranfield[plot]'" in told
    assert table(out, "graded")
    assert points(out, "graded")
    assert not (out / "figures").exists()
    page = Page((out / "index.html").read_text(encoding="utf-8"))
    assert page.figures == ["figure-1", "graded"]
    assert "pip install 'cranfield[plot]'" in page.text
    # With it, the figures are drawn from what was computed.
    outcome = study.run("graded", QRELS, RUNS, str(out))
    assert (outcome.computed, outcome.drawn) == ((), True)
    assert (out / "figures" / "graded.svg").is_file()


# Choices


def test_choices_of_runs_and_topics(tmp_path: Path, qrels: cf.Qrels) -> None:
    scores = cf.evaluate(qrels, RUNS, "AP")
    options: dict[str, Any] = {"measures": ["AP"]}
    for choice, expected in (
        (study.Choice(top=4), meta.best(scores, 4, "AP").runs),
        (study.Choice(drop_worst=0.25), meta.drop_worst(scores, 0.25, "AP").runs),
        (
            study.Choice(drop_worst=0.25, top=14),
            meta.drop_worst(scores, 0.25, "AP").runs,
        ),
    ):
        study.run("significance", QRELS, RUNS, str(tmp_path / "out"), choice=choice, **options)
        rows = table(tmp_path / "out", "pairs-AP")
        assert {row["run"] for row in rows} | {row["other"] for row in rows} == set(expected)
    topic = qrels.topics[0]
    study.run("curves", QRELS, RUNS, str(tmp_path / "one"), choice=study.Choice(topics=topic))
    assert json.loads((tmp_path / "one" / "study.json").read_text())["topics"] == 1


def test_ranges_of_topics(tmp_path: Path) -> None:
    judged = {str(topic): {"a": 1, "b": 0} for topic in (1, 2, 3, 10, 11)}
    runs = {name: {t: {"a": x, "b": 1.0} for t in judged} for name, x in (("x", 2.0), ("y", 0.5))}
    for text, count in (("2-10", 3), ("1,3", 2), ("1 10-11", 3)):
        out = tmp_path / str(count) / text.replace(" ", "_")
        study.run("graded", judged, runs, str(out), choice=study.Choice(topics=text))
        assert json.loads((out / "study.json").read_text())["topics"] == count
    with pytest.raises(cf.Error, match="no topic '4-9'"):
        study.run("graded", judged, runs, str(tmp_path / "n"), choice=study.Choice(topics="4-9"))


# What is refused


def test_a_folder_of_something_else_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    study.run("graded", QRELS, RUNS, str(out))
    before = files(out)
    for path, reason in (
        (out, "the folder contains the study 'graded'; give 'depth' another one"),
        (EXAMPLE, "the folder contains files that are not from a study"),
        (EXAMPLE / "qrels.txt", "expected a folder to write to, found a file"),
    ):
        assert main(["study", "depth", QRELS, RUNS, "--output", str(path)]) == 2
        assert reason in capsys.readouterr().err
    assert files(out) == before


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["grated", QRELS, RUNS], "no study 'grated'; did you mean graded?"),
        (["depth", QRELS, RUNS, "--samples", "3"], "takes no --samples; it takes: --alpha"),
        (["depth", QRELS, RUNS, "--top", "1"], "expected a number of runs of at least 2"),
        (["depth", QRELS, RUNS, "--drop-worst", "1"], "a share from 0 to below 1"),
        (["depth", QRELS, RUNS, "--alpha", "0"], "above 0 and below 1"),
        (["depth", QRELS, RUNS, "--depths", "0"], "expected a depth of at least 1"),
        (["depth", QRELS, RUNS, "--topics", "x"], "no topic 'x'"),
        (["depth", QRELS, RUNS, "--by", "nDGC", "--top", "3"], "nDGC"),
        (["imperfection", QRELS, RUNS, "--rates", "0,1"], "above 0 and up to 1"),
        (["imperfection", QRELS, RUNS, "--rates", "x"], "invalid number: 'x'"),
        (["agreement", QRELS, RUNS], "--second QRELS"),
        (["agreement", QRELS], "--second QRELS"),
        (["graded", QRELS], "the following arguments are required: RUN"),
        (["agreement", QRELS, RUNS, "--second", "none.txt"], "none.txt"),
        (["leave-one-out", QRELS, RUNS, "--groups", "none.txt"], "none.txt"),
        (["curves", QRELS, RUNS, "--run", "x"], "no run 'x'"),
        (["curves", QRELS, RUNS, "--topic", "x"], "no topic 'x'"),
        (["significance", QRELS, RUNS, "--measures", "x"], "unknown measure"),
        (["depth", QRELS, "-"], "standard input"),
        (["depth", "none.txt", RUNS], "none.txt"),
        (["depth", QRELS, RUNS, "none.run"], "none.run: there is no such file"),
    ],
)
def test_what_is_wrong_is_one_line(
    words: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", *words, "--output", str(tmp_path / "out")]) == 2
    # Equal scores are told of when runs are read, before some mistakes are found.
    lines = capsys.readouterr().err.splitlines(keepends=True)
    told = "".join(line for line in lines if "in ties" not in line)
    assert told.startswith("cranfield: error: ")
    assert reason in told
    assert not (tmp_path / "out" / "index.html").exists()
    # After the mistake is corrected the same folder can be used.
    assert not (tmp_path / "out").exists() or (tmp_path / "out" / "study.json").exists()


def test_one_run_is_not_compared(tmp_path: Path) -> None:
    run = next((EXAMPLE / "runs").iterdir())
    with pytest.raises(cf.Error, match="at least 2 runs, found 1"):
        study.run("depth", QRELS, str(run), str(tmp_path / "out"))
    study.run("curves", QRELS, str(run), str(tmp_path / "out"))
