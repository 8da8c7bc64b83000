"""What a measure that is a Python function sees: the judged documents of lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from cranfield._core import Qrels

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"
Whole: TypeAlias = "NDArray[np.int64]"


@dataclass(slots=True, eq=False, repr=False)
class Topic:
    """What a measure sees of one topic: the judged documents of a list.

    The arrays are read-only and stay valid. On the condensed list (the prime)
    ranks and ``retrieved`` count judged documents only.
    """

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


@dataclass(slots=True, eq=False, repr=False)
class Topics:
    """What a measure with ``batch=True`` sees of a run: all topics at once.

    The judged documents of topic i stand from ``offsets[i]`` to before
    ``offsets[i + 1]``, its ideal grades from ``ideal_offsets[i]``. All else is
    as in ``Topic``.
    """

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
    """The grades of each topic that count as judged, the best first; for internal use only."""

    def __init__(self, topics: Sequence[str], grades: list[Floats]) -> None:
        self.topics = topics
        self._grades = grades
        self._ideals: list[Floats] = [_frozen(own[own > 0])[:] for own in grades]
        self._all_ideals: tuple[Floats, Whole] | None = None
        self._counts: dict[float, tuple[Whole, Whole]] = {}

    @classmethod
    def of(cls, qrels: Qrels, negative: str | None) -> Judged:
        """Those of judgments; a negative grade is none unless it is "nonrelevant"."""
        import numpy as np

        grades = [np.sort(np.fromiter(qrels[t].values(), dtype=np.float64)) for t in qrels.topics]
        least = -np.inf if negative == "nonrelevant" else 0
        return cls(qrels.topics, [own[own >= least][::-1] for own in grades])

    def repeated(self, place: int, number: int) -> Judged:
        """The same of one topic, so many times."""
        return Judged((self.topics[place],) * number, [self._grades[place]] * number)

    def counts(self, rel: float) -> tuple[Whole, Whole]:
        """R and N of each topic."""
        import numpy as np

        if rel not in self._counts:
            # A negative grade is not relevant, whatever is.
            least = max(rel, 0.0)
            relevant = np.array([(own >= least).sum() for own in self._grades], dtype=np.int64)
            judged = np.array([len(own) for own in self._grades], dtype=np.int64)
            self._counts[rel] = _frozen(relevant), _frozen(judged - relevant)
        return self._counts[rel]

    def ideal(self, place: int) -> Floats:
        """The grades above 0 of a topic."""
        return self._ideals[place]

    def ideals(self, places: Sequence[int]) -> tuple[Floats, Whole]:
        """Those of several topics as one array, and where each topic begins."""
        import numpy as np

        if self._all_ideals is not None and len(places) == len(self.topics):
            return self._all_ideals
        parts = [self._ideals[place] for place in places]
        offsets = np.cumsum([0, *map(len, parts)], dtype=np.int64)
        found = _frozen(np.concatenate([*parts, np.empty(0)])), _frozen(offsets)
        if len(places) == len(self.topics):
            self._all_ideals = found
        return found


class ListsView:
    """Lists as one measure sees them: condensed or not, cut or not."""

    def __init__(self, lists: Lists, prime: bool, cutoff: int | None, rel: float) -> None:
        import numpy as np

        self._lists = lists
        self._cutoff = cutoff
        self._rel = rel
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
        self._offsets, self._ranks, self._grades = map(_frozen, (offsets, ranks, grades))
        self._numbers = (_frozen(retrieved), *lists.judged.counts(rel))

    def topic(self, place: int) -> Topic:
        """A topic by itself."""
        first, last = self._offsets[place], self._offsets[place + 1]
        retrieved, relevant, others = (int(numbers[place]) for numbers in self._numbers)
        return Topic(
            self._lists.topics[place],
            self._ranks[first:last],
            self._grades[first:last],
            retrieved,
            relevant,
            others,
            self._lists.judged.ideal(place),
            self._rel,
            self._cutoff,
        )

    def topics(self, places: Sequence[int]) -> Topics:
        """Some topics at once; one that is left out has no documents in the list."""
        import numpy as np

        chosen = np.array(places, dtype=np.int64)
        sizes = np.diff(self._offsets)[chosen]
        retrieved, relevant, others = (_frozen(numbers[chosen]) for numbers in self._numbers)
        ideal, ideal_offsets = self._lists.judged.ideals(places)
        return Topics(
            tuple(self._lists.topics[place] for place in places),
            _frozen(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)),
            self._ranks,
            self._grades,
            retrieved,
            relevant,
            others,
            ideal,
            ideal_offsets,
            self._rel,
            self._cutoff,
        )


def _frozen(array: Any) -> Any:
    array.flags.writeable = False
    return array
