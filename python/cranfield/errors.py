"""Errors that the Python layer raises itself.

There is one error for wrong input, the core's ``Error``; this module makes
it where Python finds the fault first, with the same attributes.
"""

from __future__ import annotations

from cranfield._core import Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType


class LabelError(Error, KeyError):
    """A run, topic or measure that the scores do not have (kind "label")."""

    def __str__(self) -> str:
        return self.message


class NameClashError(Error):
    """Two runs of one name (kind "option"); ``found`` is the message without advice."""

    found: str


class MissingPackageError(ImportError):
    """An optional package that a conversion needs and cannot import."""


def failure(kind: str, message: str, *, file: str | None = None, line: int | None = None) -> Error:
    """An error of a kind, to be raised; ``file`` and ``line`` are put before its text."""
    place = "" if file is None else f"{file}: " if line is None else f"{file}:{line}: "
    error = _fill(Error(f"{place}{message}"), kind, message, file)
    error.line = line
    return error


def shown(value: object) -> str:
    """A value for a message: what it prints as, cut short, or what it is if it does not print."""
    try:
        found = repr(value)
    except Exception:
        kind = type(value).__name__
        return f"{kind} of {value.bit_length()} bits" if type(value) is int else f"a {kind}"
    return found if len(found) <= 100 else f"{found[:97]}..."


def label_failure(what: str, label: object, known: Sequence[str]) -> Error:
    """The error for a label that is not among the known ones.

    Names the labels nearest to it, or the first few if none is near.
    """
    from difflib import get_close_matches

    name = label if isinstance(label, str) else shown(label)
    near = get_close_matches(name, known, n=3)
    if near:
        hint = f"did you mean {' or '.join(near)}?"
    else:
        more = ", ..." if len(known) > 5 else ""
        hint = f"there are: {', '.join(known[:5])}{more}" if known else "there are none"
    message = f"no {what} {shown(label)}; {hint}"
    return _fill(LabelError(message), "label", message, None)


def name_clash(found: str) -> NameClashError:
    """The error for two runs of one name, with the advice for Python."""
    message = f"{found}; name them yourself: {{name: run}}"
    error = NameClashError(message)
    error.found = found
    _fill(error, "option", message, None)
    return error


def optional(package: str, purpose: str, extra: str | None = None) -> ModuleType:
    """Imports an optional package.

    Raises ``MissingPackageError`` with the command that installs it.
    """
    from importlib import import_module

    try:
        return import_module(package)
    except ImportError as error:
        wanted = f"'cranfield[{extra}]'" if extra else package.partition(".")[0]
        raise MissingPackageError(
            f"{purpose} needs {package.partition('.')[0]}: pip install {wanted}",
            name=package,
        ) from error


def _fill(error: Error, kind: str, message: str, file: str | None) -> Error:
    error.kind = kind
    error.message = message
    error.file = file
    error.line = None
    error.column = None
    return error
