"""How deep to pool and how deep to evaluate.

Webber, Moffat and Zobel (2010), The effect of pooling and evaluation depth on
metric stability, EVIA: Tables 1 to 3 and Figures 1 to 4. Pools are made of the
runs given. DCG is Järvelin and Kekäläinen's, as in the paper's equation 5,
whose "min" is a misprint of "max". Besides the share of pairs that differ in
some topic, which is what the paper prints, Table 1 has the share of all pairs.
"""

from __future__ import annotations

import numpy as np

from cranfield import collection, meta, stats
from cranfield.results.scores import Scores
from cranfield.stats.names import NAMES
from cranfield.study.content import Figure, Found, Line, Panel, Table, number, numbers, percent
from cranfield.study.definition import Section, Study

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from cranfield.study.definition import Options, Report
    from cranfield.study.material import Material

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


def _power(material: Material, options: Options, report: Report) -> Found:
    """Table 1."""
    names = STANDARD if options["measures"] is None else {m: m for m in options["measures"]}
    found = _tested(material.scores(list(names.values())), material, options)
    rows = zip(names, found.power_of_different, found.power, found.required, strict=True)
    table = Table(
        "table-1",
        f"Table 1: discriminative power of {'standard' if names is STANDARD else 'the'} measures",
        ["measure", "power", "of all pairs", "smallest significant difference"],
        [[name, float(a), float(b), number(c)] for name, a, b, c in rows],
        f"The share of pairs of runs that the {NAMES[options['test']]} finds different at "
        f"{options['alpha']:g}: of the pairs that differ in some topic, as the paper counts, and "
        f"of all {len(found.pairs)} pairs.",
    )
    strong = int(np.argmax(found.power_of_different))
    weak = int(np.argmin(found.power_of_different))
    labels = list(names)
    says = (
        f"{labels[strong]} tells {percent(found.power_of_different[strong])} of the pairs of runs "
        f"apart, {labels[weak]} {percent(found.power_of_different[weak])}."
    )
    return Found([table], says=says)


def _tested(scores: Scores, material: Material, options: Options) -> meta.DiscriminativePower:
    """Which pairs each measure finds different, by the test that was asked for."""
    return meta.discriminative_power(
        scores, options["test"], options["alpha"], seed=options["seed"], threads=material.threads
    )


def _orders(material: Material, options: Options, report: Report) -> Found:
    """Table 2."""
    shallow = {"P": "P", "R": "R", "AP": "AP", "nDCG": NDCG}
    first = {f"{name}@{SHALLOW}": f"{m}@{SHALLOW}" for name, m in shallow.items()}
    second = {f"{name}@{DEEP}": f"{m}@{DEEP}" for name, m in shallow.items()}
    # The paper's column of RBP at .8 has lists of full depth under all judgments.
    first["RBP.8"] = f"RBP(p=0.8)@{DEEP}"
    second["RBP.9977"] = f"RBP(residual=0.1)@{DEEP}"
    pool = collection.pool_to_depth(material.qrels, material.all, SHALLOW)
    under_pool = material.scores([m for name, m in first.items() if name != "RBP.8"], pool)
    deep = material.scores([first["RBP.8"], *second.values()])
    columns = np.concatenate([meta.means_of(under_pool.values), meta.means_of(deep.values)], axis=1)
    names = [*first, *second]
    matrix = stats.correlation_matrix(columns, labels=names, tolerance=meta.TIED)
    table = _triangle(
        "table-2",
        "Table 2: Kendall's tau between orders of the runs by measures at two depths",
        names,
        matrix.values,
        f"Measures at {SHALLOW} under a pool to depth {SHALLOW}, at {DEEP} and RBP with "
        "p = .8 under all judgments. Bold: a measure and itself at the other depth.",
    )
    half = len(first)
    table.bold.extend([place, place + half] for place in range(half))
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


def _pairs(material: Material, options: Options, report: Report) -> Found:
    """Table 3."""
    measures = {"aAP": "aAP", "nDCG": NDCG, "RBP": "RBP(residual=0.1)"}
    names, columns = [], []
    for pool, depth in ((10, 10), (10, 100), (100, 100)):
        judged = collection.pool_to_depth(material.qrels, material.all, pool)
        scores = material.scores([f"{m}@{depth}" for m in measures.values()], judged)
        found = _tested(scores, material, options)
        names += [f"{name} pool@{pool} eval@{depth}" for name in measures]
        columns += list(found.pvalues)
    matrix = stats.correlation_matrix(np.array(columns).T, labels=names, tolerance=meta.TIED)
    test = NAMES[options["test"]]
    table = _triangle(
        "table-3",
        "Table 3: Kendall's tau between p-values of pairs of runs",
        names,
        matrix.values,
        f"The {test} for every pair, with measures at two depths of pool and of "
        "evaluation. RBP has a residual of 0.1 beyond the depth of evaluation. Bold: a measure "
        "and itself; italics: two depths of evaluation.",
    )
    several = len(measures)
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            if i % several == j % several:
                table.bold.append([i, j])
            elif i < several <= j:
                table.italic.append([i, j])
    return Found([table])


def _triangle(
    name: str, title: str, labels: Sequence[str], values: NDArray[np.float64], note: str
) -> Table:
    """The upper triangle of a matrix as a table."""
    rows = [
        [label, *([None] * i), *numbers(values[i, i + 1 :])] for i, label in enumerate(labels[:-1])
    ]
    return Table(
        name, title, ["measure", *labels[1:]], [list(row) for row in rows], note, decimals=2
    )


def _weights(material: Material, options: Options, report: Report) -> Found:
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


def _extended(material: Material, options: Options, report: Report) -> Found:
    """Figure 2."""
    settings = {"shallow": (10, 10), "extended": (10, 100), "deep": (100, 100)}
    means = {}
    for name, (pool, depth) in settings.items():
        judged = collection.pool_to_depth(material.qrels, material.all, pool)
        means[name] = meta.means_of(material.scores([f"{NDCG}@{depth}"], judged).values)[:, 0]
    panels, names = [], [run.name for run in material.ranked]
    for one, two in (("shallow", "extended"), ("shallow", "deep"), ("extended", "deep")):
        tau = meta.tau(means[one], means[two])
        points = Line("run", means[one].tolist(), numbers(means[two]), kind="points", names=names)
        x, y = f"mean nDCG, {one}", f"mean nDCG, {two}"
        panels.append(Panel(x, y, [points], diagonal=True, text=f"tau = {tau:.3f}"))
    note = (
        "Shallow: pool and evaluation to depth 10. Extended: pool to 10, evaluation to 100. "
        "Deep: both to 100. Each point is a run."
    )
    title = "Figure 2: nDCG at several depths of pool and evaluation"
    return Found(figures=[Figure("figure-2", title, panels, columns=3, note=note)])


def _sweep(material: Material, options: Options, report: Report) -> Found:
    """Figures 3 and 4, and their numbers."""
    pools, depths = options["pool_depths"], options["depths"]

    def share(scores: Scores, standardized: bool) -> float:
        if standardized:
            scores = meta.standardize(scores)
        return float(_tested(scores, material, options).power_of_different[0])

    scored = [_scored(material, pool, depths) for pool in pools]
    powers: dict[str, NDArray[np.float64]] = {}
    for done, (label, (of, standardized)) in enumerate(_MEASURES.items()):
        powers[label] = np.array(
            [[share(one(of, k), standardized) for k in depths] for one in scored]
        )
        report(done + 1, len(_MEASURES))
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
    three = ("AP, expanded", "AP, abbreviated", "nDCG, expanded", "nDCG, abbreviated")
    four = (
        *("P", "R", "P, standardized"),
        *("DCG", "nDCG, abbreviated", "DCG, standardized"),
        *("AP, times R", "AP, abbreviated", "AP, standardized"),
        *("RBP", "RBP, normalized", "RBP, standardized"),
    )
    note = (
        f"Discriminative power by the {NAMES[options['test']]}: a line for each depth of pool. "
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
            ("figure-3", "Figure 3: expanded and abbreviated normalization", three, 2),
            ("figure-4", "Figure 4: power beyond and before the depth of the pool", four, 3),
        )
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

_SPELLING: dict[str, Callable[[int], str]] = {
    "P": lambda k: f"P@{k}",
    "R": lambda k: f"R@{k}",
    "DCG": lambda k: f'DCG(dcg="jk")@{k}',
    "nDCG": lambda k: f"{NDCG}@{k}",
    "enDCG": lambda k: f'enDCG(dcg="jk")@{k}',
    "AP": lambda k: f"AP@{k}",
    "aAP": lambda k: f"aAP@{k}",
    "RBP": lambda k: f"RBP(residual=0.1)@{k}",
    "nRBP": lambda k: f"nRBP(p={0.1 ** (1 / k)!r})@{k}",
}


def _scored(material: Material, pool: int, depths: Sequence[int]) -> Callable[[str, int], Scores]:
    """The function from a measure and a depth to scores under a pool."""
    judged = collection.pool_to_depth(material.qrels, material.all, pool)
    every = [spelling(k) for spelling in _SPELLING.values() for k in depths]
    scores = material.scores([*every, "num_rel"], judged)

    def find(measure: str, k: int) -> Scores:
        if measure != "AP times R":
            return scores.sel(measure=_SPELLING[measure](k))
        one = scores.sel(measure=f"AP@{k}")
        relevant = scores.sel(measure="num_rel")
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


STUDY = Study(
    "How deep to pool and how deep to evaluate",
    "Webber, Moffat and Zobel (2010), The effect of pooling and evaluation depth on metric "
    "stability, EVIA: Tables 1 to 3, Figures 1 to 4.",
    (
        "Pools are made of all runs given, also where only some of them are compared.",
        "DCG has the discounts of equation 5 with its misprint corrected: the larger of 2 and "
        "the rank.",
        "Pairs of runs that are alike in every topic are left out of the share, as in the paper; "
        "Table 1 has the share of all pairs beside it.",
        "Standardised scores use the deviation of a sample (n - 1) over the runs compared.",
        "The paper has the t test; --test chooses another one for Tables 1 and 3, Figures 3 and 4.",
        "AP times R is the sum of precisions, AP without normalization.",
    ),
    (
        Section("table-1", _power, ("measures", "test", "alpha", "seed")),
        Section("table-2", _orders),
        Section("table-3", _pairs, ("test", "alpha", "seed")),
        Section("figure-1", _weights),
        Section("figure-2", _extended),
        Section("figures-3-4", _sweep, ("test", "alpha", "seed", "pool_depths", "depths")),
    ),
    {
        "alpha": 0.05,
        "measures": None,
        "test": "t",
        "seed": 0,
        "pool_depths": (5, 10, 20, 50, 100),
        "depths": (5, 10, 20, 50, 100, 200, 500, 1000),
    },
    topics=2,
)
