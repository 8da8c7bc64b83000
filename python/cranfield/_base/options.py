"""Options of functions: of the type that the signature says, or an error that names them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from operator import index

from cranfield import _core
from cranfield._base.arrays import as_array
from cranfield._base.errors import failure, label_failure, shown
from cranfield._base.scores_like import ScoresKind
from cranfield._core import Error, flag, hashable, number, text, whole

TYPE_CHECKING = bool()
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any, TypeVar

    import numpy as np
    from numpy.typing import NDArray

    F = TypeVar("F", bound=Callable[..., Any])
    T = TypeVar("T")


# The core checks single values; other modules have these from here, beside the other checks.
__all__ = ["flag", "hashable", "number", "text", "whole"]

EVALUATING = {option["name"]: option for option in _core.evaluating_options()}
"""The evaluating options by name, as the core describes them."""

_OF_CALLS = ("limits", "progress")
"""Options of every function that reads and works, beside those of the core."""


RANKING = tuple(name for name, option in EVALUATING.items() if option["stage"] != "scoring")
"""Those that decide how runs are read and ranked, and how the work is done."""

SCORING = tuple(name for name in EVALUATING if name != "ties")
"""Those of functions that have a question of their own about one order of equal scores."""


def keywords(
    function: str, options: Mapping[str, Any], names: Iterable[str] = tuple(EVALUATING)
) -> dict[str, Any]:
    """The options that a function was given by keyword; ``None`` is not given.

    Raises ``TypeError``, as Python does, for a keyword that is not among
    ``names``, and not ``limits`` or ``progress``.
    """
    known = {*names, *_OF_CALLS}
    for name in options:
        if name not in known:
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")
    return {name: value for name, value in options.items() if value is not None}


def of_judgments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the given options that reading judgments takes."""
    found = {name: options[name] for name in ("lenient", "limits") if name in options}
    if "columns" in options:
        found["columns_of_tables"] = options["columns"]
    return found


def in_effect(name: str, value: Any) -> Any:
    """The value of an evaluating option that holds; ``None`` is one that is not given."""
    option = EVALUATING[name]
    if value is None and option["takes"] not in ("count", "columns"):
        return option["words"][0] if option["takes"] == "word" else False
    return value


def all_in_effect(names: Iterable[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of several evaluating options that hold, by name."""
    return {name: in_effect(name, given.get(name)) for name in names}


def wrong(name: str, expected: str, found: object) -> Error:
    """The error (kind "option") for an option that is not what it should be."""
    return failure("option", f"expected {expected} as {name}, found {shown(found)}")


def path(value: Any, name: str) -> str:
    """The path that is text, bytes or an object such as ``Path``; one that the system can have."""
    try:
        found = str(os.fsdecode(value))
        if "\0" in found:
            raise ValueError(found)
        os.fsencode(found)
    except Exception as error:
        raise wrong(name, "a path", value) from error
    return found


def numbers(values: Any, name: str) -> NDArray[np.float64]:
    """Numbers of any shape as an array: float64; text is not taken for numbers."""
    import numpy as np

    try:
        found = np.asarray(as_array(values))
        if found.dtype.kind in "USTMmcV":
            raise TypeError(found.dtype)
        return found.astype(np.float64)
    except Exception as error:
        raise wrong(name, "numbers", values) from error


def whole_numbers(given: Any, name: str) -> tuple[int, ...]:
    """One whole number or several, each at least 1 and once."""
    try:
        several = [given] if isinstance(given, (str, bytes)) else list(given)
    except TypeError:
        several = [given]
    if not several:
        raise wrong(name, "at least one whole number", given)
    return tuple(dict.fromkeys(whole(value, name, least=1, most=2**31) for value in several))


def one_of(what: str, value: object, known: Collection[object]) -> None:
    """Raises ``Error`` (kind "option") for a value that an option does not take."""
    if not (value is None or isinstance(value, str)) or value not in known:
        words = ", ".join(str(word) for word in known if word is not None)
        raise failure("option", f"expected one of {words} as {what}, found {shown(value)}")


def probability(value: Any, name: str) -> float:
    """A number between 0 and 1."""
    found = number(value, name)
    if not 0 < found < 1:
        wanted = f"{name} between 0 and 1, found {shown(value)}"
        raise failure("option", f"expected {wanted}", command_line=f"expected --{wanted}")
    return found


def label(value: Any, name: str) -> str | int:
    """Text or an integer."""
    return value if isinstance(value, str) else whole(value, name)


def labels(value: Any, name: str) -> Any:
    """Text or an integer, or a list of these."""
    return (
        [label(one, name) for one in value] if type(value) in (list, tuple) else label(value, name)
    )


def _mapping(
    values: Any, name: str, each: Callable[[Any, str], object] | None
) -> Mapping[Any, Any]:
    """A mapping, and what it holds."""
    if not isinstance(values, Mapping):
        raise wrong(name, "a dict", values)
    return values if each is None else {key: each(value, name) for key, value in values.items()}


def _instance_of(expected: str, *classes: Any) -> Callable[[Any, str], Any]:
    """A check that a value is of one of the classes."""

    def look(value: Any, name: str) -> Any:
        if isinstance(value, classes):
            return value
        raise wrong(name, expected, value)

    return look


def _of_module(expected: str, module: str, name_of_class: str) -> Callable[[Any, str], Any]:
    """A check that a value is of a class, whose module a value of it has loaded."""

    def look(value: Any, name: str) -> Any:
        loaded = sys.modules.get(module)
        classes = () if loaded is None else getattr(loaded, name_of_class)
        return _instance_of(expected, classes)(value, name)

    return look


an_array = _of_module("an array", "numpy", "ndarray")
"""An array as it is, which a result holds."""


def is_iterable(value: object) -> bool:
    """Whether Python can walk over something; an array without a dimension cannot be."""
    try:
        return isinstance(value, Iterable) and iter(value) is not None
    except Exception:
        return False


def number_of(value: Any) -> int | None:
    """The whole number that a value is, if it is one."""
    try:
        return index(value)
    except Exception:
        return None


def several(
    values: Iterable[Any],
    name: str,
    each: Callable[[Any, str], Any] | None = None,
    *,
    letters: bool = False,
    ordered: bool = False,
) -> list[Any]:
    """Several values of an option, each checked if there is a check.

    ``letters``: those of a text count as values.

    ``ordered``: their order counts.
    """
    if isinstance(values, bytes) or (isinstance(values, str) and not letters):
        raise wrong(name, "a list", values)
    try:
        items = iter(values)
    except Exception as error:
        raise wrong(name, "a list", values) from error
    if ordered:
        try:
            items = iter(_core.in_order(values, f"a list as {name}"))
        except Error as error:
            raise failure("option", error.message) from error
    return list(items) if each is None else [each(item, name) for item in items]


def _measure(value: Any, name: str) -> Any:
    """Text, or a measure, which may be a Python function."""
    custom = sys.modules.get("cranfield._measures.custom")
    if custom is not None and isinstance(value, custom.CustomMeasure):
        return value
    return _instance_of("a measure", str, _core.Measure)(value, name)


_CHECKS: dict[str, Callable[[Any, str], object]] = {
    "int": whole,
    "float": number,
    "bool": flag,
    "str": text,
    "Literal": text,
    "Callable": _instance_of("a function", Callable),
    "str | Measure": _measure,
    "MeasureLike": _measure,
    "Limits": _instance_of("Limits", _core.Limits),
    "Qrels": _instance_of("Qrels", _core.Qrels),
    "Ranked": _instance_of("runs that collection.rank has ranked", _core.Ranked),
    "Scores": _instance_of("Scores", ScoresKind),
    "str | int": label,
    "str | int | Sequence[str | int]": labels,
    "str | os.PathLike[str]": path,
    "Floats": numbers,
    "DiscriminativePower": _of_module(
        "DiscriminativePower", "cranfield._analysis.meta_scores", "DiscriminativePower"
    ),
}
"""The check of an option, by its type in the signature."""

_LEAST = {
    **dict.fromkeys(("seed", "sample", "ddof", "exact_up_to"), 0),
    **dict.fromkeys(("samples", "classes", "count", "k", "threads"), 1),
    "shard_bytes": 1,
    "top": 2,
}
"""The least that integers of these names can be, in every function."""

_MOST = {"samples": 10**8, "classes": 10**6}
"""The most: arrays have a row for each."""


def _check(annotation: str, name: str = "") -> Callable[[Any, str], object] | None:
    """The check of an option, if its type says what it takes; ``name`` unless it is in a list."""
    if annotation.endswith(" | None"):
        check = _check(annotation.removesuffix(" | None"), name)
        return check and (lambda value, name: None if value is None else check(value, name))
    kind, _, inner = annotation.removesuffix("]").partition("[")
    if kind in ("Iterable", "Sequence", "list") and inner:
        # Ids are text, or what else can be one.
        each = hashable if inner == "str" else _check(inner)
        ordered = kind == "Sequence"
        return each and (lambda values, name: several(values, name, each, ordered=ordered))
    if kind == "Mapping":
        each = _check(inner.partition(", ")[2])
        return lambda values, name: _mapping(values, name, each)
    if annotation == "int" and name in _LEAST:
        return lambda value, name: whole(value, name, _LEAST[name], _MOST.get(name))
    if annotation == "float" and name == "level":
        return probability
    return _CHECKS.get(kind if kind in ("Callable", "Literal") else annotation)


def checked(function: F) -> F:
    """The function with its options checked by their types in its signature.

    numpy's numbers become Python's. Raises ``Error`` (kind "option").
    """
    code, types = function.__code__, function.__annotations__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    found = {name: _check(types.get(name, ""), name) for name in names}
    checks = {name: check for name, check in found.items() if check is not None}

    @wraps(function)
    def look_and_call(*args: Any, **options: Any) -> Any:
        placed = [
            checks[name](value, name) if name in checks else value
            for name, value in zip(names, args, strict=False)
        ]
        for name in options.keys() & checks.keys():
            options[name] = checks[name](options[name], name)
        call: Any = function
        return call(*placed, *args[len(placed) :], **options)

    # The same type, which editors follow to complete what the function returns.
    checking: Any = look_and_call
    same: F = checking
    return same


@checked
def seed_of(seed: int, sample: int) -> int:
    """The seed of a sample, different for each sample and each seed of the study."""
    import numpy as np

    return int(np.random.SeedSequence([seed, sample]).generate_state(1, np.uint64)[0] >> 11)


def finder(what: str, labels: Sequence[str]) -> Callable[[object], int]:
    """The function from a label of an axis to its place there."""
    places = {label: place for place, label in enumerate(labels)}

    def find(label: object) -> int:
        # What is neither text nor a whole number might print as one of them.
        name = label if isinstance(label, str) else None
        if name is None and (number := number_of(label)) is not None:
            name = shown(number)
        if name not in places:
            raise label_failure(what, label, labels)
        return places[name]

    return find


def two(key: object, what: str) -> tuple[object, object]:
    """The two labels of a key; raises ``Error`` (kind "option") for any other."""
    if isinstance(key, (tuple, list)) and len(key) == 2:
        return key[0], key[1]
    raise wrong("the key", what, key)
