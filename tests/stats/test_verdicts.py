"""Verdicts with a margin, and the power of the paired t test.

Oracles: scipy (t, noncentral t), the definition by loops, closed forms, and error rates on the
differences of real runs.
"""

from __future__ import annotations

import itertools
import math
import os
import random
from pathlib import Path

import cranfield as cf
import numpy as np
import pytest
import scipy.stats
from cranfield._stats import verdicts
from cranfield._stats.verdicts import HowToJudge, Paired, judged

TESTS = ("t", "studentized", "randomization", "bounded")


def pair(seed: int, topics: int = 40) -> tuple[list[float], list[float]]:
    """Scores of two runs: the second mostly, but not always, a little worse."""
    chance = random.Random(seed)
    first = [chance.random() for _ in range(topics)]
    second = [min(1.0, max(0.0, x + chance.gauss(0.01, 0.1))) for x in first]
    return first, second


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("margin", [0.0, 0.01, 0.05, 0.2])
def test_t_is_that_of_scipy(seed: int, margin: float) -> None:
    now, baseline = pair(seed)
    found = cf.stats.verdict(now, baseline, margin)
    d = np.subtract(now, baseline)
    mean, error = d.mean(), d.std(ddof=1) / math.sqrt(len(d))
    reach = scipy.stats.t.isf(0.05, len(d) - 1) * error
    above = scipy.stats.ttest_1samp(d, -margin, alternative="greater").pvalue
    below = scipy.stats.ttest_1samp(d, -margin, alternative="less").pvalue
    assert (found.low, found.high) == pytest.approx((mean - reach, mean + reach), abs=1e-14)
    assert (found.p_pass, found.p_fail) == pytest.approx((above, below), rel=1e-11)
    word = "pass" if mean - reach > -margin else "fail" if mean + reach < -margin else "not known"
    assert found.verdict == word
    assert found.mde == pytest.approx(cf.stats.mde(40, d.std(ddof=1)), rel=1e-12)


def test_power_is_that_of_scipy() -> None:
    worst = 0.0
    for n, effect, alpha in itertools.product(
        (2, 3, 5, 12, 25, 88, 250, 999), (0.05, 0.3, 1.0, -0.4), (0.05, 0.01, 0.2)
    ):
        freedom, shift = n - 1, effect * math.sqrt(n)
        for sides in (1, 2):
            t = scipy.stats.t.isf(alpha / sides, freedom)
            expected = scipy.stats.nct.sf(t, freedom, shift)
            if sides == 2:
                expected += scipy.stats.nct.sf(t, freedom, -shift)
            word = ("one-sided", "two-sided")[sides - 1]
            found = cf.stats.t_test_power(n, effect, alpha=alpha, alternative=word)
            worst = max(worst, abs(found - expected))
    assert worst < 1e-12


def test_sizes_of_the_literature() -> None:
    # Sakai (2016): effects .2, .3, .5, .8 at alpha .05 and power .8
    sizes = [cf.stats.topics_needed(effect) for effect in (0.2, 0.3, 0.5, 0.8)]
    assert sizes == [199, 90, 34, 15]
    assert cf.stats.topics_needed(-0.5) == 34
    for n in (3, 20, 88, 1098):
        effect = cf.stats.mde(n, power=0.9, alternative="one-sided")
        assert cf.stats.topics_needed(effect * (1 + 1e-9), power=0.9, alternative="one-sided") == n
    # Beyond a million topics by an approximation that meets the exact number there.
    assert cf.stats.topics_needed(1e-5) == pytest.approx(
        (scipy.stats.norm.isf(0.025) + scipy.stats.norm.isf(0.2)) ** 2 * 1e10, rel=1e-9
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cf.stats.t_test_power(1, 0.5), "at least 2 topics"),
        (lambda: cf.stats.t_test_power(9, math.inf), "finite"),
        (lambda: cf.stats.t_test_power(9, 0.5, alpha=0), "alpha between 0 and 1"),
        (lambda: cf.stats.t_test_power(9, 0.5, alternative="less"), "two-sided, one-sided"),
        (lambda: cf.stats.mde(9, -1.0), "standard deviation of at least 0"),
        (lambda: cf.stats.mde(9, power=0.05), "a power above alpha"),
        (lambda: cf.stats.topics_needed(0.0), "other than 0"),
        (lambda: cf.stats.topics_needed(1e-300), "no number of topics"),
        (lambda: cf.stats.verdict([0.1], [0.2], 0.1), "at least 2 topics"),
        (lambda: cf.stats.verdict([], [], 0.1), "at least 2 topics"),
        (lambda: cf.stats.verdict([0.1, 0.2], [0.2], 0.1), "as many scores"),
        (lambda: cf.stats.verdict([0.1, math.nan], [0.2, 0.1], 0.1), "finite"),
        (lambda: cf.stats.verdict([0.1, 0.2], [0.2, 0.1], -0.1), "at least 0"),
        (lambda: cf.stats.verdict([0.1, 0.2], [0.2, 0.1], math.nan), "margin"),
        (lambda: cf.stats.verdict([0.1, 0.2], [0.2, 0.1], 2), "any loss is within"),
        (lambda: cf.stats.verdict([0.1, 0.2], [0.2, 0.1], 2, relative=True), "below 100%"),
        (lambda: cf.stats.verdict([1, 2], [2, 1], 0.1, test="percentile"), "too often"),
        (lambda: cf.stats.verdict([1, 2], [2, 1], 0.1, test="wilcoxon"), "not about one mean"),
        (lambda: cf.stats.verdict([1, 2], [2, 1], 0.1, test="x"), "expected one of t,"),
        (lambda: cf.stats.verdict([1, 2], [2, 1], 3, span=None, test="bounded"), "highest value"),
        (lambda: cf.stats.verdict([1, 2], [2, 1], 0.1, relative=True, equal=True), "absolute"),
        (lambda: cf.stats.verdict([-1, -2], [-2, -1], 0.1, relative=True), "at least 0"),
        (lambda: cf.stats.verdict([1, 2], [2, 1], 0.1, better="more"), "higher, lower"),
        (lambda: cf.stats.verdict([1, 2], [2, 1], 0.1, looks=0), "looks"),
        (lambda: cf.stats.verdict([1, 2], [2, 1], 0.1, alpha=0.6), "alpha below .5"),
    ],
)
def test_what_is_not_valid(call: object, message: str) -> None:
    with pytest.raises(cf.Error, match=message):
        call()  # type: ignore[operator]


def test_signs_are_those_of_every_pattern() -> None:
    """The twin: flip the signs of the differences from -margin in all ways, and count."""
    chance = random.Random(3)
    for _ in range(20):
        d = [round(chance.gauss(0, 0.2), 2) for _ in range(7)]
        margin = round(chance.random() / 5, 2)
        shifted = [x + margin for x in d]
        whole = sum(shifted)
        sums = [
            sum(x * s for x, s in zip(shifted, signs, strict=True))
            for signs in itertools.product((1, -1), repeat=7)
        ]
        found = cf.stats.verdict(d, [0.0] * 7, margin, test="randomization")
        assert found.p_pass == sum(x >= whole - 1e-12 for x in sums) / 128
        assert found.p_fail == sum(x <= whole + 1e-12 for x in sums) / 128


def test_bounded_is_the_mean_with_random_weights() -> None:
    """The twin: draw the weights; and the closed form where nothing changed."""
    now, baseline = pair(4, 30)
    d = np.array([*np.subtract(now, baseline), -1.0])
    rng = np.random.default_rng(1)
    weights = rng.exponential(size=(200_000, len(d)))
    means = weights @ d / weights.sum(axis=1)
    found = cf.stats.verdict(now, baseline, 0.05, test="bounded")
    assert found.p_pass == pytest.approx((means <= -0.05).mean(), abs=0.004)
    assert found.low == pytest.approx(np.quantile(means, 0.05), abs=0.002)
    for n in (10, 100, 500):
        same = [0.5] * n
        limit = 1 - 0.05 ** (1 / n)
        found = cf.stats.verdict(same, same, limit * 1.001, test="bounded")
        assert found.verdict == "pass"
        assert found.low == pytest.approx(-limit, abs=1e-9)
        under = cf.stats.verdict(same, same, limit * 0.999, test="bounded")
        assert under.verdict == "not known"
        assert under.topics_needed is None or under.topics_needed > n


def test_studentized_is_the_bootstrap_of_t() -> None:
    now, baseline = pair(5)
    d = np.subtract(now, baseline)
    rng = np.random.default_rng(2)
    drawn = rng.choice(d, size=(100_000, len(d)))
    t = (drawn.mean(axis=1) - d.mean()) / (drawn.std(axis=1, ddof=1) / math.sqrt(len(d)))
    error = d.std(ddof=1) / math.sqrt(len(d))
    found = cf.stats.verdict(now, baseline, 0.02, test="studentized", seed=7)
    assert found.low == pytest.approx(d.mean() - np.quantile(t, 0.95) * error, abs=0.1 * error)
    assert found.p_pass == pytest.approx((t >= (d.mean() + 0.02) / error).mean(), abs=0.01)
    again = cf.stats.verdict(now, baseline, 0.02, test="studentized", seed=7)
    assert again == found
    assert cf.stats.verdict(now, baseline, 0.02, test="studentized", seed=8) != found


@pytest.mark.parametrize("test", TESTS)
def test_lower_may_be_better(test: str) -> None:
    now, baseline = pair(6)
    up = cf.stats.verdict(now, baseline, 0.05, test=test)
    ones = np.ones(len(now))
    down = cf.stats.verdict(
        (ones - now).tolist(), (ones - baseline).tolist(), 0.05, better="lower", test=test
    )
    assert (down.verdict, down.note) == (up.verdict, up.note)
    assert down.p_pass == pytest.approx(up.p_pass, abs=2e-3)
    assert (down.low, down.high) == pytest.approx((-up.high, -up.low), abs=2e-3)
    relative = cf.stats.verdict(now, baseline, 0.1, relative=True, better="lower", test=test)
    d = np.subtract([1.1 * x for x in baseline], now)
    plain = cf.stats.verdict(d.tolist(), [0.0] * len(d), 0.0, test=test, span=2.0)
    if test != "bounded":
        assert relative.p_pass == pytest.approx(plain.p_pass, abs=1e-9)


def test_a_relative_margin_is_a_contrast() -> None:
    now, baseline = pair(7)
    found = cf.stats.verdict(now, baseline, 0.05, relative=True)
    contrast = np.subtract(now, [0.95 * x for x in baseline])
    expected = scipy.stats.ttest_1samp(contrast, 0, alternative="greater").pvalue
    assert found.p_pass == pytest.approx(expected, rel=1e-11)
    assert found.margin == pytest.approx(0.05 * np.mean(baseline))
    middle = (found.low + found.high) / 2
    assert middle == pytest.approx(np.mean(now) - np.mean(baseline))


def test_equality_is_two_tests() -> None:
    now, baseline = pair(8)
    d = np.subtract(now, baseline)
    found = cf.stats.verdict(now, baseline, 0.06, equal=True)
    tests = [
        scipy.stats.ttest_1samp(d, theta, alternative=way).pvalue
        for theta, way in ((-0.06, "greater"), (0.06, "less"))
    ]
    assert found.p_pass == pytest.approx(max(tests), rel=1e-11)
    assert found.verdict == "pass"
    gained = cf.stats.verdict([x + 0.2 for x in now], baseline, 0.06, equal=True, span=None)
    assert gained.verdict == "fail"


def test_notes() -> None:
    same = [0.1, 0.5, 0.3] * 30
    found = cf.stats.verdict(same, same, 0.0)
    assert found.verdict == "pass"
    assert (
        found.note == "no topic changed: a change that hits fewer than 1 topic in 30 would not show"
    )
    few = [x + (0.01 if place < 3 else 0) for place, x in enumerate(same)]
    found = cf.stats.verdict(few, same, 0.01)
    assert found.verdict == "pass"
    assert "only 3 of 90 topics changed" in found.note
    assert '"bounded"' in found.note
    assert cf.stats.verdict(few, same, 0.01, test="bounded").verdict == "not known"
    better = [x + 0.05 + 0.001 * (place % 7) for place, x in enumerate(same)]
    assert cf.stats.verdict(better, same, 0.01).note == "better"
    assert cf.stats.verdict(same, better, 0.2).note == "worse, within the margin"
    assert cf.stats.verdict(same, better, 0.01).verdict == "fail"


def test_exactly_the_margin_on_every_topic_is_not_known() -> None:
    baseline = [0.1 * k for k in range(1, 10)] * 4
    now = [x - 0.05 for x in baseline]
    for test in ("t", "studentized", "randomization"):
        assert cf.stats.verdict(now, baseline, 0.05, test=test).verdict == "not known"
        assert cf.stats.verdict(now, baseline, 0.06, test=test).verdict == "pass"
        assert cf.stats.verdict(now, baseline, 0.04, test=test).verdict == "fail"


def test_failing_is_corrected_and_passing_is_not() -> None:
    chance = random.Random(9)
    rows = []
    for _ in range(12):
        now, baseline = pair(chance.randrange(1000))
        rows.append(Paired([x - 0.035 for x in now], baseline, "higher", 0.01, span=None))
    together = judged(rows, HowToJudge())
    alone = [judged([row], HowToJudge())[0] for row in rows]
    corrected = cf.stats.correct([one.p_fail for one in alone], "holm")
    for one, by_itself, p in zip(together, alone, corrected, strict=True):
        assert one.p_fail == by_itself.p_fail
        assert (one.verdict == "fail") == (p <= 0.05)
        assert (one.verdict == "pass") == (by_itself.verdict == "pass")
    assert sum(one.verdict == "fail" for one in alone) > sum(
        one.verdict == "fail" for one in together
    )


DATA = os.environ.get("CRANFIELD_DATA", "")
MATRICES = {
    "robust ap": "sigir2019-standardization/data/robust2004_ap.csv",
    "robust ndcg": "sigir2019-standardization/data/robust2004_ndcg.csv",
    "trec8 p10": "sigir2019-statistical/data/adhoc8_p10.csv",
    "trec8 rr": "sigir2019-statistical/data/adhoc8_rr.csv",
}
LEVELS = {
    ("t", 25): (0.048, 0.057), ("t", 50): (0.048, 0.053), ("t", 100): (0.047, 0.053),
    ("studentized", 25): (0.055, 0.068), ("studentized", 50): (0.052, 0.055),
    ("studentized", 100): (0.051, 0.053), ("randomization", 25): (0.048, 0.057),
    ("randomization", 50): (0.049, 0.052), ("randomization", 100): (0.048, 0.051),
    ("bounded", 25): (0.0, 0.013), ("bounded", 50): (0.0, 0.021),
}  # fmt: skip
"""P(pass) at the margin in the documentation, from 60 pairs of 400 samples."""


def at_margin(now: np.ndarray, margin: float, test: str) -> Paired:
    """Differences and a margin; 0 where the test does not look at the range of the measure."""
    moved = 0.0 if test == "bounded" else margin
    return Paired(now + moved, np.zeros_like(now), "higher", margin - moved)  # type: ignore[arg-type]


@pytest.mark.skipif(not DATA, reason="no CRANFIELD_DATA")
@pytest.mark.parametrize(("test", "n"), LEVELS)
def test_a_loss_of_the_margin_passes_as_often_as_documented(
    test: str, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verdicts, "RESAMPLES", 199)
    pairs, samples = (15, 15) if test == "bounded" else (60, 60)
    lowest, highest = LEVELS[test, n]
    for name, path in MATRICES.items():
        rng = np.random.default_rng(1)
        file = Path(DATA) / "urbano-matrices" / path
        matrix = np.loadtxt(file, delimiter=",", skiprows=1)
        rows = []
        for _ in range(pairs):
            a, b = rng.choice(matrix.shape[1], 2, replace=False)
            d = matrix[:, a] - matrix[:, b]
            drawn = rng.choice(d, (samples, n))
            rows += [at_margin(now, -d.mean(), test) for now in drawn]
        found = judged(rows, HowToJudge(test, seed=1))
        share = np.mean([one.p_pass <= 0.05 for one in found])
        assert lowest - 0.015 <= share <= highest + 0.015, name


@pytest.mark.parametrize(
    ("n", "changed", "t", "bounded"), [(50, 1, 0.362, 0), (100, 3, 0.193, 0.036)]
)
def test_few_changed_topics_as_documented(n: int, changed: float, t: float, bounded: float) -> None:
    rng = np.random.default_rng(2)
    now = -(rng.random((2000, n)) < changed / n).astype(float)
    for test, share in (("t", t), ("bounded", bounded)):
        part = now if test == "t" else now[:200]
        rows = [at_margin(row, changed / n, test) for row in part]
        passed = np.mean([one.p_pass <= 0.05 for one in judged(rows, HowToJudge(test))])
        assert passed == pytest.approx(share, abs=0.03)
