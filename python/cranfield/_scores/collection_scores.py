"""The scores of runs on each of several collections."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from cranfield._base.errors import failure
from cranfield._base.options import checked, one_of
from cranfield._base.scores_like import ALL, VALUE, best_first
from cranfield._base.text import DIGITS, counted, rounded
from cranfield._core import Measure, OpaqueMeasure
from cranfield._measures.parse import one_measure
from cranfield._scores import formats, sections, signature
from cranfield._scores.groups import GroupsLike, ScoresByName, members
from cranfield._scores.scores import Scores
from cranfield._scores.sections import NUMBER, Section, Values
from cranfield._scores.uncertainty import MeanUncertainty
from cranfield._stats import stratified, votes
from cranfield._stats.intervals import METHODS, RESAMPLES, Interval
from cranfield._stats.registry import check_means, checked_test
from cranfield._stats.tiers import Tiers, of_tests
from cranfield._table import writers
from cranfield._table.data_table import SHARE, SUM, TEXT, DataTable, defined, in_bytes
from cranfield._table.result import for_people
from cranfield._table.tables import Part, Setting

T = TypeVar("T")
Floats: TypeAlias = NDArray[np.float64]


MEAN = "mean"
"""The column of the mean over collections."""

_COLUMNS = frozenset({"group", "topics", "measure", "run", "mean", "Borda"})
"""Columns of tables besides those of collections."""


class CollectionScores(ScoresByName["Scores"]):
    """The scores of runs on each of several collections, by name. Immutable.

    Made by ``Collections.evaluate``, or from {name: Scores} of any origin.
    Runs are the same if they have the same name; measures are those of all.
    """

    __slots__ = ("_measures", "_names", "_runs")

    _part = "collection"

    @checked
    def __init__(self, parts: Mapping[str, Scores]) -> None:
        if not parts:
            raise failure("empty", "expected at least one collection, found none")
        for name in parts:
            if name in _COLUMNS:
                message = f"tables have a column called {name}; give the collection another name"
                raise failure("label", message)
        first, *others = (scores.measures for scores in parts.values())
        for name, measures in zip(list(parts)[1:], others, strict=True):
            if measures != first:
                known, found = " ".join(first), " ".join(measures)
                message = f"the collection {name!r} has the measures {found}; expected {known}"
                raise failure("label", message)
        super().__init__(parts)
        self._measures: Sequence[Measure | OpaqueMeasure] = next(iter(parts.values())).core.measures
        self._names = first
        self._runs = tuple(dict.fromkeys(run for scores in parts.values() for run in scores.runs))

    @property
    def runs(self) -> tuple[str, ...]:
        """All runs, in the order in which they come first."""
        return self._runs

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures."""
        return self._names

    @property
    def measure_objects(self) -> Sequence[Measure | OpaqueMeasure]:
        """The measures as objects; for internal use only."""
        return self._measures

    def summary(self) -> Floats:
        """Each measure in its usual aggregate: float64, shape (collections, runs, measures).

        NaN where a collection lacks a run.
        """
        places = {run: place for place, run in enumerate(self._runs)}
        found = np.full((len(self._parts), len(self._runs), len(self._names)), np.nan)
        for placed, scores in zip(found, self._parts.values(), strict=True):
            placed[[places[run] for run in scores.runs]] = scores.summary()
        return found

    def mean(self) -> Floats:
        """The means of ``summary`` over collections: float64, shape (runs, measures).

        Each collection counts the same, however many topics it has. NaN for a
        run that a collection lacks.
        """
        return _means(self.summary())

    @checked
    def interval(
        self,
        *,
        level: float = 0.95,
        method: str = "percentile",
        resamples: int | None = None,
        seed: int = 0,
    ) -> Interval:
        """Confidence intervals of ``mean``, topics being the sample within each collection.

        Parameters
        ----------
        level
            The confidence, between 0 and 1.
        method
            "percentile" or "bca" of a stratified bootstrap: topics are drawn with
            replacement within each collection, the same for all runs and
            measures. Or "t": Student's, with the degrees of freedom of
            Satterthwaite (1946).
        resamples
            How often the topics are drawn; 10,000 times if not given.
        seed
            The seed of the draws.

        Returns
        -------
        Interval
            ``low`` and ``high``: float64, shape (runs, measures); NaN for what
            is not a mean over topics, for a run that a collection lacks, and
            where a collection has a single topic.

        Raises
        ------
        Error
            Kind "option" for a level, a method, a number of resamples or a
            seed that is not valid.

        """
        one_of("method", method, METHODS)
        kinds = [measure.aggregate for measure in self.measure_objects]
        chosen = [place for place, kind in enumerate(kinds) if kind == "mean"]
        shape = len(self.runs), len(kinds)
        low, high = np.full(shape, np.nan), np.full(shape, np.nan)
        draws = RESAMPLES if resamples is None else resamples
        counts = stratified.draws([len(s.topics) for s in self.values()], draws, seed)
        # A run at a time, so that few means are held.
        for run in self._common_runs():
            samples = [scores.values[scores.runs.index(run)][:, chosen] for scores in self.values()]
            if method == "t":
                ends = stratified.t_ends(samples, level)
            else:
                ends = stratified.bootstrap_ends(counts, samples, level, method)
            place = self.runs.index(run)
            low[place, chosen], high[place, chosen] = ends
        return Interval(low, high, level, method)

    @checked
    def tiers(
        self,
        measure: str | Measure | None = None,
        *,
        correction: str | None = None,
        alpha: float = 0.05,
        level: float = 0.95,
        resamples: int | None = None,
        seed: int = 0,
    ) -> Tiers:
        """Groups of runs that a paired test of ``mean`` cannot tell apart.

        Parameters
        ----------
        measure
            Not needed if there is one.
        correction, alpha
            As for ``Scores.tiers``. The test is the paired t test of the mean
            over collections: topics are the sample within each, and the degrees
            of freedom are those of Satterthwaite (1946). Of a single collection
            it is Student's.
        level, resamples, seed
            As for ``interval``, of rank intervals.

        Returns
        -------
        Tiers
            Of the runs that all collections have.

        Raises
        ------
        Error
            Kind "option" for a wrong option, for several measures if none is
            named, for a measure that is not a mean over topics; "undefined" for
            fewer than two runs that all collections have, and for a
            collection with fewer than two topics; "label" for a measure that is
            not there.

        """
        correction = checked_test("t", correction, alpha)
        column = one_measure(self.measures, measure)
        of = self.measure_objects[column]
        check_means([of])
        if of.aggregate != "mean":
            raise failure("option", f"{of} is a sum over topics, and the test is about means")
        runs = self._common_runs()
        if len(runs) < 2:
            found = counted(len(runs), "run")
            raise failure("undefined", f"a pair takes two runs of all collections, found {found}")
        samples = []
        for name, scores in self.items():
            values = scores.values[[scores.runs.index(run) for run in runs], :, column].T
            complete = values[~np.isnan(values).any(axis=1)]
            if len(complete) < 2:
                topics = counted(len(complete), "topic")
                message = f"the test needs at least 2 topics of each collection, found {topics}"
                raise failure("undefined", f"{message} of {name!r} that all runs have")
            samples.append(complete)
        first, second = np.triu_indices(len(runs), k=1)
        differences = [part[:, first] - part[:, second] for part in samples]
        draws = RESAMPLES if resamples is None else resamples
        counts = stratified.draws([len(part) for part in samples], draws, seed)
        sign = -1 if of.better == "lower" else 1
        means = self.mean()[[self.runs.index(run) for run in runs], column]
        return of_tests(
            *(self.measures[column], runs, means, np.stack([first, second], axis=1)),
            *(stratified.t_pvalues(differences), stratified.moments(differences)[0]),
            stratified.rank_ends(counts, [sign * part for part in samples], level),
            better=of.better,
            test="stratified t",
            correction=correction,
            alpha=alpha,
            level=level,
            resamples=draws,
            seed=seed,
            topics=sum(map(len, samples)),
        )

    def _common_runs(self) -> list[str]:
        """The runs that all collections have."""
        return [run for run in self.runs if all(run in scores.runs for scores in self.values())]

    def borda(self, measure: str | Measure | None = None) -> Floats:
        """Borda's count over collections: float64, shape (runs,).

        ``cranfield.stats.borda`` of the summaries in a measure, by its
        direction. Raises ``Error``: kind "option" for several measures if none
        is named, "label" for one that is not there.
        """
        values, better = self._votes(measure)
        return votes.borda(values, better=better)

    def copeland(self, measure: str | Measure | None = None) -> Floats:
        """Copeland's count over collections, otherwise as ``borda``."""
        values, better = self._votes(measure)
        return votes.copeland(values, better=better)

    def condorcet_winner(self, measure: str | Measure | None = None) -> str | None:
        """The run that beats each other one on more collections, if there is one; as ``borda``."""
        values, better = self._votes(measure)
        place = votes.condorcet_winner(values, better=better)
        return None if place is None else self.runs[place]

    def _votes(self, measure: str | Measure | None) -> tuple[Floats, str]:
        """The summaries in a measure, shape (runs, collections), and which are better."""
        place = one_measure(self.measures, measure)
        return self.summary()[:, :, place].T, self.measure_objects[place].better or "higher"

    def by_group(self, topic_groups: GroupsLike) -> dict[str, CollectionScores]:
        """The scores of each group of topics, on the collections that have any of its topics.

        Parameters
        ----------
        topic_groups
            As for ``Scores.by_group``. A topic that several collections have counts in each.

        Raises
        ------
        Error
            Kind "label" for a topic that no collection has; otherwise as ``Scores.by_group``.

        """
        every = dict.fromkeys(topic for scores in self.values() for topic in scores.topics)
        found = {}
        for group, topics in members(topic_groups, tuple(every)).items():
            wanted = set(topics)
            own = {n: [t for t in s.topics if t in wanted] for n, s in self.items()}
            found[group] = CollectionScores({n: self[n].sel(topic=t) for n, t in own.items() if t})
        return found

    @checked
    def each(self, function: Callable[[Scores], T]) -> dict[str, T]:
        """The result of a function for each collection's scores.

        ``each(lambda scores: meta.discriminative_power(scores, "t").power)``
        is a table with a column for each collection.
        """
        return {name: function(scores) for name, scores in self.items()}

    def table(self) -> DataTable:
        """The summaries: a row for each measure and run, a column for each collection."""
        found = self.to_dict()
        rows = [(measure, run) for measure in self.measures for run in self.runs]
        columns: dict[str, Any] = {
            "measure": (TEXT, [measure for measure, _ in rows]),
            "run": (TEXT, [run for _, run in rows]),
        }
        for name in (*self, MEAN):
            columns[name] = SHARE, [defined(found[measure][run][name]) for measure, run in rows]
        return DataTable(columns)

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """The summaries as {measure: {run: {collection: value}}}, the mean as "mean"."""
        cells = np.concatenate([self.summary(), self.mean()[None]])
        return {
            measure: {
                run: dict(zip((*self, MEAN), cells[:, row, column].tolist(), strict=True))
                for row, run in enumerate(self.runs)
            }
            for column, measure in enumerate(self.measures)
        }

    @checked
    def to_markdown(self, *, ci: bool = False, tiers: bool = False, digits: int = DIGITS) -> str:
        """The table in Markdown, as ``cranfield eval`` writes it of several collections.

        A row for each measure and run, best first by the mean in the first
        measure; a column for each collection, the mean and Borda's count. The
        best value of a column is bold and, of three or more, the second best in italics.

        Parameters
        ----------
        ci
            With the 95% interval of each mean, as ``interval`` has it.
        tiers
            With the tiers of each measure, and above each mean the runs that
            are significantly worse.
        digits
            How many decimals.

        Raises
        ------
        Error
            Kind "option" for digits below 0 or above 17; with tiers as ``tiers``.

        """
        return for_people(self, "markdown", digits, ci=ci, tiers=tiers)

    @checked
    def to_latex(
        self,
        *,
        ci: bool = False,
        tiers: bool = False,
        digits: int = DIGITS,
        caption: str | None = None,
        label: str = "tab:collections",
    ) -> str:
        """The same as a table in LaTeX that floats; it needs the package booktabs.

        ``caption`` is text, in which special characters are escaped; not
        given, it says what the table shows. The second best is underlined.
        """
        setting = Setting(caption=caption, label=label)
        return for_people(self, "latex", digits, setting, ci=ci, tiers=tiers)

    def _shown(
        self, form: str, digits: int | None, *, ci: bool = False, tiers: bool = False
    ) -> list[Part]:
        block = block_of(self, 0, {} if ci else None, {} if tiers else None)
        return shown([block], form, digits)

    def _about(self) -> str:
        axes = f"{counted(len(self), 'collection')}, {counted(len(self.runs), 'run')}"
        return f"{axes}; summary"


@dataclass(frozen=True)
class Block:
    """The scores on several collections, of all topics or of a group of them."""

    found: CollectionScores
    summary: Floats
    """Shape (collections, runs, measures)."""
    order: Sequence[int]
    """The places of the runs, as they are shown."""
    uncertainty: MeanUncertainty
    group: str = ALL


def block_of(
    found: CollectionScores,
    key: int | None,
    ci: Mapping[str, Any] | None = None,
    tiers: Mapping[str, Any] | None = None,
    group: str = ALL,
) -> Block:
    """The runs, best first in a measure or as they are; options as for ``Uncertainty``."""
    measures, summary = found.measure_objects, found.summary()
    places: Sequence[int] = range(len(found.runs))
    if key is not None:
        places = best_first(_means(summary)[:, key].tolist(), measures[key])
    uncertainty = MeanUncertainty(found, measures, ci, tiers, part=group != ALL)
    return Block(found, summary, places, uncertainty, group)


def _means(summary: Floats) -> Floats:
    """The means over collections, shape (runs, measures)."""
    means: Floats = summary.sum(axis=0) / len(summary)
    return means


def _sections(blocks: Sequence[Block], digits: int | None) -> list[Section]:
    """The runs of each block in each measure; a group may lack collections."""
    collections = tuple(blocks[-1].found._parts)
    return [
        _section(block, place, collections, digits)
        for block in blocks
        for place in range(len(block.found.measures))
    ]


def _section(block: Block, place: int, collections: Sequence[str], digits: int | None) -> Section:
    """The runs in a measure, with columns for each collection, the mean and Borda's count."""
    found, order = block.found, list(block.order)
    measure = found.measure_objects[place]
    topics = str(sum(len(scores.topics) for scores in found._parts.values()))
    head = {"group": block.group, "topics": topics, "measure": found.measures[place]}
    labels = [
        {**head, NUMBER: str(number), "run": found.runs[run]} for number, run in enumerate(order, 1)
    ]
    values = block.summary[:, order, place]
    summary = dict(zip(found._parts, values.tolist(), strict=True))
    # Sums over topics are whole, as is Borda's count.
    is_sum = measure.aggregate == "sum"
    blank = [math.nan] * len(order)
    columns = {
        name: Values(
            parts={VALUE: summary.get(name, blank)}, better=measure.better, is_count=is_sum
        )
        for name in collections
    }
    columns[MEAN] = Values(
        parts={VALUE: _means(values[:, :, None])[:, 0].tolist()},
        better=measure.better,
        is_count=is_sum,
        beside=block.uncertainty.beside(place, order, digits, MEAN),
        raised=block.uncertainty.raised(place, order, order),
    )
    # It follows from the values, so that none of it is marked.
    counts = votes.borda(values.T, better=measure.better or "higher").tolist()
    columns["Borda"] = Values(parts={VALUE: counts}, better=None, is_count=True, kind=SUM)
    return Section(labels=labels, columns=columns, summaries=range(len(order)))


def _keys(blocks: Sequence[Block]) -> list[str]:
    """What the columns of labels are called."""
    grouped, several = len(blocks) > 1, len(blocks[-1].found.measures) > 1
    return [*(("group", "topics") if grouped else ()), *(("measure",) if several else ()), "run"]


def shown(blocks: Sequence[Block], form: str, digits: int | None) -> list[Part]:
    """The table in a printed form, and sentences that explain it.

    Several blocks are groups of topics, and last all topics.
    """
    parts = blocks[-1].found._parts
    by_group = " by group of topics" if len(blocks) > 1 else ""
    return formats.printed(
        *(_sections(blocks, digits), _keys(blocks), form, digits),
        caption=f"Scores on {', '.join(parts)}, and their mean{by_group}.",
        uncertainty=blocks[-1].uncertainty,
        signed=lambda: signature.lines_of(
            {name: scores.signature for name, scores in parts.items()}, "collection"
        ),
    )


_LABEL = "tab:collections"
"""The label of the table in LaTeX."""


def written(
    blocks: Sequence[Block], form: str, *, digits: int | None = None, width: int | None = None
) -> bytes:
    """The scores in any format; ``width`` is that of the terminal that shows a table."""
    if form == "json":
        return writers.encoded(_json(blocks, digits))
    if form in writers.PEOPLE:
        return writers.in_bytes(shown(blocks, form, digits), form, Setting(width, label=_LABEL))
    columns = sections.data(_sections(blocks, None), _keys(blocks), digits)
    return in_bytes(columns, form)


def _json(blocks: Sequence[Block], digits: int | None) -> str:
    whole = blocks[-1].found
    groups = [
        {
            "group": block.group,
            "topics": {name: list(scores.topics) for name, scores in block.found.items()},
            "measures": _measures(block, digits),
        }
        for block in blocks[:-1]
    ]
    content = {
        "collections": list(whole),
        **({"groups": groups} if groups else {}),
        "measures": _measures(blocks[-1], digits),
    }
    return writers.in_json(content)


def _measures(block: Block, digits: int | None) -> dict[str, list[dict[str, Any]]]:
    """The runs in each measure."""
    found, uncertainty = block.found, block.uncertainty
    measures: dict[str, list[dict[str, Any]]] = {}
    for column, (measure, runs) in enumerate(found.to_dict().items()):
        points = found.borda(measure).tolist()
        measures[measure] = rows = []
        for run in block.order:
            name = found.runs[run]
            values = map(defined, rounded(list(runs[name].values()), digits))
            own = dict(zip(runs[name], values, strict=True))
            mean = own.pop(MEAN)
            entry = {"run": name, "collections": own, "mean": mean, "borda": points[run]}
            rows.append(entry | uncertainty.of(run, column, digits))
    return measures
