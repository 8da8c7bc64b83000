"""Files that are accepted as judgments and as runs."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest

from tests.io.small import AP, QRELS, QRELS_TEXT, RUN, RUN_TEXT, ap


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
    ("suffix", "compress"),
    [
        ("", bytes),
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
    ],
)
def test_files_are_read_whatever_their_compression(
    tmp_path: Path, suffix: str, compress: Callable[[bytes], bytes]
) -> None:
    qrels = tmp_path / f"qrels.txt{suffix}"
    qrels.write_bytes(compress(QRELS_TEXT.encode()))
    run = tmp_path / f"bm25.run{suffix}"
    run.write_bytes(compress(RUN_TEXT.encode()))
    assert cf.read_qrels(qrels) == cf.Qrels(QRELS)
    found = cf.read_run(str(run))
    assert (found.name, found.tag, found.lines) == ("bm25", "tagged", 5)
    assert found.to_dict() == RUN
    assert ap(qrels, str(run)) == [AP]


def test_zstandard_files_are_read(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    run = tmp_path / "bm25.run.zst"
    run.write_bytes(zstandard.compress(RUN_TEXT.encode()))
    assert cf.read_run(run).name == "bm25"
    assert ap(QRELS, run) == [AP]


def test_open_files_are_read_binary_or_text(folder: Path) -> None:
    path = folder / "runs" / "bm25.run"
    with open(path, "rb") as file:
        assert cf.read_run(file).name == "bm25"
    with open(path, encoding="utf-8") as text:
        assert cf.read_run(text).to_dict() == RUN
    assert cf.read_run(io.BytesIO(RUN_TEXT.encode())).name == "run"
    assert cf.read_run(io.StringIO(RUN_TEXT), name="mine").name == "mine"
    with open(folder / "qrels.txt", encoding="utf-8") as text:
        assert cf.read_qrels(text) == cf.Qrels(QRELS)
    assert ap(io.StringIO(QRELS_TEXT), io.BytesIO(RUN_TEXT.encode())) == [AP]


def test_a_text_file_in_another_encoding_is_decoded_as_it_was_opened(
    tmp_path: Path,
) -> None:
    path = tmp_path / "bm25.run"
    path.write_bytes("1 Q0 é 1 1 t\n".encode("latin-1"))
    with open(path, encoding="latin-1") as text:
        assert cf.read_run(text)["1"] == {"é": 1.0}


def test_a_text_file_is_read_from_where_it_stands(folder: Path) -> None:
    with open(folder / "runs" / "bm25.run", encoding="utf-8") as text:
        text.readline()
        assert list(cf.read_run(text)["1"]) == ["b", "c"]


def test_standard_input_is_a_dash(folder: Path) -> None:
    code = (
        "import sys, cranfield as cf;"
        "run = cf.read_run('-');"
        "print(run.name, run.lines, cf.evaluate(sys.argv[1], run, 'AP').runs)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, folder / "qrels.txt"],
        input=RUN_TEXT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "run 5 ('run',)\n"


@pytest.mark.parametrize("mode", ["r", "rb"])
def test_an_error_in_an_open_file_is_placed_in_it(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "bad.run"
    path.write_text("1 Q0 a 1 x t\n")
    readers: list[Callable[[Any], object]] = [
        cf.read_run,
        cf.read_runs,
        lambda file: cf.evaluate(QRELS, {"mine": file}, "AP"),
    ]
    for read in readers:
        with open(path, mode) as file, pytest.raises(cf.Error) as caught:
            read(file)
        assert str(caught.value).startswith(f"{path}:1:10: ")


def test_an_open_file_is_one_run() -> None:
    for stream in (io.BytesIO(RUN_TEXT.encode()), io.StringIO(RUN_TEXT)):
        with pytest.raises(cf.Error) as caught:
            cf.evaluate(QRELS, {"a": stream, "b": stream}, "AP")
        assert caught.value.kind == "option"
        assert str(caught.value) == "the same stream stands for runs `a` and `b`"
        with pytest.raises(cf.Error, match="the same stream"):
            cf.read_runs([stream, stream])
        assert ap(QRELS, stream) == [AP]  # nothing was read


@pytest.mark.parametrize("mode", ["r", "rb"])
def test_a_closed_file_is_an_error_of_that_file(folder: Path, mode: str) -> None:
    path = folder / "qrels.txt"
    with open(path, mode) as file:
        pass
    readers: list[Callable[[Any], object]] = [
        cf.read_run,
        cf.read_qrels,
        lambda file: cf.evaluate(QRELS, file, "AP"),
    ]
    for read in readers:
        with pytest.raises(cf.Error) as caught:
            read(file)
        assert caught.value.kind == "io"
        assert str(caught.value) == f"{path}: expected an open file, found a closed file"


def test_a_file_that_cannot_be_read_is_an_error_of_that_file(tmp_path: Path) -> None:
    with open(tmp_path / "x.run", "w") as file, pytest.raises(cf.Error) as caught:
        cf.evaluate(QRELS, file, "AP")
    assert caught.value.kind == "io"
    assert "x.run: cannot read: UnsupportedOperation" in str(caught.value)
    (tmp_path / "y.run").write_bytes(b"1 Q0 \xff 1 1 t\n")
    with open(tmp_path / "y.run", encoding="utf-16") as file, pytest.raises(cf.Error) as caught:
        cf.read_run(file)
    assert caught.value.kind == "io"


@pytest.mark.parametrize(
    ("source", "what"),
    [(3, "int"), (None, "NoneType"), ({}, "dict"), (cf.Run(RUN), "Run"), (b"x", "bytes")],
)
def test_reading_takes_paths_and_open_files(source: Any, what: str) -> None:
    for read, wanted in ((cf.read_run, "a run"), (cf.read_qrels, "qrels")):
        with pytest.raises(cf.Error) as caught:
            read(source)
        assert caught.value.kind == "type"
        start = f"an object of type {what} cannot be read as {wanted}"
        assert str(caught.value).startswith(start)


def test_reading_one_file_takes_no_pattern(folder: Path) -> None:
    for read in (cf.read_run, cf.read_qrels):
        with pytest.raises(cf.Error) as caught:
            read(f"{folder}/runs/*")
        assert caught.value.kind == "missing"
        assert caught.value.file == f"{folder}/runs/*"
        assert caught.value.message == (
            f"this is a pattern, and {read.__name__} takes one file; read_runs takes patterns"
        )


def test_a_tilde_is_the_home_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert cf.read_qrels("~/qrels.txt") == cf.Qrels(QRELS)
    assert cf.read_run("~/runs/bm25.run").name == "bm25"
    assert cf.evaluate("~/qrels.txt", ["~/runs/b*", Path("~/runs/dense.res")], "AP").runs == (
        "bm25",
        "dense",
    )
    monkeypatch.chdir(folder)
    (folder / "~").mkdir()
    (folder / "~" / "mine.run").write_text(RUN_TEXT)
    assert cf.read_run("~/mine.run").name == "mine"


@pytest.mark.parametrize(
    ("text", "kind"),
    [("", "empty"), ("1 Q0 a 1\n", "fields"), ("1 Q0 a 1 x t\n", "number")],
)
def test_a_bad_run_is_an_error_with_its_place(tmp_path: Path, text: str, kind: str) -> None:
    path = tmp_path / "bad.run"
    path.write_text(text)
    for read in (cf.read_run, lambda p: cf.evaluate(QRELS, p, "AP")):
        with pytest.raises(cf.Error) as caught:
            read(path)
        assert caught.value.kind == kind
        assert caught.value.file == str(path)
        assert caught.value.line == (1 if text else None)
        assert str(path) in str(caught.value)


def test_lenient_reading_repairs_numbers(tmp_path: Path) -> None:
    path = tmp_path / "odd.run"
    path.write_text("1 Q0 a 1 2x t\n1 Q0 b 2 1 t\n")
    assert cf.read_run(path, lenient=True)["1"] == {"a": 2.0, "b": 1.0}
    scores = cf.evaluate(QRELS, path, "AP", lenient=True)
    assert scores.notes["odd"].repaired == 1


def test_limits_are_settable(tmp_path: Path) -> None:
    path = tmp_path / "long.run"
    path.write_text(RUN_TEXT.replace(" z ", f" {'z' * 5_000_000} "))
    larger = cf.Limits(line_bytes=8_000_000)
    for read in (
        lambda **options: cf.read_run(path, **options),
        lambda **options: cf.read_runs(path, **options),
        lambda **options: cf.evaluate(QRELS, path, "AP", **options),
    ):
        with pytest.raises(cf.Error) as caught:
            read()
        assert caught.value.kind == "limit"
        assert read(limits=larger)


def test_the_size_of_the_collection_is_kept(folder: Path) -> None:
    qrels = cf.read_qrels(folder / "qrels.txt", docs_in_collection=1000)
    assert qrels.docs_in_collection == 1000
    assert cf.Qrels(QRELS, docs_in_collection=7).docs_in_collection == 7
    assert cf.Qrels(QRELS).docs_in_collection is None


def test_missing_files_are_missing(tmp_path: Path) -> None:
    for call in (
        lambda: cf.read_qrels(tmp_path / "none.txt"),
        lambda: cf.read_run(tmp_path / "none.txt"),
        lambda: cf.read_runs(str(tmp_path / "none.txt")),
        lambda: cf.evaluate(tmp_path / "none.txt", RUN),
        lambda: cf.evaluate(QRELS, str(tmp_path / "none.txt")),
    ):
        with pytest.raises(cf.Error) as caught:
            call()
        assert caught.value.kind == "missing"
        assert "none.txt" in str(caught.value)
