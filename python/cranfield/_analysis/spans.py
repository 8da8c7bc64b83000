"""What judgments of spans and chunks are like, before anything is scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from cranfield import _core
from cranfield._base.options import checked, wrong
from cranfield._base.scores_like import ALL
from cranfield._core import SpanQrels, SpanRun
from cranfield._scores.scores import Scores
from cranfield._table.data_table import COUNT, MEAN, SHARE, TEXT, Data, DataTable, defined
from cranfield._table.result import Result
from cranfield._table.tables import Part


@dataclass(frozen=True, eq=False, repr=False)
class Splitting(Result):
    """What the chunks of an index could reach at best; made by ``splitter``. Immutable."""

    topics: tuple[str, ...]
    """The topics with evidence, in byte order."""
    pieces: tuple[int, ...]
    """How many pieces of evidence each has; a group of alternatives is one."""
    touching: tuple[int, ...]
    """How many chunks share a character with the evidence."""
    omega: tuple[float, ...]
    """The precision of full recall: Jaccard of the evidence and of all chunks that touch it."""
    whole: tuple[float, ...]
    """The proportion of the pieces that one chunk holds whole; of a group one span is enough."""
    covered: tuple[float, ...]
    """The proportion of the characters of the evidence that are in any chunk."""
    chunks: int
    """How many chunks there are."""
    shortest: int
    """The number of characters of the shortest chunk."""
    median_length: float
    """The median of these numbers."""
    mean_length: float
    """Their mean."""
    longest: int
    """The highest."""
    repeated: float
    """The proportion of all characters of chunks that other chunks hold, too."""

    def headline(self) -> str:
        """The means over topics, and how long chunks are."""
        means = (f"{name} {fmean(getattr(self, name)):.4f}" for name in _SHARES)
        lengths = f"{self.shortest} to {self.longest} characters, {self.mean_length:.1f} on average"
        return f"<Splitting of {self.chunks:,} chunks of {lengths}: {', '.join(means)}>"

    def summary(self) -> DataTable:
        """One row: how long chunks are, and the means over topics."""
        numbers: dict[str, Data] = {
            "topic": (TEXT, [ALL]),
            "chunks": (COUNT, [self.chunks]),
            "shortest": (COUNT, [self.shortest]),
            "median": (MEAN, [self.median_length]),
            "mean": (MEAN, [self.mean_length]),
            "longest": (COUNT, [self.longest]),
            "repeated": (SHARE, [self.repeated]),
            "touching": (MEAN, [fmean(self.touching)]),
        }
        return DataTable(numbers | {n: (SHARE, [fmean(getattr(self, n))]) for n in _SHARES})

    def _shown(self, form: str, digits: int | None, *, per_topic: bool = True) -> list[Part]:
        return [(self.table() if per_topic else self.summary()).shown(digits=digits)]


_SHARES = ("omega", "whole", "covered")


@checked
def splitter(gold: SpanQrels, chunks: Any, *, rel: float = 1) -> Splitting:
    """What the chunks of an index could reach at best, before anything is retrieved.

    Omega is the precision that is left once all evidence is read: what is in the evidence,
    divided by what is in the evidence or in any chunk that touches it (Smith and Troynikov
    2024, Evaluating chunking strategies for retrieval). Large chunks have a low omega; small ones
    tear pieces apart, which ``whole`` counts.

    Parameters
    ----------
    gold
        Judgments of spans.
    chunks
        All chunks of the index: {chunk: (doc, start, end)} or a file, as for
        ``SpanRun.from_run``.
    rel
        The lowest grade that is evidence.

    Returns
    -------
    Splitting
        A row for each topic with evidence, and how long chunks are.

    Raises
    ------
    Error
        Kind "span" for a chunk that holds no character, "duplicate" for a name that comes twice,
        "needs" for judgments without evidence, no chunk, or offsets of two units, "type" for
        anything else.

    Examples
    --------
    >>> import cranfield as cf
    >>> gold = cf.SpanQrels({"q": [("A", 500, 520)]})
    >>> found = cf.splitter(gold, {str(i): ("A", i, i + 100) for i in range(0, 1000, 100)})
    >>> found.omega, found.whole
    ((0.2,), (1.0,))

    """
    if not isinstance(gold, SpanQrels):
        raise wrong("gold", "SpanQrels", gold)
    found = _core.splitter(gold, _core.chunk_table(chunks), rel)
    given: Any = {n: tuple(v) if isinstance(v, list) else v for n, v in found.items()}
    return Splitting(**given)


def runs_of_chunks(scores: Scores, runs: Sequence[SpanRun], topics: Sequence[str]) -> DataTable:
    """What each run is like in some topics; ``scores`` are those of ``IN_RUNS``."""
    shapes = [_core.chunk_lengths(run, list(topics)) for run in runs]
    own = [scores.notes[run] for run in scores.runs]
    missing = [len({*note.topics_missing} & {*topics}) for note in own]
    columns: dict[str, Data] = {
        "run": (TEXT, scores.runs),
        "topics": (COUNT, [len(shape["lists"]) for shape in shapes]),
        "missing": (COUNT, missing),
        "extra": (COUNT, [len(note.topics_without_judgments) for note in own]),
        "chunks": (COUNT, [shape["chunks"] for shape in shapes]),
        "longest list": (COUNT, [max(shape["lists"], default=None) for shape in shapes]),
        "repeats": (COUNT, [shape["repeats"] for shape in shapes]),
    }
    for name, key, kind in (
        ("shortest", "shortest", COUNT),
        ("median", "median_length", MEAN),
        ("longest", "longest", COUNT),
    ):
        columns[name] = kind, [shape[key] if shape["chunks"] else None for shape in shapes]
    means = scores.core.mean()
    for place, name in enumerate(("pieces read", "characters read")):
        columns[name] = SHARE, [defined(row[place]) for row in means]
    return DataTable(columns)


IN_RUNS = ("span-R@1000000000", "char-SetR")
"""What is measured of runs: the shares of pieces and of characters that whole lists hold."""
