"""What a hook knows of a host: real packages, and copies of them that were changed."""

from __future__ import annotations

import shutil
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import cranfield as cf
import ir_measures
import pytest
from cranfield.integrations import HostError
from cranfield.integrations import _fingerprints as fingerprints
from cranfield.integrations import ir_measures as hook

PACKAGE = Path(ir_measures.__file__).parent
PART = "providers/msmarco_provider.py"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of ir_measures."""
    return Path(shutil.copytree(PACKAGE, tmp_path / "ir_measures"))


def changed(folder: Path, old: str, new: str) -> str | None:
    path = folder / PART
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return fingerprints.fingerprint("ir_measures", str(folder))


def test_what_is_installed_is_known(copy: Path) -> None:
    found = fingerprints.fingerprint("ir_measures", str(copy))
    assert found in fingerprints.fingerprints_of("ir_measures")
    assert fingerprints.variant("ir_measures") == frozenset({"plain"})


def test_comments_and_blank_lines_do_not_count(copy: Path) -> None:
    before = fingerprints.fingerprint("ir_measures", str(copy))
    assert changed(copy, "import ir_measures\n", "import ir_measures\n\n# A comment.\n") == before
    path = copy / PART
    inside = path.read_text().replace("    def _iter_calc", "\n    # Another.\n    def _iter_calc")
    path.write_text(inside)
    assert fingerprints.fingerprint("ir_measures", str(copy)) == before


def test_a_change_counts(copy: Path) -> None:
    before = fingerprints.fingerprint("ir_measures", str(copy))
    assert changed(copy, "value=value", "value=-value") != before


def test_a_part_that_is_not_there(copy: Path) -> None:
    assert changed(copy, "class MsMarcoEvaluator", "class Other") is None
    (copy / PART).unlink()
    assert fingerprints.fingerprint("ir_measures", str(copy)) is None


def test_unknown_code_stays_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        fingerprints, "fingerprints_of", lambda host: {"0" * 16: ("plain", "0.0.1")}
    )
    before = list(ir_measures.DefaultPipeline.providers)
    with pytest.warns(cf.CranfieldWarning, match="is evaluated by its own code") as caught:
        hook.register().restore()
    assert "checked with 0.0.1 (fingerprint " in str(caught[0].message)
    with pytest.warns(cf.CranfieldWarning), hook.register():
        assert ir_measures.DefaultPipeline.providers == before


@pytest.mark.parametrize("name", ["beir", "mteb", "sentence_transformers"])
def test_a_host_that_is_not_there_is_refused(name: str) -> None:
    if find_spec(name):
        pytest.skip(f"{name} is installed")
    with pytest.raises(HostError, match=f"^expected {name} to be installed, .*pip install"):
        fingerprints.variant(name)
    with pytest.raises(HostError, match="to be installed"):
        import_module(f"cranfield.integrations.{name}").patch()


def test_a_users_provider_keeps_its_place() -> None:
    class Own(ir_measures.providers.Provider):  # type: ignore[misc]
        NAME = "own"

    own = Own()
    providers = ir_measures.DefaultPipeline.providers
    providers.insert(0, own)
    try:
        with hook.register():
            assert providers[:2] == [own, hook.provider]
    finally:
        providers.remove(own)
