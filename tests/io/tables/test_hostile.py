"""Tables from anybody: nothing ends the process, reads other memory, or takes it without limit.

Oracle: pyarrow's own ``validate(full=True)`` refuses each column of ``hostile.liars``; a process
that ends by a signal is seen from outside. ``CRANFIELD_TABLES=N`` reads N mutated tables.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cranfield as cf
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.io.tables import hostile

INPUTS = int(os.environ.get("CRANFIELD_TABLES", "1500"))
QRELS = {"1": {"document-1": 1}, "2": {"document-3": 1}}
LIARS = hostile.liars()


def framed(table: Any) -> Any:
    """The same in pandas, in its columns of pyarrow's type."""
    return pd.DataFrame(
        {name: pd.arrays.ArrowExtensionArray(table[name]) for name in table.column_names}
    )


FORMS: dict[str, Callable[[Any], Any]] = {
    "table": lambda table: table,
    "batch": lambda table: table.to_batches()[0],
    "reader": lambda table: table.to_reader(),
    "pandas": framed,
}
USES: dict[str, Callable[[Any], Any]] = {
    "run": cf.Run.from_arrow,
    "judgments": lambda table: cf.Qrels.from_arrow(table, grade="score"),
    "scores": lambda table: cf.evaluate(QRELS, table, "AP"),
    "arrow": lambda table: cf.Evaluator(QRELS, "AP").arrow(table),
    "records": lambda table: cf.Scores.from_records(renamed(table)),
}


CALLS = [
    # Scoring takes one batch or a table.
    (use, form)
    for use in USES
    for form in FORMS
    if (use, form) != ("arrow", "reader")
]


def renamed(table: Any) -> Any:
    """The columns as those of scores."""
    if hasattr(table, "iloc"):
        return table.rename(columns={"doc": "run"})
    return table.rename_columns(["topic", "run", "score"]) if hasattr(table, "validate") else table


@pytest.mark.parametrize("column", ["topic", "doc"])
@pytest.mark.parametrize("liar", LIARS)
@pytest.mark.parametrize(("use", "form"), CALLS)
def test_columns_that_lie_are_refused(column: str, liar: str, form: str, use: str) -> None:
    with pytest.raises(pa.ArrowException):
        LIARS[liar].validate(full=True)
    table = FORMS[form](hostile.lying(column, LIARS[liar]))
    with pytest.raises(cf.Error) as caught:
        USES[use](table)
    assert caught.value.kind == "type", caught.value


@pytest.mark.parametrize("place", [b"doc", b"topic"])
@pytest.mark.parametrize("stream", [False, True])
def test_names_that_are_not_utf8(place: bytes, stream: bool) -> None:
    data = hostile.ipc(hostile.plain(), stream=stream).replace(place, b"\xff\xfe" + place[2:])
    with pytest.raises(cf.Error, match=r"not UTF-8|cannot be read"):
        cf.read_run(io.BytesIO(data))
    opened = pa.ipc.open_stream if stream else pa.ipc.open_file
    with pytest.raises(cf.Error, match="UTF-8"):
        cf.Run.from_arrow(opened(data).read_all())


def test_names_of_parquet_that_are_not_utf8() -> None:
    table = hostile.plain()
    data = hostile.parquet(table, store_schema=False).replace(b"doc", b"\xff\xfec")
    with pytest.raises(cf.Error, match=r"not UTF-8|cannot be read"):
        cf.read_run(io.BytesIO(data))


def test_statistics_are_never_asked_for(tmp_path: Path, monkeypatch: Any) -> None:
    """The description of a damaged column ends the process, and nothing here needs one."""
    import pyarrow.parquet as pq

    table = hostile.plain(40).append_column("run", pa.array(["a"] * 20 + ["b"] * 20))
    path = tmp_path / "runs.parquet"
    pq.write_table(table, path, row_group_size=10, write_statistics=False)
    plain = cf.evaluate(QRELS, str(path), "AP num_ret")
    assert plain.runs == ("a", "b")
    assert plain.values[:, :, 1].sum() == 40
    pq.write_table(table, path, row_group_size=10)
    # Its statistics would not be found: what is looked for is in the rows.
    real = pq.ParquetFile.metadata.fget
    schema_alone = property(lambda file: SimpleNamespace(schema=real(file).schema))
    monkeypatch.setattr(pq.ParquetFile, "metadata", schema_alone)
    assert (cf.evaluate(QRELS, str(path), "AP num_ret").values == plain.values).all()


CHILD = """
import resource, sys
import cranfield as cf, pyarrow.parquet, pyarrow.compute
most = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
before = most()
resource.setrlimit(resource.RLIMIT_AS, (16 << 30,) * 2)
call = {"run": lambda: cf.evaluate({"1": {"a": 1}}, sys.argv[1], "AP"),
        "judgments": lambda: cf.read_qrels(sys.argv[1], columns={"grade": "score"}),
        "scores": lambda: cf.read_scores(sys.argv[1], format="parquet")}[sys.argv[2]]
try:
    call()
except cf.Error as error:
    print(error.kind, most() - before)
"""


@pytest.fixture(scope="module")
def bombs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bombs")
    for name, data in hostile.bombs().items():
        (folder / name).write_bytes(data)
    return folder


BOMBS = ["codes.parquet", "codes.arrow", "codes.arrows", "views.arrow", "pages.parquet"]
BOMBS += ["pages.arrow", "rows.parquet", "chained.parquet"]
READ = [
    # Scores are read from Parquet alone.
    (use, name)
    for use in ("run", "judgments", "scores")
    for name in BOMBS
    if use != "scores" or name.endswith(".parquet")
]


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is in other units elsewhere")
@pytest.mark.parametrize(("use", "name"), READ)
def test_a_bomb_is_refused_in_little_memory(bombs: Path, name: str, use: str) -> None:
    """Kilobytes that stand for gigabytes; the peak of the process, in MB."""
    command = [sys.executable, "-c", CHILD, str(bombs / name), use]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    kind, _, most = done.stdout.partition(" ")
    assert (done.returncode, kind) == (0, "limit"), done.stderr
    assert int(most) < 400


def test_the_limits_are_those_of_all_input() -> None:
    """40 texts of 60,000 bytes from one: 2.4 MB, far more than 200 times the file."""
    data = hostile.ipc(hostile.codes_of_a_long_text(60_000, 40), compression="zstd")
    run = cf.read_run(io.BytesIO(data))
    assert run.lines == 40
    strict = cf.Limits(decompression_free=1, decompression_ratio=10)
    with pytest.raises(cf.Error, match=r"expand to .* the limit `decompression_ratio` of 10"):
        cf.read_run(io.BytesIO(data), limits=strict)
    with pytest.raises(cf.Error, match="beyond the limit `decompressed_bytes` of 1000000 bytes"):
        cf.read_run(io.BytesIO(data), limits=cf.Limits(decompressed_bytes=10**6))
    with pytest.raises(cf.Error, match="at most 50000 bytes, the limit `line_bytes`"):
        cf.read_run(io.BytesIO(data), limits=cf.Limits(line_bytes=50_000))


MEMORY = """
import os, resource, sys
sys.path.insert(0, os.getcwd())
import cranfield as cf, pyarrow as pa
from tests.io.tables import hostile
table = hostile.codes_of_a_long_text(100_000, 40_000)
frames = [table, hostile.views_of_a_long_text(100_000, 40_000)]
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * 4096 + (300 << 20),) * 2)
for given in frames:
    for call in (
        lambda: cf.Run.from_arrow(given).to_dict(),
        lambda: cf.Run.from_arrow(given).__reduce__(),
        lambda: cf.Run.from_arrow(pa.concat_tables([given, given])),
        lambda: cf.Run.from_arrow(given.rename_columns(["doc", "topic", "score"])).to_dict(),
    ):
        try:
            call()
        except (MemoryError, cf.Error) as error:
            print(type(error).__name__)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS and /proc are Linux's")
def test_long_texts_without_memory_are_a_memory_error() -> None:
    """40,000 texts of 100,000 bytes, kept once: copied they take 4 GB, and 300 MB are left."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "MemoryError" in done.stdout


def test_mutated_tables_end_no_process() -> None:
    command = [sys.executable, "-m", "tests.io.tables.mutations", str(INPUTS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


def test_polars_is_read_as_before() -> None:
    frame = pl.from_arrow(hostile.plain())
    assert cf.Run.from_arrow(frame).to_dict() == cf.Run.from_arrow(hostile.plain()).to_dict()
