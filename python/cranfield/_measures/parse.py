"""Measures from texts and values, the user's own functions among them."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from cranfield._base.errors import failure
from cranfield._base.options import several
from cranfield._core import DEFAULT_MEASURES, Measure, parse_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, TypeAlias

    from cranfield._measures.custom import CustomMeasure

    MeasureLike: TypeAlias = str | Measure | CustomMeasure
    MeasuresLike: TypeAlias = MeasureLike | Iterable[MeasureLike] | None


def as_single_measure(measure: MeasureLike) -> Measure | CustomMeasure:
    """The one measure that is given."""
    found = as_measures(measure)
    if len(found) != 1:
        raise failure("option", f"expected one measure, found {len(found)}")
    return found[0]


def as_measures(measures: MeasuresLike) -> list[Measure | CustomMeasure]:
    """Measures from texts and values, those of ir_measures among them, without duplicates.

    Raises ``Error``: kind "measure" for a text that names none or for an
    empty list, "type" for an object that is neither text nor measure.
    """
    custom = _custom()
    values: Any = (Measure,) if custom is None else (Measure, custom.CustomMeasure)
    parsed: Any = parse_measures if custom is None else custom.parsed
    if measures is None:
        measures = DEFAULT_MEASURES
    items: Any = [measures]
    if isinstance(measures, (set, frozenset)):
        # The order of a set differs from one process to the next.
        items = sorted(measures, key=str)
    elif not isinstance(measures, (str, *values)) and isinstance(measures, Iterable):
        items = several(measures, "measures", lambda item, _: item)
    found: dict[Measure | CustomMeasure, None] = {}
    for item in items:
        if isinstance(item, str):
            found.update(dict.fromkeys(parsed(item)))
        else:
            own: Any = item
            found[own if isinstance(own, values) else Measure(own)] = None
    if not found:
        raise failure("measure", "expected at least one measure, found none")
    labels: set[str] = set()
    for measure in found:
        if str(measure) in labels:
            message = f"two measures are called {measure}: give one another name"
            raise failure("measure", message)
        labels.add(str(measure))
    return list(found)


def divided(
    measures: Iterable[Measure | CustomMeasure],
) -> tuple[list[Measure], list[CustomMeasure]]:
    """The measures of the core, and those that are Python functions."""
    built_in: list[Measure] = []
    own: list[CustomMeasure] = []
    for measure in measures:
        if isinstance(measure, Measure):
            built_in.append(measure)
        else:
            own.append(measure)
    return built_in, own


def as_measure(text: str) -> Measure | CustomMeasure:
    """The one measure that a text names; raises ``Error`` as ``Measure`` does."""
    custom = _custom()
    if custom is not None and custom.is_own(text):
        (found,) = as_measures(text)
        return found
    return Measure(text)


def _custom() -> ModuleType | None:
    """The package of measures that are Python functions, if it is in use."""
    return sys.modules.get("cranfield._measures.custom")


def with_rel(family: str, rel: float) -> Measure:
    """A measure with the lowest relevant grade; the default counts as not given."""
    measure = Measure(family)
    return measure if rel == measure.rel else measure(rel=rel)
