"""Judgments from the ratings of search engines and of tools beside them, and back."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from typing import Any

from cranfield._base.errors import failure, moved, shown
from cranfield._core import Error, Qrels, rated
from cranfield._io import sources
from cranfield._io.small_files import Line, content, parsed
from cranfield._io.sources import name_of

FORMS = ("rank_eval", "srw", "quepid")
"""What ``Qrels.to_ratings`` writes."""

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
        return Qrels(rated(given))
    except Error as error:
        if error.file is not None or name is None:
            raise
        raise moved(error, file=name) from error


def _decoded(text: str, name: str) -> Any:
    """What a text holds: JSON, or the rows of CSV as they are."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    return parsed(text, Line(name, None), "expected JSON or CSV", is_line=False)


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
