"""Reading the scores that cranfield and other tools write.

A file is split into records (run, topic, measure, value), each with its line
number; ``records`` makes scores from them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from cranfield._base.errors import failure, moved, shown
from cranfield._base.text import numbered_lines
from cranfield._core import Error
from cranfield._io import small_files
from cranfield._io.sources import name_of
from cranfield._measures.parse import measure_place
from cranfield._scores.file_formats import (
    JSON,
    LINES,
    is_header,
    of_json,
    of_lines,
    of_table,
    reject_run,
    with_topic_all,
)
from cranfield._scores.joining import common
from cranfield._scores.records import Records, TableMetadata, check, metadata_of, records_of
from cranfield._scores.scores import Scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from cranfield._io.files import RemoteObject
    from cranfield._io.small_files import PathsLike
    from cranfield._scores.file_formats import Found
    from cranfield._scores.records import Better, Record


TABLES = ("table", "argue")
"""The formats that are tables with a header."""

FORMATS = (*LINES, *TABLES, *JSON, "parquet")
"""Every format."""


def read_scores(
    path: PathsLike,
    *,
    format: str | None = None,  # noqa: A002 - what it is called
    run: str | None = None,
    better: Better = None,
) -> Scores:
    """Reads the scores that cranfield or another evaluator wrote.

    Parameters
    ----------
    path
        A file, a pattern, a folder, ``-`` for standard input, an address, or a list
        of these. Compressed files (.gz, .zst, .bz2, .xz) are read, too.
    format
        Detected from the content by default. Lines of fields:
        "trec_eval" (``measure topic value``, as ``trec_eval -q`` prints it),
        "ir_measures" (``run topic measure value``), "tot" (``run measure topic
        value``), "ir_measures_cli" (``topic measure value``, as ``ir_measures
        -q`` prints it), "ranking" (``topic Q0 run rank value measure``).
        "table": CSV or TSV with a header that names run, topic, measure and
        value, or run, topic and the measures, as ``cranfield eval --per-topic``
        writes it; "argue" is the one of Auto-ARGUE. "jsonl": an object a line with
        run_id, topic_id, measure and value, or as ``cranfield eval`` and
        ``ir_measures`` write it; "nuggetizer": as nuggetizer writes it, with
        qid and the measures. "json": that of ``cranfield eval --per-topic``,
        or one of the following. "pytrec_eval": {topic: {measure: value}}, or
        {run: {topic: {measure: value}}}. "ranx": {measure: {topic: value}}.
        "parquet": as "table".
    run
        The run of files that do not name any. Default: what ``trec_eval``
        prints as ``runid``, or else the name of the file.
    better
        As for ``Scores.from_records``.

    Returns
    -------
    Scores
        As ``Scores.from_records``. A measure without any numeric value is left
        out, with a ``CranfieldWarning`` unless ``trec_eval`` prints it.

    Raises
    ------
    Error
        Kind "missing", "directory", "io" or "binary" for what cannot be read;
        "option" for a format that cannot be recognized, and for ``run`` with files
        that name their runs; "fields" or "type" for what is of no known
        format; "empty", "number", "duplicate", "label" as ``from_records``.

    """
    check(better)
    if format is not None and (not isinstance(format, str) or format not in FORMATS):
        known = ", ".join(f'"{name}"' for name in FORMATS)
        raise failure("option", f"expected one of {known} as format, found {shown(format)}")
    found, about, files = _records(path, format, run)
    try:
        return Scores(*found.scores(better, about))
    except Error as error:
        if error.kind != "empty":
            raise
        raise failure("empty", error.message, file=files) from None


@dataclass(frozen=True)
class Summarized:
    """The scores of a file, and what it says of runs as a whole."""

    path: str
    scores: Scores | None
    """Those of topics; None if the file has summaries only."""
    summaries: Mapping[str, Mapping[str, float]]
    """For each run the value of each measure; NaN where it is undefined."""
    topics: frozenset[str] | None
    """The topics of the judgments; None if the file does not say."""
    unmatched: Mapping[str, str]
    """What is said of runs of which no document is judged."""
    fingerprint: str | None = None
    """The judgments and options that the scores were made with; None if the file does not say."""

    @property
    def measures(self) -> tuple[str, ...]:
        """The labels of the measures."""
        return tuple(dict.fromkeys(label for row in self.summaries.values() for label in row))

    def summary(self, run: str, measure: str) -> float:
        """The value of a run in a measure, in whatever spelling; NaN where there is none."""
        label = self.measures[measure_place(self.measures, measure)]
        return self.summaries[run].get(label, math.nan)

    def by_topic(self, run: str, measure: str) -> dict[str, float]:
        """The values of topics that are defined; none if the file has summaries only."""
        if self.scores is None or run not in self.scores.runs:
            return {}
        values = self.scores[run, measure].tolist()
        return {t: v for t, v in zip(self.scores.topics, values, strict=True) if not math.isnan(v)}

    def among(self, topics: Sequence[str]) -> Summarized:
        """The scores of some of the topics, summed up anew."""
        known = () if self.scores is None else self.scores.topics
        own = self.scores and self.scores.sel(topic=[topic for topic in topics if topic in known])
        summaries = _summaries(own)
        return replace(self, scores=own, summaries=summaries, topics=frozenset(topics))


def read_summarized(path: PathsLike) -> Summarized:
    """Reads scores and summaries, whatever has them; raises as ``read_scores``."""
    found, about, files = _records(path, None, None, summaries=True)
    scores = Scores(*found.scores(None, about)) if found.cells else None
    summaries = _summaries(scores)
    for run, row in found.summaries.items():
        summaries.setdefault(run, {}).update(row)
    if not summaries:
        raise failure("empty", "expected the scores of a run, found none", file=files)
    topics = frozenset(about.topics or (scores.topics if scores else ())) or None
    return Summarized(files, scores, summaries, topics, about.unmatched, about.fingerprint)


def _summaries(scores: Scores | None) -> dict[str, dict[str, float]]:
    """The summary of each measure over topics, by run."""
    if scores is None:
        return {}
    rows = zip(scores.runs, scores.core.summary(), strict=True)
    return {run: dict(zip(scores.measures, row, strict=True)) for run, row in rows}


def _records(
    path: PathsLike, form: str | None, run: str | None, *, summaries: bool = False
) -> tuple[Records, TableMetadata, str]:
    """The records of files, their metadata, and the names of the files."""
    records: list[Record] = []
    where: list[tuple[str, int]] = []
    about = []
    files = []
    for file in small_files.paths(path):
        name = name_of(file)
        files.append(name)
        own, found = _read(file, name, form, run, summaries)
        about.append(own)
        for line, record in found:
            records.append(record)
            where.append((name, line))
    names = ", ".join(dict.fromkeys(files))
    return Records(records, where, summaries=summaries), _together(about), names


def _together(about: Sequence[TableMetadata]) -> TableMetadata:
    """The metadata of several files together."""
    better = {label: direction for own in about for label, direction in own.better.items()}
    return TableMetadata(
        common(own.fingerprint for own in about),
        better,
        topics=[topic for own in about for topic in own.topics],
        unmatched={run: text for own in about for run, text in own.unmatched.items()},
    )


def _read(
    file: str | RemoteObject, name: str, form: str | None, run: str | None, summaries: bool
) -> tuple[TableMetadata, Found]:
    """The metadata of a file, and its records."""
    data = small_files.content(file)
    if form == "parquet" or (form is None and data.startswith(b"PAR1")):
        return _parquet(data, name, run)
    if b"\0" in data:
        raise failure("binary", "expected text, found binary data", file=name)
    text = data.decode("utf-8-sig", "surrogateescape")
    lines = numbered_lines(text)
    if not lines:
        raise failure("empty", "expected scores, found an empty file", file=name)
    if form in JSON or (form is None and lines[0][1].lstrip()[0] in "{["):
        return of_json(text, lines, name, form, run, summaries)
    if form in TABLES or (form is None and is_header(lines[0][1])):
        return TableMetadata(), of_table(text, name, run, summaries)
    return TableMetadata(), of_lines(lines, name, form, run)


def _parquet(data: bytes, name: str, run: str | None) -> tuple[TableMetadata, Found]:
    from io import BytesIO

    from cranfield._io.arrow_files import ArrowFile

    reject_run(run, name)
    table = ArrowFile(BytesIO(data), "parquet", name).table()
    about = metadata_of(table.schema.metadata)
    try:
        return about, with_topic_all(list(enumerate(records_of(table, about), 1)))
    except Error as error:
        raise moved(error, file=name) from error
