"""Hooks into evaluation programs: a module for each.

A host calls cranfield where it called something slower, and gives the same
numbers. Nothing happens on import: each module has a function that puts its
hook in and returns a ``Patch`` that takes it out again::

    from cranfield.integrations import beir
    with beir.patch():
        EvaluateRetrieval.evaluate(qrels, results, [10])

What a hook replaces is known by its source, whatever the host's version. Code that is not
known stays in its place, and a ``CranfieldWarning`` says so.
"""

from __future__ import annotations

from cranfield._hosts.patching import HostError, Patch

__all__ = ["HostError", "Patch"]
