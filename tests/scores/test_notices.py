"""Notes on ties, fractions of grades and columns of intents.

The bounds in sentences are those of `tie_bounds`, or worked out beside the lists.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import cranfield as cf
import numpy as np
import pytest

from tests.io.test_matching import call, judgments, lines, warned

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
JUDGED = cf.Qrels(QRELS)
# In topic 1 all three are tied: AP is 1, 1/2 or 1/3. In topic 2 none is.
TIED = {"1": {"a": 1.0, "b": 1.0, "c": 1.0}, "2": {"a": 2.0, "b": 1.0}}
# By descending id a is the third: (1/3 + 1) / 2 = 2/3. Three of five documents are tied.
SAID = (
    "60% of the documents are in ties that include judged documents: AP is 0.6667, and between "
    "0.6667 and 1.0000 depending on tie order"
)


def forms(folder: Path) -> dict[str, Any]:
    (folder / "path.run").write_text(lines(TIED))
    rows = [(t, d, s) for t, docs in TIED.items() for d, s in docs.items()]
    (folder / "table.csv").write_text(
        "qid,docno,score\n" + "".join(f"{t},{d},{s}\n" for t, d, s in rows)
    )
    scores = np.array([[1.0, 1.0, 1.0], [2.0, 1.0, 0.0]])
    return {
        "dict": TIED,
        "named": {"run": TIED},
        "Run": cf.Run(TIED),
        "path": folder / "path.run",
        "csv": folder / "table.csv",
        "stream": io.BytesIO(lines(TIED).encode()),
        "ranked": cf.collection.rank(JUDGED, TIED)[0],
        "two": {"a": TIED, "b": {"1": {"a": 1.0}, "2": {"a": 1.0}}},
        "arrays": cf.Run.from_topk(
            np.array(["1", "2"]), np.array([["a", "b", "c"], ["a", "b", "x"]]), scores
        ),
    }


@pytest.mark.parametrize(
    "form", ["dict", "named", "Run", "path", "csv", "stream", "ranked", "two", "arrays"]
)
def test_many_ties_are_noted_with_bounds(form: str, tmp_path: Path) -> None:
    run = forms(tmp_path)[form]
    (warning,) = warned(lambda: cf.evaluate(JUDGED, run, "AP"))
    # The array has one document more.
    said = SAID.replace("60%", "50%") if form == "arrays" else SAID
    assert str(warning.message).partition(": ")[2] == said


def test_the_measure_is_the_first_with_exact_bounds() -> None:
    (warning,) = warned(lambda: cf.evaluate(QRELS, TIED, "num_ret RR AP"))
    # As AP: there is one relevant document.
    assert str(warning.message) == f"run: {SAID.replace('AP', 'RR')}"
    (warning,) = warned(lambda: cf.evaluate(QRELS, TIED, "AP", depth=2))
    assert str(warning.message) == (
        "run: 60% of the documents are in ties that include judged documents, so scores depend on "
        "tie order"
    )


def test_what_is_no_matter_of_order_is_not_noted() -> None:
    # Ties without a judged document, of one kind, below a tenth, or of a measure of sets.
    apart = {"1": {"a": 3.0, "x": 1.0, "y": 1.0}, "2": {"a": 2.0}}
    assert warned(lambda: cf.evaluate(QRELS, apart, "AP")) == []
    same = {"1": {"a": 1.0, "b": 1.0}, "2": {"a": 1.0, "b": 1.0}}
    both = {"1": {"a": 1, "b": 1}, "2": {"a": 1, "b": 1}}
    assert warned(lambda: cf.evaluate(both, same, "AP")) == []
    few = {t: {"a": 50.0, "x": 50.0} | {f"d{i}": float(i) for i in range(30)} for t in "12"}
    assert warned(lambda: cf.evaluate(QRELS, few, "AP")) == []
    assert warned(lambda: cf.evaluate(QRELS, TIED, "P@3")) == []


def test_it_can_be_silenced() -> None:
    for options in ({"ties": "average"}, {"order": "input"}):
        assert warned(lambda o=options: cf.evaluate(QRELS, TIED, "AP", **o)) == []  # type: ignore[misc]
    assert warned(lambda: cf.Evaluator(QRELS, "AP").evaluate({"1": TIED["1"]})) == []
    from cranfield.compat import pytrec_eval

    assert warned(lambda: pytrec_eval.RelevanceEvaluator(QRELS, {"map"}).evaluate(TIED)) == []


def test_the_run_with_most_ties_stands_for_all() -> None:
    some = {"1": {"a": 1.0, "c": 1.0}, "2": {"a": 2.0, "b": 1.0, "c": 0.5}}
    (warning,) = warned(lambda: cf.evaluate(QRELS, {"x": some, "y": TIED, "z": some}, "AP"))
    assert str(warning.message) == f"y: {SAID}; the same holds for 2 other runs"


def test_the_command_line_notes_ties(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text(judgments(QRELS))
    (tmp_path / "a.run").write_text(lines(TIED))
    done = call(tmp_path, "eval", "qrels.txt", "a.run", "-m", "AP")
    assert (done.returncode, done.stderr) == (0, f"cranfield: a: {SAID}\n")
    for flags in (["--quiet"], ["--ties", "bounds"], ["--ties", "average"]):
        assert call(tmp_path, "eval", "qrels.txt", "a.run", "-m", "AP", *flags).stderr == ""


@pytest.mark.skipif("CRANFIELD_DATA" not in os.environ, reason="needs the runs of TREC-8")
def test_a_run_of_trec_8_with_many_ties() -> None:
    folder = Path(os.environ["CRANFIELD_DATA"]) / "trec8-adhoc"
    qrels, path = folder / "trec8.qrels.gz", folder / "runs" / "input.UB99SW.gz"
    (warning,) = warned(lambda: cf.evaluate(qrels, path, "AP"))
    bounds = cf.tie_bounds(qrels, path, "AP")
    low, high = (part.mean().item() for part in (bounds.low, bounds.high))
    # The published value, and the bounds that the other call has.
    assert f"AP is 0.0550, and between {low:.4f} and {high:.4f}" in str(warning.message)
    assert (round(low, 4), round(high, 4)) == (0.0454, 0.0650)


# grades


FRACTIONS = {"1": {"a": 1.0, "b": 0.9, "c": 0.25}, "2": {"a": 2.0}}
BELOW = "the judgments: grades below rel=1 count as nonrelevant: 0.25 0.9"


def test_fractions_below_the_default_level_are_noted() -> None:
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 1.0}}
    for measures in ("AP", "nDCG P@5", "bpref"):
        (warning,) = warned(lambda m=measures: cf.evaluate(FRACTIONS, run, m))  # type: ignore[misc]
        assert str(warning.message) == BELOW
    for measures in ("nDCG", "AP(rel=1) nDCG", "AP(rel=0.5)", "ERR(max_rel=2)", "num_ret"):
        assert warned(lambda m=measures: cf.evaluate(FRACTIONS, run, m)) == []  # type: ignore[misc]
    whole = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 1}}
    assert warned(lambda: cf.evaluate(whole, run, "AP")) == []
    assert warned(lambda: cf.evaluate({"1": {"a": 1, "b": 1.5}, "2": {"a": 1}}, run, "AP")) == []
    assert warned(lambda: cf.evaluate({"1": {"a": 1, "b": -0.5}, "2": {"a": 1}}, run, "AP")) == []


def test_the_command_line_notes_fractions(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text(judgments(FRACTIONS))
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 1.0}}
    for name in ("a", "b"):
        (tmp_path / f"{name}.run").write_text(lines(run))
    for command in ("eval", "compare"):
        done = call(tmp_path, command, "qrels.txt", "a.run", "b.run")
        said = BELOW.replace("the judgments", "qrels.txt")
        assert f"cranfield: {said}\n" in done.stderr, command
    done = call(tmp_path, "eval", "qrels.txt", "a.run", "-m", "AP", "--quiet")
    assert done.stderr == ""


# intents


INTENTS = "1 1 a 1\n1 1 b 0\n1 2 c 1\n2 1 a 1\n"
COLUMN = (
    "the second column has `1` and `2` in topic `1`: if these are intents, name the layout "
    "`intents`"
)


def test_judgments_by_intent_that_are_read_as_others(tmp_path: Path) -> None:
    path, run = tmp_path / "qrels.txt", {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}
    path.write_text(INTENTS)
    (tmp_path / "a.run").write_text(lines(run))
    (warning,) = warned(lambda: cf.evaluate(path, run, "AP"))
    assert str(warning.message) == f"the judgments: {COLUMN}"
    (warning,) = warned(
        lambda: cf.evaluate(cf.Qrels.read(io.BytesIO(path.read_bytes())), run, "AP")
    )
    assert str(warning.message) == f"the judgments: {COLUMN}"
    for layout in ("trec", "intents"):
        qrels = cf.Qrels.read(str(path), layout=layout)
        assert warned(lambda q=qrels: cf.evaluate(q, run, "AP")) == []  # type: ignore[misc]
    for command in ("eval", "describe"):
        done = call(tmp_path, command, "qrels.txt", "a.run")
        assert f"cranfield: qrels.txt: {COLUMN}\n" in done.stderr
    # One document under two intents is an error that says the same.
    path.write_text(INTENTS + "2 2 a 1\n")
    with pytest.raises(cf.Error) as caught:
        cf.Qrels.read(str(path))
    assert caught.value.kind == "duplicate"
    assert caught.value.message.endswith(f"line 4; {COLUMN}")


@pytest.mark.parametrize(
    "text",
    ["1 0 a 1\n1 0 b 0\n2 1 a 1\n", "1 Q0 a 1\n1 Q1 b 0\n2 0 a 1\n", "1 0 a 1\n2 1 b 1\n2 1 a 1\n"],
)
def test_other_second_columns_are_silent(text: str, tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text(text)
    assert warned(lambda: cf.evaluate(path, {"1": {"a": 2.0}, "2": {"a": 1.0}}, "AP")) == []
