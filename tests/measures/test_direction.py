"""Which values of a measure are better: orders, marks, wins, limits, agreement of orders."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import meta, study
from cranfield._cli import main
from cranfield._core import families

from tests.commands import unsigned

TOPICS = [str(topic) for topic in range(1, 7)]
QRELS = {topic: {"a": 2, "b": 1, "n": 0, "m": 0} for topic in TOPICS}
RUNS = {
    # Much that is not relevant or not judged.
    "poor": {t: {"u": 6, "n": 5, "v": 4, "m": 3, "a": 2, "w": 1} for t in TOPICS},
    # Both relevant documents and nothing else.
    "good": {t: {"a": 2, "b": 1} for t in TOPICS},
    "fair": {t: {"a": 4, "n": 3, "u": 2, "b": 1} for t in TOPICS},
}
BEST_FIRST = ["good", "fair", "poor"]

LOWER = [
    *("E", "E@3", "E(alpha=0.2)", "E'", "Fallout", "Fallout@2", "Unjudged", "Unjudged@2"),
    *("RBP_residual", "RBP_residual(p=0.5)@5", "num_nonrel_judged_ret", "Hole@2"),
    *("ESL(wanted=2)", 'INSQ(T=1,unjudged="residual")@10', "Utility(tp=0,fp=1,fn=1)"),
]
"""Less is better."""

NEITHER = [
    *("num_ret", "num_rel", "num_prefs", "Judged", "Judged@2", "iDCG", "iDCG@3", "CRP@3"),
    *(
        "bpref_num_possible",
        "bpref_num_ret",
        'INST(T=1,out="ED")',
        'num_prefs_ful(over="retrieved")',
    ),
]

HIGHER = ["AP", "nDCG@3", "P@2", "num_rel_ret", "num_prefs_ful", "bpref_num_all", "Utility", "GMAP"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [f"{t} 0 {d} {g}\n" for t, judged in QRELS.items() for d, g in judged.items()]
    (tmp_path / "qrels").write_text("".join(lines))
    (tmp_path / "runs").mkdir()
    for name, lists in RUNS.items():
        cf.Run(lists).write(str(tmp_path / "runs" / f"{name}.run"))
    return tmp_path


def evaluated(folder: Path, measures: str, *options: str) -> str:
    target = folder / "out"
    command = ["eval", str(folder / "qrels"), str(folder / "runs"), "-m", measures, "--quiet"]
    command += ["--docs-in-collection", "100", "--output", str(target), *options]
    assert main(command) == 0
    return unsigned(target.read_text())


def order_of(table: str) -> list[str]:
    return [line.split()[0] for line in table.splitlines()[1:]]


def values_of(measure: str) -> dict[str, float]:
    judged = cf.Qrels(QRELS, docs_in_collection=100)
    scores = cf.evaluate(judged, RUNS, measure)
    return dict(zip(scores.runs, scores.summary()[:, 0].tolist(), strict=True))


@pytest.mark.parametrize(
    ("measures", "better"), [(HIGHER, "higher"), (LOWER, "lower"), (NEITHER, None)]
)
def test_a_measure_says_which_values_are_better(measures: list[str], better: str | None) -> None:
    assert {measure: cf.Measure(measure).better for measure in measures} == dict.fromkeys(
        measures, better
    )


@pytest.mark.parametrize("prefix", ["EC-", "D-", "DIN-", "IA-"])
def test_forms_go_by_the_measure_behind_them(prefix: str) -> None:
    for name in ("E", "nDCG", "num_ret"):
        assert cf.Measure(prefix + name).better == cf.Measure(name).better
    # Half of it is the recall of intents, which is better when it is higher.
    if prefix != "EC-":
        sharp = prefix.replace("-", "#-")
        assert cf.Measure(f"{sharp}E").better is None
        assert cf.Measure(f"{sharp}nDCG").better == "higher"


def test_the_registry_and_the_command_line_say_which_is_better(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = {family["name"]: family["better"] for family in families()}
    for name in [
        "E",
        "Fallout",
        "RBP_residual",
        "ESL",
        "num_nonrel_judged_ret",
        "Unjudged",
        "Hole",
    ]:
        assert found[name] == "lower"
    for name, text in (
        ("Fallout", "lower"),
        ("AP", "higher"),
        ("num_ret", "neither higher nor lower"),
        ("IA-", "as the measure behind it"),
    ):
        assert main(["measures", name]) == 0
        assert f"  better: {text}\n" in capsys.readouterr().out


@pytest.mark.parametrize("measure", [*LOWER, *(m for m in HIGHER if m != "P@2")])
def test_the_best_run_is_first_and_marked(folder: Path, measure: str) -> None:
    values = values_of(measure)
    falling = cf.Measure(measure).better == "higher"
    expected = sorted(values.values(), reverse=falling)
    assert expected[0] != expected[-1]
    for options in ((), ("--sort", measure), ("--sort", measure, "--format", "csv")):
        table = evaluated(folder, measure, *options).replace(",", " ")
        assert [values[name] for name in order_of(table)] == expected
    rows = evaluated(folder, measure, "--format", "latex").splitlines()
    marked = {name for name in RUNS for row in rows if row.startswith(f"{name} & \\textbf{{")}
    assert marked == {name for name, value in values.items() if value == expected[0]}


@pytest.mark.parametrize("measure", NEITHER)
def test_what_has_no_direction_is_never_marked(folder: Path, measure: str) -> None:
    assert "textbf" not in evaluated(folder, measure, "--format", "latex")
    values = values_of(measure)
    order = order_of(evaluated(folder, f"AP {measure}", "--sort", measure))
    assert [values[name] for name in order] == sorted(values.values(), reverse=True)


@pytest.mark.parametrize("measure", ["E", "AP"])
def test_what_is_undefined_comes_last(tmp_path: Path, measure: str) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 0\n")
    lists = {"x": {"2": {"a": 1.0}}, "y": {"1": {"b": 1.0, "a": 0.5}}, "z": {"1": {"a": 1.0}}}
    (tmp_path / "runs").mkdir()
    for name, run in lists.items():
        cf.Run(run).write(str(tmp_path / "runs" / f"{name}.run"))
    target = tmp_path / "out.csv"
    command = ["eval", str(tmp_path / "qrels"), str(tmp_path / "runs"), "-m", measure, "--quiet"]
    command += ["--undefined", "skip", "--missing", "skip", "--sort", measure]
    assert main([*command, "--output", str(target)]) == 0
    assert order_of(target.read_text().replace(",", " ")) == ["z", "y", "x"]
    scores = cf.evaluate(tmp_path / "qrels", lists, measure, undefined="skip", missing="skip")
    assert meta.best(scores, 3, measure).runs == ("z", "y", "x")
    assert meta.drop_worst(scores, 0.34, measure).runs == ("y", "z")


def test_wins_are_topics_on_which_the_run_is_better() -> None:
    found = cf.compare(QRELS, RUNS, "E AP num_ret", baseline="poor")
    for measure in ("E", "AP"):
        row = found["good", measure]
        assert (row.wins, row.ties, row.losses) == (6, 0, 0)
    assert found["good", "E"].difference < 0 < found["good", "AP"].difference
    assert (found["good", "num_ret"].wins, found["good", "num_ret"].losses) == (0, 6)
    assert "6/0/0" in repr(found)


@pytest.mark.parametrize(
    ("measures", "legend"),
    [
        ("AP num_ret", "W/T/L: topics on which the run scores higher, the same, lower. "),
        (
            "E num_nonrel_judged_ret",
            "W/T/L: topics on which the run scores lower, the same, higher in E, "
            "num_nonrel_judged_ret, where lower is better. ",
        ),
        (
            "E AP",
            "W/T/L: topics on which the run scores higher, the same, lower in AP; lower, the "
            "same, higher in E, where lower is better. ",
        ),
    ],
)
def test_the_legend_says_what_a_win_is(measures: str, legend: str) -> None:
    assert legend in str(cf.compare(QRELS, RUNS, measures)).replace("\n\n", " ")


def test_limits_go_by_the_direction(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    measures = "Hole@2 ESL(wanted=2) num_ret Judged AP"
    for name in ("then.csv", "now.csv"):
        (folder / name).write_text(evaluated(folder, measures, "--format", "csv"))
    files = ["check", str(folder / "now.csv"), "--baseline", str(folder / "then.csv")]
    for measure in ("Hole@2", "ESL(wanted=2)", "num_ret", "Judged"):
        assert main([*files, "--max-rise", f"{measure}=0"]) == 0
    for measure in ("AP", "num_ret", "Judged"):
        assert main([*files, "--max-drop", f"{measure}=0"]) == 0
    capsys.readouterr()
    assert main([*files, "--max-drop", "Hole@2=0"]) == 2
    assert "Hole@2 is better when it is lower: use --max-rise Hole@2=0" in capsys.readouterr().err
    assert main([*files, "--max-rise", "AP=0"]) == 2
    assert "AP is better when it is higher: use --max-drop AP=0" in capsys.readouterr().err


def test_the_best_runs_are_those_of_the_direction() -> None:
    scores = cf.evaluate(QRELS, RUNS, "E Unjudged num_rel_ret num_ret")
    for measure in ("E", "Unjudged"):
        assert meta.best(scores, 3, measure).runs == tuple(BEST_FIRST)
        assert set(meta.drop_worst(scores, 0.34, measure).runs) == {"good", "fair"}
    assert meta.best(scores, 2, "num_rel_ret").runs == ("good", "fair")
    assert meta.best(scores, 1, "num_ret").runs == ("poor",)


def test_of_equal_runs_the_first_given_are_dropped() -> None:
    scores = cf.evaluate(QRELS, dict.fromkeys("abcd", RUNS["good"]), "AP E")
    for measure in ("AP", "E"):
        assert meta.drop_worst(scores, 0.5, measure).runs == ("c", "d")
        assert meta.best(scores, 2, measure).runs == ("a", "b")


def test_gmap_chooses_by_the_geometric_mean() -> None:
    # AP .5 .5 has the mean 1/2 and so has 1 and 0.02 less; the geometric means are far apart.
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    wrong = {f"x{i}": 100.0 - i for i in range(40)}
    runs = {
        "uneven": {"1": {"a": 1.0}, "2": {**wrong, "a": 1.0}},
        "even": {"1": {"x": 2.0, "a": 1.0}, "2": {"x": 2.0, "a": 1.0}},
    }
    scores = cf.evaluate(qrels, runs, "GMAP")
    assert scores.mean()[0, 0] > scores.mean()[1, 0]
    assert meta.best(scores, 1, "GMAP").runs == ("even",)


def test_measures_that_order_runs_alike_agree() -> None:
    scores = cf.evaluate(QRELS, RUNS, "SetF E AP")
    for matrix in (meta.correlation(scores), cf.stats.correlation_matrix(scores)):
        assert matrix["SetF", "E"] == pytest.approx(1.0)
    drops = cf.stats.correlation_matrix(scores, method="max_drop")
    assert drops["SetF", "E"] == 0
    errors = cf.stats.correlation_matrix(scores, method="rms_error")
    f, e = scores.summary()[:, 0], scores.summary()[:, 1]
    assert errors["SetF", "E"] == pytest.approx(np.sqrt(np.mean((f - e) ** 2)))
    assert meta.predictivity(scores, samples=3)["SetF", "E"] == pytest.approx(1.0)


def test_pairs_that_differ_are_the_same_pairs_for_f_and_e() -> None:
    random = np.random.default_rng(5)
    documents = [f"d{i}" for i in range(12)]
    qrels = {str(t): {d: int(random.random() < 0.4) for d in documents} for t in range(20)}
    runs = {
        f"r{size}": {t: {d: float(random.random()) for d in documents[:size]} for t in qrels}
        for size in (2, 5, 9, 12)
    }
    found = meta.discriminative_power(cf.evaluate(qrels, runs, "SetF E"))
    assert found.significant.any()
    assert meta.overlap(found).tolist() == [[1, 1], [1, 1]]


def test_incompleteness_compares_orders_from_best_to_worst() -> None:
    curve = meta.incompleteness(
        cf.Qrels(QRELS), RUNS, ["E"], [1.0], samples=1, truth="SetF", power=False
    )
    assert curve.mean("tau")[0, 0] == pytest.approx(1.0)
    assert curve.mean("rho")[0, 0] == pytest.approx(1.0)


def test_the_worst_instruction_is_the_one_with_the_highest_e() -> None:
    qrels = {"q_1": {"a": 1, "b": 0}, "q_2": {"a": 1, "b": 0}}
    scores = cf.evaluate(qrels, {"r": {"q_1": {"a": 1.0}, "q_2": {"b": 1.0}}}, "E SetF")
    assert cf.instructions.robustness(scores).tolist() == [[1.0, 0.0]]


def rows(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_studies_take_the_best_runs(folder: Path) -> None:
    out = folder / "study"
    study.run(
        *("leave-one-out", str(folder / "qrels"), str(folder / "runs"), str(out)),
        choice=study.Choice(by="E", top=2),
        measures=["E"],
    )
    table = rows(out / "tables" / "leave-one-out-runs.csv")
    names = table[0].index("run"), table[0].index("place")
    assert {tuple(row[i] for i in names) for row in table[1:]} == {("good", "1"), ("fair", "2")}
    assert "only the 2 best runs by E" in (out / "index.html").read_text()


def test_a_page_calls_no_run_best_by_a_count(folder: Path) -> None:
    out = folder / "study"
    study.run(
        *("significance", str(folder / "qrels"), str(folder / "runs"), str(out)),
        choice=study.Choice(by="num_ret", top=2),
        measures=["E", "num_ret"],
    )
    page = (out / "index.html").read_text()
    assert "only the 2 runs with the highest num_ret" in page
    assert "best runs by" not in page


def test_a_study_does_not_test_ap_under_the_name_of_gmap(folder: Path) -> None:
    with pytest.raises(cf.Error, match="GMAP is a geometric mean, and tests are about arithmetic"):
        study.run(
            *("significance", str(folder / "qrels"), str(folder / "runs"), str(folder / "study")),
            measures=["GMAP"],
        )


@pytest.mark.parametrize(
    ("test", "column"),
    [
        ("t", "smallest significant difference"),
        ("randomization", "smallest significant difference"),
        ("bootstrap", "estimated difference required"),
    ],
)
def test_two_kinds_of_difference_have_two_names(folder: Path, test: str, column: str) -> None:
    out = folder / "study"
    study.run(
        *("incompleteness", str(folder / "qrels"), str(folder / "runs"), str(out)),
        measures=["AP", "E"],
        test=test,
        samples=1,
        rates=[0.5],
        sample_rates=[0.5],
    )
    header = rows(out / "tables" / "sakai-table-3.csv")[0]
    assert header[-1] == column
    assert "difference" not in header
    assert column in (out / "tables" / "sakai-table-3.tex").read_text()
    assert f">{column}</th>" in (out / "index.html").read_text()


@pytest.mark.parametrize(
    ("name", "table"), [("significance", "overlap"), ("incompleteness", "sakai-table-2")]
)
@pytest.mark.parametrize("measures", [["AP"], ["AP", "map"]])
def test_one_measure_is_not_compared_with_itself(
    folder: Path, name: str, table: str, measures: list[str]
) -> None:
    out = folder / "study"
    few: dict[str, Any] = {}
    if name == "incompleteness":
        few = {"samples": 1, "rates": [0.5], "sample_rates": [0.5]}
    study.run(
        *(name, str(folder / "qrels"), str(folder / "runs"), str(out)), measures=measures, **few
    )
    assert not (out / "tables" / f"{table}.csv").exists()
    assert f'id="{table}"' not in (out / "index.html").read_text()
