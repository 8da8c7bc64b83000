"""How files of runs and judgments are to be read: the options that say so, checked once."""

from __future__ import annotations

from collections.abc import Mapping

from cranfield._base.errors import failure, label_failure, shown
from cranfield._io.table_columns import COLUMNS, FORMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cranfield._core import Limits


class Reading:
    """What is known beforehand of the files to be read.

    Parameters
    ----------
    options
        Those of a call; ``run_layout``, ``columns`` and ``limits`` are looked at.

    Raises
    ------
    Error
        Kind "option" for columns that are no {kind: column}.

    """

    __slots__ = ("columns", "layout", "limits")

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        options = options or {}
        self.layout: str | None = options.get("run_layout")
        self.columns = as_columns(options.get("columns"))
        self.limits: Limits | None = options.get("limits")

    @property
    def form(self) -> str | None:
        """The form of table that was named."""
        return self.layout if self.layout in FORMS else None


_KINDS = {name: kind for kind, names in reversed(COLUMNS.items()) for name in (*names, kind)}
"""What a column can be called in the option, and what it is then."""


def as_columns(columns: Any) -> dict[str, str]:
    """The option ``columns`` as {kind: column}; raises ``Error`` (kind "option")."""
    if columns is None:
        return {}
    try:
        pairs = dict(columns)
    except Exception as error:
        raise _wrong(columns) from error
    found: dict[str, str] = {}
    for name, column in pairs.items():
        if not isinstance(name, str) or not isinstance(column, str) or not column:
            raise _wrong(columns)
        kind = _KINDS.get(name.lower())
        if kind is None:
            raise failure("option", label_failure("kind of column", name, list(COLUMNS)).message)
        if kind in found:
            raise failure("option", f"expected one column for {kind}, found two")
        found[kind] = column
    return found


def _wrong(columns: object) -> Exception:
    message = f'expected {{"topic": "column", ...}} as columns, found {shown(columns)}'
    return failure("option", message)
