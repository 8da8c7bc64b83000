"""Judgments of spans and runs of chunks: from files, objects of splitters, quotes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from cranfield._base.errors import failure
from cranfield._base.options import checked
from cranfield._base.options import path as as_path
from cranfield._core import Limits, Run, SpanQrels, SpanRun, converted_spans, run_of_chunks
from cranfield._io import sources
from cranfield._io.columns import SPANS
from cranfield._io.sources import File, Source

TextsLike: TypeAlias = Mapping[str, str] | str | os.PathLike[str]
SpansLike: TypeAlias = Mapping[Any, Sequence[Any]]


@checked
def read_span_qrels(
    source: File,
    *,
    columns: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    offsets: str = "codepoints",
    texts: TextsLike | None = None,
    layout: str = SPANS,
) -> SpanQrels:
    """Reads judgments of spans: TSV or CSV with a header, JSON Lines, or a layout of others.

    Parameters
    ----------
    source
        A path, ``"-"`` for standard input, or an open file. A row has a topic, a document, the
        offsets ``start`` and ``end`` (or ``length``), and perhaps a grade (1 if not) and a group of
        alternatives; an object of JSON is a row, or a topic with its rows in ``evidence``.
    columns
        Columns of other than the usual names, such as ``{"start": "from"}``.
    limits
        Limits on decompression and on the length of lines.
    offsets
        What offsets count: "codepoints", as Python does, or the bytes of "utf8" or the units of
        "utf16", which are converted with ``texts``.
    texts
        The texts of the documents: {document: text}, a folder, or JSON Lines with ``doc`` and
        ``text``. Offsets are then checked against their lengths.
    layout
        What the file holds: "spans", a table as above; "chroma", the questions of Chroma's
        evaluation of chunking in CSV or JSON, topics being the questions, or the numbers of rows
        with ``columns={"topic": "row"}``; "genomics", the passages of TREC Genomics, where each
        aspect is a group and offsets count bytes; "inex", the passages of INEX; "kilt",
        provenance, where offsets count paragraphs, and outputs of one passage each are
        alternatives.

    Raises
    ------
    Error
        With file, line and column: kind "span" for a span that holds no character, "duplicate" for
        one that comes twice, "number" for an offset or grade that is none, "fields" for columns
        that are not there, "needs" for another unit without texts.

    """
    file = sources.one_given(source, "read_span_qrels", "judgments of spans")
    data, label = Source("qrels", file).opened()
    named = dict(columns or {})
    gold = SpanQrels.read(data, label=label, columns=named, limits=limits, layout=layout)
    if offsets == "codepoints" and texts is None:
        return gold
    return converted_spans(gold, texts, offsets)


def nearest(text: str, quote: str) -> str:
    """The passage that is most like a quote, and how much it is."""
    from difflib import SequenceMatcher

    text = text[:100_000]
    match = SequenceMatcher(None, text, quote, autojunk=False).find_longest_match()
    start = max(0, match.a - match.b)
    near = text[start : start + len(quote)]
    likeness = SequenceMatcher(None, near, quote, autojunk=False).ratio()
    return f"{near[:60]!r}, {likeness:.0%}"


def as_texts(given: Any) -> Mapping[str, Any]:
    """The texts of a mapping, of a folder by names with and without suffix, or of JSON Lines."""
    if isinstance(given, Mapping):
        return given
    path, texts = as_path(given, "texts"), {}
    if os.path.isdir(path):
        for entry in sorted(os.scandir(path), key=lambda entry: entry.name):
            if entry.is_file() and not entry.name.startswith("."):
                with open(entry.path, encoding="utf-8", newline="") as file:
                    text = file.read()
                texts[entry.name] = text
                texts.setdefault(os.path.splitext(entry.name)[0], text)
        return texts
    from cranfield._io import small_files

    for line, record in small_files.objects(path):
        doc = next(
            (str(record[name]) for name in ("doc", "doc_id", "_id", "id") if name in record), ""
        )
        if not isinstance(record.get("text"), str) or not doc:
            raise line.missing(("doc", "text"), record)
        texts[doc] = record["text"]
    return texts


def sources_of(runs: Any, options: Mapping[str, Any], find: Any, load: Any) -> list[Source]:
    """Runs of chunks from anything that is accepted as such, read.

    ``find`` finds files, ``load`` reads those of runs that name chunks.
    """
    if isinstance(runs, Mapping) and not isinstance(runs, SpanRun):
        lists = [run for run in runs.values() if isinstance(run, (list, tuple))]
        is_text = any(isinstance(item, str) for listed in lists for item in listed)
        if lists and len(lists) == len(runs) and not is_text:
            return [Source(sources.UNNAMED, SpanRun(runs))]
        runs = {
            name: SpanRun(run, name=str(name)) if isinstance(run, dict) else run
            for name, run in runs.items()
        }
    found = find(runs, options)
    return sources.distinct([Source(one.name, _loaded(one, options, load)) for one in found])


def _loaded(source: Source, options: Mapping[str, Any], load: Any) -> SpanRun:
    """The run of a source, read if it is not one yet."""
    if isinstance(source.data, SpanRun):
        return source.data.rename(source.name)
    if isinstance(source.data, Run) and options.get("chunks") is None:
        message = "expected a run of chunks, found one of documents"
        raise failure("type", f"{message}; SpanRun.from_run takes its chunks beside it")
    if options.get("chunks") is not None:
        run = load(source, {**options, "run_layout": None})
        return run_of_chunks(run, options["chunks"], source.name)
    data, label = source.opened()
    order = options.get("order") or "docno_desc"
    return SpanRun.read(
        data,
        name=source.name,
        label=label,
        order=order,
        columns=dict(options.get("columns") or {}),
        limits=options.get("limits"),
        layout=options.get("run_layout"),
    )


def opened_chunks(chunks: Any) -> tuple[Any, str | None]:
    """What reads a file that says where chunks are, and what errors call it."""
    return Source("chunks", sources.one_given(chunks, "chunks", "chunks")).opened()


def read_quotes(path: Any) -> dict[str, list[Any]]:
    """The quotes in JSON Lines: a row each, or a topic with its rows in ``evidence``."""
    from cranfield._io import small_files
    from cranfield._io.columns import TOPIC

    quotes: dict[str, list[Any]] = {}
    for line, record in small_files.objects(as_path(path, "quotes")):
        topic = next((record[name] for name in TOPIC if name in record), None)
        rows = record.get("evidence", record.get("references", [record]))
        if not isinstance(topic, (str, int)) or not isinstance(rows, list):
            raise line.missing(("topic", "evidence"), record)
        shared = {"doc": record["doc"]} if "doc" in record else {}
        quotes.setdefault(str(topic), []).extend(
            {**shared, **row} if isinstance(row, Mapping) else row for row in rows
        )
    return quotes


def as_table(gold: SpanQrels) -> str:
    """Judgments of spans as a table between tabs, as ``read_span_qrels`` reads it.

    Raises ``Error``: kind "label" for a name that a field cannot hold, "needs" for offsets of
    another unit, of which a table says nothing.
    """
    if gold.offsets != "codepoints":
        message = f"expected offsets of characters, found {gold.offsets}, which a table cannot say"
        raise failure("needs", f"{message}: read the file in its own layout instead")
    lines = ["topic\tdoc\tstart\tend\tgrade\tgroup"]
    for topic, spans in gold.to_dict().items():
        for doc, start, end, grade, *group in spans:
            names = [topic, doc, *group]
            for name in names:
                if name != name.strip() or name[:1] == '"' or set(name) & set("\t\n\r"):
                    raise failure("label", f"a table cannot hold the name {name!r}")
            fields = (topic, doc, start, end, f"{grade:.12g}", *(group or [""]))
            lines.append("\t".join(map(str, fields)))
    return "\n".join(lines) + "\n"
