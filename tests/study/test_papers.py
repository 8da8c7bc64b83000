"""What the papers need of studies: folded grades, named pools, all measures, few runs."""

from __future__ import annotations

import re
import sys
import warnings
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import collection, meta, stats, study
from cranfield._cli import main
from cranfield._study import depth

from tests.study.written import EXAMPLE, Page, points, table

TOPICS = [str(topic) for topic in range(1, 13)]
DOCS = [f"d{place}" for place in range(12)]
QRELS = {
    t: {doc: (int(t) * (place + 3)) % 4 for place, doc in enumerate(DOCS)} for t in TOPICS[:-1]
} | {TOPICS[-1]: {doc: place % 2 for place, doc in enumerate(DOCS)}}
"""Grades 0 to 3, but in the last topic 0 and 1."""

FOLDED = {t: {doc: int(grade >= 1) for doc, grade in of.items()} for t, of in QRELS.items()}


def runs(count: int = 6) -> dict[str, dict[str, dict[str, float]]]:
    """Runs with as many different orders."""
    return {
        f"r{run}": {
            t: {
                doc: float((place * (run + 2) + int(t) * run) % 13)
                for place, doc in enumerate(DOCS)
            }
            for t in TOPICS
        }
        for run in range(count)
    }


@pytest.fixture(autouse=True)
def undrawn(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """As without matplotlib: to draw takes most of a study's time, and tables are tested here."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    return monkeypatch


SMALL: dict[str, Any] = {"pool_depths": [3, 5], "depths": [5, 10]}


def tables(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted((folder / "tables").glob("*.csv"))}


# The study of depth


def test_depth_folds_grades_unless_they_are_to_stay(tmp_path: Path) -> None:
    """The same as of judgments that are binary from the beginning."""
    for name, given in (("graded", QRELS), ("folded", FOLDED)):
        study.run("depth", given, runs(), str(tmp_path / name), **SMALL)
    study.run("depth", QRELS, runs(), str(tmp_path / "kept"), graded=True, **SMALL)
    assert tables(tmp_path / "graded") == tables(tmp_path / "folded")
    kept = table(tmp_path / "kept", "table-1")
    scores = cf.evaluate(QRELS, runs(), list(depth.STANDARD.values()))
    powers = meta.discriminative_power(scores).power_of_different
    assert [float(row["power"]) for row in kept] == powers.tolist()
    for name, text in (
        ("graded", "judgments reduced to relevant or not, relevant from grade 1"),
        ("kept", "judgments graded, relevant from grade 1"),
    ):
        assert text in Page((tmp_path / name / "index.html").read_text()).text


def test_rel_moves_all_measures_of_depth(tmp_path: Path) -> None:
    from_2 = {t: {doc: int(grade >= 2) for doc, grade in of.items()} for t, of in QRELS.items()}
    above = {t: {d: g if g >= 2 else 0 for d, g in of.items()} for t, of in QRELS.items()}
    study.run("depth", QRELS, runs(), str(tmp_path / "rel"), rel=2, **SMALL)
    study.run("depth", from_2, runs(), str(tmp_path / "alike"), **SMALL)
    assert tables(tmp_path / "rel") == tables(tmp_path / "alike")
    study.run("depth", QRELS, runs(), str(tmp_path / "kept"), rel=2, graded=True, **SMALL)
    study.run("depth", above, runs(), str(tmp_path / "above"), graded=True, **SMALL)
    assert tables(tmp_path / "kept") == tables(tmp_path / "above")


def test_measures_reach_every_table_of_depth(tmp_path: Path) -> None:
    asked = ["nDCG@7", "bpref", "E@3"]
    out = tmp_path / "out"
    study.run("depth", QRELS, runs(), str(out), measures=asked, **SMALL)
    assert [row["measure"] for row in table(out, "table-1")] == asked
    rows = table(out, "table-2")
    names = ["nDCG@10", "E@10", "bpref to depth 10"]
    deep = ["nDCG@1000", "E@1000", "bpref to depth 1000"]
    assert [*rows[0]] == ["measure", *names[1:], *deep]
    # E is better when it is lower: as an order of runs it is that of F.
    qrels = collection.fold(QRELS)
    pool = collection.pool_to_depth(qrels, collection.rank(qrels, runs()), 10)
    shallow = cf.evaluate(pool, runs(), ["nDCG@10", "F@10"]).mean()
    assert float(rows[0]["E@10"]) == pytest.approx(meta.tau(*shallow.T), abs=1e-12)
    cut = cf.evaluate(pool, runs(), "bpref", depth=10).mean()[:, 0]
    expected = meta.tau(shallow[:, 0], cut)
    assert float(rows[0]["bpref to depth 10"]) == pytest.approx(expected, abs=1e-12)
    third = list(table(out, "table-3")[0])
    assert third[1:3] == ["E pool@10 eval@10", "bpref pool@10 eval@10"]
    swept = {row["measure"] for row in table(out, "power-by-depth")}
    assert swept == {
        name + end for name in ("nDCG", "bpref", "E") for end in ("", ", standardized")
    }
    drawn = {path.stem for path in (out / "data").glob("*.csv")}
    assert drawn == {"figure-1", "figure-2", "figure-2-bpref", "figure-2-E", "figure-4"}


@pytest.mark.parametrize("measure", ["AP(rel=2)", "nDCG(gain={1:1,2:3})@10"])
def test_measures_that_name_grades_are_refused_where_these_are_folded(
    tmp_path: Path, measure: str
) -> None:
    with pytest.raises(cf.Error, match=r"names grades, .* rel=, or graded=True"):
        study.run("depth", QRELS, runs(), str(tmp_path / "out"), measures=[measure], **SMALL)
    out = str(tmp_path / "kept")
    study.run("depth", QRELS, runs(), out, measures=[measure], graded=True, **SMALL)


def test_the_best_value_of_table_1_is_marked(tmp_path: Path) -> None:
    found = study.run("depth", QRELS, runs(), str(tmp_path / "out"), **SMALL).found["table-1"]
    (one,) = found.tables
    for column in (1, 2):
        values = [float(str(row[column])) for row in one.rows]
        marked = {row for row, of in one.bold if of == column}
        assert marked == {row for row, value in enumerate(values) if value == max(values)}
    latex = (tmp_path / "out" / "tables" / "table-1.tex").read_text()
    assert r"\textbf{" in latex


def test_depth_of_the_cranfield_collection(data: Path, tmp_path: Path) -> None:
    """Folded by hand, in lines of text."""
    place, lines = data / "cranfield", []
    for line in (place / "qrels.graded.txt").read_text().splitlines():
        topic, zero, doc, grade = line.split()
        lines.append(f"{topic} {zero} {doc} {int(float(grade) >= 1)}\n")
    (tmp_path / "folded.txt").write_text("".join(lines))
    given = str(place / "runs")
    powers = {}
    for name, qrels, graded in (
        ("graded", place / "qrels.graded.txt", True),
        ("default", place / "qrels.graded.txt", False),
        ("folded", tmp_path / "folded.txt", True),
    ):
        study.run("depth", str(qrels), given, str(tmp_path / name), graded=graded, **SMALL)
        rows = table(tmp_path / name, "table-1")
        powers[name] = {row["measure"]: round(float(row["power"]), 4) for row in rows}
    assert powers["default"] == powers["folded"]
    assert (powers["graded"]["nDCG@1000"], powers["default"]["nDCG@1000"]) == (0.8024, 0.8182)


# Runs that were pooled


def test_pools_are_made_of_the_named_runs(tmp_path: Path) -> None:
    named = ["r1", "r4"]
    (tmp_path / "pooled.txt").write_text("r4\n\nr1\n")
    for name, pooled in (("file", str(tmp_path / "pooled.txt")), ("list", named)):
        out = str(tmp_path / name)
        study.run("depth", QRELS, runs(), out, measures=["AP"], pool_runs=pooled, **SMALL)
    assert tables(tmp_path / "file") == tables(tmp_path / "list")
    qrels = collection.fold(QRELS)
    ranked = collection.rank(qrels, runs())
    pool = collection.pool_to_depth(qrels, [r for r in ranked if r.name in named], 3)
    power = meta.discriminative_power(cf.evaluate(pool, ranked, "AP@5")).power_of_different[0]
    row = next(row for row in table(tmp_path / "file", "power-by-depth") if row["measure"] == "AP")
    assert (row["pool"], float(row["@5"])) == ("3", power)


@pytest.mark.parametrize("name", ["incompleteness", "imperfection"])
def test_the_whole_pool_is_that_of_the_named_runs(tmp_path: Path, name: str) -> None:
    """Judgments of few documents: what else is in the pool decides what is drawn."""
    few = {t: dict(list(of.items())[:6]) for t, of in QRELS.items()}
    options: dict[str, Any] = {"rates": [0.5], "samples": 1, "pool_depth": 4, "measures": ["infAP"]}
    if name == "incompleteness":
        options["sample_rates"] = [0.5]
    given = runs()
    study.run(name, few, given, str(tmp_path / "all"), **options)
    study.run(name, few, given, str(tmp_path / "one"), pool_runs=["r2"], **options)
    assert tables(tmp_path / "all") != tables(tmp_path / "one")
    # As judgments that list what the run pooled.
    pooled = collection.pool({"r2": given["r2"]}, 4).to_dict()
    listed = {t: {**dict.fromkeys(pooled[t], 0), **of} for t, of in few.items()}
    study.run(name, listed, given, str(tmp_path / "listed"), pool_runs=["r2"], **options)
    sampled = "imperfection.csv" if name == "imperfection" else "yilmaz-estimates.csv"
    assert tables(tmp_path / "one")[sampled] == tables(tmp_path / "listed")[sampled]


def test_only_pooled_runs_bring_documents_to_the_pool(tmp_path: Path) -> None:
    out = tmp_path / "out"
    options: dict[str, Any] = {"measures": ["AP"], "pool_depth": 3, "pool_runs": ["r1", "r2"]}
    study.run("leave-one-out", QRELS, runs(), str(out), **options)
    rows = {row["run"]: row for row in table(out, "leave-one-out-runs")}
    qrels = cf.Qrels(QRELS)
    ranked = collection.rank(qrels, runs())
    left = collection.leave_out(qrels, ranked[1:3], ["r1", "r2"], 3)
    assert float(rows["r1"]["left out"]) == cf.evaluate(left["r1"], ranked[1:2], "AP").mean()[0, 0]
    assert rows["r0"]["change"] == "0.0"
    assert rows["r0"]["unique relevant"] == "0"


def test_pool_runs_go_by_tag_and_unknown_ones_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    cf.Qrels(QRELS).write("q.txt")
    Path("runs").mkdir()
    for name, run in runs().items():
        cf.Run(run).rename(f"tag-{name}").write(f"runs/input.{name}")
    for file, names in (("names", "input.r1\ninput.r4\n"), ("tags", "tag-r1\r\ntag-r4\r\n")):
        Path(f"{file}.txt").write_text(names, newline="")
        words = ["study", "depth", "q.txt", "runs", "--output", file, "--pool-runs", f"{file}.txt"]
        assert main([*words, "--pool-depths", "3", "--depths", "3,5", "--measures", "AP"]) == 0
    assert tables(Path("names")) == tables(Path("tags"))
    Path("bad.txt").write_text("input.r1\ninput.r9\n")
    Path("none.txt").write_text("\n")
    for file, message in (
        ("bad", "no run 'input.r9'"),
        ("none", "none.txt: expected lines of the name of a run"),
    ):
        words = ["study", "depth", "q.txt", "runs", "--output", "x", "--pool-runs", f"{file}.txt"]
        assert main(words) == 2
        assert message in capsys.readouterr().err
    assert main(["study", "graded", "q.txt", "runs", "-o", "x", "--pool-runs", "tags.txt"]) == 2
    assert "takes no --pool-runs" in capsys.readouterr().err


def test_pooled_runs_of_trec_8(data: Path) -> None:
    """The 71 runs are named by their tags; their pool is what was judged (86,830 documents)."""
    from cranfield._study.inputs import Given, Inputs

    place = data / "trec8-adhoc"
    given = Given(
        str(place / "trec8.qrels.gz"),
        str(place / "runs"),
        options={"pool_runs": str(place / "pooled-71.txt")},
        reading={"scores": "f32"},
    )
    inputs = Inputs(given)
    assert len(inputs.pooled) == 71
    judged = inputs.pooled_to_depth(100)
    assert sum(map(len, judged.to_dict().values())) == 86_830


# Topics


def test_measures_of_some_topics_know_the_whole_collection(tmp_path: Path) -> None:
    """The last topic has no grade above 1: its rpref_N is that under the highest grade of all."""
    measures = ["rpref_N", "nDCG@10"]
    expected = cf.evaluate(QRELS, runs(), measures).sel(topic=TOPICS[-2:]).mean()
    groups = {t: "last" if t in TOPICS[-2:] else "first" for t in TOPICS}
    study.run(
        "significance",
        QRELS,
        runs(),
        str(tmp_path / "groups"),
        topic_groups=groups,
        measures=measures,
    )
    choice = study.Choice(topics=",".join(TOPICS[-2:]))
    study.run(
        "significance", QRELS, runs(), str(tmp_path / "chosen"), choice=choice, measures=measures
    )
    for folder in (tmp_path / "groups" / "last", tmp_path / "chosen"):
        found = sorted(float(row["x"]) for row in points(folder, "means-rpref-N"))
        assert found == sorted(expected[:, 0].tolist())


def test_pools_of_groups_are_those_of_all_runs(tmp_path: Path) -> None:
    """Also where some of the runs are compared."""
    out = tmp_path / "out"
    options: dict[str, Any] = {"measures": ["AP"], "pool_depth": 2}
    groups = {t: "last" if t in TOPICS[-4:] else "first" for t in TOPICS}
    choice = study.Choice(top=2)
    study.run(
        "leave-one-out", QRELS, runs(), str(out), topic_groups=groups, choice=choice, **options
    )
    some = cf.Qrels(QRELS).restrict_to_topics(TOPICS[-4:])
    ranked = collection.rank(some, runs())
    left = collection.leave_out(some, ranked, [run.name for run in ranked], 2)
    rows = table(out / "last", "leave-one-out-runs")
    assert len(rows) == 2
    for row in rows:
        one = [run for run in ranked if run.name == row["run"]]
        value = cf.evaluate(left[row["run"]], one, "AP").mean()[0, 0]
        assert float(row["left out"]) == value


# Kappa


def three_judges(folder: Path) -> tuple[dict[str, dict[str, int]], list[str]]:
    """The first judge, and files of two others, of which the last did not judge all."""
    rng = np.random.default_rng(4)
    judged = [
        {t: {doc: int(rng.random() < 0.4) for doc in DOCS[: 12 - 3 * (place == 2)]} for t in TOPICS}
        for place in range(3)
    ]
    files = []
    for place, one in enumerate(judged[1:]):
        files.append(str(folder / f"judge-{place}.txt"))
        cf.Qrels(one).write(files[-1])
    return judged[0], files


def test_the_kappa_of_three_judges_is_in_the_table(tmp_path: Path) -> None:
    first, files = three_judges(tmp_path)
    out = tmp_path / "out"
    found = study.run("agreement", first, None, str(out), second=files).found["kappa"]
    sets = [cf.Qrels(first), *map(cf.read_qrels, files)]
    pairs = [collection.agreement(sets[a], sets[b]) for a, b in ((0, 1), (0, 2), (1, 2))]
    rows = {
        row["marginals"]: row
        for row in table(out, "kappa")
        if (row["judges"], row["of"]) == ("mean of all pairs", "relevant or not")
    }
    for marginals in ("pooled", "separate", "uniform"):
        kappas = [
            stats.cohen_kappa(p.first, p.second, marginals=marginals).statistic for p in pairs
        ]
        assert float(rows[marginals]["kappa"]) == pytest.approx(np.mean(kappas), abs=1e-12)
    headline = re.search(r"kappa is (-?[\d.]+)", found.says)
    assert headline is not None
    assert headline[1] == f"{float(rows['pooled']['kappa']):.3f}"


def test_kappa_with_chance_one_half(tmp_path: Path) -> None:
    """IIR, Table 8.2: P(A) is 37/40, so (37/40 - 1/2) / (1/2) = 17/20."""
    counts = {(1, 1): 300, (1, 0): 20, (0, 1): 10, (0, 0): 70}
    pairs = [pair for pair, count in counts.items() for _ in range(count)]
    judges = [{"1": {f"d{i}": pair[j] for i, pair in enumerate(pairs)}} for j in range(2)]
    cf.Qrels(judges[1]).write(str(tmp_path / "second.txt"))
    study.run(
        "agreement", judges[0], None, str(tmp_path / "o"), second=str(tmp_path / "second.txt")
    )
    (row,) = [row for row in table(tmp_path / "o", "kappa") if row["marginals"] == "uniform"]
    assert (row["of"], float(row["P(E)"])) == ("relevant or not", 0.5)
    assert float(row["kappa"]) == pytest.approx(17 / 20, abs=1e-15)
    rows = table(tmp_path / "o", "coefficients")
    (mean,) = [row for row in rows if row["marginals"] == "uniform"]
    assert float(mean["value"]) == pytest.approx(17 / 20, abs=1e-15)


# Incompleteness


def test_measures_reach_every_part_of_incompleteness(tmp_path: Path) -> None:
    out = tmp_path / "out"
    options: dict[str, Any] = {"samples": 1, "rates": [0.5], "sample_rates": [0.5]}
    study.run("incompleteness", QRELS, runs(), str(out), measures=["map", "bpref"], **options)
    assert {row["measure"] for row in table(out, "yilmaz-estimates")} == {"AP", "bpref"}
    assert {row["measure"] for row in table(out, "sakai-reduced")} == {"AP", "bpref"}
    whole = [row for row in table(out, "yilmaz-estimates") if row["statistic"] == "rms"]
    assert {row["measure"]: float(row["100%"]) for row in whole}["AP"] == 0
    drawn = {path.stem for path in (out / "data").glob("yilmaz-*.csv")}
    names = ("AP", "AP-rates", "bpref", "bpref-rates", "9")
    assert drawn == {f"yilmaz-figure-{name}" for name in names}


# Few runs


def test_tau_over_few_runs_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    message = "tau is over 3 runs, which are too few"
    first, files = three_judges(tmp_path)
    studies: tuple[tuple[str, dict[str, Any]], ...] = (
        ("graded", {}),
        ("depth", SMALL),
        ("leave-one-out", {}),
        ("agreement", {"second": files}),
        ("imperfection", {"samples": 1, "rates": [0.5]}),
        ("incompleteness", {"samples": 1, "rates": [0.5], "sample_rates": [0.5]}),
    )
    for name, options in studies:
        out = tmp_path / name
        with pytest.warns(cf.CranfieldWarning, match=f"^{message}.* once in 6 times$"):
            study.run(name, first, runs(3), str(out), **options)
        assert message in (out / "index.html").read_text()
    for name, count in (("graded", 5), ("significance", 3)):
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "tau is over")
            study.run(name, QRELS, runs(count), str(tmp_path / f"{name}-{count}"))
    choice = study.Choice(top=3)
    with pytest.warns(cf.CranfieldWarning, match=message):
        study.run("graded", QRELS, runs(), str(tmp_path / "top"), choice=choice)
    with pytest.warns(cf.CranfieldWarning, match=message):
        found = cf.judges.compare(first, files[0], runs(3), "AP")
    assert message in repr(found)
    assert message in found.html()
    with pytest.warns(cf.CranfieldWarning, match="over 2 runs, .* once in 2 times"):
        cf.judges.compare(first, files[0], runs(2), "AP")
    monkeypatch.chdir(tmp_path)
    cf.Qrels(QRELS).write("q.txt")
    for name, run in runs(3).items():
        cf.Run(run).write(f"{name}.run")
    words = ["q.txt", "r0.run", "r1.run", "r2.run"]
    assert main(["study", "graded", *words, "--output", "cli"]) == 0
    assert f"cranfield: {message}" in capsys.readouterr().err
    cf.report(QRELS, runs(3), ["AP", "nDCG"]).write("report.html")
    assert message in Path("report.html").read_text()


# Figures


def cut_off(figure: Any) -> list[str]:
    """The texts of a figure that are not whole within it, or reach into another panel."""
    from cranfield._study import drawing

    seen: list[str] = []
    drawn = drawing._drawn
    canvas: Any = None

    def kept(figure: Any) -> Any:
        nonlocal canvas
        canvas = drawn(figure)
        return canvas

    drawing._drawn = kept
    try:
        drawing.draw(figure, ())
    finally:
        drawing._drawn = drawn
    renderer = canvas._get_renderer()
    canvas.draw_without_rendering()
    for ax in canvas.axes:
        texts = [ax._left_title, ax.xaxis.label, ax.yaxis.label, *ax.texts]
        for text in (*texts, *ax.get_xticklabels(), *ax.get_yticklabels()):
            box = text.get_window_extent(renderer)
            inside = canvas.bbox.x0 - 1 <= box.x0 and box.x1 <= canvas.bbox.x1 + 1
            inside = inside and canvas.bbox.y0 - 1 <= box.y0 and box.y1 <= canvas.bbox.y1 + 1
            others = (other.get_window_extent() for other in canvas.axes if other is not ax)
            if text.get_text() and ax.get_visible() and text in texts:
                inside = inside and not any(box.overlaps(other) for other in others)
                if not inside:
                    seen.append(text.get_text())
    for legend in canvas.legends:
        box = legend.get_window_extent(renderer)
        if box.x0 < -1 or box.x1 > canvas.bbox.x1 + 1:
            seen.append("legend")
    return seen


def test_no_text_of_a_figure_is_cut_off(tmp_path: Path, undrawn: pytest.MonkeyPatch) -> None:
    given = str(EXAMPLE / "qrels.txt"), str(EXAMPLE / "runs")
    few: dict[str, Any] = {"samples": 2, "rates": [0.5]}
    long = ["rpref_relative(partitions=8,skip_first=False)", 'nDCG(dcg="exp-log2")@10', "AP"]
    figures: list[Any] = []
    for name, options in (
        ("incompleteness", {**few, "sample_rates": [0.5]}),
        ("incompleteness", {**few, "sample_rates": [0.5], "measures": long}),
        ("graded", {"measures": long}),
        ("depth", {"pool_depths": [5, 20], "depths": [5, 20, 100]}),
        ("curves", {"docs_in_collection": 21_629}),
        ("leave-one-out", {"measures": long}),
        ("agreement", {"second": given[0], "measures": long}),
        ("imperfection", few),
        ("significance", {"measures": long[:1]}),
    ):
        done = study.run(name, *given, str(tmp_path / f"{name}-{len(options)}"), **options)
        drawn = [figure for found in done.found.values() for figure in found.figures]
        assert drawn
        figures += drawn
    undrawn.undo()
    pytest.importorskip("matplotlib")
    assert [(one.name, texts) for one in figures if (texts := cut_off(one))] == []
