"""``cranfield check``: what is a breach, what is bad input, what is printed."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path

import cranfield as cf
import pytest
from cranfield._scores.files import read_summarized
from cranfield._scoring import baseline
from cranfield._scoring.baseline import Limit

from tests.commands import called

QRELS = "".join(f"{topic} 0 d{topic} 1\n" for topic in range(1, 5))
TABLE = """\
run   measure  baseline     now   change  limit     p  verdict
bm25  RR         1.0000  0.7500  -0.2500   -20%  .182  breach
bm25  P@1        1.0000  0.5000  -0.5000   -0.5  .182  ok
"""
# RR 1 1/2 1/2 1 against 1 1 1 1: the mean difference is -1/4, their standard deviation
# sqrt(1/12), t = -sqrt(3) at 3 degrees of freedom; scipy.stats.ttest_rel: p = 0.18169.


def line(topic: int, document: str, score: int) -> str:
    return f"{topic} Q0 {document} 1 {score} t\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Runs of four topics: ``best`` finds all at once, ``worse`` two at rank 2."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    for name, second in (("best", ()), ("worse", (2, 3))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bm25.run").write_text(
            "".join(
                line(topic, f"d{topic}", 2) + line(topic, "x", 3 if topic in second else 1)
                for topic in range(1, 5)
            )
        )
    return tmp_path


def call(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return called(*arguments, folder=folder, **{"GITHUB_ACTIONS": "", **variables})


def score(
    folder: Path, runs: str, output: str, *options: str, measures: str = "RR P@1 num_ret E Fallout"
) -> None:
    arguments = ("eval", "qrels.txt", runs, "-m", measures, "--output", output, *options)
    measured = ("--docs-in-collection", "100", "--quiet")
    done = call(folder, *arguments, *measured)
    assert done.returncode == 0, done.stderr


def check(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return call(folder, "check", *arguments, **variables)


def failed(folder: Path, *arguments: str) -> str:
    done = check(folder, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    return done.stderr.removeprefix("cranfield: error: ")


@pytest.mark.parametrize(
    ("now", "then"),
    [
        ("now.json", "then.csv"),
        ("now.jsonl", "then.json"),
        ("now.csv", "then.tsv"),
        ("now.tsv", "then.jsonl"),
    ],
)
def test_a_breach_ends_with_1_in_every_format(folder: Path, now: str, then: str) -> None:
    score(folder, "best", then, "--per-topic")
    score(folder, "worse", now, "--per-topic")
    limits = ("--max-drop", "RR=20%", "--max-drop", "P@1=0.5")
    done = check(folder, now, "--baseline", then, *limits)
    assert (done.returncode, done.stdout) == (1, TABLE)
    assert done.stderr == "cranfield: 1 of 2 comparisons is worse than allowed\n"
    done = check(folder, then, "--baseline", now, *limits, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")


def test_summaries_alone_are_compared_without_a_test(folder: Path) -> None:
    score(folder, "best", "then.csv")
    score(folder, "worse", "now.json")
    done = check(folder, "now.json", "--baseline", "then.csv", "--max-drop", "recip_rank=0.2")
    assert done.returncode == 1
    header, row = done.stdout.splitlines()
    assert header.split() == ["run", "measure", "baseline", "now", "change", "limit", "verdict"]
    assert row.split() == ["bm25", "RR", "1.0000", "0.7500", "-0.2500", "-0.2", "breach"]


def test_the_p_value_is_that_of_the_library(folder: Path) -> None:
    scores = [
        cf.evaluate(folder / "qrels.txt", folder / name / "bm25.run", "RR")["bm25", "RR"]
        for name in ("worse", "best")
    ]
    expected = float(cf.stats.t_test(scores).pvalue[0])
    score(folder, "best", "then.json", "--per-topic")
    score(folder, "worse", "now.json", "--per-topic")
    done = check(folder, "now.json", "--baseline", "then.json", "--max-drop", "RR=1", "--json")
    (row,) = json.loads(done.stdout)["comparisons"]
    assert row == {
        "run": "bm25",
        "measure": "RR",
        "baseline": 1.0,
        "now": 0.75,
        "change": -0.25,
        "limit": "-1",
        "breach": False,
        "pvalue": expected,
        "topics": 4,
        "group": "all",
    }
    assert expected == pytest.approx(0.18169, abs=1e-5)


def test_what_is_better_when_lower_may_not_rise(folder: Path) -> None:
    # a second document that is not relevant, on every topic: SetF is 2/3, E 1/3
    score(folder, "best", "now.json", measures="E num_ret")
    (folder / "best" / "bm25.run").write_text("".join(line(t, f"d{t}", 1) for t in range(1, 5)))
    score(folder, "best", "then.json", measures="E num_ret")
    arguments = ("now.json", "--baseline", "then.json")
    assert check(folder, *arguments, "--max-rise", "E=0.3").returncode == 1
    assert check(folder, *arguments, "--max-rise", "E=0.34").returncode == 0
    assert check(folder, *arguments, "--max-rise", "num_ret=3").returncode == 1
    assert check(folder, *arguments, "--max-drop", "num_ret=0").returncode == 0
    assert "E is better when it is lower: use --max-rise E=0.3" in failed(
        folder, *arguments, "--max-drop", "E=0.3"
    )
    assert "RR is better when it is higher: use --max-drop RR=1%" in failed(
        folder, *arguments, "--max-rise", "RR=1%"
    )


@pytest.mark.parametrize(
    ("text", "baseline", "now", "breach"),
    [
        ("AP=0.005", 0.35, 0.345, False),
        ("AP=0.005", 0.35, 0.34499, True),
        ("AP=1%", 0.5, 0.495, False),
        ("AP=1%", 0.5, 0.4949, True),
        ("AP=0", 0.5, 0.5, False),
        ("AP=0", 0.5, 0.4999999, True),
        ("AP=0", 0.1 + 0.2, 0.3, False),
        ("AP=0.5", 0.5, float("nan"), True),
        ("AP=0", float("nan"), 0.1, False),
        ("AP=0", float("nan"), float("nan"), False),
        ("yaap=10%", -2.0, -2.1, False),
        ("yaap=10%", -2.0, -2.3, True),
        ("RBP(p=0.9)=0.1", 0.5, 0.3, True),
    ],
)
def test_limits(text: str, baseline: float, now: float, breach: bool) -> None:
    assert Limit.parse(text, rise=False).passed(baseline, now) is breach


@pytest.mark.parametrize(
    "text", ["AP", "=0.1", "AP=", "AP=-0.1", "AP=nan", "AP=inf", "AP=1%%", "0.1", "AP=0.1x"]
)
def test_invalid_limits(text: str) -> None:
    with pytest.raises(cf.Error, match="expected a measure and a limit") as caught:
        Limit.parse(text, rise=False)
    assert caught.value.kind == "option"


def test_one_run_on_either_side_are_a_pair(folder: Path) -> None:
    (folder / "best" / "bm25.run").rename(folder / "best" / "main.run")
    score(folder, "best", "then.json")
    score(folder, "worse", "now.json")
    done = check(folder, "now.json", "--baseline", "then.json", "--max-drop", "RR=0.1")
    assert done.returncode == 1
    assert done.stdout.splitlines()[1].split()[0] == "bm25"
    assert "comparing bm25 with main, the only run of then.json" in done.stderr


def test_runs_that_one_side_lacks(folder: Path) -> None:
    score(folder, "best", "then.json")
    for name in ("new", "other"):
        (folder / "best" / f"{name}.run").write_text(line(1, "d1", 1))
    score(folder, "best", "now.json")
    limit = ("--max-drop", "RR=0.1")
    assert failed(folder, "now.json", "--baseline", "then.json", *limit) == (
        "2 runs of now.json missing in then.json: new, other; "
        "--allow-missing skips what only one side has\n"
    )
    assert failed(folder, "then.json", "--baseline", "now.json", *limit).startswith(
        "2 runs of now.json missing in then.json"
    )
    done = check(folder, "then.json", "--baseline", "now.json", *limit, "--allow-missing")
    assert done.returncode == 0
    assert "missing in then.json: new, other (skipped)" in done.stderr
    assert [row.split()[0] for row in done.stdout.splitlines()] == ["run", "bm25"]


def test_measures_that_one_side_lacks(folder: Path) -> None:
    score(folder, "best", "then.json", measures="RR")
    score(folder, "best", "now.json", measures="RR AP")
    limits = ("--max-drop", "RR=0.1", "--max-drop", "AP=0.1")
    message = failed(folder, "now.json", "--baseline", "then.json", *limits)
    assert message == "then.json: no measure 'AP'; there are: RR\n"
    done = check(folder, "now.json", "--baseline", "then.json", *limits, "--allow-missing")
    assert done.returncode == 0
    assert "then.json has no AP (skipped)" in done.stderr
    message = failed(
        folder, "now.json", "--baseline", "then.json", "--max-drop", "AP=1", "--allow-missing"
    )
    assert message.endswith("there is no measure that both now.json and then.json have\n")


def test_means_over_other_topics_are_no_comparison(folder: Path) -> None:
    score(folder, "best", "then.json")
    (folder / "qrels.txt").write_text(QRELS + "9 0 d 1\n")
    score(folder, "best", "now.json")
    message = failed(folder, "now.json", "--baseline", "then.json", "--max-drop", "RR=1")
    assert message.startswith("1 topic of now.json missing in then.json: 9;")
    arguments = ("now.json", "--baseline", "then.json", "--max-drop", "RR=0.3", "--allow-missing")
    message = failed(folder, *arguments)
    assert "now.json: expected the scores of topics, since only a part of the topics" in message


def test_only_shared_topics_count(folder: Path) -> None:
    (folder / "qrels.txt").write_text(QRELS + "9 0 nowhere 1\n")
    score(folder, "best", "then.json", "--per-topic")
    # The same values on topics 1 to 4; topic 9, where nothing is found, is left out.
    score(folder, "best", "now.json", "--per-topic", "--topics", "1-4")
    arguments = ("now.json", "--baseline", "then.json")
    for limit in (("--max-drop", "RR=0"), ("--margin", "RR=0.01")):
        assert "1 topic of then.json missing in now.json: 9" in failed(folder, *arguments, *limit)
        done = check(folder, *arguments, *limit, "--allow-missing", "--json")
        (row,) = json.loads(done.stdout)["comparisons"]
        assert (done.returncode, row["baseline"], row["change"], row["topics"]) == (0, 1.0, 0.0, 4)
    score(folder, "best", "other.json", "--per-topic", "--topics", "9")
    message = failed(folder, "now.json", "--baseline", "other.json", *limit, "--allow-missing")
    assert "no topic in common" in message


def test_scores_of_other_judgments_or_options_are_no_comparison(folder: Path) -> None:
    score(folder, "best", "then.json", "--per-topic")
    score(folder, "best", "options.json", "--per-topic", "--missing", "skip")
    (folder / "qrels.txt").write_text(QRELS.replace("d2 1", "d2 2"))
    score(folder, "best", "now.json", "--per-topic")
    arguments = ("--baseline", "then.json", "--max-drop", "RR=1")
    assert (
        "were made with different judgments; evaluate both alike, or --allow-other-judgments"
        in (failed(folder, "now.json", *arguments))
    )
    assert "different options: missing=skip or missing=zero" in (
        failed(folder, "options.json", *arguments)
    )
    done = check(folder, "now.json", *arguments, "--allow-other-judgments")
    assert done.returncode == 0
    assert "now.json and then.json were made with different judgments" in done.stderr


def test_github_shows_breaches(folder: Path) -> None:
    score(folder, "best", "then.json")
    score(folder, "worse", "now.json")
    arguments = ("now.json", "--baseline", "then.json", "--max-drop", "RR=10%")
    done = check(folder, *arguments, GITHUB_ACTIONS="true")
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == (
        "::error title=cranfield check::bm25: RR dropped from 1.0000 to 0.7500, by 0.2500; "
        "at most 0.1000 is allowed"
    )
    assert "::error" not in done.stdout
    assert "::error" not in check(folder, *arguments).stderr


def test_a_topic_may_be_called_all(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("run,topic,AP\nr,1,1.0\nr,all,0.0\nr,all,0.5\n")
    found = read_summarized(str(tmp_path / "scores.csv"))
    assert found.summaries == {"r": {"AP": 0.5}}
    assert found.by_topic("r", "AP") == {"1": 1.0, "all": 0.0}


def test_scores_with_bounds_are_read(folder: Path) -> None:
    read = []
    for name in ("s.json", "s.jsonl", "s.csv"):
        score(folder, "worse", name, "--bounds", "--per-topic", measures="P@1 AP")
        read.append(read_summarized(str(folder / name)))
    assert [found.summaries for found in read] == [{"bm25": {"P@1": 0.5, "AP": 0.75}}] * 3
    for measure in ("P@1", "AP"):
        first, *others = (found.by_topic("bm25", measure) for found in read)
        assert len(first) == 4
        assert others == [first, first]
    assert read[0].topics == read[2].topics == frozenset("1234")


def test_undefined_scores_are_read(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("run,AP,P@1\nr,,0.5\n")
    (tmp_path / "s.jsonl").write_text('{"run": "r", "topic": null, "values": {"AP": null}}\n')
    for name in ("s.csv", "s.jsonl"):
        (change,) = baseline.changes(
            read_summarized(str(tmp_path / name)),
            read_summarized(str(tmp_path / name)),
            [Limit.parse("AP=0.1", rise=False)],
        )
        assert not change.breach
        assert change.to_dict()["now"] is None


def test_compressed_files_and_those_of_other_tools_are_read(folder: Path) -> None:
    score(folder, "best", "then.csv", "--per-topic")
    score(folder, "worse", "now.csv", "--per-topic")
    for name in ("then.csv", "now.csv"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
    done = check(folder, "now.csv.gz", "--baseline", "then.csv.gz", "--max-drop", "RR=20%")
    assert (done.returncode, done.stdout.splitlines()[1]) == (1, TABLE.splitlines()[1])
    # trec_eval -q prints names of its own, and its summaries last.
    lines = [
        f"recip_rank {topic} {value}\n"
        for topic, value in zip("1234", (1, 0.5, 0.5, 1), strict=True)
    ]
    (folder / "now.eval").write_text("".join([*lines, "runid all bm25\nrecip_rank all 0.75\n"]))
    done = check(folder, "now.eval", "--baseline", "then.csv.gz", "--max-drop", "RR=20%")
    assert (done.returncode, done.stdout.splitlines()[1]) == (1, TABLE.splitlines()[1])


MALFORMED = {
    "": "expected scores, found an empty file",
    "run,AP\n": "expected the scores of a run, found none",
    "1 0 d 1\n": "these lines look like judgments, which read_qrels reads",
    "run\n": ":1: expected lines of 3, 4 or 6 fields, found 1",
    "run,AP\nr\n": ":2: expected 2 fields, found 1",
    "run,AP\nr,1\ns,x\n": ":3: expected a number for run 's', topic 'all', AP, found 'x'",
    "run,AP\nr,1\nr,1\n": ":3: run 'r', topic 'all', measure 'AP' is there twice",
    "run,AP,AP\nr,1,1\n": ":2: run 'r', topic 'all', measure 'AP' is there twice",
    "run,topic,AP\nr,1,1\nr,1,1\n": ":3: run 'r', topic '1', measure 'AP' is there twice",
    "{": ":1: broken JSON",
    "{}": "expected scores: {topic:",
    '{"runs": 3}': "expected scores: {topic:",
    '{"runs": [{"run": "r", "summary": {"AP": "x"}}]}': "topic 'all', AP, found 'x'",
    '{"runs": [{"run": "r", "summary": [1]}]}': ":1: expected scores:",
    '{"run": "r", "topic": null, "values": {"AP": 1}}\n{"run": ': ":2: broken JSON",
    '{"run": "r", "topic": null, "values": {"AP": 1}}\n[1]': ":2: expected scores:",
    '{"run": 3.5, "topic": null, "values": {"AP": 1}}': "expected a run as text or a whole",
    "run,AP\nr,\0\n": "expected text, found binary data",
}


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_files(tmp_path: Path, text: str) -> None:
    path = tmp_path / "scores"
    path.write_text(text)
    with pytest.raises(cf.Error) as caught:
        read_summarized(str(path))
    assert str(caught.value).startswith(str(path))
    assert MALFORMED[text] in str(caught.value)


def test_usage(folder: Path) -> None:
    score(folder, "best", "then.json")
    baseline = ("--baseline", "then.json")
    assert "name at least one limit" in failed(folder, "then.json", *baseline)
    assert "--baseline" in failed(folder, "then.json", "--max-drop", "AP=1")
    assert "there is no such file" in failed(folder, "no.json", *baseline, "--max-drop", "AP=1")
    assert "look like a run" in failed(folder, "best", *baseline, "--max-drop", "AP=1")
    assert "nonsuch" in failed(folder, "then.json", *baseline, "--max-drop", "nonsuch=1")
    help_text = check(folder, "--help").stdout
    assert "1%;" in help_text
    assert "exit status" in help_text


GROUPED = """\
group  topics  run   measure  baseline     now   change  limit       p  verdict
ends   2       bm25  RR         1.0000  1.0000   0.0000   -20%   1.000  ok
inner  2       bm25  RR         1.0000  0.5000  -0.5000   -20%  < .001  breach
all    4       bm25  RR         1.0000  0.7500  -0.2500   -20%    .182  breach
"""


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "jsonl"])
def test_limits_hold_in_groups_of_topics(folder: Path, form: str) -> None:
    (folder / "groups.tsv").write_text("1\tends\n4\tends\n2\tinner\n3\tinner\n")
    groups = ("--topic-groups", "groups.tsv")
    # What eval writes of groups is not read twice.
    score(folder, "worse/bm25.run", f"now.{form}", "--per-topic", *groups)
    score(folder, "best/bm25.run", "then.csv", "--per-topic")
    words = ("check", f"now.{form}", "--baseline", "then.csv", "--max-drop", "RR=20%", *groups)
    done = call(folder, *words)
    assert (done.stdout, done.returncode) == (GROUPED, 1)
    assert "2 of 3 comparisons are worse than allowed" in done.stderr
    found = json.loads(call(folder, *words, "--json").stdout)["comparisons"]
    assert [row["group"] for row in found] == ["ends", "inner", "all"]
    assert [row["topics"] for row in found] == [2, 2, 4]
    # In GitHub's annotations, too.
    done = call(folder, *words, GITHUB_ACTIONS="true")
    assert "bm25, group inner: RR dropped from 1.0000 to 0.5000" in done.stderr


def test_groups_of_topics_that_cannot_be_checked(folder: Path) -> None:
    score(folder, "worse/bm25.run", "now.json", "--per-topic", measures="RR GMAP")
    score(folder, "best/bm25.run", "then.json", "--per-topic", measures="RR GMAP")
    score(folder, "best/bm25.run", "short.json", measures="RR GMAP")
    (folder / "unknown.tsv").write_text("1 a\n77 a\n")
    (folder / "all.tsv").write_text("1 all\n")
    (folder / "groups.tsv").write_text("1 a\n2 a\n")
    for now, groups, message in (
        ("now.json", "unknown.tsv", "no topic '77' (group 'a')"),
        ("now.json", "all.tsv", "all.tsv: expected a name of a group other than 'all'"),
        ("short.json", "groups.tsv", "short.json: expected the scores of topics"),
    ):
        words = ("--baseline", "then.json", "--max-drop", "RR=1")
        assert message in failed(folder, now, *words, "--topic-groups", groups)
    # A geometric mean is summed up anew: log means of 1 and 1/2.
    limit = ("--baseline", "then.json", "--max-drop", "GMAP=1", "--json")
    found = json.loads(check(folder, "now.json", *limit, "--topic-groups", "groups.tsv").stdout)
    assert found["comparisons"][0]["now"] == pytest.approx(0.5**0.5, rel=1e-15)


def test_comparisons_are_markdown_and_the_summary_of_a_job(folder: Path) -> None:
    score(folder, "best", "then.json")
    score(folder, "worse", "now.json")
    limits = ("--max-drop", "RR=10%", "--max-drop", "P@1=0.5")
    arguments = ("now.json", "--baseline", "then.json", *limits)
    printed = check(folder, *arguments, "--format", "markdown")
    assert printed.returncode == 1
    assert printed.stdout.splitlines()[:3] == [
        "| run | measure | baseline | now | change | limit | verdict |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
        "| bm25 | RR | 1.0000 | 0.7500 | -0.2500 | -10% | breach |",
    ]
    assert check(folder, *arguments, "--format", "json").stdout == (
        check(folder, *arguments, "--json").stdout
    )
    summary = folder / "summary.md"
    summary.write_text("before\n\n")
    done = check(folder, *arguments, GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 1
    assert summary.read_text() == (
        "before\n\n### cranfield check\n\n1 of 2 comparisons is worse than allowed.\n\n"
        f"{printed.stdout}\n"
    )
    # It is no reason to fail otherwise.
    done = check(folder, *arguments, GITHUB_STEP_SUMMARY=str(folder))
    assert done.returncode == 1
    assert f"cannot write the summary of the job to {folder}: Is a directory" in done.stderr
