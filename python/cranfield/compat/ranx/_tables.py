"""Judgments and runs with the methods that ranx gives them, and ranx's own in their place.

What ranx has besides is ranx's own: functions of it take and return the objects of here.
"""

from __future__ import annotations

import errno
import json
import math
import os
import sys
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, KeysView, Sequence, Set
from functools import wraps
from importlib import import_module
from importlib.machinery import PathFinder
from numbers import Integral
from typing import Any, ClassVar, Self

import cranfield as cf
from cranfield._base.errors import optional
from cranfield._core import scores_of_dicts
from cranfield._io.arrow_files import ArrowFile
from cranfield._io.columns import sound_series
from cranfield._io.small_files import json_value
from cranfield._scoring.evaluator import Evaluator

KINDS = ("json", "trec", "gz", "parquet")

PLACES = ("ranx.meta", "ranx.data_structures", "ranx.data_structures.report", "ranx.normalization",
          "ranx.fusion", "ranx.metrics", "ranx.statistical_tests")  # fmt: skip
"""Where ranx keeps what can be asked for."""


class _Table(ABC):
    """{topic: {document: value}} by topic and, within one, by descending value."""

    number: ClassVar[Callable[[Any], Any]]
    value: ClassVar[str]

    def __init__(self, table: dict[str, dict[str, Any]] | None = None, name: str | None = None):
        self.name = name
        self._native: cf.Qrels | cf.Run | None = None
        self._table: dict[str, dict[str, Any]] = {}
        self._ordered = True
        self._lent = False
        if table is not None:
            self._table = _checked(table, type(self))
            self._ordered = False

    def _held(self) -> dict[str, dict[str, Any]]:
        """The table; what was read from a file becomes one when it is asked for."""
        if self._native is not None:
            number = type(self).number
            self._table = {
                topic: {document: number(value) for document, value in inner.items()}
                for topic, inner in self._native.to_dict().items()
            }
            self._native = None
            self._ordered = False
        return self._table

    def _changed(self) -> dict[str, dict[str, Any]]:
        """The table, to be changed."""
        self._ordered = False
        return self._held()

    def _in_order(self) -> dict[str, dict[str, Any]]:
        if not self._ordered or self._lent or self._native is not None:
            self.sort()
        return self._table

    def sort(self) -> None:
        """Puts topics in order, and documents by descending value; equal ones stay as they are."""
        table = self._held()
        topics = sorted(table.items())
        for _, inner in topics:
            values = zip(inner, map(type(self).number, inner.values()), strict=True)
            ordered = sorted(values, key=lambda item: item[1], reverse=True)
            inner.clear()
            inner.update(ordered)
        table.clear()
        table.update(topics)
        self._ordered = True

    def _lend(self) -> dict[str, dict[str, Any]]:
        """The table in order, which the caller may change from now on."""
        table = self._in_order()
        self._changed()
        self._lent = True
        return table

    def _replaced(self, table: dict[str, dict[str, Any]]) -> None:
        """Takes another table for this one."""
        self._changed()
        self._lent = True
        self._table = _checked(table, type(self))

    def keys(self) -> KeysView[str]:
        """The topics."""
        if self._native is not None:
            return dict.fromkeys(self._native.topics).keys()
        return self._held().keys()

    def add_score(self, q_id: str, doc_id: str, score: float) -> None:
        """Adds a document to a topic, or changes its value.

        Raises ``TypeError`` for ids that are not text.
        """
        _text(q_id, doc_id)
        self._changed().setdefault(q_id, {})[doc_id] = type(self).number(score)

    def add(self, q_id: str, doc_ids: Sequence[str], scores: Sequence[float]) -> None:
        """Adds a topic with its documents; one that was there is replaced."""
        self.add_multi([q_id], [doc_ids], [scores])

    def add_multi(
        self,
        q_ids: Sequence[str],
        doc_ids: Sequence[Sequence[str]],
        scores: Sequence[Sequence[float]],
    ) -> None:
        """Adds several topics.

        Raises ``IndexError`` if the lists differ in length and ``TypeError`` for
        ids that are not text and for sets, which have no order.
        """
        odd = next((one for one in (q_ids, *doc_ids, *scores) if isinstance(one, Set)), None)
        if odd is not None:
            raise TypeError(f"expected lists, found a {type(odd).__name__}, which has no order")
        _text(*q_ids, *(document for documents in doc_ids for document in documents))
        sizes = [*map(len, doc_ids)], [*map(len, scores)]
        if sizes[0] != sizes[1] or len(q_ids) != len(doc_ids):
            raise IndexError(
                f"expected a value for each document of {len(q_ids)} topics, found "
                f"{sizes[0]} documents and {sizes[1]} values"
            )
        table, number = self._changed(), type(self).number
        for topic, documents, values in zip(q_ids, doc_ids, scores, strict=True):
            table[topic] = {d: number(v) for d, v in zip(documents, values, strict=True)}

    def get_query_ids(self) -> list[str]:
        """The topics as a list."""
        return list(self.keys())

    def get_doc_ids_and_scores(self) -> list[dict[str, Any]]:
        """{document: value} of each topic."""
        return list(self._in_order().values())

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """A copy as {topic: {document: value}}, a ``defaultdict`` as in ranx."""
        found: dict[str, dict[str, Any]] = defaultdict(dict)
        found.update((topic, dict(inner)) for topic, inner in self._in_order().items())
        return found

    def to_dataframe(self) -> Any:
        """A pandas frame with the columns q_id, doc_id and score."""
        pandas = optional("pandas", "a data frame")
        rows = [(q, d, v) for q, inner in self._in_order().items() for d, v in inner.items()]
        columns: list[Any] = [list(column) for column in zip(*rows, strict=True)] or [[], [], []]
        return pandas.DataFrame(dict(zip(("q_id", "doc_id", "score"), columns, strict=True)))

    def save(self, path: str = "", kind: str | None = None) -> None:
        """Writes a file of the kind that its suffix says: json, trec, txt, parq, parquet.

        Without a path it is qrels.json or run.json in the working directory, as in ranx.

        Raises ``AssertionError`` for another suffix, as in ranx.
        """
        path = path or f"{type(self).__name__.lower()}.json"
        kind = _kind(path, kind)
        if kind == "json":
            with open(path, "w", encoding="utf-8") as file:
                json.dump(self.to_dict(), file, indent=2, ensure_ascii=False)
        elif kind == "parquet":
            self.to_dataframe().to_parquet(path, index=False)
        else:
            ids = {topic: dict.fromkeys(inner, 0) for topic, inner in self.to_dict().items()}
            cf._core.check_ids(cf.Qrels(ids))
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(self._lines()))

    @abstractmethod
    def _lines(self) -> list[str]: ...

    @classmethod
    def from_dict(cls, d: dict[str, dict[str, Any]], name: str | None = None) -> Self:
        """From {topic: {document: value}}."""
        return cls(d, name)

    @classmethod
    def from_df(
        cls,
        df: Any,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        name: str | None = None,
    ) -> Self:
        """From a pandas frame with a column each for topics, documents and values.

        Raises ``AssertionError`` for ids that are not text and for values that are not
        numbers, or in judgments not whole ones, as in ranx.
        """
        kinds = "iuf" if cls.value == "score" else "iu"
        found = df[score_col].dtype
        assert getattr(found, "kind", "") in kinds, (
            f"expected numbers as {cls.value} in column {score_col}, "
            f"{'whole ones, ' if kinds == 'iu' else ''}found {found}"
        )
        columns = (q_id_col, doc_id_col, score_col)
        topics, documents, values = (sound_series(df[c]).tolist() for c in columns)
        for column, ids in ((q_id_col, topics), (doc_id_col, documents)):
            odd = next((i for i in ids if not isinstance(i, str)), None)
            assert odd is None, f"expected text in column {column}, found {odd!r}"
        table: dict[str, dict[str, Any]] = {}
        for topic, document, value in zip(topics, documents, values, strict=True):
            table.setdefault(topic, {})[document] = cls.number(value)
        return cls(table, name)

    @classmethod
    def from_parquet(
        cls,
        path: str,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        pd_kwargs: dict[str, Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """From a Parquet file with such columns; ``pd_kwargs`` go to pandas."""
        pandas = optional("pandas", "reading Parquet")
        if pd_kwargs or not os.path.isfile(path):
            frame = pandas.read_parquet(path, **(pd_kwargs or {}))
        else:
            frame = ArrowFile(os.fspath(path), "parquet", path).table().to_pandas()
        return cls.from_df(frame, q_id_col, doc_id_col, score_col, name)

    @classmethod
    def _of_file(
        cls, path: str, kind: str | None, name: str | None, read: Callable[[str], cf.Qrels | cf.Run]
    ) -> Self:
        """From a file that is there; one of TREC's form is read when a value is asked for."""
        kind = _kind(path, kind)
        if not os.path.exists(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        if kind == "parquet":
            return cls.from_parquet(path, name=name)
        if kind == "json":
            with open(path, encoding="utf-8") as file:
                return cls(json_value(file.read(), path), name)
        table = cls(name=name)
        table._native = read(path)
        return table

    @property
    def size(self) -> int:
        """The number of topics."""
        return len(self)

    def __getitem__(self, q_id: str) -> dict[str, Any]:
        return dict(self._in_order()[q_id])

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __contains__(self, q_id: object) -> bool:
        return q_id in self.keys()

    def __len__(self) -> int:
        return len(self._held() if self._native is None else self._native)

    def __repr__(self) -> str:
        return repr(self._in_order())


def _grade(value: Any) -> float:
    """A grade as ``int``, unless it is a fraction; raises what ``int`` raises for anything else."""
    number = float(value)
    return number if math.isfinite(number) and not number.is_integer() else int(number)


class Qrels(_Table):
    """Judgments: {topic: {document: grade}}."""

    number = _grade
    value = "grade"

    def __init__(
        self, qrels: dict[str, dict[str, int]] | None = None, name: str | None = None
    ) -> None:
        super().__init__(qrels, name)
        self._evaluators: dict[object, Evaluator] = {}
        self._judged: cf.Qrels | None = None

    qrels = property(
        _Table._lend,
        _Table._replaced,
        doc="The grades as a dict; changing it changes the judgments.",
    )

    def _changed(self) -> dict[str, dict[str, Any]]:
        self._evaluators.clear()
        self._judged = None
        return super()._changed()

    def _compiled(self) -> cf.Qrels:
        """As cranfield's judgments, which are kept until a grade changes."""
        if self._lent:
            self._changed()
        if self._judged is None:
            native = self._native
            self._judged = native if isinstance(native, cf.Qrels) else cf.Qrels(plain(self._held()))
        return self._judged

    def set_relevance_level(self, rel_lvl: int = 1) -> None:
        """Takes ``rel_lvl - 1`` from all grades, so that those below it are not relevant."""
        for inner in self._changed().values():
            for document in inner:
                inner[document] -= rel_lvl - 1

    @classmethod
    def from_file(cls, path: str, kind: str | None = None) -> Self:
        """From a file: json, trec, txt or gz by its suffix.

        TREC files may be compressed in any way that cranfield reads. Raises
        ``AssertionError`` for another suffix, ``FileNotFoundError`` if there is no
        such file, ``cranfield.Error`` for lines that are not judgments.
        """
        return cls._of_file(path, kind, None, cf.read_qrels)

    @classmethod
    def from_ir_datasets(cls, dataset_id: str) -> Self:
        """The judgments of a dataset of ir_datasets."""
        datasets = optional("ir_datasets", f"reading {dataset_id}")
        return cls(datasets.load(dataset_id).qrels_dict(), dataset_id)

    def _lines(self) -> list[str]:
        table = self._in_order()
        return [f"{q} 0 {d} {grade}" for q, inner in table.items() for d, grade in inner.items()]


class Run(_Table):
    """A run: {topic: {document: score}}; ``evaluate`` leaves its scores in it."""

    number = float
    value = "score"

    def __init__(
        self, run: dict[str, dict[str, float]] | None = None, name: str | None = None
    ) -> None:
        super().__init__(run, name)
        self.metadata: dict[str, Any] = {}
        self.scores: dict[str, dict[str, float]] = defaultdict(dict)
        self.mean_scores: dict[str, float] = {}
        self.std_scores: dict[str, float] = {}

    run = property(
        _Table._lend, _Table._replaced, doc="The scores as a dict; changing it changes the run."
    )

    def make_comparable(self, qrels: Qrels) -> Self:
        """Gives the run the topics of the judgments: missing ones empty, others left out."""
        table = self._changed()
        self._table = {topic: table.get(topic, {}) for topic in qrels.get_query_ids()}
        self.sort()
        return self

    @classmethod
    def from_file(cls, path: str, kind: str | None = None, name: str | None = None) -> Self:
        """From a file: json, trec, txt or gz by its suffix; named by its tag.

        TREC files may be compressed in any way that cranfield reads. Raises
        ``AssertionError`` for another suffix, ``FileNotFoundError`` if there is no
        such file, ``cranfield.Error`` for lines that are not those of a run.
        """
        run = cls._of_file(path, kind, name, cf.read_run)
        if name is None and isinstance(run._native, cf.Run):
            run.name = run._native.tag
        return run

    @classmethod
    def from_ranxhub(cls, id: str) -> Self:  # noqa: A002
        """Raises ``NotImplementedError``: ranx downloads its runs itself."""
        raise NotImplementedError(
            f"expected a run that is here, found {id!r} of ranxhub: download it with ranx, "
            "and pass run.to_dict() of it"
        )

    def _lines(self) -> list[str]:
        return [
            f"{topic} Q0 {document} {rank} {score} {self.name}"
            for topic, inner in self._in_order().items()
            for rank, (document, score) in enumerate(inner.items(), 1)
        ]


def _text(*ids: Any) -> None:
    odd = next((i for i in ids if not isinstance(i, str)), None)
    if odd is not None:
        raise TypeError(f"expected ids as str, found {type(odd).__name__} {odd!r}")


def label(topic: Any) -> str:
    """What a topic is called in scores: an integer, also of numpy, by its digits."""
    if isinstance(topic, str):
        return topic
    return str(int(topic)) if isinstance(topic, Integral) else repr(topic)


def plain(table: dict[Any, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """A table as it is, or with text for topics that are something else."""
    if all(isinstance(topic, str) for topic in table):
        return table
    return {label(topic): inner for topic, inner in table.items()}


def _checked(table: Any, kind: type[_Table]) -> dict[str, dict[str, Any]]:
    """A copy of a table by topic.

    Raises what ranx raises for tables of another shape, and says what was expected.
    """
    value, number = kind.value, kind.number
    if not hasattr(table, "items"):
        found = type(table).__name__
        raise AttributeError(f"expected {{topic: {{document: {value}}}}}, found {found}")
    for topic, inner in table.items():
        if not hasattr(inner, "items"):
            found = type(inner).__name__
            raise AttributeError(
                f"expected {{document: {value}}} for topic {topic!r}, found {found}"
            )
    if scores_of_dicts(table.values()) is not None:
        return {topic: dict(inner) for topic, inner in sorted(table.items())}
    numbers: dict[str, dict[str, Any]] = {}
    for topic, inner in sorted(table.items()):
        numbers[topic] = {}
        for document, found in inner.items():
            if not isinstance(document, str):
                raise TypeError(f"expected documents as str in topic {topic!r}, found {document!r}")
            try:
                numbers[topic][document] = number(found)
            except (OverflowError, TypeError, ValueError) as error:
                raise type(error)(
                    f"expected a number as {value} for document {document!r} of topic {topic!r}, "
                    f"found {type(found).__name__}"
                ) from error
    return numbers


def _kind(path: str, kind: str | None) -> str:
    """The kind of a file; raises ``AssertionError`` for one that ranx does not have."""
    if kind is None:
        kind = os.path.splitext(path)[1][1:]
        kind = {"txt": "trec", "parq": "parquet"}.get(kind, kind)
    assert kind in KINDS, f"expected a file of kind {', '.join(KINDS)}, found {kind!r}: {path}"
    return kind


def folders() -> list[str]:
    """Where ranx is installed, so that its modules are found below whatever stands in for it."""
    try:
        spec = PathFinder.find_spec("ranx")
    except (ImportError, ValueError):
        return []
    return list(spec.submodule_search_locations or ()) if spec is not None else []


def attribute(name: str) -> Any:
    """What ranx has under a name; a function takes and returns the objects of here.

    Raises ``AttributeError`` if ranx is not installed or has no such thing.
    """
    if not folders():
        raise AttributeError(
            f"module 'cranfield.compat.ranx' has no attribute {name!r}: it is computed by ranx "
            "itself, which is not installed"
        )
    if "ranx" not in sys.modules:
        import_module("ranx")
    else:
        # As the package does when it is imported.
        import_module("numba").config.THREADING_LAYER = "workqueue"
    for place in PLACES:
        found = getattr(import_module(place), name, None)
        if found is not None:
            return (
                _over_objects(found) if callable(found) and not isinstance(found, type) else found
            )
    raise AttributeError(f"module 'ranx' has no attribute {name!r}")


def _over_objects(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        given = [_each(value, theirs) for value in args]
        named = {name: _each(value, theirs) for name, value in options.items()}
        return _each(function(*given, **named), ours)

    return call


def _each(value: Any, turned: Callable[[Any], Any]) -> Any:
    """A value, or each of a list, a tuple or the values of a dict."""
    if type(value) in (list, tuple):
        return type(value)(_each(item, turned) for item in value)
    if type(value) is dict:
        return {key: _each(item, turned) for key, item in value.items()}
    return turned(value)


def ours(value: Any) -> Any:
    """A ``Qrels`` or a ``Run`` of ranx as one of here; anything else as it is."""
    name = type(value).__name__
    if name not in ("Qrels", "Run") or not type(value).__module__.startswith("ranx."):
        return value
    return _made(Qrels if name == "Qrels" else Run, value)


def theirs(value: Any) -> Any:
    """A ``Qrels`` or a ``Run`` of here as one of ranx; anything else as it is."""
    if not isinstance(value, Qrels | Run):
        return value
    name = "Qrels" if isinstance(value, Qrels) else "Run"
    return _made(getattr(import_module("ranx.data_structures"), name), value)


def _made(kind: Any, value: Any) -> Any:
    """Judgments or a run as another class has them, with the scores that were saved in it."""
    made = kind({topic: dict(inner) for topic, inner in value.to_dict().items()}, value.name)
    if kind.__name__ == "Run":
        for name in ("metadata", "scores", "mean_scores", "std_scores"):
            setattr(made, name, getattr(value, name))
    return made
