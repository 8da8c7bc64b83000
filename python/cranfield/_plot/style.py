"""How names and series look in figures, of studies and of plots.

The palette is that of Okabe and Ito (2008), which people with any kind of
color vision can tell apart; marks differ as well, for print without color.
"""

from __future__ import annotations

from collections.abc import Sequence

from cranfield._base.text import printable

PALETTE = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#000000",
    "#8C6D1F",
    "#7F7F7F",
    "#5D3A9B",
    "#44AA99",
)
STANDS_OUT = "#D55E00"
RECEDES = "#9A9A9A"
MARKS = "os^Dv<>phX"

WIDTH = 28
"""How many characters of a name a label has room for."""

_LINE = 12
"""How many characters the name of a measure has on one line with more text."""


def shortened(names: Sequence[str], width: int = WIDTH) -> list[str]:
    """Names as labels: what is too long loses its middle, and different names stay different."""
    labels = [plain(cut(name, width)) for name in names]
    found: dict[str, set[str]] = {}
    for name, label in zip(names, labels, strict=True):
        found.setdefault(label, set()).add(name)
    alike = {name for own in found.values() if len(own) > 1 for name in own}
    if alike and width < max(map(len, map(printable, names))):
        longer = dict(zip(names, shortened(names, width * 3 // 2), strict=True))
        labels = [
            longer[name] if name in alike else label
            for name, label in zip(names, labels, strict=True)
        ]
    return labels


def short(name: str, width: int = WIDTH) -> str:
    """One name as a label."""
    return shortened([name], width)[0]


def cut(name: str, width: int = WIDTH) -> str:
    """A name without its middle if it is too long; nothing that a terminal acts on gets through."""
    text = printable(name)
    if len(text) > width:
        end = (width - 1) // 2
        text = f"{text[: width - 1 - end]}…{text[-end:]}"
    return text


def plain(text: str) -> str:
    """A text in which dollar signs do not begin a formula."""
    return text.replace("$", r"\$")


def with_direction(measure: str, better: str | None) -> str:
    """The name of a measure as the label of an axis, and which of its values are better."""
    text = short(measure)
    # A long name and its direction are two lines, since the axis may be short.
    space = " " if len(text) <= _LINE else "\n"
    return text if better is None else f"{text}{space}({better} is better)"
