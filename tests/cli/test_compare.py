"""``cranfield compare``: texts to the byte, formats, options and errors."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import re
import statistics
import subprocess
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
import scipy.stats
from cranfield._stats.registry import CORRECTIONS, TESTS

from tests import ROOT
from tests.cli import calls

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n3 0 a 1\n3 0 b 0\n4 0 a 1\n"
OLD = "1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n2 Q0 b 1 2 t\n2 Q0 a 2 1 t\n3 Q0 a 1 1 t\n4 Q0 b 1 1 t\n"
NEW = "1 Q0 a 1 1 u\n2 Q0 a 1 1 u\n3 Q0 u 1 2 u\n3 Q0 a 2 1 u\n4 Q0 a 1 1 u\n"
# RR of old: 1/2 1/2 1 0, mean 1/2; of new: 1 1 1/2 1, mean 7/8; differences 1/2 1/2 -1/2 1
SENTENCE = (
    "Differences in mean RR over 4 topics were tested with a two-sided sign test (ties left out) "
    f"at alpha = 0.05, with a single comparison and so no correction (cranfield {cf.__version__})."
)
# Their standard deviation is .6292; the t test over 4 topics finds 2.1280 of these 80% of the time.
LEGEND = (
    "*: p below 0.05. MDE: the smallest true difference that a t test finds 80% of the time. "
    "W/T/L: topics on which the run scores higher, the same, lower."
)
BOUNDED = f"{LEGEND} Reversible: could missing judgments reverse the difference? No, or maybe."
TABLE = f"""\
RR     mean    diff        95% interval     MDE    dz     p   W/T/L  Judged  reversible
old  0.5000                                                          0.7500
new  0.8750  0.3750  [-0.6261,  1.3761]  1.3388  0.60  .625   3/0/1  0.8750          no

{BOUNDED}

{SENTENCE}
"""
CSV = """\
measure,run,other,topics,mean,other_mean,difference,interval_low,interval_high,effect_size,p,\
p_corrected,significant,wins,ties,losses,judged_measure,judged,other_judged,lowest,highest,\
other_lowest,other_highest,difference_lowest,difference_highest,within_bounds,mde,verdict,p_pass,\
p_fail,topics_needed
RR,new,old,4,0.875,0.5,0.375,-0.6261226126679638,1.3761226126679638,0.5960395606792698,0.625,\
0.625,no,3,0,1,Judged,0.875,0.75,0.875,1.0,0.5,0.75,0.125,0.5,no,1.3388054356866956,,,,
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "old.run").write_text(OLD)
    (tmp_path / "new.run.gz").write_bytes(gzip.compress(NEW.encode()))
    return tmp_path


def call(
    folder: Path, *arguments: str, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    return calls.call(folder, "compare", *arguments, stdin=stdin)


def output(folder: Path, *arguments: str, stdin: str | None = None) -> str:
    done = call(folder, *arguments, stdin=stdin)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def failed(folder: Path, *arguments: str) -> str:
    return calls.failed(folder, "compare", *arguments)


CALL = ("qrels.txt", "old.run", "new.run.gz", "-m", "RR", "--test", "sign", "--quiet")


@pytest.mark.parametrize("baseline", ["old", "old.run", "./old.run"])
def test_a_table_has_the_baseline_first(folder: Path, baseline: str) -> None:
    assert output(folder, *CALL, "--baseline", baseline) == TABLE
    more = ("new.run.gz", *CALL[3:], "--baseline", "old.run")
    assert output(folder, "qrels.txt", *more) == TABLE


def test_pairs_have_both_runs_in_a_row(folder: Path) -> None:
    header, row, *below = output(folder, *CALL, "--no-bounds").splitlines()
    assert header == (
        "RR   against    mean   other     diff        95% interval     MDE     dz     p   W/T/L  "
        "       Judged"
    )
    assert row == (
        "old  new      0.5000  0.8750  -0.3750  [-1.3761,  0.6261]  1.3388  -0.60  .625   1/0/3  "
        "0.7500 0.8750"
    )
    assert below == ["", LEGEND, "", SENTENCE]


def test_corrected_p_values_stand_beside_the_others(folder: Path) -> None:
    third = OLD.replace("1 Q0 a 2 1 t\n", "")
    (folder / "third.txt").write_text(third)
    runs = ("qrels.txt", "third.txt", *CALL[1:])
    text = output(folder, *runs, "--baseline", "new", "--correction", "bonferroni")
    lines = text.splitlines()
    assert lines[0].split()[4:9] == ["interval", "MDE", "dz", "p", "p(bonferroni)"]
    assert lines[2].split()[-5:-2] == [".625", "1.000", "1/0/3"]
    assert "*: corrected p below 0.05." in text


def test_a_low_p_value_has_a_star(folder: Path) -> None:
    assert ".625*" in output(folder, *CALL, "--alpha", "0.7")
    assert "p below 0.7." in output(folder, *CALL, "--alpha", "0.7")


def test_a_one_sided_interval_is_open(folder: Path) -> None:
    text = output(folder, *CALL, "--alternative", "less", "--level", "0.9")
    interval = scipy.stats.ttest_rel([0.5, 0.5, 1, 0], [1, 1, 0.5, 1], alternative="less")
    high = interval.confidence_interval(0.9).high
    assert "90% interval" in text
    assert re.search(rf"\[ *-inf, *{high:.4f}\]", text)
    content = json.loads(output(folder, *CALL, "--alternative", "less", "--format", "json"))
    assert content["comparisons"][0]["interval_low"] is None


def test_markdown_latex_and_html(folder: Path) -> None:
    of_old = (*CALL, "--baseline", "old", "--format")
    assert output(folder, *of_old, "markdown") == (
        "| RR | mean | diff | 95% interval | MDE | dz | p  | W/T/L | Judged | reversible |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| old | 0.5000 |  |  |  |  |  |  | 0.7500 |  |\n"
        "| new | **0.8750** | 0.3750 | \\[-0.6261,  1.3761] | 1.3388 | 0.60 | .625  | 3/0/1 "
        "| 0.8750 | no |\n"
        f"\n\\{BOUNDED}\n\n{SENTENCE}\n"
    )
    caption = f"The best mean is bold. {BOUNDED} {SENTENCE}".replace("%", "\\%")
    assert output(folder, *of_old, "latex") == (
        f"\\begin{{table}}\n\\centering\n\\caption{{{caption}}}\n\\label{{tab:compare-RR}}\n"
        "\\begin{tabular}{lrrrrrrrrr}\n\\toprule\n"
        "RR & mean & diff & 95\\% interval & MDE & dz & p & W/T/L & Judged & reversible \\\\\n"
        "\\midrule\n"
        "old & 0.5000 &  &  &  &  &  &  & 0.7500 &  \\\\\n"
        "new & \\textbf{0.8750} & 0.3750 & [$-$0.6261, \\phantom{$-$}1.3761] & 1.3388 & 0.60 & "
        ".625\\phantom{$^{*}$} & 3/0/1 & 0.8750 & no \\\\\n"
        "\\bottomrule\n\\end{tabular}\n\\end{table}\n"
    )
    page = output(folder, *of_old, "html")
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">\n')
    assert "<title>qrels.txt</title>" in page
    assert (
        "<tr><th>new</th><td><b>0.8750</b></td><td>0.3750</td><td>[-0.6261,  1.3761]</td>" in page
    )
    assert f"<p>{SENTENCE}</p>" in page


def test_separated_values_have_every_digit(folder: Path) -> None:
    text = output(folder, *CALL, "--baseline", "old", "--format", "csv")
    found = list(csv.reader(io.StringIO(text)))
    expected = list(csv.reader(io.StringIO(CSV)))
    assert found[0] == expected[0]
    for value, wanted in zip(found[1], expected[1], strict=True):
        try:
            assert float(value) == pytest.approx(float(wanted), rel=1e-12)
        except ValueError:
            assert value == wanted
    tsv = output(folder, *CALL, "--baseline", "old", "--format", "tsv")
    assert tsv == text.replace(",", "\t")
    text = output(folder, *CALL, "-m", "Judged", "--format", "csv")
    assert text.splitlines()[2].endswith(",0.75,0.875,,,,,,,,1.3388054356866956,,,,")


def test_json_has_everything(folder: Path) -> None:
    content = json.loads(output(folder, *CALL, "--baseline", "old", "--format", "json"))
    (row,) = content.pop("comparisons")
    old, new = content.pop("runs")
    assert "|test:sign|alternative:two-sided|" in content.pop("signature")
    assert content == {
        "schema_version": 1,
        "cranfield": cf.__version__,
        "baseline": "old",
        "test": "sign",
        "alternative": "two-sided",
        "correction": "holm",
        "alpha": 0.05,
        "level": 0.95,
        "effect": "dz",
        "resamples": None,
        "seed": None,
        "margin": None,
        "power": 0.8,
        "methods": SENTENCE,
    }
    wanted = dict(zip(*csv.reader(io.StringIO(CSV)), strict=True))
    assert list(row) == list(wanted)
    assert (row["wins"], row["significant"], row["within_bounds"]) == (3, False, False)
    assert (old["run"], old["tag"], new["run"], new["tag"]) == ("old", "t", "new", "u")
    assert old["notes"]["lines"] == 6


def test_notes_are_on_stderr(folder: Path) -> None:
    (folder / "old.run").write_text(OLD.replace("4 Q0", "5 Q0"))
    done = call(folder, *CALL[:-1])
    assert done.stderr == (
        "cranfield: old: 1 topic of the qrels is missing (scored 0): 4\n"
        "cranfield: old: 1 topic has no judgments (ignored): 5\n"
    )
    assert "; topics that a run did not answer were scored as empty rankings" in done.stdout


def test_a_run_from_standard_input_is_read_twice(folder: Path) -> None:
    arguments = ("qrels.txt", "-", *CALL[2:])
    expected = output(folder, *CALL).replace("old  ", "run  ")
    assert output(folder, *arguments, stdin=OLD) == expected


@pytest.mark.parametrize(
    ("file", "start"),
    [
        ("a.json", '{"schema_version": 1'),
        ("a.csv", "measure,run,other,"),
        ("a.tsv", "measure\trun\tother\t"),
        ("a.md", "| RR | against |"),
        ("a.tex", "\\begin{table}\n"),
        ("a.html", "<!DOCTYPE html>"),
        ("a.txt", "RR "),
        ("a", "RR "),
    ],
)
def test_the_suffix_is_the_format(folder: Path, file: str, start: str) -> None:
    assert output(folder, *CALL, "--output", file) == ""
    assert (folder / file).read_text().startswith(start)


def test_options_reach_the_comparison(folder: Path) -> None:
    def numbers(*arguments: str) -> dict[str, Any]:
        content = json.loads(output(folder, *CALL, *arguments, "--format", "json"))
        row: dict[str, Any] = content["comparisons"][0]
        return row

    assert numbers("--depth", "1")["mean"] == 0.25
    assert numbers("--effect", "pooled")["effect_size"] == pytest.approx(
        -0.375 / math.sqrt((statistics.variance([0.5, 0.5, 1, 0]) + 1 / 16) / 2)
    )
    assert numbers("--test", "randomization")["p"] == 8 / 16
    text = output(folder, *CALL, "--test", "bootstrap", "--resamples", "20", "--seed", "5")
    assert "(Sakai 2006, 20 resamples, seed 5)" in text
    (folder / "old.run").write_text(OLD.replace("4 Q0 b 1 1 t\n", ""))
    assert numbers("--missing", "skip")["topics"] == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["qrels.txt", "old.run"], "expected at least two runs, found 1 run\n"),
        (["qrels.txt", "old.run", "gone.run"], "gone.run: there is no such file\n"),
        (["qrels.txt", "*.run", "old.run"], "two runs are called '"),
        ([*CALL, "--baseline", "odl"], "no run 'odl'; did you mean old?\n"),
        ([*CALL, "--baseline", "old", "--all-pairs"], "--all-pairs is only for a comparison "),
        ([*CALL, "--test", "tukey", "--correction", "holm"], "Tukey's p-values hold for all "),
        (
            [*CALL, "--seed", "1"],
            "--seed is only for randomization, bootstrap and tukey_randomized, not for sign\n",
        ),
        ([*CALL, "--alpha", "5"], "expected --alpha between 0 and 1, found 5.0\n"),
        ([*CALL, "--alpha", "x"], "argument --alpha: invalid float value: 'x'; see cranfield"),
        ([*CALL, "--test", "f"], "argument --test: invalid choice: 'f'"),
        ([*CALL, "-m", "GMAP"], "GMAP is a geometric mean, and tests are about arithmetic ones\n"),
        ([*CALL, "--output", "a.parquet"], "a.parquet: expected one of the suffixes .json "),
        (["-", "-", "old.run"], "standard input can be read only once\n"),
        (["qrels.txt", "old.run", "new.run.gz", "-m", "RR", "AP"], ""),
    ],
)
def test_a_bad_call_is_one_message(folder: Path, arguments: list[str], message: str) -> None:
    found = failed(folder, *arguments)
    assert found.startswith(message)
    assert "Traceback" not in found


def test_many_runs_need_a_baseline_or_a_word(folder: Path) -> None:
    (folder / "many").mkdir()
    for place in range(11):
        (folder / "many" / f"r{place}.run").write_text(OLD)
    message = "11 runs are 55 pairs: name one with --baseline, or --all-pairs\n"
    assert failed(folder, "qrels.txt", "many") == message
    text = output(folder, "qrels.txt", "many", "--all-pairs", "--quiet", "-m", "AP")
    assert len(text.splitlines()) == 1 + 55 + 4
    text = output(folder, "qrels.txt", "many", "--baseline", "r3", "--quiet", "-m", "AP")
    assert len(text.splitlines()) == 1 + 11 + 4


def test_the_command_is_documented() -> None:
    done = call(ROOT, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: cranfield compare ")
    page = (ROOT / "docs/howto/compare.md").read_text(encoding="utf-8")
    for word in (*TESTS, *CORRECTIONS):
        assert f"`{word}`" in page
