"""The axes to draw into, their size, and the names along them."""

from __future__ import annotations

from cranfield._base.errors import failure, optional, shown
from cranfield._plot.labels import shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

MANY = 30
"""More names than this are written small."""
_SMALL = 7.0
"""The size of a small font, in points."""
_LONGEST = 24.0
"""The longest side of new axes, in inches: room for 180 names."""


def length(names: int, least: float) -> float:
    """How long an axis with so many names should be, in inches."""
    return min(max(least, names * (0.13 if names > MANY else 0.25)), _LONGEST)


def room(names: Sequence[str]) -> float:
    """How much the longest of the labels needs, in inches."""
    return (0.06 if len(names) > MANY else 0.085) * max(map(len, shortened(names)))


def axes_for(
    ax: Axes | None,
    width: float,
    height: float,
    *,
    x: Sequence[str] | None = None,
    y: Sequence[str] | None = None,
) -> Axes:
    """The axes to draw into: those given, or new ones of this size in inches.

    ``x`` and ``y`` are names to write at the places 0, 1, ... of an axis, as many
    as there is room for. Raises ``MissingPackageError`` without matplotlib,
    and ``Error`` (kind "option") for what are not axes, and for axes that
    have other names already, or share an axis with some that do.
    """
    pyplot: Any = optional("matplotlib.pyplot", "plot", extra="plot")
    if ax is None:
        _, ax = pyplot.subplots(figsize=(width, height), layout="constrained")
    elif not isinstance(ax, pyplot.Axes):
        raise failure("option", f"expected axes of matplotlib as ax, found {shown(ax)}")
    named = [(axis, names) for axis, names in ((ax.xaxis, x), (ax.yaxis, y)) if names is not None]
    for axis, names in named:
        _check_free(axis, names)
    for axis, names in named:
        _write_names(axis, names)
    return ax


def _check_free(axis: Axis, names: Sequence[str]) -> None:
    """Raises ``Error`` (kind "option") if other names stand along an axis."""
    from cranfield._plot.names import Names

    formatter = axis.get_major_formatter()
    if isinstance(formatter, Names) and formatter.names != tuple(names):
        raise failure(
            "option",
            "the axes given as ax have other names along an axis, or share it with axes that do: "
            "give axes of their own",
        )


def _write_names(axis: Axis, names: Sequence[str]) -> None:
    from matplotlib.axis import XAxis
    from matplotlib.ticker import NullLocator

    from cranfield._plot.names import Names, Places

    axis.set_major_locator(Places(axis, len(names)))
    axis.set_major_formatter(Names(names))
    axis.set_minor_locator(NullLocator())
    sizes: dict[str, Any] = {"labelsize": _SMALL} if len(names) > MANY else {}
    if isinstance(axis, XAxis):
        sizes["labelrotation"] = 90
    axis.set_tick_params(length=2, **sizes)
