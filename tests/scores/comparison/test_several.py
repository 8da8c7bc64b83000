"""Several baselines, systems of several runs, and margins in ``compare``.

Oracles: the definitions by loops, the paired t test, and coverage of simulated intervals.
"""

from __future__ import annotations

import itertools
import math
import random
from pathlib import Path

import cranfield as cf
import numpy as np
import pytest
import scipy.stats
from cranfield import _core


def table(runs: int, topics: int, seed: int) -> cf.Scores:
    chance = random.Random(seed)
    rows = []
    for topic in range(topics):
        hard = chance.random()
        for run in range(runs):
            value = min(1.0, max(0.0, hard + 0.03 * run + chance.gauss(0, 0.15)))
            rows.append((f"r{run}", str(topic), "AP", value))
    return cf.Scores.from_records(rows)


def test_several_baselines_are_corrected_together() -> None:
    scores = table(5, 30, 1)
    found = scores.compare(baseline=["r0", "r1"])
    assert found.baselines == ("r0", "r1")
    assert found.baseline is None
    assert found.options["baseline"] == ["r0", "r1"]
    pairs = [(row.run, row.other) for row in found.rows]
    assert pairs == [(f"r{a}", f"r{b}") for a in (2, 3, 4) for b in (0, 1)]
    each = [scores.compare(baseline=b, correction="none")[a, "AP"].p for a, b in pairs]
    assert [row.p for row in found.rows] == each
    assert [row.p_corrected for row in found.rows] == cf.stats.correct(each, "holm").tolist()
    assert "for 6 comparisons" in found.methods
    assert found["r3", "r1", "AP"].other == "r1"
    assert scores.compare(baseline=["r0"]).baseline == "r0"
    assert "against" in found.to_markdown()
    assert found.top(1).runs[:2] == ("r0", "r1")
    assert len(found.top(1).runs) == 3
    with pytest.raises(cf.Error, match="a run that is none"):
        scores.compare(baseline=list(scores.runs))


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_max_t_is_the_step_down_maximum_over_all_patterns(alternative: str) -> None:
    scores = table(4, 7, 2)
    found = scores.compare(
        baseline="r0", test="randomization", correction="max-t", alternative=alternative
    )
    values = scores.values[:, :, 0]
    d = values[1:] - values[0]

    def statistics(rows: np.ndarray) -> np.ndarray:
        t = rows.mean(axis=1) / (rows.std(axis=1, ddof=1) / math.sqrt(rows.shape[1]))
        return np.asarray({"two-sided": np.abs(t), "greater": t, "less": -t}[alternative])

    observed = statistics(d)
    order = np.argsort(-observed)
    patterns = [statistics(d * np.array(s)) for s in itertools.product((1, -1), repeat=7)]
    expected, most = {}, 0.0
    for place, pair in enumerate(order):
        rest = order[place:]
        share = np.mean([p[rest].max() >= observed[pair] - 1e-9 for p in patterns])
        most = max(most, float(share))
        expected[f"r{pair + 1}"] = most
    assert {row.run: row.p_corrected for row in found.rows} == pytest.approx(expected)
    drawn = cf.stats.randomization_test(scores, baseline=0, exact_up_to=0, seed=3)
    seeded = [drawn.corrected("max-t").pvalue.tolist() for _ in range(2)]
    assert seeded[0] == seeded[1]


def test_max_t_is_for_flipped_signs() -> None:
    with pytest.raises(cf.Error, match="max-t flips signs"):
        table(3, 9, 3).compare(correction="max-t")
    with pytest.raises(cf.Error, match="max-t is for the randomization test"):
        cf.stats.t_test(table(3, 9, 3)).corrected("max-t")


def test_a_margin_has_the_verdicts_of_stats() -> None:
    scores = table(4, 40, 4)
    found = scores.compare(baseline="r1", margin=0.05)
    for row in found.rows:
        now, then = (scores[run, "AP"].tolist() for run in (row.run, "r1"))
        one = cf.stats.verdict(now, then, 0.05)
        assert (row.p_pass, row.p_fail) == (one.p_pass, one.p_fail)
        if row.verdict != one.verdict:
            # Holm's correction over the other runs.
            assert (row.verdict, one.verdict) == ("not known", "fail")
        assert row.mde == pytest.approx(one.mde, rel=1e-12)
    assert found.options["margin"] == {"AP": 0.05}
    text = found.to_markdown()
    assert "margin 0.05" in text
    assert [row.verdict for row in scores.compare(baseline="r1").rows] == [None] * 3
    by_measure = scores.compare(baseline="r1", margin={"AP": 0.05})
    assert [row.verdict for row in by_measure.rows] == [row.verdict for row in found.rows]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": 0.1}, "a margin is for runs and a baseline"),
        ({"margin": -0.1, "baseline": 0}, "at least 0"),
        ({"margin": 1.5, "baseline": 0}, "any loss is within"),
        ({"margin": "2%", "baseline": 0}, "expected a number as margin"),
        ({"margin": {"P@5": 0.1}, "baseline": 0}, "P@5"),
        ({"margin": 0.1, "baseline": 0, "test": "wilcoxon"}, "not about one mean"),
        ({"margin": 0.1, "baseline": 0, "alternative": "less"}, "a side of its own"),
        ({"power": 1.5}, "power between 0 and 1"),
        ({"power": 0.04}, "power above alpha"),
    ],
)
def test_margins_that_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(cf.Error, match=message):
        table(3, 9, 5).compare(**options)  # type: ignore[arg-type]


def by_definition(values: np.ndarray, systems: list[int]) -> tuple[float, float, float]:
    """The difference of systems 0 and 1, its variance and degrees of freedom, written out."""
    n = values.shape[1]
    means, terms = [], []
    for system in (0, 1):
        own = values[[row for row, of in enumerate(systems) if of == system]]
        r = len(own)
        means.append(own.mean(axis=0))
        if r > 1:
            between = own.mean(axis=1).var(ddof=1)
            rest = own - own.mean(axis=1)[:, None] - own.mean(axis=0) + own.mean()
            residual = (rest**2).sum() / ((r - 1) * (n - 1))
            terms += [(between / r, r - 1), (-residual / (n * r), (r - 1) * (n - 1))]
    d = means[0] - means[1]
    terms.append((d.var(ddof=1) / n, n - 1))
    variance = sum(term for term, _ in terms)
    if variance <= terms[-1][0]:
        return d.mean(), terms[-1][0], n - 1
    return d.mean(), variance, variance**2 / sum(t * t / free for t, free in terms)


HOW = {"level": 0.95, "power": 0.8, "alpha": 0.05}


def test_seeds_are_the_definition() -> None:
    rng = np.random.default_rng(6)
    for sizes in ((3, 3), (1, 4), (5, 2), (1, 1)):
        systems = [0] * sizes[0] + [1] * sizes[1]
        for sd in (0.0, 0.05):
            values = rng.random((len(systems), 20)) + rng.normal(0, sd, (len(systems), 1))
            found, _ = _core.system_differences(values, systems, np.array([[0, 1]]), **HOW)
            mean, variance, freedom = by_definition(values, systems)
            error = math.sqrt(variance)
            reach = scipy.stats.t.isf(0.025, freedom) * error
            p = 2 * scipy.stats.t.sf(abs(mean) / error, freedom)
            detectable = cf.stats.mde(20, error * math.sqrt(20))
            expected = [mean - reach, mean + reach, p]
            assert found[0, :3] == pytest.approx(expected, rel=1e-9, abs=1e-12)
            if sizes == (1, 1):
                assert found[0, 3] == pytest.approx(detectable, rel=1e-9)


def test_intervals_with_seeds_cover() -> None:
    """Coverage of 95% intervals: .954 in the documentation; of t over topics .823."""
    rng = np.random.default_rng(7)
    n, r, covered, plain = 50, 3, 0, 0
    systems, pairs = [0] * r + [1] * r, np.array([[0, 1]])
    for _ in range(1500):
        topics = rng.normal(0, 0.1, (2, n)).repeat(r, axis=0)
        values = topics + rng.normal(0, 0.02, (2 * r, 1)) + rng.normal(0, 0.05, (2 * r, n))
        (low, high, *_), *_ = _core.system_differences(values, systems, pairs, **HOW)[0]
        covered += low <= 0 <= high
        d = values[:r].mean(axis=0) - values[r:].mean(axis=0)
        plain += abs(d.mean()) <= scipy.stats.t.isf(0.025, n - 1) * d.std(ddof=1) / math.sqrt(n)
    assert covered / 1500 == pytest.approx(0.954, abs=0.015)
    assert plain / 1500 < 0.9


@pytest.fixture
def seeded() -> dict[str, dict[str, dict[str, float]]]:
    chance = random.Random(8)
    return {
        name: {str(t): {f"d{k}": chance.random() for k in range(6)} for t in range(12)}
        for name in ("a-seed1", "a-seed2", "a-seed3", "b-seed1", "b-seed2", "bm25")
    }


QRELS = {str(t): {"d0": 1, "d1": 0, "d2": 1, "d3": 0} for t in range(12)}
PATTERN = r"(?P<system>.+)-seed\d+"


def test_systems_are_means_over_runs(seeded: dict[str, dict[str, dict[str, float]]]) -> None:
    found = cf.compare(QRELS, seeded, "AP", baseline="bm25", systems=PATTERN)
    assert found.runs == ("bm25", "a", "b")
    scores = cf.evaluate(QRELS, seeded, "AP")
    means = dict(zip(scores.runs, scores.mean()[:, 0].tolist(), strict=True))
    row = found["a", "AP"]
    assert row.mean == pytest.approx(np.mean([means[f"a-seed{k}"] for k in (1, 2, 3)]))
    values = np.ascontiguousarray(scores.values[[0, 1, 2, 5], :, 0])
    mean, variance, freedom = by_definition(values, [0, 0, 0, 1])
    reach = scipy.stats.t.isf(0.025, freedom) * math.sqrt(variance)
    assert (row.interval_low, row.interval_high) == pytest.approx((mean - reach, mean + reach))
    assert row.p == pytest.approx(2 * scipy.stats.t.sf(abs(mean) / math.sqrt(variance), freedom))
    parts = found.options["systems"]
    assert {name: own["runs"] for name, own in parts.items()} == {"a": 3, "b": 2, "bm25": 1}
    assert parts["bm25"]["AP"] == {"between": None, "residual": None}
    assert "a 3, b 2, bm25 1" in found.to_markdown()
    named = {run: run[0] for run in seeded if run != "bm25"}
    same = cf.compare(QRELS, seeded, "AP", baseline="bm25", systems=named)
    assert same["a", "AP"].p == row.p


def test_systems_from_a_file(
    seeded: dict[str, dict[str, dict[str, float]]], tmp_path: Path
) -> None:
    (tmp_path / "systems.txt").write_text("a-seed1 a\na-seed2 a\na-seed3 a\nb-seed1 b\nb-seed2 b\n")
    found = cf.compare(QRELS, seeded, "AP", systems=tmp_path / "systems.txt")
    assert [(row.run, row.other) for row in found.rows] == [
        ("a", "b"),
        ("a", "bm25"),
        ("b", "bm25"),
    ]
    (tmp_path / "systems.txt").write_text("nosuch a\n")
    with pytest.raises(cf.Error, match="nosuch"):
        cf.compare(QRELS, seeded, "AP", systems=tmp_path / "systems.txt")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"systems": "(.+)-nothing"}, "no two of the runs are of one system"),
        ({"systems": r".+-seed\d"}, "expected a group"),
        ({"systems": "(.+"}, "no file and no pattern"),
        ({"systems": PATTERN, "test": "randomization"}, "two-sided t test"),
        ({"systems": PATTERN, "margin": 0.1, "baseline": "bm25"}, "systems of several runs"),
        ({"systems": PATTERN, "baseline": "c"}, "c"),
        ({"systems": {"a-seed1": 3}}, "systems"),
    ],
)
def test_systems_that_are_refused(
    seeded: dict[str, dict[str, dict[str, float]]], options: dict[str, object], message: str
) -> None:
    with pytest.raises(cf.Error, match=message):
        cf.compare(QRELS, seeded, "AP", **options)  # type: ignore[arg-type]
