"""Measures as the object of study.

First what papers print about the 129 runs of TREC-8, then every function against
plain loops over small random arrays, ``scipy`` and ``statsmodels``.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import cranfield as cf
import numpy as np
import pytest
from cranfield import collection, meta
from numpy.typing import NDArray
from scipy import stats as scipy_stats

Floats = NDArray[np.float64]
NDCG = 'nDCG(dcg="jk")'
RBP = "RBP(residual=0.1)"


# What is printed about TREC-8


class Trec8(NamedTuple):
    """The judgments of TREC-8 ad hoc and its runs, read once."""

    qrels: cf.Qrels
    ranked: list[cf.Ranked]

    def pooled(self, depth: int) -> cf.Qrels:
        return collection.pool_to_depth(self.qrels, self.ranked, depth)

    def evaluate(self, measures: list[str], pool: int | None = None) -> cf.Scores:
        qrels = self.qrels if pool is None else self.pooled(pool)
        return cf.evaluate(qrels, self.ranked, measures)


@pytest.fixture(scope="module")
def trec8(data: Path) -> Trec8:
    qrels = cf.read_qrels(data / "trec8-adhoc" / "trec8.qrels.gz")
    runs = sorted((data / "trec8-adhoc" / "runs").iterdir())
    assert len(runs) == 129
    return Trec8(qrels, collection.rank(qrels, runs, keep_unjudged=True))


def tau(x: Floats, y: Floats) -> float:
    """Kendall's tau-b of means, those tied that only rounding parts."""
    return float(scipy_stats.kendalltau(np.round(x, 12), np.round(y, 12)).statistic)


def upper(matrix: list[list[float]]) -> list[list[str]]:
    """The cells right of the diagonal with two decimals."""
    size = len(matrix)
    return [[f"{matrix[i][j]:.2f}" for j in range(i + 1, size)] for i in range(size - 1)]


def printed(table: str) -> list[list[str]]:
    return [line.split() for line in table.strip().splitlines()]


def test_webber_table_1_discriminative_power(trec8: Trec8) -> None:
    """Two pairs of runs are the same list, and one more has the same P@10."""
    measures = ["P@10", "RBP(p=0.8)", "RBP(p=0.95)", "AP@1000", f"{NDCG}@1000"]
    found = meta.discriminative_power(trec8.evaluate(measures))
    power = [f"{share:.3f}" for share in found.power_of_different]
    assert power == ["0.645", "0.657", "0.691", "0.725", "0.718"]
    assert [f"{share:.3f}" for share in found.power] == power
    assert found.identical.sum(axis=1).tolist() == [3, 2, 2, 2, 2]
    assert [[found.runs[i] for i in pair] for pair in found.pairs[found.identical[3]]] == [
        ["input.Mer8Adtd1", "input.Mer8Adtd2"],
        ["input.isa25t", "input.isa50t"],
    ]


TABLE_2 = """
0.88 0.90 0.94 0.93 0.74 0.69 0.83 0.83 0.80
0.90 0.86 0.86 0.71 0.68 0.83 0.82 0.77
0.90 0.90 0.73 0.70 0.86 0.85 0.79
0.98 0.71 0.66 0.80 0.81 0.78
0.72 0.67 0.81 0.81 0.79
0.88 0.81 0.85 0.90
0.79 0.84 0.82
0.91 0.88
0.91
"""


def test_webber_table_2_shallow_and_deep_measures(trec8: Trec8) -> None:
    """P, R, AP, nDCG and RBP at depth 10 on a pool of depth 10, then at 1,000.

    The column RBP .8 is that of the full judgments.
    """
    shallow = ["P@10", "R@10", "AP@10", f"{NDCG}@10"]
    deep = ["RBP(p=0.8)@1000", "P@1000", "R@1000", "AP@1000", f"{NDCG}@1000", f"{RBP}@1000"]
    means = np.hstack([trec8.evaluate(shallow, pool=10).mean(), trec8.evaluate(deep).mean()])
    matrix = cf.stats.correlation_matrix(means, tolerance=1e-9).values
    assert upper(matrix.tolist()) == printed(TABLE_2)
    across, above = matrix[:5, 5:], np.triu_indices(5, 1)
    parts = [matrix[:5, :5][above], matrix[5:, 5:][above], across, np.diag(across)]
    assert [f"{part.mean():.3f}" for part in parts] == ["0.905", "0.860", "0.767", "0.773"]


TABLE_3 = """
0.89 0.88 0.73 0.72 0.67 0.74 0.74 0.73
0.96 0.73 0.75 0.70 0.73 0.76 0.74
0.72 0.74 0.69 0.72 0.75 0.73
0.88 0.84 0.86 0.86 0.81
0.88 0.79 0.88 0.83
0.75 0.81 0.85
0.87 0.82
0.88
"""


def test_webber_table_3_orders_of_pairs_by_p_value(trec8: Trec8) -> None:
    rows, taus = [], []
    for pool, depth in ((10, 10), (10, 100), (100, 100)):
        measures = [f"aAP@{depth}", f"{NDCG}@{depth}", f"{RBP}@{depth}"]
        found = meta.discriminative_power(trec8.evaluate(measures, pool))
        rows.append(found.pvalues)
        taus.append(meta.correlation(found).values)
    pvalues = np.concatenate(rows).T
    matrix = cf.stats.correlation_matrix(pvalues, tolerance=1e-9).values
    assert upper(matrix.tolist()) == printed(TABLE_3)
    for block, within in enumerate(taus):
        place = slice(3 * block, 3 * block + 3)
        np.testing.assert_array_equal(within, matrix[place, place])


def test_webber_figure_2_depths_of_pool_and_evaluation(trec8: Trec8) -> None:
    deep, extended, shallow = (
        trec8.evaluate([f"{NDCG}@{depth}"], pool).mean()[:, 0]
        for pool, depth in ((100, 100), (10, 100), (10, 10))
    )
    pairs = [(deep, extended), (shallow, extended), (shallow, deep)]
    assert [f"{tau(x, y):.3f}" for x, y in pairs] == ["0.939", "0.874", "0.857"]


def test_webber_figure_4_power_by_depths(trec8: Trec8) -> None:
    depths = [5, 10, 20, 100]
    swept = meta.sweep(trec8.ranked, trec8.qrels, depths, depths, ["R", "aAP", NDCG])
    at = depths.index
    recall, ndcg = swept.power("R"), swept.power(NDCG)
    precision = swept.power("aAP", standardized=True)
    assert [f"{precision[at(d), at(d)]:.3f}" for d in (100, 10)] == ["0.716", "0.660"]
    assert [f"{recall[at(d), at(d)]:.3f}" for d in (100, 10)] == ["0.676", "0.603"]
    assert [f"{ndcg[at(d), at(20)]:.3f}" for d in (20, 5)] == ["0.669", "0.675"]
    # Three of these need identical pairs to be left out; of all pairs they would be:
    scores = [swept.at("R", 100, 100), swept.at(NDCG, 20, 20)]
    scores.append(meta.standardize(swept.at("aAP", 10, 10)))
    every = [f"{meta.discriminative_power(each).power[0]:.3f}" for each in scores]
    assert every == ["0.675", "0.668", "0.659"]


@pytest.mark.parametrize(
    ("measure", "share"), [('DCG(dcg="jk")@1000', "82%"), ("RBP(p=0.9977)@1000", "77%")]
)
def test_webber_figure_1_weight_beyond_rank_100(measure: str, share: str) -> None:
    weights = meta.rank_weights(measure, 1000)
    assert f"{weights[100:].sum() / weights.sum():.0%}" == share


def test_webber_figure_1_weight_of_rbp_95_beyond_rank_100() -> None:
    """Their "half a percent" is .95^100 = .00592."""
    weights = meta.rank_weights("RBP(p=0.95)@1000", 1000)
    assert weights[100:].sum() / weights.sum() == pytest.approx(0.95**100, rel=1e-12)
    assert f"{weights[100:].sum() / weights.sum():.1%}" == "0.6%"


def test_standardised_scores_do_not_see_the_scale_of_a_topic(trec8: Trec8) -> None:
    """So what differs by a factor for each topic, such as R or min(k, R), is the same."""
    pairs = [("aAP@100", "AP@100"), ("R@100", "P@100"), (f"{NDCG}@100", 'DCG(dcg="jk")@100')]
    scores = trec8.evaluate([measure for pair in pairs for measure in pair], pool=100)
    standard = meta.standardize(scores)
    found = meta.discriminative_power(standard)
    for i in range(0, 6, 2):
        values = standard.values
        np.testing.assert_allclose(values[:, :, i], values[:, :, i + 1], rtol=0, atol=1e-10)
        assert found.power[i] == found.power[i + 1]
    raw = meta.discriminative_power(scores).power
    assert all(raw[i] != raw[i + 1] for i in range(0, 6, 2))


def test_iir_figure_8_3(data: Path, trec8: Trec8) -> None:
    """The figure's system has MAP .2553; its 11 points fall from left to right."""
    scores = cf.evaluate(trec8.qrels, trec8.ranked, "AP")
    (name,) = [
        run
        for run, (mean,) in zip(scores.runs, scores.mean(), strict=True)
        if f"{mean:.4f}" == "0.2553"
    ]
    assert name == "input.Sab8A1"
    (path,) = (data / "trec8-adhoc" / "runs").glob(f"{name}*")
    curve = cf.curves.precision_recall(trec8.qrels, path)
    levels = [f"IPrec@{level / 10}" for level in range(11)]
    expected = cf.evaluate(trec8.qrels, path, levels).mean()[0]
    np.testing.assert_allclose(curve.interpolated, expected, rtol=1e-12)
    np.testing.assert_allclose(curve.recall, np.arange(11) / 10, atol=1e-15)
    assert (np.diff(curve.interpolated) < 0).all()


def test_yilmaz_and_aslam_incomplete_judgments(trec8: Trec8) -> None:
    """ "Even as small as 1%, inferred AP has an RMS error less than or equal to 0.05"."""
    measures = ["bpref_10", "AP'", "subAP", "infAP"]
    rates = [0.01, 0.05, 0.3]
    options: dict[str, Any] = {"method": "random", "samples": 2, "truth": "AP"}
    found = meta.incompleteness(trec8.qrels, trec8.ranked, measures, rates, power=False, **options)
    rms, taus, rho = (found.mean(name) for name in ("rms", "tau", "rho"))
    assert (found.samples["rms"][0, :, 3] <= 0.05).all()
    # "indAP has a better tau and rho than bpref, and a lower RMS error"; subAP a lower
    # one than indAP, infAP "much less ... compared to all the rest".
    assert (np.diff(rms, axis=1) < 0).all()
    assert (taus[:, 0] < taus[:, 1]).all()
    assert (rho[:, 0] < rho[:, 1:].min(axis=1)).all()
    assert (taus[:, 3] > taus[:, 1] - 0.005).all()


def test_yilmaz_and_aslam_imperfect_judgments(trec8: Trec8) -> None:
    """ "For all level of imperfectness ... a correlation greater than 0.9"."""
    measures = ["AP", "bpref_10", "AP'", "subAP", "infAP"]
    found = meta.imperfection(
        trec8.qrels, trec8.ranked, measures, [0.5, 0.8], samples=3, truth="AP"
    )
    assert (found.mean("tau") > 0.9).all()
    means = found.mean("tau")
    # "The proposed measures are more correlated ... than bpref".
    assert (means[:, 2:].min(axis=1) > means[:, 1]).all()


# Small arrays

NAMES = ["AP", "nDCG", "P@5", "RR", "bpref"]


def with_values(values: Any) -> cf.Scores:
    """Any numbers, shape (runs, topics, measures), as scores."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    runs, topics, measures = array.shape
    qrels = {f"{topic:03}": {"a": 1} for topic in range(topics)}
    empty = {f"r{run}": cf.Run({topic: {"a": 1.0} for topic in qrels}) for run in range(runs)}
    scores = cf.evaluate(qrels, empty, NAMES[:measures])
    return cf.Scores(scores.core.with_values(array))


def drawn(runs: int, topics: int, measures: int = 2, *, seed: int = 0) -> Floats:
    """Runs that differ in skill and topics in difficulty, in steps of 1/64."""
    chance = np.random.default_rng([seed, runs, topics, measures])
    skill, hard = chance.normal(0, 0.1, (runs, 1, 1)), chance.beta(1, 2, (1, topics, 1))
    values = skill + hard + chance.normal(0, 0.15, (runs, topics, measures))
    return np.round(np.clip(values, 0, 1) * 64) / 64


def pairs_of(count: int) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(count), 2))


def refused(call: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(cf.Error) as caught:
        call()
    return caught.value.kind, caught.value.message


def test_best_and_worst_runs() -> None:
    values = drawn(9, 7)
    scores = with_values(values)
    means = values.mean(axis=1)[:, 1]
    order = sorted(range(9), key=lambda i: (-means[i], i))
    assert meta.best(scores, 4, "nDCG").runs == tuple(f"r{i}" for i in order[:4])
    assert meta.best(scores, 99, cf.nDCG).runs == tuple(f"r{i}" for i in order)
    # A quarter of 9 is 2; of 4 exactly 1.
    left = set(order[:-2])
    assert meta.drop_worst(scores, 0.25, "nDCG").runs == tuple(f"r{i}" for i in sorted(left))
    four = with_values(drawn(4, 7))
    assert len(meta.drop_worst(four, 0.25, "AP").runs) == 3
    assert meta.drop_worst(four, 0, "AP").runs == four.runs
    # .29 times 100 is a little less than 29 in binary.
    assert len(meta.drop_worst(with_values(drawn(100, 3)), 0.29, "AP").runs) == 71


def test_discriminative_power_of_the_t_test_is_that_of_scipy() -> None:
    values = drawn(7, 12, 3, seed=1)
    values[5] = values[2]
    found = meta.discriminative_power(with_values(values), alpha=0.1)
    pairs = pairs_of(7)
    assert [tuple(pair) for pair in found.pairs.tolist()] == pairs
    same = pairs.index((2, 5))
    for m in range(3):
        pvalues = []
        for place, (i, j) in enumerate(pairs):
            x, y = values[i, :, m], values[j, :, m]
            p = 1.0 if place == same else float(scipy_stats.ttest_rel(x, y).pvalue)
            pvalues.append(p)
            assert found.pvalues[m, place] == pytest.approx(p, rel=1e-9)
            assert found.differences[m, place] == pytest.approx(x.mean() - y.mean(), abs=1e-15)
        significant = [p < 0.1 for p in pvalues]
        assert found.significant[m].tolist() == significant
        assert found.power[m] == pytest.approx(sum(significant) / 21, rel=1e-15)
        assert found.power_of_different[m] == pytest.approx(sum(significant) / 20, rel=1e-15)
        assert np.flatnonzero(found.identical[m]).tolist() == [same]
        enough = [abs(d) for d, s in zip(found.differences[m], significant, strict=True) if s]
        assert found.required_difference[m] == min(enough)
        square = found.p_values(NAMES[m])
        assert (square == square.T).all()
        assert (np.diag(square) == 1).all()
        assert [square[pair] for pair in pairs] == found.pvalues[m].tolist()
        assert found.curve(NAMES[m]).tolist() == sorted(found.pvalues[m], reverse=True)
        assert found.to_dict()[NAMES[m]] == {
            "power": found.power[m],
            "power_of_different": found.power_of_different[m],
            "required_difference": min(enough),
        }
    assert repr(found).startswith(
        "<DiscriminativePower: 7 runs, 21 pairs, t test, alpha 0.1>\n  AP"
    )


def test_runs_that_are_all_the_same_have_no_power() -> None:
    found = meta.discriminative_power(with_values(np.repeat(drawn(1, 6), 3, axis=0)))
    assert found.power.tolist() == found.power_of_different.tolist() == [0, 0]
    assert np.isnan(found.required_difference).all()
    assert meta.overlap(found).tolist() == [[1, 1], [1, 1]]


def test_the_randomization_test_goes_through_all_signs() -> None:
    values = drawn(4, 8, 1, seed=2)
    found = meta.discriminative_power(with_values(values), "randomization")
    for place, (i, j) in enumerate(pairs_of(4)):
        difference = values[i, :, 0] - values[j, :, 0]
        signs = itertools.product((-1, 1), repeat=8)
        sums = [abs(float(np.dot(sign, difference))) for sign in signs]
        extreme = sum(total >= abs(difference.sum()) for total in sums)
        assert found.pvalues[0, place] == extreme / 256


@pytest.mark.parametrize("test", ["bootstrap", "randomization", "tukey"])
def test_power_under_tests_that_draw_is_theirs(test: str) -> None:
    values = drawn(6, 24, 2, seed=3)
    options: dict[str, Any] = {"resamples": 400, "seed": 5, "threads": 1}
    found = meta.discriminative_power(with_values(values), test, **options)
    tests: dict[str, Callable[..., Any]] = {
        "bootstrap": cf.stats.bootstrap_test,
        "randomization": cf.stats.randomization_test,
        "tukey": lambda *a, **k: cf.stats.tukey_hsd(*a, method="randomized", **k),
    }
    for m in range(2):
        theirs = tests[test](values[:, :, m], **options)
        assert found.pvalues[m].tolist() == theirs.pvalue.tolist()
        assert found.power[m] == theirs.discriminative_power(0.05)
        if test == "randomization":
            enough = float(np.abs(theirs.difference[theirs.pvalue < 0.05]).min())
        else:
            enough = theirs.required_difference(0.05)
        assert found.required_difference[m] == enough
    scores = with_values(values)
    options["threads"] = 2
    again = meta.discriminative_power(scores, test, **options)
    other = meta.discriminative_power(scores, test, **{**options, "seed": 6})
    assert again.pvalues.tobytes() == found.pvalues.tobytes()
    assert other.pvalues.tobytes() != found.pvalues.tobytes()


def test_overlap_is_of_pairs_with_their_direction() -> None:
    values = drawn(8, 15, 3, seed=4)
    values[:, :, 2] = 1 - values[:, :, 0]
    found = meta.discriminative_power(with_values(values))
    sets = [
        {
            (i, j) if d > 0 else (j, i)
            for (i, j), d, p in zip(
                pairs_of(8), found.differences[m], found.pvalues[m], strict=True
            )
            if p < 0.05
        }
        for m in range(3)
    ]
    assert all(sets)
    expected = [[len(a & b) / len(a | b) for b in sets] for a in sets]
    np.testing.assert_allclose(meta.overlap(found), expected, rtol=1e-15)
    assert meta.overlap(found)[0, 2] == 0


@pytest.mark.parametrize("ddof", [0, 1])
def test_standardised_scores(ddof: int) -> None:
    values, other = drawn(5, 6, seed=5), drawn(7, 6, seed=6)
    values[:, 2, 0] = 0.3
    other[:, 4, 1] = 0.1
    for reference in (None, other):
        usual = values if reference is None else reference
        scores, by = with_values(values), None if reference is None else with_values(reference)
        found = {
            method: meta.standardize(scores, by, ddof=ddof, method=method).values
            for method in ("z", "cdf", "AB")
        }
        found["A"] = meta.standardize(scores, by, ddof=ddof, method="AB", scale=1, shift=0).values
        for topic, m in itertools.product(range(6), range(2)):
            column = [float(x) for x in usual[:, topic, m]]
            mean = math.fsum(column) / len(column)
            squares = math.fsum((x - mean) ** 2 for x in column) / (len(column) - ddof)
            for run in range(5):
                equal = len(set(column)) == 1
                z = 0.0 if equal else (values[run, topic, m] - mean) / math.sqrt(squares)
                at = run, topic, m
                assert found["z"][at] == pytest.approx(z, abs=1e-12)
                assert found["cdf"][at] == pytest.approx(scipy_stats.norm.cdf(z), abs=1e-12)
                assert found["AB"][at] == pytest.approx(min(max(0.15 * z + 0.5, 0), 1), abs=1e-12)
                assert found["A"][at] == pytest.approx(min(max(z, 0), 1), abs=1e-12)
    standard = meta.standardize(with_values(values))
    assert (standard.runs, standard.topics, standard.measures) == (
        scores.runs,
        scores.topics,
        scores.measures,
    )


def test_scores_standardised_by_themselves_have_mean_0_and_deviation_1() -> None:
    values = meta.standardize(with_values(drawn(9, 5, seed=7))).values
    np.testing.assert_allclose(values.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(values.std(axis=0, ddof=1), 1, rtol=1e-12)


def test_correlation_of_measures_is_that_of_their_means() -> None:
    values = drawn(12, 5, 3, seed=8)
    scores = with_values(values)
    means = values.mean(axis=1)
    of_scipy: dict[str, Callable[..., Any]] = {
        "kendall": scipy_stats.kendalltau,
        "spearman": scipy_stats.spearmanr,
        "pearson": scipy_stats.pearsonr,
    }
    for method, function in of_scipy.items():
        found = meta.correlation(scores, method)
        assert found.labels == scores.measures
        for i, j in itertools.product(range(3), repeat=2):
            expected = function(means[:, i], means[:, j]).statistic
            assert found.values[i, j] == pytest.approx(expected, rel=1e-12)
    rms = meta.correlation(scores, "rms_error")["AP", "nDCG"]
    assert rms == pytest.approx(math.sqrt(((means[:, 0] - means[:, 1]) ** 2).mean()), rel=1e-12)
    power = meta.discriminative_power(scores)
    by_pvalue = meta.correlation(power)["AP", "nDCG"]
    expected = scipy_stats.kendalltau(power.pvalues[0], power.pvalues[1]).statistic
    assert by_pvalue == pytest.approx(expected, rel=1e-12)


TIES = np.array([[0.1, 0.2, 0.3] * 2, [0.3, 0.2, 0.1] * 2, [0.9] * 6])[:, :, None]
"""Two runs with the same scores in another order: their sums differ in the last bit."""


def test_means_that_only_rounding_parts_are_tied() -> None:
    assert np.add.reduce(TIES[0, :3, 0]) != np.add.reduce(TIES[1, :3, 0])
    values = np.concatenate(
        [TIES[:, :3], np.array([[1, 1, 1], [2, 2, 2], [3, 3, 3]])[:, :, None]], 2
    )
    # Concordant 2 of 3 pairs, one tied in the first: 2 / sqrt(2 * 3).
    found = meta.correlation(with_values(values))["AP", "nDCG"]
    assert found == pytest.approx(2 / math.sqrt(6), rel=1e-15)
    swaps = meta.swap_rate(with_values(TIES[:2]), samples=200, topics=3)
    # Different sets of topics with means apart are at least 1/30 apart.
    assert swaps.comparisons[0, :3].sum() == 0
    assert swaps.comparisons.sum() > 0


@pytest.mark.parametrize("form", ["disjoint", "replacement", "significant"])
@pytest.mark.parametrize("topics", [None, 4])
def test_swap_rate_counts_reversed_pairs(form: str, topics: int | None) -> None:
    values = drawn(5, 13, 2, seed=9)
    options: dict[str, Any] = {"samples": 30, "classes": 6, "width": 0.05, "seed": 3}
    found = meta.swap_rate(with_values(values), form, topics=topics, alpha=0.2, **options)
    size = topics or 6
    assert found.topics == size
    chance = np.random.default_rng(3)
    swaps, comparisons = np.zeros((2, 6)), np.zeros((2, 6))
    for _ in range(30):
        if form == "replacement":
            first, second = chance.integers(13, size=(2, size))
        else:
            order = chance.permutation(13)
            first, second = order[:size], order[size : 2 * size]
        for m, (i, j) in itertools.product(range(2), pairs_of(5)):
            x, y = values[i, :, m], values[j, :, m]
            # Sums of 64ths are exact.
            d, e = (sum(float(x[t] - y[t]) for t in part) / size for part in (first, second))
            if d == 0:
                continue
            if form == "significant" and not scipy_stats.ttest_rel(x[first], y[first]).pvalue < 0.2:
                continue
            place = min(int(abs(d) / 0.05), 5)
            comparisons[m, place] += 1
            swaps[m, place] += d * e < 0
    assert found.comparisons.tolist() == comparisons.tolist()
    assert found.swaps.tolist() == swaps.tolist()
    assert found.rate.tolist() == (swaps.sum(axis=1) / comparisons.sum(axis=1)).tolist()
    np.testing.assert_allclose(found.edges, [0, 0.05, 0.1, 0.15, 0.2, 0.25, np.inf], rtol=1e-15)
    again = meta.swap_rate(with_values(values), form, topics=topics, alpha=0.2, **options)
    assert again.swaps.tobytes() == found.swaps.tobytes()
    options["seed"] = 4
    other = meta.swap_rate(with_values(values), form, topics=topics, alpha=0.2, **options)
    assert other.comparisons.tobytes() != found.comparisons.tobytes()


def test_the_difference_from_which_on_swaps_are_rare() -> None:
    edges = np.array([0, 0.1, 0.2, 0.3, np.inf])
    swaps = np.array([[5, 0, 1, 0], [5, 1, 0, 0], [0, 0, 0, 0], [5, 5, 5, 5]], dtype=float)
    comparisons = np.array([[10, 10, 10, 0], [10, 100, 10, 0], [1, 1, 1, 1], [9, 9, 9, 9]], float)
    found = meta.SwapRate(tuple(NAMES[:4]), 5, edges, swaps, comparisons)
    # An empty class has no rate and breaks no row of rare ones.
    np.testing.assert_array_equal(found.rates[0], [0.5, 0, 0.1, np.nan])
    np.testing.assert_array_equal(found.required_difference(), [0.3, 0.1, 0, np.nan])
    np.testing.assert_array_equal(found.required_difference(0.1), [0.1, 0.1, 0, np.nan])


@pytest.mark.parametrize("topics", [None, 3])
def test_predictivity_is_the_mean_tau_between_halves(topics: int | None) -> None:
    values = drawn(8, 11, 3, seed=10)
    found = meta.predictivity(with_values(values), samples=12, topics=topics, seed=2)
    size = topics or 5
    chance = np.random.default_rng(2)
    sums = np.zeros((3, 3))
    for _ in range(12):
        order = chance.permutation(11)
        first = values[:, order[:size]].mean(axis=1)
        second = values[:, order[size : 2 * size]].mean(axis=1)
        for i, j in itertools.product(range(3), repeat=2):
            sums[i, j] += (tau(first[:, i], second[:, j]) + tau(first[:, j], second[:, i])) / 2
    np.testing.assert_allclose(found.values, sums / 12, rtol=1e-12)
    assert (found.values == found.values.T).all()
    assert found.labels == tuple(NAMES[:3])


def test_variance_components_by_hand() -> None:
    """Runs 1 3 and 5 11: mean 5; by run 2 8, by topic 3 7.

    Sums of squares: runs 2 (9 + 9) = 36, topics 2 (4 + 4) = 16, all 16 + 4 + 0 + 36 = 56,
    so the rest is 4; each has one degree of freedom.
    """
    found = meta.g_study(with_values([[[1], [3]], [[5], [11]]]))
    assert found.systems.tolist() == [(36 - 4) / 2]
    assert found.topics.tolist() == [(16 - 4) / 2]
    assert found.interaction.tolist() == [4]
    assert found.count == 2
    assert found.relative().tolist() == [16 / (16 + 4 / 2)]
    assert found.absolute().tolist() == [16 / (16 + (6 + 4) / 2)]
    assert found.relative(8).tolist() == [16 / (16 + 4 / 8)]
    assert found.absolute(1).tolist() == [16 / (16 + 10)]


def test_negative_components_are_0_and_so_is_a_share_of_nothing() -> None:
    found = meta.g_study(with_values([[[1, 7], [0, 7]], [[0, 7], [1, 7]]]))
    assert found.systems.tolist() == found.topics.tolist() == [0, 0]
    assert found.interaction.tolist() == [1, 0]
    assert found.relative().tolist() == found.absolute().tolist() == [0, 0]


def test_variance_components_are_those_of_an_analysis_of_variance() -> None:
    formula = pytest.importorskip("statsmodels.formula.api")
    anova = pytest.importorskip("statsmodels.stats.anova")
    pandas = pytest.importorskip("pandas")
    values = drawn(6, 9, 2, seed=11)
    found = meta.g_study(with_values(values))
    for m in range(2):
        cells = [
            {"run": f"r{i}", "topic": f"t{j}", "value": values[i, j, m]}
            for i, j in itertools.product(range(6), range(9))
        ]
        table = anova.anova_lm(
            formula.ols("value ~ C(run) + C(topic)", pandas.DataFrame(cells)).fit()
        )
        runs, topics, rest = table["sum_sq"] / table["df"]
        assert found.interaction[m] == pytest.approx(rest, rel=1e-9)
        assert found.systems[m] == pytest.approx(max(runs - rest, 0) / 9, rel=1e-9)
        assert found.topics[m] == pytest.approx(max(topics - rest, 0) / 6, rel=1e-9)


def test_fewer_topics() -> None:
    values = drawn(6, 10, 2, seed=12)
    found = meta.topic_set_size(with_values(values), [3, 7, 10], samples=4, alpha=0.1, seed=8)
    chance = np.random.default_rng(8)
    for i, size in enumerate((3, 7, 10)):
        for sample in range(4):
            part = values[:, chance.permutation(10)[:size]]
            for m in range(2):
                with np.errstate(invalid="ignore", divide="ignore"):
                    tests = [
                        scipy_stats.ttest_rel(part[a, :, m], part[b, :, m]).pvalue < 0.1
                        for a, b in pairs_of(6)
                    ]
                full = values[:, :, m].mean(axis=1)
                assert found.samples["power"][i, sample, m] == pytest.approx(np.mean(tests))
                expected = tau(full, part[:, :, m].mean(axis=1))
                assert found.samples["tau"][i, sample, m] == pytest.approx(expected)
    assert found.x.tolist() == [3, 7, 10]
    assert (found.samples["tau"][2] == 1).all()
    low, high = found.band("tau", 0.5)
    quarters = np.quantile(found.samples["tau"], [0.25, 0.75], axis=1)
    assert np.allclose(low, quarters[0])
    assert np.allclose(high, quarters[1])
    assert found.to_dict()["tau"]["AP"] == found.samples["tau"][:, :, 0].mean(axis=1).tolist()


def test_weights_of_ranks() -> None:
    ranks = np.arange(1, 13)
    expected = {
        "P@10": (ranks <= 10) / 10,
        "RBP(p=0.7)": 0.3 * 0.7 ** (ranks - 1),
        "RR": 1 / ranks,
        "AP": 1 / ranks,
        "nDCG@8": (ranks <= 8) / np.log2(ranks + 1),
        'DCG(dcg="jk")': 1 / np.log2(np.maximum(ranks, 2)),
    }
    for measure, weights in expected.items():
        np.testing.assert_allclose(meta.rank_weights(measure, 12), weights, rtol=1e-12)
    np.testing.assert_array_equal(meta.rank_weights(cf.RR, 3), [1, 1 / 2, 1 / 3])


# Judgments that change

Judgments = dict[str, dict[str, float]]


def example(seed: int = 0) -> tuple[cf.Qrels, list[cf.Run]]:
    """Graded judgments of 6 topics and 5 runs."""
    chance = random.Random(seed)
    documents = [f"d{i}" for i in range(80)]
    judgments: Judgments = {}
    for topic in map(str, range(6)):
        judged = chance.sample(documents, 50)
        judgments[topic] = {d: chance.choice([0, 0, 0, 1, 2]) for d in judged}
    runs = []
    for skill in range(5):
        lists = {
            topic: {
                d: round(chance.random() + skill / 8 * docs.get(d, 0), 3)
                for d in chance.sample(documents, 40)
            }
            for topic, docs in judgments.items()
        }
        runs.append(cf.Run(lists).rename(f"r{skill}"))
    return cf.Qrels(judgments), runs


def test_a_sweep_is_evaluation_under_each_restricted_judgments() -> None:
    qrels, runs = example()
    # A pair that cannot differ leaves the denominator of power.
    runs.append(runs[0].rename("same"))
    measures = ["AP", "nDCG", "RBP(residual=0.1)"]
    pools, depths = [2, 5, 80], [3, 10]
    for given in (runs, collection.rank(qrels, runs)):
        swept = meta.sweep(given, qrels, pools, depths, measures, threads=1)
        assert (swept.pool_depths, swept.evaluation_depths) == ((2, 5, 80), (3, 10))
        for pool in pools:
            kept = qrels.restrict_to_pool(collection.pool(runs, pool))
            fresh = cf.Qrels(kept.to_dict())
            for measure, depth in itertools.product(measures, depths):
                at = meta.at_depth(measure, depth)
                expected = cf.evaluate(fresh, runs, at)
                assert swept.at(measure, pool, depth).values.tobytes() == expected.values.tobytes()
    for standardized in (False, True):
        table = swept.power("nDCG", standardized=standardized, alpha=0.3)
        assert table.shape == (3, 2)
        scores = cf.evaluate(cf.Qrels(kept.to_dict()), runs, "nDCG@10")
        scores = meta.standardize(scores) if standardized else scores
        found = meta.discriminative_power(scores, alpha=0.3)
        assert table[2, 1] == found.power_of_different[0] != found.power[0]


def test_measures_at_a_depth() -> None:
    assert meta.at_depth("nDCG", 10) == "nDCG@10"
    assert meta.at_depth("RBP(residual=0.1)", 5) == str(cf.Measure("RBP(residual=0.1)@5"))
    assert meta.at_depth("AP'", 5) == "AP'@5"


def compared(found: meta.Curve, place: tuple[int, int], after: Floats, truth: Floats) -> None:
    """One sample of a curve against means of fresh scores."""
    np.testing.assert_allclose(found.samples["mean"][place], after.mean(axis=0), rtol=1e-12)
    for m in range(after.shape[1]):
        x, y = after[:, m], truth[:, m]
        at = (*place, m)
        assert found.samples["tau"][at] == pytest.approx(tau(x, y), abs=1e-12)
        rho = scipy_stats.pearsonr(x, y).statistic
        assert found.samples["rho"][at] == pytest.approx(rho, abs=1e-12)
        rms = math.sqrt(((x - y) ** 2).mean())
        assert found.samples["rms"][at] == pytest.approx(rms, abs=1e-12)


@pytest.mark.parametrize("method", ["stratified", "random"])
@pytest.mark.parametrize("truth", [None, "AP"])
def test_incomplete_judgments(method: str, truth: str | None) -> None:
    qrels, runs = example(1)
    measures = ["AP", "bpref", "AP'", "infAP", "subAP"]
    options: dict[str, Any] = {"method": method, "samples": 3, "truth": truth, "alpha": 0.3}
    found = meta.incompleteness(qrels, runs, measures, [0.3, 0.6, 1], seed=4, **options)
    assert found.measures == tuple(measures)
    assert found.x.tolist() == [0.3, 0.6, 1]
    full = cf.evaluate(qrels, runs, [truth] if truth else measures).mean()
    full = np.repeat(full, 5, axis=1) if truth else full
    for (i, rate), sample in itertools.product(enumerate((0.3, 0.6, 1)), range(3)):
        seed = meta.seed_of(4, sample)
        fewer = collection.reduce(qrels, rate, method, seed=seed, unsampled="pooled")
        scores = cf.evaluate(cf.Qrels(fewer.to_dict()), runs, measures)
        compared(found, (i, sample), scores.mean(), full)
        power = meta.discriminative_power(scores, alpha=0.3).power
        assert found.samples["power"][i, sample].tolist() == power.tolist()
    if truth is None:
        np.testing.assert_array_equal(found.samples["tau"][2], 1)
        np.testing.assert_array_equal(found.samples["rms"][2], 0)
    samples = found.samples["mean"][0]
    assert len({row.tobytes() for row in samples}) == 3


def test_imperfect_judgments() -> None:
    qrels, runs = example(2)
    ranked = collection.rank(qrels, runs, keep_unjudged=True)
    measures = ["AP", "bpref"]
    for given in (runs, ranked):
        found = meta.imperfection(
            qrels, given, measures, [0.4, 1], samples=2, seed=7, truth="nDCG@5"
        )
        full = np.repeat(cf.evaluate(qrels, runs, "nDCG@5").mean(), 2, axis=1)
        for (i, rate), sample in itertools.product(enumerate((0.4, 1)), range(2)):
            smaller = collection.sample_collection(ranked, rate, meta.seed_of(7, sample))
            compared(found, (i, sample), cf.evaluate(qrels, smaller, measures).mean(), full)
    own = meta.imperfection(qrels, runs, measures, [1], samples=1, power=True)
    assert own.samples["tau"].tolist() == [[[1, 1]]]
    assert own.samples["rms"].tolist() == [[[0, 0]]]
    expected = meta.discriminative_power(cf.evaluate(qrels, runs, measures)).power
    assert own.samples["power"][0, 0].tolist() == expected.tolist()
    assert "power" not in found.samples


def test_a_study_follows_from_its_seed() -> None:
    qrels, runs = example(3)
    for study in (meta.incompleteness, meta.imperfection):
        calls: list[tuple[int, int]] = []

        def run(
            seed: int,
            study: Callable[..., meta.Curve] = study,
            calls: list[tuple[int, int]] = calls,
            **options: Any,
        ) -> Floats:
            def note(done: int, whole: int) -> None:
                calls.append((done, whole))

            made = study(
                *(qrels, runs, "AP nDCG", [0.5, 0.7]),
                **{"samples": 2, "seed": seed, "progress": note, **options},
            )
            return made.samples["mean"]

        first = run(1, threads=1)
        assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]
        assert run(1, threads=2).tobytes() == first.tobytes()
        assert run(2).tobytes() != first.tobytes()


def test_orders_of_equal_means_have_no_correlation() -> None:
    """RR is 1 for both runs; with a single order there is nothing to correlate."""
    qrels = cf.Qrels({"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}})
    runs = [cf.Run({t: {"a": 2.0, d: 1.0} for t in "12"}).rename(d) for d in "bc"]
    found = meta.incompleteness(qrels, runs, "RR", [1], samples=1)
    assert np.isnan(found.samples["tau"]).all()
    assert np.isnan(found.samples["rho"]).all()
    assert found.samples["rms"].tolist() == [[[0]]]


# n-pref


def misplaced(qrels: Judgments, run: dict[str, dict[str, float]], partitions: int) -> int:
    """Pairs of judged documents, the first above the second and of a lower class."""
    pairs = 0
    for topic, documents in run.items():
        order = sorted(documents, key=lambda d: (documents[d], d.encode()), reverse=True)
        grades = [qrels[topic][d] for d in order if d in qrels[topic]]
        classes = [min(math.floor(grade * partitions), partitions - 1) for grade in grades]
        pairs += sum(a < b for a, b in itertools.combinations(classes, 2))
    return pairs


@pytest.mark.parametrize("seed", range(10))
def test_finer_partitions_misplace_no_fewer_pairs(seed: int) -> None:
    """Each interval of one partition lies in one of the partition before.

    The same classes, as grades, make rpref what it is with ``partitions``.
    """
    chance = random.Random(seed)
    documents = [f"d{i}" for i in range(30)]
    qrels: Judgments = {
        str(topic): {d: chance.randrange(101) / 100 for d in chance.sample(documents, 20)}
        for topic in range(3)
    }
    run = {topic: {d: chance.random() for d in chance.sample(documents, 25)} for topic in qrels}
    counts = [misplaced(qrels, run, n) for n in (2, 4, 8, 16)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    for n in (2, 4, 8, 16):
        classes = {
            topic: {d: min(math.floor(g * n), n - 1) / (n - 1) for d, g in docs.items()}
            for topic, docs in qrels.items()
        }
        for measure in ("rpref_N", "rpref_relative2"):
            grouped = cf.evaluate(qrels, run, f"{measure}(top_gain=1,partitions={n})")
            plain = cf.evaluate(classes, run, f"{measure}(top_gain=1)")
            np.testing.assert_allclose(grouped.values, plain.values, rtol=1e-12)


# Errors


def test_what_cannot_be_done_is_an_error() -> None:
    scores = with_values(drawn(4, 6))
    one_run, one_topic = with_values(drawn(1, 6)), with_values(drawn(4, 1))
    holes = drawn(4, 6)
    holes[1, 2, 0] = np.nan
    with_holes = with_values(holes)
    studies: list[Callable[[cf.Scores], object]] = [
        meta.discriminative_power,
        meta.swap_rate,
        meta.predictivity,
        meta.g_study,
        lambda s: meta.topic_set_size(s, [2]),
    ]
    for study in (*studies, meta.correlation):
        kind, message = refused(partial(study, with_holes))
        assert kind == "undefined"
        assert 'missing="zero"' in message
        few = "expected at least 2 runs, found 1"
        assert refused(partial(study, one_run)) == ("option", few)
    for study in studies:
        few = "expected at least 2 topics, found 1"
        assert refused(partial(study, one_topic)) == ("option", few)
    for alpha in (0, 1, float("nan")):
        assert refused(partial(meta.discriminative_power, scores, alpha=alpha))[0] == "option"
    kind, message = refused(lambda: meta.discriminative_power(scores, "z"))
    assert (kind, '"tukey"' in message, "'z'" in message) == ("option", True, True)
    for share in (-0.1, 1):
        assert refused(partial(meta.drop_worst, scores, share, "AP"))[0] == "option"
    other = with_values(drawn(4, 5))
    assert refused(lambda: meta.standardize(scores, other))[0] == "option"
    assert refused(lambda: meta.standardize(one_run))[0] == "option"
    assert meta.standardize(one_run, ddof=0).values.tolist() == np.zeros((1, 6, 2)).tolist()
    assert refused(lambda: meta.standardize(scores, method="B"))[0] == "option"
    assert refused(lambda: meta.correlation(scores, "tau"))[0] == "option"
    assert refused(lambda: meta.swap_rate(scores, "other"))[0] == "option"
    assert "sets of 1 to 3 of 6" in refused(lambda: meta.swap_rate(scores, topics=4))[1]
    assert refused(lambda: meta.swap_rate(scores, "replacement", topics=0))[0] == "option"
    assert meta.swap_rate(scores, "replacement", topics=9, samples=2).topics == 9
    assert "sets of 1 to 3 of 6" in refused(lambda: meta.predictivity(scores, topics=4))[1]
    for size in (1, 7):
        message = f"expected sizes from 2 to 6, found [2, {size}]"
        assert refused(partial(meta.topic_set_size, scores, [2, size])) == ("option", message)


def test_measures_and_depths_that_are_not_there() -> None:
    scores = with_values(drawn(3, 4))
    found = meta.discriminative_power(scores)
    for call in (
        lambda: meta.best(scores, 2, "P@7"),
        lambda: meta.drop_worst(scores, 0.5, "P@7"),
        lambda: found.p_values("P@7"),
        lambda: found.curve("P@7"),
    ):
        assert refused(call) == ("label", "no measure 'P@7'; there are: AP, nDCG")
    # The spelling does not matter.
    assert found.curve("map").tolist() == found.curve(cf.AP).tolist()
    qrels, runs = example()
    assert refused(lambda: meta.sweep(runs, qrels, [5], [5], ["bpref"]))[0] == "parameter"
    assert refused(lambda: meta.sweep(runs, qrels, [5], [0], ["P"]))[0] == "parameter"
    ranked = collection.rank(qrels, runs)
    assert refused(lambda: meta.imperfection(qrels, ranked, "AP", [0.5]))[0] == "needs"
    assert refused(lambda: meta.incompleteness(qrels, runs, "AP", [0]))[0] == "option"
    other = cf.Qrels(qrels.to_dict())
    assert refused(lambda: meta.sweep(ranked, other, [5], [5], ["P"]))[0] == "option"


def test_a_measure_is_looked_up_with_all_that_it_found() -> None:
    good = {str(t): {"a": 2.0, "b": 1.0} for t in range(6)}
    poor = {str(t): {"b": 2.0, "a": 1.0} for t in range(6)}
    qrels = {str(t): {"a": 1, "b": 0} for t in range(6)}
    scores = cf.evaluate(qrels, {"good": good, "same": good, "poor": poor}, "AP P@2")
    found = meta.discriminative_power(scores)
    one = found["map"]
    assert (one.power, one.power_of_different) == (2 / 3, 1.0)
    assert one.significant.tolist() == [
        [False, False, True],
        [False, False, True],
        [True, True, False],
    ]
    assert one.p_values.tolist() == found.p_values("AP").tolist()
    assert one.curve.tolist() == [1.0, 0.0, 0.0]
    assert one.required_difference == 0.5
    assert found["P@2"].power == found["P@2"].power_of_different == 0
    with pytest.raises(cf.LabelError):
        found["RR"]
    with pytest.raises(cf.Error, match="judgments first"):
        meta.sweep(cf.Qrels(qrels), good, [1], [1], ["P"])  # type: ignore[arg-type]
