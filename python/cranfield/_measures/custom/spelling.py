"""Measures that are Python functions, named in text and made by files."""

from __future__ import annotations

import re

from cranfield._base.errors import failure
from cranfield._core import Error, Measure, parse_measures
from cranfield._measures.custom.definition import CustomMeasure, known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_PART = re.compile(r"(?:\([^)]*\)|[^\s(,])+")

_BEGUN = re.compile(r"[A-Za-z0-9_+-]+")

_PIECE = re.compile(r"(?:\([^)]*\)|[^\s(,]|,(?!\s))+")

_SPELLED = re.compile(
    r"(?P<name>[A-Za-z_][A-Za-z0-9_+-]*)(?:\((?P<arguments>.*)\))?(?P<prime>'?)(?:@(?P<cutoff>\d+))?\Z"
)


def is_own(text: str) -> bool:
    """Whether a text is the spelling of one measure that is a function."""
    spelled = _SPELLED.match(text)
    return spelled is not None and spelled["name"] in known


def parsed(text: str) -> list[Measure | CustomMeasure]:
    """The measures that a text names, those of functions among them.

    Raises ``Error`` as ``parse_measures`` does, and kind "parameter" for
    arguments that a function does not take.
    """
    if not any(name in text for name in known):
        return list(parse_measures(text))
    found: list[Measure | CustomMeasure] = []
    for piece in _pieces(text):
        spelled = _SPELLED.match(piece)
        own = known.get(spelled["name"]) if spelled else None
        if own is None or spelled is None:
            begun = _BEGUN.match(piece)
            if begun and begun[0] in known:
                expected = f"{begun[0]}(parameter=value)'@rank, in parts or whole"
                raise failure("measure", f"expected {expected}, found {piece!r}")
            found.extend(parse_measures(piece))
            continue
        if spelled["arguments"] is not None:
            own = own(**_arguments(own.family, spelled["arguments"]))
        if spelled["prime"]:
            own = own.prime
        found.append(own if spelled["cutoff"] is None else own @ int(spelled["cutoff"]))
    return found


def _pieces(text: str) -> Iterator[str]:
    """The pieces of a text between spaces, and between commas where one is a function's."""
    for piece in _PIECE.findall(text):
        parts = _PART.findall(piece)
        yield from parts if any(map(is_own, parts)) else [piece]


def load(path: str) -> None:
    """Runs a Python file that makes measures, so that text can name them.

    Raises ``Error``: kind "missing" for a file that cannot be read, "measure"
    for one that fails or makes none.
    """
    import os
    import sys
    from importlib.util import module_from_spec, spec_from_file_location

    if not os.path.isfile(path):
        raise failure("missing", "expected a Python file that makes measures", file=path)
    before = dict(known)
    name = os.path.splitext(os.path.basename(path))[0]
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise failure("missing", "expected a file with the suffix .py", file=path)
    module = module_from_spec(spec)
    # So that its functions can be pickled by name; an existing module is not replaced.
    sys.modules.setdefault(name, module)
    try:
        spec.loader.exec_module(module)
    except Error:
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        raise failure("measure", f"{type(error).__name__}: {text}", file=path) from error
    if known == before:
        message = "expected a file that makes measures with @cranfield.measure, found none"
        raise failure("measure", message, file=path)


def _arguments(name: str, text: str) -> dict[str, Any]:
    """The arguments in the brackets: numbers, True, False, None and quoted text."""
    import ast

    try:
        call = ast.parse(f"f({text})", mode="eval").body
        assert isinstance(call, ast.Call)
        if call.args or any(word.arg is None for word in call.keywords):
            raise ValueError(text)
        return {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError, AssertionError):
        message = f"expected {name}(parameter=value), found {name}({text})"
        raise failure("parameter", message) from None
