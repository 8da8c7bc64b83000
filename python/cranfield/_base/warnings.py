"""Findings in sentences: a ``CranfieldWarning`` a call, or what a caller does with them."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from functools import wraps

from cranfield._base.errors import CranfieldWarning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType, TracebackType
    from typing import ParamSpec, TypeAlias, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")
    Receiver: TypeAlias = Callable[[Sequence[str]], object]


def tell(lines: Sequence[str]) -> None:
    """Warns of findings in sentences."""
    _receiver.get()(lines)


class received_by:  # noqa: N801 - used like a function
    """A block of code whose findings a function receives in place of a warning."""

    __slots__ = ("_before", "_receiver")

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver

    def __enter__(self) -> None:
        self._before = _receiver.set(self._receiver)

    def __exit__(
        self, kind: type[BaseException] | None, error: object, traceback: TracebackType | None
    ) -> None:
        _receiver.reset(self._before)


def after(text: str) -> received_by:
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
