"""Importing cranfield costs next to nothing and loads nothing of others."""

from __future__ import annotations

import ast
import inspect
import pickle
import re
import subprocess
import sys
import traceback
from pathlib import Path

import cranfield as cf
import pytest

from tests import ROOT

PRINT = "import sys; print(*sys.modules, file=sys.stderr)"

HEAVY = {
    *(
        "argparse",
        "asyncio",
        "csv",
        "dataclasses",
        "inspect",
        "json",
        "logging",
        "shutil",
        "typing",
    ),
    "urllib.parse",
}


def modules(code: str, *arguments: str) -> set[str]:
    """The modules loaded by code beyond those of a bare interpreter."""
    found = []
    for text in ("", code):
        done = subprocess.run(
            [sys.executable, "-c", f"{text}\n{PRINT}", *arguments],
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(set(done.stderr.splitlines()[-1].split()))
    return found[1] - found[0]


def third_party(names: set[str]) -> set[str]:
    """Those that are neither in the standard library nor in cranfield."""
    tops = {name.partition(".")[0] for name in names}
    return tops - sys.stdlib_module_names - {"cranfield"}


def test_import_loads_no_third_party_module() -> None:
    loaded = modules("import cranfield")
    assert third_party(loaded) == set()
    assert loaded & HEAVY == set()


def test_import_loads_no_module_of_ours_that_is_not_used() -> None:
    ours = {name for name in modules("import cranfield") if name.startswith("cranfield.")}
    assert ours == {"cranfield._core", "cranfield._measures", "cranfield._measures.pages"}


def test_modules_that_stand_in_for_packages_are_attributes() -> None:
    code = "import cranfield as cf; print(cf.compat.pytrec_eval.RelevanceEvaluator.__name__)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "RelevanceEvaluator\n"
    with pytest.raises(AttributeError, match="nonsuch"):
        cf.compat.nonsuch  # noqa: B018


def test_tracebacks_have_the_public_names() -> None:
    for name in ("Error", "LabelError", "MissingPackageError", "CranfieldWarning"):
        of_class = getattr(cf, name)
        assert f"{of_class.__module__}.{of_class.__qualname__}" == f"cranfield.{name}"
    with pytest.raises(cf.Error) as caught:
        cf.Measure("nonsuch")
    line = traceback.format_exception_only(caught.value)[0]
    assert line.startswith("cranfield.Error: unknown measure")
    assert type(pickle.loads(pickle.dumps(caught.value))) is cf.Error


def test_the_version_is_printed_without_the_parser() -> None:
    code = "from cranfield._cli import main; assert main(['--version']) == 0"
    assert modules(code).isdisjoint({"argparse", "re", "cranfield._scoring.evaluator"})


def test_scoring_dicts_needs_no_expressions_and_no_readers_of_tables() -> None:
    loaded = modules("import cranfield as cf; cf.evaluate({'1': {'a': 1}}, {'1': {'a': 1.0}})")
    assert loaded.isdisjoint({"re", "zlib", "cranfield._io.arrow_files"})


def test_measures_as_attributes_load_no_third_party_module() -> None:
    assert third_party(modules("import cranfield as cf; cf.nDCG @ 10; cf.Q.prime")) == set()


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "bm25.run").write_text("1 Q0 a 1 1 t\n")
    return str(tmp_path / "qrels"), str(tmp_path / "bm25.run")


def test_evaluating_files_without_arrays_needs_no_numpy(
    files: tuple[str, str],
) -> None:
    code = "import sys, cranfield as cf;print(cf.evaluate(sys.argv[1], sys.argv[2]).to_dict())"
    assert third_party(modules(code, *files)) == set()


def test_the_table_of_the_command_needs_no_numpy(files: tuple[str, str]) -> None:
    code = "import sys; from cranfield._cli import main;assert main(['eval', *sys.argv[1:]]) == 0"
    loaded = modules(code, *files)
    assert third_party(loaded) == set()
    assert loaded & (HEAVY - {"argparse"}) == set()
    assert "cranfield._cli.convert" not in loaded
    assert "cranfield._cli.measures" not in loaded


def test_help_loads_no_command() -> None:
    code = "from cranfield._cli import main; assert main(['--help']) == 0"
    loaded = modules(code)
    assert not {"cranfield._cli.eval", "cranfield._scoring.evaluator"} & loaded
    assert third_party(loaded) == set()


def test_everything_public_is_there() -> None:
    for name in cf.__all__:
        assert hasattr(cf, name)
    assert set(cf.__all__) <= set(dir(cf))


def test_every_name_of_the_registry_is_an_attribute() -> None:
    from cranfield._core import families

    for family in families():
        measure = getattr(cf, family["name"].replace("+", "_"))
        assert isinstance(measure, cf.Measure)
        assert measure.family == family["name"]


@pytest.mark.parametrize("name", ["nonsuch", "numpy", "_private"])
def test_what_is_not_there_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match=name):
        getattr(cf, name)


def test_the_version_is_that_of_the_core() -> None:
    from cranfield import _core

    assert cf.__version__ == _core.__version__
    assert cf.__version__.count(".") >= 2


def test_dir_lists_what_is_public_and_nothing_else() -> None:
    listed = dir(cf)
    hidden = {name for name in listed if name.startswith("_")}
    assert hidden == {"__version__"}
    plumbing = {"api", "annotations", "cli", "errors", "inputs", "options", "results"}
    assert not plumbing & set(listed)
    for name in listed:
        found = getattr(cf, name)
        if inspect.ismodule(found):
            assert found.__name__ == f"cranfield.{name}"
    assert {"evaluate", "compare", "Qrels", "measures"} <= set(listed)
    # What the documents use is there.
    root = ROOT
    for document in (root / "README.md", *(root / "docs").glob("*/*.md")):
        text = document.read_text(encoding="utf-8")
        used = set(re.findall(r"\bcf\.([A-Za-z_]\w*)", text))
        assert used - {*listed, *dir(cf.measures)} <= {"n"}, document


def test_dir_is_the_same_before_and_after_use() -> None:
    code = (
        "import cranfield as cf; before = dir(cf); cf.compare, cf.stats, cf.nDCG; "
        "from cranfield import _cli; assert dir(cf) == before"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_type_checkers_see_the_names_that_there_are() -> None:
    stub = ast.parse((ROOT / "python" / "cranfield" / "__init__.pyi").read_text("utf-8"))
    listed: list[str] = []
    modules: dict[str, str | None] = {}
    for node in stub.body:
        if isinstance(node, ast.Assign):
            listed = ast.literal_eval(node.value)
        elif isinstance(node, ast.ImportFrom) and node.module != "cranfield":
            modules |= {alias.name: node.module for alias in node.names}
    assert listed == cf.__all__
    assert {name: module for name, module in modules.items() if name in cf._LAZY} == cf._LAZY
    assert all(hasattr(cf, name) for name in listed)
