"""Many runs, and what they are called."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import cranfield as cf
import pytest

from tests.io.small import AP, QRELS, QRELS_TEXT, RUN, RUN_TEXT, rounded


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS_TEXT)
    (tmp_path / "runs").mkdir()
    for name in ("bm25.run", "dense.res"):
        (tmp_path / "runs" / name).write_text(RUN_TEXT)
    (tmp_path / "runs" / "splade.gz").write_bytes(gzip.compress(RUN_TEXT.encode()))
    (tmp_path / "runs" / ".hidden").write_text("not a run")
    (tmp_path / "runs" / "deeper").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("bm25.run", "bm25"),
        ("bm25.txt.gz", "bm25"),
        ("bm25.res.xz", "bm25"),
        ("bm25.gz", "bm25"),
        ("input.bm25", "input.bm25"),
        ("bm25.run.txt", "bm25.run"),
        ("bm25", "bm25"),
        ("bm25.v1.2.run.zst", "bm25.v1.2"),
        (".run", ".run"),
    ],
)
def test_a_run_is_called_as_its_file_less_suffixes(tmp_path: Path, file: str, name: str) -> None:
    path = tmp_path / file
    path.write_text(RUN_TEXT)
    assert cf.read_run(path).name == name
    assert cf.evaluate(QRELS, path, "AP").runs == (name,)


@pytest.mark.parametrize("pattern", ["runs", "runs/", "runs/*", "runs/[bds]*", "r*s/*"])
def test_globs_and_folders_are_sorted_regular_files(folder: Path, pattern: str) -> None:
    where = f"{folder}/{pattern}"
    names = ["bm25", "dense", "splade"]
    assert [run.name for run in cf.read_runs(where)] == names
    scores = cf.evaluate(folder / "qrels.txt", where, "AP")
    assert list(scores.runs) == names
    assert rounded(scores) == [AP] * 3


def test_a_folder_may_be_a_path_and_a_list_may_mix(folder: Path) -> None:
    runs = folder / "runs"
    assert len(cf.read_runs(runs)) == 3
    mixed = [str(runs / "d*"), cf.Run(RUN, name="object"), {"named": RUN}, RUN]
    assert cf.evaluate(QRELS, mixed, "AP").runs == ("dense", "object", "named", "run")
    assert [run.name for run in cf.read_runs(mixed)] == [
        "dense",
        "object",
        "named",
        "run",
    ]


def test_a_file_whose_name_looks_like_a_glob_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "run[1].txt"
    path.write_text(RUN_TEXT)
    assert cf.evaluate(QRELS, str(path), "AP").runs == ("run[1]",)


@pytest.mark.parametrize("pattern", ["*.nothing", "empty"])
def test_a_glob_or_folder_without_files_is_missing(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "empty").mkdir()
    for call in (cf.read_runs, lambda p: cf.evaluate(QRELS, p)):
        with pytest.raises(cf.Error) as caught:
            call(f"{tmp_path}/{pattern}")
        assert caught.value.kind == "missing"
        assert caught.value.file == f"{tmp_path}/{pattern}"


def test_names_that_clash_take_their_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bm25.run").write_text(RUN_TEXT)
    (tmp_path / "one" / "dense.run").write_text(RUN_TEXT)
    scores = cf.evaluate(QRELS, f"{tmp_path}/*/*.run", "AP")
    assert scores.runs == ("one/bm25", "dense", "two/bm25")
    monkeypatch.chdir(tmp_path / "two")
    relative = cf.evaluate(QRELS, ["bm25.run", "../one/bm25.run"], "AP")
    assert relative.runs == ("two/bm25", "one/bm25")


def test_names_that_still_clash_are_an_error_that_says_what_to_do(
    tmp_path: Path,
) -> None:
    for file in ("bm25.run", "bm25.res"):
        (tmp_path / file).write_text(RUN_TEXT)
    for runs in (tmp_path, [RUN, RUN], [cf.Run(RUN, name="x"), cf.Run(RUN, name="x")]):
        with pytest.raises(cf.Error, match="name them") as caught:
            cf.evaluate(QRELS, runs, "AP")
        assert caught.value.kind == "option"
    folder = tmp_path.name
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(QRELS, tmp_path, "AP")
    assert str(caught.value) == (
        f"two runs are called '{folder}/bm25': {tmp_path}/bm25.res and {tmp_path}/bm25.run; "
        "name them yourself: {name: run}"
    )
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(QRELS, [tmp_path / "bm25.run"] * 2, "AP")
    assert caught.value.message.endswith(f": {tmp_path}/bm25.run is given twice")
    named = {"a": tmp_path / "bm25.run", "b": str(tmp_path / "bm25.res"), 3: RUN}
    assert cf.evaluate(QRELS, named, "AP").runs == ("a", "b", "3")


def test_a_name_stands_for_one_run(folder: Path) -> None:
    one = {"mine": f"{folder}/runs/b*"}
    assert cf.evaluate(QRELS, one, "AP").runs == ("mine",)
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(QRELS, {"mine": f"{folder}/runs/*"}, "AP")
    assert caught.value.kind == "option"


def test_read_runs_reports_its_first_error_and_its_progress(folder: Path) -> None:
    calls: list[tuple[int, int]] = []
    runs = cf.read_runs(folder / "runs", threads=2, progress=lambda *c: calls.append(c))
    assert [done for done, _ in calls] == [1, 2, 3]
    assert calls[-1][1] == sum(p.stat().st_size for p in (folder / "runs").glob("[!.]*.*"))
    assert [run.to_dict() for run in runs] == [RUN] * 3
    (folder / "runs" / "a.run").write_text("1 Q0 a\n")
    with pytest.raises(cf.Error) as caught:
        cf.read_runs(folder / "runs")
    assert caught.value.file == str(folder / "runs" / "a.run")


@pytest.mark.parametrize(
    ("runs", "names"),
    [
        (RUN, ("run",)),
        ({"a": RUN}, ("a",)),
        ({"a": {}, "b": RUN}, ("a", "b")),
        ({"1": {}, "2": {"a": 1.0}}, ("run",)),
        ({"a": {"1": {}}}, ("a",)),
        ({"a": cf.Run(RUN)}, ("a",)),
        ({"1": ["a"], "2": []}, ("run",)),
        ({"a": {"1": ["a", "b"]}}, ("a",)),
        ({"a": RUN, "b": {"1": ("a",)}}, ("a", "b")),
        ([RUN], ("run",)),
        (({"a": RUN}, {"b": RUN}), ("a", "b")),
        (iter([{"a": RUN}]), ("a",)),
    ],
)
def test_the_depth_of_a_dict_distinguishes_one_run_from_several(
    runs: object, names: tuple[str, ...]
) -> None:
    assert cf.evaluate(QRELS, runs, "AP", missing="skip").runs == names  # type: ignore[arg-type]


@pytest.mark.parametrize("code", [0xDCFF, 0xD800])
def test_names_that_are_not_text_are_replaced(folder: Path, code: int) -> None:
    for run in (RUN, cf.Run(RUN), folder / "runs" / "bm25.run", io.StringIO(RUN_TEXT)):
        assert cf.evaluate(QRELS, {f"a{chr(code)}": run}, "AP").runs == ("a\ufffd",)


def test_read_runs_needs_a_thread(folder: Path) -> None:
    with pytest.raises(cf.Error) as caught:
        cf.read_runs(folder / "runs", threads=0)
    assert caught.value.kind == "option"
