"""Named studies: what their folders hold, and the command."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import collection, meta, stats, study
from cranfield._study import definition, drawing, inputs
from cranfield._study.incompleteness import whole_pool
from cranfield._study.results import Figure, Found, Line, Panel, Table

from tests.study.written import EXAMPLE, QRELS, RUNS, Page, points, table

pytest.importorskip("matplotlib")

FEW: dict[str, dict[str, Any]] = {
    "depth": {"pool_depths": [5, 20], "depths": [5, 20, 100]},
    "incompleteness": {"samples": 2, "rates": [0.5], "sample_rates": [0.5]},
    "imperfection": {"samples": 2, "rates": [0.5], "test": "randomization", "alpha": 0.1},
    "significance": {},
    "leave-one-out": {},
    "curves": {"docs_in_collection": 21_629, "measures": ["nDCG@10", "AP"], "test": "t"},
    "graded": {},
    "agreement": {"second": QRELS},
}
"""Each study with few samples."""


@pytest.fixture(scope="module")
def qrels() -> cf.Qrels:
    return cf.read_qrels(QRELS)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every study of the example collection."""
    found = {}
    for name, options in FEW.items():
        path = tmp_path_factory.mktemp("studies") / name
        outcome = study.run(name, QRELS, RUNS, str(path), command=f"study {name}", **options)
        assert outcome.page == str(path / "index.html")
        assert (outcome.drawn, outcome.kept) == (True, ())
        found[name] = path
    return found


def test_every_study_is_here() -> None:
    assert set(FEW) == set(study.STUDIES)


@pytest.mark.parametrize("name", FEW)
def test_a_study_writes_its_folder(name: str, folders: dict[str, Path]) -> None:
    folder = folders[name]
    record = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    assert (record["study"], record["cranfield"]) == (name, cf.__version__)
    assert (record["complete"], record["runs_given"], record["topics"]) == (True, 16, 88)
    page = Page((folder / "index.html").read_text(encoding="utf-8"))
    pictures = sorted(path.stem for path in (folder / "figures").glob("*.svg"))
    assert sorted(page.figures) == pictures
    assert f"study {name}" in page.text
    assert cf.__version__ in page.text
    # A page that was mailed has no dead link: it holds the files itself.
    assert all(link.startswith("#") for link in page.links)
    written = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    for name, text in page.files.items():
        if name != "study.json":
            assert written[name].read_bytes() == text.encode()
    assert {name for name in written if name.endswith((".csv", ".tex"))} <= set(page.files)
    for stem in pictures:
        ElementTree.parse(folder / "figures" / f"{stem}.svg")
        rows = points(folder, stem)
        assert rows
        assert all(row["x"] and math.isfinite(float(row["x"])) for row in rows)
    tables = sorted((folder / "tables").glob("*.csv"))
    assert tables
    for path in tables:
        rows = table(folder, path.stem)
        assert rows, path
        latex = path.with_suffix(".tex").read_text(encoding="utf-8")
        body = latex.split("\\midrule\n")[1].split("\\bottomrule")[0]
        assert len(body.splitlines()) == len(rows)
    assert not list(folder.rglob(".cranfield-*"))


def test_figures_are_pdf_as_well_where_asked(tmp_path: Path) -> None:
    options: dict[str, Any] = {"measures": ["AP"]}
    folder = tmp_path / "study"

    def drawn(**more: Any) -> set[str]:
        study.run("curves", QRELS, RUNS, str(folder), **options, **more)
        return {path.suffix for path in (folder / "figures").iterdir()}

    assert drawn() == {".svg"}
    assert drawn(figures="pdf") == {".svg", ".pdf"}
    for path in (folder / "figures").glob("*.pdf"):
        assert path.read_bytes().startswith(b"%PDF")
    assert drawn() == {".svg"}
    with pytest.raises(cf.Error, match="expected one of svg, pdf as figures, found 'png'"):
        drawn(figures="png")


@pytest.mark.parametrize("name", FEW)
def test_parts_note_the_options_that_they_depend_on(name: str, folders: dict[str, Path]) -> None:
    files = list((folders[name] / "parts").iterdir())
    asked = definition.known(name)
    assert {path.stem for path in files} == set(asked.parts)
    looked_at = {option for path in files for option in json.loads(path.read_bytes())["options"]}
    # What judgments and pools are made of is in the key of all parts.
    assert looked_at == set(asked.options) - {"graded", "pool_runs"}


def test_depth_is_what_meta_says(folders: dict[str, Path], qrels: cf.Qrels) -> None:
    folder = folders["depth"]
    ranked = collection.rank(qrels, RUNS)
    names = ["P@10", "RBP(p=0.8)", "RBP(p=0.95)", "AP@1000", 'nDCG(dcg="jk")@1000']
    found = meta.discriminative_power(cf.evaluate(qrels, ranked, names))
    rows = table(folder, "table-1")
    assert [float(row["power"]) for row in rows] == found.power_of_different.tolist()
    assert [float(row["of all pairs"]) for row in rows] == found.power.tolist()
    measures = ["P", "aAP", "RBP(residual=0.1)"]
    swept = meta.sweep(ranked, qrels, [5, 20], [5, 20, 100], measures)
    for label, measure, standardized in (
        ("P", "P", False),
        ("AP, abbreviated", "aAP", False),
        ("RBP, standardized", "RBP(residual=0.1)", True),
    ):
        power = swept.power(measure, standardized=standardized)
        rows = [row for row in table(folder, "power-by-depth") if row["measure"] == label]
        assert [[float(row[f"@{k}"]) for k in (5, 20, 100)] for row in rows] == power.tolist()
    weights = meta.rank_weights("RBP(p=0.8)", 100)
    drawn = [row for row in points(folder, "figure-1") if row["series"] == "RBP, p=0.8"]
    for row in drawn[:20]:
        assert float(row["y"]) == weights[int(float(row["x"])) - 1]
    pool = collection.pool_to_depth(qrels, ranked, 10)
    shallow = cf.evaluate(pool, ranked, ["P@10", "AP@10"])
    expected = meta.correlation(shallow).values[0, 1]
    assert float(table(folder, "table-2")[0]["AP@10"]) == pytest.approx(expected, abs=1e-12)


def test_incompleteness_is_what_meta_says(folders: dict[str, Path], qrels: cf.Qrels) -> None:
    folder = folders["incompleteness"]
    curve = meta.incompleteness(qrels, RUNS, ["AP", "bpref_R"], [0.5, 1.0], samples=2)
    for row in table(folder, "sakai-reduced"):
        if row["measure"] in curve.measures:
            place = curve.measures.index(row["measure"])
            means = curve.mean(row["statistic"])[:, place]
            assert [float(row["50%"]), float(row["100%"])] == means.tolist()
    found = meta.discriminative_power(cf.evaluate(qrels, RUNS, "Q"))
    (row,) = (row for row in table(folder, "sakai-table-3") if row["measure"] == "Q")
    assert float(row["power"]) == found.power[0]
    (row,) = table(folder, "sakai-table-1")
    judged = qrels.to_dict().values()
    relevant = [sum(grade == 1 for grade in docs.values()) for docs in judged]
    assert float(row["mean R"]) == pytest.approx(np.mean(relevant))
    # The whole pool under all judgments: subAP and infAP are AP there.
    ap = cf.evaluate(qrels, RUNS, "AP").mean().mean()
    for row in points(folder, "yilmaz-figure-9"):
        if row["series"] in ("subAP", "infAP") and row["x"] == "100.0" and "mean" in row["panel"]:
            assert float(row["y"]) == pytest.approx(ap)


def test_imperfection_is_what_meta_says(folders: dict[str, Path]) -> None:
    rows = table(folders["imperfection"], "imperfection")
    taus = {row["measure"]: row for row in rows if row["statistic"] == "tau"}
    assert float(taus["infAP"]["100%"]) == 1
    assert set(taus) == {"bpref-10", "indAP (AP')", "subAP", "infAP"}
    assert 0.5 < float(taus["bpref-10"]["50%"]) < 1
    power = {row["measure"]: row for row in rows if row["statistic"] == "power"}
    judged = whole_pool(inputs.Inputs(inputs.Given(QRELS, RUNS)), 100)
    scores = cf.evaluate(judged, RUNS, ["bpref_10", "infAP"])
    found = meta.discriminative_power(scores, "randomization", 0.1, seed=0)
    for row, expected in zip(("bpref-10", "infAP"), found.power, strict=True):
        assert float(power[row]["100%"]) == expected


def test_significance_is_what_stats_says(folders: dict[str, Path], qrels: cf.Qrels) -> None:
    folder = folders["significance"]
    scores = cf.evaluate(qrels, RUNS, ["AP", "nDCG@10"])
    result = stats.t_test(scores.sel(measure="AP"))
    expected = {
        (result.runs[one], result.runs[two]): place
        for place, (one, two) in enumerate(result.pairs.tolist())
    }
    holm = result.corrected("holm").pvalue
    effects = result.effect_size("residual")
    rows = table(folder, "pairs-AP")
    assert len(rows) == len(expected) == 120
    for row in rows:
        place = expected[row["run"], row["other"]]
        assert float(row["p"]) == result.pvalue[place]
        assert float(row["p (Holm)"]) == holm[place]
        assert float(row["effect (residual)"]) == effects[place]
    summary = table(folder, "significant")[0]
    assert int(summary["Holm"]) == (holm < 0.05).sum()
    drawn = points(folder, "means-AP")
    assert [float(row["x"]) for row in drawn] == sorted(
        scores.sel(measure="AP").mean()[:, 0].tolist(), reverse=True
    )
    assert all(float(row["low"]) < float(row["x"]) < float(row["high"]) for row in drawn)


def test_leave_one_out_is_what_collection_says(
    folders: dict[str, Path], qrels: cf.Qrels, tmp_path: Path
) -> None:
    ranked = collection.rank(qrels, RUNS)
    for groups in (None, tmp_path / "groups.txt"):
        of = {run.name: run.name if groups is None else run.name[:4] for run in ranked}
        folder = folders["leave-one-out"]
        if groups is not None:
            groups.write_text("".join(f"{run} {group}\n" for run, group in of.items()))
            folder = tmp_path / "grouped"
            study.run("leave-one-out", QRELS, RUNS, str(folder), groups=str(groups))
        left = collection.leave_out(qrels, ranked, of)
        for row in table(folder, "leave-one-out-runs"):
            one = [run for run in ranked if run.name == row["run"]]
            reduced = left[of[row["run"]]]
            value = cf.evaluate(reduced, one, row["measure"]).mean()[0, 0]
            assert float(row["left out"]) == value
            before = cf.evaluate(qrels, one, row["measure"]).mean()[0, 0]
            assert float(row["whole"]) == before


def test_curves_are_those_of_curves(folders: dict[str, Path]) -> None:
    folder = folders["curves"]
    rows = table(folder, "interpolated")
    scores = cf.evaluate(QRELS, RUNS, ["nDCG@10", "AP"])
    order = scores.best_first("nDCG@10")
    assert [row["run"] for row in rows] == [scores.runs[place] for place in order]
    means = scores.mean()
    found = stats.t_test(scores.sel(measure="AP"))
    pvalues = {
        frozenset(pair): p for pair, p in zip(found.pairs.tolist(), found.pvalue, strict=True)
    }
    assert rows[0]["p (MAP)"] == ""
    for row, place in zip(rows[1:], order[1:], strict=True):
        assert [float(row["nDCG@10"]), float(row["MAP"])] == means[place].tolist()
        assert float(row["p (MAP)"]) == pvalues[frozenset((order[0], place))]
    best = rows[0]["run"]
    curve = cf.curves.precision_recall(QRELS, str(EXAMPLE / "runs" / f"{best}.run.gz"))
    assert [float(rows[0][f"{i / 10:g}"]) for i in range(11)] == curve.interpolated.tolist()
    assert [row["x"] for row in points(folder, "figure-8.4")][-1] == "1.0"


def test_a_judge_agrees_perfectly_with_itself(folders: dict[str, Path]) -> None:
    assert all(float(row["kappa"]) == 1 for row in table(folders["agreement"], "kappa"))
    assert all(float(row["tau"]) == 1 for row in table(folders["agreement"], "orders"))


def test_two_judges(tmp_path: Path) -> None:
    """IIR, table 8.2: both yes 300, first alone 20, second alone 10, both no 70."""
    counts = {(1, 1): 300, (1, 0): 20, (0, 1): 10, (0, 0): 70}
    pairs = [pair for pair, count in counts.items() for _ in range(count)]
    first = {"1": {f"d{i}": one for i, (one, _) in enumerate(pairs)}}
    second = {"1": {f"d{i}": two for i, (_, two) in enumerate(pairs)}}
    other = tmp_path / "second.txt"
    cf.Qrels(second).write(str(other))
    runs = {name: {"1": {f"d{i}": s * i for i in range(400)}} for name, s in (("a", 1), ("b", -1))}
    study.run("agreement", first, runs, str(tmp_path / "out"), second=str(other), measures=["AP"])
    pooled = table(tmp_path / "out", "kappa")[0]
    assert float(pooled["P(A)"]) == 37 / 40
    assert float(pooled["kappa"]) == pytest.approx(277 / 357, abs=1e-12)


def test_graded_measures_of_binary_judgments(folders: dict[str, Path]) -> None:
    rows = table(folders["graded"], "graded")
    taus = {row["binary"]: float(row["tau"]) for row in rows}
    assert taus["bpref_N"] == taus["bpref_relative"] == 1
    for row in table(folders["graded"], "n-pref"):
        assert len({value for column, value in row.items() if column != "run"}) == 1


def test_one_topic_gives_what_it_can(tmp_path: Path, qrels: cf.Qrels) -> None:
    """No pairs of runs are told apart by one topic: no power, but orders and taus."""
    topic = qrels.topics[0]
    choice = study.Choice(topics=topic)
    out = tmp_path / "one"
    study.run("graded", QRELS, RUNS, str(out), choice=choice, measures=["nDCG@10", "RBP"])
    scores = cf.evaluate(qrels, RUNS, ["AP", "Q"]).sel(topic=[topic]).mean()
    rows = table(out, "graded")
    assert list(rows[0]) == ["binary", "graded", "tau"]
    assert float(rows[0]["tau"]) == meta.tau(scores[:, 0], scores[:, 1])
    assert list(table(out, "with-and-without")[0])[1:] == [
        "tau",
        "mean, one grade",
        "mean, all grades",
    ]
    assert len(table(out, "n-pref")) == 16
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "One topic cannot distinguish any pairs of runs." in page


@pytest.mark.parametrize("name", ["significance", "depth", "incompleteness"])
def test_a_study_over_topics_refuses_one_topic_and_writes_nothing(
    tmp_path: Path, name: str
) -> None:
    topic = cf.read_qrels(QRELS).topics[0]
    with pytest.raises(cf.Error, match=r"needs 2, found 1 topic; .* cranfield\.diff"):
        study.run(name, QRELS, RUNS, str(tmp_path / "out"), choice=study.Choice(topics=topic))
    assert not (tmp_path / "out").exists()


def test_figures_of_power_have_the_test_that_is_asked_for(tmp_path: Path) -> None:
    out = tmp_path / "missing"
    few: dict[str, Any] = {"samples": 1, "rates": [0.5], "sample_rates": [0.5]}
    few |= {"measures": ["AP", "bpref"], "choice": study.Choice(top=4)}
    study.run("incompleteness", QRELS, RUNS, str(out), test="randomization", **few)
    scores = meta.best(cf.evaluate(QRELS, RUNS, ["AP", "bpref"]), 4, "AP")
    found = meta.discriminative_power(scores, "randomization", seed=0)
    rows = [row for row in table(out, "sakai-reduced") if row["statistic"] == "power"]
    assert [float(row["100%"]) for row in rows] == found.power.tolist()
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "discriminative power by the paired randomization test" in page


# The command


def test_the_command_says_what_it_does(tmp_path: Path) -> None:
    words = ["study", "graded", QRELS, RUNS, "--output", "it's"]
    command = [sys.executable, "-m", "cranfield", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == ""
    ties, wrote = done.stderr.splitlines()
    assert "of the documents are in ties" in ties
    assert wrote == "cranfield: wrote it's/index.html"
    page = Page((tmp_path / "it's" / "index.html").read_text(encoding="utf-8"))
    assert f"""cranfield study graded {QRELS} {RUNS} --output 'it'"'"'s'""" in page.text
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr.splitlines() == ["cranfield: 2 parts finished before: kept", wrote]
    quiet = subprocess.run(
        [*command, "--quiet"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert (quiet.stdout, quiet.stderr) == ("", "")


def test_progress_names_the_parts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study.run("graded", QRELS, RUNS, str(tmp_path / "out"), progress=True)
    told = capsys.readouterr().err
    assert "0/2 parts [" in told
    assert told.endswith("\r")


def test_figures_are_the_same_bytes_each_time() -> None:
    lines = [Line("a $x$ & <b>", [1.0, 2.0], [0.5, None]), Line("b", [1.0], [1.0], color=-1)]
    figure = Figure("f", "title", [Panel("x", "y", lines, log=True, ticks=[1.0, 2.0])])
    forms = drawing.FORMS["pdf"]
    assert drawing.draw(figure, forms) == drawing.draw(figure, forms)


def test_names_from_files_do_not_get_through(tmp_path: Path) -> None:
    judged = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}}
    runs = {
        "<script>$_{&": {"1": {"a": 1.0}, "2": {"b": 1.0}},
        "y": {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 2.0}},
    }
    study.run("significance", judged, runs, str(tmp_path / "out"), measures=["AP"])
    text = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "<script>$" not in text
    assert "&lt;script&gt;" in text
    latex = (tmp_path / "out" / "tables" / "pairs-AP.tex").read_text(encoding="utf-8")
    assert r"\textless{}script\textgreater{}\$\_\{\&" in latex


def test_what_a_part_found_survives_json() -> None:
    line = Line("a", [1.0], [None], [0.1], [0.2], "points", 3, ["r"], dotted=True)
    found = Found(
        [
            Table.of(
                "t",
                "title",
                {"a": ["x", "y"], "b": [1.5, None]},
                "note",
                decimals=2,
                bold=[[0, 1]],
            )
        ],
        [Figure("f", "title", [Panel("x", "y", [line], names=["n"])], 2)],
        "It follows.",
    )
    content = json.loads(json.dumps(found.to_dict()))
    assert Found.from_dict(content).to_dict() == content == found.to_dict()
    assert found.tables[0].texts().cells == [("x", "1.50"), ("y", "-")]


# TREC-8


def test_depth_of_trec8(data: Path, tmp_path: Path) -> None:
    """Webber, Moffat and Zobel (2010), Table 1, and the corners of Tables 2 and 3."""
    place = data / "trec8-adhoc"
    study.run("depth", str(place / "trec8.qrels.gz"), str(place / "runs"), str(tmp_path / "out"))
    rows = table(tmp_path / "out", "table-1")
    powers = [f"{float(row['power']):.3f}" for row in rows]
    assert powers == ["0.645", "0.657", "0.691", "0.725", "0.718"]
    second = table(tmp_path / "out", "table-2")
    assert [f"{float(v):.2f}" for v in list(second[0].values())[1:]] == (
        ["0.88", "0.90", "0.94", "0.93", "0.74", "0.69", "0.83", "0.83", "0.80"]
    )
    third = table(tmp_path / "out", "table-3")
    assert [f"{float(v):.2f}" for v in list(third[0].values())[1:]] == (
        ["0.89", "0.88", "0.73", "0.72", "0.67", "0.74", "0.74", "0.73"]
    )
