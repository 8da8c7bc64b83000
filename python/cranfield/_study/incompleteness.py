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
from cranfield._study.definition import BESIDE_GAINS, Options, Report, Study, test_title
from cranfield._study.folder import slug
from cranfield._study.inputs import Inputs
from cranfield._study.results import Figure, Found, Line, Panel, Table, percent, scatter, triangle

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

STATISTICS = {
    "tau": "Kendall's tau",
    "rho": "linear correlation",
    "rms": "RMS error",
    "mean": "mean of runs and topics",
    "power": "discriminative power",
}
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


def _collection(inputs: Inputs, options: Options, report: Report) -> Found:
    """Sakai's Table 1."""
    judged = [np.array(list(docs.values())) for docs in inputs.qrels.to_dict().values()]
    lowest = inputs.lowest_relevant
    relevant = np.array([(grades >= lowest).sum() for grades in judged])
    others = np.array([((grades >= 0) & (grades < lowest)).sum() for grades in judged])
    of_grade = {
        f"mean of grade {grade:g}": [np.mean([(grades == grade).sum() for grades in judged])]
        for grade in reversed(inputs.grades.tolist())
        if grade > 0
    }
    columns = {
        "topics": [len(judged)],
        "N": [f"{others.min()}-{others.max()}"],
        "R": [f"{relevant.min()}-{relevant.max()}"],
        "mean N": [others.mean()],
        "mean R": [relevant.mean()],
        **of_grade,
        "runs used": [len(inputs.ranked)],
    }
    above = int((relevant > others).sum())
    note = (
        "N: documents judged not relevant, R: relevant ones, of a topic. "
        f"R is above N in {counted(above, 'topic') if above else 'no topic'}."
    )
    table = Table.of("sakai-table-1", "Sakai, Table 1: the data", columns, note)
    return Found([replace(table, decimals=1)])


def _sakai(options: Options) -> Sequence[str]:
    """The measures of Sakai's tables, or those that were asked for."""
    return SAKAI if options["measures"] is None else options["measures"]


def _agreement(inputs: Inputs, options: Options, report: Report) -> Found:
    """Sakai's Table 2; one measure has none to agree with."""
    scores = inputs.scores(_sakai(options))
    if len(scores.measures) < 2:
        return Found()
    matrix = meta.correlation(scores)
    title = "Sakai, Table 2: Kendall's tau between orders of the runs, full judgments"
    note = f"Bold: above {HIGH:g}."
    labels = list(map(short, matrix.labels))
    table = triangle("sakai-table-2", title, matrix, labels, note, decimals=3)
    for i, row in enumerate(table.rows):
        table.bold.extend([i, j] for j, tau in enumerate(row) if j and tau and tau > HIGH)
    return Found([table])


def _power(inputs: Inputs, options: Options, report: Report) -> Found:
    """Sakai's Table 3."""
    found = inputs.discriminative_power(inputs.scores(_sakai(options)), options)
    order = np.argsort(-found.power, kind="stable")
    required = "smallest significant difference"
    explained = "the smallest difference of means that was significant"
    if options["test"] == "bootstrap":
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
    note = (
        f"Pairs of runs that differ at {options['alpha']:g} by the {test_title(options)}, and "
        f"{explained}. Bold: measures on judged documents only."
    )
    title = "Sakai, Table 3: discriminative power, full judgments"
    table = Table.of("sakai-table-3", title, columns, note)
    table.bold.extend([row, 0] for row, i in enumerate(order) if on_judged(found.measures[i]))
    return Found([table])


def _reduced(inputs: Inputs, options: Options, report: Report) -> Found:
    """Sakai's Figures 1 to 3."""
    measures = _sakai(options)
    inputs.check(measures)
    judged = inputs.qrels, inputs.ranked
    tested = {name: options[name] for name in ("test", "alpha")}
    rates = options["rates"]
    curve = sampled(meta.incompleteness, inputs, options, judged, measures, rates, report, **tested)
    labels = {measure: short(measure) for measure in curve.measures}
    titles = {
        "mean": "performance averaged over topics and runs",
        "tau": "the order of the runs against that under full judgments",
        "power": f"discriminative power by the {test_title(options)}",
    }
    panels = {name: against_rate(curve, name, labels, dotted=True) for name in titles}
    runs = len(inputs.ranked)
    level_label = f"significant at {CRITICAL:g} for {runs} runs"
    panels["tau"] = replace(panels["tau"], level=critical_tau(runs), level_label=level_label)
    figures = [
        Figure(f"sakai-figure-{place}", f"Sakai, Figure {place}: {title}", [panel], note=RAW)
        for place, (title, panel) in enumerate(
            zip(titles.values(), panels.values(), strict=True), 1
        )
    ]
    title = "Means over the samples at each share of judgments"
    table = means_by_rate("sakai-reduced", title, curve, titles, labels)
    several = len(curve.measures) > 1
    says = best_and_worst(curve, labels, "judgments") if several else ""
    return Found([table], figures, says)


RAW = "Dotted: measures on whole rankings, where unjudged documents count as nonrelevant."


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
    inputs: Inputs,
    options: Options,
    judged: tuple[Qrels, list[Ranked]],
    measures: Iterable[str],
    some_rates: Iterable[float],
    report: Report,
    **more: Any,
) -> meta.Curve:
    """A curve whose last rate is 1, where all samples are the same and only one is computed."""
    samples, rates = options["samples"], sorted({*some_rates, 1.0})
    total = 1 + (len(rates) - 1) * samples
    more |= {"seed": options["seed"], "rel": inputs.rel, "threads": inputs.threads}
    vary = partial(vary, *judged, list(measures), **more)
    whole = vary(rates[-1:], samples=1, progress=lambda _, __: report(1, total))
    repeated = {name: np.repeat(found, samples, axis=1) for name, found in whole.samples.items()}
    if len(rates) == 1:
        return meta.Curve(whole.measures, whole.x, repeated)
    below = vary(rates[:-1], samples=samples, progress=lambda done, _: report(1 + done, total))
    joined = {
        name: np.concatenate([found, repeated[name]]) for name, found in below.samples.items()
    }
    return meta.Curve(below.measures, np.concatenate([below.x, whole.x]), joined)


def means_by_rate(
    name: str,
    title: str,
    curve: meta.Curve,
    statistics: Iterable[str],
    labels: Mapping[str, str],
) -> Table:
    """The means over the samples, a row for each measure and statistic, a column for each rate."""
    rows = [
        [labels[measure], statistic, *curve.mean(statistic)[::-1, m]]
        for statistic in statistics
        for m, measure in enumerate(curve.measures)
    ]
    shares = (f"{100 * float(rate):g}%" for rate in curve.x[::-1])
    return Table.of_lists(name, title, ["measure", "statistic", *shares], rows)


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


def estimated(
    inputs: Inputs, options: Options
) -> tuple[Mapping[str, str], tuple[Qrels, list[Ranked]]]:
    """The measures compared with actual AP and their labels; the whole pool, and the runs on it."""
    asked = options["measures"]
    labels = estimates(asked)
    inputs.check([*labels, "AP"])
    qrels = whole_pool(inputs, options["pool_depth"])
    ranked = inputs.chosen(inputs.rank(qrels, keep_unjudged=True, measures=asked))
    return labels, (qrels, ranked)


def _estimates(inputs: Inputs, options: Options, report: Report) -> Found:
    """Yilmaz and Aslam's Figures 1 to 7 and 9."""
    labels, judged = estimated(inputs, options)
    rates = *options["sample_rates"], *SCATTER
    how = {"method": "random", "truth": "AP", "power": False}
    curve = sampled(meta.incompleteness, inputs, options, judged, labels, rates, report, **how)
    means = _against_actual(*judged, curve, options["seed"], inputs.rel, labels)
    figures = _one_by_one(curve, labels, means)
    panels = [against_rate(curve, name, labels) for name in AGAINST_AP]
    title = "Yilmaz and Aslam, Figure 9: the estimates compared"
    figures.append(Figure("yilmaz-figure-9", title, panels, columns=2))
    title = "Estimates against actual AP: means over the samples"
    table = means_by_rate("yilmaz-estimates", title, curve, AGAINST_AP, labels)
    return Found([table], figures, _nearest(curve, labels))


def _one_by_one(
    curve: meta.Curve, labels: Mapping[str, str], means: Mapping[str, list[Panel]]
) -> list[Figure]:
    """Figures 1 to 7: each measure's means against actual AP, and how far it is from AP.

    The paper's measures stand beside its baseline; others have the names of these in their files.
    """
    paper = labels is ESTIMATES
    baseline = {BASELINE: labels[BASELINE]} if paper else {}
    note = "Each point is a run; the sample shown is the one with RMS error closest to the mean."
    figures = []
    for place, (measure, label) in enumerate(labels.items()):
        name = slug(measure)
        first, second = (
            (f"{2 * place or 1}", f"{2 * place + 1}") if paper else (name, f"{name}-rates")
        )
        title = f"{label} of runs under a sample of the judgments, against actual AP"
        if paper:
            title = f"Yilmaz and Aslam, Figure {first}: {label} of runs"
        figures.append(Figure(f"yilmaz-figure-{first}", title, means[measure], 3, note))
        if measure in baseline:
            continue
        beside = {**baseline, measure: label}
        panels = [against_rate(curve, statistic, beside) for statistic in ("tau", "rho", "rms")]
        title = f"Yilmaz and Aslam, Figure {second}" if paper else "As Yilmaz and Aslam's figures"
        title += f": {label} against actual AP"
        figures.append(Figure(f"yilmaz-figure-{second}", title, panels, columns=3))
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
    qrels: Qrels,
    ranked: list[Ranked],
    curve: meta.Curve,
    seed: int,
    rel: float | None,
    labels: Mapping[str, str],
) -> dict[str, list[Panel]]:
    """Means of runs under samples of judgments against their actual AP, by measure.

    There is a panel for each share, with the sample whose RMS error is nearest the mean.
    """
    runs = [run.name for run in ranked]
    lowest = 1.0 if rel is None else rel

    def means(judged: Qrels, measure: str) -> NDArray[np.float64]:
        return rescored(judged, ranked, [measure], rel=rel).mean()[:, 0]

    def panel(rate: float, measure: str) -> Panel:
        point, place = list(curve.x).index(rate), curve.measures.index(measure)
        rms = curve.samples["rms"][point, :, place]
        sample = int(np.argmin(np.abs(rms - rms.mean())))
        seed_of_sample = meta.seed_of(seed, sample)
        judged = collection.reduce(qrels, rate, "random", seed=seed_of_sample, rel=lowest)
        tau, rho = (curve.samples[name][point, sample, place] for name in ("tau", "rho"))
        axes = "mean actual AP", f"mean {labels[measure]}"
        drawn = scatter(axes, (actual, means(judged, measure)), runs)
        text = f"RMS = {rms[sample]:.4f}\ntau = {tau:.3f}\nrho = {rho:.3f}"
        return replace(drawn, title=f"{100 * rate:g}% of the judgments", text=text)

    actual = means(qrels, "AP")
    return {measure: [panel(rate, measure) for rate in SCATTER] for measure in labels}


def _vanishing(inputs: Inputs, options: Options, report: Report) -> Found:
    labels, judged = estimated(inputs, options)
    # One topic cannot distinguish any pairs of runs.
    power = len(inputs.qrels) > 1
    how = {"truth": "AP", "power": power, "test": options["test"], "alpha": options["alpha"]}
    rates = options["rates"]
    curve = sampled(meta.imperfection, inputs, options, judged, labels, rates, report, **how)
    statistics = [name for name in STATISTICS if power or name != "power"]
    tau, *others = (against_rate(curve, name, labels, "documents") for name in statistics)
    title = "Figure 8: the ranking of the runs as the collection shrinks"
    figures = [Figure("figure-8", title, [tau])]
    title, most = "The other statistics, as in Figure 9", len(AGAINST_AP) - 1
    figures.append(Figure("figure-8-more", title, others[:most], columns=3))
    if power:
        title = f"Discriminative power by the {test_title(options)} at {options['alpha']:g}"
        figures.append(Figure("power", title, others[most:]))
    title = "Against AP in the whole collection: means over the samples"
    table = means_by_rate("imperfection", title, curve, statistics, labels)
    says = best_and_worst(curve, labels, "documents left", " by AP")
    return Found([table], figures, says)


SAMPLED = {
    "samples": 10,
    "seed": 0,
    "test": "t",
    "alpha": 0.05,
    "pool_depth": 100,
    "pool_runs": None,
}
"""The options of both studies, with their defaults."""

INCOMPLETENESS = Study(
    "What missing judgments do to measures",
    "Sakai (2007), Alternatives to bpref, SIGIR: Figures 1 to 3, Tables 1 to 3, each measure "
    "against itself under full judgments. Yilmaz and Aslam (2006), Estimating average precision "
    "with incomplete and imperfect judgments, CIKM: Figures 1 to 7 and 9, all measures against AP "
    "under full judgments.",
    (
        BESIDE_GAINS,
        "Bands hold 95% of the samples; more than six measures with bands have a panel each. "
        "Sakai drew one sample, Yilmaz and Aslam ten.",
        "Sakai uses the 30 runs with the highest mean AP: --top 30 --by AP.",
        "Sakai's discriminative power is that of the bootstrap test: --test bootstrap gives it.",
        "The line in Figure 2 is the tau that is significant by the two-sided normal test.",
        "Yilmaz and Aslam sample the pool of all given runs, whichever runs are chosen, or of "
        "those that --pool-runs names: unjudged documents in it count as judged nonrelevant, as do "
        "documents that the judgments list without a grade.",
        "--measures replaces Sakai's measures as well as Yilmaz and Aslam's, whose truth is AP.",
    ),
    {
        "sakai-table-1": _collection,
        "sakai-table-2": _agreement,
        "sakai-table-3": _power,
        "sakai-figures": _reduced,
        "yilmaz-figures": _estimates,
    },
    {
        "measures": None,
        "rates": (0.1, 0.3, 0.5, 0.7, 0.9),
        "sample_rates": (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
        **SAMPLED,
    },
    ranked_for=_sakai,
    topics=2,
    taus=True,
)

IMPERFECTION = Study(
    "What happens when documents are removed",
    "Yilmaz and Aslam (2006), Estimating average precision with incomplete and imperfect "
    "judgments, CIKM, section 3: Figure 8.",
    (
        BESIDE_GAINS,
        "The same documents are removed from all runs and for all topics; the judgments stay.",
        "The judgments are those of the pool of all given runs, or of those that --pool-runs "
        "names, as in the incompleteness study.",
        "Bands hold 95% of the samples. Discriminative power is not in the paper.",
    ),
    {"figure-8": _vanishing},
    {"measures": None, "rates": (0.5, 0.6, 0.7, 0.8, 0.9, 1.0), **SAMPLED},
    taus=True,
)
