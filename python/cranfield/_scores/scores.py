"""The scores of runs, topics and measures, with the labels of the axes."""

from __future__ import annotations

from collections.abc import Iterable

from cranfield import _core
from cranfield._base.errors import failure, shown
from cranfield._base.options import checked, finder, several, text, whole, wrong
from cranfield._base.scores_like import VALUE, ScoresKind, best_first
from cranfield._core import Notes
from cranfield._measures.parse import measure_place, measure_values, selected
from cranfield._scores.score_result import ScoreResult

TYPE_CHECKING = bool()
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, overload

    import numpy as np
    from numpy.typing import NDArray

    from cranfield._measures.parse import MeasureLike, MeasuresLike
    from cranfield._plot.charts import ScoresPlot
    from cranfield._scores.comparison import Comparison
    from cranfield._scores.groups import Groups, GroupsLike
    from cranfield._scores.signature import Origin, Signature
    from cranfield._stats.intervals import Interval
    from cranfield._stats.tiers import Tiers


class Scores(ScoresKind, ScoreResult):
    """Values of every run, topic and measure.

    Made by ``evaluate``; of values from elsewhere by ``from_records`` and
    ``cranfield.read_scores``.

    Immutable. Undefined scores, and topics that a run lacks, are NaN where
    the options ``undefined="skip"`` and ``missing="skip"`` asked for it.
    """

    __slots__ = ("_arranged", "_find_run", "_origin", "_runs", "_topics", "_values", "core")

    def __init__(
        self, core: _core.Scores, origin: Origin | str | None = None, arranged: bool = False
    ) -> None:
        if not isinstance(core, _core.Scores):
            raise failure("type", f"Scores are made by evaluate, not of {shown(core)}")
        self.core = core
        """The core's object; for internal use only."""
        self._origin = origin
        # Made when they are first asked for: there may be thousands of labels.
        self._runs: tuple[str, ...] | None = None
        self._topics: tuple[str, ...] | None = None
        self._find_run: Callable[[object], int] | None = None
        self._values: NDArray[np.float64] | None = None
        self._arranged = arranged
        """Whether the order of the runs was asked for, so that tables keep it."""

    @staticmethod
    def from_records(
        records: Any, *, better: str | Mapping[str, str | None] | None = None
    ) -> Scores:
        """Scores from any evaluator, one record per value.

        Parameters
        ----------
        records
            Tuples (run, topic, measure, value); named tuples, dicts or a table
            (pandas, polars, Arrow) with columns of these names, as ir_measures,
            trec_eval and ``to_arrow`` call them; also a table with run, topic
            and a column for each measure. Topics are text or integers.
        better
            Which values of other tools' measures are better: "higher"
            or "lower"; or {measure: direction} for any measure. Default:
            unknown.

        Returns
        -------
        Scores
            Measures keep their labels, and are looked up by them; a label that names
            a measure of cranfield has its direction. Topics are in byte order,
            everything else is in the order of the records. Values that no record has,
            or that are None, are NaN. Records of the topic ``all`` are summaries
            and are left out.

        Raises
        ------
        Error
            Kind "type" for what are not records; "number" for a value that is
            no number or infinite; "duplicate" for a value that comes twice;
            "empty" for no scores of topics; "label" and "option" for a
            direction of a measure that is not there, or for an unknown one.

        """
        from cranfield._scores.records import from_records

        return Scores(*from_records(records, better=better))

    @staticmethod
    def concat(scores: Iterable[Scores], *, axis: str = "run") -> Scores:
        """Joining several scores to one.

        Parameters
        ----------
        scores
            Their labels differ on the axis, and are the same on the others,
            in any order.
        axis
            "run", "topic" or "measure".

        Returns
        -------
        Scores
            Labels in the order given; topics always in byte order.

        Raises
        ------
        Error
            Kind "option" for scores that were made with different judgments
            or options, as far as their ``fingerprint`` says; "label" for
            labels that are not the same; "duplicate" for one that comes twice;
            "empty" for no scores, "type" for other objects.

        """
        from cranfield._scores.joining import concat

        if not isinstance(scores, Scores):
            scores = several(scores, "scores")
        axis = text(axis, "axis")

        return Scores(*concat(scores, axis))

    @property
    def fingerprint(self) -> str | None:
        """A hash of the judgments and options that the scores were computed with.

        It is kept in pickles, JSON, Arrow and Parquet. None for scores
        from other sources.
        """
        return None if self._origin is None else str(self._origin)

    @property
    def signature(self) -> Signature | None:
        """What the scores were computed with, on one line; None for scores from other sources.

        It names the measures, a hash of the judgments, the topics, every option that can change
        a value, and the version; ``cranfield eval --signature`` repeats the numbers.
        """
        from cranfield._scores.signature import signature_of

        return signature_of(self, self._origin)

    @property
    def better(self) -> dict[str, str | None]:
        """Which values of each measure are better: "higher" or "lower".

        None for a measure that does not say how good a run is, or if it is unknown.
        """
        return {str(measure): measure.better for measure in self.core.measures}

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs: the labels of the first axis."""
        if self._runs is None:
            self._runs = self.core.runs
        return self._runs

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics of the qrels, in byte order: the second axis."""
        if self._topics is None:
            self._topics = self.core.topics
        return self._topics

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures in canonical spelling: the third axis."""
        return tuple(map(str, self.core.measures))

    @property
    def values(self) -> NDArray[np.float64]:
        """All scores: float64, read-only, shape (runs, topics, measures)."""
        if self._values is None:
            values = self.core.values()
            values.flags.writeable = False
            self._values = values
        return self._values

    def mean(self) -> NDArray[np.float64]:
        """Arithmetic means over topics: float64, shape (runs, measures).

        A NaN is left out of its mean; a mean of nothing is NaN.
        """
        return self._matrix(self.core.mean())

    def summary(self) -> NDArray[np.float64]:
        """The summary of each measure over topics: float64, shape (runs, measures).

        Counts are summed, GMAP is a geometric mean, micro_P and similar measures are a
        proportion over all topics together, all others are means.
        """
        return self._matrix(self.core.summary())

    @property
    def means(self) -> dict[str, dict[str, float]]:
        """The numbers of the printed table, in its order: {run: {measure: value}}.

        Aggregated as in ``summary``: means, except for counts, which are summed, GMAP, micro_P
        and similar measures. The best run comes first, unless another order was requested. NaN
        if no value is defined.
        """
        rows = self.core.summary()
        return {self.runs[i]: dict(zip(self.measures, rows[i], strict=True)) for i in self.order()}

    @checked
    def std(self, *, ddof: int = 1) -> NDArray[np.float64]:
        """Standard deviations over topics: float64, shape (runs, measures).

        The sum of squared deviations is divided by the number of topics minus
        ``ddof``: 1 for the sample standard deviation, which intervals and effect sizes also
        use, 0 for that of these topics alone. NaN values are left out; NaN if at most ``ddof``
        topics have a value.
        """
        import numpy as np

        known = ~np.isnan(self.values)
        deviations = np.where(known, self.values - self.mean()[:, None, :], 0.0)
        divisors = known.sum(axis=1) - ddof
        variances = (deviations**2).sum(axis=1) / np.where(divisors > 0, divisors, np.nan)
        found: NDArray[np.float64] = np.sqrt(variances)
        return found

    @property
    def notes(self) -> dict[str, Notes]:
        """What evaluation skipped or decided, by name of the run."""
        return {note.run: note for note in self.core.notes}

    @property
    def plot(self) -> ScoresPlot:
        """Plots with matplotlib: ``topics``, ``differences``, ``heatmap`` and ``forest``."""
        from cranfield._plot.charts import ScoresPlot

        return ScoresPlot(self)

    __iter__ = None

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: str) -> Scores: ...
        @overload
        def __getitem__(self, key: tuple[str, MeasureLike]) -> NDArray[np.float64]: ...

    def __getitem__(self, key: Any) -> Any:
        """[run, measure]: the scores of a run in a measure, float64, shape (topics,).

        Any accepted spelling of a measure finds its column. [run] is the
        ``Scores`` of that run alone. Raises ``LabelError`` for a run or a
        measure that is not there, ``TypeError`` for any other kind of key.
        """
        if isinstance(key, str):
            return self.sel(run=key)
        if not isinstance(key, tuple) or len(key) != 2:
            raise TypeError(
                "[run, measure] takes a run and a measure, [run] a run; "
                "sel(run=, topic=, measure=) selects along any axis"
            )
        run, measure = key
        if self._find_run is None:
            self._find_run = finder("run", self.runs)
        return self.values[self._find_run(run), :, measure_place(self.measures, measure)]

    def sel(
        self,
        *,
        run: str | Iterable[str] | None = None,
        topic: str | int | Iterable[str | int] | None = None,
        measure: MeasuresLike = None,
    ) -> Scores:
        """The scores of some runs, topics or measures.

        Each axis takes a label or several, which come in the order given,
        without duplicates; an axis that is not named stays whole. Raises
        ``LabelError`` for a label that is not there.
        """
        return self.at(*selected(self, run, topic, measure), arranged=run is not None)

    def sort(self, by: MeasureLike | None = None) -> Scores:
        """The same with the best run first.

        By the summary in a measure, in its own direction: the lowest first
        where lower is better, the highest where neither end is. Equal runs stay
        as they are, and undefined ones come last.

        Parameters
        ----------
        by
            The measure; the first if not given.

        Raises
        ------
        LabelError
            For a measure that is not there.

        """
        return self.of_runs(self.best_first(by))

    @checked
    def top(self, runs: int, by: MeasureLike | None = None) -> Scores:
        """The best runs, as ``sort`` orders them; all if there are fewer.

        Raises ``Error``: kind "option" for fewer than one run, "label" for a
        measure that is not there.
        """
        return self.of_runs(self.best_first(by)[: whole(runs, "runs", least=1)])

    @checked
    def at(
        self, runs: list[int], topics: list[int], measures: list[int], *, arranged: bool
    ) -> Scores:
        """The scores at places of each axis; for internal use only.

        ``arranged``: this order of the runs was asked for.
        """
        axes = (runs, "runs", self.runs), (topics, "topics", self.topics)
        for places, name, labels in (*axes, (measures, "measures", self.measures)):
            if not all(0 <= place < len(labels) for place in places):
                raise wrong(name, f"places below {len(labels)}", places)
        chosen = self.core.select(runs, topics, measures)
        return Scores(chosen, self._origin, arranged or self._arranged)

    @checked
    def of_runs(self, places: list[int]) -> Scores:
        """The runs at places, in an order that was asked for; for internal use only."""
        topics, measures = (list(range(len(axis))) for axis in (self.topics, self.measures))
        return self.at(places, topics, measures, arranged=True)

    def best_first(self, by: MeasureLike | None = None) -> list[int]:
        """The places of the runs, as ``sort`` orders them; for internal use only."""
        if by is None and not self.measures:
            return list(range(len(self.runs)))
        place = 0 if by is None else measure_place(self.measures, by)
        return best_first([row[place] for row in self.core.summary()], self.core.measures[place])

    def order(self) -> list[int]:
        """The places of the runs in tables; for internal use only.

        Best first by the first measure, if no order was asked for.
        """
        return list(range(len(self.runs))) if self._arranged else self.best_first()

    @checked
    def interval(
        self,
        *,
        level: float = 0.95,
        method: str = "t",
        resamples: int | None = None,
        seed: int = 0,
        threads: int | None = None,
    ) -> Interval:
        """Confidence intervals of the means over topics, topics being the sample.

        Confidence intervals of each run's mean. Overlapping intervals do not
        rule out a significant paired difference, since both runs have the same topics:
        ``compare`` tests differences.

        Parameters
        ----------
        level, method, resamples, seed, threads
            As for ``cranfield.stats.mean_interval``.

        Returns
        -------
        Interval
            ``low`` and ``high``: float64, shape (runs, measures). NaN for what
            is not a mean over topics (counts, GMAP, micro_P) and for a run with a
            value on fewer than two topics.

        Raises
        ------
        Error
            As ``mean_interval``, but not for few topics or NaN.

        """
        from cranfield._stats.intervals import RESAMPLES, of_scores

        draws = RESAMPLES if resamples is None else resamples
        return of_scores(
            self, level=level, method=method, resamples=draws, seed=seed, threads=threads
        )

    @checked
    def tiers(
        self,
        measure: MeasureLike | None = None,
        *,
        test: str = "t",
        correction: str | None = None,
        alpha: float = 0.05,
        level: float = 0.95,
        resamples: int | None = None,
        seed: int = 0,
        threads: int | None = None,
    ) -> Tiers:
        """Groups of runs that a paired test cannot tell apart.

        Parameters
        ----------
        measure
            Not needed if there is one.
        test, correction, alpha
            As for ``cranfield.compare``, of all pairs of runs.
        level
            The proportion of resampled topics in which a run's rank lies in its
            rank interval.
        resamples, seed, threads
            As for ``cranfield.stats.rank_interval``; also those of a test that
            draws.

        Returns
        -------
        Tiers
            ``runs`` (best first), ``letters`` and ``groups``, and more.

        Raises
        ------
        Error
            Kind "option" for a wrong option, for several measures if none is
            named, for a geometric or a pooled mean; "undefined" for
            fewer than two runs and for fewer topics than the test needs;
            "label" for a measure that is not there.

        """
        from cranfield._stats.tiers import tiers

        return tiers(
            self,
            measure,
            test=test,
            correction=correction,
            alpha=alpha,
            level=level,
            resamples=resamples,
            seed=seed,
            threads=threads,
        )

    @checked
    def compare(
        self,
        measures: MeasuresLike = None,
        *,
        baseline: str | int | Sequence[str | int] | None = None,
        test: str = "t",
        correction: str | None = None,
        alpha: float = 0.05,
        alternative: str = "two-sided",
        level: float = 0.95,
        effect: str = "dz",
        resamples: int | None = None,
        seed: int | None = None,
        margin: float | Mapping[str, float] | None = None,
        power: float = 0.8,
        all_pairs: bool = False,
        threads: int | None = None,
    ) -> Comparison:
        """Compares the runs: differences of means, and their tests.

        As ``cranfield.compare`` with the same arguments, without what needs
        rankings and judgments: the proportion of judged documents and the bounds.
        ``measures`` not given: all that are means over topics.
        """
        from cranfield._scores.comparing import HowToTest, compare_scores

        chosen = self if measures is None else self.sel(measure=measures)
        if not chosen.measures:
            raise failure("option", "expected at least one measure, found none")
        return compare_scores(
            chosen,
            HowToTest(
                *(test, alternative, correction, alpha, level, effect, resamples, seed),
                *(margin, power),
            ),
            every=measures is not None,
            baseline=baseline,
            all_pairs=all_pairs,
            threads=threads,
        )

    def by_group(self, topic_groups: GroupsLike) -> Groups[Scores]:
        """The scores of each group of topics.

        Parameters
        ----------
        topic_groups
            The path of a file with lines ``topic group``, {topic: group or
            several}, or pairs (topic, group). A topic may be in several
            groups; topics without a group are left out.

        Returns
        -------
        Groups
            A mapping from groups, in the order given, to ``Scores``.

        Raises
        ------
        Error
            Kind "label" for a topic that is not there; "duplicate" for one that
            is in a group twice; "fields", "type", "empty" or "missing" for
            what are not groups.

        """
        from cranfield._scores.groups import Groups, members

        found = members(topic_groups, self.topics)
        return Groups({group: self.sel(topic=topics) for group, topics in found.items()})

    def by_topic(self, measure: MeasureLike | None = None) -> dict[str, dict[str, float]]:
        """The scores in a measure as {topic: {run: value}}.

        Raises ``Error``: kind "option" for several measures if none is named,
        "label" for one that is not there.
        """
        runs, _, values = measure_values(self, measure)
        rows = values.T.tolist()
        return {
            topic: dict(zip(runs, row, strict=True))
            for topic, row in zip(self.topics, rows, strict=True)
        }

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """The scores as {run: {topic: {measure: value}}}."""
        return self.core.to_dict()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The long table as an Arrow stream."""
        # A requested schema may be ignored, as the protocol allows.
        from cranfield._scores.formats import metadata

        return self.core.arrow_stream(metadata(self))

    def __reduce__(self) -> tuple[type[Scores], tuple[_core.Scores, str | None, bool]]:
        return Scores, (self.core, self.fingerprint, self._arranged)

    _cells = "summary"

    def _parts(self) -> Mapping[str, Scores]:
        return {VALUE: self}

    def _matrix(self, rows: list[list[float]]) -> NDArray[np.float64]:
        import numpy as np

        shape = len(self.runs), len(self.measures)
        return np.array(rows, dtype=np.float64).reshape(shape)
