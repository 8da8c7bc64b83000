"""Judges: whether a model's judgments can replace a person's.

>>> import cranfield as cf
>>> gold = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 0, "b": 1, "c": 1}}
>>> other = {"1": {"a": 1, "b": 1, "c": 2}, "2": {"a": 0, "b": 1, "c": 0}}
>>> round(cf.judges.documents(gold, other).all["quadratic kappa"], 3)
0.647

``compare`` does everything on the same runs: how far both agree on documents, on the order of
runs, on which runs differ significantly, and which runs the second judge favors.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Unpack

from cranfield._analysis.judges import (
    RESAMPLES,
    DocumentAgreement,
    Fidelity,
    Marginals,
    SystemOrder,
    documents,
    favours,
    fidelity,
    group_favours,
    order,
)
from cranfield._base.errors import failure, optional, received_by, tell
from cranfield._base.option_types import ScoringOptions
from cranfield._base.options import SCORING, checked, keywords, of_judgments
from cranfield._base.text import counted
from cranfield._core import DEFAULT_COMPARED, Error, Qrels, write_file
from cranfield._io.inputs import QrelsLike, RunsLike, as_qrels
from cranfield._measures.parse import MeasuresLike
from cranfield._scores.scores import Scores
from cranfield._scoring.evaluator import Evaluator
from cranfield._stats.correlation import pearson
from cranfield._stats.predictions import ppi_mean
from cranfield._stats.registry import CORRECTIONS, TESTS, checked_test, too_few_for_tau
from cranfield._table import writers
from cranfield._table.data_table import COUNT, MEAN, SHARE, TEXT, DataTable, defined, finite
from cranfield._table.result import Result, with_kinds
from cranfield._table.tables import Heading, Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from markupsafe import Markup

    from cranfield._pages.page import Section

__all__ = [
    "DocumentAgreement",
    "Fidelity",
    "Judges",
    "SystemOrder",
    "compare",
    "documents",
    "favours",
    "fidelity",
    "group_favours",
    "order",
]

UNJUDGED = "Judged@10"
"""The measure whose rest is the proportion of unjudged documents."""


@cache
def _sentences() -> dict[str, Any]:
    """What is said of each table, by its heading; and of kappas, by their marginals."""
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), "_analysis", "judges.toml"), "rb") as file:
        return tomllib.load(file)


@dataclass(frozen=True, eq=False, repr=False)
class Judges(Result):
    """How two judges compare on the same runs."""

    documents: DocumentAgreement
    """How far they agree on documents."""
    agreement: DataTable
    """A row for each coefficient: over all documents, and the mean over topics."""
    orders: DataTable
    """A row for each measure: how far they put runs in the same order; the columns are the fields
    of ``SystemOrder``."""
    conclusions: DataTable
    """A row for each measure: what significance tests of all pairs of runs conclude under each; the
    columns are the fields of ``Fidelity``. No rows if no measure can be tested."""
    favours: DataTable
    """A row for each run: by how much the second judge favors it, in the first measure."""
    unjudged_correlation: float
    """Pearson's correlation of ``favour`` and the proportion of documents that gold did not judge:
    how far runs are favored because gold has holes. NaN where it is undefined."""
    groups: DataTable | None
    """A row for each group of runs, if groups were given."""
    predicted: DataTable | None
    """If the second judge has more topics: the mean of each run over all topics, estimated from
    gold and from the second judge; see ``cranfield.stats.ppi_mean``. In the first measure."""
    gold: Scores
    """The scores under gold, on the topics that both judged."""
    other: Scores
    """The scores under the second judge, on the same topics."""
    options: Mapping[str, Any]
    """What was asked for."""

    def table(self) -> DataTable:
        """How far both put runs in the same order: a row for each measure."""
        return self.orders

    def tables(self) -> list[tuple[str, str, DataTable]]:
        """A heading, a sentence and a table for each part; for internal use only."""
        test, correction = self.options["test"], self.options["correction"]
        by = "not corrected" if correction == "none" else CORRECTIONS[correction]
        few, held = too_few_for_tau(len(self.gold.runs)), self.unjudged_correlation
        sentences = _sentences()
        about = {
            "chance": sentences["chance"][self.options["marginals"]],
            "level": f"{100 * self.options['level']:.10g}%",
            "few": few and f" Note: {few}.",
            "how": f"{TESTS[test].title}, {by}, alpha {self.options['alpha']:g}",
            "first": self.gold.measures[0],
            "held": "-" if math.isnan(held) else f"{held:.2f}",
        }
        found = {
            "Documents": self.agreement,
            "Grades": self.grades(),
            "Order of runs": self.orders,
            "Conclusions": self.conclusions if len(self.conclusions) else None,
            "Favored runs": self.favours,
            "Favored groups": self.groups,
            "All topics": self.predicted,
            "Topics": self.documents.topics,
        }
        there = ((heading, table) for heading, table in found.items() if table is not None)
        return [(heading, sentences[heading].format(**about), table) for heading, table in there]

    def grades(self) -> DataTable:
        """How often each pair of grades was given: a row for each grade of the first judge."""
        names = [f"{grade:g}" for grade in self.documents.grades]
        columns = zip(names, self.documents.matrix.T.tolist(), strict=True)
        others = {f"other {name}": (COUNT, column) for name, column in columns}
        return DataTable({"gold": (TEXT, names), **others})

    def _shown(self, form: str, digits: int | None, *, per_topic: bool = False) -> list[Part]:
        found: list[Part] = []
        for heading, sentence, table in self.tables():
            if heading != "Topics" or per_topic:
                found += [Heading(heading), table.shown(digits=digits), sentence]
        return found

    def to_dict(self) -> dict[str, Any]:
        """Everything as dicts: what ``cranfield judges --format json`` writes."""
        beside = {"groups": self.groups, "predicted": self.predicted}
        return {
            "topics": len(self.gold.topics),
            "runs": len(self.gold.runs),
            **self.options,
            "agreement": self.agreement.to_dict(),
            "grades": list(self.documents.grades),
            "matrix": self.documents.matrix.tolist(),
            "orders": self.orders.to_dict(),
            "conclusions": self.conclusions.to_dict(),
            "favours": self.favours.to_dict(),
            "unjudged_correlation": defined(self.unjudged_correlation),
            "per_topic": self.documents.topics.to_dict(),
            **{name: table.to_dict() for name, table in beside.items() if table is not None},
        }

    @checked
    def html(self, title: str | None = None, *, command: str = "") -> str:
        """One HTML file: every table, the matrix of grades, the runs under both judges.

        Raises ``ImportError`` without Jinja2: ``pip install 'cranfield[report]'``.
        """
        optional("jinja2", "a page about judges", extra="report")
        return _page(self, title or "Two judges", command)

    @checked
    def write(self, path: str | os.PathLike[str], title: str | None = None) -> None:
        """Writes the page, as UTF-8, whole or not at all.

        Raises ``Error``: kind "directory" for a folder, "missing" for one that is not there,
        "io" if the system refuses; and as ``html``.
        """
        write_file(os.fsdecode(path), writers.encoded(self.html(title)))

    def headline(self) -> str:
        """How many topics and runs."""
        return f"<Judges: {', '.join(self._sizes())}>"

    def _sizes(self) -> list[str]:
        return [counted(len(self.gold.topics), "topic"), counted(len(self.gold.runs), "run")]

    _is_headed = False


DRAWN = frozenset({"favour", "leniency"})
"""The columns whose values are drawn, too."""


def _page(found: Judges, title: str, command: str) -> str:
    """The whole file."""
    from cranfield._pages import page

    sections: list[Section] = [_verdict(found)]
    for heading, sentence, table in found.tables():
        name = heading.lower().replace(" ", "-")
        about = {"heading": heading, "sentence": sentence, "rows": len(table)}
        shown = page.section("judges-table", heading, **about, table=_drawn(table, name))
        sections.append(shown.named(name))
    options = [
        (name, " ".join(value) if isinstance(value, list) else str(value))
        for name, value in found.options.items()
    ]
    sections.append(page.section("judges-methods", "Methods", command=command, options=options))
    documents = counted(int(found.documents.all["documents"]), "document")
    return page.html(title, [*found._sizes(), documents], sections)


def _verdict(found: Judges) -> Section:
    """The main numbers, and the runs under both judges."""
    from cranfield._pages import page, svg

    measure = found.gold.measures[0]
    means = [one.summary()[:, 0].tolist() for one in (found.gold, found.other)]
    points = [
        (run, (a, b))
        for run, a, b in zip(found.gold.runs, *means, strict=True)
        if math.isfinite(a) and math.isfinite(b)
    ]
    ends = [value for _, point in points for value in point] or [0.0]
    y = svg.y_axis(min(*ends, 0.0), max(ends), "under the second judge")
    x = svg.x_axis(y.scale.low, y.scale.high, f"{measure} under gold")
    diagonal = [(end, end) for end in (x.scale.low, x.scale.high)]
    marks = (
        [svg.line(x, y, diagonal, "diagonal")],
        [svg.spot(x, y, point, "series0", run) for run, point in points],
    )
    label = f"{measure} of each run under gold and under the second judge"
    return page.section(
        *("judges-verdict", "Verdict"),
        measure=measure,
        order=found.orders.to_dict()[measure],
        tested=found.conclusions.to_dict().get(measure),
        agreement=found.agreement.to_dict(),
        nan=math.nan,
        chart=svg.chart(x, y, *marks, label=label, kind="square"),
    )


def _drawn(table: DataTable, name: str) -> Markup:
    """A table of the page, of which some columns are drawn, too."""
    from cranfield._pages import svg
    from cranfield._pages.table import columns_of, sortable

    texts, drawn = table.shown(), {}
    for place, values in texts.values.items():
        if texts.header[place] in DRAWN:
            scale = svg.symmetric(value for value in values if value is not None)
            drawn[place] = [svg.difference(scale, value, value or 0) for value in values]
    return sortable(columns_of(texts, drawn), name)


@checked
def compare(
    gold: QrelsLike,
    other: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = None,
    *,
    groups: Mapping[str, str] | None = None,
    top: int = 10,
    marginals: Marginals = "separate",
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    **options: Unpack[ScoringOptions],
) -> Judges:
    """Compares two sets of judgments on the same runs, to see if one can replace the other.

    >>> gold = {str(t): {"a": 1, "b": t % 2, "c": 0} for t in range(6)}
    >>> other = {str(t): {"a": 1, "b": 1, "c": 0} for t in range(6)}
    >>> good = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in gold}
    >>> poor = {topic: {"c": 3.0, "b": 2.0, "a": 1.0} for topic in gold}
    >>> compare(gold, other, {"good": good, "poor": poor}, "AP").orders["AP", "tau"]
    1.0

    Parameters
    ----------
    gold, other
        Judgments, as for ``cranfield.evaluate``: the trusted ones, and the ones to be
        checked.
    runs, measures
        As for ``cranfield.evaluate``; by default the measures of ``cranfield.compare``. The runs
        are read twice, so they cannot be open files.
    groups
        {run: group}: does the second judge favor the runs of a group?
    top
        How many of the best runs under gold to look at more closely.
    marginals
        What kappas take for chance, as for ``cranfield.stats.cohen_kappa``.
    test, correction, alpha
        As for ``cranfield.compare``, of all pairs of runs.
    level, resamples, seed
        Of the intervals, and of the resampled topics behind that of tau.
    options
        Those of ``cranfield.evaluate``, but for ``ties``.

    Returns
    -------
    Judges
        ``agreement``, ``orders``, ``conclusions``, ``favours`` and more, each a table; ``write``
        makes a page of them. Everything is on the topics that both judged; if the second judge
        has two more, ``predicted`` estimates the means over all of its topics.

    Raises
    ------
    Error
        Kind "label" for judgments without a topic in common and for a run without a group;
        "undefined" for fewer than two runs; and as ``cranfield.evaluate``.

    """
    corrected = checked_test(test, correction, alpha)
    given = keywords("compare", options, SCORING)
    first, second = (as_qrels(one, **of_judgments(given)) for one in (gold, other))
    shared = [topic for topic in first.topics if topic in set(second.topics)]
    if not shared:
        raise failure("label", "the two sets of judgments have no topic in common")
    lines = _not_compared(first, second, shared)
    # Each judge reads the runs anew.
    given_runs: Any = runs
    each: Any = list(given_runs) if hasattr(runs, "__next__") else runs
    wanted = DEFAULT_COMPARED if measures is None else measures
    scored = []
    with received_by(lambda lines: None):
        for judged in (first, second):
            scored.append(Evaluator(judged, wanted, **given).evaluate(each))
        unjudged = _unjudged(first, each, shared, given)
    one, two = (scores.sel(topic=shared) for scores in scored)
    if few := too_few_for_tau(len(one.runs)):
        lines.append(few)
    if lines:
        tell(lines)
    agreed = documents(first, second, marginals=marginals)
    ordering: dict[str, Any] = {"top": top, "level": level, "resamples": resamples, "seed": seed}
    testing: dict[str, Any] = {"test": test, "correction": corrected, "alpha": alpha}
    tested = [
        fidelity(one, two, measure=name, seed=seed, **testing)
        for name, measure in zip(one.measures, one.core.measures, strict=True)
        if measure.aggregate not in ("geometric", "pooled") and len(shared) > 1
    ]
    main = one.measures[0]
    favored = favours(one, two, measure=main, unjudged=unjudged)
    grouped = None
    if groups is not None:
        grouped = group_favours(one, two, dict(groups), measure=main, level=level)
    return Judges(
        agreed,
        _summary(agreed),
        _table([order(one, two, measure=name, **ordering) for name in one.measures], ("level",)),
        _table(tested, leave=tuple(testing)),
        favored,
        _correlation(favored),
        grouped,
        predicted(scored, shared, main, level),
        one,
        two,
        {"measures": list(one.measures), "top": top, "marginals": marginals, **testing, **ordering},
    )


def _not_compared(first: Qrels, second: Qrels, shared: Sequence[str]) -> list[str]:
    """Sentences that say where not all topics are compared."""
    lines = []
    for judged, which in ((first, "gold"), (second, "the second judge")):
        number = len(judged.topics) - len(shared)
        if number:
            lines.append(f"not compared: {counted(number, 'topic')} that only {which} judged")
    return lines


def _unjudged(
    gold: Qrels, runs: RunsLike, shared: Sequence[str], options: Mapping[str, Any]
) -> dict[str, float]:
    """The proportion of the first ten documents of each run that gold did not judge."""
    scores = Evaluator(gold, UNJUDGED, **options).evaluate(runs).sel(topic=list(shared))
    means = scores.mean()[:, 0].tolist()
    return {run: 1 - mean for run, mean in zip(scores.runs, means, strict=True)}


def _correlation(favored: DataTable) -> float:
    """Of favour and of the proportion of unjudged documents."""
    rows = [row for row in favored.to_dict().values() if row["unjudged"] is not None]
    if len(rows) < 2:
        return math.nan
    favour, unjudged = ([row[name] for row in rows] for name in ("favour", "unjudged"))
    try:
        return float(pearson(favour, unjudged))
    except Error as error:
        if error.kind not in ("undefined", "number"):
            raise
        return math.nan


def _summary(agreed: DocumentAgreement) -> DataTable:
    """Each coefficient over all documents, and its mean over topics."""
    columns: dict[str, list[Any]] = {
        "coefficient": list(agreed.means),
        "all documents": [agreed.all[name] for name in agreed.means],
        "mean over topics": list(agreed.means.values()),
    }
    return DataTable(with_kinds(columns))


def _table(rows: Sequence[Any], leave: Sequence[str]) -> DataTable:
    """Dataclasses as a table, their measure first."""
    if not rows:
        return DataTable({"measure": (TEXT, [])})
    names = [one.name for one in fields(rows[0]) if one.name not in leave]
    columns = {name.replace("_", " "): [getattr(row, name) for row in rows] for name in names}
    return DataTable(with_kinds(columns))


def predicted(
    scored: Sequence[Scores], shared: Sequence[str], measure: str, level: float
) -> DataTable | None:
    """The mean of each run over all topics of the second judge, from both."""
    import numpy as np

    gold, other = scored
    rest = [topic for topic in other.topics if topic not in set(shared)]
    if len(rest) < 2 or len(shared) < 2:
        return None
    rows = []
    for name in (gold.runs[run] for run in gold.sel(measure=measure).best_first()):
        y, f, u = (
            one.sel(run=name, topic=topics, measure=measure).values[0, :, 0]
            for one, topics in ((gold, shared), (other, shared), (other, rest))
        )
        # Undefined values cannot be paired.
        known = ~(np.isnan(y) | np.isnan(f))
        y, f, u = y[known], f[known], u[~np.isnan(u)]
        if len(y) > 1 and len(u) > 1:
            found = ppi_mean(y, f, u, level=level)
            ends = found.estimate, found.low, found.high, found.gold_low, found.gold_high
            rows.append((name, *ends, found.lam, found.n, finite(found.effective_n)))
    names = ("mean", "low", "high", "gold low", "gold high", "lam", "gold topics")
    kinds = {"run": TEXT, **dict.fromkeys(names, SHARE), "gold topics": COUNT}
    kinds["effective topics"] = MEAN
    columns = list(map(list, zip(*rows, strict=True))) or [[]] * len(kinds)
    return DataTable(
        {name: (kinds[name], column) for name, column in zip(kinds, columns, strict=True)}
    )
