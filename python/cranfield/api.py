"""The calls that score runs once: ``evaluate``, ``bounds`` and ``tie_bounds``."""

from __future__ import annotations

from cranfield._core import DEFAULT_BOUNDED, Limits
from cranfield.evaluator import Evaluator
from cranfield.options import SCORING, keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, Unpack

    from cranfield.inputs.accepted import QrelsLike, RunsLike
    from cranfield.inputs.measures import MeasuresLike
    from cranfield.inputs.progress import ProgressLike
    from cranfield.option_types import (
        Duplicates,
        Missing,
        Negative,
        Order,
        RunLayout,
        ScoringOptions,
        Undefined,
    )
    from cranfield.results.bounds import Bounds
    from cranfield.results.scores import Scores


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
        measure without a known exact method is an error that names those with
        one, and so is a ``depth``. ``tie_bounds`` has the lowest and the highest
        values over all orders.
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
        Not given: the first line decides. Three columns are read as ranks only
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
        Once a call, of what was passed over: unjudged topics of
        a run, and what ``missing`` and ``undefined`` are about unless they
        are given. A run of one topic under judgments of many is no reason for a warning.

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
        Kind "option" for a measure without a known exact method, with those
        that have one, and for a ``depth``; all else as ``evaluate``.

    """
    given = keywords("tie_bounds", options, SCORING)
    return Evaluator(qrels, measures, **given, ties="bounds").tie_bounds(runs)


def bounds(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = None,
    *,
    mode: str = "free_R",
    unseen: int = 0,
    max_grade: float | None = None,
    max_assignments: int = 200_000,
    **options: Unpack[ScoringOptions],
) -> Bounds:
    """How low and how high scores could be if everything retrieved were judged.

    The bounds are exact, over all ways to judge the unjudged documents of a
    list; what cannot be computed exactly is refused. They are of the
    value after that judging, and AP', bpref or infAP of today may lie outside
    of them. The difference of two runs does not have the difference of their
    bounds; see ``Bounds``.

    >>> qrels = {"1": {"a": 1, "b": 0, "c": 1}}
    >>> bounds(qrels, {"1": {"a": 4, "b": 3, "u": 2, "c": 1}}, "AP'")
    <Bounds: 1 run x 1 topic x 1 measure; summary [lowest, highest]:>
    run                      AP'
    run  0.8333 [0.7500, 0.8056]

    With u judged relevant AP' is (1 + 2/3 + 3/4) / 3, without (1 + 2/4) / 2.

    Parameters
    ----------
    qrels, runs
        As for ``evaluate``.
    measures
        As for ``evaluate``. Not given: nDCG@10 AP RR P@10 R@100 bpref.
    mode
        What is unknown. "free_R": which unjudged documents of the list are
        relevant; the number of relevant documents R grows with them.
        "fixed_R": where in the collection the relevant documents are that
        the list does not have. The judgments name every relevant document,
        so all others are not relevant, whether they were judged or not, and
        those that the list lacks could be anywhere behind it (Manning,
        Raghavan and Schütze, 2008, exercise 8.9). The list is then one of
        the whole collection, all of it judged. It needs docs_in_collection
        with the judgments.
    unseen
        Up to how many documents may be relevant that are neither judged nor
        in the list; for "free_R" only.
    max_grade
        The highest grade that a document can still get. Not given: the
        highest of the judgments, at least 1. Lower ones are 0, those of the
        judgments, the whole numbers and what a gain map names.
    max_assignments
        How many assignments are tried for one topic where no shorter way is
        known.
    options
        Those of ``evaluate``, but for ``ties``. A topic without a relevant
        document is undefined as there, even if judging could bring one.
        ``depth`` cuts lists before they are judged; without it every line of a
        run is open.

    Returns
    -------
    Bounds
        Value, lowest and highest of every run, topic of the qrels and
        measure.

    Raises
    ------
    Error
        Kind "bounds" for a measure that has no exact bounds, or none with
        these grades or within ``max_assignments``; "needs" for
        mode="fixed_R" without docs_in_collection; "option" for a wrong
        option; all else as for ``evaluate``.

    """
    given = keywords("bounds", options, SCORING)
    evaluator = Evaluator(qrels, DEFAULT_BOUNDED if measures is None else measures, **given)
    return evaluator.bounds(
        runs,
        mode=mode,
        unseen=unseen,
        max_grade=max_grade,
        max_assignments=max_assignments,
    )
