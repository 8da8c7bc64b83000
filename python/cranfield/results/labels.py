"""Finding the column of a measure by its label."""

from __future__ import annotations

from cranfield._core import Error, Measure
from cranfield.errors import label_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def measure_place(labels: Sequence[str], label: object) -> int:
    """The place of a measure among labels: as it is written, or else in any spelling.

    Raises ``LabelError`` for one that is not there, or that two labels spell.
    """
    try:
        text = str(label)
    except Exception:
        raise label_failure("measure", label, labels) from None
    if text in labels:
        return labels.index(text)
    wanted = _parsed(text)
    found = (
        [] if wanted is None else [i for i, name in enumerate(labels) if _parsed(name) == wanted]
    )
    if len(found) != 1:
        raise label_failure("measure", text, labels)
    return found[0]


def _parsed(label: str) -> Measure | None:
    """The measure that a label names, if it names one."""
    try:
        return Measure(label)
    except Error:
        return None
