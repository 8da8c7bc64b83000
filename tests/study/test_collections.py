"""A study of several collections: each in a folder of its own, and all together."""

import csv
import io
from pathlib import Path

import pytest
from cranfield._cli import main
from cranfield._study.results import Table, by_name
from cranfield._study.runner import COLLECTIONS, tables_of_all

from tests.scores.two_runs import write_files


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    return tmp_path


def test_a_study_of_several_collections(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["study", "significance", "c.toml", "--measures", "AP P@1", "-o", "out", "--quiet"]
    assert main(words) == 0, capsys.readouterr().err
    text = (folder / "out/together/tables/significant-Holm.csv").read_text()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["measure"] for row in rows] == ["AP", "P@1", "mean"]
    own = [
        next(
            csv.DictReader(
                io.StringIO((folder / "out" / name / "tables/significant.csv").read_text())
            )
        )
        for name in ("one", "two")
    ]
    assert [rows[0]["one"], rows[0]["two"]] == [row["Holm"] for row in own]
    assert float(rows[0]["mean"]) == sum(int(row["Holm"]) for row in own) / 2
    # As Webber, Moffat and Zobel print theirs: with the means of rows and columns.
    assert float(rows[-1]["one"]) == sum(int(row["one"]) for row in rows[:-1]) / 2
    # As Sakai prints his: the rows of each collection.
    stacked = list(
        csv.DictReader(io.StringIO((folder / "out/together/tables/significant.csv").read_text()))
    )
    assert [(row["collection"], row["measure"]) for row in stacked] == [
        *(("one", "AP"), ("one", "P@1"), ("two", "AP"), ("two", "P@1")),
    ]
    points = (folder / "out/together/data/means-AP.csv").read_text()
    assert "\none,mean" in points
    assert "\ntwo,mean" in points
    assert 'href="../two/index.html"' in (folder / "out/together/index.html").read_text()
    assert (folder / "out/together/tables/significant-Holm.tex").is_file()
    assert main(words) == 0
    assert main(["study", "significance", "qrels.txt", "-o", "x"]) == 2
    assert "required: RUN" in capsys.readouterr().err


def test_what_is_bold_in_a_part_is_bold_beside_the_others() -> None:
    columns = ["measure", "power"]
    rows = by_name(columns, [["AP", 0.1], ["nDCG", 0.3]])
    one = Table.of("t", "T", rows, bold=[[1, 1]], italic=[[0, 1]])
    other = Table.of("t", "T", {"measure": ["nDCG"], "more": [1], "power": [0.2]}, bold=[[0, 2]])
    rows = by_name(columns, [["nDCG", 0.2], ["AP", 0.4]])
    same = Table.of("t", "T", rows, bold=[[1, 1], [1, 0]])
    (stacked,) = tables_of_all({"a": {"t": one}, "b": {"t": other}}, COLLECTIONS)
    # The rows of a, then those of b; one column more on the left.
    assert stacked.rows[2] == ["b", "nDCG", 0.2, 1]
    assert (stacked.bold, stacked.italic) == ([[1, 2], [2, 2]], [[0, 2]])
    stacked, power = tables_of_all({"a": {"t": one}, "b": {"t": same}}, COLLECTIONS)
    assert (stacked.bold, stacked.italic) == ([[1, 2], [3, 2], [3, 1]], [[0, 2]])
    assert [row[:3] for row in power.rows[:2]] == [["AP", 0.1, 0.4], ["nDCG", 0.3, 0.2]]
    assert (power.bold, power.italic) == ([[1, 1], [0, 2]], [[0, 1]])
