"""Reports: the counts and ratios of ARGUE, as Auto-ARGUE writes them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from cranfield._analysis import answer_records as records
from cranfield._base.errors import failure, shown
from cranfield._base.options import checked, one_of
from cranfield._base.scores_like import is_scores
from cranfield._base.text import readable
from cranfield._core import OpaqueMeasure
from cranfield._io import small_files
from cranfield._io.files import RemoteObject
from cranfield._io.small_files import Line, OneValue
from cranfield._io.sources import name_of
from cranfield._scores.scores import Scores

HEADER = ("run_id", "request_id", "metric", "value")
"""The header of the files."""

ALL = "all"
"""The topic of what sums up a run."""

RATIOS = {
    "citation_relevance": ("relevant_citations", "citations"),
    "citation_support": ("supporting_citations", "citations"),
    "sentence_support": (
        "correctly_cited_sentences",
        "sentences_with_citations_or_requiring_citations",
    ),
    "nugget_coverage": ("correct_nuggets", "nuggets"),
    "nugget_coverage_weighted": ("correct_nuggets_weighted", "nuggets_weighted"),
}
"""The ratios, each with its counts."""

HARMONIC = {
    "f1": ("sentence_support", "nugget_coverage"),
    "f1_weighted": ("sentence_support", "nugget_coverage_weighted"),
}
"""The harmonic means, each with its ratios."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportCounts:
    """What was found in a report on a topic."""

    citations: int
    """Documents that sentences cite."""
    relevant_citations: int
    """Those that are relevant."""
    supporting_citations: int
    """Those that attest their sentence."""
    sentences_with_citations_or_requiring_citations: int
    """Sentences that cite, or that would have to."""
    correctly_cited_sentences: int
    """Those that each of their citations attests."""
    nuggets: int
    """The nuggets of the topic."""
    correct_nuggets: int
    """Those that the report answers."""
    nuggets_weighted: float
    """The weights of the nuggets: 2 for a vital one, 1 for others."""
    correct_nuggets_weighted: float
    """The weights of those that the report answers."""


COUNTS = tuple(f.name for f in fields(ReportCounts))
"""The counts that ratios are made of."""

OTHER_COUNTS = ("sentences", "character_count")
"""Counts that the files have, too."""


@checked
def argue(reports: Any, *, missing: str = records.MISSING[0]) -> Scores:
    """Scores of reports: how relevant and supportive citations are, what nuggets are covered.

    Parameters
    ----------
    reports
        Files as Auto-ARGUE writes them: a header ``run_id``, ``request_id``, ``metric``,
        ``value``, separated by tabs. Or {run: {topic: ReportCounts}}.
    missing
        As for ``nugget_recall``.

    Returns
    -------
    Scores
        With a measure for each ratio and harmonic mean, whose mean over topics is what
        Auto-ARGUE calls ``_macro``; then for each count, which is summed; then for what else the
        file has. ``argue_totals`` has the ``_micro`` values, too. A ratio that the file lacks is
        made of its counts. Rows of the topic ``all`` are left out.

    Raises
    ------
    Error
        With file, line and key: kind "fields" for another header or number of fields, "number"
        for a value that is no number, "conflict" for two values of one metric, and as
        ``read_nuggets``.

    Notes
    -----
    Mayfield et al. (2024), On the evaluation of machine-generated reports, SIGIR; Walden et al.
    (2025), Auto-ARGUE, arXiv:2509.26184. 0/0 is 0, and so is the harmonic mean of 0 and 0.

    """
    if records.is_paths(reports):
        rows = _read(small_files.paths(reports))
    else:
        rows = records.by_run(records.of_mapping(reports, "ReportCounts", _counted))
    found: list[tuple[None, str, str, dict[str, float]]] = [
        (None, run, topic, _with_ratios(row))
        for run, topics in rows.items()
        for topic, row in topics.items()
    ]
    names = _in_order({name for _, _, _, row in found for name in row})
    columns = [
        OpaqueMeasure(
            name,
            "higher" if name in (*RATIOS, *HARMONIC) else None,
            "sum" if name in (*COUNTS, *OTHER_COUNTS) else "mean",
        )
        for name in names
    ]
    return records.scores_of(
        found, lambda row: [row.get(name, math.nan) for name in names], columns, missing
    )


@checked
def argue_totals(reports: Any, *, missing: str = records.MISSING[0]) -> dict[str, dict[str, float]]:
    """What sums up reports, as Auto-ARGUE writes it for the topic ``all``.

    Parameters
    ----------
    reports
        As for ``argue``, or what it returns.
    missing
        As for ``argue``, unless its scores are given.

    Returns
    -------
    dict
        {run: {name: value}}: the sum of each count; of each ratio ``_macro``, its mean over
        topics, and ``_micro``, the ratio of the sums. The micro ``f1`` is the harmonic mean of
        micro ratios. What the file has no counts of has no micro value.

    Raises
    ------
    Error
        As ``argue``; kind "label" for scores that are not of reports.

    """
    one_of("missing", missing, records.MISSING)
    scores = reports if is_scores(reports) else argue(reports, missing=missing)
    labels = scores.measures
    if not {*RATIOS, *HARMONIC} & set(labels):
        raise failure("label", "expected scores that argue made, found none of its measures")
    totals: dict[str, dict[str, float]] = {}
    for run, row in zip(scores.runs, scores.summary().tolist(), strict=True):
        summed = dict(zip(labels, row, strict=True))
        own = {name: summed[name] for name in labels if name in (*COUNTS, *OTHER_COUNTS)}
        micro = _with_ratios(own)
        for name in (*RATIOS, *HARMONIC):
            if name in summed:
                own[f"{name}_macro"] = summed[name]
            if name in micro:
                own[f"{name}_micro"] = micro[name]
        totals[run] = own
    return totals


def _counted(counts: object) -> dict[str, float]:
    """The counts of a report by name."""
    if not isinstance(counts, ReportCounts):
        raise failure("type", f"expected ReportCounts, found {shown(counts)}")
    return {name: float(getattr(counts, name)) for name in COUNTS}


def _with_ratios(row: dict[str, float]) -> dict[str, float]:
    """The values of a report, and the ratios that it lacks and that its counts give."""
    found = dict(row)
    for name, (part, whole) in RATIOS.items():
        if part in found and whole in found:
            found.setdefault(name, records.ratio(found[part], found[whole]))
    for name, (a, b) in HARMONIC.items():
        if a in found and b in found:
            harmonic = records.ratio(2 * found[a] * found[b], found[a] + found[b])
            found.setdefault(name, harmonic)
    return found


def _in_order(names: set[str]) -> list[str]:
    """Ratios, harmonic means, counts, then all else."""
    known = [*RATIOS, *HARMONIC, *COUNTS, *OTHER_COUNTS]
    return [*(name for name in known if name in names), *sorted(names - set(known))]


def _read(files: Sequence[str | RemoteObject]) -> dict[str, dict[str, dict[str, float]]]:
    """The values of files by run, topic and name; raises ``Error`` (kind "empty") for none."""
    rows: dict[str, dict[str, dict[str, float]]] = {}
    values = OneValue()
    for file in files:
        for place, (run, topic, metric, value) in _fields(file):
            if topic == ALL:
                continue
            what = f"{metric} of run {run!r} and topic {topic!r}"
            values.add((run, topic, metric), _number(value, place), place, what)
    for (run, topic, metric), value in values.values().items():
        rows.setdefault(readable(run), {}).setdefault(topic, {})[metric] = value
    if not rows:
        names = ", ".join(map(name_of, files))
        raise failure("empty", "expected answers, found none", file=names)
    return rows


def _fields(file: str | RemoteObject) -> Iterator[tuple[Line, list[str]]]:
    """The fields of the lines of a file below its header."""
    header = False
    for place, line in small_files.lines(file):
        cells = [cell.strip() for cell in line.rstrip("\r\n").split("\t")]
        if not header:
            if tuple(cells) != HEADER:
                message = f"expected the header {' '.join(HEADER)}, separated by tabs"
                raise place.error("fields", f"{message}; found {shown(line.strip()[:80])}")
            header = True
            continue
        if len(cells) != len(HEADER):
            message = f"expected 4 fields ({' '.join(HEADER)}), found {len(cells)}"
            raise place.error("fields", message)
        for key, cell in zip(HEADER[:3], cells, strict=False):
            if not cell:
                raise place.error("fields", f"{key}: expected text, found none")
        yield place, cells


def _number(text: str, place: Line) -> float:
    try:
        value = float(text) if "_" not in text else math.inf
    except ValueError:
        value = math.inf
    if math.isinf(value):
        raise place.error("number", f"value: expected a finite number, found {shown(text)}")
    return value


def written(scores: Scores) -> str:
    """The scores of reports as Auto-ARGUE writes them; for internal use only."""
    totals = argue_totals(scores)
    lines = ["\t".join(HEADER)]
    values = scores.values
    for place, run in enumerate(scores.runs):
        for number, topic in enumerate(scores.topics):
            for label, value in zip(scores.measures, values[place, number].tolist(), strict=True):
                if not math.isnan(value):
                    lines.append(f"{run}\t{topic}\t{label}\t{_text(value, label)}")
        lines += [
            f"{run}\t{ALL}\t{label}\t{_text(value, label)}" for label, value in totals[run].items()
        ]
    return "\n".join(lines) + "\n"


def _text(value: float, label: str) -> str:
    whole = label in (*COUNTS, *OTHER_COUNTS) and value == int(value)
    return str(int(value)) if whole else repr(value)
