"""What the values of one answer have in common."""

from __future__ import annotations

from dataclasses import fields


class Shown:
    """Prints its numbers with three digits."""

    __slots__ = ()

    def __repr__(self) -> str:
        numbers = ((f.name, getattr(self, f.name)) for f in fields(self))  # type: ignore[arg-type]
        shown = ", ".join(f"{name}={value:.3g}" for name, value in numbers)
        return f"{type(self).__name__}({shown})"


def ratio(part: float, whole: float) -> float:
    """A share, 0 where there is nothing to share."""
    return part / whole if whole else 0.0
