"""Discriminative power and overlap, against ``scipy`` and plain loops."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from cranfield import meta
from scipy import stats as scipy_stats

from tests.analysis.meta.small import NAMES, drawn, pairs_of, with_values


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
        assert found.table().to_dict()[NAMES[m]] == {
            "power": found.power[m],
            "power of different": found.power_of_different[m],
            "required difference": min(enough),
        }
    assert repr(found).startswith(
        "<DiscriminativePower: 7 runs, 21 pairs, t test, alpha 0.1>\nmeasure "
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


@pytest.mark.parametrize("test", ["bootstrap", "randomization", "tukey_randomized"])
def test_power_under_tests_that_draw_is_theirs(test: str) -> None:
    values = drawn(6, 24, 2, seed=3)
    options: dict[str, Any] = {"resamples": 400, "seed": 5, "threads": 1}
    found = meta.discriminative_power(with_values(values), test, **options)
    tests: dict[str, Callable[..., Any]] = {
        "bootstrap": cf.stats.bootstrap_test,
        "randomization": cf.stats.randomization_test,
        "tukey_randomized": lambda *a, **k: cf.stats.tukey_hsd(*a, method="randomized", **k),
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


def test_tukey_is_the_parametric_test_and_a_warning_says_so() -> None:
    values = drawn(5, 12, 1, seed=9)
    with pytest.warns(cf.CranfieldWarning, match="tukey_randomized is the one"):
        found = meta.discriminative_power(with_values(values), "tukey")
    assert found.pvalues[0].tolist() == cf.stats.tukey_hsd(values[:, :, 0]).pvalue.tolist()
