"""Scoring runs: one call for once, an ``Evaluator`` for many times."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from operator import index

from cranfield import _core
from cranfield._core import DEFAULT_MEASURES, Limits, Measure, Qrels, Ranked, parse_measures
from cranfield.errors import failure
from cranfield.inputs import as_qrels, as_runs, as_scored
from cranfield.options import EVALUATING, SCORING, accepted, of_judgments
from cranfield.progress import Progress
from cranfield.results.origin import Origin
from cranfield.scores import Scores
from cranfield.tables import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType
    from typing import Any, Literal, TypeAlias, Unpack

    from cranfield.bounded import Bounds
    from cranfield.custom import CustomMeasure
    from cranfield.inputs import QrelsLike, RunsLike
    from cranfield.option_types import (
        Duplicates,
        EvaluatingOptions,
        Missing,
        Negative,
        Order,
        RunLayout,
        ScoringOptions,
        Undefined,
    )
    from cranfield.progress import ProgressLike
    from cranfield.sources import Source

    MeasureLike: TypeAlias = str | Measure | CustomMeasure
    MeasuresLike: TypeAlias = MeasureLike | Iterable[MeasureLike] | None


class Evaluator:
    """Judgments and measures, compiled once to score runs many times.

    Immutable; ``evaluate`` may be called from several threads at a time.

    Parameters
    ----------
    qrels, measures
        As for ``cranfield.evaluate``, and so are all options.

    Raises
    ------
    Error
        For judgments that cannot be read, a measure that does not exist
        (kind "measure"), a parameter that it does not take ("parameter"), a
        measure that needs what the judgments lack ("needs"), for whose
        default ``rel`` none of their grades is high enough ("needs"), an
        option with a value that it does not take ("option").

    """

    __slots__ = ("_core", "_judged", "_measures", "_options", "_origin", "_progress")
    _hosted = False

    def __init__(
        self,
        qrels: QrelsLike,
        measures: MeasuresLike = None,
        **options: Unpack[EvaluatingOptions],
    ) -> None:
        given = accepted("Evaluator", options)
        compiled = as_measures(measures)
        self._progress = given.pop("progress", None)
        self._options: dict[str, Any] = {name: given.get(name) for name in (*EVALUATING, "limits")}
        ties = self._options["ties"]
        judged = as_qrels(qrels, **of_judgments(given))
        built_in, own = divided(compiled)
        if own and ties in ("average", "bounds"):
            message = f'{own[0]} is a function of one order: ties="{ties}" has no exact method'
            raise failure("option", f"{message} for it")
        self._measures = tuple(compiled)
        self._core = compiled_with(judged, compiled, self._options, hosted=self._hosted)
        if built_in and not self._hosted:
            check_grades(self._core)
        self._judged: Any = None
        self._origin = Origin(judged, self._options)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        options = {**self._options, "lenient": bool(self._options["lenient"])}
        for count in ("depth", "threads"):
            options[count] = None if options[count] is None else index(options[count])
        limits = options.pop("limits")
        if limits is not None:
            limits = limits.decompression_ratio, limits.decompression_free, limits.line_bytes
        if divided(self.measures)[1]:
            return _unpickled_functions, (
                type(self),
                self.qrels,
                self.measures,
                options,
                limits,
                self._progress,
            )
        # The text that a measure's own pickle has tells a level that was named.
        measures = " ".join(measure.__reduce__()[1][0][0] for measure in self._core.measures)
        state = measures, tuple(options.items()), limits
        return self._unpickled, (self.qrels, state, _core.checksum(state), self._progress)

    @classmethod
    def _unpickled(cls, *parts: Any) -> Evaluator:
        """The evaluator of a pickle; raises ``Error`` for one that is damaged."""
        damaged = failure("type", "expected a pickle of this version, found a damaged one")
        try:
            qrels, state, checksum, progress = parts
            if not isinstance(qrels, Qrels) or _core.checksum(state) != checksum:
                raise damaged
            measures, options, limits = state
            options = dict(options)
            if limits is not None:
                ratio, free, line = limits
                limits = Limits(decompression_ratio=ratio, decompression_free=free, line_bytes=line)
            found = cls(qrels, measures, **options, limits=limits, progress=progress)
        except (TypeError, ValueError) as error:
            raise damaged from error
        # An evaluator that says something else of itself has other options, or fewer.
        if found.__reduce__()[1][2] != checksum:
            raise damaged
        return found

    @property
    def qrels(self) -> Qrels:
        """The judgments."""
        return self._core.qrels

    @property
    def measures(self) -> tuple[Measure | CustomMeasure, ...]:
        """The measures, as asked for, repeats once."""
        return self._measures

    def evaluate(self, runs: RunsLike) -> Scores:
        """Scores one run or many; see ``cranfield.evaluate``.

        With ``ties="bounds"`` there is no one value: call ``tie_bounds``.
        """
        if self._options["ties"] == "bounds":
            message = 'ties="bounds" has two values where evaluate has one: call tie_bounds'
            raise failure("option", message)
        sources = as_scored(runs)
        with Progress(self._progress, sources) as report:
            if all(isinstance(measure, Measure) for measure in self._measures):
                core = self._core.evaluate([s.for_core() for s in sources], report.call)
            else:
                core = self._with_functions(sources, report)
            report.complete()
        self._tell(core)
        return Scores(core, self._origin)

    def _with_functions(self, sources: Sequence[Source], report: Progress) -> _core.Scores:
        """The scores where some measures are Python functions."""
        from cranfield import custom

        built_in, _ = divided(self._measures)
        runs = [source.for_core() for source in sources]
        unranked = [run for run in runs if not isinstance(run, Ranked)]
        # Each run is read once, whoever measures it.
        found = iter(self._core.rank(unranked, report.call, coins=bool(built_in)))
        ranked = [run if isinstance(run, Ranked) else next(found) for run in runs]
        if self._judged is None:
            self._judged = custom.Judged(self.qrels, self._options["negative"])
        return _evaluated(self._core, self._measures, ranked, self._options, self._judged)

    def tie_bounds(self, runs: RunsLike) -> Bounds:
        """The lowest and highest scores over all orders of equal scores.

        The values are those of the order that ``order`` names. Raises ``Error``
        (kind "option") for a measure of which no exact bounds are known, and for an
        evaluator with a ``depth``.
        """
        # That module is built on this one.
        from cranfield.bounded import Bounds

        own = divided(self._measures)[1]
        if own:
            message = f'{own[0]} is a function of one order: ties="bounds" has no exact method'
            raise failure("option", f"{message} for it")
        core = self._core
        if self._options["ties"] != "bounds":
            bounding = {**self._options, "ties": "bounds"}
            core = compiled_with(self.qrels, self._measures, bounding, hosted=self._hosted)
        sources = as_scored(runs)
        with Progress(self._progress, sources) as report:
            parts = core.tie_bounds([s.for_core() for s in sources], report.call)
            report.complete()
        self._tell(parts[0])
        return Bounds(*(Scores(part, self._origin) for part in parts))

    def bounds(
        self,
        runs: RunsLike,
        *,
        mode: str = "free_R",
        unseen: int = 0,
        max_grade: float | None = None,
        max_assignments: int = 200_000,
    ) -> Bounds:
        """How low and how high the scores of runs could be; see ``cranfield.bounds``.

        The measures that an ``Evaluator`` has by default hold Judged@10, which
        has no bounds: name others.
        """
        # That module is built on this one.
        from cranfield.bounded import Bounds

        own = [measure for measure in self._measures if not isinstance(measure, Measure)]
        if own:
            message = f"no exact bounds of {own[0]}: nobody knows how judgments move a function"
            raise failure("bounds", message)
        sources = as_runs(runs)
        with Progress(self._progress, sources) as report:
            parts = self._core.bounds(
                [s.for_core() for s in sources],
                report.call,
                mode=mode,
                unseen=unseen,
                max_grade=max_grade,
                max_assignments=max_assignments,
            )
            report.complete()
        self._tell(parts[0])
        return Bounds(*(Scores(part, self._origin) for part in parts))

    def _tell(self, scores: _core.Scores) -> None:
        """Warns of what evaluating passed over."""
        if scores.has_findings and not self._hosted:
            from cranfield import findings

            options = {name: self._options[name] for name in ("missing", "undefined")}
            findings.tell(scores.notes, self.qrels, self.measures, **options)

    def __repr__(self) -> str:
        measures = " ".join(map(str, self.measures))
        return f"<Evaluator: {counted(len(self.qrels), 'topic')}, {measures}>"


class Hosted(Evaluator):
    """An evaluator behind the face of another program, or of a part of this one.

    What it is given was looked at by its host: nothing in it is refused for
    being unlikely, and nothing warned of.
    """

    __slots__ = ()
    _hosted = True


def evaluate(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = None,
    *,
    missing: Missing | None = None,
    undefined: Undefined | None = None,
    order: Order = "docno_desc",
    scores: Literal["f64", "f32"] = "f64",
    duplicates: Duplicates = "error",
    negative: Negative = "unjudged",
    ties: Literal["order", "average"] = "order",
    depth: int | None = None,
    threads: int | None = None,
    lenient: bool = False,
    run_layout: RunLayout | None = None,
    limits: Limits | None = None,
    progress: ProgressLike = None,
) -> Scores:
    """Scores runs against judgments.

    Parameters
    ----------
    qrels
        Judgments: ``Qrels``, {topic: {doc: grade}}, a path, an open file, an
        Arrow table or data frame, an ir_datasets id, or named tuples.
    runs
        The same for one run; also a glob, a folder, a list of runs, or
        {name: run}. Files are streamed, not held.
    measures
        Text that names one or several measures, ``Measure`` values, or a
        list that mixes them. Not given: nDCG@10 AP RR P@10 R@100 bpref
        Judged@10.
    missing
        A topic of the qrels that a run lacks counts as "zero" (as
        ``trec_eval -c``), is left out of its means ("skip"), or is an
        "error". Not given: "zero", with a warning. A run that has none of
        the topics is an error except under "skip".
    undefined
        A score of 0/0 becomes "zero", NaN ("skip"), or an "error". Not given:
        "zero", with a warning.
    order
        How a list is ordered: by score and among equal scores by document,
        "docno_desc" or "docno_asc", or in the order of the file ("input"),
        or by its "rank" column.
    scores
        Numbers that scores are compared as: "f64", or "f32" as trec_eval 9.
    duplicates
        A document twice in one list is an "error", or its "first" or "best"
        line counts.
    negative
        A grade below zero means "unjudged" or "nonrelevant".
    ties
        Documents of equal score are put in "order", or every order of them is
        equally likely and the value is the "average" over all orders. Exact; a
        measure of which no exact method is known is an error that names those
        with one, and so is a ``depth``. ``tie_bounds`` has the lowest and the
        highest values over all orders.
    depth
        Only so many documents of each list count; all if not given.
    threads
        How many threads to use; as many as there are processors if not
        given. The scores do not depend on it.
    progress
        ``None`` shows a bar on a terminal for work over a second, ``True``
        always, ``False`` never. A function is called about ten times a
        second and at the end with the runs finished and the bytes read.
    lenient
        Read numbers in files as C's ``atof`` does instead of raising.
    run_layout
        The columns of run files: "trec" (topic Q0 document rank score tag),
        "msmarco" (topic document rank) or "scores" (topic document score).
        Not given: the first line tells. Three columns are read as ranks only
        if they are ranks beyond doubt (whole numbers from 1, each once for a
        topic, 1 among them); all else is an error (kind "layout") until the
        layout is named.
    limits
        Limits on decompression and on the length of lines.

    Returns
    -------
    Scores
        Of every run, topic of the qrels and measure.

    Raises
    ------
    Error
        For any input that cannot be used; ``kind`` says why, ``file``,
        ``line`` and ``column`` where. Among them a run that has no topic in
        common with the judgments (kind "topics"), and judgments whose grades
        are all below the default ``rel`` of a measure ("needs").

    Warns
    -----
    CranfieldWarning
        Once a call, of what was passed over: topics of a run that nobody
        judged, and what ``missing`` and ``undefined`` are about unless they
        are given. A run of one topic under judgments of many is no reason.

    """
    evaluator = Evaluator(
        qrels,
        measures,
        missing=missing,
        undefined=undefined,
        order=order,
        scores=scores,
        duplicates=duplicates,
        negative=negative,
        ties=ties,
        depth=depth,
        threads=threads,
        lenient=lenient,
        run_layout=run_layout,
        limits=limits,
        progress=progress,
    )
    return evaluator.evaluate(runs)


def tie_bounds(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = None,
    **options: Unpack[ScoringOptions],
) -> Bounds:
    """The lowest and highest scores over all orders of documents of equal score.

    >>> found = tie_bounds({"1": {"a": 1}}, {"1": {"a": 0.5, "b": 0.5}}, "RR")
    >>> found.low.values.item(), found.high.values.item()
    (0.5, 1.0)

    Parameters
    ----------
    qrels, runs, measures
        As for ``evaluate``.
    options
        Those of ``evaluate``, but for ``ties`` and ``depth``.

    Returns
    -------
    Bounds
        Value (of the order that ``order`` names), lowest and highest of every
        run, topic of the qrels and measure. Exact.

    Raises
    ------
    Error
        Kind "option" for a measure of which no exact method is known, with
        those that have one, and for a ``depth``; all else as ``evaluate``.

    """
    given = accepted("tie_bounds", options, SCORING)
    return Evaluator(qrels, measures, **given, ties="bounds").tie_bounds(runs)


def as_measures(measures: MeasuresLike) -> list[Measure | CustomMeasure]:
    """Measures from texts and values, those of ir_measures among them, repeats once.

    Raises ``Error``: kind "measure" for a text that names none or for an
    empty list, "type" for an object that is neither text nor measure.
    """
    custom = _custom()
    values: Any = (Measure,) if custom is None else (Measure, custom.CustomMeasure)
    parsed: Any = parse_measures if custom is None else custom.parsed
    if measures is None:
        measures = DEFAULT_MEASURES
    if isinstance(measures, (str, *values)) or not isinstance(measures, Iterable):
        measures = [measures]  # type: ignore[list-item]
    found: dict[Measure | CustomMeasure, None] = {}
    for item in measures:
        if isinstance(item, str):
            found.update(dict.fromkeys(parsed(item)))
        else:
            own: Any = item
            found[own if isinstance(own, values) else Measure(own)] = None
    if not found:
        raise failure("measure", "expected at least one measure, found none")
    labels: set[str] = set()
    for measure in found:
        if str(measure) in labels:
            message = f"two measures are called {measure}: give one another name"
            raise failure("measure", message)
        labels.add(str(measure))
    return list(found)


def scored(
    qrels: Qrels,
    runs: Sequence[Ranked],
    measures: MeasuresLike,
    *,
    threads: int | None = None,
    rel: float | None = None,
) -> Scores:
    """The scores of ranked runs, with the errors and the warning of ``evaluate``.

    ``rel`` is the lowest relevant grade of measures that do not name one. For
    this package only.
    """
    options = {"threads": threads, "rel": rel}
    compiled = as_measures(measures)
    core = compiled_with(qrels, compiled, options, hosted=False)
    if divided(compiled)[0]:
        check_grades(core)
    found = _evaluated(core, compiled, list(runs))
    if found.has_findings:
        from cranfield import findings

        findings.tell(found.notes, qrels, compiled, missing=None, undefined=None)
    return Scores(found)


def divided(
    measures: Iterable[Measure | CustomMeasure],
) -> tuple[list[Measure], list[CustomMeasure]]:
    """The measures of the core, and those that are Python functions."""
    built_in: list[Measure] = []
    own: list[CustomMeasure] = []
    for measure in measures:
        if isinstance(measure, Measure):
            built_in.append(measure)
        else:
            own.append(measure)
    return built_in, own


def _evaluated(
    core: _core.Evaluator,
    measures: Sequence[Measure | CustomMeasure],
    runs: list[Ranked],
    options: Mapping[str, Any] | None = None,
    judged: Any = None,
) -> _core.Scores:
    """The scores of ranked runs, also in measures that are Python functions."""
    _, own = divided(measures)
    scores = core.evaluate(runs)
    if not own:
        return scores
    import numpy as np

    from cranfield import custom

    options = options or {}
    if judged is None:
        judged = custom.Judged(core.qrels, options.get("negative"))
    values = np.empty((len(runs), len(scores.topics), len(own)))
    for place, (run, raw) in enumerate(zip(scores.runs, core.judged_lists(runs), strict=True)):
        lists = custom.Lists(judged, raw)
        for column, measure in enumerate(own):
            found = measure.values(lists, run)
            settled = custom.settled(found, measure, lists, run, options.get("undefined"))
            values[place, :, column] = settled
    first = len(scores.measures)
    places = iter(range(first, first + len(own))), iter(range(first))
    order = [next(places[isinstance(measure, Measure)]) for measure in measures]
    whole = scores.with_measures([measure.column() for measure in own], values)
    return whole.select(range(len(scores.runs)), range(len(scores.topics)), order)


def as_measure(text: str) -> Measure | CustomMeasure:
    """The one measure that a text names; raises ``Error`` as ``Measure`` does."""
    custom = _custom()
    if custom is not None and custom.is_own(text):
        (found,) = as_measures(text)
        return found
    return Measure(text)


def _custom() -> ModuleType | None:
    """The module of measures that are Python functions, if anybody made one."""
    return sys.modules.get("cranfield.custom")


def rescored(
    qrels: Qrels,
    runs: Sequence[Ranked],
    measures: MeasuresLike,
    *,
    threads: int | None = None,
    rel: float | None = None,
) -> Scores:
    """The same under judgments made from those that runs were scored under before.

    Whether these go together was asked then. For this package only.
    """
    options = {"threads": threads, "rel": rel}
    compiled = as_measures(measures)
    core = compiled_with(qrels, compiled, options, hosted=True)
    return Scores(_evaluated(core, compiled, list(runs)))


def compiled_with(
    qrels: Qrels,
    measures: Sequence[Measure | CustomMeasure],
    options: Mapping[str, Any],
    *,
    hosted: bool,
) -> _core.Evaluator:
    """The core's evaluator of its own measures; options that are ``None`` are not given."""
    given = {name: value for name, value in options.items() if value is not None}
    built_in, own = divided(measures)
    if own and not built_in:
        # A measure is needed to look at runs at all; its value does not matter.
        built_in, given["undefined"] = [Measure("num_ret")], "zero"
    return _core.Evaluator(qrels, built_in, **given, hosted=hosted)


def check_grades(core: _core.Evaluator, *, of_study: bool = False) -> None:
    """Raises ``Error`` (kind "needs") if all grades are below the default ``rel`` of a measure.

    ``of_study`` names the option of a study in place of the measures with a lower one.
    """
    found = core.above_all_grades()
    if found is None:
        return
    measures, lowest, highest = found
    message = (
        f"nothing is relevant to {measures[0]}: the highest grade {highest:.12g} of these "
        f"judgments is below rel={measures[0].rel:g}, the default; give the lowest grade that is "
        "relevant, such as"
    )
    lower = " ".join(str(measure(rel=lowest)) for measure in measures)
    python, command_line = f"rel={lowest:.12g}", f"--rel {lowest:.12g}"
    if not of_study:
        python = command_line = f"{python}: {lower}"
    raise failure("needs", f"{message} {python}", command_line=f"{message} {command_line}")


def leveled(family: str, rel: float) -> Measure:
    """A measure with a relevance level; the default is not held to be asked for."""
    measure = Measure(family)
    return measure if rel == measure.rel else measure(rel=rel)


def _unpickled_functions(
    kind: type[Evaluator],
    qrels: Qrels,
    measures: Sequence[Measure | CustomMeasure],
    options: Mapping[str, Any],
    limits: tuple[int, int, int] | None,
    progress: ProgressLike,
) -> Evaluator:
    """The evaluator of a pickle in which measures are Python functions."""
    made = None
    if limits is not None:
        ratio, free, line = limits
        made = Limits(decompression_ratio=ratio, decompression_free=free, line_bytes=line)
    return kind(qrels, measures, **options, limits=made, progress=progress)
