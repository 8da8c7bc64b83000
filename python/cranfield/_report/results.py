"""Everything that a report shows, computed once with the functions of this package.

``Lists`` is what judgments and lists are needed for, ``Results`` what follows from scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cranfield import curves
from cranfield._analysis.diff import Diff, ListDiff, diff
from cranfield._analysis.diff_texts import TextsLike, as_texts
from cranfield._base.options import RANKING
from cranfield._base.scores_like import best_first, turn
from cranfield._core import Error, Measure, Qrels, Ranked, Run, families
from cranfield._io.inputs import load
from cranfield._io.sources import Source
from cranfield._measures.custom import CustomMeasure
from cranfield._measures.parse import divided, has_budget, with_rel
from cranfield._scores.bounds import Bounds
from cranfield._scores.comparing import HowToTest, sentence_of
from cranfield._scores.comparison import Comparison
from cranfield._scores.groups import Groups
from cranfield._scores.scores import Scores
from cranfield._scoring.evaluator import Evaluator, Hosted
from cranfield._stats.differences import Difference
from cranfield._stats.intervals import Interval
from cranfield._stats.paired import PairedTest
from cranfield._stats.registry import CORRECTIONS, TESTS
from cranfield._stats.tiers import Tiers
from cranfield.collection import rank

DEPTHS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""The cutoffs of the curves by depth."""

JUDGED = (5, 10, 20, 50, 100, 1000)
"""The depths of the proportion of judged documents."""

CHEAP = ("P", "AP", "DCG", "nDCG", "RBP")
"""The families whose bounds are computed: those with a closed form."""

FEW = 5
"""How many of the best runs are shown beside the reference, in lines and in lists."""

SHOWN = 20
"""How many of the best runs are shown where a page has no room for all."""


UNITS = {
    "mean": "mean",
    "sum": "sum",
    "geometric": "geometric mean",
    "pooled": "pooled value",
}
"""What a run has over its topics, by the aggregate of a measure."""


@dataclass(frozen=True)
class Curve:
    """A measure over cutoffs: what it and its cutoffs are called, and its scores."""

    name: str
    axis: str
    mark: str
    """What stands before a cutoff."""
    ends: Sequence[int]
    scores: Scores


@dataclass(frozen=True)
class Lists:
    """Judgments, ranked runs, and what was read of them."""

    is_of_spans: ClassVar[bool] = False

    qrels: Any
    sources: Sequence[Source]
    ranked: Sequence[Ranked]
    scores: Scores
    measures: Sequence[Measure | CustomMeasure]
    options: Mapping[str, Any]
    """The evaluating options that were given."""
    alike: dict[str, ListDiff] = field(default_factory=dict)
    """Runs against the first of ``differences``, without judgments, by name."""

    def _compared(self, runs: Sequence[Run]) -> dict[str, ListDiff]:
        """The first of some runs against each of the others, where that can be."""
        found, kept = {}, ("order", "scores", "duplicates", "own", "depth", "threads")
        options = {name: self.options[name] for name in kept if name in self.options}
        for run in runs[1:]:
            with suppress(Error):
                found[run.name] = diff(
                    *(None, runs[0], run, [self.measures[0]]),
                    k=10,
                    missing="skip",
                    progress=False,
                    **options,
                )
        return found

    @property
    def rel(self) -> float:
        """The lowest relevant grade of the measures."""
        found = (m.rel for m in self.measures if isinstance(m, Measure) and m.rel is not None)
        return next(found, 1.0)

    def judged(self) -> Scores | None:
        """The proportion of judged documents by depth."""
        return self._scored([Measure(f"Judged@{depth}") for depth in JUDGED], self.ranked)

    def by_depth(self, places: Sequence[int]) -> Iterator[Curve]:
        """Measures over cutoffs, of some runs: the first measure, precision and recall."""
        cut = {f["name"] for f in families() if f["cutoff"] in ("optional", "required")}
        first = self.measures[0]
        if not isinstance(first, Measure) or str(first.family) not in cut:
            first = Measure("nDCG")
        chosen = {one.family: one for one in (first, *(with_rel(n, self.rel) for n in ("P", "R")))}
        ranked = [self.ranked[place] for place in places]
        for name, one in chosen.items():
            scores = self._scored([one @ depth for depth in DEPTHS], ranked)
            yield Curve(str(name), "cutoff k", "@", DEPTHS, scores)

    def precision_recall(self, place: int) -> curves.PrecisionRecall:
        """The mean interpolated precision of a run at eleven levels of recall."""
        wanted = ("missing", "undefined", "negative")
        options = {name: self.options[name] for name in wanted if name in self.options}
        return curves.precision_recall(self.qrels, self.ranked[place], rel=self.rel, **options)

    def bounds(self) -> Bounds | None:
        """How far full judging could move the measures whose bounds are cheap."""
        cheap = [m for m in divided(self.measures)[0] if m.family in CHEAP and not has_budget(m)]
        if not cheap:
            return None
        try:
            return Hosted(self.qrels, cheap, **_scoring(self.options)).bounds(list(self.ranked))
        except Error as error:
            if error.kind != "bounds":
                raise
            return None

    def differences(self, places: Sequence[int], documents: TextsLike) -> list[Diff]:
        """The first of some runs against each of the others, down to documents.

        Empty where a measure has no differences of topics or of documents, or where a run came
        ranked.
        """
        first = self.scores.core.measures[0]
        if first.aggregate in ("geometric", "pooled") or has_budget(first):
            return []
        if any(isinstance(self.sources[place].data, Ranked) for place in places):
            return []
        runs = [load(self.sources[place], self.options) for place in places]
        self.alike.update(self._compared(runs))
        reads = ("lenient", "limits", "run_layout", "columns", "progress")
        options = {name: value for name, value in self.options.items() if name not in reads}
        found = [
            diff(self.qrels, runs[0], run, self.measures[0], progress=False, **options)
            for run in runs[1:]
        ]
        if documents is not None:
            wanted = {
                document
                for pair in found
                for topic in pair.topics
                for part in topic._lists
                for document in part[1]
            }
            texts = as_texts(documents, wanted, "documents", self.options.get("limits"))
            for pair in found:
                pair.texts.update(texts)
        return found

    def _scored(self, measures: Sequence[Measure], ranked: Sequence[Ranked]) -> Scores:
        """The scores of ranked runs without warnings: these were given before."""
        return Hosted(self.qrels, measures, **_scoring(self.options)).evaluate(list(ranked))


def read_lists(
    qrels: Qrels,
    runs: Sequence[Source],
    measures: Sequence[Measure | CustomMeasure],
    options: Mapping[str, Any],
) -> Lists:
    """Ranks runs once and scores them."""
    held = [source.rereadable() for source in runs]
    ranking = {n: v for n, v in options.items() if n in (*RANKING, "limits", "progress")}
    unranked = [source for source in held if not isinstance(source.data, Ranked)]
    budgets = [measure for measure in measures if has_budget(measure)] or None
    ranking = {**ranking, "keep_unjudged": True, "measures": budgets}
    found = iter(rank(qrels, unranked, **ranking) if unranked else ())
    ranked = [s.data if isinstance(s.data, Ranked) else next(found) for s in held]
    scores = Evaluator(qrels, measures, **_scoring(options)).evaluate(ranked)
    return Lists(qrels, held, ranked, scores, measures, options)


def _scoring(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of scoring runs that are ranked."""
    kept = {n: v for n, v in options.items() if n not in (*RANKING, "limits", "progress")}
    return {**kept, "threads": options.get("threads"), "progress": False}


@dataclass(eq=False)
class Results:
    """The scores of a report with what follows from them alone."""

    scores: Scores
    baseline: int | None
    """The place of the run that was named as baseline."""
    lists: Lists | None
    """What needs judgments and lists; None for scores alone."""
    groups: Groups[Scores] | None
    queries: Mapping[str, str]
    """What topics ask, by topic."""
    testing: HowToTest
    seed: int
    """The seed of whatever draws."""
    documents: TextsLike = None

    def __post_init__(self) -> None:
        scores, measure = self.scores, self.scores.core.measures[0]
        self.options = self.testing.checked()
        self.main = scores.measures[0]
        """The measure that runs are ordered and tested by."""
        self.better = scores.better[self.main]
        """Which of its values are better."""
        self.turned = turn(self.better)
        """The factor that makes higher ones better."""
        self.by_topic: NDArray[np.float64] = scores.values[:, :, 0]
        """Its values: shape (runs, topics)."""
        self.summary = scores.summary()
        """The summary of each measure over topics: float64, shape (runs, measures)."""
        self.order = best_first(self.summary[:, 0].tolist(), measure)
        """The places of the runs, the best first."""
        self.best = self.order[0]
        self.reference = self.best if self.baseline is None else self.baseline
        """The run that the others are compared with: the baseline, or else the best one."""
        self.competitors = [place for place in self.order if place != self.reference][:FEW]
        """The best runs but for the reference, a few."""
        kept = {*self.order[:SHOWN], self.reference}
        self.shown = [place for place in self.order if place in kept]
        """The best runs and the reference, in order, where there is no room for all."""
        self.joint = TESTS[self.options["test"]].joint
        """Whether the test's p-values hold for all pairs at once."""
        self.tested, self.reason = self._test()
        """The test of all pairs of runs, corrected for their number; or why there is none."""
        self.pvalues = None if self.tested is None else self.tested.matrix()
        """Corrected p-values of all pairs: shape (runs, runs), NaN on the diagonal."""
        self._how = {name: self.options[name] for name in ("test", "correction", "alpha", "level")}
        others = len(scores.runs) - 1
        self.pairs = others * len(scores.runs) // 2 if self.baseline is None else others
        """For how many comparisons the p-values of the differences are corrected."""

    @cached_property
    def interval(self) -> Interval:
        """Intervals of the means."""
        return self.scores.interval(level=self.testing.level, seed=self.seed)

    def _test(self) -> tuple[PairedTest | None, str]:
        """The test of all pairs, corrected; or why there is none."""
        test, correction = self.options["test"], self.options["correction"]
        if self.scores.core.measures[0].aggregate in ("geometric", "pooled"):
            return None, f"{self.main} is not a mean over topics, so that runs are not tested in it"
        try:
            found = TESTS[test](self.scores, measure=self.main, nan="omit", seed=self.seed)
        except Error as error:
            return None, error.message
        return (found if correction == "none" else found.corrected(correction)), ""

    @cached_property
    def tiers(self) -> Tiers | None:
        """The tiers of the runs in the first measure."""
        if self.tested is None:
            return None
        return self.scores.tiers(self.main, **self._how, seed=self.seed)

    @cached_property
    def comparison(self) -> Comparison | None:
        """The comparison of all runs with the reference in the first measure."""
        if self.tested is None:
            return None
        seed = None if self.options["seed"] is None else self.seed
        return self.scores.compare(self.main, baseline=self.reference, **self._how, seed=seed)

    @cached_property
    def differences(self) -> dict[str, Difference]:
        """Each other run against the reference in the first measure, the best first.

        If no baseline was named, the reference was chosen for its scores. Then
        p-values are those corrected for all pairs of runs.
        """
        if self.comparison is None or self.pvalues is None:
            return {}
        rows = {row.run: row for row in self.comparison.rows}
        found = {}
        for place in self.order:
            run = self.scores.runs[place]
            if place == self.reference:
                continue
            row = rows[run]
            if self.baseline is None:
                p = float(self.pvalues[place, self.reference])
                row = replace(row, p_corrected=p, significant=p < self.testing.alpha)
            found[run] = row
        return found

    def correction(self, pairs: int, what: str = "pair") -> str:
        """What was done about the number of comparisons; ``what`` they are called."""
        correction = self.options["correction"]
        if self.joint:
            return "adjusted for all pairs at once"
        if pairs == 1:
            return f"of a single {what}, so not corrected"
        if correction == "none":
            return f"not corrected for the {pairs:,} {what}s"
        return f"corrected for {pairs:,} {what}s by {CORRECTIONS[correction]}"

    @cached_property
    def methods(self) -> str:
        """The sentence for the methods section of a paper."""
        if self.comparison is None or self.tested is None:
            return ""
        if self.baseline is not None:
            return self.comparison.methods
        rows = list(self.differences.values())
        options = {**self.comparison.options, "baseline": None}
        runs = len(self.scores.runs)
        tested = {self.main: self.tested}
        return sentence_of(rows, tested, runs, options, "", pairs=self.pairs)

    @cached_property
    def hardness(self) -> NDArray[np.float64]:
        """The mean over all runs of each topic: shape (topics,); NaN where nothing is defined."""
        return _nanmean(self.by_topic)

    @cached_property
    def judged(self) -> Scores | None:
        """The proportion of judged documents by depth; of scores alone what they have of it."""
        if self.lists is not None:
            return self.lists.judged()
        known = [name for name in self.scores.measures if name.startswith("Judged")]
        return self.scores.sel(measure=known) if known else None

    @cached_property
    def judged_at_ten(self) -> list[float]:
        """The mean share of judged documents among the first ten, by run; empty if unknown."""
        if self.judged is None or "Judged@10" not in self.judged.measures:
            return []
        column = self.judged.measures.index("Judged@10")
        means: list[float] = self.judged.mean()[:, column].tolist()
        return means

    @cached_property
    def bounds(self) -> Bounds | None:
        """How far full judging could move the measures whose bounds are cheap."""
        return None if self.lists is None else self.lists.bounds()

    @cached_property
    def pairs_of_lists(self) -> list[Diff]:
        """The reference against each of its competitors, down to documents."""
        if self.lists is None:
            return []
        return self.lists.differences([self.reference, *self.competitors], self.documents)

    def signed(self, run: int) -> NDArray[np.float64]:
        """By how much a run's value is above the reference's in each topic: shape (topics,)."""
        found: NDArray[np.float64] = self.by_topic[run] - self.by_topic[self.reference]
        return found

    def runs(self, places: Sequence[int]) -> list[str]:
        """The names of runs."""
        return [self.scores.runs[place] for place in places]


def _nanmean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means over the first axis of what is defined, without a warning where nothing is."""
    known = ~np.isnan(values)
    number = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)
