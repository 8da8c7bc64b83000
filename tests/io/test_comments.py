"""Comments, topics that begin with `#`, white space and the number of fields: one rule for all
forms in which files of lines come, and for what is written and read again."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import warnings
from typing import TYPE_CHECKING, Any

import cranfield as cf
import pytest
from cranfield._cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HASHED = {"#covid": {"a": 3.0, "b": 2.0}, "2": {"c": 1.0}}
RUN = "#covid Q0 a 1 3 t\n#covid Q0 b 2 2 t\n2 Q0 c 1 1 t\n"
QRELS = "#covid 0 a 1\n#covid 0 b 0\n2 0 c 1\n"
COMMENTS = "# a note\n#\n#!made by hand\n#covid New York\n#\tQ0 a 1 3 t\n##\n"


def forms(text: str, path: Path) -> dict[str, Callable[[], Any]]:
    path.write_text(text)
    packed = [path.with_suffix(".gz"), path.with_suffix(".bz2")]
    packed[0].write_bytes(gzip.compress(text.encode()))
    packed[1].write_bytes(bz2.compress(text.encode()))
    return {
        "path": lambda: str(path),
        "gzip": lambda: str(packed[0]),
        "bzip2": lambda: str(packed[1]),
        "bytes": lambda: io.BytesIO(text.encode()),
        "text": lambda: io.StringIO(text),
    }


@pytest.mark.parametrize("before", ["", COMMENTS])
@pytest.mark.parametrize("behind", ["", COMMENTS])
def test_topics_that_begin_with_a_hash_are_topics(before: str, behind: str, tmp_path: Path) -> None:
    runs = forms(before + RUN + behind, tmp_path / "some.run")
    qrels = forms(before + QRELS + behind, tmp_path / "qrels.txt")
    count = 6 * sum(map(bool, (before, behind)))
    for form, give in runs.items():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = cf.evaluate(qrels[form](), give(), "AP num_ret")
        # Both topics have their one relevant document first.
        assert found.topics == ("#covid", "2")
        assert found.values.tolist() == [[[1.0, 2.0], [1.0, 1.0]]], form
        assert found.notes["some" if isinstance(give(), str) else "run"].comments == count
        assert cf.read_qrels(qrels[form]()).comments == count
    assert cf.read_run(tmp_path / "some.run").to_dict() == HASHED


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        ("msmarco", "#x a 1\n#x b 2\n#x c\n#x d one\n2 c 1\n"),
        ("scores", "#x a .5\n#x b 1e-3\n#x c\n#x d one\n2 c 1\n"),
        (None, "#x a 1\n#x b 2\n#x c\n#x d one\n2 c 1\n"),
    ],
)
def test_runs_of_three_columns(layout: str | None, text: str, tmp_path: Path) -> None:
    (tmp_path / "some.run").write_text(text)
    run = cf.read_run(tmp_path / "some.run", layout=layout)
    assert {topic: list(docs) for topic, docs in run.to_dict().items()} == {
        "#x": ["a", "b"],
        "2": ["c"],
    }


def test_many_topics_in_a_file_that_several_threads_read(tmp_path: Path) -> None:
    """Every third topic begins with `#`; each list of 400 has its document fifth."""
    name = "d" * 60
    topics = [f"#{topic}" if topic % 3 == 0 else str(topic) for topic in range(400)]
    lines = [
        f"{topic} Q0 {name}{rank} {rank} {1000 - rank} t\n" + ("# x\n" if rank == 7 else "")
        for topic in topics
        for rank in range(1, 401)
    ]
    (tmp_path / "large.run").write_text("".join(lines))
    qrels = {topic: {f"{name}5": 1} for topic in topics}
    for threads in (1, 2, 5):
        found = cf.evaluate(qrels, tmp_path / "large.run", "RR", threads=threads)
        assert set(found.values.ravel()) == {0.2}
        assert found.notes["large"].comments == 400


@pytest.mark.parametrize("form", ["trec", "msmarco"])
def test_runs_are_written_and_read_again(form: str, tmp_path: Path) -> None:
    path = tmp_path / "out.run"
    cf.Run(HASHED).write(str(path), format=form)
    assert main(["convert", str(path), str(tmp_path / "again"), "--to", form, "--quiet"]) == 0
    for file in (path, tmp_path / "again"):
        found = {topic: list(docs) for topic, docs in cf.read_run(file).to_dict().items()}
        assert found == {topic: list(docs) for topic, docs in HASHED.items()}


@pytest.mark.parametrize("form", ["trec", "beir"])
def test_judgments_are_written_and_read_again(form: str, tmp_path: Path) -> None:
    judged = {"#covid": {"a": 1, "b": 0}, "2": {"c": 1}}
    cf.Qrels(judged).write(str(tmp_path / "out"), format=form)
    assert cf.read_qrels(tmp_path / "out").to_dict() == judged


@pytest.mark.parametrize("topic", ["#", "a b", "a\vb", "a\fb", "a\u000ab", ""])
def test_what_no_line_can_hold_is_not_written(topic: str, tmp_path: Path) -> None:
    for held in (cf.Run({topic: {"d": 1.0}}), cf.Qrels({topic: {"d": 1}})):
        with pytest.raises(cf.Error, match="expected ids that a file can hold"):
            held.write(str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_tag_is_written_as_one_field(tmp_path: Path) -> None:
    cf.Run({"1": {"d": 1.0}}, name="my run\tof May").write(str(tmp_path / "out.run"))
    assert (tmp_path / "out.run").read_text() == "1 Q0 d 1 1 my_run_of_May\n"


def test_comments_are_in_the_notes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "some.run").write_text(COMMENTS + RUN)
    (tmp_path / "qrels.txt").write_text("# one\n" + QRELS)
    assert main(["eval", "qrels.txt", "some.run", "-m", "AP"]) == 0
    told = capsys.readouterr().err
    assert "some: comment lines skipped: 6\n" in told
    assert "qrels.txt: comment lines skipped: 1\n" in told
    assert main(["eval", "qrels.txt", "some.run", "-m", "AP", "--format", "json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)["runs"]
    assert entry["notes"]["comments"] == 6
    assert main(["describe", "qrels.txt", "some.run"]) == 0
    assert "comment lines skipped: 6" in capsys.readouterr().err


@pytest.mark.parametrize("version", ["9", "9.0.8", "10"])
def test_trec_eval_has_its_own_rule(
    version: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Version 10 takes every line that begins with `#` for a comment, the others none.

    They read `New York` as a document and a rank, and white space as C's isspace does.
    """
    qrels, run = str(tmp_path / "qrels.txt"), str(tmp_path / "some.run")
    (tmp_path / "qrels.txt").write_text("1 0 New 1\n1 0 a 1\n")
    for text, value in (
        ("1 Q0 New York 1 22.5 t\n1 Q0 b 1 0 t\n", "0.5000"),
        ("1 Q0 b\f1 9 t\n1\vQ0 a 1 1 t\n", "0.2500"),
        ("1 Q0 b 1 2 t\n#x Q0 z 1 1 other\n1 Q0 a 1 1 t\n", "0.2500"),
    ):
        (tmp_path / "some.run").write_text(text)
        words = ["trec_eval", "--compat", version, "-m", "map", "-m", "runid", qrels, run]
        assert main(words) == 0
        printed = capfd.readouterr().out.split()
        assert (printed[2], printed[-1]) == ("t", value), text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("1 Q0 New York 1 22.5 t\n", 1),
        ("1 Q0 a 1 30 t\n1 Q0 New York 1 22.5 t\n", 2),
        ("1 Q0 a 1 30 t\n2 Q0 New York 1 22.5 t\n", 2),
        ("".join(f"1 Q0 a{i} 1 30 t\n" for i in range(5000)) + "1 Q0 New York 1 22.5 t\n", 5001),
    ],
)
def test_an_id_with_a_space_is_an_error(text: str, line: int, tmp_path: Path) -> None:
    judged = {"1": {"New York": 1, "York": 0, "New": 0}, "2": {"a": 1}}
    for options in ({}, {"lenient": True}, {"run_layout": "trec"}, {"order": "rank"}):
        for form, give in forms(text, tmp_path / "some.run").items():
            with pytest.raises(cf.Error, match=r"found 7 fields: `. Q0 New York 1 22\.5 t`") as e:
                cf.evaluate(judged, give(), "RR", **options)
            assert (e.value.kind, e.value.line) == ("fields", line), form


def test_only_spaces_and_tabs_separate_fields(tmp_path: Path) -> None:
    judged = {"1": {"a\vb": 1, "c\fd": 1}}
    text = "1 Q0 a\vb 1 3 t\n1\tQ0\tc\fd\t2\t2\tt\r\n"
    for give in forms(text, tmp_path / "some.run").values():
        # Two relevant documents at ranks 1 and 2.
        assert cf.evaluate(judged, give(), "AP").values.tolist() == [[[1.0]]]
    (tmp_path / "qrels.txt").write_text("1 0 a\vb 1\n1 0 c\fd 1\n")
    assert cf.read_qrels(tmp_path / "qrels.txt").to_dict() == judged
