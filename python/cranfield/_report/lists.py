"""What a report shows of lists and judgments: depth, coverage, both lists of a topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cranfield import curves
from cranfield._analysis.diff import Diff, diff
from cranfield._analysis.diff_texts import as_texts
from cranfield._base.options import RANKING
from cranfield._core import Error, Measure, Qrels, Ranked, families
from cranfield._io.inputs import load
from cranfield._io.sources import Source
from cranfield._measures.custom import CustomMeasure
from cranfield._measures.parse import divided, with_rel
from cranfield._scores.bounds import Bounds
from cranfield._scores.scores import Scores
from cranfield._scoring.evaluator import Evaluator, Hosted
from cranfield.collection import rank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cranfield._analysis.diff_texts import TextsLike

DEPTHS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""The cutoffs of the curves by depth."""

JUDGED = (5, 10, 20, 50, 100, 1000)
"""The depths of the share of judged documents."""

CHEAP = ("P", "AP", "DCG", "nDCG", "RBP")
"""The families whose bounds are computed: those with a closed form."""


@dataclass(frozen=True)
class Lists:
    """Judgments, ranked runs, and what was read of them."""

    qrels: Qrels
    sources: Sequence[Source]
    ranked: Sequence[Ranked]
    scores: Scores
    measures: Sequence[Measure | CustomMeasure]
    options: Mapping[str, Any]
    """The evaluating options that were given."""

    @property
    def rel(self) -> float:
        """The lowest relevant grade of the measures."""
        found = (m.rel for m in self.measures if isinstance(m, Measure) and m.rel is not None)
        return next(found, 1.0)

    def judged(self) -> Scores:
        """The share of judged documents by depth."""
        return self._scored([Measure(f"Judged@{depth}") for depth in JUDGED], self.ranked)

    def by_depth(self, places: Sequence[int]) -> dict[str, Scores]:
        """Measures over cutoffs, of some runs: the first measure, precision and recall."""
        cut = {f["name"] for f in families() if f["cutoff"] in ("optional", "required")}
        first = self.measures[0]
        if not isinstance(first, Measure) or str(first.family) not in cut:
            first = Measure("nDCG")
        chosen = {one.family: one for one in (first, *(with_rel(n, self.rel) for n in ("P", "R")))}
        ranked = [self.ranked[place] for place in places]
        return {
            str(name): self._scored([one @ depth for depth in DEPTHS], ranked)
            for name, one in chosen.items()
        }

    def precision_recall(self, place: int) -> curves.PrecisionRecall:
        """The mean interpolated precision of a run at eleven levels of recall."""
        wanted = ("missing", "undefined", "negative")
        options = {name: self.options[name] for name in wanted if name in self.options}
        return curves.precision_recall(self.qrels, self.ranked[place], rel=self.rel, **options)

    def bounds(self) -> Bounds | None:
        """How far full judging could move the measures whose bounds are cheap."""
        cheap = [m for m in divided(self.measures)[0] if m.family in CHEAP]
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

        Empty where a measure has no differences of topics, or where a run came ranked.
        """
        if self.scores.core.measures[0].aggregate in ("geometric", "pooled"):
            return []
        if any(isinstance(self.sources[place].data, Ranked) for place in places):
            return []
        reading = (
            *(bool(self.options.get("lenient")), self.options.get("limits")),
            self.options.get("run_layout"),
        )
        runs = [load(self.sources[place], *reading) for place in places]
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


def read(
    qrels: Qrels,
    runs: Sequence[Source],
    measures: Sequence[Measure | CustomMeasure],
    options: Mapping[str, Any],
) -> Lists:
    """Ranks runs once and scores them."""
    held = [source.rereadable() for source in runs]
    ranking = {n: v for n, v in options.items() if n in (*RANKING, "limits", "progress")}
    unranked = [source for source in held if not isinstance(source.data, Ranked)]
    found = iter(rank(qrels, unranked, keep_unjudged=True, **ranking) if unranked else ())
    ranked = [s.data if isinstance(s.data, Ranked) else next(found) for s in held]
    scores = Evaluator(qrels, measures, **_scoring(options)).evaluate(ranked)
    return Lists(qrels, held, ranked, scores, measures, options)


def _scoring(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of scoring runs that are ranked."""
    kept = {n: v for n, v in options.items() if n not in (*RANKING, "limits", "progress")}
    return {**kept, "threads": options.get("threads"), "progress": False}
