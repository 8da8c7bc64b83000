"""The reference of the Python interface, from sources and stubs; nothing is imported.

A page asks for names by a block whose language is ``{api}`` and a module, and each
line is a name of it; without lines it is everything that the module lists in
``__all__``. The block is replaced by directives of Sphinx's Python domain before the
page is parsed.
"""

from __future__ import annotations

import logging
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import griffe

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PYTHON = Path(__file__).resolve().parent.parent / "python"
BLOCK = re.compile(r"^```\{api\} (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HIDDEN = ("__init__", "__new__", "__repr__", "__reduce__", "__hash__", "__eq__", "__dir__")
"""Special methods that a page need not name."""


@cache
def package(name: str) -> griffe.Module:
    """A package as it is written."""
    loader = griffe.GriffeLoader(
        search_paths=[PYTHON], allow_inspection=False, docstring_parser="numpy"
    )
    loaded = loader.load(name)
    loader.resolve_aliases(implicit=True)
    assert isinstance(loaded, griffe.Module)
    return loaded


def listed(module: Any) -> list[str]:
    """The names that a module makes public: those of ``__all__``, or all that it imports."""
    known = module.exports or set(module.imports) - {"annotations"}
    names = [str(name) for name in known if not module[name].is_module]
    return sorted(names, key=lambda name: (name.lower(), name))


def module(path: str) -> Any:
    """A module by its full name."""
    top, _, rest = path.partition(".")
    return package(top)[rest] if rest else package(top)


def directives(path: str, names: list[str]) -> Iterator[str]:
    """The lines that describe names of a module."""
    yield f".. py:currentmodule:: {path}"
    yield ""
    found = module(path)
    for name in names or listed(found):
        yield from described(found[name], name)


def described(found: Any, name: str) -> Iterator[str]:
    """The lines that describe a function, a class or a value."""
    target = found.final_target if found.is_alias else found
    if target.is_class:
        yield from directive("class", f"{name}{construction(target)}", body(target))
        return
    if target.is_function:
        signatures = target.overloads or [target]
        yield from directive(
            "function", [name + signature(one) for one in signatures], body(target)
        )
        return
    yield from value(target, name, "data")


def value(target: Any, name: str, kind: str) -> Iterator[str]:
    """The lines that describe a value: its type, and what it is."""
    options = [f":type: {target.annotation}"] if target.annotation is not None else []
    short = target.value is not None and len(str(target.value)) < 60
    if short and target.annotation is not None:
        options.append(f":value: {target.value}")
    yield from directive(kind, name, [*options, "", *text(target)])


def directive(kind: str, signatures: str | list[str], lines: list[str]) -> Iterator[str]:
    """A directive of the Python domain with its content."""
    first, *others = [signatures] if isinstance(signatures, str) else signatures
    start = f".. py:{kind}:: "
    yield start + first
    yield from (" " * len(start) + other for other in others)
    options = [line for line in lines if re.match(r":(type|value|classmethod|staticmethod)", line)]
    yield from (f"   {line}" for line in options)
    yield ""
    yield from (f"   {line}".rstrip() for line in lines if line not in options)
    yield ""


def signature(function: Any, *, method: bool = False, returns: bool = True) -> str:
    """The arguments of a function with their types, and the type of its result."""
    parts: list[str] = []
    kinds = griffe.ParameterKind
    parameters = list(function.parameters)[1 if method else 0 :]
    for before, parameter in zip([None, *parameters], parameters, strict=False):
        kind = parameter.kind
        if before is not None and before.kind is kinds.positional_only and kind is not before.kind:
            parts.append("/")
        starred = before is not None and before.kind in (kinds.var_positional, kinds.keyword_only)
        if kind is kinds.keyword_only and not starred:
            parts.append("*")
        mark = {kinds.var_positional: "*", kinds.var_keyword: "**"}.get(kind, "")
        part = mark + parameter.name
        if parameter.annotation is not None:
            part += f": {parameter.annotation}"
        if parameter.default is not None and not mark:
            part += f" = {parameter.default}"
        parts.append(part)
    if parameters and parameters[-1].kind is kinds.positional_only:
        parts.append("/")
    result = f" -> {function.returns}" if returns and function.returns is not None else ""
    return f"({', '.join(parts)}){result}"


def construction(found: Any) -> str:
    """The arguments that make an object; those of results are their fields."""
    for name in ("__init__", "__new__"):
        made = found.members.get(name)
        if made is not None and "dataclass" not in found.labels:
            return signature(made, method=True, returns=False)
    return ""


def body(found: Any) -> list[str]:
    """What is said of a function or a class, and the members of a class."""
    lines = list(text(found))
    if found.is_class:
        for name, member in found.all_members.items():
            target = member.final_target if member.is_alias else member
            public = not name.startswith("_") or (name.startswith("__") and name not in HIDDEN)
            if public and target.docstring is not None:
                lines += described_member(target, name)
    return lines


def described_member(member: Any, name: str) -> list[str]:
    """The lines that describe a member of a class."""
    if member.is_function:
        static = "staticmethod" in member.labels
        options = [
            f":{label}:" for label in ("classmethod", "staticmethod") if label in member.labels
        ]
        signatures = [
            name + signature(one, method=not static) for one in member.overloads or [member]
        ]
        return list(directive("method", signatures, [*options, *text(member)]))
    if "property" in member.labels:
        kind = [f":type: {member.annotation}"] if member.annotation is not None else []
        return list(directive("property", name, [*kind, *text(member)]))
    return list(value(member, name, "attribute"))


FIELDS = {
    "parameters": "param",
    "other parameters": "param",
    "raises": "raises",
    "warns": "raises",
}


def text(found: Any) -> Iterator[str]:
    """A docstring as reStructuredText."""
    if found.docstring is None:
        return
    for section in found.docstring.parsed:
        kind = section.kind.value
        if kind == "text":
            yield from (*section.value.splitlines(), "")
        elif kind in FIELDS:
            for item in section.value:
                name = item.name if kind.endswith("parameters") else item.annotation
                yield from field(f"{FIELDS[kind]} {name}".replace("*", r"\*"), item.description)
            yield ""
        elif kind in ("returns", "yields"):
            said = " ".join(item.description for item in section.value)
            yield from field("returns", said)
            yield ""
        elif kind == "attributes":
            for item in section.value:
                yield from (
                    f"``{item.name}``",
                    *textwrap.indent(item.description, "   ").splitlines(),
                )
            yield ""
        elif kind == "examples":
            for _, example in section.value:
                yield from (*example.splitlines(), "")
        elif kind == "admonition":
            yield from (f".. rubric:: {section.title}", "")
            yield from (*section.value.contents.splitlines(), "")
        else:
            raise NotImplementedError(f"{found.path} has a section of kind {kind}")


def field(name: str, description: str) -> Iterator[str]:
    """An entry of a field list."""
    first, *others = description.strip().splitlines() or [""]
    yield f":{name}: {first}"
    yield from (f"   {line}" for line in others)


def replaced(source: str) -> str:
    """A page with its blocks as directives."""

    def lines(block: re.Match[str]) -> str:
        return "\n".join(["```{eval-rst}", *directives(block[1], block[2].split()), "```"])

    return BLOCK.sub(lines, source)


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""

    def read(_: Sphinx, __: str, source: list[str]) -> None:
        source[0] = replaced(source[0])

    # griffe expects what a class is made from to be described in the constructor.
    logging.getLogger("griffe").setLevel(logging.ERROR)
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
