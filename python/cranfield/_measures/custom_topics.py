"""What a measure that is a Python function sees: the judged documents of lists."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from cranfield._core import Qrels

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]


class Topic:
    """What a measure sees of one topic: the judged documents of a list.

    The arrays are read-only and stay valid. On the condensed list (the prime)
    ranks and ``retrieved`` count judged documents only.
    """

    __slots__ = (
        *("cutoff", "grades", "ideal", "num_nonrel", "num_rel", "ranks", "rel"),
        *("retrieved", "topic"),
    )

    topic: str
    """Its id."""
    ranks: Whole
    """The ranks, from 1, of the judged documents of the list: int64, ascending.

    Those up to the cutoff if there is one.
    """
    grades: Floats
    """Their grades: float64, the same shape."""
    retrieved: int
    """How many documents the list has, whatever the cutoff."""
    num_rel: int
    """R: how many documents are relevant, in the list or not: grade at least ``rel``."""
    num_nonrel: int
    """N: how many are judged and not relevant."""
    ideal: Floats
    """The grades above 0 of all judged documents, the best first: float64."""
    rel: float
    """The lowest relevant grade."""
    cutoff: int | None
    """The rank after ``@``; None for the whole list."""

    def __repr__(self) -> str:
        return f"<Topic {self.topic}: {len(self.ranks)} judged of {self.retrieved} retrieved>"


class Topics:
    """What a measure with ``batch=True`` sees of a run: all topics at once.

    The judged documents of topic i stand from ``offsets[i]`` to before
    ``offsets[i + 1]``, its ideal grades from ``ideal_offsets[i]``. All else is
    as in ``Topic``.
    """

    __slots__ = (
        *("cutoff", "grades", "ideal", "ideal_offsets", "num_nonrel", "num_rel", "offsets"),
        *("ranks", "rel", "retrieved", "topics"),
    )

    topics: tuple[str, ...]
    """Their ids."""
    offsets: Whole
    """int64, shape (topics + 1,)."""
    ranks: Whole
    """int64, shape (documents,)."""
    grades: Floats
    """float64, shape (documents,)."""
    retrieved: Whole
    """int64, shape (topics,)."""
    num_rel: Whole
    """int64, shape (topics,)."""
    num_nonrel: Whole
    """int64, shape (topics,)."""
    ideal: Floats
    """float64, shape (ideal documents,)."""
    ideal_offsets: Whole
    """int64, shape (topics + 1,)."""
    rel: float
    """The lowest relevant grade."""
    cutoff: int | None
    """The rank after ``@``; None for the whole list."""

    def __len__(self) -> int:
        return len(self.topics)

    def __repr__(self) -> str:
        return f"<Topics: {len(self)}, {len(self.ranks)} judged documents>"


class Lists:
    """The judged documents of a run's lists, topic by topic; for internal use only."""

    __slots__ = ("grades", "judged", "offsets", "ranks", "retrieved", "topics")

    def __init__(self, judged: Judged, raw: tuple[Whole, Whole, Floats, Whole]) -> None:
        self.judged = judged
        self.topics = judged.topics
        self.offsets, self.ranks, self.grades, self.retrieved = map(_frozen, raw)


class Judged:
    """The judgments of each topic; for internal use only."""

    __slots__ = ("_counts", "ideal", "ideal_offsets", "judged", "topics")

    def __init__(self, qrels: Qrels, negative: str | None) -> None:
        import numpy as np

        self.topics = qrels.topics
        self.judged: list[Floats] = []
        ideals = []
        for topic in self.topics:
            grades = np.sort(np.fromiter(qrels[topic].values(), dtype=np.float64))[::-1]
            if negative != "nonrelevant":
                grades = grades[grades >= 0]
            self.judged.append(grades)
            ideals.append(grades[grades > 0])
        sizes = [0, *map(len, ideals)]
        self.ideal_offsets = _frozen(np.cumsum(sizes, dtype=np.int64))
        self.ideal = _frozen(np.concatenate([*ideals, np.empty(0)]))
        self._counts: dict[float, tuple[Whole, Whole]] = {}

    def repeated(self, place: int, number: int) -> Judged:
        """The same of one topic, so many times."""
        import numpy as np

        found: Judged = object.__new__(Judged)
        found.topics = (self.topics[place],) * number
        found.judged = [self.judged[place]] * number
        ideal = self.ideal[self.ideal_offsets[place] : self.ideal_offsets[place + 1]]
        found.ideal = _frozen(np.tile(ideal, number))
        found.ideal_offsets = _frozen(np.arange(number + 1, dtype=np.int64) * len(ideal))
        found._counts = {
            rel: (_frozen(np.full(number, r[place])), _frozen(np.full(number, n[place])))
            for rel, (r, n) in self._counts.items()
        }
        return found

    def counts(self, rel: float) -> tuple[Whole, Whole]:
        """R and N of each topic."""
        import numpy as np

        if rel not in self._counts:
            # A negative grade is not relevant, whatever is.
            least = max(rel, 0.0)
            relevant = np.array([(g >= least).sum() for g in self.judged], dtype=np.int64)
            judged = np.array([len(g) for g in self.judged], dtype=np.int64)
            self._counts[rel] = _frozen(relevant), _frozen(judged - relevant)
        return self._counts[rel]


class ListsView:
    """Lists as one measure sees them: condensed or not, cut or not."""

    __slots__ = ("_cutoff", "_grades", "_lists", "_num", "_offsets", "_ranks", "_rel", "_retrieved")

    def __init__(self, lists: Lists, prime: bool, cutoff: int | None, rel: float) -> None:
        import numpy as np

        self._lists = lists
        self._cutoff = cutoff
        self._rel = rel
        self._num = lists.judged.counts(rel)
        offsets, ranks = lists.offsets, lists.ranks
        grades, retrieved = lists.grades, lists.retrieved
        sizes = np.diff(offsets)
        if prime:
            ranks = np.arange(len(ranks)) - np.repeat(offsets[:-1], sizes) + 1
            retrieved = np.where(retrieved < 0, retrieved, sizes)
        if cutoff is not None:
            kept = ranks <= cutoff
            before = np.concatenate([[0], np.cumsum(kept)])
            offsets, ranks, grades = before[offsets], ranks[kept], grades[kept]
        self._offsets, self._ranks = _frozen(offsets), _frozen(ranks)
        self._grades, self._retrieved = _frozen(grades), _frozen(retrieved)

    def topic(self, place: int) -> Topic:
        """A topic by itself."""
        first, last = self._offsets[place], self._offsets[place + 1]
        judged = self._lists.judged
        topic = Topic()
        topic.topic = self._lists.topics[place]
        topic.ranks = self._ranks[first:last]
        topic.grades = self._grades[first:last]
        topic.retrieved = int(self._retrieved[place])
        topic.num_rel = int(self._num[0][place])
        topic.num_nonrel = int(self._num[1][place])
        topic.ideal = judged.ideal[judged.ideal_offsets[place] : judged.ideal_offsets[place + 1]]
        topic.rel = self._rel
        topic.cutoff = self._cutoff
        return topic

    def topics(self, places: Sequence[int]) -> Topics:
        """Some topics at once."""
        import numpy as np

        judged, every = self._lists.judged, len(places) == len(self._lists.topics)
        topics = Topics()
        topics.topics = tuple(self._lists.topics[place] for place in places)
        # A topic that is left out has no documents in the list.
        topics.ranks, topics.grades = self._ranks, self._grades
        keep = slice(None) if every else np.array(places, dtype=np.int64)
        sizes = np.diff(self._offsets)[keep]
        topics.offsets = _frozen(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))
        topics.retrieved = _frozen(self._retrieved[keep])
        topics.num_rel, topics.num_nonrel = (_frozen(number[keep]) for number in self._num)
        if every:
            topics.ideal, topics.ideal_offsets = judged.ideal, judged.ideal_offsets
        else:
            first, last = judged.ideal_offsets[:-1], judged.ideal_offsets[1:]
            parts = [judged.ideal[first[place] : last[place]] for place in places]
            topics.ideal = _frozen(np.concatenate([*parts, np.empty(0)]))
            topics.ideal_offsets = _frozen(np.cumsum([0, *map(len, parts)], dtype=np.int64))
        topics.rel, topics.cutoff = self._rel, self._cutoff
        return topics


def _frozen(array: Any) -> Any:
    array.flags.writeable = False
    return array
