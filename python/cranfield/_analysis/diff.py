"""Where two runs differ in one measure, and which documents account for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack, overload

from cranfield import _core
from cranfield._analysis.diff_lists import LEAST, ListDiff, of_lists
from cranfield._analysis.diff_result import Diff
from cranfield._analysis.diff_texts import TextsLike, as_texts
from cranfield._analysis.diff_topic import DocumentDiff, TopicDiff, UnjudgedDiff
from cranfield._base.errors import failure
from cranfield._base.option_types import ScoringOptions
from cranfield._base.options import EVALUATING, SCORING, checked, keywords, of_judgments
from cranfield._base.progress import Progress, ProgressLike
from cranfield._core import JudgedGrades, JudgedLists, Measure, Qrels, Ranked, Run, remarks
from cranfield._io.files import Parts, Table
from cranfield._io.inputs import QrelsLike, RunsLike, as_qrels, as_run, loaded
from cranfield._io.sources import UNNAMED, Source, distinct
from cranfield._measures.custom import CustomMeasure, Floats, settled
from cranfield._measures.parse import MeasuresLike, as_single_measure, divided
from cranfield._scores.groups import GroupsLike, members_beside_all
from cranfield._scores.scores import Scores
from cranfield._scores.signature import Origin
from cranfield._scoring import notices
from cranfield._scoring.ranked import compiled_with

__all__ = ["Diff", "DocumentDiff", "ListDiff", "TopicDiff", "UnjudgedDiff", "diff"]

MAX_ASSIGNMENTS = 20_000
"""How many ways to judge a topic are tried when bounds need brute force."""

REASON = "how judgments affect a Python function is not known"
"""Why there are no bounds of a measure that is a Python function."""


@overload
def diff(
    qrels: None,
    a: RunsLike,
    b: RunsLike,
    measure: MeasuresLike,
    *,
    queries: TextsLike = None,
    max_grade: float | None = None,
    k: int | Sequence[int] | None = None,
    least_relevant: int | Sequence[int] = LEAST,
    **options: Unpack[ScoringOptions],
) -> ListDiff: ...
@overload
def diff(
    qrels: QrelsLike,
    a: RunsLike,
    b: RunsLike,
    measure: str | Measure | CustomMeasure,
    *,
    queries: TextsLike = None,
    documents: TextsLike = None,
    max_grade: float | None = None,
    max_assignments: int = MAX_ASSIGNMENTS,
    topic_groups: GroupsLike | None = None,
    **options: Unpack[ScoringOptions],
) -> Diff: ...


@checked
def diff(
    qrels: QrelsLike | None,
    a: RunsLike,
    b: RunsLike,
    measure: MeasuresLike,
    *,
    queries: TextsLike = None,
    documents: TextsLike = None,
    max_grade: float | None = None,
    max_assignments: int = MAX_ASSIGNMENTS,
    topic_groups: GroupsLike | None = None,
    k: int | Sequence[int] | None = None,
    least_relevant: int | Sequence[int] | None = None,
    **options: Unpack[ScoringOptions],
) -> Diff | ListDiff:
    """What changes from run ``a`` to run ``b`` in one measure, down to documents.

    A difference is the value of ``b`` minus that of ``a``: above 0 where ``b``
    scores higher.

    >>> qrels = {"1": {"x": 1, "y": 0, "z": 1}}
    >>> found = diff(qrels, {"1": {"y": 2, "x": 1}}, {"1": {"x": 3, "u": 2, "z": 1}}, "P@2")
    >>> found.difference, found.low, found.high
    (0.0, 0.0, 0.5)
    >>> [(d.document, d.change, d.effect) for d in found["1"].documents]
    [('x', 'rose', 0.0), ('y', 'went', 0.0), ('u', 'came', 0.0), ('z', 'came', 0.0)]

    Both lists have one relevant document among two. u is not judged: if it is
    relevant, the second list has another.

    Parameters
    ----------
    qrels
        As for ``cranfield.evaluate``; or None: then the runs are compared without judgments.
    a, b
        One run each, as anything that ``cranfield.evaluate`` takes.
    measure
        One measure; without judgments also several. A measure that combines topics other than by
        mean or sum is rejected: its difference cannot be broken down by topic.
    queries, documents
        The texts of queries and documents, for display: a mapping from ids
        to texts; a TSV file (id, text; or id, title, text), a JSON Lines file
        (``_id``, ``id``, ``docno``, ``doc_id``, ``query_id``, ``qid`` or
        ``topic``, and ``title``, ``text``, ``query``, ``contents``, ``body``
        or ``abstract``), or the name of a dataset of ir_datasets
        ("ir_datasets:vaswani").
    max_grade
        The highest grade that an unjudged document can get. Default: the
        highest of the judgments, at least 1; without judgments 1, or what the measure needs.
    max_assignments
        How many ways to judge a topic are tried when a measure's bounds need
        brute force; if there are more, there are no bounds.
    topic_groups
        Groups of topics, as for ``Scores.by_group``, to sum up: ``Diff.groups``.
        None of them may be called "all".
    k
        Without judgments: the depths down to which lists are compared. Default: the cutoff of
        the first measure that has one, or 10.
    least_relevant
        Without judgments: the bounds are over all judgments with at least so many relevant
        documents, in the lists or not. Default: 1, 3 and 10.
    options
        Those of ``cranfield.evaluate``, except ``ties``.

    Returns
    -------
    Diff
        The topics, ordered from the highest difference, each with both lists. Without
        judgments a ``ListDiff``: how alike the lists are, and how far the measures can differ
        however documents are judged.

    Raises
    ------
    Error
        Kind "option" for several measures or runs, or for a measure that is
        not a mean or sum over topics; "label" for groups that name an unknown
        topic; otherwise as ``cranfield.evaluate``.

    """
    pair, progress, given = _read(a, b, options)
    if qrels is None:
        for name, texts_or_groups in (("documents", documents), ("topic_groups", topic_groups)):
            if texts_or_groups is not None:
                raise failure("option", f"{name} needs judgments, and there are none (qrels=None)")
        return of_lists(
            *(pair, measure, given),
            k=k,
            least_relevant=LEAST if least_relevant is None else least_relevant,
            max_grade=max_grade,
            queries=queries,
            progress=progress,
        )
    for name, value in (("k", k), ("least_relevant", least_relevant)):
        if value is not None:
            raise failure("option", f"{name} is for two runs without judgments (qrels=None)")
    single: Any = measure
    one = as_single_measure(single)
    if one.aggregate in ("geometric", "pooled"):
        kind = "geometric" if one.aggregate == "geometric" else "weighted"
        message = f"{one} is a {kind} mean: its difference is not that of its topics"
        raise failure("option", message)
    judgments = as_qrels(qrels, **of_judgments(given))
    members = members_beside_all(topic_groups, judgments.topics)
    if isinstance(one, Measure):
        evaluator = compiled_with(judgments, [one], given, hosted=False)
        how: dict[str, Any] = {"max_grade": max_grade, "max_assignments": max_assignments}
        with Progress(progress, pair) as report:
            runs = [source.for_core() for source in pair]
            found = evaluator.difference(runs, report.call, **how)
    else:
        found = _of_function(judgments, pair, one, given, progress)
    sums, reached, reason, core, topics = found
    if core.has_findings or any(remarks(judgments, divided([one])[0])):
        policies = {name: given.get(name) for name in ("missing", "undefined")}
        notices.notify(core.notes, judgments, [one], **policies)
    limits = given.get("limits")
    known = {document for topic in topics for found in topic[3] for document in found[1]}
    every = {name: given.get(name) for name in EVALUATING}
    return Diff(
        Scores(core, Origin(judgments, every)),
        sums,
        None if reached is None else "exact" if reached else "outer",
        reason,
        as_texts(queries, {topic[0] for topic in topics}, "queries", limits),
        as_texts(documents, known, "documents", limits),
        judgments,
        topics,
        given.get("negative") == "nonrelevant",
        members,
    )


def _of_function(
    qrels: Qrels,
    pair: list[Source],
    measure: CustomMeasure,
    options: dict[str, Any],
    progress: ProgressLike,
) -> Any:
    """The difference in a measure written in Python, from the lists that the core ranked.

    The effect of a document is that of removing it from the list. It is the same
    for all unjudged documents between two adjacent judged ones.
    """
    import numpy as np

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
    judged = JudgedGrades.of(qrels, options.get("negative"))
    of_runs = []
    for source, raw in zip(pair, evaluator.judged_lists(ranked), strict=True):
        lists = JudgedLists(judged, raw)
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
    lists: JudgedLists,
    index: int,
    measure: CustomMeasure,
    run: str,
    undefined: str | None,
    value: float,
) -> Floats:
    """How much the value of a topic falls when each of its documents is removed."""
    import numpy as np

    retrieved = int(lists.retrieved[index])
    if retrieved < 0 or np.isnan(value):
        return np.zeros(max(retrieved, 0))
    first, last = lists.offsets[index], lists.offsets[index + 1]
    ranks, grades = lists.ranks[first:last], lists.grades[first:last]
    places, offsets, own_ranks, own_grades = _core.without_each(ranks, grades, retrieved)
    sizes = np.full(len(offsets) - 1, retrieved - 1, dtype=np.int64)
    raw = offsets, own_ranks, own_grades, sizes
    without = JudgedLists(lists.judged.repeated(index, len(sizes)), raw)
    values = settled(measure.values(without, run), measure, without, run, undefined)
    effects: Floats = (value - np.array(values))[places]
    return effects


def _read(
    a: RunsLike, b: RunsLike, options: Mapping[str, Any]
) -> tuple[list[Source], ProgressLike, dict[str, Any]]:
    """The two runs, with distinct names; what reports progress; and the other options."""
    given = keywords("diff", options, SCORING)
    first, second = (_one(run, name, given) for run, name in ((a, "a"), (b, "b")))
    if first.name == second.name == UNNAMED:
        first, second = first.named("a"), second.named("b")
    return distinct([first, second]), given.pop("progress", None), given


def _one(run: RunsLike, which: str, options: Mapping[str, Any]) -> Source:
    """The single run given by an argument."""
    source = as_run(run, options, f" as {which}")
    if isinstance(source.data, Ranked):
        message = f"run {source.name!r} was ranked and holds no documents outside its judgments"
        raise failure("option", f"{message}; give the run itself")
    return source
