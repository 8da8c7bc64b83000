"""Agreement of judges: kappa in its forms, and Krippendorff's alpha.

Worked examples in fractions, ``statsmodels``, ``krippendorff``, and slow twins in this file.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import stats
from numpy.typing import NDArray

from tests import ROOT

VECTORS = ROOT / "rust/core/tests/data/vectors.json"


def vector(name: str) -> tuple[dict[str, Any], dict[str, float]]:
    """The parameters and the values of a worked example."""
    found = next(v for v in json.loads(VECTORS.read_text()) if v["name"] == name)
    return found["params"], {k: float(Fraction(v)) for k, v in found["expected"].items()}


def kind_of(call: Callable[[], object]) -> str:
    """The kind of the error that a call raises."""
    with pytest.raises(cf.Error) as caught:
        call()
    return caught.value.kind


def labels_of(table: list[list[int]]) -> tuple[list[int], list[int]]:
    """Two judges whose labels make a table."""
    pairs = [
        (i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)
    ]
    random.Random(1).shuffle(pairs)
    return [a for a, _ in pairs], [b for _, b in pairs]


# --- two judges -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["iir_table_8_2_kappa", "iir_8_10_kappa"])
@pytest.mark.parametrize("marginals", ["pooled", "separate"])
def test_kappa_of_the_textbook(name: str, marginals: Any) -> None:
    counts, expected = vector(name)
    table = [[counts["yes_yes"], counts["yes_no"]], [counts["no_yes"], counts["no_no"]]]
    suffix = {"pooled": "pooled", "separate": "cohen"}[marginals]
    for found in (
        stats.cohen_kappa(table, marginals=marginals),
        stats.cohen_kappa(*labels_of(table), marginals=marginals),
    ):
        assert found.statistic == pytest.approx(expected[f"kappa_{suffix}"], abs=1e-15)
        assert found.observed == pytest.approx(expected["P(A)"], abs=1e-15)
        if f"P(E)_{suffix}" in expected:
            assert found.expected == pytest.approx(expected[f"P(E)_{suffix}"], abs=1e-15)


def test_weighted_kappa_of_the_worked_example() -> None:
    params, expected = vector("weighted_kappa")
    a, b = labels_of(params["confusion"])
    kinds: dict[Any, str] = {
        None: "kappa",
        "linear": "kappa_linear",
        "quadratic": "kappa_quadratic",
    }
    for weights, name in kinds.items():
        found = stats.cohen_kappa(a, b, weights=weights)
        assert found.statistic == pytest.approx(expected[name], abs=1e-15)


def tables(number: int, cases: int) -> list[NDArray[np.int64]]:
    """Tables of counts of two judges who agree more or less."""
    rng = np.random.default_rng(number)
    sizes = rng.integers(2, 6, cases)
    return [rng.integers(1, 30, (k, k)) + np.diag(rng.integers(0, 90, k)) for k in sizes]


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_kappa_is_that_of_statsmodels(weights: Any) -> None:
    statsmodels = pytest.importorskip("statsmodels.stats.inter_rater")
    for table in tables(2, 200):
        found = stats.cohen_kappa(table, weights=weights)
        expected = statsmodels.cohens_kappa(table, wt=weights)
        assert found.statistic == pytest.approx(expected.kappa, abs=1e-12)
        assert found.pvalue == pytest.approx(expected.pvalue_two_sided, rel=1e-9)
        assert found.standard_error == pytest.approx(expected.std_kappa, rel=1e-9)
        interval = expected.kappa_low, expected.kappa_upp
        assert found.confidence_interval() == pytest.approx(interval, abs=1e-12)


@pytest.mark.parametrize("marginals", ["pooled", "separate", "uniform"])
def test_standard_errors_are_the_slopes_of_kappa(marginals: Any) -> None:
    """The delta method with slopes taken by differences, not by formula."""

    def kappa(shares: NDArray[np.float64]) -> float:
        return stats.cohen_kappa(shares, marginals=marginals, weights=weights).statistic

    for table in tables(3, 20):
        size, items = len(table), table.sum()
        # Weights that are not symmetric, too: a judge's miss may be worse than the other's.
        weights = np.abs(np.subtract.outer(np.arange(size), 1.5 * np.arange(size)))
        np.fill_diagonal(weights, 0)
        found = stats.cohen_kappa(table, marginals=marginals, weights=weights)
        shares = table / items
        slopes = np.zeros_like(shares)
        for cell in itertools.product(range(size), repeat=2):
            step = np.zeros_like(shares)
            step[cell] = 1e-6
            slopes[cell] = (kappa(shares + step) - kappa(shares - step)) / 2e-6
        variance = (shares * slopes**2).sum() - (shares * slopes).sum() ** 2
        assert found.standard_error == pytest.approx(math.sqrt(variance / items), rel=1e-6)


def test_uniform_kappa_assumes_nothing_of_the_judges() -> None:
    """IIR, Table 8.2: 37/40 of the documents agree, so (37/40 - 1/2) / (1 - 1/2) = 17/20."""
    found = stats.cohen_kappa([[300, 20], [10, 70]], marginals="uniform")
    assert (found.observed, found.expected) == (37 / 40, 1 / 2)
    assert found.statistic == pytest.approx(17 / 20, abs=1e-15)
    # As a share of 400 documents, twice.
    assert found.standard_error == pytest.approx(2 * math.sqrt(37 / 40 * 3 / 40 / 400), rel=1e-12)
    # Three labels, of which two occur: (3/4 - 1/3) / (2/3).
    a, b = [1, 1, 2, 2], [1, 1, 2, 1]
    three = stats.cohen_kappa(a, b, marginals="uniform", labels=[1, 2, 3])
    assert three.statistic == pytest.approx(5 / 8, abs=1e-15)
    assert stats.cohen_kappa(a, b, marginals="uniform").statistic == 1 / 2
    # It is defined where chance by the labels given is not.
    assert stats.cohen_kappa([1, 1], [1, 1], marginals="uniform", labels=[0, 1]).statistic == 1.0
    assert kind_of(lambda: stats.cohen_kappa([1], [1], marginals="uniform")) == "undefined"
    mean = stats.mean_kappa([a, b, b], marginals="uniform")
    assert mean.statistic == pytest.approx((1 / 2 + 1 / 2 + 1) / 3, abs=1e-15)


def test_pooled_kappa_is_lower_where_habits_differ() -> None:
    for table in tables(4, 100):
        pooled = stats.cohen_kappa(table, marginals="pooled")
        assert pooled.statistic <= stats.cohen_kappa(table).statistic + 1e-15
        assert 0 <= pooled.pvalue <= 1


def test_weights_in_every_form() -> None:
    a, b = [0, 1, 2, 2, 0, 1], [0, 2, 2, 1, 0, 1]
    linear = stats.cohen_kappa(a, b, weights="linear")
    assert stats.cohen_kappa(a, b, weights=lambda x, y: 7 * abs(x - y)) == linear
    assert stats.cohen_kappa(a, b, weights=[[0, 1, 2], [1, 0, 1], [2, 1, 0]]) == linear
    # Labels count by their places, so that 0 1 5 is as 0 1 2.
    five = {0: 0, 1: 1, 2: 5}
    assert stats.cohen_kappa([five[x] for x in a], [five[x] for x in b], weights="linear") == linear


def test_labels_give_texts_their_order() -> None:
    a, b = ["low", "high", "mid", "mid"], ["low", "high", "high", "mid"]
    order = ["low", "mid", "high"]
    expected = stats.cohen_kappa([0, 2, 1, 1], [0, 2, 2, 1], weights="linear")
    assert stats.cohen_kappa(a, b, weights="linear", labels=order) == expected
    assert kind_of(lambda: stats.cohen_kappa(a, b, weights="linear")) == "option"
    assert kind_of(lambda: stats.cohen_kappa(a, b, labels=["low", "high"])) == "label"
    assert kind_of(lambda: stats.cohen_kappa(a, b, labels=[*order, "low"])) == "option"


def test_kappa_where_chance_agrees() -> None:
    for marginals in ("pooled", "separate"):
        same: Any = {"marginals": marginals}
        assert kind_of(lambda: stats.cohen_kappa([1, 1], [1, 1], **same)) == "undefined"  # noqa: B023
        assert kind_of(lambda: stats.cohen_kappa([], [], **same)) == "undefined"  # noqa: B023
        assert stats.cohen_kappa([1, 2], [1, 2], **same).statistic == 1.0
    one_label = stats.cohen_kappa([1, 1, 1], [1, 2, 2])
    assert one_label.statistic == pytest.approx(0, abs=1e-15)
    assert one_label.pvalue == 1.0


@pytest.mark.parametrize(
    ("arguments", "options", "kind"),
    [
        (([1, 2], [1]), {}, "type"),
        (([1, None], [1, 1]), {}, "type"),
        (([1, math.nan], [1, 1]), {}, "type"),
        ((["a", 1], ["a", 1]), {}, "type"),
        (("ab", "ab"), {}, "type"),
        (([[1], [2]], [[1], [2]]), {}, "type"),
        (([[1, 2, 3], [4, 5, 6]],), {}, "type"),
        (([[1, -2], [4, 5]],), {}, "number"),
        (([[1, math.nan], [4, 5]],), {}, "number"),
        (([1, 2], [1, 2]), {"marginals": "both"}, "option"),
        (([1, 2], [1, 2]), {"weights": "cubic"}, "option"),
        (([1, 2], [1, 2]), {"weights": [[0, 1]]}, "option"),
        (([1, 2], [1, 2]), {"weights": [[1, 1], [1, 0]]}, "option"),
        (([1, 2], [1, 2]), {"weights": [[0, -1], [1, 0]]}, "number"),
        (([1, 2], [1, 2]), {"weights": [[0, 0], [0, 0]]}, "undefined"),
        (([[1, 2], [3, 4]],), {"labels": ["a"]}, "option"),
    ],
)
def test_kappa_of_what_makes_no_sense(
    arguments: tuple[Any, ...], options: dict[str, Any], kind: str
) -> None:
    assert kind_of(lambda: stats.cohen_kappa(*arguments, **options)) == kind


# --- more than two judges -------------------------------------------------------------


def test_fleiss_kappa_is_that_of_statsmodels() -> None:
    statsmodels = pytest.importorskip("statsmodels.stats.inter_rater")
    rng = np.random.default_rng(5)
    for _ in range(200):
        judges, size = rng.integers(2, 8), rng.integers(2, 6)
        counts = rng.multinomial(judges, rng.dirichlet(np.ones(size)), rng.integers(5, 40))
        if np.count_nonzero(counts.sum(axis=0)) > 1:
            found, expected = stats.fleiss_kappa(counts), statsmodels.fleiss_kappa(counts)
            assert found.statistic == pytest.approx(expected, abs=1e-12)


def test_fleiss_kappa_of_two_judges_is_pooled() -> None:
    for table in tables(6, 50):
        a, b = labels_of(table.tolist())
        found = stats.fleiss_kappa(stats.label_counts([a, b]))
        pooled = stats.cohen_kappa(a, b, marginals="pooled")
        assert found.statistic == pytest.approx(pooled.statistic, abs=1e-12)
        assert found.observed == pytest.approx(pooled.observed, abs=1e-12)
        assert found.expected == pytest.approx(pooled.expected, abs=1e-12)


def test_the_test_of_fleiss_kappa_is_that_of_nee_and_landis() -> None:
    # Four items, three judges, shares 1/2, 1/3, 1/6: sum p q = 11/18, and sum p q (q - p).
    counts = [[3, 0, 0], [1, 2, 0], [1, 1, 1], [1, 1, 1]]
    spread = Fraction(11, 18)
    skew = Fraction(2, 9) * Fraction(1, 3) + Fraction(5, 36) * Fraction(2, 3)
    variance = 2 * (spread**2 - skew) / (spread**2 * 4 * 3 * 2)
    # Pairs that agree: 3 + 1 of 4 * 3; by chance 1/4 + 1/9 + 1/36 = 7/18.
    kappa = (Fraction(4, 12) - Fraction(7, 18)) / (1 - Fraction(7, 18))
    found = stats.fleiss_kappa(counts)
    assert found.statistic == pytest.approx(float(kappa), abs=1e-15)
    z = abs(float(kappa)) / math.sqrt(variance)
    assert found.pvalue == pytest.approx(math.erfc(z / math.sqrt(2)), rel=1e-12)
    assert math.isnan(found.standard_error)
    assert kind_of(found.confidence_interval) == "undefined"


def test_label_counts_are_counts() -> None:
    judges: list[list[Any]] = [["b", "a", None], ["b", "b", "a"]]
    assert stats.label_counts(judges).tolist() == [[0, 2], [1, 1], [1, 0]]
    assert stats.label_counts(judges, labels="bxa").tolist() == [[2, 0, 0], [1, 0, 1], [0, 0, 1]]
    assert kind_of(lambda: stats.label_counts([[1], [1, 2]])) == "type"


@pytest.mark.parametrize(
    ("counts", "kind"),
    [
        ([[3, 0], [2, 0]], "option"),
        ([[3, 0], [3, 0]], "undefined"),
        ([[1, 0], [0, 1]], "undefined"),
        (np.zeros((0, 2)), "undefined"),
        (np.zeros((2, 0)), "undefined"),
        ([[1.5, 0.5], [1, 1]], "number"),
        ([[-1, 3], [1, 1]], "number"),
        ([[math.nan, 3], [1, 1]], "number"),
        ([1, 2], "type"),
        ("ab", "type"),
    ],
)
def test_fleiss_kappa_of_what_makes_no_sense(counts: Any, kind: str) -> None:
    assert kind_of(lambda: stats.fleiss_kappa(counts)) == kind


@pytest.mark.parametrize("weights", [None, "linear"])
def test_the_mean_of_kappa_is_that_of_the_pairs(weights: Any) -> None:
    rng = random.Random(7)
    judges = {name: [rng.randint(0, 2) for _ in range(20)] for name in "xyz"}
    found = stats.mean_kappa(judges, weights=weights, marginals="pooled")
    assert list(found.pairs) == [("x", "y"), ("x", "z"), ("y", "z")]
    for (a, b), pair in found.pairs.items():
        one = stats.cohen_kappa(judges[a], judges[b], weights=weights, marginals="pooled")
        assert pair == one
    mean = np.mean([pair.statistic for pair in found.pairs.values()])
    assert found.statistic == pytest.approx(mean, abs=1e-15)
    by_place = stats.mean_kappa(list(judges.values()), weights=weights, marginals="pooled")
    assert by_place.statistic == found.statistic
    assert list(by_place.pairs) == [(0, 1), (0, 2), (1, 2)]
    assert kind_of(lambda: stats.mean_kappa([[1, 2]])) == "undefined"


# --- Krippendorff's alpha -------------------------------------------------------------

LEVELS = ["nominal", "ordinal", "interval", "ratio"]


def alpha_by_definition(judges: list[list[Any]], level: str) -> float:
    """Alpha from all pairs of labels, one by one."""
    columns = [[x for x in item if x is not None] for item in zip(*judges, strict=True)]
    columns = [labels for labels in columns if len(labels) > 1]
    everything = [x for labels in columns for x in labels]

    def distance(a: int, b: int) -> float:
        low, high = sorted((a, b))
        if level == "nominal":
            return float(a != b)
        if level == "ordinal":
            between = sum(low <= x <= high for x in everything)
            return float((between - (everything.count(a) + everything.count(b)) / 2) ** 2)
        if level == "interval":
            return float((a - b) ** 2)
        return float(((a - b) / (a + b)) ** 2) if a != b else 0.0

    observed = math.fsum(
        distance(*pair) / (len(labels) - 1)
        for labels in columns
        for pair in itertools.permutations(labels, 2)
    )
    expected = math.fsum(itertools.starmap(distance, itertools.permutations(everything, 2)))
    ratio: float = observed / expected
    return 1 - (len(everything) - 1) * ratio


def judged(number: int, cases: int) -> list[list[list[Any]]]:
    """Judges with labels that are missing now and then."""
    rng = random.Random(number)
    found = []
    for _ in range(cases):
        judges, items, top = rng.randint(2, 5), rng.randint(4, 15), rng.randint(1, 5)
        found.append(
            [
                [None if rng.random() < 0.3 else rng.randint(0, top) for _ in range(items)]
                for _ in range(judges)
            ]
        )
    return found


def alpha(judges: Any, level: Any) -> stats.Alpha | None:
    """Alpha, unless it is undefined."""
    try:
        return stats.krippendorff_alpha(judges, level=level)
    except cf.Error as error:
        if error.kind != "undefined":
            raise
        return None


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_is_its_definition(level: Any) -> None:
    compared = 0
    for judges in judged(8, 100):
        found = alpha(judges, level)
        if found:
            expected = alpha_by_definition(judges, level)
            assert found.statistic == pytest.approx(expected, abs=1e-12)
            assert found.statistic == pytest.approx(1 - found.observed / found.expected)
            compared += 1
    assert compared > 80


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_is_that_of_the_package_krippendorff(level: Any) -> None:
    package = pytest.importorskip("krippendorff")
    for judges in judged(9, 60):
        array = np.array([[math.nan if x is None else x + 1 for x in judge] for judge in judges])
        found = alpha(array, level)
        if found:
            expected = package.alpha(array, level_of_measurement=level)
            assert found.statistic == pytest.approx(expected, abs=1e-12)


def test_alpha_takes_any_labels() -> None:
    judges: list[list[Any]] = [["a", "b", None, "c"], ["a", "b", "c", "a"], [None, "a", "c", "c"]]
    as_numbers = [[None if x is None else "bca".index(x) for x in judge] for judge in judges]
    assert stats.krippendorff_alpha(judges) == stats.krippendorff_alpha(as_numbers)
    ordered = stats.krippendorff_alpha(judges, level="ordinal", labels="bca")
    assert ordered == stats.krippendorff_alpha(as_numbers, level="ordinal")
    assert kind_of(lambda: stats.krippendorff_alpha(judges, level="ordinal")) == "option"
    assert kind_of(lambda: stats.krippendorff_alpha(judges, level="interval")) == "type"
    assert kind_of(lambda: stats.krippendorff_alpha(judges, labels="ab")) == "label"


@pytest.mark.parametrize(
    ("judges", "options", "kind"),
    [
        ([[1, 1], [1, 1]], {}, "undefined"),
        ([[1, None], [None, 2]], {}, "undefined"),
        ([[1, 2]], {}, "undefined"),
        ([], {}, "undefined"),
        ([[1, 2], [1]], {}, "type"),
        ([1, 2], {}, "type"),
        ([[1, 2], [-1, 2]], {"level": "ratio"}, "option"),
        ([[1, 2], [1, 2]], {"level": "cardinal"}, "option"),
        ([[1, math.inf], [1, 2]], {"level": "interval"}, "number"),
    ],
)
def test_alpha_of_what_makes_no_sense(judges: Any, options: dict[str, Any], kind: str) -> None:
    assert kind_of(lambda: stats.krippendorff_alpha(judges, **options)) == kind
