"""How far runs differ, how sure that is, and what the missing judgments leave of it.

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
import math
import os
import re
from dataclasses import dataclass
from io import BytesIO

from cranfield import sources, stats
from cranfield._core import Error, Limits, Measure, Ranked, Run, families
from cranfield.better import sign
from cranfield.comparison.result import Comparison, Difference, as_columns
from cranfield.comparison.sentence import NAMES, WHOLE, policy_of, sentence_of
from cranfield.errors import failure, label_failure
from cranfield.evaluator import Evaluator, Hosted, as_measures
from cranfield.inputs import as_qrels, as_runs
from cranfield.options import checked
from cranfield.sources import Source
from cranfield.stats.options import (
    CORRECTIONS,
    ONE_SIDED,
    RESAMPLES,
    TESTS,
    between,
    check_means,
    checked_test,
    one_of,
)
from cranfield.stats.paired import BY_NAME
from cranfield.tables import counted

__all__ = [
    "ALTERNATIVES",
    "CORRECTIONS",
    "DEFAULT_MEASURES",
    "EFFECTS",
    "MOST",
    "RESAMPLES",
    "TESTS",
    "TIE",
    "Comparison",
    "Difference",
    "Evaluated",
    "as_columns",
    "check_means",
    "compare",
    "evaluated",
    "too_many",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    from cranfield._core import OpaqueMeasure
    from cranfield.custom import CustomMeasure
    from cranfield.evaluator import MeasuresLike
    from cranfield.inputs import QrelsLike, RunsLike
    from cranfield.progress import ProgressLike
    from cranfield.scores import Scores
    from cranfield.stats import PairedTest

    Column: TypeAlias = Measure | OpaqueMeasure | CustomMeasure
    Floats: TypeAlias = NDArray[np.float64]
    Intervals: TypeAlias = dict[str, tuple[Floats, Floats]]
    """For each measure that has bounds the lowest and the highest, runs x topics."""
    Four: TypeAlias = tuple[float | None, float | None, float | None, float | None]

DEFAULT_MEASURES = "nDCG@10 AP P@10"
"""What is compared when nothing else is asked for."""

ALTERNATIVES = ("two-sided", "greater", "less")
"""How the run may score, against the other: differently, higher, lower."""

EFFECTS = ("dz", "residual", "pooled", "glass")
"""The effect sizes: by which standard deviation the difference is divided."""

MOST = 10
"""Of so many runs all pairs are compared without being asked for."""

TIE = 1e-9
"""Scores that differ by no more are equal."""


@functools.cache
def _beyond_list() -> frozenset[str]:
    """Families that change with what is judged not relevant, or pooled, outside of the list.

    ``cranfield.bounds`` is about one list; what else another's judging does to
    these is beyond it.
    """
    return frozenset(family["name"] for family in families() if family["beyond_list"])


@checked
def compare(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = None,
    *,
    baseline: str | os.PathLike[str] | int | None = None,
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    level: float = 0.95,
    effect: str = "dz",
    resamples: int | None = None,
    seed: int | None = None,
    bounds: bool = True,
    all_pairs: bool = False,
    missing: str | None = None,
    undefined: str | None = None,
    order: str = "docno_desc",
    scores: str = "f64",
    duplicates: str = "error",
    negative: str = "unjudged",
    depth: int | None = None,
    threads: int | None = None,
    progress: ProgressLike = None,
    lenient: bool = False,
    run_layout: str | None = None,
    limits: Limits | None = None,
) -> Comparison:
    """Compares runs: differences of means, how sure they are, and what was judged.

    Means are arithmetic, of every measure, since that is what the tests are
    about. See ``cranfield.stats`` for the tests.

    Parameters
    ----------
    qrels, runs
        As for ``cranfield.evaluate``; two runs at least.
    measures
        As for ``cranfield.evaluate``. Not given: nDCG@10 AP P@10.
    baseline
        The run that all others are compared with: its name, its number from
        0, or its path, which need not be among the runs. Not given: all pairs
        are compared, the earlier run against the later.
    test
        "t" (Student's paired), "wilcoxon" (signed ranks), "sign",
        "randomization" (Fisher's), "bootstrap" (Sakai's) or "tukey" (HSD).
    correction
        For the number of comparisons in each measure: "holm" (the default),
        "bh" (Benjamini and Hochberg), "bonferroni" or "none". Tukey's
        p-values hold for all pairs of all runs and take none.
    alpha
        Below this a corrected p-value is significant.
    alternative
        How the run scores, against the other: "two-sided" (differently),
        "greater" or "less", whichever of them is better for the measure; the
        last two not for "bootstrap" and "tukey".
    level
        The confidence of each interval: Student's of the mean difference,
        one-sided if the test is. Under "tukey" that of all together.
    effect
        The standard deviation that the difference is divided by: that of the
        differences ("dz"), of the residuals of all runs ("residual"), of both
        runs ("pooled") or of the other one ("glass").
    resamples, seed
        How often to draw, and from which seed, for "randomization" (10,000)
        and "bootstrap" (1,000); the seed is 0 if not given.
    bounds
        Whether to look how far the missing judgments could move the means.
    all_pairs
        Compare all pairs also of more than 10 runs.
    missing, undefined
        As for ``cranfield.evaluate``. What is left out ("skip") is left out of
        both runs of a pair, and under "randomization", "bootstrap" and
        "tukey" of all runs; so the means are those of what was tested.
    order, scores, duplicates, negative, depth
        As for ``cranfield.evaluate``.
    threads, progress, lenient, run_layout, limits
        As for ``cranfield.evaluate``.

    Returns
    -------
    Comparison
        A row for each measure and pair, and the sentence that tells what was
        done.

    Raises
    ------
    Error
        Kind "option" for a wrong option, for fewer than two runs, for a
        measure that is no mean over topics, and for more than 10 runs without
        ``baseline`` or ``all_pairs``; "label" for a baseline that is not
        there; "undefined" for fewer topics than the test needs; all else as
        ``cranfield.evaluate``.

    """
    return evaluated(
        qrels,
        runs,
        measures,
        baseline=baseline,
        test=test,
        correction=correction,
        alpha=alpha,
        alternative=alternative,
        level=level,
        effect=effect,
        resamples=resamples,
        seed=seed,
        bounds=bounds,
        all_pairs=all_pairs,
        missing=missing,
        undefined=undefined,
        order=order,
        scores=scores,
        duplicates=duplicates,
        negative=negative,
        depth=depth,
        threads=threads,
        progress=progress,
        lenient=lenient,
        run_layout=run_layout,
        limits=limits,
    ).compared()


def evaluated(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike,
    *,
    baseline: str | os.PathLike[str] | int | None,
    test: str,
    correction: str | None,
    alpha: float,
    alternative: str,
    level: float,
    effect: str,
    resamples: int | None,
    seed: int | None,
    bounds: bool,
    all_pairs: bool,
    missing: str | None,
    threads: int | None,
    lenient: bool,
    limits: Limits | None,
    **evaluating: Any,
) -> Evaluated:
    """What ``compare`` compares, which may be parts of the topics; for this package only."""
    options = _checked(test, correction, alpha, alternative, level, effect, resamples, seed)
    compared = as_measures(DEFAULT_MEASURES if measures is None else measures)
    check_means(compared)
    several, fixed = _with_baseline(as_runs(runs), baseline)
    _check_number(len(several), fixed, all_pairs=all_pairs)
    held = [Source(s.name, _held(s)) for s in several] if bounds else several
    judgments = as_qrels(qrels, lenient=lenient, limits=limits)

    def evaluator(
        chosen: Sequence[Measure | CustomMeasure], kind: type[Evaluator] = Evaluator
    ) -> Evaluator:
        return kind(
            judgments,
            chosen,
            missing=missing,
            threads=threads,
            lenient=lenient,
            limits=limits,
            **evaluating,
        )

    whole = [Measure("Judged"), Measure("num_ret")]
    judged = [_judged(measure) for measure in compared]
    found = evaluator([*dict.fromkeys([*compared, *judged, *whole])]).evaluate(_again(held))
    intervals: Intervals = {}
    if bounds:
        intervals = _bounds(evaluator, held, compared, _unjudged(found))
    shares: dict[Column, str | None]
    shares = {m: str(share) for m, share in zip(compared, judged, strict=True)}
    policy = policy_of(found, missing or "zero")
    return Evaluated(found, shares, intervals, fixed, options, policy, threads)


@dataclass(frozen=True)
class Evaluated:
    """Scores and all that is needed to compare their runs; for this package only."""

    scores: Scores
    shares: Mapping[Any, str | None]
    """The measures, each with its share of judged documents."""
    intervals: Intervals
    fixed: int | None
    """The place of the baseline."""
    options: dict[str, Any]
    policy: str
    threads: int | None

    def compared(self, topics: Sequence[str] | None = None) -> Comparison:
        """The comparison over all topics, or over some."""
        found, intervals = self.scores, self.intervals
        if topics is not None:
            places = [found.topics.index(topic) for topic in topics]
            intervals = {
                name: (low[:, places], high[:, places]) for name, (low, high) in intervals.items()
            }
            found = found.sel(topic=topics)
        baseline = None if self.fixed is None else found.runs[self.fixed]
        options = {**self.options, "baseline": baseline}
        tested: dict[str, PairedTest] = {}
        rows: list[Difference] = []
        for measure, share in self.shares.items():
            tested[str(measure)] = _tested(found, str(measure), self.fixed, options, self.threads)
            rows += _rows(found, measure, share, tested, intervals, options)
        names = sorted(found.runs, key=lambda name: name != baseline)
        sentence = sentence_of(rows, tested, len(names), options, self.policy)
        better = {str(measure): measure.better for measure in self.shares}
        return Comparison(rows, names, options, sentence, found.notes, better)


def compare_scores(
    scores: Scores,
    *,
    every: bool = True,
    baseline: str | int | None = None,
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    level: float = 0.95,
    effect: str = "dz",
    resamples: int | None = None,
    seed: int | None = None,
    all_pairs: bool = False,
    threads: int | None = None,
) -> Comparison:
    """What ``Scores.compare`` does; ``every`` measure, or only those that are tested."""
    options = _checked(test, correction, alpha, alternative, level, effect, resamples, seed)
    measures = scores.core.measures
    if not every:
        measures = tuple(m for m in measures if m.aggregate == "mean")
        if not measures:
            raise failure("option", "expected a measure that is a mean over topics, found none")
    check_means(measures)
    fixed = None if baseline is None else _place(baseline, scores.runs)
    _check_number(len(scores.runs), fixed, all_pairs=all_pairs)
    shares = dict.fromkeys(measures)
    return Evaluated(scores, shares, {}, fixed, options, "", threads).compared()


def _place(baseline: object, runs: Sequence[str]) -> int:
    """The place of a run by name or number."""
    if not isinstance(baseline, str):
        return _number(baseline, runs)
    if baseline not in runs:
        raise label_failure("run", baseline, runs)
    return runs.index(baseline)


def _checked(
    test: str,
    correction: str | None,
    alpha: float,
    alternative: str,
    level: float,
    effect: str,
    resamples: int | None,
    seed: int | None,
) -> dict[str, Any]:
    """How to test; raises ``Error`` (kind "option") for what makes no sense."""
    correction = checked_test(test, correction, alpha)
    one_of("alternative", alternative, ALTERNATIVES)
    if alternative != "two-sided" and test not in ONE_SIDED:
        message = f"the {NAMES[test]} is two-sided, found"
        raise failure(
            "option",
            f"{message} {alternative!r}",
            command_line=f"{message} --alternative {alternative}",
        )
    one_of("effect", effect, EFFECTS)
    between("level", level)
    for name, given in (("resamples", resamples), ("seed", seed)):
        if given is not None and test not in RESAMPLES:
            message = f"{name} is only for {' and '.join(RESAMPLES)}, not for {test}"
            raise failure("option", message, command_line=f"--{message}")
    if test in RESAMPLES:
        resamples = RESAMPLES[test] if resamples is None else resamples
        seed = 0 if seed is None else seed
    return {
        "baseline": None,
        "test": test,
        "alternative": alternative,
        "correction": correction,
        "alpha": float(alpha),
        "level": float(level),
        "effect": effect,
        "resamples": resamples,
        "seed": seed,
    }


def _with_baseline(
    runs: list[Source], baseline: str | os.PathLike[str] | int | None
) -> tuple[list[Source], int | None]:
    """The runs and the place of the baseline, which may be a further run."""
    names = [run.name for run in runs]
    if baseline is None:
        return runs, None
    if not isinstance(baseline, (str, os.PathLike)):
        return runs, _number(baseline, names)
    name = os.fsdecode(baseline)
    if name in names:
        return runs, names.index(name)
    path = os.path.abspath(sources.expanded(name))
    for place, run in enumerate(runs):
        if isinstance(run.data, str) and os.path.abspath(run.data) == path:
            return runs, place
    if not os.path.lexists(path):
        raise label_failure("run", name, names)
    further = as_runs(path)
    if len(further) != 1:
        message = f"expected one run as baseline, found {len(further)}"
        raise failure("option", message, file=name)
    return sources.distinct([*further, *runs]), 0


def _number(baseline: object, names: Sequence[str]) -> int:
    """The place of a run by its number."""
    from operator import index

    try:
        place = index(baseline)  # type: ignore[arg-type]
    except TypeError:
        kind = type(baseline).__name__
        message = f"expected the name, the number or the path of a run as baseline, found a {kind}"
        raise failure("type", message) from None
    if isinstance(baseline, bool) or not -len(names) <= place < len(names):
        raise label_failure("run", baseline, names)
    return place % len(names)


def _check_number(runs: int, fixed: int | None, *, all_pairs: bool) -> None:
    """Raises ``Error`` (kind "option") for too few runs, or too many."""
    if runs < 2:
        raise failure("option", f"expected at least two runs, found {counted(runs, 'run')}")
    if fixed is not None and all_pairs:
        raise failure("option", "all_pairs is only for a comparison without a baseline")
    if fixed is None and runs > MOST and not all_pairs:
        raise failure("option", f"{too_many(runs)}: name a baseline, or set all_pairs=True")


def too_many(runs: int) -> str:
    """How many pairs there would be; for this package only."""
    return f"{runs} runs are {runs * (runs - 1) // 2} pairs"


class _Held(BytesIO):
    """What an open file held, under its name."""

    def __init__(self, source: Source) -> None:
        stream, name = source.opened()
        super().__init__(b"" if isinstance(stream, str) else stream.read())
        if name is not None:
            self.name = name


def _held(source: Source) -> Any:
    """The data of a run such that it can be read twice."""
    return source.data if isinstance(source.data, (Run, Ranked, str)) else _Held(source)


def _again(runs: Sequence[Source]) -> dict[str, Any]:
    """The runs, from their beginning."""
    for run in runs:
        if isinstance(run.data, _Held):
            run.data.seek(0)
    return {run.name: run.data for run in runs}


def _judged(measure: Measure | CustomMeasure) -> Measure:
    """The share of judged documents in the part of the list that a measure sees.

    A condensed list may take its first k documents from anywhere.
    """
    text = str(measure)
    recall = {family["name"] for family in families() if family["cutoff"] == "recall"}
    found = re.search(r"@(\d+)$", text)
    if found is None or "'" in text or measure.family in recall:
        return Measure("Judged")
    return Measure(f"Judged@{found[1]}")


def _unjudged(found: Scores) -> int:
    """How many documents of a list nobody judged, at most."""
    import numpy as np

    column = [found.measures.index(name) for name in ("Judged", "num_ret")]
    share, number = np.moveaxis(np.nan_to_num(found.values[:, :, column]), -1, 0)
    return int(np.rint(((1 - share) * number).max(initial=0)))


def _bounds(
    evaluator: Callable[[Sequence[Measure | CustomMeasure], type[Evaluator]], Evaluator],
    runs: Sequence[Source],
    measures: Sequence[Measure | CustomMeasure],
    unseen: int,
) -> Intervals:
    """How far full judging of all lists could move each run.

    What is relevant in the other run's list counts among the relevant
    documents of this one's topic: ``unseen`` is room for as many.
    """
    measures = [measure for measure in measures if measure.family not in _beyond_list()]
    if not measures:
        return {}
    try:
        # What there is to warn of was found when the runs were scored.
        found = evaluator(measures, Hosted).bounds(_again(runs), unseen=unseen)
    except Error as error:
        if error.kind != "bounds":
            raise
        if len(measures) == 1:
            return {}
        each = (_bounds(evaluator, runs, [measure], unseen) for measure in measures)
        return {name: interval for part in each for name, interval in part.items()}
    low, high = found.low.values, found.high.values
    return {name: (low[:, :, i], high[:, :, i]) for i, name in enumerate(found.measures)}


def _tested(
    found: Scores,
    measure: str,
    baseline: int | None,
    options: Mapping[str, Any],
    threads: int | None,
) -> PairedTest:
    """The test of all pairs in a measure, not corrected."""
    test = options["test"]
    more: dict[str, Any] = {"measure": measure, "baseline": baseline, "nan": "omit"}
    if test in ONE_SIDED:
        more["alternative"] = options["alternative"]
    if test in RESAMPLES:
        more.update(resamples=options["resamples"], seed=options["seed"], threads=threads)
    return BY_NAME[test](found, **more)


def _rows(
    found: Scores,
    compared: Column,
    share: str | None,
    tested: Mapping[str, PairedTest],
    intervals: Intervals,
    options: Mapping[str, Any],
) -> Iterator[Difference]:
    """The comparisons in a measure."""
    import numpy as np

    measure = str(compared)
    test = tested[measure]
    values = found.values[:, :, found.measures.index(measure)]
    judged = None if share is None else found.values[:, :, found.measures.index(share)]
    everywhere = ~np.isnan(values).any(axis=0)
    corrected = test.pvalue
    if options["correction"] != "none":
        corrected = stats.correct(test.pvalue, options["correction"])
    interval = test.confidence_interval(options["level"])
    effect = test.effect_size(options["effect"])
    for place, (first, second) in enumerate(test.pairs):
        both = ~np.isnan(values[first]) & ~np.isnan(values[second])
        if options["test"] in WHOLE:
            both = everywhere
        each = sign(compared) * (values[first, both] - values[second, both])
        bounds = _bounds_of(intervals.get(measure), first, second, both)
        difference = float(test.difference[place])
        yield Difference(
            measure=measure,
            run=found.runs[first],
            other=found.runs[second],
            topics=int(both.sum()),
            mean=float(values[first, both].mean()),
            other_mean=float(values[second, both].mean()),
            difference=difference,
            interval_low=float(interval.low[place]),
            interval_high=float(interval.high[place]),
            effect_size=_known(effect[place]),
            p=float(test.pvalue[place]),
            p_corrected=float(corrected[place]),
            significant=bool(corrected[place] < options["alpha"]),
            wins=int((each > TIE).sum()),
            ties=int((np.abs(each) <= TIE).sum()),
            losses=int((each < -TIE).sum()),
            judged_measure=share,
            judged=None if judged is None else _known_mean(judged[first, both]),
            other_judged=None if judged is None else _known_mean(judged[second, both]),
            lowest=bounds[0],
            highest=bounds[1],
            other_lowest=bounds[2],
            other_highest=bounds[3],
            within_bounds=_within(difference, bounds),
        )


def _bounds_of(
    interval: tuple[Floats, Floats] | None, first: int, second: int, both: NDArray[np.bool_]
) -> Four:
    """The lowest and the highest mean of each run of a pair."""
    if interval is None:
        return None, None, None, None
    low, high = interval
    return (
        float(low[first, both].mean()),
        float(high[first, both].mean()),
        float(low[second, both].mean()),
        float(high[second, both].mean()),
    )


def _within(difference: float, bounds: Four) -> bool | None:
    """Whether the intervals leave it open which run is better after judging."""
    low, high, other_low, other_high = bounds
    if low is None or high is None or other_low is None or other_high is None:
        return None
    if difference > TIE:
        return not low > other_high + TIE
    if difference < -TIE:
        return not high < other_low - TIE
    return True


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _known_mean(values: Floats) -> float | None:
    """The mean of what is defined."""
    known = [float(value) for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else None
