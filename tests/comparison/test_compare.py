"""Comparisons of runs: `cf.compare` and `cranfield compare`.

The oracle is plain Python over `evaluate`'s values, scipy for p-values and
intervals, every way of judging two lists for the bounds, and texts written
out beside the data. The tests themselves are tested in `stats/test_paired.py`.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
import scipy.stats
from cranfield._core import families
from cranfield.comparison import CORRECTIONS, TESTS

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "debtags"

Judgments = dict[str, dict[str, int]]
Lists = dict[str, dict[str, float]]


def made(seed: int, topics: int = 12, runs: int = 4) -> tuple[Judgments, dict[str, Lists]]:
    """Judgments and runs that take their documents from one pool."""
    coin = random.Random(seed)
    pool = [f"d{i}" for i in range(30)]
    names = [f"t{i:02}" for i in range(topics)]
    qrels = {t: {d: coin.choice([0, 0, 1, 2]) for d in coin.sample(pool, 15)} for t in names}
    for judged in qrels.values():
        judged[min(judged)] = 1
    lists = {
        f"run{i}": {
            t: {d: coin.random() for d in coin.sample(pool, coin.randint(5, 20))} for t in names
        }
        for i in range(runs)
    }
    return qrels, lists


def column(scores: cf.Scores, run: str, measure: str) -> list[float]:
    return [float(value) for value in scores[run, measure]]


def corrected(pvalues: list[float], method: str) -> list[float]:
    """The definitions of the corrections, one p-value after the other."""
    m = len(pvalues)
    if method == "none":
        return pvalues
    if method == "bonferroni":
        return [min(1.0, m * p) for p in pvalues]
    order = sorted(range(m), key=lambda i: pvalues[i])
    result = [0.0] * m
    for place, i in enumerate(order):
        if method == "holm":
            found = max(min(1.0, (m - k) * pvalues[order[k]]) for k in range(place + 1))
        else:
            found = min(min(1.0, m / (k + 1) * pvalues[order[k]]) for k in range(place, m))
        result[i] = found
    return result


def assert_numbers(
    found: cf.Comparison, scores: cf.Scores, options: dict[str, Any] | None = None
) -> None:
    """Compares every number of a comparison by t tests with plain loops and scipy."""
    options = options or {}
    alternative = options.get("alternative", "two-sided")
    for measure in found.measures:
        rows = [row for row in found.rows if row.measure == measure]
        pvalues = []
        for row in rows:
            first, second = (column(scores, run, measure) for run in (row.run, row.other))
            each = [a - b for a, b in zip(first, second, strict=True)]
            assert row.topics == len(each)
            assert row.mean == pytest.approx(statistics.fmean(first), abs=1e-12)
            assert row.other_mean == pytest.approx(statistics.fmean(second), abs=1e-12)
            assert row.difference == pytest.approx(statistics.fmean(each), abs=1e-12)
            if not any(each):
                assert (row.effect_size, row.p) == (None, 1)
                pvalues.append(1.0)
                continue
            effect = statistics.fmean(each) / statistics.stdev(each)
            assert row.effect_size == pytest.approx(effect, abs=1e-9)
            assert row.wins == sum(d > 1e-9 for d in each)
            assert row.losses == sum(d < -1e-9 for d in each)
            assert row.ties == len(each) - row.wins - row.losses
            test = scipy.stats.ttest_rel(first, second, alternative=alternative)
            interval = test.confidence_interval(options.get("level", 0.95))
            assert row.interval_low == pytest.approx(interval.low, abs=1e-9)
            assert row.interval_high == pytest.approx(interval.high, abs=1e-9)
            pvalues.append(float(test.pvalue))
            assert row.p == pytest.approx(pvalues[-1], rel=1e-9)
        expected = corrected(pvalues, options.get("correction", "holm"))
        assert [row.p_corrected for row in rows] == pytest.approx(expected, rel=1e-9)
        alpha = options.get("alpha", 0.05)
        assert [row.significant for row in rows] == [p < alpha for p in expected]


# Numbers.


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"correction": "bh", "alpha": 0.5},
        {"correction": "bonferroni", "alternative": "greater"},
        {"correction": "none", "alternative": "less", "level": 0.9},
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_every_number_is_that_of_plain_loops_and_scipy(seed: int, options: dict[str, Any]) -> None:
    qrels, runs = made(seed)
    measures = "AP nDCG@5 P@10 AP'"
    scores = cf.evaluate(qrels, runs, measures)
    found = cf.compare(qrels, runs, measures, **options)
    pairs = list(itertools.combinations(runs, 2))
    assert [(r.run, r.other) for r in found.rows if r.measure == "AP"] == pairs
    assert_numbers(found, scores, options)
    found = cf.compare(qrels, runs, measures, baseline="run2", **options)
    assert found.runs == ("run2", "run0", "run1", "run3")
    others = [(run, "run2") for run in ("run0", "run1", "run3")]
    assert [(r.run, r.other) for r in found.rows if r.measure == "AP"] == others
    assert_numbers(found, scores, options)


def test_the_example_collection() -> None:
    qrels, runs = str(EXAMPLE / "qrels.txt"), str(EXAMPLE / "runs")
    found = cf.compare(qrels, runs, baseline="bm25-k1.2-b.75-stem")
    assert found.measures == ("nDCG@10", "AP", "P@10")
    assert len(found) == 3 * 15
    scores = cf.evaluate(qrels, runs, ["nDCG@10 AP P@10 Judged@10 Judged"])
    assert_numbers(found, scores)
    for row in found.rows:
        share = {"AP": "Judged"}.get(row.measure, "Judged@10")
        assert row.judged_measure == share
        assert row.judged == pytest.approx(statistics.fmean(column(scores, row.run, share)))
        other = statistics.fmean(column(scores, row.other, share))
        assert row.other_judged == pytest.approx(other)


def test_trec8_against_scipy(data: Path) -> None:
    folder = data / "trec8-adhoc"
    runs = sorted((folder / "runs").iterdir())[:12]
    scores = cf.evaluate(folder / "trec8.qrels.gz", runs, "nDCG@10 AP P@10")
    assert_numbers(cf.compare(folder / "trec8.qrels.gz", runs, baseline=3), scores)
    assert_numbers(cf.compare(folder / "trec8.qrels.gz", runs, all_pairs=True), scores)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("test", TESTS)
def test_each_test_has_the_p_values_of_its_definition(test: str, seed: int) -> None:
    qrels, runs = made(seed, topics=9, runs=3)
    found = cf.compare(qrels, runs, "AP", test=test)
    scores = cf.evaluate(qrels, runs, "AP")
    columns = {run: column(scores, run, "AP") for run in runs}
    for row in found.rows:
        first, second = columns[row.run], columns[row.other]
        each = [a - b for a, b in zip(first, second, strict=True)]
        if test == "t":
            expected = scipy.stats.ttest_rel(first, second).pvalue
        elif test == "wilcoxon":
            expected = scipy.stats.wilcoxon(each, method="exact").pvalue
        elif test == "sign":
            expected = scipy.stats.binomtest(row.wins, row.wins + row.losses).pvalue
        elif test == "randomization":
            signs = itertools.product((1, -1), repeat=len(each))
            sums = [sum(s * d for s, d in zip(sign, each, strict=True)) for sign in signs]
            expected = statistics.fmean(abs(s) >= abs(sum(each)) - 1e-12 for s in sums)
        elif test == "bootstrap":
            pair = scores.sel(run=[row.run, row.other])
            expected = cf.stats.bootstrap_test(pair).pvalue[0]
        else:
            expected = scipy.stats.studentized_range.sf(*_range(columns, row.run, row.other))
        assert row.p == pytest.approx(float(expected), rel=1e-6)
        assert row.p_corrected >= row.p


def _range(columns: dict[str, list[float]], run: str, other: str) -> tuple[float, int, int]:
    """The studentised range of a pair with its two parameters: a two-way analysis of variance."""
    m, n = len(columns), len(columns[run])
    means = {name: statistics.fmean(values) for name, values in columns.items()}
    whole = statistics.fmean(means.values())
    topics = [statistics.fmean(values[j] for values in columns.values()) for j in range(n)]
    error = sum(
        (columns[name][j] - means[name] - topics[j] + whole) ** 2
        for name in columns
        for j in range(n)
    )
    freedom = (m - 1) * (n - 1)
    return abs(means[run] - means[other]) / math.sqrt(error / freedom / n), m, freedom


def test_tukeys_intervals_hold_together_and_its_p_values_stay() -> None:
    qrels, runs = made(1)
    found = cf.compare(qrels, runs, "AP", test="tukey")
    apart = cf.compare(qrels, runs, "AP")
    assert found.options["correction"] == "none"
    for row, single in zip(found.rows, apart.rows, strict=True):
        assert row.p == row.p_corrected
        wide = row.interval_high - row.interval_low
        assert wide == pytest.approx(found.rows[0].interval_high - found.rows[0].interval_low)
        assert row.difference == single.difference


def test_a_run_and_its_copy_do_not_differ() -> None:
    qrels, runs = made(0, runs=1)
    row = cf.compare(qrels, {"a": runs["run0"], "b": runs["run0"]}, "AP").rows[0]
    assert (row.difference, row.p, row.effect_size) == (0, 1, None)
    assert (row.wins, row.ties, row.losses) == (0, 12, 0)
    assert row.within_bounds is True


@pytest.mark.parametrize("test", TESTS)
def test_topics_left_out_are_left_out_of_both(test: str) -> None:
    qrels, runs = made(4, topics=10, runs=3)
    del runs["run0"]["t03"], runs["run1"]["t05"], runs["run1"]["t06"]
    found = cf.compare(qrels, runs, "AP", test=test, missing="skip")
    scores = cf.evaluate(qrels, runs, "AP Judged", missing="skip")
    whole = test in ("randomization", "bootstrap", "tukey")
    for row in found.rows:
        used = runs.values() if whole else [runs[row.run], runs[row.other]]
        kept = [i for i, t in enumerate(scores.topics) if all(t in lists for lists in used)]
        first, second = ([column(scores, r, "AP")[i] for i in kept] for r in (row.run, row.other))
        assert row.topics == len(kept) == row.wins + row.ties + row.losses
        assert row.mean == pytest.approx(statistics.fmean(first))
        assert row.other_mean == pytest.approx(statistics.fmean(second))
        assert row.difference == pytest.approx(row.mean - row.other_mean)
        share = statistics.fmean(column(scores, row.run, "Judged")[i] for i in kept)
        assert row.judged == pytest.approx(share)
    if whole:
        assert "over 7 topics were" in found.methods
    else:
        assert "over the 7 to 9 topics that both runs of a pair have were" in found.methods
        assert "topics" in str(found).splitlines()[1]


@pytest.mark.parametrize(
    ("measure", "share"),
    [
        ("nDCG@10", "Judged@10"),
        ("AP", "Judged"),
        ("AP@5", "Judged@5"),
        ("AP'@5", "Judged"),
        ("IPrec@0.1", "Judged"),
        ("IPrec@1", "Judged"),
        ("Judged@3", "Judged@3"),
    ],
)
def test_the_share_of_judged_documents_is_at_the_cutoff(measure: str, share: str) -> None:
    qrels, runs = made(0)
    row = cf.compare(qrels, runs, measure, baseline=0).rows[0]
    assert row.judged_measure == share
    mean = statistics.fmean(column(cf.evaluate(qrels, runs, share), row.run, share))
    assert row.judged == pytest.approx(mean)


# Bounds.


def judgings(known: dict[str, int], lists: list[dict[str, float]]) -> list[dict[str, int]]:
    """Every way to judge what nobody judged in the lists of a topic."""
    grades = range(max(1, *known.values()) + 1)
    unjudged = sorted({document for found in lists for document in found} - set(known))
    ways = itertools.product(grades, repeat=len(unjudged))
    return [{**known, **dict(zip(unjudged, way, strict=True))} for way in ways]


PARAMETERS = {
    "ERR": "ERR(max_rel=2)",
    "nERR": "nERR(max_rel=2)",
    "RBP": "RBP(p=0.8)",
    "IPrec": "IPrec@0.5",
    "PrecAtRecall": "PrecAtRecall@0.5",
    "IFT": "IFT(T=2)",
}
"""Measures that have no meaning without."""

FAMILIES = [
    family
    for family in families()
    if family["aggregate"] not in ("geometric", "pooled") and not family["needs"]
]


def bounded() -> list[str]:
    """A measure of every family, and some more."""
    names = []
    for family in FAMILIES:
        name = PARAMETERS.get(family["name"], family["name"])
        names.append(f"{name}@2" if family["cutoff"] == "required" else name)
    return [*names, "AP@2", "nDCG@2", "AP'", "nDCG'@2", "Rprec'", "AP(rel=2)"]


@pytest.mark.parametrize("measure", bounded())
def test_what_is_not_within_bounds_stays_under_all_judgings(measure: str) -> None:
    coin = random.Random(measure)
    for _ in range(20):
        known = {f"d{i}": coin.choice([0, 1, 2]) for i in coin.sample(range(7), 4)} | {"d9": 1}
        lists = {
            name: {f"d{i}": coin.random() for i in coin.sample([*range(7), 9], size)}
            for name, size in (("a", 3), ("b", coin.randint(1, 4)))
        }
        # The same topic twice, since a test takes two.
        qrels = cf.Qrels({"1": known, "2": known}, docs_in_collection=20)
        runs = {name: {"1": found, "2": found} for name, found in lists.items()}
        row = cf.compare(qrels, runs, measure).rows[0]
        if row.within_bounds is not False:
            continue
        sign = math.copysign(1, row.difference)
        for judged in judgings(known, list(lists.values())):
            fully = cf.Qrels({"1": judged}, docs_in_collection=20)
            a, b = cf.evaluate(fully, runs, measure).mean()[:, 0]
            assert sign * (a - b) > 0


def test_relevant_documents_of_the_other_list_count() -> None:
    """All of a is judged and its AP is 1; judging b's documents makes it 1/6."""
    qrels = {"1": {"d": 1}, "2": {"d": 1}}
    a = {"1": {"d": 1.0}, "2": {"d": 1.0}}
    b = {t: {f"u{i}": 1.0 for i in range(5)} for t in qrels}
    assert cf.bounds(qrels, {"a": a}, "AP").mean().tolist() == [[[1, 1, 1]]]
    row = cf.compare(qrels, {"a": a, "b": b}, "AP").rows[0]
    assert row.lowest == pytest.approx(1 / 6)
    assert row.highest == 1
    assert row.other_highest == pytest.approx(5 / 6)
    assert row.within_bounds is True
    row = cf.compare(qrels, {"a": a, "b": {t: {"x": 1.0} for t in qrels}}, "Success@1").rows[0]
    assert (row.lowest, row.other_highest, row.within_bounds) == (1, 1, True)
    judged = {t: {"d": 1, "x": 0} for t in qrels}
    row = cf.compare(judged, {"a": a, "b": {t: {"x": 1.0} for t in qrels}}, "Success@1").rows[0]
    assert (row.lowest, row.other_highest, row.within_bounds) == (1, 0, False)


def test_measures_without_bounds_have_none() -> None:
    qrels, runs = made(0)
    found = cf.compare(qrels, runs, "P@5 Judged@10", baseline=0)
    assert {row.within_bounds is None for row in found.rows if row.measure == "P@5"} == {False}
    none = [row for row in found.rows if row.measure == "Judged@10"]
    assert {(row.lowest, row.other_highest, row.within_bounds) for row in none} == {(None,) * 3}
    assert "in bounds" not in str(found)
    assert "in bounds" in found.text(bounds=True).split("\n\n")[0]
    assert "in bounds" not in found.text(bounds=True).split("\n\n")[1]
    found = cf.compare(qrels, runs, "P@5", baseline=0, bounds=False)
    assert {row.within_bounds for row in found.rows} == {None}
    assert "bounds" not in str(found)


# The sentence.


@pytest.mark.parametrize(
    ("options", "how"),
    [
        ({}, "a two-sided paired t test at"),
        (
            {"alternative": "greater"},
            "a one-sided paired t test (alternative: the run scores higher) at",
        ),
        (
            {"test": "wilcoxon", "alternative": "less"},
            "a one-sided Wilcoxon signed-rank test (alternative: the run scores lower, exact, "
            "differences of 0 left out) at",
        ),
        ({"test": "sign"}, "a two-sided sign test (ties left out) at"),
        (
            {"test": "randomization"},
            "a two-sided paired randomisation test (all patterns of signs) at",
        ),
        (
            {"test": "bootstrap", "seed": 7},
            "a two-sided paired bootstrap test (Sakai 2006, 1,000 resamples, seed 7) at",
        ),
    ],
)
def test_the_sentence_says_which_test(options: dict[str, Any], how: str) -> None:
    qrels, runs = made(0)
    assert cf.compare(qrels, runs, "AP", alpha=0.01, **options).methods == (
        f"Differences in mean AP over 12 topics were tested with {how} alpha = 0.01, "
        f"p-values corrected by Holm's method for 6 comparisons (cranfield {cf.__version__})."
    )


@pytest.mark.parametrize(
    ("correction", "what"),
    [
        ("holm", "p-values corrected by Holm's method for 3 comparisons in each measure"),
        (
            "bh",
            "p-values corrected by Benjamini and Hochberg's method for 3 comparisons in each "
            "measure",
        ),
        (
            "bonferroni",
            "p-values corrected by Bonferroni's method for 3 comparisons in each measure",
        ),
        ("none", "p-values not corrected for the 3 comparisons in each measure"),
    ],
)
def test_the_sentence_says_which_correction(correction: str, what: str) -> None:
    qrels, runs = made(0)
    assert cf.compare(qrels, runs, "AP P@5 RR", baseline=0, correction=correction).methods == (
        "Differences in mean AP, P@5 and RR over 12 topics were tested with a two-sided paired "
        f"t test at alpha = 0.05, {what} (cranfield {cf.__version__})."
    )
    pair = {name: runs[name] for name in ("run0", "run1")}
    single = cf.compare(qrels, pair, "AP", correction=correction).methods
    assert "alpha = 0.05, with a single comparison and so no correction (cran" in single


def test_the_sentence_of_tukeys_test() -> None:
    qrels, runs = made(0)
    sentence = cf.compare(qrels, runs, "AP P@5", baseline=0, test="tukey").methods
    assert "with a two-sided Tukey HSD test at alpha = 0.05, p-values holding at once " in sentence
    assert "for all 6 pairs of 4 runs in each measure (cran" in sentence
    pair = {name: runs[name] for name in ("run0", "run1")}
    sentence = cf.compare(qrels, pair, "AP", test="tukey").methods
    assert "at alpha = 0.05, with a single comparison (cran" in sentence


def test_the_sentence_of_draws_and_many_topics() -> None:
    qrels, runs = made(0, topics=60, runs=2)
    draws = cf.compare(qrels, runs, "AP", test="randomization", resamples=500, seed=3)
    assert "(500 random patterns of signs, seed 3)" in draws.methods
    # Equal on enough topics to fall under the limit, in one of two pairs.
    runs["run2"] = {**runs["run0"], **{t: runs["run1"][t] for t in list(qrels)[:20]}}
    mixed = cf.compare(qrels, runs, "AP", test="wilcoxon", baseline="run0").methods
    assert "(exact for up to 50 differences, else normal approximation, differences" in mixed
    large = cf.compare(qrels, {k: runs[k] for k in ("run0", "run1")}, "RBP(p=0.9)", test="wilcoxon")
    assert "(normal approximation, differences of 0 left out)" in large.methods


def test_the_sentence_says_what_became_of_missing_topics() -> None:
    qrels, runs = made(0)
    del runs["run1"]["t03"]
    sentence = cf.compare(qrels, runs, "AP").methods
    assert "6 comparisons; topics that a run lacks were scored as empty lists (cran" in sentence


# The object.


def test_a_baseline_is_a_name_a_number_or_a_file(tmp_path: Path) -> None:
    qrels, runs = made(0)
    for name, lists in runs.items():
        cf.Run(lists, name=name).write(str(tmp_path / f"{name}.run"))
    paths = [str(tmp_path / f"{name}.run") for name in runs]
    expected = cf.compare(qrels, runs, baseline="run3").to_dict()
    for baseline in (3, -1, "run3", paths[3], tmp_path / "run3.run"):
        assert cf.compare(qrels, paths, baseline=baseline).to_dict() == expected
    further = cf.compare(qrels, paths[:3], baseline=paths[3])
    assert further.runs == ("run3", "run0", "run1", "run2")
    assert further.baseline == "run3"
    assert further.to_dict() == expected


def test_open_files_are_read_as_files_are(tmp_path: Path) -> None:
    qrels, runs = made(0)
    expected = cf.compare(qrels, runs).to_dict()
    streams = {name: io.BytesIO() for name in runs}
    for name, lists in runs.items():
        path = tmp_path / f"{name}.run.gz"
        cf.Run(lists, name=name).write(str(path))
        streams[name] = io.BytesIO(path.read_bytes())
    assert cf.compare(qrels, streams).to_dict() == expected


def test_a_row_is_found_by_its_labels() -> None:
    qrels, runs = made(0)
    found = cf.compare(qrels, runs, "AP P@5", baseline="run1")
    assert found["run2", "map"] is found["run2", "run1", "AP"]
    assert found["run2", "map"].run == "run2"
    every = cf.compare(qrels, runs, "AP P@5")
    assert every["run0", "run2", cf.P @ 5].other == "run2"
    with pytest.raises(cf.LabelError, match="no run 'run9'; did you mean"):
        found["run9", "AP"]
    with pytest.raises(cf.LabelError, match="no measure 'RR'"):
        found["run2", "RR"]
    with pytest.raises(cf.LabelError, match="no comparison 'run2, run0'"):
        every["run2", "run0", "AP"]
    with pytest.raises(TypeError, match=r"\[run, other, measure\] says"):
        every["run2", "AP"]
    with pytest.raises(TypeError, match=r"\[run, measure\] says"):
        found["run2"]  # type: ignore[index]


def test_a_comparison_becomes_frames() -> None:
    for package in ("pandas", "polars", "pyarrow"):
        pytest.importorskip(package)
    qrels, runs = made(0)
    found = cf.compare(qrels, runs, "AP Judged@5", baseline=0)
    table = found.to_arrow()
    assert table.to_pydict() == found.to_dict()
    assert str(table.schema.field("significant").type) == "bool"
    assert found.to_polars().to_dict(as_series=False) == found.to_dict()
    frame = found.to_pandas()
    assert list(frame.columns) == list(found.to_dict())
    assert frame["within_bounds"].isna().tolist() == [False] * 3 + [True] * 3
    assert frame["p"].tolist() == found.to_dict()["p"]
    import pyarrow

    assert pyarrow.table(found).equals(table)


def test_names_do_not_act_on_pages_or_terminals() -> None:
    qrels, runs = made(0, runs=1)
    found = cf.compare(qrels, {"<b>": runs["run0"], "\x1b[1m": runs["run0"]}, "AP")
    assert "\x1b" not in str(found)
    assert "<b>" not in found._repr_html_()
    assert "&lt;b&gt;" in found._repr_html_()


def test_long_tables_are_cut() -> None:
    qrels, runs = made(0, topics=3, runs=40)
    text = str(cf.compare(qrels, runs, "P@5", baseline=0))
    assert "... and 20 more\n" in text
    assert text.startswith("<Comparison: 40 runs, 1 measure>\nP@5")


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"test": "z"}, "option", "expected one of t, wilcoxon, sign, "),
        ({"correction": "sidak"}, "option", "expected one of holm, bh, bonferroni, none as corr"),
        ({"alternative": "better"}, "option", "as alternative, found 'better'"),
        ({"test": "tukey", "alternative": "less"}, "option", "the Tukey HSD test is two-sided"),
        ({"test": "bootstrap", "alternative": "less"}, "option", "bootstrap test is two-sided"),
        ({"test": "tukey", "correction": "holm"}, "option", "take no correction, found 'holm'"),
        ({"effect": "d"}, "option", "as effect, found 'd'"),
        ({"alpha": 0}, "option", "expected alpha between 0 and 1, found 0"),
        ({"level": 95}, "option", "expected level between 0 and 1, found 95"),
        ({"resamples": 10}, "option", "resamples is only for randomization and bootstrap, not"),
        ({"test": "sign", "seed": 1}, "option", "seed is only for randomization and bootstrap"),
        ({"measures": "AP GMAP"}, "option", "GMAP is a geometric mean"),
        ({"baseline": "run7"}, "label", "no run 'run7'; did you mean run"),
        ({"baseline": 4}, "label", "no run 4; "),
        ({"baseline": 1.5}, "type", "as baseline, found a float"),
        ({"baseline": 0, "all_pairs": True}, "option", "all_pairs is only for"),
        ({"missing": "ignore"}, "option", "ignore"),
    ],
)
def test_what_makes_no_sense_is_an_error(options: dict[str, Any], kind: str, message: str) -> None:
    qrels, runs = made(0)
    with pytest.raises(cf.Error, match=re.escape(message)) as error:
        cf.compare(qrels, runs, **options)
    assert error.value.kind == kind


def test_too_few_and_too_many() -> None:
    qrels, runs = made(0, topics=3, runs=11)
    with pytest.raises(cf.Error, match="expected at least two runs, found 1 run"):
        cf.compare(qrels, {"run0": runs["run0"]})
    with pytest.raises(cf.Error, match="11 runs are 55 pairs: name a baseline, or set all_pairs"):
        cf.compare(qrels, runs)
    assert len(cf.compare(qrels, runs, "AP", all_pairs=True)) == 55
    one = {"t00": qrels["t00"]}
    with pytest.raises(cf.Error, match="the t test needs at least 2 topics") as error:
        cf.compare(one, {name: runs[name] for name in ("run0", "run1")})
    assert error.value.kind == "undefined"


# The command.

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n3 0 a 1\n3 0 b 0\n4 0 a 1\n"
OLD = "1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n2 Q0 b 1 2 t\n2 Q0 a 2 1 t\n3 Q0 a 1 1 t\n4 Q0 b 1 1 t\n"
NEW = "1 Q0 a 1 1 u\n2 Q0 a 1 1 u\n3 Q0 u 1 2 u\n3 Q0 a 2 1 u\n4 Q0 a 1 1 u\n"
# RR of old: 1/2 1/2 1 0, mean 1/2; of new: 1 1 1/2 1, mean 7/8; differences 1/2 1/2 -1/2 1
SENTENCE = (
    "Differences in mean RR over 4 topics were tested with a two-sided sign test (ties left out) "
    f"at alpha = 0.05, with a single comparison and so no correction (cranfield {cf.__version__})."
)
LEGEND = "*: p below 0.05. W/T/L: topics on which the run scores higher, the same, lower."
BOUNDED = f"{LEGEND} In bounds: could full judging undo the difference? No, or perhaps."
TABLE = f"""\
RR     mean    diff       95 % interval    dz       p   W/T/L  Judged  in bounds
old  0.5000                                                    0.7500
new  0.8750  0.3750  [-0.6261,  1.3761]  0.60  0.6250   3/0/1  0.8750         no

{BOUNDED}

{SENTENCE}
"""
CSV = """\
measure,run,other,topics,mean,other_mean,difference,interval_low,interval_high,effect_size,p,\
p_corrected,significant,wins,ties,losses,judged_measure,judged,other_judged,lowest,highest,\
other_lowest,other_highest,within_bounds
RR,new,old,4,0.875,0.5,0.375,-0.6261226126679638,1.3761226126679638,0.5960395606792698,0.625,\
0.625,no,3,0,1,Judged,0.875,0.75,0.875,1.0,0.5,0.75,no
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
    return subprocess.run(
        [sys.executable, "-m", "cranfield", "compare", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def output(folder: Path, *arguments: str, stdin: str | None = None) -> str:
    done = call(folder, *arguments, stdin=stdin)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def failed(folder: Path, *arguments: str) -> str:
    """The message of a call that fails, which is all that it prints."""
    done = call(folder, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    head, _, message = done.stderr.partition("cranfield: error: ")
    assert head == ""
    return message


CALL = ("qrels.txt", "old.run", "new.run.gz", "-m", "RR", "--test", "sign", "--quiet")


@pytest.mark.parametrize("baseline", ["old", "old.run", "./old.run"])
def test_a_table_has_the_baseline_first(folder: Path, baseline: str) -> None:
    assert output(folder, *CALL, "--baseline", baseline) == TABLE
    more = ("new.run.gz", *CALL[3:], "--baseline", "old.run")
    assert output(folder, "qrels.txt", *more) == TABLE


def test_pairs_have_both_runs_in_a_row(folder: Path) -> None:
    expected = f"""\
RR   against    mean   other     diff       95 % interval     dz       p   W/T/L         Judged
old  new      0.5000  0.8750  -0.3750  [-1.3761,  0.6261]  -0.60  0.6250   1/0/3  0.7500 0.8750

{LEGEND}

{SENTENCE}
"""
    assert output(folder, *CALL, "--no-bounds") == expected


def test_corrected_p_values_stand_beside_the_others(folder: Path) -> None:
    third = OLD.replace("1 Q0 a 2 1 t\n", "")
    (folder / "third.txt").write_text(third)
    runs = ("qrels.txt", "third.txt", *CALL[1:])
    text = output(folder, *runs, "--baseline", "new", "--correction", "bonferroni")
    lines = text.splitlines()
    assert lines[0].split()[5:9] == ["interval", "dz", "p", "p(bonferroni)"]
    assert lines[2].split()[-5:-2] == ["0.6250", "1.0000", "1/0/3"]
    assert "*: corrected p below 0.05." in text


def test_a_low_p_value_has_a_star(folder: Path) -> None:
    assert "0.6250*" in output(folder, *CALL, "--alpha", "0.7")
    assert "p below 0.7." in output(folder, *CALL, "--alpha", "0.7")


def test_a_one_sided_interval_is_open(folder: Path) -> None:
    text = output(folder, *CALL, "--alternative", "less", "--level", "0.9")
    interval = scipy.stats.ttest_rel([0.5, 0.5, 1, 0], [1, 1, 0.5, 1], alternative="less")
    high = interval.confidence_interval(0.9).high
    assert "90 % interval" in text
    assert re.search(rf"\[ *-inf, *{high:.4f}\]", text)
    content = json.loads(output(folder, *CALL, "--alternative", "less", "--format", "json"))
    assert content["comparisons"][0]["interval_low"] is None


def test_markdown_latex_and_html(folder: Path) -> None:
    of_old = (*CALL, "--baseline", "old", "--format")
    assert output(folder, *of_old, "markdown") == (
        "| RR | mean | diff | 95 % interval | dz | p  | W/T/L | Judged | in bounds |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| old | 0.5000 |  |  |  |  |  | 0.7500 |  |\n"
        "| new | 0.8750 | 0.3750 | \\[-0.6261,  1.3761] | 0.60 | 0.6250  | 3/0/1 | 0.8750 | no |\n"
        f"\n\\{BOUNDED}\n\n{SENTENCE}\n"
    )
    caption = f"{BOUNDED} {SENTENCE}"
    assert output(folder, *of_old, "latex") == (
        f"\\begin{{table}}\n\\centering\n\\caption{{{caption}}}\n\\label{{tab:compare-RR}}\n"
        "\\begin{tabular}{lrrrrrrrr}\n\\toprule\n"
        "RR & mean & diff & 95 \\% interval & dz & p & W/T/L & Judged & in bounds \\\\\n"
        "\\midrule\n"
        "old & 0.5000 &  &  &  &  &  & 0.7500 &  \\\\\n"
        "new & 0.8750 & 0.3750 & [$-$0.6261,  1.3761] & 0.60 & 0.6250\\phantom{$^{*}$} & 3/0/1 & "
        "0.8750 & no \\\\\n"
        "\\bottomrule\n\\end{tabular}\n\\end{table}\n"
    )
    page = output(folder, *of_old, "html")
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">\n')
    assert "<title>qrels.txt</title>" in page
    assert "<tr><th>new</th><td>0.8750</td><td>0.3750</td><td>[-0.6261,  1.3761]</td>" in page
    assert f"<p>{SENTENCE}</p>\n" in page


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
    assert text.splitlines()[2].endswith(",,,,,")


def test_json_has_everything(folder: Path) -> None:
    content = json.loads(output(folder, *CALL, "--baseline", "old", "--format", "json"))
    (row,) = content.pop("comparisons")
    old, new = content.pop("runs")
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
    assert "; topics that a run lacks were scored as empty lists" in done.stdout


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
        ([*CALL, "--seed", "1"], "--seed is only for randomization and bootstrap, not for sign\n"),
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
    text = (ROOT / "docs/guide.md").read_text(encoding="utf-8")
    section = text.partition("\n## `cranfield compare`\n")[2].partition("\n## ")[0]
    flags = set(re.findall(r"--[a-z][a-z-]*[a-z]", done.stdout)) - {"--help", "--measure"}
    assert flags <= set(re.findall(r"--[a-z-]+[a-z]", text))
    for word in (*TESTS, *CORRECTIONS):
        assert f"`{word}`" in section
