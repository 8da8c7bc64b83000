"""Replacing parts of a host, so that all of it can be undone."""

from __future__ import annotations

from contextlib import contextmanager
from numbers import Real

from cranfield._core import Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


class HostError(RuntimeError):
    """A host that is not there, has not what is to be replaced, or was changed by others."""


class Patch:
    """What was put into a host; ``restore`` takes it out, as does leaving ``with``.

    Patches of one host are taken out in the reverse order. ``restore`` may be
    called again.
    """

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def replace(self, owner: object, name: str, value: object) -> None:
        """Puts a value in the place of an attribute, or where there was none."""
        names = vars(owner)
        there = name in names
        before = names.get(name)
        setattr(owner, name, value)

        def undo() -> None:
            if vars(owner).get(name) is not value:
                where = getattr(owner, "__name__", type(owner).__name__)
                raise HostError(
                    f"{where}.{name} was replaced by another patch, which must be restored first"
                )
            if there:
                setattr(owner, name, before)
            else:
                delattr(owner, name)

        self._undo.append(undo)

    def on_restore(self, undo: Callable[[], None]) -> None:
        """Remembers one more step of undoing."""
        self._undo.append(undo)

    def restore(self) -> None:
        """Takes out what was put in, the last first.

        Raises ``HostError`` if the same part was replaced since then.
        """
        while self._undo:
            self._undo[-1]()
            self._undo.pop()

    def __enter__(self) -> Patch:
        return self

    def __exit__(self, *_: object) -> None:
        self.restore()


def nested_once(table: Any, value: str) -> dict[str, dict[str, Any]]:
    """A dict as it came, if it is {topic: {document: value}}.

    Raises ``TypeError`` for anything else, such as a run under its name, which
    other parts of cranfield would take as several.
    """
    if not isinstance(table, dict):
        raise TypeError(f"expected {{topic: {{document: {value}}}}}, found {_kind(table)}")
    for topic, inner in table.items():
        if not isinstance(inner, dict):
            raise TypeError(
                f"expected {{document: {value}}} for topic {topic!r}, found {_kind(inner)}"
            )
        for document, found in inner.items():
            if isinstance(found, (dict, str)):
                raise TypeError(
                    f"expected a {value} for document {document!r} of topic {topic!r}, "
                    f"found {_kind(found)}"
                )
            break
    return table


@contextmanager
def types_as_hosts(table: Callable[[], dict[str, dict[str, Any]]]) -> Iterator[None]:
    """Raises ``TypeError``, as the hosts do, where an id or a number is of a wrong type.

    ``table`` gives what was read; it is called only when something was wrong.
    """
    try:
        yield
    except Error as error:
        values = (value for inner in table().values() for value in inner.values())
        wrong = error.kind == "number" and not all(isinstance(value, Real) for value in values)
        if wrong or error.kind == "type":
            raise TypeError(str(error)) from error
        raise


def _kind(found: object) -> str:
    return f"an object of type {type(found).__name__}"
