"""Comparing runs that are scored: the options, the tests, and a row for each pair."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from cranfield._base.direction import TIE, sign
from cranfield._base.errors import failure, label_failure
from cranfield._base.text import counted
from cranfield._base.warnings import tell
from cranfield._scores.comparison import Comparison
from cranfield._scores.sentence import sentence_of
from cranfield._stats.differences import Difference
from cranfield._stats.intervals import correct
from cranfield._stats.registry import TESTS, check_means

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    from cranfield._base.kinds import ScoresKind
    from cranfield._core import Measure, OpaqueMeasure
    from cranfield._measures.custom.definition import CustomMeasure
    from cranfield._scores.comparison_options import HowToTest
    from cranfield._stats.results import PairedTest

    Column: TypeAlias = Measure | OpaqueMeasure | CustomMeasure
    Floats: TypeAlias = NDArray[np.float64]
    Intervals: TypeAlias = dict[str, tuple[Floats, Floats]]
    """For each measure that has bounds the lowest and the highest, runs x topics."""

MOST = 10
"""The largest number of runs of which all pairs are compared by default."""


@dataclass(frozen=True)
class Evaluated:
    """Scores and all that is needed to compare their runs; for internal use only."""

    scores: ScoresKind
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
        comparison = Comparison(rows, names, options, sentence, found.notes, better)
        if topics is None and comparison.zeros:
            tell(comparison.zeros)
        return comparison


def compare_scores(
    scores: ScoresKind,
    how: HowToTest,
    *,
    every: bool,
    baseline: str | int | None,
    all_pairs: bool,
    threads: int | None,
) -> Comparison:
    """What ``Scores.compare`` does; ``every`` measure, or only those that are tested."""
    options = how.checked()
    measures = scores.core.measures
    if not every:
        measures = tuple(m for m in measures if m.aggregate == "mean")
        if not measures:
            raise failure("option", "expected a measure that is a mean over topics, found none")
    check_means(measures)
    fixed = None if baseline is None else _place(baseline, scores.runs)
    check_number(len(scores.runs), fixed, all_pairs=all_pairs)
    shares = dict.fromkeys(measures)
    return Evaluated(scores, shares, {}, fixed, options, "", threads).compared()


def _place(baseline: object, runs: Sequence[str]) -> int:
    """The place of a run by name or number."""
    if not isinstance(baseline, str):
        return run_number(baseline, runs)
    if baseline not in runs:
        raise label_failure("run", baseline, runs)
    return runs.index(baseline)


def run_number(baseline: object, names: Sequence[str]) -> int:
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


def check_number(runs: int, fixed: int | None, *, all_pairs: bool) -> None:
    """Raises ``Error`` (kind "option") for too few runs, or too many."""
    if runs < 2:
        raise failure("option", f"expected at least two runs, found {counted(runs, 'run')}")
    if fixed is not None and all_pairs:
        raise failure("option", "all_pairs is only for a comparison without a baseline")
    if fixed is None and runs > MOST and not all_pairs:
        raise failure("option", f"{too_many(runs)}: name a baseline, or set all_pairs=True")


def too_many(runs: int) -> str:
    """How many pairs there would be; for internal use only."""
    return f"{runs} runs are {runs * (runs - 1) // 2} pairs"


def _tested(
    found: ScoresKind,
    measure: str,
    baseline: int | None,
    options: Mapping[str, Any],
    threads: int | None,
) -> PairedTest:
    """The test of all pairs in a measure, not corrected."""
    return TESTS[options["test"]](
        found,
        measure=measure,
        baseline=baseline,
        nan="omit",
        alternative=options["alternative"],
        resamples=options["resamples"],
        seed=options["seed"],
        threads=threads,
    )


def _rows(
    found: ScoresKind,
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
    runs, known = found.runs, ~np.isnan(values)
    everywhere = known.all(axis=0)

    @lru_cache(maxsize=1 << 14)
    def of_run(run: int, topics: bytes) -> Means:
        """The means over topics, which the pairs of a run mostly share."""
        chosen = np.frombuffer(topics, dtype=bool)
        low, high = intervals.get(measure, (None, None))
        return Means(
            float(values[run, chosen].mean()),
            None if judged is None else _known_mean(judged[run, chosen]),
            None if low is None else float(low[run, chosen].mean()),
            None if high is None else float(high[run, chosen].mean()),
        )

    corrected = test.pvalue
    if options["correction"] != "none":
        corrected = correct(test.pvalue, options["correction"])
    interval = test.confidence_interval(options["level"])
    effect = test.effect_size(options["effect"])
    for place, (first, second) in enumerate(test.pairs):
        both = everywhere if TESTS[options["test"]].whole else known[first] & known[second]
        each = sign(compared) * (values[first, both] - values[second, both])
        topics = both.tobytes()
        own, other = of_run(int(first), topics), of_run(int(second), topics)
        difference = float(test.difference[place])
        yield Difference(
            measure=measure,
            run=runs[first],
            other=runs[second],
            topics=int(both.sum()),
            mean=own.mean,
            other_mean=other.mean,
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
            judged=own.judged,
            other_judged=other.judged,
            lowest=own.lowest,
            highest=own.highest,
            other_lowest=other.lowest,
            other_highest=other.highest,
            within_bounds=_within(difference, own, other),
        )


class Means(NamedTuple):
    """Means of a run over topics."""

    mean: float
    judged: float | None
    lowest: float | None
    highest: float | None


def _within(difference: float, own: Means, other: Means) -> bool | None:
    """Whether the intervals leave it open which run is better after judging."""
    if own.lowest is None or own.highest is None or other.lowest is None or other.highest is None:
        return None
    if difference > TIE:
        return not own.lowest > other.highest + TIE
    if difference < -TIE:
        return not own.highest < other.lowest - TIE
    return True


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _known_mean(values: Floats) -> float | None:
    """The mean of what is defined."""
    known = [float(value) for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else None
