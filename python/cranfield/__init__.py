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

from cranfield._core import Error, Measure
from cranfield._core import __version__ as __version__
from cranfield._measures.pages import Page

# ``cranfield.Error`` in tracebacks.
Error.__module__ = "cranfield"

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
        "_core": ("Error", "Limits", "Measure", "Notes", "Qrels", "Run", "SpanQrels", "SpanRun"),
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
"""The modules of names, which are imported when they are first used; ``__init__.pyi`` says what
type checkers and editors see of them."""

__all__ = sorted([*_LAZY, "__version__", "curves"])


def __getattr__(name: str) -> object:
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
