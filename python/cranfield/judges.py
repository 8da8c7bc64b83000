"""Judges: whether judgments of a model can stand in for those of a person.

>>> import cranfield as cf
>>> gold = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 0, "b": 1, "c": 1}}
>>> other = {"1": {"a": 1, "b": 1, "c": 2}, "2": {"a": 0, "b": 1, "c": 0}}
>>> round(cf.judges.documents(gold, other).all["quadratic kappa"], 3)
0.647

``compare`` does everything on the same runs: how far both agree on documents, on the order of
runs, on which runs differ significantly, and which runs the second judge favours.
"""

from __future__ import annotations

from cranfield._analysis.judges import Judges, compare
from cranfield._analysis.judges_documents import DocumentAgreement, documents
from cranfield._analysis.judges_runs import (
    Fidelity,
    SystemOrder,
    favours,
    fidelity,
    group_favours,
    order,
)

__all__ = [
    "DocumentAgreement",
    "Fidelity",
    "Judges",
    "SystemOrder",
    "compare",
    "documents",
    "favours",
    "fidelity",
    "group_favours",
    "order",
]
