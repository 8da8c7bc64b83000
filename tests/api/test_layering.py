"""Files of the package do not import each other in a circle, and no module hides a function.

Imports are read from the source: those inside functions count, since they run;
those for type checkers do not.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import cranfield
import pytest

SOURCE = Path(cranfield.__file__).parents[1]
PACKAGES = ("cranfield", "pytest_cranfield")

Graph = Mapping[str, set[str]]
"""For each module the modules that it imports."""


def modules(source: Path, packages: tuple[str, ...]) -> dict[str, Path]:
    """The files of packages by the names of their modules."""
    found = {}
    for package in packages:
        for path in sorted((source / package).rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def running(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes, except those that only type checkers see."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            for other in child.orelse:
                yield other
                yield from running(other)
        else:
            yield child
            yield from running(child)


def imported(path: Path, module: str) -> Iterator[str]:
    """What a file imports: modules, and names that may be modules, from the root."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in running(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                kept = parents[: len(parents) - node.level + 1]
                base = ".".join([*kept, *([base] if base else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def graph(source: Path, packages: tuple[str, ...]) -> Graph:
    """Which module imports which, by explicit imports: a parent package is not counted."""
    files = modules(source, packages)
    found: dict[str, set[str]] = {}
    for module, path in files.items():
        found[module] = set()
        for name in imported(path, module):
            # ``from package import name``: a module of the package, or a name in its file.
            known = name if name in files else name.rpartition(".")[0]
            if known in files and not is_extension(name):
                found[module].add(known)
    return found


def is_extension(name: str) -> bool:
    """Whether a name is in the compiled module, which imports nothing at once."""
    return name == "cranfield._core" or name.startswith("cranfield._core.")


def circle(imports: Graph) -> list[str] | None:
    """The modules of a circle, the first one again at the end; None if there is none."""
    done: set[str] = set()

    def visit(module: str, path: list[str]) -> list[str] | None:
        if module in path:
            return [*path[path.index(module) :], module]
        if module in done:
            return None
        for other in sorted(imports[module]):
            if other != module and (found := visit(other, [*path, module])):
                return found
        done.add(module)
        return None

    for module in imports:
        if found := visit(module, []):
            return found
    return None


def test_no_files_import_each_other_in_a_circle() -> None:
    found = circle(graph(SOURCE, PACKAGES))
    assert found is None, " -> ".join(found)


def test_studies_do_not_import_the_command_line() -> None:
    imports = graph(SOURCE, PACKAGES)
    studies = {module for module in imports if module.startswith("cranfield.study")}
    assert studies
    assert {
        f"{module} -> {other}"
        for module in studies
        for other in imports[module]
        if other.startswith("cranfield.cli")
    } == set()


PLANTED = {
    "at the top": ("from planted.b import B", "from planted.c import C", "import planted.a"),
    "in functions": (
        "def f():\n    from planted import b",
        "class B:\n    def g(self):\n        from .c import C",
        "async def h():\n    from . import a",
    ),
}


@pytest.mark.parametrize("files", PLANTED.values(), ids=PLANTED.keys())
def test_a_planted_circle_is_found(tmp_path: Path, files: tuple[str, ...]) -> None:
    folder = tmp_path / "planted"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    for name, text in zip("abc", files, strict=True):
        (folder / f"{name}.py").write_text(text)
    found = circle(graph(tmp_path, ("planted",)))
    assert found == ["planted.a", "planted.b", "planted.c", "planted.a"]


def test_imports_for_type_checkers_are_no_circle(tmp_path: Path) -> None:
    folder = tmp_path / "planted"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "a.py").write_text("from planted import b")
    hidden = "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from planted.a import A\n"
    (folder / "b.py").write_text(hidden)
    assert circle(graph(tmp_path, ("planted",))) is None
    (folder / "b.py").write_text(f"{hidden}else:\n    from planted.a import A\n")
    assert circle(graph(tmp_path, ("planted",))) == ["planted.a", "planted.b", "planted.a"]


def packages() -> Iterator[str]:
    """The packages, each a name with a dot for each level."""
    yield "cranfield"
    for found in pkgutil.walk_packages(cranfield.__path__, "cranfield."):
        if found.ispkg:
            yield found.name


@pytest.mark.parametrize("package", list(packages()))
def test_no_module_has_the_name_of_a_function_of_its_package(package: str) -> None:
    """Importing the module would put it in the function's place."""
    holder = importlib.import_module(package)
    inside = {found.name for found in pkgutil.iter_modules(holder.__path__)}
    for name in {*dir(holder), *getattr(holder, "__all__", ())} & inside:
        assert inspect.ismodule(getattr(holder, name)), f"{package}.{name}"


def test_names_of_modules_to_come_are_free() -> None:
    """``report`` is to be a function, and so its module is not called that."""
    inside = {found.name for found in pkgutil.iter_modules(cranfield.__path__)}
    assert not inside & {"diff", "measure", "report"}
