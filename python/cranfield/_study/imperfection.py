"""What happens to measures when documents vanish from the collection.

Yilmaz and Aslam (2006), Estimating average precision with incomplete and
imperfect judgments, CIKM: Figure 8, with bpref_10 as the baseline.
"""

from __future__ import annotations

import numpy as np

from cranfield import meta
from cranfield._study.content import Figure, Found, Line, Panel, Table, numbers, percent
from cranfield._study.definition import BESIDE_GAINS, Section, Study
from cranfield._study.incompleteness import (
    ESTIMATES,
    STATISTICS,
    estimates,
    sampled,
    the_test,
    whole_pool,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from cranfield._study.content import Cell
    from cranfield._study.definition import Options, Report
    from cranfield._study.material import Material


def _vanishing(material: Material, options: Options, report: Report) -> Found:
    asked = options["measures"]
    labels, measures = estimates(asked), list(ESTIMATES if asked is None else asked)
    material.check([*measures, "AP"])
    qrels = whole_pool(material, options["pool_depth"])
    ranked = material.chosen(material.rank(qrels, keep_unjudged=True, measures=asked))

    def vary(rates: list[float], samples: int, report: Report) -> meta.Curve:
        return meta.imperfection(
            qrels,
            ranked,
            measures,
            rates,
            samples=samples,
            seed=options["seed"],
            truth="AP",
            power=power,
            test=options["test"],
            alpha=options["alpha"],
            rel=material.rel,
            progress=report,
            threads=material.threads,
        )

    # One topic tells no pairs of runs apart.
    power = len(material.qrels) > 1
    curve = sampled(vary, sorted({*options["rates"], 1.0}), options["samples"], report)
    x = [100 * float(rate) for rate in curve.x]
    panels = []
    statistics = {**STATISTICS, **({"power": "discriminative power"} if power else {})}
    for name, label in statistics.items():
        mean, (low, high) = curve.mean(name), curve.band(name)
        lines = [
            Line(
                labels[measure],
                x,
                numbers(mean[:, m]),
                numbers(low[:, m]),
                numbers(high[:, m]),
                colour=m,
            )
            for m, measure in enumerate(curve.measures)
        ]
        panels.append(Panel("documents that stay (%)", label, lines, reverse=True))
    title = "Figure 8: the order of the runs as the collection shrinks"
    figures = [Figure("figure-8", title, panels[:1])]
    title = "The other statistics, as in Figure 9"
    figures.append(Figure("figure-8-more", title, panels[1 : len(STATISTICS)], columns=3))
    if power:
        title = f"Discriminative power by {the_test(options)} at {options['alpha']:g}"
        figures.append(Figure("power", title, panels[len(STATISTICS) :]))
    rows: list[list[Cell]] = [
        [labels[measure], name, *numbers(curve.mean(name)[::-1, m])]
        for name in statistics
        for m, measure in enumerate(curve.measures)
    ]
    header = ["measure", "statistic", *(f"{value:g} %" for value in x[::-1])]
    title = "Against AP in the whole collection: means over the samples"
    return Found([Table("imperfection", title, header, rows)], figures, _says(curve, labels))


def _says(curve: meta.Curve, labels: Mapping[str, str]) -> str:
    """Which measure keeps AP's order of the runs best and worst when most documents are gone."""
    taus = curve.mean("tau")[0]
    if len(curve.x) < 2 or np.isnan(taus).any():
        return ""
    best, worst = int(np.argmax(taus)), int(np.argmin(taus))
    first = labels[curve.measures[best]]
    left = f"With {percent(curve.x[0])} of the documents left {first}"
    if best == worst:
        return f"{left} has a tau of {taus[best]:.2f} with the order of the runs by AP."
    return (
        f"{left} keeps the order of the runs by AP best (tau {taus[best]:.2f}), "
        f"{labels[curve.measures[worst]]} worst ({taus[worst]:.2f})."
    )


STUDY = Study(
    "What happens when documents vanish",
    "Yilmaz and Aslam (2006), Estimating average precision with incomplete and imperfect "
    "judgments, CIKM, section 3: Figure 8.",
    (
        BESIDE_GAINS,
        "The same documents vanish from all runs and for all topics; the judgments stay.",
        "The judgments are those of the pool of all runs given, or of those that --pool-runs "
        "names, as in the study of incompleteness.",
        "Bands hold 95 % of the samples. Discriminative power is not in the paper.",
    ),
    (
        Section(
            "figure-8",
            _vanishing,
            ("measures", "rates", "samples", "seed", "test", "alpha", "pool_depth", "pool_runs"),
        ),
    ),
    {
        "measures": None,
        "rates": (0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
        "samples": 10,
        "seed": 0,
        "test": "t",
        "alpha": 0.05,
        "pool_depth": 100,
        "pool_runs": None,
    },
    taus=True,
)
