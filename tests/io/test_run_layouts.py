"""Three columns of a run: ranks only without doubt, scores only when named."""

from __future__ import annotations

import gzip
import io
import os
import pickle
from typing import TYPE_CHECKING, Any

import cranfield as cf
import pytest
from cranfield._cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}

RANKS = {
    "in order": "1 a 1\n1 b 2\n2 c 1\n",
    "with holes": "1 a 1\n1 b 7\n2 c 1\n",
    "in pieces": "1 a 1\n2 c 1\n1 b 2\n",
    "with tabs": "1\ta\t1\n1\tb\t2\n\n2\tc\t1",
}

DOUBTFUL = {
    "a fraction": ("1 a 0.95\n1 b 0.5\n2 c 0.1\n", 1),
    "a fraction later": ("1 a 1\n1 b 2.5\n2 c 1\n", 2),
    "a whole number with decimals": ("1 a 1.0\n1 b 2.0\n2 c 1.0\n", 1),
    "an exponent": ("1 a 1\n1 b 2e0\n2 c 1\n", 2),
    "zero": ("1 a 1\n1 b 0\n2 c 1\n", 2),
    "ranks from zero": ("1 a 0\n1 b 1\n2 c 0\n", 1),
    "below zero": ("1 a -1\n1 b -2\n2 c -1\n", 1),
    "a rank twice": ("1 a 1\n1 b 1\n2 c 1\n", 2),
    "a rank twice, in pieces": ("1 a 1\n2 c 1\n1 b 1\n", 3),
    "no rank 1": ("1 a 3\n1 b 2\n2 c 1\n", 1),
    "no rank 1 in a later topic": ("1 a 1\n1 b 2\n2 c 17\n", 3),
    "no rank 1, in pieces": ("1 a 2\n2 c 1\n1 b 3\n", 1),
    "no rank 1 where nobody judged": ("1 a 1\n2 c 1\n99 x 5\n", 3),
    "ranks that fall": ("1 a 2\n1 b 1\n2 c 1\n", 2),
    "ranks that fall in pieces": ("1 b 2\n2 c 1\n1 a 1\n", 3),
    "scores of Borda": ("1 a 3\n1 b 2\n1 c 1\n2 c 1\n", 2),
    "whole numbers in any order": ("1 a 1\n1 b 3\n1 c 2\n2 c 1\n", 3),
    "scores of Borda in a later topic": ("1 a 1\n2 c 2\n2 d 1\n", 3),
}

OPTIONS: list[dict[str, Any]] = [
    {},
    {"order": "docno_asc"},
    {"order": "input"},
    {"order": "rank"},
    {"scores": "f32"},
    {"duplicates": "first"},
    {"duplicates": "best"},
    {"lenient": True},
    {"depth": 1},
    {"missing": "skip"},
    {"threads": 1},
    {"ties": "average"},
]


def forms(text: str, folder: Path) -> dict[str, Callable[[], Any]]:
    """A file in all forms in which it can be given."""
    path = folder / "some.run"
    path.write_text(text)
    packed = folder / "some.run.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    return {
        "path": lambda: str(path),
        "gzip": lambda: str(packed),
        "bytes": lambda: io.BytesIO(text.encode()),
        "text": lambda: io.StringIO(text),
        "named": lambda: {"some": path},
    }


def outcome(runs: Any, **options: Any) -> Any:
    try:
        return cf.evaluate(QRELS, runs, "AP num_ret", **options).values.tolist()
    except cf.Error as error:
        return error.kind, error.line, error.message


@pytest.mark.parametrize("text", RANKS.values(), ids=RANKS)
def test_ranks_beyond_doubt_are_ranks(text: str, tmp_path: Path) -> None:
    expected = outcome({"1": {"a": 2, "b": 1}, "2": {"c": 1}})
    for form, give in forms(text, tmp_path).items():
        assert outcome(give()) == expected, form
        assert outcome(give(), run_layout="msmarco", order="rank") == expected, form
    assert outcome(cf.read_run(tmp_path / "some.run")) == expected


@pytest.mark.parametrize(("text", "line"), DOUBTFUL.values(), ids=DOUBTFUL)
def test_all_else_is_an_error_that_names_both_readings(
    text: str, line: int, tmp_path: Path
) -> None:
    told = set()
    for options in OPTIONS:
        for form, give in forms(text, tmp_path).items():
            kind, at, message = outcome(give(), **options)
            assert (kind, at) == ("layout", line), (form, options)
            told.add(message)
    (message,) = told
    assert 'run_layout="scores" for topic document score' in message
    assert 'run_layout="msmarco" for topic document rank' in message
    with pytest.raises(cf.Error, match=' layout="scores"') as caught:
        cf.read_run(tmp_path / "some.run")
    assert (caught.value.kind, caught.value.line) == ("layout", line)
    assert "run_layout" not in str(caught.value)
    with pytest.raises(cf.Error, match=' layout="scores"'):
        cf.read_runs({"some": tmp_path / "some.run", "packed": tmp_path / "some.run.gz"})


def test_named_scores_are_scores(tmp_path: Path) -> None:
    text = "1 b 0.5\n2 c 1e-3\n1 a 0.95\n"
    expected = outcome({"1": {"a": 0.95, "b": 0.5}, "2": {"c": 0.001}})
    for form, give in forms(text, tmp_path).items():
        assert outcome(give(), run_layout="scores") == expected, form
    run = cf.read_run(tmp_path / "some.run", layout="scores")
    assert run.to_dict() == {"1": {"a": 0.95, "b": 0.5}, "2": {"c": 0.001}}
    assert outcome(run) == expected
    (read,) = cf.read_runs(tmp_path / "some.run", layout="scores")
    assert read.to_dict() == run.to_dict()
    kind, _, message = outcome(tmp_path / "some.run", run_layout="scores", order="rank")
    assert (kind, 'order="rank" needs ranks' in message) == ("option", True)


def test_whole_scores_are_scores_if_named(tmp_path: Path) -> None:
    (tmp_path / "some.run").write_text("1 a 1\n1 b 2\n")
    ranks, scores = (
        outcome(tmp_path / "some.run"),
        outcome(tmp_path / "some.run", run_layout="scores"),
    )
    assert (ranks[0][0][0], scores[0][0][0]) == (1.0, 0.5)


@pytest.mark.parametrize("rank", ["-1", "0.5", "1.5", "-0.5"])
def test_what_is_never_a_rank(rank: str, tmp_path: Path) -> None:
    (tmp_path / "some.run").write_text(f"1 a 1\n1 b {rank}\n")
    kind, line, message = outcome(tmp_path / "some.run", run_layout="msmarco")
    assert (kind, line) == ("number", 2)
    assert message.startswith(f"expected a whole number from 0 as rank, found `{rank}`")


def test_named_ranks_may_begin_anywhere(tmp_path: Path) -> None:
    (tmp_path / "some.run").write_text("1 b 4.0\n1 a 3\n2 c 5\n")
    expected = outcome({"1": {"a": 2, "b": 1}, "2": {"c": 1}})
    assert outcome(tmp_path / "some.run", run_layout="msmarco") == expected


def test_a_named_layout_is_the_only_one(tmp_path: Path) -> None:
    (tmp_path / "three.run").write_text("1 a 1\n")
    (tmp_path / "six.run").write_text("1 Q0 a 1 2 t\n")
    for name, layout, expected in (
        ("three", "trec", "6 fields (topic Q0 document rank score tag), found 3 fields: `1 a 1`"),
        ("six", "msmarco", "3 fields (topic document rank), found 6 fields: `1 Q0 a 1 2 t`"),
        ("six", "scores", "3 fields (topic document score), found 6 fields: `1 Q0 a 1 2 t`"),
    ):
        kind, line, message = outcome(tmp_path / f"{name}.run", run_layout=layout)
        assert (kind, line) == ("fields", 1)
        assert message.startswith(f"expected {expected}")
    assert outcome(tmp_path / "six.run", run_layout="beir")[::2] == (
        "option",
        'expected one of "trec", "msmarco", "scores", "csv", "tsv", "json", "jsonl", "parquet", '
        '"arrow" as run_layout, found `beir`',
    )


def test_every_function_that_reads_runs_takes_the_layout(tmp_path: Path) -> None:
    path, other = tmp_path / "some.run", tmp_path / "other.run"
    path.write_text("1 a 0.95\n1 b 0.5\n2 c 0.1\n")
    other.write_text("1 b 0.95\n1 a 0.5\n2 c 0.1\n")
    named: dict[str, Any] = {"run_layout": "scores"}
    calls: list[Callable[..., Any]] = [
        lambda **o: cf.evaluate(QRELS, path, "AP", **o),
        lambda **o: cf.Evaluator(QRELS, "AP", **o).evaluate(path),
        lambda **o: cf.bounds(QRELS, path, "AP", **o),
        lambda **o: cf.describe(QRELS, path, **o),
        lambda **o: cf.compare(QRELS, [path, other], "AP", **o),
        lambda **o: cf.collection.rank(QRELS, path, **o),
        lambda **o: cf.collection.pool(path, **o),
        lambda **o: cf.curves.precision_recall(QRELS, path, **o),
        lambda **o: cf.preferences(QRELS, [path, other], **o),
    ]
    for place, call in enumerate(calls):
        with pytest.raises(cf.Error) as caught:
            call()
        assert caught.value.kind == "layout", place
        call(**named)
    evaluator = pickle.loads(pickle.dumps(cf.Evaluator(QRELS, "AP", run_layout="scores")))
    assert evaluator.evaluate(path).values.tolist() == [[[1.0], [1.0]]]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_large_file_in_parts(threads: int, tmp_path: Path) -> None:
    """A file that several threads read has the outcome that one thread has."""
    path = tmp_path / "large.run"
    document = "d" * 60
    topics, depth = 400, 400
    lines = [
        f"{topic} {document}{rank} {rank}\n"
        for topic in range(topics)
        for rank in range(1, depth + 1)
    ]
    qrels = {str(topic): {f"{document}5": 1} for topic in range(topics)}
    path.write_text("".join(lines))
    assert os.path.getsize(path) > 9 << 20
    assert set(cf.evaluate(qrels, path, "RR", threads=threads).values.ravel()) == {0.2}
    # The last line of the first topic comes after all others.
    moved = [*lines[: depth - 1], *lines[depth:], lines[depth - 1]]
    path.write_text("".join(moved))
    assert set(cf.evaluate(qrels, path, "RR", threads=threads).values.ravel()) == {0.2}
    path.write_text("".join(lines[1:]))
    with pytest.raises(cf.Error, match="found no 1 for topic `0`") as caught:
        cf.evaluate(qrels, path, "RR", threads=threads)
    assert (caught.value.kind, caught.value.line) == ("layout", 1)


COMMANDS = [
    ("eval", "qrels.txt", "some.run"),
    ("eval", "qrels.txt", "some.run", "--bounds", "-m", "AP"),
    ("compare", "qrels.txt", "some.run", "other.run", "--test", "sign"),
    ("describe", "qrels.txt", "some.run"),
    ("pool", "some.run"),
    ("convert", "some.run", "-"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_commands_take_the_flag(
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 c 1\n2 0 d 0\n")
    (tmp_path / "some.run").write_text("1 a 0.95\n1 b 0.5\n2 d 0.7\n2 c 0.1\n")
    (tmp_path / "other.run").write_text("1 b 0.95\n1 a 0.5\n2 c 0.7\n2 d 0.1\n")
    assert main(words) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "--run-layout scores for topic document score" in told.err
    assert "--run-layout msmarco for topic document rank" in told.err
    assert "run_layout" not in told.err
    assert main([*words, "--run-layout", "scores"]) == 0
    assert capsys.readouterr().out != ""
    assert main([*words, "--run-layout", "msmarco"]) == 2
    assert "found `0.95`; if it is a score, --run-layout scores" in capsys.readouterr().err


def test_convert_takes_one_layout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "some.run").write_text("1 a 2\n1 b 5\n")
    assert main(["convert", "some.run", "-", "--run-layout", "scores"]) == 0
    assert capsys.readouterr().out == "1 Q0 b 1 5 some\n1 Q0 a 2 2 some\n"
    for words in (["--kind", "qrels"], ["--layout", "beir"]):
        assert main(["convert", "some.run", "-", "--run-layout", "scores", *words]) == 2
        assert "--run-layout is for runs" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("1 a 0.95\n", "Malformed line 1"),
        ("1 a 1\n1 b 0\n", "Malformed line 1"),
        ("1 a 5\n1 b 3\n", "Malformed topic '1'"),
        ("1 a 3\n1 b 2\n1 c 1\n", "Malformed topic '1'"),
        ("1 a 1\n1 b 1\n", "Malformed topic '1'"),
        ("1 a 1\n2 c 2\n", "Malformed topic '2'"),
    ],
)
def test_trec_eval_takes_three_columns_only_beyond_doubt(
    text: str, what: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "some.run").write_text(text)
    assert main(["trec_eval", str(tmp_path / "qrels.txt"), str(tmp_path / "some.run")]) == 2
    told = capfd.readouterr()
    assert told.out == ""
    assert f"{what}\nThree columns are read as topic document rank if" in told.err
    assert "--run-layout scores" in told.err
    (tmp_path / "some.run").write_text("1 a 1\n2 c 1\n1 b 2\n")
    assert main(["trec_eval", str(tmp_path / "qrels.txt"), str(tmp_path / "some.run")]) == 0
    assert "map                   \tall\t1.0000" in capfd.readouterr().out
