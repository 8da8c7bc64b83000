"""Scores of ranked retrieval runs against relevance judgments.

>>> import cranfield as cf
>>> qrels = cf.read_qrels("qrels.txt")
>>> scores = cf.evaluate(qrels, "runs/*.gz", ["nDCG@10", cf.AP, "bpref"])
>>> scores["bm25", "nDCG@10"]

Every measure is an attribute: ``cf.nDCG @ 10``, ``cf.Q(beta=1).prime``;
``dir(cf.measures)`` lists them, ``cranfield measures`` explains them. They
and the submodules are made when they are first used; importing the package
imports nothing but its own few files.
"""

from __future__ import annotations

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
from cranfield._measures.pages import Page

# No constant, so that editors which read sources (jedi) follow the imports below it too.
TYPE_CHECKING = bool()
if TYPE_CHECKING:
    from typing import Any

    # ``as`` makes a type checker see them as attributes of the package.
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

# ``cranfield.Error`` in tracebacks.
Error.__module__ = "cranfield"

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

if TYPE_CHECKING:
    __all__ += measures.__all__


_LAZY = {
    name: f"cranfield.{module}"
    for module, names in {
        "_analysis.audit": ("Audit", "audit"),
        "_analysis.compare": ("Comparison", "compare"),
        "_analysis.describe": ("Description", "describe"),
        "_analysis.diff": ("Diff", "ListDiff", "diff"),
        "_analysis.exact": ("ExactRecall", "exact_recall"),
        "_analysis.identify": ("Identification", "identify"),
        "_analysis.preference": ("Preferences", "preferences"),
        "_analysis.spans": ("Splitting", "splitter"),
        "_base.errors": ("CranfieldWarning", "LabelError", "MissingPackageError"),
        "_io.inputs": ("read_qrels", "read_run", "read_runs"),
        "_io.rows": ("read_rows",),
        "_io.small_files": ("read_classes", "read_costs", "read_intents", "read_lengths"),
        "_io.spans": ("read_span_qrels",),
        "_measures.custom": ("CustomMeasure", "measure"),
        "_report": ("Report", "report"),
        "_scores.bounds": ("Bounds",),
        "_scores.files": ("read_scores",),
        "_scores.scores": ("Scores",),
        "_scores.signature": ("Signature",),
        "_scoring.collections": ("Collections",),
        "_scoring.evaluator": ("Evaluator", "bounds", "evaluate", "tie_bounds"),
        "_scoring.lists": ("evaluate_groups", "score_list"),
        "compat": ("install_as",),
    }.items()
    for name in names
}
"""Names whose modules are imported when they are first used."""


def __getattr__(name: str) -> Any:
    """A measure (``cf.nDCG``) or a submodule (``cf.stats``), on first use."""
    if not name.startswith("_"):
        from contextlib import suppress
        from importlib import import_module

        if name in _LAZY:
            found = globals()[name] = getattr(import_module(_LAZY[name]), name)
            return found
        measure = None
        with suppress(Error):
            measure = Measure(name)
            if _identifier(measure.family) == name:
                return measure
        try:
            return import_module(f"cranfield.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"cranfield.{name}":
                raise
        if measure is not None:
            # As texts have it: ``cf.MAP``, ``cf.NDCG``.
            return measure
    raise AttributeError(f"module 'cranfield' has no attribute {name!r}")


# ``help(cf.nDCG)`` is the page of nDCG; that of ``cf.Measure`` stays.
Measure.__doc__ = Page(Measure.__doc__)  # type: ignore[assignment]

_MODULES = (
    *("abstention", "answers", "batch", "battles", "collection", "compat", "curves", "expected"),
    *("fairness", "instructions", "integrations", "judges", "measures", "meta", "oneclick"),
    *("sessions", "stats", "study", "testing"),
)
"""The public submodules."""


def __dir__() -> list[str]:
    """What is public: names and submodules. The measures are those of ``cranfield.measures``."""
    return sorted({*__all__, *_MODULES})


def _identifier(name: str) -> str:
    """A measure's name as Python can write it: ``P+Q`` is ``P_Q``."""
    return name.replace("+", "_")
