"""Sorting, marks, truncation, digits and the order of topics, in every table of scores."""

from __future__ import annotations

import csv
import io
import json
import math
import random
import re
from pathlib import Path

import cranfield as cf
import numpy as np
import pytest
from cranfield._base.text import in_topic_order, topic_places
from cranfield._cli import main

from tests.commands import unsigned

# AP: relevant at 1 (a), at 2 (b), at 3 (c), at 1 (d).
QRELS = {t: {"x": 1} for t in ("1", "2", "10")}
RUNS = {
    "b": {t: {"n": 3.0, "x": 2.0} for t in QRELS},
    "c": {t: {"n": 3.0, "m": 2.0, "x": 1.0} for t in QRELS},
    "a": {t: {"x": 3.0} for t in QRELS},
    "d": {t: {"x": 3.0} for t in QRELS},
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("".join(f"{t} 0 x 1\n" for t in QRELS))
    for name, run in RUNS.items():
        cf.Run(run).write(f"{name}.run")
    return tmp_path


def printed(*words: str) -> str:
    """What a command writes to a file."""
    assert main([*words, "--quiet", "--output", "out"]) == 0
    return unsigned(Path("out").read_text())


def runs(text: str) -> list[str]:
    """The first words of the rows below the header."""
    return [line.split()[0] for line in text.splitlines()[1:]]


# Sorting


def test_sort_is_by_the_direction_of_the_measure() -> None:
    scores = cf.evaluate(QRELS, RUNS, "E AP num_ret")
    assert scores.sort().runs == ("a", "d", "b", "c")
    assert scores.sort("AP").runs == ("a", "d", "b", "c")
    # Neither end of a number of documents is better: the highest first.
    assert scores.sort("num_ret").runs == ("c", "b", "a", "d")
    again = scores.sort("num_ret")
    for run in scores.runs:
        np.testing.assert_array_equal(again[run, "E"], scores[run, "E"])
    assert again.notes.keys() == scores.notes.keys()
    assert again.fingerprint == scores.fingerprint
    with pytest.raises(cf.LabelError, match="RR"):
        scores.sort("RR")


def test_undefined_values_come_last() -> None:
    scores = cf.evaluate(QRELS, {"none": {"1": {"n": 1.0}}, **RUNS}, "AP", missing="skip")
    part = scores.sel(topic=["2"])
    assert math.isnan(part.mean()[0, 0])
    assert part.sort().runs == ("a", "d", "b", "c", "none")


def test_top_is_the_beginning_of_sort() -> None:
    scores = cf.evaluate(QRELS, RUNS, "AP num_ret")
    assert scores.top(1).runs == ("a",)
    assert scores.top(2, "num_ret").runs == ("c", "b")
    assert scores.top(9).runs == scores.sort().runs
    for wrong in (0, -1):
        with pytest.raises(cf.Error, match="at least 1"):
            scores.top(wrong)


def test_bounds_are_sorted_by_their_values() -> None:
    found = cf.bounds(QRELS, RUNS, "AP")
    assert found.sort().runs == ("a", "d", "b", "c")
    assert found.top(3).low.runs == found.top(3).high.runs == ("a", "d", "b")
    np.testing.assert_array_equal(found.top(3)["b", "AP"], found["b", "AP"])


def test_tables_are_sorted_unless_an_order_was_asked_for() -> None:
    scores = cf.evaluate(QRELS, RUNS, "AP num_ret")
    assert scores.runs == ("b", "c", "a", "d")
    assert runs(repr(scores))[1:] == ["a", "d", "b", "c"]
    assert runs(repr(scores.sort("num_ret")))[1:] == ["c", "b", "a", "d"]
    assert runs(repr(scores.sel(run=["b", "a"])))[1:] == ["b", "a"]
    assert runs(repr(scores.sel(measure="AP")))[1:] == ["a", "d", "b", "c"]
    assert runs(repr(scores.sort("num_ret").sel(measure="AP")))[1:] == ["c", "b", "a", "d"]
    html = scores._repr_html_()
    assert re.findall("<tr><th>(.)</th>", html) == ["a", "d", "b", "c"]


def test_a_pickle_keeps_the_order() -> None:
    import copy
    import pickle

    scores = cf.evaluate(QRELS, RUNS, "AP num_ret").sort("num_ret")
    assert repr(pickle.loads(pickle.dumps(scores))) == repr(copy.deepcopy(scores)) == repr(scores)


def test_a_comparison_has_the_best_run_first_unless_an_order_was_asked_for() -> None:
    found = cf.compare(QRELS, RUNS, "AP", baseline="c", bounds=False)
    table = [line.split()[0] for line in repr(found).split("\n\n")[0].splitlines()[2:]]
    # The baseline stands above the runs that are compared with it.
    assert table == ["c", "a", "d", "b"]
    assert [row.run for row in found.rows] == ["b", "a", "d"]
    by_difference = repr(found.sort("p")).split("\n\n")[0].splitlines()[2:]
    assert [line.split()[0] for line in by_difference] == ["c", "b", "a", "d"]


# Marks


def test_the_best_are_marked_by_direction() -> None:
    scores = cf.evaluate(QRELS, RUNS, "AP E num_ret")
    # E is 1 - 2PR / (P + R): R is 1, and P 1 (a, d), 1/2 (b), 1/3 (c).
    assert repr(scores).splitlines()[1:] == [
        "run      AP        E   num_ret",
        "a    1.0000^  0.0000^        3",
        "d    1.0000^  0.0000^        3",
        "b    0.5000   0.3333         6",
        "c    0.3333   0.5000         9",
    ]
    html = scores._repr_html_()
    assert "<th>a</th><td><b>1.0000</b></td><td><b>0.0000</b></td><td>3</td>" in html
    assert "<th>b</th><td><u>0.5000</u></td><td><u>0.3333</u></td><td>6</td>" in html
    assert unsigned(scores.to_markdown()) == (
        "| run | AP | E | num\\_ret |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| a | **1.0000** | **0.0000** | 3 |\n"
        "| d | **1.0000** | **0.0000** | 3 |\n"
        "| b | *0.5000* | *0.3333* | 6 |\n"
        "| c | 0.3333 | 0.5000 | 9 |\n"
    )


def test_the_best_means_of_a_comparison_are_marked() -> None:
    found = cf.compare(QRELS, RUNS, "E", baseline="c", bounds=False)
    assert "^: the best mean. *: " in repr(found)
    rows = found.to_markdown().splitlines()
    assert [row.split(" | ")[1] for row in rows[2:6]] == [
        "0.5000", "**0.0000**", "**0.0000**", "*0.3333*"
    ]  # fmt: skip
    pairs = cf.compare(QRELS, {name: RUNS[name] for name in "abc"}, "E", bounds=False)
    cells = [row.split(" | ") for row in pairs.to_markdown().splitlines()[2:5]]
    assert {cell[2] for cell in cells} | {cell[3] for cell in cells} == {
        "**0.0000**", "*0.3333*", "0.5000"
    }  # fmt: skip
    latex = found.to_latex(digits=2, label="tab:mine")
    assert r"a & \textbf{0.00} & $-$0.50 & " in latex
    assert r"\label{tab:mine-E}" in latex
    assert r"\caption{The best mean is bold, the second best underlined. *: " in latex
    assert r"\caption{50\% of it}" in found.to_latex(caption="50% of it")


# Truncation


def test_the_middle_is_left_out_and_the_best_of_all_is_marked() -> None:
    many = {f"r{place:02}": RUNS["b"] for place in range(40)}
    scores = cf.evaluate(QRELS, {**many, "worst": RUNS["c"], "best": RUNS["a"]}, "num_ret AP")
    lines = repr(scores).splitlines()
    assert lines[2].split() == ["worst", "9", "0.3333"]
    assert lines[-1].split() == ["best", "3", "1.0000^"]
    assert lines[12] == "... 23 more ..."
    # In the part that is not shown nothing is marked instead of it.
    middle = scores.sort("num_ret").sel(measure="AP")
    html = middle._repr_html_()
    assert html.count("<b>") == 1


def test_nothing_is_left_out_if_it_fits() -> None:
    twenty = cf.evaluate(QRELS, {f"r{place:02}": RUNS["b"] for place in range(20)}, "AP")
    assert len(repr(twenty).splitlines()) == 2 + 20
    assert "more" not in repr(twenty)


# HTML


def test_html_is_styled_in_place_and_harmless() -> None:
    evil = "</style><script>x</script>"
    scores = cf.evaluate(QRELS, {evil: RUNS["a"], "\u202eother": RUNS["b"]}, "AP")
    page = scores._repr_html_()
    assert page.startswith('<div class="cranfield"')
    assert page.count("<style>") == page.count("</style>") == 1
    assert "script>" not in page.replace("script&gt;", "")
    assert "\u202e" not in page
    # No color of its own: it is read on dark pages, too.
    style = page.partition("<style>")[2].partition("</style>")[0]
    assert not re.search(r"#[0-9a-f]{3}|\bwhite;|black", style)
    assert all(line.startswith((".cranfield ", "  ")) for line in style.strip().splitlines())


def test_superscripts_of_a_column_take_the_same_room(files: Path) -> None:
    many = {f"{t}": {"x": 1} for t in range(30)}
    random_ = random.Random(1)
    tried = {
        name: {t: {"x": 1.0, **dict.fromkeys("kl", 2.0 if random_.random() < p else 0.5)}
               for t in many}
        for name, p in (("good", 0.0), ("fair", 0.5), ("poor", 1.0))
    }  # fmt: skip
    scores = cf.evaluate(many, tried, "AP")
    assert scores.tiers().beaten == (("fair", "poor"), ("poor",), ())
    markdown = scores.to_markdown(tiers=True, digits=2)
    assert "| 1 | good | **1.00**<sup>2,3</sup> |" in markdown
    assert "Above a value: the runs, by number, that it is significantly better than." in markdown
    latex = scores.to_latex(tiers=True, digits=2)
    assert r"\begin{tabular}{llr@{}lrr}" in latex
    assert r"1 & good & \textbf{1.00} & \textsuperscript{2,3} & " in latex
    assert re.search(r"3 & poor & 0\.\d\d &  & ", latex)


# Frames


def test_summaries_are_frames_too() -> None:
    for package in ("pandas", "polars", "pyarrow"):
        pytest.importorskip(package)
    scores = cf.evaluate(QRELS, RUNS, "AP GMAP num_ret").sort("num_ret")
    wide = scores.to_pandas(wide=True, summary=True)
    assert list(wide.columns) == ["run", "AP", "GMAP", "num_ret"]
    assert wide["run"].tolist() == ["c", "b", "a", "d"]
    np.testing.assert_array_equal(wide[["AP", "GMAP", "num_ret"]].to_numpy(), scores.summary())
    long = scores.to_polars(summary=True)
    assert long.columns == ["run", "measure", "value"]
    assert long.rows()[:3] == [
        ("c", name, value)
        for name, value in zip(scores.measures, scores.summary()[0].tolist(), strict=True)
    ]
    table = scores.to_arrow(wide=True, summary=True)
    assert table.column("AP").to_pylist() == scores.summary()[:, 0].tolist()
    bounds = cf.bounds(QRELS, RUNS, "AP")
    frame = bounds.to_pandas(summary=True, wide=True)
    assert list(frame.columns) == ["run", "AP", "AP low", "AP high"]
    np.testing.assert_array_equal(frame.iloc[:, 1:].to_numpy(), bounds.summary()[:, 0, :])
    undefined = cf.evaluate({"1": {"a": 0}}, {"1": {"a": 1.0}}, "AP", undefined="skip")
    assert undefined.to_polars(summary=True)["value"].to_list() == [None]


# Standard deviations


@pytest.mark.parametrize("ddof", [0, 1, 2])
def test_std_is_numpys(ddof: int) -> None:
    generator = np.random.default_rng(ddof)
    records = [
        (run, topic, measure, value)
        for run in "abc"
        for topic in range(12)
        for measure in ("m", "n")
        if (value := generator.random()) > 0.2
    ]
    scores = cf.Scores.from_records(records)
    assert np.isnan(scores.values).any()
    expected = np.nanstd(scores.values, axis=1, ddof=ddof)
    np.testing.assert_allclose(scores.std(ddof=ddof), expected, rtol=1e-13)


def test_std_by_hand() -> None:
    scores = cf.Scores.from_records([("a", t, "m", v) for t, v in enumerate((1.0, 2.0, 6.0))])
    # The mean is 3, the squares are 4 + 1 + 9.
    assert scores.std().tolist() == [[math.sqrt(7)]]
    assert scores.std(ddof=0).tolist() == [[math.sqrt(14 / 3)]]
    assert np.isnan(scores.sel(topic=1).std()).all()
    assert scores.sel(topic=1).std(ddof=0).tolist() == [[0.0]]
    with pytest.raises(cf.Error, match="ddof"):
        scores.std(ddof=-1)


# Digits


def test_digits_are_those_of_tables_and_of_programs_only_if_asked(files: Path) -> None:
    call = ("eval", "qrels", "b.run", "c.run", "-m", "AP num_ret")
    assert printed(*call, "--digits", "2").splitlines() == [
        "run    AP  num_ret",
        "b    0.50        6",
        "c    0.33        9",
    ]
    # What looks the same has the same mark.
    assert "| c | **0** | 9 |" in printed(*call, "--digits", "0", "--format", "markdown")
    assert printed(*call, "--format", "csv").splitlines()[2] == f"c,{1 / 3!r},9"
    assert printed(*call, "--format", "csv", "--digits", "3").splitlines()[2] == "c,0.333,9"
    for form in ("json", "jsonl"):
        assert "0.3333333333" in printed(*call, "--format", form)
        assert '"AP": 0.33,' in printed(*call, "--format", form, "--digits", "2")
    ci = printed(*call, "--ci", "--per-topic", "--format", "json", "--digits", "1")
    assert json.loads(ci)["runs"][1]["summary"]["AP"] == {
        "value": 0.3, "ci": {"low": 0.3, "high": 0.3}
    }  # fmt: skip
    assert "[0.333, 0.333]" in printed(*call, "--ci", "--digits", "3")


def test_digits_of_differences(files: Path) -> None:
    pair = ("b.run", "c.run", "-m", "AP")
    table = printed("compare", "qrels", *pair, "--baseline", "c", "--digits", "2")
    assert re.search(r"^b +0\.50 +0\.17 +\[0\.17, 0\.17\]", table, re.M)
    rows = list(csv.DictReader(io.StringIO(
        printed("compare", "qrels", *pair, "--baseline", "c", "--digits", "2", "--format", "csv")
    )))  # fmt: skip
    assert (rows[0]["mean"], rows[0]["difference"]) == ("0.5", "0.17")
    diff = printed("diff", "qrels", *pair, "--digits", "2")
    assert "difference -0.17" in diff
    assert "0.1667" not in diff
    content = json.loads(printed("diff", "qrels", *pair, "--digits", "2", "--format", "json"))
    assert content["difference"] == -0.17
    assert content["topics"][0]["difference"] == -0.17
    described = printed("describe", "qrels", "b.run", "--digits", "2")
    assert re.search(r"^b +3 +1\.00 ", described, re.M)


def test_check_has_digits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, value in (("then", 0.51239), ("now", 0.41234)):
        (tmp_path / f"{name}.csv").write_text(f"run,AP\nr,{value}\n")
    files = [str(tmp_path / "now.csv"), "--baseline", str(tmp_path / "then.csv")]
    assert main(["check", *files, "--max-drop", "AP=1", "--digits", "2"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[2:5] == ["0.51", "0.41", "-0.10"]
    assert main(["check", *files, "--max-drop", "AP=1", "--digits", "2", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert (row["baseline"], row["now"], row["change"]) == (0.51, 0.41, -0.1)


@pytest.mark.parametrize("digits", ["-1", "18", "two", "1.5"])
def test_digits_that_no_table_has(
    files: Path, capsys: pytest.CaptureFixture[str], digits: str
) -> None:
    assert main(["eval", "qrels", "b.run", "--digits", digits]) == 2
    assert "--digits" in capsys.readouterr().err
    if digits.lstrip("-").isdigit():
        scores = cf.evaluate(QRELS, RUNS, "AP")
        for method in (scores.to_markdown, scores.to_latex, cf.bounds(QRELS, RUNS).to_latex):
            with pytest.raises(cf.Error, match="from 0 to 17 digits"):
                method(digits=int(digits))


def test_zero_has_no_sign() -> None:
    found = cf.Scores.from_records([("a", 1, "m", -0.00001), ("b", 1, "m", -0.1)])
    assert [line.split()[1] for line in repr(found).splitlines()[2:]] == ["0.0000", "-0.1000"]


# Methods and commands


def test_methods_write_what_the_command_writes(files: Path) -> None:
    names = [f"{name}.run" for name in RUNS]
    scores = cf.evaluate("qrels", names, "AP E")
    call = ("eval", "qrels", *names, "-m", "AP E")
    for form, method in (("markdown", scores.to_markdown), ("latex", scores.to_latex)):
        assert unsigned(method()) == printed(*call, "--format", form)
        assert unsigned(method(digits=1)) == printed(*call, "--format", form, "--digits", "1")
        assert unsigned(method(per_topic=True)) == printed(*call, "--format", form, "--per-topic")
    with_ci = printed(*call, "--format", "latex", "--ci")
    assert unsigned(scores.to_latex(ci=True)) == with_ci
    bounds = cf.bounds("qrels", names, "AP E")
    assert unsigned(bounds.to_markdown()) == printed(*call, "--bounds", "--format", "markdown")
    found = cf.compare("qrels", names, "AP E", baseline="c")
    call = ("compare", "qrels", *names, "-m", "AP E", "--baseline", "c")
    assert unsigned(found.to_markdown()) == printed(*call, "--format", "markdown")
    assert unsigned(found.to_latex(digits=3)) == printed(
        *call, "--format", "latex", "--digits", "3"
    )
    described = cf.describe("qrels", names)
    call = ("describe", "qrels", *names)
    assert described.to_markdown() == printed(*call, "--format", "markdown")
    assert described.to_latex(per_topic=True, digits=2) == printed(
        *call, "--format", "latex", "--per-topic", "--digits", "2"
    )


def test_the_caption_and_the_label_are_ours_to_say() -> None:
    latex = cf.evaluate(QRELS, RUNS, "AP").to_latex(caption="100% of A&B_c", label="tab:x")
    assert r"\caption{100\% of A\&B\_c}" in latex
    assert r"\label{tab:x}" in latex


# The order of topics

TOPICS = ["1", "2", "10", "02", "x9", "x10", "31_1", "31_10", "31_2", "", "x", "9" * 5000]


def test_topics_are_in_natural_order() -> None:
    expected = ["", "1", "02", "2", "10", "31_1", "31_2", "31_10", "9" * 5000, "x", "x9", "x10"]
    for seed in range(20):
        shuffled = random.Random(seed).sample(TOPICS, len(TOPICS))
        assert in_topic_order(shuffled) == expected
        assert [shuffled[place] for place in topic_places(shuffled)] == expected


def test_numbers_are_in_the_order_of_numbers() -> None:
    numbers = random.Random(0).sample(range(10**6), 500)
    assert in_topic_order(map(str, numbers)) == list(map(str, sorted(numbers)))


def test_every_table_by_topic_is_in_natural_order(files: Path) -> None:
    def topics(text: str, column: int, delimiter: str | None = None) -> list[str]:
        rows = (line.split(delimiter) for line in text.splitlines())
        return [row[column] for row in rows if len(row) > column and row[column] in QRELS]

    call = ("eval", "qrels", "b.run", "-m", "AP", "--per-topic")
    expected = ["1", "2", "10"]
    assert topics(printed(*call), 1) == expected
    assert topics(printed(*call, "--format", "csv"), 1, ",") == expected
    assert topics(printed(*call, "--format", "markdown"), 2, " | ") == []
    assert topics(printed(*call, "--format", "markdown"), 1, " | ") == expected
    described = printed("describe", "qrels", "--per-topic").partition("\ntopic")[2]
    assert topics(described, 0) == expected
    assert (
        topics(printed("describe", "qrels", "--per-topic", "--format", "csv"), 0, ",") == expected
    )
    # Equal differences.
    assert [topic.topic for topic in cf.diff("qrels", "b.run", "c.run", "AP")] == expected
    assert [line.split()[0] for line in repr(cf.describe("qrels").topics).splitlines()[1:]] == (
        expected
    )
    # An axis of the scores stays as it is documented.
    assert cf.evaluate("qrels", "b.run", "AP").topics == ("1", "10", "2")
