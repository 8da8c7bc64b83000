"""Reading the scores that cranfield and other tools write.

The core takes files of text apart to records (run, topic, measure, value); ``records`` makes
scores from them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cranfield._base.errors import failure, moved, shown, tell
from cranfield._base.text import readable
from cranfield._core import Error, ScoreCells
from cranfield._io import small_files
from cranfield._io.small_files import PathsLike
from cranfield._io.sources import name_of, run_name
from cranfield._measures.parse import measure_place
from cranfield._scores import formats
from cranfield._scores.joining import common
from cranfield._scores.records import Better, add_arrow, check, scores_of
from cranfield._scores.scores import Scores

Summaries = dict[str, dict[str, float]]
"""For each run the value of each measure."""

FORMATS = (
    *("trec_eval", "ir_measures_cli", "ir_measures", "tot", "ranking", "table", "argue"),
    *("jsonl", "nuggetizer", "json", "pytrec_eval", "ranx", "parquet"),
)
"""Every format."""

SUFFIXES = (".json", ".jsonl", ".eval", ".tsv", ".csv")
"""What the names of files of scores end in: no part of the name of a run."""


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
    cells, names = _read(path, format, run)
    try:
        return Scores(*scores_of(cells, better))
    except Error as error:
        if error.kind != "empty":
            raise
        raise failure("empty", error.message, file=names) from None


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
        summaries = formats.summaries(own) if own else {}
        return replace(self, scores=own, summaries=summaries, topics=frozenset(topics))


def read_summarized(path: PathsLike) -> Summarized:
    """Reads scores and summaries, whatever has them; raises as ``read_scores``."""
    found: Summaries = {}
    cells, names = _read(path, None, None, found)
    scores = Scores(*scores_of(cells, None)) if cells else None
    summaries = formats.summaries(scores) if scores else {}
    for run, row in found.items():
        summaries.setdefault(run, {}).update(row)
    if not summaries:
        raise failure("empty", "expected the scores of a run, found none", file=names)
    topics = frozenset(cells.judged_topics or (scores.topics if scores else ())) or None
    fingerprint = common(cells.fingerprints)
    return Summarized(names, scores, summaries, topics, cells.unmatched, fingerprint)


def _read(
    path: PathsLike, form: str | None, run: str | None, summaries: Summaries | None = None
) -> tuple[ScoreCells, str]:
    """The records of files, and their names.

    Records that sum up a run go into ``summaries`` if these are given.
    """
    cells, names = ScoreCells(), dict[str, None]()
    for file in small_files.paths(path):
        name = readable(name_of(file))
        names[name] = None
        data = small_files.content(file)
        if form == "parquet" or (form is None and data.startswith(b"PAR1")):
            _add_parquet(cells, data, name, run, summaries)
            continue
        own, is_named = named(run, name), run is not None
        left_out = cells.add_file(data, name, own, named=is_named, form=form, summaries=summaries)
        if left_out is not None:
            tell([f"{name}: {left_out}"])
    return cells, ", ".join(names)


def _add_parquet(
    cells: ScoreCells, data: bytes, name: str, run: str | None, summaries: Summaries | None
) -> None:
    from io import BytesIO

    from cranfield._io.arrow_files import ArrowFile

    if run is not None:
        message = "run= is for files that name no run, and this one does"
        raise failure("option", message, file=name)
    table = ArrowFile(BytesIO(data), "parquet", name).table()
    try:
        add_arrow(cells, table, name, summaries)
    except Error as error:
        if error.file is not None:
            raise
        raise moved(error, file=name) from error


def named(run: str | None, name: str) -> str:
    """The run of a file that names none."""
    if run is not None:
        if not isinstance(run, str):
            raise failure("type", f"expected text as run, found {shown(run)}")
        return readable(run)
    stem, suffix = os.path.splitext(run_name(name))
    return stem if stem and suffix.lower() in SUFFIXES else run_name(name)
