"""Several collections at once: their means, tables, groups of topics and TOML files."""

import csv
import io
import json
import math
from pathlib import Path

import cranfield as cf
import numpy as np
import pytest
from cranfield import _core
from cranfield._cli import main
from cranfield._scores.collection_scores import CollectionScores

from tests.scores.two_runs import QRELS, RUNS, printed, write_files


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    return tmp_path


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
    from cranfield._base.options import seed_of

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
    assert "95% CI" in printed(capsys, *words)
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
    assert "ci: 90% intervals of the mean over collections (Student's t" in shown
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


@pytest.mark.parametrize("name", ["run", "measure", "mean", "Borda"])
def test_a_collection_is_not_called_like_a_column(name: str) -> None:
    scores = cf.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "AP")
    with pytest.raises(cf.Error, match=f"column called {name}"):
        CollectionScores({name: scores})
