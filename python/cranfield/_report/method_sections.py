"""Sections of a report about how it was made: definitions of measures, methods."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup

from cranfield._base.scores_like import VALUE
from cranfield._base.text import printable
from cranfield._core import __version__, families, forms
from cranfield._pages import table
from cranfield._report.results import UNITS, Results
from cranfield._scores import formats


def definitions(results: Results) -> dict[str, Any]:
    """What the measures of the report are."""
    known = {family["name"]: family for family in (*families(), *forms())}
    return {"entries": [_entry(measure, known) for measure in results.scores.core.measures]}


def _entry(measure: Any, known: dict[str, Any]) -> dict[str, Any]:
    """A measure with what the registry says of its family."""
    prefix = re.match(r"[A-Z]+-", str(measure))
    names = [measure.family, *([prefix[0]] if prefix else [])]
    return {
        "measure": str(measure),
        "families": [known[name] for name in names if name in known],
        "better": measure.better,
        "aggregate": f"{UNITS[measure.aggregate]} over topics",
    }


def methods(results: Results, command: str) -> dict[str, Any]:
    """How all of it was made: for the methods section of a paper, and to repeat it.

    ``command`` is what was typed, if anything was.
    """
    return {
        "version": __version__,
        "command": command,
        "options": list(_options(results)),
        "inputs": _hashes(list(_inputs(results))),
        "latex": _latex(results),
    }


def _options(results: Results) -> Iterator[tuple[str, str]]:
    """The options in effect that were given, and those of tests."""
    options = results.options
    for name in ("test", "correction", "alpha", "level"):
        yield name, f"{options[name]}"
    yield "seed", f"{results.seed}"
    if results.lists is not None:
        for name, value in results.lists.options.items():
            if name not in ("progress", "threads", "limits"):
                yield name, f"{value}"


def _inputs(results: Results) -> Iterator[tuple[str, str]]:
    """What was read, with its hash, and the signature of the scores."""
    if results.scores.signature is not None:
        yield "signature", str(results.scores.signature)
    if results.lists is None:
        if results.scores.fingerprint is not None:
            yield "scores made with", results.scores.fingerprint
        return
    yield "judgments", results.lists.qrels.fingerprint
    for source in results.lists.sources:
        if source.path is not None and os.path.isfile(source.path):
            with open(source.path, "rb") as file:
                yield source.name, f"SHA-256 {hashlib.file_digest(file, 'sha256').hexdigest()}"


def _hashes(inputs: Sequence[tuple[str, str]]) -> str:
    """What was read as a table."""
    if not inputs:
        return ""
    code = Markup("<code>{}</code>").format
    columns = [
        table.names("Input", (name for name, _ in inputs), first=""),
        table.column("Hash", (table.cell(code(printable(own))) for _, own in inputs)),
    ]
    return table.table(columns, ' data-name="inputs"')


def _latex(results: Results) -> str:
    """The leaderboard as LaTeX."""
    block = formats.Block({VALUE: results.scores}, results.order)
    lines = formats.written([block], "latex").decode("utf-8", "surrogateescape").splitlines()
    return "\n".join(map(printable, lines))
