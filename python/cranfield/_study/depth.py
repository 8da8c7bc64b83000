"""How deep to pool and how deep to evaluate.

Webber, Moffat and Zobel (2010), The effect of pooling and evaluation depth on
metric stability, EVIA: Tables 1 to 3 and Figures 1 to 4. Pools are made of the
runs given, or of those that are named. Grades are reduced to relevant or not, as
in the paper's section 3.3, so that nDCG sees what precision does. DCG is
Järvelin and Kekäläinen's, as in the paper's equation 5,
whose "min" is a misprint of "max". Besides the proportion of pairs that differ in
some topic, which is what the paper prints, Table 1 has the proportion of all pairs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield import meta, stats
from cranfield._analysis.meta_scores import signs
from cranfield._core import Error, Measure, Qrels
from cranfield._scores.scores import Scores
from cranfield._study.definition import Options, Report, Study, test_title
from cranfield._study.folder import slug
from cranfield._study.inputs import Inputs
from cranfield._study.results import (
    Figure,
    Found,
    Line,
    Panel,
    Table,
    percent,
    scatter,
    tau,
    triangle,
)

Cut: TypeAlias = tuple[str, int | None]

NDCG = 'nDCG(dcg="jk")'
STANDARD = {
    "P@10": "P@10",
    "RBP, p=0.8": "RBP(p=0.8)",
    "RBP, p=0.95": "RBP(p=0.95)",
    "AP@1000": "AP@1000",
    "nDCG@1000": f"{NDCG}@1000",
}
"""The measures of Table 1, as the paper names them."""

SHALLOW, DEEP = 10, 1000
"""The depths that Table 2 compares; the deep pool is the deepest of the options."""


def _power(inputs: Inputs, options: Options, report: Report) -> Found:
    """Table 1."""
    names = STANDARD if options["measures"] is None else {m: m for m in options["measures"]}
    found = inputs.discriminative_power(inputs.scores(list(names.values())), options)
    powers, labels = found.power_of_different, list(names)
    columns = {
        "measure": labels,
        "power": powers,
        "of all pairs": found.power,
        "smallest significant difference": found.required,
    }
    table = Table.of(
        "table-1",
        f"Table 1: discriminative power of {'standard' if names is STANDARD else 'the'} measures",
        columns,
        f"The proportion of pairs of runs that the {test_title(options)} finds significantly "
        f"different at "
        f"{options['alpha']:g}: of the pairs that differ in some topic, as the paper counts, and "
        f"of all {len(found.pairs)} pairs. Bold: the highest of a column.",
    )
    best = np.stack([of == of.max() for of in (powers, found.power)], axis=1)
    table.bold.extend([row, column + 1] for row, column in np.argwhere(best).tolist())
    strong, weak = int(np.argmax(powers)), int(np.argmin(powers))
    says = (
        f"{labels[strong]} tells {percent(powers[strong])} of the pairs of runs apart, "
        f"{labels[weak]} {percent(powers[weak])}."
    )
    return Found([table], says=says)


def to_depth(measure: str, depth: int) -> Cut:
    """A measure at a cutoff in place of its own.

    One that takes none is left as it is, for lists that are cut at the depth.
    """
    try:
        return str(Measure(f"{_bare(measure)}@{depth}")), None
    except Error:
        return measure, depth


def _bare(measure: str) -> str:
    """A measure without its cutoff."""
    return re.sub(r"@[^@]*$", "", measure)


def _asked(options: Options, paper: Mapping[str, str]) -> Mapping[str, str]:
    """The measures of the paper by their names there, or those that were asked for.

    Each of these is there once, without its cutoff; one that takes none is left whole.
    """
    if options["measures"] is None:
        return paper
    measures = [str(Measure(measure)) for measure in options["measures"]]
    bare = (_bare(m) if to_depth(m, SHALLOW)[1] is None else m for m in measures)
    return {measure: measure for measure in bare}


def _cuts(measures: Mapping[str, str], depth: int) -> dict[str, Cut]:
    """Measures at a depth by name: those with cutoffs, then those of lists that are cut."""
    cuts = {name: to_depth(measure, depth) for name, measure in measures.items()}
    return dict(sorted(cuts.items(), key=lambda item: item[1][1] or 0))


def _scores(inputs: Inputs, cuts: Iterable[Cut], qrels: Qrels | None = None) -> dict[Cut, Scores]:
    """The scores in each measure alone, under the judgments or others derived from them."""
    by_depth: dict[int | None, list[str]] = {}
    for measure, depth in cuts:
        by_depth.setdefault(depth, []).append(measure)
    scores = {d: inputs.scores(several, qrels, depth=d) for d, several in by_depth.items()}
    return {(m, d): scores[d].sel(measure=m) for d, several in by_depth.items() for m in several}


def _turned_means(scores: Scores) -> NDArray[np.float64]:
    """The means of the runs in a measure, of which higher ones are better."""
    found: NDArray[np.float64] = meta.means_of(scores.values) * signs(scores.better.values())
    return found[:, 0]


def _orders(inputs: Inputs, options: Options, report: Report) -> Found:
    """Table 2."""
    asked = _asked(options, {"P": "P", "R": "R", "AP": "AP", "nDCG": NDCG})
    first, second = (
        {
            f"{name}@{k}" if depth is None else f"{name} to depth {k}": (measure, depth)
            for name, (measure, depth) in _cuts(asked, k).items()
        }
        for k in (SHALLOW, DEEP)
    )
    whole, note = {}, ""
    if options["measures"] is None:
        # The paper's column of RBP at .8 has lists of full depth under all judgments.
        whole = {"RBP.8": (f"RBP(p=0.8)@{DEEP}", None)}
        second["RBP.9977"] = f"RBP(residual=0.1)@{DEEP}", None
        note = " and RBP with p = .8"
    shallow = _scores(inputs, first.values(), inputs.pooled_to_depth(SHALLOW))
    deep = _scores(inputs, [*whole.values(), *second.values()])
    scored = [*shallow.values(), *deep.values()]
    columns = np.stack([_turned_means(scores) for scores in scored], axis=1)
    names = [*first, *whole, *second]
    matrix = stats.correlation_matrix(columns, labels=names, tolerance=meta.TIED)
    table = triangle(
        "table-2",
        "Table 2: Kendall's tau between orders of the runs by measures at two depths",
        matrix,
        names,
        f"Measures at {SHALLOW} under a pool to depth {SHALLOW}, at {DEEP}{note} under all "
        "judgments. Bold: a measure and itself at the other depth.",
        decimals=2,
    )
    half = len(first) + len(whole)
    table.bold.extend([place, place + half] for place in range(half))
    if half < 2:
        return Found([table])
    above = np.triu_indices(half, 1)
    within, across = matrix.values[:half, :half][above].mean(), matrix.values[:half, half:].mean()
    says = (
        f"Measures at depth {SHALLOW} agree with each other (mean tau {within:.3f}), but not with "
        f"measures at depth {DEEP} ({across:.3f})."
        if within > across
        else f"Measures at depth {SHALLOW} agree with each other (mean tau {within:.3f}) no more "
        f"than with measures at depth {DEEP} ({across:.3f})."
    )
    return Found([table], says=says)


def _pairs(inputs: Inputs, options: Options, report: Report) -> Found:
    """Table 3."""
    paper = {"aAP": "aAP", "nDCG": NDCG, "RBP": "RBP(residual=0.1)"}
    measures = _asked(options, paper)
    note = " RBP has a residual of 0.1 beyond the depth of evaluation." if measures is paper else ""
    columns = {}
    for pool, depth in ((10, 10), (10, 100), (100, 100)):
        cuts = _cuts(measures, depth)
        scores = _scores(inputs, cuts.values(), inputs.pooled_to_depth(pool))
        for name, cut in cuts.items():
            power = inputs.discriminative_power(scores[cut], options)
            columns[f"{name} pool@{pool} eval@{depth}"] = power.pvalues[0]
    names = list(columns)
    pvalues = np.array(list(columns.values())).T
    table = triangle(
        "table-3",
        "Table 3: Kendall's tau between p-values of pairs of runs",
        stats.correlation_matrix(pvalues, labels=names, tolerance=meta.TIED),
        names,
        f"The {test_title(options)} for every pair, with measures at two depths of pool and of "
        f"evaluation.{note} Bold: a measure and itself; italics: two evaluation depths.",
        decimals=2,
    )
    several = len(measures)
    for i, j in combinations(range(len(names)), 2):
        if i % several == j % several:
            table.bold.append([i, j])
        elif i < several <= j:
            table.italic.append([i, j])
    return Found([table])


def _weights(inputs: Inputs, options: Options, report: Report) -> Found:
    """Figure 1."""
    ranks = np.array(sorted({round(10 ** (i / 20)) for i in range(61)}))
    curves = {"DCG": 'DCG(dcg="jk")'}
    curves |= {f"RBP, p={p}": f"RBP(p={p})" for p in ("0.8", "0.95", "0.977", "0.9977")}
    weights = (meta.rank_weights(measure, ranks[-1])[ranks - 1] for measure in curves.values())
    lines = [
        Line(label, ranks, y, kind="curve", color=color)
        for color, (label, y) in enumerate(zip(curves, weights, strict=True))
    ]
    ticks = [1.0, 10.0, 100.0, 1000.0]
    panels = [
        Panel("rank", "weight", lines[:1], "DCG", log=True, ticks=ticks, limits=[0.0, 1.05]),
        Panel("rank", "weight", lines[1:], "RBP", log=True, ticks=ticks),
    ]
    title = "Figure 1: weight of a relevant document at each rank"
    return Found(figures=[Figure("figure-1", title, panels, columns=2)])


def _extended(inputs: Inputs, options: Options, report: Report) -> Found:
    """Figure 2, and the same of other measures."""
    pools = {depth: inputs.pooled_to_depth(depth) for depth in (10, 100)}
    figures: list[Figure] = []
    for name, measure in _asked(options, {"nDCG": NDCG}).items():
        file = f"figure-2-{slug(measure)}" if figures else "figure-2"
        title = f"Figure 2: {name} at several depths of pool and evaluation"
        panels = _means_at_depths(inputs, pools, name, measure)
        figures.append(Figure(file, title, panels, columns=3, note=SETTINGS))
    return Found(figures=figures)


SETTINGS = (
    "Shallow: pool and evaluation to depth 10. Extended: pool to 10, evaluation to 100. "
    "Deep: both to 100. Each point is a run."
)


def _means_at_depths(
    inputs: Inputs, pools: Mapping[int, Qrels], name: str, measure: str
) -> list[Panel]:
    """Means of runs by a measure under one pool and depth against another."""
    settings = {"shallow": (10, 10), "extended": (10, 100), "deep": (100, 100)}
    scores = {}
    for setting, (pool, depth) in settings.items():
        cut = to_depth(measure, depth)
        scores[setting] = _scores(inputs, [cut], pools[pool])[cut]
    panels, runs = [], [run.name for run in inputs.ranked]
    for pair in combinations(settings, 2):
        # Measures of all documents may give all runs the same value.
        of_pair = tau(*(_turned_means(scores[setting]) for setting in pair))
        labels = (f"mean {name}, {setting}" for setting in pair)
        means = (meta.means_of(scores[setting].values)[:, 0] for setting in pair)
        panels.append(scatter(labels, means, runs, of_pair))
    return panels


def _sweep(inputs: Inputs, options: Options, report: Report) -> Found:
    """Figures 3 and 4, and their numbers."""
    pools, depths = list(options["pool_depths"]), list(options["depths"])
    drawn = SWEPT
    if options["measures"] is not None:
        forms = ("", False), (", standardized", True)
        asked = _asked(options, {})
        drawn = {f"{m}{after}": (m, standardized) for m in asked for after, standardized in forms}
    cuts = dict.fromkeys(_cut(measure, k) for measure, _ in drawn.values() for k in depths)
    under = [_scores(inputs, [*cuts, RELEVANT], inputs.pooled_to_depth(pool)) for pool in pools]

    def power(scores: Mapping[Cut, Scores], measure: str, k: int, *, standardized: bool) -> float:
        one = scores[_cut(measure, k)]
        if measure == AP_TIMES_R:
            sums = one.values * scores[RELEVANT].values
            one = Scores(one.core.with_values(np.ascontiguousarray(sums)))
        if standardized:
            one = meta.standardize(one)
        return float(inputs.discriminative_power(one, options).power_of_different[0])

    powers: dict[str, NDArray[np.float64]] = {}
    for done, (label, (measure, standardized)) in enumerate(drawn.items(), 1):
        powers[label] = np.array(
            [[power(s, measure, k, standardized=standardized) for k in depths] for s in under]
        )
        report(done, len(drawn))
    table = Table.of_lists(
        "power-by-depth",
        "Discriminative power by pool depth and evaluation depth",
        ["measure", "pool", *(f"@{k}" for k in depths)],
        [[label, pool, *of[i]] for label, of in powers.items() for i, pool in enumerate(pools)],
        "The numbers of Figures 3 and 4.",
        decimals=3,
    )
    note = (
        f"Discriminative power by the {test_title(options)}: a line for each pool depth. "
        "Marked: pool and evaluation equally deep, so everything evaluated was judged."
    )

    def figure(number: int, title: str, labels: Iterable[str], columns: int) -> Figure:
        panels = [_depth_panel(label, powers[label], pools, depths) for label in labels]
        title = f"Figure {number}: {title}"
        return Figure(f"figure-{number}", title, panels, columns, note, alike=True)

    power_title = "power beyond and before the depth of the pool"
    if options["measures"] is not None:
        return Found([table], [figure(4, power_title, drawn, 2)])
    # The forms of Figure 3 are those of the paper's measures.
    three = figure(3, "expanded and abbreviated normalization", FORMS, 2)
    others = [label for label in drawn if label not in NOT_IN_FIGURE_4]
    return Found([table], [three, figure(4, power_title, others, 3)])


AP_TIMES_R = "AP times R"
RELEVANT: Cut = "num_rel", None

NRBP = "nRBP"
"""RBP whose persistence follows from the depth, so that a tenth of the weight is left there."""

SWEPT = {
    "P": ("P", False),
    "R": ("R", False),
    "P, standardized": ("P", True),
    "DCG": ('DCG(dcg="jk")', False),
    "nDCG, abbreviated": (NDCG, False),
    "nDCG, expanded": ('enDCG(dcg="jk")', False),
    "DCG, standardized": ('DCG(dcg="jk")', True),
    "AP, times R": (AP_TIMES_R, False),
    "AP, abbreviated": ("aAP", False),
    "AP, expanded": ("AP", False),
    "AP, standardized": ("AP", True),
    "RBP": ("RBP(residual=0.1)", False),
    "RBP, normalized": (NRBP, False),
    "RBP, standardized": ("RBP(residual=0.1)", True),
}
"""What is drawn: a measure, and whether it is standardized over the runs."""

FORMS = ("AP, expanded", "AP, abbreviated", "nDCG, expanded", "nDCG, abbreviated")
"""What Figure 3 compares."""

NOT_IN_FIGURE_4 = ("AP, expanded", "nDCG, expanded")


def _cut(measure: str, k: int) -> Cut:
    """A measure at a depth of evaluation."""
    if measure == NRBP:
        return to_depth(f"nRBP(p={0.1 ** (1 / k)!r})", k)
    return to_depth("AP" if measure == AP_TIMES_R else measure, k)


def _depth_panel(
    label: str, power: NDArray[np.float64], pools: Sequence[int], depths: Sequence[int]
) -> Panel:
    lines = [Line(f"pool to {pool}", depths, power[i], color=i) for i, pool in enumerate(pools)]
    both = [depth for depth in pools if depth in depths]
    marked = [power[pools.index(depth), depths.index(depth)] for depth in both]
    lines.append(Line("pool and evaluation equally deep", both, marked, color=-1))
    x = list(map(float, depths))
    return Panel("depth of evaluation", "discriminative power", lines, label, log=True, ticks=x)


def _deepest(options: Options) -> list[str]:
    """The measures at the deepest cutoff, to which lists are kept."""
    if options["measures"] is None:
        return []
    deepest = max(DEEP, *options["depths"])
    return [to_depth(measure, deepest)[0] for measure in options["measures"]]


DEPTH = Study(
    "How deep to pool and how deep to evaluate",
    "Webber, Moffat and Zobel (2010), The effect of pooling and evaluation depth on metric "
    "stability, EVIA: Tables 1 to 3, Figures 1 to 4.",
    (
        "Grades are reduced to relevant or not for all measures, as in section 3.3: grades from "
        "--rel (default 1) up count 1. With --graded these grades keep their values.",
        "Pools are made from all given runs, even if only some of them are compared, or from those "
        "that --pool-runs names: 71 of TREC-8's 129 runs were pooled.",
        "With --measures, all tables, Figure 2, and Figure 4 use these measures at the cutoffs of "
        "the paper; for a measure without a cutoff the runs are truncated.",
        "DCG has the discounts of equation 5 with its misprint corrected: the larger of 2 and "
        "the rank.",
        "Pairs of runs with equal scores on every topic are left out, as in the paper; Table 1 "
        "also has the proportion of all pairs.",
        "Standardized scores use the deviation of a sample (n - 1) over the runs compared.",
        "The paper has the t test; --test chooses another one for Tables 1 and 3, Figures 3 and 4.",
        "AP times R is the sum of precisions, AP without normalization.",
    ),
    {
        "table-1": _power,
        "table-2": _orders,
        "table-3": _pairs,
        "figure-1": _weights,
        "figure-2": _extended,
        "figures-3-4": _sweep,
    },
    {
        "alpha": 0.05,
        "measures": None,
        "test": "t",
        "seed": 0,
        "graded": False,
        "pool_runs": None,
        "pool_depths": (5, 10, 20, 50, 100),
        "depths": (5, 10, 20, 50, 100, 200, 500, 1000),
    },
    topics=2,
    ranked_for=_deepest,
    taus=True,
)
