"""Your own measures: Python functions that are scored as the built-in ones are.

>>> import cranfield as cf
>>> @cf.measure("first_hit", better="higher")
... def first_hit(topic, *, weight=1.0):
...     hits = topic.ranks[topic.grades >= topic.rel]
...     return weight / hits[0] if len(hits) else 0.0
>>> scores = cf.evaluate({"1": {"a": 1}}, {"1": {"b": 2, "a": 1}}, [first_hit, "RR"])
>>> scores.mean().tolist()
[[0.5, 0.5]]

A measure is a value, as the built-in ones: ``first_hit(weight=2) @ 10`` has
another weight and a cutoff, ``first_hit.prime`` sees the condensed list. While
the process knows the function, text names it as well:
``"first_hit(weight=2)@10 AP"``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

from cranfield._core import Error, Measure, OpaqueMeasure, parse_measures
from cranfield.errors import failure, shown
from cranfield.options import checked, several, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from cranfield._core import Qrels

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

__all__ = ["CustomMeasure", "Topic", "Topics", "measure"]

DIRECTIONS = ("higher", "lower", None)
AGGREGATES = ("mean", "sum", "geometric")

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_+-]*\Z")
_RESERVED = ("rel",)
"""Parameters that every measure takes."""

_known: dict[str, CustomMeasure] = {}
"""The measures that text can name, by name: the last one of each."""


class Topic:
    """What a measure sees of one topic: the judged documents of a list.

    The arrays are read-only and stay valid. On the condensed list (the prime)
    ranks and ``retrieved`` count judged documents only.
    """

    __slots__ = (
        *("cutoff", "grades", "ideal", "num_nonrel", "num_rel", "ranks", "rel"),
        *("retrieved", "topic"),
    )

    topic: str
    """Its id."""
    ranks: Whole
    """The ranks, from 1, of the judged documents of the list: int64, ascending.

    Those up to the cutoff if there is one.
    """
    grades: Floats
    """Their grades: float64, the same shape."""
    retrieved: int
    """How many documents the list has, whatever the cutoff."""
    num_rel: int
    """R: how many documents are relevant, in the list or not: grade at least ``rel``."""
    num_nonrel: int
    """N: how many are judged and not relevant."""
    ideal: Floats
    """The grades above 0 of all judged documents, the best first: float64."""
    rel: float
    """The lowest relevant grade."""
    cutoff: int | None
    """The rank after ``@``; None for the whole list."""

    def __repr__(self) -> str:
        return f"<Topic {self.topic}: {len(self.ranks)} judged of {self.retrieved} retrieved>"


class Topics:
    """What a measure with ``batch=True`` sees of a run: all topics at once.

    The judged documents of topic i stand from ``offsets[i]`` to before
    ``offsets[i + 1]``, its ideal grades from ``ideal_offsets[i]``. All else is
    as in ``Topic``.
    """

    __slots__ = (
        *("cutoff", "grades", "ideal", "ideal_offsets", "num_nonrel", "num_rel", "offsets"),
        *("ranks", "rel", "retrieved", "topics"),
    )

    topics: tuple[str, ...]
    """Their ids."""
    offsets: Whole
    """int64, shape (topics + 1,)."""
    ranks: Whole
    """int64, shape (documents,)."""
    grades: Floats
    """float64, shape (documents,)."""
    retrieved: Whole
    """int64, shape (topics,)."""
    num_rel: Whole
    """int64, shape (topics,)."""
    num_nonrel: Whole
    """int64, shape (topics,)."""
    ideal: Floats
    """float64, shape (ideal documents,)."""
    ideal_offsets: Whole
    """int64, shape (topics + 1,)."""
    rel: float
    """The lowest relevant grade."""
    cutoff: int | None
    """The rank after ``@``; None for the whole list."""

    def __len__(self) -> int:
        return len(self.topics)

    def __repr__(self) -> str:
        return f"<Topics: {len(self)}, {len(self.ranks)} judged documents>"


class CustomMeasure:
    """A measure that is a Python function; made by ``cranfield.measure``. Immutable.

    Equal to another with the same name, function and arguments. It pickles if
    its function does.
    """

    __slots__ = (
        *("_aggregate", "_arguments", "_batch", "_better", "_cutoff", "_defaults"),
        *("_family", "_function", "_prime", "_properties"),
    )

    def __init__(
        self,
        family: str,
        function: Callable[..., Any],
        *,
        better: str | None,
        aggregate: str,
        batch: bool,
        properties: tuple[str, ...],
        arguments: Mapping[str, Any] | None = None,
        prime: bool = False,
        cutoff: int | None = None,
    ) -> None:
        self._family = family
        self._function = function
        self._better = better
        self._aggregate = aggregate
        self._batch = batch
        self._properties = properties
        self._defaults = {"rel": 1.0, **_defaults(function, family)}
        self._arguments = {**self._defaults, **(arguments or {})}
        self._prime = prime
        self._cutoff = cutoff

    @property
    def family(self) -> str:
        """Its name."""
        return self._family

    @property
    def better(self) -> str | None:
        """Which values are better: "higher", "lower", or None."""
        return self._better

    @property
    def aggregate(self) -> str:
        """How its values become one for all topics: "mean", "sum" or "geometric"."""
        return self._aggregate

    @property
    def rel(self) -> float:
        """The lowest relevant grade."""
        return float(self._arguments["rel"])

    @property
    def properties(self) -> tuple[str, ...]:
        """What it declares of itself; ``cranfield.testing.check_measure`` tests it."""
        return self._properties

    @property
    def cutoff(self) -> int | None:
        """The rank after ``@``."""
        return self._cutoff

    @property
    def arguments(self) -> dict[str, Any]:
        """Its parameters with their values, ``rel`` among them."""
        return dict(self._arguments)

    def __call__(self, *topic: Any, **arguments: Any) -> Any:
        """The measure with other arguments; with a ``Topic`` the value of that.

        Raises ``Error`` (kind "parameter") for one that the function does not take.
        """
        if topic:
            (one,) = topic
            return self._value(one, {**self._arguments, **arguments})
        for name, value in arguments.items():
            if name not in self._defaults:
                raise self._refused(f"has no parameter {name!r}; it takes", self._defaults)
            if name == "rel" and not _is_number(value):
                raise self._refused(f"expected a number as rel, found {value!r}", ())
        return self._with(arguments={**self._arguments, **arguments})

    def __matmul__(self, cutoff: object) -> CustomMeasure:
        """The measure with a cutoff; raises ``Error`` (kind "parameter") for what is no rank."""
        whole = isinstance(cutoff, (int, float)) and not isinstance(cutoff, bool)
        if not whole or not float(cutoff).is_integer() or cutoff < 1:  # type: ignore[arg-type, operator]
            message = f"{self._family}@ takes a rank of at least 1, found {cutoff!r}"
            raise failure("parameter", message)
        return self._with(cutoff=int(cutoff))  # type: ignore[call-overload]

    @property
    def prime(self) -> CustomMeasure:
        """The same on the condensed list: documents without a judgment are left out first."""
        return self._with(prime=True)

    def __str__(self) -> str:
        shown = {
            name: value
            for name, value in self._arguments.items()
            if value != self._defaults[name]
            or type(value) is bool is not type(self._defaults[name])
        }
        inner = ",".join(f"{name}={_written(value)}" for name, value in shown.items())
        brackets = f"({inner})" if inner else ""
        prime = "'" if self._prime else ""
        cutoff = "" if self._cutoff is None else f"@{self._cutoff}"
        return f"{self._family}{brackets}{prime}{cutoff}"

    def __repr__(self) -> str:
        return f"<measure {self}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CustomMeasure):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        state = {
            "better": self._better,
            "aggregate": self._aggregate,
            "batch": self._batch,
            "properties": self._properties,
            "arguments": self._arguments,
            "prime": self._prime,
            "cutoff": self._cutoff,
        }
        return _unpickled, (self._family, _Named(self._function), state)

    def column(self) -> OpaqueMeasure:
        """What stands for it in scores; for this package only."""
        return OpaqueMeasure(str(self), better=self._better, aggregate=self._aggregate)

    def values(self, lists: Lists, run: str) -> list[float]:
        """Its value of each topic as the function has it; NaN where one is left out.

        For this package only. Raises ``Error`` (kind "measure") for what the
        function raises and for what is no number.
        """
        seen = lists.seen(prime=self._prime, cutoff=self._cutoff, rel=self._arguments["rel"])
        if self._batch:
            return self._of_all(seen, lists, run)
        found = []
        for place, topic in enumerate(lists.topics):
            if lists.retrieved[place] < 0:
                found.append(math.nan)
                continue
            try:
                value = self._value(seen.topic(place), self._arguments)
            except Exception as error:
                raise self._failed(error, run, topic) from error
            found.append(self._number(value, run, topic))
        return found

    def _of_all(self, seen: _Seen, lists: Lists, run: str) -> list[float]:
        """The values of a function of all topics."""
        import numpy as np

        kept = [place for place, number in enumerate(lists.retrieved.tolist()) if number >= 0]
        topics = seen.topics(kept)
        try:
            values = self._value(topics, self._arguments)
        except Exception as error:
            raise self._failed(error, run, None) from error
        try:
            column = None if values is None else np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            column = None
        if column is None or column.shape != (len(kept),):
            message = (
                f"{self} returned {_kind(values)}{_shape(values, column)} for run {run!r}; "
                f"a measure with batch=True returns a number for each of the {len(kept)} topics"
            )
            raise failure("measure", message)
        found = [math.nan] * len(lists.topics)
        for place, value in zip(kept, column.tolist(), strict=True):
            found[place] = self._number(value, run, lists.topics[place])
        return found

    def _value(self, seen: Any, arguments: Mapping[str, Any]) -> Any:
        own = {name: value for name, value in arguments.items() if name not in _RESERVED}
        return self._function(seen, **own)

    def _number(self, value: Any, run: str, topic: str) -> float:
        """A value as a number; NaN is decided on later."""
        if not _is_number(value):
            advice = "a measure returns one number"
            if value is None:
                advice += ": does it end without return?"
            message = f"{self} returned {_kind(value)} for topic {topic!r} of run {run!r}"
            raise failure("measure", f"{message}; {advice}")
        number = float(value)
        if math.isinf(number):
            message = f"{self} returned {number} for topic {topic!r} of run {run!r}"
            raise failure("measure", f"{message}; a value is finite")
        return number

    def _failed(self, error: Exception, run: str, topic: str | None) -> Error:
        """The error for what the function raised."""
        place = f"run {run!r}" if topic is None else f"topic {topic!r} of run {run!r}"
        said = " ".join(str(error).split())
        what = f"{type(error).__name__}: {said}" if said else type(error).__name__
        return failure("measure", f"{self} failed for {place}: {what}")

    def _refused(self, what: str, names: Iterable[str]) -> Error:
        listed = ", ".join(names)
        return failure("parameter", f"{self._family} {what} {listed}".rstrip())

    def _with(self, **changed: Any) -> CustomMeasure:
        state: dict[str, Any] = {
            "better": self._better,
            "aggregate": self._aggregate,
            "batch": self._batch,
            "properties": self._properties,
            "arguments": self._arguments,
            "prime": self._prime,
            "cutoff": self._cutoff,
        }
        return CustomMeasure(self._family, self._function, **{**state, **changed})

    def _key(self) -> tuple[object, ...]:
        return str(self), self._function, self._better, self._aggregate, self._batch


@checked
def measure(
    name: str,
    /,
    *,
    better: str | None,
    batch: bool = False,
    aggregate: str = "mean",
    properties: str | Iterable[str] = (),
) -> Callable[[Callable[..., Any]], CustomMeasure]:
    """Makes a measure of a Python function.

    Parameters
    ----------
    name
        What it is called in scores: letters, digits, ``_``, ``-`` and ``+``.
        No name of a built-in measure.
    better
        Which values are better: "higher", "lower", or None where a value does
        not say how good a run is.
    batch
        Whether the function takes all topics of a run at once, as ``Topics``,
        and returns a number for each. Otherwise it takes one ``Topic`` and
        returns its value.
    aggregate
        How topics become one value for the run: their "mean", "sum" or
        "geometric" mean.
    properties
        What ``cranfield.testing.check_measure`` is to hold it to, separated by
        spaces or as a list: "unit" (every value is in [0, 1]), "swaps" (it is
        no worse when a relevant document moves up past one that is not),
        "monotone" (it is no worse when a document that is not relevant becomes
        relevant, R being the same), "cutoff" (nothing below the cutoff counts).

    Returns
    -------
    function
        The decorator. What it returns is a ``CustomMeasure``, which everything
        that takes a measure takes. Further parameters of the function have
        defaults, and are set by calling the measure.

    Raises
    ------
    Error
        Kind "measure" for a name that is none or that a built-in measure has,
        "option" for another argument, "parameter" for a parameter of the
        function without a default.

    A value of NaN is 0/0: it is what ``undefined`` makes of it on topics
    without a relevant document, and an error on all others.

    """
    if not isinstance(name, str) or not _NAME.match(name):
        expected = "expected a name of letters, digits, _, - and +"
        raise failure("measure", f"{expected}, found {shown(name)}")
    if _built_in(name):
        message = f"there is a built-in measure {name}; give yours another name"
        raise failure("measure", message)
    if better not in DIRECTIONS:
        message = f'expected "higher", "lower" or None as better, found {shown(better)}'
        raise failure("option", message)
    if aggregate not in AGGREGATES:
        listed = ", ".join(f'"{known}"' for known in AGGREGATES)
        raise failure("option", f"expected one of {listed} as aggregate, found {shown(aggregate)}")
    from cranfield.testing import PROPERTIES

    given = properties.split() if isinstance(properties, str) else properties
    declared = tuple(several(given, "properties", text))
    for one in declared:
        if one not in PROPERTIES:
            listed = ", ".join(PROPERTIES)
            raise failure("option", f"expected properties among {listed}, found {shown(one)}")

    def decorate(function: Callable[..., Any]) -> CustomMeasure:
        if not callable(function):
            raise failure("type", f"expected a function, found {_kind(function)}")
        made = CustomMeasure(
            name,
            function,
            better=better,
            aggregate=aggregate,
            batch=batch,
            properties=declared,
        )
        _known[name] = made
        return made

    return decorate


def is_own(text: str) -> bool:
    """Whether a text is the spelling of one measure that is a function."""
    spelled = _SPELLED.match(text)
    return spelled is not None and spelled["name"] in _known


def parsed(text: str) -> list[Measure | CustomMeasure]:
    """The measures that a text names, those of functions among them.

    Raises ``Error`` as ``parse_measures`` does, and kind "parameter" for
    arguments that a function does not take.
    """
    if not any(name in text for name in _known):
        return list(parse_measures(text))
    found: list[Measure | CustomMeasure] = []
    for piece in _pieces(text):
        spelled = _SPELLED.match(piece)
        own = _known.get(spelled["name"]) if spelled else None
        if own is None or spelled is None:
            begun = _BEGUN.match(piece)
            if begun and begun[0] in _known:
                expected = f"{begun[0]}(parameter=value)'@rank, in parts or whole"
                raise failure("measure", f"expected {expected}, found {piece!r}")
            found.extend(parse_measures(piece))
            continue
        if spelled["arguments"] is not None:
            own = own(**_arguments(own.family, spelled["arguments"]))
        if spelled["prime"]:
            own = own.prime
        found.append(own if spelled["cutoff"] is None else own @ int(spelled["cutoff"]))
    return found


def _pieces(text: str) -> Iterator[str]:
    """The pieces of a text between spaces, and between commas where one is a function's."""
    for piece in _PIECE.findall(text):
        parts = _PART.findall(piece)
        yield from parts if any(map(is_own, parts)) else [piece]


_PART = re.compile(r"(?:\([^)]*\)|[^\s(,])+")
_BEGUN = re.compile(r"[A-Za-z0-9_+-]+")
_PIECE = re.compile(r"(?:\([^)]*\)|[^\s(,]|,(?!\s))+")
_SPELLED = re.compile(
    r"(?P<name>[A-Za-z_][A-Za-z0-9_+-]*)(?:\((?P<arguments>.*)\))?(?P<prime>'?)(?:@(?P<cutoff>\d+))?\Z"
)


def load(path: str) -> None:
    """Runs a Python file that makes measures, so that text can name them.

    Raises ``Error``: kind "missing" for a file that cannot be read, "measure"
    for one that fails or makes none.
    """
    import os
    import sys
    from importlib.util import module_from_spec, spec_from_file_location

    if not os.path.isfile(path):
        raise failure("missing", "expected a Python file that makes measures", file=path)
    before = dict(_known)
    name = os.path.splitext(os.path.basename(path))[0]
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise failure("missing", "expected a file with the suffix .py", file=path)
    module = module_from_spec(spec)
    # So that its functions can be pickled by name; what is there is not replaced.
    sys.modules.setdefault(name, module)
    try:
        spec.loader.exec_module(module)
    except Error:
        raise
    except Exception as error:
        said = " ".join(str(error).split())
        raise failure("measure", f"{type(error).__name__}: {said}", file=path) from error
    if _known == before:
        message = "expected a file that makes measures with @cranfield.measure, found none"
        raise failure("measure", message, file=path)


def _arguments(name: str, text: str) -> dict[str, Any]:
    """The arguments in the brackets: numbers, True, False, None and quoted text."""
    import ast

    try:
        call = ast.parse(f"f({text})", mode="eval").body
        assert isinstance(call, ast.Call)
        if call.args or any(word.arg is None for word in call.keywords):
            raise ValueError(text)
        return {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError, AssertionError):
        message = f"expected {name}(parameter=value), found {name}({text})"
        raise failure("parameter", message) from None


class Lists:
    """The judged documents of a run's lists, topic by topic; for this package only."""

    __slots__ = ("grades", "judged", "offsets", "ranks", "retrieved", "topics")

    def __init__(self, judged: Judged, raw: tuple[Whole, Whole, Floats, Whole]) -> None:
        self.judged = judged
        self.topics = judged.topics
        self.offsets, self.ranks, self.grades, self.retrieved = map(_frozen, raw)

    def seen(self, *, prime: bool, cutoff: int | None, rel: float) -> _Seen:
        """The lists as a measure sees them."""
        return _Seen(self, prime, cutoff, rel)


class Judged:
    """What the judgments say of each topic; for this package only."""

    __slots__ = ("_counts", "ideal", "ideal_offsets", "judged", "topics")

    def __init__(self, qrels: Qrels, negative: str | None) -> None:
        import numpy as np

        self.topics = qrels.topics
        self.judged: list[Floats] = []
        ideals = []
        for topic in self.topics:
            grades = np.sort(np.fromiter(qrels[topic].values(), dtype=np.float64))[::-1]
            if negative != "nonrelevant":
                grades = grades[grades >= 0]
            self.judged.append(grades)
            ideals.append(grades[grades > 0])
        sizes = [0, *map(len, ideals)]
        self.ideal_offsets = _frozen(np.cumsum(sizes, dtype=np.int64))
        self.ideal = _frozen(np.concatenate([*ideals, np.empty(0)]))
        self._counts: dict[float, tuple[Whole, Whole]] = {}

    def repeated(self, place: int, number: int) -> Judged:
        """The same of one topic, so many times."""
        import numpy as np

        found: Judged = object.__new__(Judged)
        found.topics = (self.topics[place],) * number
        found.judged = [self.judged[place]] * number
        ideal = self.ideal[self.ideal_offsets[place] : self.ideal_offsets[place + 1]]
        found.ideal = _frozen(np.tile(ideal, number))
        found.ideal_offsets = _frozen(np.arange(number + 1, dtype=np.int64) * len(ideal))
        found._counts = {
            rel: (_frozen(np.full(number, r[place])), _frozen(np.full(number, n[place])))
            for rel, (r, n) in self._counts.items()
        }
        return found

    def counts(self, rel: float) -> tuple[Whole, Whole]:
        """R and N of each topic."""
        import numpy as np

        if rel not in self._counts:
            # A negative grade is not relevant, whatever is.
            least = max(rel, 0.0)
            relevant = np.array([(g >= least).sum() for g in self.judged], dtype=np.int64)
            judged = np.array([len(g) for g in self.judged], dtype=np.int64)
            self._counts[rel] = _frozen(relevant), _frozen(judged - relevant)
        return self._counts[rel]


class _Seen:
    """Lists as one measure sees them: condensed or not, cut or not."""

    __slots__ = ("_cutoff", "_grades", "_lists", "_num", "_offsets", "_ranks", "_rel", "_retrieved")

    def __init__(self, lists: Lists, prime: bool, cutoff: int | None, rel: float) -> None:
        import numpy as np

        self._lists = lists
        self._cutoff = cutoff
        self._rel = rel
        self._num = lists.judged.counts(rel)
        offsets, ranks, grades, retrieved = (
            lists.offsets,
            lists.ranks,
            lists.grades,
            lists.retrieved,
        )
        sizes = np.diff(offsets)
        if prime:
            ranks = np.arange(len(ranks)) - np.repeat(offsets[:-1], sizes) + 1
            retrieved = np.where(retrieved < 0, retrieved, sizes)
        if cutoff is not None:
            kept = ranks <= cutoff
            before = np.concatenate([[0], np.cumsum(kept)])
            offsets, ranks, grades = before[offsets], ranks[kept], grades[kept]
        self._offsets, self._ranks = _frozen(offsets), _frozen(ranks)
        self._grades, self._retrieved = _frozen(grades), _frozen(retrieved)

    def topic(self, place: int) -> Topic:
        """A topic by itself."""
        first, last = self._offsets[place], self._offsets[place + 1]
        judged = self._lists.judged
        topic = Topic()
        topic.topic = self._lists.topics[place]
        topic.ranks = self._ranks[first:last]
        topic.grades = self._grades[first:last]
        topic.retrieved = int(self._retrieved[place])
        topic.num_rel = int(self._num[0][place])
        topic.num_nonrel = int(self._num[1][place])
        topic.ideal = judged.ideal[judged.ideal_offsets[place] : judged.ideal_offsets[place + 1]]
        topic.rel = self._rel
        topic.cutoff = self._cutoff
        return topic

    def topics(self, places: Sequence[int]) -> Topics:
        """Some topics at once."""
        import numpy as np

        judged, every = self._lists.judged, len(places) == len(self._lists.topics)
        topics = Topics()
        topics.topics = tuple(self._lists.topics[place] for place in places)
        # A topic that is left out has no documents in the list.
        topics.ranks, topics.grades = self._ranks, self._grades
        keep = slice(None) if every else np.array(places, dtype=np.int64)
        sizes = np.diff(self._offsets)[keep]
        topics.offsets = _frozen(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))
        topics.retrieved = _frozen(self._retrieved[keep])
        topics.num_rel, topics.num_nonrel = (_frozen(number[keep]) for number in self._num)
        if every:
            topics.ideal, topics.ideal_offsets = judged.ideal, judged.ideal_offsets
        else:
            first, last = judged.ideal_offsets[:-1], judged.ideal_offsets[1:]
            parts = [judged.ideal[first[place] : last[place]] for place in places]
            topics.ideal = _frozen(np.concatenate([*parts, np.empty(0)]))
            topics.ideal_offsets = _frozen(np.cumsum([0, *map(len, parts)], dtype=np.int64))
        topics.rel, topics.cutoff = self._rel, self._cutoff
        return topics


def settled(
    values: Sequence[float], measure: CustomMeasure, lists: Lists, run: str, undefined: str | None
) -> list[float]:
    """Values under the policy for undefined ones; for this package only.

    Raises ``Error``: kind "undefined" where that is an error, "measure" for
    NaN on a topic that has a relevant document.
    """
    relevant = lists.judged.counts(measure.arguments["rel"])[0].tolist()
    found = []
    for place, value in enumerate(values):
        topic = lists.topics[place]
        if lists.retrieved[place] < 0:
            found.append(math.nan)
        elif relevant[place]:
            if math.isnan(value):
                message = f"{measure} returned nan for topic {topic!r} of run {run!r}"
                advice = "only a topic without a relevant document has no value"
                raise failure("measure", f"{message}; {advice}")
            found.append(value + 0.0)
        elif undefined == "error":
            message = f"{measure} is undefined for topic {topic!r}: it has no relevant document"
            raise failure("undefined", message)
        elif undefined == "skip":
            found.append(math.nan)
        else:
            found.append(0.0 if math.isnan(value) else value + 0.0)
    return found


class _Named:
    """A function as a pickle has it: by the name of the measure that stands there.

    The name of a decorated function is that of its measure.
    """

    __slots__ = ("function",)

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        import sys

        module = getattr(self.function, "__module__", None)
        name = getattr(self.function, "__qualname__", "")
        found: Any = sys.modules.get(module or "")
        for part in name.split("."):
            found = getattr(found, part, None)
        if isinstance(found, CustomMeasure) and found._function is self.function:
            return _named, (module, name)
        # Whatever pickle makes of it: it says itself what it cannot do.
        return _as_it_is, (self.function,)


def _named(module: str, name: str) -> Callable[..., Any]:
    """The function of a measure in a module."""
    from importlib import import_module

    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    function: Callable[..., Any] = found._function
    return function


def _as_it_is(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def _unpickled(
    family: str, function: Callable[..., Any], state: Mapping[str, Any]
) -> CustomMeasure:
    return CustomMeasure(family, function, **state)


def _defaults(function: Callable[..., Any], name: str) -> dict[str, Any]:
    """The parameters of a function beside what it sees, with their defaults."""
    from inspect import Parameter, signature

    try:
        _, *others = signature(function).parameters.values()
    except (TypeError, ValueError):
        message = f"{name}: expected a function of a topic, found {_kind(function)}"
        raise failure("parameter", message) from None
    found = {}
    for parameter in others:
        if parameter.kind in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL):
            continue
        if parameter.default is Parameter.empty or parameter.name in _RESERVED:
            why = "has no default" if parameter.default is Parameter.empty else "is every measure's"
            message = f"{name}: the parameter {parameter.name!r} of its function {why}"
            raise failure("parameter", message)
        found[parameter.name] = parameter.default
    return found


def _built_in(name: str) -> bool:
    try:
        return bool(parse_measures(name))
    except Error as error:
        # A measure that lacks a cutoff is one.
        return error.kind != "measure"


def _is_number(value: object) -> bool:
    from numbers import Real

    if isinstance(value, Real):
        return True
    return type(value).__module__ == "numpy" and type(value).__name__ == "bool"


def _kind(value: object) -> str:
    """What something is, in words."""
    if value is None:
        return "None"
    name = type(value).__name__
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"an array of shape {shape}"
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _shape(values: object, column: Any) -> str:
    """The shape of what is no array itself."""
    is_list = column is not None and column.shape and not hasattr(values, "shape")
    return f" of shape {column.shape}" if is_list else ""


def _written(value: object) -> str:
    """An argument as text has it."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _frozen(array: Any) -> Any:
    array.flags.writeable = False
    return array
