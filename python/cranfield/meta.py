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

from cranfield._analysis.meta_judgments import Sweep as Sweep
from cranfield._analysis.meta_judgments import at_depth as at_depth
from cranfield._analysis.meta_judgments import imperfection as imperfection
from cranfield._analysis.meta_judgments import incompleteness as incompleteness
from cranfield._analysis.meta_judgments import rank_weights as rank_weights
from cranfield._analysis.meta_judgments import sweep as sweep
from cranfield._analysis.meta_scores import TIED as TIED
from cranfield._analysis.meta_scores import DiscriminativePower as DiscriminativePower
from cranfield._analysis.meta_scores import MeasurePower as MeasurePower
from cranfield._analysis.meta_scores import best as best
from cranfield._analysis.meta_scores import correlation as correlation
from cranfield._analysis.meta_scores import discriminative_power as discriminative_power
from cranfield._analysis.meta_scores import drop_worst as drop_worst
from cranfield._analysis.meta_scores import means_of as means_of
from cranfield._analysis.meta_scores import overlap as overlap
from cranfield._analysis.meta_scores import standardize as standardize
from cranfield._analysis.meta_scores import tau as tau
from cranfield._analysis.meta_topics import Curve as Curve
from cranfield._analysis.meta_topics import Generalizability as Generalizability
from cranfield._analysis.meta_topics import SwapRate as SwapRate
from cranfield._analysis.meta_topics import g_study as g_study
from cranfield._analysis.meta_topics import predictivity as predictivity
from cranfield._analysis.meta_topics import swap_rate as swap_rate
from cranfield._analysis.meta_topics import topic_set_size as topic_set_size
from cranfield._base.options import seed_of as seed_of

__all__ = sorted(name for name in globals() if name[0].isalpha() and name != "annotations")
