"""The input of a study: judgments and runs, read once, and the selection from them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np

from cranfield import collection, meta
from cranfield._core import Qrels, Ranked, Run
from cranfield.errors import failure, shown
from cranfield.evaluator import check_grades, compiled_with, rescored, scored
from cranfield.inputs import accepted, files
from cranfield.inputs.measures import as_measures
from cranfield.options import EVALUATING, RANKING, in_effect
from cranfield.results.groups import topics_of
from cranfield.study.folder import digest, file_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from cranfield.inputs.accepted import QrelsLike, RunsLike
    from cranfield.inputs.progress import ProgressLike
    from cranfield.results.scores import Scores


@dataclass(frozen=True, slots=True)
class Choice:
    """Which runs and topics a study uses."""

    by: str = "AP"
    """The measure whose summary ranks the runs."""
    top: int | None = None
    """The number of best runs to keep."""
    drop_worst: float | None = None
    """The share of worst runs to drop."""
    topics: str | None = None
    """Only these topics: "401-425,430"."""

    @property
    def chooses(self) -> bool:
        """Whether some of the runs are left out."""
        return self.top is not None or self.drop_worst is not None


_READING = [name for name in RANKING if EVALUATING[name]["stage"] != "work"]
"""The options of reading and ranking, which can change a score."""


class Material:
    """Judgments and runs of a study; runs are read when they are needed.

    ``reading`` has options of ``collection.rank``. Runs are ranked with what is needed
    to compute the study's measures, and the measure that the choice is by.
    """

    def __init__(
        self,
        qrels: QrelsLike,
        runs: RunsLike | None,
        choice: Choice,
        *,
        measures: Sequence[str] = (),
        keep_unjudged: bool = False,
        least: int = 2,
        threads: int | None = None,
        progress: ProgressLike = None,
        reading: Mapping[str, Any] | None = None,
        rel: float | None = None,
    ) -> None:
        self.threads = threads
        self.rel = rel
        """The lowest relevant grade of measures that do not name one."""
        self._keep_unjudged = keep_unjudged
        self._measures = [*measures, *([choice.by] if choice.chooses else [])]
        self._choice = choice
        self._progress = progress
        self._reading = dict(reading or {})
        if unknown := [name for name in self._reading if name not in (*RANKING, "limits")]:
            message = "expected options of collection.rank as reading"
            raise failure("option", f"{message}, found {shown(unknown[0])}")
        known = {key: self._reading[key] for key in ("lenient", "limits") if key in self._reading}
        judged = accepted.as_qrels(qrels, **known, columns_of_tables=self._reading.get("columns"))
        self.topics = judged.topics
        """The topics of all judgments."""
        self.qrels = (
            judged
            if choice.topics is None
            else of_topics(judged, topics_of(choice.topics, judged.topics))
        )
        # Streams are read into memory: a study may need runs twice.
        self._runs: dict[str, Any] = {
            source.name: source.data
            if isinstance(source.data, (str, Run))
            else files.load(
                source,
                known.get("lenient", False),
                known.get("limits"),
                self._reading.get("run_layout"),
            )
            for source in (() if runs is None else accepted.as_runs(runs, self._reading))
        }
        self._least = least
        self._enough(self.given)

    @property
    def runs(self) -> Mapping[str, Any]:
        """The runs that were given: a path, or the run itself if it was a stream, by name."""
        return self._runs

    @property
    def given(self) -> int:
        """How many runs were given."""
        return len(self._runs)

    @cached_property
    def key(self) -> str:
        """A digest of the judgments, the runs and the choice."""
        runs = {
            name: file_digest(run) if isinstance(run, str) else digest(run.to_dict())
            for name, run in self._runs.items()
        }
        reading = {name: in_effect(name, self._reading.get(name)) for name in _READING}
        judged = self.qrels.to_dict(), self.qrels.docs_in_collection
        if self.rel is not None:
            reading["rel"] = self.rel
        return digest([judged, list(runs.items()), asdict(self._choice), reading])

    def rank(
        self, qrels: Qrels, *, keep_unjudged: bool = False, measures: Sequence[str] | None = None
    ) -> list[Ranked]:
        """All runs, ranked and joined with judgments."""
        return collection.rank(
            qrels,
            self._runs,
            keep_unjudged=keep_unjudged,
            measures=measures,
            threads=self.threads,
            progress=self._progress,
            **self._reading,
        )

    def pool(self, depth: int) -> Qrels:
        """The pool of all runs."""
        reading = {k: v for k, v in self._reading.items() if k != "depth"}
        return collection.pool(
            self._runs, depth, threads=self.threads, progress=self._progress, **reading
        )

    @cached_property
    def all(self) -> list[Ranked]:
        """All runs, ranked with the judgments; warns about topics that do not match."""
        ranked = self.rank(
            self.qrels, keep_unjudged=self._keep_unjudged, measures=self._measures or None
        )
        scored(self.qrels, ranked, ["num_ret"], threads=self.threads)
        return ranked

    @cached_property
    def ranked(self) -> list[Ranked]:
        """The chosen runs, in the order given."""
        return self.chosen(self.all)

    def chosen(self, ranked: list[Ranked]) -> list[Ranked]:
        """The chosen ones among all runs."""
        choice = self._choice
        if not choice.chooses:
            return ranked
        scores = self.scored(self.qrels, self.all, [choice.by])
        if choice.drop_worst is not None:
            scores = meta.drop_worst(scores, choice.drop_worst, choice.by)
        if choice.top is not None:
            scores = meta.best(scores, choice.top, choice.by)
        left = set(scores.runs)
        self._enough(len(left))
        return [run for run in ranked if run.name in left]

    def _enough(self, count: int) -> None:
        if count < self._least:
            message = f"the study needs at least {self._least} runs, found {count}"
            raise failure("option", message)

    def scores(self, measures: Sequence[str], qrels: Qrels | None = None) -> Scores:
        """The scores of the chosen runs, under the judgments or others derived from them."""
        return self.scored(self.qrels if qrels is None else qrels, self.ranked, measures)

    def scored(self, qrels: Qrels, runs: Sequence[Ranked], measures: Sequence[str]) -> Scores:
        """The scores of runs under judgments derived from those that the study was given.

        Raises ``Error`` (kind "needs") if no judgment is relevant for a measure.
        """
        self.check(measures)
        return rescored(qrels, runs, list(measures), threads=self.threads, rel=self.rel)

    def check(self, measures: Sequence[str], qrels: Qrels | None = None) -> None:
        """Raises ``Error`` (kind "needs") if no judgment is relevant for a measure."""
        judged = self.qrels if qrels is None else qrels
        options = {"rel": self.rel}
        core = compiled_with(judged, as_measures(list(measures)), options, hosted=True)
        check_grades(core, of_study=True)

    @property
    def lowest_relevant(self) -> float:
        """The lowest relevant grade."""
        return 1.0 if self.rel is None else self.rel

    @cached_property
    def grades(self) -> NDArray[np.float64]:
        """The grades of the judgments that are not negative, ascending."""
        found = {grade for docs in self.qrels.to_dict().values() for grade in docs.values()}
        return np.array(sorted(grade for grade in found if grade >= 0))


def of_topics(qrels: Qrels, topics: Sequence[str]) -> Qrels:
    """The judgments of some topics, with all their columns."""
    chosen = {topic: qrels[topic] for topic in topics}
    found = Qrels(chosen, docs_in_collection=qrels.docs_in_collection)
    for name in qrels.columns:
        found = found.with_column(name, {topic: qrels.column(name, topic) for topic in topics})
    return found
