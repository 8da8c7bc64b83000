"""Two sets of judgments on the same runs: a person's and a model's, or those of two people."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, fields

from cranfield._analysis.judges import texts
from cranfield._analysis.judges.all_topics import predicted
from cranfield._analysis.judges.document_agreement import DocumentAgreement, documents
from cranfield._analysis.judges.favored_runs import favours, group_favours
from cranfield._analysis.judges.significance import fidelity
from cranfield._analysis.judges.system_order import RESAMPLES, order
from cranfield._base import fitting
from cranfield._base.errors import failure, received_by, tell
from cranfield._base.options import SCORING, checked, keywords, of_judgments, probability, whole
from cranfield._base.text import counted, escaped
from cranfield._core import DEFAULT_COMPARED, Error, Qrels, write_file
from cranfield._io.accepted import as_qrels
from cranfield._scoring.evaluator import Evaluator
from cranfield._stats.correlation import pearson
from cranfield._stats.registry import CORRECTIONS, TESTS, checked_test, too_few_for_tau
from cranfield._table import tables, writers
from cranfield._table.data_table import COUNT, SHARE, TEXT, DataTable
from cranfield._table.result import Result
from cranfield._table.style import notebook
from cranfield._table.tables import check_digits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Unpack

    from cranfield._analysis.judges.document_agreement import Marginals
    from cranfield._base.option_types import ScoringOptions
    from cranfield._io.accepted import QrelsLike, RunsLike
    from cranfield._measures.parse import MeasuresLike
    from cranfield._scores.scores import Scores

UNJUDGED = "Judged@10"
"""The measure whose rest is the share of unjudged documents."""


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
    """A row for each run: by how much the second judge favours it, in the first measure."""
    unjudged_correlation: float
    """Pearson's correlation of favour and of the share of documents that gold did not judge: how
    far runs are favoured because gold has holes. NaN where it is undefined."""
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
        level = f"{100 * self.options['level']:.10g} %"
        first = self.gold.measures[0]
        few = too_few_for_tau(len(self.gold.runs))
        few = f" Note: {few}." if few else ""
        chance = texts.CHANCE[self.options["marginals"]]
        found = [
            ("Documents", f"{texts.DOCUMENTS}{chance}", self.agreement),
            ("Grades", texts.GRADES, self.grades()),
            (
                "Order of runs",
                f"{texts.ORDERS} The interval of tau ({level}) is over resampled topics.{few}",
                self.orders,
            ),
        ]
        if len(self.conclusions):
            test, correction = self.options["test"], self.options["correction"]
            by = "not corrected" if correction == "none" else CORRECTIONS[correction]
            how = f"{TESTS[test].title}, {by}, alpha {self.options['alpha']:g}"
            found.append(("Conclusions", f"{texts.CONCLUSIONS} ({how}).", self.conclusions))
        held = "-" if math.isnan(self.unjudged_correlation) else f"{self.unjudged_correlation:.2f}"
        text = f"In {first}. {texts.FAVOURS} The correlation of favour and unjudged is {held}."
        found.append(("Favoured runs", text, self.favours))
        if self.groups is not None:
            text = f"In {first}. {texts.GROUPS} low, high: {level} interval over topics."
            found.append(("Favoured groups", text, self.groups))
        if self.predicted is not None:
            text = f"In {first}. {texts.PREDICTED} low, high: {level} interval."
            found.append(("All topics", text, self.predicted))
        found.append(("Topics", texts.TOPICS, self.documents.topics))
        return found

    def grades(self) -> DataTable:
        """How often each pair of grades was given: a row for each grade of the first judge."""
        names = [f"{grade:g}" for grade in self.documents.grades]
        columns = self.documents.matrix.T.tolist()
        return DataTable(
            {
                "gold": (TEXT, names),
                **{
                    f"other {name}": (COUNT, column)
                    for name, column in zip(names, columns, strict=True)
                },
            }
        )

    @checked
    def text(
        self, *, digits: int | None = None, per_topic: bool = False, width: int | None = None
    ) -> str:
        """The tables as text; for internal use only."""
        check_digits(digits)
        parts = []
        for heading, sentence, table in self.tables():
            if heading == "Topics" and not per_topic:
                continue
            rows = "\n".join(tables.aligned(table.shown(digits=digits), width=width))
            parts.append(f"{heading}\n\n{rows}\n\n{fitting.sentence(sentence, width)}")
        return "\n\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Everything as dicts: what ``cranfield judges --format json`` writes."""
        found: dict[str, Any] = {
            "topics": len(self.gold.topics),
            "runs": len(self.gold.runs),
            **self.options,
            "agreement": self.agreement.to_dict(),
            "grades": list(self.documents.grades),
            "matrix": self.documents.matrix.tolist(),
            "orders": self.orders.to_dict(),
            "conclusions": self.conclusions.to_dict(),
            "favours": self.favours.to_dict(),
            "unjudged_correlation": None
            if math.isnan(self.unjudged_correlation)
            else self.unjudged_correlation,
            "per_topic": self.documents.topics.to_dict(),
        }
        for name in ("groups", "predicted"):
            table = getattr(self, name)
            if table is not None:
                found[name] = table.to_dict()
        return found

    @checked
    def html(self, title: str | None = None, *, command: str = "") -> str:
        """One HTML file: every table, the matrix of grades, the runs under both judges.

        Raises ``ImportError`` without Jinja2: ``pip install 'cranfield[report]'``.
        """
        from cranfield._base.errors import optional

        optional("jinja2", "a page about judges", extra="report")
        from cranfield._analysis.judges import page as judges

        return judges.html(self, title or "Two judges", command)

    @checked
    def write(self, path: str | os.PathLike[str], title: str | None = None) -> None:
        """Writes the page, as UTF-8, whole or not at all.

        Raises ``Error``: kind "directory" for a folder, "missing" for one that is not there,
        "io" if the system refuses; and as ``html``.
        """
        write_file(os.fsdecode(path), writers.encoded(self.html(title)))

    def __repr__(self) -> str:
        topics, runs = len(self.gold.topics), len(self.gold.runs)
        return f"<Judges: {counted(topics, 'topic')}, {counted(runs, 'run')}>\n{self.text()}"

    def _repr_html_(self) -> str:
        return notebook(
            "\n".join(
                f"<h3>{heading}</h3>{tables.html(table.shown())}<p>{escaped(sentence)}</p>"
                for heading, sentence, table in self.tables()
                if heading != "Topics"
            )
        )


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
    """Compares two sets of judgments on the same runs, to say whether one can stand in.

    >>> gold = {str(t): {"a": 1, "b": t % 2, "c": 0} for t in range(6)}
    >>> other = {str(t): {"a": 1, "b": 1, "c": 0} for t in range(6)}
    >>> good = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} for topic in gold}
    >>> poor = {topic: {"c": 3.0, "b": 2.0, "a": 1.0} for topic in gold}
    >>> compare(gold, other, {"good": good, "poor": poor}, "AP").orders["AP", "tau"]
    1.0

    Parameters
    ----------
    gold, other
        Judgments, as for ``cranfield.evaluate``: those that are trusted, and those that are
        asked about.
    runs, measures
        As for ``cranfield.evaluate``; by default the measures of ``cranfield.compare``. The runs
        are read twice, so they cannot be open files.
    groups
        {run: group}: does the second judge favour the runs of a group?
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
    probability("level", level)
    whole(top, "top", least=2)
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
    options_of_order: dict[str, Any] = {
        "top": top,
        "level": level,
        "resamples": resamples,
        "seed": seed,
    }
    orders = [order(one, two, measure=name, **options_of_order) for name in one.measures]
    tested = [
        fidelity(one, two, measure=name, test=test, correction=correction, alpha=alpha, seed=seed)
        for name, measure in zip(one.measures, one.core.measures, strict=True)
        if measure.aggregate not in ("geometric", "pooled") and len(shared) > 1
    ]
    main = one.measures[0]
    favoured = favours(one, two, measure=main, unjudged=unjudged)
    return Judges(
        agreed,
        _summary(agreed),
        _table(
            orders,
            {"measure": TEXT, "largest_shift_run": TEXT, "largest_drop_run": TEXT},
            leave=("level",),
        ),
        _table(tested, {"measure": TEXT}, leave=("test", "correction", "alpha")),
        favoured,
        _correlation(favoured),
        None
        if groups is None
        else group_favours(one, two, dict(groups), measure=main, level=level),
        predicted(scored, shared, main, level),
        one,
        two,
        {
            "measures": list(one.measures),
            "top": top,
            "marginals": marginals,
            "test": test,
            "correction": corrected,
            "alpha": alpha,
            "level": level,
            "resamples": resamples,
            "seed": seed,
        },
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
    """The share of the first ten documents of each run that gold did not judge."""
    scores = Evaluator(gold, UNJUDGED, **options).evaluate(runs).sel(topic=list(shared))
    means = scores.mean()[:, 0].tolist()
    return {run: 1 - mean for run, mean in zip(scores.runs, means, strict=True)}


def _correlation(favoured: DataTable) -> float:
    """Of favour and of the share of unjudged documents."""
    rows = favoured.to_dict().values()
    pairs = [(row["favour"], row["unjudged"]) for row in rows if row["unjudged"] is not None]
    if len(pairs) < 2:
        return math.nan
    try:
        return float(pearson(*map(list, zip(*pairs, strict=True))))
    except Error as error:
        if error.kind != "undefined":
            raise
        return math.nan


def _summary(agreed: DocumentAgreement) -> DataTable:
    """Each coefficient over all documents, and its mean over topics."""
    names = [name for name in agreed.all if name != "documents"]

    def known(values: Mapping[str, float]) -> list[float | None]:
        return [None if math.isnan(values[name]) else values[name] for name in names]

    return DataTable(
        {
            "coefficient": (TEXT, names),
            "all documents": (SHARE, known(agreed.all)),
            "mean over topics": (SHARE, known(agreed.means)),
        }
    )


def _table(rows: Sequence[Any], kinds: Mapping[str, str], leave: Sequence[str] = ()) -> DataTable:
    """Dataclasses as a table, their measure first."""
    if not rows:
        return DataTable({"measure": (TEXT, [])})
    columns = {}
    for one in fields(rows[0]):
        if one.name in leave:
            continue
        values = [getattr(row, one.name) for row in rows]
        is_count = all(isinstance(value, int) for value in values)
        kind = kinds.get(one.name, COUNT if is_count else SHARE)
        shown = [None if isinstance(v, float) and math.isnan(v) else v for v in values]
        columns[one.name.replace("_", " ")] = (kind, shown)
    return DataTable(columns)
