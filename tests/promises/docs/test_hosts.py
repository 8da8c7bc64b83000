"""The pages on hosts run as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.promises.docs.reader import Block, blocks, run_python

FOLDER = ROOT / "docs" / "howto" / "hosts"
PAGES = sorted(
    set(FOLDER.glob("*.md"))
    - {FOLDER / f"{name}.md" for name in ("pytrec_eval", "index", "programs", "rag")}
)
"""The page on pytrec_eval needs an interpreter of its own: ``api/test_installing.py``."""

NEEDS = {
    "beir": "beir",
    "ir_datasets": "ir_datasets",
    "ir_measures": "ir_measures",
    "mteb": "mteb",
    "processes": "ir_measures",
    "ranx": "ranx",
    "sentence_transformers": "sentence_transformers",
}

RAG = FOLDER / "rag.md"
RELEASES = re.findall(r"^## .+\n\n(\S+) ([\d.]+)\. ", RAG.read_text(encoding="utf-8"), re.M)
"""The package and the release that each recipe of that page is for."""
ROW, *RECIPES = blocks(RAG)
"""The row that is scored, and the recipes."""

QUIET = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "LANGSMITH_ENDPOINT": "http://127.0.0.1:9",
    "MLFLOW_ALLOW_FILE_STORE": "true",
    "MLFLOW_TRACKING_URI": "file:mlruns",
    "RAGAS_DO_NOT_TRACK": "true",
}
"""Variables under which the hosts send nothing, and need no server."""


def recipes() -> Iterator[Any]:
    """The recipes whose packages are installed, and one skip that names the other packages."""
    missing = []
    for (package, _), recipe in zip(RELEASES, RECIPES, strict=True):
        try:
            version(package)
        except PackageNotFoundError:
            missing.append(package)
        else:
            yield pytest.param(recipe, id=package)
    if missing:
        reason = f"not installed: {', '.join(missing)} (make hosts)"
        yield pytest.param(None, id="others", marks=pytest.mark.skip(reason))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs(page: Path) -> None:
    need = NEEDS.get(page.stem)
    if need and not find_spec(need):
        pytest.skip(f"{need} is not installed")
    found = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    assert found
    names: dict[str, object] = {}
    for block in found:
        exec(compile(block, str(page), "exec"), names)


def test_releases_of_recipes_are_those_that_are_installed() -> None:
    assert RELEASES
    installed = (ROOT / "Makefile").read_text(encoding="utf-8").split()
    assert {"==".join(release) for release in RELEASES} <= set(installed)


@pytest.mark.parametrize("recipe", list(recipes()))
def test_a_recipe_runs(recipe: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)
    names: dict[str, Any] = {"__name__": "__main__"}
    assert run_python(ROW, names, str(RAG)) == 1
    assert run_python(recipe, names, str(RAG)) >= 1
