"""The input of a study: judgments and runs, read once, and the selection from them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield import _core, collection, meta
from cranfield._analysis.meta_scores import left_without_worst
from cranfield._base.errors import failure, label_failure, shown
from cranfield._base.options import EVALUATING, RANKING, all_in_effect, several, text
from cranfield._base.progress import ProgressLike
from cranfield._base.text import readable
from cranfield._core import Measure, Qrels, Ranked
from cranfield._io.inputs import QrelsLike, RunsLike, as_qrels, as_runs, load
from cranfield._io.small_files import rows
from cranfield._measures.custom import CustomMeasure
from cranfield._measures.parse import as_measures
from cranfield._scores.groups import topics_of
from cranfield._scores.scores import Scores
from cranfield._scoring.ranked import check_grades, compiled_with, rescored, scored
from cranfield._stats.paired import PairedTest
from cranfield._stats.registry import TESTS, test_of
from cranfield._study.definition import Options, Report, described
from cranfield._study.folder import digest, file_digest
from cranfield._study.results import Figure, Panel, Table


@dataclass(frozen=True, slots=True)
class Choice:
    """Which runs and topics a study uses."""

    by: str = "AP"
    """The measure whose summary ranks the runs."""
    top: int | None = None
    """The number of best runs to keep."""
    drop_worst: float | None = None
    """The proportion of worst runs to drop."""
    topics: str | None = None
    """Only these topics: "401-425,430"."""

    @property
    def chooses(self) -> bool:
        """Whether some of the runs are left out."""
        return self.top is not None or self.drop_worst is not None


_READING = [name for name in RANKING if EVALUATING[name]["stage"] != "work"]
"""The options of reading and ranking, which can change a score."""


@dataclass(frozen=True)
class Given:
    """What a study is given."""

    qrels: QrelsLike
    runs: RunsLike | None
    choice: Choice = field(default_factory=Choice)
    name: str = ""
    """That of the study."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """All options of the study."""
    threads: int | None = None
    progress: bool | None = None
    reading: Mapping[str, Any] | None = None
    """Options of ``collection.rank``."""
    rel: float | None = None
    command: str | None = None
    figures: str = "svg"
    """The form of the figures, as ``study.run`` has it."""
    measures: Sequence[str] = ()
    """The measures that lists are kept for."""
    least: int = 2
    """The least number of runs that the study needs."""
    chosen: Collection[str] | None = None
    """The names of the chosen runs, if they were chosen before."""


class Inputs:
    """Judgments and runs of a study; runs are read when they are needed.

    Runs are ranked with what is needed to compute the study's measures, and the measure that
    the choice is by.
    """

    def __init__(self, given: Given, progress: ProgressLike = False) -> None:
        choice, options = given.choice, given.options
        self.threads = given.threads
        self.rel = given.rel
        """The lowest relevant grade of measures that do not name one."""
        pool_runs = options.get("pool_runs")
        self._pool_runs = None if pool_runs is None else read_pool_runs(pool_runs)
        self._measures = [*given.measures, *([choice.by] if choice.chooses else [])]
        self._given, self._progress = given, progress
        self._reading = dict(given.reading or {})
        if unknown := [name for name in self._reading if name not in (*RANKING, "limits")]:
            message = "expected options of collection.rank as reading"
            raise failure("option", f"{message}, found {shown(unknown[0])}")
        known = {key: self._reading[key] for key in ("lenient", "limits") if key in self._reading}
        judged = as_qrels(given.qrels, **known, columns_of_tables=self._reading.get("columns"))
        if (documents := options.get("docs_in_collection")) is not None:
            judged = _core.in_collection(judged, documents)
        self.topics = judged.topics
        """The topics of all judgments."""
        self.qrels = (
            judged
            if choice.topics is None
            else judged.restrict_to_topics(topics_of(choice.topics, judged.topics))
        )
        self.judged = self.qrels
        """The same with the grades that they came with."""
        if (graded := options.get("graded")) is not None:
            self._fold(graded=graded)
        # Streams are read into memory: a study may need runs twice.
        self.runs: Mapping[str, Any] = {
            source.name: source.data
            if isinstance(source.data, str)
            else load(source, self._reading)
            for source in (() if given.runs is None else as_runs(given.runs, self._reading))
        }
        """The runs that were given: a path, or the run itself if it was a stream, by name."""
        self._enough(self.given)

    def _fold(self, *, graded: bool) -> None:
        """One line between relevant and not relevant for all measures; see ``collection.fold``."""
        lowest = self.lowest_relevant
        if not graded:
            for measure in as_measures(self._measures) if self._measures else ():
                _check_binary(measure)
        # Raised of the judgments as they are: all of them may be below the default.
        self.check(["AP"])
        self.qrels = collection.fold(self.qrels, lowest, graded=graded)
        if not graded:
            self.rel = None

    @property
    def given(self) -> int:
        """How many runs were given."""
        return len(self.runs)

    @property
    def compared(self) -> int:
        """How many of them are compared; known without reading any."""
        chosen, choice, left = self._given.chosen, self._given.choice, self.given
        if chosen is not None:
            return len(chosen)
        if choice.drop_worst is not None:
            left = left_without_worst(left, choice.drop_worst)
        return left if choice.top is None else min(left, choice.top)

    @cached_property
    def key(self) -> str:
        """A digest of the judgments, the runs and the choice."""
        runs = {
            name: file_digest(run) if isinstance(run, str) else digest(run.to_dict())
            for name, run in self.runs.items()
        }
        reading = all_in_effect(_READING, self._reading)
        judged = self.qrels.to_dict(), self.qrels.docs_in_collection
        if self.rel is not None:
            reading["rel"] = self.rel
        known = self.qrels.grades
        chosen = None if self._given.chosen is None else sorted(self._given.chosen)
        choice = asdict(self._given.choice), chosen, self._pool_runs
        return digest([judged, known, list(runs.items()), choice, reading])

    def rank(
        self, qrels: Qrels, *, keep_unjudged: bool = False, measures: Sequence[str] | None = None
    ) -> list[Ranked]:
        """All runs, ranked and joined with judgments."""
        return collection.rank(
            qrels,
            self.runs,
            keep_unjudged=keep_unjudged,
            measures=measures,
            threads=self.threads,
            progress=self._progress,
            **self._reading,
        )

    def pool(self, depth: int) -> Qrels:
        """The pool of the runs that are pooled."""
        reading = {k: v for k, v in self._reading.items() if k != "depth"}
        pooled = {run.name for run in self.pooled}
        some = {name: run for name, run in self.runs.items() if name in pooled}
        return collection.pool(
            some, depth, threads=self.threads, progress=self._progress, **reading
        )

    def pooled_to_depth(self, depth: int) -> Qrels:
        """The judgments of the documents that the pool of a depth holds."""
        return collection.pool_to_depth(self.qrels, self.pooled, depth)

    @cached_property
    def pooled(self) -> list[Ranked]:
        """The runs that pools are made of: all, or those that were named."""
        if self._pool_runs is None:
            return self.all
        names = {run.name: run.name for run in self.all}
        for note in self._notes:
            # Archives call a run by its tag, and its file a little otherwise.
            if note.tag is not None:
                names.setdefault(note.tag, note.run)
        for name in self._pool_runs:
            if name not in names:
                raise label_failure("run", name, tuple(names), "the runs that are pooled")
        chosen = {names[name] for name in self._pool_runs}
        return [run for run in self.all if run.name in chosen]

    @cached_property
    def all(self) -> list[Ranked]:
        """All runs, ranked with the judgments; warns about topics that do not match."""
        ranked = self.rank(self.qrels, measures=self._measures or None)
        self._notes = scored(self.qrels, ranked, ["num_ret"], threads=self.threads).core.notes
        return ranked

    @cached_property
    def ranked(self) -> list[Ranked]:
        """The chosen runs, in the order given."""
        return self.chosen(self.all)

    def chosen(self, ranked: list[Ranked]) -> list[Ranked]:
        """The chosen ones among all runs."""
        chosen, choice = self._given.chosen, self._given.choice
        if chosen is not None:
            return [run for run in ranked if run.name in chosen]
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
        if count < self._given.least:
            message = f"the study needs at least {self._given.least} runs, found {count}"
            raise failure("option", message)

    def scores(
        self, measures: Sequence[str], qrels: Qrels | None = None, *, depth: int | None = None
    ) -> Scores:
        """The scores of the chosen runs, under the judgments or others derived from them.

        With a ``depth`` the lists end there.
        """
        judged = self.qrels if qrels is None else qrels
        return self.scored(judged, self.ranked, measures, depth=depth)

    def scored(
        self,
        qrels: Qrels,
        runs: Sequence[Ranked],
        measures: Sequence[str],
        *,
        depth: int | None = None,
    ) -> Scores:
        """The scores of runs under judgments derived from those that the study was given.

        Raises ``Error`` (kind "needs") if no judgment is relevant for a measure.
        """
        self.check(measures)
        return rescored(
            qrels, runs, list(measures), threads=self.threads, rel=self.rel, depth=depth
        )

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


@dataclass(frozen=True)
class Task:
    """What a part of a study computes from, and the words for what it finds."""

    study: str
    inputs: Inputs
    options: Options
    report: Report

    def tested(self, scores: Scores) -> PairedTest:
        """The test that was asked for, of all pairs of runs."""
        test = test_of(self.options["test"])
        return test(scores, seed=self.options["seed"], threads=self.inputs.threads)

    def power(self, scores: Scores) -> meta.DiscriminativePower:
        """Which pairs of runs each measure finds different, by the test that was asked for."""
        test, alpha, seed = (self.options[name] for name in ("test", "alpha", "seed"))
        return meta.discriminative_power(
            scores, test, alpha, seed=seed, threads=self.inputs.threads
        )

    @property
    def tested_by(self) -> str:
        """The test of pairs of runs, as sentences call it."""
        return TESTS[self.options["test"]].title

    def table(self, entry: str, columns: Any, name: str | None = None, **words: Any) -> Table:
        """The table of columns or rows, as ``Table.of`` takes them, under its title."""
        return Table.of(columns=columns, **self._said("tables", entry, name, words))

    def figure(
        self, entry: str, panels: list[Panel], name: str | None = None, **words: Any
    ) -> Figure:
        """The figure of panels under its title; its columns are not more than these."""
        said = self._said("figures", entry, name, words)
        columns = min(said.pop("columns", 1), len(panels))
        return Figure(panels=panels, columns=columns, **said)

    def _said(
        self, kind: str, entry: str, name: str | None, words: Mapping[str, Any]
    ) -> dict[str, Any]:
        """What ``studies.toml`` says of a table or figure, with its holes filled."""
        known, own = _Known(self, words), described()[self.study][kind][entry]
        filled = {n: v.format_map(known) if isinstance(v, str) else v for n, v in own.items()}
        return {"name": name or entry, **filled}


class _Known(dict[str, Any]):
    """What fills the holes of a text: what is given, or else the options."""

    def __init__(self, task: Task, words: Mapping[str, Any]) -> None:
        super().__init__(words)
        self._task = task

    def __missing__(self, name: str) -> Any:
        return self._task.tested_by if name == "tested_by" else self._task.options[name]


def read_pool_runs(pool_runs: str | Sequence[str]) -> list[str]:
    """The names of the runs that were pooled: a list, or a file with one a line."""
    if not isinstance(pool_runs, str):
        return several(pool_runs, "pool_runs", text)
    names = rows(pool_runs, "the name of a run", (1,))
    return list(dict.fromkeys(readable(name) for _, (name,) in names))


def _check_binary(measure: Measure | CustomMeasure) -> None:
    """Raises ``Error`` (kind "option") for a measure that names grades, where they are folded."""
    named = str(measure)
    if measure.rel not in (None, 1.0) or "gain={" in named:
        message = (
            f"{named} names grades, and this study reduces them to relevant or not: give the "
            f"lowest "
            "relevant grade to the study,"
        )
        python, command_line = "rel=, or graded=True", "--rel, or --graded"
        raise failure("option", f"{message} {python}", command_line=f"{message} {command_line}")
