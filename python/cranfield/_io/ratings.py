"""Judgments from the ratings of search engines and of tools beside them, and back."""

from __future__ import annotations

from typing import Any

from cranfield._base.errors import failure, moved
from cranfield._core import Error, Qrels, rated
from cranfield._io import sources
from cranfield._io.small_files import Line, content, parsed
from cranfield._io.sources import name_of


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
