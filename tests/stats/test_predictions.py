"""Prediction-powered intervals: ppi-python (recorded), the worked example, simulated coverage.

``CRANFIELD_COVERAGE`` is the number of simulated draws, 2,000 if not given.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable

import cranfield as cf
import numpy as np
import pytest
from cranfield import stats
from numpy.typing import NDArray

from tests.against import answer_cases
from tests.against.recorded_answers import recorded

Y = [0.2, 0.5, 0.4, 0.9, 0, 0.6]
F = [0.3, 0.5, 0.6, 0.8, 0.2, 0.6]
U = [0.4, 0.7, 0.1, 0.9, 0.5, 0.3, 0.6, 0.8, 0.2, 0.5, 0.7, 0.4]


def test_the_worked_example() -> None:
    found = stats.ppi_mean(Y, F, U)
    assert found.lam == pytest.approx(0.700812, abs=5e-7)
    assert found.estimate == pytest.approx(0.439173, abs=5e-7)
    assert found.standard_error == pytest.approx(0.079648, abs=5e-7)
    assert (found.low, found.high) == pytest.approx((0.283066, 0.595281), abs=5e-7)
    assert stats.ppi_mean(Y, F, U, lam=0).estimate == pytest.approx(2.6 / 6, abs=1e-15)
    assert stats.ppi_mean(Y, F, U, lam=1).estimate == pytest.approx(0.441667, abs=5e-7)
    # Gold alone: 2.6 / 6, and the classical variance over that of the estimate times n.
    assert found.gold == pytest.approx(2.6 / 6, abs=1e-15)
    classical = float(np.var(Y)) / 6
    assert found.effective_n == pytest.approx(6 * classical / found.standard_error**2, rel=1e-12)
    assert stats.ppi_mean(Y, F, U, lam=0).effective_n == pytest.approx(6)


def test_ppi_python_computes_the_same() -> None:
    for case, theirs in enumerate(recorded("predictions")):
        y, f, u = answer_cases.predictions(case)
        ours: list[float] = []
        for lam in (None, 1.0):
            found = stats.ppi_mean(y, f, u, lam=lam)
            ours += [found.estimate, found.low, found.high]
        assert ours == pytest.approx(theirs, abs=1e-10), case


def normal(chance: np.random.Generator, size: int) -> tuple[NDArray[np.float64], ...]:
    gold = chance.normal(0.4, 0.2, size)
    return gold, gold + chance.normal(0.05, 0.15, size)


def like_ap(chance: np.random.Generator, size: int) -> tuple[NDArray[np.float64], ...]:
    gold = chance.beta(0.8, 2.0, size)
    return gold, np.clip(0.8 * gold + chance.normal(0.1, 0.1, size), 0, 1)


def weak(chance: np.random.Generator, size: int) -> tuple[NDArray[np.float64], ...]:
    gold = chance.beta(1.5, 2.0, size)
    return gold, 0.15 * gold + chance.beta(2.0, 2.0, size)


@pytest.mark.parametrize(("draw", "mean"), [(normal, 0.4), (like_ap, 0.8 / 2.8), (weak, 1.5 / 3.5)])
def test_intervals_cover_and_are_narrower(
    draw: Callable[[np.random.Generator, int], tuple[NDArray[np.float64], ...]], mean: float
) -> None:
    """100 gold topics of 1,000, drawn anew each time."""
    draws = int(os.environ.get("CRANFIELD_COVERAGE", "2000"))
    chance = np.random.default_rng(5)
    held = 0
    width = classical = 0.0
    correlation: list[float] = []
    for _ in range(draws):
        gold, model = draw(chance, 1000)
        found = stats.ppi_mean(gold[:100], model[:100], model[100:])
        held += found.low <= mean <= found.high
        width += found.high - found.low
        classical += found.gold_high - found.gold_low
        if len(correlation) < 50:
            correlation.append(np.corrcoef(gold, model)[0, 1])
    coverage = held / draws
    # 93.7 to 95.5% in 20,000 draws; four standard deviations more in fewer.
    slack = 4 * math.sqrt(0.05 * 0.95 / draws) if draws < 20_000 else 0.0
    assert 0.937 - slack <= coverage <= 0.955 + slack, coverage
    if np.mean(correlation) > 0.3:
        assert width < classical
    assert width < 1.01 * classical


def test_a_difference_is_the_mean_of_differences() -> None:
    y, f, u = ([Y, F], [F, Y], [U, U[::-1]])
    found = stats.ppi_difference(y, f, u)
    same = stats.ppi_mean(*(np.array(pair[0]) - np.array(pair[1]) for pair in (y, f, u)))
    assert found == same


def test_strata_by_hand() -> None:
    strata = (["a", "a", "b", "b", "b", "a"], ["a", "b"] * 5 + ["b", "b"])
    found = stats.ppi_mean(Y, F, U, strata=strata)
    parts = []
    for name in ("a", "b"):
        own, rest = ([label == name for label in labels] for labels in strata)
        one = stats.ppi_mean(np.array(Y)[own], np.array(F)[own], np.array(U)[rest])
        parts.append((sum(rest) / 12, one))
    estimate = sum(share * one.estimate for share, one in parts)
    variance = sum((share * one.standard_error) ** 2 for share, one in parts)
    assert found.estimate == pytest.approx(estimate, abs=1e-14)
    assert found.standard_error == pytest.approx(math.sqrt(variance), abs=1e-14)
    assert found.lam == tuple(one.lam for _, one in parts)
    one_stratum = stats.ppi_mean(Y, F, U, strata=(["a"] * 6, ["a"] * 12))
    assert one_stratum.estimate == stats.ppi_mean(Y, F, U).estimate


def test_a_model_that_says_nothing() -> None:
    constant = stats.ppi_mean(Y, [0.1] * 6, [0.1] * 12)
    assert constant.lam == 0
    assert (constant.low, constant.high) == (constant.gold_low, constant.gold_high)
    opposite = stats.ppi_mean(Y, [-y for y in Y], U)
    assert opposite.lam == 0
    sure = stats.ppi_mean([0.5, 0.5], [0.1, 0.2], [0.1, 0.3], lam=0)
    assert (sure.low, sure.high, sure.effective_n) == (0.5, 0.5, 2)
    perfect = stats.ppi_mean([0.0, 1.0], [0.0, 1.0], [0.5, 0.5], lam=1)
    assert perfect.effective_n == math.inf


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "message"),
    [
        (([0.1], [0.1], U), {}, "undefined", "at least two gold topics, found 1"),
        ((Y, F, [0.1]), {}, "undefined", "at least two other topics, found 1"),
        ((Y, F[:5], U), {}, "type", "same topics: found 6 and 5"),
        (([math.nan, 1], [0, 1], U), {}, "number", "finite numbers in y"),
        ((Y, F, [math.inf, 1]), {}, "number", "finite numbers in u"),
        (([Y], F, U), {}, "type", "a list of numbers as y"),
        (("ab", F, U), {}, "option", "expected numbers as y"),
        ((Y, F, U), {"lam": 1.5}, "option", "from 0 to 1 as lam"),
        ((Y, F, U), {"level": 1.0}, "option", "level between 0 and 1"),
        ((Y, F, U), {"strata": (["a"] * 6,)}, "option", "strata of 6 gold and 12 other"),
        ((Y, F, U), {"strata": (["a"] * 6, ["b"] * 12)}, "undefined", "of stratum 'a'"),
    ],
)
def test_what_is_refused(
    arguments: tuple[object, ...], options: dict[str, object], kind: str, message: str
) -> None:
    with pytest.raises(cf.Error, match=message) as caught:
        stats.ppi_mean(*arguments, **options)  # type: ignore[arg-type]
    assert caught.value.kind == kind


def test_two_runs_are_needed_for_a_difference() -> None:
    with pytest.raises(cf.Error, match="expected two runs in y, found 3"):
        stats.ppi_difference([Y] * 3, [F] * 3, [U] * 3)


def test_few_gold_topics_bring_a_warning() -> None:
    with pytest.warns(cf.CranfieldWarning, match="6 gold topics are few"):
        stats.ppi_mean(Y, F, U)
