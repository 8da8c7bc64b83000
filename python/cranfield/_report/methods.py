"""How all of it was made: for the methods section of a paper, and to repeat it."""

from __future__ import annotations

import hashlib
import os

from cranfield._base.text import counted, printable
from cranfield._core import __version__
from cranfield._pages import templating
from cranfield._scores import formats
from cranfield._table import writers
from cranfield._table.tables import VALUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from cranfield._pages.templating import Section
    from cranfield._report.results import Results


def section(results: Results, command: str) -> Section:
    """The section; ``command`` is what was typed, if anything was."""
    return templating.section(
        "methods",
        "Methods",
        results=results,
        sentence=results.methods,
        version=__version__,
        command=command,
        options=list(_options(results)),
        inputs=list(_inputs(results)),
        latex=_latex(results),
    )


def _options(results: Results) -> Iterator[tuple[str, str]]:
    """The options in effect that were given, and those of tests."""
    options = results.options
    for name in ("test", "correction", "alpha", "level"):
        yield name, f"{options[name]}"
    yield "seed", f"{results.testing.seed}"
    if results.lists is not None:
        for name, value in results.lists.options.items():
            if name not in ("progress", "threads", "limits"):
                yield name, f"{value}"


def _inputs(results: Results) -> Iterator[tuple[str, str]]:
    """What was read, with its hash."""
    if results.lists is None:
        if results.scores.fingerprint is not None:
            yield "scores made with", results.scores.fingerprint
        return
    yield "judgments", results.lists.qrels.fingerprint
    for source in results.lists.sources:
        if source.path is not None and os.path.isfile(source.path):
            with open(source.path, "rb") as file:
                yield source.name, f"SHA-256 {hashlib.file_digest(file, 'sha256').hexdigest()}"


def _latex(results: Results) -> str:
    """The leaderboard as LaTeX."""
    block = formats.Block({VALUE: results.scores}, results.order)
    table = formats.table([block], per_topic=False, form="latex")
    marked = " The best is bold, the second best underlined."
    runs, topics = (
        counted(len(axis), what)
        for axis, what in ((results.scores.runs, "run"), (results.scores.topics, "topic"))
    )
    several = marked if len(results.scores.runs) > 2 else ""
    sentences = [f"Scores of {runs} over {topics}.{several}"]
    data = writers.tabular(table, "latex", sentences, "tab:scores")
    lines = data.decode("utf-8", "surrogateescape").splitlines()
    return "\n".join(map(printable, lines))
