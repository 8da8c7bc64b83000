"""Judgments whose relevance levels have names: S, A, B and C of NTCIR's first workshops."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest

from tests.commands import called

OLD = "1 a S\n1 b A\n1 c B\n1 d C\n2 a L2\n"
LEVELS = {"S": 3, "A": 2, "B": 1, "C": 0}
FLAG = "S=3,A=2,B=1,C=0"
GRADES = {"1": {"a": 3, "b": 2, "c": 1, "d": 0}, "2": {"a": 2}}
RUN = "1 Q0 b 1 3 t\n1 Q0 a 2 2 t\n2 Q0 a 1 1 t\n"
HINT = r'levels=\{"S": 3, "A": 2, "B": 1\}$'


def written(folder: Path, text: str = OLD) -> Path:
    path = folder / "qrels"
    path.write_text(text)
    (folder / "run").write_text(RUN)
    return path


def command(*words: object) -> subprocess.CompletedProcess[str]:
    return called(*map(str, words))


@pytest.mark.parametrize("layout", ["ntcir", None])
def test_files_and_streams(tmp_path: Path, layout: str | None) -> None:
    path = written(tmp_path)
    for source in (path, str(path), io.StringIO(OLD), io.BytesIO(OLD.encode())):
        assert cf.read_qrels(source, layout=layout, levels=LEVELS).to_dict() == GRADES
    assert cf.Qrels.read(str(path), layout=layout, levels=LEVELS).to_dict() == GRADES


def test_other_layouts(tmp_path: Path) -> None:
    path = written(tmp_path, "1 x a S\n1 y a B\n1 y b A\n")
    qrels = cf.read_qrels(path, layout="intents", levels=LEVELS)
    assert qrels.to_dict() == {"1": {"a": 3, "b": 2}}
    path = written(tmp_path, "1 0 a S\n1 0 b 1\n1 0 c A\n1 0 d 0\n")
    qrels = cf.read_qrels(path, layout="trec", levels=LEVELS)
    assert qrels.to_dict() == {"1": {"a": 3, "b": 1, "c": 2, "d": 0}}
    # Numbers alone are as ever.
    assert cf.read_qrels(io.StringIO("1 0 a 2\n"), levels=LEVELS).to_dict() == {"1": {"a": 2}}


def test_lenient_reading_knows_names(tmp_path: Path) -> None:
    qrels = cf.read_qrels(written(tmp_path), layout="ntcir", levels=LEVELS, lenient=True)
    assert (qrels.to_dict(), qrels.repaired) == (GRADES, 0)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (OLD, {"layout": "ntcir"}),
        (OLD, {}),
        ("1 a L1\n1 b S\n", {}),
        ("1 a S\n1 b D\n", {"levels": {"S": 3}}),
        ("1 0 a S\n", {"layout": "trec"}),
        ("1 x a S\n", {"layout": "intents"}),
    ],
)
def test_without_names_the_error_says_how(text: str, options: dict[str, Any]) -> None:
    with pytest.raises(cf.Error, match=HINT) as caught:
        cf.read_qrels(io.StringIO(text), **options)
    assert caught.value.line is not None


@pytest.mark.parametrize(
    "levels",
    [
        {"": 1},
        {"1": 1},
        {"L2": 1},
        {"a b": 1},
        {"S": float("nan")},
        {"S": "x"},
        {1: 1},
        5,
        [1],
        "S",
    ],
)
def test_invalid_levels(levels: Any) -> None:
    with pytest.raises(cf.Error, match="level") as caught:
        cf.read_qrels(io.StringIO(OLD), layout="ntcir", levels=levels)
    assert caught.value.kind in ("option", "type")


def test_the_commands(tmp_path: Path) -> None:
    path, run = written(tmp_path), tmp_path / "run"
    levels = ("--levels", FLAG)
    shown = command("eval", path, run, "-m", "nDCG@2 num_rel", "--layout", "ntcir", *levels)
    assert shown.returncode == 0, shown.stderr
    expected = cf.evaluate(GRADES, run, "nDCG@2").mean()[0, 0]
    assert shown.stdout.split()[-2:] == [f"{expected:.4f}", "4"]
    for words in (
        ("describe", path, *levels),
        ("compare", path, run, run, "-m", "AP", "--names", "a", "b", *levels),
        ("pool", run, "--qrels", path, *levels),
        ("convert", path, "-", *levels),
    ):
        done = command(*words)
        if words[0] == "compare":  # whatever else it says, the judgments are read
            assert "level" not in done.stderr
            continue
        assert done.returncode == 0, (words, done.stderr)
    assert command("convert", path, "-", *levels).stdout.startswith("1 0 a 3\n1 0 b 2\n")
    refused = command("eval", path, run, "--layout", "ntcir")
    assert refused.returncode == 2
    assert "--levels S=3,A=2,B=1" in refused.stderr


@pytest.mark.parametrize("text", ["", "S", "S=", "=3", "S=x", "S=nan", "S=1,S=2", "S=3,", "1=2"])
def test_invalid_flags(tmp_path: Path, text: str) -> None:
    done = command("eval", written(tmp_path), tmp_path / "run", f"--levels={text}")
    assert done.returncode == 2
    assert "level" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_levels_go_with_judgments(tmp_path: Path) -> None:
    written(tmp_path)
    refused = command("pool", tmp_path / "run", "--levels", FLAG)
    assert refused.stderr == "cranfield: error: --levels is only for --qrels\n"
    refused = command("convert", tmp_path / "run", "-", "--kind", "run", "--levels", FLAG)
    assert "--levels is for judgments" in refused.stderr
