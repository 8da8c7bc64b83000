"""What happens to measures when documents vanish from the collection.

Yilmaz and Aslam (2006), Estimating average precision with incomplete and
imperfect judgments, CIKM: Figure 8, with bpref_10 as the baseline.
"""

from __future__ import annotations

from cranfield import meta
from cranfield._study.definition import BESIDE_GAINS, Options, Report, Section, Study, test_title
from cranfield._study.incompleteness import (
    STATISTICS,
    against_rate,
    best_and_worst,
    estimated,
    means_by_rate,
    sampled,
)
from cranfield._study.inputs import Inputs
from cranfield._study.results import Figure, Found


def _vanishing(inputs: Inputs, options: Options, report: Report) -> Found:
    labels, judged = estimated(inputs, options)
    # One topic tells no pairs of runs apart.
    power = len(inputs.qrels) > 1
    curve = sampled(
        meta.imperfection,
        inputs,
        options,
        judged,
        list(labels),
        sorted({*options["rates"], 1.0}),
        report,
        truth="AP",
        power=power,
        test=options["test"],
        alpha=options["alpha"],
    )
    statistics = {**STATISTICS, **({"power": "discriminative power"} if power else {})}
    panels = [
        against_rate(curve, name, label, labels, "documents") for name, label in statistics.items()
    ]
    title = "Figure 8: the order of the runs as the collection shrinks"
    figures = [Figure("figure-8", title, panels[:1])]
    title = "The other statistics, as in Figure 9"
    figures.append(Figure("figure-8-more", title, panels[1 : len(STATISTICS)], columns=3))
    if power:
        title = f"Discriminative power by the {test_title(options)} at {options['alpha']:g}"
        figures.append(Figure("power", title, panels[len(STATISTICS) :]))
    title = "Against AP in the whole collection: means over the samples"
    table = means_by_rate("imperfection", title, curve, statistics, labels)
    says = best_and_worst(curve, labels, "documents left", " by AP")
    return Found([table], figures, says)


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
