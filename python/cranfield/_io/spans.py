"""Judgments of spans and runs of chunks: from files, objects of splitters, quotes."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from cranfield._base.errors import failure, shown
from cranfield._base.options import checked, probability
from cranfield._base.options import path as as_path
from cranfield._core import Error, Limits, Qrels, Run, SpanQrels, SpanRun, in_order
from cranfield._io import sources
from cranfield._io.columns import SPANS
from cranfield._io.sources import File, Source

TextsLike: TypeAlias = Mapping[str, str] | str | os.PathLike[str]
SpansLike: TypeAlias = Mapping[Any, Sequence[Any]]

UNITS = ("codepoints", "utf8", "utf16")
"""What offsets can count where texts are given."""


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
    return SpanQrels(_converted(gold.to_dict(), texts, offsets))


def _converted(
    gold: Mapping[str, Sequence[Any]], texts: TextsLike | None, offsets: str
) -> dict[str, list[Any]]:
    """The same spans in code points, checked against the texts."""
    if offsets not in UNITS:
        raise failure("option", f"expected one of {', '.join(UNITS)} as offsets, found {offsets!r}")
    if texts is None:
        message = f"offsets in {offsets} need the texts of the documents; give texts"
        raise failure("needs", message)
    known = Texts(texts)
    return {
        topic: [
            (doc, *known.span(doc, start, end, offsets), *more) for doc, start, end, *more in spans
        ]
        for topic, spans in gold.items()
    }


@contextmanager
def _taken_as(what: str) -> Iterator[None]:
    """Raises ``Error`` (kind "type") in place of what an object of another structure raises."""
    try:
        yield
    except Error:
        raise
    except Exception as error:
        message = f"expected {what}: {type(error).__name__}: {str(error)[:200]}"
        raise failure("type", message) from error


class Texts:
    """The texts of documents, and where things are in them."""

    def __init__(self, texts: TextsLike) -> None:
        given: Any = texts
        self._texts: Mapping[str, str] = (
            given if isinstance(given, Mapping) else _read_texts(as_path(given, "texts"))
        )
        self._folded: dict[str, tuple[str, list[int]]] = {}

    def of(self, doc: str) -> str:
        """The text of a document; raises ``Error`` (kind "label") if there is none."""
        text = self.known(doc)
        if text is None:
            raise failure("label", f"no text of the document {doc!r}")
        return text

    def known(self, doc: str) -> str | None:
        """The text of a document, if there is one."""
        text = self._texts.get(doc)
        return text if isinstance(text, str) else None

    def span(self, doc: str, start: int, end: int, offsets: str) -> tuple[int, int]:
        """Offsets in code points; raises ``Error`` (kind "span") for what is not in the text."""
        text = self.of(doc)
        if offsets == "codepoints":
            if end > len(text):
                message = f"[{start}, {end}) is beyond the text of {doc!r}, which has {len(text)}"
                raise failure("span", f"{message} characters")
            return start, end
        form, width = ("utf-8", 1) if offsets == "utf8" else ("utf-16-le", 2)
        data = text.encode(form, "surrogatepass")
        if end * width > len(data):
            message = f"[{start}, {end}) is beyond the text of {doc!r} in {offsets}"
            raise failure("span", message)
        try:
            before = len(data[: start * width].decode(form))
            return before, before + len(data[start * width : end * width].decode(form))
        except UnicodeDecodeError as error:
            message = f"[{start}, {end}) of {doc!r} begins or ends inside a character of {offsets}"
            raise failure("span", message) from error

    def places(self, doc: str, quote: str, normalize: str) -> list[tuple[int, int]]:
        """Where a quote stands: as it is, or else with runs of white space as one."""
        text, map_of = self.of(doc), None
        found = [match.span() for match in re.finditer(f"(?={re.escape(quote)})", text)]
        if found:
            return [(start, start + len(quote)) for start, _ in found]
        if normalize == "loose":
            if doc not in self._folded:
                self._folded[doc] = _folded(text)
            text, map_of = self._folded[doc]
            quote = _folded(quote)[0]
        words = r"\s+".join(map(re.escape, quote.split()))
        found = [match.span(1) for match in re.finditer(f"(?=({words}))", text)] if words else []
        if map_of is not None:
            found = [(map_of[start], map_of[end - 1] + 1) for start, end in found]
        return found

    def located(
        self, topic: str, doc: str, quote: str, start: int | None, normalize: str, ambiguous: str
    ) -> list[tuple[int, int]]:
        """Where a quote is meant; raises ``Error`` if that cannot be told."""
        found = self.places(doc, quote, normalize)
        if not found:
            raise self._missing(topic, doc, quote, normalize)
        if start is not None:
            return [min(found, key=lambda span: abs(span[0] - start))]
        if len(found) > 1 and ambiguous != "any":
            offsets = ", ".join(str(first) for first, _ in found[:10])
            way = {"error": 'give the start that is meant, or ambiguous="any"'}
            message = (
                f"topic {topic!r}: the quote {quote[:60]!r} stands {len(found)} times in {doc!r}, "
                f"at {offsets}; {way.get(ambiguous, ambiguous)}"
            )
            raise failure("ambiguous", message)
        return found

    def _missing(self, topic: str, doc: str, quote: str, normalize: str) -> Error:
        message = f"topic {topic!r}: the quote {quote[:60]!r} is not in the text of {doc!r}"
        if normalize != "loose" and self.places(doc, quote, "loose"):
            way = "but for case, accents' encoding, quotation marks or dashes it is"
            return failure("missing", f'{message}; {way}: normalize="loose" finds it')
        from difflib import SequenceMatcher

        text = self.of(doc)[:100_000]
        match = SequenceMatcher(None, text, quote, autojunk=False).find_longest_match()
        start = max(0, match.a - match.b)
        near = text[start : start + len(quote)]
        likeness = SequenceMatcher(None, near, quote, autojunk=False).ratio()
        return failure("missing", f"{message}; the nearest is {near[:60]!r}, {likeness:.0%} alike")


_MARKS = {
    ord(mark): plain
    for marks, plain in (
        ("\u2018\u2019\u201a\u201b\u2032", "'"),
        ("\u201c\u201d\u201e\u201f\u2033", '"'),
        ("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    )
    for mark in marks
}
"""Kinds of quotation marks and dashes, and the plain ones."""


def _folded(text: str) -> tuple[str, list[int]]:
    """A text without case, compatibility forms and kinds of marks, and where each letter was."""
    from unicodedata import normalize

    letters, places = [], []
    for place, letter in enumerate(text):
        for one in normalize("NFKD", letter).casefold().translate(_MARKS):
            letters.append(one)
            places.append(place)
    return "".join(letters), places


def _read_texts(path: str) -> dict[str, str]:
    """The texts in a folder, by file names with and without suffix, or of JSON Lines."""
    texts: dict[str, str] = {}
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


def sources_of(runs: Any, options: Mapping[str, Any], find: Any, scores: Any) -> list[Source]:
    """Runs of chunks from anything that is accepted as such, read.

    ``find`` finds files, ``scores`` reads those of runs that name chunks.
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
    return sources.distinct([Source(one.name, _loaded(one, options, scores)) for one in found])


def _loaded(source: Source, options: Mapping[str, Any], scores: Any) -> SpanRun:
    """The run of a source, read if it is not one yet."""
    if isinstance(source.data, SpanRun):
        return source.data.rename(source.name)
    if isinstance(source.data, Run) and options.get("chunks") is None:
        message = "expected a run of chunks, found one of documents"
        raise failure("type", f"{message}; SpanRun.from_run takes its chunks beside it")
    if options.get("chunks") is not None:
        return chunked(scores(source, options), options["chunks"], source.name)
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


def chunk_table(chunks: Any) -> SpanRun:
    """Where chunks are, as a run with a topic for each; of a dict or a file."""
    if isinstance(chunks, Mapping):
        with _taken_as("{chunk: (doc, start, end)}"):
            chunks = dict(chunks)
        return SpanRun({chunk: [place] for chunk, place in chunks.items()}, name="chunks")
    data, label = Source("chunks", sources.one_given(chunks, "chunks", "chunks")).opened()
    return SpanRun.read_chunks(data, label=label)


def _places_of(chunks: Any) -> dict[str, dict[str, Any]]:
    """Where chunks are: {chunk: {"doc", "start", "end", ...}}, of a dict or a file."""
    return {chunk: place for chunk, (place,) in chunk_table(chunks).to_dict().items()}


def chunked(scores: Mapping[str, Mapping[str, float]], chunks: Any, name: str) -> SpanRun:
    """A run of chunks from the scores of their names; see ``SpanRun.from_run``."""
    known, lists = _places_of(chunks), {}
    unknown: list[str] = []
    for topic, of_topic in scores.items():
        # Equal scores in the order of all runs: the higher id first.
        best = sorted(of_topic, key=lambda chunk: (of_topic[chunk], os.fsencode(chunk)))
        unknown += [chunk for chunk in best if chunk not in known]
        if not unknown:
            lists[topic] = [{**known[chunk], "score": of_topic[chunk]} for chunk in reversed(best)]
    if unknown:
        some = ", ".join(unknown[:5])
        message = f"{len(unknown)} chunks of run {name!r} are not in the table of chunks: {some}"
        raise failure("label", message)
    return SpanRun(lists, name=name)


def run_from_nodes(nodes: Any, texts: TextsLike | None, name: str) -> SpanRun:
    """A run from what retrievers return; see ``SpanRun.from_nodes``."""
    with _taken_as("{topic: [node, ...]}"):
        known = None if texts is None else Texts(texts)
        lists = {
            topic: [_of_node(node, known, str(topic)) for node in in_order(found, "nodes")]
            for topic, found in nodes.items()
        }
    return SpanRun(lists, name=name)


_TEXT = ("page_content", "content", "text")
_DOC = ("ref_doc_id", "source_id", "source", "file_name", "file_path", "doc_id")
_START = ("start_char_idx", "start_index", "split_idx_start")


def _of_node(node: Any, texts: Texts | None, topic: str) -> dict[str, Any]:
    """The chunk that an object of LlamaIndex, LangChain or Haystack is."""
    score = getattr(node, "score", None)
    if isinstance(node, tuple) and len(node) == 2:
        node, score = node
    node = getattr(node, "node", node)
    meta = getattr(node, "metadata", None) or getattr(node, "meta", None) or {}

    def given(names: Sequence[str]) -> list[Any]:
        found = (getattr(node, name, None) for name in names)
        return [value for value in (*found, *map(meta.get, names)) if value is not None]

    docs = given(_DOC)
    # Hosts draw ids of documents; where there are texts, the name that these have is meant.
    known = [] if texts is None else [name for name in docs if texts.known(str(name)) is not None]
    several = (known or docs, given(_START), given(_TEXT))
    doc, start, text = (next(iter(found), None) for found in several)
    end = getattr(node, "end_char_idx", None)
    if doc is None:
        names = ", ".join(_DOC)
        message = f"topic {topic!r}: expected a chunk that names its document ({names}), found"
        raise failure("type", f"{message} {shown(node)}")
    if start is not None and start >= 0 and end is None and isinstance(text, str):
        end = start + len(text)
    if texts is not None and isinstance(text, str) and text:
        start, end = _checked_place(texts, topic, str(doc), text, start, end)
    found = {"doc": doc, "start": start, "end": end}
    return found if score is None else {**found, "score": float(score)}


def _checked_place(
    texts: Texts, topic: str, doc: str, text: str, start: int | None, end: int | None
) -> tuple[int, int]:
    """Where a chunk is that brings its text: as it says, or else where its text stands."""
    whole = texts.of(doc)
    if start is None or end is None or start < 0:
        way = "have the splitter write where chunks begin, as with add_start_index=True"
        return texts.located(topic, doc, text, None, "space", way)[0]
    if whole[start:end] == text:
        return start, end
    for unit in UNITS[1:]:
        form, width = ("utf-8", 1) if unit == "utf8" else ("utf-16-le", 2)
        if whole.encode(form)[start * width :].startswith(text.encode(form)):
            message = f"topic {topic!r}: the offset {start} of a chunk of {doc!r} counts {unit}"
            raise failure("needs", f"{message}, not characters; give offsets in code points")
    return texts.located(topic, doc, text, start, "space", "error")[0]


def gold_from_quotes(quotes: Any, texts: TextsLike, normalize: str, ambiguous: str) -> SpanQrels:
    """Judgments from quoted evidence; see ``SpanQrels.from_quotes``."""
    if isinstance(quotes, (str, os.PathLike)):
        quotes = _read_quotes(as_path(quotes, "quotes"))
    for option, value, known in (
        ("normalize", normalize, ("space", "loose")),
        ("ambiguous", ambiguous, ("error", "any")),
    ):
        if value not in known:
            raise failure("option", f"expected {' or '.join(known)} as {option}, found {value!r}")
    with _taken_as("{topic: [(doc, quote), ...]}"):
        sought = Texts(texts)
        gold = {
            topic: list(
                _quoted(str(topic), in_order(given, "quotes"), sought, normalize, ambiguous)
            )
            for topic, given in quotes.items()
        }
    return SpanQrels(gold)


def _read_quotes(path: str) -> dict[str, list[Any]]:
    """The quotes in JSON Lines: a row each, or a topic with its rows in ``evidence``."""
    from cranfield._io import small_files
    from cranfield._io.columns import TOPIC

    quotes: dict[str, list[Any]] = {}
    for line, record in small_files.objects(path):
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


def _quoted(
    topic: str, given: Iterable[Any], texts: Texts, normalize: str, ambiguous: str
) -> Iterator[tuple[Any, ...]]:
    """The spans of the quotes of a topic."""
    for place, item in enumerate(given):
        if isinstance(item, Mapping):
            quote = next((item[key] for key in _QUOTE if key in item), None)
            parts = [item.get("doc"), quote, item.get("grade", 1), item.get("group")]
            start = item.get("start")
        else:
            parts = list(item) if isinstance(item, (tuple, list)) else [item]
            parts, start = [*parts, *(1, None)[len(parts) - 2 :]], None
        doc, quote = parts[:2] if len(parts) == 4 else (None, None)
        if not isinstance(doc, str) or not isinstance(quote, str):
            message = f"topic {topic!r}: expected (doc, quote[, grade[, group]]), found"
            raise failure("type", f"{message} {shown(item)}")
        found = texts.located(topic, doc, quote, start, normalize, ambiguous)
        grade, group = parts[2:]
        if group is None and len(found) > 1:
            group = f"quote {place + 1}"
        for first, last in found:
            yield (doc, first, last, grade) if group is None else (doc, first, last, grade, group)


_QUOTE = ("quote", "content", "text", "reference")


def labeled(gold: SpanQrels, chunks: Any, overlap: float, of: str) -> Qrels:
    """Judgments of chunks by name; see ``SpanQrels.label``."""
    probability(overlap, "overlap")
    if of not in ("span", "chunk"):
        raise failure("option", f"expected span or chunk as of, found {of!r}")
    by_doc: dict[str, list[tuple[int, int, str]]] = {}
    for chunk, at in _places_of(chunks).items():
        by_doc.setdefault(at["doc"], []).append((at["start"], at["end"], chunk))
    longest: dict[str, int] = {}
    for doc, parts in by_doc.items():
        parts.sort()
        longest[doc] = max(end - start for start, end, _ in parts)
    grades: dict[str, dict[str, float]] = {}
    classes: dict[str, dict[str, float]] = {}
    for topic, spans in gold.to_dict().items():
        found: dict[str, tuple[float, float, int]] = {}
        numbers: dict[Any, int] = {}
        for place, (doc, start, end, grade, *group) in enumerate(spans):
            number = numbers.setdefault(group[0] if group else place, len(numbers) + 1)
            parts = by_doc.get(doc, [])
            reach = bisect_left(parts, (start - longest.get(doc, 0),))
            for first, last, chunk in parts[reach : bisect_left(parts, (end,))]:
                shared = min(last, end) - max(first, start)
                share = shared / (end - start if of == "span" else last - first)
                if shared > 0 and share >= overlap:
                    found[chunk] = max(
                        found.get(chunk, (grade, share, -number)), (grade, share, -number)
                    )
        grades[topic] = {chunk: grade for chunk, (grade, _, _) in found.items()}
        classes[topic] = {chunk: float(-number) for chunk, (_, _, number) in found.items()}
    return Qrels(grades).with_column("class", classes)
