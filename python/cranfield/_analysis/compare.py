"""Comparing runs: differences, tests, and what missing judgments could do to them.

>>> qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "c": 0}, "3": {"b": 1, "a": 0}}
>>> old = {"1": {"b": 2, "a": 1}, "2": {"c": 2, "a": 1}, "3": {"b": 1}}
>>> new = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 2, "b": 1}}
>>> found = compare(qrels, {"old": old, "new": new}, "AP", baseline="old", test="sign")
>>> row = found["new", "AP"]
>>> row.wins, row.ties, row.losses, row.p
(2, 0, 1, 1.0)
>>> found.methods
'Differences in mean AP over 3 topics were tested with a two-sided sign test ...'
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping, Sequence
from itertools import combinations

from cranfield._base.errors import failure, label_failure
from cranfield._base.options import (
    SCORING,
    checked,
    in_effect,
    keywords,
    label,
    of_judgments,
    path,
    text,
)
from cranfield._core import DEFAULT_COMPARED, Error, Measure, SpanQrels, families
from cranfield._io import addresses, sources
from cranfield._io.inputs import as_judgments, as_runs, reading_of
from cranfield._io.small_files import rows
from cranfield._io.sources import Source
from cranfield._measures.parse import as_measures, run_place
from cranfield._scores.comparing import Evaluated, HowToTest, check_number, policy_of
from cranfield._scores.comparison import Comparison
from cranfield._scoring.evaluator import SPAN_MEASURES, Evaluator, Hosted
from cranfield._stats.registry import check_means

__all__ = ["Comparison", "compare"]

from collections.abc import Callable
from typing import Any, TypeAlias, Unpack

from cranfield._base.option_types import ScoringOptions
from cranfield._io.inputs import QrelsLike, RunsLike
from cranfield._measures.custom import CustomMeasure
from cranfield._measures.parse import MeasuresLike
from cranfield._scores.comparing import Bounds, Column
from cranfield._scores.scores import Scores

Baseline: TypeAlias = str | os.PathLike[str] | int
Systems: TypeAlias = tuple[Sequence[str], Sequence[int]]


@functools.cache
def _families(property_: str, value: object) -> frozenset[str]:
    """The names of the families with a property."""
    return frozenset(family["name"] for family in families() if family[property_] == value)


@checked
def compare(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = None,
    *,
    baseline: str | os.PathLike[str] | int | Sequence[str | os.PathLike[str] | int] | None = None,
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    level: float = 0.95,
    effect: str = "dz",
    resamples: int | None = None,
    seed: int | None = None,
    margin: float | Mapping[str, float] | None = None,
    power: float = 0.8,
    systems: str | os.PathLike[str] | Mapping[str, str] | None = None,
    bounds: bool = True,
    all_pairs: bool = False,
    **options: Unpack[ScoringOptions],
) -> Comparison:
    """Compares runs: differences of means, their tests, and how much was judged.

    Means are arithmetic, of every measure, since that is what the tests are
    about. See ``cranfield.stats`` for the tests.

    Parameters
    ----------
    qrels, runs
        As for ``cranfield.evaluate``; two runs at least.
    measures
        As for ``cranfield.evaluate``. Default: nDCG@10 AP P@10.
    baseline
        The run that all others are compared with: its name, its number from
        0, or its path, which need not be among the runs; or a list of several, and corrections
        are for the comparisons with all of them. Default: all pairs
        are compared, the earlier run against the later.
    test
        "t" (Student's paired), "wilcoxon" (signed ranks), "sign",
        "randomization" (Fisher's), "bootstrap" (Sakai's), "tukey" (HSD) or
        "tukey_randomized" (HSD by random permutations).
    correction
        For the number of comparisons in each measure: "holm" (the default),
        "bh" (Benjamini and Hochberg), "bonferroni", "none", or with "randomization"
        "max-t" (the step-down maximum of t under flipped signs). Tukey's
        p-values hold for all pairs of all runs and take none.
    alpha
        Below this a corrected p-value is significant.
    alternative
        How the run scores, against the other: "two-sided" (differently),
        "greater" or "less", whichever of them is better for the measure; the
        last two not for "bootstrap" and the two tukey tests.
    level
        The confidence of each interval: Student's of the mean difference,
        one-sided if the test is. Under "tukey" that of all together.
    effect
        The standard deviation that the difference is divided by: that of the
        differences ("dz"), of the residuals of all runs ("residual"), of both
        runs ("pooled") or of the other one ("glass").
    resamples, seed
        How often to draw, and from which seed, for "randomization"
        and "tukey_randomized" (10,000) and "bootstrap" (1,000); the seed is 0 if not given.
    margin
        How much a run may lose against the baseline and still pass: a number of at least 0 in
        units of the measures, or {measure: number}. Rows then have a verdict, as
        ``stats.verdict`` gives it; for the tests "t" and "randomization".
    power
        The chance to find a difference that ``mde`` and ``topics_needed`` are for.
    systems
        Which runs are runs of one system, from different seeds: a pattern (a regular expression
        whose group ``system``, or first group, is the system's name), a file of lines ``run
        system``, or {run: system}. A run without a system is one by itself. Systems are compared
        by the means over their runs; intervals and p-values are for new topics and new runs, by
        the components of variance and Satterthwaite's degrees of freedom. For the test "t",
        two-sided, without a margin; topics that any run lacks are left out. ``baseline`` is then
        a system or one of its runs.
    bounds
        Whether to compute how far the missing judgments could move the means.
    all_pairs
        Compare all pairs also of more than 10 runs.
    options
        Those of ``cranfield.evaluate``, but for ``ties``. What ``missing`` and
        ``undefined`` leave out ("skip") is left out of both runs of a pair, and
        under "randomization", "bootstrap" and "tukey" of all runs; so the means
        are those of what was tested.

    Returns
    -------
    Comparison
        A row for each measure and pair, and the sentence that says what was
        done.

    Raises
    ------
    Error
        Kind "option" for a wrong option, for fewer than two runs, for a
        measure that is not a mean over topics, and for more than 10 runs without
        ``baseline`` or ``all_pairs``; "label" for a baseline that is not
        there; "undefined" for fewer topics than the test needs; all else as
        ``cranfield.evaluate``.

    """
    return evaluated(
        qrels,
        runs,
        measures,
        HowToTest(
            *(test, alternative, correction, alpha, level, effect, resamples, seed),
            *(margin, power),
        ),
        baseline=baseline,
        systems=systems,
        bounds=bounds,
        all_pairs=all_pairs,
        options=keywords("compare", options, SCORING),
    ).compared()


def evaluated(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike,
    how: HowToTest,
    *,
    baseline: Baseline | Sequence[Baseline] | None,
    bounds: bool,
    all_pairs: bool,
    options: Mapping[str, Any],
    topics: Sequence[str] | None = None,
    systems: str | os.PathLike[str] | Mapping[str, str] | None = None,
) -> Evaluated:
    """What ``compare`` compares, which may be parts of the topics; for internal use only.

    Values of topics other than ``topics`` are left out where these are given.
    """
    testing = how.checked()
    judgments = as_judgments(qrels, **of_judgments(options))
    over_spans = isinstance(judgments, SpanQrels)
    default = SPAN_MEASURES if over_spans else DEFAULT_COMPARED
    compared = as_measures(default if measures is None else measures)
    check_means(compared)
    reading = reading_of(judgments, options)
    bounds = bounds and not over_spans
    several, of_system = as_runs(runs, reading), _NO_SYSTEMS
    if systems is None:
        several, fixed = with_baselines(several, baseline, reading)
    else:
        if (how.test, how.alternative) != ("t", "two-sided"):
            raise failure("option", "systems of several runs are compared by a two-sided t test")
        of_system = grouped(systems, [run.name for run in several])
        fixed = _systems_of(several, baseline, reading, of_system)
    check_number(len(of_system[0] or several), fixed, all_pairs=all_pairs)
    held = [source.rereadable() for source in several] if bounds else several

    def evaluator(
        chosen: Sequence[Measure | CustomMeasure], kind: type[Evaluator] = Evaluator
    ) -> Evaluator:
        made = kind(judgments, chosen, **options)
        if topics is not None:
            made._only(topics)
        return made

    # Text that is not evidence is not unjudged.
    whole = [] if over_spans else [Measure("Judged"), Measure("num_ret")]
    judged = [] if over_spans else [_judged(measure) for measure in compared]
    found = evaluator([*dict.fromkeys([*compared, *judged, *whole])]).evaluate(held)
    known: Bounds = {}
    if bounds:
        known = _bounds(evaluator, held, compared, _unjudged(found))
        if systems is None:
            known |= _between(evaluator, held, compared, fixed, len(found.topics))
    shares: dict[Column, str | None]
    shares = dict.fromkeys(compared) if over_spans else {}
    shares |= {m: str(share) for m, share in zip(compared, judged, strict=not over_spans)}
    policy = policy_of(found, in_effect("missing", options.get("missing")))
    threads = options.get("threads")
    about = fixed, testing, policy, threads, of_system
    return Evaluated(found, shares, known, *about)


_NO_SYSTEMS: Systems = ((), ())


def grouped(
    systems: str | os.PathLike[str] | Mapping[str, str], runs: Sequence[str]
) -> tuple[Sequence[str], Sequence[int]]:
    """The names of systems, and the system of each run; a run of none is one by itself.

    Raises ``Error``: kind "option" for what is no pattern or has no group, and where no system
    has several runs; "label" for a run that is not there.
    """
    named: dict[Any, str]
    if isinstance(systems, Mapping):
        named = {label(run, "systems"): text(name, "systems") for run, name in systems.items()}
    elif os.path.isfile(given := path(systems, "systems")):
        named = {fields[0]: fields[1] for _, fields in rows(given, "fields `run system`")}
    else:
        named = _matched(given, runs)
    for run in named:
        if run not in runs:
            raise label_failure("run", run, list(runs))
    of_runs = [named.get(run, run) for run in runs]
    names = list(dict.fromkeys(of_runs))
    if len(names) == len(runs):
        message = f"no two of the runs are of one system: {', '.join(runs[:3])}"
        raise failure("option", f"{message}; systems is a file of lines `run system` or a pattern")
    return names, [names.index(name) for name in of_runs]


def _matched(pattern: str, runs: Sequence[str]) -> dict[str, str]:
    """The system of each run that a pattern matches as a whole."""
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise failure("option", f"{pattern!r} is no file and no pattern: {error}") from error
    if not compiled.groups:
        message = f"expected a group in the pattern {pattern!r}, such as (?P<system>.+)-seed"
        raise failure("option", message)
    group = "system" if "system" in compiled.groupindex else 1
    found = ((run, compiled.fullmatch(run)) for run in runs)
    return {run: match[group] for run, match in found if match and match[group]}


def _systems_of(
    runs: list[Source],
    baseline: Baseline | Sequence[Baseline] | None,
    options: Mapping[str, Any],
    systems: Systems,
) -> tuple[int, ...]:
    """The places of the systems that are baselines, by their names or those of runs."""
    names, of_run = systems
    places = []
    for one in _several(baseline):
        if isinstance(one, str) and one in names:
            places.append(names.index(one))
            continue
        same, place = with_baseline(runs, one, options)
        if place is None or len(same) > len(runs):
            raise label_failure("system", str(one), list(names))
        places.append(of_run[place])
    return tuple(dict.fromkeys(places))


def _several(baseline: Baseline | Sequence[Baseline] | None) -> list[Any]:
    several = isinstance(baseline, (list, tuple))
    return [] if baseline is None else list(baseline) if several else [baseline]  # type: ignore[arg-type]


def with_baselines(
    runs: list[Source],
    baseline: Baseline | Sequence[Baseline] | None,
    options: Mapping[str, Any],
) -> tuple[list[Source], tuple[int, ...]]:
    """The runs and the places of the baselines, which may be further runs."""
    chosen: list[str] = []
    for one in _several(baseline):
        runs, place = with_baseline(runs, one, options)
        chosen.append(runs[place or 0].name)
    names = [run.name for run in runs]
    places = tuple(dict.fromkeys(names.index(name) for name in chosen))
    if places and len(places) == len(runs):
        raise failure("option", "expected a run that is no baseline, found none")
    return runs, places


def with_baseline(
    runs: list[Source],
    baseline: str | os.PathLike[str] | int | None,
    options: Mapping[str, Any] | None = None,
) -> tuple[list[Source], int | None]:
    """The runs and the place of the baseline, which may be a further run."""
    names = [run.name for run in runs]
    if baseline is None:
        return runs, None
    if not isinstance(baseline, (str, os.PathLike)):
        return runs, run_place(names, baseline)
    name = os.fsdecode(baseline)
    if name in names:
        return runs, names.index(name)
    remote = addresses.is_address(name)
    path = addresses.shown(name) if remote else os.path.abspath(sources.expanded(name))
    for place, run in enumerate(runs):
        if run.path is not None and path in (run.path, os.path.abspath(run.path)):
            return runs, place
    if not remote and not os.path.lexists(path):
        raise label_failure("run", name, names)
    further = as_runs(name if remote else path, options)
    if len(further) != 1:
        message = f"expected one run as baseline, found {len(further)}"
        raise failure("option", message, file=name)
    return sources.distinct([*further, *runs]), 0


def _judged(measure: Measure | CustomMeasure) -> Measure:
    """The proportion of judged documents in the part of the list that a measure sees.

    A condensed list may take its first k documents from anywhere.
    """
    text = str(measure)
    found = re.search(r"@(\d+)$", text)
    if found is None or "'" in text or measure.family in _families("cutoff", "recall"):
        return Measure("Judged")
    return Measure(f"Judged@{found[1]}")


def _unjudged(found: Scores) -> int:
    """The largest number of unjudged documents in a list."""
    import numpy as np

    column = [found.measures.index(name) for name in ("Judged", "num_ret")]
    share, number = np.moveaxis(np.nan_to_num(found.values[:, :, column]), -1, 0)
    return int(np.rint(((1 - share) * number).max(initial=0)))


def _bounds(
    evaluator: Callable[[Sequence[Measure | CustomMeasure], type[Evaluator]], Evaluator],
    runs: Sequence[Source],
    measures: Sequence[Measure | CustomMeasure],
    unseen: int,
) -> Bounds:
    """How far full judging of all lists could move each run.

    What is relevant in the other run's list counts among the relevant
    documents of this one's topic: ``unseen`` is room for as many.

    Families that change with what is judged not relevant, or pooled, outside of the list have
    none: ``cranfield.bounds`` is about one list.
    """
    measures = [m for m in measures if m.family not in _families("beyond_list", True)]
    if not measures:
        return {}
    try:
        # What there is to warn of was found when the runs were scored.
        found = evaluator(measures, Hosted).bounds(runs, unseen=unseen)
    except Error as error:
        if error.kind != "bounds":
            raise
        if len(measures) == 1:
            return {}
        each = (_bounds(evaluator, runs, [measure], unseen) for measure in measures)
        return {name: interval for part in each for name, interval in part.items()}
    low, high = found.low.values, found.high.values
    return {name: (low[:, :, i], high[:, :, i]) for i, name in enumerate(found.measures)}


MOST_PAIRS = 500
"""Of more pairs of runs the differences have no bounds of their own."""

SEARCHED = ("AP", "aAP")
"""The families whose bounds are searched for, which takes milliseconds for each topic and pair."""

MOST_SEARCHED = 500
"""Of more topics of pairs their differences have no bounds of their own: these take seconds."""


def _between(
    evaluator: Callable[[Sequence[Measure | CustomMeasure], type[Evaluator]], Evaluator],
    runs: Sequence[Source],
    measures: Sequence[Measure | CustomMeasure],
    fixed: Sequence[int],
    topics: int,
) -> Bounds:
    """How far full judging of both runs of a pair could move their difference."""
    places = range(len(runs))
    pairs = list(combinations(places, 2))
    if fixed:
        pairs = [(place, base) for base in fixed for place in places if place != base]
    built_in = [measure for measure in measures if isinstance(measure, Measure)]
    if len(pairs) * topics > MOST_SEARCHED:
        built_in = [measure for measure in built_in if measure.family not in SEARCHED]
    if len(pairs) > MOST_PAIRS or not built_in:
        return {}
    try:
        hosted: Any = evaluator(built_in, Hosted)
        found = hosted.pair_bounds(runs, pairs)
    except Error as error:
        if error.kind != "bounds":
            raise
        return {}
    return {
        (name, *pair): (low[place], high[place])
        for name, (low, high) in found.items()
        for place, pair in enumerate(pairs)
    }
