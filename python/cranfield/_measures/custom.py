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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from cranfield._base.errors import failure, shown
from cranfield._base.options import checked, one_of, several, text
from cranfield._core import Error, JudgedLists, Measure, OpaqueMeasure, SeenLists, parse_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"
Whole: TypeAlias = "NDArray[np.int64]"

DIRECTIONS = ("higher", "lower", None)
PROPERTIES = {
    "unit": "every value is in [0, 1]",
    "swaps": "no worse when a relevant document moves up past a nonrelevant one",
    "monotone": "no worse when a relevant document that was missed replaces a nonrelevant one",
    "cutoff": "documents below the cutoff do not count",
}
"""What a measure can declare, and what that means."""

AGGREGATES = ("mean", "sum", "geometric")

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_+-]*\Z")
_COLUMNS = frozenset({"group", "lines", "measure", "run", "topic", "topics", "value"})
"""Columns of labels in tables of scores."""

_RESERVED = ("rel",)
"""Parameters that every measure takes."""

_DEEPEST = 2**32 - 1
"""The highest cutoff, as of other measures."""

_PART = re.compile(r"(?:\([^)]*\)|[^\s(,])+")

_BEGUN = re.compile(r"[A-Za-z0-9_+-]+")

_PIECE = re.compile(r"(?:\([^)]*\)|[^\s(,]|,(?!\s))+")

_SPELLED = re.compile(
    r"(?P<name>[A-Za-z_][A-Za-z0-9_+-]*)(?:\((?P<arguments>.*)\))?(?P<prime>'?)(?:@(?P<cutoff>\d+))?\Z"
)

known: dict[str, CustomMeasure] = {}
"""The measures that text can name, by name: the last one of each."""


@dataclass(slots=True, eq=False, repr=False)
class Topic:
    """What a measure sees of one topic: the judged documents of a list.

    The arrays are read-only and stay valid. On the condensed list (the prime)
    ranks and ``retrieved`` count judged documents only.
    """

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


@dataclass(slots=True, eq=False, repr=False)
class Topics:
    """What a measure with ``batch=True`` sees of a run: all topics at once.

    The judged documents of topic i stand from ``offsets[i]`` to before
    ``offsets[i + 1]``, its ideal grades from ``ideal_offsets[i]``. All else is
    as in ``Topic``.
    """

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


@dataclass(frozen=True, eq=False, repr=False)
class CustomMeasure:
    """A measure that is a Python function; made by ``cranfield.measure``. Immutable.

    Equal to another with the same name, function and arguments. It pickles if
    its function does.
    """

    family: str
    """Its name."""
    _function: Callable[..., Any]
    better: str | None = field(kw_only=True)
    """Which values are better: "higher", "lower", or None."""
    aggregate: str = field(kw_only=True)
    """How its values become one for all topics: "mean", "sum" or "geometric"."""
    properties: tuple[str, ...] = field(kw_only=True)
    """What it declares of itself; ``cranfield.testing.check_measure`` tests it."""
    cutoff: int | None = field(kw_only=True, default=None)
    """The rank after ``@``."""
    _batch: bool = field(kw_only=True)
    _given: Mapping[str, Any] = field(kw_only=True, default_factory=dict)
    """The arguments that it was given."""
    _condensed: bool = field(kw_only=True, default=False)
    """Whether it is the prime."""
    _defaults: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        own = _defaults(self._function, text(self.family, "family"))
        object.__setattr__(self, "_defaults", {"rel": 1.0, **own})

    @property
    def arguments(self) -> dict[str, Any]:
        """Its parameters with their values, ``rel`` among them."""
        return {**self._defaults, **self._given}

    @property
    def rel(self) -> float:
        """The lowest relevant grade."""
        return float(self.arguments["rel"])

    def __call__(self, *topic: Any, **arguments: Any) -> Any:
        """The measure with other arguments; with a ``Topic`` the value of that.

        Raises ``Error`` (kind "parameter") for one that the function does not take.
        """
        if len(topic) > 1:
            raise self._refused(f"takes one topic, found {len(topic)}", ())
        if topic:
            return self._value(topic[0], {**self.arguments, **arguments})
        for name, value in arguments.items():
            if name not in self._defaults:
                raise self._refused(f"has no parameter {name!r}; it takes", self._defaults)
            if name == "rel" and not _is_number(value):
                raise self._refused(f"expected a number as rel, found {shown(value)}", ())
        return replace(self, _given={**self._given, **arguments})

    def __matmul__(self, cutoff: object) -> CustomMeasure:
        """The measure with a cutoff; raises ``Error`` (kind "parameter") for what is not a rank."""
        whole = isinstance(cutoff, (int, float)) and not isinstance(cutoff, bool)
        if not whole or not 1 <= cutoff <= _DEEPEST or int(cutoff) != cutoff:  # type: ignore[operator, call-overload]
            message = f"{self.family}@ takes a rank of at least 1, found {shown(cutoff)}"
            raise failure("parameter", message)
        return replace(self, cutoff=int(cutoff))  # type: ignore[call-overload]

    @property
    def prime(self) -> CustomMeasure:
        """The same on the condensed list: documents without a judgment are left out first."""
        return replace(self, _condensed=True)

    def __str__(self) -> str:
        shown = {
            name: value
            for name, value in self.arguments.items()
            if value != self._defaults[name]
            or type(value) is bool is not type(self._defaults[name])
        }
        inner = ",".join(f"{name}={_written(value)}" for name, value in shown.items())
        brackets = f"({inner})" if inner else ""
        prime = "'" if self._condensed else ""
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        return f"{self.family}{brackets}{prime}{cutoff}"

    def __repr__(self) -> str:
        return f"<measure {self}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CustomMeasure):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        state = {name: value for name, value in vars(self).items() if name != "_defaults"}
        return _unpickled, ({**state, "_function": _picklable(self._function)},)

    def column(self) -> OpaqueMeasure:
        """What stands for it in scores; for internal use only."""
        return OpaqueMeasure(str(self), better=self.better, aggregate=self.aggregate)

    def values(self, lists: JudgedLists, run: str) -> list[float]:
        """Its value of each topic as the function has it; NaN where one is left out.

        For internal use only. Raises ``Error`` (kind "measure") for what the
        function raises and for what is not a number.
        """
        seen = lists.seen(self._condensed, self.cutoff, self.arguments["rel"])
        if self._batch:
            return self._of_all(seen, lists, run)
        found, arguments = [], self.arguments
        for place, topic in enumerate(lists.topics):
            if lists.retrieved[place] < 0:
                found.append(math.nan)
                continue
            try:
                value = self._value(Topic(*seen.topic(place)), arguments)
            except Exception as error:
                raise self._failed(error, run, topic) from error
            found.append(self._number(value, run, topic))
        return found

    def _of_all(self, seen: SeenLists, lists: JudgedLists, run: str) -> list[float]:
        """The values of a function of all topics."""
        import numpy as np

        kept = [place for place, number in enumerate(lists.retrieved.tolist()) if number >= 0]
        topics = Topics(*seen.topics(kept))
        try:
            values = self._value(topics, self.arguments)
        except Exception as error:
            raise self._failed(error, run, None) from error
        try:
            column = None if values is None else np.asarray(values, dtype=np.float64)
        except Exception:
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
        try:
            number = float(value)
        except Exception as error:
            message = f"{self} returned {shown(value)} for topic {topic!r} of run {run!r}"
            advice = "a value is a number that a float can hold"
            raise failure("measure", f"{message}; {advice}") from error
        if math.isinf(number):
            message = f"{self} returned {number} for topic {topic!r} of run {run!r}"
            raise failure("measure", f"{message}; a value is finite")
        return number

    def _failed(self, error: Exception, run: str, topic: str | None) -> Error:
        """The error for what the function raised."""
        place = f"run {run!r}" if topic is None else f"topic {topic!r} of run {run!r}"
        text = " ".join(str(error).split())
        what = f"{type(error).__name__}: {text}" if text else type(error).__name__
        return failure("measure", f"{self} failed for {place}: {what}")

    def _refused(self, what: str, names: Iterable[str]) -> Error:
        listed = ", ".join(names)
        return failure("parameter", f"{self.family} {what} {listed}".rstrip())

    def _key(self) -> tuple[object, ...]:
        return str(self), self._function, self.better, self.aggregate, self._batch


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
        No name of a built-in measure, and not "run", "topic" or another column of labels.
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
        Kind "measure" for an invalid name or that of a built-in measure or a column,
        "option" for another argument, "parameter" for a parameter of the
        function without a default.

    A value of NaN is 0/0: ``undefined`` decides about it on topics
    without a relevant document, and an error on all others.

    """
    if not isinstance(name, str) or not _NAME.match(name):
        expected = "expected a name of letters, digits, _, - and +"
        raise failure("measure", f"{expected}, found {shown(name)}")
    if _built_in(name):
        message = f"there is a built-in measure {name}; give yours another name"
        raise failure("measure", message)
    if name in _COLUMNS:
        message = f"tables of scores have a column called {name}; give the measure another name"
        raise failure("measure", message)
    if better not in DIRECTIONS:
        message = f'expected "higher", "lower" or None as better, found {shown(better)}'
        raise failure("option", message)
    one_of("aggregate", aggregate, AGGREGATES)
    given = properties.split() if isinstance(properties, str) else properties
    declared = tuple(several(given, "properties", text))
    for one in declared:
        one_of("properties", one, PROPERTIES)

    def decorate(function: Callable[..., Any]) -> CustomMeasure:
        if not callable(function):
            raise failure("type", f"expected a function, found {_kind(function)}")
        made = CustomMeasure(
            name, function, better=better, aggregate=aggregate, properties=declared, _batch=batch
        )
        known[name] = made
        return made

    return decorate


def settled(
    values: Sequence[float],
    measure: CustomMeasure,
    lists: JudgedLists,
    run: str,
    undefined: str | None,
) -> list[float]:
    """Values under the policy for undefined ones; for internal use only.

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
        elif undefined == "one":
            message = f'undefined="one" is for measures whose best value is 1: that of {measure}'
            raise failure("option", f"{message} is not known")
        else:
            found.append(0.0 if math.isnan(value) else value + 0.0)
    return found


def _picklable(function: Callable[..., Any]) -> Callable[..., Any] | tuple[str, str]:
    """A function in a pickle: module and name of the measure that decorates it.

    The name of a decorated function is that of its measure. Another function is left to
    pickle, which says itself what it cannot do.
    """
    import sys

    module = getattr(function, "__module__", None) or ""
    name = getattr(function, "__qualname__", "")
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    is_named = isinstance(found, CustomMeasure) and found._function is function
    return (module, name) if is_named else function


def _unpickled(state: dict[str, Any]) -> CustomMeasure:
    if isinstance(state["_function"], tuple):
        from importlib import import_module
        from operator import attrgetter

        module, name = state["_function"]
        state["_function"] = attrgetter(name)(import_module(module))._function
    return CustomMeasure(**state)


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
    """The shape of a value that is not itself an array."""
    is_list = column is not None and column.shape and not hasattr(values, "shape")
    return f" of shape {column.shape}" if is_list else ""


def _written(value: object) -> str:
    """An argument as text has it."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def is_own(text: str) -> bool:
    """Whether a text is the spelling of one measure that is a function."""
    spelled = _SPELLED.match(text)
    return spelled is not None and spelled["name"] in known


def parsed(text: str) -> list[Measure | CustomMeasure]:
    """The measures that a text names, those of functions among them.

    Raises ``Error`` as ``parse_measures`` does, and kind "parameter" for
    arguments that a function does not take.
    """
    if not any(name in text for name in known):
        return list(parse_measures(text))
    found: list[Measure | CustomMeasure] = []
    for piece in _pieces(text):
        spelled = _SPELLED.match(piece)
        own = known.get(spelled["name"]) if spelled else None
        if own is None or spelled is None:
            begun = _BEGUN.match(piece)
            if begun and begun[0] in known:
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
    before = dict(known)
    name = os.path.splitext(os.path.basename(path))[0]
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise failure("missing", "expected a file with the suffix .py", file=path)
    module = module_from_spec(spec)
    # So that its functions can be pickled by name; an existing module is not replaced.
    sys.modules.setdefault(name, module)
    try:
        spec.loader.exec_module(module)
    except Error:
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        raise failure("measure", f"{type(error).__name__}: {text}", file=path) from error
    if known == before:
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
