"""Groups of topics."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield._cli import main

from tests.scores.two_runs import QRELS, RUNS, printed, write_files

GROUPS = {"1": "few", "2": ["few", "even"], "4": ["even"], "3": "odd", "5": "odd"}


def scores() -> cf.Scores:
    return cf.evaluate(QRELS, RUNS, "AP P@1 num_rel")


def test_each_group_has_the_scores_of_its_topics() -> None:
    whole = scores()
    found = whole.by_group(GROUPS)
    assert list(found) == ["few", "even", "odd"]
    assert found.counts == {"few": 2, "even": 2, "odd": 2}
    assert found["even"].topics == ("2", "4")
    assert np.array_equal(found["few"].values, whole.sel(topic=["1", "2"]).values)
    for place, group in enumerate(found):
        assert np.array_equal(found.mean()[place], found[group].mean())
        assert np.array_equal(found.summary()[place], found[group].summary())
        assert np.array_equal(
            found.interval(level=0.9).low[place],
            found[group].interval(level=0.9).low,
            equal_nan=True,
        )
    assert found.interval().high.shape == (3, 2, 3)
    assert found.to_dict()["odd"]["y"]["num_rel"] == 4
    assert found["few"].fingerprint == whole.fingerprint
    assert "<th>odd</th>" in found._repr_html_()


def test_groups_show_and_write_the_summaries_of_each_best_first() -> None:
    found = scores().by_group(GROUPS)
    assert [line.split() for line in repr(found).splitlines()[1:4]] == [
        ["group", "topics", "run", "AP", "P@1", "num_rel"],
        ["few", "2", "x", "1.0000^", "1.0000^", "2"],
        ["few", "2", "y", "0.3333", "0.0000", "2"],
    ]
    assert "| odd | 2 | x | **" in found.to_markdown()
    table = found.to_latex(per_topic=True, ci=True, label="tab:x")
    assert "\\caption{Scores of 2 runs by groups of topics." in table
    assert table.count("\\midrule") == 3
    # A group of one topic has neither interval nor tiers; one group is a group, too.
    small = scores().by_group({"1": "one"}).to_markdown(ci=True, tiers=True)
    assert "| one | 1 | x | **1.0000** | - | - | - |" in small
    tiers = scores().by_group({**GROUPS, "1": ["few", "last"]}).to_markdown(tiers=True)
    assert "| few | 2 | 1 | x | **1.0000**<sup>2</sup> | a |" in tiers
    assert "tier: runs that share no letter" in tiers
    with pytest.raises(cf.Error, match="from 0 to 17 digits"):
        found.to_latex(digits=18)


def test_groups_in_every_form(tmp_path: Path) -> None:
    expected = {group: part.topics for group, part in scores().by_group(GROUPS).items()}
    pairs = [(1, "few"), (2, "few"), (2, "even"), (4, "even"), (3, "odd"), (5, "odd")]
    text = "".join(f"{topic}\t{group}\n" for topic, group in pairs)
    (tmp_path / "g.tsv").write_text(text)
    (tmp_path / "h.tsv").write_text("topic\tgroup\n" + text)
    (tmp_path / "s.txt").write_text(text.replace("\t", "  "))
    files = [tmp_path / name for name in ("g.tsv", "h.tsv", "s.txt")]
    every: list[Any] = [pairs, iter(pairs), *files]
    for groups in every:
        found = scores().by_group(groups)
        assert {group: part.topics for group, part in found.items()} == expected


@pytest.mark.parametrize(
    ("groups", "kind", "message"),
    [
        ({"9": "x"}, "label", "no topic '9' (group 'x')"),
        ({}, "empty", "expected topics with their groups as topic_groups, found none"),
        (5, "type", "found a int"),
        ([("1", "a", "b")], "type", "expected pairs (topic, group)"),
        ({"1": 5}, "type", "the group or the groups of topic '1' as topic_groups, found 5"),
        ([(1.5, "a")], "type", "expected a topic as text or a whole number, found 1.5"),
        ("none.tsv", "missing", "there is no such file"),
    ],
)
def test_bad_groups(groups: object, kind: str, message: str) -> None:
    with pytest.raises(cf.Error, match=re.escape(message)) as caught:
        scores().by_group(groups)  # type: ignore[arg-type]
    assert caught.value.kind == kind


def test_bad_files_of_groups(tmp_path: Path) -> None:
    path = tmp_path / "g.tsv"
    for text, message in (
        ("1\ta\n2\n", r":2: expected a topic and a group, found 1 field"),
        ("\n", "expected lines of a topic and a group, found no line of data"),
        ("topic\tgroup\n", "expected lines of a topic and a group, found no line of data"),
        ("#1\ta\n", "no topic '#1'"),
    ):
        path.write_text(text)
        with pytest.raises(cf.Error, match=message):
            scores().by_group(path)


def test_by_topic() -> None:
    found = scores().by_topic("AP")
    assert found["3"] == {"x": pytest.approx(5 / 6), "y": pytest.approx(7 / 12)}
    assert list(found) == ["1", "2", "3", "4", "5"]
    with pytest.raises(cf.Error, match="measure= has to say"):
        scores().by_topic()


# The command line


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    return tmp_path


def test_eval_by_group(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("eval", "qrels.txt", "runs", "-m", "AP num_rel", "--topic-groups", "g.tsv", "--ci")
    rows = list(csv.DictReader(io.StringIO(printed(capsys, *words, "--format", "csv"))))
    labels = [(row["group"], row["topics"], row["run"]) for row in rows]
    assert labels == [
        *(("few", "2", "x"), ("few", "2", "y"), ("many", "3", "x"), ("many", "3", "y")),
        *(("all", "5", "x"), ("all", "5", "y")),
    ]
    found = scores().by_group("g.tsv")
    assert float(rows[3]["AP"]) == found["many"].mean()[1, 0]
    assert float(rows[3]["AP ci low"]) == found["many"].interval().low[1, 0]
    content = json.loads(printed(capsys, *words, "--format", "json"))
    assert [group["group"] for group in content["groups"]] == ["few", "many"]
    assert content["groups"][1]["topics"] == ["3", "4", "5"]
    summary = content["groups"][1]["runs"][1]["summary"]
    assert summary["num_rel"]["value"] == 6
    lines = printed(capsys, *words, "--format", "jsonl").splitlines()
    assert [json.loads(line)["group"] for line in lines] == [row["group"] for row in rows]
    table = printed(capsys, *words).splitlines()
    assert table[0].split()[:4] == ["group", "topics", "run", "AP"]
    assert "\\midrule\nmany" in printed(capsys, *words, "--format", "latex")


def test_tiers_of_a_group_with_one_topic_are_blank(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "g.tsv").write_text("1\tone\n2\trest\n3\trest\n")
    words = ("eval", "qrels.txt", "runs", "-m", "AP", "--topic-groups", "g.tsv", "--tiers", "--ci")
    lines = printed(capsys, *words).splitlines()
    assert lines[1].split() == ["one", "1", "x", "1.0000", "-", "-", "-"]
    rows = list(csv.DictReader(io.StringIO(printed(capsys, *words, "--format", "csv"))))
    assert rows[0]["AP tier"] == rows[0]["AP ci low"] == rows[0]["AP rank low"] == ""
    assert rows[2]["AP tier"]


def test_topics_are_selected(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("eval", "qrels.txt", "runs", "-m", "AP", "--per-topic", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(printed(capsys, *words, "--topics", "1,4-9"))))
    assert [row["topic"] for row in rows if row["run"] == "x"] == ["1", "4", "5", "all"]
    expected = scores().sel(topic=["1", "4", "5"], measure="AP").mean()[0, 0]
    assert float(rows[3]["AP"]) == expected
    grouped = printed(capsys, *words[:5], "--topics", "4-5", "--topic-groups", "g.tsv")
    assert [line.split()[:2] for line in grouped.splitlines()[1:]] == [
        *(["many", "2"], ["many", "2"], ["all", "2"], ["all", "2"]),
    ]
    for bad in ("9", "7-9", ","):
        assert main([*words, "--topics", bad]) == 2
        assert "topic" in capsys.readouterr().err


def test_compare_by_group(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("compare", "qrels.txt", "runs", "-m", "AP", "--topic-groups", "g.tsv")
    text = printed(capsys, *words)
    assert text.startswith("Group few (2 topics)\n\nAP ")
    assert "\n\nGroup many (3 topics)\n\n" in text
    assert "\n\nAll topics (5 topics)\n\n" in text
    rows = list(csv.DictReader(io.StringIO(printed(capsys, *words, "--format", "csv"))))
    assert [row["group"] for row in rows] == ["few", "many", "all"]
    many = scores().by_group("g.tsv")["many"].compare("AP").rows[0]
    assert float(rows[1]["difference"]) == many.difference
    assert float(rows[1]["p"]) == many.p
    content = json.loads(printed(capsys, *words, "--format", "json"))
    assert content["groups"][1]["comparisons"][0]["difference"] == many.difference
    assert content["comparisons"][0]["topics"] == 5
    for form, start in (("markdown", "## Group few"), ("html", "<!DOCTYPE"), ("latex", "\\begin")):
        assert printed(capsys, *words, "--format", form).startswith(start)
    assert "tab:compare-many-AP" in printed(capsys, *words, "--format", "latex")
    text = printed(capsys, *words[:5], "--topics", "3-5", "--format", "csv")
    assert float(next(csv.DictReader(io.StringIO(text)))["difference"]) == many.difference


def test_a_group_with_an_unknown_topic(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "g.tsv").write_text("1\tfew\n77\tfew\n")
    for command in ("eval", "compare"):
        assert main([command, "qrels.txt", "runs", "--topic-groups", "g.tsv"]) == 2
        assert "no topic '77' (group 'few')" in capsys.readouterr().err


# Several collections


def test_options_may_stand_anywhere(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = printed(capsys, "eval", "qrels.txt", "-m", "AP", "runs")
    assert printed(capsys, "eval", "-m", "AP", "qrels.txt", "runs") == first
    assert main(["eval", "qrels.txt", "-m", "AP"]) == 2
    assert "required: RUN" in capsys.readouterr().err


def test_a_topic_that_is_named_again_is_in_a_group_once(tmp_path: Path) -> None:
    (tmp_path / "g.tsv").write_text("# where\n1 x\n1 x\n")
    several: list[Any] = [[("1", "x"), (1, "x")], tmp_path / "g.tsv"]
    for groups in several:
        assert cf.evaluate(QRELS, RUNS, "AP").by_group(groups).counts == {"x": 1}


def test_no_group_of_a_file_is_called_all(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("all.tsv").write_text("1\tall\n2\tall\n")
    for command in ("eval", "compare"):
        words = [command, "qrels.txt", "runs", "-m", "AP", "--topic-groups", "all.tsv"]
        assert main(words) == 2
        assert "other than 'all', which is reserved for all topics" in capsys.readouterr().err


@pytest.mark.parametrize("flag", ["--ci", "--tiers"])
def test_what_is_no_mean_has_neither_interval_nor_tier(
    folder: Path, capsys: pytest.CaptureFixture[str], flag: str
) -> None:
    assert main(["eval", "qrels.txt", "runs", "-m", "num_ret GMAP", flag]) == 2
    assert f"{flag} is about means over topics" in capsys.readouterr().err
