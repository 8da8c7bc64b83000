"""Sections of a report about runs: verdict, leaderboard, differences, distribution, agreement."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

from cranfield import meta
from cranfield._base.scores_like import best
from cranfield._base.text import UNDEFINED, counted, printable, pvalue
from cranfield._core import Error, run_findings
from cranfield._pages import svg, table
from cranfield._pages.table import exact, number_text, percent, signed
from cranfield._report.results import UNITS, Results
from cranfield._scoring import notices
from cranfield._stats.differences import Difference
from cranfield._stats.registry import of_zeros, too_few_for_tau
from cranfield._stats.tiers import Tiers

LOW = 0.8
"""A run of which less than this share of the first ten documents is judged is warned of."""


def verdict(results: Results) -> dict[str, Any]:
    """What a reader has to know first: warnings, who is best, and how sure that is."""
    best, second = results.best, results.order[min(1, len(results.order) - 1)]
    other = results.scores.runs[second if results.baseline is None else best]
    rows = results.differences.values()
    moved = [results.turned * row.difference for row in rows if row.significant]
    return {
        "warnings": [*_notes(results), *_zeros(results), *_unjudged(results)],
        "value": float(results.summary[best, 0]),
        "low": float(results.interval.low[best, 0]),
        "high": float(results.interval.high[best, 0]),
        "unit": UNITS[results.scores.core.measures[0].aggregate],
        "against": results.differences.get(other),
        "tied": 0 if results.tiers is None else len(_tied(results)),
        "above": sum(change > 0 for change in moved),
        "below": sum(change < 0 for change in moved),
        "judged": _judged(results),
    }


def _tied(results: Results) -> list[str]:
    """The runs that the test cannot tell from the best one."""
    best = results.best
    if results.pvalues is None:
        return []
    return [
        results.scores.runs[place]
        for place in results.order
        if place != best and not results.pvalues[place, best] < results.testing.alpha
    ]


def _notes(results: Results) -> list[str]:
    """What evaluating passed over."""
    notes = results.scores.core.notes
    if results.lists is None:
        return run_findings(notes, len(results.scores.topics), "zero")
    lists = results.lists
    return notices.of_all(
        notes,
        lists.qrels,
        lists.measures,
        missing=lists.options.get("missing") or "zero",
        undefined=lists.options.get("undefined") or "zero",
        label="The judgments",
    )


def _zeros(results: Results) -> list[str]:
    """Runs without a relevant document, whose p-values say nothing else."""
    measures = results.scores.core.measures
    rising = [
        place
        for place, measure in enumerate(measures)
        if measure.better == "higher" and measure.aggregate == "mean" and measure.family != "Judged"
    ]
    means = zip(results.scores.runs, results.scores.mean()[:, rising].tolist(), strict=True)
    return of_zeros(dict(means), results.scores.notes) if rising else []


def _unjudged(results: Results) -> Iterator[str]:
    """Runs of which much was not judged."""
    shares = results.judged_at_ten
    low = [
        (share, place)
        for place, share in enumerate(shares)
        if share < LOW and not math.isnan(share)
    ]
    if not low:
        return
    share, place = min(low)
    if len(shares) == 1:
        found = f"less than {percent(LOW)} of the first ten documents are judged: {percent(share)}"
    else:
        runs, verb = counted(len(low), "run"), "has" if len(low) == 1 else "have"
        found = (
            f"{runs} {verb} less than {percent(LOW)} of the first ten documents judged; the "
            f"lowest is {results.scores.runs[place]} with {percent(share)}"
        )
    yield f"{found}. Scores may be too low: see Judgment coverage"


def _judged(results: Results) -> tuple[float, float] | None:
    """The lowest and the highest share of judged documents among the first ten."""
    known = [share for share in results.judged_at_ten if not math.isnan(share)]
    return (min(known), max(known)) if known else None


FEW_LETTERS = 4
"""A run in more groups than this shows the first and the last of their letters."""


def leaderboard(results: Results) -> dict[str, Any]:
    """The table of all runs and measures."""
    runs = results.runs(results.order)
    pinned = None if results.baseline is None else results.order.index(results.baseline)
    places = list(range(len(runs)))
    if pinned is not None:
        places.insert(0, places.pop(pinned))
    columns = _leaderboard(results)
    ordered = [table.Column(title, [cells[place] for place in places]) for title, cells in columns]
    rows = [Markup(' id="run={}"').format(printable(runs[place])) for place in places]
    if pinned is not None:
        rows[0] += Markup(' class="pinned"')
    attributes = ' id="runs" class="sortable" data-name="leaderboard"'
    return {"table": table.table(ordered, attributes, rows=rows, pinned=int(pinned is not None))}


def _leaderboard(results: Results) -> Iterator[table.Column]:
    """The columns of the leaderboard."""
    runs = results.runs(results.order)
    numbered = [table.cell(str(n), "place", str(n)) for n in range(1, len(runs) + 1)]
    label = Markup('<th scope="col" class="place" data-first="up" aria-label="Place by {}">#</th>')
    yield table.Column(label.format(results.main), numbered)
    baseline = None if results.baseline is None else results.scores.runs[results.baseline]
    named = (table.linked(run, "run") + (" (baseline)" if run == baseline else "") for run in runs)
    yield table.column("Run", map(table.heading, named), "", "up")
    for place, (measure, better) in enumerate(results.scores.better.items()):
        less = Markup('<span class="less" title="less is better"> ↓</span>')
        title = escape(printable(measure)) + (less if better == "lower" else "")
        cells = _column(results, place, main=place == 0)
        yield table.column(title, cells, "value", "up" if better == "lower" else "down")
        if place == 0 and results.tiers is not None:
            yield from _tiers(results.tiers, runs)


def _column(results: Results, measure: int, *, main: bool) -> list[Markup]:
    """The cells of a measure, by rank of the run: the value and its drawing."""
    values = results.summary[:, measure].tolist()
    lows = results.interval.low[:, measure].tolist()
    highs = results.interval.high[:, measure].tolist()
    scale = svg.spanning([*values, *highs])
    first = best(values, results.scores.core.measures[measure]) if len(values) > 1 else None
    count = results.scores.core.measures[measure].aggregate == "sum"
    found = []
    for place in results.order:
        value = values[place]
        mark = svg.interval(scale, value, lows[place], highs[place])
        kind = f"value{' main' * main}{' best' * (value == first)}"
        text = escape(number_text(value, count=count))
        found.append(table.cell(text + mark, kind, exact(value)))
    return found


def _tiers(tiers: Tiers, runs: Sequence[str]) -> Iterator[table.Column]:
    """The tier of each run, and where it ranks when topics are resampled."""
    rows = zip(tiers.runs, tiers.letters, tiers.rank_low, tiers.rank_high, strict=True)
    by_run = {run: own for run, *own in rows}
    letters, ranks = [], []
    for run in runs:
        own, low, high = by_run[run]
        letters.append(table.cell(shortened(own), "tier"))
        text = f"{low}–{high}" if low < high else f"{low}"  # noqa: RUF001
        ranks.append(table.cell(text, "ranks", str(low)))
    yield table.column("Tier", letters, "", "up")
    yield table.column("Ranks", ranks, "ranks", "up")


def shortened(letters: str) -> str:
    """The letters of a run's groups; many are shown as a range."""
    each = re.findall(r"\.*[a-zA-Z]", letters)
    return letters if len(each) <= FEW_LETTERS else f"{each[0]}–{each[-1]}"  # noqa: RUF001


def differences(results: Results) -> dict[str, Any]:
    """Differences to the baseline, each with its interval: a forest plot."""
    differences = list(results.differences.values())
    ends = [end for row in differences for end in (row.interval_low, row.interval_high)]
    scale = svg.symmetric([*ends, *(row.difference for row in differences)])
    kinds = [_direction(row, results) for row in differences]
    marks = [
        svg.effect(scale, row.difference, row.interval_low, row.interval_high, kind)
        for row, kind in zip(differences, kinds, strict=True)
    ]
    columns = [
        table.names("Run", [row.run for row in differences], "run"),
        table.drawn(table.ends(signed(-scale.high), signed(scale.high), "0"), marks),
        table.numbers("Difference", [row.difference for row in differences], text=signed),
        table.column(
            f"{100 * results.testing.level:g}% interval",
            (_of_interval(row.interval_low, row.interval_high) for row in differences),
        ),
        table.numbers("MDE", [_known(row.mde) for row in differences], "up"),
        table.numbers("p", [row.p_corrected for row in differences], "up", text=pvalue),
        table.numbers("Effect size", [row.effect_size for row in differences], text=_effect),
        table.column("Topics W/T/L", map(_of_topics, differences)),
    ]
    rows = [f' class="{kind}"' if kind else "" for kind in kinds]
    return {"table": table.sortable(columns, "differences", rows=rows) if differences else ""}


def _direction(row: Difference, results: Results) -> str:
    """How a difference is colored."""
    if not row.significant or results.better is None:
        return ""
    return "up" if results.turned * row.difference > 0 else "down"


def _of_interval(low: float, high: float) -> Markup:
    return table.cell(f"{signed(low)} … {signed(high)}", "interval", exact(low))


def _of_topics(row: Difference) -> Markup:
    return table.cell(f"{row.wins} / {row.ties} / {row.losses}", "interval", str(row.wins))


def _known(value: float | None) -> float:
    return math.nan if value is None else value


def _effect(size: float | None) -> str:
    """An effect size as printed."""
    return UNDEFINED if size is None else f"{size:+.2f}"


def distribution(results: Results) -> dict[str, Any]:
    """How the values of each run are spread over topics."""
    scale = svg.spanning(results.by_topic.ravel().tolist())
    shown = results.by_topic[results.shown]
    known = [values[~np.isnan(values)] for values in shown]
    nothing = [math.nan] * 3
    quartiles = [np.quantile(of, (0.25, 0.5, 0.75)) if len(of) else nothing for of in known]
    titles = "Lower quartile", "Median", "Upper quartile"
    of_titles = zip(titles, np.transpose(quartiles).tolist(), strict=True)
    columns = [
        table.names("Run", results.runs(results.shown), "run"),
        table.drawn(
            table.ends(number_text(scale.low), number_text(scale.high)),
            [svg.box(scale, values) for values in shown],
        ),
        *(table.numbers(title, values) for title, values in of_titles),
        table.numbers("Topics at 0", [int((of == 0).sum()) for of in known], "up", text=str),
    ]
    if results.competitors:
        firsts = [_firsts(results, place) for place in results.shown]
        columns.append(table.numbers("Topics best", firsts, text=str))
    return {"table": table.sortable(columns, "distribution")}


def _firsts(results: Results, run: int) -> int:
    """In how many topics no run has a better value."""
    turned = results.turned * results.by_topic
    known = np.where(np.isnan(turned), -np.inf, turned)
    found = np.isfinite(known[run]) & (known[run] >= known.max(axis=0))
    return int(found.sum())


PVALUE_STEPS = ((0.001, "strong"), (0.01, "firm"), (0.05, "weak"))
"""Below which p-values cells are colored, and how."""


def agreement(results: Results) -> dict[str, Any]:
    """Which pairs of runs differ, and whether measures agree on the order of runs."""
    return {
        "matrix": _matrix(results),
        "taus": _taus(results),
        "few": too_few_for_tau(len(results.scores.runs)),
    }


def _matrix(results: Results) -> str:
    """The corrected p-values of the runs that are shown."""
    if results.pvalues is None:
        return ""
    shown, runs = results.shown, results.runs(results.shown)
    numbered = (
        Markup('<span class="index">{}</span> {}').format(number, table.linked(run, "run"))
        for number, run in enumerate(runs, 1)
    )
    title = Markup('<th scope="col" aria-label="{}" title="{}">{}</th>').format
    heads = (title(*[printable(run)] * 2, number) for number, run in enumerate(runs, 1))

    def shown_as(value: float) -> str:
        return pvalue(value).replace(" ", "")

    values = results.pvalues[np.ix_(shown, shown)]
    return _square("p-values", ["Run", *numbered], heads, values, shown_as, _kind)


def _square(
    name: str,
    labels: Sequence[str],
    heads: Iterable[Markup],
    values: NDArray[np.float64],
    text: Callable[[float], str],
    kind: Callable[[float], str],
) -> Markup:
    """A table of pairs, colored by their values; ``labels`` are the first column."""
    columns = [table.column(labels[0], map(table.heading, labels[1:]))]
    for head, own in zip(heads, values.T.tolist(), strict=True):
        cells = [
            table.cell("", "same")
            if math.isnan(value)
            else table.cell(text(value), kind(value), exact(value))
            for value in own
        ]
        columns.append(table.Column(head, cells))
    return table.table(columns, f' class="matrix" data-name="{name}"')


def _kind(pvalue: float) -> str:
    """How a cell is colored."""
    return next((kind for limit, kind in PVALUE_STEPS if pvalue < limit), "")


TAU_STEPS = ((0.9, "strong"), (0.8, "firm"), (0.6, "weak"))
"""From which taus cells are colored, and how."""


def _taus(results: Results) -> str:
    """Kendall's tau of all pairs of measures that say how good a run is."""
    directed = [name for name, better in results.scores.better.items() if better is not None]
    if len(directed) < 2 or len(results.scores.runs) < 3:
        return ""
    try:
        found = meta.correlation(results.scores.sel(measure=directed))
    except Error:
        # Undefined scores, or runs that all have the same mean.
        return ""
    labels = list(map(printable, found.labels))
    heads = (table.column(label, ()).header for label in labels)
    values = np.where(np.eye(len(labels), dtype=bool), np.nan, found.values)
    return _square("agreement", ["Measure", *labels], heads, values, table.tau, _strength)


def _strength(tau: float) -> str:
    """How a cell is colored."""
    return next((kind for limit, kind in TAU_STEPS if tau >= limit), "")
