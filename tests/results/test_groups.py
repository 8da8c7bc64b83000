"""Groups of topics, and several collections at once."""

import csv
import io
import json
import math
import re
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import _core
from cranfield.cli import main

QRELS = {str(t): {"a": 1, "b": 0, "c": int(t > 2)} for t in range(1, 6)}
RUNS = {
    "x": {t: {"a": 3.0, "b": 2.0, "c": 1.0} for t in QRELS},
    "y": {t: {"b": 3.0, "c": 2.0, "a": 1.0} for t in QRELS},
}
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
        ("none.tsv", "missing", "cannot read this file"),
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
        ("1\ta\n1\ta\n", ":2: the topic '1' is in the group 'a' twice"),
        ("\n", "expected topics with their groups, found none"),
        ("topic\tgroup\n", "expected topics with their groups as topic_groups, found none"),
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
    lines = [f"{t} 0 {d} {g}\n" for t, docs in QRELS.items() for d, g in docs.items()]
    (tmp_path / "qrels.txt").write_text("".join(lines))
    (tmp_path / "runs").mkdir()
    for name, run in RUNS.items():
        lines = [f"{t} Q0 {d} 1 {s} {name}\n" for t, docs in run.items() for d, s in docs.items()]
        (tmp_path / "runs" / f"{name}.run").write_text("".join(lines))
    (tmp_path / "g.tsv").write_text("1\tfew\n2\tfew\n3\tmany\n4\tmany\n5\tmany\n")
    (tmp_path / "c.toml").write_text(
        '[one]\nqrels = "qrels.txt"\nruns = "runs/*.run"\n\n'
        '[two]\nqrels = "qrels.txt"\nruns = ["runs/y.run", "runs/x.run"]\n'
    )
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 0, capsys.readouterr().err
    return capsys.readouterr().out


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


def several() -> cf.Collections:
    other = {t: docs for t, docs in QRELS.items() if t != "5"}
    return cf.Collections({"one": (QRELS, RUNS), "two": (other, {"y": RUNS["y"], "x": RUNS["x"]})})


def test_collections_by_group(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = "".join(f"{t} 0 a 1\n" for t in ("5", "x"))
    Path("more.txt").write_text(more)
    Path("c.toml").write_text(
        "[one]\nqrels = 'qrels.txt'\nruns = 'runs'\n[two]\nqrels = 'more.txt'\nruns = 'runs'\n"
    )
    groups = {"few": ["1", "2"], "many": ["5", "x"]}
    Path("g.tsv").write_text("".join(f"{t}\t{g}\n" for g, own in groups.items() for t in own))
    whole = cf.Collections.read("c.toml").evaluate("AP num_rel")
    found = whole.by_group("g.tsv")
    # Only the collections that have topics of a group, and each with those.
    assert {name: list(part) for name, part in found.items()} == {
        "few": ["one"],
        "many": ["one", "two"],
    }
    assert found["many"]["two"].topics == ("5", "x")
    of_five = [whole[name].sel(topic=["5"])["x", "AP"][0] for name in whole]
    # The run lacks the topic x, which counts 0.
    expected = (of_five[0] + of_five[1] / 2) / 2
    assert found["many"].to_dict()["AP"]["x"]["mean"] == pytest.approx(expected)
    words = ("eval", "c.toml", "-m", "AP num_rel", "--topic-groups", "g.tsv")
    rows = list(csv.DictReader(io.StringIO(printed(capsys, *words, "--format", "csv"))))
    assert [(r["group"], r["topics"], r["measure"], r["run"]) for r in rows[:5]] == [
        *(("few", "2", "AP", "x"), ("few", "2", "AP", "y")),
        *(("few", "2", "num_rel", "x"), ("few", "2", "num_rel", "y")),
        ("many", "3", "AP", "x"),
    ]
    assert rows[0]["two"] == ""
    assert float(rows[4]["mean"]) == found["many"].mean()[0, 0]
    assert [row["group"] for row in rows[8:]] == ["all"] * 4
    content = json.loads(printed(capsys, *words, "--format", "json", "--ci"))
    assert content["groups"][1]["topics"] == {"one": ["5"], "two": ["5", "x"]}
    assert content["groups"][0]["measures"]["AP"][0]["collections"].keys() == {"one"}
    # A collection with a single topic of a group has neither interval nor tiers there.
    for form in ("table", "markdown", "latex", "html"):
        shown = printed(capsys, *words, "--format", form, "--tiers", "--ci")
        assert shown.count("many") >= 4
    Path("g.tsv").write_text("7\tfew\n")
    assert main(list(words)) == 2
    assert "no topic '7' (group 'few')" in capsys.readouterr().err


def test_means_are_those_of_the_columns() -> None:
    found = several().evaluate("AP num_rel")
    one, two = found["one"], found["two"]
    assert found.runs == ("x", "y")
    assert found.measures == ("AP", "num_rel")
    assert found.summary().shape == (2, 2, 2)
    for place, run in enumerate(found.runs):
        own = [s.sel(run=run).summary()[0] for s in (one, two)]
        assert np.array_equal(found.summary()[:, place], own)
        assert np.allclose(found.mean()[place], (own[0] + own[1]) / 2, rtol=1e-15)
    assert found.to_dict()["AP"]["x"]["mean"] == found.mean()[0, 0]
    assert repr(several()) == "<Collections: one, two>"
    assert found.each(lambda s: len(s.topics)) == {"one": 5, "two": 4}


def test_scores_of_collections_show_and_write_their_table() -> None:
    found = several().evaluate("AP num_rel")
    # The grades of y are 0 0 1 on two topics and 0 1 1 on three, without topic 5 on two:
    # (2 / 3 + 3 * 7 / 12) / 5 and (2 / 3 + 2 * 7 / 12) / 4.
    assert [line.split() for line in repr(found).splitlines()[1:]] == [
        ["measure", "run", "one", "two", "mean", "Borda"],
        ["AP", "x", "0.9000^", "0.9167^", "0.9083^", "2"],
        ["AP", "y", "0.4833", "0.4583", "0.4708", "0"],
        ["num_rel", "x", "8", "6", "7", "1"],
        ["num_rel", "y", "8", "6", "7", "1"],
    ]
    assert "<b>0.9083</b>" in found._repr_html_()
    assert "| AP | 1 | x | **0.9000** | **0.9167** |" in found.to_markdown(ci=True, tiers=True)
    assert "\\label{tab:collections}" in found.to_latex(caption="a_b")
    assert "\\caption{a\\_b}" in found.to_latex(caption="a_b")


def test_a_run_that_a_collection_lacks_has_no_mean() -> None:
    found = cf.Collections(
        {"one": (QRELS, RUNS), "two": (QRELS, {"x": RUNS["x"], "z": RUNS["y"]})}
    ).evaluate("AP")
    assert found.runs == ("x", "y", "z")
    assert np.isnan(found.mean()[:, 0]).tolist() == [False, True, True]
    assert np.isnan(found.interval(resamples=20).low[:, 0]).tolist() == [False, True, True]
    assert found.borda().tolist() == [4.0, 1.0, 1.0]


def test_borda_is_that_of_the_design() -> None:
    tasks = [[0.60, 0.58, 0.62, 0.50], [0.50, 0.55, 0.40, 0.52], [0.70, 0.70, 0.65, math.nan]]
    values = np.array(tasks).T
    assert cf.stats.borda(values).tolist() == [5.5, 6.5, 4.0, 2.0]
    complete = values[:, :2]
    assert cf.stats.borda(-complete, better="lower").tolist() == cf.stats.borda(complete).tolist()
    with pytest.raises(cf.Error, match="expected two axes"):
        cf.stats.borda([1.0, 2.0])


def test_stratified_intervals_are_those_of_a_plain_loop() -> None:
    from cranfield.meta.missing import seed_of

    found = several().evaluate("AP P@1")
    interval = found.interval(level=0.8, resamples=300, seed=4)
    means = np.zeros((300, 2, 2))
    for place, part in enumerate(found.values()):
        draws = _core.drawn_topics(len(part.topics), resamples=300, seed=seed_of(4, place))
        values = part.sel(run=found.runs).values
        for replicate, topics in enumerate(draws):
            means[replicate] += values[:, topics].mean(axis=1) / 2
    low, high = np.quantile(means, [0.1, 0.9], axis=0)
    assert np.allclose(interval.low, low, rtol=1e-12)
    assert np.allclose(interval.high, high, rtol=1e-12)
    assert (interval.level, interval.method) == (0.8, "percentile")


def test_intervals_over_collections_leave_out_what_is_no_mean() -> None:
    found = several().evaluate("AP num_rel").interval(resamples=10)
    assert np.isnan(found.low).tolist() == [[False, True]] * 2


@pytest.mark.parametrize(
    ("collections", "kind", "message"),
    [
        ({}, "empty", "at least one collection"),
        ([1], "type", "found a list"),
        ({"a": QRELS}, "type", "expected .qrels, runs. for the collection 'a'"),
    ],
)
def test_bad_collections(collections: object, kind: str, message: str) -> None:
    with pytest.raises(cf.Error, match=message) as caught:
        cf.Collections(collections)  # type: ignore[arg-type]
    assert caught.value.kind == kind


def test_errors_name_the_collection() -> None:
    bad = cf.Collections({"one": (QRELS, RUNS), "two": ({"1": {"a": "x"}}, RUNS)})
    with pytest.raises(cf.Error, match="collection 'two': "):
        bad.evaluate("AP")
    with pytest.raises(cf.LabelError, match="no collection 'three'"):
        bad["three"]


def test_a_toml_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = cf.Collections.read("c.toml").evaluate("AP P@1")
    assert list(found) == ["one", "two"]
    words = ("eval", "c.toml", "-m", "AP P@1", "--ci")
    rows = list(csv.DictReader(io.StringIO(printed(capsys, *words, "--format", "csv"))))
    assert [(row["measure"], row["run"]) for row in rows] == [
        *(("AP", "x"), ("AP", "y"), ("P@1", "x"), ("P@1", "y")),
    ]
    assert float(rows[0]["mean"]) == found.mean()[0, 0]
    assert float(rows[0]["two"]) == found["two"].sel(run="x").mean()[0, 0]
    assert float(rows[0]["mean ci low"]) == found.interval().low[0, 0]
    assert float(rows[0]["Borda"]) == 2
    content = json.loads(printed(capsys, *words, "--format", "json"))
    assert content["measures"]["AP"][0]["collections"]["one"] == found["one"].mean()[0, 0]
    assert "95 % ci" in printed(capsys, *words)
    for form in ("markdown", "latex", "html"):
        assert "Borda" in printed(capsys, *words, "--format", form)
    assert main(["eval", "c.toml", "--per-topic"]) == 2
    assert "--per-topic is about one collection" in capsys.readouterr().err


def test_intervals_and_tiers_of_a_toml_file(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = cf.Collections.read("c.toml").evaluate("AP num_rel_ret")
    words = ["eval", "c.toml", "-m", "AP num_rel_ret", "--ci", "--ci-method", "t", "--tiers"]
    rows = list(csv.DictReader(io.StringIO(printed(capsys, *words, "--format", "csv"))))
    interval, tiers = found.interval(method="t"), found.tiers("AP")
    assert float(rows[0]["mean ci high"]) == interval.high[0, 0]
    place = tiers.runs.index(rows[0]["run"])
    assert rows[0]["mean tier"] == tiers.letters[place]
    assert int(rows[0]["mean rank low"]) == tiers.rank_low[place]
    # A count is no mean over topics.
    assert [rows[2][name] for name in ("mean ci low", "mean tier", "mean rank low")] == [""] * 3
    content = json.loads(printed(capsys, *words, "--format", "json"))["measures"]
    assert content["AP"][0]["tier"] == tiers[content["AP"][0]["run"]]
    assert "tier" not in content["num_rel_ret"][0]
    shown = printed(capsys, *words, "--seed", "3", "--level", "0.9")
    assert "ci: 90 % intervals of the mean over collections (Student's t" in shown
    assert "tier: runs that share no letter" in shown
    for form in ("markdown", "latex", "html"):
        assert "Above a value" in printed(capsys, *words, "--format", form)
    assert main(["eval", "c.toml", "-m", "num_ret", "--tiers"]) == 2
    assert "none of the measures is: num_ret" in capsys.readouterr().err


def test_notes_name_the_collection(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("more.qrels").write_text("".join(f"{t} 0 d 1\n" for t in ("1", "nowhere")))
    Path("c.toml").write_text("[few]\nqrels = 'more.qrels'\nruns = 'runs'\n")
    assert main(["eval", "c.toml", "-m", "AP"]) == 0
    assert "cranfield: few: " in capsys.readouterr().err
    assert main(["eval", "c.toml", "-m", "AP", "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    with pytest.warns(cf.CranfieldWarning, match="few: .*topic"):
        cf.Collections.read("c.toml").evaluate("AP")


def test_the_best_of_each_collection_is_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    topics = range(6)
    for name, flip in (("one", 0), ("two", 1)):
        Path(f"{name}.qrels").write_text("".join(f"{t} 0 d 1\n" for t in topics))
        for run, rank in (("good", 1 + flip), ("bad", 4 - flip)):
            lines = "".join(
                f"{t} Q0 {'d' if at == rank else f'x{at}'} {at} {9 - at} {run}\n"
                for t in topics
                for at in range(1, 6)
            )
            folder = Path(name)
            folder.mkdir(exist_ok=True)
            (folder / f"{run}.run").write_text(lines)
    toml = "".join(f"[{n}]\nqrels = '{n}.qrels'\nruns = '{n}'\n" for n in ("one", "two"))
    Path("c.toml").write_text(toml)
    words = ("eval", "c.toml", "-m", "RR E@2", "--tiers", "--format", "markdown")
    rows = [line.split(" | ") for line in printed(capsys, *words).splitlines()[2:6]]
    cells = [[cell.strip("| ") for cell in row] for row in rows]
    # RR is better if it is higher, E if it is lower; the better run beats run 2.
    assert cells[0][:6] == ["RR", "1", "good", "**1.0000**", "**0.5000**", "**0.7500**<sup>2</sup>"]
    assert cells[1][3:6] == ["0.2500", "0.3333", "0.2917"]
    assert [cell.startswith("**") for cell in cells[2][3:6]] == [True] * 3
    assert cells[2][2] == "good"
    assert cells[2][5].endswith("<sup>2</sup>")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[one]\nqrels = 1\nruns = 'x'\n", "expected qrels and runs of [one] to be paths"),
        ("[one]\nqrels = 'q'\n", "expected a table [one] with qrels and runs, found qrels"),
        ("[one\n", "expected TOML"),
        ("", "expected at least one collection, found none"),
        ("[one]\nqrels = 'q'\nruns = []\n", "[one] has no runs"),
    ],
)
def test_bad_toml(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    (folder / "bad.toml").write_text(text)
    assert main(["eval", "bad.toml", "-m", "AP"]) == 2
    assert message in capsys.readouterr().err


def test_options_may_stand_anywhere(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = printed(capsys, "eval", "qrels.txt", "-m", "AP", "runs")
    assert printed(capsys, "eval", "-m", "AP", "qrels.txt", "runs") == first
    assert main(["eval", "qrels.txt", "-m", "AP"]) == 2
    assert "required: RUN" in capsys.readouterr().err


def test_a_study_of_several_collections(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["study", "significance", "c.toml", "--measures", "AP P@1", "-o", "out", "--quiet"]
    assert main(words) == 0, capsys.readouterr().err
    text = (folder / "out/together/tables/significant-Holm.csv").read_text()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["measure"] for row in rows] == ["AP", "P@1", "mean"]
    own = [
        next(
            csv.DictReader(
                io.StringIO((folder / "out" / name / "tables/significant.csv").read_text())
            )
        )
        for name in ("one", "two")
    ]
    assert [rows[0]["one"], rows[0]["two"]] == [row["Holm"] for row in own]
    assert float(rows[0]["mean"]) == sum(int(row["Holm"]) for row in own) / 2
    # As Webber, Moffat and Zobel print theirs: with the means of rows and columns.
    assert float(rows[-1]["one"]) == sum(int(row["one"]) for row in rows[:-1]) / 2
    # As Sakai prints his: the rows of each collection.
    stacked = list(
        csv.DictReader(io.StringIO((folder / "out/together/tables/significant.csv").read_text()))
    )
    assert [(row["collection"], row["measure"]) for row in stacked] == [
        *(("one", "AP"), ("one", "P@1"), ("two", "AP"), ("two", "P@1")),
    ]
    points = (folder / "out/together/data/means-AP.csv").read_text()
    assert "\none,mean" in points
    assert "\ntwo,mean" in points
    assert 'href="../two/index.html"' in (folder / "out/together/index.html").read_text()
    assert (folder / "out/together/tables/significant-Holm.tex").is_file()
    assert main(words) == 0
    assert main(["study", "significance", "qrels.txt", "-o", "x"]) == 2
    assert "required: RUN" in capsys.readouterr().err


def test_a_topic_is_in_a_group_once() -> None:
    with pytest.raises(cf.Error, match="topic '1' is in the group 'x' twice") as caught:
        cf.evaluate(QRELS, RUNS, "AP").by_group([("1", "x"), (1, "x")])
    assert caught.value.kind == "duplicate"


def test_no_group_of_a_file_is_called_all(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("all.tsv").write_text("1\tall\n2\tall\n")
    for command in ("eval", "compare"):
        words = [command, "qrels.txt", "runs", "-m", "AP", "--topic-groups", "all.tsv"]
        assert main(words) == 2
        assert "other than 'all', which stands for all topics" in capsys.readouterr().err


@pytest.mark.parametrize("flag", ["--ci", "--tiers"])
def test_what_is_no_mean_has_neither_interval_nor_tier(
    folder: Path, capsys: pytest.CaptureFixture[str], flag: str
) -> None:
    assert main(["eval", "qrels.txt", "runs", "-m", "num_ret GMAP", flag]) == 2
    assert f"{flag} is about means over topics" in capsys.readouterr().err
