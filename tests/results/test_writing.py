"""Files that Python writes whole: what an interrupt leaves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cranfield.results.writing import write_file


@pytest.mark.parametrize("renamed", [False, True])
def test_an_interrupt_at_the_rename_stays_one_and_leaves_nothing_else(
    renamed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, replace = tmp_path / "out", os.replace
    path.write_text("earlier")

    def interrupted(source: str, target: str) -> None:
        if renamed:
            replace(source, target)
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_file(str(path), b"new")
    assert os.listdir(tmp_path) == ["out"]
    assert path.read_text() == ("new" if renamed else "earlier")


def test_what_a_killed_call_left_is_removed(tmp_path: Path) -> None:
    for name in (".cranfield-1-2.new", ".cranfield-1-2.tmp", ".cranfield-1-3.tmp", ".mine.new"):
        (tmp_path / name).write_text("left")
    os.utime(tmp_path / ".cranfield-1-3.tmp", (0, 0))
    write_file(str(tmp_path / "out"), b"new")
    # What may be growing still, on a machine whose locks are not seen here, stays for a minute.
    assert sorted(os.listdir(tmp_path)) == [".cranfield-1-2.tmp", ".mine.new", "out"]
