"""Judgments from the ratings of search engines and of tools beside them, and back."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from cranfield._base.errors import failure, moved, shown
from cranfield._core import Error, Qrels
from cranfield._io import sources, unpacking
from cranfield._io.small_files import content
from cranfield._io.sources import name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    Rating = tuple[str, Any, Any]
    """Where it stands, the document and its rating."""

FORMS = ("rank_eval", "srw", "quepid")
"""What ``Qrels.to_ratings`` writes."""

_KNOWN = (
    "requests of _rank_eval (requests), judgments of the Search Relevance Workbench "
    "(judgmentRatings), or ratings of RRE (topics or query_groups)"
)
_GUARDED = ("=", "+", "-", "@")
"""How a cell begins that spreadsheets take for a formula; Quepid writes something before it."""


def qrels_from_ratings(given: Any) -> Qrels:
    """The judgments that ratings are; see ``Qrels.from_ratings``."""
    name = None
    if isinstance(given, str) and ("\n" in given or given.lstrip()[:1] in ("{", "[")):
        given = _decoded(given, "<text>")
    elif isinstance(given, str) or hasattr(given, "__fspath__") or hasattr(given, "read"):
        file = sources.one_given(given, "Qrels.from_ratings", "ratings")
        name = name_of(file)
        try:
            given = _decoded(content(file).decode("utf-8-sig"), name)
        except UnicodeDecodeError:
            message = "expected text in UTF-8, found other bytes"
            raise failure("binary", message, file=name) from None
    try:
        return Qrels(_judged(_rated(given)))
    except Error as error:
        if error.file is not None or name is None:
            raise
        raise moved(error, file=name) from error


def _decoded(text: str, name: str) -> Any:
    """What a text holds: JSON, or the rows of CSV as they are."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return unpacking.parsed(text, name, unique_keys=True)
    except unpacking.RepeatedKeyError as error:
        message = f"the key {shown(error.key)} is there twice"
        raise failure("duplicate", message, file=name) from None
    except ValueError as error:
        if isinstance(error, Error):
            raise
        raise failure("fields", f"expected JSON or CSV: {error}", file=name) from None


def _judged(rated: Iterable[tuple[Any, Iterable[Rating]]]) -> dict[Any, dict[Any, float]]:
    """{topic: {document: grade}}, where a document is rated once."""
    found: dict[Any, dict[Any, float]] = {}
    for topic, ratings in rated:
        graded = found.setdefault(topic, {})
        for where, document, rating in ratings:
            if document is None or document == "":
                raise failure("fields", f"{where}: expected a document, found {shown(document)}")
            grade = _number(rating, where)
            if document in graded:
                what = f"{shown(document)} again for topic {shown(topic)}"
                raise failure(
                    "duplicate", f"{where}: expected one rating of a document, found {what}"
                )
            graded[document] = grade
    return found


def _number(rating: Any, where: str) -> float:
    """A rating as a number; the Search Relevance Workbench writes text."""
    if isinstance(rating, str) and rating.isascii() and "_" not in rating:
        try:
            return float(rating)
        except ValueError:
            pass
    elif isinstance(rating, (int, float)) and not isinstance(rating, bool):
        return rating
    raise failure("number", f"{where}: expected a number as rating, found {shown(rating)}")


def _rated(given: Any) -> Iterator[tuple[Any, Iterable[Rating]]]:
    """Each topic and its ratings."""
    if isinstance(given, str):
        return _of_quepid(given)
    body = getattr(given, "body", given)
    if isinstance(body, list) and body and all(isinstance(one, Mapping) for one in body):
        body = {"requests" if "id" in body[0] else "judgmentRatings": body}
    if not isinstance(body, Mapping):
        kind = type(given).__name__
        raise failure("type", f"expected {_KNOWN}, or the path of a file, found a {kind}")
    body = _source(body)
    for key, read in (
        ("requests", _of_rank_eval),
        ("judgmentRatings", _of_workbench),
        ("topics", _of_rre),
        ("query_groups", _of_rre),
    ):
        if key in body:
            return read(body)
    if "metric_score" in body:
        raise failure("type", "expected ratings, found an answer of _rank_eval: pass its request")
    there = ", ".join(map(str, list(body)[:20])) or "no key"
    raise failure("fields", f"expected {_KNOWN}, found {there}")


def _source(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The judgments themselves, also where a search or a look-up returned them."""
    hits = body.get("hits")
    if isinstance(hits, Mapping) and isinstance(hits.get("hits"), list):
        if len(hits["hits"]) != 1:
            names = [shown(one.get("_source", {}).get("name")) for one in hits["hits"][:5]]
            found = f"found {len(hits['hits'])}: {', '.join(names)}" if names else "found none"
            raise failure(
                "fields", f"expected one list of judgments, {found}; pass one of the hits"
            )
        body = hits["hits"][0]
    inner = body.get("_source")
    return inner if isinstance(inner, Mapping) else body


def _list(record: Any, key: str, where: str) -> list[Any]:
    found = record.get(key) if isinstance(record, Mapping) else None
    if not isinstance(found, list):
        raise failure("fields", f"{where}: expected a list as {key}, found {shown(found)}")
    return found


def _field(record: Any, key: str, where: str) -> Any:
    if not isinstance(record, Mapping) or record.get(key) is None:
        there = ", ".join(map(str, record)) if isinstance(record, Mapping) else shown(record)
        raise failure("fields", f"{where}: expected the key {key}, found {there or 'no key'}")
    return record[key]


def _once(topics: dict[Any, str], topic: Any, where: str) -> None:
    """Raises ``Error`` (kind "duplicate") for a topic that comes again."""
    if (earlier := topics.setdefault(topic, where)) is not where:
        message = f"{where}: expected each topic once, found {shown(topic)}, as in {earlier}"
        raise failure("duplicate", message)


def _of_rank_eval(body: Mapping[str, Any]) -> Iterator[tuple[Any, Iterable[Rating]]]:
    requests = _list(body, "requests", "the request")
    rated: list[tuple[Any, list[tuple[str, Any, Any, Any]]]] = []
    topics: dict[Any, str] = {}
    for number, request in enumerate(requests, 1):
        where = f"request {number}"
        topic = _field(request, "id", where)
        _once(topics, topic, where)
        own = []
        for place, one in enumerate(_list(request, "ratings", where), 1):
            at = f"rating {place} of {where}"
            own.append((at, _field(one, "_index", at), _field(one, "_id", at), one.get("rating")))
        rated.append((topic, own))
    several = len({index for _, own in rated for _, index, _, _ in own}) > 1
    for topic, own in rated:
        yield topic, [(at, f"{i}/{d}" if several else d, grade) for at, i, d, grade in own]


def _of_workbench(body: Mapping[str, Any]) -> Iterator[tuple[Any, Iterable[Rating]]]:
    topics: dict[Any, str] = {}
    for number, judged in enumerate(_list(body, "judgmentRatings", "the judgments"), 1):
        where = f"query {number}"
        topic = _field(judged, "query", where)
        _once(topics, topic, where)
        own = []
        for place, one in enumerate(_list(judged, "ratings", where), 1):
            at = f"rating {place} of {where}"
            own.append((at, _field(one, "docId", at), one.get("rating")))
        yield topic, own


def _of_rre(body: Mapping[str, Any]) -> Iterator[tuple[Any, Iterable[Rating]]]:
    """The queries of the Rated Ranking Evaluator: each has the documents of its group."""
    placeholder = body.get("query_placeholder") or "$query"
    seen: dict[str, list[tuple[Any, Any]]] = {}
    for topic in body.get("topics") or [body]:
        for group in _list(topic, "query_groups", "a topic"):
            where = (
                f"query group {shown(group.get('name') if isinstance(group, Mapping) else group)}"
            )
            documents = group.get("relevant_documents") or {}
            if not isinstance(documents, Mapping):
                found = shown(documents)
                raise failure("fields", f"{where}: expected relevant_documents, found {found}")
            own = list(_with_gains(documents, where))
            for query in _list(group, "queries", where):
                text = _placed(query, placeholder)
                if text is None:
                    message = f"{where}: expected {placeholder} in each query, found {shown(query)}"
                    raise failure("fields", message)
                if text not in seen:
                    seen[text] = own
                    yield text, [(where, document, gain) for document, gain in own]
                elif seen[text] != own:
                    message = f"expected one list of documents for query {shown(text)}, found two"
                    raise failure("conflict", f"{where}: {message}")


def _with_gains(documents: Mapping[str, Any], where: str) -> Iterator[tuple[Any, Any]]:
    """Documents and their gains, of {document: {"gain": gain}} or {gain: [document, ...]}."""
    for key, value in documents.items():
        if isinstance(value, list):
            yield from ((document, key) for document in value)
        else:
            yield key, _field(value, "gain", f"{where}: document {shown(key)}")


def _placed(query: Any, placeholder: str) -> str | None:
    """The text of a query, wherever its placeholder is."""
    if not isinstance(query, Mapping):
        return None
    if isinstance(query.get(placeholder), str):
        return str(query[placeholder])
    return next(filter(None, (_placed(value, placeholder) for value in query.values())), None)


def _of_quepid(text: str) -> Iterator[tuple[Any, Iterable[Rating]]]:
    """The rows of a CSV file of Quepid; a query alone in its row has no judgments."""
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [name.strip().lower() for name in next(rows, [])]
        if header != ["query", "docid", "rating"]:
            found = ", ".join(header)[:200] or "nothing"
            raise failure(
                "fields", f"expected CSV with the header query,docid,rating, found {found}"
            )
        for row in rows:
            where = f"line {rows.line_num}"
            query, document, rating, *more = [*row, "", "", ""]
            if not row or (not query and not document):
                continue
            if any(more[:-2]) or not query or (rating and not document):
                message = f"{where}: expected a query, a document and a rating, found {shown(row)}"
                raise failure("fields", message)
            # Without a rating a document is not judged.
            yield _plain(query), [(where, _plain(document), rating)] if rating else []
    except csv.Error as error:
        raise failure("fields", f"line {rows.line_num}: expected CSV: {error}") from None


def _plain(cell: str) -> str:
    """A cell without what guards it from spreadsheets."""
    return cell[1:] if cell[:1] in ("'", " ") and cell[1:2] in _GUARDED else cell


def ratings_of(qrels: Qrels, form: str, index: Any) -> Any:
    """Judgments as a form of ratings; see ``Qrels.to_ratings``."""
    judged = qrels.to_dict()
    if form != "rank_eval" and index is not None:
        raise failure("option", f'index= is for "rank_eval", found it for {shown(form)}')
    if form == "rank_eval":
        return _as_rank_eval(judged, index)
    if form == "srw":
        return {
            "judgmentRatings": [
                {
                    "query": topic,
                    "ratings": [
                        {"docId": document, "rating": _text(grade)}
                        for document, grade in graded.items()
                    ],
                }
                for topic, graded in judged.items()
            ]
        }
    if form == "quepid":
        return _as_quepid(judged)
    raise failure("option", f"expected one of {', '.join(FORMS)} as form, found {shown(form)}")


def _as_rank_eval(judged: Mapping[str, Mapping[str, float]], index: Any) -> dict[str, Any]:
    if not isinstance(index, str) and not callable(index):
        way = 'index="products", or a function from a document to its index and _id'
        raise failure("option", f'expected the index of the documents for "rank_eval": {way}')
    place: Callable[[str], Any] = index if callable(index) else lambda document: (index, document)

    def rating(document: str, grade: float) -> dict[str, Any]:
        name, own = place(document)
        if grade != int(grade):
            message = f"expected whole numbers for _rank_eval, found {grade} for {shown(document)}"
            raise failure("needs", message)
        return {"_index": name, "_id": own, "rating": int(grade)}

    return {
        "requests": [
            {"id": topic, "ratings": [rating(*pair) for pair in graded.items()]}
            for topic, graded in judged.items()
        ]
    }


def _as_quepid(judged: Mapping[str, Mapping[str, float]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("query", "docid", "rating"))
    for topic, graded in judged.items():
        guarded = f"'{topic}" if topic[:1] in _GUARDED else topic
        rows = [(guarded, document, f"{grade:.17g}") for document, grade in graded.items()]
        writer.writerows(rows or [(guarded,)])
    return text.getvalue()


def _text(grade: float) -> str:
    """A rating as the workbench writes it: with three decimals, or more where it has more."""
    text = f"{grade:.3f}"
    return text if float(text) == grade else repr(grade)
