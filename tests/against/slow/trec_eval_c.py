"""What trec_eval takes from the C library: numbers in text, options, sorting, printing."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TypeVar

T = TypeVar("T")

#: What 0/0 gives on x86. Its sign is printed.
MINUS_NAN: float = struct.unpack("<d", struct.pack("<Q", 0xFFF8_0000_0000_0000))[0]
PLUS_NAN: float = struct.unpack("<d", struct.pack("<Q", 0x7FF8_0000_0000_0000))[0]

WHITESPACE = b" \t\n\v\f\r"

_DECIMAL = re.compile(rb"[ \t\n\v\f\r]*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")
_HEX = re.compile(
    rb"[ \t\n\v\f\r]*([+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?\d+)?)"
)
_WORD = re.compile(rb"[ \t\n\v\f\r]*([+-]?)(inf|nan)", re.IGNORECASE)
_INTEGER = re.compile(rb"[ \t\n\v\f\r]*([+-]?\d+)")


def atof(text: bytes) -> float:
    """The longest prefix that is a number, else 0."""
    if match := _HEX.match(text):
        try:
            return float.fromhex(match[1].decode())
        except OverflowError:
            return -math.inf if match[1].startswith(b"-") else math.inf
    if match := _DECIMAL.match(text):
        return float(match[1])
    if match := _WORD.match(text):
        value = math.inf if match[2].lower() == b"inf" else PLUS_NAN
        return -value if match[1] == b"-" else value
    return 0.0


def atol(text: bytes) -> int:
    """The longest prefix that is a decimal integer, else 0; saturated at 64 bits."""
    match = _INTEGER.match(text)
    return max(-(2**63), min(2**63 - 1, int(match[1]))) if match else 0


def single(value: float) -> float:
    """The nearest 32-bit float."""
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return rounded


def divide(a: float, b: float) -> float:
    if b != 0 or math.isnan(b):
        return a / b
    if a == 0 or math.isnan(a):
        return a if math.isnan(a) else MINUS_NAN
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def log(x: float) -> float:
    if math.isnan(x):
        return x
    if x < 0:
        return MINUS_NAN
    return math.log(x) if x > 0 else -math.inf


def log2(x: float) -> float:
    if math.isnan(x):
        return x
    if x < 0:
        return MINUS_NAN
    return math.log2(x) if x > 0 else -math.inf


@cache
def discount(i: int) -> float:
    """The logarithm that divides the gain at rank ``i`` from 0."""
    return math.log2(i + 2)


def exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def fixed(value: float) -> bytes:
    """As ``%6.4f`` prints it."""
    if math.isnan(value):
        return b"  -nan" if math.copysign(1.0, value) < 0 else b"   nan"
    return b"%6.4f" % value


def merge_sort(items: list[T], compare: Callable[[T, T], float]) -> list[T]:
    """``qsort`` of glibc, whose result also depends on its steps if an order is none."""
    if len(items) <= 1:
        return items
    half = len(items) // 2
    left = merge_sort(items[:half], compare)
    right = merge_sort(items[half:], compare)
    merged: list[T] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if compare(left[i], right[j]) <= 0:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]


class BadOptionError(Exception):
    """An option that getopt complains about."""


def getopt_long(
    arguments: Sequence[bytes], short: bytes, long: dict[bytes, tuple[bytes, bool]]
) -> Iterator[tuple[bytes, bytes]]:
    """Options in their order as (letter, value), a file name as (b"", name).

    ``short`` is as in C. ``long`` gives the letter of a name, and whether it takes a value.
    """
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == b"--":
            for name in rest:
                yield b"", name
            return
        if word.startswith(b"--"):
            name, equals, value = word[2:].partition(b"=")
            found = [name] if name in long else [full for full in long if full.startswith(name)]
            if len(found) != 1:
                raise BadOptionError
            letter, takes_value = long[found[0]]
            if equals and not takes_value:
                raise BadOptionError
            if takes_value and not equals:
                if not rest:
                    raise BadOptionError
                value = rest.pop(0)
            yield letter, value
        elif word.startswith(b"-") and word != b"-":
            letters = word[1:]
            while letters:
                letter, letters = letters[:1], letters[1:]
                at = short.find(letter)
                if at < 0 or letter == b":":
                    raise BadOptionError
                value = b""
                if short[at + 1 : at + 2] == b":":
                    if not letters and not rest:
                        raise BadOptionError
                    value, letters = letters or rest.pop(0), b""
                yield letter, value
        else:
            yield b"", word
