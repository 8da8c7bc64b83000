"""The numbers of a comparison, and whether missing judgments could undo a difference.

The oracle is plain Python over `evaluate`'s values, scipy for p-values and intervals, and
every way of judging two lists for the bounds. The tests themselves are tested in
`stats/test_paired.py`.
"""

from __future__ import annotations

import itertools
import math
import random
import statistics
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
import scipy.stats
from cranfield._core import families
from cranfield._stats.registry import TESTS
from cranfield._table.result import for_people

from tests import ROOT
from tests.scores.comparison.small import column, made

EXAMPLE = ROOT / "examples" / "debtags"


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
        elif test == "tukey_randomized":
            place = found.rows.index(row)
            expected = cf.stats.tukey_hsd(scores, method="randomized").pvalue[place]
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
    whole = test in ("randomization", "bootstrap", "tukey", "tukey_randomized")
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
    """Every way to judge the unjudged documents in the lists of a topic."""
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


def test_bounds_of_differences_are_those_of_diff() -> None:
    qrels, runs = made(0)
    found = cf.compare(qrels, runs, "nDCG@5 P@5 R@5 RR AP")
    assert found.rows
    for row in found.rows:
        apart = cf.diff(qrels, runs[row.other], runs[row.run], row.measure)
        assert row.difference_lowest == pytest.approx(apart.low, abs=1e-12)
        assert row.difference_highest == pytest.approx(apart.high, abs=1e-12)
        # No wider than the run at its lowest against the other at its highest.
        assert row.lowest is not None
        assert row.other_highest is not None
        assert apart.low >= row.lowest - row.other_highest - 1e-9


def test_measures_without_bounds_have_none() -> None:
    qrels, runs = made(0)
    found = cf.compare(qrels, runs, "P@5 Judged@10", baseline=0)
    assert {row.within_bounds is None for row in found.rows if row.measure == "P@5"} == {False}
    none = [row for row in found.rows if row.measure == "Judged@10"]
    assert {(row.lowest, row.other_highest, row.within_bounds) for row in none} == {(None,) * 3}
    assert "reversible" not in str(found)
    assert "reversible" in for_people(found, "table", None, bounds=True).split("\n\n")[0]
    assert "reversible" not in for_people(found, "table", None, bounds=True).split("\n\n")[1]
    found = cf.compare(qrels, runs, "P@5", baseline=0, bounds=False)
    assert {row.within_bounds for row in found.rows} == {None}
    assert "bounds" not in str(found)
