"""Texts that a system wrote in place of a list: the measures of NTCIR's 1CLICK tasks.

>>> import cranfield as cf
>>> nuggets = {"N1": (3, 10), "N2": (1, 5), "N3": (3, 5)}
>>> output = cf.oneclick.Output(500, {"N1": 100, "N2": 50})
>>> round(cf.oneclick.score(nuggets, output, L=500).s_measure, 3)
0.482

A nugget is a piece of information that weighs something and that takes at least the characters
of its vital string to say. Assessors mark where in the text each nugget has been read, and a
reader stops after L characters: the earlier a nugget stands, the more it is worth.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, SupportsFloat

from cranfield._base import options
from cranfield._base.errors import failure
from cranfield._core import one_click
from cranfield._io.small_files import Line, OneValue, rows

__all__ = ["Nugget", "OneClick", "Output", "read_nuggets", "read_outputs", "score"]

LENGTH = "syslen="
"""The word that stands for a nugget in the line with the length of a text."""


class Nugget(NamedTuple):
    """What a good text says."""

    weight: float
    """How important it is, above 0."""
    length: int
    """Of its vital string, in characters, above 0."""


class Output(NamedTuple):
    """What was found in the text that a system wrote for a topic."""

    length: int = 0
    """Of the text, in characters."""
    offsets: Mapping[str, int] = {}
    """Nugget to the characters of the text down to where it has been read."""


@dataclass(frozen=True, slots=True)
class OneClick:
    """The measures of a text."""

    recall: float
    """The proportion of the nuggets that the text holds."""
    weighted_recall: float
    """The same by weight."""
    s_measure: float
    """The weight of its nuggets, discounted by where they stand, as a proportion of what the pseudo
    minimal output has. It may exceed 1."""
    s_flat: float
    """``s_measure``, at most 1."""
    t_measure: float
    """The vital strings of its nuggets, as a proportion of the text. It may exceed 1."""
    t_flat: float
    """``t_measure``, at most 1."""
    f_flat: float
    """The F-measure of ``t_flat``, as precision, and ``s_flat``, as recall."""


@options.checked
def score(
    nuggets: Mapping[str, Nugget | tuple[float, int]],
    output: Output | tuple[int, Mapping[str, int]],
    *,
    L: int,  # noqa: N803
    beta: SupportsFloat = 1.0,
) -> OneClick:
    """The measures of the text that a system wrote for a topic.

    Parameters
    ----------
    nuggets
        The topic's nuggets: weight and length of the vital string of each.
    output
        Length of the text, and the offset of each nugget that it holds. A
        topic without a text has ``Output()``, for which all measures are 0.
    L
        The number of characters after which a reader stops. A nugget that
        stands at L or below gains nothing in S.
    beta
        How much more S counts in ``f_flat`` than T. NTCIREVAL's value is 1;
        1CLICK-2 reported the combination as S# with 10. With ``math.inf`` S alone counts.

    Raises
    ------
    Error
        For a topic without nuggets ("undefined"), for a nugget of the text
        that is not one of the topic's ("label"), for weights and lengths not
        above 0, offsets below 0, and an L at which not even the pseudo
        minimal output gains anything ("option").

    Notes
    -----
    Sakai, Kato and Song (2011), Click the search button and be happy:
    evaluating direct and immediate information access, CIKM (S); Sakai and
    Kato (2012), One click one revisited: enhancing evaluation based on
    information units, AIRS (T). As NTCIREVAL's command 1click: the pseudo
    minimal output has the vital strings one behind the other, the heaviest
    nugget first and of equal ones the shortest.

    """
    known = {
        name: _nugget(name, *_pair(nugget, f"the nugget {name!r}"))
        for name, nugget in nuggets.items()
    }
    if not known:
        raise failure("undefined", "expected the nuggets of a topic, found none")
    length, offsets = _pair(output, "output")
    length = options.whole(length, "the length of the output", 0)
    offsets = _offsets(offsets)
    options.whole(L, "L", 1)
    unbounded = isinstance(beta, float) and beta == math.inf
    beta = math.inf if unbounded else options.number(beta, "beta")
    _check(beta > 0, "a beta above 0", beta)
    for name in offsets:
        if name not in known:
            raise failure("label", f"expected a nugget of the topic, found {name!r}")
    found = [(known[name], offset) for name, offset in offsets.items()]
    measures = one_click(list(known.values()), found, length, L, beta)
    if measures is None:
        message = f"expected an L above the length of the heaviest nugget, found {L}"
        raise failure("option", message)
    return OneClick(*measures)


@options.checked
def read_nuggets(path: str | os.PathLike[str]) -> dict[str, dict[str, Nugget]]:
    """Reads the nuggets of topics from a file of NTCIR's 1CLICK tasks.

    A line has topic, nugget, weight and length of the vital string; anything
    else is ignored. A repeated line is one nugget.

    Parameters
    ----------
    path
        Where the file is.

    Returns
    -------
    dict
        Topic to nugget to its weight and length.

    Raises
    ------
    Error
        With file and line: too few fields ("fields"), what is not a number above
        0 ("number"), a nugget with two weights or lengths ("conflict"), no
        such file ("missing").

    """
    nuggets = OneValue()
    expected = "topic, nugget, weight and length"
    for line, (topic, key, *numbers) in rows(os.fspath(path), expected, range(4, sys.maxsize)):
        weight, length = map(_number, numbers[:2])
        if not 0 < weight < math.inf:
            message = f"expected a number above 0 as weight, found {numbers[0][:60]!r}"
            raise line.error("number", message)
        if not (length > 0 and length.is_integer()):
            message = f"expected a whole number above 0 as length, found {numbers[1][:60]!r}"
            raise line.error("number", message)
        what = f"weight and length of nugget {key!r} of topic {topic!r}"
        nuggets.add((topic, key), Nugget(weight, int(length)), line, what)
    topics: dict[str, dict[str, Nugget]] = {}
    for (topic, key), nugget in nuggets.values().items():
        topics.setdefault(topic, {})[key] = nugget
    return topics


@options.checked
def read_outputs(path: str | os.PathLike[str]) -> dict[str, Output]:
    """Reads which nuggets the texts of a run hold, from a file of NTCIR's 1CLICK tasks.

    A line has topic, nugget and offset; one for each topic has ``syslen=`` for
    the nugget and the length of the text for the offset. Of several offsets of
    a nugget the smallest counts.

    Parameters
    ----------
    path
        Where the file is.

    Returns
    -------
    dict
        Topic to what was found in its text.

    Raises
    ------
    Error
        With file and line: other than three fields, or a topic without its
        length ("fields"), what is not an integer of at least 0 ("number"), a
        second length of a text ("conflict"), no such file ("missing").

    """
    lengths = OneValue()
    offsets: dict[str, dict[str, int]] = {}
    first: dict[str, Line] = {}
    expected = f"topic, nugget or {LENGTH}, and a number"
    for line, (topic, key, text) in rows(os.fspath(path), expected, (3,)):
        value = _number(text)
        if not (value >= 0 and value.is_integer()):
            what = "length" if key == LENGTH else "offset"
            message = f"expected a whole number of at least 0 as {what}, found {text[:60]!r}"
            raise line.error("number", message)
        first.setdefault(topic, line)
        found = offsets.setdefault(topic, {})
        if key == LENGTH:
            lengths.add(topic, int(value), line, f"length of the text of topic {topic!r}")
        else:
            found[key] = min(found.get(key, int(value)), int(value))
    known = lengths.values()
    for topic, line in first.items():
        if topic not in known:
            message = f"expected a line with {LENGTH} for topic {topic!r}, found none"
            raise line.error("fields", message)
    return {topic: Output(known[topic], found) for topic, found in offsets.items()}


def _pair(found: Any, name: str) -> tuple[Any, Any]:
    """Two things, as a tuple has them."""
    if isinstance(found, (tuple, list)) and len(found) == 2:
        return found[0], found[1]
    raise options.wrong(name, "a tuple of two", found)


def _offsets(offsets: Any) -> dict[str, int]:
    """Where nuggets are in a text."""
    if not isinstance(offsets, Mapping):
        raise options.wrong("the offsets of the output", "a dict", offsets)
    return {
        name: options.whole(offset, f"the offset of {name!r}", 0)
        for name, offset in offsets.items()
    }


def _nugget(name: str, weight: float, length: int) -> Nugget:
    weight = options.number(weight, f"the weight of {name!r}")
    _check(weight > 0, f"a weight above 0 for nugget {name!r}", weight)
    return Nugget(weight, options.whole(length, f"the length of {name!r}", 1))


def _check(right: bool, expected: str, found: float) -> None:
    if not right:
        raise failure("option", f"expected {expected}, found {found}")


def _number(text: str) -> float:
    """What a field says; not a number where it says none."""
    try:
        return float(text)
    except ValueError:
        return math.nan
