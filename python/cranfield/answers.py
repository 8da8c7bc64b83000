"""Answers that a system wrote: nuggets, rubrics, citations and reports, scored as the tracks do.

>>> import cranfield as cf
>>> nuggets = [("vital", "support"), ("vital", "partial_support"), ("okay", "not_support")]
>>> cf.answers.nugget_recall(nuggets)
NuggetRecall(strict_vital=0.5, strict_all=0.333, vital=0.75, all=0.5, strict_weighted=0.4, \
weighted=0.6)

Of one answer each function returns its values; of files, and of {run: {topic: answer}}, it
returns ``Scores``, for everything that takes scores: tests, tiers, reports.
"""

from __future__ import annotations

from cranfield._analysis.answers import (
    CitationSupport,
    NuggetRecall,
    RubricScore,
    citation_support,
    nugget_recall,
    read_citations,
    read_nuggets,
    read_rubrics,
    rubric_score,
)
from cranfield._analysis.reports import ReportCounts, argue, argue_totals

__all__ = [
    "CitationSupport",
    "NuggetRecall",
    "ReportCounts",
    "RubricScore",
    "argue",
    "argue_totals",
    "citation_support",
    "nugget_recall",
    "read_citations",
    "read_nuggets",
    "read_rubrics",
    "rubric_score",
]
