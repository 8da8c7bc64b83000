"""Names of measures as people write them: short ones, lists, objects of ir_measures, long ones."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cranfield as cf
import ir_measures
import pytest

QRELS = {"1": {"a": 2, "b": 0, "c": 1, "d": 1}, "2": {"a": 1, "e": 0}}
RUN = {"1": {"b": 4.0, "a": 3.0, "x": 2.0, "c": 1.0}, "2": {"a": 1.0}}


def names(measures: object) -> list[str]:
    return list(map(str, cf.Evaluator(QRELS, measures).measures))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("F", ["SetF"]),
        ("F@5", ["SetF@5"]),
        ("F(beta=2)", ["SetF(beta=2)"]),
        ("AveP", ["AP"]),
        ("AP,nDCG@10", ["AP", "nDCG@10"]),
        ("P@5,AP", ["P@5", "AP"]),
        ("AP , RR", ["AP", "RR"]),
        ("AP,RR,", ["AP", "RR"]),
        ("P.5,10", ["P@5", "P@10"]),
        ("P@5,10", ["P@5", "P@10"]),
        ("P_5,10,AP", ["P@5", "P@10", "AP"]),
        (
            "nDCG(gain={1:1,2:3})@5,10 RBP(p=0.5)",
            ["nDCG(gain={1:1,2:3})@5", "nDCG(gain={1:1,2:3})@10", "RBP(p=0.5)"],
        ),
        ("utility_1,-1,0,0,RR", ["Utility", "RR"]),
        ("NCUgu,BR,AP", ["NCU", "AP"]),
    ],
)
def test_what_is_read(text: str, expected: list[str]) -> None:
    assert names(text) == names([text]) == expected


@pytest.mark.parametrize("text", ["11pt", "AP,11pt", "11PT", "11pt@5"])
def test_the_mean_over_eleven_points_has_a_name(text: str) -> None:
    with pytest.raises(cf.Error, match="the exact measure is IAP") as caught:
        names(text)
    assert caught.value.kind == "measure"


def test_one_measure_is_not_several() -> None:
    for text in ("AP,RR", "P@5,10", "P.5,10"):
        with pytest.raises(cf.Error, match="expected one measure, found 2 in"):
            cf.Measure(text)
        scores = cf.evaluate(QRELS, RUN, "AP")
        with pytest.raises(cf.LabelError, match="no measure"):
            scores["run", text]


def test_the_command_line_takes_commas(tmp_path: Path) -> None:
    cf.Qrels(QRELS).write(str(tmp_path / "qrels"))
    cf.Run(RUN).write(str(tmp_path / "run"))
    words = [sys.executable, "-m", "cranfield", "eval", "qrels", "run", "--format", "csv"]
    done = subprocess.run(
        [*words, "-m", "AP,nDCG@10", "-m", "P@1,2,RR", "--sort", "RR"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[0] == "run,AP,nDCG@10,P@1,P@2,RR"


# measures of ir_measures

THEIRS = [
    ir_measures.AP,
    ir_measures.AP(rel=2) @ 100,
    ir_measures.nDCG @ 10,
    ir_measures.nDCG(dcg="exp-log2") @ 5,
    ir_measures.nDCG(gains={0: 0, 1: 3}) @ 5,
    ir_measures.P(rel=2, judged_only=True) @ 5,
    ir_measures.RR,
    ir_measures.Rprec,
    ir_measures.Bpref,
    ir_measures.SetF,
    ir_measures.IPrec @ 0.1,
    ir_measures.Judged @ 10,
    ir_measures.RBP(p=0.5, rel=1),
    ir_measures.NumRet,
    ir_measures.NumRet(rel=1),
    ir_measures.NumRel,
]


def test_measures_of_ir_measures_are_their_texts() -> None:
    for measure in THEIRS:
        text = str(cf.Measure(str(measure)))
        assert str(cf.Measure(measure)) == text
        assert names(measure) == names([measure]) == [text]
    found = cf.evaluate(QRELS, RUN, THEIRS)
    same = cf.evaluate(QRELS, RUN, list(map(str, THEIRS)))
    assert found.measures == same.measures
    assert found.values.tobytes() == same.values.tobytes()
    assert "num_rel_ret" in found.measures


def test_measures_of_ir_measures_find_their_columns() -> None:
    scores = cf.evaluate(QRELS, RUN, THEIRS)
    for measure in THEIRS:
        column = scores["run", measure]
        assert column.tolist() == scores["run", str(measure)].tolist()
        assert scores.sel(measure=measure).measures == (str(cf.Measure(str(measure))),)
    assert len(scores.sel(measure=THEIRS[:3]).measures) == 3
    with pytest.raises(cf.LabelError, match=r"no measure .P@7"):
        scores["run", ir_measures.P @ 7]
    bounds = cf.bounds(QRELS, RUN, [ir_measures.AP])
    assert bounds["run", ir_measures.AP].shape == (2, 2)


def test_values_agree() -> None:
    measures = [ir_measures.AP, ir_measures.nDCG @ 10, ir_measures.P(rel=2) @ 5, ir_measures.RR]
    theirs = ir_measures.calc_aggregate(measures, QRELS, RUN)
    ours = cf.evaluate(QRELS, RUN, measures)
    for measure in measures:
        assert ours["run", measure].mean() == pytest.approx(theirs[measure], rel=1e-12)


def test_what_is_refused() -> None:
    with pytest.raises(cf.Error, match=r"len\(scores\.topics\)"):
        cf.evaluate(QRELS, RUN, ir_measures.NumQ)
    for item in (5, b"AP", object(), [5], [None]):
        with pytest.raises(cf.Error, match="expected measures as text or values, found ") as found:
            names(item)
        assert found.value.kind == "type"

    class Measure:
        """Another one of that name."""

    with pytest.raises(cf.Error, match="found Measure"):
        cf.Measure(Measure())  # type: ignore[arg-type]


# long names

LONG = "nDCG" * 25_000


@pytest.mark.parametrize(
    "text",
    [
        LONG,
        f"{LONG}@10",
        f"AP({LONG}=1)",
        f"D-{LONG}",
        f'nDCG(dcg="{LONG}")',
        f"AP@5{LONG}",
        f"AP{LONG},5",
    ],
)
def test_a_name_of_100_000_letters_is_refused(text: str) -> None:
    for call in (cf.Measure, names):
        with pytest.raises(cf.Error) as caught:
            call(text)
        assert len(str(caught.value)) < 500


def test_long_labels_and_options_are_refused(tmp_path: Path) -> None:
    from cranfield.compat import pytrec_eval

    many = {f"{i}{LONG}": RUN for i in range(20)}
    scores = cf.evaluate(QRELS, many, "AP")

    def wrong(option: str) -> dict[str, Any]:
        return {option: LONG}

    calls: list[Callable[[], object]] = [
        lambda: scores[LONG, "AP"],
        lambda: scores["x", "AP"],
        lambda: scores.sel(topic=LONG),
        lambda: scores[f"0{LONG}", LONG],
        lambda: cf.evaluate(QRELS, RUN, "AP", **wrong("order")),
        lambda: cf.evaluate(QRELS, RUN, "AP", **wrong("undefined")),
        lambda: cf.read_qrels(tmp_path / "x", layout=LONG),
        lambda: cf.AP(**{LONG: 1}),
        lambda: cf.nDCG(dcg=LONG),
        lambda: cf.AP.over(LONG),
        lambda: pytrec_eval.RelevanceEvaluator({"1": {"a": 1}}, {LONG}),
    ]
    for number, call in enumerate(calls):
        with pytest.raises((cf.Error, ValueError, AttributeError)) as caught:
            call()
        assert len(str(caught.value)) < 1000, number


@pytest.mark.parametrize(
    "words",
    [
        ["eval", "qrels", "run", "-m", LONG],
        ["eval", "qrels", "run", "--sort", LONG],
        ["eval", "qrels", "run", "--missing", LONG],
        ["eval", "qrels", "run", f"--{LONG}"],
        ["eval", "qrels", "run", "--levels", LONG],
        ["measures", LONG],
        ["study", LONG, "qrels", "run"],
        [LONG],
    ],
)
def test_long_words_of_the_command_line_are_cut(tmp_path: Path, words: list[str]) -> None:
    cf.Qrels(QRELS).write(str(tmp_path / "qrels"))
    cf.Run(RUN).write(str(tmp_path / "run"))
    done = subprocess.run(
        [sys.executable, "-m", "cranfield", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert len(done.stderr) < 1500
