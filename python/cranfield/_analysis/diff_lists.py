"""Two runs without judgments: how alike they are, and how far apart judging could find them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from cranfield._analysis.diff_texts import TextsLike, as_texts
from cranfield._analysis.diff_topic import short, signed
from cranfield._base.errors import failure
from cranfield._base.options import finder, whole_numbers
from cranfield._base.progress import ProgressLike
from cranfield._base.text import UNDEFINED, counted, number, topic_key
from cranfield._core import Measure, Qrels
from cranfield._io.sources import Source
from cranfield._measures.parse import MeasuresLike, as_measures, as_single_measure
from cranfield._scoring.ranked import compiled_with
from cranfield._table.data_table import COUNT, FLAG, SHARE, TEXT, Data, DataTable, finite
from cranfield._table.result import Result
from cranfield._table.tables import Part, Texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEAST = (1, 3, 10)
"""The least numbers of relevant documents for which the bounds are computed by default."""

AT_RISK = 0.05
"""Topics in which a measure can fall by more are counted."""

RBO_P = 0.9
"""The persistence of rank-biased overlap."""

TOPICS = 10
"""How many topics are shown."""

EXACT = 1e-9
"""A bound this near to a difference that is reached is exact."""

_ALIKE = (
    *("overlap", "jaccard", "rbo", "tau_ap", "moved", "moved_most", "same_first", "same_set"),
    *("same_order", "shared", "came", "went"),
)
"""What the core tells of how alike two lists are, in its order."""

_ENDS = ("low", "high", "low_reached", "high_reached")
"""The ends of differences, and those that a way of judging was found for."""

_FLAGS, _COUNTS = ("same_first", "same_set", "same_order"), ("shared", "came", "went")


@dataclass(frozen=True, eq=False, repr=False)
class ListDiff(Result):
    """Two runs without judgments; made by ``diff`` with None for the judgments.

    A difference is the second run's value minus the first's. ``low`` is the lowest that any way of
    judging any documents gives, so that minus ``low`` is the most that the second run loses.
    """

    runs: tuple[str, str]
    """The names of both runs."""
    topics: tuple[str, ...]
    """The topics that both runs have, 2 before 10."""
    skipped: tuple[str, ...]
    """The topics of one run only, under ``missing="skip"``."""
    measures: tuple[str, ...]
    """The measures in canonical spelling."""
    k: tuple[int, ...]
    """The depths down to which lists are compared."""
    least_relevant: tuple[int, ...]
    """How many documents are relevant at least, in any list or in none."""
    alike: dict[str, NDArray[np.float64]]
    """How alike the lists are: each float64 of shape (topics, k).

    ``overlap`` and ``jaccard`` are of sets; ``rbo`` is rank-biased overlap (p = .9) of the whole
    lists, extrapolated; ``tau_ap`` AP correlation over the documents in both, the first list
    being the truth; ``moved`` and ``moved_most`` how many ranks these moved, on average and at
    most; ``same_first``, ``same_set`` and ``same_order`` are 0 or 1; ``shared``, ``came`` and
    ``went`` count documents. NaN where undefined.
    """
    low: NDArray[np.float64]
    """The lowest differences, never passed: float64, shape (measures, topics, least_relevant)."""
    high: NDArray[np.float64]
    """The highest differences, never passed; the same shape."""
    low_reached: NDArray[np.float64]
    """The lowest differences that a way of judging was found for; ``low`` if that is exact."""
    high_reached: NDArray[np.float64]
    """The highest differences that a way of judging was found for."""
    queries: dict[str, str]
    """The texts of queries, by topic."""
    _relevant: Sequence[Sequence[Any]]
    _documents: Sequence[Any]

    def bounds(self, measure: str | Measure) -> str:
        """Whether some way of judging reaches each bound: "exact" if so, otherwise "outer"."""
        place = self._place(measure)
        gaps = (self.low_reached - self.low, self.high - self.high_reached)
        return "exact" if all((gap[place] <= EXACT).all() for gap in gaps) else "outer"

    def relevant(self, measure: str | Measure, topic: str | int) -> tuple[str, ...]:
        """The documents that are relevant where a topic's difference is lowest.

        That is with at least ``least_relevant[0]`` relevant documents; of documents in neither
        list there may be more.
        """
        row = finder("topic", self.topics)(topic)
        return tuple(name for name, _, _ in self._culprits(self._place(measure), row))

    def _place(self, measure: str | Measure) -> int:
        return finder("measure", self.measures)(str(as_single_measure(measure)))

    def _culprits(self, measure: int, row: int, end: int = 0) -> list[tuple[str, int, int]]:
        """The documents that are relevant at an end, with their ranks in both lists."""
        first, second = (documents[row] for documents in self._documents)
        ranks = self._relevant[measure][row][end]
        return [(first[a - 1] if a else second[b - 1], a, b) for a, b in ranks]

    def to_dict(self) -> dict[str, Any]:
        """Everything in JSON types; None for what is undefined."""
        rows = range(len(self.topics))
        return {
            "runs": list(self.runs),
            "bounds": {name: self.bounds(name) for name in self.measures},
            "k": list(self.k),
            "skipped": list(self.skipped),
            "mean": self._told(None),
            "topics": [{"topic": self.topics[row], **self._told(row)} for row in rows],
        }

    def _told(self, row: int | None) -> dict[str, Any]:
        """How alike the lists of a topic are, and how far apart; or of all topics on average."""
        alike = {
            name: _mean(values[:, 0]) if row is None else float(values[row, 0])
            for name, values in self.alike.items()
        }
        measures: dict[str, Any] = {}
        for i, name in enumerate(self.measures):
            parts = {n: getattr(self, n)[i] for n in _ENDS}
            ends = {n: part.mean(0) if row is None else part[row] for n, part in parts.items()}
            curve = [
                {n: float(values[j]) for n, values in ends.items()}
                for j in range(len(self.least_relevant))
            ]
            leasts = zip(self.least_relevant, curve, strict=True)
            points = [{"least_relevant": least, **point} for least, point in leasts]
            measures[name] = {**curve[0], "curve": points}
            if row is not None:
                culprits = (self._culprits(i, row, end) for end in (0, 1))
                first, second = ([document for document, _, _ in own] for own in culprits)
                measures[name] |= {"relevant": first, "relevant_if_high": second}
        alike = {name: finite(value) for name, value in _with_churn(alike).items()}
        return {**alike, "measures": measures}

    def table(self) -> DataTable:
        """A row for each topic, depth, measure and least number of relevant documents."""
        import numpy as np

        axes = self.topics, self.k, self.measures, self.least_relevant
        labels = [[row[axis] for row in product(*axes)] for axis in range(len(axes))]

        def spread(values: NDArray[Any]) -> list[Any]:
            found: list[Any] = np.broadcast_to(values, list(map(len, axes))).ravel().tolist()
            return found

        columns: dict[str, Data] = {"topic": (TEXT, labels[0]), "k": (COUNT, labels[1])}
        for name, values in _with_churn(self.alike).items():
            kind = COUNT if name in _COUNTS else FLAG if name in _FLAGS else SHARE
            if kind != SHARE:
                values = np.nan_to_num(values).astype(int if kind == COUNT else bool)
            columns[name] = kind, list(map(finite, spread(values[:, :, None, None])))
        columns |= {"measure": (TEXT, labels[2]), "least_relevant": (COUNT, labels[3])}
        for name in ("low", "low_reached", "high", "high_reached"):
            ends = getattr(self, name).transpose(1, 0, 2)[:, None]
            columns[name] = SHARE, spread(ends)
        return DataTable(columns)

    def headline(self) -> str:
        """The runs."""
        first, second = self.runs
        return f"<ListDiff: from {first} to {second}, no judgments>"

    _is_headed = False

    def _shown(
        self,
        form: str,
        digits: int | None,
        *,
        details: int = TOPICS,
        topics: Sequence[str] = (),
    ) -> list[Part]:
        """How alike the lists are, the bounds, and the topics in which most can be lost."""
        parts: list[Part] = [[*self._sentences(digits)], self._curve(digits)]
        parts.append(
            [
                "At most: exact where some way of judging reaches it. At risk: topics that can "
                f"change by more than {number(AT_RISK, digits=2)}. With R >= 1 one relevant "
                "document where the lists differ decides; with more, less can be lost."
            ]
        )
        risks = self._risks(details, topics, digits)
        return [*parts, risks] if risks.cells else parts

    def _sentences(self, digits: int | None) -> Iterable[str]:
        count = counted(len(self.topics), "topic")
        for place, k in enumerate(self.k):
            mean = {name: _mean(values[:, place]) for name, values in self.alike.items()}
            shares = ", ".join(
                f"{name.replace('_', ' ')} {100 * mean[name]:.3g}%" for name in _FLAGS
            )
            most = self.alike["moved_most"][:, place]
            known = [value for value in most.tolist() if not math.isnan(value)]
            texts = {name: number(mean[name], digits=digits) for name in _ALIKE}
            moved = "no document is in both"
            if known:
                moved = f"documents in both moved {max(known):.0f} ranks at most"
            lists = f"RBO({RBO_P:g}) {texts['rbo']}, " if place == 0 else ""
            yield (
                f"{count}, no judgments: overlap@{k} {texts['overlap']}, Jaccard "
                f"{texts['jaccard']}, {lists}tau_AP {texts['tau_ap']}, {shares}; {moved}."
            )
        if self.skipped:
            yield f"{counted(len(self.skipped), 'topic')} of one run only left out."

    def _curve(self, digits: int | None) -> Texts:
        """The most that the second run loses and gains, by the least R."""
        second = self.runs[1]
        leasts = [f"R >= {least}" for least in self.least_relevant]
        table = Texts(["measure", f"{second}, at most", "bound"], [*leasts, "at risk"])
        for i, name in enumerate(self.measures):
            for word, ends, sign in (("loses", self.low, -1), ("gains", self.high, 1)):
                means = (sign * ends[i].mean(0)).tolist()
                risk = int((sign * ends[i, :, 0] > AT_RISK).sum())
                texts = [number(value + 0.0, digits=digits) for value in means]
                table.cells.append((name, word, self.bounds(name), *texts, str(risk)))
        return table

    def _risks(self, details: int, topics: Sequence[str], digits: int | None) -> Texts:
        """The topics that can lose most in the first measure, with the documents that do it."""
        keys = ["topic", "query"] if self.queries else ["topic"]
        most = f"{self.measures[0]}, at lowest"
        table = Texts(keys, [f"overlap@{self.k[0]}", most, "if relevant are"])
        table.labels = 1
        low = self.low[0, :, 0].tolist()
        named = [finder("topic", self.topics)(topic) for topic in topics]
        falling = [row for row, value in enumerate(low) if value < -EXACT]
        rows = named or sorted(falling, key=lambda row: low[row])[:details]
        for row in rows:
            labels = (self.topics[row], short(self.queries.get(self.topics[row])))[: len(keys)]
            shared = number(float(self.alike["overlap"][row, 0]), digits=digits)
            found = [
                f"{name} ({a or UNDEFINED} to {b or UNDEFINED})"
                for name, a, b in self._culprits(0, row)
            ]
            told = ", ".join(found[:3]) + (f" and {len(found) - 3} more" if found[3:] else "")
            table.cells.append((*labels, shared, signed(low[row], digits), told))
        table.more = 0 if named else max(len(falling) - details, 0)
        return table


def _with_churn(alike: Mapping[str, Any]) -> dict[str, Any]:
    """The same with the proportion of documents that left."""
    return {"overlap": alike["overlap"], "churn": 1 - alike["overlap"], **alike}


def _mean(values: NDArray[np.float64]) -> float:
    known = [value for value in values.tolist() if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan


def of_lists(
    pair: list[Source],
    measures: MeasuresLike,
    options: dict[str, Any],
    *,
    k: int | Sequence[int] | None = None,
    least_relevant: int | Sequence[int] = LEAST,
    max_grade: float | None = None,
    queries: TextsLike = None,
    progress: ProgressLike = None,
) -> ListDiff:
    """Two runs without judgments; see ``diff``."""
    import numpy as np

    from cranfield._base.progress import Progress

    asked = as_measures(measures)
    built_in = [measure for measure in asked if isinstance(measure, Measure)]
    if len(built_in) < len(asked):
        message = "how judgments affect a Python function is not known: give the judgments"
        raise failure("bounds", message)
    for measure in built_in:
        if measure.aggregate in ("geometric", "pooled"):
            message = f"{measure} is not a mean over topics: its difference is not that of topics"
            raise failure("option", message)
    depths = (_depth(built_in),) if k is None else whole_numbers(k, "k")
    leasts = whole_numbers(least_relevant, "least_relevant")
    skips = options.get("missing") == "skip"
    core = compiled_with(Qrels({}), built_in, {**options, "undefined": "zero"}, hosted=True)
    with Progress(progress, pair) as report:
        runs = [source.for_core() for source in pair]
        how: dict[str, Any] = {"rbo_p": RBO_P, "max_grade": max_grade, "skips": skips}
        found = core.apart(runs, depths, leasts, report.call, **how)
    topics, skipped, documents, alike, ends = found
    order = sorted(range(len(topics)), key=lambda row: topic_key(topics[row]))
    values = np.stack([values for values, _ in ends])[:, order]
    return ListDiff(
        (pair[0].name, pair[1].name),
        tuple(topics[row] for row in order),
        skipped,
        tuple(map(str, built_in)),
        depths,
        leasts,
        {name: alike[order, :, i] for i, name in enumerate(_ALIKE)},
        values[..., 0],
        values[..., 2],
        values[..., 1],
        values[..., 3],
        as_texts(queries, set(topics), "queries", options.get("limits")),
        [[relevant[row] for row in order] for _, relevant in ends],
        [[lists[row] for row in order] for lists in documents],
    )


def _depth(measures: Sequence[Measure]) -> int:
    """Down to which rank lists are compared: the first cutoff of a measure, or else 10."""
    found = [re.search(r"@(\d+)$", str(measure)) for measure in measures]
    return next((int(cutoff[1]) for cutoff in found if cutoff), 10)
