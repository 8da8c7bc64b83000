"""Audits: the standard values are those of the package, and faults planted here are named.

The functions below are written as people write them, each with one fault or a few; none of them
uses the evaluator that is under test.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
from cranfield._analysis.audit import MEASURES, cases, vectors
from cranfield._core import conventions
from cranfield._measures.pages import implementations

from tests import effort
from tests.commands import called

Function = Callable[[list[str], dict[str, float], int], "float | None"]


def test_the_standard_values_are_those_of_the_package() -> None:
    compared = 0
    for case in cases():
        qrels = cf.Qrels({"t": {d: float(g) for d, g in case["judgments"].items()}, "u": {"a": 1}})
        documents = case.get("retrieved")
        run = {"u": ["a"]} | ({"t": [*dict.fromkeys(documents)]} if documents else {})
        for measure in MEASURES:
            scores = cf.Evaluator(qrels, f"{measure}@{case['k']}", missing="zero", undefined="zero")
            (value, _) = scores.evaluate(run)["run", f"{measure}@{case['k']}"].tolist()
            expected = vectors()["expected"][measure][case["id"]]["standard"]
            assert expected == pytest.approx(value, abs=1e-12), (measure, case["id"])
            compared += 1
    assert compared == 25 * 5


def test_single_deviations_are_told_apart() -> None:
    """All but those that are one function."""
    same = {
        # Relevant from grade 1: a grade and its integer part are so together.
        *((measure, "standard", "grades=whole") for measure in ("AP", "RR", "P", "R")),
        # Where duplicates are dropped, documents are unique.
        ("P", "divisor=min(k,list)", "divisor=unique"),
        # The first of several stands where it stands.
        ("RR", "duplicates=each", "duplicates=first"),
    }
    alike = set()
    for measure, by_case in vectors()["expected"].items():
        answers: dict[str, str] = {}
        for name in next(iter(by_case.values())):
            key = json.dumps([None if by_case[c] is None else by_case[c][name] for c in by_case])
            if key in answers:
                alike.add((measure, answers[key], name))
            answers.setdefault(key, name)
    assert alike == same


def dcg(gains: list[float], first: int = 2) -> float:
    return sum(gain / math.log2(rank) for rank, gain in enumerate(gains, first))


def unique(retrieved: list[str]) -> list[str]:
    return list(dict.fromkeys(retrieved))


def ndcg(
    gain: Callable[[float], float] = lambda g: max(g, 0),
    ideal: Callable[[list[float], list[float], int], list[float]] = lambda gold, own, k: gold[:k],
    drop: bool = True,
    empty: float | None = 0.0,
    discount: Callable[[list[float]], float] = dcg,
    digits: int = 17,
) -> Function:
    def score(retrieved: list[str], relevant: dict[str, float], k: int) -> float | None:
        listed = unique(retrieved) if drop else retrieved
        own = [gain(relevant.get(document, 0)) for document in listed]
        gold = sorted((gain(grade) for grade in relevant.values()), reverse=True)
        if not any(grade > 0 for grade in gold):
            return empty
        best = discount(ideal(gold, own, k))
        return round(discount(own[:k]) / best, digits) if best else 0.0

    return score


def jk(gains: list[float]) -> float:
    return sum(gain / max(1.0, math.log2(rank)) for rank, gain in enumerate(gains, 1))


def binary(kind: str, **how: Any) -> Function:
    def score(retrieved: list[str], relevant: dict[str, float], k: int) -> float | None:
        level = how.get("level", 1)
        gold = {document for document, grade in relevant.items() if grade >= level}
        if not gold:
            found: float | None = how.get("empty", 0.0)
            return found
        listed = retrieved if how.get("repeat") else unique(retrieved)
        cut = listed[: how.get("cut", lambda k: k)(k)]
        hits = [rank for rank, document in enumerate(cut, 1) if document in gold]
        if kind == "P":
            by = min(k, len(cut)) if how.get("short") else k
            value = len(hits) / by if by else 0.0
        elif kind == "R":
            by = {"capped": min(k, len(gold)), "list": min(len(cut), len(gold))}.get(
                how.get("by", ""), len(gold)
            )
            value = len(hits) / by if by else 0.0
            if how.get("by") == "hit":
                value = float(bool(hits))
        elif kind == "RR":
            shift = how.get("shift", 0)
            value = 1 / (hits[0] + shift) if hits else 0.0
            if how.get("every"):
                value = sum(1 / rank for rank in hits) / len(hits) if hits else 0.0
        else:
            precise = [found / rank for found, rank in enumerate(hits, 1)]
            if how.get("every"):
                precise = [sum(h <= r for h in hits) / r for r in range(1, len(cut) + 1)]
            by = {
                "found": len(hits),
                "capped": min(k, len(gold)),
                "list": min(len(cut), len(gold)),
                "k": k,
            }.get(how.get("by", ""), len(gold))
            value = sum(precise) / by if by else 0.0
        return float(round(value, how.get("digits", 17)))

    return score


def highest(retrieved: list[str], relevant: dict[str, float], k: int) -> float:
    if not any(grade >= 1 for grade in relevant.values()):
        return 0.0
    grades = [relevant.get(document, 0.0) for document in unique(retrieved)[:k]]
    return 1 / (1 + grades.index(max(grades))) if grades else 0.0


PLANTED: list[tuple[str, Function, dict[str, str]]] = [
    ("nDCG", ndcg(), {}),
    ("nDCG", ndcg(gain=lambda g: 2 ** max(g, 0) - 1), {"gain": "exp"}),
    ("nDCG", ndcg(gain=lambda g: float(g > 0)), {"gain": "binary"}),
    ("nDCG", ndcg(gain=lambda g: g), {"negative": "as-given"}),
    ("nDCG", ndcg(gain=lambda g: float(int(max(g, 0)))), {"grades": "whole"}),
    ("nDCG", ndcg(ideal=lambda gold, own, k: gold), {"ideal": "uncut"}),
    ("nDCG", ndcg(ideal=lambda gold, own, k: gold[: min(k, len(own))]), {"ideal": "list-length"}),
    ("nDCG", ndcg(ideal=lambda gold, own, k: sorted(own)[::-1][:k]), {"ideal": "retrieved"}),
    ("nDCG", ndcg(ideal=lambda gold, own, k: [1.0] * k), {"ideal": "k-of-1"}),
    ("nDCG", ndcg(ideal=lambda gold, own, k: [1.0]), {"ideal": "none"}),
    ("nDCG", ndcg(drop=False), {"duplicates": "each"}),
    ("nDCG", ndcg(empty=1.0), {"empty": "1"}),
    ("nDCG", ndcg(empty=None), {"empty": "left-out"}),
    ("nDCG", ndcg(discount=jk), {"discount": "from-rank-2"}),
    ("nDCG", ndcg(discount=lambda g: dcg(g, 3)), {"discount": "log2(r+2)"}),
    ("nDCG", ndcg(digits=2), {"printed": "2"}),
    (
        "nDCG",
        ndcg(gain=lambda g: 2.0 ** int(max(g, 0)) - 1, empty=1.0),
        {"gain": "exp", "grades": "whole", "empty": "1"},
    ),
    (
        "nDCG",
        ndcg(ideal=lambda gold, own, k: gold, drop=False),
        {"ideal": "uncut", "duplicates": "each"},
    ),
    ("AP", binary("AP"), {}),
    ("AP", binary("AP", by="found"), {"divisor": "found"}),
    ("AP", binary("AP", by="capped"), {"divisor": "min(k,R)"}),
    ("AP", binary("AP", by="list"), {"divisor": "min(list,R)"}),
    ("AP", binary("AP", by="k"), {"divisor": "k"}),
    ("AP", binary("AP", every=True), {"terms": "every-rank"}),
    ("AP", binary("AP", cut=lambda k: None), {"cut": "none"}),
    ("AP", binary("AP", by="capped", digits=2), {"divisor": "min(k,R)", "printed": "2"}),
    ("RR", binary("RR"), {}),
    ("RR", binary("RR", shift=1), {"rank": "from-2"}),
    ("RR", binary("RR", every=True), {"rank": "mean-of-found"}),
    ("RR", highest, {"rank": "highest-grade"}),
    ("P", binary("P"), {}),
    ("P", binary("P", short=True), {"divisor": "min(k,list)"}),
    ("P", binary("P", cut=lambda k: k - 1), {"cut": "k-1"}),
    ("P", binary("P", cut=lambda k: k + 1), {"cut": "k+1"}),
    ("P", binary("P", level=2), {"level": ">=2"}),
    ("R", binary("R", by="capped"), {"divisor": "min(k,R)"}),
    ("R", binary("R", by="hit"), {"divisor": "hit"}),
    ("R", binary("R", repeat=True, empty=1.0), {"duplicates": "each", "empty": "1"}),
]


@pytest.mark.parametrize("place", range(len(PLANTED)))
def test_planted_faults_are_named(place: int) -> None:
    measure, function, expected = PLANTED[place]
    found = cf.audit(function, measure)
    assert all(found.explained), found.sentences()
    assert expected in found.conventions, found.conventions
    if effort.FULL or place % 2:
        # The measure need not be named.
        assert cf.audit(function).measure == measure or not expected


def test_thirty_eight_faults_are_planted() -> None:
    assert len(PLANTED) == 38


def test_a_function_that_raises_has_refused() -> None:
    def ap(retrieved: list[str], relevant: dict[str, float], k: int) -> float | None:
        if not retrieved:
            raise ValueError("nothing retrieved")
        return binary("AP")(retrieved, relevant, k)

    found = cf.audit(ap, "AP")
    assert all(found.explained)
    assert found.answers[found.cases.index("empty-list")] == "ValueError: nothing retrieved"
    assert "refused" in " ".join(found.sentences())
    with pytest.raises(cf.Error, match="always raises ZeroDivisionError") as caught:
        cf.audit(lambda *_: 1 / 0)
    assert caught.value.kind == "empty"


def test_what_is_not_explained_is_shown() -> None:
    def odd(retrieved: list[str], relevant: dict[str, float], k: int) -> float | None:
        return 0.123 if k == 10 else binary("P")(retrieved, relevant, k)

    found = cf.audit(odd, "P")
    assert [c for c, e in zip(found.cases, found.explained, strict=True) if not e] == ["long-list"]
    assert "0.1230, the standard is 0.3000" in found.sentences()[-1]


@pytest.mark.parametrize(
    ("answers", "kind"),
    [({}, "empty"), ({"plane": 1.0}, "label"), ({"plain": [1]}, "number")],
)
def test_what_are_no_answers_is_refused(answers: dict[str, Any], kind: str) -> None:
    with pytest.raises(cf.Error) as caught:
        cf.audit(answers)
    assert caught.value.kind == kind
    with pytest.raises(cf.Error, match="measure"):
        cf.audit({"plain": 1.0}, "MAP")


def test_every_known_convention_is_one_that_there_is() -> None:
    assert len(implementations()) > 30
    for entry in implementations():
        assert {"tool", "version", "deviation", "evidence", "source", "date"} <= set(entry)
        assert entry["evidence"] in ("run", "source", "thread")
        for measure in entry["measures"] if "conventions" in entry else ():
            known = dict(conventions()[measure])
            for dimension, value in entry["conventions"].items():
                if dimension in known:
                    assert value in known[dimension], (entry["tool"], measure)


def of_pytrec_eval(name: str) -> Function:
    pytrec_eval = pytest.importorskip("pytrec_eval")

    def score(retrieved: list[str], relevant: dict[str, float], k: int) -> float:
        if len(set(retrieved)) < len(retrieved) or any(g != int(g) for g in relevant.values()):
            raise ValueError("duplicates and fractions are refused")
        qrels = {"t": {document: int(grade) for document, grade in relevant.items()}}
        run = {"t": {document: -float(rank) for rank, document in enumerate(retrieved)}}
        found = pytrec_eval.RelevanceEvaluator(qrels, {f"{name}.{k}"}).evaluate(run)["t"]
        return float(next(iter(found.values())))

    return score


@pytest.mark.parametrize(
    ("name", "measure"), [("ndcg_cut", "nDCG"), ("map_cut", "AP"), ("P", "P"), ("recall", "R")]
)
def test_pytrec_eval_is_the_standard(name: str, measure: str) -> None:
    found = cf.audit(of_pytrec_eval(name), measure)
    assert all(found.explained), found.sentences()
    assert {} in found.conventions


def of_ranx(name: str) -> Function:
    from tests.against.peers.compiled_once import ranx

    def score(retrieved: list[str], relevant: dict[str, float], k: int) -> float:
        if len(set(retrieved)) < len(retrieved) or any(g != int(g) for g in relevant.values()):
            raise ValueError("a dict has no duplicates, and grades are whole")
        qrels = ranx.Qrels({"t": {document: int(grade) for document, grade in relevant.items()}})
        run = ranx.Run({"t": {d: -float(rank) for rank, d in enumerate(retrieved)}})
        return float(ranx.evaluate(qrels, run, f"{name}@{k}"))

    return score


@pytest.mark.parametrize(
    ("name", "measure"), [("ndcg", "nDCG"), ("map", "AP"), ("mrr", "RR"), ("recall", "R")]
)
def test_ranx_is_explained(name: str, measure: str) -> None:
    found = cf.audit(of_ranx(name), measure)
    assert sum(found.explained) >= 24, found.sentences()


# The command


def printed(*words: str, folder: Path) -> Any:
    return called("audit", *words, folder=folder)


SCORE = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    gold = {d for d, g in asked["judgments"].items() if g >= 1}
    found = [*dict.fromkeys(asked["retrieved"] or [])][: asked["k"]]
    value = sum(d in gold for d in found) / max(1, min(asked["k"], len(found)))
    print(json.dumps({"case": asked["case"], "topic": asked["topic"], "value": value}))
"""


def test_a_command_is_asked(tmp_path: Path) -> None:
    (tmp_path / "score.py").write_text(SCORE)
    done = printed("--command", f"{sys.executable} score.py", "--measure", "P", folder=tmp_path)
    assert "divisor=min(k,list)" in done.stdout
    assert "OpenSearch" in done.stdout or "LensKit" in done.stdout or "mlflow" in done.stdout


def test_commands_that_hang_or_print_nonsense_are_refused(tmp_path: Path) -> None:
    (tmp_path / "hang.py").write_text("import time; time.sleep(60)\n")
    (tmp_path / "noise.py").write_text("while True: print('y' * 1000)\n")
    (tmp_path / "words.py").write_text("print('hello')\n")
    (tmp_path / "fails.py").write_text("raise SystemExit(3)\n")
    for name, expected in (
        ("hang.py", "did not end within 1 seconds"),
        ("noise.py", "printed more than"),
        ("words.py", "expected a JSON object a line, found 'hello'"),
        ("fails.py", "exit status 3"),
    ):
        command = f"{sys.executable} {name}"
        done = printed("--command", command, "--timeout", "1", folder=tmp_path)
        assert done.returncode == 2, name
        assert expected in done.stderr
    done = printed("--command", "no-such-program", folder=tmp_path)
    assert (done.returncode, "cannot be started" in done.stderr) == (2, True)


def test_a_function_of_the_folder_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_metrics.py").write_text(
        "def p(retrieved, relevant, k):\n"
        "    return sum(relevant.get(d, 0) >= 1 for d in dict.fromkeys(retrieved[:k])) / k\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    done = printed("--python", "own_metrics:p", "--format", "json", folder=tmp_path)
    content = json.loads(done.stdout)
    assert content["measure"] == "P"
    for wrong in ("own_metrics", "own_metrics:q", "no_such_module:f", "json:__doc__"):
        done = printed("--python", wrong, folder=tmp_path)
        assert done.returncode == 2, wrong
        assert "Traceback" not in done.stderr


def test_vectors_are_written_and_answers_read(tmp_path: Path) -> None:
    assert printed("--export", "vectors.json", folder=tmp_path).returncode == 0
    content = json.loads((tmp_path / "vectors.json").read_text())
    assert content["schema_version"] == 1
    assert len(content["cases"]) == 25
    assert content["fractions"]["AP"]["long-list"]["standard"]
    for form in ("object", "array", "lines"):
        own = {case: values["divisor=found"] for case, values in content["expected"]["AP"].items()}
        rows = [{"case": case, "topic": "1", "value": value} for case, value in own.items()]
        text = {
            "object": json.dumps(own),
            "array": json.dumps(rows),
            "lines": "".join(json.dumps(row) + "\n" for row in rows),
        }[form]
        (tmp_path / "answers.json").write_text(text)
        done = printed("answers.json", folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "AP with divisor=found" in done.stdout
        assert "ragas" in done.stdout
    (tmp_path / "answers.json").write_text('{"case": "plain"}')
    assert printed("answers.json", folder=tmp_path).returncode == 2
    assert printed(folder=tmp_path).returncode == 2
