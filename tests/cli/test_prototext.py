"""The output that TIRA takes: ``evaluation.prototext``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cranfield._cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n2 0 b 1\n")
    (tmp_path / "run.txt").write_text("1 Q0 a 1 2 t\n1 Q0 x 2 1 t\n2 Q0 x 1 2 t\n2 Q0 b 2 1 t\n")
    (tmp_path / "other.txt").write_text("1 Q0 a 1 2 t\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_block_for_each_measure(folder: Path) -> None:
    arguments = ["eval", "qrels.txt", "run.txt", "-m", "AP num_ret RBP(p=0.5)"]
    assert main([*arguments, "--output", "evaluation.prototext", "--quiet"]) == 0
    assert (folder / "evaluation.prototext").read_text() == (
        'measure {\n  key: "AP"\n  value: "0.75"\n}\n'
        'measure {\n  key: "num_ret"\n  value: "4"\n}\n'
        'measure {\n  key: "RBP(p=0.5)"\n  value: "0.375"\n}\n'
    )


def test_bounds_have_blocks_of_their_own(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    arguments = ["eval", "qrels.txt", "run.txt", "-m", "P@1", "--bounds", "--format", "prototext"]
    assert main([*arguments, "--quiet"]) == 0
    keys = [line.split('"')[1] for line in capsys.readouterr().out.splitlines() if "key" in line]
    assert keys == ["P@1", "P@1 low", "P@1 high"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["other.txt"], "expected one run for prototext, found 2"),
        (["--per-topic"], "prototext has only the scores of a run"),
    ],
)
def test_what_a_block_cannot_say(
    capsys: pytest.CaptureFixture[str], folder: Path, more: list[str], message: str
) -> None:
    done = main(["eval", "qrels.txt", "run.txt", *more, "--output", "x.prototext", "--quiet"])
    assert done == 2
    assert message in capsys.readouterr().err
    assert not os.path.exists("x.prototext")
