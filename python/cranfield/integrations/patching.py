"""Replacing parts of a host, so that all of it can be taken back."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class HostError(RuntimeError):
    """A host that was not checked with this version of cranfield, or was changed by others."""


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
        """Remembers one more step of taking back."""
        self._undo.append(undo)

    def restore(self) -> None:
        """Takes out what was put in, the last first.

        Raises ``HostError`` if somebody replaced the same part since then.
        """
        while self._undo:
            self._undo[-1]()
            self._undo.pop()

    def __enter__(self) -> Patch:
        return self

    def __exit__(self, *_: object) -> None:
        self.restore()


def checked(package: str, found: str, known: Sequence[str]) -> None:
    """Raises ``HostError`` unless a package's version is one that was checked."""
    if found not in known:
        raise HostError(
            f"expected {package} {' or '.join(known)}, with which this hook was checked, "
            f"found {found}"
        )
