"""The public names, for type checkers and editors; they are imported when first used."""

from typing import Any

import cranfield.measures
from cranfield import abstention as abstention
from cranfield import answers as answers
from cranfield import battles as battles
from cranfield import collection as collection
from cranfield import compat as compat
from cranfield import curves as curves
from cranfield import expected as expected
from cranfield import fairness as fairness
from cranfield import instructions as instructions
from cranfield import integrations as integrations
from cranfield import judges as judges
from cranfield import measures as measures
from cranfield import meta as meta
from cranfield import oneclick as oneclick
from cranfield import sessions as sessions
from cranfield import stats as stats
from cranfield import study as study
from cranfield import testing as testing
from cranfield._analysis.audit import Audit, audit
from cranfield._analysis.compare import Comparison, compare
from cranfield._analysis.describe import Description, describe
from cranfield._analysis.diff import Diff, ListDiff, diff
from cranfield._analysis.exact import ExactRecall, exact_recall
from cranfield._analysis.identify import Identification, identify
from cranfield._analysis.preference import Preferences, preferences
from cranfield._analysis.spans import Splitting, splitter
from cranfield._base.errors import CranfieldWarning, LabelError, MissingPackageError
from cranfield._core import (
    Error,
    Limits,
    Measure,
    Notes,
    Qrels,
    Run,
    SpanQrels,
    SpanRun,
    __version__,
)
from cranfield._io.inputs import read_qrels, read_run, read_runs
from cranfield._io.rows import read_rows
from cranfield._io.small_files import (
    read_classes,
    read_costs,
    read_intents,
    read_lengths,
)
from cranfield._io.spans import read_span_qrels
from cranfield._measures.custom import CustomMeasure, measure
from cranfield._report import Report, report
from cranfield._scores.bounds import Bounds
from cranfield._scores.files import read_scores
from cranfield._scores.scores import Scores
from cranfield._scores.signature import Signature
from cranfield._scoring.collections import Collections
from cranfield._scoring.evaluator import Evaluator, bounds, evaluate, tie_bounds
from cranfield._scoring.lists import evaluate_groups, score_list
from cranfield.compat import install_as
from cranfield.measures import *  # noqa: F403

__all__ = [
    "Audit",
    "Bounds",
    "Collections",
    "Comparison",
    "CranfieldWarning",
    "CustomMeasure",
    "Description",
    "Diff",
    "Error",
    "Evaluator",
    "ExactRecall",
    "Identification",
    "LabelError",
    "Limits",
    "ListDiff",
    "Measure",
    "MissingPackageError",
    "Notes",
    "Preferences",
    "Qrels",
    "Report",
    "Run",
    "Scores",
    "Signature",
    "SpanQrels",
    "SpanRun",
    "Splitting",
    "__version__",
    "audit",
    "bounds",
    "compare",
    "curves",
    "describe",
    "diff",
    "evaluate",
    "evaluate_groups",
    "exact_recall",
    "identify",
    "install_as",
    "measure",
    "preferences",
    "read_classes",
    "read_costs",
    "read_intents",
    "read_lengths",
    "read_qrels",
    "read_rows",
    "read_run",
    "read_runs",
    "read_scores",
    "read_span_qrels",
    "report",
    "score_list",
    "splitter",
    "tie_bounds",
]
__all__ += cranfield.measures.__all__

_MODULES: tuple[str, ...]
_LAZY: dict[str, str]

def __getattr__(name: str) -> Any: ...
