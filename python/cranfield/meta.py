"""Studying measures: which ones tell systems apart, and which agree.

>>> import cranfield as cf
>>> qrels = {str(topic): {"a": 1, "b": topic % 2} for topic in range(8)}
>>> good = {topic: {"a": 2.0, "b": 1.0, "x": 0.0} for topic in qrels}
>>> poor = {topic: {"x": 2.0, "b": 1.0, "a": 0.0} for topic in qrels}
>>> scores = cf.evaluate(qrels, {"good": good, "poor": poor}, "AP P@3")
>>> cf.meta.discriminative_power(scores).power.tolist()
[1.0, 0.0]

Functions take ``Scores``, or judgments and runs. Runs are read once and scored under many
sets of judgments. Random procedures take a seed.
"""

from __future__ import annotations

from cranfield._analysis.meta_judgments import (
    Sweep,
    at_depth,
    imperfection,
    incompleteness,
    rank_weights,
    sweep,
)
from cranfield._analysis.meta_scores import (
    TIED,
    DiscriminativePower,
    MeasurePower,
    best,
    correlation,
    discriminative_power,
    drop_worst,
    means_of,
    overlap,
    standardize,
    tau,
)
from cranfield._analysis.meta_topics import (
    Curve,
    Generalizability,
    SwapRate,
    g_study,
    predictivity,
    swap_rate,
    topic_set_size,
)
from cranfield._base.options import seed_of

__all__ = [
    "TIED",
    "Curve",
    "DiscriminativePower",
    "Generalizability",
    "MeasurePower",
    "SwapRate",
    "Sweep",
    "at_depth",
    "best",
    "correlation",
    "discriminative_power",
    "drop_worst",
    "g_study",
    "imperfection",
    "incompleteness",
    "means_of",
    "overlap",
    "predictivity",
    "rank_weights",
    "seed_of",
    "standardize",
    "swap_rate",
    "sweep",
    "tau",
    "topic_set_size",
]
