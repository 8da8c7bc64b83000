"""How deep to pool and how deep to evaluate.

Webber, Moffat and Zobel (2010), The effect of pooling and evaluation depth on
metric stability, EVIA: Tables 1 to 3 and Figures 1 to 4. Pools are made of the
runs given, or of those that are named. Grades are folded to relevant or not, as
in the paper's section 3.3, so that nDCG sees what precision does. DCG is
Järvelin and Kekäläinen's, as in the paper's equation 5,
whose "min" is a misprint of "max". Besides the share of pairs that differ in
some topic, which is what the paper prints, Table 1 has the share of all pairs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield import meta, stats
from cranfield._analysis.meta_scores import signs
from cranfield._core import Error, Measure, Qrels
from cranfield._scores.scores import Scores
from cranfield._study.definition import Options, Report, Section, Study, test_title
from cranfield._study.folder import slug
from cranfield._study.inputs import Inputs
from cranfield._study.results import (
    Figure,
    Found,
    Line,
    Panel,
    Table,
    number,
    numbers,
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
    rows = zip(names, found.power_of_different, found.power, found.required, strict=True)
    powers = found.power_of_different, found.power
    best = [
        [row, column]
        for column, of in enumerate(powers, 1)
        for row in np.flatnonzero(of == of.max()).tolist()
    ]
    table = Table(
        "table-1",
        f"Table 1: discriminative power of {'standard' if names is STANDARD else 'the'} measures",
        ["measure", "power", "of all pairs", "smallest significant difference"],
        [[name, float(a), float(b), number(c)] for name, a, b, c in rows],
        f"The share of pairs of runs that the {test_title(options)} finds different at "
        f"{options['alpha']:g}: of the pairs that differ in some topic, as the paper counts, and "
        f"of all {len(found.pairs)} pairs. Bold: the highest of a column.",
        bold=sorted(best),
    )
    strong = int(np.argmax(found.power_of_different))
    weak = int(np.argmin(found.power_of_different))
    labels = list(names)
    says = (
        f"{labels[strong]} tells {percent(found.power_of_different[strong])} of the pairs of runs "
        f"apart, {labels[weak]} {percent(found.power_of_different[weak])}."
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


def _label(cut: Cut) -> str:
    measure, depth = cut
    return measure if depth is None else f"{measure} to depth {depth}"


def _bare_measures(options: Options) -> list[str]:
    """The measures that were asked for, each once whatever its cutoff."""
    asked = [str(Measure(measure)) for measure in options["measures"]]
    # One that takes no depth is left whole.
    found = [_bare(m) if to_depth(m, SHALLOW)[1] is None else m for m in asked]
    return list(dict.fromkeys(found))


def _named_measures(options: Options, paper: dict[str, str]) -> dict[str, str]:
    """The measures of the paper by their names there, or those that were asked for."""
    return paper if options["measures"] is None else {m: m for m in _bare_measures(options)}


def _scores(inputs: Inputs, cuts: Iterable[Cut], qrels: Qrels | None = None) -> list[Scores]:
    """The scores under judgments: those with cutoffs, then those of lists that are cut."""
    by_depth: dict[int | None, list[str]] = {}
    for measure, depth in cuts:
        by_depth.setdefault(depth, []).append(measure)
    return [
        inputs.scores(measures, qrels, depth=depth)
        for depth, measures in sorted(by_depth.items(), key=lambda item: item[0] or 0)
    ]


def _by_cut(cuts: Iterable[Cut]) -> list[Cut]:
    """In the order of ``_scores``."""
    return sorted(cuts, key=lambda cut: cut[1] or 0)


def _turned_means(scores: Scores) -> NDArray[np.float64]:
    """Means of which higher ones are better: shape (runs, measures)."""
    found: NDArray[np.float64] = meta.means_of(scores.values) * signs(scores.better.values())
    return found


def _orders(inputs: Inputs, options: Options, report: Report) -> Found:
    """Table 2."""
    if options["measures"] is None:
        shallow = {"P": "P", "R": "R", "AP": "AP", "nDCG": NDCG}
        first = {f"{name}@{SHALLOW}": to_depth(m, SHALLOW) for name, m in shallow.items()}
        second = {f"{name}@{DEEP}": to_depth(m, DEEP) for name, m in shallow.items()}
        # The paper's column of RBP at .8 has lists of full depth under all judgments.
        first["RBP.8"] = f"RBP(p=0.8)@{DEEP}", None
        second["RBP.9977"] = f"RBP(residual=0.1)@{DEEP}", None
        whole = [first["RBP.8"]]
        note = f"at {DEEP} and RBP with p = .8 under all judgments."
    else:
        first, second = (
            {_label(cut): cut for cut in _by_cut(to_depth(m, k) for m in _bare_measures(options))}
            for k in (SHALLOW, DEEP)
        )
        whole = []
        note = f"at {DEEP} under all judgments."
    pool = inputs.pooled_to_depth(SHALLOW)
    under_pool = _scores(inputs, [cut for cut in first.values() if cut not in whole], pool)
    deep = _scores(inputs, [*whole, *second.values()])
    columns = np.concatenate([_turned_means(part) for part in (*under_pool, *deep)], axis=1)
    names = [*first, *second]
    matrix = stats.correlation_matrix(columns, labels=names, tolerance=meta.TIED)
    table = triangle(
        "table-2",
        "Table 2: Kendall's tau between orders of the runs by measures at two depths",
        matrix,
        names,
        f"Measures at {SHALLOW} under a pool to depth {SHALLOW}, {note} "
        "Bold: a measure and itself at the other depth.",
        decimals=2,
    )
    half = len(first)
    table.bold.extend([place, place + half] for place in range(half))
    if half < 2:
        return Found([table])
    within, across = _mean_above(matrix.values[:half, :half]), matrix.values[:half, half:].mean()
    says = (
        f"Measures at depth {SHALLOW} order the runs alike (mean tau {within:.3f}), and otherwise "
        f"than measures at depth {DEEP} do ({across:.3f})."
        if within > across
        else f"Measures at depth {SHALLOW} agree with each other (mean tau {within:.3f}) no more "
        f"than with measures at depth {DEEP} ({across:.3f})."
    )
    return Found([table], says=says)


def _mean_above(values: NDArray[np.float64]) -> float:
    """The mean of what is above the diagonal."""
    return float(values[np.triu_indices(len(values), 1)].mean())


def _pairs(inputs: Inputs, options: Options, report: Report) -> Found:
    """Table 3."""
    paper = {"aAP": "aAP", "nDCG": NDCG, "RBP": "RBP(residual=0.1)"}
    measures = _named_measures(options, paper)
    note = " RBP has a residual of 0.1 beyond the depth of evaluation." if measures is paper else ""
    names, columns = [], []
    for pool, depth in ((10, 10), (10, 100), (100, 100)):
        cuts = {name: to_depth(measure, depth) for name, measure in measures.items()}
        scored = _scores(inputs, cuts.values(), inputs.pooled_to_depth(pool))
        names += [
            f"{name} pool@{pool} eval@{depth}"
            for name, _ in sorted(cuts.items(), key=lambda item: item[1][1] or 0)
        ]
        for scores in scored:
            columns += list(inputs.discriminative_power(scores, options).pvalues)
    matrix = stats.correlation_matrix(np.array(columns).T, labels=names, tolerance=meta.TIED)
    table = triangle(
        "table-3",
        "Table 3: Kendall's tau between p-values of pairs of runs",
        matrix,
        names,
        f"The {test_title(options)} for every pair, with measures at two depths of pool and of "
        f"evaluation.{note} Bold: a measure and itself; italics: two depths of evaluation.",
        decimals=2,
    )
    several = len(measures)
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            if i % several == j % several:
                table.bold.append([i, j])
            elif i < several <= j:
                table.italic.append([i, j])
    return Found([table])


def _weights(inputs: Inputs, options: Options, report: Report) -> Found:
    """Figure 1."""
    ranks = sorted({round(10 ** (i / 20)) for i in range(61)})
    curves = {
        "DCG": 'DCG(dcg="jk")',
        "RBP, p=0.8": "RBP(p=0.8)",
        "RBP, p=0.95": "RBP(p=0.95)",
        "RBP, p=0.977": "RBP(p=0.977)",
        "RBP, p=0.9977": "RBP(p=0.9977)",
    }
    lines = []
    for colour, (label, measure) in enumerate(curves.items()):
        weights = meta.rank_weights(measure, ranks[-1])[np.array(ranks) - 1]
        lines.append(
            Line(label, [float(r) for r in ranks], numbers(weights), kind="curve", colour=colour)
        )
    ticks = [1.0, 10.0, 100.0, 1000.0]
    panels = [
        Panel("rank", "weight", lines[:1], "DCG", log=True, ticks=ticks, limits=[0.0, 1.05]),
        Panel("rank", "weight", lines[1:], "RBP", log=True, ticks=ticks),
    ]
    title = "Figure 1: what a relevant document is worth at each rank"
    return Found(figures=[Figure("figure-1", title, panels, columns=2)])


def _extended(inputs: Inputs, options: Options, report: Report) -> Found:
    """Figure 2, and the same of other measures."""
    asked = _named_measures(options, {"nDCG": NDCG})
    pools = {depth: inputs.pooled_to_depth(depth) for depth in (10, 100)}
    figures = [
        _extended_figure(inputs, pools, name, measure, first=not place)
        for place, (name, measure) in enumerate(asked.items())
    ]
    return Found(figures=figures)


def _extended_figure(
    inputs: Inputs, pools: dict[int, Qrels], name: str, measure: str, *, first: bool
) -> Figure:
    """Means of runs by a measure under one pool and depth against another."""
    settings = {"shallow": (10, 10), "extended": (10, 100), "deep": (100, 100)}
    means, turned = {}, {}
    for setting, (pool, depth) in settings.items():
        (scores,) = _scores(inputs, [to_depth(measure, depth)], pools[pool])
        means[setting] = meta.means_of(scores.values)[:, 0]
        turned[setting] = _turned_means(scores)[:, 0]
    panels, runs = [], [run.name for run in inputs.ranked]
    for one, two in (("shallow", "extended"), ("shallow", "deep"), ("extended", "deep")):
        # Measures of all documents may give all runs the same value.
        x, y = f"mean {name}, {one}", f"mean {name}, {two}"
        of_pair = tau(turned[one], turned[two])
        panels.append(scatter(x, y, means[one], means[two], runs, value=of_pair))
    note = (
        "Shallow: pool and evaluation to depth 10. Extended: pool to 10, evaluation to 100. "
        "Deep: both to 100. Each point is a run."
    )
    title = f"Figure 2: {name} at several depths of pool and evaluation"
    file = "figure-2" if first else f"figure-2-{slug(measure)}"
    return Figure(file, title, panels, columns=3, note=note)


def _sweep(inputs: Inputs, options: Options, report: Report) -> Found:
    """Figures 3 and 4, and their numbers."""
    pools, depths = options["pool_depths"], options["depths"]

    def share(scores: Scores, standardized: bool) -> float:
        if standardized:
            scores = meta.standardize(scores)
        return float(inputs.discriminative_power(scores, options).power_of_different[0])

    drawn, spelling = _MEASURES, _SPELLING
    if options["measures"] is not None:
        spelling = {m: partial(to_depth, m) for m in _bare_measures(options)}
        drawn = {
            label: own
            for measure in spelling
            for label, own in (
                (measure, (measure, False)),
                (f"{measure}, standardized", (measure, True)),
            )
        }
    scored = [_scored(inputs, pool, depths, spelling) for pool in pools]
    powers: dict[str, NDArray[np.float64]] = {}
    for done, (label, (of, standardized)) in enumerate(drawn.items()):
        powers[label] = np.array(
            [[share(one(of, k), standardized) for k in depths] for one in scored]
        )
        report(done + 1, len(drawn))
    rows = [
        [label, pool, *numbers(powers[label][i])]
        for label in powers
        for i, pool in enumerate(pools)
    ]
    table = Table(
        "power-by-depth",
        "Discriminative power by depth of pool and of evaluation",
        ["measure", "pool", *(f"@{k}" for k in depths)],
        rows,
        "The numbers of Figures 3 and 4.",
        decimals=3,
    )
    note = (
        f"Discriminative power by the {test_title(options)}: "
        "a line for each depth of pool. "
        "Marked: pool and evaluation equally deep, so that everything evaluated was judged."
    )
    figures = [
        Figure(
            name,
            title,
            [_depth_panel(label, powers[label], pools, depths) for label in labels],
            columns=columns,
            note=note,
            alike=True,
        )
        for name, title, labels, columns in (
            ("figure-3", "Figure 3: expanded and abbreviated normalization", _THREE, 2),
            (
                "figure-4",
                "Figure 4: power beyond and before the depth of the pool",
                _FOUR if drawn is _MEASURES else tuple(drawn),
                3 if drawn is _MEASURES else 2,
            ),
        )
        # The forms of Figure 3 are those of the paper's measures.
        if drawn is _MEASURES or name == "figure-4"
    ]
    return Found([table], figures)


_MEASURES = {
    "P": ("P", False),
    "R": ("R", False),
    "P, standardized": ("P", True),
    "DCG": ("DCG", False),
    "nDCG, abbreviated": ("nDCG", False),
    "nDCG, expanded": ("enDCG", False),
    "DCG, standardized": ("DCG", True),
    "AP, times R": ("AP times R", False),
    "AP, abbreviated": ("aAP", False),
    "AP, expanded": ("AP", False),
    "AP, standardized": ("AP", True),
    "RBP": ("RBP", False),
    "RBP, normalized": ("nRBP", False),
    "RBP, standardized": ("RBP", True),
}
"""What is drawn: a measure below, and whether it is standardized over the runs."""

_THREE = ("AP, expanded", "AP, abbreviated", "nDCG, expanded", "nDCG, abbreviated")
_FOUR = (
    *("P", "R", "P, standardized"),
    *("DCG", "nDCG, abbreviated", "DCG, standardized"),
    *("AP, times R", "AP, abbreviated", "AP, standardized"),
    *("RBP", "RBP, normalized", "RBP, standardized"),
)

_SPELLING: dict[str, Callable[[int], Cut]] = {
    "P": partial(to_depth, "P"),
    "R": partial(to_depth, "R"),
    "DCG": partial(to_depth, 'DCG(dcg="jk")'),
    "nDCG": partial(to_depth, NDCG),
    "enDCG": partial(to_depth, 'enDCG(dcg="jk")'),
    "AP": partial(to_depth, "AP"),
    "aAP": partial(to_depth, "aAP"),
    "RBP": partial(to_depth, "RBP(residual=0.1)"),
    "nRBP": lambda k: to_depth(f"nRBP(p={0.1 ** (1 / k)!r})", k),
}


def _scored(
    inputs: Inputs,
    pool: int,
    depths: Sequence[int],
    spelling: Mapping[str, Callable[[int], Cut]],
) -> Callable[[str, int], Scores]:
    """The function from a measure and a depth to scores under a pool."""
    judged = inputs.pooled_to_depth(pool)
    cuts = dict.fromkeys(of(k) for of in spelling.values() for k in depths)
    parts = _scores(inputs, [*cuts, ("num_rel", None)], judged)
    by_depth = dict(zip(sorted({depth or 0 for _, depth in cuts} | {0}), parts, strict=True))

    def find(measure: str, k: int) -> Scores:
        if measure != "AP times R":
            text, depth = spelling[measure](k)
            return by_depth[depth or 0].sel(measure=text)
        one = by_depth[0].sel(measure=f"AP@{k}")
        relevant = by_depth[0].sel(measure="num_rel")
        return Scores(one.core.with_values(np.ascontiguousarray(one.values * relevant.values)))

    return find


def _depth_panel(
    label: str, power: NDArray[np.float64], pools: Sequence[int], depths: Sequence[int]
) -> Panel:
    x = [float(depth) for depth in depths]
    lines = [
        Line(f"pool to {pool}", x, numbers(power[i]), colour=i, kind="line")
        for i, pool in enumerate(pools)
    ]
    both = [
        (float(d), float(power[i][list(depths).index(d)]))
        for i, d in enumerate(pools)
        if d in depths
    ]
    lines.append(
        Line("pool and evaluation alike", [d for d, _ in both], [p for _, p in both], colour=-1)
    )
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
        "Grades are folded to relevant or not for all measures, as in section 3.3: from --rel, "
        "or 1, on they count 1. With --graded grades from there on count what they are.",
        "Pools are made of all runs given, also where only some of them are compared, or of "
        "those that --pool-runs names: of TREC-8's 129 runs 71 were pooled.",
        "With --measures all tables, Figure 2 and Figure 4 are of these, with the cutoffs of the "
        "paper: lists are cut there for a measure that takes none.",
        "DCG has the discounts of equation 5 with its misprint corrected: the larger of 2 and "
        "the rank.",
        "Pairs of runs that are alike in every topic are left out of the share, as in the paper; "
        "Table 1 has the share of all pairs beside it.",
        "Standardised scores use the deviation of a sample (n - 1) over the runs compared.",
        "The paper has the t test; --test chooses another one for Tables 1 and 3, Figures 3 and 4.",
        "AP times R is the sum of precisions, AP without normalization.",
    ),
    (
        Section("table-1", _power, ("measures", "test", "alpha", "seed", "graded")),
        Section("table-2", _orders, ("measures", "graded", "pool_runs")),
        Section("table-3", _pairs, ("measures", "test", "alpha", "seed", "graded", "pool_runs")),
        Section("figure-1", _weights),
        Section("figure-2", _extended, ("measures", "graded", "pool_runs")),
        Section(
            "figures-3-4",
            _sweep,
            (
                *("measures", "test", "alpha", "seed", "pool_depths", "depths"),
                *("graded", "pool_runs"),
            ),
        ),
    ),
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
