"""Changing judgments and runs: pools, fewer judgments, a smaller collection.

Judgments made here from others share their documents, so runs that were ranked
once, with ``rank``, are scored under each of them in milliseconds:

>>> import cranfield as cf
>>> qrels = cf.Qrels({"1": {"a": 1, "b": 0, "c": 2, "d": 0}})
>>> ranked = cf.collection.rank(qrels, {"1": {"b": 3.0, "a": 2.0, "d": 1.0}})
>>> fewer = cf.collection.reduce(qrels, 0.5, minimum=(1, 0), seed=1)
>>> cf.evaluate(fewer, ranked, "num_rel num_ret").summary().tolist()
[[1.0, 3.0]]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cranfield import _core
from cranfield._base.errors import failure
from cranfield._base.options import (
    RANKING,
    checked,
    hashable,
    keywords,
    number,
    number_of,
    of_judgments,
    several,
    whole,
    wrong,
)
from cranfield._base.progress import Progress
from cranfield._core import Qrels, Ranked
from cranfield._io.inputs import as_qrels, as_runs
from cranfield._measures.parse import as_measures, divided
from cranfield._scoring.deciding import JudgingPlan, ToJudge, decide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias, Unpack

    import numpy as np
    from numpy.typing import NDArray

    from cranfield._base.option_types import OrderOptions, RankingOptions
    from cranfield._io.inputs import QrelsLike, RunsLike
    from cranfield._measures.parse import MeasuresLike

    Groups: TypeAlias = Mapping[str, str] | Sequence[str]

__all__ = [
    "Agreement",
    "JudgingPlan",
    "ToJudge",
    "agreement",
    "decide",
    "fold",
    "leave_out",
    "mark_pool",
    "merge",
    "pool",
    "pool_to_depth",
    "rank",
    "reduce",
    "sample_collection",
    "unjudged",
]


@checked
def rank(
    qrels: QrelsLike,
    runs: RunsLike,
    *,
    keep_unjudged: bool = False,
    measures: MeasuresLike = None,
    **options: Unpack[RankingOptions],
) -> list[Ranked]:
    """Reads runs once, to score them with many sets of judgments.

    Parameters
    ----------
    qrels
        The original judgments. What ``reduce``, ``Qrels.restrict_to_pool``,
        ``pool_to_depth`` and ``leave_out`` return for them can be used with these runs.
    runs
        As for ``cranfield.evaluate``.
    keep_unjudged
        Whether the documents without a judgment are kept as well, for subAP,
        Hole and ``sample_collection``; takes about 12 bytes a line.
    measures
        The measures planned, as for ``cranfield.evaluate``: if one of them
        looks at documents outside the judgments, these are kept, down to the
        rank that it looks at. Other measures can be computed as well.
    options
        ``order``, ``scores``, ``duplicates``, ``depth``, ``threads``, ``progress``,
        ``lenient``, ``run_layout`` and ``limits``, as for ``cranfield.evaluate``;
        they cannot be changed later.

    Returns
    -------
    list of Ranked
        One per run; ``cranfield.evaluate`` accepts them as runs.

    Raises
    ------
    Error
        As ``cranfield.evaluate`` does.

    """
    given = keywords("rank", options, RANKING)
    progress = given.pop("progress", None)
    sources = as_runs(runs, options)
    evaluator = _core.Evaluator(
        as_qrels(qrels, **of_judgments(given)),
        [] if measures is None else divided(as_measures(measures))[0],
        **given,
    )
    with Progress(progress, sources) as report:
        return evaluator.rank(
            [s.for_core() for s in sources], report.call, keep_unjudged=keep_unjudged
        )


@checked
def pool(runs: RunsLike, depth: int | None = 100, **options: Unpack[OrderOptions]) -> Qrels:
    """The pool of runs: the first documents of every ranking.

    Parameters
    ----------
    runs
        As for ``cranfield.evaluate``.
    depth
        How many documents of each list; ``None`` for all.
    options
        ``order``, ``scores``, ``duplicates``, ``threads``, ``progress``, ``lenient``,
        ``run_layout`` and ``limits``, as for ``cranfield.evaluate``. TREC's pools
        are made with order="docno_desc" and scores="f32".

    Returns
    -------
    Qrels
        Every pooled document with the grade -1: in the pool, not judged.

    Raises
    ------
    Error
        As ``cranfield.evaluate`` does.

    """
    given = keywords("pool", options, RANKING)
    progress = given.pop("progress", None)
    sources = as_runs(runs, options)
    evaluator = _core.Evaluator(Qrels({}), [], **given)
    with Progress(progress, sources) as report:
        return evaluator.pool([s.for_core() for s in sources], depth, report.call)


def unjudged(pool: QrelsLike, qrels: QrelsLike) -> Qrels:
    """The documents of a pool that still have to be judged.

    A grade below zero is not a judgment, so documents that were only pooled before stay.
    Fully judged topics are left out.
    """
    judgments, left = as_qrels(qrels).to_dict(), {}
    for topic, documents in as_qrels(pool).to_dict().items():
        known = judgments.get(topic, {})
        found = {document: -1.0 for document in documents if known.get(document, -1) < 0}
        if found:
            left[topic] = found
    return Qrels(left)


def mark_pool(qrels: QrelsLike, pool: QrelsLike) -> Qrels:
    """Judgments of a sample with the rest of the pool marked: pooled, not judged.

    What estimates from a sample needs to know the pool: without marks infAP and subAP are AP.

    Parameters
    ----------
    qrels
        The judgments.
    pool
        The documents that were pooled, as ``pool`` returns them; its grades are not read, and
        topics without judgments are left out.

    Returns
    -------
    Qrels
        The judgments, and with grade -1 each pooled document that they have not judged.

    Raises
    ------
    Error
        Kind "option" for judgments with a column, such as strata, or with intents.

    """
    judgments = as_qrels(qrels)
    beside = [f"the column {name}" for name in judgments.columns]
    if any(judgments.intents(topic) for topic in judgments.topics):
        beside.append("intents")
    if beside:
        message = f"expected judgments of grades alone, found {beside[0]}"
        raise failure("option", f"{message}, which a document that was only pooled lacks")
    marked = judgments.to_dict()
    for topic, documents in unjudged(pool, judgments).to_dict().items():
        if topic in marked:
            marked[topic].update(documents)
    return Qrels(marked, docs_in_collection=judgments.docs_in_collection)


@checked
def pool_to_depth(qrels: Qrels, runs: Iterable[Ranked], depth: int) -> Qrels:
    """The judgments of documents that any run ranks among the first ``depth``.

    The same as ``qrels.restrict_to_pool(pool(runs, depth))``, without rereading the runs,
    which ``rank`` must have ranked with these judgments. Raises ``Error`` (kind
    "option") for runs ranked with other judgments.
    """
    if depth < 1:
        raise failure("option", f"expected a depth of at least 1, found {depth}")
    return _core.pooled_to_depth(qrels, list(runs), min(depth, 2**32 - 1))


@checked
def reduce(
    qrels: QrelsLike,
    rate: float,
    method: str = "stratified",
    minimum: int | tuple[int, int] = (1, 10),
    seed: int = 0,
    *,
    rel: float = 1,
    unsampled: str | None = None,
) -> Qrels:
    """A sample of the judgments, as if the judges had had less time.

    Parameters
    ----------
    qrels
        The judgments.
    rate
        The proportion that is kept, above 0 and up to 1.
    method
        "stratified": from each topic, a proportion of the relevant and of the
        other judged documents, rounded down; with the same seed, lower rates give
        subsets of higher ones (Buckley and Voorhees 2004; Sakai 2007, section
        5). "random": a proportion of the pool, redrawn until it contains a
        relevant document, if the topic has one (Yilmaz and Aslam 2006,
        section 2.1).
    minimum
        The least number of relevant and of other documents to keep, if the topic
        has that many; a single number applies to the relevant ones. For
        "stratified".
    seed
        The random seed; which documents are kept depends only on seed, topic
        and document.
    rel
        The lowest grade that is relevant.
    unsampled
        What happens to the others: "drop" makes them unjudged as if never
        pooled, "pooled" keeps them with grade -1. By default "drop" when
        stratified and "pooled" when random. Estimates from samples (infAP,
        subAP, xinfAP, infNDCG, statAP) need "pooled": where the others are
        dropped infAP and subAP are AP. Of the others only Hole, which counts
        documents outside the pool, tells the two apart.

    Returns
    -------
    Qrels
        The same topics and documents, so that runs ranked with ``qrels`` can
        be scored. ``grades``, and so the highest gain, are those of the whole.
        Probabilities of inclusion, where the judgments have them, are multiplied by
        the share that was drawn.

    Raises
    ------
    Error
        Kind "option" for a rate or an unknown method.

    """
    if unsampled not in (None, "drop", "pooled"):
        message = f'expected "drop" or "pooled" as unsampled, found {unsampled!r}'
        raise failure("option", message)
    given: Any = minimum
    least: list[int] = [given, 0]
    if number_of(given) is None:
        least = several(given, "minimum", whole)
    if len(least) != 2 or not all(0 <= whole(number, "minimum") < 2**32 for number in least):
        expected = "one or two whole numbers of at least 0 and below 2^32"
        raise wrong("minimum", expected, minimum)
    relevant, others = least
    return _core.reduced(
        as_qrels(qrels),
        rate,
        method=method,
        least_relevant=relevant,
        least_nonrelevant=others,
        rel=rel,
        keep_pooled=unsampled == "pooled" or (unsampled is None and method == "random"),
        seed=seed,
    )


@checked
def sample_collection(
    runs: Iterable[Ranked], rate: float, seed: int = 0, *, threads: int | None = None
) -> list[Ranked]:
    """Runs in a part of the collection: the rest of the documents has vanished.

    Each document is kept with probability ``rate``, the same ones in all runs
    and topics. The judgments stay as they are and count documents that can no
    longer be retrieved: imperfect judgments (Yilmaz and Aslam 2006, section
    3). The result is the same for any number of ``threads`` (all processors if None).
    Raises ``Error``: kind "needs" for runs ranked without ``keep_unjudged``,
    "option" for an invalid rate or number of threads.
    """
    return _core.sampled_collection(list(runs), rate, seed, threads)


@checked
def leave_out(
    qrels: Qrels, runs: Sequence[Ranked], groups: Groups, depth: int = 100
) -> dict[str, Qrels]:
    """Judgments without the documents that only one group contributed to the pool.

    Is the pool fair to a system that did not take part? Score a group's runs
    under the judgments without its unique documents (Zobel 1998).

    Parameters
    ----------
    qrels, runs
        Judgments and runs that ``rank`` has ranked with them.
    groups
        The group of each run: {name of run: group}, or one for each run in
        order.
    depth
        The depth to which each ranking was pooled.

    Returns
    -------
    dict
        {group: judgments without the documents that only its runs have among
        their first ``depth``}, in order of first appearance.

    Raises
    ------
    Error
        Kind "label" for a run without a group, "option" for runs ranked with
        other judgments.

    """
    if depth < 1:
        raise failure("option", f"expected a depth of at least 1, found {depth}")
    depth = min(depth, 2**32 - 1)
    if isinstance(groups, Mapping):
        missing = [run.name for run in runs if run.name not in groups]
        if missing:
            raise failure("label", f"expected a group for every run, found none for {missing[0]}")
        groups = [groups[run.name] for run in runs]
    groups = several(groups, "groups", hashable)
    if len(groups) != len(runs):
        raise failure("label", f"expected {len(runs)} groups, found {len(groups)}")
    names = list(dict.fromkeys(groups))
    places = [names.index(group) for group in groups]
    return {
        name: _core.without_group(qrels, runs, places, depth, place)
        for place, name in enumerate(names)
    }


@checked
def fold(qrels: QrelsLike, rel: float = 1, *, graded: bool = False) -> Qrels:
    """Graded judgments as binary ones: grades from ``rel`` are 1, those below it 0.

    With ``graded``, grades from ``rel`` are kept. Either way all measures, nDCG as well as
    AP, use the same threshold of relevance. Grades below zero are not judgments and are
    kept. Runs ranked with ``qrels`` can be scored with the result.
    """
    return _core.folded(as_qrels(qrels), number(rel, "rel"), bool(graded))


def merge(*sets: QrelsLike) -> Qrels:
    """Several sets of judgments merged into one.

    A document gets the grade of the first set that judged it, so later sets
    fill gaps: pass human judgments first, then those of a model. If a set only
    pooled the document, the next set is used. ``column("source", topic)`` of the
    result is the index of the set that each grade comes from. ``grades`` are those of
    all sets, ``docs_in_collection`` that of the first set that has it.
    """
    return _core.merged([as_qrels(qrels) for qrels in sets])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Agreement:
    """The grades of all documents that two sets of judgments have in common."""

    topics: NDArray[np.str_]
    """The topic of each document: text, shape (documents,)."""
    first: NDArray[np.float64]
    """The grades of the first set: float64, shape (documents,)."""
    second: NDArray[np.float64]
    """The grades of the second set: float64, shape (documents,)."""

    def __len__(self) -> int:
        return len(self.first)

    @property
    def table(self) -> NDArray[np.int64]:
        """How often each pair of grades occurs: int64, (grades, grades).

        Rows are the first set's grades, columns the second's, both over
        ``grades``.
        """
        import numpy as np

        grades = self.grades
        counts = np.zeros((len(grades), len(grades)), dtype=np.int64)
        places = np.searchsorted(grades, self.first), np.searchsorted(grades, self.second)
        np.add.at(counts, places, 1)
        return counts

    @property
    def grades(self) -> NDArray[np.float64]:
        """The grades that either set gave, ascending."""
        import numpy as np

        return np.unique(np.concatenate([self.first, self.second]))

    def __repr__(self) -> str:
        same = int((self.first == self.second).sum())
        return f"<Agreement: {len(self)} documents, {same} with the same grade>"


def agreement(first: QrelsLike, second: QrelsLike) -> Agreement:
    """The documents that two judges have both judged, with both grades.

    For ``cranfield.stats.cohen_kappa(found.first, found.second)``. Pooled
    documents that one of them has not judged are left out.
    """
    import numpy as np

    one, two = as_qrels(first), as_qrels(second)
    places, a, b = _core.common_grades(one, two)
    return Agreement(np.array(one.topics)[places], a, b)
