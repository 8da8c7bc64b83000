"""Hooks into evaluation programs: a module for each.

A host calls cranfield where it called something slower, and gives the same
numbers. Nothing happens on import: each module has a function that puts its
hook in and returns a ``Patch`` that takes it out again::

    from cranfield.integrations import beir
    with beir.patch():
        EvaluateRetrieval.evaluate(qrels, results, [10])

What a hook replaces is known by its source, whatever the host's version. Code that is not
known stays in its place, and a ``CranfieldWarning`` says so.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["HostError", "Patch"]


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
