"""What ranx has besides, from ranx itself, with its objects turned into those of here and back."""

from __future__ import annotations

import sys
from functools import wraps
from importlib import import_module
from importlib.machinery import PathFinder

from cranfield.compat.ranx._tables import Qrels, Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from cranfield.compat.ranx._tables import _Table

PLACES = ("ranx.meta", "ranx.data_structures", "ranx.data_structures.report", "ranx.normalization",
          "ranx.fusion", "ranx.metrics", "ranx.statistical_tests")  # fmt: skip
"""Where ranx keeps what can be asked for."""


def folders() -> list[str]:
    """Where ranx is installed, so that its modules are found below whatever stands in for it."""
    try:
        spec = PathFinder.find_spec("ranx")
    except (ImportError, ValueError):
        return []
    return list(spec.submodule_search_locations or ()) if spec is not None else []


def attribute(name: str) -> Any:
    """What ranx has under a name; a function takes and returns the objects of here.

    Raises ``AttributeError`` if ranx is not installed or has no such thing.
    """
    if not folders():
        raise AttributeError(
            f"module 'cranfield.compat.ranx' has no attribute {name!r}: it is computed by ranx "
            "itself, which is not installed"
        )
    if "ranx" not in sys.modules:
        import_module("ranx")
    else:
        # As the package does when it is imported.
        import_module("numba").config.THREADING_LAYER = "workqueue"
    for place in PLACES:
        found = getattr(import_module(place), name, None)
        if found is not None:
            return (
                _over_objects(found) if callable(found) and not isinstance(found, type) else found
            )
    raise AttributeError(f"module 'ranx' has no attribute {name!r}")


def _over_objects(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        given = [_each(value, theirs) for value in args]
        named = {name: _each(value, theirs) for name, value in options.items()}
        return _each(function(*given, **named), ours)

    return call


def _each(value: Any, turned: Callable[[Any], Any]) -> Any:
    """A value, or each of a list, a tuple or the values of a dict."""
    if type(value) in (list, tuple):
        return type(value)(_each(item, turned) for item in value)
    if type(value) is dict:
        return {key: _each(item, turned) for key, item in value.items()}
    return turned(value)


def is_theirs(value: Any) -> bool:
    """Whether a value is a ``Qrels`` or a ``Run`` of ranx."""
    return type(value).__name__ in ("Qrels", "Run") and type(value).__module__.startswith("ranx.")


def ours(value: Any) -> Any:
    """A ``Qrels`` or a ``Run`` of ranx as one of here; anything else as it is."""
    if not is_theirs(value):
        return value
    kind: type[_Table] = Qrels if type(value).__name__ == "Qrels" else Run
    made = kind({topic: dict(inner) for topic, inner in value.to_dict().items()}, value.name)
    if isinstance(made, Run):
        made.metadata = value.metadata
        made.scores, made.mean_scores = value.scores, value.mean_scores
        made.std_scores = value.std_scores
    return made


def theirs(value: Any) -> Any:
    """A ``Qrels`` or a ``Run`` of here as one of ranx; anything else as it is."""
    if not isinstance(value, Qrels | Run):
        return value
    kinds = import_module("ranx.data_structures")
    kind = kinds.Qrels if isinstance(value, Qrels) else kinds.Run
    made = kind({topic: dict(inner) for topic, inner in value.to_dict().items()}, value.name)
    if isinstance(value, Run):
        made.metadata = value.metadata
        made.scores, made.mean_scores = value.scores, value.mean_scores
        made.std_scores = value.std_scores
    return made
