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
from dataclasses import replace
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield import meta, stats
from cranfield._analysis.meta_scores import signs
from cranfield._core import Error, Measure, Qrels
from cranfield._scores.scores import Scores
from cranfield._study.definition import Options, Study, described
from cranfield._study.folder import slug
from cranfield._study.inputs import Inputs, Task
from cranfield._study.results import Found, Line, Panel, by_name, percent, scatter, tau, triangle

Cut: TypeAlias = tuple[str, int | None]

NDCG = 'nDCG(dcg="jk")'
STANDARD: dict[str, str] = described()["depth"]["standard"]
"""The measures of Table 1, as the paper names them."""

SHALLOW, DEEP = 10, 1000
"""The depths that Table 2 compares; the deep pool is the deepest of the options."""


def _power(task: Task) -> Found:
    """Table 1."""
    asked = task.options["measures"]
    names = STANDARD if asked is None else {m: m for m in asked}
    found = task.power(task.inputs.scores(list(names.values())))
    powers, labels = found.power_of_different, list(names)
    columns = {
        "measure": labels,
        "power": powers,
        "of all pairs": found.power,
        "smallest significant difference": found.required,
    }
    which = "standard" if asked is None else "the"
    table = task.table("table-1", columns, which=which, pairs=len(found.pairs))
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


def _orders(task: Task) -> Found:
    """Table 2."""
    asked = _asked(task.options, {"P": "P", "R": "R", "AP": "AP", "nDCG": NDCG})
    first, second = (
        {
            f"{name}@{k}" if depth is None else f"{name} to depth {k}": (measure, depth)
            for name, (measure, depth) in _cuts(asked, k).items()
        }
        for k in (SHALLOW, DEEP)
    )
    whole, more = {}, ""
    if task.options["measures"] is None:
        # The paper's column of RBP at .8 has lists of full depth under all judgments.
        whole = {"RBP.8": (f"RBP(p=0.8)@{DEEP}", None)}
        second["RBP.9977"] = f"RBP(residual=0.1)@{DEEP}", None
        more = " and RBP with p = .8"
    shallow = _scores(task.inputs, first.values(), task.inputs.pooled_to_depth(SHALLOW))
    deep = _scores(task.inputs, [*whole.values(), *second.values()])
    scored = [*shallow.values(), *deep.values()]
    columns = np.stack([_turned_means(scores) for scores in scored], axis=1)
    names = [*first, *whole, *second]
    matrix = stats.correlation_matrix(columns, labels=names, tolerance=meta.TIED)
    taus = triangle(matrix, names)
    table = task.table("table-2", taus, shallow=SHALLOW, deep=DEEP, more=more)
    half = len(first) + len(whole)
    table.bold.extend([place, place + half] for place in range(half))
    if half < 2:
        return Found([table])
    above = np.triu_indices(half, 1)
    within, across = matrix.values[:half, :half][above].mean(), matrix.values[:half, half:].mean()
    but = ", but not with" if within > across else " no more than with"
    says = f"Measures at depth {SHALLOW} agree with each other (mean tau {within:.3f})"
    says += f"{but} measures at depth {DEEP} ({across:.3f})."
    return Found([table], says=says)


def _pairs(task: Task) -> Found:
    """Table 3."""
    paper = {"aAP": "aAP", "nDCG": NDCG, "RBP": "RBP(residual=0.1)"}
    measures = _asked(task.options, paper)
    more = " RBP has a residual of 0.1 beyond the depth of evaluation." if measures is paper else ""
    columns = {}
    for pool, depth in ((10, 10), (10, 100), (100, 100)):
        cuts = _cuts(measures, depth)
        scores = _scores(task.inputs, cuts.values(), task.inputs.pooled_to_depth(pool))
        for name, cut in cuts.items():
            columns[f"{name} pool@{pool} eval@{depth}"] = task.power(scores[cut]).pvalues[0]
    names = list(columns)
    pvalues = np.array(list(columns.values())).T
    matrix = stats.correlation_matrix(pvalues, labels=names, tolerance=meta.TIED)
    table = task.table("table-3", triangle(matrix, names), more=more)
    several = len(measures)
    for i, j in combinations(range(len(names)), 2):
        if i % several == j % several:
            table.bold.append([i, j])
        elif i < several <= j:
            table.italic.append([i, j])
    return Found([table])


def _weights(task: Task) -> Found:
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
    return Found(figures=[task.figure("figure-1", panels)])


def _extended(task: Task) -> Found:
    """Figure 2, and the same of other measures."""
    pools = {depth: task.inputs.pooled_to_depth(depth) for depth in (10, 100)}
    found = Found()
    for name, measure in _asked(task.options, {"nDCG": NDCG}).items():
        file = f"figure-2-{slug(measure)}" if found.figures else "figure-2"
        panels = _means_at_depths(task.inputs, pools, name, measure)
        found.figures.append(task.figure("figure-2", panels, file, measure=name))
    return found


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


def _sweep(task: Task) -> Found:
    """Figures 3 and 4, and their numbers."""
    pools, depths = list(task.options["pool_depths"]), list(task.options["depths"])
    own = task.options["measures"] is not None
    drawn = SWEPT
    if own:
        forms = ("", False), (", standardized", True)
        asked = _asked(task.options, {})
        drawn = {f"{m}{after}": (m, standardized) for m in asked for after, standardized in forms}
    cuts = dict.fromkeys(_cut(measure, k) for measure, _ in drawn.values() for k in depths)
    judged = map(task.inputs.pooled_to_depth, pools)
    under = [_scores(task.inputs, [*cuts, RELEVANT], qrels) for qrels in judged]

    def power(scores: Mapping[Cut, Scores], measure: str, k: int, *, standardized: bool) -> float:
        one = scores[_cut(measure, k)]
        if measure == AP_TIMES_R:
            sums = one.values * scores[RELEVANT].values
            one = Scores(one.core.with_values(np.ascontiguousarray(sums)))
        return float(
            task.power(meta.standardize(one) if standardized else one).power_of_different[0]
        )

    powers: dict[str, NDArray[np.float64]] = {}
    for done, (label, (measure, standardized)) in enumerate(drawn.items(), 1):
        powers[label] = np.array(
            [[power(s, measure, k, standardized=standardized) for k in depths] for s in under]
        )
        task.report(done, len(drawn))
    rows = [[label, pool, *of[i]] for label, of in powers.items() for i, pool in enumerate(pools)]
    columns = by_name(["measure", "pool", *(f"@{k}" for k in depths)], rows)
    found = Found([task.table("power-by-depth", columns)])

    def add(number: int, labels: Iterable[str]) -> None:
        panels = [_depth_panel(label, powers[label], pools, depths) for label in labels]
        found.figures.append(task.figure(f"figure-{number}", panels))

    if own:
        add(4, drawn)
        found.figures[0] = replace(found.figures[0], columns=2)
    else:
        # The forms of Figure 3 are those of the paper's measures.
        add(3, FORMS)
        add(4, (label for label in drawn if label not in NOT_IN_FIGURE_4))
    return found


AP_TIMES_R = "AP times R"
RELEVANT: Cut = "num_rel", None

NRBP = "nRBP"
"""RBP whose persistence follows from the depth, so that a tenth of the weight is left there."""

SWEPT: dict[str, tuple[str, bool]] = described()["depth"]["swept"]
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
    "depth",
    {
        "table-1": _power,
        "table-2": _orders,
        "table-3": _pairs,
        "figure-1": _weights,
        "figure-2": _extended,
        "figures-3-4": _sweep,
    },
    _deepest,
)
