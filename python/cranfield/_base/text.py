"""Numbers and names as people read them.

Names come from files and are not trusted: nothing that a terminal or a browser would act on
gets through.
"""

from __future__ import annotations

import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

UNDEFINED = "-"

DIGITS = 4
"""How many decimals people see if they do not say."""

MOST_DIGITS = 17
"""No double has more that say anything of a value between 0 and 1."""


def number(
    value: float, *, count: bool = False, sign: str = "", digits: int | None = DIGITS
) -> str:
    """A value as people read it: decimals, none for a count, a dash if undefined.

    What looks like 0 has no sign.
    """
    if math.isnan(value):
        return UNDEFINED
    decimals = 0 if count and value.is_integer() else DIGITS if digits is None else digits
    text = f"{value:{sign}.{decimals}f}"
    return text.lstrip("+-") if text[:1] in "+-" and not text.strip("+-0.") else text


def pvalue(value: float) -> str:
    """A p-value to three decimals, as people read it."""
    if math.isnan(value):
        return UNDEFINED
    return "< .001" if value < 0.001 else f"{value:.3f}".replace("0.", ".", 1)


def rounded(values: Sequence[float], digits: int | None) -> Sequence[float]:
    """Values for a program: every digit, or as many decimals as are asked for."""
    return values if digits is None else [round(value, digits) for value in values]


def escaped(text: str) -> str:
    """A text as HTML, without control characters."""
    from html import escape

    return escape(printable(text))


def printable(text: str) -> str:
    """A text without control characters: those are shown as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def counted(number: int, what: str) -> str:
    """A number of things: ``1 topic``, ``2 topics``."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def listed(words: Sequence[str]) -> str:
    """Words in a sentence: a, b and c."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def readable(text: str) -> str:
    """A text that can be printed and written: odd bytes of paths are replaced."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
