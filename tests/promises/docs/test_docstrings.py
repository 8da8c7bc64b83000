"""The examples of docstrings run, and `help` says what the stubs say."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil

import cranfield
import pytest

from tests import ROOT
from tests.promises.docs.reader import run_doctest


def modules() -> list[str]:
    """The modules of the package that are Python."""
    found = pkgutil.walk_packages(cranfield.__path__, "cranfield.")
    names = (module.name for module in found)
    skipped = ("cranfield._core", "cranfield.__main__")
    return ["cranfield", *(name for name in names if name not in skipped)]


HOSTS = {"beir", "mteb", "sentence_transformers"}
"""Packages that have a hook and are not needed for the tests."""


@pytest.mark.parametrize("name", modules())
def test_docstrings_run(name: str, request: pytest.FixtureRequest) -> None:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in HOSTS:
            raise
        pytest.skip(f"{error.name} is not installed")
    found = doctest.DocTestFinder().find(module, name)
    shown = [test for test in found if test.examples]
    if shown:
        request.getfixturevalue("folder")
    attempted = sum(run_doctest(test, clear=True) for test in shown)
    if name == "cranfield":
        assert attempted > 0


@pytest.mark.parametrize("public", [cranfield.Qrels, cranfield.Run, cranfield.Measure])
def test_help_says_what_the_stubs_say(public: type) -> None:
    """Stubs are not seen in a shell or a notebook."""
    stubs = ast.parse((ROOT / "python" / "cranfield" / "_core.pyi").read_text(encoding="utf-8"))
    (stub,) = [c for c in stubs.body if isinstance(c, ast.ClassDef) and c.name == public.__name__]
    assert inspect.getdoc(public) == ast.get_docstring(stub)
    functions = [f for f in stub.body if isinstance(f, ast.FunctionDef)]
    members = {f.name: ast.get_docstring(f) for f in functions if not f.name.startswith("__")}
    assert members.keys() == {name for name in dir(public) if not name.startswith("_")}
    for name, text in members.items():
        assert text, f"{public.__name__}.{name} has no docstring"
        assert inspect.getdoc(getattr(public, name)) == text
