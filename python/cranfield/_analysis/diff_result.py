"""A difference between two runs, by topic and by group of topics, and how it is shown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from cranfield._analysis.diff_topic import DOCUMENT, TopicDiff, of_lists, of_unjudged, short, signed
from cranfield._base.errors import label_failure
from cranfield._base.options import checked, finder
from cranfield._base.scores_like import ALL, TIE
from cranfield._base.text import UNDEFINED, counted, number, topic_key
from cranfield._core import Notes, Qrels
from cranfield._scores.scores import Scores
from cranfield._stats.intervals import Interval
from cranfield._table.data_table import COUNT, SHARE, TEXT, DataTable, finite
from cranfield._table.result import Result
from cranfield._table.tables import Part, Signed, Texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pandas as pd

DETAILS = 3
"""How many topics are shown with document detail by default."""

LENGTH = 10
"""How many documents of each list are shown."""

OF_TOTAL = "share of total"
"""The header of parts of the sum of all topics' differences, in percent."""


@dataclass(frozen=True, eq=False, repr=False)
class Diff(Result):
    """What changes from one run to another; made by ``diff``.

    ``[topic]`` is a ``TopicDiff``; iteration is over topics, highest difference
    first.
    """

    scores: Scores
    """The values of both runs."""
    sums: bool
    """Whether the effects of a topic's documents sum to its difference, to 1e-12.

    If not, an effect is that of removing the document from both lists.
    """
    bounds: str | None
    """What kind of bounds the difference has.

    "exact": some way to judge both lists attains them. "outer": never
    exceeded, but possibly not attained. None: there are no bounds, and
    ``bounds_reason`` says why.
    """
    bounds_reason: str | None
    """Why there are no bounds; None if there are."""
    queries: dict[str, str]
    """The query texts, by topic."""
    texts: dict[str, str]
    """The document texts, by document."""
    _qrels: Qrels
    _raw: Sequence[Any]
    """The topics as the core has them."""
    _judges_negative: bool
    _members: Mapping[str, Sequence[str]]
    """The topics of each group."""

    @property
    def notes(self) -> dict[str, Notes]:
        """Warnings and decisions made during evaluation, by run name."""
        return self.scores.notes

    @property
    def runs(self) -> tuple[str, str]:
        """The names of both runs."""
        first, second = self.scores.runs
        return first, second

    @property
    def measure(self) -> str:
        """The measure in canonical spelling."""
        return self.scores.measures[0]

    @cached_property
    def topics(self) -> tuple[TopicDiff, ...]:
        """The topics, highest difference first, undefined values last; equal ones 2 before 10."""
        values = [(lists[0][0], lists[1][0]) for _, _, _, lists, _ in self._raw]
        total = math.fsum(b - a for a, b in values if not math.isnan(b - a))
        found = []
        for (a, b), (topic, low, high, lists, unjudged) in zip(values, self._raw, strict=True):
            share = None if math.isnan(b - a) or abs(total) <= TIE else (b - a) / total
            about = lists, unjudged, self.texts, self._grades
            query = self.queries.get(topic)
            found.append(TopicDiff(topic, query, a, b, low, high, share, *about))

        def place(topic: TopicDiff) -> tuple[Any, ...]:
            undefined = math.isnan(topic.difference)
            return undefined, 0.0 if undefined else -topic.difference, topic_key(topic.topic)

        return tuple(sorted(found, key=place))

    @cached_property
    def groups(self) -> dict[str, Diff]:
        """The difference in each group of topics; empty without ``topic_groups``."""
        return {group: self._among(topics) for group, topics in self._members.items()}

    def _among(self, topics: Sequence[str]) -> Diff:
        """The difference in some of the topics."""
        scores = self.scores.sel(topic=list(topics))
        raw = [topic for topic in self._raw if topic[0] in scores.topics]
        return replace(self, scores=scores, _raw=raw, _members={})

    @checked
    def share(self, group: str) -> float | None:
        """A group's part of the sum of all topics' differences, as ``TopicDiff.share``.

        Raises ``LabelError`` for a group that is not there.
        """
        if group not in self._members:
            raise label_failure("group", group, tuple(self._members))
        shares = [self[topic.topic].share for topic in self.groups[group]._defined]
        known = [share for share in shares if share is not None]
        return math.fsum(known) if known else None

    @property
    def a(self) -> float:
        """The value of the first run over the topics that both have."""
        return self._over("a")

    @property
    def b(self) -> float:
        """The value of the second run over the topics that both have."""
        return self._over("b")

    @property
    def difference(self) -> float:
        """The mean of the topics' differences; for a count, their sum."""
        return self._over("difference")

    @property
    def low(self) -> float:
        """The lowest difference once both runs are fully judged; NaN without bounds."""
        return self._over("low")

    @property
    def high(self) -> float:
        """The highest difference once both runs are fully judged; NaN without bounds."""
        return self._over("high")

    @checked
    def interval(
        self,
        *,
        level: float = 0.95,
        method: str = "t",
        resamples: int | None = None,
        seed: int = 0,
    ) -> Interval:
        """The confidence interval of the mean difference, with topics as the sample.

        Options as for ``Scores.interval``. ``low`` and ``high`` are float64 of
        shape (); NaN for a count and for fewer than two topics.
        """
        import numpy as np

        from cranfield._stats.intervals import RESAMPLES, Interval, mean_interval

        differences = [topic.difference for topic in self._defined]
        defined = not self._counts and len(differences) > 1
        found = mean_interval(
            # Options are checked even where there is no interval.
            [differences if defined else [0.0, 0.0]],
            level=level,
            method=method,
            resamples=RESAMPLES if resamples is None else resamples,
            seed=seed,
        )
        low, high = (np.array(end[0] if defined else math.nan) for end in (found.low, found.high))
        return Interval(low, high, level, method)

    @property
    def higher(self) -> tuple[TopicDiff, ...]:
        """The topics in which the second run scores higher, by more than 1e-9."""
        return tuple(topic for topic in self._defined if topic.difference > TIE)

    @property
    def lower(self) -> tuple[TopicDiff, ...]:
        """The topics in which the second run scores lower, lowest difference first."""
        return tuple(topic for topic in reversed(self._defined) if topic.difference < -TIE)

    @property
    def gain(self) -> float:
        """What the topics in ``higher`` add to the difference."""
        return self._over("difference", self.higher) if self._defined else 0.0

    @property
    def loss(self) -> float:
        """What the topics in ``lower`` add to it: 0 or below."""
        return self._over("difference", self.lower) if self._defined else 0.0

    def __getitem__(self, topic: str | int) -> TopicDiff:
        """A topic; raises ``LabelError`` for one that is not in the judgments."""
        return self.topics[finder("topic", [found.topic for found in self.topics])(topic)]

    def __iter__(self) -> Any:
        return iter(self.topics)

    def __len__(self) -> int:
        return len(self.topics)

    def to_dict(self) -> dict[str, Any]:
        """Everything in JSON types; None for what is undefined or unknown."""
        moves = self._ends_and_moves()
        return {
            "measure": self.measure,
            **({"signature": str(self.scores.signature)} if self.scores.signature else {}),
            "a": self.runs[0],
            "b": self.runs[1],
            "values": [finite(self.a), finite(self.b)],
            "difference": finite(self.difference),
            "low": moves.pop("low"),
            "high": moves.pop("high"),
            "bounds": self.bounds,
            "bounds_reason": self.bounds_reason,
            "sums": self.sums,
            **moves,
            **({"groups": list(self._groups_to_dict())} if self._members else {}),
            "topics": [topic.to_dict() for topic in self.topics],
        }

    def _groups_to_dict(self) -> Iterator[dict[str, Any]]:
        for name, group in self.groups.items():
            ends = group.interval()
            yield {
                "group": name,
                "topics": [topic.topic for topic in group.topics],
                "values": [finite(group.a), finite(group.b)],
                "difference": finite(group.difference),
                "ci": {"low": finite(float(ends.low)), "high": finite(float(ends.high))},
                "share": self.share(name),
                **group._ends_and_moves(),
            }

    def _ends_and_moves(self) -> dict[str, Any]:
        """The ends of the difference, how many topics rise and fall, and what they add."""
        return {
            "low": finite(self.low),
            "high": finite(self.high),
            "higher": len(self.higher),
            "lower": len(self.lower),
            "gain": finite(self.gain),
            "loss": finite(self.loss),
        }

    def columns(self) -> dict[str, list[Any]]:
        """A row for each topic and document, as columns: {name: values}.

        topic, document, text, grade, rank_a, rank_b, change, brings_a,
        brings_b, effect, and, for unjudged documents, if_best and if_worst.
        """
        names = ("topic", *DOCUMENT, "if_best", "if_worst")
        rows: list[tuple[Any, ...]] = []
        for topic in self.topics:
            ends = {found.document: (found.if_best, found.if_worst) for found in topic.unjudged}
            for document in topic.documents:
                told = (getattr(document, name) for name in DOCUMENT)
                rows.append((topic.topic, *told, *ends.get(document.document, (None, None))))
        return {name: [row[place] for row in rows] for place, name in enumerate(names)}

    def table(self) -> DataTable:
        """The rows of ``columns``."""
        kinds = dict.fromkeys(_TEXTS, TEXT) | dict.fromkeys(_RANKS, COUNT)
        return DataTable(
            {name: (kinds.get(name, SHARE), values) for name, values in self.columns().items()}
        )

    def to_pandas(self) -> pd.DataFrame:
        """The same as a pandas frame; raises ``ImportError`` without pandas.

        A rank in a list that does not have the document is NA.
        """
        return super().to_pandas().astype(dict.fromkeys(_RANKS, "Int64"))

    def headline(self) -> str:
        """The measure and the runs."""
        first, second = self.runs
        return f"<Diff: {self.measure}, from {first} to {second}>"

    _is_headed = False

    def _shown(
        self,
        form: str,
        digits: int | None,
        *,
        details: int = 0,
        topics: Sequence[str] = (),
        length: int = LENGTH,
    ) -> list[Part]:
        """The whole difference, with lists of some topics."""
        found: list[Part] = [_sentences(self, digits), of_topics(self, digits)]
        if self.groups:
            found.append(of_groups(self, digits))
        for topic in chosen(self, details, topics):
            lists = of_lists(topic, self.runs, length, digits)
            lists.introduction = [_headline(self, topic, digits)]
            found.append(lists)
            unjudged = of_unjudged(topic, self.runs, digits)
            if unjudged.cells:
                found.append(unjudged)
        if form != "repr" and self.scores.signature:
            found.append(Signed([str(self.scores.signature)]))
        return found

    @property
    def _defined(self) -> list[TopicDiff]:
        return [topic for topic in self.topics if not math.isnan(topic.difference)]

    def _over(self, name: str, among: Sequence[TopicDiff] | None = None) -> float:
        """What topics add to the mean over all topics, or to the sum if values are counts.

        NaN where no topic has a difference.
        """
        topics = self._defined
        if not topics:
            return math.nan
        total = math.fsum(getattr(topic, name) for topic in (topics if among is None else among))
        return total if self._counts else total / len(topics)

    @property
    def _counts(self) -> bool:
        return self.scores.core.measures[0].aggregate == "sum"

    def _grades(self, topic: str) -> dict[str, float]:
        """The grades of the documents of a topic that are judged."""
        grades = self._qrels[topic]
        if self._judges_negative:
            return grades
        return {document: grade for document, grade in grades.items() if grade >= 0}


_TEXTS = ("topic", "document", "text", "change")
"""The columns of texts."""

_RANKS = ("rank_a", "rank_b")
"""The columns of ranks."""


def chosen(diff: Diff, details: int, topics: Sequence[str] = ()) -> list[TopicDiff]:
    """The topics shown with document detail: those named, or the largest differences."""
    if topics:
        return [diff[topic] for topic in topics]
    defined = [topic for topic in diff.topics if not math.isnan(topic.difference)]
    ordered = sorted(defined, key=lambda topic: topic_key(topic.topic))
    return sorted(ordered, key=lambda topic: -abs(topic.difference))[:details]


def _sentences(diff: Diff, digits: int | None) -> list[str]:
    """The sentences about all topics together."""
    gain, loss = signed(diff.gain, digits), signed(diff.loss, digits)
    second = diff.runs[1]
    unit = "sum" if diff._counts else "mean"
    return [
        f"{diff.measure}, {unit} over {counted(len(diff._defined), 'topic')}: "
        f"{_difference(diff, diff, digits)}.",
        f"{second} is higher in {counted(len(diff.higher), 'topic')} ({gain}), "
        f"lower in {len(diff.lower)} ({loss}), the same in {same(diff)}.",
        _of_bounds(diff),
        of_adding(diff),
    ]


def same(diff: Diff) -> int:
    """In how many topics both runs have the same value."""
    known = sum(not math.isnan(topic.difference) for topic in diff.topics)
    return known - len(diff.higher) - len(diff.lower)


def of_adding(diff: Diff) -> str:
    """A sentence on what documents add."""
    if diff.sums:
        return "adds: contributions sum to the run's score."
    return (
        "adds: how much the score drops when the document is removed from the run; these "
        "effects do not sum to the score."
    )


def _of_bounds(diff: Diff) -> str:
    """A sentence on the bounds of the difference."""
    if diff.bounds is None:
        return f"No bounds of the difference: {diff.bounds_reason}."
    return (
        "lowest, highest: the difference if every retrieved document were judged "
        f"({how_close(diff)})."
    )


def how_close(diff: Diff) -> str:
    """What the bounds of the difference are."""
    if diff.bounds == "exact":
        return "exact bounds: some assignment of the missing judgments reaches them"
    return "outer bounds: no assignment of the missing judgments exceeds them"


def _difference(diff: Diff, found: Diff | TopicDiff, digits: int | None) -> str:
    """Both values and their difference, of all topics or of one."""
    first, second = diff.runs
    a, b, difference = _values(found, digits)
    ends = ""
    if not math.isnan(found.low):
        low, high = _ends(found, digits)
        ends = f" (between {low} and {high} if all were judged)"
    return f"{first} {a}, {second} {b}, difference {difference}{ends}"


def of_topics(diff: Diff, digits: int | None = None) -> Texts:
    """The topics by difference, with their shares of the total."""
    keys = ["topic", "query"] if diff.queries else ["topic"]
    table = Texts(keys, [*diff.runs, "difference", OF_TOTAL, *_bounds(diff)])
    for topic in diff.topics:
        labels = (topic.topic, short(topic.query))[: len(keys)]
        ends = _ends(topic, digits) if diff.bounds else ()
        table.cells.append((*labels, *_values(topic, digits), _percent(topic.share), *ends))
    return table


def of_groups(diff: Diff, digits: int | None = None) -> Texts:
    """The groups of topics as given, and all topics."""
    columns = ["difference", "95% CI", OF_TOTAL, "higher", "lower", *_bounds(diff)]
    table = Texts(["group", "topics"], [*diff.runs, *columns])
    whole = None if all(topic.share is None for topic in diff.topics) else 1.0
    for name, group in {**diff.groups, ALL: diff}.items():
        ends = group.interval()
        low, high = float(ends.low), float(ends.high)
        interval = f"[{signed(low, digits)}, {signed(high, digits)}]"
        share = _percent(whole if name == ALL else diff.share(name))
        table.cells.append(
            (
                *(name, str(len(group.topics)), *_values(group, digits)),
                *(UNDEFINED if math.isnan(low) else interval, share),
                *(str(len(group.higher)), str(len(group.lower))),
                *(_ends(group, digits) if diff.bounds else ()),
            )
        )
    return table


def _bounds(diff: Diff) -> list[str]:
    """The columns of bounds, if there are bounds."""
    return ["lowest", "highest"] if diff.bounds else []


def _values(found: Diff | TopicDiff, digits: int | None) -> tuple[str, str, str]:
    """Both values and their difference."""
    a, b = (number(value, digits=digits) for value in (found.a, found.b))
    return a, b, signed(found.difference, digits)


def _ends(found: Diff | TopicDiff, digits: int | None) -> tuple[str, str]:
    """The lowest and the highest difference after full judging."""
    return signed(found.low, digits), signed(found.high, digits)


def _percent(share: float | None) -> str:
    return UNDEFINED if share is None else f"{100 * share:.1f}%"


def _headline(diff: Diff, topic: TopicDiff, digits: int | None) -> str:
    """The line above a topic's lists."""
    query = f" ({short(topic.query)})" if topic.query else ""
    return f"Topic {topic.topic}{query}: {_difference(diff, topic, digits)}"
