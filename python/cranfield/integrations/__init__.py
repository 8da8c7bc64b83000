"""Hooks into evaluation programs: a module for each.

A host calls cranfield where it called something slower, and gives the same
numbers. Nothing happens on import: each module has a function that puts its
hook in and returns a ``Patch`` that takes it out again::

    from cranfield.integrations import beir
    with beir.patch():
        EvaluateRetrieval.evaluate(qrels, results, [10])

A host that is not of a version that was checked is refused.
"""

from __future__ import annotations

from cranfield.integrations.patching import HostError, Patch

__all__ = ["HostError", "Patch"]
