"""Errors and warnings that the Python layer raises itself.

There is one error for wrong input, the core's ``Error``; this module makes
it where Python finds the fault first, with the same attributes. Findings in sentences
become one ``CranfieldWarning`` a call, or what a caller does with them.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps

from cranfield._core import Error, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from types import FrameType, ModuleType
    from typing import ParamSpec, TypeAlias, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")

# Other modules have it from here, beside what else errors are made of.
__all__ = ["shown"]

Receiver: TypeAlias = "Callable[[Sequence[str]], object]"


class CranfieldWarning(UserWarning):
    """Evaluating passed over something; at most one warning a call, and one for judgments in lists.

    Topics that a run has and the judgments lack, or that the judgments have and
    the run lacks (unless ``missing`` was given), and topics without a relevant
    document (unless ``undefined`` was given). A run of one topic under judgments
    of many is taken as meant. Silenced, or made an error, by its category:
    ``warnings.simplefilter("ignore", cranfield.CranfieldWarning)``.
    """

    __module__ = "cranfield"


class LabelError(Error, KeyError):
    """A run, topic or measure that the scores do not have (kind "label")."""

    __module__ = "cranfield"

    def __str__(self) -> str:
        return self.message


class MissingPackageError(ImportError):
    """An optional package that a conversion needs and cannot import."""

    __module__ = "cranfield"


def failure(
    kind: str,
    message: str,
    *,
    file: str | None = None,
    line: int | None = None,
    command_line: str | None = None,
    of: type[Error] = Error,
) -> Error:
    """An error of a kind, to be raised; its text begins with ``file`` and ``line``.

    A message that names keywords has another text for the command line, with
    its flags. ``of`` is the class of the error.
    """
    place = "" if file is None else f"{file}: " if line is None else f"{file}:{line}: "
    error = of(f"{place}{message}")
    error.kind, error.message, error.file = kind, message, file
    error.line, error.column = line, None
    error.command_line = message if command_line is None else command_line
    return error


def moved(error: Error, *, file: str | None, line: int | None = None, before: str = "") -> Error:
    """The same error at another place; ``before`` stands before its message."""
    message, flags = (f"{before}{text}" for text in (error.message, error.command_line))
    return failure(error.kind, message, file=file, line=line, command_line=flags)


_SHOWN = 100
"""How many characters of a label a message shows."""
_COMPARED = 256
"""Longer labels are not compared with others: the work grows with the square of the length."""
_CANDIDATES = 1000
"""With how many labels one is compared."""


def nearest(label: str, known: Iterable[str], count: int) -> list[str]:
    """The known labels that are nearest to one, if any is near."""
    from difflib import get_close_matches
    from itertools import islice

    if len(label) > _COMPARED:
        return []
    candidates = [other for other in islice(known, _CANDIDATES) if len(other) <= _COMPARED]
    return get_close_matches(label, candidates, count)


def label_failure(what: str, label: object, known: Sequence[str], where: str = "") -> Error:
    """The error for a label that is not among the known ones.

    Names the labels nearest to it, or the first few if none is near. ``where`` is who asks for it.
    """
    near = nearest(label if isinstance(label, str) else shown(label), known, 3)
    if near:
        hint = f"did you mean {' or '.join(map(short, near))}?"
    else:
        more = ", ..." if len(known) > 5 else ""
        hint = f"there are: {', '.join(map(short, known[:5]))}{more}" if known else "there are none"
    message = f"no {what} {shown(label)}{where and f' ({where})'}; {hint}"
    return failure("label", message, of=LabelError)


def short(text: str) -> str:
    """A label as a message repeats it."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def name_clash(found: str) -> Error:
    """The error for two runs of one name (kind "option")."""
    return failure(
        "option",
        f"{found}; name them yourself: {{name: run}}",
        command_line=f"{found}; give the files or their folders different names",
    )


def for_command_line(error: Exception) -> str:
    """The text of an error on the command line: with flags for keywords."""
    text, message = str(error), getattr(error, "message", None)
    if message is None or not text.endswith(message):
        return text
    flags: str = getattr(error, "command_line", message)
    return text.removesuffix(message) + flags


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


def tell(lines: Sequence[str]) -> None:
    """Warns of findings in sentences."""
    _receiver.get()(lines)


def dropped(lines: Sequence[str]) -> None:
    """Nothing: receives findings that are written elsewhere."""


def is_told() -> bool:
    """Whether anybody receives findings, so that they have to be put into sentences."""
    return _receiver.get() is not dropped


@contextmanager
def received_by(receiver: Receiver) -> Iterator[None]:
    """A block of code whose findings a function receives in place of a warning."""
    before = _receiver.set(receiver)
    try:
        yield
    finally:
        _receiver.reset(before)


def after(text: str) -> AbstractContextManager[None]:
    """A block of code before whose findings a text stands."""
    receive = _receiver.get()
    return received_by(lambda lines: receive([text + line for line in lines]))


def notified_once(function: Callable[P, T]) -> Callable[P, T]:
    """A function that evaluates several times and reports only what it found first."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        receive, notified = _receiver.get(), False

        def first(lines: Sequence[str]) -> None:
            nonlocal notified
            if not notified:
                notified = True
                receive(lines)

        with received_by(first):
            return function(*args, **kwargs)

    return called


def _warn(lines: Sequence[str]) -> None:
    """Warns the caller of this package."""
    import warnings

    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _is_ours(frame):
        level, frame = level + 1, frame.f_back
    warnings.warn("; ".join(lines), CranfieldWarning, stacklevel=level)


def _is_ours(frame: FrameType) -> bool:
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0] == "cranfield"


_receiver: ContextVar[Receiver] = ContextVar("receiver", default=_warn)
