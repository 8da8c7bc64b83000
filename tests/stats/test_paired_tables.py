"""Paired tests on degenerate tables, their options, and the objects that they return."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import _core
from scipy import stats as scipy_stats

from tests.stats.tables import EVERY, sides, table


@pytest.mark.parametrize("name", EVERY)
def test_identical_runs_are_never_significant(name: str) -> None:
    scores = np.tile(table(1, 25, seed=21), (3, 1))
    # equal but for rounding
    scores[1] = (scores[1] + 0.1) - 0.1
    found = EVERY[name](scores)
    assert found.pvalue.tolist() == [1.0] * 3
    assert not found.significant(0.999).any()
    if name not in ("sign", "t", "wilcoxon", "randomization"):
        return
    for alternative in ("less", "greater"):
        assert EVERY[name](scores, alternative=alternative).pvalue.tolist() == [1.0] * 3


def test_identical_runs_have_no_effect_and_no_required_difference() -> None:
    found = cf.stats.bootstrap_test(np.tile(table(1, 9, seed=22), (3, 1)))
    assert found.statistic.tolist() == [0.0] * 3
    assert math.isnan(found.required_difference())
    assert np.isnan(found.effect_size()).all()
    for method in ("t", "percentile", "bca"):
        interval = found.confidence_interval(method=method)
        assert (interval.low.tolist(), interval.high.tolist()) == ([0.0] * 3, [0.0] * 3)


def test_a_constant_difference_is_significant() -> None:
    row = np.array([0.1, 0.2, 0.3, 0.7])
    scores = [row + 0.1, row]
    t = cf.stats.t_test(scores)
    assert (t.statistic.tolist(), t.pvalue.tolist()) == ([math.inf], [0.0])
    assert cf.stats.t_test(scores, alternative="less").pvalue.tolist() == [1.0]
    assert cf.stats.bootstrap_test(scores).pvalue.tolist() == [0.0]
    assert t.effect_size().tolist() == [math.inf]
    interval = t.confidence_interval()
    assert interval.low == pytest.approx([0.1])
    assert interval.high == pytest.approx([0.1])
    tukey = cf.stats.tukey_hsd(scores)
    assert (tukey.statistic.tolist(), tukey.pvalue.tolist()) == ([math.inf], [0.0])
    # 2 / 2^4 for all tests that look at signs only
    for test in (cf.stats.wilcoxon, cf.stats.sign_test, cf.stats.randomization_test):
        assert test(scores).pvalue.tolist() == [0.125]


@pytest.mark.parametrize("name", EVERY)
def test_one_topic(name: str) -> None:
    scores = [[0.5], [0.25], [0.5]]
    if name in ("t", "bootstrap", "tukey"):
        with pytest.raises(cf.Error, match="needs at least 2 topics, found 1 topic") as caught:
            EVERY[name](scores)
        assert caught.value.kind == "undefined"
        return
    found = EVERY[name](scores, resamples=200) if "tukey" in name else EVERY[name](scores)
    assert found.pvalue.tolist() == [1.0] * 3
    with pytest.raises(cf.Error, match="at least 2 topics"):
        found.confidence_interval()
    with pytest.raises(cf.Error, match="at least 2 topics"):
        found.effect_size()


@pytest.mark.parametrize("name", EVERY)
def test_what_is_not_a_table_of_two_runs_is_refused(name: str) -> None:
    def kind(scores: Any, **options: Any) -> str:
        with pytest.raises(cf.Error) as caught:
            EVERY[name](scores, **options)
        return caught.value.kind

    good = table(3, 5, seed=23)
    assert kind(good[:1]) == "undefined"
    assert kind(good[:, :0]) == "undefined"
    assert kind([]) == "type"
    assert kind([0.1, 0.2]) == "type"
    assert kind([["a", "b"]]) == "type"
    assert kind(np.where(good == good.max(), np.inf, good)) == "number"
    assert kind(np.where(good == good.max(), np.nan, good)) == "undefined"
    assert kind(good, nan="skip") == "option"
    assert kind(good, measure="AP") == "option"
    assert kind(good, baseline="bm25") == "label"
    assert kind(good, baseline=3) == "label"
    assert kind(good, baseline=0.5) == "option"


def test_options_are_checked() -> None:
    good = table(3, 5, seed=24)
    wrong: list[Callable[[], object]] = [
        lambda: cf.stats.t_test(good, alternative="both"),
        lambda: cf.stats.wilcoxon(good, method="asymptotic"),
        lambda: cf.stats.wilcoxon(good, zeros="split"),
        lambda: cf.stats.wilcoxon(good, exact_up_to=-1),
        lambda: cf.stats.randomization_test(good, exact_up_to=0, resamples=0),
        lambda: cf.stats.randomization_test(good, threads=0),
        lambda: cf.stats.bootstrap_test(good, seed=-1),
        lambda: cf.stats.bootstrap_test(good, seed="a"),  # type: ignore[arg-type]
        lambda: cf.stats.bootstrap_test(good).required_difference(0),
        lambda: cf.stats.tukey_hsd(good, method="one-way"),
        lambda: cf.stats.tukey_hsd(good).required_difference(which="any"),
        lambda: cf.stats.tukey_hsd(good, method="randomized").confidence_interval(method="tukey"),
        lambda: cf.stats.t_test(good).confidence_interval(1.0),
        lambda: cf.stats.t_test(good).confidence_interval(method="normal"),
        lambda: cf.stats.t_test(good).effect_size("g"),
        lambda: cf.stats.t_test(good).matrix("n_topics"),
        lambda: cf.stats.t_test(good).corrected("sidak"),
        lambda: cf.stats.mean_interval(good, level=0),
    ]
    for call in wrong:
        with pytest.raises(cf.Error) as caught:
            call()
        assert caught.value.kind == "option", caught.value
    for pvalues in ([0.5, math.nan], [1.5], [-0.1]):
        with pytest.raises(cf.Error, match="from 0 to 1"):
            cf.stats.correct(pvalues)
    with pytest.raises(cf.Error, match="at most 1000 topics"):
        cf.stats.wilcoxon(np.zeros((2, 1001)), method="exact")
    with pytest.raises(cf.Error, match="more than 40 topics"):
        cf.stats.randomization_test(np.zeros((2, 41)), exact_up_to=50)


def test_topics_left_out() -> None:
    scores = table(3, 30, seed=25)
    scores[0, [1, 2]] = np.nan
    scores[2, 7] = np.nan
    with pytest.raises(cf.Error, match=r"3 topics left out \(NaN\), first in run '0'"):
        cf.stats.t_test(scores)
    with pytest.raises(cf.Error, match="1 topic left out"):
        cf.stats.mean_interval(scores[1:])
    found = cf.stats.t_test(scores, nan="omit")
    assert found.n.tolist() == [28, 27, 29]
    first, second = sides(scores, found)
    theirs = scipy_stats.ttest_rel(first, second, axis=1, nan_policy="omit")
    np.testing.assert_allclose(found.statistic, theirs.statistic, rtol=1e-12)
    np.testing.assert_allclose(found.pvalue, theirs.pvalue, rtol=1e-9)
    both = ~np.isnan(first) & ~np.isnan(second)
    glass = [d / s[k].std(ddof=1) for d, s, k in zip(found.difference, second, both, strict=True)]
    np.testing.assert_allclose(found.effect_size("glass"), glass)
    # all pairs share the draws, so all are tested on the topics that all runs have
    whole = scores[:, ~np.isnan(scores).any(axis=0)]
    for test in (cf.stats.bootstrap_test, cf.stats.randomization_test, cf.stats.tukey_hsd):
        few, same = test(scores, nan="omit"), test(whole)
        assert few.n.tolist() == [27] * 3
        np.testing.assert_array_equal(few.pvalue, same.pvalue)
    means = cf.stats.mean_interval(scores, nan="omit")
    alone = cf.stats.mean_interval(scores[:1, 3:])
    two = np.delete(scores[:1], [1, 2], axis=1)
    assert alone.low != means.low[0]
    assert cf.stats.mean_interval(two).low[0] == means.low[0]


def test_a_pair_without_common_topics_is_named() -> None:
    scores = [[0.5, 0.2, np.nan, 0.1], [np.nan, np.nan, 0.5, 0.2], [0.5, 0.2, 0.1, 0.3]]
    with pytest.raises(cf.Error, match="2 topics, found 1 topic for the pair '0', '1'"):
        cf.stats.t_test(scores, nan="omit")
    with pytest.raises(cf.Error, match="needs at least 2 topics, found 1 topic"):
        cf.stats.bootstrap_test(scores, nan="omit")


@pytest.mark.parametrize("name", ["randomization", "bootstrap", "randomized tukey"])
def test_threads_give_the_same_bits_and_seeds_others(name: str) -> None:
    scores = table(20, 30, seed=26)
    one = EVERY[name](scores, threads=1, seed=7)
    for threads in (2, 3, 8, None):
        many = EVERY[name](scores, threads=threads, seed=7)
        np.testing.assert_array_equal(one.pvalue, many.pvalue)
        for method in ("percentile", "bca"):
            few, more = (t.confidence_interval(method=method, resamples=200) for t in (one, many))
            np.testing.assert_array_equal(few.low, more.low)
    assert (EVERY[name](scores, seed=8).pvalue != one.pvalue).any()


@pytest.mark.parametrize("name", EVERY)
def test_a_baseline_picks_its_pairs(name: str) -> None:
    scores = table(5, 22, seed=27)
    every, some = EVERY[name](scores), EVERY[name](scores, baseline=2)
    assert some.pairs.tolist() == [[0, 2], [1, 2], [3, 2], [4, 2]]
    np.testing.assert_array_equal(some.pvalue, np.delete(every.matrix()[2], 2))
    np.testing.assert_allclose(
        some.difference, np.delete(every.matrix("difference")[:, 2], 2), rtol=1e-12
    )
    np.testing.assert_array_equal(EVERY[name](scores, baseline="2").pvalue, some.pvalue)
    np.testing.assert_array_equal(EVERY[name](scores, baseline=-3).pvalue, some.pvalue)


def test_all_pairs_come_in_order() -> None:
    found = cf.stats.t_test(table(4, 9, seed=28))
    assert found.pairs.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert found.pairs.dtype == np.int64
    assert found.runs == ("0", "1", "2", "3")
    assert len(found) == 6


def test_scores_have_names_and_measures() -> None:
    qrels = {str(t): {"a": 1, "b": 2} for t in range(6)}
    good = {str(t): {"b": 3.0, "a": 2.0, "c": 1.0} for t in range(6)}
    bad = {str(t): {"c": 3.0, "d": 2.0, ("a" if t % 2 else "b"): 1.0} for t in range(6)}
    scores = cf.evaluate(qrels, {"good": good, "bad": bad}, ["nDCG", "AP"])
    with pytest.raises(cf.Error, match="measure= has to say which of nDCG, AP is meant"):
        cf.stats.t_test(scores)
    found = cf.stats.sign_test(scores, measure="ndcg", baseline="bad")
    assert (found.runs, found.measure) == (("good", "bad"), "nDCG")
    # six of six: 2 / 2^6
    assert found.pvalue.tolist() == [1 / 32]
    one = cf.stats.wilcoxon(scores.sel(measure="AP"))
    assert one.measure == "AP"
    with pytest.raises(cf.LabelError):
        cf.stats.t_test(scores, measure="RR")
    with pytest.raises(cf.LabelError, match="did you mean good"):
        cf.stats.t_test(scores, measure="AP", baseline="god")


def test_results_are_tables() -> None:
    scores = np.array([[0.5, 0.25, 0.75], [0.25, 0.25, 0.25], [0.0, 1.0, 0.5]])
    found = cf.stats.sign_test(scores)
    rows = {
        "run": ["0", "0", "1"],
        "other": ["1", "2", "2"],
        "n": [2, 3, 3],
        "difference": [0.25, 0.0, -0.25],
        "statistic": [2.0, 2.0, 1.0],
        "pvalue": [0.5, 1.0, 1.0],
    }
    assert found.to_dict() == rows
    assert found.to_arrow().to_pydict() == rows
    assert found.to_polars().to_dict(as_series=False) == rows
    assert found.to_pandas().to_dict("list") == rows
    assert repr(found).splitlines() == [
        "<sign test: 3 pairs>",
        "run  other  n  difference  statistic  pvalue",
        "0    1      2      0.2500     2.0000    .500",
        "0    2      3      0.0000     2.0000   1.000",
        "1    2      3     -0.2500     1.0000   1.000",
    ]
    assert "<td>.500</td>" in found._repr_html_()
    assert found.to_csv().splitlines()[1] == "0,1,2,0.25,2.0,0.5"
    assert np.isnan(found.matrix("statistic")[1, 0])
    assert found.discriminative_power(0.6) == 1 / 3


def test_small_p_values_are_below_a_thousandth_for_people() -> None:
    scores = np.stack([np.arange(60) / 100 + 0.3, np.arange(60) / 100])
    scores[0, ::2] += 0.01
    found = cf.stats.sign_test(scores)
    assert repr(found).endswith("< .001")
    assert float(found.to_csv().split(",")[-1]) == found.pvalue[0]


def test_results_are_frozen() -> None:
    scores = table(3, 9, seed=29)
    found = cf.stats.t_test(scores)
    before = found.confidence_interval().low
    scores[:] = 0
    np.testing.assert_array_equal(found.confidence_interval().low, before)
    with pytest.raises(AttributeError):
        found.alternative = "less"  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        found.pvalue[0] = 0.0


@pytest.mark.parametrize("order", ["C", "F"])
def test_any_layout_of_an_array_is_the_same(order: Any) -> None:
    scores = table(6, 21, seed=30)
    other = np.asarray(scores, order=order)
    for name, test in EVERY.items():
        np.testing.assert_array_equal(test(other).pvalue, test(scores).pvalue, name)
    with pytest.raises(cf.Error, match="C-contiguous"):
        _core.paired_t(np.asfortranarray(scores), np.array([[0, 1]]))
