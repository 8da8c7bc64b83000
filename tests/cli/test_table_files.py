"""Tables on the command line: the same output as for the TREC file of the same run."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
from cranfield._cli import main

from tests.commands import unsigned

RUN = {str(t): {f"d{d}": (t * d) % 17 / 7 for d in range(30)} for t in range(1, 9)}
QRELS = {t: {"d1": 1, "d7": 2, "d12": 0} for t in RUN}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    cf.Qrels(QRELS).write("qrels.txt")
    Path("trec").mkdir()
    Path("table").mkdir()
    for name, factor in (("a", 1), ("b", -1)):
        run = {t: {d: s * factor for d, s in hits.items()} for t, hits in RUN.items()}
        cf.Run(run).write(f"trec/{name}.run")
        rows = [f"{t},{d},{s!r}\n" for t, hits in run.items() for d, s in hits.items()]
        Path(f"table/{name}.csv").write_text("query,passage,bm25\n" + "".join(rows))
    return tmp_path


COLUMNS = ["--columns", "topic=query,doc=passage,score=bm25"]


@pytest.mark.parametrize(
    "command",
    [
        ["eval", "qrels.txt", "{}/"],
        ["compare", "qrels.txt", "{}/", "--baseline", "a"],
        ["pool", "{}/", "--depth", "3"],
        ["diff", "qrels.txt", "{}/a.EXT", "{}/b.EXT", "-m", "AP"],
    ],
)
def test_commands(files: Path, capsys: Any, command: list[str]) -> None:
    def printed(folder: str, suffix: str, more: list[str]) -> str:
        words = [word.replace("{}", folder).replace("EXT", suffix) for word in command]
        assert main([*words, *more]) == 0, capsys.readouterr().err
        # The signature names the columns.
        return unsigned(capsys.readouterr().out)

    assert printed("table", "csv", COLUMNS) == printed("trec", "run", [])


def test_report_describe_and_bench(files: Path, capsys: Any) -> None:
    assert main(["report", "qrels.txt", "table/", *COLUMNS, "-o", "report.html"]) == 0
    assert "SHA-256" in Path("report.html").read_text()
    assert main(["describe", "qrels.txt", "table/", *COLUMNS]) == 0
    assert main(["bench", "qrels.txt", "table/a.csv", *COLUMNS, "--rounds", "1", "-m", "AP"]) == 0


def test_convert(files: Path, capsys: Any) -> None:
    assert main(["convert", "table/a.csv", "back.run", *COLUMNS]) == 0
    assert cf.read_run("back.run").to_dict() == cf.read_run("trec/a.run").to_dict()
    Path("qrels.json").write_text(json.dumps(QRELS))
    capsys.readouterr()
    assert main(["convert", "qrels.json", "back.txt"]) == 2
    assert "--kind run or --kind qrels" in capsys.readouterr().err
    assert main(["convert", "qrels.json", "back.txt", "--kind", "qrels"]) == 0
    assert cf.read_qrels("back.txt").to_dict() == cf.Qrels(QRELS).to_dict()


def test_standard_input(files: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps(RUN).encode()
    for command in (["eval", "qrels.txt", "-"], ["compare", "qrels.txt", "-", "trec/b.run"]):
        stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(text)))
        monkeypatch.setattr(sys, "stdin", stdin)
        assert main(command) == 0, capsys.readouterr().err


def test_messages(files: Path, capsys: Any) -> None:
    cases: dict[str, Callable[[str], bool]] = {
        "topic=query,score=nope": lambda text: "expected a column nope, found" in text,
        "tag=x": lambda text: "no kind of column 'tag'" in text,
        "topic": lambda text: "expected KIND=COLUMN,..." in text,
    }
    for given, is_said in cases.items():
        assert main(["eval", "qrels.txt", "table/a.csv", "--columns", given]) == 2
        assert is_said(capsys.readouterr().err), given
    assert main(["eval", "qrels.txt", "table/a.csv"]) == 2
    assert "name it with --columns" in capsys.readouterr().err
