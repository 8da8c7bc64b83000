"""``read_scores``: the files of other tools, and those that cranfield wrote."""

import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import cranfield as cf
import numpy as np
import pyarrow.parquet as pq
import pytest
from cranfield._cli import main

from tests.scores.small import QRELS, RUNS, equal

Write: TypeAlias = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str, name: str = "scores.txt") -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


TREC_EVAL = (
    "runid                 \tall\tbm25\n"
    "map                   \t1\t0.5000\n"
    "map                   \t2\t0.2500\n"
    "num_q                 \tall\t2\n"
    "map                   \tall\t0.9999\n"
    "relstring             \t1\t'10'\n"
)

FILES = [
    pytest.param(TREC_EVAL, "bm25", id="trec_eval"),
    pytest.param(TREC_EVAL.partition("\n")[2], "scores", id="trec_eval without runid"),
    pytest.param("bm25 1 map .5\nbm25 2 map .25\nbm25 all map .9\n", "bm25", id="ir_measures"),
    pytest.param("bm25 map 1 .5\nbm25 map 2 .25\nbm25 map all .9\n", "bm25", id="tot"),
    pytest.param("bm25\t1\tmap\t.5\nbm25\t2\tmap\t.25\n", "bm25", id="without all"),
    pytest.param("run\t1\tmap\t.5\nrun\t2\tmap\t.25\n", "run", id="a run called run"),
    pytest.param("1\tmap\t.5\n2\tmap\t.25\nall\tmap\t.9\n", "scores", id="ir_measures -q"),
    pytest.param("1 Q0 bm25 1 .5 map\n2 Q0 bm25 1 .25 map\n", "bm25", id="ranking"),
    pytest.param("run,topic,map\nbm25,1,.5\nbm25,2,.25\nbm25,all,.9\n", "bm25", id="csv"),
    pytest.param(
        "run_id\trequest_id\tmetric\tvalue\nbm25\t1\tmap\t.5\nbm25\t2\tmap\t.25\n", "bm25", id="tsv"
    ),
    pytest.param(
        "".join(
            json.dumps({"run_id": "bm25", "topic_id": t, "measure": "map", "value": v}) + "\n"
            for t, v in (("1", 0.5), (2, 0.25), ("all", 0.9))
        ),
        "bm25",
        id="jsonl",
    ),
    pytest.param(
        '{"query_id": "1", "measure": "map", "value": 0.5}\n'
        '{"query_id": "2", "measure": "map", "value": 0.25}\n',
        "scores",
        id="ir_measures -o jsonl",
    ),
    pytest.param('{"1": {"map": 0.5}, "2": {"map": 0.25}}', "scores", id="pytrec_eval"),
    pytest.param(",run,topic,map\n0,bm25,1,.5\n1,bm25,2,.25\n", "bm25", id="csv of pandas"),
    pytest.param(
        "Unnamed: 0,run,topic,map\n0,bm25,1,.5\n1,bm25,2,.25\n", "bm25", id="csv written twice"
    ),
    pytest.param('{"bm25": {"1": {"map": 0.5}, "2": {"map": 0.25}}}', "bm25", id="to_dict"),
    pytest.param(
        '{"qid": "1", "map": 0.5}\n{"qid": "2", "map": 0.25}\n{"qid": "all", "map": 1}',
        "scores",
        id="a line a topic",
    ),
]


@pytest.mark.parametrize(("text", "run"), FILES)
def test_files_of_other_tools(write: Write, text: str, run: str) -> None:
    scores = cf.read_scores(write(text))
    assert scores.runs == (run,)
    assert scores.topics == ("1", "2")
    assert scores.measures == ("map",)
    assert scores[run, "map"].tolist() == [0.5, 0.25]
    assert scores.mean()[0, 0] == 0.375
    assert scores.fingerprint is None


def test_ranx(write: Write) -> None:
    path = write('{"map": {"1": 0.5, "2": 0.25}}', "bm25.json")
    assert cf.read_scores(path, format="ranx")["bm25", "map"].tolist() == [0.5, 0.25]


NAMED = {
    "pytrec_eval": '{"1": {"map": 0.5}, "2": {"map": 0.25}}',
    "ranx": '{"map": {"1": 0.5, "2": 0.25}}',
    "nuggetizer": '{"qid": "1", "map": 0.5}\n{"qid": "2", "map": 0.25}\n{"qid": "all", "map": 0.4}',
    "argue": "run_id\trequest_id\tmetric\tvalue\n"
    "bm25\t1\tmap\t.5\nbm25\t2\tmap\t.25\nbm25\tall\tmap_micro\t.4\n",
}


@pytest.mark.parametrize("form", NAMED)
def test_formats_by_the_names_of_their_programs(write: Write, form: str) -> None:
    path = write(NAMED[form], "bm25.json")
    found = cf.read_scores(path, format=form)
    assert (found.runs, found.measures) == (("bm25",), ("map",))
    assert found["bm25", "map"].tolist() == [0.5, 0.25]
    # Content is not guessed at where a format is named.
    for other in NAMED.keys() - {form}:
        if {form, other} != {"pytrec_eval", "ranx"}:
            with pytest.raises(cf.Error, match=r"expected|broken JSON") as caught:
                cf.read_scores(path, format=other)
            assert caught.value.kind in ("type", "fields")


def test_topics_that_look_like_measures_are_what_the_format_says(write: Write) -> None:
    path = write('{"map": {"1": 0.5}, "ndcg": {"1": 0.25}}')
    assert cf.read_scores(path).measures == ("map", "ndcg")
    assert cf.read_scores(path, format="pytrec_eval").topics == ("map", "ndcg")


def test_numbers_as_topics_tell_ranx_from_pytrec_eval(write: Write) -> None:
    ranx = cf.read_scores(write('{"mine": {"1": 0.5}, "map": {"1": 0.3}}'))
    assert (ranx.topics, ranx.measures) == (("1",), ("mine", "map"))
    pytrec_eval = cf.read_scores(write('{"1": {"mine": 0.5}, "2": {"mine": 0.3}}'))
    assert (pytrec_eval.topics, pytrec_eval.measures) == (("1", "2"), ("mine",))


def test_several_outputs_of_trec_eval_in_one_file(write: Write) -> None:
    output = "map\t1\t{0}\nmap\t2\t{0}\nrunid\tall\t{1}\nmap\tall\t{0}\n"
    path = write(output.format(0.5, "bm25") + output.format(0.25, "dense"))
    found = cf.read_scores(path)
    assert found.runs == ("bm25", "dense")
    assert found.values[:, :, 0].tolist() == [[0.5, 0.5], [0.25, 0.25]]
    with pytest.raises(cf.Error, match="run= is for files that name no run"):
        cf.read_scores(path, run="x")
    # Topics without summaries could be those of either run.
    with pytest.raises(cf.Error, match=r":9: expected the summaries of a run") as caught:
        cf.read_scores(write(Path(path).read_text() + "map\t3\t.5\n"))
    assert caught.value.kind == "fields"


def test_several_files_are_several_runs(write: Write, tmp_path: Path) -> None:
    first = write("map\t1\t.5\nmap\tall\t.5\n", "a.eval")
    second = write("map\t1\t.7\nmap\tall\t.7\n", "b.eval")
    for path in ([first, second], str(tmp_path), str(tmp_path / "*.eval")):
        assert cf.read_scores(path).runs == ("a", "b")
    with pytest.raises(
        cf.Error, match=r"b\.eval:1: run 'x', topic '1', measure 'map' is there twice"
    ):
        cf.read_scores([first, second], run="x")


def test_the_output_of_trec_eval_pytrec_eval_and_ir_measures(tmp_path: Path) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    pytest.importorskip("ir_measures")
    qrels, run = tmp_path / "qrels", tmp_path / "new.run"
    qrels.write_text(
        "".join(f"{t} 0 {d} {g}\n" for t, docs in QRELS.items() for d, g in docs.items())
    )
    run.write_text(
        "".join(f"{t} Q0 {d} 1 {s} x\n" for t, docs in RUNS["new"].items() for d, s in docs.items())
    )
    expected = cf.evaluate(QRELS, {"new": RUNS["new"]}, "AP nDCG")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "cranfield",
            "trec_eval",
            "-q",
            "-m",
            "map",
            "-m",
            "ndcg",
            qrels,
            run,
        ],
        capture_output=True,
        check=True,
    )
    (tmp_path / "new.txt").write_bytes(done.stdout)
    scores = cf.read_scores(tmp_path / "new.txt")
    assert scores.measures == ("map", "ndcg")
    assert np.abs(scores.values - expected.values).max() <= 5e-5
    done = subprocess.run(
        [sys.executable, "-m", "ir_measures", qrels, run, "AP", "nDCG", "-q", "-p", "-1"],
        capture_output=True,
        check=True,
    )
    (tmp_path / "new.tsv").write_bytes(done.stdout)
    scores = cf.read_scores(tmp_path / "new.tsv")
    assert scores.runs == ("new",)
    assert np.abs(scores.sel(measure=["AP", "nDCG"]).values - expected.values).max() <= 1e-12
    judged = {t: {d: int(g) for d, g in docs.items()} for t, docs in QRELS.items()}
    lists = {t: {d: float(s) for d, s in docs.items()} for t, docs in RUNS["new"].items()}
    found = pytrec_eval.RelevanceEvaluator(judged, {"map", "ndcg"}).evaluate(lists)
    (tmp_path / "new.json").write_text(json.dumps(found))
    scores = cf.read_scores(tmp_path / "new.json")
    assert np.abs(scores.sel(measure=["AP", "nDCG"]).values - expected.values).max() <= 1e-12


@pytest.mark.parametrize("form", ["json", "jsonl", "csv", "tsv", "parquet"])
@pytest.mark.parametrize("more", [[], ["--bounds"]], ids=["values", "bounds"])
def test_files_that_cranfield_wrote(tmp_path: Path, form: str, more: list[str]) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    for name in ("x", "y"):
        (tmp_path / f"{name}.run").write_text("1 Q0 a 1 2 t\n1 Q0 c 2 1 t\n2 Q0 b 1 1 t\n")
    out = tmp_path / f"out.{form}"
    subprocess.run(
        [
            *(sys.executable, "-m", "cranfield", "eval"),
            *(str(tmp_path / name) for name in ("q", "x.run", "y.run")),
            *("-m", "AP P@5", "--per-topic", "-o", str(out), "--quiet", *more),
        ],
        check=True,
    )
    expected = cf.evaluate(tmp_path / "q", [tmp_path / "x.run", tmp_path / "y.run"], "AP P@5")
    scores = cf.read_scores(out)
    assert scores.runs == ("x", "y")
    assert scores.core.measures == expected.core.measures
    assert equal(scores.values, expected.values)
    if form in ("json", "parquet"):
        assert scores.fingerprint == expected.fingerprint


def test_parquet_of_to_arrow(tmp_path: Path) -> None:
    scores = cf.evaluate(QRELS, RUNS, "AP RBP_residual", undefined="skip")
    for wide in (False, True):
        pq.write_table(scores.to_arrow(wide=wide), tmp_path / "s.parquet")
        again = cf.read_scores(tmp_path / "s.parquet")
        assert again.fingerprint == scores.fingerprint
        assert equal(again.values, scores.values)
        assert again.better == scores.better


BAD_FILES = [
    ("", "empty", "found an empty file"),
    ("map\tall\t.5\n", "empty", "only summaries"),
    ("map .5\nndcg .4\n", "empty", "a summary only"),
    ("x 1 .5\ny 2 .5\n", None, None),
    ("one two three\n", "option", 'format="trec_eval" or format="ir_measures_cli"'),
    ("a b c d e\n", "fields", "expected lines of 3, 4 or 6 fields, found 5"),
    (
        "r 1 map .5\nr 2 map\n",
        "fields",
        r":2: expected 4 fields .run topic measure value., found 3",
    ),
    (
        "r 1 map .5\nr 1 map .5\n",
        "duplicate",
        r":2: run 'r', topic '1', measure 'map' is there twice",
    ),
    (
        "r 1 map .5\nr 2 map x\n",
        "number",
        r":2: expected a number for run 'r', topic '2', map, found 'x'",
    ),
    ("run,AP\nr,.5\n", "fields", "expected columns run, topic, measure and value"),
    ("run,topic,AP\nr,1\n", "fields", ":2: expected 3 fields, found 2"),
    ('{"runs": [{"run": "r", "summary": {"AP": 1}}]}', "empty", "--per-topic"),
    ('{"a": 1}', "type", "expected scores"),
    ('{"a": ', "type", "broken JSON"),
    ("[1, 2]", "type", "expected scores"),
    ('{"run": "r", "topic": "1", "measure": "m", "value": "x"}', "number", "found 'x'"),
]


@pytest.mark.parametrize(("text", "kind", "message"), BAD_FILES)
def test_bad_files(write: Write, text: str, kind: str | None, message: str) -> None:
    if kind is None:
        assert cf.read_scores(write(text)).topics == ("1", "2")
        return
    with pytest.raises(cf.Error, match=message) as caught:
        cf.read_scores(write(text))
    assert caught.value.kind == kind
    assert caught.value.file


def test_other_errors_of_reading(write: Write, tmp_path: Path) -> None:
    with pytest.raises(cf.Error, match="there is no such file"):
        cf.read_scores(tmp_path / "none")
    with pytest.raises(cf.Error, match="as format, found 'xml'"):
        cf.read_scores(write("r 1 map .5\n"), format="xml")
    with pytest.raises(cf.Error, match="run= is for files that name no run"):
        cf.read_scores(write("r 1 map .5\nr all map .5"), run="x")
    with pytest.raises(cf.Error, match="found a int"):
        cf.read_scores(3)  # type: ignore[arg-type]


def test_compressed_files_are_read(tmp_path: Path) -> None:
    import gzip

    (tmp_path / "s.txt.gz").write_bytes(gzip.compress(b"r 1 map .5\nr all map .5\n"))
    assert cf.read_scores(tmp_path / "s.txt.gz").runs == ("r",)


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "jsonl", "parquet"])
def test_scores_by_groups_of_topics_are_read_once(tmp_path: Path, form: str) -> None:
    judged = tmp_path / "q.txt"
    judged.write_text("1 0 a 1\n2 0 a 1\n3 0 a 1\n")
    run = tmp_path / "r.run"
    run.write_text("1 Q0 a 1 2 r\n2 Q0 b 1 2 r\n2 Q0 a 2 1 r\n3 Q0 a 1 1 r\n")
    groups = tmp_path / "groups.tsv"
    groups.write_text("1\tone\n2\tone\n2\ttwo\n")
    path = tmp_path / f"scores.{form}"
    words = ["eval", str(judged), str(run), "-m", "AP RR", "--per-topic"]
    assert main([*words, "--topic-groups", str(groups), "-o", str(path)]) == 0
    found = cf.read_scores(path)
    assert (found.topics, found.measures) == (("1", "2", "3"), ("AP", "RR"))
    assert found["r", "AP"].tolist() == [1.0, 0.5, 1.0]
    assert main([*words[:-1], "-o", str(path)]) == 0
    with pytest.raises(cf.Error, match=r"cranfield eval --per-topic|only summaries"):
        cf.read_scores(path)


def test_measures_before_topics_are_told_by_their_names(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"ndcg@10": {"q1": 0.5, "q2": 0.7}, "map": {"q1": 0.25, "q2": 0.5}}')
    found = cf.read_scores(path)
    assert (found.topics, found.measures) == (("q1", "q2"), ("ndcg@10", "map"))


def test_texts_are_left_out_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("r 1 AP .5\nr 2 AP .7\nr all AP .6\nr 1 color red\nr 2 color blue\n")
    with pytest.warns(cf.CranfieldWarning, match="left out, no value is a number: color$"):
        found = cf.read_scores(path)
    assert found.measures == ("AP",)
    # What trec_eval prints is known to be text.
    path.write_text("runid all bm25\nmap 1 .5\nmap all .5\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cf.read_scores(path).runs == ("bm25",)


ODD = {"a\nb": {"d": 1}, "all": {"d": 1, "e": 0}, "x\u2028y": {"d": 1}, "v\vw\x85": {"d": 1}}
"""Topics that hold line breaks of any kind, and one that is called as summaries are."""


@pytest.mark.parametrize("form", ["json", "jsonl", "csv", "tsv", "parquet"])
def test_labels_with_line_breaks_and_a_topic_called_all(tmp_path: Path, form: str) -> None:
    lists = {topic: {"e": 2.0, "d": 1.0} for topic in ODD}
    (tmp_path / "q.json").write_text(json.dumps(ODD))
    (tmp_path / "runs.json").write_text(json.dumps({"one\ntwo": lists, "u\vv": lists}))
    out = tmp_path / f"out.{form}"
    subprocess.run(
        [
            *(sys.executable, "-m", "cranfield", "eval"),
            *(str(tmp_path / "q.json"), str(tmp_path / "runs.json"), "-m", "AP P@2"),
            *("--per-topic", "--quiet", "-o", str(out)),
        ],
        check=True,
    )
    found = cf.read_scores(out)
    expected = cf.evaluate(ODD, {"one\ntwo": lists, "u\vv": lists}, "AP P@2")
    assert (found.runs, found.topics) == (expected.runs, expected.topics)
    assert equal(found.values, expected.values)


def test_outputs_of_trec_eval_with_a_topic_called_all(tmp_path: Path) -> None:
    """The first `all` is the topic's; without two of them it is the summary."""
    rows = "map\tall\t0.5\nmap\tz\t1.0\nrunid\tall\tx\nmap\tall\t0.75\n"
    (tmp_path / "one.eval").write_text(rows)
    found = cf.read_scores(tmp_path / "one.eval")
    assert (found.topics, found.values.tolist()) == (("all", "z"), [[[0.5], [1.0]]])
    # Shards of one run, each with its summary.
    shards = "map\ta\t0.5\nrunid\tall\tx\nmap\tall\t0.5\nmap\tz\t1\nrunid\tall\tx\nmap\tall\t1\n"
    (tmp_path / "two.eval").write_text(shards)
    assert cf.read_scores(tmp_path / "two.eval").topics == ("a", "z")
