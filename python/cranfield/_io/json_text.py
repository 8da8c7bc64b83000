"""JSON as text, which is looked at before it is parsed."""

from __future__ import annotations

from cranfield._base.errors import moved
from cranfield._core import Error, check_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def parsed(text: str, name: str | None, line: int | None = None, **hooks: Any) -> Any:
    """What JSON stands for; ``line`` is that of a text that is one.

    Raises ``json.JSONDecodeError`` for what is no JSON, and ``Error`` (kind "limit") for values
    that are nested too deeply and for numbers that are too long.
    """
    import json

    check(text, name, line)
    return json.loads(text, **hooks)


def check(text: str, name: str | None, line: int | None = None) -> None:
    """Raises ``Error`` (kind "limit") as ``parsed`` does."""
    try:
        check_json(text)
    except Error as error:
        at = error.line if line is None else line
        raise moved(error, file=name, line=at) from None
