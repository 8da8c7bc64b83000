"""Comparing runs that are scored: the options, the tests, and the sentence for papers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from cranfield._base.errors import failure, tell
from cranfield._base.options import one_of, probability
from cranfield._base.scores_like import TIE, sign
from cranfield._base.text import counted, listed
from cranfield._core import __version__
from cranfield._measures.parse import run_place
from cranfield._scores.comparison import Comparison
from cranfield._stats.differences import Difference
from cranfield._stats.intervals import EFFECTS, correct
from cranfield._stats.registry import CORRECTIONS, TESTS, check_means, checked_test
from cranfield._table.data_table import defined

TYPE_CHECKING = bool()
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from cranfield._base.scores_like import ScoresKind
    from cranfield._core import Measure, OpaqueMeasure
    from cranfield._measures.custom import CustomMeasure
    from cranfield._stats.paired import PairedTest

    Column: TypeAlias = Measure | OpaqueMeasure | CustomMeasure
    Floats: TypeAlias = NDArray[np.float64]
    Intervals: TypeAlias = dict[str, tuple[Floats, Floats]]
    """For each measure that has bounds the lowest and the highest, runs x topics."""

ALTERNATIVES = ("two-sided", "greater", "less")
"""How the run may score, against the other: differently, higher, lower."""


@dataclass(frozen=True)
class HowToTest:
    """The options of ``compare`` about tests; a test holds all signatures to these fields."""

    test: str = "t"
    correction: str | None = None
    alpha: float = 0.05
    alternative: str = "two-sided"
    level: float = 0.95
    effect: str = "dz"
    resamples: int | None = None
    seed: int | None = None

    def checked(self) -> dict[str, Any]:
        """All options with the values that hold.

        Raises ``Error`` (kind "option") for what is not valid.
        """
        correction = checked_test(self.test, self.correction, self.alpha)
        one_of("alternative", self.alternative, ALTERNATIVES)
        test = TESTS[self.test]
        if self.alternative != "two-sided" and not test.one_sided:
            message = f"the {test.title} is two-sided, found"
            raise failure(
                "option",
                f"{message} {self.alternative!r}",
                command_line=f"{message} --alternative {self.alternative}",
            )
        one_of("effect", self.effect, EFFECTS)
        probability(self.level, "level")
        resamples, seed = self.resamples, self.seed
        for name, given in (("resamples", resamples), ("seed", seed)):
            if given is not None and test.resamples is None:
                drawing = [other.name for other in TESTS.values() if other.resamples is not None]
                message = f"{name} is only for {listed(drawing)}, not for {self.test}"
                raise failure("option", message, command_line=f"--{message}")
        if test.resamples is not None:
            resamples = test.resamples if resamples is None else resamples
            seed = 0 if seed is None else seed
        return {
            "baseline": None,
            "test": self.test,
            "alternative": self.alternative,
            "correction": correction,
            "alpha": float(self.alpha),
            "level": float(self.level),
            "effect": self.effect,
            "resamples": resamples,
            "seed": seed,
        }


_RANKS = 50
"""Up to so many differences Wilcoxon's test is exact."""


def policy_of(found: ScoresKind, missing: str) -> str:
    """What happened to topics that a run lacks, if there are any."""
    if missing != "zero" or not any(note.topics_missing for note in found.core.notes):
        return ""
    return "; topics that a run did not answer were scored as empty rankings"


def sentence_of(
    rows: Sequence[Difference],
    tested: Mapping[str, PairedTest],
    runs: int,
    options: Mapping[str, Any],
    policy: str,
    *,
    pairs: int | None = None,
) -> str:
    """What was tested and how, for the methods section of a paper.

    ``pairs``: for how many comparisons p-values were corrected, where rows are a part of these.
    """
    what = f"Differences in mean {listed(list(tested))} over {_topics(rows, options)}"
    sides = "two-sided" if options["alternative"] == "two-sided" else "one-sided"
    details = [*_details(tested, options)]
    if sides == "one-sided":
        word = {"greater": "higher", "less": "lower"}[options["alternative"]]
        details.insert(0, f"alternative: the run scores {word}")
    inner = f" ({', '.join(details)})" if details else ""
    title = TESTS[options["test"]].title
    how = f"tested with a {sides} {title}{inner} at alpha = {options['alpha']:g}"
    pairs = len(rows) // len(tested) if pairs is None else pairs
    corrected = _correction(pairs, runs, len(tested), options)
    return f"{what} were {how}, {corrected}{policy} (cranfield {__version__})."


def _topics(rows: Sequence[Difference], options: Mapping[str, Any]) -> str:
    """Over how many topics, and which if not all are the same."""
    numbers = sorted({row.topics for row in rows})
    if len(numbers) == 1:
        return counted(numbers[0], "topic")
    whose = "all runs have" if TESTS[options["test"]].whole else "both runs of a pair have"
    return f"the {numbers[0]} to {numbers[-1]} topics that {whose}"


def _details(tested: Mapping[str, PairedTest], options: Mapping[str, Any]) -> Iterator[str]:
    """What else there is to know of a test."""
    test, resamples, seed = (options[name] for name in ("test", "resamples", "seed"))
    if test == "wilcoxon":
        few = {bool(n <= _RANKS) for found in tested.values() for n in found.n}
        yield {
            (True,): "exact",
            (False,): "normal approximation",
            (False, True): f"exact for up to {_RANKS} differences, else normal approximation",
        }[tuple(sorted(few))]
        yield "differences of 0 left out"
    elif test == "sign":
        yield "ties left out"
    elif test == "randomization":
        drawn = {found.resamples is not None for found in tested.values()}
        if drawn == {False}:
            yield "all patterns of signs"
        else:
            mixed = "all patterns of signs for up to 20 topics, else " if False in drawn else ""
            yield f"{mixed}{resamples:,} random patterns of signs"
            yield f"seed {seed}"
    elif test == "bootstrap":
        yield f"Sakai 2006, {resamples:,} resamples"
        yield f"seed {seed}"
    elif test == "tukey_randomized":
        yield f"{resamples:,} random permutations of the runs' scores"
        yield f"seed {seed}"


def _correction(pairs: int, runs: int, measures: int, options: Mapping[str, Any]) -> str:
    """What was done about the number of comparisons."""
    method = options["correction"]
    each = "" if measures == 1 else " in each measure"
    if TESTS[options["test"]].joint:
        every = runs * (runs - 1) // 2
        if every == 1:
            return f"with a single comparison{each}"
        return f"p-values holding at once for all {every} pairs of {runs} runs{each}"
    if pairs == 1:
        return f"with a single comparison{each} and so no correction"
    if method == "none":
        return f"p-values not corrected for the {pairs} comparisons{each}"
    return f"p-values corrected by {CORRECTIONS[method]} for {pairs} comparisons{each}"


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
        how: dict[str, Any] = {name: options[name] for name in ("alternative", "resamples", "seed")}
        how["nan"] = "omit"
        tested: dict[str, PairedTest] = {}
        rows: list[Difference] = []
        for measure, share in self.shares.items():
            tested[str(measure)] = TESTS[options["test"]](
                found, measure=str(measure), baseline=self.fixed, threads=self.threads, **how
            )
            rows += _rows(found, measure, share, tested, intervals, options)
        names = sorted(found.runs, key=lambda name: name != baseline)
        sentence = sentence_of(rows, tested, len(names), options, self.policy)
        better = {str(measure): measure.better for measure in self.shares}
        signature = found.sel(measure=list(better)).signature
        if signature is not None:
            signature = signature.with_test(options)
        notes = found.notes
        comparison = Comparison(rows, names, options, sentence, notes, better, signature)
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
    fixed = None if baseline is None else run_place(scores.runs, baseline)
    check_number(len(scores.runs), fixed, all_pairs=all_pairs)
    shares = dict.fromkeys(measures)
    return Evaluated(scores, shares, {}, fixed, options, "", threads).compared()


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
            effect_size=defined(float(effect[place])),
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


def _known_mean(values: Floats) -> float | None:
    """The mean of what is defined."""
    known = [float(value) for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else None
