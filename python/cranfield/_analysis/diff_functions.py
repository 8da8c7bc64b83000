"""The difference of two runs in a measure that is a Python function."""

from __future__ import annotations

import numpy as np

from cranfield._base.progress import Progress
from cranfield._core import Measure, Run
from cranfield._io.files import loaded
from cranfield._io.tables import Parts, Table
from cranfield._measures.custom import settled
from cranfield._measures.custom_topics import Judged, Lists
from cranfield._scoring.evaluator import compiled_with

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cranfield._base.progress import ProgressLike
    from cranfield._core import Qrels
    from cranfield._io.sources import Source
    from cranfield._measures.custom import CustomMeasure
    from cranfield._measures.custom_topics import Floats

REASON = "how judgments move a function is not known"
"""Why there are no bounds."""


def of_function(
    qrels: Qrels,
    pair: list[Source],
    measure: CustomMeasure,
    options: dict[str, Any],
    progress: ProgressLike,
) -> Any:
    """The same tuple as ``_core.Evaluator.difference`` returns for built-in measures.

    The effect of a document is that of removing it from the list. It is the same
    for all unjudged documents between two adjacent judged ones.
    """
    # num_ret serves only to get the documents of each list; its value is not used.
    listing_options = {**options, "undefined": "zero"}
    evaluator = compiled_with(qrels, [Measure("num_ret")], listing_options, hosted=False)
    # The runs are read twice, and an open file can be read only once.
    runs = [
        source.for_core()
        if isinstance(source.data, (Run, str, Table, Parts))
        else loaded(source, options)
        for source in pair
    ]
    with Progress(progress, pair) as report:
        _, _, _, core, topics = evaluator.difference(runs, report.call)
        ranked = evaluator.rank(runs)
    judged = Judged(qrels, options.get("negative"))
    of_runs = []
    for source, raw in zip(pair, evaluator.judged_lists(ranked), strict=True):
        lists = Lists(judged, raw)
        values = measure.values(lists, source.name)
        found = settled(values, measure, lists, source.name, options.get("undefined"))
        effects = [
            _effects(lists, index, measure, source.name, options.get("undefined"), value)
            for index, value in enumerate(found)
        ]
        of_runs.append((found, effects))
    no_ranks, no_values = np.empty(0, dtype=np.uint32), np.empty(0)
    no_unjudged = no_ranks, no_ranks, no_values, no_values
    topic_rows = []
    for index, (topic, _, _, both_lists, _) in enumerate(topics):
        own_lists = tuple(
            (of_runs[run][0][index], documents, of_runs[run][1][index])
            for run, (_, documents, _) in enumerate(both_lists)
        )
        topic_rows.append((topic, np.nan, np.nan, own_lists, no_unjudged))
    column = np.array([found for found, _ in of_runs])[:, :, None]
    with_measure = core.with_measures([measure.column()], column)
    scores = with_measure.select([0, 1], range(len(topics)), [1])
    return False, None, REASON, scores, topic_rows


def _effects(
    lists: Lists, index: int, measure: CustomMeasure, run: str, undefined: str | None, value: float
) -> Floats:
    """How much the value of a topic falls when each of its documents is removed."""
    retrieved = int(lists.retrieved[index])
    if retrieved < 0 or np.isnan(value):
        return np.zeros(max(retrieved, 0))
    first, last = lists.offsets[index], lists.offsets[index + 1]
    ranks, grades = lists.ranks[first:last], lists.grades[first:last]
    # Left out one at a time: each judged document, and the first unjudged one of each gap.
    is_judged = np.zeros(retrieved + 1, dtype=bool)
    is_judged[ranks] = True
    every = np.arange(1, retrieved + 1)
    is_tried = is_judged[every] | np.concatenate([[True], is_judged[every[:-1]]])[:retrieved]
    left_out = every[is_tried]
    kept = ranks[None, :] != left_out[:, None]
    risen = ranks[None, :] - (ranks[None, :] > left_out[:, None])
    sizes = kept.sum(axis=1)
    raw = (
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        risen[kept].astype(np.int64),
        np.broadcast_to(grades, kept.shape)[kept],
        np.full(len(left_out), retrieved - 1, dtype=np.int64),
    )
    without = Lists(lists.judged.repeated(index, len(left_out)), raw)
    values = settled(measure.values(without, run), measure, without, run, undefined)
    effects: Floats = (value - np.array(values))[np.cumsum(is_tried) - 1]
    return effects
