"""Correlations and distances of orders, and matrices of them.

``scipy`` and printed numbers of ``ircor``; otherwise slow twins in this file, each written down
from its definition.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import stats
from numpy.typing import NDArray

from tests import ROOT

VECTORS = ROOT / "rust/core/tests/data/vectors.json"
SIZES = [2, 3, 4, 5, 8, 20, 33, 34, 60, 129]


def vector(name: str) -> dict[str, Any]:
    """One of the worked examples."""
    found: dict[str, Any] = next(v for v in json.loads(VECTORS.read_text()) if v["name"] == name)
    return found


def kind_of(call: Callable[[], object]) -> str:
    """The kind of the error that a call raises."""
    with pytest.raises(cf.Error) as caught:
        call()
    return caught.value.kind


def lists(number: int, cases: int) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Pairs of lists, more or less alike, every third with many ties."""
    rng = np.random.default_rng(number)
    for case in range(cases):
        x = rng.normal(size=rng.choice(SIZES))
        y = x * rng.choice([-0.5, 0, 0.5, 2]) + rng.normal(size=len(x))
        if case % 3 == 0:
            x, y = np.round(x), np.round(2 * y)
        if np.ptp(x) and np.ptp(y):
            yield x, y


# --- Kendall --------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["auto", "exact", "asymptotic"])
def test_kendall_is_scipys(method: Any) -> None:
    scipy = pytest.importorskip("scipy.stats")
    for x, y in lists(1, 400):
        tied = len(set(x)) < len(x) or len(set(y)) < len(y)
        if method == "exact" and tied:
            assert kind_of(lambda: stats.kendall(x, y, method="exact")) == "option"  # noqa: B023
            continue
        if method == "asymptotic" and len(x) == 2:
            continue  # scipy divides by n - 2
        found, expected = stats.kendall(x, y, method=method), scipy.kendalltau(x, y, method=method)
        assert found.statistic == pytest.approx(expected.statistic, abs=1e-12)
        assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
        assert found.items == len(x)


@pytest.mark.parametrize("variant", ["a", "b"])
def test_kendall_is_the_count_of_pairs(variant: Any) -> None:
    for x, y in lists(2, 100):
        pairs = list(itertools.combinations(range(len(x)), 2))
        signs = [(np.sign(x[i] - x[j]), np.sign(y[i] - y[j])) for i, j in pairs]
        score = sum(a * b for a, b in signs)
        ordered = [sum(s[side] != 0 for s in signs) for side in (0, 1)]
        below = len(pairs) if variant == "a" else math.sqrt(ordered[0] * ordered[1])
        found = stats.kendall(x, y, variant=variant).statistic
        assert found == pytest.approx(score / below, abs=1e-12)


def test_the_exact_p_value_is_the_share_of_permutations() -> None:
    for y in itertools.permutations(range(5)):
        found = stats.kendall(range(5), y)
        others = (stats.kendall(range(5), z).statistic for z in itertools.permutations(range(5)))
        as_far = sum(abs(other) >= abs(found.statistic) - 1e-12 for other in others)
        assert found.pvalue == pytest.approx(as_far / math.factorial(5), rel=1e-12)


def test_kendall_of_the_worked_example() -> None:
    example = vector("kendall_ties")
    x, y = example["params"]["x"], example["params"]["y"]
    expected = example["expected"]
    tau_a = stats.kendall(x, y, variant="a").statistic
    assert tau_a == pytest.approx(float(Fraction(expected["tau_a"])), abs=1e-15)
    assert stats.kendall(x, y).statistic == pytest.approx(expected["tau_b"], abs=1e-15)


def test_kendall_of_a_list_with_itself_is_one() -> None:
    for x, y in lists(3, 100):
        assert stats.kendall(x, x).statistic == 1.0
        assert stats.kendall(x, -x).statistic == -1.0
        assert stats.kendall(x, y) == stats.kendall(y, x)


def test_a_tolerance_ties_what_differs_by_noise() -> None:
    noisy = [0.1 + 0.2, 0.3, 0.5]
    assert stats.kendall(noisy, [1, 1, 2]).statistic == pytest.approx(2 / math.sqrt(6))
    assert stats.kendall(noisy, [1, 1, 2], tolerance=1e-12).statistic == 1.0
    assert stats.spearman(noisy, [1, 1, 2], tolerance=1e-12).statistic == 1.0
    assert stats.tau_ap(noisy, [1, 1, 2], ties="b", tolerance=1e-12).statistic == 1.0
    assert stats.max_drop(noisy, [1, 2, 3], tolerance=1e-12).statistic == 1
    assert kind_of(lambda: stats.kendall(noisy, noisy, tolerance=-1)) == "option"


def test_kendall_where_there_is_no_order() -> None:
    found = stats.kendall([1, 1, 1], [1, 2, 3], variant="a")
    assert (found.statistic, found.pvalue) == (0.0, 1.0)
    assert kind_of(lambda: stats.kendall([1, 1, 1], [1, 2, 3])) == "undefined"
    assert kind_of(lambda: stats.kendall([1], [1])) == "undefined"
    assert kind_of(lambda: stats.kendall([], [], variant="a")) == "undefined"


# --- AP correlation -------------------------------------------------------------------

# Scores and results of the manual of the R package ircor, by the authors of the coefficients.
IRCOR_X = [0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54]
IRCOR_Y = [0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84]


def ap_without_ties(estimate: Sequence[float], truth: Sequence[float]) -> float:
    """AP correlation from its definition."""
    order = sorted(range(len(truth)), key=lambda i: -estimate[i])
    shares = [
        sum(truth[above] > truth[item] for above in order[:place]) / place
        for place, item in enumerate(order)
        if place
    ]
    return 2 * sum(shares) / len(shares) - 1


def untied(scores: Sequence[int]) -> list[tuple[float, ...]]:
    """All orders that differ in tied items only, as scores."""
    found = []
    for order in itertools.permutations(range(len(scores))):
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order)):
            found.append(tuple(-float(order.index(i)) for i in range(len(scores))))
    return found


def test_ap_correlation_is_that_of_ircor() -> None:
    x, y = np.array(IRCOR_X), np.array(IRCOR_Y)
    assert stats.tau_ap(y, x, ties="a").statistic == pytest.approx(0.3928571, abs=5e-8)
    rounded = np.round(y, 1)
    assert stats.tau_ap(rounded, x, ties="a").statistic == pytest.approx(0.39903, abs=5e-8)
    assert stats.tau_ap(rounded, x, ties="b").statistic == pytest.approx(0.3317019, abs=5e-8)
    both = stats.tau_ap(rounded, np.round(x, 1), ties="b").statistic
    assert both == pytest.approx(0.339418, abs=5e-7)


def test_ap_correlation_without_ties_is_the_definition() -> None:
    for x, y in lists(4, 200):
        if len(set(x)) == len(x) and len(set(y)) == len(y):
            expected = ap_without_ties(list(x), list(y))
            assert stats.tau_ap(x, y).statistic == pytest.approx(expected, abs=1e-12)
            assert stats.tau_ap(x, y, ties="a") == stats.tau_ap(x, y)
            both = (expected + ap_without_ties(list(y), list(x))) / 2
            assert stats.tau_ap(x, y, ties="b").statistic == pytest.approx(both, abs=1e-12)


def test_ap_correlation_is_the_mean_over_orders_of_ties() -> None:
    rng = random.Random(5)
    for _ in range(60):
        n = rng.randint(2, 5)
        estimate, truth = ([rng.randint(0, 3) for _ in range(n)] for _ in range(2))
        values = [ap_without_ties(e, t) for e in untied(estimate) for t in untied(truth)]
        found = stats.tau_ap(estimate, truth).statistic
        assert found == pytest.approx(sum(values) / len(values), abs=1e-12)
        if len(set(truth)) == n:
            assert stats.tau_ap(estimate, truth, ties="a").statistic == found
        else:
            assert kind_of(lambda: stats.tau_ap(estimate, truth, ties="a")) == "undefined"  # noqa: B023


def test_ap_correlation_of_agreement_is_symmetric_and_whole() -> None:
    def one_way(pivots: NDArray[np.float64], other: NDArray[np.float64]) -> float:
        shares = []
        for value, theirs in zip(pivots, other, strict=True):
            above = other[pivots > value]
            if len(above):
                shares.append(np.mean(above > theirs))
        return float(2 * np.mean(shares) - 1)

    for x, y in lists(6, 150):
        found = stats.tau_ap(x, y, ties="b").statistic
        assert found == pytest.approx((one_way(x, y) + one_way(y, x)) / 2, abs=1e-12)
        assert found == stats.tau_ap(y, x, ties="b").statistic
        assert stats.tau_ap(x, x, ties="b").statistic == 1.0


def test_ap_correlation_where_there_is_no_order() -> None:
    assert stats.tau_ap([1, 1, 1], [1, 2, 3]).statistic == pytest.approx(0, abs=1e-15)
    assert stats.tau_ap([1, 2, 3], [1, 1, 1]).statistic == pytest.approx(0, abs=1e-15)
    assert kind_of(lambda: stats.tau_ap([1, 1], [1, 2], ties="b")) == "undefined"
    assert kind_of(lambda: stats.tau_ap([1], [1])) == "undefined"
    assert kind_of(lambda: stats.tau_ap([1, 2], [1, 2], ties="c")) == "option"  # type: ignore[arg-type]


# --- Spearman, Pearson, error, fall ---------------------------------------------------


@pytest.mark.parametrize("name", ["spearman", "pearson"])
def test_correlations_are_scipys(name: str) -> None:
    scipy = pytest.importorskip("scipy.stats")
    for x, y in lists(7, 400):
        found, expected = getattr(stats, name)(x, y), getattr(scipy, f"{name}r")(x, y)
        assert found.statistic == pytest.approx(expected.statistic, abs=1e-12)
        if len(x) == 2:
            assert found.pvalue == 1.0
        elif abs(found.statistic) > 1 - 1e-6:
            # scipy finds its p-value from the rounded coefficient
            assert found.pvalue < 1e-3
            assert expected.pvalue < 1e-3
        else:
            assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_pearsons_interval_is_scipys(level: float) -> None:
    scipy = pytest.importorskip("scipy.stats")
    for x, y in lists(8, 100):
        if len(x) > 2:
            expected = scipy.pearsonr(x, y).confidence_interval(level)
            found = stats.pearson(x, y).confidence_interval(level)
            assert found == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert stats.pearson([1, 2, 3], [1, 2, 4]).confidence_interval(level) == (-1, 1)
    assert kind_of(lambda: stats.pearson([1, 2], [1, 2]).confidence_interval(95)) == "option"


@pytest.mark.parametrize("function", [stats.spearman, stats.pearson])
def test_correlations_of_constants_are_undefined(function: Callable[..., Any]) -> None:
    assert kind_of(lambda: function([1, 2, 3], [2, 2, 2])) == "undefined"
    assert kind_of(lambda: function([0, 0], [1, 2])) == "undefined"
    assert kind_of(lambda: function([1], [1])) == "undefined"
    assert kind_of(lambda: function([], [])) == "undefined"


def test_a_constant_up_to_rounding_has_no_pearson_correlation() -> None:
    assert kind_of(lambda: stats.pearson([0.3, 0.1 + 0.2, 0.3], [1, 2, 3])) == "undefined"


def test_the_error_is_numpys() -> None:
    for x, y in lists(9, 50):
        expected = math.sqrt(np.mean((x - y) ** 2))
        assert stats.rms_error(x, y).statistic == pytest.approx(expected, rel=1e-14)
    assert float(stats.rms_error([1, 2], [1, 2])) == 0.0
    assert float(stats.rms_error([3], [1])) == 2.0
    assert kind_of(lambda: stats.rms_error([], [])) == "undefined"


def test_the_largest_fall_is_the_largest() -> None:
    for x, y in lists(10, 100):
        falls = [int(sum(y > b)) - int(sum(x > a)) for a, b in zip(x, y, strict=True)]
        found = stats.max_drop(x, y)
        assert found.statistic == max(falls)
        assert found.item == falls.index(max(falls))
        assert (found.before, found.after) == (
            sum(x > x[found.item]) + 1,
            sum(y > y[found.item]) + 1,
        )


def test_dicts_are_matched_by_key() -> None:
    before, after = {"a": 3.0, "b": 2.0, "c": 1.0}, {"c": 9.0, "b": 5.0, "a": 1.0}
    drop = stats.max_drop(before, after)
    assert (drop.item, drop.statistic, drop.before, drop.after) == ("a", 2, 1, 3)
    assert stats.kendall(before, after).statistic == -1.0
    assert kind_of(lambda: stats.kendall(before, {"a": 1.0})) == "label"
    assert kind_of(lambda: stats.kendall(before, [1, 2, 3])) == "type"


@pytest.mark.parametrize(
    "function",
    [
        stats.kendall,
        stats.tau_ap,
        stats.spearman,
        stats.pearson,
        stats.rms_error,
        stats.max_drop,
    ],
)
def test_what_is_not_a_number_is_an_error(function: Callable[..., Any]) -> None:
    for wrong in (math.nan, math.inf):
        assert kind_of(lambda: function([1, 2, 3], [1, wrong, 3])) == "number"  # noqa: B023
    assert kind_of(lambda: function([1, 2, 3], [1, 2])) == "type"
    assert kind_of(lambda: function([1, 2], ["1", "2"])) == "type"
    assert kind_of(lambda: function([1, 2], np.array([1, "2"], dtype=object))) == "type"
    assert kind_of(lambda: function([1, 2], [[1, 2]])) == "type"
    assert kind_of(lambda: function([1, 2], None)) == "type"


# --- matrices -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method", ["kendall", "tau_ap", "spearman", "pearson", "rms_error", "max_drop"]
)
def test_a_matrix_has_the_coefficients(method: Any) -> None:
    rng = np.random.default_rng(12)
    table = np.round(rng.normal(size=(30, 1)) + rng.normal(size=(30, 5)), 1)
    found = stats.correlation_matrix(table, method=method)
    assert found.labels == ("0", "1", "2", "3", "4")
    for i, j in itertools.product(range(5), repeat=2):
        one = getattr(stats, method)(table[:, i], table[:, j]).statistic
        assert found.values[i, j] == one == found[str(i), str(j)]
    with pytest.raises(ValueError, match="read-only"):
        found.values[0, 0] = 1


def test_a_matrix_of_scores_compares_runs_by_measure() -> None:
    qrels = {"1": {"a": 1, "b": 1}, "2": {"a": 1}}
    runs = {
        "x": {"1": {"a": 2, "b": 1}, "2": {"a": 1}},
        "y": {"1": {"c": 3, "b": 2}, "2": {"a": 1}},
        "z": {"1": {"c": 3, "d": 2}, "2": {"c": 1}},
    }
    scores = cf.evaluate(qrels, runs, ["AP", "P@2", "num_rel"])
    matrix = stats.correlation_matrix(scores)
    assert matrix.labels == ("AP", "P@2", "num_rel")
    # AP: 1, (1/2)/2 and 1, 0; P@2: 1 and 1/2, 1/2 and 1/2, 0: the same order.
    assert matrix["AP", "P@2"] == 1
    # Every run has the same number of relevant documents: no order at all.
    assert np.isnan(matrix.values[2]).all()
    assert repr(matrix).splitlines() == [
        "<CorrelationMatrix: kendall; 3 measures>",
        "measure      AP     P@2  num_rel",
        "AP       1.0000  1.0000        -",
        "P@2      1.0000  1.0000        -",
        "num_rel       -       -        -",
    ]
    assert "<th>P@2</th>" in matrix._repr_html_()
    with pytest.raises(cf.LabelError):
        matrix["AP", "P@3"]


def test_noise_in_means_does_not_split_ties() -> None:
    table = np.array([[0.1 + 0.2, 1.0], [0.3, 1.0], [0.5, 2.0]])
    assert stats.correlation_matrix(table).values[0, 1] == 1
    assert stats.correlation_matrix(table, tolerance=0).values[0, 1] < 1


def test_a_matrix_as_frames() -> None:
    table = np.array([[1.0, 2.0, 1.0], [2.0, 1.0, 1.0], [3.0, 3.0, 1.0]])
    matrix = stats.correlation_matrix(table, labels=["AP", "RR", "n"])
    expected = pytest.approx(1 / 3)
    assert matrix.to_dict()["AP"]["RR"] == expected
    polars = matrix.to_polars()
    assert polars.columns == ["measure", "AP", "RR", "n"]
    assert polars["n"].to_list() == [None, None, None]
    assert polars["RR"].to_list()[0] == expected
    arrow = matrix.to_arrow()
    assert arrow.column("measure").to_pylist() == ["AP", "RR", "n"]
    assert arrow.column("n").null_count == 3
    pandas = matrix.to_pandas()
    assert pandas.loc["AP", "RR"] == expected
    again = stats.correlation_matrix(pandas.iloc[:2, :2])
    assert again.labels == ("AP", "RR")


def test_an_invalid_matrix() -> None:
    table = np.ones((3, 2))
    assert np.isnan(stats.correlation_matrix(table).values).all()
    assert kind_of(lambda: stats.correlation_matrix(np.ones((1, 2)))) == "undefined"
    assert kind_of(lambda: stats.correlation_matrix(np.full((3, 2), np.nan))) == "number"
    assert kind_of(lambda: stats.correlation_matrix([1, 2])) == "type"
    assert kind_of(lambda: stats.correlation_matrix(table, labels=["a"])) == "label"
    assert kind_of(lambda: stats.correlation_matrix(table, labels=["a", "a"])) == "label"
    assert kind_of(lambda: stats.correlation_matrix(table, method="tau")) == "option"  # type: ignore[arg-type]


def test_a_matrix_does_not_take_undefined_scores() -> None:
    scores = cf.evaluate(
        {"1": {"a": 0}}, {"x": {"1": {"a": 1}}, "y": {"1": {"a": 1}}}, "AP", undefined="skip"
    )
    assert kind_of(lambda: stats.correlation_matrix(scores)) == "number"
