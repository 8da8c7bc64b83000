"""Names of measures as people write them: short ones, lists, objects of ir_measures, long ones."""

from __future__ import annotations

import subprocess
import sys
import warnings
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
        with pytest.raises(
            cf.Error, match=r"expected (measures as text or values|a list as measures), found "
        ) as found:
            names(item)
        assert found.value.kind in ("type", "option")

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


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("accuracy@1", "Success@1"),
        ("Accuracy@10", "Success@10"),
        ("accuracy'@1", "Success@1"),
        ("accuracy(rel=2)@5", "Success@5"),
        ("EC-accuracy@5", "Success@5"),
        ("accuracy_at_5", "Success@5"),
        ("accuracy_5", "Success@5"),
        ("accuracy.1,5", "Success@5"),
        ("accuracy@1,5", "Success@1"),
        ("acc@1", "Success@1"),
        ("top_k_accuracy@20", "Success@20"),
        ("hits@10", "Success@10"),
        ("hits@10", "num_rel_ret"),
        ("Hits_at_3", "Success@3"),
        ("hr@10", "Success@10"),
        ("HR@10", "R@10"),
        ("hit_ratio@10", "Success@10"),
    ],
)
def test_a_name_that_hosts_give_to_another_measure_is_refused(text: str, instead: str) -> None:
    # sentence-transformers, BEIR and MTEB: accuracy@k is whether a relevant document is among k.
    with pytest.raises(cf.Error, match=instead):
        cf.evaluate(QRELS, RUN, f"AP {text}")
    with pytest.raises(cf.Error, match=instead):
        cf.Measure(text)


def test_accuracy_takes_no_cutoff_in_python_either() -> None:
    with pytest.raises(cf.Error, match="Success@3"):
        cf.Accuracy @ 3
    with pytest.raises(cf.Error, match="Success@3"):
        cf.Accuracy(cutoff=3)
    judged = cf.Qrels(QRELS, docs_in_collection=100)
    # Of topic 1 a and c are found and d is not, b and x are wrong: (2 + 95) / 100; 2 is all right.
    assert cf.evaluate(judged, RUN, "Accuracy")["run", "Accuracy"].tolist() == [0.97, 1.0]


def test_success_is_what_sentence_transformers_calls_accuracy() -> None:
    # Topic 1 has b, not relevant, at rank 1 and a at rank 2; topic 2 has a at rank 1.
    found = cf.evaluate(QRELS, RUN, "Success@1,2")
    assert found.mean()[0].tolist() == [0.5, 1.0]


def test_two_discounts_in_one_table_are_told_of(tmp_path: Path) -> None:
    # Topic 1 has three relevant documents, fewer than 10: both ideal lists are whole.
    with pytest.warns(cf.CranfieldWarning) as told:
        scores = cf.evaluate(QRELS, RUN, 'enDCG@10 nDCG@10 nDCG(dcg="jk")@10')
    assert [str(one.message) for one in told] == [
        'enDCG@10 and nDCG@10 discount ranks differently ("jk" and "log2"), so they differ even '
        "if all relevant documents fit into the cutoff; "
        'enDCG(dcg="log2")@10 has the discount of nDCG@10'
    ]
    expanded, plain, same = scores.values[0].T.tolist()
    assert expanded == same != plain
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cf.evaluate(
            QRELS, RUN, 'enDCG(dcg="log2")@10 nDCG@10 enDCG@5 nDCG\'@5 enDCG(gain="binary")@10'
        )
    judged, run = tmp_path / "q.txt", tmp_path / "r.run"
    cf.Qrels(QRELS).write(str(judged))
    cf.Run(RUN).write(str(run))
    command = [sys.executable, "-m", "cranfield", "eval", str(judged), str(run)]
    done = subprocess.run(
        [*command, "-m", "enDCG@10 nDCG@10"], capture_output=True, text=True, check=True
    )
    assert "cranfield: enDCG@10 and nDCG@10 discount ranks differently" in done.stderr
    assert "q.txt: enDCG" not in done.stderr


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        (ir_measures.Accuracy, "proportion of correctly ordered pairs"),
        (ir_measures.Accuracy(rel=2), "the closest measure is AUC"),
        # trec_eval's formula has its argument where F has beta squared.
        (ir_measures.SetF(beta=4), r"write SetF\(beta=2\)"),
        (ir_measures.SetF(beta=0.25, rel=2), r"write SetF\(beta=0\.5\)"),
    ],
)
def test_measures_of_ir_measures_that_are_others_here(measure: Any, said: str) -> None:
    for given in (measure, [measure], [ir_measures.AP, measure]):
        with pytest.raises(cf.Error, match=said):
            cf.evaluate(QRELS, RUN, given)
