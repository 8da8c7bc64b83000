"""A topic in the lists of two runs, with its documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, TypeAlias

from cranfield._base.scores_like import TIE
from cranfield._base.text import UNDEFINED, number
from cranfield._table.data_table import finite
from cranfield._table.tables import Texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Lists: TypeAlias = "Sequence[tuple[float, Sequence[str], NDArray[np.float64]]]"
"""Of each run the value, the documents and what each of them contributes."""

_TOPIC = ("topic", "query", "a", "b", "difference", "share", "low", "high")
"""What is told of a topic."""

DOCUMENT = (
    *("document", "text", "grade", "rank_a", "rank_b", "change"),
    *("brings_a", "brings_b", "effect"),
)
"""What is told of a document."""

_UNJUDGED = ("document", "rank_a", "rank_b", "if_best", "if_worst")
"""What is told of an unjudged document."""

MATTER = 5
"""How many unjudged documents of a topic are shown."""

_TEXT = 60
"""How many characters of a text are shown."""


@dataclass(frozen=True, slots=True)
class DocumentDiff:
    """A document of a topic in the lists of two runs."""

    document: str
    """Its id."""
    text: str | None
    """Its title or text, if texts were given."""
    grade: float | None
    """Its grade; None if it is unjudged."""
    rank_a: int | None
    """Its rank in the first list; None if it is not in the list."""
    rank_b: int | None
    """Its rank in the second list."""
    brings_a: float
    """What it contributes to the value of the first list.

    For a measure that is a sum over documents, its term; for any other, how
    much the value falls when it is removed from the list.
    """
    brings_b: float
    """What it contributes to the value of the second list."""

    @property
    def change(self) -> str:
        """How it moved: "rose", "fell", "stayed", "came" or "went"."""
        if self.rank_a is None:
            return "came"
        if self.rank_b is None:
            return "went"
        if self.rank_a == self.rank_b:
            return "stayed"
        return "rose" if self.rank_b < self.rank_a else "fell"

    @property
    def effect(self) -> float:
        """What it contributes to the difference: ``brings_b - brings_a``."""
        return self.brings_b - self.brings_a

    @property
    def best_rank(self) -> int:
        """The better of its ranks."""
        return min(rank for rank in (self.rank_a, self.rank_b) if rank is not None)


@dataclass(frozen=True, slots=True)
class UnjudgedDiff:
    """What judging one more document would do to the difference of a topic."""

    document: str
    """Its id."""
    text: str | None
    """Its title or text, if texts were given."""
    rank_a: int | None
    """Its rank in the first list; None if it is not in the list."""
    rank_b: int | None
    """Its rank in the second list."""
    if_best: float
    """The difference if it is judged, and has the best grade."""
    if_worst: float
    """The difference if it is judged, and has the worst grade."""

    @property
    def matters(self) -> float:
        """How much the difference depends on its grade: at least 0."""
        return abs(self.if_best - self.if_worst)


@dataclass(frozen=True, eq=False, repr=False)
class TopicDiff:
    """A topic in the lists of two runs."""

    topic: str
    """Its id."""
    query: str | None
    """The query text, if queries were given."""
    a: float
    """The value of the first run; NaN if it is undefined or left out."""
    b: float
    """The value of the second run."""
    low: float
    """The lowest difference once both lists are fully judged; NaN if unknown."""
    high: float
    """The highest difference once both lists are fully judged."""
    share: float | None
    """Its share of the sum of all topics' differences; None if the sum is 0.

    The shares sum to 1; that of a topic with the opposite sign is below 0.
    """
    _lists: Lists
    _unjudged: Any
    _texts: Mapping[str, str]
    _grades: Callable[[str], Mapping[str, float]]

    @property
    def difference(self) -> float:
        """The second value minus the first."""
        return self.b - self.a

    @cached_property
    def documents(self) -> tuple[DocumentDiff, ...]:
        """The documents of both lists, largest effect first.

        Equal effects are ordered by the better rank. Where the measure is a
        sum, the effects sum to the difference.
        """
        found: dict[str, DocumentDiff] = {d.document: d for d in self.lists[1]}
        for document in self.lists[0]:
            found.setdefault(document.document, document)
        return tuple(sorted(found.values(), key=lambda d: (-abs(d.effect), d.best_rank)))

    @cached_property
    def lists(self) -> tuple[tuple[DocumentDiff, ...], tuple[DocumentDiff, ...]]:
        """Both lists in order of rank."""
        return self.first(None)

    def first(
        self, length: int | None
    ) -> tuple[tuple[DocumentDiff, ...], tuple[DocumentDiff, ...]]:
        """So many documents of both lists, in order of rank; None for all."""
        (_, list_a, brings_a), (_, list_b, brings_b) = self._lists
        of_a, of_b = self._ranks
        grades, texts = self._grades(self.topic), self._texts
        known: dict[str, DocumentDiff] = {}
        for document in dict.fromkeys((*list_a[:length], *list_b[:length])):
            ranks = of_a.get(document), of_b.get(document)
            adds = (
                0.0 if rank is None else float(brings[rank - 1])
                for rank, brings in zip(ranks, (brings_a, brings_b), strict=True)
            )
            about = document, texts.get(document), grades.get(document)
            known[document] = DocumentDiff(*about, *ranks, *adds)
        first, second = (
            tuple(map(known.__getitem__, documents[:length])) for documents in (list_a, list_b)
        )
        return first, second

    def rank(self, document: str, run: int) -> int | None:
        """The rank of a document in the first list (0) or in the second (1); None without."""
        return self._ranks[run].get(document)

    @cached_property
    def _ranks(self) -> tuple[dict[str, int], dict[str, int]]:
        (_, list_a, _), (_, list_b, _) = self._lists
        return dict(zip(list_a, count(1), strict=False)), dict(zip(list_b, count(1), strict=False))

    @cached_property
    def unjudged(self) -> tuple[UnjudgedDiff, ...]:
        """The unjudged documents of either list, those that matter most first.

        Empty where the measure has no bounds.
        """
        ranks_a, ranks_b, best, worst = (column.tolist() for column in self._unjudged)
        lists = [documents for _, documents, _ in self._lists]
        texts, found = self._texts, []
        for rank_a, rank_b, if_best, if_worst in zip(ranks_a, ranks_b, best, worst, strict=True):
            document = lists[0][rank_a - 1] if rank_a else lists[1][rank_b - 1]
            text = texts.get(document)
            ranks = rank_a or None, rank_b or None
            found.append(UnjudgedDiff(document, text, *ranks, if_best, if_worst))
        return tuple(
            sorted(found, key=lambda d: (-d.matters, min(filter(None, (d.rank_a, d.rank_b)))))
        )

    @property
    def mattering(self) -> list[UnjudgedDiff]:
        """The unjudged documents that the difference depends on; for internal use only."""
        return [found for found in self.unjudged if found.matters > TIE]

    def to_dict(self) -> dict[str, Any]:
        """The topic in JSON types, with all its documents."""
        return {
            **_told(self, _TOPIC),
            "documents": [_told(document, DOCUMENT) for document in self.documents],
            "unjudged": [_told(document, _UNJUDGED) for document in self.unjudged],
        }

    def __repr__(self) -> str:
        return f"<TopicDiff {self.topic}: {self.difference:+.4f}>"


def _told(about: object, names: Sequence[str]) -> dict[str, Any]:
    """Some attributes by name, in JSON types."""
    return {name: finite(getattr(about, name)) for name in names}


def of_lists(
    topic: TopicDiff, runs: tuple[str, str], length: int, digits: int | None = None
) -> Texts:
    """Both lists side by side, down to rank ``length``."""
    first, second = runs
    keys = ["rank", first, "grade ", "moves ", second, "grade", "moves"]
    table = Texts(keys, ["adds ", "adds"])
    table.labels = 1
    longest = max(map(len, topic.lists))
    for place in range(min(length, longest)):
        of_a, of_b = (found[place] if place < len(found) else None for found in topic.lists)
        adds = (
            "" if of_a is None else _adds(of_a.brings_a, digits),
            "" if of_b is None else _adds(of_b.brings_b, digits),
        )
        lists = *_cells(of_a, second=False), *_cells(of_b, second=True)
        table.cells.append((str(place + 1), *lists, *adds))
    table.more = max(longest - length, 0)
    return table


def _cells(document: DocumentDiff | None, *, second: bool) -> tuple[str, str, str]:
    """A document of a list, its grade, and its move relative to the other list."""
    if document is None:
        return "", "", ""
    grade = "unjudged" if document.grade is None else f"{document.grade:g}"
    return named(document), grade, moves(document, IN_TEXT, second=second)


IN_TEXT = {"came": "came", "went": "went", "stayed": "=", "rose": "", "fell": ""}
"""What text says of the changes of documents."""


def moves(document: DocumentDiff, words: Mapping[str, str], *, second: bool) -> str:
    """Where a document of a list is in the other one; ``words`` are those for its change."""
    word = words[document.change]
    if document.change not in ("rose", "fell"):
        return word
    return f"{word}from {document.rank_a}" if second else f"{word}to {document.rank_b}"


def named(document: DocumentDiff | UnjudgedDiff) -> str:
    """The id of a document, and the beginning of its text if there is one."""
    text = short(document.text)
    return f"{document.document} {text}" if text else document.document


def of_unjudged(topic: TopicDiff, runs: tuple[str, str], digits: int | None = None) -> Texts:
    """The unjudged documents that matter most."""
    first, second = runs
    columns = [f"rank in {first}", f"rank in {second}", "if best", "if worst"]
    table = Texts(["unjudged, matters most"], columns)
    matter = topic.mattering
    for found in matter[:MATTER]:
        ranks = (str(rank or UNDEFINED) for rank in (found.rank_a, found.rank_b))
        ends = signed(found.if_best, digits), signed(found.if_worst, digits)
        table.cells.append((named(found), *ranks, *ends))
    table.more = max(len(matter) - MATTER, 0)
    return table


def _adds(value: float, digits: int | None) -> str:
    return number(value, digits=digits) if value else "0"


def signed(value: float, digits: int | None) -> str:
    return number(value, sign="+", digits=digits)


def short(text: str | None) -> str:
    """The beginning of a text."""
    if text is None:
        return ""
    return text if len(text) <= _TEXT else f"{text[: _TEXT - 3].rstrip()}..."
