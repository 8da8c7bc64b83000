"""Reports: one HTML file that says who won, how sure that is, where, why, and what to judge next.

A section is a template and a function from results to what its holes are filled with; ``results``
computes everything once, ``page`` puts the sections together.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Unpack

from cranfield._analysis.compare import with_baseline
from cranfield._analysis.diff_texts import TextsLike, as_texts
from cranfield._base.errors import failure, optional
from cranfield._base.option_types import ScoringOptions
from cranfield._base.options import SCORING, checked, keywords, of_judgments
from cranfield._base.scores_like import is_scores
from cranfield._base.text import counted
from cranfield._core import SpanQrels, write_file
from cranfield._io.inputs import QrelsLike, RunsLike, as_judgments, as_runs, reading_of
from cranfield._measures.parse import MeasuresLike, as_measures, run_place
from cranfield._scores.comparing import HowToTest
from cranfield._scores.groups import GroupsLike
from cranfield._scores.scores import Scores
from cranfield._scoring.evaluator import SPAN_MEASURES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cranfield._report.results import Results

__all__ = ["Report", "report"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Report:
    """A report as one HTML file; made by ``report``. Immutable."""

    title: str
    """What it is called."""
    html: str
    """The whole file."""

    @checked
    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the file, as UTF-8, whole or not at all.

        Raises ``Error``: kind "directory" for a folder, "missing" for one that is not there,
        "io" if the system refuses.
        """
        write_file(os.fsdecode(path), self.html.encode("utf-8"))

    def __repr__(self) -> str:
        return f"<Report: {self.title!r}, {len(self.html) / 1000:,.0f} kB; write(path) saves it>"


@checked
def report(
    qrels: QrelsLike | Scores,
    runs: RunsLike | None = None,
    measures: MeasuresLike = None,
    *,
    title: str | None = None,
    baseline: str | os.PathLike[str] | int | None = None,
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
    seed: int = 0,
    topic_groups: GroupsLike | None = None,
    queries: TextsLike = None,
    documents: TextsLike = None,
    **options: Unpack[ScoringOptions],
) -> Report:
    """One HTML file about runs: verdict, tables, charts, lists of topics, what to judge next.

    >>> qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "c": 0}, "3": {"b": 1, "a": 0}}
    >>> old = {"1": {"b": 2, "a": 1}, "2": {"c": 2, "a": 1}, "3": {"b": 1}}
    >>> new = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 2, "b": 1}}
    >>> report(qrels, {"old": old, "new": new}, "AP RR", baseline="old").title
    'Evaluation of 2 runs'

    Runs are ordered and compared by the first measure.

    Parameters
    ----------
    qrels
        As for ``cranfield.evaluate``; or ``Scores``, without ``runs``: then the
        sections that need lists are left out.
    runs, measures
        As for ``cranfield.evaluate``. With ``Scores``, ``measures`` chooses among theirs.
    title
        The heading. Default: how many runs there are.
    baseline
        As for ``cranfield.compare``. Default: the best run, and p-values are
        corrected for all pairs.
    test, correction, alpha, level
        As for ``cranfield.compare``; ``level`` also of the intervals of means.
    seed
        The seed of whatever draws: rank intervals, and the tests that do.
    topic_groups
        As for ``Scores.by_group``: differences by group of topics.
    queries, documents
        As for ``cranfield.diff``. Under judgments of spans the lists of topics show the new
        evidence of each chunk, and ``documents`` are the texts that offsets count in, as
        ``texts`` of ``read_span_qrels``.
    options
        Those of ``cranfield.evaluate``, but for ``ties``.

    Returns
    -------
    Report
        ``html``, and ``write(path)``. It needs no network, and no script to be read.

    Raises
    ------
    Error
        Kind "option" for runs or options of evaluating beside ``Scores``, for
        judgments without runs, and for a wrong option; "label" for a baseline that is
        not there; all else as ``cranfield.evaluate``.
    ImportError
        Without Jinja2: ``pip install 'cranfield[report]'``.

    """
    results = results_of(
        qrels,
        runs,
        measures,
        testing=HowToTest(test, correction=correction, alpha=alpha, level=level),
        seed=seed,
        baseline=baseline,
        topic_groups=topic_groups,
        queries=queries,
        documents=documents,
        options=keywords("report", options, SCORING),
    )
    return report_of(results, title)


def report_of(results: Results, title: str | None = None, command: str = "") -> Report:
    """The report of results; ``command`` is what was typed. For internal use only."""
    from cranfield._report import page

    if title is None:
        title = f"Evaluation of {counted(len(results.scores.runs), 'run')}"
    return Report(title, page.html(results, title, command))


def results_of(
    qrels: QrelsLike | Scores,
    runs: RunsLike | None = None,
    measures: MeasuresLike = None,
    *,
    baseline: str | os.PathLike[str] | int | None = None,
    topic_groups: GroupsLike | None = None,
    queries: TextsLike = None,
    options: Mapping[str, Any] = MappingProxyType({}),
    **how: Any,
) -> Results:
    """What a report is made of; ``how`` goes to ``Results``. For internal use only."""
    optional("jinja2", "report", extra="report")
    from cranfield._report.results import Results, read_lists
    from cranfield._report.span_lists import read_span_lists
    from cranfield._scores.groups import Groups, members

    if is_scores(qrels):
        beside = "runs" if runs is not None else next(iter(options), None)
        if beside is not None:
            message = f"expected Scores alone, found {beside} beside them"
            raise failure("option", f"{message}; give judgments and runs to have them scored")
        lists = None
        scores = qrels if measures is None else qrels.sel(measure=measures)
        topics = None if topic_groups is None else members(topic_groups, scores.topics)
        place = None if baseline is None else run_place(scores.runs, baseline)
    else:
        if runs is None:
            raise failure("option", "expected runs beside the judgments, found none")
        judgments = as_judgments(qrels, **of_judgments(options))
        over_spans = isinstance(judgments, SpanQrels)
        topics = None if topic_groups is None else members(topic_groups, judgments.topics)
        reading = reading_of(judgments, options)
        several, place = with_baseline(as_runs(runs, reading), baseline, reading)
        if not several:
            raise failure("empty", "expected runs beside the judgments, found none")
        default = SPAN_MEASURES if over_spans and measures is None else measures
        read: Any = read_span_lists if over_spans else read_lists
        lists = read(judgments, several, as_measures(default), options)
        scores = lists.scores
    groups = None
    if topics is not None:
        groups = Groups({group: scores.sel(topic=own) for group, own in topics.items()})
    texts = as_texts(queries, set(scores.topics), "queries", options.get("limits"))
    return Results(scores, place, lists, groups, texts, **how)
