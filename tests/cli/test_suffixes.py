"""Names of output files: what their suffix says is written, or it is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cranfield as cf
import pytest

from tests.io.test_matching import call, judgments, lines

QRELS = {"1": {"a": 1}, "2": {"a": 1}}
RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}
OTHER = ["csv", "json", "jsonl", "parquet", "arrow", "feather", "html", "tex", "md", "xlsx"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text(judgments(QRELS))
    (tmp_path / "a.run").write_text(lines(RUN))
    return tmp_path


@pytest.mark.parametrize("suffix", [*OTHER, "PARQUET", "csv.gz", "json.zst"])
def test_text_in_columns_is_not_written_under_another_name(suffix: str, folder: Path) -> None:
    path = folder / f"z.{suffix}"
    bare = suffix.lower().partition(".")[0]
    known = "trec, msmarco, beir or stratified"
    said = f"are written as text in columns ({known}), found the suffix .{bare}; "
    ways: list[Callable[[], object]] = [
        lambda: cf.Run(RUN).write(str(path)),
        lambda: cf.Qrels(QRELS).write(str(path), format="beir"),
    ]
    for way in ways:
        with pytest.raises(cf.Error) as caught:
            way()
        assert (caught.value.kind, caught.value.file) == ("option", str(path))
        assert said in caught.value.message
    for source in ("a.run", "qrels.txt"):
        done = call(folder, "convert", source, path.name)
        assert done.returncode == 2
        assert f"{path.name}: judgments and runs {said}give a name such as `z." in done.stderr
    assert not path.exists()


@pytest.mark.parametrize("suffix", ["run", "txt", "tsv", "trec", "gz", "run.xz", "v1.2", "adhoc"])
def test_any_other_name_will_do(suffix: str, folder: Path) -> None:
    path = folder / f"z.{suffix}"
    cf.Run(RUN).write(str(path))
    assert cf.read_run(path)["1"] == RUN["1"]


@pytest.mark.parametrize(
    ("arguments", "suffixes"),
    [
        (["pool", "a.run"], ".json .csv, or --format"),
        (["eval", "qrels.txt", "a.run"], ".txt .parquet .prototext .html .htm, or --format"),
        (["compare", "qrels.txt", "a.run", "a.run"], "or --format"),
        (["describe", "qrels.txt", "a.run"], "or --format"),
        (["diff", "qrels.txt", "a.run", "a.run", "-m", "AP"], "or --format"),
        (["judges", "qrels.txt", "qrels.txt", "a.run"], "or --format"),
        (["report", "qrels.txt", "a.run"], ".html .htm, for a report"),
    ],
)
def test_every_command_refuses_a_form_it_does_not_write(
    arguments: list[str], suffixes: str, folder: Path
) -> None:
    for suffix in ("arrow", "xlsx"):
        done = call(folder, *arguments, "-o", f"z.{suffix}")
        assert (done.returncode, done.stdout) == (2, "")
        assert f"z.{suffix}: expected one of the suffixes" in done.stderr
        assert f"{suffixes}; found .{suffix}" in done.stderr
        assert not (folder / f"z.{suffix}").exists()


def test_a_format_that_is_named_is_written_under_any_name(folder: Path) -> None:
    done = call(folder, "pool", "a.run", "--format", "json", "-o", "z.arrow")
    assert (done.returncode, (folder / "z.arrow").read_bytes()[:1]) == (0, b"{")
    assert call(folder, "pool", "a.run", "-o", "z.pool").returncode == 0
    assert (folder / "z.pool").read_text().startswith("1 0 a -1\n")


def test_files_beside_the_output_are_judged_alike(folder: Path) -> None:
    (folder / "n.jsonl").write_text("")
    done = call(folder, "bench", "--json", "z.csv")
    assert "z.csv: expected one of the suffixes .json, for --json; found .csv" in done.stderr
    done = call(folder, "answers", "n.jsonl", "--kind", "nuggets", "--report", "z.csv")
    assert "z.csv: expected one of the suffixes .html .htm, for --report" in done.stderr
