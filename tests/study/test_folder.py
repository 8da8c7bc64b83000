"""The folder of a study: what is not the study's is never replaced, moved or taken away.

The oracle is the folder itself, every file, link and empty folder of it, before and after.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
from cranfield import study
from cranfield._cli import main
from cranfield._study import drawing

QRELS = {str(t): {f"d{i}": int((i + t) % 3 == 0) for i in range(12)} for t in range(4)}
RUNS = {
    name: {
        t: {d: random.Random(f"{name}{t}{d}").random() for d in docs} for t, docs in QRELS.items()
    }
    for name in ("one", "two", "three")
}

SPOTS = (
    "notes.txt",
    "mine.unfinished",
    "index.html.bak",
    "STUDY.JSON",
    ".hidden",
    "tables/mine.csv",
    "tables/mine.csv.unfinished",
    "tables/.hidden",
    "tables/deeper/mine.csv",
    "figures/mine.svg",
    "figures/mine.pdf.unfinished",
    "data/mine.csv",
    "parts/mine.json",
    "mine/tables/pairs-AP.csv",
)
"""Where a user may keep something in the folder of a study."""


def content(folder: Path) -> dict[str, bytes | str | None]:
    """All that a folder holds: files, where links lead, folders."""
    found: dict[str, bytes | str | None] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = os.readlink(path)
        else:
            found[name] = path.read_bytes() if path.is_file() else None
    return found


def run(out: Path, **options: Any) -> study.Outcome:
    return study.run("significance", QRELS, RUNS, str(out), **{"measures": ["AP"], **options})


class StopError(Exception):
    """An interruption."""


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders of a study: before a first run, interrupted, finished."""
    folder = tmp_path_factory.mktemp("states")
    (folder / "new").mkdir()
    run(folder / "finished")
    with pytest.MonkeyPatch.context() as patch:
        ordinary = drawing.draw

        def stop(figure: object, forms: Any) -> dict[str, bytes]:
            if figure.name == "p-values-AP":  # type: ignore[attr-defined]
                raise StopError
            return ordinary(figure, forms)  # type: ignore[arg-type]

        patch.setattr(drawing, "draw", stop)
        with pytest.raises(StopError):
            run(folder / "interrupted")
    return {name: folder / name for name in ("new", "interrupted", "finished")}


def refused(out: Path, what: str, **options: Any) -> None:
    """A run that names what is in its way, and changes nothing."""
    before = content(out)
    with pytest.raises(
        cf.Error, match="the folder contains files that are not from a study"
    ) as caught:
        run(out, **options)
    assert caught.value.kind == "directory"
    assert repr(what) in caught.value.message
    assert "another folder" in caught.value.message
    assert content(out) == before


@pytest.mark.parametrize("spot", SPOTS)
@pytest.mark.parametrize("state", ["new", "interrupted", "finished"])
def test_a_file_of_the_user_is_left_alone(
    state: str, spot: str, states: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(states[state], out)
    path = out / spot
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    named = spot
    if state == "new" and spot.startswith(("tables/deeper", "mine/")):
        named = spot.rsplit("/", 1)[0] if spot.startswith("tables") else "mine"
    elif "deeper" in spot:
        named = "tables/deeper"
    elif spot.startswith("mine/"):
        named = "mine"
    refused(out, named)
    refused(out, named, measures=["P@5"])
    # Without it the study goes on.
    top = out / (named if named.startswith(("tables", "figures", "data", "parts")) else spot)
    shutil.rmtree(out / "mine", ignore_errors=True)
    if top.is_dir():
        shutil.rmtree(top)
    else:
        top.unlink(missing_ok=True)
    if state == "new":
        for empty in ("tables", "figures", "data", "parts"):
            shutil.rmtree(out / empty, ignore_errors=True)
    assert Path(run(out).page).is_file()


@pytest.mark.parametrize("state", ["new", "interrupted"])
def test_a_file_where_the_study_would_write_is_left_alone(
    state: str, states: dict[str, Path], tmp_path: Path
) -> None:
    for name in set(content(states["finished"])) - set(content(states[state])):
        if name == "study.json" or "." not in name:
            continue
        out = tmp_path / name.replace("/", "-")
        shutil.copytree(states[state], out)
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text("mine")
        refused(out, name)


def links(out: Path, target: Path) -> Iterator[str]:
    """Links of every kind, one at a time."""
    for name in ("notes.txt", "tables/mine.csv", "parts/mine.json"):
        (out / name).symlink_to(target / "mine.txt")
        yield name
        (out / name).unlink()
        (out / name).symlink_to("nowhere")
        yield name
        (out / name).unlink()
    for name in ("index.html", "tables/pairs-AP.csv", "study.json"):
        kept = (out / name).read_bytes()
        (target / "kept").write_bytes(kept)
        (out / name).unlink()
        (out / name).symlink_to(target / "kept")
        yield name
        (out / name).unlink()
        (out / name).write_bytes(kept)
    for name in ("tables/.cranfield-1-0.new", ".cranfield-1-0.tmp"):
        (out / name).symlink_to(target / "mine.txt")
        yield name
        (out / name).unlink()
    for name in ("tables", "figures", "parts"):
        shutil.move(out / name, target / name)
        (out / name).symlink_to(target / name)
        yield name
        (out / name).unlink()
        shutil.move(target / name, out / name)


def test_nothing_is_written_through_a_link(states: dict[str, Path], tmp_path: Path) -> None:
    out, target = tmp_path / "out", tmp_path / "target"
    shutil.copytree(states["finished"], out)
    target.mkdir()
    (target / "mine.txt").write_text("mine")
    for name in links(out, target):
        before = content(target)
        refused(out, name, measures=["P@5"])
        assert content(target) == before
    # The folder itself may be reached by a link.
    (tmp_path / "link").symlink_to(out)
    assert run(tmp_path / "link").computed == ()


def test_a_record_that_names_other_files_is_not_believed(
    states: dict[str, Path], tmp_path: Path
) -> None:
    out, outside = tmp_path / "out", tmp_path / "mine.txt"
    shutil.copytree(states["finished"], out)
    outside.write_text("mine")
    record = json.loads((out / "study.json").read_text())
    record["files"] += ["../mine.txt", str(outside), "tables/../../mine.txt", "tables/..", "", 7]
    (out / "study.json").write_text(json.dumps(record))
    run(out, measures=["P@5"])
    assert outside.read_text() == "mine"
    (out / "notes.txt").write_text("mine")
    record = json.loads((out / "study.json").read_text())
    record["files"] += ["notes.txt"]
    (out / "study.json").write_text(json.dumps(record))
    refused(out, "notes.txt")
    (out / "notes.txt").unlink()
    for files in (None, "tables/pairs-P-5.csv", {"index.html": 1}):
        (out / "study.json").write_text(json.dumps({**record, "files": files}))
        refused(out, "data/means-P-5.csv")
    (out / "study.json").write_text("{")
    refused(out, "data/means-P-5.csv")


def test_other_options_take_away_what_the_record_names(
    states: dict[str, Path], tmp_path: Path
) -> None:
    out, other = tmp_path / "out", tmp_path / "other"
    shutil.copytree(states["finished"], out)
    run(out, measures=["P@5"])
    run(other, measures=["P@5"])
    assert content(out) == content(other)
    record = json.loads((out / "study.json").read_text())
    assert record["complete"]
    files = {name for name, data in content(out).items() if data is not None}
    assert set(record["files"]) == files - {"study.json"}


def test_an_interrupted_run_names_all_that_it_wrote(states: dict[str, Path]) -> None:
    found = content(states["interrupted"])
    record = json.loads((states["interrupted"] / "study.json").read_text())
    assert not record["complete"]
    files = {name for name, data in found.items() if data is not None}
    assert files - {"study.json"} <= set(record["files"])
    assert "tables/pairs-AP.csv" in files


def test_a_file_that_comes_while_a_study_runs_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, ordinary = tmp_path / "out", drawing.draw

    def draw(figure: object, forms: Any) -> dict[str, bytes]:
        (out / "figures").mkdir(exist_ok=True)
        (out / "figures" / "means-AP.svg").write_text("mine")
        return ordinary(figure, forms)  # type: ignore[arg-type]

    monkeypatch.setattr(drawing, "draw", draw)
    with pytest.raises(cf.Error, match=r"means-AP\.svg: .* appeared while it ran"):
        run(out)
    assert (out / "figures" / "means-AP.svg").read_text() == "mine"


def test_a_file_instead_of_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    (tmp_path / "dangling").symlink_to("nowhere")
    for out, reason in (
        (file, "expected a folder to write to, found a file"),
        (tmp_path / "dangling", "expected a folder to write to, found a file"),
        (file / "below", "cannot write"),
    ):
        with pytest.raises(cf.Error, match=reason):
            run(out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dangling", "file"]
    assert file.read_text() == "mine"
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("1 0 a 1\n")
    (tmp_path / "runs").mkdir()
    for name in ("x", "y"):
        (tmp_path / "runs" / name).write_text("1 Q0 a 1 1.0 t\n")
    words = ["study", "graded", str(qrels), str(tmp_path / "runs")]
    before = content(tmp_path)
    # The folder of the input, which a slip of the hand names.
    for out in (tmp_path, tmp_path / "runs"):
        assert main([*words, "--output", str(out)]) == 2
        assert "the folder contains files that are not from a study" in capsys.readouterr().err
        assert content(tmp_path) == before


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="nothing is read-only for this user"
)
def test_a_read_only_folder_is_one_sentence(states: dict[str, Path], tmp_path: Path) -> None:
    for state in ("new", "interrupted", "finished"):
        out = tmp_path / state
        shutil.copytree(states[state], out)
        before = content(out)
        out.chmod(0o555)
        try:
            with pytest.raises(cf.Error, match=r"cannot write .*: Permission denied") as caught:
                run(out, measures=["P@5"])
        finally:
            out.chmod(0o755)
        assert caught.value.kind == "io"
        assert content(out) == before


def test_a_folder_that_refuses_is_one_sentence(
    states: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As above, for users whom nothing stops."""

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    for call in ("pathlib.Path.mkdir", "pathlib.Path.unlink"):
        out = tmp_path / call
        shutil.copytree(states["finished"], out)
        with monkeypatch.context() as patch:
            patch.setattr(call, denied)
            with pytest.raises(cf.Error, match=r"cannot write .*: Permission denied") as caught:
                run(out, measures=["P@5"])
        assert caught.value.kind == "io"
