"""Whether sets of judgments agree, and whether that changes the order of runs.

Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval,
section 8.5: kappa with pooled marginals, which the book prefers, with separate
ones, and with chance of one half for relevant or not, and its rule of thumb;
then the runs under each judge, and under what all or any of them call relevant
(exercise 8.10).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

from cranfield import collection, stats
from cranfield._analysis import judges_documents, judges_runs
from cranfield._analysis.judges_runs import SystemOrder
from cranfield._base.errors import failure
from cranfield._core import Error, Qrels
from cranfield._io.inputs import as_qrels
from cranfield._study.definition import BESIDE_GAINS, Options, Report, Study
from cranfield._study.folder import slug
from cranfield._study.inputs import Inputs
from cranfield._study.results import Figure, Found, Table, percent, plain, scatter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cranfield._analysis.judges_documents import Marginals

GOOD, FAIR = 0.8, 0.67
"""The rule of thumb of section 8.5."""

THUMB = "rule of thumb"

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


def rule(kappa: float | None) -> str:
    """What the rule of thumb says of a kappa."""
    if kappa is None:
        return "undefined"
    return "good" if kappa > GOOD else "fair" if kappa >= FAIR else "dubious"


def _others(options: Options) -> list[str]:
    """The files of the other judges."""
    found = options["second"]
    if not found:
        message = "the study needs the judgments of a second judge: give"
        raise failure("option", f"{message} second=QRELS", command_line=f"{message} --second QRELS")
    return [found] if isinstance(found, str) else list(found)


def _judges(inputs: Inputs, options: Options) -> dict[str, Qrels]:
    """The judgments of each judge on the topics that all have, by name."""
    several = [inputs.qrels, *map(as_qrels, _others(options))]
    shared = [topic for topic in inputs.qrels.topics if all(topic in one for one in several)]
    if not shared:
        sets = "two sets" if len(several) == 2 else f"{len(several)} sets"
        raise failure("label", f"the {sets} of judgments have no topic in common")
    return {
        ORDINALS[place] if place < len(ORDINALS) else f"judge {place + 1}": (
            one.restrict_to_topics(shared)
        )
        for place, one in enumerate(several)
    }


def _combined(judges: Mapping[str, Qrels], choose: Callable[[Iterable[float]], float]) -> Qrels:
    """One set of judgments from several: of each document the grade that is chosen.

    For the lowest grade only documents that everybody judged count, for the highest all.
    """
    several = [judge.to_dict() for judge in judges.values()]
    found: dict[str, dict[str, float]] = {}
    for topic, first in several[0].items():
        of_topic = [one[topic] for one in several]
        known = dict.fromkeys(doc for one in of_topic for doc in one)
        if choose is min:
            known = dict.fromkeys(
                doc for doc in first if all(one.get(doc, -1.0) >= 0 for one in of_topic)
            )
        grades = {doc: choose(one[doc] for one in of_topic if doc in one) for doc in known}
        if grades:
            found[topic] = grades
    # Merged for what they know of the collection.
    whole = collection.merge(found, *judges.values())
    return whole.restrict_to_topics(found).restrict_to_pool(Qrels(found))


RELEVANT = "relevant or not"
"""What judges are asked besides grades."""

KINDS: Sequence[tuple[str, Marginals]] = (
    ("grades", "pooled"),
    ("grades", "separate"),
    (RELEVANT, "pooled"),
    (RELEVANT, "separate"),
    # Chance of one half is that of two classes.
    (RELEVANT, "uniform"),
)
"""The kappas: of what, and by which marginals."""

Row: TypeAlias = dict[str, Any]


def _kappa(inputs: Inputs, options: Options, report: Report) -> Found:
    """The contingency tables, and kappa of each pair."""
    judges = _judges(inputs, options)
    several, lowest = len(judges) > 2, inputs.lowest_relevant
    tables: list[Table] = []
    rows: list[Row] = []
    for (one, a), (two, b) in combinations(judges.items(), 2):
        found = collection.agreement(a, b)
        tables.append(_counts(found, one, two, several=several))
        for of, marginals in KINDS:
            first: Any = found.first
            second: Any = found.second
            if of == RELEVANT:
                first, second = (first >= lowest) * 1, (second >= lowest) * 1
            about = {"judges": f"{one}, {two}", "of": of, "marginals": marginals}
            kappa = _one_kappa(first, second, marginals, _labels_of(of))
            rows.append({**about, "documents": len(found.first), **kappa})
    note = (
        "Documents that both judged; the interval holds 95%. P(E) is from the labels of both "
        "judges (pooled), from those of each (separate), or one half (uniform). Rule of thumb "
        f"(section 8.5): above {GOOD:g} good, from {FAIR:g} fair, below that a dubious basis for "
        "an evaluation."
    )
    cited = rows
    if several:
        cited = _means(rows)
        rows = rows + cited
        note += " Means are over the pairs of judges whose kappa is defined."
    headline = next(row for row in cited if (row["of"], row["marginals"]) == (RELEVANT, "pooled"))
    kappas = Table.of_rows("kappa", "Kappa (equation 8.10)", rows, note)
    more = [_coefficients(judges, lowest), _relevant(judges, lowest)]
    return Found([*tables, kappas, *more], says=_says(headline, len(judges)))


def _labels_of(of: str) -> tuple[int, int] | None:
    """The labels that there are, where judges need not have given all."""
    return (0, 1) if of == RELEVANT else None


MEAN = "mean of all pairs"
"""The judges of a row that is about all."""


def _means(rows: Sequence[Row]) -> list[Row]:
    """For each kind of kappa the mean over pairs of judges, where it is defined."""
    found = []
    for of, marginals in KINDS:
        own = [row for row in rows if (row["of"], row["marginals"]) == (of, marginals)]
        known = [row for row in own if row["kappa"] is not None]
        mean: Row = {"judges": MEAN, "of": of, "marginals": marginals}
        mean["documents"] = sum(row["documents"] for row in own)
        for name in ("P(A)", "P(E)", "kappa"):
            mean[name] = float(np.mean([row[name] for row in known])) if known else None
        found.append({**mean, "low": None, "high": None, THUMB: rule(mean["kappa"])})
    return found


def _says(row: Row, judges: int) -> str:
    """How well the judges agree on what is relevant, from the row of the table of kappas."""
    if row["kappa"] is None:
        return "Kappa is undefined: the judges gave one label only."
    word = {"good": "good agreement", "fair": "fair agreement"}.get(row[THUMB], "dubious")
    who = "The two judges" if judges == 2 else f"Two of the {judges} judges"
    mean = "" if judges == 2 else " on average"
    basis = f", which is {word}{' as a basis of evaluation' if word == 'dubious' else ''}"
    return (
        f"{who} agree on whether {percent(row['P(A)'], 1)} of the documents are relevant{mean}: "
        f"kappa is {row['kappa']:.3f}{basis} by the rule of thumb."
    )


def _counts(found: collection.Agreement, one: str, two: str, *, several: bool) -> Table:
    """How often each pair of grades occurs."""
    grades = [f"{grade:g}" for grade in found.grades]
    rows = [[f"{one}: {grade}", *row] for grade, row in zip(grades, found.table, strict=True)]
    name, of = "counts", "both"
    if several:
        name, of = f"counts-{slug(one)}-{slug(two)}", f"{one} and {two}"
    title = f"Table 8.2: how {of} judged the same documents"
    return Table.of_lists(name, title, ["grade", *(f"{two}: {grade}" for grade in grades)], rows)


def _one_kappa(first: Any, second: Any, marginals: Marginals, labels: Any) -> Row:
    """P(A), P(E), kappa, its interval and the rule of thumb; nothing where it is undefined."""
    try:
        kappa = stats.cohen_kappa(first, second, marginals=marginals, labels=labels)
    except Error:
        return {**dict.fromkeys(("P(A)", "P(E)", "kappa", "low", "high")), THUMB: rule(None)}
    ends = kappa.confidence_interval()
    return {
        "P(A)": kappa.observed,
        "P(E)": kappa.expected,
        "kappa": plain(kappa.statistic),
        "low": ends.low,
        "high": ends.high,
        THUMB: rule(kappa.statistic),
    }


def _coefficients(judges: Mapping[str, Qrels], lowest: float) -> Table:
    """Coefficients of all judges together."""
    grades = _grades(judges)
    relevant = [[None if g is None else int(g >= lowest) for g in judge] for judge in grades]
    judged = sum(sum(g is not None for g in item) > 1 for item in zip(*grades, strict=True))
    computed: list[tuple[Any, ...]] = []
    for of, with_gaps in (("grades", grades), (RELEVANT, relevant)):
        shared = [item for item in zip(*with_gaps, strict=True) if None not in item]
        complete = [list(judge) for judge in zip(*shared, strict=True)]
        for marginals in (own for what, own in KINDS if what == of):
            given: Row = {"marginals": marginals, "labels": _labels_of(of)}
            kappa = partial(stats.mean_kappa, complete, **given)
            computed.append(("mean kappa of pairs", of, marginals, len(shared), kappa))
        fleiss = partial(_fleiss, complete)
        computed.append(("Fleiss' kappa", of, "pooled", len(shared), fleiss))
        alpha = partial(stats.krippendorff_alpha, with_gaps, level="ordinal")
        computed.append(("Krippendorff's alpha", of, None, judged, alpha))
    columns = ["coefficient", "of", "marginals", "documents", "value", THUMB]
    rows = [[*about, _value(compute)] for *about, compute in computed]
    note = (
        "Of documents that all judged; alpha (ordinal) of those that at least two did. The rule "
        "of thumb is kappa's."
    )
    table = [[*row, rule(row[-1])] for row in rows]
    return Table.of_lists("coefficients", "All judges together", columns, table, note)


def _value(compute: Callable[[], stats.Statistic]) -> float | None:
    """A coefficient; nothing where it is undefined."""
    with suppress(Error):
        return None if math.isnan(value := compute().statistic) else value
    return None


def _fleiss(judges: Sequence[Sequence[float]]) -> stats.Agreement:
    return stats.fleiss_kappa(stats.label_counts(judges))


def _grades(judges: Mapping[str, Qrels]) -> list[list[float | None]]:
    """The grades of each judge for every document of any; None where it has none."""
    several = [judge.to_dict() for judge in judges.values()]
    items = dict.fromkeys(
        (topic, doc) for one in several for topic, docs in one.items() for doc in docs
    )
    found: list[list[float | None]] = []
    for one in several:
        grades = (one[topic].get(doc) for topic, doc in items)
        found.append([None if grade is None or grade < 0 else grade for grade in grades])
    return found


def _sets(judges: Mapping[str, Qrels]) -> dict[str, Qrels]:
    """The judgments of each judge, and of all together."""
    together = {"all (AND)": _combined(judges, min), "any (OR)": _combined(judges, max)}
    return {f"{name} judge": judge for name, judge in judges.items()} | together


def _relevant(judges: Mapping[str, Qrels], lowest: float) -> Table:
    """How much each judge, all and any of them call relevant."""
    rows: list[Row] = []
    for name, judged in _sets(judges).items():
        topics = judged.to_dict()
        relevant = [sum(g >= lowest for g in docs.values()) for docs in topics.values()]
        own = {"judgments": name, "documents": sum(map(len, topics.values()))}
        own |= {"relevant": sum(relevant), "topics without relevant": relevant.count(0)}
        rows.append(own)
    both, either = (row["relevant"] for row in rows[-2:])
    overlap = f" The overlap, AND over OR, is {both / either:.3f}." if either else ""
    note = f"AND: documents that everybody judged, with the lowest grade. OR: the highest.{overlap}"
    return Table.of_rows("relevant", "What the judges call relevant", rows, note)


def _orders(inputs: Inputs, options: Options, report: Report) -> Found:
    """The runs under each judge, and under all or any; nothing without runs."""
    if not inputs.given:
        return Found()
    measures = options["measures"]
    scores = {}
    sets = _sets(_judges(inputs, options))
    for done, (name, qrels) in enumerate(sets.items(), 1):
        inputs.check(measures, qrels)
        ranked = inputs.chosen(inputs.rank(qrels, measures=measures))
        scores[name] = inputs.scored(qrels, ranked, measures)
        report(done, len(sets))
    (first, base), *others = scores.items()
    rows, panels = [], []
    for m, measure in enumerate(base.measures):
        a = base.summary()[:, m]
        for name, other in others:
            b = other.summary()[:, m]
            order = None if len(a) < 2 else judges_runs.order(base, other, measure=measure)
            rows.append(_order_row(measure, name, order, float(a.mean()), float(b.mean())))
            labels = f"{measure}, {first}", f"{measure}, {name}"
            panels.append(scatter(labels, (a, b), base.runs, rows[-1]["tau"]))
    title = "The order of the runs under other judgments than the first judge's"
    figure = Figure("orders", title, panels, columns=min(4, len(others)))
    known = [row for row in rows if row["tau"] is not None]
    says = ""
    if known:
        least = min(known, key=itemgetter("tau"))
        says = (
            f"The runs keep their ranking with a tau of at least {least['tau']:.3f} whoever "
            f"judges: "
            f"that is {least['measure']} under the first judge and under {least['judgments']}."
        )
    note = (
        "The interval of tau holds 95% of resamples of topics; inverted: pairs of the ten best "
        "runs under the first judge; the largest drop is the most ranks that a run falls."
    )
    return Found([Table.of_rows("orders", title, rows, note)], [figure], says)


def _order_row(
    measure: str, judgments: str, order: SystemOrder | None, first: float, mean: float
) -> Row:
    """How far the runs keep their order; nothing where there are too few."""
    return {
        "measure": measure,
        "judgments": judgments,
        "tau": order and plain(order.tau),
        "mean, first judge": first,
        "mean": mean,
        "tau low": order and order.tau_low,
        "tau high": order and order.tau_high,
        "tau_AP": order and order.tau_ap,
        "inverted in the top 10": order and order.inverted_pairs,
        "largest drop": order and order.largest_drop,
    }


def _documents(inputs: Inputs, options: Options, report: Report) -> Found:
    """The first judge beside each other one, over all documents that either judged."""
    (_, first), *others = _judges(inputs, options).items()
    found = {name: judges_documents.documents(first, other) for name, other in others}
    names = dict.fromkeys(name for one in found.values() for name in one.means)
    rows = [
        [judge, name, one.all[name], one.means[name]]
        for judge, one in found.items()
        for name in names
        if name in one.means
    ]
    columns = ["judge", "coefficient", "all documents", "mean over topics"]
    note = (
        "All documents that either judge judged, with grade 0 where the other did not; over, "
        "under: graded "
        "higher and lower than by the first judge; leniency: the mean grade minus the first "
        "judge's."
    )
    title = "Each judge beside the first, over all documents"
    return Found([Table.of_lists("documents", title, columns, rows, note)])


AGREEMENT = Study(
    "Do judges agree?",
    "Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.5.",
    (
        BESIDE_GAINS,
        "Topics without judgments by every judge are left out. Only documents that both judged "
        "count for the "
        "kappa of two judges.",
        "Runs are scored under all judgments of each judge; without runs the study is about the "
        "judges alone.",
    ),
    {"kappa": _kappa, "documents": _documents, "orders": _orders},
    {"second": None, "measures": ("AP", "nDCG@10")},
    runs=0,
    taus=True,
)
