"""What missing judgments do to measures, and what happens when documents are removed.

Sakai (2007), Alternatives to bpref, SIGIR: Figures 1 to 3 and Tables 1 to 3,
each measure against itself under full judgments. Yilmaz and Aslam (2006),
Estimating average precision with incomplete and imperfect judgments, CIKM:
Figures 1 to 7 and 9, with bpref_10 as the baseline and AP under full judgments
as the truth, from a pool of all runs given. Discriminative power is by the t
test unless another is asked for; Sakai's is the bootstrap test. Of documents that vanish from the
collection Yilmaz and Aslam's Figure 8, with the same baseline.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield import collection, meta
from cranfield._base.text import counted
from cranfield._core import Qrels, Ranked
from cranfield._measures.parse import as_measures
from cranfield._scoring.evaluator import evaluate
from cranfield._scoring.ranked import rescored
from cranfield._study.definition import Options, Study, described
from cranfield._study.folder import slug
from cranfield._study.inputs import Inputs, Task
from cranfield._study.results import Figure, Found, Line, Panel, by_name, percent, scatter, triangle

SAKAI = (
    *("bpref_R", "bpref_N", "rpref_N", "rpref_relative2", "AP'", "Q'", 'nDCG(dcg="jk")\'@1000'),
    *("AP", "Q", 'nDCG(dcg="jk")@1000'),
)
"""The measures of Sakai's tables; AP' is also bpref_relative2."""

BASELINE = "bpref_10"
"""What the estimates are compared with in Yilmaz and Aslam's figures."""

ESTIMATES = {BASELINE: "bpref-10", "AP'": "indAP (AP')", "subAP": "subAP", "infAP": "infAP"}
"""The measures of Yilmaz and Aslam's figures, with their names there."""

HIGH = 0.8
"""Coefficients above this are bold in Sakai's Table 2."""

CRITICAL = 0.01
"""The level at which Sakai calls a coefficient significant."""

CONDENSED = {"1": {"a": 1.0, "b": 0.0, "c": 2.0, "d": 0.0, "e": 1.0}}
"""Judgments under which a list with other documents has another value than without them."""

FEW = 5.0
"""The axis is logarithmic if judgments go down to so many per cent."""

LABELLED = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)

SCATTER = (0.3, 0.1, 0.05)
"""The proportions of judgments whose means are drawn against the truth."""

STATISTICS: dict[str, str] = described()["incompleteness"]["statistics"]
"""The statistics of a curve, as axes name them."""

AGAINST_AP = ("tau", "rho", "rms", "mean")
"""Those of Yilmaz and Aslam's Figure 9."""


def short(measure: str) -> str:
    """A measure as a legend names it."""
    return measure.replace('(dcg="jk")', "")


def estimates(asked: Sequence[str] | None) -> Mapping[str, str]:
    """The measures that are compared with actual AP, as scores and as legends name them."""
    if asked is None:
        return ESTIMATES
    return {str(measure): short(str(measure)) for measure in as_measures(list(asked))}


@cache
def on_judged(measure: str) -> bool:
    """Whether a measure looks at judged documents alone, wherever unjudged ones are."""
    # Beyond any usual cutoff, too.
    between = [f"x{place}" for place in range(UNJUDGED)]
    values = []
    for ranking in (["x", "a", "y", "b", *between, "c", "d", "e"], list("abcde")):
        scores = {doc: float(-place) for place, doc in enumerate(ranking)}
        values.append(evaluate(CONDENSED, {"r": {"1": scores}}, [measure]).values)
    return bool(np.array_equal(values[0], values[1]))


UNJUDGED = 2000


def critical_tau(runs: int) -> float:
    """The tau of two orders of so many runs that is significant by the normal test."""
    deviation = math.sqrt(2 * (2 * runs + 5) / (9 * runs * (runs - 1)))
    return NormalDist().inv_cdf(1 - CRITICAL / 2) * deviation


def _collection(task: Task) -> Found:
    """Sakai's Table 1."""
    judged = [np.array(list(docs.values())) for docs in task.inputs.qrels.to_dict().values()]
    lowest = task.inputs.lowest_relevant
    relevant = np.array([(grades >= lowest).sum() for grades in judged])
    others = np.array([((grades >= 0) & (grades < lowest)).sum() for grades in judged])
    of_grade = {
        f"mean of grade {grade:g}": [np.mean([(grades == grade).sum() for grades in judged])]
        for grade in reversed(task.inputs.grades.tolist())
        if grade > 0
    }
    columns = {
        "topics": [len(judged)],
        "N": [f"{others.min()}-{others.max()}"],
        "R": [f"{relevant.min()}-{relevant.max()}"],
        "mean N": [others.mean()],
        "mean R": [relevant.mean()],
        **of_grade,
        "runs used": [len(task.inputs.ranked)],
    }
    above = int((relevant > others).sum())
    how_many = counted(above, "topic") if above else "no topic"
    return Found([task.table("sakai-table-1", columns, above=how_many)])


def _sakai(options: Options) -> Sequence[str]:
    """The measures of Sakai's tables, or those that were asked for."""
    return SAKAI if options["measures"] is None else options["measures"]


def _agreement(task: Task) -> Found:
    """Sakai's Table 2; one measure has none to agree with."""
    scores = task.inputs.scores(_sakai(task.options))
    if len(scores.measures) < 2:
        return Found()
    matrix = meta.correlation(scores)
    columns = triangle(matrix, list(map(short, matrix.labels)))
    table = task.table("sakai-table-2", columns, high=HIGH)
    high = np.argwhere(np.triu(matrix.values, 1) > HIGH)
    table.bold.extend(high.tolist())
    return Found([table])


def _power(task: Task) -> Found:
    """Sakai's Table 3."""
    found = task.power(task.inputs.scores(_sakai(task.options)))
    order = np.argsort(-found.power, kind="stable")
    required = "smallest significant difference"
    explained = "the smallest difference of means that was significant"
    if task.options["test"] == "bootstrap":
        required = "estimated difference required"
        explained = "Sakai's estimate of the difference of means that it takes to be significant"
    columns = {
        "measure": [short(found.measures[i]) for i in order],
        "significant": found.significant.sum(axis=1)[order],
        "pairs": [len(found.pairs)] * len(order),
        "power": found.power[order],
        "of different pairs": found.power_of_different[order],
        required: found.required[order],
    }
    table = task.table("sakai-table-3", columns, explained=explained)
    table.bold.extend([row, 0] for row, i in enumerate(order) if on_judged(found.measures[i]))
    return Found([table])


def _reduced(task: Task) -> Found:
    """Sakai's Figures 1 to 3."""
    inputs, measures = task.inputs, _sakai(task.options)
    inputs.check(measures)
    judged = inputs.qrels, inputs.ranked
    tested = {name: task.options[name] for name in ("test", "alpha")}
    rates = task.options["rates"]
    curve = sampled(meta.incompleteness, task, judged, measures, rates, **tested)
    labels = {measure: short(measure) for measure in curve.measures}
    statistics = "mean", "tau", "power"
    panels = [against_rate(curve, name, labels, dotted=True) for name in statistics]
    runs = len(inputs.ranked)
    level_label = f"significant at {CRITICAL:g} for {runs} runs"
    panels[1] = replace(panels[1], level=critical_tau(runs), level_label=level_label)
    figures = [task.figure(f"sakai-figure-{i}", [panel]) for i, panel in enumerate(panels, 1)]
    table = task.table("sakai-reduced", means_by_rate(curve, statistics, labels))
    several = len(curve.measures) > 1
    says = best_and_worst(curve, labels, "judgments") if several else ""
    return Found([table], figures, says)


def best_and_worst(curve: meta.Curve, labels: Mapping[str, str], left: str, by: str = "") -> str:
    """Which measure keeps the order of the runs best and worst where the least is left."""
    taus = dict(zip(curve.measures, curve.mean("tau")[0].tolist(), strict=True))
    known = [measure for measure, tau in taus.items() if not math.isnan(tau)]
    if not known or len(curve.x) < 2:
        return ""
    best, worst = max(known, key=taus.__getitem__), min(known, key=taus.__getitem__)
    subject = f"With {percent(curve.x[0])} of the {left} {labels[best]}"
    if best == worst:
        return f"{subject} has a tau of {taus[best]:.2f} with the order of the runs{by}."
    return (
        f"{subject} keeps the order of the runs{by} best (tau {taus[best]:.2f}), {labels[worst]} "
        f"worst ({taus[worst]:.2f})."
    )


def sampled(
    vary: Callable[..., meta.Curve],
    task: Task,
    judged: tuple[Qrels, list[Ranked]],
    measures: Iterable[str],
    some_rates: Iterable[float],
    **more: Any,
) -> meta.Curve:
    """A curve whose last rate is 1, where all samples are the same and only one is computed."""
    samples, rates = task.options["samples"], sorted({*some_rates, 1.0})
    total = 1 + (len(rates) - 1) * samples
    more |= {"seed": task.options["seed"], "rel": task.inputs.rel, "threads": task.inputs.threads}
    vary = partial(vary, *judged, list(measures), **more)
    whole = vary(rates[-1:], samples=1, progress=lambda _, __: task.report(1, total))
    repeated = {name: np.repeat(found, samples, axis=1) for name, found in whole.samples.items()}
    if len(rates) == 1:
        return meta.Curve(whole.measures, whole.x, repeated)
    below = vary(rates[:-1], samples=samples, progress=lambda n, _: task.report(1 + n, total))
    joined = {
        name: np.concatenate([found, repeated[name]]) for name, found in below.samples.items()
    }
    return meta.Curve(below.measures, np.concatenate([below.x, whole.x]), joined)


def means_by_rate(
    curve: meta.Curve, statistics: Iterable[str], labels: Mapping[str, str]
) -> dict[str, Any]:
    """The means over the samples, a row for each measure and statistic, a column for each rate."""
    rows = [
        [labels[measure], statistic, *curve.mean(statistic)[::-1, m]]
        for statistic in statistics
        for m, measure in enumerate(curve.measures)
    ]
    shares = (f"{100 * float(rate):g}%" for rate in curve.x[::-1])
    return by_name(["measure", "statistic", *shares], rows)


def against_rate(
    curve: meta.Curve,
    name: str,
    labels: Mapping[str, str],
    what: str = "judgments",
    *,
    dotted: bool = False,
) -> Panel:
    """A statistic of measures against the proportion of what stays, with its spread."""
    x = [100 * float(rate) for rate in curve.x]
    mean, (low, high) = curve.mean(name), curve.band(name)
    lines = [
        Line(
            labels[measure],
            x,
            mean[:, m],
            low[:, m],
            high[:, m],
            color=list(labels).index(measure),
            dotted=dotted and not on_judged(measure),
        )
        for m, measure in enumerate(curve.measures)
        if measure in labels
    ]
    # Shares of a few per cent need a logarithm to be told apart.
    log = x[0] <= FEW
    ticks = [rate for rate in x if rate in LABELLED] if log else None
    return Panel(
        f"{what} that stay (%)", STATISTICS[name], lines, log=log, ticks=ticks, reverse=True
    )


def whole_pool(inputs: Inputs, depth: int) -> Qrels:
    """Judgments of the whole pool of all runs, without unjudged documents.

    Documents in the pool that have no judgment, or a grade below 0, are not relevant.
    """
    pooled = inputs.pool(depth).to_dict()
    others = {
        topic: {
            **{doc: 0.0 for doc, grade in documents.items() if grade < 0},
            **dict.fromkeys(pooled.get(topic, ()), 0.0),
        }
        for topic, documents in inputs.qrels.to_dict().items()
    }
    return collection.merge(inputs.qrels, others)


def estimated(task: Task) -> tuple[Mapping[str, str], tuple[Qrels, list[Ranked]]]:
    """The measures compared with actual AP and their labels; the whole pool, and the runs on it."""
    inputs, asked = task.inputs, task.options["measures"]
    labels = estimates(asked)
    inputs.check([*labels, "AP"])
    qrels = whole_pool(inputs, task.options["pool_depth"])
    ranked = inputs.chosen(inputs.rank(qrels, keep_unjudged=True, measures=asked))
    return labels, (qrels, ranked)


def _estimates(task: Task) -> Found:
    """Yilmaz and Aslam's Figures 1 to 7 and 9."""
    labels, judged = estimated(task)
    rates = *task.options["sample_rates"], *SCATTER
    how = {"method": "random", "truth": "AP", "power": False}
    curve = sampled(meta.incompleteness, task, judged, labels, rates, **how)
    figures = _one_by_one(task, curve, labels, _against_actual(task, judged, curve, labels))
    panels = [against_rate(curve, name, labels) for name in AGAINST_AP]
    figures.append(task.figure("yilmaz-figure-9", panels))
    table = task.table("yilmaz-estimates", means_by_rate(curve, AGAINST_AP, labels))
    return Found([table], figures, _nearest(curve, labels))


def _one_by_one(
    task: Task, curve: meta.Curve, labels: Mapping[str, str], means: Mapping[str, list[Panel]]
) -> list[Figure]:
    """Figures 1 to 7: each measure's means against actual AP, and how far it is from AP.

    The paper's measures stand beside its baseline; others have the names of these in their files.
    """
    paper = labels is ESTIMATES
    baseline = {BASELINE: labels[BASELINE]} if paper else {}
    figures: list[Figure] = []

    def add(entry: str, panels: list[Panel], name: str, label: str) -> None:
        own = f"{'yilmaz-' * paper}{entry}"
        figures.append(task.figure(own, panels, f"yilmaz-figure-{name}", place=name, label=label))

    for place, (measure, label) in enumerate(labels.items()):
        file = slug(measure)
        add("points", means[measure], f"{2 * place or 1}" if paper else file, label)
        if measure not in baseline:
            beside = {**baseline, measure: label}
            panels = [against_rate(curve, statistic, beside) for statistic in ("tau", "rho", "rms")]
            add("rates", panels, f"{2 * place + 1}" if paper else f"{file}-rates", label)
    return figures


TENTH = 0.1
"""The proportion of judgments at which estimates are compared in a sentence."""


def _nearest(curve: meta.Curve, labels: Mapping[str, str]) -> str:
    """Which estimate is nearest to AP under a tenth of the judgments."""
    place = int(np.argmin(np.abs(curve.x - TENTH)))
    rms, taus = curve.mean("rms")[place], curve.mean("tau")[place]
    best, worst = int(np.argmin(rms)), int(np.argmax(rms))
    first, last = (labels[curve.measures[m]] for m in (best, worst))
    if best == worst:
        return ""
    return (
        f"From a random {percent(curve.x[place])} of the pool {first} estimates AP best (RMS error "
        f"{rms[best]:.3f}, tau {taus[best]:.2f}), {last} worst ({rms[worst]:.3f}, "
        f"{taus[worst]:.2f})."
    )


def _against_actual(
    task: Task, judged: tuple[Qrels, list[Ranked]], curve: meta.Curve, labels: Mapping[str, str]
) -> dict[str, list[Panel]]:
    """Means of runs under samples of judgments against their actual AP, by measure.

    There is a panel for each share, with the sample whose RMS error is nearest the mean.
    """
    (qrels, ranked), rel = judged, task.inputs.rel
    runs = [run.name for run in ranked]

    def means(judged: Qrels, measure: str) -> NDArray[np.float64]:
        return rescored(judged, ranked, [measure], rel=rel).mean()[:, 0]

    def panel(rate: float, measure: str) -> Panel:
        point, place = list(curve.x).index(rate), curve.measures.index(measure)
        rms = curve.samples["rms"][point, :, place]
        sample = int(np.argmin(np.abs(rms - rms.mean())))
        seed, lowest = meta.seed_of(task.options["seed"], sample), task.inputs.lowest_relevant
        some = collection.reduce(qrels, rate, "random", seed=seed, rel=lowest)
        tau, rho = (curve.samples[name][point, sample, place] for name in ("tau", "rho"))
        axes = "mean actual AP", f"mean {labels[measure]}"
        drawn = scatter(axes, (actual, means(some, measure)), runs)
        text = f"RMS = {rms[sample]:.4f}\ntau = {tau:.3f}\nrho = {rho:.3f}"
        return replace(drawn, title=f"{100 * rate:g}% of the judgments", text=text)

    actual = means(qrels, "AP")
    return {measure: [panel(rate, measure) for rate in SCATTER] for measure in labels}


def _vanishing(task: Task) -> Found:
    labels, judged = estimated(task)
    # One topic cannot distinguish any pairs of runs.
    power = len(task.inputs.qrels) > 1
    how = {name: task.options[name] for name in ("test", "alpha")}
    how |= {"truth": "AP", "power": power}
    curve = sampled(meta.imperfection, task, judged, labels, task.options["rates"], **how)
    statistics = [name for name in STATISTICS if power or name != "power"]
    tau, *others = (against_rate(curve, name, labels, "documents") for name in statistics)
    most = len(AGAINST_AP) - 1
    figures = [task.figure("figure-8", [tau]), task.figure("figure-8-more", others[:most])]
    if power:
        figures.append(task.figure("power", others[most:]))
    table = task.table("imperfection", means_by_rate(curve, statistics, labels))
    says = best_and_worst(curve, labels, "documents left", " by AP")
    return Found([table], figures, says)


INCOMPLETENESS = Study(
    "incompleteness",
    {
        "sakai-table-1": _collection,
        "sakai-table-2": _agreement,
        "sakai-table-3": _power,
        "sakai-figures": _reduced,
        "yilmaz-figures": _estimates,
    },
    _sakai,
)
IMPERFECTION = Study("imperfection", {"figure-8": _vanishing})
