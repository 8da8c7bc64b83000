"""``cranfield eval``: its output to the byte, its errors, its options."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import cranfield as cf
import pytest
from cranfield._cli import eval as evaluating

from tests.cli.calls import BM25, QRELS, TABLE, call, evaluated, failed


@pytest.mark.parametrize("runs", [["runs"], ["runs/*"], ["runs/bm25.run", "runs/d*.gz"]])
def test_a_table_has_the_best_run_first(folder: Path, runs: list[str]) -> None:
    done = call(folder, "eval", "qrels.txt", *runs, "-m", "AP num_ret", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, TABLE, "")


def test_measures_repeat_and_have_a_default(folder: Path) -> None:
    assert evaluated(folder, "-m", "AP", "-m", "num_ret AP") == TABLE
    default = "run nDCG@10 AP RR P@10 R@100 bpref Judged@10"
    assert evaluated(folder).splitlines()[0].split() == default.split()


def test_sort_takes_any_spelling_of_a_measure(folder: Path) -> None:
    table = evaluated(folder, "-m", "AP num_ret P@1", "--sort", "num_ret")
    assert [line.split()[0] for line in table.splitlines()] == ["run", "bm25", "dense"]
    table = evaluated(folder, "-m", "num_ret AP", "--sort", "map")
    assert [line.split()[0] for line in table.splitlines()] == ["run", "dense", "bm25"]
    message = failed(folder, "eval", "qrels.txt", "runs", "-m", "AP", "--sort", "RR")
    assert "RR" in message
    assert "AP" in message


def test_per_topic_rows_end_with_a_summary(folder: Path) -> None:
    assert evaluated(folder, "-m", "AP num_ret", "--per-topic") == (
        "run    topic      AP  num_ret\n"
        "dense  1      1.0000        2\n"
        "dense  2      1.0000        1\n"
        "dense  3      0.0000        0\n"
        "dense  all    0.6667        3\n"
        "bm25   1      0.8333        3\n"
        "bm25   2      0.5000        2\n"
        "bm25   3      0.0000        0\n"
        "bm25   all    0.4444        5\n"
    )


def test_notes_go_to_stderr_in_a_line_each(folder: Path) -> None:
    done = call(folder, "eval", "qrels.txt", "runs", "-m", "AP num_ret")
    assert done.stdout == TABLE
    assert done.stderr == (
        "cranfield: qrels.txt: 1 topic has no relevant document (undefined scores count 0): 3\n"
        "cranfield: bm25 and 1 other: 1 topic of the qrels is missing (scored 0): 3\n"
        "cranfield: bm25: 1 topic has no judgments (ignored): 9\n"
    )
    skipped = call(folder, "eval", "qrels.txt", "runs/b*", "--missing", "skip")
    assert "bm25: 1 topic of the qrels is missing (left out of its means): 3\n" in (skipped.stderr)


def test_a_run_of_other_topics_is_reported(folder: Path) -> None:
    (folder / "alien.run").write_text("401 Q0 a 1 1 t\n")
    done = call(folder, "eval", "qrels.txt", "alien.run", "-m", "AP", "--undefined", "skip")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "cranfield: error: alien.run: run `alien` has no topic in common with the judgments: the "
        "run has `401`, the judgments have `1` `2` `3`; give the judgments of this run's topics, "
        "or use --missing skip to leave the others out\n"
    )
    done = call(folder, "eval", "qrels.txt", "alien.run", "-m", "AP", "--missing", "skip")
    assert (done.returncode, done.stdout) == (0, "run    AP\nalien   -\n")
    assert done.stderr == (
        "cranfield: alien: no topic in common with the qrels: are these the right qrels?\n"
        "cranfield: qrels.txt: 1 topic has no relevant document (undefined scores count 0): 3\n"
    )


def test_repairs_in_the_qrels_are_reported(folder: Path) -> None:
    (folder / "odd.txt").write_text("1 0 a 1x\n2 0 a y\n2 0 b 1\n")
    done = call(folder, "eval", "odd.txt", "runs/dense.res.gz", "--lenient")
    assert done.stderr == "cranfield: odd.txt: repaired numbers: 2\n"


def test_notes_are_cut(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("".join(f"{t} 0 a 1\n" for t in range(40)))
    (tmp_path / "runs").mkdir()
    for i in range(40):
        text = f"{i} Q0 a 1 1 t\nextra{i} Q0 a 1 1 t\n"
        (tmp_path / "runs" / f"r{i}").write_text(text)
    done = call(tmp_path, "eval", "qrels.txt", "runs", "-m", "AP")
    lines = done.stderr.splitlines()
    assert len(lines) == 11
    assert "39 topics of the qrels are missing" in lines[0]
    assert lines[0].endswith("and 29 more")
    assert lines[-1].startswith("cranfield: ... and 70 more")


def test_control_characters_do_not_reach_a_terminal(folder: Path) -> None:
    (folder / "runs" / "\x1b[2Jx.run").write_text(BM25.replace("9 Q0", "\x1b[2J Q0"))
    done = call(folder, "eval", "qrels.txt", "runs", "-m", "AP")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr
    assert "\\x1b[2Jx" in done.stdout


def test_an_error_has_no_control_characters(folder: Path) -> None:
    assert failed(folder, "eval", "qrels.txt", "a\x1b]2J\nb") == (
        "a\\x1b]2J\\nb: there is no such file\n"
    )
    assert "\x1b" not in failed(folder, "eval", "qrels.txt", "runs", "--\x1b[2J")
    assert "\x1b" not in failed(folder, "eval", "qrels.txt", "runs", "-m", "P@x\x1b")
    # A measure and its caret have lines of their own.
    message = failed(folder, "eval", "qrels.txt", "runs", "-m", "P@x")
    assert message.endswith("\n  P@x\n    ^\n")


def test_undefined_is_a_dash_null_or_nothing(folder: Path) -> None:
    (folder / "three.run").write_text("3 Q0 x 1 1 t\n1 Q0 b 1 1 t\n2 Q0 b 1 1 t\n")
    options = ["-m", "AP", "--undefined", "skip", "--per-topic", "--quiet", "--format"]

    def rows(form: str) -> str:
        done = call(folder, "eval", "qrels.txt", "three.run", *options, form)
        assert done.returncode == 0
        return done.stdout

    assert "\nthree  3           -\n" in rows("table")
    assert "\nthree,3,\n" in rows("csv")
    assert "\nthree\t3\t\n" in rows("tsv")
    assert json.loads(rows("json"))["runs"][0]["topics"]["3"] == {"AP": None}
    assert json.loads(rows("jsonl").splitlines()[2])["values"] == {"AP": None}


def test_json_has_every_digit_and_says_its_version(folder: Path) -> None:
    content = json.loads(evaluated(folder, "-m", "AP num_ret", "--format", "json"))
    assert content["schema_version"] == 1
    assert content["cranfield"] == cf.__version__
    assert content["measures"] == ["AP", "num_ret"]
    assert content["topics"] == ["1", "2", "3"]
    bm25, dense = content["runs"]
    exact = cf.evaluate(folder / "qrels.txt", folder / "runs", "AP").mean()
    assert bm25["run"] == "bm25"
    assert bm25["tag"] == "t"
    assert bm25["summary"] == {"AP": exact[0, 0], "num_ret": 5.0}
    assert dense["summary"]["AP"] == exact[1, 0]
    assert bm25["notes"]["topics_missing"] == ["3"]
    assert bm25["notes"]["topics_without_judgments"] == ["9"]
    assert "topics" not in bm25
    deep = json.loads(evaluated(folder, "-m", "AP", "--format", "json", "--per-topic"))
    assert deep["runs"][0]["topics"]["2"] == {"AP": 0.5}


def test_jsonl_is_a_line_a_row(folder: Path) -> None:
    text = evaluated(folder, "-m", "AP", "--format", "jsonl", "--per-topic")
    lines = [json.loads(line) for line in text.splitlines()]
    assert [(line["run"], line["topic"]) for line in lines] == [
        (run, topic) for run in ("bm25", "dense") for topic in ("1", "2", "3", None)
    ]
    assert all(line["schema_version"] == 1 for line in lines)
    assert lines[1]["values"] == {"AP": 0.5}


def test_names_are_escaped_as_json_does_it(folder: Path) -> None:
    names = ['a "b"', "back\\slash", "tab\there", "é ü", "\u2028", "plain"]
    for name in names:
        (folder / "runs" / f"{name}.run").write_text(BM25)
    lines = evaluated(folder, "-m", "AP", "--format", "jsonl").rstrip("\n").split("\n")
    assert {json.loads(line)["run"] for line in lines} == {*names, "bm25", "dense"}
    assert lines == [json.dumps(json.loads(line), ensure_ascii=False) for line in lines]
    found = json.loads(evaluated(folder, "-m", "AP", "--format", "json"))
    assert {run["run"] for run in found["runs"]} == {*names, "bm25", "dense"}


@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_counts_are_whole_in_separated_values(folder: Path, form: str, delimiter: str) -> None:
    text = evaluated(folder, "-m", "num_ret AP", "--format", form, "--per-topic")
    rows = [line.split(delimiter) for line in text.splitlines()]
    assert [row[2] for row in rows[1:5]] == ["3", "2", "0", "5"]
    assert [row[3] for row in rows[2:4]] == ["0.5", "0.0"]


@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_separated_values_have_every_digit(folder: Path, form: str, delimiter: str) -> None:
    (folder / "runs" / 'odd,"name\t.run').write_text(BM25)
    text = evaluated(folder, "-m", "AP num_ret", "--format", form)
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    assert rows[0] == ["run", "AP", "num_ret"]
    assert [row[0] for row in rows[1:]] == ["bm25", "dense", 'odd,"name\t']
    exact = cf.evaluate(folder / "qrels.txt", folder / "runs", "AP").mean()
    assert [float(row[1]) for row in rows[1:]] == exact[:, 0].tolist()


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_counts_are_whole_in_json(folder: Path, form: str) -> None:
    text = evaluated(folder, "-m", "num_ret AP", "--format", form, "--per-topic")
    assert '"num_ret": 5,' in text
    assert '{"num_ret": 0, "AP": 0.0}' in text


def test_machine_readable_formats_keep_the_order_of_the_arguments(folder: Path) -> None:
    plain = evaluated(folder, "-m", "AP", "--format", "csv").splitlines()
    asked = evaluated(folder, "-m", "AP", "--format", "csv", "--sort", "AP").splitlines()
    assert [line.split(",")[0] for line in plain] == ["run", "bm25", "dense"]
    assert [line.split(",")[0] for line in asked] == ["run", "dense", "bm25"]


def test_markdown_is_a_table(folder: Path) -> None:
    (folder / "runs" / "a|b.run").write_text(BM25)
    assert evaluated(folder, "-m", "AP num_ret", "--format", "markdown") == (
        "| run | AP | num\\_ret |\n"
        "| --- | ---: | ---: |\n"
        "| dense | **0.6667** | 3 |\n"
        "| a\\|b | *0.4444* | 5 |\n"
        "| bm25 | *0.4444* | 5 |\n"
    )


def test_latex_has_the_best_in_bold_and_text_escaped(folder: Path) -> None:
    (folder / "runs" / "a_50%&x.run").write_text(BM25)
    assert evaluated(folder, "-m", "AP num_ret", "--format", "latex") == (
        "\\begin{table}\n"
        "\\centering\n"
        "\\caption{Scores of 3 runs over 3 topics. The best is bold, the second best underlined.}\n"
        "\\label{tab:scores}\n"
        "\\begin{tabular}{lrr}\n"
        "\\toprule\n"
        "run & AP & num\\_ret \\\\\n"
        "\\midrule\n"
        "dense & \\textbf{0.6667} & 3 \\\\\n"
        "a\\_50\\%\\&x & \\underline{0.4444} & 5 \\\\\n"
        "bm25 & \\underline{0.4444} & 5 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\end{table}\n"
    )


def test_parquet_is_written(folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert evaluated(folder, "-m", "AP", "--output", "scores.parquet") == ""
    table = parquet.read_table(folder / "scores.parquet")
    assert table.column_names == ["run", "AP"]
    assert table["run"].to_pylist() == ["bm25", "dense"]


def test_parquet_says_what_it_needs(folder: Path) -> None:
    code = (
        "import sys; sys.modules['pyarrow'] = None;"
        "from cranfield._cli import main;"
        "sys.exit(main(['eval', 'qrels.txt', 'runs', '--output', 'x.parquet']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "cranfield[arrow]" in done.stderr
    assert not (folder / "x.parquet").exists()


@pytest.mark.parametrize(
    ("file", "start"),
    [
        ("x.json", '{"schema_version"'),
        ("x.jsonl", '{"schema_version"'),
        ("x.csv", "run,AP"),
        ("x.tsv", "run\tAP"),
        ("x.md", "| run |"),
        ("x.tex", "\\begin{table}\n"),
        ("x.txt", "run        AP"),
    ],
)
def test_output_is_a_file_in_the_format_of_its_suffix(folder: Path, file: str, start: str) -> None:
    assert evaluated(folder, "-m", "AP", "-o", file) == ""
    assert (folder / file).read_text().startswith(start)
    assert sorted(path.name for path in folder.iterdir()) == ["qrels.txt", "runs", file]


def test_a_failed_call_leaves_the_old_output(folder: Path) -> None:
    (folder / "out.csv").write_text("old")
    (folder / "runs" / "bad.run").write_text("1 Q0 a\n")
    assert "bad.run:1:" in failed(folder, "eval", "qrels.txt", "runs", "--output", "out.csv")
    assert (folder / "out.csv").read_text() == "old"
    assert sorted(path.name for path in folder.iterdir()) == [
        "out.csv",
        "qrels.txt",
        "runs",
    ]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("", "the file's name is empty\n"),
        (
            "x.pdf",
            "x.pdf: expected one of the suffixes "
            ".json .jsonl .csv .tsv .md .tex .txt .parquet .prototext .html .htm, or --format; "
            "found .pdf\n",
        ),
        (
            "x.csv.gz",
            "x.csv.gz: csv is written without compression; write x.csv and compress that\n",
        ),
    ],
)
def test_output_of_no_known_kind_is_refused_before_any_work(
    folder: Path, target: str, message: str
) -> None:
    assert failed(folder, "eval", "none.txt", "none.run", "--output", target) == message


def test_a_format_asked_for_may_have_any_suffix(folder: Path) -> None:
    assert evaluated(folder, "-m", "AP", "--output", "x.pdf", "--format", "csv") == ""
    assert (folder / "x.pdf").read_text().startswith("run,AP")
    assert evaluated(folder, "-m", "AP", "--output", "plain") == ""
    assert (folder / "plain").read_text().startswith("run        AP")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device here")
def test_a_full_disk_is_one_message(folder: Path) -> None:
    full = "No space left on device\n"
    message = failed(folder, "eval", "qrels.txt", "runs", "--quiet", "--output", "/dev/full")
    assert message == f"/dev/full: cannot write this file: {full[:-1]} (os error 28)\n"
    for command in (["eval", "qrels.txt", "runs", "--quiet"], ["convert", "qrels.txt", "-"]):
        with open("/dev/full", "w") as stdout:
            done = subprocess.run(
                [sys.executable, "-m", "cranfield", *command],
                cwd=folder,
                stdout=stdout,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert done.returncode == 2
        assert done.stderr == f"cranfield: error: cannot write standard output: {full}"


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["qrels.txt", "runs", "-m", "AP", "nDCG@10"], "nDCG@10: there is no such file"),
        (["-m", "AP", "nDCG@10", "qrels.txt", "runs"], "nDCG@10: there is no such file"),
        (["qrels.txt", "-m", "AP", "nDCG@10", "runs"], "nDCG@10: there is no such file"),
    ],
)
def test_measures_without_quotes_are_recognised(
    folder: Path, arguments: list[str], fault: str
) -> None:
    message = failed(folder, "eval", *arguments)
    assert message.startswith(f'{fault}; -m takes one argument: -m "AP nDCG@10"')


def test_other_words_get_no_advice_about_measures(folder: Path) -> None:
    for arguments in (["runs", "-m", "AP", "--depht", "3"], ["none.run", "-m", "AP"], ["map"]):
        assert "-m takes" not in failed(folder, "eval", "qrels.txt", *arguments)


def test_standard_input_is_a_run_or_the_qrels(folder: Path) -> None:
    run = call(folder, "eval", "qrels.txt", "-", "-m", "AP", "--quiet", stdin=BM25)
    assert run.stdout == "run      AP\nrun  0.4444\n"
    qrels = call(folder, "eval", "-", "runs", "-m", "AP num_ret", "--quiet", stdin=QRELS)
    assert qrels.stdout == TABLE
    assert "only once" in failed(folder, "eval", "-", "-", stdin=QRELS)


def test_options_reach_the_evaluator(folder: Path) -> None:
    assert "0.6667" in evaluated(folder, "-m", "AP", "--missing", "skip")
    assert evaluated(folder, "-m", "num_ret", "--depth", "1").split()[-1] == "2"
    assert evaluated(folder, "-m", "AP num_ret", "--threads", "2") == TABLE
    (folder / "long.run").write_text(f"1 Q0 {'a' * 5_000_000} 1 3 t\n")
    long = ["eval", "qrels.txt", "long.run", "-m", "AP"]
    assert "long.run:1:" in failed(folder, *long)
    assert call(folder, *long, "--max-line", "8000000").returncode == 0
    (folder / "odd.run").write_text("1 Q0 a 1 3x t\n")
    assert "odd.run:1:" in failed(folder, "eval", "qrels.txt", "odd.run")
    lenient = call(folder, "eval", "qrels.txt", "odd.run", "--lenient")
    assert lenient.returncode == 0
    assert "cranfield: odd: repaired numbers: 1\n" in lenient.stderr
    (folder / "twice.run").write_text("1 Q0 a 1 3 t\n1 Q0 a 2 2 t\n")
    assert "twice.run" in failed(folder, "eval", "qrels.txt", "twice.run")
    first = call(folder, "eval", "qrels.txt", "twice.run", "--duplicates", "first")
    assert first.returncode == 0
    assert "(counted once): 1\n" in first.stderr


def test_the_size_of_the_collection_is_an_option(folder: Path) -> None:
    options = ["-m", "AP num_ret", "--docs-in-collection"]
    assert evaluated(folder, *options, "1000") == TABLE
    assert "--docs-in-collection" in failed(folder, "eval", "qrels.txt", "runs", *options, "many")


@pytest.mark.parametrize("value", ["0", "-1", "9" * 30])
@pytest.mark.parametrize(
    ("flag", "what"),
    [
        ("--max-ratio", "ratio"),
        ("--max-line", "number of bytes"),
        ("--docs-in-collection", "number of documents"),
        ("--depth", "depth"),
        ("--threads", "number of threads"),
    ],
)
def test_a_number_out_of_range_is_an_error_that_names_the_flag(
    folder: Path, flag: str, what: str, value: str
) -> None:
    bound = "most 9223372036854775807" if len(value) > 2 else "least 1"
    assert failed(folder, "eval", "qrels.txt", "runs", flag, value) == (
        f"expected a {what} of at {bound}, found {value} ({flag}); see cranfield eval --help\n"
    )


OF_SEVERAL_COLLECTIONS = {
    *(
        "qrels",
        "runs",
        "measures",
        "measures_from",
        "format",
        "output",
        "sort",
        "digits",
        "threads",
    ),
    *("no_progress", "quiet", "help", "help_all", "version", "ci", "ci_method", "tiers", "level"),
    *("seed", "topic_groups", "missing", "undefined", "negative", "order", "scores", "depth"),
    *("duplicates", "own", "lenient", "run_layout", "columns", "ties"),
}
"""Options of `eval` that several collections take, or refuse by themselves (`ties`)."""


def test_every_option_is_for_one_collection_or_for_several() -> None:
    options = {action.dest for action in evaluating.parser()._actions}
    asked_by_bounds = set(evaluating.QUESTION)
    limits = {name for name in options if name.startswith("max_")} - asked_by_bounds
    one = set(evaluating.ONE_COLLECTION) | asked_by_bounds
    assert options == one | limits | OF_SEVERAL_COLLECTIONS
    assert not one & OF_SEVERAL_COLLECTIONS


def test_only_the_best_runs_are_shown(folder: Path) -> None:
    # AP of dense is 2/3, of bm25 4/9; num_ret 3 and 5.
    best = TABLE.splitlines(keepends=True)
    asked = ("-m", "AP num_ret")
    assert evaluated(folder, *asked, "--top", "1") == "".join(best[:2])
    assert evaluated(folder, *asked, "--top", "9") == TABLE
    lines = evaluated(folder, *asked, "--sort", "num_ret", "--top", "1").splitlines()
    assert lines[1].split() == ["bm25", "0.4444", "5"]
    # Machine-readable formats keep the order of the arguments.
    csv = evaluated(folder, *asked, "--top", "2", "--format", "csv").splitlines()
    assert [line.partition(",")[0] for line in csv] == ["run", "bm25", "dense"]
    (only,) = json.loads(evaluated(folder, *asked, "--top", "1", "--format", "json"))["runs"]
    assert only["run"] == "dense"
    bounded = evaluated(folder, "-m", "AP", "--bounds", "--top", "1")
    assert "dense" in bounded
    assert "bm25" not in bounded
    assert "leave out --top" in failed(folder, "eval", "qrels.txt", "runs", "--tiers", "--top", "1")
    assert "number of runs" in failed(folder, "eval", "qrels.txt", "runs", "--top", "0")
