"""Numbers, names, topics and sentences as printed, and lines of CSV.

Names come from files and are not trusted: nothing that a terminal or a browser would act on
gets through.
"""

from __future__ import annotations

import math

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

UNDEFINED = "-"

DIGITS = 4
"""Printed decimals by default."""

MOST_DIGITS = 17
"""No double has more that say anything of a value between 0 and 1."""


def number(
    value: float, *, count: bool = False, sign: str = "", digits: int | None = DIGITS
) -> str:
    """A value as printed: decimals, none for a count, a dash if undefined.

    What looks like 0 has no sign.
    """
    if math.isnan(value):
        return UNDEFINED
    decimals = 0 if count and value.is_integer() else DIGITS if digits is None else digits
    text = f"{value:{sign}.{decimals}f}"
    return text.lstrip("+-") if text[:1] in "+-" and not text.strip("+-0.") else text


def numbers(
    values: Iterable[float], *, count: bool = False, sign: str = "", digits: int | None = DIGITS
) -> list[str]:
    """Several values as printed."""
    return [number(value, count=count, sign=sign, digits=digits) for value in values]


def pvalue(value: float) -> str:
    """A p-value to three decimals, as printed."""
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


def catalogue(module: str, name: str) -> dict[str, Any]:
    """What a TOML file in the folder of a module, given by its file, holds."""
    import os
    import tomllib

    with open(os.path.join(os.path.dirname(module), name), "rb") as file:
        return tomllib.load(file)


def in_topic_order(topics: Iterable[str]) -> list[str]:
    """The topics as 1, 2, 10, and not as 1, 10, 2: numbers in them are compared as numbers."""
    return sorted(topics, key=topic_key)


def topic_places(topics: Sequence[str]) -> list[int]:
    """The places of the topics in natural order."""
    return sorted(range(len(topics)), key=lambda place: topic_key(topics[place]))


def topic_key(topic: str) -> tuple[list[object], str]:
    """What topics are sorted by, to be in natural order."""
    import re

    # Texts stand at even places and numbers at odd ones, so that like is compared with like.
    parts = enumerate(re.split(r"([0-9]+)", topic))
    return [_digits_key(part) if place % 2 else part for place, part in parts], topic


def _digits_key(digits: str) -> tuple[int, str]:
    """What orders like the number; Python makes no int of more than 4,300 digits."""
    stem = digits.lstrip("0")
    return len(stem), stem


def csv_line(cells: Iterable[object], delimiter: str = ",") -> str:
    """Cells as a line; ``None`` is empty.

    A cell with the delimiter, a quotation mark or any end of a line is quoted: the
    module ``csv`` leaves carriage returns unquoted before Python 3.13.
    """
    texts = ["" if cell is None else str(cell) for cell in cells]
    if texts == [""]:
        return '""\n'
    return delimiter.join(csv_field(text, delimiter) for text in texts) + "\n"


def numbered_lines(text: str) -> list[tuple[int, str]]:
    """The lines of a text that are not empty, each with its number.

    Other characters at which ``str.splitlines`` splits may be in a label.
    """
    numbered = enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1)
    return [(number, line) for number, line in numbered if line.strip()]


def csv_field(text: str, delimiter: str) -> str:
    """A text as it stands in a line, in quotation marks if it needs them."""
    if delimiter in text or '"' in text or "\n" in text or "\r" in text:
        return '"' + text.replace('"', '""') + '"'
    return text


SHORTEST = 9
"""Lines are not made shorter than this and their indent."""

_BOLD = {code: code + 0xF0000 for code in range(128)}
"""ASCII, and private characters that stand for it in bold; ``printable`` leaves none of them."""


def bold(text: str) -> str:
    """Text whose ASCII a terminal shows in bold; it is as long as before."""
    return text.translate(_BOLD)


def wrapped(text: str, width: int | None = None, indent: str = "") -> str:
    """A sentence in lines that are broken between words; ``indent`` begins all but the first."""
    if width is None or len(text) <= width:
        return text
    from textwrap import wrap

    broken = wrap(
        text,
        max(width, len(indent) + SHORTEST),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(broken)
