"""Errors about files of runs: one rule for every way to give them, and what to do."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import cranfield as cf
import pytest
from cranfield._cli import main

if TYPE_CHECKING:
    from pathlib import Path

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1, "d": 0}}

SEVERAL = {
    "twice, then no number": "1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n2 Q0 c 1 x t\n",
    "no number, then twice": "1 Q0 a 1 x t\n2 Q0 c 1 2 t\n2 Q0 c 2 1 t\n",
    "twice, then too few fields": "1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n2 Q0 c\n",
    "twice in two topics": "1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n2 Q0 c 1 2 t\n2 Q0 c 2 1 t\n",
    "twice in pieces": "1 Q0 a 1 2 t\n2 Q0 c 1 2 t\n2 Q0 c 2 1 t\n1 Q0 a 2 1 t\n",
    "twice, then no rank": "1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n2 Q0 c x 2 t\n",
    "twice, then three columns": "1 a 1\n1 a 2\n2 c 5\n",
    "three columns, then no number": "1 a 2\n2 c x\n",
}


def told(runs: Any, **options: Any) -> tuple[object, ...]:
    with pytest.raises(cf.Error) as caught:
        cf.evaluate(QRELS, runs, "AP", **options)
    error = caught.value
    return error.kind, error.line, error.column, error.message


@pytest.mark.parametrize("order", ["docno_desc", "input", "rank"])
@pytest.mark.parametrize("text", SEVERAL.values(), ids=SEVERAL)
def test_of_several_errors_one_is_reported(text: str, order: str, tmp_path: Path) -> None:
    """That of a line before that of a list, wherever the lines come from."""
    path = tmp_path / "some.run"
    path.write_text(text)
    packed = tmp_path / "some.run.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    options: dict[str, Any] = {"order": order}
    expected = told(str(path), **options)
    assert told(str(packed), **options) == expected
    assert told(io.BytesIO(text.encode()), **options) == expected
    assert told(io.StringIO(text), threads=1, **options) == expected
    assert told([str(path), {"1": {"a": 1}}], **options) == expected
    with pytest.raises(cf.Error) as caught:
        cf.collection.pool(path, **options)
    assert (caught.value.kind, caught.value.line) == expected[:2]


@pytest.mark.parametrize("rank", ["3x", "x", "nan", "-", "1e999", "2"])
def test_ranks_are_read_leniently_in_every_way(rank: str, tmp_path: Path) -> None:
    text = f"1 Q0 b {rank} 9 t\n1 Q0 a 1 3 t\n2 Q0 d 5 1 t\n2 Q0 c 4 1 t\n"
    path = tmp_path / "some.run"
    path.write_text(text)
    for order in ("rank", "docno_desc"):
        found = []
        for run in (path, io.BytesIO(text.encode()), cf.read_run(path, lenient=True)):
            scores = cf.evaluate(QRELS, run, "AP RR", order=order, lenient=True)
            (notes,) = scores.notes.values()
            found.append((scores.values.tolist(), notes.repaired))
        assert found[0] == found[1] == found[2]
        assert found[0][1] == (order == "rank" and rank != "2")


def test_a_byte_order_mark_is_not_written_as_a_topic(tmp_path: Path) -> None:
    path = tmp_path / "some.run"
    for write in (
        cf.Run({"\ufeff1": {"a": 1.0}}).write,
        cf.Run({"1": {"a": 1.0}, "\ufeff2": {"a": 1.0}}).write,
        cf.Qrels({"\ufeff1": {"a": 1}}).write,
    ):
        with pytest.raises(cf.Error, match="byte order mark") as caught:
            write(str(path))
        assert caught.value.kind == "type"
        assert not path.exists()


def test_a_byte_order_mark_inside_a_file_is_text_for_any_number_of_threads(tmp_path: Path) -> None:
    path = tmp_path / "large.run"
    document = "d" * 100
    with path.open("w") as file:
        for topic in range(1000):
            file.writelines(f"\ufeff{topic} Q0 {document}{i} 1 {-i} t\n" for i in range(100))
    qrels = {f"\ufeff{topic}": {f"{document}1": 1} for topic in range(1000)}
    alone, several = (
        cf.evaluate(qrels, path, "RR", threads=threads).values.tolist() for threads in (1, 3)
    )
    # The first mark is that of the file, and its line one of another topic.
    assert alone == several == [[[1.0], *[[0.5]] * 999]]


def test_judgments_without_the_header_of_beir_name_the_layout(tmp_path: Path) -> None:
    path = tmp_path / "test.tsv"
    path.write_text("q1\td1\t1\n")
    with pytest.raises(cf.Error, match='layout="beir" reads three columns without a header'):
        cf.read_qrels(path)
    assert cf.read_qrels(path, layout="beir").to_dict() == {"q1": {"d1": 1.0}}


# Several runs on the command line


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Judgments, 38 good runs and two bad ones."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 c 1\n2 0 d 0\n")
    (tmp_path / "runs").mkdir()
    for place in range(38):
        lines = "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 d 1 2 t\n2 Q0 c 2 1 t\n"
        (tmp_path / "runs" / f"good{place:02}.run").write_text(lines)
    (tmp_path / "runs" / "bad.run").write_text("1 Q0 a 1 x t\n")
    (tmp_path / "runs" / "twice.run").write_text("1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n")
    return tmp_path


BAD = [
    "cranfield: error: runs/bad.run:1:10: expected a number as score, found `x`",
    "cranfield: error: runs/twice.run:2:6: expected each document once per topic, found `a` "
    "again for topic `1`, first seen on line 1; --duplicates first or --duplicates best "
    "keeps one of them, --duplicates place also the place of the other",
]


@pytest.mark.parametrize("more", [(), ("--bounds",), ("--ties", "bounds"), ("--threads", "1")])
@pytest.mark.usefixtures("folder")
def test_eval_lists_every_bad_run_and_writes_nothing(
    more: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["eval", "qrels.txt", "runs/*.run", "-m", "AP", *more, "--quiet"]
    assert main([*words, "--output", "out.json"]) == 2
    found = capsys.readouterr()
    last = "cranfield: 2 of 40 runs cannot be used, so nothing was written; --keep-going "
    last += "leaves them out"
    assert (found.out, found.err.splitlines()) == ("", [*BAD, last])
    assert not (folder / "out.json").exists()
    assert main([*words, "--output", "out.json", "--keep-going"]) == 2
    assert capsys.readouterr().err.splitlines() == [*BAD, "cranfield: left out: 2 of 40 runs"]
    runs = json.loads((folder / "out.json").read_text())["runs"]
    assert [run["run"] for run in runs] == [f"good{place:02}" for place in range(38)]


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "qrels.txt", "runs/*.run", "--baseline", "good00", "--test", "sign"),
        ("pool", "runs/*.run"),
    ],
    ids=lambda words: words[0],
)
@pytest.mark.usefixtures("folder")
def test_other_commands_do_so_too(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    found = capsys.readouterr()
    assert (found.out, found.err.splitlines()[:2]) == ("", BAD)
    assert main([*words, "--keep-going"]) == 2
    found = capsys.readouterr()
    assert found.err.splitlines()[:3] == [*BAD, "cranfield: left out: 2 of 40 runs"]
    assert found.out != ""


@pytest.mark.usefixtures("folder")
def test_describe_lists_bad_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", "qrels.txt", "runs/*.run"]) == 2
    assert capsys.readouterr().err.splitlines()[0] == BAD[0]
    assert main(["describe", "qrels.txt", "runs/*.run", "--keep-going"]) == 2
    assert "good00" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_all_runs_are_bad(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["eval", "qrels.txt", "runs/bad.run", "runs/twice.run", "nowhere.run", "--keep-going"]
    assert main(words) == 2
    found = capsys.readouterr()
    assert (found.out, found.err.splitlines()[:2]) == ("", BAD)
    assert "nowhere.run: there is no such file" in found.err
    assert "3 of 3 runs cannot be used, so nothing was written\n" in found.err


@pytest.mark.usefixtures("folder")
def test_standard_input_among_bad_runs() -> None:
    words = [sys.executable, "-m", "cranfield", "eval", "qrels.txt", "-", "runs/bad.run"]
    words += ["runs/good00.run", "-m", "AP", "--keep-going", "--quiet", "--format", "csv"]
    good = "1 Q0 a 1 2 t\n2 Q0 c 1 2 t\n"
    done = subprocess.run(words, input=good, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[1:]) == (2, ["run,1.0", "good00,0.75"])
    twice = "1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n"
    done = subprocess.run(words, input=twice, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[1:]) == (2, ["good00,0.75"])
    assert "<stdin>:2:6: expected each document once" in done.stderr
