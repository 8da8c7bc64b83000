"""Options of functions: of the type that the signature says, or an error that names them."""

from __future__ import annotations

import math
from functools import wraps
from operator import index

from cranfield._core import Limits, Measure
from cranfield.errors import failure, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, ParamSpec, TypeVar

    from cranfield._core import Error

    P = ParamSpec("P")
    R = TypeVar("R")
    T = TypeVar("T")


def wrong(name: str, expected: str, found: object) -> Error:
    """The error (kind "option") for an option that is not what it should be."""
    return failure("option", f"expected {expected} as {name}, found {shown(found)}")


def whole(value: Any, name: str, least: int | None = None) -> int:
    """A whole number of 64 bits, which no ``bool`` is, and at least so large."""
    try:
        number = None if isinstance(value, bool) else index(value)
    except Exception as error:
        raise wrong(name, "a whole number", value) from error
    if number is None or not -(2**63) <= number < 2**64:
        raise wrong(name, "a whole number of 64 bits", value)
    if least is not None and number < least:
        raise wrong(name, f"a whole number of at least {least}", value)
    return number


def number(value: Any, name: str) -> float:
    """A finite number, which neither text nor a ``bool`` is."""
    try:
        if isinstance(value, (str, bytes, bytearray, bool)):
            raise TypeError(type(value).__name__)
        found = float(value)
    except Exception as error:
        raise wrong(name, "a number", value) from error
    if not math.isfinite(found):
        raise wrong(name, "a finite number", value)
    return found


def flag(value: Any, name: str) -> bool:
    """``True`` or ``False``, Python's or numpy's."""
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise wrong(name, "True or False", value)


def text(value: Any, name: str) -> str:
    """Text."""
    if isinstance(value, str):
        return value
    raise wrong(name, "text", value)


def _measure(value: Any, name: str) -> str | Measure:
    if isinstance(value, (str, Measure)):
        return value
    raise wrong(name, "a measure", value)


def _limits(value: Any, name: str) -> Limits:
    if isinstance(value, Limits):
        return value
    raise wrong(name, "Limits", value)


def several(values: Iterable[Any], name: str, each: Callable[[Any, str], T]) -> list[T]:
    """Several values of an option, each of which is looked at."""
    if isinstance(values, (str, bytes)):
        raise wrong(name, "a list", values)
    try:
        items = iter(values)
    except TypeError as error:
        raise wrong(name, "a list", values) from error
    return [each(item, name) for item in items]


_CHECKS: dict[str, Callable[[Any, str], object]] = {
    "int": whole,
    "float": number,
    "bool": flag,
    "str": text,
    "str | Measure": _measure,
    "Limits": _limits,
}
"""What looks at an option, by its type in the signature."""


def _check(annotation: str) -> Callable[[Any, str], object] | None:
    """What looks at an option of a type, if its type alone says what it takes."""
    of_value = annotation.removesuffix(" | None")
    check = text if of_value.startswith("Literal[") else _CHECKS.get(of_value)
    if check is None or of_value == annotation:
        return check
    return lambda value, name: None if value is None else check(value, name)


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """The function behind a look at its options, by their types in its signature.

    Numbers of numpy's become Python's. Raises ``Error`` (kind "option").
    """
    code, types = function.__code__, function.__annotations__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    found = {name: _check(types.get(name, "")) for name in names}
    checks = {name: check for name, check in found.items() if check is not None}

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        placed = [
            checks[name](value, name) if name in checks else value
            for name, value in zip(names, args, strict=False)
        ]
        for name in options.keys() & checks.keys():
            options[name] = checks[name](options[name], name)
        return function(*placed, *args[len(placed) :], **options)

    return call
