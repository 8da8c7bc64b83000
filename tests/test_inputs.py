"""What is accepted as judgments and as runs, and what runs are called."""

from __future__ import annotations

import bz2
import decimal
import gzip
import io
import lzma
import subprocess
import sys
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest

QRELS_TEXT = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n"
RUN_TEXT = (
    "1 Q0 a 1 3.5 tagged\n1 Q0 b 2 2.5 tagged\n1 Q0 c 3 1.5 tagged\n"
    "2 Q0 z 1 2 tagged\n2 Q0 a 2 1 tagged\n"
)
QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1}}
RUN = {"1": {"a": 3.5, "b": 2.5, "c": 1.5}, "2": {"z": 2.0, "a": 1.0}}
QRELS_ROWS = [("1", "a", 1), ("1", "b", 0), ("1", "c", 2), ("2", "a", 1)]
RUN_ROWS = [(t, d, s) for t, docs in RUN.items() for d, s in docs.items()]
# a b c: (1/1 + 2/3) / 2; z a: 1/2
AP = [0.833333333333, 0.5]

Qrel = namedtuple("Qrel", "query_id doc_id relevance iteration")
Scored = namedtuple("Scored", "query_id doc_id score")


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


def ap(qrels: Any, runs: Any) -> list[list[float]]:
    """AP of each run and topic, to twelve places."""
    return rounded(cf.evaluate(qrels, runs, "AP"))


def rounded(scores: cf.Scores) -> list[list[float]]:
    rows: list[list[float]] = scores.values[:, :, 0].round(12).tolist()
    return rows


# Files


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


# Many runs and their names


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


def test_names_that_still_clash_are_an_error_that_tells_what_to_do(
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
        ([RUN], ("run",)),
        (({"a": RUN}, {"b": RUN}), ("a", "b")),
        (iter([{"a": RUN}]), ("a",)),
    ],
)
def test_the_depth_of_a_dict_tells_one_run_from_several(
    runs: object, names: tuple[str, ...]
) -> None:
    assert cf.evaluate(QRELS, runs, "AP", missing="skip").runs == names  # type: ignore[arg-type]


@pytest.mark.parametrize("ranking", [["a", "b"], ("a", "b", "c"), [1, 2]])
def test_a_ranking_is_pointed_to_from_rankings(ranking: object) -> None:
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(QRELS, {"1": ranking}, "AP")
    assert caught.value.kind == "option"
    assert caught.value.message.endswith(
        "; for {topic: [document, ...]} there is Run.from_rankings"
    )


@pytest.mark.parametrize("code", [0xDCFF, 0xD800])
def test_names_that_are_no_text_are_replaced(folder: Path, code: int) -> None:
    for run in (RUN, cf.Run(RUN), folder / "runs" / "bm25.run", io.StringIO(RUN_TEXT)):
        assert cf.evaluate(QRELS, {f"a{chr(code)}": run}, "AP").runs == ("a\ufffd",)


def test_read_runs_needs_a_thread(folder: Path) -> None:
    with pytest.raises(cf.Error) as caught:
        cf.read_runs(folder / "runs", threads=0)
    assert caught.value.kind == "option"


# Ids and numbers in objects


def test_ints_become_text_and_mixtures_raise() -> None:
    qrels = {1: {10: 1}}
    scores = cf.evaluate(qrels, {1: {10: 1.0}}, "AP")
    assert scores.topics == ("1",)
    assert ap(qrels, {"1": {"10": 1.0}}) == [[1.0]]
    with pytest.raises(cf.Error) as caught:
        cf.Qrels({"1": {"a": 1}, 2: {"a": 1}})
    assert caught.value.kind == "type"


def test_nan_raises_with_topic_and_document() -> None:
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(QRELS, {"17": {"doc23": float("nan")}}, "AP")
    assert "17" in str(caught.value)
    assert "doc23" in str(caught.value)


@pytest.mark.parametrize("source", [7, None, b"bytes", cf.Run(RUN)])
def test_what_is_no_judgment_is_a_type_error(source: object) -> None:
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(source, RUN, "AP")  # type: ignore[arg-type]
    assert caught.value.kind == "type"


@pytest.mark.parametrize("source", [7, None, b"bytes", [7], cf.Qrels(QRELS)])
def test_what_is_no_run_is_a_type_error(source: object) -> None:
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(QRELS, source, "AP")  # type: ignore[arg-type]
    assert caught.value.kind == "type"


# Rows


def test_named_tuples_are_read_by_name() -> None:
    qrels = [Qrel(topic, doc, grade, "0") for topic, doc, grade in QRELS_ROWS]
    run = [Scored(*row) for row in RUN_ROWS]
    assert ap(qrels, run) == [AP]
    assert ap(iter(qrels), iter(run)) == [AP]


def test_plain_tuples_are_read_by_position() -> None:
    assert ap(QRELS_ROWS, iter(RUN_ROWS)) == [AP]


@pytest.mark.parametrize("rows", [[("1", "a")], [("1", "0", "a", 1)], ["abc"]])
def test_other_rows_are_type_errors(rows: list[object]) -> None:
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(rows, RUN, "AP")
    assert caught.value.kind == "type"
    found = f"tuple of {len(rows[0])}" if isinstance(rows[0], tuple) else "str"
    assert caught.value.message.endswith(f", found a {found}")


class Dataset:
    """What ir_datasets hands out, as far as it is looked at."""

    def qrels_iter(self) -> Iterator[Qrel]:
        return (Qrel(topic, doc, grade, "0") for topic, doc, grade in QRELS_ROWS)

    def scoreddocs_iter(self) -> Iterator[Scored]:
        return (Scored(*row) for row in RUN_ROWS)


def test_datasets_are_iterated() -> None:
    assert ap(Dataset(), Dataset()) == [AP]


def test_an_id_of_ir_datasets_needs_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    # As on a machine that does not have it.
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(ImportError, match="pip install ir_datasets"):
        cf.evaluate("irds:vaswani", RUN)
    with pytest.raises(cf.Error) as caught:
        cf.evaluate("vaswani", RUN)
    assert caught.value.kind == "missing"


def test_an_id_of_ir_datasets_is_looked_up() -> None:
    pytest.importorskip("ir_datasets")
    with pytest.raises(cf.Error) as caught:
        cf.evaluate("irds:no-such-dataset", RUN)
    assert caught.value.kind == "missing"


def test_judgments_that_cannot_be_downloaded() -> None:
    datasets = pytest.importorskip("ir_datasets")
    from ir_datasets.formats import TrecQrels
    from ir_datasets.util import Download, RequestsDownload

    # Nobody listens at this port.
    nowhere = Download([RequestsDownload("http://127.0.0.1:9/qrels", tries=1)])
    datasets.registry.register("nowhere", datasets.Dataset(TrecQrels(nowhere, {0: "no"})))
    with pytest.raises(cf.Error, match="nowhere: ir_datasets could not provide it: ") as caught:
        cf.evaluate("nowhere", RUN)
    assert caught.value.kind == "missing"


# Tables


COLUMNS = [
    (("topic", "doc", "grade"), ("topic", "doc", "score")),
    (("query_id", "doc_id", "relevance"), ("query_id", "doc_id", "score")),
    (("qid", "docno", "label"), ("qid", "docno", "score")),
    (("label", "docno", "qid"), ("sim", "docid", "q_id")),
    (("QID", "DocNo", "Rel"), ("Query", "Document", "Score")),
    (("x", "y", "z"), ("0", "1", "2")),
    (("docno", "x", "y"), ("x", "qid", "y")),
]


def columns_of(
    rows: Sequence[tuple[str, str, float]], names: tuple[str, ...]
) -> dict[str, list[Any]]:
    """Columns in the order of the names; unknown names in the usual order."""
    kinds = [
        ["topic", "query_id", "qid", "q_id", "query"],
        ["doc", "doc_id", "docno", "docid", "document"],
    ]
    kinds.append(["grade", "relevance", "label", "rel", "score", "sim"])
    place = {
        name: next((i for i, kind in enumerate(kinds) if name.lower() in kind), None)
        for name in names
    }
    free = [i for i in range(3) if i not in place.values()]
    for name in names:
        if place[name] is None:
            place[name] = free.pop(0)
    return {name: [row[place[name] or 0] for row in rows] for name in names}


def makers() -> list[Any]:
    def polars(data: dict[str, list[Any]]) -> Any:
        return pytest.importorskip("polars").DataFrame(data)

    def arrow(data: dict[str, list[Any]]) -> Any:
        return pytest.importorskip("pyarrow").table(data)

    def dictionary(data: dict[str, list[Any]]) -> Any:
        pa = pytest.importorskip("pyarrow")
        columns = {
            name: pa.array(values).dictionary_encode()
            if isinstance(values[0], str)
            else pa.array(values)
            for name, values in data.items()
        }
        return pa.table(columns)

    def reader(data: dict[str, list[Any]]) -> Any:
        return arrow(data).to_reader(max_chunksize=2)

    def pandas(data: dict[str, list[Any]]) -> Any:
        return pytest.importorskip("pandas").DataFrame(data)

    return [polars, arrow, dictionary, reader, pandas]


@pytest.mark.parametrize("make", makers(), ids=lambda make: make.__name__)
@pytest.mark.parametrize(("qrels", "run"), COLUMNS)
def test_tables_are_read_by_name_then_by_position(
    make: Callable[[Any], Any], qrels: tuple[str, ...], run: tuple[str, ...]
) -> None:
    found = ap(make(columns_of(QRELS_ROWS, qrels)), make(columns_of(RUN_ROWS, run)))
    assert found == [AP]


@pytest.mark.parametrize("make", makers(), ids=lambda make: make.__name__)
def test_more_columns_do_not_disturb(make: Callable[[Any], Any]) -> None:
    # PyTerrier's frame: docid is an internal number, query the text
    data = {
        "qid": [row[0] for row in RUN_ROWS],
        "docid": [7] * len(RUN_ROWS),
        "docno": [row[1] for row in RUN_ROWS],
        "rank": [0] * len(RUN_ROWS),
        "score": [row[2] for row in RUN_ROWS],
        "query": ["words"] * len(RUN_ROWS),
    }
    assert ap(QRELS, {"pt": make(data)}) == [AP]


@pytest.mark.parametrize("make", makers(), ids=lambda make: make.__name__)
def test_a_table_without_the_columns_is_a_type_error(
    make: Callable[[Any], Any],
) -> None:
    table = make({"qid": ["1"], "docno": ["a"], "x": [1], "y": [2]})
    with pytest.raises(cf.Error, match="qid, docno, x, y") as caught:
        cf.evaluate(table, RUN, "AP")
    assert caught.value.kind == "type"


WIDTHS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("coded", [False, True], ids=["plain", "coded"])
@pytest.mark.parametrize("kind", WIDTHS)
def test_ids_are_whole_numbers_of_any_width(kind: str, coded: bool) -> None:
    pa = pytest.importorskip("pyarrow")

    def ids(numbers: list[int]) -> Any:
        column = pa.array(numbers, getattr(pa, kind)())
        return column.dictionary_encode() if coded else column

    run = pa.table(
        {"qid": ids([1, 1, 2]), "docno": ids([7, 0, 9]), "score": pa.array([2.0, 1.0, 1.0])}
    )
    qrels = {"1": {"0": 1}, "2": {"9": 1}}
    assert cf.evaluate(qrels, run, "RR").to_dict()["run"] == {"1": {"RR": 0.5}, "2": {"RR": 1.0}}
    if not kind.startswith("u"):
        below = pa.table({"qid": ids([1, 1]), "docno": ids([-7, 7]), "score": pa.array([2.0, 1.0])})
        assert cf.evaluate({"1": {"-7": 1}}, below, "RR").to_dict()["run"]["1"]["RR"] == 1.0


@pytest.mark.parametrize(
    "kind",
    [
        *WIDTHS,
        "float16",
        "float32",
        "float64",
        "decimal32",
        "decimal64",
        "decimal128",
        "decimal256",
    ],
)
def test_scores_and_grades_are_numbers_of_any_type(kind: str) -> None:
    pa = pytest.importorskip("pyarrow")
    is_decimal = kind.startswith("decimal")
    if is_decimal and not hasattr(pa, kind):
        pytest.skip(f"this pyarrow has no {kind}")
    type_ = getattr(pa, kind)(*[5, 2] if is_decimal else [])
    number: Callable[[str], Any] = float
    if is_decimal:
        number = decimal.Decimal
    elif kind in WIDTHS:
        number = int
    scores = ["3", "1", "2"] if kind in WIDTHS else ["1.5", "1.25", "1.26"]
    run = pa.table(
        {
            "qid": ["1"] * 3,
            "docno": ["a", "b", "c"],
            "score": pa.array([number(score) for score in scores], type_),
        }
    )
    qrels = pa.table(
        {
            "qid": ["1"] * 2,
            "docno": ["b", "c"],
            "grade": pa.array([number("1"), number("2")], type_),
        }
    )
    expected = cf.evaluate(
        {"1": {"b": 1, "c": 2}}, {"1": {"a": 3.0, "b": 1.0, "c": 2.0}}, "nDCG RR"
    )
    assert cf.evaluate(qrels, run, "nDCG RR").to_dict() == expected.to_dict()
    nothing = run.set_column(2, "score", pa.array([None, *run["score"].to_pylist()[1:]], type_))
    with pytest.raises(cf.Error, match="expected a finite number as score, found NaN"):
        cf.evaluate(qrels, nothing, "AP")


def test_a_lazy_frame_is_told_to_collect() -> None:
    polars = pytest.importorskip("polars")
    with pytest.raises(cf.Error, match="collect"):
        cf.evaluate(QRELS, polars.LazyFrame({"qid": ["1"]}), "AP")


def test_pandas_is_read_without_pyarrow() -> None:
    pytest.importorskip("pandas")
    code = """
import sys
sys.modules["pyarrow"] = None
import pandas as pd, cranfield as cf
qrels = pd.DataFrame({"label": [1, 0], "qid": ["1", "1"], "docno": ["a", "b"]})
run = pd.DataFrame([[1, "b", 2.0], [1, "a", 1.0]])
print(cf.evaluate(qrels, run, "AP").to_dict())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout == "{'run': {'1': {'AP': 0.5}}}\n"


def test_numpy_numbers_are_numbers() -> None:
    run = {"1": {"a": np.float32(2.0), "b": np.int64(1)}}
    assert ap({"1": {"a": np.int32(1)}}, run) == [[1.0]]
