"""Names of cranfield's measures in ir_measures, and files that are read when needed."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any, ClassVar

import ir_measures as host
from ir_measures import measures as known
from ir_measures import util

import cranfield as cf
from cranfield._base.errors import failure
from cranfield._core import families
from cranfield.integrations import Patch


class Named(host.Measure):
    """A measure of cranfield in the form of ir_measures."""

    def in_cranfield(self) -> cf.Measure:
        """What it is in cranfield.

        Raises ``cranfield.Error`` for a parameter that the measure does not take.
        """
        parameters = dict(self.params)
        measure = cf.Measure(self.NAME)
        cutoff = parameters.pop(self.AT_PARAM, None)
        judged_only = parameters.pop("judged_only", False)
        if parameters:
            measure = measure(**parameters)
        if judged_only:
            measure = measure.prime
        return measure if cutoff is None else measure @ cutoff

    def pooled(self) -> bool:
        """Whether its summary takes all topics together, as that of micro_P does."""
        return self.in_cranfield().aggregate == "pooled"

    def aggregator(self) -> known.base.Agg:
        """Counts are summed, GMAP and gm_bpref have a geometric mean, the others a mean.

        Raises ``cranfield.Error`` for a pooled measure: it does not follow from
        its values by topic, which is all that an aggregator of ir_measures sees.
        """
        if self.pooled():
            raise failure(
                "option",
                f"{self} is a share of all topics together, and ir_measures adds up values by "
                "topic: expected calc or calc_aggregate with measures that cranfield scores only",
            )
        return {"sum": known.SumAgg, "geometric": _GeometricAgg}.get(
            self.in_cranfield().aggregate, known.MeanAgg
        )()


class _GeometricAgg(known.base.Agg):
    """The geometric mean, of values of at least 1e-5, as in trec_eval's gm_map."""

    def __init__(self) -> None:
        self._logs: list[float] = []

    def add(self, value: float) -> None:
        self._logs.append(math.log(max(value, 1e-5)))

    def result(self) -> float:
        return math.exp(sum(self._logs) / len(self._logs)) if self._logs else math.nan


class _Defined(Named):
    """One measure with all its parameters, named as it is printed."""

    def __init__(self, measure: cf.Measure) -> None:
        super().__init__()
        self.measure = measure
        self.NAME = str(measure)
        self.__name__ = self.NAME

    def in_cranfield(self) -> cf.Measure:
        return self.measure

    def __call__(self, **parameters: Any) -> host.Measure:
        cutoff = parameters.pop(self.AT_PARAM, None)
        measure = self.measure(**parameters) if parameters else self.measure
        return _Defined(measure if cutoff is None else measure @ cutoff)


def defined(measure: str | cf.Measure) -> host.Measure:
    """A measure of cranfield under the name that it is printed with."""
    if not isinstance(measure, (str, cf.Measure)):
        found = type(measure).__name__
        raise TypeError(f"expected a measure of cranfield or its spelling, found {found}")
    return _Defined(cf.Measure(measure) if isinstance(measure, str) else measure)


def _family(family: dict[str, Any]) -> host.Measure:
    """A family of measures with its parameters."""
    at = "recall" if family["cutoff"] == "recall" else "cutoff"
    parameters = {p["name"]: known.ParamInfo(desc=p["text"]) for p in family["parameters"]}
    if family["cutoff"] != "none":
        number = float if at == "recall" else int
        parameters[at] = known.ParamInfo(dtype=number, required=family["cutoff"] != "optional")
    if family["prime"]:
        parameters["judged_only"] = known.ParamInfo(dtype=bool, default=False)
    for name in ("rel", "gain"):
        if family[name]:
            parameters[name] = known.ParamInfo()

    class Family(Named):
        __name__ = NAME = family["name"]
        AT_PARAM = at
        PRETTY_NAME = NAME
        SHORT_DESC = family["summary"]
        SUPPORTED_PARAMS: ClassVar = parameters

    return Family()


def register_names(patch: Patch) -> None:
    """Makes ``parse_measure`` know the families that ir_measures lacks."""
    added = [f for f in families() if f["name"] not in known.registry]
    for family in added:
        known.registry[family["name"]] = _family(family)

    def undo() -> None:
        for family in added:
            known.registry.pop(family["name"], None)

    patch.on_restore(undo)


class TrecFile:
    """A file as the rows that ir_measures reads from it, read when they are asked for."""

    def __init__(self, path: str, rows: Callable[[str], Iterator[Any]]) -> None:
        self._path = path
        self._read = rows
        self._rows: Iterator[Any] | None = None

    def unread(self) -> str:
        """The path, to be read by other means.

        Raises ``ValueError`` if rows were taken: they would count twice.
        """
        if self._rows is not None:
            raise ValueError(f"{self._path}: expected a file of which nothing was read yet")
        return self._path

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._rows is None:
            self._rows = self._read(self._path)
        return next(self._rows)


def register_readers(patch: Patch) -> None:
    """Makes the readers of ir_measures give a ``TrecFile`` for a path."""
    for name in ("read_trec_qrels", "read_trec_run"):
        before = getattr(util, name)

        def read(file: Any, before: Callable[[Any], Iterator[Any]] = before) -> Any:
            if isinstance(file, str) and "\n" not in file and os.path.isfile(file):
                return TrecFile(file, before)
            return before(file)

        patch.replace(util, name, read)
        patch.replace(host, name, read)


def nested(rows: list[Any], value: str) -> dict[str, dict[str, Any]]:
    """Rows of ir_measures as {topic: {document: value}}; of two for a document the last counts."""
    triples: Iterable[tuple[str, str, Any]]
    if set(map(type, rows)) <= {util.ScoredDoc}:
        triples = rows
    else:
        triples = map(attrgetter("query_id", "doc_id", value), rows)
    table: dict[str, dict[str, Any]] = {}
    last: str | None = None
    inner: dict[str, Any] = {}
    for topic, document, found in triples:
        if topic != last:
            last, inner = topic, table.setdefault(topic, {})
        inner[document] = found
    return table
