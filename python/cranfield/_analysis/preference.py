"""Which of two runs a searcher prefers, by where each puts the relevant documents.

>>> import cranfield as cf
>>> qrels = {"1": {"a": 1, "b": 1, "c": 1}}
>>> runs = {"x": {"1": {"a": 9, "d": 8, "e": 7, "b": 6}}, "y": {"1": {"d": 9, "a": 8, "b": 7}}}
>>> found = cf.preferences(qrels, runs, "lexiprecision")
>>> found["x", "y"]
array([1.])

A measure gives each run a number, and the numbers are compared. These compare
the lists themselves, so they can tell two lists apart that a measure ties.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from cranfield._base.option_types import ScoringOptions
from cranfield._base.options import SCORING, checked, finder, keywords, one_of, two
from cranfield._base.text import counted
from cranfield._io.inputs import QrelsLike, RunsLike, as_runs, loaded
from cranfield._measures.parse import with_rel
from cranfield._scoring.evaluator import Evaluator
from cranfield._table.data_table import SHARE, TEXT, DataTable
from cranfield._table.result import Result

KINDS = ("RPP", "invRPP", "dcgRPP", "lexirecall", "lexiprecision", "rrLexiprecision")
"""The preferences, as ``pref_eval`` calls them."""

NOWHERE = 2**40
"""The rank of a relevant document that was not retrieved: below all others."""


@dataclass(frozen=True, eq=False, repr=False)
class Preferences(Result):
    """Preferences between runs on every topic; immutable.

    A value above 0 prefers the first run of a pair, one below 0 the second.
    """

    kind: str
    """Which preference, one of ``KINDS``."""
    runs: tuple[str, ...]
    """The names of the runs."""
    topics: tuple[str, ...]
    """The topics of the qrels, in byte order."""
    values: NDArray[np.float64]
    """float64, shape (runs, runs, topics), from -1 to 1; reversed it changes sign."""

    __iter__ = None

    def __getitem__(self, pair: tuple[str, str]) -> NDArray[np.float64]:
        """The preference for a run over another on each topic: float64, shape (topics,).

        Raises ``LabelError`` for a name that is not a run.
        """
        first, second = map(finder("run", self.runs), two(pair, "two runs"))
        values: NDArray[np.float64] = self.values[first, second]
        return values

    def mean(self) -> NDArray[np.float64]:
        """The means over topics: float64, shape (runs, runs)."""
        means: NDArray[np.float64] = self.values.mean(axis=2)
        return means

    def table(self) -> DataTable:
        """A row for each pair of runs: the mean preference for the first over the second."""
        first, second = np.triu_indices(len(self.runs), 1)
        return DataTable(
            {
                "run": (TEXT, [self.runs[run] for run in first]),
                "other": (TEXT, [self.runs[run] for run in second]),
                "preference": (SHARE, self.mean()[first, second].tolist()),
            }
        )

    def headline(self) -> str:
        """Which preference, of how many runs and topics."""
        runs, topics = counted(len(self.runs), "run"), counted(len(self.topics), "topic")
        return f"<Preferences: {self.kind}, {runs}, {topics}>"


@checked
def preferences(
    qrels: QrelsLike,
    runs: RunsLike,
    kind: str = "RPP",
    *,
    rel: float = 1,
    **options: Unpack[ScoringOptions],
) -> Preferences:
    """Prefers runs to one another, topic by topic, by the ranks of their relevant documents.

    The i-th relevant document of a list serves a searcher who needs i of them.
    At each of these R recall levels the run is preferred that reaches it at
    the higher rank; where both do at the same, or neither does, none is.

    ``"RPP"``
        The mean of these preferences over recall levels; ``"invRPP"`` weighs
        level i by 1/i, ``"dcgRPP"`` by 1/log2(i + 1). Diaz and Ferraro (2022),
        Offline retrieval evaluation without evaluation metrics, SIGIR.
    ``"lexirecall"``
        The preference at the last level where the runs differ: the searcher
        who needs most. Diaz, Ekstrand and Mitra (2023), Recall, robustness,
        and lexicographic evaluation.
    ``"lexiprecision"``
        The preference at the first level where the runs differ; with
        ``"rrLexiprecision"`` the difference of the reciprocal ranks there.
        Diaz (2023), Best-case retrieval evaluation, SIGIR.

    Parameters
    ----------
    qrels, runs
        Anything that ``evaluate`` takes. A topic that a run lacks is an empty list.
    kind
        One of the above.
    rel
        The lowest grade of a relevant document.
    **options
        How lists are read and ordered, as for ``evaluate``.

    Raises
    ------
    Error
        Kind "option" for another kind, and what ``evaluate`` raises.

    """
    one_of("kind", kind, KINDS)
    keywords("preferences", options, SCORING)
    evaluator = Evaluator(qrels, with_rel("R", rel) @ 1, **options)
    sources = as_runs(runs, options)
    topics = evaluator.qrels.topics
    found = [evaluator._core.relevant_ranks(loaded(source, options)) for source in sources]
    values = np.zeros((len(sources), len(sources), len(topics)))
    for topic in range(len(topics)):
        levels = found[0][topic][1] if found else 0
        ranks = np.full((len(sources), levels), NOWHERE)
        for run, lists in enumerate(found):
            here = lists[topic][2]
            ranks[run, : len(here)] = here
        for run in range(len(sources)):
            values[run, :, topic] = _preferred(kind, ranks[run], ranks)
    values.flags.writeable = False
    return Preferences(kind, tuple(source.name for source in sources), topics, values)


def _preferred(
    kind: str, ranks: NDArray[np.int64], others: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The preferences for one run over the others: ranks by recall level, a row a run."""
    levels = ranks.size
    if levels == 0:
        return np.zeros(len(others))
    signs = np.sign(others - ranks)
    if kind.endswith("RPP"):
        level = np.arange(1, levels + 1)
        weights = {"RPP": np.ones(levels), "invRPP": 1 / level, "dcgRPP": 1 / np.log2(level + 1)}
        weight = weights[kind]
        mean: NDArray[np.float64] = signs @ weight / weight.sum()
        return mean
    differ = signs != 0
    place = levels - 1 - differ[:, ::-1].argmax(1) if kind == "lexirecall" else differ.argmax(1)
    row = np.arange(len(others))
    if kind != "rrLexiprecision":
        sign: NDArray[np.float64] = signs[row, place].astype(np.float64)
        return sign
    reciprocal = np.where(others < NOWHERE, 1 / others, 0.0)
    own = np.where(ranks < NOWHERE, 1 / ranks, 0.0)
    difference: NDArray[np.float64] = np.where(
        differ.any(1), own[place] - reciprocal[row, place], 0.0
    )
    return difference
