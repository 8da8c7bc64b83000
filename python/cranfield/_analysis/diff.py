"""Where two runs differ in one measure, and which documents account for it."""

from __future__ import annotations

from cranfield._analysis.diff_result import Diff
from cranfield._analysis.diff_texts import as_texts
from cranfield._analysis.diff_topic import DocumentDiff, TopicDiff, UnjudgedDiff
from cranfield._base.errors import failure
from cranfield._base.options import SCORING, checked, keywords, of_judgments
from cranfield._base.progress import Progress
from cranfield._core import Measure, Qrels, Ranked
from cranfield._io.accepted import as_qrels, as_run
from cranfield._io.sources import UNNAMED, Source, distinct
from cranfield._measures.parse import as_single_measure
from cranfield._scores.groups import members_beside_all
from cranfield._scores.scores import Scores
from cranfield._scoring import notices
from cranfield._scoring.evaluator import check_grades, compiled_with

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Unpack

    from cranfield._analysis.diff_texts import TextsLike
    from cranfield._base.option_types import ScoringOptions
    from cranfield._base.progress import ProgressLike
    from cranfield._io.accepted import QrelsLike, RunsLike
    from cranfield._measures.custom import CustomMeasure
    from cranfield._scores.groups import GroupsLike

__all__ = ["Diff", "DocumentDiff", "TopicDiff", "UnjudgedDiff", "diff"]

MAX_ASSIGNMENTS = 20_000
"""How many ways to judge a topic are tried when bounds need brute force."""


@checked
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
) -> Diff:
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
        As for ``cranfield.evaluate``.
    a, b
        One run each, as anything that ``cranfield.evaluate`` takes.
    measure
        One measure. A measure that combines topics other than by mean or sum
        is rejected: its difference cannot be broken down by topic.
    queries, documents
        The texts of queries and documents, for display: a mapping from ids
        to texts; a TSV file (id, text; or id, title, text), a JSON Lines file
        (``_id``, ``id``, ``docno``, ``doc_id``, ``query_id``, ``qid`` or
        ``topic``, and ``title``, ``text``, ``query``, ``contents``, ``body``
        or ``abstract``), or the name of a dataset of ir_datasets
        ("ir_datasets:vaswani").
    max_grade
        The highest grade that an unjudged document can get. Not given: the
        highest of the judgments, at least 1.
    max_assignments
        How many ways to judge a topic are tried when a measure's bounds need
        brute force; if there are more, there are no bounds.
    topic_groups
        Groups of topics, as for ``Scores.by_group``, to sum up: ``Diff.groups``.
        None of them may be called "all".
    options
        Those of ``cranfield.evaluate``, except ``ties``.

    Returns
    -------
    Diff
        The topics, ordered from the highest difference, each with both lists.

    Raises
    ------
    Error
        Kind "option" for several measures or runs, or for a measure that is
        not a mean or sum over topics; "label" for groups that name an unknown
        topic; otherwise as ``cranfield.evaluate``.

    """
    one = as_single_measure(measure)
    if one.aggregate in ("geometric", "pooled"):
        kind = "geometric" if one.aggregate == "geometric" else "weighted"
        message = f"{one} is a {kind} mean: its difference is not that of its topics"
        raise failure("option", message)
    given = keywords("diff", options, SCORING)
    pair = _pair(a, b, given)
    progress = given.pop("progress", None)
    judgments = as_qrels(qrels, **of_judgments(given))
    members = members_beside_all(topic_groups, judgments.topics)
    if isinstance(one, Measure):
        found = _of_built_in(judgments, pair, one, given, progress, max_grade, max_assignments)
    else:
        # A measure written in Python is computed from the lists that the core ranked.
        from cranfield._analysis.diff_functions import of_function

        found = of_function(judgments, pair, one, given, progress)
    sums, reached, reason, core, topics = found
    if core.has_findings or any(notices.remarks(judgments, [one])):
        policies = {name: given.get(name) for name in ("missing", "undefined")}
        notices.notify(core.notes, judgments, [one], **policies)
    limits = given.get("limits")
    known = {document for topic in topics for found in topic[3] for document in found[1]}
    return Diff(
        Scores(core),
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


def _of_built_in(
    qrels: Qrels,
    pair: list[Source],
    measure: Measure,
    options: dict[str, Any],
    progress: ProgressLike,
    max_grade: float | None,
    max_assignments: int,
) -> Any:
    """The core's difference in one of its own measures."""
    evaluator = compiled_with(qrels, [measure], options, hosted=False)
    check_grades(evaluator)
    with Progress(progress, pair) as report:
        return evaluator.difference(
            [source.for_core() for source in pair],
            report.call,
            max_grade=max_grade,
            max_assignments=max_assignments,
        )


def _pair(a: RunsLike, b: RunsLike, options: Mapping[str, Any]) -> list[Source]:
    """The two runs, with distinct names."""
    first, second = (_one(run, name, options) for run, name in ((a, "a"), (b, "b")))
    if first.name == second.name == UNNAMED:
        first, second = first.named("a"), second.named("b")
    return distinct([first, second])


def _one(run: RunsLike, which: str, options: Mapping[str, Any]) -> Source:
    """The single run given by an argument."""
    source = as_run(run, options, f" as {which}")
    if isinstance(source.data, Ranked):
        message = f"run {source.name!r} was ranked and holds no documents outside its judgments"
        raise failure("option", f"{message}; give the run itself")
    return source
