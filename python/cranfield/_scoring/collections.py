"""Several collections at once: judgments and runs by name, or as a TOML file names them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Unpack

from cranfield._base.errors import after, failure, label_failure, moved, short, shown
from cranfield._base.option_types import EvaluatingOptions
from cranfield._base.options import checked
from cranfield._core import Error
from cranfield._io import small_files, sources
from cranfield._io.spans import read_span_qrels
from cranfield._measures.parse import MeasuresLike
from cranfield._scores.collection_scores import CollectionScores
from cranfield._scoring.evaluator import Evaluator


class Collections:
    """Collections by name, each with judgments and runs. Immutable.

    Parameters
    ----------
    collections
        {name: (qrels, runs)}, each as for ``cranfield.evaluate``.

    Raises
    ------
    Error
        Kind "type" for something else, "empty" for no collection.

    """

    __slots__ = ("_parts",)

    def __init__(self, collections: Mapping[str, tuple[Any, Any]]) -> None:
        if not isinstance(collections, Mapping):
            kind = type(collections).__name__
            raise failure("type", f"expected {{name: (qrels, runs)}}, found a {kind}")
        for name, pair in collections.items():
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                message = f"expected (qrels, runs) for the collection {name!r}, found {pair!r:.80}"
                raise failure("type", message)
        if not collections:
            raise failure("empty", "expected at least one collection, found none")
        self._parts = {str(name): (qrels, runs) for name, (qrels, runs) in collections.items()}

    @staticmethod
    @checked
    def read(path: str | os.PathLike[str]) -> Collections:
        """The collections that a TOML file names.

        A table for each, with ``qrels`` (a file) and ``runs`` (a file, a
        pattern, a folder, or a list of these), relative to the file's folder;
        where judgments are of spans, also ``layout = "spans"``.
        Raises ``Error``: kind "missing" for a file that is not there, "type"
        for one that is not TOML or lacks a key, "empty" for no collection.
        """
        return _of_toml(sources.expanded(os.fsdecode(path)))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the collections."""
        return tuple(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __getitem__(self, name: str) -> tuple[Any, Any]:
        """The judgments and the runs of a collection.

        Raises ``LabelError`` for one that is not there.
        """
        try:
            return self._parts[name]
        except (KeyError, TypeError):
            raise label_failure("collection", name, self.names) from None

    def evaluate(
        self, measures: MeasuresLike = None, **options: Unpack[EvaluatingOptions]
    ) -> CollectionScores:
        """Scores the runs of each collection.

        ``measures`` and ``options`` as for ``cranfield.evaluate``, which
        raises what this does, with the name of the collection before it.
        """
        return scores_of(self, evaluators_of(self, measures, **options))

    def __repr__(self) -> str:
        return f"<Collections: {', '.join(self.names)}>"


def evaluators_of(
    collections: Collections, measures: MeasuresLike = None, **options: Unpack[EvaluatingOptions]
) -> dict[str, Evaluator]:
    """The evaluator of each collection, whose judgments are read."""
    found = {}
    for name in collections:
        with named_part("collection", name), after(f"{name}: "):
            found[name] = Evaluator(collections[name][0], measures, **options)
    return found


def scores_of(collections: Collections, evaluators: Mapping[str, Evaluator]) -> CollectionScores:
    """The scores of the runs of each collection."""
    found = {}
    for name in collections:
        with named_part("collection", name), after(f"{name}: "):
            found[name] = evaluators[name].evaluate(collections[name][1])
    return CollectionScores(found)


@contextmanager
def named_part(kind: str, name: str) -> Iterator[None]:
    """Puts the name of a collection or a group before an error that has no place."""
    try:
        yield
    except Error as error:
        if error.file is not None:
            raise
        raise moved(error, file=None, before=f"{kind} {name!r}: ") from error


def _of_toml(path: str) -> Collections:
    import tomllib

    text = small_files.content(path).decode("utf-8", "surrogateescape")
    _check_size(text, path)
    try:
        content = tomllib.loads(text)
    except ValueError as error:
        raise failure("type", f"expected TOML: {error}", file=path) from None
    except RecursionError:
        raise failure("limit", "expected TOML, found it nested too deeply", file=path) from None
    folder = os.path.dirname(path)
    parts = {}
    for name, entry in content.items():
        layout = entry.pop("layout", None) if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or set(entry) != {"qrels", "runs"}:
            message = f"expected a table [{name}] with qrels and runs, found {_keys(entry)}"
            raise failure("type", message, file=path)
        qrels, runs = entry["qrels"], entry["runs"]
        several = runs if isinstance(runs, list) else [runs]
        if not isinstance(qrels, str) or not all(isinstance(run, str) for run in several):
            message = f"expected qrels and runs of [{name}] to be paths"
            raise failure("type", message, file=path)
        if not several:
            raise failure("empty", f"[{name}] has no runs", file=path)
        if layout not in (None, *_TABLES):
            message = f"expected {' or '.join(_TABLES)} as layout of [{name}], found {layout!r}"
            raise failure("option", message, file=path)
        judged: Any = os.path.join(folder, sources.expanded(qrels))
        parts[name] = (
            judged if layout is None else read_span_qrels(judged, layout=layout),
            [os.path.join(folder, sources.expanded(run)) for run in several],
        )
    if not parts:
        raise failure("empty", "expected at least one collection, found none", file=path)
    return Collections(parts)


_TABLES = ("spans", "chroma")
"""The layouts of judgments of spans under which runs are tables of chunks."""


def _keys(entry: object) -> str:
    return short(", ".join(entry)) or "none" if isinstance(entry, dict) else shown(entry)


_STRING = r'"(?:[^"\\\n]|\\.)*"?|\'[^\'\n]*\'?'
_PARTS = 20
"""How many parts a dotted key may have: the work of a parser grows with the square of them."""
_LONGEST = 1 << 20
"""How many characters a file that only names files may have."""


def _check_size(text: str, path: str) -> None:
    """Raises ``Error`` (kind "limit") for a text that would take a parser long."""
    import re

    if len(text) > _LONGEST:
        message = f"expected TOML of at most {_LONGEST} characters, found {len(text)}"
        raise failure("limit", message, file=path)
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") >= _PARTS and re.sub(_STRING, "", line).count(".") >= _PARTS:
            message = f"expected keys of at most {_PARTS} parts, found a line with more"
            raise failure("limit", message, file=path, line=number)
