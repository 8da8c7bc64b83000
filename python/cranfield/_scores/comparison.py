"""Differences between runs, with their tests: the result, its tables and the sentences below."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import asdict, fields, replace
from typing import Any, TypeAlias

from cranfield._base.errors import failure, label_failure
from cranfield._base.options import checked
from cranfield._base.scores_like import turn
from cranfield._base.text import DIGITS, UNDEFINED, counted, numbers, pvalue
from cranfield._core import Measure, Notes
from cranfield._measures.parse import measure_place
from cranfield._scores.signature import Signature
from cranfield._stats.differences import Difference
from cranfield._stats.registry import of_zeros
from cranfield._table.data_table import COUNT, FLAG, PVALUE, SHARE, TEXT, DataTable, finite
from cranfield._table.result import Result, for_people
from cranfield._table.tables import BEST_SIGN, Heading, Part, Setting, Signed, Texts, marked

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cranfield._plot.charts import ComparisonPlot

Floats: TypeAlias = "NDArray[np.float64]"

_DECIMALS = (
    *("mean", "other_mean", "difference", "interval_low", "interval_high"),
    *("judged", "other_judged", "mde"),
)
"""The fields of a row that have as many decimals as asked for."""

_OF_SCORES = (
    *(*_DECIMALS, "lowest", "highest", "other_lowest", "other_highest"),
    *("difference_lowest", "difference_highest"),
)
"""The fields of a row that are scores, or differences of these."""


class Comparison(Result):
    """Differences between runs, with their tests; made by ``compare``. Immutable."""

    __slots__ = (
        *("_arranged", "_better", "_choice", "_notes", "_options", "_pairs", "_rows", "_runs"),
        *("_sentence", "signature"),
    )

    @checked
    def __init__(
        self,
        rows: Sequence[Difference],
        runs: Sequence[str],
        options: Mapping[str, Any],
        sentence: str,
        notes: Mapping[str, Notes],
        better: Mapping[str, str | None],
        signature: Signature | None = None,
    ) -> None:
        self._rows = tuple(rows)
        self._pairs = len(rows) // max(len(better), 1)
        """How many comparisons were made in each measure, of which rows may be a part."""
        self._choice = ""
        """Which of the runs are shown, in a sentence."""
        self._arranged = False
        """Whether the order of the rows was asked for, so that tables keep it."""
        self._runs = tuple(runs)
        self._options = dict(options)
        self._sentence = sentence
        self._notes = dict(notes)
        self._better = dict(better)
        self.signature = signature
        """What was compared, with which judgments, options and test; None if unknown."""

    @property
    def rows(self) -> tuple[Difference, ...]:
        """All comparisons, measure by measure."""
        return self._rows

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs, the baseline first."""
        return self._runs

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures in canonical spelling."""
        return tuple(dict.fromkeys(row.measure for row in self.rows))

    @property
    def baseline(self) -> str | None:
        """The run that all others are compared with; None for all pairs, and for several."""
        return self.baselines[0] if len(self.baselines) == 1 else None

    @property
    def baselines(self) -> tuple[str, ...]:
        """The runs that all others are compared with; none for all pairs."""
        found: str | Sequence[str] | None = self._options["baseline"]
        return (found,) if isinstance(found, str) else tuple(found or ())

    @property
    def options(self) -> dict[str, Any]:
        """How it was tested.

        baseline (several are a list), test, alternative, correction, alpha, level, effect,
        resamples and seed (None for a test that draws nothing), margin (by measure, or None) and
        power; with systems of several runs also systems: of each the number of runs, and by
        measure the variance of their means and their residual variance with topics.
        """
        return dict(self._options)

    @property
    def better(self) -> dict[str, str | None]:
        """Which values of each measure are better: "higher", "lower" or None for neither."""
        return dict(self._better)

    @property
    def plot(self) -> ComparisonPlot:
        """Plots with matplotlib: ``forest``."""
        from cranfield._plot.charts import ComparisonPlot

        return ComparisonPlot(self)

    @property
    def methods(self) -> str:
        """The sentence for the methods section of a paper."""
        return self._sentence

    @property
    def zeros(self) -> list[str]:
        """A sentence for each run that scores 0 on every topic, such as an empty run."""
        means: dict[str, list[float]] = {run: [] for run in self.runs}
        for row in self.rows:
            if self.better[row.measure] == "higher":
                means[row.run].append(row.mean)
                means[row.other].append(row.other_mean)
        return of_zeros(means, self._notes)

    @property
    def notes(self) -> dict[str, Notes]:
        """What evaluation skipped or decided, by name of the run."""
        return dict(self._notes)

    @checked
    def sort(self, by: str | Measure = "mean") -> Comparison:
        """The same with rows in another order, within each measure.

        Parameters
        ----------
        by
            "mean": the best run first; "difference": the run first that is
            better than the other by most; "effect", the same by effect size;
            "p": the surest first; or a measure: the best run in this one
            first, in all measures.

        Raises
        ------
        LabelError
            For a measure that was not compared.

        """
        rows: list[Difference] = []
        for measure in self.measures:
            own = [row for row in self.rows if row.measure == measure]
            rows += sorted(own, key=self._order(by, measure))
        return self._with(rows, self._choice, arranged=True)

    @checked
    def top(self, runs: int, by: str | Measure | None = None) -> Comparison:
        """The comparisons among the best runs, and of these with the baseline.

        Tests and corrections stay those of all runs, since these were chosen
        by their scores.

        Parameters
        ----------
        runs
            How many, the baseline not counted.
        by
            The measure by whose mean they are the best; the first if not given.

        Raises
        ------
        Error
            Kind "option" for fewer than one run, or than two where all pairs
            were compared; ``LabelError`` for a measure that was not compared.

        """
        least = 1 if self.baselines else 2
        if runs < least:
            message = f"expected at least {counted(least, 'run')}, found {runs}"
            if least == 2:
                message += ": a single run of all pairs is compared with none"
            raise failure("option", message)
        place = 0 if by is None else measure_place(self.measures, by)
        ranks = self._ranks(self.measures[place])
        best = [run for run in ranks if run not in self.baselines]
        chosen = {*best[:runs], *self.baselines}
        rows = [row for row in self.rows if row.run in chosen and row.other in chosen]
        if len(best) <= runs:
            return self
        number = "best run is" if runs == 1 else f"{runs} best runs are"
        shown = f"Of {len(best)} runs the {number} shown, by {self.measures[place]}."
        return self._with(rows, shown, arranged=self._arranged)

    def _with(self, rows: Sequence[Difference], choice: str, *, arranged: bool) -> Comparison:
        """The same with other rows."""
        names = {name for row in rows for name in (row.run, row.other)}
        found = copy(self)
        found._rows, found._choice, found._arranged = tuple(rows), choice, arranged
        found._runs = tuple(run for run in self._runs if run in names)
        found._notes = {run: note for run, note in self._notes.items() if run in names}
        return found

    @checked
    def rounded(self, digits: int) -> Comparison:
        """The same with fewer decimals of means and differences; for internal use only."""

        def short(value: float | None) -> Any:
            return None if value is None else round(value, digits)

        rows = [
            replace(row, **{name: short(getattr(row, name)) for name in _OF_SCORES})
            for row in self.rows
        ]
        return self._with(rows, self._choice, arranged=self._arranged)

    def _of_measure(self, measure: str) -> list[Difference]:
        """The rows of a measure in tables: the best run first, if no order was asked for."""
        own = [row for row in self.rows if row.measure == measure]
        return own if self._arranged else sorted(own, key=self._order("mean", measure))

    @property
    def corrected(self) -> bool:
        """Whether p-values are corrected for several comparisons; for internal use only."""
        return self._pairs > 1 and self._options["correction"] != "none"

    def _ranks(self, measure: str) -> dict[str, int]:
        """The places of the runs, best first, by their means in a measure."""
        means: dict[str, float] = {}
        for row in self.rows:
            if row.measure == measure:
                means.setdefault(row.run, row.mean)
                means.setdefault(row.other, row.other_mean)
        turned = turn(self._better[measure])
        ordered = sorted(means, key=lambda run: (math.isnan(means[run]), -turned * means[run]))
        return {run: place for place, run in enumerate(ordered)}

    def _order(self, by: str | Measure, measure: str) -> Callable[[Difference], Any]:
        """What rows of a measure are sorted by."""
        if by == "p":
            return lambda row: (row.p_corrected, row.p)
        if by in ("difference", "effect"):
            turned = turn(self._better[measure])
            name = "difference" if by == "difference" else "effect_size"
            return lambda row: -turned * (getattr(row, name) or 0.0)
        of = measure if by == "mean" else self.measures[measure_place(self.measures, by)]
        ranks = self._ranks(of)
        return lambda row: (ranks[row.run], ranks[row.other])

    def __len__(self) -> int:
        return len(self.rows)

    __iter__ = None

    def __getitem__(self, key: tuple[str | Measure, ...]) -> Difference:
        """The row of [run, measure] against the baseline, or of [run, other, measure].

        Raises ``LabelError`` for what was not compared, ``TypeError`` for any
        other kind of key.
        """
        size = 2 if self.baseline is not None else 3
        if not isinstance(key, tuple) or len(key) not in (size, 3):
            labels = "run, measure" if size == 2 else "run, other, measure"
            raise TypeError(f"[{labels}] says which comparison")
        *pair, label = key
        run, other = map(str, pair if len(pair) == 2 else (*pair, self.baseline))
        measure = self.measures[measure_place(self.measures, label)]
        of_measure = {(row.run, row.other): row for row in self.rows if row.measure == measure}
        if (run, other) in of_measure:
            return of_measure[run, other]
        for name in (run, other):
            if name not in self.runs:
                raise label_failure("run", name, self.runs)
        pairs = [f"{first}, {second}" for first, second in of_measure]
        raise label_failure("comparison", f"{run}, {other}", pairs)

    def to_dict(self) -> dict[str, list[Any]]:
        """The fields of the rows as columns, {name: list}."""
        names = [field.name for field in fields(Difference)]
        return {name: [getattr(row, name) for row in self.rows] for name in names}

    def table(self) -> DataTable:
        """A row for each comparison; the columns are the fields of ``Difference``."""
        kinds = {"str": TEXT, "int": COUNT, "bool": FLAG, "float": SHARE}
        types = {field.name: str(field.type).partition(" ")[0] for field in fields(Difference)}
        of_fields = {name: PVALUE if name in _OF_TYPE_P else kinds[types[name]] for name in types}
        return DataTable({name: (of_fields[name], v) for name, v in self.to_dict().items()})

    @checked
    def to_markdown(self, *, bounds: bool = False, digits: int = DIGITS) -> str:
        """Tables and sentences in Markdown, as ``cranfield compare`` writes them.

        The best mean is bold and, of three or more, the second best in italics.

        Parameters
        ----------
        bounds
            Always show whether missing judgments could reverse a difference.
        digits
            How many decimals means and differences have.

        Raises
        ------
        Error
            Kind "option" for digits below 0 or above 17.

        """
        return for_people(self, "markdown", digits, bounds=bounds)

    @checked
    def to_latex(
        self,
        *,
        bounds: bool = False,
        digits: int = DIGITS,
        caption: str | None = None,
        label: str = "tab:compare",
    ) -> str:
        """The same in LaTeX: a table that floats for each measure; needs the package booktabs.

        ``caption`` is text, in which special characters are escaped; not
        given, it has the sentences. To ``label`` the measure is added:
        ``tab:compare-AP``.
        """
        setting = Setting(caption=caption, label=label)
        return for_people(self, "latex", digits, setting, bounds=bounds)

    def headline(self) -> str:
        """How many runs and measures."""
        runs, measures = len(self.runs), len(self.measures)
        return f"<Comparison: {counted(runs, 'run')}, {counted(measures, 'measure')}>"

    _is_headed = False

    def _shown(
        self, form: str, digits: int | None, *, bounds: bool = False, heading: str = ""
    ) -> list[Part]:
        """A table for each measure, and below them what they mean; a heading if there is one."""
        own = [
            _table(self, rows, bounds=_shows_bounds(rows, asked=bounds), digits=digits)
            for rows in map(self._of_measure, self.measures)
        ]
        below = _sentences(self, bounds=bounds)
        if form == "repr" and any(table.marked for table in own):
            below[0] = f"{BEST_SIGN}: the best mean. {below[0]}"
        signed = [] if form == "repr" or not self.signature else [Signed([str(self.signature)])]
        return [*([Heading(heading)] if heading else []), *own, *below, *signed]


def as_columns(row: Difference) -> dict[str, Any]:
    """The fields of a row with None for what JSON has no number for; for internal use only."""
    return {name: finite(value) for name, value in asdict(row).items()}


def _sentences(found: Comparison, *, bounds: bool) -> list[str]:
    """What stands under the tables."""
    corrected = "corrected " if found.corrected else ""
    alpha, power = found.options["alpha"], found.options["power"]
    seen = f"MDE: the smallest true difference that a t test finds {100 * power:g}% of the time"
    legend = [f"*: {corrected}p below {alpha:g}. {seen}.", _wins(found)]
    if any(row.verdict for row in found.rows):
        legend.append(
            "Margin: whether the run is no worse by more than that; topics needed to pass "
            f"{100 * power:g}% of the time if nothing changed."
        )
    if systems := found.options.get("systems"):
        runs = ", ".join(f"{name} {own['runs']}" for name, own in systems.items())
        legend.append(
            f"Means over the runs of each system ({runs}); intervals and p are for new topics and "
            "new runs."
        )
    if _shows_bounds(found.rows, asked=bounds):
        legend.append("Reversible: could missing judgments reverse the difference? No, or maybe.")
    choice = [found._choice] if found._choice else []
    return [" ".join(legend), *map("{}.".format, found.zeros), *choice, found.methods]


def _wins(found: Comparison) -> str:
    """What wins and losses are in each measure."""
    better, start = found.better, "W/T/L: topics on which the run scores"
    rising, falling = "higher, the same, lower", "lower, the same, higher"
    measures = [m for m in found.measures if better[m] == "higher"]
    measures += [m for m in found.measures if better[m] is None]
    lower = ", ".join(m for m in found.measures if better[m] == "lower")
    if not lower:
        return f"{start} {rising}."
    first = f"{rising} in {', '.join(measures)}; " if measures else ""
    return f"{start} {first}{falling} in {lower}, where lower is better."


def _shows_bounds(rows: Sequence[Difference], *, asked: bool) -> bool:
    """Whether to say if differences lie in their bounds: where one does not, or if asked."""
    found = {row.within_bounds for row in rows}
    return False in found or (asked and True in found)


_PVALUES = ("p", "p_corrected")
_OF_TYPE_P = (*_PVALUES, "p_pass", "p_fail")


def _texts(rows: Sequence[Difference], digits: int | None) -> dict[str, list[str]]:
    """The numbers of rows as printed, by field."""
    known = {
        name: [math.nan if v is None else v for v in (getattr(row, name) for row in rows)]
        for name in (*_DECIMALS, "effect_size", *_PVALUES)
    }
    found = {name: numbers(known[name], digits=digits) for name in _DECIMALS}
    found["effect_size"] = numbers(known["effect_size"], digits=2)
    return found | {name: list(map(pvalue, known[name])) for name in _PVALUES}


def _table(
    found: Comparison, rows: Sequence[Difference], *, bounds: bool, digits: int | None
) -> Texts:
    """The comparisons in one measure.

    A baseline has a line of its own, unless its mean is one for each pair
    because the topics are.
    """
    first, baseline = rows[0], found.baseline is not None
    shared = baseline and len({row.topics for row in rows}) == 1
    shared = shared and len({(row.other_mean, row.other_judged) for row in rows}) == 1
    texts = _texts(rows, digits)
    columns = _columns(found, rows, texts, paired=not shared, bounds=bounds)
    runs = [(row.run, row.other) for row in rows]
    cells = list(zip(*columns.values(), strict=True))
    if shared:
        own = {"mean": texts["other_mean"][0], str(first.judged_measure): texts["other_judged"][0]}
        runs.insert(0, (first.other, ""))
        cells.insert(0, tuple(own.get(name, "") for name in columns))
    marks = _marks(rows, texts, found.better[first.measure])
    keys = [first.measure] if baseline else [first.measure, "against"]
    table = Texts(keys, list(columns))
    table.name = first.measure
    table.cells = [(*pair[: len(keys)], *line) for pair, line in zip(runs, cells, strict=True)]
    for place, name in enumerate(columns, len(keys)):
        if name in ("mean", "other"):
            named = [pair[name == "other"] for pair in runs]
            table.marked |= {(i, place): marks[run] for i, run in enumerate(named) if run in marks}
    if marks:
        second = ", the second best underlined" if len(table.marked) > 1 else ""
        table.caption = [f"The best mean is bold{second}."]
    return table


def _marks(
    rows: Sequence[Difference], texts: Mapping[str, Sequence[str]], better: str | None
) -> dict[str, int]:
    """The marks of the runs with the best means, if each run has one and not one for each pair."""
    means: dict[str, tuple[float, str]] = {}
    for row, mean, other in zip(rows, texts["mean"], texts["other_mean"], strict=True):
        for run, known in ((row.run, (row.mean, mean)), (row.other, (row.other_mean, other))):
            if means.setdefault(run, known)[0] != known[0]:
                return {}
    values, shown = zip(*means.values(), strict=True)
    runs = list(means)
    return {runs[place]: mark for place, mark in marked(values, shown, better).items()}


def _columns(
    found: Comparison,
    rows: Sequence[Difference],
    texts: Mapping[str, Sequence[str]],
    *,
    paired: bool,
    bounds: bool,
) -> dict[str, Sequence[str]]:
    """The columns of the rows of a measure."""
    options = found.options
    columns: dict[str, Sequence[str]] = {}
    if len({row.topics for row in found.rows}) > 1:
        columns["topics"] = [str(row.topics) for row in rows]
    columns["mean"] = texts["mean"]
    if paired:
        columns["other"] = texts["other_mean"]
    columns["diff"] = texts["difference"]
    ends = list(zip(texts["interval_low"], texts["interval_high"], strict=True))
    wide = max(len(end) for both in ends for end in both)
    columns[f"{100 * options['level']:.10g}% interval"] = [
        f"[{low:>{wide}}, {high:>{wide}}]" for low, high in ends
    ]
    columns["MDE"] = texts["mde"]
    effect = options["effect"]
    columns["dz" if effect == "dz" else f"d({effect})"] = texts["effect_size"]
    if found.corrected:
        columns["p"] = texts["p"]
    columns[f"p({options['correction']}) " if found.corrected else "p "] = [
        text + ("*" if row.significant else " ")
        for row, text in zip(rows, texts["p_corrected"], strict=True)
    ]
    if any(row.verdict for row in rows):
        margin = options["margin"][rows[0].measure]
        columns[f"margin {margin:g}"] = [row.verdict or "" for row in rows]
        needed = [row.topics_needed for row in rows]
        if any(needed):
            columns["topics needed"] = ["" if one is None else f"{one:,}" for one in needed]
    columns["W/T/L"] = [f"{row.wins}/{row.ties}/{row.losses}" for row in rows]
    if rows[0].judged_measure is not None:
        both = zip(texts["judged"], texts["other_judged"], strict=True)
        columns[rows[0].judged_measure] = [
            f"{own} {other}" if paired else own for own, other in both
        ]
    if bounds:
        words = {None: UNDEFINED, True: "maybe", False: "no"}
        columns["reversible"] = [words[row.within_bounds] for row in rows]
    return columns
