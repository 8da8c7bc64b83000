"""``cranfield describe``: texts to the byte, formats, options and errors."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import cranfield as cf
import pytest

from tests import ROOT
from tests.cli.calls import call, failed, output

QRELS = "1 0 a 2\n1 0 b 1\n1 0 c 0\n2 0 a 0\n2 0 b -1\n2 0 c 0\n2 0 d 1\n3 0 a 0\n"
MINE = "1 Q0 a 1 2 t\n1 Q0 x 2 1 t\n2 Q0 d 1 1 t\n2 Q0 d 2 1 t\n9 Q0 a 1 1 t\n"
JUDGMENTS = (
    "3 topics. R: documents of grade 1 or higher; N: the others that are judged.\n"
    "\n"
    "judgments    total  min  median  mean  max\n"
    "judged           7    1     3.0   2.3    3\n"
    "R                3    0     1.0   1.0    2\n"
    "N                4    1     1.0   1.3    2\n"
    "pooled only      1    0     0.0   0.3    1\n"
    "grade -1         1    0     0.0   0.3    1\n"
    "grade 0          4    1     1.0   1.3    2\n"
    "grade 1          2    0     1.0   0.7    1\n"
    "grade 2          1    0     0.0   0.3    1\n"
    "\n"
)
FACTS = "R > N: in 1 topic: 1\nR > 100: in no topic\nno relevant document: in 1 topic: 3\n"
TOPICS = (
    "topic  judged  R  N  pooled only  grade -1  grade 0  grade 1  grade 2\n"
    "1           3  2  1            0         0        1        1        1\n"
    "2           3  1  2            1         1        2        1        0\n"
    "3           1  0  1            0         0        1        0        0\n"
)
RUNS = (
    "run   tag  topics  missing  extra  lines  shortest  median  longest  ties  "
    "f32 differs  duplicates\n"
    "mine  t         3        1      1      5         1     1.5        2     0"
    "            0           1\n"
    "\n"
    "run   found    of R  Judged@1      @2\n"
    "mine      2  0.6667    1.0000  0.7500\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "mine.run").write_text(MINE)
    return tmp_path


def test_the_command_prints_judgments_and_runs(folder: Path) -> None:
    assert output(folder, "describe", "qrels.txt") == f"{JUDGMENTS}{FACTS}"
    runs = ["describe", "qrels.txt", "mine.run", "--depths", "1,2"]
    assert output(folder, *runs) == f"{JUDGMENTS}{FACTS}\n{RUNS}"
    deep = output(folder, *runs, "--per-topic")
    assert deep == f"{JUDGMENTS}{FACTS}\n{TOPICS}\n{RUNS}"


def test_notes_name_the_topics_on_stderr(folder: Path) -> None:
    done = call(folder, "describe", "qrels.txt", "mine.run")
    assert done.stderr == (
        "cranfield: mine: 1 topic of the qrels is missing (left out of its means): 3\n"
        "cranfield: mine: 1 topic has no judgments (ignored): 9\n"
        "cranfield: mine: duplicate documents (counted once): 1\n"
    )
    (folder / "odd.txt").write_text("1 0 a 1x\n")
    odd = call(folder, "describe", "odd.txt", "--lenient")
    assert odd.stderr == "cranfield: odd.txt: repaired numbers: 1\n"


def test_markdown_latex_and_html(folder: Path) -> None:
    arguments = ["describe", "qrels.txt", "mine.run", "--depths", "2", "--format"]
    markdown = output(folder, *arguments, "markdown")
    assert "| judgments | total | min | median | mean | max |\n| --- | ---: |" in markdown
    assert "\n\n- R > N: in 1 topic: 1\n" in markdown
    assert "\n| mine | 2 | 0.6667 | 0.7500 |\n" in markdown
    latex = output(folder, *arguments, "latex")
    assert latex.isascii()
    assert latex.count("\\begin{tabular}") == 3
    assert "\nR \\textgreater{} N: in 1 topic: 1\\\\\n" in latex
    assert "\njudged & 7 & 1 & 3.0 & 2.3 & 3 \\\\\n" in latex
    html = output(folder, *arguments, "html")
    assert html.startswith("<!DOCTYPE html>\n")
    assert '<meta charset="utf-8">' in html
    assert html.count("<table>") == html.count("</table>") == 3
    assert "<td>0.7500</td>" in html


def test_separated_values_are_one_table(folder: Path) -> None:
    one = output(folder, "describe", "qrels.txt", "--format", "csv")
    assert one.splitlines()[:3] == [
        "judgments,total,min,median,mean,max",
        "judged,7,1,3.0,2.3333333333333335,3",
        "R,3,0,1.0,1.0,2",
    ]
    runs = ["describe", "qrels.txt", "mine.run", "--depths", "2", "--format"]
    rows = list(csv.reader(io.StringIO(output(folder, *runs, "csv"))))
    assert dict(zip(*rows, strict=True)) == {
        "run": "mine",
        "tag": "t",
        "topics": "3",
        "missing": "1",
        "extra": "1",
        "lines": "5",
        "shortest": "1",
        "median": "1.5",
        "longest": "2",
        "ties": "0",
        "f32 differs": "0",
        "duplicates": "1",
        "found": "2",
        "found/R": "0.6666666666666666",
        "Judged@2": "0.75",
    }
    tsv = output(folder, *runs, "tsv", "--per-topic")
    assert tsv.splitlines()[1] == "1\t3\t2\t1\t0\t0\t1\t1\t1"
    (folder / "other.tsv").write_text("8\ta\t1\n")
    none = output(folder, "describe", "qrels.txt", "other.tsv", "--depths", "2", "--format", "csv")
    assert none.splitlines()[1] == "other.tsv,,1,3,1,1,,,,0,0,0,0,0.0,"


def test_json_has_everything(folder: Path) -> None:
    runs = ["describe", "qrels.txt", "mine.run", "--format", "json"]
    content = json.loads(output(folder, *runs))
    found = cf.describe(folder / "qrels.txt", folder / "mine.run")
    assert content["schema_version"] == 1
    assert content["cranfield"] == cf.__version__
    assert content["topics"] == ["1", "2", "3"]
    assert content["judgments"] == found.judgments.to_dict()
    assert content["topics_r_above_n"] == ["1"]
    assert content["topics_r_above_100"] == []
    assert content["topics_without_relevant"] == ["3"]
    (run,) = content["runs"]
    assert run.pop("run") == "mine"
    assert run.pop("topics_missing") == ["3"]
    assert run.pop("topics_without_judgments") == ["9"]
    assert run == found.runs.to_dict()["mine"]
    assert "per_topic" not in content
    deep = json.loads(output(folder, *runs, "--per-topic"))
    assert deep["per_topic"] == found.topics.to_dict()


@pytest.mark.parametrize(
    ("file", "start"),
    [
        ("x.json", '{"schema_version"'),
        ("x.csv", "judgments,total"),
        ("x.tsv", "judgments\ttotal"),
        ("x.md", "- 3 topics"),
        ("x.tex", "3 topics"),
        ("x.html", "<!DOCTYPE html>"),
        ("x", "3 topics"),
    ],
)
def test_the_suffix_is_the_format(folder: Path, file: str, start: str) -> None:
    assert output(folder, "describe", "qrels.txt", "--output", file) == ""
    assert (folder / file).read_text("utf-8").startswith(start)


def test_options_reach_the_description(folder: Path) -> None:
    strict = output(folder, "describe", "qrels.txt", "--rel", "2", "--negative", "nonrelevant")
    assert "\nR                1    0" in strict
    assert "\npooled only      0    0" in strict
    assert "mine.run" in failed(
        folder, "describe", "qrels.txt", "mine.run", "--duplicates", "error", "--quiet"
    )
    assert output(folder, "describe", "-", "mine.run", "--depths", "1 2", stdin=QRELS).endswith(
        RUNS
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "QRELS"),
        (["none.txt"], "none.txt"),
        (["-", "-"], "only once"),
        (["qrels.txt", "--depths", "5,x"], "--depths"),
        (["qrels.txt", "--depths", ","], "at least one number"),
        (["qrels.txt", "--depths", "0"], "expected a depth of at least 1, found 0 (--depths)"),
        (["qrels.txt", "--rel", "x"], "--rel"),
        (
            ["qrels.txt", "--output", "x.pdf"],
            ".json .csv .tsv .md .tex .txt .html .htm, or --format",
        ),
        (["none.txt", "--output", "x.csv.gz"], "write x.csv and compress that"),
        (["qrels.txt", "--output", "nowhere/x.csv"], "nowhere"),
        (["qrels.txt", "--threads", "0"], "number of threads"),
        (["qrels.txt", "mine.run", "./mine.run"], "given twice"),
    ],
)
def test_a_bad_call_is_one_message(folder: Path, arguments: list[str], message: str) -> None:
    assert message in failed(folder, "describe", *arguments)


@pytest.mark.parametrize("command", ["describe", "pool"])
def test_the_commands_are_documented(command: str) -> None:
    done = call(ROOT, command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: cranfield {command} ")
    assert f"examples:\n  cranfield {command} " in done.stdout
    assert command in call(ROOT, "--help").stdout
    assert f"$ cranfield {command} " in (ROOT / f"docs/howto/{command}.md").read_text("utf-8")
