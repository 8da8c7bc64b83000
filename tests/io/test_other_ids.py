"""Runs of which no document or not every topic is judged, and which change of ids would help.

What is said is compared with sentences about ids that stand next to them.
"""

from __future__ import annotations

import gzip
import io
import json
import pickle
from functools import partial
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest

from tests.io.test_matching import call, judgments, lines, warned

QRELS = {"1": {"12": 1, "13": 0}, "2": {"12": 1}}
RUN = {"1": {"0012": 2.0, "0013": 1.0}, "2": {"0012": 1.0}}
JUDGED = cf.Qrels(QRELS)
SAID = (
    "no document of the run is judged: the run has `0012` `0013`, the judgments have `12` `13`; "
    "without leading zeros, 2 of 2 would match"
)


def table(run: dict[str, dict[str, float]]) -> list[tuple[str, str, float]]:
    return [(topic, doc, score) for topic, docs in run.items() for doc, score in docs.items()]


def forms(folder: Path) -> dict[str, Any]:
    """The run in every form."""
    rows = table(RUN)
    files = {
        "trec": lines(RUN),
        "msmarco": "".join(
            f"{t}\t{d}\t{i}\n" for t, ds in RUN.items() for i, d in enumerate(ds, 1)
        ),
        "csv": "qid,docno,score\n" + "".join(f"{t},{d},{s}\n" for t, d, s in rows),
        "json": json.dumps(RUN),
        "jsonl": "".join(json.dumps({"qid": t, "docno": d, "score": s}) + "\n" for t, d, s in rows),
    }
    found: dict[str, Any] = {}
    for form, text in files.items():
        suffix = {"trec": "run", "msmarco": "run"}.get(form, form)
        found[form] = folder / f"{form}.{suffix}"
        found[form].write_text(text)
    found["packed"] = folder / "packed.run.gz"
    found["packed"].write_bytes(gzip.compress(files["trec"].encode()))
    return found | {
        "dict": RUN,
        "named": {"run": RUN},
        "two": {"a": RUN, "b": RUN},
        "Run": cf.Run(RUN),
        "read": cf.read_run(found["trec"]),
        "stream": io.BytesIO(files["trec"].encode()),
        "rankings": cf.Run.from_rankings({topic: list(docs) for topic, docs in RUN.items()}),
        "ranked": cf.collection.rank(JUDGED, RUN)[0],
    }


FORMS = [
    "trec",
    "msmarco",
    "csv",
    "json",
    "jsonl",
    "packed",
    "dict",
    "named",
    "two",
    "Run",
    "read",
    "stream",
    "rankings",
    "ranked",
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("measure", ["AP", "P@1", "num_ret"])
def test_every_form_of_a_run_says_so(form: str, measure: str, folder: Path) -> None:
    run = forms(folder)[form]
    (warning,) = warned(lambda: cf.evaluate(JUDGED, run, measure))
    name = {"two": "a and 1 other", "read": "trec"}.get(form, "run")
    name = form if isinstance(run, Path) else name
    assert str(warning.message) == f"{name}: {SAID}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text(judgments(QRELS))
    (tmp_path / "a.run").write_text(lines(RUN))
    return tmp_path


def test_whole_numbers_in_arrays_have_no_zeros() -> None:
    qrels = {"1": {"0012": 1}, "2": {"0013": 1}}
    topics, ids = np.array([1, 2]), np.array([[12, 13], [13, 12]])
    run = cf.Run.from_topk(topics, ids, np.array([[2.0, 1.0], [2.0, 1.0]]))
    (warning,) = warned(lambda: cf.evaluate(qrels, run, "AP"))
    assert str(warning.message) == (
        "run: no document of the run is judged: the run has `12` `13`, the judgments have `0012` "
        "`0013`; without leading zeros, 2 of 2 would match"
    )


@pytest.mark.parametrize(
    ("run", "judged", "said"),
    [
        # The change, and the ids that it is made of.
        ("0012 0013", "12 13", "without leading zeros, 2 of 2 would match"),
        ("12 14", "0012 0013", "without leading zeros, 1 of 2 would match"),
        ("10.0 11.0", "10 11", "without `.0` at the end, 2 of 2 would match"),
        ("FT-1 ft-2", "ft-1 FT-2", "regardless of case, 2 of 2 would match"),
        ("b'12' b'13'", "12 13", "without quotation marks, 2 of 2 would match"),
        ("12\u00a0 13\u00a0", "12 13", "without white space, 2 of 2 would match"),
        ("doc12 doc3", "12 3", "without the prefix `doc` of the run, 2 of 2 would match"),
        ("12 3", "D12 D3", "without the prefix `D` of the judgments, 2 of 2 would match"),
        ("a.txt b.txt", "a b", "without the suffix `.txt` of the run, 2 of 2 would match"),
        ("a b", "a_x b_x", "without the suffix `_x` of the judgments, 2 of 2 would match"),
        ("d1#3 d2#4", "d1 d2", "without what follows the last `#` in the run, 2 of 2 would match"),
        ("112 113", "12 13", ""),
        ("x y", "z w", ""),
    ],
)
def test_the_change_is_named(run: str, judged: str, said: str) -> None:
    qrels = {"1": dict.fromkeys(judged.split(" "), 1), "2": {}}
    scores = {"1": dict.fromkeys(run.split(" "), 1.0), "2": {}}
    (warning,) = warned(lambda: cf.evaluate(qrels, scores, "AP", undefined="zero"))
    assert str(warning.message).partition("; ")[2] == said
    # Of topics the same is said.
    with pytest.raises(cf.Error, match="no topic in common") as caught:
        cf.evaluate(
            {t: {"a": 1} for t in judged.split(" ")}, {t: {"a": 1.0} for t in run.split(" ")}
        )
    advice = "; give the judgments of"
    assert caught.value.message.partition("; ")[2].rpartition(advice)[0] == said


def test_documents_of_other_topics_are_said_to_be_so() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"b": 1.0}, "2": {"a": 1.0}}
    (warning,) = warned(lambda: cf.evaluate(qrels, run, "AP"))
    assert str(warning.message).endswith("; 2 of 2 are judged for other topics")


def test_some_topics_under_another_spelling() -> None:
    qrels, run = {t: {"a": 1} for t in ("01", "02", "3")}, {t: {"a": 1.0} for t in "123"}
    (warning,) = warned(lambda: cf.evaluate(qrels, run, "AP"))
    assert str(warning.message).endswith(
        "run: 2 topics have no judgments (ignored; without leading zeros, 2 of 2 would match): 1 2"
    )


def test_one_judged_document_is_enough_wherever_it_is() -> None:
    low = {f"x{i:04}": 1000.0 - i for i in range(999)} | {"12": 0.5}
    assert warned(lambda: cf.evaluate(QRELS, {"1": low, "2": {"x": 1.0}}, "P@1")) == []
    # One topic of many is taken as intended, and an empty list has no document.
    assert warned(lambda: cf.Evaluator(QRELS, "AP").evaluate({"1": {"x": 1.0}})) == []
    assert warned(lambda: cf.evaluate(QRELS, {"1": {}, "2": {}}, "AP")) == []


def test_large_files_say_the_same_for_any_number_of_threads(folder: Path) -> None:
    run = {str(t): {f"{d:08}": 1.0 / d for d in range(1, 4000)} for t in range(1, 80)}
    qrels = {topic: {"7": 1} for topic in run}
    (folder / "large.run").write_text(lines(run))
    assert (folder / "large.run").stat().st_size > 8 << 20
    said = set()
    for threads in (1, 2):
        score = partial(cf.evaluate, qrels, folder / "large.run", "AP", threads=threads)
        (warning,) = warned(score)
        said.add(str(warning.message))
    assert said == {
        "large: no document of the run is judged: the run has `00000001` `00000002` `00000003` "
        "..., the judgments have `7`; without leading zeros, 1 of 100 would match"
    }


def test_the_command_line_notes_it_and_check_refuses_it(folder: Path) -> None:
    done = call(folder, "eval", "qrels.txt", "a.run", "-m", "AP", "--format", "json")
    assert (done.returncode, done.stderr) == (0, f"cranfield: a: {SAID}\n")
    (folder / "scores.json").write_text(done.stdout)
    assert json.loads(done.stdout)["runs"][0]["notes"]["unmatched"] == SAID
    done = call(folder, "eval", "qrels.txt", "a.run", "-m", "AP", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    arguments = ["scores.json", "--baseline", "scores.json", "--max-drop", "AP=0.1"]
    done = call(folder, "check", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"cranfield: error: scores.json: a: {SAID}\n"


@pytest.mark.parametrize("command", ["compare", "describe", "diff", "eval --bounds", "report"])
def test_other_commands_note_it_once(command: str, folder: Path) -> None:
    (folder / "b.run").write_text(lines(RUN))
    name, *flags = command.split()
    more = {"diff": ["-m", "AP"], "report": ["-o", "x.html"]}.get(name, [])
    done = call(folder, name, "qrels.txt", "a.run", "b.run", *flags, *more)
    assert done.stderr.count("no document of the run is judged") == 1, done.stderr
    assert SAID in done.stderr


def test_many_runs_take_one_line() -> None:
    (warning,) = warned(lambda: cf.evaluate(QRELS, {f"r{i:02}": RUN for i in range(30)}, "AP"))
    assert str(warning.message) == f"r00 and 29 others: {SAID}"


def test_a_pickle_keeps_it() -> None:
    scores = cf.Evaluator(QRELS, "AP", missing="zero").evaluate(RUN)
    again = pickle.loads(pickle.dumps(scores))
    assert [note.unmatched for note in again.core.notes] == [SAID]


def test_hosts_are_not_told() -> None:
    from cranfield.compat import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, {"map"})
    assert warned(lambda: evaluator.evaluate(RUN)) == []
