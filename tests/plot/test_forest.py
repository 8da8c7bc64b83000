"""Differences with intervals; scipy and statsmodels are the oracles."""

from __future__ import annotations

import math
from typing import Any

import cranfield as cf
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_hex

from tests.plot.seen import Table, assert_readable, many, names, scores, written

SMALL: Table = {
    "base": [0.2, 0.5, 0.3, 0.4],
    "up": [0.4, 0.6, 0.5, 0.6],
    "same": [0.3, 0.4, 0.4, 0.3],
    "down": [0.1, 0.2, 0.1, 0.1],
}


def intervals(ax: Any) -> dict[str, Any]:
    """The lines of the pairs from top to bottom, by their names."""
    found = [line for line in ax.get_lines() if len(line.get_xdata()) == 3]
    found.sort(key=lambda line: float(line.get_ydata()[0]))
    assert [list(line.get_ydata()) for line in found] == [[i] * 3 for i in range(len(found))]
    low, high = ax.get_ylim()
    assert low > high
    return {line.get_gid(): line for line in found}


def test_intervals_are_those_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    found = scores(SMALL)
    ax = found.plot.forest("base")
    drawn = intervals(ax)
    assert list(drawn) == names(ax.yaxis) == written(ax.yaxis) == ["up", "same", "down"]
    tests = [stats.ttest_rel(SMALL[run], SMALL["base"]) for run in drawn]
    corrected = multitest.multipletests([test.pvalue for test in tests], method="holm")[1]
    assert (corrected < 0.05).tolist() == [True, False, True]
    for line, test, run, p in zip(drawn.values(), tests, drawn, corrected, strict=True):
        each = np.array(SMALL[run], float) - np.array(SMALL["base"], float)
        ends = test.confidence_interval(0.95)
        np.testing.assert_allclose(line.get_xdata(), [ends.low, each.mean(), ends.high], atol=1e-12)
        filled = line.get_markerfacecolor() == line.get_color()
        assert filled == (p < 0.05)
        assert line.get_markevery() == [1]
    assert [to_hex(drawn[run].get_color()) for run in ("up", "down")] == ["#0072b2", "#d55e00"]
    assert ax.get_xlabel() == (
        "difference from base\nin AP (higher is better)\n95% intervals; filled: p(holm) below 0.05"
    )
    assert_readable(ax)


def test_where_lower_is_better_the_lowest_difference_is_on_top() -> None:
    drawn = intervals(scores(SMALL, "E").plot.forest("base"))
    assert list(drawn) == ["down", "same", "up"]
    assert [to_hex(drawn[run].get_color()) for run in ("up", "down")] == ["#d55e00", "#0072b2"]


def test_a_comparison_draws_the_same() -> None:
    found = scores(SMALL)
    options: Any = {"baseline": "base", "level": 0.8, "correction": "none", "alpha": 0.01}
    of_scores = found.plot.forest(**options)
    of_comparison = found.compare(**options).plot.forest()
    one, other = (
        {gid: np.asarray(line.get_xydata()).tolist() for gid, line in intervals(ax).items()}
        for ax in (of_scores, of_comparison)
    )
    assert one == other
    assert of_scores.get_xlabel() == of_comparison.get_xlabel()
    assert of_scores.get_xlabel().endswith("80% intervals; filled: p below 0.01")


def test_rows_are_sorted_as_asked() -> None:
    compared = scores(SMALL).compare(baseline="base")
    assert list(intervals(compared.plot.forest(sort=None))) == [row.run for row in compared.rows]
    by_p = [row.run for row in compared.sort("p").rows]
    assert list(intervals(compared.plot.forest(sort="p"))) == by_p
    assert list(intervals(compared.sort("p").plot.forest(sort=None))) == by_p


def test_without_a_baseline_there_are_all_pairs() -> None:
    found = scores(SMALL)
    ax = found.plot.forest()
    drawn = intervals(ax)
    rows = {f"{row.run} - {row.other}": row for row in found.compare().rows}
    assert len(drawn) == 6
    assert sorted(drawn) == sorted(rows)
    for name, line in drawn.items():
        row = rows[name]
        assert list(line.get_xdata()) == [row.interval_low, row.difference, row.interval_high]
    differences = [rows[name].difference for name in drawn]
    assert differences == sorted(differences, reverse=True)
    assert ax.get_xlabel().startswith("difference\nin AP")
    assert_readable(ax)


def test_an_interval_without_an_end_leads_to_the_edge() -> None:
    ax = scores(SMALL).compare(baseline="base", alternative="greater").plot.forest()
    rows = {
        row.run: row for row in scores(SMALL).compare(baseline="base", alternative="greater").rows
    }
    left, right = ax.get_xlim()
    for name, line in intervals(ax).items():
        low, difference, high = line.get_xdata()
        assert (low, difference) == (rows[name].interval_low, rows[name].difference)
        assert math.isinf(rows[name].interval_high)
        assert left < low < difference < high < right
    arrows = [line for line in ax.get_lines() if line.get_gid() == "no end"]
    assert [arrow.get_marker() for arrow in arrows] == [">"] * 3
    assert_readable(ax)


def test_129_runs_are_readable() -> None:
    found = many()
    ax = found.plot.forest(found.runs[60])
    assert_readable(ax)
    assert len(written(ax.yaxis)) == len(intervals(ax)) == 128
    assert set(intervals(ax)) == set(found.runs) - {found.runs[60]}
    _, small = pyplot.subplots(layout="constrained")
    assert_readable(found.plot.forest(found.runs[60], ax=small))
    assert list(intervals(small)) == names(ax.yaxis)


def test_runs_without_any_difference_are_drawn() -> None:
    ax = scores({"a": [0.5, 0.5], "b": [0.5, 0.5]}).plot.forest("a")
    assert list(intervals(ax)["b"].get_xdata()) == [0, 0, 0]
    assert_readable(ax)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda p: p.forest("x"), "label", "no run 'x'"),
        (lambda p: p.forest("base", test="u"), "option", "as test, found 'u'"),
        (lambda p: p.forest("base", level=2.0), "option", "expected level between 0 and 1"),
        (lambda p: p.forest("base", measure="RR"), "label", "no measure 'RR'"),
        (lambda p: p.forest("base", ax=[]), "option", "expected axes of matplotlib as ax"),
        (lambda p: p.forest("base", sort="size"), "label", "no measure 'size'"),
        (lambda p: p.forest(4), "option", "expected text as baseline, found 4"),
    ],
)
def test_mistakes_are_named_and_leave_no_figure(call: Any, kind: str, message: str) -> None:
    with pytest.raises(cf.Error) as caught:
        call(scores(SMALL).plot)
    assert caught.value.kind == kind
    assert message in str(caught.value)
    assert not pyplot.get_fignums()


def test_one_of_several_measures_has_to_be_named() -> None:
    both = cf.Scores.concat([scores(SMALL), scores(SMALL, "E")], axis="measure")
    for plot in (both.plot, both.compare(baseline="base").plot):
        with pytest.raises(cf.Error, match="measure= has to say which of AP, E is meant"):
            plot.forest()
    ax = both.compare(baseline="base").plot.forest(measure="E")
    assert list(intervals(ax)) == ["down", "same", "up"]


def test_more_pairs_than_anyone_reads_are_not_drawn_unasked() -> None:
    found = many(runs=11, topics=5)
    with pytest.raises(cf.Error, match="11 runs are 55 pairs: name a baseline"):
        found.plot.forest()
    assert len(intervals(found.plot.forest(all_pairs=True))) == 55
