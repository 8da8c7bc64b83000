"""Ratings from battles: arena-rank (recorded), scipy's optimizer, arithmetic, simulation."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import battles
from scipy.optimize import minimize

from tests.against import answer_cases
from tests.against.recorded_answers import recorded


def three() -> list[tuple[str, str, str | None]]:
    """Wins of the first, of the second and ties: x-y 5/3/2, x-z 7/2/1, y-z 4/4/2."""
    found: list[tuple[str, str, str | None]] = []
    for a, b, wins, losses, ties in (("x", "y", 5, 3, 2), ("x", "z", 7, 2, 1), ("y", "z", 4, 4, 2)):
        found += [(a, b, a)] * wins + [(a, b, b)] * losses + [(a, b, None)] * ties
    return found


def test_the_worked_example_of_arena_rank() -> None:
    found = battles.bradley_terry(three())
    assert found.runs == ("x", "y", "z")
    assert found.rating == pytest.approx([1084.867, 975.730, 939.402], abs=1e-3)
    assert found.standard_error == pytest.approx([50.04, 48.60, 48.51], abs=5e-3)
    assert found.low == pytest.approx([986.8, 880.5, 844.3], abs=0.05)
    assert found.high == pytest.approx([1183.0, 1071.0, 1034.5], abs=0.05)
    assert found.rank_low.tolist() == [1, 1, 1]
    difference = found.difference("x", "z")
    assert difference.difference == pytest.approx(145.46, abs=5e-3)
    assert difference.standard_error == pytest.approx(85.76, abs=5e-3)


def test_arena_rank_computes_the_same() -> None:
    for case, theirs in enumerate(recorded("battles")):
        found = battles.bradley_terry(answer_cases.battles(case))
        for place, run in enumerate(found.runs):
            ours = [found.rating[place], found.low[place], found.high[place]]
            # Its optimizer stops at a gradient of 1e-9 of the mean likelihood.
            assert ours == pytest.approx(theirs[run], abs=2e-3), (case, run)


def test_an_optimizer_finds_the_same_maximum() -> None:
    for case in range(20):
        given = answer_cases.battles(case)
        ridge = 0.0 if case % 2 else 0.3
        found = battles.bradley_terry(given, ridge=ridge)
        places = {run: place for place, run in enumerate(found.runs)}

        def loss(s: np.ndarray, given: object = given, ridge: float = ridge) -> float:
            total = 0.0
            for a, b, winner in given:  # type: ignore[attr-defined]
                d = s[places[a]] - s[places[b]]  # noqa: B023
                y = 0.5 if winner is None else float(winner == a)
                total += np.logaddexp(0, d) - y * d
            return float(total + ridge / 2 * (s @ s))

        best = minimize(loss, np.zeros(len(places)), method="BFGS", options={"gtol": 1e-9})
        strengths = best.x - best.x.mean()
        ratings = 1000 + 400 / math.log(10) * strengths
        assert found.rating == pytest.approx(ratings, abs=1e-3), case


def test_odds_of_two_runs() -> None:
    given = [("a", "b", "a")] * 10 + [("a", "b", "b")]
    found = battles.bradley_terry(given)
    # Odds of ten to one are 400 points.
    assert found.rating == pytest.approx([1200, 800], abs=1e-9)
    assert battles.bradley_terry(given[::-1]).rating.tolist() == found.rating.tolist()
    turned = battles.bradley_terry([(b, a, winner) for a, b, winner in given])
    assert turned.rating.tolist() == found.rating.tolist()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([("a", "b", "a")], r"2 parts, \{a\} > \{b\}"),
        ([("a", "b", None), ("c", "d", None)], r"2 parts, \{[ac], [bd]\} > \{[ac], [bd]\}"),
        (
            [("a", "b", None), ("b", "c", "b"), ("c", "d", None), ("d", "e", "d")],
            r"3 parts, \{a, b\} > \{c, d\} > \{e\}",
        ),
        ([(f"r{k}", "z", f"r{k}") for k in range(9)], r"10 parts, .* and 5 more"),
    ],
)
def test_no_finite_maximum(given: list[tuple[str, str, str | None]], message: str) -> None:
    with pytest.raises(cf.Error, match=message) as caught:
        battles.bradley_terry(given)
    assert caught.value.kind == "undefined"
    assert "ridge=" in str(caught.value)
    found = battles.bradley_terry(given, ridge=0.1)
    assert np.isfinite(found.rating).all()
    assert found.rating.mean() == pytest.approx(1000)


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ([("a", "a", "a")], "duplicate", "on both sides"),
        ([("a", "b", "c")], "option", 'battle 1: the winner "c" is neither'),
        ([("a", "b", "a"), ("a", "b")], "type", r"battle 2: expected \(a, b, winner\)"),
        (["abc"], "type", "battle 1"),
        ([3], "type", "battle 1"),
        ([("a", 3, "a")], "type", "expected the name of a run as text"),
        ([("a", "", "a")], "type", "expected the name of a run"),
        ([("a", "\ud800", "a")], "type", "expected the name of a run"),
        ([], "empty", "expected battles, found none"),
        ("battles.jsonl", "type", "cf.battles.read reads files"),
        (None, "type", "found a NoneType"),
    ],
)
def test_what_are_no_battles(given: Any, kind: str, message: str) -> None:
    for function in (battles.bradley_terry, battles.preference_rates):
        with pytest.raises(cf.Error, match=message) as caught:
            function(given)
        assert caught.value.kind == kind


def test_wrong_options() -> None:
    for options in (
        {"level": 1.0},
        {"intervals": "none"},
        {"ridge": -1.0},
        {"resamples": 1},
        {"seed": -1},
    ):
        with pytest.raises(cf.Error) as caught:
            battles.bradley_terry(three(), **options)
        assert caught.value.kind == "option", options


def test_bootstrap_intervals_are_near_the_sandwich() -> None:
    chance = Random(1)
    given: list[tuple[str, str, str | None]] = []
    for _ in range(600):
        a, b = chance.sample("wxyz", 2)
        given.append((a, b, chance.choice((a, a, b, None)) if a < b else chance.choice((a, b))))
    sandwich = battles.bradley_terry(given)
    drawn = battles.bradley_terry(given, intervals="bootstrap", resamples=800, seed=3)
    assert drawn.rating.tolist() == sandwich.rating.tolist()
    assert drawn.standard_error == pytest.approx(sandwich.standard_error, rel=0.12)
    assert drawn.low == pytest.approx(sandwich.low, abs=6)
    assert drawn.high == pytest.approx(sandwich.high, abs=6)
    one = battles.bradley_terry(given, intervals="bootstrap", resamples=50, seed=3, threads=1)
    two = battles.bradley_terry(
        sorted(given, key=str), intervals="bootstrap", resamples=50, seed=3, threads=2
    )
    assert one.low.tolist() == two.low.tolist()
    few = [("a", "b", "a"), ("a", "b", "b")]
    with pytest.raises(cf.Error, match="resamples of the battles have no finite maximum"):
        battles.bradley_terry(few, intervals="bootstrap")
    assert battles.bradley_terry(few, intervals="bootstrap", ridge=1.0).rating.tolist() == [
        1000.0,
        1000.0,
    ]


def test_intervals_cover() -> None:
    """Of 300 simulations with 200 battles some 95% of intervals of a difference hold it."""
    chance, held = Random(7), 0
    for _ in range(300):
        given = []
        for _ in range(200):
            a, b = chance.sample(("x", "y", "z"), 2)
            d = {"x": 0.5, "y": 0.0, "z": -0.5}
            p = 1 / (1 + math.exp(d[b] - d[a]))
            given.append((a, b, a if chance.random() < p else b))
        found = battles.bradley_terry(given).difference("x", "z")
        held += found.low <= 400 / math.log(10) <= found.high
    # Four standard deviations of a binomial with p = .95.
    assert 0.90 < held / 300 < 1.0


def test_preference_rates_of_the_worked_example() -> None:
    rates = battles.preference_rates(three())
    assert rates["x", "y"] == 0.6
    assert rates["x", "z"] == 0.75
    assert rates["y", "z"] == 0.5
    assert rates["y", "x"] == 0.4
    assert math.isnan(rates["x", "x"])
    assert rates["x"] == (12 + 1.5) / 20
    assert rates.runs == ("x", "y", "z")
    assert rates.wins.tolist() == [12, 7, 6]
    assert rates.ties.tolist() == [3, 4, 3]
    assert rates.losses.tolist() == [5, 9, 11]
    assert rates.battles[0].tolist() == [0, 10, 10]
    with pytest.raises(cf.LabelError, match="no run 'q'"):
        rates["q"]


def test_other_iterables() -> None:
    expected = battles.bradley_terry(three()).rating.tolist()
    assert battles.bradley_terry(iter(three())).rating.tolist() == expected
    assert battles.bradley_terry(map(list, three())).rating.tolist() == expected


def of_topics(seed: int, topics: int = 40) -> list[tuple[str, str, str | None, str]]:
    """Battles whose outcome depends on the topic, too."""
    chance = Random(f"topics {seed}")
    found: list[tuple[str, str, str | None, str]] = []
    for topic in range(topics):
        level = {run: chance.gauss(place / 3, 1.0) for place, run in enumerate("wxyz")}
        for _ in range(chance.randint(1, 12)):
            a, b = chance.sample("wxyz", 2)
            won = chance.random() < 1 / (1 + math.exp(level[b] - level[a]))
            winner = None if chance.random() < 0.15 else a if won else b
            found.append((a, b, winner, f"t{topic}"))
    return found


def test_topics_as_clusters_of_a_regression() -> None:
    """statsmodels: a logistic regression on differences, with errors robust to clusters."""
    models = pytest.importorskip("statsmodels.api")

    for seed in range(10):
        given = of_topics(seed)
        found = battles.bradley_terry(given, by_topic=True)
        assert found.topics == 40
        design = np.zeros((len(given), 4))
        for row, (a, b, _, _) in enumerate(given):
            design[row, "wxyz".index(a)] += 1
            design[row, "wxyz".index(b)] -= 1
        outcome = [0.5 if w is None else float(w == a) for a, _, w, _ in given]
        clusters = [int(topic[1:]) for *_, topic in given]
        fitted = models.GLM(outcome, design[:, 1:], family=models.families.Binomial()).fit(
            tol=1e-12,
            cov_type="cluster",
            cov_kwds={"groups": clusters, "use_correction": False},
        )
        scale = 400 / math.log(10)
        for place, run in enumerate("xyz"):
            ours = found.difference(run, "w")
            assert ours.difference == pytest.approx(scale * fitted.params[place], abs=1e-3)
            # The information here has arena-rank's small term on its diagonal.
            assert ours.standard_error == pytest.approx(scale * fitted.bse[place], rel=1e-3)
        plain = battles.bradley_terry([battle[:3] for battle in given])
        assert plain.rating.tolist() == found.rating.tolist()
        assert plain.topics is None


def test_topics_with_one_battle_each_are_battles() -> None:
    given = [(*battle, str(number)) for number, battle in enumerate(three())]
    by_battle = battles.bradley_terry(three())
    found = battles.bradley_terry(given, by_topic=True)
    assert found.covariance == pytest.approx(by_battle.covariance, rel=1e-7)
    # A battle that is there twice in its topic says nothing new: the covariance stays.
    doubled = battles.bradley_terry([b for b in given for _ in range(2)], by_topic=True)
    assert doubled.covariance == pytest.approx(found.covariance, rel=1e-4)


def test_resampled_topics() -> None:
    given = of_topics(3, topics=150)
    sandwich = battles.bradley_terry(given, by_topic=True)
    drawn = battles.bradley_terry(
        given, by_topic=True, intervals="bootstrap", resamples=400, seed=5
    )
    assert drawn.standard_error == pytest.approx(sandwich.standard_error, rel=0.2)
    turned = [(b, a, winner, topic) for a, b, winner, topic in reversed(given)]
    again = battles.bradley_terry(
        turned, by_topic=True, intervals="bootstrap", resamples=400, seed=5
    )
    assert again.low == pytest.approx(drawn.low, abs=1e-6)


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        (three(), "type", r"battle 1: expected \(a, b, winner, topic\)"),
        ([("a", "b", "a", "")], "type", "battle 1: expected a topic as text"),
        ([("a", "b", None, "1")], "undefined", "at least two topics"),
        ("battles.jsonl", "type", r"expected battles \(a, b, winner, topic\), found a str"),
        ([("a", "b", "c", "1")], "option", "is neither"),
    ],
)
def test_what_are_no_battles_of_topics(given: Any, kind: str, message: str) -> None:
    with pytest.raises(cf.Error, match=message) as caught:
        battles.bradley_terry(given, by_topic=True)
    assert caught.value.kind == kind
