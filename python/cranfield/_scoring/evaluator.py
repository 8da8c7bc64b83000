"""Judgments and measures, compiled once to score runs many times."""

from __future__ import annotations

from operator import index

from cranfield import _core
from cranfield._base.errors import failure
from cranfield._base.options import EVALUATING, keywords, of_judgments
from cranfield._base.progress import Progress
from cranfield._base.text import counted
from cranfield._core import Limits, Measure, Qrels, Ranked, Run
from cranfield._io.accepted import as_qrels, as_runs, as_scored
from cranfield._io.sources import read_ahead
from cranfield._io.table_columns import as_columns
from cranfield._measures.parse import as_measures, divided
from cranfield._scores.joining import Origin
from cranfield._scores.scores import Scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Unpack

    from cranfield._base.option_types import EvaluatingOptions
    from cranfield._base.progress import ProgressLike
    from cranfield._io.accepted import QrelsLike, RunsLike
    from cranfield._io.sources import Source
    from cranfield._measures.custom import CustomMeasure
    from cranfield._measures.parse import MeasuresLike
    from cranfield._scores.bounds import Bounds


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

    __slots__ = (
        "_core",
        "_has_functions",
        "_is_brief",
        "_judged",
        "_measures",
        "_options",
        "_origin",
        "_progress",
        "_remarkable",
        "_skipping",
        "_topics",
    )
    _hosted = False

    def __init__(
        self,
        qrels: QrelsLike,
        measures: MeasuresLike = None,
        **options: Unpack[EvaluatingOptions],
    ) -> None:
        given = keywords("Evaluator", options)
        compiled = as_measures(measures)
        self._progress = given.pop("progress", None)
        self._options: dict[str, Any] = {name: given.get(name) for name in (*EVALUATING, "limits")}
        as_columns(self._options["columns"])
        ties = self._options["ties"]
        judged = as_qrels(qrels, **of_judgments(given))
        built_in, own = divided(compiled)
        if own and ties in ("average", "bounds"):
            message = f'{own[0]} is a function of one order: ties="{ties}" has no exact method'
            raise failure("option", f"{message} for it")
        self._measures = tuple(compiled)
        self._has_functions = bool(own)
        self._topics: Sequence[str] | None = None
        self._core = compiled_with(judged, compiled, self._options, hosted=self._hosted)
        if built_in and not self._hosted:
            check_grades(self._core)
        # Whether there is something to say of the measures, whatever the runs are.
        self._remarkable = not self._hosted and any(_core.remarks(judged, built_in))
        # No function, and no progress that would have to be reported of a short call.
        silent = self._progress is None or self._progress is False
        self._is_brief = silent and not own and ties != "bounds"
        self._judged: Any = None
        self._skipping: Evaluator | None = None
        self._origin = Origin(judged, self._options)

    def _only(self, topics: Sequence[str]) -> None:
        """Leaves the values of other topics out; for this package only.

        They are NaN, and nothing about these topics is refused.
        """
        self._topics = topics
        self._core = self._compiled(self._options)

    def _compiled(self, options: Mapping[str, Any]) -> _core.Evaluator:
        measures, topics = self._measures, self._topics
        return compiled_with(self.qrels, measures, options, hosted=self._hosted, topics=topics)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        options = dict(self._options)
        for name, option in EVALUATING.items():
            if option["takes"] == "flag":
                options[name] = bool(options[name])
            elif option["takes"] == "columns":
                # With several columns, a pickle keeps them in this form.
                options[name] = tuple(as_columns(options[name]).items()) or None
            elif option["takes"] == "count" and options[name] is not None:
                options[name] = index(options[name])
        limits = options.pop("limits")
        if limits is not None:
            limits = tuple(getattr(limits, name) for name in _LIMITS)
        if divided(self.measures)[1]:
            return _unpickled_functions, (
                type(self),
                self.qrels,
                self.measures,
                options,
                limits,
                self._progress,
            )
        # The text in a measure's own pickle says which grade was named.
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
                limits = Limits(**dict(zip(_LIMITS, limits, strict=True)))
            found = cls(qrels, measures, **options, limits=limits, progress=progress)
        except (TypeError, ValueError) as error:
            raise damaged from error
        # An evaluator with another state has other options, or fewer.
        if found.__reduce__()[1][2] != checksum:
            raise damaged
        return found

    @property
    def qrels(self) -> Qrels:
        """The judgments."""
        return self._core.qrels

    @property
    def measures(self) -> tuple[Measure | CustomMeasure, ...]:
        """The measures, as asked for, without duplicates."""
        return self._measures

    def evaluate(self, runs: RunsLike) -> Scores:
        """Scores one run or many; see ``cranfield.evaluate``.

        With ``ties="bounds"`` there is no one value: call ``tie_bounds``.
        """
        if self._is_brief and type(runs) is dict:
            found = self._core.evaluate_dict(runs)
            if found is not None:
                if found.has_findings or self._remarkable:
                    self._notify(found)
                return Scores(found, self._origin)
        if self._options["ties"] == "bounds":
            message = 'ties="bounds" has two values where evaluate has one: call tie_bounds'
            raise failure("option", message)
        sources = read_ahead(as_scored(runs, self._options))
        with Progress(self._progress, sources) as report:
            if self._has_functions:
                core = self._with_functions(sources, report)
            else:
                core = self._core.evaluate([s.for_core() for s in sources], report.call)
        self._notify(core)
        return Scores(core, self._origin)

    def _with_functions(self, sources: Sequence[Source], report: Progress) -> _core.Scores:
        """The scores where some measures are Python functions."""
        from cranfield._measures import custom_topics

        built_in, _ = divided(self._measures)
        runs = [source.for_core() for source in sources]
        unranked = [run for run in runs if not isinstance(run, Ranked)]
        # Each run is read once for all measures.
        found = iter(self._core.rank(unranked, report.call, keep_unjudged=bool(built_in)))
        ranked = [run if isinstance(run, Ranked) else next(found) for run in runs]
        if self._judged is None:
            self._judged = custom_topics.Judged(self.qrels, self._options["negative"])
        return _evaluated(self._core, self._measures, ranked, self._options, self._judged)

    def arrow(self, batch: Any) -> Any:
        """Scores the rows of an Arrow table, for queries and loops of other libraries.

        Made for ``map_groups``, ``map_batches`` and ``applyInArrow``: what the
        measures know of a topic, such as its ideal list, is that of the judgments and not
        of the rows.

        Parameters
        ----------
        batch
            Columns for topics, documents and scores or ranks, by their usual names, and
            perhaps ``run``: a ``pyarrow.Table`` or ``RecordBatch``, a data frame, or
            anything else with ``__arrow_c_stream__``. All rows of a topic of a run have
            to be in it.

        Returns
        -------
        pyarrow.Table
            One row for each run and judged topic in the batch: ``run`` and ``topic``, text,
            and a column of float64 for each measure. A ``RecordBatch`` for a
            ``RecordBatch``. Topics without judgments are left out, and so are judged
            topics that the batch lacks, whatever ``missing`` says: they may be in another one.

        Raises
        ------
        Error
            Kind "type" for columns that are not there; all else as ``evaluate``.
        MissingPackageError
            Without pyarrow (``cranfield[arrow]``).

        """
        from cranfield._scoring.arrow import scored

        if self._skipping is None:
            options = {**self._options, "missing": "skip"}
            given = {name: value for name, value in options.items() if value is not None}
            self._skipping = Hosted(self.qrels, self.measures, **given, progress=False)
        return scored(self, batch, skipping=self._skipping)

    def tie_bounds(self, runs: RunsLike) -> Bounds:
        """The lowest and highest scores over all orders of equal scores.

        The values are those of the order that ``order`` names. Raises ``Error``
        (kind "option") for a measure of which no exact bounds are known, and for an
        evaluator with a ``depth``.
        """
        from cranfield._scores.bounds import Bounds

        own = divided(self._measures)[1]
        if own:
            message = f'{own[0]} is a function of one order: ties="bounds" has no exact method'
            raise failure("option", f"{message} for it")
        core = self._core
        if self._options["ties"] != "bounds":
            bounding = {**self._options, "ties": "bounds"}
            core = self._compiled(bounding)
        sources = as_scored(runs, self._options)
        with Progress(self._progress, sources) as report:
            parts = core.tie_bounds([s.for_core() for s in sources], report.call)
        self._notify(parts[0])
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
        from cranfield._scores.bounds import Bounds

        own = [measure for measure in self._measures if not isinstance(measure, Measure)]
        if own:
            message = f"no exact bounds of {own[0]}: how judgments move a function is not known"
            raise failure("bounds", message)
        sources = as_runs(runs, self._options)
        with Progress(self._progress, sources) as report:
            parts = self._core.bounds(
                [s.for_core() for s in sources],
                report.call,
                mode=mode,
                unseen=unseen,
                max_grade=max_grade,
                max_assignments=max_assignments,
            )
        self._notify(parts[0])
        return Bounds(*(Scores(part, self._origin) for part in parts))

    def _notify(self, scores: _core.Scores) -> None:
        """Warns of what evaluating passed over."""
        if (scores.has_findings or self._remarkable) and not self._hosted:
            from cranfield._scoring import notices

            options = {name: self._options[name] for name in ("missing", "undefined")}
            notices.notify(scores.notes, self.qrels, self.measures, **options)

    def __repr__(self) -> str:
        measures = " ".join(map(str, self.measures))
        return f"<Evaluator: {counted(len(self.qrels), 'topic')}, {measures}>"


class Hosted(Evaluator):
    """An evaluator for a host program or another part of this package.

    The host has checked the input: nothing is refused for being unlikely,
    and there are no warnings.
    """

    __slots__ = ()
    _hosted = True


def in_given_order(run: Mapping[str, Mapping[str, float]]) -> Run:
    """A run as rankings in which equal scores stay in the order in which they come."""
    return Run.from_rankings(
        {
            topic: sorted(scores, key=scores.__getitem__, reverse=True)
            for topic, scores in run.items()
        }
    )


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
        from cranfield._scoring import notices

        notices.notify(found.notes, qrels, compiled, missing=None, undefined=None)
    return Scores(found)


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

    from cranfield._measures import custom, custom_topics

    options = options or {}
    if judged is None:
        judged = custom_topics.Judged(core.qrels, options.get("negative"))
    values = np.empty((len(runs), len(scores.topics), len(own)))
    for place, (run, raw) in enumerate(zip(scores.runs, core.judged_lists(runs), strict=True)):
        lists = custom_topics.Lists(judged, raw)
        for column, measure in enumerate(own):
            found = measure.values(lists, run)
            settled = custom.settled(found, measure, lists, run, options.get("undefined"))
            values[place, :, column] = settled
    first = len(scores.measures)
    places = iter(range(first, first + len(own))), iter(range(first))
    order = [next(places[isinstance(measure, Measure)]) for measure in measures]
    whole = scores.with_measures([measure.column() for measure in own], values)
    return whole.select(range(len(scores.runs)), range(len(scores.topics)), order)


def rescored(
    qrels: Qrels,
    runs: Sequence[Ranked],
    measures: MeasuresLike,
    *,
    threads: int | None = None,
    rel: float | None = None,
    depth: int | None = None,
) -> Scores:
    """The same under judgments made from those that runs were scored under before.

    Whether these go together was checked then. For internal use only.
    """
    options = {"threads": threads, "rel": rel, "depth": depth}
    compiled = as_measures(measures)
    core = compiled_with(qrels, compiled, options, hosted=True)
    return Scores(_evaluated(core, compiled, list(runs)))


def compiled_with(
    qrels: Qrels,
    measures: Sequence[Measure | CustomMeasure],
    options: Mapping[str, Any],
    *,
    hosted: bool,
    topics: Sequence[str] | None = None,
) -> _core.Evaluator:
    """The core's evaluator of its own measures; options that are ``None`` are not given.

    Of ``topics``, if given, alone are there values.
    """
    given = {name: value for name, value in options.items() if value is not None}
    built_in, own = divided(measures)
    if own and not built_in:
        # The core needs a measure to read runs at all; its value does not matter.
        built_in, given["undefined"] = [Measure("num_ret")], "zero"
    return _core.Evaluator(qrels, built_in, **given, hosted=hosted, topics=topics)


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


_LIMITS = (
    *("decompression_ratio", "decompression_free"),
    *("decompressed_bytes", "decompressed_call_bytes", "line_bytes"),
)
"""The keywords of limits, in the order of pickles."""


def _unpickled_functions(
    kind: type[Evaluator],
    qrels: Qrels,
    measures: Sequence[Measure | CustomMeasure],
    options: Mapping[str, Any],
    limits: tuple[int, ...] | None,
    progress: ProgressLike,
) -> Evaluator:
    """The evaluator of a pickle in which measures are Python functions."""
    made = None
    if limits is not None:
        made = Limits(**dict(zip(_LIMITS, limits, strict=True)))
    return kind(qrels, measures, **options, limits=made, progress=progress)
