"""``cranfield eval --bounds`` in every format."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import cranfield as cf
import pytest

from tests.cli import calls

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
RUNS = {
    # u a b: AP is 1/2, and (1 + 2/2) / 2 with u; c: 1
    "bm25": {"1": {"u": 3.0, "a": 2.0, "b": 1.0}, "2": {"c": 1.0}},
    # a b u: 1, and (1 + 2/3) / 2 with u; the other topic is missing
    "dense": {"1": {"a": 3.0, "b": 2.0, "u": 1.0}},
}
WIDE_NAMES = ["run", "topic", "AP", "AP low", "AP high"]
WIDE_NAMES += ["num_rel_ret", "num_rel_ret low", "num_rel_ret high"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cf.Qrels(QRELS).write(str(tmp_path / "qrels.txt"))
    (tmp_path / "runs").mkdir()
    for name, run in RUNS.items():
        cf.Run(run).write(str(tmp_path / "runs" / f"{name}.run"))
    return tmp_path


def call(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return calls.call(folder, "eval", "qrels.txt", "runs", *arguments)


def bounded(folder: Path, *arguments: str) -> str:
    done = call(folder, "--bounds", "-m", "AP num_rel_ret", "--quiet", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


BOUNDED = (
    "\nlowest, highest: if every retrieved document were judged, over all possible judgments.\n"
)


def test_a_table_has_the_bounds_beside_the_value(folder: Path) -> None:
    assert (
        bounded(folder)
        == (
            "run        AP  lowest  highest  num_rel_ret  lowest  highest\n"
            "bm25   0.7500  0.7500   1.0000            2       2        3\n"
            "dense  0.5000  0.4167   0.5000            1       1        2\n"
        )
        + BOUNDED
    )
    fixed = bounded(folder, "--bounds-mode", "fixed_R", "--docs-in-collection", "100")
    ranks = "over all ranks of the relevant documents that the run did not retrieve"
    assert fixed.endswith(f"\nlowest, highest: {ranks}.\n")


def test_per_topic_rows_have_bounds_too(folder: Path) -> None:
    assert (
        bounded(folder, "--per-topic")
        == (
            "run    topic      AP  lowest  highest  num_rel_ret  lowest  highest\n"
            "bm25   1      0.5000  0.5000   1.0000            1       1        2\n"
            "bm25   2      1.0000  1.0000   1.0000            1       1        1\n"
            "bm25   all    0.7500  0.7500   1.0000            2       2        3\n"
            "dense  1      1.0000  0.8333   1.0000            1       1        2\n"
            "dense  2      0.0000  0.0000   0.0000            0       0        0\n"
            "dense  all    0.5000  0.4167   0.5000            1       1        2\n"
        )
        + BOUNDED
    )


def test_runs_are_sorted_by_the_value(folder: Path) -> None:
    # Without the topic that dense lacks its AP is 1, but its counts stay lower.
    for measure, order in (("AP", ["dense", "bm25"]), ("num_rel_ret", ["bm25", "dense"])):
        for form in ("csv", "table"):
            options = ["--missing", "skip", "--sort", measure, "--format", form]
            lines = bounded(folder, *options).splitlines()[1:3]
            assert [line.replace(",", " ").split()[0] for line in lines] == order


@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_separated_values_have_three_columns_a_measure(
    folder: Path, form: str, delimiter: str
) -> None:
    text = bounded(folder, "--format", form, "--per-topic")
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    assert rows[0] == WIDE_NAMES
    assert rows[1] == ["bm25", "1", "0.5", "0.5", "1.0", "1", "1", "2"]
    assert rows[3] == ["bm25", "all", "0.75", "0.75", "1.0", "2", "2", "3"]
    exact = cf.bounds(QRELS, RUNS, "AP").mean()
    assert [float(cell) for cell in rows[6][2:5]] == exact[1, 0].tolist()


def test_json_has_an_object_a_measure(folder: Path) -> None:
    content = json.loads(bounded(folder, "--format", "json", "--per-topic"))
    assert content["measures"] == ["AP", "num_rel_ret"]
    bm25, dense = content["runs"]
    assert bm25["summary"] == {
        "AP": {"value": 0.75, "low": 0.75, "high": 1.0},
        "num_rel_ret": {"value": 2, "low": 2, "high": 3},
    }
    assert dense["topics"]["2"]["AP"] == {"value": 0.0, "low": 0.0, "high": 0.0}
    assert dense["notes"]["topics_missing"] == ["2"]


def test_jsonl_has_an_object_a_measure(folder: Path) -> None:
    lines = [json.loads(line) for line in bounded(folder, "--format", "jsonl").splitlines()]
    assert [line["topic"] for line in lines] == [None, None]
    assert lines[0]["values"]["AP"] == {"value": 0.75, "low": 0.75, "high": 1.0}


def test_markdown_and_latex_have_the_bounds_beside_the_value(folder: Path) -> None:
    assert bounded(folder, "--format", "markdown") == (
        "| run | AP | lowest | highest | num\\_rel\\_ret | lowest | highest |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| bm25 | **0.7500** | 0.7500 | 1.0000 | **2** | 2 | 3 |\n"
        "| dense | 0.5000 | 0.4167 | 0.5000 | 1 | 1 | 2 |\n"
    )
    assert bounded(folder, "--format", "latex") == (
        "\\begin{table}\n"
        "\\centering\n"
        "\\caption{Scores of 2 runs over 2 topics.}\n"
        "\\label{tab:scores}\n"
        "\\begin{tabular}{lrrrrrr}\n"
        "\\toprule\n"
        "run & AP & lowest & highest & num\\_rel\\_ret & lowest & highest \\\\\n"
        "\\midrule\n"
        "bm25 & \\textbf{0.7500} & 0.7500 & 1.0000 & \\textbf{2} & 2 & 3 \\\\\n"
        "dense & 0.5000 & 0.4167 & 0.5000 & 1 & 1 & 2 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\end{table}\n"
    )


def test_a_file_is_written(folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert bounded(folder, "--output", "bounds.parquet") == ""
    table = parquet.read_table(folder / "bounds.parquet")
    assert table.column_names == ["run", *WIDE_NAMES[2:]]
    assert table["AP low"].to_pylist() == pytest.approx([0.75, 5 / 12])
    assert bounded(folder, "--output", "bounds.csv") == ""
    assert (folder / "bounds.csv").read_text().startswith("run,AP,AP low,AP high,num_rel_ret,")


def test_undefined_is_a_dash_null_or_nothing(folder: Path) -> None:
    cf.Qrels({**QRELS, "3": {"x": 0}}).write(str(folder / "qrels.txt"))
    options = ["-m", "AP", "--undefined", "skip", "--per-topic", "--format"]
    found = bounded(folder, *options, "table").splitlines()
    assert ["bm25", "3", *["-"] * 6] in [line.split() for line in found]
    assert "\nbm25,3,,,,,,\n" in bounded(folder, *options, "csv")
    line = json.loads(bounded(folder, *options, "jsonl").splitlines()[2])
    assert line["values"]["AP"] == {"value": None, "low": None, "high": None}


def test_the_default_list_has_bounds_and_notes_are_as_ever(folder: Path) -> None:
    done = call(folder, "--bounds", "--format", "csv")
    assert done.returncode == 0
    header = done.stdout.splitlines()[0].split(",")
    assert header[1::3] == list(cf.bounds(QRELS, RUNS).measures)
    assert done.stderr == "cranfield: dense: 1 topic of the qrels is missing (scored 0): 2\n"


def test_options_reach_the_core(folder: Path) -> None:
    low = cf.bounds(QRELS, RUNS, "AP", unseen=3).mean()[0, 0, 1]
    assert f"  {low:.4f}   1.0000  " in bounded(folder, "--unseen", "3")
    assert bounded(folder, "--unseen", "0") == bounded(folder)
    graded = call(folder, "--bounds", "-m", "CG@1", "--max-grade", "4", "--quiet").stdout
    # u could get 4 at the top of a list; the other topic has c.
    assert graded.splitlines()[1] == "bm25   0.5000  0.5000   2.5000"
    few = ["--bounds", "-m", "nERR(max_rel=1)", "--max-assignments", "1"]
    assert "2 assignments would have to be tried" in call(folder, *few).stderr
    fixed = ["--bounds-mode", "fixed_R", "--docs-in-collection", "100"]
    # c could be anywhere in the list that dense lacks for topic 2: (1 + 1/100) / 2. Topic 1
    # of both runs has all that is relevant.
    assert "\ndense  0.5000  0.5050   1.0000" in bounded(folder, *fixed)
    assert "give --docs-in-collection" in call(folder, "--bounds", *fixed[:2]).stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--unseen", "3"], "--unseen is only for --bounds"),
        (["--unseen", "0"], "--unseen is only for --bounds"),
        (["--max-grade", "3"], "--max-grade is only for --bounds"),
        (["--bounds-mode", "fixed_R"], "--bounds-mode is only for --bounds"),
        (["--max-assignments", "3"], "--max-assignments is only for --bounds"),
        (
            ["--bounds", "--unseen", "-1"],
            "expected a number of unseen documents of at least 0, found -1 (--unseen); "
            "see cranfield eval --help",
        ),
        (
            ["--bounds", "-m", "Judged@10"],
            "no exact bounds of Judged@10: it measures how much is judged",
        ),
        (["--bounds", "--max-grade", "nan"], "expected a --max-grade of at least 0, found NaN"),
    ],
)
def test_wrong_usage_is_one_message(folder: Path, arguments: list[str], message: str) -> None:
    done = call(folder, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"cranfield: error: {message}\n"


def test_the_table_of_bounds_needs_no_numpy(folder: Path) -> None:
    code = (
        "import sys; from cranfield._cli import main; status = main(sys.argv[1:]);"
        "assert status == 0 and 'numpy' not in sys.modules"
    )
    arguments = ["eval", "qrels.txt", "runs", "--bounds"]
    subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, check=True, capture_output=True
    )
