"""What a host has in the place that a hook takes, known by its source, not by its version.

The source is read from the host's files before any of its modules is imported. Comments,
docstrings, blank lines and indentation do not count. ``known.json`` has the fingerprints of
the releases of the last years; ``python -m tests.against.recorders.hosts`` records them.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import textwrap
import tomllib
import warnings
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TypeAlias

from cranfield._base.errors import CranfieldWarning
from cranfield.integrations import HostError

Definition: TypeAlias = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign

FOLDER = os.path.dirname(__file__)

KNOWN = os.path.join(FOLDER, "known.json")
"""The file of what is known; made by ``tests/against/recorders/hosts.py``."""

with open(os.path.join(FOLDER, "hosts.toml"), "rb") as _file:
    _HOSTS = tomllib.load(_file)

DISTRIBUTIONS: dict[str, str] = {host: entry["distribution"] for host, entry in _HOSTS.items()}
"""The hosts, and what pip calls them."""

PARTS: dict[str, list[dict[str, list[str]]]] = {
    host: entry["parts"] for host, entry in _HOSTS.items()
}
"""For each host the files that matter: possible ``paths`` of each, and what counts in it."""


def variant(host: str) -> frozenset[str] | None:
    """In what ways the host's code that a hook replaces differs, in the words of its hook.

    ``None`` if that code is not known: it stays in its place, and a
    ``CranfieldWarning`` says so. Imports nothing of the host. Raises ``HostError`` if the
    host is not installed, or has not what is to be replaced.
    """
    folder = _folder(host)
    found = fingerprint(host, folder)
    release = _release(host)
    if found is None:
        places = " or ".join(
            os.path.join(folder, path) for part in PARTS[host] for path in part["paths"]
        )
        raise HostError(
            f"expected {host} to have what is replaced, found none of it in {host} {release}: "
            f"there is no such function in {places}"
        )
    known = fingerprints_of(host).get(found)
    if known is None:
        warnings.warn(
            CranfieldWarning(
                f"{host} {release} is evaluated by its own code, as without cranfield: that code "
                f"was changed since this hook was checked with {_checked(host)} "
                f"(fingerprint {found})"
            ),
            stacklevel=3,
        )
        return None
    return frozenset(known[0].split(", "))


def fingerprints_of(host: str) -> dict[str, tuple[str, str]]:
    """For each known fingerprint in what way its code differs, and the releases that have it.

    What the words stand for is said where they are used, in the hook.
    """
    with open(KNOWN, encoding="utf-8") as file:
        return {found: tuple(row) for found, row in json.load(file)[host].items()}


def _checked(host: str) -> str:
    return "; ".join(versions for _, versions in fingerprints_of(host).values())


def _folder(host: str) -> str:
    """The folder of a host's package."""
    spec = find_spec(host)
    places = None if spec is None else spec.submodule_search_locations
    if not places:
        raise HostError(
            f"expected {host} to be installed, found nothing of that name: "
            f"pip install {DISTRIBUTIONS[host]}"
        )
    return next(iter(places))


def _release(host: str) -> str:
    try:
        return version(DISTRIBUTIONS[host])
    except PackageNotFoundError:
        return "of an unknown version"


def fingerprint(host: str, folder: str) -> str | None:
    """What the host in a folder is known by; ``None`` if a part of it is not there."""
    found = []
    for part in PARTS[host]:
        there = (os.path.join(folder, *path.split("/")) for path in part["paths"])
        path = next(filter(os.path.isfile, there), None)
        if path is None:
            return None
        with open(path, encoding="utf-8") as file:
            text = _normalised(file.read(), part["names"])
        if text is None:
            return None
        found.append(text)
    return hashlib.sha256("\n".join(found).encode()).hexdigest()[:16]


def _normalised(source: str, names: Sequence[str]) -> str | None:
    """Definitions, and those of the file that they use; ``None`` if one is not there."""
    lines = source.splitlines()
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    top = dict(_definitions(tree.body))
    taken: dict[str, Definition] = {}
    wanted = list(names)
    while wanted:
        name = wanted.pop()
        owner, _, member = name.partition(".")
        node = top.get(owner)
        if member and isinstance(node, ast.ClassDef):
            node = dict(_definitions(node.body)).get(member)
        if node is None and name in names:
            return None
        if node is None or name in taken:
            continue
        taken[name] = node
        used = {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}
        wanted += sorted((used & top.keys()) - {n.partition(".")[0] for n in names})
    return "\n".join(f"{name}:\n{_text(taken[name], lines)}" for name in sorted(taken))


def _definitions(body: Sequence[ast.stmt]) -> Iterator[tuple[str, Definition]]:
    """The names that statements define, each with its definition."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    yield target.id, node


def _text(node: Definition, lines: Sequence[str]) -> str:
    """The lines of a definition, without docstrings, comments of their own and blank lines."""
    left_out: set[int] = set()
    for child in ast.walk(node):
        body = getattr(child, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            left_out.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    kept = [
        lines[number - 1].rstrip()
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        if number not in left_out
    ]
    kept = [line for line in kept if line.strip() and not line.lstrip().startswith("#")]
    return textwrap.dedent("\n".join(kept))


def untouched(function: object, name: str) -> None:
    """Raises ``HostError`` if something else than the host's own code is in its place."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_name != name.rpartition(".")[2]:
        raise HostError(
            f"expected the host's own {name}, found {function!r}, which something else put "
            "there: restore that first"
        )
