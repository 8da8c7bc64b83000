"""Lenient reading: which numbers it repairs, and how it counts them."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import cranfield as cf
import pytest

from tests.commands import called
from tests.io import malformed_cases as cases
from tests.io.malformed_cases import JUDGED, Case, refused


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3x", 3.0),
        ("-.5e1z", -5.0),
        ("1e", 1.0),
        ("50%", 50.0),
        ("high", 0.0),
        ("--1", 0.0),
        ("٣", 0.0),
        ("0x1p3", 8.0),
        ("inf", sys.float_info.max),
        ("-Infinity", -sys.float_info.max),
        ("1e999", sys.float_info.max),
        ("nan", -sys.float_info.max),
    ],
)
def test_lenient_reading_takes_what_atof_takes_and_counts(
    folder: Path, text: str, value: float
) -> None:
    (folder / "run.txt").write_text(cases.scored(text), encoding="utf-8")
    assert refused(lambda: cf.read_run("run.txt")).kind == "number"
    assert cf.read_run("run.txt", lenient=True)["1"] == {"a": 3.0, "b": value}
    for source in ("run.txt", io.BytesIO(cases.scored(text).encode())):
        notes = cf.evaluate(JUDGED, source, "AP", lenient=True).notes["run"]
        assert (notes.repaired, notes.lines, notes.duplicates) == (1, 2, 0)


@pytest.mark.parametrize("text", ["1,5", "0,95", "1,000.5", '"1"', "'1'", "1;", "score", "Rank"])
def test_lenient_reading_makes_no_wrong_numbers(folder: Path, text: str) -> None:
    (folder / "run.txt").write_text(cases.scored(text))
    (folder / "qrels.txt").write_text(f"1 0 a 1\n1 0 b {text}\n")
    for read in (cf.read_run, cf.read_qrels):
        path = "run.txt" if read is cf.read_run else "qrels.txt"
        told = {str(refused(lambda: read(path, lenient=lenient))) for lenient in (False, True)}  # noqa: B023
        assert len(told) == 1
        assert "lenient" not in told.pop()


@pytest.mark.parametrize(
    "header",
    ["qid Q0 docno rank score tag", "query iteration document place value system", "q x d r s t"],
)
def test_a_header_is_no_topic(folder: Path, header: str) -> None:
    (folder / "run.txt").write_text(f"{header}\n{cases.RUN}")
    (folder / "qrels.txt").write_text(f"{header.rsplit(' ', 2)[0]}\n{cases.QRELS}")
    for read in (cf.read_run, cf.read_qrels):
        for lenient in (False, True):
            path = "run.txt" if read is cf.read_run else "qrels.txt"
            error = refused(lambda: read(path, lenient=lenient))  # noqa: B023
            assert (error.kind, error.line) == ("number", 1)
            assert error.message.endswith("; remove this line if it is a header")


def test_lenient_reading_counts_every_field_over_topics_in_pieces(folder: Path) -> None:
    text = "1 Q0 a 1 x t\n2 Q0 a 1 3 t\n1 Q0 b 2 nan t\n2 Q0 b 1 4z t\n"
    (folder / "run.txt").write_text(text)
    assert cf.evaluate(JUDGED, "run.txt", "AP", lenient=True).notes["run"].repaired == 3
    assert cf.evaluate(JUDGED, folder / "run.txt", "AP", lenient=True).values[0].tolist() == [
        [1.0],
        [0.5],
    ]


@pytest.mark.parametrize(
    "case",
    [c for c in cases.FILES if c.kind in ("fields", "empty", "binary", "archive", "limit")],
    ids=lambda case: case.name,
)
def test_lenient_reading_repairs_numbers_and_nothing_else(folder: Path, case: Case) -> None:
    (folder / "qrels.txt").write_bytes(case.qrels)
    (folder / "run.txt").write_bytes(case.run)
    keywords = case.keywords | {"lenient": True}
    error = refused(lambda: cf.evaluate("qrels.txt", "run.txt", "AP", **keywords))
    assert (error.kind, error.file, error.line) == (case.kind, case.file, case.place[0])


@pytest.mark.parametrize(
    ("grade", "value"), [("2x", 2.0), ("1.7z", 1.7), ("good", 0.0), ("-1-", -1.0)]
)
def test_lenient_judgments(folder: Path, grade: str, value: float) -> None:
    (folder / "qrels.txt").write_text(f"1 0 a {grade}\n")
    assert refused(lambda: cf.read_qrels("qrels.txt")).kind == "number"
    assert cf.read_qrels("qrels.txt", lenient=True)["1"] == {"a": value}


@pytest.mark.parametrize("bad", ["qrels.txt", "run.txt"])
def test_the_command_says_that_numbers_were_repaired(folder: Path, bad: str) -> None:
    text = "1 0 a good\n2 0 a 1\n" if bad == "qrels.txt" else cases.scored("3x") + "2 Q0 a 1 1 t\n"
    (folder / bad).write_text(text)
    done = called("eval", "qrels.txt", "run.txt", "--lenient")
    assert done.returncode == 0
    assert "repaired numbers: 1\n" in done.stderr


@pytest.mark.parametrize("text", ["z" * 900_000, "1" * 450_000 + "z" * 450_000])
def test_a_long_odd_number_is_repaired_at_once(folder: Path, text: str) -> None:
    """In a process of its own, which can be stopped."""
    (folder / "run.txt").write_text(cases.scored(text))
    code = "import cranfield; cranfield.read_run('run.txt', lenient=True)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=3)
