"""What other programs print for a small synthetic collection, to the printed digits.

The folders are those of ``oracles`` in the test data; each has a note on how its
program was run.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import cranfield as cf
import pytest
from cranfield._core import families

from tests.against.recorders.trec_eval_8 import GRADES, RECORDED

RUNS = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot")


@pytest.fixture(scope="session")
def oracles(data: Path) -> Path:
    return data / "oracles"


def ours(
    oracles: Path, qrels: str, run: str, measures: list[str], order: Any = "docno_desc"
) -> dict[str, dict[str, float]]:
    """Our values by topic and measure, as the measures are written here."""
    judgments = cf.read_qrels(oracles / qrels)
    scores = cf.evaluate(judgments, oracles / "synthetic" / f"{run}.run", measures, order=order)
    found = next(iter(scores.to_dict().values()))
    return {
        topic: {measure: values[str(cf.Measure(measure))] for measure in measures}
        for topic, values in found.items()
    }


def half_a_digit(printed: str) -> float:
    """How far a value can be from what is printed of it."""
    return 0.5 * 10.0 ** -len(printed.partition(".")[2]) + 1e-12


# --- gdeval ---------------------------------------------------------------------------


@pytest.mark.parametrize("k", [5, 10, 20])
@pytest.mark.parametrize("run", RUNS)
def test_gdeval(oracles: Path, run: str, k: int) -> None:
    measures = [f'nDCG(dcg="exp-log2")@{k}', f"ERR(max_rel=4)@{k}"]
    values = ours(oracles, "synthetic/full.qrels", run, measures)
    compared = 0
    for line in (oracles / "gdeval" / f"{run}.k{k}.csv").read_text().splitlines()[1:]:
        _, topic, *printed = line.split(",")
        if topic == "amean":
            continue
        for measure, text in zip(measures, printed, strict=True):
            assert abs(values[topic][measure] - float(text)) <= half_a_digit(text), (topic, measure)
            compared += 1
    assert compared >= 18


# --- trec_eval 8.1's bpref family -----------------------------------------------------

HERE = {
    peer["spelling"]: peer["here"] or family["name"]
    for family in families()
    for peer in family["peers"]
    if peer["tool"] == "trec_eval 8.1"
}
"""8.1's names and the measures here that the registry says they are."""

COUNTS_OF_BPREF = {name: here for name, here in HERE.items() if name.startswith("bpref_num_")}
"""What 8.1 counts for bpref; N has pooled documents there."""

BPREF = {
    name: here
    for name, here in HERE.items()
    if name.startswith(("bpref", "old_bpref")) and name not in COUNTS_OF_BPREF
}


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("qrels", ["full", "sampled"])
@pytest.mark.parametrize("run", RUNS)
def test_trec_eval_8_bpref(oracles: Path, run: str, qrels: str, level: int) -> None:
    def at_level(measure: str) -> str:
        name, bracket, given = measure.partition("(")
        return f"{name}(rel={level},{given}" if bracket else f"{name}(rel={level})"

    measures = {name: at_level(measure) for name, measure in BPREF.items()}
    values = ours(oracles, f"synthetic/{qrels}.qrels", run, list(measures.values()))
    compared = 0
    path = oracles / "trec_eval_8.1" / f"{run}.{qrels}.l{level}.out"
    for line in path.read_text().splitlines():
        name, topic, text = line.split()
        if topic != "all" and name in measures:
            found = values[topic][measures[name]]
            assert abs(found - float(text)) <= half_a_digit(text), (topic, name, found, text)
            compared += 1
    assert compared > 120


@pytest.mark.parametrize("qrels", ["full", "sampled"])
@pytest.mark.parametrize("run", RUNS)
def test_what_trec_eval_8_counts(oracles: Path, run: str, qrels: str) -> None:
    values = ours(oracles, f"synthetic/{qrels}.qrels", run, list(COUNTS_OF_BPREF.values()))
    compared = 0
    path = oracles / "trec_eval_8.1" / f"{run}.{qrels}.l1.out"
    for line in path.read_text().splitlines():
        name, topic, text = line.split()
        if topic != "all" and name in COUNTS_OF_BPREF:
            found = values[topic][COUNTS_OF_BPREF[name]]
            assert abs(found - float(text)) <= half_a_digit(text), (topic, name, found, text)
            compared += 1
    assert compared >= 4


OTHERWISE_HERE = {
    "bpref_10": "the divisor here is at most N, as Sakai has it",
    "bpref_allnonrel": "pooled documents are left out of N here",
    "bpref_num_all": "pooled documents are left out of N here",
    "map_at_R": "D47",
    "int_map_at_R": "D47",
}
"""Names of 8.1 that are measures here with other values, as their pages say."""

TOLD_APART = ("bpref_top5Rnonrel", "bpref_top10Rnonrel", "bpref_top10pRnonrel", "bpref_topnonrel")


def test_a_name_of_trec_eval_8_means_what_it_computes() -> None:
    """On lists with up to 66 documents judged not relevant for one that is relevant."""
    recorded = json.loads(RECORDED.read_text())
    qrels: dict[str, dict[str, int]] = {}
    rankings: dict[str, list[str]] = {}
    for number, record in enumerate(recorded):
        marks = record["list"] + record["missed"]
        judged = {f"d{place}": GRADES[mark] for place, mark in enumerate(marks) if mark in GRADES}
        qrels[str(number)] = judged
        rankings[str(number)] = [f"d{place}" for place in range(len(record["list"]))]
    run = cf.Run.from_rankings(rankings)
    differ: set[str] = set()
    compared = 0
    for name in recorded[0]["values"]:
        for measure in {name, HERE.get(name, name)}:
            try:
                scores = cf.evaluate(qrels, run, measure)
            except cf.Error:
                continue
            for topic, found in zip(scores.topics, scores.values[0, :, 0], strict=True):
                text = recorded[int(topic)]["values"][name]
                compared += 1
                if name == "gm_bpref":  # the program prints the logarithm
                    found = math.log(max(found, 1e-5))
                if abs(found - float(text)) <= half_a_digit(text):
                    continue
                assert measure == name, (measure, topic, found, text)
                differ.add(name)
    assert differ == set(OTHERWISE_HERE)
    assert compared > 900
    values = recorded[0]["values"]
    assert recorded[0]["list"] == "n" * 8 + "r"
    assert recorded[0]["missed"] == "n" * 12
    assert [values[name] for name in TOLD_APART] == ["0.0000", "0.5000", "0.2727", "0.6000"]


# --- compatibility --------------------------------------------------------------------


@pytest.mark.parametrize("run", [*RUNS, "alpha.p0.8", "bravo.p0.8"])
def test_compatibility(oracles: Path, run: str) -> None:
    run, _, p = run.partition(".p")
    measure = f"Compat(p={p or '0.95'})"
    values = ours(oracles, "synthetic/full.qrels", run, [measure], order="docno_asc")
    compared = 0
    name = f"{run}.p{p}.csv" if p else f"{run}.csv"
    for line in (oracles / "compatibility" / name).read_text().splitlines()[1:]:
        _, topic, text = line.split(",")
        if topic != "average":
            assert values[topic][measure] == pytest.approx(float(text), rel=1e-12), topic
            compared += 1
    assert compared >= 9


# --- inst_eval ------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", [1, 3])
@pytest.mark.parametrize("run", ["alpha", "bravo"])
def test_inst_eval(oracles: Path, run: str, wanted: int) -> None:
    parameters = {
        "inst_min": "",
        "inst_max": ',unjudged="best"',
        "inst_res": ',unjudged="residual"',
    }
    measures = {
        name: f"INST(T={wanted},max_rel=3{more})@20000" for name, more in parameters.items()
    }
    # The tool cuts all lists at the length of the first.
    rankings: dict[str, list[str]] = {}
    for line in (oracles / "synthetic" / f"{run}.run").read_text().splitlines():
        topic, _, document, *_ = line.split()
        rankings.setdefault(topic, []).append(document)
    depth = len(next(iter(rankings.values())))
    cut = cf.Run.from_rankings({topic: found[:depth] for topic, found in rankings.items()})
    judgments = cf.read_qrels(oracles / "synthetic" / "full.qrels")
    values = cf.evaluate(judgments, cut, list(measures.values())).to_dict()["run"]
    compared = 0
    for line in (oracles / "inst_eval" / f"{run}.T{wanted}.out").read_text().splitlines():
        name, topic, text = line.split()
        if name in measures and topic in values:
            found = values[topic][str(cf.Measure(measures[name]))]
            assert abs(found - float(text)) <= half_a_digit(text), (topic, name, found, text)
            compared += 1
    assert compared == {"alpha": 3, "bravo": 36}[run]
