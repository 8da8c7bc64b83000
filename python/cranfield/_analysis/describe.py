"""What judgments and runs are like, before anything is scored.

>>> found = describe({"1": {"a": 1, "b": 0}}, {"1": {"a": 2, "c": 1}}, depths=[2])
>>> found.judgments["R", "mean"]
1.0
>>> found.runs["run", "Judged@2"]
0.5
"""

from __future__ import annotations

from collections.abc import Iterable

from cranfield import _core
from cranfield._analysis import describe_counts as counts
from cranfield._analysis.describe_result import Description
from cranfield._base.options import RANKING, checked, keywords, of_judgments, several, whole
from cranfield._base.progress import Progress
from cranfield._core import Measure
from cranfield._io.accepted import as_qrels, as_scored
from cranfield._measures.parse import as_measures, divided
from cranfield._scores.groups import members_beside_all
from cranfield._scores.scores import Scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack

    from cranfield._base.option_types import Negative, OrderOptions
    from cranfield._io.accepted import QrelsLike, RunsLike
    from cranfield._scores.groups import GroupsLike

__all__ = ["DEPTHS", "Description", "describe"]

DEPTHS = (5, 10, 20, 50, 100, 1000)
"""The depths if none are named."""


@checked
def describe(
    qrels: QrelsLike,
    runs: RunsLike | None = None,
    *,
    depths: Iterable[int] = DEPTHS,
    rel: float = 1,
    negative: Negative = "unjudged",
    topic_groups: GroupsLike | None = None,
    **options: Unpack[OrderOptions],
) -> Description:
    """Describes judgments and runs: what to look at first.

    Of the judgments how many topics, judged and relevant documents there are,
    as range and mean over topics (Sakai 2007, Table 1); of each run which
    topics it has, how long its lists are, how many scores are tied and how
    much of it was judged.

    Parameters
    ----------
    qrels, runs
        As for ``cranfield.evaluate``; without runs only the judgments are
        described. Files are streamed, once.
    depths
        The depths of the share of judged documents.
    rel
        The lowest grade that is relevant.
    negative
        As for ``cranfield.evaluate``.
    topic_groups
        Groups of topics, as for ``Scores.by_group``, each of which is described, too:
        ``Description.groups``. None of them may be called "all".
    options
        ``order``, ``scores``, ``duplicates``, ``threads``, ``progress``,
        ``lenient``, ``run_layout`` and ``limits``, as for ``cranfield.evaluate``;
        but ``duplicates`` is "first" if it is not given, so that a run with
        duplicates is described and not refused.

    Returns
    -------
    Description
        Tables of judgments, topics and runs.

    Raises
    ------
    Error
        Kind "option" for a depth below 1; "label" for groups that name an
        unknown topic; all else as ``cranfield.evaluate``.

    """
    judged = [f"Judged@{depth}" for depth in dict.fromkeys(several(depths, "depths", _depth))]
    given = keywords("describe", options, [name for name in RANKING if name != "depth"])
    progress = given.pop("progress", None)
    judgments = as_qrels(qrels, **of_judgments(given))
    members = members_beside_all(topic_groups, judgments.topics)
    evaluator = _core.Evaluator(
        judgments,
        divided(as_measures(["num_ret", Measure("num_rel_ret")(rel=rel), *judged]))[0],
        # So that means are over the lists that there are.
        missing="skip",
        negative=negative,
        both_precisions=True,
        **{"duplicates": "first", **given},
    )
    sources = as_scored([] if runs is None else runs, options)
    with Progress(progress, sources) as report:
        core = evaluator.evaluate([source.for_core() for source in sources], report.call)
        report.complete()
    found = Scores(core)
    topics = counts.of_topics(judgments, rel, everything=negative == "nonrelevant")
    groups = {
        group: Description(
            rel,
            topics.only(own),
            counts.of_runs_in_group(found.sel(topic=own), found.notes, judged, topics.only(own)),
            name=group,
        )
        for group, own in members.items()
    }
    return Description(rel, topics, counts.of_runs(found, judged, topics), found.notes, groups)


def _depth(depth: Any, name: str) -> int:
    """One of the depths; raises ``Error`` (kind "option") for anything else."""
    return whole(depth, name, least=1)
