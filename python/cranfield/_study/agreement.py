"""Whether sets of judgments agree, and whether that changes the order of runs.

Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval,
section 8.5: kappa with pooled marginals, which the book prefers, with separate
ones, and with chance of one half for relevant or not, and its rule of thumb;
then the runs under each judge, and under what all or any of them call relevant
(exercise 8.10).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, Literal

import numpy as np

from cranfield import collection, stats
from cranfield._analysis import judges_documents, judges_runs
from cranfield._base.errors import failure
from cranfield._core import Error, Qrels
from cranfield._io.inputs import as_qrels
from cranfield._study.definition import BESIDE_GAINS, Options, Report, Section, Study
from cranfield._study.folder import slug
from cranfield._study.inputs import Inputs
from cranfield._study.results import Cell, Figure, Found, Table, number, percent, scatter

GOOD, FAIR = 0.8, 0.67
"""The rule of thumb of section 8.5."""

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


def _kappa(inputs: Inputs, options: Options, report: Report) -> Found:
    """The contingency tables, and kappa of each pair."""
    judges = _judges(inputs, options)
    lowest = inputs.lowest_relevant
    tables: list[Table] = []
    rows: list[list[Cell]] = []
    for (one, a), (two, b) in combinations(judges.items(), 2):
        found = collection.agreement(a, b)
        tables.append(_counts(found, one, two, several=len(judges) > 2))
        relevant = (found.first >= lowest) * 1, (found.second >= lowest) * 1
        for what, first, second in (
            ("grades", found.first, found.second),
            ("relevant or not", *relevant),
        ):
            for marginals in MARGINALS[what]:
                row = _one_kappa(first, second, marginals, what)
                rows.append([f"{one}, {two}", what, marginals, len(first), *row])
    pairs = len(rows)
    if len(judges) > 2:
        rows += _means(rows)
    cited = rows[pairs:] or rows
    headline = next(row for row in cited if row[1:3] == ["relevant or not", "pooled"])
    header = ["judges", "of", "marginals", "documents", "P(A)", "P(E)", "kappa", "low", "high"]
    note = (
        "Documents that both judged; the interval holds 95 %. P(E) is from the labels of both "
        "judges (pooled), from those of each (separate), or one half (uniform). Rule of thumb "
        f"(section 8.5): above {GOOD:g} good, from {FAIR:g} fair, below a dubious basis for an "
        "evaluation."
    )
    if len(judges) > 2:
        note += " Means are over the pairs of judges whose kappa is defined."
    kappas = Table("kappa", "Kappa (equation 8.10)", [*header, "rule of thumb"], rows, note)
    more = [_coefficients(judges, lowest), _relevant(judges, lowest)]
    return Found([*tables, kappas, *more], says=_says(headline, len(judges)))


MEAN = "mean of all pairs"
"""The judges of a row that is about all."""

MARGINALS: Mapping[str, tuple[Literal["pooled", "separate", "uniform"], ...]] = {
    "grades": ("pooled", "separate"),
    # Chance of one half is that of two classes.
    "relevant or not": ("pooled", "separate", "uniform"),
}


def _means(rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """For each kind of kappa the mean over pairs of judges, where it is defined."""
    found: list[list[Cell]] = []
    for what, several in MARGINALS.items():
        for marginals in several:
            own = [row for row in rows if row[1:3] == [what, marginals]]
            known = [row for row in own if row[6] is not None]
            means = [
                float(np.mean([float(str(row[column])) for row in known])) if known else None
                for column in (4, 5, 6)
            ]
            documents = sum(int(str(row[3])) for row in own)
            found.append([MEAN, what, marginals, documents, *means, None, None, rule(means[2])])
    return found


def _says(row: Sequence[Cell], judges: int) -> str:
    """How well the judges agree on what is relevant, from the row of the table of kappas."""
    if row[6] is None:
        return "Kappa is undefined: the judges gave one label only."
    kappa, same = float(str(row[6])), float(str(row[4]))
    word = {"good": "good agreement", "fair": "fair agreement"}.get(rule(kappa), "dubious")
    who = "The two judges" if judges == 2 else f"Two of the {judges} judges"
    mean = "" if judges == 2 else " on average"
    basis = f", which is {word}{' as a basis of evaluation' if word == 'dubious' else ''}"
    return (
        f"{who} agree on whether {percent(same, 1)} of the documents are relevant{mean}: kappa is "
        f"{kappa:.3f}{basis} by the rule of thumb."
    )


def _counts(found: collection.Agreement, one: str, two: str, *, several: bool) -> Table:
    """How often each pair of grades occurs."""
    grades = [f"{grade:g}" for grade in found.grades]
    rows: list[list[Cell]] = [
        [f"{one}: {grade}", *map(int, row)] for grade, row in zip(grades, found.table, strict=True)
    ]
    name, of = (
        ("counts", "both")
        if not several
        else (f"counts-{slug(one)}-{slug(two)}", f"{one} and {two}")
    )
    title = f"Table 8.2: how {of} judged the same documents"
    columns = ["grade", *(f"{two}: {grade}" for grade in grades)]
    return Table(name.replace(" ", "-"), title, columns, rows)


def _one_kappa(first: object, second: object, marginals: str, what: str) -> list[Cell]:
    """P(A), P(E), kappa, its interval and the rule of thumb; nothing where it is undefined."""
    labels = None if what == "grades" else (0, 1)
    given: Any = {"marginals": marginals, "labels": labels}
    try:
        kappa = stats.cohen_kappa(first, second, **given)  # type: ignore[arg-type]
    except Error:
        return [None, None, None, None, None, rule(None)]
    ends = kappa.confidence_interval()
    values = [kappa.observed, kappa.expected, kappa.statistic, ends.low, ends.high]
    return [*map(number, values), rule(kappa.statistic)]


def _coefficients(judges: Mapping[str, Qrels], lowest: float) -> Table:
    """Coefficients of all judges together."""
    labels = _labels(judges)
    shared = [item for item in zip(*labels, strict=True) if None not in item]
    every = [list(judge) for judge in zip(*shared, strict=True)]
    binary = [[None if g is None else int(g >= lowest) for g in judge] for judge in labels]
    yes_or_no = [[int(g >= lowest) for g in judge] for judge in every]
    judged = sum(sum(g is not None for g in item) > 1 for item in zip(*labels, strict=True))
    rows: list[list[Cell]] = []
    for what, complete, with_gaps in (
        ("grades", every, labels),
        ("relevant or not", yes_or_no, binary),
    ):
        given: dict[str, Any] = {"labels": None if what == "grades" else (0, 1)}
        for marginals in MARGINALS[what]:
            compute = partial(stats.mean_kappa, complete, marginals=marginals, **given)
            rows.append(["mean kappa of pairs", what, marginals, len(shared), *_value(compute)])
        fleiss = partial(_fleiss, complete)
        rows.append(["Fleiss' kappa", what, "pooled", len(shared), *_value(fleiss)])
        alpha = partial(stats.krippendorff_alpha, with_gaps, level="ordinal")
        rows.append(["Krippendorff's alpha", what, None, judged, *_value(alpha)])
    columns = ["coefficient", "of", "marginals", "documents", "value", "rule of thumb"]
    note = (
        "Of documents that all judged; alpha (ordinal) of those that at least two did. The rule "
        "of thumb is kappa's."
    )
    return Table("coefficients", "All judges together", columns, rows, note)


def _value(compute: Callable[[], stats.Statistic]) -> list[Cell]:
    """A coefficient and the rule of thumb; nothing where it is undefined."""
    try:
        value = number(compute().statistic)
    except Error:
        value = None
    return [value, rule(value)]


def _fleiss(judges: Sequence[Sequence[float]]) -> stats.Agreement:
    return stats.fleiss_kappa(stats.label_counts(judges))


def _labels(judges: Mapping[str, Qrels]) -> list[list[float | None]]:
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


def _sets(judges: Mapping[str, Qrels]) -> Iterator[tuple[str, Qrels]]:
    """The judgments of each judge, and of all together."""
    for name, judge in judges.items():
        yield f"{name} judge", judge
    yield "all (AND)", _combined(judges, min)
    yield "any (OR)", _combined(judges, max)


def _relevant(judges: Mapping[str, Qrels], lowest: float) -> Table:
    """How much each judge, all and any of them call relevant."""
    rows: list[list[Cell]] = []
    for name, judged in _sets(judges):
        topics = judged.to_dict()
        relevant = [sum(g >= lowest for g in docs.values()) for docs in topics.values()]
        rows.append([name, sum(map(len, topics.values())), sum(relevant), relevant.count(0)])
    both, either = int(str(rows[-2][2])), int(str(rows[-1][2]))
    overlap = f" The overlap, AND over OR, is {both / either:.3f}." if either else ""
    note = f"AND: documents that everybody judged, with the lowest grade. OR: the highest.{overlap}"
    columns = ["judgments", "documents", "relevant", "topics without relevant"]
    return Table("relevant", "What the judges call relevant", columns, rows, note)


def _orders(inputs: Inputs, options: Options, report: Report) -> Found:
    """The runs under each judge, and under all or any; nothing without runs."""
    if not inputs.given:
        return Found()
    measures = options["measures"]
    scores, names = {}, []
    sets = dict(_sets(_judges(inputs, options)))
    for done, (name, qrels) in enumerate(sets.items()):
        inputs.check(measures, qrels)
        ranked = inputs.chosen(inputs.rank(qrels, measures=measures))
        names = [run.name for run in ranked]
        scores[name] = inputs.scored(qrels, ranked, measures)
        report(done + 1, len(sets))
    (first, base), *others = scores.items()
    rows: list[list[Cell]] = []
    panels = []
    for m, measure in enumerate(base.measures):
        a = base.summary()[:, m]
        for name, other in others:
            b = other.summary()[:, m]
            order = None if len(a) < 2 else judges_runs.order(base, other, measure=measure)
            of_pair = None if order is None else number(order.tau)
            row: list[Cell] = [measure, name, of_pair, float(a.mean()), float(b.mean())]
            if order is not None:
                row += map(number, (order.tau_low, order.tau_high, order.tau_ap))
                row += [order.inverted_pairs, order.largest_drop]
            rows.append(row if order is not None else [*row, *[None] * 5])
            x, y = f"{measure}, {first}", f"{measure}, {name}"
            panels.append(scatter(x, y, a, b, names, value=of_pair))
    header = ["measure", "judgments", "tau", "mean, first judge", "mean"]
    header += ["tau low", "tau high", "tau_AP", "inverted in the top 10", "largest drop"]
    title = "The order of the runs under other judgments than the first judge's"
    figure = Figure("orders", title, panels, columns=min(4, len(others)))
    known = [row for row in rows if row[2] is not None]
    says = ""
    if known:
        least = min(known, key=lambda row: float(str(row[2])))
        says = (
            f"The runs keep their order with a tau of at least {least[2]:.3f} whoever judges: that "
            f"is {least[0]} under the first judge and under {least[1]}."
        )
    note = (
        "The interval of tau holds 95 % of resamples of topics; inverted: pairs of the ten best "
        "runs under the first judge; the largest drop is the most ranks that a run falls."
    )
    return Found([Table("orders", title, header, rows, note)], [figure], says)


def _documents(inputs: Inputs, options: Options, report: Report) -> Found:
    """The first judge beside each other one, over all documents that either judged."""
    (_, first), *others = _judges(inputs, options).items()
    found = {name: judges_documents.documents(first, other) for name, other in others}
    names = dict.fromkeys(name for one in found.values() for name in one.means)
    rows: list[list[Cell]] = [
        [judge, name, number(one.all[name]), number(one.means[name])]
        for judge, one in found.items()
        for name in names
        if name in one.means
    ]
    columns = ["judge", "coefficient", "all documents", "mean over topics"]
    note = (
        "All documents that either judged, with grade 0 where one did not; over, under: graded "
        "higher and lower than by the first judge; leniency: the mean grade less the first judge's."
    )
    title = "Each judge beside the first, over all documents"
    return Found([Table("documents", title, columns, rows, note)])


AGREEMENT = Study(
    "Do judges agree?",
    "Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.5.",
    (
        BESIDE_GAINS,
        "Topics that some judge lacks are left out. Only documents that both judged count for the "
        "kappa of two judges.",
        "Runs are scored under all judgments of each judge; without runs the study is about the "
        "judges alone.",
    ),
    (
        Section("kappa", _kappa, ("second",)),
        Section("documents", _documents, ("second",)),
        Section("orders", _orders, ("second", "measures")),
    ),
    {"second": None, "measures": ("AP", "nDCG@10")},
    runs=0,
    taus=True,
)
