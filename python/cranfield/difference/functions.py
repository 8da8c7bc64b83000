"""The difference of two runs in a measure that is a Python function."""

from __future__ import annotations

import numpy as np

from cranfield._core import Measure, Run
from cranfield.custom import Judged, Lists, settled
from cranfield.evaluator import compiled_with
from cranfield.inputs.files import load
from cranfield.inputs.progress import Progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cranfield._core import Qrels
    from cranfield.custom import CustomMeasure
    from cranfield.custom.topics import Floats
    from cranfield.inputs.progress import ProgressLike
    from cranfield.inputs.sources import Source

REASON = "how judgments move a function is not known"
"""Why there are no bounds."""


def of_function(
    qrels: Qrels,
    pair: list[Source],
    measure: CustomMeasure,
    options: dict[str, Any],
    progress: ProgressLike,
) -> Any:
    """What the core returns for its own measures: see ``_core.Evaluator.difference``.

    The effect of a document is that of taking it out of the list; documents
    without a judgment that stand between the same judged ones are alike.
    """
    # The core lists the documents of a measure whose value does not matter.
    looking = {**options, "undefined": "zero"}
    evaluator = compiled_with(qrels, [Measure("num_ret")], looking, hosted=False)
    # They are read twice, and an open file can be read only once.
    reading = options.get("lenient", False), options.get("limits"), options.get("run_layout")
    runs = [
        source.for_core() if isinstance(source.data, (Run, str)) else load(source, *reading)
        for source in pair
    ]
    with Progress(progress, pair) as report:
        _, _, _, core, topics = evaluator.difference(runs, report.call)
        ranked = evaluator.rank(runs)
        report.complete()
    judged = Judged(qrels, options.get("negative"))
    of_runs = []
    for source, raw in zip(pair, evaluator.judged_lists(ranked), strict=True):
        lists = Lists(judged, raw)
        values = measure.values(lists, source.name)
        found = settled(values, measure, lists, source.name, options.get("undefined"))
        effects = [
            _effects(lists, place, measure, source.name, options.get("undefined"), value)
            for place, value in enumerate(found)
        ]
        of_runs.append((found, effects))
    nothing = np.empty(0, dtype=np.uint32)
    unjudged = nothing, nothing, np.empty(0), np.empty(0)
    made = []
    for place, (topic, _, _, both, _) in enumerate(topics):
        sides = tuple(
            (of_runs[run][0][place], documents, of_runs[run][1][place])
            for run, (_, documents, _) in enumerate(both)
        )
        made.append((topic, np.nan, np.nan, sides, unjudged))
    column = np.array([found for found, _ in of_runs])[:, :, None]
    whole = core.with_measures([measure.column()], column)
    scores = whole.select([0, 1], range(len(topics)), [1])
    return False, None, REASON, scores, made


def _effects(
    lists: Lists, place: int, measure: CustomMeasure, run: str, undefined: str | None, value: float
) -> Floats:
    """By how much the value of a topic falls without each of its documents."""
    retrieved = int(lists.retrieved[place])
    if retrieved < 0 or np.isnan(value):
        return np.zeros(max(retrieved, 0))
    first, last = lists.offsets[place], lists.offsets[place + 1]
    ranks, grades = lists.ranks[first:last], lists.grades[first:last]
    # What stands out once: each judged document, and one of each gap.
    is_judged = np.zeros(retrieved + 1, dtype=bool)
    is_judged[ranks] = True
    every = np.arange(1, retrieved + 1)
    alone = is_judged[every] | np.concatenate([[True], is_judged[every[:-1]]])[:retrieved]
    out = every[alone]
    kept = ranks[None, :] != out[:, None]
    risen = ranks[None, :] - (ranks[None, :] > out[:, None])
    sizes = kept.sum(axis=1)
    raw = (
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        risen[kept].astype(np.int64),
        np.broadcast_to(grades, kept.shape)[kept],
        np.full(len(out), retrieved - 1, dtype=np.int64),
    )
    without = Lists(lists.judged.repeated(place, len(out)), raw)
    values = settled(measure.values(without, run), measure, without, run, undefined)
    effects: Floats = (value - np.array(values))[np.cumsum(alone) - 1]
    return effects
