"""Which judgments would decide which of two runs is better, and how many it may take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any, Unpack

from cranfield import _core
from cranfield._base.errors import failure
from cranfield._base.option_types import ScoringOptions
from cranfield._base.options import SCORING, checked, keywords, of_judgments, probability, whole
from cranfield._base.progress import Progress
from cranfield._base.text import UNDEFINED
from cranfield._base.text import number as shown
from cranfield._core import Measure, Qrels
from cranfield._io.inputs import QrelsLike, RunsLike, as_qrels, as_run
from cranfield._io.sources import UNNAMED, distinct
from cranfield._measures.parse import MeasureLike, as_single_measure
from cranfield._scoring.ranked import compiled_with
from cranfield._table.data_table import COUNT, SHARE, TEXT, DataTable
from cranfield._table.result import Result
from cranfield._table.tables import Part, Texts

MODEL = "relevance falls with the better rank, at the rate seen among the judged documents"
"""What the numbers that are expected assume."""

SIMULATIONS = 99
"""How many judgings are drawn for these."""


@dataclass(frozen=True)
class ToJudge:
    """An unjudged document that matters to a difference."""

    topic: str
    document: str
    rank_a: int | None
    """Its rank in the first list; None if it is not in it."""
    rank_b: int | None
    """Its rank in the second list."""
    moves: float
    """What the difference of the means gains if it has the best grade, against the worst."""
    chance: float
    """How likely it is to be relevant, by the model."""
    worth: float
    """How much judging it is expected to move the bound of the likelier sign."""


@dataclass(frozen=True, eq=False, repr=False)
class JudgingPlan(Result):
    """Which documents to judge next to settle the sign of a difference; immutable."""

    runs: tuple[str, str]
    measure: str
    difference: float
    """The second run's mean minus the first's, by the judgments that there are."""
    low: float
    """The lowest that it can become."""
    high: float
    """The highest."""
    chance: float
    """The chance that the second run's mean is higher, by the model."""
    at_least: int | None
    """No fewer judgments can settle the sign; None unless the measure is a sum over documents."""
    probable: float | None
    """The number of judgments until one sign has the probability ``level``: a median; None where
    so many documents matter that judgings are not drawn, some 24,000."""
    certain: float | None
    """The number until the sign is certain: a median; None as ``at_least``, and as above."""
    at_most: int
    """How many unjudged documents matter at all."""
    level: float
    documents: tuple[ToJudge, ...]
    """The documents to judge next, the one that matters most first."""

    @property
    def is_certain(self) -> bool:
        """Whether no judging can change the sign."""
        return self.low > 0 or self.high < 0

    @property
    def is_probable(self) -> bool:
        """Whether one sign has the probability ``level``."""
        return self.is_certain or max(self.chance, 1 - self.chance) >= self.level

    def __len__(self) -> int:
        """How many documents are listed."""
        return len(self.documents)

    def table(self) -> DataTable:
        """A row for each document to judge."""
        kinds = (TEXT, TEXT, COUNT, COUNT, SHARE, SHARE, SHARE)
        columns = zip(*map(astuple, self.documents), strict=True) if self.documents else [()] * 7
        names = ToJudge.__dataclass_fields__
        return DataTable(
            {n: (kind, list(c)) for n, kind, c in zip(names, kinds, columns, strict=True)}
        )

    def headline(self) -> str:
        """The runs and the measure."""
        return f"<JudgingPlan: {' and '.join(self.runs)}, {self.measure}>"

    def sentences(self) -> list[str]:
        """What is known of the sign, and how many judgments it may take."""
        better = self.runs[self.difference > 0 if self.chance == 0.5 else self.chance > 0.5]
        ends = f"between {shown(self.low, sign='+')} and {shown(self.high, sign='+')}"
        now = (
            f"{self.measure}, {self.runs[1]} less {self.runs[0]}: "
            f"{shown(self.difference, sign='+')} now, {ends} whatever is judged"
        )
        if self.is_certain:
            return [now, f"certain: {better} scores higher, however the others are judged"]
        sure = max(self.chance, 1 - self.chance)
        numbers = (
            f"judgments until the sign is certain: at least {_count(self.at_least)}, expected "
            f"{_count(self.certain)}, at most {self.at_most:,}; until it is "
            f"{100 * self.level:g}% probable: {_count(self.probable)}"
        )
        stop = "stop here, unless it has to be certain" if self.is_probable else "judge on"
        chance = f"{better} scores higher with probability {sure:.3f} ({MODEL}): {stop}"
        return [now, numbers, chance]

    def _shown(self, form: str, digits: int | None) -> list[Part]:
        table = Texts(["topic", "document"], ["rank a", "rank b", "moves", "chance"])
        for one in self.documents:
            ranks = (UNDEFINED if rank is None else str(rank) for rank in (one.rank_a, one.rank_b))
            moves = shown(one.moves, sign="+", digits=digits)
            table.cells.append((one.topic, one.document, *ranks, moves, f"{one.chance:.2f}"))
        return [table, *(f"{sentence}." for sentence in self.sentences())]


def _count(value: float | None) -> str:
    return UNDEFINED if value is None or math.isnan(value) else f"{value:,.0f}"


@checked
def decide(
    qrels: QrelsLike,
    a: RunsLike,
    b: RunsLike,
    measure: MeasureLike,
    *,
    count: int = 20,
    level: float = 0.95,
    max_grade: float | None = None,
    seed: int = 0,
    **options: Unpack[ScoringOptions],
) -> JudgingPlan:
    """Which unjudged documents would settle which of two runs scores higher.

    For a measure that is a sum over documents (P, DCG, RBP) the numbers are exact: the sign is
    certain once the lowest possible difference is above 0, or the highest below. For others a
    document counts by what judging it alone changes; then there is no number of judgments that
    is certain to be enough but all.

    Parameters
    ----------
    qrels
        The judgments so far, as for ``cranfield.evaluate``.
    a, b
        One run each.
    measure
        One measure that is a mean over topics and has bounds.
    count
        How many documents are listed.
    level
        The probability at which to stop judging.
    max_grade
        The highest grade that a document can get, as for ``cranfield.diff``.
    seed
        The seed of the simulated judgings behind the numbers that are expected.
    options
        Those of ``cranfield.evaluate``, except ``ties``.

    Returns
    -------
    JudgingPlan
        The documents by worth, and at least, probably, expectedly and at most how many
        judgments it takes.

    Raises
    ------
    Error
        Kind "option" for a measure that is not a mean over topics; "bounds" for one without
        bounds; all else as ``cranfield.evaluate``.

    """
    one = as_single_measure(measure)
    if one.aggregate != "mean" or not isinstance(one, Measure):
        raise failure("option", f"expected a built-in mean over topics, found {one}")
    whole(count, "count", 1)
    probability(level, "level")
    given = keywords("decide", options, SCORING)
    pair = [as_run(run, given, f" as {name}") for run, name in ((a, "a"), (b, "b"))]
    if pair[0].name == pair[1].name == UNNAMED:
        pair = [source.named(name) for source, name in zip(pair, ("a", "b"), strict=True)]
    pair = distinct(pair)
    progress = given.pop("progress", None)
    judgments = as_qrels(qrels, **of_judgments(given))
    evaluator = compiled_with(judgments, [one], given, hosted=False)
    with Progress(progress, pair) as report:
        _, _, reason, core, topics = evaluator.difference(
            [source.for_core() for source in pair], report.call, max_grade=max_grade
        )
    if reason is not None:
        raise failure("bounds", f"no bounds of {one}: {reason}")
    least = 1.0 if one.rel is None else one.rel
    found = [topic for topic in topics if not math.isnan(topic[1])]
    if not found:
        raise failure("undefined", f"no topic of {' and '.join(core.runs)} has a difference")
    runs = core.runs[0], core.runs[1]
    return planned(runs, str(one), found, judgments, least, count=count, level=level, seed=seed)


def planned(
    runs: tuple[str, str],
    measure: str,
    topics: Sequence[Any],
    qrels: Qrels,
    least: float,
    *,
    count: int,
    level: float = 0.95,
    seed: int = 0,
    simulations: int = SIMULATIONS,
) -> JudgingPlan:
    """The plan of topics as the core gives them."""
    drawn = {"simulations": simulations, "seed": seed}
    rows, numbers = _core.judging_plan(topics, qrels, least, level=level, **drawn)
    order = spread([row[0] for row in rows], [row[-1] for row in rows])[:count]
    documents = tuple(ToJudge(*rows[place]) for place in order)
    return JudgingPlan(runs, measure, **numbers, level=level, documents=documents)


def spread(topics: Sequence[str], worth: Sequence[float], *, first: bool = False) -> list[int]:
    """The places of documents by worth; of equal ones the first of each topic first.

    ``first``: the best document of each topic comes before the second best of any.
    """
    seen: dict[str, int] = {}
    keys = []
    for k in sorted(range(len(topics)), key=lambda k: -worth[k]):
        seen[topics[k]] = place = seen.get(topics[k], 0) + 1
        keys.append((place if first else 0, -float(f"{worth[k]:.9g}"), place, k))
    return [k for *_, k in sorted(keys)]
