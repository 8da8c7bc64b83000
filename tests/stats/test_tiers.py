"""Intervals of means, rank intervals, tiers and letter displays: values and what is printed."""

import csv
import io
import itertools
import json
import math
import random
from pathlib import Path

import cranfield as cf
import numpy as np
import pytest
import scipy.stats
from cranfield import _core
from cranfield._cli import main
from cranfield._core import letter_groups
from numpy.typing import NDArray

from tests.commands import unsigned

Floats = NDArray[np.float64]

VALUES = {
    # The example of the design: a and b do not differ significantly, c is worse.
    "a": [0.6, 0.7, 0.5, 0.8, 0.4, 0.9],
    "b": [0.5, 0.7, 0.6, 0.7, 0.4, 0.8],
    "c": [0.3, 0.4, 0.2, 0.6, 0.3, 0.5],
}


def made(values: dict[str, list[float]], measure: str = "AP", **more: str) -> cf.Scores:
    records = [(r, str(t), measure, v) for r, row in values.items() for t, v in enumerate(row)]
    return cf.Scores.from_records(records, **more)


def drawn(runs: int, topics: int, seed: int) -> cf.Scores:
    chance = np.random.default_rng(seed)
    values = np.clip(
        chance.normal(0.4, 0.2, (runs, topics)) + 0.02 * np.arange(runs)[:, None], 0, 1
    )
    return made({f"r{i}": row.tolist() for i, row in enumerate(values)})


# Intervals


def test_t_intervals_are_those_of_scipy() -> None:
    scores = drawn(5, 20, 0)
    found = scores.interval(level=0.9)
    for run in range(5):
        values = scores.values[run, :, 0]
        error = scipy.stats.sem(values)
        low, high = scipy.stats.t.interval(0.9, 19, loc=values.mean(), scale=error)
        assert found.low[run, 0] == pytest.approx(low, rel=1e-12)
        assert found.high[run, 0] == pytest.approx(high, rel=1e-12)


@pytest.mark.parametrize("method", ["t", "percentile", "bca"])
def test_intervals_are_those_of_mean_interval(method: str) -> None:
    scores = cf.Scores.concat(
        [drawn(4, 12, 1), made({f"r{i}": [i + 0.1] * 12 for i in range(4)}, "x")], axis="measure"
    )
    found = scores.interval(method=method, resamples=500, seed=3)
    assert found.low.shape == found.high.shape == (4, 2)
    for column, measure in enumerate(scores.measures):
        one = cf.stats.mean_interval(scores, measure=measure, method=method, resamples=500, seed=3)
        assert np.array_equal(found.low[:, column], one.low)
        assert np.array_equal(found.high[:, column], one.high)


def test_what_is_not_a_mean_has_no_interval() -> None:
    qrels = {str(t): {"a": 1, "b": 0} for t in range(3)}
    runs = {"x": {t: {"a": 1.0} for t in qrels}, "y": {t: {"b": 2.0, "a": 1.0} for t in qrels}}
    found = cf.evaluate(qrels, runs, "AP num_rel GMAP micro_P@1").interval()
    assert np.isnan(found.low).tolist() == [[False, True, True, True]] * 2
    one = cf.evaluate({"1": qrels["1"]}, {"x": {"1": {"a": 1}}}, "AP").interval()
    assert np.isnan(one.low).all()
    with pytest.raises(cf.Error, match="expected level between 0 and 1, found 2"):
        cf.evaluate(qrels, runs, "num_rel").interval(level=2)


def test_a_run_without_enough_topics_does_not_spoil_the_others() -> None:
    scores = made({"a": [0.1, 0.2, 0.4], "b": [0.5, math.nan, math.nan]})
    found = scores.interval()
    assert not np.isnan(found.low[0, 0])
    assert np.isnan(found.high[1, 0])


# Rank intervals


def test_rank_intervals_are_those_of_a_plain_loop() -> None:
    scores = drawn(6, 15, 2)
    values, resamples = scores.values[:, :, 0], 400
    places = _core.drawn_topics(15, resamples=resamples, seed=7)
    ranks = np.empty((resamples, 6), dtype=int)
    for replicate, topics in enumerate(places):
        means = [values[run, topics].mean() for run in range(6)]
        ranks[replicate] = [1 + sum(m > mine + 1e-12 for m in means) for mine in means]
    low, high = np.quantile(ranks, [0.05, 0.95], axis=0, method="inverted_cdf")
    found = cf.stats.rank_interval(scores, level=0.9, resamples=resamples, seed=7)
    assert found.low.tolist() == low.tolist()
    assert found.high.tolist() == high.tolist()


def test_ranks_of_the_example() -> None:
    found = cf.stats.rank_interval(made(VALUES))
    assert list(zip(found.low.tolist(), found.high.tolist(), strict=True)) == [
        (1, 2),
        (1, 2),
        (3, 3),
    ]


def test_ranks_go_by_the_direction_and_are_the_same_for_any_number_of_threads() -> None:
    scores = made(VALUES, "cost", better="lower")
    found = cf.stats.rank_interval(scores)
    assert (found.low[2], found.high[2]) == (1, 1)
    array = cf.stats.rank_interval(scores.values[:, :, 0], better="lower", threads=1)
    assert np.array_equal(array.low, found.low)
    big = drawn(40, 30, 5)
    one, two = (cf.stats.rank_interval(big, threads=n) for n in (1, 2))
    assert np.array_equal(one.low, two.low)
    assert np.array_equal(one.high, two.high)


def test_a_single_run_is_first_and_equal_runs_share_the_rank() -> None:
    assert cf.stats.rank_interval(np.array([[0.1, 0.2]])).high.tolist() == [1]
    found = cf.stats.rank_interval(np.array([[0.1, 0.2], [0.1, 0.2], [0.0, 0.1]]))
    assert found.low.tolist() == found.high.tolist() == [1, 1, 3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 1.0}, "expected level between 0 and 1"),
        ({"better": "up"}, "expected one of higher, lower as better"),
        ({"resamples": 0}, "number of resamples"),
        ({"seed": -1}, "as seed"),
    ],
)
def test_bad_options_of_ranks(options: dict[str, object], message: str) -> None:
    with pytest.raises(cf.Error, match=message):
        cf.stats.rank_interval(made(VALUES), **options)  # type: ignore[arg-type]


# Letters


def display(items: int, pairs: list[tuple[int, int]]) -> tuple[list[list[int]], list[str]]:
    """The groups of items where these pairs differ, and the letters of each item."""
    significant = np.zeros((items, items), dtype=bool)
    for i, j in pairs:
        significant[i, j] = significant[j, i] = True
    return letter_groups(significant)


@pytest.mark.parametrize(
    ("items", "pairs", "expected"),
    [
        (3, [], [[0, 1, 2]]),
        (3, [(0, 2), (1, 2)], [[0, 1], [2]]),
        (3, [(0, 2)], [[0, 1], [1, 2]]),
        (3, [(0, 1), (0, 2), (1, 2)], [[0], [1], [2]]),
        # Four runs, the outer ones differ: {0,1}, {1,2}, {2,3}.
        (4, [(0, 2), (0, 3), (1, 3)], [[0, 1], [1, 2], [2, 3]]),
        # Ends alike, the middle differs from both: no intervals.
        (3, [(0, 1), (1, 2)], [[0, 2], [1]]),
        # A ring of five: each letter is shared by two neighbors.
        (5, [(0, 2), (0, 3), (1, 3), (1, 4), (2, 4)], [[0, 1], [0, 4], [1, 2], [2, 3], [3, 4]]),
        (1, [], [[0]]),
    ],
)
def test_letter_displays_worked_by_hand(
    items: int, pairs: list[tuple[int, int]], expected: list[list[int]]
) -> None:
    assert display(items, pairs)[0] == expected


def test_a_group_whose_pairs_all_share_other_letters_is_left_out() -> None:
    # 0, 1 and 2 are alike, and each two of them with another one: without the
    # group of the three every pair still shares a letter.
    alike = {(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (1, 4), (2, 4), (0, 5), (2, 5)}
    pairs = [pair for pair in itertools.combinations(range(6), 2) if pair not in alike]
    assert display(6, pairs)[0] == [[0, 1, 3], [0, 2, 5], [1, 2, 4]]


def insert_and_absorb(items: int, pairs: list[tuple[int, int]]) -> set[frozenset[int]]:
    """Piepho's steps as the paper describes them."""
    groups = {frozenset(range(items))}
    for i, j in pairs:
        for group in [g for g in groups if {i, j} <= g]:
            groups.remove(group)
            groups |= {group - {i}, group - {j}}
        groups = {g for g in groups if not any(g < other for other in groups)}
    return groups


def test_random_displays_show_what_differs_and_are_of_piepho() -> None:
    chance = random.Random(0)
    for _ in range(600):
        items = chance.randint(1, 9)
        share = chance.random()
        pairs = [p for p in itertools.combinations(range(items), 2) if chance.random() < share]
        found, texts = display(items, pairs)
        for i, j in itertools.combinations(range(items), 2):
            assert bool(set(texts[i]) & set(texts[j])) == ((i, j) not in pairs)
        assert all(texts)
        assert found == sorted(found)
        whole = insert_and_absorb(items, pairs)
        assert {frozenset(group) for group in found} <= whole
        # None can be left out.
        for left_out in found:
            rest = [g for g in found if g != left_out]
            covered = {p for g in rest for p in itertools.combinations_with_replacement(g, 2)}
            needed = set(itertools.combinations_with_replacement(left_out, 2))
            assert not needed <= covered


def test_many_disjoint_differences_do_not_explode() -> None:
    # Piepho's steps alone would make 2^60 groups.
    pairs = [(i, i + 1) for i in range(0, 120, 2)]
    found, texts = display(120, pairs)
    assert len(found) < 200
    assert texts[0] != texts[1]


# Tiers


def test_the_example_of_the_design() -> None:
    found = made(VALUES).tiers()
    assert found.runs == ("a", "b", "c")
    assert found.letters == ("a", "a", "b")
    assert found.groups == (("a", "b"), ("c",))
    assert found.beaten == (("c",), ("c",), ())
    assert found.rank_low.tolist() == [1, 1, 3]
    assert found.rank_high.tolist() == [2, 2, 3]
    assert found["c"] == "b"
    assert len(found) == 3
    assert found.columns()["rank high"] == [2, 2, 3]
    assert found.to_dict()["letters"] == ["a", "a", "b"]
    assert "<th>b</th>" in found._repr_html_()
    assert found.to_csv().splitlines()[3].startswith("c,")


def test_tiers_go_by_tests_that_statsmodels_corrects_alike() -> None:
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    scores = drawn(8, 25, 3)
    values = scores.values[:, :, 0]
    pairs = list(itertools.combinations(range(8), 2))
    raw = [scipy.stats.ttest_rel(values[i], values[j]).pvalue for i, j in pairs]
    for correction, name in (("holm", "holm"), ("bh", "fdr_bh"), ("bonferroni", "bonferroni")):
        refused = multipletests(raw, 0.05, name)[0]
        found = scores.tiers(correction=correction)
        for (i, j), differ in zip(pairs, refused, strict=True):
            shared = set(found[f"r{i}"]) & set(found[f"r{j}"])
            assert bool(shared) != differ
        assert sum(map(len, found.beaten)) == refused.sum()
    none = scores.tiers(correction="none", alpha=0.01)
    assert sum(map(len, none.beaten)) == sum(p < 0.01 for p in raw)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "randomization", "bootstrap", "tukey"])
def test_every_test_makes_tiers(test: str) -> None:
    found = drawn(5, 12, 4).tiers(test=test)
    assert found.correction == ("none" if test == "tukey" else "holm")
    assert sorted(found.runs) == [f"r{i}" for i in range(5)]


def test_what_is_better_low_comes_first_low() -> None:
    found = made(VALUES, "cost", better="lower").tiers()
    assert found.runs[0] == "c"
    assert found.groups == (("c",), ("b", "a"))
    assert found.beaten[0] == ("b", "a")
    unknown = made(VALUES, "cost").tiers()
    assert unknown.runs == ("a", "b", "c")
    assert unknown.better is None
    assert unknown.beaten == ((), (), ())


def test_identical_runs_share_all_letters() -> None:
    found = made({**VALUES, "d": VALUES["a"]}).tiers()
    assert found["a"] == found["d"]
    assert found.runs[:2] == ("a", "d")


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"measure": "nDCG"}, "label", "no measure 'nDCG'"),
        ({"test": "z"}, "option", "as test, found 'z'"),
        ({"correction": "x"}, "option", "as correction, found 'x'"),
        ({"test": "tukey", "correction": "holm"}, "option", "take no correction"),
        ({"alpha": 0}, "option", "expected alpha between 0 and 1"),
        ({"level": 5}, "option", "expected level between 0 and 1"),
    ],
)
def test_bad_tiers(options: dict[str, object], kind: str, message: str) -> None:
    with pytest.raises(cf.Error, match=message) as caught:
        made(VALUES).tiers(**options)  # type: ignore[arg-type]
    assert caught.value.kind == kind


def test_tiers_need_a_measure_runs_and_topics() -> None:
    scores = made(VALUES)
    two = cf.Scores.concat([scores, made(VALUES, "RR")], axis="measure")
    with pytest.raises(cf.Error, match="measure= has to say which of AP, RR"):
        two.tiers()
    assert two.tiers("RR").measure == "RR"
    with pytest.raises(cf.Error, match="a pair takes two runs, found 1 run"):
        scores.sel(run="a").tiers()
    with pytest.raises(cf.Error, match="needs at least 2 topics"):
        scores.sel(topic="0").tiers()
    with pytest.raises(cf.Error, match="gm_map is a geometric mean"):
        made(VALUES, "gm_map").tiers()


# The command line


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    chance = random.Random(1)
    monkeypatch.chdir(tmp_path)
    topics = range(1, 13)
    qrels = [f"{t} 0 d{d} {int(d % 3 == 0)}" for t in topics for d in range(12)]
    (tmp_path / "qrels.txt").write_text("\n".join(qrels) + "\n")
    (tmp_path / "runs").mkdir()
    for name, noise in (("good", 0.3), ("fair", 0.5), ("poor", 6.0), ("_bad", 9.0)):
        lines = [
            f"{t} Q0 d{d} 1 {(d % 3 == 0) + noise * chance.gauss(0, 1):.4f} {name}"
            for t in topics
            for d in range(12)
        ]
        (tmp_path / "runs" / f"{name}.run").write_text("\n".join(lines) + "\n")
    return tmp_path


def command(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["eval", "qrels.txt", "runs", *words]) == 0
    return unsigned(capsys.readouterr().out)


def test_the_table_has_intervals_and_tiers(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = cf.evaluate("qrels.txt", "runs", "AP num_rel_ret")
    text = command(capsys, "-m", "AP num_rel_ret", "--ci", "--tiers")
    header, *rows = text.splitlines()
    assert header.split() == ["run", "AP", "95%", "CI", "tier", "ranks", "num_rel_ret"]
    tiers, interval = scores.tiers("AP"), scores.interval()
    assert [row.split()[0] for row in rows[:4]] == list(tiers.runs)
    for row, run in zip(rows, tiers.runs, strict=False):
        place = scores.runs.index(run)
        ends = f"[{interval.low[place, 0]:.4f}, {interval.high[place, 0]:.4f}]"
        assert ends in row
        assert row.split()[4] == tiers[run]
    assert "for single runs" in text
    assert "runs that share no letter differ significantly" in text


def test_separated_values(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = cf.evaluate("qrels.txt", "runs", "AP num_rel")
    options = ("--ci", "--ci-method", "bca", "--level", "0.9", "--seed", "5", "--tiers")
    text = command(capsys, "-m", "AP num_rel", *options, "--format", "csv", "--per-topic")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == [
        *("run", "topic", "AP", "AP ci low", "AP ci high"),
        *("AP tier", "AP rank low", "AP rank high", "num_rel"),
    ]
    interval = scores.interval(method="bca", level=0.9, seed=5)
    tiers = scores.tiers("AP", level=0.9, seed=5)
    for row in rows:
        if row["topic"] != "all":
            assert row["AP ci low"] == row["AP tier"] == row["AP rank high"] == ""
            continue
        place = scores.runs.index(row["run"])
        assert float(row["AP ci low"]) == interval.low[place, 0]
        assert float(row["AP ci high"]) == interval.high[place, 0]
        assert row["AP tier"] == tiers[row["run"]]
        assert int(row["AP rank low"]) == tiers.rank_low[tiers.runs.index(row["run"])]


def test_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = cf.evaluate("qrels.txt", "runs", "AP num_rel")
    text = command(capsys, "-m", "AP num_rel", "--ci", "--tiers", "--format", "json")
    content = json.loads(text)
    assert content["ci"] == {"method": "t", "level": 0.95}
    assert content["tiers"]["test"] == "t"
    assert content["fingerprint"] == scores.fingerprint
    interval, tiers = scores.interval(), scores.tiers("AP")
    for place, run in enumerate(content["runs"]):
        ends = {"low": interval.low[place, 0], "high": interval.high[place, 0]}
        value = run["summary"]["AP"]
        assert value["ci"] == ends
        assert value["tier"] == tiers[run["run"]]
        assert value["beats"] == list(tiers.beaten[tiers.runs.index(run["run"])])
        assert run["summary"]["num_rel"] == {"value": 48, "ci": {"low": None, "high": None}}
    plain = json.loads(command(capsys, "-m", "AP", "--format", "json"))
    assert isinstance(plain["runs"][0]["summary"]["AP"], float)


def test_numbers_above_values_say_which_models_are_beaten(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("-m", "AP", "--tiers", "--format")
    tiers = cf.evaluate("qrels.txt", "runs", "AP").tiers()
    assert tiers.beaten[0] == tiers.runs[2:]
    markdown = command(capsys, *options, "markdown").splitlines()
    assert markdown[2].startswith(f"| 1 | {tiers.runs[0]} | **{tiers.means[0]:.4f}**<sup>3,4</sup>")
    assert markdown[3].startswith(f"| 2 | {tiers.runs[1]} | *{tiers.means[1]:.4f}*")
    latex = command(capsys, *options, "latex")
    assert rf"\textbf{{{tiers.means[0]:.4f}}} & \textsuperscript{{3,4}}" in latex
    assert r"\multicolumn{2}{c}{AP}" in latex
    assert rf"\underline{{{tiers.means[1]:.4f}}}" in latex
    assert latex.startswith("\\begin{table}\n\\centering\n\\caption{")
    assert "\\label{tab:scores}" in latex
    page = command(capsys, *options, "html")
    assert page.startswith("<!DOCTYPE html>")
    assert f'<b>{tiers.means[0]:.4f}</b><sup class="room3">3,4</sup>' in page


def test_parquet_has_letters_and_numbers(folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    words = ["eval", "qrels.txt", "runs", "-m", "AP", "--ci", "--tiers", "--per-topic"]
    assert main([*words, "-o", "s.parquet", "--quiet"]) == 0
    table = parquet.read_table("s.parquet").to_pydict()
    assert {text for text in table["AP tier"] if text}
    assert table["AP ci low"][0] is None or math.isnan(table["AP ci low"][0])
    again = cf.read_scores("s.parquet")
    assert again.measures == ("AP",)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--ci-method", "bca"], "--ci-method is only for --ci"),
        (["--level", "0.9"], "--level is only for --ci and --tiers"),
        (["--seed", "3"], "--seed is only for --ci and --tiers"),
        (["--ci", "--level", "1.5"], "expected --level between 0 and 1, found 1.5"),
        (
            ["--ci", "--format", "prototext"],
            "prototext has only the scores of a run: leave out --ci",
        ),
    ],
)
def test_bad_options(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(["eval", "qrels.txt", "runs", *words]) == 2
    assert message in capsys.readouterr().err


def test_tiers_of_one_run_make_no_sense(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "qrels.txt", "runs/good.run", "--tiers"]) == 2
    assert "expected at least two, found one" in capsys.readouterr().err


def test_bounds_and_intervals_stand_side_by_side(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = command(capsys, "-m", "AP", "--bounds", "--ci", "--format", "csv")
    assert text.splitlines()[0] == "run,AP,AP low,AP high,AP ci low,AP ci high"


# Comparisons


def compared(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["compare", "qrels.txt", "runs", *words]) == 0
    return unsigned(capsys.readouterr().out)


def test_comparisons_are_sorted(folder: Path) -> None:
    found = cf.compare("qrels.txt", "runs", "AP P@2", baseline="fair", bounds=False)
    means = {row.run: row.mean for row in found.rows if row.measure == "AP"}
    best = sorted(means, key=lambda run: -means[run])
    for by in ("mean", "AP", cf.AP):
        rows = [row.run for row in found.sort(by).rows if row.measure == "AP"]
        assert rows == best
    assert [row.run for row in found.sort("AP").rows if row.measure == "P@2"] == best
    ps = [row.p for row in found.sort("p").rows if row.measure == "AP"]
    assert ps == sorted(ps)
    gains = [row.difference for row in found.sort("difference").rows if row.measure == "P@2"]
    assert gains == sorted(gains, reverse=True)
    with pytest.raises(cf.LabelError, match="no measure 'RR'"):
        found.sort("RR")


def test_the_best_are_shown_but_all_are_tested(folder: Path) -> None:
    whole = cf.compare("qrels.txt", "runs", "AP", bounds=False)
    found = whole.top(2)
    assert len(found.rows) == 1
    assert set(found.runs) == set(whole.sort().runs) - {"poor", "_bad"}
    pair = found.rows[0]
    assert whole[pair.run, pair.other, "AP"] == pair
    assert "corrected by Holm's method for 6 comparisons" in found.methods
    assert "Of 4 runs the 2 best runs are shown, by AP." in repr(found)
    assert "p(holm)" in repr(found)
    assert whole.top(9) is whole
    with pytest.raises(cf.Error, match="expected at least 2 runs, found 0"):
        whole.top(0)


def test_sort_and_top_on_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = compared(capsys, "-m", "AP", "--baseline", "_bad", "--sort", "difference", "--top", "2")
    rows = [line.split()[0] for line in text.splitlines()[1:4]]
    assert rows[0] == "_bad"
    assert set(rows[1:]) == {"good", "fair"}
    text = compared(
        capsys, "-m", "AP", "--sort", "AP", "--top", "1", "--baseline", "_bad", "--format", "csv"
    )
    assert len(text.splitlines()) == 2
    for number in range(9):
        (folder / "runs" / f"x{number}.run").write_bytes(
            (folder / "runs" / "poor.run").read_bytes()
        )
    assert len(compared(capsys, "-m", "AP", "--top", "3", "--format", "csv").splitlines()) == 4
    assert main(["compare", "qrels.txt", "runs", "--top", "20"]) == 2
    assert "13 runs are 78 pairs" in capsys.readouterr().err


def test_latex_has_minus_signs_powers_and_room_for_stars(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = compared(capsys, "-m", "AP", "--baseline", "good", "--format", "latex")
    assert "& $-$0." in text
    assert "[$-$0." in text
    assert r"$^{*}$" in text
    assert r"\phantom{$^{*}$}" in text
    assert " -0." not in text
    assert "\\label{tab:compare-AP}" in text
    assert "\\end{tabular}\n\\end{table}\n" in text
    # A name keeps its hyphens and has its underscore escaped.
    assert "\\_bad &" in text


def test_powers_of_ten() -> None:
    from cranfield._table.writers import latex_cell, latex_number

    assert latex_number("1.6e-11*") == r"$1.6 \times 10^{-11}$$^{*}$"
    assert latex_number("0.3000 ") == r"0.3000\phantom{$^{*}$}"
    assert latex_number("[-0.1000, 0.2000]") == "[$-$0.1000, 0.2000]"
    assert latex_number("[-inf, 0.1000]") == r"[$-\infty$, 0.1000]"
    assert latex_number("3-12") == "3--12"
    assert latex_cell("a-1_b") == r"a-1\_b"
    assert latex_cell("a<b|c") == r"a\textless{}b\textbar{}c"
    # At the beginning of a row these would be arguments of what ends the row above.
    assert latex_cell("[x]") == "{}[x]"
    assert latex_cell("*") == "{}*"


def test_in_bounds_only_when_asked_for_or_when_one_is_not(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # All documents are judged: the bounds are the values, so runs lie outside of them.
    assert "reversible" in compared(capsys, "-m", "AP", "--baseline", "_bad")
    assert "Reversible:" in compared(capsys, "-m", "AP", "--baseline", "_bad")
    some = [line for line in (folder / "qrels.txt").read_text().splitlines() if " d0 " in line]
    (folder / "qrels.txt").write_text("\n".join(some) + "\n")
    assert "n bounds" not in compared(capsys, "-m", "AP", "--baseline", "_bad")
    assert "reversible" in compared(capsys, "-m", "AP", "--baseline", "_bad", "--bounds")
    assert main(["compare", "qrels.txt", "runs", "--bounds", "--no-bounds"]) == 2
