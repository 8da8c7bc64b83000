"""Bars of topics and of differences; the numbers are worked next to the data, or plain loops."""

from __future__ import annotations

import math
from statistics import mean, median
from typing import Any

import cranfield as cf
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_hex

from tests import effort
from tests.plot.seen import Table, assert_readable, many, names, scores, written

SMALL: Table = {
    "a": [0.2, 0.5, None, 0.4],
    "b": [0.3, 0.1, 0.6, 0.4],
    "c": [0.1, 0.2, 0.9, None],
}


def bars(ax: Any) -> dict[str, float]:
    """The bars from left to right."""
    found = {p.get_gid(): p for p in ax.patches if p.get_gid() != "no value"}
    ordered = sorted(found, key=lambda topic: float(found[topic].get_x()))
    return {topic: float(found[topic].get_height()) for topic in ordered}


def legend(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def line(ax: Any, label: str) -> Any:
    (found,) = (one for one in ax.get_lines() if one.get_label().startswith(label))
    return found


def test_bars_of_a_run_by_hand() -> None:
    ax = scores(SMALL).plot.topics("a")
    assert bars(ax) == {"2": 0.5, "4": 0.4, "1": 0.2}
    assert names(ax.xaxis) == ["2", "4", "1", "3"]
    # (.2 + .5 + .4) / 3; of topic 4 the runs a and b have a value, of topic 3 b and c.
    assert line(ax, "mean").get_ydata() == [pytest.approx(1.1 / 3)] * 2
    assert line(ax, "median").get_ydata().tolist() == pytest.approx([0.2, 0.4, 0.2, 0.75])
    assert legend(ax) == ["a", "median of 3 runs", "mean 0.3667", "no value: 1 topic"]
    assert ax.get_ylabel() == "AP (higher is better)"
    assert_readable(ax)


def test_where_lower_is_better_the_lowest_come_first() -> None:
    ax = scores(SMALL, "E").plot.topics("b")
    assert list(bars(ax)) == ["2", "1", "4", "3"]
    assert ax.get_ylabel() == "E (lower is better)"
    assert_readable(ax)
    ax = scores(SMALL, "E").plot.differences("a", "b")
    # .3 - .2, .1 - .5 and .4 - .4
    assert list(bars(ax)) == ["2", "4", "1"]
    assert legend(ax)[:3] == ["b better: 1 topic", "a better: 1 topic", "equal: 1 topic"]
    colors = {p.get_gid(): to_hex(p.get_facecolor()) for p in ax.patches}
    assert (colors["2"], colors["1"]) == ("#0072b2", "#d55e00")
    assert_readable(ax)


def test_bars_of_a_difference_by_hand() -> None:
    ax = scores(SMALL).plot.differences("a", "b")
    # .3 - .2, .4 - .4 and .1 - .5; a has no value on topic 3.
    assert bars(ax) == {"1": pytest.approx(0.1), "4": 0, "2": pytest.approx(-0.4)}
    assert names(ax.xaxis) == ["1", "4", "2", "3"]
    assert line(ax, "mean").get_ydata() == [pytest.approx(-0.1)] * 2
    counts = ["b better: 1 topic", "a better: 1 topic", "equal: 1 topic"]
    assert legend(ax) == [*counts, "mean -0.1000", "no value: 1 topic"]
    assert ax.get_ylabel() == "b less a\nAP (higher is better)"
    colors = {p.get_gid(): to_hex(p.get_facecolor()) for p in ax.patches}
    assert (colors["1"], colors["2"]) == ("#0072b2", "#d55e00")
    assert_readable(ax)


def test_what_has_no_value_is_hatched() -> None:
    ax = scores(SMALL).plot.topics("a")
    hatched: Any
    (hatched,) = (p for p in ax.patches if p.get_gid() == "no value")
    assert hatched.get_hatch()
    # The last of four places.
    assert (hatched.get_x(), hatched.get_width()) == (2.5, 1)


def test_without_a_direction_nothing_is_better() -> None:
    ax = scores(SMALL, "num_ret").plot.differences("a", "b")
    assert legend(ax)[:2] == ["b higher: 1 topic", "a higher: 1 topic"]
    assert ax.get_ylabel() == "b less a\nnum_ret"
    assert ax.get_xlabel() == "topics, highest first"
    assert scores(SMALL, "num_ret").plot.heatmap().get_xlabel().startswith("topics, highest first")


def test_the_line_is_the_summary_of_the_measure() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    found = cf.evaluate(qrels, {"1": {"a": 1}, "2": {"x": 4, "y": 3, "z": 2, "a": 1}}, "GMAP")
    # The root of 1 x 1/4
    assert legend(found.plot.topics("run")) == ["run", "geometric mean 0.5000"]


def test_a_count_is_drawn_with_its_mean() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    found = cf.evaluate(qrels, {"1": {"a": 1}, "2": {"x": 4, "y": 3, "a": 1}}, "num_ret")
    assert legend(found.plot.topics("run")) == ["run", "mean 2.0000"]


def test_the_numbers_of_129_runs_are_those_of_the_scores() -> None:
    found = many()
    values = found.to_dict()
    first, second = found.runs[3], found.runs[100]
    ax = found.plot.topics(first)
    own = {topic: row["AP"] for topic, row in values[first].items()}
    assert bars(ax) == dict(sorted(own.items(), key=lambda one: -one[1]))
    assert line(ax, "mean").get_ydata()[0] == pytest.approx(mean(own.values()))
    medians = [median(values[run][topic]["AP"] for run in found.runs) for topic in bars(ax)]
    assert line(ax, "median").get_ydata().tolist() == pytest.approx(medians)
    assert_readable(ax)
    ax = found.plot.differences(first, second)
    each = {topic: values[second][topic]["AP"] - own[topic] for topic in own}
    assert bars(ax) == dict(sorted(each.items(), key=lambda one: -one[1]))
    assert legend(ax)[0].endswith(f"better: {sum(d > 0 for d in each.values())} topics")
    assert line(ax, "mean").get_ydata()[0] == pytest.approx(mean(each.values()))
    assert_readable(ax)


FLAT: list[Table] = [
    {"a": [1.0] * 40, "b": [1.0] * 40},
    {"a": [0.0] * 40, "b": [1.0] * 40},
    {"a": [1.0] * 40, "b": [0.0] * 40},
    {"a": [0.9] * 39 + [None], "b": [0.8] * 40},
    {"a": [0.5], "b": [0.25]},
    {"a": [-1.0, -2.0], "b": [-3.0, -1.0]},
    {"a": [-1.0, -2.0], "b": [-3.0, -4.0], "c": [-5.0, -6.0]},
    {"a": [0.1, 0.2], "b": [3.0, 4.0], "c": [5.0, 6.0]},
    {"a": [1e-9, 2e-9, 0], "b": [1e9, 2e9, 0]},
]


# Each table with each measure, of one run and of two, the pairs in one order each and on axes of
# both kinds in turn.
DRAWN = [
    (table, measure, runs, given)
    for i, table in enumerate(FLAT)
    for j, measure in enumerate(("AP", "E", "other"))
    for k, runs in enumerate((("a",), ("a", "b"), ("b", "a")))
    for given in (False, True)
    if effort.FULL or ((i + j) % 2 == given and k != 1 + (i + j // 2) % 2)
]


@pytest.mark.parametrize(("table", "measure", "runs", "given"), DRAWN)
def test_nothing_is_cut_off_or_hidden(
    table: Table, measure: str, runs: tuple[str, ...], given: bool
) -> None:
    plot = scores(table, measure).plot
    ax = None
    if given:
        _, ax = pyplot.subplots(figsize=(5, 4), layout="constrained")
    assert_readable(plot.topics(*runs, ax=ax) if len(runs) == 1 else plot.differences(*runs, ax=ax))


def test_more_topics_than_there_is_room_for() -> None:
    found = many(runs=2, topics=1000)
    ax = found.plot.topics(found.runs[1])
    assert_readable(ax)
    assert len(names(ax.xaxis)) == len(bars(ax)) == 1000
    every = written(ax.xaxis)
    assert 100 < len(every) < 300
    assert every == names(ax.xaxis)[:: math.ceil(1000 / len(every))]
    ax.set_xlim(99.5, 120.5)
    assert written(ax.xaxis) == names(ax.xaxis)[100:121]


def test_own_axes_are_used_and_returned() -> None:
    _, (left, right) = pyplot.subplots(1, 2)
    found = scores(SMALL)
    assert found.plot.topics("a", ax=left) is left
    assert found.plot.differences("a", "b", measure="map", ax=right) is right
    assert len(pyplot.get_fignums()) == 1


def test_bars_of_two_plots_do_not_get_the_names_of_one() -> None:
    found = scores(SMALL)
    ax = found.plot.topics("a")
    before = bars(ax), names(ax.xaxis)
    with pytest.raises(cf.Error, match="have other names along an axis, or share it") as caught:
        found.plot.topics("b", ax=ax)
    assert caught.value.kind == "option"
    assert (bars(ax), names(ax.xaxis)) == before
    _, (upper, lower) = pyplot.subplots(2, 1, sharex=True)
    found.plot.topics("a", ax=upper)
    with pytest.raises(cf.Error, match="give axes of their own"):
        found.plot.topics("b", ax=lower)
    # The same topics in the same order fit together.
    found.plot.topics("a", ax=lower)
    upper.clear()
    lower.clear()
    found.plot.topics("b", ax=lower)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda p: p.topics("d", measure="AP"), "label", "no run 'd'; there are: a, b, c"),
        (lambda p: p.topics("a"), "option", "measure= has to say which of AP, E is meant"),
        (lambda p: p.topics("a", measure="RR"), "label", "no measure 'RR'; there are: AP, E"),
        (lambda p: p.topics(1, measure="AP"), "option", "expected text as run, found 1"),
        (lambda p: p.topics("c", measure="E"), "undefined", "run 'c' has no value of E to draw"),
        (
            lambda p: p.topics("a", measure="AP", ax="here"),
            "option",
            "expected axes of matplotlib as ax, found 'here'",
        ),
        (lambda p: p.differences("a", "b"), "option", "measure= has to say which of AP, E is"),
        (lambda p: p.differences("a", "x", measure="AP"), "label", "no run 'x'"),
        (
            lambda p: p.differences("a", "a", measure="AP"),
            "option",
            "expected two runs, found 'a' twice",
        ),
        (
            lambda p: p.differences("a", "c", measure="E"),
            "undefined",
            "no topic has a value of E for both 'a' and 'c'",
        ),
    ],
)
def test_mistakes_are_named_and_leave_no_figure(call: Any, kind: str, message: str) -> None:
    of_e: Table = {"a": [0.1, 0.2], "b": [0.1, None]}
    records = [(r, t, "AP", v) for r, row in SMALL.items() for t, v in enumerate(row)]
    records += [(r, t, "E", v) for r, row in of_e.items() for t, v in enumerate(row)]
    found = cf.Scores.from_records(records)
    with pytest.raises(cf.Error) as caught:
        call(found.plot)
    assert caught.value.kind == kind
    assert message in str(caught.value)
    assert not pyplot.get_fignums()
