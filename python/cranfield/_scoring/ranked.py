"""Scores of runs that are ranked already, in measures of the core and in Python functions.

For this package only: what is public is an ``Evaluator``.
"""

from __future__ import annotations

from cranfield import _core
from cranfield._base.errors import failure
from cranfield._base.options import in_effect
from cranfield._core import Measure, Qrels, Ranked, Run, SpanQrels
from cranfield._measures.parse import as_measures, divided
from cranfield._scores.scores import Scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from cranfield._measures.custom import CustomMeasure
    from cranfield._measures.parse import MeasuresLike


def compiled_over_spans(
    qrels: SpanQrels,
    measures: Sequence[Measure | CustomMeasure],
    options: Mapping[str, Any],
    *,
    hosted: bool,
) -> _core.SpanEvaluator:
    """The same for judgments of spans.

    Raises ``Error``: kind "option" for an option that is about documents, "measure" for a Python
    function, and for a measure that has no value over spans.
    """
    for name in ("scores", "duplicates", "own", "negative", "lenient"):
        if in_effect(name, options.get(name)) != in_effect(name, None):
            raise failure("option", f"{name} is about documents, and these judgments are of spans")
    built_in, own = divided(measures)
    if own:
        message = f"{own[0]} is a function of documents: score gold.documents() and run.documents()"
        raise failure("measure", message)
    given = {name: value for name, value in options.items() if value is not None}
    return _core.SpanEvaluator(qrels, built_in, **given, hosted=hosted)


def compiled_with(
    qrels: Qrels,
    measures: Sequence[Measure | CustomMeasure],
    options: Mapping[str, Any],
    *,
    hosted: bool,
    topics: Sequence[str] | None = None,
) -> _core.Evaluator:
    """The core's evaluator of its own measures; options that are ``None`` are not given.

    Of ``topics``, if given, alone are there values. Unless ``hosted``, raises ``Error`` as
    ``check_grades`` does.
    """
    given = {name: value for name, value in options.items() if value is not None}
    built_in = [measure for measure in measures if isinstance(measure, Measure)]
    if measures and not built_in:
        # The core needs a measure to read runs at all; its value does not matter.
        built_in, given["undefined"] = [Measure("num_ret")], "zero"
    core = _core.Evaluator(qrels, built_in, **given, hosted=hosted, topics=topics)
    if not hosted:
        check_grades(core)
    return core


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
        f"judgments is below rel={measures[0].rel:g}, the default; give the "
        "lowest relevant grade, such as"
    )
    lower = " ".join(str(measure(rel=lowest)) for measure in measures)
    python, command_line = f"rel={lowest:.12g}", f"--rel {lowest:.12g}"
    if not of_study:
        python = command_line = f"{python}: {lower}"
    raise failure("needs", f"{message} {python}", command_line=f"{message} {command_line}")


def evaluated(
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

    from cranfield._measures import custom

    options = options or {}
    if judged is None:
        judged = _core.JudgedGrades.of(core.qrels, options.get("negative"))
    values = np.empty((len(runs), len(scores.topics), len(own)))
    for place, (run, raw) in enumerate(zip(scores.runs, core.judged_lists(runs), strict=True)):
        lists = _core.JudgedLists(judged, raw)
        for column, measure in enumerate(own):
            found = measure.values(lists, run)
            settled = custom.settled(found, measure, lists, run, options.get("undefined"))
            values[place, :, column] = settled
    first = len(scores.measures)
    places = iter(range(first, first + len(own))), iter(range(first))
    order = [next(places[isinstance(measure, Measure)]) for measure in measures]
    whole = scores.with_measures([measure.column() for measure in own], values)
    return whole.select(range(len(scores.runs)), range(len(scores.topics)), order)


def scored(
    qrels: Qrels,
    runs: Sequence[Ranked],
    measures: MeasuresLike,
    *,
    threads: int | None = None,
    rel: float | None = None,
) -> Scores:
    """The scores of ranked runs, with the errors and the warning of ``evaluate``.

    ``rel`` is the lowest relevant grade of measures that do not name one.
    """
    options = {"threads": threads, "rel": rel}
    compiled = as_measures(measures)
    core = compiled_with(qrels, compiled, options, hosted=False)
    found = evaluated(core, compiled, list(runs))
    if found.has_findings:
        from cranfield._scoring import notices

        notices.notify(found.notes, qrels, compiled, missing=None, undefined=None)
    return Scores(found)


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

    Whether these go together was checked then.
    """
    options = {"threads": threads, "rel": rel, "depth": depth}
    compiled = as_measures(measures)
    core = compiled_with(qrels, compiled, options, hosted=True)
    return Scores(evaluated(core, compiled, list(runs)))


def in_given_order(run: Mapping[str, Mapping[str, float]]) -> Run:
    """A run as rankings in which equal scores stay in the order in which they come."""
    return Run.from_rankings(
        {
            topic: sorted(scores, key=scores.__getitem__, reverse=True)
            for topic, scores in run.items()
        }
    )
