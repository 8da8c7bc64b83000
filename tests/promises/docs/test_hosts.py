"""The pages on hosts run as they are written."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests import ROOT

FOLDER = ROOT / "docs" / "howto" / "hosts"
PAGES = sorted(
    set(FOLDER.glob("*.md"))
    - {FOLDER / "pytrec_eval.md", FOLDER / "index.md", FOLDER / "programs.md"}
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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs(page: Path) -> None:
    need = NEEDS.get(page.stem)
    if need and not find_spec(need):
        pytest.skip(f"{need} is not installed")
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)
