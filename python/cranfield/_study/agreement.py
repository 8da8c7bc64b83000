"""Whether sets of judgments agree, and whether that changes the order of runs.

Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval,
section 8.5: kappa with pooled marginals, which the book prefers, with separate
ones, and with chance of one half for relevant or not, and its rule of thumb;
then the runs under each judge, and under what all or any of them call relevant
(exercise 8.10).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import combinations
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield import collection, stats
from cranfield._analysis import judges as two_judges
from cranfield._analysis.judges import Marginals
from cranfield._base.errors import failure
from cranfield._core import Error, Qrels
from cranfield._io.inputs import as_qrels
from cranfield._study.definition import Study
from cranfield._study.folder import slug
from cranfield._study.inputs import Task
from cranfield._study.results import Found, Table, by_name, percent, plain, scatter

GOOD, FAIR = 0.8, 0.67
"""The rule of thumb of section 8.5."""

THUMB = "rule of thumb"

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


def rule(kappa: float | None) -> str:
    """What the rule of thumb says of a kappa."""
    if kappa is None:
        return "undefined"
    return "good" if kappa > GOOD else "fair" if kappa >= FAIR else "dubious"


def _judges(task: Task) -> dict[str, Qrels]:
    """The judgments of each judge on the topics that all have, by name."""
    own, others = task.inputs.qrels, task.options["second"]
    if not others:
        message = "the study needs the judgments of a second judge: give"
        raise failure("option", f"{message} second=QRELS", command_line=f"{message} --second QRELS")
    several = [own, *map(as_qrels, [others] if isinstance(others, str) else others)]
    shared = [topic for topic in own.topics if all(topic in one for one in several)]
    if not shared:
        sets = "two sets" if len(several) == 2 else f"{len(several)} sets"
        raise failure("label", f"the {sets} of judgments have no topic in common")
    names = (*ORDINALS, *(f"judge {place + 1}" for place in range(len(ORDINALS), len(several))))
    return {name: one.restrict_to_topics(shared) for name, one in zip(names, several, strict=False)}


def _grades(judges: Mapping[str, Qrels]) -> tuple[list[tuple[str, str]], NDArray[np.float64]]:
    """The documents of any judge by topic, and the grades of each judge, NaN where it has none."""
    several = [judge.to_dict() for judge in judges.values()]
    items = dict.fromkeys(
        (topic, doc) for one in several for topic, docs in one.items() for doc in docs
    )
    found = [[one[topic].get(doc, math.nan) for topic, doc in items] for one in several]
    return list(items), np.array(found)


def _together(judges: Mapping[str, Qrels]) -> dict[str, Qrels]:
    """The judgments of all judges, which have the lowest grades, and of any, with the highest."""
    items, grades = _grades(judges)
    chosen = {
        "all (AND)": (grades.min(axis=0), (grades >= 0).all(axis=0)),
        "any (OR)": (np.fmax.reduce(grades), np.full(len(items), fill_value=True)),
    }
    sets = {}
    for name, (values, kept) in chosen.items():
        found: dict[str, dict[str, float]] = {}
        for place in np.flatnonzero(kept).tolist():
            topic, document = items[place]
            found.setdefault(topic, {})[document] = float(values[place])
        # Merged for what they know of the collection.
        whole = collection.merge(found, *judges.values())
        sets[name] = whole.restrict_to_topics(found).restrict_to_pool(Qrels(found))
    return sets


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

LABELS = {RELEVANT: (0, 1)}
"""The labels that there are, where judges need not have given all."""

Row: TypeAlias = dict[str, Any]


def _kappa(task: Task) -> Found:
    """The contingency tables, and kappa of each pair."""
    judges, lowest = _judges(task), task.inputs.lowest_relevant
    several = len(judges) > 2
    tables: list[Table] = []
    rows: list[Row] = []
    for (one, a), (two, b) in combinations(judges.items(), 2):
        found = collection.agreement(a, b)
        tables.append(_counts(task, found, one, two, several=several))
        for of, marginals in KINDS:
            labels: list[Any] = [found.first, found.second]
            if of == RELEVANT:
                labels = [(grades >= lowest) * 1 for grades in labels]
            about = {"judges": f"{one}, {two}", "of": of, "marginals": marginals}
            kappa = partial(stats.cohen_kappa, *labels, marginals=marginals, labels=LABELS.get(of))
            rows.append({**about, "documents": len(found.first), **_one_kappa(kappa)})
    cited, more = rows, ""
    if several:
        cited = _means(rows)
        rows = rows + cited
        more = " Means are over the pairs of judges whose kappa is defined."
    headline = next(row for row in cited if (row["of"], row["marginals"]) == (RELEVANT, "pooled"))
    tables += [
        task.table("kappa", rows, good=GOOD, fair=FAIR, more=more),
        _coefficients(task, judges, lowest),
        _relevant(task, judges, lowest),
    ]
    return Found(tables, says=_says(headline, len(judges)))


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
    who, mean = "The two judges", ""
    if judges > 2:
        who, mean = f"Two of the {judges} judges", " on average"
    basis = "dubious as a basis of evaluation"
    if row[THUMB] != "dubious":
        basis = f"{row[THUMB]} agreement"
    return (
        f"{who} agree on whether {percent(row['P(A)'], 1)} of the documents are relevant{mean}: "
        f"kappa is {row['kappa']:.3f}, which is {basis} by the rule of thumb."
    )


def _counts(task: Task, found: collection.Agreement, one: str, two: str, *, several: bool) -> Table:
    """How often each pair of grades occurs."""
    grades = [f"{grade:g}" for grade in found.grades]
    columns = {"grade": [f"{one}: {grade}" for grade in grades]}
    columns |= {f"{two}: {grade}": own for grade, own in zip(grades, found.table.T, strict=True)}
    if several:
        name = f"counts-{slug(one)}-{slug(two)}"
        return task.table("counts", columns, name, of=f"{one} and {two}")
    return task.table("counts", columns, of="both")


def _one_kappa(compute: Callable[[], stats.Agreement]) -> Row:
    """P(A), P(E), kappa, its interval and the rule of thumb; nothing where it is undefined."""
    try:
        kappa = compute()
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


def _coefficients(task: Task, judges: Mapping[str, Qrels], lowest: float) -> Table:
    """Coefficients of all judges together."""
    _, grades = _grades(judges)
    grades[grades < 0] = math.nan
    gaps = np.isnan(grades)
    judged = int(((~gaps).sum(axis=0) > 1).sum())
    shared = ~gaps.any(axis=0)
    documents = int(shared.sum())
    rows: list[tuple[Any, ...]] = []

    def add(name: str, of: str, how: str | None, count: int, compute: Any) -> None:
        # Nothing where it is undefined.
        value = None
        with suppress(Error):
            value = plain(compute().statistic)
        rows.append((name, of, how, count, value, rule(value)))

    relevant = np.where(gaps, math.nan, grades >= lowest)
    for of, labels in (("grades", grades), (RELEVANT, relevant)):
        complete = labels[:, shared].tolist()
        for marginals in (own for what, own in KINDS if what == of):
            given: Row = {"marginals": marginals, "labels": LABELS.get(of)}
            kappa = partial(stats.mean_kappa, complete, **given)
            add("mean kappa of pairs", of, marginals, documents, kappa)
        fleiss = partial(_fleiss, complete)
        add("Fleiss' kappa", of, "pooled", documents, fleiss)
        alpha = partial(stats.krippendorff_alpha, labels, level="ordinal")
        add("Krippendorff's alpha", of, None, judged, alpha)
    columns = ["coefficient", "of", "marginals", "documents", "value", THUMB]
    return task.table("coefficients", by_name(columns, rows))


def _fleiss(judges: list[list[float]]) -> stats.Agreement:
    return stats.fleiss_kappa(stats.label_counts(judges))


def _sets(judges: Mapping[str, Qrels]) -> dict[str, Qrels]:
    """The judgments of each judge, and of all together."""
    return {f"{name} judge": judge for name, judge in judges.items()} | _together(judges)


def _relevant(task: Task, judges: Mapping[str, Qrels], lowest: float) -> Table:
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
    return task.table("relevant", rows, overlap=overlap)


def _orders(task: Task) -> Found:
    """The runs under each judge, and under all or any; nothing without runs."""
    inputs = task.inputs
    if not inputs.given:
        return Found()
    measures = task.options["measures"]
    scores = {}
    sets = _sets(_judges(task))
    for done, (name, qrels) in enumerate(sets.items(), 1):
        inputs.check(measures, qrels)
        ranked = inputs.chosen(inputs.rank(qrels, measures=measures))
        scores[name] = inputs.scored(qrels, ranked, measures)
        task.report(done, len(sets))
    (first, base), *others = scores.items()
    rows: list[Row] = []
    panels = []
    for m, measure in enumerate(base.measures):
        a = base.summary()[:, m]
        for name, other in others:
            b = other.summary()[:, m]
            order = None if len(a) < 2 else two_judges.order(base, other, measure=measure)
            row: Row = {"measure": measure, "judgments": name}
            row["tau"] = order and plain(order.tau)
            row |= {"mean, first judge": float(a.mean()), "mean": float(b.mean())}
            rows.append(row | {key: order and getattr(order, of) for key, of in KEPT.items()})
            labels = f"{measure}, {first}", f"{measure}, {name}"
            panels.append(scatter(labels, (a, b), base.runs, row["tau"]))
    figure = replace(task.figure("orders", panels), columns=min(4, len(others)))
    known = [row for row in rows if row["tau"] is not None]
    says = ""
    if known:
        least = min(known, key=itemgetter("tau"))
        says = (
            f"The runs keep their ranking with a tau of at least {least['tau']:.3f} whoever "
            f"judges: that is {least['measure']} under the first judge and under "
            f"{least['judgments']}."
        )
    return Found([task.table("orders", rows)], [figure], says)


KEPT = {
    "tau low": "tau_low",
    "tau high": "tau_high",
    "tau_AP": "tau_ap",
    "inverted in the top 10": "inverted_pairs",
    "largest drop": "largest_drop",
}
"""What the table has of an order beside tau, which is nothing where there are too few runs."""


def _documents(task: Task) -> Found:
    """The first judge beside each other one, over all documents that either judged."""
    (_, first), *others = _judges(task).items()
    found = {name: two_judges.documents(first, other) for name, other in others}
    names = dict.fromkeys(name for one in found.values() for name in one.means)
    rows = [
        [judge, name, one.all[name], one.means[name]]
        for judge, one in found.items()
        for name in names
        if name in one.means
    ]
    columns = ["judge", "coefficient", "all documents", "mean over topics"]
    return Found([task.table("documents", by_name(columns, rows))])


AGREEMENT = Study("agreement", {"kappa": _kappa, "documents": _documents, "orders": _orders})
