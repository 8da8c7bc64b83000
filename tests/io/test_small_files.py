"""Small files are read by one rule: comments, keys that come again, compression, `-`, addresses."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cranfield as cf
import pytest
from cranfield import answers, battles, oneclick
from cranfield._cli import main
from cranfield._io import columns
from cranfield._scores.groups import read_groups, read_run_groups
from cranfield._study.inputs import read_pool_runs

from tests.io.malformed_cases import raw, zstd
from tests.io.servers import http

if TYPE_CHECKING:
    from collections.abc import Callable

NUGGETS = (
    '{"qid": "1", "run_id": "r", "nuggets": [{"importance": "vital", "assignment": "support"}]}\n'
)

READERS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "groups of topics": (read_groups, "1 a\n1 b\n2 a\n"),
    "groups of runs": (read_run_groups, "x a\ny b\n"),
    "runs of a pool": (read_pool_runs, "x\ny\n"),
    "costs": (cf.read_costs, "1 d 3\n1 e 4\n"),
    "lengths": (cf.read_lengths, "d 3\ne 4\n"),
    "classes": (cf.read_classes, "1 d L1 3\n1 e L0 4\n"),
    "intents": (cf.read_intents, "1 i .5 nav\n1 j .5\n"),
    "nuggets of texts": (oneclick.read_nuggets, "1 N1 3 10\n"),
    "outputs": (oneclick.read_outputs, "1 syslen= 10\n1 N1 3\n"),
    "nuggets": (answers.read_nuggets, NUGGETS),
    "reports": (
        lambda path: answers.argue(path).to_dict(),
        "run_id\trequest_id\tmetric\tvalue\nr\t1\tf1\t1\n",
    ),
    "battles": (battles.read, "model_a,model_b,winner\nx,y,model_a\n"),
    "scores": (lambda path: cf.read_scores(path).to_dict(), "run,topic,AP\nr,1,.5\n"),
}

GROUPS = b"1 one\n2 one\n3 two\n4 two\n"

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: zstd(raw(data)),
}


@pytest.mark.parametrize("name", READERS)
def test_any_file_is_read_from_anywhere(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, text = READERS[name]
    (tmp_path / "plain").write_text(text)
    expected = read(str(tmp_path / "plain"))
    assert expected
    for suffix, pack in PACKERS.items():
        (tmp_path / f"file{suffix}").write_bytes(pack(text.encode()))
        assert read(str(tmp_path / f"file{suffix}")) == expected
        with io.TextIOWrapper(io.BytesIO(pack(text.encode()))) as stream:
            monkeypatch.setattr(sys, "stdin", stream)
            assert read("-") == expected
    pytest.importorskip("obstore")
    with http(tmp_path) as (server, _):
        for suffix in PACKERS:
            assert read(f"{server}/file{suffix}") == expected


@pytest.mark.parametrize("name", [name for name in READERS if name != "scores"])
def test_comments_are_passed_over(name: str, tmp_path: Path) -> None:
    read, text = READERS[name]
    (tmp_path / "plain").write_text(text)
    (tmp_path / "file").write_text(f"# a b\n#\n\n{text}#\ta\n \n#")
    assert read(str(tmp_path / "file")) == read(str(tmp_path / "plain"))


def test_what_begins_with_a_hash_is_data(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("#covid a\n##x b\n")
    assert read_groups(tmp_path / "file") == {"a": {"#covid": None}, "b": {"##x": None}}
    (tmp_path / "file").write_text("#made by hand\n#covid a\n")
    with pytest.raises(
        cf.Error, match="1: expected a topic and a group, found 3 fields: `#made by"
    ):
        read_groups(tmp_path / "file")


@pytest.mark.parametrize(
    ("name", "text", "again", "message"),
    [
        (
            "groups of runs",
            "x a\n",
            "x b\n",
            "one group of the run 'x', found 'b', and 'a' on line 1",
        ),
        (
            "costs",
            "1 d 3\n",
            "1 d 4\n",
            "one cost of document `d` of topic `1`, found 4.0, and 3.0",
        ),
        ("classes", "1 d 3\n", "1 d 4\n", "one class of document `d` of topic `1`"),
        ("intents", "1 i .5\n", "1 i .6\n", "one probability of intent `i` of topic `1`"),
        ("nuggets of texts", "1 N1 3 10\n", "1 N1 3 9\n", "of nugget 'N1' of topic '1'"),
        ("outputs", "1 syslen= 9\n", "1 syslen= 8\n", "of topic '1', found 8, and 9 on line 1"),
    ],
)
def test_a_key_that_comes_again(
    name: str, text: str, again: str, message: str, tmp_path: Path
) -> None:
    read, _ = READERS[name]
    path = tmp_path / "file"
    path.write_text(text + text)
    both = read(str(path))
    path.write_text(text)
    assert read(str(path)) == both
    path.write_text(text + again)
    with pytest.raises(cf.Error, match=message) as caught:
        read(str(path))
    assert (caught.value.kind, caught.value.line) == ("conflict", 2)


def test_keys_that_come_again_in_another_file(tmp_path: Path) -> None:
    header = "run_id\trequest_id\tmetric\tvalue\n"
    files = [tmp_path / "a.tsv", tmp_path / "b.tsv"]
    for file, value in zip(files, (1, 1), strict=True):
        file.write_text(f"{header}r\t1\tf1\t{value}\n")
    assert answers.argue(files)["r", "f1"].tolist() == [1.0]
    files[1].write_text(f"{header}r\t1\tf1\t0\n")
    with pytest.raises(cf.Error, match=r"b\.tsv:2: expected one f1 .*, and 1\.0 on .*a\.tsv:2"):
        answers.argue(files)


@pytest.mark.parametrize(
    "header", ["topic group", "#qid\tgroup", "Query-ID group", "request_id group"]
)
def test_headers_name_the_columns(header: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(f"# groups\n{header}\n1 a\n")
    assert read_groups(tmp_path / "file") == {"a": {"1": None}}


@pytest.mark.parametrize("name", ["topic", *columns.TOPIC_ID])
def test_the_topic_is_called_alike_everywhere(name: str, tmp_path: Path) -> None:
    (tmp_path / "n.jsonl").write_text(NUGGETS.replace("qid", name))
    assert list(answers.read_nuggets(tmp_path / "n.jsonl")["r"]) == ["1"]
    (tmp_path / "b.csv").write_text(f"{name},model_a,model_b,winner\n1,x,y,tie\n")
    assert battles.read(tmp_path / "b.csv", by_topic=True) == [("x", "y", None, "1")]
    (tmp_path / "s.csv").write_text(f"run,{name},AP\nr,1,.5\n")
    assert cf.read_scores(tmp_path / "s.csv").topics == ("1",)
    (tmp_path / "r.csv").write_text(f"score,{name},docno\n2.5,1,d\n")
    assert cf.read_run(tmp_path / "r.csv").to_dict() == {"1": {"d": 2.5}}
    (tmp_path / "r.run").write_text("1 Q0 d 1 2 t\n")
    (tmp_path / "q.jsonl").write_text(f'{{"{name}": "1", "query": "what"}}\n')
    diff = cf.diff(
        {"1": {"d": 1}},
        tmp_path / "r.run",
        cf.Run({"1": {"e": 1.0}}, name="other"),
        "AP",
        queries=tmp_path / "q.jsonl",
    )
    assert "what" in repr(diff)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("".join(f"{topic} 0 d 1\n" for topic in range(1, 5)))
    for name, docs in (("a", "deed"), ("b", "eddd")):
        lines = (f"{topic} Q0 {doc} 1 2 t\n" for topic, doc in enumerate(docs, 1))
        Path(f"{name}.run").write_text("".join(lines))
    Path("g.gz").write_bytes(gzip.compress(GROUPS))
    return tmp_path


def test_groups_on_the_command_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (
        ("eval", "qrels", "a.run", "b.run", "-m", "AP"),
        ("compare", "qrels", "a.run", "b.run", "-m", "AP"),
        ("diff", "qrels", "a.run", "b.run", "-m", "AP"),
        ("describe", "qrels", "a.run"),
    ):
        printed = []
        for groups in ("g.gz", "-"):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GROUPS)))
            assert main([*words, "--topic-groups", groups, "--quiet"]) == 0, words
            printed.append(capsys.readouterr().out)
        assert printed[0] == printed[1]
        assert "two" in printed[0]
    Path("runs.zst").write_bytes(zstd(raw(b"a x\nb y\n")))
    judged = ("judges", "qrels", "qrels", "a.run", "b.run", "-m", "AP", "--groups", "runs.zst")
    assert main([*judged, "--quiet", "--format", "json"]) == 0
    assert '"groups": {"x"' in capsys.readouterr().out


@pytest.mark.parametrize("text", ["d\tsome words\n", '{"_id": "d", "text": "some words"}\n'])
def test_documents_on_the_command_line(
    text: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    suffix = ".jsonl" if text.startswith("{") else ".tsv"
    for packed, pack in PACKERS.items():
        name = f"d{suffix}{packed}"
        Path(name).write_bytes(pack((text + text).encode()))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(text.encode()))))
        for documents in (name, "-"):
            words = ("diff", "qrels", "a.run", "b.run", "-m", "AP", "--documents", documents)
            assert main([*words, "--quiet"]) == 0
            assert "some words" in capsys.readouterr().out
    Path("d.tsv").write_text("d\tsome words\nd\tother words\n")
    words = ("diff", "qrels", "a.run", "b.run", "-m", "AP", "--documents", "d.tsv")
    assert main([*words, "--quiet"]) == 2
    told = capsys.readouterr().err
    assert "d.tsv:2: expected one text of 'd', found 'other words', and 'some words' on" in told
